// Where cameras of a take stand that nobody placed: what counts as the action, whom they follow and
// how much they show.
#include "check.h"

#include "../src/show/show.h"
#include "wrought/show.h"

enum { FRAMES = 61, BODIES = 9, ROOM = 24 };

static temporary_folder folder;

// --- takes ------------------------------------------------------------------------------------

// Where a body is at a time in [0, 1].
typedef wr_pose path_fn(float t);

typedef struct film {
    float sizes[BODIES]; // of cubes, m
    path_fn *paths[BODIES];
    int count;
    bool first_is_static, points; // points: of the last body, its corners as they are
    float sinks[BODIES];          // metres by which the top of each sinks in the middle of the film
    wr_event dent, second;        // in the middle of the film, strength 0: there is none
    wr_stage stage;
} film;

static film begin_film(void)
{
    film f = {.stage = wr_stage_default()};
    f.stage.flat.on = true;
    return f;
}

static void add_body(film *f, float size, path_fn *path)
{
    f->sizes[f->count] = size;
    f->paths[f->count++] = path;
}

// A cube whose top has sunk.
static void sink(const film *f, int body, int frame, const wr_mesh *mesh, wr_vec3 *positions)
{
    assert_true(mesh->vertex_count <= ROOM);
    for (int i = 0; i < mesh->vertex_count; i++) {
        bool sinks = mesh->positions[i].y > 0.0f && frame >= FRAMES / 2;
        positions[i] = mesh->positions[i];
        positions[i].y -= sinks ? f->sinks[body] : 0.0f;
    }
}

// along: a body that the camera goes along with in place of the one that is named, -1: none.
static wr_shot *shoot_by(const film *f, const char *camera, int along)
{
    const wr_color white = {1, 1, 1, 1};
    wr_model *models[BODIES] = {0};
    wr_record_body bodies[BODIES] = {0};
    char path[600];
    wr_error error = {0};
    for (int i = 0; i < f->count; i++) {
        wr_vec3 size = wr_v3(f->sizes[i], f->sizes[i], f->sizes[i]);
        models[i] = wr_model_create_primitive(WR_PRIMITIVE_BOX, size, white, &error);
        bodies[i] =
            (wr_record_body){"body", "rigid", i, i == 0 && f->first_is_static, false, white};
    }
    wr_record_info info = {.title = "film",
                           .program = "test",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = FRAMES - 1,
                           .stage = f->stage,
                           .model_count = f->count,
                           .models = (const wr_model *const *)models,
                           .body_count = f->count,
                           .bodies = bodies};
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    assert_non_null(writer);
    for (int k = 0; k < FRAMES; k++) {
        wr_pose poses[BODIES];
        for (int i = 0; i < f->count; i++) {
            poses[i] = f->paths[i]((float)k / (FRAMES - 1));
        }
        const wr_mesh *last = models[f->count - 1]->meshes;
        wr_record_points points[BODIES] = {{f->count - 1, last->vertex_count, last->positions}};
        wr_vec3 sunk[BODIES][ROOM];
        int points_count = f->points;
        for (int i = 0; i < f->count; i++) {
            if (f->sinks[i] > 0.0f) {
                sink(f, i, k, models[i]->meshes, sunk[i]);
                points[points_count++] =
                    (wr_record_points){i, models[i]->meshes->vertex_count, sunk[i]};
            }
        }
        const wr_event events[] = {f->dent, f->second};
        int event_count = (f->dent.strength > 0.0f) + (f->second.strength > 0.0f);
        wr_frame frame = {.index = k,
                          .time = k / 30.0,
                          .body_count = f->count,
                          .poses = poses,
                          .points = points,
                          .points_count = points_count,
                          .events = events,
                          .event_count = k == FRAMES / 2 ? event_count : 0};
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    wr_take *take = wr_take_open(path, &error);
    assert_non_null(take);
    const wr_camera own = {.fov = 0.6f, .follows = true, .body = along};
    wr_shot *shot = along >= 0 ? wr_shot_create_own(take, &own, 1.5f, &error)
                               : wr_shot_create(take, camera, 1.5f, &error);
    assert_non_null(shot);
    wr_take_close(take);
    for (int i = 0; i < f->count; i++) {
        wr_model_destroy(models[i]);
    }
    return shot;
}

static wr_shot *shoot(const film *f, const char *camera)
{
    return shoot_by(f, camera, -1);
}

static wr_pose at(float x, float y)
{
    return (wr_pose){{x, y, 0.0f}, WR_QUAT_IDENTITY};
}

static wr_pose stay(float t)
{
    (void)t;
    return at(0.0f, 0.0f);
}

static wr_pose wander(float t)
{
    return at(4.0f * t, 3.0f);
}

static wr_pose fall(float t)
{
    return at(1.0f, -300.0f - t);
}

static wr_pose travel(float t)
{
    return at(60.0f * t, 2.0f);
}

static wr_pose tremble(float t)
{
    return at(0.17f * sinf(40.0f * t), 0.0f);
}

// --- solid stages -----------------------------------------------------------------------------

static wr_pose fly_away(float t)
{
    return at(-200.0f * t, 10.0f);
}

static wr_pose stand_beside(float t)
{
    (void)t;
    return (wr_pose){{1.5f, 0.0f, 2.6f}, WR_QUAT_IDENTITY};
}

static wr_pose stand_askew(float t)
{
    (void)t;
    return (wr_pose){{7.0f, 0.0f, -4.0f}, WR_QUAT_IDENTITY};
}

static wr_pose drive(float t)
{
    return (wr_pose){{0.0f, 0.5f, 80.0f * t}, WR_QUAT_IDENTITY};
}

// Share of the picture's height that a cube takes in a frame, by its corners.
static float height_in_picture(const wr_shot *shot, int frame, wr_vec3 middle, float size)
{
    wr_camera camera = wr_shot_camera(shot, frame);
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 8; i++) {
        wr_vec3 half = wr_v3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f);
        wr_vec2 pixel;
        float depth;
        assert_true(wr_camera_project(&camera, 1500, 1000, wr_add_scaled(middle, size, half),
                                      &pixel, &depth));
        assert_true(pixel.x > 0.0f && pixel.x < 1500.0f);
        low = fminf(low, pixel.y);
        high = fmaxf(high, pixel.y);
    }
    return (high - low) / 1000.0f;
}

static film begin_solid_film(void)
{
    return (film){.stage = wr_stage_default()};
}

// A ball flies off by two hundred metres: the body that it dented is what one wants to see.
static void who_was_dented_is_shown_near(void **state)
{
    (void)state;
    film f = begin_solid_film();
    add_body(&f, 1.0f, fly_away);
    add_body(&f, 2.0f, stand_askew);
    f.dent = (wr_event){
        .kind = WR_EVENT_DENT, .subject = 1, .point = {7.0f, 0.0f, -5.0f}, .strength = 3.0f};
    wr_shot *shot = shoot(&f, "auto");
    float share = height_in_picture(shot, FRAMES - 1, wr_v3(7.0f, 0.0f, -4.0f), 2.0f);
    assert_true(share > 0.25f && share < 0.67f);
    wr_camera camera = wr_shot_camera(shot, 0);
    assert_true(camera.from.z < -4.0f); // on the side of the dent
    assert_true(camera.from.y > camera.to.y);
    wr_shot_destroy(shot);
}

// A wall stands where the camera would have stood, between it and the hero.
static void the_camera_looks_past_what_is_in_the_way(void **state)
{
    (void)state;
    film f = begin_solid_film();
    add_body(&f, 3.0f, stand_beside);
    add_body(&f, 1.0f, stay);
    f.first_is_static = true;
    f.points = true; // of the second: it bends
    wr_shot *shot = shoot(&f, "auto");
    wr_camera camera = wr_shot_camera(shot, 0);
    wr_vec3 middle = {1.5f, 0.0f, 2.6f}, way = wr_sub(camera.from, wr_v3(0.0f, 0.0f, 0.0f));
    // Nearest to the wall's middle that the line of sight comes.
    float t = wr_clampf(wr_dot(middle, way) / wr_dot(way, way), 0.0f, 1.0f);
    assert_true(wr_distance(wr_scale(t, way), middle) > 1.5f);
    float share = height_in_picture(shot, 0, wr_v3(0.0f, 0.0f, 0.0f), 1.0f);
    assert_true(share > 0.25f && share < 0.67f);
    wr_shot_destroy(shot);
}

// One that goes far is followed, and seen across its motion.
static void who_goes_far_is_followed(void **state)
{
    (void)state;
    film f = begin_solid_film();
    add_body(&f, 1.0f, drive);
    f.points = true;
    wr_shot *shot = shoot(&f, "auto");
    for (int i = 0; i < FRAMES; i += 15) {
        float share = height_in_picture(shot, i, drive((float)i / (FRAMES - 1)).position, 1.0f);
        assert_true(share > 0.25f && share < 0.67f);
    }
    wr_camera camera = wr_shot_camera(shot, 0);
    wr_vec3 back = wr_sub(camera.from, camera.to);
    assert_true(fabsf(back.x) > 1.5f * fabsf(back.z));
    wr_shot_destroy(shot);
}

static wr_pose drop_left(float t)
{
    float fallen = 20.0f * t * t;
    return at(-1.0f, fallen < 8.0f ? 8.5f - fallen : 0.5f);
}

static wr_pose drop_right(float t)
{
    wr_pose pose = drop_left(t);
    pose.position.x = 1.0f;
    return pose;
}

// Two that fall from afar together are seen from the first picture to the last, and at the impact.
static void who_falls_is_seen_all_the_time(void **state)
{
    (void)state;
    for (int count = 1; count <= 2; count++) {
        film f = begin_solid_film();
        add_body(&f, 1.0f, drop_left);
        f.dent = (wr_event){.kind = WR_EVENT_DENT, .point = {-1.0f, 0.0f, 0.0f}, .strength = 3.0f};
        if (count == 2) {
            add_body(&f, 1.0f, drop_right);
            f.second = f.dent;
            f.second.subject = 1;
        }
        wr_shot *shot = shoot(&f, "auto");
        for (int i = 0; i < FRAMES; i++) {
            float t = (float)i / (FRAMES - 1);
            wr_camera camera = wr_shot_camera(shot, i);
            for (int k = 0; k < count; k++) {
                wr_vec3 middle = (k == 0 ? drop_left(t) : drop_right(t)).position;
                wr_vec2 pixel;
                float depth, share = k == 0 ? height_in_picture(shot, i, middle, 1.0f) : 0.4f;
                assert_true(share > 0.25f && share < 0.67f);
                for (int y = -1; y <= 1; y += 2) {
                    wr_vec3 end = wr_add(middle, wr_v3(0.0f, 0.5f * (float)y, 0.0f));
                    assert_true(wr_camera_project(&camera, 1500, 1000, end, &pixel, &depth));
                    assert_true(pixel.y > 0.0f && pixel.y < 1000.0f);
                    assert_true(pixel.x > 0.0f && pixel.x < 1500.0f);
                }
            }
        }
        wr_shot_destroy(shot);
    }
}

// --- who is seen, and how ---------------------------------------------------------------------

static wr_pose stand_far_off(float t)
{
    (void)t;
    return (wr_pose){{-30.0f, 2.0f, -9.0f}, WR_QUAT_IDENTITY};
}

static wr_pose hurl(float t)
{
    return at(t < 0.5f ? 8.0f : 8.0f + 200.0f * (t - 0.5f), 0.25f);
}

// What bends is weighed by how far and how much of it, not by how fast it was hit: a light body
// that was thrown through the air counts less than a heavy one that caved in.
static void who_bends_most_is_shown_and_not_who_was_hit_fastest(void **state)
{
    (void)state;
    film f = begin_solid_film();
    add_body(&f, 4.0f, stand_far_off);
    add_body(&f, 0.5f, hurl);
    f.sinks[0] = 0.8f;
    f.sinks[1] = 0.1f;
    f.dent = (wr_event){.kind = WR_EVENT_DENT, .point = {-30.0f, 4.0f, -9.0f}, .strength = 6.0f};
    f.second = (wr_event){
        .kind = WR_EVENT_DENT, .subject = 1, .point = {8.0f, 0.5f, 0.0f}, .strength = 270.0f};
    wr_shot *shot = shoot(&f, "auto");
    for (int i = 0; i < FRAMES; i += 20) {
        float share = height_in_picture(shot, i, wr_v3(-30.0f, 2.0f, -9.0f), 4.0f);
        assert_true(share > 0.25f && share < 0.67f);
    }
    wr_shot_destroy(shot);
}

// Whether the way from a camera to a point passes through a cube.
static bool is_behind(const wr_camera *camera, wr_vec3 point, wr_vec3 middle, float size)
{
    enum { STEPS = 2000 };
    for (int i = 0; i <= STEPS; i++) {
        wr_vec3 d = wr_sub(wr_lerp3(camera->from, point, (float)i / STEPS), middle);
        if (fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))) < 0.5f * size) {
            return true;
        }
    }
    return false;
}

// A wall that is only there when the hero bends.
static wr_pose come_between(float t)
{
    return (wr_pose){{t < 0.4f ? 90.0f : 1.5f, 0.0f, t < 0.4f ? 90.0f : 3.1f}, WR_QUAT_IDENTITY};
}

// Neither the automatic camera nor one that goes along with the hero looks at what is before it,
// though at first nothing is.
static void what_comes_between_later_is_looked_past(void **state)
{
    (void)state;
    film f = begin_solid_film();
    add_body(&f, 1.0f, stay);
    add_body(&f, 4.0f, come_between);
    f.sinks[0] = 0.3f;
    for (int along = -1; along <= 0; along++) {
        wr_shot *shot = shoot_by(&f, "auto", along);
        wr_camera camera = wr_shot_camera(shot, FRAMES - 1);
        for (int i = 0; i < 4; i++) {
            wr_vec3 corner = {i & 1 ? 0.5f : -0.5f, 0.2f, i & 2 ? 0.5f : -0.5f};
            assert_false(is_behind(&camera, corner, come_between(1.0f).position, 4.0f));
        }
        float share = height_in_picture(shot, FRAMES - 1, wr_v3(0.0f, 0.0f, 0.0f), 1.0f);
        assert_true(share > 0.25f && share < 0.67f);
        wr_shot_destroy(shot);
    }
}

// Seven that are higher stand around it, a place free behind it: paths have no number of their own,
// so that each is a function.
static wr_pose stand_around(int number)
{
    float turn = 6.2831853f * (float)(number - 3) / 8.0f;
    wr_vec3 place = {2.4f * sinf(turn), 0.5f, 2.4f * cosf(turn)};
    return (wr_pose){place, WR_QUAT_IDENTITY};
}

#define STAND(N)                                                                                   \
    static wr_pose stand_##N(float t)                                                              \
    {                                                                                              \
        (void)t;                                                                                   \
        return stand_around(N);                                                                    \
    }
STAND(0)
STAND(1)
STAND(2)
STAND(3)
STAND(4)
STAND(5)
STAND(6)
#undef STAND

static wr_pose jump(float t)
{
    return at(0.0f, 6.0f * t * (1.0f - t));
}

// A body that is followed in a crowd is neither small nor cut off, whatever it does, and seen
// through the gap.
static void who_is_followed_in_a_crowd_is_large_and_in_view(void **state)
{
    (void)state;
    static path_fn *const crowd[] = {stand_0, stand_1, stand_2, stand_3, stand_4, stand_5, stand_6};
    film f = begin_solid_film();
    for (int i = 0; i < WRI_COUNT(crowd); i++) {
        add_body(&f, 2.0f, crowd[i]);
    }
    add_body(&f, 1.0f, jump);
    wr_shot *shot = shoot_by(&f, NULL, f.count - 1);
    for (int i = 0; i < FRAMES; i++) {
        wr_vec3 middle = jump((float)i / (FRAMES - 1)).position;
        float share = height_in_picture(shot, i, middle, 1.0f);
        assert_true(share > 0.25f && share < 0.67f);
    }
    wr_camera camera = wr_shot_camera(shot, 0);
    for (int k = 0; k < WRI_COUNT(crowd); k++) {
        assert_false(is_behind(&camera, wr_v3(0.0f, 0.3f, 0.0f), stand_around(k).position, 2.0f));
    }
    wr_vec3 forward, right, up;
    wr_camera_axes(&camera, &forward, &right, &up);
    assert_true(fabsf(right.y) < 1e-5f && forward.y < 0.0f && forward.y > -0.5f); // level
    wr_shot_destroy(shot);
}

// --- flat stages ------------------------------------------------------------------------------

// What is below the level all the time fell off it before: it is none of the action.
static void what_fell_off_the_level_does_not_count(void **state)
{
    (void)state;
    film f = begin_film();
    f.first_is_static = true;
    add_body(&f, 4.0f, stay);
    add_body(&f, 1.0f, wander);
    wr_shot *alone = shoot(&f, NULL);
    add_body(&f, 1.0f, fall);
    wr_shot *both = shoot(&f, NULL);
    CHECK_NEAR(wr_shot_camera(both, 0).flat, wr_shot_camera(alone, 0).flat, 2.0);
    wr_shot_destroy(alone);
    wr_shot_destroy(both);
}

// Looked at 24 times, what flew far off for one look alone, to whichever side, does not count.
static wr_pose flash_left(float t)
{
    return t < 0.02f ? at(-90.0f, -70.0f) : wander(t);
}

static wr_pose flash_right(float t)
{
    return t > 0.98f ? at(90.0f, 70.0f) : wander(t);
}

static void what_was_far_off_for_a_moment_does_not_count(void **state)
{
    (void)state;
    film f = begin_film();
    add_body(&f, 1.0f, wander);
    add_body(&f, 1.0f, wander);
    wr_shot *calm = shoot(&f, "auto");
    f.paths[0] = f.paths[1] = flash_left;
    wr_shot *left = shoot(&f, "auto");
    f.paths[0] = f.paths[1] = flash_right;
    wr_shot *right = shoot(&f, "auto");
    CHECK_NEAR(wr_shot_camera(left, 0).flat, wr_shot_camera(calm, 0).flat, 0.2);
    CHECK_NEAR(wr_shot_camera(right, 0).flat, wr_shot_camera(calm, 0).flat, 0.2);
    CHECK_NEAR(wr_shot_camera(left, 0).to.x, wr_shot_camera(right, 0).to.x, 0.5);
    wr_shot_destroy(calm);
    wr_shot_destroy(left);
    wr_shot_destroy(right);
}

static wr_pose climb(float t)
{
    return at(1.0f + 2.0f * t, 9.0f * t);
}

// Everything that moves is in the picture from the lowest to the highest, with room around it.
static void a_camera_sees_all_of_a_climb(void **state)
{
    (void)state;
    film f = begin_film();
    add_body(&f, 1.0f, climb);
    add_body(&f, 1.0f, wander);
    wr_shot *shot = shoot(&f, "auto");
    wr_camera c = wr_shot_camera(shot, 0);
    assert_true(c.to.y + 0.5f * c.flat > 9.0f && c.to.y - 0.5f * c.flat < -0.5f);
    assert_true(c.flat < 18.0f);
    wr_shot_destroy(shot);
}

// Rates that are no whole numbers are kept to a thousandth: 2 s at 12.5 are 26 pictures.
static void pictures_are_planned_at_any_rate(void **state)
{
    (void)state;
    film f = begin_film();
    char path[600];
    wr_error error = {0};
    add_body(&f, 1.0f, wander);
    wr_shot_destroy(shoot(&f, "auto"));
    snprintf(path, sizeof path, "%s/film.wrought", folder.path);
    wr_take *take = wr_take_open(path, &error);
    assert_non_null(take);
    wr_schedule s = wr_take_plan(take, 12.5, 0.0, 1e9, 1e9);
    assert_int_equal(s.count, 26);
    for (int i = 0; i < s.count; i++) {
        CHECK_NEAR(wr_schedule_frame(&s, i), 30.0 * i / 12.5, 0.501);
    }
    s = wr_take_plan(take, 0.0, 0.5, 1.5, 10.0); // every second frame, every fourth ...
    assert_int_equal(s.count, 8);
    assert_int_equal(wr_schedule_frame(&s, 1), 19);
    wr_take_close(take);
}

// Nobody said whom to follow: ten sizes of the traveller are shown; who was named fills a fifth.
static void a_traveller_is_shown_smaller_than_one_that_was_named(void **state)
{
    (void)state;
    film f = begin_film();
    add_body(&f, 3.0f, travel);
    wr_shot *automatic = shoot(&f, NULL);
    f.stage.follows = true;
    f.stage.body = 0;
    wr_shot *named = shoot(&f, NULL);
    CHECK_NEAR(wr_shot_camera(automatic, 0).flat, 30.0, 1e-3);
    assert_true(wr_shot_camera(named, 0).flat < 28.0f);
    assert_true(wr_shot_camera(automatic, FRAMES - 1).to.x > 30.0f);
    wr_shot_destroy(automatic);
    wr_shot_destroy(named);
}

// The middle of the points of a body goes where its pose takes it.
static void a_body_with_points_travels_with_its_pose(void **state)
{
    (void)state;
    for (int points = 0; points < 2; points++) {
        film f = begin_film();
        add_body(&f, 1.0f, wander);
        add_body(&f, 3.0f, travel);
        f.points = points == 1;
        wr_shot *shot = shoot(&f, NULL);
        float way = wr_shot_camera(shot, FRAMES - 1).to.x - wr_shot_camera(shot, 0).to.x;
        assert_true(way > 15.0f);
        wr_shot_destroy(shot);
    }
}

// --- cameras of the scene ---------------------------------------------------------------------

// What trembles by less than a twenty-fifth of the height of the picture hardly moves it.
static void a_camera_that_goes_along_does_not_tremble(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        film f = begin_film();
        f.stage.flat.on = false;
        f.stage.camera_count = 1;
        f.stage.cameras[0] = (wr_camera){.name = "along",
                                         .from = wr_v3(0.0f, 0.0f, far ? 10.0f : 2.0f),
                                         .fov = 0.6f, // 6.2 m high, or 1.2 m
                                         .follows = true};
        add_body(&f, 1.0f, tremble);
        wr_shot *shot = shoot(&f, "along");
        float most = 0.0f;
        for (int i = 0; i < FRAMES; i++) {
            most = fmaxf(most, fabsf(wr_shot_camera(shot, i).to.x - wr_shot_camera(shot, 0).to.x));
        }
        assert_true(far ? most < 0.04f : most > 0.08f);
        wr_shot_destroy(shot);
    }
}

// A camera waits before and after its keys, passes each, never leaves what is between two, and
// never starts or stops with a jerk.
static void a_camera_goes_smoothly_through_its_keys(void **state)
{
    (void)state;
    const wr_camera_key keys[] = {{0.2, {0, 1, 9}, {0, 0, 0}, 0.6f, 0.0f, 0.0f},
                                  {0.6, {4, 1, 8}, {1, 0, 0}, 0.6f, 0.0f, 0.1f},
                                  {1.0, {5, 1, 2}, {1, 0, 0}, 0.3f, 0.0f, 0.0f},
                                  {1.5, {5, 1, 2}, {1, 0, 0}, 0.3f, 0.0f, 0.0f}};
    film f = begin_solid_film();
    f.stage.camera_count = 1;
    f.stage.cameras[0] = (wr_camera){.name = "keyed", .fov = 0.6f, .key_count = 4, .keys = keys};
    add_body(&f, 1.0f, stay);
    wr_shot *shot = shoot(&f, "keyed");
    assert_true(wri_shot_lens(shot) == 0.1f);
    for (int i = 0; i < 4; i++) {
        wr_camera now = wr_shot_camera(shot, 30.0 * keys[i].time);
        assert_true(wr_distance(now.from, keys[i].from) < 1e-5f);
        assert_true(wr_distance(now.to, keys[i].to) < 1e-5f);
        CHECK_NEAR(now.fov, keys[i].fov, 1e-6);
        CHECK_NEAR(now.lens, keys[i].lens, 1e-6);
    }
    assert_true(wr_distance(wr_shot_camera(shot, 0).from, keys[0].from) == 0.0f);
    assert_true(wr_distance(wr_shot_camera(shot, 60).from, keys[3].from) == 0.0f);
    wr_vec3 before = keys[0].from, speed = {0};
    for (int i = 1; i <= 600; i++) {
        double time = i / 300.0;
        wr_camera now = wr_shot_camera(shot, 30.0 * time);
        wr_vec3 step = wr_scale(300.0f, wr_sub(now.from, before));
        assert_true(step.x >= -1e-3f && step.z <= 1e-3f); // it never turns round
        assert_true(wr_distance(step, speed) < 1.5f);     // m/s in a 300th of a second
        assert_true(time < 1.005 || wr_length(step) < 1e-3f);
        before = now.from;
        speed = step;
    }
    wr_shot_destroy(shot);
}

static wr_pose drive_on(float t)
{
    return at(12.0f * t, 0.0f);
}

// Keys of a camera that follows a body are as that one was at the start.
static void keys_go_along_with_a_body(void **state)
{
    (void)state;
    const wr_camera_key keys[] = {{0.0, {0, 1, 9}, {0, 0, 0}, 0.6f, 0.0f, 0.0f},
                                  {2.0, {0, 1, 4}, {0, 0, 0}, 0.6f, 0.0f, 0.0f}};
    film f = begin_solid_film();
    f.stage.camera_count = 1;
    f.stage.cameras[0] =
        (wr_camera){.name = "along", .follows = true, .key_count = 2, .keys = keys};
    add_body(&f, 1.0f, drive_on);
    wr_shot *shot = shoot(&f, "along");
    wr_camera first = wr_shot_camera(shot, 0), last = wr_shot_camera(shot, FRAMES - 1);
    CHECK_NEAR(first.from.z, 9.0, 1e-5);
    CHECK_NEAR(last.from.z, 4.0, 1e-5);
    assert_true(last.to.x - first.to.x > 10.0f);
    wr_shot_destroy(shot);
}

static void tints_are_products_of_all_four(void **state)
{
    (void)state;
    const wr_color a = {0.5f, 0.25f, 1.0f, 0.5f}, b = {0.5f, 0.5f, 0.125f, 0.75f};
    const wr_color expected = {0.25f, 0.125f, 0.125f, 0.375f};
    wr_color tint = wri_tint(a, b);
    assert_memory_equal(&tint, &expected, sizeof tint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_dented_is_shown_near),
        cmocka_unit_test(the_camera_looks_past_what_is_in_the_way),
        cmocka_unit_test(who_goes_far_is_followed),
        cmocka_unit_test(who_falls_is_seen_all_the_time),
        cmocka_unit_test(who_bends_most_is_shown_and_not_who_was_hit_fastest),
        cmocka_unit_test(what_comes_between_later_is_looked_past),
        cmocka_unit_test(who_is_followed_in_a_crowd_is_large_and_in_view),
        cmocka_unit_test(what_fell_off_the_level_does_not_count),
        cmocka_unit_test(what_was_far_off_for_a_moment_does_not_count),
        cmocka_unit_test(a_camera_sees_all_of_a_climb),
        cmocka_unit_test(pictures_are_planned_at_any_rate),
        cmocka_unit_test(a_traveller_is_shown_smaller_than_one_that_was_named),
        cmocka_unit_test(a_body_with_points_travels_with_its_pose),
        cmocka_unit_test(a_camera_that_goes_along_does_not_tremble),
        cmocka_unit_test(a_camera_goes_smoothly_through_its_keys),
        cmocka_unit_test(keys_go_along_with_a_body),
        cmocka_unit_test(tints_are_products_of_all_four),
    };
    folder = temporary_folder_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(folder.path);
    return failed;
}
