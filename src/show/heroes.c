// heroes.c: what happened in a recording, and who the heroes are: those of which most bends or
// breaks, as far as one can see it; else those that were dented, change their shape, or were hit
// hardest.
#include "heroes.h"

#include <math.h>

static const double STANDS_OUT = 0.25; // of the strongest: who counts as a hero, too

wri_director wri_director_create(const wri_set *set)
{
    return (wri_director){.reader = set->reader,
                          .info = set->info,
                          .reskin = set->reskin,
                          .aspect = set->aspect,
                          .arena = set->arena,
                          .error = set->error,
                          .count = set->info->body_count};
}

const wr_box *wri_box_at(const wri_director *d, int look, int body)
{
    return &d->boxes[(size_t)look * (size_t)d->count + (size_t)body];
}

static int frame_of_look(const wri_director *d, int look)
{
    int last = wr_record_frame_count(d->reader) - 1;
    return (int)((int64_t)look * last / (WRI_LOOKS - 1));
}

bool wri_can_be_hero(const wri_director *d, int body)
{
    return body >= 0 && body < d->count && !d->info->bodies[body].is_static &&
           !d->all[body].is_missing;
}

// --- what happened ----------------------------------------------------------------------------

static wr_box find_bounds(const wri_director *d, const wr_frame *frame, int body)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->count && i < frame->body_count; i++) {
        if (wri_body_owner(d->info, i) == body) {
            box = wr_box_join(box, wri_body_bounds(d->info, frame, i));
        }
    }
    return box;
}

static void note_dent(wri_director *d, const wr_frame *frame, const wr_event *event)
{
    if (event->subject >= d->count ||
        (event->kind != WR_EVENT_DENT && event->kind != WR_EVENT_FRACTURE)) {
        return;
    }
    int body = wri_body_owner(d->info, event->subject);
    wri_hero *h = &d->all[body];
    wr_vec3 middle = wr_box_center(find_bounds(d, frame, body));
    h->dents += (double)event->strength;
    h->side = wr_add_scaled(h->side, event->strength, wr_normalize(wr_sub(event->point, middle)));
}

static void note_hit(wri_director *d, const wr_record_contact *contact)
{
    const int pair[2] = {contact->body_a, contact->body_b};
    for (int i = 0; i < 2; i++) {
        if (pair[i] < d->count) {
            wri_hero *h = &d->all[wri_body_owner(d->info, pair[i])];
            h->hits = fmax(h->hits, (double)contact->impulse);
        }
    }
}

static void note_events(wri_director *d, const wr_frame *frame, int *first_dent)
{
    for (int k = 0; k < frame->event_count; k++) {
        note_dent(d, frame, &frame->events[k]);
        bool counts =
            frame->events[k].kind == WR_EVENT_DENT || frame->events[k].kind == WR_EVENT_FRACTURE;
        *first_dent = counts && *first_dent < 0 ? frame->index : *first_dent;
    }
    for (int k = 0; k < frame->contact_count; k++) {
        note_hit(d, &frame->contacts[k]);
    }
    for (int k = 0; k < frame->points_count; k++) {
        int body = frame->points[k].body;
        if (body < d->count) {
            d->all[wri_body_owner(d->info, body)].bends_freely = true;
        }
    }
}

static bool note_places(wri_director *d, const wr_frame *frame, int look)
{
    for (int i = 0; i < d->count; i++) {
        wr_box box = i < frame->body_count ? wri_body_bounds(d->info, frame, i) : WR_BOX_EMPTY;
        d->boxes[(size_t)look * (size_t)d->count + (size_t)i] = box;
    }
    return look % WRI_BETWEEN != 0 ||
           wri_sights_note(d->sights, look / WRI_BETWEEN, d->reskin, frame, d->error);
}

// Reads the recording, once.
static bool watch_all(wri_director *d)
{
    int count = wr_record_frame_count(d->reader), first_dent = -1, look = 0;
    for (int i = 0; i < count; i++) {
        const wr_frame *frame = wr_record_read_frame(d->reader, i, d->error);
        if (!frame) {
            return false;
        }
        note_events(d, frame, &first_dent);
        for (; look < WRI_LOOKS && frame_of_look(d, look) == i; look++) {
            if (!note_places(d, frame, look)) {
                return false;
            }
        }
    }
    // A look before it, so that one sees who comes.
    d->first = first_dent < 0 ? 0 : (int)((int64_t)first_dent * (WRI_LOOKS - 1) / count) - 2;
    d->first = d->first < 0 ? 0 : d->first;
    wri_sights_find_bends(d->sights);
    for (int i = 0; i < d->count; i++) {
        for (int moment = 0; moment < WRI_SIGHTS; moment++) {
            d->all[i].bends = fmax(d->all[i].bends, wri_sights_bend(d->sights, moment, i));
        }
    }
    return true;
}

// The places of bodies that break, by those of their fragments.
static bool join_fragments(wri_director *d)
{
    for (int i = 0; i < d->count; i++) {
        wri_whole whole;
        if (d->info->bodies[i].model >= 0 || d->info->bodies[i].is_static) {
            continue;
        }
        if (!wri_whole_create(&whole, d->info, i, d->arena, d->error)) {
            return false;
        }
        for (int look = -1; look < WRI_LOOKS && whole.count > 0; look++) {
            wr_box *row = &d->boxes[(size_t)(look < 0 ? WRI_LOOKS - 1 : look) * (size_t)d->count];
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

static void find_missing(wri_director *d)
{
    for (int i = 0; i < d->count; i++) {
        d->all[i].is_missing = wri_body_owner(d->info, i) != i; // a hero only as a whole
        for (int look = 0; look < WRI_LOOKS; look++) {
            d->all[i].is_missing = d->all[i].is_missing || wr_box_is_empty(*wri_box_at(d, look, i));
        }
    }
}

bool wri_director_watch(wri_director *d)
{
    size_t count = (size_t)d->count;
    d->all = wri_arena_alloc(d->arena, count, sizeof *d->all);
    d->needs = wri_arena_alloc(d->arena, count, sizeof *d->needs);
    d->boxes = wri_arena_alloc(d->arena, WRI_LOOKS * count, sizeof *d->boxes);
    if (!d->all || !d->needs || !d->boxes) {
        return wri_fail_memory(d->error, WRI_LOOKS * count * sizeof *d->boxes);
    }
    d->sights = wri_sights_create(d->info, d->arena, d->error);
    if (!d->sights || !watch_all(d) || !join_fragments(d)) {
        return false;
    }
    find_missing(d);
    return true;
}

// --- heroes -----------------------------------------------------------------------------------

// What makes heroes, the first of which there is any: bending that one sees, dents, a shape that
// may change, hits.
typedef double strength_fn(const wri_hero *h);

static double by_bends(const wri_hero *h)
{
    return h->bends;
}

static double by_dents(const wri_hero *h)
{
    return h->dents;
}

static double by_shape(const wri_hero *h)
{
    return h->bends_freely ? 1.0 : 0.0;
}

static double by_hits(const wri_hero *h)
{
    return h->hits;
}

static int find_strongest(const wri_director *d, strength_fn *strength)
{
    int strongest = -1;
    for (int i = 0; i < d->count; i++) {
        double least = strongest < 0 ? 0.0 : strength(&d->all[strongest]);
        strongest = wri_can_be_hero(d, i) && strength(&d->all[i]) > least ? i : strongest;
    }
    return strongest;
}

// The strongest comes first.
void wri_choose_heroes(wri_director *d)
{
    static strength_fn *const measures[] = {by_bends, by_dents, by_shape, by_hits};
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
    double least = STANDS_OUT * strength(&d->all[strongest]), sum = 0.0;
    for (int i = 0; i < d->count; i++) {
        sum += wri_can_be_hero(d, i) ? strength(&d->all[i]) : 0.0;
    }
    for (int i = 0; i < d->count; i++) {
        if (!wri_can_be_hero(d, i)) {
            continue;
        }
        d->needs[i] = (float)(strength(&d->all[i]) / sum);
        if (i != strongest && strength(&d->all[i]) >= least) {
            d->is_crowd = d->is_crowd || d->hero_count == WRI_MOST_HEROES;
            d->heroes[d->is_crowd ? 0 : d->hero_count++] = d->is_crowd ? strongest : i;
        }
    }
    d->hero_count = d->is_crowd ? 1 : d->hero_count;
}

// What the heroes take up at a look, and over time.
wr_box wri_heroes_at(const wri_director *d, int look)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->hero_count; i++) {
        box = wr_box_join(box, *wri_box_at(d, look, d->heroes[i]));
    }
    return box;
}

wr_box wri_heroes_box(const wri_director *d)
{
    wr_box box = WR_BOX_EMPTY;
    for (int look = d->first; look < WRI_LOOKS; look++) {
        box = wr_box_join(box, wri_heroes_at(d, look));
    }
    return box;
}
