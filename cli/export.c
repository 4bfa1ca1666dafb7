// export.c: wrought export: a recording becomes a .glb with one animated node per body; a model of
// any kind becomes a .glb too.
//
// Bodies with the same model and tint share a mesh. Keys that a straight line between their
// neighbours reproduces are left out: 0.02 % of the body's size for places, 0.02 degrees for turns.
#include "cli.h"

#include <math.h>
#include <stdio.h>

typedef struct exporter {
    wri_arena arena;
    wr_record_reader *reader;
    const wr_record_info *info;
    int frame_count;
    wr_pose *poses; // [body][frame]
    wr_model *model;
    wri_array tracks; // of wr_track
    wr_error error;
} exporter;

// --- reading ----------------------------------------------------------------------------------

static bool read_poses(exporter *e, bool quiet)
{
    size_t bodies = (size_t)e->info->body_count, frames = (size_t)e->frame_count;
    e->poses = wri_arena_alloc(&e->arena, bodies * frames, sizeof *e->poses);
    if (!e->poses) {
        return wri_fail_memory(&e->error, bodies * frames * sizeof *e->poses);
    }
    cli_progress progress = cli_progress_start("exporting", "frames", 0, e->frame_count, quiet);
    for (int f = 0; f < e->frame_count; f++) {
        const wr_frame *frame = wr_record_read_frame(e->reader, f, &e->error);
        if (!frame) {
            return false;
        }
        if (frame->points_count > 0) {
            int body = frame->points[0].body;
            return wri_fail(
                &e->error, WR_E_UNSUPPORTED,
                "body \"%s\" changes its shape, which this version cannot export as .glb",
                e->info->bodies[body].name);
        }
        for (int b = 0; b < e->info->body_count; b++) {
            e->poses[(size_t)b * frames + (size_t)f] = frame->poses[b];
        }
        cli_progress_show(&progress, f + 1, "");
    }
    cli_progress_end(&progress);
    return true;
}

// --- meshes -----------------------------------------------------------------------------------

static bool same_color(wr_color a, wr_color b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a;
}

static float model_size(const wr_model *model)
{
    return wr_length(wr_box_size(wr_mesh_bounds(model->meshes)));
}

// The box of everything that is drawn, over the film: how large the ground must be.
static float reach_of_scene(const exporter *e)
{
    wr_box box = WR_BOX_EMPTY;
    for (int b = 0; b < e->info->body_count; b++) {
        if (e->info->bodies[b].model < 0) {
            continue;
        }
        float size = model_size(e->info->models[e->info->bodies[b].model]);
        wr_vec3 margin = wr_v3(size, size, size);
        for (int f = 0; f < e->frame_count; f += 10) {
            wr_vec3 at = e->poses[(size_t)b * (size_t)e->frame_count + (size_t)f].position;
            box = wr_box_add(wr_box_add(box, wr_sub(at, margin)), wr_add(at, margin));
        }
    }
    return wr_box_is_empty(box) ? 10.0f : 2.0f * wr_length(wr_box_size(box));
}

static bool fill_ground(exporter *e, wr_mesh *mesh)
{
    float r = reach_of_scene(e);
    wr_vec3 corners[4] = {{-r, 0, -r}, {-r, 0, r}, {r, 0, r}, {r, 0, -r}};
    static const int triangles[6] = {0, 1, 2, 0, 2, 3};
    mesh->name = "ground";
    mesh->vertex_count = 4;
    mesh->triangle_count = 2;
    mesh->part_count = 1;
    mesh->positions = wr_model_alloc(e->model, 4, sizeof(wr_vec3));
    mesh->normals = wr_model_alloc(e->model, 4, sizeof(wr_vec3));
    mesh->triangles = wr_model_alloc(e->model, 6, sizeof(int));
    mesh->parts = wr_model_alloc(e->model, 1, sizeof(wr_mesh_part));
    if (!mesh->positions || !mesh->normals || !mesh->triangles || !mesh->parts) {
        return wri_fail_memory(&e->error, 4 * sizeof(wr_vec3));
    }
    memcpy(mesh->positions, corners, sizeof corners);
    memcpy(mesh->triangles, triangles, sizeof triangles);
    for (int i = 0; i < 4; i++) {
        mesh->normals[i] = wr_v3(0.0f, 1.0f, 0.0f);
    }
    mesh->parts[0] = (wr_mesh_part){0, 2, e->model->look_count};
    e->model->looks[e->model->look_count++] =
        (wr_look){"ground", {1.0f, 1.0f, 1.0f, 1.0f}, -1, 0.9f, 0.0f, false};
    return true;
}

// The images of a model are appended once, whoever uses it first.
static int add_images(exporter *e, const wr_model *source, int *first_image)
{
    if (*first_image < 0) {
        *first_image = e->model->image_count;
        for (int i = 0; i < source->image_count; i++) {
            e->model->images[e->model->image_count++] = source->images[i];
        }
    }
    return *first_image;
}

static bool fill_mesh(exporter *e, const wr_record_body *body, int *first_image, wr_mesh *mesh)
{
    const wr_model *source = e->info->models[body->model];
    int images = add_images(e, source, first_image), first_look = e->model->look_count;
    for (int i = 0; i < source->look_count; i++) {
        wr_look look = source->looks[i];
        look.base_color.r *= body->color.r;
        look.base_color.g *= body->color.g;
        look.base_color.b *= body->color.b;
        look.texture = look.texture < 0 ? -1 : look.texture + images;
        e->model->looks[e->model->look_count++] = look;
    }
    *mesh = source->meshes[0];
    size_t parts = (size_t)mesh->part_count;
    mesh->parts = wr_model_alloc(e->model, parts, sizeof(wr_mesh_part));
    if (!mesh->parts) {
        return wri_fail_memory(&e->error, parts * sizeof(wr_mesh_part));
    }
    for (size_t i = 0; i < parts; i++) {
        mesh->parts[i] = source->meshes[0].parts[i];
        if (mesh->parts[i].look >= 0) {
            mesh->parts[i].look += first_look;
        }
    }
    return true;
}

// Room for the worst case: every body with a tint of its own.
static bool alloc_model(exporter *e)
{
    e->model = wr_model_create(NULL, &e->error);
    if (!e->model) {
        return false;
    }
    size_t bodies = (size_t)e->info->body_count, looks = 1, images = 0;
    for (int b = 0; b < e->info->body_count; b++) {
        int model = e->info->bodies[b].model;
        looks += model < 0 ? 1u : (size_t)e->info->models[model]->look_count;
    }
    for (int i = 0; i < e->info->model_count; i++) {
        images += (size_t)e->info->models[i]->image_count;
    }
    e->model->name = e->info->title;
    e->model->meshes = wr_model_alloc(e->model, bodies, sizeof(wr_mesh));
    e->model->nodes = wr_model_alloc(e->model, bodies, sizeof(wr_node));
    e->model->looks = wr_model_alloc(e->model, looks, sizeof(wr_look));
    e->model->images = wr_model_alloc(e->model, images, sizeof(wr_image));
    return (e->model->meshes && e->model->nodes && e->model->looks && e->model->images) ||
           wri_fail_memory(&e->error, bodies * sizeof(wr_mesh));
}

static bool build_meshes(exporter *e, int *mesh_of_body)
{
    int *first_image = wri_arena_alloc(&e->arena, (size_t)e->info->model_count, sizeof(int));
    if (!first_image || !alloc_model(e)) {
        return first_image ? false : wri_fail_memory(&e->error, sizeof(int));
    }
    memset(first_image, 0xff, (size_t)e->info->model_count * sizeof(int));
    for (int b = 0; b < e->info->body_count; b++) {
        const wr_record_body *body = &e->info->bodies[b];
        mesh_of_body[b] = -1;
        for (int k = 0; k < b && mesh_of_body[b] < 0; k++) {
            const wr_record_body *other = &e->info->bodies[k];
            if (other->model == body->model && other->casts_ground == body->casts_ground &&
                same_color(other->color, body->color)) {
                mesh_of_body[b] = mesh_of_body[k];
            }
        }
        if (mesh_of_body[b] >= 0 || (body->model < 0 && !body->casts_ground)) {
            continue;
        }
        wr_mesh *mesh = &e->model->meshes[e->model->mesh_count];
        bool ok = body->model < 0 ? fill_ground(e, mesh)
                                  : fill_mesh(e, body, &first_image[body->model], mesh);
        if (!ok) {
            return false;
        }
        if (body->model < 0) {
            e->model->looks[e->model->look_count - 1].base_color = body->color;
        }
        mesh_of_body[b] = e->model->mesh_count++;
    }
    return true;
}

// --- keys -------------------------------------------------------------------------------------

static bool line_holds(const wr_pose *poses, int a, int b, float place, float turn)
{
    for (int i = a + 1; i < b; i++) {
        float t = (float)(i - a) / (float)(b - a);
        wr_vec3 p = wr_lerp3(poses[a].position, poses[b].position, t);
        wr_quat q = wr_quat_nlerp(poses[a].rotation, poses[b].rotation, t);
        float dot = fabsf(wr_quat_dot(q, poses[i].rotation));
        if (wr_distance(p, poses[i].position) > place ||
            2.0f * sqrtf(2.0f) * sqrtf(fmaxf(0.0f, 1.0f - dot)) > turn) {
            return false;
        }
    }
    return true;
}

// Chooses frames greedily: each line reaches as far as it holds.
static int choose_keys(const wr_pose *poses, int count, float place, float turn, int *keys)
{
    enum { LONGEST = 240 }; // frames; bounds the search
    int chosen = 0, at = 0;
    keys[chosen++] = 0;
    while (at < count - 1) {
        int next = at + 1;
        while (next + 1 < count && next + 1 - at <= LONGEST &&
               line_holds(poses, at, next + 1, place, turn)) {
            next++;
        }
        keys[chosen++] = next;
        at = next;
    }
    return chosen;
}

static bool add_track(exporter *e, int body, int node, int *keys)
{
    const wr_pose *poses = &e->poses[(size_t)body * (size_t)e->frame_count];
    int model = e->info->bodies[body].model;
    float size = model < 0 ? 1.0f : model_size(e->info->models[model]);
    int count = choose_keys(poses, e->frame_count, 2e-4f * size, 2e-4f * WR_PI, keys);
    bool still = true; // also over several lines: they have a greatest length
    for (int i = 1; i < count; i++) {
        still = still && memcmp(&poses[0], &poses[keys[i]], sizeof(wr_pose)) == 0;
    }
    if (still) {
        return true;
    }
    size_t n = (size_t)count;
    float *times = wri_arena_alloc(&e->arena, n, sizeof *times);
    wr_vec3 *positions = wri_arena_alloc(&e->arena, n, sizeof *positions);
    wr_quat *rotations = wri_arena_alloc(&e->arena, n, sizeof *rotations);
    wr_track *track = wri_array_add(&e->tracks, 2);
    if (!times || !positions || !rotations || !track) {
        return wri_fail_memory(&e->error, n * sizeof *rotations);
    }
    double frame_time = (double)e->info->rate_denominator / e->info->rate_numerator;
    for (int i = 0; i < count; i++) {
        times[i] = (float)(keys[i] * frame_time);
        positions[i] = poses[keys[i]].position;
        rotations[i] = poses[keys[i]].rotation;
        if (i > 0 && wr_quat_dot(rotations[i], rotations[i - 1]) < 0.0f) { // the shorter arc
            wr_quat q = rotations[i];
            rotations[i] = (wr_quat){-q.x, -q.y, -q.z, -q.w};
        }
    }
    track[0] =
        (wr_track){node, WR_CHANNEL_POSITION, WR_INTERPOLATION_LINEAR, count, times, &positions->x};
    track[1] =
        (wr_track){node, WR_CHANNEL_ROTATION, WR_INTERPOLATION_LINEAR, count, times, &rotations->x};
    return true;
}

static bool build_nodes(exporter *e, const int *mesh_of_body)
{
    int *keys = wri_arena_alloc(&e->arena, (size_t)e->frame_count, sizeof *keys);
    if (!keys) {
        return wri_fail_memory(&e->error, (size_t)e->frame_count * sizeof *keys);
    }
    for (int b = 0; b < e->info->body_count; b++) {
        if (mesh_of_body[b] < 0) {
            continue;
        }
        int node = e->model->node_count++;
        e->model->nodes[node] = (wr_node){e->info->bodies[b].name,
                                          -1,
                                          mesh_of_body[b],
                                          -1,
                                          e->poses[(size_t)b * (size_t)e->frame_count],
                                          {1.0f, 1.0f, 1.0f},
                                          NULL};
        if (!add_track(e, b, node, keys)) {
            return false;
        }
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool run_export(exporter *e, const char *input, const char *output, bool quiet)
{
    e->reader = wr_record_open(cli_recording_path(&e->arena, input), &e->error);
    if (!e->reader) {
        return false;
    }
    e->info = wr_record_about(e->reader);
    e->frame_count = wr_record_frame_count(e->reader);
    if (e->frame_count == 0) {
        return wri_fail(&e->error, WR_E_ARGUMENT, "%s: has no frames yet", input);
    }
    int *mesh_of_body = wri_arena_alloc(&e->arena, (size_t)e->info->body_count, sizeof(int));
    if (!mesh_of_body) {
        return wri_fail_memory(&e->error, sizeof(int));
    }
    if (!read_poses(e, quiet) || !build_meshes(e, mesh_of_body) || !build_nodes(e, mesh_of_body)) {
        return false;
    }
    wr_clip clip = {"take", e->tracks.count, e->tracks.items};
    e->model->clips = &clip;
    e->model->clip_count = e->tracks.count ? 1 : 0;
    return wr_model_write_glb(e->model, output, &e->error);
}

int cli_run_export(const char *input, const char *output, bool quiet)
{
    exporter e = {.arena = wri_arena_create(NULL),
                  .tracks = wri_array_create(NULL, sizeof(wr_track))};
    bool ok = run_export(&e, input, output, quiet);
    int status = ok ? CLI_OK : cli_fail(&e.error);
    if (ok && !quiet) {
        char size[32];
        printf("%s: %d nodes, %d of them animated, %s\n", output, e.model->node_count,
               e.tracks.count / 2, cli_size_text(size, wri_file_size(output)));
    }
    wr_model_destroy(e.model);
    wr_record_close(e.reader);
    wri_array_destroy(&e.tracks);
    wri_arena_destroy(&e.arena);
    return status;
}

static int export_model(const char *input, const wr_read_options *read, const char *output,
                        bool quiet)
{
    wr_error error = {0};
    wr_model *model = wr_model_read(input, read, &error);
    bool ok = model && wr_model_write_glb(model, output, &error);
    if (ok && !quiet) {
        char size[32];
        printf("%s: %d nodes, %s\n", output, model->node_count,
               cli_size_text(size, wri_file_size(output)));
    }
    wr_model_destroy(model);
    return ok ? CLI_OK : cli_fail(&error);
}

int cli_export(int argc, char **argv)
{
    const char *input = NULL, *output = "take.glb";
    wr_read_options read = {0};
    bool quiet = false;
    const cli_option table[] = {
        {"--output", 'o', CLI_TEXT, &output, 0, 0, "FILE", "a .glb file (default: take.glb)"},
        CLI_READ_OPTIONS(read),
        {"--quiet", 'q', CLI_FLAG, &quiet, 0, 0, NULL, "print errors only"},
    };
    const cli_usage usage = {
        "export",
        "RECORDING|MODEL",
        "Writes a recording as one standard .glb: a node per body, one animation.\n"
        "A model (.glb, .gltf, .obj, .ply, .off, .mesh) becomes a .glb in metres, +Y up.",
        "  wrought export out -o take.glb\n  wrought export car.obj --unit cm --up z -o car.glb\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &input, &count);
    if (status >= 0) {
        return status;
    }
    size_t length = strlen(output);
    if (length < 5 || strcmp(output + length - 4, ".glb") != 0) {
        return cli_complain(CLI_BAD_USAGE, "%s: unknown kind of file, expected .glb", output);
    }
    bool is_model = wr_model_has_ending(input);
    status = cli_check_read_options(&read, input, is_model);
    return status >= 0 ? status
           : is_model  ? export_model(input, &read, output, quiet)
                       : cli_run_export(input, output, quiet);
}
