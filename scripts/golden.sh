#!/bin/sh
# Writes the books of tests/golden anew, all or those that are named, and says how many lines of
# each changed. A commit that changes a line says why. usage: golden.sh BUILD [BOOK...]
set -eu
build=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
ninja -C "$build" tests/golden_scenes tests/golden_lines programs >/dev/null
[ $# != 0 ] || set -- $(cd "$root/tests/golden" && ls ./*.txt | sed 's/^..\(.*\).txt$/\1/')
export WROUGHT_GOLDEN_WRITE=1
for book; do
    meson test -C "$build" --no-rebuild "golden_$book" >/dev/null
    grep -a 'lines changed$' "$build/meson-logs/testlog.txt" || echo "$book: nothing changed"
done
