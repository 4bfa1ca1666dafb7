// parameter.c: parameters in the structs that keep them.
#include "parameter.h"

#include "base.h"

#include <math.h>

const wr_parameter *wri_parameter_find(const wr_parameter *table, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

double wri_parameter_in(const wr_preset *preset, const wr_parameter *p)
{
    for (const wr_parameter_value *v = preset->values; v && v->name; v++) {
        if (strcmp(v->name, p->name) == 0) {
            return v->value;
        }
    }
    return p->fallback;
}

// --- fields -----------------------------------------------------------------------------------

static bool is_owned(const wr_parameter *p, int owner)
{
    return p->field.kind != WR_FIELD_NONE && p->field.owner == owner;
}

static size_t field_size(wr_field_kind kind)
{
    return kind == WR_FIELD_FIRST ? sizeof(bool)
           : kind == WR_FIELD_INT ? sizeof(int)
                                  : sizeof(float);
}

// Returns the value as a float that has no zero of its own would keep it.
static float to_float(const wr_parameter *p, double value)
{
    const double half_turn = (double)3.14159265358979323846f; // pi, as everywhere
                                                              // in single precision
    return (float)(p->field.kind == WR_FIELD_ANGLE ? value * half_turn / 180.0 : value);
}

void wri_parameter_set(const wr_parameter *p, double value, void *object)
{
    void *at = (char *)object + p->field.offset;
    switch (p->field.kind) {
    case WR_FIELD_NONE:
        break;
    case WR_FIELD_FLOAT:
    case WR_FIELD_ANGLE:
        *(float *)at = value == 0.0 ? p->field.zero : to_float(p, value);
        break;
    case WR_FIELD_INT:
        *(int *)at = (int)value;
        break;
    case WR_FIELD_FIRST:
        *(bool *)at = value == 0.0;
        break;
    }
}

void wri_parameters_set(const wr_parameter *table, int count, int owner, const double *values,
                        void *object)
{
    for (int i = 0; i < count; i++) {
        if (is_owned(&table[i], owner)) {
            wri_parameter_set(&table[i], values[i], object);
        }
    }
}

void wri_parameters_set_default(const wr_parameter *table, int count, int owner, void *object)
{
    for (int i = 0; i < count; i++) {
        if (is_owned(&table[i], owner)) {
            wri_parameter_set(&table[i], table[i].fallback, object);
        }
    }
}

void wri_parameters_copy(const wr_parameter *table, int count, int owner, const void *from,
                         void *to)
{
    for (int i = 0; i < count; i++) {
        if (is_owned(&table[i], owner)) {
            size_t offset = table[i].field.offset;
            memcpy((char *)to + offset, (const char *)from + offset,
                   field_size(table[i].field.kind));
        }
    }
}

static double field_value(const wr_parameter *p, const void *object)
{
    const void *at = (const char *)object + p->field.offset;
    return p->field.kind == WR_FIELD_FIRST ? (double)*(const bool *)at
           : p->field.kind == WR_FIELD_INT ? (double)*(const int *)at
                                           : (double)*(const float *)at;
}

int wri_parameters_read(const wr_parameter *table, int count, int owner, const void *object,
                        double *values)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (is_owned(&table[i], owner)) {
            values[n++] = field_value(&table[i], object);
        }
    }
    return n;
}

// --- ranges -----------------------------------------------------------------------------------

// True when the value is no number of the range, but what 0 stands for.
static bool is_special(const wr_parameter *p, double value)
{
    double zero = (double)p->field.zero;
    return zero != 0.0 && (value == zero || (isnan(value) && isnan(zero)));
}

bool wri_parameters_check(const wr_parameter *table, int count, int owner, const void *object,
                          wr_error *error)
{
    for (int i = 0; i < count; i++) {
        const wr_parameter *p = &table[i];
        if (!is_owned(p, owner) || p->field.kind == WR_FIELD_FIRST) {
            continue;
        }
        bool is_int = p->field.kind == WR_FIELD_INT;
        double value = field_value(p, object);
        double low = is_int ? p->min : (double)to_float(p, p->min);
        double high = is_int ? p->max : (double)to_float(p, p->max);
        if (!is_special(p, value) && !(value >= low && value <= high)) {
            return wri_fail(error, WR_E_ARGUMENT, "%s: %s not in [%s, %s]", p->name,
                            WRI_NUMBER(value, 6), WRI_NUMBER(low, 6), WRI_NUMBER(high, 6));
        }
    }
    return true;
}
