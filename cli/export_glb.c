// export_glb.c: a take as a .glb with one animated node per body, and morph targets for what bends.
//
// A body that bends has a mesh and at most 32 shapes that are added to it; the animation says how
// much of each, in [0, 1]: Blender allows no more. Fewer do when they reach 5e-6 of its size. What
// does not play animations shows the first frame.
// Keys that a straight line between their neighbours reproduces are left out: to 4e-6 of the body's
// size for places, 4e-6 radians for turns, so that vertices are within 1e-5 of what was recorded.
#include "take.h"

#include "../src/geometry/shapes.h"

#include <math.h>
#include <stdio.h>

typedef struct exporter {
    cli_take *take;
    wri_array tracks; // of wr_track
    int *keys;        // room for all frames
    int moving;       // nodes that do
} exporter;

// --- keys -------------------------------------------------------------------------------------

// Radians between two nearby turns; from their difference, since near 1 their product is too
// coarse.
static float angle_between(wr_quat a, wr_quat b)
{
    float s = wr_quat_dot(a, b) < 0.0f ? -1.0f : 1.0f;
    wr_quat d = {a.x - s * b.x, a.y - s * b.y, a.z - s * b.z, a.w - s * b.w};
    return 2.0f * sqrtf(wr_quat_dot(d, d));
}

static bool line_holds(const wr_pose *poses, int a, int b, float place, float turn)
{
    for (int i = a + 1; i < b; i++) {
        float t = (float)(i - a) / (float)(b - a);
        wr_vec3 p = wr_lerp3(poses[a].position, poses[b].position, t);
        wr_quat q = wr_quat_nlerp(poses[a].rotation, poses[b].rotation, t);
        if (wr_distance(p, poses[i].position) > place ||
            angle_between(q, poses[i].rotation) > turn) {
            return false;
        }
    }
    return true;
}

// Chooses frames greedily: each line reaches as far as it holds.
static int choose_keys(const wr_pose *poses, int count, float place, float turn, int *keys)
{
    enum { LONGEST = 240 }; // frames; bounds the search
    int chosen = 0, at = 0;
    keys[chosen++] = 0;
    while (at < count - 1) {
        int next = at + 1;
        while (next + 1 < count && next + 1 - at <= LONGEST &&
               line_holds(poses, at, next + 1, place, turn)) {
            next++;
        }
        keys[chosen++] = next;
        at = next;
    }
    return chosen;
}

static float body_size(const cli_take *take, const cli_take_body *body)
{
    return body->body.model < 0 ? 1.0f : cli_model_size(take->info->models[body->body.model]);
}

static float time_of(const cli_take *take, int picture)
{
    return (float)((double)picture * take->schedule.denominator / take->schedule.numerator);
}

static bool add_track(exporter *e, int node)
{
    cli_take *take = e->take;
    const cli_take_body *body = &take->bodies[node];
    const wr_pose *poses = body->poses;
    int count =
        choose_keys(poses, take->schedule.count, 4e-6f * body_size(take, body), 4e-6f, e->keys);
    bool still = true; // also over several lines: they have a greatest length
    for (int i = 1; i < count; i++) {
        still = still && memcmp(&poses[0], &poses[e->keys[i]], sizeof(wr_pose)) == 0;
    }
    if (still) {
        return true;
    }
    size_t n = (size_t)count;
    float *times = wri_arena_alloc(&take->arena, n, sizeof *times);
    wr_vec3 *positions = wri_arena_alloc(&take->arena, n, sizeof *positions);
    wr_quat *rotations = wri_arena_alloc(&take->arena, n, sizeof *rotations);
    wr_track *track = wri_array_add(&e->tracks, 2);
    if (!times || !positions || !rotations || !track) {
        return wri_fail_memory(&take->error, n * sizeof *rotations);
    }
    for (int i = 0; i < count; i++) {
        times[i] = time_of(take, e->keys[i]);
        positions[i] = poses[e->keys[i]].position;
        rotations[i] = poses[e->keys[i]].rotation;
        if (i > 0 && wr_quat_dot(rotations[i], rotations[i - 1]) < 0.0f) { // the shorter arc
            wr_quat q = rotations[i];
            rotations[i] = (wr_quat){-q.x, -q.y, -q.z, -q.w};
        }
    }
    track[0] =
        (wr_track){node, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, count, times, &positions->x};
    track[1] =
        (wr_track){node, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, count, times, &rotations->x};
    e->moving++;
    return true;
}

// A node that is not there all the time has scale 0 meanwhile.
static bool add_presence(exporter *e, int node)
{
    cli_take *take = e->take;
    const cli_take_body *body = &take->bodies[node];
    int last = take->schedule.count - 1;
    if (body->first == 0 && body->last == last) {
        return true;
    }
    float *times = wri_arena_alloc(&take->arena, 3, sizeof *times);
    wr_vec3 *scales = wri_arena_alloc(&take->arena, 3, sizeof *scales);
    wr_track *track = wri_array_add(&e->tracks, 1);
    if (!times || !scales || !track) {
        return wri_fail_memory(&take->error, 3 * sizeof *scales);
    }
    int count = 0;
    if (body->first > 0) {
        scales[count] = wr_v3(0.0f, 0.0f, 0.0f);
        times[count++] = 0.0f;
    }
    scales[count] = wr_v3(1.0f, 1.0f, 1.0f);
    times[count++] = time_of(take, body->first);
    if (body->last < last) {
        scales[count] = wr_v3(0.0f, 0.0f, 0.0f);
        times[count++] = time_of(take, body->last + 1);
    }
    *track = (wr_track){node, WR_CHANNEL_SCALE, WR_INTERPOLATION_STEP, count, times, &scales->x};
    return true;
}

// --- shapes -----------------------------------------------------------------------------------

enum { MOST_SHAPES = 32 };

// rest: the mesh as it was modelled, whose normals turn with the shape.
static bool fill_morph(cli_take *take, const wr_mesh *rest, const wr_mesh *mesh,
                       const wr_vec3 *offsets, int number, wr_morph *morph)
{
    size_t n = (size_t)mesh->vertex_count;
    *morph = (wr_morph){.name = wri_arena_printf(&take->arena, "shape %d", number + 1),
                        .positions = wri_arena_alloc(&take->arena, n, sizeof(wr_vec3)),
                        .normals = mesh->normals ? wri_arena_alloc(&take->arena, n, 12) : NULL};
    if (!morph->name || !morph->positions || (mesh->normals && !morph->normals)) {
        return wri_fail_memory(&take->error, n * sizeof(wr_vec3));
    }
    for (size_t i = 0; i < n; i++) { // first the shape itself, for its normals
        morph->positions[i] = wr_add(mesh->positions[i], offsets[i]);
    }
    if (mesh->normals && !wr_mesh_renew_normals(rest, rest->normals, morph->positions, NULL,
                                                morph->normals, &take->error)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        morph->positions[i] = offsets[i];
        if (mesh->normals) {
            morph->normals[i] = wr_sub(morph->normals[i], mesh->normals[i]);
        }
    }
    return true;
}

static bool fill_mesh(cli_take *take, const wr_mesh *rest, wr_mesh *mesh, const wri_shapes *shapes)
{
    size_t n = (size_t)mesh->vertex_count;
    mesh->positions = shapes->base;
    if (mesh->normals) {
        mesh->normals = wri_arena_alloc(&take->arena, n, sizeof(wr_vec3));
        if (!mesh->normals) {
            return wri_fail_memory(&take->error, n * sizeof(wr_vec3));
        }
        if (!wr_mesh_renew_normals(rest, rest->normals, shapes->base, NULL, mesh->normals,
                                   &take->error)) {
            return false;
        }
    }
    mesh->morphs = wri_arena_alloc(&take->arena, (size_t)shapes->count, sizeof(wr_morph));
    if (!mesh->morphs) {
        return wri_fail_memory(&take->error, (size_t)shapes->count * sizeof(wr_morph));
    }
    mesh->morph_count = shapes->count;
    for (int i = 0; i < shapes->count; i++) {
        if (!fill_morph(take, rest, mesh, shapes->offsets + (size_t)i * n, i, &mesh->morphs[i])) {
            return false;
        }
        mesh->morphs[i].weight = shapes->weights[i];
    }
    return true;
}

static bool add_shapes(exporter *e, int node)
{
    cli_take *take = e->take;
    const cli_take_body *body = &take->bodies[node];
    wr_mesh *mesh = &take->model->meshes[take->model->nodes[node].mesh];
    int frames = take->schedule.count;
    wr_vec3 *points;
    wri_shapes shapes;
    if (!body->bends || mesh->vertex_count == 0) {
        return true;
    }
    const wr_mesh *rest = take->info->models[body->body.model]->meshes;
    float tolerance = 5e-6f * body_size(take, body);
    wri_arena arena = wri_arena_create(NULL); // the points of a long take are many
    bool ok = cli_take_read_points(take, body, &arena, &points) &&
              wri_shapes_find(points, frames, mesh->vertex_count, MOST_SHAPES, tolerance,
                              &take->arena, &shapes, &take->error) &&
              fill_mesh(take, rest, mesh, &shapes);
    wri_arena_destroy(&arena);
    if (!ok) {
        return false;
    }
    if (!take->options->quiet) {
        printf("%s: %d %s, no vertex off by more than %.2g m\n", body->body.name, shapes.count,
               wri_plural(shapes.count, "shape", "shapes"), (double)shapes.error);
    }
    float *times = wri_arena_alloc(&take->arena, (size_t)frames, sizeof *times);
    wr_track *track = shapes.count > 0 ? wri_array_add(&e->tracks, 1) : NULL;
    if (!times || (shapes.count > 0 && !track)) {
        return wri_fail_memory(&take->error, (size_t)frames * sizeof *times);
    }
    for (int i = 0; i < frames; i++) {
        times[i] = time_of(take, i);
    }
    if (track) {
        *track = (wr_track){node,  WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_LINEAR, frames,
                            times, shapes.weights};
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool write_glb(exporter *e)
{
    cli_take *take = e->take;
    e->keys = wri_arena_alloc(&take->arena, (size_t)take->schedule.count, sizeof *e->keys);
    if (!e->keys) {
        return wri_fail_memory(&take->error, (size_t)take->schedule.count * sizeof *e->keys);
    }
    for (int b = 0; b < take->body_count; b++) {
        if (!add_track(e, b) || !add_presence(e, b) || !add_shapes(e, b)) {
            return false;
        }
    }
    wr_clip clip = {"take", e->tracks.count, e->tracks.items};
    take->model->clips = &clip;
    take->model->clip_count = e->tracks.count ? 1 : 0;
    bool ok = wr_model_write_glb(take->model, take->options->output, &take->error);
    take->model->clip_count = 0; // the clip is ours
    return ok;
}

int cli_export_glb(cli_take *take)
{
    exporter e = {.take = take, .tracks = wri_array_create(NULL, sizeof(wr_track))};
    bool ok = write_glb(&e);
    int status = ok ? CLI_OK : cli_take_failed(take);
    if (ok && !take->options->quiet) {
        char size[32];
        const char *path = take->options->output;
        printf("%s: %d %s, %d of them animated, %s\n", path, take->model->node_count,
               wri_plural(take->model->node_count, "node", "nodes"), e.moving,
               cli_size_text(size, wri_file_size(path)));
    }
    wri_array_destroy(&e.tracks);
    return status;
}
