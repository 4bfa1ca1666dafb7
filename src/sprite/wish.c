// wish.c: from what a sprite looks like to what it wishes to look like (steps 2b to 2d).
//
//     m_e  = m_p + k_e e d_e          a hit of energy e                       (4.5)
//     m_eq = m_e + k_eq (q - m_e)     the equilibrium q                       (4.3)
//     m_v  = m_eq + k_v s (a - m_eq)  the pose a to stretch into, at speed s  (4.6)
// "Towards" means along the shortest way through the manifold; within one simplex these are the
// equations. k_eq and k_v s are shares per 1/60 s; a hit is an event and asks for no time.
#include "sprite.h"

static const float NEAR = 1e-4f; // points this near tell no direction

static wr_sprite_point towards(const wr_sprite_asset *asset, wr_sprite_point from, int example,
                               float share)
{
    wr_sprite_point goal = wr_sprite_asset_example_point(asset, example);
    return goal.simplex >= 0 ? wr_sprite_asset_walk(asset, from, goal, share) : from;
}

// Moves on by `length` from where the way from `behind` led. False: it tells no direction.
static bool move_away(const wr_sprite_asset *asset, wr_sprite_point *m, wr_sprite_point behind,
                      float length)
{
    float direction[WR_SKIN_EXAMPLES_MAX];
    if (!(wri_sprite_heading(asset, *m, behind, direction) > NEAR)) {
        return false;
    }
    for (int e = 0; e < asset->E; e++) {
        direction[e] = -direction[e];
    }
    *m = wri_sprite_move(asset, *m, direction, length);
    return true;
}

// Returns m_e: d_e leads away from the equilibrium, along the motion, or to an example. At the
// equilibrium itself nothing is away from it, and what stands still moves nowhere: then the other
// of the two says where to.
static wr_sprite_point after_hit(const wr_sprite_asset *asset, const wr_sprite_parameters *p,
                                 wr_sprite_point m, wr_sprite_point before, wr_sprite_point q,
                                 float length)
{
    if (p->give_way == WR_SPRITE_ENERGY_EXAMPLE) {
        float direction[WR_SKIN_EXAMPLES_MAX];
        wr_sprite_point goal = wr_sprite_asset_example_point(asset, p->give_example);
        float way = goal.simplex >= 0 ? wri_sprite_heading(asset, m, goal, direction) : 0.0f;
        return way > 0.0f ? wr_sprite_asset_walk(asset, m, goal, length / way) : m;
    }
    bool along = p->give_way == WR_SPRITE_ENERGY_ALONG;
    if (!move_away(asset, &m, along ? before : q, length)) {
        move_away(asset, &m, along ? q : before, length);
    }
    return m;
}

wri_wish wri_sprite_wish(const wr_sprite_asset *asset, const wr_sprite_parameters *parameters,
                         wr_sprite_point m_p, wr_sprite_point before, wr_sprite_point q, float hit,
                         float speed, float dt)
{
    wri_wish wish = {.m_p = m_p, .m_e = m_p};
    float length = parameters->give * hit;
    if (length > 0.0f) {
        wish.m_e = after_hit(asset, parameters, m_p, before, q, length); // eq. 4.5
    }
    float k_eq = wri_sprite_share(parameters->settle, 60.0f * dt);
    wish.m_eq = wr_sprite_asset_walk(asset, wish.m_e, q, k_eq); // eq. 4.3
    float k_vs = wri_sprite_share(parameters->stretch * speed, 60.0f * dt);
    wish.m_v = towards(asset, wish.m_eq, parameters->stretch_example, k_vs); // eq. 4.6
    return wish;
}
