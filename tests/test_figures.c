// test_figures.c: the figures of the demo scenes, and the modeller that makes them.
#include "check.h"

#include "wrought/file.h"
#include "../src/base/os.h"
#include "../tools/figure_field.h"
#include "../tools/net.h"

typedef struct expectation {
    const char *name;
    int vertices[2]; // places, from and to
    int bytes;
    float mass[2];   // of water, kg
    float height[2]; // m
    float uneven;    // longest edge by shortest
    int joints;      // 0: it is rigid
    bool animal;     // it stands, has eyes and can nod
    const char *loops[2], *onces[2];
} expectation;

static const expectation FIGURES[] = {
    {"rabbit", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 14, true},
    {"hen", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 31, true},
    {"pig", {5500, 6000}, 600000, {3.0f, 12.0f}, {0.28f, 0.4f}, 16.0f, 22, true},
    {"tyre", {3500, 4200}, 300000, {35.0f, 50.0f}, {0.59f, 0.6f}, 3.0f},
    {"pumpkin", {3800, 4200}, 300000, {24.0f, 32.0f}, {0.3f, 0.4f}, 3.2f},
    {"tube", {285, 300}, 50000, {9.0f, 12.0f}, {0.12f, 0.122f}, 2.5f, 5},
    {"snake", {3000, 3200}, 400000, {10.0f, 15.0f}, {0.1f, 0.12f}, 3.0f, 16, .loops = {"slither"}},
    {"fish", {3200, 3600}, 400000, {8.0f, 13.0f}, {0.35f, 0.38f}, 3.4f, 9, .loops = {"swim"}},
    {"deer", {8200, 8500}, 800000, {180, 240}, {2, 2.1f}, 3.5f, 34, true, {"walk", "look"}},
    {"deer-light",
     {1700, 1800},
     250000,
     {180, 240},
     {1.7f, 1.8f},
     4.4f,
     34,
     true,
     {"walk", "look"}},
    {"bird", {1700, 2000}, 150000, {1.5f, 2.5f}, {0.14f, 0.15f}, 3.6f},
    {"hand", {3800, 4200}, 400000, {4, 5}, {0.37f, 0.4f}, 3.6f, 17, .onces = {"close", "open"}},
    {"fist", {2600, 3000}, 300000, {4, 6}, {0.23f, 0.25f}, 3.0f, 1},
    {"head", {3900, 4300}, 400000, {11, 16}, {0.36f, 0.38f}, 3.6f, 1},
};
// A right hand is no mirror image of itself.
static bool is_whole(const expectation *e)
{
    return strcmp(e->name, "hand") == 0 || strcmp(e->name, "fist") == 0;
}

enum { FIGURE_COUNT = WRI_COUNT(FIGURES), OLDER = 3 };
static const float LEAST_ANGLE = 20.0f; // degrees

typedef struct fixture {
    wri_arena arena;
    const char *paths[FIGURE_COUNT];
    wr_model *models[FIGURE_COUNT];
} fixture;

static int read_figures(void **state)
{
    const char *scenes = getenv("WROUGHT_SCENES");
    if (!scenes) {
        *state = NULL;
        return 0;
    }
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->arena = wri_arena_create(NULL);
    for (int i = 0; i < FIGURE_COUNT; i++) {
        wr_error error = {0};
        f->paths[i] = wri_arena_printf(&f->arena, "%s/models/%s.glb", scenes, FIGURES[i].name);
        f->models[i] = wr_model_read(f->paths[i], NULL, &error);
        if (!f->models[i]) {
            print_error("%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

static int free_figures(void **state)
{
    fixture *f = *state;
    for (int i = 0; f && i < FIGURE_COUNT; i++) {
        wr_model_destroy(f->models[i]);
    }
    if (f) {
        wri_arena_destroy(&f->arena);
        free(f);
    }
    return 0;
}

// One of the figures per call; NULL behind the last.
static const wr_model *figure_at(void **state, int i)
{
    fixture *f = *state;
    if (!f) {
        print_message("WROUGHT_SCENES is not set; no figures to look at\n");
        skip();
    }
    return i < FIGURE_COUNT ? f->models[i] : NULL;
}

static int compare_places(const void *a, const void *b)
{
    const float *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

// --- shape ------------------------------------------------------------------------------------

typedef struct welded {
    int count;
    wr_vec3 *places; // sorted, no two alike
} welded;

static welded weld(const wr_mesh *mesh)
{
    welded w = {0};
    w.places = calloc((size_t)mesh->vertex_count, sizeof *w.places);
    memcpy(w.places, mesh->positions, (size_t)mesh->vertex_count * sizeof *w.places);
    qsort(w.places, (size_t)mesh->vertex_count, sizeof *w.places, compare_places);
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (i == 0 || compare_places(&w.places[w.count - 1], &w.places[i]) != 0) {
            w.places[w.count++] = w.places[i];
        }
    }
    return w;
}

static int find_place(const welded *w, wr_vec3 p)
{
    p.x = p.x == 0.0f ? 0.0f : p.x; // there is a negative zero
    const wr_vec3 *found =
        bsearch(&p, w->places, (size_t)w->count, sizeof *w->places, compare_places);
    return found ? (int)(found - w->places) : -1;
}

static net net_of_mesh(const wr_mesh *mesh, const welded *w)
{
    net n = net_create();
    for (int i = 0; i < w->count; i++) {
        net_add_vertex(&n, w->places[i]);
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        int corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = find_place(w, mesh->positions[mesh->triangles[3 * t + k]]);
        }
        net_add_triangle(&n, corners[0], corners[1], corners[2]);
    }
    net_join_twins(&n);
    return n;
}

// A closed surface has a neighbour across every edge that runs the other way, and one fan of
// triangles around every vertex: then Euler's number is even, 2 for a ball.
static int euler_number(const net *n)
{
    int corners = 0;
    for (int h = 0; h < 3 * n->triangle_count; h++) {
        assert_true(n->twin[h] >= 0 && n->twin[n->twin[h]] == h);
        assert_int_equal(n->corner[n->twin[h]], net_head(n, h));
    }
    for (int v = 0; v < n->vertex_count; v++) {
        int ring[NET_MAX_RING];
        corners += net_ring(n, v, ring);
    }
    assert_int_equal(corners, 3 * n->triangle_count);
    return n->vertex_count - n->triangle_count / 2;
}

static void a_figure_is_one_ball_of_clay(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        assert_int_equal(m->mesh_count, 1);
        welded w = weld(mesh);
        net n = net_of_mesh(mesh, &w);
        int *shells = calloc((size_t)mesh->vertex_count, sizeof *shells);
        wr_mass_properties mass = {0};
        const float *range = FIGURES[i].mass;
        wr_mesh_report report = {0};
        assert_int_equal(euler_number(&n), 2);
        assert_int_equal(wr_mesh_find_shells(mesh, shells), 1);
        assert_true(wr_mesh_inspect(mesh, NULL, &report, NULL));
        assert_int_equal(report.self_intersections, 0);
        assert_true(wr_mesh_find_mass(mesh, 1000.0, &mass, NULL));
        assert_true(mass.mass > (double)range[0] && mass.mass < (double)range[1]);
        assert_in_range(w.count, FIGURES[i].vertices[0], FIGURES[i].vertices[1]);
        assert_true(fabs(mass.center[0]) < 1e-6 || is_whole(&FIGURES[i]));
        free(shells);
        net_destroy(&n);
        free(w.places);
    }
}

static float least_angle(const wr_mesh *mesh)
{
    float least = 180.0f;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *c = mesh->triangles + i / 3 * 3;
        wr_vec3 at = mesh->positions[c[i % 3]];
        wr_vec3 u = wr_sub(mesh->positions[c[(i + 1) % 3]], at);
        wr_vec3 v = wr_sub(mesh->positions[c[(i + 2) % 3]], at);
        float angle = atan2f(wr_length(wr_cross(u, v)), wr_dot(u, v));
        least = fminf(least, 180.0f / WR_PI * angle);
    }
    return least;
}

// The longest edge by the shortest one.
static float find_unevenness(const wr_mesh *mesh)
{
    float shortest = 1e9f, longest = 0.0f;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        const int *c = mesh->triangles + i / 3 * 3;
        float edge = wr_distance(mesh->positions[c[i % 3]], mesh->positions[c[(i + 1) % 3]]);
        shortest = fminf(shortest, edge);
        longest = fmaxf(longest, edge);
    }
    return longest / shortest;
}

static void triangles_are_even_and_none_is_a_sliver(void **state)
{
    fixture *f = *state;
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        float least = least_angle(mesh), uneven = find_unevenness(mesh);
        print_message("%s: %d triangles, least angle %.1f degrees, edges 1 to %.1f\n",
                      FIGURES[i].name, mesh->triangle_count, (double)least, (double)uneven);
        assert_in_range(wri_file_size(f->paths[i]), 1, FIGURES[i].bytes);
        assert_true(least > LEAST_ANGLE);
        assert_true(uneven < FIGURES[i].uneven);
    }
}

static void normals_are_unit_and_on_the_side_of_their_triangles(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        for (int k = 0; k < 3 * mesh->triangle_count; k++) {
            const int *c = mesh->triangles + k / 3 * 3;
            wr_vec3 a = mesh->positions[c[0]], n = mesh->normals[mesh->triangles[k]];
            wr_vec3 b = wr_sub(mesh->positions[c[1]], a), d = wr_sub(mesh->positions[c[2]], a);
            assert_true(fabsf(wr_length(n) - 1.0f) < 1e-4f);
            assert_true(wr_dot(wr_cross(b, d), n) > 0.0f);
        }
    }
}

static void it_stands_on_the_floor_and_looks_along_z(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        wr_box box = wr_mesh_bounds(mesh);
        wr_vec3 eye = {0};
        assert_true(box.max.y > FIGURES[i].height[0] && box.max.y < FIGURES[i].height[1]);
        assert_true(box.min.y >= 0.0f);
        if (!FIGURES[i].animal) {
            continue;
        }
        assert_true(box.min.y == 0.0f);
        for (int k = 0; k < mesh->part_count; k++) {
            if (strcmp(m->looks[mesh->parts[k].look].name, "eye") == 0) {
                eye = mesh->positions[mesh->triangles[3 * mesh->parts[k].first_triangle]];
            }
        }
        assert_true(eye.z > 0.0f && eye.y > 0.5f * box.max.y);
    }
}

// --- symmetry ---------------------------------------------------------------------------------

static bool same_color(wr_color a, wr_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

// The joint on the other side, or the joint itself.
static int find_opposite(const wr_model *m, int joint)
{
    char name[64];
    const wr_model_skin *skin = &m->skins[0];
    const char *own = m->nodes[skin->joints[joint]].name;
    size_t length = strlen(own);
    snprintf(name, sizeof name, "%s", own);
    if (length > 2 && own[length - 2] == '.') {
        name[length - 1] = own[length - 1] == 'L' ? 'R' : 'L';
    } else if (strncmp(own, "left ", 5) == 0) {
        snprintf(name, sizeof name, "right %s", own + 5);
    } else if (strncmp(own, "right ", 6) == 0) {
        snprintf(name, sizeof name, "left %s", own + 6);
    }
    for (int i = 0; i < skin->joint_count; i++) {
        if (strcmp(m->nodes[skin->joints[i]].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static float weight_of(const wr_mesh *mesh, int vertex, int joint)
{
    for (int k = 0; k < mesh->influence_count; k++) {
        int at = vertex * mesh->influence_count + k;
        if (mesh->joints[at] == joint && mesh->weights[at] > 0.0f) {
            return mesh->weights[at];
        }
    }
    return 0.0f;
}

static void check_twin(const wr_model *m, int a, int b)
{
    const wr_mesh *mesh = &m->meshes[0];
    for (int k = 0; k < mesh->influence_count; k++) {
        int joint = mesh->joints[a * mesh->influence_count + k];
        int opposite = find_opposite(m, joint);
        assert_true(opposite >= 0);
        assert_true(fabsf(weight_of(mesh, a, joint) - weight_of(mesh, b, opposite)) < 1e-6f);
    }
}

// Vertices with colours, mirrored or not, in an order of their own.
typedef struct point {
    float at[3];
    wr_color color;
    int vertex;
} point;

static int compare_points(const void *a, const void *b)
{
    const point *x = a, *y = b;
    int place = compare_places(x->at, y->at);
    return place ? place : memcmp(&x->color, &y->color, sizeof x->color);
}

static point *sort_points(const wr_mesh *mesh, float side)
{
    point *points = calloc((size_t)mesh->vertex_count, sizeof *points);
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i];
        float x = p.x == 0.0f ? 0.0f : side * p.x;
        points[i] = (point){{x, p.y, p.z}, mesh->colors[i], i};
    }
    qsort(points, (size_t)mesh->vertex_count, sizeof *points, compare_points);
    return points;
}

static void the_right_is_the_left_in_a_mirror(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        if (is_whole(&FIGURES[i])) {
            continue;
        }
        point *here = sort_points(mesh, 1.0f), *there = sort_points(mesh, -1.0f);
        for (int k = 0; k < mesh->vertex_count; k++) {
            assert_int_equal(compare_places(here[k].at, there[k].at), 0);
            assert_true(same_color(here[k].color, there[k].color));
            if (FIGURES[i].joints > 0) {
                check_twin(m, here[k].vertex, there[k].vertex);
            }
        }
        free(here);
        free(there);
    }
}

// --- skin -------------------------------------------------------------------------------------

static void check_weights(const wr_mesh *mesh)
{
    assert_in_range(mesh->influence_count, 1, 4);
    for (int v = 0; v < mesh->vertex_count; v++) {
        double sum = 0.0;
        for (int k = 0; k < mesh->influence_count; k++) {
            float weight = mesh->weights[v * mesh->influence_count + k];
            assert_true(weight >= 0.0f);
            sum += (double)weight;
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
    }
}

static void weights_of_a_vertex_add_up_to_one(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        if (FIGURES[i].joints > 0) {
            check_weights(&m->meshes[0]);
        }
    }
}

// By how much of the weights two neighbours differ at most.
static float find_step(const wr_mesh *mesh)
{
    float most = 0.0f;
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        int a = mesh->triangles[i], b = mesh->triangles[i / 3 * 3 + (i + 1) % 3];
        float step = 0.0f;
        for (int k = 0; k < mesh->influence_count; k++) {
            int at = a * mesh->influence_count + k;
            float other = weight_of(mesh, b, mesh->joints[at]);
            step += fmaxf(mesh->weights[at] - other, 0.0f);
        }
        most = fmaxf(most, step);
    }
    return most;
}

static void weights_of_flesh_are_smooth(void **state)
{
    const wr_model *m;
    for (int i = OLDER; (m = figure_at(state, i)); i++) {
        assert_true(find_step(&m->meshes[0]) < 0.55f);
    }
}

static void find_bent(const wr_model *m, const wr_clip *clip, double time, wr_vec3 *bent)
{
    wr_mat34 *world = calloc((size_t)m->node_count, sizeof *world);
    wr_mat34 *joints = calloc((size_t)m->skins[0].joint_count, sizeof *joints);
    wr_model_pose(m, clip, time, world, NULL);
    wr_model_skin_matrices(&m->skins[0], world, joints);
    wr_mesh_deform(&m->meshes[0], NULL, NULL, joints, bent, NULL);
    free(world);
    free(joints);
}

static int find_node(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->node_count; i++) {
        if (strcmp(m->nodes[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// The largest distance that a vertex below a height moved.
static float find_way_below(const wr_mesh *mesh, const wr_vec3 *bent, float height)
{
    float most = 0.0f;
    for (int v = 0; v < mesh->vertex_count; v++) {
        float way = wr_distance(bent[v], mesh->positions[v]);
        most = mesh->positions[v].y < height ? fmaxf(most, way) : most;
    }
    return most;
}

// The smallest distance that a vertex of an eye moved.
static float find_way_of_eyes(const wr_model *m, const wr_vec3 *bent)
{
    const wr_mesh *mesh = &m->meshes[0];
    float least = 1.0f;
    for (int k = 0; k < mesh->part_count; k++) {
        const wr_mesh_part *part = &mesh->parts[k];
        bool eye = strcmp(m->looks[part->look].name, "eye") == 0;
        for (int c = 0; c < 3 * part->triangle_count && eye; c++) {
            int v = mesh->triangles[3 * part->first_triangle + c];
            least = fminf(least, wr_distance(bent[v], mesh->positions[v]));
        }
    }
    return least;
}

// At rest it is as modelled. When it nods, the eyes go with the head and the feet stay.
static void joints_bend_it_where_they_should(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        int head = find_node(m, "head");
        if (!FIGURES[i].animal) {
            continue;
        }
        wr_vec3 *bent = calloc((size_t)mesh->vertex_count, sizeof *bent);
        assert_true(head >= 0);
        find_bent(m, NULL, 0.0, bent);
        assert_true(find_way_below(mesh, bent, 1e9f) < 1e-6f);
        m->nodes[head].pose.rotation = wr_quat_from_axis_angle(wr_v3(1.0f, 0.0f, 0.0f), 0.3f);
        find_bent(m, NULL, 0.0, bent);
        m->nodes[head].pose.rotation = WR_QUAT_IDENTITY;
        assert_true(find_way_below(mesh, bent, 0.02f) < 1e-6f);
        assert_true(find_way_of_eyes(m, bent) > 0.005f);
        free(bent);
    }
}

// How often the surface winds around a point: 1 inside. Each triangle counts by its solid angle.
static double find_winding(const wr_mesh *mesh, wr_vec3 p)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        wr_vec3 x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = wr_sub(mesh->positions[mesh->triangles[3 * t + k]], p);
        }
        float a = wr_length(x[0]), b = wr_length(x[1]), c = wr_length(x[2]);
        float volume = wr_dot(x[0], wr_cross(x[1], x[2]));
        float rest =
            a * b * c + wr_dot(x[0], x[1]) * c + wr_dot(x[1], x[2]) * a + wr_dot(x[2], x[0]) * b;
        sum += 2.0 * atan2((double)volume, (double)rest);
    }
    return sum / (4.0 * (double)WR_PI);
}

static void joints_are_one_tree_inside_the_figure(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_model_skin *skin = m->skins;
        int roots = 0, count = m->skin_count ? skin->joint_count : 0;
        assert_int_equal(count, FIGURES[i].joints);
        for (int k = 0; k < count; k++) {
            const float(*bind)[4] = skin->inverse_bind[k].m;
            const wr_node *node = &m->nodes[skin->joints[k]];
            wr_vec3 p = wr_v3(-bind[0][3], -bind[1][3], -bind[2][3]);
            roots += node->parent < 0;
            assert_int_equal(find_node(m, node->name), skin->joints[k]);
            // Of a ball of the older figures it is the pole, which may stand out a little.
            assert_true(find_winding(&m->meshes[0], p) > 0.9 || i < OLDER);
        }
        assert_int_equal(roots, count > 0);
    }
}

// --- clips ------------------------------------------------------------------------------------

static const wr_clip *find_clip(const wr_model *m, const char *name)
{
    for (int i = 0; i < m->clip_count; i++) {
        if (strcmp(m->clips[i].name, name) == 0) {
            return &m->clips[i];
        }
    }
    fail_msg("there is no clip %s", name);
    return NULL;
}

static void check_loop(const wr_clip *clip)
{
    for (int t = 0; t < clip->track_count; t++) {
        const wr_track *track = &clip->tracks[t];
        const float *last = track->values + 4 * (track->key_count - 1);
        assert_int_equal(track->channel, WR_CHANNEL_ROTATION);
        assert_memory_equal(track->values, last, 4 * sizeof *last);
        assert_true(track->times[0] == 0.0f);
        assert_true((double)track->times[track->key_count - 1] == wr_clip_length(clip));
    }
}

static void a_clip_moves_it_and_ends_as_it_began(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        wr_vec3 *bent = calloc((size_t)m->meshes[0].vertex_count, sizeof *bent);
        int count = 0;
        for (int k = 0; k < 2 && FIGURES[i].loops[k]; k++) {
            const wr_clip *clip = find_clip(m, FIGURES[i].loops[k]);
            check_loop(clip);
            find_bent(m, clip, 0.25 * wr_clip_length(clip), bent);
            assert_true(find_way_below(&m->meshes[0], bent, 1e9f) > 0.04f);
            count++;
        }
        assert_int_equal(m->clip_count, count + (FIGURES[i].onces[0] ? 2 : 0));
        free(bent);
    }
}

static wr_vec3 find_tip(const wr_model *m, const wr_clip *clip, double time, const char *joint)
{
    wr_mat34 *world = calloc((size_t)m->node_count, sizeof *world);
    wr_model_pose(m, clip, time, world, NULL);
    const float(*at)[4] = world[find_node(m, joint)].m;
    wr_vec3 place = wr_v3(at[0][3], at[1][3], at[2][3]);
    free(world);
    return place;
}

// What one clip does the other undoes; closed, the tips of the fingers are before the palm.
static void a_hand_closes_and_opens(void **state)
{
    static const char *const TIPS[] = {"index finger 3", "middle finger 3", "ring finger 3",
                                       "little finger 3", "thumb 3"};
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        if (!FIGURES[i].onces[0]) {
            continue;
        }
        const wr_clip *close = find_clip(m, "close"), *open = find_clip(m, "open");
        double length = wr_clip_length(close);
        for (int k = 0; k < WRI_COUNT(TIPS); k++) {
            wr_vec3 rest = find_tip(m, NULL, 0.0, TIPS[k]);
            wr_vec3 start = find_tip(m, close, 0.0, TIPS[k]);
            wr_vec3 closed = find_tip(m, close, length, TIPS[k]);
            assert_true(wr_distance(rest, start) < 1e-6f);
            assert_true(wr_distance(rest, find_tip(m, open, length, TIPS[k])) < 1e-6f);
            assert_true(wr_distance(closed, find_tip(m, open, 0.0, TIPS[k])) < 1e-6f);
            assert_true(closed.z > 0.04f && closed.y < 0.23f);
        }
    }
}

// --- gear and ridges --------------------------------------------------------------------------

static wr_model *read_other(const char *name)
{
    char path[4096];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/models/%s.glb", getenv("WROUGHT_SCENES"), name);
    wr_model *m = wr_model_read(path, NULL, &error);
    if (!m) {
        fail_msg("%s", error.message);
    }
    return m;
}

// A gear has a bore: its Euler number is 0.
static void gear_and_ridges_are_closed_and_small(void **state)
{
    static const struct {
        const char *name;
        int euler, triangles;
        float least_angle;
    } OTHERS[] = {{"gear", 0, 2000, 14.0f}, {"ridges", 2, 9000, 14.0f}};
    figure_at(state, 0);
    for (int i = 0; i < WRI_COUNT(OTHERS); i++) {
        wr_model *m = read_other(OTHERS[i].name);
        const wr_mesh *mesh = &m->meshes[0];
        wr_mesh_report report = {0};
        welded w = weld(mesh);
        net n = net_of_mesh(mesh, &w);
        assert_int_equal(euler_number(&n), OTHERS[i].euler);
        assert_in_range(mesh->triangle_count, 1000, OTHERS[i].triangles);
        assert_true(least_angle(mesh) > OTHERS[i].least_angle);
        assert_true(wr_mesh_inspect(mesh, NULL, &report, NULL) && report.is_sound);
        assert_int_equal(m->skin_count, 0);
        net_destroy(&n);
        free(w.places);
        wr_model_destroy(m);
    }
}

enum { HOOVES = 4 };
static const char *const HOOF_NAMES[HOOVES] = {"left hind hoof", "left front hoof",
                                               "right hind hoof", "right front hoof"};

// How high the lowest vertex of every hoof is.
static void find_soles(const wr_model *m, const wr_vec3 *bent, float soles[HOOVES])
{
    const wr_mesh *mesh = &m->meshes[0];
    for (int k = 0; k < HOOVES; k++) {
        int joint = find_node(m, HOOF_NAMES[k]) - 1;
        soles[k] = 1.0f;
        for (int v = 0; v < mesh->vertex_count; v++) {
            bool own = weight_of(mesh, v, joint) > 0.5f;
            soles[k] = own ? fminf(soles[k], bent[v].y) : soles[k];
        }
    }
}

// All lie on the ground but for one or two, which are up one after another.
static void a_deer_walks_on_its_hooves(void **state)
{
    enum { TIMES = 48 };
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        if (!FIGURES[i].loops[0] || strcmp(FIGURES[i].loops[0], "walk") != 0) {
            continue;
        }
        const wr_clip *walk = find_clip(m, "walk");
        wr_vec3 *bent = calloc((size_t)m->meshes[0].vertex_count, sizeof *bent);
        int up_at[HOOVES] = {0};
        float most[HOOVES] = {0};
        for (int t = 0; t < TIMES; t++) {
            float soles[HOOVES];
            int down = 0;
            find_bent(m, walk, wr_clip_length(walk) * t / TIMES, bent);
            find_soles(m, bent, soles);
            for (int k = 0; k < HOOVES; k++) {
                assert_true(soles[k] > -0.02f);
                down += soles[k] < 0.02f;
                up_at[k] = soles[k] > most[k] ? t : up_at[k];
                most[k] = fmaxf(most[k], soles[k]);
            }
            assert_true(down >= 2);
        }
        for (int k = 0; k < HOOVES; k++) {
            int later = (up_at[(k + 1) % HOOVES] - up_at[k] + TIMES) % TIMES;
            assert_true(most[k] > 0.06f);
            assert_in_range(later, TIMES / 4 - 4, TIMES / 4 + 4);
        }
        free(bent);
    }
}

// --- the modeller -----------------------------------------------------------------------------

static const figure_color BLOB_COLORS[] = {{"grey", {0.5f, 0.5f, 0.5f}, 0.9f},
                                           {"red", {1.0f, 0.0f, 0.0f}, 0.9f}};
static const figure_part BLOB_PARTS[] = {
    {.name = "body",
     .from = {0.0f, 0.03f, 0.0f},
     .to = {0.0f, 0.06f, 0.0f},
     .radius = {0.06f, 0.05f}},
    {.name = "arm",
     .parent = "body",
     .from = {0.04f, 0.05f, 0.0f},
     .to = {0.11f, 0.07f, 0.02f},
     .radius = {0.03f, 0.02f},
     .blend = 0.02f,
     .color = 1},
    {.parent = "body",
     .use = FIGURE_CARVE,
     .from = {0.0f, 0.06f, 0.07f},
     .to = {0.0f, 0.04f, 0.07f},
     .radius = {0.02f, 0.015f},
     .blend = 0.01f},
};
static const figure BLOB = {.name = "blob",
                            .parts = BLOB_PARTS,
                            .part_count = WRI_COUNT(BLOB_PARTS),
                            .colors = BLOB_COLORS,
                            .color_count = 2,
                            .fine = 0.008f,
                            .coarse = 0.012f,
                            .cell = 0.01f,
                            .sole = 0.005f};

static void shares_add_up_and_are_those_of_the_gradient(void **state)
{
    (void)state;
    field f = field_create(&BLOB);
    for (int i = 0; i < 500; i++) {
        wr_vec3 p = wr_v3(0.12f * chance(1u, i), 0.01f + 0.1f * chance(2u, i),
                          0.16f * chance(3u, i) - 0.08f);
        for (int k = 0; k < 10; k++) {
            p = field_project(&f, p);
        }
        field_shares shares, mirrored;
        wr_vec3 gradient;
        float sum = 0.0f, d = field_distance(&f, p, &gradient, &shares);
        field_distance(&f, wr_v3(-p.x, p.y, p.z), NULL, &mirrored);
        for (int k = 0; k < f.count; k++) {
            sum += shares.left[k] + shares.right[k];
            if (f.parts[k].paired) {
                assert_true(shares.left[k] == mirrored.right[k]);
            }
        }
        assert_true(fabsf(d) < 1e-5f);
        assert_true(fabsf(sum - 1.0f) < 1e-5f);
        if (p.y > 0.02f) { // the sole's edge is rounder than a difference can tell
            assert_true(wr_dot(field_normal(&f, p), wr_normalize(gradient)) > 0.9995f);
        }
    }
}

static void making_twice_gives_the_same_bits(void **state)
{
    (void)state;
    wr_model *one = figure_make(&BLOB), *two = figure_make(&BLOB);
    const wr_mesh *a = &one->meshes[0], *b = &two->meshes[0];
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_memory_equal(a->positions, b->positions, (size_t)a->vertex_count * sizeof *a->positions);
    assert_memory_equal(a->weights, b->weights, 4 * (size_t)a->vertex_count * sizeof *a->weights);
    assert_true(least_angle(a) > LEAST_ANGLE);
    assert_int_equal(a->part_count, 2);
    check_weights(a); // files are tidied when they are written
    wr_model_destroy(one);
    wr_model_destroy(two);
}

static void check_bytes(const char *made, const char *shipped)
{
    FILE *a = fopen(made, "rb"), *b = fopen(shipped, "rb");
    assert_non_null(a);
    assert_non_null(b);
    for (int c = 0; c != EOF;) {
        c = fgetc(a);
        assert_int_equal(c, fgetc(b));
    }
    fclose(a);
    fclose(b);
}

// Those that are made in no time stand for all.
static void the_files_are_what_is_made(void **state)
{
    static const struct {
        const char *name;
        wr_model *(*make)(void);
    } QUICK[] = {{"tube", make_tube}, {"gear", make_gear}, {"ridges", make_ridges}};
    figure_at(state, 0);
    temporary_folder folder = temporary_folder_create();
    for (int i = 0; i < WRI_COUNT(QUICK); i++) {
        char made[1024], shipped[4096];
        wr_error error = {0};
        wr_model *model = QUICK[i].make();
        snprintf(made, sizeof made, "%s/%s.glb", folder.path, QUICK[i].name);
        snprintf(shipped, sizeof shipped, "%s/models/%s.glb", getenv("WROUGHT_SCENES"),
                 QUICK[i].name);
        assert_true(wr_model_write_glb(model, made, &error));
        check_bytes(made, shipped);
        wr_model_destroy(model);
    }
    temporary_folder_destroy(&folder);
}

// A ball of the modeller has the volume of a ball.
static void a_ball_has_its_volume(void **state)
{
    (void)state;
    const figure_part part = {.name = "ball",
                              .from = {0.0f, 0.1f, 0.0f},
                              .to = {0.0f, 0.1f, 0.0f},
                              .radius = {0.05f, 0.05f}};
    figure ball = BLOB;
    ball.parts = &part;
    ball.part_count = 1;
    ball.coarse = 0.008f;
    wr_model *model = figure_make(&ball);
    wr_mass_properties mass = {0};
    assert_true(wr_mesh_find_mass(&model->meshes[0], 1.0, &mass, NULL));
    double expected = 4.0 / 3.0 * (double)WR_PI * 0.05 * 0.05 * 0.05;
    assert_true(fabs(mass.mass / expected - 1.0) < 0.02);
    assert_true(fabs(mass.center[1] - 0.1) < 1e-4);
    wr_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_is_one_ball_of_clay),
        cmocka_unit_test(triangles_are_even_and_none_is_a_sliver),
        cmocka_unit_test(normals_are_unit_and_on_the_side_of_their_triangles),
        cmocka_unit_test(it_stands_on_the_floor_and_looks_along_z),
        cmocka_unit_test(the_right_is_the_left_in_a_mirror),
        cmocka_unit_test(weights_of_a_vertex_add_up_to_one),
        cmocka_unit_test(weights_of_flesh_are_smooth),
        cmocka_unit_test(joints_bend_it_where_they_should),
        cmocka_unit_test(joints_are_one_tree_inside_the_figure),
        cmocka_unit_test(a_clip_moves_it_and_ends_as_it_began),
        cmocka_unit_test(a_hand_closes_and_opens),
        cmocka_unit_test(a_deer_walks_on_its_hooves),
        cmocka_unit_test(gear_and_ridges_are_closed_and_small),
        cmocka_unit_test(shares_add_up_and_are_those_of_the_gradient),
        cmocka_unit_test(making_twice_gives_the_same_bits),
        cmocka_unit_test(the_files_are_what_is_made),
        cmocka_unit_test(a_ball_has_its_volume),
    };
    return cmocka_run_group_tests(tests, read_figures, free_figures);
}
