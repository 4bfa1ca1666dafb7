// usda_shapes.c: morphs of a mesh that is shared, and what they weigh, as UsdSkel has them.
//
// A BlendShape lists only the points that it moves. UsdSkel binds weights to a mesh through a
// Skeleton, so there is one, of a single joint that never moves, as Blender writes it.
#include "usda.h"

// Points are within a hundred-thousandth of the size of their mesh, normals within a thousandth.
#define POINT_STEP 1e-5f
#define NORMAL_STEP 1e-3

// The power of ten that is not above x.
static double power_below(double x)
{
    double step = 1.0;
    while (step > x) {
        step /= 10.0;
    }
    while (10.0 * step <= x) {
        step *= 10.0;
    }
    return step;
}

static wr_vec3 round_to(wr_vec3 v, double step)
{
    float *numbers[3] = {&v.x, &v.y, &v.z};
    for (int i = 0; i < 3; i++) {
        double whole = floor((double)*numbers[i] / step + 0.5);
        *numbers[i] = whole == 0.0 ? 0.0f : (float)(whole * step);
    }
    return v;
}

static bool is_zero(wr_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

typedef struct moved { // points of a mesh that a morph moves
    int count;
    int *indices;
    wr_vec3 *offsets, *normals;
} moved;

static void gather(const wr_mesh *mesh, const wr_morph *morph, double step, moved *out)
{
    out->count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        bool turns = mesh->normals && morph->normals;
        wr_vec3 p = round_to(morph->positions[i], step);
        wr_vec3 n = turns ? round_to(morph->normals[i], NORMAL_STEP) : wr_v3(0, 0, 0);
        if (!is_zero(p) || !is_zero(n)) {
            out->indices[out->count] = i;
            out->offsets[out->count] = p;
            out->normals[out->count++] = n;
        }
    }
}

static void write_morph(wri_usda *u, const wr_mesh *mesh, const wr_morph *morph, int number,
                        double step, moved *room)
{
    gather(mesh, morph, step, room);
    wri_usda_indent(u);
    wri_out_printf(u->out, "def BlendShape \"shape%d\"\n", number);
    wri_usda_open(u);
    wri_usda_begin(u, "uniform vector3f[] offsets = ");
    wri_usda_vectors(u, room->offsets, room->count);
    wri_out_text(u->out, "\n");
    if (mesh->normals && morph->normals) {
        wri_usda_begin(u, "uniform vector3f[] normalOffsets = ");
        wri_usda_vectors(u, room->normals, room->count);
        wri_out_text(u->out, "\n");
    }
    wri_usda_begin(u, "uniform int[] pointIndices = [");
    for (int i = 0; i < room->count; i++) {
        wri_out_text(u->out, i ? ", " : "");
        wri_out_int(u->out, room->indices[i]);
    }
    wri_out_text(u->out, "]\n");
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
static bool write_morphs(wri_usda *u, const wr_mesh *mesh, const char *path)
{
    size_t n = (size_t)mesh->vertex_count;
    wri_arena room = wri_arena_create(NULL);
    moved points = {.indices = wri_arena_alloc(&room, n, sizeof(int)),
                    .offsets = wri_arena_alloc(&room, n, sizeof(wr_vec3)),
                    .normals = wri_arena_alloc(&room, n, sizeof(wr_vec3))};
    char *before = wri_arena_printf(&room, "<%s/mesh/shape", path);
    bool ok = points.indices && points.offsets && points.normals && before;
    if (ok) {
        double size = (double)wr_length(wr_box_size(wr_mesh_bounds(mesh)));
        double step = power_below(fmax((double)POINT_STEP * size, 1e-12));
        wri_usda_line(u, "over \"mesh\" (");
        wri_usda_line(u, "    prepend apiSchemas = [\"SkelBindingAPI\"]");
        wri_usda_line(u, ")");
        wri_usda_open(u);
        wri_usda_line(u, "rel skel:skeleton = <%s/skeleton>", path);
        write_names(u, "uniform token[] skel:blendShapes", "\"shape", mesh->morph_count, "\"");
        write_names(u, "rel skel:blendShapeTargets", before, mesh->morph_count, ">");
        for (int i = 0; i < mesh->morph_count; i++) {
            write_morph(u, mesh, &mesh->morphs[i], i + 1, step, &points);
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
        wri_out_text(u->out, i ? ", " : "");
        wri_out_float(u->out, weights[i]);
    }
    wri_out_text(u->out, "]");
}

static void write_weights(wri_usda *u, const wr_mesh *mesh, const wr_node_motion *motion)
{
    wri_usda_def(u, "SkelAnimation", "motion", NULL);
    write_names(u, "uniform token[] blendShapes", "\"shape", mesh->morph_count, "\"");
    wri_usda_line(u, "float[] blendShapeWeights.timeSamples = {");
    u->depth++;
    for (int k = 0; k < motion->key_count; k++) {
        wri_usda_indent(u);
        wri_out_printf(u->out, "%d: ", motion->keys[k]);
        put_weights(u, motion->weights + (size_t)k * (size_t)mesh->morph_count, mesh->morph_count);
        wri_out_text(u->out, ",\n");
    }
    wri_usda_close(u);
    wri_usda_close(u);
}

bool wri_usda_morphs(wri_usda *u, const wr_mesh *mesh, const wr_node_motion *motion,
                     const char *path)
{
    static const char unit[] = "[( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )]";
    wri_usda_def(u, "Skeleton", "skeleton", "prepend apiSchemas = [\"SkelBindingAPI\"]");
    wri_usda_line(u, "rel skel:animationSource = <%s/motion>", path);
    wri_usda_line(u, "uniform token[] joints = [\"still\"]");
    wri_usda_line(u, "uniform matrix4d[] bindTransforms = %s", unit);
    wri_usda_line(u, "uniform matrix4d[] restTransforms = %s", unit);
    wri_usda_close(u);
    write_weights(u, mesh, motion);
    return write_morphs(u, mesh, path);
}
