// plate.c: the sheet, and what it wants: lengths, angles, rigid parts.
//
// Extended position-based dynamics with few rounds per small step: M. Macklin, M. Müller, N.
// Chentanez. XPBD. MIG 2016; M. Macklin et al. Small steps in physics simulation. SCA 2019. A
// constraint C with compliance a moves its points by
//     dx_i = -w_i grad_i C  C / (sum_k w_k |grad_k C|^2 + a / dt^2).
// Edges have a = 0. A hinge has C = theta - rest and the energy of discrete shells, 1/2 D (|e| / h)
// C^2 with h the mean height of its triangles (E. Grinspun et al. Discrete shells. SCA 2003).
// Gradients of the angle after R. Bridson, S. Marino, R. Fedkiw. Simulation of clothing with folds
// and wrinkles. SCA 2003, section 4.
//
// Where |theta - rest| exceeds the yield angle, curvature times h, rest follows: an elastic,
// perfectly plastic hinge. Its yield falls with what it has folded, as a plastic hinge of real
// sheet does: folds then go on where they began, which makes creases of bends.
#include "plate.h"

#include "../math/decompose.h"
#include "../math/double3.h"
#include "../math/elementary.h"

#include <stdlib.h>

#define LEAST_YIELD 0.025   // radians: even the smallest triangles resist a little
#define MOST_YIELD 0.35     // radians: even a large pair of triangles folds
#define SOFTENING 0.9       // share of its yield that a hinge loses
#define SOFT_FROM 0.5       // radians: when all of that is lost
#define FLOW 0.3            // share of what is beyond the yield that flows in a step
#define UNEVEN 0.25         // share by which the yield differs from hinge to hinge
#define THIN 1e-3           // height of a triangle over its edge below which an angle means nothing
#define LEAST_MASS 0.2      // of the mean mass of a node of the sheet
#define AIR_MASS 0.1        // likewise
#define TIE_COMPLIANCE 1e-3 // of edges of cells between sheets
#define AIR_COMPLIANCE 0.5  // of the others
#define AIR_FLOW 0.06       // share of its change that such an edge forgets at a time
#define LEAST_SAY 0.01      // of a node of a rigid part that did not move
#define PITCH 1.75          // of the lattice, in roots of the mean area of a triangle
#define LEAST_PITCH (1.0 / 64.0) // sizes
#define MOST_PITCH (1.0 / 20.0)
// Places that constraints are dealt from, and how many of them go in their own order at least:
// lengths travel along a list within a sweep.
enum { STREAMS = 16, LEAST_RUN = 512 };

// --- kernels ----------------------------------------------------------------------------------

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

// The sine and cosine of the angle, and its gradient.
static inline bool measure_hinge(const double (*x)[3], const wri_plate_hinge *hinge, double *sine,
                                 double *cosine, double gradient[4][3])
{
    const double *x1 = x[hinge->wing[0]], *x2 = x[hinge->wing[1]], *x3 = x[hinge->edge[0]],
                 *x4 = x[hinge->edge[1]];
    double e[3], d13[3], d14[3], d23[3], d24[3], n1[3], n2[3], turn[3];
    subtract(x4, x3, e);
    subtract(x1, x3, d13);
    subtract(x1, x4, d14);
    subtract(x2, x3, d23);
    subtract(x2, x4, d24);
    wri_cross3(d13, d14, n1);
    wri_cross3(d24, d23, n2);
    double ee = wri_dot3(e, e), s1 = wri_dot3(n1, n1), s2 = wri_dot3(n2, n2);
    double least = THIN * THIN * ee * ee;
    if (!(s1 > least && s2 > least)) {
        return false;
    }
    double length = sqrt(ee), per_length = 1.0 / length, r1 = 1.0 / s1, r2 = 1.0 / s2;
    double scale = sqrt(r1 * r2);
    wri_cross3(n2, n1, turn);
    *sine = wri_dot3(turn, e) * per_length * scale;
    *cosine = wri_dot3(n1, n2) * scale;
    double a1 = wri_dot3(d14, e) * per_length, a2 = wri_dot3(d24, e) * per_length;
    double b1 = wri_dot3(d13, e) * per_length, b2 = wri_dot3(d23, e) * per_length;
    for (int k = 0; k < 3; k++) {
        double u1 = n1[k] * r1, u2 = n2[k] * r2;
        gradient[0][k] = length * u1;
        gradient[1][k] = length * u2;
        gradient[2][k] = a1 * u1 + a2 * u2;
        gradient[3][k] = -b1 * u1 - b2 * u2;
    }
    return true;
}

bool wri_hinge_angle(const double (*x)[3], const wri_plate_hinge *hinge, double *angle,
                     double gradient[4][3])
{
    double sine, cosine;
    bool ok = measure_hinge(x, hinge, &sine, &cosine, gradient);
    *angle = ok ? wri_atan2_fine(sine, cosine) : 0.0;
    return ok;
}

// Follows an angle through whole turns, for a fold may close: by the arc sine of how far it turned,
// which is little.
static void turn_hinge(wri_plate_hinge *h, double sine, double cosine)
{
    double s = sine * h->cosine - cosine * h->sine, c = cosine * h->cosine + sine * h->sine;
    double s2 = s * s, turn = s * (1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * 15.0 / 336.0)));
    h->angle += s2 < 0.04 && c > 0.0 ? turn : wri_atan2_fine(s, c);
    h->sine = sine;
    h->cosine = cosine;
}

static void yield_hinge(wri_plate_hinge *h)
{
    double soft = h->folded < SOFT_FROM ? h->folded / SOFT_FROM : 1.0;
    double off = h->angle - h->rest;
    double over = FLOW * (fabs(off) - h->yield * (1.0 - SOFTENING * soft));
    if (over > 0.0) {
        h->rest += copysign(over, off);
        h->folded += over;
    }
}

static void keep_angle(wri_plate *p, wri_plate_hinge *h, double rate, bool flows)
{
    double sine, cosine, u[4][3], sum = 0.0;
    if (!measure_hinge((const double(*)[3])p->x, h, &sine, &cosine, u)) {
        return;
    }
    turn_hinge(h, sine, cosine);
    if (flows) {
        yield_hinge(h);
    }
    const int at[4] = {h->wing[0], h->wing[1], h->edge[0], h->edge[1]};
    for (int k = 0; k < 4; k++) {
        sum += p->mobility[at[k]] * wri_dot3(u[k], u[k]);
    }
    if (!(sum > 0.0)) {
        return;
    }
    double c = h->angle - h->rest;
    c = c > 0.3 ? 0.3 : c < -0.3 ? -0.3 : c; // gradients hold nearby only
    double share = -c / (sum + h->compliance * rate);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            p->x[at[k]][i] += share * p->mobility[at[k]] * u[k][i];
        }
    }
}

// Returns how long it was.
static inline double keep_length(wri_plate *p, const wri_plate_edge *e, double rate)
{
    double wa = p->mobility[e->a], wb = p->mobility[e->b], d[3];
    subtract(p->x[e->b], p->x[e->a], d);
    double length = wri_length3(d);
    if (!(wa + wb > 0.0) || !(length > 0.0)) {
        return length;
    }
    double share = (length - e->length) / (length * (wa + wb + e->compliance * rate));
    for (int i = 0; i < 3; i++) {
        p->x[e->a][i] += wa * share * d[i];
        p->x[e->b][i] -= wb * share * d[i];
    }
    return length;
}

// Nodes have a say in how their part goes by how far they were moved in this step: a part that is
// pushed at one end yields, however many nodes it has.
static void weigh_say(wri_plate *p, const int *points, int count)
{
    double most = 1e-30;
    for (int i = 0; i < count; i++) {
        double d[3];
        subtract(p->x[points[i]], p->before[points[i]], d);
        p->share[points[i]] = wri_length3(d);
        most = fmax(most, p->share[points[i]]);
    }
    for (int i = 0; i < count; i++) {
        p->share[points[i]] = LEAST_SAY + p->share[points[i]] / most;
    }
}

// The rigid motion nearest to where its points went (Müller et al. 2005), which they then follow.
static void match_part(wri_plate *p, const wri_plate_part *part)
{
    double middle[3] = {0}, rest[3] = {0}, moment[3][3] = {{0}}, turn[3][3], sum = 0.0;
    const int *points = p->part_points + part->first;
    weigh_say(p, points, part->count);
    for (int i = 0; i < part->count; i++) {
        double m = p->share[points[i]];
        sum += m;
        for (int k = 0; k < 3; k++) {
            middle[k] += m * p->x[points[i]][k];
            rest[k] += m * p->rest[points[i]][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] /= sum;
        rest[k] /= sum;
    }
    for (int i = 0; i < part->count; i++) {
        double m = p->share[points[i]], to[3], from[3];
        subtract(p->x[points[i]], middle, to);
        subtract(p->rest[points[i]], rest, from);
        for (int k = 0; k < 9; k++) {
            moment[k / 3][k % 3] += m * to[k / 3] * from[k % 3];
        }
    }
    double little = 1e-9 * (fabs(moment[0][0]) + fabs(moment[1][1]) + fabs(moment[2][2])) + 1e-30;
    for (int k = 0; k < 3; k++) { // points in a line leave a turn about it open: none, then
        moment[k][k] += little;
    }
    wri_polar3d((const double(*)[3])moment, turn, NULL);
    for (int i = 0; i < part->count; i++) {
        double from[3];
        subtract(p->rest[points[i]], rest, from);
        for (int k = 0; k < 3; k++) {
            p->x[points[i]][k] = middle[k] + wri_dot3(turn[k], from);
        }
    }
}

void wri_plate_match_parts(wri_plate *p)
{
    for (int i = 0; i < p->part_count; i++) {
        if (p->mobility[p->part_points[p->parts[i].first]] > 0.0) {
            match_part(p, &p->parts[i]);
        }
    }
}

// Air keeps its shape a little, and forgets it by and by.
void wri_plate_even_air(wri_plate *p, double step, bool back)
{
    const double rate = 1.0 / (step * step);
    for (int i = p->sheet_edge_count; i < p->edge_count; i++) {
        wri_plate_edge *e = &p->edges[back ? p->edge_count - 1 - (i - p->sheet_edge_count) : i];
        e->length += AIR_FLOW * (keep_length(p, e, rate) - e->length);
    }
}

void wri_plate_relax(wri_plate *p, double step, bool back, bool flows)
{
    const double rate = 1.0 / (step * step);
    for (int i = 0; i < p->hinge_count; i++) {
        keep_angle(p, &p->hinges[back ? p->hinge_count - 1 - i : i], rate, flows);
    }
    for (int i = 0; i < 2 * p->sheet_edge_count; i++) {
        int at = i % p->sheet_edge_count;
        keep_length(p, &p->edges[back ? p->sheet_edge_count - 1 - at : at], rate);
    }
    wri_air_relax(p, back);
}

// --- building ---------------------------------------------------------------------------------

static bool alloc_points(wri_plate *p)
{
    size_t n = (size_t)p->count;
    p->x = wri_arena_alloc(p->arena, n, sizeof *p->x);
    p->before = wri_arena_alloc(p->arena, n, sizeof *p->before);
    p->mobility = wri_arena_alloc(p->arena, n, sizeof *p->mobility);
    p->part = wri_arena_alloc(p->arena, n, sizeof *p->part);
    p->part_points = wri_arena_alloc(p->arena, n, sizeof *p->part_points);
    bool ok = p->x && p->before && p->mobility && p->part && p->part_points;
    if (ok) {
        memcpy(p->x, p->rest, n * sizeof *p->x);
        memcpy(p->before, p->rest, n * sizeof *p->before);
    }
    return ok;
}

static double triangle_area(const wri_plate *p, const int *c)
{
    double u[3], v[3], n[3];
    subtract(p->rest[c[1]], p->rest[c[0]], u);
    subtract(p->rest[c[2]], p->rest[c[0]], v);
    wri_cross3(u, v, n);
    return 0.5 * wri_length3(n);
}

// The sheet has a mass of 1 per area, air little; what is held has none.
static void weigh_points(wri_plate *p, const double way[3], double hold)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        sum += p->area[i];
        count += p->area[i] > 0.0;
    }
    double mean = sum / count, held = p->low + hold * (p->high - p->low);
    for (int i = 0; i < p->count; i++) {
        double least = (p->area[i] > 0.0 ? LEAST_MASS : AIR_MASS) * mean;
        double m = p->area[i] > least ? p->area[i] : least;
        bool is_held = hold < 1.0 && wri_dot3(p->rest[i], way) > held;
        p->mobility[i] = is_held ? 0.0 : 1.0 / m;
    }
}

static int find_root(int *root, int i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

// Nodes around the vertices of rigid parts; parts that share one are one.
static bool mark_parts(wri_plate *p, const wr_crush_desc *desc)
{
    int *root = wri_arena_alloc(p->arena, (size_t)desc->mesh->vertex_count, sizeof *root);
    if (!root) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        p->part[i] = -1;
    }
    for (int v = 0; v < desc->mesh->vertex_count; v++) {
        root[v] = v;
    }
    for (int v = 0; desc->rigid && v < desc->mesh->vertex_count; v++) {
        for (int k = 0; desc->rigid[v] >= 0 && k < 4; k++) {
            int *part = &p->part[p->home[p->topology.place[v]][k]];
            if (*part >= 0) {
                root[find_root(root, *part)] = find_root(root, desc->rigid[v]);
            }
            *part = desc->rigid[v];
        }
    }
    for (int i = 0; i < p->count; i++) {
        p->part[i] = p->part[i] >= 0 ? find_root(root, p->part[i]) : -1;
    }
    return true;
}

static bool number_parts(wri_plate *p, int most)
{
    int *number = wri_arena_alloc(p->arena, (size_t)most + 1, sizeof *number);
    if (!number) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        number[p->part[i] + 1] += p->part[i] >= 0;
    }
    for (int i = 1; i <= most; i++) {
        p->part_count += number[i] > 0;
    }
    p->parts = wri_arena_alloc(p->arena, (size_t)p->part_count, sizeof *p->parts);
    for (int i = 1, next = 0, first = 0; p->parts && i <= most; i++) {
        int size = number[i];
        number[i] = next;
        if (size > 0) {
            p->parts[next++].first = first;
            first += size;
        }
    }
    for (int i = 0; p->parts && i < p->count; i++) {
        if (p->part[i] >= 0) {
            p->part[i] = number[p->part[i] + 1];
            wri_plate_part *part = &p->parts[p->part[i]];
            p->part_points[part->first + part->count++] = i;
        }
    }
    return p->parts != NULL;
}

// A part is held when half of it is.
static void settle_parts(wri_plate *p)
{
    for (int i = 0; i < p->part_count; i++) {
        const wri_plate_part *part = &p->parts[i];
        const int *points = p->part_points + part->first;
        int held = 0;
        for (int k = 0; k < part->count; k++) {
            held += p->mobility[points[k]] == 0.0;
        }
        for (int k = 0; k < part->count; k++) {
            double *w = &p->mobility[points[k]];
            *w = 2 * held > part->count ? 0.0 : *w > 0.0 ? *w : (double)p->count;
        }
    }
}

static bool is_stiff(const wri_plate *p, const int *points, int count)
{
    bool held = true, same = p->part[points[0]] >= 0;
    for (int i = 0; i < count; i++) {
        held = held && p->mobility[points[i]] == 0.0;
        same = same && p->part[points[i]] == p->part[points[0]];
    }
    return held || same;
}

static double edge_length(const wri_plate *p, int a, int b)
{
    double d[3];
    subtract(p->rest[b], p->rest[a], d);
    return wri_length3(d);
}

// A side of a triangle and the corner that is not on it.
typedef struct side {
    int ends[2], wing;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    const int p[3] = {x->ends[0], x->ends[1], x->wing}, q[3] = {y->ends[0], y->ends[1], y->wing};
    for (int k = 0; k < 3; k++) {
        if (p[k] != q[k]) {
            return p[k] < q[k] ? -1 : 1;
        }
    }
    return 0;
}

static bool same_edge(const side *a, const side *b)
{
    return a->ends[0] == b->ends[0] && a->ends[1] == b->ends[1];
}

// Of all triangles, in the order of their edges.
static side *list_sides(const wri_plate *p)
{
    size_t count = 3 * (size_t)p->triangle_count;
    side *sides = wri_arena_alloc(p->arena, count, sizeof *sides);
    for (int i = 0; sides && i < 3 * p->triangle_count; i++) {
        const int *v = p->triangles[i / 3]; // ascending
        const int skip = i % 3;
        sides[i] = (side){{v[skip == 0], v[skip == 2 ? 1 : 2]}, v[skip]};
    }
    if (sides && count > 0) {
        qsort(sides, count, sizeof *sides, compare_sides);
    }
    return sides;
}

static bool add_edge(const wri_plate *p, wri_array *edges, const int ends[2], double compliance)
{
    if (is_stiff(p, ends, 2)) {
        return true;
    }
    wri_plate_edge *edge = wri_array_add(edges, 1);
    if (edge) {
        *edge = (wri_plate_edge){ends[0], ends[1], edge_length(p, ends[0], ends[1]), compliance};
    }
    return edge != NULL;
}

static bool is_side(const side *sides, int count, const int ends[2])
{
    const side key = {{ends[0], ends[1]}, -1};
    int low = 0;
    for (int high = count; low < high;) {
        int middle = (low + high) / 2;
        if (compare_sides(&sides[middle], &key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && same_edge(&sides[low], &key);
}

// Neighbours in a list share nodes, so that each would wait for what the one before it did to them.
// Dealt out from many places of the list, the processor does several of them side by side.
static void deal(void *out, const void *items, int count, size_t size)
{
    int length = (count + STREAMS - 1) / STREAMS, next = 0;
    length = length > LEAST_RUN ? length : LEAST_RUN;
    for (int i = 0; i < length; i++) {
        for (int at = i; at < count; at += length) {
            memcpy((char *)out + (size_t)next++ * size, (const char *)items + (size_t)at * size,
                   size);
        }
    }
}

// Those of the sheet, then the other edges of cells: between sheets they are ties, in the air they
// keep it even.
static bool list_edges(wri_plate *p, const side *sides, wri_array *edges)
{
    int count = 3 * p->triangle_count;
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = (i > 0 && same_edge(&sides[i], &sides[i - 1])) ||
             add_edge(p, edges, sides[i].ends, 0.0);
    }
    p->sheet_edge_count = edges->count;
    for (int i = 0; ok && i < p->link_count; i++) {
        const int *ends = p->links[i];
        bool ties = p->area[ends[0]] > 0.0 && p->area[ends[1]] > 0.0;
        ok = (ties && is_side(sides, count, ends)) ||
             add_edge(p, edges, ends, ties ? TIE_COMPLIANCE : AIR_COMPLIANCE);
    }
    p->edges = ok ? wri_arena_alloc(p->arena, (size_t)edges->count, sizeof *p->edges) : NULL;
    if (p->edges) {
        const wri_plate_edge *listed = edges->items;
        int sheet = p->sheet_edge_count;
        p->edge_count = edges->count;
        deal(p->edges, listed, sheet, sizeof *listed);
        deal(p->edges + sheet, listed + sheet, edges->count - sheet, sizeof *listed);
    }
    return p->edges != NULL;
}

// An even scatter in [-1, 1] that depends on the number alone.
static double scatter(int number)
{
    return (double)(wri_hash(&number, sizeof number, 7) >> 40) / (double)(1 << 23) - 1.0;
}

static void set_hinge(wri_plate *p, wri_plate_hinge *h, int number, const wr_crush_desc *desc)
{
    double u[4][3], length = edge_length(p, h->edge[0], h->edge[1]);
    h->cosine = 1.0;
    if (measure_hinge((const double(*)[3])p->rest, h, &h->sine, &h->cosine, u)) {
        h->rest = wri_atan2_fine(h->sine, h->cosine);
    }
    int one[3] = {h->edge[0], h->edge[1], h->wing[0]},
        two[3] = {h->edge[0], h->edge[1], h->wing[1]};
    double height = (triangle_area(p, one) + triangle_area(p, two)) / (length > 0.0 ? length : 1.0);
    double yield = desc->yield * height;
    yield = yield < LEAST_YIELD ? LEAST_YIELD : yield;
    yield = yield > MOST_YIELD && desc->yield < 100.0 ? MOST_YIELD : yield;
    h->yield = yield * (1.0 + UNEVEN * scatter(number));
    h->compliance = height / (desc->bend * (length > 0.0 ? length : 1.0));
    h->angle = h->rest;
}

// Where more than two triangles meet every neighbouring pair makes a hinge.
static bool list_hinges(wri_plate *p, const side *sides, const wr_crush_desc *desc)
{
    size_t most = 3 * (size_t)p->triangle_count;
    wri_plate_hinge *listed = wri_arena_alloc(p->arena, most, sizeof *listed);
    p->hinges = wri_arena_alloc(p->arena, most, sizeof *p->hinges);
    if (!listed || !p->hinges) {
        return false;
    }
    for (int i = 1; i < 3 * p->triangle_count; i++) {
        const side *one = &sides[i - 1], *two = &sides[i];
        const int points[4] = {one->wing, two->wing, one->ends[0], one->ends[1]};
        if (same_edge(one, two) && !is_stiff(p, points, 4)) {
            wri_plate_hinge *h = &listed[p->hinge_count++];
            *h = (wri_plate_hinge){.wing = {points[0], points[1]}, .edge = {points[2], points[3]}};
            set_hinge(p, h, p->hinge_count, desc);
        }
    }
    deal(p->hinges, listed, p->hinge_count, sizeof *listed);
    return true;
}

// The box along the axes: a turned body and tool have the same.
static void measure_size(wri_plate *p, const double axes[3][3])
{
    const wri_topology *s = &p->topology;
    double sum = 0.0;
    memset(p->middle, 0, sizeof p->middle);
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < s->place_count; i++) {
            const double x[3] = {s->points[i].x, s->points[i].y, s->points[i].z};
            low = fmin(low, wri_dot3(axes[k], x));
            high = fmax(high, wri_dot3(axes[k], x));
        }
        for (int i = 0; i < 3; i++) {
            p->middle[i] += 0.5 * (low + high) * axes[k][i];
        }
        sum += (high - low) * (high - low);
    }
    p->size = sqrt(sum);
}

// Of the order of the triangles, within limits: the mesh cannot fold as finer cells do.
static double choose_pitch(const wri_plate *p, const wr_crush_desc *desc)
{
    const wri_topology *s = &p->topology;
    if (desc->cell > 0.0) {
        return desc->cell / p->size;
    }
    double area = wr_mesh_area(desc->mesh) / (s->triangle_count * p->size * p->size);
    return fmin(fmax(PITCH * sqrt(area), LEAST_PITCH), MOST_PITCH);
}

bool wri_plate_build(wri_plate *p, wri_arena *arena, const wr_crush_desc *desc,
                     const double axes[3][3], wr_error *error)
{
    *p = (wri_plate){.arena = arena};
    wri_topology *s = &p->topology;
    wri_array edges = wri_array_create(&desc->allocator, sizeof(wri_plate_edge));
    side *sides = NULL;
    bool ok = wri_topology_begin(s, arena, desc->mesh, 1e-6) && wri_topology_find_fates(s) &&
              wri_topology_find_edges(s);
    if (ok) {
        measure_size(p, axes);
    }
    ok = ok && wri_plate_fill(p, axes, choose_pitch(p, desc)) && alloc_points(p) &&
         mark_parts(p, desc) && number_parts(p, desc->mesh->vertex_count) &&
         (sides = list_sides(p));
    if (ok) {
        weigh_points(p, axes[2], desc->hold);
        settle_parts(p);
    }
    ok = ok && list_edges(p, sides, &edges) && list_hinges(p, sides, desc) && wri_air_begin(p);
    wri_array_destroy(&edges);
    return ok || wri_fail_memory(error, 0);
}
