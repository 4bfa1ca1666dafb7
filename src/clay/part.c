// part.c: what thin obstacles part.
//
// A blade in a body has neighbours on either side of it, which would pull at one another through
// it. The particles that touch it know its faces. Lines to neighbours that go in through such a
// face are given to the step's find_between, which knows whether the obstacle lies between their
// ends. Edges that it parts have no weight, but keep their rest vectors and count in the embedding:
// when the obstacle is gone they are neighbours again.
#include "clay.h"

enum { SIDES_MAX = 64 };

// The touches of one body: lists of those of each particle.
typedef struct touch_lists {
    const wr_clay_step *step;
    int *first; // per particle, -1: none
    int *next;  // per touch of the step
} touch_lists;

// A face of a rigid body, in the world.
typedef struct side {
    int body;
    wr_vec3 point, normal;
} side;

// Lines that may be parted, and the edges they belong to.
typedef struct line_list {
    wr_clay_line *lines; // NULL: they are counted only
    int *edges;
    int count;
} line_list;

static int add_sides(const touch_lists *l, int i, side *sides, int count)
{
    for (int t = l->first[i]; t >= 0 && count < SIDES_MAX; t = l->next[t]) {
        const wr_clay_touch *touch = &l->step->touches[t];
        wr_pose pose = l->step->bodies[touch->body].pose;
        sides[count++] = (side){touch->body, wr_pose_point(pose, touch->local_point),
                                wr_rotate(pose.rotation, touch->local_normal)};
    }
    return count;
}

// Faces that particle i and its neighbours touch.
static int find_sides(const wri_clay *c, const touch_lists *l, int i, side sides[SIDES_MAX])
{
    int count = add_sides(l, i, sides, 0);
    for (int k = 0; k < NEIGHBOURS; k++) {
        count = add_sides(l, c->neighbours[i * NEIGHBOURS + k], sides, count);
    }
    return count;
}

// Whether the line goes through the face from front to back, no farther than `near` from where it
// is touched.
static bool goes_in(const side *s, wr_vec3 from, wr_vec3 to, float near)
{
    float a = wr_dot(wr_sub(from, s->point), s->normal);
    float b = wr_dot(wr_sub(to, s->point), s->normal);
    if (!(a > 0.0f && b < 0.0f)) {
        return false;
    }
    wr_vec3 off = wr_sub(wr_add_scaled(from, a / (a - b), wr_sub(to, from)), s->point);
    return wr_dot(off, off) < near * near;
}

static void add_lines(const wri_clay *c, const touch_lists *l, int i, line_list *list)
{
    side sides[SIDES_MAX];
    int count = find_sides(c, l, i, sides);
    wr_vec3 from = wri_clay_place(c, c->x[i]);
    for (int k = i * NEIGHBOURS; k < (i + 1) * NEIGHBOURS && count > 0; k++) {
        wr_vec3 to = wri_clay_place(c, c->x[c->neighbours[k]]);
        int s = 0;
        while (s < count && !goes_in(&sides[s], from, to, c->h[i])) {
            s++;
        }
        if (s < count && list->lines) {
            list->lines[list->count] = (wr_clay_line){sides[s].body, from, to, false};
            list->edges[list->count] = k;
        }
        list->count += s < count;
    }
}

static bool list_touches(touch_lists *l, int clay, int count, wr_scratch *scratch)
{
    l->first = wr_scratch_push(scratch, (size_t)count, sizeof *l->first);
    l->next = wr_scratch_push(scratch, (size_t)l->step->touch_count, sizeof *l->next);
    if (!l->first || !l->next) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        l->first[i] = -1;
    }
    for (int t = 0; t < l->step->touch_count; t++) {
        if (l->step->touches[t].clay == clay) {
            int *first = &l->first[l->step->touches[t].particle];
            l->next[t] = *first;
            *first = t;
        }
    }
    return true;
}

// False: out of memory.
static bool find_lines(const wri_clay *c, int clay, const wr_clay_step *step, wr_scratch *scratch,
                       line_list *list)
{
    touch_lists l = {.step = step};
    if (!list_touches(&l, clay, c->count, scratch)) {
        return false;
    }
    for (int i = 0; i < c->count; i++) {
        add_lines(c, &l, i, list);
    }
    size_t count = (size_t)list->count;
    *list = (line_list){wr_scratch_push(scratch, count, sizeof *list->lines),
                        wr_scratch_push(scratch, count, sizeof *list->edges), 0};
    bool ok = list->lines && list->edges;
    for (int i = 0; ok && i < c->count; i++) {
        add_lines(c, &l, i, list);
    }
    return ok;
}

// Neighbours that lie elsewhere than the deformation says would jump together: they get the rest
// vector of where they are.
static void join(wri_clay *c, int edge, const wri_clay_fit *fit)
{
    const float far = 0.1f; // of the support
    int i = edge / NEIGHBOURS;
    f4 x = c->x[c->neighbours[edge]] - c->x[i], off = x - wri_clay_apply(fit->world, c->u[edge]);
    if (f4_dot(off, off) > far * far * c->h[i] * c->h[i]) {
        c->u[edge] = wri_clay_apply(fit->from_world, x);
    }
}

static void set_parted(wri_clay *c, int i, uint32_t parted)
{
    wri_clay_fit fit;
    uint32_t joined = c->parted[i] & ~parted;
    bool fits = joined && wri_clay_fit_at(c, i, &fit);
    for (int k = 0; fits && k < NEIGHBOURS; k++) {
        if (joined >> k & 1) {
            join(c, i * NEIGHBOURS + k, &fit);
        }
    }
    c->parted[i] = parted;
    wri_clay_find_basis(c, i);
}

bool wri_clay_find_parted(wri_clay *c, int clay, const wr_clay_step *step, wr_scratch *scratch)
{
    size_t used = scratch->used;
    line_list list = {0};
    uint32_t *parted = wr_scratch_push(scratch, (size_t)c->count, sizeof *parted);
    bool any = false;
    if (parted && step->find_between && find_lines(c, clay, step, scratch, &list)) {
        step->find_between(step->context, clay, list.lines, list.count);
        for (int n = 0; n < list.count; n++) {
            int i = list.edges[n] / NEIGHBOURS, k = list.edges[n] % NEIGHBOURS;
            parted[i] |= list.lines[n].is_parted ? 1u << k : 0;
        }
        for (int i = 0; i < c->count; i++) {
            if (parted[i] != c->parted[i]) {
                set_parted(c, i, parted[i]);
                any = true;
            }
        }
    }
    scratch->used = used;
    return any;
}
