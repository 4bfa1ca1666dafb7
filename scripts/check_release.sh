#!/bin/sh
# Checks that assertions cost nobody anything but the tests: no object file of the libraries in a
# release build calls what a failed one calls. One line per violation.
# usage: scripts/check_release.sh BUILD
if ! meson introspect --buildoptions "$1" | tr '{' '\n' |
    grep '"name": "buildtype"' | grep -q '"value": "release"'; then
    echo "$1 is no release: its assertions are not looked for"
    exit 0
fi
for library in libwrought-rt.a.p libwrought.a.p; do
    found=$(find "$1/$library" -name '*.o') && [ -n "$found" ] || {
        echo "$1/$library: no object files to check" >&2
        exit 2
    }
done
# __assert_fail of glibc and musl, __assert_rtn of macOS.
find "$1/libwrought-rt.a.p" "$1/libwrought.a.p" -name '*.o' -exec nm -u -A {} + | LC_ALL=C awk '
/assert_(fail|rtn)/ {
    sub(/:.*/, "", $1)
    printf "%s: has assertions in a release build\n", $1
    failed = 1
}
END { exit failed }' || exit 1
echo "no assertion is in the libraries of a release build"
