// body.c: a body of flesh: its memory, and where its nodes are.
#include "flesh.h"
#include "lever.h"
#include "../math/turn.h"

enum {
    ROWS = 9, // of a joint at most: three that hold, a spring and a limit about each of three axes
    LIMITS = 3,
    MOVED = 6, // of a bone that is driven or pulled
};

static bool take_joints(wri_flesh *f, const wr_allocator *allocator)
{
    size_t k = (size_t)f->model->bone_count;
    size_t room = ROWS * (size_t)f->model->joint_count + MOVED * k;
    size_t limits = LIMITS * (size_t)f->model->joint_count;
    f->joints = (wri_joints){.room = (int)room,
                             .rows = wri_alloc(allocator, room, sizeof *f->joints.rows),
                             .limits = wri_alloc(allocator, limits, sizeof *f->joints.limits),
                             .is_met = wri_alloc(allocator, limits, sizeof *f->joints.is_met),
                             .H = wri_alloc(allocator, room * room, sizeof *f->joints.H),
                             .mu = wri_alloc(allocator, room, sizeof *f->joints.mu),
                             .work = wri_alloc(allocator, 18 * k, sizeof *f->joints.work)};
    return f->joints.rows && f->joints.limits && f->joints.is_met && f->joints.H && f->joints.mu &&
           f->joints.work;
}

bool wri_flesh_create(wri_flesh *out, const wr_flesh_model *model, wr_error *error)
{
    const wr_allocator *allocator = &model->arena.allocator;
    size_t n = (size_t)model->node_count, k = (size_t)model->bone_count;
    *out = (wri_flesh){.model = model,
                       .bones = wri_alloc(allocator, k, sizeof *out->bones),
                       .Q = wri_alloc(allocator, k, sizeof *out->Q),
                       .q = wri_alloc(allocator, n, sizeof *out->q),
                       .v = wri_alloc(allocator, n, sizeof *out->v),
                       .felt = wri_alloc(allocator, n, sizeof *out->felt),
                       .targets =
                           wri_alloc(allocator, (size_t)model->joint_count, sizeof *out->targets),
                       .goals = wri_alloc(allocator, k, sizeof *out->goals),
                       .is_driven = wri_alloc(allocator, k, sizeof *out->is_driven),
                       .pulls = wri_alloc(allocator, k, sizeof *out->pulls)};
    wri_block_patch_create(&out->patch, allocator);
    bool ok = (out->bones && out->Q && out->q && out->v && out->felt && out->targets &&
               out->goals && out->is_driven && out->pulls && take_joints(out, allocator)) ||
              wri_fail_memory(error, n * sizeof(f4));
    ok = ok && wri_path_create(&out->path, model->plan, 64, allocator, error);
    for (int i = 0; ok && i < model->bone_count; i++) {
        memcpy(out->bones[i].c, model->bones[i].origin, sizeof out->bones[i].c);
        out->bones[i].turn[3] = 1.0;
    }
    if (ok) {
        wri_flesh_find_turns(out);
    } else {
        wri_flesh_destroy(out);
    }
    return ok;
}

void wri_flesh_destroy(wri_flesh *f)
{
    const wr_allocator *allocator = &f->model->arena.allocator;
    size_t n = (size_t)f->model->node_count, k = (size_t)f->model->bone_count;
    size_t room = (size_t)f->joints.room, limits = LIMITS * (size_t)f->model->joint_count;
    wri_free(allocator, f->bones, k, sizeof *f->bones);
    wri_free(allocator, f->Q, k, sizeof *f->Q);
    wri_free(allocator, f->q, n, sizeof *f->q);
    wri_free(allocator, f->v, n, sizeof *f->v);
    wri_free(allocator, f->felt, n, sizeof *f->felt);
    wri_free(allocator, f->targets, (size_t)f->model->joint_count, sizeof *f->targets);
    wri_free(allocator, f->goals, k, sizeof *f->goals);
    wri_free(allocator, f->is_driven, k, sizeof *f->is_driven);
    wri_free(allocator, f->pulls, k, sizeof *f->pulls);
    wri_free(allocator, f->joints.rows, room, sizeof *f->joints.rows);
    wri_free(allocator, f->joints.limits, limits, sizeof *f->joints.limits);
    wri_free(allocator, f->joints.is_met, limits, sizeof *f->joints.is_met);
    wri_free(allocator, f->joints.H, room * room, sizeof *f->joints.H);
    wri_free(allocator, f->joints.mu, room, sizeof *f->joints.mu);
    wri_free(allocator, f->joints.work, 18 * k, sizeof *f->joints.work);
    wri_path_destroy(&f->path);
    wri_block_patch_destroy(&f->patch);
    *f = (wri_flesh){.model = f->model};
}

wr_vec3 wri_flesh_place(const wri_flesh *f, int node)
{
    const wr_flesh_model *m = f->model;
    double x[3] = {0};
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = m->bone_ids[e];
        double r[3];
        if (m->weights[e] == 0.0f) { // so are the rest
            break;
        }
        wri_lever_now(f, node, bone, r);
        wri_apply(WRI_MATRIX(f->Q[bone].m), r, r);
        for (int k = 0; k < 3; k++) {
            x[k] += (double)m->weights[e] * (f->bones[bone].c[k] + r[k]);
        }
    }
    return wr_v3((float)x[0], (float)x[1], (float)x[2]);
}

bool wri_flesh_is_held(const wri_flesh *f, int node)
{
    bool held = true;
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        held = held && (f->is_driven[f->model->bone_ids[e]] || !(f->model->weights[e] > 0.0f));
    }
    return held;
}

wr_vec3 wri_flesh_velocity(const wri_flesh *f, int node)
{
    const wr_flesh_model *m = f->model;
    double sum[3] = {0};
    for (int e = node * WRI_FLESH_BONES; e < (node + 1) * WRI_FLESH_BONES; e++) {
        int bone = m->bone_ids[e];
        double r[3], v[3];
        if (m->weights[e] == 0.0f) {
            break;
        }
        wri_lever_now(f, node, bone, r);
        wri_cross3(f->bones[bone].alpha, r, v);
        for (int k = 0; k < 3; k++) {
            v[k] += (double)f->v[node][k];
        }
        wri_apply(WRI_MATRIX(f->Q[bone].m), v, v);
        for (int k = 0; k < 3; k++) {
            sum[k] += (double)m->weights[e] * (f->bones[bone].v[k] + v[k]);
        }
    }
    return wr_v3((float)sum[0], (float)sum[1], (float)sum[2]);
}
