// clay_volume.c: the volume of a bar that falls and is flattened, over time, as thesis fig. 3.10.
//
//     V_i = sqrt(det A_i / (sum_j w_ij)^3)                       thesis eq. 3.3
//     V_i = m_i / sum_j m_j W(e_j - e_i, h_i)                    the estimate of SPH, poly6
//
// and that of the skin which is carried along. All are over what they are at the start: the first
// two are not the body's volume even then. Clay itself uses none of them: V_i = m_i / rho.
#include "clay_bench.h"

#include "../src/base/base.h"
#include "../src/base/os.h"
#include "wrought/file.h"
#include "wrought/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 60, STEPS = 4, SAMPLES = 30 }; // of 1/30 s, in each, of a curve
enum { BY_BASIS, BY_SPH, BY_SKIN, CURVES };

static const char *const NAMES[CURVES] = {"eq. 3.3", "SPH", "skin"};

typedef struct bar {
    wr_model *model;
    wr_fill *fill;
    wr_clay_world *world;
    wr_clay_skin *skin;
    wr_vec3 *vertices;
    wr_clay_touch *touches;
    int room;
    wr_tasks tasks;
} bar;

static void close_bar(bar *b)
{
    wr_clay_skin_destroy(b->skin);
    wr_clay_world_destroy(b->world);
    wr_fill_destroy(b->fill);
    wr_model_destroy(b->model);
    free(b->vertices);
    free(b->touches);
}

// --- opening ----------------------------------------------------------------------------------

// Half as large as the model, and on an edge.
static wr_vec3 place_of(wr_vec3 p)
{
    wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(0.2f, 0.0f, 1.0f)), 1.309f);
    return wr_add(wr_v3(0.0f, 0.75f, 0.0f), wr_rotate(turn, wr_scale(0.5f, p)));
}

static bool fill_bar(bar *b, int count, wr_error *error)
{
    const wr_mesh *mesh = b->model->meshes;
    wr_fill_desc fill = wr_fill_desc_default();
    fill.positions = mesh->positions;
    fill.vertex_count = mesh->vertex_count;
    fill.triangles = mesh->triangles;
    fill.triangle_count = mesh->triangle_count;
    fill.count = count;
    fill.tasks = b->tasks;
    b->fill = wr_fill_create(&fill, error);
    b->vertices = malloc((size_t)mesh->vertex_count * sizeof *b->vertices);
    for (int i = 0; b->vertices && i < mesh->vertex_count; i++) {
        b->vertices[i] = place_of(mesh->positions[i]);
    }
    return b->fill && (b->vertices || wri_fail_memory(error, 0));
}

static bool add_body(bar *b, wr_error *error)
{
    wr_fill *fill = b->fill;
    wr_clay_desc desc = wr_clay_desc_default();
    wr_vec3 *velocities = malloc((size_t)fill->count * sizeof *velocities);
    if (!velocities) {
        return wri_fail_memory(error, 0);
    }
    for (int i = 0; i < fill->count; i++) {
        fill->positions[i] = place_of(fill->positions[i]);
        fill->volumes[i] *= 0.125f;
        velocities[i] = wr_v3(0.0f, -3.0f, 0.0f);
    }
    desc.parameters.stiffness = 60.0f;
    desc.parameters.yield = 0.02f;
    desc.parameters.flow = 0.3f;
    desc.parameters.hardening = 0.0f;
    desc.positions = fill->positions;
    desc.volumes = fill->volumes;
    desc.velocities = velocities;
    desc.count = fill->count;
    bool ok = wr_clay_add(b->world, &desc, error) == 0;
    free(velocities);
    return ok;
}

static bool open_bar(bar *b, const bench_options *options, wr_error *error)
{
    char path[4096];
    wr_clay_world_desc desc = wr_clay_world_desc_default();
    const int count = 1000;
    *b = (bar){.tasks = wr_tasks_openmp(options->threads), .room = 2 * count};
    snprintf(path, sizeof path, "%s/models/bar.glb", options->scenes);
    b->model = wr_model_read(path, NULL, error);
    b->world = b->model ? wr_clay_world_create(&desc, error) : NULL;
    b->touches = malloc((size_t)b->room * sizeof *b->touches);
    bool ok = b->world && (b->touches || wri_fail_memory(error, 0)) && fill_bar(b, count, error) &&
              add_body(b, error);
    b->skin =
        ok ? wr_clay_skin_create(b->world, 0, b->vertices, b->model->meshes->vertex_count, error)
           : NULL;
    return b->skin != NULL;
}

// --- volumes ----------------------------------------------------------------------------------

static double by_basis(const wri_clay *c, int i)
{
    double A[3][3] = {{0}}, weight = 0.0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        f4 u = c->u[i * NEIGHBOURS + k]; // and its weight
        for (int a = 0; a < 9; a++) {
            A[a / 3][a % 3] += (double)u[3] * (double)u[a / 3] * (double)u[a % 3];
        }
        weight += (double)u[3];
    }
    double det = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                 A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                 A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
    return weight > 0.0 ? sqrt(fmax(det, 0.0) / (weight * weight * weight)) : 0.0; // eq. 3.3
}

static double by_sph(const wri_clay *c, int i)
{
    double h = (double)c->h[i], sum = (double)c->m[i];
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        f4 e = c->e[j] - c->e[i];
        double s = 1.0 - (double)f4_dot(e, e) / (h * h);
        sum += j != i && s > 0.0 ? (double)c->m[j] * s * s * s : 0.0;
    }
    return (double)c->m[i] * h * h * h / sum; // up to a constant
}

static double by_skin(const bar *b)
{
    const wr_mesh *mesh = b->model->meshes;
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        sum +=
            (double)wr_dot(b->vertices[t[0]], wr_cross(b->vertices[t[1]], b->vertices[t[2]])) / 6.0;
    }
    return sum;
}

static bool find_volumes(const bar *b, double volumes[CURVES], wr_error *error)
{
    const wri_clay *c = wri_clay_of(b->world, 0);
    memset(volumes, 0, CURVES * sizeof *volumes);
    for (int i = 0; i < c->count; i++) {
        volumes[BY_BASIS] += by_basis(c, i);
        volumes[BY_SPH] += by_sph(c, i);
    }
    if (!wr_clay_skin_positions(b->skin, b->world, 0, 0.0f, &b->tasks, b->vertices)) {
        return wri_fail_memory(error, 0);
    }
    volumes[BY_SKIN] = by_skin(b);
    return true;
}

// --- over time --------------------------------------------------------------------------------

static void fall(bar *b, int steps)
{
    for (int i = 0; i < steps; i++) {
        wr_body_copy ground = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
        wr_clay_step step = {.dt = 1.0f / (30.0f * STEPS),
                             .gravity = {0.0f, -9.81f, 0.0f},
                             .bodies = &ground,
                             .body_count = 1,
                             .touches = b->touches,
                             .tasks = b->tasks};
        step.touch_count = bench_clay_touch_ground(wri_clay_of(b->world, 0), b->touches, b->room);
        wr_clay_world_step(b->world, &step);
    }
}

static bool follow(bar *b, const bench_options *options, bench_rows *rows, wr_error *error)
{
    const bench_plot plot = {"clay-volume", "Volume of a bar that falls and is flattened", "s",
                             "of what it is at the start", true};
    int at = bench_add_plot(rows, &plot);
    double start[CURVES], most[CURVES] = {0.0};
    for (int k = 0; k <= SAMPLES; k++) {
        double now[CURVES];
        if (!bench_goes_on(options, error) || !find_volumes(b, now, error)) {
            return false;
        }
        for (int j = 0; j < CURVES; j++) {
            start[j] = k == 0 ? now[j] : start[j];
            double ratio = now[j] / start[j];
            most[j] = fmax(most[j], fabs(ratio - 1.0));
            bench_add_point(rows, at, NAMES[j], true, k * FRAMES / (30.0 * SAMPLES), ratio);
        }
        fall(b, k < SAMPLES ? FRAMES * STEPS / SAMPLES : 0);
    }
    for (int j = 0; j < CURVES; j++) {
        char measure[32];
        snprintf(measure, sizeof measure, "%s, volume is off by", NAMES[j]);
        bench_add_row(rows, "fig. 3.10, dropped bar", measure, "% at most", 100.0 * most[j],
                      j == BY_SKIN ? 5.0 : NAN);
    }
    return true;
}

bool bench_clay_volume(const bench_options *options, bench_rows *rows, wr_error *error)
{
    if (!options->scenes) {
        return true;
    }
    bar b;
    bool ok = open_bar(&b, options, error) && follow(&b, options, rows, error);
    close_bar(&b);
    return ok;
}
