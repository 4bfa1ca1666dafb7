// build_memo.c: the slow functions of building, remembered.
//
// A key holds every argument that the result depends on: numbers go into it one by one or in arrays
// of their own, since structures have gaps. Workers, progress and memory change no bit and are left
// out.
#include "build_memo.h"

#include "lattice.h"

static uint64_t add_ints(uint64_t key, const int *items, int count)
{
    return wri_hash(items, (size_t)count * sizeof *items, wri_hash(&count, sizeof count, key));
}

static uint64_t add_int(uint64_t key, int number)
{
    return add_ints(key, &number, 1);
}

static uint64_t add_double(uint64_t key, double number)
{
    return wri_hash(&number, sizeof number, key);
}

// items NULL: there are none.
static uint64_t add_points(uint64_t key, const wr_vec3 *items, int count)
{
    count = items ? count : 0;
    return wri_hash(items, (size_t)count * sizeof *items, wri_hash(&count, sizeof count, key));
}

static uint64_t add_mesh(uint64_t key, const wr_mesh *mesh)
{
    key = add_points(key, mesh->positions, mesh->vertex_count);
    return add_ints(key, mesh->triangles, 3 * mesh->triangle_count);
}

// --- simulation mesh --------------------------------------------------------------------------

static wr_lattice *take_lattice(wri_memo_entry *entry, const wr_allocator *allocator)
{
    wri_lattice_sizes sizes;
    if (!wri_memo_take(entry, &sizes, sizeof sizes)) {
        return NULL;
    }
    wr_lattice *l = wri_lattice_allocate(&sizes, allocator, NULL);
    if (!l) {
        return NULL;
    }
    size_t n = (size_t)sizes.vertices, corners = (size_t)sizes.elements;
    corners *= (size_t)sizes.dimension + 1;
    l->vertex_count = sizes.vertices;
    l->element_count = sizes.elements;
    bool whole = wri_memo_take(entry, &l->report, sizeof l->report) &&
                 wri_memo_take(entry, l->rest, n * sizeof *l->rest) &&
                 wri_memo_take(entry, l->elements, corners * sizeof *l->elements) &&
                 wri_memo_take(entry, l->vertex_parts, n * sizeof *l->vertex_parts) &&
                 wri_memo_take(entry, l->is_boundary, n) &&
                 wri_memo_take(entry, l->handle_vertices, (size_t)sizes.handles * sizeof(int)) &&
                 wri_memo_take(entry, l->render_parts, (size_t)sizes.render * sizeof(int)) &&
                 wri_memo_is_whole(entry);
    if (!whole) {
        wr_lattice_destroy(l);
        return NULL;
    }
    return l;
}

static void keep_lattice(const wri_memo *memo, uint64_t key, const wr_lattice *l)
{
    const wri_lattice_sizes sizes = {l->dimension, l->vertex_count, l->element_count,
                                     l->handle_count, l->render_count};
    size_t n = (size_t)l->vertex_count, corners = (size_t)l->element_count;
    corners *= (size_t)l->dimension + 1;
    const wri_memo_part parts[] = {{&sizes, sizeof sizes},
                                   {&l->report, sizeof l->report},
                                   {l->rest, n * sizeof *l->rest},
                                   {l->elements, corners * sizeof *l->elements},
                                   {l->vertex_parts, n * sizeof *l->vertex_parts},
                                   {l->is_boundary, n},
                                   {l->handle_vertices, (size_t)l->handle_count * sizeof(int)},
                                   {l->render_parts, (size_t)l->render_count * sizeof(int)}};
    wri_memo_keep(memo, key, parts, WRI_COUNT(parts));
}

wr_lattice *wri_memo_lattice(const wri_memo *memo, const wr_lattice_desc *desc, wr_error *error)
{
    uint64_t key = add_mesh(wri_memo_key("lattice"), desc->mesh);
    key = add_points(key, desc->handles, desc->handle_count);
    key = add_ints(key, (const int[]){desc->vertices, desc->smoothing, desc->separate_parts}, 3);
    key = add_double(key, desc->trim);
    wri_memo_entry entry = wri_memo_open(memo, key);
    wr_lattice *lattice = take_lattice(&entry, &desc->allocator);
    wri_memo_close(&entry);
    if (!lattice) {
        lattice = wr_lattice_create(desc, error);
        if (lattice) {
            keep_lattice(memo, key, lattice);
        }
    }
    return lattice;
}

// --- weights ----------------------------------------------------------------------------------

static uint64_t weights_key(const wr_weights_desc *desc)
{
    const wr_solid *mesh = &desc->mesh;
    uint64_t key = wri_memo_key("weights");
    key = add_points(key, mesh->positions, mesh->vertex_count);
    key = add_int(key, mesh->dimension);
    key = add_ints(key, mesh->elements, mesh->element_count * (mesh->dimension + 1));
    key = add_int(key, desc->handles->handle_count);
    key = wri_hash(desc->handles->anchors,
                   (size_t)desc->handles->anchor_count * sizeof *desc->handles->anchors, key);
    return add_int(add_double(key, desc->tolerance), desc->round_limit);
}

bool wri_memo_weights(const wri_memo *memo, const wr_weights_desc *desc, float *weights,
                      wr_weights_report *report, bool *is_kept, wr_error *error)
{
    size_t size = (size_t)desc->mesh.vertex_count * (size_t)desc->handles->handle_count;
    size *= sizeof *weights;
    uint64_t key = weights_key(desc);
    wri_memo_entry entry = wri_memo_open(memo, key);
    *is_kept = wri_memo_take(&entry, report, sizeof *report) &&
               wri_memo_take(&entry, weights, size) && wri_memo_is_whole(&entry);
    wri_memo_close(&entry);
    if (*is_kept) {
        return true;
    }
    if (!wr_weights_find(desc, weights, report, error)) {
        return false;
    }
    const wri_memo_part parts[] = {{report, sizeof *report}, {weights, size}};
    wri_memo_keep(memo, key, parts, WRI_COUNT(parts));
    return true;
}

// --- crush ------------------------------------------------------------------------------------

static uint64_t crush_key(const wr_crush_desc *desc)
{
    uint64_t key = add_mesh(wri_memo_key("crush"), desc->mesh);
    const wr_vec3 vectors[] = {desc->direction, desc->axis, desc->at};
    key = add_ints(key, desc->rigid, desc->rigid ? desc->mesh->vertex_count : 0);
    key = add_points(key, vectors, WRI_COUNT(vectors));
    key = desc->tool ? add_mesh(key, desc->tool) : add_int(key, (int)desc->shape);
    key = add_double(add_double(add_double(key, desc->size), desc->depth), desc->hold);
    key = add_double(add_double(add_double(key, desc->yield), desc->bend), desc->cell);
    key = add_double(key, desc->crossing);
    return add_int(add_int(key, desc->steps), desc->has_at);
}

bool wri_memo_crush(const wri_memo *memo, const wr_crush_desc *desc, wr_vec3 *positions,
                    wri_crush_end *end, wr_error *error)
{
    size_t size = (size_t)desc->mesh->vertex_count * sizeof *positions;
    uint64_t key = crush_key(desc);
    wri_memo_entry entry = wri_memo_open(memo, key);
    bool is_kept = wri_memo_take(&entry, end, sizeof *end) &&
                   wri_memo_take(&entry, positions, size) && wri_memo_is_whole(&entry);
    wri_memo_close(&entry);
    if (is_kept) {
        return true;
    }
    if (!wri_crush(desc, positions, end, error)) {
        return false;
    }
    const wri_memo_part parts[] = {{end, sizeof *end}, {positions, size}};
    wri_memo_keep(memo, key, parts, WRI_COUNT(parts));
    return true;
}

// --- examples ---------------------------------------------------------------------------------

uint64_t wri_rig_key(const wr_rig *rig)
{
    size_t n = (size_t)rig->vertex_count;
    uint64_t key = add_points(0, rig->rest, rig->vertex_count);
    key = add_int(key, rig->dimension);
    key = add_ints(key, rig->elements, rig->element_count * (rig->dimension + 1));
    key = wri_hash(rig->weights, n * (size_t)rig->handle_count * sizeof *rig->weights, key);
    for (int b = 0; b < rig->handle_count; b++) {
        const wr_handle *handle = &rig->handles[b];
        key = add_points(key, &handle->pivot, 1);
        key = add_int(add_int(key, handle->parent), handle->vertex);
    }
    return wri_hash(rig->rides, (size_t)rig->ride_count * sizeof *rig->rides, key);
}

static uint64_t add_move(uint64_t key, const wr_handle_move *m)
{
    const int words[] = {m->handle, m->is_turned, m->is_free, m->is_scaled};
    key = add_points(add_ints(key, words, WRI_COUNT(words)), &m->offset, 1);
    return wri_hash(&m->scale, sizeof m->scale, wri_hash(&m->rotation, sizeof m->rotation, key));
}

bool wri_memo_moves(const wri_memo *memo, uint64_t rig_key, const wr_rig *rig,
                    const wr_handle_move *moves, int move_count, bool follow, wr_handle_pose *poses,
                    wr_error *error)
{
    size_t size = (size_t)rig->handle_count * sizeof *poses;
    uint64_t key = add_int(wri_memo_key("moves") ^ rig_key, follow);
    for (int i = 0; i < move_count; i++) {
        key = add_move(key, &moves[i]);
    }
    wri_memo_entry entry = wri_memo_open(memo, key);
    bool is_kept = wri_memo_take(&entry, poses, size) && wri_memo_is_whole(&entry);
    wri_memo_close(&entry);
    if (is_kept) {
        return true;
    }
    if (!wr_example_from_moves(rig, moves, move_count, follow, poses, error)) {
        return false;
    }
    const wri_memo_part part = {poses, size};
    wri_memo_keep(memo, key, &part, 1);
    return true;
}

static uint64_t fit_key(uint64_t rig_key, const wr_fit_desc *desc)
{
    const wr_rig *rig = desc->rig;
    size_t handles = (size_t)rig->handle_count;
    int count = desc->at_vertices ? rig->vertex_count : rig->ride_count;
    uint64_t key = add_points(wri_memo_key("fit") ^ rig_key, desc->targets, count);
    const int words[] = {desc->at_vertices, desc->stretch, desc->poses != NULL,
                         desc->fixed != NULL};
    key = add_ints(key, words, WRI_COUNT(words));
    key = wri_hash(desc->poses, desc->poses ? handles * sizeof *desc->poses : 0, key);
    return wri_hash(desc->fixed, desc->fixed ? handles : 0, key);
}

// desc->poses may be out->poses: the key is found before these are overwritten.
bool wri_memo_fit(const wri_memo *memo, uint64_t rig_key, const wr_fit_desc *desc, wr_example *out,
                  wr_fit_report *report, wr_error *error)
{
    const wr_rig *rig = desc->rig;
    size_t pose_size = (size_t)rig->handle_count * sizeof *out->poses;
    size_t corrective_size = (size_t)rig->vertex_count * sizeof *out->correctives;
    size_t detail_size = (size_t)rig->ride_count * sizeof *out->details;
    uint64_t key = fit_key(rig_key, desc);
    wri_memo_entry entry = wri_memo_open(memo, key);
    int has[2];
    bool is_kept =
        wri_memo_take(&entry, report, sizeof *report) && wri_memo_take(&entry, has, sizeof has) &&
        wri_memo_take(&entry, out->poses, pose_size) &&
        (!has[0] || wri_memo_take(&entry, out->correctives, corrective_size)) &&
        (!has[1] || wri_memo_take(&entry, out->details, detail_size)) && wri_memo_is_whole(&entry);
    wri_memo_close(&entry);
    if (is_kept) {
        out->correctives = has[0] ? out->correctives : NULL;
        out->details = has[1] ? out->details : NULL;
        return true;
    }
    if (!wr_example_fit(desc, out, report, error)) {
        return false;
    }
    has[0] = out->correctives != NULL;
    has[1] = out->details != NULL;
    const wri_memo_part parts[] = {{report, sizeof *report},
                                   {has, sizeof has},
                                   {out->poses, pose_size},
                                   {out->correctives, has[0] ? corrective_size : 0},
                                   {out->details, has[1] ? detail_size : 0}};
    wri_memo_keep(memo, key, parts, WRI_COUNT(parts));
    return true;
}
