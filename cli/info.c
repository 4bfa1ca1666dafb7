// info.c: wrought info: what is in a file, and is it sound.
#include "cli.h"

#include "../src/file/json.h"
#include "../src/record/record.h"

#include <math.h>
#include <stdio.h>

// Collects facts once and prints them as text or JSON.
typedef struct facts {
    bool json;
    const char *path;
    wri_json_writer writer;
    wr_read_options read; // of models
} facts;

// "size per minute" is size_per_minute in JSON.
static const char *json_key(const char *name)
{
    static char key[64];
    snprintf(key, sizeof key, "%s", name);
    for (char *c = key; *c; c++) {
        *c = *c == ' ' ? '_' : *c;
    }
    return key;
}

static void fact_text(facts *f, const char *name, const char *value)
{
    if (f->json) {
        wri_json_write_string(&f->writer, json_key(name), value);
        return;
    }
    cli_say("  %-20s %s", name, value);
}

// The first fact of every file; what cannot be read has none.
static void fact_kind(facts *f, const char *kind)
{
    if (!f->json) {
        cli_say("%s", f->path);
    }
    fact_text(f, "kind", kind);
}

static void fact_number(facts *f, const char *name, double value, const char *unit)
{
    if (f->json) {
        wri_json_write_number(&f->writer, json_key(name), value);
    } else {
        printf("  %-20s %s%s%s\n", name, WRI_NUMBER(value, 6), *unit ? " " : "", unit);
    }
}

static void fact_bytes(facts *f, const char *name, double bytes)
{
    char text[32];
    if (f->json) {
        wri_json_write_number(&f->writer, json_key(name), floor(bytes + 0.5));
    } else {
        printf("  %-20s %s\n", name, cli_size_text(text, (int64_t)(bytes + 0.5)));
    }
}

static void fact_flag(facts *f, const char *name, bool value)
{
    if (f->json) {
        wri_json_write_bool(&f->writer, json_key(name), value);
    } else {
        printf("  %-20s %s\n", name, value ? "yes" : "no");
    }
}

static void fact_box(facts *f, const char *name, wr_box box)
{
    const float numbers[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    if (f->json) {
        wri_json_begin_array(&f->writer, json_key(name));
        for (int i = 0; i < 6 && !wr_box_is_empty(box); i++) {
            wri_json_write_float(&f->writer, NULL, numbers[i]);
        }
        wri_json_end_array(&f->writer);
    } else if (!wr_box_is_empty(box)) {
        cli_print_box(name, box);
    }
}

static void fact_warnings(facts *f, int count, const char *const *warnings)
{
    if (f->json) {
        wri_json_begin_array(&f->writer, "warnings");
        for (int i = 0; i < count; i++) {
            wri_json_write_string(&f->writer, NULL, warnings[i]);
        }
        wri_json_end_array(&f->writer);
        return;
    }
    for (int i = 0; i < count; i++) {
        fact_text(f, "warning", warnings[i]);
    }
}

// --- recordings -------------------------------------------------------------------------------

static void list_assets(facts *f, const wr_record_info *info)
{
    if (f->json) {
        wri_json_begin_array(&f->writer, "assets");
    } else {
        fact_number(f, "assets", info->asset_count, "");
    }
    for (int i = 0; i < info->asset_count; i++) {
        const wr_asset *asset = info->assets[i];
        const wr_rig *rig = &asset->rig;
        int bodies = 0;
        for (int k = 0; k < info->body_count; k++) {
            bodies += wr_record_asset(info, &info->bodies[k], NULL) == asset;
        }
        if (f->json) {
            wri_json_begin_object(&f->writer, NULL);
            wri_json_write_string(&f->writer, "name", asset->name);
            wri_json_write_int(&f->writer, "bodies", bodies);
            wri_json_write_int(&f->writer, "simulation_vertices", rig->vertex_count);
            wri_json_begin_array(&f->writer, "examples");
            for (int e = 1; e < rig->example_count; e++) {
                wri_json_write_string(&f->writer, NULL, rig->examples[e].name);
            }
            wri_json_end_array(&f->writer);
            wri_json_end_object(&f->writer);
        } else {
            char text[256];
            snprintf(text, sizeof text, "\"%.100s\" of %d %s, %d simulation %s, %d %s", asset->name,
                     bodies, wri_plural(bodies, "body", "bodies"), rig->vertex_count,
                     wri_plural(rig->vertex_count, "vertex", "vertices"), rig->example_count - 1,
                     wri_plural(rig->example_count - 1, "example", "examples"));
            fact_text(f, "asset", text);
        }
    }
    if (f->json) {
        wri_json_end_array(&f->writer);
    }
}

// Every frame is read: whether they are sound, and what bends in them.
static bool read_frames(facts *f, wr_record_reader *reader, wr_error *error)
{
    int count = wr_record_frame_count(reader), points = 0, weights = 0, blends = 0;
    int known;
    int64_t entries = 0;
    uint64_t hash = 0;
    const wr_frame *frame = NULL;
    cli_soft soft = {.arena = wri_arena_create(NULL),
                     .items = wri_array_create(NULL, sizeof(cli_soft_item))};
    wri_array events = wri_array_create(NULL, sizeof(cli_event));
    for (int i = 0; i < count; i++) {
        frame = wr_record_read_frame(reader, i, error);
        if (frame && !(cli_soft_note(&soft, frame) &&
                       cli_events_note(&events, frame, wr_record_bodies(reader, &known)))) {
            wri_fail_memory(error, sizeof(cli_soft_item));
            frame = NULL;
        }
        if (!frame) {
            break;
        }
        hash = frame->hash;
        points = frame->points_count > points ? frame->points_count : points;
        weights = frame->weights_count > weights ? frame->weights_count : weights;
        blends = frame->blend_count > blends ? frame->blend_count : blends;
    }
    for (int i = 0; frame && i < frame->weights_count; i++) {
        entries += frame->weights[i].entry_count;
    }
    char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    fact_number(f, "bodies as points", points, "in one frame, at most");
    fact_number(f, "bodies as weights", weights, "in one frame, at most");
    fact_number(f, "bodies with poses", blends, "in one frame, at most");
    fact_number(f, "weights at the end", (double)entries, "");
    if (count == 0 || frame) {
        wri_json_writer *json = f->json ? &f->writer : NULL;
        cli_soft_print(&soft, wr_record_bodies(reader, &known), json);
        cli_events_print(&events, wr_record_bodies(reader, &known), json);
    }
    cli_soft_destroy(&soft);
    wri_array_destroy(&events);
    fact_text(f, "last state hash", text);
    return count == 0 || frame;
}

static int info_recording(facts *f, const char *path, wr_error *error)
{
    wr_record_reader *reader =
        cli_check_recording(path, error) ? wr_record_open(path, error) : NULL;
    if (!reader) {
        return cli_fail(error);
    }
    const wr_record_info *info = wr_record_about(reader);
    int count = wr_record_frame_count(reader);
    double rate = (double)info->rate_numerator / info->rate_denominator;
    fact_kind(f, "recording");
    fact_text(f, "title", info->title);
    fact_text(f, "written by", info->program);
    fact_flag(f, "complete", wr_record_is_complete(reader));
    fact_number(f, "frames", count, "");
    fact_number(f, "planned frames", info->planned_frames + 1, "");
    fact_number(f, "rate", rate, "frames/s");
    fact_number(f, "length", count > 0 ? (count - 1) / rate : 0.0, "s");
    fact_number(f, "bodies", info->body_count, "");
    fact_number(f, "models", info->model_count, "");
    list_assets(f, info);
    fact_bytes(f, "size", (double)wr_record_size(reader));
    if (count > 1) {
        fact_bytes(f, "size per minute",
                   60.0 * rate * (double)wr_record_size(reader) / (count - 1));
    }
    wr_record_share shares[16];
    int kinds = wr_record_shares(reader, shares);
    for (int i = 0; i < kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.8s chunks", shares[i].kind);
        fact_bytes(f, name, (double)shares[i].size);
    }
    bool sound = read_frames(f, reader, error);
    fact_flag(f, "sound", sound);
    wr_record_close(reader);
    return sound ? CLI_OK : cli_fail(error);
}

// --- scenes -----------------------------------------------------------------------------------

static int info_scene(facts *f, const char *path, wr_error *error)
{
    const wr_scene_options options = {.log = cli_log_notes(false),
                                      .follow_links = f->read.follow_links};
    wr_scene *scene = wr_scene_read(path, &options, error);
    if (!scene) {
        return cli_fail(error);
    }
    int moving = 0, sprites = 0;
    double mass = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        bool moves = scene->bodies[i].rigid.motion == WR_MOTION_MOVING;
        moving += moves;
        sprites += scene->bodies[i].material && scene->bodies[i].material->is_planar;
        mass += moves ? scene->bodies[i].rigid.mass.mass : 0.0;
    }
    fact_kind(f, "scene");
    fact_text(f, "name", scene->name);
    fact_number(f, "length", scene->length, "s");
    fact_number(f, "rate", (double)scene->rate_numerator / scene->rate_denominator, "frames/s");
    fact_number(f, "substeps", scene->substeps, "per frame");
    fact_number(f, "bodies", scene->body_count, "");
    fact_number(f, "moving bodies", moving, "");
    fact_number(f, "sprites", sprites, "");
    fact_number(f, "moving mass", mass, "kg");
    fact_number(f, "joints", scene->joint_count, "");
    fact_number(f, "models", scene->model_count, "");
    fact_number(f, "cameras", scene->stage.camera_count, "");
    fact_warnings(f, scene->warning_count, scene->warnings);
    fact_flag(f, "sound", true);
    wr_scene_destroy(scene);
    return CLI_OK;
}

// --- recipes ----------------------------------------------------------------------------------

static int info_recipe(facts *f, const char *path, wr_error *error)
{
    wr_recipe *recipe = wr_recipe_read(path, NULL, error);
    if (recipe) {
        wr_recipe_set_follow_links(recipe, f->read.follow_links);
    }
    uint64_t hash; // reads every file that it names
    if (!recipe || !wr_recipe_check_material(recipe, error) ||
        !wr_recipe_find_hash(recipe, &hash, error)) {
        wr_recipe_destroy(recipe);
        return cli_fail(error);
    }
    wr_recipe_info info = wr_recipe_describe(recipe);
    fact_kind(f, "recipe");
    fact_text(f, "name", info.name);
    fact_text(f, "model", info.model);
    if (info.vertices > 0) {
        fact_number(f, "simulation vertices", info.vertices, "");
    }
    fact_number(f, "placed handles", info.placed, "");
    fact_number(f, "automatic handles", info.automatic, "");
    if (info.skin || info.graph) {
        fact_text(f, "handles from", info.skin ? "the model's skin" : "a graph");
    }
    fact_number(f, "examples", info.example_count, "");
    for (int i = 0; i < info.example_count && !f->json; i++) {
        fact_text(f, "example", wr_recipe_example_name(recipe, i));
    }
    fact_number(f, "cuts", info.cut_count, "");
    fact_text(f, "material", info.material ? info.material : "none");
    fact_flag(f, "sound", true);
    wr_recipe_destroy(recipe);
    return CLI_OK;
}

// --- published rigs ---------------------------------------------------------------------------

// The folder itself is nothing that a scene or recipe names: the asset is, or the model in it.
static int info_published(facts *f, const char *path, wr_error *error)
{
    wr_asset *asset = wr_asset_read_published(path, &f->read, NULL, error);
    if (!asset) {
        return cli_fail(error);
    }
    fact_kind(f, "published rig");
    fact_number(f, "simulation vertices", asset->rig.vertex_count, "");
    fact_number(f, "handles", asset->rig.handle_count, "");
    fact_number(f, "examples", asset->rig.example_count - 1, "");
    fact_box(f, "bounds", wr_mesh_bounds(asset->model->meshes));
    if (!f->json) {
        wri_arena arena = wri_arena_create(NULL);
        cli_say("  %-20s wrought rig %s --unit %s -o rig.glb, which scenes name: \"assets\": { "
                "\"rig\": \"rig.glb\" }",
                "next", cli_quote(&arena, path), f->read.unit ? f->read.unit : "cm");
        cli_say("  %-20s \"model\": its mesh.obj, with handles and examples of the recipe's own",
                "in a recipe");
        wri_arena_destroy(&arena);
    }
    wr_asset_destroy(asset);
    return CLI_OK;
}

// --- models -----------------------------------------------------------------------------------

static void list_clips(facts *f, const wr_model *model)
{
    if (f->json) {
        wri_json_begin_array(&f->writer, "clips");
    } else {
        fact_number(f, "clips", model->clip_count, "");
    }
    for (int i = 0; i < model->clip_count; i++) {
        const wr_clip *clip = &model->clips[i];
        int64_t keys = 0;
        for (int k = 0; k < clip->track_count; k++) {
            keys += clip->tracks[k].key_count;
        }
        if (f->json) {
            wri_json_begin_object(&f->writer, NULL);
            wri_json_write_string(&f->writer, "name", clip->name);
            wri_json_write_number(&f->writer, "length", wr_clip_length(clip));
            wri_json_write_int(&f->writer, "tracks", clip->track_count);
            wri_json_write_int(&f->writer, "keys", keys);
            wri_json_end_object(&f->writer);
        } else {
            cli_say("  %-20s \"%s\", %s s, %d %s, %lld %s", "clip", clip->name,
                    WRI_NUMBER(wr_clip_length(clip), 6), clip->track_count,
                    wri_plural(clip->track_count, "track", "tracks"), (long long)keys,
                    wri_plural(keys, "key", "keys"));
        }
    }
    if (f->json) {
        wri_json_end_array(&f->writer);
    }
}

// What bends and moves a model.
static void describe_motion(facts *f, const wr_model *model)
{
    int64_t joints = 0, morphs = 0;
    int influences = 0;
    for (int i = 0; i < model->skin_count; i++) {
        joints += model->skins[i].joint_count;
    }
    for (int i = 0; i < model->mesh_count; i++) {
        const wr_mesh *mesh = &model->meshes[i];
        morphs += mesh->morph_count;
        influences = mesh->influence_count > influences ? mesh->influence_count : influences;
    }
    fact_number(f, "skins", model->skin_count, "");
    fact_number(f, "joints", (double)joints, "");
    fact_number(f, "joints per vertex", influences, "");
    fact_number(f, "morph targets", (double)morphs, "");
    list_clips(f, model);
}

static int info_model(facts *f, const char *path, wr_error *error)
{
    wr_model *model = wr_model_read(path, &f->read, error);
    wr_model *flat = model ? cli_flatten(model, path, error) : NULL;
    if (!flat) {
        wr_model_destroy(model);
        return cli_fail(error);
    }
    const wr_mesh *mesh = flat->meshes;
    fact_kind(f, "model");
    fact_number(f, "nodes", model->node_count, "");
    fact_number(f, "meshes", model->mesh_count, "");
    fact_number(f, "looks", model->look_count, "");
    fact_number(f, "images", model->image_count, "");
    fact_number(f, "vertices", mesh->vertex_count, "");
    fact_number(f, "triangles", mesh->triangle_count, "");
    fact_flag(f, "normals", mesh->normals != NULL);
    fact_flag(f, "texture coordinates", mesh->uvs != NULL);
    describe_motion(f, model);
    bool ok = cli_print_names(model, f->json ? &f->writer : NULL, error) &&
              cli_warn_of_size(model, flat, &f->read, path, error);
    fact_warnings(f, model->warning_count, model->warnings);
    fact_box(f, "bounds", wr_mesh_bounds(mesh));
    wr_mass_properties mass;
    wr_error why = {0};
    bool closed = wr_mesh_find_mass(mesh, 1.0, &mass, &why);
    fact_flag(f, "encloses a volume", closed);
    if (closed) {
        fact_number(f, "volume", mass.mass, "m^3");
    }
    wr_tasks tasks = wr_tasks_openmp(0);
    wr_mesh_report report;
    ok = ok && wr_mesh_inspect(mesh, &tasks, &report, error);
    if (ok) {
        cli_print_mesh_report(&report, f->json ? &f->writer : NULL, "mesh");
    }
    wr_model_destroy(flat);
    wr_model_destroy(model);
    return ok ? CLI_OK : cli_fail(error);
}

// --- tetrahedra -------------------------------------------------------------------------------

static void tell_surface(facts *f, const wr_tet_mesh *mesh, wr_error *error)
{
    wr_model *surface = wr_tet_mesh_create_surface(mesh, NULL, error);
    wr_mass_properties mass;
    if (surface) {
        fact_number(f, "surface vertices", surface->meshes->vertex_count, "");
        fact_number(f, "surface triangles", surface->meshes->triangle_count, "");
        fact_flag(f, "encloses a volume", wr_mesh_find_mass(surface->meshes, 1.0, &mass, error));
    }
    wr_model_destroy(surface);
}

static int info_tet_mesh(facts *f, const char *path, wr_error *error)
{
    wr_tet_mesh *mesh = wr_tet_mesh_read(path, &f->read, error);
    if (!mesh) {
        return cli_fail(error);
    }
    if (mesh->tetrahedron_count == 0) {
        wr_tet_mesh_destroy(mesh);
        return info_model(f, path, error);
    }
    wr_tet_volume volume = wr_tet_mesh_volume(mesh);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        box = wr_box_add(box, mesh->positions[i]);
    }
    fact_kind(f, "tetrahedra");
    fact_number(f, "vertices", mesh->vertex_count, "");
    fact_number(f, "tetrahedra", mesh->tetrahedron_count, "");
    fact_number(f, "triangles", mesh->triangle_count, "");
    fact_box(f, "bounds", box);
    fact_number(f, "volume", volume.total, "m^3");
    fact_number(f, "inverted tetrahedra", volume.inverted_count, "");
    fact_number(f, "flat tetrahedra", volume.flat_count, "");
    tell_surface(f, mesh, error);
    fact_flag(f, "sound", volume.inverted_count + volume.flat_count == 0);
    wr_tet_mesh_destroy(mesh);
    return CLI_OK;
}

// --- rig data ---------------------------------------------------------------------------------

static double row_sum(const wr_matrix *m, int row)
{
    double sum = 0.0;
    for (int i = 0; i < m->columns; i++) {
        sum += m->values[(size_t)i * (size_t)m->rows + (size_t)row];
    }
    return sum;
}

static int info_matrix(facts *f, const char *path, wr_error *error)
{
    wr_matrix *m = wr_matrix_read(path, NULL, error);
    if (!m) {
        return cli_fail(error);
    }
    double least = m->values[0], most = least, least_sum = row_sum(m, 0), most_sum = least_sum;
    for (size_t i = 0; i < (size_t)m->rows * (size_t)m->columns; i++) {
        least = fmin(least, m->values[i]);
        most = fmax(most, m->values[i]);
    }
    for (int i = 0; i < m->rows; i++) {
        double sum = row_sum(m, i);
        least_sum = fmin(least_sum, sum);
        most_sum = fmax(most_sum, sum);
    }
    fact_kind(f, "matrix");
    fact_number(f, "rows", m->rows, "");
    fact_number(f, "columns", m->columns, "");
    fact_number(f, "least value", least, "");
    fact_number(f, "greatest value", most, "");
    fact_number(f, "least row sum", least_sum, "");
    fact_number(f, "greatest row sum", most_sum, "");
    fact_flag(f, "rows sum to 1", fabs(least_sum - 1.0) < 1e-6 && fabs(most_sum - 1.0) < 1e-6);
    fact_flag(f, "sound", true);
    wr_matrix_destroy(m);
    return CLI_OK;
}

typedef struct edge_counts {
    int bones, pseudo, cage, short_bones;
} edge_counts;

static edge_counts count_edges(const wr_handle_graph *graph)
{
    edge_counts n = {0};
    for (int i = 0; i < graph->edge_count; i++) {
        const wr_handle_edge *e = &graph->edges[i];
        n.bones += e->is_bone;
        n.pseudo += e->is_pseudo;
        n.cage += e->is_cage;
        n.short_bones +=
            e->is_bone && !(wr_distance(graph->positions[e->from], graph->positions[e->to]) > 0.0f);
    }
    return n;
}

static int info_graph(facts *f, const char *path, wr_error *error)
{
    wr_handle_graph *graph = wr_handle_graph_read(path, &f->read, error);
    if (!graph) {
        return cli_fail(error);
    }
    edge_counts edges = count_edges(graph);
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < graph->node_count; i++) {
        box = wr_box_add(box, graph->positions[i]);
    }
    fact_kind(f, "handle graph");
    fact_number(f, "nodes", graph->node_count, "");
    fact_number(f, "edges", graph->edge_count, "");
    fact_number(f, "bones", edges.bones, "");
    fact_number(f, "pseudo edges", edges.pseudo, "");
    fact_number(f, "cage edges", edges.cage, "");
    fact_number(f, "bones of no length", edges.short_bones, "");
    fact_box(f, "bounds", box);
    fact_flag(f, "sound", edges.short_bones == 0);
    wr_handle_graph_destroy(graph);
    return CLI_OK;
}

// --- point caches -----------------------------------------------------------------------------

static int info_cache(facts *f, const char *path, wr_error *error)
{
    wr_cache *cache = wr_cache_read(path, NULL, error);
    if (!cache) {
        return cli_fail(error);
    }
    wr_box box = WR_BOX_EMPTY;
    for (size_t i = 0; i < (size_t)cache->frame_count * (size_t)cache->point_count; i++) {
        box = wr_box_add(box, cache->positions[i]);
    }
    fact_kind(f, "point cache");
    fact_text(f, "format", cache->format == WR_CACHE_PC2 ? "PC2" : "MDD");
    fact_number(f, "points", cache->point_count, "");
    fact_number(f, "frames", cache->frame_count, "");
    if (cache->format == WR_CACHE_MDD) {
        fact_number(f, "length", (double)cache->times[cache->frame_count - 1] - cache->times[0],
                    "s");
    }
    fact_box(f, "bounds", box);
    fact_flag(f, "sound", true);
    wr_cache_destroy(cache);
    return CLI_OK;
}

// --- assets -----------------------------------------------------------------------------------

static int info_asset(facts *f, const char *path, wr_error *error)
{
    return cli_info_asset(path, f->json ? &f->writer : NULL, error);
}

// --- choosing ---------------------------------------------------------------------------------

typedef int info_fn(facts *f, const char *path, wr_error *error);

static const struct {
    const char *ending;
    info_fn *describe;
} kinds[] = {{".recipe.json", info_recipe}, {".json", info_scene}, {".mesh", info_tet_mesh},
             {".dmat", info_matrix},        {".tgf", info_graph},  {".pc2", info_cache},
             {".mdd", info_cache}};

static info_fn *find_kind(const char *path)
{
    for (int i = 0; i < WRI_COUNT(kinds); i++) {
        if (wri_has_ending(path, kinds[i].ending) && !cli_has_recording(path)) {
            return kinds[i].describe;
        }
    }
    return cli_is_model(path)                                   ? info_model
           : cli_is_published(path) && !cli_has_recording(path) ? info_published
                                                                : info_recording;
}

static int describe(facts *f, const char *path)
{
    info_fn *kind = find_kind(path);
    kind = kind == info_model && wr_asset_is_one(path) ? info_asset : kind;
    bool has_lengths =
        kind == info_model || kind == info_tet_mesh || kind == info_graph || kind == info_published;
    int status = cli_check_read_options(&f->read, path, has_lengths);
    if (status >= 0) {
        return status;
    }
    wri_arena arena = wri_arena_create(NULL);
    wr_error error = {0};
    f->path = path;
    status = kind(f, kind == info_recording ? wri_record_path(&arena, path) : path, &error);
    if (status != CLI_OK && f->json) {
        wri_json_write_string(&f->writer, "error", error.message);
    }
    wri_arena_destroy(&arena);
    return status;
}

int cli_info(int argc, char **argv)
{
    const char *path = NULL;
    facts f = {.writer = wri_json_writer_create(NULL, true)};
    const cli_option table[] = {
        {"--json", 0, CLI_FLAG, &f.json, 0, 0, NULL, "print as JSON"},
        CLI_READ_OPTIONS(f.read),
    };
    const cli_usage usage = {
        "info",
        "FILE",
        "Tells what is in a scene (.json), a recipe (.recipe.json), a recording (a folder or "
        ".wrought file), an asset or a\n"
        "model (.glb, .gltf, .obj, .ply, .off, .mesh, .fbx, .dae, .stl ...), a matrix (.dmat), a\n"
        "handle graph (.tgf), a point cache (.pc2, .mdd) or a folder with a published rig, and\n"
        "whether it is sound. Reads every frame of a recording. Of a model it lists what recipes "
        "may name: nodes (its objects),\n"
        "meshes, looks, joints and morph targets; with --json all of them.",
        "  wrought info out\n  wrought info scenes/models/barrel.glb --json\n",
        table,
        WRI_COUNT(table),
        1,
        1};
    int count, status = cli_parse(&usage, argc, argv, &path, &count);
    if (status < 0) {
        wri_json_begin_object(&f.writer, NULL);
        wri_json_write_string(&f.writer, "file", path);
        status = describe(&f, path);
        wri_json_end_object(&f.writer);
        const char *text = wri_json_finish(&f.writer);
        if (f.json && status != CLI_BAD_USAGE) {
            printf("%s\n", text ? text : "{}");
        }
    }
    wri_json_writer_destroy(&f.writer);
    return status;
}
