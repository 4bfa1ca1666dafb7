// morph_bones.c: which nodes are fixed to bones.                                    thesis 5.2
//
// Nodes of tetrahedra that a bone crosses move with the skeleton alone, unless they lie on the
// surface. A bone that holds no node this way, because it lies outside or all of its tetrahedra
// touch the surface, holds the nearest nodes inside that follow it most; on the surface where there
// are none, or where all would lie on one line.
#include "morph_modes.h"

#include "../math/decompose.h"

#include <stdlib.h>

enum { HELD = 4 };               // nodes that a bone holds at least
static const float LOAD = 1e-3f; // sum of weights below which a bone carries nothing

// --- the surface --------------------------------------------------------------------------------

typedef struct face {
    int nodes[3]; // ascending
} face;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(face));
}

static face make_face(int a, int b, int c)
{
    face f = {{a, b, c}};
    wri_sort_ints(f.nodes, 3);
    return f;
}

static bool mark_surface(wri_morph_builder *b, uint8_t *marks)
{
    const wr_morph_data *d = b->data;
    size_t count = 4 * (size_t)d->tet_count;
    face *faces = wri_alloc(b->desc->allocator, count, sizeof *faces);
    for (size_t i = 0; faces && i < count; i++) {
        const int *t = d->tets + 4 * (i / 4);
        faces[i] = make_face(t[(i + 1) % 4], t[(i + 2) % 4], t[(i + 3) % 4]);
    }
    if (faces) {
        qsort(faces, count, sizeof *faces, compare_faces);
    }
    for (size_t i = 0; faces && i < count;) {
        size_t end = i + 1;
        while (end < count && compare_faces(&faces[i], &faces[end]) == 0) {
            end++;
        }
        for (int k = 0; end == i + 1 && k < 3; k++) {
            marks[faces[i].nodes[k]] = 1;
        }
        i = end;
    }
    wri_free(b->desc->allocator, faces, count, sizeof *faces);
    return faces != NULL;
}

// --- bones --------------------------------------------------------------------------------------

// Whether the way from a to c meets a tetrahedron: each of its four barycentric coordinates, linear
// along the way, allows a part of it.
static bool crosses(const wr_morph_data *d, int tet, wr_vec3 a, wr_vec3 c)
{
    double low = 0.0, high = 1.0;
    const int *t = d->tets + 4 * (ptrdiff_t)tet;
    for (int i = 0; i < 4; i++) {
        wr_vec3 p = d->nodes[t[(i + 1) % 4]], q = d->nodes[t[(i + 2) % 4]];
        wr_vec3 r = d->nodes[t[(i + 3) % 4]];
        wr_vec3 normal = wr_cross(wr_sub(q, p), wr_sub(r, p));
        double own = (double)wr_dot(normal, wr_sub(d->nodes[t[i]], p));
        double at = (double)wr_dot(normal, wr_sub(a, p)) / own;
        double slope = (double)wr_dot(normal, wr_sub(c, a)) / own;
        if (slope == 0.0) {
            high = at < 0.0 ? -1.0 : high;
        } else if (slope > 0.0) {
            low = fmax(low, -at / slope);
        } else {
            high = fmin(high, -at / slope);
        }
    }
    return low <= high;
}

static float distance_to(wr_vec3 p, wr_vec3 a, wr_vec3 c)
{
    wr_vec3 along = wr_sub(c, a);
    float square = wr_dot(along, along);
    float t = square > 0.0f ? wr_clampf(wr_dot(wr_sub(p, a), along) / square, 0.0f, 1.0f) : 0.0f;
    return wr_distance(p, wr_add_scaled(a, t, along));
}

static float weight_of(const wr_morph_data *d, int node, int bone)
{
    for (int i = 0; i < WRI_MORPH_BONES; i++) {
        if (d->node_bones[WRI_MORPH_BONES * node + i] == bone &&
            d->node_weights[WRI_MORPH_BONES * node + i] > 0.0f) {
            return d->node_weights[WRI_MORPH_BONES * node + i];
        }
    }
    return 0.0f;
}

static float load_of(const wr_morph_data *d, int bone)
{
    float load = 0.0f;
    for (int node = 0; node < d->node_count; node++) {
        load += weight_of(d, node, bone);
    }
    return load;
}

typedef struct hold {
    wri_morph_builder *b;
    const uint8_t *surface;
    int bone;
} hold;

// Fixes the nearest node that the bone moves most; false: there is none.
static bool hold_nearest(const hold *h, bool on_surface)
{
    wr_morph_data *d = h->b->data;
    const wri_morph_bone *bone = &h->b->desc->bones[h->bone];
    int best = -1;
    float nearest = INFINITY;
    for (int node = 0; node < d->node_count; node++) {
        bool is_own = d->node_bones[WRI_MORPH_BONES * node] == h->bone;
        if (!d->fixed[node] && is_own && (on_surface || !h->surface[node])) {
            float far = distance_to(d->nodes[node], bone->origin, bone->tail);
            if (far < nearest) {
                nearest = far;
                best = node;
            }
        }
    }
    if (best >= 0) {
        d->fixed[best] = 1;
    }
    return best >= 0;
}

// Whether the nodes that are held lie on one line, about which all could turn freely.
static bool are_in_line(const wri_morph_builder *b)
{
    const wr_morph_data *d = b->data;
    double mean[3] = {0.0}, spread[3][3] = {{0.0}}, values[3], axes[3][3];
    int count = 0;
    for (int node = 0; node < d->node_count; node++) {
        const double x[3] = {(double)d->nodes[node].x, (double)d->nodes[node].y,
                             (double)d->nodes[node].z};
        for (int i = 0; d->fixed[node] && i < 9; i++) {
            mean[i % 3] += i < 3 ? x[i] : 0.0;
            spread[i / 3][i % 3] += x[i / 3] * x[i % 3];
        }
        count += d->fixed[node];
    }
    for (int i = 0; i < 9; i++) {
        spread[i / 3][i % 3] -= mean[i / 3] * mean[i % 3] / count;
    }
    wri_eigen3d((const double(*)[3])spread, values, axes);
    return !(values[1] > 1e-6 * b->size * b->size);
}

static int hold_crossed(const hold *h)
{
    wr_morph_data *d = h->b->data;
    const wri_morph_bone *bone = &h->b->desc->bones[h->bone];
    int crossed = 0, held = 0;
    for (int tet = 0; tet < d->tet_count; tet++) {
        if (crosses(d, tet, bone->origin, bone->tail)) {
            crossed++;
            for (int i = 0; i < 4; i++) {
                int node = d->tets[4 * tet + i];
                held += !h->surface[node];
                d->fixed[node] = d->fixed[node] || !h->surface[node];
            }
        }
    }
    h->b->report->outside_bones += crossed == 0;
    return held;
}

static bool check_tails(const wri_morph_builder *b, wr_error *error)
{
    for (int i = 0; i < b->desc->bone_count; i++) {
        const wri_morph_bone *bone = &b->desc->bones[i];
        bool is_leaf = true;
        for (int k = 0; k < b->desc->bone_count; k++) {
            is_leaf = is_leaf && b->desc->bones[k].parent != i;
        }
        if (is_leaf && b->desc->bone_count > 1 && load_of(b->data, i) > LOAD &&
            !(wr_distance(bone->origin, bone->tail) > 1e-6f * (float)b->size)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "bone %d has neither a child nor a tail: nothing says what it "
                            "holds",
                            i);
        }
    }
    return true;
}

bool wri_morph_fix_bones(wri_morph_builder *b, wr_error *error)
{
    wr_morph_data *d = b->data;
    uint8_t *surface = wri_arena_alloc(&b->arena, (size_t)d->node_count, 1);
    if (!surface || !mark_surface(b, surface)) {
        return wri_fail_memory(error, 0);
    }
    if (!check_tails(b, error)) {
        return false;
    }
    int most_loaded = 0;
    float most = 0.0f;
    for (int bone = 0; bone < d->bone_count; bone++) {
        hold h = {b, surface, bone};
        float load = load_of(d, bone);
        if (load > most) {
            most = load;
            most_loaded = bone;
        }
        if (load > LOAD) {
            int held = hold_crossed(&h);
            while (held < HELD && hold_nearest(&h, false)) {
                held++;
            }
            while (held == 0 && hold_nearest(&h, true)) {
                held++;
            }
        }
    }
    hold more = {b, surface, most_loaded};
    while (are_in_line(b) && hold_nearest(&more, true)) {
    }
    for (int node = 0; node < d->node_count; node++) {
        b->free_of[node] = d->fixed[node] ? -1 : b->free_count++;
        b->report->fixed_count += d->fixed[node];
    }
    return b->free_count > 0 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "bones hold all %d nodes: the simulation mesh is too coarse", d->node_count);
}

void wri_morph_find_tails(const wr_vec3 *vertices, int vertex_count, const float *vertex_weights,
                          int bone_count, wri_morph_bone *bones)
{
    for (int i = 0; i < bone_count; i++) {
        wr_vec3 sum = {0.0f, 0.0f, 0.0f};
        int children = 0;
        for (int k = 0; k < bone_count; k++) {
            if (bones[k].parent == i) {
                sum = wr_add(sum, bones[k].origin);
                children++;
            }
        }
        if (children > 0) {
            bones[i].tail = wr_scale(1.0f / (float)children, sum);
            continue;
        }
        wr_vec3 mean = {0.0f, 0.0f, 0.0f}; // of what it carries
        float load = 0.0f;
        for (int v = 0; v < vertex_count; v++) {
            float w = vertex_weights[(ptrdiff_t)v * bone_count + i];
            mean = wr_add_scaled(mean, w, vertices[v]);
            load += w;
        }
        bones[i].tail = load > 0.0f
                            ? wr_add_scaled(bones[i].origin, 1.5f,
                                            wr_sub(wr_scale(1.0f / load, mean), bones[i].origin))
                            : bones[i].origin;
    }
}
