// test_weights.c: promises of sparse Cholesky, handles and bounded biharmonic weights.
#include "solids.h"

#include "../src/author/biharmonic.h"
#include "../src/author/cholesky.h"
#include "../src/author/laplacian.h"
#include "../src/geometry/shape_frame.h"
#include "wrought/file.h"

static const char *data_path(const char *name)
{
    static char path[2][512];
    static int next = 0;
    const char *folder = getenv("WROUGHT_DATA");
    char *out = path[next++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", folder ? folder : "../shared/data", name);
    return access(out, R_OK) == 0 ? out : NULL;
}

// --- sparse Cholesky --------------------------------------------------------------------------

static void cholesky_solves_and_refactors(void **state)
{
    (void)state;
    enum { N = 60 };
    wri_arena arena = wri_arena_create(NULL);
    wri_triplet entries[3 * N];
    int count = 0;
    for (int i = 0; i < N; i++) { // a chain; the diagonal in two pieces
        entries[count++] = (wri_triplet){i, i, 1.5};
        entries[count++] = (wri_triplet){i, i, 1.0};
        if (i > 0) {
            entries[count++] = (wri_triplet){i, i - 1, -1.0};
        }
    }
    wri_sparse lower;
    wr_error error = {0};
    assert_true(wri_sparse_create(&lower, &arena, N, entries, (size_t)count));
    assert_int_equal(lower.begin[N], 2 * N - 1);
    wri_cholesky *c = wri_cholesky_create(&lower, NULL, NULL, &error);
    assert_non_null(c);
    for (int round = 0; round < 2; round++) {
        double x[2 * N], b[2 * N], diagonal = 2.5 + round;
        for (int i = 0; i < N; i++) {
            lower.values[lower.begin[i + 1] - 1] = diagonal;
        }
        for (int i = 0; i < 2 * N; i++) {
            x[i] = sin(i + 1.0);
        }
        for (int i = 0; i < 2 * N; i++) {
            b[i] =
                diagonal * x[i] - (i % N > 0 ? x[i - 1] : 0.0) - (i % N < N - 1 ? x[i + 1] : 0.0);
        }
        assert_true(wri_cholesky_factor(c, &lower, &error));
        wri_cholesky_solve(c, 2, b, b);
        for (int i = 0; i < 2 * N; i++) {
            CHECK_NEAR(b[i], x[i], 1e-13);
        }
    }
    lower.values[0] = -1.0;
    assert_false(wri_cholesky_factor(c, &lower, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    int order[N];
    lower.index[0] = N;
    assert_false(wri_cholesky_order(&lower, order, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_string_equal(error.message, "a matrix of 60 rows has an entry outside of it");
    wri_cholesky_destroy(c);
    wri_arena_destroy(&arena);
}

// The lower triangle of D + (random symmetric entries between neighbours of a grid and their
// neighbours), diagonally dominant: no two rows are alike, and the factor fills in.
static wri_sparse make_matrix(wri_arena *arena, int side)
{
    static wri_triplet entries[7 * 10 * 10 * 10];
    int n = side * side * side, count = 0;
    static const int steps[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                    {1, 1, 0}, {0, 2, 0}, {0, 1, 1}};
    uint32_t seed = 1;
    for (int v = 0; v < n; v++) {
        int at[3] = {v % side, v / side % side, v / side / side};
        entries[count++] = (wri_triplet){v, v, 12.0 + 0.1 * (v % 7)};
        for (int s = 0; s < 6; s++) {
            int x = at[0] - steps[s][0], y = at[1] - steps[s][1], z = at[2] - steps[s][2];
            if (x >= 0 && y >= 0 && z >= 0) {
                seed = seed * 1664525u + 1013904223u;
                double value = (double)(seed >> 8) * 0x1p-23 - 1.0;
                entries[count++] = (wri_triplet){v, (z * side + y) * side + x, value};
            }
        }
    }
    wri_sparse lower;
    assert_true(wri_sparse_create(&lower, arena, n, entries, (size_t)count));
    return lower;
}

// Largest entry of A x - b.
static double residual_of(const wri_sparse *lower, const double *x, const double *b)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_sparse full;
    double worst = 0.0, *ax = wri_arena_alloc(&arena, (size_t)lower->size, sizeof *ax);
    assert_true(ax && wri_sparse_mirror(&full, &arena, lower));
    wri_sparse_multiply(&full, x, ax, 1, NULL);
    for (int i = 0; i < lower->size; i++) {
        worst = fmax(worst, fabs(ax[i] - b[i]));
    }
    wri_arena_destroy(&arena);
    return worst;
}

static void cholesky_solves_what_fills_in_in_any_order(void **state)
{
    (void)state;
    wri_arena arena = wri_arena_create(NULL);
    wri_sparse lower = make_matrix(&arena, 10);
    int n = lower.size;
    int *backwards = wri_arena_alloc(&arena, (size_t)n, sizeof *backwards);
    double *b = wri_arena_alloc(&arena, (size_t)n, sizeof *b);
    double *x = wri_arena_alloc(&arena, (size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) {
        backwards[i] = n - 1 - i;
        b[i] = sin(i + 1.0);
    }
    for (int round = 0; round < 2; round++) {
        wr_error error = {0};
        wri_cholesky *c = wri_cholesky_create(&lower, round ? backwards : NULL, NULL, &error);
        assert_non_null(c);
        assert_true(wri_cholesky_factor(c, &lower, &error));
        wri_cholesky_solve(c, 1, b, x);
        assert_true(residual_of(&lower, x, b) < 1e-13);
        double kept = lower.values[lower.begin[778] - 1]; // the diagonal of row 777
        lower.values[lower.begin[778] - 1] = -50.0;
        assert_false(wri_cholesky_factor(c, &lower, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_non_null(strstr(error.message, "row "));
        lower.values[lower.begin[778] - 1] = kept;
        wri_cholesky_destroy(c);
    }
    wri_arena_destroy(&arena);
}

// A linear function has no Laplacian inside, and its energy is the volume times its squared slope.
static void the_laplacian_is_exact_for_linear_functions(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(4, 4, 4, 0.5f);
    wri_arena arena = wri_arena_create(NULL);
    wri_elements elements = {3, mesh->vertex_count, mesh->tetrahedron_count, mesh->positions,
                             mesh->tetrahedra};
    wri_laplacian l;
    mesh->positions[62] = wr_v3(1.1f, 0.9f, 1.05f); // the middle: no two angles alike there
    assert_true(wri_laplacian_create(&l, &arena, &elements, 1.0));
    double x[125], y[125], energy = 0.0, mass = 0.0;
    for (int v = 0; v < 125; v++) {
        wr_vec3 p = mesh->positions[v];
        x[v] = 2.0 * (double)p.x - (double)p.y + 3.0 * (double)p.z + 7.0;
        mass += l.mass[v];
    }
    wri_sparse_multiply(&l.stiffness, x, y, 1, NULL);
    for (int v = 0; v < 125; v++) {
        energy += x[v] * y[v];
        int i = v % 5, j = v / 5 % 5, k = v / 25;
        if (i % 4 && j % 4 && k % 4) {
            CHECK_NEAR(y[v], 0.0, 1e-12);
        }
    }
    CHECK_NEAR(energy, 8.0 * 14.0, 1e-10);
    CHECK_NEAR(mass, 8.0, 1e-12);
    wri_arena_destroy(&arena);
    wr_tet_mesh_destroy(mesh);
}

// --- handles ----------------------------------------------------------------------------------

static double gap(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

// Rounded to one of 1024 steps between a power of two and the next.
static double coarse_gap(wr_vec3 a, wr_vec3 b)
{
    double d = gap(a, b), unit = exp2(floor(log2(d)) - 9.0);
    return d > 0.0 ? round(d / unit) * unit : 0.0;
}

// True when of the closest pair the first goes: it is deeper in the box, or nearer to its middle.
static bool first_goes(wr_box box, wr_vec3 a, wr_vec3 b)
{
    double depth[2], reach[2];
    for (int k = 0; k < 2; k++) {
        wr_vec3 p = k ? b : a;
        depth[k] = fmin(fmin(fmin((double)p.x - box.min.x, (double)box.max.x - p.x),
                             fmin((double)p.y - box.min.y, (double)box.max.y - p.y)),
                        fmin((double)p.z - box.min.z, (double)box.max.z - p.z));
        depth[k] = round(1e4 * depth[k] / (double)wr_distance(box.min, box.max));
        reach[k] = coarse_gap(p, wr_box_center(box));
    }
    return depth[0] != depth[1] ? depth[0] > depth[1] : reach[0] < reach[1];
}

// The same by looking at all pairs every time; points of the hull of a box only.
static void thin_out_slowly(const wr_vec3 *points, int count, const uint8_t *placed, int left,
                            uint8_t *gone)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        box = wr_box_add(box, points[i]);
    }
    for (int n = count; n > left; n--) {
        int a = -1, b = -1;
        double best = INFINITY;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                double d = coarse_gap(points[i], points[j]);
                if (!gone[i] && !gone[j] && !(placed[i] && placed[j]) && d < best) {
                    best = d;
                    a = i;
                    b = j;
                }
            }
        }
        bool drop_a = placed[b] || (!placed[a] && first_goes(box, points[a], points[b]));
        gone[drop_a ? a : b] = 1;
    }
}

static void handles_are_what_is_left_when_the_closest_pairs_are_thinned_out(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(5, 4, 3, 0.1f);
    uint64_t seed = 7;
    for (int v = 0; v < mesh->vertex_count; v++) { // no two distances alike
        mesh->positions[v].x += random_float(&seed, -0.02f, 0.02f);
        mesh->positions[v].y += random_float(&seed, -0.02f, 0.02f);
        mesh->positions[v].z += random_float(&seed, -0.02f, 0.02f);
    }
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    enum { WANTED = 11 };
    const int placed[2] = {50, 51}; // neighbours: both stay
    wr_handle_set *set = wr_handles_place(&solid, placed, 2, WANTED, NULL, &error);
    assert_non_null(set);
    wr_model *surface = wr_tet_mesh_create_surface(mesh, NULL, &error);
    double axes[3][3];
    wri_shape_frame(surface->meshes->positions, surface->meshes->triangles,
                    surface->meshes->triangle_count, axes);
    wr_model_destroy(surface);
    wr_vec3 points[120];
    uint8_t is_placed[120] = {0}, gone[120] = {0};
    int vertex[120], count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        int x = v % 6, y = v / 6 % 5, z = v / 30;
        if (x % 5 == 0 || y % 4 == 0 || z % 3 == 0 || v == 50 || v == 51) {
            is_placed[count] = v == 50 || v == 51;
            vertex[count] = v;
            points[count++] = wri_into_frame((const double(*)[3])axes, mesh->positions[v]);
        }
    }
    thin_out_slowly(points, count, is_placed, WANTED, gone);
    assert_int_equal(set->handle_count, WANTED);
    assert_int_equal(set->handles[0].vertex, 50);
    assert_int_equal(set->handles[1].vertex, 51);
    assert_string_equal(set->handles[10].name, "h10");
    for (int i = 0, next = 2; i < count; i++) {
        if (!gone[i] && !is_placed[i]) {
            assert_int_equal(set->handles[next++].vertex, vertex[i]);
        }
    }
    wr_handle_set_destroy(set);
    assert_null(wr_handles_place(&solid, placed, 2, 1000, NULL, &error));
    assert_null(wr_handles_place(&solid, (const int[]){3, 3}, 2, 5, NULL, &error));
    wr_tet_mesh_destroy(mesh);
}

static void bones_hold_the_vertices_on_them_and_know_their_parents(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(4, 2, 2, 1.0f);
    wr_error error = {0};
    wr_handle_graph *graph = wr_handle_graph_create(4, 2, NULL, &error);
    graph->positions[0] = wr_v3(0, 1, 1);
    graph->positions[1] = wr_v3(2, 1, 1);
    graph->positions[2] = wr_v3(4, 1, 1);
    graph->positions[3] = wr_v3(2.2f, 2.1f, 0);
    graph->edges[0] = (wr_handle_edge){.from = 1, .to = 2, .is_bone = true};
    graph->edges[1] = (wr_handle_edge){.from = 0, .to = 1, .is_bone = true};
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_handle_set *set = wr_handles_from_graph(&solid, graph, 0.0f, NULL, &error);
    assert_non_null(set);
    assert_int_equal(set->handle_count, 3);
    assert_int_equal(set->point_count, 1);
    assert_int_equal(set->moved_count, 1);
    assert_int_equal(set->sources[1], 1); // the parent comes first
    assert_int_equal(set->handles[2].parent, 1);
    assert_int_equal(set->anchor_count, 1 + 3 + 3);
    assert_int_equal(set->anchors[0].vertex, 2 + 2 * 5); // the nearest
    wr_handle_set_destroy(set);
    wr_handle_graph_destroy(graph);
    wr_tet_mesh_destroy(mesh);
}

// --- weights ----------------------------------------------------------------------------------

typedef struct solution {
    wr_handle_set *set;
    float *w;
    wr_weights_report report;
    int vertices, handles;
} solution;

static solution solve(const wr_tet_mesh *mesh, wr_handle_set *set, int workers)
{
    solution s = {.set = set, .vertices = mesh->vertex_count, .handles = set->handle_count};
    wr_error error = {0};
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = wr_solid_from_tets(mesh);
    desc.handles = set;
    desc.tasks = workers > 1 ? wr_tasks_openmp(workers) : (wr_tasks){0};
    s.w = calloc((size_t)s.vertices * (size_t)s.handles, sizeof *s.w);
    if (!wr_weights_find(&desc, s.w, &s.report, &error)) {
        fail_msg("%s", error.message);
    }
    return s;
}

static solution solve_placed(const wr_tet_mesh *mesh, const int *placed, int count)
{
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    wr_handle_set *set = wr_handles_place(&solid, placed, count, count, NULL, &error);
    if (!set) {
        fail_msg("%s", error.message);
    }
    return solve(mesh, set, 1);
}

static void forget(solution *s)
{
    wr_handle_set_destroy(s->set);
    free(s->w);
}

static void check_properties(const solution *s)
{
    for (int v = 0; v < s->vertices; v++) {
        double sum = 0.0;
        for (int j = 0; j < s->handles; j++) {
            float w = s->w[v * s->handles + j];
            assert_true(w >= 0.0f && w <= 1.0f);
            sum += (double)w;
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
    }
    for (int i = 0; i < s->set->anchor_count; i++) {
        wr_anchor a = s->set->anchors[i];
        bool shared = false;
        for (int k = 0; k < s->set->anchor_count; k++) {
            shared = shared || (k != i && s->set->anchors[k].vertex == a.vertex);
        }
        if (!shared) {
            assert_true(s->w[a.vertex * s->handles + a.handle] == 1.0f);
        }
    }
    assert_true(s->report.has_converged);
    assert_true(s->report.kkt_residual <= 1e-5);
}

static void weights_sum_to_one_within_bounds_and_hold_their_handles(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(8, 5, 4, 0.1f);
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    solution s = solve(mesh, wr_handles_place(&solid, NULL, 0, 7, NULL, &error), 1);
    check_properties(&s);
    // Smooth: along an edge, a fraction of the size of the body, a weight changes by a fraction.
    double steepest = 0.0;
    for (int e = 0; e < mesh->tetrahedron_count; e++) {
        for (int j = 0; j < s.handles; j++) {
            double a = s.w[mesh->tetrahedra[4 * e] * s.handles + j];
            steepest = fmax(steepest, fabs(a - s.w[mesh->tetrahedra[4 * e + 1] * s.handles + j]));
        }
    }
    assert_true(steepest < 0.5);
    forget(&s);
    wr_tet_mesh_destroy(mesh);
}

static void weights_of_a_sheet_are_as_symmetric_as_it_is(void **state)
{
    (void)state;
    enum { N = 12 };
    wr_tet_mesh *mesh = make_sheet(N, 0.1f);
    const int side = N + 1, corners[5] = {0, N, side * N, side * N + N, N / 2 * side + N / 2};
    solution s = solve_placed(mesh, corners, 5);
    check_properties(&s);
    for (int v = 0; v < side * side; v++) {
        int x = v % side, y = v / side, mirrored = N - x + y * side, turned = y + (N - x) * side;
        CHECK_NEAR(s.w[v * 5], s.w[mirrored * 5 + 1], 1e-4);
        CHECK_NEAR(s.w[v * 5], s.w[turned * 5 + 2], 1e-4);
        CHECK_NEAR(s.w[v * 5 + 4], s.w[mirrored * 5 + 4], 1e-4);
        CHECK_NEAR(s.w[v * 5 + 4], s.w[turned * 5 + 4], 1e-4);
    }
    forget(&s);
    wr_tet_mesh_destroy(mesh);
}

// Half the integral of the squared Laplacian, of all handles together, with lengths in units of
// twice the root mean square distance of the vertices from their middle.
static void the_energy_is_that_of_the_weights(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(6, 4, 3, 0.25f);
    const int placed[4] = {0, 6, 100, 139};
    solution s = solve_placed(mesh, placed, 4);
    wri_arena arena = wri_arena_create(NULL);
    wri_elements elements = {3, mesh->vertex_count, mesh->tetrahedron_count, mesh->positions,
                             mesh->tetrahedra};
    wri_laplacian l;
    double size = 2.0 * 0.25 * sqrt(4.0 + 2.0 + 1.25), energy = 0.0; // of 7, 5 and 4 in a row
    assert_true(wri_laplacian_create(&l, &arena, &elements, size));
    double w[140], lw[140];
    assert_int_equal(mesh->vertex_count, 140);
    for (int j = 0; j < s.handles; j++) {
        for (int v = 0; v < 140; v++) {
            w[v] = (double)s.w[v * s.handles + j];
        }
        wri_sparse_multiply(&l.stiffness, w, lw, 1, NULL);
        for (int v = 0; v < 140; v++) {
            energy += 0.5 * lw[v] * lw[v] / l.mass[v];
        }
    }
    CHECK_NEAR(s.report.energy / energy, 1.0, 0.02); // it is taken before rows are made to sum to 1
    wri_arena_destroy(&arena);
    forget(&s);
    wr_tet_mesh_destroy(mesh);
}

static void rigid_motion_and_scale_do_not_change_weights(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(6, 4, 3, 0.25f);
    const int placed[4] = {0, 6, 100, 139};
    solution a = solve_placed(mesh, placed, 4);
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(1, 2, 3), 1.1f);
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[v] =
            wr_add(wr_scale(37.0f, wr_rotate(turn, mesh->positions[v])), wr_v3(5, -8, 20));
    }
    solution b = solve_placed(mesh, placed, 4);
    for (int i = 0; i < a.vertices * 4; i++) {
        CHECK_NEAR(a.w[i], b.w[i], 1e-3);
    }
    CHECK_NEAR(b.report.energy / a.report.energy, 1.0, 1e-4);
    forget(&a);
    forget(&b);
    wr_tet_mesh_destroy(mesh);
}

static void weights_are_the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(7, 6, 5, 0.1f);
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    solution a = solve(mesh, wr_handles_place(&solid, NULL, 0, 12, NULL, &error), 1);
    for (int workers = 5; workers >= 2; workers -= 3) { // LLVM's library leaks when a team grows
        wri_test_block_shuffle = workers;
        solution b = solve(mesh, wr_handles_place(&solid, NULL, 0, 12, NULL, &error), workers);
        wri_test_block_shuffle = 0;
        assert_memory_equal(a.w, b.w, (size_t)(a.vertices * a.handles) * sizeof(float));
        assert_true(a.report.energy == b.report.energy);
        forget(&b);
    }
    forget(&a);
    wr_tet_mesh_destroy(mesh);
}

// --- against another method -------------------------------------------------------------------

// Projected Gauss-Seidel with over-relaxation on Q, dense rows: another way to the same optimum.
static void solve_slowly(const wr_tet_mesh *mesh, const wr_handle_set *set, int handle, double *w)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_elements elements = {3, mesh->vertex_count, mesh->tetrahedron_count, mesh->positions,
                             mesh->tetrahedra};
    int n = mesh->vertex_count, *all = calloc((size_t)n, sizeof *all);
    wri_laplacian l;
    wri_sparse lower, full;
    double *inverse = calloc((size_t)n, sizeof *inverse);
    assert_true(wri_laplacian_create(&l, &arena, &elements, 1.0));
    for (int v = 0; v < n; v++) {
        all[v] = v;
        inverse[v] = 1.0 / l.mass[v];
    }
    assert_true(wri_sparse_square(&lower, &arena, &l.stiffness, inverse, all, n));
    wri_triplet *entries = calloc(2 * (size_t)lower.begin[n], sizeof *entries);
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        for (int k = lower.begin[i]; k < lower.begin[i + 1]; k++) {
            entries[count++] = (wri_triplet){i, lower.index[k], lower.values[k]};
            if (lower.index[k] != i) {
                entries[count++] = (wri_triplet){lower.index[k], i, lower.values[k]};
            }
        }
    }
    assert_true(wri_sparse_create(&full, &arena, n, entries, count));
    for (int i = 0; i < set->anchor_count; i++) {
        w[set->anchors[i].vertex] = set->anchors[i].handle == handle;
        all[set->anchors[i].vertex] = -1;
    }
    double change = 1.0;
    for (int sweep = 0; sweep < 20000 && change > 1e-9; sweep++) {
        change = 0.0;
        for (int i = 0; i < n; i++) {
            double sum = 0.0, diagonal = 1.0;
            for (int k = full.begin[i]; all[i] >= 0 && k < full.begin[i + 1]; k++) {
                sum += full.values[k] * w[full.index[k]];
                diagonal = full.index[k] == i ? full.values[k] : diagonal;
            }
            if (all[i] >= 0) {
                double next = fmin(1.0, fmax(0.0, w[i] - 1.8 * sum / diagonal));
                change = fmax(change, fabs(next - w[i]));
                w[i] = next;
            }
        }
    }
    assert_true(change <= 1e-9);
    free(entries);
    free(inverse);
    free(all);
    wri_arena_destroy(&arena);
}

static void weights_are_the_optimum_that_another_method_finds(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(16, 4, 3, 0.1f);
    uint64_t seed = 3;
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[v].x += random_float(&seed, -0.02f, 0.02f);
        mesh->positions[v].y += random_float(&seed, -0.02f, 0.02f);
    }
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    enum { HANDLES = 6 };
    solution s = solve(mesh, wr_handles_place(&solid, NULL, 0, HANDLES, NULL, &error), 1);
    int n = mesh->vertex_count, at_bound = 0;
    double *w = calloc((size_t)(n * HANDLES), sizeof *w);
    for (int j = 0; j < HANDLES; j++) {
        solve_slowly(mesh, s.set, j, w + j * n);
    }
    for (int v = 0; v < n; v++) {
        double sum = 0.0;
        for (int j = 0; j < HANDLES; j++) {
            sum += w[j * n + v];
            at_bound += w[j * n + v] == 0.0;
        }
        for (int j = 0; j < HANDLES; j++) {
            CHECK_NEAR(s.w[v * HANDLES + j], w[j * n + v] / sum, 1e-3);
        }
    }
    assert_true(at_bound > n / 4); // bounds matter here
    free(w);
    forget(&s);
    wr_tet_mesh_destroy(mesh);
}

// The optimum by an active set and factorisations, column after column.
static void solve_exactly(const wr_tet_mesh *mesh, const wr_handle_set *set, double *w)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_elements elements = {3, mesh->vertex_count, mesh->tetrahedron_count, mesh->positions,
                             mesh->tetrahedra};
    wri_laplacian l;
    wr_error error = {0};
    int n = mesh->vertex_count, *place = calloc((size_t)n, sizeof *place), free_count = 0;
    assert_true(wri_laplacian_create(&l, &arena, &elements, 1.0));
    for (int i = 0; i < set->anchor_count; i++) {
        w[set->anchors[i].handle * n + set->anchors[i].vertex] = 1.0;
        place[set->anchors[i].vertex] = -1;
    }
    for (int v = 0; v < n; v++) {
        place[v] = place[v] < 0 ? -1 : free_count++;
    }
    wri_biharmonic b = {.laplacian = &l,
                        .free_count = free_count,
                        .place = place,
                        .tolerance = 1e-9,
                        .round_limit = 300,
                        .allocator = *wr_allocator_default()};
    assert_true(wri_biharmonic_build(&b, &arena, &error));
    for (int j = 0; j < set->handle_count; j++) {
        assert_true(wri_biharmonic_bound(&b, w + j * n).is_done);
    }
    free(place);
    wri_arena_destroy(&arena);
}

// Large enough for three levels; also when every column is left to the active set.
static void weights_are_those_of_a_converged_active_set(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(14, 10, 6, 0.1f);
    uint64_t seed = 5;
    for (int v = 0; v < mesh->vertex_count; v++) {
        mesh->positions[v].x += random_float(&seed, -0.02f, 0.02f);
        mesh->positions[v].y += random_float(&seed, -0.02f, 0.02f);
    }
    enum { HANDLES = 5 };
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    solution s = solve(mesh, wr_handles_place(&solid, NULL, 0, HANDLES, NULL, &error), 2);
    assert_true(s.report.levels >= 3);
    assert_int_equal(s.report.exact_columns, 0);
    int n = mesh->vertex_count;
    double *w = calloc((size_t)(n * HANDLES), sizeof *w);
    solve_exactly(mesh, s.set, w);
    for (int v = 0; v < n; v++) {
        double sum = 0.0;
        for (int j = 0; j < HANDLES; j++) {
            sum += w[j * n + v];
        }
        for (int j = 0; j < HANDLES; j++) {
            CHECK_NEAR(s.w[v * HANDLES + j], w[j * n + v] / sum, 2e-4);
        }
    }
    wr_weights_desc desc = wr_weights_desc_default();
    desc.mesh = solid;
    desc.handles = s.set;
    desc.round_limit = 1;
    float *left = calloc((size_t)(n * HANDLES), sizeof *left);
    wr_weights_report report;
    assert_true(wr_weights_find(&desc, left, &report, &error));
    assert_int_equal(report.exact_columns, HANDLES);
    assert_true(report.has_converged);
    CHECK_NEAR(report.energy / s.report.energy, 1.0, 1e-5);
    for (int i = 0; i < n * HANDLES; i++) {
        CHECK_NEAR(left[i], s.w[i], 1e-3);
    }
    free(left);
    free(w);
    forget(&s);
    wr_tet_mesh_destroy(mesh);
}

typedef struct told {
    int calls;
    double last;
} told;

static void listen(void *user, const char *stage, double done)
{
    told *t = user;
    assert_string_equal(stage, "weights");
    assert_true(done >= t->last && done <= 1.0);
    t->last = done;
    t->calls++;
}

static void progress_only_grows_and_ends_at_one(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(8, 8, 8, 0.1f);
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    told t = {0};
    wr_handle_set *set = wr_handles_place(&solid, NULL, 0, 6, NULL, &error);
    wr_weights_desc desc = wr_weights_desc_default();
    float *w = calloc((size_t)mesh->vertex_count * 6, sizeof *w);
    desc.mesh = solid;
    desc.handles = set;
    desc.progress = (wr_progress){listen, &t};
    assert_true(wr_weights_find(&desc, w, NULL, &error));
    assert_true(t.calls >= 4);
    CHECK_NEAR(t.last, 1.0, 1e-12);
    free(w);
    wr_handle_set_destroy(set);
    wr_tet_mesh_destroy(mesh);
}

// --- trouble ----------------------------------------------------------------------------------

static void loose_parts_flat_elements_and_lone_vertices_do_not_fail(void **state)
{
    (void)state;
    wr_tet_mesh *one = make_grid(3, 3, 3, 0.1f);
    int n = one->vertex_count, t = one->tetrahedron_count;
    wr_error error = {0};
    wr_tet_mesh *mesh = wr_tet_mesh_create(2 * n + 2, 2 * t + 2, 0, NULL, &error);
    for (int v = 0; v < 2 * n; v++) {
        mesh->positions[v] = wr_add(one->positions[v % n], wr_v3(v < n ? 0.0f : 1.0f, 0, 0));
    }
    for (int i = 0; i < 8 * t; i++) {
        mesh->tetrahedra[i] = one->tetrahedra[i % (4 * t)] + (i < 4 * t ? 0 : n);
    }
    // A tetrahedron without volume hangs a vertex on the first part; the last vertex is alone.
    const int flat[8] = {0, 1, 2, 2 * n, 0, 0, 0, 0};
    memcpy(mesh->tetrahedra + 8 * t, flat, sizeof flat);
    mesh->positions[2 * n] = wr_v3(0.15f, 0, 0);
    mesh->positions[2 * n + 1] = wr_v3(3, 0, 0);
    const int placed[2] = {0, n - 1};
    solution s = solve_placed(mesh, placed, 2);
    check_properties(&s);
    assert_int_equal(s.report.loose_parts, 2);
    assert_int_equal(s.report.loose_vertices, n + 1);
    assert_int_equal(s.report.flat_elements, 2);
    bool found = false; // they all go with one vertex of the side that faces them
    for (int v = 0; v < n; v++) {
        found = found || (mesh->positions[v].x > 0.19f && s.w[2 * v] == s.w[2 * n] &&
                          s.w[2 * v + 1] == s.w[2 * n + 1]);
    }
    assert_true(found);
    for (int v = n; v < 2 * n; v++) {
        assert_true(s.w[2 * v] == s.w[2 * n] && s.w[2 * v + 1] == s.w[2 * n + 1]);
    }
    forget(&s);
    wr_tet_mesh_destroy(mesh);
    wr_tet_mesh_destroy(one);
}

static void bad_input_is_refused_with_a_sentence(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(2, 2, 2, 1.0f);
    wr_solid solid = wr_solid_from_tets(mesh);
    wr_error error = {0};
    wr_handle_set *set = wr_handles_place(&solid, NULL, 0, 2, NULL, &error);
    wr_weights_desc desc = wr_weights_desc_default();
    float w[54];
    desc.mesh = solid;
    desc.handles = set;
    mesh->positions[3].y = NAN;
    assert_false(wr_weights_find(&desc, w, NULL, &error));
    assert_non_null(strstr(error.message, "positions[3]"));
    mesh->positions[3].y = 0.0f;
    mesh->tetrahedra[5] = 27;
    assert_false(wr_weights_find(&desc, w, NULL, &error));
    assert_non_null(strstr(error.message, "elements[1]"));
    wr_handle_set_destroy(set);
    wr_tet_mesh_destroy(mesh);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wr_tet_mesh *mesh = make_grid(4, 4, 4, 1.0f); // two levels
    wr_solid solid = wr_solid_from_tets(mesh);
    bool done = false;
    for (int budget = 0; !done; budget++) {
        counting_heap heap = {.budget = budget};
        wr_allocator allocator = counting_allocator(&heap);
        wr_error error = {0};
        float w[125 * 3];
        wr_handle_set *set = wr_handles_place(&solid, NULL, 0, 3, &allocator, &error);
        wr_weights_desc desc = wr_weights_desc_default();
        desc.mesh = solid;
        desc.handles = set;
        desc.allocator = allocator;
        done = set && wr_weights_find(&desc, w, NULL, &error);
        assert_true(done || error.code == WR_E_MEMORY);
        wr_handle_set_destroy(set);
        assert_int_equal(heap.alive, 0);
    }
    wr_tet_mesh_destroy(mesh);
}

static void the_published_hand_gets_weights(void **state)
{
    (void)state;
    const char *mesh_path = data_path("libigl/hand.mesh"),
               *graph_path = data_path("libigl/hand.tgf");
    if (!mesh_path || !graph_path) {
        print_message("no published hand here\n");
        skip();
    }
    wr_error error = {0};
    wr_tet_mesh *mesh = wr_tet_mesh_read(mesh_path, NULL, &error);
    wr_handle_graph *graph = wr_handle_graph_read(graph_path, NULL, &error);
    assert_non_null(mesh);
    assert_non_null(graph);
    wr_solid solid = wr_solid_from_tets(mesh);
    solution s = solve(mesh, wr_handles_from_graph(&solid, graph, 0.0f, NULL, &error), 2);
    check_properties(&s);
    assert_int_equal(s.set->moved_count, 0);
    assert_true(s.report.outside <= 1e-6);
    assert_int_equal(s.report.exact_columns, 0);
    CHECK_NEAR(s.report.energy, 13188.057, 0.01);
    print_message("hand: %.2f s, %d rounds, residual %.1e, energy %.8g, %d local maxima\n",
                  s.report.seconds, s.report.rounds, s.report.kkt_residual, s.report.energy,
                  s.report.local_maxima);
    forget(&s);
    wr_handle_graph_destroy(graph);
    wr_tet_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_and_refactors),
        cmocka_unit_test(cholesky_solves_what_fills_in_in_any_order),
        cmocka_unit_test(the_laplacian_is_exact_for_linear_functions),
        cmocka_unit_test(handles_are_what_is_left_when_the_closest_pairs_are_thinned_out),
        cmocka_unit_test(bones_hold_the_vertices_on_them_and_know_their_parents),
        cmocka_unit_test(weights_sum_to_one_within_bounds_and_hold_their_handles),
        cmocka_unit_test(weights_of_a_sheet_are_as_symmetric_as_it_is),
        cmocka_unit_test(the_energy_is_that_of_the_weights),
        cmocka_unit_test(rigid_motion_and_scale_do_not_change_weights),
        cmocka_unit_test(weights_are_the_same_bits_for_any_number_of_workers),
        cmocka_unit_test(weights_are_the_optimum_that_another_method_finds),
        cmocka_unit_test(weights_are_those_of_a_converged_active_set),
        cmocka_unit_test(progress_only_grows_and_ends_at_one),
        cmocka_unit_test(loose_parts_flat_elements_and_lone_vertices_do_not_fail),
        cmocka_unit_test(bad_input_is_refused_with_a_sentence),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_published_hand_gets_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
