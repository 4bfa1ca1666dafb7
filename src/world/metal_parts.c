// metal_parts.c: the rigid bodies of the engine that a metal body consists of.
//
// All parts have the frame of the asset, so a part that comes off is born with the pose of the one
// it was of, and with the velocity that its centre had as a point of that: momentum and angular
// momentum stay what they were. Fragments that are tied are parts from the start.
#include "metal_parts.h"

#include "../base/base.h"

static const float PARKED = 0.8f; // size of a piece that went, as a share of the one it is put in

bool wri_metal_parts_create(wri_metal_parts *p, const wr_metal *metal, const wr_metal_asset *asset,
                            const wr_allocator *allocator)
{
    wr_metal_asset_info info = wr_metal_asset_describe(asset);
    size_t parts = (size_t)info.fragment_count, places = parts * (size_t)info.piece_count;
    size_t points = parts > 1 ? parts * (size_t)info.piece_points : 0;
    *p = (wri_metal_parts){.allocator = *allocator,
                           .metal = metal,
                           .asset = asset,
                           .room = info.fragment_count,
                           .part_count = 1,
                           .piece_count = info.piece_count,
                           .fragment_count = info.fragment_count,
                           .point_count = parts > 1 ? info.piece_points : 0,
                           .event_room = 16 + info.fragment_count * info.fragment_count};
    const wr_allocator *a = &p->allocator;
    p->parts = wri_alloc(a, parts, sizeof *p->parts);
    p->slots = wri_alloc(a, places, sizeof *p->slots);
    p->pieces = wri_alloc(a, places, sizeof *p->pieces);
    p->changed = wri_alloc(a, places, sizeof *p->changed);
    p->parked = wri_alloc(a, points, sizeof *p->parked);
    p->fragment_parts = wri_alloc(a, parts, sizeof *p->fragment_parts);
    p->ages = wri_alloc(a, parts, sizeof *p->ages);
    p->events = wri_alloc(a, (size_t)p->event_room, sizeof *p->events);
    if (!p->parts || !p->slots || !p->pieces || !p->changed || !p->parked || !p->fragment_parts ||
        !p->ages || !p->events) {
        return false;
    }
    wr_material_part *part = p->parts;
    for (int i = 0; i < p->piece_count; i++) {
        p->slots[i] = (wri_metal_slot){i, wr_metal_asset_piece_fragment(asset, i)};
        p->pieces[i].points = wr_metal_piece_points(metal, i, &p->pieces[i].point_count);
        WR_ASSERT(p->pieces[i].points && p->pieces[i].point_count > 0);
    }
    part->pieces = p->pieces;
    part->piece_count = p->piece_count;
    part->piece_changed = p->changed;
    part->alive = true;
    return true;
}

void wri_metal_parts_destroy(wri_metal_parts *p)
{
    const wr_allocator *a = &p->allocator;
    size_t parts = (size_t)p->room, places = parts * (size_t)p->piece_count;
    wri_free(a, p->parts, parts, sizeof *p->parts);
    wri_free(a, p->slots, places, sizeof *p->slots);
    wri_free(a, p->pieces, places, sizeof *p->pieces);
    wri_free(a, p->changed, places, sizeof *p->changed);
    wri_free(a, p->parked, parts * (size_t)p->point_count, sizeof *p->parked);
    wri_free(a, p->fragment_parts, parts, sizeof *p->fragment_parts);
    wri_free(a, p->ages, parts, sizeof *p->ages);
    wri_free(a, p->events, (size_t)p->event_room, sizeof *p->events);
    wri_free(a, p->joints, (size_t)p->joint_count, sizeof *p->joints);
}

// The part that a fragment is of.
static int part_of(const wri_metal_parts *p, int fragment)
{
    return p->joints ? fragment : wr_metal_fragment_part(p->metal, fragment);
}

static wr_mass_properties mass_of(const wri_metal_parts *p, int part)
{
    return p->joints ? wr_metal_fragment_mass(p->metal, part) : wr_metal_part_mass(p->metal, part);
}

static int count_parts(const wri_metal_parts *p)
{
    return p->joints ? p->fragment_count : wr_metal_part_count(p->metal);
}

static int first_place(const wri_metal_parts *p, int part)
{
    return part * p->piece_count;
}

int wri_metal_parts_fragment(const wri_metal_parts *p, int part, int slot)
{
    int place = first_place(p, part);
    WR_ASSERT(part < p->part_count && slot < p->parts[part].piece_count);
    return p->parts[part].piece_count > 0 ? p->slots[place + (slot < 0 ? 0 : slot)].fragment : 0;
}

static bool has_gone(const wri_metal_parts *p, int part, const wri_metal_slot *slot)
{
    return part_of(p, wr_metal_asset_piece_fragment(p->asset, slot->piece)) != part;
}

// --- splitting --------------------------------------------------------------------------------

// The piece with the most points that is still there.
static const wri_metal_slot *find_survivor(const wri_metal_parts *p, int part)
{
    const wri_metal_slot *best = NULL;
    int most = 0;
    for (int i = 0; i < p->parts[part].piece_count; i++) {
        const wri_metal_slot *slot = &p->slots[first_place(p, part) + i];
        int count;
        wr_metal_piece_points(p->metal, slot->piece, &count);
        if (!has_gone(p, part, slot) && count > most) {
            most = count;
            best = slot;
        }
    }
    WR_ASSERT(best); // every fragment has a piece
    return best;
}

static void park(wri_metal_parts *p, int part)
{
    const wri_metal_slot *survivor = find_survivor(p, part);
    int count;
    const wr_vec3 *points = wr_metal_piece_points(p->metal, survivor->piece, &count);
    wr_vec3 middle = {0, 0, 0}, *out = &p->parked[part * p->point_count];
    for (int i = 0; i < count; i++) {
        middle = wr_add_scaled(middle, 1.0f / (float)count, points[i]);
    }
    for (int i = 0; i < p->parts[part].piece_count; i++) {
        int place = first_place(p, part) + i;
        wri_metal_slot *slot = &p->slots[place];
        wr_piece *piece = &p->pieces[place];
        if (!has_gone(p, part, slot)) {
            continue;
        }
        for (int k = 0; k < piece->point_count; k++) {
            out[k] = wr_add_scaled(middle, PARKED, wr_sub(points[k % count], middle));
        }
        piece->points = out;
        out += piece->point_count;
        slot->fragment = wr_metal_asset_piece_fragment(p->asset, survivor->piece);
        p->changed[place] = true;
    }
}

// The pieces of a part that came off, in the order of the asset's.
static void take_pieces(wri_metal_parts *p, int part)
{
    wr_material_part *out = &p->parts[part];
    int place = first_place(p, part);
    *out = (wr_material_part){.alive = true,
                              .pieces = &p->pieces[place],
                              .piece_changed = &p->changed[place],
                              .friction = p->parts->friction,
                              .restitution = p->parts->restitution,
                              .pose = WR_POSE_IDENTITY};
    for (int i = 0; i < p->piece_count; i++) {
        int fragment = wr_metal_asset_piece_fragment(p->asset, i);
        if (part_of(p, fragment) == part) {
            wr_piece *piece = &p->pieces[place + out->piece_count];
            p->slots[place + out->piece_count] = (wri_metal_slot){i, fragment};
            piece->points = wr_metal_piece_points(p->metal, i, &piece->point_count);
            out->piece_count++;
        }
    }
}

// Born where its parent is, moving as it did.
static void move_as(wri_metal_parts *p, int part, const wr_part_state *parent)
{
    wr_material_part *out = &p->parts[part];
    const double *c = out->mass.center;
    wr_vec3 center = wr_pose_point(parent->pose, wr_v3((float)c[0], (float)c[1], (float)c[2]));
    out->pose = parent->pose;
    out->angular_velocity = parent->angular_velocity;
    out->velocity = wr_add(parent->velocity,
                           wr_cross(parent->angular_velocity, wr_sub(center, parent->center)));
}

static void split(wri_metal_parts *p, const wr_material_step *step)
{
    int old_count = p->part_count;
    uint64_t parents = 0;
    p->part_count = wr_metal_part_count(p->metal);
    for (int part = old_count; part < p->part_count; part++) {
        int parent = 0;
        for (int f = 0; f < p->fragment_count; f++) {
            if (wr_metal_fragment_part(p->metal, f) == part) {
                parent = p->fragment_parts[f];
            }
        }
        take_pieces(p, part);
        p->parts[part].mass = wr_metal_part_mass(p->metal, part);
        move_as(p, part, &step->parts[parent]);
        p->ages[part] = 0.0f;
        parents |= (uint64_t)1 << parent;
    }
    for (int f = 0; f < p->fragment_count; f++) {
        p->fragment_parts[f] = wr_metal_fragment_part(p->metal, f);
    }
    for (int part = 0; part < old_count; part++) {
        if (parents >> part & 1) {
            park(p, part);
            p->parts[part].mass = wr_metal_part_mass(p->metal, part);
            p->parts[part].pieces_version++;
            p->parts[part].mass_version++;
            p->parts[part].split_version++;
        }
    }
}

// --- ties -------------------------------------------------------------------------------------

// Parts bend alike at a tie, so it stays where it was at rest: in their frames it is one place.
static void place_joints(wri_metal_parts *p)
{
    int count;
    const wr_metal_tie *ties = wr_metal_asset_ties(p->asset, &count);
    for (int i = 0; i < p->joint_count; i++) {
        p->joints[i].joint.at = wr_pose_point(p->parts->pose, ties[i].at);
    }
}

// Joints go when their ties tear, or with a part.
static void update_joints(wri_metal_parts *p)
{
    for (int i = 0; i < p->joint_count; i++) {
        const wr_joint_desc *joint = &p->joints[i].joint;
        p->joints[i].alive = wr_metal_tie_holds(p->metal, i) && p->parts[joint->body_a].alive &&
                             p->parts[joint->body_b].alive;
    }
}

bool wri_metal_parts_tie(wri_metal_parts *p)
{
    int count;
    const wr_metal_tie *ties = wr_metal_asset_ties(p->asset, &count);
    p->joints = wri_alloc(&p->allocator, (size_t)count, sizeof *p->joints);
    if (!p->joints) {
        return false;
    }
    p->joint_count = count;
    p->part_count = p->fragment_count;
    for (int i = 0; i < count; i++) {
        p->joints[i].joint = wr_joint_desc_default();
        p->joints[i].joint.kind = WR_JOINT_POINT;
        p->joints[i].joint.body_a = ties[i].a;
        p->joints[i].joint.body_b = ties[i].b;
    }
    for (int part = 0; part < p->part_count; part++) {
        take_pieces(p, part);
        p->fragment_parts[part] = part;
    }
    update_joints(p);
    return true;
}

void wri_metal_parts_start(wri_metal_parts *p, const wr_material_desc *desc)
{
    const wr_mass_properties whole = wr_metal_mass(p->metal);
    for (int part = 0; part < p->part_count; part++) {
        wr_material_part *out = &p->parts[part];
        out->mass = mass_of(p, part);
        out->friction = desc->friction;
        out->restitution = wr_metal_restitution(p->metal);
        out->pose = desc->pose;
        const double *c = out->mass.center, *d = whole.center;
        wr_vec3 arm = wr_v3((float)(c[0] - d[0]), (float)(c[1] - d[1]), (float)(c[2] - d[2]));
        out->velocity = wr_add(
            desc->velocity, wr_cross(desc->angular_velocity, wr_rotate(desc->pose.rotation, arm)));
        out->angular_velocity = desc->angular_velocity;
    }
    place_joints(p);
}

// --- the step ---------------------------------------------------------------------------------

// The engine has them. What is told later must not depend on what changed before.
static void forget_changes(wri_metal_parts *p)
{
    for (int part = 0; part < p->part_count; part++) {
        size_t count = (size_t)p->parts[part].piece_count;
        memset(&p->changed[first_place(p, part)], 0, count * sizeof *p->changed);
    }
}

static void bend(wri_metal_parts *p)
{
    for (int part = 0; part < p->part_count; part++) {
        wr_material_part *out = &p->parts[part];
        bool any = false;
        for (int i = 0; i < out->piece_count; i++) {
            int place = first_place(p, part) + i;
            p->changed[place] = wr_metal_piece_changed(p->metal, p->slots[place].piece) &&
                                !has_gone(p, part, &p->slots[place]);
            any = any || p->changed[place];
        }
        out->pieces_version += any;
        out->mass = mass_of(p, part);
        out->mass_version++;
    }
}

static wr_box box_of(const wri_metal_parts *p, int part, wr_box box)
{
    for (int i = 0; i < p->parts[part].piece_count; i++) {
        const wr_piece *piece = &p->pieces[first_place(p, part) + i];
        for (int k = 0; k < piece->point_count; k++) {
            box = wr_box_add(box, piece->points[k]);
        }
    }
    return box;
}

// Longest side of the box around a part and all that is tied to it.
static float size_of(const wri_metal_parts *p, int part)
{
    wr_box box = box_of(p, part, WR_BOX_EMPTY);
    for (int i = 0; p->joints && i < p->part_count; i++) {
        if (wr_metal_fragment_part(p->metal, i) == wr_metal_fragment_part(p->metal, part)) {
            box = box_of(p, i, box);
        }
    }
    wr_vec3 size = wr_box_size(box);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static void retire(wri_metal_parts *p, float dt)
{
    for (int part = 1; part < p->part_count; part++) {
        bool whole = p->joints && wr_metal_fragment_part(p->metal, part) == 0;
        p->ages[part] += whole ? 0.0f : dt;
        if (!p->parts[part].alive || p->ages[part] < p->life || size_of(p, part) >= p->shard) {
            continue;
        }
        p->parts[part].alive = false;
        for (int f = 0; f < p->fragment_count; f++) {
            p->fragment_parts[f] = p->fragment_parts[f] == part ? -1 : p->fragment_parts[f];
        }
    }
}

static void add_event(wri_metal_parts *p, wr_event event)
{
    if (p->event_count < p->event_room) {
        p->events[p->event_count++] = event;
    }
}

// Before parts are divided: places are in frames of the parts that were hit.
static void tell(wri_metal_parts *p, const wr_material_step *step)
{
    int count;
    const wr_metal_dent *dents = wr_metal_dents(p->metal, &count);
    p->event_count = 0;
    for (int i = 0; i < count; i++) {
        int part = p->fragment_parts[dents[i].fragment];
        if (part >= 0) {
            add_event(p, (wr_event){.kind = WR_EVENT_DENT,
                                    .subject = dents[i].fragment,
                                    .other = -1,
                                    .point = wr_pose_point(step->parts[part].pose, dents[i].at),
                                    .strength = dents[i].strength});
        }
    }
    const wr_metal_break *breaks = wr_metal_breaks(p->metal, &count);
    for (int i = 0; i < count; i++) {
        int part = p->fragment_parts[breaks[i].a];
        if (part >= 0) {
            add_event(p, (wr_event){.kind = WR_EVENT_FRACTURE,
                                    .subject = breaks[i].b,
                                    .other = breaks[i].a,
                                    .point = wr_pose_point(step->parts[part].pose, breaks[i].at),
                                    .strength = breaks[i].strength});
        }
    }
}

void wri_metal_parts_update(wri_metal_parts *p, const wr_material_step *step)
{
    tell(p, step);
    forget_changes(p);
    if (wr_metal_changed(p->metal)) {
        bend(p);
    }
    if (count_parts(p) > p->part_count) {
        split(p, step);
    }
    if (p->shard > 0.0f) {
        retire(p, step->dt);
    }
    update_joints(p);
}

void wri_metal_parts_set_restitution(wri_metal_parts *p, float restitution)
{
    for (int part = 0; part < p->part_count; part++) {
        if (p->parts[part].restitution != restitution) {
            p->parts[part].restitution = restitution;
            p->parts[part].surface_version++;
        }
    }
}

// --- bytes ------------------------------------------------------------------------------------

typedef struct saved_part {
    float age;
    int32_t alive, piece_count;
    uint8_t pieces[WR_FRAGMENTS_MAX], fragments[WR_FRAGMENTS_MAX];
} saved_part;

size_t wri_metal_parts_size(const wri_metal_parts *p)
{
    return p->fragment_count > 1 ? (size_t)p->room * sizeof(saved_part) : 0;
}

void wri_metal_parts_save(const wri_metal_parts *p, void *bytes)
{
    saved_part *out = bytes;
    size_t size = wri_metal_parts_size(p);
    if (size == 0) {
        return;
    }
    memset(bytes, 0, size);
    for (int part = 0; part < p->part_count; part++) {
        saved_part saved;
        memset(&saved, 0, sizeof saved);
        saved.age = p->ages[part];
        saved.alive = p->parts[part].alive;
        saved.piece_count = p->parts[part].piece_count;
        for (int i = 0; i < saved.piece_count; i++) {
            saved.pieces[i] = (uint8_t)p->slots[first_place(p, part) + i].piece;
            saved.fragments[i] = (uint8_t)p->slots[first_place(p, part) + i].fragment;
        }
        memcpy(&out[part], &saved, sizeof saved);
    }
}

// Whether a part can be what the bytes say: its own pieces are among those it had at its birth.
static bool check_saved(const wri_metal_parts *p, int part, const saved_part *saved)
{
    uint64_t known = 0, own = 0;
    bool ok = saved->piece_count > 0 && saved->piece_count <= p->piece_count;
    for (int i = 0; ok && i < saved->piece_count; i++) {
        ok = saved->pieces[i] < p->piece_count && saved->fragments[i] < p->fragment_count &&
             (i == 0 || saved->pieces[i] > saved->pieces[i - 1]);
        known |= ok ? (uint64_t)1 << saved->pieces[i] : 0;
    }
    for (int i = 0; i < p->piece_count; i++) {
        int fragment = wr_metal_asset_piece_fragment(p->asset, i);
        own |= part_of(p, fragment) == part ? (uint64_t)1 << i : 0;
    }
    return ok && (own & ~known) == 0;
}

bool wri_metal_parts_restore(wri_metal_parts *p, const void *bytes, wr_error *error)
{
    const saved_part *from = bytes;
    p->part_count = count_parts(p);
    for (int part = 0; part < p->part_count && p->fragment_count > 1; part++) {
        saved_part saved;
        memcpy(&saved, &from[part], sizeof saved);
        if (!check_saved(p, part, &saved)) {
            return wri_fail(error, WR_E_FORMAT, "metal: part %d has pieces that it cannot have",
                            part);
        }
        wr_material_part *out = &p->parts[part];
        int place = first_place(p, part);
        out->alive = saved.alive != 0;
        out->pieces = &p->pieces[place];
        out->piece_changed = &p->changed[place];
        out->piece_count = saved.piece_count;
        out->friction = p->parts->friction;
        out->pose = WR_POSE_IDENTITY; // the engine knows it
        p->ages[part] = saved.age;
        for (int i = 0; i < saved.piece_count; i++) {
            wr_piece *piece = &p->pieces[place + i];
            p->slots[place + i] = (wri_metal_slot){saved.pieces[i], saved.fragments[i]};
            piece->points = wr_metal_piece_points(p->metal, saved.pieces[i], &piece->point_count);
        }
        park(p, part);
    }
    for (int f = 0; f < p->fragment_count; f++) {
        int part = part_of(p, f);
        p->fragment_parts[f] = p->parts[part].alive ? part : -1;
    }
    for (int part = 0; part < p->part_count; part++) {
        wr_material_part *out = &p->parts[part];
        memset(&p->changed[first_place(p, part)], 1, (size_t)out->piece_count);
        out->mass = mass_of(p, part);
        out->restitution = wr_metal_restitution(p->metal);
        out->pieces_version++;
        out->mass_version++;
        out->surface_version++;
    }
    p->event_count = 0;
    place_joints(p);
    update_joints(p);
    return true;
}
