// frame.c: frames as streams of bytes, in both directions.
#include "format.h"

#include <stdio.h>

// --- what frames remember ---------------------------------------------------------------------

// The weights of one body, an item of each per entry.
typedef struct entries {
    wri_array vertices, examples; // int
    wri_array quanta;             // uint32_t, 65535 stands for 1
} entries;

// The points and weights of one body. `seen` is the number of the frame they were in, counted
// from 1.
typedef struct track {
    int points_seen, weights_seen;
    wri_array points, last_points, points_before; // wr_vec3
    entries now, last;                            // weights
    wri_array guesses;                            // uint32_t: of the quanta
    wri_array values;                             // float, for the one who reads
} track;

static_assert(sizeof(wr_pose) == 28 && sizeof(wr_vec3) == 12, "poses and points are words");
static_assert(sizeof(wr_record_contact) == 36 && sizeof(int) == 4, "contacts are words");

// Sets the number of items; new ones are zero. The array may start zeroed.
static bool resize(wri_array *array, size_t item_size, int count)
{
    array->item_size = item_size;
    if (count > array->count) {
        return wri_array_add(array, count - array->count) != NULL;
    }
    array->count = count;
    return true;
}

static void swap(wri_array *a, wri_array *b)
{
    wri_array c = *a;
    *a = *b;
    *b = c;
}

bool wri_frame_state_create(wri_frame_state *state, const wr_record_info *info, wr_error *error)
{
    *state = (wri_frame_state){
        .rate_numerator = info->rate_numerator,
        .rate_denominator = info->rate_denominator,
        .model_count = info->model_count,
        .first_count = info->body_count,
        .born = wri_arena_create(NULL),
    };
    if (!resize(&state->bodies, sizeof(wr_record_body), info->body_count)) {
        return wri_fail_memory(error, sizeof(wr_record_body) * (size_t)info->body_count);
    }
    if (info->body_count) { // a writer never looks at the texts of these, which are not its own
        memcpy(state->bodies.items, info->bodies,
               sizeof(wr_record_body) * (size_t)info->body_count);
    }
    return true;
}

void wri_frame_state_destroy(wri_frame_state *state)
{
    for (int i = 0; i < state->tracks.count; i++) {
        track *t = &WRI_ITEM(state->tracks, track, i);
        wri_array *arrays[] = {&t->points,        &t->last_points,   &t->points_before,
                               &t->now.vertices,  &t->now.examples,  &t->now.quanta,
                               &t->last.vertices, &t->last.examples, &t->last.quanta,
                               &t->guesses,       &t->values};
        for (int k = 0; k < WRI_COUNT(arrays); k++) {
            wri_array_destroy(arrays[k]);
        }
    }
    wri_array *arrays[] = {&state->bodies,   &state->now,           &state->last,
                           &state->before,   &state->changed,       &state->tracks,
                           &state->contacts, &state->last_contacts, &state->events,
                           &state->points,   &state->weights,       &state->blends,
                           &state->mixes,    &state->last_mixes};
    for (int k = 0; k < WRI_COUNT(arrays); k++) {
        wri_array_destroy(arrays[k]);
    }
    wri_arena_destroy(&state->born);
}

bool wri_frame_add_body(wri_frame_state *state, const wr_record_body *body)
{
    wr_record_body *copy = NULL;
    const char *name = body->name ? body->name : "";
    const char *material = body->material ? body->material : "";
    name = wri_arena_text(&state->born, name, strlen(name));
    material = wri_arena_text(&state->born, material, strlen(material));
    if (name && material && resize(&state->bodies, sizeof *copy, state->bodies.count + 1)) {
        copy = &WRI_ITEM(state->bodies, wr_record_body, state->bodies.count - 1);
        *copy = *body;
        copy->name = name;
        copy->material = material;
    }
    return copy != NULL;
}

// A key frame is coded without a look at the frames before it.
static void forget(wri_frame_state *s, bool is_reading)
{
    for (int i = 0; i < s->tracks.count; i++) {
        track *t = &WRI_ITEM(s->tracks, track, i);
        t->points_seen = t->weights_seen = 0;
    }
    s->last_contacts.count = s->last_mixes.count = 0;
    if (is_reading) {
        s->bodies.count = s->first_count;
        wri_arena_destroy(&s->born);
    }
}

// --- the streams of a frame -------------------------------------------------------------------

// True when reading a stream that is not there.
static bool is_absent(const wri_codec *c)
{
    return !c->out && c->at == c->end;
}

// Each function codes one stream; a stream without bytes is left out of the file, and reading it
// then starts with is_absent.
typedef struct job {
    wri_frame_state *state;
    wr_frame *frame;
    bool is_key;
} job;

enum { LIST_LEAST = 9 }; // bytes of an event, of a body's points or weights
typedef void item_fn(wri_codec *c, job *j, void *item);

// A counted list. It is taken into `list` on both sides; an empty one has no bytes.
static void *code_list(wri_codec *c, job *j, const void *items, int *count, wri_array *list,
                       size_t item_size, item_fn *code_item)
{
    *count = c->out ? *count : 0;
    if (!is_absent(c) && (!c->out || *count)) {
        wri_code_count(c, count, LIST_LEAST, "a list");
    }
    list->count = 0;
    if (!resize(list, item_size, *count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    if (c->out && *count) {
        memcpy(list->items, items, item_size * (size_t)*count);
    }
    for (int i = 0; c->code == WR_OK && i < *count; i++) {
        code_item(c, j, (uint8_t *)list->items + item_size * (size_t)i);
    }
    return list->items;
}

static void code_state(wri_codec *c, job *j)
{
    wri_code_u64(c, &j->frame->hash);
}

// The time follows from the index nearly always; then it takes no bytes.
static void code_time(wri_codec *c, job *j)
{
    const wri_frame_state *s = j->state;
    double usual = (double)j->frame->index * s->rate_denominator / s->rate_numerator;
    uint64_t bits, usual_bits;
    memcpy(&usual_bits, &usual, 8);
    memcpy(&bits, &j->frame->time, 8);
    if (is_absent(c)) {
        j->frame->time = usual;
    } else if (!c->out || bits != usual_bits) {
        wri_code_u64(c, &bits);
        memcpy(&j->frame->time, &bits, 8);
    }
}

// Bodies born before a key frame, so that reading may start there.
static void code_bodies(wri_codec *c, job *j)
{
    wri_frame_state *s = j->state;
    int count = s->bodies.count - s->first_count;
    if (is_absent(c) || (c->out && (!j->is_key || !count))) {
        return;
    }
    if (!j->is_key) {
        wri_codec_fail(c, "bodies born before, in a frame that is not whole");
    }
    wri_code_count(c, &count, WRI_BODY_LEAST, "bodies born before");
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        wr_record_body body = {0};
        if (c->out) {
            body = WRI_ITEM(s->bodies, wr_record_body, s->first_count + i);
        }
        wri_code_body(c, &body, s->model_count);
        if (!c->out && c->code == WR_OK && !wri_frame_add_body(s, &body)) {
            wri_codec_fail_memory(c);
        }
    }
}

static void code_event(wri_codec *c, job *j, void *item)
{
    wri_frame_state *s = j->state;
    wr_event *event = item;
    int kind = (int)event->kind;
    wri_code_small(c, &kind, WR_EVENT_TOPOLOGY, "an event's kind");
    event->kind = (wr_event_kind)kind;
    wri_code_int(c, &event->subject);
    wri_code_int(c, &event->other);
    if (kind < WR_EVENT_BORN) {
        wri_codec_fail(c, "an event's kind: %d", kind);
    }
    if (kind != WR_EVENT_BORN || c->code != WR_OK) {
        return;
    }
    wri_code_body(c, &event->born, s->model_count);
    wri_codec_check_index(c, event->subject, s->bodies.count, s->bodies.count + 1, "a new body");
    if (c->code == WR_OK && !wri_frame_add_body(s, &event->born)) {
        wri_codec_fail_memory(c);
    }
}

static void code_events(wri_codec *c, job *j)
{
    wr_frame *f = j->frame;
    f->events = code_list(c, j, f->events, &f->event_count, &j->state->events, sizeof(wr_event),
                          code_event);
}

// Which bodies moved: all of them without a list, or the gaps between their numbers.
static void code_changed(wri_codec *c, wri_frame_state *s, int count)
{
    int body = -1;
    if (count == s->bodies.count) {
        for (int i = 0; !c->out && i < count; i++) {
            WRI_ITEM(s->changed, int, i) = i;
        }
        return;
    }
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        int *item = &WRI_ITEM(s->changed, int, i);
        uint64_t gap = c->out ? (uint64_t)(*item - body - 1) : 0;
        wri_code_varint(c, &gap);
        if (gap >= (uint64_t)(s->bodies.count - body - 1)) {
            wri_codec_fail(c, "a pose of a body beyond the %d there are", s->bodies.count);
            return;
        }
        body += 1 + (int)gap;
        *item = body;
    }
}

// The bodies whose bits differ from the frame before.
static int find_changed(wri_frame_state *s, bool is_key)
{
    int count = 0;
    for (int i = 0; i < s->bodies.count; i++) {
        if (is_key || memcmp(&WRI_ITEM(s->now, wr_pose, i), &WRI_ITEM(s->last, wr_pose, i),
                             sizeof(wr_pose)) != 0) {
            WRI_ITEM(s->changed, int, count++) = i;
        }
    }
    return count;
}

static void code_poses(wri_codec *c, job *j)
{
    wri_frame_state *s = j->state;
    int n = s->bodies.count, known = j->is_key || s->last.count > n ? 0 : s->last.count;
    s->last.count = s->before.count = known; // what is new starts from zero
    if (!resize(&s->now, sizeof(wr_pose), n) || !resize(&s->last, sizeof(wr_pose), n) ||
        !resize(&s->before, sizeof(wr_pose), n) || !resize(&s->changed, sizeof(int), n)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (n) {
        memcpy(s->now.items, c->out ? j->frame->poses : s->last.items, sizeof(wr_pose) * (size_t)n);
    }
    int count = c->out ? find_changed(s, j->is_key) : 0;
    if (!is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, 28, "poses");
    }
    if (count > n || (j->is_key && count != n)) {
        wri_codec_fail(c, "%d poses of %d bodies", count, n);
        return;
    }
    code_changed(c, s, count);
    if (c->code == WR_OK) {
        wri_code_table(c, &(wri_table){.now = s->now.items,
                                       .last = j->is_key ? NULL : s->last.items,
                                       .before = s->before.items,
                                       .rows = s->changed.items,
                                       .count = (size_t)count,
                                       .width = 7});
    }
    swap(&s->before, &s->last);
    swap(&s->last, &s->now);
    for (int i = known; i < n; i++) { // no speed is known yet
        WRI_ITEM(s->before, wr_pose, i) = WRI_ITEM(s->last, wr_pose, i);
    }
    j->frame->body_count = n;
    j->frame->poses = s->last.items;
}

// How the points or weights of a body are stored; weights may also have other entries than before.
enum { WHOLE = 0, CHANGED = 1, SAME = 2, MERGED = 3 };

// The track of the body of the next entry of points or weights; reading reads which body it is.
static track *code_track(wri_codec *c, wri_frame_state *s, int *body, const char *what)
{
    if (s->tracks.count < s->bodies.count && !resize(&s->tracks, sizeof(track), s->bodies.count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    wri_code_int(c, body);
    wri_codec_check_index(c, *body, 0, s->bodies.count, what);
    return c->code == WR_OK ? &WRI_ITEM(s->tracks, track, *body) : NULL;
}

static void check_mode(wri_codec *c, int mode, bool is_known, int count, size_t row)
{
    if (mode != WHOLE && !is_known) {
        wri_codec_fail(c, "a body refers to values that are not in the frame before");
    }
    if (!c->out && mode != SAME && (size_t)count > wri_codec_left(c) / row) {
        wri_codec_fail(c, "%d values in a block of %zu bytes", count, wri_codec_left(c));
    }
}

static void code_points_of(wri_codec *c, job *j, void *item)
{
    wr_record_points *points = item;
    track *t = code_track(c, j->state, &points->body, "points of a body");
    if (!t) {
        return;
    }
    wri_code_int(c, &points->count);
    int n = points->count, mode = WHOLE;
    bool is_known = t->points_seen == j->frame->index && !j->is_key && t->last_points.count == n;
    if (c->out && is_known) {
        bool same = n == 0 || memcmp(points->positions, t->last_points.items, 12 * (size_t)n) == 0;
        mode = same ? SAME : CHANGED;
    }
    wri_code_small(c, &mode, SAME, "how points are stored");
    wri_codec_check_index(c, n, 0, INT32_MAX, "the number of points");
    check_mode(c, mode, is_known, n, 12);
    if (t->points_seen == j->frame->index + 1) {
        wri_codec_fail(c, "points of body %d twice", points->body);
    }
    t->points_seen = j->frame->index + 1;
    if (c->code != WR_OK || !resize(&t->points, 12, n)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (n && (c->out || mode == SAME)) {
        memcpy(t->points.items, c->out ? points->positions : t->last_points.items, 12 * (size_t)n);
    }
    if (mode != SAME) {
        wri_code_table(c, &(wri_table){.now = t->points.items,
                                       .last = mode == CHANGED ? t->last_points.items : NULL,
                                       .before = t->points_before.items,
                                       .count = (size_t)n,
                                       .width = 3});
    }
    swap(&t->points_before, &t->last_points);
    swap(&t->last_points, &t->points);
    if (mode == WHOLE && !resize(&t->points_before, 12, n)) {
        wri_codec_fail_memory(c);
    } else if (mode == WHOLE && n) { // no speed is known yet
        memcpy(t->points_before.items, t->last_points.items, 12 * (size_t)n);
    }
    points->positions = t->last_points.items;
}

static void code_points(wri_codec *c, job *j)
{
    wr_frame *f = j->frame;
    f->points = code_list(c, j, f->points, &f->points_count, &j->state->points,
                          sizeof(wr_record_points), code_points_of);
}

static bool resize_entries(entries *e, int count)
{
    return resize(&e->vertices, sizeof(int), count) && resize(&e->examples, sizeof(int), count) &&
           resize(&e->quanta, sizeof(uint32_t), count);
}

static bool same_items(const wri_array *a, const wri_array *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->items, b->items, a->item_size * (size_t)a->count) == 0);
}

// Takes the caller's weights into the track and says how they differ from those before.
static int load_weights(track *t, const wr_record_weights *weights, bool is_known)
{
    for (int i = 0; i < weights->entry_count; i++) {
        WRI_ITEM(t->now.vertices, int, i) = weights->vertices[i];
        WRI_ITEM(t->now.examples, int, i) = weights->examples[i];
        WRI_ITEM(t->now.quanta, uint32_t, i) = (uint32_t)(weights->weights[i] * 65535.0f + 0.5f);
    }
    bool same_entries = same_items(&t->now.vertices, &t->last.vertices) &&
                        same_items(&t->now.examples, &t->last.examples);
    return !is_known                                     ? WHOLE
           : !same_entries                               ? MERGED
           : same_items(&t->now.quanta, &t->last.quanta) ? SAME
                                                         : CHANGED;
}

// The last frame's weight of the same vertex and example, else 0.
static void guess_merged(track *t)
{
    const int *vertices = t->last.vertices.items, *examples = t->last.examples.items;
    int count = t->last.vertices.count, at = 0;
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
    size_t count = (size_t)t->now.vertices.count, size = sizeof(int) * count;
    wri_table column = {.count = count, .width = 1};
    if (mode == WHOLE || mode == MERGED) {
        column.now = t->now.vertices.items;
        column.is_chain = true;
        wri_code_table(c, &column);
        column.now = t->now.examples.items;
        column.is_chain = false;
        wri_code_table(c, &column);
    } else if (count) {
        memcpy(t->now.vertices.items, t->last.vertices.items, size);
        memcpy(t->now.examples.items, t->last.examples.items, size);
    }
    if (mode == SAME && count) {
        memcpy(t->now.quanta.items, t->last.quanta.items, size);
    } else if (mode != SAME) {
        if (mode == MERGED) {
            guess_merged(t);
        }
        column.now = t->now.quanta.items;
        column.last = mode == MERGED    ? t->guesses.items
                      : mode == CHANGED ? t->last.quanta.items
                                        : NULL;
        wri_code_table(c, &column);
    }
}

static void code_weights_of(wri_codec *c, job *j, void *item)
{
    wr_record_weights *weights = item;
    track *t = code_track(c, j->state, &weights->body, "weights of a body");
    if (!t) {
        return;
    }
    wri_code_int(c, &weights->entry_count);
    int n = weights->entry_count, mode = WHOLE;
    wri_codec_check_index(c, n, 0, INT32_MAX, "the number of weights");
    bool is_known = t->weights_seen == j->frame->index && !j->is_key;
    if (c->out && (c->code != WR_OK || !resize_entries(&t->now, n))) {
        wri_codec_fail_memory(c);
        return;
    }
    mode = c->out ? load_weights(t, weights, is_known) : mode;
    wri_code_small(c, &mode, MERGED, "how weights are stored");
    check_mode(c, mode, is_known && (mode == MERGED || t->last.vertices.count == n), n,
               mode == CHANGED ? 4 : 12);
    if (t->weights_seen == j->frame->index + 1) {
        wri_codec_fail(c, "weights of body %d twice", weights->body);
    }
    t->weights_seen = j->frame->index + 1;
    if (c->code != WR_OK || !resize_entries(&t->now, n) || !resize(&t->guesses, 4, n) ||
        !resize(&t->values, sizeof(float), n)) {
        wri_codec_fail_memory(c);
        return;
    }
    code_entries(c, t, mode);
    entries past = t->last;
    t->last = t->now;
    t->now = past;
    for (int i = 0; i < n; i++) {
        WRI_ITEM(t->values, float, i) = (float)WRI_ITEM(t->last.quanta, uint32_t, i) / 65535.0f;
    }
    weights->vertices = t->last.vertices.items;
    weights->examples = t->last.examples.items;
    weights->weights = t->values.items;
}

static void code_weights(wri_codec *c, job *j)
{
    wr_frame *f = j->frame;
    f->weights = code_list(c, j, f->weights, &f->weights_count, &j->state->weights,
                           sizeof(wr_record_weights), code_weights_of);
}

// A contact is guessed from the one in the same place of the list before.
static void code_contacts(wri_codec *c, job *j)
{
    wri_frame_state *s = j->state;
    int count = c->out ? j->frame->contact_count : 0;
    if (!is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, 36, "contacts");
    }
    size_t size = sizeof(wr_record_contact);
    if (!resize(&s->contacts, size, count) || !resize(&s->last_contacts, size, count)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (c->out && count) {
        memcpy(s->contacts.items, j->frame->contacts, size * (size_t)count);
    }
    wri_code_table(c, &(wri_table){.now = s->contacts.items,
                                   .last = s->last_contacts.items,
                                   .count = (size_t)count,
                                   .width = 9});
    swap(&s->contacts, &s->last_contacts);
    j->frame->contact_count = count;
    j->frame->contacts = s->last_contacts.items;
}

// A blend as words: the body, then example and share of every corner, 65535 for 1.
enum { MIX_WORDS = 1 + 4 * WR_SIMPLEX_CORNERS };
typedef struct mix {
    uint32_t words[MIX_WORDS];
} mix;

static void load_blend(const wr_blend *blend, uint32_t *words)
{
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        words[2 * k] = (uint32_t)blend->examples[k];
        words[2 * k + 1] = (uint32_t)(blend->shares[k] * 65535.0f + 0.5f);
    }
}

static wr_blend read_blend(const uint32_t *words)
{
    wr_blend blend;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        blend.examples[k] = (int)words[2 * k];
        blend.shares[k] = (float)words[2 * k + 1] / 65535.0f;
    }
    return blend;
}

// Guessed from the one in the same place of the list before, like contacts.
static void code_blends(wri_codec *c, job *j)
{
    wri_frame_state *s = j->state;
    int count = c->out ? j->frame->blend_count : 0;
    if (!is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, sizeof(mix), "blends");
    }
    if (!resize(&s->mixes, sizeof(mix), count) || !resize(&s->last_mixes, sizeof(mix), count) ||
        !resize(&s->blends, sizeof(wr_record_blend), count)) {
        wri_codec_fail_memory(c);
        return;
    }
    for (int i = 0; c->out && i < count; i++) {
        const wr_record_blend *blend = &j->frame->blends[i];
        uint32_t *words = WRI_ITEM(s->mixes, mix, i).words;
        words[0] = (uint32_t)blend->body;
        load_blend(&blend->looks, &words[1]);
        load_blend(&blend->wishes, &words[1 + 2 * WR_SIMPLEX_CORNERS]);
    }
    wri_code_table(c, &(wri_table){.now = s->mixes.items,
                                   .last = s->last_mixes.items,
                                   .count = (size_t)count,
                                   .width = MIX_WORDS});
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        const uint32_t *words = WRI_ITEM(s->mixes, mix, i).words;
        WRI_ITEM(s->blends, wr_record_blend, i) = (wr_record_blend){
            (int)words[0], read_blend(&words[1]), read_blend(&words[1 + 2 * WR_SIMPLEX_CORNERS])};
    }
    swap(&s->mixes, &s->last_mixes);
    j->frame->blend_count = count;
    j->frame->blends = s->blends.items;
}

// --- frames -----------------------------------------------------------------------------------

static void check_blend(wri_codec *c, const wr_record_blend *blend, const wr_blend *b)
{
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        if (b->examples[k] < -1 || b->examples[k] >= WRI_EXAMPLE_LIMIT ||
            !(b->shares[k] >= 0.0f && b->shares[k] <= 1.0f)) {
            wri_codec_fail(c, "blend of body %d: corner %d is none", blend->body, k);
        }
    }
}

static void check_blends(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->blend_count; i++) {
        const wr_record_blend *blend = &frame->blends[i];
        wri_codec_check_index(c, blend->body, 0, frame->body_count, "the body of a blend");
        check_blend(c, blend, &blend->looks);
        check_blend(c, blend, &blend->wishes);
    }
}

static void check_events(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        bool is_joint = event->kind == WR_EVENT_BROKEN;
        int limit = is_joint ? INT32_MAX : frame->body_count;
        wri_codec_check_index(c, event->subject, 0, limit, "an event's subject");
        if (event->kind == WR_EVENT_BORN) {
            wri_codec_check_index(c, event->other, -1, limit, "where a new body comes from");
        }
    }
}

static void check_contacts(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *contact = &frame->contacts[i];
        wri_codec_check_index(c, contact->body_a, 0, frame->body_count, "a contact's first body");
        wri_codec_check_index(c, contact->body_b, 0, frame->body_count, "a contact's second body");
        if (!wr_is_finite3(contact->point) || !wr_is_finite3(contact->normal) ||
            !isfinite(contact->impulse)) {
            wri_codec_fail(c, "contact %d: not finite", i);
        }
    }
}

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

static void check_frame(wri_codec *c, const wr_frame *frame)
{
    if (!isfinite(frame->time)) {
        wri_codec_fail(c, "the time is not finite");
    }
    for (int i = 0; i < frame->body_count; i++) {
        if (!wr_pose_is_finite(frame->poses[i])) {
            wri_codec_fail(c, "body %d: its pose is not finite", i);
            return;
        }
    }
    for (int i = 0; i < frame->points_count; i++) {
        check_points(c, frame, &frame->points[i]);
    }
    for (int i = 0; i < frame->weights_count; i++) {
        check_weights(c, frame, &frame->weights[i]);
    }
    check_events(c, frame);
    check_contacts(c, frame);
    check_blends(c, frame);
}

bool wri_frame_check(const wri_frame_state *state, const wr_frame *frame, wr_error *error)
{
    wri_array nowhere = {0};
    wri_codec c = {.out = &nowhere};
    int births = 0;
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        if (event->kind < WR_EVENT_BORN || event->kind > WR_EVENT_TOPOLOGY) {
            wri_codec_fail(&c, "event %d: kind %d", i, (int)event->kind);
        } else if (event->kind == WR_EVENT_BORN) {
            wr_color color = event->born.color;
            if (!isfinite(color.r + color.g + color.b + color.a)) {
                wri_codec_fail(&c, "event %d: a colour that is not finite", i);
            }
            wri_codec_check_index(&c, event->born.model, -1, state->model_count,
                                  "the model of a new body");
            wri_codec_check_index(&c, event->subject, state->bodies.count + births,
                                  state->bodies.count + births + 1,
                                  "a new body, expected the next number");
            births++;
        }
    }
    if (frame->body_count != state->bodies.count + births) {
        wri_codec_fail(&c, "%d bodies, expected %d", frame->body_count,
                       state->bodies.count + births);
    } else {
        check_frame(&c, frame);
    }
    return c.code == WR_OK || wri_fail(error, c.code, "frame %d: %s", frame->index, c.problem);
}

typedef void stream_fn(wri_codec *c, job *j);

// In the order of their type bytes, which count from 1.
static stream_fn *const streams[] = {
    code_state,  code_time,    code_bodies,   code_events, code_poses,
    code_points, code_weights, code_contacts, code_blends,
};

static void write_streams(wri_codec *c, job *j)
{
    for (int i = 0; c->code == WR_OK && i < WRI_COUNT(streams); i++) {
        int head = c->out->count;
        if (!wri_codec_put(c, 5)) {
            return;
        }
        streams[i](c, j);
        uint8_t *bytes = (uint8_t *)c->out->items + head;
        int size = c->out->count - head - 5;
        bytes[0] = (uint8_t)(i + 1);
        wri_write_little(bytes + 1, (uint64_t)size, 4);
        if (size == 0) {
            c->out->count = head;
        }
    }
}

// Reads the head of the next stream into *type; 0 at the end. Types ascend.
static wri_codec next_stream(wri_codec *c, int *type)
{
    wri_codec stream = {.arena = c->arena};
    if (c->code != WR_OK || wri_codec_left(c) == 0) {
        *type = 0;
        return stream;
    }
    int before = *type;
    uint32_t size = 0;
    wri_code_small(c, type, 255, "a stream");
    wri_code_u32(c, &size);
    if (*type <= before) {
        wri_codec_fail(c, "stream %d after stream %d", *type, before);
    }
    stream.at = wri_codec_take(c, size);
    stream.end = stream.at ? stream.at + size : NULL;
    return stream;
}

static void read_streams(wri_codec *c, job *j)
{
    int type = 0;
    wri_codec stream = next_stream(c, &type);
    for (int i = 0; c->code == WR_OK && i < WRI_COUNT(streams); i++) {
        wri_codec absent = {.arena = c->arena};
        wri_codec *s = type == i + 1 ? &stream : &absent;
        streams[i](s, j);
        if (s->code == WR_OK && s->at != s->end) {
            wri_codec_fail(s, "%zu bytes too many", wri_codec_left(s));
        }
        if (s->code != WR_OK) {
            c->code = s->code;
            snprintf(c->problem, sizeof c->problem, "stream %d: %.160s", i + 1, s->problem);
        } else if (s == &stream) {
            stream = next_stream(c, &type);
        }
    }
    while (c->code == WR_OK && type) { // of a later version
        next_stream(c, &type);
    }
}

void wri_code_frame(wri_codec *c, wri_frame_state *state, wr_frame *frame, bool is_key)
{
    job j = {state, frame, is_key};
    if (is_key) {
        forget(state, !c->out);
    }
    c->arena = &state->born;
    if (c->out) {
        write_streams(c, &j);
    } else {
        read_streams(c, &j);
        if (c->code == WR_OK) {
            check_frame(c, frame);
        }
    }
}
