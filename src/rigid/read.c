// read.c: what can be read of bodies.
#include "engine.h"

wri_frame wri_body_frame(const wr_rigid *rigid, int index)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    return wri_frame_multiply(&wri_rigid_state_at(rigid, index)->frame, &body->engine.shape);
}

wr_pose wr_rigid_pose(const wr_rigid *rigid, int body)
{
    wri_frame frame = wri_body_frame(rigid, body);
    return wri_pose_from_frame(&rigid->units, &frame);
}

wr_vec3 wr_rigid_velocity(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    return wri_from_engine(wri_rigid_state_at(rigid, body)->velocity,
                           wri_unit_speed(&rigid->units));
}

wr_vec3 wr_rigid_spin(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    return wri_from_engine(wri_rigid_state_at(rigid, body)->spin, 1.0 / rigid->units.time);
}

wr_vec3 wr_rigid_center(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    return wri_from_engine(wri_rigid_state_at(rigid, body)->frame.position, rigid->units.length);
}

bool wr_rigid_is_asleep(const wr_rigid *rigid, int body)
{
    return wri_rigid_moves(wri_rigid_body_at(rigid, body)) &&
           wri_rigid_state_at(rigid, body)->activation == WRI_ASLEEP;
}

bool wr_rigid_is_frozen(const wr_rigid *rigid, int index)
{
    return wri_rigid_body_at(rigid, index)->frozen;
}

wr_box wr_rigid_bounds(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    double low[3], high[3];
    wri_bullet_read_bounds(rigid->bullet, body, low, high);
    wr_box box = {wri_from_engine(low, rigid->units.length),
                  wri_from_engine(high, rigid->units.length)};
    return box;
}

static void read_state(const wr_rigid *rigid, int index, wr_rigid_state *out)
{
    const wri_units *units = &rigid->units;
    const wri_body_state *state = wri_rigid_state_at(rigid, index);
    wri_frame frame = wri_body_frame(rigid, index);
    *out = (wr_rigid_state){
        .pose = wri_pose_from_frame(units, &frame),
        .center = wri_from_engine(state->frame.position, units->length),
        .velocity = wri_from_engine(state->velocity, wri_unit_speed(units)),
        .spin = wri_from_engine(state->spin, 1.0 / units->time),
        .asleep = wr_rigid_is_asleep(rigid, index),
        .frozen = wr_rigid_is_frozen(rigid, index),
    };
}

void wr_rigid_read_states(const wr_rigid *rigid, const int *bodies, int count, wr_rigid_state *out)
{
    WR_ASSERT(count >= 0);
    for (int i = 0; i < count; i++) {
        read_state(rigid, bodies[i], &out[i]);
    }
}
