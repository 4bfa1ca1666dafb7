// director.c: first who the heroes are: those that were dented, or bend, or were hit hardest; one
// that breaks counts with all of its fragments. Then how much to show: the place where they are,
// or, where they would be too small there or come into it only later, a camera that goes along with
// them or, where they part, with the strongest and what is around it. Then from which side: where
// little stands in between, where the dents are, across the motion, and rather from the usual side.
#include "director.h"

#include <math.h>

enum {
    LOOKS = 24, // at frames that are evenly spread
    TURNS = 16, // sides to look from
    RISES = 3,
};

static const float USUAL_TURN = 0.45f, USUAL_RISE = 0.21f; // radians, as wr_camera_frame
static const float LEAST_SHARE = 0.28f; // of the picture's height that a hero takes, at least
static const float NEAR = 0.45f;        // share when the camera comes near
static const float LAST_SHARE = 0.25f;  // that one of them takes in the last picture, at least
static const float TOGETHER = 0.2f;     // likewise, when it goes along with several
static const float EDGE = 0.05f;        // of the picture, kept free when the camera goes along
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
    wr_box *boxes; // LOOKS * count; of a body that breaks, its fragments that are together
    int heroes[WRI_MOST_HEROES];
    int hero_count;
    bool goes_along; // with the heroes
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

static wr_box find_bounds(const director *d, const wr_frame *frame, int body)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->count && i < frame->body_count; i++) {
        if (wri_body_owner(d->info, i) == body) {
            box = wr_box_join(box, wri_body_bounds(d->info, frame, i));
        }
    }
    return box;
}

static void note_dent(director *d, const wr_frame *frame, const wr_event *event)
{
    if (event->subject >= d->count ||
        (event->kind != WR_EVENT_DENT && event->kind != WR_EVENT_FRACTURE)) {
        return;
    }
    int body = wri_body_owner(d->info, event->subject);
    hero *h = &d->all[body];
    wr_vec3 middle = wr_box_center(find_bounds(d, frame, body));
    h->dents += (double)event->strength;
    h->side = wr_add_scaled(h->side, event->strength, wr_normalize(wr_sub(event->point, middle)));
}

static void note_hit(director *d, const wr_record_contact *contact)
{
    const int pair[2] = {contact->body_a, contact->body_b};
    for (int i = 0; i < 2; i++) {
        if (pair[i] < d->count) {
            hero *h = &d->all[wri_body_owner(d->info, pair[i])];
            h->hits = fmax(h->hits, (double)contact->impulse);
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
            bool counts = frame->events[k].kind == WR_EVENT_DENT ||
                          frame->events[k].kind == WR_EVENT_FRACTURE;
            first_dent = counts && i < first_dent ? i : first_dent;
        }
        for (int k = 0; k < frame->contact_count; k++) {
            note_hit(d, &frame->contacts[k]);
        }
        for (int k = 0; k < frame->points_count; k++) {
            int body = frame->points[k].body;
            if (body < d->count) {
                d->all[wri_body_owner(d->info, body)].bends = true;
            }
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
        }
    }
    return true;
}

// The places of bodies that break, by those of their fragments.
static bool join_fragments(director *d)
{
    for (int i = 0; i < d->count; i++) {
        wri_whole whole;
        if (d->info->bodies[i].model >= 0 || d->info->bodies[i].is_static) {
            continue;
        }
        if (!wri_whole_create(&whole, d->info, i, d->arena, d->error)) {
            return false;
        }
        for (int look = -1; look < LOOKS && whole.count > 0; look++) {
            wr_box *row = &d->boxes[(size_t)(look < 0 ? LOOKS - 1 : look) * (size_t)d->count];
            for (int k = 0; k < whole.count; k++) {
                whole.boxes[k] = row[whole.parts[k]];
            }
            if (look < 0) { // the last one first
                wri_whole_find_core(&whole);
            } else {
                row[i] = wri_whole_bounds(&whole);
            }
        }
    }
    return true;
}

static void find_missing(director *d)
{
    for (int i = 0; i < d->count; i++) {
        d->all[i].is_missing = wri_body_owner(d->info, i) != i; // a hero only as a whole
        for (int look = 0; look < LOOKS; look++) {
            d->all[i].is_missing = d->all[i].is_missing || wr_box_is_empty(*box_at(d, look, i));
        }
    }
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
        if (d->hero_count == WRI_MOST_HEROES) {
            d->hero_count = 0; // a crowd
            return;
        }
        d->heroes[d->hero_count++] = i;
    }
}

// What the heroes take up at a look, and over time.
static wr_box heroes_at(const director *d, int look)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->hero_count; i++) {
        box = wr_box_join(box, *box_at(d, look, d->heroes[i]));
    }
    return box;
}

static wr_box heroes_box(const director *d)
{
    wr_box box = WR_BOX_EMPTY;
    for (int look = d->first; look < LOOKS; look++) {
        box = wr_box_join(box, heroes_at(d, look));
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
                blocked = wri_body_owner(d->info, i) != body && !wr_box_is_empty(other) &&
                          passes(eye, point, other);
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

// --- how near ---------------------------------------------------------------------------------

// A box in a picture, whose borders are 0 and 1; false: part of it is behind the camera.
static bool find_picture(const director *d, const wr_camera *camera, wr_box box, wr_vec2 *low,
                         wr_vec2 *high)
{
    enum { HIGH = 1000 };
    int wide = (int)fmaxf(HIGH * d->aspect, 1.0f);
    *low = (wr_vec2){INFINITY, INFINITY};
    *high = (wr_vec2){-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        wr_vec3 corner = wr_v3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y,
                               i & 4 ? box.max.z : box.min.z);
        wr_vec2 pixel;
        float depth;
        if (!wr_camera_project(camera, wide, HIGH, corner, &pixel, &depth)) {
            return false;
        }
        *low = (wr_vec2){fminf(low->x, pixel.x / (float)wide), fminf(low->y, pixel.y / HIGH)};
        *high = (wr_vec2){fmaxf(high->x, pixel.x / (float)wide), fmaxf(high->y, pixel.y / HIGH)};
    }
    return true;
}

// The share of the picture's height that an ellipsoid takes which fills a box: boxes have corners
// where bodies have none.
static float share_of(const wr_camera *camera, wr_box box)
{
    wr_vec3 forward, right, up, half = wr_scale(0.5f, wr_box_size(box));
    wr_camera_axes(camera, &forward, &right, &up);
    float depth = wr_dot(wr_sub(wr_box_center(box), camera->from), forward);
    float high = wr_length(wr_v3(half.x * up.x, half.y * up.y, half.z * up.z));
    return high / (tanf(0.5f * camera->fov) * depth);
}

// That of the hero that is seen largest among those all in the picture.
static float find_share(const director *d, const wr_camera *camera, int look)
{
    float most = 0.0f;
    for (int i = 0; i < d->hero_count; i++) {
        wr_box box = *box_at(d, look, d->heroes[i]);
        wr_vec2 low, high;
        if (find_picture(d, camera, box, &low, &high) && low.x > 0.0f && high.x < 1.0f &&
            low.y > 0.0f && high.y < 1.0f) {
            most = fmaxf(most, share_of(camera, box));
        }
    }
    return most;
}

// The camera at a look, when it goes along with the heroes.
static wr_camera moved_along(const director *d, const wr_camera *camera, int look)
{
    wr_camera c = *camera;
    wr_vec3 way = wr_v3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < d->hero_count; i++) {
        wr_vec3 now = wr_box_center(*box_at(d, look, d->heroes[i]));
        wr_vec3 start = wr_box_center(*box_at(d, 0, d->heroes[i]));
        way = wr_add_scaled(way, 1.0f / (float)d->hero_count, wr_sub(now, start));
    }
    c.from = wr_add(c.from, way);
    c.to = wr_add(c.to, way);
    return c;
}

// Whether a camera that goes along has all heroes in the picture all the time.
static bool has_all(const director *d, const wr_camera *camera)
{
    bool all = true;
    for (int look = 0; look < LOOKS && all; look++) {
        wr_camera now = moved_along(d, camera, look);
        wr_vec2 low, high;
        all = find_picture(d, &now, heroes_at(d, look), &low, &high) && low.x >= EDGE &&
              low.y >= EDGE && high.x <= 1.0f - EDGE && high.y <= 1.0f - EDGE;
    }
    return all;
}

static float last_share(const director *d, const wr_camera *camera)
{
    wr_camera last = moved_along(d, camera, LOOKS - 1);
    return find_share(d, &last, LOOKS - 1);
}

// Goes so far back that all heroes are in the picture all the time, or comes as near as that allows
// and the last picture needs.
static void choose_distance(const director *d, wr_camera *camera)
{
    enum { STEPS = 40 };
    const float step = 1.06f;
    bool back = !has_all(d, camera);
    for (int i = 0; i < STEPS; i++) {
        wr_camera next = *camera;
        wr_vec3 way = wr_scale(back ? step : 1.0f / step, wr_sub(camera->from, camera->to));
        next.from = wr_add(camera->to, way);
        if (back ? has_all(d, camera)
                 : last_share(d, camera) >= 1.2f * LAST_SHARE || !has_all(d, &next)) {
            return;
        }
        *camera = next;
    }
}

// Places a camera that goes along with the heroes. Returns the share of the one that is seen
// largest, in the first or the last picture.
static float place_along(director *d, wri_direction *out)
{
    float own = height_of(*box_at(d, 0, d->heroes[0]), d->aspect), together = 0.0f;
    for (int look = 0; look < LOOKS; look++) {
        together = fmaxf(together, height_of(heroes_at(d, look), d->aspect));
    }
    d->goes_along = true;
    out->body_count = d->hero_count;
    memcpy(out->bodies, d->heroes, sizeof out->bodies);
    float room = fmaxf(1.25f, 0.9f * own / (NEAR * together));
    out->camera = choose_side(d, grown(heroes_at(d, 0), room));
    choose_distance(d, &out->camera);
    return fminf(find_share(d, &out->camera, 0), last_share(d, &out->camera));
}

// With all heroes, while they are together, or with the strongest.
static void go_along(director *d, wri_direction *out)
{
    if (d->hero_count == 1 || place_along(d, out) < TOGETHER) {
        d->hero_count = 1;
        place_along(d, out);
    }
}

static void choose_frame(director *d, wri_direction *out)
{
    wr_box all = heroes_box(d), own = *box_at(d, 0, d->heroes[0]);
    float share = height_of(own, d->aspect) / fmaxf(height_of(all, d->aspect), 1e-9f);
    out->is_found = true;
    if (0.9f * share >= LEAST_SHARE) {
        float room = fminf(1.25f, 0.9f * share / LEAST_SHARE);
        room = fmaxf(room, fminf(0.9f / NEAR, share / NEAR));
        out->camera = choose_side(d, grown(all, room));
        if (find_share(d, &out->camera, 0) > 0.0f &&
            find_share(d, &out->camera, LOOKS - 1) >= LAST_SHARE) {
            return;
        }
    }
    go_along(d, out);
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
    *out = (wri_direction){0};
    if (!d.all || !d.boxes) {
        return wri_fail_memory(error, LOOKS * count * sizeof *d.boxes);
    }
    if (!watch_events(&d) || !watch_places(&d) || !join_fragments(&d)) {
        return false;
    }
    find_missing(&d);
    choose_heroes(&d);
    if (d.hero_count > 0) {
        choose_frame(&d, out);
    }
    return true;
}
