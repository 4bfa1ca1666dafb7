// tune.h: values for metal from a run in which nothing bends.
//
//     wr_tune_desc desc = wr_tune_desc_default();
//     desc.scene = scene;
//     wr_tuning *tuning = wr_tuning_create(&desc, &error);
//     while (wr_tuning_frame(tuning) < wr_scene_frame_count(scene)) {
//         wr_tuning_step(tuning, &error);
//     }
//     wr_tuning_propose(tuning, false, &error);              // wr_tuning_families has the values
//     char *text = wr_tuning_write(tuning, "dock.scene.json", NULL, &size, &error);
//     wr_tuning_check(tuning, NULL, &error);                 // from the start, bending: step again
//
// Every metal body is watched while it stays rigid. Its impulses are summed as metal sums them,
// over patches and windows, so that a hit is a speed: what the body's own yield would be compared
// with. Contact at rest is whatever happens while a body, and all that leans on it, has been slow
// for a while. The proposal keeps the yield above contact at rest, and a part of the hardest hit,
// and finds the bend by replaying the hits on a body of the same asset, with painted maps and all.
//
// Thread safety: as a world.
#pragma once

#include "world.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct wr_tuning wr_tuning;

typedef struct wr_tune_desc {
    const wr_scene *scene; // outlives the tuning
    double share;          // of an example that the hardest hits reach, (0, 1]. Default 0.8
    double margin;         // yield over what contact at rest does, >= 1. Default 1.5
    double least;          // yield over the hardest hit at least, [0, 0.9]. Default 0.15
    wr_allocator allocator;
    wr_log log;
    uint32_t cookie; // set by wr_tune_desc_default; do not touch
} wr_tune_desc;

WR_API wr_tune_desc wr_tune_desc_default(void);
// Fails when the scene has no metal, or metal that does not yield by speed.
WR_API WR_NODISCARD wr_tuning *wr_tuning_create(const wr_tune_desc *desc, wr_error *error);
WR_API void wr_tuning_destroy(wr_tuning *tuning); // accepts NULL

// One frame. False when the world cannot go on, see wr_world_check: what was found is not whole.
WR_API bool wr_tuning_step(wr_tuning *tuning, wr_error *error);
WR_API int wr_tuning_frame(const wr_tuning *tuning); // frames so far, of this run

// --- what was found ---------------------------------------------------------------------------

typedef struct wr_tune_body {
    int body, family; // in the scene; in the tuning
    int hits;         // harder than the proposed yield
    double hardest;   // m/s
    double resting;   // m/s, the most that contact at rest did
    double load;      // body weights, the most that one place carried at rest
    double expected;  // largest weight of an example after all hits, [0, 1]
    double reached;   // the same in the check; NAN: not checked
    int crept;        // hits in the check that came from contact at rest
} wr_tune_body;

// Bodies that get the same values: same asset, same scale, same material.
typedef struct wr_tune_family {
    int first, count;   // of the tuning's bodies
    int hits;           // sums and maxima over its bodies
    double hardest;     // m/s
    double resting;     // m/s
    double yield;       // proposed, fall speeds: see metal.h
    double yield_speed; // m/s; of all bodies together: NAN, when they are not of one size
    double bend;        // proposed
    double expected, reached;
    int crept;
    bool is_tuned;   // false: no hit moves an example; bend is as it was, yield if it is enough
    bool is_kept;    // not tuned, and the yield is enough: nothing to write
    bool is_limited; // bend is the largest that is proposed, 20, and the share is not reached
    bool is_tight;   // contact at rest is hardly weaker than the hits: the margin is not kept
} wr_tune_family;

// Bodies by family, then by number in the scene. Proposed values are zero until wr_tuning_propose.
WR_API const wr_tune_body *wr_tuning_bodies(const wr_tuning *tuning, int *count);
WR_API const wr_tune_family *wr_tuning_families(const wr_tuning *tuning, int *count);
// What hit a body in the rigid run.
typedef struct wr_tune_hit {
    double time;     // seconds
    double speed;    // m/s
    double expected; // weight of an example that it alone reaches with the proposed values; 0: it
                     // leaves no dent
} wr_tune_hit;
// Those of a body after wr_tuning_propose, by time; body: index into wr_tuning_bodies.
WR_API const wr_tune_hit *wr_tuning_hits(const wr_tuning *tuning, int body, int *count);
// One set of values for all of them.
WR_API const wr_tune_family *wr_tuning_all(const wr_tuning *tuning);

// Proposes values from what was seen so far. together: every family gets the values of
// wr_tuning_all, if that is tuned.
WR_API bool wr_tuning_propose(wr_tuning *tuning, bool together, wr_error *error);

// The scene file with the proposed values, all else as it is: comments, order, blanks, and bodies
// whose values are kept. folder: where it will lie, so that files are found from there; NULL:
// beside the old one. *size is what wr_text_destroy wants.
WR_API WR_NODISCARD char *wr_tuning_write(const wr_tuning *tuning, const char *path,
                                          const char *folder, size_t *size, wr_error *error);

// Starts over with bodies that bend as proposed, or as another reading of the same scene says
// (NULL: as proposed; it outlives the tuning). Step, and read what was reached at any time.
WR_API bool wr_tuning_check(wr_tuning *tuning, const wr_scene *scene, wr_error *error);

#if defined(__cplusplus)
}
#endif
