// recipe_new.c: a first recipe for a model, to be edited.
#include "../file/model.h"
#include "build.h"

#include <stdarg.h>
#include <stdio.h>

#include "wrought/crush.h"
#include "wrought/morph.h"

enum { MOST_MOMENTS = 3 }; // examples of one clip
enum {
    MODES = 14,     // of vibration, unless the recipe says so
    LEAST_MODES = 8 // of a body with as many targets as fit beside them
};

#define LEAST_MOVE 1e-3 // share of the model's size: clips that move less are no examples
#define FOLDS 0.04 // longest edge of what is pressed, of the size: larger triangles do not fold
#define TRIM 0.1   // size of shells that belong to what they touch, as a part of it
#define LEAST_SHARE 0.4 // of how far the furthest moment is from rest: moments nearer are alike

// --- examples that the model brings along -----------------------------------------------------

typedef struct name_list {
    const char *items[WR_SKIN_EXAMPLES_MAX];
    int count;
} name_list;

// A name that no example has yet: "walk", "walk 2", ...
static const char *new_name(wri_arena *arena, name_list *used, const char *kind, const char *wish)
{
    const char *name = wish[0] == '\0' || strcmp(wish, "rest") == 0 ? kind : wish;
    for (int n = 2;; n++) {
        int i = 0;
        while (i < used->count && strcmp(used->items[i], name) != 0) {
            i++;
        }
        if (i == used->count) {
            return used->items[used->count++] = name;
        }
        name = wri_arena_printf(arena, "%s %d", wish[0] ? wish : kind, n);
        if (!name) {
            return NULL;
        }
    }
}

static bool has_room(const name_list *used)
{
    return used->count < WR_SKIN_EXAMPLES_MAX - 1;
}

// The moments of a clip that differ most from rest and from one another: a walk ends where it
// began, and its two steps are two examples.
static bool write_clip(const wr_model *model, int clip, double size, wri_json_writer *json,
                       wri_arena *arena, name_list *used, wr_error *error)
{
    wr_clip_moment moments[MOST_MOMENTS];
    int count = wr_clip_find_moments(model, clip, MOST_MOMENTS, LEAST_SHARE, moments, error);
    const char *own = model->clips[clip].name;
    bool plain = own[0] != '\0' && wr_clip_find(model, own, NULL) == clip; // else by number
    const char *word = plain ? own : wri_arena_printf(arena, "#%d", clip);
    for (int i = 0; i < count && moments[i].distance >= LEAST_MOVE * size && has_room(used); i++) {
        const char *name = word ? new_name(arena, used, "clip", own) : NULL;
        if (!name) {
            return wri_fail_memory(error, 1);
        }
        wri_json_begin_object(json, NULL);
        wri_json_write_string(json, "name", name);
        wri_json_write_string(json, "clip", word);
        wri_json_write_float(json, "time", (float)moments[i].time);
        wri_json_end_object(json);
    }
    return count >= 0;
}

static bool write_clips(const wr_model *model, double size, wri_json_writer *json, wri_arena *arena,
                        name_list *used, wr_error *error)
{
    bool ok = true;
    for (int i = 0; ok && i < model->clip_count && has_room(used); i++) {
        ok = write_clip(model, i, size, json, arena, used, error);
    }
    return ok;
}

// True when an object that is built is made of this mesh.
static bool is_used(const wr_model *model, int mesh)
{
    int node = 0;
    while (node < model->node_count && model->nodes[node].mesh != mesh) {
        node++;
    }
    return node < model->node_count;
}

// Morph targets of several meshes go together: by name, or by number where they have none.
static bool is_first(const wr_model *model, int mesh, int morph)
{
    const char *name = model->meshes[mesh].morphs[morph].name;
    for (int m = 0; m <= mesh; m++) {
        int end = !is_used(model, m) ? 0 : m == mesh ? morph : model->meshes[m].morph_count;
        for (int k = 0; k < end; k++) {
            bool same = strcmp(model->meshes[m].morphs[k].name, name) == 0;
            if (same && (name[0] != '\0' || k == morph)) {
                return false;
            }
        }
    }
    return true;
}

static bool write_morphs(const wr_model *model, wri_json_writer *json, wri_arena *arena,
                         name_list *used, wr_error *error)
{
    for (int m = 0; m < model->mesh_count; m++) {
        for (int k = 0; k < model->meshes[m].morph_count && has_room(used); k++) {
            if (!is_used(model, m) || !is_first(model, m, k)) {
                continue;
            }
            const char *own = model->meshes[m].morphs[k].name;
            const char *word = own[0] ? own : wri_arena_printf(arena, "#%d", k);
            const char *name = word ? new_name(arena, used, "morph", own[0] ? own : "morph") : NULL;
            if (!name) {
                return wri_fail_memory(error, 1);
            }
            wri_json_begin_object(json, NULL);
            wri_json_write_string(json, "name", name);
            wri_json_write_string(json, "morph", word);
            wri_json_end_object(json);
        }
    }
    return true;
}

// --- morph ------------------------------------------------------------------------------------

// True when the name says which target of its mesh is meant: not "rest", and not that of two.
static bool is_plain(const wr_mesh *mesh, int morph)
{
    const char *name = mesh->morphs[morph].name;
    bool plain = name[0] != '\0' && strcmp(name, "rest") != 0;
    for (int k = 0; k < mesh->morph_count && plain; k++) {
        plain = k == morph || strcmp(mesh->morphs[k].name, name) != 0;
    }
    return plain;
}

static bool has_word(const name_list *words, const char *word)
{
    int i = 0;
    while (i < words->count && strcmp(words->items[i], word) != 0) {
        i++;
    }
    return i < words->count;
}

static void tell(const wr_recipe_start *start, const char *format, ...) WRI_PRINTF(2, 3);

static void tell(const wr_recipe_start *start, const char *format, ...)
{
    char text[400];
    int length = snprintf(text, sizeof text, "%.200s: ", start->path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    va_end(arguments);
    if (start->log.write) {
        start->log.write(start->log.user, text);
    }
}

// The words of the model's morph targets, their numbers where names do not tell them apart, and not
// more than fit.
static bool list_targets(const wr_recipe_start *start, const wr_model *model, wri_arena *arena,
                         name_list *words, int most)
{
    const char *unclear = NULL;
    int unclear_count = 0;
    bool is_full = false;
    for (int m = 0; m < model->mesh_count; m++) {
        for (int k = 0; is_used(model, m) && k < model->meshes[m].morph_count; k++) {
            const char *own = model->meshes[m].morphs[k].name;
            bool plain = is_plain(&model->meshes[m], k);
            const char *word = plain ? own : wri_arena_printf(arena, "#%d", k);
            if (!word) {
                return false;
            }
            if (!plain && own[0] != '\0') {
                unclear = unclear ? unclear : own;
                unclear_count++;
            }
            bool is_new = !has_word(words, word);
            is_full = is_full || (is_new && words->count == most);
            if (is_new && words->count < most) {
                words->items[words->count++] = word;
            }
        }
    }
    if (unclear_count > 0) {
        tell(start,
             "the names of %d morph targets, such as \"%.80s\", do not say which is meant: the "
             "recipe has their numbers",
             unclear_count, unclear);
    }
    if (is_full) {
        tell(start, "has more than %d morph targets: the recipe has the first %d of them", most,
             most);
    }
    return true;
}

// Targets belong to moments of the first clip, spread evenly, or where nothing moves the joints to
// a scalar each: a guess that the artist makes good.
static void write_targets(const wr_clip *clip, const name_list *words, wri_json_writer *json)
{
    if (!clip && words->count > 0) {
        wri_json_begin_object(json, "scalars");
        for (int i = 0; i < words->count; i++) {
            wri_json_write_int(json, words->items[i], 1);
        }
        wri_json_end_object(json);
    }
    wri_json_begin_array(json, "targets");
    for (int i = 0; i < words->count; i++) {
        wri_json_begin_object(json, NULL);
        wri_json_write_string(json, "target", words->items[i]);
        if (clip) {
            wri_json_write_string(json, "clip", clip->name[0] ? clip->name : "#0");
            wri_json_write_float(json, "time",
                                 (float)(wr_clip_length(clip) * (i + 1) / (double)words->count));
        } else {
            wri_json_begin_object(json, "scalars");
            wri_json_write_int(json, words->items[i], 1);
            wri_json_end_object(json);
        }
        wri_json_write_int(json, "stiffness", 1);
        wri_json_end_object(json);
    }
    wri_json_end_array(json);
}

static bool is_skinned(const wr_model *model)
{
    int node = 0;
    while (node < model->node_count &&
           (model->nodes[node].mesh < 0 || model->nodes[node].skin < 0)) {
        node++;
    }
    return node < model->node_count;
}

static bool write_morph(const wr_recipe_start *start, const wr_model *model, wri_json_writer *json,
                        wr_error *error)
{
    const wr_clip *clip = is_skinned(model) && model->clip_count > 0 ? model->clips : NULL;
    int most = clip ? WR_MORPH_MODES_MAX - 1 - LEAST_MODES : WR_MORPH_SCALARS_MAX;
    wri_arena arena = wri_arena_create(NULL);
    name_list words = {0};
    bool ok = list_targets(start, model, &arena, &words, most) || wri_fail_memory(error, 1);
    wri_json_begin_object(json, "morph");
    if (ok && words.count + 1 + MODES > WR_MORPH_MODES_MAX) {
        wri_json_write_int(json, "modes", WR_MORPH_MODES_MAX - 1 - words.count);
    }
    if (ok) {
        write_targets(clip, &words, json);
    }
    wri_json_end_object(json);
    wri_arena_destroy(&arena);
    return ok;
}

// --- dents ------------------------------------------------------------------------------------

// Words for what is rigid in a vehicle, as far as the model has them.
static void write_rigid(const wr_model *model, const wr_mesh *flat, wri_json_writer *json,
                        wri_arena *arena)
{
    static const char *const words[] = {"wheel", "tyre", "tire", "engine", "axle"};
    int *rigid = wri_arena_alloc(arena, (size_t)flat->vertex_count, sizeof *rigid);
    bool any = false;
    for (int i = 0; rigid && i < WRI_COUNT(words); i++) {
        if (!wr_crush_find_rigid(model, flat, &words[i], 1, rigid, NULL)) {
            continue;
        }
        if (!any) {
            wri_json_begin_array(json, "rigid");
        }
        wri_json_write_string(json, NULL, words[i]);
        any = true;
    }
    if (any) {
        wri_json_end_array(json);
    }
}

// Most of the surface is triangles that are, as equilateral ones, larger than the folds.
static bool is_coarse(const wr_mesh *mesh)
{
    wr_vec3 size = wr_box_size(wr_mesh_bounds(mesh));
    double edge = FOLDS * fmax(size.x, fmax(size.y, size.z)), all = 0.0, large = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = &mesh->triangles[3 * i];
        wr_vec3 a = mesh->positions[t[0]];
        wr_vec3 n = wr_cross(wr_sub(mesh->positions[t[1]], a), wr_sub(mesh->positions[t[2]], a));
        double area = 0.5 * (double)wr_length(n);
        all += area;
        large += area > sqrt(3.0) / 4.0 * edge * edge ? area : 0.0;
    }
    return large > 0.5 * all;
}

static bool write_dents(const wr_model *model, const wr_mesh *flat, wri_json_writer *json,
                        wri_arena *arena, name_list *used, wr_error *error)
{
    for (int i = 0; i < WR_CRUSH_PLACE_COUNT && has_room(used); i++) {
        const char *place = wr_crush_place_name((wr_crush_place)i);
        const char *name = new_name(arena, used, "dent", place);
        if (!name) {
            return wri_fail_memory(error, 1);
        }
        wri_json_begin_object(json, NULL);
        wri_json_write_string(json, "name", name);
        wri_json_begin_object(json, "crush");
        wri_json_write_string(json, "place", place);
        write_rigid(model, flat, json, arena);
        wri_json_end_object(json);
        wri_json_end_object(json);
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool is_morph(const wr_recipe_start *start)
{
    return start->material && strcmp(start->material, "morph") == 0;
}

static int count_shells(const wr_mesh *mesh)
{
    int *shells = wri_alloc(NULL, (size_t)mesh->vertex_count, sizeof *shells);
    int count = shells ? wr_mesh_find_shells(mesh, shells) : -1;
    wri_free(NULL, shells, (size_t)mesh->vertex_count, sizeof *shells);
    return count;
}

static void write_start(const wr_recipe_start *start, bool skinned, const wr_mesh *flat, int shells,
                        wri_json_writer *json)
{
    int vertices = is_morph(start) ? 600 : 1800;
    wri_json_write_int(json, "wrought", 1);
    wri_json_write_string(json, "model", start->model);
    if (start->read.unit) {
        wri_json_write_string(json, "unit", start->read.unit);
    }
    if (start->read.up) {
        wri_json_write_string(json, "up", start->read.up);
    }
    if (start->object_count > 0) {
        wri_json_begin_array(json, "objects");
        for (int i = 0; i < start->object_count; i++) {
            wri_json_write_string(json, NULL, start->objects[i]);
        }
        wri_json_end_array(json);
    }
    if (start->dents && is_coarse(flat)) {
        wri_json_write_number(json, "refine", FOLDS);
    }
    wri_json_begin_object(json, "simulation");
    wri_json_write_int(json, "vertices", start->vertices > 0 ? start->vertices : vertices);
    if (is_morph(start)) {
        wri_json_write_bool(json, "separate", false); // it hangs together
    } else if (shells > 1) {
        wri_json_write_number(json, "trim", TRIM);
    }
    wri_json_end_object(json);
    if (is_morph(start) && start->handles == 0) {
        return; // its joints, or one bone
    }
    wri_json_begin_object(json, "handles");
    if (skinned && start->handles == 0) {
        wri_json_write_bool(json, "skin", true);
    } else {
        wri_json_write_int(json, "automatic", start->handles > 0 ? start->handles : 12);
    }
    wri_json_end_object(json);
}

static bool write_examples(const wr_model *model, const wr_mesh *flat, bool dents,
                           wri_json_writer *json, wr_error *error)
{
    wr_box box = wr_mesh_bounds(flat);
    name_list used = {0};
    wri_arena arena = wri_arena_create(NULL);
    double size = (double)wr_distance(box.min, box.max);
    wri_json_begin_array(json, "examples");
    bool ok = write_morphs(model, json, &arena, &used, error) &&
              (dents || write_clips(model, size, json, &arena, &used, error)) &&
              (!dents || write_dents(model, flat, json, &arena, &used, error));
    wri_json_end_array(json);
    wri_arena_destroy(&arena);
    return ok;
}

static bool check_dents(const wr_recipe_start *start, const wr_mesh *flat, wr_error *error)
{
    wr_vec3 extent = wr_box_size(wr_mesh_bounds(flat));
    return !start->dents || (extent.x > 0.0f && extent.y > 0.0f && extent.z > 0.0f) ||
           wri_fail(error, WR_E_ARGUMENT,
                    "%s: the model is flat: it cannot be pressed along the side that it has not",
                    start->path);
}

// Before anything is built on it.
static bool tell_size(const wr_recipe_start *start, wr_model *flat, wr_error *error)
{
    bool ok =
        start->read.unit ||
        wri_model_warn_of_size(flat, error, start->path, wr_box_size(wr_mesh_bounds(flat->meshes)),
                               "--unit cm says so (--unit m if it is that large)");
    for (int i = 0; ok && start->log.write && i < flat->warning_count; i++) {
        start->log.write(start->log.user, flat->warnings[i]);
    }
    return ok;
}

static void write_material(const wr_recipe_start *start, wri_json_writer *json)
{
    const char *material = start->material ? start->material : start->dents ? "metal" : NULL;
    if (material && start->preset) {
        wri_json_begin_object(json, "material");
        wri_json_write_string(json, material, start->preset);
        wri_json_end_object(json);
    } else if (material) {
        wri_json_write_string(json, "material", material);
    }
}

static char *write_model(const wr_recipe_start *start, const wr_model *model, size_t *size,
                         wr_error *error)
{
    wr_model *flat = wr_model_flatten(model, error);
    if (!flat) {
        return NULL;
    }
    int shells = count_shells(flat->meshes);
    bool is_sound =
        shells >= 0 || wri_fail_memory(error, (size_t)flat->meshes->vertex_count * sizeof(int));
    if (!is_sound || !check_dents(start, flat->meshes, error) || !tell_size(start, flat, error)) {
        wr_model_destroy(flat);
        return NULL;
    }
    wri_json_writer json = wri_json_writer_create(NULL, true);
    wri_json_begin_object(&json, NULL);
    write_start(start, is_skinned(model), flat->meshes, shells, &json);
    bool ok = is_morph(start) ? write_morph(start, model, &json, error)
                              : write_examples(model, flat->meshes, start->dents, &json, error);
    write_material(start, &json);
    wri_json_end_object(&json);
    char *text = ok ? wri_json_copy_text(&json, size, error) : NULL;
    wri_json_writer_destroy(&json);
    wr_model_destroy(flat);
    return text;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

char *wr_recipe_write_new(const wr_recipe_start *start, size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, start, size) || !WRI_REQUIRE(error, start->path)) {
        return NULL;
    }
    wr_model *model = NULL;
    if (wr_asset_is_one(start->path)) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is an asset already, expected the model it was made of",
                 start->path);
        return NULL;
    }
    if (wr_recipe_has_ending(start->path)) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is a recipe already, expected what it is made of",
                 start->path);
        return NULL;
    }
    bool is_sheet = has_ending(start->path, ".json") || start->grid[0] > 0;
    if (is_sheet && start->more_count > 0) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is a sprite sheet, expected no layers beside it",
                 start->path);
        return NULL;
    }
    if (start->dents && (is_sheet || wri_is_picture(start->path))) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is a drawing, which has no dents", start->path);
        return NULL;
    }
    if (start->object_count > 0 && (is_sheet || wri_is_picture(start->path))) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is a drawing, which has no objects", start->path);
        return NULL;
    }
    if (start->dents && is_morph(start)) {
        wri_fail(error, WR_E_ARGUMENT, "%s: bodies of morph have targets, expected no dents",
                 start->path);
        return NULL;
    }
    if (is_sheet || wri_is_picture(start->path)) {
        return wri_recipe_new_drawing(start, is_sheet, size, error);
    }
    if (start->more_count > 0) {
        wri_fail(error, WR_E_ARGUMENT, "%s: is no .png, expected layers of a drawing", start->path);
        return NULL;
    }
    if (!(model = wr_model_read(start->path, &start->read, error))) {
        return NULL;
    }
    wr_error why = {0};
    char *text = NULL;
    if (wri_choose_objects(model, start->objects, start->object_count, &why)) {
        text = write_model(start, model, size, error);
    } else {
        wri_fail(error, why.code, "%s: %s", start->path, why.message);
    }
    wr_model_destroy(model);
    return text;
}
