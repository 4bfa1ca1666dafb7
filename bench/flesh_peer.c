// flesh_peer.c: Bullet's own deformable bodies beside flesh: as many nodes, as large, of the same
// material, dropped on the ground in steps of 1/240 s. Processor time, since others use the
// machine. Bullet fills a block with tetrahedra, where flesh has one layer over a core.
#include "flesh_bench.h"

#include <math.h>
#include <stdio.h>

#if defined(WROUGHT_BULLET_SOFT)

#include "../src/rigid/bullet_soft.h"

static const double YOUNG = 2e4, SIZE = 0.6; // Pa; m, across

// The quickest frame of 1/60 s after the block has met the ground.
static bool time_block(const int counts[3], int frames, const bench_options *options,
                       double *seconds, int *tetrahedra, wr_error *error)
{
    const wri_bullet_soft_desc desc = {.counts = {counts[0], counts[1], counts[2]},
                                       .spacing = SIZE / (counts[0] - 1),
                                       .density = 1000.0,
                                       .young = YOUNG,
                                       .poisson = 0.4,
                                       .height = 0.01,
                                       .speed = 1.0};
    wri_bullet_soft *soft = wri_bullet_soft_create(&desc);
    bool ok = soft || wri_fail_memory(error, 0);
    *seconds = INFINITY;
    for (int i = 0; ok && i <= frames; i++) {
        double start = bench_processor_seconds();
        for (int k = 0; k < 4; k++) {
            wri_bullet_soft_step(soft, 1.0 / 240.0);
        }
        *seconds = i > 0 ? fmin(*seconds, bench_processor_seconds() - start) : INFINITY;
        ok = bench_goes_on(options, error);
    }
    bool blew_up = ok && !(fabs(wri_bullet_soft_height(soft)) < 10.0 * SIZE);
    *seconds = blew_up ? NAN : *seconds;
    *tetrahedra = ok ? wri_bullet_soft_tetrahedra(soft) : 0;
    wri_bullet_soft_destroy(soft);
    return ok;
}

static bool add_pair(const int counts[3], int detail, int frames, const bench_options *options,
                     bench_rows *rows, wr_error *error)
{
    const flesh_body_desc ball = {FLESH_BALL, detail, 0, 1};
    flesh_body body;
    flesh_run got;
    char theirs[64], ours[64];
    double seconds;
    int tetrahedra;
    if (!time_block(counts, frames, options, &seconds, &tetrahedra, error) ||
        !flesh_body_create(&body, &ball, error)) {
        return false;
    }
    const flesh_run_desc run = {&body, .young = YOUNG, .steps = 4, .alone = true};
    bool ok = flesh_measure(&run, options, &got, error);
    if (ok) {
        snprintf(theirs, sizeof theirs, "Bullet, n %d, %d tets", counts[0] * counts[1] * counts[2],
                 tetrahedra);
        snprintf(ours, sizeof ours, "flesh, n %d, %d tets", body.layer->node_count,
                 3 * body.layer->triangle_count);
        bench_add_row(rows, theirs, "processor per 1/60 s", "ms", 1e3 * seconds, NAN);
        bench_add_row(rows, ours, "processor per 1/60 s", "ms", 1e3 * got.alone, NAN);
        bench_add_row(rows, ours, "contacts", "per step", got.contacts, NAN);
        bench_add_row(rows, ours, "Bullet's time over ours", "x", seconds / got.alone, NAN);
    }
    flesh_body_destroy(&body);
    return ok;
}

bool bench_flesh_peer(const bench_options *options, bench_rows *rows, wr_error *error)
{
    int frames = options->full ? 12 : 1;
    return add_pair((const int[3]){10, 10, 10}, 16, 8 * frames, options, rows, error) &&
           add_pair((const int[3]){20, 21, 20}, 46, frames, options, rows, error);
}

#else

bool bench_flesh_peer(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_add_row(rows, "Bullet's deformable bodies", "are not in this Bullet", "", NAN, NAN);
    return bench_goes_on(options, error);
}

#endif
