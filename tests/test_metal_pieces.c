// Convex pieces beside the skin they stand for, measured by what made none of them: hulls by Qhull,
// distances to triangles, winding numbers.
#include "check.h"
#include "solids.h"

#include "../bench/barrel.h"
#include "../src/geometry/winding.h"
#include "../src/metal/metal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXAMPLES = 3, FACES_MAX = 4096 };

// --- a crate ----------------------------------------------------------------------------------

// The outermost cells of a grid, without some of one side: hollow, open, its sides unlike each
// other, and turned.
typedef struct crate {
    wr_rig rig;
    wr_tet_mesh *grid;
    wr_handle handle;
    wr_handle_pose pose;
    wr_example examples[EXAMPLES];
    float *weights;
} crate;

enum { NX = 11, NY = 8, NZ = 9 };

static bool is_wall(int cell)
{
    int x = cell % NX, y = cell / NX % NY, z = cell / NX / NY;
    bool open = z == NZ - 1 && x > 5 && x < 9 && y > 2 && y < 7;
    return (x == 0 || x == NX - 1 || y == 0 || y == NY - 1 || z == 0 || z == NZ - 1) && !open;
}

// Keeps the elements of walls and their vertices.
static void hollow_out(crate *c)
{
    wr_tet_mesh *g = c->grid;
    int *number = malloc((size_t)g->vertex_count * sizeof *number), elements = 0, vertices = 0;
    for (int v = 0; v < g->vertex_count; v++) {
        number[v] = -1;
    }
    for (int e = 0; e < 6 * NX * NY * NZ; e++) {
        for (int k = 0; k < 4 && is_wall(e / 6); k++) {
            int v = g->tetrahedra[4 * e + k];
            number[v] = 0;
            g->tetrahedra[4 * elements + k] = v;
        }
        elements += is_wall(e / 6);
    }
    for (int v = 0; v < g->vertex_count; v++) {
        if (number[v] == 0) {
            number[v] = vertices;
            g->positions[vertices++] = g->positions[v];
        }
    }
    for (int i = 0; i < 4 * elements; i++) {
        g->tetrahedra[i] = number[g->tetrahedra[i]];
    }
    c->rig.vertex_count = vertices;
    c->rig.element_count = elements;
    free(number);
}

// Pushes what is near a place towards it and beyond, as a blunt blow does.
static void dent(crate *c, int example, wr_vec3 at, float radius, wr_vec3 by)
{
    for (int v = 0; v < c->rig.vertex_count; v++) {
        float d = wr_distance(c->grid->positions[v], at) / radius;
        float share = d < 1.0f ? (1.0f - d * d) * (1.0f - d * d) : 0.0f;
        wr_vec3 *out = &c->examples[example].correctives[v];
        *out = wr_add_scaled(*out, share, by);
    }
}

static void crate_start(crate *c)
{
    *c = (crate){.grid = make_grid(NX, NY, NZ, 0.1f),
                 .handle = {"", {0, 0, 0}, -1, -1},
                 .pose = {WR_QUAT_IDENTITY, {0, 0, 0}, {1, 1, 1, 0, 0, 0}}};
    hollow_out(c);
    size_t n = (size_t)c->rig.vertex_count;
    c->weights = malloc(n * sizeof *c->weights);
    for (int e = 0; e < EXAMPLES; e++) {
        static const char *const names[] = {"rest", "side", "corner"};
        c->examples[e] = (wr_example){.name = names[e],
                                      .poses = &c->pose,
                                      .correctives = e > 0 ? calloc(n, sizeof(wr_vec3)) : NULL};
    }
    dent(c, 1, wr_v3(0, 0.45f, 0.4f), 0.42f, wr_v3(0.3f, 0.02f, 0.05f));
    dent(c, 2, wr_v3(1.1f, 0.8f, 0.1f), 0.5f, wr_v3(-0.2f, -0.15f, 0.1f));
    wr_quat turn = wr_quat_from_axis_angle(wr_normalize(wr_v3(1, 2, -0.5f)), 0.7f);
    for (size_t v = 0; v < n; v++) {
        c->weights[v] = 1.0f;
        c->grid->positions[v] = wr_rotate(turn, c->grid->positions[v]);
        for (int e = 1; e < EXAMPLES; e++) {
            wr_vec3 *d = &c->examples[e].correctives[v];
            *d = wr_rotate(turn, *d);
        }
    }
    c->rig = (wr_rig){.dimension = 3,
                      .vertex_count = c->rig.vertex_count,
                      .rest = c->grid->positions,
                      .element_count = c->rig.element_count,
                      .elements = c->grid->tetrahedra,
                      .handle_count = 1,
                      .handles = &c->handle,
                      .weights = c->weights,
                      .example_count = EXAMPLES,
                      .examples = c->examples};
}

static void crate_stop(crate *c)
{
    for (int e = 0; e < EXAMPLES; e++) {
        free(c->examples[e].correctives);
    }
    free(c->weights);
    wr_tet_mesh_destroy(c->grid);
}

static wr_metal_asset *make_asset(const wr_rig *rig, float within)
{
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    wr_error error = {0};
    desc.rig = rig;
    desc.within = within;
    wr_metal_asset *asset = wr_metal_asset_create(&desc, &error);
    if (!asset) {
        fail_msg("%s", error.message);
    }
    return asset;
}

// --- measuring --------------------------------------------------------------------------------

// All in body sizes.
typedef struct measured {
    double covered; // how deep a vertex of the skin lies in a hull
    double bare;    // how far one is outside of all hulls
    double off;     // how far a hull stands off the skin, outside of the body
    double far_off; // the share of the hulls' surface that stands off by more than `within`
} measured;

typedef struct hull {
    int count;
    struct {
        wr_vec3 normal;
        float at;
    } planes[FACES_MAX];
} hull;

static double height_over(const hull *h, wr_vec3 p)
{
    double most = -INFINITY;
    for (int i = 0; i < h->count; i++) {
        most = fmax(most, (double)(wr_dot(h->planes[i].normal, p) - h->planes[i].at));
    }
    return most;
}

static void measure_face(const wri_soup *soup, const wr_vec3 corners[3], double size, double within,
                         measured *m, double *samples)
{
    wr_vec3 a = corners[0], u = wr_sub(corners[1], a), v = wr_sub(corners[2], a);
    double longest = fmax((double)wr_length(u), (double)wr_length(v));
    int parts = 1 + (int)(longest / (0.03 * size));
    for (int i = 0; i <= parts; i++) {
        for (int j = 0; j <= parts - i; j++) {
            wr_vec3 p = wr_add_scaled(wr_add_scaled(a, (float)i / (float)parts, u),
                                      (float)j / (float)parts, v);
            const double place[3] = {(double)p.x, (double)p.y, (double)p.z};
            double off = sqrt(wri_soup_nearest(soup, place).distance2) / size;
            *samples += 1.0;
            if (off > fmin(within, fmax(m->off, 0.5 * within)) &&
                fabs(wri_winding(soup, place, WRI_WINDING_ACCURACY)) < 0.5) {
                m->off = fmax(m->off, off);
                m->far_off += off > within;
            }
        }
    }
}

static void measure_piece(const wr_metal_asset *asset, const wri_soup *soup, int piece,
                          const wr_vec3 *x, double within, hull *h, measured *m, double *samples)
{
    int first = asset->piece_begin[piece], count = asset->piece_begin[piece + 1] - first;
    wr_vec3 *points = malloc((size_t)count * sizeof *points);
    wr_error error = {0};
    for (int i = 0; i < count; i++) {
        points[i] = x[asset->piece_vertices[first + i]];
    }
    wr_model *model = wr_hull_create(points, count, &error);
    if (!model) {
        fail_msg("%s", error.message);
    }
    const wr_mesh *mesh = &model->meshes[0];
    h->count = mesh->triangle_count;
    assert_true(h->count <= FACES_MAX);
    for (int t = 0; t < mesh->triangle_count; t++) {
        wr_vec3 corners[3];
        for (int k = 0; k < 3; k++) {
            corners[k] = mesh->positions[mesh->triangles[3 * t + k]];
        }
        wr_vec3 across = wr_cross(wr_sub(corners[1], corners[0]), wr_sub(corners[2], corners[0]));
        h->planes[t].normal = wr_normalize(across);
        h->planes[t].at = wr_dot(h->planes[t].normal, corners[0]);
        measure_face(soup, corners, (double)asset->L, within, m, samples);
    }
    wr_model_destroy(model);
    free(points);
}

// The pieces of a shape of the body.
static measured measure(const wr_metal_asset *asset, const wr_vec3 *x, double within)
{
    measured m = {0};
    wri_arena arena = wri_arena_create(NULL);
    wri_soup soup;
    double samples = 0.0, *heights = malloc((size_t)asset->N * sizeof *heights);
    hull *h = malloc(sizeof *h);
    assert_true(wri_soup_build(&soup, &arena, x, asset->triangles, asset->outer_count));
    for (int v = 0; v < asset->N; v++) {
        heights[v] = INFINITY;
    }
    for (int piece = 0; piece < asset->piece_count; piece++) {
        measure_piece(asset, &soup, piece, x, within, h, &m, &samples);
        for (int s = 0; s < asset->surface_count; s++) {
            int v = asset->surface[s];
            heights[v] = fmin(heights[v], height_over(h, x[v]) / (double)asset->L);
        }
    }
    for (int s = 0; s < asset->surface_count; s++) {
        m.covered = fmax(m.covered, -heights[asset->surface[s]]);
        m.bare = fmax(m.bare, heights[asset->surface[s]]);
    }
    m.far_off /= samples;
    free(h);
    free(heights);
    wri_arena_destroy(&arena);
    return m;
}

// The shape with a share of one example and the rest of another.
static measured measure_mixed(const wr_metal_asset *asset, int first, int second, float share,
                              double within)
{
    size_t n = (size_t)asset->N, examples = (size_t)asset->E;
    float *rows = calloc(n * examples, sizeof *rows);
    wr_vec3 *x = malloc(n * sizeof *x);
    for (size_t v = 0; v < n; v++) {
        rows[v * examples + (size_t)first] += share;
        rows[v * examples + (size_t)second] += 1.0f - share;
    }
    wr_skin_positions(asset->skin, rows, NULL, 0, NULL, x);
    measured m = measure(asset, x, within);
    printf("    %3.0f %% of %d, %3.0f %% of %d: %d pieces, covered %.2f %%, bare %.2f %%, off %.2f "
           "%%, %.2f %% of the hulls by more than %.0f %%\n",
           (double)(100.0f * share), first, (double)(100.0f - 100.0f * share), second,
           asset->piece_count, 100.0 * m.covered, 100.0 * m.bare, 100.0 * m.off, 100.0 * m.far_off,
           100.0 * within);
    free(x);
    free(rows);
    return m;
}

// --- promises ---------------------------------------------------------------------------------

// Ways out of a hull lean by up to 60 degrees from the skin's normal, so here and there the hull
// stands off by up to twice the depth of the skin.
static void check_follows(const wr_metal_asset *asset, int first, int second, float share,
                          double within, double most_off, double most_far_off)
{
    measured m = measure_mixed(asset, first, second, share, within);
    assert_true(m.covered <= within * (share == 1.0f ? 1.05 : 1.3));
    assert_true(m.bare <= 0.01);
    assert_true(m.off <= most_off && m.far_off <= most_far_off);
}

static void pieces_follow_both_sides_of_a_hollow_body(void **state)
{
    (void)state;
    crate c;
    crate_start(&c);
    static const float within[] = {0.04f, 0.02f};
    int before = 0;
    for (int i = 0; i < 2; i++) {
        wr_metal_asset *asset = make_asset(&c.rig, within[i]);
        assert_true(wr_metal_asset_describe(asset).piece_error <= within[i]);
        for (int e = 0; e < EXAMPLES; e++) {
            check_follows(asset, e, 0, 1.0f, (double)within[i], 2.0 * (double)within[i], 0.01);
            check_follows(asset, e, 0, 0.5f, (double)within[i], 2.0 * (double)within[i], 0.01);
        }
        check_follows(asset, 1, 2, 0.6f, (double)within[i], 2.0 * (double)within[i], 0.01);
        assert_true(asset->piece_count > before && asset->piece_count < 250);
        before = asset->piece_count;
        wr_metal_asset_destroy(asset);
    }
    // A dozen pieces by number fill the inside: the measure sees it.
    wr_metal_asset *filled = make_asset(&c.rig, 0.0f);
    measured m = measure_mixed(filled, 1, 0, 1.0f, 0.02);
    assert_true(m.off > 0.1 && m.far_off > 0.1 && m.bare <= 0.01);
    wr_metal_asset_destroy(filled);
    crate_stop(&c);
}

static void pieces_follow_a_solid_body(void **state)
{
    (void)state;
    barrel *b = barrel_create(6, 13, 0.76f);
    wr_metal_asset *asset = make_asset(&b->rig, 0.015f);
    for (int e = 0; e < BARREL_EXAMPLES; e++) {
        check_follows(asset, e, 0, 1.0f, 0.015, 0.03, 0.01);
    }
    check_follows(asset, 1, 2, 0.5f, 0.015, 0.03, 0.01);
    wr_metal_asset_destroy(asset);
    barrel_destroy(b);
}

// Points of pieces are copies of vertices: those of changed vertices, and no others, are written.
static void dents_move_the_pieces_they_reach(void **state)
{
    (void)state;
    crate c;
    crate_start(&c);
    wr_metal_asset *asset = make_asset(&c.rig, 0.01f);
    wr_metal_desc desc = wr_metal_desc_default();
    desc.asset = asset;
    wr_metal *body = wr_metal_create(&desc, NULL);
    assert_non_null(body);
    assert_true(asset->piece_count > 64);
    float j = (float)wr_metal_mass(body).mass * wr_metal_asset_describe(asset).unit_speed;
    const wr_vec3 *by = c.examples[1].correctives;
    int at = 0, moved = 0;
    for (int v = 0; v < asset->N; v++) {
        at = wr_length(by[v]) > wr_length(by[at]) ? v : at;
    }
    wr_metal_add_impulse(body, wr_metal_positions(body)[at], wr_scale(j, wr_normalize(by[at])));
    for (int i = 0; i < 4000 && !(i > 0 && wr_metal_is_idle(body)); i++) {
        wr_metal_step(body, 1.0f / 240.0f);
        for (int piece = 0; piece < asset->piece_count; piece++) {
            int count;
            const wr_vec3 *points = wr_metal_piece_points(body, piece, &count);
            const int *vertices = &asset->piece_vertices[asset->piece_begin[piece]];
            for (int k = 0; k < count; k++) {
                assert_memory_equal(&points[k], &wr_metal_positions(body)[vertices[k]],
                                    sizeof(wr_vec3));
            }
            moved += wr_metal_piece_changed(body, piece);
        }
    }
    assert_true(moved > 0);
    wr_metal_destroy(body);
    wr_metal_asset_destroy(asset);
    crate_stop(&c);
}

static void pieces_survive_a_heap_that_refuses(void **state)
{
    (void)state;
    barrel *b = barrel_create(4, 5, 0.76f);
    wr_metal_asset_desc desc = wr_metal_asset_desc_default();
    desc.rig = &b->rig;
    desc.within = 0.02f;
    bool made = false;
    for (int budget = 0; !made; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        desc.allocator = &allocator;
        wr_metal_asset *asset = wr_metal_asset_create(&desc, &error);
        made = asset != NULL;
        assert_true(made || error.code == WR_E_MEMORY);
        wr_metal_asset_destroy(asset);
        assert_int_equal(heap.alive, 0);
    }
    barrel_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_both_sides_of_a_hollow_body),
        cmocka_unit_test(pieces_follow_a_solid_body),
        cmocka_unit_test(dents_move_the_pieces_they_reach),
        cmocka_unit_test(pieces_survive_a_heap_that_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
