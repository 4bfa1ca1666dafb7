// particle_surface.c: a closed surface around particles.
//
// After: M. Mueller, D. Charypar, M. Gross. Particle-based fluid simulation for interactive
// applications. SCA 2003. Particle j of radius r stands for the volume V = (2 r)^3. The density is
//
//     f(x) = sum_j c_j V_j W(x - x_j, h_j)
//     W(d, h) = 315 / (64 pi h^3) (1 - |d|^2 / h^2)^3,   h = 4 r
//
// which is 1 where particles are 2 r apart on all sides, and 1/2 at the border of such a body:
// there the surface lies. A particle alone would stay below 1/2 everywhere. So where the density at
// a particle is below LONELY, its own share is raised by c = LONELY / f(x_j), with which a single
// particle becomes a ball of about its volume; flat borders are above and stay as they are.
//
// The field is computed on the nodes of a sparse grid, block by block: each block adds up the
// particles that reach it in order of their number, so that the nodes that two blocks share have
// the same bits in both. An edge between nodes belongs to the block of its lower node.
#include "wrought/geometry.h"

#include "../base/base.h"
#include "marching.h"

#include <stdlib.h>

enum {
    BLOCK = 16, // cells along an edge of a block
    NODES = BLOCK + 1,
    REACH = 4,          // h in radii
    KEY_BITS = 21,      // bits of the number of a block or bin along one axis
    FARTHEST = 1 << 22, // cells from the origin, so that floats tell their corners apart
    GRAIN = 256,        // particles in a task
};

#define LEVEL 0.5f
#define LONELY 0.72f     // a single particle gets its volume, as cells of this size cut it
#define CELL 0.75f       // width of a cell, radii
#define LARGEST 8.0f     // times the mean radius, from which on cells grow with the largest one
#define POLY6 1.5666815f // 315 / (64 pi)
#define NEAREST 0.001f   // part of an edge that a vertex keeps from a node

typedef struct node {
    float f;
    wr_vec3 outward; // against the gradient
} node;

// A particle in a bin, or one that reaches a block: ordered by key, then number.
typedef struct place {
    uint64_t key;
    int particle;
} place;

// A corner of a triangle lies on an edge of this block or of one of its seven upper neighbours. An
// edge is 3 * (its lower node) + its axis.
typedef struct corner {
    int edge;
    int neighbour; // bit k: one block on along axis k
} corner;

typedef struct vertex {
    wr_vec3 position, normal;
} vertex;

typedef struct block {
    uint64_t key;
    int first, count;               // places that reach it
    int first_vertex, first_corner; // numbers in the whole
    wri_array edges;                // int, ascending: those with a vertex
    wri_array vertices;             // vertex, of each
    wri_array corners;              // corner, three per triangle
    bool is_out_of_memory;
} block;

typedef struct field {
    const wr_particles *particles;
    const wr_tasks *tasks;
    float largest; // radius
    double cell, bin;
    double base[3]; // the first node, in cells from the origin: grids of all frames agree
    float *shares;  // c_j V_j POLY6 / h_j^3
    place *bins;
    place *reached;
    int reached_count, block_count;
    block *blocks;
    wr_mesh *mesh;
    wri_cube_case cases[WRI_CUBE_CASES];
} field;

static float radius_of(const wr_particles *p, int i)
{
    return p->radii ? p->radii[i] : p->radius;
}

// --- the grid ---------------------------------------------------------------------------------

static bool check(const wr_particles *p, wr_error *error)
{
    for (int i = 0; i < p->count; i++) {
        float r = radius_of(p, i);
        if (!wr_is_finite3(p->positions[i]) || !(r > 0.0f && isfinite(r))) {
            return wri_fail(error, WR_E_ARGUMENT, "particle %d: not a place and a radius", i);
        }
    }
    return true;
}

// The grid must not swim: its cells change in steps of 1/16 only, and it lies still in the frame of
// the particles.
static bool lay_grid(field *f, wr_error *error)
{
    const wr_particles *p = f->particles;
    wr_box box = WR_BOX_EMPTY;
    double sum = 0.0;
    for (int i = 0; i < p->count; i++) {
        float r = radius_of(p, i);
        box = wr_box_add(box, p->positions[i]);
        f->largest = r > f->largest ? r : f->largest;
        sum += r;
    }
    int exponent = 0;
    double mantissa = frexp(fmax(sum / p->count, f->largest / LARGEST), &exponent);
    f->cell = CELL * ldexp(floor(mantissa * 32.0 + 1e-3), exponent - 5);
    f->bin = REACH * (double)f->largest;
    const float *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; k++) {
        double farthest = fmax(-low[k], high[k]) + 2.0 * f->bin;
        if (!(farthest < FARTHEST * f->cell)) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "particles with cells of %g m that reach to %g m have no surface",
                            f->cell, farthest);
        }
        f->base[k] = floor((low[k] - f->bin) / f->cell) - 1.0;
    }
    return true;
}

static uint64_t make_key(int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)z << 2 * KEY_BITS | (uint64_t)y << KEY_BITS | (uint64_t)x;
}

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return p->key != q->key ? (p->key < q->key ? -1 : 1)
                            : (p->particle > q->particle) - (p->particle < q->particle);
}

// The first of `count` ascending keys, `size` bytes apart, that is not below key.
static int find_key(const void *items, size_t size, int count, uint64_t key)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        uint64_t there;
        memcpy(&there, (const uint8_t *)items + size * (size_t)middle, sizeof there);
        low = there < key ? middle + 1 : low;
        high = there < key ? high : middle;
    }
    return low;
}

// --- shares -----------------------------------------------------------------------------------

static void find_bin(const field *f, int particle, int64_t bin[3])
{
    const float *x = &f->particles->positions[particle].x;
    for (int k = 0; k < 3; k++) { // counts from 1, so that there is one before
        bin[k] = (int64_t)floor((x[k] - f->base[k] * f->cell) / f->bin) + 1;
    }
}

static void fill_bins(field *f)
{
    for (int i = 0; i < f->particles->count; i++) {
        int64_t bin[3];
        find_bin(f, i, bin);
        f->bins[i] = (place){make_key(bin[0], bin[1], bin[2]), i};
    }
    qsort(f->bins, (size_t)f->particles->count, sizeof *f->bins, compare_places);
}

// V_j POLY6 / h_j^3 is the same for all radii.
static float plain_share(void)
{
    return 8.0f * POLY6 / (REACH * REACH * REACH);
}

static float add_density(const field *f, int i, int k)
{
    float h = REACH * radius_of(f->particles, k);
    wr_vec3 d = wr_sub(f->particles->positions[i], f->particles->positions[k]);
    float rest = 1.0f - wr_dot(d, d) / (h * h);
    return rest > 0.0f ? plain_share() * rest * rest * rest : 0.0f;
}

// The density at a particle, from the 27 bins around it: nine rows of three.
static float find_density(const field *f, int i)
{
    int64_t bin[3];
    float density = 0.0f;
    int count = f->particles->count;
    find_bin(f, i, bin);
    for (int row = 0; row < 9; row++) {
        int64_t y = bin[1] + row % 3 - 1, z = bin[2] + row / 3 - 1;
        uint64_t end = make_key(bin[0] + 1, y, z);
        int at = find_key(f->bins, sizeof *f->bins, count, make_key(bin[0] - 1, y, z));
        for (; at < count && f->bins[at].key <= end; at++) {
            density += add_density(f, i, f->bins[at].particle);
        }
    }
    return density;
}

static void find_shares(void *context, int task, int begin, int end)
{
    (void)task;
    field *f = context;
    for (int i = begin; i < end; i++) {
        float density = find_density(f, i);
        f->shares[i] = plain_share() * (density < LONELY ? LONELY / density : 1.0f);
    }
}

// --- blocks -----------------------------------------------------------------------------------

// The nodes that a particle reaches along an axis.
static void find_range(const field *f, int particle, int axis, int *first, int *last)
{
    double x = (&f->particles->positions[particle].x)[axis];
    double h = REACH * (double)radius_of(f->particles, particle);
    *first = (int)(ceil((x - h) / f->cell) - f->base[axis]);
    *last = (int)(floor((x + h) / f->cell) - f->base[axis]);
}

// Blocks share the nodes between them. places NULL: only counts.
static int64_t add_places(const field *f, int particle, place *places)
{
    int first[3], last[3];
    for (int k = 0; k < 3; k++) {
        find_range(f, particle, k, &first[k], &last[k]);
        first[k] = (first[k] - 1) / BLOCK;
        last[k] = last[k] / BLOCK;
    }
    for (int z = first[2]; places && z <= last[2]; z++) {
        for (int y = first[1]; y <= last[1]; y++) {
            for (int x = first[0]; x <= last[0]; x++) {
                *places++ = (place){make_key(x, y, z), particle};
            }
        }
    }
    return (int64_t)(last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1);
}

static bool find_blocks(field *f, wri_arena *arena)
{
    int64_t count = 0;
    for (int i = 0; i < f->particles->count; i++) {
        count += add_places(f, i, NULL);
    }
    f->reached = count < INT32_MAX ? wri_arena_alloc(arena, (size_t)count, sizeof(place)) : NULL;
    if (!f->reached) {
        return false;
    }
    f->reached_count = (int)count;
    place *at = f->reached;
    for (int i = 0; i < f->particles->count; i++) {
        at += add_places(f, i, at);
    }
    qsort(f->reached, (size_t)count, sizeof *f->reached, compare_places);
    for (int i = 0; i < f->reached_count; i++) {
        f->block_count += i == 0 || f->reached[i].key != f->reached[i - 1].key;
    }
    f->blocks = wri_arena_alloc(arena, (size_t)f->block_count, sizeof *f->blocks);
    block *b = f->blocks - 1;
    for (int i = 0; f->blocks && i < f->reached_count; i++) {
        if (i == 0 || f->reached[i].key != f->reached[i - 1].key) {
            *++b = (block){.key = f->reached[i].key,
                           .first = i,
                           .edges = wri_array_create(NULL, sizeof(int)),
                           .vertices = wri_array_create(NULL, sizeof(vertex)),
                           .corners = wri_array_create(NULL, sizeof(corner))};
        }
        b->count++;
    }
    return f->blocks != NULL;
}

static void find_first_node(const block *b, int first[3])
{
    for (int k = 0; k < 3; k++) {
        first[k] = BLOCK * (int)(b->key >> k * KEY_BITS & ((1 << KEY_BITS) - 1));
    }
}

static int node_at(int x, int y, int z)
{
    return x + NODES * (y + NODES * z);
}

// Distances along an axis, at each node of the block, from its first to its last.
typedef struct span {
    int first, last;
    float d[NODES];
} span;

// Gives the same bits in all blocks that have the node.
static span find_span(const field *f, int particle, int axis, int first_node)
{
    span s;
    find_range(f, particle, axis, &s.first, &s.last);
    s.first = s.first > first_node ? s.first - first_node : 0;
    s.last = s.last < first_node + BLOCK ? s.last - first_node : BLOCK;
    double x = (&f->particles->positions[particle].x)[axis];
    for (int i = s.first; i <= s.last; i++) {
        s.d[i] = (float)((f->base[axis] + first_node + i) * f->cell - x);
    }
    return s;
}

static void add_particle(const field *f, int particle, const int first_node[3], node *nodes)
{
    span s[3];
    for (int k = 0; k < 3; k++) {
        s[k] = find_span(f, particle, k, first_node[k]);
    }
    float h = REACH * radius_of(f->particles, particle), per_square = 1.0f / (h * h);
    float share = f->shares[particle];
    for (int z = s[2].first; z <= s[2].last; z++) {
        for (int y = s[1].first; y <= s[1].last; y++) {
            float square = s[2].d[z] * s[2].d[z] + s[1].d[y] * s[1].d[y];
            for (int x = s[0].first; x <= s[0].last; x++) {
                float rest = 1.0f - (square + s[0].d[x] * s[0].d[x]) * per_square;
                if (rest > 0.0f) {
                    node *n = &nodes[node_at(x, y, z)];
                    float slope = share * rest * rest;
                    n->f += slope * rest;
                    n->outward =
                        wr_add(n->outward, wr_scale(slope * per_square,
                                                    wr_v3(s[0].d[x], s[1].d[y], s[2].d[z])));
                }
            }
        }
    }
}

// --- triangles --------------------------------------------------------------------------------

static const int axis_step[3] = {1, NODES, NODES *NODES};

static bool is_inside(const node *n)
{
    return n->f > LEVEL;
}

// The vertex on the edge from a node along an axis, where the field is LEVEL.
static vertex cut_edge(const field *f, const node *n, const int at[3], int axis)
{
    const node *m = n + axis_step[axis];
    float t = (LEVEL - n->f) / (m->f - n->f);
    t = t < NEAREST ? NEAREST : t > 1.0f - NEAREST ? 1.0f - NEAREST : t;
    double x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (f->base[k] + at[k] + (k == axis ? (double)t : 0.0)) * f->cell;
    }
    wr_vec3 outward = wr_add(wr_scale(1.0f - t, n->outward), wr_scale(t, m->outward));
    float length = wr_length(outward);
    return (vertex){wr_v3((float)x[0], (float)x[1], (float)x[2]),
                    length > 0.0f ? wr_scale(1.0f / length, outward) : wr_v3(0, 1, 0)};
}

static void cut_edges(const field *f, block *b, const node *nodes, const int first_node[3])
{
    for (int i = 0; i < BLOCK * BLOCK * BLOCK; i++) {
        const int x[3] = {i % BLOCK, i / BLOCK % BLOCK, i / (BLOCK * BLOCK)};
        const node *n = &nodes[node_at(x[0], x[1], x[2])];
        for (int axis = 0; axis < 3; axis++) {
            if (is_inside(n) == is_inside(n + axis_step[axis])) {
                continue;
            }
            const int at[3] = {first_node[0] + x[0], first_node[1] + x[1], first_node[2] + x[2]};
            int *edge = wri_array_add(&b->edges, 1);
            vertex *v = wri_array_add(&b->vertices, 1);
            if (!edge || !v) {
                b->is_out_of_memory = true;
                return;
            }
            *edge = 3 * i + axis;
            *v = cut_edge(f, n, at, axis);
        }
    }
}

static corner find_corner(const int cell[3], int cube_edge)
{
    int low = wri_cube_edge_corner(cube_edge), neighbour = 0, x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = cell[k] + (low >> k & 1);
        neighbour |= (x[k] == BLOCK) << k;
        x[k] %= BLOCK;
    }
    return (corner){3 * (x[0] + BLOCK * (x[1] + BLOCK * x[2])) + cube_edge / 4, neighbour};
}

static void cut_cells(const field *f, block *b, const node *nodes)
{
    for (int i = 0; i < BLOCK * BLOCK * BLOCK; i++) {
        const int cell[3] = {i % BLOCK, i / BLOCK % BLOCK, i / (BLOCK * BLOCK)};
        const node *n = &nodes[node_at(cell[0], cell[1], cell[2])];
        int inside = 0;
        for (int c = 0; c < 8; c++) {
            inside |= is_inside(n + node_at(c & 1, c >> 1 & 1, c >> 2)) << c;
        }
        const wri_cube_case *cut = &f->cases[inside];
        int count = 3 * cut->triangle_count;
        corner *corners = count ? wri_array_add(&b->corners, count) : NULL;
        for (int k = 0; corners && k < count; k++) {
            corners[k] = find_corner(cell, cut->edges[k]);
        }
        b->is_out_of_memory = b->is_out_of_memory || (count && !corners);
    }
}

static void cut_block(void *context, int task, int begin, int end)
{
    (void)end, (void)task;
    const field *f = context;
    block *b = &f->blocks[begin];
    size_t count = NODES * NODES * NODES;
    node *nodes = wri_alloc(NULL, count, sizeof *nodes);
    if (!nodes) {
        b->is_out_of_memory = true;
        return;
    }
    int first_node[3];
    find_first_node(b, first_node);
    for (int i = 0; i < b->count; i++) {
        add_particle(f, f->reached[b->first + i].particle, first_node, nodes);
    }
    cut_edges(f, b, nodes, first_node);
    cut_cells(f, b, nodes);
    wri_free(NULL, nodes, count, sizeof *nodes);
}

// --- the whole --------------------------------------------------------------------------------

// The number of a vertex, which the block of its edge has.
static int find_vertex(const block *b, int edge)
{
    const int *edges = b->edges.items;
    int low = 0, high = b->edges.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        low = edges[middle] < edge ? middle + 1 : low;
        high = edges[middle] < edge ? high : middle;
    }
    WR_ASSERT(low < b->edges.count && edges[low] == edge);
    return b->first_vertex + low;
}

// Copies what a block has to its place in the mesh.
static void place_block(void *context, int task, int begin, int end)
{
    (void)end, (void)task;
    const field *f = context;
    const block *b = &f->blocks[begin], *blocks[8];
    for (int k = 0; k < 8; k++) {
        uint64_t key = b->key + make_key(k & 1, k >> 1 & 1, k >> 2);
        int at = find_key(f->blocks, sizeof *f->blocks, f->block_count, key);
        blocks[k] = at < f->block_count && f->blocks[at].key == key ? &f->blocks[at] : NULL;
    }
    for (int i = 0; i < b->vertices.count; i++) {
        const vertex *v = &WRI_ITEM(b->vertices, vertex, i);
        f->mesh->positions[b->first_vertex + i] = v->position;
        f->mesh->normals[b->first_vertex + i] = v->normal;
    }
    for (int i = 0; i < b->corners.count;
         i++) { // an edge that is cut has a block that it belongs to
        const corner *c = &WRI_ITEM(b->corners, corner, i);
        f->mesh->triangles[b->first_corner + i] = find_vertex(blocks[c->neighbour], c->edge);
    }
}

static bool find_firsts(field *f, wr_mesh *mesh)
{
    int64_t vertices = 0, corners = 0;
    bool ok = true;
    for (int i = 0; i < f->block_count; i++) {
        block *b = &f->blocks[i];
        ok = ok && !b->is_out_of_memory && corners < INT32_MAX - (1 << 20);
        b->first_vertex = (int)vertices;
        b->first_corner = (int)corners;
        vertices += b->vertices.count;
        corners += b->corners.count;
    }
    mesh->vertex_count = (int)vertices;
    mesh->triangle_count = (int)(corners / 3);
    return ok;
}

static bool make_mesh(wr_model *model, wr_mesh *mesh)
{
    size_t n = (size_t)mesh->vertex_count;
    mesh->name = model->name = "particles";
    mesh->positions = wr_model_alloc(model, n, sizeof *mesh->positions);
    mesh->normals = wr_model_alloc(model, n, sizeof *mesh->normals);
    mesh->triangles = wr_model_alloc(model, (size_t)mesh->triangle_count, 3 * sizeof(int));
    mesh->parts = wr_model_alloc(model, 1, sizeof *mesh->parts);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    if (!mesh->positions || !mesh->normals || !mesh->triangles || !mesh->parts || !model->nodes) {
        return false;
    }
    mesh->part_count = model->mesh_count = model->node_count = 1;
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, -1};
    model->meshes = mesh;
    model->nodes[0] = (wr_node){mesh->name, -1, 0, -1, WR_POSE_IDENTITY, {1.0f, 1.0f, 1.0f}, NULL};
    return true;
}

// All but the memory of the blocks, which the caller ends. False: out of memory.
static bool find_surface(field *f, wri_arena *arena, wr_model *model, wr_mesh *mesh)
{
    size_t count = (size_t)f->particles->count;
    f->shares = wri_arena_alloc(arena, count, sizeof *f->shares);
    f->bins = wri_arena_alloc(arena, count, sizeof *f->bins);
    if (!f->shares || !f->bins) {
        return false;
    }
    fill_bins(f);
    wri_parallel_for(f->tasks, f->particles->count, GRAIN, find_shares, f);
    if (!find_blocks(f, arena)) {
        return false;
    }
    wri_cube_fill_cases(f->cases);
    wri_parallel_for(f->tasks, f->block_count, 1, cut_block, f);
    if (!find_firsts(f, mesh) || !make_mesh(model, mesh)) {
        return false;
    }
    f->mesh = mesh;
    wri_parallel_for(f->tasks, f->block_count, 1, place_block, f);
    return true;
}

wr_model *wr_particles_create_surface(const wr_particles *particles, const wr_tasks *tasks,
                                      wr_error *error)
{
    if (!WRI_REQUIRE(error, particles)) {
        return NULL;
    }
    wr_tasks alone = {0};
    field f = {.particles = particles, .tasks = tasks ? tasks : &alone};
    if (!check(particles, error) || (particles->count > 0 && !lay_grid(&f, error))) {
        return NULL;
    }
    wr_model *model = wr_model_create(NULL, error);
    wr_mesh *mesh = model ? wr_model_alloc(model, 1, sizeof *mesh) : NULL;
    wri_arena arena = wri_arena_create(NULL);
    bool ok = mesh && (particles->count > 0 ? find_surface(&f, &arena, model, mesh)
                                            : make_mesh(model, mesh));
    for (int i = 0; f.blocks && i < f.block_count; i++) {
        wri_array_destroy(&f.blocks[i].edges);
        wri_array_destroy(&f.blocks[i].vertices);
        wri_array_destroy(&f.blocks[i].corners);
    }
    wri_arena_destroy(&arena);
    if (!ok) {
        wr_model_destroy(model);
        wri_fail_memory(error, sizeof(wr_vec3) * (size_t)particles->count);
        return NULL;
    }
    return model;
}
