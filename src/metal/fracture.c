// fracture.c: what the bonds between fragments carry, and what is left when they break.
//
// A body is rigid, so impulses J_f with angular impulses H_f on its fragments change its velocity
// by dv = sum J / M and its angular velocity by dw = I^-1 sum H, about its centre of mass. Fragment
// f, with mass m and inertia I_f, takes m (dv + dw x r) of them; what it gets beyond that its bonds
// pass on. Where they form loops that does not say how much each of them passes: they share it as
// if they were elastic, with a stiffness in proportion to their area A, and A k^2 against bending,
// k their radius of gyration. So with a displacement u and a rotation of each fragment,
//     sum over bonds of B^T K B u = R,    F = K B u
// which the method of conjugate gradients solves; R adds up to nothing, so that it can be.
//
// Impulses are summed over the window, as those of patches are, so that a bond breaks by the hit,
// not by the step. A load at rest counts with what it adds up to within the window.
//
// Bodies whose fragments are joined at ties (ties.c) need none of this: the engine says what each
// tie passed on.
//
// When a bond breaks and its part stays connected, the others carry the whole load. When the part
// falls in two, what the hit still had to give acts on each of them alone, and there is less of it,
// since a contact needs less to stop less mass: the rest of the loads is scaled by both.
#include "metal.h"

#include "../math/double3.h"
#include "../math/elementary.h"

#define LEVER 0.4        // section modulus over area and radius of gyration: 0.41 for squares
#define UNBREAKABLE 10.0 // stiffness of bonds that nothing parts, in areas of the body

// --- assets -----------------------------------------------------------------------------------

static bool copy_array(wri_arena *arena, void *out, const void *from, int count, size_t size)
{
    void *copy = wri_arena_alloc(arena, (size_t)count, size);
    if (copy && count > 0) {
        memcpy(copy, from, (size_t)count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return copy != NULL;
}

static double volume_of(const wr_metal_asset *asset, const float *shares)
{
    double sum = 0.0;
    for (int t = 0; t < asset->element_count; t++) {
        const int *v = &asset->elements[4 * (size_t)t];
        const wr_vec3 *u = asset->rest;
        const float *s = &shares[4 * (size_t)t];
        wr_vec3 n = wr_cross(wr_sub(u[v[1]], u[v[0]]), wr_sub(u[v[2]], u[v[0]]));
        double volume = fabs((double)wr_dot(n, wr_sub(u[v[3]], u[v[0]]))) / 6.0;
        sum += volume * (double)(s[0] + s[1] + s[2] + s[3]);
    }
    return sum;
}

static void index_bonds(wr_metal_asset *asset)
{
    int F = asset->F;
    for (int i = 0; i < F * F; i++) {
        asset->bond_between[i] = -1;
    }
    asset->bond_arm = INFINITY;
    for (int i = 0; i < asset->bond_count; i++) {
        const wr_bond *bond = &asset->bonds[i];
        asset->bond_between[bond->a * F + bond->b] = (int16_t)i;
        asset->bond_between[bond->b * F + bond->a] = (int16_t)i;
        if (bond->area > 0.0f) {
            asset->bond_arm = fmin(asset->bond_arm, LEVER * (double)bond->radius);
        }
    }
    for (int v = 0; v < asset->N; v++) {
        asset->fragment_begin[asset->fragments[v] + 1] = v + 1;
    }
    for (int f = 0; f < F; f++) {
        int *end = &asset->fragment_begin[f + 1];
        *end = *end > asset->fragment_begin[f] ? *end : asset->fragment_begin[f];
    }
}

bool wri_metal_find_bonds(wr_metal_asset *asset, const wr_metal_asset_desc *desc)
{
    const wr_fracture *f = desc->fracture;
    if (!f) {
        return true;
    }
    wri_arena *arena = &asset->arena;
    size_t F = (size_t)f->fragment_count;
    asset->F = f->fragment_count;
    asset->corner_count = f->corner_count;
    asset->bond_count = f->bond_count;
    asset->bond_between = wri_arena_alloc(arena, F * F, sizeof *asset->bond_between);
    asset->fragment_begin = wri_arena_alloc(arena, F + 1, sizeof(int));
    if (!asset->bond_between || !asset->fragment_begin ||
        !copy_array(arena, &asset->fragments, f->fragments, asset->N, sizeof(int)) ||
        !copy_array(arena, &asset->origins, f->origins, asset->N, sizeof(int)) ||
        !copy_array(arena, &asset->corners, f->corners, f->corner_count, sizeof(wr_ride)) ||
        !copy_array(arena, &asset->bonds, f->bonds, f->bond_count, sizeof(wr_bond))) {
        return false;
    }
    index_bonds(asset);
    asset->area = wri_exp(2.0 / 3.0 * wri_log(fmax(volume_of(asset, f->shares), 1e-30)));
    return true;
}

// --- bodies -----------------------------------------------------------------------------------

enum { WORK = 6 * 6 }; // numbers per fragment: u, r, p, q, 1 / diagonal, R

bool wri_metal_can_break(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    size_t F = (size_t)asset->F, bonds = (size_t)asset->bond_count;
    body->part_count = 1;
    if (!asset->fragments) {
        return true;
    }
    wri_arena *arena = &body->arena;
    body->loads = wri_arena_alloc(arena, F, sizeof *body->loads);
    body->fragment_masses = wri_arena_alloc(arena, F, sizeof *body->fragment_masses);
    body->broken = wri_arena_alloc(arena, (bonds + 63) / 64, sizeof *body->broken);
    body->part_of = wri_arena_alloc(arena, F, sizeof *body->part_of);
    body->part_properties = wri_arena_alloc(arena, F, sizeof *body->part_properties);
    body->breaks = wri_arena_alloc(arena, bonds, sizeof *body->breaks);
    body->work = wri_arena_alloc(arena, F * WORK, sizeof *body->work);
    return body->loads && body->fragment_masses && body->broken && body->part_of &&
           body->part_properties && body->breaks && body->work && wri_metal_can_tear(body);
}

static bool is_broken(const wr_metal *body, int bond)
{
    return body->broken[bond / 64] >> (bond % 64) & 1;
}

static void add_cross(const double a[3], const double b[3], double out[3])
{
    double c[3];
    wri_cross3(a, b, c);
    for (int k = 0; k < 3; k++) {
        out[k] += c[k];
    }
}

void wri_metal_load(wr_metal *body, int fragment, const double point[3], const double impulse[3])
{
    wri_load *load = &body->loads[fragment];
    double arm[3];
    for (int k = 0; k < 3; k++) {
        arm[k] = point[k] - (double)body->asset->center[k];
        load->fresh_impulse[k] += impulse[k];
    }
    add_cross(arm, impulse, load->fresh_turn);
}

void wr_metal_add_load(wr_metal *body, int fragment, wr_vec3 point, wr_vec3 impulse,
                       wr_vec3 angular_impulse)
{
    WR_ASSERT(fragment >= 0 && fragment < body->asset->F);
    if (!wr_is_finite3(point) || !wr_is_finite3(impulse) || !wr_is_finite3(angular_impulse)) {
        body->statistics.refused++;
        return;
    }
    if (!body->part_of) {
        return;
    }
    const double p[3] = {(double)point.x, (double)point.y, (double)point.z};
    const double j[3] = {(double)impulse.x, (double)impulse.y, (double)impulse.z};
    wri_metal_load(body, fragment, p, j);
    for (int k = 0; k < 3; k++) {
        body->loads[fragment].fresh_turn[k] += (double)(&angular_impulse.x)[k];
    }
}

int wr_metal_fragment_at(const wr_metal *body, wr_vec3 at)
{
    const wr_metal_asset *asset = body->asset;
    int best = 0;
    for (int i = 1; asset->fragments && i < asset->N; i++) {
        best = wr_distance(asset->rest[i], at) < wr_distance(asset->rest[best], at) ? i : best;
    }
    return asset->fragments ? asset->fragments[best] : 0;
}

bool wri_metal_is_loaded(const wr_metal *body)
{
    bool any = wri_metal_ties_loaded(body);
    for (int f = 0; body->loads && f < body->asset->F; f++) {
        const wri_load *load = &body->loads[f];
        any = any || wri_dot3(load->impulse, load->impulse) > 0.0 ||
              wri_dot3(load->fresh_impulse, load->fresh_impulse) > 0.0;
    }
    return any;
}

// --- parts ------------------------------------------------------------------------------------

static void find_fragment_masses(wr_metal *body)
{
    for (int f = 0; body->masses_stale && f < body->asset->F; f++) {
        wri_fragment_mass *mass = &body->fragment_masses[f];
        mass->moments = wri_metal_sum_fragment(body, f, &mass->mass);
    }
    body->masses_stale = false;
}

// Mass and moments of a part.
static double sum_part(const wr_metal *body, int part, wri_moments *sum)
{
    double mass = 0.0;
    *sum = (wri_moments){{0}, {0}};
    for (int f = 0; f < body->asset->F; f++) {
        const wri_fragment_mass *own = &body->fragment_masses[f];
        if (body->part_of[f] != part) {
            continue;
        }
        mass += own->mass;
        for (int k = 0; k < 3; k++) {
            sum->m1[k] += own->moments.m1[k];
        }
        for (int k = 0; k < 6; k++) {
            sum->m2[k] += own->moments.m2[k];
        }
    }
    return mass;
}

void wri_metal_find_part_masses(wr_metal *body)
{
    if (body->part_count == 1) { // the whole body's are known
        return;
    }
    find_fragment_masses(body);
    for (int p = 0; p < body->part_count; p++) {
        wri_moments sum;
        double mass = sum_part(body, p, &sum);
        body->part_properties[p] = wri_metal_properties(body, &sum, mass);
    }
}

int wr_metal_part_count(const wr_metal *body)
{
    return body->part_count;
}

int wr_metal_fragment_part(const wr_metal *body, int fragment)
{
    return wri_metal_part_of(body, fragment);
}

wr_mass_properties wr_metal_part_mass(const wr_metal *body, int part)
{
    WR_ASSERT(part >= 0 && part < body->part_count);
    return body->part_count == 1 ? body->properties : body->part_properties[part];
}

const wr_metal_break *wr_metal_breaks(const wr_metal *body, int *count)
{
    *count = body->break_count;
    return body->breaks;
}

const wr_metal_dent *wr_metal_dents(const wr_metal *body, int *count)
{
    *count = body->dent_count;
    return body->dents;
}

// Gives every fragment that holds together with `first` a mark. Returns their mass.
static double mark_island(const wr_metal *body, int first, uint8_t *marks, uint8_t mark)
{
    const wr_metal_asset *asset = body->asset;
    int stack[WR_FRAGMENTS_MAX], depth = 0;
    double mass = 0.0;
    marks[first] = mark;
    stack[depth++] = first;
    while (depth > 0) {
        int f = stack[--depth];
        mass += body->fragment_masses[f].mass;
        for (int g = 0; g < asset->F; g++) {
            int bond = asset->bond_between[f * asset->F + g];
            if (bond >= 0 && marks[g] == 0 && !is_broken(body, bond)) {
                marks[g] = mark;
                stack[depth++] = g;
            }
        }
    }
    return mass;
}

// An island feels a hit as hard as the whole would have: its patches are pushed in proportion to
// its mass.
static void scale_patches(wr_metal *body, const uint8_t *marks, int mark, double scale)
{
    for (int i = 0; i < body->patch_count; i++) {
        wri_patch *patch = &body->patches[i];
        for (int k = 0; k < 3 && marks[body->patch_fragments[i]] == mark; k++) {
            patch->impulse[k] *= scale;
            patch->window_impulse[k] *= scale;
            patch->load[k] *= scale;
        }
    }
}

// Divides a part that no longer holds together: its heaviest island stays it. left: what its loads
// have still to give. Returns whether it was divided.
static bool divide_part(wr_metal *body, int part, double left)
{
    uint8_t marks[WR_FRAGMENTS_MAX] = {0};
    double masses[WR_FRAGMENTS_MAX + 1], all = 0.0;
    int F = body->asset->F, islands = 0, heaviest = 1;
    for (int f = 0; f < F; f++) {
        if (body->part_of[f] == part && marks[f] == 0) {
            islands++;
            masses[islands] = mark_island(body, f, marks, (uint8_t)islands);
            heaviest = masses[islands] > masses[heaviest] ? islands : heaviest;
            all += masses[islands];
        }
    }
    for (int i = 1; i <= islands && islands > 1; i++) {
        int number = i == heaviest ? part : body->part_count++;
        scale_patches(body, marks, i, masses[i] / all);
        for (int f = 0; f < F; f++) {
            if (marks[f] != i) {
                continue;
            }
            body->part_of[f] = (uint8_t)number;
            for (int k = 0; k < 3; k++) {
                body->loads[f].impulse[k] *= left * masses[i] / all;
                body->loads[f].turn[k] *= left * masses[i] / all;
            }
        }
    }
    return islands > 1;
}

void wri_metal_find_parts(wr_metal *body)
{
    for (int f = 0; f < body->asset->F; f++) {
        body->part_of[f] = 0;
    }
    body->part_count = 1;
    find_fragment_masses(body);
    divide_part(body, 0, 0.0);
    wri_metal_find_part_masses(body);
}

// --- what bonds carry -------------------------------------------------------------------------

// One part as the solver sees it: lengths in body sizes, from its centre of mass.
typedef struct system_of_bonds {
    const wr_metal *body;
    int part;
    double center[3];                        // relative to asset->center, metres
    double *u, *r, *p, *q, *diagonal, *load; // six numbers per fragment
} system_of_bonds;

static double stiffness_of(const wr_metal *body, const wr_bond *bond)
{
    return bond->area > 0.0f ? (double)bond->area / body->asset->area : UNBREAKABLE;
}

static double radius_of(const wr_metal *body, const wr_bond *bond)
{
    double radius = bond->area > 0.0f ? (double)bond->radius / (double)body->asset->L : 0.3;
    return fmax(radius, 1e-3);
}

static bool is_of(const system_of_bonds *s, int bond)
{
    const wr_bond *b = &s->body->asset->bonds[bond];
    return s->body->part_of[b->a] == s->part && s->body->part_of[b->b] == s->part &&
           !is_broken(s->body, bond);
}

static void find_arm(const system_of_bonds *s, const wr_bond *bond, double arm[3])
{
    const float *at = &bond->at.x;
    for (int k = 0; k < 3; k++) {
        arm[k] = ((double)at[k] - (double)s->body->asset->center[k] - s->center[k]) /
                 (double)s->body->asset->L;
    }
}

// K B u: impulse and angular impulse of a bond, about its place.
static void find_bond_load(const system_of_bonds *s, const wr_bond *bond, const double *u,
                           double out[6])
{
    double stiffness = stiffness_of(s->body, bond), k2 = radius_of(s->body, bond), arm[3];
    const double *a = &u[6 * bond->a], *b = &u[6 * bond->b];
    k2 *= k2;
    find_arm(s, bond, arm);
    double turn[3] = {b[3] - a[3], b[4] - a[4], b[5] - a[5]}, by_turn[3];
    wri_cross3(turn, arm, by_turn);
    for (int k = 0; k < 3; k++) {
        out[k] = stiffness * (b[k] - a[k] + by_turn[k]);
        out[3 + k] = stiffness * k2 * turn[k];
    }
}

// out = sum of B^T K B u.
static void apply_bonds(const system_of_bonds *s, const double *u, double *out)
{
    const wr_metal_asset *asset = s->body->asset;
    memset(out, 0, 6 * (size_t)asset->F * sizeof *out);
    for (int i = 0; i < asset->bond_count; i++) {
        const wr_bond *bond = &asset->bonds[i];
        if (!is_of(s, i)) {
            continue;
        }
        double load[6], arm[3], turn[3];
        find_bond_load(s, bond, u, load);
        find_arm(s, bond, arm);
        wri_cross3(arm, load, turn);
        for (int k = 0; k < 3; k++) {
            out[6 * bond->b + k] += load[k];
            out[6 * bond->a + k] -= load[k];
            out[6 * bond->b + 3 + k] += load[3 + k] + turn[k];
            out[6 * bond->a + 3 + k] -= load[3 + k] + turn[k];
        }
    }
}

static void find_diagonal(const system_of_bonds *s)
{
    const wr_metal_asset *asset = s->body->asset;
    for (int i = 0; i < 6 * asset->F; i++) {
        s->diagonal[i] = 0.0;
    }
    for (int i = 0; i < asset->bond_count; i++) {
        const wr_bond *bond = &asset->bonds[i];
        double stiffness = stiffness_of(s->body, bond), k = radius_of(s->body, bond), arm[3];
        if (!is_of(s, i)) {
            continue;
        }
        find_arm(s, bond, arm);
        double all = wri_dot3(arm, arm);
        for (int j = 0; j < 3; j++) {
            double turning = stiffness * (k * k + all - arm[j] * arm[j]);
            s->diagonal[6 * bond->a + j] += stiffness;
            s->diagonal[6 * bond->b + j] += stiffness;
            s->diagonal[6 * bond->a + 3 + j] += turning;
            s->diagonal[6 * bond->b + 3 + j] += turning;
        }
    }
}

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Conjugate gradients with the diagonal as preconditioner; q holds the preconditioned residual
// between the products.
static void solve(system_of_bonds *s)
{
    int n = 6 * s->body->asset->F;
    double goal = 0.0, rho = 0.0;
    memset(s->u, 0, (size_t)n * sizeof *s->u);
    find_diagonal(s);
    for (int i = 0; i < n; i++) {
        s->diagonal[i] = s->diagonal[i] > 0.0 ? 1.0 / s->diagonal[i] : 0.0;
        s->r[i] = s->load[i];
        s->p[i] = s->diagonal[i] * s->r[i];
        rho += s->r[i] * s->p[i];
    }
    goal = 1e-14 * rho; // of squares; rounding alone leaves less, and would be blown up below
    for (int round = 0; round < 4 * n && rho > goal && rho > 0.0; round++) {
        apply_bonds(s, s->p, s->q);
        double curvature = dot(s->p, s->q, n);
        if (!(curvature > 0.0)) {
            break;
        }
        double step = rho / curvature, next = 0.0;
        for (int i = 0; i < n; i++) {
            s->u[i] += step * s->p[i];
            s->r[i] -= step * s->q[i];
            s->q[i] = s->diagonal[i] * s->r[i];
            next += s->r[i] * s->q[i];
        }
        for (int i = 0; i < n; i++) {
            s->p[i] = s->q[i] + next / rho * s->p[i];
        }
        rho = next;
    }
}

// w = I^-1 h, of a part with second moments m2 about its centre; nothing where it has no inertia.
static void solve_turn(const double m2[6], const double h[3], double w[3])
{
    double a[3][3] = {{m2[1] + m2[2], -m2[3], -m2[4]},
                      {-m2[3], m2[0] + m2[2], -m2[5]},
                      {-m2[4], -m2[5], m2[0] + m2[1]}};
    double c[3][3];
    for (int i = 0; i < 3; i++) {
        wri_cross3(a[(i + 1) % 3], a[(i + 2) % 3], c[i]);
    }
    double determinant = wri_dot3(a[0], c[0]);
    for (int i = 0; i < 3; i++) { // the inverse is the transposed matrix of cofactors
        w[i] = determinant > 0.0 ? (c[0][i] * h[0] + c[1][i] * h[1] + c[2][i] * h[2]) / determinant
                                 : 0.0;
    }
}

// R: what bonds must give each fragment. Impulses in N s, angular impulses in N s body sizes.
static void find_residuals(system_of_bonds *s)
{
    const wr_metal *body = s->body;
    double scale = body->mass_scale, L = (double)body->asset->L;
    wri_moments sum;
    double mass = sum_part(body, s->part, &sum), all[3] = {0}, turn[3] = {0}, dv[3], dw[3];
    double m2[6];
    for (int k = 0; k < 3; k++) {
        s->center[k] = sum.m1[k] / mass;
    }
    for (int k = 0; k < 6; k++) {
        static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        m2[k] = scale * (sum.m2[k] - mass * s->center[rows[k]] * s->center[columns[k]]);
    }
    for (int f = 0; f < body->asset->F; f++) {
        const wri_load *load = &body->loads[f];
        for (int k = 0; k < 3 && body->part_of[f] == s->part; k++) {
            all[k] += load->impulse[k];
            turn[k] += load->turn[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        dv[k] = all[k] / (scale * mass);
        all[k] = -all[k];
    }
    add_cross(s->center, all, turn); // about the centre of mass
    solve_turn(m2, turn, dw);
    for (int f = 0; f < body->asset->F; f++) {
        const wri_fragment_mass *own = &body->fragment_masses[f];
        double *out = &s->load[6 * f], first[3], by_turn[3];
        memset(out, 0, 6 * sizeof *out);
        if (body->part_of[f] != s->part) {
            continue;
        }
        for (int k = 0; k < 3; k++) { // first and second moments about the centre of mass
            first[k] = scale * (own->moments.m1[k] - own->mass * s->center[k]);
        }
        double second[6];
        for (int k = 0; k < 6; k++) {
            static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
            int i = rows[k], j = columns[k];
            second[k] = scale * (own->moments.m2[k] - own->moments.m1[i] * s->center[j] -
                                 own->moments.m1[j] * s->center[i] +
                                 own->mass * s->center[i] * s->center[j]);
        }
        wri_cross3(dw, first, by_turn);
        const double inertia[3][3] = {{second[1] + second[2], -second[3], -second[4]},
                                      {-second[3], second[0] + second[2], -second[5]},
                                      {-second[4], -second[5], second[0] + second[1]}};
        double h[3] = {wri_dot3(inertia[0], dw), wri_dot3(inertia[1], dw),
                       wri_dot3(inertia[2], dw)};
        add_cross(first, dv, h); // m (r x dv), and I dw about the centre of mass
        double about[3] = {body->loads[f].turn[0], body->loads[f].turn[1], body->loads[f].turn[2]};
        double back[3];
        for (int k = 0; k < 3; k++) {
            back[k] = -body->loads[f].impulse[k];
        }
        add_cross(s->center, back, about);
        for (int k = 0; k < 3; k++) {
            out[k] = scale * own->mass * dv[k] + by_turn[k] - body->loads[f].impulse[k];
            out[3 + k] = (h[k] - about[k]) / L;
        }
    }
}

// --- breaking ---------------------------------------------------------------------------------

double wri_metal_bond_limit(const wr_metal *body, const wr_bond *bond)
{
    const wr_metal_asset *asset = body->asset;
    double unit = body->mass * (double)asset->v_L * (double)body->parameters.break_speed;
    return bond->area > 0.0f ? unit * (double)bond->strength * (double)bond->area / asset->area
                             : INFINITY;
}

typedef struct worst_bond {
    int bond;     // -1: none
    double ratio; // of what it carries to what it can
    double slack; // N s, the least that any bond can carry more
} worst_bond;

static void look_at_part(wr_metal *body, int part, worst_bond *worst)
{
    const wr_metal_asset *asset = body->asset;
    size_t n = 6 * (size_t)asset->F;
    double *w = body->work;
    system_of_bonds s = {.body = body,
                         .part = part,
                         .u = w,
                         .r = w + n,
                         .p = w + 2 * n,
                         .q = w + 3 * n,
                         .diagonal = w + 4 * n,
                         .load = w + 5 * n};
    find_residuals(&s);
    solve(&s);
    for (int i = 0; i < asset->bond_count; i++) {
        const wr_bond *bond = &asset->bonds[i];
        double load[6], limit = wri_metal_bond_limit(body, bond);
        if (!is_of(&s, i) || isinf(limit)) {
            continue;
        }
        find_bond_load(&s, bond, s.u, load);
        double carried =
            wri_length3(load) + wri_length3(load + 3) / (LEVER * radius_of(body, bond));
        double ratio = limit > 0.0 ? carried / limit : carried > 0.0 ? INFINITY : 0.0;
        worst->slack = fmin(worst->slack, limit - carried);
        if (ratio > worst->ratio) {
            worst->bond = i;
            worst->ratio = ratio;
        }
    }
}

static bool has_bonds(const wr_metal *body, int part)
{
    bool any = false;
    for (int i = 0; i < body->asset->bond_count && !any; i++) {
        any = !is_broken(body, i) && body->part_of[body->asset->bonds[i].a] == part;
    }
    return any;
}

// The impulses on a part within the window, N s.
static double load_of(const wr_metal *body, int part)
{
    double sum = 0.0;
    for (int f = 0; f < body->asset->F; f++) {
        sum += body->part_of[f] == part ? wri_length3(body->loads[f].impulse) : 0.0;
    }
    return sum;
}

void wri_metal_break_bond(wr_metal *body, int bond, double load, double left)
{
    const wr_bond *b = &body->asset->bonds[bond];
    body->broken[bond / 64] |= (uint64_t)1 << (bond % 64);
    body->broken_count++;
    body->breaks[body->break_count++] =
        (wr_metal_break){b->a, b->b, bond, b->at, (float)(load / body->mass)};
    find_fragment_masses(body);
    divide_part(body, body->part_of[b->a], left);
}

// Adds what is new to the window. Returns the sum of all changes, N s.
static double add_to_window(wr_metal *body)
{
    double change = 0.0, decay = body->window_decay;
    double least = 1e-7 * body->mass * (double)body->asset->v_L;
    for (int f = 0; f < body->asset->F; f++) {
        wri_load *load = &body->loads[f];
        double difference[3];
        for (int k = 0; k < 3; k++) {
            double sum = load->impulse[k] * decay + load->fresh_impulse[k];
            difference[k] = sum - load->impulse[k];
            load->impulse[k] = sum;
            load->turn[k] = load->turn[k] * decay + load->fresh_turn[k];
            load->fresh_impulse[k] = load->fresh_turn[k] = 0.0;
        }
        change += wri_length3(difference);
        if (wri_length3(load->impulse) < least) { // forgotten, so that a body can come to rest
            memset(load, 0, sizeof *load);
        }
    }
    return change;
}

// The load of a bond changes by no more than some times an impulse with the longest lever there is:
// until that adds up to what the weakest of them has to spare, none needs to be looked at.
static double find_reach(const wr_metal *body)
{
    return 4.0 * (1.0 + (double)body->asset->L / body->asset->bond_arm);
}

static void break_by_loads(wr_metal *body)
{
    find_fragment_masses(body);
    for (bool again = true; again;) {
        worst_bond worst = {-1, 1.0, INFINITY};
        for (int p = 0; p < body->part_count; p++) {
            if (has_bonds(body, p)) {
                look_at_part(body, p, &worst);
            }
        }
        again = worst.bond >= 0;
        if (again) {
            int part = body->part_of[body->asset->bonds[worst.bond].a];
            wri_metal_break_bond(body, worst.bond, load_of(body, part), 1.0 - 1.0 / worst.ratio);
        }
        body->slack = worst.slack;
    }
}

void wri_metal_break(wr_metal *body)
{
    int parts = body->part_count;
    double change = add_to_window(body);
    if (body->tie_loads) {
        wri_metal_tear(body);
    } else {
        body->slack -= find_reach(body) * change;
        if (body->slack <= 0.0) {
            break_by_loads(body);
        }
    }
    if (body->part_count > parts) {
        wri_metal_find_part_masses(body);
    }
}
