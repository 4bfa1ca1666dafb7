// exposure.c: motion blur and depth of field, as in a real camera: the mean of many pictures, each
// of a moment within the time of the exposure, seen from a place within the lens.
//
// Moments are spread evenly over a time around that of the picture. Places in the lens go through a
// sequence that is even, too, and knows nothing of the moments.
#include "exposure.h"

#include "../render/noise.h"

#include <math.h>

bool wri_exposure_create(wri_exposure *x, const wr_show_desc *desc, int count, wri_arena *arena,
                         wr_error *error)
{
    if (!(desc->blur >= 0.0 && desc->blur <= 1.0)) {
        return wri_fail(error, WR_E_ARGUMENT, "blur is %s, expected 0 to 1",
                        WRI_NUMBER(desc->blur, 6));
    }
    if (!(desc->lens == -1.0f || (desc->lens >= 0.0f && isfinite(desc->lens)))) {
        return wri_fail(error, WR_E_ARGUMENT, "lens is %s, expected 0 metres or more",
                        WRI_NUMBER(desc->lens, 6));
    }
    x->blur = desc->blur;
    x->lens = desc->lens;
    x->count = count;
    x->bytes = 3 * (size_t)desc->width * (size_t)desc->height;
    x->mean = wri_arena_alloc(arena, x->bytes, sizeof *x->mean);
    x->light = wri_arena_alloc(arena, x->bytes, sizeof *x->light);
    x->pixels = wri_arena_alloc(arena, x->bytes, 1);
    wri_srgb_fill(&x->srgb);
    return (x->mean && x->light && x->pixels) || wri_fail_memory(error, 9 * x->bytes);
}

double wri_exposure_moment(const wri_exposure *x, int i, double moment, double interval, int last)
{
    double at = moment + x->blur * interval * ((i + 0.5) / x->count - 0.5);
    return x->blur > 0.0 ? fmin(fmax(at, 0.0), last) : moment;
}

wr_camera wri_exposure_camera(const wri_exposure *x, int i, const wr_camera *camera)
{
    wr_camera c = *camera;
    wr_vec3 forward, right, up;
    wr_camera_axes(camera, &forward, &right, &up);
    float lens = x->lens == -1.0f ? camera->lens : x->lens;
    float radius = 0.5f * lens * sqrtf(wri_radical_inverse((unsigned)i));
    float angle = 2.3999632f * (float)i; // the golden one
    c.from = wr_add_scaled(c.from, radius * cosf(angle), right);
    c.from = wr_add_scaled(c.from, radius * sinf(angle), up);
    return c;
}

void wri_exposure_add(wri_exposure *x, int i)
{
    float keep = (float)i / (float)(i + 1), add = 1.0f / (float)(i + 1);
    for (size_t k = 0; k < x->bytes; k++) {
        x->mean[k] = keep * x->mean[k] + add * x->srgb.decode[x->pixels[k]];
    }
}

void wri_exposure_add_light(wri_exposure *x, int i)
{
    float keep = (float)i / (float)(i + 1), add = 1.0f / (float)(i + 1);
    for (size_t k = 0; k < x->bytes; k++) {
        x->mean[k] = keep * x->mean[k] + add * x->light[k];
    }
}

void wri_exposure_develop(const wri_exposure *x, uint8_t *pixels)
{
    for (size_t k = 0; k < x->bytes; k++) {
        pixels[k] = (uint8_t)(wri_srgb_encode(&x->srgb, x->mean[k]) + 0.5f);
    }
}
