// convert.c: lengths and axes of a file into metres and +Y up.
//
// The turns are by a quarter and exchange coordinates, so that every bit stays where the unit is
// the metre. A change of basis C of all frames alike turns a node's M into C M C^-1: its position
// is converted like a point, the axis of its rotation is turned, its scales trade places.
#include "convert.h"
#include "../base/base.h"

typedef struct unit {
    const char *name;
    double factor;
} unit;

static const unit units[] = {{"m", 1.0},     {"cm", 0.01},   {"mm", 0.001},
                             {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000.0}};

static bool find_unit(const char *name, double *factor, wr_error *error)
{
    for (int i = 0; i < WRI_COUNT(units); i++) {
        if (strcmp(units[i].name, name) == 0) {
            *factor = units[i].factor;
            return true;
        }
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "unknown unit \"%.40s\", expected m, cm, mm, in, ft or km", name);
}

bool wri_conversion_create(const wr_read_options *options, wri_conversion *out, wr_error *error)
{
    *out = (wri_conversion){1.0, 'y'};
    if (options && options->unit && !find_unit(options->unit, &out->factor, error)) {
        return false;
    }
    const char *up = options && options->up ? options->up : "y";
    if ((up[0] != 'x' && up[0] != 'y' && up[0] != 'z') || up[1]) {
        return wri_fail(error, WR_E_ARGUMENT, "unknown axis \"%.40s\" for up, expected x, y or z",
                        up);
    }
    out->up = up[0];
    return true;
}

static wr_vec3 turn(const wri_conversion *c, wr_vec3 v)
{
    return c->up == 'z' ? wr_v3(v.x, v.z, -v.y) : c->up == 'x' ? wr_v3(-v.y, v.x, v.z) : v;
}

static wr_vec3 turn_scale(const wri_conversion *c, wr_vec3 s)
{
    return c->up == 'z' ? wr_v3(s.x, s.z, s.y) : c->up == 'x' ? wr_v3(s.y, s.x, s.z) : s;
}

static wr_vec3 convert_point(const wri_conversion *c, wr_vec3 p)
{
    wr_vec3 t = turn(c, p);
    return wr_v3((float)(c->factor * t.x), (float)(c->factor * t.y), (float)(c->factor * t.z));
}

bool wri_convert_points(const wri_conversion *conversion, wr_vec3 *points, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++) {
        points[i] = convert_point(conversion, points[i]);
        finite = finite && wr_is_finite3(points[i]);
    }
    return finite;
}

void wri_convert_model(const wri_conversion *conversion, wr_model *model)
{
    for (int i = 0; i < model->mesh_count; i++) {
        wr_mesh *mesh = &model->meshes[i];
        wri_convert_points(conversion, mesh->positions, mesh->vertex_count);
        for (int k = 0; mesh->normals && k < mesh->vertex_count; k++) {
            mesh->normals[k] = turn(conversion, mesh->normals[k]);
        }
    }
    for (int i = 0; i < model->node_count; i++) {
        wr_node *node = &model->nodes[i];
        wr_quat q = node->pose.rotation;
        wr_vec3 axis = turn(conversion, wr_v3(q.x, q.y, q.z));
        node->pose.rotation = (wr_quat){axis.x, axis.y, axis.z, q.w};
        node->pose.position = convert_point(conversion, node->pose.position);
        node->scale = turn_scale(conversion, node->scale);
    }
}
