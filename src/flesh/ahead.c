// ahead.c: which contacts close and slide a few rounds ahead, and with what impulses, foreseen
// without W: each round is one cycle of local.c nearer to the velocities for the states that
// contacts have by then.
#include "group.h"

enum {
    ROUNDS = 8, // at most,
    LEAST = 3,  // and at least;
    ANEW = 3,   // of these, in which it is asked anew how the bone answers
};
static const float ENOUGH = 2e-2f; // of all impulses: what may change in the last

typedef struct changes {
    double all, pressing, friction; // N s, as in contact.c
} changes;

static float length_across(f4 v, float along)
{
    float square = f4_dot(v, v) - along * along;
    return square > 0.0f ? sqrtf(square) : 0.0f;
}

// What a contact that is closed has to do, -(u + C lambda), from what is known.
static f4 wish_of(const wri_near *r)
{
    float C = isinf(r->compliance) ? 0.0f : r->compliance;
    f4 along = f4_dot(r->n, r->known_lambda) * r->n;
    return -(r->known_u + r->give * along + C * (r->known_lambda - along));
}

// What is taken from it at once: of one that was let go all, of one without friction what is
// across.
static f4 taken_of(const wri_near *r)
{
    f4 kept = !r->closed             ? (f4){0}
              : isinf(r->compliance) ? f4_dot(r->n, r->known_lambda) * r->n
                                     : r->known_lambda;
    return kept - r->known_lambda;
}

static void pull(wri_group *g)
{
    wri_local *l = &g->local;
    wri_local_clear_springs(l);
    wri_local_clear_pulls(l);
    for (int i = 0; i < g->count; i++) {
        const wri_near *r = &l->rows[i];
        f4 impulse = taken_of(r);
        if (r->closed) {
            wri_spring s = wri_near_spring(r);
            wri_local_add_spring(l, r, s);
            impulse += wri_resist(r, s, wish_of(r));
        }
        wri_local_pull(l, r, impulse);
    }
    wri_local_take_springs(l);
}

static void answer(const wri_local *l, wri_near *r)
{
    f4 moved = wri_near_moved(l, r);
    r->u = r->known_u + moved;
    r->lambda = r->known_lambda + taken_of(r);
    if (r->closed) {
        r->lambda += wri_resist(r, wri_near_spring(r), wish_of(r) - moved);
    }
}

// What pulls is let go, what is beyond the cone is put back on it, what goes in is added, and
// friction follows.
static void update(wri_near *r, float still, changes *to)
{
    float along = f4_dot(r->n, r->lambda), speed = f4_dot(r->n, r->u);
    if (r->closed && along < 0.0f) {
        r->closed = false;
        r->compliance = INFINITY;
        r->lambda = (f4){0};
        to->pressing -= (double)along;
    }
    if (r->closed) {
        float most = r->friction * along, across = length_across(r->lambda, along);
        if (across > most) {
            f4 normal = along * r->n;
            r->lambda = normal + most / across * (r->lambda - normal);
            to->friction += (double)(across - most);
            across = most;
        }
        float slip = length_across(r->u, speed);
        r->compliance = (float)wri_rub((double)most, (double)across, (double)slip, (double)r->own,
                                       (double)r->give);
        to->friction += slip > still ? (double)(most - across) : 0.0;
        to->all += (double)along;
    } else if (speed < -still) {
        r->closed = true;
        to->pressing -= (double)(speed / r->own);
    }
}

void wri_group_predict(wri_group *g, double still)
{
    wri_local *l = &g->local;
    bool is_foreseen = false;
    wri_local_take_states(g);
    for (int k = 0; k < ROUNDS && !is_foreseen; k++) {
        changes now = {0};
        pull(g);
        wri_local_move(l, k < ANEW);
        for (int i = 0; i < g->count; i++) {
            answer(l, &l->rows[i]);
            update(&l->rows[i], (float)still, &now);
        }
        is_foreseen = k + 1 >= LEAST && now.pressing <= (double)ENOUGH * now.all &&
                      now.friction <= (double)ENOUGH * now.all;
    }
    wri_local_give_states(g);
}

void wri_group_shorten(wri_group *g)
{
    wri_local *l = &g->local;
    double slope = 0.0, curvature = 0.0;
    for (int i = 0; i < g->count; i++) {
        wri_near *r = &l->rows[i];
        r->u = wri_to_bind(l, r, g->rows[i].u);
        f4 way = r->lambda - r->known_lambda;
        slope += (double)f4_dot(r->known_u, way);
        curvature += (double)f4_dot(r->u - r->known_u, way);
    }
    float share = slope < 0.0 ? (float)fmin(-slope / curvature, 1.0) : 0.0f;
    for (int i = 0; i < g->count; i++) {
        wri_near *r = &l->rows[i];
        r->lambda = r->known_lambda + share * (r->lambda - r->known_lambda);
        r->u = r->known_u + share * (r->u - r->known_u);
        r->closed = r->closed || f4_dot(r->lambda, r->lambda) > 0.0f;
    }
    wri_local_give_states(g);
}
