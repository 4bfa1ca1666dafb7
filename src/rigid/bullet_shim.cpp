// bullet_shim.cpp: Bullet behind plain data; C++ stays in the files src/rigid/bullet_*.
//
// What differs from a plain btDiscreteDynamicsWorld, and why:
// - Surfaces are combined per world, between detection and solving, and not through Bullet's global
//   callbacks: friction by the geometric mean, restitution by the larger value.
// - A point that is about to touch bounces as if it touched. Bullet lets it use up the gap instead
//   and loses the bounce.
// - Resting contacts give a little, and lose energy.
// - Joints are warm-started. Bullet starts them from zero in every step, and a heavy ball on a
//   chain of light links then stretches the chain.
// - Driven bodies get their velocity before and their pose after the step, as moving ones do;
//   Bullet would move them first.
// - A joint to the world hangs on a body of this world, not on Bullet's global fixed one.
#include "bullet_shim.h"

#include "bullet_pairs.h"
#include "bullet_tree.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>

namespace
{

const btScalar SLEEP_SPEED = 0.02;    // lengths per second
const btScalar SLEEP_SPIN = 0.03;     // radians per second
const btScalar BOUNCE_SPEED = 0.2;    // slower contacts do not bounce
const btScalar CONTACT_HERTZ = 30;    // resting contacts are springs of this frequency ...
const btScalar CONTACT_DAMPING = 10;  // ... and damping ratio,
const btScalar CONTACT_SHARE = 0.25;  // but at most this share of the step rate
const btScalar CONTACT_WARMTH = 1.0;  // share of the last forces the solver starts from
const btScalar FRICTION_WARMTH = 0.9; // the same for friction
const btScalar JOINT_WARMTH = 0.9;    // and for joints
const btScalar JOINT_ERP = 0.4;       // share of a joint's error removed per step
const int JOINT_SWEEPS = 4;           // per sweep over the contacts
const btScalar SPLIT_DEPTH = -0.02;   // deeper overlaps are moved apart, not thrown apart
const btScalar FRICTION_LIMIT = 10;   // Bullet's own
const btScalar SAME_NORMAL = 0.99999; // cosine between normals that are taken for the same
const btScalar FACING_ALIKE = 0.9;    // cosine between normals of one smooth surface
const unsigned long SOLVER_SEED = 1234567;

btVector3 vector3(const double v[3])
{
    return btVector3(v[0], v[1], v[2]);
}

void copy3(double out[3], const btVector3 &v)
{
    out[0] = v.x();
    out[1] = v.y();
    out[2] = v.z();
}

btTransform transform(const wri_frame &f)
{
    btMatrix3x3 basis(f.basis[0][0], f.basis[0][1], f.basis[0][2], f.basis[1][0], f.basis[1][1],
                      f.basis[1][2], f.basis[2][0], f.basis[2][1], f.basis[2][2]);
    return btTransform(basis, vector3(f.position));
}

wri_frame frame(const btTransform &t)
{
    wri_frame f;
    copy3(f.position, t.getOrigin());
    for (int i = 0; i < 3; i++) {
        copy3(f.basis[i], t.getBasis()[i]);
    }
    return f;
}

bool same_frame(const wri_frame &a, const wri_frame &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

bool is_identity(const wri_frame &f)
{
    wri_frame identity = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (f.basis[i][j] != identity.basis[i][j]) {
                return false;
            }
        }
    }
    return f.position[0] == 0 && f.position[1] == 0 && f.position[2] == 0;
}

// Members are destroyed from the last to the first: the body before its shape, compounds before
// their children, shapes before the arrays they look into.
struct body {
    wri_bullet_body desc;
    wri_bullet_kind kind;
    double size[3];
    double margin;
    std::vector<double> source;   // mesh: vertices in the shape's frame
    std::vector<double> vertices; // mesh: the same in the principal frame
    std::vector<int> triangles;
    wri_frame made;          // mesh: the frame its vertices were made for
    std::vector<char> stale; // hulls: pieces whose points changed since the last step
    bool any_stale;
    bool placed;     // in the engine's world
    bool driving;    // has an end pose to go to in the next step
    btTransform end; // that pose
    std::unique_ptr<btTriangleIndexVertexArray> mesh;
    std::unique_ptr<btTriangleInfoMap> edges;
    std::vector<std::unique_ptr<btCollisionShape>> leaves;
    std::unique_ptr<btCompoundShape> compound;
    std::unique_ptr<btRigidBody> rigid;
};

struct joint {
    wri_bullet_joint desc;
    wri_joint_state state;
    btJointFeedback feedback;
    std::unique_ptr<btTypedConstraint> constraint;
};

// --- shapes -----------------------------------------------------------------------------------

std::unique_ptr<btCollisionShape> make_primitive(const body &b)
{
    std::unique_ptr<btCollisionShape> shape;
    switch (b.kind) {
    case WRI_BULLET_SPHERE:
        shape.reset(new btSphereShape(b.size[0]));
        return shape; // its margin is its radius
    case WRI_BULLET_CAPSULE:
        shape.reset(new btCapsuleShape(b.size[0], b.size[1]));
        return shape;
    case WRI_BULLET_CYLINDER:
        shape.reset(new btCylinderShape(btVector3(b.size[0], b.size[1], b.size[0])));
        break;
    case WRI_BULLET_PLANE:
        shape.reset(new btStaticPlaneShape(btVector3(0, 1, 0), 0));
        break;
    default:
        shape.reset(new btBoxShape(vector3(b.size)));
        break;
    }
    shape->setMargin(b.margin);
    return shape;
}

// Moving meshes carry the principal frame in their vertices, because a mesh cannot be a child.
std::unique_ptr<btCollisionShape> make_mesh(body &b)
{
    b.made = b.desc.shape;
    btTransform t = transform(b.made);
    b.vertices.resize(b.source.size());
    for (size_t i = 0; i < b.source.size(); i += 3) {
        copy3(&b.vertices[i], t * vector3(&b.source[i]));
    }
    b.mesh.reset(new btTriangleIndexVertexArray((int)b.triangles.size() / 3, b.triangles.data(),
                                                3 * (int)sizeof(int), (int)b.vertices.size() / 3,
                                                b.vertices.data(), 3 * (int)sizeof(double)));
    std::unique_ptr<btCollisionShape> shape;
    if (b.desc.motion == WRI_BULLET_MOVING) {
        btGImpactMeshShape *moving = new btGImpactMeshShape(b.mesh.get());
        shape.reset(moving);
        moving->setMargin(b.margin);
        moving->updateBound();
    } else {
        btBvhTriangleMeshShape *fixed = new btBvhTriangleMeshShape(b.mesh.get(), true);
        shape.reset(fixed);
        fixed->setMargin(b.margin);
        b.edges.reset(new btTriangleInfoMap);
        btGenerateInternalEdgeInfo(fixed, b.edges.get());
    }
    return shape;
}

void make_leaves(body &b, const wri_bullet_shape &shape)
{
    if (b.kind == WRI_BULLET_MESH) {
        const double *numbers = &shape.points[0][0];
        b.source.assign(numbers, numbers + 3 * (size_t)shape.point_count);
        b.triangles.assign(shape.triangles, shape.triangles + 3 * (size_t)shape.triangle_count);
        b.leaves.push_back(make_mesh(b));
    } else if (b.kind == WRI_BULLET_HULLS) {
        const double(*points)[3] = shape.points;
        for (int i = 0; i < shape.piece_count; i++) {
            std::unique_ptr<btConvexHullShape> hull(new btConvexHullShape);
            for (int j = 0; j < shape.piece_points[i]; j++) {
                hull->addPoint(vector3(points[j]), false);
            }
            hull->setMargin(shape.margins[i]);
            hull->recalcLocalAabb();
            points += shape.piece_points[i];
            b.leaves.push_back(std::move(hull));
        }
    } else {
        b.leaves.push_back(make_primitive(b));
    }
}

// A compound's tree remembers its history, so it is made anew whenever the engine is.
void make_compound(body &b)
{
    b.compound.reset();
    bool child = b.kind != WRI_BULLET_MESH && !is_identity(b.desc.shape);
    if (b.kind != WRI_BULLET_HULLS && !child) {
        return;
    }
    b.compound.reset(new btCompoundShape(true, (int)b.leaves.size()));
    btTransform t = transform(b.desc.shape);
    for (std::unique_ptr<btCollisionShape> &leaf : b.leaves) {
        b.compound->addChildShape(t, leaf.get());
    }
}

btCollisionShape *whole_shape(const body &b)
{
    return b.compound ? b.compound.get() : b.leaves[0].get();
}

// --- the engine -------------------------------------------------------------------------------

struct group_filter : public btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
    {
        const btCollisionObject *oa = static_cast<const btCollisionObject *>(a->m_clientObject);
        const btCollisionObject *ob = static_cast<const btCollisionObject *>(b->m_clientObject);
        return (a->m_collisionFilterGroup & b->m_collisionFilterMask) &&
               (b->m_collisionFilterGroup & a->m_collisionFilterMask) &&
               !(oa->isStaticOrKinematicObject() && ob->isStaticOrKinematicObject());
    }
};

// Sequential impulses with joints and friction warm-started as well as normal forces, sweeps that
// go to and fro so that loads travel up and down chains and stacks equally well, extra sweeps for
// joints and a round friction cone.
class warm_solver : public btSequentialImpulseConstraintSolver
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    explicit warm_solver(std::vector<joint> &list) : joints(list)
    {
        setRandSeed(SOLVER_SEED);
    }

  protected:
    void apply(btSolverConstraint &row, btScalar impulse)
    {
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        a.internalApplyImpulse(row.m_contactNormal1 * a.internalGetInvMass(),
                               row.m_angularComponentA, impulse);
        b.internalApplyImpulse(row.m_contactNormal2 * b.internalGetInvMass(),
                               row.m_angularComponentB, impulse);
        row.m_appliedImpulse = row.m_appliedImpulse + impulse;
    }

    btScalar resolve(btSolverConstraint &row)
    {
        return resolveSingleConstraintRowGeneric(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                 m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
    }

    void convertJoints(btTypedConstraint **constraints, int count,
                       const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertJoints(constraints, count, info);
        int first = 0;
        for (int i = 0; i < count; i++) {
            int rows = m_tmpConstraintSizesPool[i].m_numConstraintRows;
            const wri_joint_state &state =
                joints[(size_t)constraints[i]->getUserConstraintId()].state;
            for (int j = 0; rows == state.row_count && j < rows; j++) {
                btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[first + j];
                btScalar impulse = JOINT_WARMTH * state.row[j] * info.m_timeStep;
                apply(row, btClamped(impulse, row.m_lowerLimit, row.m_upperLimit));
            }
            first += rows;
        }
    }

    void convertContacts(btPersistentManifold **manifolds, int count,
                         const btContactSolverInfo &info) override
    {
        btSequentialImpulseConstraintSolver::convertContacts(manifolds, count, info);
        for (int i = 0; i < m_tmpSolverContactConstraintPool.size(); i++) {
            const btSolverConstraint &normal = m_tmpSolverContactConstraintPool[i];
            const btManifoldPoint *p =
                static_cast<const btManifoldPoint *>(normal.m_originalContactPoint);
            btSolverConstraint *rows =
                &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
            apply(rows[0], FRICTION_WARMTH * p->m_appliedImpulseLateral1);
            apply(rows[1], FRICTION_WARMTH * p->m_appliedImpulseLateral2);
        }
    }

    btScalar sweep_joints(bool back)
    {
        btScalar most = 0;
        int count = m_tmpSolverNonContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btScalar change =
                resolve(m_tmpSolverNonContactConstraintPool[back ? count - 1 - i : i]);
            most = btMax(most, change * change);
        }
        return most;
    }

    // The change of impulse that would stop the relative motion along a row.
    btScalar wanted(const btSolverConstraint &row)
    {
        btSolverBody &a = m_tmpSolverBodyPool[row.m_solverBodyIdA];
        btSolverBody &b = m_tmpSolverBodyPool[row.m_solverBodyIdB];
        btScalar speed = row.m_contactNormal1.dot(a.internalGetDeltaLinearVelocity()) +
                         row.m_relpos1CrossNormal.dot(a.internalGetDeltaAngularVelocity()) +
                         row.m_contactNormal2.dot(b.internalGetDeltaLinearVelocity()) +
                         row.m_relpos2CrossNormal.dot(b.internalGetDeltaAngularVelocity());
        return row.m_rhs - row.m_appliedImpulse * row.m_cfm - speed * row.m_jacDiagABInv;
    }

    // Both tangents at once, then back onto the cone: one after the other they would turn the
    // force away from the direction of sliding.
    void resolve_friction(const btSolverConstraint &normal)
    {
        btSolverConstraint *rows =
            &m_tmpSolverContactFrictionConstraintPool[normal.m_frictionIndex];
        btScalar x = rows[0].m_appliedImpulse + wanted(rows[0]);
        btScalar y = rows[1].m_appliedImpulse + wanted(rows[1]);
        btScalar limit = normal.m_appliedImpulse * normal.m_friction;
        btScalar size = btSqrt(x * x + y * y);
        btScalar keep = size > limit ? limit / size : 1;
        apply(rows[0], keep * x - rows[0].m_appliedImpulse);
        apply(rows[1], keep * y - rows[1].m_appliedImpulse);
    }

    void sweep_rolling()
    {
        for (int i = 0; i < m_tmpSolverContactRollingFrictionConstraintPool.size(); i++) {
            btSolverConstraint &row = m_tmpSolverContactRollingFrictionConstraintPool[i];
            btScalar limit =
                m_tmpSolverContactConstraintPool[row.m_frictionIndex].m_appliedImpulse *
                row.m_friction;
            row.m_lowerLimit = -limit;
            row.m_upperLimit = limit;
            resolve(row);
        }
    }

    btScalar solveSingleIteration(int iteration, btCollisionObject **, int, btPersistentManifold **,
                                  int, btTypedConstraint **, int, const btContactSolverInfo &,
                                  btIDebugDraw *) override
    {
        btScalar most = 0;
        bool back = iteration % 2 != 0;
        for (int i = 0; i < JOINT_SWEEPS; i++) {
            most = btMax(most, sweep_joints(back == (i % 2 == 0)));
        }
        int count = m_tmpSolverContactConstraintPool.size();
        for (int i = 0; i < count; i++) {
            btSolverConstraint &row = m_tmpSolverContactConstraintPool[back ? count - 1 - i : i];
            btScalar change =
                resolveSingleConstraintRowLowerLimit(m_tmpSolverBodyPool[row.m_solverBodyIdA],
                                                     m_tmpSolverBodyPool[row.m_solverBodyIdB], row);
            most = btMax(most, change * change);
        }
        for (int i = 0; i < count; i++) {
            resolve_friction(m_tmpSolverContactConstraintPool[back ? count - 1 - i : i]);
        }
        sweep_rolling();
        return most + (count > 0); // friction may still change when nothing else does
    }

    btScalar solveGroupCacheFriendlyFinish(btCollisionObject **bodies, int count,
                                           const btContactSolverInfo &info) override
    {
        const void *last = nullptr;
        int rows = 0;
        for (int i = 0; i < m_tmpSolverNonContactConstraintPool.size(); i++) {
            const btSolverConstraint &row = m_tmpSolverNonContactConstraintPool[i];
            rows = row.m_originalContactPoint == last ? rows : 0;
            last = row.m_originalContactPoint;
            const btTypedConstraint *constraint = static_cast<const btTypedConstraint *>(last);
            wri_joint_state &state = joints[(size_t)constraint->getUserConstraintId()].state;
            if (rows < WRI_JOINT_ROWS) {
                state.row[rows] = row.m_appliedImpulse / info.m_timeStep;
            }
            state.row_count = btMin(++rows, (int)WRI_JOINT_ROWS);
        }
        return btSequentialImpulseConstraintSolver::solveGroupCacheFriendlyFinish(bodies, count,
                                                                                  info);
    }

  private:
    std::vector<joint> &joints;
};

const wri_bullet_body &desc_of(const std::vector<body> &bodies, const btCollisionObject *object)
{
    return bodies[(size_t)object->getUserIndex()].desc;
}

class contact_world : public btDiscreteDynamicsWorld
{
  public:
    BT_DECLARE_ALIGNED_ALLOCATOR();

    contact_world(btDispatcher *d, btBroadphaseInterface *p, btConstraintSolver *s,
                  btCollisionConfiguration *c, std::vector<body> &list)
        : btDiscreteDynamicsWorld(d, p, s, c), bodies(list)
    {
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
    void saveKinematicState(btScalar) override
    {
        // wri_bullet_drive has set the velocities
    }

  private:
    std::vector<body> &bodies;

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
    // from one edge to the other. Blows stay hard, so that they bounce as they should.
    // E. Catto. Soft constraints. GDC 2011.
    static void soften(btManifoldPoint &p, const wri_bullet_body &a, const wri_bullet_body &b,
                       bool blow, btScalar dt)
    {
        btScalar mass = btMax(a.motion == WRI_BULLET_MOVING ? a.mass : 0,
                              b.motion == WRI_BULLET_MOVING ? b.mass : 0);
        btScalar turn = SIMD_2_PI * btMin(CONTACT_HERTZ * dt, CONTACT_SHARE);
        btScalar reach = 2 * CONTACT_DAMPING + turn;
        p.m_contactERP = blow ? 0 : turn / reach;
        p.m_contactCFM = blow ? 0 : dt / (mass * turn * reach);
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
        btScalar friction = btMin(FRICTION_LIMIT, btSqrt(a.friction * b.friction));
        btScalar rolling = btMax(a.rolling, b.rolling) * btMin(a.radius, b.radius);
        for (int i = manifold.getNumContacts() - 1; i >= 0; i--) {
            if (manifold.getContactPoint(i).m_contactPointFlags & WRI_STALE_POINT) {
                manifold.removeContactPoint(i);
            }
        }
        smooth_edges(manifold);
        for (int i = 0; i < manifold.getNumContacts(); i++) {
            btManifoldPoint &p = manifold.getContactPoint(i);
            p.m_combinedFriction = friction;
            p.m_combinedRollingFriction = rolling;
            p.m_combinedSpinningFriction = rolling;
            p.m_combinedRestitution = btMax(a.restitution, b.restitution);
            btScalar speed = closing_speed(manifold, p);
            bool blow = speed > BOUNCE_SPEED && speed * dt > p.getDistance();
            if (p.getDistance() > 0) {
                p.setDistance(blow && p.m_combinedRestitution > 0 ? 0 : p.getDistance());
                p.m_combinedRestitution = blow ? p.m_combinedRestitution : 0;
            }
            soften(p, a, b, blow, dt);
        }
    }
};

} // namespace

struct wri_bullet {
    wri_bullet_desc desc;
    group_filter filter;
    std::vector<body> bodies;
    std::vector<joint> joints;
    btRigidBody anchor; // what joints to the world hang on
    btSphereShape ball; // for touch tests
    btCollisionObject ball_object;
    wri_pair_configuration configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<wri_tree_broadphase> broadphase;
    std::vector<int> within; // what the last wri_bullet_find_within found
    std::unique_ptr<warm_solver> solver;
    std::unique_ptr<contact_world> world;

    explicit wri_bullet(const wri_bullet_desc &d) : desc(d), anchor(0, nullptr, nullptr), ball(1)
    {
        ball_object.setCollisionShape(&ball);
        start();
    }

    ~wri_bullet()
    {
        stop();
    }

    void start();
    void stop();
    void place(size_t index, const wri_body_state &state);
    void unplace(body &b);
    void connect(size_t index);
    void disconnect(joint &j);
    void put_back(const wri_bullet_contact *contacts, int count);
};

void wri_bullet::start()
{
    dispatcher.reset(new btCollisionDispatcher(&configuration));
    btGImpactCollisionAlgorithm::registerAlgorithm(dispatcher.get());
    broadphase.reset(new wri_tree_broadphase);
    broadphase->getOverlappingPairCache()->setOverlapFilterCallback(&filter);
    solver.reset(new warm_solver(joints));
    world.reset(new contact_world(dispatcher.get(), broadphase.get(), solver.get(), &configuration,
                                  bodies));
    world->setGravity(vector3(desc.gravity));
    world->setForceUpdateAllAabbs(false);
    world->getDispatchInfo().m_deterministicOverlappingPairs = true;
    btContactSolverInfo &info = world->getSolverInfo();
    info.m_numIterations = desc.iterations;
    info.m_solverMode |=
        SOLVER_USE_2_FRICTION_DIRECTIONS | SOLVER_DISABLE_VELOCITY_DEPENDENT_FRICTION_DIRECTION;
    info.m_warmstartingFactor = CONTACT_WARMTH;
    info.m_erp = JOINT_ERP;
    info.m_splitImpulsePenetrationThreshold = SPLIT_DEPTH;
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

// --- bodies -----------------------------------------------------------------------------------

static void apply_mass(body &b)
{
    bool moving = b.desc.motion == WRI_BULLET_MOVING;
    b.rigid->setMassProps(moving ? b.desc.mass : 0,
                          moving ? vector3(b.desc.inertia) : btVector3(0, 0, 0));
    b.rigid->updateInertiaTensor();
}

static void apply_state(body &b, const wri_body_state &state)
{
    btTransform t = transform(state.frame);
    b.rigid->setWorldTransform(t);
    b.rigid->setInterpolationWorldTransform(t);
    b.rigid->setLinearVelocity(vector3(state.velocity));
    b.rigid->setAngularVelocity(vector3(state.spin));
    b.rigid->setInterpolationLinearVelocity(vector3(state.velocity));
    b.rigid->setInterpolationAngularVelocity(vector3(state.spin));
    b.rigid->updateInertiaTensor();
    b.rigid->setDeactivationTime(state.calm_time);
    b.rigid->forceActivationState(state.activation);
}

// Bullet's damping is the share lost in one second.
static btScalar share_per_second(double rate)
{
    return -expm1(-rate);
}

void wri_bullet::place(size_t index, const wri_body_state &state)
{
    body &b = bodies[index];
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, whole_shape(b));
    b.rigid.reset(new btRigidBody(info));
    b.rigid->setUserIndex((int)index);
    b.rigid->setSleepingThresholds(SLEEP_SPEED, SLEEP_SPIN);
    b.rigid->setDamping(share_per_second(b.desc.linear_damping),
                        share_per_second(b.desc.angular_damping));
    if (b.desc.motion == WRI_BULLET_DRIVEN) {
        b.rigid->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    apply_mass(b);
    apply_state(b, state);
    world->addRigidBody(b.rigid.get(), (int)b.desc.group, (int)b.desc.collides);
    b.rigid->forceActivationState(state.activation); // adding a static body changes it
    b.placed = true;
    b.driving = false;
}

void wri_bullet::unplace(body &b)
{
    if (b.placed) {
        world->removeRigidBody(b.rigid.get());
        b.placed = false;
    }
}

static wri_body_state read_state(const body &b)
{
    wri_body_state s = {};
    s.frame = frame(b.rigid->getWorldTransform());
    copy3(s.velocity, b.rigid->getLinearVelocity());
    copy3(s.spin, b.rigid->getAngularVelocity());
    s.calm_time = b.rigid->getDeactivationTime();
    s.activation = b.rigid->getActivationState();
    return s;
}

wri_bullet *wri_bullet_create(const wri_bullet_desc *desc)
{
    try {
        return new wri_bullet(*desc);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void wri_bullet_destroy(wri_bullet *world)
{
    delete world;
}

bool wri_bullet_add_body(wri_bullet *world, const wri_bullet_shape *shape,
                         const wri_bullet_body *desc, const wri_body_state *state)
{
    size_t index = world->bodies.size();
    try {
        body b = {};
        b.desc = *desc;
        b.kind = shape->kind;
        memcpy(b.size, shape->size, sizeof b.size);
        b.margin = shape->margin;
        b.stale.assign((size_t)shape->piece_count, 0);
        make_leaves(b, *shape);
        make_compound(b);
        world->bodies.push_back(std::move(b));
        world->place(index, *state);
        return true;
    } catch (const std::bad_alloc &) {
        world->bodies.resize(index);
        return false;
    }
}

// Points of the contact cache move along when the principal frame moves within the body.
static void move_cached_points(wri_bullet *world, int index, const btTransform &change)
{
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        for (int j = 0; j < m->getNumContacts(); j++) {
            btManifoldPoint &p = m->getContactPoint(j);
            if (m->getBody0()->getUserIndex() == index) {
                p.m_localPointA = change * p.m_localPointA;
            }
            if (m->getBody1()->getUserIndex() == index) {
                p.m_localPointB = change * p.m_localPointB;
            }
        }
    }
}

static void reframe_hulls(body &b)
{
    btTransform t = transform(b.desc.shape);
    for (int i = 0; i < b.compound->getNumChildShapes(); i++) {
        b.compound->updateChildTransform(i, t, false);
    }
    b.compound->recalculateLocalAabb();
}

void wri_bullet_set_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    body &b = world->bodies[(size_t)index];
    wri_bullet_body old = b.desc;
    b.desc = *desc;
    bool moved = !same_frame(old.shape, desc->shape);
    bool again = old.motion != desc->motion || old.group != desc->group ||
                 old.collides != desc->collides || old.present != desc->present ||
                 (moved && b.kind != WRI_BULLET_HULLS);
    if (again) {
        wri_body_state state = read_state(b);
        for (joint &j : world->joints) {
            if (j.desc.body_a == index || j.desc.body_b == index) {
                world->disconnect(j);
            }
        }
        world->unplace(b);
        if (b.kind == WRI_BULLET_MESH && moved) {
            b.leaves[0] = make_mesh(b);
        }
        if (moved) {
            make_compound(b);
        }
        if (desc->present) {
            world->place((size_t)index, state);
        }
        for (size_t i = 0; desc->present && i < world->joints.size(); i++) {
            const wri_bullet_joint &d = world->joints[i].desc;
            if (d.present && (d.body_a == index || d.body_b == index)) {
                world->connect(i);
            }
        }
        return;
    }
    if (moved) {
        move_cached_points(world, index, transform(desc->shape) * transform(old.shape).inverse());
        reframe_hulls(b);
    }
    if (desc->present) {
        apply_mass(b);
    }
}

void wri_bullet_set_state(wri_bullet *world, int index, const wri_body_state *state)
{
    body &b = world->bodies[(size_t)index];
    apply_state(b, *state);
    world->world->updateSingleAabb(b.rigid.get());
}

void wri_bullet_set_piece(wri_bullet *world, int index, int piece, const double (*points)[3],
                          double margin)
{
    body &b = world->bodies[(size_t)index];
    btConvexHullShape *hull = static_cast<btConvexHullShape *>(b.leaves[(size_t)piece].get());
    btVector3 *out = hull->getUnscaledPoints();
    for (int i = 0; i < hull->getNumPoints(); i++) {
        out[i] = vector3(points[i]);
    }
    hull->setMargin(margin);
    hull->recalcLocalAabb();
    if (b.compound) {
        b.compound->updateChildTransform(piece, b.compound->getChildTransform(piece), false);
        b.compound->recalculateLocalAabb();
    }
    b.stale[(size_t)piece] = 1;
    b.any_stale = true;
    if (b.placed && b.desc.motion != WRI_BULLET_MOVING) {
        world->world->updateSingleAabb(b.rigid.get()); // the engine does so for what is awake
    }
}

void wri_bullet_wake(wri_bullet *world, int index)
{
    world->bodies[(size_t)index].rigid->activate(true);
}

void wri_bullet_wake_neighbours(wri_bullet *world, int index)
{
    const btCollisionObject *self = world->bodies[(size_t)index].rigid.get();
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        if (m->getNumContacts() > 0 && (m->getBody0() == self || m->getBody1() == self)) {
            const btCollisionObject *other = m->getBody0() == self ? m->getBody1() : m->getBody0();
            world->bodies[(size_t)other->getUserIndex()].rigid->activate();
        }
    }
    for (const joint &j : world->joints) {
        if (j.constraint && (j.desc.body_a == index || j.desc.body_b == index)) {
            j.constraint->getRigidBodyA().activate();
            j.constraint->getRigidBodyB().activate();
        }
    }
}

void wri_bullet_drive(wri_bullet *world, int index, const wri_frame *end, double dt)
{
    body &b = world->bodies[(size_t)index];
    b.end = transform(*end);
    b.driving = true;
    bool still = memcmp(&b.end.getOrigin(), &b.rigid->getWorldTransform().getOrigin(),
                        3 * sizeof(btScalar)) == 0 &&
                 b.end.getBasis() == b.rigid->getWorldTransform().getBasis();
    btVector3 velocity(0, 0, 0), spin(0, 0, 0);
    if (!still) {
        btTransformUtil::calculateVelocity(b.rigid->getWorldTransform(), b.end, dt, velocity, spin);
    }
    b.rigid->setLinearVelocity(velocity);
    b.rigid->setAngularVelocity(spin);
    b.rigid->forceActivationState(still ? ISLAND_SLEEPING : ACTIVE_TAG);
}

// --- the step ---------------------------------------------------------------------------------

static bool is_stale(const body &b, int index)
{
    return b.any_stale && index >= 0 && index < (int)b.stale.size() && b.stale[(size_t)index];
}

// Detection refreshes the points it finds again; those still marked afterwards are gone.
static void mark_stale_points(wri_bullet *world)
{
    bool any = false;
    for (const body &b : world->bodies) {
        any = any || b.any_stale;
    }
    for (int i = 0; any && i < world->dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        const body &a = world->bodies[(size_t)m->getBody0()->getUserIndex()];
        const body &b = world->bodies[(size_t)m->getBody1()->getUserIndex()];
        for (int j = 0; (a.any_stale || b.any_stale) && j < m->getNumContacts(); j++) {
            btManifoldPoint &p = m->getContactPoint(j);
            if (is_stale(a, p.m_index0) || is_stale(b, p.m_index1)) {
                p.m_contactPointFlags |= WRI_STALE_POINT;
            }
        }
    }
    for (body &b : world->bodies) {
        if (b.any_stale) {
            std::fill(b.stale.begin(), b.stale.end(), (char)0);
            b.any_stale = false;
        }
    }
}

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

void wri_bullet_step(wri_bullet *world, double dt)
{
    mark_stale_points(world);
    world->world->stepSimulation(dt, 0);
    finish_drive(world);
    for (joint &j : world->joints) {
        if (j.constraint) {
            copy3(j.state.force, j.feedback.m_appliedForceBodyA);
        }
    }
}

void wri_bullet_read_states(const wri_bullet *world, wri_body_state *states)
{
    for (size_t i = 0; i < world->bodies.size(); i++) {
        if (world->bodies[i].placed) {
            states[i] = read_state(world->bodies[i]);
        }
    }
}

void wri_bullet_read_bounds(const wri_bullet *world, int index, double min[3], double max[3])
{
    const body &b = world->bodies[(size_t)index];
    btVector3 low, high;
    b.rigid->getAabb(low, high);
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

bool wri_bullet_mesh_is_within(const wri_bullet *world, int index, const double min[3],
                               const double max[3])
{
    const body &b = world->bodies[(size_t)index];
    btVector3 center = 0.5 * (vector3(min) + vector3(max));
    btVector3 half = 0.5 * (vector3(max) - vector3(min));
    btTransform box(btMatrix3x3::getIdentity(), center);
    any_triangle any;
    btTransformAabb(half, b.margin, b.rigid->getWorldTransform().inverse() * box, any.low,
                    any.high);
    static_cast<const btConcaveShape *>(b.leaves[0].get())
        ->processAllTriangles(&any, any.low, any.high);
    return any.found;
}

int wri_bullet_find_within(wri_bullet *world, const double min[3], const double max[3],
                           const int **bodies)
{
    try {
        world->broadphase->find_within(vector3(min), vector3(max), world->within);
        *bodies = world->within.data();
        return (int)world->within.size();
    } catch (const std::bad_alloc &) {
        return -1;
    }
}

int wri_bullet_contact_count(const wri_bullet *world)
{
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
    for (int i = 0; i < world->dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        for (int j = 0; j < m->getNumContacts(); j++) {
            contacts[count] = read_contact(m, m->getContactPoint(j));
            contacts[count++].manifold = i;
        }
    }
    return count;
}

// --- joints -----------------------------------------------------------------------------------

static std::unique_ptr<btTypedConstraint> make_slider(const wri_bullet_joint &d, btRigidBody &a,
                                                      btRigidBody &b)
{
    btGeneric6DofSpring2Constraint *c =
        new btGeneric6DofSpring2Constraint(a, b, transform(d.frame_a), transform(d.frame_b));
    std::unique_ptr<btTypedConstraint> owner(c);
    bool slides = d.kind == WRI_BULLET_SLIDER;
    // Bullet measures b relative to a.
    c->setLinearLowerLimit(btVector3(slides ? (d.lower > d.upper ? 1 : -d.upper) : 0, 0, 0));
    c->setLinearUpperLimit(btVector3(slides ? (d.lower > d.upper ? -1 : -d.lower) : 0, 0, 0));
    c->setAngularLowerLimit(btVector3(0, 0, 0));
    c->setAngularUpperLimit(btVector3(0, 0, 0));
    for (int axis = 0; axis < 6; axis++) {
        c->setParam(BT_CONSTRAINT_STOP_ERP, JOINT_ERP, axis);
    }
    return owner;
}

static std::unique_ptr<btTypedConstraint> make_constraint(const wri_bullet_joint &d, btRigidBody &a,
                                                          btRigidBody &b)
{
    std::unique_ptr<btTypedConstraint> owner;
    if (d.kind == WRI_BULLET_POINT) {
        owner.reset(new btPoint2PointConstraint(a, b, vector3(d.frame_a.position),
                                                vector3(d.frame_b.position)));
    } else if (d.kind == WRI_BULLET_HINGE) {
        btHingeConstraint *c =
            new btHingeConstraint(a, b, transform(d.frame_a), transform(d.frame_b));
        owner.reset(c);
        if (d.lower <= d.upper) {
            c->setLimit(d.lower, d.upper, 0.9, JOINT_ERP, 0);
        }
    } else {
        owner = make_slider(d, a, b);
    }
    return owner;
}

void wri_bullet::connect(size_t index)
{
    joint &j = joints[index];
    const wri_bullet_joint &d = j.desc;
    btRigidBody &a = *bodies[(size_t)d.body_a].rigid;
    btRigidBody &b = d.body_b >= 0 ? *bodies[(size_t)d.body_b].rigid : anchor;
    j.constraint = make_constraint(d, a, b);
    j.constraint->setUserConstraintId((int)index);
    j.constraint->setJointFeedback(&j.feedback);
    j.feedback.m_appliedForceBodyA = vector3(j.state.force);
    world->addConstraint(j.constraint.get(), !d.collide && d.body_b >= 0);
}

void wri_bullet::disconnect(joint &j)
{
    if (j.constraint) {
        world->removeConstraint(j.constraint.get());
        j.constraint.reset();
    }
}

// The feedback of a constraint is looked at by address, so the list must not move under it.
static void reconnect_feedback(wri_bullet *world)
{
    for (joint &j : world->joints) {
        if (j.constraint) {
            j.constraint->setJointFeedback(&j.feedback);
        }
    }
}

bool wri_bullet_add_joint(wri_bullet *world, const wri_bullet_joint *desc)
{
    size_t index = world->joints.size();
    try {
        joint j = {};
        j.desc = *desc;
        world->joints.push_back(std::move(j));
        reconnect_feedback(world);
        world->connect(index);
        return true;
    } catch (const std::bad_alloc &) {
        world->joints.resize(index);
        return false;
    }
}

void wri_bullet_remove_joint(wri_bullet *world, int index)
{
    joint &j = world->joints[(size_t)index];
    if (j.constraint) {
        j.constraint->getRigidBodyA().activate();
        j.constraint->getRigidBodyB().activate();
    }
    world->disconnect(j);
    j.desc.present = false;
    j.state = wri_joint_state();
}

void wri_bullet_set_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    joint &j = world->joints[(size_t)index];
    world->disconnect(j);
    j.desc = *desc;
    if (desc->present) {
        world->connect((size_t)index);
    }
}

void wri_bullet_read_joint(const wri_bullet *world, int index, wri_joint_state *state)
{
    *state = world->joints[(size_t)index].state;
}

// --- starting anew ----------------------------------------------------------------------------

namespace
{

// Which manifold a point belongs to: the bodies and, for hulls, the pieces. A mesh has one manifold
// for all its triangles.
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
        used[found] = 1;
        manifolds[found].manifold->clearManifold();
        for (int i = first; i < last && i - first < MANIFOLD_CACHE_SIZE; i++) {
            manifolds[found].manifold->addManifoldPoint(cached_point(contacts[i]));
        }
    }
}

void wri_bullet_describe_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    world->bodies[(size_t)index].desc = *desc;
}

void wri_bullet_describe_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    world->joints[(size_t)index].desc = *desc;
}

bool wri_bullet_rebuild(wri_bullet *world, const wri_body_state *states,
                        const wri_joint_state *joints, const wri_bullet_contact *contacts,
                        int contact_count)
{
    try {
        world->stop();
        world->start();
        for (size_t i = 0; i < world->bodies.size(); i++) {
            body &b = world->bodies[i];
            std::fill(b.stale.begin(), b.stale.end(), (char)0);
            b.any_stale = false;
            if (b.kind == WRI_BULLET_MESH && !same_frame(b.made, b.desc.shape)) {
                b.leaves[0] = make_mesh(b);
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
        return true;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

// --- touch tests ------------------------------------------------------------------------------

namespace
{

struct deepest : public btCollisionWorld::ContactResultCallback {
    btVector3 center;
    btScalar radius;
    wri_bullet_touch *touch;
    bool found = false;

    // Which of the two is the ball is not always what the order says: the ball's point is the one
    // that lies a radius away from its centre, against the normal.
    btScalar addSingleResult(btManifoldPoint &p, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override
    {
        btScalar depth = -p.getDistance();
        if (!(depth > 0) || (found && depth <= touch->depth)) {
            return 0;
        }
        btVector3 n = p.m_normalWorldOnB;
        btScalar as_a = (center - radius * n - p.getPositionWorldOnA()).length2();
        btScalar as_b = (center + radius * n - p.getPositionWorldOnB()).length2();
        found = true;
        touch->depth = depth;
        copy3(touch->normal, as_a <= as_b ? n : -n);
        copy3(touch->point, as_a <= as_b ? p.getPositionWorldOnB() : p.getPositionWorldOnA());
        return 0;
    }
};

} // namespace

bool wri_bullet_touch_ball(wri_bullet *world, int index, const double center[3], double radius,
                           wri_bullet_touch *touch)
{
    world->ball.setUnscaledRadius(radius);
    btTransform at;
    at.setIdentity();
    at.setOrigin(vector3(center));
    world->ball_object.setWorldTransform(at);
    deepest result;
    result.center = at.getOrigin();
    result.radius = radius;
    result.touch = touch;
    world->world->contactPairTest(&world->ball_object, world->bodies[(size_t)index].rigid.get(),
                                  result);
    return result.found;
}
