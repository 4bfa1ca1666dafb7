// director.c: chooses among a few shots: of the place where the heroes are, of the place where most
// of the bending happens, and along with all heroes or with the strongest. Each is from its best
// side. The one that shows most of what bends is taken, and rather one that stands still.
#include "sides.h"

#include <math.h>

static const float LEAST_SHARE = 0.28f; // of the picture's height that a hero takes, at least
static const float NEAR = 0.45f;        // share when the camera comes near
static const float LAST_SHARE = 0.25f;  // that one of them takes in the last picture, at least
static const float TOGETHER = 0.2f;     // likewise, when it goes along with several
static const float EDGE = 0.05f;        // of the picture, kept free when the camera goes along
static const float STILL = 1.15f;       // how much better a shot is that stands still and has the
                                        // strongest in it from the start

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

// --- how near ---------------------------------------------------------------------------------

// A box in a picture, whose borders are 0 and 1; false: part of it is behind the camera.
static bool find_picture(const wri_director *d, const wr_camera *camera, wr_box box, wr_vec2 *low,
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
static float find_share(const wri_director *d, const wr_camera *camera, int look)
{
    float most = 0.0f;
    for (int i = 0; i < d->hero_count; i++) {
        wr_box box = *wri_box_at(d, look, d->heroes[i]);
        wr_vec2 low, high;
        if (find_picture(d, camera, box, &low, &high) && low.x > 0.0f && high.x < 1.0f &&
            low.y > 0.0f && high.y < 1.0f) {
            most = fmaxf(most, share_of(camera, box));
        }
    }
    return most;
}

// Whether a camera that goes along has all heroes in the picture all the time.
static bool has_all(const wri_director *d, const wr_camera *camera)
{
    bool all = true;
    for (int look = 0; look < WRI_LOOKS && all; look++) {
        wr_camera now = wri_moved_along(d, camera, look);
        wr_vec2 low, high;
        all = find_picture(d, &now, wri_heroes_at(d, look), &low, &high) && low.x >= EDGE &&
              low.y >= EDGE && high.x <= 1.0f - EDGE && high.y <= 1.0f - EDGE;
    }
    return all;
}

static float last_share(const wri_director *d, const wr_camera *camera)
{
    wr_camera last = wri_moved_along(d, camera, WRI_LOOKS - 1);
    return find_share(d, &last, WRI_LOOKS - 1);
}

// Goes so far back that all heroes are in the picture all the time, or comes as near as that allows
// and the last picture needs.
static void choose_distance(const wri_director *d, wr_camera *camera)
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

// --- shots ------------------------------------------------------------------------------------

// Whether all of the strongest is in the first picture.
static bool shows_strongest(const wri_director *d, const wr_camera *camera)
{
    wri_sights_aim(d->sights, 0, camera, d->aspect);
    wri_sight sight = wri_sights_see(d->sights, d->heroes[0]);
    return sight.left < sight.right && sight.left > 0.0f && sight.right < 1.0f &&
           sight.top > 0.0f && sight.bottom < 1.0f;
}

// Takes a shot when it is better than what there is.
static void propose(const wri_director *d, const wr_camera *camera, wri_direction *out, float *most)
{
    float worth = wri_find_worth(d, camera);
    worth *= !d->goes_along && shows_strongest(d, camera) ? STILL : 1.0f;
    if (out->is_found && worth <= *most) {
        return;
    }
    *most = worth;
    *out = (wri_direction){.is_found = true, .camera = *camera};
    out->body_count = d->goes_along ? d->hero_count : 0;
    memcpy(out->bodies, d->heroes, sizeof out->bodies);
}

// All heroes, from where it stands, if they are large enough.
static void stay_with_heroes(wri_director *d, wri_direction *out, float *most)
{
    wr_box all = wri_heroes_box(d), own = *wri_box_at(d, 0, d->heroes[0]);
    float share = height_of(own, d->aspect) / fmaxf(height_of(all, d->aspect), 1e-9f);
    d->goes_along = false;
    if (0.9f * share < LEAST_SHARE) {
        return;
    }
    float room = fminf(1.25f, 0.9f * share / LEAST_SHARE);
    room = fmaxf(room, fminf(0.9f / NEAR, share / NEAR));
    wr_camera camera = wri_choose_side(d, (wri_subject){.box = grown(all, room)});
    if (find_share(d, &camera, 0) > 0.0f && find_share(d, &camera, WRI_LOOKS - 1) >= LAST_SHARE) {
        propose(d, &camera, out, most);
    }
}

// Along with all heroes, while they are together.
static void go_with_heroes(wri_director *d, wri_direction *out, float *most)
{
    float own = height_of(*wri_box_at(d, 0, d->heroes[0]), d->aspect), together = 0.0f;
    for (int look = 0; look < WRI_LOOKS; look++) {
        together = fmaxf(together, height_of(wri_heroes_at(d, look), d->aspect));
    }
    d->goes_along = true;
    float room = fmaxf(1.25f, 0.9f * own / (NEAR * together));
    wr_camera camera = wri_choose_side(d, (wri_subject){.box = grown(wri_heroes_at(d, 0), room)});
    choose_distance(d, &camera);
    if (fminf(find_share(d, &camera, 0), last_share(d, &camera)) >= TOGETHER) {
        propose(d, &camera, out, most);
    }
}

// Along with the strongest alone.
static void go_with_one(wri_director *d, wri_direction *out, float *most)
{
    wr_box own = *wri_box_at(d, 0, d->heroes[0]);
    d->goes_along = true;
    d->hero_count = 1;
    float height = fmaxf(height_of(own, d->aspect), 1e-6f) / NEAR;
    wr_camera camera =
        wri_choose_side(d, (wri_subject){.box = own, .height = height, .is_hero = true});
    propose(d, &camera, out, most);
}

// What bends within a picture of some height around a place.
typedef struct bending {
    wr_vec3 at;
    float wide, high;  // of the picture, half
    double sum, level; // m³, and times how high it is
    wr_box box;        // of these bodies
} bending;

// Bodies that the picture would cut do not count.
static void add_bending(bending *b, double bend, wr_box box)
{
    wr_vec3 place = wr_box_center(box), size = wr_box_size(box), off = wr_sub(place, b->at);
    bool fits = hypotf(off.x, off.z) + 0.4f * hypotf(size.x, size.z) < b->wide &&
                fabsf(off.y) + 0.4f * size.y < b->high;
    if (bend > 0.0 && fits) {
        b->sum += bend;
        b->level += bend * (double)place.y;
        b->box = wr_box_join(b->box, box);
    }
}

// It counts where it happens and where it is seen in the end.
static bending find_bending(const wri_director *d, wr_vec3 at, float height)
{
    bending b = {
        .at = at, .wide = 0.5f * height * d->aspect, .high = 0.5f * height, .box = WR_BOX_EMPTY};
    for (int i = 0; i < d->count; i++) {
        if (d->all[i].bends <= 0.0 || !wri_can_be_hero(d, i)) {
            continue;
        }
        for (int moment = 1; moment < WRI_SIGHTS; moment++) {
            double bend = wri_sights_bend(d->sights, moment, i);
            add_bending(&b, bend - wri_sights_bend(d->sights, moment - 1, i),
                        *wri_box_at(d, WRI_BETWEEN * moment, i));
        }
        add_bending(&b, wri_sights_bend(d->sights, WRI_SIGHTS - 1, i),
                    *wri_box_at(d, WRI_LOOKS - 1, i));
    }
    return b;
}

// The height of a picture in which those of which most bends are as large as they should be: as
// they stand at first or, when they turn over, most of the time.
static float usual_height(const wri_director *d)
{
    const float high = 0.3f, wide = 0.5f; // shares of the picture
    float sum = 0.0f;
    for (int i = 0; i < d->count; i++) {
        float mean = 0.0f, first = 0.0f;
        for (int look = WRI_LOOKS - 1; look >= 0 && d->needs[i] > 0.0f; look--) {
            wr_vec3 size = wr_box_size(*wri_box_at(d, look, i));
            first = fmaxf(size.y / high, hypotf(size.x, size.z) / (wide * d->aspect));
            mean += first / WRI_LOOKS;
        }
        sum += d->needs[i] > 0.0f ? d->needs[i] * fmaxf(mean, first) : 0.0f;
    }
    return sum;
}

// The place where most of the bending happens.
static void stay_at_place(wri_director *d, float height, wri_direction *out, float *most)
{
    bending most_of_all = {.sum = 0.0};
    bool any = false;
    for (int i = 0; i < d->count; i++) {
        any = any || d->all[i].bends > 0.0;
    }
    for (int moment = 1; moment < WRI_SIGHTS && any; moment++) { // each with each: only if it pays
        for (int i = 0; i < d->count; i++) {
            wr_vec3 at = wr_box_center(*wri_box_at(d, WRI_BETWEEN * moment, i));
            bending b = wri_can_be_hero(d, i) ? find_bending(d, at, height) : most_of_all;
            most_of_all = b.sum > most_of_all.sum ? b : most_of_all;
        }
    }
    d->goes_along = false;
    if (most_of_all.sum > 0.0) {
        wr_vec3 place = wr_box_center(most_of_all.box);
        place.y = (float)(most_of_all.level / most_of_all.sum);
        wr_camera camera =
            wri_choose_side(d, (wri_subject){.box = {place, place}, .height = height});
        propose(d, &camera, out, most);
    }
}

// Everything that bends, for a crowd.
static void stay_with_all(wri_director *d, wri_direction *out, float *most)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < d->count; i++) {
        for (int look = 0; look < WRI_LOOKS && d->all[i].bends > 0.0 && wri_can_be_hero(d, i);
             look++) {
            box = wr_box_join(box, *wri_box_at(d, look, i));
        }
    }
    d->goes_along = false;
    if (!wr_box_is_empty(box)) {
        wr_camera camera = wri_choose_side(d, (wri_subject){.box = box});
        propose(d, &camera, out, most);
    }
}

static void choose_shot(wri_director *d, wri_direction *out)
{
    float most = 0.0f, height = usual_height(d);
    if (d->is_crowd) {
        stay_with_all(d, out, &most);
        stay_at_place(d, 4.0f * height, out, &most);
        stay_at_place(d, 2.0f * height, out, &most);
    } else {
        stay_with_heroes(d, out, &most);
    }
    stay_at_place(d, height, out, &most);
    if (d->hero_count > 1) {
        go_with_heroes(d, out, &most);
    }
    if (out->is_found || !d->is_crowd) { // a crowd of which nobody bends is shown whole
        go_with_one(d, out, &most);
    }
}

bool wri_direct(const wri_set *set, wri_direction *out)
{
    wri_director d = wri_director_create(set);
    *out = (wri_direction){0};
    if (!wri_director_watch(&d)) {
        return false;
    }
    wri_choose_heroes(&d);
    if (d.hero_count > 0) {
        choose_shot(&d, out);
    }
    return true;
}

bool wri_direct_along(const wri_set *set, int body, wri_direction *out)
{
    wri_director d = wri_director_create(set);
    float most = 0.0f;
    *out = (wri_direction){0};
    if (!wri_director_watch(&d)) {
        return false;
    }
    if (!d.all[body].is_missing) {
        d.heroes[d.hero_count++] = body;
        d.needs[body] = 1.0f;
        go_with_one(&d, out, &most);
    }
    return true;
}
