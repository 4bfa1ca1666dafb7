// export_usd.c: a take as USD text: Xforms and points with time samples.
#include "export.h"

// Pictures in which a body is there, where that is not one run of them; NULL with ok: it is.
static bool find_shown(wri_export *e, const wri_export_body *body, const bool **shown)
{
    bool *own = NULL;
    if (body->hidden) {
        own = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *own);
        for (int p = 0; own && p < e->schedule.count; p++) {
            own[p] = wri_export_shows(body, p);
        }
    }
    *shown = own;
    return own || !body->hidden || wri_fail_memory(e->error, (size_t)e->schedule.count);
}

// The meshes or particles of a film in all pictures.
static bool read_film(wri_export *e, const wri_export_film *film, wri_pieces *memory,
                      wr_node_motion *motion)
{
    int count = e->schedule.count;
    wr_mesh *meshes = wri_arena_alloc(&e->arena, (size_t)count, sizeof *meshes), *before = NULL;
    wr_particles *sets = wri_arena_alloc(&e->arena, (size_t)count, sizeof *sets);
    bool ok = (meshes && sets) || wri_fail_memory(e->error, (size_t)count * sizeof *meshes);
    for (int p = 0; ok && p < count; p++) {
        wr_ply_cloud cloud;
        ok = wri_watch(&e->desc->watch, WR_WATCH_BEND, p, count) || wri_export_cancel(e);
        const wr_frame *frame = ok ? wri_export_frame(e, p) : NULL;
        wri_pieces_forget(memory);
        if (frame && film->is_cloud) {
            ok = wri_export_film_cloud(e, film, frame, p, false, &memory->arena, &cloud);
            sets[p] = cloud.particles;
            motion->particle_color = film->shown[p] ? cloud.color : motion->particle_color;
            ok = ok && (wri_particles_keep(&sets[p], &e->arena) || wri_fail_memory(e->error, 12));
        } else if (frame) {
            ok = wri_export_film_mesh(e, film, frame, p, false, memory, &meshes[p]) &&
                 (wri_mesh_keep(&meshes[p], before, &e->arena) || wri_fail_memory(e->error, 12));
            before = meshes[p].triangle_count > 0 ? &meshes[p] : before;
        }
        ok = ok && frame;
    }
    motion->poses = film->poses;
    motion->last = count - 1;
    motion->meshes = film->is_cloud ? NULL : meshes;
    motion->particles = film->is_cloud ? sets : NULL;
    return ok && (wri_watch(&e->desc->watch, WR_WATCH_BEND, count, count) || wri_export_cancel(e));
}

// A node for each film, behind those of the bodies.
static bool add_films(wri_export *e, wr_node_motion *motions)
{
    wr_model *model = e->model;
    size_t n = (size_t)(e->body_count + e->film_count);
    wr_node *nodes = wr_model_alloc(model, n, sizeof *nodes);
    if (!nodes) {
        return wri_fail_memory(e->error, n * sizeof *nodes);
    }
    memcpy(nodes, model->nodes, (size_t)model->node_count * sizeof *nodes);
    model->nodes = nodes;
    wri_pieces memory = {wri_arena_create(NULL), wri_array_create(NULL, sizeof(wr_model *))};
    bool ok = true;
    for (int i = 0; ok && i < e->film_count; i++) {
        int node = model->node_count++;
        nodes[node] = (wr_node){.name = e->films[i].name,
                                .parent = -1,
                                .mesh = -1,
                                .skin = -1,
                                .pose = e->films[i].poses[0],
                                .scale = {1.0f, 1.0f, 1.0f}};
        motions[node] = (wr_node_motion){.node = node};
        ok = read_film(e, &e->films[i], &memory, &motions[node]);
    }
    wri_pieces_destroy(&memory);
    return ok;
}

bool wri_export_usd(wri_export *e)
{
    size_t n = (size_t)(e->body_count + e->film_count);
    if (!wri_check_looks(e->model, e->path, NULL, e->desc->replace, e->error)) {
        return false;
    }
    wr_node_motion *motions = wri_arena_alloc(&e->arena, n, sizeof *motions);
    if (!motions) {
        return wri_fail_memory(e->error, n * sizeof *motions);
    }
    for (int b = 0; b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        wr_vec3 *points = NULL;
        if (body->bends && !wri_export_read_points(e, body, &e->arena, &points)) {
            return false;
        }
        motions[b] = (wr_node_motion){.node = b,
                                      .poses = body->poses,
                                      .points = points,
                                      .first = body->first,
                                      .last = body->last};
        if (!find_shown(e, body, &motions[b].shown)) {
            return false;
        }
    }
    if (!add_films(e, motions)) {
        return false;
    }
    wr_model_motion motion = {e->schedule.numerator, e->schedule.denominator, e->schedule.count,
                              (int)n, motions};
    e->report.frames = e->schedule.count;
    e->report.nodes = e->model->node_count;
    return wr_model_write_usda(e->model, &motion, e->path, e->error);
}
