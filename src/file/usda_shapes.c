// usda_shapes.c: morphs of a mesh that is shared, and what they weigh, as UsdSkel has them.
//
// A BlendShape lists only the points that it moves, or all of them where that is shorter. The mesh
// has a unit of its own, of which offsets are whole multiples: as text these are half as long; and
// vertices that part only in texture coordinates or normals are one point of it.
// It has no normals: what draws blend shapes through Hydra either leaves normals out and makes its
// own of the moved points, or takes those at rest, which are wrong; none follows normalOffsets.
// UsdSkel binds weights to a mesh through a Skeleton, so there is one, of a single joint that never
// moves, as Blender writes it.
#include "usda.h"

#include <math.h>

// Without a unit of the motion, points are within this part of the size of their mesh.
#define POINT_STEP 1e-5f

enum {
    WEIGHT_DIGITS = 4,
    INDEX_LENGTH = 6, // characters of a listed point, about, and of one that does not move
    ZERO_LENGTH = 8
};

float wri_usda_unit(const wr_mesh *mesh, const wr_node_motion *motion)
{
    float size = wr_length(wr_box_size(wr_mesh_bounds(mesh)));
    return motion->unit > 0.0f ? motion->unit : fmaxf(POINT_STEP * size, 1e-12f);
}

// The nearest whole numbers, of which there is no -0.
static wr_vec3 round_to(wr_vec3 v, double unit)
{
    float *numbers[3] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++) {
        double whole = floor((double)*numbers[i] / unit + 0.5);
        *numbers[i] = whole == 0.0 ? 0.0f : (float)whole;
    }
    return v;
}

static bool is_zero(wr_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// --- points -----------------------------------------------------------------------------------

static bool are_together(const wr_mesh *const *meshes, int count, int a, int b)
{
    const wr_vec3 *rest = meshes[0]->positions;
    bool same = memcmp(&rest[a], &rest[b], sizeof *rest) == 0;
    for (int i = 0; same && i < count; i++) {
        for (int k = 0; same && k < meshes[i]->morph_count; k++) {
            const wr_vec3 *offsets = meshes[i]->morphs[k].positions;
            same = memcmp(&offsets[a], &offsets[b], sizeof *offsets) == 0;
        }
    }
    return same;
}

bool wri_usda_join_points(wri_usda *u, const wr_mesh *const *meshes, int count, wri_usda_cage *cage)
{
    int n = meshes[0]->vertex_count;
    size_t size = 1;
    while (size < 2 * (size_t)n) {
        size *= 2;
    }
    wri_arena room = wri_arena_create(NULL);
    int *table = wri_arena_alloc(&room, size, sizeof *table); // points from 1 on; 0: free
    cage->vertices = wri_arena_alloc(&u->arena, (size_t)n, sizeof *cage->vertices);
    cage->points = wri_arena_alloc(&u->arena, (size_t)n, sizeof *cage->points);
    bool ok = table && cage->vertices && cage->points;
    for (int i = 0; ok && i < n; i++) {
        size_t at = (size_t)wri_hash(&meshes[0]->positions[i], sizeof(wr_vec3), 0) & (size - 1);
        while (table[at] > 0 && !are_together(meshes, count, cage->vertices[table[at] - 1], i)) {
            at = (at + 1) & (size - 1);
        }
        if (table[at] == 0) {
            cage->vertices[cage->count++] = i;
            table[at] = cage->count;
        }
        cage->points[i] = table[at] - 1;
    }
    wri_arena_destroy(&room);
    return ok || wri_fail_memory(u->error, (size_t)n * sizeof(int));
}

// --- morphs -----------------------------------------------------------------------------------

typedef struct moved { // points of a mesh that a morph moves
    int count;
    int *indices;
    wr_vec3 *offsets;
} moved;

static void gather(const wri_usda_cage *cage, const wr_morph *morph, moved *out)
{
    int moving = 0;
    for (int i = 0; i < cage->count; i++) {
        moving += !is_zero(round_to(morph->positions[cage->vertices[i]], (double)cage->unit));
    }
    bool all = moving * INDEX_LENGTH > (cage->count - moving) * ZERO_LENGTH;
    out->count = 0;
    for (int i = 0; i < cage->count; i++) {
        wr_vec3 p = round_to(morph->positions[cage->vertices[i]], (double)cage->unit);
        if (all || !is_zero(p)) {
            out->indices[out->count] = i;
            out->offsets[out->count++] = p;
        }
    }
}

static void write_morph(wri_usda *u, const wri_usda_cage *cage, const wr_morph *morph, int number,
                        moved *room)
{
    gather(cage, morph, room);
    wri_usda_indent(u);
    wri_out_printf(u->out, "def BlendShape \"shape%d\"\n", number);
    wri_usda_open(u);
    wri_usda_begin(u, "uniform vector3f[] offsets = ");
    wri_usda_round_vectors(u, room->offsets, room->count, 0);
    wri_out_text(u->out, "\n");
    if (room->count < cage->count) {
        wri_usda_begin(u, "uniform int[] pointIndices = [");
        for (int i = 0; i < room->count; i++) {
            wri_out_text(u->out, i ? "," : "");
            wri_out_int(u->out, room->indices[i]);
        }
        wri_out_text(u->out, "]\n");
    }
    wri_usda_close(u);
}

static void write_names(wri_usda *u, const char *declaration, const char *before, int count,
                        const char *after)
{
    wri_usda_begin(u, declaration);
    wri_out_text(u->out, " = [");
    for (int i = 0; i < count; i++) {
        wri_out_printf(u->out, "%s%s%d%s", i ? ", " : "", before, i + 1, after);
    }
    wri_out_text(u->out, "]\n");
}

// Opinions over the shared mesh, with the shapes of this node inside it.
static bool write_morphs(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage,
                         const char *path)
{
    size_t n = (size_t)cage->count;
    wri_arena room = wri_arena_create(NULL);
    moved points = {.indices = wri_arena_alloc(&room, n, sizeof(int)),
                    .offsets = wri_arena_alloc(&room, n, sizeof(wr_vec3))};
    char *before = wri_arena_printf(&room, "<%s/mesh/shape", path);
    bool ok = points.indices && points.offsets && before;
    if (ok) {
        wri_usda_line(u, "over \"mesh\" (");
        wri_usda_line(u, "    prepend apiSchemas = [\"SkelBindingAPI\"]");
        wri_usda_line(u, ")");
        wri_usda_open(u);
        wri_usda_line(u, "rel skel:skeleton = <%s/skeleton>", path);
        write_names(u, "uniform token[] skel:blendShapes", "\"shape", mesh->morph_count, "\"");
        write_names(u, "rel skel:blendShapeTargets", before, mesh->morph_count, ">");
        for (int i = 0; i < mesh->morph_count; i++) {
            write_morph(u, cage, &mesh->morphs[i], i + 1, &points);
        }
        wri_usda_close(u);
    }
    wri_arena_destroy(&room);
    return ok || wri_fail_memory(u->error, n * sizeof(wr_vec3));
}

static void put_weights(wri_usda *u, const float *weights, int count)
{
    wri_out_text(u->out, "[");
    for (int i = 0; i < count; i++) {
        wri_out_text(u->out, i ? "," : "");
        wri_out_fixed(u->out, (double)weights[i], WEIGHT_DIGITS);
    }
    wri_out_text(u->out, "]");
}

static void write_weights(wri_usda *u, const wr_mesh *mesh, const wr_node_motion *motion)
{
    wri_usda_def(u, "SkelAnimation", "motion", NULL);
    write_names(u, "uniform token[] blendShapes", "\"shape", mesh->morph_count, "\"");
    // Hydra 2 does not show what an animation without these moves.
    wri_usda_line(u, "uniform token[] joints = [\"still\"]");
    wri_usda_line(u, "quatf[] rotations = [(1,0,0,0)]");
    wri_usda_line(u, "half3[] scales = [(1,1,1)]");
    wri_usda_line(u, "float3[] translations = [(0,0,0)]");
    wri_usda_line(u, "float[] blendShapeWeights.timeSamples = {");
    u->depth++;
    for (int k = 0; k < motion->key_count; k++) {
        wri_out_printf(u->out, "%d: ", motion->keys[k]);
        put_weights(u, motion->weights + (size_t)k * (size_t)mesh->morph_count, mesh->morph_count);
        wri_out_text(u->out, ",\n");
    }
    wri_usda_close(u);
    wri_usda_close(u);
}

// Of all that weights in [0, 1] can make of it, in metres.
static void write_reach(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < cage->count; i++) {
        int vertex = cage->vertices[i];
        wr_vec3 low = mesh->positions[vertex], high = low, zero = {0};
        for (int k = 0; k < mesh->morph_count; k++) {
            wr_vec3 p = mesh->morphs[k].positions[vertex];
            low = wr_add(low, wr_min3(p, zero));
            high = wr_add(high, wr_max3(p, zero));
        }
        box = wr_box_add(wr_box_add(box, low), high);
    }
    wri_usda_begin(u, "float3[] extent = ");
    wri_usda_vectors(u, (wr_vec3[2]){box.min, box.max}, 2);
    wri_out_text(u->out, "\n");
}

bool wri_usda_morphs(wri_usda *u, const wr_mesh *mesh, const wri_usda_cage *cage,
                     const wr_node_motion *motion, const char *path)
{
    static const char unit[] = "[( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )]";
    write_reach(u, mesh, cage);
    wri_usda_def(u, "Skeleton", "skeleton", "prepend apiSchemas = [\"SkelBindingAPI\"]");
    wri_usda_line(u, "rel skel:animationSource = <%s/motion>", path);
    wri_usda_line(u, "uniform token[] joints = [\"still\"]");
    wri_usda_line(u, "uniform matrix4d[] bindTransforms = %s", unit);
    wri_usda_line(u, "uniform matrix4d[] restTransforms = %s", unit);
    wri_usda_close(u);
    write_weights(u, mesh, motion);
    return write_morphs(u, mesh, cage, path);
}
