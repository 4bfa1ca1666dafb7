// build_cut_parts.c: parts of a model that have names, and a body cut into them.
//
// The artist's triangles say what a part is: those of a node, a mesh or a look. The render mesh
// parts along their edges. The simulation mesh does not know these edges; there a place belongs to
// the part whose triangles are nearest.
#include "build.h"

#include "../geometry/winding.h"

// A name, or its beginning and a star.
static bool matches(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*') {
        return name && strncmp(name, pattern, length - 1) == 0;
    }
    return name && strcmp(name, pattern) == 0;
}

bool wri_node_is_called(const wr_model *model, int node, const char *pattern)
{
    bool found = matches(model->meshes[model->nodes[node].mesh].name, pattern);
    for (; !found && node >= 0; node = model->nodes[node].parent) {
        found = matches(model->nodes[node].name, pattern);
    }
    return found;
}

// Nodes of the source by vertex of the flat mesh, which has them node after node.
static int *list_nodes(wri_builder *b, const wr_mesh *flat)
{
    const wr_model *model = b->source;
    int *nodes = wri_arena_alloc(&b->arena, (size_t)flat->vertex_count, sizeof *nodes);
    for (int n = 0, base = 0; nodes && n < model->node_count; n++) {
        int count =
            model->nodes[n].mesh >= 0 ? model->meshes[model->nodes[n].mesh].vertex_count : 0;
        for (int v = 0; v < count; v++) {
            nodes[base + v] = n;
        }
        base += count;
    }
    return nodes;
}

static bool fail_unknown(wri_builder *b, const char *pattern, wr_error *why)
{
    const wr_model *model = b->source;
    int most = model->node_count + model->mesh_count + model->look_count;
    const char **names = wri_arena_alloc(&b->arena, (size_t)most, sizeof *names);
    for (int i = 0; names && i < most; i++) {
        int mesh = i - model->node_count, look = mesh - model->mesh_count;
        names[i] = look >= 0   ? model->looks[look].name
                   : mesh >= 0 ? model->meshes[mesh].name
                               : model->nodes[i].name;
    }
    char text[120];
    return names ? wri_fail(why, WR_E_FORMAT, "the model has no node, mesh or look \"%.80s\"%s",
                            pattern, wri_suggest_word(text, sizeof text, pattern, names, most))
                 : wri_fail_memory(why, (size_t)most * sizeof *names);
}

bool wri_build_find_parts(wri_builder *b, const char *const *names, int count, int *parts,
                          wr_error *why)
{
    const wr_model *model = b->asset->model;
    const wr_mesh *flat = model->meshes;
    if (!b->source) {
        return wri_fail(why, WR_E_FORMAT, "a drawing has no \"parts\"");
    }
    const int *nodes = list_nodes(b, flat);
    if (!nodes) {
        return wri_fail_memory(why, (size_t)flat->vertex_count * sizeof *nodes);
    }
    for (int i = 0; i < flat->triangle_count; i++) {
        parts[i] = count;
    }
    for (int g = 0; g < count; g++) {
        bool any = false;
        for (int p = 0; p < flat->part_count; p++) {
            const wr_mesh_part *part = &flat->parts[p];
            bool by_look = part->look >= 0 && matches(model->looks[part->look].name, names[g]);
            for (int i = part->first_triangle; i < part->first_triangle + part->triangle_count;
                 i++) {
                int node = nodes[flat->triangles[3 * (size_t)i]];
                bool named = by_look || wri_node_is_called(b->source, node, names[g]);
                parts[i] = named && parts[i] == count ? g : parts[i];
                any = any || named;
            }
        }
        if (!any) {
            return fail_unknown(b, names[g], why);
        }
    }
    return true;
}

// Distances of the simulation mesh from the triangles of one part.
static bool find_distances(wri_builder *b, const int *parts, int part, int cells, double *solid)
{
    const wr_mesh *flat = b->asset->model->meshes;
    const wr_rig *rig = &b->asset->rig;
    wri_arena arena = wri_arena_create(&b->desc.allocator);
    int *triangles = wri_arena_alloc(&arena, (size_t)flat->triangle_count, 3 * sizeof(int));
    int count = 0;
    for (int i = 0; triangles && i < flat->triangle_count; i++) {
        if (parts[i] == part) {
            memcpy(&triangles[3 * (size_t)count++], &flat->triangles[3 * (size_t)i],
                   3 * sizeof(int));
        }
    }
    wri_soup soup;
    bool ok = triangles && wri_soup_build(&soup, &arena, flat->positions, triangles, count);
    for (int v = 0; ok && v < rig->vertex_count; v++) {
        const double p[3] = {rig->rest[v].x, rig->rest[v].y, rig->rest[v].z};
        wri_soup_point near = wri_soup_nearest(&soup, p);
        solid[(size_t)v * (size_t)cells + (size_t)part] =
            near.triangle >= 0 ? -sqrt(near.distance2) : -1e9;
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_build_cut_parts(wri_builder *b, const wr_cut *cut, wri_cut_field *field, wr_error *why)
{
    const wr_mesh *flat = b->asset->model->meshes;
    size_t cells = (size_t)wri_cut_share_count(cut);
    size_t size = cells * ((size_t)b->asset->rig.vertex_count + (size_t)flat->vertex_count);
    int *parts = wri_arena_alloc(&b->arena, (size_t)flat->triangle_count, sizeof *parts);
    field->solid = wri_arena_alloc(&b->arena, size, sizeof(double));
    if (!parts || !field->solid) {
        return wri_fail_memory(why, size * sizeof(double));
    }
    field->mesh = field->solid + cells * (size_t)b->asset->rig.vertex_count;
    if (!wri_build_find_parts(b, (const char *const *)cut->parts, cut->part_count, parts, why)) {
        return false;
    }
    for (int i = 0; i < 3 * flat->triangle_count; i++) {
        field->mesh[(size_t)flat->triangles[i] * cells + (size_t)parts[i / 3]] = 1.0;
    }
    bool ok = true;
    for (int g = 0; ok && g < (int)cells; g++) {
        ok = find_distances(b, parts, g, (int)cells, field->solid);
    }
    return ok || wri_fail_memory(why, size * sizeof(double));
}
