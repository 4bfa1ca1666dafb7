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

bool cli_events_note(wri_array *list, const wr_frame *frame, const wr_record_body *bodies)
{
    for (int i = 0; i < frame->event_count; i++) {
        const wr_event *told = is_told(&frame->events[i]) ? &frame->events[i] : NULL;
        cli_event *event = told ? wri_array_add(list, 1) : NULL;
        if (told && !event) {
            return false;
        }
        if (event) {
            *event = (cli_event){frame->time, *told, {.body = -1}};
        }
        if (event && told->kind == WR_EVENT_DENT) {
            event->striker = cli_striker_find(frame, bodies, told);
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
    if (e->striker.body >= 0) {
        wri_json_write_string(json, "by", bodies[e->striker.body].name);
        wri_json_write_number(json, "impulse", e->striker.impulse);
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
    if (!strongest) {
        return;
    }
    const cli_striker *striker = &strongest->striker;
    const char *by = striker->body >= 0 ? bodies[striker->body].name : NULL;
    char hit[CLI_HIT_ROOM];
    if (kind == WR_EVENT_AGAIN) {
        snprintf(hit, sizeof hit, "%s m/s", WRI_NUMBER(strongest->event.strength, 3));
    } else {
        cli_hit_text(hit, &strongest->event, striker);
    }
    cli_say("  %-20s %d, the strongest \"%s\"%s%s%s at %.2f s, %s", word, count,
            bodies[strongest->event.subject].name, by ? " by \"" : "", by ? by : "", by ? "\"" : "",
            strongest->time, hit);
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
