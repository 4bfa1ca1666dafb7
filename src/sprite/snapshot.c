// snapshot.c: a sprite as bytes, for this program on this machine.
#include "world.h"

static const uint64_t MAGIC = 0x3350414e53525053; // "SPRSNAP3"

typedef struct head {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t particle_count, example_count, simplex_count;
    uint64_t drawing;                // hash of its rest shape and masses
    wr_sprite_parameters parameters; // their pointer is not read back
    wri_sprite_state state;
} head;

enum { ARRAYS = 4, UNCHECKED = 16 };

static void list_arrays(const wri_sprite *s, float *arrays[ARRAYS])
{
    arrays[0] = s->x;
    arrays[1] = s->y;
    arrays[2] = s->vx;
    arrays[3] = s->vy;
}

static uint64_t hash_drawing(const wr_sprite_asset *asset)
{
    size_t size = (size_t)asset->N * sizeof(float);
    return wri_hash(asset->masses, size, wri_hash(asset->rest, 2 * size, 0));
}

static uint64_t hash_particles(const wri_sprite *s)
{
    float *arrays[ARRAYS];
    uint64_t hash = 0;
    list_arrays(s, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        hash = wri_hash(arrays[k], (size_t)s->asset->N * sizeof(float), hash);
    }
    return hash;
}

size_t wr_sprite_save_size(const wr_sprite_world *world, int sprite)
{
    size_t n = (size_t)wri_sprite_of(world, sprite)->asset->N;
    return sizeof(head) + ARRAYS * n * sizeof(float);
}

uint64_t wr_sprite_hash(const wr_sprite_world *world, int sprite)
{
    const wri_sprite *s = wri_sprite_of(world, sprite);
    uint64_t hash = wri_hash(&s->state, sizeof s->state, hash_particles(s));
    return wri_sprite_hash_parameters(&s->parameters, s->asset->E, hash);
}

void wr_sprite_save(const wr_sprite_world *world, int sprite, void *bytes)
{
    const wri_sprite *s = wri_sprite_of(world, sprite);
    size_t size = (size_t)s->asset->N * sizeof(float);
    float *arrays[ARRAYS];
    head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.particle_count = s->asset->N;
    h.example_count = s->asset->E;
    h.simplex_count = s->asset->simplex_count;
    h.drawing = hash_drawing(s->asset);
    wri_sprite_copy_parameters(&s->parameters, &h.parameters);
    memcpy(&h.state, &s->state, sizeof h.state);
    memcpy(bytes, &h, sizeof h);
    list_arrays(s, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        memcpy((uint8_t *)bytes + sizeof h + (size_t)k * size, arrays[k], size);
    }
    h.check = wri_hash((uint8_t *)bytes + UNCHECKED, sizeof h + ARRAYS * size - UNCHECKED, 0);
    memcpy((uint8_t *)bytes + offsetof(head, check), &h.check, sizeof h.check);
}

static bool check_nails(const wr_sprite_asset *asset, const wri_sprite_state *state)
{
    bool ok = state->nail_count >= 0 && state->nail_count <= WR_SPRITE_NAILS_MAX;
    for (int k = 0; ok && k < state->nail_count; k++) {
        const wri_nail *nail = &state->nails[k];
        ok = nail->particle >= 0 && nail->particle < asset->N &&
             wri_sprite_is_number(nail->place[0]) && wri_sprite_is_number(nail->place[1]);
        for (int i = 0; i < k; i++) {
            ok = ok && state->nails[i].particle != nail->particle;
        }
    }
    return ok;
}

static bool check_head(const wri_sprite *s, const head *h, wr_error *error)
{
    const wr_sprite_asset *asset = s->asset;
    if (h->particle_count != asset->N || h->example_count != asset->E ||
        h->simplex_count != asset->simplex_count || h->drawing != hash_drawing(asset)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: of another drawing, with %lld particles",
                        (long long)h->particle_count);
    }
    if (!wri_sprite_is_point(asset, h->state.m_p) || !wri_sprite_is_point(asset, h->state.before) ||
        !wri_sprite_is_point(asset, h->state.wished) || !wri_sprite_is_point(asset, h->state.q) ||
        h->state.steps < 0) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: a pose that is not in the manifold");
    }
    if (!check_nails(asset, &h->state)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: a nail in no particle of the drawing");
    }
    return true;
}

bool wr_sprite_restore(wr_sprite_world *world, int sprite, const void *bytes, size_t size,
                       wr_error *error)
{
    if (!WRI_REQUIRE(error, world, bytes) || !wri_sprite_exists(world, sprite, error)) {
        return false;
    }
    wri_sprite *s = wri_sprite_of(world, sprite);
    size_t row = (size_t)s->asset->N * sizeof(float);
    if (size != wr_sprite_save_size(world, sprite)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: %zu bytes, expected %zu", size,
                        wr_sprite_save_size(world, sprite));
    }
    uint64_t magic, check;
    memcpy(&magic, bytes, sizeof magic);
    memcpy(&check, (const uint8_t *)bytes + offsetof(head, check), sizeof check);
    if (magic != MAGIC ||
        check != wri_hash((const uint8_t *)bytes + UNCHECKED, size - UNCHECKED, 0)) {
        return wri_fail(error, WR_E_FORMAT, "snapshot: not one of a sprite, or damaged");
    }
    head h;
    memcpy(&h, bytes, sizeof h);
    h.parameters.drag_of_example = s->parameters.drag_of_example;
    if (!check_head(s, &h, error) || !wri_sprite_check_parameters(s->asset, &h.parameters, error)) {
        return false;
    }
    const uint8_t *from = (const uint8_t *)bytes + sizeof h;
    float *arrays[ARRAYS];
    list_arrays(s, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        memcpy(arrays[k], from + (size_t)k * row, row);
    }
    memcpy(&s->state, &h.state, sizeof s->state); // with what lies between its members
    wri_sprite_prepare_nails(s);
    s->removed = false;
    s->parameters = h.parameters;
    wri_sprite_show(s);
    return true;
}

bool wr_sprite_is_sound(const wr_sprite_world *world, int sprite)
{
    const wri_sprite *s = wri_sprite_of(world, sprite);
    float *arrays[ARRAYS], sum = 0.0f;
    list_arrays(s, arrays);
    for (int k = 0; k < ARRAYS; k++) {
        for (int i = 0; i < s->asset->N; i++) {
            sum += arrays[k][i] - arrays[k][i]; // 0, or NaN of what is not finite
        }
    }
    const wri_sprite_state *t = &s->state;
    return sum == 0.0f && isfinite(t->origin[0]) && isfinite(t->origin[1]) && isfinite(t->angle) &&
           isfinite(t->control_rate) && isfinite(t->angular_velocity) && isfinite(t->p[0]) &&
           isfinite(t->p[1]) && isfinite(t->impact_energy);
}
