// glb_figure.c: bodies with a skin in a .glb: a skeleton that moves, and morph targets for what the
// skin does by itself.
//
// glTF adds morph targets to the mesh before it skins it, as the recording does: displacements of
// the bind pose, then bones. So the shapes are those of the bind pose, and what they leave is all
// that a vertex is off: bones are rigid, and carry it no farther. A body of one bone is a node that
// moves. Joints hang on each other as the bones do, below a node that hides them all where the body
// is not there.
#include "glb.h"

typedef struct figure {
    wri_glb_export *x;
    const wri_export_body *body;
    const wr_record_skin *skin;
    int node;             // of the body
    float size;           // metres
    const wr_pose *bones; // picture after picture: from the bind pose to the world
    int *order;           // bones, parents first
    int *joints;          // per bone: its node
    int depth;            // joints that hang on each other, at most
    wri_arena arena;      // of all this
} figure;

static bool fail_memory(const figure *f, size_t size)
{
    return wri_fail_memory(f->x->e->error, size);
}

// --- the skeleton -----------------------------------------------------------------------------

static int depth_of(const wr_record_skin *skin, int bone)
{
    int depth = 0;
    for (; bone >= 0; bone = skin->bones[bone].parent) {
        depth++;
    }
    return depth;
}

static bool find_order(figure *f)
{
    const wr_record_skin *skin = f->skin;
    f->order = wri_arena_alloc(&f->arena, (size_t)skin->bone_count, sizeof *f->order);
    f->joints = wri_arena_alloc(&f->arena, (size_t)skin->bone_count, sizeof *f->joints);
    if (!f->order || !f->joints) {
        return fail_memory(f, (size_t)skin->bone_count * sizeof *f->order);
    }
    int count = 0;
    for (int depth = 1; count < skin->bone_count; depth++) {
        for (int i = 0; i < skin->bone_count; i++) {
            if (depth_of(skin, i) == depth) {
                f->order[count++] = i;
                f->depth = depth;
            }
        }
    }
    return true;
}

// A joint is at the origin of its bone.
static wr_pose joint_pose(const figure *f, int picture, int bone)
{
    wr_pose pose = f->bones[(size_t)picture * (size_t)f->skin->bone_count + (size_t)bone];
    return (wr_pose){wr_pose_point(pose, f->skin->bones[bone].origin), pose.rotation};
}

static wr_pose local_pose(const figure *f, int picture, int bone)
{
    int parent = f->skin->bones[bone].parent;
    wr_pose own = joint_pose(f, picture, bone);
    if (parent < 0) {
        return own;
    }
    wr_pose local = wr_pose_multiply(wr_pose_inverse(joint_pose(f, picture, parent)), own);
    local.rotation = wr_quat_normalize(local.rotation);
    return local;
}

static int add_node(figure *f, const char *name, int parent, wr_pose pose)
{
    wri_glb_export *x = f->x;
    wr_node *node = name ? wri_array_add(&x->nodes, 1) : NULL;
    if (!node) {
        fail_memory(f, sizeof *node);
        return -1;
    }
    *node = (wr_node){.name = name,
                      .parent = parent,
                      .mesh = -1,
                      .skin = -1,
                      .pose = pose,
                      .scale = {1.0f, 1.0f, 1.0f}};
    return x->e->model->node_count + x->nodes.count - 1;
}

// Turns add up from joint to joint, so that each of them may be off by less.
static bool add_joint(figure *f, int root, int bone)
{
    wri_export *e = f->x->e;
    int parent = f->skin->bones[bone].parent, count = e->schedule.count;
    wr_pose *poses = wri_arena_alloc(&f->arena, (size_t)count, sizeof *poses);
    if (!poses) {
        return fail_memory(f, (size_t)count * sizeof *poses);
    }
    for (int p = 0; p < count; p++) {
        poses[p] = local_pose(f, p, bone);
    }
    const char *own = f->skin->bones[bone].name,
               *name = wri_arena_text(&e->arena, own, strlen(own));
    f->joints[bone] = add_node(f, name, parent < 0 ? root : f->joints[parent], poses[0]);
    wri_glb_motion motion = {.node = f->joints[bone], .poses = poses, .count = count};
    motion.distance = WRI_GLB_SLACK * f->size / (float)f->depth;
    motion.angle = WRI_GLB_SLACK / (float)f->depth;
    return f->joints[bone] >= 0 && wri_glb_add_motion(f->x, &motion);
}

static bool add_skeleton(figure *f)
{
    wri_export *e = f->x->e;
    int root = add_node(f, wri_arena_printf(&e->arena, "%s skeleton", f->body->body.name), -1,
                        WR_POSE_IDENTITY);
    bool ok = root >= 0 && find_order(f) && wri_glb_add_body_presence(f->x, f->body, root);
    for (int i = 0; ok && i < f->skin->bone_count; i++) {
        ok = add_joint(f, root, f->order[i]);
    }
    return ok;
}

// --- the skin ---------------------------------------------------------------------------------

static bool add_skin(figure *f)
{
    wri_export *e = f->x->e;
    size_t count = (size_t)f->skin->bone_count;
    wr_model_skin *skin = wri_array_add(&f->x->skins, 1);
    int *joints = wri_arena_alloc(&e->arena, count, sizeof *joints);
    wr_mat34 *binds = wri_arena_alloc(&e->arena, count, sizeof *binds);
    if (!skin || !joints || !binds) {
        return fail_memory(f, count * sizeof *binds);
    }
    memcpy(joints, f->joints, count * sizeof *joints);
    for (size_t i = 0; i < count; i++) {
        wr_pose back = {wr_scale(-1.0f, f->skin->bones[i].origin), {0, 0, 0, 1}};
        binds[i] = wr_mat34_from_pose(back, wr_v3(1, 1, 1));
    }
    *skin = (wr_model_skin){f->body->body.name, (int)count, joints, binds};
    wr_node *node = &e->model->nodes[f->node];
    node->pose = WR_POSE_IDENTITY; // the joints alone place it
    node->skin = f->x->skins.count - 1;
    return true;
}

static bool fill_influences(figure *f, wr_mesh *mesh)
{
    wri_export *e = f->x->e;
    size_t n = (size_t)mesh->vertex_count, width = WR_SKIN_INFLUENCES;
    mesh->joints = wri_arena_alloc(&e->arena, n * width, sizeof *mesh->joints);
    mesh->weights = wri_arena_alloc(&e->arena, n * width, sizeof *mesh->weights);
    if (!mesh->joints || !mesh->weights) {
        return fail_memory(f, n * width * sizeof *mesh->weights);
    }
    mesh->influence_count = WR_SKIN_INFLUENCES;
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)f->skin->nodes[i] * width;
        memcpy(&mesh->joints[i * width], &f->skin->joints[from], width * sizeof(int));
        memcpy(&mesh->weights[i * width], &f->skin->weights[from], width * sizeof(float));
    }
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool add_rigid(figure *f)
{
    wri_export *e = f->x->e;
    e->model->nodes[f->node].pose = f->bones[0];
    const wri_glb_motion motion = {.node = f->node,
                                   .poses = f->bones,
                                   .count = e->schedule.count,
                                   .distance = WRI_GLB_SLACK * f->size,
                                   .angle = WRI_GLB_SLACK};
    return wri_glb_add_motion(f->x, &motion) && wri_glb_add_body_presence(f->x, f->body, f->node);
}

bool wri_glb_add_figure(wri_glb_export *x, const wri_bend *bend, int node)
{
    wri_export *e = x->e;
    figure f = {.x = x,
                .body = bend->body,
                .skin = bend->body->skin,
                .node = node,
                .size = wri_model_size(e->info->models[bend->body->body.model]),
                .bones = bend->bones,
                .arena = wri_arena_create(NULL)};
    bool ok = f.skin->bone_count == 1
                  ? add_rigid(&f)
                  : add_skeleton(&f) && add_skin(&f) &&
                        fill_influences(&f, &e->model->meshes[e->model->nodes[node].mesh]);
    wri_arena_destroy(&f.arena);
    return ok;
}
