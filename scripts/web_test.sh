#!/bin/sh
# Checks that what we export is right for the world: web_test.sh BUILD
# A short take, the demo's take where there is one, the shipped models and the rigs and assets of the
# tests go through the Khronos validator; the takes are then shown by three.js in a browser without a
# window and looked at. Pictures stay in BUILD/web-test-*.png.
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

"$build/wrought" sim web/tests/take.scene.json -o "$folder" --quiet
"$build/wrought" export "$folder" -o "$folder/take.glb" --quiet
ninja -C "$build" tests/test_asset tests/test_gltf >/dev/null
WROUGHT_RIGS=$folder "$build/tests/test_asset" >/dev/null 2>&1
WROUGHT_RIGS=$folder "$build/tests/test_gltf" >/dev/null 2>&1
"$build/wrought" export "$folder" -o "$folder/take.usda" --quiet --body 'ball,stick,block,pile*'

set -- "$folder/take.glb"
[ -f out/take.glb ] && set -- "$@" out/take.glb
run node web/tests/validate.mjs "$@" "$folder"/rig-*.glb "$folder"/asset-*.glb scenes/models/*.glb
run node web/tests/view.mjs "$folder/take.glb" "$build/web-test" web/tests/take.scene.json
run node web/tests/usd.mjs "$folder/take.usda" "$folder/take.glb" ball=0.3 stick=0.6106 block=0.433
[ -f out/take.glb ] && run node web/tests/view.mjs out/take.glb "$build/web-test-demo"

run node web/tests/schema.mjs docs/scene.schema.json scenes/*.scene.json web/tests/*.scene.json

passed=$(grep -c '^pass' "$log" || true)
failed=$(grep -c '^FAIL' "$log" || true)
echo "web: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
