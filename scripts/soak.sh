#!/bin/sh
# Random scenes of metal, clay, flesh and morph, and for a hundred and more of them the slow tests before.
set -eu
build=$1 count=$2 first=$3 clay=$4 flesh=$5 morph=$6
root=$(cd "$(dirname "$0")/.." && pwd)
WROUGHT_SCENES=$root/scenes
WROUGHT_PROGRAM=$(cd "$build" && pwd)/wrought
export WROUGHT_SCENES WROUGHT_PROGRAM

if [ "$count" -ge 100 ]; then
  WROUGHT_SLOW=1 "$build/tests/test_metal_world"
  WROUGHT_SLOW=1 "$build/tests/test_clay_physics"
  WROUGHT_SLOW=1 "$build/tests/test_flesh_crush"
fi
status=0
[ "$count" -eq 0 ] || nice -n 19 "$build/tests/soak" "$count" "$first" || status=1
[ "$clay" -eq 0 ] || nice -n 19 "$build/tests/soak_clay" "$clay" "$first" || status=1
[ "$flesh" -eq 0 ] || nice -n 19 "$build/tests/soak_flesh" "$flesh" "$first" || status=1
[ "$morph" -eq 0 ] || nice -n 19 "$build/tests/soak_morph" "$morph" "$first" || status=1
exit $status
