// asset_file.h: assets on disk for tests: two paths in a folder of their own, kinds of samples.
#pragma once

#include "asset_sample.h"
#include "folder.h"
#include "same_model.h"
#include "wrought/wrought.h"

#include "../src/base/os.h"
#include "../src/file/asset.h"
#include "../src/file/json.h"

static char path[600], other[600];

static inline int set_up_files(void **state)
{
    set_up(state);
    snprintf(path, sizeof path, "%s/a.glb", folder.path);
    snprintf(other, sizeof other, "%s/b.glb", folder.path);
    return 0;
}

static const sample_shape rich = {3, 2, 6, false}, flat = {2, 3, 3, false}, bare = {3, 1, 0, false},
                          plain = {3, 2, 3, true};

static inline void need(bool ok, const wr_error *error)
{
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

static inline void write_to(const wr_asset *asset, const char *to)
{
    wr_error error = {0};
    need(wr_asset_write(asset, to, &error), &error);
}

static inline wr_asset *read_from(const char *from)
{
    wr_error error = {0};
    wr_asset *asset = wr_asset_read(from, NULL, &error);
    need(asset, &error);
    return asset;
}

// Without waiting for the disk.
static inline void put_bytes(const char *to, const void *bytes, size_t size)
{
    FILE *file = fopen(to, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

// scripts/web_test.sh names a folder here and shows what is in it to the Khronos validator.
static inline void keep(const wr_asset *asset, const char *name)
{
    const char *rigs = getenv("WROUGHT_RIGS");
    if (rigs) {
        char to[1024];
        snprintf(to, sizeof to, "%s/%s", rigs, name);
        write_to(asset, to);
    }
}

static inline void assert_same_rig(const wr_rig *a, const wr_rig *b)
{
    int corners = a->element_count * (a->dimension + 1);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->element_count, b->element_count);
    assert_int_equal(a->handle_count, b->handle_count);
    assert_int_equal(a->example_count, b->example_count);
    assert_int_equal(a->ride_count, b->ride_count);
    assert_same_array(a->rest, b->rest, a->vertex_count, sizeof *a->rest);
    assert_same_array(a->elements, b->elements, corners, sizeof *a->elements);
    assert_same_array(a->weights, b->weights, a->vertex_count * a->handle_count, sizeof(float));
    assert_same_array(a->rides, b->rides, a->ride_count, sizeof *a->rides);
    for (int i = 0; i < a->handle_count; i++) {
        assert_string_equal(a->handles[i].name, b->handles[i].name);
        assert_memory_equal(&a->handles[i].pivot, &b->handles[i].pivot, sizeof(wr_vec3));
        assert_int_equal(a->handles[i].parent, b->handles[i].parent);
        assert_int_equal(a->handles[i].vertex, b->handles[i].vertex);
    }
    for (int i = 0; i < a->example_count; i++) {
        const wr_example *x = &a->examples[i], *y = &b->examples[i];
        assert_string_equal(x->name, y->name);
        assert_same_array(x->poses, y->poses, a->handle_count, sizeof *x->poses);
        assert_same_array(x->correctives, y->correctives, a->vertex_count, sizeof(wr_vec3));
        assert_same_array(x->details, y->details, a->ride_count, sizeof(wr_vec3));
    }
}

static inline void assert_same_clips(const wr_asset *a, const wr_asset *b)
{
    assert_int_equal(a->clip_count, b->clip_count);
    for (int i = 0; i < a->clip_count; i++) {
        const wr_rig_clip *x = &a->clips[i], *y = &b->clips[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->length == y->length);
        assert_int_equal(x->track_count, y->track_count);
        for (int k = 0; k < x->track_count; k++) {
            const wr_rig_track *s = &x->tracks[k], *t = &y->tracks[k];
            int width = wr_rig_channel_width(s->channel);
            assert_int_equal(s->handle, t->handle);
            assert_int_equal(s->channel, t->channel);
            assert_int_equal(s->key_count, t->key_count);
            assert_same_array(s->times, t->times, s->key_count, sizeof(float));
            assert_same_array(s->values, t->values, s->key_count * width, sizeof(float));
        }
    }
}

static inline void assert_same_asset(const wr_asset *a, const wr_asset *b)
{
    assert_same_clips(a, b);
    assert_string_equal(a->name, b->name);
    assert_same_model(a->model, b->model);
    assert_int_equal(a->model->look_count, b->model->look_count);
    assert_int_equal(a->model->image_count, b->model->image_count);
    assert_same_rig(&a->rig, &b->rig);
    for (int i = 0; i < WR_MAP_COUNT; i++) {
        assert_same_array(a->maps[i], b->maps[i], a->rig.vertex_count, sizeof(float));
    }
    assert_int_equal(a->pin_count, b->pin_count);
    if (a->pin_count > 0) {
        assert_memory_equal(a->pins, b->pins, (size_t)a->pin_count * sizeof *a->pins);
    }
    assert_int_equal(a->cut_count, b->cut_count);
    for (int i = 0; i < a->cut_count; i++) {
        assert_memory_equal(&a->cuts[i].normal, &b->cuts[i].normal, sizeof(wr_vec3));
        assert_memory_equal(&a->cuts[i].at, &b->cuts[i].at, sizeof(wr_vec3));
        assert_true(a->cuts[i].strength == b->cuts[i].strength);
    }
    assert_int_equal(!a->material, !b->material);
    if (a->material) {
        assert_string_equal(a->material, b->material);
    }
    assert_true(a->recipe_hash == b->recipe_hash);
}
