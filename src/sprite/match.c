// match.c: pulls particles to the shape they wish to have.
//
// Based on: M. Mueller, B. Heidelberger, M. Teschner, M. Gross. Meshless deformations based on
// shape matching. SIGGRAPH 2005, in the plane, over every ring (eq. 4.9 and 4.10) and over the
// whole (eq. 4.7 and 4.8). Symbols: x positions, e the wished shape, m masses, n_i rings that
// particle i is in.
//
// With goals averaged over n_i rings, a ring must weigh its particles by m_i / n_i: then every ring
// adds no momentum, linear or angular, to its share of the particles, and neither do all of them
// (compare A. Rivers, D. James. FastLSM. SIGGRAPH 2007). In the plane the rotation of a ring needs
// two numbers, sum m x . e and sum m e x x, so that a particle gives four numbers to each of its
// rings and gets four back, the sums of rotations and translations: one vector of the processor.
// Four values per particle, one gather to fit, one to average; the rest shape, which moves every
// step, costs one more gather per step.
#include "world.h"

static wri_lanes ring_sum(const wr_sprite_asset *asset, const wri_lanes *values, int i)
{
    const int *ring = asset->ring;
    wri_lanes a = {0}, b = {0}, c = {0}, d = {0};
    int e = asset->ring_begin[i], end = asset->ring_begin[i + 1];
    for (; e + 4 <= end; e += 4) {
        a += values[ring[e]];
        b += values[ring[e + 1]];
        c += values[ring[e + 2]];
        d += values[ring[e + 3]];
    }
    for (; e < end; e++) {
        a += values[ring[e]];
    }
    return (a + b) + (c + d);
}

void wri_sprite_begin_match(wri_sprite *s)
{
    const wr_sprite_asset *asset = s->asset;
    double cx = 0.0, cy = 0.0;
    for (int i = 0; i < asset->N; i++) {
        cx += (double)asset->masses[i] * (double)s->ex[i];
        cy += (double)asset->masses[i] * (double)s->ey[i];
    }
    float mx = (float)(cx / (double)asset->mass), my = (float)(cy / (double)asset->mass);
    for (int i = 0; i < asset->N; i++) {
        float m = asset->masses[i] * asset->ring_shares[i];
        s->ex[i] -= mx;
        s->ey[i] -= my;
        s->sums[i] = (wri_lanes){m * s->ex[i], m * s->ey[i], 0.0f, 0.0f};
    }
    for (int i = 0; i < asset->N; i++) {
        float scale = 1.0f / asset->ring_masses[i];
        s->rest_centers[i] = ring_sum(asset, s->sums, i) * scale;
    }
}

// Returns the rigid motion x = R e + t of ring i as {cos, sin, t_x, t_y} (eq. 4.9).
static wri_lanes fit_ring(const wri_sprite *s, int i, float least)
{
    wri_lanes sum = ring_sum(s->asset, s->sums, i);
    float M = s->asset->ring_masses[i], scale = 1.0f / M;
    float ex = s->rest_centers[i][0], ey = s->rest_centers[i][1];
    float x = sum[0] * scale, y = sum[1] * scale;
    float cosine = sum[2] - M * (x * ex + y * ey), sine = sum[3] - M * (ex * y - ey * x);
    float length2 = cosine * cosine + sine * sine;
    if (length2 > least * M * least * M) {
        float unit = 1.0f / sqrtf(length2);
        cosine *= unit;
        sine *= unit;
    } else { // collapsed: it turns with the whole
        cosine = s->cosine;
        sine = s->sine;
    }
    return (wri_lanes){cosine, sine, x - (cosine * ex - sine * ey), y - (sine * ex + cosine * ey)};
}

void wri_sprite_match_rings(wri_sprite *s, float share)
{
    const wr_sprite_asset *asset = s->asset;
    const float *ex = s->ex, *ey = s->ey;
    float *x = s->x, *y = s->y;
    if (!(share > 0.0f)) {
        return;
    }
    for (int i = 0; i < asset->N; i++) {
        float m = asset->masses[i] * asset->ring_shares[i], mx = m * x[i], my = m * y[i];
        s->sums[i] = (wri_lanes){mx, my, mx * ex[i] + my * ey[i], my * ex[i] - mx * ey[i]};
    }
    float least = 1e-7f * asset->L * asset->L;
    for (int i = 0; i < asset->N; i++) {
        s->ring_motions[i] =
            s->ring_nails[i] ? wri_sprite_fit_nailed_ring(s, i, least) : fit_ring(s, i, least);
    }
    for (int i = 0; i < asset->N; i++) {
        wri_lanes mean = ring_sum(asset, s->ring_motions, i) * asset->ring_shares[i]; // eq. 4.10
        x[i] += share * (mean[0] * ex[i] - mean[1] * ey[i] + mean[2] - x[i]);
        y[i] += share * (mean[1] * ex[i] + mean[0] * ey[i] + mean[3] - y[i]);
    }
    wri_sprite_set_nails(s);
}

// Fits the whole (eq. 4.7). Sums are in double: their rounding goes into the momentum of the whole.
void wri_sprite_fit_whole(wri_sprite *s)
{
    const wr_sprite_asset *asset = s->asset;
    double cx = 0.0, cy = 0.0, cosine = 0.0, sine = 0.0, square = 0.0;
    for (int i = 0; i < asset->N; i++) {
        double x = (double)asset->masses[i] * (double)s->x[i];
        double y = (double)asset->masses[i] * (double)s->y[i];
        double ex = (double)s->ex[i], ey = (double)s->ey[i];
        cx += x;
        cy += y;
        cosine += x * ex + y * ey;
        sine += y * ex - x * ey;
        square += x * (double)s->x[i] + y * (double)s->y[i];
    }
    s->whole.inertia = square - (cx * cx + cy * cy) / (double)asset->mass;
    s->center[0] = cx / (double)asset->mass;
    s->center[1] = cy / (double)asset->mass;
    double length = sqrt(cosine * cosine + sine * sine);
    if (length > 1e-12 * (double)(asset->mass * asset->L * asset->L)) {
        s->cosine = (float)(cosine / length); // else it stays what it was
        s->sine = (float)(sine / length);
    }
    s->wish_center[0] = (float)s->center[0];
    s->wish_center[1] = (float)s->center[1];
    if (s->state.nail_count > 0) {
        wri_sprite_fit_nails(s);
    }
}

void wri_sprite_match_whole(wri_sprite *s, float share)
{
    wri_sprite_fit_whole(s);
    if (!(share > 0.0f)) {
        return;
    }
    float cosine = s->cosine, sine = s->sine;
    float cx = s->wish_center[0], cy = s->wish_center[1];
    for (int i = 0; i < s->asset->N; i++) { // eq. 4.8
        s->x[i] += share * (cosine * s->ex[i] - sine * s->ey[i] + cx - s->x[i]);
        s->y[i] += share * (sine * s->ex[i] + cosine * s->ey[i] + cy - s->y[i]);
    }
    wri_sprite_set_nails(s);
}

// Brings a pin's particle and the corners it hangs on together, each in proportion to its inverse
// mass.
void wri_sprite_match_pins(wri_sprite *s)
{
    const wr_sprite_asset *asset = s->asset;
    for (int k = 0; k < asset->pin_count; k++) {
        const wr_pin *pin = &asset->pins[k];
        int i = pin->particle;
        float dx = -s->x[i], dy = -s->y[i], w = s->inverse_masses[i];
        for (int c = 0; c < 3; c++) {
            int j = pin->corners[c];
            dx += pin->weights[c] * s->x[j];
            dy += pin->weights[c] * s->y[j];
            w += pin->weights[c] * pin->weights[c] * s->inverse_masses[j];
        }
        float scale = w > 0.0f ? 1.0f / w : 0.0f;
        s->x[i] += dx * scale * s->inverse_masses[i];
        s->y[i] += dy * scale * s->inverse_masses[i];
        for (int c = 0; c < 3; c++) {
            int j = pin->corners[c];
            s->x[j] -= dx * scale * pin->weights[c] * s->inverse_masses[j];
            s->y[j] -= dy * scale * pin->weights[c] * s->inverse_masses[j];
        }
    }
}
