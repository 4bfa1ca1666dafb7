// out.h: files that are written piece by piece and appear whole or not at all.
#pragma once

#include "../base/os.h"

// Goes to a file beside path through a buffer; wri_out_finish gives it its name. The first failure
// is remembered, what follows is ignored, and finish reports it.
typedef struct wri_out wri_out;

wri_out *wri_out_create(const char *path, wr_error *error);
bool wri_out_finish(wri_out *out, wr_error *error);
void wri_out_destroy(wri_out *out); // accepts NULL; what is not finished is removed

void wri_out_bytes(wri_out *out, const void *bytes, size_t size);
void wri_out_text(wri_out *out, const char *text);
void wri_out_printf(wri_out *out, const char *format, ...) WRI_PRINTF(2, 3); // no %g and %f: locale
void wri_out_int(wri_out *out, int64_t value);
void wri_out_float(wri_out *out, float value); // shortest that reads back equal

// Rounded to so many digits behind the point, at most 9, without zeros at the end.
void wri_out_fixed(wri_out *out, double value, int digits);

bool wri_out_flush(wri_out *out, wr_error *error); // false also when something failed before
wri_file *wri_out_file(wri_out *out);              // for changing what was flushed
