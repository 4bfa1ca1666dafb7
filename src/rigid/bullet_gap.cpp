// bullet_gap.cpp: the gap between two convex shapes.
//
// Based on: E. Gilbert, D. Johnson, S. Keerthi. A fast procedure for computing the distance between
// complex objects in three-dimensional space. IEEE Journal of Robotics and Automation 4, 1988
// (GJK), with Bullet's solver for the simplex. Symbols: v, the vector from b to a where they are
// nearest; p and q, the farthest points of a and b along -v and v; w = p - q.
#include "bullet_gap.h"

#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>

#include "bullet_hull.h"

using namespace wri;

namespace
{

const btScalar ROUNDING = 1e-12;     // of the sizes, in sums of reaches
const btScalar CONVERGED = 1e-12;    // of the squared distance
const btScalar CLEARLY_APART = 1e-4; // without margins; units of the engine
const int MOST_ROUNDS = 1000;

const hull_shape *as_hull(const btConvexShape &shape)
{
    return shape.getShapeType() == CUSTOM_POLYHEDRAL_SHAPE_TYPE
               ? static_cast<const hull_shape *>(&shape)
               : nullptr;
}

// One of two convex shapes.
struct one {
    const btConvexShape &shape;
    const hull_shape *hull; // null: another shape

    explicit one(const btCollisionObjectWrapper &wrap)
        : shape(*static_cast<const btConvexShape *>(wrap.getCollisionShape())), hull(as_hull(shape))
    {
    }
    btVector3 farthest(const btVector3 &d) const
    {
        return hull ? hull->hull_shape::localGetSupportingVertexWithoutMargin(d)
                    : shape.localGetSupportVertexWithoutMarginNonVirtual(d);
    }
};

// How far a shape reaches along a direction d, a unit vector, lies between two bounds.
struct reach {
    btScalar least, most;

    reach(const one &s, const known_reach &known, const btVector3 &d)
    {
        if (!s.hull) {
            least = most = d.dot(s.farthest(d));
            return;
        }
        most = s.hull->bound(d);
        least = -BT_LARGE_FLOAT;
        if (known.travel >= 0) {
            btScalar travel = s.hull->travelled() - known.travel;
            least = d.dot(known.point) - travel;
            most = btMin(most, known.direction.dot(known.point) + travel +
                                   s.hull->bound(d - known.direction));
        }
    }
    // Looks at the points.
    void find(const one &s, known_reach &known, const btVector3 &d)
    {
        if (s.hull) {
            known = {s.hull->travelled(), d, s.farthest(d)};
            least = most = d.dot(known.point);
        }
    }
};

// Two convex shapes at their places, and how near they must be to count.
struct convex_couple {
    one a, b;
    const btTransform &at_a, &at_b;
    btScalar margin_a, margin_b, max_distance;

    convex_couple(const btCollisionObjectWrapper &wrap_a, const btCollisionObjectWrapper &wrap_b,
                  btScalar limit)
        : a(wrap_a), b(wrap_b), at_a(wrap_a.getWorldTransform()), at_b(wrap_b.getWorldTransform()),
          margin_a(a.shape.getMarginNonVirtual()), margin_b(b.shape.getMarginNonVirtual()),
          max_distance(margin_a + margin_b + limit)
    {
    }
    bool separates(separation &known) const
    {
        WR_ASSERT(btFabs(known.axis.length2() - 1) < 1e-3);
        btVector3 n = at_a.getBasis() * known.axis, in_a = -known.axis, in_b = n * at_b.getBasis();
        btScalar offset = n.dot(at_a.getOrigin() - at_b.getOrigin()) - max_distance;
        reach of_a(a, known.a, in_a), of_b(b, known.b, in_b);
        btScalar rounding = ROUNDING * (btFabs(offset) + btFabs(of_a.most) + btFabs(of_b.most));
        if (offset > of_a.most + of_b.most + rounding) {
            return true;
        }
        if (offset < of_a.least + of_b.least - rounding) {
            return false;
        }
        of_b.find(b, known.b, in_b);
        if (offset > of_a.most + of_b.most + rounding) {
            return true;
        }
        of_a.find(a, known.a, in_a);
        return offset - of_a.most > of_b.most;
    }
};

// The nearest points of two shapes without their margins.
struct gap {
    btVector3 v, on_a, on_b;
    btScalar squared;
};

// By GJK, from the y axis on. False where the shapes overlap, or hardly do not. The search ends
// when it is certain that they are farther apart than counts.
bool find_gap(const one &a, const btTransform &at_a, const one &b, const btTransform &at_b,
              btScalar max_squared, gap &g)
{
    btVoronoiSimplexSolver simplex;
    simplex.reset();
    g.v = btVector3(0, 1, 0);
    g.squared = BT_LARGE_FLOAT;
    for (int round = 0;; round++) {
        btVector3 p = at_a(a.farthest(-g.v * at_a.getBasis()));
        btVector3 q = at_b(b.farthest(g.v * at_b.getBasis()));
        btVector3 w = p - q, v;
        btScalar ahead = g.v.dot(w), before = g.squared;
        bool beyond = ahead > 0 && ahead * ahead > before * max_squared;
        if (beyond || simplex.inSimplex(w) || before - ahead <= CONVERGED * before) {
            break;
        }
        simplex.addVertex(w, p, q);
        if (!simplex.closest(v)) {
            break;
        }
        g.squared = v.length2();
        if (!(g.squared > CLEARLY_APART * CLEARLY_APART) || round > MOST_ROUNDS) {
            return false;
        }
        if (before - g.squared <= SIMD_EPSILON * before) {
            break;
        }
        g.v = v;
        if (simplex.fullSimplex()) {
            return false;
        }
    }
    simplex.compute_points(g.on_a, g.on_b);
    return true;
}

// Takes down what Bullet's detector finds.
struct found_by_bullet : public btDiscreteCollisionDetectorInterface::Result {
    nearest_points nearest;

    void setShapeIdentifiersA(int, int) override
    {
    }
    void setShapeIdentifiersB(int, int) override
    {
    }
    void addContactPoint(const btVector3 &normal, const btVector3 &point,
                         btScalar distance) override
    {
        nearest = {true, normal, point, distance};
    }
};

// GJK begins with the y axis: so it sees both shapes turned about a's origin such that this is the
// axis of the last step, and is done sooner.
class search
{
  public:
    search(const convex_couple &c, const btVector3 &known)
        : couple(c), turn(shortestArcQuat(c.at_a.getBasis() * known, btVector3(0, 1, 0))),
          at_a(turn * c.at_a.getBasis()),
          at_b(turn * c.at_b.getBasis(), turn * (c.at_b.getOrigin() - c.at_a.getOrigin())),
          max_squared(c.max_distance * c.max_distance)
    {
    }
    nearest_points run(btConvexPenetrationDepthSolver *overlaps, btVector3 &known)
    {
        if (!find_apart()) {
            find_overlapping(overlaps);
        }
        btScalar length = axis.length();
        if (length > SIMD_EPSILON) {
            known = (axis / length) * at_a.getBasis();
        }
        nearest.normal = nearest.normal * turn;
        nearest.point = nearest.point * turn + couple.at_a.getOrigin();
        return nearest;
    }

  private:
    const convex_couple &couple;
    btMatrix3x3 turn;
    btTransform at_a, at_b;
    btScalar max_squared;
    btVector3 axis; // from b to a, turned
    nearest_points nearest;

    bool find_apart()
    {
        btVector3 middle = btScalar(0.5) * at_b.getOrigin();
        gap g;
        if (!find_gap(couple.a, btTransform(at_a.getBasis(), -middle), couple.b,
                      btTransform(at_b.getBasis(), at_b.getOrigin() - middle), max_squared, g)) {
            return false;
        }
        btScalar over = 1 / btSqrt(g.v.length2());
        btScalar distance = 1 / over - (couple.margin_a + couple.margin_b);
        axis = g.v;
        if (distance < couple.max_distance) {
            axis = g.v * over;
            btVector3 point = g.on_b + g.v * (couple.margin_b / btSqrt(g.squared));
            nearest = {true, axis, point + middle, distance};
        }
        return true;
    }
    // Bullet's detector looks whether the shapes overlap before it does the same, and turns
    // normals that point the wrong way afterwards.
    void find_overlapping(btConvexPenetrationDepthSolver *overlaps)
    {
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = at_a;
        input.m_transformB = at_b;
        input.m_maximumDistanceSquared = max_squared;
        btVoronoiSimplexSolver simplex;
        btGjkPairDetector detector(&couple.a.shape, &couple.b.shape, &simplex, overlaps);
        found_by_bullet found;
        detector.getClosestPoints(input, found, nullptr);
        nearest = found.nearest;
        axis = detector.getCachedSeparatingAxis();
    }
};

} // namespace

bool wri::separates(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
                    separation &known, btScalar limit)
{
    return convex_couple(a, b, limit).separates(known);
}

nearest_points wri::find_nearest(const btCollisionObjectWrapper &a,
                                 const btCollisionObjectWrapper &b,
                                 btConvexPenetrationDepthSolver *overlaps, separation &known,
                                 btScalar limit)
{
    convex_couple couple(a, b, limit);
    return search(couple, known.axis).run(overlaps, known.axis);
}
