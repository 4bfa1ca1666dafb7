// flesh_mass.c: how the mass of a figure is shared out among its bones.
//
// The core below the skin is filled with points, each of which belongs to the bones of the nearest
// place of the core's surface; the layer above belongs to the bones of its nodes.
#include "flesh_skeleton.h"

#include "wrought/fill.h"

enum { POINTS = 3000 };

static const double INNER_LEAST = 0.1; // of a link

typedef struct sharing {
    const wr_layer *layer;
    int count;            // of bones, or handles
    const float *weights; // a row of these per node
} sharing;

static void add_mass(wr_flesh_mass *to, double mass, wr_vec3 at, double own)
{
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    to->mass += mass;
    for (int i = 0; i < 3; i++) {
        to->first[i] += mass * x[i];
        for (int j = 0; j < 3; j++) {
            to->second[i][j] += mass * (x[i] * x[j] + (i == j ? own : 0.0));
        }
    }
}

// Shares a mass out among the bones of a triangle's corners. own: its second moment about its
// middle, m^2.
static void share_out(const sharing *s, int triangle, const float corners[3], double mass,
                      wr_vec3 at, double own, wr_flesh_mass *out)
{
    for (int k = 0; k < 3; k++) {
        int node = s->layer->triangles[3 * triangle + k];
        const float *row = &s->weights[(size_t)node * (size_t)s->count];
        for (int b = 0; b < s->count; b++) {
            double share = (double)(corners[k] * row[b]);
            if (share > 0.0) {
                add_mass(&out[b], share * mass, at, own);
            }
        }
    }
}

static void add_layer(const sharing *s, double density, wr_flesh_mass *out)
{
    const float third[3] = {1.0f / 3.0f, 1.0f / 3.0f, 1.0f / 3.0f};
    const wr_layer *layer = s->layer;
    for (int t = 0; t < layer->triangle_count; t++) {
        const int *v = &layer->triangles[3 * t];
        wr_vec3 a = layer->skin[v[0]], b = layer->skin[v[1]], c = layer->skin[v[2]];
        float depth = 0.0f;
        wr_vec3 middle = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            depth += layer->thicknesses[v[k]] / 3.0f;
            middle = wr_add(middle, wr_add(layer->skin[v[k]], layer->core[v[k]]));
        }
        double area = 0.5 * (double)wr_length(wr_cross(wr_sub(b, a), wr_sub(c, a)));
        share_out(s, t, third, density * area * (double)depth, wr_scale(1.0f / 6.0f, middle),
                  area / 6.0, out);
    }
}

// False: out of memory. A core without an inside has no mass.
static bool add_core(const wri_flesh_skeleton_desc *desc, const sharing *s, wr_flesh_mass *out)
{
    const wr_layer *layer = desc->layer;
    wr_fill_desc fill = wr_fill_desc_default();
    fill.positions = layer->core;
    fill.vertex_count = layer->node_count;
    fill.triangles = layer->triangles;
    fill.triangle_count = layer->triangle_count;
    fill.count = POINTS;
    fill.allocator = desc->allocator;
    fill.tasks = desc->tasks;
    wr_error why = {0};
    wr_fill *points = wr_fill_create(&fill, &why);
    for (int i = 0; points && i < points->count; i++) {
        double volume = (double)points->volumes[i], spacing = (double)points->spacings[i];
        share_out(s, points->places[i].triangle, points->places[i].weights, desc->density * volume,
                  points->positions[i], spacing * spacing / 12.0, out);
    }
    bool ok = points || why.code != WR_E_MEMORY;
    wr_fill_destroy(points);
    return ok;
}

// A core that is nearly empty gets its part of the link, drawn in to half of its width.
void wri_flesh_fill_up(const wr_flesh_mass *link, wr_flesh_mass *inner)
{
    double lack = INNER_LEAST * link->mass - inner->mass, spread = 0.0;
    if (!(lack > 0.0)) {
        return;
    }
    wr_vec3 middle =
        wr_v3((float)(link->first[0] / link->mass), (float)(link->first[1] / link->mass),
              (float)(link->first[2] / link->mass));
    for (int k = 0; k < 3; k++) {
        double x = link->first[k] / link->mass;
        spread += link->second[k][k] / link->mass - x * x;
    }
    add_mass(inner, lack, middle, fmax(spread, 0.0) / 12.0);
}

bool wri_flesh_find_links(const wri_flesh_skeleton_desc *desc, int count, const float *weights,
                          wr_flesh_mass *links, wr_flesh_mass *inner)
{
    const sharing s = {desc->layer, count, weights};
    if (!add_core(desc, &s, inner)) {
        return false;
    }
    memcpy(links, inner, (size_t)count * sizeof *links);
    add_layer(&s, desc->density, links);
    return true;
}
