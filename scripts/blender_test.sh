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

# What an artist makes there becomes a body of morph here: `wrought new` finds its shape keys and its action, and
# in the pose of a target the skin is where Blender shows it with that key.
arm=$folder/arm log=$folder/morph.log
mkdir "$arm"
cat >"$arm/arm.recipe.json" <<END
{ "wrought": 1, "model": "arm.glb", "simulation": { "vertices": 200 },
  "morph": { "targets": [ { "target": "hollow", "clip": "bend", "time": 0.5, "stiffness": 2 },
                          { "target": "bulge", "clip": "bend", "time": 1, "stiffness": 4 } ] } }
END
cat >"$arm/arm.scene.json" <<END
{ "wrought": 1, "length": 0.1, "gravity": [0, 0, 0], "assets": { "arm": "arm.recipe.json" },
  "bodies": [
    { "name": "rest", "asset": "arm", "material": "morph" },
    { "name": "half", "asset": "arm", "material": "morph", "at": [2, 0, 0],
      "pose": { "clip": "bend", "start": 0.5, "speed": 0, "loop": false } },
    { "name": "whole", "asset": "arm", "material": "morph", "at": [4, 0, 0],
      "pose": { "clip": "bend", "start": 1, "speed": 0, "loop": false } } ] }
END
if ! { blender -b --factory-startup --python-exit-code 1 --python tests/blender_morph.py -- "$arm" &&
    "$build/wrought" new "$arm/arm.glb" --material morph --vertices 200 -o "$arm/new.recipe.json" &&
    grep '"target": "bulge"' "$arm/new.recipe.json" && grep '"clip": "bend' "$arm/new.recipe.json" &&
    "$build/wrought" rig "$arm/new.recipe.json" &&
    "$build/wrought" sim "$arm/arm.scene.json" -o "$arm"; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
for body in rest half whole; do
    "$build/wrought" export "$arm/recording.wrought" --quiet -o "$arm/$body.pc2" --body $body
done

status=0
blender -b --factory-startup --python-exit-code 1 --python tests/blender_check.py -- \
    "$folder/rigid" 150 "$folder/bending" 60 "$folder/skinned" 30 "$arm" 60 >"$folder/log" 2>&1 || status=$?
grep -E '^(pass|FAIL)' "$folder/log" || true
if [ $status != 0 ]; then
    tail -20 "$folder/log"
    echo "blender test failed"
    exit 1
fi
