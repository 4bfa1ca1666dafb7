// actor.c: the actor of a character: its behaviour, its place on the path, and their effects.
//
// One step: buttons and clocks; the first transition that fires; the equilibrium q (section
// 4.2.2.1); facing, pushes and the effects of leaving and entering. Velocities change once, by the
// sum of all that. Nails are part of the sprite's state. Times are compared half a step early, so
// that a sum of floats that should be 0.3 s is 0.3 s.
#include "controller.h"

#include "../base/parameter.h"

static const double NEVER = 1e9;                  // seconds
static const float G = 9.81f;                     // m/s^2, of the unit of pushes
static const uint64_t MAGIC = 0x31524f5443415257; // "WRACTOR1"

typedef struct actor_state {
    int64_t steps, changes;
    double time, phase, airborne;
    double pressed[WR_CONTROLLER_BUTTONS_MAX], released[WR_CONTROLLER_BUTTONS_MAX]; // s ago
    wr_sprite_point from; // q when it began
    uint32_t down;
    int32_t behaviour;
} actor_state;

// Saved and hashed as it is: no padding.
static_assert(sizeof(actor_state) ==
                  16 + 24 + 16 * WR_CONTROLLER_BUTTONS_MAX + sizeof(wr_sprite_point) + 8,
              "actor_state has padding");

struct wr_actor {
    wr_allocator allocator;
    const wr_controller *controller;
    wr_sprite_world *world;
    int sprite;
    wr_sprite_parameters base; // as they are when no behaviour changes them
    actor_state state;
};

typedef struct step_context {
    const wr_sprite_asset *asset;
    const wr_behaviour *b;
    wr_sprite_facts facts;
    float dt;
    float side;           // where it faces: 1 right, -1 left
    wr_vec2 velocity;     // m/s, with the change
    wr_vec2 change;       // m/s
    float angular_change; // rad/s
} step_context;

static const wr_behaviour *behaviour_of(const wr_actor *a)
{
    return &a->controller->desc.behaviours[a->state.behaviour];
}

// --- parameters -------------------------------------------------------------------------------

static wr_sprite_parameters parameters_in(const wr_actor *a, const wr_behaviour *b)
{
    wr_sprite_parameters p = a->base;
    for (int i = 0; i < b->setting_count; i++) {
        const wr_setting *s = &b->settings[i];
        wri_parameter_set(wri_sprite_find_parameter(s->parameter), s->value, &p);
    }
    p.drag_of_example = b->drag_of_example ? b->drag_of_example : p.drag_of_example;
    return p;
}

static void apply_parameters(wr_actor *a)
{
    wr_sprite_parameters p = parameters_in(a, behaviour_of(a));
    bool ok = wr_sprite_set_parameters(a->world, a->sprite, &p, NULL);
    WR_ASSERT(ok); // wr_actor_create tried them all
    (void)ok;
}

static bool check_parameters(const wr_actor *a, wr_error *error)
{
    for (int i = 0; i < a->controller->desc.behaviour_count; i++) {
        const wr_behaviour *b = &a->controller->desc.behaviours[i];
        wr_sprite_parameters p = parameters_in(a, b);
        wr_error why = {0};
        if (!wri_sprite_check_parameters(a->controller->asset, &p, &why)) {
            return wri_fail(error, why.code, "behaviour \"%.40s\": %.180s", b->name, why.message);
        }
    }
    return true;
}

// Checks that there is room for all its nails at once, besides those that are there.
static bool check_nails(const wr_actor *a, wr_error *error)
{
    int particles[WR_SPRITE_NAILS_MAX];
    int count = wri_controller_find_nails(&a->controller->desc, particles);
    const wri_sprite_state *s = &wri_sprite_of(a->world, a->sprite)->state;
    int most = count + s->nail_count;
    for (int i = 0; i < count * s->nail_count; i++) {
        most -= particles[i / s->nail_count] == s->nails[i % s->nail_count].particle;
    }
    return most <= WR_SPRITE_NAILS_MAX ||
           wri_fail(error, WR_E_ARGUMENT,
                    "%d nails and %d particles that behaviours hold, expected at most %d together",
                    s->nail_count, count, WR_SPRITE_NAILS_MAX);
}

// --- create -----------------------------------------------------------------------------------

wr_actor *wr_actor_create(const wr_controller *controller, wr_sprite_world *world, int sprite,
                          const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, controller, world) || !wri_sprite_exists(world, sprite, error)) {
        return NULL;
    }
    if (wr_sprite_get_asset(world, sprite) != controller->asset) {
        wri_fail(error, WR_E_ARGUMENT, "sprite: %d is of another asset than the controller",
                 sprite);
        return NULL;
    }
    wr_actor *a = wri_alloc(allocator, 1, sizeof *a);
    if (!a) {
        wri_fail_memory(error, sizeof *a);
        return NULL;
    }
    a->allocator = wri_arena_create(allocator).allocator;
    a->controller = controller;
    a->world = world;
    a->sprite = sprite;
    a->base = *wr_sprite_get_parameters(world, sprite);
    actor_state *s = &a->state;
    s->behaviour = controller->desc.start;
    for (int i = 0; i < WR_CONTROLLER_BUTTONS_MAX; i++) {
        s->pressed[i] = s->released[i] = NEVER;
    }
    if (!check_parameters(a, error) || !check_nails(a, error)) {
        wr_actor_destroy(a);
        return NULL;
    }
    s->from = wri_pose_path_point(controller->asset, &behaviour_of(a)->path, 0.0);
    wr_sprite_set_equilibrium(world, sprite, s->from);
    apply_parameters(a);
    return a;
}

void wr_actor_destroy(wr_actor *actor)
{
    if (actor) {
        const wr_allocator allocator = actor->allocator;
        wri_free(&allocator, actor, 1, sizeof *actor);
    }
}

// --- what happens -----------------------------------------------------------------------------

static void change_velocity(step_context *c, float x, float y)
{
    c->change.x += x;
    c->change.y += y;
    c->velocity.x += x;
    c->velocity.y += y;
}

static void face(wr_actor *a, step_context *c, float side)
{
    if (side * c->side < 0.0f) {
        wr_sprite_flip(a->world, a->sprite);
        c->side = side;
    }
}

static void happen(wr_actor *a, step_context *c, const wr_effect *e)
{
    float L = c->asset->L;
    change_velocity(c, -e->brake * c->velocity.x, -e->brake * c->velocity.y);
    if (e->jump > 0.0f) {
        change_velocity(c, 0.0f, c->asset->v_L * sqrtf(e->jump) - wr_minf(c->velocity.y, 0.0f));
    }
    change_velocity(c, c->side * L * e->kick.x, L * e->kick.y);
    c->angular_change -= c->side * e->angular_velocity;
    if (e->flip) {
        face(a, c, -c->side);
    }
    for (int i = 0; i < e->release_count; i++) {
        wr_sprite_remove_nail(a->world, a->sprite, e->releases[i]);
    }
    for (int i = 0; i < e->nail_count; i++) { // fails only for one that is not finite any more
        wr_vec2 place = wr_sprite_positions(a->world, a->sprite)[e->nails[i]];
        (void)wr_sprite_set_nail(a->world, a->sprite, e->nails[i], place, NULL);
    }
}

// Returns the direction of the buttons: -1, 0 or 1.
static float pointed(const wr_actor *a)
{
    const wr_controller_desc *desc = &a->controller->desc;
    bool left = desc->left >= 0 && (a->state.down >> desc->left & 1u);
    bool right = desc->right >= 0 && (a->state.down >> desc->right & 1u);
    return (float)right - (float)left;
}

static void look(wr_actor *a, step_context *c)
{
    float vx = c->velocity.x, least = 0.2f * c->asset->L;
    switch (c->b->face) {
    case WR_FACE_STAYS:
        break;
    case WR_FACE_INPUT:
        face(a, c, pointed(a));
        break;
    case WR_FACE_VELOCITY:
        face(a, c, vx > least ? 1.0f : vx < -least ? -1.0f : 0.0f);
        break;
    case WR_FACE_LEFT:
        face(a, c, -1.0f);
        break;
    case WR_FACE_RIGHT:
        face(a, c, 1.0f);
        break;
    }
}

static float heading_of(const wr_actor *a, const step_context *c)
{
    switch (c->b->heading) {
    case WR_HEADING_INPUT:
        return pointed(a);
    case WR_HEADING_FACING:
        return c->side;
    case WR_HEADING_LEFT:
        return -1.0f;
    case WR_HEADING_RIGHT:
        return 1.0f;
    }
    return 0.0f;
}

static void walk(wr_actor *a, step_context *c)
{
    float way = heading_of(a, c), most = c->b->grip * G * c->dt;
    if (!(c->b->walk > 0.0f) || way == 0.0f) {
        return;
    }
    float missing = c->b->walk * c->asset->L - way * c->velocity.x;
    float least = c->b->steer ? 0.0f : -most;
    change_velocity(c, way * wr_maxf(least, wr_minf(missing, most)), 0.0f);
}

static void push(wr_actor *a, step_context *c)
{
    for (int i = 0; i < c->b->push_count; i++) {
        const wr_push_while *p = &c->b->pushes[i];
        float size = sqrtf(p->along.x * p->along.x + p->along.y * p->along.y);
        if ((p->buttons && !(p->buttons & a->state.down)) || !(size > 0.0f)) {
            continue;
        }
        float x = p->along.x / size, y = p->along.y / size, more = size * G * c->dt;
        float speed = x * c->velocity.x + y * c->velocity.y;
        if (p->up_to > 0.0f) {
            more = wr_maxf(0.0f, wr_minf(more, p->up_to * c->asset->L - speed));
        }
        change_velocity(c, more * x, more * y);
    }
}

// --- clocks -----------------------------------------------------------------------------------

static double later(double time, double dt)
{
    return fmin(time + dt, NEVER);
}

static void count_buttons(wr_actor *a, uint32_t down, double dt)
{
    actor_state *s = &a->state;
    uint32_t known = (uint32_t)((UINT64_C(1) << a->controller->desc.button_count) - 1);
    down &= known;
    for (int i = 0; i < a->controller->desc.button_count; i++) {
        bool is = down >> i & 1u, was = s->down >> i & 1u;
        s->pressed[i] = is && !was ? 0.0 : later(s->pressed[i], dt);
        s->released[i] = was && !is ? 0.0 : later(s->released[i], dt);
    }
    s->down = down;
}

static bool is_done(const wr_actor *a, double dt)
{
    const wr_pose_path *path = &behaviour_of(a)->path;
    return !path->loop && a->state.phase > wri_pose_path_time(path) - 0.5 * dt;
}

static void go_along(wr_actor *a, const step_context *c)
{
    actor_state *s = &a->state;
    const wr_pose_path *path = &c->b->path;
    if (c->b->only_while && !(c->b->only_while & s->down)) {
        return;
    }
    double total = wri_pose_path_time(path), step = (double)c->dt;
    if (path->stride > 0.0f) {
        step *= total * (double)(c->side * c->facts.velocity.x / (path->stride * c->asset->L));
    }
    s->phase += (double)c->b->rate * step;
    if (path->loop) {
        s->phase -= total * floor(s->phase / total);
    } else {
        s->phase = fmax(0.0, fmin(s->phase, total));
    }
}

// --- transitions ------------------------------------------------------------------------------

// Returns those of the buttons that did it lately enough.
static uint32_t lately(const double *ago, uint32_t buttons, double most)
{
    uint32_t found = 0;
    for (int i = 0; i < WR_CONTROLLER_BUTTONS_MAX; i++) {
        found |= buttons >> i & 1u && ago[i] < most ? 1u << i : 0u;
    }
    return found;
}

static double number_of(const wr_actor *a, const step_context *c, wr_fact fact)
{
    double vx = (double)c->facts.velocity.x, vy = (double)c->facts.velocity.y;
    double L = (double)c->asset->L;
    switch (fact) {
    case WR_FACT_TIME:
        return a->state.time;
    case WR_FACT_AIRBORNE:
        return a->state.airborne;
    case WR_FACT_SPEED:
        return sqrt(vx * vx + vy * vy) / L;
    case WR_FACT_FORWARD:
        return (double)c->side * vx / L;
    case WR_FACT_RISING:
        return vy / L;
    case WR_FACT_FALLING:
        return -vy / L;
    default:
        return (double)c->facts.impact_energy;
    }
}

static bool is_met(const wr_actor *a, const step_context *c, const wr_condition *k)
{
    double half = 0.5 * (double)c->dt;
    switch (k->fact) {
    case WR_FACT_PRESSED:
        return lately(a->state.pressed, k->buttons, k->most + half) != 0;
    case WR_FACT_RELEASED:
        return lately(a->state.released, k->buttons, k->most + half) != 0;
    case WR_FACT_DOWN:
        return (a->state.down & k->buttons) != 0;
    case WR_FACT_ON_GROUND:
        return c->facts.on_ground;
    case WR_FACT_TOUCHING:
        return c->facts.touching;
    case WR_FACT_DONE:
        return is_done(a, (double)c->dt);
    case WR_FACT_FACES_RIGHT:
        return c->side > 0.0f;
    case WR_FACT_NEAR: {
        wr_sprite_point there = wr_sprite_asset_example_point(c->asset, k->example);
        return (double)wri_sprite_point_distance(c->asset, c->facts.projected, there) <= k->most;
    }
    case WR_FACT_TIME:
    case WR_FACT_AIRBORNE: { // the upper end is left out: what is before 0.3 s is not after it
        double time = number_of(a, c, k->fact) + half;
        return time >= k->least && !(time >= k->most);
    }
    default: {
        double number = number_of(a, c, k->fact);
        return number >= k->least && number <= k->most;
    }
    }
}

// Uses up a press that led somewhere: it has had its effect.
static void use_up(wr_actor *a, const wr_transition *t, double dt)
{
    for (int i = 0; i < t->condition_count; i++) {
        const wr_condition *k = &t->conditions[i];
        double *ago = k->fact == WR_FACT_PRESSED    ? a->state.pressed
                      : k->fact == WR_FACT_RELEASED ? a->state.released
                                                    : NULL;
        uint32_t used = ago && !k->no ? lately(ago, k->buttons, k->most + 0.5 * dt) : 0;
        for (int b = 0; b < WR_CONTROLLER_BUTTONS_MAX; b++) {
            if (used >> b & 1u) {
                ago[b] = NEVER;
            }
        }
    }
}

static const wr_transition *find_transition(const wr_actor *a, const step_context *c)
{
    for (int i = 0; i < c->b->transition_count; i++) {
        const wr_transition *t = &c->b->transitions[i];
        bool all = true;
        for (int k = 0; all && k < t->condition_count; k++) {
            all = is_met(a, c, &t->conditions[k]) != t->conditions[k].no;
        }
        if (all) {
            return t;
        }
    }
    return NULL;
}

// Begins a behaviour; in this step its time is 0.
static void begin(wr_actor *a, step_context *c, int behaviour)
{
    actor_state *s = &a->state;
    s->behaviour = behaviour;
    s->time = s->phase = 0.0;
    s->from = c->facts.equilibrium;
    c->b = behaviour_of(a);
    apply_parameters(a);
    look(a, c);
    happen(a, c, &c->b->enter);
}

static wr_sprite_point equilibrium(const wr_actor *a, const step_context *c)
{
    const actor_state *s = &a->state;
    wr_sprite_point q = wri_pose_path_point(c->asset, &c->b->path, s->phase);
    double blend = (double)c->b->blend;
    return s->time < blend ? wr_sprite_asset_walk(c->asset, s->from, q, (float)(s->time / blend))
                           : q;
}

// --- the step ---------------------------------------------------------------------------------

static float side_of(const wr_actor *a, const wr_sprite_facts *facts)
{
    return facts->flipped == a->controller->desc.faces_left ? 1.0f : -1.0f;
}

void wr_actor_step(wr_actor *a, uint32_t down, float dt)
{
    WR_ASSERT(a);
    if (!wri_is_step(dt)) {
        return;
    }
    actor_state *s = &a->state;
    step_context c = {.asset = a->controller->asset,
                      .b = behaviour_of(a),
                      .facts = wr_sprite_get_facts(a->world, a->sprite),
                      .dt = dt};
    c.side = side_of(a, &c.facts);
    c.velocity = c.facts.velocity;
    count_buttons(a, down, (double)dt);
    s->airborne = c.facts.on_ground ? 0.0 : later(s->airborne, (double)dt);
    if (s->steps++ == 0) {
        begin(a, &c, s->behaviour);
    } else {
        s->time = later(s->time, (double)dt);
        go_along(a, &c);
        const wr_transition *t = find_transition(a, &c);
        if (t) {
            use_up(a, t, (double)dt);
            happen(a, &c, &c.b->leave);
            begin(a, &c, t->to);
            s->changes++;
        }
    }
    wr_sprite_set_equilibrium(a->world, a->sprite, equilibrium(a, &c));
    look(a, &c);
    walk(a, &c);
    push(a, &c);
    if (c.change.x != 0.0f || c.change.y != 0.0f || c.angular_change != 0.0f) {
        wr_sprite_add_velocity(a->world, a->sprite, c.change, c.angular_change);
    }
}

uint32_t wr_buttons_down_at(const wr_buttons_down *keys, int count, int64_t step)
{
    int low = 0, high = count; // keys before low are not later than step, those from high on are
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (keys[middle].step <= step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? keys[low - 1].down : 0;
}

wr_actor_facts wr_actor_get_facts(const wr_actor *actor)
{
    wr_sprite_facts facts = wr_sprite_get_facts(actor->world, actor->sprite);
    return (wr_actor_facts){.behaviour = actor->state.behaviour,
                            .time = actor->state.time,
                            .phase = actor->state.phase,
                            .done = is_done(actor, 1e-9),
                            .down = actor->state.down,
                            .faces_right = side_of(actor, &facts) > 0.0f,
                            .changes = actor->state.changes};
}

// --- bytes ------------------------------------------------------------------------------------

typedef struct saved {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t behaviours, buttons;
    actor_state state;
} saved;

enum { UNCHECKED = 16 };

uint64_t wr_actor_hash(const wr_actor *actor)
{
    return wri_hash(&actor->state, sizeof actor->state, 0);
}

size_t wr_actor_save_size(const wr_actor *actor)
{
    (void)actor;
    return sizeof(saved);
}

void wr_actor_save(const wr_actor *actor, void *bytes)
{
    saved s = {.magic = MAGIC,
               .behaviours = actor->controller->desc.behaviour_count,
               .buttons = actor->controller->desc.button_count,
               .state = actor->state};
    s.check = wri_hash((const uint8_t *)&s + UNCHECKED, sizeof s - UNCHECKED, 0);
    memcpy(bytes, &s, sizeof s);
}

static bool is_time(double x)
{
    return x >= 0.0 && x <= NEVER;
}

static bool is_state(const wr_actor *a, const actor_state *s)
{
    bool ok = s->steps >= 0 && s->changes >= 0 && s->behaviour >= 0 &&
              s->behaviour < a->controller->desc.behaviour_count && is_time(s->time) &&
              is_time(s->phase) && is_time(s->airborne) &&
              wri_sprite_is_point(a->controller->asset, s->from);
    for (int i = 0; i < WR_CONTROLLER_BUTTONS_MAX; i++) {
        ok = ok && is_time(s->pressed[i]) && is_time(s->released[i]);
    }
    return ok;
}

bool wr_actor_restore(wr_actor *actor, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE(error, actor, bytes)) {
        return false;
    }
    saved s;
    if (size != sizeof s) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: %zu bytes of an actor, expected %zu", size,
                        sizeof s);
    }
    memcpy(&s, bytes, sizeof s);
    if (s.magic != MAGIC ||
        s.check != wri_hash((const uint8_t *)&s + UNCHECKED, sizeof s - UNCHECKED, 0)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: not one of an actor, or damaged");
    }
    if (s.behaviours != actor->controller->desc.behaviour_count ||
        s.buttons != actor->controller->desc.button_count || !is_state(actor, &s.state)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: of another controller");
    }
    actor->state = s.state;
    apply_parameters(actor);
    return true;
}
