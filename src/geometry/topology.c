// topology.c: places, fates, edges and shells of a triangle mesh, each in linear time for any
// input.
#include "topology.h"

bool wri_mesh_check(const wr_mesh *mesh, wr_error *error)
{
    const char *name = mesh->name ? mesh->name : "";
    if (!WRI_REQUIRE_LIST(error, mesh->positions, mesh->vertex_count) ||
        !WRI_REQUIRE_LIST(error, mesh->triangles, mesh->triangle_count)) {
        return false;
    }
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0 ||
        mesh->triangle_count > (INT32_MAX - 1) / 3 || mesh->vertex_count > INT32_MAX - 1) {
        return wri_fail(error, WR_E_UNSUPPORTED,
                        "mesh \"%s\": has more than 2^31 vertices or triangle corners", name);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!wr_is_finite3(mesh->positions[i])) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "mesh \"%s\": the position of vertex %d is not finite", name, i);
        }
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT,
                            "mesh \"%s\": triangle %d uses vertex %d, expected 0 to %d", name,
                            i / 3, mesh->triangles[i], mesh->vertex_count - 1);
        }
    }
    return true;
}

// --- hash tables ------------------------------------------------------------------------------

// Open addressing over int indices; -1 is an empty slot.
typedef struct table {
    int *slots;
    size_t mask;
} table;

static bool table_create(table *t, wri_arena *arena, int count)
{
    size_t size = 16;
    while (size < 2 * (size_t)count) {
        size *= 2;
    }
    t->mask = size - 1;
    t->slots = wri_arena_alloc(arena, size, sizeof *t->slots);
    if (t->slots) {
        memset(t->slots, 0xff, size * sizeof *t->slots);
    }
    return t->slots != NULL;
}

// --- places -----------------------------------------------------------------------------------

// Makes the same bits of the same place: -0 becomes 0.
static wr_vec3 canonical(wr_vec3 p)
{
    return wr_add(p, wr_v3(0.0f, 0.0f, 0.0f));
}

static bool find_equal_positions(wri_topology *s, const wr_mesh *mesh)
{
    table t;
    if (!table_create(&t, s->arena, mesh->vertex_count)) {
        return false;
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        wr_vec3 p = canonical(mesh->positions[i]);
        size_t slot = wri_hash(&p, sizeof p, 0) & t.mask;
        for (; t.slots[slot] >= 0; slot = (slot + 1) & t.mask) {
            wr_vec3 q = canonical(s->points[t.slots[slot]]);
            if (memcmp(&p, &q, sizeof p) == 0) {
                break;
            }
        }
        if (t.slots[slot] < 0) {
            t.slots[slot] = s->place_count;
            s->points[s->place_count++] = mesh->positions[i];
        }
        s->place[i] = t.slots[slot];
    }
    return true;
}

// A grid whose cells are two distances wide: what is near enough lies in one of eight cells. Places
// that stay are further apart than the distance, so a cell has few of them.
typedef struct grid {
    table heads; // slot -> newest place of the chain
    int *next;
    double cell;
} grid;

static size_t grid_slot(const grid *g, const double cell[3])
{
    double key[3] = {cell[0] + 0.0, cell[1] + 0.0, cell[2] + 0.0};
    return wri_hash(key, sizeof key, 0) & g->heads.mask;
}

static double squared_distance(wr_vec3 a, wr_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

static int find_near(const grid *g, const wr_vec3 *points, wr_vec3 p, double distance)
{
    const double at[3] = {p.x / g->cell, p.y / g->cell, p.z / g->cell};
    int found = -1;
    for (int corner = 0; corner < 8; corner++) {
        double cell[3];
        for (int k = 0; k < 3; k++) {
            double low = floor(at[k]);
            cell[k] = !(corner >> k & 1) ? low : at[k] - low < 0.5 ? low - 1.0 : low + 1.0;
        }
        for (int q = g->heads.slots[grid_slot(g, cell)]; q >= 0; q = g->next[q]) {
            bool near = squared_distance(p, points[q]) <= distance * distance;
            found = near && (found < 0 || q < found) ? q : found;
        }
    }
    return found;
}

static bool weld_places(wri_topology *s, double distance)
{
    grid g = {.cell = 2.0 * distance};
    size_t n = (size_t)s->place_count;
    g.next = wri_arena_alloc(s->arena, n, sizeof *g.next);
    int *kept = wri_arena_alloc(s->arena, n, sizeof *kept);
    if (!g.next || !kept || !table_create(&g.heads, s->arena, s->place_count)) {
        return false;
    }
    int count = 0; // kept places move down to the front of points, in their order
    for (int i = 0; i < s->place_count; i++) {
        wr_vec3 p = s->points[i];
        int near = find_near(&g, s->points, p, distance);
        kept[i] = near >= 0 ? near : count;
        if (near < 0) {
            const double cell[3] = {floor(p.x / g.cell), floor(p.y / g.cell), floor(p.z / g.cell)};
            size_t slot = grid_slot(&g, cell);
            s->points[count] = p;
            g.next[count] = g.heads.slots[slot];
            g.heads.slots[slot] = count++;
        }
    }
    for (int i = 0; i < s->vertex_count; i++) {
        s->place[i] = kept[s->place[i]];
    }
    s->place_count = count;
    return true;
}

bool wri_topology_begin(wri_topology *s, wri_arena *arena, const wr_mesh *mesh, double weld)
{
    *s = (wri_topology){.arena = arena,
                        .vertex_count = mesh->vertex_count,
                        .triangle_count = mesh->triangle_count,
                        .bounds = WR_BOX_EMPTY};
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    s->place = wri_arena_alloc(arena, vertices, sizeof *s->place);
    s->points = wri_arena_alloc(arena, vertices, sizeof *s->points);
    s->corners = wri_arena_alloc(arena, triangles, 3 * sizeof *s->corners);
    s->fate = wri_arena_alloc(arena, triangles, sizeof *s->fate);
    s->original = wri_arena_alloc(arena, triangles, sizeof *s->original);
    if (!s->place || !s->points || !s->corners || !s->fate || !s->original ||
        !find_equal_positions(s, mesh)) {
        return false;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        s->bounds = wr_box_add(s->bounds, mesh->positions[mesh->triangles[i]]);
    }
    s->middle[0] = 0.5 * ((double)s->bounds.min.x + s->bounds.max.x);
    s->middle[1] = 0.5 * ((double)s->bounds.min.y + s->bounds.max.y);
    s->middle[2] = 0.5 * ((double)s->bounds.min.z + s->bounds.max.z);
    s->size = mesh->triangle_count > 0 ? sqrt(squared_distance(s->bounds.max, s->bounds.min)) : 0.0;
    if (weld * s->size > 0.0 && !weld_places(s, weld * s->size)) {
        return false;
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        s->corners[i] = s->place[mesh->triangles[i]];
    }
    memset(s->fate, WRI_KEPT, triangles);
    return true;
}

// --- twins ------------------------------------------------------------------------------------

// Returns a word of a row; -0 is 0, otherwise the bits count.
static uint32_t word_at(const wri_rows *rows, int vertex, int k)
{
    uint32_t word;
    memcpy(&word,
           (const uint8_t *)rows->values + 4 * ((size_t)vertex * (size_t)rows->words + (size_t)k),
           sizeof word);
    return word == 0x80000000u ? 0u : word;
}

static uint64_t hash_vertex(const wri_rows *rows, int count, int place, int vertex)
{
    uint64_t hash = wri_hash(&place, sizeof place, 0);
    for (int i = 0; i < count; i++) {
        uint32_t words[4];
        for (int k = 0; k < rows[i].words; k += 4) {
            int n = rows[i].words - k < 4 ? rows[i].words - k : 4;
            for (int m = 0; m < n; m++) {
                words[m] = word_at(&rows[i], vertex, k + m);
            }
            hash = wri_hash(words, (size_t)n * sizeof *words, hash);
        }
    }
    return hash;
}

static bool same_rows(const wri_rows *rows, int count, int a, int b)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < rows[i].words; k++) {
            if (word_at(&rows[i], a, k) != word_at(&rows[i], b, k)) {
                return false;
            }
        }
    }
    return true;
}

wri_rows *wri_mesh_rows(const wr_mesh *mesh, wri_arena *arena, int *count)
{
    size_t room = 5 + 2 * (size_t)mesh->morph_count;
    wri_rows *rows = wri_arena_alloc(arena, room, sizeof *rows);
    if (!rows) {
        return NULL;
    }
    int n = 0;
    rows[n++] = (wri_rows){mesh->normals, 3};
    rows[n++] = (wri_rows){mesh->uvs, 2};
    rows[n++] = (wri_rows){mesh->colors, 4};
    rows[n++] = (wri_rows){mesh->joints, mesh->influence_count};
    rows[n++] = (wri_rows){mesh->weights, mesh->influence_count};
    for (int i = 0; i < mesh->morph_count; i++) {
        rows[n++] = (wri_rows){mesh->morphs[i].positions, 3};
        rows[n++] = (wri_rows){mesh->morphs[i].normals, 3};
    }
    *count = 0;
    for (int i = 0; i < n; i++) {
        if (rows[i].values && rows[i].words > 0) {
            rows[(*count)++] = rows[i];
        }
    }
    return rows;
}

bool wri_topology_find_twins(const wri_topology *s, const wr_mesh *mesh, int *twin)
{
    table t;
    int count;
    const wri_rows *rows = wri_mesh_rows(mesh, s->arena, &count);
    if (!rows || !table_create(&t, s->arena, s->vertex_count)) {
        return false;
    }
    for (int i = 0; i < s->vertex_count; i++) {
        size_t slot = hash_vertex(rows, count, s->place[i], i) & t.mask;
        for (; t.slots[slot] >= 0; slot = (slot + 1) & t.mask) {
            int other = t.slots[slot];
            if (s->place[other] == s->place[i] && same_rows(rows, count, other, i)) {
                break;
            }
        }
        if (t.slots[slot] < 0) {
            t.slots[slot] = i;
        }
        twin[i] = t.slots[slot];
    }
    return true;
}

// --- fates ------------------------------------------------------------------------------------

bool wri_is_thin(const wr_vec3 *points, const int *corners, double size)
{
    double p[3][3], longest = 0.0;
    for (int k = 0; k < 3; k++) {
        wr_vec3 a = points[corners[k]], b = points[corners[(k + 1) % 3]];
        p[k][0] = (double)b.x - a.x;
        p[k][1] = (double)b.y - a.y;
        p[k][2] = (double)b.z - a.z;
        longest = fmax(longest, squared_distance(a, b));
    }
    double x = p[0][1] * p[1][2] - p[0][2] * p[1][1];
    double y = p[0][2] * p[1][0] - p[0][0] * p[1][2];
    double z = p[0][0] * p[1][1] - p[0][1] * p[1][0];
    double area = sqrt(x * x + y * y + z * z); // twice
    longest = sqrt(longest);
    return !(area > longest * fmax(WRI_TOUCH * size, 1e-6 * longest));
}

// The places in ascending order, and behind them whether that is the other side.
static void side_key(const int *corners, int key[4])
{
    int k = 0;
    for (int i = 1; i < 3; i++) {
        k = corners[i] < corners[k] ? i : k;
    }
    int a = corners[(k + 1) % 3], b = corners[(k + 2) % 3];
    key[0] = corners[k];
    key[1] = a < b ? a : b;
    key[2] = a < b ? b : a;
    key[3] = a > b;
}

static int *find_side(const table *t, const wri_topology *s, const int key[4])
{
    size_t slot = wri_hash(key, 4 * sizeof *key, 0) & t->mask;
    for (; t->slots[slot] >= 0; slot = (slot + 1) & t->mask) {
        int other[4];
        side_key(&s->corners[3 * t->slots[slot]], other);
        if (memcmp(other, key, sizeof other) == 0) {
            break;
        }
    }
    return &t->slots[slot];
}

bool wri_topology_find_fates(wri_topology *s)
{
    table t;
    if (!table_create(&t, s->arena, s->triangle_count)) {
        return false;
    }
    for (int i = 0; i < s->triangle_count; i++) {
        const int *c = &s->corners[3 * i];
        if (s->fate[i] == WRI_LEFT_OUT) {
            continue;
        }
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) {
            s->fate[i] = WRI_COLLAPSED;
            continue;
        }
        int key[4];
        side_key(c, key);
        int *same = find_side(&t, s, key);
        if (*same >= 0) {
            s->fate[i] = WRI_DUPLICATE;
            s->original[i] = *same;
            continue;
        }
        *same = i;
        key[3] = !key[3];
        s->fate[i] = *find_side(&t, s, key) >= 0 ? WRI_BACK_TO_BACK : WRI_KEPT;
    }
    return true;
}

// --- edges ------------------------------------------------------------------------------------

static int edge_low(const wri_topology *s, int half)
{
    int a = s->corners[half], b = s->corners[wri_next_half(half)];
    return a < b ? a : b;
}

static int edge_high(const wri_topology *s, int half)
{
    int a = s->corners[half], b = s->corners[wri_next_half(half)];
    return a < b ? b : a;
}

// One stable pass of sorting by digits, where a digit is a place.
static void sort_halves(const wri_topology *s, int *begin, const int *in, int *out, int count,
                        int (*digit)(const wri_topology *, int))
{
    memset(begin, 0, ((size_t)s->place_count + 1) * sizeof *begin);
    for (int i = 0; i < count; i++) {
        begin[digit(s, in[i]) + 1]++;
    }
    for (int i = 0; i < s->place_count; i++) {
        begin[i + 1] += begin[i];
    }
    for (int i = 0; i < count; i++) {
        out[begin[digit(s, in[i])]++] = in[i];
    }
}

bool wri_topology_find_edges(wri_topology *s)
{
    size_t halves = 3 * (size_t)s->triangle_count, places = (size_t)s->place_count + 1;
    if (!s->half_edges) {
        s->half_edges = wri_arena_alloc(s->arena, halves, sizeof *s->half_edges);
        s->edge = wri_arena_alloc(s->arena, halves, sizeof *s->edge);
        s->edge_begin = wri_arena_alloc(s->arena, halves + 1, sizeof *s->edge_begin);
        s->sorting = wri_arena_alloc(s->arena, halves + places, sizeof *s->sorting);
        if (!s->half_edges || !s->edge || !s->edge_begin || !s->sorting) {
            s->half_edges = NULL;
            return false;
        }
    }
    int count = 0, *other = s->sorting, *begin = s->sorting + halves;
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        s->edge[i] = -1;
        if (wri_takes_part(s->fate[i / 3])) {
            s->half_edges[count++] = i;
        }
    }
    sort_halves(s, begin, s->half_edges, other, count, edge_high);
    sort_halves(s, begin, other, s->half_edges, count, edge_low);
    s->edge_count = 0;
    for (int i = 0; i < count; i++) {
        int half = s->half_edges[i], last = i > 0 ? s->half_edges[i - 1] : -1;
        if (last < 0 || edge_low(s, half) != edge_low(s, last) ||
            edge_high(s, half) != edge_high(s, last)) {
            s->edge_begin[s->edge_count++] = i;
        }
        s->edge[half] = s->edge_count - 1;
    }
    s->edge_begin[s->edge_count] = count;
    return true;
}

// --- shells -----------------------------------------------------------------------------------

static void measure(const wri_topology *s, int triangle, double *area, double *volume)
{
    double p[3][3], n[3];
    for (int k = 0; k < 3; k++) {
        wr_vec3 q = s->points[s->corners[3 * triangle + k]];
        p[k][0] = q.x - s->middle[0];
        p[k][1] = q.y - s->middle[1];
        p[k][2] = q.z - s->middle[2];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] =
            (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
    }
    *area = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    *volume = (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6.0;
}

// Spreads over edges of two triangles; turned is relative to the first triangle. queue has room for
// all triangles and comes back with the shell's.
static int spread_shell(wri_topology *s, int first, int *queue, wri_shell *shell)
{
    int head = 0, tail = 0;
    queue[tail++] = first;
    s->shell[first] = s->shell_count;
    while (head < tail) {
        int t = queue[head++];
        for (int half = 3 * t; half < 3 * t + 3; half++) {
            int other = wri_other_half(s, half);
            if (other < 0) {
                continue;
            }
            bool agree = s->corners[half] != s->corners[other]; // they run against each other
            uint8_t wanted = s->turned[t] ^ !agree;
            shell->is_consistent = shell->is_consistent && agree;
            if (s->shell[other / 3] < 0) {
                s->shell[other / 3] = s->shell_count;
                s->turned[other / 3] = wanted;
                queue[tail++] = other / 3;
            } else if (s->turned[other / 3] != wanted) {
                shell->is_orientable = false;
            }
        }
    }
    return tail;
}

// Sums up a shell's triangles; when most of its area is turned against the first triangle, the
// first one's side is the wrong one.
static void sum_shell(wri_topology *s, const int *list, wri_shell *shell)
{
    double turned_area = 0.0, largest = -1.0;
    for (int i = 0; i < shell->triangle_count; i++) {
        int t = list[i];
        double area, volume;
        measure(s, t, &area, &volume);
        s->turned[t] = s->turned[t] && shell->is_orientable;
        shell->area += area;
        turned_area += s->turned[t] ? area : 0.0;
        shell->volume += s->turned[t] ? -volume : volume;
        shell->largest_triangle = area > largest ? t : shell->largest_triangle;
        largest = fmax(largest, area);
        for (int k = 0; k < 3; k++) {
            shell->box = wr_box_add(shell->box, s->points[s->corners[3 * t + k]]);
        }
    }
    if (turned_area > 0.5 * shell->area) {
        for (int i = 0; i < shell->triangle_count; i++) {
            s->turned[list[i]] ^= 1;
        }
        shell->volume = -shell->volume;
    }
}

// A shell is open when one of its edges has an odd number of its triangles. Edges of two triangles
// have both in one shell.
static void find_open_shells(wri_topology *s, uint8_t *odd)
{
    for (int e = 0; e < s->edge_count; e++) {
        const int *begin = &s->half_edges[s->edge_begin[e]];
        int count = wri_edge_triangles(s, e);
        for (int i = 0; i < count && count != 2; i++) {
            odd[s->shell[begin[i] / 3]] ^= 1;
        }
        for (int i = 0; i < count && count != 2; i++) {
            int shell = s->shell[begin[i] / 3];
            s->shells[shell].is_closed = s->shells[shell].is_closed && !odd[shell];
        }
        for (int i = 0; i < count && count != 2; i++) {
            odd[s->shell[begin[i] / 3]] = 0;
        }
    }
}

// Open shells enclose nothing, and what is thinner than a millionth of its size is flat.
static double sure_volume(const wri_shell *shell)
{
    double diameter = sqrt(squared_distance(shell->box.max, shell->box.min));
    bool thick = 2.0 * fabs(shell->volume) > 1e-6 * diameter * shell->area;
    return shell->is_closed && shell->is_orientable && thick ? shell->volume : 0.0;
}

bool wri_topology_find_shells(wri_topology *s)
{
    size_t n = (size_t)s->triangle_count;
    s->shell = wri_arena_alloc(s->arena, n, sizeof *s->shell);
    s->turned = wri_arena_alloc(s->arena, n, sizeof *s->turned);
    int *queue = wri_arena_alloc(s->arena, n, sizeof *queue);
    if (!s->shell || !s->turned || !queue) {
        return false;
    }
    memset(s->shell, 0xff, n * sizeof *s->shell);
    wri_array shells = wri_array_create(&s->arena->allocator, sizeof(wri_shell));
    s->shell_count = 0;
    bool ok = true;
    for (int i = 0; i < s->triangle_count && ok; i++) {
        if (!wri_takes_part(s->fate[i]) || s->shell[i] >= 0) {
            continue;
        }
        wri_shell shell = {.first_triangle = i,
                           .is_closed = true,
                           .is_orientable = true,
                           .is_consistent = true,
                           .box = WR_BOX_EMPTY};
        shell.triangle_count = spread_shell(s, i, queue, &shell);
        sum_shell(s, queue, &shell);
        s->shell_count++;
        wri_shell *slot = wri_array_add(&shells, 1);
        ok = slot != NULL;
        if (ok) {
            *slot = shell;
        }
    }
    size_t count = (size_t)s->shell_count;
    s->shells = ok ? wri_arena_alloc(s->arena, count, sizeof *s->shells) : NULL;
    uint8_t *odd = s->shells ? wri_arena_alloc(s->arena, count, 1) : NULL;
    if (odd && count > 0) {
        memcpy(s->shells, shells.items, count * sizeof *s->shells);
        find_open_shells(s, odd);
    }
    wri_array_destroy(&shells);
    for (int i = 0; odd && i < s->shell_count; i++) {
        s->shells[i].volume = sure_volume(&s->shells[i]);
    }
    return odd != NULL;
}
