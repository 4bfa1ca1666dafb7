// bullet_dynamics.cpp: what a step of Bullet's world does otherwise: contacts are prepared for the
// solver, and bodies turn freely.
#include "bullet_world.h"

#include <BulletCollision/CollisionShapes/btTriangleShape.h>

#include "../math/elementary.h"

using namespace wri;

namespace
{

const btScalar CONTACT_HERTZ = 30;    // resting contacts are springs of this frequency ...
const btScalar CONTACT_DAMPING = 10;  // ... and damping ratio,
const btScalar CONTACT_SHARE = 0.25;  // but at most this share of the step rate
const btScalar FRICTION_LIMIT = 10;   // Bullet's own
const btScalar SAME_NORMAL = 0.99999; // cosine between normals that are taken for the same

const btScalar SLEEP_SPEED = 0.02; // lengths per second
const btScalar SLEEP_SPIN = 0.03;  // radians per second
const btScalar SHAKING = 5;        // what stays in its place may be that much faster
const btScalar MOMENTS = 0.25;     // seconds over which the mean of a velocity is taken

const wri_bullet_body &desc_of(const std::vector<body> &bodies, const btCollisionObject *object)
{
    return bodies[(size_t)object->getUserIndex()].desc;
}

// The rotation by the length of v about it.
btQuaternion turn_by(const btVector3 &v)
{
    btScalar angle = v.length(), sine, cosine;
    wri_sin_cos_fine(angle / 2, &sine, &cosine);
    btScalar s = angle > 1e-9 ? sine / angle : 0.5;
    return btQuaternion(s * v.x(), s * v.y(), s * v.z(), cosine);
}

// The orientation, after dt, of a body that nothing holds. Euler's equations for the momentum p in
// the body's frame, p' = p × w, by the implicit midpoint rule, which keeps |p| and the energy
// p·w / 2; the basis is then set right so that it carries p to the momentum l in the world. Nobody
// can see where a body stands that turns by hundreds of radians within dt: time is cut short then.
btMatrix3x3 free_turn(const btMatrix3x3 &basis, const btVector3 &l,
                      const btVector3 &inverse_inertia, btScalar dt)
{
    const btScalar most = 0.2; // radians at once: farther, the rounds below would not converge
    const btScalar most_substeps = 4096;
    WR_ASSERT(dt > 0);
    btVector3 p = l * basis, w = inverse_inertia * p;
    btScalar turn = w.length() * dt;
    int substeps = (int)btMin(turn / most, most_substeps) + 1;
    btScalar h = btMin(dt / substeps, dt * most / btMax(turn, most));
    btQuaternion q;
    basis.getRotation(q);
    for (int i = 0; i < substeps; i++) {
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
                  btCollisionConfiguration *c, std::vector<body> &list,
                  const std::vector<wri_surface_pair> &described)
        : btDiscreteDynamicsWorld(d, p, s, c), bodies(list), pairs(described)
    {
    }

    void addRigidBody(btRigidBody *b, int group, int collides) override
    {
        btDiscreteDynamicsWorld::addRigidBody(b, group, collides);
        if (b->getCollisionShape()->getShapeType() == STATIC_PLANE_PROXYTYPE) {
            planes.push_back(b);
        }
    }

    void removeRigidBody(btRigidBody *b) override
    {
        planes.remove(b);
        btDiscreteDynamicsWorld::removeRigidBody(b);
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
        for (const body &b : bodies) {
            if (b.placed && b.compound) {
                b.compound->find_boxes(b.rigid->getWorldTransform());
            }
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
    // Where bodies will be is of no interest to anybody: they are only damped.
    void predictUnconstraintMotion(btScalar dt) override
    {
        for (int i = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (is_moved(b)) {
                const wri_bullet_body &desc = desc_of(bodies, &b);
                b.setLinearVelocity(b.getLinearVelocity() * damp(desc.linear_damping, dt));
                b.setAngularVelocity(b.getAngularVelocity() * damp(desc.angular_damping, dt));
            }
        }
    }

    // A body that turns freely keeps its energy and I w, not w. Bullet's gyroscopic terms lose some
    // of both in every step, and it turns no body by more than 45 degrees. Here Bullet moves bodies
    // without turning them; w afterwards is that of I w before.
    void integrateTransforms(btScalar dt) override
    {
        before.resize(0);
        for (int i = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (is_moved(b)) {
                const btMatrix3x3 &basis = b.getWorldTransform().getBasis();
                before.push_back(
                    {b.getCenterOfMassPosition(),
                     basis * ((b.getAngularVelocity() * basis) / b.getInvInertiaDiagLocal())});
                b.setAngularVelocity(btVector3(0, 0, 0));
            }
        }
        btDiscreteDynamicsWorld::integrateTransforms(dt);
        for (int i = 0, next = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (is_moved(b)) {
                WR_ASSERT(next < before.size());
                const btVector3 start = before[next].position, l = before[next].angular_momentum;
                const btVector3 inverse = b.getInvInertiaDiagLocal();
                next++;
                btTransform at = b.getWorldTransform();
                at.setBasis(free_turn(at.getBasis(), l, inverse, dt));
                b.setAngularVelocity(at.getBasis() * (inverse * (l * at.getBasis())));
                stop_at_planes(b, start, dt, at);
                b.proceedToTransform(at);
            }
        }
    }

    // What rocks from one point of its contacts to another hardly moves on the whole, but never has
    // a second of calm: it sleeps by the mean of its velocity. Bullet wants two seconds of calm,
    // here it is one.
    void updateActivationState(btScalar dt) override
    {
        btScalar share = btMin(dt / MOMENTS, btScalar(1));
        for (int i = 0; i < m_nonStaticRigidBodies.size(); i++) {
            btRigidBody &b = *m_nonStaticRigidBodies[i];
            if (is_moved(b)) {
                body &own = bodies[(size_t)b.getUserIndex()];
                own.mean_velocity += share * (b.getLinearVelocity() - own.mean_velocity);
                own.mean_angular_velocity +=
                    share * (b.getAngularVelocity() - own.mean_angular_velocity);
                bool stays = own.mean_velocity.length() < SLEEP_SPEED &&
                             own.mean_angular_velocity.length() < SLEEP_SPIN;
                btScalar times = stays ? SHAKING : 1;
                b.setSleepingThresholds(times * SLEEP_SPEED, times * SLEEP_SPIN);
            }
        }
        btDiscreteDynamicsWorld::updateActivationState(2 * dt);
    }

    void saveKinematicState(btScalar) override
    {
        // wri_bullet_drive has set the velocities
    }

  private:
    std::vector<body> &bodies;
    const std::vector<wri_surface_pair> &pairs;
    struct motion {
        btVector3 position, angular_momentum;
    };
    btAlignedObjectArray<btRigidBody *> planes;
    btAlignedObjectArray<motion> before; // the step, of all bodies that are moved

    // Solids are pushed out of what lies behind a plane, so that no step has to be cut for them;
    // but a fast one would be deep behind it for a while. It is held where it touches the plane,
    // with the speed it had there, and bounces in the next step.
    void stop_at_planes(btRigidBody &b, const btVector3 &start, btScalar dt, btTransform &at)
    {
        const wri_bullet_body &desc = desc_of(bodies, &b);
        if ((at.getOrigin() - start).length2() <= desc.radius * desc.radius) {
            return;
        }
        for (int i = 0; i < planes.size(); i++) {
            btRigidBody &plane = *planes[i];
            if (!getPairCache()->getOverlapFilterCallback()->needBroadphaseCollision(
                    plane.getBroadphaseProxy(), b.getBroadphaseProxy())) {
                continue;
            }
            btVector3 n = plane.getWorldTransform().getBasis().getColumn(1), low, high;
            b.getCollisionShape()->getAabb(at, low, high);
            btVector3 lowest(n.x() > 0 ? low.x() : high.x(), n.y() > 0 ? low.y() : high.y(),
                             n.z() > 0 ? low.z() : high.z());
            btScalar reach = n.dot(at.getOrigin() - lowest);
            btScalar from = n.dot(start - plane.getWorldTransform().getOrigin());
            btScalar to = n.dot(at.getOrigin() - plane.getWorldTransform().getOrigin());
            btScalar nearest = btMin(from, reach);
            if (from > 0 && to < nearest) {
                btScalar late = dt * (nearest - to) / (from - to);
                b.setLinearVelocity(b.getLinearVelocity() - late * n.dot(b.getGravity()) * n);
                at.setOrigin(at.getOrigin() + (nearest - to) * n);
            }
        }
    }

    static bool is_moved(const btRigidBody &b)
    {
        return b.isActive() && !b.isStaticOrKinematicObject();
    }

    // The share of a velocity that is left after dt. rate: per second.
    static btScalar damp(double rate, btScalar dt)
    {
        return rate > 0 ? wri_exp(-rate * dt) : 1;
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
    // from one edge to the other. Impacts stay hard, so that they bounce as they should. phase is
    // the angle w dt of the contact's spring. E. Catto. Soft constraints. GDC 2011.
    static void soften(btManifoldPoint &p, const wri_bullet_body &a, const wri_bullet_body &b,
                       bool is_impact, btScalar dt)
    {
        btScalar mass = btMax(a.motion == WRI_BULLET_MOVING ? a.mass : 0,
                              b.motion == WRI_BULLET_MOVING ? b.mass : 0);
        WR_ASSERT(mass > 0 && dt > 0);
        btScalar phase = SIMD_2_PI * btMin(CONTACT_HERTZ * dt, CONTACT_SHARE);
        btScalar damped = 2 * CONTACT_DAMPING + phase;
        p.m_contactERP = is_impact ? 0 : phase / damped;
        p.m_contactCFM = is_impact ? 0 : dt / (mass * phase * damped);
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
        WR_ASSERT(a.friction >= 0 && b.friction >= 0 && a.restitution <= 1 && b.restitution <= 1);
        wri_contact_surface surface = combine(pairs, a, b);
        btScalar rolling = btMax(a.rolling, b.rolling) * btMin(a.radius, b.radius);
        for (int i = manifold.getNumContacts() - 1; i >= 0; i--) {
            if (manifold.getContactPoint(i).m_contactPointFlags & STALE_POINT) {
                manifold.removeContactPoint(i);
            }
        }
        smooth_edges(manifold);
        for (int i = 0; i < manifold.getNumContacts(); i++) {
            btManifoldPoint &p = manifold.getContactPoint(i);
            p.m_combinedFriction = btMin(FRICTION_LIMIT, surface.friction);
            p.m_combinedRollingFriction = rolling;
            p.m_combinedSpinningFriction = rolling;
            btScalar speed = closing_speed(manifold, p);
            bool is_impact = speed > BOUNCE_SPEED && speed * dt > p.getDistance();
            p.m_combinedRestitution = is_impact ? surface.restitution : 0;
            if (p.getDistance() > 0 && p.m_combinedRestitution > 0) {
                p.setDistance(0);
            }
            // Friction at two points, a gap or an overlap apart, would be a couple from nowhere.
            p.m_positionWorldOnB = btScalar(0.5) * (p.m_positionWorldOnA + p.m_positionWorldOnB);
            p.m_positionWorldOnA = p.m_positionWorldOnB;
            soften(p, a, b, is_impact, dt);
        }
    }
};

} // namespace

std::unique_ptr<btDiscreteDynamicsWorld>
wri::make_dynamics(btDispatcher *dispatcher, btBroadphaseInterface *broadphase,
                   btConstraintSolver *solver, btCollisionConfiguration *configuration,
                   std::vector<body> &bodies, const std::vector<wri_surface_pair> &pairs)
{
    return std::unique_ptr<btDiscreteDynamicsWorld>(
        new contact_world(dispatcher, broadphase, solver, configuration, bodies, pairs));
}
