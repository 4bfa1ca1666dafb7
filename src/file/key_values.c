// key_values.c: values of scene and recipe files that both know.
#include "keys.h"

#include "../math/elementary.h"

const char *const wri_up_words[] = {"x", "y", "z", NULL};

bool wri_keep_json(wri_reader *reader, const wri_json *value, void *field)
{
    (void)reader;
    *(const wri_json **)field = value;
    return true;
}

typedef struct raw_turn {
    wr_vec3 axis;
    double by;
} raw_turn;

static const wri_key turn_keys[] = {
    {"axis", WRI_KEY_VECTOR, offsetof(raw_turn, axis), -1e6, 1e6,
     .about = "direction to turn about", .required = true},
    {"by", WRI_KEY_ANGLE, offsetof(raw_turn, by), -36000, 36000, "deg",
     .about = "how far, right-handed", .required = true},
};

const wri_table wri_turn_table = WRI_TABLE("turn", turn_keys, "A rotation.");

// Does what wr_quat_from_axis_angle does, whose sine and cosine differ between C libraries: bodies
// of a scene begin like this.
static wr_quat turn_about(wr_vec3 axis, float radians)
{
    const double whole = 6.28318530717958647693;
    double half = remainder((double)(0.5f * radians), whole), sine, cosine;
    wri_sin_cos_fine(half, &sine, &cosine);
    wr_vec3 v = wr_scale((float)sine, wr_normalize(axis));
    return wr_quat_normalize((wr_quat){v.x, v.y, v.z, (float)cosine});
}

bool wri_read_turn(wri_reader *reader, const wri_json *value, void *field)
{
    wr_quat *turn = field;
    if (value->type == WRI_JSON_OBJECT) {
        raw_turn raw = {0};
        if (!wri_read_object(reader, &wri_turn_table, value, &raw)) {
            return false;
        }
        if (!(wr_length(raw.axis) > 0.0f)) {
            return wri_fail_at(reader, value, "\"axis\" is zero, expected a direction");
        }
        *turn = turn_about(raw.axis, (float)raw.by);
        return true;
    }
    if (value->type != WRI_JSON_ARRAY || value->count != 4) {
        return wri_fail_at(reader, value,
                           "\"turn\" is %s, expected {\"axis\": [x, y, z], \"by\": degrees} or a "
                           "quaternion [x, y, z, w]",
                           wri_json_type_name(value->type));
    }
    const wri_key key = {.name = "turn", .kind = WRI_KEY_NUMBER, .min = -1e3, .max = 1e3};
    double q[4];
    for (int i = 0; i < 4; i++) {
        if (!wri_read_key(reader, &key, &value->items[i], &q[i])) {
            return false;
        }
    }
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-12)) {
        return wri_fail_at(reader, value, "\"turn\" is a zero quaternion, expected a rotation");
    }
    *turn = wr_quat_normalize((wr_quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]});
    return true;
}
