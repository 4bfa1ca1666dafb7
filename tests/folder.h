// folder.h: a temporary folder for all tests of a file, which group runs make and remove.
#pragma once

#include "check.h"

static temporary_folder folder;

// A path in it, good until 31 more have been asked for.
static inline const char *in_folder(const char *name)
{
    static char paths[32][700];
    static int next;
    char *path = paths[next++ % 32];
    snprintf(path, sizeof paths[0], "%s/%s", folder.path, name);
    return path;
}

static inline int set_up(void **state)
{
    (void)state;
    folder = temporary_folder_create();
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    temporary_folder_destroy(&folder);
    return 0;
}

// The same, and one cache of assets for the whole program: every asset is built once.
static inline int set_up_with_cache(void **state)
{
    set_up(state);
    setenv("XDG_CACHE_HOME", folder.path, 1);
    return 0;
}
