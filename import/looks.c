// looks.c: materials of Assimp as looks, and their pictures.
#include "import.h"
#include "../src/base/os.h"

#include <assimp/GltfMaterial.h>
#include <assimp/material.h>

#include <stdlib.h>

typedef struct pictures {
    importer *im;
    wri_array images; // wr_image
    wri_array paths;  // const char *, what each was found under
    int64_t pixels_left;
} pictures;

// --- pictures ---------------------------------------------------------------------------------

static bool add_image(pictures *p, const char *path, wr_image image, int *out)
{
    image.name = wri_model_stem(p->im->model, path);
    wr_image *added = wri_array_add(&p->images, 1);
    const char **known = wri_array_add(&p->paths, 1);
    if (!image.name || !added || !known) {
        return wri_fail_memory(p->im->error, sizeof *added);
    }
    *added = image;
    *known = path;
    *out = p->images.count - 1;
    return true;
}

static bool decode(pictures *p, const char *path, const void *bytes, size_t size, int *out)
{
    wr_image image;
    if (!wri_image_decode(wri_model_arena(p->im->model), bytes, size, path, &p->pixels_left, &image,
                          p->im->error)) {
        return false;
    }
    return image.pixels ? add_image(p, path, image, out)
                        : wri_model_warn(p->im->model, p->im->error, p->im->path,
                                         "the texture \"%.120s\" is neither PNG nor JPEG", path);
}

// Pixels as they are, blue first.
static bool copy_texels(pictures *p, const char *path, const struct aiTexture *t, int *out)
{
    if (t->mWidth == 0 || t->mWidth > 16384 || t->mHeight > 16384) {
        return wri_model_warn(p->im->model, p->im->error, p->im->path,
                              "the texture \"%.120s\" is passed over: %u x %u pixels", path,
                              t->mWidth, t->mHeight);
    }
    size_t count = (size_t)t->mWidth * t->mHeight;
    p->pixels_left -= (int64_t)count;
    if (p->pixels_left < 0) {
        return wri_fail(p->im->error, WR_E_UNSUPPORTED, "the images have more than %d pixels",
                        WRI_MODEL_PIXEL_LIMIT);
    }
    uint8_t *pixels = wr_model_alloc(p->im->model, count, 4);
    if (!pixels) {
        return wri_fail_memory(p->im->error, 4 * count);
    }
    for (size_t i = 0; i < count; i++) {
        const struct aiTexel *texel = &t->pcData[i];
        pixels[4 * i] = texel->r;
        pixels[4 * i + 1] = texel->g;
        pixels[4 * i + 2] = texel->b;
        pixels[4 * i + 3] = texel->a;
    }
    wr_image image = {.width = (int)t->mWidth, .height = (int)t->mHeight, .pixels = pixels};
    return add_image(p, path, image, out);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *other = strrchr(path, '\\');
    const char *last = other > slash ? other : slash;
    return last ? last + 1 : path;
}

// "*3" is the fourth inside the file; others are found by the name that they had outside.
static const struct aiTexture *find_inside(const struct aiScene *scene, const char *name)
{
    if (name[0] == '*') {
        unsigned long index = strtoul(name + 1, NULL, 10);
        return index < scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    for (unsigned i = 0; i < scene->mNumTextures; i++) {
        const char *own = scene->mTextures[i]->mFilename.data;
        if (own[0] && strcmp(base_name(own), base_name(name)) == 0) {
            return scene->mTextures[i];
        }
    }
    return NULL;
}

// As the file says, when that is a path from here, or beside the file, since many say where the
// picture lay on another machine.
static const char *find_outside(pictures *p, const char *name)
{
    wri_arena *arena = &p->im->arena;
    char *copy = wri_arena_text(arena, name, strlen(name));
    for (char *s = copy; s && *s; s++) {
        *s = *s == '\\' ? '/' : *s;
    }
    const char *folder = wri_path_folder(arena, p->im->path);
    for (int i = copy && wri_is_neighbour(copy) ? 0 : 1; i < 2 && copy && folder; i++) {
        const char *path = wri_path_join(arena, folder, i == 0 ? copy : base_name(copy));
        if (path && wri_file_exists(path) && !wri_is_folder(path)) {
            return path;
        }
    }
    return NULL;
}

static bool read_outside(pictures *p, const char *name, int *out)
{
    const char *path = find_outside(p, name);
    if (!path) {
        return wri_model_warn(p->im->model, p->im->error, p->im->path,
                              "the texture \"%.120s\" is not there", name);
    }
    size_t size = 0;
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, NULL, &size, p->im->error);
    bool ok = bytes && decode(p, name, bytes, size, out);
    wri_free(NULL, bytes, size + 1, 1);
    return ok;
}

static bool read_picture(pictures *p, const char *name, int *out)
{
    for (int i = 0; i < p->paths.count; i++) {
        if (strcmp(WRI_ITEM(p->paths, const char *, i), name) == 0) {
            *out = i;
            return true;
        }
    }
    const struct aiTexture *inside = find_inside(p->im->scene, name);
    if (inside) {
        return inside->mHeight == 0 ? decode(p, name, inside->pcData, inside->mWidth, out)
                                    : copy_texels(p, name, inside, out);
    }
    return read_outside(p, name, out);
}

// --- looks ------------------------------------------------------------------------------------

static float fraction(const struct aiMaterial *material, const char *key, float otherwise)
{
    float value; // aiGetMaterialFloat is inline in C: without optimisation it is nowhere
    bool given = aiGetMaterialFloatArray(material, key, 0, 0, &value, NULL) == aiReturn_SUCCESS;
    return given && isfinite(value) ? wr_clampf(value, 0.0f, 1.0f) : otherwise;
}

static wr_color base_color(const struct aiMaterial *material, bool *physical)
{
    struct aiColor4D c = {0.8f, 0.8f, 0.8f, 1.0f};
    *physical = aiGetMaterialColor(material, AI_MATKEY_BASE_COLOR, &c) == aiReturn_SUCCESS;
    if (!*physical) {
        aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &c);
    }
    float alpha = fraction(material, "$mat.opacity", 1.0f);
    // Programs disagree on which way transparency counts; nobody brings an invisible model.
    return (wr_color){wr_clampf(c.r, 0.0f, 1.0f), wr_clampf(c.g, 0.0f, 1.0f),
                      wr_clampf(c.b, 0.0f, 1.0f), alpha > 0.0f ? alpha : 1.0f};
}

static bool read_look(pictures *p, const struct aiMaterial *material, wr_look *look, int *channel)
{
    importer *im = p->im;
    struct aiString text = {0};
    int two_sided = 0;
    bool physical;
    *look = (wr_look){
        .base_color = base_color(material, &physical),
        .texture = -1,
        .roughness = fraction(material, "$mat.roughnessFactor", 0.8f),
        .metallic = fraction(material, "$mat.metallicFactor", 0.0f),
    };
    aiGetMaterialIntegerArray(material, AI_MATKEY_TWOSIDED, &two_sided, NULL);
    look->double_sided = two_sided != 0;
    look->alpha = look->base_color.a < 1.0f ? WR_ALPHA_BLEND : WR_ALPHA_OPAQUE;
    aiGetMaterialString(material, AI_MATKEY_NAME, &text);
    look->name = import_text(im, &text);
    if (!look->name) {
        return false;
    }
    static const enum aiTextureType kinds[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
    for (int i = 0; i < WRI_COUNT(kinds) && look->texture < 0; i++) {
        unsigned uv = 0;
        if (aiGetMaterialTexture(material, kinds[i], 0, &text, NULL, &uv, NULL, NULL, NULL, NULL) ==
            aiReturn_SUCCESS) {
            const char *name = import_text(im, &text);
            if (!name || !read_picture(p, name, &look->texture)) {
                return false;
            }
            *channel = uv < AI_MAX_NUMBER_OF_TEXTURECOORDS ? (int)uv : 0;
        }
    }
    if (look->texture >= 0 && !physical) { // there the picture stands instead of the colour
        look->base_color = (wr_color){1.0f, 1.0f, 1.0f, look->base_color.a};
    }
    return true;
}

// What Assimp puts where the file says nothing.
static bool is_default(const wr_look *look)
{
    wr_color c = look->base_color;
    return (!look->name[0] || strcmp(look->name, AI_DEFAULT_MATERIAL_NAME) == 0) &&
           look->texture < 0 && c.r == c.g && c.g == c.b && c.a == 1.0f;
}

static bool read_looks(pictures *p)
{
    importer *im = p->im;
    size_t count = im->scene->mNumMaterials;
    wr_model *model = im->model;
    model->looks = wr_model_alloc(model, count, sizeof *model->looks);
    im->look_of = wri_arena_alloc(&im->arena, count, sizeof *im->look_of);
    im->uv_channel_of = wri_arena_alloc(&im->arena, count, sizeof *im->uv_channel_of);
    if (!model->looks || !im->look_of || !im->uv_channel_of) {
        return wri_fail_memory(im->error, count * sizeof *model->looks);
    }
    for (size_t i = 0; i < count; i++) {
        wr_look *look = &model->looks[model->look_count];
        if (!read_look(p, im->scene->mMaterials[i], look, &im->uv_channel_of[i])) {
            return false;
        }
        im->look_of[i] = is_default(look) ? -1 : model->look_count++;
    }
    return true;
}

bool import_looks(importer *im)
{
    pictures p = {
        .im = im,
        .images = wri_array_create(NULL, sizeof(wr_image)),
        .paths = wri_array_create(NULL, sizeof(const char *)),
        .pixels_left = WRI_MODEL_PIXEL_LIMIT,
    };
    bool ok = read_looks(&p);
    size_t count = (size_t)p.images.count;
    im->model->images = ok ? wr_model_alloc(im->model, count, sizeof(wr_image)) : NULL;
    if (im->model->images && count) {
        memcpy(im->model->images, p.images.items, count * sizeof(wr_image));
        im->model->image_count = (int)count;
    }
    ok = ok && (im->model->images || wri_fail_memory(im->error, count * sizeof(wr_image)));
    wri_array_destroy(&p.images);
    wri_array_destroy(&p.paths);
    return ok;
}
