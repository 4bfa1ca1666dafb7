// render.c: pictures: the public interface, the camera and the loop over tiles.
//
// A picture is traced in bands of whole rows, so that memory stays bounded for large ones, and each
// band in tiles of pixels, the unit of parallel work: see trace.c.
#include "wrought/render.h"

#include "develop.h"
#include "eye.h"
#include "flat.h"
#include "trace.h"

#include <stdio.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { COOKIE = 0x72646e72, TILE = WRI_TILE, BAND_BYTES = 16 << 20 };

struct wr_render {
    wr_render_desc desc;
    wri_noise noise;
    wri_srgb srgb;
    RTCDevice device;
    enum RTCError device_error;
    char device_message[128];
    wri_array shapes;             // wri_shape *
    wri_environment *environment; // of the last picture, or NULL
    const wr_environment *source; // of it
    wr_scratch scratch;
    float *band_memory;
    int band_rows;
    int exposure;
};

// --- floating point ---------------------------------------------------------------------------

unsigned wri_enter_float_mode(void)
{
#if defined(__SSE__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(0x1f80u | 0x8040u); // round to nearest, no traps, flush to zero
    return before;
#else
    return 0;
#endif
}

void wri_leave_float_mode(unsigned before)
{
#if defined(__SSE__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

// --- create and destroy -----------------------------------------------------------------------

wr_render_desc wr_render_desc_default(void)
{
    return (wr_render_desc){
        .width = 960,
        .height = 540,
        .samples = 4,
        .view = WR_VIEW_SHADED,
        .allocator = *wr_allocator_default(),
        .cookie = COOKIE,
    };
}

static bool check_desc(const wr_render_desc *desc, wr_error *error)
{
    if (!WRI_REQUIRE_DESC(error, wr_render_desc, desc, COOKIE)) {
        return false;
    }
    if (desc->width < 16 || desc->width > 16384 || desc->height < 16 || desc->height > 16384) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "picture size: %d x %d is outside 16 to 16384 pixels a side", desc->width,
                        desc->height);
    }
    if (desc->samples < 1 || desc->samples > 1024) {
        return wri_fail(error, WR_E_ARGUMENT, "samples: %d is outside 1 to 1024", desc->samples);
    }
    if (desc->view != WR_VIEW_SHADED && desc->view != WR_VIEW_WIRE) {
        return wri_fail(error, WR_E_ARGUMENT, "view: %d is not a view", (int)desc->view);
    }
    return true;
}

static void note_device_error(void *user, enum RTCError code, const char *message)
{
    wr_render *render = user;
    if (render->device_error == RTC_ERROR_NONE) { // the first one is the cause
        render->device_error = code;
        snprintf(render->device_message, sizeof(render->device_message), "%s",
                 message ? message : "");
    }
}

static bool check_device(wr_render *render, wr_error *error)
{
    enum RTCError code = render->device_error;
    render->device_error = RTC_ERROR_NONE;
    if (code == RTC_ERROR_NONE) {
        return true;
    }
    return wri_fail(error, code == RTC_ERROR_OUT_OF_MEMORY ? WR_E_MEMORY : WR_E_UNSUPPORTED,
                    "ray tracer: %s",
                    render->device_message[0] ? render->device_message : "unknown error");
}

static bool open_device(wr_render *render, wr_error *error)
{
    // One thread builds: see shape.c. Settings files of other programs are not for us.
    render->device = rtcNewDevice("threads=1,set_affinity=0,start_threads=0,verbose=0,"
                                  "ignore_config_files=1");
    if (!render->device) {
        enum RTCError code = rtcGetDeviceError(NULL);
        return code == RTC_ERROR_OUT_OF_MEMORY
                   ? wri_fail(error, WR_E_MEMORY, "ray tracer: out of memory")
                   : wri_fail(error, WR_E_UNSUPPORTED,
                              "ray tracer: Embree does not start on this processor (error %d)",
                              (int)code);
    }
    rtcSetDeviceErrorFunction(render->device, note_device_error, render);
    return true;
}

static int choose_band_rows(const wr_render_desc *desc)
{
    size_t row = wri_film_band_size(desc->width, 1) - wri_film_band_size(desc->width, 0);
    int rows = (int)(BAND_BYTES / (row * sizeof(float))) / TILE * TILE;
    rows = rows < TILE ? TILE : rows;
    return rows < desc->height ? rows : desc->height;
}

static bool fill_render(wr_render *render, wr_error *error)
{
    const wr_allocator *allocator = &render->desc.allocator;
    render->shapes = wri_array_create(allocator, sizeof(wri_shape *));
    render->scratch = wri_scratch_create(allocator);
    wri_noise_fill(&render->noise);
    wri_srgb_fill(&render->srgb);
    render->band_rows = choose_band_rows(&render->desc);
    size_t size = wri_film_band_size(render->desc.width, render->band_rows);
    render->band_memory = wri_alloc(allocator, size, sizeof(float));
    if (!render->band_memory) {
        return wri_fail_memory(error, size * sizeof(float));
    }
    return open_device(render, error);
}

wr_render *wr_render_create(const wr_render_desc *desc, wr_error *error)
{
    if (!check_desc(desc, error)) {
        return NULL;
    }
    wr_render *render = wri_alloc(&desc->allocator, 1, sizeof(*render));
    if (!render) {
        wri_fail_memory(error, sizeof(*render));
        return NULL;
    }
    render->desc = *desc;
    unsigned mode = wri_enter_float_mode();
    bool ok = fill_render(render, error);
    wri_leave_float_mode(mode);
    if (!ok) {
        wr_render_destroy(render);
        return NULL;
    }
    return render;
}

void wr_render_forget(wr_render *render)
{
    for (int i = 0; i < render->shapes.count; i++) {
        wri_shape_destroy(WRI_ITEM(render->shapes, wri_shape *, i));
    }
    render->shapes.count = 0;
    wri_environment_destroy(render->environment);
    render->environment = NULL;
}

void wr_render_set_exposure(wr_render *render, int number)
{
    WR_ASSERT(render && number >= 0);
    render->exposure = number;
}

void wr_render_destroy(wr_render *render)
{
    if (!render) {
        return;
    }
    wr_allocator allocator = render->desc.allocator;
    wr_render_forget(render);
    wri_array_destroy(&render->shapes);
    wri_scratch_destroy(&render->scratch);
    if (render->band_memory) {
        wri_free(&allocator, render->band_memory,
                 wri_film_band_size(render->desc.width, render->band_rows), sizeof(float));
    }
    if (render->device) {
        rtcReleaseDevice(render->device);
    }
    wri_free(&allocator, render, 1, sizeof(*render));
}

// --- one picture ------------------------------------------------------------------------------

static bool check_camera(const wr_camera *camera, wr_error *error)
{
    if (!wr_is_finite3(camera->from) || !wr_is_finite3(camera->to)) {
        return wri_fail(error, WR_E_ARGUMENT, "camera \"%.63s\": its place is not finite",
                        camera->name);
    }
    if (!(wr_distance(camera->from, camera->to) > 0.0f)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "camera \"%.63s\": it stands at the point it looks at", camera->name);
    }
    if (!(camera->flat >= 0.0f && camera->flat < 1e9f)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "camera \"%.63s\": the height %g of what it shows is negative or too large",
                        camera->name, (double)camera->flat);
    }
    if (camera->flat == 0.0f && !(camera->fov > 1e-4f && camera->fov < WR_PI - 1e-3f)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "camera \"%.63s\": its opening angle %g is not between 0 and pi",
                        camera->name, (double)camera->fov);
    }
    return true;
}

static bool is_light(wr_color c)
{
    return c.r >= 0.0f && c.g >= 0.0f && c.b >= 0.0f && c.r < 1e6f && c.g < 1e6f && c.b < 1e6f;
}

static bool check_light(const wr_light *light, wr_error *error)
{
    if (!wr_is_finite3(light->sun_direction) || !(wr_length(light->sun_direction) > 0.0f)) {
        return wri_fail(error, WR_E_ARGUMENT, "light: the sun has no direction");
    }
    if (!is_light(light->sun_color) || !is_light(light->sky_zenith) ||
        !is_light(light->sky_horizon) || !is_light(light->ground)) {
        return wri_fail(error, WR_E_ARGUMENT, "light: a colour is negative or not finite");
    }
    if (!(light->sun_radius >= 0.0f && light->sun_radius < 1.5f)) {
        return wri_fail(error, WR_E_ARGUMENT, "light: sun radius %g is not in [0, 1.5) radians",
                        (double)light->sun_radius);
    }
    if (!(light->exposure >= 0.0f && light->exposure < 1e6f)) {
        return wri_fail(error, WR_E_ARGUMENT, "light: exposure %g is negative or too large",
                        (double)light->exposure);
    }
    if (!wr_is_finite3(wr_v3(light->turn, 0.0f, 0.0f))) {
        return wri_fail(error, WR_E_ARGUMENT, "light: the turn of the environment is not finite");
    }
    const wr_environment *e = light->environment;
    bool is_studio = e && e->width == 0 && e->height == 0;
    if (e && !is_studio &&
        (!e->pixels || e->width < 2 || e->width > WR_ENVIRONMENT_WIDTH ||
         e->width != 2 * e->height)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "light: an environment of %d x %d pixels, expected some that are twice as "
                        "wide as high, at most %d wide",
                        e->width, e->height, WR_ENVIRONMENT_WIDTH);
    }
    return true;
}

static bool find_environment(wr_render *render, const wr_environment *source, wr_error *error)
{
    if (!source || (render->environment && render->source == source)) {
        return true;
    }
    wri_environment_destroy(render->environment);
    render->environment = wri_environment_create(source, &render->desc.allocator, error);
    render->source = source;
    return render->environment != NULL;
}

static bool check_flat(const wr_flat *flat, wr_error *error)
{
    if (!is_light(flat->top) || !is_light(flat->low)) {
        return wri_fail(error, WR_E_ARGUMENT,
                        "flat: a colour of the background is negative or not finite");
    }
    if (!(flat->line >= 0.0f && flat->line <= 0.1f)) {
        return wri_fail(error, WR_E_ARGUMENT, "flat: line %g is not in [0, 0.1]",
                        (double)flat->line);
    }
    return true;
}

static wri_shape *find_shape(wr_render *render, const wr_model *model, int index, wr_error *error)
{
    for (int i = 0; i < render->shapes.count; i++) {
        wri_shape *shape = WRI_ITEM(render->shapes, wri_shape *, i);
        if (shape->model == model) {
            return shape;
        }
    }
    wri_shape *shape = wri_shape_create(render->device, model, &render->srgb,
                                        &render->desc.allocator, index, error);
    if (!shape) {
        return NULL;
    }
    wri_shape **slot = wri_array_add(&render->shapes, 1);
    if (!slot) {
        wri_shape_destroy(shape);
        wri_fail_memory(error, sizeof(*slot));
        return NULL;
    }
    *slot = shape;
    return shape;
}

static wri_pixel_scale scale_of(const wri_picture *p)
{
    return (wri_pixel_scale){p->shading.pixel_angle, p->shading.pixel_size};
}

static void soften_rows(void *context, int block, int begin, int end)
{
    const wri_picture *p = context;
    wri_pixel_scale scale = scale_of(p);
    unsigned mode = wri_enter_float_mode();
    (void)block;
    for (int row = begin; row < end; row++) {
        wri_film_soften_row(&p->band, row - WRI_FILTER_FAR, &scale);
    }
    wri_leave_float_mode(mode);
}

static void develop_rows(void *context, int block, int begin, int end)
{
    const wri_picture *p = context;
    wri_pixel_scale scale = scale_of(p);
    unsigned mode = wri_enter_float_mode();
    (void)block;
    for (int row = begin; row < end; row++) {
        int y = p->first_row + row;
        size_t start = (size_t)y * (size_t)p->desc->width * 3;
        if (p->light) {
            wri_film_finish_row(&p->band, row, &scale, p->light + start);
        } else {
            wri_film_develop_row(&p->band, row, y, &scale, p->noise, p->srgb, p->pixels + start);
        }
    }
    wri_leave_float_mode(mode);
}

// Traces rows up to the margin below the band, then develops the band, band after band.
static void trace_picture(wri_picture *p)
{
    const wr_render_desc *desc = p->desc;
    int margin = WRI_FILTER_RADIUS, across = (desc->width + TILE - 1) / TILE, traced = 0;
    wri_film_clear_rows(&p->band, -margin, p->band.rows + margin);
    for (int first = 0; first < desc->height; first += p->band.rows) {
        if (first > 0) {
            wri_film_advance(&p->band, p->band.rows);
        }
        int end = first + p->band.rows + margin;
        p->first_row = first;
        p->trace_begin = traced;
        p->trace_end = traced = end < desc->height ? end : desc->height;
        wri_film_clear_rows(&p->band, p->trace_end - first, p->band.rows + margin);
        int down = (p->trace_end - p->trace_begin + TILE - 1) / TILE;
        wri_parallel_for(&desc->tasks, across * down, 1, wri_trace_tile, p);
        int rest = desc->height - first;
        p->develop_rows = rest < p->band.rows ? rest : p->band.rows;
        wri_parallel_for(&desc->tasks, p->develop_rows + 2 * WRI_FILTER_FAR, 8, soften_rows, p);
        wri_parallel_for(&desc->tasks, p->develop_rows, 8, develop_rows, p);
    }
}

// Every beginning of the sequence is spread evenly (M. Roberts. The unreasonable effectiveness of
// quasirandom sequences. 2018).
static void spread_evenly(float from, int k, float *x, float *y)
{
    *x = from + 0.7548777f * (float)k;
    *y = from + 0.5698403f * (float)k;
    *x -= floorf(*x);
    *y -= floorf(*y);
}

// Where a picture goes.
typedef struct target {
    uint8_t *pixels; // four channels of a cutout, else three
    float *light;    // in place of pixels, or NULL
    bool is_cutout;
} target;

static void draw_scene(wr_render *render, const wri_scene *scene, const wr_light *light,
                       const wr_camera *camera, const target *to)
{
    const wr_render_desc *desc = &render->desc;
    wri_picture p = {.desc = desc,
                     .noise = &render->noise,
                     .srgb = &render->srgb,
                     .exposure = render->exposure,
                     .pixels = to->pixels,
                     .light = to->light};
    spread_evenly(0.0f, p.exposure, &p.shift[0], &p.shift[1]);
    p.eye = wri_eye_open(camera, desc->width, desc->height);
    p.band = wri_film_band_create(render->band_memory, desc->width, render->band_rows);
    p.shading = wri_shading_create(scene, &render->noise, &render->srgb, light,
                                   light->environment ? render->environment : NULL);
    if (p.eye.flat) {
        p.shading.pixel_size = camera->flat / (float)desc->height;
        p.shading.texel_size = p.shading.pixel_size / sqrtf((float)desc->samples);
    } else {
        p.shading.pixel_angle = 2.0f * tanf(0.5f * camera->fov) / (float)desc->height;
        p.shading.texel_angle = p.shading.pixel_angle / sqrtf((float)desc->samples);
    }
    float focus = wr_distance(camera->from, camera->to);
    p.shading.haze_distance =
        1.5f * (scene->item_count ? fmaxf(focus, scene->thing_distance) : focus);
    p.shading.wire = desc->view == WR_VIEW_WIRE;
    trace_picture(&p);
}

// --- flat pictures ----------------------------------------------------------------------------

// Sample k of a pixel.
static wr_color flat_sample(const wri_picture *p, int x, int y, int k)
{
    float jx, jy;
    spread_evenly(0.5f, k + p->desc->samples * p->exposure, &jx, &jy);
    jx += (float)x;
    jy += (float)y;
    wr_color seen = wri_flat_shade(&p->flat, jx, jy);
    if (!p->is_cutout) {
        wr_vec3 behind = wri_flat_background(&p->flat, jy);
        seen.r += (1.0f - seen.a) * behind.x;
        seen.g += (1.0f - seen.a) * behind.y;
        seen.b += (1.0f - seen.a) * behind.z;
        seen.a = 1.0f;
    }
    return seen;
}

static bool differ(wr_color a, wr_color b)
{
    const float least = 0.75f / 255.0f;
    return fabsf(a.r - b.r) > least || fabsf(a.g - b.g) > least || fabsf(a.b - b.b) > least ||
           fabsf(a.a - b.a) > least;
}

// Most pixels lie inside an area of one colour: after a few equal samples no more are needed.
static void draw_flat_pixel(const wri_picture *p, int x, int y)
{
    enum { FIRST = 4 };
    int n = p->desc->samples < FIRST ? p->desc->samples : FIRST;
    wr_color sum = flat_sample(p, x, y, 0), first = sum;
    for (int k = 1; k < n; k++) {
        wr_color seen = flat_sample(p, x, y, k);
        sum = (wr_color){sum.r + seen.r, sum.g + seen.g, sum.b + seen.b, sum.a + seen.a};
        n = k < FIRST && differ(seen, first) ? p->desc->samples : n;
    }
    float whole = sum.a > 0.0f ? 1.0f / sum.a : 0.0f; // colours are times alpha
    const float mean[4] = {whole * sum.r, whole * sum.g, whole * sum.b, sum.a / (float)n};
    int channels = p->is_cutout ? 4 : 3;
    uint8_t *out = p->pixels + (size_t)channels * ((size_t)y * (size_t)p->eye.width + (size_t)x);
    for (int c = 0; c < channels; c++) {
        out[c] = (uint8_t)(255.0f * wr_clampf(mean[c], 0.0f, 1.0f) + 0.5f);
    }
}

static void draw_flat_tile(void *context, int block, int begin, int end)
{
    const wri_picture *p = context;
    unsigned mode = wri_enter_float_mode();
    (void)block;
    for (int tile = begin; tile < end; tile++) {
        int across = (p->eye.width + TILE - 1) / TILE;
        int x0 = tile % across * TILE, y0 = tile / across * TILE;
        for (int y = y0; y < y0 + TILE && y < p->eye.height; y++) {
            for (int x = x0; x < x0 + TILE && x < p->eye.width; x++) {
                draw_flat_pixel(p, x, y);
            }
        }
    }
    wri_leave_float_mode(mode);
}

static bool decode_light(wr_render *render, const uint8_t *pixels, size_t count, float *light)
{
    for (size_t i = 0; i < count; i++) {
        light[i] = render->srgb.decode[pixels[i]];
    }
    return true;
}

static bool draw_flat(wr_render *render, const wri_scene *scene, const wr_stage *stage,
                      const wr_camera *camera, const target *to, wr_error *error)
{
    const wr_render_desc *desc = &render->desc;
    size_t count = 3 * (size_t)desc->width * (size_t)desc->height;
    uint8_t *pixels = to->light ? wr_scratch_push(&render->scratch, count, 1) : to->pixels;
    if (!pixels) {
        return wri_fail_memory(error, count);
    }
    wri_picture p = {.desc = desc,
                     .noise = &render->noise,
                     .srgb = &render->srgb,
                     .exposure = render->exposure,
                     .pixels = pixels,
                     .is_cutout = to->is_cutout};
    p.eye = wri_eye_open(camera, desc->width, desc->height);
    if (!wri_flat_begin(&p.flat, scene, &render->srgb, stage, camera, desc, &render->scratch,
                        error)) {
        return false;
    }
    int across = (desc->width + TILE - 1) / TILE, down = (desc->height + TILE - 1) / TILE;
    wri_parallel_for(&desc->tasks, across * down, 1, draw_flat_tile, &p);
    return !to->light || decode_light(render, pixels, count, to->light);
}

static bool is_passing(const wr_render_thing *thing)
{
    return thing->mesh || thing->spheres;
}

// The shape of a thing for this picture alone.
static wri_shape *make_shape(wr_render *render, const wr_render_thing *thing, bool flat, int index,
                             wr_error *error)
{
    const wr_allocator *allocator = &render->desc.allocator;
    if (thing->spheres) {
        return wri_shape_create_spheres(render->device, thing->spheres, flat, allocator, index,
                                        error);
    }
    const wri_shape *looks = find_shape(render, thing->model, index, error);
    return looks ? wri_shape_create_mesh(render->device, looks, thing->mesh, &render->srgb,
                                         allocator, index, error)
                 : NULL;
}

static bool find_shapes(wr_render *render, const wr_render_thing *things, int count, bool flat,
                        wri_shape **shapes, wr_error *error)
{
    for (int i = 0; i < count; i++) {
        const wr_render_thing *thing = &things[i];
        shapes[i] = is_passing(thing) ? make_shape(render, thing, flat, i, error)
                    : thing->model    ? find_shape(render, thing->model, i, error)
                                      : NULL;
        if ((is_passing(thing) || thing->model) && !shapes[i]) {
            return false;
        }
        bool glass = thing->look && thing->look->said & WR_LOOK_GLASS;
        if ((flat && shapes[i] && !wri_shape_flatten(shapes[i], render->device, error)) ||
            (glass && shapes[i] && !wri_shape_filter(shapes[i], render->device, error))) {
            return false;
        }
    }
    return true;
}

static void destroy_passing(const wr_render_thing *things, wri_shape **shapes, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_passing(&things[i])) {
            wri_shape_destroy(shapes[i]);
        }
    }
}

static bool draw_things(wr_render *render, const wr_render_thing *things, int count,
                        const wr_stage *stage, const wr_camera *camera, const target *to,
                        wr_error *error)
{
    bool flat = stage->flat.on || to->is_cutout;
    wri_shape **shapes = wr_scratch_push(&render->scratch, (size_t)count, sizeof(*shapes));
    if (!shapes) {
        return wri_fail_memory(error, (size_t)count * sizeof(*shapes));
    }
    wri_scene scene = {0};
    bool ok = find_shapes(render, things, count, flat, shapes, error) &&
              wri_scene_build(&scene, render->device, &render->scratch, things, shapes, count,
                              camera->from, error) &&
              check_device(render, error);
    if (ok && flat) {
        ok = draw_flat(render, &scene, stage, camera, to, error);
    } else if (ok && (ok = find_environment(render, stage->light.environment, error))) {
        draw_scene(render, &scene, &stage->light, camera, to);
    }
    wri_scene_release(&scene);
    destroy_passing(things, shapes, count);
    return ok;
}

static bool draw(wr_render *render, const wr_render_thing *things, int count, const wr_stage *stage,
                 const wr_camera *camera, const target *to, wr_error *error)
{
    WR_ASSERT(render && count >= 0 && (things || count == 0) && stage && camera);
    WR_ASSERT(to->pixels || to->light);
    if (!check_camera(camera, error) || !check_light(&stage->light, error) ||
        !check_flat(&stage->flat, error)) {
        return false;
    }
    unsigned mode = wri_enter_float_mode();
    bool ok = draw_things(render, things, count, stage, camera, to, error);
    wri_scratch_reset(&render->scratch);
    wri_leave_float_mode(mode);
    return ok;
}

bool wr_render_draw(wr_render *render, const wr_render_thing *things, int count,
                    const wr_stage *stage, const wr_camera *camera, uint8_t *pixels,
                    wr_error *error)
{
    if (!WRI_REQUIRE(error, render, stage, camera, pixels) ||
        !WRI_REQUIRE_LIST(error, things, count)) {
        return false;
    }
    const target to = {.pixels = pixels};
    return draw(render, things, count, stage, camera, &to, error);
}

bool wr_render_draw_light(wr_render *render, const wr_render_thing *things, int count,
                          const wr_stage *stage, const wr_camera *camera, float *light,
                          wr_error *error)
{
    if (!WRI_REQUIRE(error, render, stage, camera, light) ||
        !WRI_REQUIRE_LIST(error, things, count)) {
        return false;
    }
    const target to = {.light = light};
    return draw(render, things, count, stage, camera, &to, error);
}

bool wr_render_draw_cutout(wr_render *render, const wr_render_thing *things, int count,
                           const wr_stage *stage, const wr_camera *camera, uint8_t *pixels,
                           wr_error *error)
{
    if (!WRI_REQUIRE(error, render, stage, camera, pixels) ||
        !WRI_REQUIRE_LIST(error, things, count)) {
        return false;
    }
    const target to = {.pixels = pixels, .is_cutout = true};
    return draw(render, things, count, stage, camera, &to, error);
}
