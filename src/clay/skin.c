// skin.c: the artist's mesh, carried along by the particles.
//
//     X = sum_j w_j (x_j + F_j P_j (p - s_j)) / sum_j w_j
//
// for a vertex that was at p when particle j was at its seed s_j; P_j is all its plastic
// deformation and F_j what is elastic of it now. The thesis moves vertices by displacements alone,
// which makes what is turned thinner.
#include "grid.h"
#include "pack.h"

enum { CARRIERS = 8, FOUND_MAX = 512 };

typedef struct carrier {
    uint32_t id;
    float weight;
} carrier;

struct wr_clay_skin {
    wr_allocator allocator;
    int vertex_count;
    wr_vec3 *vertices; // about the origin of the body at the start
    carrier *carriers; // CARRIERS each
};

void wr_clay_skin_destroy(wr_clay_skin *skin)
{
    if (skin) {
        const wr_allocator a = skin->allocator;
        size_t n = (size_t)skin->vertex_count;
        wri_free(&a, skin->vertices, n, sizeof *skin->vertices);
        wri_free(&a, skin->carriers, CARRIERS * n, sizeof *skin->carriers);
        wri_free(&a, skin, 1, sizeof *skin);
    }
}

// --- carriers ---------------------------------------------------------------------------------

typedef struct found {
    float d2;
    int particle;
} found;

static int search(const wri_grid *grid, wr_vec3 p, float radius, found *list)
{
    int count = 0;
    wri_grid_walk walk = wri_grid_near(grid, f4_of(p), radius);
    for (const wri_grid_point *q; (q = wri_grid_next(&walk));) {
        float dx = q->x[0] - p.x, dy = q->x[1] - p.y, dz = q->x[2] - p.z;
        float d2 = dx * dx + dy * dy + dz * dz;
        if (d2 < radius * radius && count < FOUND_MAX) {
            list[count++] = (found){d2, q->particle};
        }
    }
    return count;
}

static bool is_nearer(found a, found b)
{
    return a.d2 < b.d2 || (a.d2 == b.d2 && a.particle < b.particle);
}

// The nearest particles, weighed so that the farthest of all counts nothing: carriers change
// smoothly from vertex to vertex.
static void choose_carriers(const wri_clay *c, const wri_grid *grid, wr_vec3 p, carrier *out)
{
    found list[FOUND_MAX];
    float radius = grid->cell;
    int count = search(grid, p, radius, list);
    int wished = c->count < CARRIERS + 1 ? c->count : CARRIERS + 1;
    for (int round = 0; count < wished && round < 60; round++) {
        radius *= 1.3f;
        count = search(grid, p, radius, list);
    }
    for (int k = 0; k < count && k < wished; k++) {
        for (int l = k + 1; l < count; l++) {
            if (is_nearer(list[l], list[k])) {
                found one = list[k];
                list[k] = list[l];
                list[l] = one;
            }
        }
    }
    float reach = count > CARRIERS ? list[CARRIERS].d2 : 2.0f * radius * radius, sum = 0.0f;
    for (int k = 0; k < CARRIERS; k++) {
        float s = k < count ? fmaxf(1.0f - list[k].d2 / reach, 1e-4f) : 0.0f;
        out[k] = (carrier){k < count ? c->id[list[k].particle] : 0, s * s * s};
        sum += out[k].weight;
    }
    for (int k = 0; k < CARRIERS; k++) {
        out[k].weight /= sum;
    }
}

wr_clay_skin *wr_clay_skin_create(wr_clay_world *world, int body, const wr_vec3 *vertices,
                                  int count, wr_error *error)
{
    const wri_clay *c = wri_clay_of(world, body);
    wr_clay_skin *skin = wri_alloc(&world->allocator, 1, sizeof *skin);
    if (skin) {
        skin->allocator = world->allocator;
        skin->vertex_count = count;
        skin->vertices = wri_alloc(&world->allocator, (size_t)count, sizeof *skin->vertices);
        skin->carriers =
            wri_alloc(&world->allocator, CARRIERS * (size_t)count, sizeof *skin->carriers);
    }
    wri_grid grid;
    bool ok = skin && skin->vertices && skin->carriers &&
              wri_grid_build(&grid, c->seed, c->count, 4.0f * c->radius[0], &world->scratch);
    for (int i = 0; ok && i < count; i++) {
        skin->vertices[i] = wr_v3((float)((double)vertices[i].x - c->state.origin[0]),
                                  (float)((double)vertices[i].y - c->state.origin[1]),
                                  (float)((double)vertices[i].z - c->state.origin[2]));
        choose_carriers(c, &grid, skin->vertices[i], &skin->carriers[i * CARRIERS]);
    }
    wri_scratch_reset(&world->scratch);
    if (!ok) {
        wr_clay_skin_destroy(skin);
        wri_fail_memory(error, (size_t)count * CARRIERS * sizeof(carrier));
        return NULL;
    }
    return skin;
}

// --- where it is ------------------------------------------------------------------------------

// What carries a point near a particle's seed: F P, and where the seed is now.
typedef struct frame {
    float m[3][3];
    wr_vec3 seed, now;
} frame;

typedef struct skinning {
    const wri_clay *c;
    const wr_clay_skin *skin;
    frame *frames;    // per particle
    const int *place; // of a particle's id; -1: gone
    float sunk;
    wr_vec3 *out;
} skinning;

static void frame_range(void *context, int block, int begin, int end)
{
    (void)block;
    const skinning *s = context;
    const wri_clay *c = s->c;
    for (int first = begin; first < end; first += LANES) {
        wri_clay_pack p;
        wri_clay_measure_pack(c, first, false, &p);
        for (int i = first; i < first + LANES && i < end; i++) {
            const float *plastic = &c->plastic[i * 9];
            bool is_flat = c->flags[i] & WRI_CLAY_DEGENERATE;
            frame *f = &s->frames[i];
            for (int k = 0; k < 9; k++) {
                float sum = 0.0f;
                for (int l = 0; l < 3; l++) {
                    float F = is_flat ? (float)(k / 3 == l) : p.F.m[k / 3][l][i - first];
                    sum += F * plastic[3 * l + k % 3];
                }
                f->m[k / 3][k % 3] = sum;
            }
            f->seed = f4_vec3(c->seed[i]);
            f->now = f4_vec3(c->x[i]);
        }
    }
}

// sunk: how far it goes on to the particle itself.
static wr_vec3 carry(const frame *f, wr_vec3 p, float sunk)
{
    wr_vec3 d = wr_scale(1.0f - sunk, wr_sub(p, f->seed));
    return wr_v3(f->now.x + f->m[0][0] * d.x + f->m[0][1] * d.y + f->m[0][2] * d.z,
                 f->now.y + f->m[1][0] * d.x + f->m[1][1] * d.y + f->m[1][2] * d.z,
                 f->now.z + f->m[2][0] * d.x + f->m[2][1] * d.y + f->m[2][2] * d.z);
}

static void vertex_range(void *context, int block, int begin, int end)
{
    (void)block;
    const skinning *s = context;
    for (int i = begin; i < end; i++) {
        wr_vec3 sum = {0.0f, 0.0f, 0.0f};
        float weight = 0.0f;
        for (int k = 0; k < CARRIERS; k++) {
            const carrier *one = &s->skin->carriers[i * CARRIERS + k];
            int at = s->place[one->id];
            if (at >= 0 && one->weight > 0.0f) {
                wr_vec3 p = carry(&s->frames[at], s->skin->vertices[i], s->sunk);
                sum = wr_add_scaled(sum, one->weight, p);
                weight += one->weight;
            }
        }
        sum = weight > 0.0f ? wr_scale(1.0f / weight, sum) : sum;
        s->out[i] = wri_clay_place(s->c, f4_of(sum));
    }
}

static bool find_positions(const wr_clay_skin *skin, const wri_clay *c, float sunk,
                           const wr_tasks *tasks, wr_scratch *scratch, wr_vec3 *out)
{
    size_t used = scratch->used;
    int *place = wr_scratch_push(scratch, c->state.next_id, sizeof *place);
    skinning s = {c,     skin, wr_scratch_push(scratch, (size_t)c->count, sizeof(frame)),
                  place, sunk, out};
    bool ok = place && s.frames;
    for (uint32_t i = 0; ok && i < c->state.next_id; i++) {
        place[i] = -1;
    }
    for (int i = 0; ok && i < c->count; i++) {
        place[c->id[i]] = i;
    }
    if (ok) {
        wri_parallel_for(tasks, c->count, GRAIN, frame_range, &s);
        wri_parallel_for(tasks, skin->vertex_count, GRAIN, vertex_range, &s);
    }
    scratch->used = used;
    return ok;
}

bool wr_clay_skin_positions(const wr_clay_skin *skin, wr_clay_world *world, int body, float sunk,
                            const wr_tasks *tasks, wr_vec3 *out)
{
    return find_positions(skin, wri_clay_of(world, body), sunk, tasks, &world->scratch, out);
}

// The gradient from rest to embedded space is fitted as that to the world.
bool wr_clay_skin_embedded(const wr_clay_skin *skin, wr_clay_world *world, int body,
                           const wr_tasks *tasks, wr_vec3 *out)
{
    wri_clay embedded = *wri_clay_of(world, body);
    embedded.x = embedded.e;
    memcpy(embedded.state.origin, embedded.state.start, sizeof embedded.state.origin);
    return find_positions(skin, &embedded, 0.0f, tasks, &world->scratch, out);
}
