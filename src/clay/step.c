// step.c: a step of the world in substeps of its own.
//
//     a   = f(x^n) / m + g                         elastic forces of the rest shapes as they are
//     u  := F_p u                                  then they flow
//     v  := v + dt a,  viscosity,  contacts
//     x  := x + dt v
//
// Symplectic Euler, which is leapfrog with velocities half a step behind.
#include "clay.h"

static const float SAFETY = 0.9f; // of the longest stable substep
enum { SUBSTEPS_MAX = WR_CLAY_SUBSTEPS_MAX };

// --- how many substeps ------------------------------------------------------------------------

// It obeys omega^2 dt^2 + 2 d dt = 4 for oscillations of omega that are damped explicitly by d.
float wri_clay_longest_substep(const wri_clay *c)
{
    return 4.0f / (c->state.decay +
                   sqrtf(c->state.decay * c->state.decay + 4.0f * c->state.omega * c->state.omega));
}

static int substeps_of(const wri_clay *c, float dt)
{
    return (int)ceilf(dt / (SAFETY * wri_clay_longest_substep(c)));
}

int wri_clay_count_substeps(const wri_clay *c, float dt)
{
    int own = substeps_of(c, dt);
    return own < 1 ? 1 : own < SUBSTEPS_MAX ? own : SUBSTEPS_MAX;
}

static int count_substeps(const wr_clay_world *world, float dt)
{
    int most = 1;
    for (int i = 0; i < world->bodies.count; i++) {
        const wri_clay *c = wri_clay_of(world, i);
        int own = wri_clay_is_active(c) ? substeps_of(c, dt) : 1;
        most = own > most ? own : most;
    }
    return most < SUBSTEPS_MAX ? most : SUBSTEPS_MAX;
}

void wri_clay_ease(wri_clay *c)
{
    c->moduli = c->created;
    c->moduli.lambda *= c->state.ease;
    c->moduli.mu *= c->state.ease;
    c->moduli.eta *= c->state.ease;
}

// What would need more than `most` substeps for dt seconds changes for good: viscosity is solved
// for, and if that is not enough, it is made softer. Statistics say so.
static void soften(wri_clay *c, float dt, int most)
{
    if (c->state.decay > 0.0f && substeps_of(c, dt) > most) {
        c->state.decay = c->state.decay_tightness = 0.0f;
    }
    int wanted = substeps_of(c, dt);
    if (wanted > most) {
        float root = (float)most / (float)(wanted + 1), factor = root * root;
        c->state.ease *= factor;
        c->state.omega *= root;
        c->state.omega_start *= root;
        wri_clay_ease(c);
    }
}

void wri_clay_find_speeds(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    c->state.omega = wri_clay_fastest(c, tasks, scratch);
    c->state.decay = wri_clay_steps_viscosity(c) ? wri_clay_fastest_decay(c) : 0.0f;
}

// --- motion -----------------------------------------------------------------------------------

typedef struct motion {
    wri_clay *c;
    f4 gravity;
    f4 velocity; // m/s, of the origin
    float dt;
} motion;

static void kick_range(void *context, int block, int begin, int end)
{
    (void)block;
    const motion *m = context;
    wri_clay *c = m->c;
    for (int i = begin; i < end; i++) {
        if (!(c->flags[i] & WRI_CLAY_HELD)) {
            c->v[i] += m->dt * (c->force[i] / c->m[i] + m->gravity);
        }
    }
}

// x and x_low together are twice as exact as a float: slow motion in short substeps is not lost.
static void drift_range(void *context, int block, int begin, int end)
{
    (void)block;
    const motion *m = context;
    wri_clay *c = m->c;
    for (int i = begin; i < end; i++) {
        f4 low = c->x_low[i] + m->dt * (c->v[i] - m->velocity), sum = c->x[i] + low;
        c->x_low[i] = low - (sum - c->x[i]);
        c->x[i] = sum;
    }
}

// What takes part in the substeps of a step.
typedef struct course {
    wr_clay_world *world;
    wr_clay_step *step;
    wri_clay_meetings *meetings;
    float dt;      // of a substep
    double left;   // seconds of the step, before the substep
    int taken;     // substeps
    double listed; // seconds that were left when the meetings were
} course;

static void hold(const course *p, wri_clay *c)
{
    double step = (double)p->step->dt;
    wri_clay_hold(c, p->step->dt, 1.0 - (p->left - 0.5 * (double)p->dt) / step);
}

// Own times: it flows no more often, but for as long. A third of the time that `flow` is for.
static const float FLOW_TIME = 0.003f;

static void find_stresses(const course *p, wri_clay *c)
{
    c->state.unflowed += (double)p->dt;
    c->flows = c->moduli.forget < 0.0f && c->state.unflowed >= (double)(FLOW_TIME * c->moduli.t_L);
    wri_clay_find_stresses(c, c->flows ? (float)c->state.unflowed : 0.0f, &p->step->tasks);
    c->state.unflowed = c->flows ? 0.0 : c->state.unflowed;
}

static void find_forces(const course *p, wri_clay *c)
{
    wri_clay_find_forces(c, &p->step->tasks);
}

static void flow(const course *p, wri_clay *c)
{
    if (c->flows) {
        wri_clay_flow(c, &p->step->tasks);
    }
}

static void solve_viscosity(const course *p, wri_clay *c)
{
    if (wri_clay_solves_viscosity(c)) {
        wri_clay_solve_viscosity(c, p->dt, &p->step->tasks, &p->world->scratch);
    }
}

static void kick(const course *p, wri_clay *c)
{
    motion m = {.c = c, .gravity = f4_of(p->step->gravity), .dt = p->dt};
    wri_parallel_for(&p->step->tasks, c->count, GRAIN, kick_range, &m);
}

static void find_runaways(const course *p, wri_clay *c)
{
    wri_clay_find_runaways(c, p->dt);
}

static double mean_flowed(const wri_clay *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += (double)c->flowed[i];
    }
    return sum / c->count;
}

static void begin_step(const course *p, wri_clay *c)
{
    soften(c, p->step->dt, SUBSTEPS_MAX);
    c->flowed_before = mean_flowed(c);
    wri_clay_begin_momentum(c);
    for (int i = 0; i < c->count; i++) {
        c->flags[i] &= (uint8_t) ~(WRI_CLAY_TOUCHED | WRI_CLAY_PUSHED);
    }
}

f4 wri_clay_mean_velocity(const wri_clay *c, double *total)
{
    double mass = 0.0, sum[3] = {0};
    for (int i = 0; i < c->count; i++) {
        mass += (double)c->m[i];
        for (int k = 0; k < 3; k++) {
            sum[k] += (double)c->m[i] * (double)c->v[i][k];
        }
    }
    *total = mass;
    return (f4){(float)(sum[0] / mass), (float)(sum[1] / mass), (float)(sum[2] / mass), 0.0f};
}

// The origin flies with the body: x is as exact a hundred metres on as at the start.
static void drift(const course *p, wri_clay *c)
{
    double mass;
    motion m = {.c = c, .velocity = wri_clay_mean_velocity(c, &mass), .dt = p->dt};
    wr_vec3 g = p->step->gravity;
    double weight = mass * (double)p->dt;
    wri_clay_give(c, (double[3]){weight * (double)g.x, weight * (double)g.y, weight * (double)g.z},
                  c->center);
    for (int k = 0; k < 3; k++) {
        double way = (double)p->dt * (double)m.velocity[k];
        c->state.origin[k] += way;
        c->center[k] += way;
    }
    wri_parallel_for(&p->step->tasks, c->count, GRAIN, drift_range, &m);
    wri_clay_carry(c, 1.0 - (p->left - (double)p->dt) / (double)p->step->dt);
}

// --- new neighbours ---------------------------------------------------------------------------

// Plastic strain after which the embedding is solved again: in the mean, and of any one. Rest
// vectors follow every substep, only who is near whom waits.
static const double FLOWED_MEAN = 0.1;
static const double FLOWED_MOST = 0.3;
// Of any one after which the fastest oscillation is found again: what is squeezed has a faster one.
static const double FLOWED_STEP = 0.05;

typedef struct strain {
    double mean, most;
} strain;

static strain find_flowed(const wri_clay *c)
{
    float most = 0.0f;
    double squares = 0.0;
    for (int i = 0; i < c->count; i++) {
        most = fmaxf(most, c->flowed[i]);
        squares += (double)c->flowed[i] * (double)c->flowed[i];
    }
    return (strain){sqrt(squares / c->count), (double)most};
}

// After a substep: those that are left must do.
static void follow_speeds(const course *p, wri_clay *c)
{
    if (!c->parameters.keeps_step) {
        wri_clay_find_speeds(c, &p->step->tasks, &p->world->scratch);
        if (p->taken + 1 < SUBSTEPS_MAX) {
            soften(c, (float)(p->left - (double)p->dt), SUBSTEPS_MAX - p->taken - 1);
        }
    }
}

static void embed(const course *p, wri_clay *c)
{
    strain flowed = find_flowed(c);
    bool is_kept = c->parameters.embedding == WR_CLAY_EMBED_NONE;
    bool is_due = !is_kept && (flowed.mean > FLOWED_MEAN || flowed.most > FLOWED_MOST);
    if (is_due && wri_clay_embed(c, &p->step->tasks, &p->world->scratch)) {
        c->is_new = c->has_moved = true;
        c->state.followed = 0.0;
    } else if (flowed.most > c->state.followed + FLOWED_STEP) {
        follow_speeds(p, c);
        c->state.followed = flowed.most;
    }
}

static void find_neighbours(const course *p, wri_clay *c)
{
    if (c->is_new) {
        wri_clay_find_neighbours(c, &p->step->tasks, &p->world->scratch);
        follow_speeds(p, c);
        c->is_new = false;
    }
}

static double now(const wr_clay_world *world)
{
    return world->clock ? world->clock() : 0.0;
}

// One pass over all bodies that are awake, and what it takes.
static void for_active(const course *p, wr_clay_stage stage,
                       void (*pass)(const course *, wri_clay *))
{
    double start = now(p->world);
    for (int i = 0; i < p->world->bodies.count; i++) {
        wri_clay *c = wri_clay_of(p->world, i);
        if (wri_clay_is_active(c)) {
            pass(p, c);
        }
    }
    p->world->seconds[stage] += now(p->world) - start;
}

static void move_bodies(const course *p)
{
    for (int i = 0; i < p->step->body_count; i++) {
        wr_body_copy_move(&p->step->bodies[i], p->step->gravity, p->dt);
    }
}

static void touch(const course *p)
{
    double start = now(p->world);
    wri_clay_solve_touches(p->world, p->step, p->dt);
    p->world->seconds[WR_CLAY_STAGE_CONTACT] += now(p->world) - start;
}

// Viscosity that is solved for carries into others what they have just stopped: they are met before
// and after it. Met only after it, a body thrown onto the ground gained an eighth of its energy.
static bool solves_viscosity(const wr_clay_world *world)
{
    bool any = false;
    for (int i = 0; i < world->bodies.count; i++) {
        const wri_clay *c = wri_clay_of(world, i);
        any = any || (wri_clay_is_active(c) && wri_clay_solves_viscosity(c));
    }
    return any;
}

static void meet(const course *p)
{
    double start = now(p->world);
    wri_clay_add_meetings(p->meetings, p->dt, &p->step->tasks);
    p->world->seconds[WR_CLAY_STAGE_CONTACT] += now(p->world) - start;
}

static void take_substep(const course *p)
{
    for_active(p, WR_CLAY_STAGE_MOTION, hold);
    for_active(p, WR_CLAY_STAGE_STRESS, find_stresses);
    meet(p);
    for_active(p, WR_CLAY_STAGE_FORCE, find_forces);
    for_active(p, WR_CLAY_STAGE_FLOW, flow);
    for_active(p, WR_CLAY_STAGE_MOTION, kick);
    wri_clay_add_pushes(p->world, p->step, p->dt);
    move_bodies(p);
    touch(p);
    if (solves_viscosity(p->world)) {
        for_active(p, WR_CLAY_STAGE_VISCOSITY, solve_viscosity);
        touch(p);
    }
    for_active(p, WR_CLAY_STAGE_MOTION, find_runaways);
    for_active(p, WR_CLAY_STAGE_MOTION, drift);
    for_active(p, WR_CLAY_STAGE_EMBEDDING, embed);
    for_active(p, WR_CLAY_STAGE_NEIGHBOURS, find_neighbours);
}

// Again, when those that were listed may have met others.
static void list_meetings(course *p)
{
    if (p->listed == 0.0 || wri_clay_meetings_are_over(p->meetings, (float)(p->listed - p->left))) {
        double start = now(p->world);
        p->meetings = wri_clay_find_meetings(p->world, (float)p->left, &p->step->tasks);
        p->listed = p->left;
        p->world->seconds[WR_CLAY_STAGE_CONTACT] += now(p->world) - start;
    }
}

// How many are left is asked before each: what flows may need shorter ones than it did at first.
static void take_substeps(course *p)
{
    for (int more = 1; more > 0; p->taken++) {
        int count = count_substeps(p->world, (float)p->left), room = SUBSTEPS_MAX - p->taken;
        int wished = p->step->substeps - p->taken;
        list_meetings(p);
        int met = wri_clay_meeting_substeps(p->meetings, (float)p->left);
        wished = wished < met ? met : wished;
        count = count < wished ? wished : count;
        more = count < room ? count - 1 : room - 1;
        p->dt = (float)(p->left / (more + 1));
        take_substep(p);
        p->left -= (double)p->dt;
    }
}

// --- obstacles --------------------------------------------------------------------------------

static void find_parted(const course *p)
{
    for (int i = 0; i < p->world->bodies.count; i++) {
        wri_clay *c = wri_clay_of(p->world, i);
        if (wri_clay_is_active(c) && wri_clay_find_parted(c, i, p->step, &p->world->scratch)) {
            follow_speeds(p, c);
        }
    }
}

// --- rest -------------------------------------------------------------------------------------

// Sizes of the body in its own time: it may sleep when no particle is faster, and all in the mean.
// Single ones are for a long time, under the edges of what lies on them.
static const float CALM_SPEED = 0.02f;
static const float CALM_MEAN = 0.005f;
static const float STILL = 5e-6f;        // likewise in the mean, of what nothing holds
static const float CALM_TIME = 2.0f;     // own times
static const double CREEP = 1e-3;        // mean plastic strain per own time: what flows is awake
static const float SETTLE_SPEED = 0.05f; // as CALM_SPEED: what lies on something is braked
static const float SETTLE = 1.0f;        // per own time

float wri_clay_calm_speed(const wri_clay *c)
{
    return CALM_SPEED * c->moduli.L / c->moduli.t_L;
}

// What lies on something rocks on its round edges almost for ever, as a rigid body does, since
// viscosity does not see it. It is braked as the engine brakes bodies that hardly turn.
// What is pushed and has no weight may not lie on it.
static void settle(wri_clay *c, float mean, float dt, wr_vec3 gravity)
{
    bool lies = c->touched || (c->pushed && wr_length(gravity) > 0.0f);
    if (lies && mean < SETTLE_SPEED * c->moduli.L / c->moduli.t_L) {
        float keep = 1.0f / (1.0f + SETTLE * dt / c->moduli.t_L);
        for (int i = 0; i < c->count; i++) {
            c->v[i] *= keep;
        }
    }
}

static bool is_held(const wri_clay *c)
{
    bool held = c->touched || c->met || c->pushed;
    for (int i = 0; i < WR_CLAY_GRIPS_MAX; i++) {
        held = held || c->state.grips[i].count > 0;
    }
    return held;
}

// What floats without being held is on its way, however slowly, unless nothing moves or pulls it.
static bool is_in_flight(const wri_clay *c, float mean, wr_vec3 gravity)
{
    bool is_still = mean < STILL * c->moduli.L / c->moduli.t_L && wr_length(gravity) == 0.0f;
    return !is_still && !is_held(c);
}

static void find_rest(wri_clay *c, float dt, wr_vec3 gravity)
{
    float fastest = 0.0f, limit = wri_clay_calm_speed(c);
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        float squared = f4_dot(c->v[i], c->v[i]);
        fastest = fmaxf(fastest, squared);
        sum += (double)squared;
    }
    float mean = (float)sqrt(sum / c->count), mean_limit = CALM_MEAN * c->moduli.L / c->moduli.t_L;
    settle(c, mean, dt, gravity);
    double crept = fabs(mean_flowed(c) - c->flowed_before) * (double)(c->moduli.t_L / dt);
    bool is_calm = fastest < limit * limit && mean < mean_limit && crept < CREEP;
    c->state.calm = !is_calm ? 0.0f : c->state.calm + (is_in_flight(c, mean, gravity) ? 0.0f : dt);
    c->state.asleep = c->state.calm >= CALM_TIME * c->moduli.t_L;
    if (c->state.asleep) {
        memset(c->v, 0, (size_t)c->count * sizeof *c->v);
    }
    c->touched = c->met = c->pushed = false;
}

// Whether some wait to split or merge again: others may have to follow those before them.
static bool has_waiting(const wri_clay *c)
{
    bool waits = false;
    for (int i = 0; !waits && i < c->count; i++) {
        waits = c->pause[i] > 0.0f;
    }
    return waits;
}

// What is elastic has no new embedding to find neighbours after, and tears all the same.
static bool is_torn(const wri_clay *c)
{
    return !isinf(c->parameters.tears) && c->parameters.embedding != WR_CLAY_EMBED_NONE &&
           wri_clay_has_torn(c);
}

// One part a step, before others come and go: meetings are by number.
static void fuse(const course *p, wri_clay *c)
{
    int i, j;
    if (c->parameters.fuses && wri_clay_find_touching_parts(p->meetings, c, &i, &j) &&
        wri_clay_fuse(c, i, j)) {
        wri_clay_find_neighbours(c, &p->step->tasks, &p->world->scratch);
        follow_speeds(p, c);
    }
}

static void resample(const course *p, wri_clay *c)
{
    c->is_new = c->parameters.resamples && (c->has_moved || has_waiting(c)) &&
                wri_clay_resample(c, p->step->dt, &p->step->tasks, &p->world->scratch);
    c->is_new = c->is_new || is_torn(c);
    c->has_moved = false;
}

static int count_contacts(const course *p)
{
    int count = wri_clay_count_meetings(p->meetings);
    for (int i = 0; i < p->step->touch_count; i++) {
        wr_vec3 impulse = p->step->touches[i].impulse;
        count += wr_dot(impulse, impulse) > 0.0f;
    }
    return count;
}

static void end_step(const course *p, wri_clay *c)
{
    c->substeps = p->taken;
    wri_clay_end_grips(c);
    find_rest(c, p->step->dt, p->step->gravity);
}

wr_clay_step wr_clay_step_default(void)
{
    return (wr_clay_step){.dt = 1.0f / 240.0f, .gravity = {0.0f, -9.81f, 0.0f}};
}

static void restore_momentum(const course *p, wri_clay *c)
{
    (void)p;
    wri_clay_end_pushes(c);
    wri_clay_restore_momentum(c);
}

void wr_clay_world_step(wr_clay_world *world, wr_clay_step *step)
{
    if (!wri_is_step(step->dt)) {
        return;
    }
    double start = now(world);
    memset(world->seconds, 0, sizeof world->seconds);
    course p = {.world = world, .step = step, .dt = step->dt, .left = (double)step->dt};
    list_meetings(&p); // it wakes those that are met
    find_parted(&p);
    wri_clay_begin_pushes(world, step);
    world->seconds[WR_CLAY_STAGE_CONTACT] = now(world) - start;
    for_active(&p, WR_CLAY_STAGE_MOTION, begin_step);
    take_substeps(&p);
    step->taken = p.taken;
    step->contacts = count_contacts(&p);
    for_active(&p, WR_CLAY_STAGE_MOTION, restore_momentum);
    for_active(&p, WR_CLAY_STAGE_NEIGHBOURS, fuse);
    for_active(&p, WR_CLAY_STAGE_RESAMPLING, resample);
    for_active(&p, WR_CLAY_STAGE_NEIGHBOURS, find_neighbours);
    for_active(&p, WR_CLAY_STAGE_MOTION, end_step);
    wri_scratch_reset(&world->scratch);
}
