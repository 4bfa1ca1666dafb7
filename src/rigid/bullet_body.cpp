// bullet_body.cpp: bodies come, go and change.
#include "bullet_world.h"

#include <algorithm>

#include "../math/elementary.h"
#include "bullet_hull.h"

using namespace wri;

namespace
{

} // namespace

static void apply_mass(body &b)
{
    bool moving = b.desc.motion == WRI_BULLET_MOVING;
    WR_ASSERT(!moving || b.desc.mass > 0);
    b.rigid->setMassProps(moving ? b.desc.mass : 0,
                          moving ? vector3(b.desc.inertia) : btVector3(0, 0, 0));
    b.rigid->updateInertiaTensor();
}

// Bullet's flag keeps its world from giving a body that is added, or all of them, gravity again.
static void apply_weight(body &b, const btVector3 &gravity)
{
    int flags = b.rigid->getFlags() & ~BT_DISABLE_WORLD_GRAVITY;
    b.rigid->setFlags(flags | (b.desc.is_weightless ? BT_DISABLE_WORLD_GRAVITY : 0));
    b.rigid->setGravity(b.desc.is_weightless ? btVector3(0, 0, 0) : gravity);
}

static void apply_state(body &b, const wri_body_state &state)
{
    btTransform t = transform(state.frame);
    WR_ASSERT(state.activation >= WRI_ACTIVE && state.activation <= WRI_NEVER_SLEEPS);
    b.rigid->setWorldTransform(t);
    b.rigid->setInterpolationWorldTransform(t);
    b.rigid->setLinearVelocity(vector3(state.velocity));
    b.rigid->setAngularVelocity(vector3(state.angular_velocity));
    b.rigid->setInterpolationLinearVelocity(vector3(state.velocity));
    b.rigid->setInterpolationAngularVelocity(vector3(state.angular_velocity));
    b.mean_velocity = vector3(state.mean_velocity);
    b.mean_angular_velocity = vector3(state.mean_angular_velocity);
    b.rigid->updateInertiaTensor();
    b.rigid->setDeactivationTime(state.deactivation_time);
    b.rigid->forceActivationState(state.activation);
}

void wri_bullet::place(size_t index, const wri_body_state &state)
{
    WR_ASSERT(index < bodies.size() && !bodies[index].placed && bodies[index].desc.present);
    body &b = bodies[index];
    refit(b);
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, whole_shape(b));
    b.rigid.reset(new btRigidBody(info));
    b.rigid->setUserIndex((int)index);
    b.rigid->setFlags(0); // contact_world turns bodies
    if (b.desc.motion == WRI_BULLET_DRIVEN) {
        b.rigid->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    if (b.desc.is_planar) {
        b.rigid->setLinearFactor(btVector3(1, 1, 0));
        b.rigid->setAngularFactor(btVector3(0, 0, 1));
    }
    apply_mass(b);
    apply_weight(b, world->getGravity());
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

wri_body_state wri::read_state(const body &b)
{
    wri_body_state s = {};
    WR_ASSERT(b.rigid);
    s.frame = frame(b.rigid->getWorldTransform());
    copy3(s.velocity, b.rigid->getLinearVelocity());
    copy3(s.angular_velocity, b.rigid->getAngularVelocity());
    copy3(s.mean_velocity, b.mean_velocity);
    copy3(s.mean_angular_velocity, b.mean_angular_velocity);
    s.deactivation_time = b.rigid->getDeactivationTime();
    s.activation = b.rigid->getActivationState();
    return s;
}

bool wri_bullet_add_body(wri_bullet *world, const wri_bullet_shape *shape,
                         const wri_bullet_body *desc, const wri_body_state *state)
{
    size_t index = world->bodies.size();
    bool ok = attempt(world, [=] {
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
    });
    if (!ok) {
        world->bodies.resize(index);
    }
    return ok;
}

// --- what changes between steps and concerns the contact cache --------------------------------

static bool is_stale(const body &b, int index)
{
    return b.any_stale && index >= 0 && index < (int)b.stale.size() && b.stale[(size_t)index];
}

static void update_points(btPersistentManifold *m, const body &a, const body &b)
{
    for (int j = 0; j < m->getNumContacts(); j++) {
        btManifoldPoint &p = m->getContactPoint(j);
        if (is_stale(a, p.m_index0) || is_stale(b, p.m_index1)) {
            p.m_contactPointFlags |= STALE_POINT;
        }
        if (a.reframed) {
            p.m_localPointA = a.change * p.m_localPointA;
        }
        if (b.reframed) {
            p.m_localPointB = b.change * p.m_localPointB;
        }
    }
}

// A driven body on its way: the engine wakes what it touches, but not what hangs on it.
static bool pulls(const body &b)
{
    return b.driving && b.rigid->isActive();
}

static bool wakes_joined(const body &b)
{
    return b.wakes || pulls(b);
}

// Points of changed pieces are marked: detection refreshes those it finds again, and those still
// marked afterwards go. Points move along when the principal frame moves within the body. What
// changed wakes what it touches. All in one pass: in a heap of bending bodies a pass for each would
// take longer than finding the contacts.
void wri::update_contacts(wri_bullet *world)
{
    bool any = false;
    for (const body &b : world->bodies) {
        any = any || b.any_stale || b.reframed || b.wakes;
    }
    for (int i = 0; any && i < world->dispatcher->getNumManifolds(); i++) {
        btPersistentManifold *m = world->dispatcher->getManifoldByIndexInternal(i);
        body &a = world->body_at(m->getBody0()->getUserIndex());
        body &b = world->body_at(m->getBody1()->getUserIndex());
        update_points(m, a, b);
        if (m->getNumContacts() > 0 && a.wakes) {
            b.rigid->activate();
        }
        if (m->getNumContacts() > 0 && b.wakes) {
            a.rigid->activate();
        }
    }
    for (const joint &j : world->joints) {
        if (j.constraint && (wakes_joined(world->body_at(j.desc.body_a)) ||
                             (j.desc.body_b >= 0 && wakes_joined(world->body_at(j.desc.body_b))))) {
            j.constraint->getRigidBodyA().activate();
            j.constraint->getRigidBodyB().activate();
        }
    }
    for (body &b : world->bodies) {
        b.wakes = b.reframed = false;
        if (b.any_stale) {
            std::fill(b.stale.begin(), b.stale.end(), (char)0);
            b.any_stale = false;
        }
    }
}

static void reframe_hulls(body &b)
{
    btTransform t = transform(b.desc.shape);
    for (int i = 0; i < b.compound->getNumChildShapes(); i++) {
        b.compound->updateChildTransform(i, t, false);
    }
    b.outgrown = true;
}

// Removes the body with its joints and adds them again; its contacts are lost.
static void place_again(wri_bullet *world, int index, bool moved)
{
    body &b = world->body_at(index);
    update_contacts(world);
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
    if (b.desc.present) {
        world->place((size_t)index, state);
    }
    for (size_t i = 0; b.desc.present && i < world->joints.size(); i++) {
        const wri_bullet_joint &d = world->joints[i].desc;
        if (d.present && (d.body_a == index || d.body_b == index)) {
            world->connect(i);
        }
    }
}

static void set_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    body &b = world->body_at(index);
    wri_bullet_body old = b.desc;
    b.desc = *desc;
    bool moved = !same_frame(old.shape, desc->shape);
    bool follows = b.kind == WRI_BULLET_HULLS ||
                   (b.kind == WRI_BULLET_MESH && desc->motion == WRI_BULLET_MOVING);
    bool again = old.motion != desc->motion || old.group != desc->group ||
                 old.collides != desc->collides || old.present != desc->present ||
                 (moved && !follows);
    if (again) {
        place_again(world, index, moved);
        return;
    }
    if (moved) {
        btTransform change = transform(desc->shape) * transform(old.shape).inverse();
        b.change = b.reframed ? change * b.change : change;
        b.reframed = true;
        b.loose = b.kind == WRI_BULLET_MESH;
        if (b.kind == WRI_BULLET_HULLS) {
            reframe_hulls(b);
        }
    }
    if (desc->present) {
        apply_mass(b);
        if (old.is_weightless != desc->is_weightless) {
            apply_weight(b, world->world->getGravity());
        }
    }
}

void wri_bullet_set_body(wri_bullet *world, int index, const wri_bullet_body *desc)
{
    attempt(world, [=] { set_body(world, index, desc); });
}

void wri_bullet_set_state(wri_bullet *world, int index, const wri_body_state *state)
{
    attempt(world, [=] {
        body &b = world->body_at(index);
        apply_state(b, *state);
        refit(b);
        world->world->updateSingleAabb(b.rigid.get());
    });
}

static void set_piece(wri_bullet *world, int index, int piece, const double (*points)[3],
                      double margin)
{
    body &b = world->body_at(index);
    WR_ASSERT(b.kind == WRI_BULLET_HULLS && piece >= 0 && piece < (int)b.leaves.size());
    hull_shape *hull = static_cast<hull_shape *>(b.leaves[(size_t)piece].get());
    hull->move(points, margin);
    b.compound->updateChildTransform(piece, b.compound->getChildTransform(piece), false);
    b.outgrown = true;
    b.stale[(size_t)piece] = 1;
    b.any_stale = true;
    if (b.placed && b.desc.motion != WRI_BULLET_MOVING) {
        refit(b);
        world->world->updateSingleAabb(b.rigid.get()); // the engine does so for what is awake
    }
}

void wri_bullet_set_piece(wri_bullet *world, int index, int piece, const double (*points)[3],
                          double margin)
{
    attempt(world, [=] { set_piece(world, index, piece, points, margin); });
}

void wri_bullet_set_mesh(wri_bullet *world, int index, const double (*vertices)[3])
{
    body &b = world->body_at(index);
    WR_ASSERT(b.kind == WRI_BULLET_MESH);
    memcpy(b.source.data(), vertices, b.source.size() * sizeof(double));
    b.loose = true;
}

void wri_bullet_wake(wri_bullet *world, int index)
{
    if (!world->broken) {
        world->body_at(index).rigid->activate(true);
    }
}

void wri_bullet_wake_neighbours(wri_bullet *world, int index)
{
    world->body_at(index).wakes = true;
}

// --- surfaces ---------------------------------------------------------------------------------

// The part of its bounce that a body has left.
static double bounce_left(const wri_bullet_body &b)
{
    return b.restitution < b.bounce ? b.restitution / b.bounce : 1;
}

wri_contact_surface wri::combine(const std::vector<wri_surface_pair> &pairs,
                                 const wri_bullet_body &a, const wri_bullet_body &b)
{
    wri_contact_surface s = {std::sqrt(a.friction * b.friction),
                             std::max(a.restitution, b.restitution)};
    if (a.surface == 0 || b.surface == 0) {
        return s;
    }
    for (const wri_surface_pair &p : pairs) {
        if (p.a == std::min(a.surface, b.surface) && p.b == std::max(a.surface, b.surface)) {
            s.friction = std::isnan(p.friction) ? s.friction : p.friction;
            s.restitution = std::isnan(p.restitution)
                                ? s.restitution
                                : p.restitution * std::min(bounce_left(a), bounce_left(b));
        }
    }
    return s;
}

bool wri_bullet_set_surface_pair(wri_bullet *world, const wri_surface_pair *pair)
{
    return attempt(world, [=] {
        for (wri_surface_pair &p : world->pairs) {
            if (p.a == pair->a && p.b == pair->b) {
                p = *pair;
                return;
            }
        }
        world->pairs.push_back(*pair);
    });
}

wri_contact_surface wri_bullet_contact_surface(const wri_bullet *world, int body_a, int body_b)
{
    return combine(world->pairs, world->body_at(body_a).desc, world->body_at(body_b).desc);
}

// --- who touches whom -------------------------------------------------------------------------

static bool is_before(const wri_body_pair &x, const wri_body_pair &y)
{
    return x.a != y.a ? x.a < y.a : x.b < y.b;
}

bool group_filter::holds_apart(wri_body_pair pair) const
{
    return std::binary_search(apart.begin(), apart.end(), pair, is_before);
}

bool wri_bullet_are_apart(const wri_bullet *world, wri_body_pair pair)
{
    return !world->filter.apart.empty() && world->filter.holds_apart(pair);
}

bool wri_bullet_set_apart(wri_bullet *world, wri_body_pair pair, bool apart)
{
    std::vector<wri_body_pair> &all = world->filter.apart;
    WR_ASSERT(pair.a < pair.b && std::is_sorted(all.begin(), all.end(), is_before));
    if (world->filter.holds_apart(pair) == apart) {
        return true;
    }
    return attempt(world, [&] {
        std::vector<wri_body_pair>::iterator place =
            std::lower_bound(all.begin(), all.end(), pair, is_before);
        apart ? all.insert(place, pair) : all.erase(place);
        body &a = world->body_at(pair.a), &b = world->body_at(pair.b);
        if (a.placed && b.placed) {
            world->broadphase->renew_pair(a.rigid->getBroadphaseHandle(),
                                          b.rigid->getBroadphaseHandle(), world->dispatcher.get());
        }
    });
}

const wri_body_pair *wri_bullet_apart(const wri_bullet *world, int *count)
{
    *count = (int)world->filter.apart.size();
    return world->filter.apart.data();
}

bool wri_bullet_describe_apart(wri_bullet *world, const void *pairs, int count)
{
    WR_ASSERT(count >= 0);
    return attempt(world, [=] {
        world->filter.apart.resize((size_t)count);
        std::copy_n(static_cast<const char *>(pairs), (size_t)count * sizeof(wri_body_pair),
                    reinterpret_cast<char *>(world->filter.apart.data()));
    });
}

// --- driving ----------------------------------------------------------------------------------

// Velocities of an even motion that takes dt. btTransformUtil::calculateVelocity does the same by
// acos, which differs between C libraries and does not see small turns.
static void find_velocity(const btTransform &from, const btTransform &to, btScalar dt,
                          btVector3 &velocity, btVector3 &angular_velocity)
{
    velocity = (to.getOrigin() - from.getOrigin()) / dt;
    btQuaternion q;
    (to.getBasis() * from.getBasis().inverse()).getRotation(q);
    btVector3 v(q.x(), q.y(), q.z());
    btScalar sine = v.length(), sign = q.w() < 0 ? -1 : 1; // q and -q turn alike: the short way
    angular_velocity = sine > 0 ? v * (2 * sign * wri_atan2_fine(sine, sign * q.w()) / (sine * dt))
                                : btVector3(0, 0, 0);
}

void wri_bullet_drive(wri_bullet *world, int index, const wri_frame *end, double dt)
{
    body &b = world->body_at(index);
    if (world->broken) {
        return;
    }
    WR_ASSERT(b.placed && b.desc.motion == WRI_BULLET_DRIVEN && dt > 0);
    b.end = transform(*end);
    b.driving = true;
    bool still = memcmp(&b.end.getOrigin(), &b.rigid->getWorldTransform().getOrigin(),
                        3 * sizeof(btScalar)) == 0 &&
                 b.end.getBasis() == b.rigid->getWorldTransform().getBasis();
    btVector3 velocity(0, 0, 0), angular_velocity(0, 0, 0);
    if (!still) {
        find_velocity(b.rigid->getWorldTransform(), b.end, dt, velocity, angular_velocity);
    }
    b.rigid->setLinearVelocity(velocity);
    b.rigid->setAngularVelocity(angular_velocity);
    b.rigid->forceActivationState(still ? ISLAND_SLEEPING : ACTIVE_TAG);
}
