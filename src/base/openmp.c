// openmp.c: threads of OpenMP behind wr_tasks. Not part of wrought-rt.
//
// libgomp ends the process when the system refuses it a thread. So we ask the system first, by
// starting as many of our own, once per thread that calls and number of workers: libgomp keeps its
// threads for later. What is refused runs on the calling thread.
#include "os.h"

#include <pthread.h>

enum { ASKED_MOST = 256 };

static void *wait_for(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

// All of them at the same time.
static bool can_start(int count)
{
    pthread_t threads[ASKED_MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    count = count < ASKED_MOST ? count : ASKED_MOST;
    pthread_mutex_lock(&gate);
    while (started < count && pthread_create(&threads[started], NULL, wait_for, &gate) == 0) {
        started++;
    }
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    return started == count;
}

static void run(void *user, wr_task_fn *fn, void *task, int count)
{
    static _Thread_local int granted = 1; // workers that libgomp has for this thread
    int workers = (int)(intptr_t)user;
    if (workers > granted && can_start(workers - 1)) {
        granted = workers;
    }
    workers = workers < granted ? workers : granted;
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
