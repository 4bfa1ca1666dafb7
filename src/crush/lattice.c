// lattice.c: space filled with tetrahedra, faces of which are the sheet.
//
// A body-centred cubic lattice: nodes at the corners and at the middles of cubes; two middles that
// are neighbours and an edge of the square between them make a tetrahedron (J. Molino, R. Bridson,
// J. Teran, R. Fedkiw. A crystalline, red green strategy for meshing highly deformable objects with
// tetrahedra. IMR 2003). These are the Delaunay tetrahedra of the nodes. So when every point of the
// mesh goes to its nearest node, a small triangle goes to a node, an edge or a face of the lattice,
// and a surface to a surface made of faces: thin walls, gaps between panels and layers closer than
// a node to the next become one sheet. Nodes of it then move to the middle of what went to them, as
// far as the tetrahedra stay open.
#include "plate.h"

#include "../math/double3.h"

#include <stdlib.h>

#define SAMPLE 0.3      // pitches: longest edge of the small triangles
#define CELL_VOLUME 0.5 // of a regular cell, six times, in cubic pitches
#define LEAST_OPEN 0.12 // of a regular cell's volume, that one keeps at rest
#define FLAW 0.03       // pitches by which a node is nudged in a step, at most
#define HILL 2.5        // pitches over which nudges differ
enum { MARGIN = 1, MOST_SPLITS = 1000, OPENING_ROUNDS = 60 };

// Pitches off the middle: else symmetric bodies have faces halfway between nodes, and rounding
// would choose.
static const double ASKEW[3] = {0.13, 0.29, 0.07};

typedef struct lattice {
    wri_plate *plate;
    const double (*axes)[3];
    double corner[3]; // of the first cube, along the axes
    int cubes[3];
    int corner_nodes;                // how many nodes are corners of cubes; middles come after them
    int *first_cell;                 // of each cube
    double (*target)[3], (*base)[3]; // where nodes want to be, and where the lattice has them
} lattice;

// A face of the sheet and the area that went to it.
typedef struct face {
    int nodes[3]; // ascending
    double area;
} face;

static void place_point(const wri_plate *p, const wri_topology *s, int place, double out[3])
{
    const double at[3] = {s->points[place].x, s->points[place].y, s->points[place].z};
    for (int k = 0; k < 3; k++) {
        out[k] = (at[k] - p->middle[k]) / p->size;
    }
}

// --- nodes ------------------------------------------------------------------------------------

static int corner_node(const lattice *l, int i, int j, int k)
{
    return (k * (l->cubes[1] + 1) + j) * (l->cubes[0] + 1) + i;
}

static int middle_node(const lattice *l, int i, int j, int k)
{
    return l->corner_nodes + (k * l->cubes[1] + j) * l->cubes[0] + i;
}

// Coordinates in pitches from the first corner.
static void to_lattice(const lattice *l, const double x[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = (wri_dot3(l->axes[k], x) - l->corner[k]) / l->plate->pitch;
    }
}

static void from_lattice(const lattice *l, const double p[3], double out[3])
{
    double along[3];
    for (int k = 0; k < 3; k++) {
        along[k] = l->corner[k] + p[k] * l->plate->pitch;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = l->axes[0][k] * along[0] + l->axes[1][k] * along[1] + l->axes[2][k] * along[2];
    }
}

static int nearest_node(const lattice *l, const double p[3])
{
    int round[3], floor_[3];
    double to_corner = 0.0, to_middle = 0.0;
    for (int k = 0; k < 3; k++) {
        round[k] = (int)(p[k] + 0.5);
        floor_[k] = (int)p[k];
        to_corner += (p[k] - round[k]) * (p[k] - round[k]);
        to_middle += (p[k] - floor_[k] - 0.5) * (p[k] - floor_[k] - 0.5);
    }
    return to_corner <= to_middle ? corner_node(l, round[0], round[1], round[2])
                                  : middle_node(l, floor_[0], floor_[1], floor_[2]);
}

// Doubled coordinates: all even or all odd.
static void node_coordinates(const lattice *l, int node, int out[3])
{
    bool is_middle = node >= l->corner_nodes;
    int n = is_middle ? node - l->corner_nodes : node;
    int nx = l->cubes[0] + !is_middle, ny = l->cubes[1] + !is_middle;
    out[0] = 2 * (n % nx) + is_middle;
    out[1] = 2 * (n / nx % ny) + is_middle;
    out[2] = 2 * (n / (nx * ny)) + is_middle;
}

static bool set_extent(lattice *l, const wri_topology *s)
{
    wri_plate *p = l->plate;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < s->place_count; i++) {
        double x[3];
        place_point(p, s, i, x);
        for (int k = 0; k < 3; k++) {
            double along = wri_dot3(l->axes[k], x);
            low[k] = fmin(low[k], along);
            high[k] = fmax(high[k], along);
        }
    }
    for (int k = 0; k < 3; k++) {
        l->cubes[k] = (int)ceil((high[k] - low[k]) / p->pitch - 1e-6) + 2 * MARGIN;
        p->low = low[k];
        p->high = high[k];
        l->corner[k] = 0.5 * (low[k] + high[k] - l->cubes[k] * p->pitch) + ASKEW[k] * p->pitch;
    }
    l->corner_nodes = (l->cubes[0] + 1) * (l->cubes[1] + 1) * (l->cubes[2] + 1);
    p->count = l->corner_nodes + l->cubes[0] * l->cubes[1] * l->cubes[2];
    size_t n = (size_t)p->count;
    p->rest = wri_arena_alloc(p->arena, n, sizeof *p->rest);
    p->area = wri_arena_alloc(p->arena, n, sizeof *p->area);
    p->share = wri_arena_alloc(p->arena, n, sizeof *p->share);
    l->target = wri_arena_alloc(p->arena, n, sizeof *l->target);
    l->base = wri_arena_alloc(p->arena, n, sizeof *l->base);
    return p->rest && p->area && p->share && l->target && l->base;
}

static void place_nodes(lattice *l)
{
    for (int i = 0; i < l->plate->count; i++) {
        int at[3];
        node_coordinates(l, i, at);
        const double p[3] = {0.5 * at[0], 0.5 * at[1], 0.5 * at[2]};
        from_lattice(l, p, l->plate->rest[i]);
    }
}

// --- sheet ------------------------------------------------------------------------------------

static bool are_linked(const lattice *l, int a, int b)
{
    int p[3], q[3], sum = 0, most = 0;
    node_coordinates(l, a, p);
    node_coordinates(l, b, q);
    for (int k = 0; k < 3; k++) {
        int d = abs(p[k] - q[k]);
        sum += d;
        most = d > most ? d : most;
    }
    return (most == 1 && sum == 3) || (most == 2 && sum == 2);
}

static void order(int *a, int *b)
{
    int low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

// A small triangle of some area: to its three nodes, and to the sheet when it is a face.
static bool add_sample(lattice *l, const double corners[3][3], double area, wri_array *faces)
{
    int v[3];
    for (int c = 0; c < 3; c++) {
        double p[3];
        to_lattice(l, corners[c], p);
        v[c] = nearest_node(l, p);
        l->plate->area[v[c]] += area / 3.0;
        for (int k = 0; k < 3; k++) {
            l->target[v[c]][k] += area / 3.0 * corners[c][k];
        }
    }
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0] || !are_linked(l, v[0], v[1]) ||
        !are_linked(l, v[1], v[2]) || !are_linked(l, v[2], v[0])) {
        return true;
    }
    order(&v[0], &v[1]);
    order(&v[1], &v[2]);
    order(&v[0], &v[1]);
    face *f = wri_array_add(faces, 1);
    if (f) {
        *f = (face){{v[0], v[1], v[2]}, area};
    }
    return f != NULL;
}

static void mix(const double x[3][3], double u, double v, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = x[0][k] + u * (x[1][k] - x[0][k]) + v * (x[2][k] - x[0][k]);
    }
}

// n * n equal triangles.
static bool sample_triangle(lattice *l, const double x[3][3], wri_array *faces)
{
    double longest = 0.0, sides[3][3], normal[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            sides[c][k] = x[(c + 1) % 3][k] - x[c][k];
        }
        longest = fmax(longest, wri_length3(sides[c]));
    }
    wri_cross3(sides[0], sides[1], normal);
    int n = (int)fmin(ceil(longest / (SAMPLE * l->plate->pitch)), MOST_SPLITS);
    double area = 0.5 * wri_length3(normal) / ((double)n * n), step = 1.0 / n;
    for (int i = 0; i < n; i++) {
        for (int q = 0; q < 2 * (n - i) - 1; q++) {
            int j = q / 2, up = q % 2 == 0;
            double small[3][3];
            mix(x, (i + !up) * step, j * step, small[0]);
            mix(x, (i + 1) * step, (j + !up) * step, small[1]);
            mix(x, i * step, (j + 1) * step, small[2]);
            if (!add_sample(l, (const double(*)[3])small, area, faces)) {
                return false;
            }
        }
    }
    return true;
}

static int compare_faces(const void *a, const void *b)
{
    const int *x = ((const face *)a)->nodes, *y = ((const face *)b)->nodes;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_areas(const void *a, const void *b)
{
    const face *x = a, *y = b;
    return x->area != y->area ? (x->area > y->area ? -1 : 1) : compare_faces(a, b);
}

// Each once, with all the area that went to it.
static void unite_faces(wri_array *faces)
{
    face *f = faces->items;
    int count = 0;
    if (faces->count > 0) {
        qsort(f, (size_t)faces->count, sizeof *f, compare_faces);
    }
    for (int i = 0; i < faces->count; i++) {
        if (count > 0 && compare_faces(&f[i], &f[count - 1]) == 0) {
            f[count - 1].area += f[i].area;
        } else {
            f[count++] = f[i];
        }
    }
    faces->count = count;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t edge_key(const face *f, int k)
{
    int a = f->nodes[k == 0], b = f->nodes[k == 2 ? 1 : 2];
    return (uint64_t)a << 32 | (uint64_t)b;
}

// Where layers are closer than cells their faces make a solid truss, which does not fold. The sheet
// is those faces that most of the body went to, no more than two at an edge.
static bool choose_faces(wri_plate *p, wri_array *faces)
{
    face *f = faces->items;
    size_t count = (size_t)faces->count;
    uint64_t *keys = wri_arena_alloc(p->arena, 3 * count, sizeof *keys);
    uint8_t *used = wri_arena_alloc(p->arena, 3 * count, 1);
    p->triangles = wri_arena_alloc(p->arena, count, sizeof *p->triangles);
    if (!keys || !used || !p->triangles) {
        return false;
    }
    for (size_t i = 0; i < 3 * count; i++) {
        keys[i] = edge_key(&f[i / 3], (int)(i % 3));
    }
    if (count > 0) {
        qsort(keys, 3 * count, sizeof *keys, compare_keys);
        qsort(f, count, sizeof *f, compare_areas);
    }
    for (size_t i = 0; i < count; i++) {
        size_t at[3];
        bool room = true;
        for (int k = 0; k < 3; k++) {
            uint64_t key = edge_key(&f[i], k);
            size_t low = 0;
            for (size_t high = 3 * count; low < high;) { // the first of its kind
                size_t middle = (low + high) / 2;
                low = keys[middle] < key ? middle + 1 : low;
                high = keys[middle] < key ? high : middle;
            }
            at[k] = low;
            room = room && used[low] < 2;
        }
        if (room) {
            used[at[0]]++, used[at[1]]++, used[at[2]]++;
            memcpy(p->triangles[p->triangle_count++], f[i].nodes, sizeof f[i].nodes);
        }
    }
    return true;
}

static bool sample_mesh(lattice *l, const wri_topology *s)
{
    wri_plate *p = l->plate;
    wri_array faces = wri_array_create(&p->arena->allocator, sizeof(face));
    bool ok = true;
    for (int t = 0; ok && t < s->triangle_count; t++) {
        double x[3][3];
        for (int c = 0; c < 3; c++) {
            place_point(p, s, s->corners[3 * t + c], x[c]);
        }
        ok = !wri_takes_part(s->fate[t]) || sample_triangle(l, (const double(*)[3])x, &faces);
    }
    unite_faces(&faces);
    ok = ok && choose_faces(p, &faces);
    wri_array_destroy(&faces);
    return ok;
}

// --- flaws ------------------------------------------------------------------------------------

// Even noise in [-1, 1] with hills of length 1; different for each seed.
static double noise(const double x[3], int seed)
{
    int cell[3];
    double f[3], sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = floor(x[k]), t = x[k] - low;
        cell[k] = (int)low;
        f[k] = t * t * (3.0 - 2.0 * t);
    }
    for (int c = 0; c < 8; c++) {
        const int at[4] = {cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2), seed};
        double weight =
            (c & 1 ? f[0] : 1.0 - f[0]) * (c & 2 ? f[1] : 1.0 - f[1]) * (c & 4 ? f[2] : 1.0 - f[2]);
        sum += weight * ((double)(wri_hash(at, sizeof at, 7) >> 40) / (double)(1 << 23) - 1.0);
    }
    return sum;
}

// Real sheet is uneven, and buckles where it is; a perfect one would be squeezed instead. So each
// node of the sheet is nudged by little in every step, its neighbours likewise.
static bool set_flaws(lattice *l)
{
    wri_plate *p = l->plate;
    p->flaw = wri_arena_alloc(p->arena, (size_t)p->count, sizeof *p->flaw);
    for (int i = 0; p->flaw && i < p->count; i++) {
        int at[3];
        node_coordinates(l, i, at);
        const double hill[3] = {0.5 * at[0] / HILL, 0.5 * at[1] / HILL, 0.5 * at[2] / HILL};
        for (int a = 0; a < 3 && p->area[i] > 0.0; a++) {
            double push = FLAW * p->pitch * noise(hill, a);
            for (int k = 0; k < 3; k++) {
                p->flaw[i][k] += push * l->axes[a][k];
            }
        }
    }
    return p->flaw != NULL;
}

// --- cells ------------------------------------------------------------------------------------

// The two middles on both sides of a square across an axis, and each edge of the square.
static void add_square(lattice *l, const int cube[3], int axis)
{
    wri_plate *p = l->plate;
    const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int next[3] = {cube[0], cube[1], cube[2]}, round[4];
    next[axis]++;
    for (int i = 0; i < 4; i++) {
        int at[3] = {next[0], next[1], next[2]};
        at[(axis + 1) % 3] += turn[i][0];
        at[(axis + 2) % 3] += turn[i][1];
        round[i] = corner_node(l, at[0], at[1], at[2]);
    }
    for (int i = 0; i < 4; i++) {
        p->cells[p->cell_count++] = (wri_plate_cell){
            .nodes = {middle_node(l, cube[0], cube[1], cube[2]),
                      middle_node(l, next[0], next[1], next[2]), round[i], round[(i + 1) % 4]}};
    }
}

static bool add_cells(lattice *l)
{
    wri_plate *p = l->plate;
    int cubes = l->cubes[0] * l->cubes[1] * l->cubes[2];
    p->cells = wri_arena_alloc(p->arena, (size_t)cubes, 12 * sizeof *p->cells);
    l->first_cell = wri_arena_alloc(p->arena, (size_t)cubes + 1, sizeof *l->first_cell);
    if (!p->cells || !l->first_cell) {
        return false;
    }
    for (int i = 0; i < cubes; i++) {
        const int cube[3] = {i % l->cubes[0], i / l->cubes[0] % l->cubes[1],
                             i / (l->cubes[0] * l->cubes[1])};
        l->first_cell[i] = p->cell_count;
        for (int axis = 0; axis < 3; axis++) {
            if (cube[axis] + 1 < l->cubes[axis]) {
                add_square(l, cube, axis);
            }
        }
    }
    l->first_cell[cubes] = p->cell_count;
    return true;
}

static void add_link(wri_plate *p, int a, int b)
{
    p->links[p->link_count][0] = a < b ? a : b;
    p->links[p->link_count++][1] = a < b ? b : a;
}

// From every cube's middle and first corner to the next ones, and from its middle to all corners.
static bool add_links(lattice *l)
{
    wri_plate *p = l->plate;
    const int *n = l->cubes;
    p->links = wri_arena_alloc(p->arena, (size_t)p->count, 11 * sizeof *p->links);
    for (int i = 0; p->links && i < (n[0] + 1) * (n[1] + 1) * (n[2] + 1); i++) {
        const int at[3] = {i % (n[0] + 1), i / (n[0] + 1) % (n[1] + 1),
                           i / ((n[0] + 1) * (n[1] + 1))};
        bool is_cube = at[0] < n[0] && at[1] < n[1] && at[2] < n[2];
        for (int k = 0; k < 3; k++) {
            const int next[3] = {at[0] + (k == 0), at[1] + (k == 1), at[2] + (k == 2)};
            if (at[k] < n[k]) {
                add_link(p, i, corner_node(l, next[0], next[1], next[2]));
            }
            if (is_cube && next[k] < n[k]) {
                add_link(p, middle_node(l, at[0], at[1], at[2]),
                         middle_node(l, next[0], next[1], next[2]));
            }
        }
        for (int k = 0; is_cube && k < 8; k++) {
            add_link(p, middle_node(l, at[0], at[1], at[2]),
                     corner_node(l, at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)));
        }
    }
    return p->links != NULL;
}

// Moves the nodes of the sheet to where the sheet is, as far as every cell stays open.
static void open_cells(lattice *l)
{
    wri_plate *p = l->plate;
    double least = LEAST_OPEN * CELL_VOLUME * p->pitch * p->pitch * p->pitch;
    double(*base)[3] = l->base;
    memcpy(base, p->rest, (size_t)p->count * sizeof *base);
    for (int i = 0; i < p->count; i++) {
        p->share[i] = p->area[i] > 0.0;
        for (int k = 0; k < 3 && p->area[i] > 0.0; k++) {
            l->target[i][k] /= p->area[i];
        }
    }
    for (int round = 0, shut = 1; shut > 0 && round < OPENING_ROUNDS; round++) {
        for (int i = 0; i < p->count; i++) {
            for (int k = 0; k < 3; k++) {
                p->rest[i][k] = base[i][k] + p->share[i] * (l->target[i][k] - base[i][k]);
            }
        }
        shut = 0;
        for (int i = 0; i < p->cell_count; i++) {
            const int *v = p->cells[i].nodes;
            if (wri_cell_volume((const double(*)[3])p->rest, v) < least) {
                shut++;
                for (int k = 0; k < 4; k++) {
                    p->share[v[k]] *= 0.85;
                }
            }
        }
    }
}

// --- places of the mesh -----------------------------------------------------------------------

// Shares of the corners in a point; the least of them.
static double cell_weights(const wri_plate *p, const int nodes[4], const double x[3],
                           double weights[4])
{
    double corners[5][3], least = INFINITY;
    const int index[4] = {0, 1, 2, 3};
    for (int c = 0; c < 4; c++) {
        memcpy(corners[c], p->rest[nodes[c]], sizeof corners[c]);
    }
    memcpy(corners[4], x, sizeof corners[4]);
    double whole = wri_cell_volume((const double(*)[3])corners, index);
    for (int c = 0; c < 4; c++) {
        int with[4] = {0, 1, 2, 3};
        with[c] = 4;
        weights[c] = wri_cell_volume((const double(*)[3])corners, with) / whole;
        least = fmin(least, weights[c]);
    }
    return least;
}

// Looks at the cells of the cubes around; the best of them is kept.
static double find_home(const lattice *l, const double x[3], int reach, int place)
{
    wri_plate *p = l->plate;
    double at[3], best = -INFINITY;
    int low[3], high[3];
    to_lattice(l, x, at);
    for (int k = 0; k < 3; k++) {
        low[k] = (int)at[k] - reach > 0 ? (int)at[k] - reach : 0;
        high[k] = (int)at[k] + reach < l->cubes[k] ? (int)at[k] + reach : l->cubes[k];
    }
    for (int c = low[2]; c < high[2]; c++) {
        for (int b = low[1]; b < high[1]; b++) {
            int row = (c * l->cubes[1] + b) * l->cubes[0];
            for (int i = l->first_cell[row + low[0]]; i < l->first_cell[row + high[0]]; i++) {
                double weights[4], least = cell_weights(p, p->cells[i].nodes, x, weights);
                if (least > best) {
                    best = least;
                    memcpy(p->home[place], p->cells[i].nodes, sizeof p->home[place]);
                    memcpy(p->weights[place], weights, sizeof weights);
                }
            }
        }
    }
    return best;
}

static bool find_homes(lattice *l, const wri_topology *s)
{
    wri_plate *p = l->plate;
    size_t count = (size_t)s->place_count;
    p->home = wri_arena_alloc(p->arena, count, sizeof *p->home);
    p->weights = wri_arena_alloc(p->arena, count, sizeof *p->weights);
    for (int i = 0; p->home && p->weights && i < s->place_count; i++) {
        double x[3];
        place_point(p, s, i, x);
        if (find_home(l, x, 1, i) < 0.0) {
            find_home(l, x, 3, i);
        }
    }
    return p->home && p->weights;
}

bool wri_plate_fill(wri_plate *plate, const double axes[3][3], double pitch)
{
    const wri_topology *topology = &plate->topology;
    plate->pitch = pitch;
    lattice l = {.plate = plate, .axes = axes};
    if (!set_extent(&l, topology)) {
        return false;
    }
    place_nodes(&l);
    if (!sample_mesh(&l, topology) || !set_flaws(&l) || !add_cells(&l) || !add_links(&l)) {
        return false;
    }
    open_cells(&l);
    return find_homes(&l, topology);
}
