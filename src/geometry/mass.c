// mass.c: mass, centre and inertia of solids.
//
// A closed surface's volume integrals are sums over its triangles (B. Mirtich, Fast and accurate
// computation of polyhedral mass properties, 1996). Each triangle spans a signed tetrahedron with a
// reference point; for a tetrahedron with corners 0, a, b, c the integrals are closed forms:
//     V = det[a b c] / 6,   int x = V (a + b + c) / 4,
//     int x x^T = V / 20 (s s^T + a a^T + b b^T + c c^T),   s = a + b + c.
// The reference point is the middle of the bounds, so that bodies far from the origin lose no
// digits.
//
// A surface without holes satisfies the divergence theorem for every linear field:
//     int n dA = 0,   int x n^T dA = V I.
// A surface that misses either by more than a hundredth encloses no volume that we could trust.
#include "wrought/geometry.h"

#include "../base/base.h"

#include <float.h>

typedef struct moments {
    double volume;
    double first[3];
    double second[3][3];
    double area;       // area of the surface
    double normal[3];  // int n dA
    double flux[3][3]; // int x n^T dA
} moments;

static void add_tetrahedron(moments *m, const double a[3], const double b[3], const double c[3])
{
    double v = (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6.0;
    m->volume += v;
    for (int i = 0; i < 3; i++) {
        double si = a[i] + b[i] + c[i];
        m->first[i] += v * si / 4.0;
        for (int j = 0; j < 3; j++) {
            double sj = a[j] + b[j] + c[j];
            m->second[i][j] += v / 20.0 * (si * sj + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
        }
    }
}

static void add_surface(moments *m, const double a[3], const double b[3], const double c[3])
{
    double n[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = 0.5 * ((b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j]));
    }
    m->area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int j = 0; j < 3; j++) {
        m->normal[j] += n[j];
        for (int i = 0; i < 3; i++) {
            m->flux[i][j] += (a[i] + b[i] + c[i]) / 3.0 * n[j];
        }
    }
}

// The closing error is measured in units of the bounds, so that stretching a body does not change
// the answer.
static bool is_closed(const moments *m, const double size[3])
{
    const double tolerance = 0.01 * m->volume;
    for (int j = 0; j < 3; j++) {
        if (!(fabs(m->normal[j]) * size[j] <= tolerance)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            double defect = m->flux[i][j] - (i == j ? m->volume : 0.0);
            if (!(fabs(defect) * size[j] <= tolerance * size[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool check_solid(const wr_mesh *mesh, const moments *m, const double size[3],
                        wr_error *error)
{
    double diameter = sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    double thickness = 2.0 * m->volume / m->area; // thickness of a sheet with this volume and
                                                  // surface
    const char *reason = !(m->volume > 0.0)               ? "open or inside out"
                         : !(thickness > 1e-6 * diameter) ? "flat"
                         : !is_closed(m, size)            ? "open"
                                                          : NULL;
    return !reason || wri_fail(error, WR_E_ARGUMENT,
                               "mesh \"%s\": its %d triangles enclose no volume, expected a closed "
                               "surface: this one is %s",
                               mesh->name ? mesh->name : "", mesh->triangle_count, reason);
}

// Returns the bounds of the triangles' corners: a stray vertex must not cost digits.
static wr_box triangle_bounds(const wr_mesh *mesh)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        box = wr_box_add(box, mesh->positions[mesh->triangles[i]]);
    }
    return box;
}

// Inertia about the centre from second moments about the centre: tr(S) I - S.
static void inertia_from_second(const double second[3][3], double inertia[3][3])
{
    double trace = second[0][0] + second[1][1] + second[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[i][j] = (i == j ? trace : 0.0) - second[i][j];
        }
    }
}

bool wr_mesh_find_mass(const wr_mesh *mesh, double density, wr_mass_properties *out,
                       wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, out)) {
        return false;
    }
    if (!(density > 0.0 && density <= DBL_MAX)) {
        return wri_fail(error, WR_E_ARGUMENT, "density: %g kg/m^3, expected a positive number",
                        density);
    }
    wr_box box = triangle_bounds(mesh);
    wr_vec3 middle = wr_box_center(box);
    const double size[3] = {(double)box.max.x - box.min.x, (double)box.max.y - box.min.y,
                            (double)box.max.z - box.min.z};
    moments m = {0};
    for (int i = 0; i < mesh->triangle_count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++) {
            wr_vec3 p = mesh->positions[mesh->triangles[3 * i + k]];
            corner[k][0] = (double)p.x - middle.x;
            corner[k][1] = (double)p.y - middle.y;
            corner[k][2] = (double)p.z - middle.z;
        }
        add_tetrahedron(&m, corner[0], corner[1], corner[2]);
        add_surface(&m, corner[0], corner[1], corner[2]);
    }
    if (!check_solid(mesh, &m, size, error)) {
        return false;
    }
    double center[3] = {m.first[0] / m.volume, m.first[1] / m.volume, m.first[2] / m.volume};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.second[i][j] = density * (m.second[i][j] - m.volume * center[i] * center[j]);
        }
    }
    out->mass = density * m.volume;
    out->center[0] = center[0] + middle.x;
    out->center[1] = center[1] + middle.y;
    out->center[2] = center[2] + middle.z;
    inertia_from_second((const double(*)[3])m.second, out->inertia);
    return true;
}

static wr_mass_properties diagonal(double mass, double x, double y, double z)
{
    return (wr_mass_properties){mass, {0}, {{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

static wr_mass_properties capsule_mass(double r, double h, double density)
{
    const double pi = 3.14159265358979323846;
    double tube = density * pi * r * r * h, caps = density * 4.0 / 3.0 * pi * r * r * r;
    // Each half ball's centre lies 3/8 r beyond the end of the tube.
    double along = tube * r * r / 2.0 + caps * 2.0 / 5.0 * r * r;
    double across = tube * (r * r / 4.0 + h * h / 12.0) +
                    caps * (2.0 / 5.0 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r);
    return diagonal(tube + caps, across, along, across);
}

wr_mass_properties wr_primitive_mass(wr_primitive primitive, wr_vec3 size, double density)
{
    const double pi = 3.14159265358979323846;
    double x = size.x, y = size.y, z = size.z;
    double mass;
    switch (primitive) {
    case WR_PRIMITIVE_BOX:
        mass = density * x * y * z;
        return diagonal(mass, mass * (y * y + z * z) / 12.0, mass * (x * x + z * z) / 12.0,
                        mass * (x * x + y * y) / 12.0);
    case WR_PRIMITIVE_SPHERE:
        mass = density * 4.0 / 3.0 * pi * x * x * x;
        return diagonal(mass, 0.4 * mass * x * x, 0.4 * mass * x * x, 0.4 * mass * x * x);
    case WR_PRIMITIVE_CAPSULE:
        return capsule_mass(x, y, density);
    case WR_PRIMITIVE_CYLINDER:
        mass = density * pi * x * x * y;
        double across = mass * (x * x / 4.0 + y * y / 12.0);
        return diagonal(mass, across, 0.5 * mass * x * x, across);
    }
    return diagonal(0.0, 0.0, 0.0, 0.0);
}

wr_mass_properties wr_mass_sum(const wr_mass_properties *parts, int count)
{
    wr_mass_properties sum = {0};
    for (int i = 0; i < count; i++) {
        sum.mass += parts[i].mass;
        for (int k = 0; k < 3; k++) {
            sum.center[k] += parts[i].mass * parts[i].center[k];
        }
    }
    for (int k = 0; k < 3 && sum.mass > 0.0; k++) {
        sum.center[k] /= sum.mass;
    }
    for (int i = 0; i < count; i++) { // parallel axes
        double d[3], square = 0.0;
        for (int k = 0; k < 3; k++) {
            d[k] = parts[i].center[k] - sum.center[k];
            square += d[k] * d[k];
        }
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                sum.inertia[r][c] += parts[i].inertia[r][c] +
                                     parts[i].mass * ((r == c ? square : 0.0) - d[r] * d[c]);
            }
        }
    }
    return sum;
}
