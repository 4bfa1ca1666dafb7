// surface_sample.h: surfaces and particles of a film of 13 frames, as a function of the frame.
//
//     body 1, surface 0   always; other triangles from frames 4 and 9 on; texture, two looks
//     body 1, surface 2   born in frame 7, gone in frame 12; in the world
//     body 2, surface 1   from frame 3 on; never moves
//     body 5, surface 0   frames 3 to 5; without triangles
//     body 2, particles   none in frames 0 and 1, then 14 to 18, with ids; from frame 8 on fewer;
//     not
//                         in frame 11
//     body 4, particles   from frame 5 on, without ids; rest in frames 7 and 8; as a surface
#pragma once

#include "wrought/record.h"

#include <string.h>

enum { SAMPLE_SURFACES = 4, SAMPLE_CLOUDS = 2, SAMPLE_PARTICLES = 18, SAMPLE_VERTICES = 7 };

typedef struct surface_sample {
    wr_record_surface surfaces[SAMPLE_SURFACES];
    wr_record_particles particles[SAMPLE_CLOUDS];
    wr_vec3 positions[SAMPLE_SURFACES][SAMPLE_VERTICES];
    int triangles[SAMPLE_SURFACES][3 * SAMPLE_VERTICES];
    int looks[SAMPLE_VERTICES];
    wr_vec2 uvs[SAMPLE_VERTICES];
    wr_vec3 places[SAMPLE_CLOUDS][SAMPLE_PARTICLES];
    float radii[SAMPLE_PARTICLES];
    uint32_t ids[SAMPLE_PARTICLES];
} surface_sample;

// In [-1, 1), the same for the same numbers.
static inline float sample_noise(int a, int b)
{
    uint32_t bits = (uint32_t)a * 747796405u + (uint32_t)b * 2891336453u + 12345u;
    bits = ((bits >> ((bits >> 28) + 4u)) ^ bits) * 277803737u;
    return (float)(bits >> 9) / (1 << 22) - 1.0f;
}

// A fan of `count` triangles, which rises with time when it moves.
static inline wr_record_surface *sample_add_fan(surface_sample *s, wr_frame *frame, int count,
                                                float rise)
{
    int k = frame->surface_count++;
    wr_vec3 *x = s->positions[k];
    for (int i = 0; i < count + 2; i++) {
        x[i] = wr_v3(sample_noise(i, k), rise + 0.1f * sample_noise(i, 9), (float)i);
    }
    for (int i = 0; i < count; i++) {
        s->triangles[k][3 * i] = 0;
        s->triangles[k][3 * i + 1] = i + 1;
        s->triangles[k][3 * i + 2] = i + 2;
    }
    s->surfaces[k] = (wr_record_surface){.look = -1,
                                         .color = {0.5f, 0.75f, 1.0f, 1.0f},
                                         .vertex_count = count ? count + 2 : 0,
                                         .triangle_count = count,
                                         .positions = x,
                                         .triangles = s->triangles[k]};
    return &s->surfaces[k];
}

static inline void sample_make_surfaces(surface_sample *s, wr_frame *frame)
{
    int index = frame->index;
    float time = (float)index * 0.0625f + 0.01f * sample_noise(index, 3);
    int stretch = (index >= 4) + (index >= 9);
    wr_record_surface *skin = sample_add_fan(s, frame, 3 + stretch, time);
    for (int i = 0; i < SAMPLE_VERTICES; i++) {
        s->uvs[i] = (wr_vec2){0.125f * (float)(i + stretch), 0.25f};
        s->looks[i] = i % 2 - 1;
    }
    skin->body = 1;
    skin->topology = 40 - (uint32_t)stretch; // any other number says that it changed
    skin->name = stretch ? "torn" : "skin";
    skin->look = 0;
    skin->uvs = s->uvs;
    skin->looks = s->looks;
    if (index >= 7 && index < 12) {
        wr_record_surface *splash = sample_add_fan(s, frame, 2, -time);
        splash->body = 1;
        splash->number = 2;
        splash->name = "splash";
        splash->in_world = true;
    }
    if (index >= 3) {
        wr_record_surface *plate = sample_add_fan(s, frame, 4, 0.5f);
        plate->body = 2;
        plate->number = 1;
    }
    if (index >= 3 && index < 6) {
        wr_record_surface *nothing = sample_add_fan(s, frame, 0, 0.0f);
        nothing->body = 5;
        nothing->look = 0; // of a model that comes with the body
        nothing->color = (wr_color){1, 1, 1, 1};
    }
    frame->surfaces = s->surfaces;
}

static inline void sample_make_particles(surface_sample *s, wr_frame *frame)
{
    int index = frame->index, last = index < 2 ? 0 : index < 6 ? 12 + index : SAMPLE_PARTICLES;
    int count = 0;
    for (int id = 0; id < last; id++) {
        if (index >= 8 && id % 3 == 1) {
            continue;
        }
        float t = (float)index / 8.0f;
        s->ids[count] = 100 + 7 * (uint32_t)id;
        s->radii[count] = 0.01f + 0.001f * (float)(id % 4);
        s->places[0][count++] = wr_v3(sample_noise(id, 1) + t * sample_noise(id, 2),
                                      1.0f - 5.0f * t * t, 100.0f * sample_noise(id, index));
    }
    if (index != 11) {
        s->particles[frame->particles_count++] = (wr_record_particles){.body = 2,
                                                                       .count = count,
                                                                       .color = {1, 1, 1, 1},
                                                                       .positions = s->places[0],
                                                                       .radii = s->radii,
                                                                       .ids = s->ids};
    }
    int beat = index == 8 ? 7 : index;
    for (int i = 0; i < 9; i++) {
        s->places[1][i] = wr_v3((float)beat, sample_noise(i, beat), -0.0f);
    }
    if (index >= 5) {
        s->particles[frame->particles_count++] = (wr_record_particles){.body = 4,
                                                                       .count = index == 9 ? 6 : 9,
                                                                       .in_world = true,
                                                                       .view = WR_PARTICLES_SURFACE,
                                                                       .color = {0.25f, 0.5f, 1, 1},
                                                                       .positions = s->places[1],
                                                                       .radius = 0.125f};
    }
    frame->particles = s->particles;
}

// Fills the surfaces and particles of a frame whose index is set.
static inline void sample_fill_frame(surface_sample *s, wr_frame *frame)
{
    memset(s, 0, sizeof *s);
    sample_make_surfaces(s, frame);
    sample_make_particles(s, frame);
}

// --- a recording ------------------------------------------------------------------------------

enum { SAMPLE_BODIES = 6, SAMPLE_FRAMES = 13 };

// Bodies 1, 2 and 5 have a model, a triangle; that of the second one is without looks.
static wr_record_writer *sample_create_writer(const char *path, int planned, wr_error *error)
{
    static wr_look look = {.name = "paint", .base_color = {1, 0, 0, 1}, .texture = -1};
    static wr_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static int triangle[] = {0, 1, 2};
    static wr_mesh mesh = {
        .vertex_count = 3, .triangle_count = 1, .positions = corners, .triangles = triangle};
    static const wr_model models[] = {
        {.mesh_count = 1, .look_count = 1, .meshes = &mesh, .looks = &look},
        {.mesh_count = 1, .meshes = &mesh}};
    static const wr_model *const list[] = {&models[0], &models[1]};
    static const wr_record_body bodies[SAMPLE_BODIES] = {
        {"ground", "rigid", -1, true, true, {0.5f, 0.5f, 0.5f, 1}},
        {"skin", "clay", 0, false, false, {1, 0.5f, 1, 1}},
        {"water", "clay", 1, false, false, {1, 1, 1, 1}},
        {"bare", "clay", -1, false, false, {1, 1, 1, 1}},
        {"sand", "clay", -1, false, false, {1, 1, 1, 1}},
        {"more", "clay", 0, false, false, {1, 1, 1, 1}},
    };
    wr_record_info info = {.title = "sample",
                           .program = "test",
                           .rate_numerator = 60,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = planned,
                           .stage = wr_stage_default(),
                           .model_count = 2,
                           .models = list,
                           .body_count = SAMPLE_BODIES,
                           .bodies = bodies};
    return wr_record_create(path, &info, error);
}

static const wr_pose sample_poses[SAMPLE_BODIES] = {
    {{0, 0, 0}, {0, 0, 0, 1}}, {{1, 2, 3}, {0.6f, 0, 0, 0.8f}}, {{-4, 0, 1}, {0, 0.28f, 0, 0.96f}},
    {{0, 0, 0}, {0, 0, 0, 1}}, {{5, 5, 5}, {0, 0, 1, 0}},       {{0, 9, 0}, {0, 0, 0, 1}},
};

// The whole film, in which body 1 moves.
static inline bool sample_write_film(const char *path, wr_error *error)
{
    static surface_sample s;
    wr_record_writer *writer = sample_create_writer(path, SAMPLE_FRAMES - 1, error);
    bool ok = writer != NULL;
    for (int i = 0; ok && i < SAMPLE_FRAMES; i++) {
        wr_pose poses[SAMPLE_BODIES];
        memcpy(poses, sample_poses, sizeof poses);
        poses[1].position.x += 0.1f * (float)(i * i);
        wr_frame frame = {
            .index = i, .time = i / 60.0, .body_count = SAMPLE_BODIES, .poses = poses};
        sample_fill_frame(&s, &frame);
        ok = wr_record_add_frame(writer, &frame, error) &&
             (i % 5 != 4 || wr_record_add_snapshot(writer, "state", 5, error));
    }
    ok = ok && wr_record_finish(writer, true, error);
    wr_record_writer_destroy(writer);
    return ok;
}
