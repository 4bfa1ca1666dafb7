// profiles.c: shapes of a surface that is dented again and again, of which every vertex uses few.
//
// Dents stay, and neighbours move together: most vertices of a body go along one of a few dozen
// profiles in time, each by an offset of its own, or along the sum of two or three. A shape is a
// profile with the offsets of those that follow it.
// A take is cut at keys, between which every vertex goes straight within half the tolerance. The
// profiles are found as in K-SVD, but one by one: again and again the vertex that is farthest off
// gives what is left of its path, in the direction where most is left; after every few, each is
// fitted to the vertices that follow it, in [0, 1]. All vertices are then written as sums of as few
// profiles as come within the other half (sparse_code.c). Vertices that are at one place all the
// time, as at seams of texture coordinates, are one.
// M. Aharon, M. Elad, A. Bruckstein. K-SVD: an algorithm for designing overcomplete dictionaries.
// IEEE Transactions on Signal Processing 54, 2006. Symbols: D the profiles, X the coefficients, E_k
// what profile k leaves of the paths when all others are taken away.
#include "profiles.h"

#include "sparse_code.h"

#include <math.h>

enum {
    LONGEST = 64,  // candidates that a line reaches over; bounds the search
    KEYS = 8,      // at most, for each shape that is wanted
    SAMPLE = 1500, // vertices, about, of which profiles are chosen first
    BATCH = 4      // profiles that are added before all are fitted anew
};
#define STEP 0x1.6a09e6p+0f // from a tolerance that is tried to the next: the square root of 2
#define WEIGHT_STEP 1e-3    // where profiles are rounded

typedef struct solver {
    const wri_holds *holds;
    const wr_vec3 *rest;
    int count;     // of places, each that of all vertices which are at it all the time
    int *vertices; // per place: its first vertex
    int *places;   // per vertex
    int candidate_count;
    int *candidates; // pictures in which a hold begins or ends
    int *shown;      // per candidate: the hold that is seen
    int key_count;
    int *keys;       // candidates
    wr_vec3 *paths;  // place after place: its offset from the rest at every key
    wri_code *codes; // per place
    float *profiles; // profile after profile, a number per key
    wri_atoms atoms; // the same
    float *values, *gram, *room;
    double *sums; // a number per key
} solver;

// --- places -----------------------------------------------------------------------------------

static bool are_together(const solver *o, int a, int b)
{
    bool same = memcmp(&o->rest[a], &o->rest[b], sizeof(wr_vec3)) == 0;
    for (int s = 0; same && s < o->holds->count; s++) {
        const wr_vec3 *points = o->holds->points[s];
        same = memcmp(&points[a], &points[b], sizeof(wr_vec3)) == 0;
    }
    return same;
}

static bool find_places(solver *o, wri_arena *arena)
{
    size_t n = (size_t)o->holds->vertex_count, size = 1;
    while (size < 2 * n) {
        size *= 2;
    }
    int *table = wri_arena_alloc(arena, size, sizeof *table); // places from 1 on; 0: free
    o->vertices = wri_arena_alloc(arena, n, sizeof *o->vertices);
    o->places = wri_arena_alloc(arena, n, sizeof *o->places);
    if (!table || !o->vertices || !o->places) {
        return false;
    }
    for (int i = 0; i < o->holds->vertex_count; i++) {
        size_t at = (size_t)wri_hash(&o->rest[i], sizeof(wr_vec3), 0) & (size - 1);
        while (table[at] > 0 && !are_together(o, o->vertices[table[at] - 1], i)) {
            at = (at + 1) & (size - 1);
        }
        if (table[at] == 0) {
            o->vertices[o->count++] = i;
            table[at] = o->count;
        }
        o->places[i] = table[at] - 1;
    }
    return true;
}

// --- keys -------------------------------------------------------------------------------------

static bool find_candidates(solver *o, wri_arena *arena)
{
    const wri_holds *h = o->holds;
    size_t most = 2 * (size_t)h->count;
    o->candidates = wri_arena_alloc(arena, most, sizeof *o->candidates);
    o->shown = wri_arena_alloc(arena, most, sizeof *o->shown);
    o->keys = wri_arena_alloc(arena, most, sizeof *o->keys);
    if (!o->candidates || !o->shown || !o->keys) {
        return false;
    }
    for (int s = 0; s < h->count; s++) {
        int last = (s + 1 < h->count ? h->first[s + 1] : h->picture_count) - 1;
        for (int i = 0; i < 1 + (last > h->first[s]); i++) {
            o->candidates[o->candidate_count] = i ? last : h->first[s];
            o->shown[o->candidate_count++] = s;
        }
    }
    return true;
}

// Between candidates the shape is the same or the next one: a line is farthest off at one of them.
static bool line_holds(const solver *o, int a, int b, float tolerance)
{
    float most = tolerance * tolerance;
    const wr_vec3 *from = o->holds->points[o->shown[a]], *to = o->holds->points[o->shown[b]];
    for (int c = b - 1; c > a; c--) {
        const wr_vec3 *points = o->holds->points[o->shown[c]];
        float t = (float)(o->candidates[c] - o->candidates[a]) /
                  (float)(o->candidates[b] - o->candidates[a]);
        for (int place = 0; place < o->count; place++) {
            int i = o->vertices[place];
            wr_vec3 off = wr_sub(wr_lerp3(from[i], to[i], t), points[i]);
            if (wr_dot(off, off) > most) {
                return false;
            }
        }
    }
    return true;
}

// Chooses keys greedily: each line reaches as far as it holds. False: more than `most`.
static bool choose_keys(solver *o, int most, float tolerance)
{
    o->key_count = 0;
    o->keys[o->key_count++] = 0;
    for (int at = 0; at < o->candidate_count - 1 && o->key_count <= most;) {
        int next = at + 1;
        while (next + 1 < o->candidate_count && next + 1 - at <= LONGEST &&
               line_holds(o, at, next + 1, tolerance)) {
            next++;
        }
        o->keys[o->key_count++] = at = next;
    }
    return o->key_count <= most;
}

// --- profiles ---------------------------------------------------------------------------------

static bool prepare(solver *o, int most, wri_arena *arena)
{
    size_t n = (size_t)o->count, rows = (size_t)o->key_count, width = (size_t)most;
    o->paths = wri_arena_alloc(arena, n * rows, sizeof *o->paths);
    o->codes = wri_arena_alloc(arena, n, sizeof *o->codes);
    o->profiles = wri_arena_alloc(arena, rows * width, sizeof *o->profiles);
    o->values = wri_arena_alloc(arena, rows * width, sizeof *o->values);
    o->gram = wri_arena_alloc(arena, width * width, sizeof *o->gram);
    o->room = wri_arena_alloc(arena, width, 6 * sizeof *o->room);
    o->sums = wri_arena_alloc(arena, rows, sizeof *o->sums);
    if (!o->paths || !o->codes || !o->profiles || !o->values || !o->gram || !o->room || !o->sums) {
        return false;
    }
    for (size_t j = 0; j < rows; j++) {
        const wr_vec3 *points = o->holds->points[o->shown[o->keys[j]]];
        for (size_t i = 0; i < n; i++) {
            int vertex = o->vertices[i];
            o->paths[i * rows + j] = wr_sub(points[vertex], o->rest[vertex]);
        }
    }
    o->atoms = (wri_atoms){.rows = o->key_count, .values = o->values, .gram = o->gram};
    return true;
}

static const wr_vec3 *path_of(const solver *o, int place)
{
    return o->paths + (size_t)place * (size_t)o->key_count;
}

// Every step-th place that is off by more than the tolerance, or all of these.
static void find_codes(solver *o, int step, float tolerance, bool again)
{
    for (int i = 0; i < o->count; i += step) {
        if (again || o->codes[i].error > tolerance) {
            o->codes[i] = wri_code_find(&o->atoms, path_of(o, i), tolerance, o->room);
        }
    }
}

static void renew_atoms(solver *o)
{
    int count = o->atoms.count;
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < o->key_count; j++) {
            o->values[j * count + k] = o->profiles[k * o->key_count + j];
        }
    }
    wri_atoms_multiply(o->values, o->key_count, count, o->gram);
}

// What is left of a place's path, in the direction where most is left.
static void add_profile(solver *o, int place)
{
    const wri_code *code = &o->codes[place];
    const wr_vec3 *path = path_of(o, place);
    float *profile = o->profiles + (size_t)o->atoms.count * (size_t)o->key_count;
    wr_vec3 u = wr_sub(path[code->worst], wri_code_place(&o->atoms, code, code->worst));
    u = wr_scale(1.0f / wr_dot(u, u), u);
    for (int j = 0; j < o->key_count; j++) {
        wr_vec3 left = wr_sub(path[j], wri_code_place(&o->atoms, code, j));
        profile[j] = wr_clampf(wr_dot(left, u), 0.0f, 1.0f);
    }
    o->atoms.count++;
    renew_atoms(o);
}

// d_k = E_k x_k / |x_k|^2, the least squares of the places that follow profile k, scaled to reach
// 1.
static void fit_profile(solver *o, int k, int step, double *sums)
{
    int count = o->atoms.count, rows = o->key_count;
    double most = 0.0;
    memset(sums, 0, (size_t)rows * sizeof *sums);
    for (int i = 0; i < o->count; i += step) {
        const wri_code *code = &o->codes[i];
        for (int t = 0; t < code->count; t++) {
            wr_vec3 x = code->coefficients[t];
            for (int j = 0; j < rows && code->atoms[t] == k; j++) {
                wr_vec3 left = wr_sub(path_of(o, i)[j], wri_code_place(&o->atoms, code, j));
                sums[j] += (double)wr_dot(left, x);
                sums[j] += (double)(o->values[j * count + k] * wr_dot(x, x));
            }
        }
    }
    for (int j = 0; j < rows; j++) {
        most = fmax(most, sums[j]);
    }
    for (int j = 0; j < rows && most > 0.0; j++) {
        float value = wr_clampf((float)(sums[j] / most), 0.0f, 1.0f);
        o->values[j * count + k] = o->profiles[k * rows + j] = value;
    }
}

static void fit_profiles(solver *o, int step)
{
    for (int k = 0; k < o->atoms.count; k++) {
        fit_profile(o, k, step, o->sums);
    }
    renew_atoms(o);
}

static int worst_of(const solver *o, int step)
{
    int worst = 0;
    for (int i = 0; i < o->count; i += step) {
        worst = o->codes[i].error > o->codes[worst].error ? i : worst;
    }
    return worst;
}

// Adds profiles until every step-th place is within the tolerance, or there are `most`.
static void learn(solver *o, int most, int step, float tolerance)
{
    for (;;) {
        int worst = worst_of(o, step);
        if (!(o->codes[worst].error > tolerance) || o->atoms.count == most) {
            return;
        }
        add_profile(o, worst);
        find_codes(o, step, tolerance, false);
        if (o->atoms.count % BATCH == 0 && o->atoms.count < most) {
            fit_profiles(o, step);
            find_codes(o, step, tolerance, true);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

// The first key at which a profile is half way.
static int middle_of(const solver *o, int profile)
{
    int key = 0;
    while (key < o->key_count && o->profiles[profile * o->key_count + key] < 0.5f) {
        key++;
    }
    return key;
}

// Numbers of the profiles that are used, in the order in which they happen; -1 for others.
static int number_used(const solver *o, int *numbers)
{
    int n = o->atoms.count, count = 0;
    for (int k = 0; k < n; k++) {
        numbers[k] = -1;
    }
    for (int i = 0; i < o->count; i++) {
        for (int t = 0; t < o->codes[i].count; t++) {
            numbers[o->codes[i].atoms[t]] = 0;
        }
    }
    for (int key = 0; key <= o->key_count; key++) {
        for (int k = 0; k < n; k++) {
            if (numbers[k] >= 0 && middle_of(o, k) == key) {
                numbers[k] = count++;
            }
        }
    }
    return count;
}

static float rounded(float value, double step)
{
    double whole = floor((double)value / step + 0.5);
    return whole == 0.0 ? 0.0f : (float)(whole * step);
}

static void round_all(solver *o, float step)
{
    for (int j = 0; j < o->key_count * o->atoms.count && step > 0.0f; j++) {
        o->values[j] = rounded(o->values[j], WEIGHT_STEP);
    }
    for (int i = 0; i < o->count && step > 0.0f; i++) {
        for (int t = 0; t < o->codes[i].count; t++) {
            wr_vec3 *c = &o->codes[i].coefficients[t];
            *c = wr_v3(rounded(c->x, step), rounded(c->y, step), rounded(c->z, step));
        }
    }
}

static bool hand_over(const solver *o, wri_arena *room, wri_arena *arena, wri_profiles *out)
{
    size_t n = (size_t)o->holds->vertex_count, keys = (size_t)o->key_count;
    int *numbers = wri_arena_alloc(room, (size_t)o->atoms.count, sizeof *numbers);
    size_t width = numbers ? (size_t)number_used(o, numbers) : 0;
    *out = (wri_profiles){.key_count = o->key_count, .shapes.count = (int)width};
    out->keys = wri_arena_alloc(arena, keys, sizeof *out->keys);
    out->held = wri_arena_alloc(arena, keys, sizeof *out->held);
    out->shapes.base = wri_arena_alloc(arena, n, sizeof(wr_vec3));
    out->shapes.offsets = wri_arena_alloc(arena, n * width, sizeof(wr_vec3));
    out->shapes.weights = wri_arena_alloc(arena, keys * width, sizeof(float));
    if (!numbers || !out->keys || !out->held || !out->shapes.base || !out->shapes.offsets ||
        !out->shapes.weights) {
        return false;
    }
    memcpy(out->shapes.base, o->rest, n * sizeof(wr_vec3));
    for (size_t j = 0; j < keys; j++) {
        out->keys[j] = o->candidates[o->keys[j]];
        out->held[j] = o->shown[o->keys[j]];
        for (int k = 0; k < o->atoms.count; k++) {
            if (numbers[k] >= 0) {
                out->shapes.weights[j * width + (size_t)numbers[k]] =
                    o->values[j * (size_t)o->atoms.count + (size_t)k];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const wri_code *code = &o->codes[o->places[i]];
        for (int t = 0; t < code->count; t++) {
            size_t shape = (size_t)numbers[code->atoms[t]];
            out->shapes.offsets[shape * n + i] = code->coefficients[t];
        }
    }
    return true;
}

// As floats add it up, in all candidates: nowhere else is a vertex off by more.
static void measure_error(const solver *o, wri_profiles *out)
{
    int width = o->atoms.count;
    float most = 0.0f;
    for (int c = 0, k = 0; c < o->candidate_count; c++) {
        const wr_vec3 *points = o->holds->points[o->shown[c]];
        k += k + 1 < o->key_count && c > o->keys[k + 1];
        int next = k + 1 < o->key_count ? k + 1 : k;
        float from = (float)out->keys[k], to = (float)out->keys[next];
        float t = next > k ? ((float)o->candidates[c] - from) / (to - from) : 0.0f;
        const float *before = o->values + (size_t)k * (size_t)width;
        const float *after = o->values + (size_t)next * (size_t)width;
        for (int i = 0; i < o->count; i++) {
            const wri_code *code = &o->codes[i];
            wr_vec3 at = o->rest[o->vertices[i]];
            for (int j = 0; j < code->count; j++) {
                int atom = code->atoms[j];
                float w = before[atom] + (after[atom] - before[atom]) * t;
                at = wr_add_scaled(at, w, code->coefficients[j]);
            }
            wr_vec3 off = wr_sub(at, points[o->vertices[i]]);
            most = fmaxf(most, wr_dot(off, off));
        }
    }
    out->shapes.error = sqrtf(most);
}

// False: some vertex is off by more.
static bool find_shapes(solver *o, int most, float tolerance)
{
    int step = o->count / SAMPLE + 1;
    find_codes(o, 1, tolerance, true);
    learn(o, most - most / 4, step, tolerance);
    if (o->codes[worst_of(o, step)].error > 2.0f * tolerance) {
        return false; // the other quarter would not do
    }
    find_codes(o, 1, tolerance, false);
    learn(o, most, 1, tolerance);
    find_codes(o, 1, tolerance, true); // those that were found early may need fewer terms by now
    return o->codes[worst_of(o, 1)].error <= tolerance;
}

// *found is false when most shapes do not come within the tolerance.
static bool attempt(const solver *begun, const wri_profiles_desc *desc, float tolerance,
                    wri_arena *arena, wri_profiles *out, bool *found)
{
    solver o = *begun;
    wri_arena room = wri_arena_create(&arena->allocator);
    float half = 0.5f * tolerance;
    bool ok = true;
    *found = choose_keys(&o, KEYS * desc->most, half);
    if (*found && (ok = prepare(&o, desc->most, &room))) {
        *found = find_shapes(&o, desc->most, half);
    }
    if (*found && ok) {
        round_all(&o, desc->step);
        if ((ok = hand_over(&o, &room, arena, out))) {
            measure_error(&o, out);
        }
    }
    wri_arena_destroy(&room);
    return ok;
}

bool wri_profiles_find(const wri_holds *holds, const wr_vec3 *rest, const wri_profiles_desc *desc,
                       wri_arena *arena, wri_profiles *out, bool *found, wr_error *error)
{
    WR_ASSERT(holds->count > 0 && holds->vertex_count > 0 && holds->first[0] == 0);
    WR_ASSERT(desc->tolerance > 0.0f && desc->loosest >= desc->tolerance);
    wri_arena room = wri_arena_create(&arena->allocator);
    solver o = {.holds = holds, .rest = rest};
    bool ok = find_places(&o, &room) && find_candidates(&o, &room);
    *found = false;
    for (float t = desc->tolerance; ok && !*found && t <= desc->loosest; t *= STEP) {
        ok = attempt(&o, desc, t, arena, out, found);
    }
    wri_arena_destroy(&room);
    return ok || wri_fail_memory(error, (size_t)holds->vertex_count * sizeof(wr_vec3));
}

// --- what goes along --------------------------------------------------------------------------

bool wri_profiles_fit(const wri_profiles *profiles, const int *keys, int key_count,
                      const wr_vec3 *values, int vertex_count, float tolerance,
                      wr_vec3 *coefficients, wr_error *error)
{
    size_t n = (size_t)vertex_count, rows = (size_t)key_count;
    size_t width = (size_t)profiles->shapes.count;
    wri_arena arena = wri_arena_create(NULL);
    wr_vec3 *path = wri_arena_alloc(&arena, rows, sizeof *path);
    float *weights = wri_arena_alloc(&arena, rows * width, sizeof *weights);
    float *gram = wri_arena_alloc(&arena, width * width, sizeof *gram);
    float *room = wri_arena_alloc(&arena, width, 6 * sizeof *room);
    bool ok = path && weights && gram && room;
    if (ok) {
        for (size_t j = 0; j < rows; j++) {
            memcpy(weights + j * width, profiles->shapes.weights + (size_t)keys[j] * width,
                   width * sizeof *weights);
        }
        wri_atoms_multiply(weights, key_count, (int)width, gram);
    }
    const wri_atoms atoms = {key_count, (int)width, weights, gram};
    for (size_t i = 0; ok && i < n; i++) {
        for (size_t j = 0; j < rows; j++) {
            path[j] = values[j * n + i];
        }
        wri_code code = wri_code_find(&atoms, path, tolerance, room);
        for (int t = 0; t < code.count; t++) {
            coefficients[(size_t)code.atoms[t] * n + i] = code.coefficients[t];
        }
    }
    wri_arena_destroy(&arena);
    return ok || wri_fail_memory(error, rows * width * sizeof *weights);
}
