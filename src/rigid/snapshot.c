// snapshot.c: the state of a world as bytes, and back.
//
// The bytes: a header, then one record per body, per piece of a body that was ever deformed (with
// its points), per joint, per point of the contact cache and, to the end, per pair of bodies that
// shall not touch, in this order, in the byte order of this machine. They belong to the program
// that wrote them; they are not a file format.
//
// Going on after a save and going on after a restore are the same because both run adopt() on the
// same bytes: it throws the engine away and builds a new one.
#include "engine.h"

static const uint32_t MAGIC = 0x53445257u; // "WRDS"
static const uint32_t VERSION = 6;

typedef struct header {
    uint32_t magic, version;
    int32_t body_count, joint_count, piece_count, contact_count;
    int64_t too_fast, frozen, runaway;
    uint64_t hash; // of everything, this field being zero
} header;

typedef struct body_record {
    wri_body_state state;
    wri_frame target;
    wr_mass_properties mass;
    double friction, restitution, radius;
    int32_t present, frozen, has_target, deformed;
} body_record;

typedef struct piece_record {
    int32_t body, piece, point_count, padding;
} piece_record;

typedef struct joint_record {
    wri_joint_state state;
    wri_frame frame_a, frame_b; // in the bodies' frames: a joint that is made anew between bodies
                                // whose mass has changed would round them otherwise
    wri_window window;
    double impulse[3], turn[2][3];
    int32_t presence, body_a, body_b, padding; // bodies: of one that broke another may have it
} joint_record;

enum { JOINT_PRESENT = 0, JOINT_BROKEN = 1, JOINT_REMOVED = 2 };

static uint64_t find_hash(header head, const uint8_t *rest, size_t size)
{
    head.hash = 0;
    return wri_hash(rest, size, wri_hash(&head, sizeof head, 0));
}

// --- writing ----------------------------------------------------------------------------------

static bool put(wri_array *out, const void *bytes, size_t size)
{
    void *place = size <= INT32_MAX ? wri_array_add(out, (int)size) : NULL;
    if (place && size) {
        memcpy(place, bytes, size);
    }
    return place != NULL;
}

static bool put_body(const wr_rigid *rigid, int index, wri_array *out)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    body_record record;
    WR_ASSERT(body->engine.present || !body->has_target);
    memset(&record, 0, sizeof record);
    record.state = *wri_rigid_state_at(rigid, index);
    record.target = body->target;
    record.mass = body->mass;
    record.friction = body->engine.friction;
    record.restitution = body->engine.restitution;
    record.radius = body->engine.radius;
    record.present = body->engine.present;
    record.frozen = body->frozen;
    record.has_target = body->has_target;
    record.deformed = body->deformed;
    return put(out, &record, sizeof record);
}

// All pieces of a body that was ever deformed: which of them differ from the description depends on
// when the body was described, since a world that is restored describes it as it is then.
static bool put_pieces(const wr_rigid *rigid, int index, wri_array *out)
{
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    bool ok = true;
    for (int i = 0; ok && body->deformed && i < body->piece_count; i++) {
        int first = body->first_point[i], count = body->first_point[i + 1] - first;
        piece_record record = {index, i, count, 0};
        ok = put(out, &record, sizeof record) &&
             put(out, &body->points[first], (size_t)count * sizeof(wr_vec3));
    }
    return ok;
}

static bool put_joint(const wr_rigid *rigid, int index, wri_array *out)
{
    const wri_rigid_joint *joint = wri_rigid_joint_at(rigid, index);
    joint_record record;
    memset(&record, 0, sizeof record);
    wri_bullet_read_joint(rigid->bullet, index, &record.state);
    WR_ASSERT(joint->engine.present != (joint->broken || joint->removed));
    record.frame_a = joint->frame_a;
    record.frame_b = joint->frame_b;
    record.window = joint->window;
    memcpy(record.impulse, joint->impulse, sizeof record.impulse);
    memcpy(record.turn, joint->turn, sizeof record.turn);
    record.body_a = joint->engine.body_a;
    record.body_b = joint->engine.body_b;
    record.presence = joint->removed ? JOINT_REMOVED : joint->broken ? JOINT_BROKEN : JOINT_PRESENT;
    return put(out, &record, sizeof record);
}

static int saved_pieces(const wr_rigid *rigid)
{
    int count = 0;
    for (int i = 0; i < rigid->bodies.count; i++) {
        const wri_rigid_body *body = wri_rigid_body_at(rigid, i);
        count += body->deformed ? body->piece_count : 0;
    }
    return count;
}

static bool put_all(wr_rigid *rigid, wri_array *out)
{
    int contacts = wri_bullet_contact_count(rigid->bullet);
    header head = {.magic = MAGIC,
                   .version = VERSION,
                   .body_count = rigid->bodies.count,
                   .joint_count = rigid->joints.count,
                   .piece_count = saved_pieces(rigid),
                   .contact_count = contacts,
                   .too_fast = rigid->statistics.too_fast,
                   .frozen = rigid->statistics.frozen,
                   .runaway = rigid->statistics.runaway};
    out->count = 0;
    bool ok = put(out, &head, sizeof head) && wri_array_reserve(&rigid->raw, contacts);
    for (int i = 0; ok && i < rigid->bodies.count; i++) {
        ok = put_body(rigid, i, out);
    }
    for (int i = 0; ok && i < rigid->bodies.count; i++) {
        ok = put_pieces(rigid, i, out);
    }
    for (int i = 0; ok && i < rigid->joints.count; i++) {
        ok = put_joint(rigid, i, out);
    }
    if (ok) {
        int read = wri_bullet_read_contacts(rigid->bullet, rigid->raw.items);
        WR_ASSERT(read == contacts);
        (void)read;
        int pairs;
        const wri_body_pair *apart = wri_bullet_apart(rigid->bullet, &pairs);
        ok = put(out, rigid->raw.items, (size_t)contacts * sizeof(wri_bullet_contact)) &&
             put(out, apart, (size_t)pairs * sizeof(wri_body_pair));
    }
    if (ok) {
        uint8_t *bytes = out->items;
        head.hash = find_hash(head, bytes + sizeof head, (size_t)out->count - sizeof head);
        memcpy(bytes, &head, sizeof head);
    }
    return ok;
}

// --- reading ----------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *bytes;
    size_t size, at;
} reader;

static bool skip(reader *in, size_t size, wr_error *error)
{
    WR_ASSERT(in->at <= in->size);
    if (size > in->size - in->at) {
        return wri_fail(error, WR_E_FORMAT, "rigid state: ends at byte %zu, more was expected",
                        in->size);
    }
    in->at += size;
    return true;
}

static bool take(reader *in, void *out, size_t size, wr_error *error)
{
    if (!skip(in, size, error)) {
        return false;
    }
    memcpy(out, in->bytes + in->at - size, size);
    return true;
}

static bool are_finite(const double *values, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && isfinite(values[i]);
    }
    return ok;
}

#define ALL_FINITE(field)                                                                          \
    are_finite((const double *)&(field), (int)(sizeof(field) / sizeof(double)))

static bool bad(const reader *in, const char *what, int index, wr_error *error)
{
    return wri_fail(error, WR_E_FORMAT, "rigid state: %s %d before byte %zu is damaged", what,
                    index, in->at);
}

static bool is_flag(int32_t value)
{
    return value == 0 || value == 1;
}

static bool take_header(reader *in, const wr_rigid *rigid, header *head, wr_error *error)
{
    if (!take(in, head, sizeof *head, error)) {
        return false;
    }
    if (head->magic != MAGIC || head->version != VERSION) {
        return wri_fail(error, WR_E_FORMAT, "rigid state: not a state of this version");
    }
    if (head->body_count != rigid->bodies.count || head->joint_count != rigid->joints.count) {
        return wri_fail(
            error, WR_E_FORMAT, "rigid state: has %d bodies and %d joints, the world has %d and %d",
            head->body_count, head->joint_count, rigid->bodies.count, rigid->joints.count);
    }
    if (head->hash != find_hash(*head, in->bytes + in->at, in->size - in->at)) {
        return wri_fail(error, WR_E_FORMAT, "rigid state: its %zu bytes do not match their hash",
                        in->size);
    }
    return (head->piece_count >= 0 && head->contact_count >= 0 && head->frozen >= 0 &&
            head->too_fast >= 0 && head->runaway >= 0) ||
           wri_fail(error, WR_E_FORMAT, "rigid state: negative counts");
}

static bool take_body(reader *in, const wr_rigid *rigid, int index, body_record *record,
                      wr_error *error)
{
    if (!take(in, record, sizeof *record, error)) {
        return false;
    }
    const wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    wri_rigid_body trial = *body;
    bool ok =
        wri_state_is_sound(&record->state) && wri_is_rotation(record->state.frame.basis) &&
        ALL_FINITE(record->state.mean_velocity) &&
        ALL_FINITE(record->state.mean_angular_velocity) &&
        isfinite(record->state.deactivation_time) && record->state.activation >= WRI_ACTIVE &&
        record->state.activation <= WRI_NEVER_SLEEPS && ALL_FINITE(record->target) &&
        record->friction >= 0 && record->radius >= 0 && record->restitution >= 0 &&
        record->restitution <= 1 && is_flag(record->present) && is_flag(record->frozen) &&
        is_flag(record->has_target) && is_flag(record->deformed) &&
        (!record->has_target || (body->motion == WR_MOTION_DRIVEN && record->present &&
                                 wri_is_rotation(record->target.basis))) &&
        (body->motion != WR_MOTION_MOVING || wri_set_inertia(&rigid->units, &record->mass, &trial));
    return ok || bad(in, "body", index, error);
}

static bool take_piece(reader *in, const wr_rigid *rigid, piece_record *record,
                       const uint8_t **points, wr_error *error)
{
    if (!take(in, record, sizeof *record, error)) {
        return false;
    }
    if (record->body < 0 || record->body >= rigid->bodies.count) {
        return bad(in, "piece of body", record->body, error);
    }
    const wri_rigid_body *body = wri_rigid_body_at(rigid, record->body);
    if (record->piece < 0 || record->piece >= body->piece_count ||
        record->point_count !=
            body->first_point[record->piece + 1] - body->first_point[record->piece]) {
        return bad(in, "piece of body", record->body, error);
    }
    *points = in->bytes + in->at;
    if (!skip(in, (size_t)record->point_count * sizeof(wr_vec3), error)) {
        return false;
    }
    for (int i = 0; i < record->point_count; i++) {
        wr_vec3 p;
        memcpy(&p, *points + (size_t)i * sizeof p, sizeof p);
        if (!wr_is_finite3(p)) {
            return bad(in, "piece of body", record->body, error);
        }
    }
    return true;
}

static bool take_joint(reader *in, int bodies, int index, joint_record *record, wr_error *error)
{
    return take(in, record, sizeof *record, error) &&
           ((ALL_FINITE(record->state.force) && ALL_FINITE(record->state.row) &&
             ALL_FINITE(record->frame_a) && wri_is_rotation(record->frame_a.basis) &&
             ALL_FINITE(record->frame_b) && wri_is_rotation(record->frame_b.basis) &&
             ALL_FINITE(record->window.bucket) && ALL_FINITE(record->impulse) &&
             ALL_FINITE(record->turn) && ALL_FINITE(record->state.torque) && record->body_a >= 0 &&
             record->body_a < bodies && record->body_b >= -1 && record->body_b < bodies &&
             record->body_a != record->body_b && isfinite(record->window.fill) &&
             record->window.fill >= 0 && record->window.fill < WRI_BUCKET &&
             record->window.head >= 0 && record->window.head < WRI_WINDOW_BUCKETS &&
             record->state.row_count >= 0 && record->state.row_count <= WRI_JOINT_ROWS &&
             record->presence >= JOINT_PRESENT && record->presence <= JOINT_REMOVED) ||
            bad(in, "joint", index, error));
}

static bool take_contact(reader *in, const wr_rigid *rigid, int index, wri_bullet_contact *contact,
                         wr_error *error)
{
    if (!take(in, contact, sizeof *contact, error)) {
        return false;
    }
    bool ok =
        contact->body_a >= 0 && contact->body_a < rigid->bodies.count && contact->body_b >= 0 &&
        contact->body_b < rigid->bodies.count && ALL_FINITE(contact->local_a) &&
        ALL_FINITE(contact->local_b) && ALL_FINITE(contact->point) && ALL_FINITE(contact->normal) &&
        fabs(wri_length3(contact->normal) - 1.0) < 1e-3 && ALL_FINITE(contact->friction_a) &&
        ALL_FINITE(contact->friction_b) && isfinite(contact->distance) &&
        isfinite(contact->impulse) && isfinite(contact->impulse_a) &&
        isfinite(contact->impulse_b) && contact->restitution >= 0 && contact->restitution <= 1;
    return ok || bad(in, "contact", index, error);
}

// The rest of the bytes.
static bool take_pairs(reader *in, const wr_rigid *rigid, const void **pairs, int *count,
                       wr_error *error)
{
    size_t size = in->size - in->at;
    WR_ASSERT(in->at <= in->size);
    *pairs = in->bytes + in->at;
    *count = (int)(size / sizeof(wri_body_pair));
    if (size % sizeof(wri_body_pair) != 0) {
        return wri_fail(error, WR_E_FORMAT, "rigid state: %zu bytes too many",
                        size % sizeof(wri_body_pair));
    }
    wri_body_pair last = {-1, -1};
    for (int i = 0; i < *count; i++) {
        wri_body_pair pair;
        if (!take(in, &pair, sizeof pair, error)) {
            return false;
        }
        bool ascends = pair.a != last.a ? pair.a > last.a : pair.b > last.b;
        if (!ascends || pair.b <= pair.a || pair.b >= rigid->bodies.count) {
            return bad(in, "pair", i, error);
        }
        last = pair;
    }
    return true;
}

static bool check_all(const wr_rigid *rigid, reader in, wr_error *error)
{
    header head = {0};
    body_record body;
    piece_record piece;
    joint_record joint;
    wri_bullet_contact contact;
    const uint8_t *points;
    const void *pairs;
    int pair_count;
    bool ok = take_header(&in, rigid, &head, error);
    for (int i = 0; ok && i < head.body_count; i++) {
        ok = take_body(&in, rigid, i, &body, error);
    }
    for (int i = 0; ok && i < head.piece_count; i++) {
        ok = take_piece(&in, rigid, &piece, &points, error);
    }
    for (int i = 0; ok && i < head.joint_count; i++) {
        ok = take_joint(&in, rigid->bodies.count, i, &joint, error);
    }
    for (int i = 0; ok && i < head.contact_count; i++) {
        ok = take_contact(&in, rigid, i, &contact, error);
    }
    return ok && take_pairs(&in, rigid, &pairs, &pair_count, error);
}

// --- adopting ---------------------------------------------------------------------------------

static void adopt_body(wr_rigid *rigid, int index, const body_record *record)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    if (body->motion == WR_MOTION_MOVING) {
        wri_set_inertia(&rigid->units, &record->mass, body);
    }
    body->frozen = record->frozen;
    body->has_target = record->has_target;
    body->deformed = record->deformed;
    body->target = record->target;
    body->engine.friction = record->friction;
    body->engine.restitution = record->restitution;
    body->engine.radius = record->radius;
    body->engine.present = record->present;
    body->engine.motion = record->frozen ? WRI_BULLET_STATIC : (wri_bullet_motion)body->motion;
    *wri_rigid_state_at(rigid, index) = record->state;
    for (int i = 0; i < body->piece_count; i++) {
        if (body->changed[i]) {
            int first = body->first_point[i], count = body->first_point[i + 1] - first;
            memcpy(&body->points[first], &body->original[first], (size_t)count * sizeof(wr_vec3));
        }
    }
}

static void adopt_piece(wr_rigid *rigid, const piece_record *record, const uint8_t *points)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, record->body);
    WR_ASSERT(record->piece >= 0 && record->piece < body->piece_count);
    memcpy(&body->points[body->first_point[record->piece]], points,
           (size_t)record->point_count * sizeof(wr_vec3));
    body->changed[record->piece] = true;
}

// Changed pieces and those that are no longer changed both go to the engine.
static void update_pieces(wr_rigid *rigid, int index)
{
    wri_rigid_body *body = wri_rigid_body_at(rigid, index);
    for (int i = 0; i < body->piece_count; i++) {
        if (body->changed[i]) {
            int first = body->first_point[i];
            size_t size = (size_t)(body->first_point[i + 1] - first) * sizeof(wr_vec3);
            wri_update_piece(rigid, index, i);
            body->changed[i] = memcmp(&body->points[first], &body->original[first], size) != 0;
        }
    }
}

static void adopt_joint(wr_rigid *rigid, int index, const joint_record *record)
{
    wri_rigid_joint *joint = wri_rigid_joint_at(rigid, index);
    joint->broken = record->presence == JOINT_BROKEN;
    joint->removed = record->presence == JOINT_REMOVED;
    joint->engine.present = record->presence == JOINT_PRESENT;
    joint->frame_a = record->frame_a;
    joint->frame_b = record->frame_b;
    joint->window = record->window;
    memcpy(joint->impulse, record->impulse, sizeof joint->impulse);
    memcpy(joint->turn, record->turn, sizeof joint->turn);
    joint->engine.body_a = record->body_a;
    joint->engine.body_b = record->body_b;
    WRI_ITEM(rigid->links, wri_joint_state, index) = record->state;
}

static void describe_all(wr_rigid *rigid)
{
    for (int i = 0; i < rigid->bodies.count; i++) {
        update_pieces(rigid, i);
        wri_bullet_describe_body(rigid->bullet, i, &wri_rigid_body_at(rigid, i)->engine);
    }
    for (int i = 0; i < rigid->joints.count; i++) {
        wri_place_joint(rigid, i);
        wri_bullet_describe_joint(rigid->bullet, i, &wri_rigid_joint_at(rigid, i)->engine);
    }
}

// The bytes have been checked.
static bool adopt(wr_rigid *rigid, reader in, wr_error *error)
{
    header head = {0};
    body_record body;
    piece_record piece;
    joint_record joint;
    const uint8_t *points = NULL;
    const void *pairs;
    int pair_count;
    take_header(&in, rigid, &head, NULL);
    WR_ASSERT(head.body_count == rigid->bodies.count && head.joint_count == rigid->joints.count);
    if (!wri_array_reserve(&rigid->links, head.joint_count + 1) ||
        !wri_array_reserve(&rigid->raw, head.contact_count + 1)) {
        return wri_fail_memory(error, (size_t)head.contact_count * sizeof(wri_bullet_contact));
    }
    rigid->statistics.too_fast = head.too_fast;
    rigid->statistics.frozen = head.frozen;
    rigid->statistics.runaway = head.runaway;
    rigid->contacts.count = 0;
    for (int i = 0; i < head.body_count; i++) {
        take_body(&in, rigid, i, &body, NULL);
        adopt_body(rigid, i, &body);
    }
    for (int i = 0; i < head.piece_count; i++) {
        take_piece(&in, rigid, &piece, &points, NULL);
        adopt_piece(rigid, &piece, points);
    }
    for (int i = 0; i < head.joint_count; i++) {
        take_joint(&in, rigid->bodies.count, i, &joint, NULL);
        adopt_joint(rigid, i, &joint);
    }
    wri_bullet_contact *contacts = rigid->raw.items;
    for (int i = 0; i < head.contact_count; i++) {
        take_contact(&in, rigid, i, &contacts[i], NULL);
    }
    take_pairs(&in, rigid, &pairs, &pair_count, NULL);
    WR_ASSERT(in.at == in.size);
    describe_all(rigid);
    rigid->has_supports = false;
    return (wri_bullet_describe_apart(rigid->bullet, pairs, pair_count) &&
            wri_bullet_rebuild(rigid->bullet, rigid->states.items, rigid->links.items, contacts,
                               head.contact_count)) ||
           wri_fail_memory(error, 0);
}

const void *wr_rigid_save(wr_rigid *rigid, size_t *size, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid, size)) {
        return NULL;
    }
    wri_bullet_read_states(rigid->bullet, rigid->states.items);
    if (!put_all(rigid, &rigid->saved)) {
        wri_fail_memory(error, (size_t)rigid->saved.capacity);
        return NULL;
    }
    *size = (size_t)rigid->saved.count;
    reader in = {rigid->saved.items, *size, 0};
    return adopt(rigid, in, error) ? rigid->saved.items : NULL;
}

bool wr_rigid_restore(wr_rigid *rigid, const void *bytes, size_t size, wr_error *error)
{
    if (!WRI_REQUIRE(error, rigid, bytes)) {
        return false;
    }
    reader in = {bytes, size, 0};
    WR_ASSERT(bytes || size == 0);
    return check_all(rigid, in, error) && adopt(rigid, in, error);
}

uint64_t wr_rigid_hash(const wr_rigid *rigid)
{
    uint64_t hash = 0;
    for (int i = 0; i < rigid->bodies.count; i++) {
        const wri_rigid_body *body = wri_rigid_body_at(rigid, i);
        if (body->engine.present) {
            wri_body_state state = *wri_rigid_state_at(rigid, i);
            state.padding = body->frozen;
            hash = wri_hash(&state, sizeof state, hash + (uint64_t)i);
        }
    }
    return hash;
}
