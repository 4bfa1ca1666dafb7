// moves.c: how far the render mesh goes in an example in which no handle moves.
//
// A ride then goes by m = sum_k w_k c_k + d, with c the correctives of its corners and d its
// detail. Where details were found as what the correctives leave of m, both ways give the same bits
// and m says it all: files keep it once, as the morph target that it is, in place of d.
#include "skin.h"

static void find_carried(const wr_rig *rig, const wr_vec3 *correctives, int ride, double out[3])
{
    const wr_ride *r = &rig->rides[ride];
    const int *corners = &rig->elements[(size_t)r->element * (size_t)(rig->dimension + 1)];
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k <= rig->dimension && correctives; k++) {
        wr_vec3 c = correctives[corners[k]];
        double w = r->weights[k];
        out[0] += w * (double)c.x;
        out[1] += w * (double)c.y;
        out[2] += w * (double)c.z;
    }
}

static wr_vec3 find_detail(const double carried[3], wr_vec3 m)
{
    return wr_v3((float)((double)m.x - carried[0]), (float)((double)m.y - carried[1]),
                 (float)((double)m.z - carried[2]));
}

void wri_rig_find_details(const wr_rig *rig, const wr_vec3 *correctives, const wr_vec3 *moves,
                          wr_vec3 *details)
{
    for (int i = 0; i < rig->ride_count; i++) {
        double carried[3];
        find_carried(rig, correctives, i, carried);
        details[i] = find_detail(carried, moves[i]);
    }
}

bool wri_poses_are_still(const wr_handle_pose *poses, int count)
{
    bool still = true;
    for (int b = 0; b < count && still; b++) {
        const wr_handle_pose *p = &poses[b];
        const float moved[] = {p->rotation.x,        p->rotation.y,        p->rotation.z,
                               p->offset.x,          p->offset.y,          p->offset.z,
                               p->stretch[0] - 1.0f, p->stretch[1] - 1.0f, p->stretch[2] - 1.0f,
                               p->stretch[3],        p->stretch[4],        p->stretch[5]};
        for (int i = 0; i < WRI_COUNT(moved); i++) {
            still = still && moved[i] == 0.0f;
        }
    }
    return still;
}

// What does not move at all is the likeliest, and no sum of floats says so.
static wr_vec3 find_move(const double carried[3], wr_vec3 detail)
{
    wr_vec3 still = find_detail(carried, wr_v3(0.0f, 0.0f, 0.0f));
    return memcmp(&still, &detail, sizeof still) == 0
               ? wr_v3(0.0f, 0.0f, 0.0f)
               : wr_v3((float)((double)detail.x + carried[0]),
                       (float)((double)detail.y + carried[1]),
                       (float)((double)detail.z + carried[2]));
}

bool wri_rig_find_moves(const wr_rig *rig, int example, wr_vec3 *moves)
{
    const wr_example *e = &rig->examples[example];
    bool ok = e->details && wri_poses_are_still(e->poses, rig->handle_count);
    for (int i = 0; i < rig->ride_count && ok; i++) {
        double carried[3];
        find_carried(rig, e->correctives, i, carried);
        moves[i] = find_move(carried, e->details[i]);
        wr_vec3 again = find_detail(carried, moves[i]);
        ok = memcmp(&again, &e->details[i], sizeof again) == 0;
    }
    return ok;
}
