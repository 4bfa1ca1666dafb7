// fit.c: linear maps between the spaces around a particle, fitted to its neighbours as F is.
#include "clay.h"

bool wri_clay_invert(const float m[9], float out[9])
{
    double a[9], det = 0.0, size = 0.0;
    for (int i = 0; i < 9; i++) {
        a[i] = (double)m[i];
        size += a[i] * a[i];
    }
    double adjugate[9];
    for (int i = 0; i < 9; i++) { // cofactor of the transposed place
        int r = i % 3, c = i / 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
            c2 = (c + 2) % 3;
        adjugate[i] = a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
    }
    for (int k = 0; k < 3; k++) {
        det += a[k] * adjugate[3 * k];
    }
    for (int i = 0; i < 9; i++) {
        out[i] = (float)(adjugate[i] / det);
    }
    return det > 1e-4 * size * sqrt(size);
}

bool wri_clay_fit_at(const wri_clay *c, int i, wri_clay_fit *fit)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    f4 world[3] = {{0}, {0}, {0}}, embedded[3] = {{0}, {0}, {0}};
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        f4 u = c->u[i * NEIGHBOURS + k], x = u[3] * (c->x[j] - c->x[i]);
        f4 e = u[3] * (c->e[j] - c->e[i]);
        for (int column = 0; column < 3; column++) {
            world[column] += u[column] * x;
            embedded[column] += u[column] * e;
        }
    }
    const float *inverse = &c->basis[i / LANES * BASIS_ROWS * LANES + i % LANES]; // A^-1
    for (int n = 0; n < 9; n++) {
        int row = n / 3, column = n % 3;
        fit->world[n] = fit->embedded[n] = 0.0f;
        for (int k = 0; k < 3; k++) {
            float a = inverse[place[k][column] * LANES];
            fit->world[n] += world[k][row] * a;
            fit->embedded[n] += embedded[k][row] * a;
        }
    }
    return !(c->flags[i] & WRI_CLAY_DEGENERATE) && wri_clay_invert(fit->world, fit->from_world) &&
           wri_clay_invert(fit->embedded, fit->from_embedded);
}
