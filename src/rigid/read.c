// read.c: what can be read of bodies.
#include "engine.h"

#include <stdlib.h>

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

wr_vec3 wr_rigid_angular_velocity(const wr_rigid *rigid, int body)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count);
    return wri_from_engine(wri_rigid_state_at(rigid, body)->angular_velocity,
                           1.0 / rigid->units.time);
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
        .angular_velocity = wri_from_engine(state->angular_velocity, 1.0 / units->time),
        .asleep = wr_rigid_is_asleep(rigid, index),
        .frozen = wr_rigid_is_frozen(rigid, index),
    };
}

void wr_rigid_read_states(const wr_rigid *rigid, const int *bodies, int count, wr_rigid_state *out)
{
    WR_ASSERT(count >= 0 && (count == 0 || (bodies && out)));
    for (int i = 0; i < count; i++) {
        read_state(rigid, bodies[i], &out[i]);
    }
}

// --- views ------------------------------------------------------------------------------------

// R diag(1 / I) R^T with the principal moments I and axes R.
static void find_inverse_inertia(const wri_units *units, const wri_frame *frame,
                                 const double moments[3], float out[3][3])
{
    WR_ASSERT(moments[0] > 0 && moments[1] > 0 && moments[2] > 0);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                sum += frame->basis[i][k] * frame->basis[j][k] / moments[k];
            }
            out[i][j] = (float)(sum / wri_unit_inertia(units));
        }
    }
}

static void find_view(const wr_rigid *rigid, int index, wr_rigid_view *out)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    wr_rigid_state state;
    read_state(rigid, index, &state);
    *out = (wr_rigid_view){
        .motion = body->engine.present ? (wr_motion)body->engine.motion : WR_MOTION_STATIC,
        .center = state.center,
        .velocity = state.velocity,
        .angular_velocity = state.angular_velocity,
        .pose = state.pose,
        .friction = (float)body->engine.friction,
        .restitution = (float)body->engine.restitution,
    };
    if (wri_rigid_moves(body)) {
        out->inverse_mass = (float)(1.0 / (body->engine.mass * rigid->units.mass));
        find_inverse_inertia(&rigid->units, &wri_rigid_state_at(rigid, index)->frame,
                             body->engine.inertia, out->inverse_inertia);
    }
}

void wr_rigid_find_views(const wr_rigid *rigid, const int *bodies, int count, wr_rigid_view *out)
{
    WR_ASSERT(count >= 0 && (count == 0 || (bodies && out)));
    for (int i = 0; i < count; i++) {
        find_view(rigid, bodies[i], &out[i]);
    }
}

// --- supports ---------------------------------------------------------------------------------

static int compare_supports(const void *a, const void *b)
{
    const wri_bullet_support *x = a, *y = b;
    return x->body != y->body ? (x->body < y->body ? -1 : 1)
                              : (x->order > y->order) - (x->order < y->order);
}

// Out of memory there are no supports.
static void gather_supports(wr_rigid *rigid)
{
    wri_array *all = &rigid->supports;
    int count = wri_bullet_read_supports(rigid->bullet, NULL, 0);
    all->count = 0;
    if (wri_array_reserve(all, count)) {
        all->count = wri_bullet_read_supports(rigid->bullet, all->items, count);
        WR_ASSERT(all->count == count);
        if (all->count > 1) { // with none there are no items either
            qsort(all->items, (size_t)all->count, all->item_size, compare_supports);
        }
        rigid->has_supports = true;
    }
}

static int first_support(const wr_rigid *rigid, int body)
{
    int low = 0, high = rigid->supports.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (WRI_ITEM(rigid->supports, wri_bullet_support, middle).body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int find_supports(wr_rigid *rigid, int body, int *end)
{
    if (!rigid->has_supports) {
        gather_supports(rigid);
    }
    int first = first_support(rigid, body);
    *end = first;
    while (*end < rigid->supports.count &&
           WRI_ITEM(rigid->supports, wri_bullet_support, *end).body == body) {
        ++*end;
    }
    return first;
}

bool wri_rigid_is_pressed(wr_rigid *rigid, int body)
{
    int end;
    bool is_pressed = false;
    for (int i = find_supports(rigid, body, &end); i < end; i++) {
        is_pressed = is_pressed || WRI_ITEM(rigid->supports, wri_bullet_support, i).presses;
    }
    return is_pressed;
}

int wr_rigid_find_supports(wr_rigid *rigid, int body, wr_support *supports, int room)
{
    WR_ASSERT(body >= 0 && body < rigid->bodies.count && room >= 0 && (room == 0 || supports));
    int count = 0, end;
    for (int i = find_supports(rigid, body, &end); i < end && count < room; i++) {
        const wri_bullet_support *s = &WRI_ITEM(rigid->supports, wri_bullet_support, i);
        WR_ASSERT(wri_is_unit(s->normal));
        supports[count++] =
            (wr_support){.point = wri_from_engine(s->point, rigid->units.length),
                         .normal = wri_from_engine(s->normal, 1.0),
                         .velocity = wri_from_engine(s->velocity, wri_unit_speed(&rigid->units)),
                         .gap = (float)(s->distance * rigid->units.length),
                         .friction = (float)s->friction};
    }
    return count;
}
