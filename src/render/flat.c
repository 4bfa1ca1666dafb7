// flat.c: colours over each other.
//
// A ray takes note of everything it meets. What it met is sorted by depth, things at the same depth
// by their order, as 2D programs stack them, and laid over each other from front to back until
// nothing shines through. Colours are sRGB numbers all the way, never linear light: paint programs
// and browsers blend so, and an artist's half-transparent pixel must look as it was drawn.
#include "flat.h"

#include "layers.h"
#include "lines.h"

static const float LINE_SHADE = 0.42f; // an outline's colour against that of its thing

static float encode(const wri_srgb *srgb, float x)
{
    return wri_srgb_encode(srgb, x) / 255.0f;
}

static wr_vec3 encode3(const wri_srgb *srgb, wr_vec3 c)
{
    return wr_v3(encode(srgb, c.x), encode(srgb, c.y), encode(srgb, c.z));
}

static wr_vec3 times(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static wr_vec3 blend_colors(const wr_color *colors, const int *at, wr_vec3 w)
{
    wr_color a = colors[at[0]], b = colors[at[1]], c = colors[at[2]];
    return wr_v3(w.x * a.r + w.y * b.r + w.z * c.r, w.x * a.g + w.y * b.g + w.z * c.g,
                 w.x * a.b + w.y * b.b + w.z * c.b);
}

bool wri_flat_begin(wri_flat *f, const wri_scene *scene, const wri_srgb *srgb,
                    const wr_stage *stage, const wr_camera *camera, const wr_render_desc *desc,
                    wr_scratch *scratch, wr_error *error)
{
    const wr_flat *flat = &stage->flat;
    *f = (wri_flat){.scene = scene, .srgb = srgb};
    f->eye = wri_eye_open(camera, desc->width, desc->height);
    f->top = encode3(srgb, wr_v3(flat->top.r, flat->top.g, flat->top.b));
    f->low = encode3(srgb, wr_v3(flat->low.r, flat->low.g, flat->low.b));
    f->focus = wr_distance(camera->from, camera->to);
    f->step = 1e-5f * (f->eye.flat ? camera->flat : f->focus);
    float reach = 2.0f * wr_length(f->eye.up) / (float)desc->height / sqrtf((float)desc->samples);
    f->texel_angle = f->eye.flat ? 0.0f : reach;
    f->texel_size = f->eye.flat ? reach : 0.0f;
    f->wire = desc->view == WR_VIEW_WIRE;
    f->line = flat->line * (float)desc->height;
    if (!(f->line > 0.0f)) {
        return true;
    }
    f->lines = wr_scratch_push(scratch, 1, sizeof *f->lines);
    return f->lines ? wri_lines_find(f->lines, scene, &f->eye, f->line + 1.0f, scratch, error)
                    : wri_fail_memory(error, sizeof *f->lines);
}

// --- one thing --------------------------------------------------------------------------------

// Something that a ray met, made ready to be sorted.
typedef struct fragment {
    const wri_layer *hit;
    float depth; // metres
    int step;    // in steps
} fragment;

static wr_vec3 weights_of(const wri_layer *hit)
{
    return wr_v3(1.0f - hit->u - hit->v, hit->u, hit->v);
}

static wr_vec3 place(const wri_item *item, int vertex)
{
    return wr_add(item->offset, wr_mat3_apply(item->rotation, item->positions[vertex]));
}

// A sphere lies at the depth of its middle, as discs do.
static wr_vec3 place_of(const wri_item *item, const wri_layer *hit)
{
    if (item->shape->spheres) {
        wr_vec3 middle = item->shape->spheres->positions[hit->triangle];
        return wr_add(item->offset, wr_mat3_apply(item->rotation, middle));
    }
    const int *t = item->shape->mesh->triangles + 3 * hit->triangle;
    wr_vec3 w = weights_of(hit), local = wr_scale(w.x, item->positions[t[0]]);
    local = wr_add_scaled(local, w.y, item->positions[t[1]]);
    local = wr_add_scaled(local, w.z, item->positions[t[2]]);
    return wr_add(item->offset, wr_mat3_apply(item->rotation, local));
}

static float twice_area(const wri_item *item, const int *t)
{
    const wr_vec3 *x = item->positions;
    return wr_length(wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]])));
}

// Colours times alpha, and alpha.
static wr_color find_ink(const wri_flat *f, const wri_item *item, const wri_layer *hit)
{
    const wri_shape *shape = item->shape;
    const wri_surface *surface = wri_surface_at(item, hit->triangle);
    wr_vec3 w = weights_of(hit), color = encode3(f->srgb, times(surface->color, item->tint));
    if (shape->spheres) {
        return (wr_color){color.x, color.y, color.z, 1.0f};
    }
    const int *corners = shape->mesh->triangles + 3 * hit->triangle;
    wr_color ink = {1.0f, 1.0f, 1.0f, 1.0f};
    bool textured = surface->texture && shape->mesh->uvs;
    if (textured) {
        float footprint = hit->distance * f->texel_angle + f->texel_size;
        wri_lookup at = wri_lookup_at(shape, surface->texture, hit->triangle, w,
                                      twice_area(item, corners), footprint);
        ink = wri_texture_ink(surface->texture, f->srgb->plain, at.u, at.v, at.level);
    }
    if (shape->mesh->colors && !item->colors && !item->is_plain) {
        color = times(color, encode3(f->srgb, blend_colors(shape->mesh->colors, corners, w)));
    }
    float alpha = item->colors ? wri_paint_alpha(surface, ink.a)
                               : wri_surface_alpha(shape, surface, hit->triangle, w, ink.a);
    float k = ink.a > 0.0f ? alpha / ink.a : 0.0f;
    if (item->colors) { // paint, through which the drawing still shows
        float light = ink.a > 0.0f ? (0.3f * ink.r + 0.6f * ink.g + 0.1f * ink.b) / ink.a : 1.0f;
        color = encode3(f->srgb, times(item->tint, blend_colors(item->colors, corners, w)));
        color = wr_scale(textured ? 0.55f + 0.45f * light : 1.0f, color);
        return (wr_color){alpha * color.x, alpha * color.y, alpha * color.z, alpha};
    }
    return (wr_color){k * ink.r * color.x, k * ink.g * color.y, k * ink.b * color.z, alpha};
}

// Coverage of a place by a line whose middle is `distance` pixels away.
static float cover(float distance, float half_width)
{
    return wr_clampf(half_width + 0.5f - distance, 0.0f, 1.0f);
}

// Metres, where the camera looks.
static float pixel_size(const wri_flat *f)
{
    float size = 2.0f * wr_length(f->eye.up) / (float)f->eye.height;
    return f->eye.flat ? size : size * f->focus;
}

// The rim of a sphere.
static float rim_at(const wri_flat *f, const fragment *at, float x, float y)
{
    const wri_item *item = &f->scene->items[at->hit->item];
    const wr_particles *spheres = item->shape->spheres;
    float r = spheres->radii ? spheres->radii[at->hit->triangle] : spheres->radius, depth;
    float pixel = 2.0f * wr_length(f->eye.up) / (float)f->eye.height;
    wr_vec2 middle;
    if (!wri_eye_project(&f->eye, place_of(item, at->hit), &middle, &depth)) {
        return 0.0f;
    }
    float reach = r / (f->eye.flat ? pixel : pixel * depth); // pixels
    return cover(reach - hypotf(x - middle.x, y - middle.y), f->line);
}

static float outline_at(const wri_flat *f, const fragment *at, float x, float y)
{
    const wri_shape *shape = f->scene->items[at->hit->item].shape;
    const wri_surface *surface = wri_surface_at(&f->scene->items[at->hit->item], at->hit->triangle);
    if (!f->lines || surface->unlit || surface->alpha != WR_ALPHA_OPAQUE) {
        return 0.0f;
    }
    if (shape->spheres) {
        return rim_at(f, at, x, y);
    }
    // The outline of something round is further away than what is beside it in the picture.
    float slack = sqrtf(2.0f * shape->radius * f->line * pixel_size(f)) + f->step;
    return cover(wri_lines_distance(f->lines, at->hit->item, x, y, at->depth + slack), f->line);
}

// The triangle's edges, and the whole triangle: nothing of a wire view is transparent.
static wr_color find_wire(const wri_flat *f, const wri_layer *hit, wr_color ink, float x, float y)
{
    const wri_item *item = &f->scene->items[hit->item];
    bool is_sphere = item->shape->spheres != NULL; // which has no edges
    const int *t = is_sphere ? NULL : item->shape->mesh->triangles + 3 * hit->triangle;
    wr_vec2 p[3];
    float depth, nearest = INFINITY;
    for (int i = 0; i < 3 && !is_sphere; i++) {
        if (!wri_eye_project(&f->eye, place(item, t[i]), &p[i], &depth)) {
            return ink;
        }
    }
    for (int i = 0; i < 3 && !is_sphere; i++) {
        wr_vec2 a = p[i], b = p[(i + 1) % 3];
        float length = hypotf(b.x - a.x, b.y - a.y);
        float area = fabsf((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x));
        nearest = length > 0.0f ? fminf(nearest, area / length) : nearest;
    }
    float line = 0.8f * cover(nearest, 0.35f), pale = 0.62f;
    const float drawn[3] = {ink.r, ink.g, ink.b};
    float out[3];
    for (int i = 0; i < 3; i++) { // on white paper
        float color = drawn[i] + (1.0f - ink.a);
        color += pale * (0.93f - color);
        out[i] = color + line * (0.12f - color);
    }
    return (wr_color){out[0], out[1], out[2], 1.0f};
}

// --- all things -------------------------------------------------------------------------------

static bool is_in_front(const fragment *a, const fragment *b)
{
    return a->step != b->step             ? a->step < b->step
           : a->hit->item != b->hit->item ? a->hit->item > b->hit->item
                                          : a->hit->triangle > b->hit->triangle;
}

static int sort_fragments(const wri_flat *f, const wri_ray_context *context, fragment *out)
{
    for (int i = 0; i < context->count; i++) {
        const wri_layer *hit = &context->layers[i];
        fragment now = {hit, wr_dot(place_of(&f->scene->items[hit->item], hit), f->eye.forward), 0};
        float steps = now.depth / f->step;
        now.step = (int)wr_clampf(rintf(steps), -1e9f, 1e9f);
        int at = i;
        for (; at > 0 && is_in_front(&now, &out[at - 1]); at--) {
            out[at] = out[at - 1];
        }
        out[at] = now;
    }
    return context->count;
}

static void trace(const wri_flat *f, wr_vec3 from, wr_vec3 direction, wri_ray_context *context)
{
    struct RTCRayHit ray = {
        .ray = {.org_x = from.x,
                .org_y = from.y,
                .org_z = from.z,
                .dir_x = direction.x,
                .dir_y = direction.y,
                .dir_z = direction.z,
                .tfar = INFINITY,
                .mask = ~0u},
        .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
    wri_ray_context_begin(context, f->scene, WRI_PASS_EVERYTHING);
    rtcIntersect1(f->scene->top, &context->embree, &ray);
}

// Metres below the ground in the picture, and its share in the plane of the picture; a plane that
// faces the camera is a wall instead.
static bool is_below(const wri_flat *f, const wri_plane *plane, wr_vec3 from, wr_vec3 direction,
                     float *below)
{
    float along = wr_dot(plane->normal, f->eye.forward);
    float across = sqrtf(fmaxf(0.0f, 1.0f - along * along));
    if (across < 0.5f) {
        *below = INFINITY;
        float speed = wr_dot(plane->normal, direction);
        return (plane->height - wr_dot(plane->normal, from)) / speed > 0.0f;
    }
    float t = (f->focus - wr_dot(from, f->eye.forward)) / wr_dot(direction, f->eye.forward);
    wr_vec3 at = wr_add_scaled(from, t, direction);
    *below = (plane->height - wr_dot(plane->normal, at)) / across;
    return *below > 0.0f;
}

wr_vec3 wri_flat_background(const wri_flat *f, float y)
{
    return wr_lerp3(f->top, f->low, wr_clampf(y / (float)f->eye.height, 0.0f, 1.0f));
}

// The ground that is behind all things; false: there is none.
static bool find_ground(const wri_flat *f, wr_vec3 from, wr_vec3 direction, wr_vec3 *color)
{
    float metres = pixel_size(f);
    bool found = false;
    for (int i = 0; i < f->scene->plane_count; i++) {
        const wri_plane *plane = &f->scene->planes[i];
        float below;
        if (is_below(f, plane, from, direction, &below)) {
            wr_vec3 own = encode3(f->srgb, plane->surface.color);
            float line = f->line > 0.0f ? cover(below / metres, f->line) : 0.0f;
            *color = wr_lerp3(own, wr_scale(LINE_SHADE, own), line);
            found = true;
        }
    }
    return found;
}

wr_color wri_flat_shade(const wri_flat *f, float x, float y)
{
    wr_vec3 from, direction, sum = {0.0f, 0.0f, 0.0f}, ground;
    wri_ray_context context;
    fragment fragments[WRI_LAYERS];
    wri_eye_ray(&f->eye, x, y, &from, &direction);
    trace(f, from, direction, &context);
    int count = sort_fragments(f, &context, fragments);
    float clear = 1.0f;
    for (int i = 0; i < count && clear > 1e-3f; i++) {
        const wri_layer *hit = fragments[i].hit;
        wr_color ink = find_ink(f, &f->scene->items[hit->item], hit);
        ink = f->wire ? find_wire(f, hit, ink, x, y) : ink;
        float line = outline_at(f, &fragments[i], x, y);
        float shade = clear * (1.0f + line * (LINE_SHADE - 1.0f));
        sum = wr_add_scaled(sum, shade, wr_v3(ink.r, ink.g, ink.b));
        clear *= 1.0f - ink.a;
    }
    if (clear > 1e-3f && find_ground(f, from, direction, &ground)) {
        sum = wr_add_scaled(sum, clear, ground);
        clear = 0.0f;
    }
    return (wr_color){sum.x, sum.y, sum.z, 1.0f - clear};
}
