// pieces.c: what a body shows besides its model: surfaces of changing topology, and particles.
//
// A surface is a mesh for one picture; particles are spheres, or a surface is laid around them.
// They lie in memory of the take that holds until the next frame is drawn.
#include "show.h"

void wri_pieces_forget(wri_pieces *pieces)
{
    for (int i = 0; i < pieces->hulls.count; i++) {
        wr_model_destroy(WRI_ITEM(pieces->hulls, wr_model *, i));
    }
    pieces->hulls.count = 0;
    wri_arena_destroy(&pieces->arena);
}

void wri_pieces_destroy(wri_pieces *pieces)
{
    wri_pieces_forget(pieces);
    wri_array_destroy(&pieces->hulls);
}

bool wri_particles_are_spheres(wr_particle_choice choice, const wr_record_particles *particles)
{
    return choice == WR_PARTICLES_AS_RECORDED ? particles->view == WR_PARTICLES_SPHERES
                                              : choice == WR_PARTICLES_AS_SPHERES;
}

wr_particles wri_particle_set(const wr_record_particles *particles)
{
    return (wr_particles){.count = particles->count,
                          .positions = particles->positions,
                          .radii = particles->radii,
                          .radius = particles->radius,
                          .ids = particles->ids};
}

wr_color wri_tint(wr_color a, wr_color b)
{
    return (wr_color){a.r * b.r, a.g * b.g, a.b * b.b, a.a * b.a};
}

// --- surfaces ---------------------------------------------------------------------------------

// Triangles in the order of their looks, which makes parts of them.
static bool sort_triangles(wri_arena *arena, const wr_record_surface *surface, wr_mesh *mesh)
{
    int count = surface->triangle_count, most = -1;
    for (int i = 0; i < count; i++) {
        most = surface->looks[i] > most ? surface->looks[i] : most;
    }
    int *ends = wri_arena_alloc(arena, (size_t)most + 2, sizeof *ends); // from look -1 on
    mesh->triangles = wri_arena_alloc(arena, (size_t)count, 3 * sizeof(int));
    mesh->parts = wri_arena_alloc(arena, (size_t)most + 2, sizeof *mesh->parts);
    if (!ends || !mesh->triangles || !mesh->parts) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        ends[surface->looks[i] + 1]++;
    }
    mesh->part_count = 0;
    for (int look = -1, first = 0; look <= most; look++) {
        int own = ends[look + 1];
        if (own > 0) {
            mesh->parts[mesh->part_count++] = (wr_mesh_part){first, own, look};
        }
        ends[look + 1] = first;
        first += own;
    }
    for (int i = 0; i < count; i++) {
        int place = ends[surface->looks[i] + 1]++;
        memcpy(mesh->triangles + 3 * place, surface->triangles + 3 * i, 3 * sizeof(int));
    }
    return true;
}

bool wri_surface_mesh(const wr_record_surface *surface, wri_arena *arena, wr_mesh *mesh,
                      wr_error *error)
{
    size_t n = (size_t)surface->vertex_count;
    // A mesh may be changed by its owner; who gets this one only looks at it.
    *mesh = (wr_mesh){.name = surface->name,
                      .vertex_count = surface->vertex_count,
                      .triangle_count = surface->triangle_count,
                      .part_count = 1,
                      .positions = (wr_vec3 *)surface->positions,
                      .normals = wri_arena_alloc(arena, n, sizeof(wr_vec3)),
                      .uvs = (wr_vec2 *)surface->uvs,
                      .triangles = (int *)surface->triangles,
                      .parts = wri_arena_alloc(arena, 1, sizeof(wr_mesh_part))};
    if (!mesh->normals || !mesh->parts ||
        (surface->looks && !sort_triangles(arena, surface, mesh))) {
        return wri_fail_memory(error, n * sizeof(wr_vec3));
    }
    if (!surface->looks) {
        mesh->parts[0] = (wr_mesh_part){0, surface->triangle_count, surface->look};
    }
    wr_find_normals(mesh->positions, mesh->vertex_count, mesh->triangles, mesh->triangle_count,
                    mesh->normals);
    return true;
}

const wr_mesh *wri_particle_hull(wri_pieces *pieces, const wr_record_particles *particles,
                                 const wr_tasks *tasks, wr_error *error)
{
    wr_particles set = wri_particle_set(particles);
    wr_model **slot = wri_array_add(&pieces->hulls, 1);
    if (!slot) {
        wri_fail_memory(error, sizeof *slot);
        return NULL;
    }
    *slot = wr_particles_create_surface(&set, tasks, error);
    return *slot ? (*slot)->meshes : NULL;
}

// --- drawing ----------------------------------------------------------------------------------

// A thing of a body; a plain one shows its tint alone.
static wr_render_thing *add_thing(wr_take *take, const wr_frame *frame, int body, bool in_world,
                                  wr_color tint, wr_error *error)
{
    wr_render_thing *thing = wri_array_add(&take->things, 1);
    int *owner = wri_array_add(&take->bodies, 1);
    if (!thing || !owner) {
        wri_fail_memory(error, sizeof *thing);
        return NULL;
    }
    *owner = body;
    *thing = (wr_render_thing){.model = &take->plain,
                               .pose = in_world ? WR_POSE_IDENTITY : frame->poses[body],
                               .tint = tint};
    return thing;
}

static bool add_surface(wr_take *take, const wr_frame *frame, const wr_record_surface *surface,
                        const wr_record_body *body, wr_paint paint, wr_error *error)
{
    bool is_painted = wri_paint_is_colors(paint);
    wr_color tint = is_painted ? wri_paint_grey() : wri_tint(body->color, surface->color);
    wr_mesh *mesh = wri_arena_alloc(&take->pieces.arena, 1, sizeof *mesh);
    wr_render_thing *thing =
        mesh ? add_thing(take, frame, surface->body, surface->in_world, tint, error) : NULL;
    if (!mesh || !thing) {
        return mesh ? false : wri_fail_memory(error, sizeof *mesh);
    }
    if (!wri_surface_mesh(surface, &take->pieces.arena, mesh, error)) {
        return false;
    }
    thing->mesh = mesh;
    thing->look = body->look.said && !is_painted ? &body->look : NULL;
    if (!is_painted && body->model >= 0 && (surface->looks || surface->look >= 0)) {
        thing->model = take->info->models[body->model];
    } else { // the only look of the plain model
        mesh->part_count = 1;
        mesh->parts[0] = (wr_mesh_part){0, mesh->triangle_count, 0};
    }
    return true;
}

static bool add_particles(wr_take *take, const wr_frame *frame,
                          const wr_record_particles *particles, const wr_record_body *body,
                          wr_paint paint, wr_error *error)
{
    wr_color tint =
        wri_paint_is_colors(paint) ? wri_paint_grey() : wri_tint(body->color, particles->color);
    bool are_spheres = wri_particles_are_spheres(take->particle_choice, particles);
    wr_particles *set = wri_arena_alloc(&take->pieces.arena, 1, sizeof *set);
    wr_mesh *mesh = wri_arena_alloc(&take->pieces.arena, 1, sizeof *mesh);
    wr_render_thing *thing =
        set && mesh ? add_thing(take, frame, particles->body, particles->in_world, tint, error)
                    : NULL;
    if (!thing) {
        return set && mesh ? false : wri_fail_memory(error, sizeof *mesh);
    }
    thing->look = body->look.said && !wri_paint_is_colors(paint) ? &body->look : NULL;
    if (are_spheres) {
        *set = wri_particle_set(particles);
        thing->spheres = set;
        return true;
    }
    const wr_mesh *hull = wri_particle_hull(&take->pieces, particles, &take->tasks, error);
    if (!hull) {
        return false;
    }
    *mesh = *hull;
    mesh->parts[0].look = 0;
    thing->mesh = mesh;
    return true;
}

bool wri_drawing_add_pieces(wr_take *take, const wr_frame *frame, int number,
                            const wr_record_body *body, wr_paint paint, wr_error *error)
{
    for (int i = 0; i < frame->surface_count; i++) {
        const wr_record_surface *surface = &frame->surfaces[i];
        if (surface->body == number && surface->triangle_count > 0 &&
            !add_surface(take, frame, surface, body, paint, error)) {
            return false;
        }
    }
    const wr_record_particles *particles = wr_frame_particles(frame, number);
    return !particles || particles->count == 0 ||
           add_particles(take, frame, particles, body, paint, error);
}
