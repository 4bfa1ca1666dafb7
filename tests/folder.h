// folder.h: a temporary folder for all tests of a file, which group runs make and remove.
#pragma once

#include "check.h"

static temporary_folder folder;

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
