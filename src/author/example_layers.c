// example_layers.c: poses of a drawing in layers from handles that the artist dragged and turned.
//
// Layers are posed one after the other, each after those that it hangs on, with FAST as a rig of
// its own (example_moves.c). Every pin has a handle: it goes where the layer below takes the pin,
// so pins are exact. A layer that hangs by one pin and has no handle moved turns with what is
// under its pin, as if it were glued there; with a handle moved it turns about the pin.
#include "build.h"

#include <math.h>

typedef struct layered {
    const wri_builder *b;
    const wr_rig *rig;
    const wr_handle_move **of; // per handle, NULL: not moved
    bool follow;
    wr_handle_pose *poses;
    wr_vec3 *x;    // per vertex, of layers that are posed
    uint8_t *done; // per layer
    wri_arena arena;
    wr_error *why;
} layered;

// --- what is posed already --------------------------------------------------------------------

// Skins a layer as the run time does: sum_b W_ib (R_b S_b (u_i - c_b) + c_b + d_b).
static void skin_layer(layered *l, const wri_drawing_layer *layer)
{
    const wr_rig *rig = l->rig;
    for (int v = layer->first_vertex; v < layer->first_vertex + layer->vertex_count; v++) {
        const float *row = &rig->weights[(size_t)v * (size_t)rig->handle_count];
        wr_vec3 sum = {0, 0, 0};
        for (int k = 0; k < layer->handles->handle_count; k++) {
            int h = layer->handle_of[k];
            const float *s = l->poses[h].stretch;
            wr_vec3 c = rig->handles[h].pivot, arm = wr_sub(rig->rest[v], c);
            arm = wr_v3(s[0] * arm.x + s[3] * arm.y, s[3] * arm.x + s[1] * arm.y, arm.z);
            wr_vec3 p = wr_add(wr_add(wr_rotate(l->poses[h].rotation, arm), c), l->poses[h].offset);
            sum = wr_add_scaled(sum, row[h], p);
        }
        l->x[v] = sum;
    }
}

static wr_vec3 pin_place(const wr_pin *pin, const wr_vec3 *x)
{
    wr_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        sum = wr_add_scaled(sum, pin->weights[k], x[pin->corners[k]]);
    }
    return sum;
}

// The rotation of the triangle under a pin: the nearest to its deformation gradient F, in the plane
// that of (F00 + F11, F10 - F01).
static wr_quat pin_turn(const layered *l, const wr_pin *pin)
{
    const int *c = pin->corners;
    const wr_vec3 *u = l->rig->rest, *x = l->x;
    wr_vec3 a = wr_sub(u[c[1]], u[c[0]]), b = wr_sub(u[c[2]], u[c[0]]);
    wr_vec3 p = wr_sub(x[c[1]], x[c[0]]), q = wr_sub(x[c[2]], x[c[0]]);
    // F times the determinant of (a, b), which is positive.
    float xx = p.x * b.y - q.x * a.y, xy = q.x * a.x - p.x * b.x;
    float yx = p.y * b.y - q.y * a.y, yy = q.y * a.x - p.y * b.x;
    return wr_quat_from_axis_angle(wr_v3(0, 0, 1), atan2f(yx - xy, xx + yy));
}

// --- one layer --------------------------------------------------------------------------------

static int handle_at(const wr_rig *rig, int vertex)
{
    int h = 0;
    while (rig->handles[h].vertex != vertex) {
        h++;
    }
    return h; // every pin has one
}

// A move per handle of the layer that is given or hangs. Returns by how many pins it hangs.
static int list_moves(layered *l, int index, wr_handle_move *moves, int *count)
{
    const wri_drawing_layer *layer = &l->b->layers[index];
    const wr_rig *rig = l->rig;
    int pins = 0;
    bool alone = true; // nothing says how it turns
    for (int k = 0; k < layer->handles->handle_count; k++) {
        int h = layer->handle_of[k];
        if (l->of[h]) {
            alone = alone && l->of[h]->is_free && !l->of[h]->is_turned;
            moves[*count] = *l->of[h];
            moves[(*count)++].handle = k;
        }
    }
    for (int i = 0; i < l->b->recipe->pin_count; i++) {
        const wr_pin *pin = &l->b->asset->pins[i];
        if (l->b->recipe->pins[i].layer != index || !l->done[l->b->recipe->pins[i].to]) {
            continue;
        }
        int h = handle_at(rig, pin->particle), k = 0, m = 0;
        while (layer->handle_of[k] != h) {
            k++;
        }
        while (m < *count && moves[m].handle != k) {
            m++;
        }
        if (m == *count) {
            moves[(*count)++] = (wr_handle_move){.handle = k, .rotation = WR_QUAT_IDENTITY};
        }
        // A pin that is moved itself goes that much further.
        wr_vec3 to = wr_sub(pin_place(pin, l->x), pin_place(pin, rig->rest));
        bool moved = l->of[h] && !l->of[h]->is_free;
        moves[m].offset = moved ? wr_add(to, l->of[h]->offset) : to;
        moves[m].is_free = false;
        if (alone) {
            moves[m].is_turned = true;
            moves[m].rotation = pin_turn(l, pin);
        }
        pins++;
    }
    if (pins > 1) { // they say by themselves how it turns
        for (int m = 0; alone && m < *count; m++) {
            moves[m].is_turned = false;
        }
    }
    return pins;
}

static bool is_still(const wr_handle_move *moves, int count)
{
    bool still = true;
    for (int i = 0; i < count; i++) {
        wr_vec3 d = moves[i].offset;
        wr_quat q = moves[i].rotation;
        bool turned = moves[i].is_turned && !(fabsf(q.x) + fabsf(q.y) + fabsf(q.z) < 1e-6f);
        still =
            still && d.x == 0.0f && d.y == 0.0f && d.z == 0.0f && !turned && !moves[i].is_scaled;
    }
    return still;
}

// The layer as a rig; handles keep their order within it.
static bool cut_out(layered *l, const wri_drawing_layer *layer, wr_rig *out)
{
    const wr_rig *rig = l->rig;
    size_t n = (size_t)layer->vertex_count, own = (size_t)layer->handles->handle_count;
    float *weights = wri_arena_alloc(&l->arena, n * own, sizeof *weights);
    wr_handle *handles = wri_arena_alloc(&l->arena, own, sizeof *handles);
    if (!weights || !handles) {
        return wri_fail_memory(l->why, n * own * sizeof *weights);
    }
    for (size_t k = 0; k < own; k++) {
        handles[k] = rig->handles[layer->handle_of[k]];
        handles[k].vertex -= layer->first_vertex;
        for (size_t v = 0; v < n; v++) {
            weights[v * own + k] =
                rig->weights[((size_t)layer->first_vertex + v) * (size_t)rig->handle_count +
                             (size_t)layer->handle_of[k]];
        }
    }
    *out = (wr_rig){.dimension = 2,
                    .vertex_count = layer->vertex_count,
                    .rest = rig->rest + layer->first_vertex,
                    .element_count = layer->element_count,
                    .elements = layer->elements,
                    .handle_count = (int)own,
                    .handles = handles,
                    .weights = weights};
    return true;
}

static bool pose_layer(layered *l, int index)
{
    const wri_drawing_layer *layer = &l->b->layers[index];
    size_t own = (size_t)layer->handles->handle_count;
    wr_handle_move *moves = wri_arena_alloc(&l->arena, own, sizeof *moves);
    wr_handle_pose *poses = wri_arena_alloc(&l->arena, own, sizeof *poses);
    int count = 0;
    if (!moves || !poses) {
        return wri_fail_memory(l->why, own * sizeof *poses);
    }
    bool hangs = list_moves(l, index, moves, &count) > 0;
    for (int i = 0; i < count; i++) { // otherwise turned and scaled about themselves
        moves[i].is_free = moves[i].is_free && (hangs || l->follow);
    }
    for (size_t k = 0; k < own; k++) {
        poses[k] = (wr_handle_pose){.rotation = WR_QUAT_IDENTITY, .stretch = {1, 1, 1}};
    }
    wr_rig rig;
    if (!is_still(moves, count) &&
        !(cut_out(l, layer, &rig) &&
          wr_example_from_moves(&rig, moves, count, l->follow || hangs, poses, l->why))) {
        return false;
    }
    for (size_t k = 0; k < own; k++) {
        l->poses[layer->handle_of[k]] = poses[k];
    }
    skin_layer(l, layer);
    l->done[index] = 1;
    return true;
}

// --- all of them ------------------------------------------------------------------------------

// Returns a layer that hangs on nothing that is not posed yet; where layers hang on one another in
// a circle, the hindmost.
static int find_next(const layered *l)
{
    const wr_recipe *r = l->b->recipe;
    int first = -1;
    for (int i = l->b->layer_count - 1; i >= 0; i--) {
        if (l->done[i]) {
            continue;
        }
        bool ready = true;
        for (int k = 0; k < r->pin_count; k++) {
            ready = ready && !(r->pins[k].layer == i && !l->done[r->pins[k].to]);
        }
        if (ready) {
            return i;
        }
        first = i;
    }
    return first;
}

bool wri_pose_layers(const wri_builder *b, const wr_handle_move *moves, int count, bool follow,
                     wr_handle_pose *poses, wr_error *why)
{
    const wr_rig *rig = &b->asset->rig;
    layered l = {.b = b,
                 .rig = rig,
                 .follow = follow,
                 .poses = poses,
                 .arena = wri_arena_create(&b->desc.allocator),
                 .why = why};
    l.of = wri_arena_alloc(&l.arena, (size_t)rig->handle_count, sizeof *l.of);
    l.x = wri_arena_alloc(&l.arena, (size_t)rig->vertex_count, sizeof *l.x);
    l.done = wri_arena_alloc(&l.arena, (size_t)b->layer_count, 1);
    bool ok = (l.of && l.x && l.done) || wri_fail_memory(why, l.arena.total);
    for (int i = 0; ok && i < count; i++) {
        l.of[moves[i].handle] = &moves[i];
    }
    for (int i = 0; ok && i < b->layer_count; i++) {
        ok = pose_layer(&l, find_next(&l));
    }
    wri_arena_destroy(&l.arena);
    return ok;
}
