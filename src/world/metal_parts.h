// metal_parts.h: the rigid bodies of the engine that a metal body consists of.
#pragma once

#include "wrought/material.h"
#include "wrought/metal.h"

// A convex piece in the place that the engine has for it: bodies of the engine keep their number of
// pieces. One whose fragment went to another part is drawn together into one that stayed, where it
// is in nobody's way.
typedef struct wri_metal_slot {
    int piece;    // of the asset
    int fragment; // the one that a contact there is on
} wri_metal_slot;

// Parts of a body: one, or with fragments room for as many as there are. The lists of slots, pieces
// and changes have piece_count places per part.
typedef struct wri_metal_parts {
    wr_allocator allocator;
    const wr_metal *metal;
    const wr_metal_asset *asset;
    int room, part_count, piece_count, fragment_count, point_count;
    wr_material_part *parts;
    wri_metal_slot *slots;
    wr_piece *pieces;
    bool *changed;
    wr_vec3 *parked;     // points of slots whose piece went, point_count per part
    int *fragment_parts; // as in wr_material_surface
    float *ages;         // seconds since a part came off
    wr_event *events;    // of the last step
    int event_count, event_room;
    wr_material_joint *joints; // the ties of a body that is joined by them; NULL: bonds hold it
    int joint_count;           // together, and it is one part until it breaks
    float shard, life; // metres and seconds: smaller parts go after that time; shard 0: none does
} wri_metal_parts;

bool wri_metal_parts_create(wri_metal_parts *p, const wr_metal *metal, const wr_metal_asset *asset,
                            const wr_allocator *allocator);
void wri_metal_parts_destroy(wri_metal_parts *p);
// Makes every fragment a part, joined to others where they are tied. False: out of memory.
bool wri_metal_parts_tie(wri_metal_parts *p);
// Masses, surfaces and motion of the parts that there are at the start.
void wri_metal_parts_start(wri_metal_parts *p, const wr_material_desc *desc);
// The fragment that a contact of a part is on; slot -1: somewhere.
int wri_metal_parts_fragment(const wri_metal_parts *p, int part, int slot);
// After a step of the metal body: what bent, broke off or has lain about for long enough.
void wri_metal_parts_update(wri_metal_parts *p, const wr_material_step *step);
void wri_metal_parts_set_restitution(wri_metal_parts *p, float restitution);

// What cannot be told from the metal body; 0 bytes for one that cannot break.
size_t wri_metal_parts_size(const wri_metal_parts *p);
void wri_metal_parts_save(const wri_metal_parts *p, void *bytes);
bool wri_metal_parts_restore(wri_metal_parts *p, const void *bytes, wr_error *error);
