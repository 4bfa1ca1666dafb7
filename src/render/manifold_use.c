// manifold_use.c: which poses of a manifold were reached, and which ways were used.
#include "manifold.h"

#include "layout.h"

static const float REACHED = 0.5f, BETWEEN = 0.05f; // shares

bool wri_manifold_check(const wri_manifold_plot *p, wr_error *error)
{
    if (p->example_count < 1 || p->example_count > WRI_LAYOUT_NODES) {
        return wri_fail(error, WR_E_ARGUMENT, "examples: %d, expected 1 to %d", p->example_count,
                        WRI_LAYOUT_NODES);
    }
    for (int i = 0; i < p->simplex_count; i++) {
        const wri_manifold_simplex *s = &p->simplices[i];
        bool ok = s->corner_count >= 1 && s->corner_count <= 3;
        for (int k = 0; ok && k < s->corner_count; k++) {
            ok = s->corners[k] >= 0 && s->corners[k] < p->example_count;
        }
        if (!ok) {
            return wri_fail(error, WR_E_ARGUMENT, "simplex %d: a corner that is no example", i);
        }
    }
    for (int i = 0; i < p->stay_count; i++) {
        const wri_manifold_stay *s = &p->stays[i];
        bool ok = s->simplex >= 0 && s->simplex < p->simplex_count && s->seconds >= 0.0f &&
                  s->seconds < 1e9f;
        for (int k = 0; ok && k < p->simplices[s->simplex].corner_count; k++) {
            ok = s->shares[k] >= 0.0f && s->shares[k] <= 1.001f;
        }
        if (!ok) {
            return wri_fail(error, WR_E_ARGUMENT, "stay %d: no place of the manifold", i);
        }
    }
    return true;
}

void wri_manifold_measure(const wri_manifold_plot *p, wri_manifold_use *uses, bool *is_used)
{
    memset(uses, 0, (size_t)p->example_count * sizeof *uses);
    for (int i = 0; i < p->simplex_count; i++) {
        is_used[i] = p->simplices[i].corner_count == 1;
        for (int k = 0; k < p->simplices[i].corner_count; k++) {
            uses[p->simplices[i].corners[k]].is_there = true;
        }
    }
    for (int i = 0; i < p->stay_count; i++) {
        const wri_manifold_stay *stay = &p->stays[i];
        const wri_manifold_simplex *s = &p->simplices[stay->simplex];
        int most = 0;
        for (int k = 0; k < s->corner_count; k++) {
            wri_manifold_use *use = &uses[s->corners[k]];
            use->nearest = fmaxf(use->nearest, stay->shares[k]);
            use->is_reached = use->nearest >= REACHED;
            most = stay->shares[k] > stay->shares[most] ? k : most;
        }
        uses[s->corners[most]].seconds += (double)stay->seconds;
        bool goes_on = i + 1 < p->stay_count && stay[1].simplex == stay->simplex;
        bool crosses = goes_on && stay[1].shares[most] < BETWEEN; // within one stay
        is_used[stay->simplex] =
            is_used[stay->simplex] || stay->shares[most] < 1.0f - BETWEEN || crosses;
    }
}
