// test_touches.c: what balls touch, against geometry that is found in another way.
//
// The signed distance of a point p from a convex set with the support function h is the largest
// n . p - h(n) over all unit vectors n, outside and inside. The tests search the directions for it.
#include "rigid_world.h"

#include <stdio.h>

// --- a reference ------------------------------------------------------------------------------

enum { DIRECTIONS = 1500 };

// A convex set in the world: points, and a ball or a disc around them.
typedef struct convex {
    wr_pose pose;
    wr_vec3 points[64];
    int point_count;
    float radius;      // of the ball around each point
    float disc_radius; // of the disc around each point, across the pose's y axis
} convex;

static double support(const convex *c, const double n[3])
{
    wr_vec3 d = wr_rotate(wr_quat_conjugate(c->pose.rotation),
                          wr_v3((float)n[0], (float)n[1], (float)n[2]));
    double most = -HUGE_VAL;
    for (int i = 0; i < c->point_count; i++) {
        wr_vec3 p = c->points[i];
        most = fmax(most, (double)d.x * p.x + (double)d.y * p.y + (double)d.z * p.z);
    }
    wr_vec3 at = c->pose.position;
    return most + (double)c->radius +
           (double)c->disc_radius * sqrt((double)d.x * d.x + (double)d.z * d.z) + n[0] * at.x +
           n[1] * at.y + n[2] * at.z;
}

static double above(const convex *c, wr_vec3 p, const double n[3])
{
    return n[0] * p.x + n[1] * p.y + n[2] * p.z - support(c, n);
}

static void normalize(double v[3])
{
    double length = wri_length3(v);
    for (int i = 0; i < 3; i++) {
        v[i] /= length;
    }
}

// Climbs from n by ever smaller steps, in directions that turn, so that no ridge holds it up.
static double climb(const convex *c, wr_vec3 p, double n[3])
{
    double best = above(c, p, n), angle = 0;
    for (double step = 0.1; step > 1e-7; step *= 0.94) {
        double other[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0}, u[3], v[3];
        wri_cross3(n, other, u);
        normalize(u);
        wri_cross3(n, u, v);
        for (int k = 0; k < 8; k++) {
            double m[3];
            angle += 2.399963;
            for (int i = 0; i < 3; i++) {
                m[i] = n[i] + step * (cos(angle) * u[i] + sin(angle) * v[i]);
            }
            normalize(m);
            double now = above(c, p, m);
            if (now > best) {
                best = now;
                memcpy(n, m, sizeof m);
            }
        }
    }
    return best;
}

// Directions of a spiral around the sphere; the best ones climb.
static double signed_distance(const convex *c, wr_vec3 p, double normal[3])
{
    enum { CLIMBERS = 4 };
    double best[CLIMBERS], from[CLIMBERS][3];
    for (int i = 0; i < CLIMBERS; i++) {
        best[i] = -HUGE_VAL;
    }
    for (int i = 0; i < DIRECTIONS; i++) {
        double y = 1 - (2 * i + 1) / (double)DIRECTIONS, r = sqrt(1 - y * y), a = 2.399963 * i;
        double n[3] = {r * cos(a), y, r * sin(a)}, now = above(c, p, n);
        int k = CLIMBERS;
        while (k > 0 && now > best[k - 1]) {
            k--;
        }
        if (k < CLIMBERS) {
            memmove(&best[k + 1], &best[k], (size_t)(CLIMBERS - 1 - k) * sizeof best[0]);
            memmove(&from[k + 1], &from[k], (size_t)(CLIMBERS - 1 - k) * sizeof from[0]);
            best[k] = now;
            memcpy(from[k], n, sizeof n);
        }
    }
    double most = -HUGE_VAL;
    for (int i = 0; i < CLIMBERS; i++) {
        double now = climb(c, p, from[i]);
        if (now > most) {
            most = now;
            memcpy(normal, from[i], sizeof from[i]);
        }
    }
    return most;
}

// --- asking -----------------------------------------------------------------------------------

static const wr_touch *ask(wr_rigid *rigid, const wr_touch_query *query, int *count)
{
    wr_error error = {0};
    const wr_touch *touches = wr_rigid_find_touches(rigid, query, count, &error);
    if (!touches) {
        fail_msg("%s", error.message);
    }
    for (int i = 0; i < *count; i++) {
        const wr_touch *t = &touches[i];
        wr_pose pose = wr_rigid_pose(rigid, t->body);
        const wr_ball *b = &query->balls[t->ball];
        float size = wr_length(t->point) + wr_length(b->center) + 1;
        assert_true(i == 0 || t->ball >= touches[i - 1].ball);
        assert_true(t->time >= 0 && t->time <= 1);
        CHECK_NEAR(wr_length(t->normal), 1, 1e-6);
        CHECK_NEAR(wr_distance(t->normal, wr_rotate(pose.rotation, t->local_normal)), 0, 1e-6);
        CHECK_NEAR(wr_distance(t->point, wr_pose_point(pose, t->local_point)), 0, 1e-6 * size);
        CHECK_NEAR(t->depth, b->radius - wr_dot(wr_sub(b->center, t->point), t->normal),
                   2e-6 * size);
    }
    return touches;
}

static wr_touch_query about(const wr_ball *balls, int count)
{
    wr_touch_query query = wr_touch_query_default();
    query.balls = balls;
    query.ball_count = count;
    return query;
}

// --- shapes -----------------------------------------------------------------------------------

static wr_quat random_turn(uint64_t *seed)
{
    return wr_quat_from_axis_angle(
        wr_v3(random_float(seed, -1, 1), random_float(seed, -1, 1), random_float(seed, 0.1f, 1)),
        random_float(seed, -3, 3));
}

static wr_vec3 random_point(uint64_t *seed, float size)
{
    return random_vec3(seed, -size, size);
}

typedef struct shape {
    wr_rigid_body_desc desc;
    wr_piece piece;
    convex same; // as the reference knows it
} shape;

static void make_primitive(shape *s, wr_shape_kind kind, uint64_t *seed)
{
    wr_vec3 size = wr_v3(random_float(seed, 0.2f, 1), random_float(seed, 0.2f, 1),
                         random_float(seed, 0.2f, 1));
    s->desc = solid(kind, size, 500, random_point(seed, 3));
    if (kind == WR_SHAPE_BOX) {
        box_points(wr_scale(-0.5f, size), wr_scale(0.5f, size), s->same.points);
        s->same.point_count = 8;
        return;
    }
    float half = kind == WR_SHAPE_SPHERE ? 0.0f : 0.5f * size.y;
    s->same.points[0] = wr_v3(0, half, 0);
    s->same.points[1] = wr_v3(0, -half, 0);
    s->same.point_count = 2;
    s->same.radius = kind == WR_SHAPE_CYLINDER ? 0.0f : size.x;
    s->same.disc_radius = kind == WR_SHAPE_CYLINDER ? size.x : 0.0f;
}

static void make_hull(shape *s, int count, uint64_t *seed)
{
    s->desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 500, random_point(seed, 3));
    s->desc.shape.kind = WR_SHAPE_HULLS;
    for (int i = 0; i < count; i++) {
        wr_vec3 p = wr_normalize(random_point(seed, 1));
        s->same.points[i] = wr_v3(0.6f * p.x, 0.3f * p.y, 0.5f * p.z);
    }
    s->same.point_count = count;
    s->piece = (wr_piece){s->same.points, count};
    s->desc.shape.pieces = &s->piece;
    s->desc.shape.piece_count = 1;
}

static void make_shape(shape *s, wr_shape_kind kind, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    if (kind == WR_SHAPE_HULLS) {
        make_hull(s, 4 + (int)(random_bits(seed) % 27), seed);
    } else {
        make_primitive(s, kind, seed);
    }
    s->desc.pose.rotation = random_turn(seed);
    s->desc.mass.center[0] = 0.1; // the body's frame is not the engine's
    s->same.pose = s->desc.pose;
}

// Balls from deep inside to well outside of every shape, with and without a margin.
static void closest_points_are_those_of_the_support_function(void **state)
{
    (void)state;
    static const wr_shape_kind kinds[] = {WR_SHAPE_BOX, WR_SHAPE_SPHERE, WR_SHAPE_CAPSULE,
                                          WR_SHAPE_CYLINDER, WR_SHAPE_HULLS};
    uint64_t seed = 5;
    for (int i = 0; i < 100; i++) {
        shape s;
        make_shape(&s, kinds[i % WRI_COUNT(kinds)], &seed);
        wr_rigid_desc desc = wr_rigid_desc_default();
        desc.unit_length = i % 2 ? 1.0f : 0.3f;
        wr_rigid *rigid = create(&desc);
        int body = add(rigid, &s.desc);
        for (int k = 0; k < 12; k++) {
            wr_ball ball = {.center = wr_add(s.desc.pose.position, random_point(&seed, 0.9f)),
                            .radius = random_float(&seed, 0.01f, 0.4f)};
            wr_touch_query query = about(&ball, 1);
            query.margin = k % 2 ? 0.0f : 0.2f;
            double normal[3], distance = signed_distance(&s.same, ball.center, normal);
            int count;
            const wr_touch *t = ask(rigid, &query, &count);
            double near = distance - (double)ball.radius - (double)query.margin;
            if (fabs(near) < 1e-5) {
                continue; // either
            }
            assert_int_equal(count, near < 0);
            if (count) {
                assert_int_equal(t->body, body);
                assert_int_equal(t->piece, s.desc.shape.kind == WR_SHAPE_HULLS ? 0 : -1);
                // No direction says more than the distance, and the one found says most.
                const double n[3] = {t->normal.x, t->normal.y, t->normal.z};
                double found = above(&s.same, ball.center, n);
                assert_true(found > distance - 2e-6);
                CHECK_NEAR(t->depth, (double)ball.radius - found, 2e-6);
            }
        }
        wr_rigid_destroy(rigid);
    }
}

static double segment_distance(const double a[3], const double b[3])
{
    double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    double t = fmin(fmax(-wri_dot3(a, ab) / wri_dot3(ab, ab), 0.0), 1.0);
    const double q[3] = {a[0] + t * ab[0], a[1] + t * ab[1], a[2] + t * ab[2]};
    return wri_length3(q);
}

// From the origin: to the plane where the foot lies within all three sides, else to a side.
static double triangle_distance(const double c[3][3])
{
    double ab[3], ac[3], n[3], least = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        ab[i] = c[1][i] - c[0][i];
        ac[i] = c[2][i] - c[0][i];
    }
    wri_cross3(ab, ac, n);
    bool is_within = true;
    for (int k = 0; k < 3; k++) {
        const double *a = c[k], *b = c[(k + 1) % 3];
        double side[3];
        wri_cross3(a, b, side);
        is_within = is_within && wri_dot3(side, n) >= 0.0;
        least = fmin(least, segment_distance(a, b));
    }
    return is_within ? fabs(wri_dot3(c[0], n)) / wri_length3(n) : least;
}

// Triangles have no inside: each is a convex set without thickness.
static double mesh_distance(const mesh_box *mesh, wr_pose pose, wr_vec3 p)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 12; i++) {
        double corners[3][3];
        for (int k = 0; k < 3; k++) {
            wr_vec3 q = wr_pose_point(pose, mesh->points[BOX_TRIANGLES[3 * i + k]]);
            corners[k][0] = (double)q.x - (double)p.x;
            corners[k][1] = (double)q.y - (double)p.y;
            corners[k][2] = (double)q.z - (double)p.z;
        }
        least = fmin(least, triangle_distance((const double(*)[3])corners));
    }
    return least;
}

static void triangles_are_touched_from_both_sides(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 24; i++) {
        wr_rigid *rigid = make_world(true, true);
        mesh_box mesh;
        wr_rigid_body_desc desc =
            solid(WR_SHAPE_BOX, wr_v3(1, 0.7f, 0.4f), 500, random_point(&seed, 3));
        use_mesh(&desc, &mesh, desc.shape.size);
        for (int k = 0; k < 8; k++) {
            mesh.points[k] = wr_add(mesh.points[k], random_point(&seed, 0.1f));
        }
        desc.pose.rotation = random_turn(&seed);
        desc.motion = i % 2 ? WR_MOTION_STATIC : WR_MOTION_MOVING;
        add(rigid, &desc);
        wr_ball ball = {.center = wr_add(desc.pose.position, random_point(&seed, 0.5f)),
                        .radius = 0.15f};
        double distance = mesh_distance(&mesh, desc.pose, ball.center);
        int count;
        wr_touch_query query = about(&ball, 1);
        const wr_touch *t = ask(rigid, &query, &count);
        assert_int_equal(count, distance < 0.15);
        if (count) {
            CHECK_NEAR(t->depth, 0.15 - distance, 1e-5);
            CHECK_NEAR(wr_distance(t->point, ball.center), distance, 1e-5);
            assert_true(t->piece >= 0 && t->piece < 12);
        }
        wr_rigid_destroy(rigid);
    }
}

// One triangle alone, so that no neighbour hides what happens at its edges.
static void a_triangle_has_edges_and_corners(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (int i = 0; i < 40; i++) {
        wr_rigid *rigid = make_world(true, true);
        convex triangle = {.pose = WR_POSE_IDENTITY, .point_count = 3};
        static const int corners[] = {0, 1, 2};
        for (int k = 0; k < 3; k++) {
            triangle.points[k] = random_point(&seed, 1);
        }
        wr_rigid_body_desc desc = wr_rigid_body_desc_default();
        desc.motion = WR_MOTION_STATIC;
        desc.shape = (wr_shape){.kind = WR_SHAPE_MESH,
                                .positions = triangle.points,
                                .vertex_count = 3,
                                .triangles = corners,
                                .triangle_count = 1};
        add(rigid, &desc);
        wr_ball ball = {.center = random_point(&seed, 1), .radius = 3};
        wr_touch_query query = about(&ball, 1);
        int count;
        const wr_touch *t = ask(rigid, &query, &count);
        double n[3], reference = signed_distance(&triangle, ball.center, n);
        assert_int_equal(count, 1);
        const double m[3] = {t->normal.x, t->normal.y, t->normal.z};
        double found = above(&triangle, ball.center, m);
        assert_true(found > reference - 2e-6);
        CHECK_NEAR(t->depth, 3 - found, 3e-6);
        wr_rigid_destroy(rigid);
    }
}

static void a_plane_is_a_half_space(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    desc.shape.kind = WR_SHAPE_PLANE;
    desc.motion = WR_MOTION_STATIC;
    desc.pose.position = wr_v3(0, 1, 0);
    desc.pose.rotation = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.25f * WR_PI); // up is (-1, 1, 0)
    int plane = add(rigid, &desc);
    wr_ball balls[] = {{.center = wr_v3(-7, -6, 4), .radius = 0.5f},   // on it
                       {.center = wr_v3(-70, 50, 4), .radius = 0.5f},  // far above it
                       {.center = wr_v3(70, -50, 4), .radius = 0.5f}}; // far below

    wr_touch_query query = about(balls, 3);
    int count;
    const wr_touch *t = ask(rigid, &query, &count);
    assert_int_equal(count, 2);
    assert_true(t[0].ball == 0 && t[1].ball == 2 && t[0].body == plane);
    CHECK_NEAR(t[0].depth, 0.5, 1e-5);
    CHECK_NEAR(t[1].depth, 0.5 + 121 / sqrt(2), 1e-4);
    CHECK_NEAR(t[0].normal.x, -sqrt(0.5), 1e-6);
    CHECK_NEAR(t[0].normal.y, sqrt(0.5), 1e-6);
    wr_rigid_destroy(rigid);
}

// --- what a touch says ------------------------------------------------------------------------

static void a_touch_knows_the_body_at_its_point(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_SPHERE, wr_v3(1, 0, 0), 1000, wr_v3(-5, 5, 0));
    desc.angular_velocity = wr_v3(0, 0, 2);
    desc.velocity = wr_v3(0, 3, 0);
    desc.friction = 0.3f;
    desc.restitution = 0.7f;
    add(rigid, &desc);
    wr_ball ball = {.center = wr_v3(-3.95f, 5, 0), .radius = 0.1f};
    wr_touch_query query = about(&ball, 1);
    int count;
    const wr_touch *t = ask(rigid, &query, &count);
    assert_int_equal(count, 1);
    CHECK_NEAR(t->normal.x, 1, 1e-6);
    CHECK_NEAR(t->velocity.y, 3 + 2, 1e-5); // v + w x r
    CHECK_NEAR(t->friction, 0.3f, 0);
    CHECK_NEAR(t->restitution, 0.7f, 0);
    wr_rigid_destroy(rigid);
}

typedef struct chase {
    wr_rigid *rigid;
    int body, other;
    float fastest;
} chase;

static void check_place(void *user, float dt, const wr_contact *contacts, int contact_count)
{
    (void)dt, (void)contacts, (void)contact_count;
    chase *c = user;
    wr_ball ball = {.center = wr_rigid_center(c->rigid, c->body), .radius = 0.01f};
    wr_touch_query query = about(&ball, 1);
    query.ignored = &c->other;
    query.ignored_count = 1;
    int count;
    ask(c->rigid, &query, &count);
    assert_int_equal(count, 1);
    c->fastest = fmaxf(c->fastest, wr_length(wr_rigid_velocity(c->rigid, c->body)));
}

// The engine's own boxes are those it foresaw when the substep began: a pebble that was hit has
// left its box.
static void a_body_is_touched_where_it_is_after_a_substep(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(false, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_SPHERE, wr_v3(0.05f, 0, 0), 100, wr_v3(0.7f, 0, 0));
    desc.restitution = 1;
    int pebble = add(rigid, &desc);
    desc = solid(WR_SHAPE_SPHERE, wr_v3(0.5f, 0, 0), 1000, wr_v3(0, 0, 0));
    desc.velocity = wr_v3(200, 0, 0);
    chase c = {rigid, pebble, add(rigid, &desc), 0};
    for (int i = 0; i < 10; i++) {
        wr_rigid_step(rigid, DT, check_place, &c);
    }
    assert_true(c.fastest > 300);
    wr_rigid_destroy(rigid);
}

static void new_points_are_touched(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(false, true);
    eight_boxes boxes;
    mesh_box mesh;
    wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(1, 1, 1), 1000, wr_v3(0, 0, 0));
    use_hull(&desc, &boxes, desc.shape.size);
    int hull = add(rigid, &desc);
    use_mesh(&desc, &mesh, desc.shape.size);
    desc.pose.position.x = 5;
    int skin = add(rigid, &desc);
    for (int round = 0; round < 3; round++) {
        wr_vec3 points[8];
        float top = 0.5f + 0.3f * (float)(round % 2);
        wr_ball balls[] = {{.center = wr_v3(0, top + 0.05f, 0), .radius = 0.1f},
                           {.center = wr_v3(5, top + 0.05f, 0), .radius = 0.1f}};
        wr_touch_query query = about(balls, 2);
        box_points(wr_v3(-0.5f, -0.5f, -0.5f), wr_v3(0.5f, top, 0.5f), points);
        wr_rigid_set_piece(rigid, hull, 0, points);
        wr_rigid_set_mesh(rigid, skin, points);
        int count;
        const wr_touch *t = ask(rigid, &query, &count);
        assert_int_equal(count, 2);
        CHECK_NEAR(t[0].depth, 0.05, 1e-6);
        CHECK_NEAR(t[1].depth, 0.05, 1e-6);
    }
    wr_rigid_destroy(rigid);
}

// --- several touches --------------------------------------------------------------------------

// The corner of a room: as three boxes, as one body of three pieces, as a mesh.
static wr_rigid *make_corner(int kind)
{
    wr_rigid *rigid = make_world(true, true);
    const wr_vec3 low[3] = {{-1, -1, -1}, {-1, -1, -1}, {-1, -1, -1}};
    const wr_vec3 high[3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
    wr_vec3 points[3][8], vertices[24];
    wr_piece pieces[3];
    int triangles[108];
    for (int i = 0; i < 3; i++) {
        box_points(low[i], high[i], points[i]);
        pieces[i] = (wr_piece){points[i], 8};
        memcpy(&vertices[8 * i], points[i], sizeof points[i]);
        for (int k = 0; k < 36; k++) {
            triangles[36 * i + k] = 8 * i + BOX_TRIANGLES[k];
        }
        if (kind == 0) {
            add_static_box(rigid, wr_sub(high[i], low[i]), wr_lerp3(low[i], high[i], 0.5f));
        }
    }
    wr_rigid_body_desc desc = wr_rigid_body_desc_default();
    desc.motion = WR_MOTION_STATIC;
    desc.shape = (wr_shape){.kind = kind == 1 ? WR_SHAPE_HULLS : WR_SHAPE_MESH,
                            .pieces = pieces,
                            .piece_count = 3,
                            .positions = vertices,
                            .vertex_count = 24,
                            .triangles = triangles,
                            .triangle_count = 36};
    if (kind > 0) {
        add(rigid, &desc);
    }
    return rigid;
}

static void a_ball_in_a_corner_touches_three_walls(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        wr_rigid *rigid = make_corner(kind);
        wr_ball ball = {.center = wr_v3(0.05f, 0.07f, 0.06f), .radius = 0.1f};
        wr_touch_query query = about(&ball, 1);
        for (query.most = 1; query.most <= 5; query.most++) {
            int count, expected = query.most < 3 ? query.most : 3;
            const wr_touch *t = ask(rigid, &query, &count);
            assert_int_equal(count, expected);
            CHECK_NEAR(t[0].normal.x, 1, 1e-6); // the deepest first
            CHECK_NEAR(t[0].depth, 0.05, 1e-6);
            CHECK_NEAR(expected > 1 ? t[1].normal.z : 1, 1, 1e-6);
            CHECK_NEAR(expected > 2 ? t[2].normal.y : 1, 1, 1e-6);
            CHECK_NEAR(expected > 2 ? t[2].depth : 0.03f, 0.03, 1e-6);
        }
        wr_rigid_destroy(rigid);
    }
}

// On a floor of pieces or triangles, wherever a ball lies, there is one side only.
static void a_floor_of_many_pieces_is_one_floor(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int kind = 0; kind < 2; kind++) {
        wr_rigid *rigid = make_world(true, true);
        eight_boxes boxes;
        mesh_box mesh;
        wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(2, 1, 2), 1000, wr_v3(0, -0.5f, 0));
        desc.motion = WR_MOTION_STATIC;
        if (kind == 0) {
            use_hulls(&desc, &boxes, desc.shape.size);
        } else {
            use_mesh(&desc, &mesh, desc.shape.size);
        }
        add(rigid, &desc);
        for (int i = 0; i < 200; i++) {
            wr_ball ball = {.center = random_point(&seed, 0.15f), .radius = 0.1f};
            ball.center.y = random_float(&seed, 0.01f, 0.09f);
            wr_touch_query query = about(&ball, 1);
            query.most = 6;
            query.margin = 0.05f;
            int count;
            const wr_touch *t = ask(rigid, &query, &count);
            assert_int_equal(count, 1);
            CHECK_NEAR(t->normal.y, 1, 1e-6);
            CHECK_NEAR(t->depth, 0.1 - (double)ball.center.y, 1e-6);
        }
        wr_rigid_destroy(rigid);
    }
}

// --- sweeps -----------------------------------------------------------------------------------

static void a_fast_ball_is_stopped_by_a_thin_plate(void **state)
{
    (void)state;
    const float plate = 0.01f, radius = 0.003f, way = 200.0f / 240.0f;
    for (int kind = 0; kind < 3; kind++) {
        wr_rigid *rigid = make_world(true, true);
        eight_boxes boxes;
        mesh_box mesh;
        wr_rigid_body_desc desc = solid(WR_SHAPE_BOX, wr_v3(plate, 2, 2), 1000, wr_v3(0, 1, 0));
        desc.motion = WR_MOTION_STATIC;
        if (kind == 1) {
            use_hull(&desc, &boxes, desc.shape.size);
        } else if (kind == 2) {
            use_mesh(&desc, &mesh, desc.shape.size);
        }
        add(rigid, &desc);
        wr_ball balls[] = {
            {wr_v3(-0.4f, 1.1f, 0.2f), radius, wr_v3(way, 0, 0)},     // through
            {wr_v3(0.4f, 1.1f, 0.2f), radius, wr_v3(-way, 0.1f, 0)},  // through, the other way
            {wr_v3(-0.4f, 1.1f, 0.2f), radius, wr_v3(-way, 0, 0)},    // away
            {wr_v3(-0.4f, 1.1f, 0.2f), radius, wr_v3(0.38f, 0, 0)},   // not far enough
            {wr_v3(-0.4f, 2.01f, 0.2f), radius, wr_v3(way, 0, 0)},    // over it
            {wr_v3(-0.4f, 2.0015f, 0.2f), radius, wr_v3(way, 0, 0)}}; // over its edge, grazing
        wr_touch_query query = about(balls, 6);
        int count;
        const wr_touch *t = ask(rigid, &query, &count);
        assert_int_equal(count, 3);
        assert_true(t[0].ball == 0 && t[1].ball == 1 && t[2].ball == 5);
        double gap = 0.4 - 0.5 * (double)plate - (double)radius;
        CHECK_NEAR(t[0].time, gap / (double)way, 1e-5);
        CHECK_NEAR(t[0].normal.x, -1, 1e-5);
        CHECK_NEAR(t[0].depth, -gap, 1e-5);
        CHECK_NEAR(t[0].point.x, -0.005, 1e-5);
        CHECK_NEAR(t[1].time, gap / (double)way, 1e-5);
        CHECK_NEAR(t[1].normal.x, 1, 1e-5);
        // The ball's centre is half its radius above the edge: it hits that at 30 degrees.
        CHECK_NEAR(t[2].normal.y, 0.5, 1e-3);
        wr_rigid_destroy(rigid);
    }
}

static wr_vec3 along(const wr_ball *b, float t)
{
    return wr_add_scaled(b->center, t, b->sweep);
}

// At the time of the touch the ball lies on the surface, and never overlapped before; one that
// touches nothing never does.
static void first_touches_are_first(void **state)
{
    (void)state;
    static const wr_shape_kind kinds[] = {WR_SHAPE_BOX, WR_SHAPE_SPHERE, WR_SHAPE_CAPSULE,
                                          WR_SHAPE_CYLINDER, WR_SHAPE_HULLS};
    uint64_t seed = 23;
    int hits = 0, misses = 0;
    for (int i = 0; i < 60; i++) {
        shape s;
        make_shape(&s, kinds[i % WRI_COUNT(kinds)], &seed);
        wr_rigid *rigid = make_world(true, true);
        add(rigid, &s.desc);
        wr_vec3 from = wr_scale(2.5f, wr_normalize(random_point(&seed, 1)));
        wr_ball ball = {wr_add(s.desc.pose.position, from), random_float(&seed, 0.02f, 0.3f),
                        wr_scale(-2, wr_add(from, random_point(&seed, 0.8f)))};
        wr_touch_query query = about(&ball, 1);
        int count;
        const wr_touch *t = ask(rigid, &query, &count);
        double n[3], radius = ball.radius, end = count ? t->time : 1;
        hits += count;
        misses += !count;
        for (int k = 0; k <= 12; k++) {
            double d = signed_distance(&s.same, along(&ball, (float)(end * k / 12)), n);
            assert_true(d > radius - 1e-5);
        }
        if (count) {
            CHECK_NEAR(signed_distance(&s.same, along(&ball, t->time), n), radius, 1e-5);
            assert_true(wr_dot(t->normal, ball.sweep) < 0);
            CHECK_NEAR(wr_distance(t->point, along(&ball, t->time)), radius, 1e-5);
        }
        wr_rigid_destroy(rigid);
    }
    assert_true(hits > 15 && misses > 5);
}

// --- who is asked -----------------------------------------------------------------------------

static void both_sides_must_agree(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    wr_rigid_body_desc desc = solid(WR_SHAPE_SPHERE, wr_v3(1, 0, 0), 1000, wr_v3(0, 0, 0));
    desc.group = 4;
    desc.collides = 2 | 8;
    int body = add(rigid, &desc);
    wr_ball ball = {.center = wr_v3(0, 1, 0), .radius = 0.1f};
    wr_touch_query query = about(&ball, 1);
    static const struct {
        uint32_t group, collides;
        int expected;
    } cases[] = {{2, 4, 1}, {8 | 1, 4 | 1, 1}, {2, ~4u, 0}, {1, 4, 0}, {4, UINT32_MAX, 0}};
    int count;
    for (int i = 0; i < WRI_COUNT(cases); i++) {
        query.group = cases[i].group;
        query.collides = cases[i].collides;
        ask(rigid, &query, &count);
        assert_int_equal(count, cases[i].expected);
    }
    query.group = 2;
    query.collides = 4;
    query.ignored = &body;
    query.ignored_count = 1;
    ask(rigid, &query, &count);
    assert_int_equal(count, 0);
    query.ignored_count = 0;
    wr_rigid_remove_body(rigid, body);
    ask(rigid, &query, &count);
    assert_int_equal(count, 0);
    wr_rigid_destroy(rigid);
}

static void balls_that_are_not_finite_touch_nothing(void **state)
{
    (void)state;
    wr_rigid *rigid = make_world(true, true);
    add_floor(rigid);
    add_static_box(rigid, wr_v3(2, 2, 2), wr_v3(0, 0, 0));
    wr_ball balls[] = {
        {wr_v3(NAN, 0, 0), 1, wr_v3(0, 0, 0)}, {wr_v3(0, -INFINITY, 0), 1, wr_v3(0, 0, 0)},
        {wr_v3(0, 0, 0), NAN, wr_v3(0, 0, 0)}, {wr_v3(0, 0, 0), INFINITY, wr_v3(0, 0, 0)},
        {wr_v3(0, 5, 0), 1, wr_v3(0, NAN, 0)}, {wr_v3(0, 5, 0), 1, wr_v3(0, -INFINITY, 0)},
        {wr_v3(0, 1, 0), 0.1f, wr_v3(0, 0, 0)}};
    wr_touch_query query = about(balls, 7);
    int count;
    const wr_touch *t = ask(rigid, &query, &count);
    assert_true(count == 1 && t->ball == 6);
    query.ball_count = 0;
    ask(rigid, &query, &count);
    assert_int_equal(count, 0);
    wr_rigid_destroy(rigid);
}

// --- many balls -------------------------------------------------------------------------------

enum { CROWD = 3000 };

// Bodies of all kinds, some of them fast, some of many pieces.
static wr_rigid *make_crowd(int count, uint64_t *seed)
{
    wr_rigid *rigid = make_world(false, true);
    for (int i = 0; i < count; i++) {
        shape s;
        eight_boxes boxes;
        mesh_box mesh;
        make_shape(&s, (wr_shape_kind)(i % 4), seed);
        if (i % 7 == 4) {
            make_shape(&s, WR_SHAPE_HULLS, seed);
        } else if (i % 7 == 5) {
            use_hulls(&s.desc, &boxes, wr_v3(0.5f, 0.5f, 0.5f));
        } else if (i % 7 == 6) {
            use_mesh(&s.desc, &mesh, wr_v3(0.5f, 0.5f, 0.5f));
        }
        s.desc.motion = i % 3 ? WR_MOTION_STATIC : WR_MOTION_MOVING;
        s.desc.velocity = random_point(seed, 30);
        add(rigid, &s.desc);
    }
    return rigid;
}

static void fill_crowd(wr_ball balls[CROWD], uint64_t *seed)
{
    for (int i = 0; i < CROWD; i++) {
        balls[i] = (wr_ball){random_point(seed, 3), random_float(seed, 0.01f, 0.2f), {0, 0, 0}};
        if (i % 3 == 0) {
            balls[i].sweep = random_point(seed, 1);
        }
    }
}

static void answers_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static wr_ball balls[CROWD];
    static wr_touch first[WR_MOST_TOUCHES * CROWD];
    uint64_t seed = 17;
    wr_rigid *rigid = make_crowd(60, &seed);
    step(rigid, DT, DT);
    fill_crowd(balls, &seed);
    wr_touch_query query = about(balls, CROWD);
    query.most = 4;
    query.margin = 0.02f;
    int count, other;
    const wr_touch *t = ask(rigid, &query, &count);
    assert_true(count > CROWD / 4);
    memcpy(first, t, (size_t)count * sizeof *t);
    for (int threads = 1; threads <= 4; threads++) {
        query.tasks = wr_tasks_openmp(threads);
        for (wri_test_block_shuffle = 0; wri_test_block_shuffle < 6; wri_test_block_shuffle++) {
            t = ask(rigid, &query, &other);
            assert_int_equal(other, count);
            assert_memory_equal(t, first, (size_t)count * sizeof *t);
        }
    }
    wri_test_block_shuffle = 0;
    wr_rigid_destroy(rigid);
}

// Rows of balls from everywhere meet more bodies and pieces than a list holds: each gets the same
// answer that it gets alone.
static void a_ball_among_many_touches_what_it_touches_alone(void **state)
{
    (void)state;
    static wr_ball balls[CROWD];
    static wr_touch all[WR_MOST_TOUCHES * CROWD];
    uint64_t seed = 29;
    wr_rigid *rigid = make_crowd(400, &seed);
    step(rigid, DT, DT);
    fill_crowd(balls, &seed);
    wr_touch_query query = about(balls, CROWD);
    query.most = 3;
    int count, at = 0;
    const wr_touch *t = ask(rigid, &query, &count);
    memcpy(all, t, (size_t)count * sizeof *t);
    for (int i = 0; i < CROWD; i++) {
        int alone;
        query = about(&balls[i], 1);
        query.most = 3;
        t = ask(rigid, &query, &alone);
        for (int k = 0; k < alone; k++, at++) {
            wr_touch same = t[k];
            same.ball = i;
            assert_true(at < count);
            assert_memory_equal(&same, &all[at], sizeof same);
        }
    }
    assert_int_equal(at, count);
    wr_rigid_destroy(rigid);
}

static void every_allocation_may_fail_and_none_is_made_twice(void **state)
{
    (void)state;
    static wr_ball balls[CROWD];
    for (int budget = 0;; budget++) {
        counting_heap heap = {.budget = INT32_MAX};
        wr_rigid_desc desc = wr_rigid_desc_default();
        desc.allocator = counting_allocator(&heap);
        wr_rigid *rigid = create(&desc);
        uint64_t seed = 31;
        shape s;
        mesh_box mesh;
        make_shape(&s, WR_SHAPE_HULLS, &seed);
        add(rigid, &s.desc);
        use_mesh(&s.desc, &mesh, wr_v3(1, 1, 1));
        add(rigid, &s.desc);
        fill_crowd(balls, &seed);
        wr_touch_query query = about(balls, CROWD);
        wr_error error = {0};
        int count;
        heap.budget = budget;
        bool ok = wr_rigid_find_touches(rigid, &query, &count, &error) != NULL;
        if (ok) {
            int calls = heap.calls;
            assert_true(count > 0 && wr_rigid_find_touches(rigid, &query, &count, &error));
            assert_int_equal(heap.calls, calls);
        } else {
            assert_int_equal(error.code, WR_E_MEMORY);
        }
        wr_rigid_destroy(rigid);
        assert_int_equal(heap.alive, 0);
        if (ok) {
            assert_true(budget > 5);
            return;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_are_those_of_the_support_function),
        cmocka_unit_test(triangles_are_touched_from_both_sides),
        cmocka_unit_test(a_triangle_has_edges_and_corners),
        cmocka_unit_test(a_plane_is_a_half_space),
        cmocka_unit_test(a_touch_knows_the_body_at_its_point),
        cmocka_unit_test(a_body_is_touched_where_it_is_after_a_substep),
        cmocka_unit_test(new_points_are_touched),
        cmocka_unit_test(a_ball_in_a_corner_touches_three_walls),
        cmocka_unit_test(a_floor_of_many_pieces_is_one_floor),
        cmocka_unit_test(a_fast_ball_is_stopped_by_a_thin_plate),
        cmocka_unit_test(first_touches_are_first),
        cmocka_unit_test(both_sides_must_agree),
        cmocka_unit_test(balls_that_are_not_finite_touch_nothing),
        cmocka_unit_test(answers_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_ball_among_many_touches_what_it_touches_alone),
        cmocka_unit_test(every_allocation_may_fail_and_none_is_made_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
