// seen.c: what films show of the body that bends in them: seen RECORDING... prints a row of a table
// for each (seen.h): its height in the picture, how far it tips over at most, how much of what is
// seen of it at the end moved and how much turned, how long others hide more than a tenth of it,
// and how much of it at the end.
#include "seen.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    const double degrees = 180.0 / 3.14159265358979323846;
    for (int i = 1; i < argc; i++) {
        seen s;
        wr_error error = {0};
        if (!seen_measure(argv[i], 6, &s, &error)) {
            fprintf(stderr, "%s: %s\n", argv[i], error.message);
            return 1;
        }
        printf("| %.0f–%.0f %% | %.0f° | %.0f %% | %.0f %% | %.1f s | %.0f %% |\n", 100.0 * s.low,
               100.0 * s.high, degrees * s.most_tilt, 100.0 * s.moved, 100.0 * s.bent, s.hidden,
               100.0 * s.last_hidden);
    }
    return 0;
}
