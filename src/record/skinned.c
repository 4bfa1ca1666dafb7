// skinned.c: bodies with a skin, as a stream of a frame: poses of their bones, displacements of
// their nodes in the bind pose.
//
// Displacements are counted in quanta, a power of two of about 2^-16 of the model's size: the
// counts are coded exactly, from a guess that the node stays: it trembles more than it travels, and
// a guess that it goes on along a straight line takes a quarter more bytes. The points that bones
// and displacements make of the model are found again on reading.
#include "stream.h"

enum {
    BITS = 16,
    SCALE_LEAST = -126,
    SCALE_MOST = 104,
};

typedef struct cell {
    int32_t x[3];
} cell;

// What the description says of a body. The skin and the model are a reader's; a writer knows the
// numbers alone.
typedef struct skin_place {
    const wr_record_skin *skin; // NULL: it has none
    const wr_vec3 *positions;   // of its model
    int bone_count, node_count;
    int scale; // a quantum is at least 2^scale metres
} skin_place;

// `seen` is the number of the frame it was in, counted from 1.
typedef struct skin_track {
    int seen;
    int scale;                                 // a quantum is 2^scale metres
    wri_array bones, last_bones, bones_before; // wr_pose
    wri_array now, last;                       // cell, per node
    wri_array displacements, points;           // wr_vec3, for the one who reads
} skin_track;

// --- what is known of bodies ------------------------------------------------------------------

static int scale_of_model(const wr_mesh *mesh)
{
    int exponent = 0;
    (void)frexpf(wr_length(wr_box_size(wr_mesh_bounds(mesh))), &exponent);
    int scale = exponent - 1 - BITS;
    return scale < SCALE_LEAST ? SCALE_LEAST : scale;
}

bool wri_skinned_create(wri_frame_state *s, const wr_record_info *info)
{
    if (info->skin_count == 0) {
        return true;
    }
    if (!wri_resize(&s->skins, sizeof(skin_place), info->body_count)) {
        return false;
    }
    for (int i = 0; i < info->body_count; i++) {
        const wr_record_skin *skin = wr_record_skin_of(info, i);
        if (skin) {
            const wr_mesh *mesh = info->models[info->bodies[i].model]->meshes;
            WRI_ITEM(s->skins, skin_place, i) = (skin_place){
                skin, mesh->positions, skin->bone_count, skin->node_count, scale_of_model(mesh)};
        }
    }
    return true;
}

void wri_skinned_forget(wri_frame_state *s)
{
    for (int i = 0; i < s->skin_tracks.count; i++) {
        WRI_ITEM(s->skin_tracks, skin_track, i).seen = 0;
    }
}

void wri_skinned_destroy(wri_frame_state *s)
{
    for (int i = 0; i < s->skin_tracks.count; i++) {
        skin_track *t = &WRI_ITEM(s->skin_tracks, skin_track, i);
        wri_array *arrays[] = {&t->bones, &t->last_bones,    &t->bones_before, &t->now,
                               &t->last,  &t->displacements, &t->points};
        for (int k = 0; k < WRI_COUNT(arrays); k++) {
            wri_array_destroy(arrays[k]);
        }
    }
    wri_array *lists[] = {&s->skins, &s->skinned, &s->skin_tracks, &s->skin_points};
    for (int k = 0; k < WRI_COUNT(lists); k++) {
        wri_array_destroy(lists[k]);
    }
}

static const skin_place *place_of(const wri_frame_state *s, int body)
{
    const skin_place *place =
        body >= 0 && body < s->skins.count ? &WRI_ITEM(s->skins, skin_place, body) : NULL;
    return place && place->skin ? place : NULL;
}

const wr_record_skinned *wr_frame_skinned(const wr_frame *frame, int body)
{
    for (int i = 0; i < frame->skinned_count; i++) {
        if (frame->skinned[i].body == body) {
            return &frame->skinned[i];
        }
    }
    return NULL;
}

// --- quanta -----------------------------------------------------------------------------------

// No finer than floats are where the farthest node is.
static int find_scale(const skin_place *place, const wr_record_skinned *skinned)
{
    float farthest = 0.0f;
    int exponent = 0;
    for (int i = 0; i < skinned->node_count; i++) {
        wr_vec3 q = skinned->displacements[i];
        farthest = wr_maxf(farthest, wr_maxf(fabsf(q.x), wr_maxf(fabsf(q.y), fabsf(q.z))));
    }
    (void)frexpf(farthest, &exponent);
    return exponent - 24 > place->scale ? exponent - 24 : place->scale;
}

static int32_t count_quanta(float x, double quanta_per_metre)
{
    double quanta = floor((double)x * quanta_per_metre + 0.5);
    WR_ASSERT(fabs(quanta) <= 1 << 24); // find_scale saw to that
    return (int32_t)quanta;
}

static void load_cells(skin_track *t, const wr_record_skinned *skinned)
{
    double per_metre = ldexp(1.0, -t->scale);
    for (int i = 0; i < skinned->node_count; i++) {
        wr_vec3 q = skinned->displacements[i];
        WRI_ITEM(t->now, cell, i) =
            (cell){{count_quanta(q.x, per_metre), count_quanta(q.y, per_metre),
                    count_quanta(q.z, per_metre)}};
    }
}

// Takes the caller's values into the track and says how they differ from those before.
static int load(skin_track *t, const skin_place *place, const wr_record_skinned *skinned,
                bool is_known)
{
    int scale = find_scale(place, skinned);
    bool is_alike = is_known && scale == t->scale;
    t->scale = scale;
    load_cells(t, skinned);
    memcpy(t->bones.items, skinned->bones, (size_t)skinned->bone_count * sizeof(wr_pose));
    bool is_same =
        is_alike && wri_same_items(&t->now, &t->last) && wri_same_items(&t->bones, &t->last_bones);
    return is_same ? WRI_SAME : is_alike ? WRI_CHANGED : WRI_WHOLE;
}

// --- points -----------------------------------------------------------------------------------

static wr_vec3 point_of(const skin_track *t, const wr_record_skin *skin, int node, wr_vec3 u)
{
    const wr_pose *bones = t->last_bones.items;
    if (skin->bone_count == 1) {
        return wr_pose_point(bones[0], u);
    }
    wr_vec3 x = {0, 0, 0};
    for (int k = WR_SKIN_INFLUENCES * node; k < WR_SKIN_INFLUENCES * (node + 1); k++) {
        if (skin->weights[k] > 0.0f) {
            x = wr_add(x, wr_scale(skin->weights[k], wr_pose_point(bones[skin->joints[k]], u)));
        }
    }
    return x;
}

static void find_points(skin_track *t, const skin_place *place)
{
    const wr_record_skin *skin = place->skin;
    double quantum = ldexp(1.0, t->scale);
    wr_vec3 *q = t->displacements.items;
    for (int i = 0; i < skin->node_count; i++) {
        const int32_t *x = WRI_ITEM(t->last, cell, i).x;
        q[i] = wr_v3((float)(x[0] * quantum), (float)(x[1] * quantum), (float)(x[2] * quantum));
    }
    for (int i = 0; i < skin->vertex_count; i++) {
        int node = skin->nodes[i];
        WRI_ITEM(t->points, wr_vec3, i) =
            point_of(t, skin, node, wr_add(place->positions[i], q[node]));
    }
}

// Adds to the points of a frame that is read.
static void add_points(wri_codec *c, wri_frame_job *j, const skin_track *t, int body)
{
    wri_frame_state *s = j->state;
    for (int i = 0; i < s->points.count; i++) {
        if (WRI_ITEM(s->points, wr_record_points, i).body == body) {
            wri_codec_fail(c, "points of body %d twice", body);
        }
    }
    if (c->code != WR_OK ||
        !wri_resize(&s->points, sizeof(wr_record_points), s->points.count + 1)) {
        wri_codec_fail_memory(c);
        return;
    }
    WRI_ITEM(s->points, wr_record_points, s->points.count - 1) =
        (wr_record_points){body, t->points.count, t->points.items};
    j->frame->points = s->points.items;
    j->frame->points_count = s->points.count;
}

bool wri_skinned_take_points(wri_frame_state *s, wr_frame *frame)
{
    if (frame->skinned_count == 0) {
        return true;
    }
    if (!wri_resize(&s->skin_points, sizeof(wr_record_points), frame->points_count)) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < frame->points_count; i++) {
        if (!wr_frame_skinned(frame, frame->points[i].body)) {
            WRI_ITEM(s->skin_points, wr_record_points, count++) = frame->points[i];
        }
    }
    frame->points = s->skin_points.items;
    frame->points_count = count;
    return true;
}

// --- coding -----------------------------------------------------------------------------------

static bool take_room(skin_track *t, const skin_place *place, bool is_reading)
{
    return wri_resize(&t->bones, sizeof(wr_pose), place->bone_count) &&
           wri_resize(&t->now, sizeof(cell), place->node_count) &&
           (!is_reading || (wri_resize(&t->displacements, sizeof(wr_vec3), place->node_count) &&
                            wri_resize(&t->points, sizeof(wr_vec3), place->skin->vertex_count)));
}

static void code_table(wri_codec *c, wri_array *now, const wri_array *last, const wri_array *before,
                       size_t width)
{
    wri_code_rows(c, &(wri_rows_block){.now = now->items,
                                       .last = last ? last->items : NULL,
                                       .before = before ? before->items : NULL,
                                       .count = (size_t)now->count,
                                       .width = width,
                                       .is_chain = !last});
}

static void code_values(wri_codec *c, skin_track *t, int mode)
{
    bool is_whole = mode == WRI_WHOLE;
    if (is_whole) {
        wri_code_int(c, &t->scale);
        wri_codec_check_index(c, t->scale, SCALE_LEAST, SCALE_MOST + 1, "a displacement's scale");
    }
    code_table(c, &t->bones, is_whole ? NULL : &t->last_bones, &t->bones_before, 7);
    code_table(c, &t->now, is_whole ? NULL : &t->last, NULL, 3);
}

// The values of this frame become the last ones.
static bool remember(skin_track *t, int mode)
{
    if (mode != WRI_SAME) {
        wri_swap(&t->bones_before, &t->last_bones);
        wri_swap(&t->last_bones, &t->bones);
        wri_swap(&t->last, &t->now);
    }
    if (mode == WRI_CHANGED) {
        return true;
    }
    if (!wri_resize(&t->bones_before, sizeof(wr_pose), t->last_bones.count)) {
        return false;
    }
    memcpy(t->bones_before.items, t->last_bones.items,
           (size_t)t->last_bones.count * sizeof(wr_pose)); // no speed is known
    return true;
}

static skin_track *find_track(wri_codec *c, wri_frame_job *j, wr_record_skinned *skinned)
{
    wri_frame_state *s = j->state;
    wri_code_int(c, &skinned->body);
    wri_code_int(c, &skinned->node_count);
    const skin_place *place = place_of(s, skinned->body);
    if (c->code == WR_OK && (!place || place->node_count != skinned->node_count)) {
        wri_codec_fail(c, "%d nodes of body %d, whose skin has others or none", skinned->node_count,
                       skinned->body);
    }
    if (c->code != WR_OK || !wri_resize(&s->skin_tracks, sizeof(skin_track), s->skins.count)) {
        wri_codec_fail_memory(c);
        return NULL;
    }
    skin_track *t = &WRI_ITEM(s->skin_tracks, skin_track, skinned->body);
    if (t->seen == j->frame->index + 1) {
        wri_codec_fail(c, "bones of body %d twice", skinned->body);
    } else if (!take_room(t, place, !c->out)) {
        wri_codec_fail_memory(c);
    }
    return c->code == WR_OK ? t : NULL;
}

static void code_skinned_of(wri_codec *c, wri_frame_job *j, void *item)
{
    wr_record_skinned *skinned = item;
    skin_track *t = find_track(c, j, skinned);
    if (!t) {
        return;
    }
    const skin_place *place = place_of(j->state, skinned->body);
    bool is_known = t->seen == j->frame->index && !j->is_key;
    int mode = c->out ? load(t, place, skinned, is_known) : WRI_WHOLE;
    wri_code_small(c, &mode, WRI_SAME, "how bones are stored");
    wri_check_mode(c, mode, is_known, place->node_count, 12);
    t->seen = j->frame->index + 1;
    if (c->code == WR_OK && mode != WRI_SAME) {
        code_values(c, t, mode);
    }
    if (c->code != WR_OK || !remember(t, mode)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (!c->out) {
        if (mode != WRI_SAME) {
            find_points(t, place);
        }
        *skinned = (wr_record_skinned){skinned->body, place->bone_count, place->node_count,
                                       t->last_bones.items, t->displacements.items};
        add_points(c, j, t, skinned->body);
    }
}

void wri_code_skinned(wri_codec *c, wri_frame_job *j)
{
    wr_frame *f = j->frame;
    f->skinned = wri_code_list(c, j, f->skinned, &f->skinned_count, &j->state->skinned,
                               sizeof(wr_record_skinned), code_skinned_of);
}

// --- checks -----------------------------------------------------------------------------------

static bool is_finite(const wr_record_skinned *skinned)
{
    bool ok = true;
    for (int i = 0; i < skinned->bone_count; i++) {
        ok = ok && wr_pose_is_finite(skinned->bones[i]);
    }
    for (int i = 0; i < skinned->node_count; i++) {
        ok = ok && wr_is_finite3(skinned->displacements[i]);
    }
    return ok;
}

void wri_check_skinned(wri_codec *c, const wri_frame_state *s, const wr_frame *frame)
{
    for (int i = 0; c->code == WR_OK && i < frame->skinned_count; i++) {
        const wr_record_skinned *skinned = &frame->skinned[i];
        const skin_place *place = place_of(s, skinned->body);
        if (!place || wr_frame_skinned(frame, skinned->body) != skinned) {
            wri_codec_fail(c, "bones of body %d, which has no skin or is there twice",
                           skinned->body);
        } else if (skinned->bone_count != place->bone_count ||
                   skinned->node_count != place->node_count) {
            wri_codec_fail(c, "body %d: %d bones and %d nodes, expected %d and %d", skinned->body,
                           skinned->bone_count, skinned->node_count, place->bone_count,
                           place->node_count);
        } else if (!is_finite(skinned)) {
            wri_codec_fail(c, "body %d: its bones or displacements are not finite", skinned->body);
        }
    }
}
