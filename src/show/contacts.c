// contacts.c: where bodies meet and how hard, over the pictures of a recording.
//
// A recording has the normal impulses of each pair of bodies, summed over a frame, at the place of
// the strongest. Over the time of the frame that is a force: it does not depend on the rate, and
// what lies still shows its weight.
#include "show.h"

#include "../render/canvas.h"

#include <math.h>
#include <stdio.h>

enum { DECADES = 4 }; // of force that are told apart

static const wri_ink PAPER = {250, 250, 251}, DARK = {28, 30, 34};
static const float VEIL = 0.45f; // by which the picture fades

typedef struct contact {
    wr_vec3 point;
    float force; // N
} contact;

struct wri_contacts {
    int frame_count;
    int *firsts; // frame_count + 1: the first contact of each frame
    contact *all;
    int top; // decade, log10 of N, above all forces
};

// --- gathering --------------------------------------------------------------------------------

static bool count_contacts(wri_contacts *c, wr_take *take, wr_error *error)
{
    for (int i = 0; i < c->frame_count; i++) {
        const wr_frame *frame = wri_take_frame(take, i, error);
        if (!frame) {
            return false;
        }
        c->firsts[i + 1] = c->firsts[i] + frame->contact_count;
    }
    return true;
}

static bool copy_contacts(wri_contacts *c, wr_take *take, wr_error *error)
{
    const wr_record_info *info = take->info;
    float rate = (float)info->rate_numerator / (float)info->rate_denominator, most = 0.0f;
    for (int i = 0; i < c->frame_count; i++) {
        const wr_frame *frame = wri_take_frame(take, i, error);
        if (!frame) {
            return false;
        }
        for (int k = 0; k < frame->contact_count; k++) {
            const wr_record_contact *from = &frame->contacts[k];
            contact *to = &c->all[c->firsts[i] + k];
            *to = (contact){from->point, from->impulse * rate};
            most = fmaxf(most, to->force);
        }
    }
    c->top = most > 0.0f ? (int)ceilf(log10f(most)) : 0;
    return true;
}

wri_contacts *wri_contacts_gather(wr_take *take, wri_arena *arena, wr_error *error)
{
    int frames = wr_record_frame_count(take->reader);
    wri_contacts *c = wri_arena_alloc(arena, 1, sizeof *c);
    int *firsts = wri_arena_alloc(arena, (size_t)frames + 1, sizeof *firsts);
    if (!c || !firsts) {
        wri_fail_memory(error, ((size_t)frames + 1) * sizeof *firsts);
        return NULL;
    }
    *c = (wri_contacts){.frame_count = frames, .firsts = firsts};
    if (!count_contacts(c, take, error)) {
        return NULL;
    }
    size_t count = (size_t)firsts[frames];
    c->all = wri_arena_alloc(arena, count, sizeof *c->all);
    if (!c->all) {
        wri_fail_memory(error, count * sizeof *c->all);
        return NULL;
    }
    return copy_contacts(c, take, error) ? c : NULL;
}

// --- marking ----------------------------------------------------------------------------------

// Place of a force among the decades, [0, 1].
static float level_of(const wri_contacts *c, float force)
{
    float below = (float)c->top - log10f(fmaxf(force, 1e-30f));
    return wr_clampf(1.0f - below / DECADES, 0.0f, 1.0f);
}

// The white end of the ramp would not stand out from the veil.
static wr_color color_of(float level)
{
    return wr_ramp_color(0.25f + 0.75f * level);
}

// What is behind something else shows, too: contacts are mostly hidden between the bodies.
static void mark(const wri_contacts *c, const contact *met, const wr_camera *camera,
                 wri_canvas *canvas)
{
    wr_vec2 at;
    float depth, level = level_of(c, met->force), unit = (float)canvas->height / 540.0f;
    if (!(met->force > 0.0f) ||
        !wr_camera_project(camera, canvas->width, canvas->height, met->point, &at, &depth)) {
        return;
    }
    float radius = fmaxf((2.5f + 11.0f * level) * unit, 1.5f);
    wri_canvas_disc(canvas, at.x, at.y, radius + 1.0f, DARK);
    wri_canvas_disc(canvas, at.x, at.y, radius, wri_ink_from_color(color_of(level)));
}

void wri_contacts_mark(const wri_contacts *c, int first, int last, const wr_camera *camera,
                       uint8_t *pixels, int width, int height)
{
    wri_canvas canvas = {pixels, width, height};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            wri_canvas_blend(&canvas, x, y, PAPER, VEIL);
        }
    }
    first = first < 0 ? 0 : first;
    last = last < c->frame_count ? last : c->frame_count - 1;
    for (int i = first <= last ? c->firsts[first] : 0; first <= last && i < c->firsts[last + 1];
         i++) {
        mark(c, &c->all[i], camera, &canvas);
    }
}

void wri_contacts_legend(const wri_contacts *c, uint8_t *pixels, int width, int height)
{
    wri_swatch swatches[DECADES + 1];
    for (int i = 0; i <= DECADES; i++) {
        double newtons = pow(10.0, c->top - DECADES + i);
        bool is_many = newtons >= 1000.0;
        swatches[i].color = color_of((float)i / DECADES);
        snprintf(swatches[i].name, sizeof swatches[i].name, "%s %s",
                 WRI_NUMBER(is_many ? newtons / 1000.0 : newtons, 6), is_many ? "kN" : "N");
    }
    wri_draw_swatches("force:", swatches, DECADES + 1, pixels, width, height);
}
