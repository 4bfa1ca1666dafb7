// inertia.c: what moving bones, gravity and wind do to the flesh on them.
//
// The share m w_b of a node moves with its image under bone b, as in flesh. In the frame of the
// bind pose, with r = X + u - o_b, it feels
//
//     m w_b (Q^T (g - c'') - alpha' x r - alpha x (alpha x r) - 2 alpha x u')
//
// A body that spins faster than its slowest mode vibrates flies apart, if its elasticity is linear.
// Films want it back: what inertia does to displacements u themselves, in r, is kept below half of
// that mode's stiffness.
//
// A reduced body has constants of all this, so that its cost does not grow with its nodes (spec,
// 5): of the first term and of r at rest rows of r numbers, of the rest matrices of pairs of modes.
#include "morph.h"

#include "../math/turn.h"

enum { LINEAR = 15, TURNS = 3, STRETCHES = 6 };

// --- how bones move -----------------------------------------------------------------------------

void wri_bone_set(wri_morph_bone_motion *bone, wr_pose pose, wr_vec3 origin)
{
    wr_vec3 c = wr_pose_point(pose, origin);
    wr_quat q = wr_quat_normalize(pose.rotation);
    *bone = (wri_morph_bone_motion){{(double)c.x, (double)c.y, (double)c.z},
                                    {(double)q.x, (double)q.y, (double)q.z, (double)q.w}};
}

// The rotation vector from a to b, radians, in the frame of a.
static void find_turn(const double a[4], const double b[4], double out[3])
{
    double back[3] = {-a[0], -a[1], -a[2]}, d[3];
    wri_cross3(back, b, d);
    for (int k = 0; k < 3; k++) {
        d[k] += a[3] * b[k] + b[3] * back[k];
    }
    double w = a[3] * b[3] - wri_dot3(back, b), s = wri_length3(d);
    double sign = w < 0.0 ? -1.0 : 1.0;
    double share = s > 1e-12 ? 2.0 * wri_atan2_fine(s, sign * w) / s : 2.0;
    for (int k = 0; k < 3; k++) {
        out[k] = sign * share * d[k];
    }
}

static void find_push(const wri_morph_bone_motion *old, const wri_morph_bone_motion *now, double dt,
                      const wr_morph_step *step, double slowest, wri_bone_push *out)
{
    wr_vec3 gravity = step->gravity, wind = step->wind;
    const double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    const double air[3] = {(double)wind.x, (double)wind.y, (double)wind.z};
    double felt[3], against[3], change[3];
    const double *w = now->alpha;
    for (int k = 0; k < 3; k++) {
        felt[k] = g[k] - (now->v[k] - old->v[k]) / dt;
        against[k] = air[k] - now->v[k];
        change[k] = (w[k] - old->alpha[k]) / dt;
        out->alpha[k] = w[k];
    }
    wri_turn_matrix(now->turn, out->Q);
    wri_apply_transposed(WRI_MATRIX(out->Q), felt, out->pull);
    wri_apply_transposed(WRI_MATRIX(out->Q), against, out->wind);
    double square = wri_dot3(w, w);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out->turning[i] = change[i];
        out->A[i][i] = w[i] * w[i] - square;
        out->A[i][j] = w[i] * w[j] - change[k];
        out->A[j][i] = w[i] * w[j] + change[k];
    }
    double strength = square + wri_length3(change);
    out->loose = strength > 0.5 * slowest ? 0.5 * slowest / strength : 1.0;
    out->turns = strength > 0.0;
}

void wri_bones_advance(wri_morph *b, const wr_morph_step *step)
{
    const wr_morph_data *d = b->model->data;
    double dt = b->model->dt;
    for (int i = 0; i < d->bone_count; i++) {
        wri_morph_bone_motion old = b->bones[i], *now = &b->bones[i];
        wri_bone_set(now, b->goals[i], d->origins[i]);
        find_turn(old.turn, now->turn, now->alpha);
        for (int k = 0; k < 3; k++) {
            now->v[k] = (now->c[k] - old.c[k]) / dt;
            now->alpha[k] /= dt;
        }
        find_push(&old, now, dt, step, b->model->slowest, &b->pushes[i]);
    }
    wri_bones_find_maps(b);
}

void wri_bones_find_maps(wri_morph *b)
{
    for (int i = 0; i < b->model->data->bone_count; i++) {
        const wri_morph_bone_motion *bone = &b->bones[i];
        wr_vec3 o = b->model->data->origins[i];
        const double origin[3] = {(double)o.x, (double)o.y, (double)o.z};
        double Q[3][3], at[3];
        f4 *map = b->maps + 4 * (ptrdiff_t)i;
        wri_turn_matrix(bone->turn, Q);
        wri_apply(WRI_MATRIX(Q), origin, at);
        for (int k = 0; k < 3; k++) {
            map[k] = (f4){(float)Q[0][k], (float)Q[1][k], (float)Q[2][k], 0.0f};
            map[3][k] = (float)(bone->c[k] - at[k]);
        }
    }
}

// --- nodes --------------------------------------------------------------------------------------

// The force on one node, N, bind pose, but for that of Coriolis.
void wri_inertia_of_node(const wri_morph *b, int node, double mass, const double u[3],
                         double out[3])
{
    const wr_morph_data *d = b->model->data;
    const int *bones = d->node_bones + (ptrdiff_t)node * WRI_MORPH_BONES;
    const float *weights = d->node_weights + (ptrdiff_t)node * WRI_MORPH_BONES;
    wr_vec3 X = d->nodes[node];
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < WRI_MORPH_BONES && weights[i] > 0.0f; i++) {
        const wri_bone_push *p = &b->pushes[bones[i]];
        wr_vec3 o = d->origins[bones[i]];
        double share = mass * (double)weights[i];
        double r[3] = {(double)X.x - (double)o.x + p->loose * u[0],
                       (double)X.y - (double)o.y + p->loose * u[1],
                       (double)X.z - (double)o.z + p->loose * u[2]};
        for (int k = 0; k < 3; k++) {
            out[k] += share * (p->pull[k] - wri_dot3(p->A[k], r));
        }
    }
}

void wri_wind_of_vertex(const wri_morph *b, int vertex, double out[3])
{
    const wr_morph_data *d = b->model->data;
    const int *bones = d->vertex_bones + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    const float *weights = d->vertex_weights + (ptrdiff_t)vertex * WRI_MORPH_BONES;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < WRI_MORPH_BONES && weights[i] > 0.0f; i++) {
        double share = b->model->air * (double)d->areas[vertex] * (double)weights[i];
        for (int k = 0; k < 3; k++) {
            out[k] += share * b->pushes[bones[i]].wind[k];
        }
    }
}

// --- constants of reduced bodies ----------------------------------------------------------------

static int padded(int count)
{
    return (count + 3) / 4 * 4;
}

typedef struct sums {
    wr_morph_model *m;
    int r, width, turn_width, stretch_width; // rows of floats, multiples of four
    double *linear, *turning, *stretching;   // of one bone
} sums;

static void add_node(const sums *s, int bone, int node, double share)
{
    const wr_morph_data *d = s->m->data;
    const float *U = d->basis + (ptrdiff_t)node * s->r * 3;
    wr_vec3 X = wr_sub(d->nodes[node], d->origins[bone]);
    const double x[3] = {(double)X.x, (double)X.y, (double)X.z};
    for (int j = 0; j < s->r; j++) {
        const double a[3] = {share * (double)U[3 * j], share * (double)U[3 * j + 1],
                             share * (double)U[3 * j + 2]};
        for (int k = 0; k < 9; k++) {
            s->linear[(6 + k) * s->width + j] += a[k / 3] * x[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            s->linear[k * s->width + j] += a[k];
        }
        for (int l = 0; l <= j; l++) {
            static const int AT[STRETCHES][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
            const double b[3] = {(double)U[3 * l], (double)U[3 * l + 1], (double)U[3 * l + 2]};
            double cross[3]; // a . (e_k x b) = e_k . (b x a)
            wri_cross3(b, a, cross);
            int pair = wri_pair(j, l);
            for (int k = 0; k < 3; k++) {
                s->turning[k * s->turn_width + pair] += cross[k];
            }
            for (int k = 0; k < STRETCHES; k++) {
                int p = AT[k][0], q = AT[k][1];
                s->stretching[k * s->stretch_width + pair] += 0.5 * (a[p] * b[q] + a[q] * b[p]);
            }
        }
    }
}

static void add_wind(const sums *s, int vertex, double share)
{
    const wr_morph_data *d = s->m->data;
    const wr_ride *ride = &d->rides[vertex];
    for (int i = 0; i < 4; i++) {
        int node = d->tets[4 * ride->element + i];
        for (int j = 0; j < s->r; j++) {
            const float *U = d->basis + ((ptrdiff_t)node * s->r + j) * 3;
            for (int k = 0; k < 3; k++) {
                s->linear[(3 + k) * s->width + j] +=
                    share * (double)ride->weights[i] * (double)U[k];
            }
        }
    }
}

static void add_bone(const sums *s, int bone)
{
    const wr_morph_data *d = s->m->data;
    for (int i = 0; i < d->node_count * WRI_MORPH_BONES; i++) {
        int node = i / WRI_MORPH_BONES;
        if (d->node_bones[i] == bone && d->node_weights[i] > 0.0f && !d->fixed[node]) {
            add_node(s, bone, node, (double)d->node_weights[i] * (double)d->masses[node]);
        }
    }
    for (int i = 0; i < d->vertex_count * WRI_MORPH_BONES; i++) {
        int vertex = i / WRI_MORPH_BONES;
        if (d->vertex_bones[i] == bone && d->vertex_weights[i] > 0.0f) {
            add_wind(s, vertex,
                     s->m->air * (double)d->vertex_weights[i] * (double)d->areas[vertex]);
        }
    }
}

static void put_floats(const double *from, size_t count, float *to)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

bool wri_inertia_create(wr_morph_model *m)
{
    wri_morph_inertia *out = &m->reduced.inertia;
    int r = m->reduced.r;
    sums s = {m, r, padded(r), padded(wri_pair_count(r)), padded(wri_pair_count(r))};
    size_t bones = (size_t)m->data->bone_count, linear = LINEAR * (size_t)s.width;
    size_t turning = TURNS * (size_t)s.turn_width, stretching = STRETCHES * (size_t)s.stretch_width;
    wri_arena temporary = wri_arena_create(&m->arena.allocator);
    s.linear = wri_arena_alloc(&temporary, linear + turning + stretching, sizeof(double));
    out->linear = wri_arena_alloc(&m->arena, bones * linear, sizeof(float));
    out->turning = wri_arena_alloc(&m->arena, bones * turning, sizeof(float));
    out->stretching = wri_arena_alloc(&m->arena, bones * stretching, sizeof(float));
    bool ok = s.linear && out->linear && out->turning && out->stretching;
    for (size_t bone = 0; ok && bone < bones; bone++) {
        memset(s.linear, 0, (linear + turning + stretching) * sizeof(double));
        s.turning = s.linear + linear;
        s.stretching = s.turning + turning;
        add_bone(&s, (int)bone);
        put_floats(s.linear, linear, out->linear + bone * linear);
        put_floats(s.turning, turning, out->turning + bone * turning);
        put_floats(s.stretching, stretching, out->stretching + bone * stretching);
    }
    wri_arena_destroy(&temporary);
    return ok;
}

// --- forces on reduced bodies -------------------------------------------------------------------

// y += x row; row and y are `width` floats, a multiple of four, 16-byte aligned.
static void add_row(float x, const float *row, int width, float *y)
{
    const f4 *in = (const f4 *)row, factor = {x, x, x, x};
    f4 *out = (f4 *)y;
    for (int i = 0; i < width / 4; i++) {
        out[i] += factor * in[i];
    }
}

enum { MODES = WR_MORPH_MODES_MAX, PAIRS = MODES * (MODES + 1) / 2 };

typedef struct matrices {
    f4 place[PAIRS / 4]; // lower triangles: on q, symmetric,
    f4 swing[PAIRS / 4]; // and antisymmetric,
    f4 speed[PAIRS / 4]; // and on v, antisymmetric
} matrices;

static void add_turning_bone(const wri_morph *b, int bone, int r, matrices *out)
{
    const wri_morph_inertia *in = &b->model->reduced.inertia;
    const wri_bone_push *p = &b->pushes[bone];
    int width = padded(wri_pair_count(r));
    const float *turning = in->turning + (ptrdiff_t)bone * TURNS * width;
    const float *stretching = in->stretching + (ptrdiff_t)bone * STRETCHES * width;
    const double *w = p->alpha;
    for (int k = 0; k < TURNS; k++) {
        add_row((float)(p->loose * p->turning[k]), turning + k * width, width, (float *)out->swing);
        add_row((float)(2.0 * w[k]), turning + k * width, width, (float *)out->speed);
        add_row((float)(p->loose * p->A[k][k]), stretching + k * width, width, (float *)out->place);
    }
    add_row((float)(2.0 * p->loose * w[0] * w[1]), stretching + 3 * width, width,
            (float *)out->place);
    add_row((float)(2.0 * p->loose * w[0] * w[2]), stretching + 4 * width, width,
            (float *)out->place);
    add_row((float)(2.0 * p->loose * w[1] * w[2]), stretching + 5 * width, width,
            (float *)out->place);
}

static void add_bone_force(const wri_morph *b, int bone, int width, float *force)
{
    const float *row = b->model->reduced.inertia.linear + (ptrdiff_t)bone * LINEAR * width;
    const wri_bone_push *p = &b->pushes[bone];
    for (int k = 0; k < 3; k++) {
        add_row((float)p->pull[k], row + k * width, width, force);
    }
    for (int k = 0; b->model->air > 0.0 && k < 3; k++) {
        add_row((float)p->wind[k], row + (3 + k) * width, width, force);
    }
    for (int k = 0; p->turns && k < 9; k++) {
        add_row((float)-p->A[k / 3][k % 3], row + (6 + k) * width, width, force);
    }
}

// Forces in modes, and in `gyration`, r rows of r, what Coriolis' forces are of velocities. False:
// nothing turns, and gyration is not set.
bool wri_inertia_of_modes(const wri_morph *b, double *force, double *gyration)
{
    int r = b->model->reduced.r, width = padded(r), pairs = padded(wri_pair_count(r));
    f4 sum[MODES / 4] = {{0}};
    matrices m;
    bool turns = false;
    for (int bone = 0; bone < b->model->data->bone_count; bone++) {
        add_bone_force(b, bone, width, (float *)sum);
        if (b->pushes[bone].turns && !turns) {
            turns = true;
            memset(m.place, 0, (size_t)pairs * sizeof(float));
            memset(m.swing, 0, (size_t)pairs * sizeof(float));
            memset(m.speed, 0, (size_t)pairs * sizeof(float));
        }
        if (b->pushes[bone].turns) {
            add_turning_bone(b, bone, r, &m);
        }
    }
    for (int i = 0; i < r; i++) {
        force[i] = (double)sum[i / 4][i % 4];
    }
    const float *place = (const float *)m.place, *swing = (const float *)m.swing;
    const float *speed = (const float *)m.speed;
    for (int i = 0, p = 0; turns && i < r; i++) {
        for (int j = 0; j <= i; j++, p++) {
            force[i] -= ((double)place[p] + (double)swing[p]) * b->q[j];
            force[j] -= i == j ? 0.0 : ((double)place[p] - (double)swing[p]) * b->q[i];
            gyration[i * r + j] = (double)speed[p];
            gyration[j * r + i] = -(double)speed[p];
        }
    }
    return turns;
}
