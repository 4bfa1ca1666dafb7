// skinned_film.h: a recording of bodies with skins, made by hand: two worms of three bones that
// share a skin, in oblique poses, and a ball of one bone. The skin of each wobbles by itself.
//
//     body 0   worm, seldom the same pose twice
//     body 1   worm elsewhere, turned, of another phase; rests from frame 20 on
//     body 2   ball of one bone, that rolls
#pragma once

#include "wrought/record.h"

#include "check.h"

enum { FILM_FRAMES = 31, FILM_BODIES = 3, FILM_BONES = 3, FILM_REST = 20 };

typedef struct skinned_film {
    wr_model *models[2]; // worm, ball
    wr_record_bone bones[FILM_BONES];
    wr_record_skin skins[2];
    wr_record_body bodies[FILM_BODIES];
    int body_skins[FILM_BODIES];
    wr_record_info info;
    // The frame at hand.
    wr_pose poses[FILM_BODIES], bone_poses[FILM_BODIES][FILM_BONES];
    wr_vec3 *displacements[FILM_BODIES], *points[FILM_BODIES];
    wr_record_skinned skinned[FILM_BODIES];
    wr_record_points shown[FILM_BODIES];
    wr_frame frame;
} skinned_film;

static const float WORM_LENGTH = 3.0f;

// Vertices at one place share a node.
static inline int film_weld(const wr_mesh *mesh, int *nodes, int *first)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        int k = 0;
        while (k < i && memcmp(&mesh->positions[k], &mesh->positions[i], sizeof(wr_vec3)) != 0) {
            k++;
        }
        nodes[i] = k < i ? nodes[k] : count;
        if (k == i) {
            first[count++] = i;
        }
    }
    return count;
}

static inline void film_make_skin(const wr_model *model, const wr_record_bone *bones, int count,
                                  wr_record_skin *skin)
{
    const wr_mesh *mesh = model->meshes;
    size_t n = (size_t)mesh->vertex_count;
    int *nodes = calloc(n, sizeof *nodes), *first = calloc(n, sizeof *first);
    int *joints = calloc(4 * n, sizeof *joints);
    float *weights = calloc(4 * n, sizeof *weights);
    int node_count = film_weld(mesh, nodes, first);
    for (int i = 0; i < node_count; i++) { // blended over half a bone at each joint
        float along = (mesh->positions[first[i]].y / WORM_LENGTH + 0.5f) * (float)count;
        int bone = (int)fminf(fmaxf(floorf(along - 0.5f), 0.0f), (float)(count - 2));
        float blend = fminf(fmaxf(2.0f * (along - (float)bone - 1.0f) + 0.5f, 0.0f), 1.0f);
        joints[4 * i] = bone;
        joints[4 * i + 1] = bone + 1;
        weights[4 * i] = 1.0f - blend;
        weights[4 * i + 1] = blend;
    }
    free(first);
    *skin = (wr_record_skin){.bone_count = count,
                             .bones = bones,
                             .vertex_count = mesh->vertex_count,
                             .nodes = nodes,
                             .node_count = node_count,
                             .joints = joints,
                             .weights = weights};
}

static inline void film_create(skinned_film *f)
{
    const wr_color white = {1, 1, 1, 1};
    wr_error error = {0};
    memset(f, 0, sizeof *f);
    f->models[0] = wr_model_create_primitive(WR_PRIMITIVE_CYLINDER, wr_v3(0.4f, WORM_LENGTH, 0.4f),
                                             white, &error);
    f->models[1] = wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(1, 1, 1), white, &error);
    assert_true(f->models[0] && f->models[1]);
    // The middle one carries the others: parents need not come first.
    f->bones[0] = (wr_record_bone){"tail", 1, {0.0f, -0.5f, 0.0f}};
    f->bones[1] = (wr_record_bone){"trunk", -1, {0.0f, 0.0f, 0.0f}};
    f->bones[2] = (wr_record_bone){"head", 1, {0.0f, 0.5f, 0.0f}};
    film_make_skin(f->models[0], f->bones, FILM_BONES, &f->skins[0]);
    film_make_skin(f->models[1], f->bones + 1, 1, &f->skins[1]);
    const char *names[FILM_BODIES] = {"worm", "other", "ball"};
    for (int b = 0; b < FILM_BODIES; b++) {
        f->body_skins[b] = b / 2;
        f->bodies[b] = (wr_record_body){names[b], "flesh", b / 2, false, false, white};
        f->poses[b] = WR_POSE_IDENTITY;
        const wr_record_skin *skin = &f->skins[b / 2];
        f->displacements[b] = calloc((size_t)skin->node_count, sizeof(wr_vec3));
        f->points[b] = calloc((size_t)skin->vertex_count, sizeof(wr_vec3));
    }
    f->info = (wr_record_info){.title = "skins",
                               .program = "test",
                               .rate_numerator = 30,
                               .rate_denominator = 1,
                               .substeps = 1,
                               .planned_frames = FILM_FRAMES - 1,
                               .stage = wr_stage_default(),
                               .model_count = 2,
                               .models = (const wr_model *const *)f->models,
                               .body_count = FILM_BODIES,
                               .bodies = f->bodies,
                               .skin_count = 2,
                               .skins = f->skins,
                               .body_skins = f->body_skins};
}

static inline void film_destroy(skinned_film *f)
{
    for (int i = 0; i < 2; i++) {
        wr_model_destroy(f->models[i]);
        free((void *)(uintptr_t)f->skins[i].nodes);
        free((void *)(uintptr_t)f->skins[i].joints);
        free((void *)(uintptr_t)f->skins[i].weights);
    }
    for (int b = 0; b < FILM_BODIES; b++) {
        free(f->displacements[b]);
        free(f->points[b]);
    }
}

// --- a frame ----------------------------------------------------------------------------------

static inline wr_pose film_turn_about(wr_vec3 axis, float angle, wr_vec3 origin, wr_vec3 offset)
{
    wr_quat q = wr_quat_from_axis_angle(wr_normalize(axis), angle);
    return (wr_pose){wr_add(wr_sub(origin, wr_rotate(q, origin)), offset), q};
}

static inline void film_bones(skinned_film *f, int b, float t)
{
    wr_pose *out = f->bone_poses[b];
    wr_pose whole = film_turn_about(wr_v3(1, (float)b - 0.5f, 2), 1.0f + 0.8f * t, wr_v3(0, 0, 0),
                                    wr_v3(3.0f * (float)b, 0.2f * t, -t * t));
    if (b == 2) {
        out[0] = whole;
        return;
    }
    const wr_vec3 none = {0, 0, 0}, tail = f->bones[0].origin, head = f->bones[2].origin;
    out[1] = whole;
    out[0] = wr_pose_multiply(whole, film_turn_about(wr_v3(1, 0, 0.3f), sinf(2 * t), tail, none));
    out[2] = wr_pose_multiply(whole, film_turn_about(wr_v3(0.2f, 0, 1), cosf(3 * t), head, none));
}

// Five ways to wobble at a time, which no two frames mix alike.
static inline wr_vec3 film_wobble(wr_vec3 u, float t)
{
    float a = 0.05f * sinf(7 * t), b = 0.04f * cosf(4 * t) * u.y, c = 0.03f * sinf(11 * t) * u.x;
    float d = 0.02f * sinf(3 * t) * u.y * u.y, e = 0.02f * cosf(9 * t) * u.z;
    return wr_v3(a * u.x + b, d + e, a * u.z + c);
}

// Positions of a vertex by the definition, in double.
static inline wr_vec3 film_place(const wr_record_skin *skin, const wr_pose *bones, int node,
                                 wr_vec3 u)
{
    double x[3] = {0};
    for (int k = 0; k < (skin->bone_count > 1 ? 4 : 1); k++) {
        wr_pose pose = bones[skin->bone_count > 1 ? skin->joints[4 * node + k] : 0];
        double w = skin->bone_count > 1 ? (double)skin->weights[4 * node + k] : 1.0;
        wr_mat3 r = wr_mat3_from_quat(pose.rotation);
        const double p[3] = {(double)pose.position.x, (double)pose.position.y,
                             (double)pose.position.z};
        for (int i = 0; i < 3; i++) {
            x[i] += w * (p[i] + (double)r.m[i][0] * (double)u.x + (double)r.m[i][1] * (double)u.y +
                         (double)r.m[i][2] * (double)u.z);
        }
    }
    return wr_v3((float)x[0], (float)x[1], (float)x[2]);
}

static inline void film_fill_body(skinned_film *f, int b, float t)
{
    const wr_record_skin *skin = &f->skins[b / 2];
    const wr_mesh *mesh = f->models[b / 2]->meshes;
    film_bones(f, b, t);
    for (int i = 0; i < skin->vertex_count; i++) {
        wr_vec3 u = mesh->positions[i];
        f->displacements[b][skin->nodes[i]] = film_wobble(u, t + (float)b);
        f->points[b][i] = film_place(skin, f->bone_poses[b], skin->nodes[i],
                                     wr_add(u, film_wobble(u, t + (float)b)));
    }
    f->skinned[b] = (wr_record_skinned){b, skin->bone_count, skin->node_count, f->bone_poses[b],
                                        f->displacements[b]};
    f->shown[b] = (wr_record_points){b, skin->vertex_count, f->points[b]};
}

static inline const wr_frame *film_frame(skinned_film *f, int index)
{
    for (int b = 0; b < FILM_BODIES; b++) {
        int at = b == 1 && index > FILM_REST ? FILM_REST : index;
        film_fill_body(f, b, (float)at / 30.0f);
    }
    f->frame = (wr_frame){.index = index,
                          .time = index / 30.0,
                          .body_count = FILM_BODIES,
                          .poses = f->poses,
                          .points = f->shown,
                          .points_count = FILM_BODIES,
                          .skinned = f->skinned,
                          .skinned_count = FILM_BODIES};
    return &f->frame;
}

// keys: a snapshot, after which a key frame comes, behind every so many frames; 0: none.
static inline void film_write(skinned_film *f, const char *path, int keys)
{
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &f->info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    for (int k = 0; k < FILM_FRAMES; k++) {
        if (!wr_record_add_frame(writer, film_frame(f, k), &error) ||
            (keys && k % keys == keys - 1 && !wr_record_add_snapshot(writer, "state", 5, &error))) {
            fail_msg("%s", error.message);
        }
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}
