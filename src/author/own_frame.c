// own_frame.c: a mesh as its shape alone tells it.
//
// What is made of a mesh (its lattice, handles on it, convex pieces) is full of choices between
// equals, and the first one found wins. So the mesh is put in order first: along axes of its own,
// vertices at the same place joined, places sorted by their coordinates and triangles by their
// corners. Then the order of the file, its division into objects and the way it is turned do not
// matter, but for the last bits.
#include "own_frame.h"

#include "../geometry/shape_frame.h"

#include <stdlib.h>

typedef struct place {
    wr_vec3 at;
    int vertex;
} place;

static int compare_numbers(float a, float b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    int x = compare_numbers(p->at.x, q->at.x), y = compare_numbers(p->at.y, q->at.y);
    int z = compare_numbers(p->at.z, q->at.z);
    return x ? x : y ? y : z ? z : (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static int compare_triangles(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p[k] != q[k]) {
            return p[k] < q[k] ? -1 : 1;
        }
    }
    return 0;
}

static void join_places(wri_own_frame *f, const place *places, int count)
{
    wr_mesh *out = &f->mesh;
    for (int i = 0; i < count; i++) {
        wr_vec3 p = places[i].at;
        const wr_vec3 *last = &out->positions[out->vertex_count - 1];
        if (i == 0 || p.x != last->x || p.y != last->y || p.z != last->z) {
            out->positions[out->vertex_count++] = p;
        }
        f->place_of[places[i].vertex] = out->vertex_count - 1;
    }
}

// The least corner comes first.
static void put_triangle(const wri_own_frame *f, const int *from, int *to)
{
    int first = 0;
    for (int k = 1; k < 3; k++) {
        first = f->place_of[from[k]] < f->place_of[from[first]] ? k : first;
    }
    for (int k = 0; k < 3; k++) {
        to[f->is_mirrored && k > 0 ? 3 - k : k] = f->place_of[from[(first + k) % 3]];
    }
}

bool wri_own_frame_create(wri_own_frame *frame, const wr_mesh *mesh, wri_arena *arena)
{
    size_t n = (size_t)mesh->vertex_count, t = (size_t)mesh->triangle_count;
    wr_mesh *out = &frame->mesh;
    *out = (wr_mesh){.name = mesh->name, .triangle_count = mesh->triangle_count};
    place *places = wri_arena_alloc(arena, n, sizeof *places);
    frame->place_of = wri_arena_alloc(arena, n, sizeof(int));
    out->positions = wri_arena_alloc(arena, n, sizeof(wr_vec3));
    out->triangles = wri_arena_alloc(arena, t, 3 * sizeof(int));
    if (!places || !frame->place_of || !out->positions || !out->triangles) {
        return false;
    }
    wri_shape_frame(mesh->positions, mesh->triangles, mesh->triangle_count, frame->axes);
    frame->is_mirrored = wri_frame_determinant((const double(*)[3])frame->axes) < 0.0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        places[i] = (place){wri_into_frame((const double(*)[3])frame->axes, mesh->positions[i]), i};
    }
    qsort(places, n, sizeof *places, compare_places);
    join_places(frame, places, mesh->vertex_count);
    for (size_t i = 0; i < t; i++) {
        put_triangle(frame, &mesh->triangles[3 * i], &out->triangles[3 * i]);
    }
    qsort(out->triangles, t, 3 * sizeof(int), compare_triangles);
    return true;
}
