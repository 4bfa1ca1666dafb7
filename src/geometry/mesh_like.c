// mesh_like.c: meshes that are made of another one and have everything that it has.
#include "mesh_like.h"

#include "../base/base.h"

bool wri_mesh_check_parts(const wr_mesh *mesh, wr_error *error)
{
    for (int i = 0; i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        if (part->first_triangle < 0 || part->triangle_count < 0 ||
            part->triangle_count > mesh->triangle_count - part->first_triangle) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "mesh \"%s\": part %d has triangles from %d on, %d of them, expected "
                            "at most %d in all",
                            mesh->name ? mesh->name : "", i, part->first_triangle,
                            part->triangle_count, mesh->triangle_count);
        }
    }
    return true;
}

wr_model *wri_mesh_create_like(const wr_allocator *allocator, wr_error *error)
{
    wr_model *model = wr_model_create(allocator, error);
    if (!model) {
        return NULL;
    }
    model->meshes = wr_model_alloc(model, 1, sizeof *model->meshes);
    model->nodes = wr_model_alloc(model, 1, sizeof *model->nodes);
    if (!model->meshes || !model->nodes) {
        wri_fail_memory(error, sizeof *model->meshes);
        wr_model_destroy(model);
        return NULL;
    }
    model->mesh_count = model->node_count = 1;
    model->nodes[0] = (wr_node){.name = model->name,
                                .parent = -1,
                                .skin = -1,
                                .pose = WR_POSE_IDENTITY,
                                .scale = {1.0f, 1.0f, 1.0f}};
    return model;
}

static const char *copy_text(wr_model *model, const char *text)
{
    const char *source = text ? text : "";
    char *copy = wr_model_alloc(model, strlen(source) + 1, 1);
    return copy ? strcpy(copy, source) : NULL;
}

static bool alloc_morphs(wr_model *model, wr_mesh *out, const wr_mesh *mesh)
{
    size_t n = (size_t)out->vertex_count;
    out->morphs = wr_model_alloc(model, (size_t)mesh->morph_count, sizeof *out->morphs);
    bool ok = out->morphs != NULL;
    out->morph_count = ok ? mesh->morph_count : 0;
    for (int i = 0; i < mesh->morph_count && ok; i++) {
        const wr_morph *in = &mesh->morphs[i];
        wr_morph *morph = &out->morphs[i];
        morph->name = copy_text(model, in->name);
        morph->weight = in->weight;
        morph->positions = wr_model_alloc(model, n, sizeof(wr_vec3));
        morph->normals = in->normals ? wr_model_alloc(model, n, sizeof(wr_vec3)) : NULL;
        ok = morph->name && morph->positions && (morph->normals || !in->normals);
    }
    return ok;
}

bool wri_mesh_alloc_like(wr_model *model, wr_mesh *out, const wr_mesh *mesh)
{
    size_t n = (size_t)out->vertex_count, width = (size_t)mesh->influence_count;
    out->positions = wr_model_alloc(model, n, sizeof(wr_vec3));
    out->normals = mesh->normals ? wr_model_alloc(model, n, sizeof(wr_vec3)) : NULL;
    out->uvs = mesh->uvs ? wr_model_alloc(model, n, sizeof(wr_vec2)) : NULL;
    out->colors = mesh->colors ? wr_model_alloc(model, n, sizeof(wr_color)) : NULL;
    out->joints = mesh->joints ? wr_model_alloc(model, n, width * sizeof(int)) : NULL;
    out->weights = mesh->weights ? wr_model_alloc(model, n, width * sizeof(float)) : NULL;
    out->influence_count = mesh->influence_count;
    out->triangles = wr_model_alloc(model, (size_t)out->triangle_count, 3 * sizeof(int));
    out->parts = wr_model_alloc(model, (size_t)mesh->part_count, sizeof(wr_mesh_part));
    out->name = model->name = model->nodes[0].name = copy_text(model, mesh->name);
    return out->positions && (out->normals || !mesh->normals) && (out->uvs || !mesh->uvs) &&
           (out->colors || !mesh->colors) && (out->joints || !mesh->joints) &&
           (out->weights || !mesh->weights) && out->triangles && out->parts && out->name &&
           alloc_morphs(model, out, mesh);
}
