#!/bin/sh
# Whether builds agree: each makes its own assets and simulates a few scenes, and every byte of both
# must be the first one's. usage: same_bits.sh BUILD BUILD...
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
status=0
recipes="crate ragdoll"
scenes="hero platformer loading-dock"
# Contacts with a mesh take a way of their own.
cat >"$room/mesh.scene.json" <<END
{ "wrought": 1, "length": 3, "assets": { "crate": "$root/scenes/models/crate.glb" },
  "bodies": [
    { "asset": "crate", "scale": 20, "shape": "mesh", "motion": "static", "at": [0, -8, 0],
      "turn": { "axis": [1, 0, 3], "by": 4 } },
    { "shape": { "box": [1, 0.3, 0.7] }, "at": [0, 2.5, 0], "velocity": [3, 0, 1], "spin": [0, 40, 0] },
    { "shape": { "box": [0.6, 0.4, 0.5] }, "at": [2, 3, 1], "velocity": [-2, 0, 2] },
    { "shape": { "cylinder": { "radius": 0.3, "height": 0.5 } }, "at": [-2, 2.6, -1],
      "velocity": [2, 0, -1] } ] }
END

# Clay: three kinds that fall on each other and on what moves freely.
cat >"$room/clay.scene.json" <<END
{ "wrought": 1, "length": 0.5, "assets": { "hen": "$root/scenes/models/hen.glb" },
  "bodies": [
    { "shape": "plane" },
    { "shape": { "box": [0.3, 0.1, 0.3] }, "at": [0, 0.4, 0], "turn": { "axis": [1, 0, 3], "by": 14 } },
    { "asset": "hen", "at": [0, 0.02, 0], "material": { "clay": "putty", "particles": 500 } },
    { "shape": { "box": [0.1, 0.3, 0.1] }, "at": [0.25, 0.3, 0.02], "velocity": [-3, 0, 0.5],
      "material": { "clay": "chewing gum", "particles": 300, "surface": "particles" } },
    { "shape": { "sphere": 0.08 }, "at": [0, 0.62, 0.03], "velocity": [0, -2, 0],
      "material": { "clay": "clay", "particles": 300, "implicit": "on", "embedding": "nonlinear" } } ] }
END

make_all() { # program, folder
    XDG_CACHE_HOME=$2/cache # nothing that another build made
    export XDG_CACHE_HOME
    for recipe in $recipes; do
        "$1" rig "$root/scenes/$recipe.recipe.json" -q -o "$2/$recipe.asset.glb"
    done
    for scene in $scenes; do
        "$1" sim "$root/scenes/$scene.scene.json" -q -o "$2/$scene"
    done
    "$1" sim "$room/mesh.scene.json" -q -o "$2/mesh"
    "$1" sim "$room/clay.scene.json" -q -o "$2/clay"
}

number=0
for build in "$@"; do
    number=$((number + 1))
    mkdir "$room/$number"
    make_all "$build/wrought" "$room/$number"
    for file in $(cd "$room/1" && ls ./*.glb ./*/recording.wrought); do
        cmp -s "$room/1/$file" "$room/$number/$file" || {
            echo "$build: ${file#./}: not the bytes of $1" >&2
            status=1
        }
    done
done
[ $status != 0 ] || echo "same bits: $*"
exit $status
