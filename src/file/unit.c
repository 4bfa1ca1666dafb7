// unit.c: the words for units, which scenes, recipes and options have in common.
#include "unit.h"

#include "../base/base.h"

#include <stdio.h>

typedef struct unit_factor {
    const char *base, *unit;
    double factor;
} unit_factor;

static const unit_factor unit_factors[] = {
    {"m", "mm", 1e-3},         {"m", "cm", 1e-2},          {"m", "km", 1e3},
    {"m", "in", 0.0254},       {"m", "inch", 0.0254},      {"m", "inches", 0.0254},
    {"m", "ft", 0.3048},       {"m", "foot", 0.3048},      {"m", "feet", 0.3048},
    {"m", "yd", 0.9144},       {"m", "yard", 0.9144},      {"m", "yards", 0.9144},
    {"s", "ms", 1e-3},         {"s", "min", 60.0},         {"kg", "g", 1e-3},
    {"kg", "t", 1e3},          {"kg", "lb", 0.45359237},   {"m/s", "cm/s", 1e-2},
    {"kg/m^3", "g/cm^3", 1e3}, {"m/s", "km/h", 1.0 / 3.6}, {"m/s", "mph", 0.44704},
};

bool wri_unit_find(const char *base, const char *unit, double *factor)
{
    if (strcmp(base, unit) == 0) {
        *factor = 1.0;
        return true;
    }
    for (int i = 0; i < WRI_COUNT(unit_factors); i++) {
        if (!strcmp(unit_factors[i].base, base) && !strcmp(unit_factors[i].unit, unit)) {
            *factor = unit_factors[i].factor;
            return true;
        }
    }
    return false;
}

void wri_unit_list(const char *base, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < WRI_COUNT(unit_factors); i++) {
        if (strcmp(unit_factors[i].base, base) == 0 && used < size) {
            bool is_first = used == 0;
            used += (size_t)snprintf(out + used, size - used, "%s%s, %s",
                                     is_first ? "; units are " : "", is_first ? base : "",
                                     unit_factors[i].unit);
        }
    }
}

const char *const wri_unit_words[] = {"m",    "cm",   "mm", "in",   "inch",  "inches", "ft",
                                      "foot", "feet", "yd", "yard", "yards", "km",     NULL};
