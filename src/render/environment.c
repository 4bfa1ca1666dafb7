// environment.c: the picture of an environment, its sun, and where it is bright.
//
// A sun in the picture, a spot that is small and has a tenth of all light, becomes the sun of the
// renderer, which has rays to its disc and sharp borders of shadows; the noise filter would blur
// those that ambient rays find. Everything else, soft boxes and windows, is left to ambient rays,
// part of which are drawn from what cells have beyond the mean: constant light is best served by
// the cosine alone (O. Karlik, M. Sik, P. Vevoda, T. Skrivan, J. Krivanek. MIS compensation:
// optimizing sampling techniques in multiple importance sampling. SIGGRAPH Asia 2019, equation 16,
// with the mean over all directions in place of the half that a surface sees). What a surface
// receives in the open is kept by the direction that it faces; as a control variate it leaves to
// the rays what is hidden alone.
//
// Numbers are summed in double in the order of the pixels, by one thread.
#include "environment.h"

#include "../math/elementary.h"

#include <math.h>

enum { CELLS = 128, STUDIO_WIDTH = 1024, FACES = 64 };

static const float BRIGHTEST = 1e9f; // of a pixel: sums of squares stay finite

// --- directions -------------------------------------------------------------------------------

// Of the borders between columns or rows: whole turns across, half a turn down.
static void direction_at(float x, float y, wr_vec3 *out)
{
    float s, c, across, down;
    wri_sin_cos(2.0f * WR_PI * (x - 0.5f), &s, &c);
    wri_sin_cos(WR_PI * y, &across, &down);
    *out = wr_v3(across * s, down, -across * c);
}

// In a picture of unit width and height.
static void place_of(wr_vec3 d, float *x, float *y)
{
    *x = wri_atan2(d.x, -d.z) / (2.0f * WR_PI) + 0.5f;
    *y = wri_atan2(sqrtf(d.x * d.x + d.z * d.z), d.y) / WR_PI;
}

// Steradians of a pixel in this row of `height`: a turn over the columns, times the difference of
// cosines.
static double solid_angle(int row, int height)
{
    double s, above, below, step = (double)WR_PI / height;
    wri_sin_cos_fine(step * row, &s, &above);
    wri_sin_cos_fine(step * (row + 1), &s, &below);
    return step * (above - below);
}

static int whole_of(float x, int count)
{
    int i = (int)floorf(x);
    return i < 0 ? 0 : i < count ? i : count - 1;
}

// Bilinear; around the sides, and up to the middles of the first and last rows.
static wr_vec3 look_up(const wr_vec3 *pixels, int width, int height, wr_vec3 direction)
{
    float x, y;
    place_of(direction, &x, &y);
    x = x * (float)width - 0.5f;
    y = wr_clampf(y * (float)height - 0.5f, 0.0f, (float)(height - 1));
    int column = (int)floorf(x), row = whole_of(y, height);
    int left = (column + width) % width, right = (column + 1 + width) % width;
    const wr_vec3 *above = pixels + row * width;
    const wr_vec3 *below = row + 1 < height ? above + width : above;
    float across = x - (float)column, down = y - (float)row;
    return wr_lerp3(wr_lerp3(above[left], above[right], across),
                    wr_lerp3(below[left], below[right], across), down);
}

wr_vec3 wri_environment_at(const wri_environment *e, wr_vec3 direction)
{
    return look_up(e->pixels, e->width, e->height, direction);
}

wr_vec3 wri_environment_blurred_at(const wri_environment *e, wr_vec3 direction)
{
    return look_up(e->cells, e->cells_across, e->cells_down, direction);
}

wr_vec3 wri_environment_diffuse_at(const wri_environment *e, wr_vec3 direction)
{
    return look_up(e->diffuse, FACES, FACES / 2, direction);
}

static double luminance(wr_vec3 c)
{
    return 0.2126 * (double)c.x + 0.7152 * (double)c.y + 0.0722 * (double)c.z;
}

// --- the studio -------------------------------------------------------------------------------

// A square-cornered lamp that shines at the middle of the scene, as large as it is seen from there.
typedef struct soft_box {
    float azimuth, elevation; // degrees, from +Z towards +X
    float width, height;      // tangents of half the angles
    wr_vec3 radiance;
} soft_box;

static const soft_box boxes[] = {
    {-48.0f, 42.0f, 0.55f, 0.42f, {4.6f, 4.45f, 4.2f}}, // key: in front, on the left, above
    {72.0f, 22.0f, 0.30f, 0.62f, {1.5f, 1.6f, 1.75f}},  // fill: an upright one on the right
    {165.0f, 48.0f, 0.80f, 0.22f, {3.4f, 3.5f, 3.7f}},  // rim: a broad one behind, above
};

static float soft_step(float x)
{
    x = wr_clampf(x, 0.0f, 1.0f);
    return x * x * (3.0f - 2.0f * x);
}

// How much of a box is seen in a direction: 1 within it, falling to 0 over its border.
static float box_at(const soft_box *box, wr_vec3 d)
{
    const float radian = WR_PI / 180.0f, border = 0.03f;
    float sa, ca, se, ce;
    wri_sin_cos(box->azimuth * radian, &sa, &ca);
    wri_sin_cos(box->elevation * radian, &se, &ce);
    float forward = d.x * ce * sa + d.y * se + d.z * ce * ca;
    if (forward <= 0.0f) {
        return 0.0f;
    }
    float x = (d.x * ca - d.z * sa) / forward;
    float y = (d.y * ce - (d.x * sa + d.z * ca) * se) / forward;
    return soft_step((box->width - fabsf(x)) / border + 0.5f) *
           soft_step((box->height - fabsf(y)) / border + 0.5f);
}

// Walls that are a little lighter above than at the floor.
static wr_vec3 studio_at(wr_vec3 d)
{
    float wall = 0.055f + 0.035f * d.y;
    wr_vec3 sum = wr_v3(0.98f * wall, wall, 1.05f * wall);
    for (int i = 0; i < WRI_COUNT(boxes); i++) {
        sum = wr_lerp3(sum, boxes[i].radiance, box_at(&boxes[i], d));
    }
    return sum;
}

static void fill_studio(wri_environment *e)
{
    for (int i = 0; i < e->width * e->height; i++) {
        wr_vec3 d;
        direction_at(((float)(i % e->width) + 0.5f) / (float)e->width,
                     ((float)(i / e->width) + 0.5f) / (float)e->height, &d);
        e->pixels[i] = studio_at(d);
    }
}

static void decode(wri_environment *e, const uint8_t *rgbe)
{
    for (int i = 0; i < e->width * e->height; i++, rgbe += 4) {
        float unit = rgbe[3] ? ldexpf(1.0f, rgbe[3] - 136) : 0.0f;
        e->pixels[i] =
            wr_v3(fminf(BRIGHTEST, unit * (float)rgbe[0]), fminf(BRIGHTEST, unit * (float)rgbe[1]),
                  fminf(BRIGHTEST, unit * (float)rgbe[2]));
    }
}

// --- the sun ----------------------------------------------------------------------------------

// Where a sun may be: around the brightest pixel, what is at least an eighth as bright.
typedef struct spot {
    wr_vec3 center;
    double least;             // luminance
    int first_row, last_row;  // that are near enough
    double flux[3], rest[3];  // of the spot, and of what is around it
    double angle, rest_angle; // steradians
    double place[3];          // sum of directions, weighted with luminance
    double all;               // luminance of all directions
} spot;

static wr_vec3 middle_of(const wri_environment *e, int pixel)
{
    wr_vec3 d;
    direction_at(((float)(pixel % e->width) + 0.5f) / (float)e->width,
                 ((float)(pixel / e->width) + 0.5f) / (float)e->height, &d);
    return d;
}

static spot find_spot(const wri_environment *e)
{
    int best = 0, reach = 1 + e->height / 15; // more than the angle of NEAR
    for (int i = 1; i < e->width * e->height; i++) {
        best = luminance(e->pixels[i]) > luminance(e->pixels[best]) ? i : best;
    }
    return (spot){.center = middle_of(e, best),
                  .least = 0.125 * luminance(e->pixels[best]),
                  .first_row = best / e->width - reach,
                  .last_row = best / e->width + reach};
}

static bool is_near(const spot *s, wr_vec3 direction)
{
    const float near = 0.98f; // cosine
    return wr_dot(direction, s->center) > near;
}

static void add_pixel(spot *s, wr_vec3 d, wr_vec3 color, double angle)
{
    const double radiance[3] = {(double)color.x, (double)color.y, (double)color.z};
    double light = luminance(color);
    bool in = light >= s->least;
    *(in ? &s->angle : &s->rest_angle) += angle;
    for (int k = 0; k < 3; k++) {
        (in ? s->flux : s->rest)[k] += radiance[k] * angle;
        s->place[k] += in ? (double)(&d.x)[k] * light * angle : 0.0;
    }
}

static void measure_spot(const wri_environment *e, spot *s)
{
    for (int row = 0; row < e->height; row++) {
        double angle = solid_angle(row, e->height);
        bool may_be_near = row >= s->first_row && row <= s->last_row;
        for (int i = row * e->width; i < (row + 1) * e->width; i++) {
            s->all += luminance(e->pixels[i]) * angle;
            wr_vec3 d = may_be_near ? middle_of(e, i) : wr_v3(0.0f, 0.0f, 0.0f);
            if (may_be_near && is_near(s, d)) {
                add_pixel(s, d, e->pixels[i], angle);
            }
        }
    }
}

static void take_away(wri_environment *e, const spot *s, wr_vec3 around)
{
    for (int row = 0; row < e->height; row++) {
        bool may_be_near = row >= s->first_row && row <= s->last_row;
        for (int i = row * e->width; may_be_near && i < (row + 1) * e->width; i++) {
            if (luminance(e->pixels[i]) >= s->least && is_near(s, middle_of(e, i))) {
                e->pixels[i] = around;
            }
        }
    }
}

static void find_sun(wri_environment *e)
{
    const double radius_limit = 0.09, share_limit = 0.1; // radians; of all light
    const double pi = (double)WR_PI;
    double around[3], own[3];
    spot s = find_spot(e);
    e->disc_cosine = 2.0f;
    if (!(s.least > 0.0)) {
        return;
    }
    measure_spot(e, &s);
    for (int k = 0; k < 3; k++) {
        around[k] = s.rest_angle > 0.0 ? s.rest[k] / s.rest_angle : 0.0;
        own[k] = fmax(0.0, s.flux[k] - around[k] * s.angle);
    }
    wr_vec3 flux = wr_v3((float)own[0], (float)own[1], (float)own[2]);
    double radius = sqrt(s.angle / pi);
    if (!(radius < radius_limit && luminance(flux) > share_limit * s.all)) {
        return;
    }
    e->sun_direction = wr_normalize(wr_v3((float)s.place[0], (float)s.place[1], (float)s.place[2]));
    e->sun = wr_scale(1.0f / WR_PI, flux);
    e->sun_size = (float)(radius * (1.0 + radius * radius / 3.0)); // tangent
    e->disc = wr_scale((float)(1.0 / s.angle), flux);
    e->disc_cosine = (float)(1.0 - 0.5 * radius * radius);
    take_away(e, &s, wr_v3((float)around[0], (float)around[1], (float)around[2]));
}

// --- cells ------------------------------------------------------------------------------------

// Means of pixels, each counted in the cell where its middle lies.
static void fill_cells(wri_environment *e, double *sums)
{
    int across = e->cells_across, down = e->cells_down;
    for (int row = 0; row < e->height; row++) {
        double angle = solid_angle(row, e->height);
        for (int x = 0; x < e->width; x++) {
            wr_vec3 color = e->pixels[row * e->width + x];
            double *sum = sums + 4 * (row * down / e->height * across + x * across / e->width);
            sum[0] += angle * (double)color.x;
            sum[1] += angle * (double)color.y;
            sum[2] += angle * (double)color.z;
            sum[3] += angle;
        }
    }
    for (int i = 0; i < across * down; i++) {
        const double *sum = sums + 4 * i;
        e->cells[i] =
            wr_v3((float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]));
    }
}

// The integral of the cosine over a cell is its steradians times the mean of the cosines at its
// borders.
static void find_means(wri_environment *e)
{
    double sums[2][3] = {{0}};
    for (int row = 0; row < e->cells_down; row++) {
        double s, above, below, step = (double)WR_PI / e->cells_down;
        wri_sin_cos_fine(step * row, &s, &above);
        wri_sin_cos_fine(step * (row + 1), &s, &below);
        double part = solid_angle(row, e->cells_down) * 0.5 * (above + below) / (double)WR_PI;
        double *sum = sums[part < 0.0];
        for (int i = row * e->cells_across; i < (row + 1) * e->cells_across; i++) {
            for (int k = 0; k < 3; k++) {
                sum[k] += fabs(part) * (double)(&e->cells[i].x)[k];
            }
        }
    }
    e->upper = wr_v3((float)sums[0][0], (float)sums[0][1], (float)sums[0][2]);
    e->lower = wr_v3((float)sums[1][0], (float)sums[1][1], (float)sums[1][2]);
}

// Directions that surfaces face, and the light on them.
typedef struct faces {
    float x[FACES * FACES / 2], y[FACES * FACES / 2], z[FACES * FACES / 2];
    float r[FACES * FACES / 2], g[FACES * FACES / 2], b[FACES * FACES / 2];
} faces;

static void add_cell(faces *restrict f, wr_vec3 d, wr_vec3 flux)
{
    for (int i = 0; i < FACES * FACES / 2; i++) {
        float cosine = f->x[i] * d.x + f->y[i] * d.y + f->z[i] * d.z;
        cosine = cosine > 0.0f ? cosine : 0.0f;
        f->r[i] += cosine * flux.x;
        f->g[i] += cosine * flux.y;
        f->b[i] += cosine * flux.z;
    }
}

// Light of the cells, each as if all of it came from its middle, which is 3e-4 off at most.
static void find_diffuse(wri_environment *e, faces *f)
{
    int across = e->cells_across, down = e->cells_down;
    wr_vec3 d;
    for (int i = 0; i < FACES * FACES / 2; i++) {
        direction_at(((float)(i % FACES) + 0.5f) / FACES,
                     2.0f * ((float)(i / FACES) + 0.5f) / FACES, &d);
        f->x[i] = d.x;
        f->y[i] = d.y;
        f->z[i] = d.z;
    }
    for (int i = 0; i < across * down; i++) {
        float part = (float)(solid_angle(i / across, down) / (double)WR_PI);
        direction_at(((float)(i % across) + 0.5f) / (float)across,
                     ((float)(i / across) + 0.5f) / (float)down, &d);
        add_cell(f, d, wr_scale(part, e->cells[i]));
    }
    for (int i = 0; i < FACES * FACES / 2; i++) {
        e->diffuse[i] = wr_v3(f->r[i], f->g[i], f->b[i]);
    }
}

// The tables from which wri_environment_sample draws.
static void find_bright(wri_environment *e)
{
    const double limit = 0.75; // a quarter of the rays, at least, goes by the cosine
    int across = e->cells_across, down = e->cells_down;
    double all = 0.0, excess = 0.0;
    for (int i = 0; i < across * down; i++) {
        all += luminance(e->cells[i]) * solid_angle(i / across, down);
    }
    double mean = all / (4.0 * (double)WR_PI);
    for (int row = 0; row < down; row++) {
        double angle = solid_angle(row, down), in_row = 0.0;
        float *sums = e->in_row + row * (across + 1);
        for (int x = 0; x < across; x++) {
            in_row += fmax(0.0, luminance(e->cells[row * across + x]) - mean) * angle;
            sums[x + 1] = (float)in_row;
        }
        excess += in_row;
        e->rows[row + 1] = (float)excess;
        for (int x = 0; x < across && in_row > 0.0; x++) {
            sums[x + 1] = (float)((double)sums[x + 1] / in_row);
        }
    }
    e->bright_share = all > 0.0 && excess > 0.01 * all ? (float)fmin(limit, excess / all) : 0.0f;
    for (int i = 0; i < across * down && excess > 0.0; i++) {
        e->densities[i] = (float)(fmax(0.0, luminance(e->cells[i]) - mean) / excess);
    }
    for (int row = 0; row < down && excess > 0.0; row++) {
        e->rows[row + 1] = (float)((double)e->rows[row + 1] / excess);
    }
}

// The part that holds u among `count` with these cumulative shares, and where in it u lies.
static int find_part(const float *sums, int count, float u, float *within)
{
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(sums[middle] <= u ? &low : &high) = middle;
    }
    float size = sums[low + 1] - sums[low];
    *within = size > 0.0f ? wr_clampf((u - sums[low]) / size, 0.0f, 1.0f) : 0.5f;
    return low;
}

wr_vec3 wri_environment_sample(const wri_environment *e, float u, float v)
{
    float x, y, s, c, above, below;
    int row = find_part(e->rows, e->cells_down, u, &y);
    int column = find_part(e->in_row + row * (e->cells_across + 1), e->cells_across, v, &x);
    float step = WR_PI / (float)e->cells_down;
    wri_sin_cos(step * (float)row, &s, &above);
    wri_sin_cos(step * (float)(row + 1), &s, &below);
    float up = above + y * (below - above), flat = sqrtf(fmaxf(0.0f, 1.0f - up * up));
    wri_sin_cos(2.0f * WR_PI * (((float)column + x) / (float)e->cells_across - 0.5f), &s, &c);
    return wr_v3(flat * s, up, -flat * c);
}

float wri_environment_density(const wri_environment *e, wr_vec3 direction)
{
    float x, y;
    place_of(direction, &x, &y);
    int column = whole_of(x * (float)e->cells_across, e->cells_across);
    int row = whole_of(y * (float)e->cells_down, e->cells_down);
    return e->densities[row * e->cells_across + column];
}

// --- create and destroy -----------------------------------------------------------------------

static bool take_memory(wri_environment *e, double **sums, faces **f)
{
    size_t pixels = (size_t)e->width * (size_t)e->height;
    size_t down = (size_t)e->cells_down, cells = (size_t)e->cells_across * down;
    e->pixels = wri_arena_alloc(&e->arena, pixels, sizeof *e->pixels);
    e->cells = wri_arena_alloc(&e->arena, cells, sizeof *e->cells);
    e->densities = wri_arena_alloc(&e->arena, cells, sizeof *e->densities);
    e->in_row = wri_arena_alloc(&e->arena, cells + down, sizeof *e->in_row);
    e->rows = wri_arena_alloc(&e->arena, down + 1, sizeof *e->rows);
    e->diffuse = wri_arena_alloc(&e->arena, FACES * FACES / 2, sizeof *e->diffuse);
    *sums = wri_arena_alloc(&e->arena, cells, 4 * sizeof **sums);
    *f = wri_arena_alloc(&e->arena, 1, sizeof **f);
    return e->pixels && e->cells && e->densities && e->in_row && e->rows && e->diffuse && *sums &&
           *f;
}

wri_environment *wri_environment_create(const wr_environment *source, const wr_allocator *allocator,
                                        wr_error *error)
{
    wri_arena arena = wri_arena_create(allocator);
    wri_environment *e = wri_arena_alloc(&arena, 1, sizeof *e);
    if (!e) {
        wri_fail_memory(error, sizeof *e);
        return NULL;
    }
    double *sums;
    faces *f;
    e->width = source->width ? source->width : STUDIO_WIDTH;
    e->height = e->width / 2;
    e->cells_across = e->width < CELLS ? e->width : CELLS;
    e->cells_down = e->cells_across / 2;
    e->arena = arena;
    if (!take_memory(e, &sums, &f)) {
        wri_fail_memory(error, 3 * sizeof(float) * (size_t)e->width * (size_t)e->height);
        wri_environment_destroy(e);
        return NULL;
    }
    if (source->width) {
        decode(e, source->pixels);
    } else {
        fill_studio(e);
    }
    find_sun(e);
    fill_cells(e, sums);
    find_means(e);
    find_diffuse(e, f);
    find_bright(e);
    return e;
}

void wri_environment_destroy(wri_environment *environment)
{
    if (environment) {
        wri_arena arena = environment->arena; // the environment itself is in it
        wri_arena_destroy(&arena);
    }
}
