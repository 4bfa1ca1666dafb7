// parameters.c: what an artist sets: defaults and ranges.
#include "world.h"

#include "../math/elementary.h"

// A body that keeps its look, squashes when it lands, gets back to itself within a quarter of a
// second and bounces to half the height it fell from.
wr_sprite_parameters wr_sprite_parameters_default(void)
{
    return (wr_sprite_parameters){.firmness = 0.9f,
                                  .hold = 0.97f,
                                  .rounds = 4,
                                  .wobble = 0.6f,
                                  .settle = 0.15f,
                                  .give = 1.0f,
                                  .give_from = 0.02f,
                                  .give_way = WR_SPRITE_ENERGY_AWAY,
                                  .give_example = -1,
                                  .stretch = 0.15f,
                                  .stretch_example = -1,
                                  .bounce = 0.7f,
                                  .release = 0.2f,
                                  .aim = WR_SPRITE_AIM_NONE,
                                  .angle = 0.0f,
                                  .smooth = true,
                                  .aim_strength = 8.0f,
                                  .drag = 0.02f,
                                  .drag_of_example = NULL,
                                  .friction = 0.6f,
                                  .gravity = 1.0f};
}

float wri_sprite_share(float k, float part)
{
    if (!(k < 1.0f)) {
        return 1.0f;
    }
    return k > 0.0f ? (float)(1.0 - wri_exp((double)part * wri_log(1.0 - (double)k))) : 0.0f;
}

static bool check_examples(const wr_sprite_asset *asset, const wr_sprite_parameters *p,
                           wr_error *error)
{
    if (p->give_way == WR_SPRITE_ENERGY_EXAMPLE &&
        (p->give_example < 0 || p->give_example >= asset->E)) {
        return wri_fail(error, WR_E_ARGUMENT, "give_example: %d of %d examples", p->give_example,
                        asset->E);
    }
    if (p->stretch_example < -1 || p->stretch_example >= asset->E) {
        return wri_fail(error, WR_E_ARGUMENT, "stretch_example: %d of %d examples",
                        p->stretch_example, asset->E);
    }
    for (int e = 0; p->drag_of_example && e < asset->E; e++) {
        if (!(p->drag_of_example[e] >= 0.0f && p->drag_of_example[e] <= 1e6f)) {
            return wri_fail(error, WR_E_ARGUMENT, "drag_of_example[%d]: %g not in [0, 1e6]", e,
                            (double)p->drag_of_example[e]);
        }
    }
    return true;
}

bool wri_sprite_check_parameters(const wr_sprite_asset *asset, const wr_sprite_parameters *p,
                                 wr_error *error)
{
    const struct {
        const char *name;
        float value, low, high;
    } ranges[] = {
        {"firmness", p->firmness, 0.0f, 1.0f},
        {"hold", p->hold, 0.0f, 1.0f},
        {"rounds", (float)p->rounds, 1.0f, 32.0f},
        {"wobble", p->wobble, 0.0f, 1.0f},
        {"settle", p->settle, 0.0f, 1.0f},
        {"give", p->give, 0.0f, 1e6f},
        {"give_from", p->give_from, 0.0f, 1e6f},
        {"give_way", (float)p->give_way, 0.0f, (float)WR_SPRITE_ENERGY_EXAMPLE},
        {"stretch", p->stretch, 0.0f, 1e6f},
        {"bounce", p->bounce, 0.0f, 10.0f},
        {"release", p->release, 1e-6f, 1.0f},
        {"aim", (float)p->aim, 0.0f, (float)WR_SPRITE_AIM_AXIS},
        {"angle", p->angle, -1e4f, 1e4f},
        {"aim_strength", p->aim_strength, 0.0f, p->smooth ? 1e4f : 1.0f},
        {"drag", p->drag, 0.0f, 1e6f},
        {"friction", p->friction, 0.0f, 1e6f},
        {"gravity", p->gravity, -1e3f, 1e3f},
    };
    for (int i = 0; i < WRI_COUNT(ranges); i++) {
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high)) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: %g not in [%g, %g]", ranges[i].name,
                            (double)ranges[i].value, (double)ranges[i].low, (double)ranges[i].high);
        }
    }
    return check_examples(asset, p, error);
}
