#!/bin/sh
# Checks that what we export is right for the world: web_test.sh BUILD
# A short take, the takes of the demos that are not too large, those that bend (one of them a drawing), skinned and morphing
# rigs, assets, the shipped models and clean copies of them go through the Khronos validator, all made here and now; the rigid takes
# are then shown by three.js in a browser without a window and looked at. Pictures stay in
# BUILD/web-test-*.png.
set -eu

build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

# In CI nothing may be left out.
skip() {
    [ "${CI:-}" = true ] && echo "web test failed: $1" >&2 && exit 1
    echo "web test skipped: $1"
    exit 0
}

command -v node >/dev/null || skip "node is missing"
command -v npm >/dev/null || skip "npm is missing"
for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
    CHROMIUM=$(command -v "$name") && break
done
[ -n "$CHROMIUM" ] || skip "chromium is missing"
export CHROMIUM

installed=web/node_modules/.package-lock.json # npm writes it last
if [ ! -f "$installed" ] || [ -n "$(find web/package-lock.json -newer "$installed")" ]; then
    npm ci --prefix web --no-audit --no-fund --ignore-scripts --loglevel=error
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/wrought-web.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
log=$folder/log

# Every check prints a line; a program that fails without one counts as a failed check.
run() {
    status=0
    "$@" >"$folder/part" 2>&1 || status=$?
    if [ $status != 0 ] && ! grep -q '^FAIL' "$folder/part"; then
        echo "FAIL $1 ended with status $status" >>"$folder/part"
    fi
    tee -a "$log" <"$folder/part"
}

wrought() { "$build/wrought" "$@" --quiet; }

# Rigid: a short take and the demos, but for those whose many bodies would take minutes, and those that are like others. Morphing: a
# recording that bends. Skinned: rigs of the tests, as the library writes them and as export does with one that it has read.
wrought sim web/tests/take.scene.json -o "$folder"
wrought export "$folder" -o "$folder/take.glb"
wrought export "$folder" -o "$folder/small-take.glb" --compress meshopt
wrought export "$folder" -o "$folder/take.usda" --body 'ball,stick,block,pile*'
for scene in scenes/*.scene.json; do
    name=$(basename "$scene" .scene.json)
    case $name in hundred-barrels | scrap-heap | pachinko-35 | plinko | puzzle | ragdoll | launcher-* | three-balls | five-rabbits | spheres | densities | fowl | house | clay-wall | dropped | tyres | deer | pumpkins | hand | ridges | tubes | fish | core | cannonballs | barrel-stack | pile-up | bridge | crane-yard | space-battle | diver | shoulder | crowd | tumble) continue ;; esac
    # Drawings are validated, but not looked at: seen from the side they are lines.
    kind=demo
    grep -q '"flat"' "$scene" && kind=flat
    wrought sim "$scene" -o "$folder/$name"
    wrought export "$folder/$name" -o "$folder/$kind-$name.glb"
done
ninja -C "$build" tests/test_asset tests/test_gltf tests/test_export tests/test_sheet >/dev/null
mkdir "$folder/arm"
WROUGHT_RIGS=$folder "$build/tests/test_asset" >/dev/null 2>&1
WROUGHT_RIGS=$folder WROUGHT_ARM=$folder/arm "$build/tests/test_gltf" >/dev/null 2>&1
mv "$folder/arm/take.glb" "$folder/rig-arm.glb"
for rig in "$folder"/rig-*.glb; do
    wrought export "$rig" -o "$folder/again-$(basename "$rig")"
done
WROUGHT_TAKE=$folder/bending.wrought "$build/tests/test_export" >/dev/null 2>&1
wrought export "$folder/bending.wrought" -o "$folder/bending.glb"
wrought export "$folder/bending.wrought" -o "$folder/small-bending.glb" --compress meshopt
wrought export scenes/models/elbow.glb -o "$folder/small-elbow.glb" --compress meshopt
WROUGHT_DRAWN=$folder/drawn.wrought "$build/tests/test_sheet" >/dev/null 2>&1
wrought export "$folder/drawn.wrought" -o "$folder/drawn.glb"
for model in scenes/models/*.glb; do
    "$build/wrought" clean "$model" -o "$folder/clean-$(basename "$model")" >/dev/null
done

run node web/tests/validate.mjs "$folder/take.glb" "$folder"/demo-*.glb "$folder"/flat-*.glb \
    "$folder/bending.glb" "$folder/drawn.glb" "$folder"/small-*.glb \
    "$folder"/rig-*.glb "$folder"/again-*.glb "$folder"/asset-*.glb scenes/models/*.glb \
    "$folder"/clean-*.glb
run node web/tests/view.mjs "$folder/take.glb" "$build/web-test" web/tests/take.scene.json
run node web/tests/view.mjs "$folder/small-take.glb" "$build/web-test-small" \
    web/tests/take.scene.json "$folder/take.glb"
mkdir "$folder/recorded"
wrought export "$folder/pachinko" -o "$folder/pachinko.usda"
wrought export "$folder/pachinko" -o "$folder/recorded/take.####.obj" --fps 3 --body 'right*'
run node web/tests/usd_shapes.mjs "$folder/pachinko.usda" "$folder/recorded" 20 0.004 \
    /pachinko/right_1=right.1 /pachinko/right_2=right.2 /pachinko/right_3=right.3
run node web/tests/usd.mjs "$folder/take.usda" "$folder/take.glb" ball=0.3 stick=0.6106 block=0.433
for take in "$folder"/demo-*.glb; do
    run node web/tests/view.mjs "$take" "$build/web-test-$(basename "$take" .glb)"
done

run node web/tests/schema.mjs docs/scene.schema.json scenes/*.scene.json web/tests/*.scene.json
run node web/tests/schema.mjs docs/recipe.schema.json scenes/*.recipe.json

passed=$(grep -c '^pass' "$log" || true)
failed=$(grep -c '^FAIL' "$log" || true)
echo "web: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
