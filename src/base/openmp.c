// openmp.c: threads of OpenMP behind wr_tasks. Not part of wrought-rt.
//
// libgomp ends the process when the system refuses it a thread. So we ask the system first, by
// starting as many of our own, once per thread that calls and number of workers: libgomp keeps its
// threads for later. LLVM's library ends the process when it may not write a few bytes of shared
// memory. What is refused runs on the calling thread.
#include "os.h"

#include <pthread.h>
#include <sys/resource.h>

enum { ASKED_MOST = 256, SHARED_BYTES = 4096 };

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

static bool may_share_memory(void)
{
    struct rlimit limit; // RLIM_INFINITY is the largest number there is
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= SHARED_BYTES;
}

// A function of its own: LLVM's library is called as soon as it is entered.
static __attribute__((noinline)) void run_on(int workers, wr_task_fn *fn, void *task, int count)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (int i = 0; i < count; i++) {
        fn(task, i);
    }
}

static void run(void *user, wr_task_fn *fn, void *task, int count)
{
    static _Thread_local int granted = 1; // workers that the library has for this thread
    int workers = (int)(intptr_t)user;
    if (workers > granted && may_share_memory() && can_start(workers - 1)) {
        granted = workers;
    }
    workers = workers < granted ? workers : granted;
    if (workers > 1) {
        run_on(workers, fn, task, count);
        return;
    }
    for (int i = 0; i < count; i++) {
        fn(task, i);
    }
}

wr_tasks wr_tasks_openmp(int worker_count)
{
    int workers = worker_count > 0 ? worker_count : wri_core_count();
    return (wr_tasks){run, (void *)(intptr_t)workers, workers};
}
