// file.c: MB/s read and written per format, and how much memory reading takes.
//
// Every file is made in a temporary folder: by the library's own writer where there is one, else by
// a generator. Times are the best of several runs of the whole call as users make it: from the file
// (in the page cache) to the finished structure, and from the structure to the file, synced. MB are
// 10^6 bytes of file. Peak memory is what the reader's allocator had alive at once, the bytes of
// the file and the result included; what wrought-import takes in its own process is not counted.
// Recordings take no allocator: there it is what the C library's heap holds more between two
// frames.
//
// A new format is one line in the table at the end.
#include "bench.h"
#include "file_input.h"

#include "../src/base/os.h"
#include "../src/file/jpeg.h"
#include "../src/file/png.h"

#include <math.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

typedef bool write_fn(const bench_input *input, const char *path, wr_error *error);
// allocator NULL: the heap; otherwise its user is a meter.
typedef bool read_fn(const char *path, const wr_allocator *allocator, wr_error *error);

typedef struct format {
    const char *name, *file;
    write_fn *write;       // NULL: the library does not write it
    bench_print_fn *print; // makes the file where there is no writer
    read_fn *read;         // NULL: the library does not read it
    bool is_foreign;       // left out where wrought-import is not installed
} format;

// --- memory -----------------------------------------------------------------------------------

typedef struct meter {
    size_t alive, peak;
} meter;

static void *meter_alloc(void *user, size_t size)
{
    meter *m = user;
    const wr_allocator *heap = wr_allocator_default();
    void *memory = heap->alloc(heap->user, size);
    m->alive += memory ? size : 0;
    m->peak = m->alive > m->peak ? m->alive : m->peak;
    return memory;
}

static void meter_free(void *user, void *memory, size_t size)
{
    const wr_allocator *heap = wr_allocator_default();
    ((meter *)user)->alive -= size;
    heap->free(heap->user, memory, size);
}

// What the C library has handed out; 0 where it does not tell, also under the sanitizers.
static size_t heap_in_use(void)
{
#if defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

// --- readers ----------------------------------------------------------------------------------

static bool read_model(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_model *model = wr_model_read(path, &(wr_read_options){.allocator = allocator}, error);
    wr_model_destroy(model);
    return model != NULL;
}

static bool read_tet_mesh(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_tet_mesh *mesh = wr_tet_mesh_read(path, &(wr_read_options){.allocator = allocator}, error);
    wr_tet_mesh_destroy(mesh);
    return mesh != NULL;
}

static bool read_matrix(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_matrix *matrix = wr_matrix_read(path, allocator, error);
    wr_matrix_destroy(matrix);
    return matrix != NULL;
}

static bool read_graph(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_handle_graph *graph =
        wr_handle_graph_read(path, &(wr_read_options){.allocator = allocator}, error);
    wr_handle_graph_destroy(graph);
    return graph != NULL;
}

typedef bool decode_fn(wri_arena *arena, const void *bytes, size_t size, const char *name,
                       wr_image *out, wr_error *error);

static bool read_picture(const char *path, decode_fn *decode, const wr_allocator *allocator,
                         wr_error *error)
{
    wr_image image;
    size_t size = 0;
    char *bytes = wri_file_read(path, SIZE_MAX - 1, allocator, &size, error);
    wri_arena arena = wri_arena_create(allocator);
    bool ok = bytes && decode(&arena, bytes, size, path, &image, error);
    wri_arena_destroy(&arena);
    wri_free(allocator, bytes, size + 1, 1);
    return ok;
}

static bool read_png(const char *path, const wr_allocator *allocator, wr_error *error)
{
    return read_picture(path, wri_png_decode, allocator, error);
}

static bool read_jpeg(const char *path, const wr_allocator *allocator, wr_error *error)
{
    return read_picture(path, wri_jpeg_decode, allocator, error);
}

static bool read_cache(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_cache *cache = wr_cache_read(path, allocator, error);
    wr_cache_destroy(cache);
    return cache != NULL;
}

static bool read_scene(const char *path, const wr_allocator *allocator, wr_error *error)
{
    wr_scene *scene = wr_scene_read(path, &(wr_scene_options){.allocator = allocator}, error);
    wr_scene_destroy(scene);
    return scene != NULL;
}

static bool read_recording(const char *path, const wr_allocator *allocator, wr_error *error)
{
    meter *m = allocator ? allocator->user : NULL;
    size_t before = heap_in_use();
    wr_record_reader *reader = wr_record_open(path, error);
    bool ok = reader != NULL;
    for (int i = 0; ok && i < wr_record_frame_count(reader); i++) {
        ok = wr_record_read_frame(reader, i, error) != NULL;
        size_t now = m ? heap_in_use() : 0;
        if (now > before && now - before > m->peak) {
            m->peak = now - before;
        }
    }
    wr_record_close(reader);
    return ok;
}

// --- writers ----------------------------------------------------------------------------------

static bool write_glb(const bench_input *input, const char *path, wr_error *error)
{
    return wr_model_write_glb(input->grid, path, error);
}

static bool write_rig(const bench_input *input, const char *path, wr_error *error)
{
    return wr_model_write_glb(input->rig, path, error);
}

static bool write_obj(const bench_input *input, const char *path, wr_error *error)
{
    return wr_model_write_obj(input->grid, NULL, path, error);
}

static bool write_ply_text(const bench_input *input, const char *path, wr_error *error)
{
    return wr_model_write_ply(input->grid, true, path, error);
}

static bool write_ply_bytes(const bench_input *input, const char *path, wr_error *error)
{
    return wr_model_write_ply(input->grid, false, path, error);
}

static bool write_usda(const bench_input *input, const char *path, wr_error *error)
{
    enum { FRAMES = 2 };
    const wr_vec3 *const points[FRAMES] = {bench_input_frame(input, 0),
                                           bench_input_frame(input, 1)};
    const wr_node_motion motion = {.node = 0, .points = points, .last = FRAMES - 1};
    const wr_model_motion take = {.rate_numerator = 60,
                                  .rate_denominator = 1,
                                  .frame_count = FRAMES,
                                  .motion_count = 1,
                                  .motions = &motion};
    return wr_model_write_usda(input->grid, &take, path, error);
}

static bool write_cache(const bench_input *input, wr_cache_format kind, const char *path,
                        wr_error *error)
{
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = kind;
    desc.point_count = input->grid->meshes->vertex_count;
    desc.frame_count = BENCH_FRAMES;
    wr_cache_writer *writer = wr_cache_create(path, &desc, error);
    bool ok = writer != NULL;
    for (int f = 0; ok && f < BENCH_FRAMES; f++) {
        ok = wr_cache_add_frame(writer, bench_input_frame(input, f), error);
    }
    ok = ok && wr_cache_finish(writer, error);
    wr_cache_writer_destroy(writer);
    return ok;
}

static bool write_pc2(const bench_input *input, const char *path, wr_error *error)
{
    return write_cache(input, WR_CACHE_PC2, path, error);
}

static bool write_mdd(const bench_input *input, const char *path, wr_error *error)
{
    return write_cache(input, WR_CACHE_MDD, path, error);
}

static bool write_png(const bench_input *input, const char *path, wr_error *error)
{
    return wr_png_write(path, input->pixels, input->width, input->height, 4, error);
}

static bool add_frame(wr_record_writer *writer, const bench_input *input, int index,
                      wr_error *error)
{
    const wr_pose pose = WR_POSE_IDENTITY;
    const wr_record_points points = {0, input->grid->meshes->vertex_count,
                                     bench_input_frame(input, index)};
    const wr_frame frame = {.index = index,
                            .time = index / 60.0,
                            .body_count = 1,
                            .poses = &pose,
                            .points_count = 1,
                            .points = &points};
    return wr_record_add_frame(writer, &frame, error);
}

static bool write_recording(const bench_input *input, const char *path, wr_error *error)
{
    const wr_model *const models[] = {input->grid};
    const wr_record_body body = {.name = "grid", .material = "clay", .color = {1, 1, 1, 1}};
    const wr_record_info info = {.title = "bench",
                                 .program = "bench",
                                 .rate_numerator = 60,
                                 .rate_denominator = 1,
                                 .substeps = 4,
                                 .planned_frames = BENCH_FRAMES - 1,
                                 .stage = wr_stage_default(),
                                 .model_count = 1,
                                 .models = models,
                                 .body_count = 1,
                                 .bodies = &body};
    wr_record_writer *writer = wr_record_create(path, &info, error);
    bool ok = writer != NULL;
    for (int f = 0; ok && f < BENCH_FRAMES; f++) {
        ok = add_frame(writer, input, f, error);
    }
    ok = ok && wr_record_finish(writer, true, error);
    wr_record_writer_destroy(writer);
    return ok;
}

// --- measuring --------------------------------------------------------------------------------

typedef struct job {
    const format *format;
    const bench_input *input;
    const bench_options *options;
    bench_rows *rows;
    char path[600];
    wr_error *error;
} job;

static bool print_file(const job *j)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);
    bool ok = file != NULL;
    if (file) {
        j->format->print(file, j->input);
        ok = !ferror(file);
        ok = fclose(file) == 0 && ok;
    }
    ok = ok ? wri_file_write(j->path, bytes, size, j->error) : wri_fail_memory(j->error, size);
    free(bytes);
    return ok;
}

static bool run_once(const job *j, bool writing)
{
    return writing ? j->format->write(j->input, j->path, j->error)
                   : j->format->read(j->path, NULL, j->error);
}

// The best of at least two runs; more while there is time.
static bool measure_seconds(const job *j, bool writing, double *best)
{
    double budget = j->options->full ? 3.0 : 0.35, begin = wri_seconds();
    *best = INFINITY;
    for (int run = 0; run < 2 || (run < 20 && wri_seconds() - begin < budget); run++) {
        double start = wri_seconds();
        if (!bench_goes_on(j->options, j->error) || !run_once(j, writing)) {
            return false;
        }
        *best = fmin(*best, wri_seconds() - start);
    }
    return true;
}

static bool measure_writing(const job *j, double megabytes)
{
    double seconds;
    if (!measure_seconds(j, true, &seconds)) {
        return false;
    }
    bench_add_row(j->rows, j->format->name, "write", "MB/s", megabytes / seconds, NAN);
    return true;
}

static bool measure_reading(const job *j, double megabytes)
{
    meter m = {0};
    const wr_allocator allocator = {meter_alloc, meter_free, &m};
    double seconds;
    if (!j->format->read(j->path, &allocator, j->error) || !measure_seconds(j, false, &seconds)) {
        return false;
    }
    bench_add_row(j->rows, j->format->name, "read", "MB/s", megabytes / seconds, NAN);
    if (m.peak > 0) { // else nobody could count
        bench_add_row(j->rows, j->format->name, "peak memory", "x file size",
                      1e-6 * (double)m.peak / megabytes, NAN);
    }
    return true;
}

static bool is_missing(const job *j)
{
    wr_error error = {0};
    return j->format->is_foreign && !j->format->read(j->path, NULL, &error) &&
           error.code == WR_E_UNSUPPORTED;
}

static bool measure_made(const job *j)
{
    double megabytes = 1e-6 * (double)wri_file_size(j->path);
    bench_add_row(j->rows, j->format->name, "size", "MB", megabytes, NAN);
    return (!j->format->read || measure_reading(j, megabytes)) &&
           (!j->format->write || measure_writing(j, megabytes));
}

static bool measure_format(const job *j)
{
    bool ok = j->format->write ? j->format->write(j->input, j->path, j->error) : print_file(j);
    ok = ok && bench_goes_on(j->options, j->error) && (is_missing(j) || measure_made(j));
    wri_file_remove(j->path);
    return ok;
}

// --- the whole --------------------------------------------------------------------------------

static const format formats[] = {
    {"glb", "grid.glb", write_glb, NULL, read_model},
    {"glb, rigged", "rig.glb", write_rig, NULL, read_model},
    {"obj", "grid.obj", write_obj, NULL, read_model},
    {"ply, text", "text.ply", write_ply_text, NULL, read_model},
    {"ply, bytes", "bytes.ply", write_ply_bytes, NULL, read_model},
    {"off", "grid.off", NULL, bench_print_off, read_model},
    {"stl, through Assimp", "grid.stl", NULL, bench_print_stl, read_model, true},
    {"dae, through Assimp", "grid.dae", NULL, bench_print_dae, read_model, true},
    {"mesh", "block.mesh", NULL, bench_print_medit, read_tet_mesh},
    {"dmat, text", "text.dmat", NULL, bench_print_dmat_text, read_matrix},
    {"dmat, bytes", "bytes.dmat", NULL, bench_print_dmat_bytes, read_matrix},
    {"tgf", "graph.tgf", NULL, bench_print_tgf, read_graph},
    {"pc2", "grid.pc2", write_pc2, NULL, read_cache},
    {"mdd", "grid.mdd", write_mdd, NULL, read_cache},
    {"usda", "grid.usda", write_usda, NULL, NULL},
    {"png", "picture.png", write_png, NULL, read_png},
    {"jpeg", "picture.jpg", NULL, bench_print_jpeg, read_jpeg},
    {"scene", "bench.scene.json", NULL, bench_print_scene, read_scene},
    {"recording", "bench.wrought", write_recording, NULL, read_recording},
};

bool bench_file(const bench_options *options, bench_rows *rows, wr_error *error)
{
    bench_folder folder;
    bench_input input;
    if (!bench_input_create(&input, options->full ? 5 : 1, error)) {
        return false;
    }
    bool made = bench_folder_create(&folder, error), ok = made;
    for (int i = 0; ok && i < WRI_COUNT(formats); i++) {
        job j = {.format = &formats[i],
                 .input = &input,
                 .options = options,
                 .rows = rows,
                 .error = error};
        snprintf(j.path, sizeof j.path, "%s/%s", folder.path, formats[i].file);
        ok = measure_format(&j);
    }
    if (made) {
        bench_folder_destroy(&folder);
    }
    bench_input_destroy(&input);
    return ok;
}
