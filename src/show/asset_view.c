// asset_view.c: pictures of an asset in a studio: even light, one soft lamp, a floor.
#include "asset_view.h"

#include <math.h>

enum { COOKIE = 0x61737677 };

static const float RISE = 0.21f; // of the camera, radians
const float wri_asset_turn = 0.45f;

wr_asset_view_desc wr_asset_view_desc_default(void)
{
    return (wr_asset_view_desc){.width = 960, .height = 540, .samples = 16, .cookie = COOKIE};
}

// --- the stage --------------------------------------------------------------------------------

static void aim_lamp(wr_asset_view *view, bool behind)
{
    const wr_vec3 lamp = {-0.50f, 0.80f, 0.62f};
    float side = behind ? -1.0f : 1.0f;
    view->stage.light.sun_direction = wr_normalize(wr_v3(side * lamp.x, lamp.y, side * lamp.z));
}

void wri_asset_view_aim(wr_asset_view *view, bool behind)
{
    float aspect = (float)view->width / (float)view->height;
    const wr_vec3 *points = view->points.items;
    int count = view->points.count;
    if (view->asset->rig.dimension == 2) {
        wr_box box = WR_BOX_EMPTY;
        for (int i = 0; i < count; i++) {
            box = wr_box_add(box, points[i]);
        }
        view->camera = wr_camera_frame_flat(box, aspect);
        return;
    }
    float turn = behind ? wri_asset_turn + WR_PI : wri_asset_turn;
    view->camera = wr_camera_frame_points(points, count, aspect, turn, RISE);
    aim_lamp(view, behind);
}

// The floor sends back just the colour of the wall behind it, so that only shadows and lines show.
static void build_stage(wr_asset_view *view)
{
    wr_light *light = &view->stage.light;
    view->stage = wr_stage_default();
    view->stage.flat.on = view->asset->rig.dimension == 2;
    view->stage.flat.top = view->stage.flat.low = (wr_color){0.83f, 0.84f, 0.86f, 1.0f};
    aim_lamp(view, false);
    light->sun_color = (wr_color){0.80f, 0.77f, 0.71f, 1.0f};
    light->sun_radius = 0.09f;
    light->sky_zenith = (wr_color){0.27f, 0.29f, 0.32f, 1.0f};
    light->sky_horizon = (wr_color){0.60f, 0.62f, 0.65f, 1.0f};
    const float sun[3] = {light->sun_color.r, light->sun_color.g, light->sun_color.b};
    const float zenith[3] = {light->sky_zenith.r, light->sky_zenith.g, light->sky_zenith.b};
    const float wall[3] = {light->sky_horizon.r, light->sky_horizon.g, light->sky_horizon.b};
    float tint[3];
    for (int i = 0; i < 3; i++) { // light that falls on the floor, as in wri_shading
        float falls = 0.9f * zenith[i] + 0.1f * wall[i] + light->sun_direction.y * sun[i];
        tint[i] = wall[i] / falls;
    }
    view->floor = light->ground = (wr_color){tint[0], tint[1], tint[2], 1.0f};
}

void wri_asset_view_clear(wr_asset_view *view)
{
    view->points.count = 0;
    view->floor_y = INFINITY;
}

static bool add_points(wr_asset_view *view, const wr_vec3 *points, int count, bool stands,
                       wr_error *error)
{
    wr_vec3 *room = wri_array_add(&view->points, count);
    if (!room) {
        return wri_fail_memory(error, (size_t)count * sizeof *room);
    }
    memcpy(room, points, (size_t)count * sizeof *room);
    for (int i = 0; stands && i < count; i++) {
        view->floor_y = fminf(view->floor_y, points[i].y);
    }
    return true;
}

// The box of the model, whose edges are drawn as axes.
static bool add_box(wr_asset_view *view, wr_error *error)
{
    wr_box box = wr_mesh_bounds(view->asset->model->meshes);
    wr_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = wr_v3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                           i & 4 ? box.max.z : box.min.z);
    }
    return add_points(view, corners, 8, false, error);
}

bool wri_asset_view_add(wr_asset_view *view, const wri_asset_cell *cell, wr_error *error)
{
    const wri_asset_shape *s = &view->shape;
    const wr_asset *asset = view->asset;
    if (!wri_asset_shape_pose(&view->shape, cell->pose.example, cell->pose.share, error)) {
        return false;
    }
    if (cell->style == WR_ASSET_WIRE) {
        return add_points(view, s->x, asset->rig.vertex_count, view->style == WR_ASSET_WIRE, error);
    }
    if (cell->style == WR_ASSET_WEIGHTS &&
        !add_points(view, s->pivots, asset->rig.handle_count, false, error)) {
        return false;
    }
    return add_points(view, s->positions, asset->model->meshes[0].vertex_count, true, error);
}

static wr_render *find_render(wr_asset_view *view, bool wire, wr_error *error)
{
    wr_render **slot = wire ? &view->wire : &view->shaded;
    if (!*slot) {
        wr_render_desc desc = wr_render_desc_default();
        desc.width = view->width;
        desc.height = view->height;
        desc.samples = view->samples;
        desc.tasks = view->shape.tasks;
        desc.view = wire ? WR_VIEW_WIRE : WR_VIEW_SHADED;
        *slot = wr_render_create(&desc, error);
    }
    return *slot;
}

void wri_asset_view_resize(wr_asset_view *view, int width, int height)
{
    if (width != view->width || height != view->height) {
        wr_render_destroy(view->shaded);
        wr_render_destroy(view->wire);
        view->shaded = view->wire = NULL;
    }
    view->width = width;
    view->height = height;
}

// --- things -----------------------------------------------------------------------------------

static bool add_handles(wr_asset_view *view, int handle, wr_error *error)
{
    for (int b = 0; b < view->asset->rig.handle_count; b++) {
        if (handle >= 0 && handle != b) {
            continue;
        }
        wr_render_thing *thing = wri_array_add(&view->things, 1);
        if (!thing) {
            return wri_fail_memory(error, sizeof *thing);
        }
        *thing = (wr_render_thing){.model = view->ball,
                                   .pose = {view->shape.pivots[b], WR_QUAT_IDENTITY},
                                   .tint = view->shape.handle_colors[b]};
    }
    return true;
}

static void paint(wri_asset_shape *s, const wri_asset_cell *cell)
{
    if (cell->style == WR_ASSET_EXAMPLES) {
        wri_asset_shape_paint_examples(s);
    } else if (cell->style == WR_ASSET_WEIGHTS && cell->pose.handle < 0) {
        wri_asset_shape_paint_handles(s);
    } else if (cell->style == WR_ASSET_WEIGHTS) {
        wri_asset_shape_paint_weight(s, cell->pose.handle);
    } else if (cell->style == WR_ASSET_GREY) {
        for (int i = 0; i < s->asset->rig.ride_count; i++) {
            s->colors[i] = wri_paint_grey();
        }
    } else if (cell->style >= WR_ASSET_MAPS) {
        wri_paint_map(s->asset, (wr_map_kind)(cell->style - WR_ASSET_MAPS), s->colors);
    }
}

static void drop_solid(wr_asset_view *view)
{
    if (view->solid && view->wire) {
        wr_render_forget(view->wire);
    }
    wr_model_destroy(view->solid);
    view->solid = NULL;
}

// The shape of a cell, which is taken, as things.
static bool list_things(wr_asset_view *view, const wri_asset_cell *cell, wr_error *error)
{
    wri_asset_shape *s = &view->shape;
    const wr_color white = {1.0f, 1.0f, 1.0f, 1.0f};
    drop_solid(view);
    if (cell->style == WR_ASSET_WIRE) {
        view->solid = wri_asset_shape_create_solid(s, error);
        if (!view->solid) {
            return false;
        }
    }
    view->things.count = 0;
    wr_render_thing *thing = wri_array_add(&view->things, 2);
    if (!thing) {
        return wri_fail_memory(error, 2 * sizeof *thing);
    }
    thing[0] = (wr_render_thing){.model = view->solid ? view->solid : view->asset->model,
                                 .pose = WR_POSE_IDENTITY,
                                 .tint = white};
    thing[1] = (wr_render_thing){.pose = {{0.0f, view->floor_y, 0.0f}, WR_QUAT_IDENTITY},
                                 .tint = view->floor};
    view->things.count = view->asset->rig.dimension == 2 ? 1 : 2;
    if (!view->solid) {
        thing->positions = s->positions;
        thing->normals = s->normals;
        thing->colors = cell->style == WR_ASSET_SHADED ? NULL : s->colors;
    }
    paint(s, cell);
    return cell->style != WR_ASSET_WEIGHTS || add_handles(view, cell->pose.handle, error);
}

// --- pictures ---------------------------------------------------------------------------------

bool wri_asset_view_draw_cell(wr_asset_view *view, const wri_asset_cell *cell, uint8_t *pixels,
                              wr_error *error)
{
    wr_render *render = find_render(view, cell->style == WR_ASSET_WIRE, error);
    wri_asset_view_aim(view, cell->behind);
    bool ok = render &&
              wri_asset_shape_pose(&view->shape, cell->pose.example, cell->pose.share, error) &&
              list_things(view, cell, error) &&
              wr_render_draw(render, view->things.items, view->things.count, &view->stage,
                             &view->camera, pixels, error);
    return ok && (cell->style != WR_ASSET_WEIGHTS ||
                  wri_asset_view_mark(view, cell->pose.handle, pixels, error));
}

static bool check_pose(const wr_asset_view *view, const wr_asset_pose *pose, wr_error *error)
{
    const wr_rig *rig = &view->asset->rig;
    if (pose->example < 0 || pose->example >= rig->example_count) {
        return wri_fail(error, WR_E_ARGUMENT, "%s: has no example %d, only %d", view->asset->name,
                        pose->example, rig->example_count);
    }
    return pose->handle < rig->handle_count ||
           wri_fail(error, WR_E_ARGUMENT, "%s: has no handle %d, only %d", view->asset->name,
                    pose->handle, rig->handle_count);
}

bool wr_asset_view_read(wr_asset_view *view, const wr_asset_pose *pose, wr_drawing *drawing,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, view, pose, drawing)) {
        return false;
    }
    const wri_asset_cell cell = {.pose = *pose, .style = view->style};
    wri_asset_view_clear(view);
    if (!check_pose(view, pose, error) || !wri_asset_view_add(view, &cell, error) ||
        !list_things(view, &cell, error)) {
        return false;
    }
    *drawing = (wr_drawing){.count = view->things.count, .things = view->things.items};
    return true;
}

bool wr_asset_view_draw(wr_asset_view *view, const wr_asset_pose *pose, uint8_t *pixels,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, view, pose, pixels)) {
        return false;
    }
    const wri_asset_cell cell = {.pose = *pose, .style = view->style};
    wri_asset_view_resize(view, view->picture[0], view->picture[1]);
    wri_asset_view_clear(view);
    bool ok = check_pose(view, pose, error) && wri_asset_view_add(view, &cell, error) &&
              (view->style != WR_ASSET_WEIGHTS || add_box(view, error)) &&
              wri_asset_view_draw_cell(view, &cell, pixels, error);
    if (ok && view->style >= WR_ASSET_MAPS) {
        wri_draw_map_legend((wr_map_kind)(view->style - WR_ASSET_MAPS), pixels, view->width,
                            view->height);
    }
    return ok;
}

// --- the view ---------------------------------------------------------------------------------

static bool begin_view(wr_asset_view *view, wr_tasks tasks, wr_error *error)
{
    if (!wri_asset_shape_create(&view->shape, view->asset, tasks, error)) {
        return false;
    }
    if (view->style >= WR_ASSET_MAPS) {
        wr_map_kind kind = (wr_map_kind)(view->style - WR_ASSET_MAPS);
        if (!view->asset->maps[kind]) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: has no painted %s", view->asset->name,
                            wr_map_name(kind));
        }
    }
    view->ball_radius = 0.011f * wr_length(wr_box_size(wr_mesh_bounds(view->asset->model->meshes)));
    view->ball = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(view->ball_radius, 0, 0),
                                           (wr_color){1.0f, 1.0f, 1.0f, 1.0f}, error);
    build_stage(view);
    return view->ball != NULL;
}

wr_asset_view *wr_asset_view_create(const wr_asset_view_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_asset_view_desc, desc, COOKIE) ||
        !WRI_REQUIRE(error, desc->asset)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_asset_view *view = wri_arena_alloc(&arena, 1, sizeof *view);
    if (!view) {
        wri_fail_memory(error, sizeof *view);
        return NULL;
    }
    *view = (wr_asset_view){.arena = arena,
                            .asset = desc->asset,
                            .style = desc->style,
                            .points = wri_array_create(NULL, sizeof(wr_vec3)),
                            .things = wri_array_create(NULL, sizeof(wr_render_thing)),
                            .width = desc->width,
                            .height = desc->height,
                            .picture = {desc->width, desc->height},
                            .samples = desc->samples};
    if (!begin_view(view, desc->tasks, error)) {
        wr_asset_view_destroy(view);
        return NULL;
    }
    return view;
}

void wr_asset_view_destroy(wr_asset_view *view)
{
    if (!view) {
        return;
    }
    wr_render_destroy(view->shaded);
    wr_render_destroy(view->wire);
    wr_model_destroy(view->ball);
    wr_model_destroy(view->solid);
    wri_asset_shape_destroy(&view->shape);
    wri_array_destroy(&view->points);
    wri_array_destroy(&view->things);
    wri_arena arena = view->arena; // the view itself is in it
    wri_arena_destroy(&arena);
}
