// pose.c: what the handles of a body follow: clips of its asset, one after the other, or another
// body, or the simulated bones of one.
#include "../author/recipe.h"
#include "../world/world.h"
#include "scene.h"

enum { MOST_FOLLOWED = 16 }; // bodies one behind the other

// --- one source -------------------------------------------------------------------------------

static bool find_clip(wri_reader *reader, const wri_json *json, const raw_pose *raw,
                      const wr_skeleton *skeleton, wr_pose_source *out)
{
    const wri_json *at = wri_json_find(json, "clip");
    const char *names[64];
    int count = 0;
    for (int i = 0; i < skeleton->clip_count; i++) {
        if (strcmp(skeleton->clips[i].name, raw->clip) == 0) {
            out->clip = &skeleton->clips[i];
            return true;
        }
        if (count < WRI_COUNT(names)) {
            names[count++] = skeleton->clips[i].name;
        }
    }
    return count > 0 ? wri_fail_word(reader, at, "clip", raw->clip, names, count)
                     : wri_fail_at(reader, at,
                                   "the asset has no clips, expected one whose handles are the "
                                   "joints of its model");
}

static const wr_rig_track *find_stretch(const wr_rig_clip *clip)
{
    for (int i = 0; clip && i < clip->track_count; i++) {
        if (clip->tracks[i].channel == WR_RIG_STRETCH) {
            return &clip->tracks[i];
        }
    }
    return NULL;
}

static bool warn(wri_reader *reader, const wri_json *at, const char *where, const char *text)
{
    return wri_scene_warn(reader,
                          text ? wri_arena_printf(reader->arena, "%s:%d:%d: %s: %s", reader->path,
                                                  at->line, at->column, where, text)
                               : NULL);
}

// True for a key that squashes to nothing, or turns inside out: it has no rotation to follow.
static bool has_fold(const wr_rig_track *track)
{
    const double least = 1e-6; // of the volume
    bool has = false;
    for (int k = 0; k < track->key_count; k++) {
        const float *s = &track->values[6 * k];
        double xx = (double)s[0], yy = (double)s[1], zz = (double)s[2];
        double xy = (double)s[3], xz = (double)s[4], yz = (double)s[5];
        has = has ||
              !(xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz) >
                least);
    }
    return has;
}

static bool check_folds(wri_reader *reader, const wri_json *at, const wr_scene_body *body,
                        const wr_skeleton *skeleton, const wr_rig_clip *clip)
{
    for (int i = 0; i < clip->track_count; i++) {
        const wr_rig_track *track = &clip->tracks[i];
        if (track->channel == WR_RIG_STRETCH && has_fold(track)) {
            return wri_fail_at(reader, at,
                               "the clip \"%s\" squashes \"%s\" to nothing or turns it inside "
                               "out, which bones of \"%s\" cannot follow",
                               clip->name, skeleton->handles[track->handle].name,
                               body->material->name);
        }
    }
    return true;
}

// Bones that keep their size follow no stretch.
static bool check_stretch(wri_reader *reader, const wri_json *at, const wr_scene_body *body,
                          const wr_skeleton *skeleton, const wr_rig_clip *clip)
{
    const wr_rig_track *track = body->material->ignores_stretch ? find_stretch(clip) : NULL;
    if (track && !check_folds(reader, at, body, skeleton, clip)) {
        return false;
    }
    return !track ||
           warn(reader, at, reader->where,
                wri_arena_printf(reader->arena,
                                 "the clip \"%s\" scales \"%s\", but bones of \"%s\" keep their "
                                 "size",
                                 clip->name, skeleton->handles[track->handle].name,
                                 body->material->name));
}

// Metres, unscaled: between the two joints that are farthest along an axis from each other.
static float extent_of(const wr_skeleton *skeleton)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < skeleton->handle_count; i++) {
        box.min = wr_min3(box.min, skeleton->handles[i].pivot);
        box.max = wr_max3(box.max, skeleton->handles[i].pivot);
    }
    wr_vec3 size = wr_box_size(box);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

// Metres, unscaled: how far a track takes its joint off its place on the one above; 0: it is none.
static float way_of(const wr_skeleton *skeleton, const wr_rig_track *track)
{
    const wr_handle *handle = &skeleton->handles[track->handle];
    float most = 0.0f;
    if (track->channel != WR_RIG_POSITION || handle->parent < 0) {
        return 0.0f;
    }
    wr_vec3 rest = wr_sub(handle->pivot, skeleton->handles[handle->parent].pivot);
    for (int k = 0; k < track->key_count; k++) {
        const float *at = &track->values[3 * k];
        most = fmaxf(most, wr_distance(wr_v3(at[0], at[1], at[2]), rest));
    }
    return most;
}

// Bones of flesh hang together: a clip that takes them off each other is for other skins.
static bool check_moves(wri_reader *reader, const wri_json *at, const wr_scene_body *body,
                        const wr_skeleton *skeleton, const wr_rig_clip *clip)
{
    const float least = 0.05f; // of the skeleton: clips shift joints a little to please the eye
    const wr_rig_track *farthest = NULL;
    float most = least * extent_of(skeleton);
    for (int i = 0; clip && body->material->ignores_stretch && i < clip->track_count; i++) {
        float way = way_of(skeleton, &clip->tracks[i]);
        if (way > most) {
            farthest = &clip->tracks[i];
            most = way;
        }
    }
    if (!farthest) {
        return true;
    }
    const wr_handle *handle = &skeleton->handles[farthest->handle];
    return warn(reader, at, reader->where,
                wri_arena_printf(reader->arena,
                                 "the clip \"%s\" takes \"%s\" off \"%s\" by up to %s m: bones "
                                 "that follow it exactly draw out the skin between them, by "
                                 "torque they stay together",
                                 clip->name, handle->name, skeleton->handles[handle->parent].name,
                                 WRI_NUMBER(body->scale * most, 2)));
}

static bool check_source(wri_reader *reader, const wri_json *json, const raw_pose *raw,
                         const wr_pose_source *before)
{
    if (!!raw->clip + !!raw->body + !!raw->bones != 1) {
        return wri_fail_at(reader, json, "\"pose\" needs either \"clip\", \"body\" or \"bones\"");
    }
    if (before && !(raw->at > before->at)) {
        return wri_fail_at(reader, json, "\"at\" is %s s, expected more than the %s s before it",
                           WRI_NUMBER(raw->at, 6), WRI_NUMBER(before->at, 6));
    }
    return wri_refuse_key(reader, json, "start", !raw->clip, "without \"clip\"") &&
           wri_refuse_key(reader, json, "speed", !raw->clip, "without \"clip\"") &&
           wri_refuse_key(reader, json, "loop", !raw->clip, "without \"clip\"") &&
           wri_refuse_key(reader, json, "blend", !before, "without a pose before it");
}

// The body it follows is found when all are known.
static bool note_follower(wri_reader *reader, const wri_json *json, const raw_pose *raw,
                          const wr_skeleton *skeleton, wr_pose_source *source)
{
    wri_scene_context *c = reader->context;
    wri_follower *follower = wri_array_add(&c->followers, 1);
    if (!follower) {
        return wri_fail_memory(reader->error, sizeof *follower);
    }
    *follower = (wri_follower){.source = source,
                               .handles = skeleton->handles,
                               .handle_count = skeleton->handle_count,
                               .at = wri_json_find(json, raw->body ? "body" : "bones"),
                               .leader = raw->body ? raw->body : raw->bones,
                               .where = reader->where};
    return true;
}

static bool read_source(wri_reader *reader, const wri_json *json, const wr_skeleton *skeleton,
                        const wr_pose_source *before, wr_pose_source *out)
{
    raw_pose raw = {0};
    if (!wri_read_object(reader, &wri_pose_table, json, &raw) ||
        !check_source(reader, json, &raw, before)) {
        return false;
    }
    *out = (wr_pose_source){.at = raw.at,
                            .blend = raw.blend,
                            .start = raw.start,
                            .speed = raw.speed,
                            .loops = raw.loop,
                            .body = -1,
                            .is_simulated = raw.bones != NULL};
    return raw.clip ? find_clip(reader, json, &raw, skeleton, out)
                    : note_follower(reader, json, &raw, skeleton, out);
}

bool wri_read_pose(wri_reader *reader, const wri_json *value, wr_scene_body *body)
{
    if (!value) {
        return true;
    }
    if (!body->material || !body->material->follows_pose) {
        return wri_fail_at(reader, value,
                           "\"pose\" has no effect on a body of \"%s\", which follows no skeleton",
                           body->material ? body->material->name : "rigid");
    }
    const wr_skeleton skeleton = wri_skeleton_of(body);
    if (skeleton.handle_count == 0) {
        return wri_fail_at(reader, value,
                           "a body with a \"pose\" expects an \"asset\" with handles");
    }
    bool many = value->type == WRI_JSON_ARRAY;
    int count = many ? value->count : 1;
    wr_pose_source *sources = wri_arena_alloc(reader->arena, (size_t)count, sizeof *sources);
    if (!sources) {
        return wri_fail_memory(reader->error, (size_t)count * sizeof *sources);
    }
    for (int i = 0; i < count; i++) {
        if (!read_source(reader, many ? &value->items[i] : value, &skeleton,
                         i > 0 ? &sources[i - 1] : NULL, &sources[i]) ||
            !check_stretch(reader, value, body, &skeleton, sources[i].clip) ||
            !check_moves(reader, value, body, &skeleton, sources[i].clip)) {
            return false;
        }
    }
    body->poses = sources;
    body->pose_count = count;
    return count > 0 || wri_fail_at(reader, value, "\"pose\" is empty, expected at least one");
}

// --- followers --------------------------------------------------------------------------------

// Up to three names, and how many more.
static const char *list_lonely(wri_reader *reader, const wri_follower *f, const int *partners)
{
    const char *text = "";
    int found = 0;
    for (int b = 0; b < f->handle_count && text; b++) {
        if (partners[b] < 0 && found++ < 3) {
            text = wri_arena_printf(reader->arena, "%s%s\"%.60s\"", text, found > 1 ? ", " : "",
                                    f->handles[b].name);
        }
    }
    return text && found > 3 ? wri_arena_printf(reader->arena, "%s and %d more", text, found - 3)
                             : text;
}

static bool warn_of_lonely(wri_reader *reader, const wri_follower *f, const int *partners)
{
    const char *names = list_lonely(reader, f, partners);
    if (names && !names[0]) {
        return true;
    }
    return warn(reader, f->at, f->where,
                names ? wri_arena_printf(reader->arena,
                                         "handles without one of the same name in \"%s\" stay as "
                                         "they are within their parents: %s",
                                         f->leader, names)
                      : NULL);
}

static int find_partner(const wr_skeleton *rig, const char *name)
{
    for (int b = 0; b < rig->handle_count; b++) {
        if (strcmp(rig->handles[b].name, name) == 0) {
            return b;
        }
    }
    return -1;
}

// Matches handles by name, where the two bodies have different assets.
static bool match_handles(wri_reader *reader, const wri_follower *f, const wr_skeleton *leader)
{
    if (leader->handles == f->handles) {
        return true;
    }
    int *partners = wri_arena_alloc(reader->arena, (size_t)f->handle_count, sizeof *partners);
    if (!partners) {
        return wri_fail_memory(reader->error, (size_t)f->handle_count * sizeof *partners);
    }
    bool any = false;
    for (int b = 0; b < f->handle_count; b++) {
        partners[b] = find_partner(leader, f->handles[b].name);
        any = any || partners[b] >= 0;
    }
    f->source->partners = partners;
    return any ? warn_of_lonely(reader, f, partners)
               : wri_fail_at(reader, f->at, "\"%s\" has no handle of the same name as one of this",
                             f->leader);
}

static bool find_leader(wri_reader *reader, const wri_follower *f)
{
    const wri_scene_context *c = reader->context;
    reader->where = f->where;
    if (!wri_find_body(reader, f->at, f->leader, &f->source->body)) {
        return false;
    }
    const wr_scene_body *leader = &WRI_ITEM(c->bodies, wr_scene_body, f->source->body);
    if (f->source->is_simulated && !(leader->material && leader->material->handle_poses &&
                                     wri_skeleton_of(leader).handle_count > 0)) {
        return wri_fail_at(reader, f->at,
                           "\"%s\" has no simulated bones, expected a rigged body of "
                           "\"flesh\"",
                           f->leader);
    }
    if (!f->source->is_simulated && !wri_has_pose_source(leader)) {
        return wri_fail_at(reader, f->at, "\"%s\" has no \"pose\" that could be followed",
                           f->leader);
    }
    const wr_skeleton skeleton = wri_skeleton_of(leader);
    return match_handles(reader, f, &skeleton);
}

// Where the file says whom a body follows.
static const wri_json *find_place(wri_reader *reader, const wr_scene_body *body, int source)
{
    const wri_scene_context *c = reader->context;
    const wri_follower *f = c->followers.items;
    while (f->source != &body->poses[source]) {
        f++;
    }
    reader->where = f->where;
    return f->at;
}

// Counts how many bodies follow each other before each one; pass after pass, as long as something
// changes.
static bool check_depth(wri_reader *reader)
{
    const wri_scene_context *c = reader->context;
    int *depth = wri_arena_alloc(reader->arena, (size_t)c->bodies.count, sizeof *depth);
    if (!depth) {
        return wri_fail_memory(reader->error, (size_t)c->bodies.count * sizeof *depth);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < c->bodies.count; i++) {
            const wr_scene_body *body = &WRI_ITEM(c->bodies, wr_scene_body, i);
            for (int k = 0; k < body->pose_count; k++) {
                int leader = body->poses[k].body, wanted = leader < 0 ? 0 : depth[leader] + 1;
                changed = changed || depth[i] < wanted;
                depth[i] = depth[i] < wanted ? wanted : depth[i];
                if (depth[i] > MOST_FOLLOWED) {
                    return wri_fail_at(reader, find_place(reader, body, k),
                                       "follows itself, or is the last of more than %d that follow",
                                       MOST_FOLLOWED);
                }
            }
        }
    }
    return true;
}

// Bones are where they will be only when their own material has advanced; and they have been
// carried along already.
static bool check_bones(wri_reader *reader)
{
    const wri_scene_context *c = reader->context;
    const wr_scene scene = {.bodies = c->bodies.items, .body_count = c->bodies.count};
    for (int i = 0; i < scene.body_count; i++) {
        const wr_scene_body *body = &scene.bodies[i];
        for (int k = 0; k < body->pose_count; k++) {
            const wr_pose_source *source = &body->poses[k];
            bool is_simulated = source->is_simulated ||
                                (source->body >= 0 && wri_follows_bones(&scene, source->body));
            if (is_simulated && body->material->handle_poses) {
                return wri_fail_at(
                    reader, find_place(reader, body, k),
                    "a body of \"%s\" cannot follow simulated bones, expected one of "
                    "\"morph\"",
                    body->material->name);
            }
            if (is_simulated && body->path_count > 0) {
                return wri_fail_at(reader, find_place(reader, body, k),
                                   "simulated bones go their own way: a body that follows them has "
                                   "no \"path\"");
            }
        }
    }
    return true;
}

bool wri_find_leaders(wri_reader *reader)
{
    const wri_scene_context *c = reader->context;
    bool ok = true;
    for (int i = 0; i < c->followers.count && ok; i++) {
        ok = find_leader(reader, &WRI_ITEM(c->followers, wri_follower, i));
    }
    return ok && (c->followers.count == 0 || (check_depth(reader) && check_bones(reader)));
}
