// schedule.c: which frames of a recording become pictures, or samples of an export.
#include "cli.h"

#include <math.h>

cli_schedule cli_schedule_plan(const wr_record_reader *reader, double fps, double from, double to,
                               double most)
{
    const wr_record_info *info = wr_record_about(reader);
    cli_schedule s = {.numerator = info->rate_numerator,
                      .denominator = info->rate_denominator,
                      .start = fmax(from, 0.0),
                      .rate = (double)info->rate_numerator / info->rate_denominator,
                      .last = wr_record_frame_count(reader) - 1};
    if (fps > 0.0) {
        s.numerator = (int)lround(fps * 1000.0);
        s.denominator = 1000;
    } else {
        while ((double)s.numerator / s.denominator > most && s.denominator < 1000000) {
            s.denominator *= 2; // every second frame, every fourth ...
        }
    }
    double end = fmin(to, s.last / s.rate);
    s.count =
        end < s.start ? 0 : (int)floor((end - s.start) * s.numerator / s.denominator + 1e-6) + 1;
    return s;
}

int cli_schedule_frame(const cli_schedule *s, int picture)
{
    double time = s->start + (double)picture * s->denominator / s->numerator;
    int index = (int)lround(time * s->rate);
    return index > s->last ? s->last : index;
}
