// runaway.c: particles that got away are brought back.
//
// The thesis calls them jerk particles: caught on a sharp edge, or shot off by a neighbourhood that
// was turned inside out. One that moves half its support away from its neighbours in one substep
// gets their mean velocity; one that is nowhere at all their mean place, too. Momentum is not kept,
// and each is counted.
#include "clay.h"

static const float FASTEST = 0.5f; // of h in a substep, against its neighbours

static bool is_finite(const wri_clay *c, int i)
{
    return wr_is_finite3(f4_vec3(c->x[i])) && wr_is_finite3(f4_vec3(c->v[i]));
}

// Where its neighbours are and how they move in the mean, as far as they are sound.
static void mean_of_neighbours(const wri_clay *c, int i, f4 *x, f4 *v)
{
    int count = 0;
    *x = *v = (f4){0};
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        if (j != i && is_finite(c, j)) {
            *x += c->x[j];
            *v += c->v[j];
            count++;
        }
    }
    *x /= (float)(count > 0 ? count : 1);
    *v /= (float)(count > 0 ? count : 1);
}

static void bring_back(wri_clay *c, int i, f4 x, f4 v)
{
    c->x[i] = is_finite(c, i) ? c->x[i] : (f4){x[0], x[1], x[2], 0.0f};
    c->v[i] = (f4){v[0], v[1], v[2], 0.0f};
    c->x_low[i] = (f4){0};
    c->state.retired += 1.0;
}

void wri_clay_find_runaways(wri_clay *c, float dt)
{
    for (int i = 0; i < c->count; i++) {
        float limit = FASTEST * c->h[i] / dt;
        bool is_slow = f4_dot(c->v[i], c->v[i]) <= limit * limit; // false for NaN, too
        if ((is_slow && wr_is_finite3(f4_vec3(c->x[i]))) || c->flags[i] & WRI_CLAY_HELD) {
            continue;
        }
        f4 x, v;
        mean_of_neighbours(c, i, &x, &v);
        f4 off = c->v[i] - v;
        if (!is_finite(c, i) || f4_dot(off, off) > limit * limit) {
            bring_back(c, i, x, v);
        }
    }
}
