// bullet_side.cpp: sides of polyhedra, capsules and cylinders; clipping.
#include "bullet_side.h"

#include <algorithm>

#include "bullet_hull.h"

using namespace wri;

namespace
{

const btScalar SIDE_RISE = 0.02; // the end of a side may be that much above the contact; lengths

btScalar cross(const btVector3 &a, const btVector3 &b)
{
    return a.x() * b.y() - a.y() * b.x();
}

bool is_left_of(const btVector3 &a, const btVector3 &b)
{
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
}

// The corners in order around the convex polygon they span, counter-clockwise (A. Andrew. Another
// efficient algorithm for convex hulls in two dimensions. 1979). Those of a side that is a little
// curved are found in no order: as a polygon they would cross themselves.
void make_convex(side &s)
{
    btVector3 sorted[MOST_CORNERS], hull[2 * MOST_CORNERS];
    for (int i = 0; i < s.count; i++) {
        int k = i;
        for (; k > 0 && is_left_of(s.corner[i], sorted[k - 1]); k--) {
            sorted[k] = sorted[k - 1];
        }
        sorted[k] = s.corner[i];
    }
    int kept = 0;
    for (int pass = 0; pass < 2; pass++) { // below, from left to right, and above, back
        int first = kept;
        for (int i = 0; i < s.count; i++) {
            const btVector3 &p = sorted[pass == 0 ? i : s.count - 1 - i];
            while (kept >= first + 2 &&
                   cross(hull[kept - 1] - hull[kept - 2], p - hull[kept - 2]) <= 0) {
                kept--;
            }
            hull[kept++] = p;
        }
        kept--; // the end of one is the start of the other
    }
    s.count = btMin(kept, MOST_CORNERS);
    std::copy(hull, hull + s.count, s.corner);
}

// Polygons that are hardly wider than a line are lines, lines without length are nothing.
void straighten(side &s)
{
    if (s.count > 2) {
        make_convex(s);
    }
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
    } else if (s.count > 2 && area < 1e-3 * longest) {
        btVector3 ends[2] = {s.corner[from], s.corner[to]};
        s.count = 2;
        s.corner[0] = ends[0];
        s.corner[1] = ends[1];
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
        static const btScalar cosine[8] = {1,  SIMDSQRT12,  0, -SIMDSQRT12,
                                           -1, -SIMDSQRT12, 0, SIMDSQRT12};
        for (int i = 0; i < 8; i++) {
            btVector3 p(half.x() * cosine[i], d.y() > 0 ? half.y() : -half.y(),
                        half.x() * cosine[(i + 6) % 8]);
            s.add(seen.into(at * p + skin));
        }
    } else if (btFabs(d.y()) < 0.3) {
        btVector3 across = btVector3(d.x(), 0, d.z()).normalized() * half.x();
        btVector3 up(0, half.y(), 0);
        s.add(seen.into(at * (across + up) + skin));
        s.add(seen.into(at * (across - up) + skin));
    }
}

} // namespace

side wri::find_side(const btCollisionShape &shape, const btTransform &at, const view &seen,
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

namespace
{

// Sutherland and Hodgman: the part of a polygon left of the line at p along d.
int clip_to_line(const btVector3 &p, const btVector3 &d, const btVector3 *in, int count,
                 btVector3 *out)
{
    int kept = 0;
    WR_ASSERT(count <= MOST_CLIPPED);
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

} // namespace

int wri::clip(const side &s, const side &over, btVector3 out[MOST_CLIPPED])
{
    btVector3 other[MOST_CLIPPED];
    int count = s.count;
    WR_ASSERT(s.count >= 2 && over.count >= 2);
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
