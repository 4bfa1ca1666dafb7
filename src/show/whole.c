// whole.c: where a body is as a whole that is recorded fragment by fragment: around the fragment
// that the others are nearest to in the end. Those that fly off from it do not count.
#include "show.h"

int wri_body_owner(const wr_record_info *info, int number)
{
    int whole = info->bodies[number].fragment_of - 1;
    return whole >= 0 && whole < info->body_count ? whole : number;
}

bool wri_whole_create(wri_whole *whole, const wr_record_info *info, int body, wri_arena *arena,
                      wr_error *error)
{
    size_t n = (size_t)info->body_count;
    *whole = (wri_whole){.reach = -1.0f,
                         .parts = wri_arena_alloc(arena, n, sizeof *whole->parts),
                         .boxes = wri_arena_alloc(arena, n, sizeof *whole->boxes)};
    if (!whole->parts || !whole->boxes) {
        return wri_fail_memory(error, n * sizeof *whole->boxes);
    }
    for (int i = 0; i < info->body_count; i++) {
        if (i != body && wri_body_owner(info, i) == body) {
            whole->parts[whole->count++] = i;
        }
    }
    return true;
}

void wri_whole_read(wri_whole *whole, const wr_record_info *info, const wr_frame *frame)
{
    for (int i = 0; i < whole->count; i++) {
        int part = whole->parts[i];
        whole->boxes[i] =
            part < frame->body_count ? wri_body_bounds(info, frame, part) : WR_BOX_EMPTY;
    }
}

static float find_distance(const wri_whole *whole, int a, int b)
{
    wr_box first = whole->boxes[a], second = whole->boxes[b];
    return wr_box_is_empty(first) || wr_box_is_empty(second)
               ? 0.0f
               : wr_distance(wr_box_center(first), wr_box_center(second));
}

void wri_whole_find_core(wri_whole *whole)
{
    float least = INFINITY;
    for (int i = 0; i < whole->count; i++) {
        float sum = wr_box_is_empty(whole->boxes[i]) ? INFINITY : 0.0f;
        for (int k = 0; k < whole->count; k++) {
            sum += find_distance(whole, i, k);
        }
        whole->core = sum < least ? i : whole->core;
        least = fminf(least, sum);
    }
}

wr_box wri_whole_bounds(wri_whole *whole)
{
    wr_box near = WR_BOX_EMPTY;
    for (int i = 0; i < whole->count && whole->reach < 0.0f; i++) { // nothing is broken yet
        near = wr_box_join(near, whole->boxes[i]);
    }
    whole->reach = whole->reach < 0.0f ? 0.6f * wr_length(wr_box_size(near)) : whole->reach;
    for (int i = 0; i < whole->count && !wr_box_is_empty(whole->boxes[whole->core]); i++) {
        bool is_near = find_distance(whole, i, whole->core) <= whole->reach;
        near = is_near ? wr_box_join(near, whole->boxes[i]) : near;
    }
    return near;
}
