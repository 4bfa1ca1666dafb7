// between.c: what a take shows between two recorded frames.
//
// Poses, points, weights, surfaces and particles are mixed from both. What only the earlier frame
// has, what has other triangles in the later one, and what came in again elsewhere stay as they are
// in the earlier one.
#include "show.h"

#include "../math/slerp.h"

#include <math.h>

void wri_between_destroy(wri_between *between)
{
    wri_arena_destroy(&between->kept_memory);
    wri_arena_destroy(&between->memory);
}

// --- the earlier frame --------------------------------------------------------------------------

// A copy in the arena; *ok turns false when memory ends.
static void *copy(wri_arena *arena, const void *items, int count, size_t size, bool *ok)
{
    void *to = items ? wri_arena_alloc(arena, (size_t)count, size) : NULL;
    if (to && count > 0) {
        memcpy(to, items, (size_t)count * size);
    }
    *ok = *ok && (to || !items);
    return to;
}

#define COPY(items, count) copy(arena, items, count, sizeof *(items), &ok)

static bool keep_weights(wri_arena *arena, wr_record_weights *list, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        wr_record_weights *w = &list[i];
        w->vertices = COPY(w->vertices, w->entry_count);
        w->examples = COPY(w->examples, w->entry_count);
        w->weights = COPY(w->weights, w->entry_count);
    }
    return ok;
}

static bool keep_surfaces(wri_arena *arena, wr_record_surface *list, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        wr_record_surface *s = &list[i];
        s->name = s->name ? copy(arena, s->name, (int)strlen(s->name) + 1, 1, &ok) : NULL;
        s->positions = COPY(s->positions, s->vertex_count);
        s->triangles = COPY(s->triangles, 3 * s->triangle_count);
        s->uvs = COPY(s->uvs, s->vertex_count);
        s->looks = COPY(s->looks, s->triangle_count);
    }
    return ok;
}

static bool keep_particles(wri_arena *arena, wr_record_particles *list, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        wr_record_particles *p = &list[i];
        p->positions = COPY(p->positions, p->count);
        p->radii = COPY(p->radii, p->count);
        p->ids = COPY(p->ids, p->count);
    }
    return ok;
}

// Everything of a frame that drawing asks for.
static bool keep_frame(wri_arena *arena, const wr_frame *frame, wr_frame *kept)
{
    bool ok = true;
    *kept = *frame;
    kept->event_count = kept->contact_count = kept->blend_count = 0;
    kept->poses = COPY(frame->poses, frame->body_count);
    wr_record_points *points = COPY(frame->points, frame->points_count);
    wr_record_weights *weights = COPY(frame->weights, frame->weights_count);
    wr_record_surface *surfaces = COPY(frame->surfaces, frame->surface_count);
    wr_record_particles *particles = COPY(frame->particles, frame->particles_count);
    wr_record_skinned *skinned = COPY(frame->skinned, frame->skinned_count);
    for (int i = 0; ok && i < frame->points_count; i++) {
        points[i].positions = COPY(points[i].positions, points[i].count);
    }
    for (int i = 0; ok && i < frame->skinned_count; i++) {
        skinned[i].bones = COPY(skinned[i].bones, skinned[i].bone_count);
        skinned[i].displacements = COPY(skinned[i].displacements, skinned[i].node_count);
    }
    kept->points = points;
    kept->weights = weights;
    kept->surfaces = surfaces;
    kept->particles = particles;
    kept->skinned = skinned;
    return ok && keep_weights(arena, weights, frame->weights_count) &&
           keep_surfaces(arena, surfaces, frame->surface_count) &&
           keep_particles(arena, particles, frame->particles_count);
}

// --- mixing -------------------------------------------------------------------------------------

typedef struct mixture {
    wri_arena *arena;
    const wr_frame *a, *b;
    float t; // of the way from a to b
} mixture;

static wr_pose *mix_poses(const mixture *m, const wr_pose *a, const wr_pose *b, int count)
{
    wr_pose *poses = wri_arena_alloc(m->arena, (size_t)count, sizeof *poses);
    for (int i = 0; poses && i < count; i++) {
        poses[i].position = wr_lerp3(a[i].position, b[i].position, m->t);
        poses[i].rotation = wri_quat_slerp(a[i].rotation, b[i].rotation, (double)m->t);
    }
    return poses;
}

static wr_vec3 *mix_points(const mixture *m, const wr_vec3 *a, const wr_vec3 *b, int count)
{
    wr_vec3 *points = wri_arena_alloc(m->arena, (size_t)count, sizeof *points);
    for (int i = 0; points && i < count; i++) {
        points[i] = wr_lerp3(a[i], b[i], m->t);
    }
    return points;
}

// The later frame may have more bodies.
static bool mix_bodies(const mixture *m, wr_frame *out)
{
    wr_pose *poses = mix_poses(m, m->a->poses, m->b->poses, m->a->body_count);
    for (int i = 0; poses && i < m->b->event_count; i++) {
        const wr_event *event = &m->b->events[i];
        if (event->kind == WR_EVENT_AGAIN && event->subject < m->a->body_count) {
            poses[event->subject] = m->a->poses[event->subject];
        }
    }
    out->poses = poses;
    return poses != NULL;
}

static bool mix_free(const mixture *m, wr_frame *out)
{
    int count = m->a->points_count;
    wr_record_points *points = wri_arena_alloc(m->arena, (size_t)count, sizeof *points);
    for (int i = 0; points && i < count; i++) {
        points[i] = m->a->points[i];
        for (int k = 0; k < m->b->points_count; k++) {
            const wr_record_points *later = &m->b->points[k];
            if (later->body == points[i].body && later->count == points[i].count) {
                points[i].positions =
                    mix_points(m, points[i].positions, later->positions, points[i].count);
            }
        }
        if (!points[i].positions) {
            return false;
        }
    }
    out->points = points;
    return points != NULL;
}

// Which of the next entries of both comes first: < 0: a's, > 0: b's, 0: they are of one weight.
static int compare_entries(const wr_record_weights *a, int i, const wr_record_weights *b, int k)
{
    if (i == a->entry_count || k == b->entry_count) {
        return i == a->entry_count ? 1 : -1;
    }
    int vertices = a->vertices[i] - b->vertices[k];
    return vertices ? vertices : a->examples[i] - b->examples[k];
}

static bool mix_entries(const mixture *m, const wr_record_weights *a, const wr_record_weights *b,
                        wr_record_weights *out)
{
    size_t most = (size_t)a->entry_count + (size_t)b->entry_count;
    int *vertices = wri_arena_alloc(m->arena, most, sizeof *vertices);
    int *examples = wri_arena_alloc(m->arena, most, sizeof *examples), count = 0;
    float *weights = wri_arena_alloc(m->arena, most, sizeof *weights);
    if (!vertices || !examples || !weights) {
        return false;
    }
    for (int i = 0, k = 0; i < a->entry_count || k < b->entry_count; count++) {
        int order = compare_entries(a, i, b, k);
        vertices[count] = order <= 0 ? a->vertices[i] : b->vertices[k];
        examples[count] = order <= 0 ? a->examples[i] : b->examples[k];
        weights[count] = (order <= 0 ? (1.0f - m->t) * a->weights[i] : 0.0f) +
                         (order >= 0 ? m->t * b->weights[k] : 0.0f);
        i += order <= 0;
        k += order >= 0;
    }
    *out = (wr_record_weights){a->body, count, vertices, examples, weights};
    return true;
}

static const wr_record_weights *find_weights(const wr_frame *frame, int body)
{
    for (int i = 0; i < frame->weights_count; i++) {
        if (frame->weights[i].body == body) {
            return &frame->weights[i];
        }
    }
    return NULL;
}

// A body without weights is at rest.
static bool mix_bent(const mixture *m, wr_frame *out)
{
    size_t most = (size_t)m->a->weights_count + (size_t)m->b->weights_count;
    wr_record_weights *list = wri_arena_alloc(m->arena, most, sizeof *list);
    int count = 0;
    for (int body = 0; list && body < m->a->body_count; body++) {
        const wr_record_weights none = {.body = body};
        const wr_record_weights *a = find_weights(m->a, body), *b = find_weights(m->b, body);
        if ((a || b) && !mix_entries(m, a ? a : &none, b ? b : &none, &list[count++])) {
            return false;
        }
    }
    out->weights = list;
    out->weights_count = count;
    return list != NULL;
}

static bool mix_surfaces(const mixture *m, wr_frame *out)
{
    int count = m->a->surface_count;
    wr_record_surface *list = wri_arena_alloc(m->arena, (size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        wr_record_surface *s = &list[i];
        *s = m->a->surfaces[i];
        const wr_record_surface *later = wr_frame_surface(m->b, s->body, s->number);
        if (later && later->topology == s->topology && later->vertex_count == s->vertex_count &&
            later->in_world == s->in_world) {
            s->positions = mix_points(m, s->positions, later->positions, s->vertex_count);
        }
        if (!s->positions) {
            return false;
        }
    }
    out->surfaces = list;
    return list != NULL;
}

static float radius_of(const wr_record_particles *particles, int i)
{
    return particles->radii ? particles->radii[i] : particles->radius;
}

// Particles are the same in both frames where their ids are; without ids where their places are.
static bool mix_cloud(const mixture *m, wr_record_particles *p, const wr_record_particles *later)
{
    if (p->in_world != later->in_world || (!p->ids != !later->ids) ||
        (!p->ids && p->count != later->count)) {
        return true;
    }
    wr_vec3 *positions = wri_arena_alloc(m->arena, (size_t)p->count, sizeof *positions);
    float *radii = wri_arena_alloc(m->arena, (size_t)p->count, sizeof *radii);
    if (!positions || !radii) {
        return false;
    }
    for (int i = 0, k = 0; i < p->count; i++) {
        k = p->ids ? k : i;
        while (p->ids && k < later->count && later->ids[k] < p->ids[i]) {
            k++;
        }
        bool lives_on = k < later->count && (!p->ids || later->ids[k] == p->ids[i]);
        positions[i] = p->positions[i];
        radii[i] = radius_of(p, i);
        if (lives_on) {
            positions[i] = wr_lerp3(positions[i], later->positions[k], m->t);
            radii[i] += m->t * (radius_of(later, k) - radii[i]);
        }
    }
    p->positions = positions;
    p->radii = radii;
    return true;
}

static bool mix_particles(const mixture *m, wr_frame *out)
{
    int count = m->a->particles_count;
    wr_record_particles *list = wri_arena_alloc(m->arena, (size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        list[i] = m->a->particles[i];
        const wr_record_particles *later = wr_frame_particles(m->b, list[i].body);
        if (later && later->count > 0 && !mix_cloud(m, &list[i], later)) {
            return false;
        }
    }
    out->particles = list;
    return list != NULL;
}

// Bones and displacements; the points that they make are among those of the frame.
static bool mix_skinned(const mixture *m, wr_frame *out)
{
    int count = m->a->skinned_count;
    wr_record_skinned *list = wri_arena_alloc(m->arena, (size_t)count, sizeof *list);
    for (int i = 0; list && i < count; i++) {
        wr_record_skinned *s = &list[i];
        *s = m->a->skinned[i];
        const wr_record_skinned *later = wr_frame_skinned(m->b, s->body);
        if (later) {
            s->bones = mix_poses(m, s->bones, later->bones, s->bone_count);
            s->displacements = mix_points(m, s->displacements, later->displacements, s->node_count);
        }
        if (!s->bones || !s->displacements) {
            return false;
        }
    }
    out->skinned = list;
    return list != NULL;
}

// --- moments ------------------------------------------------------------------------------------

// The frame `index` is in between->kept, and the reader has the one behind it.
static const wr_frame *read_pair(wr_take *take, int index, wr_error *error)
{
    wri_between *between = &take->between;
    if (between->kept.poses && between->kept.index == index) {
        return wri_take_frame(take, index + 1, error);
    }
    const wr_frame *frame = wri_take_frame(take, index, error);
    if (!frame) {
        return NULL;
    }
    wri_arena_destroy(&between->kept_memory);
    between->kept = (wr_frame){0};
    if (!keep_frame(&between->kept_memory, frame, &between->kept)) {
        between->kept = (wr_frame){0};
        wri_fail_memory(error, (size_t)frame->body_count * sizeof(wr_pose));
        return NULL;
    }
    return wri_take_frame(take, index + 1, error);
}

const wr_frame *wri_take_moment(wr_take *take, double moment, wr_error *error)
{
    wri_between *between = &take->between;
    bool is_index = moment >= 0.0 && moment < INT32_MAX;
    double whole = is_index ? floor(moment) : -1.0;
    if (!is_index || moment == whole) {
        return wri_take_frame(take, (int)whole, error);
    }
    const wr_frame *later = read_pair(take, (int)whole, error);
    if (!later) {
        return NULL;
    }
    wri_arena_destroy(&between->memory);
    between->mixed = between->kept;
    mixture m = {&between->memory, &between->kept, later, (float)(moment - whole)};
    between->mixed.time += (double)m.t * (later->time - between->kept.time);
    bool ok = mix_bodies(&m, &between->mixed) && mix_free(&m, &between->mixed) &&
              mix_bent(&m, &between->mixed) && mix_surfaces(&m, &between->mixed) &&
              mix_particles(&m, &between->mixed) && mix_skinned(&m, &between->mixed);
    if (!ok) {
        wri_fail_memory(error, (size_t)later->body_count * sizeof(wr_pose));
    }
    return ok ? &between->mixed : NULL;
}
