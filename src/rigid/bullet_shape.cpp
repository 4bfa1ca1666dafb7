// bullet_shape.cpp: shapes of bodies: primitives, hulls, meshes, compounds of them.
#include "bullet_world.h"

#include <BulletCollision/Gimpact/btGImpactShape.h>

#include "bullet_hull.h"

using namespace wri;

static std::unique_ptr<btCollisionShape> make_primitive(const body &b)
{
    std::unique_ptr<btCollisionShape> shape;
    switch (b.kind) {
    case WRI_BULLET_SPHERE:
        shape.reset(new btSphereShape(b.size[0]));
        return shape; // its margin is its radius
    case WRI_BULLET_CAPSULE:
        shape.reset(new btCapsuleShape(b.size[0], b.size[1]));
        return shape;
    case WRI_BULLET_CYLINDER:
        shape.reset(new btCylinderShape(btVector3(b.size[0], b.size[1], b.size[0])));
        break;
    case WRI_BULLET_PLANE:
        shape.reset(new btStaticPlaneShape(btVector3(0, 1, 0), 0));
        break;
    default:
        shape.reset(new btBoxShape(vector3(b.size)));
        break;
    }
    shape->setMargin(b.margin);
    return shape;
}

// Moving meshes carry the principal frame in their vertices, because a mesh cannot be a child.
static void place_vertices(body &b)
{
    WR_ASSERT(b.source.size() % 3 == 0);
    b.made = b.desc.shape;
    btTransform t = transform(b.made);
    b.vertices.resize(b.source.size());
    for (size_t i = 0; i < b.source.size(); i += 3) {
        copy3(&b.vertices[i], t * vector3(&b.source[i]));
    }
}

std::unique_ptr<btCollisionShape> wri::make_mesh(body &b)
{
    WR_ASSERT(b.kind == WRI_BULLET_MESH && b.triangles.size() >= 3);
    place_vertices(b);
    b.loose = b.refitted = false;
    b.edges.reset();
    b.mesh.reset(new btTriangleIndexVertexArray((int)b.triangles.size() / 3, b.triangles.data(),
                                                3 * (int)sizeof(int), (int)b.vertices.size() / 3,
                                                b.vertices.data(), 3 * (int)sizeof(double)));
    std::unique_ptr<btCollisionShape> shape;
    if (b.desc.motion == WRI_BULLET_MOVING) {
        btGImpactMeshShape *moving = new btGImpactMeshShape(b.mesh.get());
        shape.reset(moving);
        moving->setMargin(b.margin);
        moving->updateBound();
    } else {
        btBvhTriangleMeshShape *fixed = new btBvhTriangleMeshShape(b.mesh.get(), true);
        shape.reset(fixed);
        fixed->setMargin(b.margin);
        b.edges.reset(new btTriangleInfoMap);
        btGenerateInternalEdgeInfo(fixed, b.edges.get());
    }
    return shape;
}

bool wri::is_moving_mesh(const body &b)
{
    return b.leaves[0]->getShapeType() == GIMPACT_SHAPE_PROXYTYPE;
}

void wri::refit(body &b)
{
    WR_ASSERT(!b.outgrown || b.compound);
    if (b.outgrown) {
        b.compound->recalculateLocalAabb();
        b.compound->forget_boxes();
        b.outgrown = false;
    }
    if (!b.loose) {
        return;
    }
    place_vertices(b);
    b.loose = false;
    b.refitted = true;
    if (is_moving_mesh(b)) {
        btGImpactMeshShape *shape = static_cast<btGImpactMeshShape *>(b.leaves[0].get());
        shape->postUpdate();
        shape->updateBound();
    }
}

void wri::make_leaves(body &b, const wri_bullet_shape &shape)
{
    if (b.kind == WRI_BULLET_MESH) {
        const double *numbers = &shape.points[0][0];
        b.source.assign(numbers, numbers + 3 * (size_t)shape.point_count);
        b.triangles.assign(shape.triangles, shape.triangles + 3 * (size_t)shape.triangle_count);
        b.leaves.push_back(make_mesh(b));
    } else if (b.kind == WRI_BULLET_HULLS) {
        const double(*points)[3] = shape.points;
        for (int i = 0; i < shape.piece_count; i++) {
            std::unique_ptr<hull_shape> hull(new hull_shape);
            for (int j = 0; j < shape.piece_points[i]; j++) {
                hull->addPoint(vector3(points[j]), false);
            }
            WR_ASSERT(hull->getNumPoints() == shape.piece_points[i]);
            hull->renew(shape.margins[i]);
            points += shape.piece_points[i];
            b.leaves.push_back(std::move(hull));
        }
    } else {
        b.leaves.push_back(make_primitive(b));
    }
}

static bool is_identity(const wri_frame &f)
{
    wri_frame identity = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (f.basis[i][j] != identity.basis[i][j]) {
                return false;
            }
        }
    }
    return f.position[0] == 0 && f.position[1] == 0 && f.position[2] == 0;
}

void wri::make_compound(body &b)
{
    WR_ASSERT(!b.leaves.empty() && !b.placed);
    b.compound.reset();
    bool child = b.kind != WRI_BULLET_MESH && !is_identity(b.desc.shape);
    if (b.kind != WRI_BULLET_HULLS && !child) {
        return;
    }
    b.compound.reset(new pieces_shape(true, (int)b.leaves.size()));
    btTransform t = transform(b.desc.shape);
    for (std::unique_ptr<btCollisionShape> &leaf : b.leaves) {
        b.compound->addChildShape(t, leaf.get());
    }
}

wri_bullet_mesh wri_bullet_read_mesh(const wri_bullet *world, int index)
{
    const body &b = world->body_at(index);
    WR_ASSERT(b.kind == WRI_BULLET_MESH);
    return {reinterpret_cast<const double(*)[3]>(b.source.data()), b.triangles.data(),
            (int)b.triangles.size() / 3};
}

btCollisionShape *wri::whole_shape(const body &b)
{
    return b.compound ? b.compound.get() : b.leaves[0].get();
}
