// unit.h: the words for units, which scenes, recipes and options have in common.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// What a unit is of another one, its base: 0.0254 is an "inch" of "m". False: it is unknown.
bool wri_unit_find(const char *base, const char *unit, double *factor);
// "; units are m, mm, cm": all that a length in "m" can be said in; "" where that is its own unit
// alone.
void wri_unit_list(const char *base, char *out, size_t size);

extern const char *const wri_unit_words[]; // of lengths in model files; NULL at the end
