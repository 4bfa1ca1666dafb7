// sim_bent.c: what sim says of metal when it is done: what bent and how far, what broke, what hit
// hardest, and which bodies pass through themselves.
#include "cli.h"

#include "wrought/crush.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SEARCHED = 4 }; // bodies whose triangles are searched for crossings

static const double LEAST_BEND = 1e-3; // of a body's size: what is less cannot be seen

// --- gathering --------------------------------------------------------------------------------

static bool is_metal(const wr_record_body *body)
{
    return strcmp(body->material, "metal") == 0;
}

// Counts a body the first time.
static void count_whole(cli_wholes *wholes, int whole)
{
    if (!wholes->is_counted[whole]) {
        wholes->is_counted[whole] = true;
        wholes->count++;
    }
}

// Counts an event; returns whether it is the hardest of its kind so far.
static bool count_event(cli_hits *hits, const wr_event *event, double time)
{
    bool is_hardest = hits->count++ == 0 || event->strength > hits->hardest.strength;
    if (is_hardest) {
        hits->hardest = *event;
        hits->time = time;
    }
    return is_hardest;
}

// The dents and breaks of the whole recording; false: it cannot be read.
static bool find_hits(cli_bent *bent, wr_record_reader *reader, wr_error *error)
{
    for (int i = 0; i < wr_record_frame_count(reader); i++) {
        const wr_frame *frame = wr_record_read_frame(reader, i, error);
        if (!frame) {
            return false;
        }
        int body_count;
        const wr_record_body *bodies = wr_record_bodies(reader, &body_count);
        for (int k = 0; k < frame->event_count; k++) {
            const wr_event *event = &frame->events[k];
            if (event->kind == WR_EVENT_DENT && count_event(&bent->dents, event, frame->time)) {
                bent->dents.striker = cli_striker_find(frame, bodies, event);
            } else if (event->kind == WR_EVENT_FRACTURE) {
                count_event(&bent->breaks, event, frame->time);
                count_whole(&bent->broken, cli_whole_of(bodies, event->subject));
            }
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
    const cli_bent_body *x = a, *y = b;
    return (x->moved < y->moved) - (x->moved > y->moved);
}

// Bodies and fragments that are bent at the end of the take, the farthest first. The fragments of a
// body count once.
static void list_bent(cli_bent *bent, const wr_drawing *drawing)
{
    for (int i = 0; i < drawing->count; i++) {
        const wr_render_thing *thing = &drawing->things[i];
        int number = drawing->bodies[i];
        const wr_record_body *body = &bent->bodies[number];
        if (!thing->model || !thing->positions || !is_metal(body)) {
            continue;
        }
        const wr_mesh *rest = thing->model->meshes;
        wr_vec3 extent = wr_box_size(wr_mesh_bounds(rest));
        double size = fmax(extent.x, fmax(extent.y, extent.z));
        double moved = measure_move(rest, thing->positions);
        cli_bent_body *room = moved > LEAST_BEND * size ? wri_array_add(&bent->list, 1) : NULL;
        if (room) {
            *room = (cli_bent_body){.name = body->name,
                                    .rest = rest,
                                    .positions = thing->positions,
                                    .moved = moved,
                                    .size = size};
            count_whole(&bent->bent, cli_whole_of(bent->bodies, number));
        }
    }
    qsort(bent->list.items, (size_t)bent->list.count, sizeof(cli_bent_body), compare_farthest);
}

// What is bent through itself looks like a fault: of the bodies that bent farthest.
static void find_crossings(cli_bent *bent)
{
    for (int i = 0; i < bent->list.count && i < MOST_SEARCHED; i++) {
        cli_bent_body *b = &WRI_ITEM(bent->list, cli_bent_body, i);
        wr_crush_report report = {0};
        if (wr_crush_measure(b->rest, b->positions, NULL, wr_v3(0.0f, -1.0f, 0.0f), &report,
                             NULL)) {
            b->crossing = report.crossing;
            b->triangles = report.triangles;
        }
    }
}

static bool find(cli_bent *bent, wr_error *error)
{
    wr_record_reader *reader = wr_take_reader(bent->take);
    wr_drawing drawing;
    int body_count = wr_record_about(reader)->body_count; // none of metal is born later
    bent->bent.is_counted = wri_arena_alloc(&bent->arena, (size_t)body_count, sizeof(bool));
    bent->broken.is_counted = wri_arena_alloc(&bent->arena, (size_t)body_count, sizeof(bool));
    if (!bent->bent.is_counted || !bent->broken.is_counted) {
        return wri_fail_memory(error, (size_t)body_count);
    }
    if (!find_hits(bent, reader, error) ||
        !wr_take_read(bent->take, wr_record_frame_count(reader) - 1, WR_PAINT_LOOKS, &drawing,
                      error)) {
        return false;
    }
    bent->bodies = wr_record_bodies(reader, &body_count);
    list_bent(bent, &drawing);
    find_crossings(bent);
    return true;
}

cli_bent cli_bent_find(const char *path, const wr_scene *scene)
{
    cli_bent bent = {.list = wri_array_create(NULL, sizeof(cli_bent_body)),
                     .arena = wri_arena_create(NULL)};
    for (int i = 0; i < scene->body_count; i++) {
        const wr_material *material = scene->bodies[i].material;
        bent.metal_count += material && strcmp(material->name, "metal") == 0;
    }
    if (bent.metal_count == 0) {
        return bent;
    }
    wr_error error = {0};
    bent.take = wr_take_open(path, &error);
    bent.is_known = bent.take && find(&bent, &error);
    if (!bent.is_known) {
        cli_note("%s", error.message); // only a report: the recording is what counts
    }
    return bent;
}

void cli_bent_end(cli_bent *bent)
{
    wri_array_destroy(&bent->list);
    wri_arena_destroy(&bent->arena);
    wr_take_close(bent->take);
}

// --- saying -----------------------------------------------------------------------------------

static void say_hardest(const cli_bent *bent)
{
    const wr_event *hardest = &bent->dents.hardest;
    const cli_striker *striker = &bent->dents.striker;
    const char *by = striker->body >= 0 ? bent->bodies[striker->body].name : NULL;
    char hit[CLI_HIT_ROOM];
    cli_say("  hit hardest  \"%s\"%s%s%s at %.2f s, %s; %d %s in all",
            bent->bodies[hardest->subject].name, by ? " by \"" : "", by ? by : "", by ? "\"" : "",
            bent->dents.time, cli_hit_text(hit, hardest, striker), bent->dents.count,
            wri_plural(bent->dents.count, "dent", "dents"));
}

static void say_farthest(const cli_bent *bent)
{
    char length[32];
    const cli_bent_body *first = &WRI_ITEM(bent->list, cli_bent_body, 0);
    cli_say("  bent         %d of %d %s of metal; farthest \"%s\", by up to %s, %s %% of its "
            "size",
            bent->bent.count, bent->metal_count, wri_plural(bent->metal_count, "body", "bodies"),
            first->name, wri_length_text(length, first->moved),
            WRI_NUMBER(100.0 * first->moved / first->size, 2));
}

static void say_broken(const cli_bent *bent)
{
    const wr_event *hardest = &bent->breaks.hardest;
    char load[CLI_HIT_ROOM];
    cli_say("  broke        %d of %d %s of metal, at %d %s; hardest \"%s\" from \"%s\" at %.2f s, "
            "by a load of %s",
            bent->broken.count, bent->metal_count, wri_plural(bent->metal_count, "body", "bodies"),
            bent->breaks.count, wri_plural(bent->breaks.count, "bond", "bonds"),
            bent->bodies[hardest->subject].name, bent->bodies[hardest->other].name,
            bent->breaks.time, cli_hit_text(load, hardest, &(cli_striker){.body = -1}));
}

void cli_bent_say(const cli_bent *bent, const char *scene)
{
    if (!bent->is_known) {
        return;
    }
    if (bent->list.count > 0) {
        say_farthest(bent);
    } else {
        wri_arena arena = wri_arena_create(NULL);
        cli_say("  bent         nothing%s; \"wrought tune %s\" proposes values",
                bent->dents.count ? " that could be seen" : ": no hit was above a yield",
                cli_quote(&arena, scene));
        wri_arena_destroy(&arena);
    }
    if (bent->breaks.count > 0) {
        say_broken(bent);
    }
    if (bent->dents.count > 0) {
        say_hardest(bent);
    }
    for (int i = 0; i < bent->list.count; i++) {
        const cli_bent_body *b = &WRI_ITEM(bent->list, cli_bent_body, i);
        if (b->crossing > 0) {
            cli_say("  through itself  \"%s\": %d of its %d triangles (%s %%); less \"bend\" "
                    "keeps them apart",
                    b->name, b->crossing, b->triangles,
                    WRI_NUMBER(100.0 * b->crossing / b->triangles, 2));
        }
    }
}

// --- JSON -------------------------------------------------------------------------------------

// other: index of the other body and what it is called; it is left out where there is none.
static void write_hits(const cli_bent *bent, wri_json_writer *w, const cli_hits *hits,
                       const char *key, int other, const char *other_key, const char *strength_key)
{
    const wr_event *hardest = &hits->hardest;
    if (hits->count == 0) {
        return;
    }
    wri_json_begin_object(w, key);
    wri_json_write_string(w, "body", bent->bodies[hardest->subject].name);
    if (other >= 0) {
        wri_json_write_string(w, other_key, bent->bodies[other].name);
    }
    wri_json_write_number(w, "at_seconds", hits->time);
    if (hits->striker.impulse > 0.0) {
        wri_json_write_number(w, "newton_seconds", hits->striker.impulse);
    }
    wri_json_write_number(w, strength_key, (double)hardest->strength);
    wri_json_end_object(w);
}

void cli_bent_write(const cli_bent *bent, wri_json_writer *w)
{
    if (!bent->is_known) {
        return;
    }
    wri_json_begin_object(w, "metal");
    wri_json_write_int(w, "bodies", bent->metal_count);
    wri_json_write_int(w, "dents", bent->dents.count);
    write_hits(bent, w, &bent->dents, "hardest", bent->dents.striker.body, "by",
               "metres_per_second_above_yield");
    wri_json_write_int(w, "broken", bent->broken.count);
    wri_json_write_int(w, "breaks", bent->breaks.count);
    write_hits(bent, w, &bent->breaks, "hardest_break", bent->breaks.hardest.other, "from",
               "metres_per_second");
    wri_json_begin_array(w, "bent");
    for (int i = 0; i < bent->list.count; i++) {
        const cli_bent_body *b = &WRI_ITEM(bent->list, cli_bent_body, i);
        wri_json_begin_object(w, NULL);
        wri_json_write_string(w, "body", b->name);
        wri_json_write_number(w, "metres", b->moved);
        wri_json_write_number(w, "share_of_size", b->moved / b->size);
        if (b->triangles > 0) {
            wri_json_write_int(w, "triangles", b->triangles);
            wri_json_write_int(w, "crossing", b->crossing);
        }
        wri_json_end_object(w);
    }
    wri_json_end_array(w);
    wri_json_end_object(w);
}
