// sim_bent.c: what sim says of metal when it is done: what bent and how far, what hit hardest, and
// which bodies pass through themselves.
#include "cli.h"

#include "wrought/crush.h"
#include "wrought/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEARCHED = 4 }; // bodies whose triangles are searched for crossings

static const double LEAST_BEND = 1e-3; // of a body's size: what is less cannot be seen

typedef struct bent_body {
    const char *name;
    const wr_mesh *rest;
    const wr_vec3 *positions; // valid as long as the drawing
    double moved, size;       // of the vertex that went farthest; longest side at rest; metres
} bent_body;

// --- gathering --------------------------------------------------------------------------------

static bool is_metal(const wr_record_body *body)
{
    return strcmp(body->material, "metal") == 0;
}

// Who pushed a body most in a frame, -1: nobody.
static int find_striker(const wr_frame *frame, int body)
{
    const wr_record_contact *most = NULL;
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *c = &frame->contacts[i];
        bool is_of = c->body_a == body || c->body_b == body;
        most = is_of && (!most || c->impulse > most->impulse) ? c : most;
    }
    return !most ? -1 : most->body_a == body ? most->body_b : most->body_a;
}

// The hardest dent of the whole recording, who left it and when; false: it cannot be read.
static bool find_hardest(wr_record_reader *reader, wr_event *hardest, double *time, int *count,
                         wr_error *error)
{
    *count = 0;
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, error);
        if (!frame) {
            return false;
        }
        for (int k = 0; k < frame->event_count; k++) {
            const wr_event *event = &frame->events[k];
            bool is_dent = event->kind == WR_EVENT_DENT;
            if (is_dent && (*count == 0 || event->strength > hardest->strength)) {
                *hardest = *event;
                hardest->other = find_striker(frame, event->subject);
                *time = frame->time;
            }
            *count += is_dent;
        }
    }
    return true;
}

static double measure_move(const wr_mesh *rest, const wr_vec3 *positions)
{
    double farthest = 0.0;
    for (int v = 0; v < rest->vertex_count; v++) {
        farthest = fmax(farthest, (double)wr_distance(rest->positions[v], positions[v]));
    }
    return farthest;
}

static int compare_farthest(const void *a, const void *b)
{
    const bent_body *x = a, *y = b;
    return (x->moved < y->moved) - (x->moved > y->moved);
}

// Of bodies at the end of the take, the farthest first; what a fragment is counts by itself.
static void list_bent(const wr_drawing *drawing, const wr_record_body *bodies, wri_array *bent)
{
    for (int i = 0; i < drawing->count; i++) {
        const wr_render_thing *thing = &drawing->things[i];
        const wr_record_body *body = &bodies[drawing->bodies[i]];
        if (!thing->model || !thing->positions || !is_metal(body)) {
            continue;
        }
        const wr_mesh *rest = thing->model->meshes;
        wr_vec3 extent = wr_box_size(wr_mesh_bounds(rest));
        double size = fmax(extent.x, fmax(extent.y, extent.z));
        double moved = measure_move(rest, thing->positions);
        bent_body *room = moved > LEAST_BEND * size ? wri_array_add(bent, 1) : NULL;
        if (room) {
            *room = (bent_body){body->name, rest, thing->positions, moved, size};
        }
    }
    qsort(bent->items, (size_t)bent->count, sizeof(bent_body), compare_farthest);
}

// --- saying -----------------------------------------------------------------------------------

static void say_hardest(const wr_event *hardest, double time, int count,
                        const wr_record_body *bodies)
{
    const char *by = hardest->other >= 0 ? bodies[hardest->other].name : NULL;
    cli_say("  hit hardest  \"%s\"%s%s%s at %.2f s, %.2g m/s above its yield; %d %s in all",
            bodies[hardest->subject].name, by ? " by \"" : "", by ? by : "", by ? "\"" : "", time,
            (double)hardest->strength, count, wri_plural(count, "dent", "dents"));
}

// What is bent through itself looks like a fault: of the bodies that bent farthest.
static void say_crossings(const wri_array *bent)
{
    for (int i = 0; i < bent->count && i < MOST_SEARCHED; i++) {
        const bent_body *b = &WRI_ITEM(*bent, bent_body, i);
        wr_crush_report report = {0};
        bool known =
            wr_crush_measure(b->rest, b->positions, NULL, wr_v3(0.0f, -1.0f, 0.0f), &report, NULL);
        if (known && report.crossing > 0) {
            cli_say("  through itself  \"%s\": %d of its %d triangles (%.2g %%); less \"bend\" "
                    "keeps them apart",
                    b->name, report.crossing, report.triangles, 100.0 * report.crossing_share);
        }
    }
}

static void say_bent(const wri_array *bent, int metal_count)
{
    char length[32];
    const bent_body *first = &WRI_ITEM(*bent, bent_body, 0);
    cli_say("  bent         %d of %d %s of metal; farthest \"%s\", by up to %s, %.2g %% of its "
            "size",
            bent->count, metal_count, wri_plural(metal_count, "body", "bodies"), first->name,
            wri_length_text(length, first->moved), 100.0 * first->moved / first->size);
}

static bool say(wr_take *take, const char *scene, wr_error *error)
{
    wr_record_reader *reader = wr_take_reader(take);
    int body_count, metal_count = 0, dent_count;
    wr_event hardest = {0};
    double time = 0.0;
    wr_drawing drawing;
    if (!find_hardest(reader, &hardest, &time, &dent_count, error) ||
        !wr_take_read(take, wr_record_frame_count(reader) - 1, WR_PAINT_LOOKS, &drawing, error)) {
        return false;
    }
    const wr_record_body *bodies = wr_record_bodies(reader, &body_count);
    for (int i = 0; i < body_count; i++) {
        metal_count += is_metal(&bodies[i]);
    }
    wri_array bent = wri_array_create(NULL, sizeof(bent_body));
    list_bent(&drawing, bodies, &bent);
    if (bent.count > 0) {
        say_bent(&bent, metal_count);
    } else if (metal_count > 0) {
        cli_say("  bent         nothing%s; \"wrought tune %s\" proposes values",
                dent_count ? " that could be seen" : ": no hit was above a yield", scene);
    }
    if (dent_count > 0) {
        say_hardest(&hardest, time, dent_count, bodies);
    }
    say_crossings(&bent);
    wri_array_destroy(&bent);
    return true;
}

void cli_say_what_bent(const char *path, const wr_scene *scene, const char *scene_path)
{
    bool any = false;
    for (int i = 0; i < scene->body_count; i++) {
        const wr_material *material = scene->bodies[i].material;
        any = any || (material && strcmp(material->name, "metal") == 0);
    }
    wr_error error = {0};
    wr_take *take = any ? wr_take_open(path, &error) : NULL;
    if (any && (!take || !say(take, scene_path, &error))) {
        cli_note("%s", error.message); // only a report: the recording is what counts
    }
    wr_take_close(take);
}
