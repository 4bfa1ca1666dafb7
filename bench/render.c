// render.c: what a picture costs: of a film, of a heap, of a preview.
#include "against.h"

#include "../src/base/os.h"

#include <math.h>
#include <stdio.h>

// A shipped scene and the pictures that are drawn of it.
typedef struct shoot {
    const char *name, *scene;
    double from;       // seconds, where the pictures begin
    int width, height; // of a picture
    int samples;
    double goal, work; // ms per picture, of the clock on the wall and of processors; NaN: none
} shoot;

static const shoot SHOOTS[] = {
    {"pachinko 960x540, 4 samples", "pachinko", 2.0, 960, 540, 4, 250.0, 500.0},
    {"pachinko preview, 480x270", "pachinko", 2.0, 480, 270, 1, 40.0, NAN},
    {"100 barrels 1920x1080, 4 samples", "hundred-barrels", 1.0, 1920, 1080, 4, 1200.0, NAN},
};

// --- pictures ---------------------------------------------------------------------------------

typedef struct cost {
    double wall, work; // seconds per picture
} cost;

// Successive pictures of a film at 30 per second. The first one, which makes the models ready, is
// not counted.
static bool draw_pictures(wr_show *show, const shoot *s, int pictures, uint8_t *pixels,
                          const bench_options *options, cost *out, wr_error *error)
{
    double wall = 0.0, work = 0.0;
    bool ok = true;
    for (int i = -1; ok && i < pictures; i++) {
        wall = i == 0 ? wri_seconds() : wall;
        work = i == 0 ? bench_processor_seconds() : work;
        ok = bench_goes_on(options, error) &&
             wr_show_draw(show, 60.0 * s->from + 2.0 * (i + 1), pixels, error);
    }
    *out = (cost){(wri_seconds() - wall) / pictures, (bench_processor_seconds() - work) / pictures};
    return ok;
}

static bool measure(wr_take *take, const shoot *s, int pictures, const bench_options *options,
                    cost *out, wr_error *error)
{
    wr_show_desc desc = wr_show_desc_default();
    desc.take = take;
    desc.width = s->width;
    desc.height = s->height;
    desc.samples = s->samples;
    desc.tasks = wr_tasks_openmp(options->threads);
    size_t count = (size_t)s->width * (size_t)s->height;
    uint8_t *pixels = wri_alloc(NULL, count, 3);
    wr_show *show = pixels ? wr_show_create(&desc, error) : NULL;
    bool ok = pixels || wri_fail_memory(error, 3 * count);
    ok = ok && show && draw_pictures(show, s, pictures, pixels, options, out, error);
    wr_show_destroy(show);
    wri_free(NULL, pixels, count, 3);
    return ok;
}

// Pictures that are measured, of a film at 30 per second.
static int count_pictures(const bench_options *options)
{
    return options->full ? 12 : 4;
}

static bool bench_shoot(const shoot *s, const char *path, const bench_options *options,
                        bench_rows *rows, wr_error *error)
{
    char scene[1024];
    int pictures = count_pictures(options);
    cost c;
    snprintf(scene, sizeof scene, "%s/%s.scene.json", options->scenes, s->scene);
    bool ok = bench_record(options, scene, s->from + (pictures + 1) / 30.0, path, error);
    wr_take *take = ok ? wr_take_open(path, error) : NULL;
    ok = take && measure(take, s, pictures, options, &c, error);
    wr_take_close(take);
    if (ok) {
        bench_add_row(rows, s->name, "time per picture", "ms", 1e3 * c.wall, s->goal);
        bench_add_row(rows, s->name, "processor time per picture", "ms", 1e3 * c.work, s->work);
    }
    return ok;
}

// The pictures as numbered files, by this program and by the other one.
static bool compare_shoot(const shoot *s, const bench_folder *folder, const bench_options *options,
                          bench_rows *rows, wr_error *error)
{
    enum { FEW = 2 }; // the first one makes the models ready
    int pictures = count_pictures(options);
    double more = (FEW + pictures) / 30.0;
    char scene[1024], output[600], size[32], samples[16], threads[16], from[32], to[2][32];
    bench_shared shared;
    snprintf(scene, sizeof scene, "%s/%s.scene.json", options->scenes, s->scene);
    if (!bench_share_recording(options, folder, scene, s->from + more, &shared, error)) {
        return false;
    }
    snprintf(output, sizeof output, "%s/p.####.png", folder->path);
    snprintf(size, sizeof size, "%dx%d", s->width, s->height);
    snprintf(samples, sizeof samples, "%d", s->samples);
    snprintf(threads, sizeof threads, "%d",
             options->threads > 0 ? options->threads : wri_core_count());
    snprintf(from, sizeof from, "%g", s->from);
    snprintf(to[0], sizeof to[0], "%g", s->from + (FEW - 0.5) / 30.0); // between two pictures
    snprintf(to[1], sizeof to[1], "%g", s->from + more - 0.5 / 30.0);
    const char *words[2][18];
    for (int i = 0; i < 2; i++) {
        const char *const all[18] = {"render",    shared.path, "-o",        output,  "--size", size,
                                     "--samples", samples,     "--threads", threads, "--fps",  "30",
                                     "--from",    from,        "--to",      to[i],   "--quiet"};
        memcpy(words[i], all, sizeof all);
    }
    char name[64];
    snprintf(name, sizeof name, "%s%s", shared.is_plain ? "boxes, not " : "", s->name);
    const bench_turns turns = {
        .name = name, .item = "picture", .few = words[0], .many = words[1], .items = pictures};
    return bench_take_turns(options, &turns, rows, error);
}

// --- models -----------------------------------------------------------------------------------

// 12 balls of 1 640 triangles and a ground: about 20 000 triangles.
static bool bench_balls(const bench_options *options, bench_rows *rows, wr_error *error)
{
    wr_color white = {0.8f, 0.8f, 0.8f, 1.0f};
    wr_model *ball =
        wr_model_create_primitive(WR_PRIMITIVE_SPHERE, wr_v3(0.5f, 0, 0), white, error);
    wr_render_desc desc = wr_render_desc_default();
    desc.tasks = wr_tasks_openmp(options->threads);
    wr_render *render = ball ? wr_render_create(&desc, error) : NULL;
    uint8_t *pixels = wri_alloc(NULL, (size_t)desc.width * (size_t)desc.height, 3);
    bool ok = render && pixels;
    wr_stage stage = wr_stage_default();
    enum { THINGS = 14 };
    wr_render_thing things[THINGS];
    wr_box box = {{-3, 0, -2}, {3, 2, 2}};
    wr_camera camera = wr_camera_frame(box, 16.0f / 9.0f);
    int pictures = options->full ? 20 : 6, triangles = 0;
    double start = 0.0;
    for (int p = -1; ok && p < pictures; p++) { // the first one is not counted
        start = p == 0 ? wri_seconds() : start;
        triangles = 0;
        for (int i = 0; i < THINGS; i++) {
            things[i] =
                (wr_render_thing){.model = i ? ball : NULL, .tint = {0.7f, 0.6f, 0.5f, 1.0f}};
            things[i].pose = WR_POSE_IDENTITY;
            triangles += i ? ball->meshes->triangle_count : 0;
            if (i) {
                things[i].pose.position = wr_v3((float)(i % 6) - 2.5f + 0.01f * (float)p, 0.5f,
                                                1.2f * (float)(i / 6) - 1.2f);
            }
        }
        ok = wr_render_draw(render, things, THINGS, &stage, &camera, pixels, error);
    }
    if (ok) {
        char name[64];
        snprintf(name, sizeof name, "render 960x540, %d triangles, 4 spp", triangles);
        bench_add_row(rows, name, "time per picture", "ms",
                      1e3 * (wri_seconds() - start) / pictures, 500.0);
    }
    wri_free(NULL, pixels, (size_t)desc.width * (size_t)desc.height, 3);
    wr_render_destroy(render);
    wr_model_destroy(ball);
    return ok;
}

bool bench_render(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_folder folder;
    char path[sizeof folder.path + 16];
    if (!options->scenes) {
        return wri_fail(error, WR_E_IO, "bench render needs the folder of the shipped scenes");
    }
    if (!bench_folder_create(&folder, error)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/r.wrought", folder.path);
    bool ok = bench_balls(options, rows, error);
    for (int i = 0; ok && i < WRI_COUNT(SHOOTS); i++) {
        ok = bench_shoot(&SHOOTS[i], path, options, rows, error);
    }
    for (int i = 0; ok && options->against && i < WRI_COUNT(SHOOTS); i++) {
        ok = compare_shoot(&SHOOTS[i], &folder, options, rows, error);
    }
    bench_folder_destroy(&folder);
    return ok;
}
