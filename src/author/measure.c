// measure.c: what the examples of an asset do, as the run time will show them.
#include "wrought/recipe.h"

#include "../base/base.h"

typedef struct gauge {
    const wr_asset *asset;
    const wr_tasks *tasks;
    wri_arena arena;
    wr_skin *skin;
    float *E;
    wr_mat34 *transforms;
    wr_vec3 *x, *shown;
} gauge;

static int count_inverted(const wr_rig *rig, const wr_vec3 *x)
{
    int count = 0;
    for (int i = 0; i < rig->element_count; i++) {
        const int *t = &rig->elements[(size_t)i * (size_t)(rig->dimension + 1)];
        wr_vec3 n = wr_cross(wr_sub(x[t[1]], x[t[0]]), wr_sub(x[t[2]], x[t[0]]));
        float volume = rig->dimension == 2 ? n.z : wr_dot(n, wr_sub(x[t[3]], x[t[0]]));
        count += volume <= 0.0f;
    }
    return count;
}

// Returns how far the pins come apart, at most.
static double pin_gap(const wr_asset *asset, const wr_vec3 *x)
{
    double largest = 0.0;
    for (int i = 0; i < asset->pin_count; i++) {
        const wr_pin *pin = &asset->pins[i];
        wr_vec3 p = x[pin->particle];
        for (int k = 0; k < 3; k++) {
            p = wr_add_scaled(p, -pin->weights[k], x[pin->corners[k]]);
        }
        double gap = (double)wr_length(p);
        largest = gap > largest ? gap : largest;
    }
    return largest;
}

// The largest move of a render vertex with one example at a weight everywhere.
static double largest_move(gauge *g, int example, float weight)
{
    const wr_rig *rig = &g->asset->rig;
    const wr_vec3 *rest = g->asset->model->meshes->positions;
    int examples = rig->example_count;
    for (int i = 0; i < rig->vertex_count; i++) {
        float *row = &g->E[(size_t)i * (size_t)examples];
        memset(row, 0, (size_t)examples * sizeof *row);
        row[0] = 1.0f - weight;
        row[example] = weight;
    }
    if (rig->dimension == 2) { // sprites are blended as a whole, and stretch
        wr_skin_blend(g->skin, g->E, g->tasks, g->transforms, g->x);
    } else {
        wr_skin_positions(g->skin, g->E, NULL, 0, g->tasks, g->x);
    }
    wr_skin_ride_positions(g->skin, g->E, g->x, NULL, 0, g->tasks, g->shown);
    double largest = 0.0;
    for (int i = 0; i < rig->ride_count; i++) {
        double d = (double)wr_distance(g->shown[i], rest[i]);
        largest = d > largest ? d : largest;
    }
    return largest;
}

bool wr_asset_measure(const wr_asset *asset, const wr_tasks *tasks, wr_example_report *reports,
                      wr_error *error)
{
    if (!WRI_REQUIRE(error, asset, reports)) {
        return false;
    }
    const wr_rig *rig = &asset->rig;
    size_t n = (size_t)rig->vertex_count, examples = (size_t)rig->example_count;
    const wr_skin_desc desc = wr_skin_desc_default();
    gauge g = {.asset = asset, .tasks = tasks, .arena = wri_arena_create(NULL)};
    g.skin = wr_skin_create(rig, &desc, error);
    g.E = wri_arena_alloc(&g.arena, n * examples, sizeof *g.E);
    g.transforms = wri_arena_alloc(&g.arena, (size_t)rig->handle_count, sizeof *g.transforms);
    g.x = wri_arena_alloc(&g.arena, n, sizeof *g.x);
    g.shown = wri_arena_alloc(&g.arena, (size_t)rig->ride_count, sizeof *g.shown);
    bool ok = g.skin &&
              ((g.E && g.transforms && g.x && g.shown) || wri_fail_memory(error, n * sizeof *g.x));
    for (int e = 1; ok && e < rig->example_count; e++) {
        wr_example_report *report = &reports[e - 1];
        report->name = rig->examples[e].name;
        report->half_move = largest_move(&g, e, 0.5f);
        report->largest_move = largest_move(&g, e, 1.0f);
        report->inverted = count_inverted(rig, g.x);
        report->pin_gap = pin_gap(asset, g.x);
    }
    wr_skin_destroy(g.skin);
    wri_arena_destroy(&g.arena);
    return ok;
}
