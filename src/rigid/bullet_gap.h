// bullet_gap.h: how far two convex shapes are apart, and along which axis.
//
// Most shapes whose boxes meet do not touch, and what held them apart in the last step nearly
// always still does: that axis is tried before anything is computed. How far hulls reach along it
// is remembered, too. A support function h is subadditive, h(d) <= h(c) + h(d - c), and no less
// than d.p for any point p of the hull: while two hulls turn and bend little beside each other,
// what was found once says enough, without a look at their points.
#pragma once

#include <btBulletDynamicsCommon.h>

namespace wri
{

// How far a hull reached when its points were last looked at.
struct known_reach {
    btScalar travel = -1;       // of the hull then; negative: it has not been looked at
    btVector3 direction, point; // in its frame, unit; no other point reached farther along it
};

// What a pair of shapes remembers from step to step.
struct separation {
    btVector3 axis; // from b to a, unit, in a's frame
    known_reach a, b;

    explicit separation(const btVector3 &from_b_to_a) : axis(from_b_to_a)
    {
    }
};

struct nearest_points {
    bool found = false;
    btVector3 normal, point; // from b to a, unit; on b
    btScalar distance = 0;
};

// True when the known axis keeps two convex shapes farther apart than the limit.
bool separates(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
               separation &known, btScalar limit);
// The points where two shapes that are no farther apart than the limit are nearest, or deepest in
// each other. The axis becomes that of now.
nearest_points find_nearest(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
                            btConvexPenetrationDepthSolver *overlaps, separation &known,
                            btScalar limit);

} // namespace wri
