#!/bin/bash
# The sheet of docs/gallery/artists.md: gallery_artists.sh BUILD [NAME...]
# Ten models nobody prepared, from the file to the film by five commands and no edit by hand. Prints a
# row of the page's table for each. Needs ffmpeg, "ninja -C BUILD tests/seen" and the models of
# WROUGHT_DATA; no NAME: all ten.
set -eu

build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
data=${WROUGHT_DATA:-$PWD/../shared/data}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$folder/cache} # unless said, nothing was built before
TIMEFORMAT=%U

models="chair=khronos/SheenChair.glb sofa=khronos/GlamVelvetSofa.glb
    vase=khronos/GlassVaseFlowers.glb sunglasses=khronos/SunglassesKhronos.glb
    lamp=khronos/IridescenceLamp.glb truck=khronos/CesiumMilkTruck.glb fox=khronos/Fox.glb
    knight=libigl/decimated-knight.off cow=libigl/cow.off bunny=libigl/bunny.off"

# step NAME ARGUMENTS: runs wrought and keeps its processor time in seconds where it is worth a column.
step() {
    local step=$1
    shift
    { time "$build/wrought" "$@" >"$folder/$step.said" 2>"$folder/$step.notes"; } \
        2>"$folder/$step.time" || {
        cat "$folder/$step.notes" >&2
        exit 1
    }
    [ "$step" != rig ] || seconds=" | $(tail -1 "$folder/$step.time")"
}

count=0
for model in $models; do
    name=${model%%=*}
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    file=${model##*/}
    hero=${file%.*}
    cp "$data/${model#*=}" "$folder/$file"
    seconds=""
    step new new "$folder/$file" --dents
    step rig rig "$folder/$hero.recipe.json"
    step scene new scene "$folder/$hero.recipe.json"
    step sim sim "$folder/$hero.scene.json" -o "$folder/out"
    step render render "$folder/out" --preview -o "$folder/film.mp4"
    bent=$(sed -n 's/.*by up to \(.*\) of its size/\1/p' "$folder/sim.said")
    last=$(sed -n 's/^done: \([0-9]*\) frames.*/\1/p' "$folder/sim.said")
    for frame in 0 "$last"; do
        count=$((count + 1))
        "$build/wrought" render "$folder/out" -f "$frame" -s 360x202 --samples 16 -q \
            -o "$folder/$(printf %02d $count).png"
    done
    echo "| $name$seconds | ${bent:-nothing} $("$build/tests/seen" "$folder/out")"
    rm -rf "$folder/$hero".* "$folder/out"
done
if [ $# = 0 ]; then # before and after, of two models in a row
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%02d.png" -frames:v 1 -filter_complex \
        "tile=4x5:padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        docs/gallery/artists.png
fi
