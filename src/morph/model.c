// model.c: what does not change of bodies: checked numbers, then a reduced or a full model.
#include "morph.h"

#include "../math/elementary.h"

static const uint32_t COOKIE = 0x4d504d44;

wr_morph_model_desc wr_morph_model_desc_default(void)
{
    return (wr_morph_model_desc){
        .stiffness = 1.0, .damping = 0.01f, .gamma = 0.6f, .dt = 1.0f / 240.0f, .cookie = COOKIE};
}

static bool check_number(double x, double least, double most, const char *what, wr_error *error)
{
    return (x >= least && x <= most) ||
           wri_fail(error, WR_E_ARGUMENT, "morph: %s is %g, expected %g to %g", what, x, least,
                    most);
}

static bool check(const wr_morph_model_desc *d, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_morph_model_desc, d, COOKIE) ||
        !wr_morph_data_check(d->data, error) ||
        !check_number(d->stiffness, 1e-9, 1e9, "the factor on stiffness", error) ||
        !check_number((double)d->damping, 0.0, 1e6, "damping", error) ||
        !check_number((double)d->drag, 0.0, 1e6, "drag", error) ||
        !check_number((double)d->gamma, 0.5, 1.0, "Newmark's gamma", error) ||
        !check_number((double)d->air, 0.0, 1e6, "air", error)) {
        return false;
    }
    if (!wri_is_step(d->dt)) {
        return wri_fail(error, WR_E_ARGUMENT, "morph: the step is %g s, expected more than 0",
                        (double)d->dt);
    }
    return d->is_full || d->data->mode_count > 0 ||
           wri_fail(error, WR_E_ARGUMENT,
                    "morph: the data has no modes: a full model is all that can be made of it");
}

static double find_size(const wr_morph_data *data)
{
    double volume = 0.0;
    for (int tet = 0; tet < data->tet_count; tet++) {
        const int *t = data->tets + 4 * (ptrdiff_t)tet;
        wr_vec3 a = wr_sub(data->nodes[t[1]], data->nodes[t[0]]);
        wr_vec3 b = wr_sub(data->nodes[t[2]], data->nodes[t[0]]);
        wr_vec3 c = wr_sub(data->nodes[t[3]], data->nodes[t[0]]);
        volume += (double)wr_dot(a, wr_cross(b, c)) / 6.0;
    }
    return wri_exp(wri_log(volume) / 3.0);
}

wr_morph_model *wr_morph_model_create(const wr_morph_model_desc *desc, wr_error *error)
{
    if (!check(desc, error)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(desc->allocator);
    wr_morph_model *m = wri_arena_alloc(&arena, 1, sizeof *m);
    if (!m) {
        wri_fail_memory(error, sizeof *m);
        return NULL;
    }
    double gamma = (double)desc->gamma, h = (double)desc->dt;
    *m = (wr_morph_model){.arena = arena,
                          .data = desc->data,
                          .target_count = desc->without_targets ? 1 : desc->data->target_count,
                          .is_full = desc->is_full,
                          .elasticity = desc->elasticity,
                          .between = desc->between,
                          .stiffness = desc->stiffness,
                          .damping = (double)desc->damping,
                          .drag = (double)desc->drag,
                          .gamma = gamma,
                          .beta = 0.5 * gamma,
                          .air = (double)desc->air,
                          .dt = h,
                          .size = find_size(desc->data)};
    m->inertia_factor = 1.0 + gamma * h * m->drag;
    m->stiffness_factor = m->beta * h * h + gamma * h * m->damping;
    bool ok = desc->is_full ? wri_full_create(m, &desc->tasks, error)
                            : wri_reduced_create(m, &desc->tasks, error);
    if (!ok || !wri_morph_skin_create(m, error)) {
        wr_morph_model_destroy(m);
        return NULL;
    }
    return m;
}

void wr_morph_model_destroy(wr_morph_model *model)
{
    if (model) {
        wri_full_destroy(model);
        wri_arena arena = model->arena;
        wri_arena_destroy(&arena);
    }
}

int wr_morph_model_freedom(const wr_morph_model *model)
{
    return model->freedom;
}

void wr_morph_model_shares(const wr_morph_model *model, const wr_pose *poses, const float *scalars,
                           bool are_shapes, double *out)
{
    double descriptor[6 * WR_MORPH_BONES_MAX + WR_MORPH_SCALARS_MAX];
    double shapes[WR_MORPH_TARGETS_MAX], stiffness[WR_MORPH_TARGETS_MAX];
    wri_space_describe(model->data, poses, scalars, descriptor);
    wri_space_shares(model->data, model->target_count, descriptor, shapes, stiffness);
    memcpy(out, are_shapes ? shapes : stiffness, (size_t)model->target_count * sizeof *out);
}
