// figure_field.c: a smooth minimum of distances.
//
// A part's first-order distance is g / |grad g|, where g is the distance in coordinates in which
// the part is not flattened. Two distances a < b join as a - k h^2 / 4 with h = max(1 - (b - a) /
// k, 0) and blend k: the derivatives by a and b are 1 - h/2 and h/2. They are the shares of the
// parts in the surface: they add up to 1, the gradient is the sum of the parts' gradients in these
// shares, and a skin has them for weights. A pair is joined first and is symmetric to the last bit.
//
// Based on: I. Quilez, "smooth minimum" and "distance functions" (round cone, ellipsoid).
#include "figure_field.h"
#include "../src/math/elementary.h"

#include <string.h>

static wr_vec3 mirror(wr_vec3 p)
{
    return wr_v3(-p.x, p.y, p.z);
}

// --- one part ---------------------------------------------------------------------------------

// In the plane of axis and point: at distance r from the axis, y along it.
static float round_cone(const field_part *part, float r, float y, float normal[2])
{
    float low = part->given.radius[0], high = part->given.radius[1], length = part->length;
    float slope = length > 0.0f ? (low - high) / length : 2.0f;
    float a = sqrtf(fmaxf(1.0f - slope * slope, 0.0f)), along = a * y - slope * r;
    bool is_low = slope >= 1.0f || (slope > -1.0f && along < 0.0f);
    if (!is_low && slope > -1.0f && along < a * length) {
        normal[0] = a;
        normal[1] = slope;
        return a * r + slope * y - low;
    }
    y -= is_low ? 0.0f : length;
    float distance = fmaxf(sqrtf(r * r + y * y), 1e-9f);
    normal[0] = r / distance;
    normal[1] = y / distance;
    return distance - (is_low ? low : high);
}

static float limb_distance(const field_part *part, wr_vec3 q, wr_vec3 *gradient)
{
    float flat = part->given.flat, z = q.z / flat, normal[2];
    float r = sqrtf(q.x * q.x + z * z), g = round_cone(part, r, q.y, normal);
    float side = r > 1e-9f ? normal[0] / r : 0.0f;
    *gradient = wr_v3(side * q.x, normal[1], side * z / flat);
    return g;
}

static float ball_distance(const field_part *part, wr_vec3 q, wr_vec3 *gradient)
{
    float wide = part->given.radius[0], tall = 0.5f * part->length, deep = wide * part->given.flat;
    wr_vec3 s = wr_v3(q.x / wide, (q.y - tall) / tall, q.z / deep);
    float k = fmaxf(wr_length(s), 1e-6f);
    *gradient = wr_v3(s.x / (k * wide), s.y / (k * tall), s.z / (k * deep));
    return k - 1.0f;
}

static float single_distance(const field_part *part, wr_vec3 p, wr_vec3 *gradient)
{
    wr_vec3 d = wr_sub(p, part->given.from), n;
    wr_vec3 q = wr_v3(wr_dot(d, part->x), wr_dot(d, part->y), wr_dot(d, part->z));
    float g =
        part->given.shape == FIGURE_BALL ? ball_distance(part, q, &n) : limb_distance(part, q, &n);
    float slope = fmaxf(wr_length(n), 1e-6f);
    if (gradient) {
        wr_vec3 sum = wr_add_scaled(wr_scale(n.x, part->x), n.y, part->y);
        *gradient = wr_scale(1.0f / slope, wr_add_scaled(sum, n.z, part->z));
    }
    return g / slope;
}

// Gives the share of b.
static float join(float a, float b, float blend, float *joined)
{
    float apart = fabsf(a - b), h = blend > apart ? (blend - apart) / blend : 0.0f;
    *joined = fminf(a, b) - 0.25f * blend * h * h;
    return b < a ? 1.0f - 0.5f * h : 0.5f * h;
}

// A vector turned about the axis, back from where the copies with this cosine and sine are.
static wr_vec3 turn_back(const field_part *part, wr_vec3 d, float c, float s)
{
    return part->upright ? wr_v3(c * d.x - s * d.z, d.y, c * d.z + s * d.x)
                         : wr_v3(d.x, c * d.y + s * d.z, c * d.z - s * d.y);
}

static float turned_distance(const field_part *part, wr_vec3 from_axis, float c, float s,
                             wr_vec3 *gradient)
{
    wr_vec3 p = wr_add(part->center, turn_back(part, from_axis, c, s)), n;
    float d = single_distance(part, p, &n);
    *gradient = turn_back(part, n, c, -s);
    return d;
}

// The nearest copy is joined with the next one, so that the crease between them is round.
static float copies_distance(const field_part *part, wr_vec3 from_axis, float u, float v,
                             wr_vec3 *gradient)
{
    float sector = 2.0f * WR_PI / (float)part->given.copies, angle = wri_atan2(v, u), s, c, both;
    float nearest = roundf(angle / sector), next = nearest * sector < angle ? 1.0f : -1.0f;
    wr_vec3 one, two;
    wri_sin_cos(nearest * sector, &s, &c);
    float a = turned_distance(part, from_axis, c, s, &one);
    wri_sin_cos((nearest + next) * sector, &s, &c);
    float b = turned_distance(part, from_axis, c, s, &two);
    float of_next = join(a, b, part->given.blend, &both);
    *gradient = wr_add_scaled(wr_scale(1.0f - of_next, one), of_next, two);
    return both;
}

static float part_distance(const field_part *part, wr_vec3 p, wr_vec3 *gradient)
{
    wr_vec3 from_axis = wr_sub(p, part->center), n;
    float u = part->upright ? from_axis.z : from_axis.y;
    float v = part->upright ? from_axis.x : from_axis.z, radius = sqrtf(u * u + v * v), d;
    if (part->given.copies == 0) {
        return single_distance(part, p, gradient);
    } else if (part->given.copies > 0) {
        d = copies_distance(part, from_axis, u, v, &n);
    } else {
        bool on_axis = radius < 1e-9f;
        d = turned_distance(part, from_axis, on_axis ? 1.0f : u / radius,
                            on_axis ? 0.0f : v / radius, &n);
    }
    if (gradient) {
        *gradient = n;
    }
    return d;
}

// The distance from the part or its mirror image.
static float nearest_distance(const field_part *part, wr_vec3 p)
{
    float d = part_distance(part, p, NULL);
    return part->paired ? fminf(d, part_distance(part, mirror(p), NULL)) : d;
}

// --- all parts --------------------------------------------------------------------------------

typedef struct pair { // a part and its mirror image, joined
    float distance, left, right;
    wr_vec3 gradient;
} pair;

static pair find_pair(const field_part *part, wr_vec3 p)
{
    wr_vec3 here, there;
    pair both = {.left = 1.0f};
    float a = part_distance(part, p, &here);
    both.distance = a;
    both.gradient = here;
    if (part->paired) {
        float b = part_distance(part, mirror(p), &there);
        both.right = join(a, b, part->given.blend, &both.distance);
        both.left = join(b, a, part->given.blend, &both.distance);
        both.gradient = wr_add_scaled(wr_scale(both.left, here), both.right, mirror(there));
    }
    return both;
}

static void share(field_shares *shares, int count, int part, const pair *both, float of_new)
{
    for (int i = 0; i < count; i++) {
        shares->left[i] *= 1.0f - of_new;
        shares->right[i] *= 1.0f - of_new;
    }
    shares->left[part] = of_new * both->left;
    shares->right[part] = of_new * both->right;
}

float field_distance(const field *f, wr_vec3 p, wr_vec3 *gradient, field_shares *shares)
{
    float distance = 1e6f, of_new;
    wr_vec3 sum = {0};
    if (shares) {
        memset(shares, 0, sizeof *shares);
    }
    for (int i = 0; i < f->count; i++) {
        const figure_part *part = &f->parts[i].given;
        if (part->use == FIGURE_PAINT) {
            continue;
        }
        pair both = find_pair(&f->parts[i], p);
        float sign = part->use == FIGURE_CARVE ? -1.0f : 1.0f;
        of_new = join(sign * distance, both.distance, part->blend, &distance);
        distance *= sign;
        sum = wr_add_scaled(wr_scale(1.0f - of_new, sum), sign * of_new, both.gradient);
        if (shares) {
            share(shares, f->count, i, &both, of_new);
        }
    }
    of_new = join(-distance, p.y, f->figure->sole, &distance); // the floor has no share
    if (gradient) {
        *gradient = wr_add_scaled(wr_scale(1.0f - of_new, sum), -of_new, wr_v3(0.0f, 1.0f, 0.0f));
    }
    return -distance;
}

static wr_vec3 axis_step(int axis, float step)
{
    return wr_v3(axis == 0 ? step : 0.0f, axis == 1 ? step : 0.0f, axis == 2 ? step : 0.0f);
}

wr_vec3 field_normal(const field *f, wr_vec3 p)
{
    const float step = 2e-4f;
    float slope[3];
    for (int k = 0; k < 3; k++) {
        wr_vec3 d = axis_step(k, step);
        slope[k] = field_distance(f, wr_add(p, d), NULL, NULL) -
                   field_distance(f, wr_sub(p, d), NULL, NULL);
    }
    return wr_normalize(wr_v3(slope[0], slope[1], slope[2]));
}

wr_vec3 field_project(const field *f, wr_vec3 p)
{
    for (int i = 0; i < 4; i++) {
        wr_vec3 n;
        float d = field_distance(f, p, &n, NULL), square = fmaxf(wr_dot(n, n), 0.05f);
        p = wr_add_scaled(p, -wr_clampf(d, -0.01f, 0.01f) / square, n);
    }
    return p;
}

// --- colours ----------------------------------------------------------------------------------

static bool is_sharp_paint(const figure_part *part)
{
    return part->use == FIGURE_PAINT && part->blend == 0.0f;
}

// The distance of the parts of one colour. What is carved ends where it was carved, a little less
// so the deeper it was inside, so that in a hole that leads through two colours both go on.
static float color_distance(const field *f, int color, wr_vec3 p)
{
    float least = 1e6f;
    for (int i = 0; i < f->count; i++) {
        const figure_part *part = &f->parts[i].given;
        if (part->use == FIGURE_ADD && part->color == color) {
            join(least, find_pair(&f->parts[i], p).distance, part->blend, &least);
        } else if (part->use == FIGURE_CARVE) {
            float hole = -nearest_distance(&f->parts[i], p);
            least = least < hole ? hole - 0.01f * (hole - least) : least;
        }
    }
    return least;
}

// The last coat of paint of a colour, -1 of any, that p is in or no farther from than `slack`; -1:
// none.
static int find_coat(const field *f, int color, wr_vec3 p, float slack)
{
    for (int i = f->count - 1; i >= 0; i--) {
        const figure_part *part = &f->parts[i].given;
        if (is_sharp_paint(part) && (color < 0 || part->color == color) &&
            nearest_distance(&f->parts[i], p) < slack) {
            return i;
        }
    }
    return -1;
}

int field_region(const field *f, wr_vec3 p)
{
    int coat = find_coat(f, -1, p, 0.0f), best = 0;
    float least = 1e6f;
    if (coat >= 0) {
        return f->parts[coat].given.color;
    }
    for (int i = 0; i < f->figure->color_count; i++) {
        float d = color_distance(f, i, p);
        best = d < least ? i : best;
        least = fminf(least, d);
    }
    return best;
}

typedef struct border {
    const field *field;
    int region, other, coat;
} border;

// Zero on the border. Of two coats the later one covers the other.
static float border_distance(const border *b, wr_vec3 p)
{
    return b->coat >= 0
               ? nearest_distance(&b->field->parts[b->coat], p)
               : color_distance(b->field, b->region, p) - color_distance(b->field, b->other, p);
}

// The border's gradient along the surface.
static wr_vec3 border_slope(const border *b, wr_vec3 p)
{
    const float step = 1e-4f;
    float slope[3];
    wr_vec3 n;
    for (int k = 0; k < 3; k++) {
        wr_vec3 d = axis_step(k, step);
        slope[k] = border_distance(b, wr_add(p, d)) - border_distance(b, wr_sub(p, d));
    }
    wr_vec3 whole = wr_scale(0.5f / step, wr_v3(slope[0], slope[1], slope[2]));
    field_distance(b->field, p, &n, NULL);
    n = wr_normalize(n);
    return wr_add_scaled(whole, -wr_dot(whole, n), n);
}

wr_vec3 field_project_border(const field *f, int region, int other, wr_vec3 p)
{
    const float most = 0.002f;
    int coat = find_coat(f, region, p, most), other_coat = find_coat(f, other, p, most);
    border b = {f, region, other, coat > other_coat ? coat : other_coat};
    for (int i = 0; i < 5; i++) {
        wr_vec3 slope = border_slope(&b, p);
        float d = wr_clampf(border_distance(&b, p), -most, most);
        p = wr_add_scaled(p, -d / fmaxf(wr_dot(slope, slope), 0.05f), slope);
        p = field_project(f, p);
    }
    return p;
}

rgb field_color(const field *f, int region, wr_vec3 p)
{
    rgb color = f->figure->colors[region].color;
    for (int i = 0; i < f->count; i++) {
        const figure_part *part = &f->parts[i].given;
        if (part->use == FIGURE_PAINT && part->blend > 0.0f) {
            float d = nearest_distance(&f->parts[i], p);
            color = mix(color, f->figure->colors[part->color].color, ramp(part->blend, 0.0f, d));
        }
    }
    return color;
}

// --- sizes ------------------------------------------------------------------------------------

float field_edge(const field *f, wr_vec3 p)
{
    const float growth = 0.35f; // of edges per metre
    float edge = f->figure->coarse;
    for (int i = 0; i < f->count; i++) {
        const field_part *part = &f->parts[i];
        if (part->edge < edge) {
            float d = nearest_distance(part, p);
            d = part->given.use == FIGURE_PAINT ? fabsf(d) : fmaxf(d, 0.0f);
            edge = fminf(edge, part->edge + growth * d);
        }
    }
    return edge;
}

wr_box field_bounds(const field *f)
{
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < f->count; i++) {
        const figure_part *part = &f->parts[i].given;
        float r = fmaxf(part->radius[0], part->radius[1]) * fmaxf(part->flat, 1.0f) + part->blend;
        wr_vec3 around = wr_v3(r, r, r);
        if (part->use == FIGURE_ADD && part->copies != 0) {
            wr_vec3 at = f->parts[i].center;
            r += fmaxf(wr_distance(at, part->from), wr_distance(at, part->to));
            around = wr_v3(r, r, r);
            box = wr_box_add(wr_box_add(box, wr_sub(at, around)), wr_add(at, around));
        } else if (part->use == FIGURE_ADD) {
            box =
                wr_box_add(wr_box_add(box, wr_sub(part->from, around)), wr_add(part->from, around));
            box = wr_box_add(wr_box_add(box, wr_sub(part->to, around)), wr_add(part->to, around));
        }
    }
    return box;
}

// --- making ready -----------------------------------------------------------------------------

static field_part prepare(const figure *f, const figure_part *given)
{
    field_part part = {.given = *given, .upright = f->upright, .center = f->center};
    wr_vec3 way = wr_sub(given->to, given->from), facing = given->facing;
    part.length = wr_length(way);
    part.y = part.length > 0.0f ? wr_normalize(way) : wr_v3(0.0f, 1.0f, 0.0f);
    facing = wr_length(facing) > 0.0f ? facing : wr_v3(0.0f, 0.0f, 1.0f);
    part.z = wr_normalize(wr_add_scaled(facing, -wr_dot(facing, part.y), part.y));
    if (wr_length(part.z) == 0.0f) { // along z: flat from above
        part.z = wr_v3(0.0f, 1.0f, 0.0f);
    }
    part.x = wr_cross(part.y, part.z);
    part.given.flat = given->flat > 0.0f ? given->flat : 1.0f;
    part.given.blend = given->use == FIGURE_PAINT ? given->blend : fmaxf(given->blend, 1e-4f);
    part.paired = !f->whole && (given->from.x != 0.0f || given->to.x != 0.0f);
    float thin = fminf(part.given.flat, 1.0f) * given->radius[0];
    float coarser = f->coarser > 0.0f ? f->coarser : 1.0f;
    part.edge = given->edge > 0.0f ? coarser * given->edge
                                   : wr_clampf(0.3f * coarser * thin, f->fine, f->coarse);
    return part;
}

field field_create(const figure *f)
{
    field all = {.figure = f, .count = f->part_count};
    for (int i = 0; i < f->part_count; i++) {
        all.parts[i] = prepare(f, &f->parts[i]);
    }
    return all;
}
