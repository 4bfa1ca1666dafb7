// ride.c: the render mesh, carried by the simulation mesh.
//
// The gradient of a linear element is F_t = sum_k x_k g_tk^T with g_tk the gradients of its shape
// functions; averaged over the elements around a vertex by volume V_t it stays linear in x:
//     F_v = I + sum_j (x_j - u_j) (sum_{t at v} V_t g_tj)^T / sum_{t at v} V_t          (a)
// V_t g_tk is a third (3D) or half (2D) of an area vector of the rest shape: no inverse.
#include "skin.h"

enum { GRAIN = 512 };

// --- packing ----------------------------------------------------------------------------------

// The surroundings of a vertex while its row is being summed.
typedef struct row_builder {
    int *elements_begin; // vertex_count + 1
    int *elements_of;
    int *place; // place of a vertex in the row, -1: not yet there
} row_builder;

static const int *corners_of(const wr_rig *rig, int element)
{
    return &rig->elements[(size_t)element * (size_t)(rig->dimension + 1)];
}

static bool list_elements(const wr_rig *rig, wri_arena *temporary, row_builder *b)
{
    int n = rig->vertex_count, corners = rig->dimension + 1;
    size_t uses = (size_t)rig->element_count * (size_t)corners;
    b->elements_begin = wri_arena_alloc(temporary, (size_t)n + 1, sizeof(int));
    b->elements_of = wri_arena_alloc(temporary, uses, sizeof(int));
    b->place = wri_arena_alloc(temporary, (size_t)n, sizeof(int));
    if (!b->elements_begin || !b->elements_of || !b->place) {
        return false;
    }
    for (size_t i = 0; i < uses; i++) {
        b->elements_begin[rig->elements[i] + 1]++;
    }
    for (int v = 0; v < n; v++) {
        b->elements_begin[v + 1] += b->elements_begin[v];
        b->place[v] = b->elements_begin[v];
    }
    for (size_t i = 0; i < uses; i++) {
        b->elements_of[b->place[rig->elements[i]]++] = (int)(i / (size_t)corners);
    }
    for (int v = 0; v < n; v++) {
        b->place[v] = -1;
    }
    return true;
}

// Computes V g for every corner; returns V.
static float element_gradients(const wr_rig *rig, int element, wr_vec3 g[4])
{
    const int *c = corners_of(rig, element);
    wr_vec3 p = rig->rest[c[0]], a = wr_sub(rig->rest[c[1]], p), b = wr_sub(rig->rest[c[2]], p);
    if (rig->dimension == 2) {
        g[1] = wr_v3(0.5f * b.y, -0.5f * b.x, 0.0f);
        g[2] = wr_v3(-0.5f * a.y, 0.5f * a.x, 0.0f);
        g[3] = wr_v3(0.0f, 0.0f, 0.0f);
    } else {
        wr_vec3 d = wr_sub(rig->rest[c[3]], p);
        g[1] = wr_scale(1.0f / 6.0f, wr_cross(b, d));
        g[2] = wr_scale(1.0f / 6.0f, wr_cross(d, a));
        g[3] = wr_scale(1.0f / 6.0f, wr_cross(a, b));
    }
    g[0] = wr_scale(-1.0f, wr_add(g[1], wr_add(g[2], g[3])));
    return wr_dot(a, g[1]);
}

// Fills the row of v in (a) when it is given; returns its length.
static int build_row(const wr_rig *rig, row_builder *b, int v, wri_gradient_entry *row)
{
    int count = 0, corners = rig->dimension + 1;
    int begin = b->elements_begin[v], end = b->elements_begin[v + 1];
    float volume = 0.0f;
    for (int i = begin; i < end; i++) {
        const int *c = corners_of(rig, b->elements_of[i]);
        wr_vec3 g[4] = {{0}};
        if (row) {
            volume += element_gradients(rig, b->elements_of[i], g);
        }
        for (int k = 0; k < corners; k++) {
            if (b->place[c[k]] < 0) {
                b->place[c[k]] = count++;
            }
            if (row) {
                wri_gradient_entry *entry = &row[b->place[c[k]]];
                entry->vertex = c[k];
                entry->g = wr_add(entry->g, g[k]);
            }
        }
    }
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < corners; k++) {
            b->place[corners_of(rig, b->elements_of[i])[k]] = -1;
        }
    }
    for (int i = 0; row && i < count; i++) {
        row[i].g = volume > 0.0f ? wr_scale(1.0f / volume, row[i].g) : wr_v3(0, 0, 0);
    }
    return count;
}

static bool pack_gradients(wr_skin *skin, const wr_rig *rig, wri_arena *temporary)
{
    row_builder b;
    int n = rig->vertex_count;
    skin->gradient_begin = wri_arena_alloc(&skin->arena, (size_t)n + 1, sizeof(int));
    if (!skin->gradient_begin || !list_elements(rig, temporary, &b)) {
        return false;
    }
    for (int v = 0; v < n; v++) {
        skin->gradient_begin[v + 1] = skin->gradient_begin[v] + build_row(rig, &b, v, NULL);
    }
    size_t total = (size_t)skin->gradient_begin[n];
    skin->gradients = wri_arena_alloc(&skin->arena, total, sizeof *skin->gradients);
    for (int v = 0; skin->gradients && v < n; v++) {
        build_row(rig, &b, v, &skin->gradients[skin->gradient_begin[v]]);
    }
    return skin->gradients != NULL;
}

static bool pack_carriers(wr_skin *skin, const wr_rig *rig)
{
    int n = rig->vertex_count, corners = rig->dimension + 1;
    size_t rides = (size_t)rig->ride_count;
    skin->carriers = wri_arena_alloc(&skin->arena, rides, sizeof *skin->carriers);
    skin->rides_begin = wri_arena_alloc(&skin->arena, (size_t)n + 2, sizeof(int));
    skin->rides_of = wri_arena_alloc(&skin->arena, rides * (size_t)corners, sizeof(int));
    if (!skin->carriers || !skin->rides_begin || !skin->rides_of) {
        return false;
    }
    for (int i = 0; i < rig->ride_count; i++) {
        const int *c = corners_of(rig, rig->rides[i].element);
        skin->carriers[i].height = rig->dimension == 2 ? rig->rides[i].weights[3] : 0.0f;
        for (int k = 0; k < 4; k++) {
            bool used = k < corners;
            skin->carriers[i].vertices[k] = c[used ? k : corners - 1];
            skin->carriers[i].weights[k] = used ? rig->rides[i].weights[k] : 0.0f;
            skin->rides_begin[c[used ? k : 0] + 2] += used;
        }
    }
    for (int v = 0; v < n; v++) { // one ahead: filling moves each start to the next
        skin->rides_begin[v + 2] += skin->rides_begin[v + 1];
    }
    for (int i = 0; i < rig->ride_count; i++) {
        for (int k = 0; k < corners; k++) {
            skin->rides_of[skin->rides_begin[skin->carriers[i].vertices[k] + 1]++] = i;
        }
    }
    return true;
}

static bool pack_details(wr_skin *skin, const wr_rig *rig)
{
    size_t moved = (size_t)rig->example_count - 1, rides = (size_t)rig->ride_count;
    bool any = false;
    for (int e = 1; e < rig->example_count; e++) {
        any = any || rig->examples[e].details;
    }
    if (!any || rides == 0) {
        return true;
    }
    skin->details = wri_arena_alloc(&skin->arena, rides * moved, sizeof *skin->details);
    for (size_t e = 0; skin->details && e < moved; e++) {
        const wr_vec3 *details = rig->examples[e + 1].details;
        for (size_t i = 0; details && i < rides; i++) {
            skin->details[i * moved + e] = details[i];
        }
    }
    return skin->details != NULL;
}

bool wri_skin_pack_rides(wr_skin *skin, const wr_rig *rig, wri_arena *temporary)
{
    size_t n = (size_t)rig->vertex_count;
    skin->rest_positions = wri_arena_alloc(&skin->arena, n, sizeof *skin->rest_positions);
    if (!skin->rest_positions) {
        return false;
    }
    memcpy(skin->rest_positions, rig->rest, n * sizeof *rig->rest);
    return pack_carriers(skin, rig) && pack_details(skin, rig) &&
           pack_gradients(skin, rig, temporary);
}

// --- what changes -----------------------------------------------------------------------------

static void add_found(int item, uint8_t *marks, int *found, int *count)
{
    if (!marks[item]) {
        marks[item] = 1;
        found[(*count)++] = item;
    }
}

static int clear_marks(uint8_t *marks, const int *found, int count)
{
    for (int i = 0; i < count; i++) {
        marks[found[i]] = 0;
    }
    return count;
}

int wr_skin_find_around(const wr_skin *skin, const int *vertices, int count, uint8_t *marks,
                        int *found)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        int v = vertices[i];
        add_found(v, marks, found, &total);
        for (int k = skin->gradient_begin[v]; k < skin->gradient_begin[v + 1]; k++) {
            add_found(skin->gradients[k].vertex, marks, found, &total);
        }
    }
    return clear_marks(marks, found, total);
}

int wr_skin_find_rides(const wr_skin *skin, const int *vertices, int count, uint8_t *marks,
                       int *found)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        int v = vertices[i];
        for (int k = skin->rides_begin[v]; k < skin->rides_begin[v + 1]; k++) {
            add_found(skin->rides_of[k], marks, found, &total);
        }
    }
    return clear_marks(marks, found, total);
}

// --- every frame ------------------------------------------------------------------------------

typedef struct ride_context {
    const wr_skin *skin;
    const int *list; // NULL: all
    const float *E;  // NULL: without details
    const wr_vec3 *x, *rest_normals;
    const wr_mat3 *gradients;
    wr_mat3 *F;
    wr_vec3 *out;
} ride_context;

static void find_gradients(void *context, int block, int begin, int end)
{
    (void)block;
    const ride_context *ctx = context;
    const wr_skin *skin = ctx->skin;
    for (int i = begin; i < end; i++) {
        int v = ctx->list ? ctx->list[i] : i;
        wr_mat3 f = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        for (int k = skin->gradient_begin[v]; k < skin->gradient_begin[v + 1]; k++) {
            const wri_gradient_entry *entry = &skin->gradients[k];
            wr_vec3 d = wr_sub(ctx->x[entry->vertex], skin->rest_positions[entry->vertex]);
            const float row[3] = {d.x, d.y, d.z};
            for (int r = 0; r < 3; r++) {
                f.m[r][0] += row[r] * entry->g.x;
                f.m[r][1] += row[r] * entry->g.y;
                f.m[r][2] += row[r] * entry->g.z;
            }
        }
        ctx->F[v] = f;
    }
}

void wr_skin_gradients(const wr_skin *skin, const wr_vec3 *x, const int *vertices, int count,
                       const wr_tasks *tasks, wr_mat3 *F)
{
    ride_context ctx = {.skin = skin, .list = vertices, .x = x, .F = F};
    int items = vertices ? count : skin->info.vertex_count;
    wri_parallel_for(tasks, items, GRAIN, find_gradients, &ctx);
}

static wr_vec3 add_details(const ride_context *ctx, int ride, wr_vec3 p)
{
    const wri_carrier *c = &ctx->skin->carriers[ride];
    int examples = ctx->skin->info.example_count;
    const wr_vec3 *details = &ctx->skin->details[(size_t)ride * (size_t)(examples - 1)];
    for (int e = 1; e < examples; e++) {
        float share = 0.0f;
        for (int k = 0; k < 4; k++) {
            share += c->weights[k] * ctx->E[(size_t)c->vertices[k] * (size_t)examples + (size_t)e];
        }
        p = wr_add_scaled(p, share, details[e - 1]);
    }
    return p;
}

static void carry_positions(void *context, int block, int begin, int end)
{
    (void)block;
    const ride_context *ctx = context;
    for (int i = begin; i < end; i++) {
        int ride = ctx->list ? ctx->list[i] : i;
        const wri_carrier *c = &ctx->skin->carriers[ride];
        wr_vec3 p = wr_scale(c->weights[0], ctx->x[c->vertices[0]]);
        for (int k = 1; k < 4; k++) {
            p = wr_add_scaled(p, c->weights[k], ctx->x[c->vertices[k]]);
        }
        p.z += c->height;
        ctx->out[ride] = ctx->E ? add_details(ctx, ride, p) : p;
    }
}

void wr_skin_ride_positions(const wr_skin *skin, const float *E, const wr_vec3 *x, const int *rides,
                            int count, const wr_tasks *tasks, wr_vec3 *positions)
{
    ride_context ctx = {
        .skin = skin, .list = rides, .E = skin->details ? E : NULL, .x = x, .out = positions};
    int items = rides ? count : skin->info.ride_count;
    wri_parallel_for(tasks, items, GRAIN, carry_positions, &ctx);
}

// Returns cof(F) n, which is perpendicular to what F makes of the tangents, whatever F does to
// volume.
static wr_vec3 turn_normal(const float f[3][3], wr_vec3 n)
{
    wr_vec3 a = wr_v3(f[0][0], f[0][1], f[0][2]), b = wr_v3(f[1][0], f[1][1], f[1][2]),
            c = wr_v3(f[2][0], f[2][1], f[2][2]);
    return wr_v3(wr_dot(wr_cross(b, c), n), wr_dot(wr_cross(c, a), n), wr_dot(wr_cross(a, b), n));
}

static void carry_normals(void *context, int block, int begin, int end)
{
    (void)block;
    const ride_context *ctx = context;
    for (int i = begin; i < end; i++) {
        int ride = ctx->list ? ctx->list[i] : i;
        const wri_carrier *c = &ctx->skin->carriers[ride];
        float f[3][3] = {{0}};
        for (int k = 0; k < 4; k++) {
            const wr_mat3 *g = &ctx->gradients[c->vertices[k]];
            for (int j = 0; j < 9; j++) {
                f[j / 3][j % 3] += c->weights[k] * g->m[j / 3][j % 3];
            }
        }
        wr_vec3 rest = ctx->rest_normals[ride], n = turn_normal(f, rest);
        float length = wr_length(n);
        ctx->out[ride] = length > 1e-12f && length < 1e18f ? wr_scale(1.0f / length, n) : rest;
    }
}

void wr_skin_ride_normals(const wr_skin *skin, const wr_mat3 *F, const wr_vec3 *rest_normals,
                          const int *rides, int count, const wr_tasks *tasks, wr_vec3 *normals)
{
    ride_context ctx = {
        .skin = skin, .list = rides, .gradients = F, .rest_normals = rest_normals, .out = normals};
    int items = rides ? count : skin->info.ride_count;
    wri_parallel_for(tasks, items, GRAIN, carry_normals, &ctx);
}
