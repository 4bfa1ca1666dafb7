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
#include "near.h"
#include "world.h"

enum { SWEEPS = 8 };
static const float PUSH_OUT = 0.2f; // share of an overlap that goes in one step

// One of the bodies that have a boundary.
typedef struct side {
    wri_material_body *body;
    wr_boundary boundary;
    wri_reach reach;
    wr_vec3 *velocities; // per point, as the impulses so far have changed it
    wr_vec3 *impulses;   // per point, so far
    int *supported;      // meetings per support
} side;

// A place where two boundaries meet: a point of a with a triangle of b, or with one point of it.
typedef struct meeting {
    side *a, *b;
    wri_nearness at;      // the point is of a
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
    s->reach = wri_boundary_reach(&s->boundary, dt);
}

// Ensembles that meet boundaries keep their bodies out of them themselves, see between.c.
static bool has_boundary(const wri_material_body *body)
{
    return body->material->boundary && !body->material->meets_boundaries && !body->frozen;
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

static bool may_meet(const wr_world *world, const side *a, const side *b)
{
    const wr_rigid_body_desc *x = &world->scene->bodies[a->body->scene_body].rigid;
    const wr_rigid_body_desc *y = &world->scene->bodies[b->body->scene_body].rigid;
    return !are_together(a->body, b->body) && (x->group & y->collides) &&
           (y->group & x->collides) && !(a->body->resting && b->body->resting) &&
           wr_boxes_meet(a->reach.box, b->reach.box);
}

// --- where they meet --------------------------------------------------------------------------

// Points of a with what b consists of.
static bool meet_side(wr_world *world, side *a, side *b, float dt)
{
    world->nearness.count = 0;
    bool ok = wri_boundaries_near(&a->reach, &b->reach, dt, &world->scratch, &world->nearness);
    int count = ok ? world->nearness.count : 0;
    meeting *room = count > 0 ? wri_array_add(&world->meetings, count) : NULL;
    for (int i = 0; room && i < count; i++) {
        room[i] = (meeting){.a = a, .b = b, .at = WRI_ITEM(world->nearness, wri_nearness, i)};
    }
    return ok && (room || count == 0);
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
    return m->at.others[1] < 0 ? 1 : 3;
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
        count_support(m->a, m->at.point);
        for (int k = 0; k < other_count(m); k++) {
            count_support(m->b, m->at.others[k]);
        }
    }
}

static wr_vec3 relative_velocity(const meeting *m)
{
    wr_vec3 v = m->a->velocities[m->at.point];
    for (int k = 0; k < other_count(m); k++) {
        v = wr_add_scaled(v, -m->at.weights[k], m->b->velocities[m->at.others[k]]);
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
    float sum = wr_dot(direction, response(m->a, m->at.point, direction));
    for (int k = 0; k < other_count(m); k++) {
        float w = m->at.weights[k];
        sum += w * w * wr_dot(direction, response(m->b, m->at.others[k], direction));
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
    give_point(m->a, m->at.point, impulse);
    for (int k = 0; k < other_count(m); k++) {
        give_point(m->b, m->at.others[k], wr_scale(-m->at.weights[k], impulse));
    }
}

static void solve_meeting(meeting *m, float dt)
{
    wr_vec3 v = relative_velocity(m);
    float wanted = m->at.gap >= 0.0f ? -m->at.gap / dt : -PUSH_OUT * m->at.gap / dt;
    float w = inverse_effective_mass(m, m->at.normal), speed = wr_dot(v, m->at.normal);
    if (!(w > 0.0f)) {
        return;
    }
    float before = m->normal_impulse;
    m->normal_impulse = fmaxf(before + (wanted - speed) / w, 0.0f);
    wr_vec3 impulse = wr_scale(m->normal_impulse - before, m->at.normal);
    wr_vec3 slip = wr_add_scaled(v, -speed, m->at.normal), old = m->friction_impulse;
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
            wr_vec3 point = m->a->boundary.points[m->at.point].position;
            wri_world_note_pair(world,
                                (wr_record_contact){m->a->body->scene_body, m->b->body->scene_body,
                                                    point, m->at.normal, m->normal_impulse});
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
