// file_input.c: a bumpy grid, a rig, a picture, and generators for formats that have no writer.
#include "file_input.h"

#include "../src/base/base.h"

#include <math.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { COLUMNS = 400, ROWS = 250 }; // cells of the grid; two triangles each

// --- a grid -----------------------------------------------------------------------------------

static float bump(float x, float z)
{
    return 0.3f * sinf(1.7f * x) * cosf(2.3f * z) + 0.02f * sinf(31.0f * x + 17.0f * z);
}

static void fill_grid(wr_mesh *mesh, int rows)
{
    const int stride = COLUMNS + 1;
    for (int i = 0; i < mesh->vertex_count; i++) {
        int column = i % stride, row = i / stride;
        float x = 0.01f * (float)column, z = 0.01f * (float)row;
        mesh->positions[i] = wr_v3(x, bump(x, z), z);
        mesh->uvs[i] = (wr_vec2){(float)column / COLUMNS, (float)row / (float)rows};
    }
    int *t = mesh->triangles;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < COLUMNS; column++, t += 6) {
            int a = row * stride + column, b = a + stride;
            t[0] = a, t[1] = b, t[2] = b + 1;
            t[3] = a, t[4] = b + 1, t[5] = a + 1;
        }
    }
    wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                    mesh->normals);
}

static wr_model *create_grid(int scale, wr_error *error)
{
    wr_model *model = wr_model_create(NULL, error);
    if (!model) {
        return NULL;
    }
    int rows = ROWS * scale, triangles = 2 * COLUMNS * rows;
    size_t n = (size_t)(COLUMNS + 1) * (size_t)(rows + 1);
    wr_mesh *mesh = model->meshes = wr_model_alloc(model, 1, sizeof *mesh);
    wr_node *node = model->nodes = wr_model_alloc(model, 1, sizeof *node);
    if (mesh) {
        *mesh = (wr_mesh){
            .name = "grid",
            .vertex_count = (int)n,
            .triangle_count = triangles,
            .part_count = 1,
            .positions = wr_model_alloc(model, n, sizeof *mesh->positions),
            .normals = wr_model_alloc(model, n, sizeof *mesh->normals),
            .uvs = wr_model_alloc(model, n, sizeof *mesh->uvs),
            .triangles = wr_model_alloc(model, (size_t)triangles, 3 * sizeof(int)),
            .parts = wr_model_alloc(model, 1, sizeof *mesh->parts),
        };
    }
    if (!mesh || !node || !mesh->positions || !mesh->normals || !mesh->uvs || !mesh->triangles ||
        !mesh->parts) {
        wri_fail_memory(error, n * sizeof *mesh->positions);
        wr_model_destroy(model);
        return NULL;
    }
    model->name = "grid";
    model->mesh_count = model->node_count = 1;
    mesh->parts[0] = (wr_mesh_part){0, triangles, -1};
    *node = (wr_node){.name = "grid",
                      .parent = -1,
                      .skin = -1,
                      .pose = WR_POSE_IDENTITY,
                      .scale = {1.0f, 1.0f, 1.0f}};
    fill_grid(mesh, rows);
    return model;
}

// --- a rig ------------------------------------------------------------------------------------

enum { JOINTS = 16, INFLUENCES = 4, MORPHS = 2, KEYS = 120 };

// Memory of the model; *ok becomes false when there is none.
static void *take(wr_model *model, size_t count, size_t size, bool *ok)
{
    void *memory = wr_model_alloc(model, count, size);
    *ok = *ok && memory;
    return memory;
}

static bool alloc_rig(wr_model *model, size_t n)
{
    bool ok = true;
    wr_mesh *mesh = model->meshes;
    mesh->joints = take(model, n, INFLUENCES * sizeof *mesh->joints, &ok);
    mesh->weights = take(model, n, INFLUENCES * sizeof *mesh->weights, &ok);
    mesh->morphs = take(model, MORPHS, sizeof *mesh->morphs, &ok);
    for (int m = 0; ok && m < MORPHS; m++) {
        mesh->morphs[m].name = "bulge";
        mesh->morphs[m].positions = take(model, n, sizeof(wr_vec3), &ok);
    }
    model->skins = take(model, 1, sizeof *model->skins, &ok);
    model->clips = take(model, 1, sizeof *model->clips, &ok);
    if (ok) {
        wr_model_skin *skin = model->skins;
        skin->joints = take(model, JOINTS, sizeof *skin->joints, &ok);
        skin->inverse_bind = take(model, JOINTS, sizeof *skin->inverse_bind, &ok);
        model->clips->tracks = take(model, JOINTS, sizeof *model->clips->tracks, &ok);
    }
    for (int j = 0; ok && j < JOINTS; j++) {
        wr_track *track = &model->clips->tracks[j];
        *track = (wr_track){.node = 1 + j, .channel = WR_CHANNEL_ROTATION, .key_count = KEYS};
        track->times = take(model, KEYS, sizeof *track->times, &ok);
        track->values = take(model, KEYS, 4 * sizeof *track->values, &ok);
    }
    return ok;
}

// Every vertex hangs between the joint before it and the one behind.
static void fill_influences(wr_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        float at = (JOINTS - 1) * mesh->uvs[i].x;
        int before = (int)at < JOINTS - 2 ? (int)at : JOINTS - 2;
        const int joints[INFLUENCES] = {before, before + 1};
        const float weights[INFLUENCES] = {1.0f - (at - (float)before), at - (float)before};
        memcpy(mesh->joints + INFLUENCES * i, joints, sizeof joints);
        memcpy(mesh->weights + INFLUENCES * i, weights, sizeof weights);
        for (int m = 0; m < MORPHS; m++) {
            mesh->morphs[m].positions[i] = wr_v3(0.0f, mesh->positions[i].y * (float)(m + 1), 0.0f);
        }
    }
}

// A chain of joints along x that swings.
static void fill_joints(wr_model *model)
{
    const float step = 0.01f * COLUMNS / (JOINTS - 1);
    for (int j = 0; j < JOINTS; j++) {
        wr_node *node = &model->nodes[1 + j];
        *node = (wr_node){.name = "joint",
                          .parent = j ? j : -1,
                          .mesh = -1,
                          .skin = -1,
                          .pose = WR_POSE_IDENTITY,
                          .scale = {1.0f, 1.0f, 1.0f}};
        node->pose.position.x = j ? step : 0.0f;
        model->skins->joints[j] = 1 + j;
        model->skins->inverse_bind[j] = WR_MAT34_IDENTITY;
        model->skins->inverse_bind[j].m[0][3] = -step * (float)j;
        wr_track *track = &model->clips->tracks[j];
        for (int k = 0; k < KEYS; k++) {
            wr_quat turn = wr_quat_from_axis_angle(wr_v3(0, 0, 1), 0.01f * sinf(0.2f * (float)k));
            track->times[k] = (float)k / 60.0f;
            memcpy(track->values + 4 * k, &turn, sizeof turn);
        }
    }
}

// Shares the arrays of the grid, which outlives it.
static wr_model *create_rig(const wr_model *grid, wr_error *error)
{
    wr_model *model = wr_model_create(NULL, error);
    if (!model) {
        return NULL;
    }
    bool ok = true;
    size_t n = (size_t)grid->meshes->vertex_count;
    model->meshes = take(model, 1, sizeof *model->meshes, &ok);
    model->nodes = take(model, 1 + JOINTS, sizeof *model->nodes, &ok);
    if (ok) {
        *model->meshes = *grid->meshes;
        *model->nodes = *grid->nodes;
        ok = alloc_rig(model, n);
    }
    if (!ok) {
        wri_fail_memory(error, n * sizeof(wr_vec3));
        wr_model_destroy(model);
        return NULL;
    }
    model->name = model->skins->name = model->clips->name = "rig";
    model->mesh_count = model->skin_count = model->clip_count = 1;
    model->node_count = 1 + JOINTS;
    model->nodes->skin = 0;
    model->meshes->influence_count = INFLUENCES;
    model->meshes->morph_count = MORPHS;
    model->skins->joint_count = model->clips->track_count = JOINTS;
    fill_influences(model->meshes);
    fill_joints(model);
    return model;
}

// --- the whole --------------------------------------------------------------------------------

// Soft shades with a little grain, as a photograph has them.
static void fill_pixels(bench_input *input)
{
    uint32_t grain = 1;
    for (int y = 0; y < input->height; y++) {
        for (int x = 0; x < input->width; x++) {
            uint8_t *p = input->pixels + 4 * ((size_t)y * (size_t)input->width + (size_t)x);
            float shade = 110.0f + 90.0f * sinf(0.011f * (float)x) * cosf(0.017f * (float)y);
            for (int k = 0; k < 3; k++) {
                grain = 1664525u * grain + 1013904223u;
                p[k] = (uint8_t)((int)shade + 10 * k + (int)(grain >> 28));
            }
            p[3] = 255;
        }
    }
}

static void fill_moved(bench_input *input)
{
    const wr_mesh *mesh = input->grid->meshes;
    wr_vec3 *out = input->moved;
    for (int frame = 0; frame < BENCH_FRAMES; frame++) {
        for (int i = 0; i < mesh->vertex_count; i++) {
            wr_vec3 p = mesh->positions[i];
            *out++ = wr_v3(p.x, p.y * cosf((float)frame / 20.0f + p.x), p.z);
        }
    }
}

bool bench_input_create(bench_input *input, int scale, wr_error *error)
{
    *input = (bench_input){.scale = scale, .width = 2048, .height = 1024 * scale};
    input->grid = create_grid(scale, error);
    input->rig = input->grid ? create_rig(input->grid, error) : NULL;
    if (!input->rig) {
        bench_input_destroy(input);
        return false;
    }
    size_t n = (size_t)input->grid->meshes->vertex_count;
    size_t area = (size_t)input->width * (size_t)input->height;
    input->moved = wri_alloc(NULL, BENCH_FRAMES * n, sizeof *input->moved);
    input->pixels = wri_alloc(NULL, area, 4);
    if (!input->moved || !input->pixels) {
        bench_input_destroy(input);
        return wri_fail_memory(error, 4 * area);
    }
    fill_moved(input);
    fill_pixels(input);
    return true;
}

void bench_input_destroy(bench_input *input)
{
    size_t area = (size_t)input->width * (size_t)input->height;
    size_t n = input->grid ? (size_t)input->grid->meshes->vertex_count : 0;
    wri_free(NULL, input->pixels, area, 4);
    wri_free(NULL, input->moved, BENCH_FRAMES * n, sizeof *input->moved);
    wr_model_destroy(input->rig);
    wr_model_destroy(input->grid);
    *input = (bench_input){0};
}

// --- numbers ----------------------------------------------------------------------------------

static void print_floats(FILE *file, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        char text[32];
        wri_print_float(text, sizeof text, values[i]);
        fprintf(file, " %s", text);
    }
}

// Like a weight of libigl: 17 digits, most of them small.
static double weight(int i)
{
    double x = fmod(0.6180339887498949 * (double)(i + 1), 1.0);
    return x * x * x;
}

// --- models -----------------------------------------------------------------------------------

void bench_print_off(FILE *file, const bench_input *input)
{
    const wr_mesh *mesh = input->grid->meshes;
    fprintf(file, "STNOFF\n%d %d 0\n", mesh->vertex_count, mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        print_floats(file, &mesh->positions[i].x, 3);
        print_floats(file, &mesh->normals[i].x, 3);
        print_floats(file, &mesh->uvs[i].x, 2);
        fprintf(file, "\n");
    }
    for (const int *t = mesh->triangles; t < mesh->triangles + 3 * mesh->triangle_count; t += 3) {
        fprintf(file, "3 %d %d %d\n", t[0], t[1], t[2]);
    }
}

// --- foreign models ---------------------------------------------------------------------------

void bench_print_stl(FILE *file, const bench_input *input)
{
    const wr_mesh *mesh = input->grid->meshes;
    const char head[80] = "wrought bench";
    const uint32_t count = (uint32_t)mesh->triangle_count;
    fwrite(head, sizeof head, 1, file);
    fwrite(&count, sizeof count, 1, file); // on a little-endian machine
    for (int i = 0; i < mesh->triangle_count; i++) {
        const wr_vec3 *p = mesh->positions;
        const int *t = &mesh->triangles[3 * i];
        const wr_vec3 facet[4] = {{0.0f, 1.0f, 0.0f}, p[t[0]], p[t[1]], p[t[2]]};
        const uint16_t extra = 0;
        fwrite(facet, sizeof facet, 1, file);
        fwrite(&extra, sizeof extra, 1, file);
    }
}

// An array of floats and how it is read.
static void print_dae_source(FILE *file, const char *id, const float *values, int rows, int columns)
{
    static const char *const names[] = {"X", "Y", "Z"};
    fprintf(file, "<source id=\"%s\"><float_array id=\"%s-array\" count=\"%d\">", id, id,
            rows * columns);
    print_floats(file, values, rows * columns);
    fprintf(file,
            "</float_array><technique_common><accessor source=\"#%s-array\" count=\"%d\" "
            "stride=\"%d\">",
            id, rows, columns);
    for (int i = 0; i < columns; i++) {
        fprintf(file, "<param name=\"%s\" type=\"float\"/>", names[i]);
    }
    fprintf(file, "</accessor></technique_common></source>\n");
}

void bench_print_dae(FILE *file, const bench_input *input)
{
    const wr_mesh *mesh = input->grid->meshes;
    fprintf(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                  "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
                  "version=\"1.4.1\">\n<asset><unit name=\"meter\" meter=\"1\"/>"
                  "<up_axis>Y_UP</up_axis></asset>\n"
                  "<library_geometries><geometry id=\"grid\"><mesh>\n");
    print_dae_source(file, "positions", &mesh->positions->x, mesh->vertex_count, 3);
    print_dae_source(file, "normals", &mesh->normals->x, mesh->vertex_count, 3);
    fprintf(file,
            "<vertices id=\"vertices\"><input semantic=\"POSITION\" source=\"#positions\"/>"
            "<input semantic=\"NORMAL\" source=\"#normals\"/></vertices>\n"
            "<triangles count=\"%d\"><input semantic=\"VERTEX\" source=\"#vertices\" "
            "offset=\"0\"/><p>",
            mesh->triangle_count);
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        fprintf(file, "%d ", mesh->triangles[i]);
    }
    fprintf(file, "</p></triangles></mesh></geometry></library_geometries>\n"
                  "<library_visual_scenes><visual_scene id=\"scene\"><node>"
                  "<instance_geometry url=\"#grid\"/></node></visual_scene>"
                  "</library_visual_scenes>\n"
                  "<scene><instance_visual_scene url=\"#scene\"/></scene></COLLADA>\n");
}

// --- rig data ---------------------------------------------------------------------------------

// A block of cells, each cut into five tetrahedra; every second one mirrored, so that faces meet.
static void print_tetrahedra(FILE *file, const int cells[3])
{
    static const int corners[2][5][4] = {
        {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}},
        {{1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 6, 0}, {7, 6, 5, 3}, {0, 5, 3, 6}}};
    int nx = cells[0] + 1, ny = cells[1] + 1;
    for (int i = 0; i < cells[0] * cells[1] * cells[2]; i++) {
        int x = i % cells[0], y = i / cells[0] % cells[1], z = i / (cells[0] * cells[1]);
        for (int k = 0; k < 5; k++) {
            for (int c = 0; c < 4; c++) {
                int at = corners[(x + y + z) % 2][k][c];
                int vertex = (x + at % 2) + nx * ((y + at / 2 % 2) + ny * (z + at / 4));
                fprintf(file, "%d ", vertex + 1);
            }
            fprintf(file, "0\n");
        }
    }
}

void bench_print_medit(FILE *file, const bench_input *input)
{
    const int cells[3] = {40, 40, 40 * input->scale};
    int nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1;
    fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices %d\n", nx * ny * nz);
    for (int i = 0; i < nx * ny * nz; i++) {
        float x = 0.025f * (float)(i % nx), z = 0.025f * (float)(i / (nx * ny));
        float p[3] = {x, 0.025f * (float)(i / nx % ny) + 0.1f * bump(x, z), z};
        print_floats(file, p, 3);
        fprintf(file, " 0\n");
    }
    fprintf(file, "Tetrahedra %d\n", 5 * cells[0] * cells[1] * cells[2]);
    print_tetrahedra(file, cells);
    fprintf(file, "End\n");
}

void bench_print_dmat_text(FILE *file, const bench_input *input)
{
    int rows = 25000 * input->scale, columns = 20;
    fprintf(file, "%d %d\n", columns, rows);
    for (int i = 0; i < rows * columns; i++) {
        fprintf(file, "%.17g\n", weight(i));
    }
}

void bench_print_dmat_bytes(FILE *file, const bench_input *input)
{
    int rows = 50000 * input->scale, columns = 20;
    fprintf(file, "0 0\n%d %d\n", columns, rows);
    for (int i = 0; i < rows * columns; i++) {
        double value = weight(i);
        fwrite(&value, sizeof value, 1, file); // on a little-endian machine
    }
}

void bench_print_tgf(FILE *file, const bench_input *input)
{
    const wr_mesh *mesh = input->grid->meshes;
    for (int i = 0; i < mesh->vertex_count; i++) {
        fprintf(file, "%d", i + 1);
        print_floats(file, &mesh->positions[i].x, 3);
        fprintf(file, "\n");
    }
    fprintf(file, "#\n");
    for (int i = 1; i < mesh->vertex_count; i++) {
        fprintf(file, "%d %d 1 0 0\n", i, i + 1);
    }
}

// --- pictures ---------------------------------------------------------------------------------

void bench_print_jpeg(FILE *file, const bench_input *input)
{
    struct jpeg_error_mgr errors; // of memory only: nothing is written before the end
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};
    unsigned char *bytes = NULL;
    unsigned long size = 0;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = (JDIMENSION)input->width;
    jpeg.image_height = (JDIMENSION)input->height;
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 95, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        size_t start = 4 * (size_t)input->width * jpeg.next_scanline;
        JSAMPROW row = input->pixels + start;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    fwrite(bytes, 1, size, file);
    free(bytes);
}

// --- scenes -----------------------------------------------------------------------------------

void bench_print_scene(FILE *file, const bench_input *input)
{
    int count = 18000 * input->scale;
    fprintf(file, "{ \"wrought\": 1, \"name\": \"bench\", \"bodies\": [\n"
                  "  { \"name\": \"ground\", \"shape\": \"plane\" }");
    for (int i = 0; i < count; i++) {
        fprintf(file,
                ",\n  { \"name\": \"crate.%d\", \"shape\": { \"box\": [0.8, 0.8, 0.8] },\n"
                "    \"at\": [%d.25, %d.4, %d.125], \"turn\": { \"axis\": [0, 1, 0], \"by\": %d "
                "},\n"
                "    \"velocity\": [0, 0.5, -1.25], \"density\": 140, \"friction\": 0.55,\n"
                "    \"restitution\": 0.2, \"linear_damping\": 0.01, \"color\": \"#c0a080\" }",
                i, i % 100, i / 10000, i / 100 % 100, i % 360);
    }
    fprintf(file, "\n] }\n");
}
