// bullet_rebuild.cpp: the engine starts anew from descriptions, states and a contact cache.
#include "bullet_world.h"

#include <algorithm>

using namespace wri;

namespace
{

// Names the manifold that a point belongs to: the bodies and, for hulls, the pieces. A mesh has one
// manifold for all its triangles.
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
    WR_ASSERT(a >= 0 && a < (int)bodies.size() && b >= 0 && b < (int)bodies.size());
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
        WR_ASSERT(!used[found]);
        used[found] = 1;
        manifolds[found].manifold->clearManifold();
        for (int i = first; i < last && i - first < MANIFOLD_CACHE_SIZE; i++) {
            manifolds[found].manifold->addManifoldPoint(cached_point(contacts[i]));
        }
    }
}

void wri_bullet_describe_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    world->body_at(index).desc = *desc;
}

void wri_bullet_describe_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    world->joint_at(index).desc = *desc;
}

bool wri_bullet_rebuild(wri_bullet *world, const wri_body_state *states,
                        const wri_joint_state *joints, const wri_bullet_contact *contacts,
                        int contact_count)
{
    WR_ASSERT(contact_count >= 0);
    return attempt(world, [=] {
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
    });
}
