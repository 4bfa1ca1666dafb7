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
    *bake = (wri_bake){.owner = e, .model = wr_model_create(NULL, e->error), .with_normals = true};
    if (!bake->model) {
        return false;
    }
    const wr_model *source = e->model;
    wr_model *model = bake->model;
    size_t nodes = (size_t)source->node_count, meshes = (size_t)source->mesh_count;
    wr_mesh *shared = wr_model_alloc(model, meshes, sizeof(wr_mesh));
    bake->sources = wr_model_alloc(model, meshes, sizeof(int *));
    model->meshes = wr_model_alloc(model, nodes, sizeof(wr_mesh));
    model->nodes = wr_model_alloc(model, nodes, sizeof(wr_node));
    if (!shared || !bake->sources || !model->meshes || !model->nodes) {
        return wri_fail_memory(e->error, nodes * sizeof(wr_mesh));
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
        bool shown = picture >= body->first && picture <= body->last;
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
    return true;
}
