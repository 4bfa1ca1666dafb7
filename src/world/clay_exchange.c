// clay_exchange.c: touches and copies of rigid bodies for a step of clay, and the pushes it
// answers.
#include "clay_exchange.h"

#include "../clay/clay.h"
#include "world.h"

void wri_clay_exchange_add(wri_clay_exchange *x, int clay, const int *particles,
                           const wr_material_step *step)
{
    for (int i = 0; i < step->touch_count; i++) {
        const wr_touch *t = &step->touches[i];
        int n = x->inner.touch_count++;
        x->inner.touches[n] = (wr_clay_touch){
            .clay = clay,
            .particle = particles[t->ball],
            .body = wri_copies_take(&x->copies, step, i),
            .local_point = t->local_point,
            .local_normal = t->local_normal,
            .friction = t->friction,
        };
    }
    x->inner.body_count = x->copies.count;
}

// --- thin obstacles ---------------------------------------------------------------------------

// The lines as hardly anything that is swept along them: first all of them, then all of them back.
static wr_ball *make_feelers(const wr_clay_line *lines, int count, wr_scratch *scratch)
{
    wr_ball *balls = wr_scratch_push(scratch, 2 * (size_t)count, sizeof *balls);
    for (int i = 0; balls && i < count; i++) {
        wr_vec3 sweep = wr_sub(lines[i].to, lines[i].from);
        float radius = 1e-3f * wr_length(sweep);
        balls[i] = (wr_ball){lines[i].from, radius, sweep};
        balls[count + i] = (wr_ball){lines[i].to, radius, wr_scale(-1.0f, sweep)};
    }
    return balls;
}

enum { MET = 1, MET_BACK = 2, BEGINS_WITHIN = 4 };

// An obstacle lies between two that it meets on the way to each other. What was pressed into the
// ground is behind nothing.
static void find_between(void *context, int clay, wr_clay_line *lines, int count)
{
    const wri_clay_exchange *x = context;
    const wri_clay *c = wri_clay_of(x->world, clay);
    wr_scratch *scratch = x->step->work.scratch;
    wr_touch_query query = wr_touch_query_default();
    uint8_t *met = wr_scratch_push(scratch, (size_t)count, sizeof *met);
    query.balls = make_feelers(lines, count, scratch);
    query.ball_count = query.balls && met ? 2 * count : 0;
    query.most = WR_MOST_TOUCHES;
    query.group = c->group;
    query.collides = c->collides;
    int found = 0;
    wr_error error;
    const wr_touch *touches =
        query.ball_count ? wr_rigid_find_touches(x->step->rigid, &query, &found, &error) : NULL;
    for (int i = 0; touches && i < found; i++) { // without memory nothing is parted in this step
        const wr_touch *t = &touches[i];
        int line = t->ball % count;
        if (t->body == x->copies.touched[lines[line].body]->body) {
            met[line] |= t->depth > 0.0f ? BEGINS_WITHIN : t->ball < count ? MET : MET_BACK;
        }
    }
    for (int i = 0; met && i < count; i++) {
        lines[i].is_parted = met[i] == (MET | MET_BACK);
    }
}

// --- a step -----------------------------------------------------------------------------------

bool wri_clay_exchange_begin(wri_clay_exchange *x, const wr_clay_world *world,
                             const wr_ensemble_step *step)
{
    wr_scratch *scratch = step->work.scratch;
    *x = (wri_clay_exchange){.world = world, .step = step};
    if (!wri_copies_begin(&x->copies, step)) {
        return false;
    }
    size_t touches = (size_t)x->copies.touch_count;
    x->inner =
        (wr_clay_step){.dt = step->dt,
                       .gravity = step->steps[0].gravity,
                       .bodies = x->copies.bodies,
                       .touches = wr_scratch_push(scratch, touches, sizeof *x->inner.touches),
                       .find_between = find_between,
                       .context = x};
    return x->inner.touches;
}

void wri_clay_exchange_end(wri_clay_exchange *x)
{
    wr_push_list *pushes = x->step->pushes;
    for (int i = 0; i < x->inner.touch_count; i++) {
        const wr_clay_touch *t = &x->inner.touches[i];
        wri_copies_push(&x->copies, i, t->body, t->impulse, pushes);
    }
    wri_copies_end(&x->copies, pushes);
}
