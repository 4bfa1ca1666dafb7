#!/bin/sh
# The pictures of docs/gallery/clay.md: gallery_clay.sh BUILD [NAME...]
# Scenes of scenes/ as they are, of each a few frames side by side. Needs ffmpeg.
set -eu

build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
gallery=docs/gallery
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# simulate NAME
simulate() {
    "$build/wrought" sim "scenes/$1.scene.json" -o "$folder/$1" --quiet || [ "$1" = dropped ] # it blows up
}

# variant SCENE NAME EDIT: the scene, changed by sed.
variant() {
    sed -e "$3" -e "s|models/|$PWD/scenes/models/|" "scenes/$1.scene.json" >"$folder/$2.scene.json"
    "$build/wrought" sim "$folder/$2.scene.json" -o "$folder/$2" --quiet
}

# pictures NAME WIDTH FRAME... [-- OPTION...]: more for the next sheet.
pictures() {
    name=$1 width=$2 frames=
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        frames="$frames $1"
        shift
    done
    [ $# -eq 0 ] || shift
    for frame in $frames; do
        count=$((count + 1))
        "$build/wrought" render "$folder/$name" --frame "$frame" --size "${width}x$((width * 9 / 16))" \
            --samples 9 --quiet "$@" -o "$folder/$(printf %02d "$count").png"
    done
}

# sheet NAME COLUMNS: what was drawn since the last one, in at most 256 colours.
sheet() {
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%02d.png" -frames:v 1 -filter_complex \
        "tile=$2x$((count / $2)):padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        "$gallery/clay-$1.png"
    rm -f "$folder"/[0-9][0-9].png
    count=0
}

embedded_rabbit='s/"material": "clay"/"material": { "clay": "clay", "surface": "embedded" }/'
count=0
[ $# -gt 0 ] || set -- bunny spheres five-rabbits twist release dropped densities fowl house clay-wall
for scene; do
    simulate "$scene"
    columns=3
    case $scene in
    bunny)
        pictures bunny 320 0 4 6 9 12 179
        variant bunny embedded "$embedded_rabbit"
        pictures embedded 320 6 12 179
        ;;
    spheres)
        pictures spheres 320 0 6 10 14 24 149
        variant spheres embedded "$embedded_rabbit"
        pictures embedded 320 10 24 149
        ;;
    five-rabbits)
        pictures five-rabbits 480 0 9 30 60 90 149
        columns=2
        ;;
    dropped)
        pictures dropped 320 0 10 112 209
        variant dropped stable 's/"step": "fixed"/"step": "auto"/' # short enough for all
        pictures stable 320 10 209
        ;;
    densities)
        pictures densities 320 0 8 119
        pictures densities 320 0 8 119 -- --particles spheres
        ;;
    fowl) pictures fowl 320 0 9 22 30 60 179 ;;
    house) pictures house 320 0 9 14 24 50 149 ;;
    twist)
        pictures twist 320 0 24 60 96
        variant twist embedded 's/"embedding"/"surface": "embedded", "embedding"/'
        pictures embedded 320 24 96
        ;;
    release) pictures release 320 0 60 78 ;;
    clay-wall) pictures clay-wall 320 2 5 20 36 60 149 ;;
    esac
    [ "$scene" != twist ] || columns=2
    sheet "$scene" $columns
done
