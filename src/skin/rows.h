// rows.h: weights of examples, a row of E per vertex, as wr_skin_positions takes them.
#pragma once

#include <stddef.h>

// Every vertex wholly in one example.
static inline void wri_rows_fill(float *rows, size_t vertices, size_t examples, size_t example)
{
    for (size_t i = 0; i < vertices * examples; i++) {
        rows[i] = i % examples == example ? 1.0f : 0.0f;
    }
}
