// cannonball.c: a cast iron ball with the seam of its mould and the stump of its sprue.
#include "props.h"

wr_model *make_cannonball(const char *cages)
{
    (void)cages; // it is made of parts alone
    enum { ROWS = 24 };
    const float r = 0.2f;
    const wr_look look = plain("cast iron", 0.06f, 0.06f, 0.065f, 0.55f, 0.8f);
    wr_model *model = start_prop("cannonball", &look, 1);
    wr_vec2 profile[ROWS + 1];
    for (int i = 0; i <= ROWS; i++) {
        float a = WR_PI * (float)i / ROWS, seam = i == ROWS / 2 ? 1.015f : 1.0f;
        bool pole = i == 0 || i == ROWS;
        profile[i] = (wr_vec2){pole ? 0.0f : seam * r * sinf(a), -r * cosf(a)};
    }
    solid s = solid_create();
    part_turn(&s, wr_v3(0.0f, 0.0f, 0.0f), wr_v3(0.0f, 1.0f, 0.0f), profile, ROWS + 1, 40);
    part_cone(&s, wr_v3(0.0f, 0.95f * r, 0.0f), wr_v3(0.0f, 1.02f * r, 0.0f), 0.2f * r, 0.16f * r,
              16);
    solid_finish(&s, model);
    return model;
}
