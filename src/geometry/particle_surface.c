// particle_surface.c: a closed surface around particles.
//
// Particle j spreads the volume V_j = (2 r_j)^3 that it stands for over an ellipsoid
// (particle_kernels.c). The sum of all kernels,
//
//     f(x) = sum_j share_j (1 - d^T A_j d)^3,   d = x - c_j
//
// is 1 where particles are 2 r apart on all sides. The surface lies where f is LEVEL. At 1/2 it
// would lie too deep, because centres at a border are smoothed inwards: LEVEL makes up for that. A
// side of a body, a ball, and a sheet of two layers then keep their volumes within 3 %, particles
// alone and threads of them within 15 %.
//
// The field is computed on the nodes of a sparse grid, block by block: each block adds up the
// kernels that reach it in order of their number, so that the nodes that two blocks share have the
// same bits in both. An edge between nodes belongs to the block of its lower node. A vertex lies
// where the cubic through the values and slopes at the two nodes is LEVEL: with values alone it
// shifts by 0.065 of the spacing, not by 0.04, as a block moves through the grid.
#include "wrought/geometry.h"

#include "../base/base.h"
#include "marching.h"
#include "particle_kernels.h"
#include "places.h"

enum {
    BLOCK = 23,        // cells along an edge of a block
    NODES = BLOCK + 1, // along it, whole lanes of them
    LANES = 4,         // nodes that are computed at once
    ALL = NODES * NODES * NODES,
    FARTHEST = 1 << 22, // cells from the origin, so that floats tell their corners apart
    ROUNDS = 4,         // of the search for LEVEL on an edge
};

_Static_assert(NODES % LANES == 0, "a row of nodes is whole lanes");

#define LEVEL 0.34f
#define CELL 0.75f     // width of a cell, radii
#define LARGEST 8.0f   // times the mean radius, from which on cells grow with the largest one
#define NEAREST 0.001f // part of an edge that a vertex keeps from a node

typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef int lanes_mask __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

// The field at the nodes of a block and a sixth of its slope, per cell, against its gradient.
typedef struct nodes {
    float f[ALL];
    float g[3][ALL];
    uint32_t inside[NODES * NODES]; // bits of rows of nodes
} nodes;

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
    double cell;
    double base[3]; // the first node, in cells from the origin: grids of all frames agree
    const wri_particle_kernel *kernels;
    wri_place *reached;
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
    double reach = WRI_KERNEL_REACH * (double)f->largest;
    const float *low = &box.min.x, *high = &box.max.x;
    for (int k = 0; k < 3; k++) {
        double farthest = fmax(-low[k], high[k]) + 2.0 * reach;
        if (!(farthest < FARTHEST * f->cell)) {
            return wri_fail(error, WR_E_UNSUPPORTED,
                            "particles with cells of %g m that reach to %g m have no surface",
                            f->cell, farthest);
        }
        f->base[k] = floor((low[k] - reach) / f->cell) - 1.0;
    }
    return true;
}

// --- blocks -----------------------------------------------------------------------------------

// The nodes that a kernel reaches along an axis.
static void find_range(const field *f, const wri_particle_kernel *kernel, int axis, int *first,
                       int *last)
{
    double x = kernel->center[axis], h = (double)kernel->reach[axis];
    *first = (int)(ceil(x - h) - f->base[axis]);
    *last = (int)(floor(x + h) - f->base[axis]);
}

// Blocks share the nodes between them. places NULL: only counts.
static int64_t add_places(const field *f, int particle, wri_place *places)
{
    int first[3], last[3];
    for (int k = 0; k < 3; k++) {
        find_range(f, &f->kernels[particle], k, &first[k], &last[k]);
        first[k] = (first[k] - 1) / BLOCK;
        last[k] = last[k] / BLOCK;
    }
    for (int z = first[2]; places && z <= last[2]; z++) {
        for (int y = first[1]; y <= last[1]; y++) {
            for (int x = first[0]; x <= last[0]; x++) {
                *places++ = (wri_place){wri_place_key(x, y, z), particle};
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
    f->reached =
        count < INT32_MAX ? wri_arena_alloc(arena, (size_t)count, sizeof(wri_place)) : NULL;
    if (!f->reached) {
        return false;
    }
    f->reached_count = (int)count;
    wri_place *at = f->reached;
    for (int i = 0; i < f->particles->count; i++) {
        at += add_places(f, i, at);
    }
    wri_sort_places(f->reached, (size_t)count);
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
        first[k] = BLOCK * (int)(b->key >> k * WRI_KEY_BITS & ((1 << WRI_KEY_BITS) - 1));
    }
}

static int node_at(int x, int y, int z)
{
    return x + NODES * (y + NODES * z);
}

// Distances of nodes of a block from the centre of a kernel, along an axis, and those it reaches.
typedef struct span {
    int first, last;
    float d[NODES];
} span;

// Gives the same bits in all blocks that have the node.
static span find_span(const field *f, const wri_particle_kernel *kernel, int axis, int first_node)
{
    span s;
    find_range(f, kernel, axis, &s.first, &s.last);
    s.first = s.first > first_node ? s.first - first_node : 0;
    s.last = s.last < first_node + BLOCK ? s.last - first_node : BLOCK;
    double whole = f->base[axis] + first_node;
    for (int i = 0; i < NODES; i++) { // only the difference is rounded
        s.d[i] = (float)(whole + i - kernel->center[axis]);
    }
    return s;
}

// A line of nodes along x through a kernel: q = rest - x (xx x + 2 x0).
typedef struct line {
    float rest, x0, y0, z0; // x0, y0, z0: A (0, y, z)
    int first, last;        // nodes that it crosses
} line;

// False: the line misses the kernel. A node more at both ends is sure to have all that are within,
// in whichever block.
static bool find_line(const float form[6], float per_xx, const span *x, float y, float z, line *l)
{
    l->x0 = form[3] * y + form[4] * z;
    l->y0 = form[1] * y + form[5] * z;
    l->z0 = form[5] * y + form[2] * z;
    l->rest = 1.0f - (y * l->y0 + z * l->z0);
    float middle = -l->x0 * per_xx, square = middle * middle + l->rest * per_xx;
    if (!(square > 0.0f)) {
        return false;
    }
    float half = sqrtf(square) + 1.0f, low = middle - half - x->d[0], high = low + 2.0f * half;
    l->first = low > (float)x->first ? (int)low : x->first;
    l->last = high < (float)x->last ? (int)high : x->last;
    return true;
}

static void add_line(const wri_particle_kernel *kernel, const line *l, const span *x, nodes *n,
                     int node)
{
    const float *form = kernel->form;
    for (int i = l->first / LANES * LANES; i <= l->last; i += LANES) {
        lanes d = *(const lanes *)&x->d[i], ax = form[0] * d + l->x0;
        lanes q = l->rest - d * (ax + l->x0);
        q = (lanes)((lanes_mask)(q > 0.0f) & (lanes_mask)q);
        lanes slope = kernel->share * q * q;
        *(lanes *)&n->f[node + i] += slope * q;
        *(lanes *)&n->g[0][node + i] += slope * ax;
        *(lanes *)&n->g[1][node + i] += slope * (form[3] * d + l->y0);
        *(lanes *)&n->g[2][node + i] += slope * (form[4] * d + l->z0);
    }
}

static void add_kernel(const field *f, const wri_particle_kernel *kernel, const int first_node[3],
                       nodes *n)
{
    span x = find_span(f, kernel, 0, first_node[0]), y = find_span(f, kernel, 1, first_node[1]),
         z = find_span(f, kernel, 2, first_node[2]);
    float per_xx = 1.0f / kernel->form[0];
    for (int k = z.first; k <= z.last; k++) {
        for (int j = y.first; j <= y.last; j++) {
            line l;
            if (find_line(kernel->form, per_xx, &x, y.d[j], z.d[k], &l)) {
                add_line(kernel, &l, &x, n, node_at(0, j, k));
            }
        }
    }
}

// --- triangles --------------------------------------------------------------------------------

static const int axis_step[3] = {1, NODES, NODES *NODES};

static void find_inside(nodes *n)
{
    for (int row = 0; row < NODES * NODES; row++) {
        uint32_t bits = 0;
        for (int x = 0; x < NODES; x++) {
            bits |= (uint32_t)(n->f[row * NODES + x] > LEVEL) << x;
        }
        n->inside[row] = bits;
    }
}

// Where on an edge of length 1 the cubic with the values f and the slopes g at its ends is LEVEL:
// Newton's method within the bounds that its signs leave.
static float find_cut(const float f[2], const float g[2])
{
    float low = 0.0f, high = 1.0f, t = (LEVEL - f[0]) / (f[1] - f[0]);
    bool rises = f[1] > f[0];
    for (int i = 0; i < ROUNDS; i++) {
        float u = 1.0f - t;
        float value = u * u * ((1.0f + 2.0f * t) * f[0] + t * g[0]) +
                      t * t * ((1.0f + 2.0f * u) * f[1] - u * g[1]) - LEVEL;
        float slope =
            6.0f * t * u * (f[1] - f[0]) + u * (u - 2.0f * t) * g[0] + t * (t - 2.0f * u) * g[1];
        bool is_beyond = (value > 0.0f) == rises;
        high = is_beyond ? t : high;
        low = is_beyond ? low : t;
        float next = t - value / slope;
        t = next >= low && next <= high ? next : 0.5f * (low + high);
    }
    return fminf(fmaxf(t, NEAREST), 1.0f - NEAREST);
}

// The vertex on the edge from a node along an axis, where the field is LEVEL.
static vertex cut_edge(const field *f, const nodes *n, int node, const int at[3], int axis)
{
    int upper = node + axis_step[axis];
    float t = find_cut((const float[]){n->f[node], n->f[upper]},
                       (const float[]){-6.0f * n->g[axis][node], -6.0f * n->g[axis][upper]});
    double x[3];
    float g[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (f->base[k] + at[k] + (k == axis ? (double)t : 0.0)) * f->cell;
        g[k] = (1.0f - t) * n->g[k][node] + t * n->g[k][upper];
    }
    wr_vec3 outward = wr_v3(g[0], g[1], g[2]);
    float length = wr_length(outward);
    return (vertex){wr_v3((float)x[0], (float)x[1], (float)x[2]),
                    length > 0.0f ? wr_scale(1.0f / length, outward) : wr_v3(0, 1, 0)};
}

static void add_vertex(const field *f, block *b, const nodes *n, const int cell[3], int axis)
{
    int first_node[3];
    find_first_node(b, first_node);
    const int at[3] = {first_node[0] + cell[0], first_node[1] + cell[1], first_node[2] + cell[2]};
    int *edge = wri_array_add(&b->edges, 1);
    vertex *v = wri_array_add(&b->vertices, 1);
    if (!edge || !v) {
        b->is_out_of_memory = true;
        return;
    }
    *edge = 3 * (cell[0] + BLOCK * (cell[1] + BLOCK * cell[2])) + axis;
    *v = cut_edge(f, n, node_at(cell[0], cell[1], cell[2]), at, axis);
}

static void cut_edges(const field *f, block *b, const nodes *n)
{
    for (int row = 0; row < BLOCK * BLOCK; row++) {
        int y = row % BLOCK, z = row / BLOCK;
        const uint32_t *inside = &n->inside[y + NODES * z];
        uint32_t cuts[3] = {inside[0] ^ inside[0] >> 1, inside[0] ^ inside[1],
                            inside[0] ^ inside[NODES]};
        uint32_t rest = (cuts[0] | cuts[1] | cuts[2]) & ((1u << BLOCK) - 1u);
        for (int x = 0; rest >> x; x++) {
            for (int axis = 0; axis < 3; axis++) {
                if (cuts[axis] >> x & 1u) {
                    add_vertex(f, b, n, (const int[]){x, y, z}, axis);
                }
            }
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

static void add_triangles(block *b, const wri_cube_case *cut, const int cell[3])
{
    int count = 3 * cut->triangle_count;
    corner *corners = count ? wri_array_add(&b->corners, count) : NULL;
    for (int k = 0; corners && k < count; k++) {
        corners[k] = find_corner(cell, cut->edges[k]);
    }
    b->is_out_of_memory = b->is_out_of_memory || (count && !corners);
}

static void cut_cells(const field *f, block *b, const nodes *n)
{
    const uint32_t all = (1u << NODES) - 1u;
    for (int row = 0; row < BLOCK * BLOCK; row++) {
        int y = row % BLOCK, z = row / BLOCK;
        const uint32_t *r = &n->inside[y + NODES * z];
        if ((r[0] | r[1] | r[NODES] | r[NODES + 1]) == 0 ||
            (r[0] & r[1] & r[NODES] & r[NODES + 1]) == all) {
            continue;
        }
        for (int x = 0; x < BLOCK; x++) {
            uint32_t inside = (r[0] >> x & 3u) | (r[1] >> x & 3u) << 2 | (r[NODES] >> x & 3u) << 4 |
                              (r[NODES + 1] >> x & 3u) << 6;
            add_triangles(b, &f->cases[inside], (const int[]){x, y, z});
        }
    }
}

static void cut_block(void *context, int task, int begin, int end)
{
    (void)end, (void)task;
    const field *f = context;
    block *b = &f->blocks[begin];
    nodes *n = wri_alloc(NULL, 1, sizeof *n);
    if (!n) {
        b->is_out_of_memory = true;
        return;
    }
    int first_node[3];
    find_first_node(b, first_node);
    for (int i = 0; i < b->count; i++) {
        add_kernel(f, &f->kernels[f->reached[b->first + i].particle], first_node, n);
    }
    find_inside(n);
    cut_edges(f, b, n);
    cut_cells(f, b, n);
    wri_free(NULL, n, 1, sizeof *n);
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
        uint64_t key = b->key + wri_place_key(k & 1, k >> 1 & 1, k >> 2);
        int at = wri_find_key(f->blocks, sizeof *f->blocks, f->block_count, key);
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
    f->kernels = wri_particle_kernels_find(f->particles, f->cell, f->tasks, arena);
    if (!f->kernels || !find_blocks(f, arena)) {
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
