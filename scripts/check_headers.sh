#!/bin/sh
# Compiles every public header alone, as C17 and as C++17, with warnings as errors, and the examples
# in the heads of some.
# usage: scripts/check_headers.sh [root]     CC and CXX choose the compilers
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2
flags='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude'
failed=0
count=0

# compile TEXT WHAT: as both languages.
compile() {
    # shellcheck disable=SC2086
    printf '%s\n' "$1" | ${CC:-cc} -std=c17 $flags -x c - || {
        echo "$2 as C17"
        failed=1
    }
    # shellcheck disable=SC2086
    printf '%s\n' "$1" | ${CXX:-c++} -std=c++17 $flags -x c++ - || {
        echo "$2 as C++17"
        failed=1
    }
}

# example HEADER PARAMETERS [OTHER]: the code in the header's first comment, where these names are
# known, some of them from another header.
example() {
    code=$(awk '!/^\/\//{exit} sub("^//     ", "")' "include/wrought/$1")
    compile "$(printf '#include "wrought/%s"\n#include "wrought/%s"\nvoid example(%s);\nvoid example(%s)\n{\n%s\n}\n' \
        "$1" "${3:-$1}" "$2" "$2" "$code")" "include/wrought/$1: its example does not compile"
}

for path in include/wrought/*.h; do
    header=wrought/${path##*/}
    # Twice, so that a missing guard shows.
    text=$(printf '#include "%s"\n#include "%s"\nint wrought_header_check;\n' "$header" "$header")
    compile "$text" "$path: does not compile alone"
    count=$((count + 1))
done
example clay.h 'wr_vec3 *points, float *volumes, int count, wr_error error'
example flesh.h 'wr_layer *layer, wr_pose pose, wr_vec3 *places, wr_error error' layer.h
[ "$failed" -eq 0 ] && echo "$count public headers compile alone as C17 and C++17"
exit "$failed"
