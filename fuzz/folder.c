// folder.c: the folder of a fuzzing process, and the files and the scene that lie in it.
#define _GNU_SOURCE
#include "fuzz.h"
#include "../tests/jelly.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

static const char *folder(void)
{
    static char path[256];
    if (!path[0]) {
        const char *base = getenv("FUZZ_FOLDER"); // removed by scripts/fuzz.sh
        if (!base) {
            base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        }
        snprintf(path, sizeof path, "%s/wrought-fuzz-%d", base, (int)getpid());
        mkdir(path, 0777);
    }
    return path;
}

const char *fuzz_path(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder(), name);
    return path;
}

const char *fuzz_put(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 || (size && write(file, bytes, size) != (ssize_t)size) || close(file) != 0) {
        fuzz_complain("%s: cannot be written", path);
    }
    return path;
}

// --- neighbours -------------------------------------------------------------------------------

static const char obj[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char mtl[] = "newmtl paint\nKd 1 0 0\nmap_Kd dot.png\n";

void fuzz_put_neighbours(void)
{
    static const uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255};
    wr_error error = {0};
    fuzz_put("solid.obj", obj, sizeof obj - 1);
    fuzz_put("paint.mtl", mtl, sizeof mtl - 1);
    if (!wr_png_write(fuzz_path("dot.png"), pixels, 2, 2, 4, &error)) {
        fuzz_complain("%s", error.message);
    }
}

// --- a world ----------------------------------------------------------------------------------

static const char scene_text[] =
    "{ \"wrought\": 1, \"length\": 1, \"substeps\": 2, \"iterations\": 4,\n"
    "  \"assets\": { \"solid\": \"solid.obj\" },\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"ground\", \"shape\": \"plane\" },\n"
    "    { \"name\": \"crate\", \"shape\": { \"box\": [1, 1, 1] }, \"at\": [0, 0.5, 0],\n"
    "      \"copies\": { \"count\": 2, \"step\": [0, 1, 0] } },\n"
    "    { \"name\": \"rock\", \"asset\": \"solid\", \"at\": [3, 1, 0] },\n"
    "    { \"name\": \"lift\", \"shape\": { \"sphere\": 0.5 }, \"path\": [\n"
    "      { \"time\": 0, \"at\": [6, 0, 0] }, { \"time\": 1, \"at\": [6, 1, 0] } ] },\n"
    "    { \"name\": \"jelly\", \"shape\": { \"box\": [1, 1, 1] }, \"at\": [0, 2.6, 0],\n"
    "      \"material\": \"jelly\" } ],\n"
    "  \"joints\": [ { \"kind\": \"hinge\", \"bodies\": [\"crate.1\", \"crate.2\"], \"at\": [0, 1, "
    "0],\n"
    "    \"limits\": [-20, 20], \"breaks\": 5 } ] }\n";

wr_scene *fuzz_scene_create(void)
{
    static const wr_material *const materials[] = {&jelly_material};
    wr_scene_options options = {.materials = materials, .material_count = 1};
    wr_error error = {0};
    const char *path = fuzz_put("world.scene.json", scene_text, sizeof scene_text - 1);
    wr_scene *scene = wr_scene_read(path, &options, &error);
    if (!scene) {
        fuzz_complain("%s", error.message);
    }
    return scene;
}

wr_world *fuzz_world_create(const wr_scene *scene)
{
    wr_error error = {0};
    wr_world_desc desc = wr_world_desc_default();
    desc.scene = scene;
    wr_world *world = wr_world_create(&desc, &error);
    if (!world) {
        fuzz_complain("%s", error.message);
    }
    return world;
}
