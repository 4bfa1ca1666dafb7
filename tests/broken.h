// broken.h: inputs that must be refused, each with its one sentence; the tables of test_broken.c.
#pragma once

#include "check.h"

#include "../src/base/os.h"

// A case runs in a folder of its own, in which lie box.obj (a sound model), flat.obj (a triangle),
// ok.json (a sound scene) and out/ with files that must stay as they are.
typedef struct broken {
    const char *what;  // is wrong
    const char *words; // of the command line, with blanks between
    const char *name;  // of the broken file; NULL: make does it all
    // Its contents. In .json, .gltf and .glb files ' stands for ". A .glb that begins with { gets
    // its header, and behind the JSON a buffer of 36 zero bytes.
    const char *bytes;
    size_t size;
    void (*make)(void);   // called in the folder after the file is written; NULL: nothing to do
    const char *sentence; // behind "wrought: "; @ stands for damaged_byte
    const char *output;   // that stdout must contain; NULL: stdout stays empty
    int status;           // 0: the usual 1
} broken;

// Set by make:
extern bool case_is_void;   // here the case has no meaning
extern size_t damaged_byte; // of the file

#define TEXT(text) text, sizeof(text) - 1
#define SIM "sim s.json -o out/new"
// A scene that cannot be simulated; the sentence is that behind its file's name.
#define SCENE(what, text, sentence)                                                                \
    {                                                                                              \
        what, SIM, "s.json", TEXT(text), NULL, "s.json:" sentence, NULL                            \
    }

extern const broken broken_scenes[], broken_clay[], broken_models[], broken_rigs[],
    broken_recordings[];
extern const int broken_scene_count, broken_clay_count, broken_model_count, broken_rig_count,
    broken_recording_count;

// Into the folder of the case, which is the working folder.
void put_bytes(const char *name, const void *bytes, size_t size);

// The bytes of a sound recording of ok.json.
extern uint8_t *sound_recording;
extern size_t sound_recording_size;
