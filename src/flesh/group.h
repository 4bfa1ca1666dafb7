// group.h: bodies of flesh that touch each other, as the solver of their contacts sees them.
//
// Each contact has an impulse lambda in R^3 on its node, and, the other way, on what it touches.
// The relative velocities are u = c + W lambda, with c those without contact and W = J M^-1 J^T
// (eq. 3.17): of everything that the contacts of the group move, skin, bones and rigid bodies.
// Friction is a compliance C across the normal: u_t = -C lambda_t.
#pragma once

#include "local.h"

#include "../math/double3.h"

#define WRI_SETTLED 1e-2 // of all impulses: what may change in the last round

// A contact as the solver sees it.
typedef struct wri_row {
    wri_flesh_contact *contact;
    int places[4];     // in the patches: of its node, and of the corners it meets
    bool closed;       // it presses
    double compliance; // m/s per N s, across n: how friction gives way; INFINITY: there is none
    double own;        // m/s per N s: how the nodes it stands on give way, each by itself
    double side;       // which part of that is its node's
    double mobility;   // 1/kg: how easily the bones and bodies on both sides are moved, each alone
    double give;       // m/s per N s, along n: how it gives way besides
    double n[3], x[3]; // normal; where: world (own core: bind pose)
    double goal;       // m/s, along n: what the relative velocity is to be at least
    double c[3];       // m/s: relative velocity without contact, less the goal along n
    double lambda[3];  // N s
    double kept[3];    // N s: what it was a round before
    double u[3];       // m/s: c + W lambda
} wri_row;

// One of the bodies, with its patch: the nodes that are in contact.
typedef struct wri_member {
    wri_flesh *f;
    int *nodes;
    int node_count;
    double (*R)[9];     // per node of the patch: sum w Q
    double *pressed;    // likewise: how many contacts that are closed press it from outside
    float *s, *t;       // three of each node of the patch
    double *b, *change; // six of each bone
} wri_member;

// Of a rigid body: impulse and its moment, then what it does.
typedef struct wri_answer {
    double v[6]; // along, and turning
} wri_answer;

typedef struct wri_group {
    wri_member *members;
    int member_count;
    const wr_tasks *tasks;
    wr_body_copy *bodies;
    wri_answer *pushed; // per body; at first their velocities
    double *G;          // 36 of each body: its inverse mass, less what supports keep it from
    int body_count;
    wri_row *rows;
    int count;
    bool is_firm;       // cores give way less than at first, see settle.c
    bool is_local;      // what contacts do to each other nearby is nearly all: there is
    wri_local local;    // this, see local.c
    double *vectors[4]; // for conjugate gradients, three of each row
} wri_group;

// False: out of memory.
bool wri_group_create(wri_group *g, wri_flesh *const *members, int member_count,
                      wri_flesh_contact *const *contacts, int count, wr_scratch *scratch);

// C v, of a closed contact.
static inline void wri_give_way(const wri_row *r, const double v[3], double out[3])
{
    double along = wri_dot3(r->n, v), C = isinf(r->compliance) ? 0.0 : r->compliance;
    for (int k = 0; k < 3; k++) {
        double normal = along * r->n[k];
        out[k] = r->give * normal + C * (v[k] - normal);
    }
}

static inline bool wri_is_own_core(const wri_row *r)
{
    return r->contact->body == WRI_OWN_CORE;
}

static inline bool wri_is_flesh(const wri_row *r)
{
    return r->contact->body <= WRI_FLESH;
}

// On how many nodes it stands.
static inline int wri_feet(const wri_row *r)
{
    return wri_is_flesh(r) ? 4 : 1;
}

// What J makes of the changes of bones and rigid bodies there are, and of the nodes' own (three of
// each node of the patches, bind pose).
void wri_group_gather(const wri_group *g, const wri_row *r, double out[3]);
// The nodes' s, the bones' b and the pushes from all impulses, three of each row.
void wri_group_spread(wri_group *g, const double *lambda);

// out = W lambda; of what is open, too, where that is asked for.
void wri_group_multiply(wri_group *g, const double *lambda, double *out, bool open);

// Of what must be stopped, as the preconditioned norm has it where nodes stand alone.
double wri_group_norm(wri_group *g);
// J, of the impulses there are: lambda.(c + 1/2 W lambda).
double wri_group_work(const wri_group *g);
// u of all rows. Returns the work.
double wri_group_evaluate(wri_group *g);
// Goes on with conjugate gradients from the impulses and u there are, towards those of closed
// contacts for which u + C lambda is zero; u of open ones stays as it was, unless the group is
// local. Returns the energy of the residual, which is `enough`, or the share of that at first,
// unless the iterations were too few.
double wri_group_solve(wri_group *g, int iterations, double enough, double share);
// Finds the impulses of all contacts anew, where no set of closed ones settles: see settle.c, and
// for what is too much for that descend.c. False: out of memory.
bool wri_group_settle(wri_group *g, wr_scratch *scratch);
bool wri_group_descend(wri_group *g, wr_scratch *scratch);

// Coulomb's law as a fixed point: |lambda_t| = |u_t| / C, which is mu lambda_n where it slides. The
// next C is the one that would be right if nothing moved but the node itself: what slides (and has
// been put on the cone) keeps its velocity, what is within the cone is slowed down, until it
// sticks. most: mu lambda_n; across: |lambda_t|; speed: |u_t|.
static inline double wri_rub(double most, double across, double speed, double own, double give)
{
    double least = fmax(1e-4 * own, give); // of what sticks
    return most > 0.0 ? fmax((speed - own * (most - across)) / most, least) : INFINITY;
}
// Of a row. Returns by how much it was off, N s: none where it moves less than `still`, m/s.
double wri_row_rub(wri_row *r, double still);
// Puts an impulse, which is so large along the normal, back on Coulomb's cone. Returns how far it
// was beyond.
double wri_row_clip(wri_row *r, double along);
void wri_row_open(wri_row *r);

// --- local.c, ahead.c: what contacts do to each other nearby ------------------------------------

// Whether that is nearly all: a body of one bone that many fixed things touch.
bool wri_group_find_local(const wri_group *g);
// False: out of memory.
bool wri_group_create_local(wri_group *g, wr_scratch *scratch);
// out = W lambda
void wri_group_multiply_local(wri_group *g, const double *lambda, double *out);
// From the states of the contacts, before the following.
void wri_group_set_springs(wri_group *g);
// z = (W + C)^-1 r of what is closed, roughly. Symmetric and positive definite.
void wri_group_precondition(wri_group *g, const double *r, double *z);
// By sets of closed contacts that are foreseen, from impulses whose velocities are known and whose
// work, J, is given, until the residual's energy is `enough`; what is slower than `still`, m/s,
// does not count. False: they do not settle, and all is as it was. Else `work` is what they do.
bool wri_group_look_ahead(wri_group *g, double enough, double still, double *work);
// Parts of these: all of the rows, to the local ones; what changed there, back; W lambda.
void wri_local_take_rows(wri_group *g);
void wri_local_give_rows(wri_group *g);
void wri_local_multiply(wri_group *g, const f4 *lambda, f4 *out);
