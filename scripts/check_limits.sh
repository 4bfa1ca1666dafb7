#!/bin/bash
# Runs the program under limits on its memory: each command must answer within 30 s, by success or by
# one sentence; no signal, no hang. One line per violation.
# usage: scripts/check_limits.sh BUILD [STEP]     STEP: MB from one limit to the next (default 20)
set -u
build=$(cd "$1" && pwd) step=${2:-20}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
ulimit -c 0

cp -r "$root/scenes" "$work/scenes"
cat >"$work/scenes/limits.scene.json" <<'SCENE'
{
  "wrought": 1, "name": "limits", "length": 0.5,
  "assets": { "barrel": "barrel.recipe.json" },
  "bodies": [
    { "name": "ground", "shape": "plane" },
    { "name": "barrel", "asset": "barrel", "material": "metal", "at": [0, 0.5, 0], "velocity": [0, -8, 0] },
    { "name": "box", "shape": { "box": [1, 1, 1] }, "at": [0.2, 1.6, 0], "velocity": [0, -8, 0] }
  ]
}
SCENE
cd "$work" || exit 2
"$build/wrought" sim -q scenes/limits.scene.json -o ready || exit 2 # also puts the asset in the cache

runs=0 failed=0 answers=0
try() {
    local limit=$1 status lines
    shift
    (ulimit -v $((limit * 1024)) && exec timeout -k 5 30 "$@") >/dev/null 2>"$work/said"
    status=$?
    lines=$(wc -l <"$work/said")
    runs=$((runs + 1))
    if [ $status = 124 ] || [ $status -ge 128 ]; then
        echo "$limit MB, ${*:2}: status $status: $(head -c 200 "$work/said" | tr '\n' '|')"
    elif [ $status != 0 ] && [ "$lines" != 1 ]; then
        echo "$limit MB, ${*:2}: $lines lines instead of a sentence: $(head -c 300 "$work/said" | tr '\n' '|')"
    else
        answers=$((answers + (status == 0)))
        return
    fi
    failed=$((failed + 1))
}

for ((limit = 60; limit <= 1000; limit += step)); do
    try "$limit" "$build/wrought" --help
    try "$limit" "$build/wrought" info scenes/models/barrel.glb
    try "$limit" "$build/wrought" rig -q --fresh scenes/barrel.recipe.json -o barrel.glb
    try "$limit" "$build/wrought" rig -q --fresh scenes/ragdoll.recipe.json -o ragdoll.glb
    try "$limit" "$build/wrought" sim -q --fresh scenes/limits.scene.json -o sim
    try "$limit" "$build/wrought" render -q -s 320x180 ready -o picture.png
    try "$limit" "$build/wrought" render -q -s 160x90 ready -o film.mp4
done
echo "limits on memory: $runs runs, $answers succeeded, $failed without an answer"
[ $failed = 0 ]
