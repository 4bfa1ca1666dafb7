// sights.h: what a camera would see of bodies, by points on their surfaces at a few moments.
//
// A point stands for a small disc of the surface around it. Who is in front of whom, how large a
// body is in the picture, and how much of what bends is in view, is found in a coarse picture of
// these discs: quickly enough to try many cameras, and much the same for any shape.
#pragma once

#include "show.h"

enum { WRI_SIGHTS = 9 }; // moments, evenly spread; the first is the first frame

typedef struct wri_sights wri_sights;

// How a body is seen, without fragments of it that flew off.
typedef struct wri_sight {
    float left, right, top, bottom; // borders in the picture, which are 0 and 1; what is beyond
                                    // them counts, too. Less on the right: it is not ahead
    float shown; // share of what faces the camera that is in the picture and not hidden
    float bent;  // likewise of what bends by then, up to 1 when half of it is seen
} wri_sight;

// Lives in the arena.
wri_sights *wri_sights_create(const wr_record_info *info, wri_arena *arena, wr_error *error);

// Notes a moment; all have to be, in their order. The shapes are those of `reskin`.
bool wri_sights_note(wri_sights *sights, int moment, wr_reskin *reskin, const wr_frame *frame,
                     wr_error *error);
// When all are.
void wri_sights_find_bends(wri_sights *sights);

// How much of a body, its fragments with it, is how far from where it would be had it stayed
// rigid: m² times m. 0 when it is only a trace.
double wri_sights_bend(const wri_sights *sights, int moment, int body);

// Chooses a moment and a camera; then any body can be asked where it is in the picture, and, when
// that is drawn, how much of it is in view.
void wri_sights_aim(wri_sights *sights, int moment, const wr_camera *camera, float aspect);
void wri_sights_draw(wri_sights *sights);
wri_sight wri_sights_see(const wri_sights *sights, int body);
