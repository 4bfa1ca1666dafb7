// point.c: what rays meet, and the surfaces of things there.
//
// Rays leave smooth-shaded facets from the lifted point of J. Hanika. Hacking the shadow
// terminator. Ray Tracing Gems II, 2021.
#include "point.h"

// --- rays -------------------------------------------------------------------------------------

// False for rays that Embree must not see: it may stop the program over one that is not finite.
// They come from vertex normals or coordinates without meaning, and meet nothing.
static bool aim(struct RTCRay *ray, wr_vec3 from, wr_vec3 direction)
{
    ray->org_x = from.x;
    ray->org_y = from.y;
    ray->org_z = from.z;
    ray->tnear = 0.0f;
    ray->dir_x = direction.x;
    ray->dir_y = direction.y;
    ray->dir_z = direction.z;
    ray->time = 0.0f;
    ray->tfar = INFINITY;
    ray->mask = ~0u;
    ray->id = 0;
    ray->flags = 0;
    float size = fabsf(from.x) + fabsf(from.y) + fabsf(from.z) + fabsf(direction.x) +
                 fabsf(direction.y) + fabsf(direction.z);
    return size < 1e18f;
}

// Distance to the plane, INFINITY when the ray does not meet it.
static float meet_plane(const wri_plane *plane, wr_vec3 from, wr_vec3 direction)
{
    float speed = wr_dot(plane->normal, direction);
    float t = (plane->height - wr_dot(plane->normal, from)) / speed;
    return t > 0.0f ? t : INFINITY; // also when 0 / 0
}

// The nearest plane before *end, which it moves there; -1: none.
static int find_plane(const wri_shading *s, wr_vec3 from, wr_vec3 direction, float *end)
{
    int plane = -1;
    for (int i = 0; i < s->scene->plane_count; i++) {
        float t = meet_plane(&s->scene->planes[i], from, direction);
        if (t < *end) {
            *end = t;
            plane = i;
        }
    }
    return plane;
}

int wri_find_hit(const wri_shading *s, wr_vec3 from, wr_vec3 direction, wri_ray_context *context,
                 struct RTCRayHit *ray)
{
    ray->hit.geomID = ray->hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    if (!aim(&ray->ray, from, direction)) {
        return -1;
    }
    rtcIntersect1(s->scene->top, &context->embree, ray);
    return find_plane(s, from, direction, &ray->ray.tfar);
}

wri_hit wri_hit_of(const struct RTCRayHit *ray, int plane)
{
    bool open = plane < 0 && ray->hit.geomID == RTC_INVALID_GEOMETRY_ID;
    return (wri_hit){.on = wri_layer_of(ray), .plane = plane, .open = open};
}

static bool meets_plane(const wri_shading *s, wr_vec3 from, wr_vec3 direction)
{
    for (int i = 0; i < s->scene->plane_count; i++) {
        if (meet_plane(&s->scene->planes[i], from, direction) < INFINITY) {
            return true;
        }
    }
    return false;
}

bool wri_ray_meets_sun(const wri_shading *s, wr_vec3 from, wr_vec3 direction)
{
    if (meets_plane(s, from, direction)) {
        return false;
    }
    struct RTCRay ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, s->scene, WRI_PASS_FAINT);
    if (!aim(&ray, from, direction)) {
        return false;
    }
    rtcOccluded1(s->scene->top, &context.embree, &ray);
    return ray.tfar >= 0.0f;
}

// --- packets of rays --------------------------------------------------------------------------

static bool aim_one(struct RTCRay8 *to, int i, wr_vec3 from, wr_vec3 direction)
{
    struct RTCRay ray;
    bool ok = aim(&ray, from, direction);
    to->org_x[i] = ray.org_x;
    to->org_y[i] = ray.org_y;
    to->org_z[i] = ray.org_z;
    to->tnear[i] = ray.tnear;
    to->dir_x[i] = ray.dir_x;
    to->dir_y[i] = ray.dir_y;
    to->dir_z[i] = ray.dir_z;
    to->time[i] = ray.time;
    to->tfar[i] = ray.tfar;
    to->mask[i] = ray.mask;
    to->id[i] = ray.id;
    to->flags[i] = ray.flags;
    return ok;
}

static void begin_packet(wri_ray_context *context, const wri_shading *s)
{
    wri_ray_context_begin(context, s->scene, WRI_PASS_NOTHING);
    context->embree.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
}

void wri_find_hits(const wri_shading *s, const wri_rays *rays, wri_hit *hits)
{
    _Alignas(32) int valid[WRI_RAYS] = {0};
    struct RTCRayHit8 all;
    wri_ray_context context;
    begin_packet(&context, s);
    for (int i = 0; i < rays->count; i++) {
        all.hit.geomID[i] = all.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
        valid[i] = aim_one(&all.ray, i, rays->from[i], rays->direction[i]) ? -1 : 0;
    }
    rtcIntersect8(valid, s->scene->top, &context.embree, &all);
    for (int i = 0; i < rays->count; i++) {
        struct RTCRayHit ray;
        ray.ray.tfar = all.ray.tfar[i];
        ray.hit.geomID = all.hit.geomID[i];
        ray.hit.instID[0] = all.hit.instID[0][i];
        ray.hit.primID = all.hit.primID[i];
        ray.hit.u = all.hit.u[i];
        ray.hit.v = all.hit.v[i];
        int plane = valid[i] ? find_plane(s, rays->from[i], rays->direction[i], &ray.ray.tfar) : -1;
        hits[i] = wri_hit_of(&ray, plane);
    }
}

void wri_see_sun(const wri_shading *s, const wri_rays *rays, bool seen[WRI_RAYS])
{
    _Alignas(32) int valid[WRI_RAYS] = {0};
    struct RTCRay8 all;
    wri_ray_context context;
    if (s->scene->is_filtered) {
        for (int i = 0; i < rays->count; i++) {
            seen[i] = wri_ray_meets_sun(s, rays->from[i], rays->direction[i]);
        }
        return;
    }
    begin_packet(&context, s);
    for (int i = 0; i < rays->count; i++) {
        wr_vec3 from = rays->from[i], direction = rays->direction[i];
        bool hidden = meets_plane(s, from, direction);
        valid[i] = aim_one(&all, i, from, direction) && !hidden ? -1 : 0;
    }
    rtcOccluded8(valid, s->scene->top, &context.embree, &all);
    for (int i = 0; i < rays->count; i++) {
        seen[i] = valid[i] && all.tfar[i] >= 0.0f;
    }
}

// --- surfaces ---------------------------------------------------------------------------------

// Lines every power of ten metres, each power fading in and out with its size in the picture, so
// that there is a sense of scale at any scale. 1 is no line.
static float ground_lines(const wri_shading *s, const wri_plane *plane, wr_vec3 position,
                          float distance, float slope)
{
    wr_vec3 local = wr_pose_local(plane->pose, position);
    float pixel = distance * s->pixel_angle + s->pixel_size;
    float size = log10f(larger(pixel, 1e-30f)), power = floorf(size) + 2.0f;
    float spacing = powf(10.0f, power), shade = 0.0f;
    for (int k = 0; k < 2; k++, spacing *= 10.0f) {
        float share = power + (float)k - size; // spacing is 10^share pixels, 10 to 1000
        float strength = smooth_step(share - 1.0f) * (1.0f - smooth_step(share - 1.9f));
        float width = larger(0.006f * spacing, 0.7f * pixel / larger(slope, 0.05f));
        float thin = smaller(1.0f, 0.012f * spacing / width);
        float u = fabsf(local.x / spacing - rintf(local.x / spacing)) * spacing;
        float v = fabsf(local.z / spacing - rintf(local.z / spacing)) * spacing;
        float line = 1.0f - smooth_step((smaller(u, v) - 0.5f * width) / width);
        shade = larger(shade, strength * thin * line);
    }
    return 1.0f - 0.12f * shade;
}

wri_point wri_point_on_plane(const wri_shading *s, const wri_plane *plane, wr_vec3 from,
                             wr_vec3 direction, float distance)
{
    wr_vec3 p = wr_add_scaled(from, distance, direction);
    p = wr_add_scaled(p, plane->height - wr_dot(plane->normal, p), plane->normal);
    wr_vec3 n = plane->normal;
    n = wr_dot(n, direction) > 0.0f ? wr_scale(-1.0f, n) : n;
    const wri_surface *surface = &plane->surface;
    wri_point at = {.position = p, .flat = n, .normal = n, .alpha = 1.0f, .distance = distance};
    at.slack = wri_slack_at(p);
    at.start = wr_add_scaled(p, at.slack, n);
    at.roughness = surface->roughness;
    at.metallic = surface->metallic;
    float lines = ground_lines(s, plane, p, distance, -wr_dot(n, direction));
    at.color = wr_scale(lines, surface->color);
    return at;
}

static wr_vec3 blend3(const wr_vec3 *v, const int *at, wr_vec3 weights)
{
    wr_vec3 sum = wr_scale(weights.x, v[at[0]]);
    sum = wr_add_scaled(sum, weights.y, v[at[1]]);
    return wr_add_scaled(sum, weights.z, v[at[2]]);
}

// The point on the smooth surface that the vertex normals suggest, in the thing's frame.
static wr_vec3 lift(const wri_item *item, const int *corners, wr_vec3 weights, wr_vec3 p)
{
    const float w[3] = {weights.x, weights.y, weights.z};
    wr_vec3 lifted = p;
    for (int i = 0; i < 3; i++) {
        wr_vec3 n = item->normals[corners[i]];
        float below = wr_dot(wr_sub(p, item->positions[corners[i]]), n);
        lifted = wr_add_scaled(lifted, -w[i] * smaller(0.0f, below), n);
    }
    return lifted;
}

// Strength with which the nearest edge of the triangle is drawn. An edge and the eye span a plane;
// its angle to the ray is the distance, also for corners behind the eye. Lines fade where the
// triangle is only a few pixels high.
static float edge_strength(const wri_shading *s, const wr_vec3 corners[3], wr_vec3 at,
                           wr_vec3 direction)
{
    float nearest = INFINITY, height = INFINITY;
    for (int i = 0; i < 3 && s->pixel_size > 0.0f; i++) { // the eye is everywhere in a plane
        wr_vec3 m = wr_cross(wr_sub(corners[(i + 1) % 3], corners[i]), direction);
        float pixel = wr_length(m) * s->pixel_size;
        if (pixel > 0.0f) {
            nearest = smaller(nearest, fabsf(wr_dot(m, wr_sub(at, corners[i]))) / pixel);
            wr_vec3 far = wr_sub(corners[(i + 2) % 3], corners[i]);
            height = smaller(height, fabsf(wr_dot(m, far)) / pixel);
        }
    }
    for (int i = 0; i < 3 && !(s->pixel_size > 0.0f); i++) {
        wr_vec3 m = wr_cross(corners[i], corners[(i + 1) % 3]), far = corners[(i + 2) % 3];
        float pixel = wr_length(m) * s->pixel_angle;
        if (pixel > 0.0f) {
            nearest = smaller(nearest, fabsf(wr_dot(m, direction)) / pixel);
            height = smaller(height, fabsf(wr_dot(m, wr_normalize(far))) / pixel);
        }
    }
    return 0.8f * (1.0f - smooth_step(nearest - 0.35f)) * wr_clampf(0.1f * height, 0.15f, 1.0f);
}

// A shading normal that the viewer cannot see is bent until it is seen edge on.
static wr_vec3 face_viewer(wr_vec3 n, wr_vec3 direction)
{
    float away = wr_dot(n, direction);
    return away > -0.01f ? wr_normalize(wr_add_scaled(n, -(away + 0.01f), direction)) : n;
}

static wr_vec3 smooth_normal(const wri_item *item, const int *corners, wr_vec3 weights,
                             wr_vec3 flat, wr_vec3 direction)
{
    wr_vec3 n =
        wr_normalize(wr_mat3_apply(item->rotation, blend3(item->normals, corners, weights)));
    if (!(wr_dot(n, n) > 0.5f)) {
        return flat;
    }
    return face_viewer(wr_dot(n, flat) < 0.0f ? wr_scale(-1.0f, n) : n, direction);
}

static wr_vec3 blend_colors(const wr_color *colors, const int *corners, wr_vec3 weights)
{
    wr_color a = colors[corners[0]], b = colors[corners[1]], c = colors[corners[2]];
    return wr_v3(weights.x * a.r + weights.y * b.r + weights.z * c.r,
                 weights.x * a.g + weights.y * b.g + weights.z * c.g,
                 weights.x * a.b + weights.y * b.b + weights.z * c.b);
}

// The texture, and how much of the surface there is.
static wr_vec3 texture_color(const wri_shading *s, const wri_item *item, const wri_surface *surface,
                             int triangle, wr_vec3 weights, float area2, float footprint,
                             float *alpha)
{
    wr_vec3 color = wr_v3(1.0f, 1.0f, 1.0f);
    *alpha = 1.0f;
    if (surface->texture && item->shape->mesh->uvs) {
        wri_lookup at =
            wri_lookup_at(item->shape, surface->texture, triangle, weights, area2, footprint);
        if (surface->alpha == WR_ALPHA_OPAQUE) {
            color = wri_texture_at(surface->texture, s->srgb, at.u, at.v, at.level);
        } else {
            wr_color ink = wri_texture_ink(surface->texture, s->srgb->decode, at.u, at.v, at.level);
            float whole = ink.a > 0.0f ? 1.0f / ink.a : 0.0f;
            color = wr_v3(whole * ink.r, whole * ink.g, whole * ink.b);
            *alpha = ink.a;
        }
    }
    *alpha = item->colors ? wri_paint_alpha(surface, *alpha)
                          : wri_surface_alpha(item->shape, surface, triangle, weights, *alpha);
    return color;
}

static void color_triangle(const wri_shading *s, const wri_item *item, int triangle,
                           wr_vec3 weights, float area2, float footprint, wri_point *at)
{
    const wri_shape *shape = item->shape;
    const int *corners = shape->mesh->triangles + 3 * triangle;
    const wri_surface *surface = wri_surface_at(item, triangle);
    at->alpha = 1.0f;
    if (item->colors) { // paint, cut out as the drawing is
        if (surface->alpha != WR_ALPHA_OPAQUE) {
            texture_color(s, item, surface, triangle, weights, area2, footprint, &at->alpha);
        }
        at->color = times(item->tint, blend_colors(item->colors, corners, weights));
        at->roughness = 0.75f;
        at->metallic = 0.0f;
        return;
    }
    at->color = times(surface->color, item->tint);
    at->roughness = surface->roughness;
    at->metallic = surface->metallic;
    at->transmission = surface->transmission;
    at->thin = surface->double_sided;
    at->unlit = surface->unlit;
    if (surface->texture || surface->alpha != WR_ALPHA_OPAQUE) {
        at->color = times(at->color, texture_color(s, item, surface, triangle, weights, area2,
                                                   footprint, &at->alpha));
    }
    if (shape->mesh->colors && !item->is_plain) {
        at->color = times(at->color, blend_colors(shape->mesh->colors, corners, weights));
    }
}

// --- maps -------------------------------------------------------------------------------------

// Where maps are looked up.
typedef struct spot {
    const wri_item *item;
    const wri_surface *surface;
    int triangle;
    wr_vec3 weights;
    float area2, footprint;
} spot;

// What a map says, by `table`; `none` where there is no such map.
static wr_color map_at(const spot *o, int map, const float table[256], wr_color none)
{
    const wri_texture *texture = o->surface->maps[map];
    if (!texture || !o->item->shape->mesh->uvs) {
        return none;
    }
    wri_lookup at =
        wri_lookup_at(o->item->shape, texture, o->triangle, o->weights, o->area2, o->footprint);
    if (o->surface->is_laid[map]) {
        const float(*m)[3] = o->surface->layouts[map];
        float u = at.u, v = at.v, area = fabsf(m[0][0] * m[1][1] - m[0][1] * m[1][0]);
        at.u = m[0][0] * u + m[0][1] * v + m[0][2];
        at.v = m[1][0] * u + m[1][1] * v + m[1][2];
        at.level += 0.5f * log2f(area);
    }
    return wri_texture_ink(texture, table, at.u, at.v, at.level);
}

// Directions in which u of the map of normals grows and v falls on the triangle, unit length and at
// right angles to the normal; false where the coordinates do not say. v falls upwards: (0, 0) is
// the top left corner.
static bool find_tangents(const spot *o, wr_vec3 normal, wr_vec3 *right, wr_vec3 *up)
{
    const int *c = o->item->shape->mesh->triangles + 3 * o->triangle;
    const wr_vec2 *uv = o->item->shape->mesh->uvs;
    const wr_vec3 *p = o->item->positions;
    float u1 = uv[c[1]].x - uv[c[0]].x, v1 = uv[c[1]].y - uv[c[0]].y;
    float u2 = uv[c[2]].x - uv[c[0]].x, v2 = uv[c[2]].y - uv[c[0]].y;
    if (o->surface->is_laid[WR_LOOK_MAP_NORMAL]) {
        const float(*m)[3] = o->surface->layouts[WR_LOOK_MAP_NORMAL];
        const float sides[4] = {u1, v1, u2, v2};
        u1 = m[0][0] * sides[0] + m[0][1] * sides[1];
        v1 = m[1][0] * sides[0] + m[1][1] * sides[1];
        u2 = m[0][0] * sides[2] + m[0][1] * sides[3];
        v2 = m[1][0] * sides[2] + m[1][1] * sides[3];
    }
    float turn = u1 * v2 - u2 * v1 < 0.0f ? -1.0f : 1.0f; // 1: the chart is mirrored
    wr_vec3 a = wr_sub(p[c[1]], p[c[0]]), b = wr_sub(p[c[2]], p[c[0]]);
    wr_vec3 t = wr_sub(wr_scale(turn * v2, a), wr_scale(turn * v1, b));
    t = wr_mat3_apply(o->item->rotation, t);
    t = wr_add_scaled(t, -wr_dot(t, normal), normal);
    if (!(wr_dot(t, t) > 1e-30f)) {
        return false;
    }
    *right = wr_normalize(t);
    *up = wr_scale(turn, wr_cross(*right, normal));
    return true;
}

// The normals of a map are those of the outer side: seen from within they point the other way.
static void bend_normal(const wri_shading *s, const spot *o, wr_vec3 direction, wri_point *at)
{
    const wr_color flat = {0.5f, 0.5f, 1.0f, 1.0f};
    wr_color said = map_at(o, WR_LOOK_MAP_NORMAL, s->srgb->plain, flat);
    float side = at->inside ? -1.0f : 1.0f, scale = o->surface->normal_scale;
    wr_vec3 outer = wr_scale(side, at->normal), right, up;
    if (!find_tangents(o, outer, &right, &up)) {
        return;
    }
    wr_vec3 n = from_basis(right, up, outer,
                           wr_v3(scale * (2.0f * said.r - 1.0f), scale * (2.0f * said.g - 1.0f),
                                 2.0f * said.b - 1.0f));
    n = wr_normalize(wr_scale(side, n));
    if (wr_dot(n, n) > 0.5f) {
        at->normal = face_viewer(n, direction);
    }
}

static void apply_maps(const wri_shading *s, const spot *o, wr_vec3 direction, wri_point *at)
{
    const wr_color one = {1.0f, 1.0f, 1.0f, 1.0f};
    const float *plain = s->srgb->plain;
    wr_color rough = map_at(o, WR_LOOK_MAP_SURFACE, plain, one);
    wr_color glow = map_at(o, WR_LOOK_MAP_EMISSION, s->srgb->decode, one);
    at->roughness *= rough.g;
    at->metallic *= rough.b;
    at->transmission *= map_at(o, WR_LOOK_MAP_GLASS, plain, one).r;
    at->occlusion = o->surface->occlusion * (1.0f - map_at(o, WR_LOOK_MAP_OCCLUSION, plain, one).r);
    at->emission = times(o->surface->emission, wr_v3(glow.r, glow.g, glow.b));
    if (o->surface->maps[WR_LOOK_MAP_NORMAL] && o->item->shape->mesh->uvs) {
        bend_normal(s, o, direction, at);
    }
}

// Pale and dull, with a hint of its colour: dark lines show on everything.
static void make_pale(wri_point *at)
{
    at->color = wr_lerp3(at->color, wr_v3(0.6f, 0.6f, 0.6f), 0.8f);
    at->metallic = at->transmission = at->occlusion = 0.0f;
    at->emission = wr_v3(0.0f, 0.0f, 0.0f);
    at->roughness = 0.8f;
    at->unlit = false;
}

static wri_point on_triangle(const wri_shading *s, const wri_layer *hit, wr_vec3 direction)
{
    const wri_item *item = &s->scene->items[hit->item];
    const int *corners = item->shape->mesh->triangles + 3 * hit->triangle;
    wr_vec3 weights = wr_v3(1.0f - hit->u - hit->v, hit->u, hit->v);
    const wr_vec3 *v = item->positions;
    wr_vec3 local = blend3(v, corners, weights);
    wr_vec3 cross =
        wr_cross(wr_sub(v[corners[1]], v[corners[0]]), wr_sub(v[corners[2]], v[corners[0]]));
    float area2 = wr_length(cross);
    wri_point at = {.distance = hit->distance};
    at.position = wr_add(item->offset, wr_mat3_apply(item->rotation, local));
    at.flat = wr_normalize(wr_mat3_apply(item->rotation, cross));
    bool behind = wr_dot(at.flat, direction) > 0.0f;
    at.flat = behind ? wr_scale(-1.0f, at.flat) : at.flat;
    at.inside = behind;
    at.normal = at.flat;
    at.start = at.position;
    if (item->normals) {
        at.normal = smooth_normal(item, corners, weights, at.flat, direction);
        wr_vec3 lifted = lift(item, corners, weights, local);
        if (!behind && wr_is_finite3(lifted)) {
            at.start = wr_add(item->offset, wr_mat3_apply(item->rotation, lifted));
        }
    }
    at.slack = wri_slack_at(at.position) + item->slack;
    at.start = wr_add_scaled(at.start, at.slack, at.flat);
    float slope = larger(0.1f, -wr_dot(at.flat, direction));
    float footprint = (at.distance * s->texel_angle + s->texel_size) / sqrtf(slope);
    color_triangle(s, item, hit->triangle, weights, area2, footprint, &at);
    if (!item->colors && wri_surface_at(item, hit->triangle)->has_maps) {
        const spot o = {
            item, wri_surface_at(item, hit->triangle), hit->triangle, weights, area2, footprint};
        apply_maps(s, &o, direction, &at);
    }
    if (s->wire) {
        wr_vec3 seen[3];
        for (int i = 0; i < 3; i++) {
            seen[i] = wr_add(item->offset, wr_mat3_apply(item->rotation, v[corners[i]]));
        }
        at.edge = edge_strength(s, seen, at.position, direction);
        make_pale(&at);
    }
    return at;
}

static wri_point on_sphere(const wri_shading *s, const wri_layer *hit, wr_vec3 from,
                           wr_vec3 direction)
{
    const wri_item *item = &s->scene->items[hit->item];
    const wr_particles *spheres = item->shape->spheres;
    const wri_surface *surface = wri_surface_at(item, hit->triangle);
    float r = spheres->radii ? spheres->radii[hit->triangle] : spheres->radius;
    wr_vec3 local = spheres->positions[hit->triangle];
    wr_vec3 center = wr_add(item->offset, wr_mat3_apply(item->rotation, local));
    wr_vec3 n = wr_normalize(wr_sub(wr_add_scaled(from, hit->distance, direction), center));
    wri_point at = {
        .distance = hit->distance, .alpha = 1.0f, .inside = wr_dot(n, direction) > 0.0f};
    at.position = wr_add_scaled(center, r, n);
    n = at.inside ? wr_scale(-1.0f, n) : n;
    at.flat = at.normal = n;
    at.slack = wri_slack_at(at.position) + item->slack;
    at.start = wr_add_scaled(at.position, at.slack, n);
    at.color = times(surface->color, item->tint);
    at.roughness = surface->roughness;
    at.metallic = surface->metallic;
    at.transmission = surface->transmission;
    if (s->wire) {
        make_pale(&at);
    }
    return at;
}

wri_point wri_point_on_thing(const wri_shading *s, const wri_layer *hit, wr_vec3 from,
                             wr_vec3 direction)
{
    return s->scene->items[hit->item].shape->spheres ? on_sphere(s, hit, from, direction)
                                                     : on_triangle(s, hit, direction);
}
