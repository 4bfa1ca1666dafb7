// bullet_world.cpp: the engine's world: its parts, its step, and what can be read from it.
#include "bullet_world.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

using namespace wri;

namespace
{

const btScalar CONTACT_WARMTH = 1.0; // share of the last forces the solver starts from
const btScalar CONVERGED = 2e-5;     // lengths per second: no sweep follows one that changed less

} // namespace

wri_bullet::wri_bullet(const wri_bullet_desc &d) : desc(d), anchor(0, nullptr, nullptr)
{
    start();
}

wri_bullet::~wri_bullet()
{
    if (!broken) {
        stop();
        return;
    }
    (void)world.release();
    (void)solver.release();
    (void)broadphase.release();
    (void)dispatcher.release();
}

void wri_bullet::start()
{
    WR_ASSERT(!world && desc.iterations > 0);
    dispatcher.reset(new btCollisionDispatcher(&configuration));
    btGImpactCollisionAlgorithm::registerAlgorithm(dispatcher.get());
    broadphase.reset(new tree_broadphase);
    broadphase->getOverlappingPairCache()->setOverlapFilterCallback(&filter);
    solver = make_solver(joints);
    world = make_dynamics(dispatcher.get(), broadphase.get(), solver.get(), &configuration, bodies,
                          pairs);
    world->setGravity(vector3(desc.gravity));
    world->setForceUpdateAllAabbs(false);
    world->getDispatchInfo().m_deterministicOverlappingPairs = true;
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_numIterations = desc.iterations;
    info.m_solverMode |=
        SOLVER_USE_2_FRICTION_DIRECTIONS | SOLVER_DISABLE_VELOCITY_DEPENDENT_FRICTION_DIRECTION;
    info.m_warmstartingFactor = CONTACT_WARMTH;
    info.m_leastSquaresResidualThreshold = CONVERGED * CONVERGED;
    info.m_erp = JOINT_ERP;
    info.m_splitImpulsePenetrationThreshold = -BT_LARGE_FLOAT; // the solver splits by itself
    info.m_restitutionVelocityThreshold = BOUNCE_SPEED;
}

void wri_bullet::stop()
{
    for (joint &j : joints) {
        disconnect(j);
    }
    if (broadphase) {
        broadphase->remove_pairs(dispatcher.get());
    }
    for (body &b : bodies) {
        unplace(b);
        b.rigid.reset();
    }
    world.reset();
    solver.reset();
    broadphase.reset();
    dispatcher.reset();
}

static void *take_memory(size_t size)
{
    const wr_allocator *heap = wr_allocator_default();
    void *memory = heap->alloc(heap->user, size);
    if (!memory) {
        throw std::bad_alloc();
    }
    return memory;
}

static void give_memory(void *memory)
{
    const wr_allocator *heap = wr_allocator_default();
    heap->free(heap->user, memory, 0); // the C library's, which needs no size
}

void wri::use_heap()
{
    static const bool done = (btAlignedAllocSetCustom(take_memory, give_memory), true);
    (void)done;
}

wri_bullet *wri_bullet_create(const wri_bullet_desc *desc)
{
    try {
        use_heap();
        return new wri_bullet(*desc);
    } catch (const std::exception &) {
        return nullptr;
    }
}

bool wri_bullet_is_broken(const wri_bullet *world)
{
    return world->broken;
}

void wri_bullet_destroy(wri_bullet *world)
{
    delete world;
}

// --- the step ---------------------------------------------------------------------------------

static void finish_drive(wri_bullet *world)
{
    for (body &b : world->bodies) {
        if (b.driving) {
            b.rigid->setWorldTransform(b.end);
            b.rigid->setInterpolationWorldTransform(b.end);
            world->world->updateSingleAabb(b.rigid.get());
            b.driving = false;
        }
    }
}

bool wri_bullet_step(wri_bullet *world, double dt)
{
    WR_ASSERT(dt > 0);
    return attempt(world, [=] {
        update_contacts(world);
        for (body &b : world->bodies) {
            refit(b);
        }
        world->world->stepSimulation(dt, 0);
        finish_drive(world);
        for (joint &j : world->joints) {
            if (j.constraint) {
                copy3(j.state.force, j.feedback.m_appliedForceBodyA);
                copy3(j.state.torque[0], j.feedback.m_appliedTorqueBodyA);
                copy3(j.state.torque[1], j.feedback.m_appliedTorqueBodyB);
            }
        }
    });
}

void wri_bullet_read_states(const wri_bullet *world, wri_body_state *states)
{
    for (size_t i = 0; i < world->bodies.size(); i++) {
        if (world->bodies[i].placed) {
            states[i] = read_state(world->bodies[i]);
        }
    }
}

void wri_bullet_read_bounds(wri_bullet *world, int index, double min[3], double max[3])
{
    btVector3 low(0, 0, 0), high(0, 0, 0);
    attempt(world, [&] {
        body &b = world->body_at(index);
        WR_ASSERT(b.rigid);
        refit(b);
        b.rigid->getAabb(low, high);
    });
    copy3(min, low);
    copy3(max, high);
}

namespace
{

// Takes note of the first triangle whose bounds meet the box.
struct any_triangle : public btTriangleCallback {
    btVector3 low, high;
    bool found = false;

    void processTriangle(btVector3 *corners, int, int) override
    {
        found = found || TestTriangleAgainstAabb2(corners, low, high);
    }
};

} // namespace

bool wri_bullet_mesh_is_within(wri_bullet *world, int index, const double min[3],
                               const double max[3])
{
    any_triangle any;
    return attempt(world,
                   [&] {
                       body &b = world->body_at(index);
                       refit(b);
                       WR_ASSERT(b.kind == WRI_BULLET_MESH && min[0] <= max[0] &&
                                 min[1] <= max[1] && min[2] <= max[2]);
                       btVector3 center = 0.5 * (vector3(min) + vector3(max));
                       btVector3 half = 0.5 * (vector3(max) - vector3(min));
                       btTransform box(btMatrix3x3::getIdentity(), center);
                       btTransformAabb(half, b.margin, b.rigid->getWorldTransform().inverse() * box,
                                       any.low, any.high);
                       static_cast<const btConcaveShape *>(b.leaves[0].get())
                           ->processAllTriangles(&any, any.low, any.high);
                   }) &&
           any.found;
}

int wri_bullet_find_within(wri_bullet *world, const double min[3], const double max[3],
                           const int **bodies)
{
    WR_ASSERT(min[0] <= max[0] && min[1] <= max[1] && min[2] <= max[2]);
    if (!attempt(world, [=] {
            world->broadphase->find_within(vector3(min), vector3(max), world->within);
        })) {
        return -1;
    }
    *bodies = world->within.data();
    return (int)world->within.size();
}

int wri_bullet_contact_count(wri_bullet *world)
{
    if (world->broken) {
        return 0;
    }
    update_contacts(world);
    int count = 0;
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        count += world->dispatcher->getManifoldByIndexInternal(i)->getNumContacts();
    }
    return count;
}

static wri_bullet_contact read_contact(const btPersistentManifold *m, const btManifoldPoint &p)
{
    wri_bullet_contact c = {};
    copy3(c.local_a, p.m_localPointA);
    copy3(c.local_b, p.m_localPointB);
    copy3(c.point, p.getPositionWorldOnB());
    copy3(c.normal, p.m_normalWorldOnB);
    copy3(c.friction_a, p.m_lateralFrictionDir1);
    copy3(c.friction_b, p.m_lateralFrictionDir2);
    c.distance = p.getDistance();
    c.impulse = p.m_appliedImpulse;
    c.impulse_a = p.m_appliedImpulseLateral1;
    c.impulse_b = p.m_appliedImpulseLateral2;
    c.restitution = p.m_combinedRestitution;
    c.body_a = m->getBody0()->getUserIndex();
    c.body_b = m->getBody1()->getUserIndex();
    c.part_a = p.m_partId0;
    c.part_b = p.m_partId1;
    c.index_a = p.m_index0;
    c.index_b = p.m_index1;
    c.age = p.m_lifeTime;
    return c;
}

int wri_bullet_read_contacts(const wri_bullet *world, wri_bullet_contact *contacts)
{
    int count = 0;
    for (int i = 0; !world->broken && i < world->dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        for (int j = 0; j < m->getNumContacts(); j++) {
            contacts[count] = read_contact(m, m->getContactPoint(j));
            contacts[count++].manifold = i;
        }
    }
    return count;
}

int wri_bullet_read_supports(const wri_bullet *world, wri_bullet_support *supports, int room)
{
    int count = 0;
    for (int i = 0; !world->broken && i < world->dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        int a = m->getBody0()->getUserIndex(), b = m->getBody1()->getUserIndex();
        bool a_moves = world->body_at(a).desc.motion == WRI_BULLET_MOVING;
        bool b_moves = world->body_at(b).desc.motion == WRI_BULLET_MOVING;
        for (int j = 0; a_moves != b_moves && j < m->getNumContacts(); j++) {
            const btManifoldPoint &p = m->getContactPoint(j);
            if (count < room) {
                wri_bullet_support &s = supports[count];
                const btRigidBody *other =
                    btRigidBody::upcast(a_moves ? m->getBody1() : m->getBody0());
                btVector3 point = a_moves ? p.getPositionWorldOnA() : p.getPositionWorldOnB();
                btVector3 arm = point - other->getCenterOfMassPosition();
                copy3(s.point, point);
                copy3(s.normal, a_moves ? p.m_normalWorldOnB : -p.m_normalWorldOnB);
                copy3(s.velocity, other->getVelocityInLocalPoint(arm));
                s.distance = p.getDistance();
                s.friction = p.m_combinedFriction;
                s.presses = p.m_appliedImpulse > 0;
                s.body = a_moves ? a : b;
                s.order = count;
            }
            count++;
        }
    }
    return count;
}
