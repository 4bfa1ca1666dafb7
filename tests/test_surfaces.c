// Promises of surfaces and particles in recordings: every fault has its sentence, places are as
// near as they say, sizes.
#include "check.h"
#include "surface_sample.h"

#include "../src/base/os.h"

enum { PLANNED = 12 };

static char path[600];

// --- a recording ------------------------------------------------------------------------------

static wr_record_writer *create(int planned)
{
    wr_error error = {0};
    wr_record_writer *writer = sample_create_writer(path, planned, &error);
    if (!writer) {
        fail_msg("%s", error.message);
    }
    return writer;
}

static wr_frame empty_frame(int index)
{
    return (wr_frame){
        .index = index, .time = index / 60.0, .body_count = SAMPLE_BODIES, .poses = sample_poses};
}

static wr_frame make_frame(surface_sample *s, int index)
{
    wr_frame frame = empty_frame(index);
    sample_fill_frame(s, &frame);
    return frame;
}

// --- refusals ---------------------------------------------------------------------------------

typedef void spoil_fn(surface_sample *s);

static void spoil_vertex(surface_sample *s)
{
    s->positions[1][2].y = NAN;
}

static void spoil_uv(surface_sample *s)
{
    s->uvs[1].y = INFINITY;
    s->surfaces[0].topology++;
}

static void spoil_triangle(surface_sample *s)
{
    s->triangles[1][4] = 4; // of 4 vertices
    s->surfaces[1].topology++;
}

static void spoil_look(surface_sample *s)
{
    s->surfaces[2].look = 0; // of a model without looks
}

static void spoil_looks(surface_sample *s)
{
    s->looks[3] = 1;
    s->surfaces[0].topology++;
}

static void spoil_color(surface_sample *s)
{
    s->surfaces[1].color.b = NAN;
}

static void spoil_count(surface_sample *s)
{
    s->surfaces[1].vertex_count = -1;
}

static void spoil_number(surface_sample *s)
{
    s->surfaces[0].number = -1;
}

static void spoil_body(surface_sample *s)
{
    s->surfaces[2].body = SAMPLE_BODIES;
}

static void spoil_order(surface_sample *s)
{
    s->surfaces[1].number = 0;
}

static void spoil_topology(surface_sample *s)
{
    s->triangles[0][1] = 2; // sound, but another one
}

static void spoil_place(surface_sample *s)
{
    s->places[1][8].x = INFINITY;
}

static void spoil_radius(surface_sample *s)
{
    s->particles[1].radius = 0.0f;
}

static void spoil_radii(surface_sample *s)
{
    s->radii[5] = -0.01f;
}

static void spoil_ids(surface_sample *s)
{
    s->ids[4] = s->ids[3];
}

static void spoil_view(surface_sample *s)
{
    s->particles[0].view = (wr_particle_view)2;
}

static void spoil_particle_color(surface_sample *s)
{
    s->particles[1].color.a = NAN;
}

static void spoil_particle_count(surface_sample *s)
{
    s->particles[0].count = -3;
}

static void spoil_particle_order(surface_sample *s)
{
    s->particles[1].body = 2;
}

static void spoil_particle_body(surface_sample *s)
{
    s->particles[1].body = 99;
}

static const struct {
    spoil_fn *spoil;
    const char *sentence;
} faults[] = {
    {spoil_vertex, "frame 8: surface 2 of body 1: a vertex that is not finite"},
    {spoil_uv, "frame 8: surface 0 of body 1: a texture coordinate that is not finite"},
    {spoil_triangle, "frame 8: surface 2 of body 1: a triangle of a vertex that is not there"},
    {spoil_look, "frame 8: surface 1 of body 2: a look that its body's model does not have"},
    {spoil_looks, "frame 8: surface 0 of body 1: a look that its body's model does not have"},
    {spoil_color, "frame 8: surface 2 of body 1: a colour that is not finite"},
    {spoil_count, "frame 8: surface 2 of body 1: an impossible number of vertices or triangles"},
    {spoil_number, "frame 8: surface -1 of body 1: a negative number"},
    {spoil_body, "frame 8: a surface of a body: index 6 of 6"},
    {spoil_order, "frame 8: surface 0 of body 1 is out of order"},
    {spoil_topology, "frame 8: surface 0 of body 1 changed, but not the number of its topology"},
    {spoil_place, "frame 8: particles of body 4: a place that is not finite"},
    {spoil_radius, "frame 8: particles of body 4: a radius that is not positive"},
    {spoil_radii, "frame 8: particles of body 2: a radius that is not positive"},
    {spoil_ids, "frame 8: particles of body 2: ids that do not ascend"},
    {spoil_view, "frame 8: particles of body 2: an unknown way to show them"},
    {spoil_particle_color, "frame 8: particles of body 4: a colour that is not finite"},
    {spoil_particle_count, "frame 8: particles of body 2: an impossible number of them"},
    {spoil_particle_order, "frame 8: particles of body 2 are out of order"},
    {spoil_particle_body, "frame 8: particles of a body: index 99 of 6"},
};

// A frame that was refused may be added again when it is mended.
static void every_fault_has_its_sentence(void **state)
{
    (void)state;
    static surface_sample s;
    wr_record_writer *writer = create(PLANNED);
    wr_error error = {0};
    for (int i = 0; i < 8; i++) {
        wr_frame frame = make_frame(&s, i);
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    for (int i = 0; i < WRI_COUNT(faults); i++) {
        wr_frame frame = make_frame(&s, 8);
        faults[i].spoil(&s);
        assert_false(wr_record_add_frame(writer, &frame, &error));
        assert_int_equal(error.code, WR_E_ARGUMENT);
        assert_string_equal(error.message, faults[i].sentence);
    }
    for (int i = 8; i <= PLANNED; i++) {
        wr_frame frame = make_frame(&s, i);
        assert_true(wr_record_add_frame(writer, &frame, &error));
    }
    assert_true(wr_record_finish(writer, true, &error));
    wr_record_writer_destroy(writer);
}

// --- places -----------------------------------------------------------------------------------

// Writes one frame of particles and reads it.
static const wr_record_particles *store(wr_record_reader **reader, wr_record_particles p)
{
    wr_record_writer *writer = create(0);
    wr_frame frame = empty_frame(0);
    p.body = 3;
    frame.particles_count = 1;
    frame.particles = &p;
    wr_error error = {0};
    if (!wr_record_add_frame(writer, &frame, &error)) {
        fail_msg("%s", error.message);
    }
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    *reader = wr_record_open(path, NULL);
    const wr_frame *back = wr_record_read_frame(*reader, 0, &error);
    if (!back) {
        fail_msg("%s", error.message);
    }
    return wr_frame_particles(back, 3);
}

static void places_are_as_near_as_the_smallest_radius_asks(void **state)
{
    (void)state;
    static const float scales[] = {1e-20f, 1e-3f, 1.0f, 1e6f, 1e25f};
    for (int k = 0; k < WRI_COUNT(scales); k++) {
        wr_vec3 places[40];
        float radii[40], least = INFINITY;
        for (int i = 0; i < 40; i++) {
            radii[i] = scales[k] * (1.0f + 0.9f * sample_noise(i, 7));
            least = fminf(least, radii[i]);
            places[i] = wr_scale(300.0f * scales[k],
                                 wr_v3(sample_noise(i, 1), sample_noise(i, 2), sample_noise(i, 3)));
        }
        wr_record_reader *reader;
        const wr_record_particles *p =
            store(&reader, (wr_record_particles){.count = 40, .positions = places, .radii = radii});
        for (int i = 0; i < 40; i++) {
            wr_vec3 d = wr_sub(p->positions[i], places[i]);
            assert_true(fabsf(d.x) <= least / 512 && fabsf(d.y) <= least / 512 &&
                        fabsf(d.z) <= least / 512);
            assert_true(p->radii[i] == radii[i]);
        }
        wr_record_close(reader);
    }
}

// One drop that flew off does not coarsen the others until floats themselves do.
static void a_far_particle_does_not_coarsen_the_near_ones(void **state)
{
    (void)state;
    static const float far[] = {1e3f, 1e6f, 3e38f};
    static const float tolerances[] = {0.01f / 512, 1e6f / (1 << 24), 3e38f / (1 << 24)};
    for (int k = 0; k < WRI_COUNT(far); k++) {
        wr_vec3 places[2] = {{0.123456f, 0, 0}, {-far[k], far[k], 0.5f * far[k]}};
        wr_record_reader *reader;
        const wr_record_particles *p =
            store(&reader, (wr_record_particles){.count = 2, .positions = places, .radius = 0.01f});
        assert_true(fabsf(p->positions[0].x - places[0].x) <= tolerances[k]);
        assert_true(fabsf(p->positions[1].y - far[k]) <= tolerances[k]);
        wr_record_close(reader);
    }
}

// The quantum is the largest power of two up to 1/256 of the radius, or the spacing of floats at
// the farthest coordinate, whichever axis has it.
static void quanta_are_chosen_as_documented(void **state)
{
    (void)state;
    static const struct {
        float radius, farthest;
        int scale; // of the quantum, as a power of two
    } cases[] = {
        {0.01f, 1.0f, -15}, {0.01f, 511.9f, -15},     {0.01f, 512.0f, -14}, {0.01f, 1000.0f, -14},
        {0.01f, 1e6f, -4},  {0.0625f, 0.5f, -12},     {3.0f, 1e6f, -4},     {1e4f, 1e6f, 5},
        {0.01f, 3e9f, 8},   {1e-10f, 0.000123f, -36},
    };
    for (int i = 0; i < 3 * WRI_COUNT(cases); i++) {
        float far = cases[i / 3].farthest;
        wr_vec3 places[2] = {{0.4321f * far, 0.1234f * far, -0.3217f * far}, {0, 0, 0}};
        (&places[1].x)[i % 3] = i % 2 ? far : -far;
        wr_record_reader *reader;
        const wr_record_particles *p = store(
            &reader,
            (wr_record_particles){.count = 2, .positions = places, .radius = cases[i / 3].radius});
        for (int k = 0; k < 6; k++) {
            double x = (&places[k / 3].x)[k % 3], quantum = ldexp(1.0, cases[i / 3].scale);
            CHECK_NEAR((&p->positions[k / 3].x)[k % 3], (float)(floor(x / quantum + 0.5) * quantum),
                       0.0);
        }
        wr_record_close(reader);
    }
}

// --- sizes ------------------------------------------------------------------------------------

enum { CLOUD = 10000, FILM = 120 };

typedef struct drop {
    wr_vec3 x, v;
    int frame; // of its birth
} drop;

static drop drops[CLOUD];
static wr_vec3 cloud[CLOUD];
static uint32_t cloud_ids[CLOUD];

// How many particles there are in a frame, in cloud and cloud_ids.
typedef int fill_fn(int frame);

static wr_vec3 shake(int a, int b)
{
    return wr_v3(sample_noise(a, 3 * b), sample_noise(a, 3 * b + 1), sample_noise(a, 3 * b + 2));
}

// Falls, jostles and bounces between walls one metre apart.
static void move_drop(drop *d, int id, int frame)
{
    d->v = wr_add(d->v,
                  wr_scale(1.0f / 60, wr_add(wr_v3(0, -9.81f, 0), wr_scale(4, shake(id, frame)))));
    d->x = wr_add(d->x, wr_scale(1.0f / 60, d->v));
    float *x = &d->x.x, *v = &d->v.x;
    for (int k = 0; k < 3; k++) {
        if (x[k] < 0.0f || x[k] > 1.0f) {
            x[k] = x[k] < 0.0f ? 0.0f : 1.0f;
            v[k] *= -0.3f;
        }
    }
}

static int splash(int frame)
{
    for (int i = 0; i < CLOUD; i++) {
        if (frame == 0) {
            drops[i] =
                (drop){wr_v3(0.5f + 0.5f * sample_noise(i, 1), 0.5f + 0.5f * sample_noise(i, 2),
                             0.5f + 0.5f * sample_noise(i, 3)),
                       shake(i, 9), 0};
        } else {
            move_drop(&drops[i], i, frame);
        }
        cloud[i] = drops[i].x;
        cloud_ids[i] = (uint32_t)i;
    }
    return CLOUD;
}

static int still(int frame)
{
    return frame == 0 ? splash(0) : CLOUD;
}

// Every frame has 100 new drops; each lives for about one second.
static int fountain(int frame)
{
    int count = 0;
    for (int i = 0; i < CLOUD && i < 100 * (frame + 1); i++) {
        drop *d = &drops[i];
        int born = i / 100, age = frame - born;
        if (age > 50 + i % 20) {
            continue;
        }
        if (age == 0) {
            *d = (drop){wr_v3(0.5f, 0, 0.5f), wr_add(wr_v3(0, 4, 0), shake(i, 1)), born};
        } else {
            move_drop(d, i, frame);
        }
        cloud[count] = d->x;
        cloud_ids[count++] = (uint32_t)i;
    }
    return count;
}

// Bytes per particle and frame, without the first frame.
static double measure(fill_fn *fill, bool with_ids)
{
    wr_record_writer *writer = create(FILM);
    int64_t begin = 0, sum = 0;
    wr_error error = {0};
    for (int i = 0; i <= FILM; i++) {
        wr_record_particles p = {.body = 3,
                                 .count = fill(i),
                                 .positions = cloud,
                                 .radius = 0.02f,
                                 .ids = with_ids ? cloud_ids : NULL};
        wr_frame frame = empty_frame(i);
        frame.particles = &p;
        frame.particles_count = 1;
        assert_true(wr_record_add_frame(writer, &frame, &error));
        begin = i == 0 ? wri_file_size(path) : begin;
        sum += i > 0 ? p.count : 0;
    }
    int64_t end = wri_file_size(path);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    return (double)(end - begin) / (double)sum;
}

static void particles_take_few_bytes(void **state)
{
    (void)state;
    double rest = measure(still, true), moving = measure(splash, true),
           jet = measure(fountain, true);
    double nameless = measure(splash, false);
    print_message(
        "bytes per particle: at rest %.4f, splash %.2f, fountain %.2f; %.2f without ids\n", rest,
        moving, jet, nameless);
    assert_true(rest < 0.01);
    assert_true(moving < 3.0 && jet < 4.0);
    assert_true(fabs(nameless - moving) < 0.05); // ids that stay cost nothing
}

enum { SIDE = 50, WATER = SIDE * SIDE, WATER_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static wr_vec3 water[WATER];
static int water_triangles[3 * WATER_TRIANGLES];

// A pond with two waves, as a simulation at 60 frames per second has it.
static void make_water(int frame)
{
    for (int i = 0; i < WATER; i++) {
        float x = (float)(i % SIDE) * 0.02f, z = (float)(i / SIDE) * 0.02f,
              t = (float)frame / 60.0f;
        water[i] = wr_v3(x + 0.01f * cosf(9.0f * z + 4.0f * t),
                         0.05f * sinf(7.0f * x + 5.0f * t) * cosf(3.0f * z - 2.0f * t), z);
    }
    for (int i = 0, *out = water_triangles; i < (SIDE - 1) * (SIDE - 1); i++) {
        int v = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        const int corners_of[6] = {v, v + SIDE, v + 1, v + 1, v + SIDE, v + SIDE + 1};
        memcpy(out, corners_of, sizeof corners_of);
        out += 6;
    }
}

// Bytes per frame, without the first frame. renewed: the topology is another one in every frame.
static double measure_water(bool moves, bool renewed)
{
    wr_record_writer *writer = create(FILM);
    int64_t begin = 0;
    for (int i = 0; i <= FILM; i++) {
        make_water(moves ? i : 0);
        wr_record_surface s = {.body = 3,
                               .topology = renewed ? (uint32_t)i : 0,
                               .look = -1,
                               .vertex_count = WATER,
                               .triangle_count = WATER_TRIANGLES,
                               .positions = water,
                               .triangles = water_triangles};
        wr_frame frame = empty_frame(i);
        frame.surfaces = &s;
        frame.surface_count = 1;
        assert_true(wr_record_add_frame(writer, &frame, NULL));
        begin = i == 0 ? wri_file_size(path) : begin;
    }
    int64_t end = wri_file_size(path);
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    return (double)(end - begin) / FILM;
}

static void triangles_take_bytes_only_when_they_change(void **state)
{
    (void)state;
    double rest = measure_water(false, false), moving = measure_water(true, false),
           renewed = measure_water(true, true);
    print_message(
        "%d vertices, %d triangles: at rest %.0f bytes per frame, moving %.2f per vertex, "
        "with new triangles %.2f per vertex\n",
        WATER, WATER_TRIANGLES, rest, moving / WATER, renewed / WATER);
    assert_true(rest < 100.0);
    assert_true(moving < 12.0 * WATER && moving + 100.0 < renewed);
}

// Particles that stay where they are and grow are not those of the frame before.
static void particles_that_only_grow_are_written(void **state)
{
    (void)state;
    static const wr_vec3 places[2] = {{1, 2, 3}, {4, 5, 6}};
    static const float radii[3][2] = {{0.5f, 0.625f}, {0.5f, 0.75f}, {0.5f, 0.75f}};
    wr_record_writer *writer = create(2);
    for (int i = 0; i < 3; i++) {
        wr_frame frame = empty_frame(i);
        wr_record_particles p = {
            .body = 2, .count = 2, .color = {1, 1, 1, 1}, .positions = places, .radii = radii[i]};
        frame.particles = &p;
        frame.particles_count = 1;
        assert_true(wr_record_add_frame(writer, &frame, NULL));
    }
    assert_true(wr_record_finish(writer, true, NULL));
    wr_record_writer_destroy(writer);
    wr_record_reader *reader = wr_record_open(path, NULL);
    for (int i = 0; i < 3; i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, NULL);
        assert_non_null(frame);
        assert_memory_equal(frame->particles[0].radii, radii[i], sizeof radii[i]);
    }
    wr_record_close(reader);
}

// --- births -----------------------------------------------------------------------------------

// Two bodies are born in one frame, of models with one look and with none: a look is checked
// against the model of the body whose surface has it, not of the one that was born last.
static void looks_of_new_bodies_are_those_of_their_own_models(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        surface_sample s = {0};
        wr_record_writer *writer = create(PLANNED);
        wr_frame frame = empty_frame(0);
        wr_pose poses[SAMPLE_BODIES + 2] = {0};
        memcpy(poses, sample_poses, sizeof sample_poses);
        poses[SAMPLE_BODIES] = poses[SAMPLE_BODIES + 1] = WR_POSE_IDENTITY;
        int model = k % 2, owner = k / 2; // of the first one; which of both has the surface
        wr_event events[2];
        for (int i = 0; i < 2; i++) {
            events[i] = (wr_event){WR_EVENT_BORN,
                                   SAMPLE_BODIES + i,
                                   -1,
                                   {.name = "new", .model = i ? 1 - model : model}};
        }
        frame.body_count = SAMPLE_BODIES + 2;
        frame.poses = poses;
        frame.events = events;
        frame.event_count = 2;
        wr_record_surface *fan = sample_add_fan(&s, &frame, 2, 0.0f);
        fan->body = SAMPLE_BODIES + owner;
        fan->look = 0;
        frame.surfaces = s.surfaces;
        wr_error error = {0};
        bool has_look = events[owner].born.model == 0;
        assert_int_equal(wr_record_add_frame(writer, &frame, &error), has_look);
        assert_true(has_look || error.message[0]);
        wr_record_writer_destroy(writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_its_sentence),
        cmocka_unit_test(places_are_as_near_as_the_smallest_radius_asks),
        cmocka_unit_test(a_far_particle_does_not_coarsen_the_near_ones),
        cmocka_unit_test(quanta_are_chosen_as_documented),
        cmocka_unit_test(particles_take_few_bytes),
        cmocka_unit_test(triangles_take_bytes_only_when_they_change),
        cmocka_unit_test(particles_that_only_grow_are_written),
        cmocka_unit_test(looks_of_new_bodies_are_those_of_their_own_models),
    };
    temporary_folder folder = temporary_folder_create();
    snprintf(path, sizeof path, "%s/take.wrought", folder.path);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_tree(folder.path);
    return failed;
}
