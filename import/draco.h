// draco.h: what Draco has compressed, decoded for a parent that cannot trust it.
#pragma once

#if defined(__cplusplus)
extern "C" {
#endif

// Answers the request on `in` (src/file/foreign.h) on `out`. Returns an exit status of
// wrought-import.
int import_draco(int in, int out);

#if defined(__cplusplus)
}
#endif
