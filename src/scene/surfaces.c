// surfaces.c: names of surfaces, and how two of them rub and bounce against each other.
#include "scene.h"

bool wri_find_surface(wri_reader *reader, const wri_json *json, const char *name, int *number)
{
    wri_scene_context *c = reader->context;
    int i = 0;
    while (i < c->surface_count && strcmp(c->surfaces[i], name) != 0) {
        i++;
    }
    if (i == WRI_MOST_SURFACES) {
        return wri_fail_at(reader, wri_json_find(json, "surface"),
                           "\"%s\" is one surface too many, expected at most %d", name,
                           WRI_MOST_SURFACES);
    }
    if (i == c->surface_count) {
        c->surfaces[c->surface_count++] = name;
    }
    *number = i + 1;
    return true;
}

// The number of a surface that some body has.
static bool find_known(wri_reader *reader, const wri_json *value, int *number)
{
    const wri_scene_context *c = reader->context;
    if (!wri_expect(reader, value, WRI_JSON_STRING)) {
        return false;
    }
    for (int i = 0; i < c->surface_count; i++) {
        if (strcmp(c->surfaces[i], value->string) == 0) {
            *number = i + 1;
            return true;
        }
    }
    return c->surface_count
               ? wri_fail_word(reader, value, "surface", value->string, c->surfaces,
                               c->surface_count)
               : wri_fail_at(reader, value, "no body has the surface \"%s\"", value->string);
}

bool wri_read_contact_pair(wri_reader *reader, const wri_json *json, int index)
{
    wri_scene_context *c = reader->context;
    reader->where = wri_numbered(reader, "contact", index);
    raw_contact raw = {.friction = NAN, .restitution = NAN};
    wr_surface_pair pair;
    if (!wri_read_object(reader, &wri_contact_table, json, &raw) ||
        !wri_expect(reader, raw.between, WRI_JSON_ARRAY)) {
        return false;
    }
    if (raw.between->count != 2) {
        return wri_fail_at(reader, raw.between, "\"between\" has %d names, expected 2",
                           raw.between->count);
    }
    if (isnan(raw.friction) && isnan(raw.restitution)) {
        return wri_fail_at(reader, json, "has neither \"friction\" nor \"restitution\"");
    }
    if (!find_known(reader, &raw.between->items[0], &pair.surface_a) ||
        !find_known(reader, &raw.between->items[1], &pair.surface_b)) {
        return false;
    }
    pair.friction = (float)raw.friction;
    pair.restitution = (float)raw.restitution;
    for (int i = 0; i < c->contact_pairs.count; i++) {
        const wr_surface_pair *p = &WRI_ITEM(c->contact_pairs, wr_surface_pair, i);
        if ((p->surface_a == pair.surface_a && p->surface_b == pair.surface_b) ||
            (p->surface_a == pair.surface_b && p->surface_b == pair.surface_a)) {
            return wri_fail_at(reader, raw.between, "these two were contact %d already", i + 1);
        }
    }
    wr_surface_pair *added = wri_array_add(&c->contact_pairs, 1);
    if (added) {
        *added = pair;
    }
    return added || wri_fail_memory(reader->error, sizeof *added);
}
