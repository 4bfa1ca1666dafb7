// cache.h: the folder of what can be made again does not grow without end.
//
// Entries are files whose names begin with sixteen hexadecimal digits; any number of processes use
// them at the same time. The time of an entry's last change is that of its last use, since many
// systems do not keep the time at which a file was read.
#pragma once

#include "base.h"

#define WRI_CACHE_BYTES ((int64_t)2 << 30)

// An entry was found and used.
void wri_cache_use(const char *path);

// Removes the entries that were not used for longest, until at most `most` bytes are left. The last
// one stays in any case. Whoever reads one that is removed has it to the end.
void wri_cache_trim(const char *folder, int64_t most);
