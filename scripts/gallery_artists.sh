#!/bin/bash
# The sheet of docs/gallery/artists.md: gallery_artists.sh BUILD [NAME...]
# Ten models nobody prepared, from the file to the film by five commands and no edit by hand. Prints a
# row of the page's table for each. Needs ffmpeg and the models of WROUGHT_DATA; no NAME: all ten.
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
    case $step in
    rig | sim | render) seconds="$seconds | $(tail -1 "$folder/$step.time")" ;;
    esac
}

# pictures COLOR: small ones of the whole take, five a second, with the hero in that colour and dull.
# Looks are no physics: sim changes them in the recording.
pictures() {
    sed "s|\"asset\": \"$hero\",|&\"color\": \"$1\", \"look\": { \"metallic\": 0, \"roughness\": 1 },|" \
        "$folder/$hero.scene.json" >"$folder/colored.scene.json"
    "$build/wrought" sim "$folder/colored.scene.json" -o "$folder/out" -q
    "$build/wrought" render "$folder/out" --fps 5 -s 320x180 --samples 1 -q \
        -o "$folder/${1#\#}.####.png"
}

# heights: of the hero's silhouette in all of them, least and most, percent of the picture: where
# white and black differ by more than light that it throws on the ground.
heights() {
    pictures "#ffffff"
    pictures "#000000"
    ffmpeg -hide_banner -i "$folder/ffffff.%04d.png" -i "$folder/000000.%04d.png" -filter_complex \
        "blend=all_mode=difference,format=gray,bbox=min_val=24" -f null - 2>&1 |
        sed -n 's/.* h:\([0-9]*\) .*/\1/p' | sort -n |
        awk '{ h[NR] = $1 / 1.8 } END { printf "%.0f–%.0f %%", h[1], h[NR] }'
    rm "$folder"/ffffff.* "$folder"/000000.*
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
    echo "| $name$seconds | ${bent:-nothing} | $(heights) |"
    rm -rf "$folder/$hero".* "$folder/out"
done
if [ $# = 0 ]; then # before and after, of two models in a row
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%02d.png" -frames:v 1 -filter_complex \
        "tile=4x5:padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        docs/gallery/artists.png
fi
