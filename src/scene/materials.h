// materials.h: the materials that a scene may name, and what each of them alone may say there.
#pragma once

#include "wrought/controller.h"
#include "wrought/scene.h"

#include "tables.h"

// NULL when there is none of that name. "rigid" is the absence of a material.
const wr_material *wri_find_material(const wr_scene_options *options, const char *name);

// Names of all materials, "rigid" first; returns how many were written.
int wri_material_names(const wr_scene_options *options, const char **names, int room);

// What stands behind a sentence about a word that names no material: which it may have been, as it
// is written in a file, or which there are. Returns out.
const char *wri_mean_material(char *out, size_t size, const wr_scene_options *options,
                              const char *word);

// Checks that the materials of a program were made for this library and agree with themselves.
bool wri_check_materials(const wr_scene_options *options, wr_error *error);

// The key of a parameter in a file, and reading its value: a number, a whole number, or a word's
// index.
wri_key wri_parameter_key(const wr_parameter *p);
bool wri_read_parameter(wri_reader *reader, const wri_json *value, const wr_parameter *p,
                        double *number);

// --- what only one material knows ---------------------------------------------------------------

// Keys that only bodies of one material have, and who reads them into its setup. A function may be
// NULL: then there is nothing of that kind.
typedef struct wri_material_reader {
    const wr_material *material;
    const wri_table *keys;            // of its bodies, besides those that all bodies have
    const wri_table *const *chapters; // what the keys speak of, for the reference; NULL at the end
    // Checks that the keys of all bodies make sense for one of these; it has no shape yet.
    bool (*check)(wri_reader *reader, const wri_json *json, const raw_body *raw,
                  const wr_scene_body *body);
    // own: an object of those members of the body that are in keys, at least one.
    bool (*read)(wri_reader *reader, const wri_json *own, wr_scene_body *body);
    double (*mass)(const wr_scene_body *body); // kilograms, of bodies without a shape; for reports
    // The buttons that inputs may press, NULL: it has none; and how they are played.
    const char *const *(*buttons)(const wr_scene_body *body, int *count);
    bool (*play)(wri_reader *reader, const wr_buttons_down *played, int count, wr_scene_body *body);
    bool (*is_hero)(const wr_scene_body *body); // where one looks in a flat scene
    // Adds to warnings (const char *). False: out of memory.
    bool (*warn)(const wr_scene *scene, wri_arena *arena, wri_array *warnings);
} wri_material_reader;

int wri_material_reader_count(void);
const wri_material_reader *wri_material_reader_at(int index);
// NULL: bodies of this material, or rigid ones, say nothing that others do not.
const wri_material_reader *wri_material_reader_of(const wr_material *material);

// The table of bodies, with the keys of single materials at its end. for_reading: what those say
// is passed over, each material reads its own. NULL: out of memory.
const wri_table *wri_all_body_keys(wri_arena *arena, bool for_reading);
// Reads the keys that the body's material alone understands; complains about those of another one.
bool wri_read_own_keys(wri_reader *reader, const wri_json *json, wr_scene_body *body);
