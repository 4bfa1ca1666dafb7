// meet.c: contact of clay with clay, other bodies' and its own.
//
// Particles that are near in the world but not in embedded space push each other apart: overlapping
// by d, with k = 0.4 E s, where s is the sum of their radii and E that of the softer one,
//
//     f = (k d - c n.v) n - mu |f_n| t,   c = 2 zeta sqrt(k m), or rho s^2 |n.v| where that is more
//
// (the pressure rho v^2 that stops what flies faster than waves in it) as springs that give way
// about as the clay itself does, so that the substep which suits that suits them. What is sticky
// pulls, too, until it is a little way off. Both particles compute the same force: each gathers its
// own, and momenta are kept.
//
// Friction acts at one point p between them, not at their centres: particles do not spin, so that
// the couple r x t with r = p - x_i goes to the neighbours of i, as the forces
// t (w_ik u_ik . A_i^-1 F_i^-1 r), whose moment it is, since F_i is fitted to the same sums. These
// have the form of the elastic ones and are added to T_i.
//
// The thesis leaves self-contact out. Pairs are listed once per step, among the particles at the
// surface, with a margin for what they may go meanwhile.
#include "grid.h"

static const float APART = 1.5f;     // of h: who is farther off in embedded space is no neighbour
static const float STIFFNESS = 0.4f; // of E s: several at once must be stable in the substep
static const float DAMPING = 0.3f;   // zeta
static const float FLATTEST = 4.0f;  // |F^-1|, 1.7 at rest, from which on it passes no couples on
static const float FARTHEST = 8.0f;  // radii that two may come nearer before they are listed again
static const float RAM = 0.25f;      // of m / dt: several at once must be stable
static const float HOLD = 0.4f;      // of the sum of radii: how far off what is sticky lets go

typedef struct member {
    wri_clay *c;
    int particle;
} member;

// A^-1 F^-1 of a member, which friction needs; none: its neighbours do not span space.
typedef struct lever {
    float m[9];
    bool is_there;
} lever;

// How a body moves in the mean, and its particles against that.
typedef struct movement {
    f4 mean;      // m/s
    float within; // m/s
} movement;

struct wri_clay_meetings {
    wri_clay **bodies;
    int body_count;
    int count; // of members
    member *members;
    f4 *places;          // about the first body's origin; the contact radius
    int *begin, *others; // members that each may meet
    int pair_count;
    wri_grid grid;
    movement *movements;      // per body
    float closing;            // m/s: how fast two may come nearer
    float between;            // m/s: bodies, against each other
    float way;                // m: how much nearer they may come until they must be listed again
    float reach;              // m: beyond the radii
    float thickest, thinnest; // m: radii
    float dt;                 // s, of the substep
    lever *levers;
};

static f4 place_of(const wri_clay *c, const double origin[3], int i)
{
    f4 x = c->x[i];
    for (int k = 0; k < 3; k++) {
        x[k] += (float)(c->state.origin[k] - origin[k]);
    }
    x[3] = c->radius[i];
    return x;
}

static bool may_meet(const wri_clay_meetings *m, int a, int b)
{
    const wri_clay *c = m->members[a].c, *d = m->members[b].c;
    if (c != d) {
        return (c->group & d->collides) && (d->group & c->collides);
    }
    int i = m->members[a].particle, j = m->members[b].particle;
    if (!(c->flags[i] & c->flags[j] & WRI_CLAY_SURFACE)) {
        return false;
    }
    f4 e = c->e[i] - c->e[j];
    float apart = APART * fmaxf(c->h[i], c->h[j]);
    return c->component[i] != c->component[j] || f4_dot(e, e) > apart * apart;
}

// Counts the members that `one` may meet, and writes them where there is a list.
static int list_others(const wri_clay_meetings *m, int one, int *list)
{
    f4 x = m->places[one];
    int count = 0;
    wri_grid_walk walk = wri_grid_near(&m->grid, x, m->grid.cell);
    for (const wri_grid_point *p; (p = wri_grid_next(&walk));) {
        f4 arm = m->places[p->particle] - x;
        float near = m->places[p->particle][3] + x[3] + m->reach;
        if (p->particle != one && f4_dot(arm, arm) < near * near && may_meet(m, one, p->particle)) {
            if (list) {
                list[count] = p->particle;
            }
            count++;
        }
    }
    return count;
}

static void count_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay_meetings *m = context;
    for (int i = begin; i < end; i++) {
        m->begin[i + 1] = list_others(m, i, NULL);
    }
}

static void list_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay_meetings *m = context;
    for (int i = begin; i < end; i++) {
        list_others(m, i, &m->others[m->begin[i]]);
    }
}

// --- who takes part ---------------------------------------------------------------------------

// How fast any two of them may come nearer: m/s.
static float find_closing(wri_clay_meetings *m)
{
    float closing = 0.0f;
    for (int a = 0; a < m->body_count; a++) {
        closing = fmaxf(closing, 2.0f * m->movements[a].within);
        for (int b = 0; b < a; b++) {
            f4 v = m->movements[a].mean - m->movements[b].mean;
            float speed = sqrtf(f4_dot(v, v));
            closing = fmaxf(closing, speed + m->movements[a].within + m->movements[b].within);
            m->between = fmaxf(m->between, speed);
        }
    }
    return closing;
}

static movement find_movement(const wri_clay *c)
{
    double mass;
    movement out = {wri_clay_mean_velocity(c, &mass), 0.0f};
    for (int i = 0; i < c->count; i++) {
        f4 v = c->v[i] - out.mean;
        out.within = fmaxf(out.within, f4_dot(v, v));
    }
    out.within = sqrtf(out.within);
    return out;
}

// How near they must be to be listed.
static void find_reach(wri_clay_meetings *m, float dt)
{
    float hold = 0.0f;
    m->thinnest = INFINITY;
    for (int b = 0; b < m->body_count; b++) {
        const wri_clay *c = m->bodies[b];
        m->movements[b] = find_movement(c);
        for (int i = 0; i < c->count; i++) {
            m->thickest = fmaxf(m->thickest, c->radius[i]);
            m->thinnest = fminf(m->thinnest, c->radius[i]);
        }
        hold = c->parameters.sticks > 0.0f ? HOLD : hold;
    }
    m->closing = find_closing(m);
    m->way = fminf(dt * m->closing, FARTHEST * m->thickest);
    m->reach = 2.0f * hold * m->thickest + m->way;
}

// Particles at the surface hold those within back, but not fast ones, which slip between them.
static bool takes_part(const wri_clay_meetings *m, const wri_clay *c, int i, float dt)
{
    return c->flags[i] & WRI_CLAY_SURFACE || dt * m->between > m->thinnest;
}

static bool list_members(wri_clay_meetings *m, float dt, wr_scratch *scratch)
{
    size_t room = 0;
    for (int b = 0; b < m->body_count; b++) {
        room += (size_t)m->bodies[b]->count;
    }
    m->members = wr_scratch_push(scratch, room, sizeof *m->members);
    m->places = wr_scratch_push(scratch, room, sizeof *m->places);
    m->begin = wr_scratch_push(scratch, room + 1, sizeof *m->begin);
    if (!m->members || !m->places || !m->begin) {
        return false;
    }
    for (int b = 0; b < m->body_count; b++) {
        wri_clay *c = m->bodies[b];
        for (int i = 0; i < c->count; i++) {
            if (takes_part(m, c, i, dt)) {
                m->members[m->count] = (member){c, i};
                m->places[m->count++] = place_of(c, m->bodies[0]->state.origin, i);
            }
        }
    }
    return true;
}

// Notes who is at another body; what sleeps and is met by something that moves wakes.
static void note_met(wri_clay_meetings *m)
{
    for (int a = 0; a < m->count; a++) {
        wri_clay *c = m->members[a].c;
        f4 v = c->v[m->members[a].particle];
        for (int k = m->begin[a]; wri_clay_is_active(c) && k < m->begin[a + 1]; k++) {
            wri_clay *d = m->members[m->others[k]].c;
            c->met = c->met || c != d;
            float calm = wri_clay_calm_speed(d);
            if (d->state.asleep && f4_dot(v, v) > calm * calm) {
                d->state.asleep = false;
                d->state.calm = 0.0f;
            }
        }
    }
}

wri_clay_meetings *wri_clay_find_meetings(wr_clay_world *world, float dt, const wr_tasks *tasks)
{
    wr_scratch *scratch = &world->scratch;
    wri_clay_meetings *m = wr_scratch_push(scratch, 1, sizeof *m);
    wri_clay **bodies =
        m ? wr_scratch_push(scratch, (size_t)world->bodies.count, sizeof *bodies) : NULL;
    movement *movements =
        m ? wr_scratch_push(scratch, (size_t)world->bodies.count, sizeof *movements) : NULL;
    if (!bodies || !movements) {
        return NULL;
    }
    m->bodies = bodies;
    m->movements = movements;
    for (int i = 0; i < world->bodies.count; i++) {
        wri_clay *c = wri_clay_of(world, i);
        if (c && !c->frozen) {
            bodies[m->body_count++] = c;
        }
    }
    find_reach(m, dt);
    if (m->body_count == 0 || !list_members(m, dt, scratch) ||
        !wri_grid_build(&m->grid, m->places, m->count, 2.0f * m->thickest + m->reach, scratch)) {
        return NULL;
    }
    wri_parallel_for(tasks, m->count, GRAIN, count_range, m);
    for (int i = 0; i < m->count; i++) {
        m->begin[i + 1] += m->begin[i];
    }
    m->pair_count = m->begin[m->count];
    m->others = wr_scratch_push(scratch, (size_t)m->pair_count, sizeof *m->others);
    m->levers = wr_scratch_push(scratch, (size_t)m->count, sizeof *m->levers);
    if (!m->others || !m->levers) {
        return NULL;
    }
    wri_parallel_for(tasks, m->count, GRAIN, list_range, m);
    note_met(m);
    return m;
}

// --- forces -----------------------------------------------------------------------------------

static float young(const wri_clay *c, int i)
{
    return c->soften[i] * c->moduli.mu * 2.0f * (1.0f + c->parameters.poisson);
}

// What member a feels of b.
typedef struct meeting {
    f4 push, drag; // N: along the line between them, and across it
    f4 arm;        // m: from a to the point in which they touch
} meeting;

static meeting meet(const wri_clay_meetings *m, int a, int b, const double origin[3])
{
    const wri_clay *c = m->members[a].c, *d = m->members[b].c;
    int i = m->members[a].particle, j = m->members[b].particle;
    f4 arm = place_of(c, origin, i) - place_of(d, origin, j);
    float s = c->radius[i] + d->radius[j], squared = f4_dot(arm, arm);
    float sticks = fminf(c->moduli.sticks, d->moduli.sticks);
    float limit = sticks > 0.0f ? (1.0f + HOLD) * s : s;
    meeting out = {{0}, {0}, {0}};
    if (!(squared < limit * limit) || squared == 0.0f) {
        return out;
    }
    float length = sqrtf(squared), overlap = s - length;
    arm[3] = 0.0f;
    f4 n = arm / length, v = c->v[i] - d->v[j];
    float k = STIFFNESS * fminf(young(c, i), young(d, j)) * s, mass = fminf(c->m[i], d->m[j]);
    float speed = f4_dot(v, n), damping = 2.0f * DAMPING * sqrtf(k * mass);
    float ram = fminf(c->moduli.rho, d->moduli.rho) * s * s * fmaxf(-speed, 0.0f);
    damping = fmaxf(damping, fminf(ram, RAM * mass / m->dt));
    float push = overlap > 0.0f ? fmaxf(k * overlap - damping * speed, 0.0f)
                                : fmaxf(k * overlap, -sticks * s * s) - damping * speed;
    f4 slip = v - speed * n;
    float slide = sqrtf(f4_dot(slip, slip));
    float most = sqrtf(c->parameters.friction * d->parameters.friction) *
                 (fmaxf(push, 0.0f) + sticks * s * s);
    out.push = push * n;
    if (slide > 0.0f && m->levers[a].is_there && m->levers[b].is_there) {
        out.drag = -fminf(most, damping * slide) / slide * slip;
        out.arm = -0.5f * arm;
    }
    return out;
}

// What is pressed nearly flat would pass a couple on with forces out of all proportion.
static bool is_flat(const wri_clay_fit *fit)
{
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) {
        sum += fit->from_world[k] * fit->from_world[k];
    }
    return !(sum < FLATTEST * FLATTEST);
}

static void lever_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay_meetings *m = context;
    for (int a = begin; a < end; a++) {
        const member *one = &m->members[a];
        wri_clay_fit fit;
        if (m->begin[a] == m->begin[a + 1]) {
            continue;
        }
        m->levers[a].is_there = wri_clay_fit_at(one->c, one->particle, &fit) && !is_flat(&fit);
        for (int k = 0; m->levers[a].is_there && k < 3; k++) {
            f4 column = {fit.from_world[k], fit.from_world[3 + k], fit.from_world[6 + k], 0.0f};
            column = wri_clay_apply_inverse(one->c, one->particle, column);
            for (int row = 0; row < 3; row++) {
                m->levers[a].m[3 * row + k] = column[row];
            }
        }
    }
}

static void force_range(void *context, int block, int begin, int end)
{
    (void)block;
    wri_clay_meetings *m = context;
    const double *origin = m->bodies[0]->state.origin;
    for (int a = begin; a < end; a++) {
        wri_clay *c = m->members[a].c;
        int i = m->members[a].particle;
        f4 sum = {0}, *T = &c->records[i * RECORD_ROWS], couple[3] = {{0}, {0}, {0}};
        for (int k = m->begin[a]; k < m->begin[a + 1]; k++) {
            meeting one = meet(m, a, m->others[k], origin);
            f4 gradient = wri_clay_apply(m->levers[a].m, one.arm);
            sum += one.push + one.drag;
            for (int column = 0; column < 3; column++) {
                couple[column] -= gradient[column] * one.drag;
            }
        }
        f4 rests = wri_clay_sum_of_rests(c, i);
        for (int column = 0; column < 3; column++) {
            T[column] += couple[column];
            sum += rests[column] * couple[column];
        }
        c->force[i] += sum;
    }
}

void wri_clay_add_meetings(wri_clay_meetings *m, float dt, const wr_tasks *tasks)
{
    if (m && m->pair_count > 0) {
        m->dt = dt;
        wri_parallel_for(tasks, m->count, GRAIN, lever_range, m);
        wri_parallel_for(tasks, m->count, GRAIN, force_range, m);
    }
}

int wri_clay_meeting_substeps(const wri_clay_meetings *m, float dt)
{
    bool any = m && m->pair_count > 0;
    return any ? (int)fminf(ceilf(dt * m->closing / m->thinnest), 1000.0f) : 1;
}

int wri_clay_count_meetings(const wri_clay_meetings *m)
{
    int count = 0;
    for (int a = 0; m && a < m->count; a++) {
        for (int k = m->begin[a]; k < m->begin[a + 1]; k++) {
            int b = m->others[k];
            f4 arm = m->places[a] - m->places[b];
            float s = m->places[a][3] + m->places[b][3];
            count += a < b && f4_dot(arm, arm) < s * s;
        }
    }
    return count;
}

bool wri_clay_meetings_are_over(const wri_clay_meetings *m, float elapsed)
{
    return m && elapsed * m->closing > m->way;
}

static bool are_parts_that_touch(const wri_clay *c, int i, int j)
{
    f4 arm = c->x[i] - c->x[j];
    float s = c->radius[i] + c->radius[j];
    return c->component[i] < c->component[j] && f4_dot(arm, arm) < s * s;
}

bool wri_clay_find_touching_parts(const wri_clay_meetings *m, const wri_clay *c, int *i, int *j)
{
    for (int a = 0; m && a < m->count; a++) {
        for (int k = m->begin[a]; m->members[a].c == c && k < m->begin[a + 1]; k++) {
            const member *b = &m->members[m->others[k]];
            *i = m->members[a].particle;
            *j = b->particle;
            if (b->c == c && are_parts_that_touch(c, *i, *j)) {
                return true;
            }
        }
    }
    return false;
}
