// descend.c: contacts that an active set alone does not settle.
//
// Where many contacts are of what is all but rigid, or squeeze light bodies between heavy ones,
// sets of closed contacts follow each other without end, since each is solved as if it were the
// last. But without friction the velocities after a step minimise a convex function, their distance
// to those without contact in the norm of M, while no contact is broken, and an augmented
// Lagrangian finds them: a contact with the multiplier Lambda answers
//
//     lambda_n = max(0, (s Lambda - u_n) / (s + g)),   g: how it gives way, s: how much more here
//
// For given multipliers that is a convex function of the velocities without any constraint. A step
// of Newton's on it is a system of closed contacts, soft by s and so quickly solved, and ends where
// the function is least on the way, which is what sets alone do not know. Then the answers become
// the multipliers, and s less. Friction follows the normal impulses, and then these follow it.
#include "group.h"

enum {
    ROUNDS = 25,     // of multipliers at most,
    STEPS = 6,       // of Newton's with the same ones,
    ITERATIONS = 60, // of conjugate gradients in a step,
    HALVINGS = 20,   // of the way on which the least is sought;
};
static const double PRECISION = 1e-2; // of the fastest: what contacts may be off in the end,
static const double AT_FIRST = 0.05;  // and before friction has followed
static const double OFF = 0.05;       // and with friction, or it is given up
static const double SOFTNESS = 1.0;   // of what gives way at a contact: s at first,
static const double HARDENED = 0.3;   // of that: s in the next round,
static const double HARDEST = 0.02;   // and at last
static const double ROUGHLY = 1e-3;   // of the residual's energy: what a system may leave
static const double ANSWERED = 0.3;   // of what contacts are off: what answers may be

typedef struct place {
    double multiplier;      // N s: Lambda
    double softness;        // m/s per N s: s
    double give[2];         // m/s per N s, along and across, in a system; INFINITY: not in it
    double aim;             // m/s: what it is to give way, along
    double lambda[3], u[3]; // N s, m/s: where a step begins
} place;

typedef struct descent {
    wri_group *g;
    place *places;  // per row
    double fastest; // m/s
} descent;

static double along(const wri_row *r, const double v[3])
{
    return wri_dot3(r->n, v);
}

// --- conjugate gradients ------------------------------------------------------------------------

// v, with what is along the normal and across it times factors.
static void scale(const wri_row *r, const double v[3], double normal, double across, double out[3])
{
    double speed = along(r, v);
    for (int k = 0; k < 3; k++) {
        out[k] = across * (v[k] - speed * r->n[k]) + normal * speed * r->n[k];
    }
}

static double finite(double give)
{
    return isinf(give) ? 0.0 : give;
}

// z = r over the diagonal, roughly. Returns r.z.
static double find_residual(const descent *d, double *r, double *z)
{
    double sum = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        const wri_row *row = &d->g->rows[i];
        const place *p = &d->places[i];
        double own = row->own + row->mobility, Cl[3], off[3];
        if (!row->closed) {
            memset(&r[3 * i], 0, 3 * sizeof *r);
            memset(&z[3 * i], 0, 3 * sizeof *z);
            continue;
        }
        scale(row, row->lambda, finite(p->give[0]), finite(p->give[1]), Cl);
        for (int k = 0; k < 3; k++) {
            off[k] = p->aim * row->n[k] - row->u[k] - Cl[k];
        }
        scale(row, off, isfinite(p->give[0]), isfinite(p->give[1]), &r[3 * i]);
        scale(row, &r[3 * i], 1.0 / (own + p->give[0]), 1.0 / (own + p->give[1]), &z[3 * i]);
        sum += wri_dot3(&r[3 * i], &z[3 * i]);
    }
    return sum;
}

// d.(W + C) d
static double energy_of(const descent *d, const double *v, const double *Wv)
{
    double sum = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        const place *p = &d->places[i];
        double Cv[3];
        scale(&d->g->rows[i], &v[3 * i], finite(p->give[0]), finite(p->give[1]), Cv);
        sum += wri_dot3(&v[3 * i], &Wv[3 * i]) + wri_dot3(&v[3 * i], Cv);
    }
    return sum;
}

// Impulses for which u + C lambda is the aim, of what is in the system. Contacts are as soft there
// as the skin below them, so that their diagonal is a better preconditioner than that of group.c.
static void solve(const descent *d)
{
    int size = 3 * d->g->count;
    double *r = d->g->vectors[1], *z = d->g->vectors[2], *v = d->g->vectors[3];
    double energy = find_residual(d, r, z), least = ROUGHLY * energy;
    memcpy(v, z, (size_t)size * sizeof *v);
    for (int k = 0; k < ITERATIONS && energy > least; k++) {
        double *Wv = d->g->vectors[0];
        wri_group_multiply(d->g, v, Wv, false);
        double step = energy / energy_of(d, v, Wv);
        for (int i = 0; i < size; i++) {
            d->g->rows[i / 3].lambda[i % 3] += step * v[i];
            d->g->rows[i / 3].u[i % 3] += step * Wv[i];
        }
        double next = find_residual(d, r, z);
        for (int i = 0; i < size; i++) {
            v[i] = z[i] + next / energy * v[i];
        }
        energy = next;
    }
    wri_group_evaluate(d->g);
}

// --- normal impulses ----------------------------------------------------------------------------

static double answer(const wri_row *r, const place *p, double speed)
{
    return fmax(p->softness * p->multiplier - speed, 0.0) / (p->softness + r->give);
}

// m/s: how far the worst contact is off its law, along the normal.
static double find_worst(const descent *d)
{
    double worst = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        const wri_row *r = &d->g->rows[i];
        double normal = along(r, r->lambda), speed = along(r, r->u) + r->give * normal;
        worst = fmax(worst, fabs(fmin(speed, (r->own + r->mobility) * normal)));
    }
    return worst;
}

// Closes what presses. Returns by how much impulses are off their answers, as velocities, m/s.
static double choose(const descent *d)
{
    double worst = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        place *p = &d->places[i];
        double normal = answer(r, p, along(r, r->u));
        r->closed = normal > 0.0;
        p->give[0] = r->closed ? p->softness + r->give : (double)INFINITY;
        p->give[1] = INFINITY;
        p->aim = p->softness * p->multiplier;
        worst = fmax(worst, fabs(normal - along(r, r->lambda)) * (p->softness + r->give));
        memcpy(p->lambda, r->lambda, sizeof r->lambda);
        memcpy(p->u, r->u, sizeof r->u);
    }
    return worst;
}

// Towards the impulses of the closed contacts.
static void find_aim(const descent *d)
{
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        if (!r->closed) {
            scale(r, r->lambda, 0.0, 1.0, r->lambda);
        }
    }
    wri_group_evaluate(d->g);
    solve(d);
}

// J: how what is minimised changes on the way, so far from its beginning.
static double slope_at(const descent *d, double share)
{
    double sum = 0.0;
    for (int i = 0; i < d->g->count; i++) {
        const wri_row *r = &d->g->rows[i];
        const place *p = &d->places[i];
        double from = along(r, p->u), way = along(r, r->u) - from;
        double begun = along(r, p->lambda), more = along(r, r->lambda) - begun;
        sum += way * (begun + share * more - answer(r, p, from + share * way));
    }
    return sum;
}

// To where it is least on the way.
static void go(const descent *d)
{
    double low = 0.0, high = 1.0;
    bool is_whole = slope_at(d, 1.0) <= 0.0;
    for (int i = 0; i < HALVINGS && !is_whole; i++) {
        double middle = 0.5 * (low + high);
        *(slope_at(d, middle) > 0.0 ? &high : &low) = middle;
    }
    for (int i = 0; i < d->g->count && !is_whole; i++) {
        wri_row *r = &d->g->rows[i];
        const place *p = &d->places[i];
        for (int k = 0; k < 3; k++) {
            r->lambda[k] = p->lambda[k] + low * (r->lambda[k] - p->lambda[k]);
            r->u[k] = p->u[k] + low * (r->u[k] - p->u[k]);
        }
    }
}

static void set_multipliers(const descent *d)
{
    for (int i = 0; i < d->g->count; i++) {
        const wri_row *r = &d->g->rows[i];
        place *p = &d->places[i];
        p->multiplier = answer(r, p, along(r, r->u));
        p->softness = fmax(HARDENED * p->softness, HARDEST * (r->own + r->mobility));
    }
}

// From no impulses at all: what sets have come to misleads.
static void begin(descent *d)
{
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        d->fastest = fmax(d->fastest, -along(r, r->c));
        d->places[i] = (place){.softness = SOFTNESS * (r->own + r->mobility)};
        wri_row_open(r);
        memcpy(r->u, r->c, sizeof r->u);
    }
}

static void press(const descent *d, double precision)
{
    double enough = precision * d->fastest, worst = find_worst(d);
    for (int i = 0; i < ROUNDS && worst > enough; i++) {
        double off = choose(d);
        for (int k = 0; k < STEPS && (k == 0 || off > ANSWERED * fmax(worst, enough)); k++) {
            find_aim(d);
            go(d);
            off = choose(d);
        }
        set_multipliers(d);
        worst = find_worst(d);
    }
}

// --- friction -----------------------------------------------------------------------------------

// Friction of what presses, whose normal impulses stay as they are.
static void rub(const descent *d)
{
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        place *p = &d->places[i];
        r->closed = along(r, r->lambda) > 0.0;
        if (r->closed) {
            wri_row_rub(r, 0.0);
        } else {
            wri_row_open(r);
        }
        p->give[0] = INFINITY;
        p->give[1] = r->compliance;
        p->aim = 0.0;
    }
    wri_group_evaluate(d->g);
    solve(d);
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        wri_row_clip(r, along(r, r->lambda));
    }
    wri_group_evaluate(d->g);
}

// Puts friction back on the cones of the normal impulses there are.
static void clip(const descent *d)
{
    for (int i = 0; i < d->g->count; i++) {
        wri_row *r = &d->g->rows[i];
        double normal = along(r, r->lambda);
        if (normal > 0.0) {
            wri_row_clip(r, normal);
        } else {
            wri_row_open(r);
        }
    }
}

// Where normal impulses have become so much less that contacts are off on the cones, there is none.
static void give_up(descent *d)
{
    double work = wri_group_evaluate(d->g);
    if (work > 0.0 || find_worst(d) > OFF * d->fastest) {
        begin(d);
        press(d, PRECISION);
        clip(d);
    }
}

// --- all of it ----------------------------------------------------------------------------------

bool wri_group_descend(wri_group *g, wr_scratch *scratch)
{
    size_t used = scratch->used;
    descent d = {g, wr_scratch_push(scratch, (size_t)g->count, sizeof *d.places), 0.0};
    bool ok = d.places;
    if (ok) {
        begin(&d);
        press(&d, AT_FIRST);
        rub(&d);
        press(&d, PRECISION);
        clip(&d);
        give_up(&d);
    }
    scratch->used = used;
    return ok;
}
