// full.h (internal): systems of full bodies.
#pragma once

#include "morph.h"

// x = A^-1 b by conjugate gradients, A of the last step; both have `freedom` numbers.
void wri_full_solve(wri_morph *b, const double *right, double *x, const wr_tasks *tasks);
// Columns of A^-1, roughly: by the factor of the nearest target, in place. False: out of memory.
bool wri_full_answer(wri_morph *b, float *columns, int count, const wr_tasks *tasks);
