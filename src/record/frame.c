// frame.c: frames as streams of bytes, in both directions.
#include "stream.h"

#include <stdio.h>

// --- what frames remember ---------------------------------------------------------------------

static_assert(sizeof(wr_pose) == 28, "poses are words");

bool wri_frame_state_create(wri_frame_state *state, const wr_record_info *info, int version,
                            wr_error *error)
{
    *state = (wri_frame_state){
        .rate_numerator = info->rate_numerator,
        .rate_denominator = info->rate_denominator,
        .model_count = info->model_count,
        .weight_modes = version >= 4 ? WRI_MOVED : WRI_MERGED,
        .first_count = info->body_count,
        .born = wri_arena_create(NULL),
    };
    if (!wri_resize(&state->bodies, sizeof(wr_record_body), info->body_count)) {
        return wri_fail_memory(error, sizeof(wr_record_body) * (size_t)info->body_count);
    }
    if (info->body_count) { // a writer never looks at the texts of these, which are not its own
        memcpy(state->bodies.items, info->bodies,
               sizeof(wr_record_body) * (size_t)info->body_count);
    }
    if (!wri_resize(&state->look_counts, sizeof(int), info->model_count)) {
        return wri_fail_memory(error, sizeof(int) * (size_t)info->model_count);
    }
    for (int i = 0; i < info->model_count; i++) {
        WRI_ITEM(state->look_counts, int, i) = info->models[i]->look_count;
    }
    return wri_skinned_create(state, info) ||
           wri_fail_memory(error, sizeof(wr_record_skin) * (size_t)info->body_count);
}

void wri_frame_state_destroy(wri_frame_state *state)
{
    wri_deformation_destroy(state);
    wri_surfaces_destroy(state);
    wri_particles_destroy(state);
    wri_skinned_destroy(state);
    wri_array *arrays[] = {&state->bodies,   &state->now,           &state->last,
                           &state->before,   &state->changed,       &state->events,
                           &state->contacts, &state->last_contacts, &state->blends,
                           &state->mixes,    &state->last_mixes,    &state->look_counts};
    for (int k = 0; k < WRI_COUNT(arrays); k++) {
        wri_array_destroy(arrays[k]);
    }
    wri_arena_destroy(&state->born);
}

bool wri_frame_add_body(wri_frame_state *state, const wr_record_body *body)
{
    WR_ASSERT(body->model >= -1 && body->model < state->model_count);
    wr_record_body *copy = NULL;
    const char *name = body->name ? body->name : "";
    const char *material = body->material ? body->material : "";
    name = wri_arena_text(&state->born, name, strlen(name));
    material = wri_arena_text(&state->born, material, strlen(material));
    if (name && material && wri_resize(&state->bodies, sizeof *copy, state->bodies.count + 1)) {
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
    WR_ASSERT(s->bodies.count >= s->first_count); // births only add
    wri_deformation_forget(s);
    wri_surfaces_forget(s);
    wri_particles_forget(s);
    wri_skinned_forget(s);
    s->last_contacts.count = s->last_mixes.count = 0;
    if (is_reading) {
        s->bodies.count = s->first_count;
        wri_arena_destroy(&s->born);
    }
}

// --- the streams of a frame -------------------------------------------------------------------

static void code_state(wri_codec *c, wri_frame_job *j)
{
    wri_code_u64(c, &j->frame->hash);
}

// The time follows from the index nearly always; then it takes no bytes.
static void code_time(wri_codec *c, wri_frame_job *j)
{
    const wri_frame_state *s = j->state;
    WR_ASSERT(s->rate_numerator > 0 && s->rate_denominator > 0);
    double usual = (double)j->frame->index * s->rate_denominator / s->rate_numerator;
    uint64_t bits, usual_bits;
    memcpy(&usual_bits, &usual, 8);
    memcpy(&bits, &j->frame->time, 8);
    if (wri_stream_is_absent(c)) {
        j->frame->time = usual;
    } else if (!c->out || bits != usual_bits) {
        wri_code_u64(c, &bits);
        memcpy(&j->frame->time, &bits, 8);
    }
}

// Bodies born before a key frame, so that reading may start there.
static void code_bodies(wri_codec *c, wri_frame_job *j)
{
    wri_frame_state *s = j->state;
    int count = s->bodies.count - s->first_count;
    WR_ASSERT(c->out || !j->is_key || count == 0); // a reader forgot them and learns them here
    if (wri_stream_is_absent(c) || (c->out && (!j->is_key || !count))) {
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

static void code_event(wri_codec *c, wri_frame_job *j, void *item)
{
    wri_frame_state *s = j->state;
    wr_event *event = item;
    int kind = (int)event->kind;
    wri_code_small(c, &kind, WR_EVENT_AGAIN, "an event's kind");
    event->kind = (wr_event_kind)kind;
    wri_code_int(c, &event->subject);
    wri_code_int(c, &event->other);
    if (kind < WR_EVENT_BORN) {
        wri_codec_fail(c, "an event's kind: %d", kind);
    }
    if (kind >= WR_EVENT_DENT) {
        wri_code_floats(c, &event->point.x, 3, "where an event is");
        wri_code_floats(c, &event->strength, 1, "an event's strength");
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

static void code_events(wri_codec *c, wri_frame_job *j)
{
    wr_frame *f = j->frame;
    f->events = wri_code_list(c, j, f->events, &f->event_count, &j->state->events, sizeof(wr_event),
                              code_event);
}

// Codes which bodies moved: all of them without a list, or the gaps between their numbers.
static void code_changed(wri_codec *c, wri_frame_state *s, int count)
{
    WR_ASSERT(count <= s->bodies.count && s->changed.count == s->bodies.count);
    int body = -1;
    if (count == s->bodies.count) {
        for (int i = 0; !c->out && i < count; i++) {
            WRI_ITEM(s->changed, int, i) = i;
        }
        return;
    }
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        int *item = &WRI_ITEM(s->changed, int, i);
        WR_ASSERT(!c->out || *item > body); // ascending
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
    WR_ASSERT(s->now.count == s->bodies.count && s->last.count == s->bodies.count);
    int count = 0;
    for (int i = 0; i < s->bodies.count; i++) {
        if (is_key || memcmp(&WRI_ITEM(s->now, wr_pose, i), &WRI_ITEM(s->last, wr_pose, i),
                             sizeof(wr_pose)) != 0) {
            WRI_ITEM(s->changed, int, count++) = i;
        }
    }
    return count;
}

static void code_poses(wri_codec *c, wri_frame_job *j)
{
    wri_frame_state *s = j->state;
    int n = s->bodies.count, known = j->is_key || s->last.count > n ? 0 : s->last.count;
    WR_ASSERT(!c->out || j->frame->body_count == n); // births of this frame are coded before
    s->last.count = s->before.count = known;         // what is new starts from zero
    if (!wri_resize(&s->now, sizeof(wr_pose), n) || !wri_resize(&s->last, sizeof(wr_pose), n) ||
        !wri_resize(&s->before, sizeof(wr_pose), n) || !wri_resize(&s->changed, sizeof(int), n)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (n) {
        memcpy(s->now.items, c->out ? j->frame->poses : s->last.items, sizeof(wr_pose) * (size_t)n);
    }
    int count = c->out ? find_changed(s, j->is_key) : 0;
    if (!wri_stream_is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, 28, "poses");
    }
    if (count > n || (j->is_key && count != n)) {
        wri_codec_fail(c, "%d poses of %d bodies", count, n);
        return;
    }
    code_changed(c, s, count);
    if (c->code == WR_OK) {
        wri_code_rows(c, &(wri_rows_block){.now = s->now.items,
                                           .last = j->is_key ? NULL : s->last.items,
                                           .before = s->before.items,
                                           .rows = s->changed.items,
                                           .count = (size_t)count,
                                           .width = 7});
    }
    wri_swap(&s->before, &s->last);
    wri_swap(&s->last, &s->now);
    for (int i = known; i < n; i++) { // no speed is known yet
        WRI_ITEM(s->before, wr_pose, i) = WRI_ITEM(s->last, wr_pose, i);
    }
    WR_ASSERT(s->last.count == n && s->before.count == n); // the next frame guesses from both
    j->frame->body_count = n;
    j->frame->poses = s->last.items;
}

// --- frames -----------------------------------------------------------------------------------

static void check_events(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        bool is_joint = event->kind == WR_EVENT_BROKEN;
        int limit = is_joint ? INT32_MAX : frame->body_count;
        wri_codec_check_index(c, event->subject, 0, limit, "an event's subject");
        if (event->kind == WR_EVENT_BORN || event->kind >= WR_EVENT_DENT) {
            wri_codec_check_index(c, event->other, -1, limit, "where a body comes from");
        }
        if (event->kind >= WR_EVENT_DENT &&
            !(wr_is_finite3(event->point) && isfinite(event->strength))) {
            wri_codec_fail(c, "event %d: a place or strength that is not finite", i);
        }
    }
}

int wri_frame_look_count(const wri_frame_state *state, const wr_frame *frame, int body)
{
    int model = -1;
    for (int i = 0; i < frame->event_count && body >= state->bodies.count; i++) {
        const wr_event *event = &frame->events[i];
        model = event->kind == WR_EVENT_BORN && event->subject == body ? event->born.model : model;
    }
    if (body < state->bodies.count) {
        model = WRI_ITEM(state->bodies, wr_record_body, body).model;
    }
    WR_ASSERT(body >= 0 && model < state->look_counts.count);
    return model < 0 ? 0 : WRI_ITEM(state->look_counts, int, model);
}

static void check_frame(wri_codec *c, const wri_frame_state *state, const wr_frame *frame)
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
    wri_check_deformation(c, frame);
    check_events(c, frame);
    wri_check_contacts(c, frame);
    wri_check_blends(c, frame);
    wri_check_surfaces(c, state, frame);
    wri_check_particles(c, frame);
    wri_check_skinned(c, state, frame);
}

static bool check_lists(const wr_frame *frame, wr_error *error)
{
    bool ok = WRI_REQUIRE_LIST(error, frame->poses, frame->body_count) &&
              WRI_REQUIRE_LIST(error, frame->points, frame->points_count) &&
              WRI_REQUIRE_LIST(error, frame->weights, frame->weights_count) &&
              WRI_REQUIRE_LIST(error, frame->events, frame->event_count) &&
              WRI_REQUIRE_LIST(error, frame->contacts, frame->contact_count) &&
              WRI_REQUIRE_LIST(error, frame->blends, frame->blend_count) &&
              WRI_REQUIRE_LIST(error, frame->surfaces, frame->surface_count) &&
              WRI_REQUIRE_LIST(error, frame->particles, frame->particles_count) &&
              WRI_REQUIRE_LIST(error, frame->skinned, frame->skinned_count);
    for (int i = 0; ok && i < frame->points_count; i++) {
        ok = WRI_REQUIRE_LIST(error, frame->points[i].positions, frame->points[i].count);
    }
    for (int i = 0; ok && i < frame->weights_count; i++) {
        const wr_record_weights *w = &frame->weights[i];
        ok = WRI_REQUIRE_LIST(error, w->vertices, w->entry_count) &&
             WRI_REQUIRE_LIST(error, w->examples, w->entry_count) &&
             WRI_REQUIRE_LIST(error, w->weights, w->entry_count);
    }
    for (int i = 0; ok && i < frame->surface_count; i++) {
        const wr_record_surface *s = &frame->surfaces[i];
        ok = (s->vertex_count <= 0 || WRI_REQUIRE(error, s->positions)) &&
             (s->triangle_count <= 0 || WRI_REQUIRE(error, s->triangles));
    }
    for (int i = 0; ok && i < frame->particles_count; i++) {
        ok = frame->particles[i].count <= 0 || WRI_REQUIRE(error, frame->particles[i].positions);
    }
    for (int i = 0; ok && i < frame->skinned_count; i++) {
        const wr_record_skinned *s = &frame->skinned[i];
        ok = WRI_REQUIRE_LIST(error, s->bones, s->bone_count) &&
             WRI_REQUIRE_LIST(error, s->displacements, s->node_count);
    }
    return ok;
}

bool wri_frame_check(const wri_frame_state *state, const wr_frame *frame, wr_error *error)
{
    if (!check_lists(frame, error)) {
        return false;
    }
    wri_array nowhere = {0};
    wri_codec c = {.out = &nowhere};
    int births = 0;
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *event = &frame->events[i];
        if (event->kind < WR_EVENT_BORN || event->kind > WR_EVENT_AGAIN) {
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
        check_frame(&c, state, frame);
    }
    return c.code == WR_OK || wri_fail(error, c.code, "frame %d: %s", frame->index, c.problem);
}

// The streams in the order of their type bytes, which count from 1.
static wri_stream_fn *const streams[] = {
    code_state,      code_time,         code_bodies,        code_events,
    code_poses,      wri_code_points,   wri_code_weights,   wri_code_contacts,
    wri_code_blends, wri_code_surfaces, wri_code_particles, wri_code_skinned,
};

static void write_streams(wri_codec *c, wri_frame_job *j)
{
    for (int i = 0; c->code == WR_OK && i < WRI_COUNT(streams); i++) {
        int head = c->out->count;
        if (!wri_codec_put(c, 5)) {
            return;
        }
        streams[i](c, j);
        uint8_t *bytes = (uint8_t *)c->out->items + head;
        int size = c->out->count - head - 5;
        WR_ASSERT(size >= 0 || c->code != WR_OK);
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

static void read_streams(wri_codec *c, wri_frame_job *j)
{
    int type = 0;
    wri_codec stream = next_stream(c, &type);
    for (int i = 0; c->code == WR_OK && i < WRI_COUNT(streams); i++) {
        wri_codec absent = {.arena = c->arena};
        wri_codec *s = type == i + 1 ? &stream : &absent;
        streams[i](s, j);
        WR_ASSERT(s->at <= s->end);
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
    WR_ASSERT(frame->index > 0 || (frame->index == 0 && is_key)); // nothing is before the first
    wri_frame_job j = {state, frame, is_key};
    if (is_key) {
        forget(state, !c->out);
    }
    c->arena = &state->born;
    if (c->out && !wri_skinned_take_points(state, frame)) {
        wri_codec_fail_memory(c);
    } else if (c->out) {
        write_streams(c, &j);
    } else {
        read_streams(c, &j);
        if (c->code == WR_OK) {
            check_frame(c, state, frame);
        }
    }
}
