// example_record.c: shapes of a simulation: a frame of a recording, without its motion as a whole.
#include "wrought/example.h"

#include "../base/base.h"
#include "../math/decompose.h"

static int find_body(const wr_record_body *bodies, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool fail_body(const wr_record_body *bodies, int count, const char *name, wr_error *error)
{
    const char **names = wri_alloc(NULL, (size_t)count, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        names[i] = bodies[i].name;
    }
    char text[120];
    wri_fail(error, WR_E_ARGUMENT, "the recording has no body \"%.80s\"%s", name,
             wri_suggest_word(text, sizeof text, name, names, names ? count : 0));
    wri_free(NULL, names, (size_t)count, sizeof *names);
    return false;
}

// A body with cuts is recorded in fragments, whose vertices are not those of any model file.
static bool is_cut(const wr_record_body *bodies, int count, int body)
{
    bool cut = bodies[body].fragment_of > 0;
    for (int i = 0; i < count && !cut; i++) {
        cut = bodies[i].fragment_of == body + 1;
    }
    return cut;
}

// The shape that a frame has of a body: one of the two.
typedef struct recorded {
    const wr_frame *frame;
    int number;
    const wr_record_body *body;
    const wr_record_points *points;
    const wr_record_weights *weights;
    const wr_asset *asset; // asset that the weights belong to, NULL: the recording has none
} recorded;

static bool find_recorded(wr_record_reader *reader, const char *name, int index,
                          const wr_skin *skin, recorded *out, wr_error *error)
{
    int frames = wr_record_frame_count(reader), bodies = 0;
    if (index < -1 || index >= frames || frames == 0) {
        return wri_fail(error, WR_E_ARGUMENT, "the recording has %d frames, there is no frame %d",
                        frames, index);
    }
    const wr_frame *frame = wr_record_read_frame(reader, index < 0 ? frames - 1 : index, error);
    if (!frame) {
        return false;
    }
    const wr_record_body *list = wr_record_bodies(reader, &bodies);
    int body = find_body(list, bodies, name);
    if (body < 0) {
        return fail_body(list, bodies, name, error);
    }
    if (is_cut(list, bodies, body) && !skin) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%.100s\" was recorded in fragments, of which no example can be "
                        "made; record it with a recipe without \"cuts\"",
                        name);
    }
    *out = (recorded){.frame = frame,
                      .number = body,
                      .body = &list[body],
                      .asset = wr_record_asset(wr_record_about(reader), &list[body], NULL)};
    for (int i = 0; i < frame->points_count; i++) {
        out->points = frame->points[i].body == body ? &frame->points[i] : out->points;
    }
    for (int i = 0; i < frame->weights_count; i++) {
        out->weights = frame->weights[i].body == body ? &frame->weights[i] : out->weights;
    }
    if (!out->points && !out->weights) {
        return wri_fail(error, WR_E_ARGUMENT, "body \"%.100s\" keeps its shape in frame %d", name,
                        frame->index);
    }
    if (!out->points && !skin && !out->asset) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "body \"%.100s\" is recorded as weights of its examples; the asset it was "
                        "made from is needed to know its shape",
                        name);
    }
    return true;
}

static int vertex_count(const recorded *r, const wr_skin *skin)
{
    return r->points ? r->points->count
           : skin    ? wr_skin_describe(skin).vertex_count
                     : r->asset->rig.ride_count;
}

int wr_record_vertex_count(wr_record_reader *reader, const char *body, int frame,
                           const wr_skin *skin, wr_error *error)
{
    if (!WRI_REQUIRE(error, reader, body)) {
        return -1;
    }
    recorded r;
    if (!find_recorded(reader, body, frame, skin, &r, error)) {
        return -1;
    }
    return vertex_count(&r, skin);
}

// The simulation mesh of a skin that the caller has.
static bool skin_vertices(const recorded *r, const wr_skin *skin, wr_vec3 *positions,
                          wr_error *error)
{
    wr_skin_info info = wr_skin_describe(skin);
    size_t count = (size_t)info.vertex_count * (size_t)info.example_count;
    float *E = wri_alloc(NULL, count, sizeof *E);
    wr_error why = {0};
    bool ok = E || wri_fail_memory(&why, count * sizeof *E);
    ok = ok && wr_record_fill_rows(r->weights, info.vertex_count, info.example_count, E, &why);
    if (ok) {
        wr_skin_positions(skin, E, NULL, 0, NULL, positions);
    } else {
        wri_fail(error, why.code == WR_E_FORMAT ? WR_E_ARGUMENT : why.code,
                 "body \"%.100s\" was made from another asset: %s", r->body->name, why.message);
    }
    wri_free(NULL, E, count, sizeof *E);
    return ok;
}

// The render mesh, by the asset in the recording and at its size.
static bool skin_model(wr_record_reader *reader, const recorded *r, wr_vec3 *positions,
                       wr_error *error)
{
    const wr_record_info *info = wr_record_about(reader);
    wr_reskin *reskin = wr_reskin_create(info, error);
    wr_record_shape shape;
    float scale;
    bool ok = reskin && wr_reskin_find(reskin, r->frame, r->number, r->body, false, &shape, error);
    wr_record_asset(info, r->body, &scale);
    const wr_vec3 *bent = ok ? shape.positions : NULL;
    for (int i = 0; ok && i < r->asset->rig.ride_count; i++) {
        positions[i] =
            bent ? wr_scale(1.0f / scale, bent[i]) : r->asset->model->meshes->positions[i];
    }
    wr_reskin_destroy(reskin);
    return ok;
}

bool wr_shape_from_recording(wr_record_reader *reader, const char *body, int frame,
                             const wr_skin *skin, int count, wr_vec3 *positions, bool *moved,
                             wr_error *error)
{
    if (!WRI_REQUIRE(error, reader, body, positions)) {
        return false;
    }
    recorded r;
    if (!find_recorded(reader, body, frame, skin, &r, error)) {
        return false;
    }
    if (moved) {
        *moved = r.points != NULL;
    }
    if (vertex_count(&r, skin) != count) {
        return wri_fail(error, WR_E_ARGUMENT, "body \"%.100s\" has %d vertices, expected %d", body,
                        vertex_count(&r, skin), count);
    }
    if (!r.points) {
        return skin ? skin_vertices(&r, skin, positions, error)
                    : skin_model(reader, &r, positions, error);
    }
    memcpy(positions, r.points->positions, (size_t)count * sizeof *positions);
    return true;
}

// --- without its motion -----------------------------------------------------------------------

static void find_middle(const wr_vec3 *p, int count, double middle[3])
{
    memset(middle, 0, 3 * sizeof *middle);
    for (int i = 0; i < count; i++) {
        middle[0] += (double)p[i].x / count;
        middle[1] += (double)p[i].y / count;
        middle[2] += (double)p[i].z / count;
    }
}

wr_pose wr_shape_align(const wr_vec3 *rest, int count, wr_vec3 *positions)
{
    double a[3], b[3], h[3][3] = {{0}}, r[3][3], little = 0.0;
    find_middle(positions, count, a);
    find_middle(rest, count, b);
    for (int i = 0; i < count; i++) {
        const double from[3] = {positions[i].x - a[0], positions[i].y - a[1],
                                positions[i].z - a[2]};
        const double to[3] = {rest[i].x - b[0], rest[i].y - b[1], rest[i].z - b[2]};
        for (int k = 0; k < 9; k++) {
            h[k / 3][k % 3] += to[k / 3] * from[k % 3];
            little += 1e-9 * fabs(to[k / 3] * from[k % 3]);
        }
    }
    for (int x = 0; x < 3; x++) { // points in a line leave a turn about it open: none, then
        h[x][x] += little + 1e-30;
    }
    wri_polar3d((const double(*)[3])h, r, NULL);
    wr_pose motion = {.rotation = wri_quat_from_rotation((const double(*)[3])r)};
    double t[3];
    for (int x = 0; x < 3; x++) {
        t[x] = b[x] - r[x][0] * a[0] - r[x][1] * a[1] - r[x][2] * a[2];
    }
    motion.position = wr_v3((float)t[0], (float)t[1], (float)t[2]);
    for (int i = 0; i < count; i++) {
        const double p[3] = {positions[i].x, positions[i].y, positions[i].z};
        double q[3];
        for (int x = 0; x < 3; x++) {
            q[x] = r[x][0] * p[0] + r[x][1] * p[1] + r[x][2] * p[2] + t[x];
        }
        positions[i] = wr_v3((float)q[0], (float)q[1], (float)q[2]);
    }
    return motion;
}

void wr_poses_from_vertices(const wr_rig *rig, const wr_vec3 *positions, wr_handle_pose *poses,
                            uint8_t *fixed)
{
    for (int b = 0; b < rig->handle_count; b++) {
        int v = rig->handles[b].vertex;
        poses[b] = (wr_handle_pose){.rotation = WR_QUAT_IDENTITY, .stretch = {1, 1, 1}};
        fixed[b] = v >= 0 ? WR_FIX_OFFSET : 0;
        if (v >= 0) {
            poses[b].offset = wr_sub(positions[v], rig->handles[b].pivot);
        }
    }
}
