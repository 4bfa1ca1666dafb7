// parameters.c: the parameters in the structs that keep them: defaults, ranges, hash.
#include "parameters.h"

#include "world.h"

#include "../math/elementary.h"

enum { SHOWN = WRI_COUNT(wri_sprite_parameters), HIDDEN = WRI_COUNT(wri_sprite_hidden) };

// --- the table --------------------------------------------------------------------------------

const wr_parameter *wri_sprite_find_parameter(const char *name)
{
    const wr_parameter *p = wri_parameter_find(wri_sprite_parameters, SHOWN, name);
    p = p ? p : wri_parameter_find(wri_sprite_hidden, HIDDEN, name);
    return p && p->field.owner == WRI_SPRITE_BODY ? p : NULL;
}

void wri_sprite_set_default(int owner, void *object)
{
    wri_parameters_set_default(wri_sprite_parameters, SHOWN, owner, object);
    wri_parameters_set_default(wri_sprite_hidden, HIDDEN, owner, object);
}

bool wri_sprite_check_ranges(int owner, const void *object, wr_error *error)
{
    return wri_parameters_check(wri_sprite_parameters, SHOWN, owner, object, error) &&
           wri_parameters_check(wri_sprite_hidden, HIDDEN, owner, object, error);
}

void wri_sprite_copy_parameters(const wr_sprite_parameters *from, wr_sprite_parameters *to)
{
    wri_parameters_copy(wri_sprite_parameters, SHOWN, WRI_SPRITE_BODY, from, to);
    wri_parameters_copy(wri_sprite_hidden, HIDDEN, WRI_SPRITE_BODY, from, to);
}

uint64_t wri_sprite_hash_parameters(const wr_sprite_parameters *p, int example_count, uint64_t seed)
{
    double numbers[SHOWN + HIDDEN];
    int count = wri_parameters_read(wri_sprite_parameters, SHOWN, WRI_SPRITE_BODY, p, numbers);
    count += wri_parameters_read(wri_sprite_hidden, HIDDEN, WRI_SPRITE_BODY, p, &numbers[count]);
    uint64_t hash = wri_hash(numbers, (size_t)count * sizeof *numbers, seed);
    return p->drag_of_example
               ? wri_hash(p->drag_of_example, (size_t)example_count * sizeof(float), hash)
               : hash;
}

wr_sprite_parameters wr_sprite_parameters_default(void)
{
    wr_sprite_parameters p = {.drag_of_example = NULL};
    wri_sprite_set_default(WRI_SPRITE_BODY, &p);
    return p;
}

// --- checks that need the drawing -------------------------------------------------------------

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
    if (!wri_sprite_check_ranges(WRI_SPRITE_BODY, p, error)) {
        return false;
    }
    if (!p->smooth && p->aim_strength > 1.0f) { // a share then
        return wri_fail(error, WR_E_ARGUMENT, "aim_strength: %g not in [0, 1]",
                        (double)p->aim_strength);
    }
    return check_examples(asset, p, error);
}
