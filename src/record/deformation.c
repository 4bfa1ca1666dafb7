// deformation.c: the points and weights of bodies that bend, as streams of a frame.
#include "stream.h"

// The points and weights of one body. `seen` is the number of the frame they were in, counted
// from 1.
typedef struct track {
    int points_seen, weights_seen;
    wri_array points, last_points, points_before; // wr_vec3
    wri_entries now, last;                        // weights
    bool is_tidy;                                 // `last` is, and moves can start from it
    wri_moves moves;
    wri_array guesses; // uint32_t: of the quanta
    wri_array values;  // float, for the one who reads
} track;

static_assert(sizeof(wr_vec3) == 12 && sizeof(int) == 4, "points and entries are words");

// The track of the body of the next entry of points or weights; reading reads which body it is.
static track *code_track(wri_codec *c, wri_frame_state *s, int *body, const char *what)
{
    if (s->tracks.count < s->bodies.count &&
        !wri_resize(&s->tracks, sizeof(track), s->bodies.count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    wri_code_int(c, body);
    wri_codec_check_index(c, *body, 0, s->bodies.count, what);
    WR_ASSERT(s->tracks.count >= s->bodies.count);
    return c->code == WR_OK ? &WRI_ITEM(s->tracks, track, *body) : NULL;
}

static void code_points_of(wri_codec *c, wri_frame_job *j, void *item)
{
    wr_record_points *points = item;
    track *t = code_track(c, j->state, &points->body, "points of a body");
    if (!t) {
        return;
    }
    WR_ASSERT(t->points_seen <= j->frame->index + 1); // going back forgets
    wri_code_int(c, &points->count);
    int n = points->count, mode = WRI_WHOLE;
    bool is_known = t->points_seen == j->frame->index && !j->is_key && t->last_points.count == n;
    if (c->out && is_known) {
        bool same = n == 0 || memcmp(points->positions, t->last_points.items, 12 * (size_t)n) == 0;
        mode = same ? WRI_SAME : WRI_CHANGED;
    }
    wri_code_small(c, &mode, WRI_SAME, "how points are stored");
    wri_codec_check_index(c, n, 0, INT32_MAX, "the number of points");
    wri_check_mode(c, mode, is_known, n, 12);
    if (t->points_seen == j->frame->index + 1) {
        wri_codec_fail(c, "points of body %d twice", points->body);
    }
    t->points_seen = j->frame->index + 1;
    if (c->code != WR_OK || !wri_resize(&t->points, 12, n)) {
        wri_codec_fail_memory(c);
        return;
    }
    WR_ASSERT(mode == WRI_WHOLE || (t->last_points.count == n && t->points_before.count == n));
    if (n && (c->out || mode == WRI_SAME)) {
        memcpy(t->points.items, c->out ? points->positions : t->last_points.items, 12 * (size_t)n);
    }
    if (mode != WRI_SAME) {
        wri_code_rows(c,
                      &(wri_rows_block){.now = t->points.items,
                                        .last = mode == WRI_CHANGED ? t->last_points.items : NULL,
                                        .before = t->points_before.items,
                                        .count = (size_t)n,
                                        .width = 3});
    }
    wri_swap(&t->points_before, &t->last_points);
    wri_swap(&t->last_points, &t->points);
    if (mode == WRI_WHOLE && !wri_resize(&t->points_before, 12, n)) {
        wri_codec_fail_memory(c);
    } else if (mode == WRI_WHOLE && n) { // no speed is known yet
        memcpy(t->points_before.items, t->last_points.items, 12 * (size_t)n);
    }
    points->positions = t->last_points.items;
}

void wri_code_points(wri_codec *c, wri_frame_job *j)
{
    wr_frame *f = j->frame;
    f->points = wri_code_list(c, j, f->points, &f->points_count, &j->state->points,
                              sizeof(wr_record_points), code_points_of);
}

// Takes the caller's weights into the track and says how they differ from those before.
static int load_weights(track *t, const wr_record_weights *weights, bool is_known, int most)
{
    WR_ASSERT(t->now.vertices.count == weights->entry_count);
    for (int i = 0; i < weights->entry_count; i++) {
        WRI_ITEM(t->now.vertices, int, i) = weights->vertices[i];
        WRI_ITEM(t->now.examples, int, i) = weights->examples[i];
        WR_ASSERT(weights->weights[i] >= 0.0f && weights->weights[i] <= 1.0f); // 16 bits hold it
        WRI_ITEM(t->now.quanta, uint32_t, i) = (uint32_t)(weights->weights[i] * 65535.0f + 0.5f);
    }
    bool same_entries = wri_same_items(&t->now.vertices, &t->last.vertices) &&
                        wri_same_items(&t->now.examples, &t->last.examples);
    bool may_move = most >= WRI_MOVED && t->now.vertices.count <= WRI_MOVES_LIMIT && t->is_tidy &&
                    wri_entries_are_tidy(&t->now);
    if (may_move && !(same_entries && wri_same_items(&t->now.quanta, &t->last.quanta))) {
        return WRI_MOVED;
    }
    return !is_known                                         ? WRI_WHOLE
           : !same_entries                                   ? WRI_MERGED
           : wri_same_items(&t->now.quanta, &t->last.quanta) ? WRI_SAME
                                                             : WRI_CHANGED;
}

// The last frame's weight of the same vertex and example, else 0.
static void guess_merged(track *t)
{
    const int *vertices = t->last.vertices.items, *examples = t->last.examples.items;
    int count = t->last.vertices.count, at = 0;
    WR_ASSERT(t->guesses.count == t->now.vertices.count && t->last.quanta.count == count);
    for (int i = 0; i < t->now.vertices.count; i++) {
        int v = WRI_ITEM(t->now.vertices, int, i), e = WRI_ITEM(t->now.examples, int, i);
        while (at < count && (vertices[at] < v || (vertices[at] == v && examples[at] < e))) {
            at++;
        }
        bool found = at < count && vertices[at] == v && examples[at] == e;
        WRI_ITEM(t->guesses, uint32_t, i) = found ? WRI_ITEM(t->last.quanta, uint32_t, at) : 0;
    }
}

static void code_entries(wri_codec *c, track *t, int mode)
{
    if (mode == WRI_MOVED) {
        wri_code_moves(c, &t->moves, &t->last, &t->now);
        return;
    }
    size_t count = (size_t)t->now.vertices.count, size = sizeof(int) * count;
    if (count) {
        memset(t->now.steps.items, 0, size);
    }
    WR_ASSERT((mode != WRI_SAME && mode != WRI_CHANGED) || t->last.quanta.count == (int)count);
    wri_rows_block column = {.count = count, .width = 1};
    if (mode == WRI_WHOLE || mode == WRI_MERGED) {
        column.now = t->now.vertices.items;
        column.is_chain = true;
        wri_code_rows(c, &column);
        column.now = t->now.examples.items;
        column.is_chain = false;
        wri_code_rows(c, &column);
    } else if (count) {
        memcpy(t->now.vertices.items, t->last.vertices.items, size);
        memcpy(t->now.examples.items, t->last.examples.items, size);
    }
    if (mode == WRI_SAME && count) {
        memcpy(t->now.quanta.items, t->last.quanta.items, size);
    } else if (mode != WRI_SAME) {
        if (mode == WRI_MERGED) {
            guess_merged(t);
        }
        column.now = t->now.quanta.items;
        column.last = mode == WRI_MERGED    ? t->guesses.items
                      : mode == WRI_CHANGED ? t->last.quanta.items
                                            : NULL;
        wri_code_rows(c, &column);
    }
}

static void check_weights_mode(wri_codec *c, const track *t, int mode, bool is_known, int n)
{
    if (mode != WRI_MOVED) {
        wri_check_mode(c, mode, is_known && (mode == WRI_MERGED || t->last.vertices.count == n), n,
                       mode == WRI_CHANGED ? 4 : 12);
    } else if (!t->is_tidy) {
        wri_codec_fail(c, "weights of the frame before are out of order");
    } else if (!c->out && (n > WRI_MOVES_LIMIT ||
                           (size_t)n > (size_t)t->last.vertices.count + wri_codec_left(c) / 8)) {
        wri_codec_fail(c, "%d weights in a block of %zu bytes", n, wri_codec_left(c));
    }
}

static void code_weights_of(wri_codec *c, wri_frame_job *j, void *item)
{
    wr_record_weights *weights = item;
    track *t = code_track(c, j->state, &weights->body, "weights of a body");
    if (!t) {
        return;
    }
    WR_ASSERT(t->weights_seen <= j->frame->index + 1);
    wri_code_int(c, &weights->entry_count);
    int n = weights->entry_count, mode = WRI_WHOLE;
    wri_codec_check_index(c, n, 0, INT32_MAX, "the number of weights");
    bool is_known = t->weights_seen == j->frame->index && !j->is_key;
    if (c->out && (c->code != WR_OK || !wri_entries_resize(&t->now, n))) {
        wri_codec_fail_memory(c);
        return;
    }
    if (!is_known) {
        t->last.vertices.count = 0;
        t->is_tidy = true;
    }
    mode = c->out ? load_weights(t, weights, is_known, j->state->weight_modes) : mode;
    wri_code_small(c, &mode, j->state->weight_modes, "how weights are stored");
    check_weights_mode(c, t, mode, is_known, n);
    if (t->weights_seen == j->frame->index + 1) {
        wri_codec_fail(c, "weights of body %d twice", weights->body);
    }
    t->weights_seen = j->frame->index + 1;
    if (c->code != WR_OK || !wri_entries_resize(&t->now, n) || !wri_resize(&t->guesses, 4, n) ||
        !wri_resize(&t->values, sizeof(float), n)) {
        wri_codec_fail_memory(c);
        return;
    }
    code_entries(c, t, mode);
    if (mode != WRI_SAME) {
        t->is_tidy = mode == WRI_MOVED || wri_entries_are_tidy(&t->now);
    }
    wri_entries past = t->last;
    t->last = t->now;
    t->now = past;
    for (int i = 0; i < n; i++) {
        WRI_ITEM(t->values, float, i) = (float)WRI_ITEM(t->last.quanta, uint32_t, i) / 65535.0f;
    }
    weights->vertices = t->last.vertices.items;
    weights->examples = t->last.examples.items;
    weights->weights = t->values.items;
}

void wri_code_weights(wri_codec *c, wri_frame_job *j)
{
    wr_frame *f = j->frame;
    f->weights = wri_code_list(c, j, f->weights, &f->weights_count, &j->state->weights,
                               sizeof(wr_record_weights), code_weights_of);
}

void wri_deformation_forget(wri_frame_state *s)
{
    for (int i = 0; i < s->tracks.count; i++) {
        track *t = &WRI_ITEM(s->tracks, track, i);
        t->points_seen = t->weights_seen = 0;
    }
}

void wri_deformation_destroy(wri_frame_state *state)
{
    for (int i = 0; i < state->tracks.count; i++) {
        track *t = &WRI_ITEM(state->tracks, track, i);
        wri_entries_destroy(&t->now);
        wri_entries_destroy(&t->last);
        wri_moves_destroy(&t->moves);
        wri_array *arrays[] = {&t->points, &t->last_points, &t->points_before, &t->guesses,
                               &t->values};
        for (int k = 0; k < WRI_COUNT(arrays); k++) {
            wri_array_destroy(arrays[k]);
        }
    }
    wri_array *lists[] = {&state->tracks, &state->points, &state->weights};
    for (int k = 0; k < WRI_COUNT(lists); k++) {
        wri_array_destroy(lists[k]);
    }
}

// --- checks ----------------------------------------------------------------------------------

static void check_weights(wri_codec *c, const wr_frame *frame, const wr_record_weights *weights)
{
    wri_codec_check_index(c, weights->body, 0, frame->body_count, "weights of a body");
    wri_codec_check_index(c, weights->entry_count, 0, INT32_MAX, "the number of weights");
    int vertex = 0;
    for (int i = 0; i < weights->entry_count; i++) {
        if (weights->vertices[i] < vertex || weights->examples[i] < 0) {
            wri_codec_fail(c, "weights of body %d: entry %d is out of order", weights->body, i);
        }
        if (!(weights->weights[i] >= 0.0f && weights->weights[i] <= 1.0f)) {
            wri_codec_fail(c, "weights of body %d: entry %d is not in [0, 1]", weights->body, i);
        }
        vertex = weights->vertices[i];
    }
}

static void check_points(wri_codec *c, const wr_frame *frame, const wr_record_points *points)
{
    wri_codec_check_index(c, points->body, 0, frame->body_count, "points of a body");
    wri_codec_check_index(c, points->count, 0, INT32_MAX, "the number of points");
    for (int i = 0; i < points->count; i++) {
        if (!wr_is_finite3(points->positions[i])) {
            wri_codec_fail(c, "points of body %d: point %d is not finite", points->body, i);
            return;
        }
    }
}

void wri_check_deformation(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->points_count; i++) {
        check_points(c, frame, &frame->points[i]);
    }
    for (int i = 0; i < frame->weights_count; i++) {
        check_weights(c, frame, &frame->weights[i]);
    }
}
