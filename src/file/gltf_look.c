// gltf_look.c: the materials of glTF, their textures and how these are laid on.
#include "glb_pack.h"
#include "gltf.h"

#include "../math/elementary.h"

typedef struct looker {
    wri_gltf *g;
    const wri_json *materials, *textures, *images; // arrays or NULL
    int *image_map;      // number in the model of each glTF image; -1 none, -2 not looked at yet
    int64_t pixels_left; // pixels that images may still have
} looker;

static int length_of(const wri_json *array)
{
    return array ? array->count : 0;
}

static bool load_image(looker *s, const wri_json *json, const uint8_t **bytes, uint64_t *size,
                       bool *missing)
{
    wri_gltf *g = s->g;
    const wri_json *uri = wri_json_find(json, "uri");
    uint64_t stride = 0;
    int view = -1;
    if (!wri_gltf_index(g, json, "bufferView", length_of(g->views), &view)) {
        return false;
    }
    if (view >= 0) {
        return wri_gltf_find_view(g, view, bytes, size, &stride);
    }
    if (!uri || uri->type != WRI_JSON_STRING) {
        return wri_gltf_fail(g, json, WR_E_FORMAT, "the image has neither bufferView nor uri");
    }
    return wri_gltf_load_uri(g, uri, bytes, size, missing);
}

static bool read_image(looker *s, int index)
{
    wri_gltf *g = s->g;
    const wri_json *json = &s->images->items[index];
    const uint8_t *bytes = NULL;
    uint64_t size = 0;
    bool missing = false;
    s->image_map[index] = -1;
    if (!load_image(s, json, &bytes, &size, &missing)) {
        return false;
    }
    if (missing) {
        return wri_gltf_warn(g, json,
                             "the texture \"%.100s\" is not there; the plain colour stands in its "
                             "place",
                             wri_json_find(json, "uri")->string);
    }
    char *title = wri_arena_printf(&g->arena, "%s: image %d", g->path, index);
    wr_image *image = &g->model->images[g->model->image_count];
    if (!title) {
        return wri_fail_memory(g->error, strlen(g->path));
    }
    if (!wri_image_decode(wri_model_arena(g->model), bytes, size, title, &s->pixels_left, image,
                          g->error)) {
        return false;
    }
    if (!image->pixels) {
        return wri_gltf_warn(g, json,
                             "image %d is neither PNG nor JPEG; the plain colour stands in its "
                             "place",
                             index);
    }
    image->name = wri_gltf_copy_name(g, json);
    s->image_map[index] = g->model->image_count++;
    return image->name != NULL;
}

// KHR_texture_transform: scaled, turned counter-clockwise (v points down), moved. Its own texCoord
// counts before the texture's.
static bool read_layout(wri_gltf *g, const wri_json *use, wri_gltf_layout *out)
{
    const wri_json *extensions = NULL, *change = NULL;
    wr_map_layout said = {.scale = {1.0f, 1.0f}};
    if (!wri_gltf_index(g, use, "texCoord", 100, &out->set) ||
        !wri_gltf_object(g, use, "extensions", &extensions) ||
        !wri_gltf_object(g, extensions, WRI_GLB_TRANSFORM, &change) ||
        !wri_gltf_floats(g, change, "offset", 2, said.offset) ||
        !wri_gltf_floats(g, change, "rotation", 0, &said.turn) ||
        !wri_gltf_floats(g, change, "scale", 2, said.scale) ||
        !wri_gltf_index(g, change, "texCoord", 100, &out->set)) {
        return false;
    }
    wr_map_layout_find(&said, out->change);
    return true;
}

// *image: the number in the model of what a texture shows, -1 where there is none.
static bool read_texture(looker *s, const wri_json *json, const char *key, int *image,
                         wri_gltf_layout *layout)
{
    wri_gltf *g = s->g;
    const wri_json *use = NULL;
    int texture = -1, source = -1;
    *image = -1;
    if (!wri_gltf_object(g, json, key, &use) ||
        !wri_gltf_index(g, use, "index", length_of(s->textures), &texture) ||
        !read_layout(g, use, layout)) {
        return false;
    }
    if (texture >= 0 &&
        !wri_gltf_index(g, &s->textures->items[texture], "source", length_of(s->images), &source)) {
        return false;
    }
    if (source < 0) {
        return texture < 0 ||
               wri_gltf_warn(g, use,
                             "texture %d is in a format that only an extension knows; the plain "
                             "colour stands in its place",
                             texture);
    }
    if (s->image_map[source] == -2 && !read_image(s, source)) {
        return false;
    }
    *image = s->image_map[source];
    return true;
}

// The layout that takes `from` to `to`; false when offset, turn and scale cannot say it, because
// `from` loses a direction, or the two together are a shear.
static bool find_between(const float from[2][3], const float to[2][3], wr_map_layout *out)
{
    double det = (double)from[0][0] * (double)from[1][1] - (double)from[0][1] * (double)from[1][0];
    double size = fabs((double)from[0][0] * (double)from[1][1]) +
                  fabs((double)from[0][1] * (double)from[1][0]);
    if (!(fabs(det) > 1e-6 * size)) {
        return false;
    }
    double m[2][2], offset[2];
    for (int i = 0; i < 2; i++) {
        double a = (double)to[i][0], b = (double)to[i][1];
        m[i][0] = (a * (double)from[1][1] - b * (double)from[1][0]) / det;
        m[i][1] = (b * (double)from[0][0] - a * (double)from[0][1]) / det;
        offset[i] = (double)to[i][2] - m[i][0] * (double)from[0][2] - m[i][1] * (double)from[1][2];
    }
    double across = sqrt(m[0][0] * m[0][0] + m[1][0] * m[1][0]);
    double down = sqrt(m[0][1] * m[0][1] + m[1][1] * m[1][1]);
    double c = across > 0.0 ? m[0][0] / across : 1.0, s = across > 0.0 ? -m[1][0] / across : 0.0;
    const wr_map_layout between = {.offset = {(float)offset[0], (float)offset[1]},
                                   .turn = (float)wri_atan2_fine(s, c),
                                   .scale = {(float)across, (float)(s * m[0][1] + c * m[1][1])}};
    bool is_finite = isfinite(between.offset[0]) && isfinite(between.offset[1]) &&
                     isfinite(between.scale[0]) && isfinite(between.scale[1]);
    if (!is_finite || !(across > 0.0) || fabs(c * m[0][1] - s * m[1][1]) > 1e-5 * down) {
        return false;
    }
    *out = between;
    return true;
}

// Meshes have one set of texture coordinates: that of the colour, or of the first map, laid as that
// is. Other maps may lie otherwise on the same set.
static bool read_map(looker *s, const wri_json *json, const char *key, const wr_look *look,
                     wri_gltf_layout *layout, int map, wr_look_maps *maps)
{
    wri_gltf_layout own = {0};
    if (!read_texture(s, json, key, &maps->images[map], &own)) {
        return false;
    }
    bool is_first = look->texture < 0;
    for (int i = 0; i < map; i++) {
        is_first = is_first && maps->images[i] < 0;
    }
    if (maps->images[map] < 0 || is_first) {
        *layout = maps->images[map] < 0 ? *layout : own;
        return true;
    }
    if (own.set != layout->set) {
        maps->images[map] = -1;
        return wri_gltf_warn(s->g, json,
                             "%s lies on other texture coordinates than the first texture of this "
                             "material; it is left out",
                             key);
    }
    bool is_same = memcmp(layout->change, own.change, sizeof own.change) == 0;
    if (!is_same && !find_between(layout->change, own.change, &maps->layouts[map])) {
        maps->images[map] = -1;
        return wri_gltf_warn(s->g, json,
                             "%s lies askew on the texture coordinates of the first texture of "
                             "this material; it is left out",
                             key);
    }
    return true;
}

static bool read_maps(looker *s, const wri_json *json, wr_look *look, wri_gltf_layout *layout)
{
    wri_gltf *g = s->g;
    const wri_json *pbr = NULL, *extensions = NULL, *glass = NULL, *glow = NULL, *normal = NULL,
                   *occlusion = NULL;
    wr_look_maps maps = wr_look_maps_default();
    float emission[3] = {0.0f, 0.0f, 0.0f}, strength = 1.0f;
    if (!wri_gltf_object(g, json, "pbrMetallicRoughness", &pbr) ||
        !wri_gltf_object(g, json, "extensions", &extensions) ||
        !wri_gltf_object(g, extensions, WRI_GLB_TRANSMISSION, &glass) ||
        !wri_gltf_object(g, extensions, WRI_GLB_EMISSION, &glow) ||
        !wri_gltf_object(g, json, "normalTexture", &normal) ||
        !wri_gltf_object(g, json, "occlusionTexture", &occlusion) ||
        !wri_gltf_floats(g, normal, "scale", 0, &maps.normal_scale) ||
        !wri_gltf_floats(g, occlusion, "strength", 0, &maps.occlusion_strength) ||
        !wri_gltf_floats(g, json, "emissiveFactor", 3, emission) ||
        !wri_gltf_floats(g, glow, "emissiveStrength", 0, &strength) ||
        !read_map(s, pbr, "metallicRoughnessTexture", look, layout, WR_LOOK_MAP_SURFACE, &maps) ||
        !read_map(s, json, "normalTexture", look, layout, WR_LOOK_MAP_NORMAL, &maps) ||
        !read_map(s, json, "occlusionTexture", look, layout, WR_LOOK_MAP_OCCLUSION, &maps) ||
        !read_map(s, json, "emissiveTexture", look, layout, WR_LOOK_MAP_EMISSION, &maps) ||
        !read_map(s, glass, "transmissionTexture", look, layout, WR_LOOK_MAP_GLASS, &maps)) {
        return false;
    }
    bool any = false;
    for (int i = 0; i < 3; i++) {
        emission[i] = wr_clampf(emission[i], 0.0f, 1.0f) * wr_clampf(strength, 0.0f, 1e4f);
        any = any || emission[i] > 0.0f;
    }
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        any = any || maps.images[i] >= 0;
    }
    maps.occlusion_strength = wr_clampf(maps.occlusion_strength, 0.0f, 1.0f);
    maps.emission = (wr_color){emission[0], emission[1], emission[2], 1.0f};
    wr_look_maps *kept = any ? wr_model_alloc(g->model, 1, sizeof *kept) : NULL;
    if (kept) {
        *kept = maps;
    }
    look->maps = kept;
    return kept || !any || wri_fail_memory(g->error, sizeof *kept);
}

static bool read_look(looker *s, const wri_json *json, wr_look *look, wri_gltf_layout *layout)
{
    wri_gltf *g = s->g;
    const wri_json *pbr = NULL, *extensions = NULL, *glass = NULL;
    const char *alpha = "OPAQUE";
    float color[4] = {1.0f, 1.0f, 1.0f, 1.0f}, roughness = 1.0f, metallic = 1.0f, cutoff = 0.5f;
    *look = (wr_look){.texture = -1};
    look->name = wri_gltf_copy_name(g, json);
    if (!look->name || !wri_gltf_object(g, json, "pbrMetallicRoughness", &pbr) ||
        !wri_gltf_floats(g, pbr, "baseColorFactor", 4, color) ||
        !wri_gltf_floats(g, pbr, "roughnessFactor", 0, &roughness) ||
        !wri_gltf_floats(g, pbr, "metallicFactor", 0, &metallic) ||
        !wri_gltf_text(g, json, "alphaMode", &alpha) ||
        !wri_gltf_floats(g, json, "alphaCutoff", 0, &cutoff) ||
        !wri_gltf_object(g, json, "extensions", &extensions) ||
        !wri_gltf_object(g, extensions, WRI_GLB_TRANSMISSION, &glass) ||
        !wri_gltf_floats(g, glass, "transmissionFactor", 0, &look->transmission) ||
        !wri_gltf_bool(g, json, "doubleSided", &look->double_sided) ||
        !read_texture(s, pbr, "baseColorTexture", &look->texture, layout) ||
        !read_maps(s, json, look, layout)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        color[i] = wr_clampf(color[i], 0.0f, 1.0f);
    }
    look->alpha = strcmp(alpha, "OPAQUE") == 0 ? WR_ALPHA_OPAQUE
                  : strcmp(alpha, "MASK") == 0 ? WR_ALPHA_MASK
                                               : WR_ALPHA_BLEND;
    bool opaque = look->alpha == WR_ALPHA_OPAQUE;
    look->base_color = (wr_color){color[0], color[1], color[2], opaque ? 1.0f : color[3]};
    look->cutoff = look->alpha == WR_ALPHA_MASK ? wr_clampf(cutoff, 0.0f, 1.0f) : 0.0f;
    look->unlit = wri_json_find(extensions, WRI_GLB_UNLIT) != NULL;
    look->transmission = wr_clampf(look->transmission, 0.0f, 1.0f);
    look->roughness = wr_clampf(roughness, 0.0f, 1.0f);
    look->metallic = wr_clampf(metallic, 0.0f, 1.0f);
    return true;
}

bool wri_gltf_read_looks(wri_gltf *g, wri_gltf_layout **layouts)
{
    looker s = {.g = g, .pixels_left = WRI_MODEL_PIXEL_LIMIT};
    if (!wri_gltf_array(g, g->root, "materials", &s.materials) ||
        !wri_gltf_array(g, g->root, "textures", &s.textures) ||
        !wri_gltf_array(g, g->root, "images", &s.images)) {
        return false;
    }
    size_t count = (size_t)length_of(s.materials), images = (size_t)length_of(s.images);
    s.image_map = wri_arena_alloc(&g->arena, images, sizeof *s.image_map);
    *layouts = wri_arena_alloc(&g->arena, count, sizeof **layouts);
    g->model->looks = wr_model_alloc(g->model, count, sizeof *g->model->looks);
    g->model->images = wr_model_alloc(g->model, images, sizeof *g->model->images);
    if (!s.image_map || !*layouts || !g->model->looks || !g->model->images) {
        return wri_fail_memory(g->error, count * sizeof *g->model->looks);
    }
    for (size_t i = 0; i < images; i++) {
        s.image_map[i] = -2;
    }
    g->model->look_count = (int)count;
    for (size_t i = 0; i < count; i++) {
        if (!read_look(&s, &s.materials->items[i], &g->model->looks[i], &(*layouts)[i])) {
            return false;
        }
    }
    return true;
}
