// level.c: half-planes and convex polygons, fixed or driven, or of bodies that give way (body.c).
//
// A particle is looked at in the frame of the level piece, where it was before the step and where
// it is now: a driven piece needs no case of its own and carries what stands on it. A particle that
// was inside before the step began (a pose or a turn put it there) is taken out without getting
// velocity from it: its prediction moves with it.
#include "world.h"

#include "../math/elementary.h"

typedef struct frame {
    float cosine, sine, x, y; // a point of the sprite's frame in the piece's: R^T (p + (x, y))
} frame;

static frame frame_of(const wri_sprite *s, const wri_level_place *place)
{
    frame f = {place->cosine, place->sine, (float)(s->state.origin[0] - (double)place->position.x),
               (float)(s->state.origin[1] - (double)place->position.y)};
    return f;
}

static inline wr_vec2 to_piece(const frame *f, float x, float y)
{
    float px = x + f->x, py = y + f->y;
    return (wr_vec2){f->cosine * px + f->sine * py, f->cosine * py - f->sine * px};
}

// --- places -----------------------------------------------------------------------------------

static void add_to_box(float box[4], const wri_level_place *place, wr_vec2 corner)
{
    float x = place->position.x + place->cosine * corner.x - place->sine * corner.y;
    float y = place->position.y + place->sine * corner.x + place->cosine * corner.y;
    box[0] = wr_minf(box[0], x);
    box[1] = wr_minf(box[1], y);
    box[2] = wr_maxf(box[2], x);
    box[3] = wr_maxf(box[3], y);
}

// Returns where a piece is in the next substep, when so many are left.
static wri_level_place place_between(const wri_level *level, int substeps)
{
    wri_level_place p = level->next;
    if (substeps > 1 && level->moves) {
        float share = 1.0f / (float)substeps;
        p.position.x = level->now.position.x + share * (p.position.x - level->now.position.x);
        p.position.y = level->now.position.y + share * (p.position.y - level->now.position.y);
        p.angle = level->now.angle + share * (p.angle - level->now.angle);
        wri_sin_cos(p.angle, &p.sine, &p.cosine);
    }
    return p;
}

void wri_sprite_place_levels(wr_sprite_world *world, int substeps)
{
    world->present.count = 0;
    for (int k = 0; k < world->levels.count; k++) {
        wri_level *level = &WRI_ITEM(world->levels, wri_level, k);
        if (level->is_absent) {
            continue;
        }
        *(int *)wri_array_add(&world->present, 1) = k; // there is room
        if (level->body) {
            level->moves = true;
        } else {
            level->moves = memcmp(&level->now, &level->next, sizeof level->now) != 0;
            level->before = level->now;
            level->now = place_between(level, substeps);
        }
        level->box[0] = level->box[1] = INFINITY;
        level->box[2] = level->box[3] = -INFINITY;
        for (int i = 0; i < level->count; i++) {
            wr_vec2 corner = WRI_ITEM(world->corners, wr_vec2, level->first + i);
            add_to_box(level->box, &level->now, corner);
            add_to_box(level->box, &level->before, corner);
        }
    }
}

// --- one particle -----------------------------------------------------------------------------

// A piece of level as a sprite sees it.
typedef struct meeting {
    const wri_level *level;
    frame now, before;
    float friction, dt, slop;
    wr_vec2 let_down; // in the frame of the piece
    int pair;         // of the sprite and the body whose piece it is, -1: none
} meeting;

// Finds how far the piece itself moved at a point of it, m, along a normal in the world and its
// tangent.
static void find_travel(const wri_level *level, wr_vec2 p, const float n[2], float travel[2])
{
    const wri_level_place *a = &level->now, *b = &level->before;
    float x =
        a->position.x - b->position.x + (a->cosine - b->cosine) * p.x - (a->sine - b->sine) * p.y;
    float y =
        a->position.y - b->position.y + (a->sine - b->sine) * p.x + (a->cosine - b->cosine) * p.y;
    travel[0] = level->moves ? x * n[0] + y * n[1] : 0.0f;
    travel[1] = level->moves ? y * n[0] - x * n[1] : 0.0f;
}

static inline wr_vec2 where_before(const wri_sprite *s, int i, const meeting *t)
{
    return to_piece(&t->before, s->px[i] - t->dt * s->vx[i], s->py[i] - t->dt * s->vy[i]);
}

typedef struct found {
    int particle;
    const float *normal; // in the frame of the piece
    float depth, old;
    wr_vec2 now, before;
} found;

// Treats a particle that is inside.
typedef void found_fn(wr_sprite_world *world, wri_sprite *s, meeting *t, const found *f);

static void meet_plane(wr_sprite_world *world, wri_sprite *s, meeting *t, found_fn *each)
{
    static const float up[2] = {0.0f, 1.0f};
    for (int i = 0; i < s->asset->N; i++) {
        float height = t->now.cosine * (s->y[i] + t->now.y) - t->now.sine * (s->x[i] + t->now.x);
        if (height < 0.0f) {
            found f = {
                i, up, 0.0f, 0.0f, to_piece(&t->now, s->x[i], s->y[i]), where_before(s, i, t)};
            f.depth = -f.now.y;
            f.old = wr_clampf(-f.before.y, 0.0f, f.depth);
            each(world, s, t, &f);
        }
    }
}

// Returns the side of a polygon that a particle has to leave by on its way a -> b, -1: it does not
// meet it. Inside, it is of the sides it was not behind before the one it has moved against least:
// what slides over a seam stays on top, though it comes in by the side. When it has gone through,
// it is the side it came in by.
static int leaving_side(const wri_level_side *sides, int count, wr_vec2 a, wr_vec2 b, float slop)
{
    float in = 0.0f, out = 1.0f, least = INFINITY, nearest = -INFINITY;
    int entered = -1, side = -1, any = -1;
    bool inside = true;
    for (int k = 0; k < count; k++) {
        const wri_level_side *f = &sides[k];
        float da = f->normal[0] * a.x + f->normal[1] * a.y - f->offset;
        float db = f->normal[0] * b.x + f->normal[1] * b.y - f->offset;
        if (db >= 0.0f) {
            if (da >= 0.0f) {
                return -1;
            }
            inside = false;
            out = wr_minf(out, da / (da - db));
            continue;
        }
        if (da > -slop) {
            float when = da > 0.0f ? da / (da - db) : 0.0f;
            if (entered < 0 || when > in) {
                in = when;
                entered = k;
            }
            if (da - db < least) {
                least = da - db;
                side = k;
            }
        }
        if (db > nearest) {
            nearest = db;
            any = k;
        }
    }
    if (inside) {
        return side >= 0 ? side : any;
    }
    return entered >= 0 && in < out ? entered : -1;
}

static void meet_polygon(wr_sprite_world *world, wri_sprite *s, meeting *t, found_fn *each)
{
    const wri_level *level = t->level;
    const wri_level_side *sides = &WRI_ITEM(world->sides, wri_level_side, level->first);
    float reach2 = level->radius * level->radius;
    for (int i = 0; i < s->asset->N; i++) {
        wr_vec2 now = to_piece(&t->now, s->x[i], s->y[i]), before = where_before(s, i, t);
        float way2 =
            (now.x - before.x) * (now.x - before.x) + (now.y - before.y) * (now.y - before.y);
        if (now.x * now.x + now.y * now.y > 2.0f * (reach2 + way2)) {
            continue; // |now| > radius + way
        }
        // It came from where it was before it was let down, or it might leave on the far side.
        wr_vec2 from = {before.x + t->let_down.x, before.y + t->let_down.y};
        int k = leaving_side(sides, level->count, from, now, t->slop);
        const float *n = k >= 0 ? sides[k].normal : NULL;
        float depth = n ? sides[k].offset - n[0] * now.x - n[1] * now.y : 0.0f;
        if (depth > 0.0f) { // not by rounding: on the side itself nothing is to be resolved
            found f = {i, n, depth, 0.0f, now, before};
            float old = sides[k].offset - n[0] * before.x - n[1] * before.y;
            f.old = wr_clampf(old, 0.0f, f.depth);
            each(world, s, t, &f);
        }
    }
}

// Finds the normal in the world.
static void find_normal(const meeting *t, const found *f, float n[2])
{
    n[0] = t->now.cosine * f->normal[0] - t->now.sine * f->normal[1];
    n[1] = t->now.sine * f->normal[0] + t->now.cosine * f->normal[1];
}

// Returns how far it slid over the piece along the tangent, m.
static float slid(const found *f)
{
    return (f->before.x - f->now.x) * f->normal[1] + (f->now.y - f->before.y) * f->normal[0];
}

static void press(wr_sprite_world *world, wri_sprite *s, meeting *t, const found *f)
{
    wri_flat_body *body = t->level->body;
    wri_touch *p =
        s->inverse_masses[f->particle] > 0.0f || body ? wri_sprite_add_touch(world) : NULL;
    if (!p) {
        return;
    }
    float n[2], x = s->x[f->particle], y = s->y[f->particle];
    find_normal(t, f, n);
    *p = (wri_touch){.a = &s->whole,
                     .pair = -1,
                     .normal = {n[0], n[1]},
                     .at_a = {x - (float)s->center[0], y - (float)s->center[1]},
                     .depth = f->depth,
                     .old = f->old,
                     .slid = slid(f),
                     .friction = t->friction,
                     .share = s->hold_share};
    if (body) {
        p->b = &body->whole;
        p->pair = t->pair;
        wri_flat_body_arm(body, s, x, y, p->at_b);
        p->approach = wri_flat_body_travel(body, p->at_b, n[0], n[1], t->dt);
    } else {
        find_travel(t->level, f->now, p->normal, p->moved);
        p->approach = p->moved[0];
    }
    p->approach -= wri_sprite_travel(s, x, y, n[0], n[1], t->dt);
}

// Moves a particle by a positional impulse x, y and, without velocity, by `old` along n; sets x, y
// to what rounding left of it.
static void move_particle(wri_sprite *s, int i, float old, const float n[2], float *x, float *y)
{
    float w = s->inverse_masses[i];
    const wr_vec2 was = {s->x[i] - s->px[i], s->y[i] - s->py[i]};
    s->px[i] += w * old * n[0];
    s->py[i] += w * old * n[1];
    s->x[i] += w * (old * n[0] + *x);
    s->y[i] += w * (old * n[1] + *y);
    if (w > 0.0f) {
        *x = s->asset->masses[i] * (s->x[i] - s->px[i] - was.x);
        *y = s->asset->masses[i] * (s->y[i] - s->py[i] - was.y);
    }
}

static void add_level_energy(wri_sprite *s, float energy)
{
    s->impact_energy += energy;
    s->level_impact_energy += energy;
    s->touched = true;
}

// Takes a particle and a body apart, each as far as it gives way.
static void push_apart(wr_sprite_world *world, wri_sprite *s, meeting *t, const found *f)
{
    wri_flat_body *body = t->level->body;
    int i = f->particle;
    float n[2], at[2];
    find_normal(t, f, n);
    wri_flat_body_arm(body, s, s->x[i], s->y[i], at);
    wri_response response = wri_flat_body_response(body, at, -n[0], -n[1]);
    float w_n = s->inverse_masses[i] + response.inverse_effective_mass[0];
    float w_t = s->inverse_masses[i] + response.inverse_effective_mass[1];
    if (!(w_n > 0.0f)) { // nailed, or nothing moves the body
        return;
    }
    float old = f->old / w_n, lambda_n = f->depth / w_n - old;
    float most = w_t > 0.0f ? t->friction * lambda_n : 0.0f;
    float lambda_t = most > 0.0f ? wr_clampf(slid(f) / w_t, -most, most) : 0.0f;
    float x = lambda_n * n[0] + lambda_t * n[1], y = lambda_n * n[1] - lambda_t * n[0];
    float approach = wri_flat_body_travel(body, at, n[0], n[1], t->dt) -
                     wri_sprite_travel(s, s->x[i], s->y[i], n[0], n[1], t->dt);
    add_level_energy(s, wri_sprite_impact_energy(lambda_n, f->depth - f->old, 1.0f, approach));
    const float at_s[2] = {s->x[i] - (float)s->center[0], s->y[i] - (float)s->center[1]};
    move_particle(s, i, old, n, &x, &y);
    wri_sprite_add_impulse(&s->whole, s->x[i], s->y[i], x, y);
    wri_sprite_add_passing(&s->whole, &body->whole, x, y, t->dt);
    wri_sprite_add_pair_impulse(world, t->pair, &s->whole, x, y, at_s, at);
    float slide[3], due[3];
    for (int k = 0; k < 3; k++) {
        due[k] = old * response.slides[0][k];
        slide[k] = due[k] + lambda_n * response.slides[0][k] - lambda_t * response.slides[1][k];
    }
    wri_flat_body_push(world, body, at, -x, -y, slide, due);
    t->now = frame_of(s, &t->level->now);
    world->statistics.contacts++;
}

// Takes a particle out, and slows it down by friction.
static void push_out(wr_sprite_world *world, wri_sprite *s, meeting *t, const found *f)
{
    int i = f->particle;
    if (t->level->body) {
        push_apart(world, s, t, f);
        return;
    }
    if (s->inverse_masses[i] == 0.0f) { // nailed there
        return;
    }
    wri_level_impulse p = {.at = {0}};
    find_normal(t, f, p.normal);
    float m = s->asset->masses[i], fresh = f->depth - f->old;
    float nx = p.normal[0], ny = p.normal[1];
    float back = wr_clampf(slid(f), -t->friction * fresh, t->friction * fresh);
    s->px[i] += nx * f->old;
    s->py[i] += ny * f->old;
    s->x[i] += nx * f->depth + ny * back;
    s->y[i] += ny * f->depth - nx * back;
    wri_sprite_add_impulse(&s->whole, s->x[i], s->y[i], m * (fresh * nx + back * ny),
                           m * (fresh * ny - back * nx));
    p.at = (wr_vec2){s->x[i], s->y[i]};
    p.lambda_n = m * fresh;
    p.lambda_t = -m * back;
    find_travel(t->level, f->now, p.normal, p.moved);
    p.travel = p.moved[0];
    wri_sprite_add_level_impulse(s, NULL, &p);
    float approach = p.travel - wri_sprite_travel(s, s->x[i], s->y[i], nx, ny, t->dt);
    add_level_energy(s, wri_sprite_impact_energy(m * fresh, fresh, 1.0f, approach));
    world->statistics.contacts++;
}

// --- all --------------------------------------------------------------------------------------

static bool may_meet(const wri_sprite *s, const wri_level *level)
{
    if (level->count > 0) {
        return wri_sprite_boxes_meet(s->world_box, level->box);
    }
    frame f = frame_of(s, &level->now); // the corner of the box that is lowest
    float x = f.sine > 0.0f ? s->box.max[0] : s->box.min[0];
    float y = f.cosine > 0.0f ? s->box.min[1] : s->box.max[1];
    return to_piece(&f, x, y).y < 0.0f || level->moves;
}

static void meet_levels(wr_sprite_world *world, found_fn *each)
{
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        for (int k = 0; !s->removed && k < world->present.count; k++) {
            const wri_level *level = wri_present_level(world, k);
            if (wri_sprite_collides_with_level(s, level) && may_meet(s, level)) {
                meeting t = {.level = level,
                             .now = frame_of(s, &level->now),
                             .before = frame_of(s, &level->before),
                             .friction = sqrtf(s->parameters.friction * level->friction),
                             .dt = world->dt,
                             .slop = 1e-3f * s->asset->L,
                             .pair = wri_sprite_pair_with(world, s, level->body)};
                t.let_down.x = t.now.cosine * s->let_down[0] + t.now.sine * s->let_down[1];
                t.let_down.y = t.now.cosine * s->let_down[1] - t.now.sine * s->let_down[0];
                (level->count > 0 ? meet_polygon : meet_plane)(world, s, &t, each);
            }
        }
    }
}

void wri_sprite_touch_levels(wr_sprite_world *world)
{
    meet_levels(world, press);
}

void wri_sprite_solve_levels(wr_sprite_world *world)
{
    meet_levels(world, push_out);
}
