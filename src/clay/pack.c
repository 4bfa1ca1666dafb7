// pack.c: from where the particles are to how their neighbourhoods are deformed and turned.
//
//     F_i = (sum_j w_ij x_ij u_ij^T) A_i^-1         thesis eq. 3.2
//     R_i the rotation nearest to F_i, never a mirror
//
// Rotations are found by Newton's method from those of the substep before, eight at a time.
#include "pack.h"

#include "../math/decompose.h"

static const float EXACT = 1e-7f; // square of the last step; the error left is a power of it
static const float TINY = 1e-30f; // m^2, so that 0/0 is 0
enum { POLAR_STEPS = 6 };

// --- deformation gradients --------------------------------------------------------------------

static void gather_particle(const wri_clay *c, int i, wri_clay_pack *p)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    const f4 *u = &c->u[i * NEIGHBOURS];
    f4 x = c->x[i], pull = {0}, columns[3] = {{0}, {0}, {0}};
    for (int k = 0; k < NEIGHBOURS; k++) {
        f4 rest = u[k], arm = rest[3] * (c->x[neighbours[k]] - x);
        pull += arm;
        columns[0] += rest[0] * arm;
        columns[1] += rest[1] * arm;
        columns[2] += rest[2] * arm;
    }
    int l = i % LANES;
    for (int row = 0; row < 3; row++) {
        p->pull[row][l] = pull[row];
        for (int column = 0; column < 3; column++) {
            p->sum.m[row][column][l] = columns[column][row];
        }
    }
}

// Viscosity along the lines between a particle and its neighbours, see viscosity.c.
static void gather_drag(const wri_clay *c, int i, wri_clay_pack *p)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    const f4 *u = &c->u[i * NEIGHBOURS];
    f4 x = c->x[i], v = c->v[i], sum = {0};
    for (int k = 0; k < NEIGHBOURS; k++) {
        f4 arm = c->x[neighbours[k]] - x;
        sum += u[k][3] * f4_dot(c->v[neighbours[k]] - v, arm) / (f4_dot(arm, arm) + TINY) * arm;
    }
    for (int row = 0; row < 3; row++) {
        p->drag[row][i % LANES] = sum[row];
    }
}

static void gather(const wri_clay *c, int first, bool with_drag, wri_clay_pack *p)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const float *basis = &c->basis[first * BASIS_ROWS];
    const wri_clay_moduli *m = &c->moduli;
    for (int i = first; i < first + LANES; i++) {
        int l = i - first;
        bool there = i < c->count;
        if (there) {
            gather_particle(c, i, p);
        }
        if (there && with_drag) {
            gather_drag(c, i, p);
        }
        float soften = there ? c->soften[i] : 0.0f;
        p->mu[l] = soften * m->mu;
        p->lambda[l] = soften * m->lambda;
        p->volume[l] = there ? wri_clay_volume(c, i) : 0.0f;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            memcpy(&p->inverse.m[i][j], &basis[place[i][j] * LANES], sizeof(f8));
        }
    }
    memcpy(&p->firmness, &basis[9 * LANES], sizeof(f8));
    p->F = mat8_multiply(&p->sum, &p->inverse); // eq. 3.2
}

// --- rotations --------------------------------------------------------------------------------

static mat8 rotation_of(const f8 q[4])
{
    const f8 x = q[0], y = q[1], z = q[2], w = q[3], one = f8_all(1.0f), two = f8_all(2.0f);
    mat8 r = {{{one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)},
               {two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)},
               {two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)}}};
    return r;
}

// q becomes q (1, t/2), normalised.
static void turn(f8 q[4], const f8 t[3])
{
    const f8 half = f8_all(0.5f);
    f8 a = half * t[0], b = half * t[1], c = half * t[2];
    f8 x = q[0] + q[3] * a + q[1] * c - q[2] * b;
    f8 y = q[1] + q[3] * b + q[2] * a - q[0] * c;
    f8 z = q[2] + q[3] * c + q[0] * b - q[1] * a;
    f8 w = q[3] - q[0] * a - q[1] * b - q[2] * c;
    f8 scale = f8_all(1.0f) / f8_sqrt(x * x + y * y + z * z + w * w);
    q[0] = x * scale, q[1] = y * scale, q[2] = z * scale, q[3] = w * scale;
}

// One step of Newton towards the largest tr(R^T F): (tr S - sym S) t = 2 axial(S). Returns the
// square of the angle; NaN where this is no way up.
static f8 newton_step(const mat8 *S, f8 t[3])
{
    const f8 half = f8_all(0.5f), zero = f8_all(0.0f);
    f8 trace = S->m[0][0] + S->m[1][1] + S->m[2][2];
    f8 a = trace - S->m[0][0], b = trace - S->m[1][1], c = trace - S->m[2][2];
    f8 d = -half * (S->m[0][1] + S->m[1][0]), e = -half * (S->m[0][2] + S->m[2][0]);
    f8 f = -half * (S->m[1][2] + S->m[2][1]);
    f8 g[3] = {S->m[2][1] - S->m[1][2], S->m[0][2] - S->m[2][0], S->m[1][0] - S->m[0][1]};
    f8 xx = b * c - f * f, xy = e * f - d * c, xz = d * f - b * e;
    f8 yy = a * c - e * e, yz = d * e - a * f, zz = a * b - d * d;
    f8 det = a * xx + d * xy + e * xz;
    i8 is_convex = (a > zero) & (zz > zero) & (det > zero);
    f8 scale = f8_select(is_convex, f8_all(1.0f) / det, f8_all(NAN));
    t[0] = scale * (xx * g[0] + xy * g[1] + xz * g[2]);
    t[1] = scale * (xy * g[0] + yy * g[1] + yz * g[2]);
    t[2] = scale * (xz * g[0] + yz * g[1] + zz * g[2]);
    return t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
}

// For what Newton's method does not reach: turned inside out, or far from where it began.
static void rotate_alone(wri_clay_pack *p, f8 q[4], int l)
{
    double F[3][3], R[3][3];
    for (int i = 0; i < 9; i++) {
        F[i / 3][i % 3] = (double)p->F.m[i / 3][i % 3][l];
    }
    wri_polar3d((const double(*)[3])F, R, NULL);
    for (int i = 0; i < 9; i++) {
        p->R.m[i / 3][i % 3][l] = (float)R[i / 3][i % 3];
    }
    wr_quat rotation = wri_quat_from_rotation((const double(*)[3])R);
    q[0][l] = rotation.x, q[1][l] = rotation.y, q[2][l] = rotation.z, q[3][l] = rotation.w;
}

static bool basis_is_sound(const wri_clay_pack *p, int l)
{
    return p->volume[l] > 0.0f && p->inverse.m[0][0][l] > 0.0f;
}

static void find_rotations(wri_clay_pack *p, const f4 *start)
{
    const f8 zero = f8_all(0.0f);
    f8 *q = p->q, t[3], squared = f8_all(1.0f);
    for (int k = 0; k < 4 * LANES; k++) {
        q[k % 4][k / 4] = start[k / 4][k % 4];
    }
    p->R = rotation_of(q);
    p->S = mat8_transposed_multiply(&p->R, &p->F);
    for (int step = 0; step < POLAR_STEPS && i8_any(squared > f8_all(EXACT)); step++) {
        squared = newton_step(&p->S, t);
        i8 is_near = squared < f8_all(1.0f);
        for (int k = 0; k < 3; k++) {
            t[k] = f8_select(is_near, t[k], zero);
        }
        turn(q, t);
        p->R = rotation_of(q);
        p->S = mat8_transposed_multiply(&p->R, &p->F);
    }
    for (int l = 0; l < LANES; l++) {
        if (basis_is_sound(p, l) && !(squared[l] <= EXACT)) {
            rotate_alone(p, q, l);
            p->S = mat8_transposed_multiply(&p->R, &p->F);
        }
    }
}

void wri_clay_keep_rotations(wri_clay *c, int first, const wri_clay_pack *p)
{
    for (int k = 0; k < 4 * LANES; k++) {
        c->rotation[first + k / 4][k % 4] = p->q[k % 4][k / 4];
    }
}

void wri_clay_measure_pack(const wri_clay *c, int first, bool with_drag, wri_clay_pack *p)
{
    memset(&p->sum, 0, sizeof p->sum);
    memset(p->pull, 0, sizeof p->pull);
    memset(p->drag, 0, sizeof p->drag);
    gather(c, first, with_drag, p);
    find_rotations(p, &c->rotation[first]);
}
