// shade.c: sun, sky, ground and surfaces.
//
// A ray from the eye finds a surface; one ray to the sun's disc gives the soft shadow, and one ray
// into the hemisphere (or, on metal, along the microfacet reflection) gives ambient light: the sky
// where it leaves the scene, and where it hits something that surface's mean colour under the sun,
// with a shadow ray of its own, and under a guess of the sky it sees. So light bounces once.
//
// Surfaces are Lambert plus GGX with the Smith term of B. Walter et al. Microfacet models for
// refraction through rough surfaces. EGSR 2007; visible normals as in E. Heitz. Sampling the GGX
// distribution of visible normals. JCGT 7(4), 2018. Rays leave smooth-shaded facets from the lifted
// point of J. Hanika. Hacking the shadow terminator. Ray Tracing Gems II, 2021.
//
// Units: radiance is scaled so that a white surface facing the sun alone sends back `sun`, and one
// under a uniform sky of radiance S sends back S.
#include "shade.h"

#include "develop.h"
#include "layers.h"

typedef struct point {
    wr_vec3 position; // scene coordinates
    wr_vec3 start;    // where rays leave, on the outer side
    wr_vec3 flat;     // unit normal of the triangle, towards the viewer
    wr_vec3 normal;   // unit shading normal
    wr_vec3 color;
    float roughness, metallic;
    float alpha;
    bool unlit;
    float distance;
    float edge; // [0, 1], strength of the line drawn here; wire view
} point;

static wr_vec3 times(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// fminf and fmaxf care for NaN and cost a call each.
static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static float square(float x)
{
    return x * x;
}

static float smooth_step(float x)
{
    x = wr_clampf(x, 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// Two unit vectors that complete the unit vector n (T. Duff et al. Building an orthonormal basis,
// revisited. JCGT 6(1), 2017).
static void find_basis(wr_vec3 n, wr_vec3 *t, wr_vec3 *b)
{
    float sign = n.z < 0.0f ? -1.0f : 1.0f;
    float a = -1.0f / (sign + n.z), c = n.x * n.y * a;
    *t = wr_v3(1.0f + sign * n.x * n.x * a, sign * c, -sign * n.x);
    *b = wr_v3(c, sign + n.y * n.y * a, -n.y);
}

static wr_vec3 from_basis(wr_vec3 t, wr_vec3 b, wr_vec3 n, wr_vec3 v)
{
    return wr_add_scaled(wr_add_scaled(wr_scale(v.x, t), v.y, b), v.z, n);
}

static const float *circle_at(const wri_shading *s, float turn)
{
    return s->noise->circle[(int)(turn * WRI_CIRCLE_SIZE) & (WRI_CIRCLE_SIZE - 1)];
}

// --- sky --------------------------------------------------------------------------------------

wr_vec3 wri_sky(const wri_shading *s, wr_vec3 direction)
{
    float low = 1.0f - wr_clampf(direction.y, 0.0f, 1.0f);
    return wr_lerp3(s->zenith, s->horizon, low * low * low);
}

// Light that a surface receives from a direction in which there is nothing.
static wr_vec3 surroundings(const wri_shading *s, wr_vec3 direction)
{
    wr_vec3 sky = wri_sky(s, direction);
    return direction.y >= 0.0f ? sky : wr_lerp3(sky, s->bounce, smooth_step(-6.0f * direction.y));
}

static float haze(const wri_shading *s, float distance)
{
    float x = distance / s->haze_distance - 1.0f;
    return x > 0.0f ? 1.0f - expf(-0.1f * x) : 0.0f;
}

wri_shading wri_shading_create(const wri_scene *scene, const wri_noise *noise, const wri_srgb *srgb,
                               const wr_light *light)
{
    wri_shading s = {.scene = scene, .noise = noise, .srgb = srgb};
    float e = light->exposure;
    s.sun = wr_v3(e * light->sun_color.r, e * light->sun_color.g, e * light->sun_color.b);
    s.zenith = wr_v3(e * light->sky_zenith.r, e * light->sky_zenith.g, e * light->sky_zenith.b);
    s.horizon = wr_v3(e * light->sky_horizon.r, e * light->sky_horizon.g, e * light->sky_horizon.b);
    s.sun_direction = wr_normalize(light->sun_direction);
    find_basis(s.sun_direction, &s.sun_tangent, &s.sun_bitangent);
    s.sun_size = tanf(light->sun_radius);
    s.sky_mean = wr_lerp3(s.zenith, s.horizon, 0.1f); // integral of 2 y (1 - y)^3 over [0, 1]
    wr_vec3 ground = wr_v3(light->ground.r, light->ground.g, light->ground.b);
    if (scene->plane_count) {
        ground = scene->planes[0].tint;
    }
    s.bounce = times(ground, wr_add_scaled(s.sky_mean, larger(0.0f, s.sun_direction.y), s.sun));
    return s;
}

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

// The nearest hit that stops the ray. Returns the plane that was hit, or -1.
static int find_hit(const wri_shading *s, wr_vec3 from, wr_vec3 direction, wri_ray_context *context,
                    struct RTCRayHit *ray)
{
    ray->hit.geomID = ray->hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    if (!aim(&ray->ray, from, direction)) {
        return -1;
    }
    rtcIntersect1(s->scene->top, &context->embree, ray);
    int plane = -1;
    for (int i = 0; i < s->scene->plane_count; i++) {
        float t = meet_plane(&s->scene->planes[i], from, direction);
        if (t < ray->ray.tfar) {
            ray->ray.tfar = t;
            plane = i;
        }
    }
    return plane;
}

static bool sees_sun(const wri_shading *s, wr_vec3 from, wr_vec3 direction)
{
    for (int i = 0; i < s->scene->plane_count; i++) {
        if (meet_plane(&s->scene->planes[i], from, direction) < INFINITY) {
            return false;
        }
    }
    struct RTCRay ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, WRI_PASS_FAINT);
    if (!aim(&ray, from, direction)) {
        return false;
    }
    rtcOccluded1(s->scene->top, &context.embree, &ray);
    return ray.tfar >= 0.0f;
}

// Rounding of a point grows with its coordinates, which are distances from the eye.
static float slack_at(wr_vec3 position)
{
    return 1e-5f * wr_length(position);
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

static point on_plane(const wri_plane *plane, wr_vec3 from, wr_vec3 direction, float distance)
{
    wr_vec3 p = wr_add_scaled(from, distance, direction);
    p = wr_add_scaled(p, plane->height - wr_dot(plane->normal, p), plane->normal);
    wr_vec3 n = plane->normal;
    n = wr_dot(n, direction) > 0.0f ? wr_scale(-1.0f, n) : n;
    point at = {.position = p, .flat = n, .normal = n, .roughness = 1.0f, .alpha = 1.0f};
    at.distance = distance;
    at.start = wr_add_scaled(p, slack_at(p), n);
    at.color = plane->tint;
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
static wr_vec3 smooth_normal(const wri_item *item, const int *corners, wr_vec3 weights,
                             wr_vec3 flat, wr_vec3 direction)
{
    wr_vec3 n =
        wr_normalize(wr_mat3_apply(item->rotation, blend3(item->normals, corners, weights)));
    if (!(wr_dot(n, n) > 0.5f)) {
        return flat;
    }
    n = wr_dot(n, flat) < 0.0f ? wr_scale(-1.0f, n) : n;
    float away = wr_dot(n, direction);
    if (away > -0.01f) {
        n = wr_normalize(wr_add_scaled(n, -(away + 0.01f), direction));
    }
    return n;
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
        wri_lookup at = wri_lookup_at(item->shape, surface, triangle, weights, area2, footprint);
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
                           wr_vec3 weights, float area2, float footprint, point *at)
{
    const wri_shape *shape = item->shape;
    const int *corners = shape->mesh->triangles + 3 * triangle;
    const wri_surface *surface = wri_surface_at(shape, triangle);
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
    at->unlit = surface->unlit;
    if (surface->texture || surface->alpha != WR_ALPHA_OPAQUE) {
        at->color = times(at->color, texture_color(s, item, surface, triangle, weights, area2,
                                                   footprint, &at->alpha));
    }
    if (shape->mesh->colors) {
        at->color = times(at->color, blend_colors(shape->mesh->colors, corners, weights));
    }
}

// Pale and dull, with a hint of its colour: dark lines show on everything.
static void make_pale(point *at)
{
    at->color = wr_lerp3(at->color, wr_v3(0.6f, 0.6f, 0.6f), 0.8f);
    at->metallic = 0.0f;
    at->roughness = 0.8f;
    at->unlit = false;
}

static point on_triangle(const wri_shading *s, const wri_layer *hit, wr_vec3 direction)
{
    const wri_item *item = &s->scene->items[hit->item];
    const int *corners = item->shape->mesh->triangles + 3 * hit->triangle;
    wr_vec3 weights = wr_v3(1.0f - hit->u - hit->v, hit->u, hit->v);
    const wr_vec3 *v = item->positions;
    wr_vec3 local = blend3(v, corners, weights);
    wr_vec3 cross =
        wr_cross(wr_sub(v[corners[1]], v[corners[0]]), wr_sub(v[corners[2]], v[corners[0]]));
    float area2 = wr_length(cross);
    point at = {.distance = hit->distance};
    at.position = wr_add(item->offset, wr_mat3_apply(item->rotation, local));
    at.flat = wr_normalize(wr_mat3_apply(item->rotation, cross));
    bool behind = wr_dot(at.flat, direction) > 0.0f;
    at.flat = behind ? wr_scale(-1.0f, at.flat) : at.flat;
    at.normal = at.flat;
    at.start = at.position;
    if (item->normals) {
        at.normal = smooth_normal(item, corners, weights, at.flat, direction);
        wr_vec3 lifted = lift(item, corners, weights, local);
        if (!behind && wr_is_finite3(lifted)) {
            at.start = wr_add(item->offset, wr_mat3_apply(item->rotation, lifted));
        }
    }
    at.start = wr_add_scaled(at.start, slack_at(at.position) + item->slack, at.flat);
    float slope = larger(0.1f, -wr_dot(at.flat, direction));
    float footprint = (at.distance * s->texel_angle + s->texel_size) / sqrtf(slope);
    color_triangle(s, item, hit->triangle, weights, area2, footprint, &at);
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

static point on_sphere(const wri_shading *s, const wri_layer *hit, wr_vec3 from, wr_vec3 direction)
{
    const wri_item *item = &s->scene->items[hit->item];
    const wr_particles *spheres = item->shape->spheres;
    const wri_surface *surface = wri_surface_at(item->shape, hit->triangle);
    float r = spheres->radii ? spheres->radii[hit->triangle] : spheres->radius;
    wr_vec3 local = spheres->positions[hit->triangle];
    wr_vec3 center = wr_add(item->offset, wr_mat3_apply(item->rotation, local));
    wr_vec3 n = wr_normalize(wr_sub(wr_add_scaled(from, hit->distance, direction), center));
    point at = {.distance = hit->distance, .flat = n, .normal = n, .alpha = 1.0f};
    at.position = wr_add_scaled(center, r, n);
    at.start = wr_add_scaled(at.position, slack_at(at.position) + item->slack, n);
    at.color = times(surface->color, item->tint);
    at.roughness = surface->roughness;
    at.metallic = surface->metallic;
    if (s->wire) {
        make_pale(&at);
    }
    return at;
}

static point on_thing(const wri_shading *s, const wri_layer *hit, wr_vec3 from, wr_vec3 direction)
{
    return s->scene->items[hit->item].shape->spheres ? on_sphere(s, hit, from, direction)
                                                     : on_triangle(s, hit, direction);
}

// --- light ------------------------------------------------------------------------------------

static float schlick(float f0, float cosine)
{
    float m = 1.0f - wr_clampf(cosine, 0.0f, 1.0f), m2 = m * m;
    return f0 + (1.0f - f0) * m2 * m2 * m;
}

// Sky light on a surface that a bounced ray found at this distance: little when it is near, because
// then it lies in a crevice.
static wr_vec3 guess_ambient(const wri_shading *s, wr_vec3 normal, float distance)
{
    float open = wr_clampf(0.15f + 0.5f * distance / s->scene->thing_size, 0.15f, 0.65f);
    return wr_scale(open, wr_lerp3(s->bounce, s->sky_mean, 0.5f + 0.5f * normal.y));
}

// Light along a second ray: mean colours, one shadow ray to the middle of the sun.
static wr_vec3 look_around(const wri_shading *s, wr_vec3 from, wr_vec3 direction, bool *open)
{
    struct RTCRayHit ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, WRI_PASS_FAINT);
    int plane = find_hit(s, from, direction, &context, &ray);
    *open = plane < 0 && ray.hit.geomID == RTC_INVALID_GEOMETRY_ID;
    if (*open) {
        return surroundings(s, direction);
    }
    wr_vec3 p = wr_add_scaled(from, ray.ray.tfar, direction), n, color;
    float slack = slack_at(p);
    if (plane >= 0) {
        n = s->scene->planes[plane].normal;
        color = s->scene->planes[plane].tint;
    } else {
        const wri_item *item = &s->scene->items[ray.hit.instID[0]];
        const wri_shape *shape = item->shape;
        n = wr_mat3_apply(item->rotation, wr_v3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z));
        n = wr_normalize(n);
        color = item->colors ? item->mean : wri_surface_at(shape, (int)ray.hit.primID)->mean;
        color = times(item->tint, color);
        slack += item->slack;
    }
    n = wr_dot(n, direction) > 0.0f ? wr_scale(-1.0f, n) : n;
    wr_vec3 light = guess_ambient(s, n, ray.ray.tfar);
    float cosine = wr_dot(n, s->sun_direction);
    if (cosine > 0.0f && sees_sun(s, wr_add_scaled(p, slack, n), s->sun_direction)) {
        light = wr_add_scaled(light, cosine, s->sun);
    }
    return times(color, light);
}

// Cosine-weighted around the shading normal, folded up where it would enter the triangle.
static wr_vec3 diffuse_direction(const wri_shading *s, const point *at, float u, float v)
{
    wr_vec3 t, b;
    find_basis(at->normal, &t, &b);
    const float *circle = circle_at(s, v);
    float r = sqrtf(u);
    wr_vec3 d = from_basis(t, b, at->normal,
                           wr_v3(r * circle[0], r * circle[1], sqrtf(larger(0.0f, 1.0f - u))));
    float below = wr_dot(d, at->flat);
    return below < 0.0f ? wr_add_scaled(d, -2.0f * below, at->flat) : d;
}

// The mirror direction at a visible microfacet normal; view points away from the surface.
static wr_vec3 glossy_direction(const wri_shading *s, const point *at, wr_vec3 view, float u,
                                float v)
{
    float a = larger(1e-3f, square(at->roughness));
    wr_vec3 t, b, t1, t2;
    find_basis(at->normal, &t, &b);
    wr_vec3 local = wr_v3(wr_dot(view, t), wr_dot(view, b), wr_dot(view, at->normal));
    wr_vec3 vh = wr_normalize(wr_v3(a * local.x, a * local.y, larger(local.z, 1e-4f)));
    find_basis(vh, &t1, &t2);
    // Heitz splits the disc along t2, which must be the tangent nearest to the surface normal.
    if (square(vh.x) + square(vh.y) > 1e-12f) {
        t1 = wr_normalize(wr_v3(-vh.y, vh.x, 0.0f));
        t2 = wr_cross(vh, t1);
    }
    const float *circle = circle_at(s, v);
    float r = sqrtf(u), p1 = r * circle[0], p2 = r * circle[1], h = 0.5f * (1.0f + vh.z);
    p2 = (1.0f - h) * sqrtf(larger(0.0f, 1.0f - p1 * p1)) + h * p2;
    float p3 = sqrtf(larger(0.0f, 1.0f - p1 * p1 - p2 * p2));
    wr_vec3 nh = from_basis(t1, t2, vh, wr_v3(p1, p2, p3));
    wr_vec3 m = wr_normalize(wr_v3(a * nh.x, a * nh.y, larger(0.0f, nh.z)));
    wr_vec3 half = from_basis(t, b, at->normal, m);
    wr_vec3 d = wr_add_scaled(wr_scale(-1.0f, view), 2.0f * wr_dot(view, half), half);
    float below = wr_dot(d, at->flat);
    return wr_normalize(below < 0.0f ? wr_add_scaled(d, -2.0f * below, at->flat) : d);
}

// GGX highlight of the sun relative to `sun`, for a reflectance of 1 at normal incidence. The
// sun's size widens the lobe, so that smooth surfaces show a disc and not a spark.
static float highlight(const wri_shading *s, const point *at, wr_vec3 view, wr_vec3 light,
                       float cosine)
{
    wr_vec3 half = wr_normalize(wr_add(view, light));
    float a = smaller(1.0f, larger(0.03f, square(at->roughness)) + 0.5f * s->sun_size);
    float nh = wr_clampf(wr_dot(at->normal, half), 0.0f, 1.0f);
    float nv = larger(1e-3f, wr_dot(at->normal, view));
    float a2 = a * a, d = a2 / square(nh * nh * (a2 - 1.0f) + 1.0f);
    float smith =
        nv * sqrtf(a2 + (1.0f - a2) * cosine * cosine) + cosine * sqrtf(a2 + (1.0f - a2) * nv * nv);
    return smaller(4.0f, d * 0.5f * cosine / smith);
}

static void add_sun(const wri_shading *s, const point *at, wr_vec3 view, wr_vec3 diffuse,
                    wr_vec3 f0, wri_sample *out)
{
    float cosine = wr_dot(at->normal, s->sun_direction);
    if (cosine <= 0.0f) {
        return;
    }
    wr_vec3 reflected = wr_scale(cosine, diffuse);
    if (at->roughness < 1.0f || at->metallic > 0.0f) {
        float peak = highlight(s, at, view, s->sun_direction, cosine);
        reflected = wr_add_scaled(reflected, peak, f0);
    }
    out->sun = times(s->sun, reflected);
    out->faces_sun = true;
}

bool wri_sees_sun(const wri_shading *s, wr_vec3 start, float u, float v)
{
    const float *circle = circle_at(s, v);
    float r = s->sun_size * sqrtf(u);
    wr_vec3 to_sun = wr_add_scaled(s->sun_direction, r * circle[0], s->sun_tangent);
    return sees_sun(s, start, wr_add_scaled(to_sun, r * circle[1], s->sun_bitangent));
}

static void add_ambient(const wri_shading *s, const point *at, wr_vec3 view, const float *numbers,
                        wr_vec3 diffuse, wr_vec3 f0, wri_sample *out)
{
    bool open, glossy = numbers[2] < at->metallic;
    float facing = wr_dot(at->normal, view);
    if (glossy) {
        wr_vec3 d = glossy_direction(s, at, view, numbers[0], numbers[1]);
        float edge = schlick(0.0f, facing) * square(1.0f - at->roughness);
        wr_vec3 weight = wr_lerp3(f0, wr_v3(1.0f, 1.0f, 1.0f), edge);
        wr_vec3 seen = look_around(s, at->start, d, &open);
        if (at->roughness < 0.2f) { // a clear reflection is not to be filtered
            out->color = wr_add(out->color, times(weight, seen));
        } else {
            out->ambient = seen;
            out->weight = weight;
        }
        return;
    }
    wr_vec3 d = diffuse_direction(s, at, numbers[0], numbers[1]);
    out->ambient = look_around(s, at->start, d, &open);
    // Given that this branch is taken in (1 - metallic) of the samples, its share is already right.
    out->weight = at->metallic > 0.0f ? at->color : diffuse;
    if (open && at->roughness < 1.0f) {
        wr_vec3 mirror = wr_add_scaled(wr_scale(-1.0f, view), 2.0f * facing, at->normal);
        float share = schlick(0.04f, facing) * square(1.0f - at->roughness);
        out->color = wr_add_scaled(out->color, share, surroundings(s, mirror));
    }
}

static void draw_edges(const point *at, wri_sample *out)
{
    float line = at->edge;
    out->color = wr_lerp3(out->color, wr_v3(0.015f, 0.018f, 0.022f), line);
    out->weight = wr_scale(1.0f - line, out->weight);
    out->sun = wr_scale(1.0f - line, out->sun);
}

// Light that the tone curve of wri_film_develop_row turns into this colour again, but for the
// brightest.
static wr_vec3 show_as_is(wr_vec3 color)
{
    return wr_v3(wri_tone_source(color.x), wri_tone_source(color.y), wri_tone_source(color.z));
}

static void shade_point(const wri_shading *s, const point *at, wr_vec3 direction,
                        const float *numbers, wri_sample *out)
{
    float fog = haze(s, at->distance);
    if (at->unlit) {
        *out = (wri_sample){.color = wr_lerp3(show_as_is(at->color), s->horizon, fog)};
        return;
    }
    *out = (wri_sample){.position = at->position, .normal = at->normal, .hit = true};
    out->start = at->start;
    wr_vec3 view = wr_scale(-1.0f, direction);
    wr_vec3 diffuse = wr_scale(1.0f - at->metallic, at->color);
    wr_vec3 f0 = wr_lerp3(wr_v3(0.04f, 0.04f, 0.04f), at->color, at->metallic);
    add_sun(s, at, view, diffuse, f0, out);
    add_ambient(s, at, view, numbers, diffuse, f0, out);
    if (s->wire) {
        draw_edges(at, out);
    }
    out->color = wr_lerp3(out->color, s->horizon, fog);
    out->weight = wr_scale(1.0f - fog, out->weight);
    out->sun = wr_scale(1.0f - fog, out->sun);
}

// The layers in front of `end`, nearest first: adds up what they show and returns how much of what
// is behind them is seen. Stops at one that hides everything, which is *last then.
static float look_through(const wri_shading *s, const wri_ray_context *context, float end,
                          wr_vec3 from, wr_vec3 direction, const float *numbers, wr_vec3 *sum,
                          point *last, bool *found)
{
    float clear = 1.0f;
    *sum = wr_v3(0.0f, 0.0f, 0.0f);
    *found = false;
    for (int i = 0; i < context->count && context->layers[i].distance < end; i++) {
        point at = on_thing(s, &context->layers[i], from, direction);
        if (at.alpha > 0.998f) {
            *last = at;
            *found = true;
            break;
        }
        if (at.alpha > 0.002f) {
            wri_sample layer;
            shade_point(s, &at, direction, numbers, &layer);
            bool lit = layer.faces_sun && wri_sees_sun(s, layer.start, numbers[1], numbers[2]);
            wr_vec3 light = wr_add(layer.color, times(layer.weight, layer.ambient));
            light = lit ? wr_add(light, layer.sun) : light;
            *sum = wr_add_scaled(*sum, clear * at.alpha, light);
            clear *= 1.0f - at.alpha;
        }
    }
    return clear;
}

static wri_layer layer_of(const struct RTCRayHit *ray)
{
    return (wri_layer){ray->ray.tfar, (int)ray->hit.instID[0], (int)ray->hit.primID, ray->hit.u,
                       ray->hit.v};
}

void wri_shade(const wri_shading *s, wr_vec3 from, wr_vec3 direction,
               const float numbers[WRI_SAMPLE_NUMBERS], wri_sample *out)
{
    struct RTCRayHit ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, s->wire ? WRI_PASS_NOTHING : WRI_PASS_CLEAR);
    int plane = find_hit(s, from, direction, &context, &ray);
    bool open = plane < 0 && ray.hit.geomID == RTC_INVALID_GEOMETRY_ID, found;
    float distance = ray.ray.tfar;
    wr_vec3 front;
    point at;
    float clear =
        look_through(s, &context, distance, from, direction, numbers, &front, &at, &found);
    if (found) {
        shade_point(s, &at, direction, numbers, out);
    } else if (open) {
        *out = (wri_sample){.color = wri_sky(s, direction)};
    } else if (haze(s, distance) > 0.999f) {
        *out = (wri_sample){.color = s->horizon};
    } else if (plane >= 0) {
        at = on_plane(&s->scene->planes[plane], from, direction, distance);
        float lines = ground_lines(s, &s->scene->planes[plane], at.position, distance,
                                   -wr_dot(at.flat, direction));
        at.color = wr_scale(lines, at.color);
        shade_point(s, &at, direction, numbers, out);
    } else {
        wri_layer hit = layer_of(&ray);
        at = on_thing(s, &hit, from, direction);
        shade_point(s, &at, direction, numbers, out);
    }
    if (clear < 1.0f) {
        out->color = wr_add_scaled(front, clear, out->color);
        out->weight = wr_scale(clear, out->weight);
        out->sun = wr_scale(clear, out->sun);
    }
}
