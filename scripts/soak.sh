#!/bin/sh
# Random scenes of metal, and for a hundred and more of them the slow tests before.
set -eu
build=$1 count=$2 first=$3
root=$(cd "$(dirname "$0")/.." && pwd)
WROUGHT_SCENES=$root/scenes
WROUGHT_PROGRAM=$(cd "$build" && pwd)/wrought
export WROUGHT_SCENES WROUGHT_PROGRAM

[ "$count" -lt 100 ] || WROUGHT_SLOW=1 "$build/tests/test_metal_world"
exec nice -n 19 "$build/tests/soak" "$count" "$first"
