// usda.c: models and takes as Universal Scene Description in text form (.usda, version 1.0).
//
// A node is an Xform with translate, orient and scale, below its parent. A mesh that one node shows
// stands inside that node's Xform as "mesh", beside a Scope "Looks"; one that several show stands
// once, inside the class "Shapes", and the Xforms refer to it; so does a SkelRoot, whose mesh bends
// by morphs. Meshes of the same arrays and looks are one. Frame i of a take is time code i. Time
// samples stand before the value without time: three.js forgets the latter otherwise. Names become
// identifiers; where that changed one, displayName and customData keep it as it was.
#include "usda.h"

#include "pose_keys.h"
#include "utf8.h"

#include <math.h>
#include <stdio.h>

typedef struct writer {
    wri_usda u;
    const char **node_names, **node_paths;
    int *same;                // per mesh: the first one that is the same but for morphs
    const char **shape_names; // names of shared meshes, else NULL
    // Per mesh: the first shared one with the same arrays, whatever its looks; of that one, where
    // it stands when looks are all that others differ in, else NULL; and how morphs bend it.
    int *base;
    const char **geometries;
    wri_usda_cage *cages;
    const wr_node_motion **motions; // motions of the nodes, or NULL
    int *first_child, *next;        // links between the nodes, -1: none
    bool has_particles;             // any node
} writer;

// --- text -------------------------------------------------------------------------------------

void wri_usda_indent(wri_usda *u)
{
    for (int i = 0; i < u->depth; i++) {
        wri_out_text(u->out, "    ");
    }
}

void wri_usda_line(wri_usda *u, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    WR_ASSERT(length < (int)sizeof line); // names are cut before
    (void)length;
    wri_usda_indent(u);
    wri_out_text(u->out, line);
    wri_out_text(u->out, "\n");
}

// Metadata has lines of its own, as other writers do it: readers have come to expect that.
void wri_usda_metadata(wri_usda *u, const char *text)
{
    wri_out_text(u->out, " (\n");
    u->depth++;
    wri_usda_line(u, "%s", text);
    u->depth--;
    wri_usda_indent(u);
    wri_out_text(u->out, ")\n");
}

void wri_usda_open(wri_usda *u)
{
    wri_usda_line(u, "{");
    u->depth++;
}

void wri_usda_close(wri_usda *u)
{
    u->depth--;
    wri_usda_line(u, "}");
}

void wri_usda_tuple(wri_usda *u, const float *numbers, int count)
{
    wri_usda_round_tuple(u, numbers, count, WRI_USDA_EXACT);
}

void wri_usda_round_tuple(wri_usda *u, const float *numbers, int count, int digits)
{
    wri_out_text(u->out, "(");
    for (int i = 0; i < count; i++) {
        wri_out_text(u->out, i ? "," : "");
        if (digits == WRI_USDA_EXACT) {
            wri_out_float(u->out, numbers[i]);
        } else {
            wri_out_fixed(u->out, (double)numbers[i], digits);
        }
    }
    wri_out_text(u->out, ")");
}

// A string literal; what is not UTF-8 becomes ?.
static void write_quoted(wri_usda *u, const char *text)
{
    size_t size = strlen(text);
    wri_out_text(u->out, "\"");
    for (size_t i = 0; i < size;) {
        uint32_t code = 0;
        int length = wri_utf8_decode(text + i, size - i, &code);
        if (length == 0 || code < 0x20 || code == 0x7f) {
            wri_out_text(u->out, "?");
        } else {
            wri_out_text(u->out, code == '"' || code == '\\' ? "\\" : "");
            wri_out_bytes(u->out, text + i, (size_t)length);
        }
        i += length ? (size_t)length : 1;
    }
    wri_out_text(u->out, "\"");
}

// Identifiers are ASCII in USD before 24.03. displayName is what programs show; those that do not
// know it for prims find the name in customData.
static void write_name(wri_usda *u, const char *own)
{
    wri_usda_indent(u);
    wri_out_text(u->out, "displayName = ");
    write_quoted(u, own);
    wri_out_text(u->out, "\n");
    wri_usda_indent(u);
    wri_out_text(u->out, "customData = { string name = ");
    write_quoted(u, own);
    wri_out_text(u->out, " }\n");
}

static void write_metadata_lines(wri_usda *u, const char *own, const char *lines)
{
    wri_out_text(u->out, " (\n");
    u->depth++;
    if (own) {
        write_name(u, own);
    }
    for (const char *line = lines; line;) {
        int length = (int)strcspn(line, "\n");
        wri_usda_line(u, "%.*s", length, line);
        line = line[length] ? line + length + 1 : NULL;
    }
    u->depth--;
    wri_usda_indent(u);
    wri_out_text(u->out, ")");
}

void wri_usda_begin_prim(wri_usda *u, const char *specifier, const char *name, const char *metadata)
{
    wri_usda_indent(u);
    wri_out_printf(u->out, "%s \"%s\"", specifier, name);
    if (metadata) {
        write_metadata_lines(u, NULL, metadata);
    }
    wri_out_text(u->out, "\n");
    wri_usda_open(u);
}

void wri_usda_def_named(wri_usda *u, const char *type, const char *name, const char *own,
                        const char *metadata)
{
    bool renamed = own && own[0] && strcmp(own, name) != 0;
    wri_usda_indent(u);
    wri_out_printf(u->out, "def %s \"%s\"", type, name);
    if (renamed || metadata) {
        write_metadata_lines(u, renamed ? own : NULL, metadata);
    }
    wri_out_text(u->out, "\n");
    wri_usda_open(u);
}

void wri_usda_def(wri_usda *u, const char *type, const char *name, const char *metadata)
{
    wri_usda_def_named(u, type, name, NULL, metadata);
}

// --- arrays -----------------------------------------------------------------------------------

void wri_usda_vectors(wri_usda *u, const wr_vec3 *vectors, int count)
{
    wri_usda_round_vectors(u, vectors, count, WRI_USDA_EXACT);
}

void wri_usda_round_vectors(wri_usda *u, const wr_vec3 *vectors, int count, int digits)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < count; i++) {
        wri_out_text(u->out, i ? "," : "");
        wri_usda_round_tuple(u, &vectors[i].x, 3, digits);
    }
    wri_out_text(u->out, "]");
}

void wri_usda_begin(wri_usda *u, const char *declaration)
{
    wri_usda_indent(u);
    wri_out_text(u->out, declaration);
}

void wri_usda_extent(wri_usda *u, const wr_vec3 *points, int count)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        box = wr_box_add(box, points[i]);
    }
    wr_vec3 corners[2] = {box.min, box.max};
    wri_usda_vectors(u, corners, count > 0 ? 2 : 0);
}

// --- meshes -----------------------------------------------------------------------------------

// Looks and mesh, inside the prim at `path`.
static bool write_mesh(wri_usda *u, const wr_mesh *mesh, const char *path,
                       const wr_vec3 *const *points, const wri_usda_cage *cage)
{
    const char **names;
    return wri_usda_looks(u, mesh, path, &names) &&
           wri_usda_mesh(u, "mesh", mesh, cage, points, path, names);
}

// Looks, and the mesh at `geometry` with these.
static bool write_variant(wri_usda *u, const wr_mesh *mesh, const char *path, const char *geometry)
{
    const char **names;
    bool single = wri_usda_single_look(mesh) >= 0;
    char *metadata = wri_arena_printf(&u->arena, "prepend references = <%s>%s", geometry,
                                      single ? "\n" WRI_USDA_BINDING : "");
    if (!metadata) {
        return wri_fail_memory(u->error, strlen(geometry));
    }
    if (!wri_usda_looks(u, mesh, path, &names)) {
        return false;
    }
    wri_usda_def(u, "Mesh", "mesh", metadata);
    wri_usda_line(u, "uniform bool doubleSided = %d", wri_usda_is_double_sided(u, mesh));
    bool ok = wri_usda_bind(u, mesh, path, names, false);
    wri_usda_close(u);
    return ok;
}

static bool write_shape(writer *w, int index)
{
    wri_usda *u = &w->u;
    const wr_mesh *mesh = &u->model->meshes[index];
    const char *geometry = w->geometries[w->base[index]], **names;
    const wri_usda_cage *cage = &w->cages[w->base[index]];
    cage = cage->unit > 0.0f ? cage : NULL;
    char *path = wri_arena_printf(&u->arena, "/Shapes/%s", w->shape_names[index]);
    if (!path) {
        return wri_fail_memory(u->error, strlen(w->shape_names[index]));
    }
    if (geometry && w->base[index] == index &&
        !(wri_usda_name_looks(u, mesh, &names) &&
          wri_usda_mesh(u, strrchr(geometry, '/') + 1, mesh, cage, NULL, NULL, names))) {
        return false;
    }
    wri_usda_def_named(u, "Xform", w->shape_names[index], mesh->name, NULL);
    bool ok =
        geometry ? write_variant(u, mesh, path, geometry) : write_mesh(u, mesh, path, NULL, cage);
    wri_usda_close(u);
    return ok;
}

static bool write_shapes(writer *w)
{
    wri_usda *u = &w->u;
    bool any = false;
    for (int i = 0; i < u->model->mesh_count; i++) {
        if (!w->shape_names[i]) {
            continue;
        }
        if (!any) {
            wri_usda_line(u, "class Scope \"Shapes\"");
            wri_usda_open(u);
            any = true;
        }
        if (!write_shape(w, i)) {
            return false;
        }
    }
    if (any) {
        wri_usda_close(u);
        wri_out_text(u->out, "\n");
    }
    return true;
}

// --- transforms -------------------------------------------------------------------------------

static void write_place(wri_usda *u, wr_vec3 p)
{
    wri_usda_tuple(u, &p.x, 3);
}

static void write_turn(wri_usda *u, wr_quat q) // USD has w first
{
    wri_usda_tuple(u, (float[4]){q.w, q.x, q.y, q.z}, 4);
}

static bool moves(const wr_node_motion *motion, int frame_count)
{
    for (int f = 1; motion && motion->poses && f < frame_count; f++) {
        if (memcmp(&motion->poses[f], &motion->poses[0], sizeof(wr_pose)) != 0) {
            return true;
        }
    }
    return false;
}

// Digits behind the point that are right to a twentieth of the error, or all there are.
static int digits_of(float error)
{
    int digits = 1;
    for (float step = 1.0f; step > error && error > 0.0f; step *= 0.1f) {
        digits++;
    }
    return error > 0.0f ? digits : WRI_USDA_EXACT;
}

// Without blanks in front: there are so many of them.
static void write_sample(wri_usda *u, int frame, const float *numbers, int count, int digits)
{
    wri_out_printf(u->out, "%d: ", frame);
    wri_usda_round_tuple(u, numbers, count, digits);
    wri_out_text(u->out, ",\n");
}

static bool write_samples(wri_usda *u, const wr_node_motion *motion)
{
    int frames = u->take->frame_count, *keys = wri_alloc(NULL, (size_t)frames, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(u->error, (size_t)frames * sizeof *keys);
    }
    int count = wri_pose_keys(motion->poses, frames, motion->distance, INFINITY, keys);
    int digits = digits_of(motion->distance);
    wri_usda_line(u, "double3 xformOp:translate.timeSamples = {");
    u->depth++;
    for (int i = 0; i < count; i++) {
        write_sample(u, keys[i], &motion->poses[keys[i]].position.x, 3, digits);
    }
    wri_usda_close(u);
    count = wri_pose_keys(motion->poses, frames, INFINITY, motion->angle, keys);
    digits = digits_of(motion->angle);
    wri_usda_line(u, "quatf xformOp:orient.timeSamples = {");
    u->depth++;
    wr_quat last = motion->poses[0].rotation;
    for (int i = 0; i < count; i++) {
        wr_quat q = motion->poses[keys[i]].rotation;
        if (wr_quat_dot(q, last) < 0.0f) { // the shorter arc, for readers that do not look for it
            q = (wr_quat){-q.x, -q.y, -q.z, -q.w};
        }
        last = q;
        write_sample(u, keys[i], (float[4]){q.w, q.x, q.y, q.z}, 4, digits);
    }
    wri_usda_close(u);
    wri_free(NULL, keys, (size_t)frames, sizeof *keys);
    return true;
}

static bool is_shown(const wr_node_motion *motion, int frame)
{
    return motion->shown ? motion->shown[frame] : frame >= motion->first && frame <= motion->last;
}

static void write_visibility(wri_usda *u, const wr_node_motion *motion)
{
    bool always = true;
    for (int f = 0; f < u->take->frame_count; f++) {
        always = always && is_shown(motion, f);
    }
    if (always) {
        return;
    }
    wri_usda_line(u, "token visibility.timeSamples = {");
    u->depth++;
    for (int f = 0; f < u->take->frame_count; f++) {
        if (f == 0 || is_shown(motion, f) != is_shown(motion, f - 1)) {
            wri_usda_line(u, "%d: \"%s\",", f, is_shown(motion, f) ? "inherited" : "invisible");
        }
    }
    wri_usda_close(u);
}

static bool write_transform(writer *w, int index)
{
    wri_usda *u = &w->u;
    const wr_node *node = &u->model->nodes[index];
    const wr_node_motion *motion = w->motions[index];
    wr_pose pose = motion && motion->poses ? motion->poses[0] : node->pose;
    bool scaled = node->scale.x != 1.0f || node->scale.y != 1.0f || node->scale.z != 1.0f;
    if (moves(motion, u->take ? u->take->frame_count : 0) && !write_samples(u, motion)) {
        return false;
    }
    wri_usda_begin(u, "double3 xformOp:translate = ");
    write_place(u, pose.position);
    wri_out_text(u->out, "\n");
    wri_usda_begin(u, "quatf xformOp:orient = ");
    write_turn(u, pose.rotation);
    wri_out_text(u->out, "\n");
    if (scaled) {
        wri_usda_begin(u, "float3 xformOp:scale = ");
        write_place(u, node->scale);
        wri_out_text(u->out, "\n");
    }
    wri_usda_line(u, "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"%s]",
                  scaled ? ", \"xformOp:scale\"" : "");
    if (motion) {
        write_visibility(u, motion);
    }
    return true;
}

// --- nodes ------------------------------------------------------------------------------------

// The name of the shared mesh that a node refers to, NULL: none.
static const char *shape_of(const writer *w, int index)
{
    int mesh = w->u.model->nodes[index].mesh;
    bool own = w->motions[index] && w->motions[index]->points;
    return mesh >= 0 && !own ? w->shape_names[w->same[mesh]] : NULL;
}

static bool has_morphs(const writer *w, int index)
{
    return w->motions[index] && w->motions[index]->key_count > 0;
}

static bool open_node(writer *w, int index)
{
    wri_usda *u = &w->u;
    const wr_node *node = &u->model->nodes[index];
    const char *shape = shape_of(w, index), *metadata = NULL;
    const char *type = wri_usda_stage_type(u, index);
    if (shape) { // nothing can be added inside an instance
        bool instance = w->first_child[index] < 0 && !has_morphs(w, index);
        metadata = wri_arena_printf(&u->arena, "%sprepend references = </Shapes/%s>",
                                    instance ? "instanceable = true\n" : "", shape);
        if (!metadata) {
            return wri_fail_memory(u->error, strlen(shape));
        }
    }
    type = type ? type : has_morphs(w, index) ? "SkelRoot" : "Xform";
    wri_usda_def_named(u, type, w->node_names[index], node->name, metadata);
    return true;
}

static bool write_body(writer *w, int index)
{
    wri_usda *u = &w->u;
    int mesh = u->model->nodes[index].mesh;
    const wr_node_motion *motion = w->motions[index];
    if (mesh < 0) {
        return true;
    }
    if (has_morphs(w, index)) {
        const wri_usda_cage *cage = &w->cages[w->base[w->same[mesh]]];
        return wri_usda_morphs(u, &u->model->meshes[mesh], cage, motion, w->node_paths[index]);
    }
    return shape_of(w, index) || write_mesh(u, &u->model->meshes[mesh], w->node_paths[index],
                                            motion ? motion->points : NULL, NULL);
}

// Children come before their next sibling; a loop, since nodes may be nested deeply.
static bool write_nodes(writer *w)
{
    wri_usda *u = &w->u;
    const wr_model *model = u->model;
    int n = model->node_count, at = w->first_child[n];
    while (at >= 0) {
        const wr_node *node = &model->nodes[at];
        if (!open_node(w, at) || !write_transform(w, at)) {
            return false;
        }
        wri_usda_stage(u, at);
        const wr_node_motion *motion = w->motions[at];
        if (!write_body(w, at)) {
            return false;
        }
        if (motion && motion->meshes && !wri_usda_film(u, node->name, motion, w->node_paths[at])) {
            return false;
        }
        if (motion && motion->particles) {
            wri_usda_particles(u, motion);
        }
        if (w->first_child[at] >= 0) {
            at = w->first_child[at];
            continue;
        }
        wri_usda_close(u);
        while (at >= 0 && w->next[at] < 0) {
            at = model->nodes[at].parent;
            if (at >= 0) {
                wri_usda_close(u);
            }
        }
        at = at >= 0 ? w->next[at] : -1;
    }
    return true;
}

// --- preparation ------------------------------------------------------------------------------

static bool check_take(const wr_model *model, const wr_model_motion *take, wr_error *error)
{
    if (take->frame_count < 1 || take->rate_numerator < 1 || take->rate_denominator < 1) {
        return wri_fail(error, WR_E_ARGUMENT, "take: %d frames at %d/%d per second",
                        take->frame_count, take->rate_numerator, take->rate_denominator);
    }
    for (int i = 0; i < take->motion_count; i++) {
        const wr_node_motion *motion = &take->motions[i];
        if (motion->node < 0 || motion->node >= model->node_count ||
            ((motion->points || motion->key_count > 0) && model->nodes[motion->node].mesh < 0)) {
            return wri_fail(error, WR_E_ARGUMENT, "motion %d: node %d of %d cannot move", i,
                            motion->node, model->node_count);
        }
        for (int f = 0; motion->poses && f < take->frame_count; f++) {
            if (!wr_pose_is_finite(motion->poses[f])) {
                return wri_fail(error, WR_E_ARGUMENT, "motion %d: frame %d is not finite", i, f);
            }
        }
        int mesh = model->nodes[motion->node].mesh;
        size_t count = mesh < 0 ? 0 : (size_t)model->meshes[mesh].vertex_count;
        for (size_t k = 0; motion->points && k < count * (size_t)take->frame_count; k++) {
            if (!wr_is_finite3(motion->points[k / count][k % count])) {
                return wri_fail(error, WR_E_ARGUMENT, "motion %d: frame %d: not finite", i,
                                (int)(k / count));
            }
        }
        if (!wri_usda_check_film(model, motion, i, take->frame_count, error)) {
            return false;
        }
    }
    return true;
}

static void link_family(writer *w)
{
    int n = w->u.model->node_count;
    for (int i = 0; i <= n; i++) {
        w->first_child[i] = w->next[i] = -1;
    }
    for (int i = n - 1; i >= 0; i--) { // n stands for the parent of the roots
        int parent = w->u.model->nodes[i].parent;
        parent = parent < 0 ? n : parent;
        w->next[i] = w->first_child[parent];
        w->first_child[parent] = i;
    }
}

// Names are unique in the whole file, which is more than USD asks for, and at most 64 long.
static bool name_nodes(writer *w, const char *root)
{
    wri_usda *u = &w->u;
    wri_names given = wri_names_create(&u->arena);
    bool ok = wri_names_add(&given, "mesh") && wri_names_add(&given, "Looks") &&
              wri_names_add(&given, "skeleton") && wri_names_add(&given, "motion") &&
              (!w->has_particles || wri_names_add(&given, "particles"));
    for (int i = 0; ok && i < u->model->node_count; i++) {
        const wr_node *node = &u->model->nodes[i];
        char *name = wri_arena_printf(&u->arena, "%.64s", node->name);
        const char *safe = name ? wri_name_identifier(&u->arena, name, "node") : NULL;
        w->node_names[i] = safe ? wri_names_add(&given, safe) : NULL;
        const char *above = node->parent < 0 ? root : w->node_paths[node->parent];
        w->node_paths[i] =
            w->node_names[i] ? wri_arena_printf(&u->arena, "%s/%s", above, w->node_names[i]) : NULL;
        ok = w->node_paths[i] != NULL;
        if (ok && strlen(w->node_paths[i]) > 3000) {
            return wri_fail(u->error, WR_E_UNSUPPORTED, "node \"%s\" is nested too deeply",
                            node->name);
        }
    }
    return ok || wri_fail_memory(u->error, 64);
}

static bool is_same_surface(const wr_mesh *a, const wr_mesh *b)
{
    return a->positions == b->positions && a->vertex_count == b->vertex_count &&
           a->normals == b->normals && a->uvs == b->uvs && a->colors == b->colors &&
           a->triangles == b->triangles && a->triangle_count == b->triangle_count &&
           a->part_count == b->part_count;
}

static bool is_same_mesh(const wr_mesh *a, const wr_mesh *b)
{
    return is_same_surface(a, b) &&
           memcmp(a->parts, b->parts, (size_t)a->part_count * sizeof *a->parts) == 0;
}

// The same but for what looks of the same names look like.
static bool differs_in_looks(const wr_model *model, const wr_mesh *a, const wr_mesh *b)
{
    bool same = is_same_surface(a, b);
    for (int i = 0; same && i < a->part_count; i++) {
        const wr_mesh_part *p = &a->parts[i], *q = &b->parts[i];
        same = p->first_triangle == q->first_triangle && p->triangle_count == q->triangle_count &&
               p->look - a->parts[0].look == q->look - b->parts[0].look &&
               (p->look < 0) == (q->look < 0) &&
               (p->look < 0 || strcmp(model->looks[p->look].name, model->looks[q->look].name) == 0);
    }
    return same;
}

static void find_same(writer *w)
{
    const wr_model *model = w->u.model;
    for (int i = 0; i < model->mesh_count; i++) {
        w->same[i] = i;
        for (int k = 0; k < i && w->same[i] == i; k++) {
            bool same = w->same[k] == k && is_same_mesh(&model->meshes[k], &model->meshes[i]);
            w->same[i] = same ? k : i;
        }
    }
}

// Shared meshes of the same arrays.
static bool find_geometries(writer *w, wri_names *given)
{
    wri_usda *u = &w->u;
    const wr_model *model = u->model;
    for (int i = 0; i < model->mesh_count; i++) {
        w->base[i] = i;
        for (int k = 0; k < i && w->base[i] == i && w->shape_names[i]; k++) {
            bool same = w->shape_names[k] && w->base[k] == k &&
                        differs_in_looks(model, &model->meshes[k], &model->meshes[i]);
            w->base[i] = same ? k : i;
        }
        int base = w->base[i];
        if (base < i && !w->geometries[base]) {
            char *name = wri_arena_printf(&u->arena, "%s_geometry", w->shape_names[base]);
            const char *safe = name ? wri_names_add(given, name) : NULL;
            w->geometries[base] = safe ? wri_arena_printf(&u->arena, "/Shapes/%s", safe) : NULL;
            if (!w->geometries[base]) {
                return wri_fail_memory(u->error, 64);
            }
        }
    }
    return true;
}

static bool find_cages(writer *w)
{
    wri_usda *u = &w->u;
    const wr_model *model = u->model;
    size_t nodes = (size_t)model->node_count;
    const wr_mesh **bent = wri_arena_alloc(&u->arena, nodes, sizeof *bent);
    bool ok = bent || wri_fail_memory(u->error, nodes * sizeof *bent);
    for (int i = 0; ok && i < model->mesh_count; i++) {
        int count = 0;
        for (int k = 0; k < model->node_count; k++) {
            const wr_node_motion *motion = w->motions[k];
            int mesh = model->nodes[k].mesh;
            if (mesh >= 0 && motion && motion->key_count > 0 && w->base[w->same[mesh]] == i) {
                bent[count++] = &model->meshes[mesh];
                w->cages[i].unit = wri_usda_unit(&model->meshes[mesh], motion);
            }
        }
        ok = count == 0 || wri_usda_join_points(u, bent, count, &w->cages[i]);
    }
    return ok;
}

// A mesh is shared when several nodes show it, none of which has points of its own, or when morphs
// bend it.
static bool name_shapes(writer *w)
{
    wri_usda *u = &w->u;
    const wr_model *model = u->model;
    int *users = wri_arena_alloc(&u->arena, (size_t)model->mesh_count, sizeof *users);
    wri_names given = wri_names_create(&u->arena);
    if (!users) {
        return wri_fail_memory(u->error, (size_t)model->mesh_count * sizeof *users);
    }
    find_same(w);
    for (int i = 0; i < model->node_count; i++) {
        const wr_node_motion *motion = w->motions[i];
        if (model->nodes[i].mesh >= 0 && !(motion && motion->points)) {
            users[w->same[model->nodes[i].mesh]] += motion && motion->key_count > 0 ? 2 : 1;
        }
    }
    for (int i = 0; i < model->mesh_count; i++) {
        if (users[i] > 1) {
            char *name = wri_arena_printf(&u->arena, "%.64s", model->meshes[i].name);
            const char *safe = name ? wri_name_identifier(&u->arena, name, "shape") : NULL;
            w->shape_names[i] = safe ? wri_names_add(&given, safe) : NULL;
            if (!w->shape_names[i]) {
                return wri_fail_memory(u->error, 64);
            }
        }
    }
    return find_geometries(w, &given) && find_cages(w);
}

static bool prepare(writer *w, const char *root)
{
    wri_usda *u = &w->u;
    size_t n = (size_t)u->model->node_count + 1;
    w->node_names = wri_arena_alloc(&u->arena, n, sizeof *w->node_names);
    w->node_paths = wri_arena_alloc(&u->arena, n, sizeof *w->node_paths);
    w->motions = wri_arena_alloc(&u->arena, n, sizeof *w->motions);
    w->first_child = wri_arena_alloc(&u->arena, n, sizeof *w->first_child);
    w->next = wri_arena_alloc(&u->arena, n, sizeof *w->next);
    w->shape_names = wri_arena_alloc(&u->arena, (size_t)u->model->mesh_count, sizeof(char *));
    w->same = wri_arena_alloc(&u->arena, (size_t)u->model->mesh_count, sizeof *w->same);
    w->base = wri_arena_alloc(&u->arena, (size_t)u->model->mesh_count, sizeof *w->base);
    w->geometries = wri_arena_alloc(&u->arena, (size_t)u->model->mesh_count, sizeof(char *));
    w->cages = wri_arena_alloc(&u->arena, (size_t)u->model->mesh_count, sizeof *w->cages);
    u->textures = wri_arena_alloc(&u->arena, (size_t)u->model->image_count, sizeof(char *));
    if (!w->node_names || !w->node_paths || !w->motions || !w->first_child || !w->next ||
        !w->shape_names || !w->same || !w->base || !w->geometries || !w->cages || !u->textures) {
        return wri_fail_memory(u->error, n * sizeof *w->motions);
    }
    for (int i = 0; u->take && i < u->take->motion_count; i++) {
        w->motions[u->take->motions[i].node] = &u->take->motions[i];
        w->has_particles = w->has_particles || u->take->motions[i].particles;
    }
    link_family(w);
    return name_nodes(w, root) && name_shapes(w);
}

// --- the whole --------------------------------------------------------------------------------

static void write_stage(writer *w, const char *root)
{
    wri_usda *u = &w->u;
    wri_out_text(u->out, "#usda 1.0\n(\n");
    u->depth++;
    wri_usda_line(u, "defaultPrim = \"%s\"", root);
    wri_usda_line(u, "doc = \"Wrought\"");
    if (u->take) {
        double rate = (double)u->take->rate_numerator / u->take->rate_denominator;
        char text[32];
        wri_print_float(text, sizeof text, (float)rate);
        wri_usda_line(u, "endTimeCode = %d", u->take->frame_count - 1);
        wri_usda_line(u, "framesPerSecond = %s", text);
        wri_usda_line(u, "startTimeCode = 0");
        wri_usda_line(u, "timeCodesPerSecond = %s", text);
    }
    wri_usda_line(u, "metersPerUnit = 1");
    wri_usda_line(u, "upAxis = \"Y\"");
    u->depth--;
    wri_out_text(u->out, ")\n\n");
}

static bool write_usda(writer *w, const char *path)
{
    wri_usda *u = &w->u;
    char *name = wri_arena_printf(&u->arena, "%.64s", u->model->name);
    const char *root = name ? wri_name_identifier(&u->arena, name, "take") : NULL;
    if (root && strcmp(root, "Shapes") == 0) {
        root = "Shapes_";
    }
    char *root_path = root ? wri_arena_printf(&u->arena, "/%s", root) : NULL;
    if (!root_path) {
        return wri_fail_memory(u->error, 64);
    }
    if (!prepare(w, root_path) ||
        !wri_textures_write(u->model, path, &u->arena, u->textures, u->error)) {
        return false;
    }
    u->out = wri_out_create(path, u->error);
    if (!u->out) {
        return false;
    }
    write_stage(w, root);
    if (!write_shapes(w)) {
        return false;
    }
    wri_usda_def_named(u, "Xform", root, u->model->name, "kind = \"component\"");
    if (!write_nodes(w)) {
        return false;
    }
    wri_usda_close(u);
    return wri_out_finish(u->out, u->error);
}

bool wr_model_write_usda(const wr_model *model, const wr_model_motion *motion, const char *path,
                         wr_error *error)
{
    if (!WRI_REQUIRE(error, model, path)) {
        return false;
    }
    writer w = {
        .u = {.model = model, .take = motion, .arena = wri_arena_create(NULL), .error = error}};
    bool ok = wri_model_check(model, path, WR_E_ARGUMENT, error) &&
              (!motion || check_take(model, motion, error)) && write_usda(&w, path);
    wri_out_destroy(w.u.out);
    wri_arena_destroy(&w.u.arena);
    return ok;
}
