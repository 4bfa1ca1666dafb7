// golden.h: books of expected values, tests/golden/NAME.txt: one line per thing, its name and a
// fingerprint of what the program made of it.
//
// A fingerprint is a hash of everything that must be the same to the letter; numbers that may
// differ in their last bits from machine to machine stand behind it as one weighted sum, "~sum/n",
// that is compared with a tolerance. `make golden` writes the books anew.
#pragma once

#include "check.h"

#include "wrought/wrought.h"

#include "../src/base/base.h"
#include "../src/base/os.h"

#if defined(__cplusplus)
extern "C" {
#endif

// --- fingerprints -----------------------------------------------------------------------------

typedef struct golden_print {
    uint64_t exact; // hash of all that is compared to the bit
    double sum;     // of numbers that are compared nearly
    int count;      // of these
} golden_print;

void golden_add_bytes(golden_print *print, const void *bytes, size_t size);
// A change of any number by a thousandth of its own size shows among ten thousand.
void golden_add_number(golden_print *print, double value);
// Numbers of a text count nearly, whole ones from 2 on and everything else to the letter.
void golden_add_text(golden_print *print, const char *text, size_t size);
// All that a recorded frame holds besides the hash of its state.
void golden_add_frame(golden_print *print, const wr_frame *frame);
// Head of a recording: bodies, stage, looks and shapes of its models.
void golden_add_info(golden_print *print, const wr_record_info *info);
// A file by its ending: text, .glb with its pictures decoded, .wrought with its frames, others as
// they are.
bool golden_add_file(golden_print *print, const char *path);

// --- books ------------------------------------------------------------------------------------

typedef struct golden_book {
    wri_arena arena;
    char path[1024];
    wri_array expected, found; // golden_line
    int changed;
} golden_book;

// Path of a file in tests/golden, in a buffer that the next four calls leave alone.
const char *golden_path(const char *name, const char *ending);
bool golden_writes(void); // whether the books are written anew

void golden_open(golden_book *book, const char *name);
// how: a hint at how to look at the thing.
void golden_note(golden_book *book, const char *name, const golden_print *print, const char *how);
void golden_note_text(golden_book *book, const char *name, const char *value, const char *how);
// Takes over what the book says of things whose names begin like this: they cannot be made here.
void golden_keep(golden_book *book, const char *beginning);
// Compares a picture with tests/golden/BOOK/NAME.png, 32x18 pixels that differ by 2/255 at most.
void golden_note_picture(golden_book *book, const char *folder, const char *name, const char *path,
                         const char *how);
// Fails the test when anything differs, is missing or new.
void golden_close(golden_book *book);

#if defined(__cplusplus)
}
#endif
