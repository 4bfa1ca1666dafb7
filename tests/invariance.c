// invariance.c: what the shape of a dent depends on that it should not depend on.
//
//     invariance [--json] [--edge] MODEL...
//
// Every model is made one metre large, given four examples (squashed along three oblique axes, and
// bent), rigged automatically, and hit by two heavy balls, one after the other, in empty space.
// Then the same is said in another way, and the final shapes of the model's vertices, in the body's
// frame and mapped back, are compared with the first: mean and largest distance, in % of the size.
// The first ball hits between the middle and one end; with --edge, that end.
// "Friction" is the reference: what a change of the friction by 1e-6 does is chaos and not a fault.
#include "variant.h"

#include "../bench/metal_world.h"
#include "../src/file/json.h"
#include "../src/math/decompose.h"

enum { EXAMPLES = 4, TURNS = 10, MOST_CASES = 48, MOST_MODELS = 8, FIRST_END = 45, LAST_END = 110 };

static const double MEETING = 1.0; // s: when the second ball is where the body is
static const double RADIUS = 0.16, SPEED = 9.0, GOAL = 2.0;

// One way to say it. The file is a variant; the world is that of the original, mapped.
typedef struct trial {
    char name[40];
    variant file;
    double world[3][3];
    int vertices, pieces, substeps;
    double friction;
} trial;

typedef struct result {
    bool done;
    int lattice, pieces, points;
    double mean[2], most[2]; // % of the size, after one and after two hits
} result;

typedef struct subject {
    char name[64];
    wr_model *model; // one mesh with morphs, of size 1
    wr_vec3 aim;     // where the first ball hits, in the model's frame
    wr_vec3 meeting; // where the body is later, in the world of the original
    wr_vec3 *shapes[2];
    double dents[2]; // deepest, % of the size
    result results[MOST_CASES];
} subject;

// --- models -----------------------------------------------------------------------------------

static const wr_vec3 AXES[3] = {{0.8f, 0.36f, 0.48f}, {-0.6f, 0.48f, 0.64f}, {0.0f, -0.8f, 0.6f}};

// Offset of a point in an example; p is relative to the middle.
static wr_vec3 example_offset(int example, wr_vec3 p)
{
    if (example < 3) {
        return wr_scale(-0.4f * wr_dot(AXES[example], p), AXES[example]);
    }
    float along = wr_dot(AXES[1], p);
    return wr_scale(0.8f * along * along, AXES[0]);
}

static bool make_examples(wr_model *model)
{
    static const char *const names[EXAMPLES] = {"first", "second", "third", "bent"};
    wr_mesh *mesh = model->meshes;
    mesh->morph_count = EXAMPLES;
    mesh->morphs = wr_model_alloc(model, EXAMPLES, sizeof *mesh->morphs);
    wr_vec3 middle = wr_box_center(wr_mesh_bounds(mesh));
    for (int e = 0; mesh->morphs && e < EXAMPLES; e++) {
        wr_vec3 *offsets = wr_model_alloc(model, (size_t)mesh->vertex_count, sizeof *offsets);
        for (int i = 0; offsets && i < mesh->vertex_count; i++) {
            offsets[i] = example_offset(e, wr_sub(mesh->positions[i], middle));
        }
        mesh->morphs[e] = (wr_morph){.name = names[e], .positions = offsets};
    }
    return mesh->morphs != NULL;
}

// Off the middle of everything: part of the way from the middle to the far end of an axis.
static wr_vec3 choose_aim(const wr_mesh *mesh, float part)
{
    wr_vec3 sum = wr_v3(0, 0, 0), far = mesh->positions[0];
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = mesh->positions[i];
        sum = wr_add(sum, p);
        far = wr_dot(AXES[1], p) > wr_dot(AXES[1], far) ? p : far;
    }
    return wr_lerp3(wr_scale(1.0f / (float)mesh->vertex_count, sum), far, part);
}

static bool subject_create(subject *s, const char *path, bool edge, wr_error *error)
{
    const char *slash = strrchr(path, '/');
    snprintf(s->name, sizeof s->name, "%s", slash ? slash + 1 : path);
    wr_read_options options = {0};
    wr_model *model = wr_model_read(path, &options, error);
    s->model = model ? wr_model_flatten(model, error) : NULL;
    wr_model_destroy(model); // looks and images are not used
    if (!s->model) {
        return false;
    }
    wr_mesh *mesh = s->model->meshes;
    s->model->look_count = s->model->image_count = 0;
    mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, -1};
    mesh->part_count = 1;
    wr_box box = wr_mesh_bounds(mesh);
    wr_vec3 size = wr_box_size(box), away = wr_v3(0.11f, 0.07f, -0.13f);
    float scale = 1.0f / fmaxf(size.x, fmaxf(size.y, size.z));
    for (int i = 0; i < mesh->vertex_count; i++) {
        mesh->positions[i] =
            wr_add(away, wr_scale(scale, wr_sub(mesh->positions[i], wr_box_center(box))));
    }
    s->aim = choose_aim(mesh, edge ? 0.8f : 0.35f);
    for (int k = 0; k < 2; k++) {
        s->shapes[k] = wr_model_alloc(s->model, (size_t)mesh->vertex_count, sizeof(wr_vec3));
    }
    return make_examples(s->model) && s->shapes[0] && s->shapes[1];
}

// --- the trials -------------------------------------------------------------------------------

static trial *add_trial(trial *trials, int *count, const char *name)
{
    trial *t = &trials[(*count)++];
    *t = (trial){.file = variant_of(VARIANT_IDENTITY, 1.0),
                 .vertices = 1800,
                 .pieces = 12,
                 .substeps = 4,
                 .friction = 0.5};
    memcpy(t->world, VARIANT_IDENTITY, sizeof t->world);
    snprintf(t->name, sizeof t->name, "%s", name);
    return t;
}

static int list_trials(trial *trials)
{
    int count = 0;
    char name[40];
    add_trial(trials, &count, "as it is");
    add_trial(trials, &count, "friction + 1e-6")->friction += 1e-6;
    for (int i = 1; i <= TURNS; i++) {
        snprintf(name, sizeof name, "world turned by %d", 33 * i);
        trial *t = add_trial(trials, &count, name);
        variant_turn(0.3, 0.5, -0.8, 33.0 * i, t->world);
    }
    trial *mirror = add_trial(trials, &count, "mirrored");
    memcpy(mirror->world, VARIANT_MIRROR, sizeof mirror->world);
    memcpy(mirror->file.map, VARIANT_MIRROR, sizeof mirror->file.map);
    add_trial(trials, &count, "renumbered")->file.shuffle = 7;
    add_trial(trials, &count, "split in two")->file.split = true;
    add_trial(trials, &count, "size x 0.01")->file.size = 0.01;
    add_trial(trials, &count, "size x 100")->file.size = 100.0;
    add_trial(trials, &count, "half the step")->substeps = 8;
    add_trial(trials, &count, "twice the pieces")->pieces = 24;
    add_trial(trials, &count, "twice the vertices")->vertices = 3600;
    for (int i = 1; i <= 4; i++) {
        snprintf(name, sizeof name, "file turned by %d", 79 * i);
        trial *t = add_trial(trials, &count, name);
        variant_turn(-0.5, 0.7, 0.4, 79.0 * i, t->file.map);
    }
    return count;
}

// --- the scene --------------------------------------------------------------------------------

typedef struct writer {
    const trial *t;
    wri_json_writer json;
} writer;

// A place or a direction of the original world, in that of the trial.
static wr_vec3 in_world(const trial *t, double factor, wr_vec3 p)
{
    variant v = variant_of(t->world, factor);
    return variant_map(&v, p);
}

static void write_vector(writer *w, const char *key, wr_vec3 v)
{
    wri_json_begin_array(&w->json, key);
    wri_json_write_float(&w->json, NULL, v.x);
    wri_json_write_float(&w->json, NULL, v.y);
    wri_json_write_float(&w->json, NULL, v.z);
    wri_json_end_array(&w->json);
}

// The file's frame in the trial's world: world * file^T, since the original is not turned.
static wr_quat body_turn(const trial *t)
{
    double m[3][3] = {{0}};
    for (int i = 0; i < 27; i++) {
        m[i / 9][i / 3 % 3] += t->world[i / 9][i % 3] * t->file.map[i / 3 % 3][i % 3];
    }
    return wri_quat_from_rotation((const double(*)[3])m);
}

static void write_ball(writer *w, const char *name, wr_vec3 target, wr_vec3 direction, double time)
{
    double size = w->t->file.size;
    wri_json_writer *j = &w->json;
    wr_vec3 d = wr_normalize(direction);
    wri_json_begin_object(j, NULL);
    wri_json_write_string(j, "name", name);
    wri_json_begin_object(j, "shape");
    wri_json_write_number(j, "sphere", RADIUS * size);
    wri_json_end_object(j);
    write_vector(w, "at", in_world(w->t, size, wr_add_scaled(target, (float)(-SPEED * time), d)));
    write_vector(w, "velocity", in_world(w->t, sqrt(size), wr_scale((float)SPEED, d)));
    wri_json_write_number(j, "mass", 100.0 * size * size * size);
    wri_json_write_number(j, "friction", w->t->friction);
    wri_json_write_number(j, "angular_damping", 0.0);
    wri_json_end_object(j);
}

static void write_body(writer *w)
{
    double size = w->t->file.size;
    wri_json_writer *j = &w->json;
    wr_quat q = body_turn(w->t);
    wri_json_begin_object(j, NULL);
    wri_json_write_string(j, "name", "body");
    wri_json_write_string(j, "asset", "body");
    wri_json_begin_array(j, "turn");
    const float numbers[4] = {q.x, q.y, q.z, q.w};
    for (int i = 0; i < 4; i++) {
        wri_json_write_float(j, NULL, numbers[i]);
    }
    wri_json_end_array(j);
    wri_json_write_number(j, "mass", 100.0 * size * size * size);
    wri_json_write_number(j, "friction", 0.5);
    wri_json_write_number(j, "angular_damping", 0.0);
    wri_json_begin_object(j, "material");
    wri_json_write_string(j, "metal", "thin steel");
    wri_json_write_int(j, "pieces", w->t->pieces);
    wri_json_end_object(j);
    wri_json_end_object(j);
}

// second: with the second ball.
static bool write_scene(const subject *s, const trial *t, bool second, const char *path,
                        wr_error *error)
{
    writer w = {t, wri_json_writer_create(NULL, true)};
    wri_json_writer *j = &w.json;
    wri_json_begin_object(j, NULL);
    wri_json_write_int(j, "wrought", 1);
    wri_json_write_int(j, "frames", (int)lround(60.0 / sqrt(t->file.size)));
    wri_json_write_int(j, "substeps", t->substeps);
    write_vector(&w, "gravity", wr_v3(0, 0, 0));
    wri_json_begin_object(j, "assets");
    wri_json_write_string(j, "body", "body.recipe.json");
    wri_json_end_object(j);
    wri_json_begin_array(j, "bodies");
    write_body(&w);
    write_ball(&w, "ball", s->aim, wr_v3(-0.62f, -0.5f, -0.6f), 0.25);
    if (second) {
        write_ball(&w, "second", s->meeting, wr_v3(0.3f, -0.8f, 0.52f), MEETING);
    }
    wri_json_end_array(j);
    wri_json_end_object(j);
    const char *text = wri_json_finish(j);
    bool ok = text && wri_file_write(path, text, strlen(text), error);
    wri_json_writer_destroy(j);
    return ok;
}

static bool write_recipe(const trial *t, const wr_model *model, const char *path, wr_error *error)
{
    wri_json_writer j = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&j, NULL);
    wri_json_write_int(&j, "wrought", 1);
    wri_json_write_string(&j, "model", "body.glb");
    wri_json_begin_object(&j, "simulation");
    wri_json_write_int(&j, "vertices", t->vertices);
    wri_json_end_object(&j);
    wri_json_begin_object(&j, "handles");
    wri_json_write_int(&j, "automatic", 12);
    wri_json_end_object(&j);
    wri_json_begin_array(&j, "examples");
    for (int e = 0; e < EXAMPLES; e++) {
        wri_json_begin_object(&j, NULL);
        wri_json_write_string(&j, "name", model->meshes->morphs[e].name);
        wri_json_write_string(&j, "morph", model->meshes->morphs[e].name);
        wri_json_end_object(&j);
    }
    wri_json_end_array(&j);
    wri_json_end_object(&j);
    const char *text = wri_json_finish(&j);
    bool ok = text && wri_file_write(path, text, strlen(text), error);
    wri_json_writer_destroy(&j);
    return ok;
}

// --- the measurement --------------------------------------------------------------------------

typedef struct run {
    const subject *s;
    const trial *t;
    int *source; // of the vertices of the trial's file
    int count;
    char folder[600], glb[700], recipe[700], scene[700];
} run;

static bool prepare(run *r, wr_error *error)
{
    snprintf(r->glb, sizeof r->glb, "%s/body.glb", r->folder);
    snprintf(r->recipe, sizeof r->recipe, "%s/body.recipe.json", r->folder);
    snprintf(r->scene, sizeof r->scene, "%s/body.scene.json", r->folder);
    wr_model *model = variant_create(&r->t->file, r->s->model->meshes, r->source);
    r->count = 0;
    for (int i = 0; i < model->mesh_count; i++) {
        r->count += model->meshes[i].vertex_count;
    }
    bool ok =
        wr_model_write_glb(model, r->glb, error) && write_recipe(r->t, model, r->recipe, error);
    wr_model_destroy(model);
    return ok;
}

// Where the original's vertices are now, in its frame.
static bool read_shape(const run *r, const wr_world *world, wr_vec3 *shape, wr_error *error)
{
    const wr_metal *body = metal_at(world, 0);
    wr_vec3 *x = wri_alloc(NULL, (size_t)r->count, sizeof *x);
    if (!x) {
        return wri_fail_memory(error, (size_t)r->count * sizeof *x);
    }
    wr_skin_ride_positions(wr_metal_asset_skin(body->asset), wr_metal_weights(body),
                           wr_metal_positions(body), NULL, 0, NULL, x);
    for (int i = 0; i < r->count; i++) {
        shape[r->source[i]] = variant_unmap(&r->t->file, x[i]);
    }
    wri_free(NULL, x, (size_t)r->count, sizeof *x);
    return true;
}

static bool start(const run *r, bool second, show *play, wr_error *error)
{
    *play = (show){0};
    if (!write_scene(r->s, r->t, second, r->scene, error)) {
        return false;
    }
    play->scene = wr_scene_read(r->scene, NULL, error);
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = play->scene;
    play->world = play->scene ? wr_world_create(&desc, error) : NULL;
    return play->world != NULL;
}

// Where the middle of the body is when the second ball should meet it.
static bool find_meeting(const run *r, wr_vec3 *out, wr_error *error)
{
    show play;
    bool ok = start(r, false, &play, error);
    for (int i = 0; ok && i < (int)(60.0 * MEETING); i++) {
        wr_world_step_frame(play.world);
    }
    if (ok) {
        *out = wr_rigid_center(play.world->rigid, metal_engine(play.world, 0));
    }
    show_end(&play);
    return ok;
}

static void compare(const subject *s, const wr_vec3 *shape, const wr_vec3 *with, double *mean,
                    double *most)
{
    int n = s->model->meshes->vertex_count;
    *mean = *most = 0.0;
    for (int i = 0; i < n; i++) {
        double d = 100.0 * (double)wr_distance(shape[i], with[i]);
        *mean += d / n;
        *most = fmax(*most, d);
    }
}

// The first trial is what the others are compared with.
static bool measure(subject *s, const run *r, result *out, wr_error *error)
{
    static const int ends[2] = {FIRST_END, LAST_END};
    int n = s->model->meshes->vertex_count;
    wr_vec3 *shape = wri_alloc(NULL, (size_t)n, sizeof *shape);
    show play = {0};
    bool ok = shape && start(r, true, &play, error), is_first = out == s->results;
    for (int frame = 1, k = 0; ok && frame <= LAST_END; frame++) {
        wr_world_step_frame(play.world);
        if (frame == ends[k]) {
            ok = read_shape(r, play.world, is_first ? s->shapes[k] : shape, error);
            compare(s, is_first ? s->shapes[k] : shape, s->shapes[k], &out->mean[k], &out->most[k]);
            k++;
        }
    }
    if (ok) {
        wr_metal_asset_info info = metal_info(play.world, 0);
        out->lattice = info.vertex_count;
        out->pieces = info.piece_count;
        out->points = info.piece_points;
        out->done = true;
    }
    for (int k = 0; ok && is_first && k < 2; k++) {
        double mean;
        compare(s, s->shapes[k], s->model->meshes->positions, &mean, &s->dents[k]);
    }
    show_end(&play);
    wri_free(NULL, shape, (size_t)n, sizeof *shape);
    return ok;
}

static bool try_all(subject *s, const trial *trials, int count, const char *folder, wr_error *error)
{
    run r = {.s = s};
    snprintf(r.folder, sizeof r.folder, "%s", folder);
    size_t room = 2 * (size_t)s->model->meshes->vertex_count;
    r.source = wri_alloc(NULL, room, sizeof *r.source);
    bool ok = r.source != NULL;
    for (int i = 0; ok && i < count; i++) {
        fprintf(stderr, "\r%s %d/%d", s->name, i + 1, count);
        r.t = &trials[i];
        ok = prepare(&r, error) && (i > 0 || find_meeting(&r, &s->meeting, error)) &&
             measure(s, &r, &s->results[i], error);
    }
    fprintf(stderr, "\n");
    wri_free(NULL, r.source, room, sizeof *r.source);
    return ok;
}

// --- the table --------------------------------------------------------------------------------

static void print_table(const subject *s, const trial *trials, int count)
{
    printf("%s: dents of %.1f and %.1f %% of the size\n", s->name, s->dents[0], s->dents[1]);
    printf("  %-20s %8s %8s %8s %8s %8s %8s %8s\n", "", "one hit", "largest", "two hits", "largest",
           "vertices", "pieces", "points");
    for (int i = 0; i < count; i++) {
        const result *r = &s->results[i];
        printf("  %-20s %8.3f %8.3f %8.3f %8.3f %8d %8d %8d%s\n", trials[i].name, r->mean[0],
               r->most[0], r->mean[1], r->most[1], r->lattice, r->pieces, r->points,
               r->most[0] > GOAL ? "  over" : "");
    }
}

static void write_result(wri_json_writer *j, const char *name, const result *r)
{
    wri_json_begin_object(j, NULL);
    wri_json_write_string(j, "trial", name);
    wri_json_write_number(j, "one hit, mean", r->mean[0]);
    wri_json_write_number(j, "one hit, largest", r->most[0]);
    wri_json_write_number(j, "two hits, mean", r->mean[1]);
    wri_json_write_number(j, "two hits, largest", r->most[1]);
    wri_json_write_int(j, "vertices", r->lattice);
    wri_json_write_int(j, "pieces", r->pieces);
    wri_json_write_int(j, "points", r->points);
    wri_json_end_object(j);
}

static void print_json(const subject *subjects, int subject_count, const trial *trials, int count)
{
    wri_json_writer j = wri_json_writer_create(NULL, true);
    wri_json_begin_array(&j, NULL);
    for (int k = 0; k < subject_count; k++) {
        wri_json_begin_object(&j, NULL);
        wri_json_write_string(&j, "model", subjects[k].name);
        wri_json_write_string(&j, "unit", "% of the size");
        wri_json_begin_array(&j, "rows");
        for (int i = 0; i < count; i++) {
            write_result(&j, trials[i].name, &subjects[k].results[i]);
        }
        wri_json_end_array(&j);
        wri_json_end_object(&j);
    }
    wri_json_end_array(&j);
    const char *text = wri_json_finish(&j);
    printf("%s\n", text ? text : "");
    wri_json_writer_destroy(&j);
}

typedef struct options {
    bool json, edge;
    int first; // argument
} options;

static options read_options(int count, char **arguments)
{
    options o = {.first = 1};
    for (; o.first < count && strncmp(arguments[o.first], "--", 2) == 0; o.first++) {
        o.json = o.json || strcmp(arguments[o.first], "--json") == 0;
        o.edge = o.edge || strcmp(arguments[o.first], "--edge") == 0;
    }
    return o;
}

static bool examine(subject *s, const char *path, const options *o, const trial *trials, int count,
                    const char *folder)
{
    wr_error error = {0};
    bool ok = subject_create(s, path, o->edge, &error) && try_all(s, trials, count, folder, &error);
    if (!ok) {
        fprintf(stderr, "invariance: %s: %s\n", path, error.message);
    } else if (!o->json) {
        print_table(s, trials, count);
        fflush(stdout);
    }
    return ok;
}

int main(int argument_count, char **arguments)
{
    static trial trials[MOST_CASES];
    static subject subjects[MOST_MODELS];
    int count = list_trials(trials), models = 0;
    options o = read_options(argument_count, arguments);
    bool ok = true;
    if (argument_count <= o.first || argument_count - o.first > MOST_MODELS) {
        fprintf(stderr, "usage: invariance [--json] [--edge] MODEL... (at most %d)\n", MOST_MODELS);
        return 2;
    }
    temporary_folder folder = temporary_folder_create();
    setenv("XDG_CACHE_HOME", folder.path, 1); // rigs of one run, not those of others
    for (int i = o.first; i < argument_count && ok; i++) {
        ok = examine(&subjects[models++], arguments[i], &o, trials, count, folder.path);
    }
    if (ok && o.json) {
        print_json(subjects, models, trials, count);
    }
    for (int i = 0; i < models; i++) {
        wr_model_destroy(subjects[i].model);
    }
    temporary_folder_destroy(&folder);
    return ok ? 0 : 1;
}
