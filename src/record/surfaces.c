// surfaces.c: triangle surfaces whose topology may change, as a stream of a frame.
//
// The list of a frame is ordered, and so are the tracks that remember it: walking both at once
// finds the track of every surface, and those that are left over belong to surfaces that are gone.
#include "stream.h"

// A surface as it was in the last frame; its arrays point to those of the track.
typedef struct surface_track {
    wr_record_surface shape;
    wri_array positions, last, before; // wr_vec3
    wri_array triangles, looks;        // int
    wri_array uvs;                     // wr_vec2
} surface_track;

static_assert(sizeof(wr_vec3) == 12 && sizeof(wr_vec2) == 8, "vertices are words");

static void destroy_track(surface_track *t)
{
    wri_array *arrays[] = {&t->positions, &t->last, &t->before, &t->triangles, &t->looks, &t->uvs};
    for (int k = 0; k < WRI_COUNT(arrays); k++) {
        wri_array_destroy(arrays[k]);
    }
    *t = (surface_track){0};
}

static void destroy_tracks(wri_array *tracks)
{
    for (int i = 0; i < tracks->count; i++) {
        destroy_track(&WRI_ITEM(*tracks, surface_track, i));
    }
    tracks->count = 0;
}

void wri_surfaces_forget(wri_frame_state *s)
{
    destroy_tracks(&s->surface_tracks);
    destroy_tracks(&s->last_surface_tracks);
}

void wri_surfaces_destroy(wri_frame_state *s)
{
    wri_surfaces_forget(s);
    wri_array_destroy(&s->surface_tracks);
    wri_array_destroy(&s->last_surface_tracks);
    wri_array_destroy(&s->surfaces);
}

// Negative, 0 or positive as a stands before, at or behind (body, number).
static int compare(const wr_record_surface *a, int body, int number)
{
    return a->body != body ? (a->body < body ? -1 : 1)
                           : (a->number > number) - (a->number < number);
}

const wr_record_surface *wr_frame_surface(const wr_frame *frame, int body, int number)
{
    int low = 0, high = frame->surface_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare(&frame->surfaces[middle], body, number) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    WR_ASSERT(low == 0 || low == frame->surface_count ||
              compare(&frame->surfaces[low - 1], frame->surfaces[low].body,
                      frame->surfaces[low].number) < 0); // ordered
    bool found = low < frame->surface_count && compare(&frame->surfaces[low], body, number) == 0;
    return found ? &frame->surfaces[low] : NULL;
}

// --- coding -----------------------------------------------------------------------------------

// Takes the track of the last frame, or a new one, to the end of this frame's. *at walks through
// those of the last frame.
static surface_track *add_track(wri_codec *c, wri_frame_state *s, const wr_record_surface *surface,
                                int *at, bool *is_known)
{
    wri_array *last = &s->last_surface_tracks;
    s->surface_tracks.item_size = sizeof(surface_track);
    surface_track *t = wri_array_add(&s->surface_tracks, 1);
    if (!t) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    WR_ASSERT(s->surface_tracks.count == s->surfaces.count && *at <= last->count);
    int order = -1;
    while (*at < last->count && order < 0) {
        surface_track *candidate = &WRI_ITEM(*last, surface_track, *at);
        order = compare(&candidate->shape, surface->body, surface->number);
        if (order == 0) {
            *t = *candidate;
            *candidate = (surface_track){0};
        }
        *at += order <= 0;
    }
    *is_known = order == 0;
    return t;
}

// Rows of `width` words that are guessed from the row above; `source` on writing.
static const void *code_chain(wri_codec *c, wri_array *rows, int count, size_t width,
                              const void *source)
{
    size_t size = 4 * width;
    wri_check_mode(c, WRI_WHOLE, true, count, size);
    rows->count = 0;
    if (c->code != WR_OK || !wri_resize(rows, size, count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    WR_ASSERT(!c->out || count == 0 || source);
    if (c->out && count) {
        memcpy(rows->items, source, size * (size_t)count);
    }
    wri_code_rows(
        c, &(wri_rows_block){
               .now = rows->items, .count = (size_t)count, .width = width, .is_chain = true});
    return rows->items;
}

// Everything but the positions.
static void code_topology(wri_codec *c, surface_track *t, wr_record_surface *shape)
{
    wri_code_u32(c, &shape->topology);
    wri_code_text(c, &shape->name);
    wri_code_bool(c, &shape->in_world);
    wri_code_int(c, &shape->look);
    wri_code_floats(c, &shape->color.r, 4, "the colour of a surface");
    wri_code_int(c, &shape->vertex_count);
    wri_code_int(c, &shape->triangle_count);
    bool has_uvs = shape->uvs != NULL, has_looks = shape->looks != NULL;
    wri_code_bool(c, &has_uvs);
    wri_code_bool(c, &has_looks);
    wri_codec_check_index(c, shape->vertex_count, 0, INT32_MAX / 3, "the vertices of a surface");
    wri_codec_check_index(c, shape->triangle_count, 0, INT32_MAX / 3, "the triangles of a surface");
    if (c->code != WR_OK) {
        return;
    }
    shape->triangles = code_chain(c, &t->triangles, 3 * shape->triangle_count, 1, shape->triangles);
    shape->uvs = has_uvs ? code_chain(c, &t->uvs, shape->vertex_count, 2, shape->uvs) : NULL;
    shape->looks =
        has_looks ? code_chain(c, &t->looks, shape->triangle_count, 1, shape->looks) : NULL;
}

// The positions go on along a straight line, as points do.
static void code_motion(wri_codec *c, surface_track *t, int mode, const wr_vec3 *positions)
{
    int n = t->last.count;
    WR_ASSERT(mode != WRI_WHOLE && n == t->shape.vertex_count && t->before.count == n);
    wri_check_mode(c, mode, true, n, 12);
    if (c->code != WR_OK || !wri_resize(&t->positions, 12, n)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (n && (c->out || mode == WRI_SAME)) {
        memcpy(t->positions.items, c->out ? positions : t->last.items, 12 * (size_t)n);
    }
    if (mode == WRI_CHANGED) {
        wri_code_rows(c, &(wri_rows_block){.now = t->positions.items,
                                           .last = t->last.items,
                                           .before = t->before.items,
                                           .count = (size_t)n,
                                           .width = 3});
    }
    wri_swap(&t->before, &t->last);
    wri_swap(&t->last, &t->positions);
}

static void code_positions(wri_codec *c, surface_track *t, wr_record_surface *shape)
{
    size_t n = (size_t)shape->vertex_count;
    code_chain(c, &t->last, shape->vertex_count, 3, shape->positions);
    if (c->code != WR_OK || !wri_resize(&t->before, 12, shape->vertex_count)) {
        wri_codec_fail_memory(c);
    } else if (n) { // no speed is known yet
        memcpy(t->before.items, t->last.items, 12 * n);
    }
}

static void code_surface(wri_codec *c, surface_track *t, wr_record_surface *shape, bool is_known)
{
    WR_ASSERT(!is_known || compare(&t->shape, shape->body, shape->number) == 0);
    int mode = WRI_WHOLE;
    if (c->out && is_known && shape->topology == t->shape.topology) {
        WR_ASSERT(shape->vertex_count == t->last.count); // as check_topology says
        size_t size = 12 * (size_t)t->last.count;
        mode = size == 0 || memcmp(shape->positions, t->last.items, size) == 0 ? WRI_SAME
                                                                               : WRI_CHANGED;
    }
    wri_code_small(c, &mode, WRI_SAME, "how a surface is stored");
    if (mode != WRI_WHOLE && !is_known) {
        wri_codec_fail(c, "surface %d of body %d is not in the frame before", shape->number,
                       shape->body);
    }
    if (c->code != WR_OK) {
        return;
    }
    if (mode == WRI_WHOLE) {
        code_topology(c, t, shape);
        if (c->code == WR_OK) {
            code_positions(c, t, shape);
        }
    } else {
        code_motion(c, t, mode, shape->positions);
        *shape = t->shape;
    }
    WR_ASSERT(c->code != WR_OK || t->last.count == shape->vertex_count);
    shape->positions = t->last.items;
    t->shape = *shape;
}

// The next surface of the list, which follows the one before.
static void code_item(wri_codec *c, wri_frame_state *s, wr_record_surface *shape, int *at)
{
    WR_ASSERT(shape == &WRI_ITEM(s->surfaces, wr_record_surface, s->surfaces.count - 1));
    wri_code_int(c, &shape->body);
    wri_code_int(c, &shape->number);
    wri_codec_check_index(c, shape->body, 0, s->bodies.count, "a surface of a body");
    wri_codec_check_index(c, shape->number, 0, INT32_MAX, "the number of a surface");
    if (s->surfaces.count > 1 && compare(&shape[-1], shape->body, shape->number) >= 0) {
        wri_codec_fail(c, "surface %d of body %d is out of order", shape->number, shape->body);
    }
    bool is_known = false;
    surface_track *t = c->code == WR_OK ? add_track(c, s, shape, at, &is_known) : NULL;
    if (t) {
        code_surface(c, t, shape, is_known);
    }
}

void wri_code_surfaces(wri_codec *c, wri_frame_job *j)
{
    wri_frame_state *s = j->state;
    enum { LEAST = 9 };
    int count = c->out ? j->frame->surface_count : 0, at = 0;
    if (!wri_stream_is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, LEAST, "surfaces");
    }
    s->surfaces.item_size = sizeof(wr_record_surface);
    s->surfaces.count = 0;
    for (int i = 0; c->code == WR_OK && i < count; i++) { // room for each as it comes: count is
        wr_record_surface *shape = wri_array_add(&s->surfaces, 1); // only a claim
        if (shape) {
            *shape = c->out ? j->frame->surfaces[i] : (wr_record_surface){0};
            code_item(c, s, shape, &at);
        } else {
            wri_codec_fail_memory(c);
        }
    }
    WR_ASSERT(c->code != WR_OK || s->surface_tracks.count == s->surfaces.count);
    destroy_tracks(&s->last_surface_tracks);
    wri_swap(&s->surface_tracks, &s->last_surface_tracks);
    j->frame->surface_count = s->surfaces.count;
    j->frame->surfaces = s->surfaces.items;
}

// --- checks -----------------------------------------------------------------------------------

static bool are_finite(const float *values, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && isfinite(values[i]);
    }
    return ok;
}

static bool are_within(const int *values, int count, int least, int limit)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && values[i] >= least && values[i] < limit;
    }
    return ok;
}

static const char *find_fault(const wr_record_surface *s, int look_count)
{
    const int limit = INT32_MAX / 3;
    bool ok = s->vertex_count >= 0 && s->vertex_count <= limit && s->triangle_count >= 0 &&
              s->triangle_count <= limit;
    return !ok                           ? "an impossible number of vertices or triangles"
           : s->number < 0               ? "a negative number"
           : !are_finite(&s->color.r, 4) ? "a colour that is not finite"
           : !are_finite((const float *)s->positions, 3 * s->vertex_count)
               ? "a vertex that is not finite"
           : s->uvs && !are_finite((const float *)s->uvs, 2 * s->vertex_count)
               ? "a texture coordinate that is not finite"
           : !are_within(s->triangles, 3 * s->triangle_count, 0, s->vertex_count)
               ? "a triangle of a vertex that is not there"
           : !are_within(&s->look, 1, -1, look_count) ||
                   (s->looks && !are_within(s->looks, s->triangle_count, -1, look_count))
               ? "a look that its body's model does not have"
               : NULL;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || (!a == !b && (!a || memcmp(a, b, size) == 0));
}

static bool same_topology(const wr_record_surface *a, const wr_record_surface *b)
{
    size_t vertices = (size_t)a->vertex_count, triangles = (size_t)a->triangle_count;
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           a->in_world == b->in_world && a->look == b->look &&
           same_bytes(&a->color, &b->color, sizeof a->color) &&
           same_bytes(a->triangles, b->triangles, 3 * sizeof(int) * triangles) &&
           same_bytes(a->uvs, b->uvs, sizeof(wr_vec2) * vertices) &&
           same_bytes(a->looks, b->looks, sizeof(int) * triangles);
}

// A writer relies on the number of a topology. *at walks through the tracks of the last frame.
static void check_topology(wri_codec *c, const wri_frame_state *state, const wr_record_surface *s,
                           int *at)
{
    WR_ASSERT(c->out); // a reader's tracks are of this frame already
    const wri_array *last = &state->last_surface_tracks;
    while (*at < last->count &&
           compare(&WRI_ITEM(*last, surface_track, *at).shape, s->body, s->number) < 0) {
        ++*at;
    }
    const wr_record_surface *shape =
        *at < last->count ? &WRI_ITEM(*last, surface_track, *at).shape : NULL;
    if (shape && compare(shape, s->body, s->number) == 0 && shape->topology == s->topology &&
        !same_topology(shape, s)) {
        wri_codec_fail(c, "surface %d of body %d changed, but not the number of its topology",
                       s->number, s->body);
    }
}

void wri_check_surfaces(wri_codec *c, const wri_frame_state *state, const wr_frame *frame)
{
    int at = 0;
    for (int i = 0; c->code == WR_OK && i < frame->surface_count; i++) {
        const wr_record_surface *s = &frame->surfaces[i];
        wri_codec_check_index(c, s->body, 0, frame->body_count, "a surface of a body");
        if (c->code == WR_OK) {
            const char *fault = find_fault(s, wri_frame_look_count(state, frame, s->body));
            if (fault) {
                wri_codec_fail(c, "surface %d of body %d: %s", s->number, s->body, fault);
            }
        }
        if (i > 0 && compare(&s[-1], s->body, s->number) >= 0) {
            wri_codec_fail(c, "surface %d of body %d is out of order", s->number, s->body);
        }
        if (c->out && c->code == WR_OK) {
            check_topology(c, state, s, &at);
        }
    }
}
