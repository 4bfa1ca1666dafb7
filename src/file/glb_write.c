// glb_write.c: a model and its animations as one standard .glb (glTF 2.0).
//
// Only what is used is written: meshes that nodes show, looks of their parts, images of those
// looks, each image once, skins of those meshes. Joints of a mesh that no node gives a skin are
// left out, as they mean nothing then.
#include "glb_pack.h"
#include "png.h"
#include "../base/os.h"

typedef struct writer {
    wri_glb glb;
    const wr_model *model;
    int *mesh_map;     // number in the file, -1: not written
    int *material_map; // per look twice: with its texture, without; -1: not written
    int *image_map;    // -1: not written
    int *skin_map;     // number in the file, -1: not written
    bool *is_skinned;  // per mesh: some node gives it a skin
    float rounding;    // the most that compressing moves a vertex, in its mesh
    wri_array shared;  // shared: arrays that are in the file
} writer;

// An array of the model that is in the file; meshes that hold the same one share its accessor.
typedef struct shared {
    const void *array;
    int count, accessor;
    float rounding; // by which compressing moves it
} shared;

// --- what is used -----------------------------------------------------------------------------

static wr_mesh_part whole_mesh(const wr_mesh *mesh)
{
    return (wr_mesh_part){0, mesh->triangle_count, -1};
}

static int part_count(const wr_mesh *mesh)
{
    return mesh->part_count > 0 ? mesh->part_count : 1;
}

static wr_mesh_part mesh_part(const wr_mesh *mesh, int i)
{
    return mesh->part_count > 0 ? mesh->parts[i] : whole_mesh(mesh);
}

static bool is_empty(const wr_mesh *mesh)
{
    int triangles = 0;
    for (int i = 0; i < part_count(mesh); i++) {
        triangles += mesh_part(mesh, i).triangle_count;
    }
    return triangles == 0 || mesh->triangle_count == 0 || mesh->vertex_count == 0;
}

// Which image a look shows: the texture of its colour, then its maps. -1: none.
enum { LOOK_IMAGES = 1 + WR_LOOK_MAP_COUNT };
static int image_of(const wr_look *look, int i)
{
    return i == 0 ? look->texture : look->maps ? look->maps->images[i - 1] : -1;
}

// A texture needs coordinates; without them the look is written again without its textures.
static int *material_slot(const writer *w, const wr_mesh *mesh, int look)
{
    bool plain = true;
    for (int i = 0; i < LOOK_IMAGES && mesh->uvs; i++) {
        plain = plain && image_of(&w->model->looks[look], i) < 0;
    }
    return &w->material_map[2 * look + plain];
}

static bool check_look(const writer *w, int i)
{
    const wr_look *look = &w->model->looks[i];
    wr_color c = look->base_color;
    for (int k = 0; k < LOOK_IMAGES; k++) {
        int image = image_of(look, k);
        if (image < -1 || image >= w->model->image_count) {
            return wri_fail(w->glb.error, WR_E_ARGUMENT, "%s: look %d: texture %d of %d",
                            w->glb.path, i, image, w->model->image_count);
        }
    }
    const wr_look_maps *maps = look->maps;
    float more = maps ? maps->normal_scale + maps->occlusion_strength + maps->emission.r +
                            maps->emission.g + maps->emission.b
                      : 0.0f;
    for (int k = 0; maps && k < WR_LOOK_MAP_COUNT; k++) {
        const wr_map_layout *l = &maps->layouts[k];
        bool is_finite = isfinite(l->offset[0]) && isfinite(l->offset[1]) && isfinite(l->turn) &&
                         isfinite(l->scale[0]) && isfinite(l->scale[1]); // a sum may overflow
        more = is_finite ? more : NAN;
    }
    if (!isfinite(c.r + c.g + c.b + c.a + look->roughness + look->metallic + look->cutoff +
                  look->transmission + more)) {
        return wri_fail(w->glb.error, WR_E_ARGUMENT, "%s: look %d: its colour is not finite",
                        w->glb.path, i);
    }
    return true;
}

static bool check_model(const writer *w)
{
    if (!wri_model_check(w->model, w->glb.path, WR_E_ARGUMENT, w->glb.error)) {
        return false;
    }
    for (int i = 0; i < w->model->look_count; i++) {
        if (!check_look(w, i)) {
            return false;
        }
    }
    return true;
}

static int *alloc_map(writer *w, int count)
{
    int *map = wri_arena_alloc(&w->glb.arena, (size_t)count, sizeof *map);
    for (int i = 0; i < count && map; i++) {
        map[i] = -1;
    }
    return map;
}

static bool same_pixels(const wr_image *a, const wr_image *b)
{
    return a->width == b->width && a->height == b->height &&
           (a->pixels == b->pixels ||
            memcmp(a->pixels, b->pixels, 4 * (size_t)a->width * (size_t)a->height) == 0);
}

static bool find_skins(writer *w)
{
    const wr_model *model = w->model;
    int skins = 0;
    w->skin_map = alloc_map(w, model->skin_count);
    w->is_skinned = wri_arena_alloc(&w->glb.arena, (size_t)model->mesh_count, 1);
    if (!w->skin_map || !w->is_skinned) {
        return wri_glb_fail_memory(&w->glb);
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        if (node->mesh >= 0 && node->skin >= 0 && w->mesh_map[node->mesh] >= 0 &&
            model->meshes[node->mesh].influence_count > 0) {
            w->skin_map[node->skin] = 0;
            w->is_skinned[node->mesh] = true;
        }
    }
    for (int i = 0; i < model->skin_count; i++) {
        w->skin_map[i] = w->skin_map[i] < 0 ? -1 : skins++;
    }
    return true;
}

// Numbers meshes, materials, images and skins in the order in which they come up.
static bool find_used(writer *w)
{
    const wr_model *model = w->model;
    w->mesh_map = alloc_map(w, model->mesh_count);
    w->material_map = alloc_map(w, 2 * model->look_count);
    w->image_map = alloc_map(w, model->image_count);
    if (!w->mesh_map || !w->material_map || !w->image_map) {
        return wri_glb_fail_memory(&w->glb);
    }
    for (int i = 0; i < model->node_count; i++) {
        int mesh = model->nodes[i].mesh;
        if (mesh >= 0 && !is_empty(&model->meshes[mesh])) {
            w->mesh_map[mesh] = 0;
        }
    }
    int meshes = 0, materials = 0;
    for (int i = 0; i < model->mesh_count; i++) {
        const wr_mesh *mesh = &model->meshes[i];
        w->mesh_map[i] = w->mesh_map[i] < 0 ? -1 : meshes++;
        for (int k = 0; k < part_count(mesh) && w->mesh_map[i] >= 0; k++) {
            wr_mesh_part part = mesh_part(mesh, k);
            if (part.look >= 0 && part.triangle_count > 0) {
                *material_slot(w, mesh, part.look) = 0;
            }
        }
    }
    for (int i = 0; i < 2 * model->look_count; i++) {
        w->material_map[i] = w->material_map[i] < 0 ? -1 : materials++;
    }
    return find_skins(w);
}

// --- images, textures, materials --------------------------------------------------------------

// The number of an image with the same pixels that is already written, or -1.
static int find_same_image(const writer *w, int image)
{
    for (int i = 0; i < w->model->image_count; i++) {
        if (w->image_map[i] >= 0 && same_pixels(&w->model->images[i], &w->model->images[image])) {
            return w->image_map[i];
        }
    }
    return -1;
}

static bool write_image(writer *w, int image, int number)
{
    const wr_image *picture = &w->model->images[image];
    const uint8_t *png = NULL;
    size_t size = 0;
    const wri_png_picture to_encode = {picture->pixels, picture->width, picture->height, 4};
    if (!wri_png_encode(&w->glb.arena, &to_encode, &png, &size, w->glb.error)) {
        return false;
    }
    int image_view = wri_glb_add_view(&w->glb, png, size, WRI_GLB_NO_TARGET);
    if (image_view < 0) {
        return wri_glb_fail_memory(&w->glb);
    }
    if (number == 0) {
        wri_json_begin_array(&w->glb.json, "images");
    }
    wri_json_begin_object(&w->glb.json, NULL);
    wri_glb_write_name(&w->glb, picture->name);
    wri_json_write_string(&w->glb.json, "mimeType", "image/png");
    wri_json_write_int(&w->glb.json, "bufferView", image_view);
    wri_json_end_object(&w->glb.json);
    return true;
}

static void write_textures(writer *w, int count)
{
    wri_json_writer *json = &w->glb.json;
    wri_json_begin_array(json, "samplers");
    wri_json_begin_object(json, NULL);
    wri_json_write_int(json, "magFilter", 9729); // linear
    wri_json_write_int(json, "minFilter", 9987); // linear, with linear mipmaps
    wri_json_write_int(json, "wrapS", 10497);    // repeat
    wri_json_write_int(json, "wrapT", 10497);
    wri_json_end_object(json);
    wri_json_end_array(json);
    wri_json_begin_array(json, "textures"); // texture i shows image i
    for (int i = 0; i < count; i++) {
        wri_json_begin_object(json, NULL);
        wri_json_write_int(json, "sampler", 0);
        wri_json_write_int(json, "source", i);
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
}

static bool write_images(writer *w)
{
    int count = 0;
    for (int i = 0; i < LOOK_IMAGES * w->model->look_count; i++) {
        int look = i / LOOK_IMAGES, image = image_of(&w->model->looks[look], i % LOOK_IMAGES);
        if (image < 0 || w->material_map[2 * look] < 0 || w->image_map[image] >= 0) {
            continue;
        }
        w->image_map[image] = find_same_image(w, image);
        if (w->image_map[image] < 0) {
            if (!write_image(w, image, count)) {
                return false;
            }
            w->image_map[image] = count++;
        }
    }
    if (count > 0) {
        wri_json_end_array(&w->glb.json);
        write_textures(w, count);
    }
    return true;
}

static void write_layout(writer *w, const wr_map_layout *layout)
{
    wri_json_writer *json = &w->glb.json;
    wri_json_begin_object(json, "extensions");
    wri_json_begin_object(json, WRI_GLB_TRANSFORM);
    wri_glb_write_floats(&w->glb, "offset", layout->offset, 2);
    wri_json_write_float(json, "rotation", layout->turn);
    wri_glb_write_floats(&w->glb, "scale", layout->scale, 2);
    wri_json_end_object(json);
    wri_json_end_object(json);
    w->glb.has_transform = true;
}

// A texture of a look: number 0 is that of its colour, then there are the maps. number: what `key`
// is, unless it is 1.
static void write_texture(writer *w, const wr_look *look, const int images[], int i,
                          const char *name, const char *key, float number)
{
    wri_json_writer *json = &w->glb.json;
    if (images[i] < 0) {
        return;
    }
    wri_json_begin_object(json, name);
    wri_json_write_int(json, "index", w->image_map[images[i]]);
    if (key && number != 1.0f) {
        wri_json_write_float(json, key, number);
    }
    if (i > 0 && !wr_map_layout_is_plain(&look->maps->layouts[i - 1])) {
        write_layout(w, &look->maps->layouts[i - 1]);
    }
    wri_json_end_object(json);
}

// Emission above 1 is a colour with 1 as its greatest channel, times a strength.
static float emissive_strength(const wr_look_maps *maps)
{
    float most = maps ? fmaxf(maps->emission.r, fmaxf(maps->emission.g, maps->emission.b)) : 0.0f;
    return fmaxf(most, 1.0f);
}

static void write_emission(writer *w, const wr_look_maps *maps)
{
    float scale = 1.0f / emissive_strength(maps);
    const float factor[3] = {scale * maps->emission.r, scale * maps->emission.g,
                             scale * maps->emission.b};
    if (factor[0] + factor[1] + factor[2] > 0.0f) {
        wri_glb_write_floats(&w->glb, "emissiveFactor", factor, 3);
    }
}

static void write_material_extensions(writer *w, const wr_look *look, const int images[])
{
    wri_glb *glb = &w->glb;
    wri_json_writer *json = &glb->json;
    float strength = emissive_strength(look->maps);
    bool glass = look->transmission > 0.0f, glows = strength > 1.0f;
    if (!look->unlit && !glass && !glows) {
        return;
    }
    wri_json_begin_object(json, "extensions");
    if (look->unlit) {
        wri_json_begin_object(json, WRI_GLB_UNLIT);
        wri_json_end_object(json);
    }
    if (glass) {
        wri_json_begin_object(json, WRI_GLB_TRANSMISSION);
        wri_json_write_float(json, "transmissionFactor", wr_clampf(look->transmission, 0.0f, 1.0f));
        write_texture(w, look, images, 1 + WR_LOOK_MAP_GLASS, "transmissionTexture", NULL, 1.0f);
        wri_json_end_object(json);
    }
    if (glows) {
        wri_json_begin_object(json, WRI_GLB_EMISSION);
        wri_json_write_float(json, "emissiveStrength", strength);
        wri_json_end_object(json);
    }
    wri_json_end_object(json);
    glb->has_unlit = glb->has_unlit || look->unlit;
    glb->has_transmission = glb->has_transmission || glass;
    glb->has_emission = glb->has_emission || glows;
}

static void write_material(writer *w, const wr_look *look, bool textured)
{
    wri_json_writer *json = &w->glb.json;
    wr_color c = look->base_color;
    float color[4] = {c.r, c.g, c.b, c.a};
    int images[LOOK_IMAGES];
    bool white = true;
    for (int i = 0; i < LOOK_IMAGES; i++) {
        images[i] = textured ? image_of(look, i) : -1;
    }
    for (int i = 0; i < 4; i++) {
        color[i] = wr_clampf(color[i], 0.0f, 1.0f);
        white = white && color[i] == 1.0f;
    }
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(&w->glb, look->name);
    wri_json_begin_object(json, "pbrMetallicRoughness");
    if (!white) {
        wri_glb_write_floats(&w->glb, "baseColorFactor", color, 4);
    }
    write_texture(w, look, images, 0, "baseColorTexture", NULL, 1.0f);
    write_texture(w, look, images, 1 + WR_LOOK_MAP_SURFACE, "metallicRoughnessTexture", NULL, 1.0f);
    wri_json_write_float(json, "metallicFactor", wr_clampf(look->metallic, 0.0f, 1.0f));
    wri_json_write_float(json, "roughnessFactor", wr_clampf(look->roughness, 0.0f, 1.0f));
    wri_json_end_object(json);
    if (look->maps) {
        write_texture(w, look, images, 1 + WR_LOOK_MAP_NORMAL, "normalTexture", "scale",
                      look->maps->normal_scale);
        write_texture(w, look, images, 1 + WR_LOOK_MAP_OCCLUSION, "occlusionTexture", "strength",
                      look->maps->occlusion_strength);
        write_texture(w, look, images, 1 + WR_LOOK_MAP_EMISSION, "emissiveTexture", NULL, 1.0f);
        write_emission(w, look->maps);
    }
    if (look->alpha == WR_ALPHA_MASK) {
        wri_json_write_string(json, "alphaMode", "MASK");
        wri_json_write_float(json, "alphaCutoff", wr_clampf(look->cutoff, 0.0f, 1.0f));
    } else if (look->alpha == WR_ALPHA_BLEND || color[3] < 1.0f) {
        wri_json_write_string(json, "alphaMode", "BLEND");
    }
    if (look->double_sided) {
        wri_json_write_bool(json, "doubleSided", true);
    }
    write_material_extensions(w, look, images);
    wri_json_end_object(json);
}

static void write_materials(writer *w)
{
    bool open = false;
    for (int i = 0; i < 2 * w->model->look_count; i++) {
        if (w->material_map[i] >= 0) {
            if (!open) {
                wri_json_begin_array(&w->glb.json, "materials");
                open = true;
            }
            write_material(w, &w->model->looks[i / 2], i % 2 == 0);
        }
    }
    if (open) {
        wri_json_end_array(&w->glb.json);
    }
}

// --- meshes -----------------------------------------------------------------------------------

typedef struct attributes {
    int position, normal, uv, color; // accessors, -1 for none
    wri_glb_bend bend;
} attributes;

static int find_shared(writer *w, const void *array, int count)
{
    for (int i = 0; i < w->shared.count; i++) {
        const shared *s = &WRI_ITEM(w->shared, shared, i);
        if (s->array == array && s->count == count) {
            w->glb.rounding += s->rounding;
            return s->accessor;
        }
    }
    return -1;
}

// Remembers an accessor that was added, -1: in vain. before: the rounding without it.
static int share(writer *w, const void *array, int count, int accessor, float before)
{
    shared *s = accessor < 0 ? NULL : wri_array_add(&w->shared, 1);
    if (!s) {
        return -1;
    }
    *s = (shared){array, count, accessor, w->glb.rounding - before};
    return accessor;
}

static int add_floats(writer *w, wri_glb_floats floats)
{
    float before = w->glb.rounding;
    int known = find_shared(w, floats.values, floats.count);
    return known >= 0
               ? known
               : share(w, floats.values, floats.count, wri_glb_add_floats(&w->glb, floats), before);
}

static int add_normals(writer *w, const wr_mesh *mesh)
{
    int known = find_shared(w, mesh->normals, mesh->vertex_count);
    if (known >= 0) {
        return known;
    }
    size_t count = (size_t)mesh->vertex_count;
    wr_vec3 *unit = wri_alloc(NULL, count, sizeof *unit);
    if (!unit) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        unit[i] = wri_unit_normal(mesh->normals[i]);
    }
    int added = wri_glb_add_normals(&w->glb, unit, mesh->vertex_count);
    wri_free(NULL, unit, count, sizeof *unit);
    return share(w, mesh->normals, mesh->vertex_count, added, w->glb.rounding);
}

static int add_colors(writer *w, const wr_mesh *mesh)
{
    int known = find_shared(w, mesh->colors, mesh->vertex_count);
    if (known >= 0) {
        return known;
    }
    size_t count = (size_t)mesh->vertex_count;
    wr_color *clamped = wri_alloc(NULL, count, sizeof *clamped);
    if (!clamped) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        wr_color c = mesh->colors[i];
        clamped[i] = (wr_color){wr_clampf(c.r, 0.0f, 1.0f), wr_clampf(c.g, 0.0f, 1.0f),
                                wr_clampf(c.b, 0.0f, 1.0f), wr_clampf(c.a, 0.0f, 1.0f)};
    }
    int added = wri_glb_add_floats(&w->glb, (wri_glb_floats){&clamped->r, mesh->vertex_count, 4,
                                                             WRI_GLB_VERTICES, false, 0x1p-12f});
    wri_free(NULL, clamped, count, sizeof *clamped);
    return share(w, mesh->colors, mesh->vertex_count, added, w->glb.rounding);
}

static bool add_attributes(writer *w, const wr_mesh *mesh, attributes *out)
{
    int n = mesh->vertex_count;
    float step = wri_glb_position_step(mesh);
    w->glb.rounding = 0.0f;
    *out = (attributes){-1, -1, -1, -1, {0}};
    out->position =
        add_floats(w, (wri_glb_floats){&mesh->positions->x, n, 3, WRI_GLB_VERTICES, true, step});
    bool ok = out->position >= 0;
    if (ok && mesh->normals) {
        out->normal = add_normals(w, mesh);
        ok = out->normal >= 0;
    }
    if (ok && mesh->uvs) {
        out->uv =
            add_floats(w, (wri_glb_floats){&mesh->uvs->x, n, 2, WRI_GLB_VERTICES, false, 0x1p-15f});
        ok = out->uv >= 0;
    }
    if (ok && mesh->colors) {
        out->color = add_colors(w, mesh);
        ok = out->color >= 0;
    }
    if (!ok) {
        return wri_glb_fail_memory(&w->glb);
    }
    ok = wri_glb_add_bend(&w->glb, mesh, w->is_skinned[mesh - w->model->meshes], step, &out->bend);
    w->rounding = fmaxf(w->rounding, sqrtf(3.0f) * w->glb.rounding); // along all three axes
    return ok;
}

static void write_attribute(wri_json_writer *json, const char *key, int accessor_index)
{
    if (accessor_index >= 0) {
        wri_json_write_int(json, key, accessor_index);
    }
}

static bool write_primitive(writer *w, const wr_mesh *mesh, wr_mesh_part part, const attributes *a)
{
    wri_json_writer *json = &w->glb.json;
    const int *triangles = mesh->triangles + 3 * (size_t)part.first_triangle;
    int count = 3 * part.triangle_count, indices = find_shared(w, triangles, count);
    if (indices < 0) {
        indices = share(w, triangles, count,
                        wri_glb_add_indices(&w->glb, triangles, count, mesh->vertex_count),
                        w->glb.rounding);
    }
    if (indices < 0) {
        return wri_glb_fail_memory(&w->glb);
    }
    wri_json_begin_object(json, NULL);
    wri_json_begin_object(json, "attributes");
    write_attribute(json, "POSITION", a->position);
    write_attribute(json, "NORMAL", a->normal);
    write_attribute(json, "TEXCOORD_0", a->uv);
    write_attribute(json, "COLOR_0", a->color);
    wri_glb_write_sets(&w->glb, &a->bend);
    wri_json_end_object(json);
    wri_json_write_int(json, "indices", indices);
    if (part.look >= 0) {
        wri_json_write_int(json, "material", *material_slot(w, mesh, part.look));
    }
    wri_glb_write_targets(&w->glb, &a->bend);
    wri_json_end_object(json);
    return true;
}

static bool write_mesh(writer *w, const wr_mesh *mesh)
{
    attributes a;
    if (!add_attributes(w, mesh, &a)) {
        return false;
    }
    wri_json_begin_object(&w->glb.json, NULL);
    wri_glb_write_name(&w->glb, mesh->name);
    wri_json_begin_array(&w->glb.json, "primitives");
    for (int i = 0; i < part_count(mesh); i++) {
        wr_mesh_part part = mesh_part(mesh, i);
        if (part.triangle_count > 0 && !write_primitive(w, mesh, part, &a)) {
            return false;
        }
    }
    wri_json_end_array(&w->glb.json);
    wri_glb_write_morphs(&w->glb, mesh);
    wri_json_end_object(&w->glb.json);
    return true;
}

static bool write_meshes(writer *w)
{
    bool open = false;
    for (int i = 0; i < w->model->mesh_count; i++) {
        if (w->mesh_map[i] < 0) {
            continue;
        }
        if (!open) {
            wri_json_begin_array(&w->glb.json, "meshes");
            open = true;
        }
        if (!write_mesh(w, &w->model->meshes[i])) {
            return false;
        }
    }
    if (open) {
        wri_json_end_array(&w->glb.json);
    }
    return true;
}

// --- nodes ------------------------------------------------------------------------------------

typedef struct family { // children as linked lists in order
    int *first, *next;
} family;

static bool find_family(writer *w, family *f)
{
    int count = w->model->node_count;
    f->first = alloc_map(w, count);
    f->next = alloc_map(w, count);
    if (!f->first || !f->next) {
        return wri_glb_fail_memory(&w->glb);
    }
    for (int i = count - 1; i >= 0; i--) {
        int parent = w->model->nodes[i].parent;
        if (parent >= 0) {
            f->next[i] = f->first[parent];
            f->first[parent] = i;
        }
    }
    return true;
}

static void write_shape(writer *w, const wr_node *node)
{
    if (node->mesh < 0 || w->mesh_map[node->mesh] < 0) {
        return;
    }
    const wr_mesh *mesh = &w->model->meshes[node->mesh];
    wri_json_write_int(&w->glb.json, "mesh", w->mesh_map[node->mesh]);
    if (node->skin >= 0 && mesh->influence_count > 0) {
        wri_json_write_int(&w->glb.json, "skin", w->skin_map[node->skin]);
    }
    if (node->morph_weights && mesh->morph_count > 0) {
        wri_glb_write_floats(&w->glb, "weights", node->morph_weights, mesh->morph_count);
    }
}

static void write_node(writer *w, const family *f, int index)
{
    wri_json_writer *json = &w->glb.json;
    const wr_node *node = &w->model->nodes[index];
    wr_vec3 t = node->pose.position, s = node->scale;
    wr_quat r = wri_unit_quat(node->pose.rotation);
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(&w->glb, node->name);
    write_shape(w, node);
    wri_glb_write_stage(&w->glb, w->model, index);
    if (t.x != 0.0f || t.y != 0.0f || t.z != 0.0f) {
        wri_glb_write_floats(&w->glb, "translation", &t.x, 3);
    }
    if (r.x != 0.0f || r.y != 0.0f || r.z != 0.0f || r.w != 1.0f) {
        wri_glb_write_floats(&w->glb, "rotation", &r.x, 4);
    }
    if (s.x != 1.0f || s.y != 1.0f || s.z != 1.0f) {
        wri_glb_write_floats(&w->glb, "scale", &s.x, 3);
    }
    if (f->first[index] >= 0) {
        wri_json_begin_array(json, "children");
        for (int child = f->first[index]; child >= 0; child = f->next[child]) {
            wri_json_write_int(json, NULL, child);
        }
        wri_json_end_array(json);
    }
    wri_json_end_object(json);
}

static bool write_nodes(writer *w)
{
    wri_json_writer *json = &w->glb.json;
    family f;
    if (w->model->node_count == 0) {
        return true;
    }
    if (!find_family(w, &f)) {
        return false;
    }
    wri_json_begin_array(json, "nodes");
    for (int i = 0; i < w->model->node_count; i++) {
        write_node(w, &f, i);
    }
    wri_json_end_array(json);
    wri_json_write_int(json, "scene", 0);
    wri_json_begin_array(json, "scenes");
    wri_json_begin_object(json, NULL);
    wri_glb_write_name(&w->glb, w->model->name);
    wri_json_begin_array(json, "nodes");
    for (int i = 0; i < w->model->node_count; i++) {
        if (w->model->nodes[i].parent < 0) {
            wri_json_write_int(json, NULL, i);
        }
    }
    wri_json_end_array(json);
    wri_json_end_object(json);
    wri_json_end_array(json);
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static void write_names(wri_glb *glb, const char *key, const char *const *names, int count)
{
    bool open = false;
    for (int i = 0; i < count; i++) {
        if (names[i] && !open) {
            wri_json_begin_array(&glb->json, key);
            open = true;
        }
        if (names[i]) {
            wri_json_write_string(&glb->json, NULL, names[i]);
        }
    }
    if (open) {
        wri_json_end_array(&glb->json);
    }
}

void wri_glb_write_extensions(wri_glb *glb, const char *another)
{
    bool packed = glb->streams.count > 0;
    enum { OPTIONAL = 6, ALL = 8 };
    const char *const names[ALL] = {another,
                                    glb->has_unlit ? WRI_GLB_UNLIT : NULL,
                                    glb->has_transmission ? WRI_GLB_TRANSMISSION : NULL,
                                    glb->has_emission ? WRI_GLB_EMISSION : NULL,
                                    glb->has_suns ? WRI_GLB_LIGHTS : NULL,
                                    glb->has_transform ? WRI_GLB_TRANSFORM : NULL,
                                    packed ? WRI_GLB_MESHOPT : NULL,
                                    packed ? WRI_GLB_QUANTIZED : NULL};
    write_names(glb, "extensionsUsed", names, ALL);
    write_names(glb, "extensionsRequired", names + OPTIONAL, ALL - OPTIONAL);
}

static bool pack(writer *w, wri_glb_extra_fn *extra, void *context, uint8_t **file, size_t *size)
{
    bool ok = check_model(w) && find_used(w) && write_images(w);
    if (ok) {
        write_materials(w);
        wri_glb_write_cameras(&w->glb, w->model);
        if (!extra) { // which has extensions of its own
            wri_glb_write_suns(&w->glb, w->model);
        }
        ok = write_meshes(w) && write_nodes(w) &&
             wri_glb_write_skins(&w->glb, w->model, w->skin_map) &&
             wri_glb_write_clips(&w->glb, w->model) && (!extra || extra(&w->glb, context));
        if (!extra) {
            wri_glb_write_extensions(&w->glb, NULL);
        }
        ok = ok && wri_glb_finish(&w->glb, file, size);
    }
    wri_array_destroy(&w->shared);
    wri_glb_destroy(&w->glb);
    return ok;
}

static writer create_writer(const wr_model *model, const char *path, wr_error *error)
{
    return (writer){.model = model,
                    .glb = wri_glb_create(path, error),
                    .shared = wri_array_create(NULL, sizeof(shared))};
}

bool wri_glb_pack_model(const wr_model *model, const char *path, wri_glb_extra_fn *extra,
                        void *context, uint8_t **file, size_t *size, wr_error *error)
{
    writer w = create_writer(model, path, error);
    return pack(&w, extra, context, file, size);
}

bool wri_model_pack_glb(const wr_model *model, const char *path, uint8_t **file, size_t *size,
                        wr_error *error)
{
    return wri_glb_pack_model(model, path, NULL, NULL, file, size, error);
}

static bool write_file(writer *w, wr_error *error)
{
    uint8_t *file;
    size_t size;
    if (!pack(w, NULL, NULL, &file, &size)) {
        return false;
    }
    bool ok = wri_file_write(w->glb.path, file, size, error);
    wri_free(NULL, file, size, 1);
    return ok;
}

bool wr_model_write_glb(const wr_model *model, const char *path, wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path)) {
        return false;
    }
    writer w = create_writer(model, path, error);
    return write_file(&w, error);
}

bool wr_model_write_glb_compressed(const wr_model *model, const char *path, float *rounding,
                                   wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path)) {
        return false;
    }
    writer w = create_writer(model, path, error);
    w.glb.compress = true;
    bool ok = write_file(&w, error);
    if (rounding) {
        *rounding = w.rounding;
    }
    return ok;
}
