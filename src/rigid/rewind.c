// rewind.c: a step is taken back, and taken again with other shapes.
//
// Places and momenta are as they were before it; shapes, masses, surfaces and what contacts know
// from the step stay. A body whose mass properties changed meanwhile keeps its orientation and
// both momenta, and its centre of mass stays where it was, as wr_rigid_set_mass has it.
#include "engine.h"

typedef struct kept_body {
    wri_body_state state;
    wri_bullet_body engine;
    wri_frame frame; // the body's own
} kept_body;

bool wr_rigid_keep_states(wr_rigid *rigid, wr_error *error)
{
    size_t size = (size_t)rigid->bodies.count * sizeof(kept_body);
    rigid->kept.count = 0;
    uint8_t *bytes = size <= INT32_MAX ? wri_array_add(&rigid->kept, (int)size) : NULL;
    if (!bytes && size > 0) {
        return wri_fail_memory(error, size);
    }
    for (int i = 0; i < rigid->bodies.count; i++) {
        kept_body kept = {*wri_rigid_state_at(rigid, i), wri_rigid_body_at(rigid, i)->engine,
                          wri_body_frame(rigid, i)};
        memcpy(bytes + (size_t)i * sizeof kept, &kept, sizeof kept);
    }
    return true;
}

static void rewind_body(wr_rigid *rigid, int index, const kept_body *kept)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    bool slept = kept->state.activation == WRI_ASLEEP &&
                 wri_rigid_state_at(rigid, index)->activation == WRI_ASLEEP;
    if (!body->engine.present || body->engine.motion == WRI_BULLET_STATIC || slept) {
        return;
    }
    wri_body_state state = kept->state;
    if (wri_rigid_moves(body) && kept->engine.motion == WRI_BULLET_MOVING) {
        wri_frame frame = wri_frame_multiply(&kept->frame, &body->principal);
        if (!wri_rigid_is_pressed(rigid, index)) {
            memcpy(frame.position, kept->state.frame.position, sizeof frame.position);
        }
        double gain;
        state = wri_keep_momentum(&kept->state, &kept->engine, &body->engine, &frame, &gain);
    }
    wri_set_state(rigid, index, &state);
}

void wr_rigid_rewind(wr_rigid *rigid)
{
    int count = rigid->kept.count / (int)sizeof(kept_body);
    for (int i = 0; i < count && i < rigid->bodies.count; i++) {
        kept_body kept;
        memcpy(&kept, (const uint8_t *)rigid->kept.items + (size_t)i * sizeof kept, sizeof kept);
        rewind_body(rigid, i, &kept);
    }
    rigid->kept.count = 0;
}
