// export_film.c: surfaces of changing topology and particles, as exports need them: which there
// are, when, and their meshes picture after picture.
#include "export.h"

// --- finding them -----------------------------------------------------------------------------

static const char *name_film(wri_export *e, const wri_export_film *film, const char *own)
{
    const char *body = film->body.name;
    return film->surface < 0    ? wri_arena_printf(&e->arena, "%s particles", body)
           : film->surface == 0 ? wri_arena_text(&e->arena, body, strlen(body))
           : own && own[0]      ? wri_arena_printf(&e->arena, "%s %s", body, own)
                                : wri_arena_printf(&e->arena, "%s surface %d", body, film->surface);
}

// own: what it is called itself, or NULL.
static wri_export_film *find_film(wri_export *e, wri_array *films, const wri_export_film *like,
                                  const char *own)
{
    for (int i = 0; i < films->count; i++) {
        wri_export_film *film = &WRI_ITEM(*films, wri_export_film, i);
        if (film->number == like->number && film->surface == like->surface &&
            film->is_cloud == like->is_cloud) {
            return film;
        }
    }
    const char *name = name_film(e, like, own);
    bool *shown = wri_arena_alloc(&e->arena, (size_t)e->schedule.count, sizeof *shown);
    wri_export_film *film = shown && name ? wri_array_add(films, 1) : NULL;
    if (film) {
        *film = *like;
        film->name = film->body.name = name;
        film->shown = shown;
        film->box = WR_BOX_EMPTY;
        film->tints = wri_array_create(NULL, sizeof(wri_export_tint));
    }
    return film;
}

static wri_export_tint *find_tint(const wri_array *tints, wr_color color)
{
    for (int i = 0; i < tints->count; i++) {
        wri_export_tint *tint = &WRI_ITEM(*tints, wri_export_tint, i);
        if (memcmp(&tint->color, &color, sizeof color) == 0) {
            return tint;
        }
    }
    return NULL;
}

// like: with the box of this picture.
static bool note(wri_export *e, wri_array *films, const wri_export_film *like, const char *own,
                 int picture, wr_color color)
{
    wri_export_film *film = find_film(e, films, like, own);
    if (!film) {
        return false;
    }
    film->shown[picture] = true;
    film->in_world = film->in_world || like->in_world;
    film->box = wr_box_join(film->box, like->box);
    wri_export_tint *tint = find_tint(&film->tints, color);
    if (!tint) {
        tint = wri_array_add(&film->tints, 1);
        if (tint) {
            tint->color = color;
        }
    }
    return tint != NULL;
}

bool wri_export_note_films(wri_export *e, wri_array *films, const wr_frame *frame, int picture)
{
    int count;
    bool ok = true;
    const wr_record_body *bodies = wr_record_bodies(e->take->reader, &count);
    for (int i = 0; ok && i < frame->surface_count; i++) {
        const wr_record_surface *s = &frame->surfaces[i];
        if (s->triangle_count > 0 && wri_export_wants(e, bodies[s->body].name)) {
            const wri_export_film like = {.number = s->body,
                                          .body = bodies[s->body],
                                          .surface = s->number,
                                          .in_world = s->in_world,
                                          .box = wri_surface_bounds(frame, s)};
            ok = note(e, films, &like, s->name, picture, s->color);
        }
    }
    for (int i = 0; ok && i < frame->particles_count; i++) {
        const wr_record_particles *p = &frame->particles[i];
        if (p->count > 0 && wri_export_wants(e, bodies[p->body].name)) {
            const wri_export_film like = {
                .number = p->body,
                .body = bodies[p->body],
                .surface = -1,
                .is_cloud = wri_particles_are_spheres(e->take->particle_choice, p),
                .in_world = p->in_world,
                .box = wri_particle_bounds(frame, p)};
            ok = note(e, films, &like, NULL, picture, p->color);
        }
    }
    return ok || wri_fail_memory(e->error, sizeof(wri_export_film));
}

bool wri_export_has_clouds(const wri_export *e)
{
    bool any = false;
    for (int i = 0; i < e->film_count; i++) {
        any = any || e->films[i].is_cloud;
    }
    return any;
}

// --- meshes -----------------------------------------------------------------------------------

static wr_vec3 *turned(wri_arena *arena, const wr_vec3 *vectors, int count, wr_pose pose)
{
    wr_vec3 *out = wri_arena_alloc(arena, (size_t)count, sizeof *out);
    for (int i = 0; out && i < count; i++) {
        out[i] = wr_pose_point(pose, vectors[i]);
    }
    return out;
}

// Looks of the export's model in place of the body's.
static void map_looks(const wri_export_film *film, wr_color color, wr_mesh *mesh)
{
    const wri_export_tint *tint = find_tint(&film->tints, color);
    for (int i = 0; i < mesh->part_count; i++) {
        int look = mesh->parts[i].look;
        mesh->parts[i].look = look < 0 ? tint->plain_look : tint->first_look + look;
    }
}

bool wri_export_film_mesh(wri_export *e, const wri_export_film *film, const wr_frame *frame,
                          int picture, bool to_world, wri_pieces *memory, wr_mesh *mesh)
{
    *mesh = (wr_mesh){.name = film->name};
    if (!film->shown[picture]) {
        return true;
    }
    bool in_world;
    wr_color color;
    if (film->surface >= 0) {
        const wr_record_surface *s = wr_frame_surface(frame, film->number, film->surface);
        in_world = s->in_world;
        color = s->color;
        if (!wri_surface_mesh(s, &memory->arena, mesh, e->error)) {
            return false;
        }
    } else {
        const wr_record_particles *p = wr_frame_particles(frame, film->number);
        const wr_mesh *hull = wri_particle_hull(memory, p, &e->desc->tasks, e->error);
        in_world = p->in_world;
        color = p->color;
        if (!hull) {
            return false;
        }
        *mesh = *hull;
    }
    mesh->name = film->name;
    map_looks(film, color, mesh);
    if (in_world || !(film->in_world || to_world)) {
        return true;
    }
    wr_pose pose = frame->poses[film->number], turn = {{0}, pose.rotation};
    mesh->positions = turned(&memory->arena, mesh->positions, mesh->vertex_count, pose);
    mesh->normals = turned(&memory->arena, mesh->normals, mesh->vertex_count, turn);
    return (mesh->positions && mesh->normals) ||
           wri_fail_memory(e->error, (size_t)mesh->vertex_count * sizeof(wr_vec3));
}

bool wri_export_film_cloud(wri_export *e, const wri_export_film *film, const wr_frame *frame,
                           int picture, bool to_world, wri_arena *arena, wr_ply_cloud *cloud)
{
    *cloud = (wr_ply_cloud){0};
    if (!film->shown[picture]) {
        return true;
    }
    const wr_record_particles *p = wr_frame_particles(frame, film->number);
    cloud->particles = wri_particle_set(p);
    cloud->color = wri_tint(film->body.color, p->color);
    if (p->in_world || !(film->in_world || to_world)) {
        return true;
    }
    cloud->particles.positions = turned(arena, p->positions, p->count, frame->poses[film->number]);
    return cloud->particles.positions || wri_fail_memory(e->error, 12 * (size_t)p->count);
}

// --- keeping them -----------------------------------------------------------------------------

static void *copied(wri_arena *arena, const void *items, size_t size, bool *ok)
{
    void *copy = items ? wri_arena_alloc(arena, size, 1) : NULL;
    if (copy && size) {
        memcpy(copy, items, size);
    }
    *ok = *ok && (copy || !items);
    return copy;
}

static bool same_items(const void *a, const void *b, size_t size)
{
    return !a == !b && (!a || size == 0 || memcmp(a, b, size) == 0);
}

bool wri_same_topology(const wr_mesh *a, const wr_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           a->part_count == b->part_count &&
           same_items(a->triangles, b->triangles, 12 * (size_t)a->triangle_count) &&
           same_items(a->parts, b->parts, sizeof *a->parts * (size_t)a->part_count) &&
           same_items(a->uvs, b->uvs, sizeof *a->uvs * (size_t)a->vertex_count);
}

bool wri_mesh_keep(wr_mesh *mesh, const wr_mesh *before, wri_arena *arena)
{
    size_t n = (size_t)mesh->vertex_count;
    bool ok = true;
    mesh->positions = copied(arena, mesh->positions, sizeof(wr_vec3) * n, &ok);
    mesh->normals = copied(arena, mesh->normals, sizeof(wr_vec3) * n, &ok);
    if (before && wri_same_topology(mesh, before)) {
        mesh->triangles = before->triangles;
        mesh->parts = before->parts;
        mesh->uvs = before->uvs;
        return ok;
    }
    mesh->triangles = copied(arena, mesh->triangles, 12 * (size_t)mesh->triangle_count, &ok);
    mesh->parts = copied(arena, mesh->parts, sizeof *mesh->parts * (size_t)mesh->part_count, &ok);
    mesh->uvs = copied(arena, mesh->uvs, sizeof(wr_vec2) * n, &ok);
    return ok;
}

bool wri_particles_keep(wr_particles *particles, wri_arena *arena)
{
    size_t n = (size_t)particles->count;
    bool ok = true;
    particles->positions = copied(arena, particles->positions, sizeof(wr_vec3) * n, &ok);
    particles->radii = copied(arena, particles->radii, sizeof(float) * n, &ok);
    particles->ids = copied(arena, particles->ids, sizeof(uint32_t) * n, &ok);
    return ok;
}
