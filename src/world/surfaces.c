// surfaces.c: surfaces of changing topology and particles of materials, as they go into a frame.
//
// They stay where their material has them. Of a frozen body only what is finite is shown: surfaces
// without a number that is not, and the particles that have none. So a world that was restored
// shows the same. Surface 0 then stays without triangles, or the body's model would come back.
#include "world.h"

static bool are_finite(const wr_vec3 *points, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && wr_is_finite3(points[i]);
    }
    return ok;
}

// --- surfaces ---------------------------------------------------------------------------------

// Hash of the surfaces' numbers and topologies: when it changes, the frame gets an event.
static uint64_t hash_topology(const wr_record_surface *surfaces, int count)
{
    uint64_t hash = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t own[2] = {(uint32_t)surfaces[i].number, surfaces[i].topology};
        hash = wri_hash(own, sizeof own, hash);
    }
    return hash;
}

static wr_record_surface hide(wr_record_surface s)
{
    s.topology = ~s.topology;
    s.vertex_count = s.triangle_count = 0;
    s.positions = NULL;
    s.triangles = s.looks = NULL;
    s.uvs = NULL;
    return s;
}

static void add_surfaces(wr_world *world, wri_material_body *body)
{
    int count = 0, first = world->surfaces.count;
    const wr_record_surface *own = body->material->surfaces(body->state, &count);
    WR_ASSERT(count == 0 || (count > 0 && own));
    WR_ASSERT(!first ||
              WRI_ITEM(world->surfaces, wr_record_surface, first - 1).body < body->scene_body);
    for (int i = 0; i < count; i++) {
        WR_ASSERT(i == 0 || own[i].number > own[i - 1].number);
        bool finite = !body->frozen || are_finite(own[i].positions, own[i].vertex_count);
        wr_record_surface *surface =
            finite || own[i].number == 0 ? wri_world_add_shown(world, &world->surfaces, 1) : NULL;
        if (surface) {
            *surface = finite ? own[i] : hide(own[i]);
            surface->body = body->scene_body;
        }
    }
    count = world->surfaces.count - first;
    uint64_t topology =
        count ? hash_topology(&WRI_ITEM(world->surfaces, wr_record_surface, first), count) : 0;
    wr_event *event =
        topology != body->topology ? wri_world_add_shown(world, &world->events, 1) : NULL;
    if (event) {
        *event = (wr_event){.kind = WR_EVENT_TOPOLOGY, .subject = body->scene_body, .other = -1};
    }
    body->topology = topology;
}

// --- particles --------------------------------------------------------------------------------

// Keeps the particles of a frozen body whose places are finite. False: out of memory.
static bool keep_finite(wri_material_body *body, wr_record_particles *particles)
{
    WR_ASSERT(body->frozen); // others are sound
    body->kept_points.count = body->kept_radii.count = body->kept_ids.count = 0;
    wr_vec3 *points = wri_array_add(&body->kept_points, particles->count);
    float *radii = wri_array_add(&body->kept_radii, particles->count);
    uint32_t *ids = wri_array_add(&body->kept_ids, particles->count);
    if (!points || !radii || !ids) {
        return false;
    }
    int count = 0;
    for (int i = 0; i < particles->count; i++) {
        float radius = particles->radii ? particles->radii[i] : particles->radius;
        if (wr_is_finite3(particles->positions[i]) && isfinite(radius)) {
            points[count] = particles->positions[i];
            radii[count] = radius;
            ids[count++] = particles->ids ? particles->ids[i] : (uint32_t)i;
        }
    }
    particles->positions = points;
    particles->radii = particles->radii ? radii : NULL;
    particles->ids = ids;
    particles->count = count;
    return true;
}

static void add_particles(wr_world *world, wri_material_body *body)
{
    wr_record_particles particles = {0};
    if (!body->material->particles(body->state, &particles)) {
        return;
    }
    WR_ASSERT(particles.count == 0 || (particles.count > 0 && particles.positions));
    particles.body = body->scene_body;
    bool ok = !body->frozen || are_finite(particles.positions, particles.count) ||
              keep_finite(body, &particles);
    world->lacks_memory = world->lacks_memory || !ok;
    wr_record_particles *place = ok ? wri_world_add_shown(world, &world->particles, 1) : NULL;
    if (place) {
        *place = particles;
    }
}

void wri_world_read_surfaces(wr_world *world)
{
    world->surfaces.count = world->particles.count = 0;
    for (int i = 0; i < world->material_count; i++) {
        wri_material_body *body = &world->materials[i];
        if (body->material->surfaces) {
            add_surfaces(world, body);
        }
        if (body->material->particles) {
            add_particles(world, body);
        }
    }
}
