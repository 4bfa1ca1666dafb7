// group.h: bodies of flesh that touch each other, as the solver of their contacts sees them.
//
// Each contact has an impulse lambda in R^3 on its node, and, the other way, on what it touches.
// The relative velocities are u = c + W lambda, with c those without contact and W = J M^-1 J^T
// (eq. 3.17): of everything that the contacts of the group move, skin, bones and rigid bodies.
// Friction is a compliance C across the normal: u_t = -C lambda_t.
#pragma once

#include "relax.h"

#include "../math/double3.h"

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
    double known_lambda[3], known_u[3]; // from which local.c looks ahead
} wri_row;

// The bone of a body that has only one, in the model of what contacts do nearby (local.c), and a
// node of the patch there.
typedef struct wri_core_node {
    f4 lever;
    f4 follow[6]; // -Y: what it does when the bone moves,
    f4 answer[6]; // and when its contacts do not move then
} wri_core_node;

typedef struct wri_core {
    bool is_there;
    double M[36]; // G^-1
    double H[36]; // the factor of that with what the contacts hold it by
    double w[6];  // how it moves
    wri_core_node *nodes;
    wri_columns *outer;    // the springs of what touches a node from outside,
    f4 *outer_b, *inner_b; // and what these, and its core's, would pull with if it stayed
} wri_core;

// One of the bodies, with its patch: the nodes that are in contact.
typedef struct wri_member {
    wri_flesh *f;
    int *nodes;
    int node_count;
    double (*R)[9];     // per node of the patch: sum w Q
    double *pressed;    // likewise: how many contacts that are closed press it from outside
    float *s, *t;       // three of each node of the patch
    double *b, *change; // six of each bone
    // Where the group is local only:
    wri_relax relax; // around the patch
    f4 *own, *whole; // how each node moves there, without its bone and with it
    wri_core core;
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
    bool is_local;      // what contacts do to each other nearby is nearly all, see local.c
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

// Of what must be stopped, as the preconditioned norm has it where nodes stand alone.
double wri_group_norm(wri_group *g);
// J, of the impulses there are: lambda.(c + 1/2 W lambda).
double wri_group_work(const wri_group *g);
// out = W lambda, three of each row; of what is open, too, where that is asked for.
void wri_group_multiply(wri_group *g, const double *lambda, double *out, bool open);
// u of all rows. Returns the work.
double wri_group_evaluate(wri_group *g);
// Goes on with conjugate gradients from the impulses and u there are, towards those of closed
// contacts for which u + C lambda is zero; u of open ones stays as it was, unless the group is
// local. Returns the energy of the residual, which is `enough`, or the share of that at first,
// unless the iterations were too few.
double wri_group_solve(wri_group *g, int iterations, double enough, double share);
// Finds the impulses of all contacts anew, where no set of closed ones settles: see descend.c.
// False: out of memory.
bool wri_group_descend(wri_group *g, wr_scratch *scratch);

// Coulomb's law as a fixed point: |lambda_t| = |u_t| / C, which is mu lambda_n where it slides. The
// next C is the one that would be right if nothing moved but the node itself: what slides (and has
// been put on the cone) keeps its velocity, what is within the cone is slowed down, until it
// sticks. Returns by how much it was off, N s: none where it moves less than `still`, m/s.
double wri_row_rub(wri_row *r, double still);
// Puts an impulse, which is so large along the normal, back on Coulomb's cone. Returns how far it
// was beyond.
double wri_row_clip(wri_row *r, double along);
void wri_row_open(wri_row *r);

// --- local.c: what contacts do to each other nearby ---------------------------------------------

// Whether that is nearly all: bodies of one bone that many fixed things touch.
bool wri_group_find_local(const wri_group *g);
// False: out of memory.
bool wri_group_create_local(wri_group *g, wr_scratch *scratch);
// From the states of the contacts, before the following.
void wri_group_set_springs(wri_group *g);
// z = (W + C)^-1 r of what is closed, roughly. Symmetric and positive definite.
void wri_group_precondition(wri_group *g, const double *r, double *z);
// What there is now is known, and predictions begin there: each is one cycle nearer to the impulses
// and velocities for the states that contacts have by then. anew: how bones answer is found again.
void wri_group_know(wri_group *g);
void wri_group_predict(wri_group *g, bool anew);
