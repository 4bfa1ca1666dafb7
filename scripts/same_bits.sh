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

# Flesh: a chain of bones and a lump meet each other, what is fixed, rigid and metal.
cat >"$room/flesh.scene.json" <<END
{ "wrought": 1, "length": 0.6,
  "assets": { "tube": "$root/scenes/models/tube.glb", "crate": "$root/scenes/crate.recipe.json" },
  "bodies": [
    { "shape": "plane" },
    { "shape": { "box": [0.2, 0.2, 0.2] }, "at": [0, 0.1, 0], "motion": "static" },
    { "asset": "tube", "at": [0, 0.22, 0], "material": { "flesh": "fat", "spacing": 0, "joints": 0.05 } },
    { "asset": "tube", "at": [0.6, 0.1, 0], "material": { "flesh": "muscle", "spacing": 0, "follow": "by torque", "balance": 0 } },
    { "shape": { "sphere": 0.08 }, "at": [0, 0.5, 0.3], "velocity": [0, -2, 0] },
    { "shape": { "box": [0.1, 0.1, 0.1] }, "at": [0.02, 0.42, -0.1], "material": { "flesh": "jelly", "spacing": 3 } },
    { "asset": "crate", "scale": 0.2, "at": [0.62, 0.4, 0.1], "density": 300, "material": "metal" } ] }
END

# Morph: arms in all ways to solve them and jelly, hit by what is rigid, out of assets of their own.
cat >"$room/morph.scene.json" <<END
{ "wrought": 1, "length": 0.6, "wind": [2, 0, 1],
  "assets": { "elbow": "$root/scenes/elbow.recipe.json", "jelly": "$root/scenes/jelly.recipe.json" },
  "bodies": [
    { "shape": "plane" },
    { "asset": "elbow", "at": [0, 0.2, 0], "pose": { "clip": "curl", "speed": 2 }, "material": { "morph": "muscle", "freedom": "full" } },
    { "asset": "elbow", "at": [0, 0.2, 1], "pose": { "clip": "bend", "speed": 2 }, "material": { "morph": "fat", "elasticity": "stvk" } },
    { "asset": "jelly", "at": [1, 0, 0], "pose": { "clip": "nod" }, "scalars": { "angry": { "touched": 1 } },
      "material": { "morph": "jelly", "air": 2 }, "copies": { "count": 4, "step": [0.4, 0, 0] } },
    { "shape": { "box": [1.5, 0.1, 0.3] }, "at": [1.6, 0.6, 0], "mass": 2 },
    { "shape": { "sphere": 0.1 }, "at": [-0.1, 0.8, 0], "velocity": [0, -2, 0] } ] }
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
    "$1" sim "$room/morph.scene.json" -q -o "$2/morph"
    "$1" sim "$room/morph.scene.json" -q -t 1 -o "$2/morph-one"
    "$1" sim "$room/flesh.scene.json" -q -o "$2/flesh"
    "$1" sim "$room/flesh.scene.json" -q -t 1 -o "$2/flesh-one"
    # A second half by a run that was killed in the first.
    timeout -s KILL 2 "$1" sim "$room/flesh.scene.json" -q -t 2 -o "$2/flesh-resumed" 2>/dev/null || true
    "$1" sim "$room/flesh.scene.json" -q -t 2 -o "$2/flesh-resumed"
    for run in flesh-one flesh-resumed morph-one; do
        cmp -s "$2/${run%-*}/recording.wrought" "$2/$run/recording.wrought" || {
            echo "$1: $run: not the bytes of the run without a stop on all threads" >&2
            status=1
        }
    done
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
