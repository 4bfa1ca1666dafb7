#!/bin/sh
# Runs all test programs of a build folder and closes with one line of counts.
set -u
build=$1
root=$(cd "$(dirname "$0")/.." && pwd)
log=$build/meson-logs/testlog.txt
WROUGHT_DATA=${WROUGHT_DATA:-$root/../shared/data}
export WROUGHT_DATA

meson test -C "$build" --no-rebuild --print-errorlogs >"$build/test-output.txt" 2>&1
status=$?
grep -E '^ *[0-9]+/[0-9]+ ' "$build/test-output.txt" | sort -n -u
if [ $status != 0 ]; then # what the failed ones said
    grep -aE '^\[ *(ERROR|LINE|FAILED) *\]|ERROR: |runtime error|SUMMARY: ' "$log" | head -60
    echo "the whole output: $log"
fi
awk '
/^\[       OK \]/ { passed++ }
/^\[  FAILED  \] [A-Za-z_0-9]+$/ { failed++ }
/^\[  SKIPPED \] [A-Za-z_0-9]+$/ { if (!seen[$0]++) print }
/^\[  SKIPPED \] [A-Za-z_0-9]+$/ { skipped++ }
END {
    # cmocka names a failed or skipped test twice: when it happens and in its summary
    printf "tests: %d passed, %d failed, %d skipped\n", passed, failed / 2, skipped / 2
    exit passed == 0
}' "$log" || status=1
exit $status
