// shade.c: sun, sky, ground and surfaces.
//
// A ray from the eye finds a surface; one ray to the sun's disc gives the soft shadow, and one ray
// into the hemisphere (or, on metal, along the microfacet reflection) gives ambient light: the sky
// where it leaves the scene, and where it hits something that surface's mean colour under the sun,
// with a shadow ray of its own, and under a guess of the sky it sees. So light bounces once.
//
// Surfaces are Lambert plus GGX with the Smith term of B. Walter et al. Microfacet models for
// refraction through rough surfaces. EGSR 2007; visible normals as in E. Heitz. Sampling the GGX
// distribution of visible normals. JCGT 7(4), 2018. Mirrors and glass are in clear.c.
//
// Units: radiance is scaled so that a white surface facing the sun alone sends back `sun`, and one
// under a uniform sky of radiance S sends back S.
#include "shade.h"

#include "develop.h"
#include "../math/elementary.h"
#include "point.h"

// --- sky --------------------------------------------------------------------------------------

// From the scene's directions to those of the environment's picture.
static wr_vec3 turn_back(const wri_shading *s, wr_vec3 d)
{
    return wr_v3(s->turn_cosine * d.x - s->turn_sine * d.z, d.y,
                 s->turn_sine * d.x + s->turn_cosine * d.z);
}

static wr_vec3 turn(const wri_shading *s, wr_vec3 d)
{
    return wr_v3(s->turn_cosine * d.x + s->turn_sine * d.z, d.y,
                 s->turn_cosine * d.z - s->turn_sine * d.x);
}

static wr_vec3 environment_at(const wri_shading *s, wr_vec3 direction)
{
    return wr_scale(s->exposure, wri_environment_at(s->environment, turn_back(s, direction)));
}

wr_vec3 wri_sky(const wri_shading *s, wr_vec3 direction)
{
    if (s->environment) {
        wr_vec3 seen = environment_at(s, direction);
        bool in_disc = wr_dot(direction, s->sun_direction) > s->environment->disc_cosine;
        return in_disc ? wr_add_scaled(seen, s->exposure, s->environment->disc) : seen;
    }
    float low = 1.0f - wr_clampf(direction.y, 0.0f, 1.0f);
    return wr_lerp3(s->zenith, s->horizon, low * low * low);
}

wr_vec3 wri_surroundings(const wri_shading *s, wr_vec3 direction)
{
    if (s->environment) {
        return environment_at(s, direction);
    }
    wr_vec3 sky = wri_sky(s, direction);
    return direction.y >= 0.0f ? sky : wr_lerp3(sky, s->bounce, smooth_step(-6.0f * direction.y));
}

// The same as far as dull surfaces tell.
static wr_vec3 blurred_surroundings(const wri_shading *s, wr_vec3 direction)
{
    return s->environment
               ? wr_scale(s->exposure,
                          wri_environment_blurred_at(s->environment, turn_back(s, direction)))
               : wri_surroundings(s, direction);
}

float wri_haze(const wri_shading *s, float distance)
{
    float x = distance / s->haze_distance - 1.0f;
    return x > 0.0f ? 1.0f - expf(-0.1f * x) : 0.0f;
}

wr_vec3 wri_through_haze(const wri_shading *s, wr_vec3 light, wr_vec3 direction, float haze)
{
    if (haze > 0.0f) {
        wr_vec3 far = s->environment ? environment_at(s, direction) : s->horizon;
        return wr_lerp3(light, far, haze);
    }
    return light;
}

static void take_sky(wri_shading *s, const wr_light *light)
{
    float e = light->exposure;
    s->sun = wr_v3(e * light->sun_color.r, e * light->sun_color.g, e * light->sun_color.b);
    s->zenith = wr_v3(e * light->sky_zenith.r, e * light->sky_zenith.g, e * light->sky_zenith.b);
    s->horizon =
        wr_v3(e * light->sky_horizon.r, e * light->sky_horizon.g, e * light->sky_horizon.b);
    s->sun_direction = wr_normalize(light->sun_direction);
    s->sun_size = tanf(light->sun_radius);
    s->sky_mean = wr_lerp3(s->zenith, s->horizon, 0.1f); // integral of 2 y (1 - y)^3 over [0, 1]
}

// An environment without a sun has none in any direction: no surface faces the zero vector.
static void take_environment(wri_shading *s, const wr_light *light)
{
    const wri_environment *e = s->environment;
    wri_sin_cos(light->turn, &s->turn_sine, &s->turn_cosine);
    s->sun = wr_scale(s->exposure, e->sun);
    s->sun_direction = turn(s, e->sun_direction);
    s->sun_size = e->sun_size;
    s->sky_mean = wr_scale(s->exposure, e->upper);
}

wri_shading wri_shading_create(const wri_scene *scene, const wri_noise *noise, const wri_srgb *srgb,
                               const wr_light *light, const wri_environment *environment)
{
    wri_shading s = {.scene = scene,
                     .noise = noise,
                     .srgb = srgb,
                     .environment = environment,
                     .exposure = light->exposure};
    (environment ? take_environment : take_sky)(&s, light);
    find_basis(s.sun_direction, &s.sun_tangent, &s.sun_bitangent);
    wr_vec3 ground = wr_v3(light->ground.r, light->ground.g, light->ground.b);
    if (scene->plane_count) {
        ground = scene->planes[0].surface.color;
    }
    s.bounce = times(ground, wr_add_scaled(s.sky_mean, larger(0.0f, s.sun_direction.y), s.sun));
    if (environment && scene->plane_count == 0) {
        s.bounce = wr_scale(s.exposure, environment->lower);
    }
    return s;
}

// --- light ------------------------------------------------------------------------------------

float wri_schlick(float f0, float cosine)
{
    float m = 1.0f - wr_clampf(cosine, 0.0f, 1.0f), m2 = m * m;
    return f0 + (1.0f - f0) * m2 * m2 * m;
}

wr_vec3 wri_guess_ambient(const wri_shading *s, wr_vec3 normal, float distance)
{
    float open = wr_clampf(0.15f + 0.5f * distance / s->scene->thing_size, 0.15f, 0.65f);
    return wr_scale(open, wr_lerp3(s->bounce, s->sky_mean, 0.5f + 0.5f * normal.y));
}

// Light along a second ray: mean colours, one shadow ray to the middle of the sun.
static wr_vec3 look_around(const wri_shading *s, wr_vec3 from, wr_vec3 direction, bool *open)
{
    struct RTCRayHit ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, s->scene, WRI_PASS_FAINT);
    int plane = wri_find_hit(s, from, direction, &context, &ray);
    *open = plane < 0 && ray.hit.geomID == RTC_INVALID_GEOMETRY_ID;
    if (*open) {
        return blurred_surroundings(s, direction);
    }
    wr_vec3 p = wr_add_scaled(from, ray.ray.tfar, direction), n, color;
    wr_vec3 glow = {0.0f, 0.0f, 0.0f};
    float slack = wri_slack_at(p);
    if (plane >= 0) {
        n = s->scene->planes[plane].normal;
        color = s->scene->planes[plane].surface.color;
    } else {
        const wri_item *item = &s->scene->items[ray.hit.instID[0]];
        n = wr_mat3_apply(item->rotation, wr_v3(ray.hit.Ng_x, ray.hit.Ng_y, ray.hit.Ng_z));
        n = wr_normalize(n);
        const wri_surface *surface = wri_surface_at(item, (int)ray.hit.primID);
        color = item->colors ? item->mean : surface->mean;
        glow = item->colors ? glow : surface->glow;
        color = times(item->tint, color);
        slack += item->slack;
    }
    n = wr_dot(n, direction) > 0.0f ? wr_scale(-1.0f, n) : n;
    wr_vec3 light = wri_guess_ambient(s, n, ray.ray.tfar);
    float cosine = wr_dot(n, s->sun_direction);
    if (cosine > 0.0f && wri_ray_meets_sun(s, wr_add_scaled(p, slack, n), s->sun_direction)) {
        light = wr_add_scaled(light, cosine, s->sun);
    }
    return wr_add(glow, times(color, light));
}

static wr_vec3 cosine_weighted(const wri_shading *s, wr_vec3 normal, float u, float v)
{
    wr_vec3 t, b;
    find_basis(normal, &t, &b);
    const float *circle = circle_at(s, v);
    float r = sqrtf(u);
    return from_basis(t, b, normal,
                      wr_v3(r * circle[0], r * circle[1], sqrtf(larger(0.0f, 1.0f - u))));
}

bool wri_sees_out(const wri_shading *s, const wri_sample *sample, float u, float v)
{
    return wri_ray_meets_sun(s, sample->start, cosine_weighted(s, sample->normal, u, v));
}

// Around the shading normal, folded up where it would enter the triangle.
static wr_vec3 diffuse_direction(const wri_shading *s, const wri_point *at, float u, float v)
{
    wr_vec3 d = cosine_weighted(s, at->normal, u, v);
    float below = wr_dot(d, at->flat);
    return below < 0.0f ? wr_add_scaled(d, -2.0f * below, at->flat) : d;
}

// Ambient light of a diffuse surface: the mean over a cosine-weighted direction, in an environment
// in part over one from its bright places, by one sample of both with the balance heuristic (E.
// Veach. Robust Monte Carlo methods for light transport simulation. 1997, equation 9.15).
static void choose_around(const wri_shading *s, const wri_point *at, const float *numbers,
                          float choice, wri_sample *out)
{
    const wri_environment *e = s->environment;
    float bright = e ? e->bright_share : 0.0f;
    out->looks_around = true;
    out->share = 1.0f;
    out->around = choice < bright ? turn(s, wri_environment_sample(e, numbers[0], numbers[1]))
                                  : diffuse_direction(s, at, numbers[0], numbers[1]);
    if (e) {
        wr_vec3 known = wri_environment_diffuse_at(e, turn_back(s, at->normal));
        out->known = wr_scale(s->exposure, known);
        out->has_known = true;
    }
    if (bright > 0.0f) {
        float cosine = wr_dot(at->normal, out->around) / WR_PI;
        float density = wri_environment_density(e, turn_back(s, out->around));
        bool is_above = cosine > 0.0f && wr_dot(at->flat, out->around) > 0.0f;
        out->share = is_above ? cosine / ((1.0f - bright) * cosine + bright * density) : 0.0f;
    }
}

wr_vec3 wri_facet_normal(const wri_shading *s, const wri_point *at, wr_vec3 view, float u, float v)
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
    return from_basis(t, b, at->normal, m);
}

// The mirror direction at a visible microfacet normal; view points away from the surface.
static wr_vec3 glossy_direction(const wri_shading *s, const wri_point *at, wr_vec3 view, float u,
                                float v)
{
    wr_vec3 half = wri_facet_normal(s, at, view, u, v);
    wr_vec3 d = wr_add_scaled(wr_scale(-1.0f, view), 2.0f * wr_dot(view, half), half);
    float below = wr_dot(d, at->flat);
    return wr_normalize(below < 0.0f ? wr_add_scaled(d, -2.0f * below, at->flat) : d);
}

// GGX highlight of the sun relative to `sun`, for a reflectance of 1 at normal incidence. The
// sun's size widens the lobe, so that smooth surfaces show a disc and not a spark.
static float highlight(const wri_shading *s, const wri_point *at, wr_vec3 view, wr_vec3 light,
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

static void add_sun(const wri_shading *s, const wri_point *at, wr_vec3 view, wr_vec3 diffuse,
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

wr_vec3 wri_toward_sun(const wri_shading *s, float u, float v)
{
    const float *circle = circle_at(s, v);
    float r = s->sun_size * sqrtf(u);
    wr_vec3 to_sun = wr_add_scaled(s->sun_direction, r * circle[0], s->sun_tangent);
    return wr_add_scaled(to_sun, r * circle[1], s->sun_bitangent);
}

bool wri_sees_sun(const wri_shading *s, wr_vec3 start, float u, float v)
{
    return wri_ray_meets_sun(s, start, wri_toward_sun(s, u, v));
}

// One of two lobes was chosen, a with this probability. Its weight against the mean of both is a
// factor on the light, so that the choice is noise in the light alone, which is filtered.
static void take_lobe(wr_vec3 a, wr_vec3 b, float probability, bool is_a, wri_sample *out)
{
    wr_vec3 mean = wr_lerp3(b, a, probability), own = is_a ? a : b;
    out->weight = mean;
    out->lobe = wr_v3(mean.x > 0.0f ? own.x / mean.x : 1.0f, mean.y > 0.0f ? own.y / mean.y : 1.0f,
                      mean.z > 0.0f ? own.z / mean.z : 1.0f);
}

static void add_ambient(const wri_shading *s, const wri_point *at, wr_vec3 view,
                        const float *numbers, wr_vec3 f0, wri_sample *out)
{
    bool glossy = numbers[2] < at->metallic, is_clear = at->roughness < WRI_CLEAR;
    float facing = wr_dot(at->normal, view);
    float edge = wri_schlick(0.0f, facing) * square(1.0f - at->roughness);
    wr_vec3 weight = wr_lerp3(f0, wr_v3(1.0f, 1.0f, 1.0f), edge);
    wr_vec3 matte = wr_scale(1.0f - at->transmission, at->color); // where it is chosen
    if (at->roughness < 1.0f && !is_clear && at->metallic < 1.0f && at->transmission < 1.0f) {
        wr_vec3 mirror = wr_add_scaled(wr_scale(-1.0f, view), 2.0f * facing, at->normal);
        float share =
            (1.0f - at->metallic) * wri_schlick(0.04f, facing) * square(1.0f - at->roughness);
        out->gloss = wr_scale(share, blurred_surroundings(s, mirror));
    }
    if (glossy) {
        wr_vec3 d = glossy_direction(s, at, view, numbers[0], numbers[1]);
        if (is_clear) {
            out->color = wr_add(out->color, times(weight, wri_look_clearly(s, at->start, d)));
        } else {
            out->around = d;
            out->looks_around = true;
            out->share = 1.0f;
            take_lobe(weight, matte, at->metallic, true, out);
        }
        return;
    }
    if (at->transmission < 1.0f && is_clear) { // varnish
        wr_vec3 d = glossy_direction(s, at, view, numbers[0], numbers[1]);
        float share = (1.0f - at->transmission) * wri_schlick(0.04f, facing);
        out->color = wr_add_scaled(out->color, share, wri_look_clearly(s, at->start, d));
    }
    if (at->transmission >= 1.0f) {
        return;
    }
    choose_around(s, at, numbers, (numbers[2] - at->metallic) / (1.0f - at->metallic), out);
    // What a mirror adds is in the colour and not in the weight.
    take_lobe(is_clear ? matte : weight, matte, at->metallic, false, out);
}

static void draw_edges(const wri_point *at, wri_sample *out)
{
    float line = at->edge;
    out->color = wr_lerp3(out->color, wr_v3(0.015f, 0.018f, 0.022f), line);
    out->gloss = wr_scale(1.0f - line, out->gloss);
    out->weight = wr_scale(1.0f - line, out->weight);
    out->sun = wr_scale(1.0f - line, out->sun);
}

wr_vec3 wri_show_as_is(wr_vec3 color)
{
    return wr_v3(wri_tone_source(color.x), wri_tone_source(color.y), wri_tone_source(color.z));
}

static void shade_point(const wri_shading *s, const wri_point *at, wr_vec3 direction,
                        const float *numbers, wri_sample *out)
{
    float fog = wri_haze(s, at->distance);
    if (at->unlit) {
        wr_vec3 color = wri_show_as_is(at->color);
        *out = (wri_sample){.color = wri_through_haze(s, color, direction, fog)};
        return;
    }
    *out = (wri_sample){.position = at->position, .normal = at->normal, .hit = true};
    out->start = at->start;
    wr_vec3 view = wr_scale(-1.0f, direction);
    wr_vec3 diffuse = wr_scale((1.0f - at->metallic) * (1.0f - at->transmission), at->color);
    wr_vec3 f0 = wr_lerp3(wr_v3(0.04f, 0.04f, 0.04f), at->color, at->metallic);
    add_sun(s, at, view, diffuse, f0, out);
    add_ambient(s, at, view, numbers, f0, out);
    out->weight = wr_scale(1.0f - at->occlusion, out->weight);
    out->gloss = wr_scale(1.0f - at->occlusion, out->gloss);
    out->color = wr_add(out->color, at->emission);
    if (at->transmission > 0.0f) {
        float share = at->transmission * (1.0f - at->metallic);
        wr_vec3 seen = wri_look_through_glass(s, at, direction, numbers[0], numbers[1]);
        out->color = wr_add_scaled(out->color, share, seen);
    }
    if (s->wire) {
        draw_edges(at, out);
    }
    out->color = wri_through_haze(s, out->color, direction, fog);
    out->gloss = wr_scale(1.0f - fog, out->gloss);
    out->weight = wr_scale(1.0f - fog, out->weight);
    out->sun = wr_scale(1.0f - fog, out->sun);
}

void wri_look_around(const wri_shading *s, wri_sample *sample)
{
    wr_vec3 light = {0.0f, 0.0f, 0.0f};
    bool open = false, looks = sample->looks_around && sample->share > 0.0f;
    if (looks) {
        light = look_around(s, sample->start, sample->around, &open);
        sample->ambient = times(sample->lobe, wr_scale(sample->share, light));
        sample->open = open ? sample->share : 0.0f;
    }
    if (sample->has_known) {
        bool is_hidden = looks && !open;
        wr_vec3 behind = is_hidden ? blurred_surroundings(s, sample->around) : light;
        wr_vec3 control = wr_add_scaled(sample->known, -sample->share, behind);
        sample->ambient_control = times(sample->lobe, control);
        sample->open_control = 1.0f - sample->share;
    }
}

// The layers in front of `end`, nearest first: adds up what they show and returns how much of what
// is behind them is seen. Stops at one that hides everything, which is *last then.
static float look_through(const wri_shading *s, const wri_ray_context *context, float end,
                          wr_vec3 from, wr_vec3 direction, const float *numbers, wr_vec3 *sum,
                          wri_point *last, bool *found)
{
    float clear = 1.0f;
    *sum = wr_v3(0.0f, 0.0f, 0.0f);
    *found = false;
    for (int i = 0; i < context->count && context->layers[i].distance < end; i++) {
        wri_point at = wri_point_on_thing(s, &context->layers[i], from, direction);
        if (at.alpha > 0.998f) {
            *last = at;
            *found = true;
            break;
        }
        if (at.alpha > 0.002f) {
            wri_sample layer;
            shade_point(s, &at, direction, numbers, &layer);
            wri_look_around(s, &layer);
            bool lit = layer.faces_sun && wri_sees_sun(s, layer.start, numbers[1], numbers[2]);
            wr_vec3 light = wri_light_without_sun(&layer);
            light = lit ? wr_add(light, layer.sun) : light;
            *sum = wr_add_scaled(*sum, clear * at.alpha, light);
            clear *= 1.0f - at.alpha;
        }
    }
    return clear;
}

static void shade_hit(const wri_shading *s, const wri_hit *hit, const wri_ray_context *context,
                      wr_vec3 from, wr_vec3 direction, const float *numbers, wri_sample *out)
{
    bool found;
    float distance = hit->on.distance;
    wr_vec3 front;
    wri_point at;
    float clear = look_through(s, context, distance, from, direction, numbers, &front, &at, &found);
    if (found) {
        shade_point(s, &at, direction, numbers, out);
    } else if (hit->open) {
        *out = (wri_sample){.color = wri_sky(s, direction)};
    } else if (wri_haze(s, distance) > 0.999f) {
        *out = (wri_sample){.color = wri_through_haze(s, s->horizon, direction, 1.0f)};
    } else if (hit->plane >= 0) {
        at = wri_point_on_plane(s, &s->scene->planes[hit->plane], from, direction, distance);
        shade_point(s, &at, direction, numbers, out);
    } else {
        at = wri_point_on_thing(s, &hit->on, from, direction);
        shade_point(s, &at, direction, numbers, out);
    }
    out->item = found || clear < 1.0f ? WRI_ITEM_MIXED
                : hit->open           ? WRI_ITEM_SKY
                : hit->plane >= 0     ? WRI_ITEM_MIXED - 1 - hit->plane
                                      : hit->on.item;
    if (clear < 1.0f) {
        out->color = wr_add_scaled(front, clear, out->color);
        out->gloss = wr_scale(clear, out->gloss);
        out->weight = wr_scale(clear, out->weight);
        out->sun = wr_scale(clear, out->sun);
    }
}

void wri_shade(const wri_shading *s, wr_vec3 from, wr_vec3 direction,
               const float numbers[WRI_SAMPLE_NUMBERS], wri_sample *out)
{
    struct RTCRayHit ray;
    wri_ray_context context;
    wri_ray_context_begin(&context, s->scene, s->wire ? WRI_PASS_NOTHING : WRI_PASS_CLEAR);
    int plane = wri_find_hit(s, from, direction, &context, &ray);
    wri_hit hit = wri_hit_of(&ray, plane);
    shade_hit(s, &hit, &context, from, direction, numbers, out);
}

void wri_shade_rays(const wri_shading *s, const wri_rays *rays,
                    const float numbers[WRI_RAYS][WRI_SAMPLE_NUMBERS], wri_sample *const out[])
{
    wri_hit hits[WRI_RAYS];
    wri_ray_context context;
    if (!s->scene->is_filtered) {
        wri_ray_context_begin(&context, s->scene, WRI_PASS_NOTHING);
        wri_find_hits(s, rays, hits);
    }
    for (int i = 0; i < rays->count; i++) {
        wr_vec3 from = rays->from[i], direction = rays->direction[i];
        if (s->scene->is_filtered) {
            wri_shade(s, from, direction, numbers[i], out[i]);
        } else {
            shade_hit(s, &hits[i], &context, from, direction, numbers[i], out[i]);
        }
    }
}
