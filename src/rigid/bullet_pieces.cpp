// bullet_pieces.cpp: the pairs of convex pieces of two bodies.
#include "bullet_pieces.h"

#include <algorithm>
#include <new>

#include "../base/base.h"
#include "bullet_pair.h"

using namespace wri;

void pieces_shape::find_boxes(const btTransform &body)
{
    if (!boxes.empty() && at == body) {
        return;
    }
    WR_ASSERT(getNumChildShapes() > 0);
    at = body;
    pieces = body * getChildTransform(0);
    boxes.resize((size_t)getNumChildShapes());
    for (int i = 0; i < getNumChildShapes(); i++) {
        piece_box &box = boxes[(size_t)i];
        WR_ASSERT(getChildTransform(i) == getChildTransform(0));
        getChildShape(i)->getAabb(pieces, box.low, box.high);
        whole = i == 0 ? box : whole;
        whole.low.setMin(box.low);
        whole.high.setMax(box.high);
    }
}

namespace
{

// The pieces of a body of several, or the one of another.
struct pieces_of {
    const btCollisionObjectWrapper *wrap;
    const pieces_shape *several; // null: one
    piece_box whole;

    explicit pieces_of(const btCollisionObjectWrapper *w)
        : wrap(w), several(w->getCollisionShape()->isCompound()
                               ? static_cast<const pieces_shape *>(w->getCollisionShape())
                               : nullptr)
    {
        if (several) {
            whole = several->whole_box();
        } else {
            wrap->getCollisionShape()->getAabb(wrap->getWorldTransform(), whole.low, whole.high);
        }
    }
    int count() const
    {
        return several ? (int)several->piece_boxes().size() : 1;
    }
    const piece_box &box(int i) const
    {
        return several ? several->piece_boxes()[(size_t)i] : whole;
    }
    btCollisionObjectWrapper piece(int i) const
    {
        return btCollisionObjectWrapper(
            wrap, several ? several->getChildShape(i) : wrap->getCollisionShape(),
            wrap->getCollisionObject(),
            several ? several->piece_transform() : wrap->getWorldTransform(), -1, several ? i : -1);
    }
};

btScalar breaking_threshold(const btCollisionObjectWrapper *w)
{
    return w->getCollisionShape()->getContactBreakingThreshold(gContactBreakingThreshold);
}

class pieces_pair : public btActivatingCollisionAlgorithm
{
  public:
    pieces_pair(const btCollisionAlgorithmConstructionInfo &info, const btCollisionObjectWrapper *a,
                const btCollisionObjectWrapper *b, btConvexPenetrationDepthSolver *solver)
        : btActivatingCollisionAlgorithm(info, a, b), overlaps(solver)
    {
    }
    ~pieces_pair() override
    {
        for (near_pair &pair : now) {
            release(pair);
        }
    }
    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &, btManifoldResult *out) override
    {
        pieces_of first(a), second(b);
        limit = btMin(breaking_threshold(a), breaking_threshold(b));
        last.swap(now);
        now.clear();
        size_t known = 0;
        near_second.clear();
        for (int j = second.count() - 1; j >= 0; j--) {
            if (second.box(j).meets(first.whole)) {
                near_second.push_back(j);
            }
        }
        for (int i = first.count() - 1; i >= 0; i--) {
            if (!first.box(i).meets(second.whole)) {
                continue;
            }
            for (int j : near_second) {
                if (first.box(i).meets(second.box(j))) {
                    now.push_back(recall({i, j, separation(btVector3(0, 1, 0)), nullptr}, known));
                    meet_pieces(first.piece(i), second.piece(j), *out);
                }
            }
        }
        while (known < last.size()) {
            release(last[known++]);
        }
        out->setBody0Wrap(a);
        out->setBody1Wrap(b);
    }
    btScalar calculateTimeOfImpact(btCollisionObject *, btCollisionObject *,
                                   const btDispatcherInfo &, btManifoldResult *) override
    {
        return 1; // fast bodies take shorter steps instead
    }
    void getAllContactManifolds(btManifoldArray &all) override
    {
        for (near_pair &pair : now) {
            if (pair.manifold) {
                all.push_back(pair.manifold);
            }
        }
    }

  private:
    // Two pieces whose boxes meet.
    struct near_pair {
        int a, b;
        separation known;
        btPersistentManifold *manifold; // null: they do not touch

        bool operator<(const near_pair &other) const
        {
            return a != other.a ? a > other.a : b > other.b;
        }
    };
    btConvexPenetrationDepthSolver *overlaps;
    btScalar limit;                   // points farther apart do not count
    std::vector<near_pair> last, now; // from the last to the first; last: of the step before
    std::vector<int> near_second;     // pieces of the second body near the first; likewise

    void release(near_pair &pair)
    {
        if (pair.manifold) {
            m_dispatcher->releaseManifold(pair.manifold);
            pair.manifold = nullptr;
        }
    }
    // The pair as it was in the last step, if it is known, and gives up those before it.
    near_pair recall(const near_pair &wanted, size_t &known)
    {
        while (known < last.size() && last[known] < wanted) {
            release(last[known++]);
        }
        return known < last.size() && !(wanted < last[known]) ? last[known++] : wanted;
    }
    void meet_pieces(const btCollisionObjectWrapper &a, const btCollisionObjectWrapper &b,
                     btManifoldResult &out)
    {
        near_pair &pair = now.back();
        if (separates(a, b, pair.known, limit)) {
            release(pair);
            return;
        }
        if (!pair.manifold) {
            pair.manifold =
                m_dispatcher->getNewManifold(a.getCollisionObject(), b.getCollisionObject());
        }
        out.setPersistentManifold(pair.manifold);
        out.setBody0Wrap(&a);
        out.setBody1Wrap(&b);
        out.setShapeIdentifiersA(-1, a.m_index);
        out.setShapeIdentifiersB(-1, b.m_index);
        meet(a, b, overlaps, pair.known, true, out);
        out.refreshContactPoints();
        if (pair.manifold->getNumContacts() == 0) {
            release(pair);
        }
    }
};

// A plane is below all pieces whose boxes do not reach it.
class plane_pair : public btCollisionAlgorithm
{
  public:
    plane_pair(const btCollisionAlgorithmConstructionInfo &info, bool plane_first)
        : btCollisionAlgorithm(info), swapped(plane_first)
    {
    }
    ~plane_pair() override
    {
        for (btPersistentManifold *&manifold : manifolds) {
            release(manifold);
        }
    }
    void processCollision(const btCollisionObjectWrapper *a, const btCollisionObjectWrapper *b,
                          const btDispatcherInfo &, btManifoldResult *out) override
    {
        const btCollisionObjectWrapper *plane = swapped ? a : b;
        pieces_of body(swapped ? b : a);
        btScalar limit = btMin(breaking_threshold(a), breaking_threshold(b));
        manifolds.resize((size_t)body.count(), nullptr);
        for (int i = 0; i < body.count(); i++) {
            btPersistentManifold *&manifold = manifolds[(size_t)i];
            if (height(body.box(i), plane->getWorldTransform()) > limit) {
                release(manifold);
            } else {
                meet_piece(body.piece(i), *plane, manifold, *out);
            }
        }
        out->setBody0Wrap(a);
        out->setBody1Wrap(b);
    }
    btScalar calculateTimeOfImpact(btCollisionObject *, btCollisionObject *,
                                   const btDispatcherInfo &, btManifoldResult *) override
    {
        return 1;
    }
    void getAllContactManifolds(btManifoldArray &all) override
    {
        for (btPersistentManifold *manifold : manifolds) {
            if (manifold) {
                all.push_back(manifold);
            }
        }
    }

  private:
    bool swapped;
    std::vector<btPersistentManifold *> manifolds; // of the pieces; null: it does not touch

    void release(btPersistentManifold *&manifold)
    {
        if (manifold) {
            m_dispatcher->releaseManifold(manifold);
            manifold = nullptr;
        }
    }
    // Of the lowest corner above a plane.
    static btScalar height(const piece_box &box, const btTransform &plane)
    {
        btVector3 n = plane.getBasis().getColumn(1), half = btScalar(0.5) * (box.high - box.low);
        return n.dot(btScalar(0.5) * (box.high + box.low) - plane.getOrigin()) -
               n.absolute().dot(half);
    }
    void meet_piece(const btCollisionObjectWrapper &piece, const btCollisionObjectWrapper &plane,
                    btPersistentManifold *&manifold, btManifoldResult &out)
    {
        if (!manifold) {
            manifold = m_dispatcher->getNewManifold(piece.getCollisionObject(),
                                                    plane.getCollisionObject());
        }
        out.setPersistentManifold(manifold);
        swapped ? out.setBody1Wrap(&piece) : out.setBody0Wrap(&piece);
        swapped ? out.setShapeIdentifiersB(-1, piece.m_index)
                : out.setShapeIdentifiersA(-1, piece.m_index);
        meet_plane(piece, plane, out);
        out.refreshContactPoints();
        if (manifold->getNumContacts() == 0) {
            release(manifold);
        }
    }
};

} // namespace

int wri::pieces_pair_size()
{
    return (int)std::max(sizeof(pieces_pair), sizeof(plane_pair));
}

btCollisionAlgorithm *
pieces_create::CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo &info,
                                        const btCollisionObjectWrapper *a,
                                        const btCollisionObjectWrapper *b)
{
    void *place = info.m_dispatcher1->allocateCollisionAlgorithm(pieces_pair_size());
    bool to = b->getCollisionShape()->getShapeType() == STATIC_PLANE_PROXYTYPE;
    bool from = a->getCollisionShape()->getShapeType() == STATIC_PLANE_PROXYTYPE;
    return to || from ? static_cast<btCollisionAlgorithm *>(new (place) plane_pair(info, from))
                      : new (place) pieces_pair(info, a, b, overlaps);
}
