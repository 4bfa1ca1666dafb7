// panel.c: sheets of metal and panes of glass cut out of a subdivided cage.
#include "panel.h"
#include "models.h"

#include "wrought/file.h"

#include <stdlib.h>

struct skin {
    wr_cage *cage;
    wr_vec3 *positions; // on the limit surface
};

static void *need(void *memory)
{
    if (!memory) {
        stop("out of memory");
    }
    return memory;
}

skin *skin_read(const char *path, int levels)
{
    wr_error error = {0};
    skin *s = need(calloc(1, sizeof *s));
    wr_cage *coarse = wr_cage_read(path, NULL, &error);
    s->cage = coarse ? wr_cage_subdivide(coarse, levels, NULL, &error) : NULL;
    if (s->cage) {
        s->positions = need(calloc((size_t)s->cage->count.vertices, sizeof *s->positions));
    }
    if (!s->cage || !wr_cage_find_limit(s->cage, NULL, s->positions, &error)) {
        stop(error.message);
    }
    wr_cage_destroy(coarse);
    return s;
}

void skin_destroy(skin *s)
{
    wr_cage_destroy(s->cage);
    free(s->positions);
    free(s);
}

// --- cutting ----------------------------------------------------------------------------------

typedef struct rim_edge {
    int from, to, face; // as the face runs
} rim_edge;

// Faces that are cut out together.
typedef struct cut {
    const skin *skin;
    int *faces, face_count;
    rim_edge *rim; // edges of exactly one of the faces
    int rim_count;
    wr_vec3 *normals, *inward; // per vertex of the cage; inward: 0 where it is not on the rim
} cut;

static int compare_edges(const void *a, const void *b)
{
    const rim_edge *s = a, *t = b;
    int s0 = s->from < s->to ? s->from : s->to, t0 = t->from < t->to ? t->from : t->to;
    int s1 = s->from + s->to - s0, t1 = t->from + t->to - t0;
    return s0 != t0 ? (s0 > t0) - (s0 < t0) : (s1 > t1) - (s1 < t1);
}

static const int *quad_of(const cut *c, int face)
{
    return c->skin->cage->corners + 4 * (size_t)face;
}

static wr_vec3 face_normal(const cut *c, int face)
{
    const int *q = quad_of(c, face);
    const wr_vec3 *p = c->skin->positions;
    return wr_cross(wr_sub(p[q[2]], p[q[0]]), wr_sub(p[q[3]], p[q[1]]));
}

static void find_rim(cut *c)
{
    int count = 4 * c->face_count;
    rim_edge *all = need(calloc((size_t)count, sizeof *all));
    for (int i = 0; i < count; i++) {
        const int *q = quad_of(c, c->faces[i / 4]);
        all[i] = (rim_edge){q[i % 4], q[(i + 1) % 4], c->faces[i / 4]};
    }
    qsort(all, (size_t)count, sizeof *all, compare_edges);
    for (int i = 0; i < count; i++) {
        bool paired = (i > 0 && compare_edges(&all[i], &all[i - 1]) == 0) ||
                      (i + 1 < count && compare_edges(&all[i], &all[i + 1]) == 0);
        if (!paired) {
            all[c->rim_count++] = all[i];
        }
    }
    c->rim = all;
}

// Towards the middle of the panel, at a right angle to an edge of it.
static wr_vec3 inward_of(const cut *c, const rim_edge *e)
{
    const wr_vec3 *p = c->skin->positions;
    return wr_normalize(wr_cross(face_normal(c, e->face), wr_sub(p[e->to], p[e->from])));
}

// A step of 1 along a corner's direction moves both of its edges by 1.
static void find_inward(cut *c)
{
    for (int i = 0; i < c->rim_count; i++) {
        wr_vec3 d = inward_of(c, &c->rim[i]);
        int ends[2] = {c->rim[i].from, c->rim[i].to};
        for (int k = 0; k < 2; k++) {
            wr_vec3 *sum = &c->inward[ends[k]];
            float cosine = wr_dot(*sum, d);
            *sum = wr_scale(1.0f / wr_maxf(1.0f + cosine, 0.5f), wr_add(*sum, d));
        }
    }
}

static cut start_cut(const skin *s)
{
    size_t vertices = (size_t)s->cage->count.vertices;
    return (cut){.skin = s,
                 .faces = need(calloc((size_t)s->cage->count.faces, sizeof(int))),
                 .normals = need(calloc(vertices, sizeof(wr_vec3))),
                 .inward = need(calloc(vertices, sizeof(wr_vec3)))};
}

static void add_to_cut(cut *c, int face)
{
    wr_vec3 n = face_normal(c, face);
    c->faces[c->face_count++] = face;
    for (int k = 0; k < 4; k++) {
        wr_vec3 *sum = &c->normals[quad_of(c, face)[k]];
        *sum = wr_add(*sum, n);
    }
}

static void close_cut(cut *c)
{
    for (int i = 0; i < c->skin->cage->count.vertices; i++) {
        c->normals[i] = wr_normalize(c->normals[i]);
    }
    find_rim(c);
    find_inward(c);
}

static void end_cut(cut *c)
{
    free(c->faces);
    free(c->normals);
    free(c->inward);
    free(c->rim);
}

// --- shells -----------------------------------------------------------------------------------

// Where a vertex of the cage lies in a sheet: `depth` below the surface, and on the rim `gap` away
// from the edge.
static wr_vec3 place(const cut *c, int vertex, float depth, float gap)
{
    wr_vec3 p = wr_add_scaled(c->skin->positions[vertex], -depth, c->normals[vertex]);
    return wr_add_scaled(p, gap, c->inward[vertex]);
}

// The cut faces at a depth; number[v] becomes the solid's vertex.
static void add_sheet(const cut *c, solid *to, float depth, float gap, bool inside, int *number)
{
    memset(number, -1, (size_t)c->skin->cage->count.vertices * sizeof *number);
    for (int i = 0; i < c->face_count; i++) {
        const int *q = quad_of(c, c->faces[i]);
        for (int k = 0; k < 4; k++) {
            if (number[q[k]] < 0) {
                number[q[k]] = solid_add_vertex(to, place(c, q[k], depth, gap));
            }
        }
        if (inside) {
            solid_add_face(to, number[q[3]], number[q[2]], number[q[1]], number[q[0]]);
        } else {
            solid_add_face(to, number[q[0]], number[q[1]], number[q[2]], number[q[3]]);
        }
    }
}

// A band round the rim, from one depth and gap to the next. from: the vertices of the sheet it
// starts at, NULL: vertices of its own.
static void add_band(const cut *c, solid *to, const float depth[2], const float gap[2],
                     const int *from)
{
    int *number[2];
    for (int side = 0; side < 2; side++) {
        size_t count = (size_t)c->skin->cage->count.vertices;
        number[side] = need(calloc(count, sizeof(int)));
        for (int i = 0; i < c->rim_count; i++) {
            int ends[2] = {c->rim[i].from, c->rim[i].to};
            for (int k = 0; k < 2; k++) {
                int *n = &number[side][ends[k]];
                if (*n == 0) {
                    bool shared = from && side == 0;
                    *n = 1 +
                         (shared ? from[ends[k]]
                                 : solid_add_vertex(to, place(c, ends[k], depth[side], gap[side])));
                }
            }
        }
    }
    for (int i = 0; i < c->rim_count; i++) {
        int a = c->rim[i].from, b = c->rim[i].to;
        solid_add_face(to, number[0][b] - 1, number[0][a] - 1, number[1][a] - 1, number[1][b] - 1);
    }
    free(number[0]);
    free(number[1]);
}

static void add_shell(const cut *c, solid *to, const panel *p)
{
    int *number = need(calloc((size_t)c->skin->cage->count.vertices, sizeof *number));
    float gap = p->gap, round = p->bevel, top = p->sink, low = p->sink + p->thickness;
    add_sheet(c, to, top, gap + round, false, number);
    if (c->rim_count > 0) {
        if (round > 0.0f) {
            add_band(c, to, (float[]){top, top + round}, (float[]){gap + round, gap}, number);
        }
        solid_end_group(to);
        add_band(c, to, (float[]){top + round, low}, (float[]){gap, gap}, NULL);
        solid_end_group(to);
        add_sheet(c, to, low, gap, true, number);
    }
    solid_end_group(to);
    free(number);
}

static int find_look(const panel *p, const char *name)
{
    for (int i = 0; p->looks[i]; i++) {
        if (strcmp(p->looks[i], name) == 0) {
            return i;
        }
    }
    stop(name);
    return -1;
}

static cut cut_group(const skin *s, int group)
{
    cut c = start_cut(s);
    for (int f = 0; f < s->cage->count.faces; f++) {
        if (s->cage->face_group[f] == group) {
            add_to_cut(&c, f);
        }
    }
    close_cut(&c);
    return c;
}

void skin_add(const skin *s, solid *to, const char *group, const panel *p)
{
    const wr_cage *cage = s->cage;
    int found = 0;
    to->frame = frame_at(wr_v3(0.0f, 0.0f, 0.0f));
    for (int g = 0; g < cage->count.groups; g++) {
        if (strcmp(group, "*") == 0 || strcmp(group, cage->groups[g].name) == 0) {
            cut c = cut_group(s, g);
            to->look = find_look(p, cage->groups[g].look);
            add_shell(&c, to, p);
            end_cut(&c);
            found++;
        }
    }
    if (found == 0) {
        stop(group);
    }
}

void skin_add_core(const skin *s, solid *to, const char *without, const panel *p)
{
    const wr_cage *cage = s->cage;
    cut all = start_cut(s);
    for (int g = 0; g < cage->count.groups; g++) {
        cut c = cut_group(s, g);
        bool wanted = c.rim_count > 0 && !(without && strcmp(cage->groups[g].look, without) == 0);
        for (int i = 0; wanted && i < c.face_count; i++) {
            add_to_cut(&all, c.faces[i]);
        }
        end_cut(&c);
    }
    close_cut(&all);
    to->frame = frame_at(wr_v3(0.0f, 0.0f, 0.0f));
    add_shell(&all, to, p);
    end_cut(&all);
}
