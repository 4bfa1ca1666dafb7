// shape.c: triangles into Embree scenes, one per model, instanced under one top scene per picture.
//
// Of two triangles at the same distance the tree decides which one a ray finds, so that a tree must
// not depend on threads or on what was drawn before. One thread builds; the top scene is built anew
// for every picture, where a hundred instances cost 0.2 ms. Replaced positions keep the tree of the
// model's own triangles, with boxes that are fitted to them: whatever they were before, it is the
// same. For 20 000 triangles that costs 0.5 ms where building a tree costs 4.
#include "layers.h"

static const wri_surface DEFAULT_SURFACE = {
    .color = {0.6f, 0.6f, 0.6f}, .mean = {0.6f, 0.6f, 0.6f}, .roughness = 0.7f, .opacity = 1.0f};
static const wri_surface GROUND_SURFACE = {.roughness = 1.0f, .opacity = 1.0f};
static const wri_surface SPHERE_SURFACE = {
    .color = {1.0f, 1.0f, 1.0f}, .mean = {1.0f, 1.0f, 1.0f}, .roughness = 0.6f, .opacity = 1.0f};

static bool check_colors(const wr_color *colors, int count, int index, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(colors[i].r) || !isfinite(colors[i].g) || !isfinite(colors[i].b)) {
            return wri_fail(error, WR_E_ARGUMENT, "thing %d: vertex colour %d is not finite", index,
                            i);
        }
    }
    return true;
}

static bool check_positions(const wr_vec3 *positions, int count, int index, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "thing %d: position %d is not finite", index, i);
        }
    }
    return true;
}

static bool check_mesh(const wr_mesh *mesh, int index, wr_error *error)
{
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "thing %d: triangle %d uses vertex %d, but the mesh has %d", index,
                            i / 3, mesh->triangles[i], mesh->vertex_count);
        }
    }
    return (!mesh->colors || check_colors(mesh->colors, mesh->vertex_count, index, error)) &&
           check_positions(mesh->positions, mesh->vertex_count, index, error);
}

static bool check_images(const wr_model *model, int index, wr_error *error)
{
    for (int i = 0; i < model->image_count; i++) {
        const wr_image *image = &model->images[i];
        if (image->width < 1 || image->height < 1 || image->width > 32768 ||
            image->height > 32768 || !image->pixels) {
            return wri_fail(error, WR_E_ARGUMENT, "thing %d: image %d is %d x %d pixels", index, i,
                            image->width, image->height);
        }
    }
    return true;
}

// --- shapes -----------------------------------------------------------------------------------

static wr_vec3 mean_color(const wr_color *colors, int count)
{
    double r = 0.0, g = 0.0, b = 0.0;
    if (!colors || count < 1) {
        return wr_v3(1.0f, 1.0f, 1.0f);
    }
    for (int i = 0; i < count; i++) {
        r += colors[i].r;
        g += colors[i].g;
        b += colors[i].b;
    }
    double s = 1.0 / count;
    return wr_v3((float)(r * s), (float)(g * s), (float)(b * s));
}

static wr_vec3 times(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// A channel that is not finite or negative counts as 0.
static wr_vec3 clean_color(wr_color c)
{
    return wr_v3(c.r > 0.0f && c.r < 1e6f ? c.r : 0.0f, c.g > 0.0f && c.g < 1e6f ? c.g : 0.0f,
                 c.b > 0.0f && c.b < 1e6f ? c.b : 0.0f);
}

// The kind of a map, or of the texture of a look's colour, -1.
static wri_texture_kind kind_of(const wr_look *look, int map)
{
    return map == WR_LOOK_MAP_EMISSION      ? WRI_TEXTURE_LIGHT
           : map >= 0                       ? WRI_TEXTURE_NUMBERS
           : look->alpha == WR_ALPHA_OPAQUE ? WRI_TEXTURE_LIGHT
                                            : WRI_TEXTURE_INK;
}

static int image_of(const wr_look *look, int map)
{
    return map < 0 ? look->texture : look->maps ? look->maps->images[map] : -1;
}

// NULL: there is none.
static const wri_texture *find_texture(const wri_shape *shape, const wr_look *look, int map)
{
    int image = image_of(look, map), count = shape->model->image_count;
    return image >= 0 && image < count ? &shape->textures[kind_of(look, map) * count + image]
                                       : NULL;
}

static void fill_maps(wri_shape *shape, const wr_look *look, wri_surface *surface)
{
    if (!look->maps) {
        return;
    }
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        surface->maps[i] = find_texture(shape, look, i);
        surface->is_laid[i] = !wr_map_layout_is_plain(&look->maps->layouts[i]);
        wr_map_layout_find(&look->maps->layouts[i], surface->layouts[i]);
    }
    const wri_texture *glow = surface->maps[WR_LOOK_MAP_EMISSION];
    surface->has_maps = true;
    surface->emission = surface->glow = clean_color(look->maps->emission);
    surface->glow = glow ? times(surface->glow, glow->mean) : surface->glow;
    surface->normal_scale = wr_clampf(look->maps->normal_scale, -100.0f, 100.0f);
    surface->occlusion = wr_clampf(look->maps->occlusion_strength, 0.0f, 1.0f);
}

static void fill_surfaces(wri_shape *shape, wr_vec3 vertex_mean)
{
    const wr_model *model = shape->model;
    for (int i = 0; i < model->look_count; i++) {
        const wr_look *look = &model->looks[i];
        wri_surface *surface = &shape->surfaces[i];
        surface->color = surface->mean = clean_color(look->base_color);
        surface->roughness = look->roughness >= 0.0f ? fminf(look->roughness, 1.0f) : 0.0f;
        surface->metallic = look->metallic >= 0.0f ? fminf(look->metallic, 1.0f) : 0.0f;
        surface->transmission = wr_clampf(look->transmission, 0.0f, 1.0f);
        surface->double_sided = look->double_sided;
        surface->unlit = look->unlit;
        surface->alpha = look->alpha;
        surface->cutoff = look->cutoff;
        surface->opacity = look->base_color.a > 0.0f ? fminf(look->base_color.a, 1.0f) : 0.0f;
        shape->is_filtered =
            shape->is_filtered || look->alpha != WR_ALPHA_OPAQUE || look->transmission > 0.0f;
        fill_maps(shape, look, surface);
        surface->texture = find_texture(shape, look, -1);
        if (surface->texture) {
            surface->mean = times(surface->mean, surface->texture->mean);
        }
        surface->mean = times(surface->mean, vertex_mean);
    }
    shape->surfaces[model->look_count] = DEFAULT_SURFACE;
    shape->surfaces[model->look_count].mean = times(DEFAULT_SURFACE.mean, vertex_mean);
}

static void spread_parts(wri_shape *shape)
{
    const wr_mesh *mesh = shape->mesh;
    int look_count = shape->model->look_count;
    for (int i = 0; i < mesh->triangle_count; i++) {
        shape->surface_of_triangle[i] = look_count;
    }
    for (int p = 0; p < mesh->part_count; p++) {
        const wr_mesh_part *part = &mesh->parts[p];
        int begin = part->first_triangle > 0 ? part->first_triangle : 0;
        int64_t end = (int64_t)part->first_triangle + part->triangle_count;
        for (int i = begin; i < end && i < mesh->triangle_count; i++) {
            bool known = part->look >= 0 && part->look < look_count;
            shape->surface_of_triangle[i] = known ? part->look : look_count;
        }
    }
}

// The scene of one geometry, which it takes over; NULL when out of memory. can_bend: its vertices
// may be moved.
static RTCScene finish_scene(RTCDevice device, RTCGeometry geometry, bool is_filled, bool can_bend)
{
    RTCScene scene = is_filled ? rtcNewScene(device) : NULL;
    if (scene) {
        if (can_bend) {
            rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
            rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        }
        rtcCommitGeometry(geometry);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST | (can_bend ? RTC_SCENE_FLAG_DYNAMIC : 0));
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }
    if (geometry) {
        rtcReleaseGeometry(geometry);
    }
    return scene;
}

// NULL when out of memory. Embree reads a little beyond the last vertex, so it gets its own copy.
static RTCScene build_triangles(RTCDevice device, const wri_shape *shape, bool can_bend)
{
    const wr_mesh *mesh = shape->mesh;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void *vertices =
        !geometry ? NULL
                  : rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            sizeof(wr_vec3), (size_t)mesh->vertex_count);
    void *indices =
        !vertices ? NULL
                  : rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(int), (size_t)mesh->triangle_count);
    if (indices) {
        memcpy(vertices, mesh->positions, (size_t)mesh->vertex_count * sizeof(wr_vec3));
        memcpy(indices, mesh->triangles, (size_t)mesh->triangle_count * 3 * sizeof(int));
        if (shape->is_filtered) {
            wri_layers_attach(geometry, shape);
        }
    }
    return finish_scene(device, geometry, indices != NULL, can_bend);
}

static bool shows_image(const wr_model *model, int image, wri_texture_kind kind)
{
    for (int i = 0; i < model->look_count; i++) {
        const wr_look *look = &model->looks[i];
        for (int map = -1; map < WR_LOOK_MAP_COUNT; map++) {
            if (image_of(look, map) == image && kind_of(look, map) == kind) {
                return true;
            }
        }
    }
    return false;
}

static bool fill_looks(wri_shape *shape, const wri_srgb *srgb, wr_error *error)
{
    const wr_model *model = shape->model;
    const wr_mesh *mesh = shape->mesh;
    wri_arena *arena = &shape->arena;
    size_t texture_count = WRI_TEXTURE_KINDS * (size_t)model->image_count;
    shape->textures = wri_arena_alloc(arena, texture_count, sizeof(wri_texture));
    shape->surfaces = wri_arena_alloc(arena, (size_t)model->look_count + 1, sizeof(wri_surface));
    if (!shape->textures || !shape->surfaces) {
        return wri_fail_memory(error, (size_t)model->look_count * sizeof(wri_surface));
    }
    for (int i = 0; i < (int)texture_count; i++) {
        const wr_image *image = &model->images[i % model->image_count];
        wri_texture_kind kind = (wri_texture_kind)(i / model->image_count);
        if (shows_image(model, i % model->image_count, kind) &&
            !wri_texture_create(&shape->textures[i], image, srgb, kind, arena)) {
            return wri_fail_memory(error, (size_t)image->width * (size_t)image->height * 2);
        }
    }
    fill_surfaces(shape, mean_color(mesh->colors, mesh->vertex_count));
    return true;
}

static void set_bounds(wri_shape *shape, wr_box box)
{
    shape->center = wr_box_center(box);
    shape->radius = 0.5f * wr_length(wr_box_size(box));
    shape->reach = wr_length(shape->center) + shape->radius;
}

static bool fill_triangles(wri_shape *shape, RTCDevice device, wr_error *error)
{
    const wr_mesh *mesh = shape->mesh;
    size_t count = (size_t)mesh->triangle_count;
    shape->surface_of_triangle = wri_arena_alloc(&shape->arena, count, sizeof(int));
    if (!shape->surface_of_triangle) {
        return wri_fail_memory(error, count * sizeof(int));
    }
    spread_parts(shape);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        box = wr_box_add(box, mesh->positions[i]);
    }
    set_bounds(shape, box);
    shape->scene = build_triangles(device, shape, false);
    return shape->scene || wri_fail_memory(error, (size_t)mesh->triangle_count * 64);
}

static wri_shape *shape_alloc(const wr_model *model, const wr_allocator *allocator, wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    wri_shape *shape = wri_arena_alloc(&arena, 1, sizeof(*shape));
    if (!shape) {
        wri_fail_memory(error, sizeof(*shape));
        return NULL;
    }
    shape->arena = arena;
    shape->bent = wri_array_create(allocator, sizeof(wri_bent));
    shape->model = model;
    return shape;
}

static bool is_empty(const wr_mesh *mesh)
{
    return mesh->vertex_count < 1 || mesh->triangle_count < 1;
}

wri_shape *wri_shape_create(RTCDevice device, const wr_model *model, const wri_srgb *srgb,
                            const wr_allocator *allocator, int index, wr_error *error)
{
    wri_shape *shape = shape_alloc(model, allocator, error);
    if (!shape || model->mesh_count < 1 || is_empty(model->meshes)) {
        return shape;
    }
    shape->mesh = &model->meshes[0];
    bool ok =
        model->mesh_count == 1 ||
        wri_fail(error, WR_E_ARGUMENT, "thing %d: its model has %d meshes; flatten it to one first",
                 index, model->mesh_count);
    if (!ok || !check_mesh(shape->mesh, index, error) || !check_images(model, index, error) ||
        !fill_looks(shape, srgb, error) || !fill_triangles(shape, device, error)) {
        wri_shape_destroy(shape);
        return NULL;
    }
    return shape;
}

wri_shape *wri_shape_create_mesh(RTCDevice device, const wri_shape *looks, const wr_mesh *mesh,
                                 const wri_srgb *srgb, const wr_allocator *allocator, int index,
                                 wr_error *error)
{
    wri_shape *shape = shape_alloc(looks->model, allocator, error);
    if (!shape || is_empty(mesh)) {
        return shape;
    }
    shape->mesh = mesh;
    shape->textures = looks->textures;
    shape->surfaces = looks->surfaces;
    shape->is_filtered = looks->is_filtered;
    bool has_looks = looks->surfaces ||
                     (check_images(looks->model, index, error) && fill_looks(shape, srgb, error));
    if (!has_looks || !check_mesh(mesh, index, error) || !fill_triangles(shape, device, error)) {
        wri_shape_destroy(shape);
        return NULL;
    }
    return shape;
}

static float sphere_radius(const wr_particles *spheres, int i)
{
    return spheres->radii ? spheres->radii[i] : spheres->radius;
}

static bool check_spheres(const wr_particles *spheres, int index, wr_error *error)
{
    for (int i = 0; i < spheres->count; i++) {
        float r = sphere_radius(spheres, i);
        if (!wr_is_finite3(spheres->positions[i]) || !(r > 0.0f && isfinite(r))) {
            return wri_fail(error, WR_E_ARGUMENT, "thing %d: sphere %d is none", index, i);
        }
    }
    return true;
}

static RTCScene build_spheres(RTCDevice device, const wri_shape *shape)
{
    const wr_particles *spheres = shape->spheres;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float *rows =
        !geometry ? NULL
                  : rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                            4 * sizeof(float), (size_t)spheres->count);
    for (int i = 0; rows && i < spheres->count; i++) {
        memcpy(rows + 4 * i, &spheres->positions[i], sizeof(wr_vec3));
        rows[4 * i + 3] = sphere_radius(spheres, i);
    }
    if (rows && shape->is_filtered) {
        wri_layers_attach(geometry, shape);
    }
    return finish_scene(device, geometry, rows != NULL, false);
}

wri_shape *wri_shape_create_spheres(RTCDevice device, const wr_particles *spheres, bool is_filtered,
                                    const wr_allocator *allocator, int index, wr_error *error)
{
    wri_shape *shape = shape_alloc(NULL, allocator, error);
    if (!shape || spheres->count < 1) {
        return shape;
    }
    bool ok = check_spheres(spheres, index, error);
    shape->surfaces = ok ? wri_arena_alloc(&shape->arena, 1, sizeof(wri_surface)) : NULL;
    if (shape->surfaces) {
        shape->spheres = spheres;
        shape->surfaces[0] = SPHERE_SURFACE;
        shape->is_filtered = is_filtered;
        wr_box box = WR_BOX_EMPTY;
        for (int i = 0; i < spheres->count; i++) {
            float r = sphere_radius(spheres, i);
            box = wr_box_add(box, wr_sub(spheres->positions[i], wr_v3(r, r, r)));
            box = wr_box_add(box, wr_add(spheres->positions[i], wr_v3(r, r, r)));
        }
        set_bounds(shape, box);
        shape->scene = build_spheres(device, shape);
    }
    if (ok && !shape->scene) {
        ok = wri_fail_memory(error, (size_t)spheres->count * 64);
    }
    if (!ok) {
        wri_shape_destroy(shape);
        return NULL;
    }
    return shape;
}

static void forget_bent(wri_shape *shape)
{
    for (int i = 0; i < shape->bent.count; i++) {
        rtcReleaseScene(WRI_ITEM(shape->bent, wri_bent, i).scene);
    }
    shape->bent.count = 0;
}

bool wri_shape_filter(wri_shape *shape, RTCDevice device, wr_error *error)
{
    if (shape->is_filtered || !shape->scene) {
        return true;
    }
    shape->is_filtered = true;
    RTCScene filtered =
        shape->spheres ? build_spheres(device, shape) : build_triangles(device, shape, false);
    if (!filtered) {
        shape->is_filtered = false;
        return wri_fail_memory(error, 64);
    }
    rtcReleaseScene(shape->scene);
    shape->scene = filtered;
    forget_bent(shape); // which do not know the filter
    return true;
}

bool wri_shape_flatten(wri_shape *shape, RTCDevice device, wr_error *error)
{
    if (!shape->mesh || shape->edges) {
        return true;
    }
    return wri_shape_filter(shape, device, error) &&
           wri_edges_find(shape->mesh, &shape->arena, &shape->edges, &shape->edge_count, error);
}

void wri_shape_destroy(wri_shape *shape)
{
    if (!shape) {
        return;
    }
    if (shape->scene) {
        rtcReleaseScene(shape->scene);
    }
    forget_bent(shape);
    wri_array_destroy(&shape->bent);
    wri_arena arena = shape->arena; // the shape lives in its own arena
    wri_arena_destroy(&arena);
}

// --- scenes -----------------------------------------------------------------------------------

// The next tree of a shape that is not in use in this picture; NULL: out of memory.
static wri_bent *next_bent(wri_shape *shape, RTCDevice device)
{
    if (shape->bent_count < shape->bent.count) {
        return &WRI_ITEM(shape->bent, wri_bent, shape->bent_count++);
    }
    RTCScene scene = build_triangles(device, shape, true);
    wri_bent *bent = scene ? wri_array_add(&shape->bent, 1) : NULL;
    if (bent) {
        RTCGeometry geometry = rtcGetGeometry(scene, 0);
        *bent = (wri_bent){scene, rtcGetGeometryBufferData(geometry, RTC_BUFFER_TYPE_VERTEX, 0)};
        shape->bent_count++;
    } else if (scene) {
        rtcReleaseScene(scene);
    }
    return bent;
}

// Moves the vertices, unless they are there from the picture before.
static void bend(const wri_bent *bent, const wr_vec3 *positions, int count)
{
    size_t size = (size_t)count * sizeof *positions;
    if (memcmp(bent->positions, positions, size) != 0) {
        RTCGeometry geometry = rtcGetGeometry(bent->scene, 0);
        memcpy(bent->positions, positions, size);
        rtcUpdateGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(geometry);
        rtcCommitScene(bent->scene);
    }
}

static bool fill_item(wri_item *item, wri_shape *shape, RTCDevice device, wr_scratch *scratch,
                      const wr_render_thing *thing, int index, wr_error *error)
{
    const wr_mesh *mesh = shape->mesh;
    item->scene = shape->scene;
    if (shape->spheres) {
        return true;
    }
    item->positions = mesh->positions;
    item->normals = thing->normals ? thing->normals : mesh->normals;
    item->colors = thing->colors;
    item->mean = mean_color(thing->colors, mesh->vertex_count);
    if (thing->colors && !check_colors(thing->colors, mesh->vertex_count, index, error)) {
        return false;
    }
    if (!thing->positions) {
        return true;
    }
    if (!check_positions(thing->positions, mesh->vertex_count, index, error)) {
        return false;
    }
    item->positions = thing->positions;
    if (mesh->normals && !thing->normals) {
        wr_vec3 *normals = wr_scratch_push(scratch, (size_t)mesh->vertex_count, sizeof(wr_vec3));
        if (!normals) {
            return wri_fail_memory(error, (size_t)mesh->vertex_count * sizeof(wr_vec3));
        }
        wr_find_normals(thing->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                        normals);
        item->normals = normals;
    }
    const wri_bent *bent = next_bent(shape, device);
    if (!bent) {
        return wri_fail_memory(error, (size_t)mesh->triangle_count * 64);
    }
    bend(bent, thing->positions, mesh->vertex_count);
    item->scene = bent->scene;
    return true;
}

static bool attach_item(wri_scene *scene, RTCDevice device, const wri_item *item, wr_error *error)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
    if (!geometry) {
        return wri_fail_memory(error, sizeof(*item));
    }
    float columns[12];
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            columns[3 * c + r] = item->rotation.m[r][c];
        }
    }
    columns[9] = item->offset.x;
    columns[10] = item->offset.y;
    columns[11] = item->offset.z;
    rtcSetGeometryInstancedScene(geometry, item->scene);
    rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, columns);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene->top, geometry, (unsigned)(item - scene->items));
    rtcReleaseGeometry(geometry);
    return true;
}

static void change_surface(wri_surface *surface, const wr_look_change *change)
{
    int said = change->said;
    if (said & WR_LOOK_COLOR) {
        surface->color = surface->mean = clean_color(change->color);
        surface->texture = NULL;
    }
    surface->metallic =
        said & WR_LOOK_METALLIC ? wr_clampf(change->metallic, 0.0f, 1.0f) : surface->metallic;
    surface->roughness =
        said & WR_LOOK_ROUGHNESS ? wr_clampf(change->roughness, 0.0f, 1.0f) : surface->roughness;
    surface->transmission =
        said & WR_LOOK_GLASS ? wr_clampf(change->transmission, 0.0f, 1.0f) : surface->transmission;
    surface->double_sided = said & WR_LOOK_SIDES ? change->double_sided : surface->double_sided;
    if (said & ~WR_LOOK_SIDES) {
        surface->has_maps = false;
        surface->glow = wr_v3(0.0f, 0.0f, 0.0f);
    }
    surface->unlit = surface->unlit && said == 0;
}

// Surfaces of its own, for a thing that does not look like its model.
static bool change_looks(wri_item *item, const wri_shape *shape, const wr_look_change *change,
                         wr_scratch *scratch, wr_error *error)
{
    size_t count = shape->spheres ? 1 : (size_t)shape->model->look_count + 1;
    wri_surface *own = wr_scratch_push(scratch, count, sizeof *own);
    if (!own) {
        return wri_fail_memory(error, count * sizeof *own);
    }
    for (size_t i = 0; i < count; i++) {
        own[i] = shape->surfaces[i];
        change_surface(&own[i], change);
    }
    item->surfaces = own;
    item->is_plain = change->said & WR_LOOK_COLOR;
    return true;
}

static void add_plane(wri_scene *scene, const wr_render_thing *thing, wr_vec3 eye)
{
    wri_plane *plane = &scene->planes[scene->plane_count++];
    plane->pose.rotation = wr_quat_normalize(thing->pose.rotation);
    plane->pose.position = wr_sub(thing->pose.position, eye);
    plane->normal = wr_rotate(plane->pose.rotation, wr_v3(0.0f, 1.0f, 0.0f));
    plane->height = wr_dot(plane->normal, plane->pose.position);
    plane->surface = GROUND_SURFACE;
    plane->surface.color = wr_v3(1.0f, 1.0f, 1.0f);
    if (thing->look) {
        change_surface(&plane->surface, thing->look);
    }
    plane->surface.color = times(plane->surface.color, clean_color(thing->tint));
}

// Rays leave a surface a little above it. Single precision is good for 1e-7 of each coordinate that
// took part; ten times that, and at least a hundredth of a pixel.
static float find_slack(const wri_item *item)
{
    return 1e-6f * (item->shape->reach + wr_length(item->offset));
}

static bool add_item(wri_scene *scene, RTCDevice device, wr_scratch *scratch,
                     const wr_render_thing *thing, wri_shape *shape, wr_vec3 eye, int index,
                     wr_error *error)
{
    wri_item *item = &scene->items[scene->item_count];
    item->shape = shape;
    item->surfaces = shape->surfaces;
    item->rotation = wr_mat3_from_quat(wr_quat_normalize(thing->pose.rotation));
    item->offset = wr_sub(thing->pose.position, eye);
    item->tint = clean_color(thing->tint);
    item->slack = find_slack(item);
    scene->is_filtered = scene->is_filtered || shape->is_filtered;
    scene->item_count++;
    if ((thing->look && !change_looks(item, shape, thing->look, scratch, error)) ||
        !fill_item(item, shape, device, scratch, thing, index, error)) {
        return false;
    }
    wr_vec3 center = wr_add(item->offset, wr_mat3_apply(item->rotation, shape->center));
    scene->thing_size += logf(fmaxf(shape->radius, 1e-12f));
    scene->thing_distance += logf(fmaxf(wr_length(center), 1e-12f));
    return attach_item(scene, device, item, error);
}

bool wri_scene_build(wri_scene *scene, RTCDevice device, wr_scratch *scratch,
                     const wr_render_thing *things, wri_shape *const *shapes, int count,
                     wr_vec3 eye, wr_error *error)
{
    *scene = (wri_scene){.top = rtcNewScene(device)};
    scene->items = wr_scratch_push(scratch, (size_t)count, sizeof(wri_item));
    scene->planes = wr_scratch_push(scratch, (size_t)count, sizeof(wri_plane));
    if (!scene->top || !scene->items || !scene->planes) {
        return wri_fail_memory(error, (size_t)count * sizeof(wri_item));
    }
    for (int i = 0; i < count; i++) {
        if (shapes[i]) {
            shapes[i]->bent_count = 0;
        }
    }
    for (int i = 0; i < count; i++) {
        if (!wr_pose_is_finite(things[i].pose)) {
            return wri_fail(error, WR_E_ARGUMENT, "thing %d: its pose is not finite", i);
        }
        if (!shapes[i]) {
            add_plane(scene, &things[i], eye);
        } else if (shapes[i]->scene &&
                   !add_item(scene, device, scratch, &things[i], shapes[i], eye, i, error)) {
            return false;
        }
    }
    float share = 1.0f / (float)(scene->item_count ? scene->item_count : 1);
    scene->thing_size = expf(share * scene->thing_size);
    scene->thing_distance = expf(share * scene->thing_distance);
    rtcSetSceneFlags(scene->top, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(scene->top);
    return true;
}

void wri_scene_release(wri_scene *scene)
{
    if (scene->top) {
        rtcReleaseScene(scene->top);
    }
    *scene = (wri_scene){0};
}
