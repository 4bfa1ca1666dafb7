// contacts.c: contacts and blends, as streams of a frame: each row is guessed from the one in the
// same place of the list before.
#include "stream.h"

static_assert(sizeof(wr_record_contact) == 36 && sizeof(int) == 4, "contacts are words");

// A contact is guessed from the one in the same place of the list before.
void wri_code_contacts(wri_codec *c, wri_frame_job *j)
{
    wri_frame_state *s = j->state;
    int count = c->out ? j->frame->contact_count : 0;
    WR_ASSERT(!j->is_key || s->last_contacts.count == 0); // nothing to guess from
    WR_ASSERT(count == 0 || j->frame->contacts);
    if (!wri_stream_is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, 36, "contacts");
    }
    size_t size = sizeof(wr_record_contact);
    if (!wri_resize(&s->contacts, size, count) || !wri_resize(&s->last_contacts, size, count)) {
        wri_codec_fail_memory(c);
        return;
    }
    if (c->out && count) {
        memcpy(s->contacts.items, j->frame->contacts, size * (size_t)count);
    }
    wri_code_rows(c, &(wri_rows_block){.now = s->contacts.items,
                                       .last = s->last_contacts.items,
                                       .count = (size_t)count,
                                       .width = 9});
    wri_swap(&s->contacts, &s->last_contacts);
    j->frame->contact_count = count;
    j->frame->contacts = s->last_contacts.items;
}

// A blend as words: the body, then example and share of every corner, 65535 for 1.
enum { MIX_WORDS = 1 + 4 * WR_SIMPLEX_CORNERS };
typedef struct mix {
    uint32_t words[MIX_WORDS];
} mix;

static void load_blend(const wr_blend *blend, uint32_t *words)
{
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        words[2 * k] = (uint32_t)blend->examples[k];
        WR_ASSERT(blend->shares[k] >= 0.0f && blend->shares[k] <= 1.0f); // as wri_check_blends says
        words[2 * k + 1] = (uint32_t)(blend->shares[k] * 65535.0f + 0.5f);
    }
}

static wr_blend read_blend(const uint32_t *words)
{
    wr_blend blend;
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        blend.examples[k] = (int)words[2 * k];
        blend.shares[k] = (float)words[2 * k + 1] / 65535.0f;
    }
    return blend;
}

// Guessed from the one in the same place of the list before, like contacts.
void wri_code_blends(wri_codec *c, wri_frame_job *j)
{
    wri_frame_state *s = j->state;
    int count = c->out ? j->frame->blend_count : 0;
    WR_ASSERT(!j->is_key || s->last_mixes.count == 0);
    if (!wri_stream_is_absent(c) && (!c->out || count)) {
        wri_code_count(c, &count, sizeof(mix), "blends");
    }
    if (!wri_resize(&s->mixes, sizeof(mix), count) ||
        !wri_resize(&s->last_mixes, sizeof(mix), count) ||
        !wri_resize(&s->blends, sizeof(wr_record_blend), count)) {
        wri_codec_fail_memory(c);
        return;
    }
    for (int i = 0; c->out && i < count; i++) {
        const wr_record_blend *blend = &j->frame->blends[i];
        uint32_t *words = WRI_ITEM(s->mixes, mix, i).words;
        words[0] = (uint32_t)blend->body;
        load_blend(&blend->looks, &words[1]);
        load_blend(&blend->wishes, &words[1 + 2 * WR_SIMPLEX_CORNERS]);
    }
    wri_code_rows(c, &(wri_rows_block){.now = s->mixes.items,
                                       .last = s->last_mixes.items,
                                       .count = (size_t)count,
                                       .width = MIX_WORDS});
    for (int i = 0; c->code == WR_OK && i < count; i++) {
        const uint32_t *words = WRI_ITEM(s->mixes, mix, i).words;
        WRI_ITEM(s->blends, wr_record_blend, i) = (wr_record_blend){
            (int)words[0], read_blend(&words[1]), read_blend(&words[1 + 2 * WR_SIMPLEX_CORNERS])};
    }
    wri_swap(&s->mixes, &s->last_mixes);
    j->frame->blend_count = count;
    j->frame->blends = s->blends.items;
}

static void check_blend(wri_codec *c, const wr_record_blend *blend, const wr_blend *b)
{
    for (int k = 0; k < WR_SIMPLEX_CORNERS; k++) {
        if (b->examples[k] < -1 || b->examples[k] >= WRI_EXAMPLE_LIMIT ||
            !(b->shares[k] >= 0.0f && b->shares[k] <= 1.0f)) {
            wri_codec_fail(c, "blend of body %d: corner %d is none", blend->body, k);
        }
    }
}

void wri_check_blends(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->blend_count; i++) {
        const wr_record_blend *blend = &frame->blends[i];
        wri_codec_check_index(c, blend->body, 0, frame->body_count, "the body of a blend");
        check_blend(c, blend, &blend->looks);
        check_blend(c, blend, &blend->wishes);
    }
}

void wri_check_contacts(wri_codec *c, const wr_frame *frame)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const wr_record_contact *contact = &frame->contacts[i];
        wri_codec_check_index(c, contact->body_a, 0, frame->body_count, "a contact's first body");
        wri_codec_check_index(c, contact->body_b, 0, frame->body_count, "a contact's second body");
        if (!wr_is_finite3(contact->point) || !wr_is_finite3(contact->normal) ||
            !isfinite(contact->impulse)) {
            wri_codec_fail(c, "contact %d: not finite", i);
        }
    }
}
