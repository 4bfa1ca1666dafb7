// program.h: the program as its users run it.
#pragma once

#include "check.h"

#include "../src/base/os.h"

// Bytes of address space that any input may take; the sanitizers reserve terabytes for themselves.
#if defined(__SANITIZE_ADDRESS__)
#define PROGRAM_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PROGRAM_MEMORY 0
#endif
#endif
#if !defined(PROGRAM_MEMORY)
#define PROGRAM_MEMORY ((int64_t)6 << 30)
#endif

typedef struct program_run {
    int status;         // -1: did not end by itself
    char said[256];     // the last line on stderr
    char printed[8192]; // on stdout
} program_run;

static inline program_run run_program(const char *const *arguments)
{
    program_run run = {.status = -1};
    const char *words[24] = {getenv("WROUGHT_PROGRAM")};
    if (!words[0]) {
        print_message("WROUGHT_PROGRAM is not set\n");
        skip();
    }
    for (int i = 0; arguments[i] && i < 22; i++) {
        words[i + 1] = arguments[i];
    }
    const wri_run_limits limits = {60.0, PROGRAM_MEMORY, sizeof run.printed - 1};
    wri_run_result result = {0};
    wr_error error = {0};
    assert_true(wri_run(words, &limits, NULL, &result, &error));
    run.status = result.end == WRI_RUN_EXITED ? result.code : -1;
    snprintf(run.said, sizeof run.said, "%s", result.line);
    if (result.output.count > 0) {
        memcpy(run.printed, result.output.items, (size_t)result.output.count);
    }
    wri_array_destroy(&result.output);
    return run;
}

#define RUN_PROGRAM(...) run_program((const char *const[]){__VA_ARGS__, NULL})
