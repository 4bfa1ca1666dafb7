// ahead.c: many contacts of a body of one bone, by an active set that is foreseen.
//
// A product with W is dear there. So which contacts close and slide, and with what impulses, is
// foreseen a few times without it, each time one cycle of local.c nearer to the velocities for the
// states that contacts have by then. One product tells what is true, and conjugate directions mend
// the rest: local.c, with the bone in it, is no symmetric preconditioner, and so each new way is
// made conjugate to all that were gone in this round.
#include "group.h"

enum {
    ROUNDS = 5, // that begin with what is foreseen
    ITERATIONS = 15,
    CYCLES = 8,       // of what is foreseen in a round at most,
    CYCLES_LEAST = 6, // and at least;
    ANEW = 3,         // of these, in which it is asked anew how the bone answers
};
static const double FORESEEN = 2e-2;  // of all impulses: what may change in the last cycle;
static const double LITTLE = 3e-3;    // what is let go and changes no velocity that counts
static const double SLOW = 0.03;      // of the residual's energy: what a round should leave
static const double SLOW_FIRST = 0.3; // of what it begins with: the first that is solved
static const double FAR_OFF = 200.0;  // times enough: what is not worth solving at first
static const double WORSE = 0.5;      // of the energy that was lost: what must not come back

// Of all rows, N s: normal impulses, what of them changed, and what friction is off.
typedef struct changes {
    double all, pressing, friction;
} changes;

// --- the law
// --------------------------------------------------------------------------------------

static float length_across(f4 v, float along)
{
    float square = f4_dot(v, v) - along * along;
    return square > 0.0f ? sqrtf(square) : 0.0f;
}

// C v, of a closed contact.
static inline f4 give_way(const wri_near *r, f4 v)
{
    float C = isinf(r->compliance) ? 0.0f : r->compliance;
    f4 along = f4_dot(r->n, v) * r->n;
    return r->give * along + C * (v - along);
}

// What pulls is let go, and what is beyond the cone is put back on it.
static inline void let_go(wri_near *r, changes *to)
{
    float along = f4_dot(r->n, r->lambda);
    if (!r->closed) {
        return;
    }
    if (along < 0.0f) {
        r->closed = false;
        r->compliance = INFINITY;
        r->lambda = (f4){0};
        to->pressing -= (double)along;
        return;
    }
    float most = r->friction * along, across = length_across(r->lambda, along);
    if (across > most) {
        f4 normal = along * r->n;
        r->lambda = normal + most / across * (r->lambda - normal);
        to->friction += (double)(across - most);
    }
    to->all += (double)along;
}

// Adds what goes in, and lets friction follow.
static inline void update(wri_near *r, float still, changes *to)
{
    float speed = f4_dot(r->n, r->u);
    if (r->closed) {
        float along = f4_dot(r->n, r->lambda), most = r->friction * along;
        float across = length_across(r->lambda, along), slip = length_across(r->u, speed);
        r->compliance = (float)wri_rub((double)most, (double)across, (double)slip, (double)r->own,
                                       (double)r->give);
        to->friction += most > 0.0f && slip > still ? (double)(most - across) : 0.0;
    } else if (speed < -still) {
        r->closed = true;
        to->pressing -= (double)(speed / r->own);
    }
}

// --- what is foreseen
// -----------------------------------------------------------------------------

static void know(wri_group *g)
{
    wri_local *l = &g->local;
    for (int i = 0; i < g->count; i++) {
        l->rows[i].known_lambda = l->rows[i].lambda;
        l->rows[i].known_u = l->rows[i].u;
    }
}

// What a contact that is closed has to do, -(u + C lambda), from what is known.
static inline f4 wish_of(const wri_near *r)
{
    return -(r->known_u + give_way(r, r->known_lambda));
}

// What is taken from it at once: of one that was let go all, of one without friction what is
// across.
static inline f4 taken_of(const wri_near *r)
{
    f4 kept = !r->closed             ? (f4){0}
              : isinf(r->compliance) ? f4_dot(r->n, r->known_lambda) * r->n
                                     : r->known_lambda;
    return kept - r->known_lambda;
}

static void pull_all(wri_group *g)
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

static inline void answer(const wri_local *l, wri_near *r)
{
    f4 moved = wri_near_moved(l, r);
    r->u = r->known_u + moved;
    r->lambda = r->known_lambda + taken_of(r);
    if (r->closed) {
        r->lambda += wri_resist(r, wri_near_spring(r), wish_of(r) - moved);
    }
}

static void foresee(wri_group *g, float still)
{
    wri_local *l = &g->local;
    bool is_foreseen = false;
    wri_local_forget(l);
    for (int k = 0; k < CYCLES && !is_foreseen; k++) {
        changes now = {0};
        pull_all(g);
        wri_local_move(l, k < ANEW);
        for (int i = 0; i < g->count; i++) {
            answer(l, &l->rows[i]);
            let_go(&l->rows[i], &now);
            update(&l->rows[i], still, &now);
        }
        is_foreseen = k + 1 >= CYCLES_LEAST && now.pressing <= FORESEEN * now.all &&
                      now.friction <= FORESEEN * now.all;
    }
}

// To the best on the way between what is known and what was foreseen, where that is far worse.
static void shorten(wri_group *g)
{
    double slope = 0.0, curvature = 0.0;
    for (int i = 0; i < g->count; i++) {
        const wri_near *r = &g->local.rows[i];
        f4 way = r->lambda - r->known_lambda;
        slope += (double)f4_dot(r->known_u, way);
        curvature += (double)f4_dot(r->u - r->known_u, way);
    }
    float share = slope < 0.0 ? (float)fmin(-slope / curvature, 1.0) : 0.0f;
    for (int i = 0; i < g->count; i++) {
        wri_near *r = &g->local.rows[i];
        r->lambda = r->known_lambda + share * (r->lambda - r->known_lambda);
        r->u = r->known_u + share * (r->u - r->known_u);
        r->closed = r->closed || f4_dot(r->lambda, r->lambda) > 0.0f;
    }
}

// --- what is true
// ---------------------------------------------------------------------------------

static double work_of(const wri_group *g)
{
    double work = 0.0;
    for (int i = 0; i < g->count; i++) {
        const wri_near *r = &g->local.rows[i];
        work += 0.5 * (double)f4_dot(r->lambda, r->c + r->u);
    }
    return work;
}

// u of all rows. Returns the work.
static double evaluate(wri_group *g)
{
    wri_local *l = &g->local;
    for (int i = 0; i < g->count; i++) {
        l->residual[i] = l->rows[i].lambda;
    }
    wri_local_multiply(g, l->residual, l->answer);
    for (int i = 0; i < g->count; i++) {
        l->rows[i].u = l->rows[i].c + l->answer[i];
    }
    return work_of(g);
}

// -(u + C lambda) where it is free. Returns its energy as if each node stood alone.
static double find_residual(wri_group *g)
{
    wri_local *l = &g->local;
    double energy = 0.0;
    for (int i = 0; i < g->count; i++) {
        const wri_near *r = &l->rows[i];
        f4 rest = -(r->u + give_way(r, r->lambda));
        l->residual[i] = !r->closed             ? (f4){0}
                         : isinf(r->compliance) ? f4_dot(r->n, rest) * r->n
                                                : rest;
        energy += (double)(f4_dot(l->residual[i], l->residual[i]) / r->own);
    }
    return energy;
}

// And how it might be answered. Returns its energy.
static double find_answer(wri_group *g)
{
    wri_local *l = &g->local;
    double energy = 0.0;
    find_residual(g);
    wri_local_answer(l, l->residual, g->count, l->answer);
    for (int i = 0; i < g->count; i++) {
        energy += (double)f4_dot(l->residual[i], l->answer[i]);
    }
    return fabs(energy);
}

// a.(W + C) b
static double product_of(const wri_local *l, int count, const f4 *a, const f4 *b, const f4 *Wb)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)f4_dot(a[i], Wb[i] + give_way(&l->rows[i], b[i]));
    }
    return sum;
}

// A new way, conjugate to those before, to its lowest point.
static void go(wri_group *g, int way_count, double energies[WRI_WAYS], int way)
{
    wri_local *l = &g->local;
    f4 *d = l->ways[way], *Wd = l->W_ways[way];
    double slope = 0.0;
    memcpy(d, l->answer, (size_t)g->count * sizeof *d);
    for (int k = 0; k < way_count; k++) {
        if (k != way) {
            float share =
                (float)(product_of(l, g->count, l->answer, l->ways[k], l->W_ways[k]) / energies[k]);
            for (int i = 0; i < g->count; i++) {
                d[i] -= share * l->ways[k][i];
            }
        }
    }
    wri_local_multiply(g, d, Wd);
    energies[way] = product_of(l, g->count, d, d, Wd);
    for (int i = 0; i < g->count; i++) {
        slope += (double)f4_dot(l->residual[i], d[i]);
    }
    float step = (float)(slope / energies[way]);
    for (int i = 0; i < g->count; i++) {
        l->rows[i].lambda += step * d[i];
        l->rows[i].u += step * Wd[i];
    }
}

// Towards impulses of closed contacts for which u + C lambda is zero. Returns the energy of the
// residual, which is `enough`, or the share of that at first, unless the iterations were too few.
static double solve(wri_group *g, double enough, double share)
{
    double energies[WRI_WAYS];
    wri_local_set_springs(&g->local, g->count);
    double energy = find_answer(g), least = fmax(enough, share * energy);
    for (int k = 0; k < ITERATIONS && energy > least; k++) {
        go(g, k < WRI_WAYS ? k : WRI_WAYS, energies, k % WRI_WAYS);
        energy = find_answer(g);
    }
    return energy;
}

// --- rounds
// ---------------------------------------------------------------------------------------

// What is known is from before anything is let go, so that only a round that may be the last has to
// find out what comes of that.
bool wri_group_look_ahead(wri_group *g, double enough, double still, double *work)
{
    wri_near *rows = g->local.rows;
    double energy = INFINITY;
    bool is_settled = false;
    wri_local_take_rows(g);
    know(g);
    for (int round = 0; round < ROUNDS && !is_settled; round++) {
        changes now = {0};
        foresee(g, (float)still);
        if (evaluate(g) > WORSE * *work) {
            shorten(g);
        }
        if (round > 0 || find_residual(g) <= FAR_OFF * enough) {
            bool is_first = isinf(energy);
            energy = solve(g, is_first ? enough : fmax(enough, SLOW * energy),
                           is_first ? SLOW_FIRST : 0.0);
        }
        *work = work_of(g);
        know(g);
        for (int i = 0; i < g->count; i++) {
            let_go(&rows[i], &now);
        }
        is_settled = energy <= enough && now.pressing <= WRI_SETTLED * now.all;
        if (is_settled && now.pressing + now.friction > LITTLE * now.all) {
            *work = evaluate(g);
            know(g);
        }
        for (int i = 0; i < g->count; i++) {
            update(&rows[i], (float)still, &now);
        }
        is_settled = is_settled && now.pressing <= WRI_SETTLED * now.all;
    }
    if (is_settled) {
        wri_local_give_rows(g);
    }
    return is_settled;
}
