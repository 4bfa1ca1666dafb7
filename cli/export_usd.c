// export_usd.c: a take as USD text: Xforms and points with time samples.
#include "take.h"

#include <stdio.h>

static bool write_usd(cli_take *take)
{
    size_t n = (size_t)take->body_count;
    if (!cli_check_looks(take->model, take->options->output, NULL, take->options->force,
                         &take->error)) {
        return false;
    }
    wr_node_motion *motions = wri_arena_alloc(&take->arena, n, sizeof *motions);
    if (!motions) {
        return wri_fail_memory(&take->error, n * sizeof *motions);
    }
    for (int b = 0; b < take->body_count; b++) {
        const cli_take_body *body = &take->bodies[b];
        wr_vec3 *points = NULL;
        if (body->bends && !cli_take_read_points(take, body, &take->arena, &points)) {
            return false;
        }
        motions[b] = (wr_node_motion){b, body->poses, points, body->first, body->last};
    }
    wr_model_motion motion = {take->schedule.numerator, take->schedule.denominator,
                              take->schedule.count, take->body_count, motions};
    return wr_model_write_usda(take->model, &motion, take->options->output, &take->error);
}

int cli_export_usd(cli_take *take)
{
    if (!write_usd(take)) {
        return cli_take_failed(take);
    }
    if (!take->options->quiet) {
        char size[32];
        const char *path = take->options->output;
        printf("%s: %d %s, %d %s, %s (USD is experimental)\n", path, take->model->node_count,
               wri_plural(take->model->node_count, "node", "nodes"), take->schedule.count,
               wri_plural(take->schedule.count, "frame", "frames"),
               cli_size_text(size, wri_file_size(path)));
    }
    return CLI_OK;
}
