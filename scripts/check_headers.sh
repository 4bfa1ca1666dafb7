#!/bin/sh
# Compiles every public header alone, as C17 and as C++17, with warnings as errors.
# usage: scripts/check_headers.sh [root]     CC and CXX choose the compilers
root=${1:-$(dirname "$0")/..}
cd "$root" || exit 2
flags='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude'
failed=0
count=0
for path in include/wrought/*.h; do
    header=wrought/${path##*/}
    # Twice, so that a missing guard shows.
    text=$(printf '#include "%s"\n#include "%s"\nint wrought_header_check;\n' "$header" "$header")
    # shellcheck disable=SC2086
    printf '%s\n' "$text" | ${CC:-cc} -std=c17 $flags -x c - || {
        echo "$path: does not compile alone as C17"
        failed=1
    }
    # shellcheck disable=SC2086
    printf '%s\n' "$text" | ${CXX:-c++} -std=c++17 $flags -x c++ - || {
        echo "$path: does not compile alone as C++17"
        failed=1
    }
    count=$((count + 1))
done
[ "$failed" -eq 0 ] && echo "$count public headers compile alone as C17 and C++17"
exit "$failed"
