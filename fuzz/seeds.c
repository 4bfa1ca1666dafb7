// seeds.c: small sound files of our own writers, from which fuzzing starts: fuzz_seeds FOLDER
// Those of other formats are kept in fuzz/seeds.
#include "fuzz.h"
#include "../tests/asset_sample.h"
#include "../tests/surface_sample.h"
#include "../src/base/os.h"
#include "../src/record/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

static const char *corpus;

static void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fuzz_complain("%s", error->message);
    }
}

static const char *seed_path(const char *target, const char *name)
{
    static char path[1024];
    wr_error error = {0};
    snprintf(path, sizeof path, "%s/%s", corpus, target);
    need(wri_folder_create(path, &error), &error);
    snprintf(path, sizeof path, "%s/%s/%s", corpus, target, name);
    return path;
}

static void put(const char *target, const char *name, const void *bytes, size_t size)
{
    wr_error error = {0};
    need(wri_file_write(seed_path(target, name), bytes, size, &error), &error);
}

// --- models and pictures ----------------------------------------------------------------------

// A box with a texture, two looks and a clip.
static void put_glb(void)
{
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 128};
    wr_error error = {0};
    wr_color red = {1.0f, 0.2f, 0.1f, 1.0f};
    wr_model *box = wr_model_create_primitive(WR_PRIMITIVE_BOX, wr_v3(1, 2, 3), red, &error);
    need(box, &error);
    need(wr_model_write_glb(box, seed_path("glb", "box.glb"), &error), &error);
    wr_image image = {"dots", 2, 2, pixels};
    wr_look look = {"paint", red, 0, 0.5f, 0.1f, true};
    box->images = &image;
    box->image_count = 1;
    box->looks = &look;
    box->look_count = 1;
    box->meshes->parts->look = 0;
    float times[2] = {0.0f, 1.0f}, places[6] = {0, 0, 0, 1, 2, 3};
    wr_track track = {.node = 0, .key_count = 2, .times = times, .values = places};
    wr_clip clip = {.name = "take", .track_count = 1, .tracks = &track};
    box->clips = &clip;
    box->clip_count = 1;
    need(wr_model_write_glb(box, seed_path("glb", "paint.glb"), &error), &error);
    wr_model_destroy(box);
}

// One face of the sample's box, so that it stays below the size of inputs.
static void put_asset(const char *name, sample_shape shape)
{
    wr_error error = {0};
    wr_asset *asset = sample_asset_create(shape);
    need(asset, &(wr_error){.message = "no sample"});
    wr_mesh *mesh = asset->model->meshes;
    asset->rig.ride_count = mesh->vertex_count = 4;
    mesh->triangle_count = 2;
    mesh->part_count = 1;
    mesh->parts[0] = (wr_mesh_part){0, 2, -1};
    need(wr_asset_write(asset, seed_path("asset", name), &error), &error);
    wr_asset_destroy(asset);
}

static void put_png(void)
{
    uint8_t pixels[4 * 64];
    wr_error error = {0};
    for (int i = 0; i < 4 * 64; i++) {
        pixels[i] = (uint8_t)(i * 7);
    }
    need(wr_png_write(seed_path("png", "rgba.png"), pixels, 8, 8, 4, &error), &error);
    need(wr_png_write(seed_path("png", "rgb.png"), pixels, 5, 3, 3, &error), &error);
}

static void put_cache(const char *target, wr_cache_format format)
{
    static const wr_vec3 points[2] = {{1, 2, 3}, {4, 5, 6}};
    wr_error error = {0};
    wr_cache_desc desc = wr_cache_desc_default();
    desc.format = format;
    desc.point_count = 2;
    desc.frame_count = 3;
    wr_cache_writer *writer = wr_cache_create(seed_path(target, "small"), &desc, &error);
    need(writer, &error);
    for (int i = 0; i < 3; i++) {
        need(wr_cache_add_frame(writer, points, &error), &error);
    }
    need(wr_cache_finish(writer, &error), &error);
    wr_cache_writer_destroy(writer);
}

// --- recordings -------------------------------------------------------------------------------

// The same recording with nothing compressed, so that mutations reach what is inside.
static void unpack(const uint8_t *bytes, size_t size, wri_array *out)
{
    wri_record_index index = {0};
    uint64_t index_at = 0;
    memcpy(wri_array_add(out, WRI_RECORD_HEADER_SIZE), bytes, WRI_RECORD_HEADER_SIZE);
    for (size_t at = WRI_RECORD_HEADER_SIZE; at < size;) {
        const uint8_t *head = bytes + at, *payload = head + WRI_CHUNK_HEAD_SIZE;
        uint32_t kind = (uint32_t)wri_read_little(head, 4);
        size_t stored = wri_read_little(head + 8, 4), raw = wri_read_little(head + 12, 4);
        int place = out->count;
        uint8_t *new_head = wri_array_add(out, WRI_CHUNK_HEAD_SIZE);
        memcpy(new_head, head, 8);
        new_head[4] &= (uint8_t)~WRI_CHUNK_PACKED;
        if (kind == WRI_CHUNK_INDEX) {
            wri_codec c = {.out = out};
            index.is_complete = payload[0] == 1;
            wri_code_index(&c, &index);
            index_at = (uint64_t)place;
        } else if (kind == WRI_CHUNK_FOOTER) {
            wri_write_little(wri_array_add(out, 8), index_at, 8);
        } else if (head[4] & WRI_CHUNK_PACKED) {
            (void)ZSTD_decompress(wri_array_add(out, (int)raw), raw, payload, stored);
        } else {
            memcpy(wri_array_add(out, (int)stored), payload, stored);
        }
        if (kind == WRI_CHUNK_FRAME) {
            wri_index_add_frame(&index, place, head[4] & WRI_CHUNK_KEY);
        }
        at += WRI_CHUNK_HEAD_SIZE + stored;
    }
    wri_array_destroy(&index.frames);
    fuzz_repair_recording(out->items, (size_t)out->count);
}

// path lies where the next seed's will: it is read before.
static void put_unpacked(const char *path, const char *name)
{
    size_t size;
    wr_error error = {0};
    char *bytes = wri_file_read(path, 1 << 24, NULL, &size, &error);
    need(bytes, &error);
    wri_array out = wri_array_create(NULL, 1);
    unpack((const uint8_t *)bytes, size, &out);
    put("recording", name, out.items, (size_t)out.count);
    wri_array_destroy(&out);
    wri_free(NULL, bytes, size + 1, 1);
}

static void put_recording(wr_world *world, bool finish)
{
    wr_error error = {0};
    const char *path = seed_path("recording", finish ? "packed" : "packed-unfinished");
    wr_record_info info = *wr_world_record_info(world);
    info.planned_frames = wr_world_frame(world)->index + 4;
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    need(writer, &error);
    for (int i = 0; i < 5; i++) {
        wr_frame frame = *wr_world_frame(world);
        frame.index = i;
        need(wr_record_add_frame(writer, &frame, &error), &error);
        size_t size;
        if (i % 3 == 1) {
            const void *bytes = wr_world_save(world, &size, &error);
            need(bytes, &error);
            need(wr_record_add_snapshot(writer, bytes, size < 64 ? size : 64, &error), &error);
        }
        wr_world_step_frame(world);
    }
    if (finish) {
        need(wr_record_finish(writer, false, &error), &error);
    }
    wr_record_writer_destroy(writer);
    put_unpacked(path, finish ? "raw" : "raw-unfinished");
}

// Points, weights, contacts, events and births: all streams at once, and an asset at two sizes.
static void put_rich_recording(void)
{
    wr_error error = {0};
    wr_color grey = {0.5f, 0.5f, 0.5f, 1.0f};
    wr_asset *asset = sample_asset_create((sample_shape){3, 1, 0, true});
    const wr_model *models[] = {asset->model, asset->model};
    const wr_asset *assets[] = {asset};
    const wr_record_rig rigs[] = {{0, 2.0f}, {0, 1.0f}};
    wr_record_body body = {"b", "clay", 0, false, false, grey};
    const wr_record_body bodies[] = {
        body, {"t", "metal", 1, false, false, grey}, {"c", "metal", 0, false, false, grey}};
    wr_record_info info = {.title = "r",
                           .program = "seeds",
                           .rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = 2,
                           .stage = wr_stage_default(),
                           .model_count = WRI_COUNT(models),
                           .models = models,
                           .asset_count = 1,
                           .assets = assets,
                           .rigs = rigs,
                           .body_count = WRI_COUNT(bodies),
                           .bodies = bodies};
    const char *path = seed_path("recording", "packed-rich");
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    need(writer, &error);
    wr_vec3 points[24] = {{1, 2, 3}};
    const int vertices[4] = {0, 3, 3, 7}, examples[4] = {1, 1, 3, 2};
    const float weights[4] = {0.5f, 1.0f, 0.25f, 0.125f};
    wr_record_points shown = {0, asset->rig.ride_count, points};
    wr_record_contact contact = {0, 1, {0, 0, 0}, {0, 1, 0}, 2.0f};
    wr_event events[] = {{WR_EVENT_BORN, 3, 0, body}, {WR_EVENT_BROKEN, 0, -1, {0}}};
    for (int i = 0; i < 3; i++) {
        wr_record_weights blends[] = {{1, 2 + i % 2, vertices, examples, weights},
                                      {2, 4, vertices, examples, weights}};
        wr_pose poses[4] = {WR_POSE_IDENTITY, WR_POSE_IDENTITY, WR_POSE_IDENTITY, WR_POSE_IDENTITY};
        poses[0].position.x = points[1].y = (float)i;
        wr_frame frame = {.index = i,
                          .time = i / 30.0,
                          .hash = (uint64_t)i,
                          .body_count = i < 1 ? 3 : 4,
                          .poses = poses,
                          .points_count = 1,
                          .points = &shown,
                          .weights_count = WRI_COUNT(blends),
                          .weights = blends,
                          .contact_count = i < 1 ? 0 : 1,
                          .contacts = &contact,
                          .event_count = i == 1 ? 2 : 0,
                          .events = events};
        need(wr_record_add_frame(writer, &frame, &error), &error);
        need(i != 1 || wr_record_add_snapshot(writer, "state", 5, &error), &error);
    }
    need(wr_record_finish(writer, true, &error), &error);
    wr_record_writer_destroy(writer);
    wr_asset_destroy(asset);
    put_unpacked(path, "raw-rich");
}

// Surfaces and particles that come, change and go, with a key frame among them.
static void put_soft_recording(void)
{
    wr_error error = {0};
    wr_look look = {.name = "paint", .base_color = {1, 1, 1, 1}, .texture = -1};
    wr_vec3 corner = {0};
    wr_mesh mesh = {.vertex_count = 1, .positions = &corner};
    const wr_model model = {.mesh_count = 1, .look_count = 1, .meshes = &mesh, .looks = &look};
    const wr_model *const models[] = {&model};
    const wr_record_body bodies[6] = {{.model = -1}};
    const wr_pose poses[6] = {WR_POSE_IDENTITY};
    wr_record_info info = {.rate_numerator = 30,
                           .rate_denominator = 1,
                           .substeps = 1,
                           .planned_frames = 12,
                           .stage = wr_stage_default(),
                           .model_count = 1,
                           .models = models,
                           .body_count = WRI_COUNT(bodies),
                           .bodies = bodies};
    const char *path = seed_path("recording", "packed-soft");
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    need(writer, &error);
    static surface_sample s;
    for (int i = 6; i <= 12; i++) {
        wr_frame frame = {.index = i};
        sample_fill_frame(&s, &frame);
        frame.index = i - 6;
        frame.time = frame.index / 30.0;
        frame.body_count = WRI_COUNT(bodies);
        frame.poses = poses;
        need(wr_record_add_frame(writer, &frame, &error), &error);
        need(i != 10 || wr_record_add_snapshot(writer, "state", 5, &error), &error);
    }
    need(wr_record_finish(writer, false, &error), &error);
    wr_record_writer_destroy(writer);
    put_unpacked(path, "raw-soft");
}

static void put_worlds(void)
{
    wr_error error = {0};
    wr_scene *scene = fuzz_scene_create();
    wr_world *world = fuzz_world_create(scene);
    for (int i = 0; i < 3; i++) {
        char name[32];
        size_t size;
        snprintf(name, sizeof name, "frame-%d", wr_world_frame(world)->index);
        const void *bytes = wr_world_save(world, &size, &error);
        need(bytes, &error);
        put("snapshot", name, bytes, size);
        for (int k = 0; k < 10; k++) {
            wr_world_step_frame(world);
        }
    }
    put_recording(world, true);
    put_recording(world, false);
    wr_world_destroy(world);
    wr_scene_destroy(scene);
}

// The bytes of a scene for the importer mean what fuzz_assimp_scene takes them for: any will do.
// Small ones are small numbers and things that are there.
static void put_imports(void)
{
    uint64_t seed = 7;
    for (int i = 0; i < 12; i++) {
        uint8_t bytes[4096];
        char name[16];
        for (int k = 0; k < (int)sizeof bytes; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[k] = (uint8_t)((seed >> 40) % (i % 3 == 2 ? 256 : 240));
        }
        snprintf(name, sizeof name, "random-%d", i);
        put("import", name, bytes, (size_t)300 << i % 4);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    corpus = argv[1];
    fuzz_put_neighbours();
    put_glb();
    put_asset("solid.glb", (sample_shape){3, 1, 2, false});
    put_asset("flat.glb", (sample_shape){2, 1, 1, false});
    put_asset("bare.glb", (sample_shape){3, 1, 0, true});
    put_png();
    put_cache("pc2", WR_CACHE_PC2);
    put_cache("mdd", WR_CACHE_MDD);
    put_worlds();
    put_rich_recording();
    put_soft_recording();
    put_imports();
    return 0;
}
