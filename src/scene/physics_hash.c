// physics_hash.c: a number for what physics reads in a scene file: whoever changes a camera, the
// light or a colour does not want to simulate again, nor does whoever writes a comment.
#include "scene.h"

static uint64_t hash_text(const char *text, uint64_t hash)
{
    return wri_hash(text, strlen(text) + 1,
                    hash); // with its end, so that "ab", "c" is not "a", "bc"
}

// Everything in a value but the keys of `table` that are only looks; table NULL: everything.
static uint64_t hash_value(const wri_json *value, const wri_table *table, uint64_t hash);

static bool is_look(const wri_table *table, const char *key)
{
    bool is = false;
    for (int i = 0; table && i < table->count; i++) {
        is = is || (table->keys[i].is_look && strcmp(table->keys[i].name, key) == 0);
    }
    return is;
}

static uint64_t hash_items(const wri_json *value, const wri_table *table, uint64_t hash)
{
    for (int i = 0; i < value->count; i++) {
        const wri_json *item = &value->items[i];
        if (value->type == WRI_JSON_ARRAY) {
            hash = hash_value(item, table, hash);
        } else if (!is_look(table, item->key)) {
            hash = hash_value(item, NULL, hash_text(item->key, hash));
        }
    }
    return hash;
}

static uint64_t hash_value(const wri_json *value, const wri_table *table, uint64_t hash)
{
    uint8_t type = (uint8_t)value->type, yes = value->boolean;
    hash = wri_hash(&type, 1, hash);
    switch (value->type) {
    case WRI_JSON_BOOL:
        return wri_hash(&yes, 1, hash);
    case WRI_JSON_NUMBER:
        return wri_hash(&value->number, sizeof value->number, hash);
    case WRI_JSON_STRING:
        return hash_text(value->string, hash);
    case WRI_JSON_ARRAY:
    case WRI_JSON_OBJECT:
        return hash_text("end", hash_items(value, table, hash));
    default:
        return hash;
    }
}

uint64_t wri_physics_hash(const wri_json *scene, const wri_table *bodies, uint64_t hash)
{
    if (scene->type != WRI_JSON_OBJECT) { // which whoever reads it refuses
        return hash_value(scene, NULL, hash);
    }
    for (int i = 0; i < scene->count; i++) {
        const wri_json *item = &scene->items[i];
        if (is_look(&wri_scene_table, item->key)) {
            continue;
        }
        hash = hash_text(item->key, hash);
        if (strcmp(item->key, "flat") == 0) { // it keeps bodies in the plane; its colours do not
            uint8_t on = item->type != WRI_JSON_BOOL || item->boolean;
            hash = wri_hash(&on, 1, hash);
        } else {
            hash = hash_value(item, strcmp(item->key, "bodies") == 0 ? bodies : NULL, hash);
        }
    }
    return hash;
}
