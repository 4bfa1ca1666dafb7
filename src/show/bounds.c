// bounds.c: where a body is in a frame: its model or points, its surfaces, its particles.
#include "show.h"

#include <math.h>

static wr_box posed(wr_box local, wr_pose pose)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < 8; i++) {
        wr_vec3 corner = wr_v3(i & 1 ? local.max.x : local.min.x, i & 2 ? local.max.y : local.min.y,
                               i & 4 ? local.max.z : local.min.z);
        box = wr_box_add(box, wr_pose_point(pose, corner));
    }
    return box;
}

// Of points that are posed, which their box would overestimate.
static wr_box posed_bounds(const wr_vec3 *points, int count, wr_pose pose)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        box = wr_box_add(box, wr_pose_point(pose, points[i]));
    }
    return box;
}

static wr_box bounds_of(const wr_vec3 *points, int count)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < count; i++) {
        box = wr_box_add(box, points[i]);
    }
    return box;
}

// The vertices of a model in the world: those of the frame, or its own.
static wr_box model_bounds(const wr_record_info *info, const wr_frame *frame, int number)
{
    wr_pose pose = frame->poses[number];
    for (int i = 0; i < frame->points_count; i++) {
        if (frame->points[i].body == number) {
            return posed_bounds(frame->points[i].positions, frame->points[i].count, pose);
        }
    }
    const wr_mesh *mesh = info->models[info->bodies[number].model]->meshes;
    return posed_bounds(mesh->positions, mesh->vertex_count, pose);
}

// Bounds of most particles: those that fly off alone do not count.
static wr_box cloud_bounds(const wr_record_particles *particles)
{
    enum { WIDTH = 3 }; // standard deviations
    wr_box all = bounds_of(particles->positions, particles->count);
    float *low = &all.min.x, *high = &all.max.x;
    for (int k = 0; k < 3 && particles->count > 0; k++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < particles->count; i++) {
            double x = (double)(&particles->positions[i].x)[k];
            sum += x;
            squares += x * x;
        }
        double mean = sum / particles->count;
        double width = WIDTH * sqrt(fmax(squares / particles->count - mean * mean, 0.0));
        low[k] = fmaxf(low[k], (float)(mean - width));
        high[k] = fminf(high[k], (float)(mean + width));
    }
    return all;
}

wr_box wri_surface_bounds(const wr_frame *frame, const wr_record_surface *surface)
{
    wr_box own = bounds_of(surface->positions, surface->vertex_count);
    return surface->in_world ? own : posed(own, frame->poses[surface->body]);
}

wr_box wri_particle_bounds(const wr_frame *frame, const wr_record_particles *particles)
{
    wr_box own = cloud_bounds(particles);
    return particles->in_world ? own : posed(own, frame->poses[particles->body]);
}

wr_box wri_body_bounds(const wr_record_info *info, const wr_frame *frame, int number)
{
    wr_box box = WR_BOX_EMPTY;
    if (info->bodies[number].model >= 0 && !wr_frame_surface(frame, number, 0)) {
        box = model_bounds(info, frame, number);
    }
    for (int i = 0; i < frame->surface_count; i++) {
        const wr_record_surface *s = &frame->surfaces[i];
        if (s->body == number && s->triangle_count > 0) {
            box = wr_box_join(box, wri_surface_bounds(frame, s));
        }
    }
    const wr_record_particles *particles = wr_frame_particles(frame, number);
    bool any = particles && particles->count > 0;
    return any ? wr_box_join(box, wri_particle_bounds(frame, particles)) : box;
}
