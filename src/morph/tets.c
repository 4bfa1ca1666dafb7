// tets.c: elasticity of single tetrahedra with linear displacements.
//
// With D the gradient of the displacement in the rest shape of its target, F = I + D, the strain of
// St. Venant-Kirchhoff is E = (F^T F - I) / 2, its energy V (mu E:E + lambda/2 tr(E)^2) and the
// forces that hold its corners V F S g, with S = 2 mu E + lambda tr(E) I and g the gradients of the
// corners' functions. Linear elasticity has E = (D + D^T) / 2 and F = I there.
#include "morph.h"

static const double FLAT = 0.05; // of its volume in the model: a target that leaves less is not
                                 // taken at its word

static void find_corners(const wr_morph_data *d, int target, int tet, double x[4][3])
{
    const wr_vec3 *offset = d->offsets + (ptrdiff_t)target * d->node_count;
    for (int i = 0; i < 4; i++) {
        int node = d->tets[4 * tet + i];
        wr_vec3 at = d->nodes[node], by = target < 0 ? wr_v3(0, 0, 0) : offset[node];
        x[i][0] = (double)at.x + (double)by.x;
        x[i][1] = (double)at.y + (double)by.y;
        x[i][2] = (double)at.z + (double)by.z;
    }
}

static double find_gradients(double x[4][3], double g[4][3])
{
    double e[3][3], c[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = x[i + 1][k] - x[0][k];
        }
    }
    wri_cross3(e[1], e[2], c[0]);
    wri_cross3(e[2], e[0], c[1]);
    wri_cross3(e[0], e[1], c[2]);
    double det = wri_dot3(e[0], c[0]);
    for (int k = 0; k < 3; k++) {
        g[0][k] = 0.0;
        for (int i = 0; i < 3; i++) {
            g[i + 1][k] = c[i][k] / det;
            g[0][k] -= g[i + 1][k];
        }
    }
    return det / 6.0;
}

bool wri_tet_find(const wr_morph_data *data, int target, int tet, wri_tet *out)
{
    double x[4][3], young = data->young[(ptrdiff_t)target * data->tet_count + tet];
    double nu = data->poisson[target];
    find_corners(data, -1, tet, x);
    double volume = find_gradients(x, out->gradients);
    find_corners(data, target, tet, x);
    out->volume = find_gradients(x, out->gradients);
    bool is_turned = !(out->volume > FLAT * volume);
    if (is_turned) {
        find_corners(data, -1, tet, x);
        out->volume = find_gradients(x, out->gradients);
    }
    memcpy(out->nodes, data->tets + 4 * (ptrdiff_t)tet, sizeof out->nodes);
    out->lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    out->mu = 0.5 * young / (1.0 + nu);
    return is_turned;
}

// V (lambda g_a g_b^T + mu (g_a . g_b I + g_b g_a^T))
void wri_tet_stiffness(const wri_tet *t, int a, int b, double out[9])
{
    const double *ga = t->gradients[a], *gb = t->gradients[b];
    double shear = t->mu * wri_dot3(ga, gb);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = t->volume * (t->lambda * ga[i] * gb[j] + t->mu * gb[i] * ga[j] +
                                          (i == j ? shear : 0.0));
        }
    }
}

// --- St. Venant-Kirchhoff -----------------------------------------------------------------------

static double find_stress(const wri_tet *t, const double F[3][3], double S[3][3])
{
    double E[3][3], trace = 0.0, square = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += F[k][i] * F[k][j];
            }
            E[i][j] = 0.5 * (sum - (i == j ? 1.0 : 0.0));
            square += E[i][j] * E[i][j];
        }
        trace += E[i][i];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S[i][j] = 2.0 * t->mu * E[i][j] + (i == j ? t->lambda * trace : 0.0);
        }
    }
    return t->volume * (t->mu * square + 0.5 * t->lambda * trace * trace);
}

// With f_a = F g_a: V (lambda f_a f_b^T + mu ((g_a . g_b) F F^T + f_b f_a^T) + (g_a . S g_b) I)
static void find_tangent(const wri_tet *t, const double F[3][3], const double S[3][3], int a, int b,
                         double out[9])
{
    const double *ga = t->gradients[a], *gb = t->gradients[b];
    double fa[3], fb[3], Sg[3];
    for (int i = 0; i < 3; i++) {
        fa[i] = wri_dot3(F[i], ga);
        fb[i] = wri_dot3(F[i], gb);
        Sg[i] = wri_dot3(S[i], gb);
    }
    double shear = t->mu * wri_dot3(ga, gb), stress = wri_dot3(ga, Sg);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = t->volume * (t->lambda * fa[i] * fb[j] + t->mu * fb[i] * fa[j] +
                                          shear * wri_dot3(F[i], F[j]) + (i == j ? stress : 0.0));
        }
    }
}

double wri_tet_stvk(const wri_tet *t, const double u[4][3], double force[4][3],
                    double tangent[4][4][9])
{
    double F[3][3], S[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            F[i][j] = i == j ? 1.0 : 0.0;
            for (int a = 0; a < 4; a++) {
                F[i][j] += u[a][i] * t->gradients[a][j];
            }
        }
    }
    double energy = find_stress(t, F, S);
    for (int a = 0; a < 4; a++) {
        double Sg[3];
        for (int i = 0; i < 3; i++) {
            Sg[i] = wri_dot3(S[i], t->gradients[a]);
        }
        for (int i = 0; i < 3; i++) {
            force[a][i] = t->volume * wri_dot3(F[i], Sg);
        }
        for (int b = 0; tangent && b < 4; b++) {
            find_tangent(t, F, S, a, b, tangent[a][b]);
        }
    }
    return energy;
}
