// rigid.c: piles of bodies, their touches, the size of a recording.
#include "bench.h"

#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>

// --- piles ------------------------------------------------------------------------------------

enum { RING = 24, TUBE = 10, TORUS_VERTICES = RING * TUBE, TORUS_TRIANGLES = 2 * RING * TUBE };

typedef struct shapes {
    wr_vec3 corners[3][8]; // an L of three boxes
    wr_piece pieces[3];
    wr_vec3 torus[TORUS_VERTICES];
    int torus_triangles[3 * TORUS_TRIANGLES];
} shapes;

static void make_shapes(shapes *s)
{
    const wr_vec3 centers[3] = {{-0.25f, 0, 0}, {0.25f, 0, 0}, {-0.25f, 0.5f, 0}};
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < 8; i++) {
            wr_vec3 half =
                wr_v3(i & 1 ? 0.25f : -0.25f, i & 2 ? 0.25f : -0.25f, i & 4 ? 0.25f : -0.25f);
            s->corners[p][i] = wr_add(centers[p], half);
        }
        s->pieces[p] = (wr_piece){s->corners[p], 8};
    }
    for (int i = 0; i < RING; i++) {
        for (int k = 0; k < TUBE; k++) {
            float a = 2.0f * WR_PI * (float)i / RING, b = 2.0f * WR_PI * (float)k / TUBE;
            float r = 0.35f + 0.15f * cosf(b);
            s->torus[i * TUBE + k] = wr_v3(r * cosf(a), 0.15f * sinf(b), -r * sinf(a));
            int i1 = (i + 1) % RING, k1 = (k + 1) % TUBE;
            int q[4] = {i * TUBE + k, i1 * TUBE + k, i1 * TUBE + k1, i * TUBE + k1};
            int *t = &s->torus_triangles[6 * (i * TUBE + k)];
            t[0] = q[0], t[1] = q[1], t[2] = q[2];
            t[3] = q[0], t[4] = q[2], t[5] = q[3];
        }
    }
}

static bool describe_body(const shapes *s, wr_shape_kind kind, wr_rigid_body_desc *desc,
                          wr_error *error)
{
    *desc = wr_rigid_body_desc_default();
    desc->shape.kind = kind;
    desc->mass = wr_primitive_mass(WR_PRIMITIVE_BOX, wr_v3(0.8f, 0.8f, 0.8f), 500.0);
    desc->shape.size = wr_v3(0.8f, 0.8f, 0.8f);
    desc->shape.pieces = s->pieces;
    desc->shape.piece_count = 3;
    desc->shape.positions = s->torus;
    desc->shape.vertex_count = TORUS_VERTICES;
    desc->shape.triangles = s->torus_triangles;
    desc->shape.triangle_count = TORUS_TRIANGLES;
    if (kind != WR_SHAPE_MESH) {
        return true;
    }
    const wr_mesh mesh = {.name = "torus",
                          .vertex_count = TORUS_VERTICES,
                          .triangle_count = TORUS_TRIANGLES,
                          .positions = (wr_vec3 *)(uintptr_t)s->torus,
                          .triangles = (int *)(uintptr_t)s->torus_triangles};
    return wr_mesh_find_mass(&mesh, 500.0, &desc->mass, error);
}

// A heap that has just landed, with sleeping off: the worst moment.
static bool measure_pile(const shapes *s, wr_shape_kind kind, int count, double budget,
                         double *ms_per_step, wr_error *error)
{
    wr_rigid_desc desc = wr_rigid_desc_default();
    desc.sleeping = false;
    wr_rigid *rigid = wr_rigid_create(&desc, error);
    if (!rigid) {
        return false;
    }
    wr_rigid_body_desc floor = wr_rigid_body_desc_default(), body;
    floor.shape.kind = WR_SHAPE_PLANE;
    floor.motion = WR_MOTION_STATIC;
    bool ok = wr_rigid_add_body(rigid, &floor, error) >= 0 && describe_body(s, kind, &body, error);
    int side = (int)ceil(sqrt(count / 4.0));
    // From one to the next above it, so that they land within the first steps.
    static const float gap[] = {
        [WR_SHAPE_BOX] = 0.801f, [WR_SHAPE_HULLS] = 0.76f, [WR_SHAPE_MESH] = 0.302f};
    for (int i = 0; ok && i < count; i++) { // towers of four
        int column = i / 4;
        body.pose.position =
            wr_v3(1.4f * (float)(column % side), 0.01f + gap[kind] * (0.5f + (float)(i % 4)),
                  1.4f * (float)(column / side));
        ok = wr_rigid_add_body(rigid, &body, error) >= 0;
    }
    const float dt = 1.0f / 240.0f;
    for (int i = 0; ok && i < 20; i++) { // the towers land
        wr_rigid_step(rigid, dt, NULL, NULL);
    }
    double start = wri_seconds();
    int steps = 0;
    while (ok && steps < 240 && (steps < 3 || wri_seconds() - start < budget)) {
        wr_rigid_step(rigid, dt, NULL, NULL);
        steps++;
    }
    *ms_per_step = 1e3 * (wri_seconds() - start) / (steps ? steps : 1);
    wr_rigid_destroy(rigid);
    return ok;
}

static bool bench_piles(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const struct {
        wr_shape_kind kind;
        const char *name;
    } kinds[] = {{WR_SHAPE_BOX, "boxes"},
                 {WR_SHAPE_HULLS, "compounds of 3 hulls"},
                 {WR_SHAPE_MESH, "meshes of 480 triangles"}};
    static const int counts[] = {10, 100, 1000};
    static shapes s;
    make_shapes(&s);
    for (int k = 0; k < WRI_COUNT(kinds); k++) {
        for (int c = 0; c < WRI_COUNT(counts); c++) {
            double ms;
            double budget = options->full ? 10.0 : 1.5;
            if (!bench_goes_on(options, error) ||
                !measure_pile(&s, kinds[k].kind, counts[c], budget, &ms, error)) {
                return false;
            }
            char name[64];
            snprintf(name, sizeof name, "%d %s", counts[c], kinds[k].name);
            bench_add_row(rows, name, "time per step", "ms", ms, NAN);
        }
    }
    return true;
}

// --- touches ----------------------------------------------------------------------------------

enum { BALLS = 36000, BED = 10, HULL_POINTS = 30 };

// 10 x 10 bodies of nearly a metre in the plane y = 0, half of them hulls, tilted in all ways.
static wr_rigid *make_bed(const shapes *s, wr_error *error)
{
    wr_rigid_desc world = wr_rigid_desc_default();
    wr_rigid *rigid = wr_rigid_create(&world, error);
    wr_vec3 points[HULL_POINTS];
    for (int i = 0; i < HULL_POINTS; i++) { // a spiral around a ball
        float y = 1.0f - (float)(2 * i + 1) / HULL_POINTS, r = sqrtf(1.0f - y * y);
        float a = 2.399963f * (float)i;
        points[i] = wr_scale(0.45f, wr_v3(r * cosf(a), y, r * sinf(a)));
    }
    const wr_piece piece = {points, HULL_POINTS};
    static const wr_shape_kind kinds[] = {WR_SHAPE_BOX,      WR_SHAPE_HULLS, WR_SHAPE_CAPSULE,
                                          WR_SHAPE_CYLINDER, WR_SHAPE_HULLS, WR_SHAPE_SPHERE,
                                          WR_SHAPE_MESH,     WR_SHAPE_HULLS};
    bool ok = rigid != NULL;
    for (int i = 0; ok && i < BED * BED; i++) {
        wr_rigid_body_desc desc;
        wr_shape_kind kind = kinds[i % WRI_COUNT(kinds)];
        ok = describe_body(s, kind, &desc, error);
        desc.shape.size = kind == WR_SHAPE_BOX ? wr_v3(0.8f, 0.8f, 0.8f) : wr_v3(0.4f, 0.4f, 0.4f);
        if (i % 16 != 4) { // else the compound of 3 hulls
            desc.shape.pieces = &piece;
            desc.shape.piece_count = 1;
        }
        desc.motion = i % 2 ? WR_MOTION_MOVING : WR_MOTION_STATIC;
        desc.pose.position = wr_v3((float)(i % BED), 0, (float)(i / BED));
        desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(1, (float)(i % 3), 0.5f), (float)i);
        ok = ok && wr_rigid_add_body(rigid, &desc, error) >= 0;
    }
    if (!ok) {
        wr_rigid_destroy(rigid);
    }
    return ok ? rigid : NULL;
}

// count[0] x count[1] x count[2] balls, one number after the other along x, then y, then z.
static void fill_lattice(wr_ball balls[BALLS], const int count[3], float spacing, wr_vec3 from)
{
    for (int i = 0; i < BALLS; i++) {
        wr_vec3 at = wr_v3((float)(i % count[0]), (float)(i / count[0] % count[1]),
                           (float)(i / count[0] / count[1]));
        balls[i] = (wr_ball){.center = wr_add_scaled(from, spacing, at), .radius = 0.6f * spacing};
    }
}

static bool measure_touches(wr_rigid *rigid, const wr_touch_query *query, int times, double *ms,
                            int *count, wr_error *error)
{
    *ms = INFINITY;
    for (int i = 0; i < times; i++) {
        double start = wri_seconds();
        if (!wr_rigid_find_touches(rigid, query, count, error)) {
            return false;
        }
        *ms = fmin(*ms, 1e3 * (wri_seconds() - start));
    }
    return true;
}

static bool bench_touches(const bench_options *options, bench_rows *rows, wr_error *error)
{
    static const struct {
        const char *name;
        int count[3];
        float spacing;
        wr_vec3 from;
        float sweep, goal;
    } cases[] = {
        {"36000 balls over 100 bodies", {200, 1, 180}, 0.05f, {-0.5f, 0.41f, 0}, 0, 2},
        {"36000 balls stacked on 100 bodies", {40, 30, 30}, 0.06f, {3, 0.3f, 3}, 0, 2},
        {"36000 balls falling on 100 bodies", {200, 1, 180}, 0.05f, {-0.5f, 1, 0}, 0.8f, NAN},
        {"36000 balls near none of 100", {40, 30, 30}, 0.06f, {3, 2, 3}, 0, 0.3f},
    };
    static wr_ball balls[BALLS];
    static shapes s;
    make_shapes(&s);
    wr_rigid *rigid = make_bed(&s, error);
    bool ok = rigid != NULL;
    for (int i = 0; ok && i < WRI_COUNT(cases); i++) {
        wr_touch_query query = wr_touch_query_default();
        double ms;
        int count;
        fill_lattice(balls, cases[i].count, cases[i].spacing, cases[i].from);
        for (int k = 0; k < BALLS; k++) {
            balls[k].sweep = wr_v3(0, -cases[i].sweep, 0);
        }
        query.balls = balls;
        query.ball_count = BALLS;
        query.most = 4;
        query.tasks = wr_tasks_openmp(options->threads);
        ok = bench_goes_on(options, error) &&
             measure_touches(rigid, &query, options->full ? 300 : 60, &ms, &count, error);
        if (ok) {
            bench_add_row(rows, cases[i].name, "time of touches", "ms", ms, cases[i].goal);
        }
    }
    wr_rigid_destroy(rigid);
    return ok;
}

// --- recording --------------------------------------------------------------------------------

static wr_pose tumbling_pose(int body, double time)
{
    // Thrown up, falling and turning; every fifth body has come to rest.
    double t = body % 5 ? time : 0.0;
    wr_vec3 at = wr_v3((float)(body % 10) + 0.8f * (float)t, (float)(1.0 + 9.0 * t - 4.9 * t * t),
                       (float)(body / 10));
    return (wr_pose){
        at, wr_quat_from_axis_angle(wr_v3(1, (float)(body % 3), 0.5f), (float)(3.0 * t + body))};
}

static bool bench_recording(bench_rows *rows, wr_error *error)
{
    enum { BODIES = 100, FRAMES = 300 };
    bench_folder folder;
    if (!bench_folder_create(&folder, error)) {
        return false;
    }
    char path[sizeof folder.path + 16];
    snprintf(path, sizeof path, "%s/r.wrought", folder.path);
    static wr_record_body bodies[BODIES];
    for (int i = 0; i < BODIES; i++) {
        bodies[i] = (wr_record_body){.name = "body", .material = "rigid", .model = -1};
    }
    wr_record_info info = {.title = "bench",
                           .program = "bench",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 4,
                           .planned_frames = FRAMES,
                           .stage = wr_stage_default(),
                           .body_count = BODIES,
                           .bodies = bodies};
    wr_record_writer *writer = wr_record_create(path, &info, error);
    bool ok = writer != NULL;
    double start = wri_seconds();
    for (int f = 0; ok && f <= FRAMES; f++) {
        wr_pose poses[BODIES];
        for (int i = 0; i < BODIES; i++) {
            poses[i] = tumbling_pose(i, f / 60.0);
        }
        wr_frame frame = {.index = f, .time = f / 60.0, .body_count = BODIES, .poses = poses};
        ok = wr_record_add_frame(writer, &frame, error);
    }
    double seconds = wri_seconds() - start;
    ok = ok && wr_record_finish(writer, true, error);
    wr_record_writer_destroy(writer);
    if (ok) {
        double minutes = FRAMES / 60.0 / 60.0;
        bench_add_row(rows, "recording, 100 tumbling bodies", "size per minute", "MB",
                      1e-6 * (double)wri_file_size(path) / minutes, NAN);
        bench_add_row(rows, "recording, 100 tumbling bodies", "time per frame", "ms",
                      1e3 * seconds / FRAMES, NAN);
    }
    bench_folder_destroy(&folder);
    return ok;
}

bool bench_rigid(const bench_options *options, bench_rows *rows, wr_error *error)
{
    return bench_touches(options, rows, error) && bench_piles(options, rows, error) &&
           bench_recording(rows, error);
}
