// export_usd.c: a take as USD text: Xforms and points with time samples.
#include "export.h"

#include "morphing.h"

#include <math.h>

// Keys of poses may be left out for this much of a body's size, and for as many radians; of a body
// that is dented, for this much of the tolerance.
#define SLACK 4e-6f
#define DENT_SLACK 0.05f

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
    size_t n = (size_t)(model->node_count + e->film_count);
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

typedef struct usd_bends {
    wri_export *e;
    wr_node_motion *motions;
    wri_array arenas; // wri_arena: of points and morphs
} usd_bends;

static bool add_points(usd_bends *x, wri_bend *bend)
{
    wri_export *e = x->e;
    size_t pictures = (size_t)e->schedule.count;
    const wri_holds *holds = &bend->holds;
    wri_arena *kept = wri_array_add(&x->arenas, 1);
    const wr_vec3 **points = wri_arena_alloc(&e->arena, pictures, sizeof *points);
    if (!kept || !points) {
        return wri_fail_memory(e->error, pictures * sizeof *points);
    }
    for (int p = 0, s = 0; p < e->schedule.count; p++) {
        s += s + 1 < holds->count && p >= holds->first[s + 1];
        points[p] = holds->points[s];
    }
    x->motions[bend->body - e->bodies].points = points;
    *kept = bend->arena;
    bend->arena = wri_arena_create(NULL);
    return true;
}

static bool add_morphs(usd_bends *x, const wri_bend *bend, const wri_morphing *found)
{
    wri_export *e = x->e;
    wr_node_motion *motion = &x->motions[bend->body - e->bodies];
    wr_mesh *mesh = &e->model->meshes[e->model->nodes[motion->node].mesh];
    mesh->morphs = found->morphs;
    mesh->morph_count = found->morph_count;
    motion->key_count = found->morph_count > 0 ? found->key_count : 0;
    motion->keys = found->keys;
    motion->weights = found->weights;
    motion->unit = found->step;
    e->report.shapes += found->morph_count;
    float size = wr_length(wr_box_size(wr_mesh_bounds(mesh))); // no vertex turns on a longer arm
    float moved = motion->distance + size * motion->angle;
    e->report.error = fmaxf(e->report.error, found->error + moved);
    return true;
}

// What the profiles of dents do for has morphs, which leave the shared mesh at rest; all else has
// its points.
static bool add_bends(void *context, wri_bend *bends, int count)
{
    usd_bends *x = context;
    wri_morphing *found;
    wri_arena room = wri_arena_create(NULL);
    bool ok = wri_export_find_morphings(x->e, bends, count, true, &room, &x->arenas, &found);
    for (int b = 0; ok && b < count; b++) {
        ok =
            found[b].key_count > 0 ? add_morphs(x, &bends[b], &found[b]) : add_points(x, &bends[b]);
    }
    wri_arena_destroy(&room);
    return ok;
}

static bool write_usd(usd_bends *x)
{
    wri_export *e = x->e;
    if (!wri_export_add_stage(e, true)) {
        return false;
    }
    size_t n = (size_t)(e->model->node_count + e->film_count);
    if (!wri_check_looks(e->model, e->path, NULL, e->desc->replace, e->error)) {
        return false;
    }
    wr_node_motion *motions = x->motions = wri_arena_alloc(&e->arena, n, sizeof *motions);
    if (!motions) {
        return wri_fail_memory(e->error, n * sizeof *motions);
    }
    for (int b = 0; b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        bool is_dented = body->bends && strcmp(body->body.material, "metal") == 0;
        float slack = is_dented ? fmaxf(DENT_SLACK * e->desc->tolerance, SLACK) : SLACK;
        float size =
            body->body.model < 0 ? 1.0f : wri_model_size(e->info->models[body->body.model]);
        motions[b] = (wr_node_motion){.node = b,
                                      .poses = body->poses,
                                      .distance = slack * size,
                                      .angle = slack,
                                      .first = body->first,
                                      .last = body->last};
        if (!find_shown(e, body, &motions[b].shown)) {
            return false;
        }
    }
    for (int node = e->body_count; node < e->model->node_count; node++) {
        motions[node] = (wr_node_motion){.node = node, .last = e->schedule.count - 1};
    }
    for (int i = 0; i < e->view_count; i++) {
        wr_node_motion *motion = &motions[e->views[i].node];
        motion->poses = e->views[i].poses;
        motion->distance = SLACK * e->views[i].focus;
        motion->angle = SLACK;
    }
    if (!wri_export_bends(e, false, add_bends, x) || !add_films(e, motions)) {
        return false;
    }
    wr_model_motion motion = {e->schedule.numerator, e->schedule.denominator, e->schedule.count,
                              (int)n, motions};
    e->report.frames = e->schedule.count;
    e->report.nodes = e->model->node_count;
    return wr_model_write_usda(e->model, &motion, e->path, e->error);
}

bool wri_export_usd(wri_export *e)
{
    usd_bends x = {.e = e, .arenas = wri_array_create(NULL, sizeof(wri_arena))};
    bool ok = write_usd(&x);
    for (int i = 0; i < x.arenas.count; i++) {
        wri_arena_destroy(&WRI_ITEM(x.arenas, wri_arena, i));
    }
    wri_array_destroy(&x.arenas);
    return ok;
}
