// snapshot.c: the whole state bit for bit. Positions are not in it: they follow from the weights;
// neither are weights that reached their goals, from which they follow. Both are most of a body.
// Goals are most of the rest; they are saved example by example and byte by byte, highest first,
// which packs a quarter better than rows.
#include "metal.h"

static const uint32_t MAGIC = 0x32534d57;

typedef struct saved_head {
    uint32_t magic, identity;
    int32_t N, E, patch_count;
    float restitution;
    float lag, since;
    float repair_due;
    float dt; // of the last step, 0: there was none
    double to_come2;
    wr_metal_statistics statistics;
} saved_head;

typedef struct section {
    void *memory;
    size_t size;
} section;

enum { SECTIONS = 12, GOALS = 0, WEIGHTS = 1 };

// Those of fracture are empty when the body cannot break.
static void list_sections(const wr_metal *body, section sections[SECTIONS])
{
    size_t n = (size_t)body->asset->N, C = (size_t)body->asset->C;
    size_t F = body->part_of ? (size_t)body->asset->F : 0;
    size_t bonds = (size_t)body->asset->bond_count, ties = (size_t)body->asset->tie_count;
    const section all[SECTIONS] = {
        {body->goal, n * C * sizeof *body->goal},
        {body->E, n * (C + 1) * sizeof *body->E},
        {body->fading, (n + 3) / 4 * sizeof *body->fading},
        {body->fresh, (n + 63) / 64 * sizeof *body->fresh},
        {body->bending, (n + 63) / 64 * sizeof *body->bending},
        {body->change, body->change ? n * (C + 1) * sizeof *body->change : 0},
        {body->loads, F * sizeof *body->loads},
        {body->broken, (bonds + 63) / 64 * sizeof *body->broken},
        {body->part_of, F},
        {(void *)(uintptr_t)body->patch_fragments, F ? sizeof body->patch_fragments : 0},
        {(void *)(uintptr_t)&body->slack, F ? sizeof body->slack : 0},
        {body->tie_loads, body->tie_loads ? ties * sizeof *body->tie_loads : 0},
    };
    memcpy(sections, all, sizeof all);
}

size_t wr_metal_save_size(const wr_metal *body)
{
    section sections[SECTIONS];
    list_sections(body, sections);
    size_t size = sizeof(saved_head) + sizeof body->patches;
    for (int i = 0; i < SECTIONS; i++) {
        size += sections[i].size;
    }
    return size;
}

static bool is_bending(const wr_metal *body, int slot)
{
    return body->bending[slot / 64] >> (slot % 64) & 1;
}

// Writes zeros in place of the rows that follow from their goals.
static void clear_rows(const wr_metal *body, uint8_t *rows)
{
    size_t row = (size_t)body->asset->E * sizeof(float);
    for (int v = 0; !body->change && v < body->asset->N; v++) {
        if (!is_bending(body, body->asset->slots[v])) {
            memset(rows + (size_t)v * row, 0, row);
        }
    }
}

static void save_goals(const wr_metal *body, uint8_t *to)
{
    size_t N = (size_t)body->asset->N, C = (size_t)body->asset->C;
    for (size_t i = 0; i < N; i++) {
        for (size_t e = 0; e < C; e++) {
            uint16_t goal = body->goal[i * C + e];
            to[e * N + i] = (uint8_t)(goal >> 8);
            to[(C + e) * N + i] = (uint8_t)goal;
        }
    }
}

// Goal of row i for example e, of what save_goals wrote.
static uint16_t saved_goal(const wr_metal_asset *asset, const uint8_t *from, size_t i, size_t e)
{
    size_t N = (size_t)asset->N, C = (size_t)asset->C;
    return (uint16_t)(from[e * N + i] << 8 | from[(C + e) * N + i]);
}

static void restore_goals(wr_metal *body, const uint8_t *from)
{
    size_t N = (size_t)body->asset->N, C = (size_t)body->asset->C;
    for (size_t i = 0; i < N; i++) {
        for (size_t e = 0; e < C; e++) {
            body->goal[i * C + e] = saved_goal(body->asset, from, i, e);
        }
    }
}

static void finish_rows(wr_metal *body)
{
    for (int v = 0; !body->change && v < body->asset->N; v++) {
        if (!is_bending(body, body->asset->slots[v])) {
            wri_metal_finish_row(body, body->asset->slots[v], v);
        }
    }
}

// Saves patches that are not there as zeros, so that equal states are equal bytes.
void wr_metal_save(const wr_metal *body, void *bytes)
{
    saved_head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.identity = body->asset->identity;
    h.N = body->asset->N;
    h.E = body->asset->E;
    h.patch_count = body->patch_count;
    h.restitution = body->restitution;
    h.lag = body->lag;
    h.since = body->since;
    h.to_come2 = body->to_come2;
    h.repair_due = body->repair_due;
    h.dt = body->dt;
    h.statistics = body->statistics;
    uint8_t *to = bytes;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    memset(to, 0, sizeof body->patches);
    memcpy(to, body->patches, (size_t)body->patch_count * sizeof body->patches[0]);
    to += sizeof body->patches;
    section sections[SECTIONS];
    list_sections(body, sections);
    for (int i = 0; i < SECTIONS; to += sections[i++].size) {
        if (sections[i].size > 0) {
            memcpy(to, sections[i].memory, sections[i].size);
        }
        if (i == GOALS) {
            save_goals(body, to);
        } else if (i == WEIGHTS) {
            clear_rows(body, to);
        }
    }
}

// Checks that rows are inside the simplex, so that nothing that follows can leave it; other numbers
// may be anything.
static bool check_saved(const wr_metal *body, const uint8_t *goals, wr_error *error)
{
    int C = body->asset->C, N = body->asset->N;
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int e = 0; e < C; e++) {
            sum += saved_goal(body->asset, goals, (size_t)i, (size_t)e);
        }
        if (sum > WRI_METAL_ONE) {
            return wri_fail(error, WR_E_FORMAT, "metal: vertex %d has weights above 1", i);
        }
    }
    return true;
}

static int count_bits(const wr_metal *body)
{
    int count = 0;
    for (int w = 0; w < (body->asset->N + 63) / 64; w++) {
        count += __builtin_popcountll(body->bending[w]);
    }
    return count;
}

// Numbers out of range, of bytes that somebody changed, are put where they do no harm.
static void restore_parts(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    body->broken_count = 0;
    for (int i = 0; i < asset->bond_count; i++) {
        body->broken_count += body->broken[i / 64] >> (i % 64) & 1;
    }
    uint64_t known = 0;
    body->part_count = 1;
    for (int f = 0; f < asset->F; f++) {
        uint8_t *part = &body->part_of[f];
        *part %= (uint8_t)asset->F;
        known |= (uint64_t)1 << *part;
        body->part_count = *part >= body->part_count ? *part + 1 : body->part_count;
    }
    if (known & (known + 1)) { // a part without fragments
        memset(body->part_of, 0, (size_t)asset->F);
        body->part_count = 1;
    }
    for (int i = 0; i < WRI_METAL_PATCHES; i++) {
        body->patch_fragments[i] %= (uint8_t)asset->F;
    }
    body->break_count = body->dent_count = 0;
}

bool wr_metal_restore(wr_metal *body, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE(error, body, bytes)) {
        return false;
    }
    saved_head h;
    if (size != wr_metal_save_size(body)) {
        return wri_fail(error, WR_E_FORMAT, "metal: %zu bytes, expected %zu", size,
                        wr_metal_save_size(body));
    }
    memcpy(&h, bytes, sizeof h);
    if (h.magic != MAGIC || h.identity != body->asset->identity || h.N != body->asset->N ||
        h.E != body->asset->E || h.patch_count < 0 || h.patch_count > WRI_METAL_PATCHES) {
        return wri_fail(error, WR_E_FORMAT, "metal: not a state of this asset, at byte 0");
    }
    const uint8_t *from = (const uint8_t *)bytes + sizeof h;
    if (!check_saved(body, from + sizeof body->patches, error)) {
        return false;
    }
    memcpy(body->patches, from, sizeof body->patches);
    from += sizeof body->patches;
    section sections[SECTIONS];
    list_sections(body, sections);
    for (int i = 0; i < SECTIONS; from += sections[i++].size) {
        if (i == GOALS) {
            restore_goals(body, from);
        } else if (sections[i].size > 0) {
            memcpy(sections[i].memory, from, sections[i].size);
        }
    }
    if (body->asset->N % 64) { // bits past the end are no vertices
        uint64_t last = ((uint64_t)1 << (body->asset->N % 64)) - 1;
        body->bending[body->asset->N / 64] &= last;
        body->fresh[body->asset->N / 64] &= last;
    }
    body->bending_count = count_bits(body);
    finish_rows(body);
    body->patch_count = h.patch_count;
    body->restitution = h.restitution;
    body->lag = h.lag;
    body->since = h.since;
    body->to_come2 = h.to_come2;
    body->repair_due = h.repair_due;
    wri_metal_set_dt(body, h.dt);
    body->statistics = h.statistics;
    if (body->part_of) {
        restore_parts(body);
    }
    wri_metal_mark_all(body);
    wri_metal_refresh(body);
    return true;
}

uint64_t wr_metal_hash(const wr_metal *body)
{
    section sections[SECTIONS];
    list_sections(body, sections);
    const float numbers[] = {body->restitution, body->lag, body->since, body->repair_due};
    uint64_t hash = wri_hash(numbers, sizeof numbers, 0);
    hash = wri_hash(&body->to_come2, sizeof body->to_come2, hash);
    hash = wri_hash(body->patches, (size_t)body->patch_count * sizeof body->patches[0], hash);
    for (int i = 0; i < SECTIONS; i++) {
        hash = sections[i].size > 0 ? wri_hash(sections[i].memory, sections[i].size, hash) : hash;
    }
    return hash;
}

bool wr_metal_is_sound(const wr_metal *body)
{
    bool sound = isfinite(body->restitution) && isfinite(body->statistics.to_come);
    for (int i = 0; i < body->changed_count; i++) {
        sound &= wr_is_finite3(body->x[body->changed[i]]);
    }
    for (int i = 0; i < body->patch_count; i++) {
        const wri_patch *s = &body->patches[i];
        for (int k = 0; k < 3; k++) {
            sound &=
                isfinite(s->point[k]) && isfinite(s->window_impulse[k]) && isfinite(s->load[k]);
        }
    }
    return sound;
}
