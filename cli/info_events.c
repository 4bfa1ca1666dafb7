// info_events.c: dents, breaks and entries of a recording, with time, place and strength: what a
// sound designer needs.
#include "cli.h"

#include "../src/file/json.h"

#include <stdio.h>

static bool is_told(const wr_event *event)
{
    return event->kind == WR_EVENT_DENT || event->kind == WR_EVENT_FRACTURE ||
           event->kind == WR_EVENT_AGAIN;
}

bool cli_events_note(wri_array *list, const wr_frame *frame)
{
    for (int i = 0; i < frame->event_count; i++) {
        cli_event *event = is_told(&frame->events[i]) ? wri_array_add(list, 1) : NULL;
        if (!event && is_told(&frame->events[i])) {
            return false;
        }
        if (event) {
            *event = (cli_event){frame->time, frame->events[i]};
        }
    }
    return true;
}

static void write_event(const cli_event *e, const wr_record_body *bodies, wri_json_writer *json)
{
    const wr_event *event = &e->event;
    wri_json_begin_object(json, NULL);
    wri_json_write_float(json, "time", (float)e->time);
    wri_json_write_string(json, "kind",
                          event->kind == WR_EVENT_DENT       ? "dent"
                          : event->kind == WR_EVENT_FRACTURE ? "break"
                                                             : "again");
    wri_json_write_string(json, "body", bodies[event->subject].name);
    if (event->other >= 0) {
        wri_json_write_string(json, "from", bodies[event->other].name);
    }
    wri_json_begin_array(json, "at");
    for (int k = 0; k < 3; k++) {
        wri_json_write_float(json, NULL, (&event->point.x)[k]);
    }
    wri_json_end_array(json);
    wri_json_write_float(json, "strength", event->strength);
    wri_json_end_object(json);
}

// How many there are of a kind, and the strongest.
static void say_kind(const wri_array *list, wr_event_kind kind, const char *word,
                     const wr_record_body *bodies)
{
    const cli_event *strongest = NULL;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const cli_event *e = &WRI_ITEM(*list, cli_event, i);
        if (e->event.kind == kind) {
            count++;
            strongest = !strongest || e->event.strength > strongest->event.strength ? e : strongest;
        }
    }
    if (strongest) {
        printf("  %-20s %d, the strongest %.3g m/s: \"%s\" at %.3g s\n", word, count,
               (double)strongest->event.strength, bodies[strongest->event.subject].name,
               strongest->time);
    }
}

void cli_events_print(const wri_array *list, const wr_record_body *bodies, wri_json_writer *json)
{
    if (list->count == 0) {
        return;
    }
    if (!json) {
        say_kind(list, WR_EVENT_DENT, "dents", bodies);
        say_kind(list, WR_EVENT_FRACTURE, "breaks", bodies);
        say_kind(list, WR_EVENT_AGAIN, "came in again", bodies);
        return;
    }
    wri_json_begin_array(json, "events");
    for (int i = 0; i < list->count; i++) {
        write_event(&WRI_ITEM(*list, cli_event, i), bodies, json);
    }
    wri_json_end_array(json);
}
