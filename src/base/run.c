// run.c: a child program under guard: its output, its last words, its end, within limits.
//
// posix_spawn cannot set limits, and fork copies the page tables of a large parent. So vfork: the
// child borrows our memory and this thread until it becomes the program, and between the two does
// nothing but calls of the system.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT, ERR, PIPES };

typedef struct child {
    pid_t id;
    int pipes[PIPES]; // reading ends, -1 when they have ended
    double deadline;
    char words[1024]; // the end of what it said on stderr
    int word_count;
} child;

// --- start ------------------------------------------------------------------------------------

typedef struct launch {
    const char *const *arguments;
    int input;       // becomes its stdin, -1: nothing does
    int ends[PIPES]; // writing ends
    struct rlimit core, processor, memory;
    volatile int error; // errno of what failed in the child
} launch;

static void close_end(int *descriptor)
{
    int code = errno;
    if (*descriptor >= 0) {
        close(*descriptor);
    }
    *descriptor = -1;
    errno = code;
}

static struct rlimit at_most(__rlimit_resource_t resource, uint64_t value)
{
    struct rlimit limit = {value, value};
    getrlimit(resource, &limit);
    limit.rlim_max = value < limit.rlim_max ? value : limit.rlim_max;
    limit.rlim_cur = limit.rlim_max;
    return limit;
}

// Runs in the child, on our memory: no heap, no locks, nothing changed but `error`.
static _Noreturn void become_program(launch *l)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};
    for (int i = 1; i < NSIG; i++) {
        sigaction(i, &normal, NULL); // some cannot be changed, which is fine
    }
    int input = l->input >= 0 ? l->input : open("/dev/null", O_RDONLY);
    if (input >= 0 && dup2(input, 0) >= 0 && dup2(l->ends[OUT], 1) >= 0 &&
        dup2(l->ends[ERR], 2) >= 0 && close_range(3, ~0u, 0) == 0 &&
        setrlimit(RLIMIT_CORE, &l->core) == 0 && setrlimit(RLIMIT_CPU, &l->processor) == 0 &&
        setrlimit(RLIMIT_AS, &l->memory) == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(l->arguments[0], (char *const *)(uintptr_t)l->arguments);
    }
    l->error = errno;
    _exit(127);
}

// No signal may be handled in the child, where the handlers would meet our memory.
static __attribute__((noinline)) pid_t spawn(launch *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t id = vfork();
    if (id == 0) {
        become_program(l);
    }
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return id;
}

static void reap(pid_t id, int *status)
{
    while (waitpid(id, status, 0) < 0 && errno == EINTR) {
    }
}

// Moves a descriptor above 0, 1 and 2, which the child sets up anew.
static int move_up(int descriptor)
{
    if (descriptor < 0 || descriptor > 2) {
        return descriptor;
    }
    int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close_end(&descriptor);
    return higher;
}

static bool open_pipes(child *c, launch *l)
{
    for (int i = 0; i < PIPES; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) != 0) {
            return false;
        }
        c->pipes[i] = both[0];
        l->ends[i] = move_up(both[1]);
        if (l->ends[i] < 0) {
            return false;
        }
    }
    return true;
}

// A file in memory, which unlike a pipe takes everything before anybody reads. -1: it cannot be.
static int open_input(const void *bytes, size_t size)
{
    int file = move_up(memfd_create("input", MFD_CLOEXEC));
    const char *at = bytes;
    while (file >= 0 && size > 0) {
        ssize_t done = write(file, at, size);
        if (done < 0 && errno != EINTR) {
            close_end(&file);
        }
        at += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    if (file >= 0 && lseek(file, 0, SEEK_SET) != 0) {
        close_end(&file);
    }
    return file;
}

static bool start(child *c, const char *const *arguments, const wri_run_input *input,
                  const wri_run_limits *limits, wr_error *error)
{
    launch l = {
        .arguments = arguments,
        .input = input ? open_input(input->bytes, input->size) : -1,
        .ends = {-1, -1},
        .core = at_most(RLIMIT_CORE, 0),
        // This only matters when we are gone ourselves.
        .processor = at_most(RLIMIT_CPU, (uint64_t)ceil(limits->seconds) + 1),
        .memory = at_most(RLIMIT_AS, limits->memory ? (uint64_t)limits->memory : RLIM_INFINITY),
    };
    c->deadline = wri_seconds() + limits->seconds;
    pid_t id = (!input || l.input >= 0) && open_pipes(c, &l) ? spawn(&l) : -1;
    int code = id < 0 ? errno : l.error;
    close_end(&l.input);
    for (int i = 0; i < PIPES; i++) {
        close_end(&l.ends[i]);
    }
    if (code != 0) {
        if (id > 0) {
            reap(id, NULL);
        }
        return wri_fail(error, WR_E_IO, "%s: cannot be started: %s", arguments[0], strerror(code));
    }
    c->id = id;
    return true;
}

// --- listen -----------------------------------------------------------------------------------

static void keep_words(child *c, const char *bytes, int count)
{
    int room = (int)sizeof c->words, skip = count > room ? count - room : 0;
    bytes += skip;
    count -= skip;
    int drop = c->word_count + count > room ? c->word_count + count - room : 0;
    memmove(c->words, c->words + drop, (size_t)(c->word_count - drop));
    memcpy(c->words + c->word_count - drop, bytes, (size_t)count);
    c->word_count += count - drop;
}

// False when the output is too much or memory is short; *end tells the two apart.
static bool take(child *c, int which, int most, wri_run_result *result)
{
    char bytes[65536];
    ssize_t got = read(c->pipes[which], bytes, sizeof bytes);
    if (got <= 0) {
        if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            close_end(&c->pipes[which]);
        }
        return true;
    }
    if (which == ERR) {
        keep_words(c, bytes, (int)got);
        return true;
    }
    if (got > most - result->output.count) {
        result->end = WRI_RUN_TOO_MUCH;
        return false;
    }
    void *room = wri_array_add(&result->output, (int)got);
    if (room) {
        memcpy(room, bytes, (size_t)got);
    }
    return room != NULL;
}

// Reads until both pipes have ended. Returns false when the child must be killed.
static bool listen_to(child *c, const wri_run_limits *limits, wri_run_result *result)
{
    while (c->pipes[OUT] >= 0 || c->pipes[ERR] >= 0) {
        double left = c->deadline - wri_seconds();
        if (left <= 0.0) {
            result->end = WRI_RUN_TOO_LONG;
            return false;
        }
        struct pollfd ready[PIPES];
        for (int i = 0; i < PIPES; i++) {
            ready[i] = (struct pollfd){.fd = c->pipes[i], .events = POLLIN};
        }
        if (poll(ready, PIPES, (int)ceil(fmin(left, 1e6) * 1e3)) <= 0) {
            continue;
        }
        for (int i = 0; i < PIPES; i++) {
            if (ready[i].revents != 0 && !take(c, i, limits->output, result)) {
                return false;
            }
        }
    }
    return true;
}

// --- end --------------------------------------------------------------------------------------

// Waits until the deadline and kills then, or kills at once.
static void wait_for_end(const child *c, bool at_once, wri_run_result *result)
{
    int status = 0;
    pid_t ended = 0;
    if (!at_once) {
        const struct timespec nap = {.tv_nsec = 1000000};
        while ((ended = waitpid(c->id, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
            if (wri_seconds() >= c->deadline) {
                result->end = WRI_RUN_TOO_LONG;
                at_once = true;
                break;
            }
            nanosleep(&nap, NULL);
        }
    }
    if (at_once) {
        kill(c->id, SIGKILL); // not yet waited for, so the number is still its own
        reap(c->id, &status);
    } else if (WIFSIGNALED(status)) {
        int code = WTERMSIG(status);
        bool stopped = code == SIGINT || code == SIGTERM || code == SIGHUP;
        result->code = code;
        result->end = code == SIGXCPU ? WRI_RUN_TOO_LONG
                      : stopped       ? WRI_RUN_STOPPED
                                      : WRI_RUN_SIGNALED;
    } else {
        result->end = WRI_RUN_EXITED;
        result->code = ended < 0 ? -1 : WEXITSTATUS(status);
    }
}

static void find_last_line(const child *c, char *line, int size)
{
    int end = c->word_count;
    while (end > 0 && (unsigned char)c->words[end - 1] <= ' ') {
        end--;
    }
    int begin = end, count = 0;
    while (begin > 0 && c->words[begin - 1] != '\n' && c->words[begin - 1] != '\r') {
        begin--;
    }
    for (int i = begin; i < end && count < size - 1; i++) {
        unsigned char byte = (unsigned char)c->words[i];
        line[count++] = byte < ' ' || byte == 127 ? ' ' : (char)byte;
    }
    line[count] = '\0';
}

bool wri_run(const char *const *arguments, const wri_run_limits *limits,
             const wr_allocator *allocator, wri_run_result *result, wr_error *error)
{
    return wri_run_with(arguments, NULL, limits, allocator, result, error);
}

bool wri_run_with(const char *const *arguments, const wri_run_input *input,
                  const wri_run_limits *limits, const wr_allocator *allocator,
                  wri_run_result *result, wr_error *error)
{
    child c = {.pipes = {-1, -1}};
    *result = (wri_run_result){.output = wri_array_create(allocator, 1)};
    bool ok = start(&c, arguments, input, limits, error);
    bool heard = ok && listen_to(&c, limits, result);
    if (ok) {
        wait_for_end(&c, !heard, result);
        if (!heard && result->end == WRI_RUN_EXITED) { // nothing else stops us listening
            ok = wri_fail_memory(error, (size_t)limits->output);
        }
    }
    close_end(&c.pipes[OUT]);
    close_end(&c.pipes[ERR]);
    find_last_line(&c, result->line, (int)sizeof result->line);
    return ok;
}

char *wri_program_folder(wri_arena *arena)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || length >= (ssize_t)sizeof path - 1) {
        return NULL;
    }
    path[length] = '\0';
    return wri_path_folder(arena, path);
}
