// contact.h (internal): vertices in contact, and the answer of bodies.
#pragma once

#include "morph.h"

typedef struct wri_contact {
    wr_morph_touch *touch;
    double axes[3][3];  // world: the normal, and two across it
    double local[3][3]; // the same, as forces on the vertex in the bind pose: B^T axis
    double gap;         // metres, as the step begins
    double approach;    // m/s, likewise
    double bias;        // m/s: -bias is the least speed along the normal
    double free[3];     // m/s, along the axes: of the vertex without contacts
    double compliance;  // C, 1/kg
    double inverse_mass[3];
    double p[3];         // N s, on the vertex
    double *J[3], *Y[3]; // rows, and A^-1 of them; `freedom` numbers each
    double *dz;          // what contacts have changed of the body's freedom
    int freedom;
} wri_contact;

typedef struct wri_contacts {
    wri_contact *items;
    int count;
    wr_body_copy *bodies; // of the step
} wri_contacts;

// Before bodies move: gap and speed of approach. rigid may be NULL.
void wri_contact_prepare(const wri_morph *b, wr_morph_touch *touch, const wr_body_copy *rigid,
                         wri_contact *c);
// After they have moved freely.
void wri_contact_make(const wri_morph *b, const wr_body_copy *rigid, wri_contact *c);
void wri_contacts_solve(const wri_contacts *set);
// Adds J^T p to the impulse, and answers the touch.
void wri_contact_finish(wri_morph *b, wri_contact *c, double *impulse);
void wri_contact_apply(wri_morph *b, const double *dv, const double *impulse);
// All of these for the contacts of one full body. False: out of memory.
bool wri_contacts_solve_full(wri_morph *b, const wri_contacts *set, const wr_tasks *tasks,
                             wr_scratch *scratch);
