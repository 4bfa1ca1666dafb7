// soak.h: random scenes as text: what the makers of scenes of metal and of clay share.
#pragma once

#include "check.h"

typedef struct maker {
    uint64_t seed;
    wri_arena *arena;
    char *text;
    double scale, top; // of the bodies so far; highest point, metres
    double energy;     // of metal: a bound for what one body more may bring
    bool tied;         // of metal: fragments are joined by ties
    double volume;     // m^3: of the last body
    double lightest;   // kg: of the bodies of flesh so far, 0: there is none
} maker;

static inline double pick(maker *m, double low, double high)
{
    return (double)random_float(&m->seed, (float)low, (float)high);
}

static inline double pick_log(maker *m, double low, double high)
{
    return low * pow(high / low, pick(m, 0.0, 1.0));
}

static inline int pick_int(maker *m, int count)
{
    return (int)(random_bits(&m->seed) % (uint64_t)count);
}

static inline void add(maker *m, const char *format, ...)
{
    char piece[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    m->text = wri_arena_printf(m->arena, "%s%s", m->text, piece);
}
