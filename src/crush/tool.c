// tool.c: the shape that presses, as a signed distance.
//
// In its frame the front is at the origin and it travels along +z; the axis is y.
#include "plate.h"

#include "../geometry/winding.h"
#include "../math/double3.h"

#define GRID 40        // cells along the longest side of a tool mesh
#define HALF_WEDGE 0.5 // sine of half the angle of a wedge, 30 degrees
#define COS_WEDGE 0.8660254037844386
#define EDGE_RADIUS 0.1 // of a box, of half its width

// --- distances --------------------------------------------------------------------------------

static double from_sphere(const double p[3], double radius, double normal[3])
{
    double d[3] = {p[0], p[1], p[2] + radius}, length = wri_length3(d);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.0 ? d[k] / length : k == 2;
    }
    return length - radius;
}

static double from_post(const double p[3], double radius, double normal[3])
{
    const double flat[3] = {p[0], 0.0, p[2]};
    return from_sphere(flat, radius, normal);
}

// Endless behind, so that what is pressed does not come round to its back.
static double from_box(const double p[3], double half, double normal[3])
{
    double r = EDGE_RADIUS * half, inner = half - r;
    double q[3] = {fabs(p[0]) - inner, fabs(p[1]) - inner, p[2] + r}, out[3], most = q[0];
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = q[k] > 0.0 ? q[k] : 0.0;
        axis = q[k] > most ? k : axis;
        most = q[k] > most ? q[k] : most;
    }
    double length = wri_length3(out);
    for (int k = 0; k < 3; k++) {
        double sign = k < 2 && p[k] < 0.0 ? -1.0 : 1.0;
        normal[k] = sign * (length > 0.0 ? out[k] / length : k == axis);
    }
    return (length > 0.0 ? length : most) - r;
}

// Its edge is a cylinder whose sides go on straight.
static double from_wedge(const double p[3], double radius, double normal[3])
{
    double side = p[0] < 0.0 ? -1.0 : 1.0;
    const double x = fabs(p[0]), z = p[2] + radius;
    if (z * COS_WEDGE > x * HALF_WEDGE) {
        return from_post(p, radius, normal);
    }
    normal[0] = side * COS_WEDGE;
    normal[1] = 0.0;
    normal[2] = HALF_WEDGE;
    return x * COS_WEDGE + z * HALF_WEDGE - radius;
}

static double grid_value(const wri_tool *t, const int cell[3], const double f[3])
{
    double sum = 0.0;
    for (int k = 0; k < 8; k++) {
        int at[3];
        double weight = 1.0;
        for (int i = 0; i < 3; i++) {
            int up = k >> i & 1;
            at[i] = cell[i] + up;
            weight *= up ? f[i] : 1.0 - f[i];
        }
        sum += weight * t->distances[((size_t)at[2] * (size_t)(t->cells[1] + 1) + (size_t)at[1]) *
                                         (size_t)(t->cells[0] + 1) +
                                     (size_t)at[0]];
    }
    return sum;
}

// Outside of the grid: the distance to it and what is known at its border.
static double from_grid(const wri_tool *t, const double p[3])
{
    int cell[3];
    double f[3], outside = 0.0;
    for (int k = 0; k < 3; k++) {
        double at = (p[k] - t->corner[k]) / t->pitch, in = at < 0.0 ? 0.0 : at;
        in = in > t->cells[k] ? t->cells[k] : in;
        outside += (at - in) * (at - in) * t->pitch * t->pitch;
        cell[k] = (int)in < t->cells[k] ? (int)in : t->cells[k] - 1;
        f[k] = in - cell[k];
    }
    return grid_value(t, cell, f) + sqrt(outside);
}

static double from_mesh(const wri_tool *t, const double p[3], double normal[3])
{
    double length;
    for (int k = 0; k < 3; k++) {
        double more[3] = {p[0], p[1], p[2]}, less[3] = {p[0], p[1], p[2]};
        more[k] += 0.5 * t->pitch;
        less[k] -= 0.5 * t->pitch;
        normal[k] = from_grid(t, more) - from_grid(t, less);
    }
    length = wri_length3(normal);
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0.0 ? normal[k] / length : k == 2;
    }
    return from_grid(t, p);
}

double wri_tool_distance(const wri_tool *t, double travel, const double p[3], double normal[3])
{
    double local[3], n[3] = {0.0, 0.0, 1.0}, d[3], distance;
    for (int k = 0; k < 3; k++) {
        d[k] = p[k] - t->start[k] - travel * t->axes[2][k];
    }
    for (int k = 0; k < 3; k++) {
        local[k] = wri_dot3(t->axes[k], d);
    }
    switch (t->shape) {
    case WR_CRUSH_SPHERE:
        distance = from_sphere(local, t->radius, n);
        break;
    case WR_CRUSH_POST:
        distance = from_post(local, t->radius, n);
        break;
    case WR_CRUSH_BOX:
        distance = from_box(local, t->radius, n);
        break;
    case WR_CRUSH_WEDGE:
        distance = from_wedge(local, t->radius, n);
        break;
    case WR_CRUSH_MESH:
        distance = from_mesh(t, local, n);
        break;
    default:
        distance = local[2];
        break;
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = t->axes[0][k] * n[0] + t->axes[1][k] * n[1] + t->axes[2][k] * n[2];
    }
    return distance;
}

// --- making -----------------------------------------------------------------------------------

bool wri_tool_axes(wr_vec3 wish, const double way[3], double axes[3][3])
{
    bool free = wr_length(wish) == 0.0f, upright = fabs(way[1]) > 0.9;
    double axis[3] = {wish.x, wish.y, wish.z};
    if (free) {
        axis[0] = upright;
        axis[1] = !upright;
    }
    double along = wri_dot3(axis, way), whole = wri_length3(axis);
    for (int k = 0; k < 3; k++) {
        axis[k] -= along * way[k];
    }
    double length = wri_length3(axis);
    for (int k = 0; k < 3; k++) {
        axes[1][k] = axis[k] / length;
        axes[2][k] = way[k];
    }
    wri_cross3(axes[1], axes[2], axes[0]);
    return length > 1e-3 * whole;
}

// Points of the tool's mesh in its frame: its middle on the way, its front at the origin.
static wr_vec3 *place_mesh(const wri_tool *t, wri_arena *arena, const wr_mesh *mesh, double size)
{
    wr_vec3 *out = wri_arena_alloc(arena, (size_t)mesh->vertex_count, sizeof *out);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; out && i < mesh->vertex_count; i++) {
        wr_vec3 v = mesh->positions[i];
        const double p[3] = {v.x / size, v.y / size, v.z / size};
        out[i] = wr_v3((float)wri_dot3(t->axes[0], p), (float)wri_dot3(t->axes[1], p),
                       (float)wri_dot3(t->axes[2], p));
        box = wr_box_add(box, out[i]);
    }
    for (int i = 0; out && i < mesh->vertex_count; i++) {
        out[i].x -= 0.5f * (box.min.x + box.max.x);
        out[i].y -= 0.5f * (box.min.y + box.max.y);
        out[i].z -= box.max.z;
    }
    return out;
}

static bool fill_grid(wri_tool *t, wri_arena *arena, const wri_soup *soup)
{
    wr_vec3 extent = wr_sub(soup->bounds.max, soup->bounds.min);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    const float *low = &soup->bounds.min.x, *size = &extent.x;
    size_t count = 1;
    t->pitch = longest / GRID;
    for (int k = 0; k < 3; k++) {
        t->corner[k] = low[k] - 2.0 * t->pitch;
        t->cells[k] = (int)(size[k] / t->pitch) + 5;
        count *= (size_t)t->cells[k] + 1;
    }
    float *distances = wri_arena_alloc(arena, count, sizeof *distances);
    for (size_t i = 0; distances && i < count; i++) {
        size_t nx = (size_t)t->cells[0] + 1, ny = (size_t)t->cells[1] + 1;
        const size_t at[3] = {i % nx, i / nx % ny, i / (nx * ny)};
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = t->corner[k] + (double)at[k] * t->pitch;
        }
        double distance = sqrt(wri_soup_nearest(soup, p).distance2);
        bool inside = fabs(wri_winding(soup, p, WRI_WINDING_ACCURACY)) > 0.5;
        distances[i] = (float)(inside ? -distance : distance);
    }
    t->distances = distances;
    return distances != NULL;
}

static bool set_mesh(wri_tool *t, wri_arena *arena, const wr_mesh *mesh, double size,
                     wr_error *error)
{
    if (!mesh || mesh->triangle_count == 0 || !(wr_mesh_area(mesh) > 0.0)) {
        return wri_fail(error, WR_E_ARGUMENT, "the tool has no area, expected a closed mesh");
    }
    wri_soup soup;
    wr_vec3 *points = place_mesh(t, arena, mesh, size);
    return (points && wri_soup_build(&soup, arena, points, mesh->triangles, mesh->triangle_count) &&
            fill_grid(t, arena, &soup)) ||
           wri_fail_memory(error, 0);
}

bool wri_tool_create(wri_tool *t, wri_arena *arena, const wr_crush_desc *desc,
                     const wri_plate *plate, const double axes[3][3], wr_error *error)
{
    *t = (wri_tool){.shape = desc->shape,
                    .radius = desc->size > 0.0 ? desc->size / plate->size : 0.125};
    const double *way = axes[2];
    memcpy(t->axes, axes, sizeof t->axes);
    const double at[3] = {desc->at.x, desc->at.y, desc->at.z};
    for (int k = 0; k < 3; k++) {
        t->start[k] = desc->has_at ? (at[k] - plate->middle[k]) / plate->size : 0.0;
    }
    double back = 2.0 + wri_dot3(t->start, way); // behind everything
    for (int k = 0; k < 3; k++) {
        t->start[k] -= back * way[k];
    }
    return t->shape != WR_CRUSH_MESH || set_mesh(t, arena, desc->tool, plate->size, error);
}

// Distances change no faster than the tool travels, so it may go as far as the nearest point is.
double wri_tool_first_touch(const wri_tool *t, const wri_plate *plate)
{
    double travel = 0.0;
    for (int round = 0; round < 10000 && travel < 4.0; round++) {
        double nearest = INFINITY, normal[3];
        for (int i = 0; i < plate->count; i++) {
            double d = plate->area[i] > 0.0 ? wri_tool_distance(t, travel, plate->rest[i], normal)
                                            : INFINITY;
            nearest = d < nearest ? d : nearest;
        }
        if (nearest < 1e-6) {
            return travel;
        }
        travel += nearest;
    }
    return INFINITY;
}

void wri_tool_turn_to_nearest(wri_tool *t, const wri_plate *plate)
{
    double least = INFINITY, shift[3] = {0.0};
    for (int i = 0; i < plate->count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = plate->rest[i][k] - t->start[k];
        }
        double along = wri_dot3(d, t->axes[2]);
        for (int k = 0; k < 3; k++) {
            d[k] -= along * t->axes[2][k];
        }
        double distance2 = wri_dot3(d, d);
        if (plate->area[i] > 0.0 && distance2 < least) {
            least = distance2;
            memcpy(shift, d, sizeof shift);
        }
    }
    for (int k = 0; k < 3; k++) {
        t->start[k] += shift[k];
    }
}
