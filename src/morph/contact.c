// contact.c: places of skin that meet planes of rigid bodies, or each other; impulses push both.
//
// An impulse p at a vertex acts within Newmark's step on the degrees of freedom by J^T p, with
// J = B_v (vertex' rows of the basis), B_v = sum w_b Q_b; at a place between vertices, on each by
// its share. It is kept out of the acceleration that the next step begins with, which otherwise
// would throw back what has hit something:
//
//     dv = A^-1 J^T p      dq = h/2 dv      da = (dv - M^-1 J^T p) / (h gamma)
//
// fulfils the equations of the step, whose places move with the mean of both velocities, with a
// velocity that jumps by M^-1 J^T p. So its work is p times the mean velocity of the place, and
// linear bodies gain nothing else (reduced.c).
// Wanted are p_n >= 0 and, of the velocity w of the place against what it meets along the normal,
//
//     0 <= p_n  |  w_n + gap/h + max(w_n0, 0) + C p_n >= 0
//
// with friction up to mu p_n that leaves speeds across the normal between 0 and -w_0. w_0 is w as
// the step begins: an impulse works by p (w_0 + w)/2, and so none of them makes energy, but for
// what it takes to lift an overlap. Steps that are long for stiff skin turn its velocity round; it
// is not thrown back by what it was leaving. A body of r modes cannot follow more than r contacts.
// Where it does not, the node below the vertex gives way like a spring of its own stiffness k in
// the full model, p / h = -k (gap + h w_n), which is C = 1 / (h^2 k): any number of contacts has an
// answer (spec, 8), and forces are near those of the full model. Where two skins meet, both give
// way. Solved by projected Gauss-Seidel over all contacts that share bodies.
//
// Full bodies have, in place of degrees of freedom, the velocities of their own contacts, with the
// factor of the nearest target in place of A^-1; what that gets wrong is corrected in rounds.
#include "contact.h"
#include "full.h"

enum { SWEEPS = 40 };
static const double SETTLED = 1e-5;   // of the largest impulse: change that ends the sweeps
static const double PUSH_SPEED = 4.0; // sizes per second: how fast a full body is pushed out
static const double SLOP = 1e-4;      // of the size: overlap of full bodies that stays
static const double GENTLY = 0.2;     // of an overlap of full bodies or two skins that is gone
                                      // after a step
static const double CREEP = 0.1;      // of C across the normal, where no spring remembers
static const double AROUND = 3.0;     // nodes around a node give way, too: factor on its compliance
static const double FULL_SOFT = 0.02; // of C, in full bodies, which give way by themselves

// --- making -------------------------------------------------------------------------------------

static void find_frame(const double n[3], double t[2][3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                        : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double axis[3] = {least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, least == 2 ? 1.0 : 0.0};
    wri_cross3(n, axis, t[0]);
    double length = wri_length3(t[0]);
    for (int k = 0; k < 3; k++) {
        t[0][k] /= length;
    }
    wri_cross3(n, t[0], t[1]);
}

// Minus the least speed along the normal. Reduced skin comes out of a plane as the spring of the
// node below it says. Full bodies are pushed out gently, and so are two skins: their places change
// from step to step, and a spring would give back what another one took.
static double find_bias(const wri_contact *c)
{
    const wr_morph_model *m = c->sides[0].b->model;
    double h = m->dt, slop = c->is_gentle ? SLOP * m->size : 0.0;
    double most = c->is_gentle ? PUSH_SPEED * m->size : INFINITY;
    double out = (c->is_gentle ? GENTLY : 1.0) * (-c->gap - slop) / h;
    double bias = c->gap > 0.0 ? c->gap / h : out > 0.0 ? -(out < most ? out : most) : 0.0;
    double leave = c->restitution * c->begin[0];
    bias = c->restitution > 0.0 && c->gap <= 0.0 && leave < bias ? leave : bias;
    return bias + (c->begin[0] > 0.0 ? c->begin[0] : 0.0);
}

// The sum of something of its vertices along an axis, pushed as the side is.
static double along(const wri_contact_side *side, const double axis[3],
                    void (*find)(const wri_morph *, int, double *))
{
    double sum = 0.0, of[3];
    for (int i = 0; i < side->count; i++) {
        find(side->b, side->vertices[i], of);
        sum += side->weights[i] * wri_dot3(axis, of);
    }
    return side->sign * sum;
}

static double rigid_along(const wri_contact *c, int row)
{
    if (!c->rigid) {
        return 0.0;
    }
    wr_vec3 v = wr_body_copy_velocity(c->rigid, c->point);
    const double *n = c->axes[row];
    return n[0] * (double)v.x + n[1] * (double)v.y + n[2] * (double)v.z;
}

void wri_contact_prepare(wri_contact *c, wr_vec3 normal)
{
    double *n = c->axes[0];
    n[0] = (double)normal.x, n[1] = (double)normal.y, n[2] = (double)normal.z;
    find_frame(n, c->axes + 1);
    memset(c->p, 0, sizeof c->p);
    c->gap = 0.0;
    for (int i = 0; i < c->side_count; i++) {
        c->gap += along(&c->sides[i], n, wri_vertex_place);
    }
    if (c->side_count == 1) {
        const double at[3] = {(double)c->point.x, (double)c->point.y, (double)c->point.z};
        c->gap -= wri_dot3(n, at);
    }
    for (int row = 0; row < 3; row++) {
        c->begin[row] = -rigid_along(c, row);
        for (int i = 0; i < c->side_count; i++) {
            c->begin[row] += along(&c->sides[i], c->axes[row], wri_vertex_velocity);
        }
    }
    c->bias = find_bias(c);
}

// Adds J^T of an impulse along an axis.
static void add_force(const wri_contact_side *side, int row, double impulse, double *out)
{
    for (int i = 0; i < side->count; i++) {
        double f[3];
        for (int k = 0; k < 3; k++) {
            f[k] = impulse * side->local[i][row][k];
        }
        wri_vertex_force(side->b, side->vertices[i], f, out);
    }
}

// J of a velocity of all degrees of freedom, along an axis.
static double velocity_by(const wri_contact_side *side, int row, const double *dv)
{
    double sum = 0.0, u[3];
    for (int i = 0; i < side->count; i++) {
        wri_vertex_displacement(side->b, side->vertices[i], dv, u);
        sum += wri_dot3(side->local[i][row], u);
    }
    return sum;
}

static void find_locals(const wri_contact *c, wri_contact_side *side)
{
    for (int i = 0; i < side->count; i++) {
        double B[3][3], share = side->sign * side->weights[i];
        wri_vertex_turn(side->b, side->vertices[i], B);
        for (int row = 0; row < 3; row++) {
            const double *n = c->axes[row];
            for (int k = 0; k < 3; k++) {
                side->local[i][row][k] = share * (n[0] * B[0][k] + n[1] * B[1][k] + n[2] * B[2][k]);
            }
        }
    }
}

static void find_answers(const wri_contact_side *side)
{
    size_t size = (size_t)side->freedom * sizeof(double);
    for (int row = 0; row < 3; row++) {
        memset(side->J[row], 0, size);
        add_force(side, row, 1.0, side->J[row]);
        memcpy(side->Y[row], side->J[row], size);
        wri_reduced_answer(side->b, side->Y[row]);
    }
}

// m/N: of the node below a vertex, as the shares of the targets have it.
static double nodal_compliance(const wri_morph *b, int vertex)
{
    const wr_morph_model *m = b->model;
    double sum = 0.0;
    for (int i = 0; i < m->target_count; i++) {
        sum += b->shares[i] *
               (double)m->skin.compliance[(ptrdiff_t)i * m->data->vertex_count + vertex];
    }
    return sum;
}

// C of a vertex, 1/kg. With the share of an overlap that goes in a step it is the same spring.
static double compliance_of(const wri_morph *b, int vertex, bool is_gentle)
{
    const wr_morph_model *m = b->model;
    double factor = (is_gentle ? GENTLY : 1.0) * (m->is_full ? FULL_SOFT : AROUND);
    return factor * nodal_compliance(b, vertex) / (m->dt * m->dt);
}

void wri_contact_make(wri_contact *c)
{
    c->compliance = 0.0;
    for (int s = 0; s < c->side_count; s++) {
        wri_contact_side *side = &c->sides[s];
        find_locals(c, side);
        side->compliance = 0.0;
        for (int i = 0; i < side->count; i++) {
            side->compliance += side->weights[i] * side->weights[i] *
                                compliance_of(side->b, side->vertices[i], c->is_gentle);
        }
        c->compliance += side->compliance;
        for (int row = 0; row < 3; row++) {
            side->free[row] = along(side, c->axes[row], wri_vertex_velocity);
        }
        if (!side->b->model->is_full) {
            find_answers(side);
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

// What both do at the contact per impulse: 1/kg.
void wri_contact_find_masses(wri_contact *c)
{
    wr_mat3 inverse = {{{0}}};
    if (c->rigid) {
        inverse = wr_body_copy_inverse_mass(c->rigid, c->point);
    }
    for (int row = 0; row < 3; row++) {
        const double *n = c->axes[row];
        double sum = 0.0;
        for (int i = 0; i < c->side_count; i++) {
            const wri_contact_side *side = &c->sides[i];
            sum += dot(side->J[row], side->Y[row], side->freedom);
        }
        for (int i = 0; i < 9; i++) {
            sum += n[i / 3] * (double)inverse.m[i / 3][i % 3] * n[i % 3];
        }
        c->inverse_mass[row] = sum;
    }
}

// --- full bodies --------------------------------------------------------------------------------

// Rows of a full body are those of its sides: J has a 1 at its own, Y is W between them, by the
// nearest target's factor.
static bool take_rows(wri_contact_sides sides, wr_scratch *scratch)
{
    int rows = 3 * sides.count;
    size_t size = (size_t)rows;
    double *numbers = wr_scratch_push(scratch, (2 * size + 1) * size, sizeof *numbers);
    for (int i = 0; numbers && i < rows; i++) {
        wri_contact_side *side = sides.items[i / 3];
        side->J[i % 3] = numbers + (ptrdiff_t)(1 + i) * rows;
        side->Y[i % 3] = numbers + (ptrdiff_t)(1 + rows + i) * rows;
        side->J[i % 3][i] = 1.0;
        side->dz = numbers;
        side->freedom = rows;
    }
    return numbers;
}

bool wri_contact_sides_make(wri_morph *b, wri_contact_sides sides, const wr_tasks *tasks,
                            wr_scratch *scratch)
{
    int rows = 3 * sides.count, freedom = b->model->freedom;
    size_t size = (size_t)freedom;
    float *columns = wr_scratch_push(scratch, (size_t)rows * size, sizeof *columns);
    double *column = wr_scratch_push(scratch, size, sizeof *column);
    if (!columns || !column || !take_rows(sides, scratch)) {
        return false;
    }
    for (int i = 0; i < rows; i++) {
        memset(column, 0, size * sizeof *column);
        add_force(sides.items[i / 3], i % 3, 1.0, column);
        for (int k = 0; k < freedom; k++) {
            columns[(ptrdiff_t)i * freedom + k] = (float)column[k];
        }
    }
    if (!wri_full_answer(b, columns, rows, tasks)) {
        return false;
    }
    for (int j = 0; j < rows; j++) {
        for (int k = 0; k < freedom; k++) {
            column[k] = (double)columns[(ptrdiff_t)j * freedom + k];
        }
        for (int i = 0; i < rows; i++) {
            sides.items[j / 3]->Y[j % 3][i] = velocity_by(sides.items[i / 3], i % 3, column);
        }
    }
    return true;
}

void wri_contact_sides_correct(const wri_contact *c, wri_contact_side *side, const double *dv)
{
    for (int i = 0; i < side->freedom; i++) {
        side->dz[i] = 0.0;
    }
    for (int row = 0; row < 3; row++) {
        side->free[row] =
            along(side, c->axes[row], wri_vertex_velocity) + velocity_by(side, row, dv);
    }
}

// --- solving ------------------------------------------------------------------------------------

// m/s: of the first side against the other.
static double speed_along(const wri_contact *c, int row)
{
    double w = -rigid_along(c, row);
    for (int i = 0; i < c->side_count; i++) {
        const wri_contact_side *side = &c->sides[i];
        w += side->free[row] + dot(side->J[row], side->dz, side->freedom);
    }
    return w;
}

bool wri_contact_overlaps(const wri_contact *c)
{
    return speed_along(c, 0) + c->bias < 0.0;
}

static void change(wri_contact *c, int row, double by)
{
    const double *n = c->axes[row];
    c->p[row] += by;
    for (int s = 0; s < c->side_count; s++) {
        const wri_contact_side *side = &c->sides[s];
        for (int i = 0; i < side->freedom; i++) {
            side->dz[i] += side->Y[row][i] * by;
        }
    }
    if (c->rigid) {
        wr_body_copy_push(c->rigid, c->point,
                          wr_v3((float)(-by * n[0]), (float)(-by * n[1]), (float)(-by * n[2])));
    }
}

// The impulse across the normal that leaves the speed between 0 and the opposite of what it was as
// the step began.
static double hold(const wri_contact *c, int row)
{
    double creep = CREEP * c->compliance, softness = c->inverse_mass[row] + creep;
    double free = speed_along(c, row) - c->inverse_mass[row] * c->p[row];
    double back = -c->begin[row];
    double wanted = fmax(fmin(free, fmax(back, 0.0)), fmin(back, 0.0));
    return softness > 0.0 ? (wanted - free) / softness : 0.0;
}

// Returns how much the impulse changed.
static double solve_one(wri_contact *c)
{
    double w = speed_along(c, 0), mass = c->inverse_mass[0] + c->compliance;
    double wish = mass > 0.0 ? c->p[0] - (w + c->bias + c->compliance * c->p[0]) / mass : 0.0;
    double by = (wish > 0.0 ? wish : 0.0) - c->p[0], sum = fabs(by);
    change(c, 0, by);
    double tangent[2] = {hold(c, 1), hold(c, 2)}, most = c->friction * c->p[0];
    double length = wri_length2(tangent[0], tangent[1]);
    double share = length > most ? most / length : 1.0;
    for (int k = 0; k < 2; k++) {
        by = share * tangent[k] - c->p[1 + k];
        change(c, 1 + k, by);
        sum += fabs(by);
    }
    return sum;
}

void wri_contacts_solve(const wri_contacts *set)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0.0, largest = 0.0;
        for (int i = 0; i < set->count; i++) {
            wri_contact *c = set->items[i];
            double by = solve_one(c);
            moved = by > moved ? by : moved;
            largest = c->p[0] > largest ? c->p[0] : largest;
        }
        if (moved <= SETTLED * largest) {
            return;
        }
    }
}

// --- what follows -------------------------------------------------------------------------------

void wri_contact_side_give(const wri_contact *c, const wri_contact_side *side, double *impulse)
{
    for (int row = 0; row < 3; row++) {
        add_force(side, row, c->p[row], impulse);
    }
}

// The dents of vertices that modes cannot follow, metres. Contacts around a vertex dent it
// together, not one on top of the other.
static void put_dents(const wri_contact *c, const wri_contact_side *side)
{
    wri_morph *b = side->b;
    for (int i = 0; i < side->count; i++) {
        const double *f = side->local[i][0]; // with the share of the vertex
        double share = wri_length3(f), compliance = compliance_of(b, side->vertices[i], false);
        wr_vec3 *dent = &b->dents[side->vertices[i]];
        wr_vec3 way = wr_normalize(wr_v3((float)f[0], (float)f[1], (float)f[2]));
        float depth = (float)(share * compliance * b->model->dt * c->p[0]) - wr_dot(*dent, way);
        *dent = wr_add_scaled(*dent, fmaxf(depth, 0.0f), way);
    }
    b->is_dented = true;
}

void wri_contact_finish(const wri_contact *c)
{
    double sum[3] = {0.0};
    for (int i = 0; i < 9; i++) {
        sum[i % 3] -= c->p[i / 3] * c->axes[i / 3][i % 3];
    }
    *c->answer = wr_v3((float)sum[0], (float)sum[1], (float)sum[2]);
    for (int i = 0; c->p[0] > 0.0 && i < c->side_count; i++) {
        const wri_contact_side *side = &c->sides[i];
        wr_morph_statistics *statistics = &side->b->statistics;
        statistics->touched++;
        for (int k = 0; k < 3; k++) {
            statistics->impulse[k] -= side->sign * sum[k];
        }
        if (!side->b->model->is_full) {
            put_dents(c, side);
        }
    }
}

void wri_contact_apply(wri_morph *b, const double *dv, const double *impulse)
{
    const wr_morph_model *m = b->model;
    double h = m->dt;
    for (int i = 0; i < m->freedom; i++) {
        double mass = m->is_full ? m->full.mass[i / 3] : 1.0;
        b->v[i] += dv[i];
        b->q[i] += 0.5 * h * dv[i];
        b->a[i] += (dv[i] - impulse[i] / mass) / (h * m->gamma);
    }
}

// --- one vertex alone ---------------------------------------------------------------------------

// Of modes that answer one by one, and the node below the vertex.
static double reduced_inverse_mass(const wri_morph *b, int vertex)
{
    double sum = compliance_of(b, vertex, false);
    for (int k = 0; k < 3; k++) {
        double J[WR_MORPH_MODES_MAX] = {0.0};
        const double axis[3] = {k == 0, k == 1, k == 2};
        wri_vertex_force(b, vertex, axis, J);
        for (int j = 0; j < b->model->reduced.r; j++) {
            sum += J[j] * J[j] / (3.0 * wri_reduced_mass(b, j));
        }
    }
    return sum;
}

// Of the free nodes below the vertex, with some around them.
static double full_inverse_mass(const wri_morph *b, int vertex)
{
    const wr_morph_model *m = b->model;
    const wr_ride *ride = &m->data->rides[vertex];
    double inverse = 0.0, compliance = nodal_compliance(b, vertex);
    for (int i = 0; i < 4; i++) {
        int place = m->full.place_of[m->data->tets[4 * ride->element + i]];
        double w = (double)ride->weights[i];
        inverse += place >= 0 ? w * w / m->full.mass[place] : 0.0;
    }
    return inverse > 0.0 && compliance > 0.0
               ? AROUND / (m->inertia_factor / inverse + m->stiffness_factor / compliance)
               : 0.0;
}

wr_mat3 wr_morph_inverse_mass(const wr_morph_world *world, int body, int vertex)
{
    const wri_morph *b = wri_morph_of(world, body);
    double w = b->model->is_full ? full_inverse_mass(b, vertex) : reduced_inverse_mass(b, vertex);
    wr_mat3 out = {{{0}}};
    out.m[0][0] = out.m[1][1] = out.m[2][2] = (float)w;
    return out;
}
