// parameter.h: the numbers and words that an artist may set for a material, described once.
//
// From a table of these follow the defaults of the material's structs, the check of their ranges,
// the words of scene files, their documentation and schema, and what snapshots keep.
#pragma once

#include "base.h"

#if defined(__cplusplus)
extern "C" {
#endif

// The type in which a struct keeps a parameter.
typedef enum wr_field_kind {
    WR_FIELD_NONE, // it does not
    WR_FIELD_FLOAT,
    WR_FIELD_ANGLE, // float, radians; the parameter is in degrees
    WR_FIELD_INT,   // or an enum
    WR_FIELD_FIRST, // bool: whether the parameter is the first of its words
} wr_field_kind;

typedef struct wr_field {
    wr_field_kind kind;
    int owner;     // number of the material's struct that has it
    size_t offset; // there
    float zero;    // value that 0 stands for, such as INFINITY or NAN; 0: itself
} wr_field;

typedef struct wr_parameter {
    const char *name;
    const char *unit; // "m/s", "" for plain numbers
    double min, max;  // inclusive
    double fallback;  // value when left out
    const char *about;
    const char *real_unit;      // "m/s": the number itself is in units of the body, but it may be
                                // written as text with this unit, positive; see
                                // wr_material_desc.is_real. NULL: no
    const char *const *choices; // words for the values 0, 1, ...; NULL at the end. NULL: a number
    bool is_whole;              // a whole number
    const char *excludes;       // name of a parameter that is not said beside it; NULL: none
    bool may_differ;            // bodies that share what create_shared made may differ in it
    wr_field field;             // the field, for materials that keep their parameters in structs
} wr_parameter;

typedef struct wr_parameter_value {
    const char *name; // name of the parameter
    double value;     // value in the unit of wr_parameter.min; words by their number
} wr_parameter_value;

// A named set of parameters in artists' words: "thin steel".
typedef struct wr_preset {
    const char *name;
    const char *about;                // may be NULL
    const wr_parameter_value *values; // values that differ from those left out; name NULL at the
                                      // end. NULL: none does
} wr_preset;

#if defined(__cplusplus)
}
#endif
