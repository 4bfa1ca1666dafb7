// balls.c: where balls of something else meet skin.
//
// Where skin is finer than a ball, all nodes below it meet it: skin that gives way lies against it,
// and if only the nearest point did, that would be another one in every step. Where it is coarser,
// the corners of the nearest triangle do, each to its share of the ball. Balls are what others are
// made of, and not what they look like: each is a flat piece of a surface as wide as itself, so
// that nothing has to climb over it.
//
// All balls at a node are one contact of it. Ball i of mass m_i, which would go at v_i, wants the
// node to be as fast as t_i along the normal n; those count that the node would meet,
//
//     A (u - c) = sum_i m_i max(0, t_i - u)
//
// where it goes at c and has A of its own, as far as one can tell without the others. The impulse
// is dealt out so that they all have their wish to the same extent, and rub as they press.
#include "balls.h"

#include "../math/triangle.h"

#include <stdlib.h>

static const float MARGIN = 0.25f; // of a ball's radius: what is nearer may be met in this step
static const float DEEP = 2.0f; // radii, or an edge: what overlaps by more has come out elsewhere
static const float FINE = 1.2f; // radii: edges of a skin that is finer than a ball

// A triangle or a node, by where it begins along an axis.
typedef struct feature {
    wr_box box;
    int index;
} feature;

typedef struct visit {
    const wri_flesh *f;
    const wr_flesh_step *step;
    wr_vec3 *x, *normals; // per node, world
    float fastest;        // m/s: of its nodes
    feature *features;    // triangles near balls, sorted along x
    int feature_count;
    float widest;   // metres: of their boxes, along x
    feature *nodes; // likewise
    int node_count;
    int body; // number of f in the world
    wri_array *pairs;
} visit;

// The nearest point of a skin.
typedef struct place {
    int triangle; // -1: none
    float shares[3];
    float distance; // metres
} place;

static wr_vec3 mix(const wr_vec3 *of, const int *t, const float w[3])
{
    return wr_add_scaled(wr_add_scaled(wr_scale(w[0], of[t[0]]), w[1], of[t[1]]), w[2], of[t[2]]);
}

// --- who is near ------------------------------------------------------------------------------

static float reach_of(const visit *v, const wr_flesh_ball *ball)
{
    float way = v->f->model->dt * (wr_length(ball->velocity) + v->fastest);
    return (1.0f + MARGIN) * ball->radius + way;
}

static bool may_meet(const visit *v, const wr_flesh_ball *ball)
{
    return ball->leader != v->body + 1 && (v->f->group & ball->collides) &&
           (ball->group & v->f->collides);
}

static bool is_within(wr_box box, wr_vec3 p, float reach)
{
    return p.x >= box.min.x - reach && p.x <= box.max.x + reach && p.y >= box.min.y - reach &&
           p.y <= box.max.y + reach && p.z >= box.min.z - reach && p.z <= box.max.z + reach;
}

static int compare_features(const void *a, const void *b)
{
    const feature *s = a, *t = b;
    return s->box.min.x != t->box.min.x ? (s->box.min.x < t->box.min.x ? -1 : 1)
                                        : (s->index > t->index) - (s->index < t->index);
}

// A box around all balls that may meet it, with their reach; empty: there are none.
static wr_box box_of_balls(const visit *v, wr_box skin)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < v->step->ball_count; i++) {
        const wr_flesh_ball *ball = &v->step->balls[i];
        float reach = fmaxf(reach_of(v, ball), DEEP * ball->radius);
        if (may_meet(v, ball) && is_within(skin, ball->position, reach)) {
            wr_vec3 room = wr_v3(reach, reach, reach);
            box = wr_box_add(box, wr_sub(ball->position, room));
            box = wr_box_add(box, wr_add(ball->position, room));
        }
    }
    return box;
}

static bool boxes_meet(wr_box a, wr_box b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y &&
           a.min.z <= b.max.z && b.min.z <= a.max.z;
}

static void list_features(visit *v, wr_box near)
{
    const wr_flesh_model *m = v->f->model;
    for (int i = 0; i < m->triangle_count; i++) {
        const int *t = &m->triangles[3 * i];
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            box = wr_box_add(box, v->x[t[k]]);
        }
        if (boxes_meet(box, near)) {
            v->features[v->feature_count++] = (feature){box, i};
            v->widest = fmaxf(v->widest, box.max.x - box.min.x);
        }
    }
    qsort(v->features, (size_t)v->feature_count, sizeof *v->features, compare_features);
    for (int i = 0; i < m->node_count; i++) {
        wr_box box = {v->x[i], v->x[i]};
        if (boxes_meet(box, near)) {
            v->nodes[v->node_count++] = (feature){box, i};
        }
    }
    qsort(v->nodes, (size_t)v->node_count, sizeof *v->nodes, compare_features);
}

static void find_normals(const visit *v)
{
    const wr_flesh_model *m = v->f->model;
    for (int i = 0; i < v->feature_count; i++) {
        const int *t = &m->triangles[3 * v->features[i].index];
        wr_vec3 a = v->x[t[0]], n = wr_cross(wr_sub(v->x[t[1]], a), wr_sub(v->x[t[2]], a));
        for (int k = 0; k < 3; k++) {
            v->normals[t[k]] = wr_add(v->normals[t[k]], n);
        }
    }
}

// False: out of memory. Without features nobody is near.
static bool begin(visit *v, wr_scratch *scratch)
{
    const wr_flesh_model *m = v->f->model;
    size_t nodes = (size_t)m->node_count;
    v->x = wr_scratch_push(scratch, nodes, sizeof *v->x);
    v->normals = wr_scratch_push(scratch, nodes, sizeof *v->normals);
    v->features = wr_scratch_push(scratch, (size_t)m->triangle_count, sizeof *v->features);
    v->nodes = wr_scratch_push(scratch, nodes, sizeof *v->nodes);
    if (!v->x || !v->normals || !v->features || !v->nodes) {
        return false;
    }
    wr_box skin = WR_BOX_EMPTY;
    for (int i = 0; i < m->node_count; i++) {
        v->x[i] = wri_flesh_place(v->f, i);
        v->fastest = fmaxf(v->fastest, wr_length(wri_flesh_velocity(v->f, i)));
        skin = wr_box_add(skin, v->x[i]);
    }
    wr_box near = box_of_balls(v, skin);
    if (near.min.x <= near.max.x) {
        list_features(v, near);
        find_normals(v);
    }
    return true;
}

// --- where they meet --------------------------------------------------------------------------

static int first_feature(const feature *list, int count, float low)
{
    int begin = 0, end = count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (list[middle].box.min.x < low) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

static float deep_of(const visit *v, const wr_flesh_ball *ball)
{
    return fmaxf(DEEP * ball->radius, v->f->model->patches.edge);
}

static place find_place(const visit *v, const wr_flesh_ball *ball)
{
    const int *triangles = v->f->model->triangles;
    wr_vec3 p = ball->position;
    float reach = fmaxf(reach_of(v, ball), deep_of(v, ball));
    place best = {.triangle = -1, .distance = reach};
    for (int i = first_feature(v->features, v->feature_count, p.x - reach - v->widest);
         i < v->feature_count && v->features[i].box.min.x <= p.x + reach; i++) {
        const int *t = &triangles[3 * v->features[i].index];
        if (is_within(v->features[i].box, p, best.distance)) {
            float w[3];
            wri_nearest_in_triangle(p, v->x[t[0]], v->x[t[1]], v->x[t[2]], w);
            float distance = wr_distance(p, mix(v->x, t, w));
            if (distance < best.distance) {
                best = (place){v->features[i].index, {w[0], w[1], w[2]}, distance};
            }
        }
    }
    return best;
}

// A ball and a node of skin that faces `outward`, `height` below the ball's middle. False: out of
// memory; it may be too far away or too deep.
static bool add_pair(const visit *v, wri_ball_pair pair, wr_vec3 outward, float height)
{
    const wr_flesh_ball *ball = &v->step->balls[pair.ball];
    if (!(height > -deep_of(v, ball) && height < reach_of(v, ball))) {
        return true;
    }
    wri_ball_pair *added = wri_array_add(v->pairs, 1);
    if (added) {
        float gap = height - ball->radius;
        *added = pair;
        added->flesh = v->body;
        added->normal = wr_scale(-1.0f, outward);
        added->goal = (gap > 0.0f ? -gap : -WRI_FLESH_CORRECTED * gap) / v->f->model->dt;
    }
    return added;
}

// All nodes below a ball, to equal shares.
static bool meet_nodes(const visit *v, int index)
{
    const wr_flesh_ball *ball = &v->step->balls[index];
    wr_vec3 p = ball->position;
    float reach = fmaxf(reach_of(v, ball), deep_of(v, ball));
    bool ok = true;
    for (int i = first_feature(v->nodes, v->node_count, p.x - reach);
         ok && i < v->node_count && v->nodes[i].box.min.x <= p.x + reach; i++) {
        int node = v->nodes[i].index;
        wr_vec3 off = wr_sub(p, v->x[node]), outward = wr_normalize(v->normals[node]);
        float height = wr_dot(off, outward);
        wr_vec3 across = wr_add_scaled(off, -height, outward);
        if (wr_dot(across, across) < ball->radius * ball->radius) {
            wri_ball_pair pair = {
                .ball = index, .node = node, .share = 1.0f, .velocity = ball->velocity};
            ok = add_pair(v, pair, outward, height);
        }
    }
    return ok;
}

// The three corners of a triangle. They see the velocities that make the relative one, at the point
// that is met, right as the step begins.
static bool meet_triangle(const visit *v, int index, const place *at)
{
    const wr_flesh_ball *ball = &v->step->balls[index];
    const int *t = &v->f->model->triangles[3 * at->triangle];
    wr_vec3 off = wr_sub(ball->position, mix(v->x, t, at->shares));
    wr_vec3 outward = wr_normalize(mix(v->normals, t, at->shares));
    bool is_outside = wr_dot(off, outward) > 0.0f && at->distance > 1e-3f * ball->radius;
    outward = is_outside ? wr_scale(1.0f / at->distance, off) : outward;
    wr_vec3 lag = wr_scale(-1.0f, ball->velocity);
    for (int k = 0; k < 3; k++) {
        lag = wr_add_scaled(lag, at->shares[k], wri_flesh_velocity(v->f, t[k]));
    }
    bool ok = true;
    for (int k = 0; ok && k < 3; k++) {
        if (at->shares[k] > 0.0f) {
            wri_ball_pair pair = {.ball = index,
                                  .node = t[k],
                                  .share = at->shares[k],
                                  .velocity = wr_sub(wri_flesh_velocity(v->f, t[k]), lag)};
            ok = add_pair(v, pair, outward, is_outside ? at->distance : -at->distance);
        }
    }
    return ok;
}

static bool is_fine(const visit *v, int triangle, float radius)
{
    const int *t = &v->f->model->triangles[3 * triangle];
    float longest = 0.0f;
    for (int k = 0; k < 3; k++) {
        longest = fmaxf(longest, wr_distance(v->x[t[k]], v->x[t[(k + 1) % 3]]));
    }
    return longest < FINE * radius;
}

static bool meet(const visit *v, int index)
{
    const wr_flesh_ball *ball = &v->step->balls[index];
    place at = may_meet(v, ball) ? find_place(v, ball) : (place){.triangle = -1};
    return at.triangle < 0 ||
           (is_fine(v, at.triangle, ball->radius) ? meet_nodes(v, index)
                                                  : meet_triangle(v, index, &at));
}

static bool find_pairs(const wri_flesh *f, int body, const wr_flesh_step *step, wri_array *pairs,
                       wr_scratch *scratch)
{
    size_t used = scratch->used;
    visit v = {.f = f, .body = body, .step = step, .pairs = pairs};
    bool ok = begin(&v, scratch);
    for (int i = 0; ok && v.feature_count > 0 && i < step->ball_count; i++) {
        ok = meet(&v, i);
    }
    scratch->used = used;
    return ok;
}

// --- contacts ---------------------------------------------------------------------------------

// Shares become kilograms: those of a ball make up its mass, and all balls of a thing that are
// touched no more than its own.
static bool weigh(const wr_flesh_step *step, const wri_array *pairs, wr_scratch *scratch)
{
    const float heaviest = 1e6f; // kg: what nothing can move
    int things = 0;
    for (int i = 0; i < step->ball_count; i++) {
        things = step->balls[i].body >= things ? step->balls[i].body + 1 : things;
    }
    float *shares = wr_scratch_push(scratch, (size_t)step->ball_count, sizeof *shares);
    int *touched = wr_scratch_push(scratch, (size_t)things, sizeof *touched);
    if (!shares || !touched) {
        return false;
    }
    for (int i = 0; i < pairs->count; i++) {
        const wri_ball_pair *pair = &WRI_ITEM(*pairs, wri_ball_pair, i);
        touched[step->balls[pair->ball].body] += shares[pair->ball] == 0.0f;
        shares[pair->ball] += pair->share;
    }
    for (int i = 0; i < pairs->count; i++) {
        wri_ball_pair *pair = &WRI_ITEM(*pairs, wri_ball_pair, i);
        const wr_flesh_ball *ball = &step->balls[pair->ball];
        float mass = ball->inverse_mass > 0.0f ? 1.0f / ball->inverse_mass : heaviest;
        if (ball->inverse_mass > 0.0f && ball->mass > 0.0f) {
            mass = fminf(mass, ball->mass / (float)touched[ball->body]);
        }
        pair->mass = mass * pair->share / shares[pair->ball];
    }
    return true;
}

static int compare_pairs(const void *a, const void *b)
{
    const wri_ball_pair *x = a, *y = b;
    return x->flesh != y->flesh ? (x->flesh > y->flesh) - (x->flesh < y->flesh)
           : x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                                : (x->ball > y->ball) - (x->ball < y->ball);
}

// The largest wish first, of pairs of one node.
static int compare_wishes(const void *a, const void *b)
{
    const wri_ball_pair *x = a, *y = b;
    return x->wish != y->wish ? (x->wish > y->wish ? -1 : 1)
                              : (x->ball > y->ball) - (x->ball < y->ball);
}

// Wishes along a common normal; then how many of them the node would meet.
static int choose(const wri_flesh *f, wri_ball_pair *pairs, int count, wr_vec3 *normal)
{
    wr_vec3 sum = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < count; i++) {
        sum = wr_add_scaled(sum, pairs[i].mass, pairs[i].normal);
    }
    *normal = wr_normalize(sum);
    for (int i = 0; i < count; i++) {
        pairs[i].wish = wr_dot(*normal, pairs[i].velocity) + pairs[i].goal;
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_wishes);
    int node = pairs[0].node, met = 0;
    float A = f->model->diagonal[node], u = wr_dot(*normal, wri_flesh_velocity(f, node));
    while (met < count && (met == 0 || pairs[met].wish > u)) {
        u = (A * u + pairs[met].mass * pairs[met].wish) / (A + pairs[met].mass);
        A += pairs[met].mass;
        met++;
    }
    return met;
}

static bool add_contact(const wri_flesh *f, const wr_flesh_step *step, wri_ball_meetings *m,
                        int begin, int end, wri_array *contacts)
{
    wri_ball_pair *pairs = &WRI_ITEM(m->pairs, wri_ball_pair, begin);
    wri_flesh_contact *c = wri_array_add(contacts, 1);
    wri_ball_group *g = wri_array_add(&m->groups, 1);
    if (!c || !g) {
        return false;
    }
    *g = (wri_ball_group){.begin = begin};
    m->group_of[m->first[pairs[0].flesh] + pairs[0].node] = m->groups.count;
    *c = (wri_flesh_contact){.member = pairs[0].flesh,
                             .node = pairs[0].node,
                             .body = step->body_count + m->first[pairs[0].flesh] + pairs[0].node,
                             .point = wri_flesh_place(f, pairs[0].node)};
    g->end = begin + choose(f, pairs, end - begin, &c->normal);
    for (int i = 0; i < g->end - begin; i++) {
        const wri_ball_pair *pair = &pairs[i];
        g->mass += pair->mass;
        g->velocity = wr_add_scaled(g->velocity, pair->mass, pair->velocity);
        g->wish += pair->mass * pair->wish;
        c->friction += pair->mass * sqrtf(f->friction * step->balls[pair->ball].friction);
    }
    g->velocity = wr_scale(1.0f / g->mass, g->velocity);
    g->wish /= g->mass;
    c->friction /= g->mass;
    float goal = g->wish - wr_dot(c->normal, g->velocity);
    c->gap = fmaxf(-goal, 0.0f) * f->model->dt; // never an overlap, or skin alone were moved out
    c->push = fmaxf(goal, 0.0f);
    wr_vec3 v = wr_sub(wri_flesh_velocity(f, c->node), g->velocity);
    c->approach = -wr_dot(v, c->normal);
    return true;
}

// Room for a body at each node.
static bool number_nodes(wri_flesh *const *fleshes, int count, wri_ball_meetings *m,
                         wr_scratch *scratch)
{
    m->first = wr_scratch_push(scratch, (size_t)count, sizeof *m->first);
    for (int i = 0; m->first && i < count; i++) {
        m->first[i] = m->node_count;
        m->node_count += fleshes[i] ? fleshes[i]->model->node_count : 0;
    }
    m->group_of = wr_scratch_push(scratch, (size_t)m->node_count, sizeof *m->group_of);
    return m->first && m->group_of;
}

bool wri_flesh_meet_balls(wri_flesh *const *fleshes, int count, const wr_flesh_step *step,
                          wri_ball_meetings *m, wri_array *contacts, wr_scratch *scratch)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        ok = !fleshes[i] || find_pairs(fleshes[i], i, step, &m->pairs, scratch);
    }
    if (!ok || m->pairs.count == 0) {
        return ok;
    }
    ok = weigh(step, &m->pairs, scratch) && number_nodes(fleshes, count, m, scratch);
    wri_ball_pair *pairs = m->pairs.items;
    qsort(pairs, (size_t)m->pairs.count, sizeof *pairs, compare_pairs);
    for (int begin = 0, end; ok && begin < m->pairs.count; begin = end) {
        end = begin + 1;
        while (end < m->pairs.count && pairs[end].flesh == pairs[begin].flesh &&
               pairs[end].node == pairs[begin].node) {
            end++;
        }
        ok = add_contact(fleshes[pairs[begin].flesh], step, m, begin, end, contacts);
    }
    return ok;
}

wr_body_copy *wri_flesh_copy_bodies(const wr_flesh_step *step, const wri_ball_meetings *m,
                                    wr_scratch *scratch)
{
    size_t count = (size_t)(step->body_count + m->node_count);
    wr_body_copy *copies = wr_scratch_push(scratch, count, sizeof *copies);
    for (int i = 0; copies && i < step->body_count; i++) {
        copies[i] = step->bodies[i];
    }
    for (int i = 0; copies && i < m->node_count; i++) {
        if (m->group_of[i] > 0) {
            const wri_ball_group *g = &WRI_ITEM(m->groups, wri_ball_group, m->group_of[i] - 1);
            wr_body_copy *copy = &copies[step->body_count + i];
            copy->pose.rotation.w = 1.0f;
            copy->velocity = g->velocity;
            copy->inverse_mass = 1.0f / g->mass;
        }
    }
    return copies;
}

// --- the answer -------------------------------------------------------------------------------

// How much of the group's impulse along the normal a ball gets: what brings its wish to that of all
// of them.
static float press_of(const wri_ball_pair *pair, float wish)
{
    return fmaxf(pair->mass * (pair->wish - wish), 0.0f);
}

void wri_flesh_answer_balls(const wr_flesh_step *step, const wri_ball_meetings *m,
                            const wri_flesh_contact *c)
{
    float along = wr_dot(c->impulse, c->normal);
    if (c->body < step->body_count || !(along > 0.0f)) {
        return;
    }
    int group = m->group_of[c->body - step->body_count] - 1;
    const wri_ball_group *g = &WRI_ITEM(m->groups, wri_ball_group, group);
    float wish = g->wish - along / g->mass, sum = 0.0f;
    for (int i = g->begin; i < g->end; i++) {
        sum += press_of(&WRI_ITEM(m->pairs, wri_ball_pair, i), wish);
    }
    for (int i = g->begin; i < g->end; i++) {
        const wri_ball_pair *pair = &WRI_ITEM(m->pairs, wri_ball_pair, i);
        wr_flesh_ball *ball = &step->balls[pair->ball];
        wr_vec3 impulse = wr_scale(-press_of(pair, wish) / sum, c->impulse);
        wr_vec3 couple = wr_cross(wr_sub(c->point, ball->position), impulse);
        ball->impulse = wr_add(ball->impulse, impulse);
        ball->couple = wr_add(ball->couple, couple);
    }
}
