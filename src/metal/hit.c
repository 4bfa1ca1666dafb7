// hit.c: from impulses to new goals: contact patches, yield, projection, spreading.
// A contact patch is a place where the body was pushed lately: contacts near each other that push
// the same way. Engines split one hit over several points and steps, so its impulses are summed
// before the yield is tested. Per step, with the impulse j, the impulse S summed over the window w,
// and the load F that the patch carries steadily:
//     S += the part of j above F dt,   S and F follow their averages over w
//     |S| > m v_Y: the body bends by what is above, and S goes back to m v_Y
// like the return mapping of plasticity. A hit within the window has the same answer however it is
// split, and a load at rest, which is all F, never adds up to a yield.
// The struck triangle's corners share the hit by barycentric coordinates: a contact that slides
// over the body, or a finer mesh, changes the dent smoothly, where the nearest vertex would jump.
// Symbols of the paper (Jones et al. 2016): j impulse, m mass, beta yield, dx desired displacement,
// J derivative of a vertex by its weights, g = J^T dx, alpha bend, de change of the struck vertex's
// weights, Delta E changes of all, gamma reach, phi kernel. Lengths are in body sizes. Because the
// rest weight pays for every change, J's columns are differences to that of the rest shape.
// Examples that would go below zero take no part.
#include "metal.h"

#include "../math/triangle.h"

#include "../math/decompose.h"

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// --- patches ------------------------------------------------------------------------------------

// Returns the squared distance, infinite when the patch is pushed another way.
static double distance2_to(const wri_patch *patch, const double p[3], const double j[3])
{
    double sum[3], d[3];
    for (int k = 0; k < 3; k++) {
        sum[k] = patch->impulse[k] + patch->window_impulse[k];
        d[k] = p[k] - patch->point[k];
    }
    bool other_way = dot3(sum, j) < 0.5 * length3(sum) * length3(j);
    return other_way ? INFINITY : dot3(d, d);
}

// Returns the size of all that pushes a patch: the impulses it has gathered, and the steady load
// over one step.
static double impulse_of(const wr_metal *body, const wri_patch *patch)
{
    double sum[3];
    for (int k = 0; k < 3; k++) {
        sum[k] = patch->impulse[k] + patch->window_impulse[k];
    }
    return length3(sum) + (double)body->dt * length3(patch->load);
}

// Returns the patch an impulse belongs to. When all are taken, the weakest gives way; NULL when
// that is the new one.
static wri_patch *find_patch(wr_metal *body, int fragment, const double p[3], const double j[3])
{
    double reach = (double)body->parameters.patch * (double)body->asset->L;
    double least = INFINITY, weakest = length3(j);
    int best = 0, weak = -1, part = wri_metal_part_of(body, fragment);
    for (int i = 0; i < body->patch_count; i++) {
        double d2 = distance2_to(&body->patches[i], p, j),
               size = impulse_of(body, &body->patches[i]);
        d2 = wri_metal_part_of(body, body->patch_fragments[i]) == part ? d2 : INFINITY;
        if (d2 < least) {
            least = d2;
            best = i;
        }
        if (size < weakest) {
            weakest = size;
            weak = i;
        }
    }
    if (body->change || !(least <= reach * reach)) { // in the paper every impulse is a hit
        best = body->patch_count < WRI_METAL_PATCHES ? body->patch_count++ : weak;
        if (best >= 0) {
            body->patches[best] = (wri_patch){.point = {p[0], p[1], p[2]}};
            body->patch_fragments[best] = (uint8_t)fragment;
        }
    }
    return best >= 0 ? &body->patches[best] : NULL;
}

// --- where --------------------------------------------------------------------------------------

typedef struct target {
    int count;
    int vertices[3];
    float shares[3];
} target;

// Of a part of the body.
static int nearest_vertex(const wr_metal *body, int part, wr_vec3 p)
{
    const wr_metal_asset *asset = body->asset;
    int best = -1, end = 0;
    float least = INFINITY;
    for (int i = 0; i < asset->surface_count; i++) {
        if (i == end) { // the first of a fragment
            int fragment = asset->fragments ? asset->fragments[asset->surface[i]] : 0;
            end = asset->surface_begin[fragment + 1];
            if (wri_metal_part_of(body, fragment) != part) {
                i = end - 1;
                continue;
            }
            best = best < 0 ? asset->surface[i] : best;
        }
        wr_vec3 d = wr_sub(body->x[asset->surface[i]], p);
        float d2 = wr_dot(d, d);
        if (d2 < least) {
            least = d2;
            best = asset->surface[i];
        }
    }
    return best;
}

void wr_metal_add_impulse(wr_metal *body, wr_vec3 point, wr_vec3 impulse)
{
    int fragment = 0;
    if (body->part_of && wr_is_finite3(point)) {
        fragment = body->asset->fragments[nearest_vertex(body, 0, point)];
    }
    wr_metal_add_impulse_on(body, fragment, point, impulse);
}

void wr_metal_add_impulse_on(wr_metal *body, int fragment, wr_vec3 point, wr_vec3 impulse)
{
    WR_ASSERT(fragment >= 0 && fragment < body->asset->F);
    if (!wr_is_finite3(point) || !wr_is_finite3(impulse)) {
        body->statistics.refused++;
        return;
    }
    const double p[3] = {(double)point.x, (double)point.y, (double)point.z};
    const double j[3] = {(double)impulse.x, (double)impulse.y, (double)impulse.z};
    double size = length3(j);
    if (!(size > 0.0)) {
        return;
    }
    if (body->part_of) {
        wri_metal_load(body, fragment, p, j);
    }
    wri_patch *patch = find_patch(body, fragment, p, j);
    if (!patch) {
        return;
    }
    patch->weight += size;
    for (int k = 0; k < 3; k++) {
        patch->point[k] += (p[k] - patch->point[k]) * size / patch->weight;
        patch->impulse[k] += j[k];
    }
}

static void keep_target(target *t, const int *vertices, const float *shares)
{
    float sum = 0.0f;
    t->count = 0;
    for (int k = 0; k < 3; k++) {
        if (shares[k] > 0.02f) { // less is not worth a neighbourhood
            t->vertices[t->count] = vertices[k];
            t->shares[t->count++] = shares[k];
            sum += shares[k];
        }
    }
    for (int k = 0; k < t->count; k++) {
        t->shares[k] /= sum;
    }
}

// Finds the struck point among the triangles around the nearest vertex.
static target find_target(const wr_metal *body, int part, const double point[3])
{
    const wr_metal_asset *asset = body->asset;
    const wr_vec3 *x = body->x;
    wr_vec3 p = wr_v3((float)point[0], (float)point[1], (float)point[2]);
    int near = nearest_vertex(body, part, p);
    target best = {1, {near}, {1.0f}};
    wr_vec3 d = wr_sub(x[near], p);
    float least = wr_dot(d, d);
    for (int i = asset->triangles_begin[near];
         !body->change && i < asset->triangles_begin[near + 1]; i++) {
        const int *v = &asset->triangles[3 * (size_t)asset->triangles_of[i]];
        float w[3];
        wri_nearest_in_triangle(p, x[v[0]], x[v[1]], x[v[2]], w);
        d = wr_scale(w[0], x[v[0]]);
        d = wr_sub(wr_add_scaled(wr_add_scaled(d, w[1], x[v[1]]), w[2], x[v[2]]), p);
        if (wr_dot(d, d) < least) {
            least = wr_dot(d, d);
            keep_target(&best, v, w);
        }
    }
    return best;
}

// Returns the value of a painted map at the target.
static float sample(const float *map, const target *t)
{
    float sum = map ? 0.0f : 1.0f;
    for (int k = 0; map && k < t->count; k++) {
        sum += t->shares[k] * map[t->vertices[k]];
    }
    return sum;
}

// --- how much of which example ------------------------------------------------------------------

// Rises from 0 at low to 1 at high.
static float smooth_step(float x, float low, float high)
{
    float s = wr_clampf((x - low) / (high - low), 0.0f, 1.0f);
    return s * s * (3.0f - 2.0f * s);
}

// The pseudo-inverse (eq. 9): J^T (J J^T)^+ dx. Singular values below a hundredth of the largest
// are not inverted.
void wri_metal_project_inverse(const float *J, int C, const float d[3], float *out)
{
    double a[3][3] = {{0}}, l[3], q[3][3], y[3] = {0};
    for (int i = 0; i < 9; i++) {
        for (int e = 0; e < C; e++) {
            a[i / 3][i % 3] += (double)J[i / 3 * C + e] * (double)J[i % 3 * C + e];
        }
    }
    wri_eigen3d((const double(*)[3])a, l, q);
    for (int k = 0; k < 3 && l[k] > 1e-4 * l[0] && l[k] > 1e-12; k++) {
        double s =
            (q[0][k] * (double)d[0] + q[1][k] * (double)d[1] + q[2][k] * (double)d[2]) / l[k];
        for (int i = 0; i < 3; i++) {
            y[i] += s * q[i][k];
        }
    }
    for (int e = 0; e < C; e++) {
        out[e] =
            (float)((double)J[e] * y[0] + (double)J[C + e] * y[1] + (double)J[2 * C + e] * y[2]);
    }
}

// The gradient step (eq. 8) with a cut-off that does not depend on scale: almost orthogonal hits
// fade out, and so do hits where no example moves anything to speak of. g becomes the direction
// g/|g|; returns the factor on its length.
static float gradient_length(float *g, int C, float J2, float focus)
{
    float g2 = 0.0f, most = 0.0f, focused2 = 0.0f;
    for (int e = 0; e < C; e++) {
        g2 += g[e] * g[e];
        most = fmaxf(most, fabsf(g[e]));
    }
    for (int e = 0; e < C && most > 0.0f; e++) {
        g[e] *= 1.0f - focus + focus * fabsf(g[e]) / most;
        focused2 += g[e] * g[e];
    }
    if (!(focused2 > 0.0f)) {
        return 0.0f;
    }
    for (int e = 0; e < C; e++) {
        g[e] /= sqrtf(focused2);
    }
    return smooth_step(sqrtf(g2 / J2), 0.05f, 0.2f);
}

// An impulse across all examples is redirected to the nearest motion they allow (thesis, section
// 5.2.2.1): towards an example, or back from one that is there already. Those that are nearly as
// near share it, so that the answer changes smoothly with the direction d; straight against all of
// them nothing is near. Adds `amount` to the direction `out`.
static void redirect(const float *J, int C, float J2, const uint16_t *goal, const float d[3],
                     float amount, float *out)
{
    float cosines[WR_SKIN_EXAMPLES_MAX], best = -1.0f, sum2 = 0.0f;
    for (int e = 0; e < C; e++) {
        const float column[3] = {J[e], J[C + e], J[2 * C + e]};
        float size2 = column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
        float along = column[0] * d[0] + column[1] * d[1] + column[2] * d[2];
        bool moves = size2 > 0.01f * J2; // less is not what the example is about
        cosines[e] = moves ? along / sqrtf(size2) : -1.0f;
        best = fmaxf(best, goal[e] > 0 && moves ? fabsf(cosines[e]) : cosines[e]);
    }
    amount *= smooth_step(best, -0.5f, 0.0f);
    for (int pass = 0; pass < 2; pass++) { // finds the length of the direction, then adds it
        for (int e = 0; e < C; e++) {
            bool back = goal[e] > 0 && cosines[e] < 0.0f;
            float share = smooth_step(back ? -cosines[e] : cosines[e], best - 0.1f, best);
            sum2 += pass == 0 ? share * share : 0.0f;
            out[e] +=
                pass == 1 && sum2 > 0.0f ? (back ? -amount : amount) * share / sqrtf(sum2) : 0.0f;
        }
    }
}

// Turns a displacement of a vertex, a unit direction d and a length, into C changes of weights,
// out. J is the derivative as the skin gives it; goal are the weights the vertex goes to already.
static void project(const wr_metal *body, float *J, const uint16_t *goal, const float d[3],
                    float length, float *out)
{
    int C = body->asset->C;
    float J2 = 0.0f, scale = length * body->parameters.bend;
    for (int i = 0; i < 3; i++) { // packs the rows, too: C never catches up with E
        float first = J[i * (C + 1)];
        for (int e = 0; e < C; e++) {
            J[i * C + e] = (J[i * (C + 1) + 1 + e] - first) / body->asset->L;
        }
    }
    for (int e = 0; e < C; e++) {
        const float column[3] = {J[e], J[C + e], J[2 * C + e]};
        J2 += column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
        float g = column[0] * d[0] + column[1] * d[1] + column[2] * d[2]; // eq. 6: J^T dx
        out[e] = g < 0.0f && goal[e] == 0 ? 0.0f : g;
    }
    // Eq. 6 is the direction in which the error of eq. 7 falls most; as it is, it is eq. 10.
    if (body->parameters.projection == WR_METAL_PROJECT_INVERSE) {
        wri_metal_project_inverse(J, C, d, out); // eq. 9
    } else if (body->parameters.projection == WR_METAL_PROJECT_GRADIENT) {
        float felt = gradient_length(out, C, J2, body->parameters.focus); // eq. 8
        for (int e = 0; e < C; e++) {
            out[e] *= felt;
        }
        if (body->parameters.redirect > 0.0f) {
            redirect(J, C, J2, goal, d, body->parameters.redirect * (1.0f - felt), out);
        }
        scale *= smooth_step(sqrtf(J2), 1e-4f, 1e-3f);
    }
    float most = 0.0f;
    for (int e = 0; e < C; e++) {
        most = fmaxf(most, fabsf(out[e]));
    }
    scale = most > 0.0f ? fminf(scale, 4.0f / most) : 0.0f; // more than all the way is no more
    for (int e = 0; e < C; e++) {
        out[e] *= scale;
    }
}

// --- spreading ----------------------------------------------------------------------------------

typedef int32_t int_lanes __attribute__((vector_size(4 * WRI_LANES)));

// Keeps the lanes where the mask is set; the others become 0.
static wri_lanes where(int_lanes mask, wri_lanes a)
{
    return (wri_lanes)((int_lanes)a & mask);
}

// Returns exp(-a), 0 <= a <= 4, to 3e-4, without a call: exp(-a / 4) to the fourth.
static wri_lanes decay(wri_lanes a)
{
    wri_lanes b = 0.25f * a, c = 1.0f / (1.0f + b * (1.0f + b * (0.5f + b * (1.0f / 6 + b / 24))));
    return c * c * c * c;
}

// Four vertices of a neighbourhood.
typedef struct reached {
    int slots[WRI_LANES];
    wri_lanes distance; // metres
    wri_lanes compliance;
    wri_lanes share;  // phi, of the change, in units of the goals
    int_lanes counts; // 0: the lane is empty, or its share too small to matter
} reached;

// Returns the largest sum of a vertex's weights with which no example moves it further than `depth`
// metres; depth 0: no limit.
static int_lanes weight_limits(const wr_metal_asset *asset, const int slots[WRI_LANES], float depth)
{
    const wri_lanes one = {WRI_METAL_ONE, WRI_METAL_ONE, WRI_METAL_ONE, WRI_METAL_ONE};
    const float *extent = asset->extent;
    if (!(depth > 0.0f)) {
        return __builtin_convertvector(one, int_lanes);
    }
    wri_lanes far = {extent[slots[0]], extent[slots[1]], extent[slots[2]], extent[slots[3]]};
    int_lanes is_far = far > depth;
    wri_lanes limit = where(is_far, one * depth / far) + where(~is_far, one);
    return __builtin_convertvector(limit, int_lanes);
}

// Adds to the goals of four vertices. What a vertex gains, all of its weights pay for, that of the
// rest shape included: in the paper rows are scaled back to the sum 1 in every step, which in the
// limit of many small steps is dE/ds = de - (sum of de) E, with the solution below. So a place that
// is hit again and again comes nearer to its examples but never jumps to them, hits of one
// direction add up however they are split, and the newest count most. Weights that shrink stop at
// zero. Their sum stays below `most`.
static void add_to_goals(wr_metal *body, const reached *r, const float *change, float depth)
{
    int C = body->asset->C;
    uint16_t *rows[WRI_LANES];
    int_lanes goals[WR_SKIN_EXAMPLES_MAX], sum = {0},
                                           most = weight_limits(body->asset, r->slots, depth);
    wri_lanes limit = __builtin_convertvector(most, wri_lanes), gain = {0};
    for (int e = 0; e < C; e++) {
        gain += change[e] > 0.0f ? r->share * change[e] : (wri_lanes){0};
    }
    wri_lanes keep = decay(gain / limit), part = where(gain > 0.0f, limit * (1.0f - keep) / gain);
    for (int k = 0; k < WRI_LANES; k++) {
        rows[k] = &body->goal[(size_t)r->slots[k] * (size_t)C];
    }
    for (int e = 0; e < C; e++) {
        wri_lanes more = r->share * change[e],
                  old = {rows[0][e], rows[1][e], rows[2][e], rows[3][e]};
        wri_lanes value = keep * old + (change[e] < 0.0f ? more : part * more);
        goals[e] = __builtin_convertvector(where(value > 0.0f, value) + 0.5f, int_lanes);
        sum += goals[e];
    }
    for (int k = 0; k < WRI_LANES; k++) {
        bool changed = false;
        for (int e = 0; e < C && r->counts[k]; e++) {
            int value = sum[k] > most[k] ? goals[e][k] * most[k] / sum[k] : goals[e][k];
            changed |= rows[k][e] != value;
            rows[k][e] = (uint16_t)value;
        }
        if (changed) {
            wri_metal_mark_goal(body, r->slots[k]);
        }
    }
}

float wri_metal_reach(const wr_metal *body, int vertex)
{
    const wr_metal_asset *asset = body->asset;
    float radius = body->parameters.reach * asset->L;
    return fmaxf(radius * (asset->reach ? asset->reach[vertex] : 1.0f), 1e-6f * asset->L);
}

// The next of `count` vertices; where there are fewer than four, the last is repeated.
static reached read_entries(const wr_metal_asset *asset, const wri_ball_entry *entries, int count)
{
    reached r;
    for (int k = 0; k < WRI_LANES; k++) {
        const wri_ball_entry *entry = &entries[k < count ? k : count - 1];
        r.slots[k] = asset->slots[entry->vertex];
        r.distance[k] = entry->distance;
        r.compliance[k] = asset->compliance ? asset->compliance[entry->vertex] : 1.0f;
        r.counts[k] = k < count ? -1 : 0;
    }
    return r;
}

// Adds the change of a struck vertex to the goals of its neighbourhood.
static void spread(wr_metal *body, int vertex, float share, const float *change)
{
    const wr_metal_asset *asset = body->asset;
    float radius = wri_metal_reach(body, vertex);
    wri_ball_view ball =
        wri_metal_ball(body->asset, vertex, radius, body->broken_count > 0 ? body->broken : NULL,
                       &body->space, &body->statistics.balls_missed);
    float most = 0.0f;
    for (int e = 0; e < asset->C; e++) {
        most = fmaxf(most, fabsf(change[e]));
    }
    for (int i = 0; i < ball.count; i += WRI_LANES) {
        reached r = read_entries(asset, &ball.entries[i], ball.count - i);
        wri_lanes d = r.distance / radius;
        wri_lanes phi = 1.0f + d * d * (2.0f * d - 3.0f); // eq. 12
        r.share = phi * (WRI_METAL_ONE * share * r.compliance);
        r.counts &= r.share * most >= 0.5f;
        add_to_goals(body, &r, change, body->parameters.steep * radius); // eq. 11
    }
}

// Lists a hit for whoever wants to hear it.
static void keep_dent(wr_metal *body, const target *t, const double point[3], double length)
{
    const wr_metal_asset *asset = body->asset;
    if (body->dent_count < WRI_METAL_DENTS) {
        body->dents[body->dent_count++] = (wr_metal_dent){
            asset->fragments ? asset->fragments[t->vertices[0]] : 0,
            wr_v3((float)point[0], (float)point[1], (float)point[2]), (float)length * asset->v_L};
    }
}

// Bends the body at the target by a displacement: a unit direction, and a length in body sizes.
static void strike(wr_metal *body, const target *t, const double point[3],
                   const double direction[3], double length)
{
    const wr_metal_asset *asset = body->asset;
    float J[3 * 3 * WR_SKIN_EXAMPLES_MAX], changes[3][WR_SKIN_EXAMPLES_MAX];
    float d[3] = {(float)direction[0], (float)direction[1], (float)direction[2]};
    size_t size = 3 * (size_t)asset->E;
    body->statistics.hits++;
    body->statistics.hits_total++;
    keep_dent(body, t, point, length);
    if (body->change) {
        wri_metal_strike_published(body, t->vertices[0], d, fmin(length, 1e6));
        return;
    }
    wr_skin_jacobians(asset->skin, body->E, t->vertices, t->count, NULL, J);
    for (int k = 0; k < t->count; k++) {
        const uint16_t *goal = &body->goal[(size_t)asset->slots[t->vertices[k]] * (size_t)asset->C];
        project(body, &J[(size_t)k * size], goal, d, (float)fmin(length, 1e6), changes[k]);
    }
    for (int k = 0; k < t->count; k++) {
        spread(body, t->vertices[k], t->shares[k], changes[k]);
    }
}

// --- yield --------------------------------------------------------------------------------------

// Adds the impulse above the load that is carried anyway to the window. A load follows the impulses
// only up to what the body can carry, so that a hit is hardly taken for one.
static void add_to_window(const wr_metal *body, wri_patch *patch, double mass, double dt,
                          double decay)
{
    double j = length3(patch->impulse), most = (double)body->parameters.carries * mass;
    most *= WRI_GRAVITY * dt;
    double load = j > 0.0 ? fmax(dot3(patch->load, patch->impulse) / j, 0.0) * dt : 0.0;
    double part = j > 0.0 ? fmax(1.0 - load / j, 0.0) : 0.0;
    double follow = j > most ? most / j : 1.0;
    for (int k = 0; k < 3; k++) {
        patch->window_impulse[k] = patch->window_impulse[k] * decay + part * patch->impulse[k];
        patch->load[k] += (follow * patch->impulse[k] / dt - patch->load[k]) * (1.0 - decay);
    }
}

double wri_metal_hit_mass(const wr_metal *body, double mass)
{
    return fmin(mass, (double)body->parameters.struck_by);
}

// The desired displacement (eq. 4) with a yield speed: dx = T max(|S|/m - v_Y, 0). |S|/m - v_Y in
// units of v_L is the length in body sizes, since T / L = 1 / v_L for T = t_L / 2. m is no more
// than struck_by: what is light hardly moves a heavy body, and would leave no dent.
static void yield_by_speed(wr_metal *body, wri_patch *patch, int part, double dt, double decay)
{
    const wr_metal_asset *asset = body->asset;
    double mass = wr_metal_part_mass(body, part).mass;
    add_to_window(body, patch, mass, dt, decay);
    double size = length3(patch->window_impulse);
    double unit = wri_metal_hit_mass(body, mass) * (double)asset->v_L;
    double yield = (double)body->parameters.yield;
    if (!(size > unit * yield * (double)asset->yield_min)) {
        return;
    }
    target t = find_target(body, part, patch->point);
    yield *= (double)sample(asset->yield, &t);
    if (size > unit * yield) {
        double direction[3] = {patch->window_impulse[0] / size, patch->window_impulse[1] / size,
                               patch->window_impulse[2] / size};
        strike(body, &t, patch->point, direction, size / unit - yield);
        for (int k = 0; k < 3; k++) {
            patch->window_impulse[k] = direction[k] * unit * yield;
        }
    }
}

// The desired displacement (eq. 4) of every step for itself, as the paper has it and as its
// authors' program does.
static void yield_by_step(wr_metal *body, wri_patch *patch, int part, double dt)
{
    double j = length3(patch->impulse), yield = (double)body->parameters.yield;
    double m = wri_metal_hit_mass(body, wr_metal_part_mass(body, part).mass);
    if (!(j > 0.0)) {
        return;
    }
    target t = find_target(body, part, patch->point);
    yield *= (double)sample(body->asset->yield, &t);
    double length = body->parameters.yield_by == WR_METAL_YIELD_IMPULSE
                        ? dt / m * fmax(j - yield, 0.0) // eq. 4
                        : fmax(dt * j / m - yield, 0.0);
    if (length > 0.0) {
        double direction[3] = {patch->impulse[0] / j, patch->impulse[1] / j, patch->impulse[2] / j};
        strike(body, &t, patch->point, direction, length / (double)body->asset->L);
    }
}

// Says whether too little is left to matter to any later yield.
static bool is_spent(const wr_metal *body, const wri_patch *patch)
{
    double unit = 1e-4 * body->mass * (double)body->asset->v_L;
    double window = (double)body->parameters.window * (double)body->asset->t_L;
    return length3(patch->impulse) == 0.0 && length3(patch->window_impulse) <= unit &&
           length3(patch->load) * window <= unit;
}

void wri_metal_hit(wr_metal *body, float dt)
{
    bool by_speed = body->parameters.yield_by == WR_METAL_YIELD_SPEED;
    int kept = 0;
    for (int i = 0; i < body->patch_count; i++) {
        wri_patch *patch = &body->patches[i];
        int part = wri_metal_part_of(body, body->patch_fragments[i]);
        if (body->asset->C > 0 && by_speed) {
            yield_by_speed(body, patch, part, (double)dt, body->window_decay);
        } else if (body->asset->C > 0) {
            yield_by_step(body, patch, part, (double)dt);
        }
        bool spent = !by_speed || is_spent(body, patch);
        patch->weight *= body->window_decay;
        memset(patch->impulse, 0, sizeof patch->impulse);
        if (!spent) {
            body->patch_fragments[kept] = body->patch_fragments[i];
            body->patches[kept++] = *patch;
        }
    }
    body->patch_count = kept;
}
