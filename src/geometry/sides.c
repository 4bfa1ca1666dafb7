// sides.c: which closed shells face the wrong way.
//
// A closed shell faces outwards when its signed volume is positive. Inside another closed shell
// both ways make sense: facing outwards it is a thing inside, facing inwards a cavity. So a shell
// inside another keeps its side, unless that other one has to be turned: then the mesh has lost its
// sides there, and the inner one is taken for a cavity.
//
// Whether a shell lies inside another is asked at one point of it: a ray along +z crosses a closed
// shell an odd number of times from within. The point is moved by (e, e^2) in x and y with e -> 0,
// so that a ray through an edge or a corner is decided the same way by all triangles around it (H.
// Edelsbrunner and E. Muecke, Simulation of simplicity, 1990). The signs are those of 2x2
// determinants of floats in double, exact unless coordinates differ by more than 2^28 in magnitude.
#include "topology.h"

#include "bvh.h"

#include <stdlib.h>

// Sign of the area of a, b and the moved point; 0 only when a and b have the same x and y.
static int side_of(wr_vec3 a, wr_vec3 b, wr_vec3 p)
{
    double bx = (double)b.x - a.x, by = (double)b.y - a.y;
    double left = bx * ((double)p.y - a.y), right = by * ((double)p.x - a.x);
    return left > right   ? 1
           : left < right ? -1
           : by != 0.0    ? (by < 0.0 ? 1 : -1)
           : bx != 0.0    ? (bx > 0.0 ? 1 : -1)
                          : 0;
}

static bool ray_crosses(const wr_vec3 *points, const int *corners, wr_vec3 p)
{
    wr_vec3 a = points[corners[0]], b = points[corners[1]], c = points[corners[2]];
    int side = side_of(a, b, p);
    if (side == 0 || side_of(b, c, p) != side || side_of(c, a, p) != side) {
        return false;
    }
    // Height of the triangle's plane over p.
    double ux = (double)b.x - a.x, uy = (double)b.y - a.y, uz = (double)b.z - a.z;
    double vx = (double)c.x - a.x, vy = (double)c.y - a.y, vz = (double)c.z - a.z;
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    double x = (double)p.x - a.x, y = (double)p.y - a.y, z = (double)p.z - a.z;
    double height = nx * x + ny * y + nz * z;
    return nz > 0.0 ? height < 0.0 : height > 0.0;
}

typedef struct nest {
    const wri_topology *s;
    wri_bvh triangles, shells;
    int *odd;     // shells the ray crossed an odd number of times: its asker + 1
    int *crossed; // shells the ray crossed
    int crossed_count, shell;
    wr_vec3 point;
    bool is_candidate;
} nest;

// Equal ones are ordered by index, so that no two can contain each other.
static bool is_larger(const wri_topology *s, int a, int b)
{
    double va = fabs(s->shells[a].volume), vb = fabs(s->shells[b].volume);
    return va > vb || (va == vb && a < b);
}

static bool can_hold(const wri_topology *s, int outer, int inner)
{
    const wri_shell *a = &s->shells[outer], *b = &s->shells[inner];
    bool larger =
        fabs(a->volume) > fabs(b->volume) || (fabs(a->volume) == fabs(b->volume) && outer < inner);
    return outer != inner && larger && a->volume != 0.0 && a->box.min.x <= b->box.min.x &&
           a->box.min.y <= b->box.min.y && a->box.min.z <= b->box.min.z &&
           a->box.max.x >= b->box.max.x && a->box.max.y >= b->box.max.y &&
           a->box.max.z >= b->box.max.z;
}

static bool visit_shell(void *context, int item)
{
    nest *n = context;
    n->is_candidate = can_hold(n->s, item, n->shell);
    return !n->is_candidate;
}

static bool visit_triangle(void *context, int item)
{
    nest *n = context;
    int shell = n->s->shell[item];
    if (shell != n->shell && ray_crosses(n->s->points, &n->s->corners[3 * item], n->point)) {
        if (abs(n->odd[shell]) != n->shell + 1) {
            n->odd[shell] = -(n->shell + 1);
            n->crossed[n->crossed_count++] = shell;
        }
        n->odd[shell] = -n->odd[shell];
    }
    return true;
}

// The smallest closed shell around the given one, -1 for none.
static int find_parent(nest *n, int shell)
{
    const wri_topology *s = n->s;
    n->shell = shell;
    n->is_candidate = false;
    wri_bvh_find(&n->shells, s->shells[shell].box, visit_shell, n);
    if (!n->is_candidate) {
        return -1;
    }
    const int *c = &s->corners[3 * s->shells[shell].largest_triangle];
    wr_vec3 sum =
        wr_add(wr_scale(1.0f / 3.0f, s->points[c[0]]), wr_scale(1.0f / 3.0f, s->points[c[1]]));
    n->point = wr_add(sum, wr_scale(1.0f / 3.0f, s->points[c[2]]));
    wr_box ray = {n->point, {n->point.x, n->point.y, INFINITY}};
    n->crossed_count = 0;
    wri_bvh_find(&n->triangles, ray, visit_triangle, n);
    int parent = -1;
    for (int i = 0; i < n->crossed_count; i++) {
        int outer = n->crossed[i];
        bool around = n->odd[outer] == shell + 1 && can_hold(s, outer, shell);
        parent = around && (parent < 0 || is_larger(s, parent, outer)) ? outer : parent;
    }
    return parent;
}

static bool nest_create(nest *n, const wri_topology *s)
{
    *n = (nest){.s = s};
    size_t shells = (size_t)s->shell_count, triangles = (size_t)s->triangle_count;
    n->odd = wri_arena_alloc(s->arena, shells, sizeof *n->odd);
    n->crossed = wri_arena_alloc(s->arena, shells, sizeof *n->crossed);
    wr_box *boxes = wri_arena_alloc(s->arena, triangles + shells, sizeof *boxes);
    uint8_t *keep = wri_arena_alloc(s->arena, triangles + shells, 1);
    if (!n->odd || !n->crossed || !boxes || !keep) {
        return false;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        keep[i] = s->shell[i] >= 0 && s->shells[s->shell[i]].volume != 0.0;
        boxes[i] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            boxes[i] = wr_box_add(boxes[i], s->points[s->corners[3 * i + k]]);
        }
    }
    for (int i = 0; i < s->shell_count; i++) {
        keep[triangles + (size_t)i] = s->shells[i].volume != 0.0;
        boxes[triangles + (size_t)i] = s->shells[i].box;
    }
    return wri_bvh_build(&n->triangles, s->arena, boxes, keep, s->triangle_count) &&
           wri_bvh_build(&n->shells, s->arena, boxes + triangles, keep + triangles, s->shell_count);
}

bool wri_topology_find_sides(wri_topology *s)
{
    int solid = 0;
    for (int i = 0; i < s->shell_count; i++) {
        s->shells[i].is_inverted = s->shells[i].volume < 0.0;
        solid += s->shells[i].volume != 0.0;
    }
    if (solid < 2) {
        return true;
    }
    nest n;
    int *parent = wri_arena_alloc(s->arena, (size_t)s->shell_count, sizeof *parent);
    int *path = wri_arena_alloc(s->arena, (size_t)s->shell_count, sizeof *path);
    uint8_t *done = wri_arena_alloc(s->arena, (size_t)s->shell_count, 1);
    if (!parent || !path || !done || !nest_create(&n, s)) {
        return false;
    }
    for (int i = 0; i < s->shell_count; i++) {
        parent[i] = s->shells[i].volume != 0.0 ? find_parent(&n, i) : -1;
    }
    for (int i = 0; i < s->shell_count; i++) { // parents first; volumes grow, so paths end
        int length = 0;
        for (int k = i; k >= 0 && !done[k]; k = parent[k]) {
            path[length++] = k;
        }
        while (length > 0) {
            int k = path[--length], outer = parent[k];
            done[k] = 1;
            if (outer >= 0) { // once it is turned, the outer one's sign is the opposite of now
                s->shells[k].is_inverted =
                    s->shells[outer].is_inverted &&
                    (s->shells[k].volume > 0.0) != (s->shells[outer].volume > 0.0);
            }
        }
    }
    return true;
}
