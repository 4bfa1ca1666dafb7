// point.h: a place that a ray has met, with the surface there.
#pragma once

#include "layers.h"
#include "shade.h"

typedef struct wri_point {
    wr_vec3 position; // scene coordinates
    wr_vec3 start;    // where rays leave, on the side of the viewer
    wr_vec3 flat;     // unit normal of the triangle, towards the viewer
    wr_vec3 normal;   // unit shading normal
    wr_vec3 color;
    wr_vec3 emission; // light of its own
    float occlusion;  // part of the ambient light that does not come here
    float roughness, metallic, transmission;
    float alpha;
    float slack; // metres, rounding error of position
    bool unlit;
    bool thin;   // of glass: a sheet, behind which the light goes on as it came
    bool inside; // the viewer is on the inner side
    float distance;
    float edge; // [0, 1], strength of the line drawn here; wire view
} wri_point;

// The nearest hit that stops the ray. Returns the plane that was hit, or -1.
int wri_find_hit(const wri_shading *s, wr_vec3 from, wr_vec3 direction, wri_ray_context *context,
                 struct RTCRayHit *ray);
// What a ray meets.
typedef struct wri_hit {
    wri_layer on; // of a thing; of others the distance only
    int plane;    // -1: none
    bool open;    // nothing
} wri_hit;
wri_hit wri_hit_of(const struct RTCRayHit *ray, int plane);

// The same for rays that are near each other, in scenes that have no filter.
void wri_find_hits(const wri_shading *s, const wri_rays *rays, wri_hit *hits);
// True when nothing stops the light that comes along the ray.
bool wri_ray_meets_sun(const wri_shading *s, wr_vec3 from, wr_vec3 direction);
// Rounding of a point grows with its coordinates, which are distances from the eye.
static inline float wri_slack_at(wr_vec3 position)
{
    return 1e-5f * wr_length(position);
}

wri_point wri_point_on_plane(const wri_shading *s, const wri_plane *plane, wr_vec3 from,
                             wr_vec3 direction, float distance);
wri_point wri_point_on_thing(const wri_shading *s, const wri_layer *hit, wr_vec3 from,
                             wr_vec3 direction);
static inline wri_layer wri_layer_of(const struct RTCRayHit *ray)
{
    return (wri_layer){ray->ray.tfar, (int)ray->hit.instID[0], (int)ray->hit.primID, ray->hit.u,
                       ray->hit.v};
}

// --- light, as shade.c and clear.c share it ---------------------------------------------------

// Light that a surface receives from a direction in which there is nothing.
wr_vec3 wri_surroundings(const wri_shading *s, wr_vec3 direction);
// The part of the light that the far things send which is lost in haze.
float wri_haze(const wri_shading *s, float distance);
// What is left of light that comes against `direction`, and what is seen in place of the rest.
wr_vec3 wri_through_haze(const wri_shading *s, wr_vec3 light, wr_vec3 direction, float haze);
// Sky light on a surface that a ray found at this distance: little when it is near, because then it
// lies in a crevice.
wr_vec3 wri_guess_ambient(const wri_shading *s, wr_vec3 normal, float distance);
// Light that the tone curve of wri_film_develop_row turns into this colour again, but for the
// brightest.
wr_vec3 wri_show_as_is(wr_vec3 color);
// A normal of the microfacets that are seen from `view`, which points away from the surface.
wr_vec3 wri_facet_normal(const wri_shading *s, const wri_point *at, wr_vec3 view, float u, float v);
// Reflectance by Schlick's formula; f0: at normal incidence.
float wri_schlick(float f0, float cosine);

#define WRI_CLEAR 0.2f // roughness below which reflections are sharp, and are not filtered

// Light along a ray of which everything is seen, as in a mirror; see clear.c.
wr_vec3 wri_look_clearly(const wri_shading *s, wr_vec3 from, wr_vec3 direction);
// Light that a glass surface sends towards the eye, which looks along `direction`: what it mirrors
// and what is behind it.
wr_vec3 wri_look_through_glass(const wri_shading *s, const wri_point *at, wr_vec3 direction,
                               float u, float v);

// --- numbers ----------------------------------------------------------------------------------

static inline wr_vec3 times(wr_vec3 a, wr_vec3 b)
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

static inline float square(float x)
{
    return x * x;
}

static inline float smooth_step(float x)
{
    x = wr_clampf(x, 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// Two unit vectors that complete the unit vector n (T. Duff et al. Building an orthonormal basis,
// revisited. JCGT 6(1), 2017).
static inline void find_basis(wr_vec3 n, wr_vec3 *t, wr_vec3 *b)
{
    float sign = n.z < 0.0f ? -1.0f : 1.0f;
    float a = -1.0f / (sign + n.z), c = n.x * n.y * a;
    *t = wr_v3(1.0f + sign * n.x * n.x * a, sign * c, -sign * n.x);
    *b = wr_v3(c, sign + n.y * n.y * a, -n.y);
}

static inline wr_vec3 from_basis(wr_vec3 t, wr_vec3 b, wr_vec3 n, wr_vec3 v)
{
    return wr_add_scaled(wr_add_scaled(wr_scale(v.x, t), v.y, b), v.z, n);
}

static inline const float *circle_at(const wri_shading *s, float turn)
{
    return s->noise->circle[(int)(turn * WRI_CIRCLE_SIZE) & (WRI_CIRCLE_SIZE - 1)];
}
