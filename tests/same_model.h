// same_model.h: models that are read, and whether two are the same, bit for bit. Include after
// cmocka.
#pragma once

#include "../src/base/base.h"
#include "wrought/file.h"
#include "wrought/geometry.h"

#include <math.h>

static inline wr_model *read_ok(const char *path)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(path, NULL, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    return model;
}

static inline double largest_distance(const wr_vec3 *a, const wr_vec3 *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, (double)wr_distance(a[i], b[i]));
    }
    return most;
}

static inline void assert_same_array(const void *a, const void *b, int count, size_t size)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a) {
        assert_memory_equal(a, b, (size_t)count * size);
    }
}

static inline void assert_same_mesh(const wr_mesh *a, const wr_mesh *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_same_array(a->positions, b->positions, a->vertex_count, sizeof *a->positions);
    assert_same_array(a->normals, b->normals, a->vertex_count, sizeof *a->normals);
    assert_same_array(a->uvs, b->uvs, a->vertex_count, sizeof *a->uvs);
    assert_same_array(a->colors, b->colors, a->vertex_count, sizeof *a->colors);
    assert_same_array(a->triangles, b->triangles, 3 * a->triangle_count, sizeof(int));
    for (int i = 0; i < a->part_count; i++) {
        assert_int_equal(a->parts[i].first_triangle, b->parts[i].first_triangle);
        assert_int_equal(a->parts[i].triangle_count, b->parts[i].triangle_count);
    }
    assert_int_equal(a->morph_count, b->morph_count);
    for (int i = 0; i < a->morph_count; i++) {
        const wr_morph *x = &a->morphs[i], *y = &b->morphs[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->weight == y->weight);
        assert_same_array(x->positions, y->positions, a->vertex_count, sizeof *x->positions);
        assert_same_array(x->normals, y->normals, a->vertex_count, sizeof *x->normals);
    }
    assert_int_equal(a->influence_count, b->influence_count);
    int influences = a->vertex_count * a->influence_count;
    assert_same_array(a->joints, b->joints, influences, sizeof *a->joints);
    assert_same_array(a->weights, b->weights, influences, sizeof *a->weights);
}

static inline void assert_same_look(const wr_model *a, int i, const wr_model *b, int k,
                                    bool textured)
{
    if (i < 0 || k < 0) {
        assert_int_equal(i, k);
        return;
    }
    const wr_look *x = &a->looks[i], *y = &b->looks[k];
    assert_string_equal(x->name, y->name);
    assert_memory_equal(&x->base_color, &y->base_color, sizeof x->base_color);
    assert_true(x->roughness == y->roughness && x->metallic == y->metallic);
    assert_int_equal(x->double_sided, y->double_sided);
    assert_int_equal(x->unlit, y->unlit);
    assert_int_equal(x->alpha, y->alpha);
    assert_true(x->cutoff == y->cutoff && x->transmission == y->transmission);
    if (x->texture < 0 || !textured) {
        assert_int_equal(y->texture, -1);
        return;
    }
    const wr_image *p = &a->images[x->texture], *q = &b->images[y->texture];
    assert_string_equal(p->name, q->name);
    assert_int_equal(p->width, q->width);
    assert_int_equal(p->height, q->height);
    assert_memory_equal(p->pixels, q->pixels, (size_t)p->width * (size_t)p->height * 4);
}

static inline void assert_same_skin(const wr_model_skin *a, const wr_model_skin *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->joint_count, b->joint_count);
    assert_same_array(a->joints, b->joints, a->joint_count, sizeof *a->joints);
    assert_same_array(a->inverse_bind, b->inverse_bind, a->joint_count, sizeof(wr_mat34));
}

static inline void assert_same_clip(const wr_model *model, const wr_clip *a, const wr_clip *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->track_count, b->track_count);
    for (int i = 0; i < a->track_count; i++) {
        const wr_track *x = &a->tracks[i], *y = &b->tracks[i];
        assert_int_equal(x->node, y->node);
        assert_int_equal(x->channel, y->channel);
        assert_int_equal(x->interpolation, y->interpolation);
        assert_int_equal(x->key_count, y->key_count);
        assert_same_array(x->times, y->times, x->key_count, sizeof(float));
        int row = wr_track_width(model, x) * (x->interpolation == WR_INTERPOLATION_CUBIC ? 3 : 1);
        assert_same_array(x->values, y->values, x->key_count * row, sizeof(float));
    }
}

static inline void assert_same_model(const wr_model *a, const wr_model *b)
{
    assert_int_equal(a->mesh_count, b->mesh_count);
    assert_int_equal(a->node_count, b->node_count);
    for (int i = 0; i < a->mesh_count; i++) {
        const wr_mesh *x = &a->meshes[i], *y = &b->meshes[i];
        assert_same_mesh(x, y);
        for (int k = 0; k < x->part_count; k++) {
            assert_same_look(a, x->parts[k].look, b, y->parts[k].look, x->uvs != NULL);
        }
    }
    for (int i = 0; i < a->node_count; i++) {
        const wr_node *x = &a->nodes[i], *y = &b->nodes[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->mesh, y->mesh);
        assert_int_equal(x->skin, y->skin);
        int morphs = x->mesh < 0 ? 0 : a->meshes[x->mesh].morph_count;
        assert_same_array(x->morph_weights, y->morph_weights, morphs, sizeof(float));
        assert_memory_equal(&x->pose, &y->pose, sizeof x->pose);
        assert_memory_equal(&x->scale, &y->scale, sizeof x->scale);
    }
    assert_int_equal(a->skin_count, b->skin_count);
    for (int i = 0; i < a->skin_count; i++) {
        assert_same_skin(&a->skins[i], &b->skins[i]);
    }
    assert_int_equal(a->clip_count, b->clip_count);
    for (int i = 0; i < a->clip_count; i++) {
        assert_same_clip(a, &a->clips[i], &b->clips[i]);
    }
}
