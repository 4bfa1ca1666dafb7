// pose_source.c: where the handles of a body are to be at a time: a clip of its asset, one clip
// going over into the next, or what another body does; and all of it along a path.
//
// What another body does is what it follows itself, a function of the time, or where physics has
// its bones. Those of the beginning of a step are read before anything moves, those of its end when
// the ensemble of that body has advanced: its followers live in ensembles that advance later.
//
// Two that go over into each other both play on. The share s of the new one grows as s^2 (3 - 2 s),
// so that speeds do not jump where it begins and ends; a third one may begin before that.
#include "world.h"

static const wr_handle_pose AT_REST = {{0, 0, 0, 1}, {0, 0, 0}, {1, 1, 1, 0, 0, 0}};

typedef struct moment {
    const wr_scene *scene;
    const wr_world *world; // in which bones are simulated; NULL: they are where they start
    double time;           // seconds
    bool along_paths;      // false: somebody who follows has a way of its own
    wr_scratch *scratch;
} moment;

static bool find_poses(const moment *m, int index, wr_handle_pose *poses);

wr_skeleton wri_skeleton_of(const wr_scene_body *body)
{
    if (body->skeleton || !body->asset) {
        return body->skeleton ? *body->skeleton : (wr_skeleton){0};
    }
    const wr_asset *asset = body->asset;
    return (wr_skeleton){.handle_count = asset->rig.handle_count,
                         .handles = asset->rig.handles,
                         .clip_count = asset->clip_count,
                         .clips = asset->clips};
}

bool wri_has_pose_source(const wr_scene_body *body)
{
    return wri_skeleton_of(body).handle_count > 0 && body->material &&
           body->material->follows_pose && (body->pose_count > 0 || body->path_count > 0);
}

// --- as another body --------------------------------------------------------------------------

static wr_vec3 place_of(const wr_skeleton *rig, const wr_handle_pose *poses, int b)
{
    return wr_add(rig->handles[b].pivot, poses[b].offset);
}

// The place to which the handle's parent would carry it if it stayed within it as at rest.
static wr_vec3 carried_place(const wr_skeleton *rig, const wr_handle_pose *poses, int b)
{
    int parent = rig->handles[b].parent;
    WR_ASSERT(parent < b); // parents first
    if (parent < 0) {
        return rig->handles[b].pivot;
    }
    const float *s = poses[parent].stretch;
    wr_vec3 v = wr_sub(rig->handles[b].pivot, rig->handles[parent].pivot);
    v = wr_v3(s[0] * v.x + s[3] * v.y + s[4] * v.z, s[3] * v.x + s[1] * v.y + s[5] * v.z,
              s[4] * v.x + s[5] * v.y + s[2] * v.z);
    return wr_add(place_of(rig, poses, parent), wr_rotate(poses[parent].rotation, v));
}

// Handles of the same name turn and stretch alike; bones keep the length they have here, and what
// a handle there moves away from the place its parent takes it to, it moves here as well.
static void copy_by_name(const wr_skeleton *from, const wr_handle_pose *theirs,
                         const wr_skeleton *to, const int *partners, wr_handle_pose *poses)
{
    for (int b = 0; b < to->handle_count; b++) {
        int partner = partners[b], parent = to->handles[b].parent;
        WR_ASSERT(partner >= -1 && partner < from->handle_count);
        wr_vec3 at = carried_place(to, poses, b);
        if (partner >= 0) {
            wr_vec3 moved =
                wr_sub(place_of(from, theirs, partner), carried_place(from, theirs, partner));
            poses[b] = theirs[partner];
            at = wr_add(at, moved);
        } else {
            poses[b] = parent >= 0 ? poses[parent] : AT_REST;
        }
        poses[b].offset = wr_sub(at, to->handles[b].pivot);
    }
}

// False: the bones have lost their way.
static bool find_bones(const moment *m, int index, wr_handle_pose *poses)
{
    if (!m->world) {
        return find_poses(m, index, poses);
    }
    const wri_material_body *body = m->world->materials;
    while (body->scene_body != index) {
        body++;
    }
    if (!body->frozen) {
        body->material->handle_poses(body->state, poses);
    }
    return !body->frozen;
}

static bool follow(const moment *m, const wr_scene_body *body, const wr_pose_source *source,
                   wr_handle_pose *poses)
{
    WR_ASSERT(source->body < m->scene->body_count && &m->scene->bodies[source->body] != body);
    const wr_skeleton rig = wri_skeleton_of(&m->scene->bodies[source->body]);
    const wr_skeleton own = wri_skeleton_of(body);
    moment there = *m;
    there.along_paths = m->along_paths && body->path_count == 0;
    bool (*find)(const moment *, int, wr_handle_pose *) =
        source->is_simulated ? find_bones : find_poses;
    if (!source->partners) {
        return find(&there, source->body, poses);
    }
    wr_handle_pose *theirs = wr_scratch_push(m->scratch, (size_t)rig.handle_count, sizeof *theirs);
    if (!theirs || !find(&there, source->body, theirs)) {
        return false;
    }
    copy_by_name(&rig, theirs, &own, source->partners, poses);
    return true;
}

// --- one after the other ----------------------------------------------------------------------

// [0, 1], of a source that has begun.
static float share_at(const wr_pose_source *source, double time)
{
    WR_ASSERT(time >= source->at);
    double s = source->blend > 0.0 ? (time - source->at) / source->blend : 1.0;
    return s >= 1.0 ? 1.0f : (float)(s * s * (3.0 - 2.0 * s));
}

static bool find_source(const moment *m, const wr_scene_body *body, const wr_pose_source *source,
                        wr_handle_pose *poses)
{
    const wr_skeleton rig = wri_skeleton_of(body);
    if (source->body >= 0) {
        return follow(m, body, source, poses);
    }
    WR_ASSERT(source->clip && !source->partners);
    double passed = fmax(m->time - source->at, 0.0); // before the first one begins it waits
    wr_rig_clip_poses(source->clip, rig.handles, rig.handle_count,
                      source->start + source->speed * passed, source->loops, poses);
    return true;
}

// Poses go over into those of one source after the other.
static bool mix_sources(const moment *m, const wr_scene_body *body, int first, int last,
                        wr_handle_pose *poses)
{
    WR_ASSERT(first >= 1 && first <= last && last < body->pose_count);
    const wr_skeleton rig = wri_skeleton_of(body);
    size_t count = (size_t)rig.handle_count;
    wr_handle_pose *next = wr_scratch_push(m->scratch, count, sizeof *next);
    wr_handle_pose *mixed = wr_scratch_push(m->scratch, count, sizeof *mixed);
    bool ok = next && mixed;
    for (int i = first; i <= last && ok; i++) {
        const wr_pose_source *source = &body->poses[i];
        ok = find_source(m, body, source, next);
        if (ok) {
            wr_rig_blend_poses(rig.handles, rig.handle_count, poses, next,
                               share_at(source, m->time), mixed);
            memcpy(poses, mixed, count * sizeof *poses);
        }
    }
    return ok;
}

// Blends from the last source that acts alone to the last one that has begun.
static bool find_sources(const moment *m, const wr_scene_body *body, wr_handle_pose *poses)
{
    int last = 0;
    while (last + 1 < body->pose_count && body->poses[last + 1].at <= m->time) {
        last++;
    }
    int first = last;
    while (first > 0 && share_at(&body->poses[first], m->time) < 1.0f) {
        first--;
    }
    return find_source(m, body, &body->poses[first], poses) &&
           (first == last || mix_sources(m, body, first + 1, last, poses));
}

// --- along a path -----------------------------------------------------------------------------

// The motion from the body's first pose to that of its path, in lengths of the asset.
static wr_pose find_motion(const wr_scene_body *body, double time)
{
    WR_ASSERT(body->path_count > 0 && body->scale > 0.0f);
    wr_pose motion = wr_pose_multiply(wr_pose_inverse(body->rigid.pose),
                                      wri_path_pose(body->path, body->path_count, time));
    motion.position = wr_scale(1.0f / body->scale, motion.position);
    return motion;
}

static void move_along(const wr_skeleton *rig, wr_pose motion, wr_handle_pose *poses)
{
    WR_ASSERT(fabsf(wr_quat_dot(motion.rotation, motion.rotation) - 1.0f) < 1e-3f);
    for (int b = 0; b < rig->handle_count; b++) {
        wr_vec3 at = wr_pose_point(motion, place_of(rig, poses, b));
        wr_quat q = wr_quat_normalize(wr_quat_multiply(motion.rotation, poses[b].rotation));
        poses[b].rotation = q.w < 0.0f ? (wr_quat){-q.x, -q.y, -q.z, -q.w} : q;
        poses[b].offset = wr_sub(at, rig->handles[b].pivot);
    }
}

static bool find_poses(const moment *m, int index, wr_handle_pose *poses)
{
    const wr_scene_body *body = &m->scene->bodies[index];
    const wr_skeleton skeleton = wri_skeleton_of(body), *rig = &skeleton;
    for (int b = 0; b < rig->handle_count; b++) {
        poses[b] = AT_REST;
    }
    if (body->pose_count > 0 && !find_sources(m, body, poses)) {
        return false;
    }
    if (m->along_paths && body->path_count > 0) {
        move_along(rig, find_motion(body, m->time), poses);
    }
    return true;
}

int wri_leader_of(const wr_scene *scene, int body)
{
    const wr_scene_body *b = &scene->bodies[body];
    int leader = -1;
    for (int i = 0; i < b->pose_count && leader < 0; i++) {
        const wr_pose_source *source = &b->poses[i];
        leader = source->is_simulated || source->body < 0 ? source->body
                                                          : wri_leader_of(scene, source->body);
    }
    return leader;
}

bool wri_follows_bones(const wr_scene *scene, int body)
{
    return wri_leader_of(scene, body) >= 0;
}

bool wri_pose_source_find(const wr_scene *scene, int body, double time, wr_scratch *scratch,
                          wr_handle_pose *poses)
{
    WR_ASSERT(body >= 0 && body < scene->body_count && isfinite(time));
    const moment m = {scene, NULL, time, true, scratch};
    return wri_has_pose_source(&scene->bodies[body]) && find_poses(&m, body, poses);
}

// --- for a step -------------------------------------------------------------------------------

// NULL: there are none, and it keeps the pose it has.
static const wr_handle_pose *find_for(wr_world *world, const wri_material_body *body, double time)
{
    const moment m = {world->scene, world, time, true, &world->scratch};
    size_t count = (size_t)wri_skeleton_of(&world->scene->bodies[body->scene_body]).handle_count;
    wr_handle_pose *poses = wr_scratch_push(&world->scratch, count, sizeof *poses);
    return poses && find_poses(&m, body->scene_body, poses) ? poses : NULL;
}

static void set_poses(wri_material_body *body, const wr_handle_pose *begin,
                      const wr_handle_pose *end)
{
    body->pose_begin = begin && end ? begin : NULL;
    body->pose_end = begin && end ? end : NULL;
}

void wri_world_find_poses(wr_world *world, double begin, double end)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        set_poses(body, body->is_posed ? find_for(world, body, begin) : NULL,
                  body->is_posed ? find_for(world, body, end) : NULL);
    }
}

void wri_world_follow_bones(wr_world *world, const wr_material *material, double end)
{
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->material == material && body->follows_bones) {
            set_poses(body, body->pose_begin, find_for(world, body, end));
        }
    }
}
