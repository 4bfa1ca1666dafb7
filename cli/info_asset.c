// info_asset.c: what wrought info says of an asset.
#include "cli.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>

typedef struct teller {
    const wr_asset *asset;
    wr_morph_data *morph;  // NULL: there is none
    wri_json_writer *json; // NULL: as text
    wri_arena arena;
} teller;

typedef struct example_facts {
    double moved, mean; // metres: of render vertices, the largest and the mean distance from rest
    double turned;      // degrees: the largest rotation of a handle
} example_facts;

typedef struct asset_facts {
    double gap;          // metres: from a render vertex to where its ride has it at rest
    double lever;        // smallest weight of a ride
    double handles_mean; // per vertex with a weight of at least 1e-3
    double volume;       // m^3, in 2D m^2
    example_facts *examples;
} asset_facts;

// --- finding ----------------------------------------------------------------------------------

static double element_size(const wr_rig *rig, int index)
{
    const int *e = &rig->elements[(size_t)index * (size_t)(rig->dimension + 1)];
    wr_vec3 a = wr_sub(rig->rest[e[1]], rig->rest[e[0]]);
    wr_vec3 b = wr_sub(rig->rest[e[2]], rig->rest[e[0]]), n = wr_cross(a, b);
    return rig->dimension == 2 ? 0.5 * (double)n.z
                               : (double)wr_dot(n, wr_sub(rig->rest[e[3]], rig->rest[e[0]])) / 6.0;
}

static void find_rest(const teller *t, asset_facts *out)
{
    const wr_rig *rig = &t->asset->rig;
    const wr_vec3 *positions = t->asset->model->meshes->positions;
    for (int i = 0; i < rig->ride_count; i++) {
        const wr_ride *ride = &rig->rides[i];
        wr_vec3 p = {0, 0, 0};
        for (int k = 0; k <= rig->dimension; k++) {
            int v = rig->elements[(size_t)ride->element * (size_t)(rig->dimension + 1) + (size_t)k];
            p = wr_add_scaled(p, ride->weights[k], rig->rest[v]);
            out->lever = fmin(out->lever, (double)ride->weights[k]);
        }
        p.z += rig->dimension == 2 ? ride->weights[3] : 0.0f;
        out->gap = fmax(out->gap, (double)wr_distance(p, positions[i]));
    }
    for (size_t i = 0; i < (size_t)rig->vertex_count * (size_t)rig->handle_count; i++) {
        out->handles_mean += (rig->weights[i] >= 1e-3f) / (double)rig->vertex_count;
    }
    for (int i = 0; i < rig->element_count; i++) {
        out->volume += element_size(rig, i);
    }
}

static double largest_turn(const wr_rig *rig, int e)
{
    double turn = 0.0;
    for (int b = 0; b < rig->handle_count; b++) {
        wr_quat q = rig->examples[e].poses[b].rotation;
        double sine = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z);
        turn = fmax(turn, 2.0 * atan2(sine, fabs((double)q.w)) * 180.0 / acos(-1.0));
    }
    return turn;
}

// Every example as it is drawn, compared with the rest shape.
static bool find_examples(teller *t, asset_facts *out, wr_error *error)
{
    const wr_rig *rig = &t->asset->rig;
    wr_skin_desc desc = wr_skin_desc_default();
    wr_skin *skin = wr_skin_create(rig, &desc, error);
    size_t E = (size_t)rig->example_count, V = (size_t)rig->ride_count;
    wr_mat34 *maps = wri_arena_alloc(&t->arena, (size_t)rig->handle_count, sizeof *maps);
    wr_vec3 *x = wri_arena_alloc(&t->arena, (size_t)rig->vertex_count, sizeof *x);
    wr_vec3 *p = wri_arena_alloc(&t->arena, 2 * V, sizeof *p);
    float *blend = wri_arena_alloc(&t->arena, E, sizeof *blend);
    out->examples = wri_arena_alloc(&t->arena, E, sizeof *out->examples);
    if (!skin || !maps || !x || !p || !blend || !out->examples) {
        wr_skin_destroy(skin);
        return skin ? wri_fail_memory(error, V * sizeof *p) : false;
    }
    for (int e = 0; e < rig->example_count; e++) {
        const wr_vec3 *details = rig->examples[e].details;
        memset(blend, 0, E * sizeof *blend);
        blend[e] = 1.0f;
        wr_skin_blend(skin, blend, NULL, maps, x);
        wr_skin_ride_positions(skin, NULL, x, NULL, 0, NULL, e == 0 ? p : p + V);
        for (size_t i = 0; i < V && e > 0; i++) {
            wr_vec3 at = details ? wr_add(p[V + i], details[i]) : p[V + i];
            double moved = (double)wr_distance(at, p[i]);
            out->examples[e].moved = fmax(out->examples[e].moved, moved);
            out->examples[e].mean += moved / (double)V;
        }
        out->examples[e].turned = largest_turn(rig, e);
    }
    wr_skin_destroy(skin);
    return true;
}

// --- telling ----------------------------------------------------------------------------------

// What a file says must not steer the terminal.
static const char *printable(teller *t, const char *text)
{
    size_t size = 4 * strlen(text) + 1; // "\\x1b"
    char *out = wri_arena_alloc(&t->arena, size, 1);
    if (!out) {
        return "?";
    }
    wri_escape_text(out, size, text);
    return out;
}

static const char *json_key(teller *t, const char *name)
{
    char *key = wri_arena_text(&t->arena, name, strlen(name));
    for (char *c = key; c && *c; c++) {
        *c = *c == ' ' ? '_' : *c;
    }
    return key ? key : "?";
}

// NULL: there is none.
static void tell_text(teller *t, const char *name, const char *value)
{
    if (!t->json) {
        printf("  %-20s %s\n", name, value ? printable(t, value) : "none");
    } else if (value) {
        wri_json_write_string(t->json, json_key(t, name), value);
    } else {
        wri_json_write_null(t->json, json_key(t, name));
    }
}

static void tell_number(teller *t, const char *name, double value, const char *unit)
{
    if (t->json) {
        wri_json_write_number(t->json, json_key(t, name), value);
    } else {
        printf("  %-20s %s%s%s\n", name, WRI_NUMBER(value, 6), *unit ? " " : "", unit);
    }
}

static void tell_size(teller *t, const char *name, int64_t bytes)
{
    char text[32];
    if (t->json) {
        wri_json_write_int(t->json, json_key(t, name), bytes);
    } else {
        printf("  %-20s %s\n", name, cli_size_text(text, bytes));
    }
}

static void tell_sound(teller *t)
{
    if (t->json) {
        wri_json_write_bool(t->json, "sound", true); // reading refuses what is not
    } else {
        printf("  %-20s yes\n", "sound");
    }
}

// Lists are arrays in JSON, a number and a line each in text.
static void begin_list(teller *t, const char *name, int count)
{
    if (t->json) {
        wri_json_begin_array(t->json, name);
    } else {
        printf("  %-20s %d\n", name, count);
    }
}

static void end_list(teller *t)
{
    if (t->json) {
        wri_json_end_array(t->json);
    }
}

static void tell_vector(teller *t, const char *key, wr_vec3 v)
{
    wri_json_begin_array(t->json, key);
    wri_json_write_float(t->json, NULL, v.x);
    wri_json_write_float(t->json, NULL, v.y);
    wri_json_write_float(t->json, NULL, v.z);
    wri_json_end_array(t->json);
}

static void tell_handles(teller *t)
{
    const wr_rig *rig = &t->asset->rig;
    begin_list(t, "handles", rig->handle_count);
    for (int i = 0; i < rig->handle_count; i++) {
        const wr_handle *handle = &rig->handles[i];
        const char *parent = handle->parent < 0 ? NULL : rig->handles[handle->parent].name;
        wr_vec3 c = handle->pivot;
        if (!t->json) {
            printf("  %-20s \"%s\" at %s %s %s m", "handle", printable(t, handle->name),
                   WRI_NUMBER(c.x, 4), WRI_NUMBER(c.y, 4), WRI_NUMBER(c.z, 4));
            if (parent) {
                printf(", child of \"%s\"", printable(t, parent));
            }
            putchar('\n');
            continue;
        }
        wri_json_begin_object(t->json, NULL);
        wri_json_write_string(t->json, "name", handle->name);
        tell_vector(t, "pivot", c);
        wri_json_write_int(t->json, "parent", handle->parent);
        wri_json_write_int(t->json, "vertex", handle->vertex);
        wri_json_end_object(t->json);
    }
    end_list(t);
}

static void tell_examples(teller *t, const asset_facts *facts)
{
    const wr_rig *rig = &t->asset->rig;
    begin_list(t, "examples", rig->example_count);
    for (int e = 0; e < rig->example_count; e++) {
        const wr_example *example = &rig->examples[e];
        const example_facts *f = &facts->examples[e];
        if (!t->json) {
            printf("  %-20s \"%s\" moves up to %s m, %s m in the mean, turns %s degrees%s%s\n",
                   "example", printable(t, example->name), WRI_NUMBER(f->moved, 4),
                   WRI_NUMBER(f->mean, 4), WRI_NUMBER(f->turned, 4),
                   example->correctives ? ", correctives" : "",
                   example->details ? ", details" : "");
            continue;
        }
        wri_json_begin_object(t->json, NULL);
        wri_json_write_string(t->json, "name", example->name);
        wri_json_write_number(t->json, "largest_displacement", f->moved);
        wri_json_write_number(t->json, "mean_displacement", f->mean);
        wri_json_write_number(t->json, "largest_turn", f->turned);
        wri_json_write_bool(t->json, "correctives", example->correctives != NULL);
        wri_json_write_bool(t->json, "details", example->details != NULL);
        wri_json_end_object(t->json);
    }
    end_list(t);
}

// They come with the joints of a model's skin.
static void tell_clips(teller *t)
{
    const wr_asset *asset = t->asset;
    if (asset->clip_count == 0 && !t->json) {
        printf("  %-20s none: only handles that are a model's joints have some\n", "clips");
        return;
    }
    begin_list(t, "clips", asset->clip_count);
    for (int i = 0; i < asset->clip_count; i++) {
        const wr_rig_clip *clip = &asset->clips[i];
        int moved = 0;
        for (int k = 0; k < clip->track_count; k++) {
            moved += k == 0 || clip->tracks[k].handle != clip->tracks[k - 1].handle;
        }
        if (!t->json) {
            printf("  %-20s \"%s\", %s s, moves %d %s\n", "clip", printable(t, clip->name),
                   WRI_NUMBER(clip->length, 4), moved, wri_plural(moved, "handle", "handles"));
            continue;
        }
        wri_json_begin_object(t->json, NULL);
        wri_json_write_string(t->json, "name", clip->name);
        wri_json_write_number(t->json, "length", clip->length);
        wri_json_write_int(t->json, "moved_handles", moved);
        wri_json_end_object(t->json);
    }
    end_list(t);
}

static void tell_maps(teller *t)
{
    const wr_asset *asset = t->asset;
    int count = 0;
    for (int k = 0; k < WR_MAP_COUNT; k++) {
        count += asset->maps[k] != NULL;
    }
    begin_list(t, "maps", count);
    for (int k = 0; k < WR_MAP_COUNT; k++) {
        const float *map = asset->maps[k];
        float least = INFINITY, most = 0.0f;
        for (int i = 0; map && i < asset->rig.vertex_count; i++) {
            least = fminf(least, map[i]);
            most = fmaxf(most, map[i]);
        }
        if (map && !t->json) {
            printf("  %-20s %s, %s to %s\n", "map", wr_map_name((wr_map_kind)k),
                   WRI_NUMBER(least, 4), WRI_NUMBER(most, 4));
        } else if (map) {
            wri_json_begin_object(t->json, NULL);
            wri_json_write_string(t->json, "name", wr_map_name((wr_map_kind)k));
            wri_json_write_float(t->json, "least", least);
            wri_json_write_float(t->json, "greatest", most);
            wri_json_end_object(t->json);
        }
    }
    end_list(t);
}

static void tell_target(teller *t, const wr_morph_data *d, int i)
{
    float moved = 0.0f, least = INFINITY, most = 0.0f;
    for (int n = 0; n < d->node_count; n++) {
        moved = fmaxf(moved, wr_length(d->offsets[(size_t)i * (size_t)d->node_count + (size_t)n]));
    }
    for (int n = 0; n < d->tet_count; n++) {
        float young = d->young[(size_t)i * (size_t)d->tet_count + (size_t)n];
        least = fminf(least, young);
        most = fmaxf(most, young);
    }
    if (!t->json) {
        printf("  %-20s \"%s\", moves up to %s m, %s to %s Pa\n", "target",
               printable(t, d->names[i]), WRI_NUMBER(moved, 4), WRI_NUMBER(least, 4),
               WRI_NUMBER(most, 4));
        return;
    }
    wri_json_begin_object(t->json, NULL);
    wri_json_write_string(t->json, "name", d->names[i]);
    wri_json_write_float(t->json, "largest_displacement", moved);
    wri_json_write_float(t->json, "least_stiffness", least);
    wri_json_write_float(t->json, "greatest_stiffness", most);
    wri_json_end_object(t->json);
}

static void tell_morph(teller *t)
{
    const wr_asset *asset = t->asset;
    const wr_morph_data *d = t->morph;
    if (!d) {
        return;
    }
    tell_number(t, "modes", d->mode_count, "");
    tell_size(t, "morph", (int64_t)asset->morph_size);
    begin_list(t, "scalars", asset->scalar_count);
    for (int i = 0; i < asset->scalar_count; i++) {
        if (t->json) {
            wri_json_write_string(t->json, NULL, asset->scalars[i]);
        } else {
            printf("  %-20s \"%s\"\n", "scalar", printable(t, asset->scalars[i]));
        }
    }
    end_list(t);
    begin_list(t, "targets", d->target_count);
    for (int i = 0; i < d->target_count; i++) {
        tell_target(t, d, i);
    }
    end_list(t);
}

static void tell_cuts(teller *t)
{
    const wr_asset *asset = t->asset;
    begin_list(t, "cuts", asset->cut_count);
    for (int i = 0; i < asset->cut_count; i++) {
        const wr_cut *cut = &asset->cuts[i];
        wr_vec3 n = cut->normal, at = cut->at;
        int cells = cut->seed_count + cut->group_count + cut->part_count;
        const char *kind = cut->seed_count > 0    ? "seeds"
                           : cut->group_count > 0 ? "groups"
                                                  : "parts";
        if (!t->json && cells > 0) {
            printf("  %-20s %d %s%s, strength %s\n", "cut", cells, kind,
                   cut->group_count > 0 ? " of handles" : "", WRI_NUMBER(cut->strength, 4));
            continue;
        }
        if (!t->json) {
            printf("  %-20s normal %s %s %s at %s %s %s m, strength %s\n", "cut",
                   WRI_NUMBER(n.x, 4), WRI_NUMBER(n.y, 4), WRI_NUMBER(n.z, 4), WRI_NUMBER(at.x, 4),
                   WRI_NUMBER(at.y, 4), WRI_NUMBER(at.z, 4), WRI_NUMBER(cut->strength, 4));
            continue;
        }
        if (cells > 0) {
            wri_json_begin_object(t->json, NULL);
            wri_json_write_int(t->json, kind, cells);
            wri_json_write_number(t->json, "strength", cut->strength);
            wri_json_end_object(t->json);
            continue;
        }
        wri_json_begin_object(t->json, NULL);
        tell_vector(t, "normal", n);
        tell_vector(t, "at", at);
        wri_json_write_number(t->json, "strength", cut->strength);
        wri_json_end_object(t->json);
    }
    end_list(t);
    const wr_fracture *fracture = &asset->fracture;
    if (fracture->fragment_count > 0 && t->json) {
        wri_json_write_int(t->json, "fragments", fracture->fragment_count);
        wri_json_write_int(t->json, "bonds", fracture->bond_count);
    } else if (fracture->fragment_count > 0) {
        printf("  %-20s %d, held together by %d bonds\n", "fragments", fracture->fragment_count,
               fracture->bond_count);
    }
}

static void tell_pins(teller *t)
{
    const wr_asset *asset = t->asset;
    begin_list(t, "pins", asset->pin_count);
    for (int i = 0; i < asset->pin_count; i++) {
        const wr_pin *pin = &asset->pins[i];
        wr_vec3 at = asset->rig.rest[pin->particle];
        if (!t->json) {
            printf("  %-20s vertex %d at %s %s m, on the triangle of %d %d %d\n", "pin",
                   pin->particle, WRI_NUMBER(at.x, 4), WRI_NUMBER(at.y, 4), pin->corners[0],
                   pin->corners[1], pin->corners[2]);
            continue;
        }
        wri_json_begin_object(t->json, NULL);
        wri_json_write_int(t->json, "particle", pin->particle);
        tell_vector(t, "at", at);
        wri_json_end_object(t->json);
    }
    end_list(t);
}

static void tell_bounds(teller *t)
{
    wr_box box = wr_mesh_bounds(t->asset->model->meshes);
    const float n[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    if (!t->json) {
        cli_print_box("bounds", box);
        return;
    }
    wri_json_begin_array(t->json, "bounds");
    for (int i = 0; i < 6; i++) {
        wri_json_write_float(t->json, NULL, n[i]);
    }
    wri_json_end_array(t->json);
}

static void tell(teller *t, const char *path, const asset_facts *facts)
{
    const wr_asset *asset = t->asset;
    const wr_rig *rig = &asset->rig;
    const wr_mesh *mesh = asset->model->meshes;
    int64_t weights = (int64_t)rig->vertex_count * rig->handle_count * (int64_t)sizeof(float);
    char hash[20];
    if (!t->json) {
        cli_say("%s", path);
    }
    tell_text(t, "kind", "asset");
    tell_text(t, "name", asset->name);
    tell_number(t, "vertices", mesh->vertex_count, "");
    tell_number(t, "triangles", mesh->triangle_count, "");
    tell_number(t, "looks", asset->model->look_count, "");
    tell_number(t, "images", asset->model->image_count, "");
    tell_bounds(t);
    tell_number(t, "simulation dimension", rig->dimension, "");
    tell_number(t, "simulation vertices", rig->vertex_count, "");
    tell_number(t, "simulation elements", rig->element_count, "");
    tell_number(t, "simulation volume", facts->volume, rig->dimension == 3 ? "m^3" : "m^2");
    tell_number(t, "largest gap at rest", facts->gap, "m");
    tell_number(t, "least ride weight", facts->lever, "");
    tell_handles(t);
    tell_number(t, "handles per vertex", facts->handles_mean, "");
    tell_examples(t, facts);
    tell_clips(t);
    tell_maps(t);
    tell_morph(t);
    tell_cuts(t);
    tell_pins(t);
    tell_text(t, "material", asset->material);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)asset->recipe_hash);
    tell_text(t, "recipe hash", asset->recipe_hash ? hash : NULL);
    tell_size(t, "size", wri_file_size(path));
    tell_size(t, "size of weights", weights);
    tell_sound(t);
}

int cli_info_asset(const char *path, struct wri_json_writer *writer, wr_error *error)
{
    wr_asset *asset = wr_asset_read(path, NULL, error);
    teller t = {.asset = asset, .json = writer, .arena = wri_arena_create(NULL)};
    asset_facts facts = {.lever = 1.0};
    bool ok = asset && find_examples(&t, &facts, error);
    if (ok && asset->morph) { // what it says has not been looked at before
        t.morph = wr_morph_data_read(asset->morph, asset->morph_size, NULL, error);
        ok = t.morph != NULL;
    }
    if (ok) {
        find_rest(&t, &facts);
        tell(&t, path, &facts);
    }
    wr_morph_data_destroy(t.morph);
    wri_arena_destroy(&t.arena);
    wr_asset_destroy(asset);
    return ok ? CLI_OK : cli_fail(error);
}
