// bullet_hull.h: a convex piece whose points can be overwritten.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "../base/base.h"

namespace wri
{

// A hull that looks for its farthest point in single precision, four at a time, and decides in
// double between those that come close: without that the normal between two flat sides tilts.
class hull_shape final : public btConvexHullShape
{
  public:
    hull_shape()
    {
        m_shapeType = CUSTOM_POLYHEDRAL_SHAPE_TYPE; // or Bullet does not ask
    }
    // Must be called when all points are there.
    void renew(double margin)
    {
        size_t count = (size_t)getNumPoints();
        WR_ASSERT(count > 0 && margin >= 0);
        groups.resize((count + 3) / 4);
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
    // Puts as many points elsewhere.
    void move(const double (*points)[3], double margin)
    {
        btScalar farthest = 0;
        for (int i = 0; i < getNumPoints(); i++) {
            btVector3 to(points[i][0], points[i][1], points[i][2]);
            farthest = btMax(farthest, to.distance2(getUnscaledPoints()[i]));
            getUnscaledPoints()[i] = to;
        }
        travel += btSqrt(farthest);
        renew(margin);
    }
    // No point has moved farther than this has grown since.
    btScalar travelled() const
    {
        return travel;
    }
    // The box has the margin twice, as Bullet's own: bodies are found a little before they touch.
    void getAabb(const btTransform &at, btVector3 &low, btVector3 &high) const override
    {
        btVector3 margin(getMargin(), getMargin(), getMargin());
        btTransformAabb(middle - half - margin, middle + half + margin, getMargin(), at, low, high);
    }
    btVector3 localGetSupportingVertexWithoutMargin(const btVector3 &d) const override
    {
        btVector3 found;
        first_reaches reaches;
        float most = look(d, reaches);
        btVector3 sizes = d.absolute(); // their sum is no less than the length
        btScalar rounding = ROUNDING * radius * (sizes.x() + sizes.y() + sizes.z());
        decide(&d, 1, d, reaches, most - (float)rounding, &found);
        return found;
    }
    // The same for several directions that differ from d by at most `slope`.
    void find_around(const btVector3 &d, btScalar slope, const btVector3 *around, int count,
                     btVector3 *found) const
    {
        first_reaches reaches;
        float most = look(d, reaches);
        decide(around, count, d, reaches, most - (float)((2 * slope + ROUNDING) * radius), found);
    }
    // No point reaches farther along d.
    btScalar bound(const btVector3 &d) const
    {
        return d.dot(middle) + d.absolute().dot(half);
    }

  private:
    typedef float four __attribute__((vector_size(16)));
    typedef int64_t halves __attribute__((vector_size(16)));
    static constexpr btScalar ROUNDING = 1e-6;
    struct group {
        four row[3]; // x, y, z; the last group is filled up with the first point

        four along(const btVector3 &d) const
        {
            return row[0] * (float)d.x() + row[1] * (float)d.y() + row[2] * (float)d.z();
        }
    };
    std::vector<group> groups;
    // How far the points of the first groups reach: few shapes have more.
    static constexpr size_t FIRST = 64;
    typedef four first_reaches[FIRST];
    btScalar radius;        // around the origin
    btScalar travel = 0;    // of points, the farthest of every move
    btVector3 middle, half; // of the box

    // Returns how far the points reach along d.
    float look(const btVector3 &d, first_reaches &reaches) const
    {
        four best = four{} - INFINITY;
        size_t first = groups.size() < FIRST ? groups.size() : FIRST;
        for (size_t i = 0; i < first; i++) {
            reaches[i] = groups[i].along(d);
            best = reaches[i] > best ? reaches[i] : best;
        }
        for (size_t i = first; i < groups.size(); i++) {
            four along = groups[i].along(d);
            best = along > best ? along : best;
        }
        return btMax(btMax(best[0], best[1]), btMax(best[2], best[3]));
    }
    // Decides in full precision among the points that reach far enough along `main`.
    void decide(const btVector3 *d, int count, const btVector3 &main, const first_reaches &reaches,
                float enough, btVector3 *found) const
    {
        WR_ASSERT(count >= 1 && count <= 8);
        btScalar most[8] = {-BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT,
                            -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT, -BT_LARGE_FLOAT};
        for (int j = 0; j < count; j++) {
            found[j] = getUnscaledPoints()[0];
        }
        for (size_t i = 0; i < groups.size(); i++) {
            four along = i < FIRST ? reaches[i] : groups[i].along(main);
            halves any = (halves)(along >= enough);
            for (int k = 0; (any[0] | any[1]) && k < 4; k++) {
                if (!(along[k] >= enough)) {
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

} // namespace wri
