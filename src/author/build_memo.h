// build_memo.h: the slow functions of building, remembered (memo.h). Each returns what the function
// of that name returns, to the last bit, whether it was kept or is computed now.
// Thread safety: like the functions themselves.
#pragma once

#include "memo.h"

#include "../crush/crush.h"

#include "wrought/author.h"
#include "wrought/crush.h"
#include "wrought/example.h"
#include "wrought/weights.h"

wr_lattice *wri_memo_lattice(const wri_memo *memo, const wr_lattice_desc *desc, wr_error *error);

// *is_kept: nothing was computed.
bool wri_memo_weights(const wri_memo *memo, const wr_weights_desc *desc, float *weights,
                      wr_weights_report *report, bool *is_kept, wr_error *error);

bool wri_memo_crush(const wri_memo *memo, const wr_crush_desc *desc, wr_vec3 *positions,
                    wri_crush_end *end, wr_error *error);

// The part of a key that says what a rig is, apart from its examples and names.
uint64_t wri_rig_key(const wr_rig *rig);

bool wri_memo_moves(const wri_memo *memo, uint64_t rig_key, const wr_rig *rig,
                    const wr_handle_move *moves, int move_count, bool follow, wr_handle_pose *poses,
                    wr_error *error);
bool wri_memo_fit(const wri_memo *memo, uint64_t rig_key, const wr_fit_desc *desc, wr_example *out,
                  wr_fit_report *report, wr_error *error);
