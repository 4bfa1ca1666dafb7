// meet.c: where skins meet each other, and a skin itself.
//
// Two stages. Boxes around what each bone carries find patches that may meet (the thesis' proxies
// of the bones); then the nodes of one are compared with the triangles of the other, exactly,
// through a grid over what the two boxes share, or both are drawn on a plane (raster.c). A node
// meets the nearest triangle that faces it. Of a body's own triangles those count that lie farther
// off in the bind pose than skin gives way.
#include "meet.h"

#include "../math/triangle.h"
#include "../math/turn.h"

enum {
    CELLS_MAX = 32768, // of a grid
    PAIRS_FEW = 2048,  // nodes times triangles: no grid is needed
};
static const float MARGIN = 0.25f;    // edges: what is nearer than that may be met in this step
static const float CLEAR = 3.0f;      // edges: how far a body looks for itself, at most
static const float STEPS = 4.0f;      // fewer than that it is not worth it
static const double STRAIGHT = 2.5;   // 1 + 2 cos of the angle that adjacent bones turn: 40 degrees
static const float DEEP = 1.0f;       // edges: what overlaps by more has come out elsewhere
static const float OWN_EDGES = 3.0f;  // nearer than that in the bind pose, and than
static const float OWN_LAYERS = 2.0f; // so many thicknesses, is the same part of a body;
static const float CREASE = 6.0f;     // and so many where the bones are adjacent: skin folds there

// --- patches ----------------------------------------------------------------------------------

// Items sorted by the bone of each.
static void sort_by_bone(const int *bone_of, int count, int *begin, int bones, int *out)
{
    for (int i = 0; i < count; i++) {
        begin[bone_of[i] + 1]++;
    }
    for (int i = 0; i < bones; i++) {
        begin[i + 1] += begin[i];
    }
    for (int i = 0; i < count; i++) {
        out[begin[bone_of[i]]++] = i;
    }
    for (int i = bones; i > 0; i--) {
        begin[i] = begin[i - 1];
    }
    begin[0] = 0;
}

// Bones that are joined, or move the same triangle.
static void find_adjacent(const wr_flesh_model *m, bool *adjacent)
{
    enum { CORNERS = 3 * WRI_FLESH_BONES };
    for (int i = 0; i < m->joint_count; i++) {
        int a = m->joints[i].a, b = m->joints[i].b;
        adjacent[a * m->bone_count + b] = adjacent[b * m->bone_count + a] = true;
    }
    for (int t = 0; t < m->triangle_count; t++) {
        int bones[CORNERS], count = 0;
        for (int k = 0; k < CORNERS; k++) {
            int e = m->triangles[3 * t + k / WRI_FLESH_BONES] * WRI_FLESH_BONES;
            e += k % WRI_FLESH_BONES;
            if (m->weights[e] > 0.0f) {
                bones[count++] = m->bone_ids[e];
            }
        }
        for (int k = 0; k < count * count; k++) {
            adjacent[bones[k / count] * m->bone_count + bones[k % count]] = true;
        }
    }
}

// How far from a bone those are that it moves, at rest.
static void find_radii(const wr_flesh_model *m, float *radii)
{
    for (int e = 0; e < m->node_count * WRI_FLESH_BONES; e++) {
        const double *o = m->bones[m->bone_ids[e]].origin;
        f4 off = m->rest[e / WRI_FLESH_BONES] - (f4){(float)o[0], (float)o[1], (float)o[2], 0.0f};
        off[3] = 0.0f;
        float *radius = &radii[m->bone_ids[e]];
        *radius = m->weights[e] > 0.0f ? fmaxf(*radius, sqrtf(f4_dot(off, off))) : *radius;
    }
}

static float mean_edge(const wr_flesh_model *m)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * m->triangle_count; i++) {
        int next = i % 3 < 2 ? i + 1 : i - 2;
        f4 edge = m->rest[m->triangles[next]] - m->rest[m->triangles[i]];
        edge[3] = 0.0f;
        sum += sqrt((double)f4_dot(edge, edge));
    }
    return (float)(sum / (3 * m->triangle_count));
}

bool wri_patches_create(wri_patches *out, wr_flesh_model *m)
{
    size_t n = (size_t)m->node_count, t = (size_t)m->triangle_count, k = (size_t)m->bone_count;
    size_t most = n > t ? n : t;
    int *bone_of = wri_alloc(&m->arena.allocator, most, sizeof *bone_of);
    *out = (wri_patches){wri_arena_alloc(&m->arena, k + 1, sizeof(int)),
                         wri_arena_alloc(&m->arena, n, sizeof(int)),
                         wri_arena_alloc(&m->arena, k + 1, sizeof(int)),
                         wri_arena_alloc(&m->arena, t, sizeof(int)),
                         wri_arena_alloc(&m->arena, k, sizeof(float)),
                         wri_arena_alloc(&m->arena, k * k, sizeof(bool)),
                         mean_edge(m)};
    bool ok = bone_of && out->node_begin && out->nodes && out->triangle_begin && out->triangles &&
              out->radii && out->adjacent;
    if (ok) {
        find_adjacent(m, out->adjacent);
        find_radii(m, out->radii);
        for (int i = 0; i < m->node_count; i++) {
            bone_of[i] = m->bone_ids[i * WRI_FLESH_BONES];
        }
        sort_by_bone(bone_of, m->node_count, out->node_begin, m->bone_count, out->nodes);
        for (int i = 0; i < m->triangle_count; i++) {
            bone_of[i] = m->bone_ids[m->triangles[3 * i] * WRI_FLESH_BONES];
        }
        sort_by_bone(bone_of, m->triangle_count, out->triangle_begin, m->bone_count,
                     out->triangles);
    }
    wri_free(&m->arena.allocator, bone_of, most, sizeof *bone_of);
    return ok;
}

// --- skins ------------------------------------------------------------------------------------

static void find_normals(const wri_skin *s)
{
    const wr_flesh_model *m = s->f->model;
    for (int i = 0; i < m->triangle_count; i++) {
        const int *t = &m->triangles[3 * i];
        wr_vec3 n = wr_cross(wr_sub(s->x[t[1]], s->x[t[0]]), wr_sub(s->x[t[2]], s->x[t[0]]));
        for (int k = 0; k < 3; k++) {
            s->normals[t[k]] = wr_add(s->normals[t[k]], n);
        }
    }
    for (int i = 0; i < m->node_count; i++) {
        s->normals[i] = wr_normalize(s->normals[i]);
    }
}

// wr_min3 and wr_max3 call the C library for each number, which is most of the time here.
static inline wr_vec3 least(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline wr_vec3 most(wr_vec3 a, wr_vec3 b)
{
    return wr_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static void grow(wr_box *box, wr_box by)
{
    box->min = least(box->min, by.min);
    box->max = most(box->max, by.max);
}

static void find_boxes(const wri_skin *s)
{
    const wr_flesh_model *m = s->f->model;
    const wri_patches *p = &m->patches;
    for (int i = 0; i < m->triangle_count; i++) {
        const int *t = &m->triangles[3 * i];
        wr_vec3 a = s->x[t[0]], b = s->x[t[1]], c = s->x[t[2]];
        s->hulls[i] = (wr_box){least(least(a, b), c), most(most(a, b), c)};
    }
    wr_box *all = &s->boxes[m->bone_count];
    *all = WR_BOX_EMPTY;
    for (int b = 0; b < m->bone_count; b++) {
        wr_box box = WR_BOX_EMPTY;
        for (int i = p->node_begin[b]; i < p->node_begin[b + 1]; i++) {
            wr_vec3 x = s->x[p->nodes[i]];
            grow(&box, (wr_box){x, x});
        }
        for (int i = p->triangle_begin[b]; i < p->triangle_begin[b + 1]; i++) {
            grow(&box, s->hulls[p->triangles[i]]);
        }
        s->boxes[b] = box;
        grow(all, box);
    }
}

// m/s: how fast what a bone carries is, seen from the first bone, at most. `far`: how far nodes are
// from where they are at rest.
static float fastest_within(const wri_flesh *f, float far)
{
    const wri_flesh_pose *first = &f->bones[0];
    double omega[3], fastest = 0.0;
    wri_apply(WRI_MATRIX(f->Q[0].m), first->alpha, omega);
    for (int b = 1; b < f->model->bone_count; b++) {
        const wri_flesh_pose *bone = &f->bones[b];
        double arm[3], v[3], turn[3];
        wri_apply(WRI_MATRIX(f->Q[b].m), bone->alpha, turn);
        for (int k = 0; k < 3; k++) {
            arm[k] = bone->c[k] - first->c[k];
        }
        wri_cross3(omega, arm, v);
        for (int k = 0; k < 3; k++) {
            v[k] = bone->v[k] - first->v[k] - v[k];
            turn[k] -= omega[k];
        }
        double radius = (double)(f->model->patches.radii[b] + far);
        fastest = fmax(fastest, sqrt(wri_dot3(v, v)) + radius * sqrt(wri_dot3(turn, turn)));
    }
    return (float)fastest;
}

// A box around all of it, and how far it may go in a step, from its bones: nodes are not looked at
// one by one.
static void find_bounds(wri_skin *s)
{
    const wri_flesh *f = s->f;
    const wr_flesh_model *m = f->model;
    float far = 0.0f, fast = 0.0f;
    for (int i = 0; i < m->node_count; i++) {
        float q = f4_dot(f->q[i], f->q[i]), v = f4_dot(f->v[i], f->v[i]);
        far = q > far ? q : far;
        fast = v > fast ? v : fast;
    }
    float reach = 0.0f;
    s->bounds = WR_BOX_EMPTY;
    for (int b = 0; b < m->bone_count; b++) {
        const wri_flesh_pose *bone = &f->bones[b];
        float radius = m->patches.radii[b] + sqrtf(far);
        wr_vec3 c = wr_v3((float)bone->c[0], (float)bone->c[1], (float)bone->c[2]);
        wr_vec3 more = wr_v3(radius, radius, radius);
        double turn = sqrt(wri_dot3(bone->alpha, bone->alpha));
        double speed = sqrt(wri_dot3(bone->v, bone->v)) + turn * (double)radius;
        grow(&s->bounds, (wr_box){wr_sub(c, more), wr_add(c, more)});
        reach = fmaxf(reach, (float)speed);
    }
    s->reach = MARGIN * m->patches.edge + m->dt * (reach + sqrtf(fast));
    s->way = m->dt * (fastest_within(f, sqrtf(far)) + sqrtf(fast));
}

// How far from its bone, and how fast on it, what a bone carries is at most.
static void find_motions(const wri_skin *s)
{
    const wri_flesh *f = s->f;
    const wri_patches *p = &f->model->patches;
    for (int b = 0; b < f->model->bone_count; b++) {
        const double *c = f->bones[b].c;
        const wr_vec3 origin = wr_v3((float)c[0], (float)c[1], (float)c[2]);
        float far = 0.0f, fast = 0.0f;
        for (int i = p->node_begin[b]; i < p->node_begin[b + 1]; i++) {
            wr_vec3 arm = wr_sub(s->x[p->nodes[i]], origin);
            far = fmaxf(far, wr_dot(arm, arm));
            fast = fmaxf(fast, f4_dot(f->v[p->nodes[i]], f->v[p->nodes[i]]));
        }
        s->radii[b] = sqrtf(far);
        s->fastest[b] = sqrtf(fast);
    }
}

static bool begin_skin(wri_skin *s, wr_scratch *scratch)
{
    const wr_flesh_model *m = s->f->model;
    size_t n = (size_t)m->node_count;
    s->x = wr_scratch_push(scratch, n, sizeof *s->x);
    s->normals = wr_scratch_push(scratch, n, sizeof *s->normals);
    s->met = wr_scratch_push(scratch, n, sizeof *s->met);
    s->boxes = wr_scratch_push(scratch, (size_t)m->bone_count + 1, sizeof *s->boxes);
    s->hulls = wr_scratch_push(scratch, (size_t)m->triangle_count, sizeof *s->hulls);
    s->radii = wr_scratch_push(scratch, (size_t)m->bone_count, sizeof *s->radii);
    s->fastest = wr_scratch_push(scratch, (size_t)m->bone_count, sizeof *s->fastest);
    if (!s->x || !s->normals || !s->met || !s->boxes || !s->hulls || !s->radii || !s->fastest) {
        return false;
    }
    for (int i = 0; i < m->node_count; i++) {
        s->x[i] = wri_flesh_place(s->f, i);
        s->met[i] = -1;
    }
    find_normals(s);
    find_boxes(s);
    find_motions(s);
    return true;
}

// --- nodes and triangles ----------------------------------------------------------------------

bool wri_is_near_at_rest(const wr_flesh_model *m, int node, const int *t, const float w[3])
{
    f4 off = w[0] * m->rest[t[0]] + w[1] * m->rest[t[1]] + w[2] * m->rest[t[2]] - m->rest[node];
    float layer = fmaxf(m->rest[node][3], m->rest[t[0]][3]);
    int i = m->bone_ids[node * WRI_FLESH_BONES], k = m->bone_ids[t[0] * WRI_FLESH_BONES];
    bool is_crease = m->patches.adjacent[i * m->bone_count + k];
    float near = fmaxf(OWN_EDGES * m->patches.edge, (is_crease ? CREASE : OWN_LAYERS) * layer);
    off[3] = 0.0f;
    return f4_dot(off, off) < near * near;
}

void wri_flesh_keep_meeting(const wri_visit *v, wri_flesh_contact c)
{
    wri_array *list = &v->all->list;
    int *met = &v->a->met[c.node];
    if (*met >= 0 && WRI_ITEM(*list, wri_flesh_contact, *met).distance <= c.distance) {
        return;
    }
    if (*met < 0) {
        *met = list->count;
        if (!wri_array_add(list, 1)) {
            *met = -1;
            return;
        }
    }
    c.member = v->a->body;
    c.body = WRI_FLESH - v->b->body;
    c.other = v->b->body;
    c.point = v->a->x[c.node];
    WRI_ITEM(*list, wri_flesh_contact, *met) = c;
}

static void compare(const wri_visit *v, int node, int triangle)
{
    const wr_flesh_model *m = v->b->f->model;
    const int *t = &m->triangles[3 * triangle];
    const wr_vec3 *x = v->b->x;
    wr_vec3 p = v->a->x[node];
    float w[3], far = v->look > v->deep ? v->look : v->deep;
    const wri_array *found = &v->all->list;
    int met = v->a->met[node];
    if (met >= 0) { // what is farther off than that does not count
        far = fminf(far, WRI_ITEM(*found, wri_flesh_contact, met).distance);
    }
    far += 3.0f * m->patches.edge;
    wr_vec3 corner = wr_sub(p, x[t[0]]);
    if (!(wr_dot(corner, corner) < far * far) ||
        wr_dot(v->a->normals[node], v->b->normals[t[0]]) > 0.5f) {
        return;
    }
    wri_nearest_in_triangle(p, x[t[0]], x[t[1]], x[t[2]], w);
    if (v->a == v->b && wri_is_near_at_rest(m, node, t, w)) {
        return;
    }
    wr_vec3 off = wr_sub(p, wri_mix_corners(x, t, w)),
            n = wr_normalize(wri_mix_corners(v->b->normals, t, w));
    float gap = wr_dot(off, n), away = wr_length(off);
    *v->clear = fminf(*v->clear, away);
    if (!(gap < v->margin) || !(away < (gap < 0.0f ? v->deep : v->margin)) ||
        !(wr_dot(v->a->normals[node], n) < 0.0f)) {
        return;
    }
    wri_flesh_keep_meeting(v, (wri_flesh_contact){.node = node,
                                                  .corners = {t[0], t[1], t[2]},
                                                  .shares = {w[0], w[1], w[2]},
                                                  .normal = n,
                                                  .gap = gap,
                                                  .distance = away});
}

// --- grids ------------------------------------------------------------------------------------

// Triangles by the cells they reach, over a box.
typedef struct grid {
    wr_vec3 origin;
    float cell; // metres
    int size[3];
    int *begin, *items;
} grid;

static int cell_of(const grid *g, float x, float origin, int axis)
{
    int i = (int)floorf((x - origin) / g->cell);
    return i < 0 ? 0 : i >= g->size[axis] ? g->size[axis] - 1 : i;
}

static void range_of(const grid *g, wr_box box, int low[3], int high[3])
{
    low[0] = cell_of(g, box.min.x, g->origin.x, 0);
    low[1] = cell_of(g, box.min.y, g->origin.y, 1);
    low[2] = cell_of(g, box.min.z, g->origin.z, 2);
    high[0] = cell_of(g, box.max.x, g->origin.x, 0);
    high[1] = cell_of(g, box.max.y, g->origin.y, 1);
    high[2] = cell_of(g, box.max.z, g->origin.z, 2);
}

// Counts triangles in cells, or lists them.
static void enter(const wri_visit *v, grid *g, const int *triangles, int count, float reach,
                  bool lists)
{
    for (int i = 0; i < count; i++) {
        wr_box box = v->b->hulls[triangles[i]];
        wr_vec3 more = wr_v3(reach, reach, reach);
        box.min = wr_sub(box.min, more);
        box.max = wr_add(box.max, more);
        int low[3], high[3];
        range_of(g, box, low, high);
        for (int z = low[2]; z <= high[2]; z++) {
            for (int y = low[1]; y <= high[1]; y++) {
                for (int x = low[0]; x <= high[0]; x++) {
                    int cell = x + g->size[0] * (y + g->size[1] * z);
                    if (lists) {
                        g->items[g->begin[cell + 1]++] = triangles[i];
                    } else {
                        g->begin[cell + 2]++;
                    }
                }
            }
        }
    }
}

static bool build(const wri_visit *v, grid *g, wr_box box, const int *triangles, int count,
                  float reach, wr_scratch *scratch)
{
    wr_vec3 d = wr_sub(box.max, box.min);
    g->origin = box.min;
    g->cell = 2.0f * (v->b->f->model->patches.edge + reach);
    int cells;
    do {
        g->size[0] = 1 + (int)(d.x / g->cell);
        g->size[1] = 1 + (int)(d.y / g->cell);
        g->size[2] = 1 + (int)(d.z / g->cell);
        double product = (double)g->size[0] * g->size[1] * g->size[2];
        cells = product <= CELLS_MAX ? (int)product : 0;
        g->cell *= cells > 0 ? 1.0f : 1.5f;
    } while (cells == 0);
    g->begin = wr_scratch_push(scratch, (size_t)cells + 2, sizeof *g->begin);
    if (!g->begin) {
        return false;
    }
    enter(v, g, triangles, count, reach, false);
    for (int i = 1; i <= cells; i++) { // begin[cell + 1]: where it begins, and ends when all are in
        g->begin[i + 1] += g->begin[i];
    }
    g->items = wr_scratch_push(scratch, (size_t)g->begin[cells + 1], sizeof *g->items);
    if (!g->items) {
        return false;
    }
    enter(v, g, triangles, count, reach, true);
    return true;
}

// --- patches that may meet --------------------------------------------------------------------

// The items of a list whose boxes meet a box.
static int select_nodes(const wri_skin *s, int bone, wr_box box, float margin, int *out)
{
    const wri_patches *p = &s->f->model->patches;
    int count = 0;
    for (int i = p->node_begin[bone]; i < p->node_begin[bone + 1]; i++) {
        wr_vec3 x = s->x[p->nodes[i]];
        if (wri_boxes_meet((wr_box){x, x}, box, margin)) {
            out[count++] = p->nodes[i];
        }
    }
    return count;
}

static int select_triangles(const wri_visit *v, int bone, wr_box box, int *out)
{
    const wri_patches *p = &v->b->f->model->patches;
    int count = 0;
    for (int i = p->triangle_begin[bone]; i < p->triangle_begin[bone + 1]; i++) {
        if (wri_boxes_meet(v->b->hulls[p->triangles[i]], box, v->look)) {
            out[count++] = p->triangles[i];
        }
    }
    return count;
}

static bool visit_few(const wri_visit *v, const int *nodes, int node_count, const int *triangles,
                      int triangle_count)
{
    for (int i = 0; i < node_count; i++) {
        for (int k = 0; k < triangle_count; k++) {
            compare(v, nodes[i], triangles[k]);
        }
    }
    return true;
}

static bool visit_many(const wri_visit *v, wr_box box, const int *nodes, int node_count,
                       const int *triangles, int triangle_count, wr_scratch *scratch)
{
    grid g;
    if (!build(v, &g, box, triangles, triangle_count, fmaxf(v->look, v->deep), scratch)) {
        return false;
    }
    for (int i = 0; i < node_count; i++) {
        int at[3], same[3];
        range_of(&g, (wr_box){v->a->x[nodes[i]], v->a->x[nodes[i]]}, at, same);
        int cell = at[0] + g.size[0] * (at[1] + g.size[1] * at[2]);
        for (int k = g.begin[cell]; k < g.begin[cell + 1]; k++) {
            compare(v, nodes[i], g.items[k]);
        }
    }
    return true;
}

static bool visit_patches(const wri_visit *v, int bone_a, int bone_b, wr_scratch *scratch)
{
    const wr_flesh_model *a = v->a->f->model, *b = v->b->f->model;
    wr_box box_a = v->a->boxes[bone_a], box_b = v->b->boxes[bone_b];
    size_t used = scratch->used;
    int *nodes = wr_scratch_push(scratch, (size_t)a->node_count, sizeof *nodes);
    int *triangles = wr_scratch_push(scratch, (size_t)b->triangle_count, sizeof *triangles);
    if (!nodes || !triangles) {
        return false;
    }
    int node_count = select_nodes(v->a, bone_a, box_b, v->look, nodes);
    int count = node_count > 0 ? select_triangles(v, bone_b, box_a, triangles) : 0;
    bool ok = (int64_t)node_count * count < PAIRS_FEW
                  ? visit_few(v, nodes, node_count, triangles, count)
                  : visit_many(v, box_b, nodes, node_count, triangles, count, scratch);
    scratch->used = used;
    return ok;
}

// Whether two bones of one body are joined, and too straight for their skin to meet.
static bool is_straight(const wri_flesh *f, int i, int k)
{
    double trace = 0.0;
    for (int e = 0; e < 9; e++) {
        trace += f->Q[i].m[e / 3][e % 3] * f->Q[k].m[e / 3][e % 3];
    }
    return f->model->patches.adjacent[i * f->model->bone_count + k] && trace > STRAIGHT;
}

// Metres: how far what two bones carry may come towards each other in a step, seen from one of
// them.
static float way_of_bones(const wri_skin *a, int i, const wri_skin *b, int k)
{
    const wri_flesh_pose *one = &a->f->bones[i], *other = &b->f->bones[k];
    double turn[3], omega[3], arm[3], v[3];
    wri_apply(WRI_MATRIX(a->f->Q[i].m), one->alpha, turn);
    wri_apply(WRI_MATRIX(b->f->Q[k].m), other->alpha, omega);
    for (int e = 0; e < 3; e++) {
        arm[e] = one->c[e] - other->c[e];
    }
    wri_cross3(omega, arm, v);
    for (int e = 0; e < 3; e++) {
        v[e] = one->v[e] - other->v[e] - v[e];
        turn[e] -= omega[e];
    }
    double speed = sqrt(wri_dot3(v, v)) + (double)a->radii[i] * sqrt(wri_dot3(turn, turn));
    return a->f->model->dt * ((float)speed + a->fastest[i] + b->fastest[k]);
}

static bool is_drawn(const wri_skin *a, const wri_skin *b)
{
    return a->f->detection == WR_FLESH_RASTER && b->f->detection == WR_FLESH_RASTER;
}

// Drawn patches meet both ways at once. Those of adjacent bones go on into each other, and are
// compared exactly.
static bool visit_bones(const wri_visit *v, int i, int k, wr_scratch *scratch)
{
    const wr_flesh_model *m = v->a->f->model;
    bool is_own = v->a == v->b;
    bool draws = is_drawn(v->a, v->b) && !(is_own && m->patches.adjacent[i * m->bone_count + k]);
    return !draws             ? visit_patches(v, i, k, scratch)
           : !is_own || i < k ? wri_flesh_draw_meetings(v, i, k, scratch)
                              : true;
}

static bool visit_bodies(const wri_visit *v, wr_scratch *scratch)
{
    int bones_a = v->a->f->model->bone_count, bones_b = v->b->f->model->bone_count;
    float edge = v->a->f->model->patches.edge + v->b->f->model->patches.edge;
    bool ok = true;
    for (int i = 0; ok && i < bones_a; i++) {
        for (int k = 0; ok && k < bones_b; k++) {
            bool is_one = v->a == v->b && (i == k || is_straight(v->a->f, i, k));
            wri_visit pair = *v;
            pair.margin = fminf(v->margin, MARGIN * edge + way_of_bones(v->a, i, v->b, k));
            pair.look = v->look > v->margin ? v->look : pair.margin;
            if (!is_one && wri_boxes_meet(v->a->boxes[i], v->b->boxes[k], pair.look)) {
                ok = visit_bones(&pair, i, k, scratch);
            }
        }
    }
    return ok;
}

static bool may_meet(const wri_skin *a, const wri_skin *b)
{
    return (a->f->collides & b->f->group) && (b->f->collides & a->f->group);
}

// Along a direction of the world, what bones make of a vector of the bind pose.
static float part_along(const wri_flesh *f, int node, f4 vector, wr_vec3 direction)
{
    const wr_flesh_model *m = f->model;
    const double local[3] = {(double)vector[0], (double)vector[1], (double)vector[2]};
    double sum = 0.0;
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        double v[3];
        wri_apply(WRI_MATRIX(f->Q[m->bone_ids[e]].m), local, v);
        sum += (double)m->weights[e] * (v[0] * (double)direction.x + v[1] * (double)direction.y +
                                        v[2] * (double)direction.z);
    }
    return (float)sum;
}

// Bones that nothing can move, and that come nearer to each other than both their layers are thick
// when they are pressed onto their cores, take their skins into each other: these give way along
// the normal, by what they are displaced against each other, as far as that and no farther.
static void yield_to_bones(const wri_flesh *a, const wri_flesh *b, wri_flesh_contact *c)
{
    float given = part_along(a, c->node, a->q[c->node], c->normal),
          rate = part_along(a, c->node, a->v[c->node], c->normal),
          room = WRI_FLESH_BOTTOM * a->model->rest[c->node][3];
    bool held = wri_flesh_is_held(a, c->node);
    for (int k = 0; k < 3; k++) {
        int corner = c->corners[k];
        held = held && wri_flesh_is_held(b, corner);
        given -= c->shares[k] * part_along(b, corner, b->q[corner], c->normal);
        rate -= c->shares[k] * part_along(b, corner, b->v[corner], c->normal);
        room += WRI_FLESH_BOTTOM * c->shares[k] * b->model->rest[corner][3];
    }
    if (held) {
        float nearer = fmaxf(c->approach + rate, 0.0f); // m/s, of the bones
        c->gap = fmaxf(c->gap, given - room + a->model->dt * nearer);
        c->bounce = 0.0f;
    }
}

// Friction, and the speed with which it leaves again.
static void finish(const wri_meetings *m, wri_flesh_contact *c)
{
    const wri_flesh *a = m->skins[c->member].f, *b = m->skins[c->other].f;
    wr_vec3 v = wri_flesh_velocity(a, c->node);
    for (int k = 0; k < 3; k++) {
        v = wr_add_scaled(v, -c->shares[k], wri_flesh_velocity(b, c->corners[k]));
    }
    c->approach = -wr_dot(v, c->normal);
    bool bounces = c->approach > 2.0f * m->gravity * a->model->dt;
    c->friction = sqrtf(a->friction * b->friction);
    c->bounce = bounces ? fmaxf(a->restitution, b->restitution) * c->approach : 0.0f;
    yield_to_bones(a, b, c);
}

// Metres: what of itself is nearer may be met in this step.
static float own_margin(const wri_skin *s)
{
    return MARGIN * s->f->model->patches.edge + 2.0f * s->way;
}

// Two bodies, or one and itself. What a body itself is far from it need not look for until that way
// is used up: CLEAR edges are looked at for that.
static bool visit_pair(wri_meetings *m, wri_skin *a, wri_skin *b, wr_scratch *scratch)
{
    float edge = fmaxf(a->f->model->patches.edge, b->f->model->patches.edge);
    float reach = a == b ? own_margin(a) : a->reach + b->reach;
    bool pays = a == b && reach + 2.0f * STEPS * a->way < CLEAR * edge;
    float clear = pays ? CLEAR * edge : reach;
    wri_visit v = {m, a, b, reach, clear, DEEP * edge, &clear};
    int last_a = a->f->model->bone_count, last_b = b->f->model->bone_count;
    bool ok =
        !wri_boxes_meet(a->boxes[last_a], b->boxes[last_b], v.look) || visit_bodies(&v, scratch);
    if (a == b) {
        a->f->clear = clear;
    }
    return ok;
}

static bool looks_at_itself(const wri_skin *s)
{
    return !s->is_passive && s->f->model->bone_count > 1 && may_meet(s, s) &&
           s->f->clear <= own_margin(s);
}

static bool may_reach(const wri_skin *a, const wri_skin *b)
{
    return !(a->is_passive && b->is_passive) && may_meet(a, b) &&
           wri_boxes_meet(a->bounds, b->bounds, a->reach + b->reach);
}

static bool begin_skins(wri_meetings *m, wr_scratch *scratch)
{
    bool ok = true;
    for (int i = 0; i < m->skin_count; i++) {
        if (m->skins[i].f) {
            find_bounds(&m->skins[i]);
            m->skins[i].f->clear -= 2.0f * m->skins[i].way; // of the step before, about as much
        }
    }
    for (int i = 0; ok && i < m->skin_count; i++) {
        wri_skin *a = &m->skins[i];
        bool is_needed = a->f && looks_at_itself(a);
        for (int k = 0; a->f && k < m->skin_count; k++) {
            wri_skin *b = &m->skins[k];
            is_needed = is_needed || (i != k && b->f && may_reach(a, b));
        }
        ok = !is_needed || begin_skin(a, scratch);
    }
    return ok;
}

bool wri_flesh_find_meetings(wri_meetings *m, wr_scratch *scratch)
{
    bool ok = begin_skins(m, scratch);
    for (int i = 0; ok && i < m->skin_count; i++) {
        for (int k = 0; ok && k < m->skin_count; k++) {
            wri_skin *a = &m->skins[i], *b = &m->skins[k];
            bool is_done = i > k && a->x && b->x && is_drawn(a, b);
            if (!is_done && a->x && b->x && (i == k ? looks_at_itself(a) : may_reach(a, b))) {
                ok = visit_pair(m, a, b, scratch);
            }
        }
    }
    for (int i = 0; i < m->list.count; i++) {
        finish(m, &WRI_ITEM(m->list, wri_flesh_contact, i));
    }
    return ok;
}
