// limbs.c: a chain of five driven bones in a tube of skin, with a tail.
//
// Bones are boxes along the x axis of the model's box. Each turns against the one before it by an
// angle whose tangent is a polynomial of the time, or follows one of the first five handles of a
// pose source. The tail lies in the last two bones and hangs on the end of the chain by a joint; it
// is given a velocity at one time, and the joint is taken out at another. The skin is the linear
// blend of two bones, x = sum_b w_b (R_b u_b + t_b). It is one closed tube, surface 0, until it is
// cut: then its end is surface 1, which vanishes in turn. Nothing moves the skin: what others do to
// it is summed up.
#include "limbs.h"

#include "../src/base/base.h"

enum {
    SWING,
    PERIOD,
    START,
    KICK,
    RELEASE,
    CUT,
    VANISH,
    POISON,
    IGNORES,
    TOUCHES,
    MEETS,
    GIVES,
    PARAMETER_COUNT
};
enum { NEVER = 1000000, CORNERS = 8 };
enum { RINGS = 40, CUT_RING = 24, SIDES = 8 };
enum { MOST_VERTICES = RINGS * SIDES + 4, MOST_TRIANGLES = 2 * RINGS * SIDES };

static const char *const touch_words[] = {"all", "others", "nothing", NULL};

static const wr_parameter parameters[PARAMETER_COUNT] = {
    [SWING] = {"swing", "", 0, 1, 0.1, "tangent of half the largest angle of a bone"},
    [PERIOD] = {"period", "s", 0.01, NEVER, 2, "of the slowest bone"},
    [START] = {"start", "s", 0, NEVER, 0, "when the bones begin to swing"},
    [KICK] = {"kick_at", "s", 0, NEVER, NEVER, "when the tail is given a velocity"},
    [RELEASE] = {"release_at", "s", 0, NEVER, NEVER, "when the tail comes off"},
    [CUT] = {"cut_at", "s", 0, NEVER, NEVER, "when the skin is cut in two"},
    [VANISH] = {"vanish_at", "s", 0, NEVER, NEVER, "when the end of a skin that is cut vanishes"},
    [POISON] = {"poison_at", "s", 0, NEVER, NEVER, "when the end of the skin loses its numbers"},
    [IGNORES] = {"ignores_until", "s", 0, NEVER, 0,
                 "until when the tail passes through the first two bodies of the engine"},
    [TOUCHES] = {"touches", "", 0, 2, WR_PART_TOUCHES_OTHERS, "what bones and tail touch",
                 .choices = touch_words},
    [MEETS] = {"meets", "", 0, 1, 1, "whether other materials meet the skin", .is_whole = true},
    [GIVES] = {"gives", "1/kg", 0, 1e6, 0, "inverse mass that the skin pretends to have along y"},
};

// Of the bones: about which axis of the one before it, how far and how often each of them turns.
static const wr_vec3 axes[LIMBS_BONES] = {
    {0, 0, 1}, {0.36f, 0.48f, 0.8f}, {0, 0.6f, 0.8f}, {0.48f, -0.6f, 0.64f}, {0, 0.28f, 0.96f}};
static const float swings[LIMBS_BONES] = {0.5f, 1.0f, -0.7f, 0.8f, -1.0f};
static const double turns[LIMBS_BONES] = {1, 1, 2, 1, 3};
static const char *const names[LIMBS_PARTS] = {"bone 1", "bone 2", "bone 3",
                                               "bone 4", "bone 5", "tail"};
static const float BONE_SIZE = 0.4f; // across, of the skin's
static const float TAIL_SIZE = 0.2f; // likewise
static const float OVERLAP = 1.2f;   // length of a bone, of the way to the next
static const float TAIL_LENGTH = 1.5f;
static const wr_vec3 KICK_SPIN = {2.0f, -1.5f, 3.0f}; // rad/s

// Everything that changes, as it is saved: no padding, no pointers.
typedef struct limbs_state {
    double skin_impulse[3];                          // N s so far
    double felt[LIMBS_PARTS][3];                     // N s so far, from contacts
    wr_pose before[LIMBS_BONES], bones[LIMBS_BONES]; // when the last step began and ended
    float dt;                                        // seconds, of that step
    float thickness[2];                              // of the skin before and behind the cut
    wr_vec3 given[2];                                // velocity and angular velocity of the tail
    int32_t kicked, released, cut, gone;
    int32_t heeds; // the tail ignores nobody any more
} limbs_state;

// Where a vertex of the skin is on the chain.
typedef struct skin_place {
    float s, y, z; // s: in bones, from the beginning; y, z: in halves of the skin's size
    int end;       // 0: before the cut
} skin_place;

typedef struct limbs {
    wr_allocator allocator;
    double values[PARAMETER_COUNT];
    wr_pose pose; // of the body at the start
    wr_vec3 velocity, size, middle;
    float length, friction, scale; // of the way from bone to bone, metres
    int handle_count;
    wr_vec3 pivots[LIMBS_BONES]; // of the handles that the bones follow
    limbs_state now;
    wr_piece pieces[2]; // of a bone, of the tail
    wr_vec3 corners[2][CORNERS];
    wr_material_part parts[LIMBS_PARTS];
    wr_material_joint joint;
    int vertex_count, triangle_count, surface_count;
    skin_place places[MOST_VERTICES];
    wr_vec3 skin[MOST_VERTICES], old_skin[MOST_VERTICES];
    int triangles[3 * MOST_TRIANGLES];         // of the whole skin
    int surface_triangles[3 * MOST_TRIANGLES]; // each surface numbers its vertices from 0
    wr_record_surface surfaces[2];
    wr_boundary_point points[MOST_VERTICES];
} limbs;

// --- bones ------------------------------------------------------------------------------------

// The tangent of half the angle: like a sine, but u (1 - u) (1 - 2 u) with a largest value of 1.
static float swing_at(const limbs *l, int bone, double time)
{
    double u = turns[bone] * fmax(time - l->values[START], 0.0) / l->values[PERIOD];
    u -= floor(u);
    return (float)(l->values[SWING] * swings[bone] * 10.392304845 * u * (1.0 - u) *
                   (1.0 - 2.0 * u));
}

static wr_pose body_at(const limbs *l, double time)
{
    return (wr_pose){wr_add_scaled(l->pose.position, (float)time, l->velocity), l->pose.rotation};
}

static wr_vec3 rest_center(const limbs *l, int bone)
{
    return wr_add(l->middle, wr_v3(((float)bone - 2.0f) * l->length, 0.0f, 0.0f));
}

static void swing_bones(const limbs *l, double time, wr_pose bones[LIMBS_BONES])
{
    wr_vec3 half = wr_v3(0.5f * l->length, 0.0f, 0.0f);
    wr_pose at = body_at(l, time);
    at.position = wr_pose_point(at, wr_sub(rest_center(l, 0), half));
    for (int i = 0; i < LIMBS_BONES; i++) {
        wr_vec3 t = wr_scale(swing_at(l, i, time), axes[i]);
        wr_quat turn = wr_quat_normalize((wr_quat){t.x, t.y, t.z, 1.0f});
        at.rotation = wr_quat_normalize(wr_quat_multiply(at.rotation, turn));
        at.position = wr_pose_point(at, half);
        bones[i] = at;
        at.position = wr_pose_point(at, half);
    }
}

// Without their stretch.
static void follow_handles(const limbs *l, const wr_handle_pose *poses, wr_pose bones[LIMBS_BONES])
{
    for (int i = 0; i < LIMBS_BONES; i++) {
        const wr_handle_pose *pose = &poses[i < l->handle_count ? i : l->handle_count - 1];
        wr_vec3 pivot = wr_add_scaled(l->pivots[i], l->scale, pose->offset);
        wr_vec3 arm = wr_rotate(pose->rotation, wr_sub(rest_center(l, i), l->pivots[i]));
        bones[i] = wr_pose_multiply(l->pose, (wr_pose){wr_add(pivot, arm), pose->rotation});
    }
}

// --- the tail ---------------------------------------------------------------------------------

static wr_vec3 bone_point(const limbs *l)
{
    return wr_v3(0.5f * l->length, 0.0f, 0.0f);
}

static wr_vec3 tail_point(const limbs *l)
{
    return wr_v3(0.5f * TAIL_LENGTH * l->length, 0.0f, 0.0f);
}

static wr_vec3 tail_size(const limbs *l)
{
    return wr_v3(TAIL_LENGTH * l->length, TAIL_SIZE * l->size.y, TAIL_SIZE * l->size.z);
}

// Turns it about the end of the chain, so that the joint has nothing to say about it.
static void kick_tail(limbs *l, const wr_material_step *step)
{
    limbs_state *s = &l->now;
    const wr_part_state *tail = &step->parts[LIMBS_TAIL];
    wr_vec3 from = wr_pose_point(s->before[LIMBS_BONES - 1], bone_point(l));
    wr_vec3 to = wr_pose_point(s->bones[LIMBS_BONES - 1], bone_point(l));
    wr_vec3 arm = wr_sub(tail->center, wr_pose_point(tail->pose, tail_point(l)));
    s->given[0] = wr_add(wr_scale(1.0f / step->dt, wr_sub(to, from)), wr_cross(KICK_SPIN, arm));
    s->given[1] = KICK_SPIN;
    s->kicked = 1;
}

// --- what the world is told about bones and tail ----------------------------------------------

static void set_box(wr_vec3 corners[CORNERS], wr_vec3 size)
{
    for (int i = 0; i < CORNERS; i++) {
        corners[i] =
            wr_v3(i & 1 ? 0.5f * size.x : -0.5f * size.x, i & 2 ? 0.5f * size.y : -0.5f * size.y,
                  i & 4 ? 0.5f * size.z : -0.5f * size.z);
    }
}

static void create_parts(limbs *l, const wr_material_desc *desc)
{
    set_box(l->corners[0],
            wr_v3(OVERLAP * l->length, BONE_SIZE * l->size.y, BONE_SIZE * l->size.z));
    set_box(l->corners[1], tail_size(l));
    for (int i = 0; i < LIMBS_PARTS; i++) {
        bool is_tail = i == LIMBS_TAIL;
        l->pieces[is_tail] = (wr_piece){l->corners[is_tail], CORNERS};
        l->parts[i] = (wr_material_part){.alive = true,
                                         .name = names[i],
                                         .pieces = &l->pieces[is_tail],
                                         .piece_count = 1,
                                         .motion = is_tail ? WR_MOTION_MOVING : WR_MOTION_DRIVEN,
                                         .touches = (wr_part_touches)l->values[TOUCHES],
                                         .friction = desc->friction,
                                         .restitution = desc->restitution,
                                         .pose = l->now.bones[is_tail ? i - 1 : i],
                                         .velocity = desc->velocity};
    }
    wr_material_part *tail = &l->parts[LIMBS_TAIL];
    wr_vec3 tip = wr_pose_point(tail->pose, bone_point(l));
    tail->pose.position = wr_sub(tip, wr_rotate(tail->pose.rotation, tail_point(l)));
    tail->mass = wr_primitive_mass(WR_PRIMITIVE_BOX, tail_size(l), desc->density);
    l->joint.joint = wr_joint_desc_default();
    l->joint.joint.body_a = LIMBS_TAIL;
    l->joint.joint.body_b = LIMBS_BONES - 1;
    l->joint.joint.at = tip;
}

static void follow_parts(limbs *l)
{
    const limbs_state *s = &l->now;
    for (int i = 0; i < LIMBS_BONES; i++) {
        l->parts[i].target = s->bones[i];
    }
    static const int ignored[] = {0, 1};
    wr_material_part *tail = &l->parts[LIMBS_TAIL];
    tail->ignored = ignored;
    tail->ignored_count = s->heeds ? 0 : WRI_COUNT(ignored);
    tail->ignored_version = 1 + (uint32_t)s->heeds;
    tail->velocity_version = (uint32_t)s->kicked;
    if (s->kicked) {
        tail->velocity = s->given[0];
        tail->angular_velocity = s->given[1];
    }
    l->joint.alive = !s->released;
}

// --- the skin ---------------------------------------------------------------------------------

static void add_triangle(limbs *l, int first, int a, int b, int c)
{
    const int corners[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        l->surface_triangles[3 * l->triangle_count + i] = corners[i];
        l->triangles[3 * l->triangle_count + i] = first + corners[i];
    }
    l->triangle_count++;
}

static void add_place(limbs *l, int ring, float y, float z)
{
    float s = (float)(LIMBS_BONES * ring) / (RINGS - 1);
    l->places[l->vertex_count++] = (skin_place){s, y, z, ring >= CUT_RING};
}

// A closed tube of rings, counter-clockwise from outside. Across it is a square without corners.
static void add_tube(limbs *l, int ring, int count)
{
    static const float across[SIDES][2] = {{1, 0.7f},   {0.7f, 1},   {-0.7f, 1}, {-1, 0.7f},
                                           {-1, -0.7f}, {-0.7f, -1}, {0.7f, -1}, {1, -0.7f}};
    int first = l->vertex_count, last = 1 + count * SIDES;
    add_place(l, ring, 0.0f, 0.0f);
    for (int r = 0; r < count; r++) {
        for (int k = 0; k < SIDES; k++) {
            int here = 1 + r * SIDES + k, next = 1 + r * SIDES + (k + 1) % SIDES;
            add_place(l, ring + r, across[k][0], across[k][1]);
            if (r + 1 < count) {
                add_triangle(l, first, here, next, here + SIDES);
                add_triangle(l, first, here + SIDES, next, next + SIDES);
            }
            if (r == 0) {
                add_triangle(l, first, 0, next, here);
            }
            if (r + 1 == count) {
                add_triangle(l, first, last, here, next);
            }
        }
    }
    add_place(l, ring + count - 1, 0.0f, 0.0f);
}

static void add_surface(limbs *l, int ring, int count)
{
    int number = l->surface_count++, vertices = l->vertex_count, triangles = l->triangle_count;
    add_tube(l, ring, count);
    l->surfaces[number] = (wr_record_surface){.number = number,
                                              .topology = number ? 1u : 1u + (uint32_t)l->now.cut,
                                              .name = number ? "end" : "skin",
                                              .in_world = true,
                                              .look = -1,
                                              .color = {1, 1, 1, 1},
                                              .vertex_count = l->vertex_count - vertices,
                                              .triangle_count = l->triangle_count - triangles,
                                              .positions = &l->skin[vertices],
                                              .triangles = &l->surface_triangles[3 * triangles]};
}

static void build_skin(limbs *l)
{
    l->vertex_count = l->triangle_count = l->surface_count = 0;
    add_surface(l, 0, l->now.cut ? CUT_RING : RINGS);
    if (l->now.cut && !l->now.gone) {
        add_surface(l, CUT_RING, RINGS - CUT_RING);
    }
}

// The first of the two bones that a place hangs on; *share: of the second.
static int bone_of(const skin_place *place, float *share)
{
    int bone = (int)wr_clampf(place->s - 0.5f, 0.0f, LIMBS_BONES - 2.0f);
    *share = wr_clampf(place->s - 0.5f - (float)bone, 0.0f, 1.0f);
    return bone;
}

static wr_vec3 skin_point(const limbs *l, const wr_pose *bones, const skin_place *place)
{
    float share, thick = 0.5f * l->now.thickness[place->end];
    int b = bone_of(place, &share);
    wr_vec3 u = wr_v3((place->s - 0.5f - (float)b) * l->length, thick * place->y * l->size.y,
                      thick * place->z * l->size.z);
    wr_vec3 v = wr_v3(u.x - l->length, u.y, u.z);
    return wr_lerp3(wr_pose_point(bones[b], u), wr_pose_point(bones[b + 1], v), share);
}

static void follow_bones(limbs *l)
{
    for (int i = 0; i < l->vertex_count; i++) {
        l->skin[i] = skin_point(l, l->now.bones, &l->places[i]);
        l->old_skin[i] = skin_point(l, l->now.before, &l->places[i]);
    }
}

// --- life -------------------------------------------------------------------------------------

static void limbs_destroy(void *body)
{
    limbs *l = body;
    if (l) {
        wr_allocator heap = l->allocator;
        wri_free(&heap, l, 1, sizeof *l);
    }
}

static void find_pivots(limbs *l, const wr_material_desc *desc)
{
    l->handle_count = desc->asset ? desc->asset->rig.handle_count : 0;
    l->scale = desc->scale;
    for (int i = 0; i < LIMBS_BONES && l->handle_count > 0; i++) {
        int handle = i < l->handle_count ? i : l->handle_count - 1;
        l->pivots[i] = wr_scale(desc->scale, desc->asset->rig.handles[handle].pivot);
    }
}

static void place_bones(limbs *l, const wr_material_desc *desc)
{
    l->now.dt = desc->picture_time;
    if (desc->handle_poses) {
        follow_handles(l, desc->handle_poses, l->now.bones);
        memcpy(l->now.before, l->now.bones, sizeof l->now.before);
    } else {
        swing_bones(l, 0.0, l->now.bones);
        swing_bones(l, -(double)l->now.dt, l->now.before);
    }
}

static void *limbs_create(const wr_material_desc *desc, wr_error *error)
{
    limbs *l = wri_alloc(&desc->allocator, 1, sizeof *l);
    if (!l) {
        wri_fail_memory(error, sizeof *l);
        return NULL;
    }
    wr_box box = wr_mesh_bounds(desc->model->meshes);
    l->allocator = desc->allocator;
    memcpy(l->values, desc->values, sizeof l->values);
    l->pose = desc->pose;
    l->velocity = desc->velocity;
    l->size = wr_box_size(box);
    l->middle = wr_box_center(box);
    l->length = l->size.x / LIMBS_BONES;
    l->friction = desc->friction;
    find_pivots(l, desc);
    l->now.thickness[0] = l->now.thickness[1] = 1.0f;
    place_bones(l, desc);
    create_parts(l, desc);
    follow_parts(l);
    build_skin(l);
    follow_bones(l);
    return l;
}

// --- the step ---------------------------------------------------------------------------------

static void limbs_advance(void *body, const wr_material_step *step)
{
    limbs *l = body;
    limbs_state *s = &l->now;
    double end = step->time + (double)step->dt;
    memcpy(s->before, s->bones, sizeof s->before);
    if (step->pose_end) {
        follow_handles(l, step->pose_end, s->bones);
    } else {
        swing_bones(l, end, s->bones);
    }
    s->dt = step->dt;
    if (!s->kicked && step->time >= l->values[KICK]) {
        kick_tail(l, step);
    }
    s->heeds = step->time >= l->values[IGNORES];
    if (step->time >= l->values[POISON]) {
        s->thickness[1] = NAN;
    }
    follow_parts(l);
}

static void limbs_take_contacts(void *body, const wr_material_step *step)
{
    limbs *l = body;
    for (int i = 0; i < step->contact_count; i++) {
        const wr_contact *c = &step->contacts[i];
        double *felt = l->now.felt[step->contact_parts[i]];
        wr_vec3 j = wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal);
        felt[0] += j.x, felt[1] += j.y, felt[2] += j.z;
    }
}

static void limbs_end_step(void *body, const wr_material_step *step)
{
    limbs *l = body;
    limbs_state *s = &l->now;
    bool cuts = !s->cut && step->time >= l->values[CUT];
    bool vanishes = s->cut && !s->gone && step->time >= l->values[VANISH];
    s->released = s->released || step->time >= l->values[RELEASE];
    s->cut = s->cut || cuts;
    s->gone = s->gone || vanishes;
    if (cuts || vanishes) {
        build_skin(l);
    }
    follow_bones(l);
    follow_parts(l);
}

// --- what others see of it --------------------------------------------------------------------

static const wr_material_part *limbs_parts(const void *body, int *count)
{
    *count = LIMBS_PARTS;
    return ((const limbs *)body)->parts;
}

static const wr_material_joint *limbs_joints(const void *body, int *count)
{
    *count = 1;
    return &((const limbs *)body)->joint;
}

static wr_boundary limbs_boundary(void *body, float dt, const wr_work *work)
{
    (void)dt;
    (void)work;
    limbs *l = body;
    if (l->values[MEETS] == 0.0) {
        return (wr_boundary){0};
    }
    float give = (float)l->values[GIVES];
    for (int i = 0; i < l->vertex_count; i++) {
        wr_vec3 way = wr_sub(l->skin[i], l->old_skin[i]);
        float share;
        int bone = bone_of(&l->places[i], &share);
        l->points[i] = (wr_boundary_point){.position = l->skin[i],
                                           .velocity = wr_scale(1.0f / l->now.dt, way),
                                           .inverse_mass = {{{0}, {0, give, 0}, {0}}},
                                           .support = bone + (share > 0.5f)};
    }
    return (wr_boundary){.points = l->points,
                         .point_count = l->vertex_count,
                         .triangles = l->triangles,
                         .triangle_count = l->triangle_count,
                         .friction = l->friction};
}

static void limbs_apply_impulses(void *body, const wr_boundary_impulse *impulses, int count)
{
    double *sum = ((limbs *)body)->now.skin_impulse;
    for (int i = 0; i < count; i++) {
        wr_vec3 j = impulses[i].impulse;
        sum[0] += j.x, sum[1] += j.y, sum[2] += j.z;
    }
}

static wr_material_surface limbs_surface(const void *body)
{
    (void)body;
    return (wr_material_surface){.part = -1};
}

static const wr_record_surface *limbs_surfaces(const void *body, int *count)
{
    *count = ((const limbs *)body)->surface_count;
    return ((const limbs *)body)->surfaces;
}

static bool limbs_is_sound(const void *body)
{
    const limbs_state *s = &((const limbs *)body)->now;
    bool ok = isfinite(s->dt) && isfinite(s->thickness[0]) && isfinite(s->thickness[1]) &&
              wr_is_finite3(s->given[0]) && wr_is_finite3(s->given[1]);
    for (int i = 0; i < LIMBS_BONES; i++) {
        ok = ok && wr_pose_is_finite(s->before[i]) && wr_pose_is_finite(s->bones[i]);
    }
    for (int i = 0; i < 3; i++) {
        ok = ok && isfinite(s->skin_impulse[i]);
        for (int k = 0; k < LIMBS_PARTS; k++) {
            ok = ok && isfinite(s->felt[k][i]);
        }
    }
    return ok;
}

// --- everything that changes ------------------------------------------------------------------

static uint64_t limbs_hash(const void *body)
{
    return wri_hash(&((const limbs *)body)->now, sizeof(limbs_state), 0);
}

static size_t limbs_size(const void *body)
{
    (void)body;
    return sizeof(limbs_state);
}

static void limbs_save(const void *body, void *bytes)
{
    memcpy(bytes, &((const limbs *)body)->now, sizeof(limbs_state));
}

static bool limbs_restore(void *body, const void *bytes, size_t size, wr_error *error)
{
    limbs *l = body;
    limbs_state state;
    if (size != sizeof state) {
        return wri_fail(error, WR_E_FORMAT, "limbs: %zu bytes, expected %zu", size, sizeof state);
    }
    memcpy(&state, bytes, size);
    const int32_t flags[] = {state.kicked, state.released, state.cut, state.gone};
    for (int i = 0; i < WRI_COUNT(flags); i++) {
        if (flags[i] != 0 && flags[i] != 1) {
            return wri_fail(error, WR_E_FORMAT, "limbs: flag %d is %d, expected 0 or 1", i,
                            flags[i]);
        }
    }
    l->now = state;
    follow_parts(l);
    build_skin(l);
    follow_bones(l);
    return true;
}

limbs_view limbs_look(const void *body)
{
    const limbs *l = body;
    return (limbs_view){.bones = l->now.bones,
                        .bone_point = bone_point(l),
                        .tail_point = tail_point(l),
                        .tail_size = tail_size(l),
                        .tail_mass = l->parts[LIMBS_TAIL].mass.mass,
                        .given = l->now.given,
                        .skin_impulse = l->now.skin_impulse,
                        .felt = l->now.felt,
                        .vertex_count = l->vertex_count,
                        .skin = l->skin,
                        .triangle_count = l->triangle_count,
                        .triangles = l->triangles,
                        .kicked = l->now.kicked,
                        .released = l->now.released,
                        .cut = l->now.cut,
                        .gone = l->now.gone};
}

const wr_material limbs_material = {
    .table_size = sizeof(wr_material),
    .name = "limbs",
    .about = "Five bones with a skin and a tail.",
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .follows_pose = true,
    .create = limbs_create,
    .destroy = limbs_destroy,
    .parts = limbs_parts,
    .joints = limbs_joints,
    .boundary = limbs_boundary,
    .apply_impulses = limbs_apply_impulses,
    .advance = limbs_advance,
    .take_contacts = limbs_take_contacts,
    .end_step = limbs_end_step,
    .surface = limbs_surface,
    .surfaces = limbs_surfaces,
    .is_sound = limbs_is_sound,
    .hash = limbs_hash,
    .size = limbs_size,
    .save = limbs_save,
    .restore = limbs_restore,
};
