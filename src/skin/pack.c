// pack.c: vertices in groups of four, with the handles that matter to them.
//
// Vertices follow a Morton curve through the rest shape, so that the four of a group are near each
// other and weigh nearly the same handles: their common list is then hardly longer than each.
#include "skin.h"

#include <stdlib.h>

// --- order ------------------------------------------------------------------------------------

// Puts two zero bits before each of the lower ten.
static uint64_t part_bits(uint32_t x)
{
    uint64_t out = 0;
    for (int k = 0; k < 10; k++) {
        out |= (uint64_t)(x >> k & 1u) << (3 * k);
    }
    return out;
}

static uint32_t cell_of(float x, float low, float size)
{
    float t = size > 0.0f ? (x - low) / size * 1023.0f : 0.0f;
    return t > 0.0f ? t < 1023.0f ? (uint32_t)t : 1023u : 0u;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool find_order(wr_skin *skin, const wr_rig *rig, wri_arena *temporary)
{
    int n = rig->vertex_count;
    uint64_t *keys = wri_arena_alloc(temporary, (size_t)n, sizeof *keys);
    if (!keys) {
        return false;
    }
    wr_box box = WR_BOX_EMPTY;
    for (int i = 0; i < n; i++) {
        box = wr_box_add(box, rig->rest[i]);
    }
    wr_vec3 s = wr_box_size(box);
    float size = fmaxf(s.x, fmaxf(s.y, s.z));
    for (int i = 0; i < n; i++) {
        wr_vec3 p = rig->rest[i];
        uint64_t code = part_bits(cell_of(p.x, box.min.x, size)) |
                        part_bits(cell_of(p.y, box.min.y, size)) << 1 |
                        part_bits(cell_of(p.z, box.min.z, size)) << 2;
        keys[i] = code << 32 | (uint32_t)i; // the index makes ties definite
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int k = 0; k < WRI_LANES * skin->group_count; k++) {
        int i = (int)(uint32_t)keys[k < n ? k : n - 1];
        skin->order[k] = i;
        if (k < n) {
            skin->slots[i] = k;
        }
    }
    return true;
}

// --- weights ----------------------------------------------------------------------------------

// Copies the row of vertex i without its small weights, with sum 1. The largest always stays.
static void keep_weights(const wr_rig *rig, int i, float least, float *row, wr_skin_info *info)
{
    const float *all = &rig->weights[(size_t)i * (size_t)rig->handle_count];
    float largest = 0.0f;
    double sum = 0.0, dropped = 0.0;
    for (int b = 0; b < rig->handle_count; b++) {
        largest = fmaxf(largest, all[b]);
    }
    float threshold = fminf(least, largest);
    int kept = 0;
    for (int b = 0; b < rig->handle_count; b++) {
        bool keep = all[b] >= threshold && all[b] > 0.0f;
        row[b] = keep ? all[b] : 0.0f;
        *(keep ? &sum : &dropped) += fabs((double)all[b]);
        kept += keep;
    }
    for (int b = 0; sum > 0.0 && b < rig->handle_count; b++) {
        row[b] = (float)(row[b] / sum);
    }
    info->handles_mean += (double)kept / rig->vertex_count;
    info->handles_max = kept > info->handles_max ? kept : info->handles_max;
    info->dropped_max = fmaxf(info->dropped_max, (float)dropped);
}

// Counts the turning handles that one of the four rows weighs, and lists them when there is room.
static int list_handles(const wr_skin *skin, const float *rows, int *handles, wri_lanes *weights)
{
    int count = 0, B = skin->info.handle_count;
    for (int t = 0; t < skin->info.turning_count; t++) {
        const float *w = &rows[skin->turning[t].index];
        wri_lanes four = {w[0], w[B], w[2 * B], w[3 * B]};
        if (four[0] != 0.0f || four[1] != 0.0f || four[2] != 0.0f || four[3] != 0.0f) {
            if (handles) {
                handles[count] = t;
                weights[count] = four;
            }
            count++;
        }
    }
    return count;
}

// Runs over all groups; the first time only counts.
static void list_all_handles(wr_skin *skin, const wr_rig *rig, float least, float *rows, bool write)
{
    size_t B = (size_t)rig->handle_count;
    wr_skin_info seen = {0};
    int total = 0;
    double turning = 0.0;
    for (int g = 0; g < skin->group_count; g++) {
        for (int k = 0; k < WRI_LANES; k++) {
            wr_skin_info again = {0}; // the last vertex may stand in several lanes
            int slot = WRI_LANES * g + k;
            bool first = slot < rig->vertex_count;
            keep_weights(rig, skin->order[slot], least, &rows[B * (size_t)k],
                         first ? &seen : &again);
            for (int t = 0; first && t < skin->info.turning_count; t++) {
                turning += rows[B * (size_t)k + (size_t)skin->turning[t].index] != 0.0f;
            }
        }
        skin->entry_begin[g] = total;
        total += list_handles(skin, rows, write ? &skin->entry_handles[total] : NULL,
                              write ? &skin->entry_weights[total] : NULL);
    }
    skin->entry_begin[skin->group_count] = skin->entry_count = total;
    skin->info.handles_mean = seen.handles_mean;
    skin->info.handles_max = seen.handles_max;
    skin->info.dropped_max = seen.dropped_max;
    skin->info.turning_mean = turning / rig->vertex_count;
    skin->info.group_mean = (double)total / skin->group_count;
}

// --- what needs no rotation -------------------------------------------------------------------

typedef struct vec3d {
    double x, y, z;
} vec3d;

static void add_scaled(vec3d *sum, double s, wr_vec3 v)
{
    sum->x += s * (double)v.x;
    sum->y += s * (double)v.y;
    sum->z += s * (double)v.z;
}

static double sum_of_weights(const wr_rig *rig, int i)
{
    double sum = 0.0;
    for (int b = 0; b < rig->handle_count; b++) {
        sum += (double)rig->weights[(size_t)i * (size_t)rig->handle_count + (size_t)b];
    }
    return sum;
}

// Returns T_ie = sum_b W_ib d_be + k_ie (skin.h). What the dropped weights would have turned in
// this example is added, so that the example itself, sculpted ones with their correctives above
// all, stays exact; only in-betweens lose it.
static wr_vec3 fold(const wr_skin *skin, const wr_rig *rig, const float *row, int i, int e)
{
    const float *all = &rig->weights[(size_t)i * (size_t)rig->handle_count];
    double total = sum_of_weights(rig, i);
    vec3d sum = {0};
    for (int b = 0; total > 0.0 && b < rig->handle_count; b++) {
        const wr_handle_pose *pose =
            &skin->poses[(size_t)e * (size_t)rig->handle_count + (size_t)b];
        double w = (double)all[b] / total;
        wr_vec3 v = wr_sub(rig->rest[i], skin->pivots[b]);
        add_scaled(&sum, w, pose->offset);
        add_scaled(&sum, w - (double)row[b], wr_sub(wr_rotate(pose->rotation, v), v));
    }
    if (rig->examples[e].correctives) {
        add_scaled(&sum, 1.0, rig->examples[e].correctives[i]);
    }
    return wr_v3((float)sum.x, (float)sum.y, (float)sum.z);
}

static void set_lane(wri_lanes *three, int lane, wr_vec3 v)
{
    three[0][lane] = v.x;
    three[1][lane] = v.y;
    three[2][lane] = v.z;
}

static void fold_all(wr_skin *skin, const wr_rig *rig, float least, float *row)
{
    int E = rig->example_count;
    wr_skin_info unused = {0};
    for (int k = 0; k < WRI_LANES * skin->group_count; k++) {
        int i = skin->order[k], g = k / WRI_LANES, lane = k % WRI_LANES;
        set_lane(&skin->rest[3 * (size_t)g], lane, rig->rest[i]);
        keep_weights(rig, i, least, row, &unused);
        for (int e = 1; e < E; e++) {
            size_t at = 3 * ((size_t)g * (size_t)(E - 1) + (size_t)(e - 1));
            set_lane(&skin->folded[at], lane, fold(skin, rig, row, i, e));
        }
    }
}

// --- all together -----------------------------------------------------------------------------

static void count_bytes(wr_skin *skin)
{
    size_t group = sizeof(wri_lanes) * 3 * (size_t)skin->info.example_count +     // u and T
                   sizeof(float) * WRI_LANES * (size_t)skin->info.example_count + // E
                   (sizeof(wr_vec3) + sizeof(int)) * WRI_LANES + sizeof(int);     // x, order
    skin->info.bytes_touched = group * (size_t)skin->group_count +
                               (sizeof(wri_lanes) + sizeof(int)) * (size_t)skin->entry_count +
                               (sizeof(wri_turn) + sizeof(int)) * (size_t)skin->turn_count +
                               sizeof(wri_turning_handle) * (size_t)skin->info.turning_count;
}

bool wri_skin_pack(wr_skin *skin, const wr_rig *rig, float least_weight, wri_arena *temporary)
{
    wri_arena *arena = &skin->arena;
    size_t n = (size_t)rig->vertex_count, E = (size_t)rig->example_count;
    skin->group_count = (rig->vertex_count + WRI_LANES - 1) / WRI_LANES;
    size_t groups = (size_t)skin->group_count;
    skin->order = wri_arena_alloc(arena, WRI_LANES * groups, sizeof(int));
    skin->slots = wri_arena_alloc(arena, n, sizeof(int));
    skin->rest = wri_arena_alloc(arena, 3 * groups, sizeof(wri_lanes));
    skin->folded = wri_arena_alloc(arena, 3 * groups * (E - 1), sizeof(wri_lanes));
    skin->entry_begin = wri_arena_alloc(arena, groups + 1, sizeof(int));
    float *rows = wri_arena_alloc(temporary, (size_t)rig->handle_count * WRI_LANES, sizeof *rows);
    if (!skin->order || !skin->slots || !skin->rest || !skin->folded || !skin->entry_begin ||
        !rows || !find_order(skin, rig, temporary)) {
        return false;
    }
    list_all_handles(skin, rig, least_weight, rows, false);
    skin->entry_handles = wri_arena_alloc(arena, (size_t)skin->entry_count, sizeof(int));
    skin->entry_weights = wri_arena_alloc(arena, (size_t)skin->entry_count, sizeof(wri_lanes));
    if (!skin->entry_handles || !skin->entry_weights) {
        return false;
    }
    list_all_handles(skin, rig, least_weight, rows, true);
    fold_all(skin, rig, least_weight, rows);
    count_bytes(skin);
    return true;
}
