// hit.c: who hit what bends, and how hard, as people are told.
//
// A recording says of a dent what metal compares with its yield: impulse over mass, which has the
// unit of a speed and is one only where the body is free to move. Of a small body between a floor
// and something heavy it is hundreds of metres per second that nothing moved at. So people are told
// the impulse itself, that of the contacts with who hit it in that frame; where nobody touched it,
// and of breaks, impulse per mass is called what it is.
#include "cli.h"

#include <math.h>
#include <stdio.h>

int cli_whole_of(const wr_record_body *bodies, int body)
{
    return bodies[body].fragment_of > 0 ? bodies[body].fragment_of - 1 : body;
}

cli_striker cli_striker_find(const wr_frame *frame, const wr_record_body *bodies,
                             const wr_event *dent)
{
    cli_striker striker = {.body = -1};
    int whole = cli_whole_of(bodies, dent->subject);
    float nearest = INFINITY;
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *c = &frame->contacts[i];
        bool is_a = cli_whole_of(bodies, c->body_a) == whole;
        bool is_b = cli_whole_of(bodies, c->body_b) == whole;
        float distance = wr_distance(c->point, dent->point);
        if (is_a != is_b && distance < nearest) {
            nearest = distance;
            striker = (cli_striker){is_a ? c->body_b : c->body_a, (double)c->impulse};
        }
    }
    return striker;
}

// To three digits, for that is what a contact is good for; floats are whole from 2^23 on.
static double round_impulse(double impulse)
{
    double unit = pow(10.0, floor(log10(impulse)) - 2.0);
    return floor(impulse / unit + 0.5) * unit;
}

const char *cli_hit_text(char *out, const wr_event *event, const cli_striker *striker)
{
    if (striker->impulse > 0.0) {
        double impulse = round_impulse(striker->impulse);
        snprintf(out, CLI_HIT_ROOM, "an impulse of %s N s", WRI_NUMBER(impulse, 3));
    } else {
        snprintf(out, CLI_HIT_ROOM, "%s N s per kg of the body%s", WRI_NUMBER(event->strength, 3),
                 event->kind == WR_EVENT_DENT ? " above its yield" : "");
    }
    return out;
}
