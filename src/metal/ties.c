// ties.c: fragments that the engine joins at every vertex they share, and when such a tie tears.
//
// The way of the paper and the thesis (5.2.4): every vertex that was one before the cut is a point
// constraint with an impulse at which it breaks. Theirs is a number of the scene, the same for all;
// here it is the bond's limit (fracture.c) divided among its ties, so that `break` means the same
// with both: a bond that is pulled straight breaks at the same load, whatever the mesh. How a bond
// that is bent shares its load among its ties is left to the engine.
#include "metal.h"

#include "../math/double3.h"

#include <float.h>

// --- assets -----------------------------------------------------------------------------------

static const float WIDEST_GAP = 0.02f; // of a tie, body sizes
static const float FAR_OPEN = 1e37f;   // N s: no limit of a tie that can tear is as much

// Fewer places than this cannot hold two bodies in place, as fragments that nearly touch need.
enum { LEAST_TIES = 3 };

static void add_tie(wr_metal_asset *asset, int bond, wr_vec3 at)
{
    const wr_bond *b = &asset->bonds[bond];
    asset->ties[asset->tie_count++] = (wr_metal_tie){b->a, b->b, bond, at};
    asset->bond_ties[bond]++;
}

// Three places on a bond, 120 degrees apart: their radius of gyration is the bond's.
static void add_triangle(wr_metal_asset *asset, int bond)
{
    const wr_bond *b = &asset->bonds[bond];
    bool touches = b->area > 0.0f;
    const float *c = asset->center;
    wr_vec3 at = touches ? b->at : wr_v3(c[0], c[1], c[2]), n = b->normal;
    float radius = touches ? b->radius : 0.3f * asset->L;
    wr_vec3 side = fabsf(n.x) < 0.6f ? wr_v3(1, 0, 0) : wr_v3(0, 1, 0);
    wr_vec3 u = wr_normalize(wr_cross(n, side)), v = wr_cross(n, u);
    static const float cosines[3] = {1.0f, -0.5f, -0.5f},
                       sines[3] = {0.0f, 0.8660254f, -0.8660254f};
    for (int i = 0; i < LEAST_TIES; i++) {
        wr_vec3 place = wr_add_scaled(at, radius * cosines[i], u);
        add_tie(asset, bond, wr_add_scaled(place, radius * sines[i], v));
    }
}

static int bond_of(const wr_metal_asset *asset, uint64_t pair)
{
    int a = asset->fragments[pair >> 32], b = asset->fragments[pair & 0xffffffff];
    return asset->bond_between[a * asset->F + b];
}

bool wri_metal_find_ties(wr_metal_asset *asset, wri_arena *temporary)
{
    size_t bonds = (size_t)asset->bond_count;
    int count = wri_metal_list_links(asset, temporary, NULL);
    uint64_t *pairs = wri_arena_alloc(temporary, (size_t)(count > 0 ? count : 0), sizeof *pairs);
    int *shared = wri_arena_alloc(temporary, bonds, sizeof *shared);
    asset->bond_ties = wri_arena_alloc(&asset->arena, bonds, sizeof *asset->bond_ties);
    asset->ties = wri_arena_alloc(
        &asset->arena, (size_t)(count > 0 ? count : 0) + LEAST_TIES * bonds, sizeof *asset->ties);
    if (count < 0 || !pairs || !shared || !asset->bond_ties || !asset->ties ||
        wri_metal_list_links(asset, temporary, pairs) < 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        shared[bond_of(asset, pairs[i])]++;
    }
    for (int i = 0; i < count; i++) {
        int bond = bond_of(asset, pairs[i]);
        if (shared[bond] >= LEAST_TIES) {
            add_tie(asset, bond, asset->rest[pairs[i] >> 32]);
        }
    }
    for (int i = 0; i < asset->bond_count; i++) {
        if (shared[i] < LEAST_TIES) {
            add_triangle(asset, i);
        }
    }
    return true;
}

const wr_metal_tie *wr_metal_asset_ties(const wr_metal_asset *asset, int *count)
{
    *count = asset->tie_count;
    return asset->ties;
}

// --- bodies -----------------------------------------------------------------------------------

bool wri_metal_can_tear(wr_metal *body)
{
    if (body->parameters.joined != WR_METAL_JOINED_TIES) {
        return true;
    }
    size_t ties = (size_t)body->asset->tie_count;
    body->tie_loads = wri_arena_alloc(&body->arena, ties, sizeof *body->tie_loads);
    return body->tie_loads != NULL;
}

void wr_metal_add_tie_impulse(wr_metal *body, int tie, wr_vec3 impulse)
{
    WR_ASSERT(tie >= 0 && tie < body->asset->tie_count);
    if (!wr_is_finite3(impulse)) {
        body->statistics.refused++;
    } else if (body->tie_loads && !body->tie_loads[tie].torn) {
        double *fresh = body->tie_loads[tie].fresh;
        fresh[0] += (double)impulse.x;
        fresh[1] += (double)impulse.y;
        fresh[2] += (double)impulse.z;
    }
}

void wr_metal_set_tie_gap(wr_metal *body, int tie, float gap)
{
    WR_ASSERT(tie >= 0 && tie < body->asset->tie_count);
    if (body->tie_loads && gap > WIDEST_GAP * body->asset->L) {
        wr_metal_add_tie_impulse(body, tie, wr_v3(10.0f * FAR_OPEN, 0, 0));
    }
}

bool wr_metal_tie_holds(const wr_metal *body, int tie)
{
    WR_ASSERT(body->tie_loads && tie >= 0 && tie < body->asset->tie_count);
    return body->tie_loads[tie].torn == 0;
}

bool wri_metal_ties_loaded(const wr_metal *body)
{
    bool any = false;
    for (int i = 0; body->tie_loads && i < body->asset->tie_count && !any; i++) {
        const wri_tie_load *load = &body->tie_loads[i];
        any = !load->torn && (wri_dot3(load->impulse, load->impulse) > 0.0 ||
                              wri_dot3(load->fresh, load->fresh) > 0.0);
    }
    return any;
}

static bool has_ties(const wr_metal *body, int bond)
{
    bool any = false;
    for (int i = 0; i < body->asset->tie_count && !any; i++) {
        any = body->asset->ties[i].bond == bond && !body->tie_loads[i].torn;
    }
    return any;
}

// The loads at which the ties of a bond tore, N s. They tear one after the other, so what is on the
// body when the last one does says little of the hit.
static double load_of(const wr_metal *body, int bond)
{
    double sum = 0.0;
    for (int i = 0; i < body->asset->tie_count; i++) {
        bool is_of = body->asset->ties[i].bond == bond;
        sum += is_of ? wri_length3(body->tie_loads[i].impulse) : 0.0;
    }
    return sum;
}

// What is torn keeps its load. One that was too far open was given more than any tie can pass on.
static void tear(wri_tie_load *load, double carried, double limit)
{
    load->torn = 1;
    for (int k = 0; k < 3; k++) {
        load->impulse[k] *= carried < FAR_OPEN ? 1.0 : limit / carried;
    }
}

// Adds what is new to the window. What is too little to matter is forgotten, so that a body can
// come to rest.
static double add_to_window(const wr_metal *body, wri_tie_load *load)
{
    for (int k = 0; k < 3; k++) {
        load->impulse[k] = load->impulse[k] * body->window_decay + load->fresh[k];
        load->fresh[k] = 0.0;
    }
    double carried = wri_length3(load->impulse);
    if (carried < 1e-7 * body->mass * (double)body->asset->v_L / body->asset->tie_count) {
        memset(load->impulse, 0, sizeof load->impulse);
    }
    return carried;
}

void wri_metal_tear(wr_metal *body)
{
    const wr_metal_asset *asset = body->asset;
    for (int i = 0; i < asset->tie_count; i++) {
        int bond = asset->ties[i].bond;
        wri_tie_load *load = &body->tie_loads[i];
        double limit =
            wri_metal_bond_limit(body, &asset->bonds[bond]) / (double)asset->bond_ties[bond];
        double carried = load->torn ? 0.0 : add_to_window(body, load);
        if (carried > limit) {
            tear(load, carried, limit);
            if (!has_ties(body, bond)) {
                wri_metal_break_bond(body, bond, load_of(body, bond), 1.0);
            }
        }
    }
}

void wri_metal_reset_ties(wr_metal *body)
{
    for (int i = 0; body->tie_loads && i < body->asset->tie_count; i++) {
        int bond = body->asset->ties[i].bond;
        body->tie_loads[i] = (wri_tie_load){.torn = body->broken[bond / 64] >> (bond % 64) & 1};
    }
}
