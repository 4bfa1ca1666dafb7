// glb_film.c: surfaces of changing topology in a .glb: a node and a mesh for every stretch of
// pictures with the same triangles, which is there in these alone.
#include "glb.h"

// A stretch that is being read.
typedef struct stretch {
    const wri_export_film *film;
    wr_mesh mesh; // of its first picture
    int first, count;
    int number;       // of the film's stretches
    wri_array points; // wr_vec3, of picture after picture
} stretch;

static float mesh_size(const wr_mesh *mesh)
{
    return wr_length(wr_box_size(wr_mesh_bounds(mesh)));
}

static bool add_node(wri_glb_export *x, const stretch *s, int *node)
{
    wri_export *e = x->e;
    const char *name = s->number == 1
                           ? s->film->name
                           : wri_arena_printf(&e->arena, "%s %d", s->film->name, s->number);
    wr_node *slot = name ? wri_array_add(&x->nodes, 1) : NULL;
    wr_mesh *mesh = slot ? wri_array_add(&x->meshes, 1) : NULL;
    if (!mesh) {
        return wri_fail_memory(e->error, sizeof *mesh);
    }
    float scale = s->first == 0 ? 1.0f : 0.0f; // for programs that show the first picture alone
    *node = e->model->node_count + x->nodes.count - 1;
    *slot = (wr_node){.name = name,
                      .parent = -1,
                      .mesh = e->model->mesh_count + x->meshes.count - 1,
                      .skin = -1,
                      .pose = s->film->poses[s->first],
                      .scale = {scale, scale, scale}};
    *mesh = s->mesh;
    mesh->name = name;
    return true;
}

static bool add_shapes(wri_glb_export *x, const stretch *s, int node, float size)
{
    wri_export *e = x->e;
    size_t count = (size_t)s->count, n = (size_t)s->mesh.vertex_count;
    wri_holds holds = {.vertex_count = s->mesh.vertex_count,
                       .picture_count = s->count,
                       .count = s->count,
                       .first = wri_arena_alloc(&e->arena, count, sizeof(int)),
                       .points = wri_arena_alloc(&e->arena, count, sizeof(wr_vec3 *))};
    wri_arena *kept = wri_array_add(&x->arenas, 1);
    if (!holds.first || !holds.points || !kept) {
        return wri_fail_memory(e->error, count * sizeof(wr_vec3 *));
    }
    for (size_t i = 0; i < count; i++) {
        holds.first[i] = (int)i;
        holds.points[i] = &WRI_ITEM(s->points, wr_vec3, i * n);
    }
    wri_morphing found;
    bool ok =
        wri_morphing_find(&s->mesh, &holds, e->desc->shapes, 0.0f, size, false, &found, e->error);
    *kept = found.arena;
    wr_mesh *mesh = &WRI_ITEM(x->meshes, wr_mesh, x->meshes.count - 1);
    return ok && wri_glb_add_morphing(x, node, mesh, s->first, &found);
}

static bool end_stretch(wri_glb_export *x, stretch *s)
{
    wri_export *e = x->e;
    if (s->count == 0) {
        return true;
    }
    s->number++;
    bool *shown = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *shown);
    for (int i = 0; shown && i < s->count; i++) {
        shown[s->first + i] = true;
    }
    float size = mesh_size(&s->mesh);
    wri_glb_motion motion = {.poses = s->film->poses,
                             .first = s->first,
                             .count = s->count,
                             .distance = WRI_GLB_SLACK * size,
                             .angle = WRI_GLB_SLACK};
    bool ok = (shown || wri_fail_memory(e->error, (size_t)e->schedule.count)) &&
              add_node(x, s, &motion.node) && wri_glb_add_motion(x, &motion) &&
              wri_glb_add_presence(x, motion.node, shown);
    ok = ok && (s->count == 1 || add_shapes(x, s, motion.node, size));
    s->count = s->points.count = 0;
    return ok;
}

// The mesh of the next picture, which goes on with the stretch or begins another one.
static bool add_picture(wri_glb_export *x, stretch *s, int picture, wr_mesh *mesh)
{
    wri_export *e = x->e;
    bool is_same = s->count > 0 && wri_same_topology(mesh, &s->mesh);
    if (!is_same && !end_stretch(x, s)) {
        return false;
    }
    if (mesh->triangle_count == 0) {
        return true;
    }
    wr_vec3 *points = wri_array_add(&s->points, mesh->vertex_count);
    if (!points || (!is_same && !wri_mesh_keep(mesh, NULL, &e->arena))) {
        return wri_fail_memory(e->error, (size_t)mesh->vertex_count * sizeof *points);
    }
    memcpy(points, mesh->positions, (size_t)mesh->vertex_count * sizeof *points);
    if (!is_same) {
        s->mesh = *mesh;
        s->first = picture;
    }
    s->count++;
    return true;
}

static bool add_film(wri_glb_export *x, const wri_export_film *film, wri_pieces *memory)
{
    wri_export *e = x->e;
    int count = e->schedule.count;
    stretch s = {.film = film, .points = wri_array_create(NULL, sizeof(wr_vec3))};
    bool ok = true;
    for (int p = 0; ok && p < count; p++) {
        wr_mesh mesh;
        ok = wri_watch(&e->desc->watch, WR_WATCH_BEND, p, count) || wri_export_cancel(e);
        const wr_frame *frame = ok ? wri_export_frame(e, p) : NULL;
        ok = frame && wri_export_film_mesh(e, film, frame, p, false, memory, &mesh) &&
             add_picture(x, &s, p, &mesh);
        wri_pieces_forget(memory);
    }
    ok = ok && end_stretch(x, &s) &&
         (wri_watch(&e->desc->watch, WR_WATCH_BEND, count, count) || wri_export_cancel(e));
    wri_array_destroy(&s.points);
    return ok;
}

bool wri_glb_add_films(wri_glb_export *x)
{
    wri_export *e = x->e;
    if (wri_export_has_clouds(e)) {
        return wri_fail(e->error, WR_E_UNSUPPORTED,
                        "%s: glTF has no particles; as a surface it has them, and .ply and .usda "
                        "have them as they are",
                        e->path);
    }
    wri_pieces memory = {wri_arena_create(NULL), wri_array_create(NULL, sizeof(wr_model *))};
    bool ok = true;
    for (int i = 0; ok && i < e->film_count; i++) {
        ok = add_film(x, &e->films[i], &memory);
    }
    wri_pieces_destroy(&memory);
    return ok;
}
