// bullet_shim.cpp: Bullet behind plain data, the only C++ of the project: hence its length. In
// order: which bodies may touch, how two bodies touch, shapes, the solver, the world, the plain
// interface.
//
// What differs from a plain btDiscreteDynamicsWorld, and why:
// - Surfaces are combined per world, between detection and solving, and not through Bullet's global
//   callbacks: friction by the geometric mean, restitution by the larger value.
// - A point that is about to touch bounces as if it touched. Bullet lets it use up the gap instead
//   and loses the bounce.
// - A bounce brings no energy, whatever friction does meanwhile.
// - Resting contacts give a little, and lose energy.
// - Joints are warm-started. Bullet starts them from zero in every step, and a heavy ball on a
//   chain of light links then stretches the chain.
// - Driven bodies get their velocity before and their pose after the step, as moving ones do;
//   Bullet would move them first.
// - Bodies that turn freely keep their angular momentum to the last bits, however fast they turn.
// - A joint to the world hangs on a body of this world, not on Bullet's global fixed one.
#include "bullet_shim.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btConvexPlaneCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>

// --- which bodies may touch ----------------------------------------------------------------

// Which bodies may touch: bounding boxes in two trees, one for those that move.
//
// What differs from btDbvtBroadphase:
// - New boxes, and those that begin to move, wait until somebody asks, and then enter their tree in
//   a shuffled order. A row of boxes that enter from one end to the other makes Bullet's tree a
//   list, and ten thousand of them take minutes.
// - Immovable bodies go straight to the tree of those that do not move.
// - Pairs end as soon as their boxes part. Bullet looks at a few per step and swaps nodes by their
//   address, so that how long a pair lives depends on where memory happened to be.
class wri_tree_broadphase : public btDbvtBroadphase
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    btBroadphaseProxy *createProxy(const btVector3 &low, const btVector3 &high, int kind,
                                   void *object, int group, int mask,
                                   btDispatcher *dispatcher) override;
    void destroyProxy(btBroadphaseProxy *proxy, btDispatcher *dispatcher) override;
    void setAabb(btBroadphaseProxy *proxy, const btVector3 &low, const btVector3 &high,
                 btDispatcher *dispatcher) override;
    void calculateOverlappingPairs(btDispatcher *dispatcher) override;

    // Numbers of the bodies whose boxes meet this one, ascending.
    void find_within(const btVector3 &low, const btVector3 &high, std::vector<int> &out);
    // Before bodies are removed one by one, each of which would look at all pairs.
    void remove_pairs(btDispatcher *dispatcher);

  private:
    enum { WAITING = STAGECOUNT + 1 }; // a stage of its own

    btDbvtProxy *waiting = nullptr; // list of proxies that are in no tree
    btAlignedObjectArray<btDbvtProxy *> batch;

    void wait(btDbvtProxy *proxy);
    void enter(btDbvtProxy *proxy, bool still);
    void enter_waiting();
    void settle();
};

namespace
{

void link(btDbvtProxy *proxy, btDbvtProxy *&list)
{
    proxy->links[0] = nullptr;
    proxy->links[1] = list;
    if (list) {
        list->links[0] = proxy;
    }
    list = proxy;
}

void unlink(btDbvtProxy *proxy, btDbvtProxy *&list)
{
    (proxy->links[0] ? proxy->links[0]->links[1] : list) = proxy->links[1];
    if (proxy->links[1]) {
        proxy->links[1]->links[0] = proxy->links[0];
    }
}

bool is_immovable(const btDbvtProxy *proxy)
{
    const btCollisionObject *object = static_cast<const btCollisionObject *>(proxy->m_clientObject);
    return object->isStaticObject() && !object->isKinematicObject();
}

bool is_older(const btDbvtProxy *a, const btDbvtProxy *b)
{
    return a->m_uniqueId < b->m_uniqueId;
}

// Fisher and Yates with the numbers of a linear congruence: the same order in every run.
void shuffle(btAlignedObjectArray<btDbvtProxy *> &list)
{
    uint64_t number = 1;
    for (int i = list.size() - 1; i > 0; i--) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        std::swap(list[i], list[(int)((number >> 33) % (uint64_t)(i + 1))]);
    }
}

struct pair_finder : public btDbvt::ICollide {
    btOverlappingPairCache *pairs;
    btDbvtProxy *self;

    void Process(const btDbvtNode *node) override
    {
        btDbvtProxy *other = static_cast<btDbvtProxy *>(node->data);
        if (other != self) {
            bool first = is_older(self, other);
            pairs->addOverlappingPair(first ? self : other, first ? other : self);
        }
    }
};

struct number_finder : public btDbvt::ICollide {
    std::vector<int> *out;

    void Process(const btDbvtNode *node) override
    {
        const btDbvtProxy *proxy = static_cast<const btDbvtProxy *>(node->data);
        out->push_back(
            static_cast<const btCollisionObject *>(proxy->m_clientObject)->getUserIndex());
    }
};

} // namespace

void wri_tree_broadphase::wait(btDbvtProxy *proxy)
{
    proxy->leaf = nullptr;
    proxy->stage = WAITING;
    link(proxy, waiting);
}

btBroadphaseProxy *wri_tree_broadphase::createProxy(const btVector3 &low, const btVector3 &high,
                                                    int, void *object, int group, int mask,
                                                    btDispatcher *)
{
    btDbvtProxy *proxy =
        new (btAlignedAlloc(sizeof(btDbvtProxy), 16)) btDbvtProxy(low, high, object, group, mask);
    proxy->m_uniqueId = ++m_gid;
    wait(proxy);
    return proxy;
}

void wri_tree_broadphase::destroyProxy(btBroadphaseProxy *base, btDispatcher *dispatcher)
{
    btDbvtProxy *proxy = static_cast<btDbvtProxy *>(base);
    if (proxy->stage != WAITING) {
        btDbvtBroadphase::destroyProxy(base, dispatcher);
        return;
    }
    unlink(proxy, waiting);
    m_paircache->removeOverlappingPairsContainingProxy(proxy, dispatcher);
    btAlignedFree(proxy);
}

void wri_tree_broadphase::setAabb(btBroadphaseProxy *base, const btVector3 &low,
                                  const btVector3 &high, btDispatcher *dispatcher)
{
    btDbvtProxy *proxy = static_cast<btDbvtProxy *>(base);
    if (proxy->stage < STAGECOUNT) {
        btDbvtBroadphase::setAabb(base, low, high, dispatcher);
        return;
    }
    if (proxy->stage == STAGECOUNT) {
        if (low == proxy->m_aabbMin && high == proxy->m_aabbMax) {
            return;
        }
        m_sets[FIXED_SET].remove(proxy->leaf);
        unlink(proxy, m_stageRoots[STAGECOUNT]);
        wait(proxy);
    }
    proxy->m_aabbMin = low;
    proxy->m_aabbMax = high;
}

void wri_tree_broadphase::enter(btDbvtProxy *proxy, bool still)
{
    btDbvtVolume box = btDbvtVolume::FromMM(proxy->m_aabbMin, proxy->m_aabbMax);
    proxy->leaf = m_sets[still ? FIXED_SET : DYNAMIC_SET].insert(box, proxy);
    proxy->stage = still ? STAGECOUNT : m_stageCurrent;
    link(proxy, m_stageRoots[proxy->stage]);
}

void wri_tree_broadphase::enter_waiting()
{
    batch.resizeNoInitialize(0);
    for (btDbvtProxy *proxy = waiting; proxy; proxy = proxy->links[1]) {
        batch.push_back(proxy);
    }
    if (batch.size() == 0) {
        return;
    }
    waiting = nullptr;
    btDbvtProxy **items = &batch[0];
    std::sort(items, items + batch.size(), is_older);
    shuffle(batch);
    for (int i = 0; i < batch.size(); i++) {
        enter(batch[i], is_immovable(batch[i]));
    }
    std::sort(items, items + batch.size(), is_older);
    pair_finder finder;
    finder.pairs = m_paircache;
    for (int i = 0; i < batch.size(); i++) {
        finder.self = batch[i];
        btDbvtVolume box = batch[i]->leaf->volume;
        m_sets[DYNAMIC_SET].collideTV(m_sets[DYNAMIC_SET].m_root, box, finder);
        m_sets[FIXED_SET].collideTV(m_sets[FIXED_SET].m_root, box, finder);
    }
}

// What has not moved for two steps goes to the other tree.
void wri_tree_broadphase::settle()
{
    m_stageCurrent = (m_stageCurrent + 1) % STAGECOUNT;
    batch.resizeNoInitialize(0);
    for (btDbvtProxy *proxy = m_stageRoots[m_stageCurrent]; proxy; proxy = proxy->links[1]) {
        batch.push_back(proxy);
    }
    m_stageRoots[m_stageCurrent] = nullptr;
    shuffle(batch);
    for (int i = 0; i < batch.size(); i++) {
        m_sets[DYNAMIC_SET].remove(batch[i]->leaf);
        enter(batch[i], true);
    }
}

void wri_tree_broadphase::calculateOverlappingPairs(btDispatcher *dispatcher)
{
    enter_waiting();
    settle();
    btBroadphasePairArray &pairs = m_paircache->getOverlappingPairArray();
    for (int i = pairs.size() - 1; i >= 0; i--) {
        btDbvtProxy *a = static_cast<btDbvtProxy *>(pairs[i].m_pProxy0);
        btDbvtProxy *b = static_cast<btDbvtProxy *>(pairs[i].m_pProxy1);
        if (!Intersect(a->leaf->volume, b->leaf->volume)) {
            m_paircache->removeOverlappingPair(a, b, dispatcher);
        }
    }
}

void wri_tree_broadphase::find_within(const btVector3 &low, const btVector3 &high,
                                      std::vector<int> &out)
{
    enter_waiting();
    out.clear();
    number_finder finder;
    finder.out = &out;
    btDbvtVolume box = btDbvtVolume::FromMM(low, high);
    m_sets[DYNAMIC_SET].collideTV(m_sets[DYNAMIC_SET].m_root, box, finder);
    m_sets[FIXED_SET].collideTV(m_sets[FIXED_SET].m_root, box, finder);
    std::sort(out.begin(), out.end());
}

void wri_tree_broadphase::remove_pairs(btDispatcher *dispatcher)
{
    btBroadphasePairArray &pairs = m_paircache->getOverlappingPairArray();
    while (pairs.size() > 0) {
        btBroadphasePair last = pairs[pairs.size() - 1];
        m_paircache->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, dispatcher);
    }
}

// --- how two bodies touch -----------------------------------------------------------------------

// How two convex bodies, or a convex body and a plane, touch.
//
// Bullet finds one point per step where two shapes are closest, and turns one of them a little to
// find more. On round bodies the points found so do not exist: a ball gets pushed off its centre,
// and rolls away on a level floor. Here the other points come from the flat sides of both shapes
// that face each other: two sides are clipped against each other, an edge against a side, an edge
// along an edge; a ball has no sides. All points of a step are found at once, so that resting
// bodies keep theirs. D. Gregorius. Robust contact creation for physics simulations. GDC 2015.

// Flag of a cached point that has not been found again: it goes before the solver sees it.
enum { WRI_STALE_POINT = 1 << 20 };

class wri_pair_configuration : public btDefaultCollisionConfiguration
{
  public:
    wri_pair_configuration();
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
    struct plane_create : public btConvexPlaneCollisionAlgorithm::CreateFunc {
        btCollisionAlgorithm *CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                                       const btCollisionObjectWrapper *a,
                                                       const btCollisionObjectWrapper *b) override;
    };

    convex_create convex;
    plane_create to_plane, from_plane;
};

namespace
{

const btScalar SIDE_SLOPE = 0.05; // a side may be tilted that much against the contact, ...
const btScalar SIDE_RISE = 0.02;  // ... and its end as much above it; lengths
const btScalar DEEPER = 0.002;    // the closest point counts when the others miss it by more
const btScalar ALIKE = 0.9;       // cosine between normals of one smooth surface
const int MOST_CORNERS = 8;       // of a side
const int MOST_CLIPPED = 2 * MOST_CORNERS;
const int MOST_POINTS = 4; // of a contact

// A contact's own coordinates: two along it, one up from b to a.
struct view {
    btVector3 origin, u, v, n;

    view(const btVector3 &point, const btVector3 &normal) : origin(point), n(normal)
    {
        btPlaneSpace1(n, u, v);
    }
    btVector3 into(const btVector3 &p) const
    {
        btVector3 d = p - origin;
        return btVector3(u.dot(d), v.dot(d), n.dot(d));
    }
};

// The flat side of a shape that faces the other: a polygon counter-clockwise as seen against n, an
// edge, or nothing.
struct side {
    int count = 0;
    btVector3 corner[MOST_CORNERS];

    void add(const btVector3 &p)
    {
        if (count == 0 || !(p == corner[count - 1] || p == corner[0])) {
            corner[count++] = p;
        }
    }
};

btScalar cross(const btVector3 &a, const btVector3 &b)
{
    return a.x() * b.y() - a.y() * b.x();
}

// Polygons that are hardly wider than a line are lines, lines without length are nothing.
void straighten(side &s)
{
    btScalar area = 0, longest = 0;
    int from = 0, to = 0;
    for (int i = 0; i < s.count; i++) {
        area += cross(s.corner[i], s.corner[(i + 1) % s.count]);
        for (int j = 0; j < i; j++) {
            btVector3 d = s.corner[i] - s.corner[j];
            btScalar length = d.x() * d.x() + d.y() * d.y();
            if (length > longest) {
                longest = length;
                from = j;
                to = i;
            }
        }
    }
    if (!(longest > 1e-12)) {
        s.count = 0;
    } else if (s.count > 2 && btFabs(area) < 1e-3 * longest) {
        btVector3 ends[2] = {s.corner[from], s.corner[to]};
        s.count = 2;
        s.corner[0] = ends[0];
        s.corner[1] = ends[1];
    } else if (s.count > 2 && area < 0) {
        std::reverse(s.corner, s.corner + s.count);
    }
}

// A hull that looks for its farthest point in single precision, four at a time, and decides in
// double between those that come close: without that the normal between two flat sides tilts.
class hull_shape : public btConvexHullShape
{
  public:
    hull_shape()
    {
        m_shapeType = CUSTOM_POLYHEDRAL_SHAPE_TYPE; // or Bullet does not ask
    }
    // After the points have changed.
    void renew(double margin)
    {
        size_t count = (size_t)getNumPoints();
        groups.resize((count + 3) / 4);
        reaches.resize(groups.size());
        radius = 0;
        btVector3 low = getUnscaledPoints()[0], high = low;
        for (size_t i = 0; i < 4 * groups.size(); i++) {
            const btVector3 &p = getUnscaledPoints()[i < count ? i : 0];
            for (int k = 0; k < 3; k++) {
                groups[i / 4].row[k][i % 4] = (float)p[k];
            }
            radius = btMax(radius, p.length());
            low.setMin(p);
            high.setMax(p);
        }
        middle = 0.5 * (high + low);
        half = 0.5 * (high - low);
        setMargin(margin);
    }
    // With the margin twice, as Bullet's own: what comes near is seen a little before it touches.
    void getAabb(const btTransform &at, btVector3 &low, btVector3 &high) const override
    {
        btVector3 margin(getMargin(), getMargin(), getMargin());
        btTransformAabb(middle - half - margin, middle + half + margin, getMargin(), at, low, high);
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &d) const override
    {
        btVector3 found;
        float most = look(d);
        decide(&d, 1, most - (float)(ROUNDING * radius * d.length()), &found);
        return found;
    }
    // The same for several directions that differ from d by at most `slope`.
    void find_around(const btVector3 &d, btScalar slope, const btVector3 *around, int count,
                     btVector3 *found) const
    {
        float most = look(d);
        decide(around, count, most - (float)((2 * slope + ROUNDING) * radius), found);
    }
    // No point reaches farther along d, a unit vector.
    btScalar bound(const btVector3 &d) const
    {
        return d.dot(middle) + d.absolute().dot(half);
    }

  private:
    // How far each group reaches; the farthest.
    float look(const btVector3 &d) const
    {
        const float x = (float)d.x(), y = (float)d.y(), z = (float)d.z();
        four best = four{} - INFINITY;
        for (size_t i = 0; i < groups.size(); i++) {
            const group &g = groups[i];
            four reach = g.row[0] * x + g.row[1] * y + g.row[2] * z;
            best = reach > best ? reach : best;
            reaches[i] = reach;
        }
        return btMax(btMax(best[0], best[1]), btMax(best[2], best[3]));
    }

    typedef float four __attribute__((vector_size(16)));
    typedef int64_t halves __attribute__((vector_size(16)));
    static constexpr btScalar ROUNDING = 1e-6;
    struct group {
        four row[3]; // x, y, z; the last group is filled up with the first point
    };
    std::vector<group> groups;
    mutable std::vector<four> reaches;
    btScalar radius;        // around the origin
    btVector3 middle, half; // of the box

    // Among those that reach far enough.
    void decide(const btVector3 *d, int count, float enough, btVector3 *found) const
    {
        btScalar most[8] = {-BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT,
                            -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT};
        for (int j = 0; j < count; j++) {
            found[j] = getUnscaledPoints()[0];
        }
        for (size_t i = 0; i < reaches.size(); i++) {
            halves any = (halves)(reaches[i] >= enough);
            for (int k = 0; (any[0] | any[1]) && k < 4; k++) {
                if (!(reaches[i][k] >= enough)) {
                    continue;
                }
                const btVector3 &p = getUnscaledPoints()[4 * i + (size_t)k < (size_t)getNumPoints()
                                                             ? 4 * i + (size_t)k
                                                             : 0];
                for (int j = 0; j < count; j++) {
                    btScalar reach = d[j].dot(p);
                    if (reach > most[j]) {
                        most[j] = reach;
                        found[j] = p;
                    }
                }
            }
        }
    }
};

// Corners farthest out in directions a little off `out`, all around.
void find_polyhedron_side(const btConvexShape &shape, const btTransform &at, const view &seen,
                          const btVector3 &out, side &s)
{
    static const btScalar ring[8][2] = {
        {1, 0},  {SIMDSQRT12, SIMDSQRT12},   {0, 1},  {-SIMDSQRT12, SIMDSQRT12},
        {-1, 0}, {-SIMDSQRT12, -SIMDSQRT12}, {0, -1}, {SIMDSQRT12, -SIMDSQRT12}};
    btScalar slope = btMin(SIDE_SLOPE, SIDE_RISE / shape.getAngularMotionDisc());
    btVector3 skin = shape.getMargin() * out, d[8], p[8];
    for (int i = 0; i < 8; i++) {
        d[i] = (out + slope * (ring[i][0] * seen.u + ring[i][1] * seen.v)) * at.getBasis();
    }
    if (shape.getShapeType() == CUSTOM_POLYHEDRAL_SHAPE_TYPE) {
        static_cast<const hull_shape &>(shape).find_around(out * at.getBasis(), slope, d, 8, p);
    } else {
        for (int i = 0; i < 8; i++) {
            p[i] = shape.localGetSupportingVertexWithoutMargin(d[i]);
        }
    }
    for (int i = 0; i < 8; i++) {
        s.add(seen.into(at * p[i] + skin));
    }
}

void find_capsule_side(const btCapsuleShape &shape, const btTransform &at, const view &seen,
                       const btVector3 &out, side &s)
{
    btVector3 axis = at.getBasis().getColumn(1), skin = shape.getRadius() * out;
    if (btFabs(axis.dot(out)) < 0.3) {
        s.add(seen.into(at.getOrigin() + shape.getHalfHeight() * axis + skin));
        s.add(seen.into(at.getOrigin() - shape.getHalfHeight() * axis + skin));
    }
}

// Standing, an octagon in the rim that turns with the body; lying, the line it rests on.
void find_cylinder_side(const btCylinderShape &shape, const btTransform &at, const view &seen,
                        const btVector3 &out, side &s)
{
    btVector3 half = shape.getHalfExtentsWithoutMargin();
    btVector3 skin = shape.getMargin() * out, d = out * at.getBasis();
    if (btFabs(d.y()) > 0.95) {
        for (int i = 0; i < 8; i++) {
            btScalar angle = i * SIMD_PI / 4;
            btVector3 p(half.x() * btCos(angle), d.y() > 0 ? half.y() : -half.y(),
                        half.x() * btSin(angle));
            s.add(seen.into(at * p + skin));
        }
    } else if (btFabs(d.y()) < 0.3) {
        btVector3 across = btVector3(d.x(), 0, d.z()).normalized() * half.x();
        btVector3 up(0, half.y(), 0);
        s.add(seen.into(at * (across + up) + skin));
        s.add(seen.into(at * (across - up) + skin));
    }
}

side find_side(const btCollisionShape &shape, const btTransform &at, const view &seen,
               const btVector3 &out)
{
    side s;
    if (shape.getShapeType() == CAPSULE_SHAPE_PROXYTYPE) {
        find_capsule_side(static_cast<const btCapsuleShape &>(shape), at, seen, out, s);
    } else if (shape.getShapeType() == CYLINDER_SHAPE_PROXYTYPE) {
        find_cylinder_side(static_cast<const btCylinderShape &>(shape), at, seen, out, s);
    } else if (shape.isPolyhedral()) {
        find_polyhedron_side(static_cast<const btConvexShape &>(shape), at, seen, out, s);
    }
    straighten(s);
    return s;
}

// Heights over a side, as of the plane through its corners, or along an edge.
struct slope {
    btVector3 middle, rise;

    explicit slope(const side &s) : middle(0, 0, 0), rise(0, 0, 0)
    {
        btVector3 n(0, 0, 0);
        for (int i = 0; i < s.count; i++) {
            middle += s.corner[i] / s.count;
        }
        for (int i = 0; i < s.count; i++) { // Newell's sum
            n += (s.corner[i] - middle).cross(s.corner[(i + 1) % s.count] - middle);
        }
        if (s.count == 2) {
            btVector3 d = s.corner[1] - s.corner[0];
            rise = d * (d.z() / (d.x() * d.x() + d.y() * d.y()));
        } else {
            rise = n * (-1 / n.z());
        }
    }
    btScalar height(const btVector3 &p) const
    {
        return middle.z() + rise.x() * (p.x() - middle.x()) + rise.y() * (p.y() - middle.y());
    }
};

// Sutherland and Hodgman: the part of a polygon left of the line at p along d.
int clip_to_line(const btVector3 &p, const btVector3 &d, const btVector3 *in, int count,
                 btVector3 *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const btVector3 &a = in[i], &b = in[(i + 1) % count];
        btScalar x = cross(d, a - p), y = cross(d, b - p);
        if (x >= 0 && kept < MOST_CLIPPED) {
            out[kept++] = a;
        }
        if ((x < 0) != (y < 0) && kept < MOST_CLIPPED) {
            out[kept++] = a + (b - a) * (x / (x - y));
        }
    }
    return kept;
}

// The part of `s` over the side `over`; an edge keeps what lies along the other edge.
int clip(const side &s, const side &over, btVector3 out[MOST_CLIPPED])
{
    btVector3 other[MOST_CLIPPED];
    int count = s.count;
    std::copy(s.corner, s.corner + count, out);
    if (over.count == 2) {
        btVector3 d = over.corner[1] - over.corner[0], e = s.corner[1] - s.corner[0];
        if (s.count > 2 ||
            btFabs(cross(d, e)) > SIDE_SLOPE * btFabs(d.x() * e.x() + d.y() * e.y())) {
            return 0;
        }
        btVector3 across(d.y(), -d.x(), 0);
        count = clip_to_line(over.corner[0], -across, out, count, other);
        return clip_to_line(over.corner[1], across, other, count, out);
    }
    for (int i = 0; i < over.count && count > 0; i++) {
        const btVector3 &p = over.corner[i];
        count = clip_to_line(p, over.corner[(i + 1) % over.count] - p, out, count, other);
        std::copy(other, other + count, out);
    }
    return count;
}

// Takes down what Bullet's algorithm finds instead of passing it on.
struct closest : public btManifoldResult {
    bool found = false;
    btVector3 normal, point;
    btScalar distance = 0;

    closest(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b)
        : btManifoldResult(a, b)
    {
    }
    void addContactPoint(const btVector3 &n, const btVector3 &p, btScalar d) override
    {
        found = true;
        normal = n;
        point = p;
        distance = d;
    }
};

// A point of the contact: where along it, the height of b there and the distance.
struct spot {
    btVector3 at;
    btScalar distance;
};

// The points that lie farthest out in four directions hold a body as well as all of them. Returns
// how many there are; `chosen` are their numbers.
int choose_spots(const spot *all, int count, int chosen[MOST_POINTS])
{
    static const btScalar directions[MOST_POINTS][2] = {
        {0.89, 0.46}, {-0.46, 0.89}, {-0.89, -0.46}, {0.46, -0.89}};
    int kept = 0;
    for (const btScalar *d : directions) {
        int best = 0;
        btScalar most = -BT_LARGE_FLOAT;
        for (int i = 0; i < count; i++) {
            btScalar reach = d[0] * all[i].at.x() + d[1] * all[i].at.y();
            if (reach > most) {
                most = reach;
                best = i;
            }
        }
        if (count > 0 && std::find(chosen, chosen + kept, best) == chosen + kept) {
            chosen[kept++] = best;
        }
    }
    return kept;
}

void mark_points(btPersistentManifold &manifold)
{
    for (int i = 0; i < manifold.getNumContacts(); i++) {
        manifold.getContactPoint(i).m_contactPointFlags |= WRI_STALE_POINT;
    }
}

// Whether the cache knows a point near this one, which the new one then replaces.
bool is_known(const btManifoldResult &out, const btVector3 &point, const btVector3 &normal,
              btScalar distance)
{
    const btPersistentManifold &manifold = *out.getPersistentManifold();
    bool swapped = manifold.getBody0() != out.getBody0Internal();
    const btTransform &at = manifold.getBody0()->getWorldTransform();
    btManifoldPoint p(at.invXform(swapped ? point : point + distance * normal), btVector3(0, 0, 0),
                      normal, distance);
    return manifold.getCacheEntry(p) >= 0;
}

// All triangles of a mesh share one cache. When it is full, Bullet gives one of its points away for
// every new one, and which remain depends on the order of the triangles; a body that slides over a
// floor would turn. Says whether there is room for one more that lies farther out.
bool make_room(const view &seen, const spot &s, btPersistentManifold &manifold)
{
    spot all[MOST_POINTS + 1];
    int count = manifold.getNumContacts(), chosen[MOST_POINTS];
    bool deeper = true;
    for (int i = 0; i < count; i++) {
        const btManifoldPoint &p = manifold.getContactPoint(i);
        if (btFabs(p.m_normalWorldOnB.dot(seen.n)) < ALIKE) {
            return true; // another side: Bullet's choice
        }
        all[i].at = seen.into(p.getPositionWorldOnB());
        deeper = deeper && s.distance < p.getDistance() - DEEPER;
    }
    all[count] = s;
    int *end = chosen + choose_spots(all, count + 1, chosen);
    if (count < MOST_POINTS || deeper) {
        return true;
    }
    if (std::find(chosen, end, count) == end) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (std::find(chosen, end, i) == end) {
            manifold.removeContactPoint(i);
            break;
        }
    }
    return true;
}

void add_spots(const closest &nearest, const view &seen, const spot *all, int count, bool owned,
               btManifoldResult &out)
{
    int chosen[MOST_POINTS], kept = choose_spots(all, count, chosen);
    btScalar deepest = BT_LARGE_FLOAT;
    if (kept > 1 && owned) {
        mark_points(*out.getPersistentManifold());
    }
    for (int i = 0; i < kept; i++) {
        const spot &s = all[chosen[i]];
        btVector3 point = seen.origin + s.at.x() * seen.u + s.at.y() * seen.v + s.at.z() * seen.n;
        deepest = btMin(deepest, s.distance);
        if (owned || is_known(out, point, seen.n, s.distance) ||
            make_room(seen, s, *out.getPersistentManifold())) {
            out.addContactPoint(seen.n, point, s.distance);
        }
    }
    if (kept < 2 || nearest.distance < deepest - DEEPER) {
        out.addContactPoint(nearest.normal, nearest.point, nearest.distance);
    }
}

void add_convex_points(const closest &nearest, const btCollisionObjectWrapper *a,
                       const btCollisionObjectWrapper *b, btManifoldResult &out)
{
    view seen(nearest.point, nearest.normal);
    side sides[2] = {find_side(*a->getCollisionShape(), a->getWorldTransform(), seen, -seen.n),
                     side()};
    if (sides[0].count >= 2) {
        sides[1] = find_side(*b->getCollisionShape(), b->getWorldTransform(), seen, seen.n);
    }
    btVector3 clipped[MOST_CLIPPED];
    spot all[MOST_CLIPPED];
    int count = 0;
    if (sides[1].count >= 2) {
        int upper = sides[0].count <= sides[1].count ? 0 : 1; // clip the simpler one
        int corners = clip(sides[upper], sides[1 - upper], clipped);
        slope over(sides[1 - upper]);
        btScalar limit = out.getPersistentManifold()->getContactBreakingThreshold();
        for (int i = 0; i < corners; i++) {
            btScalar other = over.height(clipped[i]);
            btScalar distance = upper == 0 ? clipped[i].z() - other : other - clipped[i].z();
            btScalar height = upper == 0 ? other : clipped[i].z();
            if (distance < limit) {
                all[count].at = btVector3(clipped[i].x(), clipped[i].y(), height);
                all[count++].distance = btMax(distance, nearest.distance);
            }
        }
    }
    bool owned = a->getCollisionShape()->getShapeType() != TRIANGLE_SHAPE_PROXYTYPE &&
                 b->getCollisionShape()->getShapeType() != TRIANGLE_SHAPE_PROXYTYPE;
    add_spots(nearest, seen, all, count, owned, out);
}

void add_plane_points(const closest &nearest, const btCollisionObjectWrapper *body,
                      btManifoldResult &out)
{
    view seen(nearest.point, nearest.normal);
    side s = find_side(*body->getCollisionShape(), body->getWorldTransform(), seen, -seen.n);
    btScalar limit = out.getPersistentManifold()->getContactBreakingThreshold();
    spot all[MOST_CORNERS];
    int count = 0;
    for (int i = 0; i < s.count; i++) {
        if (s.corner[i].z() < limit) {
            all[count].at = btVector3(s.corner[i].x(), s.corner[i].y(), 0);
            all[count++].distance = s.corner[i].z();
        }
    }
    add_spots(nearest, seen, all, count, true, out);
}

// Two convex shapes. Most pairs of pieces whose boxes overlap do not touch, and what held them
// apart in the last step nearly always still does: that axis is tried before anything is computed.
class convex_pair : public btActivatingCollisionAlgorithm
{
  public:
    convex_pair(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
                const btCollisionObjectWrapper *b, btConvexPenetrationDepthSolver *solver)
        : btActivatingCollisionAlgorithm(info, a, b), overlaps(solver), manifold(info.m_manifold),
          owned(!info.m_manifold), axis(0, 1, 0)
    {
        if (owned) {
            manifold =
                m_dispatcher->getNewManifold(a->getCollisionObject(), b->getCollisionObject());
        }
    }
    ~convex_pair() override
    {
        if (owned) {
            m_dispatcher->releaseManifold(manifold);
        }
    }
    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &, btManifoldResult *out) override
    {
        out->setPersistentManifold(manifold);
        const btConvexShape *shape_a = static_cast<const btConvexShape *>(a->getCollisionShape());
        const btConvexShape *shape_b = static_cast<const btConvexShape *>(b->getCollisionShape());
        btScalar reach = shape_a->getMarginNonVirtual() + shape_b->getMarginNonVirtual() +
                         manifold->getContactBreakingThreshold() +
                         out->m_closestPointDistanceThreshold;
        if (!holds_apart(*shape_a, a->getWorldTransform(), *shape_b, b->getWorldTransform(),
                         reach)) {
            closest nearest(a, b);
            find_closest(*shape_a, a->getWorldTransform(), *shape_b, b->getWorldTransform(), reach,
                         nearest);
            if (nearest.found) {
                add_convex_points(nearest, a, b, *out);
            }
        }
        if (owned) {
            out->refreshContactPoints();
        }
    }
    btScalar calculateTimeOfImpact(btCollisionObject *, btCollisionObject *,
                                   const btDispatcherInfo &, btManifoldResult *) override
    {
        return 1; // fast bodies take shorter steps instead
    }
    void getAllContactManifolds(btManifoldArray &all) override
    {
        if (owned) {
            all.push_back(manifold);
        }
    }

  private:
    btConvexPenetrationDepthSolver *overlaps;
    btPersistentManifold *manifold;
    bool owned;
    btVector3 axis; // from b to a, unit, in a's frame

    static bool is_hull(const btConvexShape &shape)
    {
        return shape.getShapeType() == CUSTOM_POLYHEDRAL_SHAPE_TYPE;
    }
    // Whether the axis holds the shapes farther apart than this: their boxes, or they themselves.
    bool holds_apart(const btConvexShape &a, const btTransform &at_a, const btConvexShape &b,
                     const btTransform &at_b, btScalar reach) const
    {
        btVector3 n = at_a.getBasis() * axis, in_b = n * at_b.getBasis();
        btScalar offset = n.dot(at_a.getOrigin() - at_b.getOrigin()) - reach;
        if (is_hull(a) && is_hull(b) &&
            offset > static_cast<const hull_shape &>(a).bound(-axis) +
                         static_cast<const hull_shape &>(b).bound(in_b)) {
            return true;
        }
        btVector3 p = a.localGetSupportVertexWithoutMarginNonVirtual(-axis);
        btVector3 q = b.localGetSupportVertexWithoutMarginNonVirtual(in_b);
        return offset + axis.dot(p) > in_b.dot(q);
    }
    // Bullet's search begins with the y axis: so it sees both shapes turned about a's origin such
    // that this is the axis of the last step, and is done sooner.
    void find_closest(const btConvexShape &a, const btTransform &at_a, const btConvexShape &b,
                      const btTransform &at_b, btScalar reach, closest &nearest)
    {
        btVector3 n = at_a.getBasis() * axis;
        btMatrix3x3 turn(shortestArcQuat(n, btVector3(0, 1, 0)));
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = btTransform(turn * at_a.getBasis());
        input.m_transformB =
            btTransform(turn * at_b.getBasis(), turn * (at_b.getOrigin() - at_a.getOrigin()));
        input.m_maximumDistanceSquared = reach * reach;
        btVoronoiSimplexSolver simplex;
        btGjkPairDetector detector(&a, &b, &simplex, overlaps);
        detector.getClosestPoints(input, nearest, nullptr);
        nearest.normal = nearest.normal * turn;
        nearest.point = nearest.point * turn + at_a.getOrigin();
        btVector3 found = detector.getCachedSeparatingAxis();
        btScalar length = found.length();
        if (length > SIMD_EPSILON) {
            axis = (found / length) * input.m_transformA.getBasis();
        }
    }
};

class plane_pair : public btConvexPlaneCollisionAlgorithm
{
  public:
    using btConvexPlaneCollisionAlgorithm::btConvexPlaneCollisionAlgorithm;

    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &info, btManifoldResult *out) override
    {
        closest nearest(a, b);
        nearest.m_closestPointDistanceThreshold = out->m_closestPointDistanceThreshold;
        nearest.setPersistentManifold(nullptr);
        btConvexPlaneCollisionAlgorithm::processCollision(a, b, info, &nearest);
        if (nearest.found) {
            out->setPersistentManifold(nearest.getPersistentManifold());
            bool swapped = a->getCollisionShape()->getShapeType() == STATIC_PLANE_PROXYTYPE;
            add_plane_points(nearest, swapped ? b : a, *out);
        }
    }
};

static_assert(sizeof(plane_pair) == sizeof(btConvexPlaneCollisionAlgorithm),
              "Bullet's pool has room for its own algorithms");

btDefaultCollisionConstructionInfo pool_sizes()
{
    btDefaultCollisionConstructionInfo sizes;
    sizes.m_customCollisionAlgorithmMaxElementSize = (int)sizeof(convex_pair);
    return sizes;
}

} // namespace

wri_pair_configuration::wri_pair_configuration()
    : btDefaultCollisionConfiguration(pool_sizes()), convex(m_pdSolver)
{
    from_plane.m_swapped = true;
}

btCollisionAlgorithmCreateFunc *wri_pair_configuration::getCollisionAlgorithmCreateFunc(int kind_a,
                                                                                        int kind_b)
{
    btCollisionAlgorithmCreateFunc *usual =
        btDefaultCollisionConfiguration::getCollisionAlgorithmCreateFunc(kind_a, kind_b);
    if (usual == m_convexConvexCreateFunc) {
        return &convex;
    }
    return usual == m_convexPlaneCF ? &to_plane : usual == m_planeConvexCF ? &from_plane : usual;
}

btCollisionAlgorithm *wri_pair_configuration::convex_create::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
    const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(convex_pair));
    return new (place) convex_pair(info, a, b, m_pdSolver);
}

btCollisionAlgorithm *wri_pair_configuration::plane_create::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
    const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(plane_pair));
    return new (place) plane_pair(nullptr, info, a, b, m_swapped, 0, 0);
}

namespace
{

const btScalar SLEEP_SPEED = 0.02;    // lengths per second
const btScalar SLEEP_SPIN = 0.03;     // radians per second
const btScalar BOUNCE_SPEED = 0.2;    // slower contacts do not bounce
const btScalar CONTACT_HERTZ = 30;    // resting contacts are springs of this frequency ...
const btScalar CONTACT_DAMPING = 10;  // ... and damping ratio,
const btScalar CONTACT_SHARE = 0.25;  // but at most this share of the step rate
const btScalar CONTACT_WARMTH = 1.0;  // share of the last forces the solver starts from
const btScalar FRICTION_WARMTH = 0.9; // the same for friction
const btScalar JOINT_WARMTH = 0.9;    // and for joints
const btScalar JOINT_ERP = 0.4;       // share of a joint's error removed per step
const int JOINT_SWEEPS = 4;           // per sweep over the contacts
const btScalar SPLIT_DEPTH = -0.02;   // deeper overlaps are moved apart, not thrown apart
const btScalar FRICTION_LIMIT = 10;   // Bullet's own
const btScalar SAME_NORMAL = 0.99999; // cosine between normals that are taken for the same
const btScalar FACING_ALIKE = 0.9;    // cosine between normals of one smooth surface
const int BOUNCE_ROUNDS = 6;          // in which a bounce that brings energy is lowered
const unsigned long SOLVER_SEED = 1234567;

btVector3 vector3(const double v[3])
{
    return btVector3(v[0], v[1], v[2]);
}

void copy3(double out[3], const btVector3 &v)
{
    out[0] = v.x();
    out[1] = v.y();
    out[2] = v.z();
}

btTransform transform(const wri_frame &f)
{
    btMatrix3x3 basis(f.basis[0][0], f.basis[0][1], f.basis[0][2], f.basis[1][0], f.basis[1][1],
                      f.basis[1][2], f.basis[2][0], f.basis[2][1], f.basis[2][2]);
    return btTransform(basis, vector3(f.position));
}

wri_frame frame(const btTransform &t)
{
    wri_frame f;
    copy3(f.position, t.getOrigin());
    for (int i = 0; i < 3; i++) {
        copy3(f.basis[i], t.getBasis()[i]);
    }
    return f;
}

bool same_frame(const wri_frame &a, const wri_frame &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

bool is_identity(const wri_frame &f)
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

// Members are destroyed from the last to the first: the body before its shape, compounds before
// their children, shapes before the arrays they look into.
struct body {
    wri_bullet_body desc;
    wri_bullet_kind kind;
    double size[3];
    double margin;
    std::vector<double> source;   // mesh: vertices in the shape's frame
    std::vector<double> vertices; // mesh: the same in the principal frame
    std::vector<int> triangles;
    wri_frame made;          // mesh: the frame its vertices were made for
    bool loose;              // mesh: the tree does not hold the vertices any more
    bool refitted;           // mesh: its tree was made for other vertices
    std::vector<char> stale; // hulls: pieces whose points changed since the last step
    bool any_stale;
    bool outgrown;      // hulls: the bounds of the compound are those of older pieces
    bool wakes;         // its neighbours, before the next step
    bool reframed;      // its principal frame has moved within it since the contacts were cached
    btTransform change; // by this
    bool placed;        // in the engine's world
    bool driving;       // has an end pose to go to in the next step
    btTransform end;    // that pose
    std::unique_ptr<btTriangleIndexVertexArray> mesh;
    std::unique_ptr<btTriangleInfoMap> edges;
    std::vector<std::unique_ptr<btCollisionShape>> leaves;
    std::unique_ptr<btCompoundShape> compound;
    std::unique_ptr<btRigidBody> rigid;
};

struct joint {
    wri_bullet_joint desc;
    wri_joint_state state;
    btJointFeedback feedback;
    std::unique_ptr<btTypedConstraint> constraint;
};

// --- shapes -----------------------------------------------------------------------------------

std::unique_ptr<btCollisionShape> make_primitive(const body &b)
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
void place_vertices(body &b)
{
    b.made = b.desc.shape;
    btTransform t = transform(b.made);
    b.vertices.resize(b.source.size());
    for (size_t i = 0; i < b.source.size(); i += 3) {
        copy3(&b.vertices[i], t * vector3(&b.source[i]));
    }
}

std::unique_ptr<btCollisionShape> make_mesh(body &b)
{
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

bool is_moving_mesh(const body &b)
{
    return b.leaves[0]->getShapeType() == GIMPACT_SHAPE_PROXYTYPE;
}

// The boxes of the tree follow the vertices; which triangles share one stays as it is. The tree of
// a mesh that was frozen cannot follow: it waits for the next rebuild. The bounds of a compound
// follow its pieces. Shape and mass change together: so this waits until somebody looks.
void refit(body &b)
{
    if (b.outgrown) {
        b.compound->recalculateLocalAabb();
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

void make_leaves(body &b, const wri_bullet_shape &shape)
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
            hull->renew(shape.margins[i]);
            points += shape.piece_points[i];
            b.leaves.push_back(std::move(hull));
        }
    } else {
        b.leaves.push_back(make_primitive(b));
    }
}

// A compound's tree remembers its history, so it is made anew whenever the engine is.
void make_compound(body &b)
{
    b.compound.reset();
    bool child = b.kind != WRI_BULLET_MESH && !is_identity(b.desc.shape);
    if (b.kind != WRI_BULLET_HULLS && !child) {
        return;
    }
    b.compound.reset(new btCompoundShape(true, (int)b.leaves.size()));
    btTransform t = transform(b.desc.shape);
    for (std::unique_ptr<btCollisionShape> &leaf : b.leaves) {
        b.compound->addChildShape(t, leaf.get());
    }
}

btCollisionShape *whole_shape(const body &b)
{
    return b.compound ? b.compound.get() : b.leaves[0].get();
}

// --- the engine -------------------------------------------------------------------------------

struct group_filter : public btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
    {
        const btCollisionObject *oa = static_cast<const btCollisionObject *>(a->m_clientObject);
        const btCollisionObject *ob = static_cast<const btCollisionObject *>(b->m_clientObject);
        return (a->m_collisionFilterGroup & b->m_collisionFilterMask) &&
               (b->m_collisionFilterGroup & a->m_collisionFilterMask) &&
               !(oa->isStaticOrKinematicObject() && ob->isStaticOrKinematicObject());
    }
};

// Sequential impulses with joints and friction warm-started as well as normal forces, sweeps that
// go to and fro so that loads travel up and down chains and stacks equally well, extra sweeps for
// joints and a round friction cone. Bounces are lowered where they would bring energy: the speed
// with which a point leaves says nothing about what friction and the other points do meanwhile, and
// a long body that is caught at its end could fly off with a fifth more energy than it had (T.
// Kane, D. Levinson. Dynamics: theory and applications. 1985).
class warm_solver : public btSequentialImpulseConstraintSolver
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    explicit warm_solver(std::vector<joint> &list) : joints(list)
    {
        setRandSeed(SOLVER_SEED);
    }

  protected:
    void apply(btSolverConstraint &row, btScalar impulse)
    {
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        a.internalApplyImpulse(row.m_contactNormal1 * a.internalGetInvMass(),
                               row.m_angularComponentA, impulse);
        b.internalApplyImpulse(row.m_contactNormal2 * b.internalGetInvMass(),
                               row.m_angularComponentB, impulse);
        row.m_appliedImpulse = row.m_appliedImpulse + impulse;
    }

    btScalar resolve(btSolverConstraint &row)
    {
        return resolveSingleConstraintRowGeneric(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                 m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
    }

    void convertJoints(btTypedConstraint **constraints, int count,
                       const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertJoints(constraints, count, info);
        int first = 0;
        for (int i = 0; i < count; i++) {
            int rows = m_tmpConstraintSizesPool[i].m_numConstraintRows;
            const wri_joint_state &state =
                joints[(size_t)constraints[i]->getUserConstraintId()].state;
            for (int j = 0; rows == state.row_count && j < rows; j++) {
                btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[first + j];
                btScalar impulse = JOINT_WARMTH * state.row[j] * info.m_timeStep;
                apply(row, btClamped(impulse, row.m_lowerLimit, row.m_upperLimit));
            }
            first += rows;
        }
    }

    void convertContacts(btPersistentManifold **manifolds, int count,
                         const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertContacts(manifolds, count, info);
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            const btSolverConstraint &normal = m_tmpSolverContactConstraintPool[i];
            const btManifoldPoint *p =
                static_cast<const btManifoldPoint *>(normal.m_originalContactPoint);
            btSolverConstraint *rows =
                &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
            apply(rows[0], FRICTION_WARMTH * p->m_appliedImpulseLateral1);
            apply(rows[1], FRICTION_WARMTH * p->m_appliedImpulseLateral2);
        }
        find_blows();
    }

    btScalar sweep_joints(bool back)
    {
        btScalar most = 0;
        int count = m_tmpSolverNonContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btScalar change =
                resolve(m_tmpSolverNonContactConstraintPool[back ? count - 1 - i : i]);
            most = btMax(most, change * change);
        }
        return most;
    }

    // What the impulses so far have added to the relative motion along a row.
    btScalar change_along(const btSolverConstraint &row)
    {
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        return row.m_contactNormal1.dot(a.internalGetDeltaLinearVelocity()) +
               row.m_relpos1CrossNormal.dot(a.internalGetDeltaAngularVelocity()) +
               row.m_contactNormal2.dot(b.internalGetDeltaLinearVelocity()) +
               row.m_relpos2CrossNormal.dot(b.internalGetDeltaAngularVelocity());
    }

    // The change of impulse that would stop the relative motion along a row.
    btScalar wanted(const btSolverConstraint &row)
    {
        return row.m_rhs - row.m_appliedImpulse * row.m_cfm -
               change_along(row) * row.m_jacDiagABInv;
    }

    // Both tangents at once, then back onto the cone: one after the other they would turn the
    // force away from the direction of sliding.
    void resolve_friction(const btSolverConstraint &normal)
    {
        btSolverConstraint *rows =
            &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
        btScalar x = rows[0].m_appliedImpulse + wanted(rows[0]);
        btScalar y = rows[1].m_appliedImpulse + wanted(rows[1]);
        btScalar limit = normal.m_appliedImpulse * normal.m_friction;
        btScalar size = btSqrt(x * x + y * y);
        btScalar keep = size > limit ? limit / size : 1;
        apply(rows[0], keep * x - rows[0].m_appliedImpulse);
        apply(rows[1], keep * y - rows[1].m_appliedImpulse);
    }

    void sweep_rolling()
    {
        for (int i = 0; i < m_tmpSolverContactRollingFrictionConstraintPool.size(); i++) {
            btSolverConstraint &row = m_tmpSolverContactRollingFrictionConstraintPool[i];
            btScalar limit =
                m_tmpSolverContactConstraintPool[row.m_frictionIndex].m_appliedImpulse *
                row.m_friction;
            row.m_lowerLimit = -limit;
            row.m_upperLimit = limit;
            resolve(row);
        }
    }

    btScalar solveSingleIteration(int iteration, btCollisionObject **, int, btPersistentManifold **,
                                  int, btTypedConstraint **, int, const btContactSolverInfo &,
                                  btIDebugDraw *) override
    {
        btScalar most = 0;
        bool back = iteration % 2 != 0;
        for (int i = 0; i < JOINT_SWEEPS; i++) {
            most = btMax(most, sweep_joints(back == (i % 2 == 0)));
        }
        int count = m_tmpSolverContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btSolverConstraint &row = m_tmpSolverContactConstraintPool[back ? count - 1 - i : i];
            btScalar change =
                resolveSingleConstraintRowLowerLimit(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                     m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
            most = btMax(most, change * change);
        }
        for (int i = 0; i < count; i++) {
            resolve_friction(m_tmpSolverContactConstraintPool[back ? count - 1 - i : i]);
        }
        sweep_rolling();
        return most + (count > 0); // friction may still change when nothing else does
    }

    btScalar solveGroupCacheFriendlyIterations(btCollisionObject **bodies, int count,
                                               btPersistentManifold **manifolds, int manifold_count,
                                               btTypedConstraint **constraints,
                                               int constraint_count,
                                               const btContactSolverInfo &info,
                                               btIDebugDraw *drawer) override
    {
        btScalar rest = btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyIterations(
            bodies, count, manifolds, manifold_count, constraints, constraint_count, info, drawer);
        for (int round = 1; round <= BOUNCE_ROUNDS && lower_bounces(round); round++) {
            for (int i = 0; i < info.m_numIterations; i++) {
                rest = solveSingleIteration(i, bodies, count, manifolds, manifold_count,
                                            constraints, constraint_count, info, drawer);
            }
        }
        for (const blow &b : blows) { // as it was in the end
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            static_cast<btManifoldPoint *>(row.m_originalContactPoint)->m_combinedRestitution *=
                islands[(size_t)b.island].share;
        }
        return rest;
    }

    btScalar solveGroupCacheFriendlyFinish(btCollisionObject **bodies, int count,
                                           const btContactSolverInfo &info) override
    {
        const void *last = nullptr;
        int rows = 0;
        for (int i = 0; i < m_tmpSolverNonContactConstraintPool.size(); i++) {
            const btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[i];
            rows = row.m_originalContactPoint == last ? rows : 0;
            last = row.m_originalContactPoint;
            const btTypedConstraint *constraint = static_cast<const btTypedConstraint *>(last);
            wri_joint_state &state = joints[(size_t)constraint->getUserConstraintId()].state;
            if (rows < WRI_JOINT_ROWS) {
                state.row[rows] = row.m_appliedImpulse / info.m_timeStep;
            }
            state.row_count = btMin(++rows, (int)WRI_JOINT_ROWS);
        }
        return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count,
                                                                                  info);
    }

  private:
    // A contact that bounces.
    struct blow {
        int row, island;
        btScalar speed; // with which it shall part
    };
    // Bodies that act on each other: what their blows did, and how much of the bounce they keep.
    struct island {
        btScalar share = 1, next = 1;         // of the bounce: now, and to try next
        btScalar work = 0, impact = 0;        // of this share; energy that came with the blows
        btScalar low = 0, high = 1;           // shares without and with a gain
        btScalar low_work = 1, high_work = 0; // theirs; low_work 1: not known
    };

    std::vector<joint> &joints;
    std::vector<blow> blows;
    std::vector<island> islands; // by Bullet's number

    // Relative motion along a row before the step, with a share f of what forces add in it.
    btScalar speed_along(const btSolverConstraint &row, btScalar f)
    {
        const btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        const btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        return row.m_contactNormal1.dot(a.m_linearVelocity + f * a.m_externalForceImpulse) +
               row.m_relpos1CrossNormal.dot(a.m_angularVelocity + f * a.m_externalTorqueImpulse) +
               row.m_contactNormal2.dot(b.m_linearVelocity + f * b.m_externalForceImpulse) +
               row.m_relpos2CrossNormal.dot(b.m_angularVelocity + f * b.m_externalTorqueImpulse);
    }

    void find_blows()
    {
        blows.clear();
        islands.clear();
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[i];
            const btManifoldPoint *p =
                static_cast<const btManifoldPoint *>(row.m_originalContactPoint);
            btScalar speed = -speed_along(row, 0) * p->m_combinedRestitution;
            if (speed > 0) {
                const btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
                const btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
                bool first = a.m_originalBody && a.m_originalBody->getInvMass() > 0;
                int tag = (first ? a : b).m_originalBody->getIslandTag();
                blows.push_back({i, tag, speed});
                if (islands.size() <= (size_t)tag) {
                    islands.resize((size_t)tag + 1);
                }
            }
        }
    }

    // What the impulse of a row did: it acted on the mean of the speeds before and after. Forces
    // count half: speeds lag behind places by half a step, and an impulse acts between two of them.
    btScalar work_of(const btSolverConstraint &row)
    {
        return row.m_appliedImpulse * (speed_along(row, 0.5) + btScalar(0.5) * change_along(row));
    }

    void find_work()
    {
        for (island &i : islands) {
            i.work = i.impact = 0;
        }
        for (const blow &b : blows) {
            const btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            const btSolverConstraint *friction =
                &m_tmpSolverContactFrictionConstraintPool[row.m_frictionIndex];
            island &i = islands[(size_t)b.island];
            i.work += work_of(row) + work_of(friction[0]) + work_of(friction[1]);
            i.impact -= btScalar(0.5) * row.m_appliedImpulse * speed_along(row, 0.5);
        }
    }

    // The share of the bounce to try next: between one that gains energy and one that does not,
    // where a line through both says that nothing is gained. Without any bounce nothing ever is.
    static btScalar next_share(island &i, bool last)
    {
        const btScalar gain = 1e-4 * i.impact; // taken for none
        bool gains = i.work > gain;
        if (!gains && (i.share == 1 || i.share == 0 || last || i.work > -0.02 * i.impact)) {
            return i.share;
        }
        (gains ? i.high : i.low) = i.share;
        (gains ? i.high_work : i.low_work) = i.work;
        if (last) {
            return i.low;
        }
        btScalar part = i.low_work > 0 ? 0.5 : i.low_work / (i.low_work - i.high_work);
        return i.low + btMin(part, btScalar(0.98)) * (i.high - i.low);
    }

    // Whether some of the bounces had to be changed.
    bool lower_bounces(int round)
    {
        if (blows.empty()) {
            return false;
        }
        find_work();
        bool any = false;
        for (island &i : islands) {
            i.next = next_share(i, round == BOUNCE_ROUNDS);
            any = any || i.next != i.share;
        }
        for (const blow &b : blows) {
            const island &i = islands[(size_t)b.island];
            btSolverConstraint &row = m_tmpSolverContactConstraintPool[b.row];
            row.m_rhs += (i.next - i.share) * b.speed * row.m_jacDiagABInv;
        }
        for (island &i : islands) {
            i.share = i.next;
        }
        return any;
    }
};

const wri_bullet_body &desc_of(const std::vector<body> &bodies, const btCollisionObject *object)
{
    return bodies[(size_t)object->getUserIndex()].desc;
}

// The rotation by the length of v about it.
btQuaternion turn_by(const btVector3 &v)
{
    btScalar angle = v.length(), s = angle > 1e-9 ? btSin(angle / 2) / angle : 0.5;
    return btQuaternion(s * v.x(), s * v.y(), s * v.z(), btCos(angle / 2));
}

// Where a body that nothing holds has turned to within dt. Euler's equations for the momentum p in
// the body's frame, p' = p × w, by the implicit midpoint rule, which keeps |p| and the energy
// p·w / 2; the basis is then set right so that it carries p to the momentum l in the world. Nobody
// can see where a body stands that turns by hundreds of radians within dt: time is cut short then.
btMatrix3x3 free_turn(const btMatrix3x3 &basis, const btVector3 &l,
                      const btVector3 &inverse_inertia, btScalar dt)
{
    const btScalar most = 0.2; // radians at once: farther, the rounds below would not converge
    const btScalar most_parts = 4096;
    btVector3 p = l * basis, w = inverse_inertia * p;
    btScalar turn = w.length() * dt;
    int parts = (int)btMin(turn / most, most_parts) + 1;
    btScalar h = btMin(dt / parts, dt * most / btMax(turn, most));
    btQuaternion q;
    basis.getRotation(q);
    for (int i = 0; i < parts; i++) {
        btVector3 middle = p + btScalar(0.5) * h * p.cross(w);
        for (int round = 0; round < 6; round++) {
            w = inverse_inertia * middle;
            middle = p + btScalar(0.5) * h * middle.cross(w);
        }
        p += h * middle.cross(w);
        q = q * turn_by(h * w);
        w = inverse_inertia * p;
    }
    btVector3 now = quatRotate(q, p); // off by little: of the third order in h
    q = turn_by(now.cross(l) / btMax(l.length2(), btScalar(SIMD_EPSILON))) * q;
    return btMatrix3x3(q.normalize());
}

class contact_world : public btDiscreteDynamicsWorld
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    contact_world(btDispatcher *d, btBroadphaseInterface *p, btConstraintSolver *s,
                  btCollisionConfiguration *c, std::vector<body> &list)
        : btDiscreteDynamicsWorld(d, p, s, c), bodies(list)
    {
    }

    // Points that have slid away go before the algorithms count how many they still have, or a
    // sliding body would stand on one point in every other step.
    void performDiscreteCollisionDetection() override
    {
        for (int i = 0; i < getDispatcher()->getNumManifolds(); i++) {
            btPersistentManifold *m = getDispatcher()->getManifoldByIndexInternal(i);
            m->refreshContactPoints(m->getBody0()->getWorldTransform(),
                                    m->getBody1()->getWorldTransform());
        }
        btDiscreteDynamicsWorld::performDiscreteCollisionDetection();
    }

    void solveConstraints(btContactSolverInfo &info) override
    {
        btDispatcher *dispatcher = getDispatcher();
        for (int i = 0; i < dispatcher->getNumManifolds(); i++) {
            prepare(*dispatcher->getManifoldByIndexInternal(i), info.m_timeStep);
        }
        btDiscreteDynamicsWorld::solveConstraints(info);
    }

  protected:
    // A body that turns freely keeps its energy and I w, not w. Bullet's gyroscopic terms lose some
    // of both in every step, and it turns no body by more than 45 degrees. Here Bullet moves such
    // bodies without turning them, and the spin afterwards is that of the momentum before.
    void integrateTransforms(btScalar dt) override
    {
        momenta.resize(0);
        for (int i = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (turns(b)) {
                const btMatrix3x3 &basis = b.getWorldTransform().getBasis();
                momenta.push_back(basis *
                                  ((b.getAngularVelocity() * basis) / b.getInvInertiaDiagLocal()));
                b.setAngularVelocity(btVector3(0, 0, 0));
            }
        }
        btDiscreteDynamicsWorld::integrateTransforms(dt);
        for (int i = 0, next = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (turns(b)) {
                const btVector3 &l = momenta[next++], inverse = b.getInvInertiaDiagLocal();
                btTransform at = b.getWorldTransform();
                at.setBasis(free_turn(at.getBasis(), l, inverse, dt));
                b.setAngularVelocity(at.getBasis() * (inverse * (l * at.getBasis())));
                b.proceedToTransform(at);
            }
        }
    }

    void saveKinematicState(btScalar) override
    {
        // wri_bullet_drive has set the velocities
    }

  private:
    std::vector<body> &bodies;
    btAlignedObjectArray<btVector3> momenta;

    // Whether its spin changes as it turns.
    static bool turns(const btRigidBody &b)
    {
        const btVector3 &inverse = b.getInvInertiaDiagLocal();
        return b.isActive() && !b.isStaticOrKinematicObject() &&
               !(inverse.x() == inverse.y() && inverse.y() == inverse.z());
    }

    static btScalar closing_speed(const btPersistentManifold &manifold, const btManifoldPoint &p)
    {
        const btRigidBody *a = btRigidBody::upcast(manifold.getBody0());
        const btRigidBody *b = btRigidBody::upcast(manifold.getBody1());
        btVector3 va =
            a->getVelocityInLocalPoint(p.getPositionWorldOnA() - a->getCenterOfMassPosition());
        btVector3 vb =
            b->getVelocityInLocalPoint(p.getPositionWorldOnB() - b->getCenterOfMassPosition());
        return (vb - va).dot(p.m_normalWorldOnB);
    }

    // Rigid contacts would let a tower rock for ever: hardly anything is lost when it comes down
    // from one edge to the other. Blows stay hard, so that they bounce as they should.
    // E. Catto. Soft constraints. GDC 2011.
    static void soften(btManifoldPoint &p, const wri_bullet_body &a, const wri_bullet_body &b,
                       bool blow, btScalar dt)
    {
        btScalar mass = btMax(a.motion == WRI_BULLET_MOVING ? a.mass : 0,
                              b.motion == WRI_BULLET_MOVING ? b.mass : 0);
        btScalar turn = SIMD_2_PI * btMin(CONTACT_HERTZ * dt, CONTACT_SHARE);
        btScalar reach = 2 * CONTACT_DAMPING + turn;
        p.m_contactERP = blow ? 0 : turn / reach;
        p.m_contactCFM = blow ? 0 : dt / (mass * turn * reach);
        p.m_contactPointFlags |= BT_CONTACT_FLAG_HAS_CONTACT_CFM | BT_CONTACT_FLAG_HAS_CONTACT_ERP;
    }

    // Turns the normal at an inner edge of a mesh back between those of the triangles beside it,
    // and says whether it had to.
    static bool smooth_edge(const body &b, const btPersistentManifold &manifold, btManifoldPoint &p)
    {
        const btCollisionObject *object = manifold.getBody1();
        if (p.m_index1 < 0 || p.m_index1 >= (int)b.triangles.size() / 3) {
            return false;
        }
        const int *corner = &b.triangles[3 * (size_t)p.m_index1];
        btTriangleShape triangle(vector3(&b.vertices[3 * (size_t)corner[0]]),
                                 vector3(&b.vertices[3 * (size_t)corner[1]]),
                                 vector3(&b.vertices[3 * (size_t)corner[2]]));
        btCollisionObjectWrapper mesh(nullptr, &triangle, object, object->getWorldTransform(),
                                      p.m_partId1, p.m_index1);
        const btCollisionObject *other = manifold.getBody0();
        btCollisionObjectWrapper convex(nullptr, other->getCollisionShape(), other,
                                        other->getWorldTransform(), p.m_partId0, p.m_index0);
        btVector3 before = p.m_normalWorldOnB;
        btAdjustInternalEdgeContacts(p, &mesh, &convex, p.m_partId1, p.m_index1);
        return before.dot(p.m_normalWorldOnB) < SAME_NORMAL;
    }

    // A normal that leans over an inner edge says that the triangle beyond it is closer. Where that
    // one, or any other that faces the same way, has been found too, the point is not one where the
    // bodies touch; a ball pushed there would roll away.
    void smooth_edges(btPersistentManifold &manifold)
    {
        const body &b = bodies[(size_t)manifold.getBody1()->getUserIndex()];
        if (!b.edges ||
            bodies[(size_t)manifold.getBody0()->getUserIndex()].kind == WRI_BULLET_MESH) {
            return;
        }
        bool leans[MANIFOLD_CACHE_SIZE];
        int count = manifold.getNumContacts();
        for (int i = 0; i < count; i++) {
            leans[i] = smooth_edge(b, manifold, manifold.getContactPoint(i));
        }
        for (int i = count - 1; i >= 0; i--) {
            bool better = false;
            for (int j = 0; j < manifold.getNumContacts(); j++) {
                better = better || (!leans[j] && manifold.getContactPoint(i).m_normalWorldOnB.dot(
                                                     manifold.getContactPoint(j).m_normalWorldOnB) >
                                                     FACING_ALIKE);
            }
            if (leans[i] && better) {
                leans[i] = leans[manifold.getNumContacts() - 1];
                manifold.removeContactPoint(i);
            }
        }
    }

    void prepare(btPersistentManifold &manifold, btScalar dt)
    {
        const wri_bullet_body &a = desc_of(bodies, manifold.getBody0());
        const wri_bullet_body &b = desc_of(bodies, manifold.getBody1());
        btScalar friction = btMin(FRICTION_LIMIT, btSqrt(a.friction * b.friction));
        btScalar rolling = btMax(a.rolling, b.rolling) * btMin(a.radius, b.radius);
        for (int i = manifold.getNumContacts() - 1; i >= 0; i--) {
            if (manifold.getContactPoint(i).m_contactPointFlags & WRI_STALE_POINT) {
                manifold.removeContactPoint(i);
            }
        }
        smooth_edges(manifold);
        for (int i = 0; i < manifold.getNumContacts(); i++) {
            btManifoldPoint &p = manifold.getContactPoint(i);
            p.m_combinedFriction = friction;
            p.m_combinedRollingFriction = rolling;
            p.m_combinedSpinningFriction = rolling;
            btScalar speed = closing_speed(manifold, p);
            bool blow = speed > BOUNCE_SPEED && speed * dt > p.getDistance();
            p.m_combinedRestitution = blow ? btMax(a.restitution, b.restitution) : 0;
            if (p.getDistance() > 0 && p.m_combinedRestitution > 0) {
                p.setDistance(0);
            }
            // Friction at two points, a gap or an overlap apart, would be a couple from nowhere.
            p.m_positionWorldOnB = btScalar(0.5) * (p.m_positionWorldOnA + p.m_positionWorldOnB);
            p.m_positionWorldOnA = p.m_positionWorldOnB;
            soften(p, a, b, blow, dt);
        }
    }
};

} // namespace

struct wri_bullet {
    wri_bullet_desc desc;
    group_filter filter;
    std::vector<body> bodies;
    std::vector<joint> joints;
    btRigidBody anchor; // what joints to the world hang on
    btSphereShape ball; // for touch tests
    btCollisionObject ball_object;
    wri_pair_configuration configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<wri_tree_broadphase> broadphase;
    std::vector<int> within; // what the last wri_bullet_find_within found
    std::unique_ptr<warm_solver> solver;
    std::unique_ptr<contact_world> world;

    explicit wri_bullet(const wri_bullet_desc &d) : desc(d), anchor(0, nullptr, nullptr), ball(1)
    {
        ball_object.setCollisionShape(&ball);
        start();
    }

    ~wri_bullet()
    {
        stop();
    }

    void start();
    void stop();
    void place(size_t index, const wri_body_state &state);
    void unplace(body &b);
    void connect(size_t index);
    void disconnect(joint &j);
    void put_back(const wri_bullet_contact *contacts, int count);
};

void wri_bullet::start()
{
    dispatcher.reset(new btCollisionDispatcher(&configuration));
    btGImpactCollisionAlgorithm::registerAlgorithm(dispatcher.get());
    broadphase.reset(new wri_tree_broadphase);
    broadphase->getOverlappingPairCache()->setOverlapFilterCallback(&filter);
    solver.reset(new warm_solver(joints));
    world.reset(new contact_world(dispatcher.get(), broadphase.get(), solver.get(), &configuration,
                                  bodies));
    world->setGravity(vector3(desc.gravity));
    world->setForceUpdateAllAabbs(false);
    world->getDispatchInfo().m_deterministicOverlappingPairs = true;
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_numIterations = desc.iterations;
    info.m_solverMode |=
        SOLVER_USE_2_FRICTION_DIRECTIONS | SOLVER_DISABLE_VELOCITY_DEPENDENT_FRICTION_DIRECTION;
    info.m_warmstartingFactor = CONTACT_WARMTH;
    info.m_erp = JOINT_ERP;
    info.m_splitImpulsePenetrationThreshold = SPLIT_DEPTH;
    info.m_restitutionVelocityThreshold = BOUNCE_SPEED;
}

void wri_bullet::stop()
{
    for (joint &j : joints) {
        disconnect(j);
    }
    if (broadphase) {
        broadphase->remove_pairs(dispatcher.get());
    }
    for (body &b : bodies) {
        unplace(b);
        b.rigid.reset();
    }
    world.reset();
    solver.reset();
    broadphase.reset();
    dispatcher.reset();
}

// --- bodies -----------------------------------------------------------------------------------

static void apply_mass(body &b)
{
    bool moving = b.desc.motion == WRI_BULLET_MOVING;
    b.rigid->setMassProps(moving ? b.desc.mass : 0,
                          moving ? vector3(b.desc.inertia) : btVector3(0, 0, 0));
    b.rigid->updateInertiaTensor();
}

static void apply_state(body &b, const wri_body_state &state)
{
    btTransform t = transform(state.frame);
    b.rigid->setWorldTransform(t);
    b.rigid->setInterpolationWorldTransform(t);
    b.rigid->setLinearVelocity(vector3(state.velocity));
    b.rigid->setAngularVelocity(vector3(state.spin));
    b.rigid->setInterpolationLinearVelocity(vector3(state.velocity));
    b.rigid->setInterpolationAngularVelocity(vector3(state.spin));
    b.rigid->updateInertiaTensor();
    b.rigid->setDeactivationTime(state.calm_time);
    b.rigid->forceActivationState(state.activation);
}

// Bullet's damping is the share lost in one second.
static btScalar share_per_second(double rate)
{
    return -expm1(-rate);
}

void wri_bullet::place(size_t index, const wri_body_state &state)
{
    body &b = bodies[index];
    refit(b);
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, whole_shape(b));
    b.rigid.reset(new btRigidBody(info));
    b.rigid->setUserIndex((int)index);
    b.rigid->setFlags(0); // contact_world turns bodies
    b.rigid->setSleepingThresholds(SLEEP_SPEED, SLEEP_SPIN);
    b.rigid->setDamping(share_per_second(b.desc.linear_damping),
                        share_per_second(b.desc.angular_damping));
    if (b.desc.motion == WRI_BULLET_DRIVEN) {
        b.rigid->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    apply_mass(b);
    apply_state(b, state);
    world->addRigidBody(b.rigid.get(), (int)b.desc.group, (int)b.desc.collides);
    b.rigid->forceActivationState(state.activation); // adding a static body changes it
    b.placed = true;
    b.driving = false;
}

void wri_bullet::unplace(body &b)
{
    if (b.placed) {
        world->removeRigidBody(b.rigid.get());
        b.placed = false;
    }
}

static wri_body_state read_state(const body &b)
{
    wri_body_state s = {};
    s.frame = frame(b.rigid->getWorldTransform());
    copy3(s.velocity, b.rigid->getLinearVelocity());
    copy3(s.spin, b.rigid->getAngularVelocity());
    s.calm_time = b.rigid->getDeactivationTime();
    s.activation = b.rigid->getActivationState();
    return s;
}

wri_bullet *wri_bullet_create(const wri_bullet_desc *desc)
{
    try {
        return new wri_bullet(*desc);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void wri_bullet_destroy(wri_bullet *world)
{
    delete world;
}

bool wri_bullet_add_body(wri_bullet *world, const wri_bullet_shape *shape,
                         const wri_bullet_body *desc, const wri_body_state *state)
{
    size_t index = world->bodies.size();
    try {
        body b = {};
        b.desc = *desc;
        b.kind = shape->kind;
        memcpy(b.size, shape->size, sizeof b.size);
        b.margin = shape->margin;
        b.stale.assign((size_t)shape->piece_count, 0);
        make_leaves(b, *shape);
        make_compound(b);
        world->bodies.push_back(std::move(b));
        world->place(index, *state);
        return true;
    } catch (const std::bad_alloc &) {
        world->bodies.resize(index);
        return false;
    }
}

// --- what changes between steps and concerns the contact cache --------------------------------

static bool is_stale(const body &b, int index)
{
    return b.any_stale && index >= 0 && index < (int)b.stale.size() && b.stale[(size_t)index];
}

static void update_points(btPersistentManifold *m, const body &a, const body &b)
{
    for (int j = 0; j < m->getNumContacts(); j++) {
        btManifoldPoint &p = m->getContactPoint(j);
        if (is_stale(a, p.m_index0) || is_stale(b, p.m_index1)) {
            p.m_contactPointFlags |= WRI_STALE_POINT;
        }
        if (a.reframed) {
            p.m_localPointA = a.change * p.m_localPointA;
        }
        if (b.reframed) {
            p.m_localPointB = b.change * p.m_localPointB;
        }
    }
}

// Points of changed pieces are marked: detection refreshes those it finds again, and those still
// marked afterwards go. Points move along when the principal frame moves within the body. What
// changed wakes what it touches. All in one pass: in a heap of bending bodies a pass for each would
// take longer than finding the contacts.
static void update_contacts(wri_bullet *world)
{
    bool any = false;
    for (const body &b : world->bodies) {
        any = any || b.any_stale || b.reframed || b.wakes;
    }
    for (int i = 0; any && i < world->dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        body &a = world->bodies[(size_t)m->getBody0()->getUserIndex()];
        body &b = world->bodies[(size_t)m->getBody1()->getUserIndex()];
        update_points(m, a, b);
        if (m->getNumContacts() > 0 && a.wakes) {
            b.rigid->activate();
        }
        if (m->getNumContacts() > 0 && b.wakes) {
            a.rigid->activate();
        }
    }
    for (const joint &j : world->joints) {
        if (any && j.constraint &&
            (world->bodies[(size_t)j.desc.body_a].wakes ||
             (j.desc.body_b >= 0 && world->bodies[(size_t)j.desc.body_b].wakes))) {
            j.constraint->getRigidBodyA().activate();
            j.constraint->getRigidBodyB().activate();
        }
    }
    for (body &b : world->bodies) {
        b.wakes = b.reframed = false;
        if (b.any_stale) {
            std::fill(b.stale.begin(), b.stale.end(), (char)0);
            b.any_stale = false;
        }
    }
}

static void reframe_hulls(body &b)
{
    btTransform t = transform(b.desc.shape);
    for (int i = 0; i < b.compound->getNumChildShapes(); i++) {
        b.compound->updateChildTransform(i, t, false);
    }
    b.outgrown = true;
}

void wri_bullet_set_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    body &b = world->bodies[(size_t)index];
    wri_bullet_body old = b.desc;
    b.desc = *desc;
    bool moved = !same_frame(old.shape, desc->shape);
    bool follows = b.kind == WRI_BULLET_HULLS ||
                   (b.kind == WRI_BULLET_MESH && desc->motion == WRI_BULLET_MOVING);
    bool again = old.motion != desc->motion || old.group != desc->group ||
                 old.collides != desc->collides || old.present != desc->present ||
                 (moved && !follows);
    if (again) {
        update_contacts(world);
        wri_body_state state = read_state(b);
        for (joint &j : world->joints) {
            if (j.desc.body_a == index || j.desc.body_b == index) {
                world->disconnect(j);
            }
        }
        world->unplace(b);
        if (b.kind == WRI_BULLET_MESH && moved) {
            b.leaves[0] = make_mesh(b);
        }
        if (moved) {
            make_compound(b);
        }
        if (desc->present) {
            world->place((size_t)index, state);
        }
        for (size_t i = 0; desc->present && i < world->joints.size(); i++) {
            const wri_bullet_joint &d = world->joints[i].desc;
            if (d.present && (d.body_a == index || d.body_b == index)) {
                world->connect(i);
            }
        }
        return;
    }
    if (moved) {
        btTransform change = transform(desc->shape) * transform(old.shape).inverse();
        b.change = b.reframed ? change * b.change : change;
        b.reframed = true;
        b.loose = b.kind == WRI_BULLET_MESH;
        if (b.kind == WRI_BULLET_HULLS) {
            reframe_hulls(b);
        }
    }
    if (desc->present) {
        apply_mass(b);
    }
}

void wri_bullet_set_state(wri_bullet *world, int index, const wri_body_state *state)
{
    body &b = world->bodies[(size_t)index];
    apply_state(b, *state);
    refit(b);
    world->world->updateSingleAabb(b.rigid.get());
}

void wri_bullet_set_piece(wri_bullet *world, int index, int piece, const double (*points)[3],
                          double margin)
{
    body &b = world->bodies[(size_t)index];
    hull_shape *hull = static_cast<hull_shape *>(b.leaves[(size_t)piece].get());
    btVector3 *out = hull->getUnscaledPoints();
    for (int i = 0; i < hull->getNumPoints(); i++) {
        out[i] = vector3(points[i]);
    }
    hull->renew(margin);
    b.compound->updateChildTransform(piece, b.compound->getChildTransform(piece), false);
    b.outgrown = true;
    b.stale[(size_t)piece] = 1;
    b.any_stale = true;
    if (b.placed && b.desc.motion != WRI_BULLET_MOVING) {
        refit(b);
        world->world->updateSingleAabb(b.rigid.get()); // the engine does so for what is awake
    }
}

void wri_bullet_set_mesh(wri_bullet *world, int index, const double (*vertices)[3])
{
    body &b = world->bodies[(size_t)index];
    memcpy(b.source.data(), vertices, b.source.size() * sizeof(double));
    b.loose = true;
}

void wri_bullet_wake(wri_bullet *world, int index)
{
    world->bodies[(size_t)index].rigid->activate(true);
}

void wri_bullet_wake_neighbours(wri_bullet *world, int index)
{
    world->bodies[(size_t)index].wakes = true;
}

void wri_bullet_drive(wri_bullet *world, int index, const wri_frame *end, double dt)
{
    body &b = world->bodies[(size_t)index];
    b.end = transform(*end);
    b.driving = true;
    bool still = memcmp(&b.end.getOrigin(), &b.rigid->getWorldTransform().getOrigin(),
                        3 * sizeof(btScalar)) == 0 &&
                 b.end.getBasis() == b.rigid->getWorldTransform().getBasis();
    btVector3 velocity(0, 0, 0), spin(0, 0, 0);
    if (!still) {
        btTransformUtil::calculateVelocity(b.rigid->getWorldTransform(), b.end, dt, velocity, spin);
    }
    b.rigid->setLinearVelocity(velocity);
    b.rigid->setAngularVelocity(spin);
    b.rigid->forceActivationState(still ? ISLAND_SLEEPING : ACTIVE_TAG);
}

// --- the step ---------------------------------------------------------------------------------

static void finish_drive(wri_bullet *world)
{
    for (body &b : world->bodies) {
        if (b.driving) {
            b.rigid->setWorldTransform(b.end);
            b.rigid->setInterpolationWorldTransform(b.end);
            world->world->updateSingleAabb(b.rigid.get());
            b.driving = false;
        }
    }
}

void wri_bullet_step(wri_bullet *world, double dt)
{
    update_contacts(world);
    for (body &b : world->bodies) {
        refit(b);
    }
    world->world->stepSimulation(dt, 0);
    finish_drive(world);
    for (joint &j : world->joints) {
        if (j.constraint) {
            copy3(j.state.force, j.feedback.m_appliedForceBodyA);
        }
    }
}

void wri_bullet_read_states(const wri_bullet *world, wri_body_state *states)
{
    for (size_t i = 0; i < world->bodies.size(); i++) {
        if (world->bodies[i].placed) {
            states[i] = read_state(world->bodies[i]);
        }
    }
}

void wri_bullet_read_bounds(wri_bullet *world, int index, double min[3], double max[3])
{
    body &b = world->bodies[(size_t)index];
    refit(b);
    btVector3 low, high;
    b.rigid->getAabb(low, high);
    copy3(min, low);
    copy3(max, high);
}

namespace
{

// Takes note of the first triangle whose bounds meet the box.
struct any_triangle : public btTriangleCallback {
    btVector3 low, high;
    bool found = false;

    void processTriangle(btVector3 *corners, int, int) override
    {
        found = found || TestTriangleAgainstAabb2(corners, low, high);
    }
};

} // namespace

bool wri_bullet_mesh_is_within(wri_bullet *world, int index, const double min[3],
                               const double max[3])
{
    body &b = world->bodies[(size_t)index];
    refit(b);
    btVector3 center = 0.5 * (vector3(min) + vector3(max));
    btVector3 half = 0.5 * (vector3(max) - vector3(min));
    btTransform box(btMatrix3x3::getIdentity(), center);
    any_triangle any;
    btTransformAabb(half, b.margin, b.rigid->getWorldTransform().inverse() * box, any.low,
                    any.high);
    static_cast<const btConcaveShape *>(b.leaves[0].get())
        ->processAllTriangles(&any, any.low, any.high);
    return any.found;
}

int wri_bullet_find_within(wri_bullet *world, const double min[3], const double max[3],
                           const int **bodies)
{
    try {
        world->broadphase->find_within(vector3(min), vector3(max), world->within);
        *bodies = world->within.data();
        return (int)world->within.size();
    } catch (const std::bad_alloc &) {
        return -1;
    }
}

int wri_bullet_contact_count(wri_bullet *world)
{
    update_contacts(world);
    int count = 0;
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        count += world->dispatcher->getManifoldByIndexInternal(i)->getNumContacts();
    }
    return count;
}

static wri_bullet_contact read_contact(const btPersistentManifold *m, const btManifoldPoint &p)
{
    wri_bullet_contact c = {};
    copy3(c.local_a, p.m_localPointA);
    copy3(c.local_b, p.m_localPointB);
    copy3(c.point, p.getPositionWorldOnB());
    copy3(c.normal, p.m_normalWorldOnB);
    copy3(c.friction_a, p.m_lateralFrictionDir1);
    copy3(c.friction_b, p.m_lateralFrictionDir2);
    c.distance = p.getDistance();
    c.impulse = p.m_appliedImpulse;
    c.impulse_a = p.m_appliedImpulseLateral1;
    c.impulse_b = p.m_appliedImpulseLateral2;
    c.restitution = p.m_combinedRestitution;
    c.body_a = m->getBody0()->getUserIndex();
    c.body_b = m->getBody1()->getUserIndex();
    c.part_a = p.m_partId0;
    c.part_b = p.m_partId1;
    c.index_a = p.m_index0;
    c.index_b = p.m_index1;
    c.age = p.m_lifeTime;
    return c;
}

int wri_bullet_read_contacts(const wri_bullet *world, wri_bullet_contact *contacts)
{
    int count = 0;
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        for (int j = 0; j < m->getNumContacts(); j++) {
            contacts[count] = read_contact(m, m->getContactPoint(j));
            contacts[count++].manifold = i;
        }
    }
    return count;
}

// --- joints -----------------------------------------------------------------------------------

static std::unique_ptr<btTypedConstraint> make_slider(const wri_bullet_joint &d, btRigidBody &a,
                                                      btRigidBody &b)
{
    btGeneric6DofSpring2Constraint *c =
        new btGeneric6DofSpring2Constraint(a, b, transform(d.frame_a), transform(d.frame_b));
    std::unique_ptr<btTypedConstraint> owner(c);
    bool slides = d.kind == WRI_BULLET_SLIDER;
    // Bullet measures b relative to a.
    c->setLinearLowerLimit(btVector3(slides ? (d.lower > d.upper ? 1 : -d.upper) : 0, 0, 0));
    c->setLinearUpperLimit(btVector3(slides ? (d.lower > d.upper ? -1 : -d.lower) : 0, 0, 0));
    c->setAngularLowerLimit(btVector3(0, 0, 0));
    c->setAngularUpperLimit(btVector3(0, 0, 0));
    for (int axis = 0; axis < 6; axis++) {
        c->setParam(BT_CONSTRAINT_STOP_ERP, JOINT_ERP, axis);
    }
    return owner;
}

static std::unique_ptr<btTypedConstraint> make_constraint(const wri_bullet_joint &d, btRigidBody &a,
                                                          btRigidBody &b)
{
    std::unique_ptr<btTypedConstraint> owner;
    if (d.kind == WRI_BULLET_POINT) {
        owner.reset(new btPoint2PointConstraint(a, b, vector3(d.frame_a.position),
                                                vector3(d.frame_b.position)));
    } else if (d.kind == WRI_BULLET_HINGE) {
        btHingeConstraint *c =
            new btHingeConstraint(a, b, transform(d.frame_a), transform(d.frame_b));
        owner.reset(c);
        if (d.lower <= d.upper) {
            c->setLimit(d.lower, d.upper, 0.9, JOINT_ERP, 0);
        }
    } else {
        owner = make_slider(d, a, b);
    }
    return owner;
}

void wri_bullet::connect(size_t index)
{
    joint &j = joints[index];
    const wri_bullet_joint &d = j.desc;
    btRigidBody &a = *bodies[(size_t)d.body_a].rigid;
    btRigidBody &b = d.body_b >= 0 ? *bodies[(size_t)d.body_b].rigid : anchor;
    j.constraint = make_constraint(d, a, b);
    j.constraint->setUserConstraintId((int)index);
    j.constraint->setJointFeedback(&j.feedback);
    j.feedback.m_appliedForceBodyA = vector3(j.state.force);
    world->addConstraint(j.constraint.get(), !d.collide && d.body_b >= 0);
}

void wri_bullet::disconnect(joint &j)
{
    if (j.constraint) {
        world->removeConstraint(j.constraint.get());
        j.constraint.reset();
    }
}

// The feedback of a constraint is looked at by address, so the list must not move under it.
static void reconnect_feedback(wri_bullet *world)
{
    for (joint &j : world->joints) {
        if (j.constraint) {
            j.constraint->setJointFeedback(&j.feedback);
        }
    }
}

bool wri_bullet_add_joint(wri_bullet *world, const wri_bullet_joint *desc)
{
    size_t index = world->joints.size();
    try {
        joint j = {};
        j.desc = *desc;
        world->joints.push_back(std::move(j));
        reconnect_feedback(world);
        world->connect(index);
        return true;
    } catch (const std::bad_alloc &) {
        world->joints.resize(index);
        return false;
    }
}

void wri_bullet_remove_joint(wri_bullet *world, int index)
{
    joint &j = world->joints[(size_t)index];
    if (j.constraint) {
        j.constraint->getRigidBodyA().activate();
        j.constraint->getRigidBodyB().activate();
    }
    world->disconnect(j);
    j.desc.present = false;
    j.state = wri_joint_state();
}

void wri_bullet_set_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    joint &j = world->joints[(size_t)index];
    world->disconnect(j);
    j.desc = *desc;
    if (desc->present) {
        world->connect((size_t)index);
    }
}

void wri_bullet_read_joint(const wri_bullet *world, int index, wri_joint_state *state)
{
    *state = world->joints[(size_t)index].state;
}

// --- starting anew ----------------------------------------------------------------------------

namespace
{

// Which manifold a point belongs to: the bodies and, for hulls, the pieces. A mesh has one manifold
// for all its triangles.
struct manifold_key {
    int id[4];
    bool operator<(const manifold_key &other) const
    {
        return std::lexicographical_compare(id, id + 4, other.id, other.id + 4);
    }
    bool operator==(const manifold_key &other) const
    {
        return std::equal(id, id + 4, other.id);
    }
};

manifold_key key_of(const std::vector<body> &bodies, int a, int b, int index_a, int index_b)
{
    manifold_key key = {{a, b, bodies[(size_t)a].compound ? index_a : -1,
                         bodies[(size_t)b].compound ? index_b : -1}};
    return key;
}

struct keyed_manifold {
    manifold_key key;
    int order; // ties go to the manifold that was made first
    btPersistentManifold *manifold;
    bool operator<(const keyed_manifold &other) const
    {
        return key == other.key ? order < other.order : key < other.key;
    }
};

btManifoldPoint cached_point(const wri_bullet_contact &c)
{
    btManifoldPoint p(vector3(c.local_a), vector3(c.local_b), vector3(c.normal), c.distance);
    p.m_positionWorldOnB = vector3(c.point);
    p.m_positionWorldOnA = p.m_positionWorldOnB + p.m_normalWorldOnB * c.distance;
    p.m_lateralFrictionDir1 = vector3(c.friction_a);
    p.m_lateralFrictionDir2 = vector3(c.friction_b);
    p.m_appliedImpulse = c.impulse;
    p.m_appliedImpulseLateral1 = c.impulse_a;
    p.m_appliedImpulseLateral2 = c.impulse_b;
    p.m_combinedRestitution = c.restitution;
    p.m_partId0 = c.part_a;
    p.m_partId1 = c.part_b;
    p.m_index0 = c.index_a;
    p.m_index1 = c.index_b;
    p.m_lifeTime = c.age;
    return p;
}

} // namespace

// Fresh detection has made the manifolds; the saved points replace what it found, so that resting
// bodies keep the forces between them. Points that found no manifold no longer touch.
void wri_bullet::put_back(const wri_bullet_contact *contacts, int count)
{
    std::vector<keyed_manifold> manifolds;
    for (int i = 0; i < dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = dispatcher->getManifoldByIndexInternal(i);
        if (m->getNumContacts() > 0) {
            const btManifoldPoint &p = m->getContactPoint(0);
            manifold_key key = key_of(bodies, m->getBody0()->getUserIndex(),
                                      m->getBody1()->getUserIndex(), p.m_index0, p.m_index1);
            manifolds.push_back({key, i, m});
        }
    }
    std::sort(manifolds.begin(), manifolds.end());
    std::vector<char> used(manifolds.size(), 0);
    for (int first = 0, last; first < count; first = last) {
        const wri_bullet_contact &c = contacts[first];
        for (last = first + 1; last < count && contacts[last].manifold == c.manifold; last++) {
        }
        keyed_manifold wanted = {key_of(bodies, c.body_a, c.body_b, c.index_a, c.index_b), -1,
                                 nullptr};
        size_t found = (size_t)(std::lower_bound(manifolds.begin(), manifolds.end(), wanted) -
                                manifolds.begin());
        while (found < manifolds.size() && manifolds[found].key == wanted.key && used[found]) {
            found++;
        }
        if (found == manifolds.size() || !(manifolds[found].key == wanted.key)) {
            continue;
        }
        used[found] = 1;
        manifolds[found].manifold->clearManifold();
        for (int i = first; i < last && i - first < MANIFOLD_CACHE_SIZE; i++) {
            manifolds[found].manifold->addManifoldPoint(cached_point(contacts[i]));
        }
    }
}

void wri_bullet_describe_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    world->bodies[(size_t)index].desc = *desc;
}

void wri_bullet_describe_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    world->joints[(size_t)index].desc = *desc;
}

bool wri_bullet_rebuild(wri_bullet *world, const wri_body_state *states,
                        const wri_joint_state *joints, const wri_bullet_contact *contacts,
                        int contact_count)
{
    try {
        world->stop();
        world->start();
        for (size_t i = 0; i < world->bodies.size(); i++) {
            body &b = world->bodies[i];
            std::fill(b.stale.begin(), b.stale.end(), (char)0);
            b.any_stale = b.reframed = b.wakes = false;
            if (b.kind == WRI_BULLET_MESH &&
                (b.loose || b.refitted || !same_frame(b.made, b.desc.shape) ||
                 is_moving_mesh(b) != (b.desc.motion == WRI_BULLET_MOVING))) {
                b.leaves[0] = make_mesh(b); // a tree that was refitted remembers its history
            }
            make_compound(b);
            wri_body_state awake = states[i];
            awake.activation = ACTIVE_TAG; // sleeping pairs would get no contacts
            if (b.desc.present) {
                world->place(i, awake);
            }
        }
        for (size_t i = 0; i < world->joints.size(); i++) {
            world->joints[i].state = joints[i];
            if (world->joints[i].desc.present) {
                world->connect(i);
            }
        }
        world->world->performDiscreteCollisionDetection();
        world->put_back(contacts, contact_count);
        for (size_t i = 0; i < world->bodies.size(); i++) {
            if (world->bodies[i].desc.present) {
                world->bodies[i].rigid->forceActivationState(states[i].activation);
            }
        }
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

// --- touch tests ------------------------------------------------------------------------------

namespace
{

struct deepest : public btCollisionWorld::ContactResultCallback {
    btVector3 center;
    btScalar radius;
    wri_bullet_touch *touch;
    bool found = false;

    // Which of the two is the ball is not always what the order says: the ball's point is the one
    // that lies a radius away from its centre, against the normal.
    btScalar addSingleResult(btManifoldPoint &p, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        btScalar depth = -p.getDistance();
        if (!(depth > 0) || (found && depth <= touch->depth)) {
            return 0;
        }
        btVector3 n = p.m_normalWorldOnB;
        btScalar as_a = (center - radius * n - p.getPositionWorldOnA()).length2();
        btScalar as_b = (center + radius * n - p.getPositionWorldOnB()).length2();
        found = true;
        touch->depth = depth;
        copy3(touch->normal, as_a <= as_b ? n : -n);
        copy3(touch->point, as_a <= as_b ? p.getPositionWorldOnB() : p.getPositionWorldOnA());
        return 0;
    }
};

} // namespace

bool wri_bullet_touch_ball(wri_bullet *world, int index, const double center[3], double radius,
                           wri_bullet_touch *touch)
{
    refit(world->bodies[(size_t)index]);
    world->ball.setUnscaledRadius(radius);
    btTransform at;
    at.setIdentity();
    at.setOrigin(vector3(center));
    world->ball_object.setWorldTransform(at);
    deepest result;
    result.center = at.getOrigin();
    result.radius = radius;
    result.touch = touch;
    world->world->contactPairTest(&world->ball_object, world->bodies[(size_t)index].rigid.get(),
                                  result);
    return result.found;
}
