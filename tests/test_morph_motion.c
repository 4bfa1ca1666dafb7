// test_morph_motion.c: bodies of morph in motion: their shapes and stiffness at poses, reduced
// against full, energy, steps and meshes.
#include "check.h"

#include "morph_arm.h"

static arm shared;

static const struct {
    bool is_full;
    wr_morph_elasticity elasticity;
    wr_morph_between between;
} KINDS[] = {
    {false, WR_MORPH_LINEAR, WR_MORPH_SHAPES}, {false, WR_MORPH_LINEAR, WR_MORPH_FORCES},
    {false, WR_MORPH_STVK, WR_MORPH_SHAPES},   {false, WR_MORPH_STVK, WR_MORPH_FORCES},
    {true, WR_MORPH_LINEAR, WR_MORPH_SHAPES},  {true, WR_MORPH_LINEAR, WR_MORPH_FORCES},
    {true, WR_MORPH_STVK, WR_MORPH_SHAPES},    {true, WR_MORPH_STVK, WR_MORPH_FORCES},
};

static arm_body start_kind(const arm *a, int kind, float dt)
{
    wr_morph_model_desc desc = arm_model(a);
    desc.is_full = KINDS[kind].is_full;
    desc.elasticity = KINDS[kind].elasticity;
    desc.between = KINDS[kind].between;
    desc.dt = dt;
    return arm_start(&desc);
}

static double largest(const wr_vec3 *x, const wr_vec3 *y, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        double far = y ? (double)wr_distance(x[i], y[i]) : (double)wr_length(x[i]);
        most = far <= most ? most : far; // not a number passes
    }
    return most;
}

// --- targets ------------------------------------------------------------------------------------

static void at_every_input_pose_the_rest_shape_is_the_target(void **state)
{
    const arm *a = *state;
    wr_vec3 *shape = arm_room((size_t)a->vertex_count, sizeof *shape);
    for (int kind = 0; kind < WRI_COUNT(KINDS); kind++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.is_full = KINDS[kind].is_full;
        desc.elasticity = KINDS[kind].elasticity;
        desc.between = KINDS[kind].between;
        desc.dt = 1.0f / 20.0f;
        desc.damping = 0.05f;
        arm_body b = arm_start(&desc);
        b.step.gravity = wr_v3(0, 0, 0);
        for (int target = 2; target >= 0; target -= KINDS[kind].is_full ? 2 : 1) {
            wr_pose poses[2];
            arm_pose(a, (float)target, poses);
            wr_morph_put(b.world, 0, poses, NULL);
            wr_morph_push(b.world, 0, a->vertex_count / 3, wr_v3(0.1f, -0.2f, 0.3f));
            arm_advance(&b, KINDS[kind].is_full ? 40 : 200);
            wr_morph_displacements(b.world, 0, NULL, shape);
            assert_true(largest(shape, a->displacements[target], a->vertex_count) < 1e-4);
        }
        arm_stop(&b);
    }
    free(shape);
}

static void at_every_input_pose_the_stiffness_is_that_of_the_target(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count, pairs = wri_pair_count(r);
    double *K = arm_room((size_t)pairs, sizeof *K);
    for (int kind = 0; kind < 4; kind++) {
        arm_body b = start_kind(a, kind, 1.0f / 240.0f);
        b.step.gravity = wr_v3(0, 0, 0);
        for (int target = 0; target < 3; target++) {
            wr_pose poses[2];
            double worst = 0.0, most = 0.0;
            arm_pose(a, (float)target, poses);
            wr_morph_put(b.world, 0, poses, NULL);
            arm_advance(&b, 1);
            assert_true(wri_gram_find(a->data, target, false, NULL, NULL, K));
            const double *got =
                KINDS[kind].elasticity == WR_MORPH_STVK ? b.body->tangent : b.body->stiffness;
            for (int i = 0; i < pairs; i++) {
                worst = fmax(worst, fabs(got[i] - K[i]));
                most = fmax(most, fabs(K[i]));
            }
            assert_true(worst < 1e-4 * most);
        }
        arm_stop(&b);
    }
    free(K);
}

// The least of x' K x over many x, against the softest target's: between and beyond targets.
static void stiffness_is_positive_everywhere(void **state)
{
    const arm *a = *state;
    int r = a->data->mode_count;
    double L[WR_MORPH_MODES_MAX * WR_MORPH_MODES_MAX];
    arm_body b = start_kind(a, 0, 1.0f / 240.0f);
    for (float angle = -3.0f; angle < 3.1f; angle += 0.05f) {
        wr_pose poses[2];
        arm_pose(a, angle, poses);
        poses[1].position.x += 0.3f * angle; // and out of its joint
        wr_morph_put(b.world, 0, poses, NULL);
        arm_advance(&b, 1);
        for (int i = 0; i < r * r; i++) { // no softer than a tenth of the softest target
            int p = wri_pair(i / r, i % r);
            L[i] = b.body->stiffness[p] - 0.1 * b.model->reduced.stiffness[p];
        }
        for (int i = 0; i < r; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = L[i * r + j];
                for (int k = 0; k < j; k++) {
                    sum -= L[i * r + k] * L[j * r + k];
                }
                assert_true(i != j || sum > 0.0);
                L[i * r + j] = i == j ? sqrt(sum) : sum / L[j * r + j];
            }
        }
    }
    arm_stop(&b);
}

// How far the upper side goes down under a force on it, in the mean, metres.
static double find_deflection(const arm *a, int target)
{
    arm_body b = start_kind(a, 0, 1.0f / 20.0f);
    wr_pose poses[2];
    double moved = 0.0;
    arm_pose(a, (float)target, poses);
    b.step.gravity = wr_v3(0, 0, 0);
    wr_morph_put(b.world, 0, poses, NULL);
    for (int i = 0; i < 300; i++) {
        for (int v = 0; v < a->vertex_count; v++) {
            if (a->vertices[v].y == a->desc.size[1]) {
                wr_morph_push(b.world, 0, v, wr_v3(0.0f, -0.5f / 20.0f, 0.0f));
                wr_vec3 now = wr_morph_position(b.world, 0, v);
                moved += i == 0 ? (double)now.y : i == 299 ? -(double)now.y : 0.0;
            }
        }
        arm_advance(&b, 1);
    }
    arm_stop(&b);
    return moved / ((a->desc.cells[0] + 1) * (a->desc.cells[2] + 1));
}

// As in figure 5.1: targets of one shape, all soft or increasingly firm.
static void one_push_moves_it_less_where_it_is_firm(void **state)
{
    const arm *firm = *state;
    arm_desc desc = firm->desc;
    desc.stiffness[1] = desc.stiffness[2] = 1.0;
    arm soft;
    arm_describe(&soft, &desc);
    arm_finish(&soft);
    double ratio = find_deflection(&soft, 2) / find_deflection(firm, 2);
    CHECK_NEAR(ratio, firm->desc.stiffness[2], 0.1 * ratio);
    double straight = find_deflection(&soft, 0);
    assert_true(straight > 1e-4);
    CHECK_NEAR(straight, find_deflection(firm, 0), 0.1 * straight);
    arm_destroy(&soft);
}

// Of forces the rest shape is sum b K du over sum b K: the firm target comes early (spec, 4).
static void between_targets_shapes_and_forces_differ_as_they_should(void **state)
{
    const arm *a = *state;
    double far[2];
    wr_vec3 *shape = arm_room((size_t)a->vertex_count, sizeof *shape);
    for (int kind = 0; kind < 2; kind++) {
        wr_pose poses[2];
        double shares[3];
        arm_body b = start_kind(a, kind, 1.0f / 20.0f);
        b.step.gravity = wr_v3(0, 0, 0);
        arm_pose(a, 1.5f, poses);
        wr_morph_put(b.world, 0, poses, NULL);
        arm_advance(&b, 300);
        wr_morph_displacements(b.world, 0, NULL, shape);
        wr_morph_shares(b.world, 0, shares);
        far[kind] = largest(shape, NULL, a->vertex_count);
        if (kind == 0) {
            double shapes[3], worst = 0.0;
            wr_morph_model_shares(b.model, poses, NULL, true, shapes);
            for (int v = 0; v < a->vertex_count; v++) {
                wr_vec3 wanted = {0, 0, 0};
                for (int t = 0; t < 3; t++) {
                    wanted = wr_add_scaled(wanted, (float)shapes[t], a->displacements[t][v]);
                }
                worst = fmax(worst, (double)wr_distance(wanted, shape[v]));
            }
            assert_true(worst < 1e-4);
        }
        arm_stop(&b);
    }
    assert_true(far[1] > 1.1 * far[0]);
    free(shape);
}

// --- inertia ------------------------------------------------------------------------------------

static void swing(const arm *a, double t, wr_pose poses[2])
{
    double up = sin(2.0 * t) * sin(2.0 * t), side = sin(3.0 * t) * sin(3.0 * t);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(0.3f, 1.0f, -0.5f), (float)(1.5 * up));
    wr_pose world = {wr_v3((float)(0.3 * side), (float)(0.1 * t * t), 0.0f), turn};
    arm_pose(a, (float)(0.4 + 1.2 * up), poses);
    poses[0] = wr_pose_multiply(world, poses[0]);
    poses[1] = wr_pose_multiply(world, poses[1]);
}

// Forces of moving bones in modes, against a sum over nodes.
static void reduced_inertia_is_that_of_all_nodes(void **state)
{
    const arm *a = *state;
    const wr_morph_data *d = a->data;
    int r = d->mode_count;
    arm_body b = start_kind(a, 0, 1.0f / 60.0f);
    double wanted[WR_MORPH_MODES_MAX] = {0.0}, force[WR_MORPH_MODES_MAX], scale = 0.0;
    double coriolis[WR_MORPH_MODES_MAX] = {0.0}, speed = 0.0;
    for (int i = 0; i < 3; i++) {
        wr_pose poses[2];
        swing(a, i / 60.0, poses);
        if (i == 0) {
            wr_morph_put(b.world, 0, poses, NULL);
        } else {
            wr_morph_drive(b.world, 0, poses, NULL);
            wri_bones_advance(b.body, &(wr_morph_step){.gravity = {1.0f, -9.0f, 2.0f}});
        }
    }
    for (int j = 0; j < r; j++) {
        b.body->q[j] = 0.1 * sin(1.0 + j);
        b.body->v[j] = cos(3.0 * j);
    }
    for (int node = 0; node < d->node_count; node++) {
        double u[3] = {0.0}, v[3] = {0.0}, f[3], across[3];
        for (int i = 0; i < 3 * r; i++) {
            double U = (double)d->basis[(ptrdiff_t)node * 3 * r + i];
            u[i % 3] += U * b.body->q[i / 3];
            v[i % 3] += U * b.body->v[i / 3];
        }
        wri_inertia_of_node(b.body, node, (double)d->masses[node], u, f);
        for (int i = 0; i < 3 * r; i++) {
            wanted[i / 3] += (double)d->basis[(ptrdiff_t)node * 3 * r + i] * f[i % 3];
        }
        for (int k = 0; k < WRI_MORPH_BONES; k++) {
            int bone = d->node_bones[WRI_MORPH_BONES * node + k];
            double share =
                2.0 * (double)d->masses[node] * (double)d->node_weights[WRI_MORPH_BONES * node + k];
            wri_cross3(b.body->pushes[bone].alpha, v, across);
            for (int i = 0; i < 3 * r; i++) {
                coriolis[i / 3] +=
                    share * (double)d->basis[(ptrdiff_t)node * 3 * r + i] * across[i % 3];
            }
        }
    }
    assert_true(wri_inertia_of_modes(b.body, force, b.body->gyration));
    for (int i = 0; i < r; i++) {
        scale = fmax(scale, fabs(wanted[i]));
        speed = fmax(speed, fabs(coriolis[i]));
    }
    for (int i = 0; i < r; i++) {
        double sum = 0.0;
        for (int j = 0; j < r; j++) {
            sum += b.body->gyration[i * r + j] * b.body->v[j];
        }
        CHECK_NEAR(force[i], wanted[i], 1e-5 * scale);
        CHECK_NEAR(sum, coriolis[i], 1e-5 * speed);
    }
    arm_stop(&b);
}

// Damping acts on motion against the rest shape: however strong it is, a body keeps up with one
// that moves evenly.
static void damping_does_not_hold_back_the_rest_shape(void **state)
{
    const arm *a = *state;
    wr_vec3 *shape = arm_room((size_t)a->vertex_count, sizeof *shape);
    wr_vec3 *rest = arm_room((size_t)a->vertex_count, sizeof *rest);
    for (int is_full = 0; is_full < 2; is_full++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.is_full = is_full;
        desc.damping = 1.0f;
        desc.dt = 1.0f / 60.0f;
        arm_body b = arm_start(&desc), still = arm_start(&desc);
        wr_pose poses[2];
        b.step.gravity = wr_v3(0, 0, 0);
        for (int i = 0; i <= 60; i++) {
            arm_pose(a, 2.0f * (float)i / 60.0f, poses);
            if (i == 0) {
                wr_morph_put(b.world, 0, poses, NULL);
            } else {
                wr_morph_drive(b.world, 0, poses, NULL);
                arm_advance(&b, 1);
            }
        }
        wr_morph_put(still.world, 0, poses, NULL);
        wr_morph_displacements(b.world, 0, NULL, shape);
        wr_morph_displacements(still.world, 0, NULL, rest);
        double whole = largest(rest, NULL, a->vertex_count);
        double late = largest(shape, rest, a->vertex_count) / whole;
        printf("    %s: late by %.3f of the shape\n", is_full ? "full" : "reduced", late);
        assert_true(whole > 0.02 && late < 0.1);
        arm_stop(&b);
        arm_stop(&still);
    }
    free(shape);
    free(rest);
}

// A body that spins about an axis through the origin feels m w^2 r away from it, and nothing else.
static void what_spins_is_pulled_outwards(void **state)
{
    const arm *a = *state;
    const wr_morph_data *d = a->data;
    const wr_vec3 axis = wr_normalize(wr_v3(0.2f, -0.5f, 1.0f));
    const double spin = 3.0, dt = 0.01;
    arm_body b = start_kind(a, 4, (float)dt);
    for (int i = 0; i < 3; i++) {
        wr_pose pose = {wr_v3(0, 0, 0), wr_quat_from_axis_angle(axis, (float)(spin * dt * i))};
        wr_pose poses[2] = {pose, pose};
        if (i == 0) {
            wr_morph_put(b.world, 0, poses, NULL);
        } else {
            wr_morph_drive(b.world, 0, poses, NULL);
            wri_bones_advance(b.body, &(wr_morph_step){.gravity = {0.0f, 0.0f, 0.0f}});
        }
    }
    for (int node = 0; node < d->node_count; node += 7) {
        const double u[3] = {0.0};
        double f[3];
        wr_vec3 X = d->nodes[node], r = wr_add_scaled(X, -wr_dot(X, axis), axis);
        const double away[3] = {(double)r.x, (double)r.y, (double)r.z};
        wri_inertia_of_node(b.body, node, 2.0, u, f);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(f[k], 2.0 * spin * spin * away[k], 0.05 * spin * spin);
        }
    }
    arm_stop(&b);
}

static void what_falls_freely_does_not_deform(void **state)
{
    const arm *a = *state;
    wr_vec3 *shape = arm_room((size_t)a->vertex_count, sizeof *shape);
    for (int kind = 0; kind < 5; kind += 4) {
        arm_body b = start_kind(a, kind, 1.0f / 60.0f);
        for (int i = 1; i < 40; i++) {
            double t = i / 60.0;
            wr_pose poses[2];
            for (int k = 0; k < 2; k++) {
                poses[k] = WR_POSE_IDENTITY;
                poses[k].position.y = (float)(-0.5 * 9.81 * t * t - 0.5 * 9.81 * t / 60.0);
            }
            wr_morph_drive(b.world, 0, poses, NULL);
            arm_advance(&b, 1);
        }
        wr_morph_displacements(b.world, 0, NULL, shape);
        assert_true(largest(shape, NULL, a->vertex_count) < 2e-5);
        arm_stop(&b);
    }
    free(shape);
}

// In one pass, in few modes and of all nodes, on bones that turn and travel.
static void all_vertices_move_as_each_does(void **state)
{
    const arm *a = *state;
    size_t count = (size_t)a->vertex_count;
    wr_vec3 *places = arm_room(count, sizeof *places),
            *velocities = arm_room(count, sizeof *places);
    for (int kind = 0; kind < 5; kind += 4) {
        arm_body b = start_kind(a, kind, 1.0f / 60.0f);
        wr_pose poses[2];
        double off = 0.0, fastest = 0.0;
        for (int i = 0; i < 8; i++) {
            swing(a, 0.3 + i / 60.0, poses);
            wr_morph_drive(b.world, 0, poses, NULL);
            wr_morph_push(b.world, 0, a->vertex_count / 3, wr_v3(0.3f, -0.2f, 0.1f));
            arm_advance(&b, 1);
        }
        wri_morph_draw(b.body, NULL, (wri_morph_drawn){.places = places, .velocities = velocities});
        for (int v = 0; v < a->vertex_count; v++) {
            wr_vec3 one = wr_morph_velocity(b.world, 0, v);
            assert_true(wr_distance(places[v], wr_morph_position(b.world, 0, v)) < 1e-5f);
            off = fmax(off, (double)wr_distance(velocities[v], one));
            fastest = fmax(fastest, (double)wr_length(one));
        }
        printf("    %s: off by %.1e of %.2g m/s\n", kind ? "full" : "reduced", off, fastest);
        assert_true(fastest > 0.5 && off < 1e-5 * fastest);
        arm_stop(&b);
    }
    free(places);
    free(velocities);
}

// --- trajectories -------------------------------------------------------------------------------

// A vertex on the free end over a second under gravity and its own motion; bind pose.
enum { SAMPLES = 30 };
static void follow(const arm *a, arm_body *b, int steps, wr_vec3 *out)
{
    int vertex = a->vertex_count - 1;
    for (int i = 0; i <= SAMPLES * steps; i++) {
        wr_pose poses[2];
        swing(a, 1.0 * i / (SAMPLES * steps), poses);
        if (i == 0) {
            wr_morph_put(b->world, 0, poses, NULL);
            continue;
        }
        wr_morph_drive(b->world, 0, poses, NULL);
        arm_advance(b, 1);
        if (i % steps == 0) {
            double u[3];
            wri_vertex_displacement(b->body, vertex, b->body->q, u);
            out[i / steps - 1] = wr_v3((float)u[0], (float)u[1], (float)u[2]);
        }
    }
}

static double apart(const wr_vec3 *x, const wr_vec3 *y)
{
    return largest(x, y, SAMPLES) / largest(y, NULL, SAMPLES);
}

static arm firm_arm; // moves by less than its size

static void reduced_motion_is_near_that_of_all_nodes(void **state)
{
    (void)state;
    wr_vec3 full[SAMPLES], reduced[SAMPLES];
    for (int kind = 0; kind < 4; kind += 2) {
        arm_body b = start_kind(&firm_arm, kind, 1.0f / (SAMPLES * 4));
        follow(&firm_arm, &b, 4, reduced);
        arm_stop(&b);
        b = start_kind(&firm_arm, kind + 4, 1.0f / (SAMPLES * 4));
        follow(&firm_arm, &b, 4, full);
        arm_stop(&b);
        double far = apart(reduced, full);
        if (!(far < 0.05)) {
            fail_msg("kind %d: reduced and full motion differ by %g", kind, far);
        }
    }
}

static void half_the_step_changes_little(void **state)
{
    (void)state;
    wr_vec3 coarse[SAMPLES], fine[SAMPLES];
    for (int kind = 0; kind < 8; kind += 2) {
        arm_body b = start_kind(&firm_arm, kind, 1.0f / (SAMPLES * 8));
        follow(&firm_arm, &b, 8, coarse);
        arm_stop(&b);
        b = start_kind(&firm_arm, kind, 1.0f / (SAMPLES * 16));
        follow(&firm_arm, &b, 16, fine);
        arm_stop(&b);
        double far = apart(coarse, fine);
        printf("    %s %s: %.3f apart\n", kind < 4 ? "reduced" : "full",
               kind % 4 ? "StVK" : "linear", far);
        if (!(far < 0.05)) {
            fail_msg("kind %d: half the step differs by %g", kind, far);
        }
    }
}

static double sag(int along, int across)
{
    arm_desc desc = arm_default();
    desc.cells[0] = along, desc.cells[1] = desc.cells[2] = across;
    desc.target_count = 1;
    desc.mode_count = 0;
    arm a;
    arm_describe(&a, &desc);
    arm_finish(&a);
    for (int i = 0; i < a.node_count; i++) { // what bones hold is as thick as the mesh is fine
        float y = a.nodes[i].y - a.bones[0].origin.y, z = a.nodes[i].z - a.bones[0].origin.z;
        a.data->fixed[i] = fabsf(y) < 0.08f && fabsf(z) < 0.06f;
    }
    arm_body b = start_kind(&a, 4, 1.0f / 20.0f);
    arm_advance(&b, 60);
    wr_vec3 *shape = arm_room((size_t)a.vertex_count, sizeof *shape);
    wr_morph_displacements(b.world, 0, NULL, shape);
    double sum = 0.0;
    for (int v = 0; v < a.vertex_count; v++) {
        sum += (double)shape[v].y / a.vertex_count;
    }
    free(shape);
    arm_stop(&b);
    arm_destroy(&a);
    return sum;
}

// --- energy -------------------------------------------------------------------------------------

static double energy_of(const arm_body *b)
{
    wr_morph_statistics s = wr_morph_describe(b->world, 0);
    return s.elastic_energy + s.motion_energy;
}

// Newmark's rule with beta = gamma/2 says how much energy linear motion loses without damping, step
// by step: (gamma - 1/2) (q_1 - q)' K (q_1 - q). Steps are long for what is pushed at one vertex.
static void linear_motion_loses_what_newmark_takes(void **state)
{
    const arm *a = *state;
    double K[WR_MORPH_MODES_MAX * (WR_MORPH_MODES_MAX + 1) / 2], q[WR_MORPH_MODES_MAX];
    for (int kind = 0; kind < 3; kind++) {
        wr_morph_model_desc desc = arm_model(a);
        desc.gamma = 0.5f + 0.2f * (float)kind;
        desc.damping = 0.0f;
        desc.dt = 1.0f / 60.0f;
        arm_body b = arm_start(&desc);
        b.step.gravity = wr_v3(0, 0, 0);
        wr_morph_push(b.world, 0, a->vertex_count - 1, wr_v3(0.3f, 0.5f, 0.2f));
        arm_advance(&b, 2);
        double before = energy_of(&b), first = before, off = 0.0;
        int r = b.model->freedom;
        assert_true(wri_gram_find(a->data, 0, false, NULL, NULL, K));
        for (int i = 0; i < 100; i++) {
            memcpy(q, b.body->q, (size_t)r * sizeof *q);
            arm_advance(&b, 1);
            double loss = 0.0, now = energy_of(&b);
            for (int j = 0; j < r * r; j++) {
                loss += K[wri_pair(j / r, j % r)] * (b.body->q[j / r] - q[j / r]) *
                        (b.body->q[j % r] - q[j % r]);
            }
            off = fmax(off, fabs(before - now - ((double)desc.gamma - 0.5) * loss));
            before = now;
        }
        printf("    gamma %.1f: %.3f of %.3g J left, off by %.1e\n", (double)desc.gamma,
               before / first, first, off);
        assert_true(first > 0.01 && off < 1e-7 * first);
        assert_true(kind == 0 || before < 0.5 * first);
        arm_stop(&b);
    }
}

// x' K x of a full body's stiffness.
static double square_by(wri_morph *b, const float *x)
{
    int n = b->model->freedom;
    float *y = arm_room((size_t)n, sizeof *y);
    double sum = 0.0;
    wri_blocks_multiply(&b->K, x, y, NULL);
    for (int i = 0; i < n; i++) {
        sum += (double)x[i] * (double)y[i];
    }
    free(y);
    return sum;
}

// With gamma = 1/2 damping b takes b/h (q_1 - q)' K (q_1 - q) in a step, of full bodies, too.
static void damping_takes_what_it_says(void **state)
{
    const arm *a = *state;
    const double h = 1.0 / 120.0;
    wr_morph_model_desc desc = arm_model(a);
    desc.is_full = true;
    desc.gamma = 0.5f;
    desc.damping = 0.002f;
    desc.dt = (float)h;
    arm_body b = arm_start(&desc);
    int n = b.model->freedom;
    double *q = arm_room((size_t)n, sizeof *q), off = 0.0, all = 0.0;
    float *by = arm_room((size_t)n, sizeof *by);
    b.step.gravity = wr_v3(0, 0, 0);
    wr_morph_push(b.world, 0, a->vertex_count - 1, wr_v3(0.3f, 0.5f, 0.2f));
    arm_advance(&b, 2);
    double before = energy_of(&b), first = before;
    for (int i = 0; i < 30; i++) {
        memcpy(q, b.body->q, (size_t)n * sizeof *q);
        arm_advance(&b, 1);
        for (int k = 0; k < n; k++) {
            by[k] = (float)(b.body->q[k] - q[k]);
        }
        double now = energy_of(&b), loss = (double)desc.damping / (double)desc.dt;
        loss *= square_by(b.body, by);
        off = fmax(off, fabs(before - now - loss));
        all += loss;
        before = now;
    }
    printf("    damping took %.3f of %.3g J, off by %.1e in a step\n", all / first, first, off);
    assert_true(all > 0.1 * first && off < 1e-4 * first);
    free(q);
    free(by);
    arm_stop(&b);
}

// At the pose of a target its own factor solves the system.
static void full_bodies_use_the_factor_of_their_target(void **state)
{
    const arm *a = *state;
    for (int target = 0; target < 3; target++) {
        wr_pose poses[2];
        arm_body b = start_kind(a, 4, 1.0f / 60.0f);
        arm_pose(a, (float)target, poses);
        wr_morph_put(b.world, 0, poses, NULL);
        arm_advance(&b, 1);
        assert_in_range(wr_morph_describe(b.world, 0).iterations, 1, 2);
        arm_stop(&b);
    }
}

// The velocity of one node after a step of a body whose bones spin, or do not, without its own
// velocity before the step and with it.
static void step_spinning(const arm *a, wr_vec3 spin, const double dv[3], double out[3])
{
    const float h = 1.0f / 1000.0f;
    wr_morph_model_desc desc = arm_model(a);
    desc.is_full = true;
    desc.damping = 0.0f;
    desc.dt = h;
    arm_body b = arm_start(&desc);
    b.step.gravity = wr_v3(0, 0, 0);
    float rate = wr_length(spin);
    for (int i = 0; i < 3; i++) { // the last step ends in the bind pose
        wr_quat turn = rate > 0.0f ? wr_quat_from_axis_angle(wr_scale(1.0f / rate, spin),
                                                             rate * h * (float)(i - 2))
                                   : (wr_quat){0, 0, 0, 1};
        wr_pose poses[2] = {{{0, 0, 0}, turn}, {{0, 0, 0}, turn}};
        if (i == 0) {
            wr_morph_put(b.world, 0, poses, NULL);
        } else {
            wr_morph_drive(b.world, 0, poses, NULL);
            for (int k = 0; k < 3 && i == 2; k++) {
                b.body->v[3 * (b.model->full.count / 2) + k] += dv[k];
            }
            arm_advance(&b, 1);
        }
    }
    memcpy(out, b.body->v + 3 * (ptrdiff_t)(b.model->full.count / 2), 3 * sizeof *out);
    arm_stop(&b);
}

// Coriolis' acceleration, -2 alpha x v, of a node with a velocity of its own.
static void what_moves_on_spinning_bones_is_deflected(void **state)
{
    const arm *a = *state;
    const wr_vec3 spin = {2.0f, -3.0f, 5.0f}, none = {0, 0, 0};
    const double dv[3] = {0.3, 0.2, -0.4}, zero[3] = {0.0}, h = 1.0 / 1000.0;
    double x[4][3], wanted[3], off = 0.0;
    const double alpha[3] = {2.0, -3.0, 5.0};
    step_spinning(a, spin, dv, x[0]);
    step_spinning(a, spin, zero, x[1]);
    step_spinning(a, none, dv, x[2]);
    step_spinning(a, none, zero, x[3]);
    wri_cross3(alpha, dv, wanted);
    for (int k = 0; k < 3; k++) {
        double got = (x[0][k] - x[1][k] - x[2][k] + x[3][k]) / h;
        off = fmax(off, fabs(got + 2.0 * wanted[k]));
    }
    printf("    off by %.3f of %.3f m/s^2\n", off, 2.0 * wri_length3(wanted));
    assert_true(off < 0.05 * 2.0 * wri_length3(wanted));
}

static void energy_decays_with_damping_and_is_bounded_without(void **state)
{
    const arm *a = *state;
    for (int kind = 0; kind < 7; kind += 2) {
        double slack = KINDS[kind].elasticity == WR_MORPH_LINEAR ? 1e-5 : 0.01;
        for (int is_damped = 0; is_damped < 2; is_damped++) {
            wr_morph_model_desc desc = arm_model(a);
            desc.is_full = KINDS[kind].is_full;
            desc.elasticity = KINDS[kind].elasticity;
            desc.dt = 1.0f / 120.0f;
            desc.damping = is_damped ? 0.01f : 0.0f;
            desc.gamma = is_damped ? 0.6f : 0.5f;
            arm_body b = arm_start(&desc);
            b.step.gravity = wr_v3(0, 0, 0);
            wr_morph_push(b.world, 0, a->vertex_count - 1, wr_v3(0.3f, 0.5f, 0.2f));
            wr_morph_push(b.world, 0, a->vertex_count / 2, wr_v3(0.2f, 0.3f, -0.4f));
            arm_advance(&b, 2); // half of a push arrives as the next step begins
            double first = energy_of(&b), before = first, most = 0.0;
            assert_true(first > 0.0);
            for (int i = 0; i < (KINDS[kind].is_full ? 60 : 600); i++) {
                arm_advance(&b, 1);
                double now = energy_of(&b);
                assert_true(!is_damped || now < before + slack * first);
                most = fmax(most, now);
                before = now;
            }
            assert_true(most < (slack < 0.01 ? 1.001 : 1.5) * first);
            assert_true(is_damped ? before < 0.02 * first || KINDS[kind].is_full
                                  : before > 0.3 * first);
            arm_stop(&b);
        }
    }
}

static void twice_the_mesh_changes_little(void **state)
{
    (void)state;
    double coarse = sag(12, 8), fine = sag(24, 16);
    CHECK_NEAR(coarse, fine, 0.1 * fabs(fine));
}

// --- state --------------------------------------------------------------------------------------

static void a_restored_body_goes_on_alike(void **state)
{
    const arm *a = *state;
    for (int kind = 0; kind < WRI_COUNT(KINDS); kind++) {
        wr_error error = {0};
        arm_body b = start_kind(a, kind, 1.0f / 60.0f);
        wr_pose poses[2];
        uint64_t hashes[6];
        wr_vec3 *places = arm_room((size_t)a->vertex_count, sizeof *places);
        for (int i = 0; i < 6; i++) {
            swing(a, 0.3 + i / 60.0, poses);
            wr_morph_drive(b.world, 0, poses, NULL);
            arm_advance(&b, 1);
        }
        wr_morph_push(b.world, 0, 3, wr_v3(0.1f, 0, 0));
        size_t size = wr_morph_save_size(b.world, 0);
        uint8_t *bytes = arm_room(size, 1);
        wr_morph_save(b.world, 0, bytes);
        wr_tasks many = wr_tasks_openmp(3);
        for (int round = 0; round < 2; round++) {
            b.step.tasks = round ? many : (wr_tasks){0};
            wri_test_block_shuffle = round ? 5 : 0;
            for (int i = 0; i < 6; i++) {
                swing(a, 0.4 + i / 60.0, poses);
                wr_morph_drive(b.world, 0, poses, NULL);
                arm_advance(&b, 1);
                assert_true(round == 0 || hashes[i] == wr_morph_hash(b.world, 0));
                hashes[i] = wr_morph_hash(b.world, 0);
            }
            assert_true(wr_morph_restore(b.world, 0, bytes, size, &error));
            wr_morph_positions(b.world, 0, NULL, places);
            assert_true(wr_is_finite3(places[a->vertex_count - 1]));
        }
        wri_test_block_shuffle = 0;
        bytes[size / 2] ^= 4;
        assert_false(wr_morph_restore(b.world, 0, bytes, size, &error));
        free(places);
        free(bytes);
        arm_stop(&b);
    }
}

static int set_up(void **state)
{
    arm_desc desc = arm_default();
    arm_describe(&shared, &desc);
    arm_finish(&shared);
    desc.young = 2e5;
    desc.mode_count = 20;
    arm_describe(&firm_arm, &desc);
    arm_finish(&firm_arm);
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    arm_destroy(*state);
    arm_destroy(&firm_arm);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_every_input_pose_the_rest_shape_is_the_target),
        cmocka_unit_test(at_every_input_pose_the_stiffness_is_that_of_the_target),
        cmocka_unit_test(stiffness_is_positive_everywhere),
        cmocka_unit_test(one_push_moves_it_less_where_it_is_firm),
        cmocka_unit_test(between_targets_shapes_and_forces_differ_as_they_should),
        cmocka_unit_test(reduced_inertia_is_that_of_all_nodes),
        cmocka_unit_test(damping_does_not_hold_back_the_rest_shape),
        cmocka_unit_test(what_spins_is_pulled_outwards),
        cmocka_unit_test(what_falls_freely_does_not_deform),
        cmocka_unit_test(all_vertices_move_as_each_does),
        cmocka_unit_test(reduced_motion_is_near_that_of_all_nodes),
        cmocka_unit_test(half_the_step_changes_little),
        cmocka_unit_test(twice_the_mesh_changes_little),
        cmocka_unit_test(linear_motion_loses_what_newmark_takes),
        cmocka_unit_test(damping_takes_what_it_says),
        cmocka_unit_test(full_bodies_use_the_factor_of_their_target),
        cmocka_unit_test(what_moves_on_spinning_bones_is_deflected),
        cmocka_unit_test(energy_decays_with_damping_and_is_bounded_without),
        cmocka_unit_test(a_restored_body_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
