// wall.c: what a published body meets: eq. 3.19 of the thesis.
#include "wall.h"

#include "../math/turn.h"

#include "../math/dense.h"

// Along a normal: m/s, and m/s per N s.
typedef struct side {
    double speed, give;
} side;

static bool find_whole(const wri_flesh *f, const wr_tasks *tasks, wr_scratch *scratch,
                       wri_whole *out)
{
    double I[9];
    if (!wri_flesh_find_momentum(f, tasks, scratch, &out->now)) {
        return false;
    }
    memcpy(I, out->now.inertia, sizeof I);
    memcpy(out->turning, out->now.spin, sizeof out->turning);
    if (!wri_dense_factor(3, I)) { // what has no extent does not turn
        memset(out->turning, 0, sizeof out->turning);
        memset(out->inverse_inertia, 0, sizeof out->inverse_inertia);
        return true;
    }
    wri_dense_solve(3, I, out->turning);
    wri_dense_invert(3, I, out->inverse_inertia);
    return true;
}

static side side_of_whole(const wri_whole *w, wr_vec3 at, const double n[3])
{
    double arm[3] = {(double)at.x - w->now.center[0], (double)at.y - w->now.center[1],
                     (double)at.z - w->now.center[2]};
    double moment[3], turned[3];
    wri_cross3(arm, n, moment);
    for (int k = 0; k < 3; k++) {
        turned[k] = wri_dot3(&w->inverse_inertia[3 * k], moment);
    }
    return (side){wri_dot3(w->now.P, n) / w->now.mass + wri_dot3(w->turning, moment),
                  1.0 / w->now.mass + wri_dot3(moment, turned)};
}

// What lies on something fixed is held by it.
static side side_of_body(wr_body_copy *body, wr_vec3 at, wr_vec3 normal)
{
    wr_vec3 answer = wr_mat3_apply(wr_body_copy_inverse_mass(body, at), normal);
    side out = {(double)wr_dot(wr_body_copy_velocity(body, at), normal),
                (double)wr_dot(answer, normal)};
    for (int k = 0; k < body->support_count && body->inverse_mass > 0.0f; k++) {
        wr_support *s = &body->supports[k];
        if (wr_dot(s->normal, normal) > WRI_FLESH_AGAINST) {
            out = (side){(double)wr_dot(s->velocity, normal), 0.0};
            s->gap = 0.0f; // it answers to pushes
        }
    }
    return out;
}

wr_vec3 wri_wall_velocity(wri_flesh *const *members, const wri_flesh_contact *c,
                          const wr_body_copy *bodies)
{
    wr_vec3 v = {0, 0, 0};
    if (c->body >= 0) {
        v = wr_body_copy_velocity(&bodies[c->body], c->point);
    }
    for (int k = 0; c->body <= WRI_FLESH && k < 3; k++) {
        v = wr_add_scaled(v, c->shares[k], wri_flesh_velocity(members[c->other], c->corners[k]));
    }
    return v;
}

static bool is_wall(const wri_flesh_contact *c, const wr_body_copy *bodies)
{
    return c->body == WRI_FIXED || (c->body >= 0 && !(bodies[c->body].inverse_mass > 0.0f));
}

bool wri_walls_find(wri_flesh *const *members, int member_count, const wri_flesh_step_desc *step,
                    wr_scratch *scratch, wri_whole **out)
{
    bool any = false;
    for (int i = 0; i < step->contact_count; i++) {
        const wri_flesh_contact *c = &step->contacts[i];
        any = any || (c->body != WRI_OWN_CORE && !is_wall(c, step->bodies));
    }
    *out = any ? wr_scratch_push(scratch, (size_t)member_count, sizeof **out) : NULL;
    bool ok = *out || !any;
    for (int i = 0; any && ok && i < member_count; i++) {
        ok = find_whole(members[i], &step->tasks, scratch, &(*out)[i]);
    }
    return ok;
}

double wri_wall_speed(const wri_whole *wholes, const wri_flesh_contact *c, wr_body_copy *bodies,
                      wr_vec3 v, wr_vec3 other)
{
    const double n[3] = {(double)c->normal.x, (double)c->normal.y, (double)c->normal.z};
    double speed = (double)wr_dot(other, c->normal);
    if (is_wall(c, bodies)) {
        return speed;
    }
    if (c->body <= WRI_FLESH && c->other == c->member) {
        return 0.5 * (speed + (double)wr_dot(v, c->normal));
    }
    side a = side_of_whole(&wholes[c->member], c->point, n);
    side b = c->body >= 0 ? side_of_body(&bodies[c->body], c->point, c->normal)
                          : side_of_whole(&wholes[c->other], c->point, n);
    return (a.speed * b.give + b.speed * a.give) / (a.give + b.give);
}
