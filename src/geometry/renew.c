// renew.c: the artist's normals on a shape that changed.
//
// Every triangle turns by the rotation R_t nearest to what happened to it: the map from its old to
// its new plane, with the turn within the plane from the polar decomposition of the 2 x 2 map. The
// normal at a vertex becomes
//     n' = (sum_t A_t R_t) n / |...|
// over the triangles around it, A_t their new areas. Where the artist's normal is the mean of flat
// triangles this is the area-weighted mean of their new normals; where it is tilted on purpose, the
// tilt is carried along, also by a turn about the normal. Vertices that lie at one place with one
// normal share the sum: seams stay closed, and hard edges, which have a normal per side, stay hard.
#include "renew.h"

#include "topology.h"

// Groups while they are found.
typedef struct lists {
    int *first;    // vertex that stands for the group
    int *next;     // another group at the same place, -1: none
    int *of_place; // -1: none yet
} lists;

// --- groups -----------------------------------------------------------------------------------

// True for normals of one smooth surface, which rounding or a file's few digits may have parted:
// 2.5 degrees.
static bool is_one_normal(wr_vec3 a, wr_vec3 b)
{
    return wr_dot(a, b) > 0.999f;
}

static bool is_unit(wr_vec3 n)
{
    float d = wr_dot(n, n);
    return d > 0.98f && d < 1.02f;
}

static int find_group(const lists *l, const wr_vec3 *normals, int place, wr_vec3 normal)
{
    int group = l->of_place[place];
    while (group >= 0 && !is_one_normal(normals[l->first[group]], normal)) {
        group = l->next[group];
    }
    return group;
}

static void fill_groups(wri_normal_groups *g, lists *l, const wri_topology *s,
                        const wr_vec3 *normals)
{
    for (int v = 0; v < s->vertex_count; v++) {
        int place = s->place[v];
        // A vector that is no direction is compared with nothing: it would never match and only
        // make chains.
        bool unit = is_unit(normals[v]);
        int group = unit ? find_group(l, normals, place, normals[v]) : -1;
        if (group < 0) {
            group = g->count++;
            l->first[group] = v;
            if (unit) {
                l->next[group] = l->of_place[place];
                l->of_place[place] = group;
            }
        }
        g->of_vertex[v] = group;
    }
}

bool wri_normal_groups_find(wri_normal_groups *groups, const wr_mesh *mesh,
                            const wr_vec3 *rest_normals, wri_arena *arena)
{
    wri_topology s;
    wri_arena temporary = wri_arena_create(&arena->allocator);
    size_t n = (size_t)mesh->vertex_count;
    lists l = {.first = wri_arena_alloc(&temporary, n, sizeof(int)),
               .next = wri_arena_alloc(&temporary, n, sizeof(int)),
               .of_place = wri_arena_alloc(&temporary, n, sizeof(int))};
    *groups = (wri_normal_groups){.of_vertex = wri_arena_alloc(arena, n, sizeof(int))};
    bool ok = groups->of_vertex && l.first && l.next && l.of_place &&
              wri_topology_begin(&s, &temporary, mesh, 0.0);
    if (ok) {
        memset(l.of_place, 0xff, n * sizeof(int));
        fill_groups(groups, &l, &s, rest_normals);
    }
    wri_arena_destroy(&temporary);
    return ok;
}

// --- triangles --------------------------------------------------------------------------------

typedef struct turn {
    double sum[3][3];
    bool moved;
} turn;

typedef struct frame {
    double axes[3][3]; // along the first side, across it, normal
    double base;       // length of the first side
    double x, y;       // the third corner along and across
} frame;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// False for triangles without area.
static bool find_frame(const wr_vec3 *p, const int *t, frame *f)
{
    wr_vec3 o = p[t[0]], q = p[t[1]], r = p[t[2]];
    const double a[3] = {(double)q.x - o.x, (double)q.y - o.y, (double)q.z - o.z};
    const double b[3] = {(double)r.x - o.x, (double)r.y - o.y, (double)r.z - o.z};
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    double area = sqrt(dot(n, n));
    f->base = sqrt(dot(a, a));
    if (!(area > 1e-12 * f->base * f->base) || !(f->base > 0.0)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        f->axes[0][i] = a[i] / f->base;
        f->axes[2][i] = n[i] / area;
    }
    const double *u = f->axes[0], *w = f->axes[2];
    f->axes[1][0] = w[1] * u[2] - w[2] * u[1];
    f->axes[1][1] = w[2] * u[0] - w[0] * u[2];
    f->axes[1][2] = w[0] * u[1] - w[1] * u[0];
    f->x = dot(b, u);
    f->y = area / f->base;
    return true;
}

// The map of the plane is [m00 m01; 0 m11] from old to new axes; the rotation nearest to it turns
// by atan2(-m01, m00 + m11).
static void find_rotation(const frame *from, const frame *to, double r[3][3])
{
    double m00 = to->base / from->base, m11 = to->y / from->y;
    double m01 = (to->x - m00 * from->x) / from->y;
    double length = sqrt((m00 + m11) * (m00 + m11) + m01 * m01);
    double c = (m00 + m11) / length, s = -m01 / length;
    for (int i = 0; i < 3; i++) {
        double along = c * to->axes[0][i] + s * to->axes[1][i];
        double across = c * to->axes[1][i] - s * to->axes[0][i];
        for (int k = 0; k < 3; k++) {
            r[i][k] = along * from->axes[0][k] + across * from->axes[1][k] +
                      to->axes[2][i] * from->axes[2][k];
        }
    }
}

static void add_triangle(const wr_mesh *mesh, const wr_vec3 *positions, int triangle,
                         const wri_normal_groups *g, turn *turns)
{
    const int *t = &mesh->triangles[3 * triangle];
    bool moved = false;
    for (int k = 0; k < 3; k++) {
        moved = moved || memcmp(&mesh->positions[t[k]], &positions[t[k]], sizeof(wr_vec3)) != 0;
    }
    frame from, to;
    if (!find_frame(mesh->positions, t, &from) || !find_frame(positions, t, &to)) {
        return;
    }
    double r[3][3], area = to.base * to.y;
    find_rotation(&from, &to, r);
    for (int k = 0; k < 3; k++) {
        turn *out = &turns[g->of_vertex[t[k]]];
        bool again = (k > 0 && out == &turns[g->of_vertex[t[0]]]) ||
                     (k > 1 && out == &turns[g->of_vertex[t[1]]]);
        for (int i = 0; !again && i < 9; i++) {
            out->sum[i / 3][i % 3] += area * r[i / 3][i % 3];
        }
        out->moved = out->moved || moved;
    }
}

static wr_vec3 apply(const turn *t, wr_vec3 n)
{
    const double v[3] = {n.x, n.y, n.z};
    double r[3] = {dot(t->sum[0], v), dot(t->sum[1], v), dot(t->sum[2], v)};
    double size = 0.0, length = sqrt(dot(r, r));
    for (int i = 0; i < 3; i++) {
        size += dot(t->sum[i], t->sum[i]);
    }
    // Triangles that turned against each other may leave no direction.
    if (!(length > 1e-6 * sqrt(size)) || !isfinite(length)) {
        return n;
    }
    return wr_v3((float)(r[0] / length), (float)(r[1] / length), (float)(r[2] / length));
}

size_t wri_normal_groups_memory(const wri_normal_groups *groups)
{
    return (size_t)groups->count * sizeof(turn);
}

void wri_normal_groups_renew(const wri_normal_groups *groups, const wr_mesh *mesh,
                             const wr_vec3 *rest_normals, const wr_vec3 *positions, void *memory,
                             wr_vec3 *normals)
{
    turn *turns = memory;
    memset(turns, 0, wri_normal_groups_memory(groups));
    for (int t = 0; t < mesh->triangle_count; t++) {
        add_triangle(mesh, positions, t, groups, turns);
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        const turn *t = &turns[groups->of_vertex[v]];
        normals[v] = t->moved ? apply(t, rest_normals[v]) : rest_normals[v];
    }
}

bool wr_mesh_renew_normals(const wr_mesh *mesh, const wr_vec3 *rest_normals,
                           const wr_vec3 *positions, const wr_allocator *allocator,
                           wr_vec3 *normals, wr_error *error)
{
    if (!WRI_REQUIRE(error, mesh, rest_normals, positions, normals)) {
        return false;
    }
    wri_arena arena = wri_arena_create(allocator);
    wri_normal_groups groups;
    void *memory = NULL;
    bool ok = wri_normal_groups_find(&groups, mesh, rest_normals, &arena) &&
              (memory = wri_arena_alloc(&arena, wri_normal_groups_memory(&groups), 1));
    if (ok) {
        wri_normal_groups_renew(&groups, mesh, rest_normals, positions, memory, normals);
    }
    wri_arena_destroy(&arena);
    return ok || wri_fail_memory(error, (size_t)mesh->vertex_count * sizeof(turn));
}
