// openmp.c: threads of OpenMP behind wr_tasks. Not part of wrought-rt.
#include "os.h"

static void run(void *user, wr_task_fn *fn, void *task, int count)
{
    int workers = (int)(intptr_t)user;
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (int i = 0; i < count; i++) {
        fn(task, i);
    }
}

wr_tasks wr_tasks_openmp(int worker_count)
{
    int workers = worker_count > 0 ? worker_count : wri_core_count();
    return (wr_tasks){run, (void *)(intptr_t)workers, workers};
}
