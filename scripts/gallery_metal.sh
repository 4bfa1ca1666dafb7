#!/bin/sh
# The pictures of docs/gallery/metal.md: gallery_metal.sh BUILD
# Most sheets are docs/gallery/metal-study.scene.json with other numbers. Needs ffmpeg.
set -eu

build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
gallery=docs/gallery
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# simulate NAME PARAMETERS: PARAMETERS go behind the preset.
simulate() {
    sed "s|\"metal\": \"thin steel\"|&$2|; s|../../scenes|$PWD/scenes|" \
        "$gallery/metal-study.scene.json" >"$folder/$1.scene.json"
    "$build/wrought" sim "$folder/$1.scene.json" -o "$folder/$1" --quiet
}

# picture NAME FRAME WIDTH: one more for the next sheet.
picture() {
    count=$((count + 1))
    "$build/wrought" render "$folder/$1" --frame "$2" --size "$3x$(($3 / 2))" --quiet \
        -o "$folder/$(printf %02d "$count").png"
}

# shipped NAME: a scene of scenes/ as it is.
shipped() {
    "$build/wrought" sim "scenes/$1.scene.json" -o "$folder/$1" --quiet
}

# sheet FILE COLUMNS: what was drawn since the last one, in at most 256 colours.
sheet() {
    rows=$((count / $2))
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%02d.png" -frames:v 1 -filter_complex \
        "tile=$2x$rows:padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        "$1"
    rm -f "$folder"/[0-9][0-9].png
    count=0
}

count=0
simulate default ""

simulate near ', "reach": 0.12'
simulate far ', "reach": 1.5'
for name in near default far; do picture $name 62 440; done
sheet $gallery/metal-reach.png 3

simulate stiff ', "bend": 0.4'
simulate soft ', "bend": 4'
for name in stiff default soft; do picture $name 62 440; done
sheet $gallery/metal-bend.png 3

simulate weak ', "yield": 0.05'
simulate strong ', "yield": 0.9'
for name in weak default strong; do picture $name 62 440; done
sheet $gallery/metal-yield.png 3

simulate quick ', "lambda": 0.5'
simulate slow ', "lambda": 0.99'
for name in quick slow; do
    for frame in 38 42 52 149; do picture $name $frame 330; done
done
sheet $gallery/metal-fade.png 4

simulate springy ', "bounce": 0.7, "absorb": 0'
simulate eaten ', "bounce": 0.7, "absorb": 20'
for name in springy eaten; do
    for frame in 62 90 120 149; do picture $name $frame 330; done
done
sheet $gallery/metal-absorb.png 4

simulate later ', "bounce": 0.7, "absorb": 20, "recover": 0.02'
simulate sooner ', "bounce": 0.7, "absorb": 20, "recover": 20'
for name in later sooner; do
    for frame in 62 90 120 149; do picture $name $frame 330; done
done
sheet $gallery/metal-recover.png 4

simulate inverse ', "projection": "inverse"'
simulate natural ', "projection": "natural", "bend": 8'
for name in default inverse natural; do picture $name 62 440; done
sheet $gallery/metal-projection.png 3

shipped simulated-example
"$build/wrought" rig scenes/barrel-simulated.recipe.json -o "$folder/simulated.glb" --quiet
# Half of the only example, and all of it, on three barrels where they were hit.
for share in 0.5 1; do
    count=$((count + 1))
    "$build/wrought" render "$folder/simulated.glb" --example crushed --blend $share --size 440x220 --quiet \
        -o "$folder/$(printf %02d "$count").png"
done
picture simulated-example 60 440
sheet $gallery/metal-simulated.png 3

shipped breaking
for frame in 0 27 36 58 84 239; do picture breaking $frame 440; done
sheet $gallery/metal-breaking.png 3

# film NAME FRAME...: five pictures of a shipped scene, and the last one in the colours of the examples.
film() {
    name=$1
    shift
    shipped "$name"
    for frame in "$@"; do picture "$name" "$frame" 500; done
    "$build/wrought" render "$folder/$name" --view examples --frame "$5" --size 500x250 --quiet -o "$folder/06.png"
    count=6
    sheet "$gallery/metal-$name.png" 3
}

film cannonballs 20 60 185 200 340
film barrel-stack 40 52 75 110 290
film pile-up 30 50 62 110 290
film bridge 90 130 170 240 340
film crane-yard 70 100 140 230 400
film space-battle 40 90 120 160 220
film scrap-heap 30 75 110 160 560

# stills NAME FRAME...: three pictures of a shipped scene.
stills() {
    name=$1
    shift
    shipped "$name"
    for frame in "$@"; do picture "$name" "$frame" 440; done
    sheet "$gallery/metal-$name.png" 3
}

stills pachinko 110 220 350
stills plinko 150 400 700
stills loading-dock 90 180 290
stills missing-example 20 45 100
stills hundred-barrels 120 240 410

# crushed NAME OPTIONS: the car, pressed as its recipe says.
crushed() {
    name=$1
    shift
    "$build/wrought" crush scenes/models/car.glb "$@" --rigid rubber,alloy,iron -o "$folder/$name.glb" --quiet
}
crushed front --place front --shape box --size 0.6 --at 0.4,0.95,0 --depth 0.9 --cell 0.065
crushed left --place "left side"
crushed rear --place rear
crushed roof --place roof
crushed flattened --place flattened
sed "s|FOLDER|$folder|" "$gallery/crush.scene.json" >"$folder/crush.scene.json"
"$build/wrought" sim "$folder/crush.scene.json" -o "$folder/crush" --quiet
for camera in front left rear roof flattened behind; do
    count=$((count + 1))
    "$build/wrought" render "$folder/crush" --camera $camera --frame 0 --size 440x275 --quiet \
        -o "$folder/$(printf %02d "$count").png"
done
sheet $gallery/metal-crush.png 3

# The props: each from the front, the side and behind.
sed "s|../../scenes|$PWD/scenes|" "$gallery/props.scene.json" >"$folder/props.scene.json"
"$build/wrought" sim "$folder/props.scene.json" -o "$folder/props" --quiet
props() { # props VIEW PICTURE
    for prop in car crane bridge ship fighter; do
        for side in front side rear; do
            count=$((count + 1))
            "$build/wrought" render "$folder/props" --camera "$prop $side" --view "$1" --frame 0 --size 400x250 \
                --quiet -o "$folder/$(printf %02d "$count").png"
        done
    done
    sheet "$2" 3
}
props shaded $gallery/props.png
props grey $gallery/props-grey.png
