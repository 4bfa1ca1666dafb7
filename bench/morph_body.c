// morph_body.c: limbs of cubes, each in six tetrahedra, for measurements of morph.
#include "morph_bench.h"

#include <math.h>
#include <stdlib.h>

static const float LENGTH = 1.0f, WIDTH = 0.3f; // metres

typedef struct limb {
    const morph_body_desc *desc;
    int node_count, tet_count, vertex_count;
    wr_vec3 *nodes, *vertices, *displacements; // displacements target by target
    int *tets;
    wr_ride *rides;
    float *weights;
    wri_morph_bone bones[MORPH_BENCH_BONES];
} limb;

static int node_at(const morph_body_desc *d, int x, int y, int z)
{
    return (x * (d->cells[1] + 1) + y) * (d->cells[2] + 1) + z;
}

static void add_cube(limb *l, int x, int y, int z)
{
    static const int ORDERS[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < 6; k++) {
        int at[3] = {x, y, z}, *t = l->tets + 4 * (ptrdiff_t)l->tet_count++;
        t[0] = node_at(l->desc, x, y, z);
        for (int i = 0; i < 3; i++) {
            at[ORDERS[k][i]]++;
            t[k < 3 || i == 2 ? i + 1 : 2 - i] = node_at(l->desc, at[0], at[1], at[2]);
        }
    }
}

static void add_vertex(limb *l, int element, const float weights[4])
{
    wr_vec3 at = {0.0f, 0.0f, 0.0f};
    wr_ride *ride = &l->rides[l->vertex_count];
    ride->element = element;
    for (int i = 0; i < 4; i++) {
        ride->weights[i] = weights[i];
        at = wr_add_scaled(at, weights[i], l->nodes[l->tets[4 * element + i]]);
    }
    l->vertices[l->vertex_count++] = at;
}

static bool is_outside(const morph_body_desc *d, int node)
{
    int z = node % (d->cells[2] + 1), y = node / (d->cells[2] + 1) % (d->cells[1] + 1);
    int x = node / (d->cells[2] + 1) / (d->cells[1] + 1);
    return x == 0 || x == d->cells[0] || y == 0 || y == d->cells[1] || z == 0 || z == d->cells[2];
}

static void add_nodes(limb *l)
{
    const int *n = l->desc->cells;
    for (int i = 0; i < l->node_count; i++) {
        int z = i % (n[2] + 1), y = i / (n[2] + 1) % (n[1] + 1), x = i / (n[2] + 1) / (n[1] + 1);
        float along = (float)x / (float)n[0];
        l->nodes[i] = wr_v3(LENGTH * along, WIDTH * ((float)y / (float)n[1] - 0.5f),
                            WIDTH * ((float)z / (float)n[2] - 0.5f));
        float place = along * (float)l->desc->bone_count - 0.5f; // of the bones' middles
        for (int bone = 0; bone < l->desc->bone_count; bone++) {
            float far = fabsf(place - (float)bone);
            bool is_end = (bone == 0 && place < 0.0f) ||
                          (bone == l->desc->bone_count - 1 && place > (float)bone);
            l->weights[(ptrdiff_t)i * l->desc->bone_count + bone] =
                is_end ? 1.0f : wr_maxf(0.0f, 1.0f - far);
        }
    }
}

static void add_vertices(limb *l, int most)
{
    int *element = malloc((size_t)l->node_count * sizeof *element);
    for (int i = 0; element && i < 4 * l->tet_count; i++) {
        element[l->tets[i]] = i;
    }
    for (int i = 0; element && i < l->node_count && l->vertex_count < most; i++) {
        float weights[4] = {0.0f};
        weights[element[i] % 4] = 1.0f;
        if (is_outside(l->desc, i)) {
            add_vertex(l, element[i] / 4, weights);
        }
    }
    for (int i = 0; l->vertex_count < l->desc->vertex_count; i++) { // between two of the surface
        int tet = (int)((long)i * 7919 % l->tet_count), count = 0;
        float weights[4] = {0.0f};
        for (int k = 0; k < 4 && count < 2; k++) {
            if (is_outside(l->desc, l->tets[4 * tet + k])) {
                weights[k] = 0.5f;
                count++;
            }
        }
        if (count == 2) {
            add_vertex(l, tet, weights);
        }
    }
    free(element);
}

static bool open_limb(limb *l, const morph_body_desc *d)
{
    const int *n = d->cells;
    *l = (limb){.desc = d, .node_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1)};
    size_t nodes = (size_t)l->node_count, tets = 6 * (size_t)(n[0] * n[1] * n[2]);
    size_t vertices = nodes + (size_t)d->vertex_count;
    l->nodes = calloc(nodes, sizeof *l->nodes);
    l->tets = calloc(4 * tets, sizeof *l->tets);
    l->weights = calloc(nodes * (size_t)d->bone_count, sizeof *l->weights);
    l->vertices = calloc(vertices, sizeof *l->vertices);
    l->rides = calloc(vertices, sizeof *l->rides);
    l->displacements = calloc(vertices * (size_t)d->target_count, sizeof *l->displacements);
    if (!l->nodes || !l->tets || !l->weights || !l->vertices || !l->rides || !l->displacements) {
        return false;
    }
    add_nodes(l);
    for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
        add_cube(l, i / n[2] / n[1], i / n[2] % n[1], i % n[2]);
    }
    add_vertices(l, d->vertex_count > 0 ? d->vertex_count : l->node_count);
    return true;
}

static void close_limb(limb *l)
{
    free(l->nodes);
    free(l->tets);
    free(l->weights);
    free(l->vertices);
    free(l->rides);
    free(l->displacements);
}

// Each target swells in another place.
static wr_vec3 swelling(wr_vec3 at, int target)
{
    float hill = 0.1f * sinf(WR_PI * at.x / LENGTH * (0.5f + 0.3f * (float)target));
    return wr_v3(0.0f, hill * at.y * (1.0f + at.z), hill * at.z * (float)(target % 3));
}

// The same as its tetrahedron carries it.
static wr_vec3 carried(const limb *l, int vertex, int target)
{
    const wr_ride *ride = &l->rides[vertex];
    wr_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < 4; i++) {
        wr_vec3 node = l->nodes[l->tets[4 * ride->element + i]];
        sum = wr_add_scaled(sum, ride->weights[i], swelling(node, target));
    }
    return sum;
}

// Bends all joints alike, radians in all; the root swings.
static void find_pose(const limb *l, double angle, wr_pose *poses)
{
    int count = l->desc->bone_count;
    wr_quat step = wr_quat_from_axis_angle(wr_v3(0.1f, 0.2f, 1.0f),
                                           (float)(angle / (count > 1 ? count - 1 : 1)));
    poses[0] = (wr_pose){wr_v3(0.1f * (float)sin(3.0 * angle), 0.0f, 0.0f),
                         wr_quat_from_axis_angle(wr_v3(1.0f, 0.3f, 0.0f), 0.3f * (float)angle)};
    for (int i = 1; i < count; i++) {
        wr_vec3 joint = l->bones[i].origin;
        wr_pose turn = {wr_sub(joint, wr_rotate(step, joint)), step};
        poses[i] = wr_pose_multiply(poses[i - 1], turn);
    }
}

static wr_morph_data *build(const limb *l, wr_error *error)
{
    const morph_body_desc *d = l->desc;
    static const char *const NAMES[MORPH_BENCH_TARGETS] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    wri_morph_target targets[MORPH_BENCH_TARGETS];
    wr_pose poses[MORPH_BENCH_TARGETS][MORPH_BENCH_BONES];
    for (int t = 0; t < d->target_count; t++) {
        wr_vec3 *by = l->displacements + (ptrdiff_t)t * l->vertex_count;
        for (int v = 0; v < l->vertex_count; v++) {
            by[v] = d->is_detailed ? swelling(l->vertices[v], t) : carried(l, v, t);
        }
        find_pose(l, 0.5 * t, poses[t]);
        poses[t][d->bone_count - 1].position.z += 0.1f * (float)(t * t); // no two in one line
        targets[t] = (wri_morph_target){.name = NAMES[t],
                                        .displacements = t ? by : NULL,
                                        .displacement_count = l->vertex_count,
                                        .poses = poses[t],
                                        .stiffness = pow(10.0, (double)t / 5.0),
                                        .poisson = -1.0f};
    }
    wri_morph_build_desc desc = wri_morph_build_desc_default();
    desc.node_count = l->node_count, desc.nodes = l->nodes;
    desc.tet_count = l->tet_count, desc.tets = l->tets;
    desc.node_weights = l->weights;
    desc.bone_count = d->bone_count, desc.bones = l->bones;
    desc.vertex_count = l->vertex_count, desc.vertices = l->vertices, desc.rides = l->rides;
    desc.target_count = d->target_count, desc.targets = targets;
    desc.mode_count = d->mode_count, desc.with_cubic = d->with_cubic;
    desc.tasks = wr_tasks_openmp(0);
    return wri_morph_build(&desc, NULL, error);
}

bool morph_body_create(morph_body *out, const morph_body_desc *desc, wr_error *error)
{
    limb l;
    *out = (morph_body){0};
    float part = LENGTH / (float)desc->bone_count;
    bool ok = open_limb(&l, desc);
    for (int i = 0; i < desc->bone_count; i++) {
        l.bones[i] = (wri_morph_bone){i - 1, wr_v3(part * (float)i, 0.0f, 0.0f),
                                      wr_v3(part * (float)(i + 1), 0.0f, 0.0f)};
    }
    out->data = ok ? build(&l, error) : NULL;
    ok = (ok || wri_fail_memory(error, 0)) && out->data && morph_body_finish(out, error);
    for (int i = 0; ok && i < MORPH_BENCH_POSES; i++) {
        find_pose(&l, 1.0 + 0.8 * sin(2.0 * 3.14159265 * i / MORPH_BENCH_POSES),
                  out->poses + (ptrdiff_t)i * desc->bone_count);
    }
    close_limb(&l);
    if (!ok) {
        morph_body_destroy(out);
    }
    return ok;
}
