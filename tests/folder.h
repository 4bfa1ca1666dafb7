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
