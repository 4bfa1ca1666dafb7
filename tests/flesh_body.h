// flesh_body.h: bodies of flesh for tests: spheres and what becomes of them, tubes of several
// bones.
#pragma once

#include "../src/flesh/flesh.h"
#include "../src/math/turn.h"

#include <stdlib.h>

typedef struct flesh_shape {
    int node_count, triangle_count;
    wr_vec3 *skin, *core;
    int *triangles;
    int *bone_ids; // NULL: one bone
    float *weights;
    wr_vec3 origins[8];
    int bone_count;
    wr_flesh_joint joints[8];
    int joint_count;
} flesh_shape;

static inline void *flesh_room(size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    assert_non_null(room);
    return room;
}

static inline flesh_shape flesh_shape_create(int nodes, int triangles)
{
    flesh_shape s = {.node_count = nodes, .triangle_count = triangles, .bone_count = 1};
    s.skin = flesh_room((size_t)nodes, sizeof *s.skin);
    s.core = flesh_room((size_t)nodes, sizeof *s.core);
    s.triangles = flesh_room(3 * (size_t)triangles, sizeof *s.triangles);
    return s;
}

static inline void flesh_shape_destroy(flesh_shape *s)
{
    free(s->skin);
    free(s->core);
    free(s->triangles);
    free(s->bone_ids);
    free(s->weights);
}

// An octahedron whose faces are cut into n x n triangles, blown up: 4 n^2 + 2 nodes. Its core is
// the same, `core` times as large; all is scaled by `size` along the axes.
static inline int octa_node(int n, int x, int y, int z)
{
    // Latitude rings by z from n to -n; within a ring by angle, 4 (n - |z|) of them.
    int a = abs(z), ring = n - a, before = 0;
    for (int k = n; k > z; k--) {
        int r = n - abs(k);
        before += r == 0 ? 1 : 4 * r;
    }
    int step = ring == 0         ? 0
               : x > 0 && y >= 0 ? y
               : x <= 0 && y > 0 ? ring - x
               : x < 0 && y <= 0 ? 2 * ring - y
                                 : 3 * ring + x;
    return before + step;
}

static inline flesh_shape flesh_sphere(int n, wr_vec3 size, float core)
{
    flesh_shape s = flesh_shape_create(4 * n * n + 2, 8 * n * n);
    int at = 0;
    for (int octant = 0; octant < 8; octant++) {
        int sx = octant & 1 ? -1 : 1, sy = octant & 2 ? -1 : 1, sz = octant & 4 ? -1 : 1;
        bool turned = sx * sy * sz < 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; i + j < n; j++) {
                for (int half = 0; half < (i + j < n - 1 ? 2 : 1); half++) {
                    int corner[3][2] = {{i, j}, {i + 1, j}, {i, j + 1}};
                    if (half) {
                        corner[0][0] = i + 1, corner[0][1] = j + 1;
                        corner[1][0] = i, corner[1][1] = j + 1;
                        corner[2][0] = i + 1, corner[2][1] = j;
                    }
                    for (int c = 0; c < 3; c++) {
                        const int *p = corner[turned && c ? 3 - c : c];
                        int x = sx * p[0], y = sy * p[1], z = sz * (n - p[0] - p[1]);
                        int node = octa_node(n, x, y, z);
                        wr_vec3 unit = wr_normalize(wr_v3((float)x, (float)y, (float)z));
                        s.skin[node] = wr_v3(size.x * unit.x, size.y * unit.y, size.z * unit.z);
                        s.core[node] = wr_scale(core, s.skin[node]);
                        s.triangles[at++] = node;
                    }
                }
            }
        }
    }
    return s;
}

// A sausage along x of `bones` links of 20 cm, 5 cm thick, with rounded ends: rings of `around`
// nodes. Weights pass from bone to bone over a third of a link.
static inline flesh_shape flesh_tube(int bones, int rings, int around)
{
    flesh_shape s = flesh_shape_create(rings * around + 2, 2 * around * rings);
    float length = 0.2f * (float)bones, radius = 0.05f;
    s.bone_count = bones;
    s.bone_ids = flesh_room((size_t)s.node_count * WRI_FLESH_BONES, sizeof *s.bone_ids);
    s.weights = flesh_room((size_t)s.node_count * WRI_FLESH_BONES, sizeof *s.weights);
    for (int i = 0; i < s.node_count; i++) {
        int ring = i < rings * around ? i / around : i == rings * around ? -1 : rings;
        float at = ((float)ring + 1.0f) / (float)(rings + 1), end = fminf(at, 1.0f - at);
        float turn = 2.0f * WR_PI * (float)(i % around) / (float)around, x = length * at;
        float share = fminf(end * length / radius, 1.0f);
        float wide = ring < 0 || ring == rings
                         ? 0.0f
                         : radius * sqrtf(1.0f - (1.0f - share) * (1.0f - share));
        wr_vec3 out = {0.0f, wide * cosf(turn), wide * sinf(turn)};
        float inner = fminf(fmaxf(x, 0.5f * radius), length - 0.5f * radius);
        s.skin[i] = wr_add(wr_v3(x, 0, 0), out);
        s.core[i] = wr_add(wr_v3(inner, 0, 0), wr_scale(0.5f, out));
        float place = x / 0.2f - 0.5f, first = floorf(place),
              blend = (place - first - 0.5f) * 3.0f + 0.5f;
        int a = (int)fminf(fmaxf(first, 0.0f), (float)(bones - 1));
        int b = (int)fminf(fmaxf(first + 1.0f, 0.0f), (float)(bones - 1));
        float w = fminf(fmaxf(blend, 0.0f), 1.0f);
        bool is_second = w > 0.5f; // the larger weight comes first
        s.bone_ids[4 * i] = is_second ? b : a;
        s.bone_ids[4 * i + 1] = is_second ? a : b;
        s.weights[4 * i] = is_second ? w : 1.0f - w;
        s.weights[4 * i + 1] = 1.0f - s.weights[4 * i];
    }
    int at = 0;
    for (int ring = -1; ring < rings; ring++) {
        for (int k = 0; k < around; k++) {
            int next = (k + 1) % around, a = ring * around + k, b = ring * around + next;
            int c = a + around, d = b + around, first = rings * around, last = first + 1;
            int one[3] = {a, b, d}, other[3] = {a, d, c};
            if (ring < 0) {
                int cap[3] = {first, d, c};
                memcpy(one, cap, sizeof cap);
            } else if (ring == rings - 1) {
                int cap[3] = {a, b, last};
                memcpy(one, cap, sizeof cap);
            }
            memcpy(&s.triangles[at], one, sizeof one);
            at += 3;
            if (ring >= 0 && ring < rings - 1) {
                memcpy(&s.triangles[at], other, sizeof other);
                at += 3;
            }
        }
    }
    for (int i = 0; i < bones; i++) {
        s.origins[i] = wr_v3(0.2f * ((float)i + 0.5f), 0, 0);
    }
    return s;
}

static inline void flesh_shape_turn(flesh_shape *s, wr_pose pose)
{
    for (int i = 0; i < s->node_count; i++) {
        s->skin[i] = wr_pose_point(pose, s->skin[i]);
        s->core[i] = wr_pose_point(pose, s->core[i]);
    }
    for (int i = 0; i < s->bone_count; i++) {
        s->origins[i] = wr_pose_point(pose, s->origins[i]);
    }
    for (int i = 0; i < s->joint_count; i++) {
        s->joints[i].at = wr_pose_point(pose, s->joints[i].at);
        s->joints[i].axis = wr_rotate(pose.rotation, s->joints[i].axis);
    }
}

// An ellipsoid that has lost all symmetry, obliquely in space.
static inline flesh_shape flesh_pear(int n)
{
    flesh_shape s = flesh_sphere(n, wr_v3(0.1f, 0.16f, 0.07f), 0.6f);
    for (int i = 0; i < s.node_count; i++) { // no symmetry is left
        float grow = 1.0f + 3.0f * s.skin[i].y + 2.0f * s.skin[i].x;
        s.skin[i] = wr_scale(grow, s.skin[i]);
        s.core[i] = wr_scale(grow, s.core[i]);
    }
    s.origins[0] = wr_v3(0.02f, -0.01f, 0.015f);
    flesh_shape_turn(&s, (wr_pose){wr_v3(0.5f, 1.0f, -0.3f),
                                   wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 1, 2)), 1.1f)});
    return s;
}

typedef struct flesh_fixture {
    wr_flesh_model *model;
    wri_flesh body;
    wr_scratch scratch;
} flesh_fixture;

// Of one young modulus; the other numbers of the material are the same in all tests.
static inline wr_flesh_model_desc flesh_describe(const flesh_shape *s, double young, float dt)
{
    wr_flesh_model_desc desc = wr_flesh_model_desc_default();
    desc.node_count = s->node_count;
    desc.skin = s->skin;
    desc.core = s->core;
    desc.triangles = s->triangles;
    desc.triangle_count = s->triangle_count;
    desc.young = young;
    desc.poisson = 0.35f;
    desc.bone_count = s->bone_count;
    desc.origins = s->origins;
    desc.bones = s->bone_ids;
    desc.weights = s->weights;
    desc.joints = s->joints;
    desc.joint_count = s->joint_count;
    desc.dt = dt;
    return desc;
}

static inline wr_flesh_model *flesh_model(const wr_flesh_model_desc *desc)
{
    wr_error error = {0};
    wr_flesh_model *model = wr_flesh_model_create(desc, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static inline flesh_fixture flesh_start(const flesh_shape *s, double young, float dt, float damping)
{
    flesh_fixture x = {.scratch = wri_scratch_create(NULL)};
    wr_flesh_model_desc desc = flesh_describe(s, young, dt);
    wr_error error = {0};
    desc.damping = damping;
    x.model = flesh_model(&desc);
    if (!wri_flesh_create(&x.body, x.model, &error)) {
        fail_msg("%s", error.message);
    }
    return x;
}

static inline void flesh_end(flesh_fixture *x)
{
    wri_flesh_destroy(&x->body);
    wr_flesh_model_destroy(x->model);
    wri_scratch_destroy(&x->scratch);
}

static inline wri_flesh_step_desc in_gravity(const double g[3])
{
    return (wri_flesh_step_desc){.gravity = {g[0], g[1], g[2]}};
}

// Contacts of all nodes below `reach` with a plane through the origin.
static inline int touch_plane(const wri_flesh *f, wr_vec3 normal, float reach, float friction,
                              wri_flesh_contact *out)
{
    int count = 0;
    for (int i = 0; i < f->model->node_count; i++) {
        wr_vec3 at = wri_flesh_place(f, i);
        float gap = wr_dot(at, normal);
        if (gap < reach) {
            out[count++] = (wri_flesh_contact){.node = i,
                                               .body = WRI_FIXED,
                                               .point = at,
                                               .normal = normal,
                                               .gap = gap,
                                               .friction = friction};
        }
    }
    return count;
}

// An independent sum over images of nodes and cores: J.
static inline double flesh_energy(const wri_flesh *f, double g)
{
    const wr_flesh_model *m = f->model;
    double sum = 0.0;
    for (int e = 0; e < m->node_count * WRI_FLESH_BONES; e++) {
        int node = e / WRI_FLESH_BONES, bone = m->bone_ids[e];
        double r[3], v[3], mass = (double)m->mass[node] * (double)m->weights[e];
        for (int k = 0; k < 3; k++) {
            r[k] = (double)m->rest[node][k] + (double)f->q[node][k] - m->bones[bone].origin[k];
        }
        wri_cross3(f->bones[bone].alpha, r, v);
        for (int k = 0; k < 3; k++) {
            v[k] += (double)f->v[node][k];
        }
        wri_apply(WRI_MATRIX(f->Q[bone].m), v, v);
        wri_apply(WRI_MATRIX(f->Q[bone].m), r, r);
        for (int k = 0; k < 3; k++) {
            v[k] += f->bones[bone].v[k];
            sum += 0.5 * mass * v[k] * v[k];
        }
        sum += mass * g * (f->bones[bone].c[1] + r[1]);
    }
    for (int i = 0; i < m->bone_count; i++) {
        const wri_flesh_bone *b = &m->bones[i];
        double a[3], spin[3], mixed[3], first[3];
        wri_apply_transposed(WRI_MATRIX(f->Q[i].m), f->bones[i].v, a);
        wri_apply(WRI_MATRIX(b->core_inertia), f->bones[i].alpha, spin);
        wri_cross3(f->bones[i].alpha, b->core_first, mixed);
        wri_apply(WRI_MATRIX(f->Q[i].m), b->core_first, first);
        sum += 0.5 * b->core_mass * wri_dot3(a, a) + wri_dot3(a, mixed) +
               0.5 * wri_dot3(f->bones[i].alpha, spin);
        sum += g * (b->core_mass * f->bones[i].c[1] + first[1]);
    }
    for (int i = 0; i < m->node_count; i++) {
        for (int k = m->K.begin[i]; k < m->K.begin[i + 1]; k++) {
            for (int l = 0; l < 9; l++) {
                sum += 0.5 * (double)f->q[i][l / 3] * (double)m->K.value[k][l] *
                       (double)f->q[m->K.column[k]][l % 3];
            }
        }
    }
    return sum;
}

// Metres: how far the two sides of a joint are apart.
static inline double flesh_apart(const wri_flesh *f, int joint)
{
    const wr_flesh_joint *j = &f->model->joints[joint];
    double x[2][3], d[3];
    for (int side = 0; side < 2; side++) {
        int bone = side ? j->b : j->a;
        const double *o = f->model->bones[bone].origin;
        double r[3] = {(double)j->at.x - o[0], (double)j->at.y - o[1], (double)j->at.z - o[2]};
        wri_apply(WRI_MATRIX(f->Q[bone].m), r, x[side]);
        for (int k = 0; k < 3; k++) {
            x[side][k] += f->bones[bone].c[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        d[k] = x[0][k] - x[1][k];
    }
    return wri_length3(d);
}

static inline double flesh_farthest_apart(const wri_flesh *f)
{
    double most = 0.0;
    for (int i = 0; i < f->model->joint_count; i++) {
        most = fmax(most, flesh_apart(f, i));
    }
    return most;
}
