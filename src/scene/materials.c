// materials.c: the materials that a scene may name, and what it may say for their parameters.
#include "materials.h"

#include "../base/base.h"
#include "../world/materials.h"

static int option_count(const wr_scene_options *options)
{
    return options ? options->material_count : 0;
}

static const wr_material *material_at(const wr_scene_options *options, int i)
{
    int own = wri_material_count();
    return i < own ? wri_material_at(i) : options->materials[i - own];
}

const wr_material *wri_find_material(const wr_scene_options *options, const char *name)
{
    for (int i = 0; i < wri_material_count() + option_count(options); i++) {
        const wr_material *material = material_at(options, i);
        if (strcmp(material->name, name) == 0) {
            return material;
        }
    }
    return NULL;
}

int wri_material_names(const wr_scene_options *options, const char **names, int room)
{
    int count = 0;
    names[count++] = "rigid";
    for (int i = 0; i < wri_material_count() + option_count(options) && count < room; i++) {
        names[count++] = material_at(options, i)->name;
    }
    return count;
}

wri_key wri_parameter_key(const wr_parameter *p)
{
    return (wri_key){.name = p->name,
                     .kind = p->choices    ? WRI_KEY_CHOICE
                             : p->is_whole ? WRI_KEY_INTEGER
                                           : WRI_KEY_NUMBER,
                     .min = p->min,
                     .max = p->max,
                     .unit = p->unit && p->unit[0] ? p->unit : NULL,
                     .choices = p->choices};
}

bool wri_read_parameter(wri_reader *reader, const wri_json *value, const wr_parameter *p,
                        double *number)
{
    const wri_key key = wri_parameter_key(p);
    int whole = 0;
    if (key.kind == WRI_KEY_NUMBER) {
        return wri_read_key(reader, &key, value, number);
    }
    bool ok = wri_read_key(reader, &key, value, &whole);
    *number = whole;
    return ok;
}
