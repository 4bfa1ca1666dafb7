// recipe_new_drawing.c: a first recipe for a picture, layers of pictures or a sprite sheet.
//
// The larger side of what is drawn becomes about a metre. Handles are placed where limbs and middle
// are, with names that say where; layers hang on the one with the most area, each where it overlaps
// most with one that hangs already.
#include "build.h"

#include "../base/os.h"
#include "../file/keys.h"
#include "outline.h"

#include <math.h>

enum { VERTICES = 300, HANDLES = 8 };

typedef struct picture {
    const char *name; // name of the layer
    wr_image image;
    double area;         // pixels
    int low[2], high[2]; // bounds of what is there, pixels, y up
    int handles;
} picture;

typedef struct pin {
    int layer, to;
    double at[2]; // pixels
} pin;

typedef struct starter {
    const wr_recipe_start *start;
    wri_arena arena;
    picture *pictures;
    int count;
    pin *pins;
    int pin_count;
    bool is_sheet;
    double pixel; // metres
    int low[2], high[2];
    wri_array out, names;
    const char *first, *second; // handles, for the example
    wr_error *error;
} starter;

// --- words ------------------------------------------------------------------------------------

static const char *quote(starter *s, const char *text)
{
    wri_json_writer w = wri_json_writer_create(&s->arena.allocator, false);
    wri_json_write_string(&w, NULL, text);
    const char *json = wri_json_finish(&w);
    const char *copy = json ? wri_arena_text(&s->arena, json, strlen(json)) : "\"\"";
    wri_json_writer_destroy(&w);
    return copy ? copy : "\"\"";
}

// Writes metres to a tenth of a millimetre.
static const char *metres(starter *s, double value)
{
    char text[32];
    wri_print_float(text, sizeof text, (float)(floor(1e4 * value + 0.5) / 1e4));
    const char *copy = wri_arena_text(&s->arena, text, strlen(text));
    return copy ? copy : "0";
}

// A name that is not there yet: "top", "top 2", ...
static const char *new_name(starter *s, const char *wish)
{
    const char *name = wish;
    for (int n = 2;; n++) {
        bool taken = false;
        for (int i = 0; i < s->names.count; i++) {
            taken = taken || strcmp(WRI_ITEM(s->names, const char *, i), name) == 0;
        }
        if (!taken) {
            break;
        }
        name = wri_arena_printf(&s->arena, "%s %d", wish, n);
        if (!name) {
            return NULL;
        }
    }
    const char **slot = wri_array_add(&s->names, 1);
    return slot ? (*slot = name) : NULL;
}

// "folder/arm.png" is "arm".
static const char *stem(starter *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strcspn(name, ".");
    const char *text = wri_arena_text(&s->arena, length ? name : "layer", length ? length : 5);
    return text ? new_name(s, text) : NULL;
}

// Returns the place of a point within a picture, in words.
static const char *direction(const picture *p, double x, double y)
{
    static const char *const words[3][3] = {{"bottom left", "bottom", "bottom right"},
                                            {"left", "middle", "right"},
                                            {"top left", "top", "top right"}};
    double u = 2.0 * (x - p->low[0]) / (p->high[0] - p->low[0]) - 1.0;
    double v = 2.0 * (y - p->low[1]) / (p->high[1] - p->low[1]) - 1.0;
    int column = u < -0.33 ? 0 : u > 0.33 ? 2 : 1, row = v < -0.33 ? 0 : v > 0.33 ? 2 : 1;
    return words[row][column];
}

// --- pictures ---------------------------------------------------------------------------------

static bool is_there(const picture *p, int x, int y)
{
    size_t row = (size_t)(p->image.height - 1 - y);
    return p->image.pixels[4 * (row * (size_t)p->image.width + (size_t)x) + 3] > 127;
}

static bool measure_picture(starter *s, picture *p)
{
    wri_arena arena = wri_arena_create(NULL);
    wri_outline outline;
    bool ok = wri_outline_find(&p->image, &arena, &outline, s->error);
    p->area = ok ? outline.area : 0.0;
    p->low[0] = p->image.width;
    p->low[1] = p->image.height;
    for (int i = 0; ok && i < outline.loop_begin[outline.loop_count]; i++) {
        for (int k = 0; k < 2; k++) {
            int low = (int)outline.points[i][k], high = low + 1;
            p->low[k] = low < p->low[k] ? low : p->low[k];
            p->high[k] = high > p->high[k] ? high : p->high[k];
        }
    }
    wri_arena_destroy(&arena);
    return ok;
}

static bool read_pictures(starter *s)
{
    const wr_recipe_start *start = s->start;
    int64_t left = WRI_DRAWING_PIXELS;
    for (int i = 0; i < s->count; i++) {
        picture *p = &s->pictures[i];
        const char *path = i == 0 ? start->path : start->more_paths[i - 1];
        if (!wri_is_picture(path)) {
            return wri_fail(s->error, WR_E_ARGUMENT, "%s: is no .png, expected layers of a drawing",
                            path);
        }
        p->name = stem(s, path);
        if (!p->name || !wri_read_picture(&s->arena, path, &left, &p->image, s->error)) {
            return p->name ? false : wri_fail_memory(s->error, 1);
        }
        p->image.name = path;
    }
    return true;
}

// The first cell of a sheet is the drawing.
static bool read_sheet(starter *s)
{
    const wr_recipe_start *start = s->start;
    wri_sheet sheet;
    wr_image image;
    int64_t left = WRI_DRAWING_PIXELS;
    const char *path = start->path;
    if (start->grid[0] == 0) {
        if (!wri_sheet_read(&s->arena, path, &sheet, s->error)) {
            return false;
        }
        const char *folder = wri_path_folder(&s->arena, path);
        if (!sheet.image) {
            return wri_fail(s->error, WR_E_FORMAT,
                            "%s: \"meta\" names no picture, expected an \"image\"", path);
        }
        path = folder ? wri_path_join(&s->arena, folder, sheet.image) : NULL;
    }
    if (!path || !wri_read_picture(&s->arena, path, &left, &image, s->error)) {
        return path ? false : wri_fail_memory(s->error, 1);
    }
    image.name = path;
    if (!(start->grid[0] == 0 ? wri_sheet_check(&sheet, &image, s->error)
                              : wri_sheet_from_grid(&s->arena, &image, start->grid[0],
                                                    start->grid[1], &sheet, s->error)) ||
        !wri_sheet_drop_empty(&sheet, &image, s->error)) {
        return false;
    }
    if ((int64_t)sheet.width * sheet.height > WRI_DRAWING_PIXELS) {
        return wri_fail(s->error, WR_E_UNSUPPORTED, "%s: cells of %d x %d pixels are too large",
                        start->path, sheet.width, sheet.height);
    }
    uint8_t *pixels = wri_arena_alloc(&s->arena, 4 * (size_t)sheet.width * (size_t)sheet.height, 1);
    if (!pixels) {
        return wri_fail_memory(s->error, 4 * (size_t)sheet.width * (size_t)sheet.height);
    }
    wri_sheet_cut(&sheet, &image, 0, pixels);
    s->pictures[0] = (picture){.name = "", .image = {path, sheet.width, sheet.height, pixels}};
    return true;
}

// Chooses a pixel so that the larger side is about a metre, in two digits.
static void choose_pixel(starter *s)
{
    int width = s->high[0] - s->low[0], height = s->high[1] - s->low[1];
    double wish = 1.0 / (width > height ? width : height);
    double digit = pow(10.0, floor(log10(wish)) - 1.0);
    s->pixel = floor(wish / digit + 0.5) * digit;
}

static bool read_drawing(starter *s)
{
    if (!(s->is_sheet ? read_sheet(s) : read_pictures(s))) {
        return false;
    }
    for (int i = 0; i < s->count; i++) {
        picture *p = &s->pictures[i];
        if (!measure_picture(s, p)) {
            return false;
        }
        for (int k = 0; k < 2; k++) {
            s->low[k] = i == 0 || p->low[k] < s->low[k] ? p->low[k] : s->low[k];
            s->high[k] = i == 0 || p->high[k] > s->high[k] ? p->high[k] : s->high[k];
        }
        if (p->image.width != s->pictures[0].image.width ||
            p->image.height != s->pictures[0].image.height) {
            return wri_fail(s->error, WR_E_ARGUMENT,
                            "%s: has %d x %d pixels where %s has %d x %d; expected layers of one "
                            "size (a recipe can place others with \"at\")",
                            p->image.name, p->image.width, p->image.height,
                            s->pictures[0].image.name, s->pictures[0].image.width,
                            s->pictures[0].image.height);
        }
    }
    choose_pixel(s);
    return true;
}

// --- pins -------------------------------------------------------------------------------------

// Returns the number of pixels two layers share; at: the one of them nearest to their middle.
static int64_t find_overlap(const picture *a, const picture *b, double at[2])
{
    int low[2], high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = a->low[k] > b->low[k] ? a->low[k] : b->low[k];
        high[k] = a->high[k] < b->high[k] ? a->high[k] : b->high[k];
    }
    int64_t count = 0;
    double sum[2] = {0, 0}, nearest = INFINITY;
    for (int round = 0; round < 2; round++) {
        for (int y = low[1]; y < high[1]; y++) {
            for (int x = low[0]; x < high[0]; x++) {
                if (!is_there(a, x, y) || !is_there(b, x, y)) {
                    continue;
                }
                if (round == 0) {
                    sum[0] += x + 0.5;
                    sum[1] += y + 0.5;
                    count++;
                    continue;
                }
                double d =
                    hypot(x + 0.5 - sum[0] / (double)count, y + 0.5 - sum[1] / (double)count);
                if (d < nearest) {
                    nearest = d;
                    at[0] = x + 0.5;
                    at[1] = y + 0.5;
                }
            }
        }
    }
    return count;
}

static bool find_pins(starter *s)
{
    uint8_t *hangs = wri_arena_alloc(&s->arena, (size_t)s->count, 1);
    s->pins = wri_arena_alloc(&s->arena, (size_t)s->count, sizeof *s->pins);
    if (!hangs || !s->pins) {
        return wri_fail_memory(s->error, (size_t)s->count * sizeof *s->pins);
    }
    int root = 0;
    for (int i = 1; i < s->count; i++) {
        root = s->pictures[i].area > s->pictures[root].area ? i : root;
    }
    hangs[root] = 1;
    for (int64_t most = 1; most > 0;) {
        pin best = {0};
        most = 0;
        for (int i = 0; i < s->count * s->count; i++) {
            pin p = {.layer = i / s->count, .to = i % s->count};
            if (hangs[p.layer] || !hangs[p.to]) {
                continue;
            }
            int64_t shared = find_overlap(&s->pictures[p.layer], &s->pictures[p.to], p.at);
            if (shared > most) {
                most = shared;
                best = p;
            }
        }
        if (most > 0) {
            hangs[best.layer] = 1;
            s->pins[s->pin_count++] = best;
        }
    }
    return true;
}

// --- handles ----------------------------------------------------------------------------------

static bool share_out(starter *s)
{
    int left = s->start->handles > 0 ? s->start->handles : HANDLES;
    int count = left > s->count ? left : s->count;
    if (count + s->pin_count > WR_FLAT_HANDLES_MAX) { // every pin is one, too
        return wri_fail(s->error, WR_E_ARGUMENT,
                        "%s: %d handles and %d pins, expected at most %d together for a drawing",
                        s->start->path, count, s->pin_count, WR_FLAT_HANDLES_MAX);
    }
    for (int i = 0; i < s->count; i++, left--) {
        s->pictures[i].handles = 1;
    }
    for (; left > 0; left--) {
        picture *best = s->pictures;
        for (int i = 1; i < s->count; i++) {
            picture *p = &s->pictures[i];
            best = p->area / (p->handles + 1) > best->area / (best->handles + 1) ? p : best;
        }
        best->handles++;
    }
    return true;
}

static bool write_handle(starter *s, const picture *p, wr_vec3 at, bool is_last)
{
    const char *word = direction(p, (double)at.x, (double)at.y);
    word = s->count > 1 ? wri_arena_printf(&s->arena, "%s %s", p->name, word) : word;
    const char *name = word ? new_name(s, word) : NULL;
    if (!name) {
        return wri_fail_memory(s->error, 1);
    }
    wri_say(&s->out, "      { \"name\": %s, \"at\": [%s, %s]", quote(s, name),
            metres(s, (double)at.x * s->pixel), metres(s, (double)at.y * s->pixel));
    if (s->count > 1) {
        wri_say(&s->out, ", \"layer\": %s", quote(s, p->name));
    }
    wri_say(&s->out, " }%s\n", is_last ? "" : ",");
    s->second = s->first && !s->second ? name : s->second;
    s->first = s->first ? s->first : name;
    return true;
}

static bool write_handles(starter *s, int index)
{
    const picture *p = &s->pictures[index];
    wr_planar_desc desc = wr_planar_desc_default();
    desc.image = &p->image;
    desc.metres_per_pixel = 1.0;
    desc.vertices = s->start->vertices > 0 ? s->start->vertices : VERTICES;
    wr_vec3 pin_place;
    for (int i = 0; i < s->pin_count; i++) { // its pin is a handle of its own
        if (s->pins[i].layer == index) {
            pin_place = wr_v3((float)s->pins[i].at[0], (float)s->pins[i].at[1], 0.0f);
            desc.handles = &pin_place;
            desc.handle_count = 1;
        }
    }
    wr_lattice *l = wr_lattice_create_planar(&desc, s->error);
    if (!l) {
        return false;
    }
    const wr_solid solid = {2, l->vertex_count, l->rest, l->element_count, l->elements};
    int placed = desc.handle_count > 0 && l->handle_vertices[0] >= 0;
    wr_handle_set *set =
        wr_handles_spread(&solid, l->handle_vertices, placed, placed + p->handles, NULL, s->error);
    bool ok = set != NULL;
    for (int i = 0; ok && i < p->handles; i++) {
        ok = write_handle(s, p, set->handles[placed + i].pivot,
                          index == s->count - 1 && i == p->handles - 1);
    }
    wr_handle_set_destroy(set);
    wr_lattice_destroy(l);
    return ok;
}

// --- text -------------------------------------------------------------------------------------

static void write_source(starter *s)
{
    static const char cell[] = "\"cell\": 0 }, // the drawing: best one with all limbs apart";
    const wr_recipe_start *start = s->start;
    if (s->is_sheet && start->grid[0] > 0) {
        wri_say(&s->out, "  \"sheet\": { \"image\": %s, \"grid\": [%d, %d], %s\n",
                quote(s, start->model), start->grid[0], start->grid[1], cell);
    } else if (s->is_sheet) {
        wri_say(&s->out, "  \"sheet\": { \"data\": %s, %s\n", quote(s, start->model), cell);
    } else if (s->count == 1) {
        wri_say(&s->out, "  \"model\": %s,\n", quote(s, start->model));
    } else {
        wri_say(&s->out, "  \"layers\": [ // the hindmost first\n");
        for (int i = 0; i < s->count; i++) {
            wri_say(&s->out, "    { \"name\": %s, \"image\": %s }%s\n",
                    quote(s, s->pictures[i].name),
                    quote(s, i == 0 ? start->model : start->more_models[i - 1]),
                    i < s->count - 1 ? "," : "");
        }
        wri_say(&s->out, "  ],\n  \"pins\": [ // where a layer hangs on another\n");
        for (int i = 0; i < s->pin_count; i++) {
            const pin *p = &s->pins[i];
            wri_say(&s->out, "    { \"layer\": %s, \"at\": [%s, %s], \"to\": %s }%s\n",
                    quote(s, s->pictures[p->layer].name), metres(s, p->at[0] * s->pixel),
                    metres(s, p->at[1] * s->pixel), quote(s, s->pictures[p->to].name),
                    i < s->pin_count - 1 ? "," : "");
        }
        if (s->pin_count < s->count - 1) {
            wri_say(&s->out, "    // Some layers overlap with no other: they hang on nothing.\n");
        }
        wri_say(&s->out, "  ],\n");
    }
}

static void write_head(starter *s)
{
    char pixel[32];
    wri_print_float(pixel, sizeof pixel, (float)s->pixel);
    wri_say(&s->out,
            "// How a drawing becomes an asset. Change what you like, then:\n"
            "//   wrought rig THIS.recipe.json\n"
            "//   wrought render THIS.asset.glb --view weights --sheet -o handles.png\n"
            "//   wrought render THIS.asset.glb --view examples --sheet -o poses.png\n"
            "// Lengths are metres from the drawing's lower left corner, +Y up. docs/recipe.md\n"
            "{\n  \"wrought\": 1,\n");
    write_source(s);
    wri_say(
        &s->out,
        "  \"simulation\": { \"vertices\": %d, \"pixel\": %s }, // its larger side is about 1 m\n",
        s->start->vertices > 0 ? s->start->vertices : VERTICES, pixel);
    wri_say(&s->out,
            "  \"handles\": {\n    \"place\": [ // what you move; call them as you like\n");
}

static void write_tail(starter *s)
{
    wri_say(&s->out, "    ]\n  },\n  \"examples\": [\n");
    if (s->is_sheet) {
        wri_say(&s->out, "    // Every other cell of the sheet is an example; more poses:\n");
    } else {
        wri_say(&s->out,
                "    // A pose: handles that are moved, metres, and turned, degrees; how "
                "the others turn is\n    // found. With \"follow\": true they go along.\n");
    }
    const char *moved = s->second ? s->second : s->first;
    wri_say(&s->out,
            "    { \"name\": \"pose\", \"move\": { %s: [0.1, 0.05] } }\n"
            "    // , { \"name\": \"lean\", \"turn\": { %s: { \"axis\": [0, 0, 1], \"by\": 20 } }, "
            "\"follow\": true }\n  ]",
            quote(s, moved), quote(s, s->first));
    if (s->start->material && s->start->preset) {
        wri_say(&s->out, ",\n  \"material\": { %s: %s }", quote(s, s->start->material),
                quote(s, s->start->preset));
    } else if (s->start->material) {
        wri_say(&s->out, ",\n  \"material\": %s", quote(s, s->start->material));
    }
    wri_say(&s->out, "\n}\n");
}

static bool write_all(starter *s)
{
    if (!read_drawing(s) || (s->count > 1 && !find_pins(s)) || !share_out(s)) {
        return false;
    }
    write_head(s);
    bool ok = true;
    for (int i = 0; ok && i < s->count; i++) {
        ok = write_handles(s, i);
    }
    if (ok) { // its examples speak of the handles
        write_tail(s);
    }
    return ok;
}

char *wri_recipe_new_drawing(const wr_recipe_start *start, bool is_sheet, size_t *size,
                             wr_error *error)
{
    starter s = {.start = start,
                 .arena = wri_arena_create(NULL),
                 .count = 1 + start->more_count,
                 .is_sheet = is_sheet,
                 .out = wri_array_create(NULL, 1),
                 .names = wri_array_create(NULL, sizeof(char *)),
                 .error = error};
    s.pictures = wri_arena_alloc(&s.arena, (size_t)s.count, sizeof *s.pictures);
    bool ok = (s.pictures || wri_fail_memory(error, 1)) && write_all(&s);
    char *text = NULL;
    if (ok) {
        text = wri_finish_text(&s.out, size, error);
    } else {
        wri_array_destroy(&s.out);
    }
    wri_array_destroy(&s.names);
    wri_arena_destroy(&s.arena);
    return text;
}
