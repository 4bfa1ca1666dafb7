// export_usd.c: a take as USD text: Xforms and points with time samples.
#include "export.h"

bool wri_export_usd(wri_export *e)
{
    size_t n = (size_t)e->body_count;
    if (!wri_check_looks(e->model, e->path, NULL, e->desc->replace, e->error)) {
        return false;
    }
    wr_node_motion *motions = wri_arena_alloc(&e->arena, n, sizeof *motions);
    if (!motions) {
        return wri_fail_memory(e->error, n * sizeof *motions);
    }
    for (int b = 0; b < e->body_count; b++) {
        const wri_export_body *body = &e->bodies[b];
        wr_vec3 *points = NULL;
        if (body->bends && !wri_export_read_points(e, body, &e->arena, &points)) {
            return false;
        }
        motions[b] = (wr_node_motion){b, body->poses, points, body->first, body->last};
    }
    wr_model_motion motion = {e->schedule.numerator, e->schedule.denominator, e->schedule.count,
                              e->body_count, motions};
    e->report.frames = e->schedule.count;
    return wr_model_write_usda(e->model, &motion, e->path, e->error);
}
