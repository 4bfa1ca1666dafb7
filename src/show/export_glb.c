// export_glb.c: a take as a .glb with one animated node per body, and morph targets for what bends.
//
// Keys that a straight line between their neighbours reproduces are left out: to 4e-6 of the body's
// size for places, 4e-6 radians for turns, so that vertices are within 1e-5 of what was recorded.
#include "glb.h"

#include "../file/pose_keys.h"

// --- keys -------------------------------------------------------------------------------------

static float body_size(const wri_export *e, const wri_export_body *body)
{
    return body->body.model < 0 ? 1.0f : wri_model_size(e->info->models[body->body.model]);
}

float wri_glb_time(const wri_export *e, int picture)
{
    return (float)((double)picture * e->schedule.denominator / e->schedule.numerator);
}

bool wri_glb_add_motion(wri_glb_export *x, const wri_glb_motion *m)
{
    wri_export *e = x->e;
    const wr_pose *poses = m->poses + m->first;
    int count = wri_pose_keys(poses, m->count, m->distance, m->angle, x->keys);
    bool still = true; // also over several lines: they have a greatest length
    for (int i = 1; i < count; i++) {
        still = still && memcmp(&poses[0], &poses[x->keys[i]], sizeof(wr_pose)) == 0;
    }
    if (still) {
        return true;
    }
    size_t n = (size_t)count;
    float *times = wri_arena_alloc(&e->arena, n, sizeof *times);
    wr_vec3 *positions = wri_arena_alloc(&e->arena, n, sizeof *positions);
    wr_quat *rotations = wri_arena_alloc(&e->arena, n, sizeof *rotations);
    wr_track *track = wri_array_add(&x->tracks, 2);
    if (!times || !positions || !rotations || !track) {
        return wri_fail_memory(e->error, n * sizeof *rotations);
    }
    for (int i = 0; i < count; i++) {
        times[i] = wri_glb_time(e, m->first + x->keys[i]);
        positions[i] = poses[x->keys[i]].position;
        rotations[i] = poses[x->keys[i]].rotation;
        if (i > 0 && wr_quat_dot(rotations[i], rotations[i - 1]) < 0.0f) { // the shorter arc
            wr_quat q = rotations[i];
            rotations[i] = (wr_quat){-q.x, -q.y, -q.z, -q.w};
        }
    }
    track[0] = (wr_track){m->node, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, count,
                          times,   &positions->x};
    track[1] = (wr_track){m->node, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, count,
                          times,   &rotations->x};
    e->report.moving++;
    return true;
}

bool wri_glb_add_presence(wri_glb_export *x, int node, const bool *shown)
{
    wri_export *e = x->e;
    int changes = 0, count = 0;
    for (int p = 1; p < e->schedule.count; p++) {
        changes += shown[p] != shown[p - 1];
    }
    if (changes == 0) {
        return true;
    }
    size_t keys = (size_t)changes + 1;
    float *times = wri_arena_alloc(&e->arena, keys, sizeof *times);
    wr_vec3 *scales = wri_arena_alloc(&e->arena, keys, sizeof *scales);
    wr_track *track = wri_array_add(&x->tracks, 1);
    if (!times || !scales || !track) {
        return wri_fail_memory(e->error, keys * sizeof *scales);
    }
    for (int p = 0; p < e->schedule.count; p++) {
        if (p == 0 || shown[p] != shown[p - 1]) {
            float scale = shown[p] ? 1.0f : 0.0f;
            times[count] = wri_glb_time(e, p);
            scales[count++] = wr_v3(scale, scale, scale);
        }
    }
    *track = (wr_track){node, WR_CHANNEL_SCALE, WR_INTERPOLATION_STEP, count, times, &scales->x};
    return true;
}

bool wri_glb_add_body_presence(wri_glb_export *x, const wri_export_body *body, int node)
{
    wri_export *e = x->e;
    bool *shown = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *shown);
    for (int p = 0; shown && p < e->schedule.count; p++) {
        shown[p] = wri_export_shows(body, p);
    }
    return shown ? wri_glb_add_presence(x, node, shown)
                 : wri_fail_memory(e->error, (size_t)e->schedule.count);
}

static bool add_body(wri_glb_export *x, const wri_export_body *body, int node)
{
    const wri_glb_motion motion = {.node = node,
                                   .poses = body->poses,
                                   .count = x->e->schedule.count,
                                   .distance = WRI_GLB_SLACK * body_size(x->e, body),
                                   .angle = WRI_GLB_SLACK};
    return wri_glb_add_motion(x, &motion) && wri_glb_add_body_presence(x, body, node);
}

// --- the whole --------------------------------------------------------------------------------

// The nodes and meshes of films and joints behind those of the bodies.
static bool join_nodes(wri_glb_export *x)
{
    wr_model *model = x->e->model;
    size_t nodes = (size_t)model->node_count, own = (size_t)x->nodes.count;
    size_t meshes = (size_t)model->mesh_count, fresh = (size_t)x->meshes.count;
    wr_node *all = wr_model_alloc(model, nodes + own, sizeof *all);
    wr_mesh *shapes = wr_model_alloc(model, meshes + fresh, sizeof *shapes);
    if (!all || !shapes) {
        return wri_fail_memory(x->e->error, (nodes + own) * sizeof *all);
    }
    memcpy(all, model->nodes, nodes * sizeof *all);
    memcpy(shapes, model->meshes, meshes * sizeof *shapes);
    if (own) {
        memcpy(all + nodes, x->nodes.items, own * sizeof *all);
    }
    if (fresh) {
        memcpy(shapes + meshes, x->meshes.items, fresh * sizeof *shapes);
    }
    model->nodes = all;
    model->meshes = shapes;
    model->node_count += x->nodes.count;
    model->mesh_count += x->meshes.count;
    return true;
}

static bool write_glb(wri_glb_export *x)
{
    wri_export *e = x->e;
    x->keys = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *x->keys);
    if (!x->keys) {
        return wri_fail_memory(e->error, (size_t)e->schedule.count * sizeof *x->keys);
    }
    if (!wri_export_add_stage(e, false)) {
        return false;
    }
    for (int i = 0; i < e->view_count; i++) {
        const wri_glb_motion motion = {.node = e->views[i].node,
                                       .poses = e->views[i].poses,
                                       .count = e->schedule.count,
                                       .distance = WRI_GLB_SLACK * e->views[i].focus,
                                       .angle = WRI_GLB_SLACK};
        if (!wri_glb_add_motion(x, &motion)) {
            return false;
        }
    }
    for (int b = 0; b < e->body_count; b++) {
        if (!e->bodies[b].skin && !add_body(x, &e->bodies[b], b)) {
            return false;
        }
    }
    if (!wri_export_bends(e, true, wri_glb_add_bends, x) || !wri_glb_add_films(x) ||
        !join_nodes(x)) {
        return false;
    }
    wr_clip clip = {"take", x->tracks.count, x->tracks.items};
    e->model->clips = &clip;
    e->model->clip_count = x->tracks.count ? 1 : 0;
    e->model->skins = x->skins.items;
    e->model->skin_count = x->skins.count;
    bool ok = e->desc->compress
                  ? wr_model_write_glb_compressed(e->model, e->path, &e->report.rounding, e->error)
                  : wr_model_write_glb(e->model, e->path, e->error);
    e->model->clip_count = e->model->skin_count = 0; // clip and skins are ours
    e->report.nodes = e->model->node_count;
    return ok;
}

bool wri_export_glb(wri_export *e)
{
    wri_glb_export x = {.e = e,
                        .tracks = wri_array_create(NULL, sizeof(wr_track)),
                        .nodes = wri_array_create(NULL, sizeof(wr_node)),
                        .meshes = wri_array_create(NULL, sizeof(wr_mesh)),
                        .skins = wri_array_create(NULL, sizeof(wr_model_skin)),
                        .arenas = wri_array_create(NULL, sizeof(wri_arena))};
    bool ok = write_glb(&x);
    e->report.frames = ok ? e->schedule.count : 0; // nothing stays of one that is stopped
    wri_array_destroy(&x.tracks);
    wri_array_destroy(&x.nodes);
    wri_array_destroy(&x.meshes);
    wri_array_destroy(&x.skins);
    for (int i = 0; i < x.arenas.count; i++) {
        wri_arena_destroy(&WRI_ITEM(x.arenas, wri_arena, i));
    }
    wri_array_destroy(&x.arenas);
    return ok;
}
