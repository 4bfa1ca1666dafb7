// Promises of the recording: exact bits, crashes, damage, hostile files, resuming, sizes.
#include "../src/record/format.h"
#include "surface_sample.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

enum { BODIES = 5, PLANNED = 12, POINTS = 7, ENTRIES = 6, MAX_BODIES = 8 };

static char folder[256];
static char path[300];

// --- a small simulation -----------------------------------------------------------------------

static uint64_t random_state = 1;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static uint64_t next_random(void)
{
    return mix(random_state += 0x9E3779B97F4A7C15u);
}

// In [-1, 1), the same for the same numbers.
static float noise(int a, int b, int c)
{
    uint64_t bits = mix((uint64_t)a * 1000003u + (uint64_t)b * 7919u + (uint64_t)c + 17);
    return (float)((double)(bits >> 40) / (1 << 23) - 1.0);
}

static wr_vec3 positions[] = {{0, 0, 0}, {1, 0, -0.0f}, {0, 1, 0}, {0.1f, 0.2f, 1e-30f}};
static wr_vec3 normals[] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
static wr_vec2 uvs[] = {{0, 0}, {1, 0}, {0, 1}, {0.25f, 0.75f}};
static wr_color colors[] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0.5f, 0.5f, 0.5f, 0.5f}};
static int triangles[] = {0, 1, 2, 2, 1, 3};
static wr_mesh_part parts[] = {{0, 1, 0}, {1, 1, -1}};
static const uint8_t pixels[] = {1, 2, 3, 255, 9, 8, 7, 0, 200, 100, 50,  25,
                                 4, 5, 6, 254, 0, 0, 0, 0, 255, 255, 255, 255};
static wr_image images[] = {{"bricks", 3, 2, pixels}};
static wr_look looks[] = {{"wall", {0.5f, 0.25f, 1, 1}, 0, 0.75f, 0.125f, true}};
static wr_mesh meshes[] = {{"mesh", 4, 2, 2, positions, normals, uvs, colors, triangles, parts},
                           {"bare", 4, 2, 0, positions, NULL, NULL, NULL, triangles, NULL}};
static const wr_model models[] = {
    {.name = "crate",
     .mesh_count = 1,
     .look_count = 1,
     .image_count = 1,
     .meshes = &meshes[0],
     .looks = looks,
     .images = images},
    {.name = "", .mesh_count = 1, .meshes = &meshes[1]},
};
static const wr_model *const model_list[] = {&models[0], &models[1]};
static const wr_record_body bodies[BODIES] = {
    {"ground", "rigid", -1, true, true, {0.5f, 0.5f, 0.5f, 1}},
    {"Kiste ä", "rigid", 0, false, false, {1, 1, 1, 1}},
    {"ball", "clay", 1, false, false, {1, 0, 0, 1}},
    {"", "metal", 1, false, false, {0, 1, 0, 0.5f}},
    {"last", "rigid", 0, false, false, {0, 0, 1, 1}},
};

static wr_record_info make_info(void)
{
    wr_record_info info = {
        .title = "wall",
        .program = "test 1",
        .scene_hash = 0x123456789abcdef0u,
        .rate_numerator = 60000,
        .rate_denominator = 1001,
        .substeps = 4,
        .planned_frames = PLANNED,
        .model_count = 2,
        .models = model_list,
        .body_count = BODIES,
        .bodies = bodies,
    };
    info.stage.camera_count = 1;
    snprintf(info.stage.cameras[0].name, WR_STAGE_NAME, "front");
    info.stage.cameras[0].from = wr_v3(1, 2, 3);
    info.stage.cameras[0].fov = 0.75f;
    info.stage.light.sun_direction = wr_v3(0, 1, 0);
    info.stage.light.exposure = 1.5f;
    return info;
}

// Everything of one frame, as a function of its index.
typedef struct sample {
    wr_frame frame;
    wr_pose poses[MAX_BODIES];
    wr_vec3 points[2][POINTS];
    wr_record_points point_lists[2];
    int vertices[ENTRIES], examples[ENTRIES];
    float weights[ENTRIES];
    wr_record_weights weight_lists[1];
    wr_event events[3];
    wr_record_contact contacts[4];
    surface_sample soft;
} sample;

static void make_points(sample *s, int index)
{
    for (int i = 0; i < POINTS; i++) { // the first moves, the second rests on and off
        s->points[0][i] = wr_v3(noise(i, 1, 1) + 0.01f * (float)index, noise(i, index, 2), 0);
        s->points[1][i] = wr_v3(noise(i, index / 3, 3), -0.0f, 1e-42f);
    }
    int count = index == 7 ? POINTS - 2 : POINTS; // a body may change its number of points
    s->point_lists[0] = (wr_record_points){3, count, s->points[0]};
    s->point_lists[1] = (wr_record_points){2, POINTS, s->points[1]};
    s->frame.points = s->point_lists;
    s->frame.points_count = index == 4 ? 0 : 2;
}

static void make_weights(sample *s, int index)
{
    for (int i = 0; i < ENTRIES; i++) {
        s->vertices[i] = i / 2 + (index >= 6);
        s->examples[i] = 1 + i % 2 + (index == 5); // others of the same vertices
        s->weights[i] = 0.5f + 0.5f * noise(i, index / 2, 4);
    }
    s->weights[0] = 1.0f;
    s->weights[1] = 0.0f;
    s->weight_lists[0] =
        (wr_record_weights){3, ENTRIES - (index == 9), s->vertices, s->examples, s->weights};
    s->frame.weights = s->weight_lists;
    s->frame.weights_count = index == 2 ? 0 : 1;
}

static void make_events(sample *s, int index)
{
    wr_frame *f = &s->frame;
    f->events = s->events;
    if (index == 3 || index == 8) { // bodies 5 and 6, then 7
        int first = index == 3 ? 5 : 7;
        f->event_count = index == 3 ? 2 : 1;
        for (int i = 0; i < f->event_count; i++) {
            s->events[i] =
                (wr_event){WR_EVENT_BORN,
                           first + i,
                           i - 1,
                           {first + i == 5 ? "shard" : "", "rigid", 0, false, false, {1, 1, 0, 1}}};
        }
    } else if (index == 5) {
        f->event_count = 2;
        s->events[0] = (wr_event){.kind = WR_EVENT_BROKEN, .subject = 77, .other = -1};
        s->events[1] = (wr_event){.kind = WR_EVENT_REMOVED, .subject = 1, .other = -1};
    }
}

static void make_contacts(sample *s, int index)
{
    s->frame.contacts = s->contacts;
    s->frame.contact_count = index % 4 == 2 ? 0 : (index + 2) % 4 + 1;
    for (int i = 0; i < s->frame.contact_count; i++) {
        s->contacts[i] = (wr_record_contact){i, i + 1, wr_v3(noise(i, index, 5), 0, 2),
                                             wr_v3(0, 1, 0), 3.5f * noise(i, index, 6)};
    }
}

static const wr_frame *make_frame(sample *s, int index)
{
    memset(s, 0, sizeof *s);
    wr_frame *f = &s->frame;
    f->index = index;
    f->time = index == 6 ? 123.456 : (double)index * 1001 / 60000;
    f->hash = mix((uint64_t)index);
    f->body_count = index < 3 ? 5 : index < 8 ? 7 : 8;
    f->poses = s->poses;
    for (int i = 0; i < f->body_count; i++) {
        int step = i == 0 ? 0 : i == 4 ? index / 4 : index; // at rest, now and then, always
        s->poses[i].position = wr_v3(noise(i, step, 7), (float)step * 0.125f, -0.0f);
        s->poses[i].rotation = (wr_quat){noise(i, step, 8), 0, 1e-40f, noise(i, 0, 9)};
    }
    make_points(s, index);
    make_weights(s, index);
    make_events(s, index);
    make_contacts(s, index);
    sample_fill_frame(&s->soft, f);
    return f;
}

static void assert_same_body(const wr_record_body *a, const wr_record_body *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->material, b->material);
    assert_int_equal(a->model, b->model);
    assert_int_equal(a->is_static, b->is_static);
    assert_int_equal(a->casts_ground, b->casts_ground);
    assert_memory_equal(&a->color, &b->color, sizeof a->color);
}

static void assert_same_lists(const wr_frame *a, const wr_frame *b)
{
    assert_int_equal(a->points_count, b->points_count);
    for (int i = 0; i < a->points_count; i++) {
        assert_int_equal(a->points[i].body, b->points[i].body);
        assert_int_equal(a->points[i].count, b->points[i].count);
        assert_memory_equal(a->points[i].positions, b->points[i].positions,
                            sizeof(wr_vec3) * (size_t)a->points[i].count);
    }
    assert_int_equal(a->weights_count, b->weights_count);
    for (int i = 0; i < a->weights_count; i++) {
        const wr_record_weights *v = &a->weights[i], *w = &b->weights[i];
        assert_int_equal(v->body, w->body);
        assert_int_equal(v->entry_count, w->entry_count);
        for (int k = 0; k < v->entry_count; k++) {
            assert_int_equal(v->vertices[k], w->vertices[k]);
            assert_int_equal(v->examples[k], w->examples[k]);
            assert_true(fabsf(v->weights[k] - w->weights[k]) <= 0.5001f / 65535.0f);
        }
    }
}

static void assert_same_bytes(const void *a, const void *b, size_t size)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a && size) {
        assert_memory_equal(a, b, size);
    }
}

static void assert_same_surfaces(const wr_frame *a, const wr_frame *b)
{
    assert_int_equal(a->surface_count, b->surface_count);
    for (int i = 0; i < a->surface_count; i++) {
        const wr_record_surface *s = &a->surfaces[i], *t = &b->surfaces[i];
        size_t n = (size_t)t->vertex_count, m = (size_t)t->triangle_count;
        assert_int_equal(s->body, t->body);
        assert_int_equal(s->number, t->number);
        assert_int_equal(s->topology, t->topology);
        assert_string_equal(s->name, t->name ? t->name : "");
        assert_int_equal(s->in_world, t->in_world);
        assert_int_equal(s->look, t->look);
        assert_memory_equal(&s->color, &t->color, sizeof s->color);
        assert_int_equal(s->vertex_count, t->vertex_count);
        assert_int_equal(s->triangle_count, t->triangle_count);
        if (n) {
            assert_memory_equal(s->positions, t->positions, sizeof(wr_vec3) * n);
            assert_memory_equal(s->triangles, t->triangles, 3 * sizeof(int) * m);
        }
        assert_same_bytes(s->uvs, t->uvs, sizeof(wr_vec2) * n);
        assert_same_bytes(s->looks, t->looks, sizeof(int) * m);
        assert_ptr_equal(wr_frame_surface(a, s->body, s->number), s);
        assert_null(wr_frame_surface(a, s->body, 3));
    }
}

// Places come back to 1/512 of the smallest radius.
static void assert_same_particles(const wr_frame *a, const wr_frame *b)
{
    assert_int_equal(a->particles_count, b->particles_count);
    for (int i = 0; i < a->particles_count; i++) {
        const wr_record_particles *p = &a->particles[i], *q = &b->particles[i];
        size_t count = (size_t)q->count;
        assert_int_equal(p->body, q->body);
        assert_int_equal(p->count, q->count);
        assert_int_equal(p->in_world, q->in_world);
        assert_int_equal(p->view, q->view);
        assert_memory_equal(&p->color, &q->color, sizeof p->color);
        if (count) {
            assert_same_bytes(p->ids, q->ids, sizeof(uint32_t) * count);
            assert_same_bytes(p->radii, q->radii, sizeof(float) * count);
        }
        assert_true(q->radii || p->radius == q->radius);
        float tolerance = (q->radii ? 0.01f : q->radius) / 512.0f;
        for (int k = 0; k < p->count; k++) {
            wr_vec3 d = wr_sub(p->positions[k], q->positions[k]);
            assert_true(fabsf(d.x) <= tolerance && fabsf(d.y) <= tolerance &&
                        fabsf(d.z) <= tolerance);
        }
        assert_ptr_equal(wr_frame_particles(a, p->body), p);
    }
    assert_null(wr_frame_particles(a, 3));
}

static void assert_same_frame(const wr_frame *a, const wr_frame *b)
{
    assert_non_null(a);
    assert_int_equal(a->index, b->index);
    assert_memory_equal(&a->time, &b->time, sizeof a->time);
    assert_true(a->hash == b->hash);
    assert_int_equal(a->body_count, b->body_count);
    assert_memory_equal(a->poses, b->poses, sizeof(wr_pose) * (size_t)a->body_count);
    assert_same_lists(a, b);
    assert_same_surfaces(a, b);
    assert_same_particles(a, b);
    assert_int_equal(a->event_count, b->event_count);
    for (int i = 0; i < a->event_count; i++) {
        assert_int_equal(a->events[i].kind, b->events[i].kind);
        assert_int_equal(a->events[i].subject, b->events[i].subject);
        assert_int_equal(a->events[i].other, b->events[i].other);
        if (a->events[i].kind == WR_EVENT_BORN) {
            assert_same_body(&a->events[i].born, &b->events[i].born);
        }
    }
    assert_int_equal(a->contact_count, b->contact_count);
    if (a->contact_count) {
        assert_memory_equal(a->contacts, b->contacts,
                            sizeof(wr_record_contact) * (size_t)a->contact_count);
    }
}

static void assert_right_frame(wr_record_reader *reader, int index)
{
    static sample s;
    wr_error error = {0};
    const wr_frame *frame = wr_record_read_frame(reader, index, &error);
    if (!frame) {
        fail_msg("%s", error.message);
    }
    assert_same_frame(frame, make_frame(&s, index));
}

static void add_snapshot(wr_record_writer *writer, int index)
{
    uint8_t bytes[100];
    for (int i = 0; i < 100; i++) {
        bytes[i] = (uint8_t)(i * index);
    }
    assert_true(wr_record_add_snapshot(writer, bytes, (size_t)(90 + index % 10), NULL));
}

// Simulates from behind `done` to `last`, with a snapshot at every fifth frame.
static void run(wr_record_writer *writer, int done, int last)
{
    static sample s;
    wr_error error = {0};
    for (int i = done + 1; i <= last; i++) {
        if (!wr_record_add_frame(writer, make_frame(&s, i), &error)) {
            fail_msg("%s", error.message);
        }
        if (i % 5 == 4) {
            add_snapshot(writer, i);
        }
    }
}

static void write_recording(void)
{
    wr_record_info info = make_info();
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    run(writer, -1, PLANNED);
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

static wr_record_writer *resume(int *frame)
{
    wr_record_info info = make_info();
    wr_error error = {0};
    const void *snapshot;
    size_t size;
    wr_record_writer *writer = wr_record_resume(path, &info, frame, &snapshot, &size, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(snapshot != NULL, *frame >= 0 && *frame % 5 == 4);
    if (snapshot) {
        assert_int_equal(size, 90 + *frame % 10);
        assert_int_equal(((const uint8_t *)snapshot)[89], (uint8_t)(89 * *frame));
    }
    return writer;
}

static char *read_bytes(size_t *size)
{
    char *bytes = wri_file_read(path, 1 << 26, NULL, size, NULL);
    assert_non_null(bytes);
    return bytes;
}

static void write_bytes(const void *bytes, size_t size)
{
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL); // emptying first is slow on ext4
    assert_non_null(file);
    assert_true(wri_file_write_at(file, 0, bytes, size, NULL));
    assert_true(wri_file_truncate(file, (int64_t)size, NULL));
    assert_true(wri_file_close(file, NULL));
}

static void free_bytes(char *bytes, size_t size)
{
    wri_free(NULL, bytes, size + 1, 1);
}

static void assert_file_is(const char *bytes, size_t size)
{
    size_t now_size;
    char *now = read_bytes(&now_size);
    assert_int_equal(now_size, size);
    assert_memory_equal(now, bytes, size);
    free_bytes(now, now_size);
}

// --- round trips ------------------------------------------------------------------------------

static void every_frame_comes_back_bit_for_bit(void **state)
{
    (void)state;
    write_recording();
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    assert_int_equal(wr_record_frame_count(reader), PLANNED + 1);
    assert_true(wr_record_is_complete(reader));
    for (int i = 0; i <= PLANNED; i++) {
        assert_right_frame(reader, i);
        assert_right_frame(reader, i); // asking again is fine
        int count;
        const wr_record_body *known = wr_record_bodies(reader, &count);
        assert_int_equal(count, reader->frame.body_count);
        for (int k = 0; k < BODIES; k++) {
            assert_same_body(&known[k], &bodies[k]);
        }
        if (i >= 3) {
            assert_string_equal(known[5].name, "shard");
        }
    }
    assert_null(wr_record_read_frame(reader, PLANNED + 1, &error));
    assert_int_equal(error.code, WR_E_ARGUMENT);
    wr_record_close(reader);
}

static void random_access_equals_reading_in_order(void **state)
{
    (void)state;
    write_recording();
    for (int from = 0; from <= PLANNED; from++) {
        wr_record_reader *reader = wr_record_open(path, NULL);
        assert_non_null(reader);
        for (int to = 0; to <= PLANNED; to++) {
            assert_right_frame(reader, from);
            int count;
            assert_string_equal(from < 3 ? "" : wr_record_bodies(reader, &count)[5].name,
                                from < 3 ? "" : "shard");
            assert_right_frame(reader, to);
        }
        wr_record_close(reader);
    }
}

static void assert_same_mesh(const wr_mesh *a, const wr_mesh *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->part_count, b->part_count);
    assert_memory_equal(a->positions, b->positions, sizeof positions);
    assert_memory_equal(a->triangles, b->triangles, sizeof triangles);
    assert_int_equal(a->normals != NULL, b->normals != NULL);
    if (b->normals) {
        assert_memory_equal(a->normals, b->normals, sizeof normals);
        assert_memory_equal(a->uvs, b->uvs, sizeof uvs);
        assert_memory_equal(a->colors, b->colors, sizeof colors);
        assert_memory_equal(a->parts, b->parts, sizeof parts);
    } else {
        assert_true(!a->uvs && !a->colors);
    }
}

static void assert_right_info(const wr_record_info *a)
{
    wr_record_info b = make_info();
    assert_string_equal(a->title, b.title);
    assert_string_equal(a->program, b.program);
    assert_true(a->scene_hash == b.scene_hash);
    assert_int_equal(a->rate_numerator, b.rate_numerator);
    assert_int_equal(a->rate_denominator, b.rate_denominator);
    assert_int_equal(a->substeps, b.substeps);
    assert_int_equal(a->planned_frames, b.planned_frames);
    assert_memory_equal(&a->stage, &b.stage, sizeof b.stage);
    assert_int_equal(a->body_count, b.body_count);
    for (int i = 0; i < b.body_count; i++) {
        assert_same_body(&a->bodies[i], &b.bodies[i]);
    }
    assert_int_equal(a->model_count, b.model_count);
    for (int i = 0; i < b.model_count; i++) {
        const wr_model *m = a->models[i], *n = b.models[i];
        assert_string_equal(m->name, n->name);
        assert_int_equal(m->mesh_count, 1);
        assert_int_equal(m->node_count, 1);
        assert_int_equal(m->look_count, n->look_count);
        assert_int_equal(m->image_count, n->image_count);
        assert_same_mesh(&m->meshes[0], &n->meshes[0]);
    }
    const wr_look *look = &a->models[0]->looks[0];
    assert_string_equal(look->name, "wall");
    assert_memory_equal(&look->base_color, &looks[0].base_color, sizeof look->base_color);
    assert_true(look->texture == 0 && look->roughness == 0.75f && look->metallic == 0.125f &&
                look->double_sided);
    assert_string_equal(a->models[0]->images[0].name, "bricks");
    assert_int_equal(a->models[0]->images[0].width, 3);
    assert_memory_equal(a->models[0]->images[0].pixels, pixels, sizeof pixels);
}

static void the_description_comes_back(void **state)
{
    (void)state;
    write_recording();
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_non_null(reader);
    assert_right_info(wr_record_about(reader));
    wr_record_share shares[16];
    int count = wr_record_shares(reader, shares);
    int64_t sum = WRI_RECORD_HEADER_SIZE;
    for (int i = 0; i < count; i++) {
        sum += shares[i].size;
        if (strcmp(shares[i].kind, "FRAM") == 0) {
            assert_int_equal(shares[i].count, PLANNED + 1);
        }
    }
    assert_int_equal(count, 6);
    assert_int_equal(sum, wr_record_size(reader)); // every byte belongs to somebody
    wr_record_close(reader);
}

static void what_is_not_finite_is_refused_and_can_be_mended(void **state)
{
    (void)state;
    static sample s;
    wr_record_info info = make_info();
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &info, &error);
    make_frame(&s, 0);
    float *places[] = {&s.poses[2].rotation.w, &s.points[0][POINTS - 1].z,
                       &s.points[1][POINTS - 1].x, &s.weights[3], &s.weights[ENTRIES - 1]};
    for (int i = 0; i < WRI_COUNT(places); i++) {
        float good = *places[i];
        *places[i] = NAN;
        assert_false(wr_record_add_frame(writer, &s.frame, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        *places[i] = good;
    }
    s.examples[ENTRIES - 1] = -1;
    assert_false(wr_record_add_frame(writer, &s.frame, &error));
    s.examples[ENTRIES - 1] = 1 + (ENTRIES - 1) % 2;
    s.frame.body_count = 4;
    assert_false(wr_record_add_frame(writer, &s.frame, &error));
    run(writer, -1, 2);
    make_frame(&s, 3);
    s.events[1].subject = 9; // not the next number
    assert_false(wr_record_add_frame(writer, &s.frame, &error));
    run(writer, 2, PLANNED);
    assert_false(wr_record_add_frame(writer, make_frame(&s, PLANNED + 1), &error));
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    size_t size;
    char *mended = read_bytes(&size);
    write_recording();
    assert_file_is(mended, size);
    free_bytes(mended, size);
}

static void a_bad_description_replaces_nothing(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *before = read_bytes(&size);
    wr_record_info info = make_info();
    wr_error error = {0};
    triangles[4] = 4; // of 4 vertices
    assert_null(wr_record_create(path, &info, &error));
    triangles[4] = 1;
    assert_int_equal(error.code, WR_E_ARGUMENT);
    assert_non_null(strstr(error.message, "model 0"));
    info.rate_denominator = 0;
    assert_null(wr_record_create(path, &info, &error));
    assert_file_is(before, size);
    free_bytes(before, size);
}

static void cameras_keep_whom_they_follow(void **state)
{
    (void)state;
    wr_record_info info = make_info();
    wr_error error = {0};
    info.stage.camera_count = 3;
    info.stage.cameras[1] = (wr_camera){.to = {0, 0, -1}, .fov = 1.0f, .follows = true, .body = 4};
    info.stage.cameras[2] = (wr_camera){.to = {0, 0, -1}, .fov = 1.0f, .follows = true};
    for (int pass = 0; pass < 2; pass++) { // the last one is the automatic camera
        info.stage.follows = pass == 1;
        info.stage.body = 2;
        wr_record_writer *writer = wr_record_create(path, &info, &error);
        assert_non_null(writer);
        wr_record_writer_destroy(writer);
        wr_record_reader *reader = wr_record_open(path, &error);
        assert_non_null(reader);
        const wr_stage *stage = &wr_record_about(reader)->stage;
        assert_int_equal(stage->follows, pass == 1);
        assert_int_equal(stage->body, pass == 1 ? 2 : 0);
        assert_false(stage->cameras[0].follows);
        assert_true(stage->cameras[1].follows && stage->cameras[1].body == 4);
        assert_true(stage->cameras[2].follows && stage->cameras[2].body == 0);
        wr_record_close(reader);
    }
    info.stage.cameras[2].body = BODIES;
    assert_null(wr_record_create(path, &info, &error));
    assert_non_null(strstr(error.message, "the body that a camera follows"));
}

static void cameras_keep_their_keys(void **state)
{
    (void)state;
    const wr_camera_key keys[] = {{0.25, {1, 2, 3}, {4, 5, 6}, 0.5f, 0.0f, 0.02f},
                                  {1e-9 + 0.25, {1, 2, 3}, {4, 5, 7}, 0.6f, 0.0f, 0.0f}};
    wr_record_info info = make_info();
    wr_error error = {0};
    info.stage.camera_count = 2;
    info.stage.cameras[0].lens = 0.125f;
    info.stage.cameras[1] =
        (wr_camera){.name = "keyed", .blur = 0.5f, .key_count = 2, .keys = keys};
    for (int pass = 0; pass < 2; pass++) { // the last one has an environment, too
        info.stage.light.environment = pass == 1 ? wr_environment_studio() : NULL;
        wr_record_writer *writer = wr_record_create(path, &info, &error);
        assert_non_null(writer);
        wr_record_writer_destroy(writer);
        wr_record_reader *reader = wr_record_open(path, &error);
        assert_non_null(reader);
        const wr_stage *stage = &wr_record_about(reader)->stage;
        assert_int_equal(stage->light.environment != NULL, pass == 1);
        assert_true(stage->cameras[0].lens == 0.125f && stage->cameras[0].key_count == 0);
        assert_true(stage->cameras[1].blur == 0.5f && stage->cameras[1].key_count == 2);
        for (int i = 0; i < 2; i++) {
            const wr_camera_key *key = &stage->cameras[1].keys[i];
            assert_true(key->time == keys[i].time && key->lens == keys[i].lens);
            assert_memory_equal(&key->from, &keys[i].from, sizeof key->from);
            assert_memory_equal(&key->to, &keys[i].to, sizeof key->to);
            assert_true(key->fov == keys[i].fov && key->flat == keys[i].flat);
        }
        wr_record_close(reader);
    }
    const wr_camera_key back[] = {keys[1], keys[0]};
    info.stage.cameras[1].keys = back;
    assert_null(wr_record_create(path, &info, &error));
    assert_non_null(strstr(error.message, "a key of a camera"));
}

// --- damage -----------------------------------------------------------------------------------

static void a_recording_cut_anywhere_gives_its_whole_frames(void **state)
{
    (void)state;
    write_recording();
    wr_record_reader *reader = wr_record_open(path, NULL);
    int64_t ends[PLANNED + 1], begin = reader->begin, size = reader->size;
    for (int i = 0; i <= PLANNED; i++) {
        assert_right_frame(reader, i);
        uint8_t head[WRI_CHUNK_HEAD_SIZE];
        int64_t offset = WRI_ITEM(reader->index.frames, wri_frame_entry, i).offset;
        assert_true(wri_file_read_at(reader->file, offset, head, sizeof head, NULL));
        ends[i] = offset + WRI_CHUNK_HEAD_SIZE + (int64_t)wri_read_little(head + 8, 4);
    }
    wr_record_close(reader);
    for (int64_t length = size - 1; length >= 0; length--) {
        assert_int_equal(truncate(path, (off_t)length), 0);
        wr_error error = {0};
        reader = wr_record_open(path, &error);
        assert_int_equal(reader != NULL, length >= begin);
        if (!reader) {
            assert_non_null(strstr(error.message, path));
            continue;
        }
        int whole = 0;
        while (whole <= PLANNED && ends[whole] <= length) {
            whole++;
        }
        assert_int_equal(wr_record_frame_count(reader), whole);
        for (int i = 0; i < whole; i++) {
            assert_right_frame(reader, i);
        }
        wr_record_close(reader);
    }
}

// Every frame is the right one or an error; returns how many are right.
static int count_right_frames(wr_record_reader *reader)
{
    static sample s;
    int right = 0;
    assert_true(wr_record_frame_count(reader) <= PLANNED + 1);
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        wr_error error = {0};
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        if (frame) {
            assert_same_frame(frame, make_frame(&s, i));
            right++;
        } else {
            assert_non_null(strstr(error.message, "byte "));
        }
    }
    return right;
}

static void a_changed_byte_never_gives_wrong_data(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *bytes = read_bytes(&size);
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
    int64_t total = 0;
    for (size_t i = 0; i < size; i++) {
        char changed = (char)(bytes[i] ^ (1 << next_random() % 8));
        assert_true(wri_file_write_at(file, (int64_t)i, &changed, 1, NULL));
        wr_error error = {0};
        wr_record_reader *reader = wr_record_open(path, &error);
        if (reader) {
            assert_right_info(wr_record_about(reader));
            total += count_right_frames(reader);
            wr_record_close(reader);
        } else {
            assert_non_null(strstr(error.message, path));
        }
        assert_true(wri_file_write_at(file, (int64_t)i, &bytes[i], 1, NULL));
    }
    // A finished recording loses at most the frames up to the next whole one.
    assert_true(total > (int64_t)(size / 2) * (PLANNED - 4));
    wri_file_close(file, NULL);
    free_bytes(bytes, size);
}

// --- hostile files, with right checksums ------------------------------------------------------

typedef struct chunk {
    wri_chunk_head head;
    uint8_t *raw; // unpacked
} chunk;

typedef struct chunks {
    chunk items[64];
    int count;
} chunks;

static chunks take_apart(void)
{
    chunks c = {.count = 0};
    size_t size;
    uint8_t *bytes = (uint8_t *)read_bytes(&size);
    for (size_t at = WRI_RECORD_HEADER_SIZE; at < size; c.count++) {
        chunk *item = &c.items[c.count];
        item->head.kind = (uint32_t)wri_read_little(bytes + at, 4);
        item->head.flags = (uint32_t)wri_read_little(bytes + at + 4, 4);
        item->head.stored_size = (uint32_t)wri_read_little(bytes + at + 8, 4);
        item->head.raw_size = (uint32_t)wri_read_little(bytes + at + 12, 4);
        item->raw = malloc(item->head.raw_size + 1);
        at += WRI_CHUNK_HEAD_SIZE;
        if (item->head.flags & WRI_CHUNK_PACKED) {
            assert_int_equal(
                ZSTD_decompress(item->raw, item->head.raw_size, bytes + at, item->head.stored_size),
                item->head.raw_size);
        } else {
            memcpy(item->raw, bytes + at, item->head.raw_size);
        }
        at += item->head.stored_size;
    }
    free_bytes((char *)bytes, size);
    return c;
}

// Writes one chunk as it is, with a right checksum.
static int64_t put_chunk(wri_file *file, int64_t at, wri_chunk_head head, const void *payload)
{
    uint8_t bytes[WRI_CHUNK_HEAD_SIZE];
    wri_chunk_head_write(bytes, &head);
    head.checksum = wri_chunk_checksum(bytes, payload, head.stored_size, at);
    wri_chunk_head_write(bytes, &head);
    assert_true(wri_file_write_at(file, at, bytes, sizeof bytes, NULL));
    assert_true(wri_file_write_at(file, at + WRI_CHUNK_HEAD_SIZE, payload, head.stored_size, NULL));
    return at + WRI_CHUNK_HEAD_SIZE + head.stored_size;
}

static int64_t put_raw(wri_file *file, int64_t at, const chunk *item)
{
    wri_chunk_head head = item->head;
    head.flags &= ~(uint32_t)WRI_CHUNK_PACKED;
    head.stored_size = head.raw_size;
    return put_chunk(file, at, head, item->raw);
}

// Writes the chunks up to `end` without packing; those before `first` are there already.
static void put_together(const chunks *c, int first, int end)
{
    uint8_t header[WRI_RECORD_HEADER_SIZE];
    wri_record_header_write(header, WRI_RECORD_VERSION);
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
    assert_true(wri_file_write_at(file, 0, header, sizeof header, NULL));
    int64_t at = WRI_RECORD_HEADER_SIZE;
    for (int i = 0; i < end; i++) {
        at = i < first ? at + WRI_CHUNK_HEAD_SIZE + c->items[i].head.raw_size
                       : put_raw(file, at, &c->items[i]);
    }
    assert_true(wri_file_truncate(file, at, NULL));
    assert_true(wri_file_close(file, NULL));
}

static void free_chunks(chunks *c)
{
    for (int i = 0; i < c->count; i++) {
        free(c->items[i].raw);
    }
}

static void assert_sound_model(const wr_model *model)
{
    const wr_mesh *mesh = &model->meshes[0];
    for (int i = 0; i < 3 * mesh->triangle_count; i++) {
        assert_in_range(mesh->triangles[i], 0, mesh->vertex_count - 1);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        assert_true(wr_is_finite3(mesh->positions[i]));
    }
    for (int i = 0; i < mesh->part_count; i++) {
        const wr_mesh_part *part = &mesh->parts[i];
        assert_true(part->first_triangle >= 0 && part->triangle_count >= 0);
        assert_true((int64_t)part->first_triangle + part->triangle_count <= mesh->triangle_count);
        assert_true(part->look >= -1 && part->look < model->look_count);
    }
    for (int i = 0; i < model->look_count; i++) {
        assert_true(model->looks[i].texture >= -1 && model->looks[i].texture < model->image_count);
    }
}

static void assert_sound_surface(const wr_record_surface *s, int body_count)
{
    assert_in_range(s->body, 0, body_count - 1);
    assert_non_null(s->name);
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        assert_in_range(s->triangles[i], 0, s->vertex_count - 1);
    }
    for (int i = 0; i < s->vertex_count; i++) {
        assert_true(wr_is_finite3(s->positions[i]));
        assert_true(!s->uvs || isfinite(s->uvs[i].x + s->uvs[i].y));
    }
    for (int i = 0; s->looks && i < s->triangle_count; i++) {
        assert_true(s->looks[i] == -1 || s->looks[i] == 0);
    }
}

static void assert_sound_particles(const wr_record_particles *p, int body_count)
{
    assert_in_range(p->body, 0, body_count - 1);
    for (int i = 0; i < p->count; i++) {
        assert_true(wr_is_finite3(p->positions[i]));
        assert_true((p->radii ? p->radii[i] : p->radius) > 0.0f);
        assert_true(!p->ids || i == 0 || p->ids[i] > p->ids[i - 1]);
    }
}

static void read_all(void)
{
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    if (!reader) {
        assert_true(error.code != WR_OK && error.message[0]);
        return;
    }
    const wr_record_info *info = wr_record_about(reader);
    for (int i = 0; i < info->model_count; i++) {
        assert_sound_model(info->models[i]);
    }
    for (int i = 0; i < info->body_count; i++) {
        assert_true(info->bodies[i].model >= -1 && info->bodies[i].model < info->model_count);
    }
    uint64_t hash = 0;
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, &error);
        if (!frame && hash) { // a failure does not spoil what was read before it
            const wr_frame *before = wr_record_read_frame(reader, i - 1, &error);
            assert_true(before && before->index == i - 1 && before->hash == hash);
        }
        hash = frame ? frame->hash : 0;
        for (int k = 0; frame && k < frame->body_count; k++) {
            assert_true(wr_pose_is_finite(frame->poses[k]));
        }
        for (int k = 0; frame && k < frame->contact_count; k++) {
            assert_in_range(frame->contacts[k].body_a, 0, frame->body_count - 1);
        }
        for (int k = 0; frame && k < frame->points_count; k++) {
            assert_in_range(frame->points[k].body, 0, frame->body_count - 1);
            int last = frame->points[k].count - 1;
            assert_true(last < 0 || wr_is_finite3(frame->points[k].positions[last]));
        }
        for (int k = 0; frame && k < frame->surface_count; k++) {
            assert_sound_surface(&frame->surfaces[k], frame->body_count);
        }
        for (int k = 0; frame && k < frame->particles_count; k++) {
            assert_sound_particles(&frame->particles[k], frame->body_count);
        }
    }
    wr_record_close(reader);
}

static void bad_contents_behind_right_checksums_are_refused(void **state)
{
    (void)state;
    write_recording();
    chunks c = take_apart();
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (int i = 0; i < c.count; i++) {
        if (c.items[i].head.kind == WRI_CHUNK_SNAPSHOT) {
            continue;
        }
        int end = i < 3 ? 4 : i + 2 < c.count ? i + 2 : c.count; // with one chunk behind it
        put_together(&c, 0, end);
        uint32_t rounds = i < 3 ? 4 : 1; // the description is small and has the most rules
        for (uint32_t n = 0; n < rounds * c.items[i].head.raw_size; n++) {
            uint32_t k = n / rounds;
            uint8_t good = c.items[i].raw[k];
            c.items[i].raw[k] =
                next_random() % 4 ? values[next_random() % 5] : (uint8_t)next_random();
            if (c.items[i].raw[k] != good) {
                put_together(&c, i, end);
                read_all();
            }
            c.items[i].raw[k] = good;
        }
        // Shortened contents, too.
        uint32_t size = c.items[i].head.raw_size;
        for (uint32_t k = 0; k < size; k += 1 + size / 40) {
            c.items[i].head.raw_size = k;
            put_together(&c, i, end);
            read_all();
        }
        c.items[i].head.raw_size = size;
    }
    free_chunks(&c);
}

static void an_index_that_lies_does_no_harm(void **state)
{
    (void)state;
    write_recording();
    chunks c = take_apart();
    chunk *index = &c.items[c.count - 2], *footer = &c.items[c.count - 1];
    assert_int_equal(index->head.kind, WRI_CHUNK_INDEX);
    int64_t place = (int64_t)wri_read_little(footer->raw, 8);
    for (uint32_t n = 0; n < 8 * index->head.raw_size; n++) {
        uint8_t good = index->raw[n / 8];
        index->raw[n / 8] ^= (uint8_t)(1 << n % 8);
        wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
        int64_t end = put_raw(file, put_raw(file, place, index), footer);
        assert_true(wri_file_truncate(file, end, NULL));
        assert_true(wri_file_close(file, NULL));
        read_all();
        index->raw[n / 8] = good;
    }
    free_chunks(&c);
}

static void a_small_file_cannot_ask_for_much_memory(void **state)
{
    (void)state;
    write_recording();
    chunks c = take_apart();
    size_t bomb_size = (size_t)1 << 27;
    uint8_t *zeros = calloc(bomb_size, 1);
    size_t room = ZSTD_compressBound(bomb_size);
    uint8_t *packed = malloc(room);
    wri_chunk_head head = {.kind = WRI_CHUNK_FRAME, .flags = WRI_CHUNK_PACKED | WRI_CHUNK_KEY};
    const struct {
        size_t real;
        uint32_t claimed;
    } cases[] = {{bomb_size, (uint32_t)bomb_size}, // unpacks to what it says, but grows too much
                 {1 << 16, 1000},                  // more than it says
                 {1000, 1 << 16},                  // less than it says
                 {1000, 0xffffffffu}};
    for (int i = 0; i < 4; i++) {
        put_together(&c, 0, 3);
        head.stored_size = (uint32_t)ZSTD_compress(packed, room, zeros, cases[i].real, 3);
        head.raw_size = cases[i].claimed;
        wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
        put_chunk(file, wri_file_length(file), head, packed);
        wri_file_close(file, NULL);
        wr_error error = {0};
        wr_record_reader *reader = wr_record_open(path, &error);
        assert_non_null(reader);
        if (wr_record_frame_count(reader) == 1) {
            assert_null(wr_record_read_frame(reader, 0, &error));
            assert_non_null(strstr(error.message, "does not unpack"));
        }
        assert_true(reader->raw.capacity <= WRI_CHUNK_FREE);
        wr_record_close(reader);
    }
    free(packed);
    free(zeros);
    free_chunks(&c);
}

static void streams_out_of_order_are_refused(void **state)
{
    (void)state;
    write_recording();
    chunks c = take_apart();
    chunk *item = &c.items[3]; // the first frame
    assert_int_equal(item->head.kind, WRI_CHUNK_FRAME);
    item->raw = realloc(item->raw, item->head.raw_size + 13);
    memcpy(item->raw + item->head.raw_size, item->raw, 13); // the state's hash once more
    item->head.raw_size += 13;
    put_together(&c, 0, c.count - 2);
    wr_error error = {0};
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    assert_null(wr_record_read_frame(reader, 0, &error));
    assert_non_null(strstr(error.message, "stream 1 after stream"));
    assert_right_frame(reader, 7); // behind the next key frame
    wr_record_close(reader);
    free_chunks(&c);
}

static void strange_chunks_and_streams_are_skipped(void **state)
{
    (void)state;
    write_recording();
    chunks c = take_apart();
    uint8_t header[WRI_RECORD_HEADER_SIZE];
    wri_record_header_write(header, WRI_RECORD_VERSION);
    wri_write_little(header + 8, 7, 4); // a later version that we may read
    wri_write_little(header + 16, wri_hash(header, 16, 0), 8);
    put_together(&c, 0, 0);
    wri_file *file = wri_file_open(path, WRI_FILE_UPDATE, NULL);
    assert_true(wri_file_write_at(file, 0, header, sizeof header, NULL));
    int64_t at = WRI_RECORD_HEADER_SIZE;
    for (int i = 0; i < c.count - 2; i++) { // all but index and footer
        chunk item = c.items[i];
        if (item.head.kind == WRI_CHUNK_FRAME) {
            static const uint8_t stream[] = {200, 3, 0, 0, 0, 'a', 'b', 'c'};
            item.raw = malloc(item.head.raw_size + sizeof stream);
            memcpy(item.raw, c.items[i].raw, item.head.raw_size);
            memcpy(item.raw + item.head.raw_size, stream, sizeof stream);
            item.head.raw_size += sizeof stream;
        }
        at = put_raw(file, at, &item);
        if (item.raw != c.items[i].raw) {
            free(item.raw);
        }
        if (i > 2) {
            at = put_chunk(file, at, (wri_chunk_head){WRI_FOURCC('x', 'T', 'R', '\n'), 0, 5, 5, 0},
                           "hello");
        }
    }
    wri_file_close(file, NULL);
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_non_null(reader);
    assert_int_equal(count_right_frames(reader), PLANNED + 1);
    wr_record_close(reader);

    wr_record_info info = make_info();
    wr_error error = {0};
    int frame;
    const void *snapshot;
    size_t size, now;
    char *before = read_bytes(&now);
    assert_null(wr_record_resume(path, &info, &frame, &snapshot, &size, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED); // we would not know how to go on
    assert_file_is(before, now);
    free_bytes(before, now);

    wri_write_little(header + 12, 7, 4);
    wri_write_little(header + 16, wri_hash(header, 16, 0), 8);
    write_bytes(header, sizeof header);
    assert_null(wr_record_open(path, &error));
    assert_int_equal(error.code, WR_E_UNSUPPORTED);
    free_chunks(&c);
}

// --- resuming ---------------------------------------------------------------------------------

static void a_killed_run_resumes_to_the_same_bytes(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *whole = read_bytes(&size);
    for (int i = 0; i < 200; i++) {
        size_t length = (size_t)(next_random() % (size + 1));
        write_bytes(whole, length);
        int frame;
        wr_record_writer *writer = resume(&frame);
        if (i % 3 == 0 && frame < 10) { // killed again
            run(writer, frame, frame + 2);
            wr_record_writer_destroy(writer);
            writer = resume(&frame);
        }
        run(writer, frame, PLANNED);
        assert_true(wr_record_finish(writer, true, NULL));
        wr_record_writer_destroy(writer);
        assert_file_is(whole, size);
    }
    free_bytes(whole, size);
}

// --- how often a snapshot is worth its bytes ----------------------------------------------------

enum { LARGE = 20000 }; // bytes: more than all frames together

static void add_due_snapshot(wr_record_writer *writer, int size)
{
    static uint8_t bytes[LARGE];
    for (int i = 0; i < size; i++) {
        bytes[i] = (uint8_t)next_random();
    }
    assert_true(wr_record_add_snapshot(writer, bytes, (size_t)size, NULL));
}

// At 2.5 frames per second, so that three seconds are seven and a half frames. Returns how many
// there were.
static int count_due_snapshots(int snapshot_size)
{
    static sample s;
    wr_record_info info = make_info();
    info.rate_numerator = 5;
    info.rate_denominator = 2;
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    assert_non_null(writer);
    int count = 0, frames = 0;
    int64_t before = 0, behind = 0;
    for (int i = 0; i <= PLANNED; i++) {
        assert_true(wr_record_add_frame(writer, make_frame(&s, i), NULL));
        frames++;
        int64_t size = wri_file_size(path);
        bool expected = count == 0 || size - behind >= 4 * (behind - before) || frames >= 8;
        assert_int_equal(wr_record_snapshot_is_due(writer), expected);
        if (expected) {
            add_due_snapshot(writer, snapshot_size);
            count++;
            frames = 0;
            before = size;
            behind = wri_file_size(path);
            assert_false(wr_record_snapshot_is_due(writer));
        }
    }
    wr_record_writer_destroy(writer);
    return count;
}

static void snapshots_are_due_by_bytes_and_by_time(void **state)
{
    (void)state;
    assert_int_equal(count_due_snapshots(LARGE), 2); // by time alone: behind frames 0 and 8
    assert_int_equal(count_due_snapshots(1), PLANNED + 1);
    int some = count_due_snapshots(200);
    assert_true(some > 2 && some < PLANNED);
}

// What is due does not depend on where the run was killed.
static void resumed_runs_have_the_snapshots_of_whole_ones(void **state)
{
    (void)state;
    static sample s;
    wr_record_info info = make_info();
    char *whole = NULL;
    size_t whole_size = 0;
    for (int cut = -1; cut < 60; cut++) {
        int frame = -1;
        const void *snapshot;
        size_t size;
        if (cut >= 0) {
            write_bytes(whole, whole_size * (size_t)cut / 60);
        }
        wr_record_writer *writer =
            cut < 0 ? wr_record_create(path, &info, NULL)
                    : wr_record_resume(path, &info, &frame, &snapshot, &size, NULL);
        assert_non_null(writer);
        for (int i = frame + 1; i <= PLANNED; i++) {
            assert_true(wr_record_add_frame(writer, make_frame(&s, i), NULL));
            if (wr_record_snapshot_is_due(writer)) {
                uint8_t bytes[150];
                for (int k = 0; k < 150; k++) {
                    bytes[k] = (uint8_t)(k * k * (i + 1));
                }
                assert_true(wr_record_add_snapshot(writer, bytes, sizeof bytes, NULL));
            }
        }
        assert_true(wr_record_finish(writer, true, NULL));
        wr_record_writer_destroy(writer);
        if (cut < 0) {
            whole = read_bytes(&whole_size);
        } else {
            assert_file_is(whole, whole_size);
        }
    }
    free_bytes(whole, whole_size);
}

static void a_complete_recording_has_nothing_left_to_do(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *whole = read_bytes(&size);
    int frame;
    wr_error error = {0};
    wr_record_writer *writer = resume(&frame);
    assert_int_equal(frame, PLANNED);
    static sample s;
    assert_false(wr_record_add_frame(writer, make_frame(&s, PLANNED), &error));
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
    assert_file_is(whole, size);
    free_bytes(whole, size);
}

static void a_run_that_was_stopped_in_order_goes_on(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *whole = read_bytes(&size);
    wr_record_info info = make_info();
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    run(writer, -1, 9);
    assert_false(wr_record_finish(writer, true, NULL)); // frames are missing
    assert_true(wr_record_finish(writer, false, NULL));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_false(wr_record_is_complete(reader));
    assert_int_equal(count_right_frames(reader), 10);
    wr_record_close(reader);
    int frame;
    writer = resume(&frame);
    assert_int_equal(frame, 9);
    run(writer, frame, PLANNED);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    assert_file_is(whole, size);
    free_bytes(whole, size);
}

static void what_is_not_ours_is_left_untouched(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *whole = read_bytes(&size);
    int frame;
    const void *snapshot;
    size_t snapshot_size;
    wr_error error = {0};
    wr_record_info info = make_info();
    info.scene_hash++;
    assert_null(wr_record_resume(path, &info, &frame, &snapshot, &snapshot_size, &error));
    assert_non_null(strstr(error.message, "another scene"));
    assert_file_is(whole, size);
    info = make_info();
    info.planned_frames++;
    assert_null(wr_record_resume(path, &info, &frame, &snapshot, &snapshot_size, &error));
    assert_non_null(strstr(error.message, "planned frames"));
    assert_file_is(whole, size);
    info = make_info();
    whole[WRI_RECORD_HEADER_SIZE + 9] ^= 1; // damaged description of a long file
    write_bytes(whole, size);
    assert_null(wr_record_resume(path, &info, &frame, &snapshot, &snapshot_size, &error));
    assert_file_is(whole, size);
    static const char letter[] = "Dear Anna, this is a letter and not a recording.\n";
    for (size_t length = 1; length < sizeof letter; length += 23) {
        write_bytes(letter, length);
        assert_null(wr_record_resume(path, &info, &frame, &snapshot, &snapshot_size, &error));
        assert_non_null(strstr(error.message, "is not a recording"));
        assert_file_is(letter, length);
        assert_null(wr_record_open(path, &error));
    }
    free_bytes(whole, size);
}

// --- the outside world ------------------------------------------------------------------------

static void a_full_disk_is_one_sentence_and_a_readable_file(void **state)
{
    (void)state;
    write_recording();
    size_t size;
    char *whole = read_bytes(&size);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t room = size / 3; room < size * 3 / 4; room += size / 12) { // without snapshots
        static sample s;
        limit = (struct rlimit){room, before.rlim_max};
        wr_record_info info = make_info();
        wr_record_writer *writer = wr_record_create(path, &info, NULL);
        assert_non_null(writer);
        setrlimit(RLIMIT_FSIZE, &limit);
        wr_error error = {0}, again = {0};
        int count = 0;
        while (count <= PLANNED && wr_record_add_frame(writer, make_frame(&s, count), &error)) {
            count++;
        }
        bool finished = error.code == WR_OK && wr_record_finish(writer, true, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_false(finished);
        assert_int_equal(error.code, WR_E_FULL);
        assert_non_null(strstr(error.message, path));
        assert_false(wr_record_add_snapshot(writer, "x", 1, &again)); // room or not: it is over
        assert_string_equal(again.message, error.message);
        wr_record_writer_destroy(writer);
        wr_record_reader *reader = wr_record_open(path, &error);
        assert_non_null(reader);
        assert_int_equal(count_right_frames(reader), count);
        assert_int_equal(reader->end, reader->size); // nothing half-written is left
        wr_record_close(reader);
    }
    signal(SIGXFSZ, handler);
    free_bytes(whole, size);
}

static void two_writers_cannot_share_a_file(void **state)
{
    (void)state;
    wr_record_info info = make_info();
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    run(writer, -1, 6);
    pid_t child = fork();
    if (child == 0) {
        int frame;
        const void *snapshot;
        size_t size;
        wr_error error = {0};
        bool refused = !wr_record_create(path, &info, &error) && error.code == WR_E_IO &&
                       !wr_record_resume(path, &info, &frame, &snapshot, &size, &error) &&
                       error.code == WR_E_IO;
        _exit(refused ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    run(writer, 6, PLANNED);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, NULL);
    assert_int_equal(count_right_frames(reader), PLANNED + 1);
    wr_record_close(reader);
}

static void a_recording_is_read_while_it_is_written(void **state)
{
    (void)state;
    wr_record_info info = make_info();
    wr_error error = {0};
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    wr_record_reader *reader = wr_record_open(path, &error);
    assert_non_null(reader);
    for (int i = 0; i <= PLANNED; i++) {
        assert_int_equal(wr_record_frame_count(reader), i);
        run(writer, i - 1, i);
        assert_int_equal(wr_record_frame_count(reader), i); // as of the last look
        assert_true(wr_record_refresh(reader, &error));
        assert_right_frame(reader, i);
        assert_right_frame(reader, i / 2);
        assert_false(wr_record_is_complete(reader));
    }
    assert_true(wr_record_finish(writer, true, NULL));
    assert_true(wr_record_refresh(reader, &error));
    assert_true(wr_record_is_complete(reader));
    assert_int_equal(count_right_frames(reader), PLANNED + 1);
    wr_record_writer_destroy(writer);
    assert_int_equal(truncate(path, 1000), 0);
    assert_false(wr_record_refresh(reader, &error));
    wr_record_close(reader);
}

// --- sizes ------------------------------------------------------------------------------------

enum { CROWD = 100, SECONDS = 4 };

typedef void move_fn(wr_pose *pose, int body, int frame);

static void rest(wr_pose *pose, int body, int frame)
{
    (void)frame;
    pose->position = wr_v3(noise(body, 0, 1), noise(body, 0, 2), noise(body, 0, 3));
    pose->rotation = wr_quat_normalize(
        (wr_quat){noise(body, 0, 4), noise(body, 0, 5), noise(body, 0, 6), noise(body, 0, 7)});
}

static void jump_about(wr_pose *pose, int body, int frame)
{
    rest(pose, body * 10007 + frame, 0);
}

// Thrown up, spinning, and back on the ground; each in its own moment.
static void fall(wr_pose *pose, int body, int frame)
{
    float t = (float)frame / 60.0f, up = 6.0f + 3.0f * noise(body, 0, 1);
    float landing = 2.0f * up / 9.81f;
    t = t < landing ? t : landing;
    rest(pose, body, 0);
    pose->position =
        wr_add(wr_scale(10.0f, pose->position),
               wr_v3(noise(body, 0, 8) * t, up * t - 0.5f * 9.81f * t * t, noise(body, 0, 9) * t));
    wr_quat turn = wr_quat_from_axis_angle(wr_v3(noise(body, 1, 1), noise(body, 1, 2), 1), 3 * t);
    pose->rotation = wr_quat_normalize(wr_quat_multiply(turn, pose->rotation));
}

// Bytes per frame without the description and the first frame.
static double measure(move_fn *move, int frames)
{
    static wr_record_body crowd[CROWD];
    static wr_pose poses[CROWD];
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = (wr_record_body){"body", "rigid", 0, false, false, {1, 1, 1, 1}};
    }
    wr_record_info info = make_info();
    info.rate_numerator = 60;
    info.rate_denominator = 1;
    info.body_count = CROWD;
    info.bodies = crowd;
    info.planned_frames = frames;
    wr_record_writer *writer = wr_record_create(path, &info, NULL);
    int64_t begin = 0;
    for (int i = 0; i <= frames; i++) {
        for (int k = 0; k < CROWD; k++) {
            move(&poses[k], k, i);
        }
        wr_frame frame = {.index = i,
                          .time = i / 60.0,
                          .hash = mix((uint64_t)i),
                          .body_count = CROWD,
                          .poses = poses};
        assert_true(wr_record_add_frame(writer, &frame, NULL));
        begin = i == 0 ? wri_file_size(path) : begin;
    }
    int64_t end = wri_file_size(path);
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, NULL);
    for (int i = 0; i <= frames; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, NULL);
        for (int k = 0; k < CROWD; k++) {
            move(&poses[k], k, i);
        }
        assert_memory_equal(frame->poses, poses, sizeof poses);
    }
    wr_record_close(reader);
    return (double)(end - begin) / frames;
}

static void rest_costs_next_to_nothing(void **state)
{
    (void)state;
    double resting = measure(rest, 60 * SECONDS), falling = measure(fall, 60 * SECONDS),
           jumping = measure(jump_about, 60 * SECONDS);
    print_message("%d bodies at 60 Hz: at rest %.1f bytes per frame; thrown and landing %.0f "
                  "(%.2f MB per minute); anywhere in every frame %.0f (%.2f MB per minute)\n",
                  CROWD, resting, falling, falling * 3600e-6, jumping, jumping * 3600e-6);
    assert_true(resting < 40.0);
    assert_true(falling < 0.5 * 28 * CROWD);
    assert_true(jumping < 28 * CROWD + 60); // never more than the numbers themselves
}

static int make_folder(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/wrought-record-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/take 1.wrought", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_comes_back_bit_for_bit),
        cmocka_unit_test(random_access_equals_reading_in_order),
        cmocka_unit_test(the_description_comes_back),
        cmocka_unit_test(cameras_keep_whom_they_follow),
        cmocka_unit_test(cameras_keep_their_keys),
        cmocka_unit_test(what_is_not_finite_is_refused_and_can_be_mended),
        cmocka_unit_test(a_bad_description_replaces_nothing),
        cmocka_unit_test(a_recording_cut_anywhere_gives_its_whole_frames),
        cmocka_unit_test(a_changed_byte_never_gives_wrong_data),
        cmocka_unit_test(bad_contents_behind_right_checksums_are_refused),
        cmocka_unit_test(an_index_that_lies_does_no_harm),
        cmocka_unit_test(a_small_file_cannot_ask_for_much_memory),
        cmocka_unit_test(streams_out_of_order_are_refused),
        cmocka_unit_test(strange_chunks_and_streams_are_skipped),
        cmocka_unit_test(a_killed_run_resumes_to_the_same_bytes),
        cmocka_unit_test(snapshots_are_due_by_bytes_and_by_time),
        cmocka_unit_test(resumed_runs_have_the_snapshots_of_whole_ones),
        cmocka_unit_test(a_complete_recording_has_nothing_left_to_do),
        cmocka_unit_test(a_run_that_was_stopped_in_order_goes_on),
        cmocka_unit_test(what_is_not_ours_is_left_untouched),
        cmocka_unit_test(a_full_disk_is_one_sentence_and_a_readable_file),
        cmocka_unit_test(two_writers_cannot_share_a_file),
        cmocka_unit_test(a_recording_is_read_while_it_is_written),
        cmocka_unit_test(rest_costs_next_to_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
