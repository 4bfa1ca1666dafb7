// model_check.c: whether a model is sound, whoever made it.
#include "model.h"

typedef struct checker {
    const wr_model *model;
    const char *path;
    wr_code code;
    wr_error *error;
    const int *last_joint; // per mesh, the highest number that it names; -1: none
    uint8_t *moved;        // per node, a bit per channel that a clip moves
} checker;

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

// --- meshes -----------------------------------------------------------------------------------

static bool is_finite_vertex(const wr_mesh *mesh, int i)
{
    const wr_color *c = mesh->colors ? &mesh->colors[i] : NULL;
    return wr_is_finite3(mesh->positions[i]) &&
           (!mesh->normals || wr_is_finite3(mesh->normals[i])) &&
           (!mesh->uvs || (isfinite(mesh->uvs[i].x) && isfinite(mesh->uvs[i].y))) &&
           (!c || (isfinite(c->r) && isfinite(c->g) && isfinite(c->b) && isfinite(c->a)));
}

static bool check_surface(const checker *c, int index)
{
    const wr_mesh *mesh = &c->model->meshes[index];
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (!is_finite_vertex(mesh, i)) {
            return wri_fail(c->error, c->code, "%s: mesh %d: vertex %d is not finite", c->path,
                            index, i);
        }
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count) {
            return wri_fail(c->error, c->code, "%s: mesh %d: triangle %d uses vertex %d of %d",
                            c->path, index, i / 3, mesh->triangles[i], mesh->vertex_count);
        }
    }
    for (int i = 0; i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        if (part->first_triangle < 0 || part->triangle_count < 0 ||
            part->first_triangle > mesh->triangle_count - part->triangle_count) {
            return wri_fail(c->error, c->code, "%s: mesh %d: part %d is not within the triangles",
                            c->path, index, i);
        }
        if (part->look < -1 || part->look >= c->model->look_count) {
            return wri_fail(c->error, c->code, "%s: mesh %d: part %d has look %d of %d", c->path,
                            index, i, part->look, c->model->look_count);
        }
    }
    return true;
}

static bool check_morphs(const checker *c, int index)
{
    const wr_mesh *mesh = &c->model->meshes[index];
    size_t count = 3 * (size_t)mesh->vertex_count;
    for (int i = 0; i < mesh->morph_count; i++) {
        const wr_morph *morph = &mesh->morphs[i];
        if (!isfinite(morph->weight) || !all_finite(&morph->positions->x, count) ||
            (morph->normals && !all_finite(&morph->normals->x, count))) {
            return wri_fail(c->error, c->code, "%s: mesh %d: morph target %d is not finite",
                            c->path, index, i);
        }
    }
    return true;
}

static bool check_influences(const checker *c, int index, int *last_joint)
{
    const wr_mesh *mesh = &c->model->meshes[index];
    size_t n = (size_t)mesh->influence_count;
    *last_joint = -1;
    for (size_t i = 0; i < (size_t)mesh->vertex_count * n; i++) {
        if (!(mesh->weights[i] >= 0.0f) || !isfinite(mesh->weights[i]) || mesh->joints[i] < 0) {
            return wri_fail(c->error, c->code, "%s: mesh %d: vertex %zu: joint %d with weight %g",
                            c->path, index, i / n, mesh->joints[i], (double)mesh->weights[i]);
        }
        *last_joint = mesh->joints[i] > *last_joint ? mesh->joints[i] : *last_joint;
    }
    return true;
}

// --- nodes and skins --------------------------------------------------------------------------

static bool check_skin(const checker *c, int index)
{
    const wr_model_skin *skin = &c->model->skins[index];
    if (skin->joint_count < 1) {
        return wri_fail(c->error, c->code, "%s: skin %d has no joints", c->path, index);
    }
    for (int i = 0; i < skin->joint_count; i++) {
        if (skin->joints[i] < 0 || skin->joints[i] >= c->model->node_count) {
            return wri_fail(c->error, c->code, "%s: skin %d: joint %d is node %d of %d", c->path,
                            index, i, skin->joints[i], c->model->node_count);
        }
        if (!wr_mat34_is_finite(skin->inverse_bind[i])) {
            return wri_fail(c->error, c->code, "%s: skin %d: the matrix of joint %d is not finite",
                            c->path, index, i);
        }
    }
    return true;
}

static bool check_joints(const checker *c, int index)
{
    const wr_node *node = &c->model->nodes[index];
    if (node->skin < 0 || c->model->meshes[node->mesh].influence_count == 0) {
        return true;
    }
    if (node->skin >= c->model->skin_count) {
        return wri_fail(c->error, c->code, "%s: node %d: skin %d of %d", c->path, index, node->skin,
                        c->model->skin_count);
    }
    int joints = c->model->skins[node->skin].joint_count;
    return c->last_joint[node->mesh] < joints ||
           wri_fail(c->error, c->code,
                    "%s: node %d: its mesh follows joint %d, but its skin has %d", c->path, index,
                    c->last_joint[node->mesh], joints);
}

static bool check_node(const checker *c, int index)
{
    const wr_node *node = &c->model->nodes[index];
    if (node->parent < -1 || node->parent >= index || node->mesh < -1 ||
        node->mesh >= c->model->mesh_count) {
        return wri_fail(c->error, c->code, "%s: node %d: parent %d or mesh %d does not exist",
                        c->path, index, node->parent, node->mesh);
    }
    int morphs = node->mesh < 0 ? 0 : c->model->meshes[node->mesh].morph_count;
    if (!wr_pose_is_finite(node->pose) || !wr_is_finite3(node->scale) ||
        (node->morph_weights && !all_finite(node->morph_weights, (size_t)morphs))) {
        return wri_fail(c->error, c->code, "%s: node %d: its place is not finite", c->path, index);
    }
    return node->mesh < 0 || check_joints(c, index);
}

// --- clips ------------------------------------------------------------------------------------

static bool fail_track(const checker *c, const wr_clip *clip, int track, const char *what, int key)
{
    return wri_fail(c->error, c->code, "%s: clip \"%s\", track %d: %s %d", c->path,
                    clip->name ? clip->name : "", track, what, key);
}

static bool check_keys(const checker *c, const wr_clip *clip, int index)
{
    const wr_track *track = &clip->tracks[index];
    bool cubic = track->interpolation == WR_INTERPOLATION_CUBIC;
    size_t row = (size_t)wr_track_width(c->model, track) * (cubic ? 3 : 1);
    if (row == 0) {
        return fail_track(c, clip, index, "no morph targets at node", track->node);
    }
    if (track->key_count < (cubic ? 2 : 1)) {
        return fail_track(c, clip, index, "too few keys:", track->key_count);
    }
    for (int i = 0; i < track->key_count; i++) {
        float time = track->times[i];
        if (!(i > 0 ? time > track->times[i - 1] : time >= 0.0f) || !isfinite(time)) {
            return fail_track(c, clip, index,
                              "times must start at 0 or later and increase; see key", i);
        }
        if (!all_finite(track->values + (size_t)i * row, row)) {
            return fail_track(c, clip, index, "not finite at key", i);
        }
    }
    return true;
}

static bool check_clip(const checker *c, const wr_clip *clip)
{
    memset(c->moved, 0, (size_t)c->model->node_count);
    for (int i = 0; i < clip->track_count; i++) {
        const wr_track *track = &clip->tracks[i];
        if (track->node < 0 || track->node >= c->model->node_count) {
            return fail_track(c, clip, i, "there is no node", track->node);
        }
        uint8_t bit = (uint8_t)(1u << track->channel);
        if (c->moved[track->node] & bit) {
            return fail_track(c, clip, i, "another one already moves node", track->node);
        }
        c->moved[track->node] |= bit;
        if (!check_keys(c, clip, i)) {
            return false;
        }
    }
    return true;
}

// --- cameras and lights -----------------------------------------------------------------------

static bool check_camera(const checker *c, int index)
{
    const wr_model_camera *camera = &c->model->cameras[index];
    bool seen =
        camera->flat > 0.0f ? isfinite(camera->flat) : camera->fov > 0.0f && camera->fov < WR_PI;
    return (camera->node >= 0 && camera->node < c->model->node_count && seen &&
            camera->aspect > 0.0f && isfinite(camera->aspect) && isfinite(camera->focus) &&
            camera->near > 0.0f && camera->far > camera->near && isfinite(camera->far)) ||
           wri_fail(c->error, c->code,
                    "%s: camera %d: node %d of %d, or a number of it is out of range", c->path,
                    index, camera->node, c->model->node_count);
}

static bool check_light(const checker *c, int index)
{
    const wr_model_light *light = &c->model->lights[index];
    return (light->node >= 0 && light->node < c->model->node_count && light->color.r >= 0.0f &&
            light->color.g >= 0.0f && light->color.b >= 0.0f && light->radius >= 0.0f &&
            isfinite(light->color.r + light->color.g + light->color.b + light->radius)) ||
           wri_fail(c->error, c->code,
                    "%s: light %d: node %d of %d, or a number of it is out of range", c->path,
                    index, light->node, c->model->node_count);
}

// --- the whole --------------------------------------------------------------------------------

static bool check_all(const checker *c, int *last_joint)
{
    const wr_model *model = c->model;
    for (int i = 0; i < model->mesh_count; i++) {
        if (!check_surface(c, i) || !check_morphs(c, i) ||
            !check_influences(c, i, &last_joint[i])) {
            return false;
        }
    }
    for (int i = 0; i < model->skin_count; i++) {
        if (!check_skin(c, i)) {
            return false;
        }
    }
    for (int i = 0; i < model->node_count; i++) {
        if (!check_node(c, i)) {
            return false;
        }
    }
    for (int i = 0; i < model->camera_count; i++) {
        if (!check_camera(c, i)) {
            return false;
        }
    }
    for (int i = 0; i < model->light_count; i++) {
        if (!check_light(c, i)) {
            return false;
        }
    }
    for (int i = 0; i < model->clip_count; i++) {
        if (!check_clip(c, &model->clips[i])) {
            return false;
        }
    }
    return true;
}

bool wri_model_check(const wr_model *model, const char *path, wr_code code, wr_error *error)
{
    const wri_arena *owner = model->memory; // NULL: of a program that has its own memory
    wri_arena arena = wri_arena_create(owner ? &owner->allocator : NULL);
    int *last_joint = wri_arena_alloc(&arena, (size_t)model->mesh_count, sizeof *last_joint);
    uint8_t *moved = wri_arena_alloc(&arena, (size_t)model->node_count, 1);
    const checker c = {model, path, code, error, last_joint, moved};
    bool ok = last_joint && moved ? check_all(&c, last_joint)
                                  : wri_fail_memory(error, (size_t)model->node_count);
    wri_arena_destroy(&arena);
    return ok;
}
