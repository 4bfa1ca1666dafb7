// lines.c: which edges are outlines, and which of them are near a pixel.
#include "lines.h"

typedef struct finder {
    const wri_scene *scene;
    const wri_eye *eye;
    wri_array lines; // wri_line
    float width;
} finder;

static wr_vec3 place(const wri_item *item, int vertex)
{
    return wr_add(item->offset, wr_mat3_apply(item->rotation, item->positions[vertex]));
}

static wr_vec3 triangle_normal(const wri_item *item, int triangle)
{
    const int *t = item->shape->mesh->triangles + 3 * triangle;
    wr_vec3 a = item->positions[t[0]];
    wr_vec3 n = wr_cross(wr_sub(item->positions[t[1]], a), wr_sub(item->positions[t[2]], a));
    return wr_normalize(wr_mat3_apply(item->rotation, n));
}

static bool is_drawn(const wri_item *item, int triangle)
{
    const wri_surface *surface = wri_surface_at(item, triangle);
    return surface->unlit || surface->alpha != WR_ALPHA_OPAQUE;
}

// True for an edge at which a person who draws puts a line.
static bool is_outline(const finder *f, const wri_item *item, const wri_edge *edge, wr_vec3 at)
{
    const float edge_on = -1e-3f, sharp = 0.8f; // cosines
    if (is_drawn(item, edge->a) || (edge->b >= 0 && is_drawn(item, edge->b))) {
        return false;
    }
    if (edge->b < 0) {
        return true;
    }
    wr_vec3 view = f->eye->flat ? f->eye->forward : wr_normalize(at);
    wr_vec3 m = triangle_normal(item, edge->a), n = triangle_normal(item, edge->b);
    bool front = wr_dot(m, view) < edge_on, other = wr_dot(n, view) < edge_on;
    return front != other || (front && wr_dot(m, n) < sharp);
}

static bool add_lines(finder *f, int number)
{
    const wri_item *item = &f->scene->items[number];
    for (int i = 0; i < item->shape->edge_count; i++) {
        const wri_edge *edge = &item->shape->edges[i];
        wr_vec3 a = place(item, edge->vertices[0]), b = place(item, edge->vertices[1]);
        wri_line line = {.item = number};
        if (!is_outline(f, item, edge, a) || !wri_eye_project(f->eye, a, &line.a, &line.depth_a) ||
            !wri_eye_project(f->eye, b, &line.b, &line.depth_b)) {
            continue;
        }
        wri_line *room = wri_array_add(&f->lines, 1);
        if (!room) {
            return false;
        }
        *room = line;
    }
    return true;
}

static int tile_of(float pixel, int count)
{
    float tile = pixel / WRI_LINE_TILE;
    return tile < 0.0f ? 0 : tile < (float)count ? (int)tile : count - 1;
}

// Calls for every tile that a line may reach: count or fill.
static void sort_line(wri_flat_lines *out, const wri_line *line, int number, float width)
{
    float left = fminf(line->a.x, line->b.x) - width, right = fmaxf(line->a.x, line->b.x) + width;
    float top = fminf(line->a.y, line->b.y) - width, low = fmaxf(line->a.y, line->b.y) + width;
    bool seen = right >= 0.0f && low >= 0.0f && left < (float)(out->across * WRI_LINE_TILE) &&
                top < (float)(out->down * WRI_LINE_TILE);
    for (int y = tile_of(top, out->down); seen && y <= tile_of(low, out->down); y++) {
        for (int x = tile_of(left, out->across); x <= tile_of(right, out->across); x++) {
            int *slot = &out->begin[y * out->across + x];
            if (out->numbers) {
                out->numbers[--*slot] = number;
            } else {
                ++*slot;
            }
        }
    }
}

static bool sort_lines(wri_flat_lines *out, const wri_array *lines, float width,
                       wr_scratch *scratch)
{
    size_t tiles = (size_t)out->across * (size_t)out->down;
    out->begin = wr_scratch_push(scratch, tiles + 1, sizeof(int));
    out->lines = wr_scratch_push(scratch, (size_t)lines->count, sizeof(wri_line));
    if (!out->begin || !out->lines) {
        return false;
    }
    if (lines->count > 0) {
        memcpy(out->lines, lines->items, (size_t)lines->count * sizeof(wri_line));
    }
    for (int i = 0; i < lines->count; i++) {
        sort_line(out, &out->lines[i], i, width);
    }
    int64_t sum = 0;
    for (size_t t = 0; t < tiles; t++) {
        sum += out->begin[t];
        if (sum > INT32_MAX) {
            return false;
        }
        out->begin[t] = (int)sum; // its end, from which filling goes down
    }
    out->begin[tiles] = (int)sum;
    out->numbers = wr_scratch_push(scratch, (size_t)sum, sizeof(int));
    for (int i = 0; out->numbers && i < lines->count; i++) {
        sort_line(out, &out->lines[i], i, width);
    }
    return out->numbers != NULL;
}

bool wri_lines_find(wri_flat_lines *out, const wri_scene *scene, const wri_eye *eye, float width,
                    wr_scratch *scratch, wr_error *error)
{
    *out = (wri_flat_lines){.across = (eye->width + WRI_LINE_TILE - 1) / WRI_LINE_TILE,
                            .down = (eye->height + WRI_LINE_TILE - 1) / WRI_LINE_TILE};
    finder f = {scene, eye, wri_array_create(&scratch->allocator, sizeof(wri_line)), width};
    bool ok = true;
    for (int i = 0; ok && i < scene->item_count; i++) {
        ok = add_lines(&f, i);
    }
    ok = ok && sort_lines(out, &f.lines, width, scratch);
    int count = f.lines.count;
    wri_array_destroy(&f.lines);
    return ok || wri_fail_memory(error, (size_t)count * sizeof(wri_line));
}

float wri_lines_distance(const wri_flat_lines *lines, int item, float x, float y, float depth)
{
    int tile = tile_of(y, lines->down) * lines->across + tile_of(x, lines->across);
    float nearest = INFINITY;
    for (int i = lines->begin[tile]; i < lines->begin[tile + 1]; i++) {
        const wri_line *line = &lines->lines[lines->numbers[i]];
        if (line->item != item) {
            continue;
        }
        float dx = line->b.x - line->a.x, dy = line->b.y - line->a.y;
        float px = x - line->a.x, py = y - line->a.y, length2 = dx * dx + dy * dy;
        float t = length2 > 0.0f ? wr_clampf((px * dx + py * dy) / length2, 0.0f, 1.0f) : 0.0f;
        if (line->depth_a + t * (line->depth_b - line->depth_a) <= depth) {
            nearest = fminf(nearest, hypotf(px - t * dx, py - t * dy));
        }
    }
    return nearest;
}
