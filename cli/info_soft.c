// info_soft.c: which surfaces of changing topology and which particles a recording has.
#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>

enum { MOST = 1000 }; // that are told

// NULL: out of memory. What is beyond those that are told goes to a common place.
static cli_soft_item *find_item(cli_soft *soft, const cli_soft_item *like)
{
    for (int i = 0; i < soft->items.count; i++) {
        cli_soft_item *item = &WRI_ITEM(soft->items, cli_soft_item, i);
        if (item->body == like->body && item->surface == like->surface) {
            return item;
        }
    }
    if (soft->items.count == MOST) {
        soft->is_cut = true;
        soft->other = *like;
        return &soft->other;
    }
    cli_soft_item *item = wri_array_add(&soft->items, 1);
    if (item) {
        *item = *like;
    }
    return item;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static bool copy_text(cli_soft *soft, const char **text)
{
    *text = wri_arena_text(&soft->arena, *text, strlen(*text));
    return *text != NULL;
}

static bool note_surface(cli_soft *soft, const wr_record_surface *s, int frame)
{
    const cli_soft_item fresh = {.body = s->body, .surface = s->number, .first = frame, .last = -1};
    cli_soft_item *item = find_item(soft, &fresh);
    if (!item) {
        return false;
    }
    bool is_new = item->last < 0, goes_on = item->last == frame - 1;
    item->topologies += is_new || !goes_on || item->topology != s->topology;
    item->topology = s->topology;
    item->last = frame;
    item->vertices = larger(item->vertices, s->vertex_count);
    item->triangles = larger(item->triangles, s->triangle_count);
    if (is_new) {
        item->name = s->name;
        return copy_text(soft, &item->name);
    }
    return true;
}

static bool note_particles(cli_soft *soft, const wr_record_particles *p, int frame)
{
    const cli_soft_item fresh = {.body = p->body, .surface = -1, .first = frame, .name = ""};
    cli_soft_item *item = find_item(soft, &fresh);
    if (item) {
        item->last = frame;
        item->vertices = larger(item->vertices, p->count);
        item->has_ids = item->has_ids || p->ids;
        item->view = p->view;
    }
    return item != NULL;
}

bool cli_soft_note(cli_soft *soft, const wr_frame *frame)
{
    bool ok = true;
    for (int i = 0; ok && i < frame->surface_count; i++) {
        ok = note_surface(soft, &frame->surfaces[i], frame->index);
    }
    for (int i = 0; ok && i < frame->particles_count; i++) {
        ok = note_particles(soft, &frame->particles[i], frame->index);
    }
    return ok;
}

static const char *view_word(wr_particle_view view)
{
    return view == WR_PARTICLES_SPHERES ? "spheres" : "surface";
}

static void write_item(struct wri_json_writer *w, const cli_soft_item *item, const char *body)
{
    wri_json_begin_object(w, NULL);
    wri_json_write_string(w, "body", body);
    if (item->surface >= 0) {
        wri_json_write_int(w, "number", item->surface);
        wri_json_write_string(w, "name", item->name);
    }
    wri_json_write_int(w, "first_frame", item->first);
    wri_json_write_int(w, "last_frame", item->last);
    if (item->surface >= 0) {
        wri_json_write_int(w, "topologies", item->topologies);
        wri_json_write_int(w, "vertices", item->vertices);
        wri_json_write_int(w, "triangles", item->triangles);
    } else {
        wri_json_write_int(w, "most", item->vertices);
        wri_json_write_bool(w, "ids", item->has_ids);
        wri_json_write_string(w, "view", view_word(item->view));
    }
    wri_json_end_object(w);
}

static void print_item(const cli_soft_item *item, const char *body)
{
    if (item->surface >= 0) {
        cli_say("  %-20s \"%s\" %d \"%s\", frames %d to %d, %d %s, at most %d vertices and %d "
                "triangles",
                "surface", body, item->surface, item->name, item->first, item->last,
                item->topologies, wri_plural(item->topologies, "topology", "topologies"),
                item->vertices, item->triangles);
    } else {
        cli_say("  %-20s \"%s\", frames %d to %d, at most %d, %s, shown as %s", "particles", body,
                item->first, item->last, item->vertices, item->has_ids ? "with ids" : "without ids",
                view_word(item->view));
    }
}

void cli_soft_print(const cli_soft *soft, const wr_record_body *bodies,
                    struct wri_json_writer *writer)
{
    for (int pass = 0; pass < 2; pass++) {
        if (writer) {
            wri_json_begin_array(writer, pass == 0 ? "surfaces" : "particles");
        }
        for (int i = 0; i < soft->items.count; i++) {
            const cli_soft_item *item = &WRI_ITEM(soft->items, cli_soft_item, i);
            if ((item->surface >= 0) != (pass == 0)) {
                continue;
            }
            if (writer) {
                write_item(writer, item, bodies[item->body].name);
            } else {
                print_item(item, bodies[item->body].name);
            }
        }
        if (writer) {
            wri_json_end_array(writer);
        }
    }
    if (soft->is_cut && !writer) {
        printf("  %-20s only the first %d are told\n", "surfaces", MOST);
    }
}

void cli_soft_destroy(cli_soft *soft)
{
    wri_array_destroy(&soft->items);
    wri_arena_destroy(&soft->arena);
}
