// bullet_joint.cpp: joints as Bullet's constraints.
#include "bullet_world.h"

using namespace wri;

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
    WR_ASSERT(d.present && body_at(d.body_a).placed);
    WR_ASSERT(d.body_b < 0 || body_at(d.body_b).placed);
    btRigidBody &a = *bodies[(size_t)d.body_a].rigid;
    btRigidBody &b = d.body_b >= 0 ? *bodies[(size_t)d.body_b].rigid : anchor;
    j.constraint = make_constraint(d, a, b);
    j.constraint->setUserConstraintId((int)index);
    j.constraint->setJointFeedback(&j.feedback);
    j.feedback.m_appliedForceBodyA = vector3(j.state.force);
    j.feedback.m_appliedTorqueBodyA = vector3(j.state.torque[0]);
    j.feedback.m_appliedTorqueBodyB = vector3(j.state.torque[1]);
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
    bool ok = attempt(world, [=] {
        joint j = {};
        j.desc = *desc;
        world->joints.push_back(std::move(j));
        reconnect_feedback(world);
        world->connect(index);
    });
    if (!ok) {
        world->joints.resize(index);
    }
    return ok;
}

void wri_bullet_remove_joint(wri_bullet *world, int index)
{
    joint &j = world->joint_at(index);
    attempt(world, [&] {
        if (j.constraint) {
            j.constraint->getRigidBodyA().activate();
            j.constraint->getRigidBodyB().activate();
        }
        world->disconnect(j);
    });
    j.desc.present = false;
    j.state = wri_joint_state();
}

void wri_bullet_set_joint(wri_bullet *world, int index, const wri_bullet_joint *desc)
{
    attempt(world, [=] {
        joint &j = world->joint_at(index);
        world->disconnect(j);
        j.desc = *desc;
        if (desc->present) {
            world->connect((size_t)index);
        }
    });
}

void wri_bullet_read_joint(const wri_bullet *world, int index, wri_joint_state *state)
{
    *state = world->joint_at(index).state;
}
