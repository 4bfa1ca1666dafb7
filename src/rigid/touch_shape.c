// touch_shape.c: shapes made ready for balls: faces of hulls, trees of triangles.
//
// Done on one thread for the bodies that balls come near, before threads look at them; what has not
// changed since is kept.
#include "engine.h"

#include <float.h>

static bool create_hulls(wri_touch_shape *shape, const wri_rigid_body *body)
{
    size_t count = (size_t)body->piece_count;
    shape->pieces = wri_arena_alloc(&shape->arena, count, sizeof *shape->pieces);
    shape->fresh = wri_arena_alloc(&shape->arena, count, sizeof(bool));
    bool ok = shape->pieces && shape->fresh;
    for (int i = 0; ok && i < body->piece_count; i++) {
        ok = wri_polytope_create(&shape->pieces[i], &shape->arena,
                                 body->first_point[i + 1] - body->first_point[i]);
    }
    return ok;
}

static bool update_hull(const wri_units *units, const wri_rigid_body *body, int piece)
{
    wri_polytope *polytope = &body->touch->pieces[piece];
    WR_ASSERT(polytope->capacity == body->first_point[piece + 1] - body->first_point[piece]);
    const wr_vec3 *points = &body->points[body->first_point[piece]];
    for (int i = 0; i < polytope->capacity; i++) {
        wri_to_engine(points[i], units->length, polytope->points[i]);
    }
    return wri_polytope_update(polytope);
}

// --- meshes -----------------------------------------------------------------------------------

static void find_boxes(wri_touch_shape *shape)
{
    double largest = 0;
    for (int i = 0; i < shape->mesh.triangle_count; i++) {
        wr_box box = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            const double *p = shape->mesh.points[shape->mesh.triangles[3 * i + k]];
            box = wr_box_add(box, wri_from_engine(p, 1.0));
            largest = fmax(largest, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))));
        }
        shape->boxes[i] = box;
    }
    shape->rounding = 2 * FLT_EPSILON * largest;
}

static bool create_mesh(wri_touch_shape *shape, const wri_bullet_mesh *mesh)
{
    shape->mesh = *mesh;
    shape->fresh = wri_arena_alloc(&shape->arena, 1, sizeof(bool));
    shape->boxes = wri_arena_alloc(&shape->arena, (size_t)mesh->triangle_count, sizeof(wr_box));
    if (!shape->fresh || !shape->boxes) {
        return false;
    }
    find_boxes(shape);
    *shape->fresh = true;
    return wri_bvh_build(&shape->tree, &shape->arena, shape->boxes, NULL, mesh->triangle_count);
}

// The tree keeps its branches; children come after their parents.
static void update_mesh(wri_touch_shape *shape)
{
    WR_ASSERT(shape->tree.item_count == shape->mesh.triangle_count);
    find_boxes(shape);
    for (int i = shape->tree.node_count - 1; i >= 0; i--) {
        wri_bvh_node *node = &shape->tree.nodes[i];
        if (node->count == 0) {
            WR_ASSERT(node->first > i && node->first < shape->tree.node_count);
            node->box =
                wr_box_join(shape->tree.nodes[i + 1].box, shape->tree.nodes[node->first].box);
            continue;
        }
        node->box = WR_BOX_EMPTY;
        for (int k = node->first; k < node->first + node->count; k++) {
            node->box = wr_box_join(node->box, shape->boxes[shape->tree.items[k]]);
        }
    }
}

// --- any shape --------------------------------------------------------------------------------

static bool create_touch(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    WR_ASSERT(!body->touch && (body->kind == WR_SHAPE_HULLS || body->kind == WR_SHAPE_MESH));
    wri_touch_shape *shape = wri_alloc(&rigid->allocator, 1, sizeof *shape);
    if (!shape) {
        return false;
    }
    shape->arena = wri_arena_create(&rigid->allocator);
    body->touch = shape;
    wri_bullet_mesh mesh = {0};
    if (body->kind == WR_SHAPE_MESH) {
        mesh = wri_bullet_read_mesh(rigid->bullet, index);
    }
    bool ok = body->kind == WR_SHAPE_HULLS ? create_hulls(shape, body) : create_mesh(shape, &mesh);
    if (!ok) {
        wri_free_touch(&rigid->allocator, body);
    }
    return ok;
}

void wri_free_touch(const wr_allocator *allocator, wri_rigid_body *body)
{
    if (body->touch) {
        wri_arena_destroy(&body->touch->arena);
        wri_free(allocator, body->touch, 1, sizeof *body->touch);
        body->touch = NULL;
    }
}

bool wri_prepare_touch(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (body->kind != WR_SHAPE_HULLS && body->kind != WR_SHAPE_MESH) {
        return true;
    }
    bool ok = body->touch || create_touch(rigid, index);
    int pieces = body->kind == WR_SHAPE_HULLS ? body->piece_count : 1;
    for (int i = 0; ok && i < pieces; i++) {
        if (!body->touch->fresh[i]) {
            if (body->kind == WR_SHAPE_HULLS) {
                ok = update_hull(&rigid->units, body, i);
            } else {
                update_mesh(body->touch);
            }
            body->touch->fresh[i] = ok;
        }
    }
    return ok;
}
