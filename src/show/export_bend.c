// export_bend.c: how bodies bend, all of them in one reading of the recording.
#include "export.h"

// A group of bodies is read together; so much memory may their shapes need, which are kept until
// they are exported.
#define MOST_BYTES ((size_t)1 << 29)

static const wr_mesh *rest_of(const wri_export *e, const wri_export_body *body)
{
    return e->info->models[body->body.model]->meshes;
}

// Bytes of a body's shapes, at most.
static size_t measure(const wri_export *e, const wri_export_body *body)
{
    size_t pictures = (size_t)e->schedule.count, shapes = (size_t)body->changes + 1;
    shapes = body->skin || shapes > pictures ? pictures : shapes;
    size_t bones = body->skin ? (size_t)body->skin->bone_count * pictures : 0;
    return shapes * (size_t)rest_of(e, body)->vertex_count * sizeof(wr_vec3) +
           bones * sizeof(wr_pose);
}

static bool begin(wri_export *e, const wri_export_body *body, bool in_bind, wri_bend *bend)
{
    size_t pictures = (size_t)e->schedule.count;
    *bend = (wri_bend){.body = body,
                       .rest = rest_of(e, body),
                       .in_bind = in_bind && body->skin,
                       .arena = wri_arena_create(NULL)};
    size_t bones = bend->in_bind ? (size_t)body->skin->bone_count * pictures : 0;
    bend->holds.vertex_count = bend->rest->vertex_count;
    bend->holds.picture_count = e->schedule.count;
    bend->holds.first = wri_arena_alloc(&bend->arena, pictures, sizeof(int));
    bend->holds.points = wri_arena_alloc(&bend->arena, pictures, sizeof(wr_vec3 *));
    bend->bones = wri_arena_alloc(&bend->arena, bones, sizeof(wr_pose));
    bend->now = wri_arena_alloc(&bend->arena, (size_t)bend->rest->vertex_count, sizeof(wr_vec3));
    return (bend->holds.first && bend->holds.points && bend->bones && bend->now) ||
           wri_fail_memory(e->error, pictures * sizeof(wr_vec3 *));
}

// Bones from the bind pose to the world, and bend->now in the bind pose. Where the body is not
// there, it is as before.
static void read_skinned(wri_bend *bend, const wr_frame *frame, int picture)
{
    const wr_record_skin *skin = bend->body->skin;
    const wr_record_skinned *now = wr_frame_skinned(frame, bend->body->number);
    size_t bones = (size_t)skin->bone_count, vertices = (size_t)skin->vertex_count;
    wr_pose *poses = bend->bones + (size_t)picture * bones;
    if (!now && picture > 0) {
        memcpy(poses, poses - bones, bones * sizeof *poses);
        return;
    }
    for (size_t i = 0; i < bones; i++) {
        wr_pose own = now ? now->bones[i] : WR_POSE_IDENTITY;
        poses[i] = wr_pose_multiply(bend->body->poses[picture], own);
    }
    for (size_t i = 0; i < vertices; i++) {
        wr_vec3 q = now ? now->displacements[skin->nodes[i]] : wr_v3(0, 0, 0);
        bend->now[i] = wr_add(bend->rest->positions[i], q);
    }
}

static bool read_picture(wri_export *e, wri_bend *bend, const wr_frame *frame, int picture)
{
    size_t size = (size_t)bend->holds.vertex_count * sizeof(wr_vec3);
    const wr_vec3 *now = bend->now;
    if (bend->in_bind) {
        read_skinned(bend, frame, picture);
    } else {
        wr_record_shape shape;
        if (!wri_export_shape(e, frame, bend->body, false, &shape)) {
            return false;
        }
        now = shape.positions ? shape.positions : bend->rest->positions;
    }
    int last = bend->holds.count - 1;
    if (last >= 0 && memcmp(bend->holds.points[last], now, size) == 0) {
        return true;
    }
    wr_vec3 *kept = wri_arena_alloc(&bend->arena, 1, size);
    if (!kept) {
        return wri_fail_memory(e->error, size);
    }
    bend->holds.first[last + 1] = picture;
    bend->holds.points[last + 1] = memcpy(kept, now, size);
    bend->holds.count++;
    return true;
}

// Adds bodies from *next on to the group, as many as the memory is for.
static bool choose_group(wri_export *e, bool in_bind, int *next, wri_bend *bends, int *count)
{
    size_t bytes = 0;
    *count = 0;
    for (; *next < e->body_count; ++*next) {
        const wri_export_body *body = &e->bodies[*next];
        if (!body->bends || rest_of(e, body)->vertex_count == 0) {
            continue;
        }
        bytes += measure(e, body);
        if (*count > 0 && bytes > MOST_BYTES) {
            break;
        }
        if (!begin(e, body, in_bind, &bends[(*count)++])) {
            return false;
        }
    }
    return true;
}

static bool read_group(wri_export *e, wri_bend *bends, int count)
{
    int pictures = e->schedule.count;
    for (int p = 0; p < pictures; p++) {
        if (!wri_watch(&e->desc->watch, WR_WATCH_READ, p, pictures)) {
            return wri_export_cancel(e);
        }
        const wr_frame *frame = wri_export_frame(e, p);
        bool ok = frame != NULL;
        for (int b = 0; ok && b < count; b++) {
            ok = read_picture(e, &bends[b], frame, p);
        }
        if (!ok) {
            return false;
        }
    }
    return wri_watch(&e->desc->watch, WR_WATCH_READ, pictures, pictures) || wri_export_cancel(e);
}

bool wri_export_bends(wri_export *e, bool in_bind, wri_bends_fn *fn, void *context)
{
    wri_bend *bends = wri_arena_alloc(&e->arena, (size_t)e->body_count, sizeof *bends);
    bool ok = bends || wri_fail_memory(e->error, (size_t)e->body_count * sizeof *bends);
    for (int next = 0; ok && next < e->body_count;) {
        int count = 0;
        ok = choose_group(e, in_bind, &next, bends, &count) &&
             (count == 0 || (read_group(e, bends, count) && fn(context, bends, count)));
        for (int b = 0; b < count; b++) {
            wri_arena_destroy(&bends[b].arena);
        }
    }
    return ok;
}
