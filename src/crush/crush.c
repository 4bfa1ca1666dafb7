// crush.c: a tool is pressed into a sheet, taken away, and the sheet comes to rest.
//
// The press takes the time 1, in small steps of equal length (see plate.c); speeds are damped, so
// that folds form one after another where the tool is, as in a slow press. Where more triangles
// cross in the end than may, it is done again and stops earlier.
#include "crush.h"

#include "plate.h"

#include "../math/double3.h"

enum {
    ROUNDS = 3,    // of a step
    AIR_EVERY = 3, // steps after which air is made even
    TRIALS = 10,   // depths at most
};
static const uint32_t COOKIE = 0xc2054;

#define DAMPING 1500.0     // of speeds, per time of the press: folds grow where the tool is
#define REST_DAMPING 100.0 // afterwards
#define DWELL_SHARE 0.3    // steps in which the tool stays, of those of the press
#define REST_SHARE 0.5     // steps after the press, of those of it
#define TOOL_SHARE 0.3     // of what is deep in the tool that is put right in a step
#define FRICTION 0.5       // between tool and sheet
#define LARGEST_STEP 0.06  // pitches that a point goes in a step, at most
// Share of the body's length from which on a press has all of its nudges, about what the places
// press: the sheet of a shallow one must not fold of itself.
#define DEEP 0.13
#define DEEP_AT_WALL 0.45
#define LEAST_CELL 1e-3 // of the longest side

wr_crush_desc wr_crush_desc_default(void)
{
    return (wr_crush_desc){.hold = 0.45,
                           .yield = 3.0,
                           .bend = 0.01,
                           .steps = 400,
                           .crossing = 0.005,
                           .allocator = *wr_allocator_default(),
                           .cookie = COOKIE};
}

const char *wr_crush_shape_name(wr_crush_shape shape)
{
    static const char *const names[] = {"plane", "sphere", "post", "box", "wedge", "mesh"};
    return names[shape];
}

// --- steps ------------------------------------------------------------------------------------

typedef struct press {
    const wr_crush_desc *desc;
    wri_plate plate;
    wri_tool tool;
    double first; // travel at the first touch
    double depth; // sizes
    double share; // of it after which the press stops
    double nudge; // share of its nudges that the sheet gets
    double wall;  // along the way: where the wall behind the body is, infinite: there is none
    double way[3];
} press;

// Goes on as it went, slowed.
static void predict(wri_plate *p, double keep)
{
    double limit = LARGEST_STEP * p->pitch;
    for (int i = 0; i < p->count; i++) {
        if (p->mobility[i] == 0.0) {
            continue;
        }
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = p->x[i][k] - p->before[i][k];
            p->before[i][k] = p->x[i][k];
        }
        double length2 = wri_dot3(d, d);
        double share = length2 > limit * limit ? keep * limit / sqrt(length2) : keep;
        for (int k = 0; k < 3; k++) {
            p->x[i][k] += share * d[k];
        }
    }
}

// Out of the tool along its normal; friction takes what it can of the slip since the last step.
static void push_out(wri_plate *p, int i, double depth, const double normal[3], const double go[3])
{
    double slip[3], along = 0.0, little = LARGEST_STEP * p->pitch;
    depth = depth < little ? depth : fmax(little, TOOL_SHARE * depth);
    for (int k = 0; k < 3; k++) {
        p->x[i][k] += depth * normal[k];
        slip[k] = p->x[i][k] - p->before[i][k] - go[k];
    }
    along = wri_dot3(slip, normal);
    for (int k = 0; k < 3; k++) {
        slip[k] -= along * normal[k];
    }
    double length = wri_length3(slip);
    double share = length > FRICTION * depth ? FRICTION * depth / length : 1.0;
    for (int k = 0; k < 3 && length > 0.0; k++) {
        p->x[i][k] -= share * slip[k];
    }
}

static void meet_tool(press *s, double travel, double last)
{
    wri_plate *p = &s->plate;
    double go[3];
    for (int k = 0; k < 3; k++) {
        go[k] = (travel - last) * s->way[k];
    }
    for (int i = 0; i < p->count; i++) {
        double normal[3];
        if (p->mobility[i] == 0.0 || p->area[i] == 0.0) {
            continue;
        }
        double distance = wri_tool_distance(&s->tool, travel, p->x[i], normal);
        if (distance < 0.0) {
            push_out(p, i, -distance, normal, go);
        }
    }
}

static void meet_wall(press *s)
{
    wri_plate *p = &s->plate;
    const double back[3] = {-s->way[0], -s->way[1], -s->way[2]}, still[3] = {0};
    for (int i = 0; isfinite(s->wall) && i < p->count; i++) {
        double depth = wri_dot3(p->x[i], s->way) - s->wall;
        if (depth > 0.0 && p->area[i] > 0.0) {
            push_out(p, i, depth, back, still);
        }
    }
}

static void step(press *s, int number, bool with_tool)
{
    wri_plate *p = &s->plate;
    double dt = 1.0 / s->desc->steps;
    double share = fmin((number + 1) * dt, s->share), last = fmin(number * dt, s->share);
    predict(p, 1.0 / (1.0 + (with_tool ? DAMPING : REST_DAMPING) * dt));
    for (int i = 0; with_tool && i < p->count; i++) {
        for (int k = 0; k < 3 && p->mobility[i] > 0.0; k++) {
            p->x[i][k] += s->nudge * p->flaw[i][k];
        }
    }
    if (number % AIR_EVERY == 0) {
        wri_plate_even_air(p, dt, number % 2 == 1);
    }
    for (int i = 0; i < ROUNDS; i++) {
        wri_plate_relax(p, dt, i % 2 == 1, i == 0);
        if (with_tool) {
            meet_tool(s, s->first + share * s->depth, s->first + last * s->depth);
        }
        meet_wall(s);
        wri_plate_match_parts(p);
    }
    wri_air_guard(p);
}

static bool run(press *s, wr_error *error)
{
    double pressing = s->share * s->desc->steps;
    int steps = (int)pressing + (int)(DWELL_SHARE * pressing);
    int all = steps + (int)(REST_SHARE * s->desc->steps);
    for (int i = 0; i < all; i++) {
        step(s, i, i < steps);
        if (i % 16 == 0 && s->desc->progress.report) {
            bool again = s->share < 1.0; // what was done stays done
            s->desc->progress.report(s->desc->progress.user, again ? "crush, less deep" : "crush",
                                     again ? 1.0 : (double)i / all);
        }
        if (i % 16 == 0 && s->desc->go_on && !s->desc->go_on(s->desc->user)) {
            return wri_fail(error, WR_E_CANCELLED, "stopped");
        }
    }
    return true;
}

// --- checks -----------------------------------------------------------------------------------

// Cells as fine as this are millions, which nobody waits for.
static bool check_cell(const wr_crush_desc *d, wr_error *error)
{
    wr_vec3 extent = wr_box_size(wr_mesh_bounds(d->mesh));
    double least = LEAST_CELL * fmax(extent.x, fmax(extent.y, extent.z));
    return d->cell == 0.0 || d->cell >= least ||
           wri_fail(error, WR_E_ARGUMENT,
                    "the cell is %s m, expected at least %s m, a thousandth of the model",
                    WRI_NUMBER(d->cell, 3), WRI_NUMBER(least, 3));
}

static bool check_desc(const wr_crush_desc *d, wr_error *error)
{
    const wr_mesh *mesh = d->mesh;
    double length = (double)wr_length(d->direction);
    if (mesh->triangle_count == 0 || !(wr_mesh_area(mesh) > 0.0)) {
        return wri_fail(error, WR_E_ARGUMENT, "the mesh has no area: there is nothing to crush");
    }
    if (!isfinite(length) || length == 0.0) {
        return wri_fail(error, WR_E_ARGUMENT, "the direction is zero, expected where to press to");
    }
    if (!(d->depth > 0.0) || !isfinite(d->depth)) {
        return wri_fail(error, WR_E_ARGUMENT, "the depth is %s m, expected more than 0",
                        WRI_NUMBER(d->depth, 6));
    }
    if (!(d->size >= 0.0) || !isfinite(d->size)) {
        return wri_fail(error, WR_E_ARGUMENT, "the tool's size is %s m, expected more than 0",
                        WRI_NUMBER(d->size, 6));
    }
    if (!(d->hold > 0.0 && d->hold <= 1.0)) {
        return wri_fail(error, WR_E_ARGUMENT, "\"hold\" is %s, expected more than 0, at most 1",
                        WRI_NUMBER(d->hold, 6));
    }
    if (!(d->yield >= 0.0) || !(d->bend > 0.0) || d->steps < 10 || d->steps > 100000 ||
        !(d->cell >= 0.0) || !isfinite(d->cell) || !(d->crossing >= 0.0)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "yield %s, bend %s, steps %d, cell %s m and crossing %s: expected at least "
                        "0, more than 0, 10 to 100000, at least 0 and at least 0",
                        WRI_NUMBER(d->yield, 6), WRI_NUMBER(d->bend, 6), d->steps,
                        WRI_NUMBER(d->cell, 6), WRI_NUMBER(d->crossing, 6));
    }
    for (int i = 0; d->rigid && i < mesh->vertex_count; i++) {
        if (d->rigid[i] < -1 || d->rigid[i] >= mesh->vertex_count) {
            return wri_fail(error, WR_E_ARGUMENT, "rigid[%d] is %d, expected -1 to %d", i,
                            d->rigid[i], mesh->vertex_count - 1);
        }
    }
    return wri_mesh_check(mesh, error) && check_cell(d, error);
}

static bool aim(press *s, wr_error *error)
{
    double low = s->plate.low, high = s->plate.high, size = s->plate.size;
    s->depth = s->desc->depth / size;
    s->wall = s->desc->hold < 1.0 ? INFINITY : high;
    s->nudge = s->depth / ((s->desc->hold < 1.0 ? DEEP : DEEP_AT_WALL) * (high - low));
    s->nudge = fmin(s->nudge, 1.0);
    if (s->depth >= high - low) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "the depth is %s m, expected less than the body's %s m along the direction",
                        WRI_NUMBER(s->desc->depth, 6), WRI_NUMBER((high - low) * size, 6));
    }
    s->first = wri_tool_first_touch(&s->tool, &s->plate);
    if (!isfinite(s->first) && !s->desc->has_at) { // there is nothing in the middle, as in a ring
        wri_tool_turn_to_nearest(&s->tool, &s->plate);
        s->first = wri_tool_first_touch(&s->tool, &s->plate);
    }
    return isfinite(s->first) ||
           wri_fail(error, WR_E_ARGUMENT,
                    "the %s misses the body: it passes by along the direction",
                    wr_crush_shape_name(s->desc->shape));
}

static bool read_out(const press *s, wri_arena *arena, const wr_mesh *mesh, wr_vec3 *positions,
                     int *crossing, wr_error *error)
{
    const wri_topology *t = &s->plate.topology;
    wr_vec3 *places = wri_arena_alloc(arena, (size_t)t->place_count, sizeof *places);
    if (!places || !wri_plate_place_mesh(&s->plate, places, crossing)) {
        return wri_fail_memory(error, 0);
    }
    for (int v = 0; v < mesh->vertex_count; v++) { // what did not move keeps every bit
        int i = t->place[v];
        positions[v] = wr_add(mesh->positions[v], wr_sub(places[i], t->points[i]));
    }
    return true;
}

// The press as far as a share of its depth; crossing: as wri_plate_place_mesh counts them.
static bool press_once(const wr_crush_desc *desc, double share, wr_vec3 *positions, int *crossing,
                       wr_error *error)
{
    press s = {.desc = desc, .share = share};
    double axes[3][3];
    const double d[3] = {desc->direction.x, desc->direction.y, desc->direction.z};
    for (int k = 0; k < 3; k++) {
        s.way[k] = d[k] / wri_length3(d);
    }
    wri_arena arena = wri_arena_create(&desc->allocator);
    bool ok =
        wri_tool_axes(desc->axis, s.way, axes) ||
        wri_fail(error, WR_E_ARGUMENT, "the axis is along the direction, expected one across it");
    ok = ok && wri_plate_build(&s.plate, &arena, desc, (const double(*)[3])axes, error) &&
         wri_tool_create(&s.tool, &arena, desc, &s.plate, (const double(*)[3])axes, error) &&
         aim(&s, error) && run(&s, error) &&
         read_out(&s, &arena, desc->mesh, positions, crossing, error);
    wri_arena_destroy(&arena);
    return ok;
}

// Presses a tenth less deep each time until no more triangles cross than may: not by bisection,
// since a deeper press may well leave fewer. Of all that was tried the one with the fewest stays.
// share: of the first, then of that one.
static bool press_less(const wr_crush_desc *desc, int most, wr_vec3 *positions, double *share,
                       int *crossing, wr_error *error)
{
    wri_arena arena = wri_arena_create(&desc->allocator);
    size_t count = (size_t)desc->mesh->vertex_count;
    wr_vec3 *other = wri_arena_alloc(&arena, count, sizeof *other);
    bool ok = other || wri_fail_memory(error, count * sizeof *other);
    for (int i = 1; ok && *crossing > most && i < TRIALS; i++) {
        double less = 1.0 - (double)i / TRIALS;
        int crosses;
        ok = press_once(desc, less, other, &crosses, error);
        if (ok && crosses < *crossing) {
            memcpy(positions, other, count * sizeof *positions);
            *share = less;
            *crossing = crosses;
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_crush(const wr_crush_desc *desc, wr_vec3 *positions, wri_crush_end *end, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_crush_desc, desc, COOKIE) ||
        !WRI_REQUIRE(error, desc->mesh, positions) || !check_desc(desc, error)) {
        return false;
    }
    double share = 1.0, most = desc->crossing * desc->mesh->triangle_count;
    int crossing = 0;
    bool ok = press_once(desc, share, positions, &crossing, error);
    if (ok && crossing > most) {
        ok = press_less(desc, (int)most, positions, &share, &crossing, error);
    }
    *end = (wri_crush_end){.depth = share * desc->depth,
                           .crossing_share = (double)crossing / desc->mesh->triangle_count};
    return ok;
}

bool wr_crush(const wr_crush_desc *desc, wr_vec3 *positions, wr_crush_report *report,
              wr_error *error)
{
    wri_crush_end end;
    bool ok = wri_crush(desc, positions, &end, error) &&
              (!report || wr_crush_measure(desc->mesh, positions, desc->rigid, desc->direction,
                                           report, error));
    if (ok && report) {
        report->depth = end.depth;
    }
    return ok;
}
