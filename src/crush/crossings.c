// crossings.c: triangles that pass through others, and what mends most of them.
//
// Cells that stay open keep the surface from crossing itself, but the triangles of the mesh follow
// it with their corners alone: where cells fold sharply, two layers close to one another may cut
// each other's corners. There the mesh goes over to a smoothed motion, by and by.
#include "plate.h"

#include "../geometry/bvh.h"

enum { ROUNDS = 8, LEVELS = 4, SMOOTHINGS = 2 }; // a level is four times as smooth as the last
#define BLEND 0.25 // by which a corner of a crossing triangle goes over in a round

// Two triangles that cross, the lower number first.
typedef struct crossing {
    int a, b;
} crossing;

bool wri_crossings_begin(wri_crossings *c, const wri_topology *s, const wri_shells *shells,
                         wri_arena *arena)
{
    *c =
        (wri_crossings){.s = s,
                        .shells = shells,
                        .points = wri_arena_alloc(arena, (size_t)s->place_count, sizeof *c->points),
                        .moved = wri_arena_alloc(arena, (size_t)s->triangle_count, 1),
                        .pairs = wri_array_create(&s->arena->allocator, sizeof(crossing))};
    return c->points && c->moved;
}

void wri_crossings_end(wri_crossings *c)
{
    wri_array_destroy(&c->pairs);
}

// Marks triangles with a corner that is elsewhere now, and forgets their crossings.
static void note_moved(wri_crossings *c, const wr_vec3 *points)
{
    const wri_topology *s = c->s;
    int kept = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        const int *corners = s->corners + 3 * t;
        c->moved[t] = !c->searched;
        for (int k = 0; k < 3; k++) {
            c->moved[t] |= memcmp(&points[corners[k]], &c->points[corners[k]], sizeof *points) != 0;
        }
    }
    for (int i = 0; i < c->pairs.count; i++) {
        crossing pair = WRI_ITEM(c->pairs, crossing, i);
        if (!c->moved[pair.a] && !c->moved[pair.b]) {
            WRI_ITEM(c->pairs, crossing, kept++) = pair;
        }
    }
    c->pairs.count = kept;
    memcpy(c->points, points, (size_t)s->place_count * sizeof *points);
    c->searched = true;
}

typedef struct crossing_search {
    wri_crossings *c;
    const wr_box *boxes;
    double touch;
    int triangle;
    bool failed; // out of memory
} crossing_search;

static bool visit(void *context, int other)
{
    crossing_search *q = context;
    const wri_crossings *c = q->c;
    const wri_topology *s = c->s;
    if (other == q->triangle || (c->moved[other] && other < q->triangle)) {
        return true; // it finds the other one itself
    }
    crossing pair = {other < q->triangle ? other : q->triangle,
                     other < q->triangle ? q->triangle : other};
    const int *a = s->corners + 3 * pair.a, *b = s->corners + 3 * pair.b;
    if (wri_boxes_overlap(q->boxes[pair.b], q->boxes[pair.a]) &&
        wri_triangles_cross(c->points, a, b, q->touch) &&
        (!c->shells || (!wri_shells_cross(c->shells, *a, *b) &&
                        !wri_triangles_cross(s->points, a, b, q->touch)))) {
        crossing *added = wri_array_add(&q->c->pairs, 1);
        q->failed = !added;
        if (added) {
            *added = pair;
        }
    }
    return !q->failed;
}

static bool search(crossing_search *q, wri_arena *arena)
{
    const wri_topology *s = q->c->s;
    size_t count = (size_t)s->triangle_count;
    wr_box *boxes = wri_arena_alloc(arena, count, sizeof *boxes);
    uint8_t *keep = wri_arena_alloc(arena, count, 1);
    wri_bvh tree;
    if (!boxes || !keep) {
        return false;
    }
    for (int t = 0; t < s->triangle_count; t++) {
        const int *c = s->corners + 3 * t;
        keep[t] = wri_takes_part(s->fate[t]) && !wri_is_thin(q->c->points, c, s->size);
        boxes[t] = WR_BOX_EMPTY;
        for (int k = 0; k < 3; k++) {
            boxes[t] = wr_box_add(boxes[t], q->c->points[c[k]]);
        }
    }
    if (!wri_bvh_build(&tree, arena, boxes, keep, s->triangle_count)) {
        return false;
    }
    q->boxes = boxes;
    for (; q->triangle < s->triangle_count && !q->failed; q->triangle++) {
        if (keep[q->triangle] && q->c->moved[q->triangle]) {
            wri_bvh_find(&tree, boxes[q->triangle], visit, q);
        }
    }
    return !q->failed;
}

bool wri_crossings_find(wri_crossings *c, const wr_vec3 *points, uint8_t *crosses)
{
    wri_arena arena = wri_arena_create(&c->s->arena->allocator);
    crossing_search q = {.c = c, .touch = WRI_TOUCH * c->s->size};
    note_moved(c, points);
    bool ok = search(&q, &arena);
    wri_arena_destroy(&arena);
    memset(crosses, 0, (size_t)c->s->triangle_count);
    for (int i = 0; i < c->pairs.count; i++) {
        crossing pair = WRI_ITEM(c->pairs, crossing, i);
        crosses[pair.a] = crosses[pair.b] = 1;
    }
    return ok;
}

bool wri_find_crossings(const wri_topology *s, const wri_shells *shells, const wr_vec3 *points,
                        uint8_t *crosses)
{
    wri_arena arena = wri_arena_create(&s->arena->allocator);
    wri_crossings c;
    bool ok = wri_crossings_begin(&c, s, shells, &arena) && wri_crossings_find(&c, points, crosses);
    wri_crossings_end(&c);
    wri_arena_destroy(&arena);
    return ok;
}

// --- mending ----------------------------------------------------------------------------------

typedef struct mending {
    const wri_plate *plate;
    wri_arena *arena;
    double (*smooth)[3]; // motion of each node, as even as that of its neighbours
    wr_vec3 *own;        // of each place: where it is at the level before
    double *blend;       // how much of the smooth motion it takes
    wr_vec3 *now;
    uint8_t *crosses;
    wri_crossings found;
} mending;

// The mean of both motions of nodes that are linked, several times.
static bool smooth_motion(mending *m, int rounds)
{
    const wri_plate *p = m->plate;
    double(*sum)[4] = wri_arena_alloc(m->arena, (size_t)p->count, sizeof *sum);
    for (int round = 0; sum && round < rounds; round++) {
        memset(sum, 0, (size_t)p->count * sizeof *sum);
        for (int i = 0; i < p->link_count; i++) {
            const int a = p->links[i][0], b = p->links[i][1];
            for (int k = 0; k < 3; k++) {
                sum[a][k] += m->smooth[b][k];
                sum[b][k] += m->smooth[a][k];
            }
            sum[a][3] += 1.0;
            sum[b][3] += 1.0;
        }
        for (int i = 0; i < p->count; i++) {
            for (int k = 0; k < 3; k++) {
                m->smooth[i][k] = 0.5 * (m->smooth[i][k] + sum[i][k] / sum[i][3]);
            }
        }
    }
    return sum != NULL;
}

// Where a motion of the nodes takes a place.
static wr_vec3 carry(const mending *m, int place)
{
    const wri_plate *p = m->plate;
    const int *home = p->home[place];
    double move[3] = {0};
    for (int c = 0; c < 4; c++) {
        for (int k = 0; k < 3; k++) {
            move[k] += p->weights[place][c] * m->smooth[home[c]][k];
        }
    }
    wr_vec3 rest = p->topology.points[place]; // what did not move keeps every bit
    return wr_v3(rest.x + (float)(p->size * move[0]), rest.y + (float)(p->size * move[1]),
                 rest.z + (float)(p->size * move[2]));
}

static void place_corner(mending *m, int place)
{
    float blend = (float)m->blend[place];
    wr_vec3 own = m->own[place];
    m->now[place] = blend > 0.0f ? wr_add_scaled(own, blend, wr_sub(carry(m, place), own)) : own;
}

bool wri_plate_is_rigid(const wri_plate *p, int place)
{
    const int *home = p->home[place], part = p->part[home[0]];
    return part >= 0 && p->part[home[1]] == part && p->part[home[2]] == part &&
           p->part[home[3]] == part;
}

// False: there is nothing to mend.
static bool soften(mending *m)
{
    const wri_topology *s = &m->plate->topology;
    bool any = false;
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        int place = s->corners[i];
        if (m->crosses[i / 3] && !wri_plate_is_rigid(m->plate, place)) {
            m->blend[place] = fmin(m->blend[place] + BLEND / 2.0, 1.0);
            any = true;
        }
    }
    return any;
}

// Goes over to the smooth motion where triangles cross; *any: some still do.
static bool mend(mending *m, bool *any)
{
    const wri_topology *s = &m->plate->topology;
    bool ok = true;
    memcpy(m->own, m->now, (size_t)s->place_count * sizeof *m->own);
    memset(m->blend, 0, (size_t)s->place_count * sizeof *m->blend);
    *any = true;
    for (int round = 0; ok && *any && round <= ROUNDS; round++) {
        for (int i = 0; i < s->place_count; i++) {
            place_corner(m, i);
        }
        ok = wri_crossings_find(&m->found, m->now, m->crosses);
        *any = ok && soften(m);
    }
    return ok;
}

// Counts triangles that cross now, or half the way to here where those are more.
static bool count_crossings(mending *m, int *count)
{
    const wri_topology *s = &m->plate->topology;
    *count = 0;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < s->place_count; i++) {
            m->own[i] = half ? wr_lerp3(s->points[i], m->now[i], 0.5f) : m->now[i];
        }
        if (!wri_crossings_find(&m->found, m->own, m->crosses)) {
            return false;
        }
        int crossing_here = 0;
        for (int t = 0; t < s->triangle_count; t++) {
            crossing_here += m->crosses[t];
        }
        *count = crossing_here > *count ? crossing_here : *count;
    }
    return true;
}

bool wri_plate_place_mesh(const wri_plate *p, wr_vec3 *places, int *crossing_count)
{
    const wri_topology *s = &p->topology;
    wri_arena arena = wri_arena_create(&p->arena->allocator);
    size_t count = (size_t)s->place_count;
    wri_shells shells;
    mending m = {.plate = p,
                 .arena = &arena,
                 .smooth = wri_arena_alloc(&arena, (size_t)p->count, sizeof *m.smooth),
                 .own = wri_arena_alloc(&arena, count, sizeof *m.own),
                 .blend = wri_arena_alloc(&arena, count, sizeof *m.blend),
                 .now = places,
                 .crosses = wri_arena_alloc(&arena, (size_t)s->triangle_count, 1)};
    bool ok = wri_crossings_begin(&m.found, s, &shells, &arena) && m.smooth && m.own && m.blend &&
              m.crosses && wri_shells_find(&shells, s);
    for (int i = 0; ok && i < 3 * p->count; i++) {
        m.smooth[i / 3][i % 3] = p->x[i / 3][i % 3] - p->rest[i / 3][i % 3];
    }
    for (int i = 0; ok && i < s->place_count; i++) {
        places[i] = carry(&m, i);
    }
    bool any = true;
    for (int level = 0, rounds = SMOOTHINGS; ok && any && level < LEVELS; level++, rounds *= 4) {
        ok = smooth_motion(&m, rounds) && mend(&m, &any);
    }
    ok = ok && wri_plate_keep_lengths(p, &m.found, &arena, places) &&
         count_crossings(&m, crossing_count);
    wri_crossings_end(&m.found);
    wri_arena_destroy(&arena);
    return ok;
}
