// plate.c: the sheet of a mesh, and what it wants: lengths, angles, rigid parts.
//
// Extended position-based dynamics with one round per small step: M. Macklin, M. Müller, N.
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

#define LEAST_YIELD 0.025 // radians: even the smallest triangles resist a little
#define MOST_YIELD 0.35   // radians: even a large pair of triangles folds
#define SOFTENING 0.6     // share of its yield that a hinge loses
#define SOFT_FROM 0.5     // radians: when all of that is lost
#define FLOW 0.3          // share of what is beyond the yield that flows in a step
#define UNEVEN 0.25       // share by which the yield differs from hinge to hinge
#define THIN 1e-3         // height of a triangle over its edge below which an angle means nothing
#define SMALL_PART 0.16   // size of a shell that is stiff for its smallness
#define LEAST_MASS 0.2    // of the mean mass of a point

// --- kernels ----------------------------------------------------------------------------------

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

bool wri_hinge_angle(const double (*x)[3], const wri_plate_hinge *hinge, double *angle,
                     double gradient[4][3])
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
    double length = sqrt(ee);
    wri_cross3(n2, n1, turn);
    *angle = wri_atan2_fine(wri_dot3(turn, e) / length, wri_dot3(n1, n2));
    double a1 = wri_dot3(d14, e) / length, a2 = wri_dot3(d24, e) / length;
    double b1 = wri_dot3(d13, e) / length, b2 = wri_dot3(d23, e) / length;
    for (int k = 0; k < 3; k++) {
        double u1 = n1[k] / s1, u2 = n2[k] / s2;
        gradient[0][k] = length * u1;
        gradient[1][k] = length * u2;
        gradient[2][k] = a1 * u1 + a2 * u2;
        gradient[3][k] = -b1 * u1 - b2 * u2;
    }
    return true;
}

// The angle up to whole turns that is nearest to the last one: a fold may close.
static double nearest_turn(double angle, double last)
{
    const double full = 2.0 * 3.14159265358979323846;
    double off = angle - last;
    return off > 0.5 * full ? angle - full : off < -0.5 * full ? angle + full : angle;
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

static void keep_angle(wri_plate *p, wri_plate_hinge *h, double step)
{
    double angle, u[4][3], sum = 0.0;
    if (!wri_hinge_angle((const double(*)[3])p->x, h, &angle, u)) {
        return;
    }
    h->angle = nearest_turn(angle, h->angle);
    yield_hinge(h);
    const int at[4] = {h->wing[0], h->wing[1], h->edge[0], h->edge[1]};
    for (int k = 0; k < 4; k++) {
        sum += p->mobility[at[k]] * wri_dot3(u[k], u[k]);
    }
    if (!(sum > 0.0)) {
        return;
    }
    double c = h->angle - h->rest;
    c = c > 0.3 ? 0.3 : c < -0.3 ? -0.3 : c; // gradients hold nearby only
    double share = -c / (sum + h->compliance / (step * step));
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            p->x[at[k]][i] += share * p->mobility[at[k]] * u[k][i];
        }
    }
}

static void keep_length(wri_plate *p, const wri_plate_edge *e)
{
    double wa = p->mobility[e->a], wb = p->mobility[e->b], d[3];
    subtract(p->x[e->b], p->x[e->a], d);
    double length = wri_length3(d);
    if (!(wa + wb > 0.0) || !(length > 0.0)) {
        return;
    }
    double share = (length - e->length) / (length * (wa + wb));
    for (int i = 0; i < 3; i++) {
        p->x[e->a][i] += wa * share * d[i];
        p->x[e->b][i] -= wb * share * d[i];
    }
}

// The rigid motion nearest to where its points went (Müller et al. 2005), which they then follow.
static void match_part(wri_plate *p, const wri_plate_part *part)
{
    double middle[3] = {0}, moment[3][3] = {{0}}, turn[3][3], mass = 0.0;
    const int *points = p->part_points + part->first;
    for (int i = 0; i < part->count; i++) {
        double w = p->mobility[points[i]], m = w > 0.0 ? 1.0 / w : 1.0;
        mass += m;
        for (int k = 0; k < 3; k++) {
            middle[k] += m * p->x[points[i]][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] /= mass;
    }
    for (int i = 0; i < part->count; i++) {
        double w = p->mobility[points[i]], m = w > 0.0 ? 1.0 / w : 1.0, to[3], from[3];
        subtract(p->x[points[i]], middle, to);
        subtract(p->rest[points[i]], part->middle, from);
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
        subtract(p->rest[points[i]], part->middle, from);
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

void wri_plate_relax(wri_plate *p, double step, bool back)
{
    for (int i = 0; i < p->hinge_count; i++) {
        keep_angle(p, &p->hinges[back ? p->hinge_count - 1 - i : i], step);
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < p->edge_count; i++) {
            keep_length(p, &p->edges[back ? p->edge_count - 1 - i : i]);
        }
    }
}

// --- building ---------------------------------------------------------------------------------

static bool alloc_points(wri_plate *p, const wri_topology *s)
{
    size_t n = (size_t)s->place_count;
    p->count = s->place_count;
    p->vertex_count = s->vertex_count;
    p->place = s->place;
    p->rest = wri_arena_alloc(p->arena, n, sizeof *p->rest);
    p->x = wri_arena_alloc(p->arena, n, sizeof *p->x);
    p->before = wri_arena_alloc(p->arena, n, sizeof *p->before);
    p->mobility = wri_arena_alloc(p->arena, n, sizeof *p->mobility);
    p->part = wri_arena_alloc(p->arena, n, sizeof *p->part);
    p->safe = wri_arena_alloc(p->arena, n, sizeof *p->safe);
    p->jams = wri_arena_alloc(p->arena, n, sizeof *p->jams);
    p->room = wri_arena_alloc(p->arena, n, sizeof *p->room);
    return p->room && p->jams && p->safe && p->rest && p->x && p->before && p->mobility && p->part;
}

static void place_points(wri_plate *p, const wri_topology *s)
{
    p->size = s->size;
    memcpy(p->middle, s->middle, sizeof p->middle);
    for (int i = 0; i < p->count; i++) {
        const double at[3] = {s->points[i].x, s->points[i].y, s->points[i].z};
        for (int k = 0; k < 3; k++) {
            p->rest[i][k] = (at[k] - p->middle[k]) / p->size;
        }
    }
    memcpy(p->x, p->rest, (size_t)p->count * sizeof *p->x);
    memcpy(p->before, p->rest, (size_t)p->count * sizeof *p->before);
    memcpy(p->safe, p->rest, (size_t)p->count * sizeof *p->safe);
}

static double triangle_area(const wri_plate *p, const int *c)
{
    double u[3], v[3], n[3];
    subtract(p->rest[c[1]], p->rest[c[0]], u);
    subtract(p->rest[c[2]], p->rest[c[0]], v);
    wri_cross3(u, v, n);
    return 0.5 * wri_length3(n);
}

// A third of the area around it, the sheet having a mass of 1 per area; what is held has none.
static bool weigh_points(wri_plate *p, const wri_topology *s, const double way[3], double hold)
{
    double sum = 0.0, low = INFINITY, high = -INFINITY;
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = s->corners + 3 * t;
        double area = wri_takes_part(s->fate[t]) ? triangle_area(p, c) : 0.0;
        for (int k = 0; k < 3; k++) {
            p->mobility[c[k]] += area / 3.0;
        }
        sum += area;
    }
    if (!(sum > 1e-9)) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        double along = wri_dot3(p->rest[i], way);
        low = along < low ? along : low;
        high = along > high ? along : high;
    }
    double least = LEAST_MASS * sum / p->count, held = low + hold * (high - low);
    for (int i = 0; i < p->count; i++) {
        double m = p->mobility[i] > least ? p->mobility[i] : least;
        bool is_held = hold < 1.0 && wri_dot3(p->rest[i], way) > held;
        p->mobility[i] = is_held ? 0.0 : 1.0 / m;
    }
    return true;
}

// Those that are named, and shells that are small: they ride as they are.
static bool find_parts(wri_plate *p, const wr_crush_desc *desc)
{
    const int *shell = p->shells.of_place, shell_count = p->shells.count;
    wr_box *boxes = wri_arena_alloc(p->arena, (size_t)shell_count, sizeof *boxes);
    int *number =
        wri_arena_alloc(p->arena, (size_t)(shell_count + p->vertex_count), sizeof *number);
    p->part_points = wri_arena_alloc(p->arena, (size_t)p->count, sizeof *p->part_points);
    if (!boxes || !number || !p->part_points) {
        return false;
    }
    for (int i = 0; i < shell_count; i++) {
        boxes[i] = WR_BOX_EMPTY;
    }
    for (int i = 0; i < p->count; i++) {
        boxes[shell[i]] =
            wr_box_add(boxes[shell[i]],
                       wr_v3((float)p->rest[i][0], (float)p->rest[i][1], (float)p->rest[i][2]));
        p->part[i] = -1;
    }
    for (int i = 0; i < p->count; i++) {
        wr_box box = boxes[shell[i]];
        if ((double)wr_distance(box.min, box.max) < SMALL_PART) {
            p->part[i] = p->vertex_count + shell[i];
        }
    }
    for (int v = 0; desc->rigid && v < p->vertex_count; v++) {
        if (desc->rigid[v] >= 0) {
            p->part[p->place[v]] = desc->rigid[v];
        }
    }
    for (int i = 0; i < p->count; i++) {
        number[p->part[i] >= 0 ? p->part[i] : 0] += p->part[i] >= 0;
    }
    int first = 0;
    for (int i = 0; i < shell_count + p->vertex_count; i++) {
        p->part_count += number[i] > 0;
    }
    p->parts = wri_arena_alloc(p->arena, (size_t)p->part_count, sizeof *p->parts);
    if (!p->parts) {
        return false;
    }
    int next = 0;
    for (int i = 0; i < shell_count + p->vertex_count; i++) {
        int size = number[i];
        number[i] = size > 0 ? next : -1;
        if (size > 0) {
            p->parts[next++] = (wri_plate_part){.first = first};
            first += size;
        }
    }
    for (int i = 0; i < p->count; i++) {
        if (p->part[i] < 0) {
            continue;
        }
        p->part[i] = number[p->part[i]];
        wri_plate_part *part = &p->parts[p->part[i]];
        p->part_points[part->first + part->count++] = i;
    }
    return true;
}

// A part is held when half of it is; its middle is that of its masses.
static void settle_parts(wri_plate *p)
{
    for (int i = 0; i < p->part_count; i++) {
        wri_plate_part *part = &p->parts[i];
        const int *points = p->part_points + part->first;
        int held = 0;
        double mass = 0.0;
        for (int k = 0; k < part->count; k++) {
            held += p->mobility[points[k]] == 0.0;
        }
        bool is_held = 2 * held > part->count;
        for (int k = 0; k < part->count; k++) {
            double *w = &p->mobility[points[k]];
            *w = is_held ? 0.0 : *w > 0.0 ? *w : (double)p->count;
            double m = *w > 0.0 ? 1.0 / *w : 1.0;
            mass += m;
            for (int c = 0; c < 3; c++) {
                part->middle[c] += m * p->rest[points[k]][c];
            }
        }
        for (int c = 0; c < 3; c++) {
            part->middle[c] /= mass;
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

static bool list_triangles(wri_plate *p, const wri_topology *s)
{
    p->triangles = wri_arena_alloc(p->arena, (size_t)s->triangle_count, sizeof *p->triangles);
    for (int t = 0; p->triangles && t < s->triangle_count; t++) {
        const int *c = s->corners + 3 * t;
        if (wri_takes_part(s->fate[t])) {
            memcpy(p->triangles[p->triangle_count++], c, 3 * sizeof *c);
        }
    }
    return p->triangles != NULL;
}

static double edge_length(const wri_plate *p, int a, int b)
{
    double d[3];
    subtract(p->rest[b], p->rest[a], d);
    return wri_length3(d);
}

static bool list_edges(wri_plate *p, const wri_topology *s, wri_array *edges)
{
    for (int e = 0; e < s->edge_count; e++) {
        int half = s->half_edges[s->edge_begin[e]];
        int ends[2] = {s->corners[half], s->corners[wri_next_half(half)]};
        if (is_stiff(p, ends, 2)) {
            continue;
        }
        wri_plate_edge *edge = wri_array_add(edges, 1);
        if (!edge) {
            return false;
        }
        *edge = (wri_plate_edge){ends[0], ends[1], edge_length(p, ends[0], ends[1])};
    }
    p->skin_edge_count = edges->count;
    return true;
}

// An even scatter in [-1, 1] that depends on the number alone.
static double scatter(int number)
{
    return (double)(wri_hash(&number, sizeof number, 7) >> 40) / (double)(1 << 23) - 1.0;
}

static void set_hinge(wri_plate *p, wri_plate_hinge *h, int number, const wr_crush_desc *desc)
{
    double u[4][3], length = edge_length(p, h->edge[0], h->edge[1]);
    if (!wri_hinge_angle((const double(*)[3])p->rest, h, &h->rest, u)) {
        h->rest = 0.0;
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
static bool list_hinges(wri_plate *p, const wri_topology *s, const wr_crush_desc *desc)
{
    wri_array hinges = wri_array_create(&desc->allocator, sizeof(wri_plate_hinge));
    bool ok = true;
    for (int e = 0; ok && e < s->edge_count; e++) {
        for (int i = s->edge_begin[e]; ok && i + 1 < s->edge_begin[e + 1]; i++) {
            int one = s->half_edges[i], two = s->half_edges[i + 1];
            int points[4] = {s->corners[wri_next_half(wri_next_half(one))],
                             s->corners[wri_next_half(wri_next_half(two))], s->corners[one],
                             s->corners[wri_next_half(one)]};
            if (is_stiff(p, points, 4) || points[0] == points[1]) {
                continue;
            }
            wri_plate_hinge *h = wri_array_add(&hinges, 1);
            ok = h != NULL;
            if (ok) {
                *h = (wri_plate_hinge){.wing = {points[0], points[1]},
                                       .edge = {points[2], points[3]}};
                set_hinge(p, h, hinges.count, desc);
            }
        }
    }
    p->hinges = ok ? wri_arena_alloc(p->arena, (size_t)hinges.count, sizeof *p->hinges) : NULL;
    if (p->hinges) {
        p->hinge_count = hinges.count;
        memcpy(p->hinges, hinges.items, (size_t)hinges.count * sizeof *p->hinges);
    }
    wri_array_destroy(&hinges);
    return p->hinges != NULL;
}

static bool keep_edges(wri_plate *p, const wri_array *edges)
{
    p->edges = wri_arena_alloc(p->arena, (size_t)edges->count, sizeof *p->edges);
    if (p->edges) {
        memcpy(p->edges, edges->items, (size_t)edges->count * sizeof *p->edges);
        p->edge_count = edges->count;
    }
    return p->edges != NULL;
}

// Four tenths of the mean edge, but not more than sheets of a body can be apart.
static void set_thickness(wri_plate *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->skin_edge_count; i++) {
        sum += p->edges[i].length;
    }
    double mean = p->skin_edge_count > 0 ? sum / p->skin_edge_count : 0.01;
    p->thickness = 0.4 * mean < 0.004 ? 0.4 * mean : 0.004;
    for (int i = 0; i < p->count; i++) {
        p->room[i] = p->thickness;
    }
}

bool wri_plate_build(wri_plate *p, wri_arena *arena, const wr_crush_desc *desc, const double way[3],
                     wr_error *error)
{
    *p = (wri_plate){.arena = arena, .patience = desc->patience};
    wri_topology s = {0};
    wri_array edges = wri_array_create(&desc->allocator, sizeof(wri_plate_edge));
    bool ok = wri_topology_begin(&s, arena, desc->mesh, 1e-6) && wri_topology_find_fates(&s) &&
              wri_topology_find_edges(&s) && alloc_points(p, &s) && wri_shells_find(&p->shells, &s);
    if (ok && s.size > 0.0) {
        place_points(p, &s);
    }
    if (ok && (!(s.size > 0.0) || !weigh_points(p, &s, way, desc->hold))) {
        wri_array_destroy(&edges);
        return wri_fail(error, WR_E_ARGUMENT, "the mesh has no area: there is nothing to crush");
    }
    ok = ok && find_parts(p, desc);
    if (ok) {
        settle_parts(p);
    }
    ok = ok && list_triangles(p, &s) && list_edges(p, &s, &edges) && list_hinges(p, &s, desc) &&
         wri_plate_tie(p, &s, &edges) && keep_edges(p, &edges);
    wri_array_destroy(&edges);
    if (ok) {
        set_thickness(p);
    }
    return ok || wri_fail_memory(error, 0);
}
