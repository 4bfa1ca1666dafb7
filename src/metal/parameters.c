// parameters.c: an artist's numbers in the structs of metal: defaults, presets, ranges.
#include "parameters.h"

#include "metal.h"

static const uint32_t COOKIE = 0x4d455450;

void wri_metal_set_default(int owner, void *object)
{
    wri_parameters_set_default(wri_metal_parameters, WRI_COUNT(wri_metal_parameters), owner,
                               object);
    wri_parameters_set_default(wri_metal_hidden, WRI_COUNT(wri_metal_hidden), owner, object);
}

bool wri_metal_check(int owner, const void *object, wr_error *error)
{
    return wri_parameters_check(wri_metal_parameters, WRI_COUNT(wri_metal_parameters), owner,
                                object, error) &&
           wri_parameters_check(wri_metal_hidden, WRI_COUNT(wri_metal_hidden), owner, object,
                                error);
}

wr_metal_parameters wr_metal_parameters_default(void)
{
    wr_metal_parameters p = {.cookie = COOKIE};
    wri_metal_set_default(WRI_METAL_BODY, &p);
    return p;
}

const wr_preset *wr_metal_presets(int *count)
{
    *count = WRI_COUNT(wri_metal_presets);
    return wri_metal_presets;
}

static const wr_preset *find_preset(const char *name, wr_error *error)
{
    const char *names[WRI_COUNT(wri_metal_presets)];
    for (int i = 0; i < WRI_COUNT(names); i++) {
        names[i] = wri_metal_presets[i].name;
        if (strcmp(name, names[i]) == 0) {
            return &wri_metal_presets[i];
        }
    }
    const char *near = wri_nearest_word(name, names, WRI_COUNT(names));
    if (near) {
        wri_fail(error, WR_E_ARGUMENT, "no metal \"%s\"; did you mean \"%s\"?", name, near);
    } else {
        wri_fail(error, WR_E_ARGUMENT, "no metal \"%s\"; \"%s\" is one", name, names[0]);
    }
    return NULL;
}

bool wr_metal_find_preset(const char *name, wr_metal_parameters *out, wr_error *error)
{
    if (!WRI_REQUIRE(error, name, out)) {
        return false;
    }
    const wr_preset *preset = find_preset(name, error);
    if (!preset) {
        return false;
    }
    double values[WRI_COUNT(wri_metal_parameters)];
    for (int i = 0; i < WRI_COUNT(values); i++) {
        values[i] = wri_parameter_in(preset, &wri_metal_parameters[i]);
    }
    *out = wr_metal_parameters_default();
    wri_parameters_set(wri_metal_parameters, WRI_COUNT(values), WRI_METAL_BODY, values, out);
    return true;
}

bool wri_metal_check_parameters(const wr_metal_parameters *p, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_metal_parameters, p, COOKIE)) {
        return false;
    }
    if (p->method == WR_METAL_METHOD_PUBLISHED && p->yield_by == WR_METAL_YIELD_SPEED) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "yield_by: the published method knows no yield speed, expected \"impulse\" "
                        "or \"length\"");
    }
    return wri_metal_check(WRI_METAL_BODY, p, error);
}
