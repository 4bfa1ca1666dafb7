// parameter.h: parameters in the structs that keep them. Values are as in wr_parameter; functions
// that take an owner leave the fields of others alone.
#pragma once

#include "wrought/parameter.h"

#include <stddef.h>

// Entries for rows of a table: the field of a struct, by its type; and one in which 0 stands for
// something.
#define WRI_FIELD(owner, type, member) WRI_FIELD_ZERO(owner, type, member, 0.0f)
#define WRI_FIELD_ZERO(owner, type, member, zero)                                                  \
    .field = {_Generic(((type *)NULL)->member, float                                               \
                       : WR_FIELD_FLOAT, bool                                                      \
                       : WR_FIELD_FIRST, default                                                   \
                       : WR_FIELD_INT),                                                            \
              owner, offsetof(type, member), zero}
// The values of a preset.
#define WRI_VALUES(...)                                                                            \
    (const wr_parameter_value[])                                                                   \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, 0.0                                                                              \
        }                                                                                          \
    }

const wr_parameter *wri_parameter_find(const wr_parameter *table, int count, const char *name);
// Returns the value that a preset says, or else the fallback.
double wri_parameter_in(const wr_preset *preset, const wr_parameter *p);

void wri_parameter_set(const wr_parameter *p, double value, void *object);
void wri_parameters_set(const wr_parameter *table, int count, int owner, const double *values,
                        void *object);
void wri_parameters_set_default(const wr_parameter *table, int count, int owner, void *object);
// Copies field by field: what lies between them stays as it is.
void wri_parameters_copy(const wr_parameter *table, int count, int owner, const void *from,
                         void *to);
// Reads the owner's fields in the order of the table, angles in radians, and returns how many they
// are: the same numbers whatever the layout of the struct.
int wri_parameters_read(const wr_parameter *table, int count, int owner, const void *object,
                        double *values);
// Fails with the first that is out of its range.
bool wri_parameters_check(const wr_parameter *table, int count, int owner, const void *object,
                          wr_error *error);
