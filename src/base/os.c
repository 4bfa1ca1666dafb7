// os.c: files, folders, pipes, clocks: POSIX behind os.h, and three calls of Linux: locks that
// belong to the open file, pipes closed on exec from birth, the cores we may use.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static bool fail_errno(wr_error *error, const char *path, const char *verb)
{
    int code = errno;
    bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
    return wri_fail(error, full ? WR_E_FULL : WR_E_IO, "%s: cannot %s: %s", path, verb,
                    strerror(code));
}

// --- open files -------------------------------------------------------------------------------

struct wri_file {
    int descriptor;
    char path[]; // path for messages
};

wri_file *wri_file_open_as(const char *path, const char *name, wri_file_mode mode, wr_error *error)
{
    static const int flags[] = {
        [WRI_FILE_READ] = O_RDONLY,
        [WRI_FILE_UPDATE] = O_RDWR,
        [WRI_FILE_CREATE] = O_RDWR | O_CREAT | O_TRUNC,
        [WRI_FILE_NEW] = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
    };
    size_t size = sizeof(wri_file) + strlen(name) + 1;
    wri_file *file = wri_alloc(NULL, 1, size);
    if (!file) {
        wri_fail_memory(error, size);
        return NULL;
    }
    strcpy(file->path, name);
    // O_NONBLOCK: opening a named pipe must not wait for somebody at its other end.
    file->descriptor = open(path, flags[mode] | O_CLOEXEC | O_NONBLOCK, 0666);
    struct stat status;
    if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
        fail_errno(error, name, mode >= WRI_FILE_CREATE ? "create" : "open");
    } else if (S_ISDIR(status.st_mode)) {
        wri_fail(error, WR_E_IO, "%s: is a folder, expected a file", name);
    } else if (S_ISFIFO(status.st_mode)) {
        wri_fail(error, WR_E_IO, "%s: is a pipe, expected a file", name);
    } else if (mode == WRI_FILE_READ && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))) {
        wri_fail(error, WR_E_IO, "%s: is a device, expected a file", name);
    } else {
        return file;
    }
    wri_file_close(file, NULL);
    return NULL;
}

wri_file *wri_file_open(const char *path, wri_file_mode mode, wr_error *error)
{
    return wri_file_open_as(path, path, mode, error);
}

bool wri_file_close(wri_file *file, wr_error *error)
{
    if (!file) {
        return true;
    }
    bool ok = file->descriptor < 0 || close(file->descriptor) == 0;
    if (!ok) {
        fail_errno(error, file->path, "finish writing");
    }
    wri_free(NULL, file, 1, sizeof(wri_file) + strlen(file->path) + 1);
    return ok;
}

int64_t wri_file_length(const wri_file *file)
{
    struct stat status;
    return fstat(file->descriptor, &status) == 0 ? (int64_t)status.st_size : -1;
}

bool wri_file_read_at(wri_file *file, int64_t offset, void *bytes, size_t size, wr_error *error)
{
    uint8_t *p = bytes;
    while (size > 0) {
        ssize_t got = pread(file->descriptor, p, size, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return fail_errno(error, file->path, "read");
        }
        if (got == 0) {
            return wri_fail(error, WR_E_IO,
                            "%s: byte %lld: the file ends here, %zu bytes too early", file->path,
                            (long long)offset, size);
        }
        p += got;
        offset += got;
        size -= (size_t)got;
    }
    return true;
}

bool wri_file_write_at(wri_file *file, int64_t offset, const void *bytes, size_t size,
                       wr_error *error)
{
    const uint8_t *p = bytes;
    while (size > 0) {
        ssize_t put = pwrite(file->descriptor, p, size, (off_t)offset);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return fail_errno(error, file->path, "write");
        }
        p += put;
        offset += put;
        size -= (size_t)put;
    }
    return true;
}

bool wri_file_truncate(wri_file *file, int64_t length, wr_error *error)
{
    return ftruncate(file->descriptor, (off_t)length) == 0 ||
           fail_errno(error, file->path, "shorten");
}

bool wri_file_sync(wri_file *file, wr_error *error)
{
    // Pipes and some file systems cannot sync; that is not a failure of ours.
    return fdatasync(file->descriptor) == 0 || errno == EINVAL || errno == EROFS ||
           fail_errno(error, file->path, "write");
}

bool wri_file_lock(wri_file *file, wr_error *error)
{
    // A lock of the open file: F_SETLK's would be lost when any reader in this process closes it.
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file->descriptor, F_OFD_SETLK, &lock) == 0 ||
        (errno == EINVAL && fcntl(file->descriptor, F_SETLK, &lock) == 0)) { // an old kernel
        return true;
    }
    if (errno == EACCES || errno == EAGAIN) {
        return wri_fail(error, WR_E_IO, "%s: somebody else is writing to it", file->path);
    }
    return errno == ENOLCK || fail_errno(error, file->path, "lock"); // no locks here: go on
}

// --- whole files ------------------------------------------------------------------------------

char *wri_file_read(const char *path, size_t limit, const wr_allocator *allocator, size_t *size,
                    wr_error *error)
{
    *size = 0;
    wri_file *file = wri_file_open(path, WRI_FILE_READ, error);
    if (!file) {
        return NULL;
    }
    int64_t length = wri_file_length(file);
    char *bytes = NULL;
    if (length < 0 || (uint64_t)length > limit) {
        wri_fail(error, WR_E_IO, "%s: is %lld bytes large, expected at most %zu", path,
                 (long long)length, limit);
    } else if (!(bytes = wri_alloc(allocator, (size_t)length + 1, 1))) {
        wri_fail_memory(error, (size_t)length + 1);
    } else if (!wri_file_read_at(file, 0, bytes, (size_t)length, error)) {
        wri_free(allocator, bytes, (size_t)length + 1, 1);
        bytes = NULL;
    }
    wri_file_close(file, NULL);
    *size = bytes ? (size_t)length : 0;
    return bytes;
}

bool wri_file_write(const char *path, const void *bytes, size_t size, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    char *part = wri_path_part(&arena, path);
    if (!part) {
        return wri_fail_memory(error, strlen(path) + 6);
    }
    wri_file *file = wri_file_open_as(part, path, WRI_FILE_NEW, error);
    bool ok = file && wri_file_write_at(file, 0, bytes, size, error) && wri_file_sync(file, error);
    ok = wri_file_close(file, ok ? error : NULL) && ok;
    ok = ok && wri_file_rename(part, path, error);
    if (!ok && file) {
        unlink(part);
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool wri_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool wri_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int64_t wri_file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

int64_t wri_file_changed_ns(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return -1;
    }
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

void wri_file_touch(const char *path)
{
    (void)utimensat(AT_FDCWD, path, NULL, 0);
}

bool wri_file_rename(const char *from, const char *to, wr_error *error)
{
    return rename(from, to) == 0 || fail_errno(error, to, "be replaced");
}

void wri_file_remove(const char *path)
{
    unlink(path);
}

bool wri_folder_create(const char *path, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    char *partial = wri_arena_text(&arena, path, strlen(path));
    bool ok = partial != NULL || wri_fail_memory(error, strlen(path) + 1);
    for (char *p = partial; ok && *p; p++) {
        bool at_end = p[1] == '\0';
        if ((p[1] == '/' || at_end) && *p != '/') {
            p[1] = '\0';
            int code = mkdir(partial, 0777) == 0 ? 0 : errno;
            if (code && !wri_is_folder(partial)) {
                errno = code; // the question above has its own
                ok = fail_errno(error, partial, "create the folder");
            }
            if (at_end) {
                break;
            }
            p[1] = '/';
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}

// Whether files of `path` can be put into a folder.
static bool check_folder(const char *folder, const char *path, wr_error *error)
{
    if (!wri_is_folder(folder)) {
        return wri_fail(error, WR_E_IO,
                        wri_file_exists(folder) ? "%s: cannot create: %s is not a folder"
                                                : "%s: cannot create: there is no folder %s",
                        path, folder);
    }
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ||
           wri_fail(error, WR_E_IO, "%s: cannot create: the folder %s cannot be written to", path,
                    folder);
}

bool wri_folder_check(const char *path, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    const char *folder = wri_path_folder(&arena, path);
    bool ok = folder ? check_folder(folder, path, error) : wri_fail_memory(error, strlen(path));
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_folder_check_new(const char *path, wr_error *error)
{
    wri_arena arena = wri_arena_create(NULL);
    const char *there = path; // what is there already of it
    while (there && strcmp(there, ".") != 0 && !wri_file_exists(there)) {
        there = wri_path_folder(&arena, there);
    }
    bool ok = there || wri_fail_memory(error, strlen(path));
    if (ok && there == path && !wri_is_folder(path)) {
        ok = wri_fail(error, WR_E_IO, "%s: is a file, expected a folder", path);
    }
    ok = ok && check_folder(there, path, error);
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_folder_list(const char *path, wri_arena *arena, wri_array *names, wr_error *error)
{
    DIR *list = opendir(path);
    if (!list) {
        return fail_errno(error, path, "open the folder");
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(list));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            const char **slot = wri_array_add(names, 1);
            ok = slot && (*slot = wri_arena_text(arena, name, strlen(name)));
        }
    }
    closedir(list);
    return ok || wri_fail_memory(error, sizeof(char *));
}

// --- silence ----------------------------------------------------------------------------------

FILE *wri_open_sink(wr_error *error)
{
    FILE *sink = fopen("/dev/null", "w");
    if (!sink) {
        fail_errno(error, "/dev/null", "open");
    }
    return sink;
}

// --- a child program --------------------------------------------------------------------------

struct wri_pipe {
    pid_t child;
    int input;     // its standard input
    FILE *errors;  // messages it printed
    char name[64]; // name for messages
    wri_go_on_fn *go_on;
    void *user;
    double stopped;         // when go_on first said false, 0: never
    double alive, cpu_time; // when it last used the processor since, and how much in all, s
    double taken;           // when it last took bytes
    double whole;           // bytes that it took
    bool is_killed;
};

static bool spawn(wri_pipe *pipe_, const int ends[2], const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(pipe_->errors), 2);
    posix_spawnattr_init(&attributes);
    // An own process group: Ctrl-C in the terminal reaches us alone, and we end the child in order.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int code = posix_spawnp(&pipe_->child, arguments[0], &actions, &attributes,
                            (char *const *)(uintptr_t)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = code;
    return code == 0;
}

static void pipe_free(wri_pipe *pipe_)
{
    if (pipe_->input >= 0) {
        close(pipe_->input);
    }
    if (pipe_->errors) {
        fclose(pipe_->errors);
    }
    wri_free(NULL, pipe_, 1, sizeof *pipe_);
}

wri_pipe *wri_pipe_open(const char *const *arguments, wr_error *error)
{
    wri_pipe *p = wri_alloc(NULL, 1, sizeof *p);
    if (!p) {
        wri_fail_memory(error, sizeof *p);
        return NULL;
    }
    p->input = -1;
    snprintf(p->name, sizeof p->name, "%s", arguments[0]);
    int ends[2] = {-1, -1};
    // Closed on exec from birth: a child that another thread starts meanwhile must not hold the
    // writing end, or this child never sees the end of its input.
    bool ok = (p->errors = tmpfile()) && pipe2(ends, O_CLOEXEC) == 0;
    if (ok) {
        p->input = ends[1];
        fcntl(fileno(p->errors), F_SETFD, FD_CLOEXEC);
        fcntl(p->input, F_SETFL, O_NONBLOCK); // of our end alone
        ok = spawn(p, ends, arguments);
    }
    if (ends[0] >= 0) {
        int code = errno;
        close(ends[0]);
        errno = code;
    }
    if (!ok) {
        fail_errno(error, arguments[0], "be started");
        pipe_free(p);
        return NULL;
    }
    return p;
}

void wri_pipe_set_watch(wri_pipe *pipe_, wri_go_on_fn *go_on, void *user)
{
    pipe_->go_on = go_on;
    pipe_->user = user;
}

static double processor_seconds(pid_t process)
{
    clockid_t clock;
    struct timespec used = {0};
    if (clock_getcpuclockid(process, &clock) == 0) {
        clock_gettime(clock, &used);
    }
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// True while it is worth waiting for the child; otherwise kills it with its own children. Nobody
// has to ask for the end of one that has taken nothing for `most_idle` seconds: ffmpeg waits for
// ever, and busily, when the system refuses it threads.
static bool check_child(wri_pipe *pipe_, double most_idle, wr_error *error)
{
    const double sign_of_life = 2.0, most = 30.0;
    bool wanted = !pipe_->go_on || pipe_->go_on(pipe_->user);
    double now = wri_seconds(), used = processor_seconds(pipe_->child);
    pipe_->stopped = wanted || pipe_->stopped > 0.0 ? pipe_->stopped : now;
    if (wanted || used != pipe_->cpu_time) {
        pipe_->cpu_time = used;
        pipe_->alive = now;
    }
    if (wanted ? now - pipe_->taken < most_idle
               : now - pipe_->alive < sign_of_life && now - pipe_->stopped < most) {
        return true;
    }
    kill(-pipe_->child, SIGKILL); // not yet waited for, so the number is still its own
    pipe_->is_killed = true;
    return wanted ? wri_fail(error, WR_E_IO,
                             "%s took nothing for %.0f s and was ended; memory may be short",
                             pipe_->name, now - pipe_->taken)
                  : wri_fail(error, WR_E_CANCELLED, "interrupted; %s did not finish and was ended",
                             pipe_->name);
}

// Seconds that encoding these bytes may take at most: a slow machine does a megabyte in four.
static double patience(double bytes)
{
    return 15.0 + bytes / 250e3;
}

static bool wait_for_room(wri_pipe *pipe_, size_t size, wr_error *error)
{
    struct pollfd room = {.fd = pipe_->input, .events = POLLOUT};
    return poll(&room, 1, 100) > 0 || check_child(pipe_, patience((double)size), error);
}

bool wri_pipe_write(wri_pipe *pipe_, const void *bytes, size_t size, wr_error *error)
{
    // A child that died must not take us with it: SIGPIPE is held back while we write.
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    const uint8_t *p = bytes;
    size_t whole = size;
    bool ok = true;
    pipe_->taken = wri_seconds();
    while (ok && size > 0) {
        ssize_t put = write(pipe_->input, p, size);
        if (put >= 0) {
            p += put;
            size -= (size_t)put;
            pipe_->taken = wri_seconds();
            pipe_->whole += (double)put;
        } else if (errno == EAGAIN) {
            ok = wait_for_room(pipe_, whole, error);
        } else if (errno != EINTR) {
            ok = fail_errno(error, pipe_->name, "take more data");
        }
    }
    if (!ok) {
        struct timespec now = {0};
        while (sigtimedwait(&broken, NULL, &now) == SIGPIPE) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

// The last line with text in it; or the first that speaks of a full disk, which programs tend to
// bury under the consequences. True when there is one.
static bool read_reason(FILE *file, char *line, int size)
{
    char next[256];
    bool full = false;
    line[0] = '\0';
    rewind(file);
    while (!full && fgets(next, (int)sizeof next, file)) {
        next[strcspn(next, "\r\n")] = '\0';
        full = strstr(next, strerror(ENOSPC)) || strstr(next, strerror(EFBIG));
        if (next[0]) {
            snprintf(line, (size_t)size, "%s", next);
        }
    }
    return full;
}

// Returns false when nobody knows how it ended: SIGCHLD is ignored, or somebody else waited for it.
static bool wait_for_child(wri_pipe *pipe_, int *status, wr_error *error)
{
    double next = wri_seconds() + 0.1;
    const struct timespec nap = {.tv_nsec = 2000000};
    pid_t ended;
    while ((ended = waitpid(pipe_->child, status, pipe_->is_killed ? 0 : WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (wri_seconds() >= next && !pipe_->is_killed) {
            check_child(pipe_, patience(pipe_->whole), error); // some formats begin at the end
            next = wri_seconds() + 0.1;
        }
        nanosleep(&nap, NULL);
    }
    return ended > 0;
}

bool wri_pipe_close(wri_pipe *pipe_, wr_error *error)
{
    close(pipe_->input);
    pipe_->input = -1;
    pipe_->taken = wri_seconds(); // the end
    int status = 0;
    bool is_known = wait_for_child(pipe_, &status, error);
    bool ok = is_known && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ok && !pipe_->is_killed) {
        char line[256];
        bool full = read_reason(pipe_->errors, line, (int)sizeof line);
        wri_fail(error, full ? WR_E_FULL : WR_E_IO, "%s failed: %s", pipe_->name,
                 line[0]    ? line
                 : is_known ? "it said nothing about the reason"
                            : "how it ended is unknown, because SIGCHLD is ignored");
    }
    pipe_free(pipe_);
    return ok;
}

// --- machine ----------------------------------------------------------------------------------

double wri_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int wri_core_count(void)
{
    cpu_set_t mine;
    long count = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine)
                                                               : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 256 ? 256 : (int)count;
}

int64_t wri_peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : -1;
}

// --- paths ------------------------------------------------------------------------------------

char *wri_path_join(wri_arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (name[0] == '/' || length == 0 || strcmp(folder, ".") == 0) {
        return wri_arena_text(arena, name, strlen(name));
    }
    return wri_arena_printf(arena, folder[length - 1] == '/' ? "%s%s" : "%s/%s", folder, name);
}

// Returns a hash of the space in which numbers of processes mean what they mean here: the machine
// and, in a container, its own count of them. Folders may be shared with others.
static uint32_t find_machine(void)
{
    char name[256] = {0};
    struct stat space;
    uint64_t seed = stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
    (void)gethostname(name, sizeof name - 1);
    return (uint32_t)wri_hash(name, strlen(name), seed);
}

// True when a name, behind that of the file, is that of a part whose writer was killed.
static bool is_stale(const char *rest, uint32_t machine)
{
    long process = 0;
    unsigned of = 0;
    unsigned long long at;
    int length = 0;
    return sscanf(rest, ".%ld-%x-%llx.part%n", &process, &of, &at, &length) == 3 && length > 0 &&
           !rest[length] && of == machine && process > 0 && (pid_t)process == process &&
           kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static void remove_stale_parts(wri_arena *arena, const char *path, uint32_t machine)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    const char *folder = wri_path_folder(arena, path);
    DIR *list = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strncmp(entry->d_name, name, length) == 0 &&
            is_stale(entry->d_name + length, machine)) {
            unlinkat(dirfd(list), entry->d_name, 0);
        }
    }
    if (list) {
        closedir(list);
    }
}

char *wri_path_part(wri_arena *arena, const char *path)
{
    uint32_t machine = find_machine();
    remove_stale_parts(arena, path, machine);
    // The process and the place of its arena: nobody else writes under this name.
    return wri_arena_printf(arena, "%s.%ld-%08x-%llx.part", path, (long)getpid(), machine,
                            (unsigned long long)(uintptr_t)arena);
}

char *wri_path_folder(wri_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return wri_arena_text(arena, ".", 1);
    }
    return wri_arena_text(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

char *wri_cache_folder(wri_arena *arena)
{
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (folder && folder[0] == '/') {
        return wri_path_join(arena, folder, "wrought");
    }
    return home && home[0] == '/' ? wri_path_join(arena, home, ".cache/wrought") : NULL;
}

char *wri_absolute_path(wri_arena *arena, const char *path)
{
    char folder[4096];
    if (path[0] == '/' || !getcwd(folder, sizeof folder)) {
        return wri_arena_text(arena, path, strlen(path));
    }
    return wri_path_join(arena, folder, path);
}

uint64_t wri_program_stamp(void)
{
    struct stat status;
    if (stat("/proc/self/exe", &status) != 0) {
        return 0;
    }
    const int64_t parts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return wri_hash(parts, sizeof parts, 0);
}
