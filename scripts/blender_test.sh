#!/bin/sh
# Checks that Blender shows our exports where the recording has them: blender_test.sh BUILD
# Needs the packages blender and python3-numpy (436 MB), which nothing else here needs.
set -eu

build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

if ! command -v blender >/dev/null; then
    echo "blender test skipped: blender is missing (apt-get install blender python3-numpy)"
    exit 0
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/wrought blender.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

export_() {
    "$build/wrought" export "$folder/recording.wrought" --quiet -o "$folder/$1" ${2:+--body "$2"}
}
"$build/wrought" sim web/tests/take.scene.json -o "$folder" --quiet
export_ take.glb
export_ take.pc2
for body in ball stick barrel; do
    export_ "$body.pc2" "$body"
done

status=0
blender -b --factory-startup --python-exit-code 1 --python tests/blender_check.py -- \
    "$folder" 150 >"$folder/log" 2>&1 || status=$?
grep -E '^(pass|FAIL)' "$folder/log" || true
if [ $status != 0 ]; then
    tail -20 "$folder/log"
    echo "blender test failed"
    exit 1
fi
