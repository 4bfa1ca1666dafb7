// bullet_pair.cpp: the points of a contact between two convex bodies, or one and a plane or mesh.
#include "bullet_pair.h"

#include <algorithm>
#include <new>

#include <BulletCollision/CollisionShapes/btTriangleShape.h>

#include "bullet_pieces.h"
#include "bullet_side.h"

using namespace wri;

namespace
{

const btScalar DEEPER = 0.0005; // a point counts when the others miss its depth by more
const int MOST_POINTS = 4;      // of a contact

// A point of the contact: where along it, the height of b there and the distance.
struct contact_point {
    btVector3 at;
    btScalar distance;
};

// Adds the points that lie farthest out in four directions, among those nearer than a limit, to
// those chosen so far, while there is room. Returns how many are chosen then.
int choose_outer(const contact_point *all, int count, btScalar limit, int chosen[MOST_POINTS],
                 int kept)
{
    static const btScalar directions[MOST_POINTS][2] = {
        {0.89, 0.46}, {-0.46, 0.89}, {-0.89, -0.46}, {0.46, -0.89}};
    for (const btScalar *d : directions) {
        int best = -1;
        btScalar most = -BT_LARGE_FLOAT;
        for (int i = 0; i < count; i++) {
            btScalar out = d[0] * all[i].at.x() + d[1] * all[i].at.y();
            if (all[i].distance <= limit && out > most) {
                most = out;
                best = i;
            }
        }
        if (best >= 0 && kept < MOST_POINTS &&
            std::find(chosen, chosen + kept, best) == chosen + kept) {
            chosen[kept++] = best;
        }
    }
    return kept;
}

// Four points hold a body as well as all of them: the outermost of those that carry it, and then of
// the rest, which may carry it next. Without the first a body on an edge of a curved side would
// stand on its one end and its other in turn. Returns how many there are; `chosen` are their
// numbers.
int choose_points(const contact_point *all, int count, int chosen[MOST_POINTS])
{
    WR_ASSERT(count >= 0);
    btScalar deepest = BT_LARGE_FLOAT;
    for (int i = 0; i < count; i++) {
        deepest = btMin(deepest, all[i].distance);
    }
    int kept = choose_outer(all, count, deepest + DEEPER, chosen, 0);
    return choose_outer(all, count, BT_LARGE_FLOAT, chosen, kept);
}

void mark_points(btPersistentManifold &manifold)
{
    for (int i = 0; i < manifold.getNumContacts(); i++) {
        manifold.getContactPoint(i).m_contactPointFlags |= STALE_POINT;
    }
}

// True when the cache knows a point near this one, which the new one then replaces.
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
bool make_room(const view &seen, const contact_point &s, btPersistentManifold &manifold)
{
    contact_point all[MOST_POINTS + 1];
    int count = manifold.getNumContacts(), chosen[MOST_POINTS];
    WR_ASSERT(count <= MOST_POINTS);
    bool deeper = true;
    for (int i = 0; i < count; i++) {
        const btManifoldPoint &p = manifold.getContactPoint(i);
        if (btFabs(p.m_normalWorldOnB.dot(seen.n)) < FACING_ALIKE) {
            return true; // another side: Bullet's choice
        }
        all[i] = {seen.into(p.getPositionWorldOnB()), p.getDistance()};
        deeper = deeper && s.distance < p.getDistance() - DEEPER;
    }
    all[count] = s;
    int *end = chosen + choose_points(all, count + 1, chosen);
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

void add_points(const nearest_points &nearest, const view &seen, const contact_point *all,
                int count, bool owned, btManifoldResult &out)
{
    int chosen[MOST_POINTS], kept = choose_points(all, count, chosen);
    btScalar deepest = BT_LARGE_FLOAT;
    if (kept > 1 && owned) {
        mark_points(*out.getPersistentManifold());
    }
    for (int i = 0; i < kept; i++) {
        const contact_point &s = all[chosen[i]];
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

void add_convex_points(const nearest_points &nearest, const btCollisionObjectWrapper *a,
                       const btCollisionObjectWrapper *b, bool owned, btManifoldResult &out)
{
    view seen(nearest.point, nearest.normal);
    side sides[2] = {find_side(*a->getCollisionShape(), a->getWorldTransform(), seen, -seen.n),
                     side()};
    if (sides[0].count >= 2) {
        sides[1] = find_side(*b->getCollisionShape(), b->getWorldTransform(), seen, seen.n);
    }
    btVector3 clipped[MOST_CLIPPED];
    contact_point all[MOST_CLIPPED];
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
    add_points(nearest, seen, all, count, owned, out);
}

void add_plane_points(const nearest_points &nearest, const btCollisionObjectWrapper *body,
                      btManifoldResult &out)
{
    view seen(nearest.point, nearest.normal);
    side s = find_side(*body->getCollisionShape(), body->getWorldTransform(), seen, -seen.n);
    btScalar limit = out.getPersistentManifold()->getContactBreakingThreshold();
    contact_point all[MOST_CORNERS];
    WR_ASSERT(limit > 0);
    int count = 0;
    for (int i = 0; i < s.count; i++) {
        if (s.corner[i].z() < limit) {
            all[count].at = btVector3(s.corner[i].x(), s.corner[i].y(), 0);
            all[count++].distance = s.corner[i].z();
        }
    }
    add_points(nearest, seen, all, count, true, out);
}

} // namespace

void wri::meet(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
               btConvexPenetrationDepthSolver *overlaps, separation &known, bool owned,
               btManifoldResult &out)
{
    btScalar limit = out.getPersistentManifold()->getContactBreakingThreshold();
    nearest_points nearest = find_nearest(a, b, overlaps, known, limit);
    if (nearest.found) {
        add_convex_points(nearest, &a, &b, owned, out);
    }
}

void wri::meet_plane(const btCollisionObjectWrapper &convex, const btCollisionObjectWrapper &plane,
                     btManifoldResult &out)
{
    const btTransform &at = convex.getWorldTransform(), &level = plane.getWorldTransform();
    nearest_points nearest;
    nearest.normal = level.getBasis().getColumn(1);
    btVector3 lowest = at * static_cast<const btConvexShape *>(convex.getCollisionShape())
                                ->localGetSupportingVertex(-nearest.normal * at.getBasis());
    nearest.distance = nearest.normal.dot(lowest - level.getOrigin());
    nearest.point = lowest - nearest.distance * nearest.normal;
    if (nearest.distance < out.getPersistentManifold()->getContactBreakingThreshold()) {
        add_plane_points(nearest, &convex, out);
    }
}

namespace
{

// A pair with a contact cache of its own, unless it is part of one that has it.
class cached_pair : public btActivatingCollisionAlgorithm
{
  public:
    cached_pair(const btCollisionAlgorithmConstructionInfo &info, btPersistentManifold *shared,
                const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                btConvexPenetrationDepthSolver *solver)
        : btActivatingCollisionAlgorithm(info, a, b), overlaps(solver), manifold(shared),
          owned(!shared)
    {
        if (owned) {
            manifold =
                m_dispatcher->getNewManifold(a->getCollisionObject(), b->getCollisionObject());
        }
    }
    ~cached_pair() override
    {
        if (owned) {
            m_dispatcher->releaseManifold(manifold);
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

  protected:
    btConvexPenetrationDepthSolver *overlaps;
    btPersistentManifold *manifold;
    bool owned;
};

class convex_pair : public cached_pair
{
  public:
    convex_pair(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
                const btCollisionObjectWrapper *b, btConvexPenetrationDepthSolver *solver)
        : cached_pair(info, info.m_manifold, a, b, solver), known(btVector3(0, 1, 0))
    {
    }
    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &, btManifoldResult *out) override
    {
        out->setPersistentManifold(manifold);
        if (!separates(*a, *b, known, manifold->getContactBreakingThreshold())) {
            meet(*a, *b, overlaps, known, owned, *out);
        }
        if (owned) {
            out->refreshContactPoints();
        }
    }

  private:
    separation known;
};

// A convex shape and the triangles of a mesh that does not move freely. Every triangle near it has
// an axis of its own, which is remembered from step to step.
class mesh_pair : public cached_pair, private btTriangleCallback
{
  public:
    mesh_pair(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
              const btCollisionObjectWrapper *b, btConvexPenetrationDepthSolver *solver,
              bool mesh_first)
        : cached_pair(info, nullptr, mesh_first ? b : a, mesh_first ? a : b, solver),
          swapped(mesh_first)
    {
    }
    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &, btManifoldResult *result) override
    {
        convex = swapped ? b : a;
        mesh = swapped ? a : b;
        out = result;
        out->setPersistentManifold(manifold);
        const btConcaveShape *shape =
            static_cast<const btConcaveShape *>(mesh->getCollisionShape());
        margin = shape->getMargin();
        btTransform into = mesh->getWorldTransform().inverse() * convex->getWorldTransform();
        convex->getCollisionShape()->getAabb(into, low, high);
        btScalar around = margin + out->m_closestPointDistanceThreshold;
        low -= btVector3(around, around, around);
        high += btVector3(around, around, around);
        last.swap(now);
        now.clear();
        shape->processAllTriangles(this, low, high);
        std::sort(now.begin(), now.end());
        out->refreshContactPoints();
    }

  private:
    struct near_triangle {
        int part, triangle;
        separation known; // of the convex shape and the triangle

        bool operator<(const near_triangle &other) const
        {
            return part != other.part ? part < other.part : triangle < other.triangle;
        }
    };
    bool swapped;
    btScalar margin;
    btVector3 low, high; // of the convex shape, in the mesh's frame
    const btCollisionObjectWrapper *convex, *mesh;
    btManifoldResult *out;
    std::vector<near_triangle> last, now; // by number; last: of the step before

    // The normal, on the side where the convex shape is, where nothing better is known.
    btVector3 first_axis(const btVector3 *corners) const
    {
        btVector3 n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        btScalar length = n.length();
        if (!(length > SIMD_EPSILON)) {
            return btVector3(0, 1, 0);
        }
        btVector3 middle = btScalar(0.5) * (low + high);
        n *= (n.dot(middle - corners[0]) < 0 ? -1 : 1) / length;
        return (mesh->getWorldTransform().getBasis() * n) * convex->getWorldTransform().getBasis();
    }
    void processTriangle(btVector3 *corners, int part, int triangle) override
    {
        if (!TestTriangleAgainstAabb2(corners, low, high)) {
            return;
        }
        near_triangle here = {part, triangle, separation(btVector3(0, 1, 0))};
        std::vector<near_triangle>::const_iterator same =
            std::lower_bound(last.begin(), last.end(), here);
        bool found = same != last.end() && !(here < *same);
        here.known = found ? same->known : separation(first_axis(corners));
        btTriangleShape shape(corners[0], corners[1], corners[2]);
        shape.setMargin(margin);
        btCollisionObjectWrapper wrap(mesh, &shape, mesh->getCollisionObject(),
                                      mesh->getWorldTransform(), part, triangle);
        bool first = out->getBody0Internal() == mesh->getCollisionObject();
        const btCollisionObjectWrapper *before = first ? out->getBody0Wrap() : out->getBody1Wrap();
        if (first) {
            out->setBody0Wrap(&wrap);
            out->setShapeIdentifiersA(part, triangle);
        } else {
            out->setBody1Wrap(&wrap);
            out->setShapeIdentifiersB(part, triangle);
        }
        if (!separates(*convex, wrap, here.known, manifold->getContactBreakingThreshold())) {
            meet(*convex, wrap, overlaps, here.known, false, *out);
        }
        first ? out->setBody0Wrap(before) : out->setBody1Wrap(before);
        now.push_back(here);
    }
};

// Convex, or several pieces that are; a plane counts as a piece here.
bool has_pieces(int kind)
{
    return kind == COMPOUND_SHAPE_PROXYTYPE || kind == STATIC_PLANE_PROXYTYPE ||
           btBroadphaseProxy::isConvex(kind);
}

btDefaultCollisionConstructionInfo pool_sizes()
{
    btDefaultCollisionConstructionInfo sizes;
    sizes.m_customCollisionAlgorithmMaxElementSize =
        std::max((int)std::max(sizeof(convex_pair), sizeof(mesh_pair)), pieces_pair_size());
    return sizes;
}

} // namespace

pair_configuration::pair_configuration()
    : btDefaultCollisionConfiguration(pool_sizes()), convex(m_pdSolver), to_mesh(m_pdSolver),
      from_mesh(m_pdSolver), pieces(m_pdSolver)
{
    from_mesh.m_swapped = true;
}

btCollisionAlgorithmCreateFunc *pair_configuration::getCollisionAlgorithmCreateFunc(int kind_a,
                                                                                    int kind_b)
{
    bool several = kind_a == COMPOUND_SHAPE_PROXYTYPE || kind_b == COMPOUND_SHAPE_PROXYTYPE;
    bool plane = kind_a == STATIC_PLANE_PROXYTYPE || kind_b == STATIC_PLANE_PROXYTYPE;
    if ((several || plane) && has_pieces(kind_a) && has_pieces(kind_b)) {
        return &pieces;
    }
    btCollisionAlgorithmCreateFunc *usual =
        btDefaultCollisionConfiguration::getCollisionAlgorithmCreateFunc(kind_a, kind_b);
    if (usual == m_convexConvexCreateFunc) {
        return &convex;
    }
    if (usual == m_convexConcaveCreateFunc || usual == m_swappedConvexConcaveCreateFunc) {
        return usual == m_convexConcaveCreateFunc ? &to_mesh : &from_mesh;
    }
    return usual;
}

btCollisionAlgorithm *pair_configuration::convex_create::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
    const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(convex_pair));
    return new (place) convex_pair(info, a, b, m_pdSolver);
}

btCollisionAlgorithm *pair_configuration::mesh_create::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
    const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(mesh_pair));
    return new (place) mesh_pair(info, a, b, m_pdSolver, m_swapped);
}
