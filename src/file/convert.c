// convert.c: lengths and axes of a file into metres and +Y up.
//
// The turns are by a quarter and exchange coordinates, so that every bit stays where the unit is
// the metre. A change of basis C of all frames alike turns a node's M into C M C^-1: its position
// is converted like a point, the axis of its rotation is turned, its scales trade places; so do the
// matrices of skins and the keys of clips.
#include "convert.h"

#include "../base/base.h"
#include "keys.h"
#include "unit.h"

static bool find_unit(const char *name, double *factor, wr_error *error)
{
    if (wri_unit_find("m", name, factor)) {
        return true;
    }
    char meant[100];
    int count = 0;
    while (wri_unit_words[count]) {
        count++;
    }
    return wri_fail(error, WR_E_ARGUMENT,
                    "unknown unit \"%.40s\", expected m, cm, mm, in, ft, yd or km%s", name,
                    wri_mean_words(meant, sizeof meant, name, wri_unit_words, count));
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

wr_quat wri_convert_rotation(const wri_conversion *conversion, wr_quat rotation)
{
    wr_vec3 axis = turn(conversion, wr_v3(rotation.x, rotation.y, rotation.z));
    return (wr_quat){axis.x, axis.y, axis.z, rotation.w};
}

// C M C^-1 of an affine map.
static wr_mat34 convert_map(const wri_conversion *c, wr_mat34 map)
{
    wr_mat34 out = map;
    wr_mat3 linear = wr_mat34_linear(map);
    for (int k = 0; k < 3 && c->up != 'y'; k++) {
        wr_vec3 e = wr_v3(k == 0, k == 1, k == 2);
        wr_vec3 back = c->up == 'z' ? wr_v3(e.x, -e.z, e.y) : wr_v3(e.y, -e.x, e.z);
        wr_vec3 column = turn(c, wr_mat3_apply(linear, back));
        out.m[0][k] = column.x;
        out.m[1][k] = column.y;
        out.m[2][k] = column.z;
    }
    wr_vec3 at = convert_point(c, wr_v3(map.m[0][3], map.m[1][3], map.m[2][3]));
    out.m[0][3] = at.x;
    out.m[1][3] = at.y;
    out.m[2][3] = at.z;
    return out;
}

// Slopes change as values do.
static void convert_track(const wri_conversion *c, wr_track *track)
{
    bool cubic = track->interpolation == WR_INTERPOLATION_CUBIC;
    size_t rows = (size_t)track->key_count * (cubic ? 3 : 1);
    wr_vec3 *vectors = (wr_vec3 *)track->values;
    wr_quat *rotations = (wr_quat *)track->values;
    for (size_t i = 0; i < rows; i++) {
        switch (track->channel) {
        case WR_CHANNEL_POSITION:
            vectors[i] = convert_point(c, vectors[i]);
            break;
        case WR_CHANNEL_ROTATION:
            rotations[i] = wri_convert_rotation(c, rotations[i]);
            break;
        case WR_CHANNEL_SCALE:
            vectors[i] = turn_scale(c, vectors[i]);
            break;
        case WR_CHANNEL_WEIGHTS:
            return;
        }
    }
}

static void convert_mesh(const wri_conversion *conversion, wr_mesh *mesh)
{
    wri_convert_points(conversion, mesh->positions, mesh->vertex_count);
    for (int k = 0; mesh->normals && k < mesh->vertex_count; k++) {
        mesh->normals[k] = turn(conversion, mesh->normals[k]);
    }
    for (int i = 0; i < mesh->morph_count; i++) {
        wr_morph *morph = &mesh->morphs[i];
        wri_convert_points(conversion, morph->positions, mesh->vertex_count);
        for (int k = 0; morph->normals && k < mesh->vertex_count; k++) {
            morph->normals[k] = turn(conversion, morph->normals[k]);
        }
    }
}

static void convert_motion(const wri_conversion *conversion, wr_model *model)
{
    for (int i = 0; i < model->skin_count; i++) {
        wr_model_skin *skin = &model->skins[i];
        for (int k = 0; k < skin->joint_count; k++) {
            skin->inverse_bind[k] = convert_map(conversion, skin->inverse_bind[k]);
        }
    }
    for (int i = 0; i < model->clip_count; i++) {
        for (int k = 0; k < model->clips[i].track_count; k++) {
            convert_track(conversion, &model->clips[i].tracks[k]);
        }
    }
}

void wri_convert_model(const wri_conversion *conversion, wr_model *model)
{
    for (int i = 0; i < model->mesh_count; i++) {
        convert_mesh(conversion, &model->meshes[i]);
    }
    for (int i = 0; i < model->node_count; i++) {
        wr_node *node = &model->nodes[i];
        node->pose.rotation = wri_convert_rotation(conversion, node->pose.rotation);
        node->pose.position = convert_point(conversion, node->pose.position);
        node->scale = turn_scale(conversion, node->scale);
    }
    convert_motion(conversion, model);
}
