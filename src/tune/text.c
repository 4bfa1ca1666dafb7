// text.c: new values go into the text of a scene file; nothing else of it changes.
#include "tune.h"

#include "../base/os.h"
#include "../file/json.h"

#include <stdlib.h>

enum { SCENE_BYTES = 64 << 20 };

typedef struct edit {
    int begin, end; // bytes that are replaced; equal: an insertion
    const char *text;
} edit;

typedef struct editor {
    wri_arena *arena;
    const char *path;
    wri_array edits;
    wr_error *error;
} editor;

static bool add_edit(editor *e, int begin, int end, const char *text)
{
    edit *item = text ? wri_array_add(&e->edits, 1) : NULL;
    if (!item) {
        return wri_fail_memory(e->error, sizeof *item);
    }
    *item = (edit){begin, end, text};
    return true;
}

static int compare_edits(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool append(wri_array *out, const char *text, size_t size)
{
    char *to = wri_array_add(out, (int)size);
    if (to && size) {
        memcpy(to, text, size);
    }
    return to != NULL;
}

// out: bytes. No two edits overlap.
static bool apply(const editor *e, const char *text, size_t size, wri_array *out)
{
    int at = 0;
    bool ok = true;
    if (e->edits.count > 0) {
        qsort(e->edits.items, (size_t)e->edits.count, sizeof(edit), compare_edits);
    }
    for (int i = 0; i < e->edits.count && ok; i++) {
        const edit *item = &WRI_ITEM(e->edits, edit, i);
        ok = append(out, text + at, (size_t)(item->begin - at)) &&
             append(out, item->text, strlen(item->text));
        at = item->end;
    }
    ok = ok && append(out, text + at, size - (size_t)at) && append(out, "", 1);
    return ok || wri_fail_memory(e->error, size);
}

// --- materials ----------------------------------------------------------------------------------

typedef struct wish {
    const char *bend, *yield; // as they are written
} wish;

static const char *print_number(editor *e, double value, const char *unit)
{
    char number[40];
    wri_print_float(number, sizeof number, (float)value);
    return unit ? wri_arena_printf(e->arena, "\"%s %s\"", number, unit)
                : wri_arena_printf(e->arena, "%s", number);
}

// Replaces what is there and adds what is not behind the preset.
static bool edit_object(editor *e, const wri_json *material, const wish *w)
{
    const wri_json *named = wri_json_find(material, "metal");
    const wri_json *bend = wri_json_find(material, "bend");
    const wri_json *yield = wri_json_find(material, "yield");
    if (!named) {
        return wri_fail(e->error, WR_E_FORMAT,
                        "%s:%d:%d: a body of metal has another material now: the file has changed",
                        e->path, material->line, material->column);
    }
    const char *added =
        wri_arena_printf(e->arena, "%s%s%s%s", bend ? "" : ", \"bend\": ", bend ? "" : w->bend,
                         yield ? "" : ", \"yield\": ", yield ? "" : w->yield);
    return (!bend || add_edit(e, bend->begin, bend->end, w->bend)) &&
           (!yield || add_edit(e, yield->begin, yield->end, w->yield)) &&
           ((bend && yield) || add_edit(e, named->end, named->end, added));
}

static const char *plain_material(editor *e, const wish *w)
{
    return wri_arena_printf(e->arena, "{ \"metal\": \"default\", \"bend\": %s, \"yield\": %s }",
                            w->bend, w->yield);
}

// The asset's own material with new values.
static const char *asset_material(editor *e, const char *text, const wish *w)
{
    const wri_json *json = wri_json_parse(e->arena, text, strlen(text), e->path, false, e->error);
    if (!json || json->type == WRI_JSON_STRING) {
        return json ? plain_material(e, w) : NULL;
    }
    editor inner = *e;
    inner.edits = wri_array_create(&e->arena->allocator, sizeof(edit));
    wri_array out = wri_array_create(&e->arena->allocator, 1);
    bool ok = edit_object(&inner, json, w) && apply(&inner, text, strlen(text), &out);
    const char *result = ok ? wri_arena_text(e->arena, out.items, (size_t)out.count - 1) : NULL;
    wri_array_destroy(&out);
    wri_array_destroy(&inner.edits);
    return result;
}

static bool edit_body(editor *e, const wri_json *json, const wr_scene_body *body, const wish *w)
{
    const wri_json *material = wri_json_find(json, "material");
    const wri_json *asset = wri_json_find(json, "asset");
    if (material && material->type == WRI_JSON_STRING) {
        return add_edit(e, material->begin, material->end, plain_material(e, w));
    }
    if (material) {
        return edit_object(e, material, w);
    }
    if (!asset || !body->asset || !body->asset->material) {
        return wri_fail(e->error, WR_E_FORMAT,
                        "%s:%d:%d: a body of metal has no asset now: the file has changed", e->path,
                        json->line, json->column);
    }
    const char *text = asset_material(e, body->asset->material, w);
    return text && add_edit(e, asset->end, asset->end,
                            wri_arena_printf(e->arena, ", \"material\": %s", text));
}

// --- files --------------------------------------------------------------------------------------

static const char *quoted(editor *e, const char *text)
{
    wri_json_writer w = wri_json_writer_create(&e->arena->allocator, false);
    wri_json_write_string(&w, NULL, text);
    const char *json = wri_json_finish(&w);
    const char *copy = json ? wri_arena_text(e->arena, json, strlen(json)) : NULL;
    wri_json_writer_destroy(&w);
    return copy;
}

// Assets are named as seen from the scene file; from another folder, by their whole path.
static bool edit_assets(editor *e, const wri_json *assets, const char *folder)
{
    const char *old = wri_path_folder(e->arena, e->path);
    if (!old) {
        return wri_fail_memory(e->error, strlen(e->path));
    }
    bool stays = !folder || wri_same_file(old, folder);
    for (int i = 0; assets && !stays && i < assets->count; i++) {
        const wri_json *item = &assets->items[i], *file = wri_json_find(item, "file");
        file = file ? file : item;
        if (file->type != WRI_JSON_STRING || file->string[0] == '/') {
            continue;
        }
        const char *joined = wri_path_join(e->arena, old, file->string);
        const char *whole = joined ? wri_absolute_path(e->arena, joined) : NULL;
        if (!whole) {
            return wri_fail_memory(e->error, strlen(file->string));
        }
        if (!add_edit(e, file->begin, file->end, quoted(e, whole))) {
            return false;
        }
    }
    return true;
}

static bool edit_bodies(editor *e, const wr_tuning *t, const wri_json *list)
{
    int done = -1;
    for (int i = 0; i < t->body_count; i++) {
        const wr_scene_body *body = &t->desc.scene->bodies[t->bodies[i].body];
        const wr_tune_family *family = &t->families[t->bodies[i].family];
        if (body->entry == done || family->is_kept) {
            continue; // copies lie side by side in their family
        }
        done = body->entry;
        if (!list || list->type != WRI_JSON_ARRAY || done >= list->count) {
            return wri_fail(e->error, WR_E_FORMAT, "%s: has fewer bodies now: the file has changed",
                            e->path);
        }
        bool is_real = body->is_real[t->yield];
        wish w = {
            print_number(e, family->bend, NULL),
            print_number(e, is_real ? family->yield_speed : family->yield, is_real ? "m/s" : NULL)};
        if (!w.bend || !w.yield) {
            return wri_fail_memory(e->error, sizeof w);
        }
        if (!edit_body(e, &list->items[done], body, &w)) {
            return false;
        }
    }
    return true;
}

char *wr_tuning_write(const wr_tuning *t, const char *path, const char *folder, size_t *size,
                      wr_error *error)
{
    if (!WRI_REQUIRE_AS(error, "tuning, path, size", t, path, size)) {
        return NULL;
    }
    wri_arena arena = wri_arena_create(NULL);
    editor e = {&arena, path, wri_array_create(NULL, sizeof(edit)), error};
    wri_array out = wri_array_create(NULL, 1);
    size_t text_size;
    char *text = wri_file_read(path, SCENE_BYTES, NULL, &text_size, error);
    const wri_json *json = text ? wri_json_parse(&arena, text, text_size, path, true, error) : NULL;
    bool ok = json && edit_assets(&e, wri_json_find(json, "assets"), folder) &&
              edit_bodies(&e, t, wri_json_find(json, "bodies")) && apply(&e, text, text_size, &out);
    char *result = ok ? wri_alloc(NULL, (size_t)out.count, 1) : NULL;
    if (result) {
        memcpy(result, out.items, (size_t)out.count);
        *size = (size_t)out.count;
    } else if (ok) {
        wri_fail_memory(error, (size_t)out.count);
    }
    if (text) {
        wri_free(NULL, text, text_size + 1, 1);
    }
    wri_array_destroy(&out);
    wri_array_destroy(&e.edits);
    wri_arena_destroy(&arena);
    return result;
}
