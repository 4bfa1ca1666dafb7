// elementary.c: the exponential from additions and multiplications alone.
//
// x = k ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts, so that k times the first is exact
// (W. Cody, W. Waite, 1980). e^r by its Taylor series: the 14th term is below 2^-54.
#include "elementary.h"

#include <math.h>

double wri_exp(double x)
{
    if (x != x) {
        return x;
    }
    if (x < -708.0) {
        return 0.0;
    }
    if (x > 709.0) {
        return INFINITY;
    }
    double k = floor(x * 1.44269504088896340736 + 0.5);
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int n = 14; n >= 1; n--) {
        sum = 1.0 + sum * r / n;
    }
    return ldexp(sum, (int)k);
}
