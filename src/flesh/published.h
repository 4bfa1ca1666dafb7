// published.h: contact by the thesis' own approximations, to compare ours with.
#pragma once

#include "flesh.h"

// D^-1 of every node, from A, and the columns of M_bs^T, six of 3 n numbers, times it.
void wri_published_invert_blocks(wr_flesh_model *m, const wri_blocks *A);
void wri_published_solve_columns(const wr_flesh_model *m, float *columns);

// Changes velocities, each member of a group by the method of its model: first those of published
// ones, for which all else is a moving wall, then the others together. False: out of memory.
bool wri_published_solve_contacts(wri_flesh *const *members, int member_count,
                                  const wri_flesh_step_desc *step, wr_scratch *scratch);
