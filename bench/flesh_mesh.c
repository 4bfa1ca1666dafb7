// flesh_mesh.c: closed surfaces of bodies of flesh.
#include "flesh_bench.h"

#include "../src/geometry/marching.h"

#include <math.h>
#include <stdlib.h>

static bool take(wri_arena *arena, int vertices, int triangles, flesh_mesh *out)
{
    *out = (flesh_mesh){.vertex_count = vertices, .triangle_count = triangles};
    out->positions = wri_arena_alloc(arena, (size_t)vertices, sizeof *out->positions);
    out->triangles = wri_arena_alloc(arena, 3 * (size_t)triangles, sizeof *out->triangles);
    return out->positions && out->triangles;
}

static void set_triangle(flesh_mesh *mesh, int at, int a, int b, int c)
{
    int *corner = &mesh->triangles[3 * at];
    corner[0] = a, corner[1] = b, corner[2] = c;
}

// --- spheres ----------------------------------------------------------------------------------

// Vertices lie on circles of latitude, from z = n down to -n, on each by angle.
static int sphere_vertex(int n, int x, int y, int z)
{
    int ring = n - abs(z), below = n - z; // circles before this one
    int upper = below <= n ? below : n + 1;
    int before = upper > 0 ? 1 + 2 * upper * (upper - 1) : 0;
    if (below > n) { // and those of the lower half: 4 (n - 1), 4 (n - 2), ...
        int lower = below - n - 1;
        before += 4 * (n * lower - lower * (lower + 1) / 2);
    }
    int step = ring == 0         ? 0
               : x > 0 && y >= 0 ? y
               : x <= 0 && y > 0 ? ring - x
               : x < 0 && y <= 0 ? 2 * ring - y
                                 : 3 * ring + x;
    return before + step;
}

// The triangle of a face at (i, j), or the one beyond its long edge.
static void add_facet(flesh_mesh *mesh, int *at, int n, const int sign[3], const int corners[3][2])
{
    bool is_turned = sign[0] * sign[1] * sign[2] < 0;
    int vertices[3];
    for (int c = 0; c < 3; c++) {
        const int *p = corners[is_turned && c ? 3 - c : c];
        int x = sign[0] * p[0], y = sign[1] * p[1], z = sign[2] * (n - p[0] - p[1]);
        vertices[c] = sphere_vertex(n, x, y, z);
        mesh->positions[vertices[c]] = wr_normalize(wr_v3((float)x, (float)y, (float)z));
    }
    set_triangle(mesh, (*at)++, vertices[0], vertices[1], vertices[2]);
}

bool flesh_make_sphere(wri_arena *arena, int n, flesh_mesh *out)
{
    if (!take(arena, 4 * n * n + 2, 8 * n * n, out)) {
        return false;
    }
    int at = 0;
    for (int octant = 0; octant < 8; octant++) {
        const int sign[3] = {octant & 1 ? -1 : 1, octant & 2 ? -1 : 1, octant & 4 ? -1 : 1};
        for (int i = 0; i < n; i++) {
            for (int j = 0; i + j < n; j++) {
                add_facet(out, &at, n, sign, (const int[3][2]){{i, j}, {i + 1, j}, {i, j + 1}});
                if (i + j < n - 1) {
                    add_facet(out, &at, n, sign,
                              (const int[3][2]){{i + 1, j + 1}, {i, j + 1}, {i + 1, j}});
                }
            }
        }
    }
    return true;
}

// --- rings of vertices ------------------------------------------------------------------------

// Two triangles between each two vertices of a ring and those of the next.
static void join_rings(flesh_mesh *mesh, int *at, int ring, int next, int around)
{
    for (int k = 0; k < around; k++) {
        int l = (k + 1) % around, a = ring * around, b = next * around;
        set_triangle(mesh, (*at)++, a + k, a + l, b + l);
        set_triangle(mesh, (*at)++, a + k, b + l, b + k);
    }
}

bool flesh_make_ring(wri_arena *arena, int rings, int around, float radius, float thickness,
                     flesh_mesh *out)
{
    if (!take(arena, rings * around, 2 * rings * around, out)) {
        return false;
    }
    int at = 0;
    for (int i = 0; i < rings * around; i++) {
        float turn = 2.0f * WR_PI * (float)(i / around) / (float)rings;
        float side = 2.0f * WR_PI * (float)(i % around) / (float)around;
        float out_by = radius + thickness * cosf(side);
        out->positions[i] = wr_v3(out_by * cosf(turn), thickness * sinf(side), out_by * sinf(turn));
    }
    for (int ring = 0; ring < rings; ring++) {
        join_rings(out, &at, ring, (ring + 1) % rings, around);
    }
    return true;
}

bool flesh_make_tube(wri_arena *arena, int rings, int around, float length, float radius,
                     flesh_mesh *out)
{
    if (!take(arena, rings * around + 2, 2 * rings * around, out)) {
        return false;
    }
    for (int i = 0; i < rings * around; i++) {
        float x = length * (float)(i / around + 1) / (float)(rings + 1);
        float turn = 2.0f * WR_PI * (float)(i % around) / (float)around;
        float share = 1.0f - fminf(fminf(x, length - x) / radius, 1.0f); // round ends
        float wide = radius * sqrtf(1.0f - share * share);
        out->positions[i] = wr_v3(x, wide * cosf(turn), wide * sinf(turn));
    }
    int at = 0, first = rings * around, last = first + 1;
    out->positions[first] = wr_v3(0.0f, 0.0f, 0.0f);
    out->positions[last] = wr_v3(length, 0.0f, 0.0f);
    for (int ring = 0; ring + 1 < rings; ring++) {
        join_rings(out, &at, ring, ring + 1, around);
    }
    for (int k = 0; k < around; k++) {
        int l = (k + 1) % around, end = (rings - 1) * around;
        set_triangle(out, at++, first, l, k);
        set_triangle(out, at++, end + k, end + l, last);
    }
    return true;
}

// --- limbs ------------------------------------------------------------------------------------

static const float BLEND = 0.05f; // metres: how far limbs flow into one another

// < 0 inside: the distances of all limbs, with their seams filled.
static float distance_of(const flesh_limb *limbs, int count, wr_vec3 x)
{
    float nearest = INFINITY;
    for (int i = 0; i < count; i++) {
        const flesh_limb *limb = &limbs[i];
        wr_vec3 along = wr_sub(limb->to, limb->from), to = wr_sub(x, limb->from);
        float t = wr_clampf(wr_dot(to, along) / wr_dot(along, along), 0.0f, 1.0f);
        float radius = limb->radius[0] + t * (limb->radius[1] - limb->radius[0]);
        float distance = wr_length(wr_sub(to, wr_scale(t, along))) - radius;
        float seam = fmaxf(BLEND - fabsf(distance - nearest), 0.0f);
        nearest = fminf(distance, nearest) - (seam > 0.0f ? 0.25f * seam * seam / BLEND : 0.0f);
    }
    return nearest;
}

typedef struct limb_grid {
    const flesh_limb *limbs;
    int limb_count;
    wr_vec3 low;
    float cell;
    int size[3];
    float *values;
    int *vertices; // of the edges from each corner along the axes, -1: none yet
    flesh_mesh *mesh;
} limb_grid;

static int corner_of(const limb_grid *g, const int at[3])
{
    return at[0] + g->size[0] * (at[1] + g->size[1] * at[2]);
}

static wr_vec3 place_of(const limb_grid *g, const int at[3])
{
    return wr_add(g->low, wr_scale(g->cell, wr_v3((float)at[0], (float)at[1], (float)at[2])));
}

static bool open_grid(limb_grid *g, wri_arena *arena)
{
    wr_box box = WR_BOX_EMPTY;
    size_t count = 1;
    for (int i = 0; i < g->limb_count; i++) {
        const flesh_limb *limb = &g->limbs[i];
        float r = fmaxf(limb->radius[0], limb->radius[1]) + 2.0f * g->cell;
        box.min = wr_min3(box.min, wr_sub(wr_min3(limb->from, limb->to), wr_v3(r, r, r)));
        box.max = wr_max3(box.max, wr_add(wr_max3(limb->from, limb->to), wr_v3(r, r, r)));
    }
    wr_vec3 wide = wr_scale(1.0f / g->cell, wr_sub(box.max, box.min));
    const float extent[3] = {wide.x, wide.y, wide.z};
    for (int k = 0; k < 3; k++) {
        g->size[k] = (int)extent[k] + 2;
        count *= (size_t)g->size[k];
    }
    g->low = box.min;
    g->values = wri_arena_alloc(arena, count, sizeof *g->values);
    g->vertices = wri_arena_alloc(arena, count, 3 * sizeof *g->vertices);
    for (int i = 0; g->values && g->vertices && i < (int)count; i++) {
        const int at[3] = {i % g->size[0], i / g->size[0] % g->size[1],
                           i / g->size[0] / g->size[1]};
        g->values[i] = distance_of(g->limbs, g->limb_count, place_of(g, at));
        g->vertices[3 * i] = g->vertices[3 * i + 1] = g->vertices[3 * i + 2] = -1;
    }
    return g->values && g->vertices;
}

// Not near the ends of edges, so that no triangle is thin.
static int edge_vertex(limb_grid *g, const int cell[3], int edge)
{
    int corner = wri_cube_edge_corner(edge), axis = edge / 4, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell[k] + (corner >> k & 1);
        high[k] = low[k] + (k == axis);
    }
    int *vertex = &g->vertices[3 * corner_of(g, low) + axis];
    if (*vertex < 0) {
        float a = g->values[corner_of(g, low)], b = g->values[corner_of(g, high)];
        float t = wr_clampf(a / (a - b), 0.2f, 0.8f);
        *vertex = g->mesh->vertex_count++;
        if (g->mesh->positions) {
            g->mesh->positions[*vertex] = wr_lerp3(place_of(g, low), place_of(g, high), t);
        }
    }
    return *vertex;
}

static void march_cell(limb_grid *g, const wri_cube_case *cases, const int cell[3])
{
    int inside = 0, corners[3];
    for (int c = 0; c < 8; c++) {
        const int at[3] = {cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2 & 1)};
        inside |= (g->values[corner_of(g, at)] < 0.0f) << c;
    }
    for (int i = 0; i < 3 * cases[inside].triangle_count; i++) {
        corners[i % 3] = edge_vertex(g, cell, cases[inside].edges[i]);
        if (i % 3 == 2 && g->mesh->triangles) {
            set_triangle(g->mesh, g->mesh->triangle_count, corners[0], corners[1], corners[2]);
        }
        g->mesh->triangle_count += i % 3 == 2;
    }
}

static void march(limb_grid *g, const wri_cube_case *cases)
{
    for (int z = 0; z + 1 < g->size[2]; z++) {
        for (int y = 0; y + 1 < g->size[1]; y++) {
            for (int x = 0; x + 1 < g->size[0]; x++) {
                march_cell(g, cases, (const int[3]){x, y, z});
            }
        }
    }
}

// To the middle of the neighbours, a few times, and back to the surface.
static void smooth(const limb_grid *g, wr_vec3 *sums, int *counts)
{
    enum { TIMES = 3 };
    flesh_mesh *mesh = g->mesh;
    for (int time = 0; time < TIMES; time++) {
        memset(sums, 0, (size_t)mesh->vertex_count * sizeof *sums);
        memset(counts, 0, (size_t)mesh->vertex_count * sizeof *counts);
        for (int i = 0; i < 3 * mesh->triangle_count; i++) {
            int other = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
            sums[mesh->triangles[i]] = wr_add(sums[mesh->triangles[i]], mesh->positions[other]);
            counts[mesh->triangles[i]]++;
        }
        for (int i = 0; i < mesh->vertex_count; i++) {
            const float h = 0.1f * g->cell;
            wr_vec3 x = wr_scale(1.0f / (float)counts[i], sums[i]), slope;
            float d = distance_of(g->limbs, g->limb_count, x);
            slope.x = distance_of(g->limbs, g->limb_count, wr_add(x, wr_v3(h, 0, 0))) - d;
            slope.y = distance_of(g->limbs, g->limb_count, wr_add(x, wr_v3(0, h, 0))) - d;
            slope.z = distance_of(g->limbs, g->limb_count, wr_add(x, wr_v3(0, 0, h))) - d;
            mesh->positions[i] = wr_add_scaled(x, -d, wr_normalize(slope));
        }
    }
}

// Counts first, since nobody knows how many there are.
bool flesh_make_limbs(wri_arena *arena, const flesh_limb *limbs, int count, float cell,
                      flesh_mesh *out)
{
    wri_cube_case cases[WRI_CUBE_CASES];
    limb_grid g = {limbs, count, .cell = cell, .mesh = out};
    wri_cube_fill_cases(cases);
    *out = (flesh_mesh){0};
    if (!open_grid(&g, arena)) {
        return false;
    }
    march(&g, cases);
    if (!take(arena, out->vertex_count, out->triangle_count, out)) {
        return false;
    }
    wr_vec3 *sums = wri_arena_alloc(arena, (size_t)out->vertex_count, sizeof *sums);
    int *counts = wri_arena_alloc(arena, (size_t)out->vertex_count, sizeof *counts);
    int edges = 3 * g.size[0] * g.size[1] * g.size[2];
    out->vertex_count = out->triangle_count = 0;
    for (int i = 0; i < edges; i++) {
        g.vertices[i] = -1;
    }
    march(&g, cases);
    if (sums && counts) {
        smooth(&g, sums, counts);
    }
    return sums && counts;
}
