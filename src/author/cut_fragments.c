// cut_fragments.c: chunks that hold together are fragments, and what holds these together are
// bonds.
//
// Chunks of one cell hold together through the faces of their elements. Shells that share no vertex
// but nearly touch (a lid and its bung, the planks of a crate) belong together as well, as they do
// for dents. Fragments that are hardly there go to the neighbour they share most with.
#include "cut.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_FACE 1e-9 // part of a face through which chunks hold together
#define LEAST_PART 1e-3 // of the body's volume: smaller fragments are none
#define GAP 0.05        // of the body's size, between shells that nearly touch

typedef struct finder {
    const wri_cells *cells;
    wri_cut_solid *solid;
    wri_arena arena;
    int *parents; // per chunk: those of one root are one fragment
    int *shells;  // per element: the shell of the uncut body
    int *sides;   // per seam: the chunk on its other side, -1: none
    float gap;
} finder;

static int find_root(int *parents, int i)
{
    while (parents[i] != i) {
        i = parents[i] = parents[parents[i]];
    }
    return i;
}

// The earlier root wins.
static void join(int *parents, int a, int b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    parents[a < b ? b : a] = a < b ? a : b;
}

static wri_chunk *chunk_at(const finder *f, int i)
{
    return &WRI_ITEM(f->solid->chunks, wri_chunk, i);
}

// --- what holds together ----------------------------------------------------------------------

typedef struct side {
    int vertices[3]; // sorted
    int element, corner;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->vertices[k] != q->vertices[k]) {
            return p->vertices[k] < q->vertices[k] ? -1 : 1;
        }
    }
    return (p->element > q->element) - (p->element < q->element);
}

static int compare_ints(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

static void join_across(finder *f, const int *begin, const side *p, const side *q)
{
    join(f->shells, p->element, q->element);
    for (int i = begin[p->element]; i < begin[p->element + 1]; i++) {
        int other = wri_cut_find_chunk(f->solid, q->element, chunk_at(f, i)->cell);
        if (other >= 0 && chunk_at(f, i)->faces[p->corner] > LEAST_FACE &&
            chunk_at(f, other)->faces[q->corner] > LEAST_FACE) {
            join(f->parents, i, other);
        }
    }
}

// Chunks are in the order of their elements.
static bool join_neighbours(finder *f)
{
    const wr_rig *rig = &f->cells->asset->rig;
    size_t count = 4 * (size_t)rig->element_count;
    side *sides = wri_arena_alloc(&f->arena, count, sizeof *sides);
    int *begin = wri_arena_alloc(&f->arena, (size_t)rig->element_count + 1, sizeof *begin);
    if (!sides || !begin) {
        return false;
    }
    for (int i = 0; i < f->solid->chunks.count; i++) {
        begin[chunk_at(f, i)->element + 1] = i + 1;
    }
    for (int e = 0; e < rig->element_count; e++) { // some have none: too small
        begin[e + 1] = begin[e + 1] > begin[e] ? begin[e + 1] : begin[e];
    }
    for (size_t i = 0; i < count; i++) {
        sides[i] = (side){.element = (int)(i / 4), .corner = (int)(i % 4)};
        for (size_t k = 0, n = 0; k < 4; k++) {
            if (k != i % 4) {
                sides[i].vertices[n++] = rig->elements[i / 4 * 4 + k];
            }
        }
        qsort(sides[i].vertices, 3, sizeof(int), compare_ints);
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    for (size_t i = 0; i + 1 < count; i++) {
        if (memcmp(sides[i].vertices, sides[i + 1].vertices, sizeof sides[i].vertices) == 0) {
            join_across(f, begin, &sides[i], &sides[i + 1]);
        }
    }
    return true;
}

// --- shells that nearly touch -----------------------------------------------------------------

typedef struct spot {
    float x;
    int chunk;
} spot;

static int compare_spots(const void *a, const void *b)
{
    const spot *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
                        : (p->chunk > q->chunk) - (p->chunk < q->chunk);
}

static bool are_near(wr_box a, wr_box b, float gap)
{
    return a.min.x <= b.max.x + gap && b.min.x <= a.max.x + gap && a.min.y <= b.max.y + gap &&
           b.min.y <= a.max.y + gap && a.min.z <= b.max.z + gap && b.min.z <= a.max.z + gap;
}

// Area that two boxes face each other with: the two longest sides of what they share, with the gap.
static double shared_area(wr_box a, wr_box b, float gap)
{
    const float *low[2] = {&a.min.x, &b.min.x}, *high[2] = {&a.max.x, &b.max.x};
    double extent[3], least = INFINITY, product = 1.0;
    for (int k = 0; k < 3; k++) {
        extent[k] = (double)(fminf(high[0][k], high[1][k]) - fmaxf(low[0][k], low[1][k]) + gap);
        least = fmin(least, extent[k]);
        product *= extent[k];
    }
    return least > 0.0 ? product / least : 0.0;
}

// A pair of chunks of different shells. In one cell they are one fragment; else fragments may be
// held together there.
static bool meet_shells(finder *f, int a, int b, wri_array *touching)
{
    const wri_chunk *p = chunk_at(f, a), *q = chunk_at(f, b);
    if (p->cell == q->cell) {
        join(f->parents, a, b);
        return true;
    }
    wri_seam *seam = wri_array_add(touching, 1);
    if (seam) {
        wr_vec3 at =
            wr_scale(0.25f, wr_add(wr_add(p->box.min, p->box.max), wr_add(q->box.min, q->box.max)));
        double area = shared_area(p->box, q->box, f->gap);
        wr_vec3 d =
            wr_normalize(wr_sub(wr_add(q->box.min, q->box.max), wr_add(p->box.min, p->box.max)));
        *seam = (wri_seam){.chunk = a, .cut = -1, .label = b, .area = area};
        const float *x = &at.x, *n = &d.x;
        for (int k = 0; k < 3; k++) {
            seam->first[k] = area * (double)x[k];
            seam->normal[k] = area * (double)n[k];
        }
        seam->second = area * (double)wr_dot(at, at) + area * area / 6.0;
    }
    return seam != NULL;
}

static bool join_shells(finder *f, wri_array *touching)
{
    int count = f->solid->chunks.count;
    spot *spots = wri_arena_alloc(&f->arena, (size_t)count, sizeof *spots);
    if (!spots) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        spots[i] = (spot){chunk_at(f, i)->box.min.x, i};
    }
    qsort(spots, (size_t)count, sizeof *spots, compare_spots);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        const wri_chunk *p = chunk_at(f, spots[i].chunk);
        int shell = find_root(f->shells, p->element);
        for (int k = i + 1; ok && k < count && spots[k].x <= p->box.max.x + f->gap; k++) {
            const wri_chunk *q = chunk_at(f, spots[k].chunk);
            if (find_root(f->shells, q->element) != shell && are_near(p->box, q->box, f->gap)) {
                ok = meet_shells(f, spots[i].chunk, spots[k].chunk, touching);
            }
        }
    }
    return ok;
}

// --- too small --------------------------------------------------------------------------------

static void find_sides(finder *f)
{
    for (int i = 0; i < f->solid->seams.count; i++) {
        const wri_seam *seam = &WRI_ITEM(f->solid->seams, wri_seam, i);
        const wri_chunk *chunk = chunk_at(f, seam->chunk);
        int cell = wri_cell_find_beside(f->cells, chunk->cell, seam->cut, seam->label);
        f->sides[i] = cell < 0 ? -1 : wri_cut_find_chunk(f->solid, chunk->element, cell);
    }
}

// The root that a fragment shares most area with, -1: none.
static int find_most(finder *f, int root, double *areas)
{
    int best = -1;
    memset(areas, 0, (size_t)f->solid->chunks.count * sizeof *areas);
    for (int i = 0; i < f->solid->seams.count; i++) {
        const wri_seam *seam = &WRI_ITEM(f->solid->seams, wri_seam, i);
        int a = find_root(f->parents, seam->chunk);
        int b = f->sides[i] < 0 ? a : find_root(f->parents, f->sides[i]);
        int other = a == root ? b : b == root ? a : root;
        if (other != root) {
            areas[other] += seam->area;
            best = best < 0 || areas[other] > areas[best] ? other : best;
        }
    }
    return best;
}

static bool merge_small(finder *f)
{
    int count = f->solid->chunks.count;
    double *volumes = wri_arena_alloc(&f->arena, (size_t)count, sizeof *volumes);
    double *areas = wri_arena_alloc(&f->arena, (size_t)count, sizeof *areas), all = 0.0;
    if (!volumes || !areas) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        volumes[find_root(f->parents, i)] += chunk_at(f, i)->volume;
        all += chunk_at(f, i)->volume;
    }
    for (int i = 0; i < count; i++) {
        if (find_root(f->parents, i) == i && volumes[i] < LEAST_PART * all) {
            int other = find_most(f, i, areas);
            if (other >= 0) {
                double sum = volumes[i] + volumes[other];
                join(f->parents, i, other);
                volumes[find_root(f->parents, i)] = sum;
            }
        }
    }
    return true;
}

// --- bonds ------------------------------------------------------------------------------------

// Sums over the faces between two fragments.
typedef struct sum {
    double area, strength, first[3], second, normal[3];
} sum;

static void add_to(sum *s, const wri_seam *seam, double strength, double sign)
{
    s->area += seam->area;
    s->strength += seam->area * strength;
    s->second += seam->second;
    for (int k = 0; k < 3; k++) {
        s->first[k] += seam->first[k];
        s->normal[k] += sign * seam->normal[k];
    }
}

static wr_bond bond_of(const sum *s, int a, int b)
{
    double at[3] = {s->first[0] / s->area, s->first[1] / s->area, s->first[2] / s->area};
    double spread = s->second / s->area - at[0] * at[0] - at[1] * at[1] - at[2] * at[2];
    wr_vec3 n = wr_v3((float)s->normal[0], (float)s->normal[1], (float)s->normal[2]);
    n = wr_length(n) > 0.0f ? wr_normalize(n) : wr_v3(0, 1, 0);
    return (wr_bond){.a = a,
                     .b = b,
                     .at = wr_v3((float)at[0], (float)at[1], (float)at[2]),
                     .normal = n,
                     .area = (float)s->area,
                     .radius = (float)sqrt(fmax(spread, 1e-6 * s->area)),
                     .strength = (float)(s->strength / s->area)};
}

static bool add_bond(finder *f, wr_bond bond)
{
    wr_bond *added = wri_array_add(&f->solid->bonds, 1);
    if (added) {
        *added = bond;
    }
    return added != NULL;
}

// Fragments that nothing else joins to the first stay with it for good.
static bool join_the_rest(finder *f)
{
    int count = f->solid->fragment_count;
    int groups[WR_FRAGMENTS_MAX];
    for (int i = 0; i < count; i++) {
        groups[i] = i;
    }
    for (int i = 0; i < f->solid->bonds.count; i++) {
        const wr_bond *bond = &WRI_ITEM(f->solid->bonds, wr_bond, i);
        join(groups, bond->a, bond->b);
    }
    bool ok = true;
    for (int i = 1; ok && i < count; i++) {
        if (find_root(groups, i) != find_root(groups, 0)) {
            join(groups, 0, i);
            ok = add_bond(f, (wr_bond){.a = 0, .b = i, .normal = {0, 1, 0}, .strength = 1.0f});
        }
    }
    return ok;
}

static bool find_bonds(finder *f, const wri_array *touching)
{
    int count = f->solid->fragment_count;
    sum *cut = wri_arena_alloc(&f->arena, (size_t)(count * count), sizeof *cut);
    sum *near = wri_arena_alloc(&f->arena, (size_t)(count * count), sizeof *near);
    if (!cut || !near) {
        return false;
    }
    for (int i = 0; i < f->solid->seams.count; i++) {
        const wri_seam *seam = &WRI_ITEM(f->solid->seams, wri_seam, i);
        int a = chunk_at(f, seam->chunk)->fragment;
        int b = f->sides[i] < 0 ? a : chunk_at(f, f->sides[i])->fragment;
        if (a < b) { // the other side has its seam, too
            add_to(&cut[a * count + b], seam, f->cells->asset->cuts[seam->cut].strength, 1.0);
        }
    }
    for (int i = 0; i < touching->count; i++) { // boxes overlap: the largest area counts
        const wri_seam *seam = &WRI_ITEM(*touching, wri_seam, i);
        int a = chunk_at(f, seam->chunk)->fragment, b = chunk_at(f, seam->label)->fragment;
        sum *s = &near[(a < b ? a : b) * count + (a < b ? b : a)];
        if (a != b && seam->area > s->area) {
            *s = (sum){0};
            add_to(s, seam, 1.0, a < b ? 1.0 : -1.0);
        }
    }
    bool ok = true;
    for (int i = 0; ok && i < count * count; i++) {
        const sum *s = cut[i].area > 0.0 ? &cut[i] : &near[i];
        ok = s->area == 0.0 || add_bond(f, bond_of(s, i / count, i % count));
    }
    return ok && join_the_rest(f);
}

// --- the whole --------------------------------------------------------------------------------

static float size_of(const wr_rig *rig)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < rig->vertex_count; i++) {
        box = wr_box_add(box, rig->rest[i]);
    }
    wr_vec3 size = wr_box_size(box);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static bool number_fragments(finder *f, wr_error *error)
{
    int count = f->solid->chunks.count, fragments = 0;
    for (int i = 0; i < count; i++) {
        int root = find_root(f->parents, i);
        chunk_at(f, i)->fragment = root == i ? fragments++ : chunk_at(f, root)->fragment;
    }
    f->solid->fragment_count = fragments;
    return fragments <= WR_FRAGMENTS_MAX ||
           wri_fail(error, WR_E_UNSUPPORTED, "make %d fragments, expected at most %d", fragments,
                    WR_FRAGMENTS_MAX);
}

bool wri_cut_find_fragments(const wri_cells *cells, wri_cut_solid *solid, wr_error *error)
{
    const wr_rig *rig = &cells->asset->rig;
    finder f = {.cells = cells, .solid = solid, .arena = wri_arena_create(NULL)};
    wri_array touching = wri_array_create(NULL, sizeof(wri_seam));
    f.parents = wri_arena_alloc(&f.arena, (size_t)solid->chunks.count, sizeof(int));
    f.sides = wri_arena_alloc(&f.arena, (size_t)solid->seams.count, sizeof(int));
    f.shells = wri_arena_alloc(&f.arena, (size_t)rig->element_count, sizeof(int));
    f.gap = (float)GAP * size_of(rig);
    bool ok = f.parents && f.sides && f.shells;
    for (int i = 0; ok && i < solid->chunks.count; i++) {
        f.parents[i] = i;
    }
    for (int i = 0; ok && i < rig->element_count; i++) {
        f.shells[i] = i;
    }
    ok = ok && join_neighbours(&f) && join_shells(&f, &touching);
    if (ok) {
        find_sides(&f);
    }
    wr_error why = {0};
    ok = ok && merge_small(&f) && number_fragments(&f, &why) && find_bonds(&f, &touching);
    wri_array_destroy(&touching);
    wri_arena_destroy(&f.arena);
    return ok || (why.code != WR_OK ? wri_fail(error, why.code, "%s", why.message)
                                    : wri_fail_memory(error, 1));
}
