// shape.c: shapes and masses as the engine wants them.
//
// A hull in the engine has a margin around its points. So that bodies do not float on it, the
// points are first drawn in by the margin along the principal axes of the point cloud, which is
// exact for boxes and balls and never leaves a gap wider than the margin. Other pieces come out a
// little too thick or too thin, each its own way, and a body of many pieces then rocks on those
// that stick out: hence the small margin.
#include "engine.h"

#include <float.h>

static const double HULL_MARGIN = 0.0002;    // lengths; at most
static const double MARGIN_SHARE = 0.02;     // of a piece's thickness; at most
static const double FLAT_MARGIN = 1e-4;      // lengths; at least
static const double PRIMITIVE_MARGIN = 0.01; // inside boxes and cylinders
static const double MESH_MARGIN = 0.001;
static const double DIAGONAL = 1e-7; // products of inertia below this share of the trace are noise

wri_frame wri_frame_from_pose(const wri_units *units, wr_pose pose)
{
    wri_frame f;
    double q[4] = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
    wri_to_engine(pose.position, units->length, f.position);
    wri_frame_set_rotation(&f, q);
    return f;
}

wr_pose wri_pose_from_frame(const wri_units *units, const wri_frame *frame)
{
    double q[4];
    wri_frame_rotation(frame, q);
    wr_pose pose = {wri_from_engine(frame->position, units->length),
                    {(float)q[0], (float)q[1], (float)q[2], (float)q[3]}};
    return pose;
}

// --- axes -------------------------------------------------------------------------------------

static void rotate_pair(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a[k][p], kq = a[k][q];
        a[k][p] = c * kp - s * kq;
        a[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a[p][k], qk = a[q][k];
        a[p][k] = c * pk - s * qk;
        a[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 3; k++) {
        double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - s * kq;
        v[k][q] = s * kp + c * kq;
    }
}

void wri_find_axes(const double matrix[3][3], double axes[3][3], double values[3])
{
    double a[3][3];
    for (int i = 0; i < 9; i++) {
        a[i / 3][i % 3] = 0.5 * (matrix[i / 3][i % 3] + matrix[i % 3][i / 3]);
        axes[i / 3][i % 3] = i % 4 == 0;
    }
    double trace = fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]);
    for (int sweep = 0; sweep < 32; sweep++) {
        double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        if (!(off > DBL_EPSILON * 1e-3 * trace)) {
            break;
        }
        rotate_pair(a, axes, 0, 1);
        rotate_pair(a, axes, 0, 2);
        rotate_pair(a, axes, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        values[i] = a[i][i];
    }
    WR_ASSERT(wri_is_rotation((const double(*)[3])axes));
}

// sqrt(r / g), engine units, of the radius of gyration r: what falls takes that long, roughly, to
// pass its own size. Copies of any size are damped alike by it.
static double body_time(const wri_bullet_body *body)
{
    const double *moment = body->inertia;
    return sqrt(sqrt((moment[0] + moment[1] + moment[2]) / (3.0 * body->mass)) / WRI_EARTH);
}

bool wri_set_inertia(const wri_units *units, const wr_mass_properties *mass, wri_rigid_body *body)
{
    double tensor[3][3], trace = 0;
    for (int i = 0; i < 3; i++) {
        trace += fabs(mass->inertia[i][i]);
    }
    bool finite = isfinite(mass->mass) && isfinite(trace);
    for (int i = 0; i < 3; i++) {
        finite = finite && isfinite(mass->center[i]);
        for (int j = 0; j < 3; j++) {
            double x = mass->inertia[i][j];
            finite = finite && isfinite(x);
            tensor[i][j] = i != j && fabs(x) < DIAGONAL * trace ? 0.0 : x;
        }
    }
    wri_frame principal = WRI_FRAME_IDENTITY;
    double moments[3] = {0, 0, 0};
    if (finite) {
        wri_find_axes((const double(*)[3])tensor, principal.basis, moments);
    }
    if (!finite || !(mass->mass > 0) || !(moments[0] > 0 && moments[1] > 0 && moments[2] > 0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        principal.position[i] = mass->center[i] / units->length;
        body->engine.inertia[i] = moments[i] / wri_unit_inertia(units);
    }
    body->engine.mass = mass->mass / units->mass;
    WR_ASSERT(body->engine.mass > 0);
    body->engine.linear_damping = body->linear_damping / body_time(&body->engine);
    body->engine.angular_damping = body->angular_damping / body_time(&body->engine);
    body->mass = *mass;
    body->principal = principal;
    body->engine.shape = wri_frame_inverse(&principal);
    double *c = principal.position;
    body->bounding_radius = body->frame_radius + sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    return true;
}

// --- points -----------------------------------------------------------------------------------

// The box along the principal axes of the points: middle in those axes, half extents, axes.
typedef struct tight_box {
    double axes[3][3], middle[3], half[3];
} tight_box;

static void find_covariance(const wr_vec3 *points, int count, double c[3][3])
{
    double mean[3] = {0, 0, 0}, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    WR_ASSERT(count > 0);
    for (int i = 0; i < count; i++) {
        mean[0] += points[i].x;
        mean[1] += points[i].y;
        mean[2] += points[i].z;
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= count;
    }
    for (int i = 0; i < count; i++) {
        double x = points[i].x - mean[0], y = points[i].y - mean[1], z = points[i].z - mean[2];
        xx += x * x;
        yy += y * y;
        zz += z * z;
        xy += x * y;
        xz += x * z;
        yz += y * z;
    }
    const double rows[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    memcpy(c, rows, sizeof rows);
}

static double along(const double axes[3][3], int k, wr_vec3 p)
{
    return axes[0][k] * p.x + axes[1][k] * p.y + axes[2][k] * p.z;
}

// Writes the points' coordinates in the axes of the box to `within`, unless that is NULL.
static tight_box find_tight_box(const wr_vec3 *points, int count, double (*within)[3])
{
    tight_box box = {0};
    double c[3][3], values[3], low[3] = {DBL_MAX, DBL_MAX, DBL_MAX},
                               high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    find_covariance(points, count, c);
    double trace = c[0][0] + c[1][1] + c[2][2];
    for (int i = 0; i < 9; i++) { // a box given along the axes keeps them
        if (i % 4 && fabs(c[i / 3][i % 3]) < 1e-6 * trace) {
            c[i / 3][i % 3] = 0;
        }
    }
    wri_find_axes((const double(*)[3])c, box.axes, values);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = along((const double(*)[3])box.axes, k, points[i]);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
            if (within) {
                within[i][k] = x;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        box.middle[k] = 0.5 * (low[k] + high[k]);
        box.half[k] = 0.5 * (high[k] - low[k]);
    }
    return box;
}

static double smallest3(const double v[3])
{
    return fmin(v[0], fmin(v[1], v[2]));
}

static double farthest(const wr_vec3 *points, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        double x = points[i].x, y = points[i].y, z = points[i].z;
        double far = x * x + y * y + z * z;
        most = far > most ? far : most;
    }
    return sqrt(most);
}

void wri_fit_piece(const wri_units *units, const wr_vec3 *points, int count, double (*out)[3],
                   double *margin, double size[2])
{
    tight_box box = find_tight_box(points, count, out);
    double keep[3], width = 2.0 * smallest3(box.half) / units->length;
    size[0] = width;
    size[1] = farthest(points, count) / units->length;
    *margin = fmax(FLAT_MARGIN, fmin(HULL_MARGIN, MARGIN_SHARE * width));
    for (int k = 0; k < 3; k++) {
        double half = box.half[k] / units->length;
        keep[k] = half > *margin ? 1.0 - *margin / half : 0.0;
        WR_ASSERT(keep[k] >= 0.0 && keep[k] < 1.0);
    }
    for (int i = 0; i < count; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = (box.middle[k] + keep[k] * (out[i][k] - box.middle[k])) / units->length;
        }
        for (int r = 0; r < 3; r++) {
            out[i][r] = box.axes[r][0] * x[0] + box.axes[r][1] * x[1] + box.axes[r][2] * x[2];
        }
    }
}

// --- checks -----------------------------------------------------------------------------------

static bool check_points(const wr_vec3 *points, int count, const char *what, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!wr_is_finite3(points[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "%s[%d]: not finite", what, i);
        }
    }
    return true;
}

static bool check_pieces(const wr_shape *shape, wr_error *error)
{
    if (shape->piece_count < 1 || !shape->pieces) {
        return wri_fail(error, WR_E_ARGUMENT, "pieces: need at least 1, got %d",
                        shape->piece_count);
    }
    int64_t total = 0;
    for (int i = 0; i < shape->piece_count; i++) {
        const wr_piece *piece = &shape->pieces[i];
        if (piece->point_count < 4 || !piece->points) {
            return wri_fail(error, WR_E_ARGUMENT, "pieces[%d]: need at least 4 points, got %d", i,
                            piece->point_count);
        }
        if (!check_points(piece->points, piece->point_count, "pieces.points", error)) {
            return false;
        }
        tight_box box = find_tight_box(piece->points, piece->point_count, NULL);
        double size = fmax(box.half[0], fmax(box.half[1], box.half[2]));
        if (!(smallest3(box.half) > 1e-6 * size)) {
            return wri_fail(error, WR_E_ARGUMENT, "pieces[%d]: its points lie in a plane", i);
        }
        total += piece->point_count;
    }
    return total <= INT32_MAX / 4 ||
           wri_fail(error, WR_E_ARGUMENT, "pieces: too many points, %lld", (long long)total);
}

static bool check_mesh(const wr_shape *shape, wr_error *error)
{
    if (shape->vertex_count < 3 || shape->triangle_count < 1 || !shape->positions ||
        !shape->triangles || shape->triangle_count > INT32_MAX / 4 ||
        shape->vertex_count > INT32_MAX / 4) {
        return wri_fail(error, WR_E_ARGUMENT, "mesh: %d vertices and %d triangles are no surface",
                        shape->vertex_count, shape->triangle_count);
    }
    for (int i = 0; i < 3 * shape->triangle_count; i++) {
        if (shape->triangles[i] < 0 || shape->triangles[i] >= shape->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "triangles[%d]: vertex %d not in [0, %d)", i / 3,
                            shape->triangles[i], shape->vertex_count);
        }
    }
    return check_points(shape->positions, shape->vertex_count, "positions", error);
}

bool wri_check_shape(const wr_shape *shape, wr_motion motion, wr_error *error)
{
    wr_vec3 s = shape->size;
    bool ok = true;
    switch (shape->kind) {
    case WR_SHAPE_BOX:
        ok = wr_is_finite3(s) && s.x > 0 && s.y > 0 && s.z > 0;
        break;
    case WR_SHAPE_SPHERE:
        ok = isfinite(s.x) && s.x > 0;
        break;
    case WR_SHAPE_CAPSULE:
        ok = isfinite(s.x) && s.x > 0 && isfinite(s.y) && s.y >= 0;
        break;
    case WR_SHAPE_CYLINDER:
        ok = isfinite(s.x) && s.x > 0 && isfinite(s.y) && s.y > 0;
        break;
    case WR_SHAPE_PLANE:
        return motion != WR_MOTION_MOVING ||
               wri_fail(error, WR_E_ARGUMENT, "shape: a plane cannot move");
    case WR_SHAPE_HULLS:
        return check_pieces(shape, error);
    case WR_SHAPE_MESH:
        return check_mesh(shape, error);
    default:
        return wri_fail(error, WR_E_ARGUMENT, "shape.kind: %d is unknown", (int)shape->kind);
    }
    return ok || wri_fail(error, WR_E_ARGUMENT, "shape.size: (%g, %g, %g) is not positive",
                          (double)s.x, (double)s.y, (double)s.z);
}

// --- to the engine ----------------------------------------------------------------------------

static void fill_primitive(const wri_units *units, const wr_shape *shape, wri_bullet_shape *out,
                           wri_rigid_body *body)
{
    double size[3];
    wri_to_engine(shape->size, units->length, size);
    double a = size[0], b = size[1];
    switch (shape->kind) {
    case WR_SHAPE_SPHERE:
        body->thickness = 2 * a;
        body->frame_radius = a;
        break;
    case WR_SHAPE_CAPSULE:
        body->thickness = 2 * a;
        body->frame_radius = a + 0.5 * b;
        break;
    case WR_SHAPE_CYLINDER:
        body->thickness = fmin(2 * a, b);
        body->frame_radius = sqrt(a * a + 0.25 * b * b);
        size[1] = 0.5 * b;
        break;
    case WR_SHAPE_PLANE:
        body->thickness = body->frame_radius = HUGE_VAL;
        break;
    default:
        body->thickness = smallest3(size);
        body->frame_radius = 0.5 * sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
        for (int i = 0; i < 3; i++) {
            size[i] *= 0.5;
        }
        break;
    }
    WR_ASSERT(body->thickness > 0 && body->frame_radius > 0);
    memcpy(out->size, size, sizeof size);
    memcpy(body->size, size, sizeof size);
    bool round = shape->kind == WR_SHAPE_SPHERE || shape->kind == WR_SHAPE_CAPSULE ||
                 shape->kind == WR_SHAPE_CYLINDER;
    body->engine.radius = round ? a : fmin(0.5 * body->thickness, 1e30);
    out->margin =
        shape->kind == WR_SHAPE_PLANE ? 0.0 : fmin(PRIMITIVE_MARGIN, 0.05 * body->thickness);
}

static bool keep_pieces(wr_rigid *rigid, const wr_piece *pieces, int piece_count,
                        wri_rigid_body *body, wr_error *error)
{
    const wr_allocator *heap = &rigid->allocator;
    int total = 0, largest = 0;
    for (int i = 0; i < piece_count; i++) {
        int n = pieces[i].point_count;
        total += n;
        largest = n > largest ? n : largest;
    }
    size_t count = (size_t)piece_count;
    body->piece_count = piece_count;
    body->first_point = wri_alloc(heap, count + 1, sizeof(int));
    if (!body->first_point) {
        return wri_fail_memory(error, (count + 1) * sizeof(int));
    }
    body->first_point[piece_count] = total;
    body->points = wri_alloc(heap, (size_t)total, sizeof(wr_vec3));
    body->original = wri_alloc(heap, (size_t)total, sizeof(wr_vec3));
    body->changed = wri_alloc(heap, count, sizeof(bool));
    body->piece_size = wri_alloc(heap, count, sizeof *body->piece_size);
    if (!body->points || !body->original || !body->changed || !body->piece_size ||
        !wri_array_reserve(&rigid->piece, largest)) {
        return wri_fail_memory(error, (size_t)total * sizeof(wr_vec3));
    }
    int first = 0;
    for (int i = 0; i < piece_count; i++) {
        const wr_piece *piece = &pieces[i];
        body->first_point[i] = first;
        memcpy(&body->points[first], piece->points, (size_t)piece->point_count * sizeof(wr_vec3));
        first += piece->point_count;
    }
    WR_ASSERT(first == total && largest >= 1);
    memcpy(body->original, body->points, (size_t)total * sizeof(wr_vec3));
    return true;
}

static void update_size(wri_rigid_body *body)
{
    body->thickness = HUGE_VAL;
    body->frame_radius = 0;
    for (int i = 0; i < body->piece_count; i++) {
        body->thickness = fmin(body->thickness, body->piece_size[i][0]);
        body->frame_radius = fmax(body->frame_radius, body->piece_size[i][1]);
    }
    WR_ASSERT(body->thickness < HUGE_VAL && body->frame_radius > 0);
    body->bounding_radius = body->frame_radius + wri_length3(body->principal.position);
}

static bool add_hulls(wr_rigid *rigid, const wr_shape *shape, wri_rigid_body *body,
                      const wri_body_state *state, wr_error *error)
{
    if (!keep_pieces(rigid, shape->pieces, shape->piece_count, body, error)) {
        return false;
    }
    int total = body->first_point[body->piece_count];
    size_t pieces = (size_t)body->piece_count;
    wri_arena scratch = wri_arena_create(&rigid->allocator);
    double(*points)[3] = wri_arena_alloc(&scratch, (size_t)total, sizeof *points);
    double *margins = wri_arena_alloc(&scratch, pieces, sizeof(double));
    int *counts = wri_arena_alloc(&scratch, pieces, sizeof(int));
    bool ok = points && margins && counts;
    for (int i = 0; ok && i < body->piece_count; i++) {
        int first = body->first_point[i];
        counts[i] = body->first_point[i + 1] - first;
        WR_ASSERT(counts[i] >= 4 && first >= 0 && first + counts[i] <= total);
        wri_fit_piece(&rigid->units, &body->points[first], counts[i], &points[first], &margins[i],
                      body->piece_size[i]);
    }
    if (ok) {
        update_size(body);
        tight_box whole = find_tight_box(body->points, total, NULL);
        body->engine.radius = smallest3(whole.half) / rigid->units.length;
        wri_bullet_shape engine = {.kind = WRI_BULLET_HULLS,
                                   .points = (const double(*)[3])points,
                                   .point_count = total,
                                   .piece_points = counts,
                                   .margins = margins,
                                   .piece_count = body->piece_count};
        ok = wri_bullet_add_body(rigid->bullet, &engine, &body->engine, state);
    }
    wri_arena_destroy(&scratch);
    return ok || wri_fail_memory(error, (size_t)total * sizeof *points);
}

// A mesh is a skin without thickness; what passes through must at least be noticed by the far side.
static void find_mesh_size(const wri_units *units, const wr_vec3 *positions, int count,
                           double size[2])
{
    tight_box box = find_tight_box(positions, count, NULL);
    size[0] = smallest3(box.half) / units->length;
    size[1] = farthest(positions, count) / units->length;
}

static bool add_mesh(wr_rigid *rigid, const wr_shape *shape, wri_rigid_body *body,
                     const wri_body_state *state, wr_error *error)
{
    bool moving = body->motion == WR_MOTION_MOVING;
    const wr_piece vertices = {shape->positions, shape->vertex_count};
    if (moving && !keep_pieces(rigid, &vertices, 1, body, error)) {
        return false;
    }
    wri_arena scratch = wri_arena_create(&rigid->allocator);
    double(*points)[3] = wri_arena_alloc(&scratch, (size_t)shape->vertex_count, sizeof *points);
    bool ok = points != NULL;
    if (ok) {
        for (int i = 0; i < shape->vertex_count; i++) {
            wri_to_engine(shape->positions[i], rigid->units.length, points[i]);
        }
        double size[2];
        find_mesh_size(&rigid->units, shape->positions, shape->vertex_count, size);
        body->engine.radius = size[0];
        body->thickness = moving ? size[0] : 0.0;
        body->triangle_count = shape->triangle_count;
        body->frame_radius = size[1];
        body->bounding_radius = body->frame_radius + wri_length3(body->principal.position);
        wri_bullet_shape engine = {.kind = WRI_BULLET_MESH,
                                   .margin = MESH_MARGIN,
                                   .points = (const double(*)[3])points,
                                   .point_count = shape->vertex_count,
                                   .triangles = shape->triangles,
                                   .triangle_count = shape->triangle_count};
        ok = wri_bullet_add_body(rigid->bullet, &engine, &body->engine, state);
    }
    wri_arena_destroy(&scratch);
    return ok || wri_fail_memory(error, (size_t)shape->vertex_count * sizeof *points);
}

bool wri_add_shape(wr_rigid *rigid, const wr_shape *shape, wri_rigid_body *body,
                   const wri_body_state *state, wr_error *error)
{
    wri_bullet_shape engine = {.kind = (wri_bullet_kind)shape->kind};
    body->engine.present = true;
    if (shape->kind == WR_SHAPE_HULLS) {
        return add_hulls(rigid, shape, body, state, error);
    }
    if (shape->kind == WR_SHAPE_MESH) {
        return add_mesh(rigid, shape, body, state, error);
    }
    fill_primitive(&rigid->units, shape, &engine, body);
    body->bounding_radius = body->frame_radius + wri_length3(body->principal.position);
    return wri_bullet_add_body(rigid->bullet, &engine, &body->engine, state) ||
           wri_fail_memory(error, sizeof engine);
}

void wri_free_shape(const wr_allocator *allocator, wri_rigid_body *body)
{
    size_t pieces = (size_t)body->piece_count;
    size_t points = body->first_point ? (size_t)body->first_point[pieces] : 0;
    wri_free(allocator, body->points, points, sizeof(wr_vec3));
    wri_free(allocator, body->original, points, sizeof(wr_vec3));
    wri_free(allocator, body->changed, pieces, sizeof(bool));
    wri_free(allocator, body->piece_size, pieces, sizeof *body->piece_size);
    wri_free(allocator, body->first_point, pieces + 1, sizeof(int));
    wri_free_touch(allocator, body);
}

static void update_mesh(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    int count = body->first_point[1];
    double(*points)[3] = rigid->piece.items;
    WR_ASSERT(body->piece_count == 1 && count <= rigid->piece.capacity);
    for (int i = 0; i < count; i++) {
        wri_to_engine(body->points[i], rigid->units.length, points[i]);
    }
    find_mesh_size(&rigid->units, body->points, count, body->piece_size[0]);
    wri_bullet_set_mesh(rigid->bullet, index, (const double(*)[3])points);
    update_size(body);
}

void wri_update_piece(wr_rigid *rigid, int index, int piece)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (body->touch) {
        body->touch->fresh[piece] = false;
    }
    int first = body->first_point[piece], count = body->first_point[piece + 1] - first;
    double(*points)[3] = rigid->piece.items;
    double margin;
    WR_ASSERT(piece >= 0 && piece < body->piece_count && count <= rigid->piece.capacity);
    if (body->kind == WR_SHAPE_MESH) {
        update_mesh(rigid, index);
        return;
    }
    wri_fit_piece(&rigid->units, &body->points[first], count, points, &margin,
                  body->piece_size[piece]);
    wri_bullet_set_piece(rigid->bullet, index, piece, (const double(*)[3])points, margin);
    update_size(body);
}
