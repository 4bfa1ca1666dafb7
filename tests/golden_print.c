// golden_print.c: fingerprints of bytes, text, frames and files.
#include "golden.h"

#include "../src/file/png.h"

#include <ctype.h>

void golden_add_bytes(golden_print *print, const void *bytes, size_t size)
{
    print->exact = wri_hash(bytes, size, print->exact + size);
}

static void add_string(golden_print *print, const char *text)
{
    golden_add_bytes(print, text ? text : "", text ? strlen(text) : 0);
}

#define ADD(print, value) golden_add_bytes(print, &(value), sizeof(value))
#define ADD_ARRAY(print, items, count)                                                             \
    golden_add_bytes(print, (items) ? (const void *)(items) : "",                                  \
                     (items) ? (size_t)(count) * sizeof *(items) : 0)

void golden_add_number(golden_print *print, double value)
{
    uint64_t seed = (uint64_t)(++print->count) * 0x9E3779B97F4A7C15u;
    double weight = 0.5 + (double)(random_bits(&seed) >> 40) * 0x1p-24;
    print->sum += weight * asinh(1000.0 * value);
}

// --- text -------------------------------------------------------------------------------------

static bool starts_number(const char *text, const char *at)
{
    bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
    const char *digit = at + (*at == '-');
    return !inside && isdigit((unsigned char)*digit);
}

void golden_add_text(golden_print *print, const char *text, size_t size)
{
    const char *end = text + size, *begin = text; // of what counts to the letter
    for (const char *at = text; at < end;) {
        char *after;
        double value;
        if (!starts_number(text, at) || (value = strtod(at, &after), after > end)) {
            at++;
            continue;
        }
        bool whole = !memchr(at, '.', (size_t)(after - at)) && fabs(value) >= 2.0;
        if (!whole) {
            golden_add_bytes(print, begin, (size_t)(at - begin));
            golden_add_number(print, value);
            begin = after;
        }
        at = after;
    }
    golden_add_bytes(print, begin, (size_t)(end - begin));
}

// --- frames -----------------------------------------------------------------------------------

static void add_soft(golden_print *print, const wr_frame *frame)
{
    for (int i = 0; i < frame->surface_count; i++) {
        const wr_record_surface *s = &frame->surfaces[i];
        const int numbers[] = {s->body, s->number,       (int)s->topology, s->in_world,
                               s->look, s->vertex_count, s->triangle_count};
        ADD(print, numbers);
        ADD(print, s->color);
        add_string(print, s->name);
        ADD_ARRAY(print, s->positions, s->vertex_count);
        ADD_ARRAY(print, s->triangles, 3 * s->triangle_count);
        ADD_ARRAY(print, s->uvs, s->vertex_count);
        ADD_ARRAY(print, s->looks, s->triangle_count);
    }
    for (int i = 0; i < frame->particles_count; i++) {
        const wr_record_particles *p = &frame->particles[i];
        const int numbers[] = {p->body, p->count, p->in_world, (int)p->view};
        ADD(print, numbers);
        ADD(print, p->color);
        ADD(print, p->radius);
        ADD_ARRAY(print, p->positions, p->count);
        ADD_ARRAY(print, p->radii, p->count);
        ADD_ARRAY(print, p->ids, p->count);
    }
}

static void add_bends(golden_print *print, const wr_frame *frame)
{
    for (int i = 0; i < frame->points_count; i++) {
        ADD(print, frame->points[i].body);
        ADD_ARRAY(print, frame->points[i].positions, frame->points[i].count);
    }
    for (int i = 0; i < frame->weights_count; i++) {
        const wr_record_weights *w = &frame->weights[i];
        ADD(print, w->body);
        ADD_ARRAY(print, w->vertices, w->entry_count);
        ADD_ARRAY(print, w->examples, w->entry_count);
        ADD_ARRAY(print, w->weights, w->entry_count);
    }
    for (int i = 0; i < frame->blend_count; i++) {
        ADD(print, frame->blends[i].body);
        ADD(print, frame->blends[i].looks);
        ADD(print, frame->blends[i].wishes);
    }
}

void golden_add_frame(golden_print *print, const wr_frame *frame)
{
    ADD(print, frame->index);
    ADD(print, frame->time);
    ADD_ARRAY(print, frame->poses, frame->body_count);
    add_bends(print, frame);
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *e = &frame->events[i];
        const int numbers[] = {(int)e->kind, e->subject, e->other};
        ADD(print, numbers);
    }
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *c = &frame->contacts[i];
        ADD(print, c->body_a);
        ADD(print, c->body_b);
        ADD(print, c->point);
        ADD(print, c->normal);
        ADD(print, c->impulse);
    }
    add_soft(print, frame);
}

static void add_color(golden_print *print, const wr_color *color)
{
    golden_add_number(print, color->r);
    golden_add_number(print, color->g);
    golden_add_number(print, color->b);
    golden_add_number(print, color->a);
}

static void add_vec3(golden_print *print, wr_vec3 v)
{
    golden_add_number(print, v.x);
    golden_add_number(print, v.y);
    golden_add_number(print, v.z);
}

// Nothing for a camera without.
static void add_keys(golden_print *print, const wr_camera *camera)
{
    if (camera->key_count == 0 && camera->lens == 0.0f && camera->blur == 0.0f) {
        return;
    }
    golden_add_number(print, camera->lens);
    golden_add_number(print, camera->blur);
    for (int i = 0; i < camera->key_count; i++) {
        const wr_camera_key *key = &camera->keys[i];
        golden_add_number(print, key->time);
        add_vec3(print, key->from);
        add_vec3(print, key->to);
        golden_add_number(print, key->fov);
        golden_add_number(print, key->flat);
        golden_add_number(print, key->lens);
    }
}

static void add_stage(golden_print *print, const wr_stage *stage)
{
    for (int i = 0; i < stage->camera_count; i++) {
        const wr_camera *camera = &stage->cameras[i];
        add_string(print, camera->name);
        const int numbers[] = {camera->follows, camera->follows ? camera->body : -1};
        ADD(print, numbers);
        add_vec3(print, camera->from);
        add_vec3(print, camera->to);
        golden_add_number(print, camera->fov);
        golden_add_number(print, camera->flat);
        add_keys(print, camera);
    }
    add_vec3(print, stage->light.sun_direction);
    add_color(print, &stage->light.sun_color);
    golden_add_number(print, stage->light.sun_radius);
    add_color(print, &stage->light.sky_zenith);
    add_color(print, &stage->light.sky_horizon);
    add_color(print, &stage->light.ground);
    golden_add_number(print, stage->light.exposure);
    const int numbers[] = {stage->flat.on, stage->follows, stage->follows ? stage->body : -1};
    ADD(print, numbers);
    add_color(print, &stage->flat.top);
    add_color(print, &stage->flat.low);
    golden_add_number(print, stage->flat.line);
}

static void add_body(golden_print *print, const wr_record_body *body)
{
    add_string(print, body->name);
    add_string(print, body->material);
    const int numbers[] = {body->model, body->is_static, body->casts_ground};
    ADD(print, numbers);
    add_color(print, &body->color);
}

static void add_mesh(golden_print *print, const wr_mesh *mesh)
{
    add_string(print, mesh->name);
    ADD_ARRAY(print, mesh->triangles, 3 * mesh->triangle_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        add_vec3(print, mesh->positions[i]);
        if (mesh->normals) {
            add_vec3(print, mesh->normals[i]);
        }
        if (mesh->colors) {
            add_color(print, &mesh->colors[i]);
        }
    }
}

void golden_add_info(golden_print *print, const wr_record_info *info)
{
    add_string(print, info->title);
    const int numbers[] = {info->rate_numerator, info->rate_denominator, info->substeps,
                           info->planned_frames, info->model_count,      info->asset_count,
                           info->body_count,     info->manifold_count};
    ADD(print, numbers);
    add_stage(print, &info->stage);
    for (int i = 0; i < info->body_count; i++) {
        add_body(print, &info->bodies[i]);
    }
    for (int i = 0; i < info->model_count; i++) {
        add_mesh(print, &info->models[i]->meshes[0]);
        if (info->rigs) {
            ADD(print, info->rigs[i].asset);
            golden_add_number(print, info->rigs[i].scale);
        }
    }
    for (int i = 0; i < info->manifold_count; i++) {
        ADD(print, info->manifolds[i].body);
        ADD_ARRAY(print, info->manifolds[i].simplices, info->manifolds[i].simplex_count);
    }
}
