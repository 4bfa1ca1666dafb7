// half_mesh_collapse.c: vertices of a half-edge mesh that are moved into a neighbour.
//
// A vertex inside a chart may go to any neighbour, one on a seam only along the seam. Neighbours
// that both have in common must be those of their edge's triangles (the link condition), so that a
// manifold stays one. No triangle may turn over, neither in the atlas nor in space.
#include "half_mesh.h"

// --- whether ----------------------------------------------------------------------------------

static bool is_closed_fan(const wri_half_mesh *m, int vertex)
{
    return m->twin[wri_half_mesh_first(m, vertex)] >= 0;
}

static int degree_of(const wri_half_mesh *m, int vertex)
{
    int first = wri_half_mesh_first(m, vertex), count = 0;
    for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
        count++;
    }
    return count;
}

static void stamp(wri_half_mesh *m, int vertex, int *count)
{
    *count += m->stamp[vertex] == m->question;
    m->stamp[vertex] = m->question;
}

// Stamps the neighbours of a vertex and returns how many were stamped before.
static int stamp_around(wri_half_mesh *m, int vertex)
{
    int first = wri_half_mesh_first(m, vertex), count = 0, last = first;
    for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
        stamp(m, m->corner[wri_next_half(h)], &count);
        last = h;
    }
    if (m->twin[wri_last_half(last)] < 0) {
        stamp(m, m->corner[wri_last_half(last)], &count);
    }
    return count;
}

static bool is_link_sound(wri_half_mesh *m, int half)
{
    int v = m->corner[half], w = m->corner[wri_next_half(half)], twin = m->twin[half];
    m->question++;
    stamp_around(m, w);
    bool sound = stamp_around(m, v) == 1 + (twin >= 0);
    for (int k = 0; k < 2 && sound; k++) {
        int h = k == 0 ? half : twin;
        int apex = h >= 0 ? m->corner[wri_last_half(h)] : -1;
        sound =
            apex < 0 || m->pinned[apex] || degree_of(m, apex) > (is_closed_fan(m, apex) ? 3 : 1);
    }
    return sound;
}

// Seams that meet at a vertex.
static int count_seams(const wri_half_mesh *m, int vertex)
{
    int first = wri_half_mesh_first(m, vertex), count = 0, last = first;
    for (int h = first; h >= 0; h = wri_half_mesh_around(m, h, first)) {
        count += (m->mark[h] & WRI_HALF_SEAM) != 0;
        last = h;
    }
    return count + (m->twin[wri_last_half(last)] < 0);
}

static void find_normal(const wri_half_mesh *m, int a, int b, int c, double out[3])
{
    wr_vec3 p = m->points[a], q = m->points[b], r = m->points[c];
    const double e[3] = {(double)q.x - p.x, (double)q.y - p.y, (double)q.z - p.z};
    const double f[3] = {(double)r.x - p.x, (double)r.y - p.y, (double)r.z - p.z};
    wri_cross3(e, f, out);
}

// Twice the area over the square of the longest side, in the atlas; 0: it turns over.
static double quality_of(const wri_half_mesh *m, int half, int vertex, const double uv[2])
{
    int next = wri_next_half(half), last = wri_last_half(half);
    const double *b = m->uv[next], *c = m->uv[last];
    double sides =
        fmax(fmax(wri_length2(b[0] - uv[0], b[1] - uv[1]), wri_length2(c[0] - b[0], c[1] - b[1])),
             wri_length2(uv[0] - c[0], uv[1] - c[1]));
    double before[3], after[3];
    find_normal(m, m->corner[half], m->corner[next], m->corner[last], before);
    find_normal(m, vertex, m->corner[next], m->corner[last], after);
    double quality = wri_cross2(uv, b, c) / (sides * sides);
    return wri_dot3(before, after) > 0.0 && quality > 0.0 ? quality : 0.0;
}

// The worst quality of the triangles around the start of a half edge that stay. Where the end is in
// the atlas depends on the side of the seam they are on.
static double worst_quality(const wri_half_mesh *m, int half)
{
    int w = m->corner[wri_next_half(half)], twin = m->twin[half];
    const double *uv = m->uv[wri_next_half(half)];
    double worst = 0.5;
    for (int h = half; h >= 0; h = wri_half_mesh_around(m, h, half)) {
        if (h / 3 != half / 3 && (twin < 0 || h / 3 != twin / 3)) {
            worst = fmin(worst, quality_of(m, h, w, uv));
        }
        if (twin >= 0 && m->mark[wri_last_half(h)] & WRI_HALF_SEAM) {
            uv = m->uv[twin];
        }
    }
    return worst;
}

double wri_half_mesh_collapse_quality(wri_half_mesh *m, int half)
{
    const double least = 1e-3;
    int v = m->corner[half], w = m->corner[wri_next_half(half)];
    if (m->pinned[v] || m->pinned[w]) {
        return 0.0;
    }
    int seams = count_seams(m, v);
    bool may = seams == 0 || (seams == 2 && m->mark[half] & WRI_HALF_SEAM);
    for (int k = 0; k < 2 && may; k++) { // a triangle between two seams is all of its chart there
        int h = k == 0 ? half : m->twin[half];
        may = h < 0 || !(m->mark[wri_next_half(h)] & m->mark[wri_last_half(h)] & WRI_HALF_SEAM);
    }
    double worst = may ? worst_quality(m, half) : 0.0;
    return worst > least && is_link_sound(m, half) ? worst : 0.0;
}

// --- how --------------------------------------------------------------------------------------

// Takes out a triangle whose half edge shrinks to nothing: what was beyond its other two sides meet
// each other.
static void close_triangle(wri_half_mesh *m, int half, int kept)
{
    int next = wri_next_half(half), last = wri_last_half(half), apex = m->corner[last];
    int a = m->twin[next], b = m->twin[last];
    uint8_t mark = (uint8_t)((m->mark[next] | m->mark[last]) & (WRI_HALF_SEAM | WRI_HALF_HELD));
    if (a >= 0) {
        m->twin[a] = b;
        m->mark[a] = (uint8_t)(mark | (m->mark[a] & WRI_HALF_WAITS));
    }
    if (b >= 0) {
        m->twin[b] = a;
        m->mark[b] = (uint8_t)(mark | (m->mark[b] & WRI_HALF_WAITS));
    }
    for (int k = 0; k < 2; k++) { // either of them starts at the apex, the other ends there
        int h = k == 0 ? a : b;
        if (h >= 0) {
            int to = m->corner[h] == apex ? h : wri_next_half(h);
            m->out[apex] = to;
            m->out[kept] = to == h ? wri_next_half(h) : h;
        }
    }
    m->corner[half] = m->corner[next] = m->corner[last] = -1;
}

void wri_half_mesh_collapse(wri_half_mesh *m, int half)
{
    int v = m->corner[half], w = m->corner[wri_next_half(half)], twin = m->twin[half];
    double uv[2] = {m->uv[wri_next_half(half)][0], m->uv[wri_next_half(half)][1]};
    for (int h = half; h >= 0; h = wri_half_mesh_around(m, h, half)) {
        m->corner[h] = w;
        m->uv[h][0] = uv[0];
        m->uv[h][1] = uv[1];
        wri_half_mesh_push(m, h);
        wri_half_mesh_push(m, wri_next_half(h));
        if (twin >= 0 && m->mark[wri_last_half(h)] & WRI_HALF_SEAM) {
            uv[0] = m->uv[twin][0];
            uv[1] = m->uv[twin][1];
        }
    }
    m->out[v] = -1;
    close_triangle(m, half, w);
    if (twin >= 0) {
        close_triangle(m, twin, w);
    }
}
