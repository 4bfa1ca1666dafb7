// manifold.c: the pose manifold, a complex of corners, edges and triangles, and ways through it.
//
// The distance of two points of one simplex is half the sum of the absolute differences of their
// shares, so that an edge has length 1. Ways between simplices lead through corners or, where two
// simplices touch, through what they share. A move that leaves its simplex goes on where the
// manifold changes the shape most like the move did: what two examples do to the drawing is
// compared by `likeness` G, the products of the displacements of representative particles, and of
// all directions tau that the simplices around the point allow the one is taken that is nearest to
// the wished d in the norm of G.
#include "sprite.h"

static const float NOTHING = 1e-6f; // shares below it are rounding

int wri_sprite_find_corner(const wr_simplex *simplex, int example)
{
    for (int k = 0; k < simplex->corner_count; k++) {
        if (simplex->corners[k] == example) {
            return k;
        }
    }
    return -1;
}

static bool is_part(const wr_simplex *small, const wr_simplex *large)
{
    for (int k = 0; k < small->corner_count; k++) {
        if (wri_sprite_find_corner(large, small->corners[k]) < 0) {
            return false;
        }
    }
    return true;
}

// --- preparation ------------------------------------------------------------------------------

static bool check_simplex(const wr_sprite_asset *asset, const wr_simplex *simplex, int i,
                          wr_error *error)
{
    if (simplex->corner_count < 1 || simplex->corner_count > WR_SIMPLEX_CORNERS) {
        return wri_fail(error, WR_E_ARGUMENT, "simplices[%d]: %d examples, need 1 to %d", i,
                        simplex->corner_count, WR_SIMPLEX_CORNERS);
    }
    for (int k = 0; k < simplex->corner_count; k++) {
        int e = simplex->corners[k];
        if (e < 0 || e >= asset->E) {
            return wri_fail(error, WR_E_ARGUMENT, "simplices[%d]: example %d, there are %d", i, e,
                            asset->E);
        }
        if (wri_sprite_find_corner(simplex, e) != k) {
            return wri_fail(error, WR_E_ARGUMENT, "simplices[%d]: example \"%s\" twice", i,
                            asset->example_names[e]);
        }
    }
    return true;
}

static bool check_parts(const wr_sprite_asset *asset, wr_error *error)
{
    for (int i = 0; i < asset->simplex_count; i++) {
        const wr_simplex *simplex = &asset->simplices[i];
        int e = simplex->corners[0];
        for (int k = asset->corner_begin[e]; k < asset->corner_begin[e + 1]; k++) {
            int j = asset->corner_simplices[k];
            if (j != i && is_part(simplex, &asset->simplices[j])) {
                return wri_fail(error, WR_E_ARGUMENT, "simplices[%d]: is a part of simplices[%d]",
                                i, j);
            }
        }
    }
    return true;
}

// Copies the simplices of the desc, or makes an edge from rest to every other example.
static bool copy_simplices(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                           wr_error *error)
{
    bool own = desc->simplex_count > 0;
    int count = own ? desc->simplex_count : asset->E > 1 ? asset->E - 1 : 1;
    if (desc->simplex_count < 0 || count > WR_SPRITE_SIMPLICES_MAX || (own && !desc->simplices)) {
        return wri_fail(error, WR_E_ARGUMENT, "simplex_count: %d, not in [0, %d], or no simplices",
                        desc->simplex_count, WR_SPRITE_SIMPLICES_MAX);
    }
    asset->simplex_count = count;
    asset->simplices = wri_arena_alloc(&asset->arena, (size_t)count, sizeof(wr_simplex));
    if (!asset->simplices) {
        return wri_fail_memory(error, asset->arena.total);
    }
    for (int i = 0; i < count; i++) {
        wr_simplex *simplex = &asset->simplices[i];
        if (!own) {
            *simplex = (wr_simplex){asset->E > 1 ? 2 : 1, {0, asset->E > 1 ? i + 1 : 0}};
        } else if (check_simplex(asset, &desc->simplices[i], i, error)) {
            simplex->corner_count = desc->simplices[i].corner_count;
            memcpy(simplex->corners, desc->simplices[i].corners,
                   (size_t)simplex->corner_count * sizeof(int));
        } else {
            return false;
        }
    }
    return true;
}

static bool list_corners(wr_sprite_asset *asset)
{
    int total = 0;
    for (int i = 0; i < asset->simplex_count; i++) {
        total += asset->simplices[i].corner_count;
    }
    asset->corner_begin = wri_arena_alloc(&asset->arena, (size_t)asset->E + 1, sizeof(int));
    asset->corner_simplices = wri_arena_alloc(&asset->arena, (size_t)total, sizeof(int));
    if (!asset->corner_begin || !asset->corner_simplices) {
        return false;
    }
    total = 0;
    for (int e = 0; e < asset->E; e++) {
        asset->corner_begin[e] = total;
        for (int i = 0; i < asset->simplex_count; i++) {
            if (wri_sprite_find_corner(&asset->simplices[i], e) >= 0) {
                asset->corner_simplices[total++] = i;
            }
        }
    }
    asset->corner_begin[asset->E] = total;
    return true;
}

// Widens from the goal: whoever is reached first from `at` steps there next.
static void find_ways_to(wr_sprite_asset *asset, int goal, int *queue)
{
    int E = asset->E, begin = 0, end = 0;
    int *next = asset->next_corner; // next[e * E + goal]
    next[goal * E + goal] = goal;
    queue[end++] = goal;
    while (begin < end) {
        int at = queue[begin++];
        for (int k = asset->corner_begin[at]; k < asset->corner_begin[at + 1]; k++) {
            const wr_simplex *simplex = &asset->simplices[asset->corner_simplices[k]];
            for (int c = 0; c < simplex->corner_count; c++) {
                int e = simplex->corners[c];
                if (next[e * E + goal] < 0) {
                    next[e * E + goal] = at;
                    queue[end++] = e;
                }
            }
        }
    }
}

static bool find_ways(wr_sprite_asset *asset)
{
    int E = asset->E, queue[WR_SKIN_EXAMPLES_MAX];
    asset->next_corner = wri_arena_alloc(&asset->arena, (size_t)E * (size_t)E, sizeof(int));
    if (!asset->next_corner) {
        return false;
    }
    for (int k = 0; k < E * E; k++) {
        asset->next_corner[k] = -1;
    }
    for (int e = 0; e < E; e++) {
        if (asset->corner_begin[e] == asset->corner_begin[e + 1]) {
            continue; // blends with nothing
        }
        find_ways_to(asset, e, queue);
        bool first = true; // of its component
        for (int f = 0; f < e; f++) {
            first = first && asset->next_corner[f * E + e] < 0;
        }
        asset->component_count += first;
    }
    return true;
}

bool wri_sprite_prepare_manifold(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                                 wr_error *error)
{
    if (!copy_simplices(asset, desc, error)) {
        return false;
    }
    if (!list_corners(asset) || !find_ways(asset)) {
        return wri_fail_memory(error, asset->arena.total);
    }
    return check_parts(asset, error);
}

// --- points -----------------------------------------------------------------------------------

bool wri_sprite_is_point(const wr_sprite_asset *asset, wr_sprite_point point)
{
    if (point.simplex < 0 || point.simplex >= asset->simplex_count) {
        return false;
    }
    int corners = asset->simplices[point.simplex].corner_count;
    float sum = 0.0f;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        if (!(point.shares[k] >= 0.0f) || (k >= corners && point.shares[k] != 0.0f)) {
            return false;
        }
        sum += point.shares[k];
    }
    return fabsf(sum - 1.0f) <= 1e-4f;
}

// Returns the point with no share below 0 and sum 1.
static wr_sprite_point tidy(wr_sprite_point point)
{
    float sum = 0.0f;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        point.shares[k] = point.shares[k] > NOTHING ? point.shares[k] : 0.0f;
        sum += point.shares[k];
    }
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        point.shares[k] /= sum;
    }
    return point;
}

// Returns the corners it has a share of.
static wr_simplex support_of(const wr_sprite_asset *asset, wr_sprite_point point)
{
    const wr_simplex *simplex = &asset->simplices[point.simplex];
    wr_simplex support = {0};
    for (int k = 0; k < simplex->corner_count; k++) {
        if (point.shares[k] > NOTHING) {
            support.corners[support.corner_count++] = simplex->corners[k];
        }
    }
    return support;
}

// Returns the same place seen from a simplex that has its support.
static wr_sprite_point seen_from(const wr_sprite_asset *asset, wr_sprite_point point, int simplex)
{
    const wr_simplex *from = &asset->simplices[point.simplex];
    wr_sprite_point seen = {.simplex = simplex};
    for (int k = 0; k < from->corner_count; k++) {
        int c = wri_sprite_find_corner(&asset->simplices[simplex], from->corners[k]);
        if (c >= 0) {
            seen.shares[c] = point.shares[k];
        }
    }
    return seen;
}

static wr_sprite_point corner_point(const wr_sprite_asset *asset, int simplex, int example)
{
    wr_sprite_point point = {.simplex = simplex};
    point.shares[wri_sprite_find_corner(&asset->simplices[simplex], example)] = 1.0f;
    return point;
}

wr_sprite_point wr_sprite_asset_example_point(const wr_sprite_asset *asset, int example)
{
    bool known = example >= 0 && example < asset->E &&
                 asset->corner_begin[example] < asset->corner_begin[example + 1];
    return known
               ? corner_point(asset, asset->corner_simplices[asset->corner_begin[example]], example)
               : (wr_sprite_point){.simplex = -1};
}

void wr_sprite_asset_blend(const wr_sprite_asset *asset, wr_sprite_point point, float *blend)
{
    WR_ASSERT(wri_sprite_is_point(asset, point));
    const wr_simplex *simplex = &asset->simplices[point.simplex];
    memset(blend, 0, (size_t)asset->E * sizeof *blend);
    for (int k = 0; k < simplex->corner_count; k++) {
        blend[simplex->corners[k]] = point.shares[k];
    }
}

float wri_sprite_point_distance(const wr_sprite_asset *asset, wr_sprite_point a, wr_sprite_point b)
{
    const wr_simplex *first = &asset->simplices[a.simplex], *second = &asset->simplices[b.simplex];
    float common = 0.0f; // half the sum of |a - b| is 1 less the sum of the smaller ones
    for (int k = 0; k < first->corner_count; k++) {
        int c = wri_sprite_find_corner(second, first->corners[k]);
        common += c >= 0 ? wr_minf(a.shares[k], b.shares[c]) : 0.0f;
    }
    return wr_maxf(1.0f - common, 0.0f);
}

// --- ways -------------------------------------------------------------------------------------

// The first straight part of a way: inside one simplex.
typedef struct leg {
    wr_sprite_point begin, end;
    float length, after; // of this leg, of the way after it
} leg;

static leg make_leg(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to,
                    int simplex, float after)
{
    leg l = {seen_from(asset, from, simplex), seen_from(asset, to, simplex), 0.0f, after};
    l.length = wri_sprite_point_distance(asset, l.begin, l.end);
    return l;
}

// Returns a simplex that has the corners of both, -1: none. The simplices of the points come first.
static int find_common(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to)
{
    wr_simplex a = support_of(asset, from), b = support_of(asset, to);
    if (is_part(&a, &asset->simplices[to.simplex])) {
        return to.simplex;
    }
    if (is_part(&b, &asset->simplices[from.simplex])) {
        return from.simplex;
    }
    int e = a.corners[0];
    for (int k = asset->corner_begin[e]; k < asset->corner_begin[e + 1]; k++) {
        int i = asset->corner_simplices[k];
        if (is_part(&a, &asset->simplices[i]) && is_part(&b, &asset->simplices[i])) {
            return i;
        }
    }
    return -1;
}

// Finds the leg through what the two simplices share, there at a place that no way is shorter by:
// with every share between those of the two points or, where these leave some to spare, above both.
// False: they share nothing.
static bool leg_through_face(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to,
                             leg *out)
{
    const wr_simplex *a = &asset->simplices[from.simplex], *b = &asset->simplices[to.simplex];
    wr_sprite_point face = {.simplex = from.simplex};
    float low[WR_SIMPLEX_CORNERS] = {0}, high[WR_SIMPLEX_CORNERS] = {0}, lows = 0.0f, highs = 0.0f;
    int shared = 0;
    for (int k = 0; k < a->corner_count; k++) {
        int c = wri_sprite_find_corner(b, a->corners[k]);
        if (c >= 0) {
            low[k] = wr_minf(from.shares[k], to.shares[c]);
            high[k] = wr_maxf(from.shares[k], to.shares[c]) + NOTHING; // of no share, all alike
            lows += low[k];
            highs += high[k];
            shared++;
        }
    }
    if (!shared) {
        return false;
    }
    float t = highs > 1.0f ? (1.0f - lows) / (highs - lows) : 1.0f;
    for (int k = 0; k < a->corner_count; k++) {
        face.shares[k] = low[k] + t * (high[k] - low[k]);
        face.shares[k] += highs < 1.0f ? (1.0f - highs) * high[k] / highs : 0.0f;
    }
    *out = make_leg(asset, from, face, from.simplex, 0.0f);
    out->after = wri_sprite_point_distance(asset, face, to);
    return true;
}

static int count_steps(const wr_sprite_asset *asset, int from, int to)
{
    int steps = 0;
    while (from != to) {
        from = asset->next_corner[from * asset->E + to];
        if (from < 0) {
            return -1;
        }
        steps++;
    }
    return steps;
}

// Returns a simplex with the edge, which must be one of some simplex.
static int find_edge(const wr_sprite_asset *asset, int a, int b)
{
    int k = asset->corner_begin[a];
    while (wri_sprite_find_corner(&asset->simplices[asset->corner_simplices[k]], b) < 0) {
        k++;
    }
    return asset->corner_simplices[k];
}

// Finds the leg along edges: to a corner of its own simplex first or, where it is on one, to the
// next.
static bool leg_through_corners(const wr_sprite_asset *asset, wr_sprite_point from,
                                wr_sprite_point to, leg *out)
{
    const wr_simplex *a = &asset->simplices[from.simplex], *b = &asset->simplices[to.simplex];
    float best = INFINITY;
    int first = -1, last = -1, mine = 0;
    for (int i = 0; i < a->corner_count; i++) {
        for (int j = 0; j < b->corner_count; j++) {
            int steps = count_steps(asset, a->corners[i], b->corners[j]);
            float length = (float)steps + 2.0f - from.shares[i] - to.shares[j];
            if (steps >= 0 && length < best) {
                best = length;
                first = a->corners[i];
                last = b->corners[j];
                mine = i;
            }
        }
    }
    if (first < 0) {
        return false;
    }
    int simplex = from.simplex, corner = first;
    if (from.shares[mine] > 1.0f - NOTHING) {
        corner = asset->next_corner[first * asset->E + last];
        simplex = find_edge(asset, first, corner);
    }
    *out = make_leg(asset, from, corner_point(asset, simplex, corner), simplex, 0.0f);
    out->after = wr_maxf(best - out->length, 0.0f);
    return true;
}

// Finds the first leg of the shortest way; false: there is no way.
static bool first_leg(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to,
                      leg *out)
{
    int common = find_common(asset, from, to);
    if (common >= 0) {
        *out = make_leg(asset, from, to, common, 0.0f);
        return true;
    }
    leg through;
    bool touch = leg_through_face(asset, from, to, out);
    bool joined = leg_through_corners(asset, from, to, &through);
    if (joined && (!touch || through.length + through.after < out->length + out->after - 1e-4f)) {
        *out = through;
    }
    return touch || joined;
}

wr_sprite_point wr_sprite_asset_walk(const wr_sprite_asset *asset, wr_sprite_point from,
                                     wr_sprite_point to, float share)
{
    WR_ASSERT(wri_sprite_is_point(asset, from) && wri_sprite_is_point(asset, to));
    leg l;
    if (!(share > 0.0f) || !first_leg(asset, from, to, &l)) {
        return from;
    }
    if (share >= 1.0f) {
        return to;
    }
    float left = share * (l.length + l.after);
    for (int i = 0; i < 2 * asset->E && left >= l.length && l.after > 0.0f; i++) {
        left -= l.length;
        if (!first_leg(asset, l.end, to, &l)) {
            break;
        }
    }
    float t = l.length > 0.0f ? wr_minf(left / l.length, 1.0f) : 1.0f;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        l.begin.shares[k] += t * (l.end.shares[k] - l.begin.shares[k]);
    }
    return tidy(l.begin);
}

float wri_sprite_heading(const wr_sprite_asset *asset, wr_sprite_point from, wr_sprite_point to,
                         float *direction)
{
    leg l;
    memset(direction, 0, (size_t)asset->E * sizeof *direction);
    if (!first_leg(asset, from, to, &l)) {
        return -1.0f;
    }
    const wr_simplex *simplex = &asset->simplices[l.begin.simplex];
    for (int k = 0; l.length > NOTHING && k < simplex->corner_count; k++) {
        direction[simplex->corners[k]] = (l.end.shares[k] - l.begin.shares[k]) / l.length;
    }
    return l.length + l.after;
}

// --- moves ------------------------------------------------------------------------------------

// A direction in one simplex.
typedef struct tangent {
    int simplex;
    float change[WR_SIMPLEX_CORNERS]; // sum 0
    float gain;                       // square of its length in the norm of G
} tangent;

// Returns G_ef, with a little of the shares themselves so that examples that look the same have a
// distance.
static float likeness(const wr_sprite_asset *asset, int e, int f)
{
    return asset->likeness[e * asset->E + f] + (e == f ? asset->likeness_floor : 0.0f);
}

// Returns (G d)_e.
static float pull_on(const wr_sprite_asset *asset, int e, const float *d)
{
    float sum = 0.0f;
    for (int f = 0; f < asset->E; f++) {
        sum += d[f] != 0.0f ? d[f] * likeness(asset, e, f) : 0.0f;
    }
    return sum;
}

// Returns the direction nearest to d that changes the shares of these corners (c, of a simplex)
// alone.
static tangent project_direction(const wr_sprite_asset *asset, const wr_simplex *simplex,
                                 const int *c, int count, const float *pull)
{
    float h[2][2] = {{0}}, g[2] = {0}, y[2] = {0};
    int o = simplex->corners[c[0]];
    for (int i = 1; i < count; i++) {
        int e = simplex->corners[c[i]];
        g[i - 1] = pull[c[i]] - pull[c[0]];
        for (int j = 1; j < count; j++) {
            int f = simplex->corners[c[j]];
            h[i - 1][j - 1] = likeness(asset, e, f) - likeness(asset, e, o) -
                              likeness(asset, o, f) + likeness(asset, o, o);
        }
    }
    float det = h[0][0] * h[1][1] - h[0][1] * h[1][0];
    if (count == 2 && h[0][0] > 0.0f) {
        y[0] = g[0] / h[0][0];
    } else if (count == 3 && det > 1e-6f * h[0][0] * h[1][1]) {
        y[0] = (h[1][1] * g[0] - h[0][1] * g[1]) / det;
        y[1] = (h[0][0] * g[1] - h[1][0] * g[0]) / det;
    }
    tangent t = {.gain = y[0] * g[0] + y[1] * g[1]};
    t.change[c[0]] = -y[0] - y[1];
    for (int i = 1; i < count; i++) {
        t.change[c[i]] = y[i - 1];
    }
    return t;
}

// Returns the best direction that one simplex allows at the point: no share below 0.
static tangent best_in_simplex(const wr_sprite_asset *asset, wr_sprite_point point, const float *d)
{
    static const int subsets[4][3] = {{0, 1, 2}, {0, 1}, {0, 2}, {1, 2}};
    const wr_simplex *simplex = &asset->simplices[point.simplex];
    tangent best = {.simplex = point.simplex};
    float pull[WR_SIMPLEX_CORNERS] = {0};
    for (int k = 0; k < simplex->corner_count; k++) {
        pull[k] = pull_on(asset, simplex->corners[k], d);
    }
    int begin = simplex->corner_count == 3 ? 0 : 1;
    int end = simplex->corner_count == 3 ? 4 : simplex->corner_count == 2 ? 2 : 1;
    for (int s = begin; s < end; s++) {
        tangent t = project_direction(asset, simplex, subsets[s], s == 0 ? 3 : 2, pull);
        bool allowed = true;
        for (int k = 0; k < simplex->corner_count; k++) {
            allowed = allowed && (t.change[k] >= 0.0f || point.shares[k] > 0.0f);
        }
        if (allowed && t.gain > best.gain) {
            best = t;
            best.simplex = point.simplex;
        }
    }
    return best;
}

// Returns the best direction of all simplices that have the point; its own where others are no
// better.
static tangent best_around(const wr_sprite_asset *asset, wr_sprite_point point, const float *d)
{
    wr_simplex support = support_of(asset, point);
    tangent best = best_in_simplex(asset, point, d);
    int e = support.corners[0];
    for (int k = asset->corner_begin[e]; k < asset->corner_begin[e + 1]; k++) {
        int i = asset->corner_simplices[k];
        if (i != point.simplex && is_part(&support, &asset->simplices[i])) {
            tangent t = best_in_simplex(asset, seen_from(asset, point, i), d);
            if (t.gain > 1.0001f * best.gain) {
                best = t;
            }
        }
    }
    return best;
}

// Moves on as far as no share gets below 0, and returns how much of `length` that was.
static float advance(wr_sprite_point *point, const tangent *t, float length)
{
    int stop = -1;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        if (t->change[k] < 0.0f && point->shares[k] < -length * t->change[k]) {
            length = point->shares[k] / -t->change[k];
            stop = k;
        }
    }
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        point->shares[k] = k == stop ? 0.0f : point->shares[k] + length * t->change[k];
    }
    *point = tidy(*point);
    return length;
}

wr_sprite_point wri_sprite_move(const wr_sprite_asset *asset, wr_sprite_point from,
                                const float *direction, float length)
{
    float d[WR_SKIN_EXAMPLES_MAX];
    memcpy(d, direction, (size_t)asset->E * sizeof *d);
    from = tidy(from);
    float least = 0.0f; // what is left of the first gain is not worth another simplex
    for (int i = 0; i < WRI_SPRITE_ROUNDS && length > NOTHING; i++) {
        tangent t = best_around(asset, from, d);
        if (!(t.gain > least)) {
            break;
        }
        least = wr_maxf(least, 1e-4f * t.gain);
        from = seen_from(asset, from, t.simplex);
        length -= advance(&from, &t, length);
        memset(d, 0, (size_t)asset->E * sizeof *d);
        for (int k = 0; k < asset->simplices[t.simplex].corner_count; k++) {
            d[asset->simplices[t.simplex].corners[k]] = t.change[k];
        }
    }
    return from;
}
