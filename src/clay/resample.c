// resample.c: particles split where they are sparse and merge where they crowd.
//
//     B_i = h_i^2 sum_j u_ij u_ij^T / |u_ij|^4             thesis eq. 3.13, without its dimension
//
// Largest eigenvalue small: too sparse, it splits in two along the eigenvector of the smallest one,
// at the surface of the middle one (section 3.2.6). Smallest eigenvalue large: too dense, it merges
// with its nearest neighbour. What is small and large follows from the body at the start. A merged
// particle looks denser still, since its h has grown and its neighbours are where they were: none
// merges beyond a few times the mass of those around, or one would swallow them all.
//
// Mass and both momenta are kept: halves have the velocity of the whole; of a merged pair the spin
// m x_ij x v_ij, m its reduced mass, goes to the particles around as one rotation. In every
// neighbourhood one thing happens at a time, that of the particle with the lowest id, and then
// nothing for a while.
#include "clay.h"

#include "../math/decompose.h"
#include "../math/elementary.h"

static const float SPARSE = 0.6f;   // of the least that was normal at the start
static const float DENSE = 1.7f;    // of the most
static const float STRAY = 4.0f;    // of the distances around: farther from all others it is alone
static const float HEAVIEST = 2.5f; // of a merged pair, over the mean mass around
static const float PAUSE = 0.2f;    // own times
static const float FARTHER = 1.41421356f; // how much farther from the middle a half may lie

typedef struct sampling {
    double values[3];     // eigenvalues of B, largest first
    double vectors[3][3]; // columns
    double distance;      // mean of |u|, m
    double mass;          // mean of the neighbours, kg
    int nearest;          // neighbour, -1: none
    f4 middle;            // mean of u
} sampling;

static sampling look_around(const wri_clay *c, int i)
{
    double B[3][3] = {{0}}, h2 = (double)c->h[i] * (double)c->h[i], least = INFINITY;
    sampling s = {.nearest = -1};
    int count = 0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        f4 u = c->u[i * NEIGHBOURS + k];
        double d2 = (double)f4_dot(u, u);
        if (j == i || d2 == 0.0) {
            continue;
        }
        for (int a = 0; a < 9; a++) {
            B[a / 3][a % 3] += h2 * (double)u[a / 3] * (double)u[a % 3] / (d2 * d2);
        }
        s.nearest = d2 < least ? j : s.nearest;
        least = d2 < least ? d2 : least;
        s.distance += sqrt(d2);
        s.mass += (double)c->m[j];
        s.middle += u;
        count++;
    }
    s.distance /= count > 0 ? count : 1;
    s.mass /= count > 0 ? count : 1;
    s.middle /= (float)(count > 0 ? count : 1);
    s.middle[3] = 0.0f;
    wri_eigen3d((const double(*)[3])B, s.values, s.vectors);
    return s;
}

// --- the beginning ----------------------------------------------------------------------------

void wri_clay_find_sampling(wri_clay *c)
{
    double sparsest = INFINITY, densest = 0.0;
    for (int i = 0; i < c->count; i++) {
        sampling s = look_around(c, i);
        sparsest = fmin(sparsest, s.values[0]);
        densest = fmax(densest, s.values[2]);
    }
    c->state.sparse = SPARSE * (float)sparsest;
    c->state.dense = DENSE * (float)densest;
}

// --- who --------------------------------------------------------------------------------------

typedef enum wish { NOTHING, SPLIT, MERGE } wish;

// Where the halves of a particle go: as far to either side.
static f4 way_apart(const wri_clay *c, int i, const sampling *s)
{
    int axis = c->flags[i] & WRI_CLAY_SURFACE ? 1 : 2;
    float half = 0.5f * (float)s->distance;
    return (f4){half * (float)s->vectors[0][axis], half * (float)s->vectors[1][axis],
                half * (float)s->vectors[2][axis], 0.0f};
}

static bool is_far_out(const sampling *s, f4 d)
{
    f4 a = s->middle - d, b = s->middle + d;
    float most = FARTHER * FARTHER * f4_dot(s->middle, s->middle);
    return f4_dot(a, a) > most || f4_dot(b, b) > most;
}

// Only what can be had is wished for: who asks in vain would keep those around from their turn.
static wish wish_of(const wri_clay *c, int i)
{
    if (c->pause[i] > 0.0f || c->flags[i] & WRI_CLAY_HELD) {
        return NOTHING;
    }
    sampling s = look_around(c, i);
    bool is_sparse = s.values[0] < (double)c->state.sparse;
    bool is_outer = c->flags[i] & WRI_CLAY_SURFACE;
    if (s.nearest < 0 || (is_sparse && is_outer && is_far_out(&s, way_apart(c, i, &s)))) {
        return NOTHING;
    }
    bool is_dense = s.values[2] > (double)c->state.dense;
    bool is_light = (double)(c->m[i] + c->m[s.nearest]) <= (double)HEAVIEST * s.mass;
    bool may_merge =
        is_light && !(c->pause[s.nearest] > 0.0f || c->flags[s.nearest] & WRI_CLAY_HELD);
    return is_sparse ? SPLIT : is_dense && may_merge ? MERGE : NOTHING;
}

typedef struct wishes {
    wri_clay *c;
    uint8_t *list;
} wishes;

static void wish_range(void *context, int block, int begin, int end)
{
    (void)block;
    const wishes *w = context;
    for (int i = begin; i < end; i++) {
        w->list[i] = (uint8_t)wish_of(w->c, i);
    }
}

static bool has_lower(const wishes *w, int i, int j)
{
    return j != i && w->list[j] != NOTHING && w->c->id[j] < w->c->id[i];
}

// The lowest id of those around that wish something.
static bool comes_first(const wishes *w, int i)
{
    const wri_clay *c = w->c;
    bool first = true;
    for (int k = 0; first && k < NEIGHBOURS; k++) {
        first = !has_lower(w, i, c->neighbours[i * NEIGHBOURS + k]);
    }
    for (int k = c->reverse_begin[i]; first && k < c->reverse_begin[i + 1]; k++) {
        first = !has_lower(w, i, c->reverse[k] / NEIGHBOURS);
    }
    return first;
}

// --- splitting --------------------------------------------------------------------------------

static void copy_particle(wri_clay *c, int from, int to)
{
    int columns;
    const wri_clay_column *column = wri_clay_columns(&columns);
    for (int k = 0; k < columns; k++) {
        if (column[k].is_state) {
            uint8_t *items = *(uint8_t **)((char *)c + column[k].offset);
            memcpy(items + (size_t)to * column[k].size, items + (size_t)from * column[k].size,
                   column[k].size);
        }
    }
}

static void scale_particle(wri_clay *c, int i, double factor)
{
    float length = (float)wri_exp(wri_log(factor) / 3.0);
    c->h[i] *= length;
    c->radius[i] *= length;
    c->m[i] *= (float)factor;
}

// It was at x with a radius r a moment ago.
static void rest_after(wri_clay *c, int i, f4 x, float r)
{
    f4 before = x - c->x[i];
    c->before[i] = (f4){before[0], before[1], before[2], r / c->radius[i]};
    c->pause[i] = PAUSE * c->moduli.t_L;
}

f4 wri_clay_find_drawn(const wri_clay *c, int i)
{
    float share = c->pause[i] / (PAUSE * c->moduli.t_L);
    f4 drawn = c->x[i] + share * c->before[i];
    drawn[3] = c->radius[i] * (1.0f + share * (c->before[i][3] - 1.0f));
    return drawn;
}

// Moves a particle by d in its rest space and by F d in the world. Those who have it for a
// neighbour move their rest vectors along by what leaves their own F as it is.
static void move(wri_clay *c, int i, f4 d, const wri_clay_fit *fit, const float to_seed[9])
{
    f4 x = wri_clay_apply(fit->world, d);
    c->x[i] += x;
    c->e[i] += wri_clay_apply(fit->embedded, d);
    c->seed[i] += wri_clay_apply(to_seed, d);
    for (int k = 0; k < NEIGHBOURS; k++) {
        if (c->neighbours[i * NEIGHBOURS + k] != i) {
            c->u[i * NEIGHBOURS + k] -= d;
        }
    }
    for (int k = c->reverse_begin[i]; k < c->reverse_begin[i + 1]; k++) {
        int edge = c->reverse[k];
        wri_clay_fit other;
        if (wri_clay_fit_at(c, edge / NEIGHBOURS, &other)) {
            c->u[edge] += wri_clay_apply(other.from_world, x);
        }
    }
}

static bool split(wri_clay *c, int i)
{
    sampling s = look_around(c, i);
    int child = c->count;
    float to_seed[9];
    f4 d = way_apart(c, i, &s);
    wri_clay_fit fit;
    if (c->count + 1 >= c->capacity || !wri_clay_fit_at(c, i, &fit) ||
        !wri_clay_invert(&c->plastic[i * 9], to_seed)) {
        return false;
    }
    copy_particle(c, i, child);
    c->count++;
    for (int k = 0; k < NEIGHBOURS; k++) { // it is nobody's neighbour yet
        int *j = &c->neighbours[child * NEIGHBOURS + k];
        *j = *j == i ? child : *j;
    }
    c->reverse_begin[child + 1] = c->reverse_begin[child];
    c->id[child] = c->state.next_id++;
    f4 x = c->x[i];
    float radius = c->radius[i];
    scale_particle(c, i, 0.5);
    scale_particle(c, child, 0.5);
    move(c, child, -d, &fit, to_seed);
    move(c, i, d, &fit, to_seed);
    rest_after(c, i, x, radius);
    rest_after(c, child, x, radius);
    c->state.splits += 1.0;
    return true;
}

// --- merging ----------------------------------------------------------------------------------

// A particle and its neighbours, each once.
static int list_around(const wri_clay *c, int i, int list[NEIGHBOURS + 1])
{
    int count = 0;
    list[count++] = i;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        if (j != i && c->m[j] > 0.0f) {
            list[count++] = j;
        }
    }
    return count;
}

static void arm_of(const wri_clay *c, int i, const double center[3], double out[3])
{
    for (int a = 0; a < 3; a++) {
        out[a] = (double)c->x[i][a] - center[a];
    }
}

// Gives the particles around i an angular momentum, as one rotation w = I^-1 L about their centre.
static void give_spin(wri_clay *c, int i, const double spin[3])
{
    int list[NEIGHBOURS + 1], count = list_around(c, i, list);
    double center[3] = {0}, mass = 0.0, I[3][3] = {{0}}, l[3], q[3][3], w[3] = {0}, r[3];
    for (int k = 0; k < count; k++) {
        mass += (double)c->m[list[k]];
        for (int a = 0; a < 3; a++) {
            center[a] += (double)c->m[list[k]] * (double)c->x[list[k]][a];
        }
    }
    for (int a = 0; a < 3; a++) {
        center[a] /= mass;
    }
    for (int k = 0; k < count; k++) {
        arm_of(c, list[k], center, r);
        double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for (int a = 0; a < 9; a++) {
            I[a / 3][a % 3] +=
                (double)c->m[list[k]] * ((a % 4 == 0 ? r2 : 0.0) - r[a / 3] * r[a % 3]);
        }
    }
    wri_eigen3d((const double(*)[3])I, l, q);
    for (int k = 0; k < 3; k++) {
        double along = q[0][k] * spin[0] + q[1][k] * spin[1] + q[2][k] * spin[2];
        for (int a = 0; a < 3 && l[k] > 1e-6 * l[0]; a++) {
            w[a] += q[a][k] * along / l[k];
        }
    }
    for (int k = 0; k < count; k++) {
        arm_of(c, list[k], center, r);
        c->v[list[k]] +=
            (f4){(float)(w[1] * r[2] - w[2] * r[1]), (float)(w[2] * r[0] - w[0] * r[2]),
                 (float)(w[0] * r[1] - w[1] * r[0]), 0.0f};
    }
}

// Who had j for a neighbour has i instead, or one less where it has both.
static void replace_neighbour(wri_clay *c, int j, int i)
{
    for (int n = c->reverse_begin[j]; n < c->reverse_begin[j + 1]; n++) {
        int edge = c->reverse[n], k = edge / NEIGHBOURS;
        bool has_both = k == i;
        for (int slot = 0; slot < NEIGHBOURS; slot++) {
            has_both = has_both || c->neighbours[k * NEIGHBOURS + slot] == i;
        }
        wri_clay_fit fit;
        if (!has_both && wri_clay_fit_at(c, k, &fit)) {
            c->neighbours[edge] = i;
            c->u[edge] += wri_clay_apply(fit.from_world, c->x[i] - c->x[j]);
        } else {
            c->neighbours[edge] = k;
            c->u[edge] = (f4){0};
        }
    }
}

static bool merge(wri_clay *c, int i)
{
    int j = look_around(c, i).nearest;
    wri_clay_fit fit;
    float to_seed[9];
    if (c->pause[j] > 0.0f || c->flags[j] & WRI_CLAY_HELD || !wri_clay_fit_at(c, i, &fit) ||
        !wri_clay_invert(&c->plastic[i * 9], to_seed)) {
        return false;
    }
    float M = c->m[i] + c->m[j], share = c->m[j] / M, reduced = c->m[i] * share;
    f4 x = c->x[j] - c->x[i], v = c->v[j] - c->v[i];
    const double spin[3] = {(double)reduced * (double)(x[1] * v[2] - x[2] * v[1]),
                            (double)reduced * (double)(x[2] * v[0] - x[0] * v[2]),
                            (double)reduced * (double)(x[0] * v[1] - x[1] * v[0])};
    f4 from = c->x[i];
    float radius = c->radius[i];
    move(c, i, wri_clay_apply(fit.from_world, share * x), &fit, to_seed);
    c->x[i] = from + share * x;
    c->v[i] += share * v;
    c->alpha[i] += share * (c->alpha[j] - c->alpha[i]);
    scale_particle(c, i, (double)(M / c->m[i]));
    c->m[i] = M;
    c->m[j] = 0.0f; // it is gone
    replace_neighbour(c, j, i);
    give_spin(c, i, spin);
    rest_after(c, i, from, radius);
    c->state.merges += 1.0;
    return true;
}

// --- strays -----------------------------------------------------------------------------------

// Metres, in the world, to the nearest neighbour; -1: it has none.
static float find_nearest(const wri_clay *c, int i, int *nearest)
{
    float least = INFINITY;
    *nearest = -1;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        f4 arm = c->x[j] - c->x[i];
        float squared = f4_dot(arm, arm);
        if (j != i && c->m[j] > 0.0f && squared < least) {
            least = squared;
            *nearest = j;
        }
    }
    return *nearest >= 0 ? sqrtf(least) : -1.0f;
}

// Alone, where those around it lie close together: what holds it there is nothing but its own idea.
static bool is_stray(const wri_clay *c, int i, const float *distances)
{
    float sum = 0.0f;
    int count = 0;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = c->neighbours[i * NEIGHBOURS + k];
        if (j != i && distances[j] >= 0.0f && c->pause[j] == 0.0f) {
            sum += distances[j];
            count++;
        }
    }
    return count > 0 && distances[i] > 4.0f * c->radius[i] &&
           distances[i] * (float)count > STRAY * sum;
}

// Its mass and velocity go to the nearest one, where that is. The body moves by what keeps its
// centre, and the spin of the way goes to those around: momenta are kept.
static bool retire(wri_clay *c, int i)
{
    int j;
    if (c->flags[i] & WRI_CLAY_HELD || find_nearest(c, i, &j) < 0.0f || c->pause[j] > 0.0f) {
        return false;
    }
    double mass;
    f4 way = c->x[i] - c->x[j], v = c->v[i] - wri_clay_mean_velocity(c, &mass);
    float m = c->m[i], M = m + c->m[j], radius = c->radius[j];
    const double spin[3] = {(double)m * (double)(way[1] * v[2] - way[2] * v[1]),
                            (double)m * (double)(way[2] * v[0] - way[0] * v[2]),
                            (double)m * (double)(way[0] * v[1] - way[1] * v[0])};
    for (int k = 0; k < 3; k++) {
        c->state.origin[k] += (double)m / mass * (double)way[k];
    }
    c->v[j] += m / M * (c->v[i] - c->v[j]);
    scale_particle(c, j, (double)(M / c->m[j]));
    c->m[j] = M;
    c->m[i] = 0.0f; // it is gone
    replace_neighbour(c, i, j);
    give_spin(c, j, spin);
    rest_after(c, j, c->x[j], radius);
    c->state.retired += 1.0;
    return true;
}

static int retire_strays(wri_clay *c, wr_scratch *scratch)
{
    float *distances = wr_scratch_push(scratch, (size_t)c->count, sizeof *distances);
    int count = 0, nearest;
    for (int i = 0; distances && i < c->count; i++) {
        distances[i] = find_nearest(c, i, &nearest);
    }
    for (int i = 0; distances && i < c->count; i++) {
        count += is_stray(c, i, distances) && retire(c, i);
    }
    return count;
}

// --- who is left ------------------------------------------------------------------------------

// Closes the gaps that those who are gone leave. place: room for a number per particle.
static void compact(wri_clay *c, int *place)
{
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        place[i] = c->m[i] > 0.0f ? count++ : -1;
        if (place[i] >= 0 && place[i] != i) {
            copy_particle(c, i, place[i]);
        }
    }
    int before = c->count;
    c->count = count;
    for (int i = 0; i < before; i++) {
        for (int k = 0; place[i] >= 0 && k < NEIGHBOURS; k++) {
            int edge = place[i] * NEIGHBOURS + k, to = place[c->neighbours[edge]];
            c->neighbours[edge] = to >= 0 ? to : place[i];
            c->u[edge] = to >= 0 ? c->u[edge] : (f4){0};
        }
    }
}

bool wri_clay_resample(wri_clay *c, float dt, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    wishes w = {c, wr_scratch_push(scratch, (size_t)c->capacity, 1)};
    int *place = wr_scratch_push(scratch, 2 * (size_t)c->count, sizeof *place);
    int count = w.list && place ? c->count : 0, done = 0, gone = 0;
    for (int i = 0; i < c->count; i++) {
        c->pause[i] = fmaxf(c->pause[i] - dt, 0.0f);
    }
    gone = done = count > 0 ? retire_strays(c, scratch) : 0;
    wri_parallel_for(tasks, count, GRAIN, wish_range, &w);
    for (int i = 0; i < count; i++) {
        if (w.list[i] != NOTHING && c->m[i] > 0.0f && comes_first(&w, i)) {
            bool is_split = w.list[i] == SPLIT, ok = is_split ? split(c, i) : merge(c, i);
            done += ok;
            gone += ok && !is_split;
        }
    }
    if (gone > 0) {
        compact(c, place);
    }
    if (done > 0) {
        memset(c->parted, 0, (size_t)c->count * sizeof *c->parted); // edges have other places
        wri_clay_find_reverse(c);
        wri_clay_find_components(c);
        wri_clay_find_all_bases(c, tasks);
    }
    scratch->used = used;
    return done > 0;
}
