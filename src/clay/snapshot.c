// snapshot.c: a body of clay as bytes, for this program on this machine.
#include "clay.h"

static const uint64_t MAGIC = 0x31504e5359414c43; // "CLAYSNP1"

typedef struct head {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t count;
    wri_clay_state state;
} head;

enum { UNCHECKED = 16 };

static void *column_of(const wri_clay *c, const wri_clay_column *column)
{
    return *(void **)((char *)(uintptr_t)c + column->offset);
}

static size_t bytes_of(const wri_clay_column *column, int count)
{
    return column->size * (size_t)count;
}

static size_t size_of(int count)
{
    int columns;
    const wri_clay_column *column = wri_clay_columns(&columns);
    size_t sum = sizeof(head);
    for (int i = 0; i < columns; i++) {
        sum += column[i].is_state ? bytes_of(&column[i], count) : 0;
    }
    return sum;
}

uint64_t wr_clay_hash(const wr_clay_world *world, int body)
{
    const wri_clay *c = wri_clay_of(world, body);
    int columns;
    const wri_clay_column *column = wri_clay_columns(&columns);
    uint64_t hash = wri_hash(&c->state, sizeof c->state, (uint64_t)c->count);
    for (int i = 0; i < columns; i++) {
        if (column[i].is_state) {
            hash = wri_hash(column_of(c, &column[i]), bytes_of(&column[i], c->count), hash);
        }
    }
    return hash;
}

size_t wr_clay_save_size(const wr_clay_world *world, int body)
{
    return size_of(wri_clay_of(world, body)->count);
}

void wr_clay_save(const wr_clay_world *world, int body, void *bytes)
{
    const wri_clay *c = wri_clay_of(world, body);
    int columns;
    const wri_clay_column *column = wri_clay_columns(&columns);
    head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.count = c->count;
    memcpy(&h.state, &c->state, sizeof h.state);
    memcpy(bytes, &h, sizeof h);
    uint8_t *out = (uint8_t *)bytes + sizeof h;
    for (int i = 0; i < columns; i++) {
        if (column[i].is_state) {
            memcpy(out, column_of(c, &column[i]), bytes_of(&column[i], c->count));
            out += bytes_of(&column[i], c->count);
        }
    }
    h.check = wri_hash((uint8_t *)bytes + UNCHECKED, size_of(c->count) - UNCHECKED, 0);
    memcpy((uint8_t *)bytes + offsetof(head, check), &h.check, sizeof h.check);
}

static bool check_bytes(const head *h, const void *bytes, size_t size, wr_error *error)
{
    bool fits = h->magic == MAGIC && h->count >= 1 && h->count <= WR_CLAY_PARTICLES_MAX &&
                size == size_of((int)h->count);
    if (!fits || h->check != wri_hash((const uint8_t *)bytes + UNCHECKED, size - UNCHECKED, 0)) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of clay is damaged");
    }
    return true;
}

static bool check_indices(const wri_clay *c, wr_error *error)
{
    for (int i = 0; i < c->count * NEIGHBOURS; i++) {
        if (c->neighbours[i] < 0 || c->neighbours[i] >= c->count) {
            return wri_fail(error, WR_E_FORMAT,
                            "the state of a body of clay names particle %d of "
                            "%d",
                            c->neighbours[i], c->count);
        }
    }
    for (int i = 0; i < c->count; i++) {
        if (c->component[i] < 0 || c->component[i] >= c->count) {
            return wri_fail(error, WR_E_FORMAT, "the state of a body of clay names part %d of %d",
                            c->component[i], c->count);
        }
        if (c->grip[i] >= WR_CLAY_GRIPS_MAX) {
            return wri_fail(error, WR_E_FORMAT, "the state of a body of clay names grip %d of %d",
                            c->grip[i], WR_CLAY_GRIPS_MAX);
        }
    }
    return true;
}

// Indices are made harmless where they are refused: the body is there still.
static bool fail_harmless(wri_clay *c)
{
    for (int i = 0; i < c->count * NEIGHBOURS; i++) {
        c->neighbours[i] = i / NEIGHBOURS;
    }
    for (int i = 0; i < c->count; i++) {
        c->component[i] = i;
        c->grip[i] = 0;
    }
    wri_clay_find_reverse(c);
    return false;
}

bool wr_clay_restore(wr_clay_world *world, int body, const void *bytes, size_t size,
                     wr_error *error)
{
    wri_clay *c = wri_clay_of(world, body);
    head h;
    if (size < sizeof h) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of clay is cut off");
    }
    memcpy(&h, bytes, sizeof h);
    if (!check_bytes(&h, bytes, size, error)) {
        return false;
    }
    if (!wri_clay_reserve(c, (int)h.count)) {
        return wri_fail_memory(error, size);
    }
    int columns;
    const wri_clay_column *column = wri_clay_columns(&columns);
    const uint8_t *in = (const uint8_t *)bytes + sizeof h;
    c->count = (int)h.count;
    c->frozen = false;
    memcpy(&c->state, &h.state, sizeof c->state);
    for (int i = 0; i < columns; i++) {
        if (column[i].is_state) {
            memcpy(column_of(c, &column[i]), in, bytes_of(&column[i], c->count));
            in += bytes_of(&column[i], c->count);
        }
    }
    if (!check_indices(c, error)) {
        return fail_harmless(c);
    }
    wri_clay_ease(c);
    wri_clay_find_reverse(c);
    wri_clay_find_all_bases(c, NULL);
    return true;
}

bool wr_clay_is_sound(const wr_clay_world *world, int body)
{
    const float fastest = WR_CLAY_SPEED_MAX;
    const wri_clay *c = wri_clay_of(world, body);
    bool sound = true;
    for (int i = 0; i < c->count; i++) {
        sound = sound && wr_is_finite3(f4_vec3(c->x[i])) && wr_is_finite3(f4_vec3(c->e[i])) &&
                f4_dot(c->v[i], c->v[i]) <= fastest * fastest; // false for NaN, too
    }
    return sound;
}
