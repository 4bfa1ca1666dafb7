// info.c: wrought info: what is in a file, and is it sound.
#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>

// Collects facts once and prints them as text or JSON.
typedef struct facts {
    bool json;
    wri_json_writer writer;
} facts;

static void fact_text(facts *f, const char *name, const char *value)
{
    if (f->json) {
        wri_json_write_string(&f->writer, name, value);
    } else {
        printf("  %-20s %s\n", name, value);
    }
}

static void fact_number(facts *f, const char *name, double value, const char *unit)
{
    if (f->json) {
        wri_json_write_number(&f->writer, name, value);
    } else {
        printf("  %-20s %.6g%s%s\n", name, value, *unit ? " " : "", unit);
    }
}

static void fact_flag(facts *f, const char *name, bool value)
{
    if (f->json) {
        wri_json_write_bool(&f->writer, name, value);
    } else {
        printf("  %-20s %s\n", name, value ? "yes" : "no");
    }
}

static void fact_box(facts *f, const char *name, wr_box box)
{
    const float numbers[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    if (f->json) {
        wri_json_begin_array(&f->writer, name);
        for (int i = 0; i < 6 && !wr_box_is_empty(box); i++) {
            wri_json_write_float(&f->writer, NULL, numbers[i]);
        }
        wri_json_end_array(&f->writer);
    } else if (!wr_box_is_empty(box)) {
        printf("  %-20s %g %g %g to %g %g %g m\n", name, numbers[0], numbers[1], numbers[2],
               numbers[3], numbers[4], numbers[5]);
    }
}

// --- recordings -------------------------------------------------------------------------------

static int info_recording(facts *f, const char *path, wr_error *error)
{
    wr_record_reader *reader = wr_record_open(path, error);
    if (!reader) {
        return cli_fail(error);
    }
    const wr_record_info *info = wr_record_about(reader);
    int count = wr_record_frame_count(reader);
    double rate = (double)info->rate_numerator / info->rate_denominator;
    fact_text(f, "kind", "recording");
    fact_text(f, "title", info->title);
    fact_text(f, "written by", info->program);
    fact_flag(f, "complete", wr_record_is_complete(reader));
    fact_number(f, "frames", count, "");
    fact_number(f, "planned frames", info->planned_frames + 1, "");
    fact_number(f, "rate", rate, "frames/s");
    fact_number(f, "length", count > 0 ? (count - 1) / rate : 0.0, "s");
    fact_number(f, "bodies", info->body_count, "");
    fact_number(f, "models", info->model_count, "");
    fact_number(f, "size", (double)wr_record_size(reader) * 1e-6, "MB");
    if (count > 1) {
        fact_number(f, "size per minute",
                    60e-6 * rate * (double)wr_record_size(reader) / (count - 1), "MB");
    }
    wr_record_share shares[16];
    int kinds = wr_record_shares(reader, shares);
    for (int i = 0; i < kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.8s chunks", shares[i].kind);
        fact_number(f, name, (double)shares[i].size * 1e-6, "MB");
    }
    bool sound = true;
    uint64_t hash = 0;
    for (int i = 0; i < count && sound; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, error);
        sound = frame != NULL;
        hash = sound ? frame->hash : hash;
    }
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    fact_text(f, "last state hash", text);
    fact_flag(f, "sound", sound);
    wr_record_close(reader);
    return sound ? CLI_OK : cli_fail(error);
}

// --- scenes -----------------------------------------------------------------------------------

static int info_scene(facts *f, const char *path, wr_error *error)
{
    wr_scene *scene = wr_scene_read(path, NULL, error);
    if (!scene) {
        return cli_fail(error);
    }
    int moving = 0;
    double mass = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        bool moves = scene->bodies[i].rigid.motion == WR_MOTION_MOVING;
        moving += moves;
        mass += moves ? scene->bodies[i].rigid.mass.mass : 0.0;
    }
    fact_text(f, "kind", "scene");
    fact_text(f, "name", scene->name);
    fact_number(f, "length", scene->length, "s");
    fact_number(f, "rate", (double)scene->rate_numerator / scene->rate_denominator, "frames/s");
    fact_number(f, "substeps", scene->substeps, "per frame");
    fact_number(f, "bodies", scene->body_count, "");
    fact_number(f, "moving bodies", moving, "");
    fact_number(f, "moving mass", mass, "kg");
    fact_number(f, "joints", scene->joint_count, "");
    fact_number(f, "models", scene->model_count, "");
    fact_number(f, "cameras", scene->stage.camera_count, "");
    fact_flag(f, "sound", true);
    wr_scene_destroy(scene);
    return CLI_OK;
}

// --- models -----------------------------------------------------------------------------------

static int info_model(facts *f, const char *path, wr_error *error)
{
    wr_model *model = wr_model_read(path, NULL, error);
    wr_model *flat = model ? wr_model_flatten(model, error) : NULL;
    if (!flat) {
        wr_model_destroy(model);
        return cli_fail(error);
    }
    const wr_mesh *mesh = flat->meshes;
    fact_text(f, "kind", "model");
    fact_number(f, "nodes", model->node_count, "");
    fact_number(f, "meshes", model->mesh_count, "");
    fact_number(f, "looks", model->look_count, "");
    fact_number(f, "images", model->image_count, "");
    fact_number(f, "vertices", mesh->vertex_count, "");
    fact_number(f, "triangles", mesh->triangle_count, "");
    fact_flag(f, "normals", mesh->normals != NULL);
    fact_flag(f, "texture coordinates", mesh->uvs != NULL);
    fact_box(f, "bounds", wr_mesh_bounds(mesh));
    wr_mass_properties mass;
    wr_error why = {0};
    bool closed = wr_mesh_find_mass(mesh, 1.0, &mass, &why);
    fact_flag(f, "encloses a volume", closed);
    if (closed) {
        fact_number(f, "volume", mass.mass, "m^3");
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return CLI_OK;
}

// --- choosing ---------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *const *endings, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(path), end = strlen(endings[i]);
        if (length >= end && strcmp(path + length - end, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int describe(facts *f, const char *path)
{
    static const char *const models[] = {".glb", ".gltf", ".obj", ".ply"};
    static const char *const scenes[] = {".json"};
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    int status = ends_in(path, models, WRI_COUNT(models)) ? info_model(f, path, &error)
                 : ends_in(path, scenes, WRI_COUNT(scenes))
                     ? info_scene(f, path, &error)
                     : info_recording(f, cli_recording_path(&arena, path), &error);
    wri_arena_destroy(&arena);
    return status;
}

int cli_info(int argc, char **argv)
{
    const char *path = NULL;
    facts f = {.writer = wri_json_writer_create(NULL, true)};
    const cli_option table[] = {
        {"--json", 0, CLI_FLAG, &f.json, 0, 0, NULL, "print as JSON"},
    };
    const cli_usage usage = {
        "info",
        "FILE",
        "Tells what is in a scene (.json), a recording (a folder or .wrought "
        "file) or a model\n(.glb, .gltf, .obj, .ply), and whether it is sound. "
        "Reads every frame of a recording.",
        "  wrought info out\n  wrought info scenes/models/barrel.glb --json\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &path, &count);
    if (status < 0) {
        if (!f.json) {
            printf("%s\n", path);
        }
        wri_json_begin_object(&f.writer, NULL);
        wri_json_write_string(&f.writer, "file", path);
        status = describe(&f, path);
        wri_json_end_object(&f.writer);
        const char *text = wri_json_finish(&f.writer);
        if (f.json && status == CLI_OK) {
            printf("%s\n", text ? text : "{}");
        }
    }
    wri_json_writer_destroy(&f.writer);
    return status;
}
