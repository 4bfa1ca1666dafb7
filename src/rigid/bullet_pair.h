// bullet_pair.h: how a convex body touches another one, a plane, or the triangles of a mesh.
//
// Bullet finds one point per step where two shapes are closest, and turns one of them a little to
// find more. On round bodies the points found so do not exist: a ball gets pushed off its centre,
// and rolls away on a level floor. Here the other points come from the flat sides of both shapes
// that face each other: two sides are clipped against each other, an edge against a side, an edge
// along an edge; a ball has no sides. All points of a step are found at once, so that resting
// bodies keep theirs. D. Gregorius. Robust contact creation for physics simulations. GDC 2015.
#pragma once

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>

#include "bullet_gap.h"

namespace wri
{

// Flag of a cached point that has not been found again: it goes before the solver sees it.
enum { STALE_POINT = 1 << 20 };
const btScalar FACING_ALIKE = 0.9; // cosine between normals of one smooth surface

// Adds the points where two convex shapes touch to the contact cache of `out`, which is theirs
// alone when it is owned. The axis becomes that of now.
void meet(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
          btConvexPenetrationDepthSolver *overlaps, separation &known, bool owned,
          btManifoldResult &out);

// The same for one and a plane.
void meet_plane(const btCollisionObjectWrapper &convex, const btCollisionObjectWrapper &plane,
                btManifoldResult &out);

// Two bodies of which one at least is a pieces_shape or a plane, the other perhaps convex. The
// boxes of pieces must be known.
struct pieces_create : public btCollisionAlgorithmCreateFunc {
    btConvexPenetrationDepthSolver *overlaps;

    explicit pieces_create(btConvexPenetrationDepthSolver *solver) : overlaps(solver)
    {
    }
    btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                                   const btCollisionObjectWrapper *a,
                                                   const btCollisionObjectWrapper *b) override;
};
int pieces_pair_size(); // bytes

class pair_configuration : public btDefaultCollisionConfiguration
{
  public:
    pair_configuration();
    btCollisionAlgorithmCreateFunc *getCollisionAlgorithmCreateFunc(int kind_a,
                                                                    int kind_b) override;

  private:
    struct convex_create : public btConvexConvexAlgorithm::CreateFunc {
        explicit convex_create(btConvexPenetrationDepthSolver *solver) : CreateFunc(solver)
        {
        }
        btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                                       const btCollisionObjectWrapper *a,
                                                       const btCollisionObjectWrapper *b) override;
    };
    struct mesh_create : public btConvexConvexAlgorithm::CreateFunc {
        explicit mesh_create(btConvexPenetrationDepthSolver *solver) : CreateFunc(solver)
        {
        }
        btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                                       const btCollisionObjectWrapper *a,
                                                       const btCollisionObjectWrapper *b) override;
    };

    convex_create convex;
    mesh_create to_mesh, from_mesh;
    pieces_create pieces;
};

} // namespace wri
