// sparse_code.c: orthogonal matching pursuit, point by point.
//
// Y. C. Pati, R. Rezaiifar, P. S. Krishnaprasad. Orthogonal matching pursuit. Asilomar 1993; with
// the products of all atoms at hand, as in R. Rubinstein, M. Zibulevsky, M. Elad. Efficient
// implementation of the K-SVD algorithm using batch orthogonal matching pursuit. Technion 2008.
// Symbols: D the atoms as columns, G = D^T D, x a path, a = D^T x, I the chosen atoms, c their
// coefficients, L the Cholesky factor of G_II. A path has three coordinates, which share I. We stop
// at the greatest error of any moment, which is what is seen, and not at the sum of squares.
#include "sparse_code.h"

#include <math.h>

// An atom is left aside when less of its square than this is new.
#define LEAST_NEW 1e-3

void wri_atoms_multiply(const float *values, int rows, int count, float *gram)
{
    for (int a = 0; a < count; a++) {
        for (int b = 0; b <= a; b++) {
            double sum = 0.0;
            for (int j = 0; j < rows; j++) {
                const float *row = values + (size_t)j * (size_t)count;
                sum += (double)row[a] * (double)row[b];
            }
            gram[(size_t)a * (size_t)count + (size_t)b] = (float)sum;
            gram[(size_t)b * (size_t)count + (size_t)a] = (float)sum;
        }
    }
}

wr_vec3 wri_code_place(const wri_atoms *atoms, const wri_code *code, int row)
{
    const float *values = atoms->values + (size_t)row * (size_t)atoms->count;
    wr_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < code->count; i++) {
        sum = wr_add_scaled(sum, values[code->atoms[i]], code->coefficients[i]);
    }
    return sum;
}

// Stops at a moment in which it is off by more than the tolerance; where it was at last is the
// first to be looked at.
static bool is_within(const wri_atoms *atoms, const wr_vec3 *path, float tolerance, wri_code *code)
{
    for (int i = -1; i < atoms->rows; i++) {
        int j = i < 0 ? code->worst : i;
        wr_vec3 off = wr_sub(wri_code_place(atoms, code, j), path[j]);
        if (wr_dot(off, off) > tolerance * tolerance) {
            code->worst = j;
            return false;
        }
    }
    return true;
}

static void measure(const wri_atoms *atoms, const wr_vec3 *path, wri_code *code)
{
    float most = 0.0f;
    code->worst = 0;
    for (int j = 0; j < atoms->rows; j++) {
        wr_vec3 off = wr_sub(wri_code_place(atoms, code, j), path[j]);
        float square = wr_dot(off, off);
        if (square > most) {
            most = square;
            code->worst = j;
        }
    }
    code->error = sqrtf(most);
}

// a = D^T x, coordinate after coordinate.
static void correlate(const wri_atoms *atoms, const wr_vec3 *path, float *a)
{
    int n = atoms->count;
    memset(a, 0, 3 * (size_t)n * sizeof *a);
    for (int j = 0; j < atoms->rows; j++) {
        const float *row = atoms->values + (size_t)j * (size_t)n;
        wr_vec3 x = path[j];
        for (int k = 0; k < n; k++) {
            a[k] += row[k] * x.x;
            a[n + k] += row[k] * x.y;
            a[2 * n + k] += row[k] * x.z;
        }
    }
}

// The atom that takes most of what is left, D^T (x - D_I c) = a - G_I c; -1: none takes any.
static int choose(const wri_atoms *atoms, const wri_code *code, const float *a, float *left)
{
    int n = atoms->count, best = -1;
    float most = 0.0f;
    memcpy(left, a, 3 * (size_t)n * sizeof *left);
    for (int i = 0; i < code->count; i++) {
        const float *g = atoms->gram + (size_t)code->atoms[i] * (size_t)n;
        wr_vec3 c = code->coefficients[i];
        for (int k = 0; k < n; k++) {
            left[k] -= g[k] * c.x;
            left[n + k] -= g[k] * c.y;
            left[2 * n + k] -= g[k] * c.z;
        }
    }
    for (int k = 0; k < n; k++) {
        float square = atoms->gram[(size_t)k * (size_t)n + (size_t)k];
        float x = left[k], y = left[n + k], z = left[2 * n + k];
        float share = square > 0.0f ? (x * x + y * y + z * z) / square : 0.0f;
        bool used = false;
        for (int i = 0; i < code->count; i++) {
            used = used || code->atoms[i] == k;
        }
        if (!used && share > most) {
            most = share;
            best = k;
        }
    }
    return best;
}

typedef double factor[WRI_CODE_MOST][WRI_CODE_MOST]; // L

// Adds a row to L. False: the atom is all but a sum of those that are there.
static bool extend(const wri_atoms *atoms, const wri_code *code, int atom, factor lower)
{
    const float *g = atoms->gram + (size_t)atom * (size_t)atoms->count;
    int n = code->count;
    double rest = (double)g[atom];
    for (int i = 0; i < n; i++) {
        double sum = (double)g[code->atoms[i]];
        for (int k = 0; k < i; k++) {
            sum -= lower[i][k] * lower[n][k];
        }
        lower[n][i] = sum / lower[i][i];
        rest -= lower[n][i] * lower[n][i];
    }
    lower[n][n] = sqrt(fmax(rest, 0.0));
    return rest > LEAST_NEW * (double)g[atom];
}

// G_II c = a_I
static void solve(const wri_atoms *atoms, const float *a, const factor lower, wri_code *code)
{
    double c[WRI_CODE_MOST];
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < code->count; i++) {
            c[i] = (double)a[axis * atoms->count + code->atoms[i]];
            for (int k = 0; k < i; k++) {
                c[i] -= lower[i][k] * c[k];
            }
            c[i] /= lower[i][i];
        }
        for (int i = code->count - 1; i >= 0; i--) {
            for (int k = i + 1; k < code->count; k++) {
                c[i] -= lower[k][i] * c[k];
            }
            c[i] /= lower[i][i];
            float *out = &code->coefficients[i].x;
            out[axis] = (float)c[i];
        }
    }
}

wri_code wri_code_find(const wri_atoms *atoms, const wr_vec3 *path, float tolerance, float *room)
{
    float *a = room, *left = room + 3 * (size_t)atoms->count;
    factor lower;
    wri_code code = {0};
    bool done = is_within(atoms, path, tolerance, &code);
    if (!done) {
        correlate(atoms, path, a);
    }
    while (!done && code.count < WRI_CODE_MOST) {
        int atom = choose(atoms, &code, a, left);
        if (atom < 0 || !extend(atoms, &code, atom, lower)) {
            break;
        }
        code.atoms[code.count++] = atom;
        solve(atoms, a, lower, &code);
        done = is_within(atoms, path, tolerance, &code);
    }
    measure(atoms, path, &code);
    return code;
}
