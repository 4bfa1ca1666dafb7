// cut_solid.c: elements cut into chunks.
//
// All of it happens in barycentric coordinates w of one element after the other, in which a cut is
// a linear function given by its values at the four corners, and the element has the volume 1/6.
#include "cut.h"

#include "../math/double3.h"

#include <stdlib.h>

enum { FACES = 72, CORNERS = 72, OWN_FACES = 4 };
#define LEAST_VOLUME 1e-9 // part of an element that is worth a chunk
#define ON_FACE 1e-9      // barycentric

typedef struct polygon {
    int tag; // corner of the element it lies opposite to, or OWN_FACES + number of the clip
    int count;
    double w[CORNERS][4];
} polygon;

typedef struct clip {
    double values[4]; // at the corners; what is negative is cut off
    int cut, label;   // the cut, and its cell on the other side
} clip;

typedef struct polyhedron {
    int face_count, clip_count;
    polygon faces[FACES];
    clip clips[FACES];
} polyhedron;

typedef struct solid_cutter {
    wri_cells *cells;
    wri_cut_solid *solid;
    const wr_rig *rig;
    polyhedron *levels; // the whole element, then two per cut
    int element;
    double corners[4][3];
    double volume;           // m^3, of the element
    double gradients[4][3];  // of the barycentric coordinates
    const uint8_t *is_outer; // per element: bit per face
    bool too_many;
} solid_cutter;

static double value_at(const double values[4], const double w[4])
{
    return values[0] * w[0] + values[1] * w[1] + values[2] * w[2] + values[3] * w[3];
}

static void place_of(const solid_cutter *c, const double w[4], double p[3])
{
    for (int k = 0; k < 3; k++) {
        p[k] = w[0] * c->corners[0][k] + w[1] * c->corners[1][k] + w[2] * c->corners[2][k] +
               w[3] * c->corners[3][k];
    }
}

// --- clipping ---------------------------------------------------------------------------------

// What is left of a face; the points at which it is cut are added to the cap.
static void clip_face(const polygon *in, const double values[4], polygon *out, polygon *cap,
                      bool *too_many)
{
    out->tag = in->tag;
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        const double *a = in->w[i], *b = in->w[(i + 1) % in->count];
        double at_a = value_at(values, a), at_b = value_at(values, b);
        if (out->count + 2 > CORNERS || cap->count + 1 > CORNERS) {
            *too_many = true;
            return;
        }
        if (at_a >= 0.0) {
            memcpy(out->w[out->count++], a, sizeof out->w[0]);
        }
        if ((at_a >= 0.0) != (at_b >= 0.0)) { // from the inside out, so that both faces agree
            const double *in_w = at_a >= 0.0 ? a : b, *out_w = at_a >= 0.0 ? b : a;
            double s = at_a >= 0.0 ? at_a / (at_a - at_b) : at_b / (at_b - at_a);
            double *w = out->w[out->count++];
            for (int k = 0; k < 4; k++) {
                w[k] = in_w[k] + s * (out_w[k] - in_w[k]);
            }
            memcpy(cap->w[cap->count++], w, sizeof cap->w[0]);
        }
    }
}

typedef struct angled {
    double angle;
    double w[4];
} angled;

static int compare_angles(const void *a, const void *b)
{
    double p = ((const angled *)a)->angle, q = ((const angled *)b)->angle;
    return (p > q) - (p < q);
}

// Two directions across n.
static void find_basis(const double n[3], double u[3], double v[3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                        : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[3] = {least == 0, least == 1, least == 2};
    wri_cross3(n, axis, u);
    wri_cross3(n, u, v);
}

static void find_gradient(const solid_cutter *c, const double values[4], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = values[0] * c->gradients[0][k] + values[1] * c->gradients[1][k] +
                 values[2] * c->gradients[2][k] + values[3] * c->gradients[3][k];
    }
}

// The cap of a convex body is convex: its corners are sorted around its middle.
static void sort_cap(const solid_cutter *c, const double values[4], polygon *cap)
{
    angled list[CORNERS];
    double n[3], u[3], v[3], middle[3] = {0, 0, 0}, p[3];
    find_gradient(c, values, n);
    find_basis(n, u, v);
    for (int i = 0; i < cap->count; i++) {
        place_of(c, cap->w[i], p);
        for (int k = 0; k < 3; k++) {
            middle[k] += p[k] / cap->count;
        }
    }
    double size = wri_length3(u);
    for (int i = 0; i < cap->count; i++) {
        place_of(c, cap->w[i], p);
        for (int k = 0; k < 3; k++) {
            p[k] -= middle[k];
        }
        list[i].angle = atan2(wri_dot3(v, p), wri_dot3(u, p) * size);
        memcpy(list[i].w, cap->w[i], sizeof list[i].w);
    }
    qsort(list, (size_t)cap->count, sizeof *list, compare_angles);
    for (int i = 0; i < cap->count; i++) {
        memcpy(cap->w[i], list[i].w, sizeof cap->w[i]);
    }
}

// False: nothing is left.
static bool clip_all(solid_cutter *c, const polyhedron *in, const clip *by, polyhedron *out)
{
    polygon cap = {.tag = OWN_FACES + in->clip_count};
    out->face_count = 0;
    out->clip_count = in->clip_count;
    memcpy(out->clips, in->clips, (size_t)in->clip_count * sizeof *in->clips);
    for (int i = 0; i < in->face_count && !c->too_many; i++) {
        clip_face(&in->faces[i], by->values, &out->faces[out->face_count], &cap, &c->too_many);
        out->face_count += out->faces[out->face_count].count >= 3;
    }
    if (cap.count >= 3 && out->face_count > 0) {
        if (out->face_count == FACES || out->clip_count == FACES) {
            c->too_many = true;
            return false;
        }
        sort_cap(c, by->values, &cap);
        out->clips[out->clip_count++] = *by;
        polygon *face = &out->faces[out->face_count++];
        face->tag = cap.tag;
        face->count = cap.count;
        memcpy(face->w, cap.w, (size_t)cap.count * sizeof cap.w[0]);
    }
    return out->face_count >= 4;
}

// --- measures ---------------------------------------------------------------------------------

static double triangle_area2(const double a[3], const double b[3], const double c[3],
                             double normal[3])
{
    double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    wri_cross3(u, v, normal);
    return wri_length3(normal);
}

static double determinant(const double o[4], const double a[4], const double b[4],
                          const double c[4])
{
    double u[3] = {a[1] - o[1], a[2] - o[2], a[3] - o[3]};
    double v[3] = {b[1] - o[1], b[2] - o[2], b[3] - o[3]};
    double w[3] = {c[1] - o[1], c[2] - o[2], c[3] - o[3]}, cross[3];
    wri_cross3(u, v, cross);
    return wri_dot3(cross, w);
}

// Volume as a part of the element's, and its first moment.
static double find_moment(const polyhedron *p, double moment[4])
{
    double o[4] = {0}, volume = 0.0;
    int corners = 0;
    for (int i = 0; i < p->face_count; i++) {
        for (int j = 0; j < p->faces[i].count; j++, corners++) {
            for (int k = 0; k < 4; k++) {
                o[k] += p->faces[i].w[j][k];
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        o[k] /= corners;
        moment[k] = 0.0;
    }
    for (int i = 0; i < p->face_count; i++) {
        const polygon *f = &p->faces[i];
        for (int j = 1; j + 1 < f->count; j++) {
            double part = fabs(determinant(o, f->w[0], f->w[j], f->w[j + 1]));
            volume += part;
            for (int k = 0; k < 4; k++) {
                moment[k] += 0.25 * part * (o[k] + f->w[0][k] + f->w[j][k] + f->w[j + 1][k]);
            }
        }
    }
    return volume;
}

// Area of a face as a part of the element's: in the two coordinates that vary there.
static double find_face_share(const polygon *f)
{
    int a = (f->tag + 1) % 4, b = (f->tag + 2) % 4;
    double sum = 0.0;
    for (int j = 1; j + 1 < f->count; j++) {
        sum += fabs((f->w[j][a] - f->w[0][a]) * (f->w[j + 1][b] - f->w[0][b]) -
                    (f->w[j][b] - f->w[0][b]) * (f->w[j + 1][a] - f->w[0][a]));
    }
    return sum;
}

static bool add_seam(solid_cutter *c, int chunk, const polyhedron *p, const polygon *f)
{
    const clip *by = &p->clips[f->tag - OWN_FACES];
    wri_seam seam = {.chunk = chunk, .cut = by->cut, .label = by->label};
    double a[3], b[3], d[3], n[3], gradient[3];
    place_of(c, f->w[0], a);
    for (int j = 1; j + 1 < f->count; j++) {
        place_of(c, f->w[j], b);
        place_of(c, f->w[j + 1], d);
        double area = 0.5 * triangle_area2(a, b, d, n);
        double sum[3] = {a[0] + b[0] + d[0], a[1] + b[1] + d[1], a[2] + b[2] + d[2]};
        seam.area += area;
        for (int k = 0; k < 3; k++) {
            seam.first[k] += area * sum[k] / 3.0;
        }
        seam.second +=
            area / 12.0 * (wri_dot3(a, a) + wri_dot3(b, b) + wri_dot3(d, d) + wri_dot3(sum, sum));
    }
    find_gradient(c, by->values, gradient);
    double length = wri_length3(gradient);
    for (int k = 0; k < 3 && length > 0.0; k++) {
        seam.normal[k] = -seam.area * gradient[k] / length;
    }
    wri_seam *added = wri_array_add(&c->solid->seams, 1);
    if (added) {
        *added = seam;
    }
    return added != NULL;
}

// Corners of a face that can stick out of a fragment: on the outside of the body, or where two cuts
// meet.
static bool add_corners(solid_cutter *c, int chunk, const polyhedron *p, const polygon *f)
{
    bool ok = true, outside = f->tag < OWN_FACES && c->is_outer[c->element] >> f->tag & 1;
    for (int j = 0; j < f->count; j++) {
        const double *w = f->w[j];
        int clips = 0;
        for (int k = 0; k < p->clip_count; k++) {
            const double *v = p->clips[k].values;
            double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]) + fabs(v[3]);
            clips += fabs(value_at(v, w)) < ON_FACE * size;
        }
        wri_cut_corner *corner = outside || clips > 1 ? wri_array_add(&c->solid->corners, 1) : NULL;
        ok = ok && (corner || (!outside && clips <= 1));
        if (corner) {
            corner->chunk = chunk;
            memcpy(corner->weights, w, sizeof corner->weights);
        }
    }
    return ok;
}

static bool add_chunk(solid_cutter *c, const polyhedron *p, int cell)
{
    wri_chunk chunk = {.element = c->element, .cell = cell, .fragment = -1, .box = WR_BOX_EMPTY};
    double part = find_moment(p, chunk.moment);
    if (part < LEAST_VOLUME) {
        return true;
    }
    chunk.volume = part * c->volume;
    for (int i = 0; i < p->face_count; i++) {
        const polygon *f = &p->faces[i];
        for (int j = 0; j < f->count; j++) {
            double at[3];
            place_of(c, f->w[j], at);
            chunk.box = wr_box_add(chunk.box, wr_v3((float)at[0], (float)at[1], (float)at[2]));
        }
        if (f->tag < OWN_FACES) {
            chunk.faces[f->tag] = find_face_share(f);
        }
    }
    int number =
        wri_key_table_add(&c->solid->places, (uint64_t)chunk.element << 32 | (uint32_t)cell);
    wri_chunk *added = number >= 0 ? wri_array_add(&c->solid->chunks, 1) : NULL;
    bool ok = added != NULL;
    if (ok) {
        *added = chunk;
    }
    for (int i = 0; ok && i < p->face_count; i++) {
        ok = (p->faces[i].tag < OWN_FACES || add_seam(c, number, p, &p->faces[i])) &&
             add_corners(c, number, p, &p->faces[i]);
    }
    return ok;
}

// --- all cuts ---------------------------------------------------------------------------------

static void find_values(const solid_cutter *c, int cut, int i, int j, double values[4])
{
    double shares[WR_FRAGMENTS_MAX + 1];
    const wr_cut *source = &c->cells->asset->cuts[cut];
    for (int k = 0; k < 4; k++) {
        int vertex = c->rig->elements[4 * (size_t)c->element + (size_t)k];
        wri_cut_shares(c->cells, cut, vertex, shares);
        values[k] = wri_cut_difference(source, i, j, c->corners[k],
                                       wri_cut_share_count(source) > 0 ? shares : NULL);
    }
}

// The part of `in` within cell i of a cut: `in` itself, or in one of two rooms; NULL: there is
// none.
static const polyhedron *keep_cell(solid_cutter *c, const polyhedron *in, int cut, int i)
{
    const wr_cut *source = &c->cells->asset->cuts[cut];
    polyhedron *rooms = &c->levels[2 * cut + 1];
    for (int j = 0; in && j < wri_cut_cell_count(source); j++) {
        clip by = {.cut = cut, .label = j};
        if (j == i) {
            continue;
        }
        find_values(c, cut, i, j, by.values);
        bool some = false, all = true;
        for (int k = 0; k < 4; k++) {
            some = some || by.values[k] > 0.0;
            all = all && by.values[k] >= 0.0;
        }
        if (!some) {
            return NULL;
        }
        if (!all) {
            polyhedron *out = in == rooms ? rooms + 1 : rooms;
            in = clip_all(c, in, &by, out) ? out : NULL;
        }
    }
    return in;
}

static bool divide(solid_cutter *c, const polyhedron *in, int cut, int parent)
{
    const wr_asset *asset = c->cells->asset;
    if (cut == asset->cut_count) {
        return add_chunk(c, in, parent);
    }
    bool ok = true;
    for (int i = 0; ok && !c->too_many && i < wri_cut_cell_count(&asset->cuts[cut]); i++) {
        const polyhedron *part = keep_cell(c, in, cut, i);
        int cell = part ? wri_cell_add(c->cells, parent, i) : -1;
        ok = !part || (cell >= 0 && divide(c, part, cut + 1, cell));
    }
    return ok;
}

static void open_element(solid_cutter *c, int element)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    c->element = element;
    for (int k = 0; k < 4; k++) {
        wr_vec3 p = c->rig->rest[c->rig->elements[4 * (size_t)element + (size_t)k]];
        c->corners[k][0] = p.x, c->corners[k][1] = p.y, c->corners[k][2] = p.z;
    }
    for (int k = 0; k < 4; k++) { // the gradient is the inward normal of the face over its height
        const double *a = c->corners[faces[k][0]];
        double n[3], d[3];
        triangle_area2(a, c->corners[faces[k][1]], c->corners[faces[k][2]], n);
        for (int i = 0; i < 3; i++) {
            d[i] = c->corners[k][i] - a[i];
        }
        double height = wri_dot3(n, d);
        c->volume = fabs(height) / 6.0;
        for (int i = 0; i < 3; i++) {
            c->gradients[k][i] = height != 0.0 ? n[i] / height : 0.0;
        }
    }
    polyhedron *whole = &c->levels[0];
    whole->face_count = 4;
    whole->clip_count = 0;
    for (int k = 0; k < 4; k++) {
        polygon *f = &whole->faces[k];
        memset(f->w, 0, 3 * sizeof f->w[0]);
        f->tag = k;
        f->count = 3;
        for (int i = 0; i < 3; i++) {
            f->w[i][faces[k][i]] = 1.0;
        }
    }
}

// --- faces ------------------------------------------------------------------------------------

typedef struct face_key {
    int sorted[3];
    int element, corner;
} face_key;

static int compare_faces(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(int[3]));
}

// Finds the faces of one element only.
static bool find_outer(const wr_rig *rig, wri_arena *arena, uint8_t *is_outer)
{
    size_t count = 4 * (size_t)rig->element_count;
    face_key *keys = wri_arena_alloc(arena, count, sizeof *keys);
    for (size_t i = 0; keys && i < count; i++) {
        int v[3], n = 0;
        for (size_t k = 0; k < 4; k++) {
            if (k != i % 4) {
                v[n++] = rig->elements[i / 4 * 4 + k];
            }
        }
        for (int k = 0; k < 3; k++) { // three numbers are sorted by three exchanges
            int a = k % 2, t = v[a];
            if (v[a] > v[a + 1]) {
                v[a] = v[a + 1];
                v[a + 1] = t;
            }
        }
        keys[i] = (face_key){{v[0], v[1], v[2]}, (int)(i / 4), (int)(i % 4)};
    }
    if (!keys) {
        return false;
    }
    qsort(keys, count, sizeof *keys, compare_faces);
    for (size_t i = 0; i < count; i++) {
        bool like_last = i > 0 && compare_faces(&keys[i], &keys[i - 1]) == 0;
        bool like_next = i + 1 < count && compare_faces(&keys[i], &keys[i + 1]) == 0;
        if (!like_last && !like_next) {
            is_outer[keys[i].element] |= (uint8_t)(1 << keys[i].corner);
        }
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

wri_cut_solid wri_cut_solid_create(void)
{
    return (wri_cut_solid){.chunks = wri_array_create(NULL, sizeof(wri_chunk)),
                           .seams = wri_array_create(NULL, sizeof(wri_seam)),
                           .corners = wri_array_create(NULL, sizeof(wri_cut_corner)),
                           .bonds = wri_array_create(NULL, sizeof(wr_bond)),
                           .places = wri_key_table_create(NULL)};
}

void wri_cut_solid_destroy(wri_cut_solid *solid)
{
    wri_array_destroy(&solid->chunks);
    wri_array_destroy(&solid->seams);
    wri_array_destroy(&solid->corners);
    wri_array_destroy(&solid->bonds);
    wri_key_table_destroy(&solid->places);
}

int wri_cut_find_chunk(const wri_cut_solid *solid, int element, int cell)
{
    return wri_key_table_find(&solid->places, (uint64_t)element << 32 | (uint32_t)cell);
}

bool wri_cut_elements(wri_cells *cells, wri_cut_solid *solid, wr_error *error)
{
    const wr_rig *rig = &cells->asset->rig;
    wri_arena arena = wri_arena_create(NULL);
    uint8_t *is_outer = wri_arena_alloc(&arena, (size_t)rig->element_count, 1);
    solid_cutter c = {.cells = cells, .solid = solid, .rig = rig, .is_outer = is_outer};
    c.levels = wri_arena_alloc(&arena, 2 * (size_t)cells->asset->cut_count + 1, sizeof *c.levels);
    bool ok = is_outer && c.levels && find_outer(rig, &arena, is_outer);
    for (int e = 0; ok && !c.too_many && e < rig->element_count; e++) {
        open_element(&c, e);
        ok = divide(&c, &c.levels[0], 0, -1);
    }
    wri_arena_destroy(&arena);
    if (c.too_many) {
        return wri_fail(error, WR_E_UNSUPPORTED, "too many cuts meet in one place");
    }
    return ok || wri_fail_memory(error, 1);
}
