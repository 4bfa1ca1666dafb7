// os.h: the only operating-system calls of the library. Paths are UTF-8 as the caller gave them.
#pragma once

#include "base.h"

#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

// Whole file into memory, followed by a NUL byte that size does not count. Free with wri_free
// (allocator, bytes, size + 1, 1). Refuses files over `limit` bytes and folders.
char *wri_file_read(const char *path, size_t limit, const wr_allocator *allocator, size_t *size,
                    wr_error *error);

// Writes beside path, syncs and renames, so that path is either the old or the whole new file.
bool wri_file_write(const char *path, const void *bytes, size_t size, wr_error *error);

bool wri_file_exists(const char *path);
bool wri_is_folder(const char *path);
bool wri_same_file(const char *a, const char *b); // two names of one file that is there
int64_t wri_file_size(const char *path);          // -1 when there is none
int64_t wri_file_changed_ns(const char *path);    // time of the last change; -1 when there is none
void wri_file_touch(const char *path); // it was changed now; no complaint when that cannot be
bool wri_file_rename(const char *from, const char *to, wr_error *error);
void wri_file_remove(const char *path);                    // no complaint when there is none
bool wri_folder_create(const char *path, wr_error *error); // creates its parents too; fine when it
                                                           // exists
// Checks that there is a folder for a file, which can be written to: better known before the work
// than after it.
bool wri_folder_check(const char *path, wr_error *error);
// Likewise that a folder can be written to, or created.
bool wri_folder_check_new(const char *path, wr_error *error);
// Adds what lies in a folder to names (const char *), in no order, without "." and "..".
bool wri_folder_list(const char *path, wri_arena *arena, wri_array *names, wr_error *error);

// A file that is written, read and truncated in place.
typedef struct wri_file wri_file;
typedef enum wri_file_mode {
    WRI_FILE_READ,   // must exist and not be a device
    WRI_FILE_UPDATE, // must exist; read and write
    WRI_FILE_CREATE, // truncated when it exists, locked or not; read and write
    WRI_FILE_NEW,    // must not exist, not even as a link; read and write
} wri_file_mode;
wri_file *wri_file_open(const char *path, wri_file_mode mode, wr_error *error);
// Messages say `name`: of a file that is renamed to it at the end.
wri_file *wri_file_open_as(const char *path, const char *name, wri_file_mode mode, wr_error *error);
bool wri_file_close(wri_file *file, wr_error *error); // accepts NULL; reports a late write error
int64_t wri_file_length(const wri_file *file);
// All `size` bytes at `offset`, or failure.
bool wri_file_read_at(wri_file *file, int64_t offset, void *bytes, size_t size, wr_error *error);
bool wri_file_write_at(wri_file *file, int64_t offset, const void *bytes, size_t size,
                       wr_error *error);
bool wri_file_truncate(wri_file *file, int64_t length, wr_error *error);
bool wri_file_sync(wri_file *file, wr_error *error);
// Takes an exclusive advisory lock of a file opened for writing, released by close; false with a
// sentence when another wri_file has it, in this process or another.
bool wri_file_lock(wri_file *file, wr_error *error);

// A stream that forgets what is written to it, for libraries that insist on talking; fclose it.
FILE *wri_open_sink(wr_error *error);

// A child program that reads what we write: films through ffmpeg.
typedef struct wri_pipe wri_pipe;
wri_pipe *wri_pipe_open(const char *const *arguments, wr_error *error); // NULL-terminated; PATH
// Asked every tenth of a second while the child keeps us waiting. After false it has 2 s to use the
// processor, and 30 s in all; then it is killed, and what waits fails with WR_E_CANCELLED.
typedef bool wri_go_on_fn(void *user);
void wri_pipe_set_watch(wri_pipe *pipe, wri_go_on_fn *go_on, void *user);
bool wri_pipe_write(wri_pipe *pipe, const void *bytes, size_t size, wr_error *error);
// Waits for the child; fails with the last line it printed on stderr when its status is not 0.
bool wri_pipe_close(wri_pipe *pipe, wr_error *error);

// A child program whose output we want and that we do not trust. It reads from /dev/null and holds
// none of our descriptors.
typedef struct wri_run_limits {
    double seconds; // seconds of the clock on the wall, after which the child is killed
    int64_t memory; // bytes of address space, 0: no limit
    int output;     // bytes of stdout; the child is killed when it writes more
} wri_run_limits;
typedef enum wri_run_end {
    WRI_RUN_EXITED,   // code is its exit status, -1: unknown, because SIGCHLD is ignored
    WRI_RUN_SIGNALED, // code is the signal that ended it
    WRI_RUN_STOPPED,  // the user pressed Ctrl-C
    WRI_RUN_TOO_LONG,
    WRI_RUN_TOO_MUCH, // output
} wri_run_end;
typedef struct wri_run_result {
    wri_run_end end;
    int code;
    wri_array output; // bytes; the caller destroys it, also after failure
    char line[256];   // the last line with text on stderr, printable
} wri_run_result;
// Waits for the end of the child, whatever it is. Fails when it cannot be started.
// arguments[0] is a path or is looked for in PATH; the list ends with NULL.
bool wri_run(const char *const *arguments, const wri_run_limits *limits,
             const wr_allocator *allocator, wri_run_result *result, wr_error *error);
typedef struct wri_run_input {
    const void *bytes;
    size_t size;
} wri_run_input;
// wri_run with something on the child's stdin; NULL: it finds nothing there.
bool wri_run_with(const char *const *arguments, const wri_run_input *input,
                  const wri_run_limits *limits, const wr_allocator *allocator,
                  wri_run_result *result, wr_error *error);

// Returns the folder where this user's programs keep what they can make again; NULL when unknown.
char *wri_cache_folder(wri_arena *arena);
// A number that changes when this program is built again; 0 when unknown.
uint64_t wri_program_stamp(void);
char *wri_program_folder(wri_arena *arena); // the folder this program lies in; NULL when unknown

double wri_seconds(void);      // monotonic clock
int wri_core_count(void);      // cores this process may use
int64_t wri_peak_memory(void); // bytes, high-water mark of this process

// Joins a folder and a name; an absolute name stands alone. Result lives in the arena.
char *wri_path_join(wri_arena *arena, const char *folder, const char *name);
// A name beside path for a file that is not whole yet; no other process or thread uses it. Those
// that killed processes of this machine left for the same path are removed.
char *wri_path_part(wri_arena *arena, const char *path);
char *wri_absolute_path(wri_arena *arena, const char *path); // the path as seen from the root
                                                             // folder
char *wri_path_folder(wri_arena *arena, const char *path);   // "." when path has no folder

#if defined(__cplusplus)
}
#endif
