// cut.c: an asset cut into fragments: chunks and pieces become its rig and its render mesh again.
//
// Every fragment gets copies of the elements it has a part of, so that skinning needs to know
// nothing of cuts (Jones 2016, "Example-based plastic deformation", thesis version, section 5.2.4).
// Vertices of the render mesh that are new ride in the element that contains them, on both sides of
// a cut alike: the cut stays closed while the body bends.
#include "cut.h"
#include "../skin/skin.h"

#include <math.h>

typedef struct cutting {
    wr_asset *asset;
    const wr_lattice *lattice;
    const wr_tasks *tasks;
    wri_cells cells;
    wri_cut_solid solid;
    wri_cut_mesh mesh;
    wri_arena arena;
    wr_ride *rides;         // per vertex of the cut mesh, in elements of the uncut rig
    int *fragments;         // likewise
    wri_key_table elements; // fragment and element of every copy
    wri_key_table vertices; // fragment and vertex, likewise
    uint64_t *element_keys; // sorted
    uint64_t *vertex_keys;
    int element_count, vertex_count;
    bool moves[WR_SKIN_EXAMPLES_MAX]; // examples whose details are moves for now
} cutting;

static uint64_t key_of(int fragment, int item)
{
    return (uint64_t)fragment << 32 | (uint32_t)item;
}

// --- rides ------------------------------------------------------------------------------------

static bool find_rides(cutting *c, wr_error *error)
{
    int count = c->mesh.vertices.count, fresh = 0;
    const wr_rig *rig = &c->asset->rig;
    size_t n = (size_t)count;
    c->rides = wri_arena_alloc(&c->arena, n, sizeof *c->rides);
    c->fragments = wri_arena_alloc(&c->arena, n, sizeof *c->fragments);
    wr_vec3 *places = wri_arena_alloc(&c->arena, n, sizeof *places);
    int *parts = wri_arena_alloc(&c->arena, n, sizeof *parts);
    wr_ride *found = wri_arena_alloc(&c->arena, n, sizeof *found);
    if (!c->rides || !c->fragments || !places || !parts || !found) {
        return wri_fail_memory(error, n * sizeof *found);
    }
    for (int i = 0; i < count; i++) {
        const wri_cut_vertex *v = &WRI_ITEM(c->mesh.vertices, wri_cut_vertex, i);
        c->fragments[i] = -1;
        if (v->origin >= 0) {
            c->rides[i] = rig->rides[v->origin];
        } else { // within the shell that it comes from
            const double *p = &WRI_ITEM(c->mesh.points, double, 3 * (size_t)v->point);
            int corner = rig->elements[4 * (size_t)rig->rides[v->near].element];
            places[fresh] = wr_v3((float)p[0], (float)p[1], (float)p[2]);
            parts[fresh++] = c->lattice->vertex_parts[corner];
        }
    }
    if (!wr_lattice_find_rides(c->lattice, places, parts, fresh, c->tasks, found, NULL, error)) {
        return false;
    }
    for (int i = 0, k = 0; i < count; i++) {
        if (WRI_ITEM(c->mesh.vertices, wri_cut_vertex, i).origin < 0) {
            c->rides[i] = found[k++];
        }
    }
    return true;
}

// --- pieces to fragments ----------------------------------------------------------------------

static int find_root(int *parents, int i)
{
    while (parents[i] != i) {
        i = parents[i] = parents[parents[i]];
    }
    return i;
}

static double distance2_to_box(wr_box box, const double p[3])
{
    const float *low = &box.min.x, *high = &box.max.x;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(fmax((double)low[k] - p[k], p[k] - (double)high[k]), 0.0);
        sum += d * d;
    }
    return sum;
}

// The fragment nearest to a place, of the cell when it has one.
static int find_nearest(const cutting *c, int cell, const double p[3])
{
    int best = -1, of_cell = -1;
    double least = INFINITY, least_of_cell = INFINITY;
    for (int i = 0; i < c->solid.chunks.count; i++) {
        const wri_chunk *chunk = &WRI_ITEM(c->solid.chunks, wri_chunk, i);
        double d2 = distance2_to_box(chunk->box, p);
        if (d2 < least) {
            least = d2;
            best = chunk->fragment;
        }
        if (chunk->cell == cell && d2 < least_of_cell) {
            least_of_cell = d2;
            of_cell = chunk->fragment;
        }
    }
    return of_cell >= 0 ? of_cell : best;
}

// The fragment that most of a piece's shell lies in. votes: fragment_count per vertex, by roots.
static int find_winner(const cutting *c, const int *votes)
{
    int best = -1;
    for (int f = 0; f < c->solid.fragment_count; f++) {
        best = votes[f] > (best < 0 ? 0 : votes[best]) ? f : best;
    }
    return best;
}

// Connected triangles of a piece belong to one fragment.
static bool place_piece(cutting *c, const wri_cut_piece *piece, int *parents)
{
    size_t fragments = (size_t)c->solid.fragment_count;
    wri_key_table roots = wri_key_table_create(NULL);
    wri_array votes = wri_array_create(NULL, sizeof(int));
    const wri_cut_triangle *t = piece->triangles.items;
    const wri_cut_vertex *vertices = c->mesh.vertices.items;
    for (int i = 0; i < piece->triangles.count; i++) {
        int a = find_root(parents, vertices[t[i].vertices[0]].point);
        for (int k = 1; k < 3; k++) {
            int b = find_root(parents, vertices[t[i].vertices[k]].point);
            parents[a < b ? b : a] = a < b ? a : b;
            a = a < b ? a : b;
        }
    }
    bool ok = true;
    for (int i = 0; ok && i < 3 * piece->triangles.count; i++) {
        int v = t[i / 3].vertices[i % 3];
        int number = wri_key_table_add(&roots, (uint64_t)find_root(parents, vertices[v].point));
        ok = number >= 0 &&
             (number < votes.count / (int)fragments || wri_array_add(&votes, (int)fragments));
        int chunk = wri_cut_find_chunk(&c->solid, c->rides[v].element, piece->cell);
        if (ok && chunk >= 0) {
            int fragment = WRI_ITEM(c->solid.chunks, wri_chunk, chunk).fragment;
            WRI_ITEM(votes, int, (size_t)number *fragments + (size_t)fragment)++;
        }
    }
    for (int i = 0; ok && i < 3 * piece->triangles.count; i++) {
        int v = t[i / 3].vertices[i % 3], point = vertices[v].point;
        int number = wri_key_table_find(&roots, (uint64_t)find_root(parents, point));
        int *own = &WRI_ITEM(votes, int, (size_t)number *fragments), winner = find_winner(c, own);
        if (winner < 0) { // nothing of the simulation mesh is there
            winner = find_nearest(c, piece->cell, &WRI_ITEM(c->mesh.points, double, 3 * point));
            own[winner]++;
        }
        c->fragments[v] = winner;
    }
    wri_key_table_destroy(&roots);
    wri_array_destroy(&votes);
    return ok;
}

static bool place_pieces(cutting *c)
{
    int points = c->mesh.points.count / 3;
    int *parents = wri_arena_alloc(&c->arena, (size_t)points, sizeof *parents);
    bool ok = parents != NULL;
    for (int i = 0; ok && i < points; i++) {
        parents[i] = i;
    }
    for (int i = 0; ok && i < c->mesh.pieces.count; i++) {
        ok = place_piece(c, &WRI_ITEM(c->mesh.pieces, wri_cut_piece, i), parents);
    }
    return ok;
}

// --- copies -----------------------------------------------------------------------------------

static uint64_t *sort_keys(cutting *c, const wri_key_table *table, int *count)
{
    *count = table->keys.count;
    uint64_t *keys = wri_arena_alloc(&c->arena, (size_t)*count, sizeof *keys);
    if (keys && *count > 0) {
        memcpy(keys, table->keys.items, (size_t)*count * sizeof *keys);
        *count = wri_keys_sort(keys, *count);
    }
    return keys;
}

// The place of a key among sorted ones.
static int find_key(const uint64_t *keys, int count, uint64_t key)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    WR_ASSERT(low < count && keys[low] == key);
    return low;
}

static bool list_copies(cutting *c)
{
    bool ok = true;
    for (int i = 0; ok && i < c->solid.chunks.count; i++) {
        const wri_chunk *chunk = &WRI_ITEM(c->solid.chunks, wri_chunk, i);
        ok = wri_key_table_add(&c->elements, key_of(chunk->fragment, chunk->element)) >= 0;
    }
    for (int i = 0; ok && i < c->mesh.vertices.count; i++) {
        ok = c->fragments[i] < 0 ||
             wri_key_table_add(&c->elements, key_of(c->fragments[i], c->rides[i].element)) >= 0;
    }
    c->element_keys = ok ? sort_keys(c, &c->elements, &c->element_count) : NULL;
    ok = c->element_keys != NULL;
    for (int i = 0; ok && i < 4 * c->element_count; i++) {
        uint64_t key = c->element_keys[i / 4];
        int vertex = c->asset->rig.elements[4 * (size_t)(uint32_t)key + (size_t)(i % 4)];
        ok = wri_key_table_add(&c->vertices, key_of((int)(key >> 32), vertex)) >= 0;
    }
    c->vertex_keys = ok ? sort_keys(c, &c->vertices, &c->vertex_count) : NULL;
    return c->vertex_keys != NULL;
}

static int copy_of_element(const cutting *c, int fragment, int element)
{
    return find_key(c->element_keys, c->element_count, key_of(fragment, element));
}

// --- the rig ----------------------------------------------------------------------------------

// Rows of `width` bytes, one per vertex of the uncut rig, as rows of its copies; NULL: out of
// memory.
static void *copy_rows(const cutting *c, const void *rows, size_t width)
{
    char *out = wr_asset_alloc(c->asset, (size_t)c->vertex_count, width);
    for (int i = 0; out && i < c->vertex_count; i++) {
        size_t origin = (uint32_t)c->vertex_keys[i];
        memcpy(out + (size_t)i * width, (const char *)rows + origin * width, width);
    }
    return out;
}

static bool copy_elements(cutting *c, wr_rig *rig)
{
    wr_fracture *f = &c->asset->fracture;
    size_t n = (size_t)c->element_count;
    int *elements = wr_asset_alloc(c->asset, n, 4 * sizeof *elements);
    f->shares = wr_asset_alloc(c->asset, n, 4 * sizeof *f->shares);
    f->fragments = wr_asset_alloc(c->asset, (size_t)c->vertex_count, sizeof *f->fragments);
    f->origins = wr_asset_alloc(c->asset, (size_t)c->vertex_count, sizeof *f->origins);
    if (!elements || !f->shares || !f->fragments || !f->origins) {
        return false;
    }
    for (size_t i = 0; i < 4 * n; i++) {
        uint64_t key = c->element_keys[i / 4];
        int vertex = rig->elements[4 * (size_t)(uint32_t)key + i % 4];
        elements[i] = find_key(c->vertex_keys, c->vertex_count, key_of((int)(key >> 32), vertex));
    }
    for (int i = 0; i < c->solid.chunks.count; i++) {
        const wri_chunk *chunk = &WRI_ITEM(c->solid.chunks, wri_chunk, i);
        float *shares = &f->shares[4 * (size_t)copy_of_element(c, chunk->fragment, chunk->element)];
        for (int k = 0; k < 4; k++) {
            shares[k] += (float)chunk->moment[k];
        }
    }
    for (int i = 0; i < c->vertex_count; i++) {
        f->fragments[i] = (int)(c->vertex_keys[i] >> 32);
        f->origins[i] = (int)(uint32_t)c->vertex_keys[i];
    }
    rig->elements = elements;
    return true;
}

static bool copy_vertices(cutting *c, wr_rig *rig)
{
    size_t handles = (size_t)rig->handle_count;
    rig->rest = copy_rows(c, rig->rest, sizeof *rig->rest);
    rig->weights = handles ? copy_rows(c, rig->weights, handles * sizeof(float)) : NULL;
    bool ok = rig->rest && (rig->weights || !handles);
    for (int e = 0; ok && e < rig->example_count; e++) {
        wr_vec3 **correctives = &rig->examples[e].correctives;
        bool has = *correctives != NULL;
        *correctives = has ? copy_rows(c, *correctives, sizeof(wr_vec3)) : NULL;
        ok = !has || *correctives;
    }
    for (int k = 0; ok && k < WR_MAP_COUNT; k++) {
        float **map = &c->asset->maps[k];
        bool has = *map != NULL;
        *map = has ? copy_rows(c, *map, sizeof(float)) : NULL;
        ok = !has || *map;
    }
    for (int b = 0; ok && b < rig->handle_count; b++) { // on the first copy of its vertex
        int old = rig->handles[b].vertex;
        rig->handles[b].vertex = -1;
        for (int i = 0; old >= 0 && i < c->vertex_count; i++) {
            if ((int)(uint32_t)c->vertex_keys[i] == old) {
                rig->handles[b].vertex = i;
                break;
            }
        }
    }
    return ok;
}

// Corners of neighbouring elements are at one place.
static bool copy_corners(cutting *c, const wr_rig *rig)
{
    wr_fracture *f = &c->asset->fracture;
    wri_key_table known = wri_key_table_create(NULL);
    size_t n = (size_t)c->solid.corners.count;
    f->corners = wr_asset_alloc(c->asset, n, sizeof *f->corners);
    bool ok = f->corners != NULL;
    double quantum = 1e-5 * c->lattice->report.spacing;
    for (size_t i = 0; ok && i < n; i++) {
        const wri_cut_corner *corner = &WRI_ITEM(c->solid.corners, wri_cut_corner, i);
        const wri_chunk *chunk = &WRI_ITEM(c->solid.chunks, wri_chunk, corner->chunk);
        wr_ride ride = {.element = copy_of_element(c, chunk->fragment, chunk->element)};
        int64_t place[4] = {chunk->fragment};
        for (int k = 0; k < 4; k++) {
            ride.weights[k] = (float)corner->weights[k];
        }
        for (int k = 0; k < 3; k++) {
            double at = 0.0;
            for (size_t j = 0; j < 4; j++) {
                const float *p = &rig->rest[rig->elements[4 * (size_t)ride.element + j]].x;
                at += corner->weights[j] * (double)p[k];
            }
            place[1 + k] = (int64_t)floor(at / quantum + 0.5);
        }
        int number = wri_key_table_add(&known, wri_hash(place, sizeof place, 0));
        ok = number >= 0;
        if (number == f->corner_count) {
            f->corners[f->corner_count++] = ride;
        }
    }
    wri_key_table_destroy(&known);
    return ok;
}

static bool copy_rig(cutting *c)
{
    wr_rig *rig = &c->asset->rig;
    wr_fracture *f = &c->asset->fracture;
    f->fragment_count = c->solid.fragment_count;
    f->bond_count = c->solid.bonds.count;
    f->bonds = wr_asset_alloc(c->asset, (size_t)f->bond_count, sizeof *f->bonds);
    if (!f->bonds || !copy_elements(c, rig) || !copy_vertices(c, rig)) {
        return false;
    }
    if (f->bond_count > 0) {
        memcpy(f->bonds, c->solid.bonds.items, (size_t)f->bond_count * sizeof *f->bonds);
    }
    rig->element_count = c->element_count;
    rig->vertex_count = c->vertex_count;
    return copy_corners(c, rig);
}

// --- the render mesh --------------------------------------------------------------------------

static bool allocate_mesh(cutting *c, wr_mesh *out, int vertices, int triangles)
{
    wr_model *model = c->asset->model;
    const wri_cut_mesh *m = &c->mesh;
    size_t n = (size_t)vertices;
    *out = *model->meshes;
    out->vertex_count = vertices;
    out->triangle_count = triangles;
    out->positions = wr_model_alloc(model, n, sizeof *out->positions);
    out->normals = m->normal >= 0 ? wr_model_alloc(model, n, sizeof *out->normals) : NULL;
    out->uvs = m->uv >= 0 ? wr_model_alloc(model, n, sizeof *out->uvs) : NULL;
    out->colors = m->color >= 0 ? wr_model_alloc(model, n, sizeof *out->colors) : NULL;
    out->triangles = wr_model_alloc(model, (size_t)triangles, 3 * sizeof *out->triangles);
    out->parts = wr_model_alloc(model, (size_t)out->part_count + 1, sizeof *out->parts);
    return out->positions && (out->normals || m->normal < 0) && (out->uvs || m->uv < 0) &&
           (out->colors || m->color < 0) && out->triangles && out->parts;
}

static void put_vertex(const cutting *c, wr_mesh *out, int to, int from)
{
    const wri_cut_mesh *m = &c->mesh;
    const wri_cut_vertex *v = &WRI_ITEM(m->vertices, wri_cut_vertex, from);
    const double *p = &WRI_ITEM(m->points, double, 3 * (size_t)v->point);
    const float *numbers = &WRI_ITEM(m->numbers, float, (size_t)from *(size_t)m->number_count);
    out->positions[to] = wr_v3((float)p[0], (float)p[1], (float)p[2]);
    if (out->normals) {
        memcpy(&out->normals[to], numbers + m->normal, sizeof(wr_vec3));
        wr_vec3 n = out->normals[to]; // an original one stays as it is, to the bit
        out->normals[to] = v->origin >= 0 || !(wr_length(n) > 0.0f) ? n : wr_normalize(n);
    }
    if (out->uvs) {
        memcpy(&out->uvs[to], numbers + m->uv, sizeof(wr_vec2));
    }
    if (out->colors) {
        memcpy(&out->colors[to], numbers + m->color, sizeof(wr_color));
    }
    wr_ride ride = c->rides[from];
    ride.element = copy_of_element(c, c->fragments[from], ride.element);
    c->asset->rig.rides[to] = ride;
    const float *detail = numbers + m->detail;
    for (int e = 0; e < c->asset->rig.example_count; e++) {
        if (c->asset->rig.examples[e].details) {
            memcpy(&c->asset->rig.examples[e].details[to], detail, sizeof(wr_vec3));
            detail += 3;
        }
    }
}

static bool renew_rides(cutting *c, int vertices)
{
    wr_rig *rig = &c->asset->rig;
    rig->ride_count = vertices;
    rig->rides = wr_asset_alloc(c->asset, (size_t)vertices, sizeof *rig->rides);
    bool ok = rig->rides != NULL;
    for (int e = 0; ok && e < rig->example_count; e++) {
        if (rig->examples[e].details) {
            rig->examples[e].details = wr_asset_alloc(c->asset, (size_t)vertices, sizeof(wr_vec3));
            ok = rig->examples[e].details != NULL;
        }
    }
    return ok;
}

// Triangles by part, within it by piece; the last part are the cut faces.
static void put_triangles(const cutting *c, wr_mesh *out, const int *numbers, int inside)
{
    int old_parts = c->asset->model->meshes->part_count, count = 0;
    out->part_count = 0;
    for (int part = 0; part <= old_parts; part++) {
        int first = count, wanted = part < old_parts ? part : -1;
        for (int i = 0; i < c->mesh.pieces.count; i++) {
            const wri_cut_piece *piece = &WRI_ITEM(c->mesh.pieces, wri_cut_piece, i);
            const wri_cut_triangle *t = piece->triangles.items;
            for (int k = 0; k < piece->triangles.count; k++) {
                for (int j = 0; j < 3 && t[k].part == wanted; j++) {
                    out->triangles[3 * (size_t)count + (size_t)j] = numbers[t[k].vertices[j]];
                }
                count += t[k].part == wanted;
            }
        }
        if (count > first) {
            int look = wanted >= 0 ? c->asset->model->meshes->parts[wanted].look : inside;
            out->parts[out->part_count++] = (wr_mesh_part){first, count - first, look};
        }
    }
}

// The look of fresh metal.
static bool add_inside(wr_model *model, int *inside)
{
    wr_look *looks = wr_model_alloc(model, (size_t)model->look_count + 1, sizeof *looks);
    char *name = wr_model_alloc(model, sizeof "inside", 1);
    if (!looks || !name) {
        return false;
    }
    memcpy(name, "inside", sizeof "inside");
    if (model->look_count > 0) {
        memcpy(looks, model->looks, (size_t)model->look_count * sizeof *looks);
    }
    looks[model->look_count] = (wr_look){.name = name,
                                         .base_color = {0.36f, 0.34f, 0.32f, 1.0f},
                                         .texture = -1,
                                         .roughness = 0.7f,
                                         .metallic = 0.3f};
    *inside = model->look_count++;
    model->looks = looks;
    return true;
}

// Vertices are ordered by fragment, within it as they were.
static bool copy_mesh(cutting *c, int inside)
{
    wr_model *model = c->asset->model;
    int count = c->mesh.vertices.count, kept = 0, triangles = 0;
    int *numbers = wri_arena_alloc(&c->arena, (size_t)count, sizeof *numbers);
    for (int i = 0; i < c->mesh.pieces.count; i++) {
        triangles += WRI_ITEM(c->mesh.pieces, wri_cut_piece, i).triangles.count;
    }
    for (int f = 0; numbers && f < c->solid.fragment_count; f++) {
        for (int i = 0; i < count; i++) {
            if (c->fragments[i] == f) {
                numbers[i] = kept++;
            }
        }
    }
    wr_mesh mesh;
    if (!numbers || !allocate_mesh(c, &mesh, kept, triangles) || !renew_rides(c, kept) ||
        (inside < 0 && !add_inside(model, &inside))) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (c->fragments[i] >= 0) {
            put_vertex(c, &mesh, numbers[i], i);
        }
    }
    put_triangles(c, &mesh, numbers, inside);
    *model->meshes = mesh;
    return true;
}

// --- moves ------------------------------------------------------------------------------------

// Details are what one element leaves, so between vertices of several elements they say nothing;
// moves do. Where both give the same bits, moves are what is cut.
static bool turn_into_moves(cutting *c)
{
    wr_rig *rig = &c->asset->rig;
    size_t n = (size_t)rig->ride_count;
    wr_vec3 *moves = wri_arena_alloc(&c->arena, n, sizeof *moves);
    for (int e = 0; moves && e < rig->example_count; e++) {
        c->moves[e] = wri_rig_find_moves(rig, e, moves);
        if (c->moves[e]) {
            memcpy(rig->examples[e].details, moves, n * sizeof *moves);
        }
    }
    return moves != NULL;
}

static void turn_into_details(cutting *c)
{
    wr_rig *rig = &c->asset->rig;
    for (int e = 0; e < rig->example_count; e++) {
        if (c->moves[e]) {
            wr_vec3 *details = rig->examples[e].details;
            wri_rig_find_details(rig, rig->examples[e].correctives, details, details);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

// Bit per cut that has chunks on more than one side.
static uint64_t find_parting(const cutting *c)
{
    uint64_t parting = 0;
    int first[WRI_CUTS_MAX], labels[WRI_CUTS_MAX];
    for (int i = 0; i < c->solid.chunks.count; i++) {
        int cell = WRI_ITEM(c->solid.chunks, wri_chunk, i).cell;
        wri_cell_labels(&c->cells, cell, i == 0 ? first : labels);
        for (int k = 0; i > 0 && k < c->asset->cut_count; k++) {
            parting |= (uint64_t)(labels[k] != first[k]) << k;
        }
    }
    return parting;
}

static bool cut(cutting *c, const wri_cut_desc *desc, wr_error *error)
{
    if (!wri_cut_elements(&c->cells, &c->solid, error)) {
        return false;
    }
    if (desc->parting) {
        *desc->parting = find_parting(c);
    }
    if (!wri_cut_find_fragments(&c->cells, &c->solid, error)) {
        return false;
    }
    if (c->solid.fragment_count < 2) {
        return true; // nothing was cut: the asset stays as it is
    }
    if (!turn_into_moves(c)) {
        return wri_fail_memory(error, c->arena.total);
    }
    if (!wri_cut_mesh_create(&c->mesh, &c->cells, error) ||
        !wri_cut_triangles(&c->cells, &c->mesh, error) || !find_rides(c, error)) {
        return false;
    }
    if (!place_pieces(c) || !list_copies(c) || !copy_rig(c) || !copy_mesh(c, desc->inside)) {
        return wri_fail_memory(error, c->arena.total);
    }
    turn_into_details(c);
    return true;
}

bool wri_asset_cut(wr_asset *asset, const wri_cut_desc *desc, wr_error *error)
{
    if (asset->cut_count > WRI_CUTS_MAX) {
        return wri_fail(error, WR_E_UNSUPPORTED, "has %d cuts, expected at most %d",
                        asset->cut_count, WRI_CUTS_MAX);
    }
    cutting c = {.asset = asset,
                 .lattice = desc->lattice,
                 .tasks = desc->tasks,
                 .cells = {asset, desc->fields, wri_key_table_create(NULL)},
                 .solid = wri_cut_solid_create(),
                 .arena = wri_arena_create(NULL),
                 .elements = wri_key_table_create(NULL),
                 .vertices = wri_key_table_create(NULL)};
    bool ok = asset->cut_count == 0 || cut(&c, desc, error);
    wri_key_table_destroy(&c.cells.nodes);
    wri_cut_solid_destroy(&c.solid);
    wri_cut_mesh_destroy(&c.mesh);
    wri_key_table_destroy(&c.elements);
    wri_key_table_destroy(&c.vertices);
    wri_arena_destroy(&c.arena);
    return ok;
}
