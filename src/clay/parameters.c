// parameters.c: an artist's numbers in wr_clay_parameters: defaults, presets, ranges.
#include "parameters.h"

#include "clay.h"

static const uint32_t COOKIE = 0x434c4159;

wr_clay_parameters wr_clay_parameters_default(void)
{
    wr_clay_parameters p = {.friction = 0.6f, .cookie = COOKIE};
    wri_parameters_set_default(wri_clay_parameters, WRI_COUNT(wri_clay_parameters), WRI_CLAY_BODY,
                               &p);
    return p;
}

const wr_preset *wr_clay_presets(int *count)
{
    *count = WRI_COUNT(wri_clay_presets);
    return wri_clay_presets;
}

static const wr_preset *find_preset(const char *name, wr_error *error)
{
    const char *names[WRI_COUNT(wri_clay_presets)];
    for (int i = 0; i < WRI_COUNT(names); i++) {
        names[i] = wri_clay_presets[i].name;
        if (strcmp(name, names[i]) == 0) {
            return &wri_clay_presets[i];
        }
    }
    const char *near = wri_nearest_word(name, names, WRI_COUNT(names));
    wri_fail(error, WR_E_ARGUMENT, "no clay \"%s\"; %s\"%s\"%s", name, near ? "did you mean " : "",
             near ? near : names[0], near ? "?" : " is one");
    return NULL;
}

bool wr_clay_find_preset(const char *name, wr_clay_parameters *out, wr_error *error)
{
    if (!WRI_REQUIRE(error, name, out)) {
        return false;
    }
    const wr_preset *preset = find_preset(name, error);
    if (!preset) {
        return false;
    }
    double values[WRI_COUNT(wri_clay_parameters)];
    for (int i = 0; i < WRI_COUNT(values); i++) {
        values[i] = wri_parameter_in(preset, &wri_clay_parameters[i]);
    }
    *out = wr_clay_parameters_default();
    wri_parameters_set(wri_clay_parameters, WRI_COUNT(values), WRI_CLAY_BODY, values, out);
    return true;
}

bool wri_clay_check_parameters(const wr_clay_parameters *p, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_clay_parameters, p, COOKIE)) {
        return false;
    }
    if (!(p->friction >= 0.0f && p->friction <= 100.0f)) {
        return wri_fail(error, WR_E_ARGUMENT, "friction: %g not in [0, 100]", (double)p->friction);
    }
    if (!(p->tears > 1.0f)) {
        return wri_fail(error, WR_E_ARGUMENT, "tear: %g, expected more than 1, or 0: never",
                        (double)p->tears);
    }
    return wri_parameters_check(wri_clay_parameters, WRI_COUNT(wri_clay_parameters), WRI_CLAY_BODY,
                                p, error);
}
