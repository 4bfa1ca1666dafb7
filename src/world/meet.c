// meet.c: materials push each other apart.
//
// The boundaries of two bodies meet where a point of one is near a triangle of the other, or, of
// boundaries without triangles, near a point. What follows is a complementarity problem: with n the
// normal from b to a, g the gap, v the relative velocity at the meeting, h the step and lambda the
// impulse on a,
//     0 <= lambda_n  _|_  n.v + g / h >= 0,     |lambda_t| <= mu lambda_n  against the sliding.
// It is solved by projected Gauss-Seidel sweeps over the velocities of the points, which answer to
// an impulse by their effective inverse mass: with everything that hangs on them within the step.
// Points that sit on one rigid support would all have to answer; instead the support is split
// evenly among its meetings (R. Tonge et al. Mass splitting for jitter-free parallel rigid body
// simulation. SIGGRAPH 2012). The materials get the sums once, equal and opposite: momentum is
// kept, whatever they make of them.
#include "world.h"

#include "../math/triangle.h"

#include <stdlib.h>

enum { SWEEPS = 8 };
static const float PUSH_OUT = 0.2f; // share of an overlap that goes in one step

// One of the bodies that have a boundary.
typedef struct side {
    wri_material_body *body;
    wr_boundary boundary;
    wr_box box;          // of all it may reach within the step
    float range;         // metres: the largest sum of a radius and a displacement in the step
    wr_vec3 *velocities; // per point, as the impulses so far have changed it
    wr_vec3 *impulses;   // per point, so far
    int *supported;      // meetings per support
} side;

// A place where two boundaries meet: a point of a with a triangle of b, or with one point of it.
typedef struct meeting {
    side *a, *b;
    int point, others[3]; // others[1] is -1 for a single point
    float weights[3];     // barycentric, of the others
    wr_vec3 normal;       // unit, from b to a
    float gap;            // metres; negative when they overlap
    float normal_impulse; // N s so far
    wr_vec3 friction_impulse;
} meeting;

wri_array wri_world_meetings_create(const wr_allocator *allocator)
{
    return wri_array_create(allocator, sizeof(meeting));
}

// --- who may meet -----------------------------------------------------------------------------

static void read_boundary(wr_world *world, side *s, float dt)
{
    const wr_work work = {world->tasks, &s->body->scratch};
    s->boundary = s->body->material->boundary(s->body->state, dt, &work);
    WR_ASSERT(s->boundary.friction >= 0.0f &&
              (!s->boundary.triangle_count || s->boundary.triangles));
    wri_scratch_reset(&s->body->scratch);
    wr_box box = WR_BOX_EMPTY;
    s->range = 0.0f;
    for (int i = 0; i < s->boundary.point_count; i++) {
        const wr_boundary_point *p = &s->boundary.points[i];
        WR_ASSERT(wr_is_finite3(p->position) && wr_is_finite3(p->velocity) && p->radius >= 0.0f);
        s->range = fmaxf(s->range, p->radius + dt * wr_length(p->velocity));
        box = wr_box_add(box, p->position);
    }
    wr_vec3 room = wr_v3(s->range, s->range, s->range);
    s->box = (wr_box){wr_sub(box.min, room), wr_add(box.max, room)};
}

static bool has_boundary(const wri_material_body *body)
{
    return body->material->boundary && !body->frozen;
}

// Bodies of one ensemble are kept apart by it.
static bool are_together(const wri_material_body *a, const wri_material_body *b)
{
    return a->material == b->material && a->material->step_ensemble;
}

// How many have boundaries; 0: no two of them may meet.
static size_t count_sides(const wr_world *world)
{
    const wri_material_body *first = NULL;
    bool any = false;
    size_t count = 0;
    for (int i = 0; i < world->material_count; i++) {
        const wri_material_body *body = &world->materials[i];
        if (has_boundary(body)) {
            any = any || (first && !are_together(first, body));
            first = first ? first : body;
            count++;
        }
    }
    return any ? count : 0;
}

// NULL: nobody may meet anybody, or no memory.
static side *find_sides(wr_world *world, float dt, int *count)
{
    size_t room = count_sides(world);
    side *sides = room < 2 ? NULL : wr_scratch_push(&world->scratch, room, sizeof *sides);
    *count = 0;
    for (int i = 0; sides && i < world->material_count; i++) {
        if (has_boundary(&world->materials[i])) {
            side *s = &sides[(*count)++];
            WR_ASSERT(*count <= (int)room);
            s->body = &world->materials[i];
            read_boundary(world, s, dt);
        }
    }
    return sides;
}

static bool boxes_meet(const wr_box *a, const wr_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y &&
           b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static bool may_meet(const wr_world *world, const side *a, const side *b)
{
    const wr_rigid_body_desc *x = &world->scene->bodies[a->body->scene_body].rigid;
    const wr_rigid_body_desc *y = &world->scene->bodies[b->body->scene_body].rigid;
    return !are_together(a->body, b->body) && (x->group & y->collides) &&
           (y->group & x->collides) && !(a->body->resting && b->body->resting) &&
           boxes_meet(&a->box, &b->box);
}

// --- where they meet --------------------------------------------------------------------------

// A triangle or a point of the other side, by where it begins along the axis of the sweep.
typedef struct feature {
    float begin, end;
    int index;
} feature;

static int compare_features(const void *a, const void *b)
{
    const feature *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->index > y->index) - (x->index < y->index);
}

static float along(wr_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Sorted features of b near the box of a; NULL: no memory.
static const feature *list_features(wr_world *world, const side *a, const side *b, int axis,
                                    int *count)
{
    const wr_boundary *other = &b->boundary;
    int total = other->triangle_count ? other->triangle_count : other->point_count;
    int corners = other->triangle_count ? 3 : 1;
    feature *list = wr_scratch_push(&world->scratch, (size_t)total, sizeof *list);
    *count = 0;
    for (int i = 0; list && i < total; i++) {
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < corners; k++) {
            int point = corners == 3 ? other->triangles[3 * i + k] : i;
            WR_ASSERT(point >= 0 && point < other->point_count);
            box = wr_box_add(box, other->points[point].position);
        }
        wr_vec3 room = wr_v3(b->range, b->range, b->range);
        box = (wr_box){wr_sub(box.min, room), wr_add(box.max, room)};
        if (boxes_meet(&box, &a->box)) {
            list[(*count)++] = (feature){along(box.min, axis), along(box.max, axis), i};
        }
    }
    if (list) {
        qsort(list, (size_t)*count, sizeof *list, compare_features);
    }
    return list;
}

// The depth beyond which an overlap is taken for the far side of a thin thing.
static float max_depth(float radii, float displacement)
{
    return 2.0f * radii + displacement;
}

static bool measure_triangle(const side *a, int point, const side *b, int triangle, float dt,
                             meeting *out)
{
    const int *corners = &b->boundary.triangles[3 * triangle];
    const wr_boundary_point *p = &a->boundary.points[point];
    wr_vec3 x[3], speed = p->velocity;
    float radii = p->radius, w[3];
    for (int i = 0; i < 3; i++) {
        x[i] = wr_sub(b->boundary.points[corners[i]].position, p->position);
    }
    wri_nearest_in_triangle(wr_v3(0.0f, 0.0f, 0.0f), x[0], x[1], x[2], w);
    wr_vec3 away = {0.0f, 0.0f, 0.0f}; // from the point to the triangle
    for (int i = 0; i < 3; i++) {
        const wr_boundary_point *q = &b->boundary.points[corners[i]];
        away = wr_add_scaled(away, w[i], x[i]);
        speed = wr_add_scaled(speed, -w[i], q->velocity);
        radii += w[i] * q->radius;
    }
    wr_vec3 face = wr_cross(wr_sub(x[1], x[0]), wr_sub(x[2], x[0]));
    float area = wr_length(face), distance = wr_length(away), displacement = dt * wr_length(speed);
    bool behind = wr_dot(away, face) > 0.0f;
    if (!(area > 0.0f) || !(distance <= radii + displacement) ||
        (behind && distance > max_depth(radii, displacement))) {
        return false;
    }
    wr_vec3 normal = distance > 1e-3f * radii && distance > 0.0f && !behind
                         ? wr_scale(-1.0f / distance, away)
                         : wr_scale(1.0f / area, face);
    *out = (meeting){.point = point,
                     .others = {corners[0], corners[1], corners[2]},
                     .weights = {w[0], w[1], w[2]},
                     .normal = normal,
                     .gap = (behind ? -distance : distance) - radii};
    return true;
}

static bool measure_point(const side *a, int point, const side *b, int other, float dt,
                          meeting *out)
{
    const wr_boundary_point *p = &a->boundary.points[point], *q = &b->boundary.points[other];
    wr_vec3 apart = wr_sub(p->position, q->position);
    float radii = p->radius + q->radius, distance = wr_length(apart);
    if (distance > radii + dt * wr_length(wr_sub(p->velocity, q->velocity)) || distance <= 0.0f) {
        return false;
    }
    *out = (meeting){.point = point,
                     .others = {other, -1, -1},
                     .weights = {1.0f, 0.0f, 0.0f},
                     .normal = wr_scale(1.0f / distance, apart),
                     .gap = distance - radii};
    return true;
}

static bool add_meeting(wr_world *world, side *a, side *b, meeting m)
{
    WR_ASSERT(a->body != b->body && isfinite(m.gap));
    WR_ASSERT(fabsf(m.weights[0] + m.weights[1] + m.weights[2] - 1.0f) < 1e-4f); // momentum is kept
    WR_ASSERT(fabsf(wr_dot(m.normal, m.normal) - 1.0f) < 1e-3f);
    meeting *place = wri_array_add(&world->meetings, 1);
    if (place) {
        m.a = a;
        m.b = b;
        *place = m;
    }
    return place != NULL;
}

// A point meets at most one triangle of a body, the nearest; of single points all it reaches.
static bool meet_point(wr_world *world, side *a, int point, side *b, const feature *list, int count,
                       int axis, float widest, float dt)
{
    wr_vec3 x = a->boundary.points[point].position;
    float low = along(x, axis) - a->range, high = along(x, axis) + a->range;
    int begin = 0;
    for (int step = count; step > 0; step /= 2) { // the first that can reach as far as low
        while (begin + step <= count && list[begin + step - 1].begin < low - widest) {
            begin += step;
        }
    }
    WR_ASSERT(begin == 0 || list[begin - 1].begin < low - widest);
    WR_ASSERT(begin == count || list[begin].begin >= low - widest);
    bool triangles = b->boundary.triangle_count > 0, found = false;
    meeting best = {0}, m;
    for (int i = begin; i < count && list[i].begin <= high; i++) {
        if (list[i].end < low) {
            continue;
        }
        if (!triangles) {
            if (measure_point(a, point, b, list[i].index, dt, &m) && !add_meeting(world, a, b, m)) {
                return false;
            }
        } else if (measure_triangle(a, point, b, list[i].index, dt, &m) &&
                   (!found || fabsf(m.gap) < fabsf(best.gap))) {
            best = m;
            found = true;
        }
    }
    return !found || add_meeting(world, a, b, best);
}

// Points of a with what b consists of.
static bool meet_side(wr_world *world, side *a, side *b, float dt)
{
    wr_vec3 size = wr_box_size(b->box);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2, count;
    const feature *list = list_features(world, a, b, axis, &count);
    float widest = 0.0f;
    for (int i = 0; list && i < count; i++) {
        WR_ASSERT(list[i].begin <= list[i].end && (i == 0 || list[i].begin >= list[i - 1].begin));
        widest = fmaxf(widest, list[i].end - list[i].begin);
    }
    bool ok = list != NULL;
    for (int i = 0; ok && count > 0 && i < a->boundary.point_count; i++) {
        const wr_boundary_point *p = &a->boundary.points[i];
        wr_vec3 room = wr_v3(a->range, a->range, a->range);
        wr_box box = {wr_sub(p->position, room), wr_add(p->position, room)};
        if (boxes_meet(&box, &b->box)) {
            ok = meet_point(world, a, i, b, list, count, axis, widest, dt);
        }
    }
    return ok;
}

static bool find_meetings(wr_world *world, side *sides, int count, float dt)
{
    bool ok = true;
    world->meetings.count = 0;
    for (int i = 0; ok && i < count; i++) {
        for (int k = i + 1; ok && k < count; k++) {
            side *a = &sides[i], *b = &sides[k];
            if (!may_meet(world, a, b)) {
                continue;
            }
            bool a_has = a->boundary.triangle_count > 0, b_has = b->boundary.triangle_count > 0;
            ok = (!(b_has || !a_has) || meet_side(world, a, b, dt)) &&
                 (!a_has || meet_side(world, b, a, dt));
        }
    }
    return ok;
}

// --- impulses ---------------------------------------------------------------------------------

static int support_count(const side *s)
{
    int count = 0;
    for (int i = 0; i < s->boundary.point_count; i++) {
        int support = s->boundary.points[i].support;
        count = support >= count ? support + 1 : count;
    }
    return count;
}

static bool begin_side(wr_world *world, side *s)
{
    size_t points = (size_t)s->boundary.point_count;
    s->velocities = wr_scratch_push(&world->scratch, points, sizeof *s->velocities);
    s->impulses = wr_scratch_push(&world->scratch, points, sizeof *s->impulses);
    s->supported = wr_scratch_push(&world->scratch, (size_t)support_count(s), sizeof *s->supported);
    if (!s->velocities || !s->impulses || !s->supported) {
        return false;
    }
    for (int i = 0; i < s->boundary.point_count; i++) {
        s->velocities[i] = s->boundary.points[i].velocity;
    }
    return true;
}

static int other_count(const meeting *m)
{
    return m->others[1] < 0 ? 1 : 3;
}

static void count_support(const side *s, int point)
{
    int support = s->boundary.points[point].support;
    if (support >= 0) {
        s->supported[support]++;
    }
}

static void count_supports(const wr_world *world)
{
    for (int i = 0; i < world->meetings.count; i++) {
        const meeting *m = &WRI_ITEM(world->meetings, meeting, i);
        count_support(m->a, m->point);
        for (int k = 0; k < other_count(m); k++) {
            count_support(m->b, m->others[k]);
        }
    }
}

static wr_vec3 relative_velocity(const meeting *m)
{
    wr_vec3 v = m->a->velocities[m->point];
    for (int k = 0; k < other_count(m); k++) {
        v = wr_add_scaled(v, -m->weights[k], m->b->velocities[m->others[k]]);
    }
    return v;
}

// Returns the change of the velocity of a point by an impulse at it.
static wr_vec3 response(const side *s, int point, wr_vec3 impulse)
{
    const wr_boundary_point *p = &s->boundary.points[point];
    float share = p->support < 0 ? 1.0f : (float)s->supported[p->support];
    WR_ASSERT(share >= 1.0f); // it counts the meetings of a support, this one among them
    return wr_scale(share, wr_mat3_apply(p->inverse_mass, impulse));
}

// 1/kg: change of the relative velocity along a unit direction per impulse along it.
static float inverse_effective_mass(const meeting *m, wr_vec3 direction)
{
    float sum = wr_dot(direction, response(m->a, m->point, direction));
    for (int k = 0; k < other_count(m); k++) {
        float w = m->weights[k];
        sum += w * w * wr_dot(direction, response(m->b, m->others[k], direction));
    }
    return sum;
}

static void give_point(const side *s, int point, wr_vec3 impulse)
{
    s->impulses[point] = wr_add(s->impulses[point], impulse);
    s->velocities[point] = wr_add(s->velocities[point], response(s, point, impulse));
}

static void give(const meeting *m, wr_vec3 impulse)
{
    give_point(m->a, m->point, impulse);
    for (int k = 0; k < other_count(m); k++) {
        give_point(m->b, m->others[k], wr_scale(-m->weights[k], impulse));
    }
}

static void solve_meeting(meeting *m, float dt)
{
    wr_vec3 v = relative_velocity(m);
    float wanted = m->gap >= 0.0f ? -m->gap / dt : -PUSH_OUT * m->gap / dt;
    float w = inverse_effective_mass(m, m->normal), speed = wr_dot(v, m->normal);
    if (!(w > 0.0f)) {
        return;
    }
    float before = m->normal_impulse;
    m->normal_impulse = fmaxf(before + (wanted - speed) / w, 0.0f);
    wr_vec3 impulse = wr_scale(m->normal_impulse - before, m->normal);
    wr_vec3 slip = wr_add_scaled(v, -speed, m->normal), old = m->friction_impulse;
    float fast = wr_length(slip),
          friction = sqrtf(m->a->boundary.friction * m->b->boundary.friction);
    wr_vec3 sum = old, t = wr_normalize(slip);
    float along = inverse_effective_mass(m, t);
    if (along > 0.0f) { // else nothing can be moved that way
        sum = wr_add_scaled(old, -fast / along, t);
    }
    float most = friction * m->normal_impulse, size = wr_length(sum);
    m->friction_impulse = size > most ? wr_scale(most / size, sum) : sum;
    WR_ASSERT(m->normal_impulse >= 0.0f && wr_is_finite3(m->friction_impulse));
    give(m, wr_add(impulse, wr_sub(m->friction_impulse, old)));
}

static void wake(wri_material_body *body)
{
    if (body->resting && body->material->wake) {
        WR_ASSERT(body->material->is_asleep && !body->frozen);
        body->material->wake(body->state);
        body->resting = body->material->is_asleep(body->state);
    }
}

static void hand_over(const side *s, wr_boundary_impulse *list)
{
    int count = 0;
    for (int i = 0; i < s->boundary.point_count; i++) {
        wr_vec3 j = s->impulses[i];
        WR_ASSERT(wr_is_finite3(j));
        if (j.x != 0.0f || j.y != 0.0f || j.z != 0.0f) {
            list[count++] = (wr_boundary_impulse){i, j};
        }
    }
    if (count > 0) {
        wake(s->body);
        s->body->material->apply_impulses(s->body->state, list, count);
    }
}

static void note_meetings(wr_world *world)
{
    for (int i = 0; i < world->meetings.count; i++) {
        const meeting *m = &WRI_ITEM(world->meetings, meeting, i);
        if (m->normal_impulse > 0.0f) {
            wr_vec3 point = m->a->boundary.points[m->point].position;
            wri_world_note_pair(world,
                                (wr_record_contact){m->a->body->scene_body, m->b->body->scene_body,
                                                    point, m->normal, m->normal_impulse});
        }
    }
}

void wri_world_meet(wr_world *world, float dt)
{
    int count;
    side *sides = find_sides(world, dt, &count);
    if (!sides || !find_meetings(world, sides, count, dt) || world->meetings.count == 0) {
        return; // nobody meets, or there is no memory: they pass through each other this once
    }
    int most = 0;
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = begin_side(world, &sides[i]);
        most = sides[i].boundary.point_count > most ? sides[i].boundary.point_count : most;
    }
    wr_boundary_impulse *list = wr_scratch_push(&world->scratch, (size_t)most, sizeof *list);
    if (!ok || !list) {
        return;
    }
    count_supports(world);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < world->meetings.count; i++) {
            solve_meeting(&WRI_ITEM(world->meetings, meeting, i), dt);
        }
    }
    note_meetings(world);
    for (int i = 0; i < count; i++) {
        hand_over(&sides[i], list);
    }
}
