// collide.c: sprites keep out of one another.
//
// Boxes sorted along the longer side of the world find the pairs. A particle on one outline that is
// inside another sprite, or near enough to get there within the step, becomes a contact with the
// nearest edge of its outline; the corners of level polygons are such points too, so that a thin
// one does not slip in between two particles. Contacts are found once per step. In every round they
// touch the wholes (touch.c); for what is left the point and the edge are moved apart along the
// edge's normal, each particle in proportion to its inverse mass. The three positional impulses sum
// to zero and lie on one line: neither linear nor angular momentum is added. A point that slides
// past the end of its edge goes on along the outline.
#include "world.h"

// --- the nearest edge -------------------------------------------------------------------------

typedef struct edge {
    int from, to;
    float x, y, dx, dy, length2;
    float along; // place of the point, 0: from, 1: to
    float side;  // > 0: the point is outside; metres times the length
} edge;

static edge look_at_edge(const wri_sprite *s, int index, float x, float y)
{
    const int *ends = &s->asset->edges[2 * index];
    edge e = {.from = ends[0], .to = ends[1], .x = s->x[ends[0]], .y = s->y[ends[0]]};
    e.dx = s->x[ends[1]] - e.x;
    e.dy = s->y[ends[1]] - e.y;
    e.length2 = e.dx * e.dx + e.dy * e.dy;
    float px = x - e.x, py = y - e.y;
    e.along = e.length2 > 0.0f ? (px * e.dx + py * e.dy) / e.length2 : 0.5f;
    e.side = px * e.dy - py * e.dx;
    e.side = s->state.flipped ? -e.side : e.side; // mirrored: the inside is on its right
    return e;
}

// Tells whether the point is inside, seen from its nearest edge. Past the end of that edge it is
// when it is inside of the next one too.
static bool is_inside(const wri_sprite *s, int index, float x, float y)
{
    edge e = look_at_edge(s, index, x, y);
    if (e.side >= 0.0f || (e.along >= 0.0f && e.along <= 1.0f)) {
        return e.side < 0.0f;
    }
    int next = s->asset->edge_ways[2 * index + (e.along > 1.0f)];
    return next >= 0 && look_at_edge(s, next, x, y).side < 0.0f;
}

int wri_sprite_nearest_edge(const wr_sprite_world *world, const wri_sprite *s, float x, float y,
                            float far)
{
    const wr_sprite_asset *asset = s->asset;
    float *distance2 = world->nearness.items;
    for (int e = 0; e < asset->edge_count; e++) {
        int from = asset->edges[2 * e], to = asset->edges[2 * e + 1];
        float ax = s->x[from], ay = s->y[from], dx = s->x[to] - ax, dy = s->y[to] - ay;
        float px = x - ax, py = y - ay, length2 = dx * dx + dy * dy + 1e-30f;
        float t = (px * dx + py * dy) / length2;
        t = t < 0.0f ? 0.0f : t;
        t = t > 1.0f ? 1.0f : t;
        px -= t * dx;
        py -= t * dy;
        distance2[e] = px * px + py * py;
    }
    int best = -1;
    float least = INFINITY;
    for (int e = 0; e < asset->edge_count; e++) {
        if (distance2[e] < least) {
            least = distance2[e];
            best = e;
        }
    }
    return best >= 0 && (least < far * far || is_inside(s, best, x, y)) ? best : -1;
}

// --- finding ----------------------------------------------------------------------------------

static void add_contact(wr_sprite_world *world, const wri_contact *contact)
{
    if (world->contact_count < world->contacts.count) {
        WRI_ITEM(world->contacts, wri_contact, world->contact_count++) = *contact;
    } else {
        world->statistics.trouble++;
    }
}

static bool contains(const wri_flat_box *box, float x, float y)
{
    return x >= box->min[0] && x <= box->max[0] && y >= box->min[1] && y <= box->max[1];
}

static void find_in(wr_sprite_world *world, int a, int b, int pair)
{
    const wri_sprite *s = wri_sprite_of(world, a), *other = wri_sprite_of(world, b);
    wri_contact c = {.a = a, .b = b, .pair = pair};
    c.shift[0] = (float)(s->state.origin[0] - other->state.origin[0]);
    c.shift[1] = (float)(s->state.origin[1] - other->state.origin[1]);
    c.friction = sqrtf(s->parameters.friction * other->parameters.friction);
    float far = 0.02f * wr_minf(s->asset->L, other->asset->L);
    for (int k = 0; k < s->asset->outline_count; k++) {
        c.particle = s->asset->outline[k];
        float x = s->x[c.particle] + c.shift[0], y = s->y[c.particle] + c.shift[1];
        if (contains(&other->box, x, y)) {
            c.edge = wri_sprite_nearest_edge(world, other, x, y, far);
            if (c.edge >= 0) {
                add_contact(world, &c);
            }
        }
    }
}

static wr_vec2 corner_in(const wri_sprite *s, const wri_level_place *place, wr_vec2 corner)
{
    float x = (float)((double)place->position.x - s->state.origin[0]);
    float y = (float)((double)place->position.y - s->state.origin[1]);
    return (wr_vec2){x + place->cosine * corner.x - place->sine * corner.y,
                     y + place->sine * corner.x + place->cosine * corner.y};
}

static void find_corners(wr_sprite_world *world, int b, int of_level)
{
    const wri_level *level = &WRI_ITEM(world->levels, wri_level, of_level);
    const wri_sprite *s = wri_sprite_of(world, b);
    wri_contact c = {.a = -1, .level = of_level, .b = b};
    c.pair = wri_sprite_pair_with(world, s, level->body);
    c.friction = sqrtf(s->parameters.friction * level->friction);
    for (int k = 0; k < level->count; k++) {
        wr_vec2 corner = WRI_ITEM(world->corners, wr_vec2, level->first + k);
        wr_vec2 now = corner_in(s, &level->now, corner);
        if (contains(&s->box, now.x, now.y)) {
            wr_vec2 before = corner_in(s, &level->before, corner);
            c.particle = level->first + k;
            c.shift[0] = now.x, c.shift[1] = now.y;
            c.travel[0] = now.x - before.x, c.travel[1] = now.y - before.y;
            c.edge = wri_sprite_nearest_edge(world, s, now.x, now.y, 0.02f * s->asset->L);
            if (c.edge >= 0) {
                add_contact(world, &c);
            }
        }
    }
}

// Sorts boxes by their lower ends on the given axis; equal ones by number, so that the order
// follows from the state alone.
static void sort_boxes(wr_sprite_world *world, int axis)
{
    int *order = world->order.items;
    for (int i = 1; i < world->order.count; i++) {
        int moving = order[i], k = i;
        float low = wri_sprite_of(world, moving)->world_box[axis];
        for (; k > 0; k--) {
            float other = wri_sprite_of(world, order[k - 1])->world_box[axis];
            if (other < low || (other == low && order[k - 1] < moving)) {
                break;
            }
            order[k] = order[k - 1];
        }
        order[k] = moving;
    }
}

// Returns the axis along which the centres are spread wider.
static int longer_axis(const wr_sprite_world *world)
{
    double sum[2] = {0.0, 0.0}, sum2[2] = {0.0, 0.0}, n = 0.0;
    for (int i = 0; i < world->sprites.count; i++) {
        const wri_sprite *s = wri_sprite_of(world, i);
        for (int k = 0; k < 2 && !s->removed; k++) {
            double at = s->state.origin[k];
            sum[k] += at;
            sum2[k] += at * at;
            n += 0.5;
        }
    }
    return sum2[0] - sum[0] * sum[0] / n >= sum2[1] - sum[1] * sum[1] / n ? 0 : 1;
}

// Returns -1 where one of them is nailed, or there is no room: then work.c takes nothing back of
// their contacts.
static int add_pair(wr_sprite_world *world, wri_whole *a, wri_whole *b)
{
    int nails = b->sprite ? b->sprite->state.nail_count : b->nail_count;
    if (a->sprite->state.nail_count > 0 || nails > 0) {
        return -1;
    }
    if (world->pair_count == world->pairs.count) {
        world->statistics.trouble++;
        return -1;
    }
    WRI_ITEM(world->pairs, wri_sprite_pair, world->pair_count) = (wri_sprite_pair){.a = a, .b = b};
    return world->pair_count++;
}

static bool has_inside(const wr_sprite_world *world, const wri_sprite *s, double x, double y)
{
    return wri_sprite_nearest_edge(world, s, (float)(x - s->state.origin[0]),
                                   (float)(y - s->state.origin[1]), 0.0f) >= 0;
}

// The middle of what a sprite covers now; its box covers where it came from, too.
static double middle_of(const wr_sprite_world *world, const wri_sprite *s, int k)
{
    return s->state.origin[k] + 0.5 * (double)(s->box.min[k] + s->box.max[k]) +
           0.5 * (double)world->dt * (double)s->state.velocity[k];
}

// Tells whether the middle of one is in the other, and not because they have just come that way:
// the nearest edges then lie on the far side, and would draw them together.
static bool are_deep(const wr_sprite_world *world, int a, int b)
{
    const wri_sprite *s = wri_sprite_of(world, a), *t = wri_sprite_of(world, b);
    double middle[2][2], near = 0.0, speed2 = 0.0;
    for (int k = 0; k < 2; k++) {
        middle[0][k] = middle_of(world, s, k);
        middle[1][k] = middle_of(world, t, k);
        near += (middle[0][k] - middle[1][k]) * (middle[0][k] - middle[1][k]);
        double v = (double)(s->state.velocity[k] - t->state.velocity[k]);
        speed2 += v * v;
    }
    double far = 0.5 * (double)wr_minf(s->asset->L, t->asset->L);
    double slow = 0.04 * far / (double)world->dt;
    return near < far * far && speed2 < slow * slow &&
           has_inside(world, t, middle[0][0], middle[0][1]) &&
           has_inside(world, s, middle[1][0], middle[1][1]);
}

static void find_pairs(wr_sprite_world *world)
{
    int axis = longer_axis(world);
    const int *order = world->order.items;
    sort_boxes(world, axis);
    for (int i = 0; i < world->order.count; i++) {
        const wri_sprite *s = wri_sprite_of(world, order[i]);
        for (int k = i + 1; k < world->order.count; k++) {
            const wri_sprite *t = wri_sprite_of(world, order[k]);
            if (!(t->world_box[axis] <= s->world_box[2 + axis])) {
                break;
            }
            if (t->world_box[1 - axis] <= s->world_box[3 - axis] &&
                s->world_box[1 - axis] <= t->world_box[3 - axis] && wri_sprites_collide(s, t)) {
                world->statistics.pairs++;
                int pair = add_pair(world, &wri_sprite_of(world, order[i])->whole,
                                    &wri_sprite_of(world, order[k])->whole);
                if (pair >= 0 && are_deep(world, order[i], order[k])) {
                    WRI_ITEM(world->pairs, wri_sprite_pair, pair).deep = true;
                } else {
                    find_in(world, order[i], order[k], pair);
                    find_in(world, order[k], order[i], pair);
                }
            }
        }
    }
}

int wri_sprite_pair_with(const wr_sprite_world *world, const wri_sprite *s,
                         const wri_flat_body *body)
{
    int pair = -1;
    for (int k = s->first_pair; body && k < s->last_pair && pair < 0; k++) {
        pair = WRI_ITEM(world->pairs, wri_sprite_pair, k).b->body == body ? k : -1;
    }
    return pair;
}

static void find_pairs_with_bodies(wr_sprite_world *world)
{
    for (int i = 0; i < world->sprites.count; i++) {
        wri_sprite *s = wri_sprite_of(world, i);
        s->first_pair = s->last_pair = world->pair_count;
        for (int k = 0; !s->removed && k < world->present.count; k++) {
            const wri_level *level = wri_present_level(world, k);
            if (level->body && wri_sprite_collides_with_level(s, level) &&
                wri_sprite_boxes_meet(s->world_box, level->box) &&
                wri_sprite_pair_with(world, s, level->body) < 0) {
                add_pair(world, &s->whole, &level->body->whole);
                s->last_pair = world->pair_count;
            }
        }
    }
}

void wri_sprite_find_contacts(wr_sprite_world *world)
{
    world->contact_count = world->pair_count = 0;
    find_pairs(world);
    if (world->bodies.count > 0) {
        find_pairs_with_bodies(world);
    }
    for (int k = 0; k < world->present.count; k++) {
        const wri_level *level = wri_present_level(world, k);
        for (int i = 0; level->count > 0 && i < world->sprites.count; i++) {
            const wri_sprite *s = wri_sprite_of(world, i);
            if (wri_sprite_boxes_meet(s->world_box, level->box) &&
                wri_sprite_collides_with_level(s, level)) {
                find_corners(world, i, WRI_ITEM(world->present, int, k));
            }
        }
    }
}

// --- solving ----------------------------------------------------------------------------------

// Up to three particles that move along one line: the point and the ends of the edge.
typedef struct point_edge {
    wri_sprite *sprites[3];
    int particles[3];
    float shares[3]; // of the relative displacement; the point's is 1, the ends' are < 0
    float w;         // 1/kg, inverse effective mass: sum of shares^2 / mass
} point_edge;

// Moves the particles apart by x, y; `old` is the part of it that was due before the step and gives
// no velocity.
static void move_point_edge(const point_edge *h, float x, float y, float old)
{
    for (int k = 0; k < 3; k++) {
        wri_sprite *s = h->sprites[k];
        if (s) {
            int i = h->particles[k];
            float w = h->shares[k] * s->inverse_masses[i] / h->w;
            float fresh = s->asset->masses[i] * w * (1.0f - old);
            s->x[i] += w * x;
            s->y[i] += w * y;
            s->px[i] += old * w * x;
            s->py[i] += old * w * y;
            wri_sprite_add_impulse(&s->whole, s->x[i], s->y[i], fresh * x, fresh * y);
            s->touched = true;
        }
    }
}

static point_edge make_point_edge(wri_sprite *a, int particle, wri_sprite *b, const edge *e)
{
    point_edge h = {
        {a, b, b}, {particle, e->from, e->to}, {1.0f, e->along - 1.0f, -e->along}, 0.0f};
    for (int k = 0; k < 3; k++) {
        const wri_sprite *s = h.sprites[k];
        h.w += s ? h.shares[k] * h.shares[k] * s->inverse_masses[h.particles[k]] : 0.0f;
    }
    return h;
}

// Returns how far a particle has moved in this step, m.
static wr_vec2 moved(const point_edge *h, int k, float dt)
{
    const wri_sprite *s = h->sprites[k];
    int i = h->particles[k];
    return (wr_vec2){s->x[i] - s->px[i] + dt * s->vx[i], s->y[i] - s->py[i] + dt * s->vy[i]};
}

// Returns how far the point has moved over the edge in this step, m.
static wr_vec2 slid(const wri_contact *c, const point_edge *h, float dt)
{
    wr_vec2 way = {c->travel[0], c->travel[1]};
    for (int k = 0; k < 3; k++) {
        if (h->sprites[k]) {
            wr_vec2 m = moved(h, k, dt);
            way.x += h->shares[k] * m.x;
            way.y += h->shares[k] * m.y;
        }
    }
    return way;
}

// Finds how far the side that pushes has moved along the normal and the tangent: the edge on the
// point (on_a), or the point, be it of a sprite or of the level, on the edge.
static void find_moved(const wri_contact *c, const point_edge *h, bool on_a, const float n[2],
                       float dt, float out[2])
{
    wr_vec2 way = {c->travel[0], c->travel[1]};
    if (on_a) {
        wr_vec2 from = moved(h, 1, dt), to = moved(h, 2, dt);
        way.x = -(h->shares[1] * from.x + h->shares[2] * to.x);
        way.y = -(h->shares[1] * from.y + h->shares[2] * to.y);
    } else if (h->sprites[0]) {
        way = moved(h, 0, dt);
    }
    out[0] = way.x * n[0] + way.y * n[1];
    out[1] = way.y * n[0] - way.x * n[1];
}

// Finds the edge that the point is before now, walking along the outline; false: none, it is
// outside.
static bool find_edge(wri_contact *c, const wri_sprite *b, float x, float y, edge *e)
{
    *e = look_at_edge(b, c->edge, x, y);
    for (int k = 0; k < 2 && (e->along < 0.0f || e->along > 1.0f); k++) {
        int next = b->asset->edge_ways[2 * c->edge + (e->along > 1.0f)];
        if (e->side >= 0.0f || next < 0) {
            return false;
        }
        edge f = look_at_edge(b, next, x, y);
        if (f.side >= 0.0f) {
            return false;
        }
        bool back = e->along > 1.0f ? f.along < 0.0f : f.along > 1.0f;
        if (back) { // before the corner that both share, from inside
            e->along = wr_clampf(e->along, 0.0f, 1.0f);
            return true;
        }
        *e = f;
        c->edge = next;
    }
    e->along = wr_clampf(e->along, 0.0f, 1.0f);
    return e->side < 0.0f && e->length2 > 0.0f;
}

// A contact that presses: the point, the edge, and the way out for the point.
typedef struct pressing {
    wri_sprite *a, *b;
    wri_flat_body *body; // whose corner the point is, NULL: nobody's that gives way
    edge e;
    float x, y, nx, ny, depth;
    float arm[2]; // from the body's centre of mass to its corner
} pressing;

// Returns the body whose corner the point of a contact is, NULL: none that gives way.
static wri_flat_body *body_of(const wr_sprite_world *world, const wri_contact *c)
{
    return c->a < 0 ? WRI_ITEM(world->levels, wri_level, c->level).body : NULL;
}

// Finds the corner of a body where it is now: bodies have moved since contacts were found.
static void follow_body(const wr_sprite_world *world, wri_contact *c)
{
    const wri_level *level = &WRI_ITEM(world->levels, wri_level, c->level);
    const wri_sprite *s = wri_sprite_of(world, c->b);
    wr_vec2 corner = WRI_ITEM(world->corners, wr_vec2, c->particle);
    wr_vec2 now = corner_in(s, &level->now, corner), before = corner_in(s, &level->before, corner);
    c->shift[0] = now.x, c->shift[1] = now.y;
    c->travel[0] = now.x - before.x, c->travel[1] = now.y - before.y;
}

static bool presses(const wr_sprite_world *world, wri_contact *c, pressing *p)
{
    p->body = body_of(world, c);
    if (p->body) {
        follow_body(world, c);
    }
    p->a = c->a >= 0 ? wri_sprite_of(world, c->a) : NULL;
    p->b = wri_sprite_of(world, c->b);
    p->x = c->shift[0] + (p->a ? p->a->x[c->particle] : 0.0f);
    p->y = c->shift[1] + (p->a ? p->a->y[c->particle] : 0.0f);
    if (!find_edge(c, p->b, p->x, p->y, &p->e)) {
        return false;
    }
    // To the nearest point of the edge: along its normal, or towards a corner.
    float dx = p->e.x + p->e.along * p->e.dx - p->x, dy = p->e.y + p->e.along * p->e.dy - p->y;
    p->depth = sqrtf(dx * dx + dy * dy);
    if (!(p->depth > 0.0f)) {
        return false;
    }
    p->nx = dx / p->depth;
    p->ny = dy / p->depth;
    if (p->body) {
        wri_flat_body_arm(p->body, p->b, p->x, p->y, p->arm);
    }
    p->depth = wr_minf(p->depth, p->a ? wr_minf(p->a->limit, p->b->limit) : p->b->limit);
    return true;
}

// Returns how far the motions of both as wholes bring the point into b in this step, m.
static float find_approach(const pressing *p, const wri_contact *c, float dt)
{
    float in = wri_sprite_travel(p->b, p->x, p->y, p->nx, p->ny, dt);
    if (p->body) {
        return in - wri_flat_body_travel(p->body, p->arm, p->nx, p->ny, dt);
    }
    if (!p->a) {
        return in - (c->travel[0] * p->nx + c->travel[1] * p->ny);
    }
    return in - wri_sprite_travel(p->a, p->x - c->shift[0], p->y - c->shift[1], p->nx, p->ny, dt);
}

static void touch(wr_sprite_world *world, wri_contact *c)
{
    pressing p;
    wri_touch *t = presses(world, c, &p) ? wri_sprite_add_touch(world) : NULL;
    if (!t) {
        return;
    }
    point_edge h = make_point_edge(p.a, c->particle, p.b, &p.e);
    wr_vec2 way = slid(c, &h, world->dt);
    wri_sprite *a = p.a ? p.a : p.b; // a corner of the level pushes b the other way
    wri_whole *b = p.a ? &p.b->whole : p.body ? &p.body->whole : NULL;
    float side = p.a ? 1.0f : -1.0f;
    *t = (wri_touch){.a = &a->whole, .b = b, .depth = p.depth, .friction = c->friction};
    t->pair = c->pair;
    t->normal[0] = side * p.nx, t->normal[1] = side * p.ny;
    t->old = wr_clampf(p.depth + way.x * p.nx + way.y * p.ny, 0.0f, p.depth);
    t->slid = way.y * p.nx - way.x * p.ny;
    bool on_a = p.a && wri_sprite_is_fixed(p.b);
    const float n[2] = {on_a ? p.nx : -p.nx, on_a ? p.ny : -p.ny};
    find_moved(c, &h, on_a, n, world->dt, t->moved);
    t->share = p.a ? sqrtf(a->hold_share * p.b->hold_share) : a->hold_share;
    t->approach = find_approach(&p, c, world->dt);
    float x = p.a ? p.x - c->shift[0] : p.x, y = p.a ? p.y - c->shift[1] : p.y;
    t->at_a[0] = x - (float)a->center[0], t->at_a[1] = y - (float)a->center[1];
    if (p.body) {
        memcpy(t->at_b, p.arm, sizeof t->at_b);
    } else {
        t->at_b[0] = p.x - (float)p.b->center[0], t->at_b[1] = p.y - (float)p.b->center[1];
    }
}

// Adds the positional impulse to a sprite that presses on the level, or on one that is as good as
// level.
static void add_level_impulse(const wr_sprite_world *world, const wri_contact *c, const pressing *p,
                              const point_edge *h, float lambda_n, float lambda_t)
{
    wr_vec2 at_a = {p->x - c->shift[0], p->y - c->shift[1]}, at_b = {p->x, p->y};
    bool on_a = p->a && wri_sprite_is_fixed(p->b);
    float side = on_a ? 1.0f : -1.0f, nx = side * p->nx, ny = side * p->ny;
    wri_level_impulse l = {
        .at = on_a ? at_a : at_b, .normal = {nx, ny}, .lambda_n = lambda_n, .lambda_t = lambda_t};
    find_moved(c, h, on_a, l.normal, world->dt, l.moved);
    if (on_a) {
        l.travel = wri_sprite_travel(p->b, at_b.x, at_b.y, nx, ny, world->dt);
        wri_sprite_add_level_impulse(p->a, p->b, &l);
    } else if (!p->a || wri_sprite_is_fixed(p->a)) {
        l.travel = p->a ? wri_sprite_travel(p->a, at_a.x, at_a.y, nx, ny, world->dt) : l.moved[0];
        wri_sprite_add_level_impulse(p->b, p->a, &l);
    }
}

// Solves a contact with the corner of a body, which gives way as well.
static void solve_corner(wr_sprite_world *world, const wri_contact *c, const pressing *p,
                         point_edge *h)
{
    wri_response response = wri_flat_body_response(p->body, p->arm, p->nx, p->ny);
    float w_n = h->w + response.inverse_effective_mass[0];
    float w_t = h->w + response.inverse_effective_mass[1];
    if (!(w_n > 0.0f && w_t > 0.0f)) {
        return;
    }
    wr_vec2 way = slid(c, h, world->dt);
    float old = wr_clampf(p->depth + way.x * p->nx + way.y * p->ny, 0.0f, p->depth);
    float lambda_n = (p->depth - old) / w_n, most = c->friction * lambda_n;
    float lambda_t = wr_clampf((way.y * p->nx - way.x * p->ny) / w_t, -most, most);
    float energy =
        wri_sprite_impact_energy(lambda_n, p->depth - old, 1.0f, find_approach(p, c, world->dt));
    p->b->impact_energy += energy;
    p->b->level_impact_energy += energy;
    h->w = w_n;
    move_point_edge(h, p->nx * p->depth, p->ny * p->depth, old / p->depth);
    h->w = w_t;
    move_point_edge(h, p->ny * lambda_t * w_t, -p->nx * lambda_t * w_t, 0.0f);
    float x = lambda_n * p->nx + lambda_t * p->ny, y = lambda_n * p->ny - lambda_t * p->nx;
    float slide[3], due[3];
    const float at[2] = {p->x - (float)p->b->center[0], p->y - (float)p->b->center[1]};
    wri_sprite_add_passing(&p->body->whole, &p->b->whole, x, y, world->dt);
    wri_sprite_add_pair_impulse(world, c->pair, &p->body->whole, x, y, p->arm, at);
    for (int k = 0; k < 3; k++) {
        due[k] = old / w_n * response.slides[0][k];
        slide[k] = due[k] + lambda_n * response.slides[0][k] - lambda_t * response.slides[1][k];
    }
    wri_flat_body_push(world, p->body, p->arm, x, y, slide, due);
    world->statistics.contacts++;
}

static void solve(wr_sprite_world *world, wri_contact *c)
{
    pressing p;
    if (!presses(world, c, &p)) {
        return;
    }
    point_edge h = make_point_edge(p.a, c->particle, p.b, &p.e);
    if (p.body) {
        solve_corner(world, c, &p, &h);
        return;
    }
    if (!(h.w > 0.0f)) { // nails against nails
        return;
    }
    wr_vec2 way = slid(c, &h, world->dt);
    float old = wr_clampf(p.depth + way.x * p.nx + way.y * p.ny, 0.0f, p.depth);
    float fresh = p.depth - old, lambda_n = fresh / h.w;
    float energy = wri_sprite_impact_energy(lambda_n, fresh, 1.0f, find_approach(&p, c, world->dt));
    p.b->impact_energy += energy;
    *(p.a ? &p.a->impact_energy : &p.b->level_impact_energy) += energy;
    move_point_edge(&h, p.nx * p.depth, p.ny * p.depth, old / p.depth);
    float along = way.y * p.nx - way.x * p.ny; // its motion along the normal does not change that
    float back = wr_clampf(along, -c->friction * fresh, c->friction * fresh);
    move_point_edge(&h, p.ny * back, -p.nx * back, 0.0f);
    add_level_impulse(world, c, &p, &h, lambda_n, -back / h.w);
    if (p.a) {
        float x = lambda_n * p.nx + p.ny * back / h.w;
        float y = lambda_n * p.ny - p.nx * back / h.w;
        const float at_a[2] = {p.x - c->shift[0] - (float)p.a->center[0],
                               p.y - c->shift[1] - (float)p.a->center[1]};
        const float at_b[2] = {p.x - (float)p.b->center[0], p.y - (float)p.b->center[1]};
        wri_sprite_add_passing(&p.a->whole, &p.b->whole, x, y, world->dt);
        wri_sprite_add_pair_impulse(world, c->pair, &p.a->whole, x, y, at_a, at_b);
    }
    world->statistics.contacts++;
}

void wri_sprite_touch_contacts(wr_sprite_world *world)
{
    for (int k = 0; k < world->contact_count; k++) {
        touch(world, &WRI_ITEM(world->contacts, wri_contact, k));
    }
}

void wri_sprite_solve_contacts(wr_sprite_world *world)
{
    for (int k = 0; k < world->contact_count; k++) {
        solve(world, &WRI_ITEM(world->contacts, wri_contact, k));
    }
}

// --- what is in one another -------------------------------------------------------------------

// Moves two that are in one another apart along the line through their middles, without velocity.
static void separate_pair(const wri_sprite_pair *p, float dt)
{
    wri_sprite *a = p->a->sprite, *b = p->b->sprite;
    double d[2], length2 = 0.0, sum = (double)a->asset->mass + (double)b->asset->mass;
    for (int k = 0; k < 2; k++) {
        d[k] = a->state.origin[k] + a->center[k] - b->state.origin[k] - b->center[k];
        length2 += d[k] * d[k];
    }
    float size = wr_minf(a->asset->L, b->asset->L);
    double length = sqrt(length2),
           way = (double)(size * dt / wr_minf(a->asset->t_L, b->asset->t_L));
    if (!(length > 1e-6 * (double)size)) { // to the side, as good as any
        d[0] = length = 1.0;
        d[1] = 0.0;
    }
    for (int k = 0; k < 2; k++) {
        a->state.origin[k] += way * d[k] / length * (double)b->asset->mass / sum;
        b->state.origin[k] -= way * d[k] / length * (double)a->asset->mass / sum;
    }
}

void wri_sprite_separate_deep(wr_sprite_world *world)
{
    for (int k = 0; k < world->pair_count; k++) {
        const wri_sprite_pair *p = &WRI_ITEM(world->pairs, wri_sprite_pair, k);
        if (p->deep) {
            separate_pair(p, world->dt);
        }
    }
}
