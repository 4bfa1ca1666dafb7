// sprite_scenery.c: the rigid bodies of a scene as its sprites see them.
//
// The plane z = 0 cuts convex pieces out of them, once: static and driven ones are the level, those
// that move freely are bodies of the world of sprites. A cut turns with its body as long as that
// turns about z. A free body that tilts, or leaves its distance from the plane, is cut anew before
// every step, which takes a few microseconds for a box and grows with the square of the corners of
// a hull; where it goes on from there is a matter of its pose alone, so that a world that was
// restored sees the same. Sprites push in the plane: at the height of the centre of mass, so that
// they tilt nothing.
#include "sprite_scenery.h"

#include "sprite_cut.h"

// A piece of level that is driven.
typedef struct driven_piece {
    int piece, body; // number in the world of sprites, and among the bodies of the scene
    wr_quat start;
} driven_piece;

// A body that moves freely. Its number in the world of sprites is its place in the list.
typedef struct free_body {
    const wr_shape *shape;
    wr_pose start;
    float size;   // m
    bool is_anew; // its pieces are not those of the start
} free_body;

// --- making it --------------------------------------------------------------------------------

void wri_scenery_destroy(wri_scenery *scenery)
{
    wri_array_destroy(&scenery->driven);
    wri_array_destroy(&scenery->movers);
    wri_array_destroy(&scenery->corners);
}

static bool fail_for(const wr_ensemble_body *body, const wr_error *why, wr_error *error)
{
    return wri_fail(error, why->code, "body \"%s\": as level of sprites: %s", body->name,
                    why->message);
}

static bool add_piece(wri_scenery *g, const wr_ensemble_body *body, int index,
                      const wr_sprite_level *level, wr_error *error)
{
    wr_error why = {0};
    int piece = wr_sprite_add_level(g->world, level, &why);
    if (piece < 0) {
        return fail_for(body, &why, error);
    }
    driven_piece *driven = body->motion == WR_MOTION_DRIVEN ? wri_array_add(&g->driven, 1) : NULL;
    if (driven) {
        *driven = (driven_piece){piece, index, body->pose.rotation};
    }
    return driven || body->motion != WR_MOTION_DRIVEN || wri_fail_memory(error, sizeof *driven);
}

static bool add_level(wri_scenery *g, const wr_ensemble_body *body, int index, wr_error *error)
{
    wr_sprite_level level = {.position = {body->pose.position.x, body->pose.position.y},
                             .friction = body->friction,
                             .group = body->group,
                             .collides = body->collides};
    if (body->shape->kind == WR_SHAPE_PLANE) {
        return !wri_cut_plane(body->pose, &level.position, &level.angle) ||
               add_piece(g, body, index, &level, error);
    }
    bool ok = true;
    for (int i = 0; ok && i < wri_cut_piece_count(body->shape); i++) {
        ok = wri_cut_piece(body->shape, i, body->pose, &g->corners) ||
             wri_fail_memory(error, sizeof(wr_vec2));
        level.corners = g->corners.items;
        level.corner_count = g->corners.count;
        ok = ok && (g->corners.count == 0 || add_piece(g, body, index, &level, error));
    }
    return ok;
}

// --- what moves freely ------------------------------------------------------------------------

// False: a piece stays as it was, since there is no memory, or it is too thin to have an outline.
static bool cut_body(wri_scenery *g, int body, const wr_shape *shape, wr_pose pose)
{
    bool ok = true;
    for (int i = 0; i < wri_cut_piece_count(shape); i++) {
        ok = wri_cut_piece(shape, i, pose, &g->corners) &&
             wr_sprite_set_outline(g->world, body, i, g->corners.items, g->corners.count, NULL) &&
             ok;
    }
    return ok;
}

static bool add_free(wri_scenery *g, const wr_ensemble_body *body, wr_error *error)
{
    int count = wri_cut_piece_count(body->shape);
    wri_array rooms = wri_array_create(&g->allocator, sizeof(int));
    int *room = wri_array_add(&rooms, count);
    free_body *made = wri_array_add(&g->movers, 1);
    wr_error why = {0};
    bool ok = (room && made) || wri_fail_memory(&why, (size_t)count * sizeof *room);
    for (int i = 0; ok && i < count; i++) {
        room[i] = wri_cut_most_corners(body->shape, i);
    }
    wr_sprite_body_desc desc = {.piece_count = count,
                                .corner_counts = room,
                                .friction = body->friction,
                                .group = body->group,
                                .collides = body->collides};
    int number = ok ? wr_sprite_add_body(g->world, &desc, &why) : -1;
    wri_array_destroy(&rooms);
    if (number < 0) {
        return fail_for(body, &why, error);
    }
    *made = (free_body){body->shape, body->pose, wri_cut_size(body->shape), false};
    cut_body(g, number, body->shape, body->pose);
    return true;
}

bool wri_scenery_create(wri_scenery *g, wr_sprite_world *world, const wr_ensemble_desc *desc,
                        wr_error *error)
{
    *g = (wri_scenery){.allocator = desc->allocator,
                       .world = world,
                       .driven = wri_array_create(&desc->allocator, sizeof(driven_piece)),
                       .movers = wri_array_create(&desc->allocator, sizeof(free_body)),
                       .corners = wri_array_create(&desc->allocator, sizeof(wr_vec2))};
    bool ok = true;
    for (int i = 0; ok && i < desc->body_count; i++) {
        const wr_ensemble_body *body = &desc->bodies[i];
        ok = body->motion == WR_MOTION_MOVING ? add_free(g, body, error)
                                              : add_level(g, body, i, error);
    }
    return ok;
}

// --- a step -----------------------------------------------------------------------------------

static void move_driven(wri_scenery *g, const wr_ensemble_step *step)
{
    for (int i = 0; i < g->driven.count; i++) {
        const driven_piece *d = &WRI_ITEM(g->driven, driven_piece, i);
        wr_pose a = step->begin[d->body], b = step->end[d->body];
        if (g->is_misplaced) {
            wr_sprite_place_level(g->world, d->piece, (wr_vec2){a.position.x, a.position.y},
                                  wri_cut_turn(d->start, a.rotation));
        }
        wr_sprite_move_level(g->world, d->piece, (wr_vec2){b.position.x, b.position.y},
                             wri_cut_turn(d->start, b.rotation));
    }
    g->is_misplaced = false;
}

// Tells whether the plane cuts it otherwise than at the start.
static bool is_tilted(const free_body *body, wr_pose now)
{
    const float most = 1e-3f; // radians / 2, and sizes
    wr_quat q = wr_quat_multiply(now.rotation, wr_quat_conjugate(body->start.rotation));
    bool is_round = body->shape->kind == WR_SHAPE_SPHERE;
    return fabsf(now.position.z - body->start.position.z) > most * body->size ||
           (!is_round && (fabsf(q.x) > most || fabsf(q.y) > most));
}

static void place_free(wri_scenery *g, int number, const wr_rigid_view *view)
{
    free_body *body = &WRI_ITEM(g->movers, free_body, number);
    bool anew = is_tilted(body, view->pose);
    if (anew || body->is_anew) {
        cut_body(g, number, body->shape, anew ? view->pose : body->start);
        body->is_anew = anew;
    }
    wr_sprite_body now = {.position = {view->pose.position.x, view->pose.position.y},
                          .angle =
                              anew ? 0.0f : wri_cut_turn(body->start.rotation, view->pose.rotation),
                          .center = {view->center.x, view->center.y},
                          .velocity = {view->velocity.x, view->velocity.y},
                          .angular_velocity = view->angular_velocity.z,
                          .inverse_mass = view->inverse_mass,
                          .inverse_inertia = view->inverse_inertia[2][2]};
    wr_sprite_place_body(g->world, number, &now);
}

// Contacts that lean out of the plane bear nothing in it.
static void set_bearings(wri_scenery *g, const wr_ensemble_step *step)
{
    const float least = 0.5f;
    wr_sprite_bearing *bearings =
        wr_scratch_push(step->work.scratch, (size_t)step->contact_count, sizeof *bearings);
    int count = 0;
    for (int i = 0; bearings && i < step->contact_count; i++) { // else no memory: nothing bears
        const wr_ensemble_contact *c = &step->contacts[i];
        float length = sqrtf(c->normal.x * c->normal.x + c->normal.y * c->normal.y);
        if (length > least) {
            bearings[count++] =
                (wr_sprite_bearing){.a = c->a,
                                    .b = c->b,
                                    .point = {c->point.x, c->point.y},
                                    .normal = {c->normal.x / length, c->normal.y / length},
                                    .velocity = {c->velocity.x, c->velocity.y},
                                    .gap = c->distance,
                                    .friction = c->friction};
        }
    }
    wr_sprite_set_bearings(g->world, bearings, count);
}

void wri_scenery_begin_step(wri_scenery *g, const wr_ensemble_step *step)
{
    WR_ASSERT(step->mover_count == g->movers.count);
    move_driven(g, step);
    for (int i = 0; i < step->mover_count; i++) {
        place_free(g, i, &step->movers[i].view);
    }
    if (step->mover_count > 0) {
        set_bearings(g, step);
    }
}

void wri_scenery_end_step(const wri_scenery *g, const wr_ensemble_step *step)
{
    const float tiny = 1e-6f; // sizes: what rounding leaves is no shift
    for (int i = 0; i < step->mover_count; i++) {
        const wr_ensemble_mover *mover = &step->movers[i];
        wr_sprite_push p = wr_sprite_body_push(g->world, i);
        float size = WRI_ITEM(g->movers, free_body, i).size;
        bool shifts = fabsf(p.shift.x) + fabsf(p.shift.y) + size * fabsf(p.rotation) > tiny * size;
        wr_push push = {.body = mover->engine,
                        .point = mover->view.center,
                        .impulse = {p.impulse.x, p.impulse.y, 0.0f},
                        .angular_impulse = {0.0f, 0.0f, p.angular_impulse}};
        if (shifts) {
            push.shift = wr_v3(p.shift.x, p.shift.y, 0.0f);
            push.rotation = wr_v3(0.0f, 0.0f, p.rotation);
        }
        if (shifts || p.impulse.x != 0.0f || p.impulse.y != 0.0f || p.angular_impulse != 0.0f) {
            wr_push_add(step->pushes, push); // no memory: the list remembers it
        }
    }
}
