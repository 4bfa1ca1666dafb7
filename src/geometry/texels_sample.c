// texels_sample.c: texels are put into the triangles of a surface, and its own vertices taken out.
//
// The triangles of the source, with the seams of their charts cut into pieces of a texel, are a
// manifold to begin with. Texels are inserted into them, edges are flipped until they are those of
// Delaunay in the atlas, and vertices of the source are moved into neighbours until texels and some
// points of the seams are left. None of these steps can tear the surface, so that no seam has to be
// sewn: charts are joined to their true neighbours because they were never apart.
#include "texels.h"

static const double MARGIN = 0.4;  // texels: nearer to a seam there is none
static const double MERGED = 1.25; // texels: pieces of a seam that are shorter together become one
static const double ON = 1e-6;     // texels: what is nearer to an edge is on it
static const double AT = 1e-4;     // texels: what is nearer to a vertex is there

// --- seams ------------------------------------------------------------------------------------

static bool is_seam(const wri_texel_work *w, int half)
{
    const double same = 1e-3; // of a texel
    const wri_atlas *a = &w->atlas;
    int twin = w->facets.twin[half];
    if (twin < 0 || a->chart[twin / 3] != a->chart[half / 3]) {
        return true;
    }
    const int ends[2][2] = {{half, wri_next_half(twin)}, {wri_next_half(half), twin}};
    bool differs = false;
    for (int k = 0; k < 2; k++) {
        const double *p = a->uv[ends[k][0]], *q = a->uv[ends[k][1]];
        differs = differs || fabs(p[0] - q[0]) >= same || fabs(p[1] - q[1]) >= same;
    }
    return differs;
}

// What is known of the seams' edges.
typedef struct seams {
    int *pieces; // per edge of the topology: into how many it is cut, 0: it is no seam
    int *first;  // per edge: the first of its new vertices
    int vertex_count, cut_count;
} seams;

static bool find_seams(const wri_texel_work *w, wri_arena *arena, seams *s)
{
    const wri_facets *f = &w->facets;
    size_t edges = (size_t)f->topology.edge_count;
    s->pieces = wri_arena_alloc(arena, edges, sizeof *s->pieces);
    s->first = wri_arena_alloc(arena, edges, sizeof *s->first);
    if (!s->pieces || !s->first) {
        return false;
    }
    for (int h = 0; h < 3 * f->count; h++) {
        const double *a = w->atlas.uv[h], *b = w->atlas.uv[wri_next_half(h)];
        int pieces =
            is_seam(w, h) ? (int)fmax(1.0, ceil(wri_length2(b[0] - a[0], b[1] - a[1]) - 1e-6)) : 0;
        int *most = &s->pieces[f->edge[h]];
        *most = pieces > *most ? pieces : *most;
    }
    s->vertex_count = f->topology.place_count;
    for (int e = 0; e < f->topology.edge_count; e++) {
        s->first[e] = s->vertex_count;
        s->vertex_count += s->pieces[e] > 0 ? s->pieces[e] - 1 : 0;
    }
    for (int h = 0; h < 3 * f->count; h++) {
        s->cut_count += s->pieces[f->edge[h]] > 0 ? s->pieces[f->edge[h]] - 1 : 0;
    }
    return true;
}

static wr_mesh_point point_between(int a, int b, double share)
{
    return (wr_mesh_point){{a, b, b}, {(float)(1.0 - share), (float)share, 0.0f}};
}

static wr_vec3 mix(const wr_mesh *mesh, const int v[3], const double weights[3])
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        wr_vec3 p = mesh->positions[v[k]];
        sum[0] += weights[k] * (double)p.x;
        sum[1] += weights[k] * (double)p.y;
        sum[2] += weights[k] * (double)p.z;
    }
    return wr_v3((float)sum[0], (float)sum[1], (float)sum[2]);
}

// Cuts the facet of a half edge at the points of its seam; they are counted from the lower place.
static void cut_seam(wri_texel_work *w, const seams *s, int half, int piece)
{
    const wri_facets *f = &w->facets;
    wri_half_mesh *m = &w->mesh;
    int e = f->edge[half], count = s->pieces[e], next = wri_next_half(half);
    bool is_up = f->place[half] < f->place[next];
    for (int i = 1; i < count; i++) {
        int step = is_up ? i : count - i, vertex = s->first[e] + step - 1;
        const int v[3] = {f->vertex[is_up ? half : next], f->vertex[is_up ? next : half], 0};
        double share = (double)step / count;
        const double weights[3] = {1.0 - share, share, 0.0};
        m->points[vertex] = mix(f->mesh, v, weights);
        w->at[vertex] = point_between(v[0], v[1], share);
        piece = wri_half_mesh_cut(m, piece, vertex, 1.0 / (count - i + 1));
    }
}

// The half edge of a facet's remainder that ends at a corner and lies on its side k: pieces that
// were cut off are at the end of the list.
static int find_side(const wri_half_mesh *m, const wri_facets *f, int facet, int begin, int k)
{
    int from = f->place[3 * facet + k], to = f->place[3 * facet + (k + 1) % 3];
    for (int h = 3 * facet; h < 3 * facet + 3; h++) {
        if (m->corner[h] == from && m->corner[wri_next_half(h)] == to) {
            return h;
        }
    }
    for (int h = 3 * begin; h < 3 * m->triangle_count; h++) {
        if (m->corner[h] == from && m->corner[wri_next_half(h)] == to) {
            return h;
        }
    }
    return -1;
}

static bool build_mesh(wri_texel_work *w, const seams *s, int *origin)
{
    const wri_facets *f = &w->facets;
    wri_half_mesh *m = &w->mesh;
    for (int i = 0; i < f->count; i++) {
        wri_half_mesh_add(m, &f->place[3 * i], (const double(*)[2]) & w->atlas.uv[3 * i],
                          w->atlas.chart[i]);
        origin[i] = i;
        for (int k = 0; k < 3; k++) {
            m->points[f->place[3 * i + k]] = f->topology.points[f->place[3 * i + k]];
        }
    }
    m->vertex_count = s->vertex_count;
    for (int i = 0; i < f->count; i++) {
        int begin = m->triangle_count;
        for (int k = 0; k < 3; k++) {
            if (s->pieces[f->edge[3 * i + k]] > 1) {
                cut_seam(w, s, 3 * i + k, find_side(m, f, i, begin, k));
            }
        }
        for (int t = begin; t < m->triangle_count; t++) {
            origin[t] = i;
        }
    }
    return wri_half_mesh_join(m, &w->arena);
}

// --- texels -----------------------------------------------------------------------------------

// Which facet has the centre of each texel, -1: none.
static void find_owners(const wri_texel_work *w, int *owner)
{
    double(*uv)[2] = w->atlas.uv;
    int side = w->atlas.side;
    for (int i = 0; i < side * side; i++) {
        owner[i] = -1;
    }
    for (int t = 0; t < w->facets.count; t++) {
        const double *a = uv[3 * t], *b = uv[3 * t + 1], *c = uv[3 * t + 2];
        int from[2], to[2];
        for (int k = 0; k < 2; k++) {
            from[k] = (int)fmax(0.0, ceil(fmin(fmin(a[k], b[k]), c[k]) - 0.5 - ON));
            to[k] = (int)fmin(side - 1.0, floor(fmax(fmax(a[k], b[k]), c[k]) - 0.5 + ON));
        }
        double tolerance = -1e-9 * side;
        for (int y = from[1]; y <= to[1]; y++) {
            for (int x = from[0]; x <= to[0]; x++) {
                const double p[2] = {x + 0.5, y + 0.5};
                bool is_inside = wri_cross2(a, b, p) >= tolerance &&
                                 wri_cross2(b, c, p) >= tolerance &&
                                 wri_cross2(c, a, p) >= tolerance;
                int *o = &owner[y * side + x];
                *o = is_inside && *o < 0 ? t : *o;
            }
        }
    }
}

static double distance_to(const double a[2], const double b[2], const double p[2])
{
    double d[2] = {b[0] - a[0], b[1] - a[1]}, length = d[0] * d[0] + d[1] * d[1];
    double t = length > 0.0 ? ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return wri_length2(a[0] + t * d[0] - p[0], a[1] + t * d[1] - p[1]);
}

// Texels too near to a seam of their chart are none.
static void keep_clear(const wri_texel_work *w, int *owner)
{
    const wri_atlas *atlas = &w->atlas;
    int side = atlas->side;
    for (int h = 0; h < 3 * w->facets.count; h++) {
        if (!is_seam(w, h)) {
            continue;
        }
        const double *a = atlas->uv[h], *b = atlas->uv[wri_next_half(h)];
        int from[2], to[2];
        for (int k = 0; k < 2; k++) {
            from[k] = (int)fmax(0.0, floor(fmin(a[k], b[k]) - 0.5 - MARGIN));
            to[k] = (int)fmin(side - 1.0, ceil(fmax(a[k], b[k]) - 0.5 + MARGIN));
        }
        for (int y = from[1]; y <= to[1]; y++) {
            for (int x = from[0]; x <= to[0]; x++) {
                const double p[2] = {x + 0.5, y + 0.5};
                int *o = &owner[y * side + x];
                bool is_near = *o >= 0 && atlas->chart[*o] == atlas->chart[h / 3] &&
                               distance_to(a, b, p) < MARGIN;
                *o = is_near ? -1 : *o;
            }
        }
    }
}

// The triangle with a point: from `triangle`, without leaving the source's triangle.
static int walk(const wri_half_mesh *m, int triangle, const double p[2])
{
    const int most = 100000;
    for (int step = 0; step < most; step++) {
        int worst = -1;
        double least = -1e-12;
        for (int h = 3 * triangle; h < 3 * triangle + 3; h++) {
            double beyond = wri_cross2(m->uv[h], m->uv[wri_next_half(h)], p);
            bool is_open = !(m->mark[h] & (WRI_HALF_HELD | WRI_HALF_SEAM));
            worst = is_open && beyond < least ? h : worst;
            least = is_open && beyond < least ? beyond : least;
        }
        if (worst < 0) {
            break;
        }
        triangle = m->twin[worst] / 3;
    }
    return triangle;
}

// Finds the corner or the edge of a triangle that a point is on, -1: none of them. False: the point
// is outside.
static bool find_part(const wri_half_mesh *m, int triangle, const double p[2], int *corner,
                      int *edge)
{
    double least = INFINITY;
    *corner = *edge = -1;
    for (int k = 0; k < 3; k++) {
        int h = 3 * triangle + k;
        const double *a = m->uv[h], *b = m->uv[wri_next_half(h)];
        double depth = wri_cross2(a, b, p) / wri_half_length(m, h);
        *corner = wri_length2(p[0] - a[0], p[1] - a[1]) < AT ? k : *corner;
        *edge = depth < least && depth < ON ? k : *edge;
        least = fmin(least, depth);
    }
    return least > -ON;
}

// The weights of a facet's corners at a point of the atlas.
static void find_weights(const double (*uv)[2], const double p[2], double out[3])
{
    double area = wri_cross2(uv[0], uv[1], uv[2]);
    out[0] = fmin(fmax(wri_cross2(p, uv[1], uv[2]) / area, 0.0), 1.0);
    out[1] = fmin(fmax(wri_cross2(uv[0], p, uv[2]) / area, 0.0), 1.0 - out[0]);
    out[2] = 1.0 - out[0] - out[1];
}

// Puts a texel into the triangle that has it. Returns where it went.
static int insert_texel(wri_texel_work *w, int texel, int facet, int triangle)
{
    wri_half_mesh *m = &w->mesh;
    int side = w->atlas.side, corner, edge;
    const double p[2] = {texel % side + 0.5, texel / side + 0.5};
    triangle = walk(m, triangle, p);
    if (!find_part(m, triangle, p, &corner, &edge)) {
        return triangle;
    }
    if (corner >= 0) { // a vertex of the source is there
        w->texel[m->corner[3 * triangle + corner]] = texel;
        return triangle;
    }
    if (edge >= 0 && m->mark[3 * triangle + edge] & WRI_HALF_SEAM) {
        return triangle;
    }
    int vertex = m->vertex_count++;
    double weights[3];
    find_weights((const double(*)[2]) & w->atlas.uv[3 * facet], p, weights);
    const int *v = &w->facets.vertex[3 * facet];
    m->points[vertex] = mix(w->facets.mesh, v, weights);
    w->at[vertex] = (wr_mesh_point){{v[0], v[1], v[2]},
                                    {(float)weights[0], (float)weights[1], (float)weights[2]}};
    w->texel[vertex] = texel;
    wri_half_mesh_insert(m, triangle, edge, vertex, p);
    wri_half_mesh_relax(m);
    return triangle;
}

// Edges of the source are held, so that a point is always sought within one of its triangles, which
// are convex.
static void hold_edges(wri_half_mesh *m, const int *origin)
{
    for (int h = 0; h < 3 * m->triangle_count; h++) {
        bool is_inner = m->twin[h] >= 0 && origin[m->twin[h] / 3] == origin[h / 3];
        m->mark[h] |= is_inner ? 0 : WRI_HALF_HELD;
    }
}

static void let_edges_go(wri_half_mesh *m)
{
    for (int h = 0; h < 3 * m->triangle_count; h++) {
        m->mark[h] &= (uint8_t)~WRI_HALF_HELD;
        wri_half_mesh_push(m, h);
    }
    wri_half_mesh_relax(m);
}

// Facet by facet, row by row: the next texel is never far from the last one.
static bool insert_texels(wri_texel_work *w, const int *owner, const int *origin)
{
    int texels = w->atlas.side * w->atlas.side, facets = w->facets.count;
    int *begin = wri_arena_alloc(&w->arena, (size_t)facets + 2, sizeof *begin);
    int *list = wri_arena_alloc(&w->arena, (size_t)texels, sizeof *list);
    if (!begin || !list) {
        return false;
    }
    for (int i = 0; i < texels; i++) {
        begin[owner[i] + 2] += owner[i] >= 0;
    }
    for (int f = 0; f < facets; f++) {
        begin[f + 2] += begin[f + 1];
    }
    for (int i = 0; i < texels; i++) {
        if (owner[i] >= 0) {
            list[begin[owner[i] + 1]++] = i;
        }
    }
    hold_edges(&w->mesh, origin);
    for (int f = 0; f < facets; f++) {
        int at = f; // what is left of a facet has its number
        for (int i = begin[f]; i < begin[f + 1]; i++) {
            at = insert_texel(w, list[i], f, at);
        }
    }
    let_edges_go(&w->mesh);
    return true;
}

// --- what is left out -------------------------------------------------------------------------

// Half edges of seams that start at a vertex, and the length of those that start or end there, of
// the longer side each. Returns how many seams there are.
static int find_seam_halves(const wri_half_mesh *m, int vertex, int halves[2], double *length)
{
    int first = wri_half_mesh_first(m, vertex), count = 0, last = first;
    *length = 0.0;
    halves[0] = halves[1] = -1;
    for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
        if (m->mark[h] & WRI_HALF_SEAM) {
            double other = m->twin[h] >= 0 ? wri_half_length(m, m->twin[h]) : 0.0;
            *length += fmax(wri_half_length(m, h), other);
            halves[count & 1] = h;
            count++;
        }
        last = wri_last_half(h);
    }
    if (m->twin[last] < 0) {
        *length += wri_half_length(m, last);
        count++;
    }
    return count;
}

static bool take_out_of_seam(wri_half_mesh *m, const int halves[2])
{
    const double least = 0.05;
    double best = least;
    int half = -1;
    for (int k = 0; k < 2; k++) {
        double quality = halves[k] < 0 ? 0.0 : wri_half_mesh_collapse_quality(m, halves[k]);
        half = quality > best ? halves[k] : half;
        best = fmax(best, quality);
    }
    if (half >= 0) {
        wri_half_mesh_collapse(m, half);
        wri_half_mesh_relax(m);
    }
    return half >= 0;
}

static bool take_out_of_chart(wri_half_mesh *m, int vertex)
{
    int first = wri_half_mesh_first(m, vertex), half = -1;
    double best = 0.0;
    for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
        double quality = wri_half_mesh_collapse_quality(m, h);
        half = quality > best ? h : half;
        best = fmax(best, quality);
    }
    if (half >= 0) {
        wri_half_mesh_collapse(m, half);
        wri_half_mesh_relax(m);
    }
    return half >= 0;
}

// Takes out what is neither a texel nor needed for a seam, as often as that makes more possible;
// vertices of short seams first.
static void thin_out(wri_texel_work *w, int known)
{
    wri_half_mesh *m = &w->mesh;
    const int rounds = 12;
    bool has_changed = true;
    for (int round = 0; round < rounds && has_changed; round++) {
        has_changed = false;
        double limit = fmin(MERGED, 0.3 * (round + 1));
        for (int v = 0; v < known; v++) {
            int halves[2];
            double length;
            if (m->out[v] < 0 || m->pinned[v] || w->texel[v] >= 0) {
                continue;
            }
            int count = find_seam_halves(m, v, halves, &length);
            bool is_out = count == 0                      ? take_out_of_chart(m, v)
                          : count == 2 && length <= limit ? take_out_of_seam(m, halves)
                                                          : false;
            has_changed = has_changed || is_out || limit < MERGED;
        }
    }
}

static bool alloc_mesh(wri_texel_work *w, const seams *s, const int *owner)
{
    size_t texels = 0;
    for (int i = 0; i < w->atlas.side * w->atlas.side; i++) {
        texels += owner[i] >= 0;
    }
    size_t vertices = (size_t)s->vertex_count + texels;
    size_t triangles = (size_t)w->facets.count + (size_t)s->cut_count + 2 * texels;
    w->texel = wri_arena_alloc(&w->arena, vertices, sizeof *w->texel);
    w->at = wri_arena_alloc(&w->arena, vertices, sizeof *w->at);
    if (!w->texel || !w->at || triangles > INT32_MAX / 3 ||
        !wri_half_mesh_create(&w->mesh, &w->arena, (int)vertices, (int)triangles)) {
        return false;
    }
    for (size_t i = 0; i < vertices; i++) {
        w->texel[i] = w->mesh.out[i] = -1;
    }
    for (int i = 3 * w->facets.count - 1; i >= 0; i--) {
        int v = w->facets.vertex[i];
        w->at[w->facets.place[i]] = point_between(v, v, 0.0);
    }
    return true;
}

bool wri_texels_sample(wri_texel_work *w)
{
    size_t texels = (size_t)w->atlas.side * (size_t)w->atlas.side;
    seams s = {0};
    int *owner = wri_arena_alloc(&w->arena, texels, sizeof *owner);
    if (!owner) {
        return false;
    }
    find_owners(w, owner);
    keep_clear(w, owner);
    if (!find_seams(w, &w->arena, &s) || !alloc_mesh(w, &s, owner)) {
        return false;
    }
    size_t pieces = (size_t)w->facets.count + (size_t)s.cut_count;
    int *origin = wri_arena_alloc(&w->arena, pieces, sizeof *origin);
    if (!origin || !build_mesh(w, &s, origin) || !insert_texels(w, owner, origin)) {
        return false;
    }
    thin_out(w, s.vertex_count);
    return true;
}
