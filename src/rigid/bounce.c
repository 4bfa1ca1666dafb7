// bounce.c: bounces of the last step that are taken back because restitutions were lowered since.
//
// A body that bends when it is hit bounces less off that very hit, but how much it bends is known
// only after the engine has made it bounce. A contact that shall part with e times the speed of its
// approach has passed on (1 + e) times the impulse that would have stopped it; with e' < e the part
// (e - e') / (1 + e) of its normal impulse is too much, and goes back the way it came: equal and
// opposite pushes on both bodies at one point, so that momentum and angular momentum stay as they
// are. A push never makes a point approach that parts, so energy can only go.
#include "engine.h"

// Speed with which a point of a body moves along n.
static double speed_along(const wri_body_state *state, const double arm[3], const double n[3])
{
    double v[3];
    WR_ASSERT(wri_is_unit(n));
    wri_cross3(state->angular_velocity, arm, v);
    return wri_dot3(v, n) + wri_dot3(state->velocity, n);
}

// Change of the angular velocity per impulse along n at the end of the arm: I^-1 (r x n).
static void find_angular_response(const wri_rigid_body *body, const wri_body_state *state,
                                  const double arm[3], const double n[3], double out[3])
{
    wri_cross3(arm, n, out);
    wri_frame_turn_back(&state->frame, out, out);
    for (int i = 0; i < 3; i++) {
        out[i] /= body->engine.inertia[i];
    }
    wri_frame_turn(&state->frame, out, out);
}

typedef struct end {
    int index;
    bool moves;
    double arm[3];                 // from the centre of mass to the point
    double angular_response[3];    // I^-1 (r x n)
    double speed;                  // along the normal
    double inverse_effective_mass; // 1/m + ((I^-1 (r x n)) x r) . n
} end;

static end find_end(const wr_rigid *rigid, int index, const double point[3], const double n[3])
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    const wri_body_state *state = wri_rigid_state_at(rigid, index);
    end e = {.index = index, .moves = wri_rigid_moves(body)};
    for (int i = 0; i < 3; i++) {
        e.arm[i] = point[i] - state->frame.position[i];
    }
    e.speed = speed_along(state, e.arm, n);
    if (e.moves) {
        find_angular_response(body, state, e.arm, n, e.angular_response);
        double v[3];
        wri_cross3(e.angular_response, e.arm, v);
        e.inverse_effective_mass = 1.0 / body->engine.mass + wri_dot3(v, n);
        WR_ASSERT(e.inverse_effective_mass > 0);
    }
    return e;
}

static void push(wr_rigid *rigid, const end *e, const double n[3], double impulse)
{
    if (!e->moves) {
        return;
    }
    wri_body_state state = *wri_rigid_state_at(rigid, e->index);
    double speed = impulse / wri_rigid_body_at(rigid, e->index)->engine.mass;
    for (int i = 0; i < 3; i++) {
        state.velocity[i] += speed * n[i];
        state.angular_velocity[i] += impulse * e->angular_response[i];
    }
    wri_set_state(rigid, e->index, &state);
}

// The bodies have moved on since, each with its own side of the contact: half way between, or on
// the side of the one that moves.
static void find_point(const wr_rigid *rigid, const wri_bounce *b, double point[3])
{
    bool a_moves = wri_rigid_moves(wri_rigid_body_at(rigid, b->body_a));
    bool b_moves = wri_rigid_moves(wri_rigid_body_at(rigid, b->body_b));
    double share = a_moves && b_moves ? 0.5 : a_moves ? 1.0 : 0.0;
    const double *at_a = wri_rigid_state_at(rigid, b->body_a)->frame.position;
    const double *at_b = wri_rigid_state_at(rigid, b->body_b)->frame.position;
    for (int i = 0; i < 3; i++) {
        point[i] = share * (at_a[i] + b->arm_a[i]) + (1.0 - share) * (at_b[i] + b->arm_b[i]);
    }
}

static void take_back(wr_rigid *rigid, wri_bounce *b)
{
    double now = wri_bullet_contact_surface(rigid->bullet, b->body_a, b->body_b).restitution;
    if (!(now < b->restitution)) {
        return;
    }
    WR_ASSERT(now >= 0 && b->restitution <= 1);
    double point[3], wanted = b->impulse * (b->restitution - now) / (1.0 + b->restitution);
    find_point(rigid, b, point);
    end ends[2] = {find_end(rigid, b->body_a, point, b->normal),
                   find_end(rigid, b->body_b, point, b->normal)};
    double parting = ends[0].speed - ends[1].speed;
    double stops = parting / (ends[0].inverse_effective_mass + ends[1].inverse_effective_mass);
    if (parting > 0.0 && stops > 0.0) {
        double impulse = fmin(wanted, stops);
        push(rigid, &ends[0], b->normal, -impulse);
        push(rigid, &ends[1], b->normal, impulse);
    }
    b->impulse -= wanted;
    b->restitution = now;
}

void wr_rigid_take_back_bounces(wr_rigid *rigid)
{
    wri_bounce *bounces = rigid->bounces.items;
    for (int i = 0; i < rigid->bounces.count; i++) {
        take_back(rigid, &bounces[i]);
    }
}
