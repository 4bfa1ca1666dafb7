// published.c: rigs as the authors of example-based plastic deformation published theirs.
//
// B. Jones, N. Thuerey, T. Shinar, A. W. Bargteil. Example-based plastic deformation of rigid
// bodies. SIGGRAPH 2016. A folder of theirs contains
//   mesh.mesh           tetrahedra (MEDIT); theirs are nearly all inside out and are turned here
//   coarseWeights.dmat  a row per vertex, a column per bone
//   bone_roots.bf       a line per bone: number of its column (negative: none), line of its parent
//                       (-1: a root), offset from the parent or the origin, and how it stood in the
//                       editor
//   exampleGraph.txt    number of examples; of each a place and a colour in the editor, the number
//                       of lines of bone_roots.bf, and a translation and a quaternion for each of
//                       them; then which examples are joined, which is not needed here
//   mesh_render.obj     the surface to draw; where there is none, mesh.obj is, and without that the
//                       surface of the tetrahedra
// Planes along which theirs break are read in published_cuts.c. Spheres with which theirs collide
// are not, which a warning says.
// Their bones map u to R u + t. About the pivot c that is R (u - c) + c + d, d = R c - c + t.
// Quaternions are w x y z; since the first example is the rest shape it shows the order, and a file
// with x y z w is read as well.
#include "published.h"

#include "../base/os.h"
#include "../file/asset.h"
#include "../file/model.h"
#include "lattice.h"

typedef struct bone {
    int column, parent; // -1: none
    wr_vec3 place;      // place in the file's units
} bone;

typedef struct bone_pose {
    double t[3], q[4]; // numbers as the file has them
} bone_pose;

bool wri_published_fail_memory(wri_published *im)
{
    return wri_fail_memory(im->error, im->arena.total);
}

const char *wri_published_file(wri_published *im, const char *name)
{
    const char *path = wri_path_join(&im->arena, im->folder, name);
    if (!path) {
        wri_published_fail_memory(im);
    }
    return path;
}

bool wri_published_open(wri_published *im, const char *name, wri_words *words)
{
    const char *path = wri_published_file(im, name);
    size_t size = 0;
    const wr_allocator *allocator = im->options.allocator;
    char *bytes = path ? wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, im->error) : NULL;
    char *kept = bytes ? wri_arena_text(&im->arena, bytes, size) : NULL;
    if (bytes) {
        wri_free(allocator, bytes, size + 1, 1);
    }
    if (!kept) {
        return bytes ? wri_published_fail_memory(im) : false;
    }
    *words = wri_words_open(path, kept, size, 0, im->error);
    return true;
}

// --- meshes -----------------------------------------------------------------------------------

// "a/b/" is called b.
static const char *folder_name(wri_published *im)
{
    size_t end = strlen(im->folder);
    while (end > 0 && im->folder[end - 1] == '/') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && im->folder[begin - 1] != '/') {
        begin--;
    }
    char *name = wr_asset_alloc(im->asset, end - begin + 1, 1);
    if (name) {
        memcpy(name, im->folder + begin, end - begin);
    }
    return name;
}

static bool read_tetrahedra(wri_published *im)
{
    const char *path = wri_published_file(im, "mesh.mesh");
    im->tets = path ? wr_tet_mesh_read(path, &im->options, im->error) : NULL;
    if (!im->tets) {
        return false;
    }
    int flipped;
    wr_error why = {0};
    im->lattice = wri_lattice_from_tets(im->tets, NULL, &flipped, &why);
    return im->lattice || wri_fail(im->error, why.code, "%s: %s", path, why.message);
}

// The model to draw, which may have several meshes.
static wr_model *read_surface(wri_published *im)
{
    static const char *const names[] = {"mesh_render.obj", "mesh.obj"};
    for (int i = 0; i < WRI_COUNT(names); i++) {
        const char *path = wri_published_file(im, names[i]);
        if (!path || wri_file_exists(path)) {
            return path ? wr_model_read(path, &im->options, im->error) : NULL;
        }
    }
    wr_model *model = wr_tet_mesh_create_surface(im->tets, im->options.allocator, im->error);
    if (!model) {
        return NULL;
    }
    model->meshes[0].name = NULL; // it is named after the file
    const char *path = wri_published_file(im, "mesh.mesh");
    if (!path || !wri_model_add_nodes(model, path, im->error)) {
        wr_model_destroy(model);
        return NULL;
    }
    return model;
}

static bool create_asset(wri_published *im)
{
    wr_model *model = read_surface(im);
    wr_model *flat = model ? wr_model_flatten(model, im->error) : NULL;
    if (flat && !wri_model_copy_warnings(model, flat)) {
        wr_model_destroy(flat);
        flat = NULL;
        wri_published_fail_memory(im);
    }
    im->asset = flat ? wr_asset_create(flat, im->options.allocator, im->error) : NULL;
    wr_model_destroy(model);
    if (!im->asset) {
        return false;
    }
    im->asset->name = folder_name(im);
    return im->asset->name || wri_published_fail_memory(im);
}

static bool copy_mesh(wri_published *im)
{
    wr_rig *rig = &im->asset->rig;
    const wr_lattice *l = im->lattice;
    size_t n = (size_t)l->vertex_count, elements = (size_t)l->element_count;
    rig->dimension = 3;
    rig->rest = wr_asset_alloc(im->asset, n, sizeof *rig->rest);
    rig->elements = wr_asset_alloc(im->asset, elements, 4 * sizeof(int));
    if (!rig->rest || !rig->elements) {
        return wri_published_fail_memory(im);
    }
    rig->vertex_count = l->vertex_count;
    rig->element_count = l->element_count;
    memcpy(rig->rest, l->rest, n * sizeof *rig->rest);
    memcpy(rig->elements, l->elements, elements * 4 * sizeof(int));
    return true;
}

static bool find_rides(wri_published *im)
{
    wr_rig *rig = &im->asset->rig;
    const wr_mesh *surface = im->asset->model->meshes;
    rig->rides = wr_asset_alloc(im->asset, (size_t)surface->vertex_count, sizeof *rig->rides);
    if (!rig->rides) {
        return wri_published_fail_memory(im);
    }
    rig->ride_count = surface->vertex_count;
    return wr_lattice_find_rides(im->lattice, surface->positions, NULL, rig->ride_count, NULL,
                                 rig->rides, NULL, im->error);
}

// --- weights ----------------------------------------------------------------------------------

static bool read_weights(wri_published *im)
{
    wr_rig *rig = &im->asset->rig;
    const char *path = wri_published_file(im, "coarseWeights.dmat");
    wr_matrix *m = path ? wr_matrix_read(path, im->options.allocator, im->error) : NULL;
    if (!m) {
        return false;
    }
    bool ok = m->rows == rig->vertex_count;
    if (!ok) {
        wri_fail(im->error, WR_E_FORMAT, "%s: %d rows, but the mesh has %d vertices", path, m->rows,
                 rig->vertex_count);
    }
    size_t n = (size_t)m->rows, B = (size_t)m->columns;
    rig->weights = ok ? wr_asset_alloc(im->asset, n * B, sizeof *rig->weights) : NULL;
    ok = ok && (rig->weights || wri_published_fail_memory(im));
    rig->handle_count = m->columns;
    for (size_t i = 0; i < n * B && ok; i++) {
        rig->weights[i] = (float)m->values[i % B * n + i / B];
    }
    wr_matrix_destroy(m);
    return ok;
}

// --- bones ------------------------------------------------------------------------------------

static bool check_line(wri_words *words, const char *what)
{
    return wri_words_on_line(words) ||
           wri_words_fail(words, "the line ends here, expected %s", what);
}

// Adds a bone to the list.
static bool read_bone(wri_words *words, wri_array *bones, int columns)
{
    static const char *const axes[3] = {"x of a bone", "y of a bone", "z of a bone"};
    bone b = {0};
    float p[3];
    bool ok = wri_words_whole(words, "the column of a bone", INT32_MIN, columns - 1, &b.column) &&
              check_line(words, "the parent of a bone") &&
              wri_words_whole(words, "the parent of a bone", -1, bones->count - 1, &b.parent);
    for (int k = 0; k < 3 && ok; k++) {
        ok = check_line(words, axes[k]) && wri_words_float(words, axes[k], &p[k]);
    }
    if (!ok) {
        return false;
    }
    b.place = wr_v3(p[0], p[1], p[2]);
    if (b.parent >= 0) {
        b.place = wr_add(b.place, WRI_ITEM(*bones, bone, b.parent).place);
    }
    wri_words_skip_line(words);
    bone *added = wri_array_add(bones, 1);
    if (!added) {
        return wri_fail_memory(words->error, sizeof *added);
    }
    *added = b;
    return true;
}

// The nearest ancestor that is a handle; a handle of a higher number cannot be one's parent, and
// since poses are absolute it need not.
static int find_parent(const wri_array *bones, const bone *b)
{
    int parent = b->parent;
    while (parent >= 0 && WRI_ITEM(*bones, bone, parent).column < 0) {
        parent = WRI_ITEM(*bones, bone, parent).parent;
    }
    int column = parent < 0 ? -1 : WRI_ITEM(*bones, bone, parent).column;
    return column < b->column ? column : -1;
}

static int find_vertex(const wr_rig *rig, wr_vec3 p)
{
    for (int i = 0; i < rig->vertex_count; i++) {
        wr_vec3 u = rig->rest[i];
        if (u.x == p.x && u.y == p.y && u.z == p.z) {
            return i;
        }
    }
    return -1;
}

static bool place_handle(wri_published *im, wri_words *words, const bone *b)
{
    wr_rig *rig = &im->asset->rig;
    wr_handle *handle = &rig->handles[b->column];
    if (handle->name) {
        return wri_words_fail(words, "a second bone with the weights of column %d", b->column);
    }
    char *name = wri_arena_printf(&im->arena, "bone %d", b->column);
    char *kept = name ? wri_asset_text(im->asset, name) : NULL;
    if (!kept) {
        return wri_published_fail_memory(im);
    }
    *handle = (wr_handle){.name = kept, .pivot = b->place, .parent = find_parent(&im->bones, b)};
    if (!wri_convert_points(&im->conversion, &handle->pivot, 1)) {
        return wri_words_fail(words, "a bone is too far away");
    }
    handle->vertex = find_vertex(rig, handle->pivot);
    return true;
}

static bool read_bones(wri_published *im)
{
    wr_rig *rig = &im->asset->rig;
    wri_words words;
    rig->handles = wr_asset_alloc(im->asset, (size_t)rig->handle_count, sizeof *rig->handles);
    if (!rig->handles) {
        return wri_published_fail_memory(im);
    }
    bool ok = wri_published_open(im, "bone_roots.bf", &words);
    if (!ok) {
        return false;
    }
    for (wri_words ahead = words; ok && wri_words_next(&ahead); ahead = words) {
        ok = read_bone(&words, &im->bones, rig->handle_count);
        const bone *b = ok ? &WRI_ITEM(im->bones, bone, im->bones.count - 1) : NULL;
        ok = ok && (b->column < 0 || place_handle(im, &words, b));
    }
    for (int b = 0; b < rig->handle_count && ok; b++) {
        ok = rig->handles[b].name ||
             wri_words_fail(&words, "no bone has the weights of column %d", b);
    }
    return ok;
}

// --- examples ---------------------------------------------------------------------------------

static bool read_pose(wri_words *words, bone_pose *out)
{
    for (int k = 0; k < 3; k++) {
        if (!wri_words_number(words, "the translation of a bone", &out->t[k])) {
            return false;
        }
    }
    for (int k = 0; k < 4; k++) {
        if (!wri_words_number(words, "the quaternion of a bone", &out->q[k])) {
            return false;
        }
    }
    return true;
}

// Reads a pose for each line of bone_roots.bf; those without a column move nothing.
static bool read_example(wri_published *im, wri_words *words, bone_pose *poses)
{
    int count = 0, lines = im->bones.count;
    double ignored;
    for (int k = 0; k < 5; k++) {
        if (!wri_words_number(words, "the place and colour of an example", &ignored)) {
            return false;
        }
    }
    if (!wri_words_whole(words, "the number of bones", lines, lines, &count)) {
        return false;
    }
    for (int b = 0; b < count; b++) {
        if (!read_pose(words, &poses[b])) {
            return false;
        }
    }
    return true;
}

// Finds the place of w: 0 or 3. Fails when the first example is not the rest shape either way.
static bool find_order(const wri_published *im, wri_words *words, const bone_pose *rest, int *w)
{
    bool first = true, last = true;
    for (int b = 0; b < im->bones.count; b++) {
        const double *t = rest[b].t, *q = rest[b].q;
        bool stays = t[0] == 0.0 && t[1] == 0.0 && t[2] == 0.0 && q[1] == 0.0 && q[2] == 0.0;
        first = first && stays && fabs(q[0]) == 1.0 && q[3] == 0.0;
        last = last && stays && fabs(q[3]) == 1.0 && q[0] == 0.0;
    }
    *w = first ? 0 : 3;
    return first || last || wri_words_fail(words, "the first example is not the rest shape");
}

static bool convert_pose(const wri_published *im, const bone_pose *in, int w, wr_vec3 pivot,
                         wr_handle_pose *out)
{
    const double *q = in->q, *v = w == 0 ? q + 1 : q;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.0) < 1e-3)) {
        return false;
    }
    wr_quat r = {(float)(v[0] / length), (float)(v[1] / length), (float)(v[2] / length),
                 (float)(q[w] / length)};
    wr_vec3 moved = wr_sub(wr_rotate(r, pivot), pivot);
    bool turns = r.x != 0.0f || r.y != 0.0f || r.z != 0.0f;
    *out = (wr_handle_pose){.rotation = wri_convert_rotation(&im->conversion, r),
                            .offset = {(float)in->t[0], (float)in->t[1], (float)in->t[2]},
                            .stretch = {1, 1, 1, 0, 0, 0}};
    out->offset = turns ? wr_add(out->offset, moved) : out->offset;
    return wri_convert_points(&im->conversion, &out->offset, 1);
}

static bool take_example(wri_published *im, wri_words *words, int e, const bone_pose *poses, int w)
{
    wr_rig *rig = &im->asset->rig;
    wr_example *example = &rig->examples[e];
    char *name = e == 0 ? "rest" : wri_arena_printf(&im->arena, "example %d", e);
    example->name = name ? wri_asset_text(im->asset, name) : NULL;
    example->poses = wr_asset_alloc(im->asset, (size_t)rig->handle_count, sizeof *example->poses);
    if (!example->name || !example->poses) {
        return wri_published_fail_memory(im);
    }
    for (int line = 0; line < im->bones.count; line++) {
        const bone *b = &WRI_ITEM(im->bones, bone, line);
        if (b->column >= 0 &&
            !convert_pose(im, &poses[line], w, b->place, &example->poses[b->column])) {
            return wri_words_fail(words,
                                  "example %d, bone %d: a quaternion not of unit length, or a "
                                  "translation that is too large",
                                  e, b->column);
        }
    }
    return true;
}

static bool read_examples(wri_published *im)
{
    wr_rig *rig = &im->asset->rig;
    wri_words words;
    int count = 0, w = 0;
    bone_pose *poses = wri_arena_alloc(&im->arena, (size_t)im->bones.count, sizeof *poses);
    if (!poses) {
        return wri_published_fail_memory(im);
    }
    if (!wri_published_open(im, "exampleGraph.txt", &words) ||
        !wri_words_whole(&words, "the number of examples", 1, WR_SKIN_EXAMPLES_MAX, &count)) {
        return false;
    }
    rig->examples = wr_asset_alloc(im->asset, (size_t)count, sizeof *rig->examples);
    rig->example_count = rig->examples ? count : 0;
    bool ok = rig->examples || wri_published_fail_memory(im);
    for (int e = 0; e < count && ok; e++) {
        ok = read_example(im, &words, poses) && (e > 0 || find_order(im, &words, poses, &w)) &&
             take_example(im, &words, e, poses, w);
    }
    return ok;
}

// --- what is not read -------------------------------------------------------------------------

static bool warn_of_the_rest(wri_published *im)
{
    wri_array names = wri_array_create(im->options.allocator, sizeof(const char *));
    bool ok = wri_folder_list(im->folder, &im->arena, &names, im->error), found = false;
    for (int i = 0; i < names.count; i++) {
        const char *name = WRI_ITEM(names, const char *, i);
        found = found || strcmp(name, "spheres.txt") == 0 || strcmp(name, "allSpheres.txt") == 0;
    }
    wri_array_destroy(&names);
    return ok && (!found || wri_model_warn(im->asset->model, im->error, im->folder,
                                           "spheres for collisions are not read: hulls serve"));
}

// --- the whole --------------------------------------------------------------------------------

static bool read_folder(wri_published *im)
{
    return read_tetrahedra(im) && create_asset(im) && copy_mesh(im) && read_weights(im) &&
           read_bones(im) && read_examples(im) && find_rides(im) && wri_published_read_cuts(im) &&
           warn_of_the_rest(im);
}

wr_asset *wr_asset_read_published(const char *folder, const wr_read_options *options,
                                  const wr_allocator *allocator, wr_error *error)
{
    if (!WRI_REQUIRE(error, folder)) {
        return NULL;
    }
    wri_published im = {.folder = folder,
                        .arena = wri_arena_create(allocator),
                        .bones = wri_array_create(allocator, sizeof(bone)),
                        .error = error};
    im.options = options ? *options : im.options;
    im.options.allocator = allocator;
    wr_error why = {0};
    bool ok = wri_conversion_create(options, &im.conversion, error) && read_folder(&im);
    if (ok && !wr_asset_check(im.asset, &why)) {
        wr_code code = why.code == WR_E_ARGUMENT ? WR_E_FORMAT : why.code;
        ok = wri_fail(error, code, "%s: %s", folder, why.message);
    }
    wr_lattice_destroy(im.lattice);
    wr_tet_mesh_destroy(im.tets);
    wri_array_destroy(&im.bones);
    wri_arena_destroy(&im.arena);
    if (!ok) {
        wr_asset_destroy(im.asset);
        return NULL;
    }
    return im.asset;
}
