// shot.c: a camera that sees a take: one of its own, or one that finds its place; it may follow a
// body.
#include "director.h"

#include "../render/follow.h"

#include <math.h>
#include <stdlib.h>

struct wr_shot {
    wri_arena arena;
    wr_camera at_start;
    double rate;     // frames per second
    wr_vec3 *shifts; // per frame, metres
    int count;       // of them, 0: it goes along with nobody
};

typedef wri_set finder; // its arena is of what is forgotten when the camera has its place

// --- where the action is ----------------------------------------------------------------------

// Bounds of moving bodies at several times, one array per side of the box.
typedef struct action {
    wri_array sides[6]; // of float: least x, y, z, greatest x, y, z
} action;

static bool add_box(action *a, wr_box box)
{
    const float sides[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int i = 0; i < 6; i++) {
        float *side = wri_array_add(&a->sides[i], 1);
        if (!side) {
            return false;
        }
        *side = sides[i];
    }
    return true;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The value that a fraction of the samples stays below.
static float quantile(wri_array *samples, double fraction)
{
    qsort(samples->items, (size_t)samples->count, sizeof(float), compare_floats);
    return WRI_ITEM(*samples, float, (int)(fraction * (samples->count - 1) + 0.5));
}

enum { LOOKS = 24 }; // at frames that are evenly spread

// Gathers the places of bodies that move into the action of each, or of all when there is only one.
static bool gather(const finder *f, action *moving, bool each, wr_box *fixed)
{
    const wr_record_info *info = f->info;
    int count = wr_record_frame_count(f->reader);
    for (int look = 0; look < LOOKS; look++) {
        int index = (int)((int64_t)look * (count - 1) / (LOOKS - 1));
        const wr_frame *frame = wr_record_read_frame(f->reader, index, f->error);
        if (!frame) {
            return false;
        }
        for (int i = 0; i < info->body_count && i < frame->body_count; i++) {
            const wr_record_body *body = &info->bodies[i];
            wr_box box = wri_body_bounds(info, frame, i);
            if (wr_box_is_empty(box)) {
                continue;
            }
            if (body->is_static) {
                *fixed = wr_box_join(*fixed, box);
            } else if (!add_box(&moving[each ? i : 0], box)) {
                return wri_fail_memory(f->error, sizeof box);
            }
        }
    }
    return true;
}

// Without the outermost part of the samples to every side.
static wr_box usual_box(action *a, double outside)
{
    wri_array *s = a->sides;
    if (s[5].count == 0) { // the last to be filled: memory may have ended before
        return WR_BOX_EMPTY;
    }
    return (wr_box){{quantile(&s[0], outside), quantile(&s[1], outside), quantile(&s[2], outside)},
                    {quantile(&s[3], 1.0 - outside), quantile(&s[4], 1.0 - outside),
                     quantile(&s[5], 1.0 - outside)}};
}

static void begin_action(action *a)
{
    for (int i = 0; i < 6; i++) {
        a->sides[i] = wri_array_create(NULL, sizeof(float));
    }
}

static void end_action(action *a)
{
    for (int i = 0; i < 6; i++) {
        wri_array_destroy(&a->sides[i]);
    }
}

static wr_box something(wr_box box, wr_box fixed)
{
    return !wr_box_is_empty(box)     ? box
           : !wr_box_is_empty(fixed) ? fixed
                                     : (wr_box){{-1, -1, -1}, {1, 1, 1}};
}

// Bounds of most of what moves, for most of the time: the outermost few in a hundred, such as
// debris that flies far or a ball that comes from afar, do not count.
static bool find_action(const finder *f, wr_box *box)
{
    action moving;
    wr_box fixed = WR_BOX_EMPTY;
    begin_action(&moving);
    bool ok = gather(f, &moving, false, &fixed);
    *box = something(usual_box(&moving, 0.03), fixed);
    end_action(&moving);
    return ok;
}

// Adds room around the action as in a drawn game, and more below, where the ground is.
static wr_box with_room(wr_box box, wr_box fixed, float aspect)
{
    wr_vec3 size = wr_box_size(box);
    float room = 0.12f * fmaxf(size.x / aspect, size.y);
    box.min.x -= room;
    box.max.x += room;
    box.min.y -= 1.5f * room;
    box.max.y += room;
    if (!wr_box_is_empty(fixed)) { // the camera stands in front of the level
        box.min.z = fminf(box.min.z, fixed.min.z);
        box.max.z = fmaxf(box.max.z, fixed.max.z);
    }
    return box;
}

// Bounds of the action on a flat stage. Every body that moves counts, for most of its time, and not
// what fell out of it; subject: where one was that counts all the time, or empty.
static bool find_flat_action(const finder *f, wr_box subject, wr_box *box)
{
    size_t n = (size_t)f->info->body_count;
    action *bodies = wri_arena_alloc(f->arena, n, sizeof *bodies);
    if (!bodies) {
        return wri_fail_memory(f->error, n * sizeof *bodies);
    }
    for (size_t i = 0; i < n; i++) {
        begin_action(&bodies[i]);
    }
    wr_box fixed = WR_BOX_EMPTY;
    bool ok = gather(f, bodies, true, &fixed);
    *box = subject;
    for (size_t i = 0; i < n; i++) {
        wr_box own = usual_box(&bodies[i], 0.03);
        bool fell = !wr_box_is_empty(fixed) && own.max.y < fixed.min.y;
        *box = fell ? *box : wr_box_join(*box, own);
        end_action(&bodies[i]);
    }
    *box = with_room(something(*box, fixed), fixed, f->aspect);
    return ok;
}

// --- whom it follows ----------------------------------------------------------------------------

// Mean of the vertices, which limbs that swing move little.
static wr_vec3 find_center(const wr_frame *frame, int body, wr_box box)
{
    for (int i = 0; i < frame->points_count; i++) {
        const wr_record_points *points = &frame->points[i];
        double sum[3] = {0.0};
        for (int k = 0; points->body == body && k < points->count; k++) {
            sum[0] += (double)points->positions[k].x;
            sum[1] += (double)points->positions[k].y;
            sum[2] += (double)points->positions[k].z;
        }
        if (points->body == body && points->count > 0) {
            double per = 1.0 / points->count;
            wr_vec3 mean = {(float)(per * sum[0]), (float)(per * sum[1]), (float)(per * sum[2])};
            return wr_pose_point(frame->poses[body], mean);
        }
    }
    return wr_box_center(box);
}

static wr_box find_box(const wr_record_info *info, const wr_frame *frame, int body)
{
    wr_vec3 at = frame->poses[body].position;
    wr_box box = wri_body_bounds(info, frame, body);
    return wr_box_is_empty(box) ? (wr_box){at, at} : box;
}

// The one that goes more than three times as far as any other, -1: there is none.
static bool find_traveller(const finder *f, int *traveller)
{
    size_t n = (size_t)f->info->body_count;
    int count = wr_record_frame_count(f->reader);
    wr_box *paths = wri_arena_alloc(f->arena, n, sizeof *paths);
    if (!paths) {
        return wri_fail_memory(f->error, n * sizeof *paths);
    }
    for (size_t i = 0; i < n; i++) {
        paths[i] = WR_BOX_EMPTY;
    }
    for (int look = 0; look < LOOKS; look++) {
        int index = (int)((int64_t)look * (count - 1) / (LOOKS - 1));
        const wr_frame *frame = wr_record_read_frame(f->reader, index, f->error);
        if (!frame) {
            return false;
        }
        for (int i = 0; i < (int)n && i < frame->body_count; i++) {
            if (f->info->bodies[i].model >= 0 && !f->info->bodies[i].is_static) {
                paths[i] = wr_box_add(paths[i], find_center(frame, i, find_box(f->info, frame, i)));
            }
        }
    }
    float first = 0.0f, second = 0.0f;
    *traveller = -1;
    for (int i = 0; i < (int)n; i++) {
        float length = wr_box_is_empty(paths[i]) ? 0.0f : wr_length(wr_box_size(paths[i]));
        second = length > first ? first : fmaxf(second, length);
        *traveller = length > first ? i : *traveller;
        first = fmaxf(first, length);
    }
    *traveller = first > 3.0f * second ? *traveller : -1;
    return true;
}

// Where a body is in a frame, its fragments with it.
static wr_box find_whole(const finder *f, const wr_frame *frame, int body, wri_whole *whole,
                         wr_vec3 *center)
{
    wri_whole_read(whole, f->info, frame);
    wr_box box = wri_whole_bounds(whole);
    if (wr_box_is_empty(box)) {
        box = find_box(f->info, frame, body);
        *center = find_center(frame, body, box);
    } else {
        *center = wr_box_center(whole->boxes[whole->core]);
    }
    return box;
}

static bool find_wholes(const finder *f, const int *bodies, int count, wri_whole *wholes)
{
    int last = wr_record_frame_count(f->reader) - 1;
    const wr_frame *frame = wr_record_read_frame(f->reader, last, f->error);
    for (int k = 0; k < count && frame; k++) {
        if (!wri_whole_create(&wholes[k], f->info, bodies[k], f->arena, f->error)) {
            return false;
        }
        wri_whole_read(&wholes[k], f->info, frame);
        wri_whole_find_core(&wholes[k]);
    }
    return frame != NULL;
}

// Notes the place of bodies in every frame: what they take up together, and the mean of them.
static bool watch(const finder *f, const int *bodies, int body_count, wri_follow *follow)
{
    int count = wr_record_frame_count(f->reader);
    wr_box *boxes = wri_arena_alloc(f->arena, (size_t)count, sizeof *boxes);
    wr_vec3 *centers = wri_arena_alloc(f->arena, (size_t)count, sizeof *centers);
    wri_whole *wholes = wri_arena_alloc(f->arena, (size_t)body_count, sizeof *wholes);
    if (!boxes || !centers || !wholes) {
        return wri_fail_memory(f->error, (size_t)count * sizeof *boxes);
    }
    if (!find_wholes(f, bodies, body_count, wholes)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const wr_frame *frame = wr_record_read_frame(f->reader, i, f->error);
        if (!frame) {
            return false;
        }
        boxes[i] = WR_BOX_EMPTY;
        centers[i] = wr_v3(0.0f, 0.0f, 0.0f);
        for (int k = 0; k < body_count; k++) {
            wr_vec3 center;
            boxes[i] = wr_box_join(boxes[i], find_whole(f, frame, bodies[k], &wholes[k], &center));
            centers[i] = wr_add_scaled(centers[i], 1.0f / (float)body_count, center);
        }
    }
    *follow = (wri_follow){.boxes = boxes,
                           .centers = centers,
                           .count = count,
                           .rate = (double)f->info->rate_numerator / f->info->rate_denominator,
                           .aspect = f->aspect,
                           .borders = WR_BOX_EMPTY};
    return true;
}

static wr_box whole_path(const wri_follow *follow)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < follow->count; i++) {
        box = wr_box_join(box, follow->boxes[i]);
    }
    return box;
}

static float body_size(const wri_follow *follow)
{
    wr_vec3 size = wr_box_size(follow->boxes[0]);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

// --- its path -----------------------------------------------------------------------------------

static bool alloc_shifts(const finder *f, int count, wr_shot *shot)
{
    shot->shifts = wri_arena_alloc(&shot->arena, (size_t)count, sizeof *shot->shifts);
    shot->count = count;
    return shot->shifts || wri_fail_memory(f->error, (size_t)count * sizeof *shot->shifts);
}

// shot: that sees everything, flat.
static bool follow_flat(const finder *f, wri_follow *follow, wr_box borders, wr_shot *shot)
{
    follow->borders = borders;
    follow->height = shot->at_start.flat;
    if (!alloc_shifts(f, follow->count, shot) || !wri_follow_flat(follow, shot->shifts, f->error)) {
        return false;
    }
    wr_vec3 first = shot->shifts[0];
    shot->at_start.to.x = shot->at_start.from.x = first.x;
    shot->at_start.to.y = shot->at_start.from.y = first.y;
    for (int i = 0; i < follow->count; i++) {
        shot->shifts[i] = wr_sub(shot->shifts[i], first);
    }
    return true;
}

static bool follow_along(const finder *f, wri_follow *follow, wr_shot *shot)
{
    wr_camera c = wr_camera_at(&shot->at_start, 0.0);
    follow->camera = c;
    follow->height = c.flat > 0.0f ? c.flat : 2.0f * tanf(0.5f * c.fov) * wr_distance(c.from, c.to);
    return alloc_shifts(f, follow->count, shot) && wri_follow_along(follow, shot->shifts, f->error);
}

static const float SHOWN = 5.0f; // sizes of the body that is followed, from border to border

// Camera that looks from the usual side at what is around the body at the start.
static wr_camera frame_body(const finder *f, const wri_follow *follow, float flat)
{
    float grow = 0.5f * (SHOWN - 1.0f) * 0.5f * body_size(follow);
    wr_vec3 room = wr_v3(grow, grow, grow);
    wr_box box = {wr_sub(follow->boxes[0].min, room), wr_add(follow->boxes[0].max, room)};
    wr_camera camera =
        flat > 0.0f ? wr_camera_frame_flat(box, f->aspect) : wr_camera_frame(box, f->aspect);
    camera.flat = flat;
    return camera;
}

// A camera of the scene that says whom it follows.
static bool follow_said(const finder *f, const wr_camera *said, wr_shot *shot)
{
    wri_follow follow;
    wr_box box;
    if (!watch(f, &said->body, 1, &follow)) {
        return false;
    }
    if (shot->at_start.key_count > 0 || wr_distance(said->from, said->to) > 0.0f) {
        return follow_along(f, &follow, shot);
    }
    if (!f->info->stage.flat.on) {
        wri_direction direction = {0};
        if (said->flat <= 0.0f && !wri_direct_along(f, said->body, &direction)) {
            return false;
        }
        shot->at_start = direction.is_found ? direction.camera : frame_body(f, &follow, said->flat);
        return follow_along(f, &follow, shot);
    }
    if (!find_flat_action(f, whole_path(&follow), &box)) {
        return false;
    }
    shot->at_start = wr_camera_frame_flat(box, f->aspect);
    shot->at_start.flat = said->flat > 0.0f ? said->flat : SHOWN * body_size(&follow);
    return follow_flat(f, &follow, box, shot);
}

// Everything, or, where that would be too small to see much, one body and what is around it: as
// much as the ground stays in view.
static bool find_flat(const finder *f, wr_shot *shot)
{
    const wr_stage *stage = &f->info->stage;
    int body = stage->follows ? stage->body : -1;
    wr_box box;
    wri_follow follow;
    if ((body < 0 && !find_traveller(f, &body)) || (body >= 0 && !watch(f, &body, 1, &follow)) ||
        !find_flat_action(f, body < 0 ? WR_BOX_EMPTY : whole_path(&follow), &box)) {
        return false;
    }
    shot->at_start = wr_camera_frame_flat(box, f->aspect);
    if (body < 0) {
        return true;
    }
    float all = shot->at_start.flat, sizes = stage->follows ? SHOWN : 2.0f * SHOWN;
    float height =
        fmaxf(sizes * body_size(&follow), fmaxf(0.45f * all, wri_follow_height(&follow)));
    if (height > 0.7f * all) {
        return true;
    }
    shot->at_start.flat = height;
    return follow_flat(f, &follow, box, shot);
}

static bool find_automatic(const finder *f, wr_shot *shot)
{
    wr_box box;
    wri_follow follow;
    wri_direction direction;
    if (f->info->stage.flat.on) {
        return find_flat(f, shot);
    }
    if (!wri_direct(f, &direction)) {
        return false;
    }
    if (direction.is_found) {
        shot->at_start = direction.camera;
        return direction.body_count == 0 ||
               (watch(f, direction.bodies, direction.body_count, &follow) &&
                follow_along(f, &follow, shot));
    }
    if (!find_action(f, &box)) {
        return false;
    }
    shot->at_start = wr_camera_frame(box, f->aspect);
    return true;
}

// --- names --------------------------------------------------------------------------------------

int wr_take_camera_count(const wr_take *take)
{
    return take->info->stage.camera_count + 1;
}

const char *wr_take_camera_name(const wr_take *take, int index)
{
    const wr_stage *stage = &take->info->stage;
    return index < stage->camera_count ? stage->cameras[index].name : "auto";
}

// Keys are copied: the shot outlives the take.
static bool place_camera(const finder *f, const wr_camera *said, wr_shot *shot)
{
    size_t count = (size_t)said->key_count;
    wr_camera_key *keys = wri_arena_alloc(&shot->arena, count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(f->error, count * sizeof *keys);
    }
    for (int i = 0; i < said->key_count; i++) {
        keys[i] = said->keys[i];
        if (i > 0 && !(keys[i].time > keys[i - 1].time)) {
            return wri_fail(f->error, WR_E_ARGUMENT,
                            "camera.keys[%d].time is %g, expected more than the %g before it", i,
                            keys[i].time, keys[i - 1].time);
        }
    }
    shot->at_start = *said;
    shot->at_start.keys = keys;
    bool ok = !said->follows || follow_said(f, said, shot);
    shot->at_start.lens = said->lens;
    shot->at_start.blur = said->blur;
    return ok;
}

static bool find_camera(const finder *f, const char *name, wr_shot *shot)
{
    const wr_stage *stage = &f->info->stage;
    const wr_camera *said = !name && stage->camera_count > 0 ? &stage->cameras[0] : NULL;
    if (!said && (!name || strcmp(name, "auto") == 0)) {
        return find_automatic(f, shot);
    }
    const char *names[WR_STAGE_CAMERAS + 1] = {"auto"};
    for (int i = 0; i < stage->camera_count; i++) {
        names[i + 1] = stage->cameras[i].name;
        said = !said && strcmp(stage->cameras[i].name, name) == 0 ? &stage->cameras[i] : said;
    }
    if (!said) {
        const char *nearest = wri_nearest_word(name, names, stage->camera_count + 1);
        return wri_fail(f->error, WR_E_ARGUMENT,
                        "the recording has no camera \"%s\"; did you mean \"%s\"?", name,
                        nearest ? nearest : names[stage->camera_count ? 1 : 0]);
    }
    return place_camera(f, said, shot);
}

// --- the shot -----------------------------------------------------------------------------------

// own NULL: the one of that name.
static wr_shot *create_shot(wr_take *take, const char *name, const wr_camera *own, float aspect,
                            wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL), temporary = wri_arena_create(NULL);
    wr_shot *shot = wri_arena_alloc(&arena, 1, sizeof *shot);
    if (!shot) {
        wri_fail_memory(error, sizeof *shot);
        return NULL;
    }
    shot->arena = arena;
    shot->rate = (double)take->info->rate_numerator / take->info->rate_denominator;
    const finder f = {take->reader, take->info, take->reskin, aspect, &temporary, error};
    bool ok = wri_take_check_frames(take, error) &&
              (own ? place_camera(&f, own, shot) : find_camera(&f, name, shot));
    wri_arena_destroy(&temporary);
    if (!ok) {
        wr_shot_destroy(shot);
        return NULL;
    }
    return shot;
}

wr_shot *wr_shot_create(wr_take *take, const char *name, float aspect, wr_error *error)
{
    return WRI_REQUIRE(error, take) ? create_shot(take, name, NULL, aspect, error) : NULL;
}

wr_shot *wr_shot_create_own(wr_take *take, const wr_camera *camera, float aspect, wr_error *error)
{
    if (!WRI_REQUIRE(error, take, camera)) {
        return NULL;
    }
    if (camera->follows && (camera->body < 0 || camera->body >= take->info->body_count)) {
        wri_fail(error, WR_E_ARGUMENT, "camera.body is %d, expected 0 to %d", camera->body,
                 take->info->body_count - 1);
        return NULL;
    }
    return create_shot(take, NULL, camera, aspect, error);
}

void wr_shot_destroy(wr_shot *shot)
{
    if (shot) {
        wri_arena arena = shot->arena; // the shot itself is in it
        wri_arena_destroy(&arena);
    }
}

wr_camera wr_shot_camera(const wr_shot *shot, double frame)
{
    wr_camera c = wr_camera_at(&shot->at_start, frame / shot->rate);
    if (shot->count > 0) {
        int last = shot->count - 1;
        double at = fmin(fmax(frame, 0.0), last);
        int before = (int)at, behind = before < last ? before + 1 : last;
        wr_vec3 shift = wr_lerp3(shot->shifts[before], shot->shifts[behind], (float)(at - before));
        c.from = wr_add(c.from, shift);
        c.to = wr_add(c.to, shift);
    }
    return c;
}

float wri_shot_lens(const wr_shot *shot)
{
    const wr_camera *c = &shot->at_start;
    float widest = c->key_count > 0 ? 0.0f : c->lens;
    for (int i = 0; i < c->key_count; i++) {
        widest = fmaxf(widest, c->keys[i].lens);
    }
    return widest;
}
