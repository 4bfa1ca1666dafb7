// step.c: one step as a number of substeps, and the contacts it makes.
//
// The engine looks for contacts only at the beginning of a substep. Two convex bodies that overlap
// by less than half the sum of their thicknesses are pushed apart the way they came, so a fast body
// is safe as long as it moves by less than that per substep, towards whatever lies in its way. The
// number of substeps is chosen anew before each one from what is left of the step.
#include "engine.h"

#include "../math/elementary.h"

#include <stdlib.h>

static const double LONGEST = 1.0 / 60.0; // engine seconds per substep
static const double SAFE_APPROACH = 0.4;  // of both thicknesses, per substep
static const double TOO_FAR = 0.5;        // beyond which a body may pass through

// --- how many substeps ------------------------------------------------------------------------

typedef struct motion {
    double velocity[3];
    double angular_velocity; // radians per second
} motion;

// The motion of a driven body that takes it to its target in `time`.
static motion driven_motion(const wr_rigid *rigid, int index, double time)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    const wri_frame *at = &wri_rigid_state_at(rigid, index)->frame;
    motion m = {{0, 0, 0}, 0};
    if (body->has_target) {
        double trace = 0;
        for (int i = 0; i < 3; i++) {
            m.velocity[i] = (body->target.position[i] - at->position[i]) / time;
            trace += wri_dot3(body->target.basis[i], at->basis[i]);
        }
        double cosine = fmax(-1.0, fmin(1.0, 0.5 * (trace - 1.0)));
        m.angular_velocity = wri_atan2_fine(sqrt(1.0 - cosine * cosine), cosine) / time;
    }
    return m;
}

static motion find_motion(const wr_rigid *rigid, int index, double time)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    const wri_body_state *state = wri_rigid_state_at(rigid, index);
    motion m = {{0, 0, 0}, 0};
    WR_ASSERT(time > 0);
    if (body->engine.motion == WRI_BULLET_DRIVEN) {
        m = driven_motion(rigid, index, time);
    } else if (body->engine.motion == WRI_BULLET_MOVING) {
        memcpy(m.velocity, state->velocity, sizeof m.velocity);
        m.angular_velocity = wri_length3(state->angular_velocity);
    }
    return m;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// The box that a body sweeps when it moves by `displacement` and turns within `slack`.
static void sweep(const double box[2][3], const double displacement[3], double slack,
                  double out[2][3])
{
    WR_ASSERT(slack >= 0);
    for (int i = 0; i < 3; i++) {
        out[0][i] = box[0][i] + smaller(displacement[i], 0) - slack;
        out[1][i] = box[1][i] - smaller(-displacement[i], 0) + slack;
    }
}

static bool may_touch(const wri_bullet_body *a, const wri_bullet_body *b)
{
    return b->present && (a->group & b->collides) && (b->group & a->collides) &&
           (a->motion == WRI_BULLET_MOVING || b->motion == WRI_BULLET_MOVING);
}

static wri_mover find_mover(const wr_rigid *rigid, int index, double time)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    motion own = find_motion(rigid, index, time);
    wri_mover m = {.body = index};
    double full_arc = own.angular_velocity * smaller(body->bounding_radius, 1e30) * time;
    for (int i = 0; i < 3; i++) {
        m.displacement[i] = own.velocity[i] * time;
    }
    m.arc = own.angular_velocity > 0
                ? smaller(own.angular_velocity * time, 2) * body->bounding_radius
                : 0;
    m.fast = wri_length3(m.displacement) + full_arc > SAFE_APPROACH * body->thickness;
    return m;
}

// True when a box reaches below the plane, whose normal is the y axis of its frame.
static bool box_meets_plane(const double box[2][3], const wri_frame *plane)
{
    double height = 0;
    WR_ASSERT(wri_is_rotation(plane->basis));
    for (int i = 0; i < 3; i++) {
        double n = plane->basis[i][1];
        height += n * (box[n > 0 ? 0 : 1][i] - plane->position[i]);
    }
    return height < 0;
}

// The approach of `a` towards `b` in multiples of the summed thicknesses; 0 when b is not in its
// way, and when it is no more than `most`. The bounds of a mesh may be mostly empty: its
// triangles decide.
static double find_approach(const wr_rigid *rigid, const wri_mover *a, const wri_mover *b,
                            double most)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, a->body);
    const wri_rigid_body *other = wri_rigid_body_at(rigid, b->body);
    double displacement[3], arc = a->arc + b->arc;
    WR_ASSERT(a->body != b->body && most >= 0);
    for (int i = 0; i < 3; i++) {
        displacement[i] = a->displacement[i] - b->displacement[i];
    }
    // Solids are pushed out of what lies behind a plane, but triangles have no inside.
    bool is_plane = other->kind == WR_SHAPE_PLANE;
    double both = fmax(body->thickness + (is_plane ? 0 : other->thickness), 1e-9);
    double ratio = (wri_length3(displacement) + arc) / both;
    if (!(ratio > most) || (is_plane && body->kind != WR_SHAPE_MESH) ||
        !may_touch(&body->engine, &other->engine) ||
        wri_bullet_are_apart(rigid->bullet, wri_body_pair_of(a->body, b->body))) {
        return 0;
    }
    double box[2][3];
    sweep(a->box, displacement, arc, box);
    if (is_plane) {
        const wri_frame *plane = &wri_rigid_state_at(rigid, b->body)->frame;
        return box_meets_plane((const double(*)[3])box, plane) ? ratio : 0;
    }
    bool met = wri_boxes_meet((const double(*)[3])box, b->box) &&
               (other->kind != WR_SHAPE_MESH ||
                wri_bullet_mesh_is_within(rigid->bullet, b->body, box[0], box[1]));
    return met ? ratio : 0;
}

static bool is_still(const wri_mover *m)
{
    return m->displacement[0] == 0 && m->displacement[1] == 0 && m->displacement[2] == 0 &&
           m->arc == 0;
}

// The largest approach of a mover towards bodies that stay where they are, at least `most`.
static double approach_to_still(const wr_rigid *rigid, const wri_mover *m, double time, double most)
{
    const int *found = NULL;
    int count = wri_bullet_find_within(rigid->bullet, m->swept[0], m->swept[1], &found);
    for (int i = 0; i < (count < 0 ? rigid->bodies.count : count); i++) {
        WR_ASSERT(count < 0 || i == 0 || found[i] > found[i - 1]);
        int index = count < 0 ? i : found[i]; // out of memory: any body may be near
        if (index == m->body || !wri_rigid_body_at(rigid, index)->engine.present) {
            continue;
        }
        wri_mover other = find_mover(rigid, index, time);
        if (is_still(&other)) {
            wri_bullet_read_bounds(rigid->bullet, index, other.box[0], other.box[1]);
            most = fmax(most, find_approach(rigid, m, &other, most));
        }
    }
    return most;
}

static int compare_movers(const void *a, const void *b)
{
    const wri_mover *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->body > y->body) - (x->body < y->body);
}

// The axis along which the swept boxes are shortest compared with how far they are spread.
static int choose_axis(const wri_mover *movers, int count)
{
    double best = HUGE_VAL;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL, length = 0;
        for (int i = 0; i < count; i++) {
            low = fmin(low, movers[i].swept[0][k]);
            high = fmax(high, movers[i].swept[1][k]);
            length += movers[i].swept[1][k] - movers[i].swept[0][k];
        }
        if (length / (high - low) < best) {
            best = length / (high - low);
            axis = k;
        }
    }
    return axis;
}

// The largest approach between bodies that move, at least `most`: two that meet on their way sweep
// boxes that meet, and sorted along an axis such boxes are found without looking at all pairs.
static double approach_of_movers(const wr_rigid *rigid, wri_mover *movers, int count, double most)
{
    int axis = choose_axis(movers, count);
    WR_ASSERT(count > 0 && count <= rigid->movers.capacity);
    for (int i = 0; i < count; i++) {
        movers[i].first = movers[i].swept[0][axis];
    }
    qsort(movers, (size_t)count, sizeof *movers, compare_movers);
    for (int i = 0; i < count; i++) {
        const wri_mover *a = &movers[i];
        for (int j = i + 1; j < count && movers[j].first <= a->swept[1][axis]; j++) {
            const wri_mover *b = &movers[j];
            if (!(a->fast || b->fast) || !wri_boxes_meet(a->swept, b->swept)) {
                continue;
            }
            most = a->fast ? fmax(most, find_approach(rigid, a, b, most)) : most;
            most = b->fast ? fmax(most, find_approach(rigid, b, a, most)) : most;
        }
    }
    return most;
}

// Gathers what moves; returns how many, 0 when nothing is fast.
static int find_movers(wr_rigid *rigid, double time)
{
    wri_mover *movers = rigid->movers.items;
    int count = 0;
    bool any = false;
    for (int i = 0; i < rigid->bodies.count; i++) {
        const wri_rigid_body *body = wri_rigid_body_at(rigid, i);
        if (body->engine.present && body->engine.motion != WRI_BULLET_STATIC) {
            wri_mover m = find_mover(rigid, i, time);
            any = any || m.fast;
            if (!is_still(&m)) {
                movers[count++] = m;
            }
        }
    }
    for (int i = 0; any && i < count; i++) {
        wri_mover *m = &movers[i];
        wri_bullet_read_bounds(rigid->bullet, m->body, m->box[0], m->box[1]);
        sweep((const double(*)[3])m->box, m->displacement, m->arc, m->swept);
    }
    return any ? count : 0;
}

// Number of substeps for the rest of the step, of which `done` are over.
static int choose_substeps(wr_rigid *rigid, double time, int done)
{
    WR_ASSERT(time > 0 && done >= 0);
    int most = WRI_MAX_SUBSTEPS - done, count = find_movers(rigid, time);
    double wanted = ceil(time / LONGEST - 1e-6), approach = 0;
    wri_mover *movers = rigid->movers.items;
    if (count > 0) {
        approach = approach_of_movers(rigid, movers, count, 0);
    }
    for (int i = 0; i < count; i++) {
        if (movers[i].fast) {
            approach = approach_to_still(rigid, &movers[i], time, approach);
        }
    }
    wanted = fmax(wanted, fmax(1.0, ceil(approach / SAFE_APPROACH)));
    if (approach > TOO_FAR * most) {
        rigid->statistics.too_fast += rigid->statistics.substeps == 0; // once per step
    }
    return wanted < most ? (int)wanted : most > 1 ? most : 1;
}

// --- driven bodies ----------------------------------------------------------------------------

static void start_drive(wr_rigid *rigid)
{
    wri_frame *starts = rigid->starts.items;
    for (int i = 0; i < rigid->bodies.count; i++) {
        if (wri_rigid_body_at(rigid, i)->engine.motion == WRI_BULLET_DRIVEN) {
            starts[i] = wri_rigid_state_at(rigid, i)->frame;
        }
    }
}

static wri_frame blend_frames(const wri_frame *a, const wri_frame *b, double t)
{
    wri_frame f;
    double p[4], q[4];
    WR_ASSERT(t >= 0.0 && t <= 1.0);
    wri_frame_rotation(a, p);
    wri_frame_rotation(b, q);
    double dot = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    for (int i = 0; i < 4; i++) {
        q[i] = (1.0 - t) * p[i] + (dot < 0 ? -t : t) * q[i];
    }
    for (int i = 0; i < 3; i++) {
        f.position[i] = a->position[i] + t * (b->position[i] - a->position[i]);
    }
    wri_frame_set_rotation(&f, q);
    return f;
}

static void drive(wr_rigid *rigid, double fraction, double dt)
{
    const wri_frame *starts = rigid->starts.items;
    WR_ASSERT(fraction > 0.0 && dt > 0.0);
    for (int i = 0; i < rigid->bodies.count; i++) {
        wri_rigid_body *body = wri_rigid_body_at(rigid, i);
        if (body->engine.present && body->engine.motion == WRI_BULLET_DRIVEN) {
            wri_frame end = !body->has_target ? wri_rigid_state_at(rigid, i)->frame
                            : fraction >= 1.0 ? body->target
                                              : blend_frames(&starts[i], &body->target, fraction);
            wri_bullet_drive(rigid->bullet, i, &end, dt);
        }
    }
}

static void finish_drive(wr_rigid *rigid)
{
    for (int i = 0; i < rigid->bodies.count; i++) {
        wri_rigid_body_at(rigid, i)->has_target = false;
    }
}

// --- contacts ---------------------------------------------------------------------------------

static int piece_of(const wri_rigid_body *body, int index)
{
    int count = body->kind == WR_SHAPE_HULLS  ? body->piece_count
                : body->kind == WR_SHAPE_MESH ? body->triangle_count
                                              : 0;
    return index >= 0 && index < count ? index : -1;
}

static bool is_awake(const wr_rigid *rigid, int body)
{
    return wri_rigid_state_at(rigid, body)->activation != WRI_ASLEEP;
}

static bool is_worth_reporting(const wr_rigid *rigid, const wri_bullet_contact *c)
{
    double sum = wri_length3(c->point) + wri_length3(c->normal) + c->distance + c->impulse +
                 c->impulse_a + c->impulse_b;
    return isfinite(sum) && (c->impulse > 0 || c->distance <= 0) &&
           (is_awake(rigid, c->body_a) || is_awake(rigid, c->body_b));
}

static void fill_contact(const wr_rigid *rigid, const wri_bullet_contact *c, int substep,
                         wr_contact *out)
{
    double unit = wri_unit_impulse(&rigid->units), tangential[3];
    WR_ASSERT(c->body_a != c->body_b && fabs(wri_length3(c->normal) - 1.0) < 1e-3);
    for (int i = 0; i < 3; i++) {
        tangential[i] = c->friction_a[i] * c->impulse_a + c->friction_b[i] * c->impulse_b;
    }
    *out = (wr_contact){
        .body_a = c->body_a,
        .body_b = c->body_b,
        .piece_a = piece_of(wri_rigid_body_at(rigid, c->body_a), c->index_a),
        .piece_b = piece_of(wri_rigid_body_at(rigid, c->body_b), c->index_b),
        .point = wri_from_engine(c->point, rigid->units.length),
        .normal = wri_from_engine(c->normal, 1.0),
        .distance = (float)(c->distance * rigid->units.length),
        .normal_impulse = (float)(fmax(c->impulse, 0.0) * unit),
        .tangential_impulse = wri_from_engine(tangential, unit),
        .substep = substep,
    };
}

// The bodies have moved since by their velocity times dt.
static void note_bounce(const wr_rigid *rigid, const wri_bullet_contact *c, double dt,
                        wri_bounce *out)
{
    const wri_body_state *a = wri_rigid_state_at(rigid, c->body_a);
    const wri_body_state *b = wri_rigid_state_at(rigid, c->body_b);
    *out = (wri_bounce){.body_a = c->body_a,
                        .body_b = c->body_b,
                        .impulse = c->impulse,
                        .restitution = c->restitution};
    WR_ASSERT(c->impulse > 0 && c->restitution > 0 && c->restitution <= 1);
    for (int i = 0; i < 3; i++) {
        out->normal[i] = c->normal[i];
        out->arm_a[i] = c->point[i] + dt * a->velocity[i] - a->frame.position[i];
        out->arm_b[i] = c->point[i] + dt * b->velocity[i] - b->frame.position[i];
    }
}

// Adds the contacts of a substep of dt to those of the step; out of memory they are lost.
static void read_contacts(wr_rigid *rigid, int substep, double dt)
{
    int found = wri_bullet_contact_count(rigid->bullet);
    if (!wri_array_reserve(&rigid->raw, found) ||
        !wri_array_reserve(&rigid->contacts, rigid->contacts.count + found) ||
        !wri_array_reserve(&rigid->bounces, rigid->bounces.count + found)) {
        return;
    }
    const wri_bullet_contact *raw = rigid->raw.items;
    found = wri_bullet_read_contacts(rigid->bullet, rigid->raw.items);
    WR_ASSERT(found <= rigid->raw.capacity);
    for (int i = 0; i < found; i++) {
        if (is_worth_reporting(rigid, &raw[i])) {
            fill_contact(rigid, &raw[i], substep, wri_array_add(&rigid->contacts, 1));
            if (raw[i].restitution > 0 && raw[i].impulse > 0) {
                note_bounce(rigid, &raw[i], dt, wri_array_add(&rigid->bounces, 1));
            }
        }
    }
}

// Where it is now that its bodies have moved.
static void follow_bodies(const wr_rigid *rigid, wri_bullet_contact *c)
{
    double a[3];
    wri_frame_point(&wri_rigid_state_at(rigid, c->body_a)->frame, c->local_a, a);
    wri_frame_point(&wri_rigid_state_at(rigid, c->body_b)->frame, c->local_b, c->point);
    c->distance = 0;
    for (int i = 0; i < 3; i++) {
        c->distance += (a[i] - c->point[i]) * c->normal[i];
    }
}

int wr_rigid_find_contacts(wr_rigid *rigid, wr_contact *contacts, int room)
{
    int found = wri_bullet_contact_count(rigid->bullet), count = 0;
    if (!wri_array_reserve(&rigid->raw, found)) {
        return 0;
    }
    wri_bullet_contact *raw = rigid->raw.items;
    found = wri_bullet_read_contacts(rigid->bullet, raw);
    for (int i = 0; i < found; i++) {
        if (count < room) {
            follow_bodies(rigid, &raw[i]);
            fill_contact(rigid, &raw[i], 0, &contacts[count]);
        }
        count++;
    }
    return count;
}

// --- the step ---------------------------------------------------------------------------------

// Takes over the engine's states; a body whose state is not sound stops where it last was.
static void read_states(wr_rigid *rigid)
{
    wri_body_state *fresh = rigid->fresh.items;
    WR_ASSERT(rigid->fresh.capacity >= rigid->bodies.count);
    wri_bullet_read_states(rigid->bullet, fresh);
    for (int i = 0; i < rigid->bodies.count; i++) {
        if (!wri_rigid_body_at(rigid, i)->engine.present) {
            continue;
        }
        if (wri_state_is_sound(&fresh[i])) {
            *wri_rigid_state_at(rigid, i) = fresh[i];
        } else {
            wri_give_up(rigid, i, &fresh[i]);
        }
    }
}

static void begin_step(wr_rigid *rigid)
{
    rigid->contacts.count = 0;
    rigid->bounces.count = 0;
    rigid->statistics.substeps = 0;
    for (int i = 0; i < rigid->joints.count; i++) {
        wri_rigid_joint *joint = wri_rigid_joint_at(rigid, i);
        memset(joint->impulse, 0, sizeof joint->impulse);
        memset(joint->turn, 0, sizeof joint->turn);
    }
    start_drive(rigid);
}

static void end_step(wr_rigid *rigid)
{
    finish_drive(rigid);
    rigid->statistics.contacts = rigid->contacts.count;
    rigid->statistics.awake = 0;
    for (int i = 0; i < rigid->bodies.count; i++) {
        wri_rigid_body *body = wri_rigid_body_at(rigid, i);
        rigid->statistics.awake += wri_rigid_moves(body) && is_awake(rigid, i);
        if (body->engine.is_weightless) {
            body->engine.is_weightless = false;
            wri_bullet_set_body(rigid->bullet, i, &body->engine);
        }
    }
}

void wr_rigid_step(wr_rigid *rigid, float dt, wr_substep_fn *substep, void *user)
{
    if (!wri_is_step(dt) || wri_bullet_is_broken(rigid->bullet)) {
        return;
    }
    double total = dt / rigid->units.time, done = 0;
    begin_step(rigid);
    for (int i = 0; done < total; i++) {
        int left = choose_substeps(rigid, total - done, i);
        double h = (total - done) / left;
        WR_ASSERT(left >= 1 && h > 0);
        double end = left == 1 ? total : done + h;
        int first = rigid->contacts.count;
        drive(rigid, end / total, h);
        if (!wri_bullet_step(rigid->bullet, h)) {
            return;
        }
        rigid->has_supports = false;
        done = end;
        rigid->statistics.substeps = i + 1;
        read_states(rigid);
        read_contacts(rigid, i, h);
        wri_read_joints(rigid, h);
        if (substep) {
            const wr_contact *contacts = rigid->contacts.items;
            int count = rigid->contacts.count - first;
            substep(user, (float)(h * rigid->units.time), count ? contacts + first : NULL, count);
        }
    }
    WR_ASSERT(done == total);
    end_step(rigid);
}

bool wr_rigid_check(const wr_rigid *rigid, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid)) {
        return false;
    }
    return !wri_bullet_is_broken(rigid->bullet) ||
           wri_fail(error, WR_E_MEMORY, "out of memory in the rigid-body engine");
}

const wr_contact *wr_rigid_contacts(const wr_rigid *rigid, int *count)
{
    WR_ASSERT(count);
    *count = rigid->contacts.count;
    return rigid->contacts.items;
}
