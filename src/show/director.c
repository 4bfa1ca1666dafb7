// director.c: first who the heroes are: those that were dented, or bend, or were hit hardest. Then
// how much to show: the place where they are, or, where they would be too small there, the
// strongest of them and what is around it. Then from which side: where little stands in between,
// where the dents are, across the motion, and rather from the usual side.
#include "director.h"

#include <math.h>

enum {
    LOOKS = 24,      // at frames that are evenly spread
    MOST_HEROES = 8, // more are a crowd, which is shown whole
    TURNS = 16,      // sides to look from
    RISES = 3,
};

static const float USUAL_TURN = 0.45f, USUAL_RISE = 0.21f; // radians, as wr_camera_frame
static const float LEAST_SHARE = 0.28f; // of the picture's height that a hero takes, at least
static const float NEAR = 0.45f;        // share when the camera comes near
static const double STANDS_OUT = 0.25;  // of the strongest: who counts as a hero, too

typedef struct hero {
    double dents;    // sum of their strengths, m/s
    double hits;     // the largest impulse, N s
    wr_vec3 side;    // sum of the directions from its middle to its dents, by strength
    bool bends;      // its shape is in the recording
    bool is_missing; // from some frames, or not to be seen
} hero;

typedef struct director {
    wr_record_reader *reader;
    const wr_record_info *info;
    float aspect;
    wri_arena *arena;
    wr_error *error;
    int count;     // bodies
    hero *all;     // per body
    wr_box *boxes; // LOOKS * count
    int heroes[MOST_HEROES];
    int hero_count;
    bool goes_along; // with the first hero
    int first;       // the look from which on it counts: shortly before the first dent
} director;

static const wr_box *box_at(const director *d, int look, int body)
{
    return &d->boxes[(size_t)look * (size_t)d->count + (size_t)body];
}

static int frame_of_look(const director *d, int look)
{
    int last = wr_record_frame_count(d->reader) - 1;
    return (int)((int64_t)look * last / (LOOKS - 1));
}

static bool can_be_hero(const director *d, int body)
{
    return body >= 0 && body < d->count && !d->info->bodies[body].is_static &&
           !d->all[body].is_missing;
}

// --- what happened ----------------------------------------------------------------------------

static void note_dent(director *d, const wr_frame *frame, const wr_event *event)
{
    if (event->subject >= d->count ||
        (event->kind != WR_EVENT_DENT && event->kind != WR_EVENT_FRACTURE)) {
        return;
    }
    hero *h = &d->all[event->subject];
    wr_vec3 middle = wr_box_center(wri_body_bounds(d->info, frame, event->subject));
    h->dents += (double)event->strength;
    h->side = wr_add_scaled(h->side, event->strength, wr_normalize(wr_sub(event->point, middle)));
}

static void note_hit(director *d, const wr_record_contact *contact)
{
    const int pair[2] = {contact->body_a, contact->body_b};
    for (int i = 0; i < 2; i++) {
        if (pair[i] < d->count) {
            d->all[pair[i]].hits = fmax(d->all[pair[i]].hits, (double)contact->impulse);
        }
    }
}

static bool watch_events(director *d)
{
    int count = wr_record_frame_count(d->reader), first_dent = count;
    for (int i = 0; i < count; i++) {
        const wr_frame *frame = wr_record_read_frame(d->reader, i, d->error);
        if (!frame) {
            return false;
        }
        for (int k = 0; k < frame->event_count; k++) {
            note_dent(d, frame, &frame->events[k]);
            first_dent = frame->events[k].kind == WR_EVENT_DENT && i < first_dent ? i : first_dent;
        }
        for (int k = 0; k < frame->contact_count; k++) {
            note_hit(d, &frame->contacts[k]);
        }
        for (int k = 0; k < frame->points_count; k++) {
            d->all[frame->points[k].body].bends |= frame->points[k].body < d->count;
        }
    }
    // A look before it, so that one sees who comes.
    d->first = first_dent == count ? 0 : (int)((int64_t)first_dent * (LOOKS - 1) / count) - 2;
    d->first = d->first < 0 ? 0 : d->first;
    return true;
}

static bool watch_places(director *d)
{
    for (int look = 0; look < LOOKS; look++) {
        const wr_frame *frame = wr_record_read_frame(d->reader, frame_of_look(d, look), d->error);
        if (!frame) {
            return false;
        }
        for (int i = 0; i < d->count; i++) {
            wr_box box = i < frame->body_count ? wri_body_bounds(d->info, frame, i) : WR_BOX_EMPTY;
            d->boxes[(size_t)look * (size_t)d->count + (size_t)i] = box;
            d->all[i].is_missing = d->all[i].is_missing || wr_box_is_empty(box);
        }
    }
    return true;
}

// --- heroes -----------------------------------------------------------------------------------

// What makes heroes, the first of which there is any: dents, a shape that changes, hits.
typedef double strength_fn(const hero *h);

static double by_dents(const hero *h)
{
    return h->dents;
}

static double by_shape(const hero *h)
{
    return h->bends ? 1.0 : 0.0;
}

static double by_hits(const hero *h)
{
    return h->hits;
}

static int find_strongest(const director *d, strength_fn *strength)
{
    int strongest = -1;
    for (int i = 0; i < d->count; i++) {
        double least = strongest < 0 ? 0.0 : strength(&d->all[strongest]);
        strongest = can_be_hero(d, i) && strength(&d->all[i]) > least ? i : strongest;
    }
    return strongest;
}

// The strongest comes first.
static void choose_heroes(director *d)
{
    static strength_fn *const measures[] = {by_dents, by_shape, by_hits};
    strength_fn *strength = NULL;
    int strongest = -1;
    for (int i = 0; i < WRI_COUNT(measures) && strongest < 0; i++) {
        strength = measures[i];
        strongest = find_strongest(d, strength);
    }
    if (strongest < 0) {
        return;
    }
    d->heroes[d->hero_count++] = strongest;
    double least = STANDS_OUT * strength(&d->all[strongest]);
    for (int i = 0; i < d->count; i++) {
        if (i == strongest || !can_be_hero(d, i) || strength(&d->all[i]) < least) {
            continue;
        }
        if (d->hero_count == MOST_HEROES) {
            d->hero_count = 0; // a crowd
            return;
        }
        d->heroes[d->hero_count++] = i;
    }
}

// Bounds of the heroes over time.
static wr_box heroes_box(const director *d)
{
    wr_box box = WR_BOX_EMPTY;
    for (int look = d->first; look < LOOKS; look++) {
        for (int i = 0; i < d->hero_count; i++) {
            box = wr_box_join(box, *box_at(d, look, d->heroes[i]));
        }
    }
    return box;
}

static float height_of(wr_box box, float aspect)
{
    wr_vec3 size = wr_box_size(box);
    float wide = sqrtf(size.x * size.x + size.z * size.z);
    return fmaxf(size.y, wide / aspect);
}

static wr_box grown(wr_box box, float factor)
{
    wr_vec3 middle = wr_box_center(box), half = wr_scale(0.5f * factor, wr_box_size(box));
    // What stands on a ground keeps it.
    float low = box.min.y - 0.25f * (factor - 1.0f) * (box.max.y - box.min.y);
    wr_box out = {wr_sub(middle, half), wr_add(middle, half)};
    out.max.y += low - out.min.y;
    out.min.y = low;
    return out;
}

// --- sides ------------------------------------------------------------------------------------

// Whether the segment from a to b passes through a box that contains neither.
static bool passes(wr_vec3 a, wr_vec3 b, wr_box box)
{
    float enter = 0.0f, leave = 1.0f;
    for (int k = 0; k < 3; k++) {
        float from = (&a.x)[k], step = (&b.x)[k] - from;
        float low = (&box.min.x)[k] - from, high = (&box.max.x)[k] - from;
        if (fabsf(step) < 1e-12f) {
            if (low > 0.0f || high < 0.0f) {
                return false;
            }
            continue;
        }
        float t0 = low / step, t1 = high / step;
        enter = fmaxf(enter, fminf(t0, t1));
        leave = fminf(leave, fmaxf(t0, t1));
    }
    return enter < leave && enter > 0.0f && leave < 1.0f;
}

// Share of looks at which a hero is seen, by boxes: a rough measure, and the same for all sides.
// from: at the start, when the camera goes along.
static float find_visible(const director *d, wr_vec3 from, int body)
{
    wr_vec3 start = wr_box_center(*box_at(d, 0, body));
    int seen = 0, all = 0;
    for (int look = d->first; look < LOOKS; look++) {
        wr_box own = *box_at(d, look, body);
        wr_vec3 way = wr_sub(wr_box_center(own), start);
        wr_vec3 eye = d->goes_along ? wr_add(from, way) : from;
        for (int k = 0; k < 3; k++) { // its middle, and half way to its upper and lower end
            wr_vec3 point = wr_box_center(own);
            point.y += 0.25f * (float)(k - 1) * (own.max.y - own.min.y);
            bool blocked = false;
            for (int i = 0; i < d->count && !blocked; i++) {
                wr_box other = *box_at(d, look, i);
                blocked = i != body && !wr_box_is_empty(other) && passes(eye, point, other);
            }
            seen += !blocked;
            all++;
        }
    }
    return all > 0 ? (float)seen / (float)all : 1.0f;
}

static wr_vec3 flat_unit(wr_vec3 v)
{
    v.y = 0.0f;
    return wr_length(v) > 0.0f ? wr_normalize(v) : v;
}

// From the place at the first look to the last.
static wr_vec3 motion_of(const director *d, int body)
{
    wr_vec3 a = wr_box_center(*box_at(d, d->first, body));
    wr_vec3 b = wr_box_center(*box_at(d, LOOKS - 1, body));
    wr_vec3 size = wr_box_size(*box_at(d, d->first, body));
    wr_vec3 way = wr_sub(b, a);
    return wr_length(way) > wr_length(size) ? flat_unit(way) : wr_v3(0.0f, 0.0f, 0.0f);
}

static float judge(const director *d, const wr_camera *camera, float turn, float rise)
{
    wr_vec3 back = flat_unit(wr_sub(camera->from, camera->to));
    float score = 0.0f;
    for (int i = 0; i < d->hero_count; i++) {
        int body = d->heroes[i];
        score += find_visible(d, camera->from, body);
        score += 0.35f * wr_dot(flat_unit(d->all[body].side), back);
        score -= 0.2f * fabsf(wr_dot(motion_of(d, body), back));
    }
    score /= (float)d->hero_count;
    return score + 0.1f * cosf(turn - USUAL_TURN) - 0.25f * fabsf(rise - USUAL_RISE);
}

static wr_camera frame_box(wr_box box, float aspect, float turn, float rise)
{
    wr_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = wr_v3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                           i & 4 ? box.max.z : box.min.z);
    }
    return wr_camera_frame_points(corners, 8, aspect, turn, rise);
}

static wr_camera choose_side(const director *d, wr_box box)
{
    static const float rises[RISES] = {0.12f, 0.21f, 0.5f};
    wr_camera best = frame_box(box, d->aspect, USUAL_TURN, USUAL_RISE);
    float most = judge(d, &best, USUAL_TURN, USUAL_RISE);
    for (int i = 0; i < TURNS; i++) {
        float turn = USUAL_TURN + 6.2831853f * (float)i / TURNS;
        for (int k = 0; k < RISES; k++) {
            wr_camera camera = frame_box(box, d->aspect, turn, rises[k]);
            float score = judge(d, &camera, turn, rises[k]);
            if (score > most + 1e-4f) {
                best = camera;
                most = score;
            }
        }
    }
    return best;
}

// --- the whole --------------------------------------------------------------------------------

static void choose_frame(director *d, wri_direction *out)
{
    int strongest = d->heroes[0];
    wr_box all = heroes_box(d), own = *box_at(d, 0, strongest);
    float share = height_of(own, d->aspect) / fmaxf(height_of(all, d->aspect), 1e-9f);
    out->is_found = true;
    out->body = -1;
    if (0.9f * share >= LEAST_SHARE) { // the margin of the frame takes a tenth
        float room = fminf(1.25f, 0.9f * share / LEAST_SHARE);
        out->camera = choose_side(d, grown(all, fmaxf(room, fminf(0.9f / NEAR, share / NEAR))));
        return;
    }
    d->hero_count = 1;
    d->goes_along = true;
    out->body = strongest;
    out->camera = choose_side(d, grown(own, 0.9f / NEAR));
}

bool wri_direct(wr_record_reader *reader, const wr_record_info *info, float aspect,
                wri_arena *arena, wri_direction *out, wr_error *error)
{
    size_t count = (size_t)info->body_count;
    director d = {.reader = reader,
                  .info = info,
                  .aspect = aspect,
                  .arena = arena,
                  .error = error,
                  .count = info->body_count,
                  .all = wri_arena_alloc(arena, count, sizeof *d.all),
                  .boxes = wri_arena_alloc(arena, LOOKS * count, sizeof *d.boxes)};
    *out = (wri_direction){.body = -1};
    if (!d.all || !d.boxes) {
        return wri_fail_memory(error, LOOKS * count * sizeof *d.boxes);
    }
    if (!watch_events(&d) || !watch_places(&d)) {
        return false;
    }
    choose_heroes(&d);
    if (d.hero_count > 0) {
        choose_frame(&d, out);
    }
    return true;
}
