// controller.h: characters that act: a state machine of two levels over a sprite.
//
//     wr_controller *hero = wr_controller_create(asset, &desc, &error); // what it can do; shared
//     wr_actor *actor = wr_actor_create(hero, world, sprite, NULL, &error);
//     for (;;) {
//         wr_actor_step(actor, buttons_down, dt); // before the step of the world
//         wr_sprite_world_step(world, dt, NULL);
//     }
//
// The upper level is behaviours (stand, walk, jump ...) and the transitions between them, on input
// and on facts of the simulation. The lower level moves the equilibrium q along the behaviour's
// path through the pose manifold. Besides, a behaviour pushes, faces, and changes parameters of the
// sprite while it lasts; what it changed is undone when it is left.
//
// The legs only show how a body walks. A behaviour that walks keeps the speed of the whole body
// along the ground by a push that is at most `grip` times the weight, which the legs may help or
// hinder; its path goes on by the distance travelled (stride), so that feet keep in step with the
// ground. Legs that push the ground by friction alone make a gait that depends on every pose and on
// the step length; the papers, too, let control do what physics would not.
//
// Lengths are in sizes L of the body, speeds in sizes per second, times in seconds. Input is a set
// of buttons, one bit each. Same calls, same bits.
//
// Part of wrought-rt: nothing but create and destroy touches the heap. Thread safety: a controller
// never changes, share it; an actor belongs to the thread of its world.
#pragma once

#include "sprite.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum {
    WR_CONTROLLER_BUTTONS_MAX = 32,
    WR_CONTROLLER_BEHAVIOURS_MAX = 256,
    WR_CONTROLLER_LIST_MAX = 256, // keys of a path, transitions, conditions, settings, pushes
};

// --- conditions -------------------------------------------------------------------------------

typedef enum wr_fact {
    // Buttons: any of a set.
    WR_FACT_PRESSED,  // went down at most `most` seconds ago, 0: since the step before
    WR_FACT_RELEASED, // likewise, up
    WR_FACT_DOWN,     // is down
    // Yes or no.
    WR_FACT_ON_GROUND,
    WR_FACT_TOUCHING,    // anything
    WR_FACT_DONE,        // the path is at its end; never of one that loops
    WR_FACT_FACES_RIGHT, //
    WR_FACT_NEAR,        // looks like `example`: at most `most` of the way from it
    // Numbers, from least to most, both included.
    WR_FACT_TIME,     // s, in this behaviour
    WR_FACT_AIRBORNE, // s, since it was on the ground
    WR_FACT_SPEED,    // sizes per second
    WR_FACT_FORWARD,  // sizes per second, where it faces
    WR_FACT_RISING,   // sizes per second
    WR_FACT_FALLING,  // the same, downwards
    WR_FACT_HIT,      // the energy of the last step's contacts, as in wr_sprite_facts
} wr_fact;

typedef struct wr_condition {
    wr_fact fact;
    bool no;            // the opposite
    uint32_t buttons;   // of facts about buttons
    int example;        // of WR_FACT_NEAR
    double least, most; // times are met at the nearest step
} wr_condition;

// All conditions must hold; there is at least one. The first transition that fires wins, and at
// most one fires per step.
typedef struct wr_transition {
    int to; // behaviour
    const wr_condition *conditions;
    int condition_count;
} wr_transition;

// --- paths ------------------------------------------------------------------------------------

typedef struct wr_pose_key {
    int example;
    double time; // seconds, to the next key; of the last one, to the first (loop) or to the end
} wr_pose_key;

// Between keys the shortest way through the manifold, evenly. A single key is a pose.
typedef struct wr_pose_path {
    const wr_pose_key *keys; // at least 1; times >= 0, in a loop their sum > 0
    int key_count;
    bool loop;
    float stride; // sizes: one round of the loop, or the whole path, per way travelled, backwards
                  // when it goes backwards; 0: it goes on with time
} wr_pose_path;

// --- behaviours -------------------------------------------------------------------------------

// A parameter of the sprite as scene files say it ("settle", "angle" in degrees, words by their
// number), or "friction", "give_example" and "stretch_example"; but for those of its asset.
typedef struct wr_setting {
    const char *parameter;
    double value;
} wr_setting;

// Events of one moment, in this order.
typedef struct wr_effect {
    float brake;            // share of its velocity that it loses, [0, 1]
    float jump;             // sizes that it rises from rest under 9.81 m/s^2; falling stops first
    wr_vec2 kick;           // sizes per second, forward (where it faces) and up
    float angular_velocity; // rad/s, change of it: a forward roll is positive
    bool flip;              // turns round
    const int *releases;    // particles whose nails come out, see wr_sprite_remove_nail
    int release_count;
    const int *nails; // particles that are nailed where they are, see wr_sprite_set_nail: grips,
                      // feet. They stay nailed until something releases them, not only while the
                      // behaviour lasts.
    int nail_count;   // A controller and its sprite may have WR_SPRITE_NAILS_MAX different nails
} wr_effect;

// A direction, left or right.
typedef enum wr_heading {
    WR_HEADING_INPUT,  // whichever of its two buttons is down; both or none: nowhere
    WR_HEADING_FACING, // where it faces
    WR_HEADING_LEFT,
    WR_HEADING_RIGHT,
} wr_heading;

// The side that a character faces.
typedef enum wr_face {
    WR_FACE_STAYS,
    WR_FACE_INPUT,    // where the buttons point
    WR_FACE_VELOCITY, // where it goes, when faster than a fifth of its size per second
    WR_FACE_LEFT,
    WR_FACE_RIGHT,
} wr_face;

// An acceleration while a button is down, or always.
typedef struct wr_push_while {
    uint32_t buttons; // any of them; 0: always
    wr_vec2 along;    // times 9.81 m/s^2, right and up
    float up_to;      // sizes per second, no more than to this speed along it; 0: without end
} wr_push_while;

// Start from wr_behaviour_default().
typedef struct wr_behaviour {
    const char *name;
    wr_pose_path path;
    float rate;          // of the path's time. Default 1
    float blend;         // s, in which q gets from where it was to the path. Default 0
    uint32_t only_while; // the path goes on only while one of these is down. Default 0: always

    float walk; // sizes per second along the ground; 0: does not
    bool steer; // only speeds up towards walk, never slows down: for the air. Default false
    float grip; // times 9.81 m/s^2, at most. Default 2
    wr_heading heading;
    wr_face face;
    const wr_push_while *pushes;
    int push_count;

    const wr_setting *settings; // while it lasts
    int setting_count;
    const float *drag_of_example; // while it lasts, as in wr_sprite_parameters; NULL: as before
    wr_effect enter, leave;

    const wr_transition *transitions;
    int transition_count;
} wr_behaviour;

WR_API wr_behaviour wr_behaviour_default(void);

// Start from wr_controller_desc_default().
typedef struct wr_controller_desc {
    const wr_behaviour *behaviours; // everything is copied
    int behaviour_count;
    int start;                  // behaviour. Default 0
    const char *const *buttons; // names
    int button_count;
    int left, right;               // the buttons that point, -1: none. Default -1
    bool faces_left;               // what the drawing shows. Default false: it looks to the right
    const wr_allocator *allocator; // NULL: the C library's heap
    uint32_t cookie;
} wr_controller_desc;

WR_API wr_controller_desc wr_controller_desc_default(void);

// --- controllers ------------------------------------------------------------------------------

typedef struct wr_controller wr_controller;

// Behaviours that cannot be reached, paths through examples that the manifold does not join and
// numbers out of range are errors that name the behaviour.
WR_API WR_NODISCARD wr_controller *
wr_controller_create(const wr_sprite_asset *asset, const wr_controller_desc *desc, wr_error *error);
WR_API void wr_controller_destroy(wr_controller *controller); // accepts NULL; after its worlds
// These return -1 where none has that name.
WR_API int wr_controller_find_button(const wr_controller *controller, const char *name);
WR_API int wr_controller_find_behaviour(const wr_controller *controller, const char *name);
WR_API const char *wr_controller_button_name(const wr_controller *controller, int button);
WR_API const char *wr_controller_behaviour_name(const wr_controller *controller, int behaviour);
// Returns the point of a path after `seconds`; with a stride, when that share of its time is
// travelled.
WR_API wr_sprite_point wr_controller_path_point(const wr_controller *controller, int behaviour,
                                                double seconds);

// --- actors -----------------------------------------------------------------------------------

typedef struct wr_actor wr_actor;

// The sprite's asset must be the controller's; its parameters now are those that behaviours change
// and give back. It takes the pose where the first path begins; what happens on entering, happens
// in the first step. Nails of the sprite are kept until a behaviour releases them.
WR_API WR_NODISCARD wr_actor *wr_actor_create(const wr_controller *controller,
                                              wr_sprite_world *world, int sprite,
                                              const wr_allocator *allocator, wr_error *error);
WR_API void wr_actor_destroy(wr_actor *actor); // accepts NULL; before or after the world
// Called before every step of the world, with its dt (not in (0, WR_STEP_MAX]: nothing happens).
// down: a bit for each button, the first in bit 0.
WR_API void wr_actor_step(wr_actor *actor, uint32_t down, float dt);

typedef struct wr_actor_facts {
    int behaviour;
    double time;   // s, in it
    double phase;  // s, along its path
    bool done;     // the path is at its end
    uint32_t down; // buttons
    bool faces_right;
    int64_t changes; // of behaviour, so far
} wr_actor_facts;
WR_API wr_actor_facts wr_actor_get_facts(const wr_actor *actor);

// The buttons that are down from a step on, until the next entry of a list.
typedef struct wr_buttons_down {
    int64_t step;
    uint32_t down;
} wr_buttons_down;
// Returns the buttons that are down in a step; keys have increasing steps, and before the first no
// button is down. This depends on the number of the step alone, so that a play can be resumed
// anywhere.
WR_API uint32_t wr_buttons_down_at(const wr_buttons_down *keys, int count, int64_t step);

// The state of an actor besides its sprite's, as bytes. Restore it after the sprite.
WR_API uint64_t wr_actor_hash(const wr_actor *actor);
WR_API size_t wr_actor_save_size(const wr_actor *actor);
WR_API void wr_actor_save(const wr_actor *actor, void *bytes);
WR_API bool wr_actor_restore(wr_actor *actor, const void *bytes, size_t size, wr_error *error);

#if defined(__cplusplus)
}
#endif
