// step.c: one step of a world of sprites (algorithm 2 of the thesis).
//
// 1 prediction; 2 the wished shape (project.c, wish.c, pose.c); 3 rounds of matching, collisions
// and pins (match.c, touch.c, collide.c, level.c); 4 velocities; 5 momentum (momentum.c);
// 6 orientation (orientation.c). Shares that an artist gives are per 1/60 s and are converted to
// the step and to the rounds in it; a step in which something flies far has substeps (substeps.c).
//
// This differs from the papers in the energy (2b); momentum.c, touch.c and work.c say where they
// do. e = sum m |dx|^2 (4.4) over the touched particles depends on how fine the outline is, and on
// what the body's own shape pushes. Ours is the energy that contacts take out of the motion of the
// whole, which is (v / fall speed)^2 per mass for a body that is stopped. The pose answers to it
// within a time, not at once. docs/sprite.md has all differences.
#include "world.h"

#include "../math/elementary.h"

enum { SEARCH_EVERY = 8 };     // steps between two looks through the whole manifold
enum { WORTH_SHARING = 2500 }; // particles, about a millisecond: fewer are done before threads wake

static double clock_of(const wr_sprite_world *world)
{
    return world->seconds ? world->seconds() : 0.0;
}

// --- sprite by sprite ---------------------------------------------------------------------------

// Work that is done for every sprite by itself. The most of it, finding and matching shapes, is
// shared out among threads; for the rest waking them takes longer than it does.
typedef struct sprite_loop {
    wr_sprite_world *world;
    const wr_tasks *tasks; // NULL: alone
    float dt;
    int substeps;      // of the step that are left
    int round, rounds; // of them
    void (*each)(const struct sprite_loop *loop, wri_sprite *s);
} sprite_loop;

static void run_some(void *context, int block, int begin, int end)
{
    (void)block;
    const sprite_loop *loop = context;
    for (int i = begin; i < end; i++) {
        wri_sprite *s = wri_sprite_of(loop->world, i);
        if (!s->removed) {
            loop->each(loop, s);
        }
    }
}

static void for_sprites(sprite_loop *loop, void (*each)(const sprite_loop *loop, wri_sprite *s))
{
    loop->each = each;
    run_some(loop, 0, 0, loop->world->sprites.count);
}

static void share_sprites(sprite_loop *loop, void (*each)(const sprite_loop *loop, wri_sprite *s))
{
    loop->each = each;
    wri_parallel_for(loop->tasks, loop->world->sprites.count, 1, run_some, loop);
}

static bool is_worth_sharing(const wr_sprite_world *world)
{
    int particles = 0;
    for (int i = 0; i < world->sprites.count; i++) {
        const wri_sprite *s = wri_sprite_of(world, i);
        particles += s->removed ? 0 : s->asset->N;
    }
    return particles >= WORTH_SHARING;
}

// --- 1 prediction -----------------------------------------------------------------------------

static void find_box(const sprite_loop *loop, wri_sprite *s)
{
    float dt = loop->dt;
    wri_flat_box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    float margin = 0.02f * s->asset->L;
    for (int i = 0; i < s->asset->N; i++) { // positions now and before the step
        float x = s->x[i], y = s->y[i], bx = x - dt * s->vx[i], by = y - dt * s->vy[i];
        box.min[0] = wr_minf(box.min[0], wr_minf(x, bx));
        box.min[1] = wr_minf(box.min[1], wr_minf(y, by));
        box.max[0] = wr_maxf(box.max[0], wr_maxf(x, bx));
        box.max[1] = wr_maxf(box.max[1], wr_maxf(y, by));
    }
    for (int k = 0; k < 2; k++) {
        box.min[k] -= margin;
        box.max[k] += margin;
        s->world_box[k] = (float)(s->state.origin[k] + (double)box.min[k]);
        s->world_box[2 + k] = (float)(s->state.origin[k] + (double)box.max[k]);
    }
    s->box = box;
}

static double angular_momentum_about(const wri_sprite *s, wri_fulcrum p)
{
    double L = 0.0;
    for (int i = 0; i < s->asset->N; i++) {
        double x = (double)(s->x[i] - p.x), y = (double)(s->y[i] - p.y);
        double u = (double)(s->vx[i] - p.vx), v = (double)(s->vy[i] - p.vy);
        L += (double)s->asset->masses[i] * (x * v - y * u);
    }
    return L;
}

// Returns the angular momentum about the centre of mass, or about a single nail and relative to it.
double wri_sprite_find_angular_momentum(const wri_sprite *s)
{
    if (s->state.nail_count == 1) {
        return angular_momentum_about(s, wri_sprite_find_fulcrum(s));
    }
    double L = 0.0, cx = 0.0, cy = 0.0, px = 0.0, py = 0.0;
    for (int i = 0; i < s->asset->N; i++) {
        double m = (double)s->asset->masses[i], x = (double)s->x[i], y = (double)s->y[i];
        double u = m * (double)s->vx[i], v = m * (double)s->vy[i];
        L += x * v - y * u;
        cx += m * x;
        cy += m * y;
        px += u;
        py += v;
    }
    return L - (cx * py - cy * px) / (double)s->asset->mass;
}

static void predict(const sprite_loop *loop, wri_sprite *s)
{
    wr_vec2 gravity = loop->world->gravity;
    float dt = loop->dt;
    float gx = dt * s->parameters.gravity * gravity.x, gy = dt * s->parameters.gravity * gravity.y;
    double v[2];
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] += gx;
        s->vy[i] += gy;
    }
    s->fall[0] = gx;
    s->fall[1] = gy;
    wri_sprite_drive_nails(s, dt, loop->substeps);
    wri_sprite_find_velocity(s, v);
    s->state.velocity[0] = (float)v[0];
    s->state.velocity[1] = (float)v[1];
    s->state.origin[0] += (double)dt * (double)s->state.velocity[0];
    s->state.origin[1] += (double)dt * (double)s->state.velocity[1];
    for (int i = 0; i < s->asset->N; i++) {
        s->x[i] += dt * (s->vx[i] - s->state.velocity[0]);
        s->y[i] += dt * (s->vy[i] - s->state.velocity[1]);
    }
    wri_sprite_set_nails(s);
    memcpy(s->px, s->x, (size_t)s->asset->N * sizeof *s->px);
    memcpy(s->py, s->y, (size_t)s->asset->N * sizeof *s->py);
    wri_sin_cos(s->state.angle, &s->sine, &s->cosine);
    s->level = (wri_level_sums){0};
    s->impact_energy = s->level_impact_energy = 0.0f;
    s->let_down[0] = s->let_down[1] = 0.0f;
    memcpy(s->whole.velocity, s->state.velocity, sizeof s->whole.velocity);
    s->whole.positional_impulse[0] = s->whole.positional_impulse[1] = 0.0f;
    s->whole.angular_positional_impulse = 0.0;
    s->touched = s->whole.met = false;
    s->angular_momentum = wri_sprite_find_angular_momentum(s);
    s->limit = 0.1f * s->asset->L;
}

// --- 2 the wished shape -----------------------------------------------------------------------

// Returns the lowest place of the wished shape along a direction, m from its centre of mass.
static float reach_of_shape(wri_sprite *s, wr_sprite_point m, float angle, const float n[2])
{
    float sine, cosine, least = INFINITY;
    double center = 0.0;
    wri_sin_cos(angle, &sine, &cosine);
    // the direction in the frame of the drawing
    float nx = cosine * n[0] + sine * n[1], ny = cosine * n[1] - sine * n[0];
    nx = s->state.flipped ? -nx : nx;
    wri_sprite_shape(s->asset, m, s->ex, s->ey);
    for (int i = 0; i < s->asset->N; i++) {
        float h = nx * s->ex[i] + ny * s->ey[i];
        least = wr_minf(least, h);
        center += (double)(s->asset->masses[i] * h);
    }
    return least - (float)(center / (double)s->asset->mass);
}

// Lets a body that a hit flattens on the ground down, so that its feet are not lifted, without
// giving it velocity. The height that this costs comes back with the momentum.
static void stay_on_ground(wri_sprite *s, const wri_wish *wish, float angle)
{
    const float *n = s->state.level_normal;
    if ((n[0] == 0.0f && n[1] == 0.0f) ||
        wri_sprite_point_distance(s->asset, wish->m_p, wish->m_e) < 1e-3f) {
        return;
    }
    float lift = reach_of_shape(s, wish->m_e, angle, n) - reach_of_shape(s, wish->m_p, angle, n);
    if (lift > 0.0f) {
        s->state.origin[0] -= (double)(lift * n[0]);
        s->state.origin[1] -= (double)(lift * n[1]);
        s->state.sunk += lift;
        s->let_down[0] = lift * n[0];
        s->let_down[1] = lift * n[1];
    }
}

// Finds how far a pose that its equilibrium moves raises the body on its feet.
static void find_rise(wri_sprite *s, const wri_wish *wish, float angle)
{
    const float *n = s->state.level_normal;
    s->rise = 0.0f;
    if (s->state.drive > 1e-3f && (n[0] != 0.0f || n[1] != 0.0f)) {
        float now = reach_of_shape(s, wish->m_p, angle, n);
        s->rise = wr_maxf(0.0f, now - reach_of_shape(s, wish->m_v, angle, n));
    }
}

// Returns the part of hits that the pose answers now. A shape that jumped would push its neighbours
// away with the speed of the jump, and they theirs: a heap of sprites would boil. So it takes its
// time, and more of it when it was another sprite that hit, which answers too: each counts a half.
// What gives way in a heap lifts the others, which fall on it again; so among others it tires: it
// answers two hits with all of its way, and no more until a while has passed.
static float answer_hits(wri_sprite *s, float dt)
{
    static const float times[2] = {0.1f, 0.4f}; // fall times for a whole share
    float give = s->parameters.give, sum = 0.0f;
    for (int k = 0; k < 2; k++) {
        float *pending = &s->state.pending_hits[k], most = dt / (times[k] * s->asset->t_L);
        float now = give * *pending > most ? most / give : *pending;
        *pending = give > 0.0f ? wr_minf(*pending - now, 2.0f / give) : 0.0f;
        sum += now;
    }
    float fatigue = s->state.fatigue * (float)wri_exp(-(double)dt / (15.0 * (double)s->asset->t_L));
    sum /= wr_maxf(1.0f, 0.25f * fatigue * fatigue);
    s->state.fatigue = s->state.met ? fatigue + give * sum : fatigue;
    return sum;
}

static void wish_shape(const sprite_loop *loop, wri_sprite *s)
{
    float dt = loop->dt;
    wri_sprite_state *state = &s->state;
    const wr_sprite_asset *asset = s->asset;
    float angle = state->angle, vx = state->velocity[0], vy = state->velocity[1];
    float speed = sqrtf(vx * vx + vy * vy) / asset->v_L;
    bool all = state->steps % SEARCH_EVERY == 0;
    wr_sprite_point m_p =
        wri_sprite_project(asset, s->x, s->y, state->flipped, state->m_p, all, &angle);
    wri_wish wish = wri_sprite_wish(asset, &s->parameters, m_p, state->m_p, state->q,
                                    answer_hits(s, dt), speed, wri_sprite_ticks(asset, dt) / 60.0f);
    stay_on_ground(s, &wish, angle);
    find_rise(s, &wish, angle);
    state->drive *= 1.0f - wri_sprite_share(s->parameters.settle, wri_sprite_ticks(asset, dt));
    state->before = state->m_p;
    state->m_p = m_p;
    state->wished = wish.m_v;
    wri_sprite_shape(asset, wish.m_v, s->ex, s->ey);
    for (int i = 0; state->flipped && i < asset->N; i++) {
        s->ex[i] = -s->ex[i];
    }
    wri_sprite_begin_match(s);
}

// --- 3 rounds ---------------------------------------------------------------------------------

// Tells whether a sprite with fewer rounds than the world is matched in this one. All are in the
// first: contacts need the middle of this step, that of the one before is in no snapshot.
static bool takes_part(int round, int rounds, int of)
{
    return (round * rounds + of - 1) / of < ((round + 1) * rounds + of - 1) / of;
}

static int set_shares(wr_sprite_world *world, float dt)
{
    int rounds = 1;
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        const wr_sprite_parameters *p = &s->parameters;
        float ticks = wri_sprite_ticks(s->asset, dt) / (float)p->rounds;
        rounds = p->rounds > rounds ? p->rounds : rounds;
        s->ring_share = wri_sprite_share(p->firmness, ticks);
        s->hold_share = wri_sprite_share(p->hold, ticks);
    }
    return rounds;
}

static void match(const sprite_loop *loop, wri_sprite *s)
{
    if (takes_part(loop->round, s->parameters.rounds, loop->rounds)) {
        wri_sprite_match_rings(s, s->ring_share);
        wri_sprite_match_whole(s, s->hold_share);
        wri_sprite_match_pins(s);
    }
}

static void run_rounds(sprite_loop *loop)
{
    wr_sprite_world *world = loop->world;
    wr_sprite_statistics *stats = &world->statistics;
    loop->rounds = set_shares(world, loop->dt);
    double start = clock_of(world);
    wri_sprite_find_contacts(world);
    stats->collision += clock_of(world) - start;
    for (loop->round = 0; loop->round < loop->rounds; loop->round++) {
        start = clock_of(world);
        share_sprites(loop, match);
        double matched = clock_of(world);
        wri_sprite_touch_contacts(world);
        wri_sprite_touch_levels(world);
        wri_sprite_solve_touches(world);
        wri_sprite_solve_contacts(world);
        wri_sprite_solve_levels(world);
        stats->matching += matched - start;
        stats->collision += clock_of(world) - matched;
    }
}

// --- 4 and 5 velocities, hits and momentum ----------------------------------------------------

static double inertia_about(const wri_sprite *s, const wri_fulcrum *p)
{
    double x = s->center[0] - (double)p->x, y = s->center[1] - (double)p->y;
    return s->whole.inertia +
           (s->state.nail_count ? (double)s->asset->mass * (x * x + y * y) : 0.0);
}

// Matching keeps angular momentum where it acts, but particles go straight on in a step, and
// pulling them back onto their circles costs angular momentum: 1 % per step at 10 rad/s. What
// contacts have not changed is put back, about the centre of mass or a single nail; more nails
// leave no rotation. Then the motion that is not the whole's fades.
static void keep_angular_momentum(wri_sprite *s, float dt)
{
    wri_sprite_fit_whole(s);
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    double gained = s->whole.angular_positional_impulse -
                    ((double)p.x * (double)s->whole.positional_impulse[1] -
                     (double)p.y * (double)s->whole.positional_impulse[0]);
    double I = inertia_about(s, &p);
    double L = wri_sprite_find_angular_momentum(s),
           lost = s->angular_momentum + gained / (double)dt - L;
    float omega = I > 0.0 ? (float)(L / I) : 0.0f, more = I > 0.0 ? (float)(lost / I) : 0.0f;
    if (s->state.nail_count > 1) {
        omega = wri_sprite_nail_angular_velocity(s, &p);
        more = 0.0f;
    }
    float left =
        1.0f - wri_sprite_share(1.0f - s->parameters.wobble, wri_sprite_ticks(s->asset, dt));
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->x[i] - p.x, y = s->y[i] - p.y;
        float u = s->vx[i] - (p.vx - omega * y), w = s->vy[i] - (p.vy + omega * x);
        s->vx[i] = p.vx - (omega + more) * y + left * u;
        s->vy[i] = p.vy + (omega + more) * x + left * w;
    }
}

static void find_hit(wri_sprite *s, float dt)
{
    wri_sprite_state *state = &s->state;
    float unit = dt * s->asset->v_L;
    float hit = s->impact_energy / (s->asset->mass * unit * unit);
    state->impact_energy += hit;
    state->touching |= s->touched;
    if (hit > s->parameters.give_from) {
        float level = s->level_impact_energy / s->impact_energy;
        state->pending_hits[0] += level * hit;
        state->pending_hits[1] += 0.5f * (1.0f - level) * hit;
    }
}

static void lose_velocity(wri_sprite *s, float dt)
{
    const wr_sprite_parameters *p = &s->parameters;
    float factor = p->drag;
    if (p->drag_of_example) {
        const wr_simplex *simplex = &s->asset->simplices[s->state.wished.simplex];
        float blend = 0.0f;
        for (int k = 0; k < simplex->corner_count; k++) {
            blend += s->state.wished.shares[k] * p->drag_of_example[simplex->corners[k]];
        }
        factor *= blend;
    }
    if (factor > 0.0f) {
        float decay = (float)wri_exp(-(double)(factor * dt / s->asset->t_L));
        for (int i = 0; i < s->asset->N; i++) {
            s->vx[i] *= decay;
            s->vy[i] *= decay;
        }
    }
}

// Slows down particles that are torn away faster than a body can want, and counts them.
static int limit_speeds(wri_sprite *s, const double v[2])
{
    float most = 60.0f * s->asset->v_L;
    int count = 0;
    for (int i = 0; i < s->asset->N; i++) {
        float x = s->vx[i] - (float)v[0], y = s->vy[i] - (float)v[1], speed2 = x * x + y * y;
        if (speed2 > most * most) {
            float scale = most / sqrtf(speed2);
            s->vx[i] = (float)v[0] + scale * x;
            s->vy[i] = (float)v[1] + scale * y;
            count++;
        }
    }
    return count;
}

// --- 6 what it is after the step --------------------------------------------------------------

static void find_motion(wri_sprite *s)
{
    wri_sprite_state *state = &s->state;
    double v[2];
    wri_sprite_find_velocity(s, v);
    state->velocity[0] = (float)v[0];
    state->velocity[1] = (float)v[1];
    wri_fulcrum fulcrum = {0};
    double I = s->whole.inertia;
    if (state->nail_count > 0) {
        fulcrum = wri_sprite_find_fulcrum(s);
        I = inertia_about(s, &fulcrum);
    }
    state->angular_velocity = state->nail_count > 1 ? wri_sprite_nail_angular_velocity(s, &fulcrum)
                              : I > 0.0 ? (float)(wri_sprite_find_angular_momentum(s) / I)
                                        : 0.0f;
    float angle = wri_atan2(s->sine, s->cosine), turn = 2.0f * WR_PI;
    state->angle += (angle - state->angle) - turn * floorf((angle - state->angle) / turn + 0.5f);
}

// Keeps positions small, so that floats carry them well.
static void recenter(wri_sprite *s)
{
    float x = (float)s->center[0], y = (float)s->center[1], far = 0.1f * s->asset->L;
    if (x * x + y * y > far * far) {
        s->state.origin[0] += (double)x;
        s->state.origin[1] += (double)y;
        for (int i = 0; i < s->asset->N; i++) {
            s->x[i] -= x;
            s->y[i] -= y;
        }
        s->center[0] -= (double)x;
        s->center[1] -= (double)y;
    }
}

static void find_velocities(const sprite_loop *loop, wri_sprite *s)
{
    float dt = loop->dt;
    float per = 1.0f / dt;
    for (int i = 0; i < s->asset->N; i++) {
        s->vx[i] += per * (s->x[i] - s->px[i]);
        s->vy[i] += per * (s->y[i] - s->py[i]);
    }
    keep_angular_momentum(s, dt);
    float up = -(s->whole.positional_impulse[0] * s->fall[0] +
                 s->whole.positional_impulse[1] * s->fall[1]);
    float pull2 = s->fall[0] * s->fall[0] + s->fall[1] * s->fall[1];
    s->state.on_ground |= up > 0.05f * s->asset->mass * pull2 * dt;
    find_hit(s, dt);
    s->state.met = s->whole.met;
}

static void finish(const sprite_loop *loop, wri_sprite *s)
{
    const wr_sprite_world *world = loop->world;
    float dt = loop->dt;
    const float g[2] = {s->parameters.gravity * world->gravity.x,
                        s->parameters.gravity * world->gravity.y};
    const float before[2] = {s->state.velocity[0], s->state.velocity[1]};
    double v[2];
    if (s->state.nail_count == 0) {
        wri_sprite_collect_momentum(s, before, g, dt);
        wri_sprite_release_momentum(s, g, dt);
    }
    lose_velocity(s, dt);
    wri_sprite_find_velocity(s, v);
    s->trouble = limit_speeds(s, v);
    wri_sprite_set_nail_velocities(s);
    find_motion(s);
    wri_sprite_control_orientation(s, dt);
    recenter(s);
    s->state.steps++;
    wri_sprite_show(s);
}

static void take_substep(sprite_loop *loop)
{
    wr_sprite_world *world = loop->world;
    wr_sprite_statistics *stats = &world->statistics;
    world->dt = loop->dt;
    world->elapsed += loop->dt;
    wri_flat_bodies_begin(world, loop->dt);
    wri_sprite_place_levels(world, loop->substeps);
    for_sprites(loop, predict);
    double predicted = clock_of(world);
    share_sprites(loop, wish_shape);
    stats->projection += clock_of(world) - predicted;
    for_sprites(loop, find_box);
    run_rounds(loop);
    for_sprites(loop, find_velocities);
    wri_sprite_stop_work(world);
    wri_sprite_separate_deep(world);
    for_sprites(loop, finish);
    for (int i = 0; i < world->sprites.count; i++) {
        stats->trouble += wri_sprite_of(world, i)->trouble;
        wri_sprite_of(world, i)->trouble = 0;
    }
    wri_flat_bodies_end(world, loop->dt);
}

void wr_sprite_world_step(wr_sprite_world *world, float dt, const wr_tasks *tasks)
{
    WR_ASSERT(world);
    if (!wri_is_step(dt)) {
        return;
    }
    wr_sprite_statistics *stats = &world->statistics;
    *stats = (wr_sprite_statistics){.trouble = stats->trouble};
    double start = clock_of(world);
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        if (!s->removed) {
            s->state.impact_energy = 0.0f;
            s->state.touching = s->state.on_ground = 0;
        }
    }
    world->elapsed = 0.0f;
    wri_flat_bodies_start(world, dt);
    int substeps = wri_sprite_count_substeps(world, dt);
    wri_flat_bodies_find_near(world);
    sprite_loop loop = {.world = world,
                        .tasks = is_worth_sharing(world) ? tasks : NULL,
                        .dt = dt / (float)substeps};
    for (loop.substeps = substeps; loop.substeps > 0; loop.substeps--) {
        take_substep(&loop);
    }
    wr_sprite_set_bearings(world, NULL, 0);
    stats->other = clock_of(world) - start - stats->projection - stats->matching - stats->collision;
}
