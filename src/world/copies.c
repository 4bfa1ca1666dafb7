#include "copies.h"

#include "../base/base.h"

bool wri_copies_begin(wri_copies *copies, const wr_ensemble_step *step)
{
    size_t bodies = 0;
    *copies = (wri_copies){.step = step};
    for (int i = 0; i < step->member_count; i++) {
        copies->touch_count += step->steps[i].touch_count;
        bodies += (size_t)step->steps[i].body_count;
    }
    copies->bodies = wr_scratch_push(step->work.scratch, bodies, sizeof *copies->bodies);
    copies->touched = wr_scratch_push(step->work.scratch, bodies, sizeof *copies->touched);
    size_t touches = (size_t)copies->touch_count;
    copies->touches = wr_scratch_push(step->work.scratch, touches, sizeof *copies->touches);
    copies->givers = wr_scratch_push(step->work.scratch, touches, sizeof *copies->givers);
    return step->member_count > 0 && copies->bodies && copies->touched && copies->touches &&
           copies->givers;
}

static int find(wri_copies *copies, const wr_touched_body *body)
{
    int i = 0;
    while (i < copies->count && copies->touched[i]->body != body->body) {
        i++;
    }
    if (i == copies->count) {
        copies->touched[i] = body;
        copies->bodies[i] = wr_touched_body_copy(body);
        copies->count++;
    }
    return i;
}

int wri_copies_take(wri_copies *copies, const wr_material_step *step, int touch)
{
    WR_ASSERT(copies->taken < copies->touch_count);
    copies->givers[copies->taken] = copies->step->members[step - copies->step->steps];
    copies->touches[copies->taken++] = &step->touches[touch];
    return find(copies, &step->bodies[step->touch_bodies[touch]]);
}

bool wri_copies_push(wri_copies *copies, int taken, int copy, wr_vec3 impulse, wr_push_list *pushes)
{
    const wr_vec3 none = {0.0f, 0.0f, 0.0f};
    const wr_touch *touch = copies->touches[taken];
    bool any = wr_dot(impulse, impulse) > 0.0f;
    if (any) {
        wr_push_add(pushes, (wr_push){touch->body, touch->point, impulse, none, none, none,
                                      copies->givers[taken]});
        wr_body_copy_settle(&copies->bodies[copy], touch->point, impulse);
    }
    return any;
}

void wri_copies_end(wri_copies *copies, wr_push_list *pushes)
{
    const wr_vec3 none = {0.0f, 0.0f, 0.0f};
    for (int i = 0; i < copies->count; i++) {
        wr_body_copy *copy = &copies->bodies[i];
        const wr_touched_body *body = copies->touched[i];
        for (int k = 0; k < copy->support_count; k++) {
            const wr_support *s = &copy->supports[k];
            if (wr_dot(s->impulse, s->impulse) > 0.0f) {
                wr_push_add(pushes,
                            (wr_push){body->body, s->point, s->impulse, none, none, none, NULL});
                wr_body_copy_settle(copy, s->point, s->impulse);
            }
        }
        const double *left = copy->angular_momentum;
        wr_vec3 angular = {(float)left[0], (float)left[1], (float)left[2]};
        if (wr_dot(angular, angular) > 0.0f) {
            wr_push_add(pushes,
                        (wr_push){body->body, body->view.center, none, angular, none, none, NULL});
        }
    }
}
