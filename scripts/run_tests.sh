#!/bin/sh
# Runs all test programs of a build folder, or those that options of meson test choose, names what was
# skipped and why, and closes with one line of counts. run_tests.sh BUILD [OPTION...]
set -u
build=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
log=$build/meson-logs/testlog.txt
WROUGHT_DATA=${WROUGHT_DATA:-$root/../shared/data}
export WROUGHT_DATA

meson test -C "$build" --no-rebuild --print-errorlogs "$@" >"$build/test-output.txt" 2>&1
status=$?
grep -E '^ *[0-9]+/[0-9]+ ' "$build/test-output.txt" | sort -n -u
if [ $status != 0 ]; then # what the failed ones said
    grep -aE '^\[ *(ERROR|LINE|FAILED) *\]|ERROR: |runtime error|SUMMARY: ' "$log" | head -60
    echo "the whole output: $log"
fi
[ -d "$WROUGHT_DATA" ] || data="There is no folder $WROUGHT_DATA with the models of others (WROUGHT_DATA)."
# A skipped test says why in its last line before [  SKIPPED ].
awk -v data="${data:-}" '
/^test: / { program = $2 }
/^\[ RUN / { reason = "it gives no reason"; running = 1; next }
/^\[       OK \]/ { passed++; running = 0 }
/^\[  FAILED  \] [A-Za-z_0-9]+$/ { failed++; running = 0 }
/^\[  SKIPPED \] [A-Za-z_0-9]+$/ && running {
    sub(/^skipped: /, "", reason)
    skipped[count++] = sprintf("  %s: %s\n      %s", program, $4, reason)
    running = 0
}
running && NF { reason = $0 }
END {
    rule = "################################################################################"
    if (count) {
        print rule
        printf "## %d SKIPPED TEST%s: what they promise was NOT checked in this run.\n", count,
            count == 1 ? "" : "S"
        if (data) {
            print "## " data
        }
        for (i = 0; i < count; i++) {
            print skipped[i]
        }
        print rule
    }
    # cmocka names a failed test twice: when it happens and in its summary
    printf "tests: %d passed, %d failed, %d skipped\n", passed, failed / 2, count
    exit passed == 0
}' "$log" || status=1
exit $status
