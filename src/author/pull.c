// pull.c: handles on vertices, and a lattice boundary that hugs the surface.
//
// Around an inner vertex of the lattice the star of tetrahedra is convex and reaches at least 0.71
// cubes far, while the nearest vertex of any point is at most 0.56 cubes away: a handle inside can
// always have its nearest vertex, unless handles are as close as vertices.
#include "pull.h"

#define LEAST 0.1          // least volume after pulling, as a part of a regular tetrahedron's
#define LEAST_SNAPPED 0.02 // the same after snapping
#define LEAST_ADDED 1e-6   // the same after putting a new vertex in

enum { GRAIN = 256, HALVINGS = 5, REACHES = 2 };

static const wr_vec3 *points(const wri_body *b)
{
    return b->x.items;
}

static double volume_of(const wr_vec3 p[4])
{
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        e[i][0] = (double)p[i + 1].x - p[0].x;
        e[i][1] = (double)p[i + 1].y - p[0].y;
        e[i][2] = (double)p[i + 1].z - p[0].z;
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

static const int *corners_of(const wri_body *b, int tetrahedron)
{
    return &((const int *)b->tetrahedra.items)[4 * (size_t)tetrahedron];
}

// The volume when vertex stands at p.
static double volume_with(const wri_body *b, int tetrahedron, int vertex, wr_vec3 p)
{
    const int *c = corners_of(b, tetrahedron);
    wr_vec3 q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = c[k] == vertex ? p : points(b)[c[k]];
    }
    return volume_of(q);
}

double wri_body_volume(const wri_body *body, int tetrahedron)
{
    return volume_with(body, tetrahedron, -1, wr_v3(0, 0, 0));
}

static bool allocate(wri_body *b, const wri_bcc *bcc)
{
    return wri_array_add(&b->x, bcc->vertex_count) &&
           wri_array_add(&b->is_boundary, bcc->vertex_count) &&
           wri_array_add(&b->is_fixed, bcc->vertex_count) &&
           wri_array_add(&b->tetrahedra, bcc->tetrahedron_count);
}

bool wri_body_create(wri_body *body, const wri_bcc *bcc, const wr_allocator *allocator,
                     wr_error *error)
{
    double unit = bcc->grid.unit;
    *body = (wri_body){.x = wri_array_create(allocator, sizeof(wr_vec3)),
                       .tetrahedra = wri_array_create(allocator, 4 * sizeof(int)),
                       .is_boundary = wri_array_create(allocator, 1),
                       .is_fixed = wri_array_create(allocator, 1),
                       .regular = WRI_BCC_VOLUME * unit * unit * unit};
    if (!allocate(body, bcc)) {
        return wri_fail_memory(error, (size_t)bcc->tetrahedron_count * 4 * sizeof(int));
    }
    size_t size = (size_t)bcc->tetrahedron_count * 4 * sizeof(int);
    memcpy(body->tetrahedra.items, bcc->tetrahedra, size);
    uint8_t *star = body->is_boundary.items;
    for (int i = 0; i < 4 * bcc->tetrahedron_count; i++) {
        star[bcc->tetrahedra[i]]++;
    }
    wr_vec3 *x = body->x.items;
    for (int i = 0; i < bcc->vertex_count; i++) {
        const double *p = &bcc->positions[3 * (size_t)i];
        x[i] = wr_v3((float)p[0], (float)p[1], (float)p[2]);
        star[i] = star[i] < WRI_BCC_STAR;
    }
    for (int i = 0; i < bcc->tetrahedron_count; i++) {
        if (!(wri_body_volume(body, i) > 0.5 * body->regular)) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "the mesh is too far from the origin, or too large or small, for a "
                            "lattice with cubes of %g m in float numbers",
                            2.0 * unit);
        }
    }
    return true;
}

void wri_body_destroy(wri_body *body)
{
    wri_array_destroy(&body->x);
    wri_array_destroy(&body->tetrahedra);
    wri_array_destroy(&body->is_boundary);
    wri_array_destroy(&body->is_fixed);
}

// --- handles ----------------------------------------------------------------------------------

// True when all tetrahedra around the vertex keep this part of a regular one's volume.
static bool may_stand(const wri_body *b, int vertex, wr_vec3 p, double least)
{
    for (int i = 0; i < b->tetrahedra.count; i++) {
        const int *c = corners_of(b, i);
        if ((c[0] == vertex || c[1] == vertex || c[2] == vertex || c[3] == vertex) &&
            !(volume_with(b, i, vertex, p) >= least * b->regular)) {
            return false;
        }
    }
    return true;
}

// The nearest vertex farther than `beyond` (in order of distance, then number), -1: none.
static int next_nearest(const wri_body *b, wr_vec3 p, double *beyond, int *last)
{
    int best = -1;
    double best_distance = INFINITY;
    for (int i = 0; i < b->x.count; i++) {
        wr_vec3 q = points(b)[i];
        double x = (double)q.x - p.x, y = (double)q.y - p.y, z = (double)q.z - p.z;
        double d = x * x + y * y + z * z;
        if ((d > *beyond || (d == *beyond && i > *last)) && d < best_distance) {
            best = i, best_distance = d;
        }
    }
    *beyond = best_distance;
    *last = best;
    return best;
}

// A tetrahedron becomes four around p.
static bool add_vertex(wri_body *b, wr_vec3 p, int *vertex, wr_error *error)
{
    double best = LEAST_ADDED * b->regular;
    int home = -1;
    for (int i = 0; i < b->tetrahedra.count; i++) {
        const int *c = corners_of(b, i);
        double least = INFINITY;
        for (int k = 0; k < 4 && least > best; k++) {
            least = fmin(least, volume_with(b, i, c[k], p));
        }
        if (least > best) {
            best = least, home = i;
        }
    }
    *vertex = -1;
    if (home < 0) {
        return true;
    }
    wr_vec3 *x = wri_array_add(&b->x, 1);
    uint8_t *fixed = wri_array_add(&b->is_fixed, 1);
    int(*new)[4] = wri_array_add(&b->tetrahedra, 3);
    if (!x || !fixed || !new || !wri_array_add(&b->is_boundary, 1)) {
        return wri_fail_memory(error, sizeof *x);
    }
    int *old = &((int *)b->tetrahedra.items)[4 * (size_t)home], number = b->x.count - 1;
    for (int k = 0; k < 3; k++) {
        memcpy(new[k], old, sizeof *new);
        new[k][k] = number;
    }
    old[3] = number;
    *x = p;
    *fixed = 1;
    *vertex = number;
    return true;
}

bool wri_body_snap(wri_body *body, wr_vec3 p, wri_snap *how, int *vertex, wr_error *error)
{
    enum { TRIES = 8 };
    wr_vec3 *x = body->x.items;
    uint8_t *fixed = body->is_fixed.items;
    double beyond = -1.0;
    int last = -1;
    *how = WRI_SNAP_MOVED;
    for (int i = 0; i < TRIES; i++) {
        int v = next_nearest(body, p, &beyond, &last);
        if (v < 0) {
            break;
        }
        if (fixed[v] ? beyond == 0.0 : may_stand(body, v, p, LEAST_SNAPPED)) {
            x[v] = p;
            fixed[v] = 1;
            *vertex = v;
            return true;
        }
    }
    if (!add_vertex(body, p, vertex, error)) {
        return false;
    }
    *how = *vertex < 0 ? WRI_SNAP_FAILED : WRI_SNAP_ADDED;
    return true;
}

// --- pulling ----------------------------------------------------------------------------------

typedef struct puller {
    wri_body *body;
    const wri_soup *soup;
    int *star_begin, *star; // tetrahedra around each vertex
    wr_vec3 *target;
    float *step; // part of the way there
    uint8_t *is_held;
    float spread; // part of the way to the middle of the neighbours
} puller;

static bool find_stars(puller *p, wri_arena *arena)
{
    const wri_body *b = p->body;
    size_t n = (size_t)b->x.count, corners = 4 * (size_t)b->tetrahedra.count;
    const int *c = b->tetrahedra.items;
    p->star_begin = wri_arena_alloc(arena, n + 2, sizeof(int));
    p->star = wri_arena_alloc(arena, corners, sizeof(int));
    p->target = wri_arena_alloc(arena, n, sizeof *p->target);
    p->step = wri_arena_alloc(arena, n, sizeof *p->step);
    p->is_held = wri_arena_alloc(arena, n, 1);
    if (!p->star_begin || !p->star || !p->target || !p->step || !p->is_held) {
        return false;
    }
    for (size_t i = 0; i < corners; i++) {
        p->star_begin[c[i] + 2]++;
    }
    for (size_t i = 0; i < n; i++) {
        p->star_begin[i + 2] += p->star_begin[i + 1];
    }
    for (size_t i = 0; i < corners; i++) {
        p->star[p->star_begin[c[i] + 1]++] = (int)(i / 4);
    }
    return true;
}

// The middle of the neighbours, each as often as it shares a tetrahedron.
static wr_vec3 middle_of(const puller *p, int vertex, bool boundary_only)
{
    const wri_body *b = p->body;
    const uint8_t *is_boundary = b->is_boundary.items;
    double sum[3] = {0};
    int count = 0;
    for (int i = p->star_begin[vertex]; i < p->star_begin[vertex + 1]; i++) {
        const int *c = corners_of(b, p->star[i]);
        for (int k = 0; k < 4; k++) {
            if (c[k] != vertex && (!boundary_only || is_boundary[c[k]])) {
                wr_vec3 q = points(b)[c[k]];
                sum[0] += q.x, sum[1] += q.y, sum[2] += q.z;
                count++;
            }
        }
    }
    if (count == 0) {
        return points(b)[vertex];
    }
    return wr_v3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count));
}

static void aim_block(void *context, int block, int begin, int end)
{
    (void)block;
    puller *p = context;
    const uint8_t *is_boundary = p->body->is_boundary.items;
    for (int i = begin; i < end; i++) {
        wr_vec3 aim = wr_lerp3(points(p->body)[i], middle_of(p, i, is_boundary[i]), p->spread);
        if (is_boundary[i]) {
            wri_soup_point n = wri_soup_nearest(p->soup, (double[3]){aim.x, aim.y, aim.z});
            aim = wr_v3((float)n.point[0], (float)n.point[1], (float)n.point[2]);
        }
        p->target[i] = aim;
    }
}

// Nothing gets flatter than LEAST, and what already is (near a handle) no flatter than it is.
static bool is_allowed(const puller *p, int tetrahedron)
{
    const wri_body *b = p->body;
    const int *c = corners_of(b, tetrahedron);
    wr_vec3 q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = wr_lerp3(points(b)[c[k]], p->target[c[k]], p->step[c[k]]);
    }
    double after = volume_of(q);
    return after >= LEAST * b->regular || after >= wri_body_volume(b, tetrahedron);
}

// All at once: what is too flat holds all of its corners back. Nobody comes first, so that
// symmetric shapes stay symmetric. In the end some stay where they are, until all is allowed.
static void move_vertices(puller *p)
{
    wri_body *b = p->body;
    wr_vec3 *x = b->x.items;
    const uint8_t *fixed = b->is_fixed.items;
    bool held = true;
    for (int i = 0; i < b->x.count; i++) {
        p->step[i] = fixed[i] ? 0.0f : 1.0f;
    }
    for (int round = 0; held; round++) {
        held = false;
        memset(p->is_held, 0, (size_t)b->x.count);
        for (int i = 0; i < b->tetrahedra.count; i++) {
            bool flat = !is_allowed(p, i);
            for (int k = 0; flat && k < 4; k++) {
                p->is_held[corners_of(b, i)[k]] = 1;
            }
        }
        for (int i = 0; i < b->x.count; i++) {
            if (p->is_held[i] && p->step[i] > 0.0f) {
                p->step[i] = round < HALVINGS ? 0.5f * p->step[i] : 0.0f;
                held = true;
            }
        }
    }
    for (int i = 0; i < b->x.count; i++) {
        x[i] = p->step[i] > 0.0f ? wr_lerp3(x[i], p->target[i], p->step[i]) : x[i];
    }
}

// --- corners ----------------------------------------------------------------------------------

typedef struct reacher {
    puller *p;
    wri_soup vertices; // the boundary's, as triangles without extent
    uint64_t *samples; // vertices of the surface
    int *nearest;      // boundary vertex of each sample
} reacher;

static void nearest_block(void *context, int block, int begin, int end)
{
    (void)block;
    reacher *r = context;
    for (int i = begin; i < end; i++) {
        wr_vec3 q = r->p->soup->positions[r->samples[i]];
        wri_soup_point n = wri_soup_nearest(&r->vertices, (double[3]){q.x, q.y, q.z});
        r->nearest[i] = n.triangle < 0 ? -1 : r->vertices.triangles[3 * (size_t)n.triangle];
    }
}

static bool find_samples(reacher *r, wri_arena *arena, int *count)
{
    const wri_soup *soup = r->p->soup;
    int corners = 3 * soup->triangle_count;
    r->samples = wri_arena_alloc(arena, (size_t)corners, sizeof *r->samples);
    r->nearest = wri_arena_alloc(arena, (size_t)corners, sizeof *r->nearest);
    if (!r->samples || !r->nearest) {
        return false;
    }
    for (int i = 0; i < corners; i++) {
        r->samples[i] = (uint64_t)soup->triangles[i];
    }
    *count = wri_keys_sort(r->samples, corners);
    return true;
}

static bool build_vertices(reacher *r, wri_arena *arena)
{
    const wri_body *b = r->p->body;
    int *triangles = wri_arena_alloc(arena, (size_t)b->x.count, 3 * sizeof(int)), count = 0;
    for (int i = 0; triangles && i < b->x.count; i++) {
        if (WRI_ITEM(b->is_boundary, uint8_t, i)) {
            triangles[3 * count] = triangles[3 * count + 1] = triangles[3 * count + 2] = i;
            count++;
        }
    }
    return triangles && wri_soup_build(&r->vertices, arena, b->x.items, triangles, count);
}

// Every boundary vertex goes to the vertex of the surface that sticks out farthest among those
// nearest to it, when that is farther than a part of the spacing. *height: working memory.
static void aim_at_corners(reacher *r, int sample_count, float *height)
{
    puller *p = r->p;
    const wri_body *b = p->body;
    float least = 0.4f * (float)cbrt(b->regular / WRI_BCC_VOLUME);
    for (int i = 0; i < b->x.count; i++) {
        p->target[i] = points(b)[i];
        height[i] = least;
    }
    for (int i = 0; i < sample_count; i++) {
        int v = r->nearest[i];
        if (v < 0) {
            continue;
        }
        wr_vec3 q = p->soup->positions[r->samples[i]], x = points(b)[v];
        wr_vec3 out = wr_normalize(wr_sub(x, middle_of(p, v, false)));
        float h = wr_dot(out, wr_sub(q, x));
        if (h > height[v]) {
            height[v] = h;
            p->target[v] = q;
        }
    }
}

// Nearest points alone would leave corners and tips outside.
static bool reach_for_corners(puller *p, const wr_tasks *tasks, wri_arena *arena)
{
    reacher r = {.p = p};
    int count = 0;
    float *height = wri_arena_alloc(arena, (size_t)p->body->x.count, sizeof *height);
    if (!height || !find_samples(&r, arena, &count) || !build_vertices(&r, arena)) {
        return false;
    }
    wri_parallel_for(tasks, count, GRAIN, nearest_block, &r);
    aim_at_corners(&r, count, height);
    move_vertices(p);
    return true;
}

bool wri_body_pull(wri_body *body, const wri_soup *soup, int passes, const wr_tasks *tasks,
                   wr_error *error)
{
    wri_arena arena = wri_arena_create(&body->x.allocator);
    puller p = {.body = body, .soup = soup};
    bool ok = find_stars(&p, &arena) || wri_fail_memory(error, arena.total);
    for (int i = 0; ok && i < passes; i++) {
        p.spread = i == passes - 1 ? 0.0f : 0.5f;
        wri_parallel_for(tasks, body->x.count, GRAIN, aim_block, &p);
        move_vertices(&p);
    }
    for (int i = 0; ok && i < REACHES && passes > 0; i++) {
        ok = reach_for_corners(&p, tasks, &arena) || wri_fail_memory(error, arena.total);
    }
    wri_arena_destroy(&arena);
    return ok;
}

double wri_body_gap(const wri_body *body, const wri_soup *soup)
{
    double gap2 = 0.0;
    for (int i = 0; i < body->x.count; i++) {
        if (WRI_ITEM(body->is_boundary, uint8_t, i) && !WRI_ITEM(body->is_fixed, uint8_t, i)) {
            wr_vec3 p = points(body)[i];
            gap2 = fmax(gap2, wri_soup_nearest(soup, (double[3]){p.x, p.y, p.z}).distance2);
        }
    }
    return sqrt(gap2);
}
