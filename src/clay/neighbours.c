// neighbours.c: who is near whom in embedded space.
//
// A particle has up to 32 neighbours, the nearest within its radius of support (section 3.2.5).
// Those it has already count as a little nearer than they are: neighbourhoods that change to and
// fro lose stress each time. A newcomer starts where the neighbourhood, deformed plastically as it
// is, would have it: u_ij = G_i e_ij, with G_i from the neighbours it has (fit.c). The thesis takes
// e_ij, which brings stress where rest and embedded space differ.
#include "grid.h"

enum { CANDIDATES = 256 };

static const float LOYALTY = 0.9f; // factor on the distance of those it has already
static const float SUPPORT = 1.5f; // h over the mean distance of the first neighbours

typedef struct candidate {
    float key; // distance^2, less for those it has
    int particle;
    int slot; // where it was among the neighbours, -1: nowhere
} candidate;

typedef struct search {
    wri_clay *c;
    wri_grid grid;
    const int *component;
} search;

// --- candidates -------------------------------------------------------------------------------

static bool is_before(candidate a, candidate b)
{
    return a.key < b.key || (a.key == b.key && a.particle < b.particle);
}

// Keeps the nearest CANDIDATES in no order; the farthest goes.
static int keep(candidate *list, int count, candidate one)
{
    if (count < CANDIDATES) {
        list[count] = one;
        return count + 1;
    }
    int last = 0;
    for (int k = 1; k < count; k++) {
        last = is_before(list[last], list[k]) ? k : last;
    }
    if (is_before(one, list[last])) {
        list[last] = one;
    }
    return count;
}

// All within `radius` of particle i in embedded space, but for itself.
static int collect(const wri_grid *grid, const wri_clay *c, int i, float radius, candidate *list)
{
    f4 e = c->e[i];
    int count = 0;
    wri_grid_walk walk = wri_grid_near(grid, e, radius);
    for (const wri_grid_point *p; (p = wri_grid_next(&walk));) {
        float dx = p->x[0] - e[0], dy = p->x[1] - e[1], dz = p->x[2] - e[2];
        float d2 = dx * dx + dy * dy + dz * dz;
        if (d2 < radius * radius && p->particle != i) {
            count = keep(list, count, (candidate){d2, p->particle, -1});
        }
    }
    return count;
}

// Leaves the nearest `most`, in no order: quickselect.
static int drop_farthest(candidate *list, int count, int most)
{
    int low = 0, high = count - 1;
    while (low < high && most < count) {
        candidate pivot = list[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (is_before(list[i], pivot)) {
                i++;
            }
            while (is_before(pivot, list[j])) {
                j--;
            }
            if (i <= j) {
                candidate one = list[i];
                list[i++] = list[j];
                list[j--] = one;
            }
        }
        low = most <= j ? low : i;
        high = most <= j ? j : most >= i ? high : low;
    }
    return count < most ? count : most;
}

// --- those it has already ---------------------------------------------------------------------

// A set of particles that may say yes too often.
typedef struct sieve {
    uint64_t bits[4];
} sieve;

static void find_slots(const wri_clay *c, int i, candidate *list, int count)
{
    const int *neighbours = &c->neighbours[i * NEIGHBOURS];
    sieve known = {{0}};
    for (int k = 0; k < NEIGHBOURS; k++) {
        known.bits[neighbours[k] >> 6 & 3] |= (uint64_t)1 << (neighbours[k] & 63);
    }
    for (int n = 0; n < count; n++) {
        int j = list[n].particle;
        for (int k = 0; known.bits[j >> 6 & 3] >> (j & 63) & 1 && k < NEIGHBOURS; k++) {
            if (neighbours[k] == j) {
                list[n].slot = k;
                list[n].key *= LOYALTY * LOYALTY;
                break;
            }
        }
    }
}

// --- newcomers --------------------------------------------------------------------------------

static bool is_stretched_beyond(f4 x, f4 u, float limit)
{
    return f4_dot(x, x) > limit * limit * f4_dot(u, u);
}

// A newcomer must be about where the deformation says that it is, and not so far off that it would
// be torn at once.
static bool is_welcome(const search *s, int i, const wri_clay_fit *fit, int j)
{
    const wri_clay *c = s->c;
    if (s->component[i] != s->component[j] && !c->parameters.fuses) {
        return false;
    }
    f4 rest = wri_clay_apply(fit->from_embedded, c->e[j] - c->e[i]);
    f4 x = c->x[j] - c->x[i], off = x - wri_clay_apply(fit->world, rest);
    return f4_dot(off, off) <= 0.25f * c->h[i] * c->h[i] &&
           !is_stretched_beyond(x, rest, c->parameters.tears);
}

// Neighbours that are stretched too far let go.
static bool is_torn(const wri_clay *c, int i, int slot)
{
    int edge = i * NEIGHBOURS + slot;
    return is_stretched_beyond(c->x[c->neighbours[edge]] - c->x[i], c->u[edge],
                               c->parameters.tears);
}

bool wri_clay_has_torn(const wri_clay *c)
{
    bool has = false;
    for (int edge = 0; !has && edge < c->count * NEIGHBOURS; edge++) {
        has = is_torn(c, edge / NEIGHBOURS, edge % NEIGHBOURS);
    }
    return has;
}

static int choose(const search *s, int i, const wri_clay_fit *fit, candidate *list, int count)
{
    int left = 0;
    for (int n = 0; n < count; n++) {
        int slot = list[n].slot;
        bool stays =
            slot >= 0 ? !is_torn(s->c, i, slot) : fit && is_welcome(s, i, fit, list[n].particle);
        if (stays) {
            list[left++] = list[n];
        }
    }
    return drop_farthest(list, left, NEIGHBOURS);
}

// --- all of them ------------------------------------------------------------------------------

// Those who stay keep their slots; newcomers take what is free.
static void settle(wri_clay *c, int i, const wri_clay_fit *fit, const candidate *list, int count)
{
    int *neighbours = &c->neighbours[i * NEIGHBOURS];
    uint32_t taken = 0;
    for (int n = 0; n < count; n++) {
        taken |= list[n].slot >= 0 ? 1u << list[n].slot : 0;
    }
    c->parted[i] &= taken;
    int slot = 0;
    for (int n = 0; n < count; n++) {
        if (list[n].slot < 0) {
            while (taken >> slot & 1) {
                slot++;
            }
            neighbours[slot] = list[n].particle;
            c->u[i * NEIGHBOURS + slot] =
                wri_clay_apply(fit->from_embedded, c->e[list[n].particle] - c->e[i]);
            taken |= 1u << slot;
        }
    }
    for (int k = 0; k < NEIGHBOURS; k++) {
        if (!(taken >> k & 1)) {
            neighbours[k] = i;
            c->u[i * NEIGHBOURS + k] = (f4){0};
        }
    }
}

static void update_range(void *context, int block, int begin, int end)
{
    (void)block;
    search *s = context;
    wri_clay *c = s->c;
    for (int i = begin; i < end; i++) {
        candidate list[CANDIDATES];
        int count = collect(&s->grid, c, i, c->h[i], list);
        find_slots(c, i, list, count);
        wri_clay_fit found;
        const wri_clay_fit *fit = wri_clay_fit_at(c, i, &found) ? &found : NULL;
        settle(c, i, fit, list, choose(s, i, fit, list, count));
        wri_clay_find_basis(c, i);
    }
}

static float mean_support(const wri_clay *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += (double)c->h[i];
    }
    return (float)(sum / c->count);
}

bool wri_clay_find_neighbours(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    search s = {.c = c, .component = c->component};
    bool ok = wri_grid_build(&s.grid, c->e, c->count, mean_support(c), scratch);
    if (ok) {
        wri_parallel_for(tasks, c->count, GRAIN, update_range, &s);
        wri_clay_find_reverse(c);
        wri_clay_find_components(c);
    }
    scratch->used = used;
    return ok;
}

// --- the beginning ----------------------------------------------------------------------------

// The nearest 32, wherever they are, decide how far the support reaches (section 3.2.7).
static void start_particle(const search *s, int i)
{
    wri_clay *c = s->c;
    candidate list[CANDIDATES];
    float radius = 1.5f * s->grid.cell;
    int wished = c->count - 1 < NEIGHBOURS ? c->count - 1 : NEIGHBOURS;
    int count = collect(&s->grid, c, i, radius, list);
    for (int round = 0; count < wished && round < 40; round++) {
        radius *= 1.3f;
        count = collect(&s->grid, c, i, radius, list);
    }
    count = drop_farthest(list, count, NEIGHBOURS);
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        sum += sqrt((double)list[k].key);
    }
    c->h[i] = count > 0 ? SUPPORT * (float)(sum / count) : radius;
    for (int k = 0; k < NEIGHBOURS; k++) {
        int j = k < count ? list[k].particle : i;
        c->neighbours[i * NEIGHBOURS + k] = j;
        c->u[i * NEIGHBOURS + k] = c->e[j] - c->e[i];
    }
}

static void start_range(void *context, int block, int begin, int end)
{
    (void)block;
    for (int i = begin; i < end; i++) {
        start_particle(context, i);
        wri_clay_find_basis(((search *)context)->c, i);
    }
}

bool wri_clay_start_neighbours(wri_clay *c, const wr_tasks *tasks, wr_scratch *scratch)
{
    size_t used = scratch->used;
    double size = 0.0;
    for (int i = 0; i < c->count; i++) {
        size += 2.0 * (double)c->radius[i];
    }
    search s = {.c = c};
    bool ok = wri_grid_build(&s.grid, c->e, c->count, 1.5f * (float)(size / c->count), scratch);
    if (ok) {
        wri_parallel_for(tasks, c->count, GRAIN, start_range, &s);
        wri_clay_find_reverse(c);
        wri_clay_find_components(c);
    }
    scratch->used = used;
    return ok;
}

// --- the other way round ----------------------------------------------------------------------

void wri_clay_find_reverse(wri_clay *c)
{
    int *begin = c->reverse_begin, edges = c->count * NEIGHBOURS;
    memset(begin, 0, ((size_t)c->count + 1) * sizeof *begin);
    for (int edge = 0; edge < edges; edge++) {
        begin[c->neighbours[edge]] += c->neighbours[edge] != edge / NEIGHBOURS;
    }
    for (int i = 0, sum = 0; i <= c->count; i++) {
        sum += begin[i];
        begin[i] = sum;
    }
    for (int edge = edges - 1; edge >= 0; edge--) {
        int j = c->neighbours[edge];
        if (j != edge / NEIGHBOURS) {
            c->reverse[--begin[j]] = edge;
        }
    }
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Who hangs together: the smallest number of a component is its name.
void wri_clay_find_components(wri_clay *c)
{
    int *parent = c->component;
    for (int i = 0; i < c->count; i++) {
        parent[i] = i;
    }
    for (int edge = 0; edge < c->count * NEIGHBOURS; edge++) {
        int a = root_of(parent, edge / NEIGHBOURS), b = root_of(parent, c->neighbours[edge]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < c->count; i++) {
        parent[i] = root_of(parent, i);
    }
}
