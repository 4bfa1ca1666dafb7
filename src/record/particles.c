// particles.c: particles, as a stream of a frame.
//
// Coordinates are counted in quanta, a power of two that is 1/256 to 1/512 of the smallest radius
// and no finer than floats are at the farthest particle. What is coded are the counts, exactly: a
// particle is guessed to go on along a straight line, one that is new to come out where the guess
// of the one before it in the list is.
#include "stream.h"

enum {
    FINENESS = 9, // 2^-9 of a radius is the largest error of a coordinate
    SCALE_LEAST = -126,
    SCALE_MOST = 104,
};

typedef struct cell {
    int32_t x[3];
} cell;

// The particles of one body. `seen` is the number of the frame they were in, counted from 1.
typedef struct particle_track {
    int seen;
    bool has_ids;
    int scale;                                  // a quantum is 2^scale metres
    wri_array now, last, before, guesses;       // cell; `before` has the rows of `last`
    wri_array rows;                             // int: the same particle in `last`, -1: a new one
    wri_array ids, last_ids;                    // uint32_t
    wri_array radii, last_radii, radii_guesses; // float
    wri_array positions;                        // wr_vec3, for the one who reads
} particle_track;

void wri_particles_forget(wri_frame_state *s)
{
    for (int i = 0; i < s->particle_tracks.count; i++) {
        WRI_ITEM(s->particle_tracks, particle_track, i).seen = 0;
    }
}

void wri_particles_destroy(wri_frame_state *s)
{
    for (int i = 0; i < s->particle_tracks.count; i++) {
        particle_track *t = &WRI_ITEM(s->particle_tracks, particle_track, i);
        wri_array *arrays[] = {&t->now,        &t->last,          &t->before,   &t->guesses,
                               &t->rows,       &t->ids,           &t->last_ids, &t->radii,
                               &t->last_radii, &t->radii_guesses, &t->positions};
        for (int k = 0; k < WRI_COUNT(arrays); k++) {
            wri_array_destroy(arrays[k]);
        }
    }
    wri_array_destroy(&s->particle_tracks);
    wri_array_destroy(&s->particles);
}

const wr_record_particles *wr_frame_particles(const wr_frame *frame, int body)
{
    for (int i = 0; i < frame->particles_count; i++) {
        if (frame->particles[i].body == body) {
            return &frame->particles[i];
        }
    }
    return NULL;
}

// --- quanta -----------------------------------------------------------------------------------

static int find_scale(const wr_record_particles *p)
{
    float least = p->radii || p->count == 0 ? INFINITY : p->radius, farthest = 0.0f;
    int radius_scale = 0, place_scale = 0;
    for (int i = 0; i < p->count; i++) {
        wr_vec3 x = p->positions[i];
        least = p->radii && p->radii[i] < least ? p->radii[i] : least;
        farthest = fmaxf(farthest, fmaxf(fabsf(x.x), fmaxf(fabsf(x.y), fabsf(x.z))));
    }
    if (p->count == 0) {
        return 0;
    }
    WR_ASSERT(least > 0.0f && isfinite(least) && isfinite(farthest)); // as find_fault says
    (void)frexpf(least, &radius_scale); // least >= 2^(radius_scale - 1)
    (void)frexpf(farthest, &place_scale);
    int scale = radius_scale - FINENESS;
    scale = farthest > 0.0f && scale < place_scale - 24 ? place_scale - 24 : scale;
    return scale < SCALE_LEAST ? SCALE_LEAST : scale;
}

static int32_t count_quanta(float x, double quanta_per_metre)
{
    double quanta = floor((double)x * quanta_per_metre + 0.5);
    WR_ASSERT(fabs(quanta) <= 1 << 24); // find_scale chose no finer than floats are
    return (int32_t)quanta;
}

static void load_cells(particle_track *t, const wr_record_particles *p)
{
    double per_metre = ldexp(1.0, -t->scale);
    WR_ASSERT(t->now.count == p->count);
    for (int i = 0; i < p->count; i++) {
        wr_vec3 x = p->positions[i];
        WRI_ITEM(t->now, cell, i) =
            (cell){{count_quanta(x.x, per_metre), count_quanta(x.y, per_metre),
                    count_quanta(x.z, per_metre)}};
    }
}

static void find_positions(particle_track *t)
{
    double quantum = ldexp(1.0, t->scale);
    WR_ASSERT(t->positions.count == t->last.count);
    for (int i = 0; i < t->last.count; i++) {
        const int32_t *x = WRI_ITEM(t->last, cell, i).x;
        WRI_ITEM(t->positions, wr_vec3, i) =
            wr_v3((float)(x[0] * quantum), (float)(x[1] * quantum), (float)(x[2] * quantum));
    }
}

// --- coding -----------------------------------------------------------------------------------

// Finds which particle of the last frame each one is.
static void match_rows(particle_track *t, bool has_ids)
{
    int at = 0, known = t->last.count;
    WR_ASSERT(t->rows.count == t->now.count);
    WR_ASSERT(!has_ids || (t->ids.count == t->rows.count && t->last_ids.count == known));
    for (int i = 0; i < t->rows.count; i++) {
        int row = i < known ? i : -1;
        if (has_ids) {
            uint32_t id = WRI_ITEM(t->ids, uint32_t, i);
            while (at < known && WRI_ITEM(t->last_ids, uint32_t, at) < id) {
                at++;
            }
            row = at < known && WRI_ITEM(t->last_ids, uint32_t, at) == id ? at : -1;
        }
        WRI_ITEM(t->rows, int, i) = row;
    }
}

static void guess_cells(particle_track *t)
{
    cell guess = {0};
    WR_ASSERT(t->before.count == t->last.count && t->guesses.count == t->rows.count);
    for (int i = 0; i < t->rows.count; i++) {
        int row = WRI_ITEM(t->rows, int, i);
        for (int k = 0; k < 3 && row >= 0; k++) {
            uint32_t last = (uint32_t)WRI_ITEM(t->last, cell, row).x[k];
            guess.x[k] = (int32_t)(2 * last - (uint32_t)WRI_ITEM(t->before, cell, row).x[k]);
        }
        WRI_ITEM(t->guesses, cell, i) = guess;
    }
}

static void guess_radii(particle_track *t)
{
    float guess = 0.0f;
    for (int i = 0; i < t->radii_guesses.count; i++) {
        int row = WRI_ITEM(t->rows, int, i);
        guess = row >= 0 && row < t->last_radii.count ? WRI_ITEM(t->last_radii, float, row) : guess;
        WRI_ITEM(t->radii_guesses, float, i) = guess;
    }
}

// Keeps the place of each particle in the frame before, for the next guess; new ones had no speed.
static void remember(particle_track *t, int mode)
{
    WR_ASSERT(t->before.count == t->last.count);
    if (mode == WRI_SAME) {
        for (int i = 0; i < t->last.count; i++) {
            WRI_ITEM(t->before, cell, i) = WRI_ITEM(t->last, cell, i);
        }
        return;
    }
    for (int i = 0; i < t->now.count; i++) {
        int row = mode == WRI_WHOLE ? -1 : WRI_ITEM(t->rows, int, i);
        WRI_ITEM(t->guesses, cell, i) =
            row >= 0 ? WRI_ITEM(t->last, cell, row) : WRI_ITEM(t->now, cell, i);
    }
    wri_swap(&t->before, &t->guesses);
    wri_swap(&t->last, &t->now);
    wri_swap(&t->last_ids, &t->ids);
    wri_swap(&t->last_radii, &t->radii);
}

static void code_column(wri_codec *c, wri_array *now, const wri_array *guesses, size_t width)
{
    wri_code_rows(c, &(wri_rows_block){.now = now->items,
                                       .last = guesses ? guesses->items : NULL,
                                       .count = (size_t)now->count,
                                       .width = width,
                                       .is_chain = !guesses});
}

// Number of the particles of a frame, and what they have besides places.
typedef struct extent {
    int count;
    bool has_ids, has_radii;
} extent;

static bool take_room(particle_track *t, extent e)
{
    WR_ASSERT(e.count >= 0);
    int ids = e.has_ids ? e.count : 0, radii = e.has_radii ? e.count : 0;
    return wri_resize(&t->now, sizeof(cell), e.count) &&
           wri_resize(&t->guesses, sizeof(cell), e.count) &&
           wri_resize(&t->rows, sizeof(int), e.count) &&
           wri_resize(&t->positions, sizeof(wr_vec3), e.count) &&
           wri_resize(&t->ids, sizeof(uint32_t), ids) &&
           wri_resize(&t->radii, sizeof(float), radii) &&
           wri_resize(&t->radii_guesses, sizeof(float), radii);
}

// Takes the caller's particles into the track and says how they differ from those before.
static int load(particle_track *t, const wr_record_particles *p, bool is_known)
{
    size_t n = (size_t)p->count;
    int scale = find_scale(p);
    bool is_alike = is_known && scale == t->scale && t->has_ids == (p->ids != NULL);
    t->scale = scale;
    load_cells(t, p);
    if (p->ids && n) {
        memcpy(t->ids.items, p->ids, sizeof *p->ids * n);
    }
    if (p->radii && n) {
        memcpy(t->radii.items, p->radii, sizeof *p->radii * n);
    }
    bool is_same = is_alike && wri_same_items(&t->now, &t->last) &&
                   wri_same_items(&t->ids, &t->last_ids) &&
                   wri_same_items(&t->radii, &t->last_radii);
    return is_same ? WRI_SAME : is_alike ? WRI_CHANGED : WRI_WHOLE;
}

static extent code_head(wri_codec *c, wr_record_particles *p)
{
    int view = (int)p->view;
    extent e = {.has_ids = p->ids != NULL, .has_radii = p->radii != NULL};
    wri_code_int(c, &p->count);
    wri_codec_check_index(c, p->count, 0, INT32_MAX / 3, "the number of particles");
    wri_code_bool(c, &p->in_world);
    wri_code_small(c, &view, WR_PARTICLES_SURFACE, "how particles are shown");
    p->view = (wr_particle_view)view;
    wri_code_floats(c, &p->color.r, 4, "the colour of particles");
    wri_code_bool(c, &e.has_ids);
    wri_code_bool(c, &e.has_radii);
    if (!e.has_radii) {
        wri_code_floats(c, &p->radius, 1, "the radius of particles");
    }
    e.count = p->count;
    return e;
}

// A mode other than WRI_WHOLE needs particles of the same kind in the last frame.
static int code_mode(wri_codec *c, particle_track *t, const wr_record_particles *p, extent e,
                     bool is_known)
{
    int mode = WRI_WHOLE;
    if (c->out && c->code == WR_OK) {
        if (!take_room(t, e)) {
            wri_codec_fail_memory(c);
            return mode;
        }
        mode = load(t, p, is_known);
    }
    wri_code_small(c, &mode, WRI_SAME, "how particles are stored");
    is_known = is_known && t->has_ids == e.has_ids;
    if (mode == WRI_SAME) {
        is_known = is_known && t->last.count == e.count &&
                   t->last_radii.count == (e.has_radii ? e.count : 0);
    }
    wri_check_mode(c, mode, is_known, e.count, sizeof(cell));
    if (!c->out && c->code == WR_OK && !take_room(t, e)) {
        wri_codec_fail_memory(c);
    }
    return mode;
}

static void code_values(wri_codec *c, particle_track *t, int mode, bool has_ids)
{
    wri_code_int(c, &t->scale);
    wri_codec_check_index(c, t->scale, SCALE_LEAST, SCALE_MOST + 1, "the scale of particles");
    code_column(c, &t->ids, NULL, 1);
    if (mode == WRI_CHANGED && c->code == WR_OK) {
        match_rows(t, has_ids);
        guess_cells(t);
        guess_radii(t);
    }
    code_column(c, &t->radii, mode == WRI_CHANGED ? &t->radii_guesses : NULL, 1);
    code_column(c, &t->now, mode == WRI_CHANGED ? &t->guesses : NULL, 3);
}

static particle_track *find_track(wri_codec *c, wri_frame_state *s, int *body)
{
    if (s->particle_tracks.count < s->bodies.count &&
        !wri_resize(&s->particle_tracks, sizeof(particle_track), s->bodies.count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    wri_code_int(c, body);
    wri_codec_check_index(c, *body, 0, s->bodies.count, "particles of a body");
    return c->code == WR_OK ? &WRI_ITEM(s->particle_tracks, particle_track, *body) : NULL;
}

static void code_cloud(wri_codec *c, wri_frame_job *j, void *item)
{
    wr_record_particles *p = item;
    particle_track *t = find_track(c, j->state, &p->body);
    if (!t) {
        return;
    }
    WR_ASSERT(t->seen <= j->frame->index + 1); // going back forgets
    if (t->seen == j->frame->index + 1) {
        wri_codec_fail(c, "particles of body %d twice", p->body);
    }
    bool is_known = t->seen == j->frame->index && !j->is_key;
    t->seen = j->frame->index + 1;
    extent e = code_head(c, p);
    int mode = code_mode(c, t, p, e, is_known);
    if (mode != WRI_SAME) {
        code_values(c, t, mode, e.has_ids);
    }
    if (c->code != WR_OK || !wri_resize(&t->before, sizeof(cell), t->last.count)) {
        wri_codec_fail_memory(c);
        return;
    }
    remember(t, mode);
    t->has_ids = e.has_ids;
    if (!c->out) {
        find_positions(t);
    }
    p->positions = t->positions.items;
    p->ids = e.has_ids ? t->last_ids.items : NULL;
    p->radii = e.has_radii ? t->last_radii.items : NULL;
}

void wri_code_particles(wri_codec *c, wri_frame_job *j)
{
    wr_frame *f = j->frame;
    f->particles = wri_code_list(c, j, f->particles, &f->particles_count, &j->state->particles,
                                 sizeof(wr_record_particles), code_cloud);
}

// --- checks -----------------------------------------------------------------------------------

static const char *find_fault(const wr_record_particles *p)
{
    const wr_color *color = &p->color;
    if (p->count < 0 || p->count > INT32_MAX / 3) {
        return "an impossible number of them";
    }
    if (p->view != WR_PARTICLES_SPHERES && p->view != WR_PARTICLES_SURFACE) {
        return "an unknown way to show them";
    }
    if (!isfinite(color->r) || !isfinite(color->g) || !isfinite(color->b) || !isfinite(color->a)) {
        return "a colour that is not finite";
    }
    if (p->count > 0 && !p->radii && !(p->radius > 0.0f && isfinite(p->radius))) {
        return "a radius that is not positive";
    }
    const char *fault = NULL;
    for (int i = 0; i < p->count && !fault; i++) {
        fault = !wr_is_finite3(p->positions[i]) ? "a place that is not finite"
                : p->radii && !(p->radii[i] > 0.0f && isfinite(p->radii[i]))
                    ? "a radius that is not positive"
                : p->ids && i > 0 && p->ids[i] <= p->ids[i - 1] ? "ids that do not ascend"
                                                                : NULL;
    }
    return fault;
}

void wri_check_particles(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; c->code == WR_OK && i < frame->particles_count; i++) {
        const wr_record_particles *p = &frame->particles[i];
        wri_codec_check_index(c, p->body, 0, frame->body_count, "particles of a body");
        const char *fault = c->code == WR_OK ? find_fault(p) : NULL;
        if (fault) {
            wri_codec_fail(c, "particles of body %d: %s", p->body, fault);
        }
        if (i > 0 && p->body <= p[-1].body) {
            wri_codec_fail(c, "particles of body %d are out of order", p->body);
        }
    }
}
