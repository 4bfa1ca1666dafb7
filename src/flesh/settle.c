// settle.c: contacts that no active set settles, directly, where few enough of them press.
//
// For given compliances of friction the impulses minimise
//
//     f = lambda.(c + 1/2 W lambda) + 1/2 (g lambda_n^2 + C lambda_t^2),   lambda_n >= 0
//
// Where what is light is crushed by what is heavy W is so badly conditioned that conjugate
// gradients come to no end. But of hundreds of contacts only some tens press. W of all that ever
// pressed is found column by column, a product each, and the impulses of what is closed by its
// Cholesky factor (Lawson and Hanson's active set, which closes the worst few at a time). Friction
// follows between the rounds, later by half of the way at a time, and then stays: from there on f
// falls in each round, so that there is an end. There no contact is passed and none pulls, but
// where friction jams and has not settled impulses may be beyond Coulomb's cone.
#include "group.h"

#include "../math/dense.h"

#include <stdlib.h>

enum {
    MOST = 1500,  // impulses along and across, of all that ever pressed
    AT_ONCE = 8,  // contacts that are closed in a round, or half as many as there are
    ROUNDS = 60,  // at most
    RUBBING = 16, // of them: friction follows;
    CALMING = 5,  // from here on half the way
    GONE = 100,   // impulses that a factor may have too many of
};
static const double FIRMER = 0.05; // of how cores give way to what comes to no end otherwise
static const double NEARLY = 2e-3; // of the fastest: what contacts may be off in the end
static const double RUBBED = 5e-2; // of all impulses: what friction may be off

// A contact that presses, or did.
typedef struct stand {
    int row, first, size; // impulses: along the normal and, where there is friction, two across it
    double axes[3][3];
    bool closed;
    int loose, loose_size; // where it is among those that are loose
} stand;

// For an open contact to be closed.
typedef struct wish {
    double speed; // m/s
    int row;
} wish;

typedef struct settling {
    wri_group *g;
    double fastest; // m/s
    stand *stands;
    int *stand_of; // per row, -1: none
    int stand_count;
    wish *wishes;
    // Per impulse of all stands:
    int size, room;
    double *W;                        // rows of `room`
    double *c, *D, *lambda, *aim, *x; // D: how impulses give way besides
    // Per impulse of what is closed, when the factor was found:
    int *loose; // which of all it is
    int loose_count;
    double *A;    // its factor
    double *stop; // what would stop all of it
    // Of these that were let go since:
    int *gone;
    int gone_count;
    double *Z; // their columns of the inverse
    double *S; // these where they are gone themselves, then its factor
} settling;

static double along(const wri_row *r, const double v[3])
{
    return wri_dot3(r->n, v);
}

static double *row_of(const settling *s, int impulse)
{
    return s->W + (ptrdiff_t)impulse * s->room;
}

// --- W ----------------------------------------------------------------------------------------

// Two directions across the first of three.
static void find_axes(const double n[3], double axes[3][3])
{
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double other[3] = {least == 0, least == 1, least == 2}, length;
    memcpy(axes[0], n, 3 * sizeof *n);
    wri_cross3(n, other, axes[1]);
    length = wri_length3(axes[1]);
    for (int k = 0; k < 3; k++) {
        axes[1][k] /= length;
    }
    wri_cross3(n, axes[1], axes[2]);
}

static int size_of(const wri_row *r)
{
    return wri_is_own_core(r) || !(r->contact->friction > 0.0f) ? 1 : 3;
}

// False: there is no room.
static bool add_stand(settling *s, int row)
{
    wri_row *r = &s->g->rows[row];
    int size = size_of(r);
    if (s->size + size > s->room) {
        return false;
    }
    stand *to = &s->stands[s->stand_count];
    *to = (stand){.row = row, .first = s->size, .size = size};
    find_axes(r->n, to->axes);
    for (int k = 0; k < size; k++) {
        s->c[s->size + k] = wri_dot3(to->axes[k], r->c);
        s->lambda[s->size + k] = 0.0;
    }
    s->stand_of[row] = s->stand_count++;
    s->size += size;
    return true;
}

// What an impulse does to all that ever pressed: a column of W, and the row that is the same.
static void find_column(settling *s, const stand *from, int axis)
{
    wri_group *g = s->g;
    double *lambda = g->vectors[0], *u = g->vectors[1];
    int column = from->first + axis;
    memset(lambda, 0, 3 * (size_t)g->count * sizeof *lambda);
    memcpy(&lambda[3 * from->row], from->axes[axis], sizeof from->axes[axis]);
    wri_group_multiply(g, lambda, u, false);
    for (int i = 0; i < s->stand_count; i++) {
        const stand *to = &s->stands[i];
        for (int k = 0; k < to->size; k++) {
            double value = wri_dot3(to->axes[k], &u[3 * to->row]);
            row_of(s, to->first + k)[column] = row_of(s, column)[to->first + k] = value;
        }
    }
}

// Of all stands from the given one on.
static void find_columns(settling *s, int begin)
{
    for (int i = 0; i < s->g->count; i++) {
        s->g->rows[i].closed = s->stand_of[i] >= 0;
    }
    for (int i = begin; i < s->stand_count; i++) {
        for (int k = 0; k < s->stands[i].size; k++) {
            find_column(s, &s->stands[i], k);
        }
    }
}

// --- a round ----------------------------------------------------------------------------------

// The impulses of what is closed: across the normal only where friction is known.
static void list_loose(settling *s)
{
    s->loose_count = 0;
    for (int i = 0; i < s->stand_count; i++) {
        stand *at = &s->stands[i];
        const wri_row *r = &s->g->rows[at->row];
        at->loose = s->loose_count;
        at->loose_size = !at->closed ? 0 : isinf(r->compliance) ? 1 : at->size;
        for (int k = 0; k < at->loose_size; k++) {
            s->loose[s->loose_count++] = at->first + k;
            s->D[at->first + k] = k == 0 ? r->give : r->compliance;
        }
    }
}

// J: f, of impulses that are loose.
static double value_of(const settling *s, const double *lambda)
{
    double sum = 0.0;
    for (int i = 0; i < s->loose_count; i++) {
        int a = s->loose[i];
        if (lambda[a] == 0.0) {
            continue;
        }
        double u = 0.5 * s->D[a] * lambda[a];
        for (int k = 0; k < s->loose_count; k++) {
            u += 0.5 * row_of(s, a)[s->loose[k]] * lambda[s->loose[k]];
        }
        sum += lambda[a] * (s->c[a] + u);
    }
    return sum;
}

// Factors the system of what is closed. False: it is not positive.
static bool factor_closed(settling *s)
{
    list_loose(s);
    s->gone_count = 0;
    int count = s->loose_count;
    for (int i = 0; i < count; i++) {
        double *row = s->A + (ptrdiff_t)i * count;
        for (int k = 0; k <= i; k++) {
            row[k] = row_of(s, s->loose[i])[s->loose[k]];
        }
        row[i] += s->D[s->loose[i]];
        s->stop[i] = -s->c[s->loose[i]];
    }
    if (!wri_dense_factor(count, s->A)) {
        return false;
    }
    wri_dense_solve(count, s->A, s->stop);
    return true;
}

// Impulses that stop all that is closed, where those that are gone are none: A x = -c + E y with
// E^T x = 0, so that x = stop - Z (E^T Z)^-1 E^T stop, Z = A^-1 E. False: they cannot be found.
static bool find_aim(settling *s)
{
    double *y = s->x;
    int count = s->loose_count, gone = s->gone_count;
    for (int i = 0; i < gone; i++) {
        y[i] = s->stop[s->gone[i]];
        for (int k = 0; k <= i; k++) {
            s->S[i * gone + k] = s->Z[(ptrdiff_t)i * s->room + s->gone[k]];
        }
    }
    if (!wri_dense_factor(gone, s->S)) {
        return false;
    }
    wri_dense_solve(gone, s->S, y);
    memset(s->aim, 0, (size_t)s->size * sizeof *s->aim);
    for (int i = 0; i < count; i++) {
        s->aim[s->loose[i]] = s->stop[i];
    }
    for (int k = 0; k < gone; k++) {
        const double *z = s->Z + (ptrdiff_t)k * s->room;
        for (int i = 0; i < count; i++) {
            s->aim[s->loose[i]] -= y[k] * z[i];
        }
    }
    for (int k = 0; k < gone; k++) {
        s->aim[s->loose[s->gone[k]]] = 0.0;
    }
    return true;
}

// The columns of those that were let go last.
static void add_gone(settling *s, int count)
{
    for (int i = 0; i < count; i++, s->gone_count++) {
        double *z = s->Z + (ptrdiff_t)s->gone_count * s->room;
        memset(z, 0, (size_t)s->loose_count * sizeof *z);
        z[s->gone[s->gone_count]] = 1.0;
        wri_dense_solve(s->loose_count, s->A, z);
    }
}

// Where what would pull is let go of at once, if that is better than where the impulses are.
static bool let_go_of_all(settling *s)
{
    bool any = false;
    memcpy(s->x, s->aim, (size_t)s->size * sizeof *s->x);
    for (int i = 0; i < s->stand_count; i++) {
        const stand *at = &s->stands[i];
        if (at->closed && !(s->aim[at->first] > 0.0)) {
            memset(&s->x[at->first], 0, (size_t)at->size * sizeof *s->x);
            any = true;
        }
    }
    return !any || value_of(s, s->x) < value_of(s, s->lambda);
}

// Which part of the way to the aim a contact goes until it would pull.
static double share_of(const settling *s, const stand *at)
{
    double now = s->lambda[at->first], then = s->aim[at->first];
    return !at->closed || then > 0.0 ? 1.0 : now > 0.0 ? now / (now - then) : 0.0;
}

// As far towards the aim as nothing pulls.
static void let_go_of_first(settling *s)
{
    double share = 1.0;
    for (int i = 0; i < s->stand_count; i++) {
        share = fmin(share, share_of(s, &s->stands[i]));
    }
    for (int i = 0; i < s->size; i++) {
        s->x[i] = s->lambda[i] + share * (s->aim[i] - s->lambda[i]);
    }
    for (int i = 0; i < s->stand_count; i++) {
        const stand *at = &s->stands[i];
        if (at->closed && !(s->aim[at->first] > 0.0) && share_of(s, at) <= share) {
            s->x[at->first] = 0.0;
        }
    }
}

// Whether a contact would pull, and presses no more.
static bool is_loosened(const settling *s, const stand *at)
{
    return at->closed && !(s->aim[at->first] > 0.0) && !(s->lambda[at->first] > 0.0);
}

// Returns how many impulses are let go.
static int open_loosened(settling *s)
{
    int count = 0;
    for (int i = 0; i < s->stand_count; i++) {
        stand *at = &s->stands[i];
        if (is_loosened(s, at)) {
            at->closed = false;
            memset(&s->lambda[at->first], 0, (size_t)at->size * sizeof *s->lambda);
            for (int k = 0; k < at->loose_size; k++, count++) {
                s->gone[s->gone_count + count] = at->loose + k;
            }
        }
    }
    return count;
}

// The impulses of what is closed, less those that would pull. False: they cannot be found.
static bool solve_closed(settling *s)
{
    bool ok = factor_closed(s);
    for (int opened = 1; ok && opened > 0;) {
        ok = find_aim(s);
        if (ok) {
            if (!let_go_of_all(s)) {
                let_go_of_first(s);
            }
            memcpy(s->lambda, s->x, (size_t)s->size * sizeof *s->lambda);
            opened = open_loosened(s);
            if (s->gone_count + opened > GONE) {
                ok = factor_closed(s);
            } else {
                add_gone(s, opened);
            }
        }
    }
    return ok;
}

static void give_rows(settling *s)
{
    for (int i = 0; i < s->stand_count; i++) {
        const stand *at = &s->stands[i];
        wri_row *r = &s->g->rows[at->row];
        if (!at->closed) {
            wri_row_open(r);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            r->lambda[k] = 0.0;
            for (int l = 0; l < at->size; l++) {
                r->lambda[k] += s->lambda[at->first + l] * at->axes[l][k];
            }
        }
    }
}

// --- rounds -----------------------------------------------------------------------------------

static double speed_of(const settling *s, int row)
{
    const wri_row *r = &s->g->rows[row];
    return along(r, r->u) + r->give * along(r, r->lambda);
}

static bool is_closed(const settling *s, int row)
{
    return s->stand_of[row] >= 0 && s->stands[s->stand_of[row]].closed;
}

// Friction follows, in the end only that of contacts which have none yet. Returns how far it was
// off, of all impulses.
static double rub(settling *s, int round)
{
    double off = 0.0, all = 0.0;
    for (int i = 0; i < s->stand_count; i++) {
        wri_row *r = &s->g->rows[s->stands[i].row];
        bool follows = round < RUBBING || isinf(r->compliance);
        if (s->stands[i].closed && s->stands[i].size > 1 && follows) {
            double before = r->compliance;
            all += along(r, r->lambda);
            off += fabs(wri_row_rub(r, NEARLY * s->fastest));
            bool calms = round >= CALMING && isfinite(before) && isfinite(r->compliance);
            r->compliance = calms ? sqrt(before * r->compliance) : r->compliance;
        }
    }
    return all > 0.0 ? off / all : 0.0;
}

static int compare_wishes(const void *a, const void *b)
{
    const wish *x = a, *y = b;
    return x->speed != y->speed ? (x->speed > y->speed) - (x->speed < y->speed) : x->row - y->row;
}

// What goes in, the worst first. Returns how many.
static int find_wishes(settling *s)
{
    int count = 0;
    for (int i = 0; i < s->g->count; i++) {
        double speed = speed_of(s, i);
        if (!is_closed(s, i) && speed < -NEARLY * s->fastest) {
            s->wishes[count++] = (wish){speed, i};
        }
    }
    qsort(s->wishes, (size_t)count, sizeof *s->wishes, compare_wishes);
    return count;
}

// Makes room: what pressed, but does not any more.
static void forget_open(settling *s)
{
    int count = 0, size = 0;
    for (int i = 0; i < s->stand_count; i++) {
        stand at = s->stands[i];
        s->stand_of[at.row] = at.closed ? count : -1;
        for (int k = 0; k < at.size && at.closed; k++) {
            s->loose[size++] = at.first + k;
        }
        if (at.closed) {
            at.first = size - at.size;
            s->stands[count++] = at;
        }
    }
    for (int i = 0; i < size; i++) { // none is later than what it comes from
        s->c[i] = s->c[s->loose[i]];
        s->lambda[i] = s->lambda[s->loose[i]];
        for (int k = 0; k < size; k++) {
            row_of(s, i)[k] = row_of(s, s->loose[i])[s->loose[k]];
        }
    }
    s->stand_count = count;
    s->size = size;
}

// False: there is no room.
static bool close_worst(settling *s, int wishes)
{
    int closed = 0, most;
    bool fits = true;
    for (int i = 0; i < s->stand_count; i++) {
        closed += s->stands[i].closed;
    }
    most = closed / 2 > AT_ONCE ? closed / 2 : AT_ONCE;
    if (s->size + 3 * most > s->room) {
        forget_open(s);
    }
    int begin = s->stand_count;
    for (int i = 0; i < wishes && i < most && fits; i++) {
        int row = s->wishes[i].row;
        fits = s->stand_of[row] >= 0 || add_stand(s, row);
        if (fits) {
            s->stands[s->stand_of[row]].closed = true;
        }
    }
    find_columns(s, begin);
    return fits;
}

// From nothing at all: most of what the sets closed last does not press.
static void begin(settling *s)
{
    wri_group *g = s->g;
    for (int i = 0; i < g->count; i++) {
        wri_row *r = &g->rows[i];
        s->stand_of[i] = -1;
        s->fastest = fmax(s->fastest, -along(r, r->c));
        r->give *= wri_is_own_core(r) && !g->is_firm ? FIRMER : 1.0;
        wri_row_open(r);
    }
    g->is_firm = true;
    wri_group_evaluate(g);
}

static void go_on(settling *s)
{
    bool goes_on = true;
    for (int round = 0; round < ROUNDS && goes_on; round++) {
        bool is_off = rub(s, round) > RUBBED || round == 0;
        int wishes = find_wishes(s);
        goes_on = (is_off || wishes > 0) && close_worst(s, wishes) && solve_closed(s);
        if (goes_on) {
            give_rows(s);
            wri_group_evaluate(s->g);
        }
    }
}

bool wri_group_settle(wri_group *g, wr_scratch *scratch)
{
    size_t used = scratch->used, rows = (size_t)g->count, room = 0;
    for (int i = 0; i < g->count; i++) {
        room += (size_t)size_of(&g->rows[i]);
    }
    room = room < MOST ? room : MOST;
    settling s = {.g = g,
                  .room = (int)room,
                  .stands = wr_scratch_push(scratch, rows, sizeof *s.stands),
                  .stand_of = wr_scratch_push(scratch, rows, sizeof *s.stand_of),
                  .wishes = wr_scratch_push(scratch, rows, sizeof *s.wishes),
                  .W = wr_scratch_push(scratch, room * room, sizeof *s.W),
                  .A = wr_scratch_push(scratch, room * room, sizeof *s.A),
                  .c = wr_scratch_push(scratch, 6 * room, sizeof *s.c),
                  .loose = wr_scratch_push(scratch, 2 * room, sizeof *s.loose),
                  .Z = wr_scratch_push(scratch, GONE * room, sizeof *s.Z),
                  .S = wr_scratch_push(scratch, GONE * GONE, sizeof *s.S)};
    bool ok = s.stands && s.stand_of && s.wishes && s.W && s.A && s.c && s.loose && s.Z && s.S;
    if (ok) {
        s.D = s.c + room;
        s.lambda = s.D + room;
        s.aim = s.lambda + room;
        s.x = s.aim + room;
        s.stop = s.x + room;
        s.gone = s.loose + room;
        begin(&s);
        go_on(&s);
    }
    scratch->used = used;
    return ok;
}
