// pose.c: the shape of a point of the pose manifold (eq. 4.1), and how it changes.
//
// Turns are angles in the plane, where the mean of angles is slerp; stretch, offsets and
// correctives blend linearly: what wr_skin_blend does, but flat and with closed derivatives. With s
// the shares of the corners k of a simplex and theta = sum s_k theta_k, S = sum s_k S_k, d = sum
// s_k d_k:
//     A = R(theta) S - I      dA/ds_k = theta_k R'(theta) S + R(theta) S_k
// Where two corners turn a handle more than half a turn apart, it goes the shorter way round; there
// alone wr_skin_blend, which always goes by the rest shape, differs.
#include "sprite.h"

#include "../math/elementary.h"

static const float PI = 3.14159265f, HALF_TURN = 3.1417f; // just above pi: half a turn goes by rest
enum { LANES = WRI_LANES };

// --- preparation ------------------------------------------------------------------------------

// Finds the 2x2 block of R(q) T; false where the map leads out of the plane.
static bool flat_block(const wr_handle_pose *pose, double a[2][2])
{
    const float *t = pose->stretch;
    const float stretch[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    wr_mat3 r = wr_mat3_from_quat(wr_quat_normalize(pose->rotation));
    double out = 0.0, in = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += (double)r.m[i][k] * (double)stretch[k][j];
            }
            if (i < 2) {
                a[i][j] = sum;
                in += fabs(sum);
            } else {
                out += fabs(sum);
            }
        }
    }
    return out <= 1e-3 * (1.0 + in);
}

// Brings a pose into the plane. A turn about z is taken as it is; other rotations (half a turn
// about an axis in the plane, where the map mirrors) by the polar decomposition of what they do in
// the plane.
static bool flatten_pose(const wr_handle_pose *pose, float scale, wri_flat_pose *flat)
{
    double a[2][2];
    if (!flat_block(pose, a)) {
        return false;
    }
    wr_quat q = pose->rotation;
    float s, c, side = q.w < 0.0f ? -1.0f : 1.0f; // the hemisphere of rest
    float turn = 2.0f * wri_atan2(side * q.z, side * q.w);
    flat->bend = (wri_lanes){turn, pose->stretch[0], pose->stretch[1], pose->stretch[3]};
    flat->offset = (wri_lanes){scale * pose->offset.x, scale * pose->offset.y};
    if (fabsf(q.x) + fabsf(q.y) > 1e-3f) {
        turn = wri_atan2((float)(a[1][0] - a[0][1]), (float)(a[0][0] + a[1][1]));
        wri_sin_cos(turn, &s, &c);
        flat->bend = (wri_lanes){turn, (float)((double)c * a[0][0] + (double)s * a[1][0]),
                                 (float)((double)c * a[1][1] - (double)s * a[0][1]),
                                 (float)((double)c * a[0][1] + (double)s * a[1][1])};
    }
    return true;
}

// Sums a row of weights, which are as a skin keeps them: nothing below 0, rows of sum 1; a row
// without any stays at rest.
static double row_sum(const wr_rig *rig, int i)
{
    double sum = 0.0;
    for (int b = 0; i >= 0 && b < rig->handle_count; b++) {
        float w = rig->weights[(size_t)i * (size_t)rig->handle_count + (size_t)b];
        sum += w > 0.0f ? (double)w : 0.0;
    }
    return sum;
}

static double weight_of(const wr_rig *rig, int i, int b, double sum)
{
    if (i < 0 || !(sum > 0.0)) {
        return 0.0;
    }
    double w = (double)rig->weights[(size_t)i * (size_t)rig->handle_count + (size_t)b] / sum;
    return w > 1e-6 ? w : 0.0;
}

// Counts the entries of quad g, on from `entry`; writes them when there is room.
static int pack_entries(const wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                        const int *points, wri_pose_pack *pack, int g, int entry, bool write)
{
    const wr_rig *rig = desc->rig;
    double sums[2 * LANES] = {0};
    int begin = LANES * g, lanes = pack->count - begin < LANES ? pack->count - begin : LANES;
    for (int k = 0; k < 2 * lanes; k++) {
        sums[k] = row_sum(rig, points[2 * begin + k]);
    }
    for (int b = 0; b < asset->B; b++) {
        double p[3][LANES] = {0};
        bool felt = false;
        for (int k = 0; k < 2 * lanes; k++) {
            int i = points[2 * begin + k];
            double w = weight_of(rig, i, b, sums[k]);
            if (w > 0.0) {
                double side = k % 2 ? -w : w;
                p[0][k / 2] += side * (double)(asset->rest[i] - asset->pivots[2 * b]);
                p[1][k / 2] +=
                    side * (double)(asset->rest[asset->N + i] - asset->pivots[2 * b + 1]);
                p[2][k / 2] += side;
                felt = true;
            }
        }
        for (int m = 0; felt && write && m < 3; m++) {
            pack->entry_handles[entry] = b;
            for (int k = 0; k < LANES; k++) {
                pack->entries[3 * entry + m][k] = (float)p[m][k];
            }
        }
        entry += felt;
    }
    return entry;
}

static void pack_rest(const wr_sprite_asset *asset, const int *points, wri_pose_pack *pack)
{
    for (int k = 0; k < 2 * pack->count; k++) {
        int i = points[k];
        if (i >= 0) {
            float side = k % 2 ? -1.0f : 1.0f;
            wri_lanes *rest = &pack->rest[2 * (k / 2 / LANES)];
            rest[0][k / 2 % LANES] += side * asset->rest[i];
            rest[1][k / 2 % LANES] += side * asset->rest[asset->N + i];
        }
    }
}

static void pack_correctives(const wr_sprite_asset_desc *desc, const int *points,
                             wri_pose_pack *pack)
{
    for (int e = 0; e < desc->rig->example_count; e++) {
        const wr_vec3 *from = desc->rig->examples[e].correctives;
        wri_lanes *to = &pack->correctives[2 * (size_t)e * (size_t)pack->quad_count];
        for (int k = 0; from && k < 2 * pack->count; k++) {
            if (points[k] >= 0) {
                float side = k % 2 ? -desc->scale : desc->scale;
                to[2 * (k / 2 / LANES)][k / 2 % LANES] += side * from[points[k]].x;
                to[2 * (k / 2 / LANES) + 1][k / 2 % LANES] += side * from[points[k]].y;
            }
        }
    }
}

bool wri_sprite_pack(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc, const int *points,
                     int count, wri_pose_pack *pack)
{
    wri_arena *arena = &asset->arena;
    int quads = (count + LANES - 1) / LANES, entries = 0;
    bool corrected = false;
    for (int e = 0; e < asset->E; e++) {
        corrected = corrected || desc->rig->examples[e].correctives;
    }
    *pack = (wri_pose_pack){.count = count, .quad_count = quads};
    pack->entry_begin = wri_arena_alloc(arena, (size_t)quads + 1, sizeof(int));
    pack->rest = wri_arena_alloc(arena, 2 * (size_t)quads, sizeof(wri_lanes));
    if (corrected) {
        pack->correctives =
            wri_arena_alloc(arena, 2 * (size_t)quads * (size_t)asset->E, sizeof(wri_lanes));
    }
    if (!pack->entry_begin || !pack->rest || (corrected && !pack->correctives)) {
        return false;
    }
    for (int g = 0; g < quads; g++) {
        entries = pack_entries(asset, desc, points, pack, g, entries, false);
        pack->entry_begin[g + 1] = entries;
    }
    pack->entry_handles = wri_arena_alloc(arena, (size_t)entries, sizeof(int));
    pack->entries = wri_arena_alloc(arena, 3 * (size_t)entries, sizeof(wri_lanes));
    if (!pack->entry_handles || !pack->entries) {
        return false;
    }
    for (int g = 0; g < quads; g++) {
        pack_entries(asset, desc, points, pack, g, pack->entry_begin[g], true);
    }
    pack_rest(asset, points, pack);
    if (corrected) {
        pack_correctives(desc, points, pack);
    }
    return true;
}

bool wri_sprite_prepare_poses(wr_sprite_asset *asset, const wr_sprite_asset_desc *desc,
                              wr_error *error)
{
    const wr_rig *rig = desc->rig;
    size_t B = (size_t)asset->B, E = (size_t)asset->E, N = (size_t)asset->N;
    asset->pivots = wri_arena_alloc(&asset->arena, B, 2 * sizeof(float));
    asset->poses = wri_arena_alloc(&asset->arena, E * B, sizeof(wri_flat_pose));
    int *points = wri_alloc(desc->allocator, N, 2 * sizeof(int));
    bool ok = asset->pivots && asset->poses && points;
    for (int b = 0; ok && b < asset->B; b++) {
        asset->pivots[2 * b] = desc->scale * rig->handles[b].pivot.x;
        asset->pivots[2 * b + 1] = desc->scale * rig->handles[b].pivot.y;
    }
    for (int i = 0; ok && i < asset->N; i++) {
        points[2 * i] = i;
        points[2 * i + 1] = -1;
    }
    ok = ok && wri_sprite_pack(asset, desc, points, asset->N, &asset->particles);
    if (!ok) {
        wri_fail_memory(error, asset->arena.total);
    }
    for (size_t k = 0; ok && k < E * B; k++) {
        int e = (int)(k / B), b = (int)(k % B);
        if (!flatten_pose(&rig->examples[e].poses[b], desc->scale, &asset->poses[k])) {
            ok = wri_fail(error, WR_E_ARGUMENT,
                          "rig: example %d, \"%s\", turns handle %d out of the plane", e,
                          asset->example_names[e], b);
        }
    }
    wri_free(desc->allocator, points, N, 2 * sizeof(int));
    return ok;
}

// --- posing -----------------------------------------------------------------------------------

// Collects the poses of one handle in the corners of a simplex. The turns of all corners are taken
// on the side of the first that is nearer.
static void gather_poses(const wr_sprite_asset *asset, const wr_simplex *simplex, int b,
                         wri_flat_pose *poses)
{
    poses[0] = asset->poses[simplex->corners[0] * asset->B + b];
    for (int k = 1; k < simplex->corner_count; k++) {
        poses[k] = asset->poses[simplex->corners[k] * asset->B + b];
        float away = poses[k].bend[0] - poses[0].bend[0];
        if (fabsf(away) > HALF_TURN) {
            poses[k].bend[0] += away > 0.0f ? -2.0f * PI : 2.0f * PI;
        }
    }
}

// Returns the sum with these factors: turn, S and d, or their change.
static wri_flat_pose mix_poses(const wri_flat_pose *poses, int count, const float *factors)
{
    wri_flat_pose sum = {factors[0] * poses[0].bend, factors[0] * poses[0].offset};
    for (int k = 1; k < count; k++) {
        sum.bend += factors[k] * poses[k].bend;
        sum.offset += factors[k] * poses[k].offset;
    }
    return sum;
}

// Returns R(c, s) S, row by row; S is the last three of the bend.
static wri_lanes turn_stretch(float c, float s, wri_lanes bend)
{
    float xx = bend[1], yy = bend[2], xy = bend[3];
    return (wri_lanes){c * xx - s * xy, c * xy - s * yy, s * xx + c * xy, s * xy + c * yy};
}

void wri_sprite_pose_fields(const wr_sprite_asset *asset, wr_sprite_point point,
                            const wri_shares *directions, int count, wri_pose_field *fields)
{
    const wr_simplex *simplex = &asset->simplices[point.simplex];
    memcpy(fields[0].shares, point.shares, sizeof point.shares);
    for (int m = 0; m < count; m++) {
        memcpy(fields[m + 1].shares, directions[m], sizeof directions[m]);
    }
    for (int b = 0; b < asset->B; b++) {
        wri_flat_pose poses[WR_SIMPLEX_CORNERS];
        gather_poses(asset, simplex, b, poses);
        wri_flat_pose pose = mix_poses(poses, simplex->corner_count, point.shares); // eq. 4.1
        float s, c;
        wri_sin_cos(pose.bend[0], &s, &c);
        wri_lanes RS = turn_stretch(c, s, pose.bend), identity = {1.0f, 0.0f, 0.0f, 1.0f};
        wri_lanes quarter = {-RS[2], -RS[3], RS[0], RS[1]}; // R' S
        fields[0].maps[b] = (wri_pose_map){RS - identity, pose.offset};
        for (int m = 0; m < count; m++) {
            wri_flat_pose change = mix_poses(poses, simplex->corner_count, directions[m]);
            fields[m + 1].maps[b] = (wri_pose_map){
                turn_stretch(c, s, change.bend) + change.bend[0] * quarter, change.offset};
        }
    }
}

void wri_sprite_pose_quad(const wri_pose_pack *pack, int g, const wr_simplex *simplex,
                          const wri_pose_field *field, wri_lanes out[2])
{
    wri_lanes x = {0}, y = {0};
    for (int k = pack->entry_begin[g]; k < pack->entry_begin[g + 1]; k++) {
        const wri_pose_map *map = &field->maps[pack->entry_handles[k]];
        const wri_lanes *p = &pack->entries[3 * k];
        x += map->a[0] * p[0] + map->a[1] * p[1] + map->d[0] * p[2];
        y += map->a[2] * p[0] + map->a[3] * p[1] + map->d[1] * p[2];
    }
    for (int k = 0; pack->correctives && k < simplex->corner_count; k++) {
        size_t row = (size_t)simplex->corners[k] * (size_t)pack->quad_count + (size_t)g;
        x += field->shares[k] * pack->correctives[2 * row];
        y += field->shares[k] * pack->correctives[2 * row + 1];
    }
    out[0] = x;
    out[1] = y;
}

// Writes x[stride * i], y[stride * i] of all particles (eq. 4.1).
static void pose_all(const wr_sprite_asset *asset, const wr_simplex *simplex,
                     const wri_pose_field *field, int stride, float *x, float *y)
{
    const wri_pose_pack *pack = &asset->particles;
    for (int g = 0; g < pack->quad_count; g++) {
        wri_lanes p[2];
        wri_sprite_pose_quad(pack, g, simplex, field, p);
        p[0] += pack->rest[2 * g];
        p[1] += pack->rest[2 * g + 1];
        for (int k = 0; k < LANES && LANES * g + k < pack->count; k++) {
            x[stride * (LANES * g + k)] = p[0][k];
            y[stride * (LANES * g + k)] = p[1][k];
        }
    }
}

void wri_sprite_shape(const wr_sprite_asset *asset, wr_sprite_point point, float *x, float *y)
{
    wri_pose_field field;
    wri_sprite_pose_fields(asset, point, NULL, 0, &field);
    pose_all(asset, &asset->simplices[point.simplex], &field, 1, x, y);
}

void wr_sprite_asset_shape(const wr_sprite_asset *asset, wr_sprite_point point, wr_vec2 *x)
{
    WR_ASSERT(wri_sprite_is_point(asset, point));
    wri_pose_field field;
    wri_sprite_pose_fields(asset, point, NULL, 0, &field);
    pose_all(asset, &asset->simplices[point.simplex], &field, 2, &x[0].x, &x[0].y);
}
