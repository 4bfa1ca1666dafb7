// format.h (internal): what the writer and the reader of recordings share. docs/recording.md has
// the bytes.
//
// One codec serves both directions: a function that describes a block appends it to `out` when
// there is one and otherwise fills the same fields from `at`, so that the two sides cannot drift
// apart.
#pragma once

#include "wrought/record.h"

#include "../base/os.h"

typedef struct ZSTD_DCtx_s ZSTD_DCtx;

enum {
    // 2: assets, and weights that differ from the last ones; 3: flat stages; 4: weights that move
    WRI_RECORD_VERSION = 4,
    WRI_RECORD_HEADER_SIZE = 24,
    WRI_CHUNK_HEAD_SIZE = 24,
    WRI_FOOTER_SIZE = WRI_CHUNK_HEAD_SIZE + 8,
    WRI_SHARE_LIMIT = 16,
    WRI_EXAMPLE_LIMIT = 1 << 16,
    WRI_MOVES_LIMIT = 1 << 24, // weights of a body that go on from the frame before

    // Limits of what a chunk may unpack to. A small file must not make a reader take much memory:
    // beyond WRI_CHUNK_FREE bytes a chunk may grow WRI_CHUNK_RATIO fold at most; the writer obeys,
    // too.
    WRI_CHUNK_LIMIT = 1 << 30,
    WRI_CHUNK_FREE = 1 << 26,
    WRI_CHUNK_RATIO = 256,
};

#define WRI_FOURCC(a, b, c, d)                                                                     \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define WRI_CHUNK_INFO WRI_FOURCC('I', 'N', 'F', 'O')
#define WRI_CHUNK_ASSET WRI_FOURCC('A', 'S', 'S', 'T')
#define WRI_CHUNK_MODEL WRI_FOURCC('M', 'O', 'D', 'L')
#define WRI_CHUNK_FRAME WRI_FOURCC('F', 'R', 'A', 'M')
#define WRI_CHUNK_SNAPSHOT WRI_FOURCC('S', 'N', 'A', 'P')
#define WRI_CHUNK_LOOKS WRI_FOURCC('L', 'O', 'O', 'K')
#define WRI_CHUNK_INDEX WRI_FOURCC('I', 'N', 'D', 'X')
#define WRI_CHUNK_FOOTER WRI_FOURCC('F', 'O', 'O', 'T')

enum { WRI_CHUNK_PACKED = 1, WRI_CHUNK_KEY = 2 }; // flags: zstd; decoding may start here

typedef struct wri_chunk_head {
    uint32_t kind, flags;
    uint32_t stored_size, raw_size; // bytes in the file behind the head, and unpacked
    uint64_t checksum;
} wri_chunk_head;

void wri_chunk_head_write(uint8_t *bytes, const wri_chunk_head *head);
// Checksum of the head's first 16 bytes and the payload, seeded with the place in the file, so that
// a chunk that was copied elsewhere is not taken for sound.
uint64_t wri_chunk_checksum(const uint8_t *head, const void *payload, size_t size, int64_t offset);
bool wri_chunk_sizes_are_sound(const wri_chunk_head *head);

// The oldest version that can hold a recording, which is the one it is written in.
int wri_record_version(const wr_record_info *info);
// The first WRI_RECORD_HEADER_SIZE bytes of a recording of this version.
void wri_record_header_write(uint8_t *bytes, int version);

static inline void wri_write_little(uint8_t *bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline uint64_t wri_read_little(const uint8_t *bytes, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

// --- values -----------------------------------------------------------------------------------

typedef struct wri_codec {
    wri_array *out;          // bytes; NULL when reading
    const uint8_t *at, *end; // what is left to read
    wri_arena *arena;        // reading: owner of texts and arrays
    wr_code code;            // WR_OK until something is wrong
    char problem[192];       // then one sentence without the file's name
} wri_codec;

void wri_codec_fail(wri_codec *codec, const char *format, ...) WRI_PRINTF(2, 3); // first one counts
void wri_codec_fail_memory(wri_codec *codec);
void wri_codec_check_index(wri_codec *codec, int index, int least, int count, const char *what);
size_t wri_codec_left(const wri_codec *codec);                   // bytes to read
uint8_t *wri_codec_put(wri_codec *codec, size_t size);           // NULL after a problem
const uint8_t *wri_codec_take(wri_codec *codec, size_t size);    // NULL after a problem
void *wri_codec_alloc(wri_codec *codec, int count, size_t size); // NULL after a problem

// Writing leaves the values alone.
void wri_code_u32(wri_codec *codec, uint32_t *value);
void wri_code_u64(wri_codec *codec, uint64_t *value);
void wri_code_int(wri_codec *codec, int *value);
void wri_code_bool(wri_codec *codec, bool *value);
// One byte, 0 to maximum; what: for the complaint.
void wri_code_small(wri_codec *codec, int *value, int maximum, const char *what);
void wri_code_varint(wri_codec *codec, uint64_t *value);
void wri_code_floats(wri_codec *codec, float *values, int count, const char *what); // finite
// Number of the items that follow; each takes at least `least` bytes, which bounds what a reader
// allocates.
void wri_code_count(wri_codec *codec, int *count, size_t least, const char *what);
void wri_code_text(wri_codec *codec, const char **text); // NULL is written as ""

// Rows of `width` 32-bit words. `rows` names those that are coded, NULL: the first `count`.
typedef struct wri_rows_block {
    void *now;
    const void *last, *before; // what is guessed from, or NULL
    const int *rows;
    size_t count, width;
    bool is_chain; // the guess is the row above
} wri_rows_block;
void wri_code_rows(wri_codec *codec, const wri_rows_block *block);

enum { WRI_BODY_LEAST = 4 + 4 + 4 + 1 + 1 + 16 }; // bytes of a body
void wri_code_body(wri_codec *codec, wr_record_body *body, int model_count);
// Both check what they code, in both directions.
void wri_code_info(wri_codec *codec, wr_record_info *info); // without models and assets themselves
void wri_code_model(wri_codec *codec, wr_model *model);

// stage.c. Recordings that say nothing of flat stages or of cameras that follow, nor anything
// behind them (more), and earlier ones, end before.
void wri_code_stage(wri_codec *codec, wr_stage *stage);
void wri_code_flat(wri_codec *codec, wr_stage *stage, bool more);
void wri_code_follows(wri_codec *codec, wr_record_info *info, bool more);
bool wri_any_follows(const wr_stage *stage);
// Looks of bodies in place of their models', the environment, and the keys, lenses and blur of
// cameras, at the end of a chunk; nothing where there are none.
void wri_code_body_looks(wri_codec *codec, wr_record_info *info, bool more);
void wri_code_environment(wri_codec *codec, wr_light *light, bool more);
void wri_code_camera_keys(wri_codec *codec, wr_stage *stage);
bool wri_any_keys(const wr_stage *stage);
bool wri_any_look(const wr_record_info *info);
// All that pictures need and physics does not: the stage, and the looks of bodies. Reading changes
// info->bodies.
void wri_code_looks(wri_codec *codec, wr_record_info *info);

// skin.c: at the end of the info; nothing where there are none.
void wri_code_skins(wri_codec *codec, wr_record_info *info, bool more);
// Skins are those of the models of their bodies.
bool wri_skins_check(const wr_record_info *info, wr_error *error);
// False for the render mesh of an asset at its own size, which is in the asset.
bool wri_model_has_chunk(const wr_record_info *info, int model);

// --- the index --------------------------------------------------------------------------------

typedef struct wri_frame_entry {
    int64_t offset; // of the frame's chunk
    int key;        // the last key frame up to this one
} wri_frame_entry;

typedef struct wri_record_index {
    wri_array frames; // wri_frame_entry
    int64_t looks;    // offset of the last chunk of looks, 0: those of the info count
    bool is_complete;
    int share_count;
    wr_record_share shares[WRI_SHARE_LIMIT];
} wri_record_index;

bool wri_index_add_frame(wri_record_index *index, int64_t offset, bool is_key);
void wri_index_add_share(wri_record_index *index, uint32_t kind, int64_t size);
// Reading checks that the offsets ascend; whether they lie in the file is left to the caller.
void wri_code_index(wri_codec *codec, wri_record_index *index);

// --- frames -----------------------------------------------------------------------------------

// Memory of the frames before, from which the next one is guessed; the same on both sides.
typedef struct wri_frame_state {
    int rate_numerator, rate_denominator, model_count;
    int weight_modes;            // the last one that the version has
    int first_count;             // bodies that are there from the start
    wri_arena born;              // texts of the bodies born since
    wri_array bodies;            // wr_record_body
    wri_array now, last, before; // wr_pose; a frame's are in `last` once it is coded
    wri_array changed;           // int
    wri_array tracks;            // per body: its points and weights
    wri_array contacts, last_contacts;
    wri_array events, points, weights, blends;     // lists of the frame that was read
    wri_array mixes, last_mixes;                   // blends as they are stored
    wri_array look_counts;                         // int, per model
    wri_array surfaces, particles;                 // lists of the frame that was coded
    wri_array surface_tracks, last_surface_tracks; // what this frame and the last one have
    wri_array particle_tracks;                     // per body
    wri_array skins;                               // skin_place, per body of the start
    wri_array skinned, skin_tracks, skin_points;   // list of the frame; per body; points besides
} wri_frame_state;

bool wri_frame_state_create(wri_frame_state *state, const wr_record_info *info, int version,
                            wr_error *error);
void wri_frame_state_destroy(wri_frame_state *state);
// Copies a body with its texts.
bool wri_frame_add_body(wri_frame_state *state, const wr_record_body *body);

// Checks a frame that is to be added to this state; false with a sentence.
bool wri_frame_check(const wri_frame_state *state, const wr_frame *frame, wr_error *error);
// Writing appends a frame that was checked. Reading fills `frame`, whose index the caller has set,
// and checks it. After a problem the state is good for key frames only.
void wri_code_frame(wri_codec *codec, wri_frame_state *state, wr_frame *frame, bool is_key);

// --- the reader, as resuming sees it ----------------------------------------------------------

struct wr_record_reader {
    wri_file *file;
    bool owns_file;
    const char *path; // for messages
    wri_arena arena;  // path, info, models
    wr_record_info info;
    wr_asset **assets; // info.asset_count; NULL where reading failed
    uint32_t version;  // of the file
    int64_t size;      // of the file when it was opened or refreshed
    int64_t begin;     // where the description ends and frames begin
    int64_t end;       // of the last sound chunk
    bool has_footer;   // the last sound chunk is a footer
    wri_record_index index;

    struct {
        int frame; // -1: there is none
        int64_t offset, end;
        int share_count; // up to and with the snapshot
        wr_record_share shares[WRI_SHARE_LIMIT];
    } snapshot; // the last one; known after a walk only

    wri_array stored, raw; // bytes of the chunk at hand
    ZSTD_DCtx *unpacker;
    wri_frame_state state;
    int at; // the frame that state and frame hold, -1: none
    wr_frame frame;
};

// Walks through all chunks of a file that stays the caller's, index or not.
wr_record_reader *wri_record_open_walking(wri_file *file, const char *path, wr_error *error);
// The snapshot's bytes, valid until the next call.
bool wri_record_read_snapshot(wr_record_reader *reader, const void **bytes, size_t *size,
                              wr_error *error);
