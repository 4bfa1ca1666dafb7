// export_model.c: the bodies of a take as one model.
#include "export.h"

float wri_model_size(const wr_model *model)
{
    return wr_length(wr_box_size(wr_mesh_bounds(model->meshes)));
}

// --- meshes -----------------------------------------------------------------------------------

static bool same_look(const wr_look_change *a, wr_color a_color, const wr_look_change *b,
                      wr_color b_color)
{
    return memcmp(&a_color, &b_color, sizeof a_color) == 0 && a->said == b->said &&
           memcmp(&a->color, &b->color, sizeof a->color) == 0 && a->metallic == b->metallic &&
           a->roughness == b->roughness && a->transmission == b->transmission &&
           a->double_sided == b->double_sided;
}

// A look as a body shows it: changed, and tinted.
static void paint_look(const wr_look_change *change, wr_color tint, wr_look *look)
{
    wr_look_apply(change, look);
    look->base_color.r *= tint.r;
    look->base_color.g *= tint.g;
    look->base_color.b *= tint.b;
}

// The box of everything that is drawn, over the film: how large the ground must be.
float wri_export_reach(const wri_export *e)
{
    wr_box box = WR_BOX_EMPTY;
    for (int b = 0; b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        if (body->body.model < 0) {
            continue;
        }
        float size = wri_model_size(e->info->models[body->body.model]);
        wr_vec3 margin = wr_v3(size, size, size);
        for (int p = 0; p < e->schedule.count; p += 10) {
            wr_vec3 at = body->poses[p].position;
            box = wr_box_add(wr_box_add(box, wr_sub(at, margin)), wr_add(at, margin));
        }
    }
    for (int i = 0; i < e->film_count; i++) {
        box = wr_box_join(box, e->films[i].box);
    }
    return wr_box_is_empty(box) ? 10.0f : 2.0f * wr_length(wr_box_size(box));
}

static bool fill_ground(wri_export *e, const wr_record_body *body, wr_mesh *mesh)
{
    float r = wri_export_reach(e);
    wr_vec3 corners[4] = {{-r, 0, -r}, {-r, 0, r}, {r, 0, r}, {r, 0, -r}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    wr_model *model = e->model;
    *mesh = (wr_mesh){.name = "ground",
                      .vertex_count = 4,
                      .triangle_count = 2,
                      .part_count = 1,
                      .positions = wr_model_alloc(model, 4, sizeof(wr_vec3)),
                      .normals = wr_model_alloc(model, 4, sizeof(wr_vec3)),
                      .triangles = wr_model_alloc(model, 6, sizeof(int)),
                      .parts = wr_model_alloc(model, 1, sizeof(wr_mesh_part))};
    if (!mesh->positions || !mesh->normals || !mesh->triangles || !mesh->parts) {
        return wri_fail_memory(e->error, 4 * sizeof(wr_vec3));
    }
    memcpy(mesh->positions, corners, sizeof corners);
    memcpy(mesh->triangles, triangles, sizeof triangles);
    for (int i = 0; i < 4; i++) {
        mesh->normals[i] = wr_v3(0.0f, 1.0f, 0.0f);
    }
    mesh->parts[0] = (wr_mesh_part){0, 2, model->look_count};
    wr_look *look = &model->looks[model->look_count++];
    *look = (wr_look){
        .name = "ground", .base_color = {1.0f, 1.0f, 1.0f, 1.0f}, .texture = -1, .roughness = 0.9f};
    paint_look(&body->look, body->color, look);
    return true;
}

// The images of a model, which are appended once: models of one asset, such as its fragments, have
// the same list.
static int add_images(wri_export *e, const wr_model *source)
{
    for (int i = 0; i < e->source_count; i++) {
        if (e->sources[i].images == source->images) {
            return e->sources[i].first_image;
        }
    }
    int first = e->model->image_count;
    for (int i = 0; i < source->image_count; i++) {
        e->model->images[e->model->image_count++] = source->images[i];
    }
    return first;
}

static bool move_maps(wri_export *e, wr_look *look, int first_image)
{
    wr_look_maps *own = look->maps ? wr_model_alloc(e->model, 1, sizeof *own) : NULL;
    if (!look->maps || !own) {
        return !look->maps || wri_fail_memory(e->error, sizeof *own);
    }
    *own = *look->maps;
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        own->images[i] = own->images[i] < 0 ? -1 : own->images[i] + first_image;
    }
    look->maps = own;
    return true;
}

// The looks of a model as a body shows them, which are appended once; returns the first one, -1:
// out of memory.
static int add_looks(wri_export *e, const wr_model *source, const wr_look_change *change,
                     wr_color color)
{
    for (int i = 0; i < e->source_count; i++) {
        if (e->sources[i].looks == source->looks &&
            same_look(&e->sources[i].change, e->sources[i].color, change, color)) {
            return e->sources[i].first_look;
        }
    }
    int first_image = add_images(e, source), first_look = e->model->look_count;
    for (int i = 0; i < source->look_count; i++) {
        wr_look look = source->looks[i];
        paint_look(change, color, &look);
        look.texture = look.texture < 0 ? -1 : look.texture + first_image;
        if (!move_maps(e, &look, first_image)) {
            return -1;
        }
        e->model->looks[e->model->look_count++] = look;
    }
    e->sources[e->source_count++] =
        (wri_export_source){source->looks, source->images, *change, color, first_look, first_image};
    return first_look;
}

static bool fill_mesh(wri_export *e, const wr_record_body *body, wr_mesh *mesh)
{
    const wr_model *source = e->info->models[body->model];
    int first_look = add_looks(e, source, &body->look, body->color);
    if (first_look < 0) {
        return false;
    }
    *mesh = source->meshes[0];
    mesh->colors = body->look.said & WR_LOOK_COLOR ? NULL : mesh->colors;
    size_t parts = (size_t)mesh->part_count;
    mesh->parts = wr_model_alloc(e->model, parts, sizeof(wr_mesh_part));
    if (!mesh->parts) {
        return wri_fail_memory(e->error, parts * sizeof(wr_mesh_part));
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
static bool alloc_model(wri_export *e)
{
    e->model = wr_model_create(NULL, e->error);
    if (!e->model) {
        return false;
    }
    wr_model *model = e->model;
    size_t bodies = (size_t)e->body_count, looks = 1, images = 0, sources = bodies;
    for (int b = 0; b < e->body_count; b++) {
        int source = e->bodies[b].body.model;
        looks += source < 0 ? 1u : (size_t)e->info->models[source]->look_count;
    }
    for (int i = 0; i < e->film_count; i++) {
        int source = e->films[i].body.model;
        size_t own = source < 0 ? 1u : 1u + (size_t)e->info->models[source]->look_count;
        looks += own * (size_t)e->films[i].tints.count;
        sources += (size_t)e->films[i].tints.count;
    }
    for (int i = 0; i < e->info->model_count; i++) {
        images += (size_t)e->info->models[i]->image_count;
    }
    model->name = e->info->title;
    model->meshes = wr_model_alloc(model, bodies, sizeof(wr_mesh));
    model->nodes = wr_model_alloc(model, bodies, sizeof(wr_node));
    model->looks = wr_model_alloc(model, looks, sizeof(wr_look));
    model->images = wr_model_alloc(model, images, sizeof(wr_image));
    e->sources = wri_arena_alloc(&e->arena, sources, sizeof *e->sources);
    return (model->meshes && model->nodes && model->looks && model->images && e->sources) ||
           wri_fail_memory(e->error, bodies * sizeof(wr_mesh));
}

// The mesh of an earlier body that looks the same, -1: there is none.
static int find_mesh(const wri_export *e, int b)
{
    const wr_record_body *body = &e->bodies[b].body;
    for (int k = 0; k < b && !e->bodies[b].bends; k++) {
        const wr_record_body *other = &e->bodies[k].body;
        if (other->model == body->model && other->casts_ground == body->casts_ground &&
            same_look(&other->look, other->color, &body->look, body->color) &&
            !e->bodies[k].bends) {
            return e->model->nodes[k].mesh;
        }
    }
    return -1;
}

// Adds, for each of the film's colours, the looks of the body's model and a plain one.
static void add_film_looks(wri_export *e, const wri_export_film *film)
{
    int model = film->body.model;
    for (int i = 0; i < film->tints.count; i++) {
        wri_export_tint *tint = &WRI_ITEM(film->tints, wri_export_tint, i);
        wr_color color = wri_tint(film->body.color, tint->color);
        tint->first_look =
            model < 0 ? 0 : add_looks(e, e->info->models[model], &film->body.look, color);
        tint->plain_look = e->model->look_count++;
        wr_look *plain = &e->model->looks[tint->plain_look];
        *plain = e->take->plain_look;
        plain->name = film->name;
        plain->base_color = (wr_color){1.0f, 1.0f, 1.0f, 1.0f};
        paint_look(&film->body.look, color, plain);
    }
}

bool wri_export_build_model(wri_export *e)
{
    if (!alloc_model(e)) {
        return false;
    }
    wr_model *model = e->model;
    for (int b = 0; b < e->body_count; b++) {
        const wr_record_body *body = &e->bodies[b].body;
        int mesh = find_mesh(e, b);
        if (mesh < 0) {
            mesh = model->mesh_count++;
            bool ok = body->model < 0 ? fill_ground(e, body, &model->meshes[mesh])
                                      : fill_mesh(e, body, &model->meshes[mesh]);
            if (!ok) {
                return false;
            }
        }
        model->nodes[model->node_count++] = (wr_node){.name = body->name,
                                                      .parent = -1,
                                                      .mesh = mesh,
                                                      .skin = -1,
                                                      .pose = e->bodies[b].poses[0],
                                                      .scale = {1.0f, 1.0f, 1.0f}};
    }
    for (int i = 0; i < e->film_count; i++) {
        add_film_looks(e, &e->films[i]);
    }
    return true;
}
