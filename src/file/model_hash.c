// model_hash.c: everything in a model that somebody may see or use, as one number. A file's bytes
// do not say it: .mtl, .bin and pictures lie beside it.
#include "model.h"

static uint64_t hash_array(const void *items, int count, size_t size, uint64_t hash)
{
    hash = wri_hash(&count, sizeof count, hash + (items != NULL));
    return items && count > 0 ? wri_hash(items, (size_t)count * size, hash) : hash;
}

static uint64_t hash_text(const char *text, uint64_t hash)
{
    return wri_hash(text, strlen(text) + 1, hash);
}

static uint64_t hash_mesh(const wr_mesh *mesh, uint64_t hash)
{
    int n = mesh->vertex_count, influences = n * mesh->influence_count;
    hash = hash_array(mesh->positions, n, sizeof(wr_vec3), hash);
    hash = hash_array(mesh->normals, n, sizeof(wr_vec3), hash);
    hash = hash_array(mesh->uvs, n, sizeof(wr_vec2), hash);
    hash = hash_array(mesh->colors, n, sizeof(wr_color), hash);
    hash = hash_array(mesh->triangles, mesh->triangle_count, 3 * sizeof(int), hash);
    hash = hash_array(mesh->parts, mesh->part_count, sizeof(wr_mesh_part), hash);
    hash = hash_array(mesh->joints, influences, sizeof(int), hash);
    hash = hash_array(mesh->weights, influences, sizeof(float), hash);
    for (int i = 0; i < mesh->morph_count; i++) {
        const wr_morph *morph = &mesh->morphs[i];
        hash = hash_text(morph->name, hash);
        hash = hash_array(morph->positions, n, sizeof(wr_vec3), hash);
        hash = hash_array(&morph->weight, 1, sizeof morph->weight, hash);
        if (morph->normals) {
            hash = hash_array(morph->normals, n, sizeof(wr_vec3), hash);
        }
    }
    return hash;
}

// Integers and floats, without gaps. Layouts count where a map has one.
static uint64_t hash_maps(const wr_look_maps *maps, uint64_t hash)
{
    hash = wri_hash(maps, offsetof(wr_look_maps, layouts), hash);
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        if (!wr_map_layout_is_plain(&maps->layouts[i])) {
            hash = wri_hash(&maps->layouts[i], sizeof maps->layouts[i], hash + (uint64_t)i);
        }
    }
    return hash;
}

static uint64_t hash_looks(const wr_model *model, uint64_t hash)
{
    for (int i = 0; i < model->look_count; i++) {
        const wr_look *l = &model->looks[i];
        const float look[] = {l->base_color.r,   l->base_color.g, l->base_color.b, l->base_color.a,
                              (float)l->texture, l->roughness,    l->metallic,     l->double_sided};
        hash = wri_hash(look, sizeof look, hash_text(l->name, hash));
        if (l->unlit || l->alpha != WR_ALPHA_OPAQUE) {
            const float more[] = {l->unlit, (float)l->alpha, l->cutoff};
            hash = wri_hash(more, sizeof more, hash);
        }
        if (l->transmission != 0.0f) {
            hash = wri_hash(&l->transmission, sizeof l->transmission, hash);
        }
        if (l->maps) {
            hash = hash_maps(l->maps, hash);
        }
    }
    for (int i = 0; i < model->image_count; i++) {
        const wr_image *image = &model->images[i];
        const int size[] = {image->width, image->height};
        hash = wri_hash(size, sizeof size, hash);
        hash = hash_array(image->pixels, image->width * image->height, 4, hash);
    }
    return hash;
}

static uint64_t hash_motion(const wr_model *model, uint64_t hash)
{
    for (int i = 0; i < model->skin_count; i++) {
        const wr_model_skin *skin = &model->skins[i];
        hash = hash_array(skin->joints, skin->joint_count, sizeof(int), hash);
        hash = hash_array(skin->inverse_bind, skin->joint_count, sizeof(wr_mat34), hash);
    }
    for (int i = 0; i < model->clip_count; i++) {
        const wr_clip *clip = &model->clips[i];
        hash = hash_text(clip->name, hash);
        for (int k = 0; k < clip->track_count; k++) {
            const wr_track *track = &clip->tracks[k];
            int keys = track->key_count * (track->interpolation == WR_INTERPOLATION_CUBIC ? 3 : 1);
            const int what[] = {track->node, (int)track->channel, (int)track->interpolation};
            hash = wri_hash(what, sizeof what, hash);
            hash = hash_array(track->times, track->key_count, sizeof(float), hash);
            hash =
                hash_array(track->values, keys * wr_track_width(model, track), sizeof(float), hash);
        }
    }
    return hash;
}

uint64_t wri_model_hash(const wr_model *model, uint64_t hash)
{
    for (int i = 0; i < model->mesh_count; i++) {
        hash = hash_mesh(&model->meshes[i], hash);
    }
    for (int i = 0; i < model->node_count; i++) {
        const wr_node *node = &model->nodes[i];
        const int links[] = {node->parent, node->mesh, node->skin};
        hash = wri_hash(links, sizeof links, hash_text(node->name, hash));
        hash = wri_hash(&node->pose, sizeof node->pose, hash);
        hash = wri_hash(&node->scale, sizeof node->scale, hash);
        int morphs = node->mesh < 0 ? 0 : model->meshes[node->mesh].morph_count;
        hash = hash_array(node->morph_weights, morphs, sizeof(float), hash);
    }
    return hash_motion(model, hash_looks(model, hash));
}
