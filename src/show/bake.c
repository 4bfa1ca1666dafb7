// bake.c: the model of a take in the frame of the world, picture after picture.
#include "export.h"

// A mesh with only those vertices that its triangles use; sources says which they were.
static bool compact(wri_bake *bake, const wr_mesh *mesh, wr_mesh *out, int **sources)
{
    wr_model *model = bake->model;
    size_t n = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    int *to = wr_model_alloc(model, n, sizeof(int)), count = 0;
    *sources = wr_model_alloc(model, n, sizeof(int));
    *out = *mesh;
    out->uvs = mesh->uvs ? wr_model_alloc(model, n, sizeof(wr_vec2)) : NULL;
    out->colors = mesh->colors ? wr_model_alloc(model, n, sizeof(wr_color)) : NULL;
    out->triangles = wr_model_alloc(model, corners, sizeof(int));
    if (!to || !*sources || !out->triangles || (mesh->uvs && !out->uvs) ||
        (mesh->colors && !out->colors)) {
        return wri_fail_memory(bake->owner->error, corners * sizeof(int));
    }
    for (size_t i = 0; i < corners; i++) {
        to[mesh->triangles[i]] = 1;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (to[i]) {
            (*sources)[count] = i;
            to[i] = count++;
        }
    }
    for (size_t i = 0; i < corners; i++) {
        out->triangles[i] = to[mesh->triangles[i]];
    }
    for (int i = 0; i < count; i++) {
        if (mesh->uvs) {
            out->uvs[i] = mesh->uvs[(*sources)[i]];
        }
        if (mesh->colors) {
            out->colors[i] = mesh->colors[(*sources)[i]];
        }
    }
    out->vertex_count = count;
    return true;
}

static bool fill_bake(wri_bake *bake, wr_mesh *shared)
{
    const wr_model *source = bake->owner->model;
    wr_model *model = bake->model;
    int64_t total = 0;
    for (int i = 0; i < source->mesh_count; i++) {
        if (!compact(bake, &source->meshes[i], &shared[i], &bake->sources[i])) {
            return false;
        }
    }
    for (int i = 0; i < source->node_count; i++) {
        model->meshes[i] = shared[source->nodes[i].mesh];
        model->nodes[i] = source->nodes[i];
        model->nodes[i].pose = WR_POSE_IDENTITY;
        model->nodes[i].mesh = i;
        total += model->meshes[i].vertex_count;
    }
    if (total > INT32_MAX) {
        return wri_fail(bake->owner->error, WR_E_UNSUPPORTED, "%s: more than 2^31 vertices",
                        bake->owner->take->name);
    }
    bake->vertex_count = (int)total;
    bake->positions = wr_model_alloc(model, (size_t)total, sizeof(wr_vec3));
    bake->normals = wr_model_alloc(model, (size_t)total, sizeof(wr_vec3));
    if (!bake->positions || !bake->normals) {
        return wri_fail_memory(bake->owner->error, (size_t)total * sizeof(wr_vec3));
    }
    int first = 0;
    for (int i = 0; i < model->mesh_count; i++) {
        wr_mesh *mesh = &model->meshes[i];
        mesh->positions = bake->positions + first;
        mesh->normals = mesh->normals ? bake->normals + first : NULL;
        first += mesh->vertex_count;
    }
    return true;
}

bool wri_bake_create(wri_bake *bake, wri_export *e)
{
    *bake =
        (wri_bake){.owner = e,
                   .model = wr_model_create(NULL, e->error),
                   .with_normals = true,
                   .pieces = {wri_arena_create(NULL), wri_array_create(NULL, sizeof(wr_model *))}};
    if (!bake->model) {
        return false;
    }
    const wr_model *source = e->model;
    wr_model *model = bake->model;
    size_t nodes = (size_t)source->node_count, meshes = (size_t)source->mesh_count;
    wr_mesh *shared = wr_model_alloc(model, meshes, sizeof(wr_mesh));
    bake->sources = wr_model_alloc(model, meshes, sizeof(int *));
    size_t films = (size_t)e->film_count;
    model->meshes = wr_model_alloc(model, nodes + films, sizeof(wr_mesh));
    model->nodes = wr_model_alloc(model, nodes + films, sizeof(wr_node));
    bake->clouds = wr_model_alloc(model, films, sizeof *bake->clouds);
    if (!shared || !bake->sources || !model->meshes || !model->nodes || !bake->clouds) {
        return wri_fail_memory(e->error, (nodes + films) * sizeof(wr_mesh));
    }
    model->name = source->name;
    model->looks = source->looks;
    model->look_count = source->look_count;
    model->images = source->images;
    model->image_count = source->image_count;
    model->mesh_count = model->node_count = source->node_count;
    return fill_bake(bake, shared);
}

void wri_bake_destroy(wri_bake *bake)
{
    wr_model_destroy(bake->model);
    wri_pieces_destroy(&bake->pieces);
    bake->model = NULL;
}

static void place_body(wr_mesh *out, const wr_mesh *mesh, const int *sources, wr_pose pose,
                       const wr_record_shape *shape)
{
    const wr_vec3 *positions = shape->positions ? shape->positions : mesh->positions;
    const wr_vec3 *normals = shape->normals ? shape->normals : mesh->normals;
    for (int i = 0; i < out->vertex_count; i++) {
        out->positions[i] = wr_pose_point(pose, positions[sources[i]]);
    }
    for (int i = 0; out->normals && i < out->vertex_count; i++) {
        out->normals[i] = wr_rotate(pose.rotation, normals[sources[i]]);
    }
}

// A node per film that has triangles in this picture, behind those of the bodies.
static bool bake_films(wri_bake *bake, const wr_frame *frame, int picture)
{
    wri_export *e = bake->owner;
    wr_model *model = bake->model;
    model->mesh_count = model->node_count = e->model->node_count;
    bake->cloud_count = 0;
    wri_pieces_forget(&bake->pieces);
    for (int i = 0; i < e->film_count; i++) {
        const wri_export_film *film = &e->films[i];
        if (film->is_cloud) {
            if (!wri_export_film_cloud(e, film, frame, picture, true, &bake->pieces.arena,
                                       &bake->clouds[bake->cloud_count++])) {
                return false;
            }
            continue;
        }
        wr_mesh *mesh = &model->meshes[model->mesh_count];
        if (!wri_export_film_mesh(e, film, frame, picture, true, &bake->pieces, mesh)) {
            return false;
        }
        if (mesh->triangle_count > 0) {
            model->nodes[model->node_count++] = (wr_node){.name = film->name,
                                                          .parent = -1,
                                                          .mesh = model->mesh_count++,
                                                          .skin = -1,
                                                          .pose = WR_POSE_IDENTITY,
                                                          .scale = {1.0f, 1.0f, 1.0f}};
        }
    }
    return true;
}

bool wri_bake_picture(wri_bake *bake, int picture, bool hide)
{
    wri_export *e = bake->owner;
    const wr_frame *frame = wri_export_frame(e, picture);
    if (!frame) {
        return false;
    }
    for (int b = 0; b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        wr_mesh *out = &bake->model->meshes[b];
        bool shown = wri_export_shows(body, picture);
        wr_record_shape shape;
        bake->model->nodes[b].mesh = shown || !hide ? b : -1;
        if (shown) {
            if (!wri_export_shape(e, frame, body, bake->with_normals, &shape)) {
                return false;
            }
            int mesh = e->model->nodes[b].mesh;
            place_body(out, &e->model->meshes[mesh], bake->sources[mesh], body->poses[picture],
                       &shape);
        }
        for (int i = 0; !shown && i < out->vertex_count; i++) {
            out->positions[i] = body->poses[picture].position;
        }
    }
    return bake_films(bake, frame, picture);
}
