// bones.c: skeletons of bodies without their skins.
//
// Bones are spindles from where they turn to where each of those turns that hangs on them; one that
// nothing hangs on ends in the middle of the skin that it moves.
#include "show.h"

enum { CORNERS = 24, FACETS = 8 }; // of a spindle: flat facets, which share no corner

static const wr_color BLUE = {0.05f, 0.16f, 0.42f, 1.0f}; // stands out from grounds and skins

typedef struct sum {
    wr_vec3 total;
    float count;
} sum;

// The middles of what bones move, in the bind pose.
static void find_middles(const wr_record_skin *skin, const wr_mesh *mesh, sum *moved)
{
    for (int i = 0; i < skin->vertex_count; i++) {
        int first = WR_SKIN_INFLUENCES * skin->nodes[i];
        for (int k = first; k < first + WR_SKIN_INFLUENCES; k++) {
            moved[skin->joints[k]].total = wr_add(moved[skin->joints[k]].total,
                                                  wr_scale(skin->weights[k], mesh->positions[i]));
            moved[skin->joints[k]].count += skin->weights[k];
        }
    }
}

// Four facets from the head to a square, which is a fifth of the way to the tail, and four on.
static void lay_spindle(wr_vec3 head, wr_vec3 tail, wr_vec3 corners[CORNERS])
{
    wr_vec3 along = wr_sub(tail, head);
    float width = 0.15f * wr_length(along);
    bool is_upright = fabsf(along.y) > fabsf(along.x) + fabsf(along.z);
    wr_vec3 other = is_upright ? wr_v3(1.0f, 0.0f, 0.0f) : wr_v3(0.0f, 1.0f, 0.0f);
    wr_vec3 right = wr_scale(width, wr_normalize(wr_cross(along, other)));
    wr_vec3 up = wr_scale(width, wr_normalize(wr_cross(right, along)));
    wr_vec3 middle = wr_add(head, wr_scale(0.2f, along));
    wr_vec3 square[4] = {wr_add(middle, right), wr_add(middle, up), wr_sub(middle, right),
                         wr_sub(middle, up)};
    for (int i = 0; i < 4; i++) {
        const wr_vec3 facets[6] = {head, square[i],           square[(i + 1) % 4],
                                   tail, square[(i + 1) % 4], square[i]};
        memcpy(corners + 6 * i, facets, sizeof facets);
    }
}

// From head to tail in the bind pose, moved by a bone.
static void add_spindle(wr_pose bone, wr_vec3 head, wr_vec3 tail, wr_mesh *mesh)
{
    lay_spindle(wr_pose_point(bone, head), wr_pose_point(bone, tail),
                mesh->positions + mesh->vertex_count);
    mesh->vertex_count += CORNERS;
    mesh->triangle_count += FACETS;
}

static void add_spindles(const wr_record_skin *skin, const wr_record_skinned *now, const sum *moved,
                         bool *has_child, wr_mesh *mesh)
{
    for (int b = 0; b < skin->bone_count; b++) {
        int parent = skin->bones[b].parent;
        if (parent >= 0) {
            has_child[parent] = true;
            add_spindle(now->bones[parent], skin->bones[parent].origin, skin->bones[b].origin,
                        mesh);
        }
    }
    for (int b = 0; b < skin->bone_count; b++) {
        if (!has_child[b] && moved[b].count > 0.0f) {
            wr_vec3 middle = wr_scale(1.0f / moved[b].count, moved[b].total);
            add_spindle(now->bones[b], skin->bones[b].origin, middle, mesh);
        }
    }
}

// All spindles in a frame, as one mesh; NULL: out of memory.
static wr_mesh *lay_skeleton(const wr_record_skin *skin, const wr_record_skinned *now,
                             const wr_mesh *bound, wri_arena *arena)
{
    size_t n = (size_t)skin->bone_count, most = 2 * n * CORNERS; // to its parent, and as a leaf
    wr_mesh *mesh = wri_arena_alloc(arena, 1, sizeof *mesh);
    wr_mesh_part *part = wri_arena_alloc(arena, 1, sizeof *part);
    sum *moved = wri_arena_alloc(arena, n, sizeof *moved);
    bool *has_child = wri_arena_alloc(arena, n, sizeof *has_child);
    wr_vec3 *corners = wri_arena_alloc(arena, 2 * most, sizeof *corners);
    int *triangles = wri_arena_alloc(arena, most, sizeof *triangles);
    if (!mesh || !part || !moved || !has_child || !corners || !triangles) {
        return NULL;
    }
    *mesh = (wr_mesh){.name = "bones",
                      .part_count = 1,
                      .positions = corners,
                      .normals = corners + most,
                      .triangles = triangles,
                      .parts = part};
    find_middles(skin, bound, moved);
    add_spindles(skin, now, moved, has_child, mesh);
    for (int i = 0; i < mesh->vertex_count; i++) {
        triangles[i] = i;
    }
    *part = (wr_mesh_part){0, mesh->triangle_count, 0};
    wr_find_normals(mesh->positions, mesh->vertex_count, triangles, mesh->triangle_count,
                    mesh->normals);
    return mesh;
}

bool wri_drawing_has_bones(const wr_take *take, const wr_frame *frame, int number)
{
    const wr_record_skin *skin = wr_record_skin_of(take->info, number);
    return skin && skin->bone_count > 1 && wr_frame_skinned(frame, number);
}

bool wri_drawing_add_bones(wr_take *take, const wr_frame *frame, int number,
                           const wr_record_body *body, wr_error *error)
{
    wr_render_thing *thing = wri_array_add(&take->things, 1);
    int *owner = wri_array_add(&take->bodies, 1);
    const wr_mesh *mesh =
        lay_skeleton(wr_record_skin_of(take->info, number), wr_frame_skinned(frame, number),
                     take->info->models[body->model]->meshes, &take->pieces.arena);
    if (!thing || !owner || !mesh) {
        return wri_fail_memory(error, sizeof *thing);
    }
    *owner = number;
    *thing = (wr_render_thing){
        .model = &take->plain, .mesh = mesh, .pose = frame->poses[number], .tint = BLUE};
    return true;
}
