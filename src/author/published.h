// published.h: what the readers of published rigs share.
#pragma once

#include "wrought/author.h"

#include "../base/base.h"
#include "../file/convert.h"
#include "../file/words.h"

typedef struct wri_published {
    const char *folder;
    wr_read_options options;
    wri_conversion conversion;
    wri_arena arena; // lives as long as the reading
    wr_tet_mesh *tets;
    wr_lattice *lattice;
    wri_array bones; // bone, one per line of bone_roots.bf
    wr_asset *asset;
    wr_error *error;
} wri_published;

bool wri_published_fail_memory(wri_published *im);                   // always false
const char *wri_published_file(wri_published *im, const char *name); // NULL: out of memory
bool wri_published_open(wri_published *im, const char *name, wri_words *words);

// Cuts the asset, whose rig is complete, along the planes of its folder (published_cuts.c).
bool wri_published_read_cuts(wri_published *im);
