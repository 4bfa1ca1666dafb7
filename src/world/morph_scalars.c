// morph_scalars.c: numbers of the scene that join the joints of a pose: keys over time, the speed
// or turn of a joint, the time since something touched the body.
#include "morph_scalars.h"

#include "../base/base.h"
#include "../math/elementary.h"

static double keyed(const wri_scalar *s, double time)
{
    int next = 0;
    while (next < s->key_count && s->times[next] <= time) {
        next++;
    }
    if (next == 0 || next == s->key_count) {
        return s->values[next == 0 ? 0 : next - 1];
    }
    double share = (time - s->times[next - 1]) / (s->times[next] - s->times[next - 1]);
    return s->values[next - 1] + share * (s->values[next] - s->values[next - 1]);
}

static float speed(const wri_scalar *s, const wri_scalar_moment *m)
{
    wr_vec3 way = wr_sub(m->end[s->handle].offset, m->begin[s->handle].offset);
    return m->scale * wr_length(way) / m->dt;
}

static float turn(const wri_scalar *s, const wri_scalar_moment *m)
{
    int parent = m->skeleton->handles[s->handle].parent;
    wr_quat q = m->end[s->handle].rotation;
    if (parent >= 0) {
        wr_quat p = m->end[parent].rotation;
        q = wr_quat_multiply((wr_quat){-p.x, -p.y, -p.z, p.w}, q);
    }
    float sine = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z);
    return 2.0f * wri_atan2(sine, fabsf(q.w)) * 180.0f / WR_PI;
}

float wri_scalar_value(const wri_scalar *scalar, const wri_scalar_moment *moment)
{
    switch (scalar->kind) {
    case WRI_SCALAR_KEYED:
        return (float)keyed(scalar, moment->time);
    case WRI_SCALAR_SPEED:
        return moment->end ? speed(scalar, moment) : 0.0f;
    case WRI_SCALAR_TURN:
        return moment->end ? turn(scalar, moment) : 0.0f;
    case WRI_SCALAR_TOUCHED:
        return fmaxf(1.0f - moment->untouched / (float)scalar->fade, 0.0f);
    }
    return 0.0f;
}
