#!/bin/sh
# Checks that includes point one way, that one folder alone has C++, that base alone calls the heap
# and the operating system, and that the library does not print or exit. One line per violation.
# usage: scripts/check_includes.sh [root]
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2

# module: the modules that it may include besides itself. A public header belongs to the module of
# its name; `header` lines say where another one belongs.
rules='
module base:
module math:     base
module factor:   base math
module geometry: base math
module file:     base math geometry skin
module record:   base math geometry file skin
module skin:     base math
module crush:    base math geometry
module author:   base math factor geometry file record skin morph crush
module rigid:    base math geometry
module render:   base math geometry
module show:     base math geometry file record skin render
module metal:    base math geometry skin
module sprite:   base math geometry skin
module clay:     base math
module flesh:    base math factor geometry skin
module morph:    base math factor geometry skin
module world:    base math factor geometry file record skin rigid metal sprite clay flesh morph
module scene:    base math geometry file record skin rigid metal sprite clay flesh morph author world
module tune:     base math geometry file record skin rigid metal world scene
module wrought:  base math geometry file record skin crush author rigid render show metal sprite clay flesh morph world scene tune
header include/wrought/controller.h: sprite
header include/wrought/stage.h: geometry
header include/wrought/body_copy.h: math
header include/wrought/cage.h: geometry
header include/wrought/fill.h: geometry
header include/wrought/layer.h: geometry
header include/wrought/texels.h: geometry
header include/wrought/asset.h: file
header include/wrought/asset_view.h: show
header include/wrought/example.h: author
header include/wrought/posing.h: author
header include/wrought/recipe.h: author
header include/wrought/weights.h: author
header include/wrought/material.h: world
header include/wrought/parameter.h: base

cpp files: src/rigid import
private src/rigid/bullet_shim.h: src/rigid
system ^(bt|bullet|BulletCollision|BulletDynamics|BulletSoftBody|LinearMath): src/rigid
system ^(assimp|draco): nowhere
system ^embree:        src/render
system ^libqhull:      src/geometry src/author
system ^(suitesparse/|amd|cblas): src/author/cholesky.c
system ^meshoptimizer: src/file
system ^(png|zstd|jpeglib|jerror): src/file src/record
system ^omp[.]h:       src/base
system ^(sys/|unistd|fcntl|pthread|spawn|signal|sched|dirent|dlfcn|poll|time[.]h|locale): src/base

call malloc calloc realloc free aligned_alloc posix_memalign strdup strndup asprintf: src/base
call open openat creat fopen fdopen freopen popen system fork tmpfile remove rename: src/base
call strtod strtof strtold atof sscanf fscanf setlocale: src/base
call printf fprintf vprintf vfprintf puts fputs putchar putc perror: nowhere
call exit abort quick_exit: nowhere
call _exit: src/base
'

status=0
folders=
for folder in include src cli import bench studio tests tools fuzz; do
    [ -d "$folder" ] && folders="$folders $folder"
done

# shellcheck disable=SC2086
find $folders -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) \
    -exec env LC_ALL=C RULES="$rules" awk '
function report(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}
# "a/b/../c.h" -> "a/c.h"
function tidy(path) {
    while (match(path, /[^\/]+\/\.\.\//)) {
        path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
    }
    gsub(/\/\.\//, "/", path)
    return path
}
function folder_of(path) {
    sub(/\/[^\/]*$/, "", path)
    return path
}
function module_of(path,   part) {
    if (path in home) {
        return home[path]
    }
    split(path, part, "/")
    if (path ~ /^include\/wrought\//) {
        sub(/[.]h$/, "", part[3])
        return part[3]
    }
    return part[1] == "src" ? part[2] : ""
}
function inside(path, places,   n, place, i) {
    n = split(places, place, " ")
    for (i = 1; i <= n; i++) {
        if (path == place[i] || index(path, place[i] "/") == 1) {
            return 1
        }
    }
    return 0
}
function check_own(name,   target, to, n, allowed, i) {
    target = tidy(name ~ /^wrought\// ? "include/" name : folder_of(FILENAME) "/" name)
    if (target in owner && !inside(FILENAME, owner[target])) {
        report("includes " target ", which belongs to " owner[target] " alone")
        return
    }
    if (module == "") {
        return
    }
    to = module_of(target)
    if (to == module) {
        return
    }
    n = split(may[module], allowed, " ")
    for (i = 1; i <= n; i++) {
        if (allowed[i] == to) {
            return
        }
    }
    report(module " must not include " (to == "" ? target : to) " (\"" name "\")")
}
function check_system(name,   i) {
    for (i = 1; i <= systems; i++) {
        if (name ~ pattern[i] && !inside(FILENAME, where[i])) {
            report("<" name "> may be included by " where[i] " only")
        }
    }
}
function check_calls(line,   word) {
    while (match(line, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
        word = substr(line, RSTART, RLENGTH)
        sub(/[ \t]*\($/, "", word)
        if (word in caller && substr(" " line, RSTART, 1) !~ /[.>]/ &&
            !inside(FILENAME, caller[word])) {
            report(caller[word] == "nowhere" ? "the library must not call " word : \
                   word " may be called in " caller[word] " only")
        }
        line = substr(line, RSTART + RLENGTH)
    }
}
BEGIN {
    n = split(ENVIRON["RULES"], rule, "\n")
    for (r = 1; r <= n; r++) {
        colon = index(rule[r], ": ")
        words = split(colon ? substr(rule[r], 1, colon - 1) : rule[r], word, " ")
        sub(/:$/, "", word[2])
        rest = colon ? substr(rule[r], colon + 2) : ""
        sub(/^ +/, "", rest)
        if (word[1] == "module") {
            may[word[2]] = rest
        } else if (word[1] == "header") {
            home[word[2]] = rest
        } else if (word[1] == "cpp") {
            cpp = rest
        } else if (word[1] == "private") {
            owner[word[2]] = rest
        } else if (word[1] == "system") {
            pattern[++systems] = word[2]
            where[systems] = rest
        } else if (word[1] == "call") {
            for (w = 2; w <= words; w++) {
                caller[word[w]] = rest
            }
        }
    }
}
FNR == 1 {
    module = module_of(FILENAME)
    comment = 0
    if (module != "" && !(module in may)) {
        report("module " module " is not in the table of scripts/check_includes.sh")
        module = ""
    }
    if (FILENAME ~ /[.]cpp$/ && !inside(FILENAME, cpp)) {
        report("C++ lives in " cpp " only")
    }
}
/^[ \t]*#[ \t]*include/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    if ($0 ~ /^[^"<]*"/) {
        check_own(name)
    } else if (module != "") {
        check_system(name)
    }
    next
}
module != "" {
    line = $0
    if (comment) {
        if (!sub(/^.*\*\//, "", line)) {
            next
        }
        comment = 0
    }
    if (line !~ /\(/ && line !~ /\/\*/) {
        next
    }
    gsub(/\047(\\.[^\047]*|[^\047\\])\047/, "0", line)
    gsub(/"([^"\\]|\\.)*"/, "0", line)
    sub(/\/\/.*/, "", line)
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
    if (line ~ /\/\*/) {
        sub(/\/\*.*/, "", line)
        comment = 1
    }
    check_calls(line)
}
END {
    exit failed
}' {} + || status=1

# shellcheck disable=SC2086
foreign=$(find $folders -type f \( -name '*.cc' -o -name '*.cxx' -o -name '*.hpp' -o -name '*.hh' \
    -o -name '*.C' -o -name '*.cu' \))
if [ -n "$foreign" ]; then
    printf '%s\n' "$foreign" | sed 's/$/: C++ lives in src\/rigid and import only, in .cpp files/'
    status=1
fi
[ "$status" -eq 0 ] && echo "includes and calls keep to the plan"
exit "$status"
