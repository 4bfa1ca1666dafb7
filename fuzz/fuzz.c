// fuzz.c: what libFuzzer calls. FUZZ_TARGET names the reader this program is for.
#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

static const fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    for (int i = 0; i < fuzz_target_count; i++) {
        if (strcmp(fuzz_targets[i].name, FUZZ_TARGET) == 0) {
            target = &fuzz_targets[i];
        }
    }
    if (!target) {
        fuzz_complain("no target is called %s", FUZZ_TARGET);
    }
    fuzz_put_neighbours();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    target->run(bytes, size);
    return 0;
}

// One in eight is left broken: lengths and checksums must be seen to fail, too.
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    size = LLVMFuzzerMutate(bytes, size, room);
    if (target->repair && seed % 8 != 0) {
        target->repair(bytes, size);
    }
    return size;
}
