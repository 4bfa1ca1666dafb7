// asset.c: making and destroying assets; the form of their models.
#include "asset.h"
#include "model.h"

#include <math.h>

typedef struct owner {
    wri_arena arena; // the asset and this itself live in it
} owner;

const char *wr_map_name(wr_map_kind kind)
{
    static const char *const names[WR_MAP_COUNT] = {"strength", "yield",   "reach",
                                                    "flow",     "spacing", "thickness"};
    WR_ASSERT(kind >= 0 && kind < WR_MAP_COUNT);
    return names[kind];
}

float wri_asset_map_at(const wr_asset *asset, wr_map_kind kind, int vertex)
{
    const wr_rig *rig = &asset->rig;
    const wr_ride *ride = &rig->rides[vertex];
    int corners = rig->dimension + 1;
    double sum = 0.0;
    if (!asset->maps[kind]) {
        return 1.0f;
    }
    for (int k = 0; k < corners; k++) {
        int corner = rig->elements[(size_t)ride->element * (size_t)corners + (size_t)k];
        sum += (double)ride->weights[k] * (double)asset->maps[kind][corner];
    }
    return fmaxf((float)sum, 0.0f); // vertices may ride a little outside of an element
}

const char *const wri_rig_channel_names[WR_RIG_CHANNELS] = {"rotation", "translation", "stretch"};

wri_arena *wri_asset_arena(wr_asset *asset)
{
    return &((owner *)asset->memory)->arena;
}

char *wri_asset_text(wr_asset *asset, const char *text)
{
    return wri_arena_text(wri_asset_arena(asset), text, strlen(text));
}

void *wr_asset_alloc(wr_asset *asset, size_t count, size_t size)
{
    return wri_arena_alloc(wri_asset_arena(asset), count, size);
}

wr_asset *wri_asset_create(const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    wr_asset *asset = wri_arena_alloc(&arena, 1, sizeof *asset);
    owner *memory = asset ? wri_arena_alloc(&arena, 1, sizeof *memory) : NULL;
    if (!memory) {
        wri_arena_destroy(&arena);
        wri_fail_memory(error, sizeof *asset);
        return NULL;
    }
    memory->arena = arena;
    *asset = (wr_asset){.name = "", .rig = {.dimension = 3}, .memory = memory};
    return asset;
}

void wr_asset_destroy(wr_asset *asset)
{
    if (asset) {
        wri_arena arena = *wri_asset_arena(asset);
        wr_model_destroy(asset->model);
        wri_arena_destroy(&arena);
    }
}

// --- the form of a model ----------------------------------------------------------------------

typedef struct tidier {
    wr_model *model;
    wr_mesh *mesh;
    bool copy;
    wr_look *looks;
    wr_image *images;
    int look_count, image_count;
} tidier;

static const char *keep_text(const tidier *t, const char *text)
{
    text = text ? text : "";
    return t->copy ? wri_arena_text(wri_model_arena(t->model), text, strlen(text)) : text;
}

static bool tidy_parts(const tidier *t)
{
    wr_mesh *mesh = t->mesh;
    wr_mesh_part *parts =
        wr_model_alloc(t->model, (size_t)mesh->part_count + 1, sizeof *mesh->parts);
    if (!parts) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < mesh->part_count; i++) {
        if (mesh->parts[i].triangle_count > 0) {
            parts[count++] = mesh->parts[i];
        }
    }
    if (mesh->part_count == 0 && mesh->triangle_count > 0) {
        parts[count++] = (wr_mesh_part){0, mesh->triangle_count, -1};
    }
    mesh->parts = parts;
    mesh->part_count = count;
    return true;
}

static bool same_pixels(const wr_image *a, const wr_image *b)
{
    return a->width == b->width && a->height == b->height &&
           memcmp(a->pixels, b->pixels, 4 * (size_t)a->width * (size_t)a->height) == 0;
}

// The new number of an image, which the first look that shows it gives it; -1: out of memory.
static int tidy_image(tidier *t, int index)
{
    const wr_image *image = &t->model->images[index];
    for (int i = 0; i < t->image_count; i++) {
        if (same_pixels(&t->images[i], image)) {
            return i;
        }
    }
    wr_image *out = &t->images[t->image_count];
    *out = *image;
    out->name = keep_text(t, image->name);
    if (t->copy) {
        size_t size = 4 * (size_t)image->width * (size_t)image->height;
        uint8_t *pixels = wr_model_alloc(t->model, size, 1);
        if (!pixels) {
            return -1;
        }
        memcpy(pixels, image->pixels, size);
        out->pixels = pixels;
    }
    return out->name ? t->image_count++ : -1;
}

static bool tidy_maps(tidier *t, wr_look *look)
{
    wr_look_maps *out = look->maps ? wr_model_alloc(t->model, 1, sizeof *out) : NULL;
    if (!look->maps || !out) {
        return !look->maps;
    }
    *out = *look->maps;
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        int image = out->images[i];
        out->images[i] = image >= 0 && t->mesh->uvs ? tidy_image(t, image) : -1;
        if (image >= 0 && t->mesh->uvs && out->images[i] < 0) {
            return false;
        }
    }
    look->maps = out;
    return true;
}

static bool tidy_look(tidier *t, const wr_look *look)
{
    wr_look *out = &t->looks[t->look_count++];
    wr_color c = look->base_color;
    *out = *look;
    out->name = keep_text(t, look->name);
    out->base_color = (wr_color){wr_clampf(c.r, 0.0f, 1.0f), wr_clampf(c.g, 0.0f, 1.0f),
                                 wr_clampf(c.b, 0.0f, 1.0f), wr_clampf(c.a, 0.0f, 1.0f)};
    out->roughness = wr_clampf(look->roughness, 0.0f, 1.0f);
    out->metallic = wr_clampf(look->metallic, 0.0f, 1.0f);
    out->transmission = wr_clampf(look->transmission, 0.0f, 1.0f);
    out->alpha =
        look->alpha == WR_ALPHA_OPAQUE && out->base_color.a < 1.0f ? WR_ALPHA_BLEND : look->alpha;
    out->cutoff = look->alpha == WR_ALPHA_MASK ? wr_clampf(look->cutoff, 0.0f, 1.0f) : 0.0f;
    out->texture = -1;
    if (look->texture >= 0 && t->mesh->uvs) {
        out->texture = tidy_image(t, look->texture);
        if (out->texture < 0) {
            return false;
        }
    }
    return out->name && tidy_maps(t, out);
}

static bool tidy_looks(tidier *t)
{
    wr_model *model = t->model;
    size_t count = (size_t)model->look_count;
    int *map = wr_model_alloc(model, count, sizeof *map);
    t->looks = wr_model_alloc(model, count, sizeof *t->looks);
    t->images = wr_model_alloc(model, (size_t)model->image_count, sizeof *t->images);
    if (!map || !t->looks || !t->images) {
        return false;
    }
    for (int i = 0; i < t->mesh->part_count; i++) {
        if (t->mesh->parts[i].look >= 0) {
            map[t->mesh->parts[i].look] = 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        bool used = map[i];
        map[i] = t->look_count;
        if (used && !tidy_look(t, &model->looks[i])) {
            return false;
        }
    }
    for (int i = 0; i < t->mesh->part_count; i++) {
        int *look = &t->mesh->parts[i].look;
        *look = *look < 0 ? -1 : map[*look];
    }
    model->looks = t->looks;
    model->look_count = t->look_count;
    model->images = t->images;
    model->image_count = t->image_count;
    return true;
}

static void tidy_vertices(wr_mesh *mesh)
{
    for (int i = 0; mesh->normals && i < mesh->vertex_count; i++) {
        mesh->normals[i] = wri_unit_normal(mesh->normals[i]);
    }
    for (int i = 0; mesh->colors && i < mesh->vertex_count; i++) {
        wr_color *c = &mesh->colors[i];
        *c = (wr_color){wr_clampf(c->r, 0.0f, 1.0f), wr_clampf(c->g, 0.0f, 1.0f),
                        wr_clampf(c->b, 0.0f, 1.0f), wr_clampf(c->a, 0.0f, 1.0f)};
    }
}

bool wri_asset_tidy_model(wr_model *model, bool copy, wr_error *error)
{
    tidier t = {.model = model, .mesh = &model->meshes[0], .copy = copy};
    tidy_vertices(t.mesh);
    bool ok = tidy_parts(&t) && tidy_looks(&t);
    model->name = ok ? keep_text(&t, model->name) : NULL;
    t.mesh->name = model->name ? keep_text(&t, t.mesh->name) : NULL;
    model->nodes[0].name = t.mesh->name ? keep_text(&t, model->nodes[0].name) : NULL;
    return model->nodes[0].name || wri_fail_memory(error, sizeof *model);
}

// --- create -----------------------------------------------------------------------------------

static bool check_looks(const wr_model *model, wr_error *error)
{
    for (int i = 0; i < model->look_count; i++) {
        const wr_look *look = &model->looks[i];
        const wr_look_maps *maps = look->maps;
        wr_color c = look->base_color;
        for (int k = 0; maps && k < WR_LOOK_MAP_COUNT; k++) {
            if (maps->images[k] < -1 || maps->images[k] >= model->image_count) {
                return wri_fail(error, WR_E_ARGUMENT, "model: look %d: texture %d of %d", i,
                                maps->images[k], model->image_count);
            }
        }
        if (look->texture < -1 || look->texture >= model->image_count ||
            !isfinite(c.r + c.g + c.b + c.a + look->roughness + look->metallic + look->cutoff +
                      look->transmission)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "model: look %d: texture %d of %d, or a colour that is not finite", i,
                            look->texture, model->image_count);
        }
    }
    return true;
}

static bool take_model(wr_asset *asset, wr_model *model, wr_error *error)
{
    asset->model = model;
    if (model->mesh_count != 1 || model->node_count != 1) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "model: %d meshes and %d nodes, expected one of each: see wr_model_flatten",
                        model->mesh_count, model->node_count);
    }
    if (!wri_model_check(model, "model", WR_E_ARGUMENT, error) || !check_looks(model, error) ||
        !wri_asset_tidy_model(model, true, error)) {
        return false;
    }
    asset->name = wri_asset_text(asset, model->name);
    return asset->name || wri_fail_memory(error, strlen(model->name));
}

wr_asset *wr_asset_create(wr_model *model, const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, model)) {
        return NULL;
    }
    wr_asset *asset = wri_asset_create(allocator, error);
    if (!asset) {
        wr_model_destroy(model);
        return NULL;
    }
    if (!take_model(asset, model, error)) {
        wr_asset_destroy(asset);
        return NULL;
    }
    return asset;
}
