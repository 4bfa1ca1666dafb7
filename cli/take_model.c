// take_model.c: the bodies of a take as one model, and that model in the frame of the world.
#include "take.h"

#include <math.h>

float cli_model_size(const wr_model *model)
{
    return wr_length(wr_box_size(wr_mesh_bounds(model->meshes)));
}

// --- meshes -----------------------------------------------------------------------------------

static bool same_color(wr_color a, wr_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

// The box of everything that is drawn, over the film: how large the ground must be.
static float reach_of_scene(const cli_take *take)
{
    wr_box box = WR_BOX_EMPTY;
    for (int b = 0; b < take->body_count; b++) {
        const cli_take_body *body = &take->bodies[b];
        if (body->body.model < 0) {
            continue;
        }
        float size = cli_model_size(take->info->models[body->body.model]);
        wr_vec3 margin = wr_v3(size, size, size);
        for (int p = 0; p < take->schedule.count; p += 10) {
            wr_vec3 at = body->poses[p].position;
            box = wr_box_add(wr_box_add(box, wr_sub(at, margin)), wr_add(at, margin));
        }
    }
    return wr_box_is_empty(box) ? 10.0f : 2.0f * wr_length(wr_box_size(box));
}

static bool fill_ground(cli_take *take, const wr_record_body *body, wr_mesh *mesh)
{
    float r = reach_of_scene(take);
    wr_vec3 corners[4] = {{-r, 0, -r}, {-r, 0, r}, {r, 0, r}, {r, 0, -r}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    wr_model *model = take->model;
    *mesh = (wr_mesh){.name = "ground",
                      .vertex_count = 4,
                      .triangle_count = 2,
                      .part_count = 1,
                      .positions = wr_model_alloc(model, 4, sizeof(wr_vec3)),
                      .normals = wr_model_alloc(model, 4, sizeof(wr_vec3)),
                      .triangles = wr_model_alloc(model, 6, sizeof(int)),
                      .parts = wr_model_alloc(model, 1, sizeof(wr_mesh_part))};
    if (!mesh->positions || !mesh->normals || !mesh->triangles || !mesh->parts) {
        return wri_fail_memory(&take->error, 4 * sizeof(wr_vec3));
    }
    memcpy(mesh->positions, corners, sizeof corners);
    memcpy(mesh->triangles, triangles, sizeof triangles);
    for (int i = 0; i < 4; i++) {
        mesh->normals[i] = wr_v3(0.0f, 1.0f, 0.0f);
    }
    mesh->parts[0] = (wr_mesh_part){0, 2, model->look_count};
    model->looks[model->look_count++] =
        (wr_look){.name = "ground", .base_color = body->color, .texture = -1, .roughness = 0.9f};
    return true;
}

// The images of a model are appended once, whoever uses it first.
static int add_images(cli_take *take, const wr_model *source, int *first_image)
{
    if (*first_image < 0) {
        *first_image = take->model->image_count;
        for (int i = 0; i < source->image_count; i++) {
            take->model->images[take->model->image_count++] = source->images[i];
        }
    }
    return *first_image;
}

static bool fill_mesh(cli_take *take, const wr_record_body *body, int *first_image, wr_mesh *mesh)
{
    const wr_model *source = take->info->models[body->model];
    int images = add_images(take, source, first_image), first_look = take->model->look_count;
    for (int i = 0; i < source->look_count; i++) {
        wr_look look = source->looks[i];
        look.base_color.r *= body->color.r;
        look.base_color.g *= body->color.g;
        look.base_color.b *= body->color.b;
        look.texture = look.texture < 0 ? -1 : look.texture + images;
        take->model->looks[take->model->look_count++] = look;
    }
    *mesh = source->meshes[0];
    size_t parts = (size_t)mesh->part_count;
    mesh->parts = wr_model_alloc(take->model, parts, sizeof(wr_mesh_part));
    if (!mesh->parts) {
        return wri_fail_memory(&take->error, parts * sizeof(wr_mesh_part));
    }
    for (size_t i = 0; i < parts; i++) {
        mesh->parts[i] = source->meshes[0].parts[i];
        if (mesh->parts[i].look >= 0) {
            mesh->parts[i].look += first_look;
        }
    }
    return true;
}

// Room for the worst case: every body with a tint of its own.
static bool alloc_model(cli_take *take)
{
    take->model = wr_model_create(NULL, &take->error);
    if (!take->model) {
        return false;
    }
    wr_model *model = take->model;
    size_t bodies = (size_t)take->body_count, looks = 1, images = 0;
    for (int b = 0; b < take->body_count; b++) {
        int source = take->bodies[b].body.model;
        looks += source < 0 ? 1u : (size_t)take->info->models[source]->look_count;
    }
    for (int i = 0; i < take->info->model_count; i++) {
        images += (size_t)take->info->models[i]->image_count;
    }
    model->name = take->info->title;
    model->meshes = wr_model_alloc(model, bodies, sizeof(wr_mesh));
    model->nodes = wr_model_alloc(model, bodies, sizeof(wr_node));
    model->looks = wr_model_alloc(model, looks, sizeof(wr_look));
    model->images = wr_model_alloc(model, images, sizeof(wr_image));
    return (model->meshes && model->nodes && model->looks && model->images) ||
           wri_fail_memory(&take->error, bodies * sizeof(wr_mesh));
}

// The mesh of an earlier body that looks the same, -1: there is none.
static int find_mesh(const cli_take *take, int b)
{
    const wr_record_body *body = &take->bodies[b].body;
    for (int k = 0; k < b && !take->bodies[b].bends; k++) {
        const wr_record_body *other = &take->bodies[k].body;
        if (other->model == body->model && other->casts_ground == body->casts_ground &&
            same_color(other->color, body->color) && !take->bodies[k].bends) {
            return take->model->nodes[k].mesh;
        }
    }
    return -1;
}

bool cli_take_build_model(cli_take *take)
{
    size_t sources = (size_t)take->info->model_count;
    int *first_image = wri_arena_alloc(&take->arena, sources, sizeof(int));
    if (!first_image || !alloc_model(take)) {
        return first_image ? false : wri_fail_memory(&take->error, sources * sizeof(int));
    }
    memset(first_image, 0xff, sources * sizeof(int));
    wr_model *model = take->model;
    for (int b = 0; b < take->body_count; b++) {
        const wr_record_body *body = &take->bodies[b].body;
        int mesh = find_mesh(take, b);
        if (mesh < 0) {
            mesh = model->mesh_count++;
            bool ok = body->model < 0
                          ? fill_ground(take, body, &model->meshes[mesh])
                          : fill_mesh(take, body, &first_image[body->model], &model->meshes[mesh]);
            if (!ok) {
                return false;
            }
        }
        model->nodes[model->node_count++] = (wr_node){.name = body->name,
                                                      .parent = -1,
                                                      .mesh = mesh,
                                                      .skin = -1,
                                                      .pose = take->bodies[b].poses[0],
                                                      .scale = {1.0f, 1.0f, 1.0f}};
    }
    return true;
}

// --- baking -----------------------------------------------------------------------------------

// A mesh with only those vertices that its triangles use; sources says which they were.
static bool compact(cli_bake *bake, const wr_mesh *mesh, wr_mesh *out, int **sources)
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
        return wri_fail_memory(&bake->take->error, corners * sizeof(int));
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

static bool fill_bake(cli_bake *bake, wr_mesh *shared)
{
    const wr_model *source = bake->take->model;
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
        return wri_fail(&bake->take->error, WR_E_UNSUPPORTED, "%s: more than 2^31 vertices",
                        bake->take->options->input);
    }
    bake->vertex_count = (int)total;
    bake->positions = wr_model_alloc(model, (size_t)total, sizeof(wr_vec3));
    bake->normals = wr_model_alloc(model, (size_t)total, sizeof(wr_vec3));
    if (!bake->positions || !bake->normals) {
        return wri_fail_memory(&bake->take->error, (size_t)total * sizeof(wr_vec3));
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

bool cli_bake_create(cli_bake *bake, cli_take *take)
{
    *bake = (cli_bake){
        .take = take, .model = wr_model_create(NULL, &take->error), .with_normals = true};
    if (!bake->model) {
        return false;
    }
    const wr_model *source = take->model;
    wr_model *model = bake->model;
    size_t nodes = (size_t)source->node_count, meshes = (size_t)source->mesh_count;
    wr_mesh *shared = wr_model_alloc(model, meshes, sizeof(wr_mesh));
    bake->sources = wr_model_alloc(model, meshes, sizeof(int *));
    model->meshes = wr_model_alloc(model, nodes, sizeof(wr_mesh));
    model->nodes = wr_model_alloc(model, nodes, sizeof(wr_node));
    if (!shared || !bake->sources || !model->meshes || !model->nodes) {
        return wri_fail_memory(&take->error, nodes * sizeof(wr_mesh));
    }
    model->name = source->name;
    model->looks = source->looks;
    model->look_count = source->look_count;
    model->images = source->images;
    model->image_count = source->image_count;
    model->mesh_count = model->node_count = source->node_count;
    return fill_bake(bake, shared);
}

void cli_bake_destroy(cli_bake *bake)
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

bool cli_bake_picture(cli_bake *bake, int picture, bool hide)
{
    cli_take *take = bake->take;
    const wr_frame *frame = wr_record_read_frame(
        take->reader, cli_schedule_frame(&take->schedule, picture), &take->error);
    if (!frame) {
        return false;
    }
    for (int b = 0; b < take->body_count; b++) {
        const cli_take_body *body = &take->bodies[b];
        wr_mesh *out = &bake->model->meshes[b];
        bool shown = picture >= body->first && picture <= body->last;
        wr_record_shape shape;
        bake->model->nodes[b].mesh = shown || !hide ? b : -1;
        if (shown) {
            if (!cli_take_shape(take, frame, body, bake->with_normals, &shape)) {
                return false;
            }
            int mesh = take->model->nodes[b].mesh;
            place_body(out, &take->model->meshes[mesh], bake->sources[mesh], body->poses[picture],
                       &shape);
        }
        for (int i = 0; !shown && i < out->vertex_count; i++) {
            out->positions[i] = body->poses[picture].position;
        }
    }
    return true;
}
