// morph_meet.c: bodies of morph meet each other and other materials.
//
// Vertices that touch meet the triangles of another body's skin, and so do balls of clay, each as a
// rigid body of its own with the mass that answers to an impulse on it. All of these, and what
// touches rigid bodies, are one problem of contact (src/morph/contact.c). Flesh has one of its own
// and advances before: it sees skin as balls below it.
#include "morph_body.h"
#include "near.h"

#include "../morph/morph.h"

static const float MARGIN = 0.06f; // of the size: how near, or deep, skins are that may meet
static const float SOON = 0.005f;  // of the size: what is not nearer than that when the step ends
                                   // does not meet
static const float WIDE = 0.6f;    // of the distance of vertices that touch: radius of their balls

// A member as others meet it.
typedef struct side {
    wri_morph_body *b;
    wr_box box;           // of all it may reach: by the vertices that touch, then by all of them
    bool is_near, is_met; // somebody's box meets the first of these, the second
    float margin, range;  // range: with how far it moves in the step
    wr_vec3 *velocities;  // m/s, of all vertices
    uint8_t *beyond;      // per vertex: a bit per face of another box that it is outside of
    bool *is_reached;     // per triangle: others may come to it
    int *vertices;        // of the skin's points: which vertex each is
    wr_boundary skin, points; // triangles that others may come to, and all vertices that touch
    wri_reach of_skin, of_points;
} side;

typedef struct search {
    wri_morph_ensemble *g;
    const wr_ensemble_step *step;
    wr_scratch *scratch;
    side *sides;       // per member
    wri_reach *others; // per other
} search;

// --- sides ------------------------------------------------------------------------------------

static wr_box grown(wr_box box, float by)
{
    wr_vec3 room = wr_v3(by, by, by);
    return (wr_box){wr_sub(box.min, room), wr_add(box.max, room)};
}

// Skin may stand out between the vertices that touch, and be faster there: twice the margin.
static side begin_side(wri_morph_body *b)
{
    float size = (float)b->shared->size, reach = 0.0f;
    side s = {.b = b, .box = WR_BOX_EMPTY, .margin = MARGIN * size};
    for (int i = 0; i < b->shared->touching_count; i++) {
        s.box = wr_box_add(s.box, b->balls[i].center);
        reach = fmaxf(reach, wr_length(b->balls[i].sweep));
    }
    s.box = grown(s.box, reach + 2.0f * s.margin);
    return s;
}

// Where all vertices are and how fast; what a frame has shown is still there. False: out of memory.
static bool draw_side(const search *f, side *s)
{
    wri_morph_body *b = s->b;
    size_t vertices = (size_t)b->shared->data->vertex_count;
    float square = 0.0f;
    s->velocities = wr_scratch_push(f->scratch, vertices, sizeof *s->velocities);
    if (!s->velocities) {
        return false;
    }
    wri_morph_draw(wri_morph_of(f->g->world, b->body), &f->step->work.tasks,
                   (wri_morph_drawn){.places = b->is_skinned ? NULL : b->vertices,
                                     .velocities = s->velocities});
    wr_box box = WR_BOX_EMPTY;
    for (size_t i = 0; i < vertices; i++) {
        wr_vec3 x = b->vertices[i], v = s->velocities[i];
        box.min = wr_v3(wr_minf(box.min.x, x.x), wr_minf(box.min.y, x.y), wr_minf(box.min.z, x.z));
        box.max = wr_v3(wr_maxf(box.max.x, x.x), wr_maxf(box.max.y, x.y), wr_maxf(box.max.z, x.z));
        square = wr_maxf(square, wr_dot(v, v));
    }
    float way = f->step->dt * sqrtf(square);
    s->box = grown(box, way + SOON * (float)b->shared->size);
    s->range = s->margin + way;
    // That of the whole skin: what is nearest does not depend on which triangles are left out.
    s->of_skin = (wri_reach){&s->skin, grown(box, s->range), s->range};
    return true;
}

static uint8_t faces_beyond(wr_box box, wr_vec3 at)
{
    return (uint8_t)((at.x < box.min.x) | (at.x > box.max.x) << 1 | (at.y < box.min.y) << 2 |
                     (at.y > box.max.y) << 3 | (at.z < box.min.z) << 4 | (at.z > box.max.z) << 5);
}

// Marks the triangles that are not beyond one face of the box, which is that of all that others
// may be near to, from the outside or within. False: out of memory.
static bool reach_side(const search *f, side *s, wr_box box)
{
    const wr_mesh *mesh = s->b->mesh;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    if (!s->is_met) {
        s->beyond = wr_scratch_push(f->scratch, vertices, sizeof *s->beyond);
        s->is_reached = wr_scratch_push(f->scratch, triangles, sizeof *s->is_reached);
        s->is_met = s->beyond && s->is_reached;
    }
    for (size_t i = 0; s->is_met && i < vertices; i++) {
        s->beyond[i] = faces_beyond(box, s->b->vertices[i]);
    }
    for (size_t i = 0; s->is_met && i < triangles; i++) {
        const int *t = &mesh->triangles[3 * i];
        s->is_reached[i] |= !(s->beyond[t[0]] & s->beyond[t[1]] & s->beyond[t[2]]);
    }
    return s->is_met;
}

static wr_boundary_point point_of(const side *s, int vertex)
{
    return (wr_boundary_point){
        .position = s->b->vertices[vertex], .velocity = s->velocities[vertex], .radius = s->margin};
}

// The triangles that are reached, by points that are numbered anew. False: out of memory.
static bool fill_skin(const search *f, side *s)
{
    const wr_mesh *mesh = s->b->mesh;
    int reached = 0, points = 0, count = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        reached += s->is_reached[i];
    }
    int room = 3 * reached < mesh->vertex_count ? 3 * reached : mesh->vertex_count;
    wr_boundary_point *skin = wr_scratch_push(f->scratch, (size_t)room, sizeof *skin);
    int *triangles = wr_scratch_push(f->scratch, 3 * (size_t)reached, sizeof *triangles);
    int *numbers = wr_scratch_push(f->scratch, (size_t)mesh->vertex_count, sizeof *numbers);
    s->vertices = wr_scratch_push(f->scratch, (size_t)room, sizeof *s->vertices);
    if (!skin || !triangles || !numbers || !s->vertices) {
        return false;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int vertex = mesh->triangles[i], *number = &numbers[vertex]; // counted from 1
        if (!s->is_reached[i / 3]) {
            continue;
        }
        if (*number == 0) {
            s->vertices[points] = vertex;
            skin[points] = point_of(s, vertex);
            *number = ++points;
        }
        triangles[count++] = *number - 1;
    }
    s->skin = (wr_boundary){
        .points = skin, .point_count = points, .triangles = triangles, .triangle_count = reached};
    return true;
}

// False: out of memory.
static bool fill_side(const search *f, side *s)
{
    int touching = s->b->shared->touching_count;
    wr_boundary_point *points = wr_scratch_push(f->scratch, (size_t)touching, sizeof *points);
    if (!points || !fill_skin(f, s)) {
        return false;
    }
    for (int i = 0; i < touching; i++) {
        points[i] = point_of(s, s->b->shared->touching[i]);
    }
    s->points = (wr_boundary){.points = points, .point_count = touching};
    s->of_points = wri_boundary_reach(&s->points, f->step->dt);
    return true;
}

// --- meetings ---------------------------------------------------------------------------------

// Whether the two touch before the step ends, or nearly. margins: that are in the gap.
static bool is_soon(const wr_boundary *a, const wr_boundary *b, const wri_nearness *n,
                    float margins, float near, float dt)
{
    wr_vec3 v = a->points[n->point].velocity;
    for (int k = 0; k < 3; k++) {
        v = wr_add_scaled(v, -n->weights[k], b->points[n->others[k]].velocity);
    }
    return n->gap + margins + fminf(0.0f, dt * wr_dot(v, n->normal)) < near;
}

// NULL: out of memory.
static wr_morph_meeting *add_meeting(const search *f, const wri_nearness *n, wri_morph_met met)
{
    wr_morph_meeting *m = wri_array_add(&f->g->meetings, 1);
    wri_morph_met *place = m ? wri_array_add(&f->g->met, 1) : NULL;
    if (!place) {
        return NULL;
    }
    *place = met;
    const int *vertices = f->sides[met.skin].vertices;
    *m = (wr_morph_meeting){
        .other = f->sides[met.skin].b->body,
        .corners = {vertices[n->others[0]], vertices[n->others[1]], vertices[n->others[2]]},
        .weights = {n->weights[0], n->weights[1], n->weights[2]},
        .normal = n->normal,
        .morph = -1};
    return m;
}

// Vertices of one member at the skin of another.
static bool meet_member(const search *f, int first, int other)
{
    const side *a = &f->sides[first], *b = &f->sides[other];
    wri_array *near = &f->g->nearness;
    float soon = SOON * fminf((float)a->b->shared->size, (float)b->b->shared->size);
    near->count = 0;
    bool ok = wri_boundaries_near(&a->of_points, &b->of_skin, f->step->dt, f->scratch, near);
    for (int i = 0; ok && i < near->count; i++) {
        const wri_nearness *n = &WRI_ITEM(*near, wri_nearness, i);
        if (is_soon(&a->points, &b->skin, n, a->margin + b->margin, soon, f->step->dt)) {
            wr_morph_meeting *m = add_meeting(f, n, (wri_morph_met){other, first, -1, -1});
            ok = m != NULL;
            if (ok) {
                m->morph = a->b->body;
                m->vertex = a->b->shared->touching[n->point];
                m->friction = sqrtf(a->b->friction * b->b->friction);
                m->restitution = sqrtf(a->b->restitution * b->b->restitution);
            }
        }
    }
    return ok;
}

// Balls of another material at the skin of a member.
static bool meet_other(const search *f, int index, int member)
{
    const wr_boundary *balls = &f->step->others[index].boundary;
    const side *b = &f->sides[member];
    wri_array *near = &f->g->nearness;
    float soon = SOON * (float)b->b->shared->size;
    near->count = 0;
    bool ok = wri_boundaries_near(&f->others[index], &b->of_skin, f->step->dt, f->scratch, near);
    for (int i = 0; ok && i < near->count; i++) {
        const wri_nearness *n = &WRI_ITEM(*near, wri_nearness, i);
        if (is_soon(balls, &b->skin, n, b->margin, soon, f->step->dt)) {
            const wr_boundary_point *ball = &balls->points[n->point];
            wr_morph_meeting *m = add_meeting(f, n, (wri_morph_met){member, -1, index, n->point});
            ok = m != NULL;
            if (ok) {
                m->point = wr_add_scaled(ball->position, -ball->radius, n->normal);
                m->friction = sqrtf(balls->friction * b->b->friction);
            }
        }
    }
    return ok;
}

// --- balls as rigid bodies ----------------------------------------------------------------------

static wr_body_copy copy_of(const wr_boundary_point *ball)
{
    const wr_mat3 *w = &ball->inverse_mass;
    return (wr_body_copy){.pose = {ball->position, {0, 0, 0, 1}},
                          .center = ball->position,
                          .velocity = ball->velocity,
                          .inverse_mass = (w->m[0][0] + w->m[1][1] + w->m[2][2]) / 3.0f};
}

void wri_morph_share_mass(wr_body_copy *copies, int count, float radius, float mass)
{
    wr_vec3 middle = {0.0f, 0.0f, 0.0f};
    float square = 0.0f, sum = 0.0f;
    for (int i = 0; i < count; i++) {
        middle = wr_add_scaled(middle, 1.0f / (float)count, copies[i].center);
    }
    for (int i = 0; i < count; i++) {
        float far = wr_distance(copies[i].center, middle);
        square += far * far / (float)count;
    }
    float wide = sqrtf(radius * radius + 2.0f * square);
    float share = wide > 0.0f ? fmaxf(1.0f, (float)count * radius / wide) : 1.0f;
    for (int i = 0; i < count; i++) {
        copies[i].inverse_mass *= share;
        sum += copies[i].inverse_mass > 0.0f ? 1.0f / copies[i].inverse_mass : 0.0f;
    }
    for (int i = 0; mass > 0.0f && sum > mass && i < count; i++) {
        copies[i].inverse_mass *= sum / mass;
    }
}

// Meetings of one other lie anywhere; each of its balls gets one copy, at the end of the list.
static bool copy_balls(const search *f, int index, wri_copies *copies, wr_morph_step *inner)
{
    const wr_boundary *balls = &f->step->others[index].boundary;
    int *copy_of_ball = wr_scratch_push(f->scratch, (size_t)balls->point_count, sizeof(int));
    int first = inner->body_count;
    float radius = 0.0f;
    for (int i = 0; copy_of_ball && i < inner->meeting_count; i++) {
        const wri_morph_met *met = &WRI_ITEM(f->g->met, wri_morph_met, i);
        if (met->other == index) {
            int *copy = &copy_of_ball[met->ball]; // counted from 1
            if (*copy == 0) {
                copies->bodies[inner->body_count] = copy_of(&balls->points[met->ball]);
                *copy = ++inner->body_count;
                radius = fmaxf(radius, balls->points[met->ball].radius);
            }
            inner->meetings[i].body = *copy - 1;
        }
    }
    wri_morph_share_mass(copies->bodies + first, inner->body_count - first, radius, balls->mass);
    return copy_of_ball;
}

// Room for one copy per meeting behind those of rigid bodies.
static bool add_copies(const search *f, wri_copies *copies, wr_morph_step *inner)
{
    size_t room = (size_t)copies->count + (size_t)inner->meeting_count;
    wr_body_copy *all = wr_scratch_push(f->scratch, room, sizeof *all);
    bool ok = all != NULL;
    if (ok && copies->count > 0) {
        memcpy(all, copies->bodies, (size_t)copies->count * sizeof *all);
    }
    copies->bodies = inner->bodies = ok ? all : copies->bodies;
    for (int i = 0; ok && i < f->step->other_count; i++) {
        ok = copy_balls(f, i, copies, inner);
    }
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

static bool may_meet(const wri_morph_body *b, uint32_t group, uint32_t collides)
{
    return (b->group & collides) && (group & b->collides);
}

static bool other_meets(const search *f, int i, const side *s)
{
    const wr_ensemble_other *other = &f->step->others[i];
    return may_meet(s->b, other->group, other->collides) && wr_boxes_meet(s->box, f->others[i].box);
}

// Lists pairs whose boxes meet, and draws these. False: out of memory.
static bool find_near(const search *f)
{
    int members = f->step->member_count;
    bool ok = true;
    for (int k = 0; k < members; k++) {
        side *s = &f->sides[k];
        for (int i = 0; i < k; i++) {
            side *t = &f->sides[i];
            if (wr_boxes_meet(s->box, t->box) && may_meet(t->b, s->b->group, s->b->collides)) {
                wri_morph_pair *pair = wri_array_add(&f->g->pairs, 1);
                if (!pair) {
                    return false;
                }
                *pair = (wri_morph_pair){k, i};
                s->is_near = t->is_near = true;
            }
        }
        for (int i = 0; i < f->step->other_count; i++) {
            s->is_near = s->is_near || other_meets(f, i, s);
        }
    }
    for (int k = 0; ok && k < members; k++) {
        ok = !f->sides[k].is_near || draw_side(f, &f->sides[k]);
    }
    return ok;
}

// Keeps the pairs that still meet, now that the boxes are those of all vertices, and fills these.
static bool find_met(const search *f)
{
    int kept = 0;
    bool ok = true;
    for (int i = 0; ok && i < f->g->pairs.count; i++) {
        wri_morph_pair pair = WRI_ITEM(f->g->pairs, wri_morph_pair, i);
        side *s = &f->sides[pair.later], *t = &f->sides[pair.earlier];
        if (wr_boxes_meet(s->box, t->box)) {
            WRI_ITEM(f->g->pairs, wri_morph_pair, kept++) = pair;
            ok = reach_side(f, s, grown(t->box, t->margin + s->range)) &&
                 reach_side(f, t, grown(s->box, s->margin + t->range));
        }
    }
    f->g->pairs.count = kept;
    for (int k = 0; ok && k < f->step->member_count; k++) {
        side *s = &f->sides[k];
        for (int i = 0; ok && s->is_near && i < f->step->other_count; i++) {
            ok = !other_meets(f, i, s) || reach_side(f, s, grown(f->others[i].box, s->range));
        }
        ok = ok && (!s->is_met || fill_side(f, s));
    }
    return ok;
}

static bool find_all(const search *f)
{
    bool ok = find_near(f) && find_met(f);
    for (int k = 0, next = 0; ok && k < f->step->member_count; k++) {
        for (; ok && next < f->g->pairs.count; next++) {
            wri_morph_pair pair = WRI_ITEM(f->g->pairs, wri_morph_pair, next);
            if (pair.later != k) {
                break;
            }
            ok = meet_member(f, pair.earlier, k) && meet_member(f, k, pair.earlier);
        }
        for (int i = 0; ok && f->sides[k].is_met && i < f->step->other_count; i++) {
            ok = !other_meets(f, i, &f->sides[k]) || meet_other(f, i, k);
        }
    }
    return ok;
}

bool wri_morph_find_meetings(wri_morph_ensemble *g, const wr_ensemble_step *step,
                             wri_copies *copies, wr_morph_step *inner)
{
    search f = {.g = g, .step = step, .scratch = step->work.scratch};
    f.sides = wr_scratch_push(f.scratch, (size_t)step->member_count, sizeof *f.sides);
    f.others = wr_scratch_push(f.scratch, (size_t)step->other_count, sizeof *f.others);
    g->meetings.count = g->met.count = g->pairs.count = 0;
    if (!f.sides || !f.others) {
        return false;
    }
    for (int i = 0; i < step->member_count; i++) {
        f.sides[i] = begin_side(step->members[i]);
    }
    for (int i = 0; i < step->other_count; i++) {
        f.others[i] = wri_boundary_reach(&step->others[i].boundary, step->dt);
    }
    if (!find_all(&f)) {
        return false;
    }
    inner->meetings = g->meetings.items;
    inner->meeting_count = g->meetings.count;
    return inner->meeting_count == 0 || step->other_count == 0 || add_copies(&f, copies, inner);
}

// Every ball is told once what all its meetings gave it.
static void push_other(wr_ensemble_other *other, const wr_morph_meeting *m, int ball)
{
    wr_boundary_impulse *out = NULL;
    for (int i = 0; i < other->impulse_count && !out; i++) {
        out = other->impulses[i].point == ball ? &other->impulses[i] : NULL;
    }
    if (!out) {
        out = &other->impulses[other->impulse_count++];
        *out = (wr_boundary_impulse){.point = ball};
    }
    wr_vec3 arm = wr_sub(m->point, other->boundary.points[ball].position);
    out->impulse = wr_add(out->impulse, m->impulse);
    out->couple = wr_add(out->couple, wr_cross(arm, m->impulse));
}

int wri_morph_end_meetings(const wri_morph_ensemble *g, const wr_ensemble_step *step,
                           const wr_morph_step *inner)
{
    int pushed = 0;
    for (int i = 0; i < inner->meeting_count; i++) {
        const wr_morph_meeting *m = &inner->meetings[i];
        const wri_morph_met *met = &WRI_ITEM(g->met, wri_morph_met, i);
        if (wr_dot(m->impulse, m->impulse) > 0.0f) {
            ((wri_morph_body *)step->members[met->skin])->own.untouched = 0.0f;
            if (met->member >= 0) {
                ((wri_morph_body *)step->members[met->member])->own.untouched = 0.0f;
            } else {
                push_other(&step->others[met->other], m, met->ball);
            }
            pushed++;
        }
    }
    return pushed;
}

// --- as balls ---------------------------------------------------------------------------------

static void add_normals(const wr_mesh *mesh, const wr_vec3 *x, wr_vec3 *normals)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 n = wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]]));
        for (int k = 0; k < 3; k++) {
            normals[t[k]] = wr_add(normals[t[k]], n);
        }
    }
}

wr_boundary wri_morph_boundary(wri_morph_body *b)
{
    const wri_morph_shared *s = b->shared;
    const wr_morph_world *world = b->ensemble->world;
    float area = 0.0f;
    for (int i = 0; i < s->data->vertex_count; i++) {
        area += s->data->areas[i];
        b->displacements[i] = wr_v3(0.0f, 0.0f, 0.0f); // normals, until the skin is asked for
    }
    float radius = WIDE * sqrtf(area / (float)s->touching_count);
    wr_morph_positions(world, b->body, NULL, b->vertices);
    add_normals(b->mesh, b->vertices, b->displacements);
    b->is_skinned = false;
    for (int i = 0; i < s->touching_count; i++) {
        int v = s->touching[i];
        wr_vec3 inwards = wr_scale(-radius, wr_normalize(b->displacements[v]));
        b->points[i] = (wr_boundary_point){.position = wr_add(b->vertices[v], inwards),
                                           .velocity = wr_morph_velocity(world, b->body, v),
                                           .radius = radius,
                                           .inverse_mass = wr_morph_inverse_mass(world, b->body, v),
                                           .support = -1};
    }
    return (wr_boundary){.points = b->points,
                         .point_count = s->touching_count,
                         .friction = b->friction,
                         .mass = (float)s->mass};
}
