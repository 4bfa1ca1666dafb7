// snapshot.c: a body of flesh as bytes, for this program on this machine.
#include "flesh.h"

static const uint64_t MAGIC = 0x31504e5348534c46; // "FLSHSNP1"

typedef struct head {
    uint64_t magic, check; // check: hash of everything behind it
    int64_t node_count, bone_count;
    double calm;
    int64_t asleep;
} head;

enum { UNCHECKED = 16, PARTS = 8 };

typedef struct part {
    void *items;
    size_t size;
} part;

static void list_parts(const wri_flesh *f, part parts[PARTS])
{
    size_t n = (size_t)f->model->node_count, k = (size_t)f->model->bone_count;
    parts[0] = (part){f->bones, k * sizeof *f->bones};
    parts[1] = (part){f->q, n * sizeof *f->q};
    parts[2] = (part){f->v, n * sizeof *f->v};
    parts[3] = (part){f->felt, n * sizeof *f->felt};
    parts[4] = (part){f->targets, (size_t)f->model->joint_count * sizeof *f->targets};
    parts[5] = (part){f->goals, k * sizeof *f->goals};
    parts[6] = (part){f->is_driven, k * sizeof *f->is_driven};
    parts[7] = (part){f->pulls, k * sizeof *f->pulls};
}

static head head_of(const wri_flesh *f)
{
    head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.node_count = f->model->node_count;
    h.bone_count = f->model->bone_count;
    h.calm = f->calm;
    h.asleep = f->asleep;
    return h;
}

uint64_t wr_flesh_hash(const wr_flesh_world *world, int body)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    part parts[PARTS];
    head h = head_of(f);
    list_parts(f, parts);
    uint64_t hash = wri_hash(&h, sizeof h, 0);
    for (int i = 0; i < PARTS; i++) {
        hash = wri_hash(parts[i].items, parts[i].size, hash);
    }
    return hash;
}

size_t wr_flesh_save_size(const wr_flesh_world *world, int body)
{
    part parts[PARTS];
    size_t sum = sizeof(head);
    list_parts(wri_flesh_of(world, body), parts);
    for (int i = 0; i < PARTS; i++) {
        sum += parts[i].size;
    }
    return sum;
}

void wr_flesh_save(const wr_flesh_world *world, int body, void *bytes)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    part parts[PARTS];
    head h = head_of(f);
    uint8_t *out = (uint8_t *)bytes + sizeof h;
    memcpy(bytes, &h, sizeof h);
    list_parts(f, parts);
    for (int i = 0; i < PARTS; i++) {
        memcpy(out, parts[i].items, parts[i].size);
        out += parts[i].size;
    }
    h.check =
        wri_hash((uint8_t *)bytes + UNCHECKED, (size_t)(out - (uint8_t *)bytes) - UNCHECKED, 0);
    memcpy((uint8_t *)bytes + offsetof(head, check), &h.check, sizeof h.check);
}

bool wr_flesh_restore(wr_flesh_world *world, int body, const void *bytes, size_t size,
                      wr_error *error)
{
    wri_flesh *f = wri_flesh_of(world, body);
    head h;
    bool fits = size == wr_flesh_save_size(world, body);
    if (fits) {
        memcpy(&h, bytes, sizeof h);
        fits = h.magic == MAGIC && h.node_count == f->model->node_count &&
               h.bone_count == f->model->bone_count &&
               h.check == wri_hash((const uint8_t *)bytes + UNCHECKED, size - UNCHECKED, 0);
    }
    if (!fits) {
        return wri_fail(error, WR_E_FORMAT, "the state of a body of flesh is damaged");
    }
    const uint8_t *in = (const uint8_t *)bytes + sizeof h;
    part parts[PARTS];
    list_parts(f, parts);
    for (int i = 0; i < PARTS; i++) {
        memcpy(parts[i].items, in, parts[i].size);
        in += parts[i].size;
    }
    f->calm = h.calm;
    f->asleep = h.asleep != 0;
    f->frozen = false;
    wri_flesh_find_turns(f);
    return true;
}

bool wr_flesh_is_sound(const wr_flesh_world *world, int body)
{
    const wri_flesh *f = wri_flesh_of(world, body);
    bool sound = true;
    for (int i = 0; i < f->model->node_count; i++) {
        sound = sound && wr_is_finite3(f4_vec3(f->q[i])) && wr_is_finite3(f4_vec3(f->v[i]));
    }
    for (int i = 0; i < f->model->bone_count; i++) {
        const wri_flesh_pose *b = &f->bones[i];
        for (int k = 0; k < 3; k++) {
            sound = sound && isfinite(b->c[k]) && isfinite(b->v[k]) && isfinite(b->alpha[k]) &&
                    fabs(b->v[k]) < 1e7;
        }
    }
    return sound;
}
