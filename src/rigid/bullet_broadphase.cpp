// bullet_broadphase.cpp: boxes that wait, enter a tree, settle and part.
#include "bullet_broadphase.h"

#include "../base/base.h"

#include <algorithm>
#include <cstdint>

using namespace wri;

namespace
{

void link(btDbvtProxy *proxy, btDbvtProxy *&list)
{
    WR_ASSERT(proxy && proxy != list);
    proxy->links[0] = nullptr;
    proxy->links[1] = list;
    if (list) {
        list->links[0] = proxy;
    }
    list = proxy;
}

void unlink(btDbvtProxy *proxy, btDbvtProxy *&list)
{
    WR_ASSERT(proxy->links[0] ? proxy->links[0]->links[1] == proxy : list == proxy);
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

void tree_broadphase::wait(btDbvtProxy *proxy)
{
    proxy->leaf = nullptr;
    proxy->stage = WAITING;
    link(proxy, waiting);
}

btBroadphaseProxy *tree_broadphase::createProxy(const btVector3 &low, const btVector3 &high, int,
                                                void *object, int group, int mask, btDispatcher *)
{
    btDbvtProxy *proxy =
        new (btAlignedAlloc(sizeof(btDbvtProxy), 16)) btDbvtProxy(low, high, object, group, mask);
    proxy->m_uniqueId = ++m_gid;
    wait(proxy);
    return proxy;
}

void tree_broadphase::destroyProxy(btBroadphaseProxy *base, btDispatcher *dispatcher)
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

void tree_broadphase::setAabb(btBroadphaseProxy *base, const btVector3 &low, const btVector3 &high,
                              btDispatcher *dispatcher)
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

void tree_broadphase::enter(btDbvtProxy *proxy, bool still)
{
    btDbvtVolume box = btDbvtVolume::FromMM(proxy->m_aabbMin, proxy->m_aabbMax);
    WR_ASSERT(proxy->stage == WAITING || !still || proxy->leaf);
    proxy->leaf = m_sets[still ? FIXED_SET : DYNAMIC_SET].insert(box, proxy);
    proxy->stage = still ? STAGECOUNT : m_stageCurrent;
    link(proxy, m_stageRoots[proxy->stage]);
}

void tree_broadphase::enter_waiting()
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

// Moves bodies that have not moved for two steps to the other tree.
void tree_broadphase::settle()
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

void tree_broadphase::calculateOverlappingPairs(btDispatcher *dispatcher)
{
    enter_waiting();
    settle();
    btBroadphasePairArray &pairs = m_paircache->getOverlappingPairArray();
    for (int i = pairs.size() - 1; i >= 0; i--) {
        btDbvtProxy *a = static_cast<btDbvtProxy *>(pairs[i].m_pProxy0);
        btDbvtProxy *b = static_cast<btDbvtProxy *>(pairs[i].m_pProxy1);
        WR_ASSERT(a->leaf && b->leaf); // nothing waits any more
        if (!Intersect(a->leaf->volume, b->leaf->volume)) {
            m_paircache->removeOverlappingPair(a, b, dispatcher);
        }
    }
}

void tree_broadphase::find_within(const btVector3 &low, const btVector3 &high,
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
    WR_ASSERT(std::adjacent_find(out.begin(), out.end()) == out.end()); // each in one tree
}

void tree_broadphase::renew_pair(btBroadphaseProxy *one, btBroadphaseProxy *other,
                                 btDispatcher *dispatcher)
{
    btDbvtProxy *a = static_cast<btDbvtProxy *>(one), *b = static_cast<btDbvtProxy *>(other);
    if (is_older(b, a)) {
        std::swap(a, b);
    }
    WR_ASSERT(is_older(a, b));
    m_paircache->removeOverlappingPair(a, b, dispatcher);
    if (a->leaf && b->leaf && Intersect(a->leaf->volume, b->leaf->volume)) {
        m_paircache->addOverlappingPair(a, b);
    }
}

void tree_broadphase::remove_pairs(btDispatcher *dispatcher)
{
    btBroadphasePairArray &pairs = m_paircache->getOverlappingPairArray();
    while (pairs.size() > 0) {
        btBroadphasePair last = pairs[pairs.size() - 1];
        m_paircache->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, dispatcher);
    }
}
