// test_figures_skin.c: the weights, joints and clips of the figures of the demo scenes.
#include "figures.h"

// --- skin -------------------------------------------------------------------------------------

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
        for (int k = 0; k < WRI_COUNT(FIGURES[i].onces) && FIGURES[i].onces[k]; k++) {
            find_clip(m, FIGURES[i].onces[k]);
            count++;
        }
        assert_int_equal(m->clip_count, count);
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
        if (strcmp(FIGURES[i].name, "hand") != 0) {
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

// --- targets ----------------------------------------------------------------------------------

// A target moves some vertices by more than 5 mm and leaves others, turns no triangle over, and its
// right is its left in a mirror.
static void targets_swell_a_part_and_fold_nothing(void **state)
{
    const wr_model *m;
    for (int i = 0; (m = figure_at(state, i)); i++) {
        const wr_mesh *mesh = &m->meshes[0];
        assert_int_equal(mesh->morph_count, FIGURES[i].targets);
        for (int k = 0; k < mesh->morph_count; k++) {
            const wr_vec3 *moved = mesh->morphs[k].positions;
            float most = 0.0f, sideways = 0.0f;
            int still = 0;
            for (int v = 0; v < mesh->vertex_count; v++) {
                most = fmaxf(most, wr_length(moved[v]));
                still += wr_length(moved[v]) == 0.0f;
                sideways += moved[v].x;
            }
            assert_true(most > 0.005f && still > mesh->vertex_count / 10);
            assert_true(is_whole(&FIGURES[i]) || fabsf(sideways) < 1e-3f);
            for (int t = 0; t < mesh->triangle_count; t++) {
                wr_vec3 a[3], b[3];
                for (int c = 0; c < 3; c++) {
                    int v = mesh->triangles[3 * t + c];
                    a[c] = mesh->positions[v];
                    b[c] = wr_add(a[c], moved[v]);
                }
                wr_vec3 before = wr_cross(wr_sub(a[1], a[0]), wr_sub(a[2], a[0]));
                wr_vec3 after = wr_cross(wr_sub(b[1], b[0]), wr_sub(b[2], b[0]));
                if (!(wr_dot(before, after) > 0.0f)) {
                    fail_msg("%s: \"%s\" folds at %g %g %g", FIGURES[i].name, mesh->morphs[k].name,
                             (double)a[0].x, (double)a[0].y, (double)a[0].z);
                }
            }
        }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_a_vertex_add_up_to_one),
        cmocka_unit_test(weights_of_flesh_are_smooth),
        cmocka_unit_test(joints_bend_it_where_they_should),
        cmocka_unit_test(joints_are_one_tree_inside_the_figure),
        cmocka_unit_test(a_clip_moves_it_and_ends_as_it_began),
        cmocka_unit_test(a_hand_closes_and_opens),
        cmocka_unit_test(targets_swell_a_part_and_fold_nothing),
        cmocka_unit_test(a_deer_walks_on_its_hooves),
    };
    return cmocka_run_group_tests(tests, read_figures, free_figures);
}
