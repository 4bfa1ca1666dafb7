// sheet.c: the JSON of Aseprite and TexturePacker, and grids.
//
// Both write "frames", a list or an object by name, of { frame: {x, y, w, h}, rotated, trimmed,
// spriteSourceSize: {x, y, w, h}, sourceSize: {w, h} }, and "meta" with the name of the picture;
// Aseprite also frameTags {name, from, to}. w and h of a frame are those of the drawing: a rotated
// one takes h x w pixels of the sheet. Everything else is passed over.
#include "sheet.h"

#include "../base/os.h"
#include "../file/keys.h"
#include "../file/model.h"
#include "wrought/skin.h"

enum { SHEET_BYTES = 16 << 20, SIDE = 16384, CELLS = WR_SKIN_EXAMPLES_MAX };

// --- values -----------------------------------------------------------------------------------

static bool read_whole(wri_reader *r, const wri_json *object, const char *key, int least, int *out)
{
    const wri_json *value = wri_json_find(object, key);
    if (!value) {
        return wri_fail_at(r, object, "has no \"%s\"", key);
    }
    if (value->type != WRI_JSON_NUMBER) {
        return wri_fail_at(r, value, "\"%s\" is %s, expected a whole number", key,
                           wri_json_type_name(value->type));
    }
    if (!(value->number >= least && value->number <= SIDE) || value->number != (int)value->number) {
        return wri_fail_at(r, value, "\"%s\" is %g, expected a whole number from %d to %d", key,
                           value->number, least, SIDE);
    }
    *out = (int)value->number;
    return true;
}

// A member that is an object; *out stays NULL when there is none.
static bool open_object(wri_reader *r, const wri_json *object, const char *key,
                        const wri_json **out)
{
    *out = wri_json_find(object, key);
    return !*out || (*out)->type == WRI_JSON_OBJECT ||
           wri_fail_at(r, *out, "\"%s\" is %s, expected an object", key,
                       wri_json_type_name((*out)->type));
}

static bool read_flag(wri_reader *r, const wri_json *object, const char *key, bool *out)
{
    const wri_json *value = wri_json_find(object, key);
    if (value && value->type != WRI_JSON_BOOL) {
        return wri_fail_at(r, value, "\"%s\" is %s, expected true or false", key,
                           wri_json_type_name(value->type));
    }
    *out = value && value->boolean;
    return true;
}

// --- frames -----------------------------------------------------------------------------------

static const char *without_ending(wri_arena *arena, const char *name)
{
    static const char *const endings[] = {".png", ".ase", ".aseprite", ".psd",
                                          ".gif", ".jpg", ".webp",     ".bmp"};
    size_t length = strlen(name);
    for (int i = 0; i < WRI_COUNT(endings); i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(name + length - tail, endings[i]) == 0) {
            return wri_arena_text(arena, name, length - tail);
        }
    }
    return name;
}

static bool read_source(wri_reader *r, const wri_json *json, wri_cell *cell)
{
    const wri_json *source, *place;
    if (!open_object(r, json, "sourceSize", &source) ||
        !open_object(r, json, "spriteSourceSize", &place)) {
        return false;
    }
    cell->canvas[0] = cell->width;
    cell->canvas[1] = cell->height;
    if (source && (!read_whole(r, source, "w", 1, &cell->canvas[0]) ||
                   !read_whole(r, source, "h", 1, &cell->canvas[1]))) {
        return false;
    }
    if (place &&
        (!read_whole(r, place, "x", 0, &cell->left) || !read_whole(r, place, "y", 0, &cell->top))) {
        return false;
    }
    return (cell->left + cell->width <= cell->canvas[0] &&
            cell->top + cell->height <= cell->canvas[1]) ||
           wri_fail_at(r, json, "%d x %d pixels at %d, %d leave its \"sourceSize\" of %d x %d",
                       cell->width, cell->height, cell->left, cell->top, cell->canvas[0],
                       cell->canvas[1]);
}

static bool read_frame(wri_reader *r, const wri_json *json, int index, wri_cell *cell)
{
    const wri_json *name = wri_json_find(json, "filename"), *frame;
    cell->number = index;
    cell->at = json;
    cell->name = json->key ? json->key : name && name->type == WRI_JSON_STRING ? name->string : "";
    r->where = wri_arena_printf(r->arena, "frame %d \"%s\"", index, cell->name);
    cell->name = without_ending(r->arena, cell->name);
    if (!r->where || !cell->name) {
        return wri_fail_memory(r->error, 1);
    }
    if (json->type != WRI_JSON_OBJECT) {
        return wri_fail_at(r, json, "is %s, expected an object", wri_json_type_name(json->type));
    }
    if (!open_object(r, json, "frame", &frame)) {
        return false;
    }
    if (!frame) {
        return wri_fail_at(r, json, "has no \"frame\"");
    }
    return read_whole(r, frame, "x", 0, &cell->x) && read_whole(r, frame, "y", 0, &cell->y) &&
           read_whole(r, frame, "w", 1, &cell->width) &&
           read_whole(r, frame, "h", 1, &cell->height) &&
           read_flag(r, json, "rotated", &cell->is_rotated) && read_source(r, json, cell);
}

// --- tags -------------------------------------------------------------------------------------

// Frames of a tag are called by it and their number in it.
static bool read_tag(wri_reader *r, const wri_json *json, wri_sheet *sheet, uint8_t *tagged)
{
    const wri_json *name = wri_json_find(json, "name");
    int from, to;
    if (json->type != WRI_JSON_OBJECT || !name || name->type != WRI_JSON_STRING) {
        return wri_fail_at(r, json, "a tag without a \"name\"");
    }
    if (!read_whole(r, json, "from", 0, &from) || !read_whole(r, json, "to", 0, &to)) {
        return false;
    }
    if (from > to || to >= sheet->cell_count) {
        return wri_fail_at(r, json, "tag \"%s\" goes from frame %d to %d of %d", name->string, from,
                           to, sheet->cell_count);
    }
    for (int i = from; i <= to; i++) {
        if (tagged[i]) {
            continue; // the first tag counts
        }
        tagged[i] = 1;
        sheet->cells[i].name =
            from == to ? name->string : wri_arena_printf(r->arena, "%s %d", name->string, i - from);
        if (!sheet->cells[i].name) {
            return wri_fail_memory(r->error, 1);
        }
    }
    return true;
}

static bool read_tags(wri_reader *r, const wri_json *meta, wri_sheet *sheet)
{
    const wri_json *tags = wri_json_find(meta, "frameTags");
    uint8_t tagged[CELLS] = {0};
    r->where = "frameTags";
    if (!tags) {
        return true;
    }
    if (!wri_expect(r, tags, WRI_JSON_ARRAY)) {
        return false;
    }
    for (int i = 0; i < tags->count; i++) {
        if (!read_tag(r, &tags->items[i], sheet, tagged)) {
            return false;
        }
    }
    return true;
}

// --- all of them ------------------------------------------------------------------------------

static bool is_taken(const wri_sheet *sheet, int count, const char *name)
{
    bool taken = name[0] == '\0';
    for (int i = 0; i < count; i++) {
        taken = taken || strcmp(sheet->cells[i].name, name) == 0;
    }
    return taken;
}

bool wri_sheet_begin_with(wri_arena *arena, wri_sheet *sheet, int first, wr_error *error)
{
    if (first >= sheet->cell_count) {
        return wri_fail(error, WR_E_FORMAT, "there is no cell %d, the last is %d", first,
                        sheet->cell_count - 1);
    }
    wri_cell rest = sheet->cells[first];
    memmove(sheet->cells + 1, sheet->cells, (size_t)first * sizeof rest);
    sheet->cells[0] = rest;
    sheet->cells[0].name = "rest";
    for (int i = 1; i < sheet->cell_count; i++) {
        const char *wish = sheet->cells[i].name;
        wish = wish[0] ? wish : "cell";
        const char *name = wish;
        for (int n = 2; name && is_taken(sheet, i, name); n++) {
            name = wri_arena_printf(arena, "%s %d", wish, n);
        }
        if (!name) {
            return wri_fail_memory(error, strlen(wish));
        }
        sheet->cells[i].name = name;
    }
    return true;
}

static void find_canvas(wri_sheet *sheet)
{
    for (int i = 0; i < sheet->cell_count; i++) {
        const int *size = sheet->cells[i].canvas;
        sheet->width = size[0] > sheet->width ? size[0] : sheet->width;
        sheet->height = size[1] > sheet->height ? size[1] : sheet->height;
    }
}

// Programs write where the picture was when they wrote it; it is looked for beside the data.
static const char *beside(const char *name)
{
    const char *last = name;
    for (const char *c = name; *c; c++) {
        last = *c == '/' || *c == '\\' ? c + 1 : last;
    }
    return wri_is_neighbour(name) && !strchr(name, '\\') ? name : last;
}

static bool read_meta(wri_reader *r, const wri_json *root, wri_sheet *out)
{
    const wri_json *meta;
    r->where = "sheet";
    if (!open_object(r, root, "meta", &meta)) {
        return false;
    }
    const wri_json *image = wri_json_find(meta, "image");
    if (image && image->type != WRI_JSON_STRING) {
        return wri_fail_at(r, image, "\"image\" is %s, expected a text",
                           wri_json_type_name(image->type));
    }
    out->image = image && beside(image->string)[0] ? beside(image->string) : NULL;
    return !meta || read_tags(r, meta, out);
}

bool wri_sheet_parse(wri_arena *arena, const char *text, size_t size, const char *path,
                     wri_sheet *out, wr_error *error)
{
    wri_reader r = {.arena = arena, .path = path, .where = "sheet", .error = error};
    const wri_json *root = wri_json_parse(arena, text, size, path, false, error);
    *out = (wri_sheet){.path = path};
    if (!root) {
        return false;
    }
    const wri_json *frames = wri_json_find(root, "frames");
    if (!frames || (frames->type != WRI_JSON_ARRAY && frames->type != WRI_JSON_OBJECT)) {
        return wri_fail_at(&r, frames ? frames : root,
                           "has no list of \"frames\", expected what Aseprite or TexturePacker "
                           "writes as JSON");
    }
    if (frames->count < 1 || frames->count > CELLS) {
        return wri_fail_at(&r, frames, "has %d frames, expected 1 to %d", frames->count, CELLS);
    }
    out->cells = wri_arena_alloc(arena, (size_t)frames->count, sizeof *out->cells);
    if (!out->cells) {
        return wri_fail_memory(error, (size_t)frames->count * sizeof *out->cells);
    }
    for (; out->cell_count < frames->count; out->cell_count++) {
        if (!read_frame(&r, &frames->items[out->cell_count], out->cell_count,
                        &out->cells[out->cell_count])) {
            return false;
        }
    }
    find_canvas(out);
    return read_meta(&r, root, out);
}

bool wri_sheet_read(wri_arena *arena, const char *path, wri_sheet *out, wr_error *error)
{
    size_t size;
    char *text = wri_file_read(path, SHEET_BYTES, &arena->allocator, &size, error);
    bool ok = text && wri_sheet_parse(arena, text, size, path, out, error);
    if (text) {
        wri_free(&arena->allocator, text, size + 1, 1);
    }
    return ok;
}

bool wri_sheet_from_grid(wri_arena *arena, const wr_image *picture, int columns, int rows,
                         wri_sheet *out, wr_error *error)
{
    int count = columns * rows;
    *out = (wri_sheet){.width = picture->width / columns, .height = picture->height / rows};
    if (picture->width % columns != 0 || picture->height % rows != 0) {
        return wri_fail(error, WR_E_FORMAT,
                        "%s: has %d x %d pixels, which do not divide into %d columns and %d rows",
                        picture->name, picture->width, picture->height, columns, rows);
    }
    out->cells = wri_arena_alloc(arena, (size_t)count, sizeof *out->cells);
    if (!out->cells) {
        return wri_fail_memory(error, (size_t)count * sizeof *out->cells);
    }
    for (int i = 0; i < count; i++) {
        out->cells[i] = (wri_cell){.name = wri_arena_printf(arena, "cell %d", i),
                                   .number = i,
                                   .x = i % columns * out->width,
                                   .y = i / columns * out->height,
                                   .width = out->width,
                                   .height = out->height,
                                   .canvas = {out->width, out->height}};
        if (!out->cells[i].name) {
            return wri_fail_memory(error, 1);
        }
    }
    out->cell_count = count;
    return true;
}

// --- pixels -----------------------------------------------------------------------------------

bool wri_sheet_check(const wri_sheet *sheet, const wr_image *picture, wr_error *error)
{
    for (int i = 0; i < sheet->cell_count; i++) {
        const wri_cell *c = &sheet->cells[i];
        int w = c->is_rotated ? c->height : c->width, h = c->is_rotated ? c->width : c->height;
        if (c->x + w <= picture->width && c->y + h <= picture->height) {
            continue;
        }
        wri_reader r = {.path = sheet->path, .where = "sheet", .error = error};
        return wri_fail_at(&r, c->at,
                           "frame %d, %d x %d pixels at %d, %d, leaves %s of %d x %d pixels", i, w,
                           h, c->x, c->y, picture->name, picture->width, picture->height);
    }
    return true;
}

void wri_sheet_cut(const wri_sheet *sheet, const wr_image *picture, int cell, uint8_t *pixels)
{
    const wri_cell *c = &sheet->cells[cell];
    size_t width = (size_t)sheet->width;
    int left = (sheet->width - c->canvas[0]) / 2 + c->left;
    int top = sheet->height - c->canvas[1] + c->top;
    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++) {
            // Turned clockwise, the left column is the top row, read from the right.
            int i = c->x + (c->is_rotated ? c->height - 1 - y : x);
            int j = c->y + (c->is_rotated ? x : y);
            size_t from = 4 * ((size_t)j * (size_t)picture->width + (size_t)i);
            size_t to = 4 * ((size_t)(top + y) * width + (size_t)(left + x));
            memcpy(pixels + to, picture->pixels + from, 4);
        }
    }
}

static bool is_empty(const wri_cell *c, const wr_image *picture)
{
    int w = c->is_rotated ? c->height : c->width, h = c->is_rotated ? c->width : c->height;
    for (int y = c->y; y < c->y + h; y++) {
        for (int x = c->x; x < c->x + w; x++) {
            if (picture->pixels[4 * ((size_t)y * (size_t)picture->width + (size_t)x) + 3] > 127) {
                return false;
            }
        }
    }
    return true;
}

bool wri_sheet_drop_empty(wri_sheet *sheet, const wr_image *picture, wr_error *error)
{
    while (sheet->cell_count > 1 && is_empty(&sheet->cells[sheet->cell_count - 1], picture)) {
        sheet->cell_count--;
    }
    for (int i = 0; i < sheet->cell_count; i++) {
        const wri_cell *c = &sheet->cells[i];
        if (!is_empty(c, picture)) {
            continue;
        }
        if (!c->at) {
            return wri_fail(error, WR_E_FORMAT,
                            "%s: cell %d is transparent everywhere, expected a shape",
                            picture->name, i);
        }
        wri_reader r = {.path = sheet->path, .where = "sheet", .error = error};
        return wri_fail_at(&r, c->at, "frame %d is transparent everywhere in %s, expected a shape",
                           i, picture->name);
    }
    return true;
}
