// air.c: the tetrahedra between the sheets, which never turn inside out.
//
// After M. Müller, N. Chentanez, T.-Y. Kim, M. Macklin. Air meshes for robust collision handling.
// SIGGRAPH 2015: a cell whose volume is less than it wants pushes its corners apart, which is how
// sheets meet. Pushing alone promises nothing. So at the end of a step nodes of cells that have
// become too small go back, by halves and at last to where they were before it, where all was
// well. A map that turns no cell inside out has an inverse: what did not cross does not cross.
#include "plate.h"

#include "../math/double3.h"

#define WANTED 0.25     // of a regular cell's volume
#define OF_REST 0.6     // of its own at rest, at most
#define NEEDED 0.4      // of what it wants: below this it is stopped
#define REGULAR 0.5     // six times a regular cell's volume in cubic pitches
#define CLOSE 1.3       // of what it wants: such cells are looked at in every round
#define LEAST_SHARE 0.2 // of a step: less is none

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

double wri_cell_volume(const double (*x)[3], const int v[4])
{
    double a[3], b[3], c[3], n[3];
    subtract(x[v[1]], x[v[0]], a);
    subtract(x[v[2]], x[v[0]], b);
    subtract(x[v[3]], x[v[0]], c);
    wri_cross3(b, c, n);
    return wri_dot3(a, n);
}

// --- beginning --------------------------------------------------------------------------------

static bool can_change(const wri_plate *p, const int v[4])
{
    bool moves = false, same = p->part[v[0]] >= 0;
    for (int k = 0; k < 4; k++) {
        moves = moves || p->mobility[v[k]] > 0.0;
        same = same && p->part[v[k]] == p->part[v[0]];
    }
    return moves && !same;
}

static bool list_around(wri_plate *p)
{
    p->cells_begin = wri_arena_alloc(p->arena, (size_t)p->count + 2, sizeof *p->cells_begin);
    p->cells_around = wri_arena_alloc(p->arena, (size_t)p->cell_count, 4 * sizeof(int));
    if (!p->cells_begin || !p->cells_around) {
        return false;
    }
    for (int i = 0; i < 4 * p->cell_count; i++) {
        p->cells_begin[p->cells[i / 4].nodes[i % 4] + 2]++;
    }
    for (int i = 0; i <= p->count; i++) {
        p->cells_begin[i + 1] += p->cells_begin[i];
    }
    for (int i = 0; i < 4 * p->cell_count; i++) { // the begin of a node wanders to its end
        p->cells_around[p->cells_begin[p->cells[i / 4].nodes[i % 4] + 1]++] = i / 4;
    }
    return true;
}

bool wri_air_begin(wri_plate *p)
{
    double wanted = WANTED * REGULAR * p->pitch * p->pitch * p->pitch;
    int count = 0;
    for (int i = 0; i < p->cell_count; i++) {
        wri_plate_cell cell = p->cells[i];
        if (can_change(p, cell.nodes)) {
            double rest = wri_cell_volume((const double(*)[3])p->rest, cell.nodes);
            cell.wanted = fmin(wanted, OF_REST * rest);
            cell.needed = NEEDED * cell.wanted;
            p->cells[count++] = cell;
        }
    }
    p->cell_count = count;
    p->close = wri_arena_alloc(p->arena, (size_t)count, sizeof *p->close);
    p->suspects = wri_arena_alloc(p->arena, (size_t)count, sizeof *p->suspects);
    p->next_suspects = wri_arena_alloc(p->arena, (size_t)count, sizeof *p->next_suspects);
    p->is_suspect = wri_arena_alloc(p->arena, (size_t)count, 1);
    return p->close && p->suspects && p->next_suspects && p->is_suspect && list_around(p);
}

// --- pushing ----------------------------------------------------------------------------------

static void push_apart(wri_plate *p, const wri_plate_cell *cell, double lack)
{
    const int *v = cell->nodes;
    double u[4][3], d[3][3], sum = 0.0;
    for (int k = 0; k < 3; k++) {
        subtract(p->x[v[k + 1]], p->x[v[0]], d[k]);
    }
    wri_cross3(d[1], d[2], u[1]);
    wri_cross3(d[2], d[0], u[2]);
    wri_cross3(d[0], d[1], u[3]);
    for (int i = 0; i < 3; i++) {
        u[0][i] = -u[1][i] - u[2][i] - u[3][i];
    }
    for (int k = 0; k < 4; k++) {
        sum += p->mobility[v[k]] * wri_dot3(u[k], u[k]);
    }
    if (!(sum > 0.0)) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        double share = lack / sum * p->mobility[v[k]];
        for (int i = 0; i < 3; i++) {
            p->x[v[k]][i] += share * u[k][i];
        }
    }
}

void wri_air_relax(wri_plate *p, bool back)
{
    for (int i = 0; i < p->close_count; i++) {
        const wri_plate_cell *cell = &p->cells[p->close[back ? p->close_count - 1 - i : i]];
        double lack = cell->wanted - wri_cell_volume((const double(*)[3])p->x, cell->nodes);
        if (lack > 0.0) {
            push_apart(p, cell, lack);
        }
    }
}

// --- guarding ---------------------------------------------------------------------------------

typedef struct guard {
    wri_plate *plate;
    int next_count;
} guard;

static void suspect_around(guard *g, int node)
{
    wri_plate *p = g->plate;
    for (int i = p->cells_begin[node]; i < p->cells_begin[node + 1]; i++) {
        int cell = p->cells_around[i];
        if (!p->is_suspect[cell]) {
            p->is_suspect[cell] = 1;
            p->next_suspects[g->next_count++] = cell;
        }
    }
}

// Half of the way back, of which little is none.
static void go_back(guard *g, int node)
{
    wri_plate *p = g->plate;
    if (p->share[node] == 0.0) {
        return;
    }
    double share = 0.5 * p->share[node], part = share < LEAST_SHARE ? 1.0 : 0.5;
    p->share[node] = share < LEAST_SHARE ? 0.0 : share;
    for (int k = 0; k < 3; k++) {
        p->x[node][k] += part * (p->before[node][k] - p->x[node][k]);
    }
    suspect_around(g, node);
}

// A rigid part, all the way.
static void go_back_whole(guard *g, const wri_plate_part *part)
{
    wri_plate *p = g->plate;
    for (int i = 0; i < part->count; i++) {
        int node = p->part_points[part->first + i];
        if (p->share[node] > 0.0) {
            p->share[node] = 0.0;
            memcpy(p->x[node], p->before[node], sizeof p->x[node]);
            suspect_around(g, node);
        }
    }
}

// Loose nodes go back first; a rigid part only when these are all where they were.
static void check_cell(guard *g, const wri_plate_cell *cell)
{
    wri_plate *p = g->plate;
    bool loose = false;
    while (wri_cell_volume((const double(*)[3])p->x, cell->nodes) < cell->needed) {
        loose = false;
        for (int k = 0; k < 4; k++) {
            int node = cell->nodes[k];
            if (p->part[node] < 0 && p->share[node] > 0.0) {
                loose = true;
                go_back(g, node);
            }
        }
        for (int k = 0; !loose && k < 4; k++) {
            if (p->part[cell->nodes[k]] >= 0) {
                go_back_whole(g, &p->parts[p->part[cell->nodes[k]]]);
            }
        }
        if (!loose) {
            return;
        }
    }
}

void wri_air_guard(wri_plate *p)
{
    guard g = {.plate = p};
    p->close_count = 0;
    for (int i = 0; i < p->count; i++) {
        p->share[i] = p->mobility[i] > 0.0;
    }
    for (int i = 0; i < p->cell_count; i++) {
        double volume = wri_cell_volume((const double(*)[3])p->x, p->cells[i].nodes);
        if (volume < CLOSE * p->cells[i].wanted) {
            p->close[p->close_count++] = i;
            check_cell(&g, &p->cells[i]);
        }
    }
    while (g.next_count > 0) {
        int count = g.next_count, *swap = p->suspects;
        p->suspects = p->next_suspects;
        p->next_suspects = swap;
        g.next_count = 0;
        for (int i = 0; i < count; i++) {
            p->is_suspect[p->suspects[i]] = 0;
        }
        for (int i = 0; i < count; i++) {
            check_cell(&g, &p->cells[p->suspects[i]]);
        }
    }
}
