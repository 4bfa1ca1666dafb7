// bullet_world.h: the engine's world as the C++ files of this folder share it.
//
// Differences from a plain btDiscreteDynamicsWorld, and their reasons:
// - Surfaces are combined per world, between detection and solving, and not through Bullet's global
//   callbacks: friction by the geometric mean, restitution by the larger value, or as a pair of
//   surfaces says.
// - A point that is about to touch bounces as if it touched. Bullet lets it use up the gap instead
//   and loses the bounce.
// - A bounce brings no energy, whatever friction does meanwhile.
// - Resting contacts give a little, and lose energy. What overlaps by more than they carry is moved
//   apart without a speed.
// - Joints are warm-started. Bullet starts them from zero in every step, and a heavy ball on a
//   chain of light links then stretches the chain.
// - Driven bodies get their velocity before and their pose after the step, as moving ones do;
//   Bullet would move them first.
// - Bodies that turn freely keep their angular momentum to the last bits, however fast they turn.
// - A joint to the world hangs on a body of this world, not on Bullet's global fixed one.
#pragma once

#include "../base/base.h"
#include "bullet_shim.h"

#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include <btBulletDynamicsCommon.h>
#include <BulletCollision/CollisionDispatch/btInternalEdgeUtility.h>

#include "bullet_broadphase.h"
#include "bullet_pair.h"
#include "bullet_pieces.h"

namespace wri
{

const btScalar BOUNCE_SPEED = 0.2; // slower contacts do not bounce
const btScalar JOINT_ERP = 0.4;    // share of a joint's error removed per step

inline btVector3 vector3(const double v[3])
{
    return btVector3(v[0], v[1], v[2]);
}

inline void copy3(double out[3], const btVector3 &v)
{
    out[0] = v.x();
    out[1] = v.y();
    out[2] = v.z();
}

inline btTransform transform(const wri_frame &f)
{
    WR_ASSERT(std::isfinite(f.position[0] + f.position[1] + f.position[2]));
    btMatrix3x3 basis(f.basis[0][0], f.basis[0][1], f.basis[0][2], f.basis[1][0], f.basis[1][1],
                      f.basis[1][2], f.basis[2][0], f.basis[2][1], f.basis[2][2]);
    return btTransform(basis, vector3(f.position));
}

inline wri_frame frame(const btTransform &t)
{
    wri_frame f;
    copy3(f.position, t.getOrigin());
    for (int i = 0; i < 3; i++) {
        copy3(f.basis[i], t.getBasis()[i]);
    }
    return f;
}

inline bool same_frame(const wri_frame &a, const wri_frame &b)
{
    return memcmp(&a, &b, sizeof a) == 0;
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
    bool loose;              // mesh: the tree does not hold the vertices any more
    bool refitted;           // mesh: its tree was made for other vertices
    std::vector<char> stale; // hulls: pieces whose points changed since the last step
    bool any_stale;
    bool outgrown;      // hulls: the bounds of the compound are those of older pieces
    bool wakes;         // its neighbours, before the next step
    bool reframed;      // its principal frame has moved within it since the contacts were cached
    btTransform change; // by this
    btVector3 mean_velocity, mean_angular_velocity; // of the last moments
    bool placed;                                    // in the engine's world
    bool driving;                                   // has an end pose to go to in the next step
    btTransform end;                                // that pose
    std::unique_ptr<btTriangleIndexVertexArray> mesh;
    std::unique_ptr<btTriangleInfoMap> edges;
    std::vector<std::unique_ptr<btCollisionShape>> leaves;
    std::unique_ptr<pieces_shape> compound;
    std::unique_ptr<btRigidBody> rigid;
};

struct joint {
    wri_bullet_joint desc;
    wri_joint_state state;
    btJointFeedback feedback;
    std::unique_ptr<btTypedConstraint> constraint;
};

// --- bullet_shape.cpp -------------------------------------------------------------------------

void make_leaves(body &b, const wri_bullet_shape &shape);
// A compound's tree remembers its history, so it is made anew whenever the engine is.
void make_compound(body &b);
std::unique_ptr<btCollisionShape> make_mesh(body &b);
bool is_moving_mesh(const body &b);
btCollisionShape *whole_shape(const body &b);
// The boxes of the tree follow the vertices; which triangles share one stays as it is. The tree of
// a mesh that was frozen cannot follow: it waits for the next rebuild. The bounds of a compound
// follow its pieces. Shape and mass change together: so this waits until somebody looks.
void refit(body &b);

// --- bullet_solver.cpp, bullet_dynamics.cpp ---------------------------------------------------

std::unique_ptr<btConstraintSolver> make_solver(std::vector<joint> &joints);
std::unique_ptr<btDiscreteDynamicsWorld>
make_dynamics(btDispatcher *dispatcher, btBroadphaseInterface *broadphase,
              btConstraintSolver *solver, btCollisionConfiguration *configuration,
              std::vector<body> &bodies, const std::vector<wri_surface_pair> &pairs);
// Friction by the geometric mean, restitution by the larger value, unless the pair is described.
wri_contact_surface combine(const std::vector<wri_surface_pair> &pairs, const wri_bullet_body &a,
                            const wri_bullet_body &b);

// --- bullet_body.cpp --------------------------------------------------------------------------

wri_body_state read_state(const body &b);
// Brings the contact cache up to date with what changed since the last step.
void update_contacts(wri_bullet *world);

inline wri_body_pair pair_of(int a, int b)
{
    WR_ASSERT(a >= 0 && b >= 0 && a != b);
    return a < b ? wri_body_pair{a, b} : wri_body_pair{b, a};
}

// Groups must agree on both sides, one of the two must move, and nobody must hold them apart.
struct group_filter : public btOverlapFilterCallback {
    std::vector<wri_body_pair> apart; // ascending

    bool holds_apart(wri_body_pair pair) const;
    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
    {
        const btCollisionObject *oa = static_cast<const btCollisionObject *>(a->m_clientObject);
        const btCollisionObject *ob = static_cast<const btCollisionObject *>(b->m_clientObject);
        return (a->m_collisionFilterGroup & b->m_collisionFilterMask) &&
               (b->m_collisionFilterGroup & a->m_collisionFilterMask) &&
               !(oa->isStaticOrKinematicObject() && ob->isStaticOrKinematicObject()) &&
               !(!apart.empty() && holds_apart(pair_of(oa->getUserIndex(), ob->getUserIndex())));
    }
};

} // namespace wri

struct wri_bullet {
    wri_bullet_desc desc;
    wri::group_filter filter;
    std::vector<wri::body> bodies;
    std::vector<wri_surface_pair> pairs;
    std::vector<wri::joint> joints;
    btRigidBody anchor; // what joints to the world hang on
    wri::pair_configuration configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<wri::tree_broadphase> broadphase;
    std::vector<int> within; // what the last wri_bullet_find_within found
    std::unique_ptr<btConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    bool broken = false; // memory was short in the middle of something, see wri::attempt

    wri::body &body_at(int index)
    {
        WR_ASSERT(index >= 0 && index < (int)bodies.size());
        return bodies[(size_t)index];
    }
    const wri::body &body_at(int index) const
    {
        WR_ASSERT(index >= 0 && index < (int)bodies.size());
        return bodies[(size_t)index];
    }
    wri::joint &joint_at(int index)
    {
        WR_ASSERT(index >= 0 && index < (int)joints.size());
        return joints[(size_t)index];
    }
    const wri::joint &joint_at(int index) const
    {
        WR_ASSERT(index >= 0 && index < (int)joints.size());
        return joints[(size_t)index];
    }

    explicit wri_bullet(const wri_bullet_desc &d);
    ~wri_bullet();

    void start();
    void stop();
    void place(size_t index, const wri_body_state &state);
    void unplace(wri::body &b);
    void connect(size_t index);
    void disconnect(wri::joint &j);
    void put_back(const wri_bullet_contact *contacts, int count);
};

namespace wri
{

// Makes Bullet's heap ours, for the whole process: what cannot be had is std::bad_alloc, where
// Bullet itself would go on with a null pointer.
void use_heap();

// Changes the engine. Bullet cannot go back when memory is short in the middle of that: such an
// engine is not touched any more, and what it owns is not freed. Returns false then, and ever
// after. No exception leaves this folder.
template <class change> bool attempt(wri_bullet *world, change run)
{
    if (world->broken) {
        return false;
    }
    try {
        run();
        return true;
    } catch (const std::exception &) {
        world->broken = true;
        return false;
    }
}

} // namespace wri
