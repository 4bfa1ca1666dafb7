#!/bin/sh
# Fuzzes one reader after the other: scripts/fuzz.sh BUILD SECONDS [TARGET...]
# One line per reader: how often it ran, how much of the code it saw, what was found. Status 1 when
# something was found; the input that shows it is kept in BUILD/findings.
set -u
build=$1
seconds=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)

if [ ! -f "$build/build.ninja" ]; then
    CC=clang CXX=clang++ meson setup "$build" "$root" -Dfuzz=true --buildtype=debugoptimized \
        -Db_sanitize=address,undefined -Db_lundef=false -Db_ndebug=false >"$build.log" 2>&1 \
        || { cat "$build.log"; rm -f "$build.log"; exit 2; }
    mv "$build.log" "$build/setup.log"
fi
ninja -C "$build" fuzz >"$build/make.log" 2>&1 || { cat "$build/make.log"; exit 2; }

all=$(sed -n 's/^    {"\([a-z0-9]*\)", run_.*/\1/p' "$root/fuzz/targets.c" | tr '\n' ' ')

[ -w /dev/shm ] && base=/dev/shm || base=${TMPDIR:-/tmp}
FUZZ_FOLDER=$(mktemp -d "$base/wrought-fuzz-XXXXXX")
export FUZZ_FOLDER
trap 'rm -rf "$FUZZ_FOLDER"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$build/corpus" "$build/findings"
"$build/fuzz/fuzz_seeds" "$build/corpus" || exit 2
cp -r "$root"/fuzz/seeds/* "$build/corpus"

run() {
    target=$1
    corpus=$build/corpus/$target
    log=$build/findings/$target.log
    words=$root/fuzz/words/$target.dict
    mkdir -p "$corpus"
    set -- -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
        -malloc_limit_mb=256 -print_final_stats=1 -artifact_prefix="$build/findings/$target-"
    [ -f "$words" ] && set -- "$@" -dict="$words"
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=16 \
        "$build/fuzz/fuzz_$target" "$@" "$corpus" >"$log" 2>&1
    code=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    seen=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    result=sound
    if [ $code != 0 ]; then
        result=$(sed -n 's/^Test unit written to /FOUND: /p; s/^artifact_prefix.*Test unit written to /FOUND: /p' "$log" | tail -1)
        result="${result:-FAILED} (see $log)"
        status=1
    fi
    printf '%-10s %9s runs  %6s edges  %s\n' "$target" "${runs:-?}" "${seen:-?}" "$result"
}

status=0
for name in ${*:-$all}; do
    case " $all " in
    *" $name "*) run "$name" ;;
    *) echo "no target is called $name; there are: $all" >&2; exit 2 ;;
    esac
done
exit $status
