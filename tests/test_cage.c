// test_cage.c: Catmull-Clark surfaces against closed forms, crease rules, topology, invariance,
// and what the reader of cages takes and refuses.
#include "wrought/cage.h"
#include "wrought/file.h"
#include "folder.h"

static wr_cage *make_cage(wr_cage_counts count)
{
    wr_error error = {0};
    count.groups = count.groups ? count.groups : 1;
    wr_cage *cage = wr_cage_create(count, NULL, &error);
    assert_non_null(cage);
    for (int i = 0; i < count.groups; i++) {
        assert_true(wr_cage_set_group(cage, i, "", "", &error));
    }
    return cage;
}

static void set_quad(wr_cage *cage, int face, int a, int b, int c, int d)
{
    const int corners[4] = {a, b, c, d};
    memcpy(cage->corners + 4 * face, corners, sizeof corners);
    cage->first_corner[face + 1] = 4 * (face + 1);
}

// n x n quads in the plane z = 0, spacing 1.
static wr_cage *make_grid(int n, int creases)
{
    wr_cage *cage = make_cage((wr_cage_counts){(n + 1) * (n + 1), n * n, 4 * n * n, creases, 1});
    for (int i = 0; i < (n + 1) * (n + 1); i++) {
        cage->positions[i] = wr_v3((float)(i % (n + 1)), (float)(i / (n + 1)), 0.0f);
    }
    for (int i = 0; i < n * n; i++) {
        int a = i / n * (n + 1) + i % n;
        set_quad(cage, i, a, a + 1, a + n + 2, a + n + 1);
    }
    return cage;
}

// Corners of a cube of edge 2, numbered by their signs.
static wr_cage *make_cube(int creases)
{
    static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    wr_cage *cage = make_cage((wr_cage_counts){8, 6, 24, creases, 1});
    for (int i = 0; i < 8; i++) {
        cage->positions[i] =
            wr_v3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    }
    for (int i = 0; i < 6; i++) {
        set_quad(cage, i, quads[i][0], quads[i][1], quads[i][2], quads[i][3]);
    }
    return cage;
}

// Consumes the cage.
static wr_cage *subdivide(wr_cage *cage, int levels)
{
    wr_error error = {0};
    wr_cage *fine = wr_cage_subdivide(cage, levels, NULL, &error);
    if (!fine) {
        fail_msg("%s", error.message);
    }
    wr_cage_destroy(cage);
    return fine;
}

// Of a bilinear patch per quad: exact for the polyhedron of any closed cage of quads.
static double volume_of(const wr_cage *cage)
{
    double six = 0.0;
    for (int f = 0; f < cage->count.faces; f++) {
        int first = cage->first_corner[f];
        assert_int_equal(cage->first_corner[f + 1] - first, 4);
        for (int half = 0; half < 4; half++) { // both ways to cut it, each counted half
            const wr_vec3 *p = cage->positions;
            const int *c = cage->corners + first;
            wr_vec3 a = p[c[half]], b = p[c[(half + 1) % 4]], d = p[c[(half + 2) % 4]];
            six += 0.5 * (double)wr_dot(a, wr_cross(b, d));
        }
    }
    return six / 6.0;
}

static int count_edges(const wr_cage *cage)
{
    int edges = 0; // every edge of a closed cage is met from both sides
    for (int f = 0; f < cage->count.faces; f++) {
        edges += cage->first_corner[f + 1] - cage->first_corner[f];
    }
    return edges / 2;
}

// --- closed forms -----------------------------------------------------------------------------

// Cubic B-splines reproduce linear functions; a quadratic x^2 becomes x^2 + 1/3 in the limit.
static void a_regular_grid_is_the_bicubic_b_spline(void **state)
{
    (void)state;
    enum { N = 6 };
    wr_cage *cage = make_grid(N, 0);
    for (int i = 0; i < cage->count.vertices; i++) {
        wr_vec3 *p = &cage->positions[i];
        p->z = p->x * p->x - 0.5f * p->y * p->y + 0.25f * p->x * p->y;
    }
    wr_cage *fine = subdivide(cage, 3);
    wr_vec3 *limit = calloc((size_t)fine->count.vertices, sizeof *limit);
    wr_error error = {0};
    assert_true(wr_cage_find_limit(fine, NULL, limit, &error));
    int seen = 0;
    for (int i = 0; i < fine->count.vertices; i++) {
        double x = (double)limit[i].x, y = (double)limit[i].y;
        if (x > 1.99 && x < N - 1.99 && y > 1.99 && y < N - 1.99) { // the boundary is not felt
            double z = x * x - 0.5 * y * y + 0.25 * x * y + (1.0 - 0.5) / 3.0;
            assert_true(fabs((double)limit[i].z - z) < 1e-5);
            seen++;
        }
    }
    assert_int_equal(seen, 17 * 17);
    free(limit);
    wr_cage_destroy(fine);
}

static void a_boundary_is_a_cubic_b_spline_of_its_own(void **state)
{
    (void)state;
    wr_cage *cage = make_grid(4, 0);
    for (int i = 0; i < cage->count.vertices; i++) {
        wr_vec3 *p = &cage->positions[i];
        p->z = p->y == 0.0f ? p->x * p->x : 7.0f; // what is inside must not matter
    }
    wr_cage *fine = subdivide(cage, 2);
    wr_vec3 *limit = calloc((size_t)fine->count.vertices, sizeof *limit);
    wr_error error = {0};
    assert_true(wr_cage_find_limit(fine, NULL, limit, &error));
    int seen = 0;
    for (int i = 0; i < fine->count.vertices; i++) {
        double x = (double)limit[i].x;
        if (limit[i].y == 0.0f && x > 0.99 && x < 3.01) {
            assert_true(fabs((double)limit[i].z - (x * x + 1.0 / 3.0)) < 1e-5);
            seen++;
        }
    }
    assert_int_equal(seen, 9);
    free(limit);
    wr_cage_destroy(fine);
}

// The limit does not depend on the level at which it is asked for.
static void limits_of_all_levels_agree(void **state)
{
    (void)state;
    wr_cage *one = subdivide(make_cube(0), 1), *three = subdivide(make_cube(0), 3);
    wr_vec3 a[26], *b = calloc((size_t)three->count.vertices, sizeof *b);
    wr_error error = {0};
    assert_int_equal(one->count.vertices, 26);
    assert_true(wr_cage_find_limit(one, NULL, a, &error));
    assert_true(wr_cage_find_limit(three, NULL, b, &error));
    for (int i = 0; i < 26; i++) { // vertices keep their numbers
        assert_true(wr_distance(a[i], b[i]) < 1e-6f);
    }
    // Face points of the cube, by hand: n = 4, all edge points at 3/4, corners at 5/9.
    wr_vec3 top = a[25];
    float largest = wr_maxf(fabsf(top.x), wr_maxf(fabsf(top.y), fabsf(top.z)));
    double by_hand = (16.0 * 1.0 + 4.0 * 4.0 * 0.75 + 4.0 * (5.0 / 9.0)) / 36.0;
    assert_true(fabs((double)largest - by_hand) < 1e-6);
    free(b);
    wr_cage_destroy(one);
    wr_cage_destroy(three);
}

// By hand: corners go to 5/9 of (1, 1, 1), edges to 3/4 of (1, 1, 0), faces stay.
static void the_cube_shrinks_as_computed_by_hand(void **state)
{
    (void)state;
    double before = 8.0;
    wr_cage *one = subdivide(make_cube(0), 1);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs(fabs((double)one->positions[i].x) - 5.0 / 9.0) < 1e-6);
    }
    // A sixth of it per face: four quads from (0,0,1) over (3/4,0,3/4) to 5/9 (1,1,1), by both
    // cuts of each.
    double a = 0.75, c = 5.0 / 9.0;
    double corner[4][3] = {{0, 0, 1}, {a, 0, a}, {c, c, c}, {0, a, a}}, six = 0.0;
    for (int half = 0; half < 4; half++) {
        const double *p = corner[half], *q = corner[(half + 1) % 4], *r = corner[(half + 2) % 4];
        six += 0.5 * (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                      p[2] * (q[0] * r[1] - q[1] * r[0]));
    }
    double first = volume_of(one);
    assert_true(fabs(first - 24.0 * six / 6.0) < 1e-5);
    double last_change = before - first, last = first;
    wr_cage_destroy(one);
    for (int level = 2; level <= 5; level++) { // to its limit, by a factor near 1/4 per level
        wr_cage *fine = subdivide(make_cube(0), level);
        double now = volume_of(fine), change = last - now;
        assert_true(change > 0.0 && change < 0.35 * last_change);
        last_change = change;
        last = now;
        wr_cage_destroy(fine);
    }
}

// --- creases ----------------------------------------------------------------------------------

static void set_all_creases(wr_cage *cube, float sharpness)
{
    int count = 0;
    for (int a = 0; a < 8; a++) {
        for (int bit = 1; bit < 8; bit *= 2) {
            if (!(a & bit)) {
                cube->creases[count++] = (wr_crease){a, a | bit, sharpness};
            }
        }
    }
    assert_int_equal(count, 12);
}

static void a_cube_with_sharp_edges_stays_one(void **state)
{
    (void)state;
    wr_cage *cube = make_cube(12);
    set_all_creases(cube, WR_SHARPNESS_MAX);
    wr_cage *fine = subdivide(cube, 3);
    assert_true(fabs(volume_of(fine) - 8.0) < 1e-5);
    assert_int_equal(fine->count.creases, 12 * 8);
    assert_true(fine->creases[0].sharpness == WR_SHARPNESS_MAX);
    wr_cage_destroy(fine);
}

// Sharpness k is k sharp steps, then smooth ones: the surface of a finer cage that is smooth.
static void a_crease_of_two_is_sharp_for_two_levels(void **state)
{
    (void)state;
    wr_cage *cube = make_cube(12);
    set_all_creases(cube, 2.0f);
    wr_cage *two = subdivide(cube, 2);
    assert_true(fabs(volume_of(two) - 8.0) < 1e-5);
    assert_int_equal(two->count.creases, 0);
    wr_cage *three = subdivide(two, 1);
    double volume = volume_of(three);
    assert_true(volume < 7.999 && volume > 7.5);
    wr_cage_destroy(three);
}

static void fractions_lie_between_and_grow_steadily(void **state)
{
    (void)state;
    double last = 0.0;
    for (int i = 0; i <= 8; i++) {
        wr_cage *cube = make_cube(12);
        set_all_creases(cube, 0.25f * (float)i);
        wr_cage *fine = subdivide(cube, 4);
        double volume = volume_of(fine);
        assert_true(volume > last + 0.01);
        last = volume;
        wr_cage_destroy(fine);
    }
}

// At half sharpness every new vertex is the mean of the sharp and the smooth rule.
static void half_a_crease_is_the_mean_of_both_rules(void **state)
{
    (void)state;
    wr_vec3 at[3][26];
    const float sharpness[3] = {0.0f, 0.5f, 1.0f};
    for (int k = 0; k < 3; k++) {
        wr_cage *cube = make_cube(12);
        set_all_creases(cube, sharpness[k]);
        wr_cage *fine = subdivide(cube, 1);
        memcpy(at[k], fine->positions, sizeof at[k]);
        wr_cage_destroy(fine);
    }
    for (int i = 0; i < 26; i++) {
        wr_vec3 mean = wr_lerp3(at[0][i], at[2][i], 0.5f);
        assert_true(wr_distance(mean, at[1][i]) < 1e-6f);
    }
}

// A vertex with two sharp edges moves along the crease only; with one, a dart, as a smooth one.
static void crease_vertices_follow_their_neighbours_on_the_crease(void **state)
{
    (void)state;
    wr_cage *grid = make_grid(4, 2);
    grid->positions[12].z = 3.0f; // the middle
    grid->positions[17].z = 9.0f; // beside the crease
    grid->creases[0] = (wr_crease){11, 12, 5.0f};
    grid->creases[1] = (wr_crease){12, 13, 5.0f};
    wr_cage *fine = subdivide(grid, 1);
    assert_true(fabsf(fine->positions[12].z - 0.75f * 3.0f) < 1e-6f);
    assert_true(fabsf(fine->positions[12].x - 2.0f) < 1e-6f);
    // The dart at its end is smooth: of its faces one has the middle, one the middle and the other
    // vertex; of its edges one leads to the middle.
    float q = (3.0f / 4.0f + (3.0f + 9.0f) / 4.0f) / 4.0f, r = 0.5f * 3.0f / 4.0f;
    CHECK_NEAR((double)fine->positions[13].z, (double)((q + 2.0f * r) / 4.0f), 1e-6);
    assert_int_equal(fine->count.creases, 4);
    wr_cage_destroy(fine);
}

static void a_sharp_vertex_stays_where_it_is(void **state)
{
    (void)state;
    wr_cage *cube = make_cube(0);
    cube->sharpness[3] = WR_SHARPNESS_MAX;
    cube->sharpness[5] = 0.5f;
    wr_cage *fine = subdivide(cube, 1);
    assert_true(wr_distance(fine->positions[3], wr_v3(1.0f, 1.0f, -1.0f)) == 0.0f);
    float half = 0.5f * (1.0f + 5.0f / 9.0f);
    assert_true(wr_distance(fine->positions[5], wr_v3(half, -half, half)) < 1e-6f);
    wr_cage_destroy(fine);
}

// --- topology ---------------------------------------------------------------------------------

static void euler_characteristic_is_kept(void **state)
{
    (void)state;
    // A pyramid on a pentagon: triangles and a pentagon at once; chi = 2.
    wr_cage *cage = make_cage((wr_cage_counts){6, 6, 20, 0, 1});
    for (int i = 0; i < 5; i++) {
        float a = 2.0f * WR_PI * (float)i / 5.0f;
        cage->positions[i] = wr_v3(cosf(a), sinf(a), 0.0f);
        int *c = cage->corners + 3 * i;
        c[0] = i;
        c[1] = (i + 1) % 5;
        c[2] = 5;
        cage->corners[15 + i] = 4 - i;
        cage->first_corner[i + 1] = 3 * (i + 1);
    }
    cage->first_corner[6] = 20;
    cage->positions[5] = wr_v3(0.1f, -0.2f, 1.5f);
    for (int level = 1; level <= 3; level++) {
        wr_cage *fine = wr_cage_subdivide(cage, level, NULL, NULL);
        assert_non_null(fine);
        assert_int_equal(fine->count.vertices - count_edges(fine) + fine->count.faces, 2);
        assert_int_equal(fine->count.faces, 20 << (2 * (level - 1)));
        wr_cage_destroy(fine);
    }
    wr_cage_destroy(cage);
}

static void faces_keep_their_groups_and_names(void **state)
{
    (void)state;
    wr_cage *cage = make_cage((wr_cage_counts){6, 2, 8, 0, 2});
    wr_error error = {0};
    for (int i = 0; i < 6; i++) {
        cage->positions[i] = wr_v3((float)(i % 3), (float)(i / 3), 0.0f);
    }
    set_quad(cage, 0, 0, 1, 4, 3);
    set_quad(cage, 1, 1, 2, 5, 4);
    cage->face_group[1] = 1;
    assert_true(wr_cage_set_group(cage, 1, "door", "paint", &error));
    wr_cage *fine = subdivide(cage, 2);
    assert_string_equal(fine->groups[1].name, "door");
    assert_string_equal(fine->groups[1].look, "paint");
    for (int f = 0; f < fine->count.faces; f++) {
        assert_int_equal(fine->face_group[f], f / 16);
    }
    wr_cage_destroy(fine);
}

// --- invariance -------------------------------------------------------------------------------

static wr_cage *make_lopsided(void)
{
    wr_cage *cage = make_cube(3);
    for (int i = 0; i < 8; i++) {
        wr_vec3 *p = &cage->positions[i];
        *p = wr_add(*p, wr_v3(0.3f * (float)(i % 3), -0.2f * (float)(i % 5), 0.1f * (float)i));
    }
    cage->creases[0] = (wr_crease){0, 1, 1.3f};
    cage->creases[1] = (wr_crease){1, 3, 0.7f};
    cage->creases[2] = (wr_crease){3, 7, 2.5f};
    cage->sharpness[6] = 1.5f;
    return cage;
}

static void turning_the_cage_turns_the_surface(void **state)
{
    (void)state;
    wr_quat q = wr_quat_from_axis_angle(wr_normalize(wr_v3(1.0f, -2.0f, 0.5f)), 1.1f);
    wr_vec3 shift = wr_v3(3.0f, -7.0f, 2.0f);
    wr_cage *still = subdivide(make_lopsided(), 3), *turned = make_lopsided();
    for (int i = 0; i < 8; i++) {
        turned->positions[i] = wr_add(wr_scale(2.0f, wr_rotate(q, turned->positions[i])), shift);
    }
    turned = subdivide(turned, 3);
    for (int i = 0; i < still->count.vertices; i++) {
        wr_vec3 p = wr_add(wr_scale(2.0f, wr_rotate(q, still->positions[i])), shift);
        assert_true(wr_distance(p, turned->positions[i]) < 1e-5f);
    }
    wr_cage_destroy(still);
    wr_cage_destroy(turned);
}

// Neither the order of faces nor the corner they begin with moves anything.
static void the_order_of_faces_and_corners_does_not_matter(void **state)
{
    (void)state;
    wr_cage *one = subdivide(make_lopsided(), 1), *cage = make_lopsided();
    int old[24];
    memcpy(old, cage->corners, sizeof old);
    for (int f = 0; f < 6; f++) {
        for (int k = 0; k < 4; k++) {
            cage->corners[4 * f + k] = old[4 * (5 - f) + (k + f) % 4];
        }
    }
    wr_cage *other = subdivide(cage, 1);
    for (int i = 0; i < 20; i++) { // vertices, then edges in order of their ends
        assert_true(wr_distance(one->positions[i], other->positions[i]) < 1e-6f);
    }
    for (int f = 0; f < 6; f++) {
        assert_true(wr_distance(one->positions[20 + f], other->positions[25 - f]) < 1e-6f);
    }
    wr_cage_destroy(one);
    wr_cage_destroy(other);
}

// --- refusals ---------------------------------------------------------------------------------

static void refuse(wr_cage *cage, const char *words)
{
    wr_error error = {0};
    assert_null(wr_cage_subdivide(cage, 1, NULL, &error));
    assert_non_null(strstr(error.message, words));
    wr_cage_destroy(cage);
}

static void bad_cages_are_refused_in_a_sentence(void **state)
{
    (void)state;
    wr_cage *cage = make_cube(0);
    cage->corners[5] = 8;
    refuse(cage, "face 1: vertex 8 does not exist");
    cage = make_cube(0);
    cage->corners[1] = 0;
    refuse(cage, "face 0 has vertex 0 twice");
    cage = make_cube(1);
    cage->creases[0] = (wr_crease){0, 7, 1.0f};
    refuse(cage, "from vertex 0 to 7, where there is no edge");
    cage = make_cube(1);
    cage->creases[0] = (wr_crease){0, 1, 11.0f};
    refuse(cage, "sharpness 11, expected 0 to 10");
    cage = make_cube(0);
    set_quad(cage, 1, 0, 2, 3, 1);
    refuse(cage, "face different sides");
    cage = make_cube(0);
    cage->positions[2].y = NAN;
    refuse(cage, "vertex 2 is not finite");
    cage = make_cube(0);
    cage->face_group[4] = 1;
    refuse(cage, "face 4: group 1 does not exist");
    cage = make_grid(1, 0);
    cage->first_corner[1] = 2;
    refuse(cage, "face 0 has 2 corners");
    wr_error error = {0};
    assert_null(wr_cage_create((wr_cage_counts){-1, 0, 0, 0, 0}, NULL, &error));
}

// --- files ------------------------------------------------------------------------------------

static wr_cage *read_text(const char *text, const wr_allocator *allocator, wr_error *error)
{
    char path[600];
    snprintf(path, sizeof path, "%s/cage.obj", folder.path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
    return wr_cage_read(path, allocator, error);
}

static const char TENT[] = "# half a tent\r\n#mirror x\r\nv 0 1 0\r\nv 0 1 2\nv 1 0 2\nv 1 0 0\n"
                           "g cloth side\nusemtl canvas\nf 1/1 2//3 3 -1\n#crease 2.5 1 2 3\n"
                           "#corner 4 -1\n";

static void a_file_has_faces_groups_creases_and_a_mirror_image(void **state)
{
    (void)state;
    wr_error error = {0};
    wr_cage *cage = read_text(TENT, NULL, &error);
    assert_non_null(cage);
    assert_int_equal(cage->count.vertices, 6);
    assert_int_equal(cage->count.faces, 2);
    assert_int_equal(cage->count.creases, 4);
    assert_int_equal(cage->count.groups, 1);
    assert_string_equal(cage->groups[0].name, "cloth side");
    assert_string_equal(cage->groups[0].look, "canvas");
    assert_true(cage->creases[1].from == 1 && cage->creases[1].to == 2);
    assert_true(cage->sharpness[3] == 4.0f && cage->sharpness[5] == 4.0f);
    assert_true(cage->positions[4].x == -1.0f);
    wr_cage *fine = subdivide(cage, 2); // the halves are joined and face the same side
    assert_int_equal(fine->count.faces, 32);
    wr_cage_destroy(fine);
}

static void files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } bad[] = {
        {"v 0 0 0\nf 1 2 3\n", ":2: vertex 2 does not exist, there are 1 so far"},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", ":3: f: expected at least three corners"},
        {"v 0 0\nv 1 0 0\n", ":1: the line ends here, expected a coordinate"},
        {"v 0 x 0\n", ":1: \"x\" "},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n#crease 11 1 2\n", ":5: sharpness 11"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n#crease 1 1\n", ":5: #crease: expected at least two"},
        {"v 0 0 0\n#corner 4 1 # first\n", ":2: \"#\" is not a vertex"},
        {"v 0 0 0\n#mirror y\n", ":2: #mirror: expected x"},
        {"v 0 0 0\n", "there are no faces"},
    };
    for (int i = 0; i < WRI_COUNT(bad); i++) {
        wr_error error = {0};
        assert_null(read_text(bad[i].text, NULL, &error));
        if (!strstr(error.message, bad[i].words)) {
            fail_msg("%s", error.message);
        }
    }
}

// Every request for memory is refused in turn: a sentence, and nothing is left.
static void running_out_of_memory_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        wr_vec3 limit[64];
        wr_cage *cage = read_text(TENT, &allocator, &error);
        wr_cage *fine = cage ? wr_cage_subdivide(cage, 2, &allocator, &error) : NULL;
        assert_true(!fine || fine->count.vertices <= WRI_COUNT(limit));
        done = fine && wr_cage_find_limit(fine, &allocator, limit, &error);
        assert_int_equal(error.code, done ? WR_OK : WR_E_MEMORY);
        wr_cage_destroy(fine);
        wr_cage_destroy(cage);
        assert_int_equal(heap.alive, 0);
        assert_true(budget < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regular_grid_is_the_bicubic_b_spline),
        cmocka_unit_test(a_boundary_is_a_cubic_b_spline_of_its_own),
        cmocka_unit_test(limits_of_all_levels_agree),
        cmocka_unit_test(the_cube_shrinks_as_computed_by_hand),
        cmocka_unit_test(a_cube_with_sharp_edges_stays_one),
        cmocka_unit_test(a_crease_of_two_is_sharp_for_two_levels),
        cmocka_unit_test(fractions_lie_between_and_grow_steadily),
        cmocka_unit_test(half_a_crease_is_the_mean_of_both_rules),
        cmocka_unit_test(crease_vertices_follow_their_neighbours_on_the_crease),
        cmocka_unit_test(a_sharp_vertex_stays_where_it_is),
        cmocka_unit_test(euler_characteristic_is_kept),
        cmocka_unit_test(faces_keep_their_groups_and_names),
        cmocka_unit_test(turning_the_cage_turns_the_surface),
        cmocka_unit_test(the_order_of_faces_and_corners_does_not_matter),
        cmocka_unit_test(bad_cages_are_refused_in_a_sentence),
        cmocka_unit_test(a_file_has_faces_groups_creases_and_a_mirror_image),
        cmocka_unit_test(files_are_refused_with_line_and_reason),
        cmocka_unit_test(running_out_of_memory_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests_name("cage", tests, set_up, tear_down);
}
