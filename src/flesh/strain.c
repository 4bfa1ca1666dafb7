// strain.c: how far the layer lets skin go. Linear elasticity has no end: what is soft would pass
// its core, or go on along it for ever.
//
// Skin that is pressed to four fifths of its layer's thickness rests on the core, and skin that is
// drawn off by three of them, in any direction, is held: contacts of its own, solved with all
// others. Where contacts contradict each other, as when something is crushed, some are not kept:
// skin that is drawn off by another quarter, or pressed past its core, is put back then.
#include "flesh.h"

#include <float.h>

static const float BOTTOM_NEAR = 0.3f; // of the thickness before that: it may be met in this step
static const float END_NEAR = 1.0f;    // likewise, of its end

// Metres: how far skin that is pressed onto its core may shove that, and so all other skin onto it.
static float find_shove(const wri_flesh *f, const float *pressed)
{
    const wr_flesh_model *m = f->model;
    float most = 0.0f;
    for (int i = 0; i < m->node_count; i++) {
        float inwards = pressed[i] - f4_dot(f->q[i], m->outward[i]);
        most = pressed[i] > 0.0f ? fmaxf(most, inwards - WRI_FLESH_BOTTOM * m->rest[i][3]) : most;
    }
    return most;
}

// Whether skin may come near its core in this step. pressed: how far it may be pressed in, metres.
static bool find_bottom(const wri_flesh *f, int node, float pressed, wri_flesh_contact *out)
{
    f4 outward = f->model->outward[node];
    float thickness = f->model->rest[node][3], inwards = -f4_dot(f->q[node], outward);
    *out = (wri_flesh_contact){.node = node,
                               .body = WRI_OWN_CORE,
                               .normal = f4_vec3(outward),
                               .gap = WRI_FLESH_BOTTOM * thickness - inwards};
    return inwards + pressed > (WRI_FLESH_BOTTOM - BOTTOM_NEAR) * thickness;
}

// Likewise the end of what its layer can be strained. Linear elasticity has none: what is soft and
// drawn along the surface would go on for ever. It stops what goes on, but drives nothing back,
// since that is what the layer does.
static bool find_end(const wri_flesh *f, int node, wri_flesh_contact *out)
{
    f4 q = f->q[node];
    float thickness = f->model->rest[node][3], way = sqrtf(f4_dot(q, q));
    bool is_near = way > (WRI_FLESH_END - END_NEAR) * thickness;
    if (is_near) {
        *out = (wri_flesh_contact){.node = node,
                                   .body = WRI_OWN_CORE,
                                   .is_end = true,
                                   .normal = f4_vec3(-1.0f / way * q),
                                   .gap = fmaxf(WRI_FLESH_END * thickness - way, 0.0f)};
    }
    return is_near;
}

int wri_flesh_list_own(const wri_flesh *f, const float *pressed, wri_flesh_contact *out)
{
    const wr_flesh_model *m = f->model;
    float shove = find_shove(f, pressed);
    int count = 0;
    for (int i = 0; i < m->node_count; i++) {
        if (wri_flesh_is_fixed(m, i) || wri_flesh_is_held(f, i)) {
            continue;
        }
        wri_flesh_contact found[2];
        int some = find_bottom(f, i, fmaxf(pressed[i], shove), &found[0]);
        some += find_end(f, i, &found[some]);
        for (int k = 0; k < some && out; k++) {
            out[count + k] = found[k];
        }
        count += some;
    }
    return count;
}

// Takes back what a node has gone too far in a direction.
static void put_back(wri_flesh *f, int node, f4 direction, float too_far)
{
    if (too_far > 0.0f) {
        f->q[node] -= too_far * direction;
        f->v[node] -= fmaxf(f4_dot(f->v[node], direction), 0.0f) * direction;
    }
}

void wri_flesh_keep_within(wri_flesh *f)
{
    const wr_flesh_model *m = f->model;
    for (int i = 0; i < m->node_count; i++) {
        if (wri_flesh_is_fixed(m, i) || wri_flesh_is_held(f, i)) {
            continue;
        }
        float thickness = m->rest[i][3], way = sqrtf(f4_dot(f->q[i], f->q[i]));
        put_back(f, i, 1.0f / fmaxf(way, FLT_MIN) * f->q[i],
                 way - WRI_FLESH_MOST * WRI_FLESH_END * thickness);
        f4 inwards = -m->outward[i];
        put_back(f, i, inwards, f4_dot(f->q[i], inwards) - thickness);
    }
}

double wri_flesh_strain_energy(const wri_flesh *f)
{
    const wri_blocks *K = &f->model->K;
    double sum = 0.0;
    for (int i = 0; i < K->count; i++) {
        for (int k = K->begin[i]; k < K->begin[i + 1]; k++) {
            f4 q = f->q[i], other = f->q[K->column[k]];
            for (int l = 0; l < 9; l++) {
                sum += 0.5 * (double)(q[l / 3] * K->value[k][l] * other[l % 3]);
            }
        }
    }
    return sum;
}
