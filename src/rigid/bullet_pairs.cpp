// bullet_pairs.cpp: the pairs of bullet_pairs.h.
#include "bullet_pairs.h"

#include <algorithm>
#include <cmath>

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

// Corners farthest out in directions a little off `out`, all around.
void find_polyhedron_side(const btConvexShape &shape, const btTransform &at, const view &seen,
                          const btVector3 &out, side &s)
{
    static const btScalar ring[8][2] = {
        {1, 0},  {SIMDSQRT12, SIMDSQRT12},   {0, 1},  {-SIMDSQRT12, SIMDSQRT12},
        {-1, 0}, {-SIMDSQRT12, -SIMDSQRT12}, {0, -1}, {SIMDSQRT12, -SIMDSQRT12}};
    btScalar slope = btMin(SIDE_SLOPE, SIDE_RISE / shape.getAngularMotionDisc());
    btVector3 skin = shape.getMargin() * out;
    for (int i = 0; i < 8; i++) {
        btVector3 d = out + slope * (ring[i][0] * seen.u + ring[i][1] * seen.v);
        btVector3 p = shape.localGetSupportingVertexWithoutMargin(d * at.getBasis());
        s.add(seen.into(at * p + skin));
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

class convex_pair : public btConvexConvexAlgorithm
{
  public:
    using btConvexConvexAlgorithm::btConvexConvexAlgorithm;

    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &info, btManifoldResult *out) override
    {
        closest nearest(a, b);
        nearest.m_closestPointDistanceThreshold = out->m_closestPointDistanceThreshold;
        btConvexConvexAlgorithm::processCollision(a, b, info, &nearest);
        out->setPersistentManifold(nearest.getPersistentManifold());
        if (nearest.found) {
            add_convex_points(nearest, a, b, *out);
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

static_assert(sizeof(convex_pair) == sizeof(btConvexConvexAlgorithm) &&
                  sizeof(plane_pair) == sizeof(btConvexPlaneCollisionAlgorithm),
              "Bullet's pool has room for its own algorithms");

} // namespace

wri_pair_configuration::wri_pair_configuration() : convex(m_pdSolver)
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
    return new (place) convex_pair(info.m_manifold, info, a, b, m_pdSolver, 0, 0);
}

btCollisionAlgorithm *wri_pair_configuration::plane_create::CreateCollisionAlgorithm(
    btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
    const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(sizeof(plane_pair));
    return new (place) plane_pair(nullptr, info, a, b, m_swapped, 0, 0);
}
