// build_places.c: where the handles are that an artist placed, in numbers, in words, at a node of
// the file or mirrored; and which objects of a file are meant.
//
// Words name a point of the model's box: "front left top" is a corner, "left" the middle of a side.
// The handle stands on the nearest point of the surface. Front, left and up are those of a crush.
#include "build.h"

#include "../geometry/winding.h"

#define SAME_DEPTH 0.02 // of the size: how differently deep a handle and its mirror image may lie

typedef struct place_frame {
    wr_vec3 middle, half; // of the box
    wr_vec3 ahead, left, up;
} place_frame;

static place_frame find_frame(const wr_mesh *mesh)
{
    wr_box box = wr_mesh_bounds(mesh);
    place_frame f = {.middle = wr_scale(0.5f, wr_add(box.min, box.max)),
                     .half = wr_scale(0.5f, wr_sub(box.max, box.min)),
                     .up = {0, 1, 0}};
    wr_crush_desc desc = wr_crush_desc_default();
    wr_crush_desc_set_place(&desc, WR_CRUSH_REAR, box); // presses towards the front
    f.ahead = desc.direction;
    f.left = wr_cross(f.up, f.ahead);
    return f;
}

// The point of the surface that is nearest; its distance.
static double find_nearest(const wr_mesh *mesh, wr_vec3 point, wr_vec3 *nearest)
{
    const double p[3] = {point.x, point.y, point.z};
    double least = INFINITY;
    for (int i = 0; i < mesh->triangle_count; i++) {
        double corners[3][3], q[3], d2 = 0.0;
        for (int k = 0; k < 3; k++) {
            wr_vec3 c = mesh->positions[mesh->triangles[3 * (size_t)i + (size_t)k]];
            corners[k][0] = c.x, corners[k][1] = c.y, corners[k][2] = c.z;
        }
        wri_triangle_nearest(p, (const double(*)[3])corners, q);
        for (int k = 0; k < 3; k++) {
            d2 += (q[k] - p[k]) * (q[k] - p[k]);
        }
        if (d2 < least) {
            least = d2;
            *nearest = wr_v3((float)q[0], (float)q[1], (float)q[2]);
        }
    }
    return sqrt(least);
}

static wr_vec3 find_way(const wr_mesh *mesh, const int way[3])
{
    const place_frame f = find_frame(mesh);
    wr_vec3 d = wr_add_scaled(wr_scale((float)way[0], f.ahead), (float)way[1], f.left);
    d = wr_add_scaled(d, (float)way[2], f.up);
    wr_vec3 out = wr_add(f.middle, wr_v3(d.x * f.half.x, d.y * f.half.y, d.z * f.half.z));
    (void)find_nearest(mesh, out, &out);
    return out;
}

int wri_find_handle_in_words(const wri_builder *b, const char *words)
{
    int way[3], nearest = -1;
    if (b->layer_count > 0 || !wri_spot_read_words(words, way)) {
        return -1;
    }
    const wr_rig *rig = &b->asset->rig;
    wr_vec3 at = find_way(b->asset->model->meshes, way);
    for (int i = 0; i < rig->handle_count; i++) {
        if (nearest < 0 ||
            wr_distance(rig->handles[i].pivot, at) < wr_distance(rig->handles[nearest].pivot, at)) {
            nearest = i;
        }
    }
    return nearest;
}

// --- nodes ------------------------------------------------------------------------------------

static bool find_node(wri_builder *b, const raw_place *place, wr_vec3 *at, wr_error *why)
{
    const wr_model *model = b->source;
    size_t count = (size_t)model->node_count;
    const char **names = wri_arena_alloc(&b->arena, count, sizeof *names);
    wr_mat34 *world = wri_arena_alloc(&b->arena, count, sizeof *world);
    float *weights =
        wri_arena_alloc(&b->arena, (size_t)wr_model_weight_count(model), sizeof *weights);
    if (!names || !world || !weights) {
        return wri_fail_memory(why, count * sizeof *world);
    }
    wr_model_pose(model, NULL, 0.0, world, weights);
    for (int i = 0; i < model->node_count; i++) {
        names[i] = model->nodes[i].name;
        if (names[i] && strcmp(names[i], place->node) == 0) {
            *at = wr_v3(world[i].m[0][3], world[i].m[1][3], world[i].m[2][3]);
            return true;
        }
    }
    char text[120];
    return wri_fail(why, WR_E_FORMAT, "the model has no node \"%.80s\"%s", place->node,
                    wri_suggest_word(text, sizeof text, place->node, names, model->node_count));
}

// --- mirrored ---------------------------------------------------------------------------------

// As deep below the surface, or as far outside, as what it mirrors: else the model is another one
// there.
static bool mirror(const wri_builder *b, const char *name, wr_vec3 of, wr_vec3 *at, wr_error *why)
{
    const wr_mesh *mesh = b->asset->model->meshes;
    const place_frame f = find_frame(mesh);
    float side = wr_dot(wr_sub(of, f.middle), f.left);
    wr_vec3 nearest;
    char gap[32];
    *at = wr_add_scaled(of, -2.0f * side, f.left);
    double off = fabs(find_nearest(mesh, *at, &nearest) - find_nearest(mesh, of, &nearest));
    return off <= SAME_DEPTH * 2.0 * (double)wr_length(f.half) ||
           wri_fail(why, WR_E_FORMAT,
                    "the model is not symmetric at \"%.100s\": mirrored, it would be %s further "
                    "from the surface or nearer to it",
                    name, wri_length_text(gap, off));
}

bool wri_find_spots(wri_builder *b, wr_vec3 *spots, wr_error *why)
{
    const wr_recipe *r = b->recipe;
    for (int i = 0; i < r->place_count; i++) {
        const raw_place *place = &r->places[i];
        bool ok = true;
        spots[i] = place->at.at;
        if (place->is_mirrored) {
            ok = mirror(b, r->places[i - 1].name, spots[i - 1], &spots[i], why);
        } else if (place->node) {
            ok = find_node(b, place, &spots[i], why);
        } else if (place->at.is_named) {
            spots[i] = find_way(b->asset->model->meshes, place->at.way);
        }
        if (!ok) {
            b->at_handle = place->json;
            return false;
        }
    }
    return true;
}

// --- objects ----------------------------------------------------------------------------------

static bool fail_object(const wr_model *model, const char *name, const char **names, wr_error *why)
{
    int count = model->node_count + model->mesh_count;
    for (int n = 0; n < count; n++) {
        names[n] = n < model->node_count ? model->nodes[n].name
                                         : model->meshes[n - model->node_count].name;
    }
    char text[120];
    return wri_fail(why, WR_E_FORMAT, "the model has no object \"%.80s\"%s", name,
                    wri_suggest_word(text, sizeof text, name, names, count));
}

bool wri_choose_objects(wr_model *model, const char *const *names, int count, wr_error *why)
{
    wri_arena arena = wri_arena_create(NULL);
    size_t nodes = (size_t)model->node_count;
    bool *is_chosen = wri_arena_alloc(&arena, nodes, sizeof *is_chosen);
    const char **words = wri_arena_alloc(&arena, nodes + (size_t)model->mesh_count, sizeof *words);
    bool ok = (is_chosen && words) || wri_fail_memory(why, nodes * sizeof *words);
    for (int k = 0; ok && k < count; k++) {
        bool any = false;
        for (int n = 0; n < model->node_count; n++) {
            bool called = model->nodes[n].mesh >= 0 && wri_node_is_called(model, n, names[k]);
            is_chosen[n] = is_chosen[n] || called;
            any = any || called;
        }
        ok = any || fail_object(model, names[k], words, why);
    }
    for (int n = 0; ok && count > 0 && n < model->node_count; n++) {
        model->nodes[n].mesh = is_chosen[n] ? model->nodes[n].mesh : -1;
    }
    wri_arena_destroy(&arena);
    return ok;
}

bool wri_choose_named(wri_builder *b, wr_model *model, wr_error *why)
{
    const wri_json *list = b->recipe->raw.objects;
    int count = list ? list->count : 0;
    const char **names = wri_arena_alloc(&b->arena, (size_t)count, sizeof *names);
    if (!names) {
        return wri_fail_memory(why, (size_t)count * sizeof *names);
    }
    for (int i = 0; i < count; i++) {
        names[i] = list->items[i].string;
    }
    return wri_choose_objects(model, names, count, why);
}
