// contact.h (internal): places of skin in contact, and the answer of bodies.
#pragma once

#include "morph.h"

enum { WRI_CORNERS = 3 };

// A place of a body's skin: a vertex, or one that vertices share.
typedef struct wri_contact_side {
    wri_morph *b;
    int count, vertices[WRI_CORNERS];
    double weights[WRI_CORNERS];
    double sign;                     // -1: it is pushed against the normal
    double local[WRI_CORNERS][3][3]; // per vertex and axis: what an impulse along the axis is as a
                                     // force on the vertex in the bind pose, B^T axis
    double free[3];                  // m/s, along the axes: without contacts
    double compliance;               // its part of C, 1/kg
    double *J[3], *Y[3];             // rows, and A^-1 of them; `freedom` numbers each
    double *dz;                      // what contacts have changed of the body's freedom
    int freedom;                     // 0: of a full body, which has not been asked
} wri_contact_side;

typedef struct wri_contact {
    wri_contact_side sides[2];
    int side_count;
    wr_body_copy *rigid; // in place of a second side; NULL: there is none, or it never moves
    wr_vec3 point;       // of it, world
    double axes[3][3];   // world: the normal, towards the first side, and two across it
    double gap;          // metres, as the step begins
    double begin[3];     // m/s, likewise: of the first side against the other, along the axes
    double bias;         // m/s: -bias is the least speed along the normal
    bool is_gentle;      // overlaps go slowly
    bool is_met;         // it is solved together with others
    double friction, restitution;
    double compliance; // C, 1/kg
    double inverse_mass[3];
    double p[3];     // N s, on the first side
    wr_vec3 *answer; // N s, on the second side or what is rigid
} wri_contact;

// The contact that a side is of, in an array of them.
static inline wri_contact *wri_contact_of(wri_contact *contacts, const wri_contact_side *side)
{
    return &contacts[((const char *)side - (const char *)contacts) / (ptrdiff_t)sizeof *contacts];
}

typedef struct wri_contacts {
    wri_contact **items;
    int count;
} wri_contacts;

// The sides of one body that are in contact.
typedef struct wri_contact_sides {
    wri_contact_side **items;
    int count;
} wri_contact_sides;

// Before bodies move: gap and speeds. Sides have their bodies, vertices and signs.
void wri_contact_prepare(wri_contact *c, wr_vec3 normal);
// After they have moved freely; of reduced bodies also their answers.
void wri_contact_make(wri_contact *c);
// The answers of a full body. False: out of memory.
bool wri_contact_sides_make(wri_morph *b, wri_contact_sides sides, const wr_tasks *tasks,
                            wr_scratch *scratch);
// Whether the sides would overlap as impulses so far leave them.
bool wri_contact_overlaps(const wri_contact *c);
// When all answers are there.
void wri_contact_find_masses(wri_contact *c);
void wri_contacts_solve(const wri_contacts *set);
// Adds J^T p to the impulse.
void wri_contact_side_give(const wri_contact *c, const wri_contact_side *side, double *impulse);
// What dv does at the sides, in place of dz, which is 0 afterwards.
void wri_contact_sides_correct(const wri_contact *c, wri_contact_side *side, const double *dv);
// Answers, and dents what cannot follow.
void wri_contact_finish(const wri_contact *c);
// dv is A^-1 J^T p.
void wri_contact_apply(wri_morph *b, const double *dv, const double *impulse);
