// figure_sculpt.c: vertices that follow a surface while the radii of its parts change.
//
// Radii go from those at rest to those of the target in even steps, and after each one every vertex
// goes to the nearest place of the surface: what is far away from the change stays where it is.
#include "figure_sculpt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 16 };

static void stop(const char *message, const char *name)
{
    fprintf(stderr, "make_figures: %s%s\n", message, name);
    exit(1);
}

static void *take(wr_model *model, size_t count, size_t size)
{
    void *memory = wr_model_alloc(model, count, size);
    if (!memory) {
        stop("out of memory", "");
    }
    return memory;
}

static figure_part *find_part(figure_part *parts, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (parts[i].name && strcmp(parts[i].name, name) == 0) {
            return &parts[i];
        }
    }
    stop("a target has what is no part: ", name);
    return NULL;
}

// The figure on its way to a target, `share` from 0 to 1.
static field find_field(const figure *f, const figure_target *target, float share)
{
    figure_part parts[FIGURE_MAX_PARTS];
    memcpy(parts, f->parts, (size_t)f->part_count * sizeof *parts);
    for (int i = 0; i < FIGURE_SCULPTS && target->sculpts[i].part; i++) {
        const figure_sculpt *s = &target->sculpts[i];
        figure_part *part = find_part(parts, f->part_count, s->part);
        for (int k = 0; k < 2; k++) {
            float by = s->radius[k] > 0.0f ? s->radius[k] - part->radius[k] : 0.0f;
            part->radius[k] += share * by;
        }
    }
    figure sculpted = *f;
    sculpted.parts = parts;
    field out = field_create(&sculpted); // it copies the parts
    out.figure = f;
    return out;
}

// What was on the floor or in the plane between left and right stays there.
static wr_vec3 follow(const field *f, wr_vec3 from, wr_vec3 p)
{
    bool mirrored = !f->figure->whole && from.x < 0.0f;
    p.x = mirrored ? -p.x : p.x;
    p = field_project(f, p);
    p.x = !f->figure->whole && from.x == 0.0f ? 0.0f : p.x;
    p.y = from.y == 0.0f ? 0.0f : p.y;
    p.x = mirrored ? -p.x : p.x;
    return p;
}

static void sculpt(const figure *f, const figure_target *target, const wr_mesh *mesh,
                   wr_model *model, wr_morph *out)
{
    size_t count = (size_t)mesh->vertex_count;
    wr_vec3 *places = take(model, count, sizeof *places);
    wr_vec3 *normals = take(model, count, sizeof *normals);
    memcpy(places, mesh->positions, count * sizeof *places);
    for (int step = 1; step <= STEPS; step++) {
        field on_the_way = find_field(f, target, (float)step / STEPS);
        for (size_t i = 0; i < count; i++) {
            places[i] = follow(&on_the_way, mesh->positions[i], places[i]);
        }
    }
    field first = field_create(f), last = find_field(f, target, 1.0f);
    for (size_t i = 0; i < count; i++) {
        wr_vec3 p = mesh->positions[i], moved = wr_sub(places[i], p);
        bool stays = wr_length(moved) < 1e-5f;
        normals[i] = stays ? wr_v3(0.0f, 0.0f, 0.0f)
                           : wr_sub(field_normal(&last, places[i]), field_normal(&first, p));
        places[i] = stays ? wr_v3(0.0f, 0.0f, 0.0f) : moved;
    }
    *out = (wr_morph){.name = target->name, .positions = places, .normals = normals};
}

void figure_add_targets(const figure *f, wr_model *model)
{
    wr_mesh *mesh = model->meshes;
    mesh->morphs =
        f->target_count ? take(model, (size_t)f->target_count, sizeof *mesh->morphs) : NULL;
    mesh->morph_count = f->target_count;
    for (int i = 0; i < f->target_count; i++) {
        sculpt(f, &f->targets[i], mesh, model, &mesh->morphs[i]);
    }
}
