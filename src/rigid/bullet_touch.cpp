// bullet_touch.cpp: touch tests of balls.
#include "bullet_world.h"

using namespace wri;

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
    refit(world->bodies[(size_t)index]);
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
