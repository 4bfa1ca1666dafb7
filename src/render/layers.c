// layers.c: the filter of drawings.
#include "layers.h"

void wri_ray_context_begin(wri_ray_context *context, const wri_scene *scene, wri_pass pass)
{
    rtcInitIntersectContext(&context->embree);
    context->scene = scene;
    context->pass = pass;
    context->count = 0;
}

wri_lookup wri_lookup_at(const wri_shape *shape, const wri_texture *texture, int triangle,
                         wr_vec3 weights, float area2, float footprint)
{
    const int *corners = shape->mesh->triangles + 3 * triangle;
    const wr_vec2 *uv = shape->mesh->uvs;
    wr_vec2 a = uv[corners[0]], b = uv[corners[1]], c = uv[corners[2]];
    wri_lookup at;
    at.u = weights.x * a.x + weights.y * b.x + weights.z * c.x;
    at.v = weights.x * a.y + weights.y * b.y + weights.z * c.y;
    float uv_area2 = fabsf((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
    float texels =
        (float)texture->levels[0].width * (float)texture->levels[0].height * uv_area2 / area2;
    at.level = 0.5f * log2f(texels * footprint * footprint);
    return at;
}

static float cut(const wri_surface *surface, float alpha)
{
    return surface->alpha == WR_ALPHA_MASK ? (alpha >= surface->cutoff ? 1.0f : 0.0f) : alpha;
}

float wri_paint_alpha(const wri_surface *surface, float alpha)
{
    return surface->alpha == WR_ALPHA_OPAQUE ? 1.0f : cut(surface, alpha);
}

float wri_surface_alpha(const wri_shape *shape, const wri_surface *surface, int triangle,
                        wr_vec3 weights, float alpha)
{
    const wr_color *colors = shape->mesh->colors;
    if (surface->alpha == WR_ALPHA_OPAQUE) {
        return 1.0f;
    }
    alpha *= surface->opacity;
    if (colors) {
        const int *at = shape->mesh->triangles + 3 * triangle;
        alpha *= wr_clampf(weights.x * colors[at[0]].a + weights.y * colors[at[1]].a +
                               weights.z * colors[at[2]].a,
                           0.0f, 1.0f);
    }
    return cut(surface, alpha);
}

static float alpha_of_hit(const wri_shape *shape, const wri_surface *surface, const wri_layer *hit)
{
    wr_vec3 weights = wr_v3(1.0f - hit->u - hit->v, hit->u, hit->v);
    float alpha = 1.0f;
    if (surface->texture && shape->mesh->uvs) {
        static const float nothing[256] = {0};
        wri_lookup at = wri_lookup_at(shape, surface->texture, hit->triangle, weights, 1.0f, 0.0f);
        alpha = wri_texture_ink(surface->texture, nothing, at.u, at.v, 0.0f).a;
    }
    return wri_surface_alpha(shape, surface, hit->triangle, weights, alpha);
}

// Rays through an edge meet both of its triangles.
static bool is_edge(const wri_layer *a)
{
    return fminf(fminf(a->u, a->v), 1.0f - a->u - a->v) < 1e-4f;
}

static bool is_twin(const wri_layer *a, const wri_layer *b)
{
    return a->item == b->item && fabsf(a->distance - b->distance) <= 1e-6f * a->distance &&
           is_edge(a) && is_edge(b);
}

// The nearer layer is in front; of two at the same distance it is the later thing, and within it
// the later triangle.
static bool is_behind(const wri_layer *a, const wri_layer *b)
{
    float off = a->distance - b->distance;
    if (fabsf(off) > 1e-5f * b->distance) {
        return off > 0.0f;
    }
    return a->item != b->item ? a->item < b->item : a->triangle < b->triangle;
}

static void take_note(wri_ray_context *context, const wri_layer *layer)
{
    int at = context->count;
    for (int i = 0; i < context->count; i++) {
        if (is_twin(&context->layers[i], layer)) {
            if (layer->triangle < context->layers[i].triangle) {
                context->layers[i].triangle = layer->triangle; // whichever came first
                context->layers[i].u = layer->u;
                context->layers[i].v = layer->v;
            }
            return;
        }
    }
    while (at > 0 && is_behind(&context->layers[at - 1], layer)) {
        at--;
    }
    if (at == WRI_LAYERS) {
        return;
    }
    context->count += context->count < WRI_LAYERS;
    for (int i = context->count - 1; i > at; i--) {
        context->layers[i] = context->layers[i - 1];
    }
    context->layers[at] = *layer;
}

// Glass lets light through unless it mirrors most of it, at its rim, so that it has a thin shadow.
// Ray and normal are both in the frame of the thing.
static bool lets_light_through(const wri_surface *surface, const struct RTCRay *ray,
                               const struct RTCHit *met)
{
    wr_vec3 n = {met->Ng_x, met->Ng_y, met->Ng_z}, d = {ray->dir_x, ray->dir_y, ray->dir_z};
    float cosine = fabsf(wr_dot(n, d)), size = wr_length(n) * wr_length(d);
    return surface->transmission >= 0.5f && cosine > 0.3f * size;
}

static void filter(const struct RTCFilterFunctionNArguments *args)
{
    wri_ray_context *context = (wri_ray_context *)args->context;
    const wri_shape *shape = args->geometryUserPtr;
    if (args->valid[0] != -1 || context->pass == WRI_PASS_NOTHING) {
        return;
    }
    WR_ASSERT(args->N == 1); // only single rays are traced: the arrays are the plain structs
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    const struct RTCHit *met = (const struct RTCHit *)args->hit;
    wri_layer hit = {ray->tfar, (int)met->instID[0], (int)met->primID, met->u, met->v};
    const wri_surface *surface = wri_surface_at(&context->scene->items[hit.item], hit.triangle);
    if (context->pass == WRI_PASS_FAINT && surface->transmission > 0.0f) {
        args->valid[0] = lets_light_through(surface, ray, met) ? 0 : -1;
    }
    if (surface->alpha == WR_ALPHA_OPAQUE && context->pass != WRI_PASS_EVERYTHING) {
        return;
    }
    if (context->pass == WRI_PASS_CLEAR || context->pass == WRI_PASS_EVERYTHING) {
        take_note(context, &hit);
        args->valid[0] = 0;
    } else if (alpha_of_hit(shape, surface, &hit) < 0.5f) {
        args->valid[0] = 0;
    }
}

void wri_layers_attach(RTCGeometry geometry, const wri_shape *shape)
{
    rtcSetGeometryUserData(geometry, (void *)shape);
    rtcSetGeometryIntersectFilterFunction(geometry, filter);
    rtcSetGeometryOccludedFilterFunction(geometry, filter);
}
