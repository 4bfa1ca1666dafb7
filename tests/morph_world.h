// morph_world.h: scenes with bodies of morph as worlds, and what one can measure in them.
#pragma once

#include "../src/world/morph.h"
#include "show.h"

// The assets of the demo scenes that tests use, as in a scene file.
static inline const char *morph_assets(void)
{
    static char text[4096];
    const char *scenes = getenv("WROUGHT_SCENES");
    snprintf(text, sizeof text,
             "'elbow': '%s/elbow.recipe.json', 'soft': '%s/elbow-soft.recipe.json', 'jelly': "
             "'%s/jelly.recipe.json'",
             scenes, scenes, scenes);
    return text;
}

static inline show start_morph(const char *text)
{
    return start_with(morph_assets(), text, NULL);
}

// A body of morph by its number among the bodies with materials.
typedef struct morph_at {
    wr_morph_world *world;
    int body, count; // of vertices
} morph_at;

static inline morph_at find_morph(const wr_world *world, int index)
{
    const wri_material_body *body = &world->materials[index];
    assert_ptr_equal(body->material, &wri_morph_material);
    morph_at m = {0};
    m.world = wri_morph_world_of(body->state, &m.body);
    m.count = wr_morph_vertex_count(m.world, m.body);
    return m;
}

static inline wr_vec3 *morph_places(const morph_at *m)
{
    wr_vec3 *places = calloc((size_t)m->count, sizeof *places);
    wr_morph_positions(m->world, m->body, NULL, places);
    return places;
}

static inline wr_vec3 *morph_moved(const morph_at *m)
{
    wr_vec3 *moved = calloc((size_t)m->count, sizeof *moved);
    wr_morph_displacements(m->world, m->body, NULL, moved);
    return moved;
}

// metres: the mean displacement of all vertices.
static inline wr_vec3 mean_moved(const wr_world *world, int index)
{
    morph_at m = find_morph(world, index);
    wr_vec3 *moved = morph_moved(&m), sum = {0};
    for (int i = 0; i < m.count; i++) {
        sum = wr_add(sum, moved[i]);
    }
    free(moved);
    return wr_scale(1.0f / (float)m.count, sum);
}
