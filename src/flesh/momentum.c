// momentum.c: what a body of flesh carries, and the rigid twist that restores it.
//
// With sums over the shares m w of the nodes and the core of bone i, about its origin,
//
//     S = sum m r,  V = sum m v,  H = sum m r x v,  J = sum m (r.r I - r r^T)
//     P_i = m_i dc/dt + Q (alpha x S + V),   L_i = c x P_i + Q (S x a + J alpha + H)
//     T_i = 1/2 (m_i a.a + alpha.J alpha + sum m v.v) + a.(alpha x S + V) + alpha.H
//
// Spin is what of L is left about the centre of mass: in free flight it stays, however fast it is.
#include "flesh.h"
#include "lever.h"
#include "../math/turn.h"

#include "../math/dense.h"

enum { SUMS = 16 }; // S 0-2, V 3-5, H 6-8, sum m x_i x_j 9-14 (xx yy zz xy yz zx), sum m v.v 15

typedef struct sum_pass {
    const wri_flesh *f;
    double *sums; // per block: SUMS k
} sum_pass;

static void sum_range(void *context, int block, int begin, int end)
{
    const sum_pass *p = context;
    const wr_flesh_model *m = p->f->model;
    double *bones = &p->sums[(size_t)block * SUMS * (size_t)m->bone_count];
    for (int e = begin * WRI_FLESH_BONES; e < end * WRI_FLESH_BONES; e++) {
        int node = e / WRI_FLESH_BONES;
        double share = (double)(m->mass[node] * m->weights[e]), r[3], v[3], moment[3];
        double *out = &bones[SUMS * m->bone_ids[e]];
        if (!(share > 0.0)) {
            continue;
        }
        wri_lever_now(p->f, node, m->bone_ids[e], r);
        for (int k = 0; k < 3; k++) {
            v[k] = (double)p->f->v[node][k];
        }
        wri_cross3(r, v, moment);
        for (int k = 0; k < 3; k++) {
            out[k] += share * r[k];
            out[3 + k] += share * v[k];
            out[6 + k] += share * moment[k];
            out[9 + k] += share * r[k] * r[k];
            out[12 + k] += share * r[k] * r[(k + 1) % 3];
        }
        out[15] += share * wri_dot3(v, v);
    }
}

// Adds what one bone carries; first moment, spin and inertia are about the first bone, for now.
static void add_bone(const wri_flesh *f, int i, const double sums[SUMS], wri_flesh_momentum *out)
{
    const wri_flesh_bone *bone = &f->model->bones[i];
    const wri_flesh_pose *pose = &f->bones[i];
    const double(*Q)[3] = WRI_MATRIX(f->Q[i].m);
    double S[3], J[3][3], spin[3], a[3], P[3], L[3], moment[3], c[3], trace = 0.0;
    for (int k = 0; k < 3; k++) {
        S[k] = sums[k] + bone->core_first[k];
        trace += sums[9 + k];
        c[k] = pose->c[k] - f->bones[0].c[k];
    }
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        J[k][k] = bone->core_inertia[k][k] + trace - sums[9 + k];
        J[k][l] = J[l][k] = bone->core_inertia[k][l] - sums[12 + k];
    }
    wri_apply_transposed(Q, pose->v, a);
    wri_cross3(pose->alpha, S, P);
    wri_cross3(S, a, L);
    wri_apply(WRI_MATRIX(J), pose->alpha, spin);
    out->motion += 0.5 * (bone->M[0][0] * wri_dot3(a, a) + wri_dot3(pose->alpha, spin) + sums[15]) +
                   wri_dot3(a, P) + wri_dot3(a, &sums[3]) + wri_dot3(pose->alpha, &sums[6]);
    for (int k = 0; k < 3; k++) {
        P[k] += bone->M[0][0] * a[k] + sums[3 + k];
        L[k] += spin[k] + sums[6 + k];
    }
    wri_apply(Q, P, P);
    wri_apply(Q, L, L);
    wri_cross3(c, P, moment);
    double first[3], turned[3][3];
    wri_apply(Q, S, first);
    for (int r = 0; r < 3; r++) { // Q J Q^T
        for (int s = 0; s < 3; s++) {
            turned[r][s] = 0.0;
            for (int k = 0; k < 9; k++) {
                turned[r][s] += Q[r][k / 3] * J[k / 3][k % 3] * Q[s][k % 3];
            }
        }
    }
    double mass = bone->M[0][0], square = mass * wri_dot3(c, c) + 2.0 * wri_dot3(c, first);
    for (int r = 0; r < 3; r++) {
        out->P[r] += P[r];
        out->spin[r] += L[r] + moment[r];
        out->center[r] += mass * c[r] + first[r];
        for (int s = 0; s < 3; s++) { // by the axes' theorem
            out->inertia[r][s] += turned[r][s] + (r == s ? square : 0.0) - mass * c[r] * c[s] -
                                  c[r] * first[s] - first[r] * c[s];
        }
    }
    out->mass += mass;
}

// From the first bone to the centre of mass.
static void center(const wri_flesh *f, wri_flesh_momentum *m)
{
    double com[3], moment[3];
    for (int k = 0; k < 3; k++) {
        com[k] = m->center[k] / m->mass;
        m->center[k] = f->bones[0].c[k] + com[k];
    }
    wri_cross3(com, m->P, moment);
    for (int r = 0; r < 3; r++) {
        m->spin[r] -= moment[r];
        m->inertia[r][r] -= m->mass * wri_dot3(com, com);
        for (int s = 0; s < 3; s++) {
            m->inertia[r][s] += m->mass * com[r] * com[s];
        }
    }
}

bool wri_flesh_find_momentum(const wri_flesh *f, const wr_tasks *tasks, wr_scratch *scratch,
                             wri_flesh_momentum *out)
{
    const wr_flesh_model *m = f->model;
    int blocks = wri_block_count(m->node_count, WRI_FLESH_GRAIN);
    size_t used = scratch->used, size = SUMS * (size_t)m->bone_count;
    sum_pass p = {f, wr_scratch_push(scratch, size * (size_t)(blocks + 1), sizeof *p.sums)};
    *out = (wri_flesh_momentum){0};
    if (p.sums) {
        double *total = &p.sums[size * (size_t)blocks];
        wri_parallel_for(tasks, m->node_count, WRI_FLESH_GRAIN, sum_range, &p);
        for (size_t i = 0; i < size * (size_t)blocks; i++) {
            total[i % size] += p.sums[i];
        }
        for (int i = 0; i < m->bone_count; i++) {
            add_bone(f, i, &total[SUMS * i], out);
        }
        center(f, out);
    }
    scratch->used = used;
    return p.sums;
}

// --- the twist --------------------------------------------------------------------------------

static bool solve3(const double A[3][3], const double b[3], double out[3])
{
    double L[9];
    memcpy(L, A, sizeof L);
    memcpy(out, b, 3 * sizeof *out);
    bool ok = wri_dense_factor(3, L);
    if (ok) {
        wri_dense_solve(3, L, out);
    }
    return ok;
}

// All bones are shifted, and move and turn on, as one, so that the body has the momenta and the
// centre of mass of `wanted`. As much of its turning is left out as would be more than `most`, J.
void wri_flesh_restore(wri_flesh *f, const wri_flesh_momentum *now,
                       const wri_flesh_momentum *wanted, double most)
{
    double spin[3], omega[3];
    for (int k = 0; k < 3; k++) {
        spin[k] = wanted->spin[k] - now->spin[k];
    }
    bool turns = solve3(WRI_MATRIX(now->inertia), spin, omega);
    double twist = turns ? 0.5 * wri_dot3(omega, spin) : 0.0;
    for (int k = 0; k < 3 && twist > most; k++) {
        omega[k] *= sqrt(most / twist);
    }
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_flesh_pose *bone = &f->bones[i];
        double arm[3], lift[3] = {0}, alpha[3] = {0};
        for (int k = 0; k < 3; k++) {
            arm[k] = bone->c[k] - now->center[k];
        }
        if (turns) {
            wri_cross3(omega, arm, lift);
            wri_apply_transposed(WRI_MATRIX(f->Q[i].m), omega, alpha);
        }
        for (int k = 0; k < 3; k++) {
            bone->v[k] += (wanted->P[k] - now->P[k]) / now->mass + lift[k];
            bone->alpha[k] += alpha[k];
            bone->c[k] += wanted->center[k] - now->center[k];
        }
    }
}

// --- what it may keep ---------------------------------------------------------------------------

double wri_flesh_motion_about(const wri_flesh_momentum *m)
{
    return m->motion - wri_dot3(m->P, m->P) / (2.0 * m->mass);
}

// About the centre of mass a body turns as a whole, which is omega.spin / 2, and the rest, whose
// momenta are none, moves against that: so these energies add up, and each can be lessened by
// itself. The rest goes first, since it does not change the spin.
void wri_flesh_calm(wri_flesh *f, const wri_flesh_momentum *now, double most)
{
    double omega[3] = {0};
    bool turns = solve3(WRI_MATRIX(now->inertia), now->spin, omega);
    double turning = turns ? 0.5 * wri_dot3(omega, now->spin) : 0.0;
    double rest = wri_flesh_motion_about(now) - turning;
    if (turning + rest <= most) {
        return;
    }
    double room = fmax(most - turning, 0.0);
    double kept = rest > room ? sqrt(room / rest) : 1.0;
    double spun = turning > most ? sqrt(fmax(most, 0.0) / turning) : 1.0;
    for (int i = 0; i < f->model->bone_count; i++) {
        wri_flesh_pose *bone = &f->bones[i];
        double arm[3], lift[3], alpha[3];
        for (int k = 0; k < 3; k++) {
            arm[k] = bone->c[k] - now->center[k];
        }
        wri_cross3(omega, arm, lift);
        wri_apply_transposed(WRI_MATRIX(f->Q[i].m), omega, alpha);
        for (int k = 0; k < 3; k++) {
            double whole = now->P[k] / now->mass;
            bone->v[k] = whole + spun * lift[k] + kept * (bone->v[k] - whole - lift[k]);
            bone->alpha[k] = spun * alpha[k] + kept * (bone->alpha[k] - alpha[k]);
        }
    }
    for (int i = 0; i < f->model->node_count; i++) {
        f->v[i] *= (float)kept;
    }
}
