// fuse.c: parts of a body that were apart grow together where they touch.
//
// Who is near whom is asked in embedded space, where parts keep the distance they had at first. A
// part that touches another one is moved and turned there to where it lies in the world, as seen by
// the particle it touches: then both find neighbours in each other.
#include "clay.h"

#include "../math/decompose.h"

static void multiply(const float a[9], const float b[9], float out[9])
{
    for (int k = 0; k < 9; k++) {
        out[k] = 0.0f;
        for (int l = 0; l < 3; l++) {
            out[k] += a[k / 3 * 3 + l] * b[3 * l + k % 3];
        }
    }
}

static void nearest_rotation(const float m[9], float out[9])
{
    double M[3][3], R[3][3];
    for (int k = 0; k < 9; k++) {
        M[k / 3][k % 3] = (double)m[k];
    }
    wri_polar3d((const double(*)[3])M, R, NULL);
    for (int k = 0; k < 9; k++) {
        out[k] = (float)R[k / 3][k % 3];
    }
}

bool wri_clay_fuse(wri_clay *c, int i, int j)
{
    wri_clay_fit at, other;
    if (!wri_clay_fit_at(c, i, &at) || !wri_clay_fit_at(c, j, &other)) {
        return false;
    }
    float to_embedded[9], from_embedded[9], both[9], turn[9];
    multiply(at.embedded, at.from_world, to_embedded);
    multiply(other.world, other.from_embedded, from_embedded);
    multiply(to_embedded, from_embedded, both);
    nearest_rotation(both, turn);
    f4 from = c->e[j], to = c->e[i] + wri_clay_apply(to_embedded, c->x[j] - c->x[i]);
    int part = c->component[j];
    for (int k = 0; k < c->count; k++) {
        if (c->component[k] == part) {
            c->e[k] = to + wri_clay_apply(turn, c->e[k] - from);
        }
    }
    return true;
}
