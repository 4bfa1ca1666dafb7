// bullet_side.h: the flat sides with which two shapes face each other, clipped against each other.
#pragma once

#include <btBulletDynamicsCommon.h>

#include "../base/base.h"

namespace wri
{

const btScalar SIDE_SLOPE = 0.05; // a side may be tilted that much against the contact
const int MOST_CORNERS = 8;       // of a side
const int MOST_CLIPPED = 2 * MOST_CORNERS;

// A contact's own coordinates: two along it, one up from b to a.
struct view {
    btVector3 origin, u, v, n;

    view(const btVector3 &point, const btVector3 &normal) : origin(point), n(normal)
    {
        WR_ASSERT(btFabs(n.length2() - 1) < 1e-3);
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
            WR_ASSERT(count < MOST_CORNERS);
            corner[count++] = p;
        }
    }
};

side find_side(const btCollisionShape &shape, const btTransform &at, const view &seen,
               const btVector3 &out);

// Heights over a side, as of the plane through its corners, or along an edge.
struct slope {
    btVector3 middle, rise;

    explicit slope(const side &s) : middle(0, 0, 0), rise(0, 0, 0)
    {
        btVector3 n(0, 0, 0);
        WR_ASSERT(s.count >= 2);
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

// The part of `s` over the side `over`; an edge keeps what lies along the other edge.
int clip(const side &s, const side &over, btVector3 out[MOST_CLIPPED]);

} // namespace wri
