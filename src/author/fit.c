// fit.c: poses of handles from moments.
//
// Symbols: T the rows of all handles' maps, A and G (g) the moments of fit_moments.c, l a
// stiffness, R rotations.
//     E = tr(T' A T) - 2 tr(T' G) + l tr(T' bond T)                                     (a)
// is minimised, the squared distance from the targets, over a rotation and an offset per handle. As
// in B. H. Le, Z. Deng. Smooth skinning decomposition with rigid bones. SIGGRAPH Asia 2012, one
// handle at a time has a closed form (eq. 7-9 there): that finds turns of any angle from far away,
// but creeps where handles overlap. Newton's method on all handles together (Levenberg-Marquardt
// with R <- exp(w) R) finishes in a few steps.
//
// Handles that few targets tell about, or two that the targets cannot tell apart, are settled by a
// bond between neighbours, the last term. l starts large and falls as long as that brings the
// targets clearly nearer; so what a pose of the handles can express it gets exactly, and what none
// can is not chased with wild poses: that is what correctives are for.
//
// With stretch every handle has a free affine map, which is one linear system per l.
#include "fit.h"

#include "../math/decompose.h"
#include "wrought/example.h"

#define SOFTEST 1e-9 // l
#define HARDEST 1e-2
#define PAYS 0.9 // a smaller l must leave less than this part of the distance
enum { SWEEPS = 20, NEWTON_LIMIT = 40, NEWTON_HANDLES = 160 };

typedef struct solver {
    wri_fit *fit;
    int dofs;          // per handle: 6, in the plane 3
    double *a;         // A + l bond
    double *t, *trial; // m x 3
    double *slope;     // m x 3
    double *matrix, *system, *step;
    int *list; // list of free rows
} solver;

// --- poses as rows ----------------------------------------------------------------------------

uint8_t wri_fit_fixed(const wri_fit *fit, int handle)
{
    uint8_t all = WR_FIX_OFFSET | WR_FIX_ROTATION;
    return !fit->poses ? 0 : !fit->fixed ? all : fit->fixed[handle];
}

static void set_rows(const double r[3][3], const double at[3], double rows[12])
{
    for (int i = 0; i < 12; i++) { // row i / 3, coordinate i % 3
        rows[i] = i < 9 ? r[i % 3][i / 3] : at[i % 3];
    }
}

static void get_rotation(const double *rows, double r[3][3])
{
    for (int i = 0; i < 9; i++) {
        r[i % 3][i / 3] = rows[i];
    }
}

static void rotation_of(wr_quat q, double r[3][3])
{
    double x = q.x, y = q.y, z = q.z, w = q.w, s = 2.0 / (x * x + y * y + z * z + w * w);
    const double m[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                            {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                            {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

void wri_fit_rows(const wri_fit *fit, int handle, const wr_handle_pose *pose, double rows[12])
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double r[3][3], map[3][3] = {{0}};
    rotation_of(pose->rotation, r);
    for (int i = 0; fit->stretch && i < 27; i++) {
        map[i / 9][i / 3 % 3] += r[i / 9][i % 3] * (double)pose->stretch[place[i % 3][i / 3 % 3]];
    }
    wr_vec3 c = fit->rig->handles[handle].pivot;
    const double at[3] = {((double)c.x - fit->middle[0] + (double)pose->offset.x) / fit->size,
                          ((double)c.y - fit->middle[1] + (double)pose->offset.y) / fit->size,
                          ((double)c.z - fit->middle[2] + (double)pose->offset.z) / fit->size};
    set_rows((const double(*)[3])(fit->stretch ? map : r), at, rows);
}

wr_handle_pose wri_fit_pose(const wri_fit *fit, int handle)
{
    const double *rows = fit->t + 12 * (size_t)handle;
    double a[3][3], r[3][3], s[3][3];
    get_rotation(rows, a);
    wri_polar3d((const double(*)[3])a, r, s);
    wr_vec3 c = fit->rig->handles[handle].pivot;
    wr_handle_pose pose = {
        .rotation = wri_quat_from_rotation((const double(*)[3])r),
        .offset = {(float)(rows[9] * fit->size - ((double)c.x - fit->middle[0])),
                   (float)(rows[10] * fit->size - ((double)c.y - fit->middle[1])),
                   (float)(rows[11] * fit->size - ((double)c.z - fit->middle[2]))},
        .stretch = {1, 1, 1}};
    for (int i = 0; fit->stretch && i < 6; i++) {
        static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        pose.stretch[i] = (float)s[place[i][0]][place[i][1]];
    }
    uint8_t fixed = wri_fit_fixed(fit, handle);
    if (fixed & WR_FIX_OFFSET) {
        pose.offset = fit->poses[handle].offset;
    }
    if (fixed & WR_FIX_ROTATION) {
        pose.rotation = fit->poses[handle].rotation;
        for (int i = 0; fit->stretch && i < 6; i++) {
            pose.stretch[i] = fit->poses[handle].stretch[i];
        }
    }
    return pose;
}

void wri_fit_rotation(int dimension, double h[3][3], const double before[3][3], double r[3][3])
{
    double little = 1e-30;
    for (int i = 0; i < 9; i++) {
        little += 1e-9 * fabs(h[i / 3][i % 3]);
    }
    for (int i = 0; i < 9; i++) {
        h[i / 3][i % 3] += little * before[i / 3][i % 3];
    }
    if (dimension == 2) {
        h[2][2] = fabs(h[0][0]) + fabs(h[0][1]) + fabs(h[1][0]) + fabs(h[1][1]);
        h[0][2] = h[1][2] = h[2][0] = h[2][1] = 0.0;
    }
    wri_polar3d((const double(*)[3])h, r, NULL);
}

// --- energy -----------------------------------------------------------------------------------

// Computes A t - g, half the gradient of (a), into out; returns tr(t' (A t - 2 g)).
static double find_slope(const wri_fit *fit, const double *a, const double *g, const double *t,
                         double *out)
{
    double sum = 0.0;
    int m = fit->m;
    for (int i = 0; i < m; i++) {
        const double *row = a + (size_t)i * (size_t)m;
        double s[3] = {0};
        for (int j = 0; j < m; j++) {
            s[0] += row[j] * t[3 * j];
            s[1] += row[j] * t[3 * j + 1];
            s[2] += row[j] * t[3 * j + 2];
        }
        for (int x = 0; x < 3; x++) {
            double right = g ? g[3 * i + x] : 0.0;
            out[3 * i + x] = s[x] - right;
            sum += t[3 * i + x] * (s[x] - 2.0 * right);
        }
    }
    return sum;
}

static double energy(solver *s, const double *t)
{
    return find_slope(s->fit, s->a, s->fit->g, t, s->slope) + s->fit->constant;
}

// Returns the mean squared distance from the targets alone.
static double distance2(solver *s, const double *t)
{
    double d = find_slope(s->fit, s->fit->a, s->fit->g, t, s->slope) + s->fit->constant;
    return d > 0.0 ? d : 0.0;
}

static void set_stiffness(solver *s, double l)
{
    size_t count = (size_t)s->fit->m * (size_t)s->fit->m;
    for (size_t i = 0; i < count; i++) {
        s->a[i] = s->fit->a[i] + l * s->fit->bond[i];
    }
}

// --- one handle after another -----------------------------------------------------------------

// Computes what the other handles leave for handle b to explain: four rows.
static void find_rest(const solver *s, int b, double n[12])
{
    const wri_fit *fit = s->fit;
    size_t m = (size_t)fit->m;
    for (int i = 0; i < 4; i++) {
        size_t at = (size_t)(4 * b + i);
        const double *row = s->a + at * m;
        double sum[3] = {fit->g[3 * at], fit->g[3 * at + 1], fit->g[3 * at + 2]};
        for (size_t j = 0; j < m; j++) {
            for (int x = 0; x < 3 && (int)j / 4 != b; x++) {
                sum[x] -= row[j] * s->t[3 * j + (size_t)x];
            }
        }
        memcpy(n + 3 * i, sum, sizeof sum);
    }
}

// Finds the best rotation and offset of one handle (Le and Deng, eq. 7-9).
static void place_handle(solver *s, int b)
{
    const wri_fit *fit = s->fit;
    uint8_t fixed = wri_fit_fixed(fit, b);
    double n[12], own[4], h[3][3], before[3][3], r[3][3], *t = s->t + 12 * (size_t)b;
    find_rest(s, b, n);
    for (int i = 0; i < 4; i++) { // sums of w s and of w^2
        own[i] = s->a[(size_t)(4 * b + i) * (size_t)fit->m + (size_t)(4 * b + 3)];
    }
    bool moves = !(fixed & WR_FIX_OFFSET) && own[3] > 0.0;
    get_rotation(t, before);
    memcpy(r, before, sizeof r);
    for (int i = 0; i < 9; i++) {
        int x = i / 3, d = i % 3;
        h[x][d] = n[3 * d + x] - own[d] * (moves ? n[9 + x] / own[3] : t[9 + x]);
    }
    if (!(fixed & WR_FIX_ROTATION)) {
        wri_fit_rotation(fit->rig->dimension, h, (const double(*)[3])before, r);
    }
    double at[3] = {t[9], t[10], t[11]};
    for (int x = 0; moves && x < fit->rig->dimension; x++) {
        at[x] = (n[9 + x] - r[x][0] * own[0] - r[x][1] * own[1] - r[x][2] * own[2]) / own[3];
    }
    set_rows((const double(*)[3])r, at, t);
}

// --- all handles at once ----------------------------------------------------------------------

static void cross_matrix(const double v[3], double factor, double out[3][3])
{
    const double m[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = factor * m[i / 3][i % 3];
    }
}

// Computes J_b' J_c of turns and offsets of two handles, summed over the targets: with a = R_b s_b
// and e = R_c s_c it is [a]' [e] = (a . e) I - e a' for the turns.
static void couple(const solver *s, const double rb[3][3], const double rc[3][3], int b, int c,
                   double out[6][6])
{
    double block[4][4], half[3][3] = {{0}}, q[3][3] = {{0}}, left[3] = {0}, right[3] = {0};
    for (int i = 0; i < 16; i++) {
        block[i / 4][i % 4] =
            s->a[(size_t)(4 * b + i / 4) * (size_t)s->fit->m + (size_t)(4 * c + i % 4)];
    }
    for (int i = 0; i < 27; i++) {
        half[i / 9][i / 3 % 3] += rb[i / 9][i % 3] * block[i % 3][i / 3 % 3];
    }
    for (int i = 0; i < 27; i++) {
        q[i / 9][i / 3 % 3] += half[i / 9][i % 3] * rc[i / 3 % 3][i % 3];
    }
    for (int i = 0; i < 9; i++) {
        left[i / 3] += rb[i / 3][i % 3] * block[i % 3][3];
        right[i / 3] += rc[i / 3][i % 3] * block[3][i % 3];
    }
    double turn_move[3][3], move_turn[3][3], trace = q[0][0] + q[1][1] + q[2][2];
    cross_matrix(left, 1.0, turn_move);
    cross_matrix(right, -1.0, move_turn);
    for (int i = 0; i < 9; i++) {
        int x = i / 3, y = i % 3;
        out[x][y] = (x == y ? trace : 0.0) - q[y][x];
        out[x][3 + y] = turn_move[x][y];
        out[3 + x][y] = move_turn[x][y];
        out[3 + x][3 + y] = x == y ? block[3][3] : 0.0;
    }
}

// Degrees of freedom that are unknowns, of rotation x y z, offset x y z.
static const int all_dofs[6] = {0, 1, 2, 3, 4, 5}, plane_dofs[3] = {2, 3, 4};

static bool is_fixed(const wri_fit *fit, int b, int dof)
{
    return wri_fit_fixed(fit, b) & (dof < 3 ? WR_FIX_ROTATION : WR_FIX_OFFSET);
}

static void fill_newton(solver *s)
{
    const wri_fit *fit = s->fit;
    const int *list = s->dofs == 6 ? all_dofs : plane_dofs;
    int handles = fit->rig->handle_count;
    size_t n = (size_t)(s->dofs * handles);
    for (int b = 0; b < handles; b++) {
        double rb[3][3];
        get_rotation(s->t + 12 * (size_t)b, rb);
        const double *slope = s->slope + 12 * (size_t)b;
        double turn[3] = {0};
        for (int i = 0; i < 9; i++) { // gradient row i / 3, coordinate i % 3, turned about y and z
            int d = i / 3, x = i % 3, y = (x + 1) % 3, z = (x + 2) % 3;
            turn[y] -= slope[3 * d + x] * rb[z][d];
            turn[z] += slope[3 * d + x] * rb[y][d];
        }
        for (int i = 0; i < s->dofs; i++) {
            double g = list[i] < 3 ? turn[list[i]] : -slope[9 + list[i] - 3];
            s->step[s->dofs * b + i] = is_fixed(fit, b, list[i]) ? 0.0 : g;
        }
        for (int c = 0; c < handles; c++) {
            double rc[3][3], block[6][6];
            get_rotation(s->t + 12 * (size_t)c, rc);
            couple(s, (const double(*)[3])rb, (const double(*)[3])rc, b, c, block);
            for (int i = 0; i < s->dofs * s->dofs; i++) {
                int row = i / s->dofs, column = i % s->dofs;
                bool fixed = is_fixed(fit, b, list[row]) || is_fixed(fit, c, list[column]);
                s->matrix[(size_t)(s->dofs * b + row) * n + (size_t)(s->dofs * c + column)] =
                    !fixed ? block[list[row]][list[column]] : b == c && row == column;
            }
        }
    }
}

// Solves by Cholesky in place; x becomes the answer. False when a is not positive definite.
static bool solve_dense(double *a, double *x, size_t n, size_t columns)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < n; i++) {
            double sum = x[i * columns + c];
            for (size_t k = 0; k < i; k++) {
                sum -= a[i * n + k] * x[k * columns + c];
            }
            x[i * columns + c] = sum / a[i * n + i];
        }
        for (size_t i = n; i-- > 0;) {
            double sum = x[i * columns + c];
            for (size_t k = i + 1; k < n; k++) {
                sum -= a[k * n + i] * x[k * columns + c];
            }
            x[i * columns + c] = sum / a[i * n + i];
        }
    }
    return true;
}

// Moves t by the step into trial: R <- exp(w) R.
static void apply_step(const solver *s, const double *step)
{
    const int *list = s->dofs == 6 ? all_dofs : plane_dofs;
    for (int b = 0; b < s->fit->rig->handle_count; b++) {
        const double *t = s->t + 12 * (size_t)b;
        double move[6] = {0}, r[3][3], turn[3][3], next[3][3] = {{0}};
        for (int i = 0; i < s->dofs; i++) {
            move[list[i]] = step[s->dofs * b + i];
        }
        double angle = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
        double half = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
        double x = half * move[0], y = half * move[1], z = half * move[2], w = cos(0.5 * angle);
        const double m[3][3] = {
            {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
        memcpy(turn, m, sizeof m);
        get_rotation(t, r);
        for (int i = 0; i < 27; i++) {
            next[i / 9][i / 3 % 3] += turn[i / 9][i % 3] * r[i % 3][i / 3 % 3];
        }
        const double at[3] = {t[9] + move[3], t[10] + move[4], t[11] + move[5]};
        set_rows((const double(*)[3])next, at, s->trial + 12 * (size_t)b);
    }
}

// Minimises by Levenberg-Marquardt from t.
static void newton(solver *s)
{
    size_t n = (size_t)(s->dofs * s->fit->rig->handle_count);
    double damping = 1e-4, now = energy(s, s->t), *step = s->step + n;
    for (int round = 0; round < NEWTON_LIMIT; round++) {
        fill_newton(s); // needs the slope that energy left
        double trace = 0.0, change = 0.0;
        for (size_t i = 0; i < n; i++) {
            trace += s->matrix[i * n + i];
        }
        bool better = false;
        for (int attempt = 0; attempt < 12 && !better; attempt++) {
            memcpy(s->system, s->matrix, n * n * sizeof *s->system);
            memcpy(step, s->step, n * sizeof *step);
            for (size_t i = 0; i < n; i++) {
                s->system[i * n + i] *= 1.0 + damping;
                s->system[i * n + i] += 1e-14 * trace / (double)n;
            }
            if (solve_dense(s->system, step, n, 1)) {
                apply_step(s, step);
                better = energy(s, s->trial) < now;
            }
            damping = better ? 0.1 * damping : 8.0 * damping;
        }
        s->fit->rounds++;
        if (!better) {
            return;
        }
        double *kept = s->t;
        s->t = s->trial;
        s->trial = kept;
        double next = energy(s, s->t);
        for (size_t i = 0; i < n; i++) {
            change = fmax(change, fabs(step[i]));
        }
        bool is_done = change < 1e-8 || now - next < 1e-7 * now;
        now = next;
        if (is_done) {
            return;
        }
    }
}

static bool is_small(const wri_fit *fit)
{
    return fit->rig->handle_count <= NEWTON_HANDLES;
}

static void sweep(solver *s, int rounds)
{
    for (int i = 0; i < rounds * s->fit->rig->handle_count; i++) {
        place_handle(s, i % s->fit->rig->handle_count);
    }
}

// --- affine maps ------------------------------------------------------------------------------

// Without rotations everything is linear. What nothing tells about stays near the starts.
static void solve_affine(solver *s)
{
    const wri_fit *fit = s->fit;
    size_t m = (size_t)fit->m, n = 0;
    int *list = s->list;
    double trace = 0.0;
    for (size_t i = 0; i < m; i++) {
        trace += s->a[i * m + i];
        uint8_t bit = i % 4 < 3 ? WR_FIX_ROTATION : WR_FIX_OFFSET;
        if (!(wri_fit_fixed(fit, (int)i / 4) & bit)) {
            list[n++] = (int)i;
        }
    }
    double pull = 1e-12 * trace / (double)m;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)list[i];
        for (size_t x = 0; x < 3; x++) {
            s->step[3 * i + x] = fit->g[3 * row + x] + pull * s->t[3 * row + x];
            for (size_t j = 0, next = 0; j < m; j++) {
                bool is_free = next < n && (size_t)list[next] == j;
                next += is_free;
                s->step[3 * i + x] -= is_free ? 0.0 : s->a[row * m + j] * s->t[3 * j + x];
            }
        }
        for (size_t j = 0; j < n; j++) {
            s->system[i * n + j] = s->a[row * m + (size_t)list[j]] + (i == j ? pull : 0.0);
        }
    }
    if (solve_dense(s->system, s->step, n, 3)) {
        for (size_t i = 0; i < 3 * n; i++) {
            s->t[3 * (size_t)list[i / 3] + i % 3] = s->step[i];
        }
    }
    s->fit->rounds++;
}

// --- all together -----------------------------------------------------------------------------

// 0: at rest, 1: everything moved as one, 2: every handle as what is around it.
static void set_start(solver *s, int start)
{
    static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const wri_fit *fit = s->fit;
    for (int b = 0; b < fit->rig->handle_count; b++) {
        double rows[12], given[12], *t = s->t + 12 * (size_t)b, pivot[3];
        wr_handle_pose rest = {.rotation = WR_QUAT_IDENTITY, .stretch = {1, 1, 1}};
        wri_fit_rows(fit, b, &rest, rows);
        memcpy(pivot, rows + 9, sizeof pivot);
        if (start == 0) {
            set_rows(identity, pivot, t);
        } else if (start == 1) {
            memcpy(t, fit->rigid, 12 * sizeof *t);
            for (int i = 0; i < 9; i++) {
                t[9 + i % 3] += fit->rigid[i] * pivot[i / 3];
            }
        } else {
            memcpy(t, fit->starts + 12 * (size_t)b, 12 * sizeof *t);
        }
        uint8_t fixed = wri_fit_fixed(fit, b);
        if (fixed) {
            wri_fit_rows(fit, b, &fit->poses[b], given);
        }
        for (int i = 0; fixed && i < 12; i++) {
            bool keeps = fixed & (i < 9 ? WR_FIX_ROTATION : WR_FIX_OFFSET);
            t[i] = keeps ? given[i] : t[i];
        }
    }
}

static bool alloc_solver(solver *s, wri_arena *arena)
{
    size_t m = (size_t)s->fit->m, handles = (size_t)s->fit->rig->handle_count;
    bool newton_too = is_small(s->fit) && !s->fit->stretch;
    size_t n = newton_too ? (size_t)s->dofs * handles : s->fit->stretch ? m : 0;
    s->a = wri_arena_alloc(arena, m * m, sizeof(double));
    s->t = wri_arena_alloc(arena, 3 * m, sizeof(double));
    s->trial = wri_arena_alloc(arena, 3 * m, sizeof(double));
    s->slope = wri_arena_alloc(arena, 3 * m, sizeof(double));
    s->matrix = wri_arena_alloc(arena, newton_too ? n * n : 0, sizeof(double));
    s->system = wri_arena_alloc(arena, n * n, sizeof(double));
    s->step = wri_arena_alloc(arena, 3 * n, sizeof(double));
    s->list = wri_arena_alloc(arena, m, sizeof(int));
    return s->a && s->t && s->trial && s->slope && s->matrix && s->system && s->step && s->list;
}

// True when no handle is further away than the targets reasonably ask for.
static bool is_tame(const wri_fit *fit, const double *t)
{
    double reach = 1.0 + 2.0 * sqrt(fit->constant);
    for (int b = 0; b < fit->rig->handle_count; b++) {
        for (int x = 0; x < 3; x++) {
            if (!(fabs(t[12 * b + 9 + x]) <= reach) && !wri_fit_fixed(fit, b)) {
                return false;
            }
        }
    }
    return true;
}

static void keep(solver *s, double stiffness)
{
    memcpy(s->fit->t, s->t, 3 * (size_t)s->fit->m * sizeof *s->t);
    s->fit->stiffness = stiffness;
}

static void refine(solver *s)
{
    if (s->fit->stretch) {
        solve_affine(s);
    } else if (is_small(s->fit)) {
        newton(s);
    } else {
        sweep(s, 5 * SWEEPS);
    }
}

// The best of the starts, with the hardest bond.
static void choose_start(solver *s)
{
    double best = INFINITY;
    set_stiffness(s, HARDEST);
    for (int start = 0; start < (s->fit->stretch ? 1 : 3); start++) {
        set_start(s, start);
        if (!s->fit->stretch) {
            sweep(s, SWEEPS);
        }
        refine(s);
        double now = energy(s, s->t);
        if (now < best) {
            best = now;
            keep(s, HARDEST);
        }
    }
}

bool wri_fit_solve(wri_fit *fit, wri_arena *arena)
{
    solver s = {.fit = fit, .dofs = fit->rig->dimension == 2 ? 3 : 6};
    bool all_fixed = fit->poses && !fit->fixed;
    if (!alloc_solver(&s, arena)) {
        return false;
    }
    set_start(&s, 0);
    keep(&s, 0.0);
    if (all_fixed) {
        return true;
    }
    choose_start(&s);
    double best = distance2(&s, fit->t);
    for (double l = 0.1 * HARDEST; l > 0.5 * SOFTEST && best > 1e-15; l *= 0.1) {
        set_stiffness(&s, l);
        memcpy(s.t, fit->t, 3 * (size_t)fit->m * sizeof *s.t);
        refine(&s);
        double now = distance2(&s, s.t);
        if (!is_tame(fit, s.t) || !(now < PAYS * PAYS * best)) {
            break;
        }
        best = now;
        keep(&s, l);
    }
    return true;
}
