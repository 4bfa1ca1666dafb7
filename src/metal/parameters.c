// parameters.c: an artist's numbers, and presets in artists' words.
//
// The authors' scenes, in body sizes (their yield and alpha work per step; barrels are 0.76 m):
//     pachinko      bend 0.6   yield 0.03   reach 0.5   fade 0.2
//     loading dock  bend 0.9   yield 0.02   reach 0.4-2
//     cars          bend 3.6   yield 0.28   reach 0.7   fade 0.1
#include "metal.h"

static const uint32_t COOKIE = 0x4d455450;

#define PRESET(name, about, bend, yield, reach, fade, bounce, absorb, recover)                     \
    {name, about, bend, yield, reach, fade, bounce, absorb, recover},
static const wr_metal_preset PRESETS[] = {WRI_METAL_PRESETS(PRESET)};

wr_metal_parameters wr_metal_parameters_default(void)
{
    const wr_metal_preset *p = &PRESETS[0];
    return (wr_metal_parameters){.bend = p->bend,
                                 .yield = p->yield,
                                 .reach = p->reach,
                                 .fade = p->fade,
                                 .lambda = NAN,
                                 .bounce = p->bounce,
                                 .absorb = p->absorb,
                                 .recover = p->recover,
                                 .focus = 0.0f,
                                 .steep = 0.0f,
                                 .patch = 0.2f,
                                 .window = 0.04f,
                                 .carries = 15.0f,
                                 .accuracy = 3e-4f,
                                 .refresh = 1.0f / 60.0f,
                                 .yield_by = WR_METAL_YIELD_SPEED,
                                 .projection = WR_METAL_PROJECT_GRADIENT,
                                 .norm = WR_METAL_NORM_ROOT,
                                 .cookie = COOKIE};
}

const wr_metal_preset *wr_metal_presets(int *count)
{
    *count = WRI_COUNT(PRESETS);
    return PRESETS;
}

bool wr_metal_find_preset(const char *name, wr_metal_parameters *out, wr_error *error)
{
    const char *names[WRI_COUNT(PRESETS)];
    for (int i = 0; i < WRI_COUNT(PRESETS); i++) {
        const wr_metal_preset *p = &PRESETS[i];
        names[i] = p->name;
        if (strcmp(name, p->name) == 0) {
            *out = wr_metal_parameters_default();
            out->bend = p->bend;
            out->yield = p->yield;
            out->reach = p->reach;
            out->fade = p->fade;
            out->bounce = p->bounce;
            out->absorb = p->absorb;
            out->recover = p->recover;
            return true;
        }
    }
    const char *near = wri_nearest_word(name, names, WRI_COUNT(PRESETS));
    return near
               ? wri_fail(error, WR_E_ARGUMENT, "no metal \"%s\"; did you mean \"%s\"?", name, near)
               : wri_fail(error, WR_E_ARGUMENT, "no metal \"%s\"; \"%s\" is one", name, names[0]);
}

typedef struct range {
    const char *name;
    float value, low, high;
} range;

bool wri_metal_check_parameters(const wr_metal_parameters *p, wr_error *error)
{
    WR_ASSERT(p->cookie == COOKIE); // start from wr_metal_parameters_default()
    const range ranges[] = {
        {"bend", p->bend, 0.0f, 1e6f},
        {"yield", p->yield, 0.0f, 1e12f},
        {"reach", p->reach, 1e-6f, 1e3f},
        {"fade", p->fade, 0.0f, 1e6f},
        {"bounce", p->bounce, 0.0f, 1.0f},
        {"absorb", p->absorb, 0.0f, 1e6f},
        {"recover", p->recover, 0.0f, 1e6f},
        {"focus", p->focus, 0.0f, 1.0f},
        {"steep", p->steep, 0.0f, 1e6f},
        {"patch", p->patch, 0.0f, 1e3f},
        {"window", p->window, 0.0f, 1e3f},
        {"carries", p->carries, 0.0f, 1e9f},
        {"accuracy", p->accuracy, 1e-9f, 1.0f},
        {"refresh", p->refresh, 0.0f, 1e3f},
        {"lambda", isnan(p->lambda) ? 0.0f : p->lambda, 0.0f, 0.999999f},
        {"yield_by", (float)p->yield_by, 0.0f, (float)WR_METAL_YIELD_LENGTH},
        {"projection", (float)p->projection, 0.0f, (float)WR_METAL_PROJECT_NATURAL},
        {"norm", (float)p->norm, 0.0f, (float)WR_METAL_NORM_ALL},
    };
    for (int i = 0; i < WRI_COUNT(ranges); i++) {
        const range *r = &ranges[i];
        if (!(r->value >= r->low && r->value <= r->high)) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: %g not in [%g, %g]", r->name,
                            (double)r->value, (double)r->low, (double)r->high);
        }
    }
    return true;
}
