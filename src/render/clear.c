// clear.c: what is seen in mirrors and through glass.
//
// Such rays show things as the eye would see them, textures and all, where those of sky light make
// do with mean colours. Glass is a dielectric with Fresnel's reflectances and Snell's law, and
// without dispersion; at each surface behind the first one the ray takes the stronger way, so that
// the work is bounded. A thin sheet lets light pass as it came.
#include "point.h"

enum { DEPTH = 3, SURFACES = 10 }; // mirrors in mirrors; surfaces of glass behind each other

static const float INDEX = 1.5f; // of refraction, of glass

static wr_vec3 through_glass(const wri_shading *s, const wri_point *first, wr_vec3 direction,
                             wr_vec3 normal, int depth);
static wr_vec3 look(const wri_shading *s, wr_vec3 from, wr_vec3 direction, int depth);

static wr_vec3 reflect(wr_vec3 direction, wr_vec3 normal)
{
    return wr_add_scaled(direction, -2.0f * wr_dot(direction, normal), normal);
}

// A reflection as sharp as it gets at this roughness: dull ones show the mean of what is there.
static wr_vec3 reflection(const wri_shading *s, const wri_point *at, wr_vec3 direction, int depth)
{
    wr_vec3 mirror = reflect(direction, at->normal);
    if (depth > 0 && at->roughness < WRI_CLEAR) {
        return look(s, at->start, mirror, depth - 1);
    }
    return wr_lerp3(wri_surroundings(s, mirror), wri_guess_ambient(s, at->normal, at->distance),
                    at->roughness);
}

// Light that a surface sends back along the ray that found it.
static wr_vec3 light_from(const wri_shading *s, const wri_point *at, wr_vec3 direction, int depth)
{
    float fog = wri_haze(s, at->distance);
    if (at->unlit) {
        return wri_through_haze(s, wri_show_as_is(at->color), direction, fog);
    }
    float solid = (1.0f - at->metallic) * (1.0f - at->transmission);
    wr_vec3 diffuse = wr_scale(solid, at->color);
    wr_vec3 light = wri_guess_ambient(s, at->normal, at->distance);
    light = wr_scale(1.0f - at->occlusion, light);
    float cosine = wr_dot(at->normal, s->sun_direction);
    if (solid > 0.0f && cosine > 0.0f && wri_ray_meets_sun(s, at->start, s->sun_direction)) {
        light = wr_add_scaled(light, cosine, s->sun);
    }
    light = times(diffuse, light);
    if (at->transmission > 0.0f) {
        wr_vec3 behind = depth > 0 ? through_glass(s, at, direction, at->normal, depth - 1)
                                   : times(at->color, wri_surroundings(s, direction));
        light = wr_add_scaled(light, at->transmission, behind);
    } else if (at->metallic > 0.0f || at->roughness < WRI_CLEAR) {
        float edge = wri_schlick(0.0f, -wr_dot(at->normal, direction));
        wr_vec3 f0 = wr_lerp3(wr_v3(0.04f, 0.04f, 0.04f), at->color, at->metallic);
        wr_vec3 share = wr_lerp3(f0, wr_v3(1.0f, 1.0f, 1.0f), edge * square(1.0f - at->roughness));
        light = wr_add(light, times(share, reflection(s, at, direction, depth)));
    }
    return wri_through_haze(s, wr_add(light, at->emission), direction, fog);
}

// The nearest point that stops the ray; false: there is none.
static bool find_point(const wri_shading *s, wr_vec3 from, wr_vec3 direction, wri_point *at)
{
    struct RTCRayHit ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, s->scene, WRI_PASS_SOLID);
    int plane = wri_find_hit(s, from, direction, &context, &ray);
    if (plane >= 0) {
        *at = wri_point_on_plane(s, &s->scene->planes[plane], from, direction, ray.ray.tfar);
        return true;
    }
    wri_layer hit = wri_layer_of(&ray);
    bool found = ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    if (found) {
        *at = wri_point_on_thing(s, &hit, from, direction);
    }
    return found;
}

static wr_vec3 look(const wri_shading *s, wr_vec3 from, wr_vec3 direction, int depth)
{
    wri_point at;
    return find_point(s, from, direction, &at) ? light_from(s, &at, direction, depth)
                                               : wri_surroundings(s, direction);
}

// Fresnel's reflectance of unpolarised light, and the cosine behind the surface; eta: the index on
// the side of the ray over that behind it. 1: all of it is reflected.
static float fresnel(float cosine, float eta, float *behind)
{
    float rest = 1.0f - eta * eta * (1.0f - cosine * cosine);
    if (rest <= 0.0f) {
        *behind = 0.0f;
        return 1.0f;
    }
    *behind = sqrtf(rest);
    float across = (eta * cosine - *behind) / (eta * cosine + *behind);
    float along = (cosine - eta * *behind) / (cosine + eta * *behind);
    return 0.5f * (across * across + along * along);
}

// A sheet has two sides, between which light goes back and forth.
static float sheet(float mirrored)
{
    return 2.0f * mirrored / (1.0f + mirrored);
}

static wr_vec3 through_glass(const wri_shading *s, const wri_point *first, wr_vec3 direction,
                             wr_vec3 normal, int depth)
{
    wri_point at = *first;
    wr_vec3 sum = wr_v3(0.0f, 0.0f, 0.0f), weight = wr_v3(1.0f, 1.0f, 1.0f);
    for (int i = 0; i < SURFACES; i++) {
        bool inside = at.inside && !at.thin;
        float eta = inside ? INDEX : 1.0f / INDEX, behind;
        float cosine = wr_clampf(-wr_dot(normal, direction), 1e-3f, 1.0f);
        float mirrored = fresnel(cosine, eta, &behind);
        mirrored = at.thin ? sheet(mirrored) : mirrored;
        wr_vec3 from = wr_add_scaled(at.position, -at.slack, at.flat);
        if (mirrored >= 1.0f) { // it stays inside
            from = at.start;
            direction = reflect(direction, normal);
        } else {
            wr_vec3 mirror = reflect(direction, normal);
            wr_vec3 seen = inside                ? wr_v3(0.0f, 0.0f, 0.0f)
                           : i == 0 && depth > 0 ? look(s, at.start, mirror, depth - 1)
                                                 : wri_surroundings(s, mirror);
            sum = wr_add(sum, wr_scale(mirrored, times(weight, seen)));
            weight = wr_scale(1.0f - mirrored, inside ? weight : times(weight, at.color));
            if (!at.thin) {
                direction = wr_add_scaled(wr_scale(eta, direction), eta * cosine - behind, normal);
                direction = wr_normalize(direction);
            }
        }
        bool straight = at.thin;
        if (!find_point(s, from, direction, &at)) {
            wr_vec3 sky = straight ? wri_sky(s, direction) : wri_surroundings(s, direction);
            return wr_add(sum, times(weight, sky));
        }
        if (at.transmission < 0.5f) {
            return wr_add(sum, times(weight, light_from(s, &at, direction, depth)));
        }
        normal = at.normal;
    }
    return wr_add(sum, times(weight, s->sky_mean));
}

wr_vec3 wri_look_clearly(const wri_shading *s, wr_vec3 from, wr_vec3 direction)
{
    return look(s, from, direction, DEPTH - 1);
}

wr_vec3 wri_look_through_glass(const wri_shading *s, const wri_point *at, wr_vec3 direction,
                               float u, float v)
{
    wr_vec3 view = wr_scale(-1.0f, direction), normal = at->normal;
    if (at->roughness > 0.03f) { // ground glass
        normal = wri_facet_normal(s, at, view, u, v);
    }
    return through_glass(s, at, direction, normal, DEPTH);
}
