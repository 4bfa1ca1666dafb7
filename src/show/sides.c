// sides.c: a camera is tried from many sides, and each judged by what it shows of what bends, over
// the whole recording: in view, large enough, and with nothing before it; then rather across the
// motion, and rather from the usual side.
#include "sides.h"

#include <math.h>

enum { TURNS = 16 }; // sides to look from

static const float USUAL_TURN = 0.45f, USUAL_RISE = 0.21f; // radians, as wr_camera_frame
static const float FEW = 0.25f, MUCH = 0.66f; // shares of the picture's height between which a body
                                              // is seen well

static wr_vec3 flat_unit(wr_vec3 v)
{
    v.y = 0.0f;
    return wr_length(v) > 0.0f ? wr_normalize(v) : v;
}

// From the place at the first look to the last.
static wr_vec3 motion_of(const wri_director *d, int body)
{
    wr_vec3 a = wr_box_center(*wri_box_at(d, d->first, body));
    wr_vec3 b = wr_box_center(*wri_box_at(d, WRI_LOOKS - 1, body));
    wr_vec3 size = wr_box_size(*wri_box_at(d, d->first, body));
    wr_vec3 way = wr_sub(b, a);
    return wr_length(way) > wr_length(size) ? flat_unit(way) : wr_v3(0.0f, 0.0f, 0.0f);
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

// The camera at a look, which may go along with the heroes.
wr_camera wri_moved_along(const wri_director *d, const wr_camera *camera, int look)
{
    wr_camera c = *camera;
    if (!d->goes_along) {
        return c;
    }
    wr_vec3 way = wr_v3(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < d->hero_count; i++) {
        wr_vec3 now = wr_box_center(*wri_box_at(d, look, d->heroes[i]));
        wr_vec3 start = wr_box_center(*wri_box_at(d, 0, d->heroes[i]));
        way = wr_add_scaled(way, 1.0f / (float)d->hero_count, wr_sub(now, start));
    }
    c.from = wr_add(c.from, way);
    c.to = wr_add(c.to, way);
    return c;
}

// The share of the picture's height that a body takes; what is long and thin counts by its length,
// too. 0 or less: a part of it is behind the camera.
static float size_of(const wri_sight *sight)
{
    return fmaxf(sight->bottom - sight->top, 0.45f * (sight->right - sight->left));
}

// How well a body of this size is seen.
static float suits(float share)
{
    return share <= 0.0f ? 0.0f
           : share < FEW ? powf(share / FEW, 1.5f)
                         : wr_clampf(2.0f - share / MUCH, 0.0f, 1.0f);
}

// How much of what matters a camera shows at a moment: what has bent by then before what will.
// done: how much of all has happened.
static float find_moment_worth(const wri_director *d, int moment, float *done)
{
    float sum = 0.0f, all = 0.0f;
    *done = 0.0f;
    for (int i = 0; i < d->count; i++) {
        if (d->needs[i] <= 0.0f) {
            continue;
        }
        double most = d->all[i].bends, bend = wri_sights_bend(d->sights, moment, i);
        float part = most > 0.0 ? (float)(bend / most) : 1.0f;
        float need = d->needs[i] * (0.3f + 0.7f * part);
        wri_sight sight = wri_sights_see(d->sights, i);
        float seen = bend > 0.0 ? 0.5f * (sight.shown + sight.bent) : sight.shown;
        sum += need * seen * suits(size_of(&sight));
        all += need;
        *done += d->needs[i] * part;
    }
    return all > 0.0f ? sum / all : 0.0f;
}

// The same over time. Moments before anything bends count half as much, but nobody looks at an
// empty picture.
float wri_find_worth(const wri_director *d, const wr_camera *camera)
{
    float sum = 0.0f, all = 0.0f, filled = 0.0f;
    for (int moment = 0; moment < WRI_SIGHTS; moment++) {
        wr_camera now = wri_moved_along(d, camera, WRI_BETWEEN * moment);
        float done;
        wri_sights_aim(d->sights, moment, &now, d->aspect);
        wri_sights_draw(d->sights);
        float worth = find_moment_worth(d, moment, &done);
        sum += (0.5f + 0.5f * done) * worth;
        all += 0.5f + 0.5f * done;
        filled += worth > 0.0f ? 1.0f / WRI_SIGHTS : 0.0f;
    }
    return filled * filled * sum / all;
}

static wr_camera stand_at(wr_vec3 to, float height, float turn, float rise)
{
    const wr_vec3 origin = {0.0f, 0.0f, 0.0f};
    wr_camera c = wr_camera_frame_points(&origin, 1, 1.0f, turn, rise);
    wr_vec3 back = wr_normalize(wr_sub(c.from, c.to));
    c.to = to;
    c.from = wr_add_scaled(to, 0.5f * height / tanf(0.5f * c.fov), back);
    return c;
}

// By how much a camera that goes along with the only hero has to step back, as a factor.
static float find_step(const wri_director *d, const wr_camera *camera)
{
    const float usual = 0.42f, most = 0.62f, reach = 0.45f; // of the picture
    float low = INFINITY, high = 0.0f, far = 0.0f;
    for (int moment = 0; moment < WRI_SIGHTS; moment++) {
        wr_camera now = wri_moved_along(d, camera, WRI_BETWEEN * moment);
        wri_sights_aim(d->sights, moment, &now, d->aspect);
        wri_sight sight = wri_sights_see(d->sights, d->heroes[0]);
        low = fminf(low, size_of(&sight));
        high = fmaxf(high, size_of(&sight));
        far = fmaxf(far, fmaxf(0.5f - sight.left, sight.right - 0.5f));
        far = fmaxf(far, fmaxf(0.5f - sight.top, sight.bottom - 0.5f));
    }
    return low > 0.0f && isfinite(far)
               ? fmaxf(sqrtf(low * high) / usual, fmaxf(high / most, far / reach))
               : 2.0f;
}

static wr_camera place_camera(const wri_director *d, const wri_subject *s, float turn, float rise)
{
    enum { STEPS = 3 };
    wr_vec3 middle = wr_box_center(s->box);
    if (s->height <= 0.0f) {
        return frame_box(s->box, d->aspect, turn, rise);
    }
    wr_camera c = stand_at(middle, s->height, turn, rise);
    for (int i = 0; i < STEPS && s->is_hero; i++) {
        c.from = wr_add_scaled(c.to, find_step(d, &c), wr_sub(c.from, c.to));
    }
    return c;
}

static float judge(const wri_director *d, const wr_camera *camera, float turn, float rise)
{
    wr_vec3 back = flat_unit(wr_sub(camera->from, camera->to));
    float score = 0.0f;
    for (int i = 0; i < d->hero_count; i++) {
        const wri_hero *h = &d->all[d->heroes[i]];
        score += h->bends > 0.0 ? 0.0f : 0.35f * wr_dot(flat_unit(h->side), back);
        score -= 0.2f * fabsf(wr_dot(motion_of(d, d->heroes[i]), back));
    }
    score = score / (float)d->hero_count + wri_find_worth(d, camera);
    return score + 0.1f * cosf(turn - USUAL_TURN) - 0.8f * fabsf(rise - USUAL_RISE);
}

typedef struct view {
    wr_camera camera;
    float turn, score;
} view;

static view look_from(const wri_director *d, const wri_subject *s, float turn, float rise)
{
    view v = {.camera = place_camera(d, s, turn, rise), .turn = turn};
    v.score = judge(d, &v.camera, turn, rise);
    return v;
}

// Of all sides at the usual rise, then lower and higher there.
wr_camera wri_choose_side(const wri_director *d, wri_subject s)
{
    static const float rises[] = {0.12f, 0.45f};
    view best = look_from(d, &s, USUAL_TURN, USUAL_RISE);
    for (int i = 1; i < TURNS; i++) {
        view v = look_from(d, &s, USUAL_TURN + 6.2831853f * (float)i / TURNS, USUAL_RISE);
        best = v.score > best.score + 1e-4f ? v : best;
    }
    float turn = best.turn;
    for (int i = 0; i < WRI_COUNT(rises); i++) {
        view v = look_from(d, &s, turn, rises[i]);
        best = v.score > best.score + 1e-4f ? v : best;
    }
    return best.camera;
}
