// info_mesh.c: what was found in a mesh, in words and as JSON.
#include "cli.h"

#include "../src/file/json.h"

#include <math.h>
#include <stdio.h>

void cli_print_box(const char *name, wr_box box)
{
    const float numbers[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    double size = (double)wr_length(wr_box_size(box));
    printf("  %-20s", name);
    for (int i = 0; i < 6; i++) { // what a turn by a quarter leaves of nothing is nothing
        bool is_rounding = fabs((double)numbers[i]) < 1e-9 * size;
        printf("%s %s", i == 3 ? " to" : "", is_rounding ? "0" : WRI_NUMBER(numbers[i], 6));
    }
    printf(" m\n");
}

typedef struct line {
    const char *key;   // in JSON
    const char *words; // in text
    int64_t count;
    bool is_fault; // text shows it only when it is there
} line;

enum { LINES = 16 };

static void list_lines(const wr_mesh_report *r, line out[LINES])
{
    const line list[LINES] = {
        {"shells", "shells", r->shells, false},
        {"closed_shells", "closed shells", r->closed_shells, false},
        {"seam_vertices", "split at seams", r->seam_vertices, false},
        {"duplicate_vertices", "duplicate vertices", r->duplicate_vertices, true},
        {"unused_vertices", "unused vertices", r->unused_vertices, true},
        {"degenerate_triangles", "degenerate triangles", r->degenerate_triangles, true},
        {"duplicate_triangles", "duplicate triangles", r->duplicate_triangles, true},
        {"back_to_back_triangles", "back-to-back", r->back_to_back_triangles, true},
        {"inverted_shells", "inverted shells", r->inverted_shells, true},
        {"unorientable_shells", "shells without sides", r->unorientable_shells, true},
        {"inconsistent_edges", "edges between sides", r->inconsistent_edges, true},
        {"non_manifold_edges", "edges of 3 or more", r->non_manifold_edges, true},
        {"boundary_edges", "open edges", r->boundary_edges, true},
        {"holes", "holes", r->holes, true},
        {"largest_hole_edges", "largest hole, edges", r->largest_hole_edges, true},
        {"self_intersections", "crossing pairs", r->self_intersections, true}, // last
    };
    memcpy(out, list, sizeof list);
}

static void write_json(const wr_mesh_report *r, wri_json_writer *writer, const char *key)
{
    line lines[LINES];
    list_lines(r, lines);
    wri_json_begin_object(writer, key);
    wri_json_write_int(writer, "vertices", r->vertices);
    wri_json_write_int(writer, "triangles", r->triangles);
    for (int i = 0; i < LINES; i++) {
        wri_json_write_int(writer, lines[i].key, lines[i].count);
    }
    wri_json_write_bool(writer, "self_intersections_complete", r->self_intersections_complete);
    wri_json_write_number(writer, "largest_hole_length", r->largest_hole_length);
    wri_json_write_number(writer, "area", r->area);
    wri_json_write_number(writer, "volume", r->volume);
    wri_json_write_bool(writer, "bounds_solid", r->is_sound);
    wri_json_end_object(writer);
}

void cli_print_mesh_report(const wr_mesh_report *r, wri_json_writer *writer, const char *key)
{
    if (writer) {
        write_json(r, writer, key);
        return;
    }
    line lines[LINES];
    list_lines(r, lines);
    for (int i = 0; i < LINES; i++) {
        bool at_least = i == LINES - 1 && !r->self_intersections_complete;
        if (!lines[i].is_fault || lines[i].count > 0 || at_least) {
            printf("  %-20s %s%lld\n", lines[i].words, at_least ? "at least " : "",
                   (long long)lines[i].count);
        }
    }
    if (r->holes > 0) {
        printf("  %-20s %s m\n", "largest hole, length", WRI_NUMBER(r->largest_hole_length, 6));
    }
    printf("  %-20s %s\n", "bounds a solid",
           r->is_sound ? "yes" : "no, which rig, sim and render do not need");
}
