// asset_marks.c: what stands over the picture of an asset's weights: a ring for each handle with
// its name and where it is at rest, so that a recipe can be written from it; and how far the model
// reaches along each axis of its frame.
#include "asset_view.h"

#include "../render/canvas.h"
#include "../render/labels.h"

#include <math.h>
#include <stdio.h>

enum {
    LEAST_WIDTH = 400, // pixels: smaller pictures have rings alone
    MARGIN = 4,
};

#define CROWDED 0.12 // share of the picture: more words than this lose the coordinates

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34}, GREY = {84, 88, 96};

typedef struct marks {
    wr_asset_view *view;
    wri_canvas canvas;
    int only;  // handle, -1: all
    int count; // handles that the camera sees
    int *handles;
    wr_vec2 *places;
    float *radii;
    wri_label *labels;
    bool has_coordinates;
} marks;

const char *wri_place_text(char *out, size_t size, wr_vec3 p, float extent)
{
    int digits = extent >= 1.0f ? 2 : extent >= 0.1f ? 3 : 4;
    snprintf(out, size, "%.*f %.*f %.*f", digits, (double)p.x, digits, (double)p.y, digits,
             (double)p.z);
    return out;
}

static float find_extent(const wr_asset_view *view)
{
    return wr_length(wr_box_size(wr_mesh_bounds(view->asset->model->meshes)));
}

// Light, so that words can be read on it and the picture is seen through it.
static void veil(wri_canvas *canvas, const wri_label *label)
{
    for (int y = label->top < 0 ? 0 : label->top;
         y < label->top + label->height && y < canvas->height; y++) {
        for (int x = label->left < 0 ? 0 : label->left;
             x < label->left + label->width && x < canvas->width; x++) {
            wri_canvas_blend(canvas, x, y, PAPER, 0.7f);
        }
    }
}

// --- handles ----------------------------------------------------------------------------------

static void find_places(marks *m)
{
    wr_asset_view *view = m->view;
    const wr_camera *camera = &view->camera;
    for (int b = 0; b < view->asset->rig.handle_count; b++) {
        float depth;
        if ((m->only >= 0 && m->only != b) ||
            !wr_camera_project(camera, view->width, view->height, view->shape.pivots[b],
                               &m->places[m->count], &depth)) {
            continue;
        }
        float scale = camera->flat > 0.0f
                          ? (float)view->height / camera->flat
                          : 0.5f * (float)view->height / (tanf(0.5f * camera->fov) * depth);
        m->radii[m->count] = view->ball_radius * scale + 0.5f;
        m->handles[m->count++] = b;
    }
}

// Handles often lie inside: a ring shows where, also through what is in front.
static void draw_rings(marks *m)
{
    for (int i = 0; i < m->count; i++) {
        wr_vec2 at = m->places[i];
        wri_ink ink = wri_ink_from_color(m->view->shape.handle_colors[m->handles[i]]);
        wri_canvas_ring(&m->canvas, at.x, at.y, m->radii[i] + 1.0f, 1.3f, DARK, 0.85f);
        wri_canvas_ring(&m->canvas, at.x, at.y, m->radii[i], 1.2f, ink, 1.0f);
    }
}

static void words_of(const marks *m, int i, const char **name, char coordinates[64])
{
    const wr_handle *handle = &m->view->asset->rig.handles[m->handles[i]];
    *name = handle->name;
    coordinates[0] = '\0';
    if (m->has_coordinates) {
        wri_place_text(coordinates, 64, handle->pivot, find_extent(m->view));
    }
}

// Sizes of all labels; returns the share of the picture that they cover.
static double measure_labels(marks *m)
{
    double area = 0.0;
    for (int i = 0; i < m->count; i++) {
        const char *name;
        char coordinates[64];
        words_of(m, i, &name, coordinates);
        int lines = m->has_coordinates ? 2 : 1;
        int wide = wri_text_width(name, 1), other = wri_text_width(coordinates, 1);
        m->labels[i] = (wri_label){.width = (wide > other ? wide : other) + 4,
                                   .height = lines * WRI_TEXT_LINE};
        area += (double)m->labels[i].width * m->labels[i].height;
    }
    return area / ((double)m->canvas.width * m->canvas.height);
}

static void draw_labels(marks *m)
{
    m->has_coordinates = true;
    m->has_coordinates = measure_labels(m) <= CROWDED;
    (void)measure_labels(m);
    const wri_label_room room = {.places = m->places,
                                 .radii = m->radii,
                                 .count = m->count,
                                 .left = MARGIN,
                                 .top = MARGIN,
                                 .right = m->canvas.width - MARGIN,
                                 .low = m->canvas.height - MARGIN};
    wri_labels_place(&room, m->labels);
    for (int i = 0; i < m->count; i++) {
        const wri_label *label = &m->labels[i];
        const char *name;
        char coordinates[64];
        words_of(m, i, &name, coordinates);
        int x = label->left + 2, y = label->top + WRI_TEXT_CAPITAL + 3;
        veil(&m->canvas, label);
        wri_canvas_text(&m->canvas, x, y, 1, DARK, name);
        wri_canvas_text(&m->canvas, x, y + WRI_TEXT_LINE, 1, GREY, coordinates);
    }
}

// --- axes -------------------------------------------------------------------------------------

// The edges of the model's box that are in front of it: x and z below, y on the left.
static void draw_axes(marks *m)
{
    static const wri_ink inks[3] = {{190, 50, 40}, {40, 130, 50}, {45, 80, 190}};
    wr_asset_view *view = m->view;
    wr_box box = wr_mesh_bounds(view->asset->model->meshes);
    bool flat = view->asset->rig.dimension == 2;
    const wr_vec3 low = box.min, high = box.max;
    const wr_vec3 ends[3][2] = {{{low.x, low.y, high.z}, {high.x, low.y, high.z}},
                                {{low.x, low.y, high.z}, {low.x, high.y, high.z}},
                                {{high.x, low.y, low.z}, {high.x, low.y, high.z}}};
    int digits = find_extent(view) >= 1.0f ? 2 : 3;
    for (int a = 0; a < (flat ? 2 : 3); a++) {
        wr_vec2 p[2];
        float depth;
        if (!wr_camera_project(&view->camera, view->width, view->height, ends[a][0], &p[0],
                               &depth) ||
            !wr_camera_project(&view->camera, view->width, view->height, ends[a][1], &p[1],
                               &depth)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, "%c %.*f to %.*f m", 'x' + a, digits, (double)(&low.x)[a],
                 digits, (double)(&high.x)[a]);
        wri_label label = {.width = wri_text_width(text, 1) + 4, .height = WRI_TEXT_LINE};
        label.left = (int)(0.5f * (p[0].x + p[1].x)) - (a == 1 ? label.width + 4 : label.width / 2);
        label.top = (int)(0.5f * (p[0].y + p[1].y)) + (a == 1 ? 0 : 6);
        label.left = label.left < MARGIN ? MARGIN : label.left;
        wri_canvas_line(&m->canvas, p[0].x, p[0].y, p[1].x, p[1].y, 1.5f, inks[a]);
        veil(&m->canvas, &label);
        wri_canvas_text(&m->canvas, label.left + 2, label.top + WRI_TEXT_CAPITAL + 3, 1, inks[a],
                        text);
    }
}

bool wri_asset_view_mark(wr_asset_view *view, int handle, uint8_t *pixels, wr_error *error)
{
    size_t count = (size_t)view->asset->rig.handle_count;
    wri_arena arena = wri_arena_create(NULL);
    marks m = {.view = view,
               .canvas = {pixels, view->width, view->height},
               .only = handle,
               .handles = wri_arena_alloc(&arena, count, sizeof *m.handles),
               .places = wri_arena_alloc(&arena, count, sizeof *m.places),
               .radii = wri_arena_alloc(&arena, count, sizeof *m.radii),
               .labels = wri_arena_alloc(&arena, count, sizeof *m.labels)};
    bool ok = (m.handles && m.places && m.radii && m.labels) || wri_fail_memory(error, arena.total);
    if (ok) {
        find_places(&m);
        bool is_large = view->width >= LEAST_WIDTH;
        if (is_large) {
            draw_axes(&m);
        }
        draw_rings(&m);
        if (is_large) {
            draw_labels(&m);
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}
