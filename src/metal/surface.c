// surface.c: the boundary of the elements, and the edges along which distance is measured.
//
// Distance along the edges of a regular lattice is up to a third too long across its axes. Two
// elements that share a face get one more edge, straight through it between their far corners,
// where that line does pass through it: the body is solid there.
#include "metal.h"

#include <stdlib.h>

static const int FACES[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}; // seen from outside

typedef struct face {
    int sorted[3];
    int element, corner; // the corner it lies opposite to
} face;

static int compare_faces(const void *a, const void *b)
{
    const face *f = a, *g = b;
    for (int k = 0; k < 3; k++) {
        if (f->sorted[k] != g->sorted[k]) {
            return f->sorted[k] < g->sorted[k] ? -1 : 1;
        }
    }
    int p = 4 * f->element + f->corner, q = 4 * g->element + g->corner;
    return (p > q) - (p < q);
}

static bool same_face(const face *f, const face *g)
{
    return memcmp(f->sorted, g->sorted, sizeof f->sorted) == 0;
}

static void swap_if(int *a, int *b)
{
    if (*a > *b) {
        int t = *a;
        *a = *b;
        *b = t;
    }
}

// Lists all faces of all elements, equal ones next to each other.
static face *list_faces(const wr_metal_asset *asset, wri_arena *temporary)
{
    face *faces = wri_arena_alloc(temporary, 4 * (size_t)asset->element_count, sizeof *faces);
    for (int t = 0; faces && t < asset->element_count; t++) {
        const int *v = &asset->elements[4 * (size_t)t];
        for (int k = 0; k < 4; k++) {
            face *f = &faces[4 * (size_t)t + (size_t)k];
            *f = (face){{v[FACES[k][0]], v[FACES[k][1]], v[FACES[k][2]]}, t, k};
            swap_if(&f->sorted[0], &f->sorted[1]);
            swap_if(&f->sorted[1], &f->sorted[2]);
            swap_if(&f->sorted[0], &f->sorted[1]);
        }
    }
    if (faces) {
        qsort(faces, 4 * (size_t)asset->element_count, sizeof *faces, compare_faces);
    }
    return faces;
}

static int compare_triangles(const void *a, const void *b)
{
    const face *f = a, *g = b;
    int p = 4 * f->element + f->corner, q = 4 * g->element + g->corner;
    return (p > q) - (p < q);
}

// Moves the faces of one element only to the front, in the order of the elements. Returns how many.
static int keep_boundary(face *faces, int count)
{
    int kept = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && same_face(&faces[begin], &faces[end]); end++) {
        }
        if (end == begin + 1) {
            faces[kept++] = faces[begin];
        }
    }
    qsort(faces, (size_t)kept, sizeof *faces, compare_triangles);
    return kept;
}

static bool list_triangles_of_vertices(wr_metal_asset *asset)
{
    size_t n = (size_t)asset->N, corners = 3 * (size_t)asset->triangle_count;
    asset->triangles_begin = wri_arena_alloc(&asset->arena, n + 2, sizeof(int));
    asset->triangles_of = wri_arena_alloc(&asset->arena, corners, sizeof(int));
    asset->surface = wri_arena_alloc(&asset->arena, n, sizeof(int));
    if (!asset->triangles_begin || !asset->triangles_of || !asset->surface) {
        return false;
    }
    int *next = asset->triangles_begin + 1; // ends up shifted by one: the beginnings
    for (size_t i = 0; i < corners; i++) {
        next[asset->triangles[i] + 1]++;
    }
    for (int i = 0; i < asset->N; i++) {
        if (next[i + 1] > 0) {
            asset->surface[asset->surface_count++] = i;
        }
        next[i + 1] += next[i];
    }
    for (size_t i = 0; i < corners; i++) {
        asset->triangles_of[next[asset->triangles[i]]++] = (int)(i / 3);
    }
    asset->surface_begin = wri_arena_alloc(&asset->arena, (size_t)asset->F + 1, sizeof(int));
    for (int i = 0; asset->surface_begin && i < asset->surface_count; i++) {
        int fragment = asset->fragments ? asset->fragments[asset->surface[i]] : 0;
        asset->surface_begin[fragment + 1] = i + 1;
    }
    for (int f = 0; asset->surface_begin && f < asset->F; f++) {
        int *end = &asset->surface_begin[f + 1];
        *end = *end > asset->surface_begin[f] ? *end : asset->surface_begin[f];
    }
    return asset->surface_begin != NULL;
}

// --- the outside of a body that was cut -------------------------------------------------------

static int origin_of(const wr_metal_asset *asset, int vertex)
{
    return asset->fragments ? asset->origins[vertex] : vertex;
}

// As list_faces, of the body before it was cut; `corner` is then the origin of the corner opposite.
static face *list_origin_faces(const wr_metal_asset *asset, wri_arena *temporary)
{
    size_t count = 4 * (size_t)asset->element_count;
    face *faces = wri_arena_alloc(temporary, count, sizeof *faces);
    for (size_t i = 0; faces && i < count; i++) {
        const int *v = &asset->elements[i / 4 * 4], *f = FACES[i % 4];
        faces[i] = (face){
            {origin_of(asset, v[f[0]]), origin_of(asset, v[f[1]]), origin_of(asset, v[f[2]])},
            (int)(i / 4),
            origin_of(asset, v[i % 4])};
        swap_if(&faces[i].sorted[0], &faces[i].sorted[1]);
        swap_if(&faces[i].sorted[1], &faces[i].sorted[2]);
        swap_if(&faces[i].sorted[0], &faces[i].sorted[1]);
    }
    if (faces) {
        qsort(faces, count, sizeof *faces, compare_faces);
    }
    return faces;
}

static const face *find_face(const face *faces, int count, const face *wanted)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool before = false;
        for (int k = 0; k < 3; k++) {
            if (faces[middle].sorted[k] != wanted->sorted[k]) {
                before = faces[middle].sorted[k] < wanted->sorted[k];
                break;
            }
        }
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < count && same_face(&faces[low], wanted) ? &faces[low] : NULL;
}

// Whether one element of the uncut body alone had a face: all copies of it have the same corner
// opposite.
static bool is_outer(const wr_metal_asset *asset, const face *origins, const face *f,
                     bool *is_first)
{
    int count = 4 * asset->element_count;
    const int *v = &asset->elements[4 * (size_t)f->element];
    face wanted = {{origin_of(asset, v[FACES[f->corner][0]]),
                    origin_of(asset, v[FACES[f->corner][1]]),
                    origin_of(asset, v[FACES[f->corner][2]])},
                   0,
                   0};
    swap_if(&wanted.sorted[0], &wanted.sorted[1]);
    swap_if(&wanted.sorted[1], &wanted.sorted[2]);
    swap_if(&wanted.sorted[0], &wanted.sorted[1]);
    const face *first = find_face(origins, count, &wanted);
    bool outer = first != NULL;
    for (const face *g = first; outer && g < origins + count && same_face(g, first); g++) {
        outer = g->corner == first->corner;
    }
    *is_first = outer && first->element == f->element;
    return outer;
}

// Moves the faces on the outside to the front, of several copies of one the first before all
// others; shares: of elements, see wr_fracture.
static bool find_outer(wr_metal_asset *asset, face *faces, int count, const float *shares,
                       wri_arena *temporary)
{
    const face *origins = list_origin_faces(asset, temporary);
    face *sorted = wri_arena_alloc(temporary, (size_t)count, sizeof *sorted);
    asset->outer_shares = wri_arena_alloc(&asset->arena, (size_t)count, sizeof(float));
    int kept = 0;
    if (!origins || !sorted || !asset->outer_shares) {
        return false;
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < count; i++) {
            bool is_first, outer = is_outer(asset, origins, &faces[i], &is_first);
            if (round == (is_first ? 0 : outer ? 1 : 2)) {
                const float *s = &shares[4 * (size_t)faces[i].element];
                asset->outer_shares[kept] = s[0] + s[1] + s[2] + s[3];
                sorted[kept++] = faces[i];
            }
        }
        asset->first_count = round == 0 ? kept : asset->first_count;
        asset->outer_count = round == 1 ? kept : asset->outer_count;
    }
    memcpy(faces, sorted, (size_t)count * sizeof *sorted);
    return true;
}

bool wri_metal_find_surface(wr_metal_asset *asset, const float *shares, wri_arena *temporary)
{
    face *faces = list_faces(asset, temporary);
    if (!faces) {
        return false;
    }
    asset->triangle_count = keep_boundary(faces, 4 * asset->element_count);
    asset->outer_count = asset->first_count = asset->fragments ? 0 : asset->triangle_count;
    if (asset->fragments && !find_outer(asset, faces, asset->triangle_count, shares, temporary)) {
        return false;
    }
    asset->triangles =
        wri_arena_alloc(&asset->arena, 3 * (size_t)asset->triangle_count, sizeof(int));
    if (!asset->triangles) {
        return false;
    }
    for (int i = 0; i < asset->triangle_count; i++) {
        const int *v = &asset->elements[4 * (size_t)faces[i].element];
        for (int k = 0; k < 3; k++) {
            asset->triangles[3 * i + k] = v[FACES[faces[i].corner][k]];
        }
    }
    return list_triangles_of_vertices(asset);
}

// --- edges ------------------------------------------------------------------------------------

static int compare_keys(const void *a, const void *b)
{
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

static uint64_t pair_key(int a, int b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

// Returns six times the volume of the tetrahedron.
static double volume(const wr_vec3 *p, int a, int b, int c, int d)
{
    double u[3] = {(double)p[b].x - p[a].x, (double)p[b].y - p[a].y, (double)p[b].z - p[a].z};
    double v[3] = {(double)p[c].x - p[a].x, (double)p[c].y - p[a].y, (double)p[c].z - p[a].z};
    double w[3] = {(double)p[d].x - p[a].x, (double)p[d].y - p[a].y, (double)p[d].z - p[a].z};
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
           (u[0] * v[1] - u[1] * v[0]) * w[2];
}

// Says whether the line from p to q passes through the face, or touches its rim.
static bool line_passes(const wr_vec3 *rest, const int f[3], int p, int q)
{
    double a = volume(rest, p, q, f[0], f[1]), b = volume(rest, p, q, f[1], f[2]),
           c = volume(rest, p, q, f[2], f[0]);
    double touch = 1e-5 * (fabs(a) + fabs(b) + fabs(c));
    return (a >= -touch && b >= -touch && c >= -touch) || (a <= touch && b <= touch && c <= touch);
}

static int list_pairs(const wr_metal_asset *asset, const face *faces, uint64_t *pairs)
{
    int count = 0;
    for (int t = 0; t < asset->element_count; t++) {
        const int *v = &asset->elements[4 * (size_t)t];
        for (int i = 0; i < 4; i++) {
            for (int j = i + 1; j < 4; j++) {
                pairs[count++] = pair_key(v[i], v[j]);
            }
        }
    }
    for (int i = 0; i + 1 < 4 * asset->element_count; i++) {
        if (same_face(&faces[i], &faces[i + 1])) {
            int p = asset->elements[4 * (size_t)faces[i].element + (size_t)faces[i].corner];
            int q = asset->elements[4 * (size_t)faces[i + 1].element + (size_t)faces[i + 1].corner];
            if (p != q && line_passes(asset->rest, faces[i].sorted, p, q)) {
                pairs[count++] = pair_key(p, q);
            }
        }
    }
    return count;
}

int wri_metal_list_links(const wr_metal_asset *asset, wri_arena *temporary, uint64_t *pairs)
{
    int *last = wri_arena_alloc(temporary, (size_t)asset->N, sizeof *last); // copy of an origin + 1
    int *before = wri_arena_alloc(temporary, (size_t)asset->N, sizeof *before); // of each vertex
    int count = 0;
    for (int v = 0; last && before && asset->fragments && v < asset->N; v++) {
        before[v] = last[asset->origins[v]];
        last[asset->origins[v]] = v + 1;
        for (int w = before[v] - 1; w >= 0; w = before[w] - 1) {
            if (asset->bond_between[asset->fragments[v] * asset->F + asset->fragments[w]] >= 0) {
                if (pairs) {
                    pairs[count] = pair_key(v, w);
                }
                count++;
            }
        }
    }
    return last && before ? count : -1;
}

// --- shells ------------------------------------------------------------------------------------

static int find_root(int *parents, int v)
{
    while (parents[v] != v) {
        v = parents[v] = parents[parents[v]];
    }
    return v;
}

typedef struct place {
    float x;
    int vertex;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x)
                        : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

// Returns the nearest vertex of another shell within the gap, -1: none. Looks from places[i] one
// way.
static int look_along(const wr_metal_asset *asset, const int *shells, const place *places, int i,
                      int step, float *gap)
{
    int v = places[i].vertex, best = -1;
    for (int k = i + step; k >= 0 && k < asset->surface_count; k += step) {
        int to = places[k].vertex;
        if (fabsf(places[k].x - places[i].x) > *gap) {
            break;
        }
        float d = shells[to] != shells[v] ? wr_distance(asset->rest[v], asset->rest[to]) : INFINITY;
        if (d <= *gap) {
            *gap = d;
            best = to;
        }
    }
    return best;
}

static bool hold_together(const wr_metal_asset *asset, int v, int w)
{
    int a = asset->fragments ? asset->fragments[v] : 0,
        b = asset->fragments ? asset->fragments[w] : 0;
    return a == b || asset->bond_between[a * asset->F + b] >= 0;
}

// A barrel's lid and its bung, or the planks of a crate, are shells that share no vertices but hang
// together. Every surface vertex is joined to the nearest one of another shell within the gap.
static int join_shells(const wr_metal_asset *asset, float gap, uint64_t *pairs, int count,
                       wri_arena *temporary)
{
    int *shells = wri_arena_alloc(temporary, (size_t)asset->N, sizeof *shells);
    place *places = wri_arena_alloc(temporary, (size_t)asset->surface_count, sizeof *places);
    if (!shells || !places) {
        return -1;
    }
    for (int i = 0; i < asset->N; i++) {
        shells[i] = i;
    }
    for (int i = 0; i < count; i++) {
        int a = find_root(shells, (int)(pairs[i] >> 32)),
            b = find_root(shells, (int)(uint32_t)pairs[i]);
        shells[a < b ? b : a] = a < b ? a : b;
    }
    for (int i = 0; i < asset->N; i++) {
        shells[i] = find_root(shells, i);
    }
    for (int i = 0; i < asset->surface_count; i++) {
        places[i] = (place){asset->rest[asset->surface[i]].x, asset->surface[i]};
    }
    qsort(places, (size_t)asset->surface_count, sizeof *places, compare_places);
    for (int i = 0; i < asset->surface_count && gap > 0.0f; i++) {
        float near = gap;
        int left = look_along(asset, shells, places, i, -1, &near);
        int right = look_along(asset, shells, places, i, 1, &near);
        int to = right >= 0 ? right : left, from = places[i].vertex;
        if (to >= 0 && hold_together(asset, from, to)) {
            pairs[count++] = pair_key(from, to);
        }
    }
    return count;
}

static int sort_pairs(uint64_t *pairs, int count)
{
    qsort(pairs, (size_t)count, sizeof *pairs, compare_keys);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if ((i == 0 || pairs[i] != pairs[i - 1]) && pairs[i] >> 32 != (pairs[i] & 0xffffffff)) {
            pairs[kept++] = pairs[i];
        }
    }
    return kept;
}

bool wri_metal_find_edges(wr_metal_asset *asset, float gap, wri_arena *temporary)
{
    face *faces = list_faces(asset, temporary);
    int links = wri_metal_list_links(asset, temporary, NULL);
    size_t most = 10 * (size_t)asset->element_count + (size_t)asset->surface_count +
                  (size_t)(links > 0 ? links : 0);
    uint64_t *pairs = wri_arena_alloc(temporary, most, sizeof *pairs);
    asset->neighbours_begin = wri_arena_alloc(&asset->arena, (size_t)asset->N + 2, sizeof(int));
    if (!faces || !pairs || !asset->neighbours_begin || links < 0) {
        return false;
    }
    int count = list_pairs(asset, faces, pairs);
    links = wri_metal_list_links(asset, temporary, pairs + count);
    count = links < 0 ? -1 : join_shells(asset, gap, pairs, count + links, temporary);
    if (count < 0) {
        return false;
    }
    count = sort_pairs(pairs, count);
    asset->neighbours =
        wri_arena_alloc(&asset->arena, 2 * (size_t)count, sizeof *asset->neighbours);
    if (!asset->neighbours) {
        return false;
    }
    int *next = asset->neighbours_begin + 1;
    for (int i = 0; i < count; i++) {
        next[(pairs[i] >> 32) + 1]++;
        next[(uint32_t)pairs[i] + 1]++;
    }
    for (int i = 0; i < asset->N; i++) {
        next[i + 1] += next[i];
    }
    for (int i = 0; i < count; i++) {
        int a = (int)(pairs[i] >> 32), b = (int)(uint32_t)pairs[i];
        float length = wr_distance(asset->rest[a], asset->rest[b]);
        asset->neighbours[next[a]++] = (wri_neighbour){b, length};
        asset->neighbours[next[b]++] = (wri_neighbour){a, length};
    }
    return true;
}
