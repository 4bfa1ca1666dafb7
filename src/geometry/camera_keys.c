// camera_keys.c: the way of a camera through its keys: piecewise cubic, so that it passes each
// smoothly, and monotone between two of them in every number, so that nothing overshoots and two
// equal keys hold it still.
//
// Based on: F. N. Fritsch, J. Butland. A method for constructing local monotone piecewise cubic
// interpolants. SIAM Journal on Scientific and Statistical Computing 5, 1984, in the weighted form
// for uneven times. Symbols: h time between two keys, d slope of the straight line between them. At
// both ends the slope is 0, as the camera waits beyond them.
#include "wrought/stage.h"

enum { NUMBERS = 9 };

static void numbers_of(const wr_camera_key *key, double out[NUMBERS])
{
    const float all[NUMBERS] = {key->from.x, key->from.y, key->from.z, key->to.x, key->to.y,
                                key->to.z,   key->fov,    key->flat,   key->lens};
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = (double)all[i];
    }
}

// Slopes at a key, per second.
static void find_slopes(const wr_camera *camera, int key, double out[NUMBERS])
{
    bool is_end = key == 0 || key == camera->key_count - 1;
    double x[3][NUMBERS], h[2];
    for (int i = 0; i < 3 && !is_end; i++) {
        numbers_of(&camera->keys[key - 1 + i], x[i]);
    }
    for (int k = 0; k < 2 && !is_end; k++) {
        h[k] = camera->keys[key + k].time - camera->keys[key + k - 1].time;
    }
    for (int i = 0; i < NUMBERS; i++) {
        double d0 = is_end ? 0.0 : (x[1][i] - x[0][i]) / h[0];
        double d1 = is_end ? 0.0 : (x[2][i] - x[1][i]) / h[1];
        out[i] = d0 * d1 > 0.0
                     ? 3.0 * (h[0] + h[1]) / ((2.0 * h[1] + h[0]) / d0 + (h[1] + 2.0 * h[0]) / d1)
                     : 0.0;
    }
}

// Cubic Hermite interpolation between a key and the next.
static void mix(const wr_camera *camera, int key, double time, double out[NUMBERS])
{
    double a[NUMBERS], b[NUMBERS], slope_a[NUMBERS], slope_b[NUMBERS];
    double begin = camera->keys[key].time, h = camera->keys[key + 1].time - begin;
    double t = (time - begin) / h, u = 1.0 - t;
    numbers_of(&camera->keys[key], a);
    numbers_of(&camera->keys[key + 1], b);
    find_slopes(camera, key, slope_a);
    find_slopes(camera, key + 1, slope_b);
    for (int i = 0; i < NUMBERS; i++) {
        out[i] = u * u * (1.0 + 2.0 * t) * a[i] + t * t * (1.0 + 2.0 * u) * b[i] +
                 h * t * u * (u * slope_a[i] - t * slope_b[i]);
    }
}

wr_camera wr_camera_at(const wr_camera *camera, double time)
{
    wr_camera c = *camera;
    int last = camera->key_count - 1, key = 0;
    c.keys = NULL;
    c.key_count = 0;
    if (last < 0) {
        return c;
    }
    while (key < last && !(time < camera->keys[key + 1].time)) {
        key++;
    }
    double x[NUMBERS];
    if (key == last || !(time > camera->keys[key].time)) {
        numbers_of(&camera->keys[key], x);
    } else {
        mix(camera, key, time, x);
    }
    c.from = wr_v3((float)x[0], (float)x[1], (float)x[2]);
    c.to = wr_v3((float)x[3], (float)x[4], (float)x[5]);
    c.fov = (float)x[6];
    c.flat = (float)x[7];
    c.lens = (float)x[8];
    return c;
}
