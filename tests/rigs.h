// rigs.h: small rigs with a render mesh, for tests of examples and of what is built from them.
#pragma once

#include "wrought/author.h"
#include "wrought/weights.h"

#include "check.h"

// Zeroed.
static inline void *make_room(int count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

typedef struct small_rig {
    wr_model *model; // one mesh, as wr_model_flatten gives it
    wr_lattice *lattice;
    wr_handle_set *set;
    wr_rig rig; // one example, the rest
    float size; // metres: diagonal
} small_rig;

// Takes the model. A simulation mesh on which it rides; no handles yet.
static inline small_rig small_rig_begin(wr_model *model, int vertices)
{
    wr_error error = {0};
    wr_lattice_desc desc = wr_lattice_desc_default();
    desc.mesh = &model->meshes[0];
    desc.vertices = vertices;
    small_rig r = {.model = model, .lattice = wr_lattice_create(&desc, &error)};
    assert_non_null(r.lattice);
    const wr_mesh *mesh = desc.mesh;
    wr_ride *rides = make_room(mesh->vertex_count, sizeof *rides);
    assert_true(wr_lattice_find_rides(r.lattice, mesh->positions, r.lattice->render_parts,
                                      mesh->vertex_count, NULL, rides, NULL, &error));
    r.rig = (wr_rig){.dimension = 3,
                     .vertex_count = r.lattice->vertex_count,
                     .rest = r.lattice->rest,
                     .element_count = r.lattice->element_count,
                     .elements = r.lattice->elements,
                     .example_count = 1,
                     .ride_count = mesh->vertex_count,
                     .rides = rides};
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < r.rig.vertex_count; i++) {
        box = wr_box_add(box, r.rig.rest[i]);
    }
    r.size = wr_distance(box.min, box.max);
    return r;
}

// With bounded biharmonic weights for `handles` automatic handles.
static inline small_rig small_rig_create(wr_model *model, int vertices, int handles)
{
    wr_error error = {0};
    small_rig r = small_rig_begin(model, vertices);
    wr_solid solid = wr_solid_from_rig(&r.rig);
    r.set = wr_handles_place(&solid, NULL, 0, handles, NULL, &error);
    assert_non_null(r.set);
    float *weights = calloc((size_t)solid.vertex_count * (size_t)handles, sizeof *weights);
    wr_weights_desc find = wr_weights_desc_default();
    find.mesh = solid;
    find.handles = r.set;
    assert_true(wr_weights_find(&find, weights, NULL, &error));
    r.rig.handle_count = handles;
    r.rig.handles = r.set->handles;
    r.rig.weights = weights;
    return r;
}

static inline void small_rig_destroy(small_rig *r)
{
    free(r->rig.weights);
    free(r->rig.rides);
    wr_handle_set_destroy(r->set);
    wr_lattice_destroy(r->lattice);
    wr_model_destroy(r->model);
}

// --- examples ---------------------------------------------------------------------------------

typedef struct made_example {
    wr_example example; // what is left after fitting
    wr_handle_pose *poses;
    wr_vec3 *correctives, *details;
} made_example;

static inline made_example made_example_create(const wr_rig *rig)
{
    made_example m = {
        .poses = make_room(rig->handle_count, sizeof *m.poses),
        .correctives = make_room(rig->vertex_count, sizeof *m.correctives),
        .details = make_room(rig->ride_count, sizeof *m.details),
    };
    for (int b = 0; b < rig->handle_count; b++) {
        m.poses[b] = (wr_handle_pose){.rotation = WR_QUAT_IDENTITY, .stretch = {1, 1, 1}};
    }
    m.example = (wr_example){"made", m.poses, m.correctives, m.details};
    return m;
}

static inline void made_example_destroy(made_example *m)
{
    free(m->poses);
    free(m->correctives);
    free(m->details);
}

// Vertices (x) and render vertices (positions, may be NULL) at a share of the example, through a
// skin; whole: blended as one body, as sprites are.
static inline void show_example(const wr_rig *source, const wr_example *example, float share,
                                bool whole, wr_vec3 *x, wr_vec3 *positions)
{
    wr_rig rig = *source;
    made_example rest = made_example_create(&rig);
    rest.example.correctives = rest.example.details = NULL;
    wr_example both[2] = {rest.example, *example};
    rig.examples = both;
    rig.example_count = 2;
    wr_error error = {0};
    wr_skin_desc desc = wr_skin_desc_default();
    desc.least_weight = whole ? 0.0f : desc.least_weight; // dropped weights do not stretch
    wr_skin *skin = wr_skin_create(&rig, &desc, &error);
    if (!skin) {
        fail_msg("%s", error.message);
    }
    float *E = make_room(rig.vertex_count, 2 * sizeof *E);
    for (int i = 0; i < rig.vertex_count; i++) {
        E[2 * i] = 1.0f - share;
        E[2 * i + 1] = share;
    }
    wr_mat34 *maps = make_room(rig.handle_count, sizeof *maps);
    if (whole) {
        wr_skin_blend(skin, E, NULL, maps, x);
    } else {
        wr_skin_positions(skin, E, NULL, 0, NULL, x);
    }
    if (positions) {
        wr_skin_ride_positions(skin, E, x, NULL, 0, NULL, positions);
    }
    free(maps);
    free(E);
    wr_skin_destroy(skin);
    made_example_destroy(&rest);
}

static inline double largest_distance(const wr_vec3 *a, const wr_vec3 *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, (double)wr_distance(a[i], b[i]));
    }
    return most;
}
