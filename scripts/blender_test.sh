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

# Each scene has a folder with take.glb, take.pc2 and some bodies alone.
prepare() { # FOLDER RECORDING BODY...
    mkdir -p "$folder/$1"
    "$build/wrought" export "$2" --quiet -o "$folder/$1/take.glb"
    "$build/wrought" export "$2" --quiet -o "$folder/$1/take.pc2"
    scene=$folder/$1 recording=$2
    shift 2
    for body; do
        "$build/wrought" export "$recording" --quiet -o "$scene/$body.pc2" --body "$body"
    done
}
"$build/wrought" sim web/tests/take.scene.json -o "$folder" --quiet
prepare rigid "$folder/recording.wrought" ball stick barrel
ninja -C "$build" tests/test_export >/dev/null
WROUGHT_TAKE=$folder/bending.wrought "$build/tests/test_export" >/dev/null 2>&1 || true
prepare bending "$folder/bending.wrought" "crate 1" sheet

# A skinned model, written as it is, and where our own skinning puts it.
mkdir "$folder/skinned"
ninja -C "$build" tests/test_gltf >/dev/null
WROUGHT_ARM=$folder/skinned "$build/tests/test_gltf" >/dev/null 2>&1 || true

# What an artist makes there becomes a body of morph here: its shape key belongs to the end of its action.
log=$folder/morph.log
if blender -b --python-exit-code 1 --python tests/blender_morph.py -- "$folder/arm.glb" >"$log" 2>&1 &&
    "$build/wrought" new "$folder/arm.glb" --material morph --vertices 200 -o "$folder/arm.recipe.json" >>"$log" 2>&1 &&
    grep -q '"target": "bulge"' "$folder/arm.recipe.json" && grep -q '"clip": "bend' "$folder/arm.recipe.json" &&
    cat >"$folder/arm.scene.json" <<END &&
{ "wrought": 1, "length": 1, "assets": { "arm": "arm.recipe.json" },
  "bodies": [ { "asset": "arm", "pose": { "clip": "bend" }, "material": "morph" } ] }
END
    "$build/wrought" sim "$folder/arm.scene.json" -o "$folder/arm" --quiet >>"$log" 2>&1; then
    echo "a shape key of Blender is a target of morph"
else
    cat "$log" >&2
    exit 1
fi

status=0
blender -b --factory-startup --python-exit-code 1 --python tests/blender_check.py -- \
    "$folder/rigid" 150 "$folder/bending" 60 "$folder/skinned" 30 >"$folder/log" 2>&1 || status=$?
grep -E '^(pass|FAIL)' "$folder/log" || true
if [ $status != 0 ]; then
    tail -20 "$folder/log"
    echo "blender test failed"
    exit 1
fi
