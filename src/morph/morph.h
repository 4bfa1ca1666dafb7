// morph.h (internal): soft bodies whose rest shape and stiffness follow the pose.
//
// Notation, thesis chapter 5, and spec/morph.md where that is more exact:
//
//     u    displacement of nodes in the bind pose      q    degrees of freedom: u, or modes, u = U
//     q x    place in the world: sum_b w_b (c_b + Q_b (X + u - o_b))                 thesis eq. 4.5
//     du_i offset of target i, in modes q_i            b_i  its share at a pose s, sum 1
//     K_i  its stiffness at its own rest shape         M    masses of nodes; of modes the identity
//     h    step, gamma and beta Newmark's              a, b Rayleigh's damping: drag, damping
//
// Equations of motion, with the forces of moving bones on the right (inertia.c):
//
//     M q'' + (a M + b dR/dq) (q' - r') + R(q, s) = f                             thesis eq. 5.1
//
// WR_MORPH_SHAPES has R = sum b_i R_i(q - r) about the rest shape r(s) = sum b_i q_i, for
// WR_MORPH_FORCES R = sum b_i R_i(q - q_i) brings its own, and r is 0.
#pragma once

#include "../base/base.h"
#include "../factor/factor.h"
#include "../math/double3.h"
#include "../math/lanes.h"
#include "wrought/morph.h"

enum { WRI_MORPH_BONES = WR_MORPH_INFLUENCES };

// --- data: data.c -------------------------------------------------------------------------------

// Zeroed arrays for the counts; those that may be NULL are there where `counts` has anything.
wr_morph_data *wri_morph_data_create(const wr_morph_data *counts, const wr_allocator *allocator);
bool wri_morph_data_name(wr_morph_data *data, int target, const char *name);
// More memory that goes with the data.
void *wri_morph_data_add(wr_morph_data *data, size_t count, size_t size);

// --- tetrahedra: tets.c -----------------------------------------------------------------------

typedef struct wri_tet {
    int nodes[4];
    double volume;          // m^3, at its rest shape
    double gradients[4][3]; // 1/m, of the functions that are 1 in one corner and 0 in the others
    double lambda, mu;      // Pa: Lame's
} wri_tet;

// Tetrahedron `tet` in the rest shape of a target. One that the target turns inside out, or nearly,
// has the shape of the model itself; true then.
bool wri_tet_find(const wr_morph_data *data, int target, int tet, wri_tet *out);
// The stiffness between two corners, N/m.
void wri_tet_stiffness(const wri_tet *t, int a, int b, double out[9]);
// St. Venant-Kirchhoff for displacements u of the corners: forces that hold it there, N; energy, J;
// and, unless NULL, tangent stiffness of all pairs of corners.
double wri_tet_stvk(const wri_tet *t, const double u[4][3], double force[4][3],
                    double tangent[4][4][9]);

// --- reduced elasticity: gram.c, cubic.c --------------------------------------------------------

static inline int wri_pair_count(int r)
{
    return r * (r + 1) / 2;
}

// Where entry (i, j) of a symmetric matrix is in its packed lower triangle.
static inline int wri_pair(int i, int j)
{
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

// Products, in the metric of the target's elasticity and summed over its tetrahedra, of the strains
// e_i that modes make and, if `quadratic`, of e_ij, which two of them make together; packed. The
// first r vectors are e_i, then come e_ij with i >= j in the order of wri_pair. False: out of
// memory.
bool wri_gram_find(const wr_morph_data *data, int target, bool quadratic, const wr_tasks *tasks,
                   const wr_allocator *allocator, double *gram);
// Coefficients of the tangent stiffness from all these products, wr_morph_cubic_size numbers:
// monomial by monomial (1, q_i, q_i q_j with i >= j), each a packed matrix.
void wri_cubic_from_gram(int r, const double *gram, double *cubic);
// The coefficients of K(q - offset) in q.
void wri_cubic_shift(int r, const double *offset, double *cubic);
// Forces by Euler's theorem, without their constant, and packed tangent K(q).
void wri_cubic_evaluate(int r, const float *cubic, const double *q, double *force, double *tangent);
double wri_cubic_energy(int r, const float *cubic, const double *q);
// out = sum_i shares[i] tables[i], each of `size` floats.
void wri_cubic_blend(const float *tables, size_t size, int count, const double *shares, float *out);
// The coefficients of a target about its own rest shape. False: out of memory.
bool wri_cubic_make(const wr_morph_data *data, int target, const wr_tasks *tasks,
                    const wr_allocator *allocator, float *out);

// --- pose space: space.c ----------------------------------------------------------------------

// 6 numbers per bone, then the scalars.
void wri_space_describe(const wr_morph_data *data, const wr_pose *poses, const float *scalars,
                        double *descriptor);
double wri_space_kernel(double square, double rounding);
// Shares with sum 1 at a descriptor, and those without negative ones.
void wri_space_shares(const wr_morph_data *data, int target_count, const double *descriptor,
                      double *of_shapes, double *of_stiffness);

// --- models -----------------------------------------------------------------------------------

// Constants of a reduced body's inertia: rows of floats, padded to multiples of four. Per bone 15
// rows of r: of pull (3), wind (3) and the flesh's place in the bind pose (9); and of pairs of
// modes, packed, 3 of turning, antisymmetric, and 6 of stretching, xx yy zz xy xz yz.
typedef struct wri_morph_inertia {
    float *linear, *turning, *stretching;
} wri_morph_inertia;

typedef struct wri_morph_reduced {
    int r;
    double *rest;      // per target: q_i
    double *stiffness; // linear: per target the packed K_i
    double *constant;  // WR_MORPH_FORCES: per target T_i
    float *cubic;      // St. Venant-Kirchhoff: per target, about the model's shape where forces are
                       // interpolated, else about the target's
    wri_morph_inertia inertia;
} wri_morph_reduced;

// A full model is in the order of elimination, free nodes only.
typedef struct wri_morph_full {
    int count;           // free nodes
    int *place_of;       // where a node of the data went; -1: fixed
    int *node_of;        // which node of the data it is
    double *mass;        // kg
    double *rest;        // per target: du_i, three per node
    wri_blocks pattern;  // without values
    float (**values)[9]; // per target: of K_i, N/m
    double *constant;    // linear WR_MORPH_FORCES: per target -K_i du_i
    int *tet_entry;      // per tetrahedron 16 places of blocks; -1: of a fixed node
    wri_tet *tets;       // St. Venant-Kirchhoff: per target
    wri_plan *plan;
    wri_factor **factors; // per target: of A = (1 + gamma h a) M + (beta h^2 + gamma h b) K_i
} wri_morph_full;

// How vertices hang on the degrees of freedom.
typedef struct wri_morph_skin {
    f4 *basis; // reduced: per group of four vertices r times x, y, z
    // Reduced: what targets have beyond the tetrahedra of a group, target by target.
    int *detail_begin; // per target and block of groups, and the end: its first one
    int *detail_of;    // the group of each
    f4 (*details)[3];  // x, y, z
    float *compliance; // per target and vertex, m/N: how far a force moves it when all nodes but
                       // its own stay; see contact.c
} wri_morph_skin;

struct wr_morph_model {
    wri_arena arena;
    const wr_morph_data *data;
    int target_count, freedom;
    bool is_full;
    wr_morph_elasticity elasticity;
    wr_morph_between between;
    double stiffness, damping, drag, gamma, beta, air, dt;
    double inertia_factor, stiffness_factor; // of M and K in A = (1 + gamma h a) M +
                                             // (beta h^2 + gamma h b) K
    double size;                             // metres: cube root of the volume
    double slowest;                          // 1/s^2: least eigenvalue of M^-1 K, of all targets
    wri_morph_reduced reduced;
    wri_morph_full full;
    wri_morph_skin skin;
};

bool wri_reduced_create(wr_morph_model *m, const wr_tasks *tasks, wr_error *error);
bool wri_inertia_create(wr_morph_model *m);
bool wri_full_create(wr_morph_model *m, const wr_tasks *tasks, wr_error *error);
void wri_full_destroy(wr_morph_model *m);
bool wri_morph_skin_create(wr_morph_model *m, wr_error *error);

// --- bodies -----------------------------------------------------------------------------------

typedef struct wri_morph_bone_motion {
    double c[3];     // metres, world: of the bone's origin
    double turn[4];  // Q as a quaternion, x y z w
    double v[3];     // m/s, dc/dt, in the last step
    double alpha[3]; // rad/s, bind pose, likewise
} wri_morph_bone_motion;

// What a bone's motion does to the flesh on it in a step, in the frame of the bind pose.
typedef struct wri_bone_push {
    double Q[3][3];
    double pull[3];              // m/s^2: Q^T (g - c'')
    double wind[3];              // m/s: of air against the bone
    double A[3][3];              // 1/s^2: of alpha' x and alpha x (alpha x, as a matrix
    double loose;                // part of A that acts on displacements themselves, see inertia.c
    double alpha[3], turning[3]; // rad/s; rad/s^2: alpha'
    bool turns;
} wri_bone_push;

typedef struct wri_morph {
    const wr_morph_model *model;
    int number; // in its world
    wri_arena arena;
    bool is_frozen, is_pushed, is_blended, is_dented;
    wri_morph_bone_motion *bones;
    wr_pose *goals;
    float *scalars;    // of the goals
    double *shapes;    // shares of rest shapes, now
    double *shares;    // shares of stiffness, now
    double *q, *v, *a; // degrees of freedom: displacement, velocity, acceleration by all but
                       // contacts
    double *rest;      // r(s), now
    double *push;      // N s, in the next step
    double pushed[3];  // N s, world: all of it together, for the statistics
    wr_vec3 *dents;    // reduced: per vertex, metres, bind pose: what contacts did beyond modes
    wr_morph_statistics statistics;
    // What follows from the above, or lasts for one step.
    wri_bone_push *pushes;
    f4 *maps; // of each bone from the bind pose to the world: three columns, then where 0 goes
    double *descriptor;
    double *rest_velocity, *force, *constant, *change, *missing, *work; // freedom each
    double *tangent;                                                    // reduced: packed, R' now
    double *stiffness; // likewise, at the rest shape
    double *gyration;  // r rows of r: of Coriolis' forces
    double *system;    // r rows of r: factor of A
    float *cubic;      // reduced St. Venant-Kirchhoff: interpolated
    wri_blocks K;      // full: interpolated
    float *vectors;    // full: of conjugate gradients
    double *start;     // full: q as the step began
} wri_morph;

bool wri_morph_create(wri_morph *out, const wr_morph_model *model, const wr_allocator *allocator);
void wri_morph_destroy(wri_morph *b);
// Shares and rest shape of the pose that the bones have; put: nothing moves.
void wri_morph_find_shape(wri_morph *b, bool is_put);
void wri_morph_forget_dents(wri_morph *b);
wri_morph *wri_morph_of(const wr_morph_world *world, int body);

// inertia.c
void wri_bone_set(wri_morph_bone_motion *bone, wr_pose pose, wr_vec3 origin);
void wri_bones_advance(wri_morph *b, const wr_morph_step *step);
void wri_bones_find_maps(wri_morph *b);
// The force of wind on a vertex, N, bind pose.
void wri_wind_of_vertex(const wri_morph *b, int vertex, double out[3]);
// The force on one node, N, bind pose, but for that of Coriolis.
void wri_inertia_of_node(const wri_morph *b, int node, double mass, const double u[3],
                         double out[3]);
// Forces in modes, and in b->gyration what Coriolis' forces are of velocities. False: nothing
// turns, and gyration is not set.
bool wri_inertia_of_modes(const wri_morph *b, double *force, double *gyration);

// A step without contacts: reduced.c, full.c. Shares, rest shape and bones are those of its end.
void wri_reduced_step(wri_morph *b);
void wri_full_step(wri_morph *b, const wr_tasks *tasks);
double wri_reduced_energy(const wri_morph *b); // J, elastic
double wri_full_energy(const wri_morph *b);
// kg: of a mode alone, the diagonal of A at the rest shape.
double wri_reduced_mass(const wri_morph *b, int mode);
// x = A^-1 x, as the last step left A.
void wri_reduced_answer(const wri_morph *b, double *x);

// skin.c: what a displacement q of the degrees of freedom is at a vertex, in the bind pose.
void wri_vertex_displacement(const wri_morph *b, int vertex, const double *q, double out[3]);
// Adds what a force on the vertex, bind pose, is in degrees of freedom.
void wri_vertex_force(const wri_morph *b, int vertex, const double f[3], double *out);
// sum_b w_b Q_b, and where the vertex is in the world and how bones alone move it, metres, m/s.
void wri_vertex_turn(const wri_morph *b, int vertex, double out[3][3]);
void wri_vertex_place(const wri_morph *b, int vertex, double out[3]);
void wri_vertex_velocity(const wri_morph *b, int vertex, double out[3]);
// What is asked of all vertices, each NULL or per vertex.
typedef struct wri_morph_drawn {
    wr_vec3 *displacements; // metres, bind pose
    wr_vec3 *places;        // metres, world
    wr_vec3 *velocities;    // m/s, world
} wri_morph_drawn;
void wri_morph_draw(const wri_morph *b, const wr_tasks *tasks, wri_morph_drawn out);
