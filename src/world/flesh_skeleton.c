// flesh_skeleton.c: bones, weights and joints of flesh from the skeleton of a model.
//
// A joint that moves less than a hundredth of the mass is a part of the one above it. What is left
// are bones; each hangs on the bone above it by a joint at its own place. Bones that hang on
// nothing but share skin hang on each other, where their file has something above them both.
#include "flesh_skeleton.h"

static const double LEAST = 0.01;   // of the mass: what a bone moves
static const float SHARED = 0.05f;  // of a node: what counts as sharing it
static const double CRITICAL = 1.0; // of critical damping, of joints
static const double GRAVITY = 9.81; // m/s^2, that makes a weight

typedef struct builder {
    const wri_flesh_skeleton_desc *desc;
    wri_flesh_skeleton *s;
    wri_arena work;
    float *rows;                  // a row of the handles' weights per node
    wr_flesh_mass *links, *inner; // per handle
    double *masses;               // per handle, with those that are parts of it
    int *into;                    // per handle: the handle of which it is a part
    int *parents;                 // per handle: that it hangs on, -1
    int *bone_of;                 // per handle: its bone
    wr_error *error;
} builder;

static void *take(wri_arena *arena, int count, size_t size)
{
    return wri_arena_alloc(arena, (size_t)count, size);
}

static bool fail_memory(const builder *b)
{
    return wri_fail_memory(b->error, (size_t)b->desc->layer->node_count * sizeof(float));
}

// --- weights of nodes -------------------------------------------------------------------------

// Rows of the model's vertices; those that were added have the mean of the two they lie between.
static float *find_model_rows(builder *b)
{
    const wr_skeleton *skeleton = b->desc->skeleton;
    size_t width = (size_t)skeleton->handle_count, known = (size_t)skeleton->vertex_count;
    WR_ASSERT(skeleton->vertex_count + b->desc->added->count == b->desc->mesh->vertex_count);
    float *rows =
        wri_arena_alloc(&b->work, (size_t)b->desc->mesh->vertex_count * width, sizeof *rows);
    if (rows) {
        memcpy(rows, skeleton->weights, known * width * sizeof *rows);
        wr_added_interpolate(b->desc->added, skeleton->handle_count, rows);
    }
    return rows;
}

// Rows of what the layer is made of: of texels, or of the model's vertices.
static float *find_vertex_rows(builder *b)
{
    const wr_texels *texels = b->desc->texels;
    float *of_model = find_model_rows(b);
    if (!texels || !of_model) {
        return of_model;
    }
    int width = b->desc->skeleton->handle_count;
    float *rows = take(&b->work, texels->vertex_count, (size_t)width * sizeof *rows);
    if (rows) {
        wr_texels_interpolate(texels, width, of_model, rows);
    }
    return rows;
}

// Of vertices at one place the first counts.
static bool find_rows(builder *b)
{
    const wr_layer *layer = b->desc->layer;
    size_t width = (size_t)b->desc->skeleton->handle_count;
    const float *of_vertices = find_vertex_rows(b);
    b->rows = wri_arena_alloc(&b->work, (size_t)layer->node_count * width, sizeof *b->rows);
    for (int i = 0; of_vertices && b->rows && i < layer->node_count; i++) {
        memcpy(&b->rows[(size_t)i * width], &of_vertices[(size_t)layer->vertex_of[i] * width],
               width * sizeof *b->rows);
    }
    return of_vertices && b->rows;
}

// --- bones ------------------------------------------------------------------------------------

// The heaviest of those that hang on a handle, -1: none does.
static int heaviest_child(const builder *b, int handle)
{
    int best = -1;
    for (int i = 0; i < b->desc->skeleton->handle_count; i++) {
        bool hangs = b->into[i] == i && b->parents[i] == handle;
        best = hangs && (best < 0 || b->masses[i] > b->masses[best]) ? i : best;
    }
    return best;
}

static void merge(builder *b, int handle, int other)
{
    b->into[handle] = other;
    b->masses[other] += b->masses[handle];
    if (b->parents[other] == handle) {
        b->parents[other] = -1;
    }
    for (int i = 0; i < b->desc->skeleton->handle_count; i++) {
        b->parents[i] = b->parents[i] == handle ? other : b->parents[i];
    }
}

// From the tips on, so that small ones add up.
static void merge_light(builder *b)
{
    double total = 0.0;
    int count = b->desc->skeleton->handle_count;
    for (int i = 0; i < count; i++) {
        b->masses[i] = b->links[i].mass;
        total += b->masses[i];
        b->into[i] = i;
        b->parents[i] = b->desc->skeleton->handles[i].parent;
    }
    for (int i = count - 1; i >= 0; i--) {
        int other = b->parents[i] >= 0 ? b->parents[i] : heaviest_child(b, i);
        if (b->masses[i] < LEAST * total && other >= 0) {
            merge(b, i, other);
        }
    }
}

static int bone_at(const builder *b, int handle)
{
    while (b->into[handle] != handle) {
        handle = b->into[handle];
    }
    return b->bone_of[handle];
}

static bool find_bones(builder *b)
{
    wri_flesh_skeleton *s = b->s;
    int count = b->desc->skeleton->handle_count, nodes = b->desc->layer->node_count;
    for (int i = 0; i < count; i++) {
        b->bone_of[i] = b->into[i] == i ? s->bone_count++ : -1;
    }
    s->handles = take(&s->arena, s->bone_count, sizeof *s->handles);
    s->bone_of = take(&s->arena, count, sizeof *s->bone_of);
    s->parents = take(&s->arena, s->bone_count, sizeof *s->parents);
    s->origins = take(&s->arena, s->bone_count, sizeof *s->origins);
    s->inner = take(&s->arena, s->bone_count, sizeof *s->inner);
    s->links = take(&s->arena, s->bone_count, sizeof *s->links);
    s->joints = take(&s->arena, s->bone_count, sizeof *s->joints);
    s->bones = take(&s->arena, nodes * WR_FLESH_INFLUENCES, sizeof *s->bones);
    s->weights = take(&s->arena, nodes * WR_FLESH_INFLUENCES, sizeof *s->weights);
    if (!s->handles || !s->bone_of || !s->parents || !s->origins || !s->inner || !s->links ||
        !s->joints || !s->bones || !s->weights) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        int bone = b->bone_of[i];
        s->bone_of[i] = bone_at(b, i);
        if (bone >= 0) {
            s->handles[bone] = i;
            s->parents[bone] = b->parents[i] < 0 ? -1 : bone_at(b, b->parents[i]);
            s->origins[bone] = wr_scale(b->desc->scale, b->desc->skeleton->handles[i].pivot);
        }
    }
    return true;
}

// --- weights of bones -------------------------------------------------------------------------

// The largest first, and no more than a node may have.
static void choose(const wri_flesh_skeleton *s, int node, const float *row)
{
    int *bones = &s->bones[node * WR_FLESH_INFLUENCES];
    float *weights = &s->weights[node * WR_FLESH_INFLUENCES], sum = 0.0f;
    for (int i = 0; i < s->bone_count; i++) {
        int at = WR_FLESH_INFLUENCES;
        while (at > 0 && row[i] > weights[at - 1]) {
            at--;
        }
        for (int k = WR_FLESH_INFLUENCES - 1; k > at; k--) {
            weights[k] = weights[k - 1];
            bones[k] = bones[k - 1];
        }
        if (at < WR_FLESH_INFLUENCES) {
            weights[at] = row[i];
            bones[at] = i;
        }
    }
    for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
        sum += weights[k];
    }
    for (int k = 0; k < WR_FLESH_INFLUENCES; k++) {
        weights[k] = sum > 0.0f ? weights[k] / sum : k == 0;
    }
}

static bool find_weights(builder *b)
{
    const wri_flesh_skeleton *s = b->s;
    int handles = b->desc->skeleton->handle_count;
    float *row = take(&b->work, s->bone_count, sizeof *row);
    for (int i = 0; row && i < b->desc->layer->node_count; i++) {
        memset(row, 0, (size_t)s->bone_count * sizeof *row);
        for (int h = 0; h < handles; h++) {
            row[bone_at(b, h)] += b->rows[(size_t)i * (size_t)handles + (size_t)h];
        }
        choose(s, i, row);
    }
    return row;
}

static void add_moments(const wr_flesh_mass *from, wr_flesh_mass *to)
{
    to->mass += from->mass;
    for (int k = 0; k < 9; k++) {
        to->first[k / 3] += k % 3 == 0 ? from->first[k / 3] : 0.0;
        to->second[k / 3][k % 3] += from->second[k / 3][k % 3];
    }
}

static void find_masses(const builder *b)
{
    wri_flesh_skeleton *s = b->s;
    for (int h = 0; h < b->desc->skeleton->handle_count; h++) {
        add_moments(&b->links[h], &s->links[bone_at(b, h)]);
        add_moments(&b->inner[h], &s->inner[bone_at(b, h)]);
    }
    for (int i = 0; i < s->bone_count; i++) {
        wri_flesh_fill_up(&s->links[i], &s->inner[i]);
    }
}

// --- what hangs on what -----------------------------------------------------------------------

static int root_of(const wri_flesh_skeleton *s, int bone)
{
    while (s->parents[bone] >= 0) {
        bone = s->parents[bone];
    }
    return bone;
}

static bool join_roots(builder *b, int one, int other)
{
    const wr_skeleton *skeleton = b->desc->skeleton;
    wri_flesh_skeleton *s = b->s;
    int first = s->handles[one], second = s->handles[other];
    if (skeleton->trees && skeleton->trees[first] != skeleton->trees[second]) {
        return wri_fail(b->error, WR_E_ARGUMENT,
                        "the joints \"%.80s\" and \"%.80s\" move the same skin, but hang on no "
                        "joint in common",
                        skeleton->handles[first].name, skeleton->handles[second].name);
    }
    bool is_lighter = s->links[one].mass < s->links[other].mass;
    s->parents[is_lighter ? one : other] = is_lighter ? other : one;
    return true;
}

static bool join_by_skin(builder *b)
{
    const wri_flesh_skeleton *s = b->s;
    for (int i = 0; i < b->desc->layer->node_count; i++) {
        const int *bones = &s->bones[i * WR_FLESH_INFLUENCES];
        const float *weights = &s->weights[i * WR_FLESH_INFLUENCES];
        for (int k = 1; k < WR_FLESH_INFLUENCES && weights[k] > SHARED; k++) {
            int one = root_of(s, bones[0]), other = root_of(s, bones[k]);
            if (one != other && !join_roots(b, one, other)) {
                return false;
            }
        }
    }
    return true;
}

// --- joints -----------------------------------------------------------------------------------

static bool hangs_on(const wri_flesh_skeleton *s, int bone, int other)
{
    while (bone >= 0 && bone != other) {
        bone = s->parents[bone];
    }
    return bone == other;
}

// Of the part that hangs on a joint and of the rest: the torque of its weight about the joint, N m,
// and its inertia, kg m^2.
static void weigh_side(const wri_flesh_skeleton *s, int bone, bool below, double *torque,
                       double *inertia)
{
    const double at[3] = {(double)s->origins[bone].x, (double)s->origins[bone].y,
                          (double)s->origins[bone].z};
    double lever[3] = {0.0};
    *inertia = 0.0;
    for (int i = 0; i < s->bone_count; i++) {
        const wr_flesh_mass *m = &s->links[i];
        if (hangs_on(s, i, bone) != below || root_of(s, i) != root_of(s, bone)) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            lever[k] += m->first[k] - m->mass * at[k];
            *inertia += m->second[k][k] - 2.0 * at[k] * m->first[k] + m->mass * at[k] * at[k];
        }
    }
    *torque = GRAVITY * sqrt(lever[0] * lever[0] + lever[1] * lever[1] + lever[2] * lever[2]);
}

static wr_flesh_joint joint_of(const builder *b, int bone)
{
    const wri_flesh_skeleton *s = b->s;
    double torque[2], inertia[2];
    weigh_side(s, bone, true, &torque[0], &inertia[0]);
    weigh_side(s, bone, false, &torque[1], &inertia[1]);
    double factor = b->desc->factors ? b->desc->factors[s->handles[bone]] : 1.0;
    double k = factor * b->desc->stiffness * fmin(torque[0], torque[1]);
    double I = inertia[0] * inertia[1] / (inertia[0] + inertia[1]);
    return (wr_flesh_joint){.a = bone,
                            .b = s->parents[bone],
                            .kind = WR_FLESH_BALL,
                            .at = s->origins[bone],
                            .stiffness = k,
                            .damping = 2.0 * CRITICAL * sqrt(k * I)};
}

static void find_joints(builder *b)
{
    wri_flesh_skeleton *s = b->s;
    for (int i = 0; i < s->bone_count; i++) {
        if (s->parents[i] >= 0) {
            s->joints[s->joint_count++] = joint_of(b, i);
        }
    }
}

// --- the whole --------------------------------------------------------------------------------

static bool build(builder *b)
{
    int count = b->desc->skeleton->handle_count;
    b->inner = take(&b->work, count, sizeof *b->inner);
    b->masses = take(&b->work, count, sizeof *b->masses);
    b->links = take(&b->work, count, sizeof *b->links);
    b->into = take(&b->work, count, sizeof *b->into);
    b->parents = take(&b->work, count, sizeof *b->parents);
    b->bone_of = take(&b->work, count, sizeof *b->bone_of);
    if (!b->inner || !b->masses || !b->links || !b->into || !b->parents || !b->bone_of ||
        !find_rows(b) || !wri_flesh_find_links(b->desc, count, b->rows, b->links, b->inner)) {
        return fail_memory(b);
    }
    merge_light(b);
    if (!find_bones(b) || !find_weights(b)) {
        return fail_memory(b);
    }
    find_masses(b);
    if (!join_by_skin(b)) {
        return false;
    }
    find_joints(b);
    return wri_flesh_find_limits(b->desc, b->s) || fail_memory(b);
}

wri_flesh_skeleton *wri_flesh_skeleton_create(const wri_flesh_skeleton_desc *desc, wr_error *error)
{
    if (!desc->skeleton || !desc->skeleton->weights || desc->skeleton->handle_count < 2) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    wri_flesh_skeleton *s = wri_arena_alloc(&arena, 1, sizeof *s);
    if (!s) {
        wri_fail_memory(error, sizeof *s);
        return NULL;
    }
    s->arena = arena;
    builder b = {desc, s, wri_arena_create(&desc->allocator), .error = error};
    bool ok = build(&b);
    wri_arena_destroy(&b.work);
    if (!ok || s->bone_count < 2) {
        wri_flesh_skeleton_destroy(s);
        s = NULL;
    }
    return s;
}

void wri_flesh_skeleton_destroy(wri_flesh_skeleton *s)
{
    if (s) {
        wri_arena arena = s->arena;
        wri_arena_destroy(&arena);
    }
}

void wri_flesh_skeleton_describe(const wri_flesh_skeleton *s, wr_flesh_model_desc *model)
{
    model->bone_count = s->bone_count;
    model->origins = s->origins;
    model->bones = s->bones;
    model->weights = s->weights;
    model->inner = s->inner;
    model->joints = s->joints;
    model->joint_count = s->joint_count;
}
