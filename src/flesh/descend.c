// descend.c: contacts that an active set alone does not settle.
//
// For given compliances of friction the impulses minimise
//
//     f = lambda.(c + 1/2 W lambda) + 1/2 (g lambda_n^2 + C lambda_t^2),   lambda_n >= 0
//
// Where many contacts are of what is all but rigid, or contradict each other, sets of closed
// contacts follow each other without end, since each is solved as if it were the last. Here each is
// the aim of a step only (projected Newton): what would pull there is let go, friction is put on
// its cone, and the step ends where f is least on the way. Aims are damped along and across the
// normal: the more they are, the more the way to them is that down the gradient, and f falls
// although they are projected. In the first half of the rounds friction follows, which changes f;
// then it stays, so that every round is better than that before, and the last is the best there is
// when time is up.
#include "group.h"

enum {
    ROUNDS = 60,      // at most
    ITERATIONS = 120, // of conjugate gradients in a round
};
static const double NEARLY = 2e-3;  // of the fastest: what contacts may be off in the end
static const double DAMPING = 1.0;  // at first
static const double ROUGHLY = 1e-3; // of the preconditioned norm: what is left of it in a round

typedef struct place {
    double lambda[3], u[3]; // N s, m/s
    double give, C;         // m/s per N s: along the normal, across it
} place;

typedef struct descent {
    wri_group *g;
    place *from;    // per row: where a step begins
    double fastest; // m/s
    bool rubs;      // friction follows what presses
    double damping; // of its own compliance: what a contact gives way more in a step
} descent;

static double along(const wri_row *r, const double v[3])
{
    return wri_dot3(r->n, v);
}

// J: f, of the impulses there are; u becomes theirs.
static double evaluate(wri_group *g)
{
    double f = wri_group_evaluate(g);
    for (int i = 0; i < g->count; i++) {
        const wri_row *r = &g->rows[i];
        double normal = along(r, r->lambda);
        double across = wri_dot3(r->lambda, r->lambda) - normal * normal;
        f += 0.5 * r->give * normal * normal;
        f += isinf(r->compliance) ? 0.0 : 0.5 * r->compliance * fmax(across, 0.0);
    }
    return f;
}

// Closes what presses or goes in, and lets friction follow as long as it may. True: nothing is off.
static bool choose(const descent *d)
{
    double worst = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        double normal = along(r, r->lambda), speed = along(r, r->u) + r->give * normal;
        r->closed = normal > 0.0 || speed < 0.0;
        if (normal > 0.0 && d->rubs) {
            wri_row_rub(r, 0.0);
        }
        worst = fmax(worst, normal > 0.0 ? fabs(speed) : -speed);
    }
    return worst <= NEARLY * d->fastest;
}

// Towards the impulses of the closed contacts, as if all gave way more than they do, in all
// directions, but had given way already by what they are pressed now (Levenberg and Marquardt).
static void find_aim(const descent *d)
{
    wri_group *g = d->g;
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        double more = d->damping * (r->own + r->mobility);
        memcpy(d->from[i].lambda, r->lambda, sizeof r->lambda);
        memcpy(d->from[i].u, r->u, sizeof r->u);
        d->from[i].give = r->give;
        d->from[i].C = r->compliance;
        r->give += more;
        r->compliance += more;
        for (int k = 0; k < 3; k++) {
            r->u[k] -= more * r->lambda[k];
        }
    }
    wri_group_solve(g, ITERATIONS, 0.0, ROUGHLY);
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        double normal = along(r, r->lambda);
        r->give = d->from[i].give;
        r->compliance = d->from[i].C;
        if (normal > 0.0) {
            wri_row_clip(r, normal);
        } else { // it would pull
            memset(r->lambda, 0, sizeof r->lambda);
        }
    }
}

// J: how f changes at first on the way from where a step began to the impulses there are.
static double slope_of(const descent *d)
{
    double sum = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        const wri_row *r = &d->g->rows[i];
        const place *from = &d->from[i];
        double normal = along(r, from->lambda), C = isinf(r->compliance) ? 0.0 : r->compliance;
        for (int k = 0; k < 3; k++) {
            double across = from->lambda[k] - normal * r->n[k];
            double gradient = from->u[k] + r->give * normal * r->n[k] + C * across;
            sum += gradient * (r->lambda[k] - from->lambda[k]);
        }
    }
    return sum;
}

// A round: f is a parabola on the way to the aim, and the step goes to the lowest point of it.
// Returns what f becomes.
static double step(descent *d, double f)
{
    wri_group *g = d->g;
    find_aim(d);
    double slope = slope_of(d), curvature = evaluate(g) - f - slope;
    double share = slope < 0.0 ? 1.0 : 0.0;
    share = curvature > 0.0 ? fmin(share, -0.5 * slope / curvature) : share;
    share = fmax(share, 0.0);
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        for (int k = 0; k < 3; k++) {
            r->lambda[k] = d->from[i].lambda[k] + share * (r->lambda[k] - d->from[i].lambda[k]);
            r->u[k] = d->from[i].u[k] + share * (r->u[k] - d->from[i].u[k]);
        }
    }
    d->damping *= share > 0.5 ? 0.25 : share > 0.1 ? 1.0 : 4.0;
    return f + share * (slope + share * curvature);
}

bool wri_group_descend(wri_group *g, wr_scratch *scratch)
{
    size_t used = scratch->used;
    descent d = {.g = g,
                 .from = wr_scratch_push(scratch, (size_t)g->count, sizeof *d.from),
                 .rubs = true,
                 .damping = DAMPING};
    bool ok = d.from;
    bool is_worse = ok && evaluate(g) > 0.0; // than no impulses at all
    for (int i = 0; ok && i < g->count; i++) {
        d.fastest = fmax(d.fastest, -along(&g->rows[i], g->rows[i].c));
        if (is_worse) {
            wri_row_open(&g->rows[i]);
        }
    }
    if (is_worse) {
        evaluate(g);
    }
    for (int i = 0; ok && i < ROUNDS && !choose(&d); i++) {
        step(&d, evaluate(g));
        d.rubs = i < ROUNDS / 2;
    }
    for (int i = 0; ok && i < g->count; i++) {
        wri_row *r = &g->rows[i];
        if (!(along(r, r->lambda) > 0.0)) {
            wri_row_open(r);
        }
    }
    scratch->used = used;
    return ok;
}
