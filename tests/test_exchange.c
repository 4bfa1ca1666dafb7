// test_exchange.c: what passes between materials and bodies, seen from each side and compared with
// sums taken here: contacts, pushes, and boundaries that meet.
#include "momenta.h"
#include "small_world.h"

// --- a material that writes down what it feels ------------------------------------------------

enum { FEELERS = 3, NOTED = 64 };

typedef struct feeler {
    wr_material_part part;
    wr_piece pieces[2]; // b has a small one inside the other, before it
    wr_vec3 corners[2][8];
    momenta felt; // sum of all that it was told
    wr_contact last[NOTED];
    int count, engine; // contacts of the last substep that had any; its number in the engine
    wr_pose pose;      // after the last substep
    bool poses_match;  // contact poses were where the part was when the substep began
    bool has_push;
    wr_push push; // in the next step, on another feeler
} feeler;

static feeler feelers[FEELERS]; // by the last letter of the name: a, b, c
static const wr_vec3 FEELER_SIZE = {1.0f, 0.6f, 0.8f};

static void *feeler_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    feeler *f = &feelers[desc->name[strlen(desc->name) - 1] - 'a'];
    wr_vec3 half = wr_scale(0.5f, FEELER_SIZE);
    *f = (feeler){.poses_match = true, .pose = desc->pose};
    for (int i = 0; i < 8; i++) {
        f->corners[0][i] =
            wr_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        f->corners[1][i] = wr_scale(0.3f, f->corners[0][i]);
    }
    bool two = f == &feelers[1];
    for (int i = 0; i < 2; i++) {
        f->pieces[i] = (wr_piece){f->corners[two ? 1 - i : i], 8};
    }
    // It turns the other way than the scene says: a part is born as its material likes.
    f->part = (wr_material_part){.alive = true,
                                 .pieces = f->pieces,
                                 .piece_count = two ? 2 : 1,
                                 .mass = lopsided_mass(FEELER_SIZE, 300.0),
                                 .friction = desc->friction,
                                 .restitution = desc->restitution,
                                 .pose = desc->pose,
                                 .velocity = desc->velocity,
                                 .angular_velocity = wr_scale(-1.0f, desc->angular_velocity)};
    return f;
}

static const wr_material_part *feeler_parts(const void *body, int *count)
{
    *count = 1;
    return &((const feeler *)body)->part;
}

static void feeler_advance(void *body, const wr_material_step *step)
{
    feeler *f = body;
    if (f->has_push) {
        f->has_push = false;
        assert_true(wr_push_add(step->pushes, f->push));
    }
}

static void feeler_take_contacts(void *body, const wr_material_step *step)
{
    feeler *f = body;
    const wr_part_state *now = &step->parts[0];
    f->engine = step->part_bodies[0];
    f->poses_match =
        f->poses_match && wr_distance(now->contact_pose.position, f->pose.position) < 1e-6f &&
        fabsf(wr_quat_dot(now->contact_pose.rotation, f->pose.rotation)) > 1.0f - 1e-6f;
    f->pose = now->pose;
    f->count = step->contact_count ? step->contact_count : f->count;
    assert_true(step->contact_count <= NOTED);
    for (int i = 0; i < step->contact_count; i++) {
        const wr_contact *c = &step->contacts[i];
        assert_true(c->body_a == f->engine && c->body_b != f->engine);
        f->last[i] = *c;
        add_impulse(&f->felt, c->point,
                    wr_add_scaled(c->tangential_impulse, c->normal_impulse, c->normal));
    }
}

static wr_material_surface feeler_surface(const void *body)
{
    (void)body;
    return (wr_material_surface){.part = 0};
}

static const wr_material feeler_material = {
    STATELESS("feeler"),
    .create = feeler_create,
    .parts = feeler_parts,
    .advance = feeler_advance,
    .take_contacts = feeler_take_contacts,
    .surface = feeler_surface,
    .is_sound = stateless_is_sound,
    .size = stateless_size,
};

// --- a material that is nothing but a boundary ------------------------------------------------

enum { SHELLS = 2, SHELL_POINTS = 4 };

typedef struct shell {
    wr_boundary boundary;
    wr_boundary_point points[SHELL_POINTS];
    wr_vec3 impulses[SHELL_POINTS]; // of the last step that had any
} shell;

static shell shells[SHELLS]; // the test fills their boundaries before the world is made

static void *shell_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    return &shells[desc->name[strlen(desc->name) - 1] - 'a'];
}

static wr_boundary shell_boundary(void *body, float dt, const wr_work *work)
{
    (void)dt;
    (void)work;
    shell *s = body;
    s->boundary.points = s->points;
    return s->boundary;
}

static void shell_apply(void *body, const wr_boundary_impulse *impulses, int count)
{
    shell *s = body;
    memset(s->impulses, 0, sizeof s->impulses);
    for (int i = 0; i < count; i++) {
        s->impulses[impulses[i].point] = impulses[i].impulse;
    }
}

static const wr_material shell_material = {
    STATELESS("shell"),           .create = shell_create,
    .boundary = shell_boundary,   .apply_impulses = shell_apply,
    .surface = stateless_surface, .is_sound = stateless_is_sound,
    .size = stateless_size,
};

// --- a material that touches things -----------------------------------------------------------

enum { MOST_TOUCHES = 16 };

typedef struct toucher {
    wr_ball ball;
    int count;
    wr_touch touches[MOST_TOUCHES];
    wr_touched_body bodies[MOST_TOUCHES]; // that of each touch
    wr_support supports[MOST_TOUCHES];    // its first, 0: it has none
} toucher;

static toucher finger;

static void *toucher_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    finger = (toucher){.ball = {.center = desc->pose.position, .radius = 0.1f}};
    return &finger;
}

static wr_ball_set toucher_balls(void *body, float dt)
{
    (void)dt;
    return (wr_ball_set){&((toucher *)body)->ball, 1, 0.05f, WR_MOST_TOUCHES};
}

static void toucher_advance(void *body, const wr_material_step *step)
{
    toucher *t = body;
    assert_true(step->touch_count <= MOST_TOUCHES);
    t->count = step->touch_count;
    for (int i = 0; i < t->count; i++) {
        const wr_touched_body *touched = &step->bodies[step->touch_bodies[i]];
        t->touches[i] = step->touches[i];
        t->bodies[i] = *touched;
        t->supports[i] = touched->support_count > 0 ? touched->supports[0] : (wr_support){0};
    }
}

static const wr_material toucher_material = {
    STATELESS("toucher"),       .create = toucher_create,     .balls = toucher_balls,
    .advance = toucher_advance, .surface = stateless_surface, .is_sound = stateless_is_sound,
    .size = stateless_size,
};

// --- a material whose bodies live together ------------------------------------------------------

typedef struct flock {
    int mover_count, contact_count;
    wr_ensemble_mover movers[4];
    wr_ensemble_contact contacts[NOTED];
} flock;

static flock birds; // as the last step found them

static void *flock_create_ensemble(const wr_ensemble_desc *desc, wr_error *error)
{
    (void)desc;
    (void)error;
    birds = (flock){0};
    return &birds;
}

static void flock_step(void *ensemble, const wr_ensemble_step *step)
{
    flock *f = ensemble;
    assert_true(step->mover_count <= 4 && step->contact_count <= NOTED);
    f->mover_count = step->mover_count;
    f->contact_count = step->contact_count;
    memcpy(f->movers, step->movers, (size_t)step->mover_count * sizeof *f->movers);
    memcpy(f->contacts, step->contacts, (size_t)step->contact_count * sizeof *f->contacts);
}

static void *flock_create(const wr_material_desc *desc, wr_error *error)
{
    (void)error;
    return desc->ensemble;
}

static const wr_material flock_material = {
    STATELESS("flock"),
    .create_ensemble = flock_create_ensemble,
    .destroy_ensemble = stateless_destroy,
    .step_ensemble = flock_step,
    .create = flock_create,
    .surface = stateless_surface,
    .is_sound = stateless_is_sound,
    .size = stateless_size,
};

const wr_material *const small_world_materials[] = {&feeler_material, &shell_material,
                                                    &toucher_material, &flock_material, NULL};

// --- contacts ---------------------------------------------------------------------------------

#define FEELER(letter, more)                                                                       \
    "{'name': '" letter "', 'shape': {'box': [1, 0.6, 0.8]}, 'material': 'feeler', 'friction': "   \
    "0.5, 'restitution': 0" more "}"
#define STRUCK FEELER("a", ", 'turn': {'axis': [1, 2, -1], 'by': 40}, 'spin': [60, -120, 180]")
#define FLYING                                                                                     \
    FEELER("b", ", 'at': [1.5, 0.15, 0.4], 'turn': {'axis': [-2, 1, 3], 'by': 63}, "               \
                "'velocity': [-4, 1, -2]")

static wr_vec3 center_of(const show *s, int body)
{
    return wr_rigid_center(wr_world_rigid(s->world), wr_world_body(s->world, body));
}

// The contact of a pair in the frame tells the same as its contacts, from the later to the earlier
// of the two in the scene.
static void check_recorded(const show *s, const feeler *first)
{
    const wr_frame *frame = wr_world_frame(s->world);
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *c = &frame->contacts[i];
        assert_true(c->body_a == 0 && c->body_b == 1);
        assert_true(wr_dot(c->normal, wr_sub(center_of(s, 0), center_of(s, 1))) > 0.0f);
        float nearest = INFINITY;
        for (int k = 0; k < first->count; k++) {
            nearest = fminf(nearest, wr_distance(c->point, first->last[k].point));
        }
        assert_true(nearest < 0.1f);
    }
}

// Returns the largest gap or overlap of their contacts.
static float check_pair_of_views(const feeler *a, const feeler *b)
{
    float most = 0.0f;
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const wr_contact *x = &a->last[i], *y = &b->last[i];
        assert_true(x->body_a == y->body_b && x->body_b == y->body_a);
        assert_true(x->piece_a == y->piece_b && x->piece_b == y->piece_a);
        assert_true(x->piece_a + x->piece_b == 1); // 0 of one of them, 1 of the other
        assert_int_equal(a == &feelers[1] ? x->piece_a : y->piece_a, 1);
        assert_true(x->normal_impulse == y->normal_impulse && x->distance == y->distance);
        CHECK_NEAR(wr_length(wr_add(x->normal, y->normal)), 0, 1e-6);
        CHECK_NEAR(wr_length(wr_add(x->tangential_impulse, y->tangential_impulse)), 0, 1e-6);
        CHECK_NEAR(wr_distance(y->point, x->point), fabsf(x->distance), 1e-6); // each on the other
        most = fmaxf(most, fabsf(x->distance));
    }
    return most;
}

static void both_materials_of_a_sliding_contact_feel_what_moves_them(void **state)
{
    (void)state;
    static const char *const scenes[] = {SPACE "'bodies': [" STRUCK ", " FLYING "]",
                                         SPACE "'bodies': [" FLYING ", " STRUCK "]"};
    for (int i = 0; i < WRI_COUNT(scenes); i++) {
        show s = start(scenes[i]);
        const wr_rigid *rigid = wr_world_rigid(s.world);
        feeler *order[2] = {&feelers[i], &feelers[1 - i]};
        momenta before[2];
        bool touched = false;
        float gap = 0.0f;
        for (int k = 0; k < 2; k++) {
            int body = wr_world_body(s.world, k);
            before[k] = momenta_of(rigid, body, &order[k]->part.mass);
            bool flies = order[k] == &feelers[1];
            wr_vec3 v = wr_rigid_velocity(rigid, body), w = wr_rigid_angular_velocity(rigid, body);
            wr_vec3 thrown = flies ? wr_v3(-4, 1, -2) : wr_v3(0, 0, 0);
            wr_vec3 spun = flies ? wr_v3(0, 0, 0) : wr_scale(WR_PI / 3.0f, wr_v3(-1, 2, -3));
            CHECK_NEAR(wr_distance(v, thrown) + wr_distance(w, spun), 0, 1e-5);
        }
        for (int frame = 0; frame < 15; frame++) {
            step_frames(s.world, 1);
            touched = touched || wr_world_frame(s.world)->contact_count > 0;
            check_recorded(&s, order[0]);
            gap = fmaxf(gap, check_pair_of_views(order[0], order[1]));
        }
        assert_true(touched && gap > 5e-5f);
        for (int k = 0; k < 2; k++) {
            int body = wr_world_body(s.world, k);
            momenta now = momenta_of(rigid, body, &order[k]->part.mass);
            for (int n = 0; n < 3; n++) {
                now.p[n] -= before[k].p[n];
                now.L[n] -= before[k].L[n];
            }
            assert_true(fabs(order[k]->felt.p[0]) > 20.0 && fabs(order[k]->felt.L[1]) > 5.0);
            check_momenta(&now, &order[k]->felt, 0.5); // damping, and where the points are
            assert_true(order[k]->poses_match);
        }
        end(s);
    }
}

// --- pushes -----------------------------------------------------------------------------------

static show start_pushing(void)
{
    return start(SPACE "'substeps': 1, 'bodies': [" STRUCK ", " FEELER(
        "b", ", 'at': [9, 0, 0], 'velocity': [1, 2, 3], 'spin': [30, 60, -60]") "]");
}

static void a_push_is_felt_as_it_was_meant(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { // who pushes whom
        show s = start_pushing();
        const wr_rigid *rigid = wr_world_rigid(s.world);
        int body = wr_world_body(s.world, i);
        feeler *pushed = &feelers[i], *pusher = &feelers[1 - i];
        momenta expected = momenta_of(rigid, body, &pushed->part.mass);
        pusher->has_push = true;
        wr_push *push = &pusher->push;
        *push = (wr_push){.body = body,
                          .point = wr_add(center_of(&s, i), wr_v3(0.2f, -0.3f, 0.1f)),
                          .impulse = wr_v3(7, -4, 9),
                          .angular_impulse = wr_v3(0.5f, 0.3f, -0.6f)};
        add_impulse(&expected, push->point, push->impulse);
        const double twist[3] = {0.5, 0.3, -0.6};
        for (int k = 0; k < 3; k++) {
            expected.L[k] += twist[k];
        }
        step_frames(s.world, 1);
        momenta now = momenta_of(rigid, body, &pushed->part.mass);
        check_momenta(&now, &expected, 0.05); // of some hundred; damped a little
        assert_int_equal(pushed->count, 1);
        const wr_contact *told = &pushed->last[0];
        assert_int_equal(told->body_b, -1);
        wr_vec3 impulse = wr_scale(told->normal_impulse, told->normal);
        CHECK_NEAR(wr_distance(impulse, push->impulse), 0, 1e-5);
        assert_true(wr_distance(told->point, push->point) == 0.0f);
        assert_int_equal(pusher->count, 0);
        const wr_frame *frame = wr_world_frame(s.world);
        assert_int_equal(frame->contact_count, 1);
        const wr_record_contact *c = &frame->contacts[0];
        assert_true(c->body_a == 0 && c->body_b == 1);
        wr_vec3 given = wr_scale(i == 0 ? c->impulse : -c->impulse, c->normal);
        CHECK_NEAR(wr_distance(given, push->impulse), 0, 1e-5);
        end(s);
    }
}

static void a_shift_moves_the_centre_and_turns_about_it(void **state)
{
    (void)state;
    show s = start_pushing();
    const wr_rigid *rigid = wr_world_rigid(s.world);
    int body = wr_world_body(s.world, 1);
    wr_vec3 was = center_of(&s, 1), velocity = wr_rigid_velocity(rigid, body);
    wr_vec3 spin = wr_rigid_angular_velocity(rigid, body);
    wr_quat before = wr_rigid_pose(rigid, body).rotation;
    feelers[0].has_push = true;
    feelers[0].push = (wr_push){.body = body,
                                .shift = wr_v3(0.03f, -0.02f, 0.01f),
                                .rotation = wr_v3(0.06f, -0.09f, 0.12f)};
    step_frames(s.world, 1);
    wr_vec3 way = wr_add_scaled(feelers[0].push.shift, 1.0f / 60.0f, velocity);
    CHECK_NEAR(wr_distance(center_of(&s, 1), wr_add(was, way)), 0, 1e-5);
    CHECK_NEAR(wr_distance(wr_rigid_velocity(rigid, body), velocity), 0, 1e-5);
    wr_quat after = wr_rigid_pose(rigid, body).rotation;
    wr_quat by = wr_quat_multiply(after, wr_quat_conjugate(before));
    wr_vec3 half = wr_scale(0.5f, wr_add_scaled(feelers[0].push.rotation, 1.0f / 60.0f, spin));
    CHECK_NEAR(wr_distance(wr_v3(by.x, by.y, by.z), half), 0, 1e-3);
    assert_int_equal(wr_world_frame(s.world)->contact_count, 0);
    end(s);
}

// --- touches ----------------------------------------------------------------------------------

// A ball between a wall and two crates, one of them held by two things: each of its touches comes
// with its own body, and each body with what holds it.
static void every_touch_knows_its_own_body_and_what_holds_it(void **state)
{
    (void)state;
    show s =
        start("'sleeping': false, 'gravity': [1, -9.81, 0], 'bodies': [{'name': 'tip', 'shape': "
              "{'sphere': 0.1}, "
              "'material': 'toucher', 'at': [0, 0.7, 0]}, "
              "{'name': 'left', 'shape': {'box': [1, 1, 1]}, 'at': [-0.6, 0.5, 0]}, "
              "{'name': 'right', 'shape': {'box': [1, 1, 1]}, 'at': [0.6, 0.5, 0], 'friction': 0}, "
              "{'name': 'back', 'shape': {'box': [0.18, 3, 1]}, 'at': [0, 0.5, -0.6], 'motion': "
              "'static'}, {'shape': 'plane'}, {'shape': {'box': [1, 1, 1]}, 'at': [1.6, "
              "0.5, 0], 'motion': 'static'}]");
    step_frames(s.world, 40);
    const wr_vec3 normals[3] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}}; // towards the ball
    int found[3] = {0};
    for (int i = 0; i < finger.count; i++) {
        for (int k = 0; k < 3; k++) {
            if (finger.touches[i].body == wr_world_body(s.world, 1 + k)) {
                const wr_touched_body *b = &finger.bodies[i];
                found[k]++;
                assert_int_equal(b->body, finger.touches[i].body);
                assert_true(wr_dot(finger.touches[i].normal, normals[k]) > 0.99f);
                assert_int_equal(b->view.inverse_mass > 0.0f, k < 2);
                CHECK_NEAR(wr_distance(b->view.center, center_of(&s, 1 + k)), 0, 0.05);
                assert_int_equal(b->support_count > 0, k < 2);
                assert_true(k != 0 || finger.supports[i].normal.y > 0.99f);
            }
        }
    }
    assert_true(found[0] == 1 && found[1] == 1 && found[2] == 1);
    end(s);
}

// --- ensembles -----------------------------------------------------------------------------------

#define LIFT                                                                                       \
    "{'name': 'lift', 'shape': {'box': [3, 1, 3]}, 'friction': 0.9, 'path': [{'time': 0, 'at': "   \
    "[0, 0, 0]}, {'time': 2, 'at': [0, 1, 0], 'turn': {'axis': [0, 1, 0], 'by': 34.3775}}]}"
#define LOWER "{'name': 'lower', 'shape': {'box': [1, 1, 1]}, 'at': [0.5, 1, 0.2], 'friction': 0.4}"
#define UPPER "{'name': 'upper', 'shape': {'box': [1, 1, 1]}, 'at': [0.6, 2, 0.2], 'friction': 0.8}"
#define BIRD "{'name': 'bird', 'shape': {'box': [1, 1, 1]}, 'at': [9, 9, 9], 'material': 'flock'}"

// A crate on a crate on something that is driven, in either order in the scene.
static void an_ensemble_sees_contacts_from_the_one_that_moves(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "'bodies': [" LIFT ", " LOWER ", " UPPER ", " BIRD "]",
        "'bodies': [" UPPER ", " LOWER ", " LIFT ", " BIRD "]",
    };
    for (int i = 0; i < WRI_COUNT(scenes); i++) {
        show s = start(scenes[i]);
        step_frames(s.world, 20);
        const wr_vec3 up = {0, 1, 0};
        int on_lift = 0, on_crate = 0;
        assert_int_equal(birds.mover_count, 2);
        for (int k = 0; k < birds.contact_count; k++) {
            const wr_ensemble_contact *c = &birds.contacts[k];
            assert_in_range(c->a, 0, 1);
            wr_vec3 there = birds.movers[c->a].view.center;
            if (c->b < 0) {
                on_lift++;
                assert_true(wr_dot(c->normal, up) > 0.99f && there.y > c->point.y);
                wr_vec3 arm = wr_sub(c->point, wr_world_frame(s.world)->poses[2 * i].position);
                wr_vec3 expected = wr_add(wr_v3(0, 0.5f, 0), wr_cross(wr_v3(0, 0.3f, 0), arm));
                CHECK_NEAR(wr_distance(c->velocity, expected), 0, 0.02);
                CHECK_NEAR(c->friction, sqrt(0.9 * 0.4), 1e-5);
            } else {
                wr_vec3 other = birds.movers[c->b].view.center;
                on_crate++;
                assert_true(wr_dot(c->normal, wr_sub(there, other)) > 0.9f);
                CHECK_NEAR(c->friction, sqrt(0.4 * 0.8), 1e-5);
            }
        }
        assert_true(on_lift >= 3 && on_crate >= 3);
        end(s);
    }
}

// --- boundaries that meet ---------------------------------------------------------------------

#define SHELL(letter) "{'name': '" letter "', 'shape': {'box': [1, 1, 1]}, 'material': 'shell'}"

// Symmetric, positive and like no other.
static wr_mat3 askew(float size, float x, float y, float z)
{
    return (wr_mat3){{{size * (2 + x), size * x, size * y},
                      {size * x, size * (2 + y), size * z},
                      {size * y, size * z, size * (2 + z)}}};
}

static void set_point(shell *s, int i, wr_vec3 at, wr_vec3 velocity, wr_mat3 inverse_mass)
{
    s->points[i] = (wr_boundary_point){.position = at,
                                       .velocity = velocity,
                                       .radius = 0.01f * (float)(i + 1),
                                       .inverse_mass = inverse_mass,
                                       .support = -1};
}

// A point comes down on a tilted triangle beside its middle, sliding.
static void set_shells(int point_of, float friction_of_point, float friction_of_triangle)
{
    static const int corners[3] = {0, 1, 2};
    shell *p = &shells[point_of], *t = &shells[1 - point_of];
    memset(shells, 0, sizeof shells);
    *t = (shell){.boundary = {.point_count = 3,
                              .triangles = corners,
                              .triangle_count = 1,
                              .friction = friction_of_triangle}};
    set_point(t, 0, wr_v3(0, 0, 0), wr_v3(0.1f, 0.2f, -0.1f), askew(0.01f, 0.3f, 0.1f, -0.2f));
    set_point(t, 1, wr_v3(0.2f, 0.1f, 1), wr_v3(-0.2f, 0.3f, 0), askew(0.02f, -0.1f, 0.4f, 0.2f));
    set_point(t, 2, wr_v3(1, 0.05f, 0.1f), wr_v3(0, 0.1f, 0.4f), askew(0.03f, 0.2f, -0.3f, 0.1f));
    *p = (shell){.boundary = {.point_count = 1, .friction = friction_of_point}};
    set_point(p, 0, wr_v3(0.3f, 0.1f, 0.25f), wr_v3(1.5f, -3, 0.7f),
              askew(0.05f, 0.5f, 0.2f, -0.4f));
}

typedef struct expectation {
    double weights[3], normal[3];
    double gap, speed, inverse_mass; // along the normal
} expectation;

static double quadratic(const wr_mat3 *m, const double n[3])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++) {
        sum += n[i / 3] * (double)m->m[i / 3][i % 3] * n[i % 3];
    }
    return sum;
}

static void to_doubles(wr_vec3 v, double out[3])
{
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The point lies over the inside of the triangle: areas are the weights.
static expectation expect(const shell *p, const shell *t)
{
    expectation e = {.gap = -(double)p->points[0].radius};
    double x[3][3], q[3], v[3], n[3] = {0}, sides[2][3];
    to_doubles(p->points[0].position, q);
    to_doubles(p->points[0].velocity, v);
    for (int k = 0; k < 3; k++) {
        to_doubles(t->points[k].position, x[k]);
    }
    for (int i = 0; i < 3; i++) {
        sides[0][i] = x[1][i] - x[0][i];
        sides[1][i] = x[2][i] - x[0][i];
    }
    add_cross(sides[0], sides[1], n);
    double area2 = dot(n, n), length = sqrt(area2), height = 0.0;
    for (int i = 0; i < 3; i++) {
        e.normal[i] = n[i] / length;
        height += e.normal[i] * (q[i] - x[0][i]);
    }
    e.gap += height;
    e.speed = dot(v, e.normal);
    e.inverse_mass = quadratic(&p->points[0].inverse_mass, e.normal);
    for (int k = 0; k < 3; k++) {
        double a[3], b[3], part[3] = {0}, u[3];
        for (int i = 0; i < 3; i++) {
            a[i] = x[(k + 1) % 3][i] - q[i];
            b[i] = x[(k + 2) % 3][i] - q[i];
        }
        add_cross(a, b, part);
        e.weights[k] = dot(part, n) / area2;
        to_doubles(t->points[k].velocity, u);
        e.gap -= e.weights[k] * (double)t->points[k].radius;
        e.speed -= e.weights[k] * dot(u, e.normal);
        e.inverse_mass +=
            e.weights[k] * e.weights[k] * quadratic(&t->points[k].inverse_mass, e.normal);
    }
    return e;
}

static void check_equal_and_opposite(const shell *p, const shell *t, const expectation *e)
{
    for (int k = 0; k < 3; k++) {
        wr_vec3 share = wr_scale(-(float)e->weights[k], p->impulses[0]);
        CHECK_NEAR(wr_distance(t->impulses[k], share), 0, 1e-4);
    }
}

static void a_meeting_stops_the_approach_by_the_masses_of_both(void **state)
{
    (void)state;
    for (int point_of = 0; point_of < 2; point_of++) {
        set_shells(point_of, 0, 0.8f); // of which the geometric mean is 0
        const shell *p = &shells[point_of], *t = &shells[1 - point_of];
        expectation e = expect(p, t);
        assert_true(e.weights[0] > 0.2 && e.weights[1] > 0.1 && e.weights[2] > 0.1);
        show s = start(SPACE "'substeps': 1, 'bodies': [" SHELL("a") ", " SHELL("b") "]");
        step_frames(s.world, 1);
        double dt = 1.0 / 60.0, impulse = (-e.gap / dt - e.speed) / e.inverse_mass;
        assert_true(impulse > 5.0 && e.gap > 0.0);
        for (int i = 0; i < 3; i++) {
            double j[3];
            to_doubles(p->impulses[0], j);
            CHECK_NEAR(j[i], impulse * e.normal[i], 1e-3 * impulse);
        }
        check_equal_and_opposite(p, t, &e);
        const wr_frame *frame = wr_world_frame(s.world);
        assert_int_equal(frame->contact_count, 1);
        double sign = point_of == 0 ? 1.0 : -1.0; // from b to a
        CHECK_NEAR(sign * (double)frame->contacts[0].normal.y, e.normal[1], 1e-4);
        CHECK_NEAR(frame->contacts[0].impulse, impulse, 1e-3 * impulse);
        end(s);
    }
}

// Whoever moves: within the step the triangle comes to a point at rest. Both are bodies of
// triangles, and only a corner of one reaches a face of the other.
static void a_triangle_comes_to_the_corner_of_another(void **state)
{
    (void)state;
    static const int corners[3] = {0, 1, 2};
    for (int point_of = 0; point_of < 2; point_of++) {
        set_shells(point_of, 0, 0);
        shell *p = &shells[point_of], *t = &shells[1 - point_of];
        p->boundary.point_count = 3;
        p->boundary.triangles = corners;
        p->boundary.triangle_count = 1;
        wr_vec3 tip = p->points[0].position;
        set_point(p, 1, wr_add(tip, wr_v3(0.3f, 2, 0.1f)), wr_v3(0, 0, 0), askew(0.02f, 0, 0, 0));
        set_point(p, 2, wr_add(tip, wr_v3(0.1f, 2, 0.4f)), wr_v3(0, 0, 0), askew(0.02f, 0, 0, 0));
        p->points[0].velocity = wr_v3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            t->points[k].velocity = wr_v3(0.3f, 4, -0.2f);
        }
        expectation e = expect(p, t);
        assert_true(e.gap > 0.02);
        show s = start(SPACE "'substeps': 1, 'bodies': [" SHELL("a") ", " SHELL("b") "]");
        step_frames(s.world, 1);
        double impulse = (-e.gap * 60.0 - e.speed) / e.inverse_mass, j[3];
        assert_true(impulse > 5.0);
        to_doubles(p->impulses[0], j);
        CHECK_NEAR(dot(j, e.normal), impulse, 1e-3 * impulse);
        check_equal_and_opposite(p, t, &e);
        end(s);
    }
}

static void a_meeting_slides_by_the_friction_of_both(void **state)
{
    (void)state;
    for (int point_of = 0; point_of < 2; point_of++) {
        set_shells(point_of, 0.1f, 0.4f);
        const shell *p = &shells[point_of], *t = &shells[1 - point_of];
        expectation e = expect(p, t);
        show s = start(SPACE "'substeps': 1, 'bodies': [" SHELL("a") ", " SHELL("b") "]");
        step_frames(s.world, 1);
        double j[3], v[3], slip[3], along, aside = 0.0, against = 0.0, fast = 0.0;
        to_doubles(p->impulses[0], j);
        to_doubles(p->points[0].velocity, v);
        along = dot(j, e.normal);
        for (int i = 0; i < 3; i++) {
            slip[i] = v[i] - dot(v, e.normal) * e.normal[i];
            double tangential = j[i] - along * e.normal[i];
            aside += tangential * tangential;
            against -= tangential * slip[i];
            fast += slip[i] * slip[i];
        }
        CHECK_NEAR(sqrt(aside), 0.2 * along, 1e-3 * along); // sqrt(0.1 * 0.4)
        assert_true(against > 0.9 * sqrt(aside * fast));
        check_equal_and_opposite(p, t, &e);
        end(s);
    }
}

// Four corners of one stiff plate take what one of them, of a quarter of its weight, would.
static void points_on_one_support_share_its_mass(void **state)
{
    (void)state;
    for (int plate_of = 0; plate_of < 2; plate_of++) {
        shell *plate = &shells[plate_of], *other = &shells[1 - plate_of];
        memset(shells, 0, sizeof shells);
        wr_mat3 light = {{{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}}};
        plate->boundary.point_count = other->boundary.point_count = 3;
        for (int i = 0; i < 3; i++) {
            wr_vec3 at = wr_v3((float)i, 0.03f, 0.5f * (float)(i % 2));
            set_point(plate, i, at, wr_v3(0, -2, 0), light);
            plate->points[i].support = 0;
            set_point(other, i, wr_v3(at.x, 0, at.z), wr_v3(0, 0, 0), (wr_mat3){{{0}}});
            plate->points[i].radius = other->points[i].radius = 0.01f;
        }
        show s = start(SPACE "'substeps': 1, 'bodies': [" SHELL("a") ", " SHELL("b") "]");
        step_frames(s.world, 1);
        double total = 0.0, gap = 0.01, dt = 1.0 / 60.0;
        for (int i = 0; i < 3; i++) {
            total += (double)plate->impulses[i].y;
            CHECK_NEAR(plate->impulses[i].y, -other->impulses[i].y, 0);
        }
        CHECK_NEAR(total, (2.0 - gap / dt) / 0.1, 1e-3); // as if it stood on one
        end(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_materials_of_a_sliding_contact_feel_what_moves_them),
        cmocka_unit_test(a_push_is_felt_as_it_was_meant),
        cmocka_unit_test(a_shift_moves_the_centre_and_turns_about_it),
        cmocka_unit_test(a_meeting_stops_the_approach_by_the_masses_of_both),
        cmocka_unit_test(every_touch_knows_its_own_body_and_what_holds_it),
        cmocka_unit_test(an_ensemble_sees_contacts_from_the_one_that_moves),
        cmocka_unit_test(a_triangle_comes_to_the_corner_of_another),
        cmocka_unit_test(a_meeting_slides_by_the_friction_of_both),
        cmocka_unit_test(points_on_one_support_share_its_mass),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
