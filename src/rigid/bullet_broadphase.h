// bullet_broadphase.h: which bodies may touch: boxes in two trees, one for those that move.
//
// Differences from btDbvtBroadphase:
// - New boxes, and those that begin to move, wait until somebody asks, and then enter their tree in
//   a shuffled order. A row of boxes that enter from one end to the other makes Bullet's tree a
//   list, and ten thousand of them take minutes.
// - Immovable bodies go straight to the tree of those that do not move.
// - Pairs end as soon as their boxes part. Bullet looks at a few per step and swaps nodes by their
//   address, so that how long a pair lives depends on where memory happened to be.
#pragma once

#include <vector>

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace wri
{

class tree_broadphase : public btDbvtBroadphase
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
    // Must be called after the filter has changed its mind about two bodies.
    void renew_pair(btBroadphaseProxy *one, btBroadphaseProxy *other, btDispatcher *dispatcher);
    // Saves time before many bodies are removed, each of which would look at all pairs.
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

} // namespace wri
