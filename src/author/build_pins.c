// build_pins.c: handles and weights of a drawing, layer by layer, and the pins between layers.
#include "build.h"

#include <math.h>

// --- handles ----------------------------------------------------------------------------------

// Handles of the rig before any is found: those placed, then those at pins.
typedef struct given {
    int count;
    int *vertices, *layers;
    const char **names;
} given;

static int layer_of(const wri_builder *b, int vertex)
{
    int i = b->layer_count - 1;
    while (b->layers[i].first_vertex > vertex) {
        i--;
    }
    return i;
}

static bool fail_pin(wri_builder *b, int pin, int layer, wr_error *why)
{
    b->at_handle = b->recipe->pins[pin].json;
    b->where = "pin";
    return wri_fail(why, WR_E_FORMAT, "\"at\" is outside of layer \"%s\"", b->layers[layer].name);
}

// A pin where a handle is placed needs none of its own.
static bool list_given(wri_builder *b, const int *placed, given *out, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    size_t room = (size_t)r->place_count + (size_t)r->pin_count;
    out->vertices = wri_arena_alloc(&b->arena, room, sizeof(int));
    out->layers = wri_arena_alloc(&b->arena, room, sizeof(int));
    out->names = wri_arena_alloc(&b->arena, room, sizeof *out->names);
    if (!out->vertices || !out->layers || !out->names) {
        return wri_fail_memory(why, room * sizeof *out->names);
    }
    for (int i = 0; i < (int)room; i++) {
        int vertex = i < r->place_count ? placed[i] : b->lattice->handle_vertices[i];
        if (vertex < 0) {
            return fail_pin(b, i - r->place_count, r->pins[i - r->place_count].layer, why);
        }
        bool is_new = true;
        for (int k = 0; k < out->count; k++) {
            is_new = is_new && out->vertices[k] != vertex;
        }
        if (is_new) {
            out->vertices[out->count] = vertex;
            out->layers[out->count] = layer_of(b, vertex);
            out->names[out->count++] =
                i < r->place_count ? r->places[i].name : r->pins[i - r->place_count].raw.name;
        }
    }
    return true;
}

static double layer_area(const wri_builder *b, const wri_drawing_layer *layer)
{
    const wr_vec3 *p = b->lattice->rest + layer->first_vertex;
    double area = 0.0;
    for (int i = 0; i < layer->element_count; i++) {
        const int *t = &layer->elements[3 * i];
        area += 0.5 * (double)wr_cross(wr_sub(p[t[1]], p[t[0]]), wr_sub(p[t[2]], p[t[0]])).z;
    }
    return area;
}

// Finds how many handles each layer has in the end: one at least, then where most area is without.
static bool share_out(wri_builder *b, const given *g, int *counts, wr_error *why)
{
    int left = b->recipe->handles.automatic, lacking = 0;
    const wri_drawing_layer *first = NULL;
    for (int i = 0; i < g->count; i++) {
        counts[g->layers[i]]++;
    }
    for (int i = 0; i < b->layer_count; i++) {
        if (counts[i] == 0) {
            first = first ? first : &b->layers[i];
            lacking++;
            counts[i] = 1;
        }
    }
    if (lacking > left) {
        b->at_handle = b->layer_count > 1 ? first->at : NULL;
        return wri_fail(why, WR_E_FORMAT,
                        "layer \"%s\" has no handle, expected \"place\" to put one there, or "
                        "\"automatic\" of at least %d",
                        first->name, lacking);
    }
    for (left -= lacking; left > 0; left--) {
        int best = 0;
        double most = -1.0;
        for (int i = 0; i < b->layer_count; i++) {
            double area = layer_area(b, &b->layers[i]) / (counts[i] + 1.0);
            if (area > most && counts[i] < b->layers[i].vertex_count) {
                most = area;
                best = i;
            }
        }
        counts[best]++;
    }
    return true;
}

static wr_solid solid_of(const wri_builder *b, const wri_drawing_layer *layer)
{
    return (wr_solid){2, layer->vertex_count, b->lattice->rest + layer->first_vertex,
                      layer->element_count, layer->elements};
}

// found: the next automatic handle of the rig.
static bool place_in_layer(wri_builder *b, int index, const given *g, int count, int *found,
                           wr_error *why)
{
    wri_drawing_layer *layer = &b->layers[index];
    int *own = wri_arena_alloc(&b->arena, (size_t)count, sizeof *own), placed = 0;
    layer->handle_of = wri_arena_alloc(&b->arena, (size_t)count, sizeof(int));
    if (!own || !layer->handle_of) {
        return wri_fail_memory(why, (size_t)count * sizeof *own);
    }
    for (int i = 0; i < g->count; i++) {
        if (g->layers[i] == index) {
            layer->handle_of[placed] = i;
            own[placed++] = g->vertices[i] - layer->first_vertex;
        }
    }
    const wr_solid solid = solid_of(b, layer);
    layer->handles = wr_handles_spread(&solid, own, placed, count, &b->desc.allocator, why);
    for (int i = placed; i < count; i++) {
        layer->handle_of[i] = (*found)++;
    }
    return layer->handles != NULL;
}

// The handles of all layers as one set, for the rig.
static bool join_handles(wri_builder *b, const given *g, int count, wr_error *why)
{
    int *vertices = wri_arena_alloc(&b->arena, (size_t)count, sizeof *vertices);
    b->names = wri_arena_alloc(&b->arena, (size_t)count, sizeof *b->names);
    if (!vertices || !b->names) {
        return wri_fail_memory(why, (size_t)count * sizeof *b->names);
    }
    for (int i = 0; i < count; i++) {
        b->names[i] = i < g->count ? g->names[i] : wri_arena_printf(&b->arena, "h%d", i - g->count);
        if (!b->names[i]) {
            return wri_fail_memory(why, 1);
        }
    }
    for (int i = 0; i < b->layer_count; i++) {
        const wri_drawing_layer *layer = &b->layers[i];
        for (int k = 0; k < layer->handles->handle_count; k++) {
            vertices[layer->handle_of[k]] = layer->first_vertex + layer->handles->handles[k].vertex;
        }
    }
    const wr_solid all = {2, b->lattice->vertex_count, b->lattice->rest, b->lattice->element_count,
                          b->lattice->elements};
    b->handles = wr_handles_spread(&all, vertices, count, count, &b->desc.allocator, why);
    return b->handles != NULL;
}

bool wri_place_layer_handles(wri_builder *b, const int *placed, wr_error *why)
{
    given g = {0};
    int *counts = wri_arena_alloc(&b->arena, (size_t)b->layer_count, sizeof *counts);
    if (!counts) {
        return wri_fail_memory(why, (size_t)b->layer_count * sizeof *counts);
    }
    if (!list_given(b, placed, &g, why) || !share_out(b, &g, counts, why)) {
        return false;
    }
    int found = g.count;
    for (int i = 0; i < b->layer_count; i++) {
        if (!place_in_layer(b, i, &g, counts[i], &found, why)) {
            return false;
        }
    }
    return join_handles(b, &g, found, why);
}

// --- weights ----------------------------------------------------------------------------------

static void add_report(wr_weights_report *sum, const wr_weights_report *one)
{
    sum->has_converged = sum->has_converged && one->has_converged;
    sum->rounds = one->rounds > sum->rounds ? one->rounds : sum->rounds;
    sum->levels = one->levels > sum->levels ? one->levels : sum->levels;
    sum->exact_columns += one->exact_columns;
    sum->kkt_residual = fmax(sum->kkt_residual, one->kkt_residual);
    sum->energy += one->energy;
    sum->energy_excess += one->energy_excess;
    sum->outside = fmax(sum->outside, one->outside);
    sum->row_error = fmax(sum->row_error, one->row_error);
    sum->local_maxima += one->local_maxima;
    sum->flat_elements += one->flat_elements;
    sum->loose_parts += one->loose_parts;
    sum->loose_vertices += one->loose_vertices;
    sum->seconds += one->seconds;
    sum->coarse_seconds += one->coarse_seconds;
}

bool wri_find_layer_weights(wri_builder *b, wr_rig *rig, const wr_progress *progress, wr_error *why)
{
    bool ok = true;
    b->report->weights = (wr_weights_report){.has_converged = true};
    b->report->weights_are_kept = true;
    for (int i = 0; ok && i < b->layer_count; i++) {
        const wri_drawing_layer *layer = &b->layers[i];
        size_t own = (size_t)layer->handles->handle_count, n = (size_t)layer->vertex_count;
        float *weights = wri_alloc(&b->desc.allocator, n * own, sizeof *weights);
        wr_weights_report report = {0};
        bool is_kept = false;
        wr_weights_desc desc = wr_weights_desc_default();
        desc.mesh = solid_of(b, layer);
        desc.handles = layer->handles;
        desc.allocator = b->desc.allocator;
        desc.tasks = b->desc.tasks;
        desc.progress = *progress;
        ok = (weights || wri_fail_memory(why, n * own * sizeof *weights)) &&
             wri_memo_weights(&b->memo, &desc, weights, &report, &is_kept, why);
        for (size_t v = 0; ok && v < n; v++) {
            float *row =
                &rig->weights[((size_t)layer->first_vertex + v) * (size_t)rig->handle_count];
            for (size_t k = 0; k < own; k++) {
                row[layer->handle_of[k]] = weights[v * own + k];
            }
        }
        wri_free(&b->desc.allocator, weights, n * own, sizeof *weights);
        add_report(&b->report->weights, &report);
        b->report->weights_are_kept &= is_kept;
    }
    return ok;
}

// --- pins -------------------------------------------------------------------------------------

// The triangle of a layer that contains a point, or carries it with the shortest lever; its least
// weight.
static double find_triangle(const wri_builder *b, const wri_drawing_layer *layer, wr_vec3 p,
                            wr_pin *out)
{
    double best = -INFINITY;
    for (int i = layer->first_element; i < layer->first_element + layer->element_count; i++) {
        const int *t = &b->lattice->elements[3 * i];
        wr_vec3 o = b->lattice->rest[t[0]], a = wr_sub(b->lattice->rest[t[1]], o);
        wr_vec3 c = wr_sub(b->lattice->rest[t[2]], o), d = wr_sub(p, o);
        double all = (double)a.x * c.y - (double)a.y * c.x;
        double w1 = ((double)d.x * c.y - (double)d.y * c.x) / all;
        double w2 = ((double)a.x * d.y - (double)a.y * d.x) / all;
        double least = fmin(1.0 - w1 - w2, fmin(w1, w2));
        if (least > best) {
            best = least;
            memcpy(out->corners, t, sizeof out->corners);
            out->weights[1] = (float)w1;
            out->weights[2] = (float)w2;
            out->weights[0] = 1.0f - out->weights[1] - out->weights[2];
        }
    }
    return best;
}

bool wri_build_pins(wri_builder *b, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    wr_asset *asset = b->asset;
    asset->pins = wr_asset_alloc(asset, (size_t)r->pin_count, sizeof *asset->pins);
    if (!asset->pins) {
        return wri_fail_memory(why, (size_t)r->pin_count * sizeof *asset->pins);
    }
    for (int i = 0; i < r->pin_count; i++) {
        wr_pin *pin = &asset->pins[i];
        pin->particle = b->lattice->handle_vertices[r->place_count + i];
        wr_vec3 at = b->lattice->rest[pin->particle];
        if (find_triangle(b, &b->layers[r->pins[i].to], at, pin) < -0.5) {
            return fail_pin(b, i, r->pins[i].to, why);
        }
    }
    asset->pin_count = r->pin_count;
    return true;
}
