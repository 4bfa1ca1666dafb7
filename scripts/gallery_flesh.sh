#!/bin/sh
# The pictures of docs/gallery/flesh.md: gallery_flesh.sh BUILD [NAME...]
# Scenes of scenes/ as they are, of each six frames side by side. Needs ffmpeg.
set -eu

build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# sheet NAME FRAME...: in at most 256 colours.
sheet() {
    name=$1 count=0
    shift
    "$build/wrought" sim "scenes/$name.scene.json" -o "$folder/$name" --quiet
    for frame; do
        count=$((count + 1))
        "$build/wrought" render "$folder/$name" --frame "$frame" --size 320x180 --samples 9 --quiet -o "$folder/$count.png"
    done
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%d.png" -frames:v 1 -filter_complex \
        "tile=3x2:padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        "docs/gallery/flesh-$name.png"
}

[ $# -gt 0 ] || set -- tyres snake deer pumpkins fist hand ridges gear tubes fish core imprint
for scene; do
    case $scene in
    tyres) sheet tyres 0 22 40 96 150 239 ;;
    snake) sheet snake 0 15 30 52 62 149 ;;
    deer) sheet deer 0 15 26 48 65 150 ;;
    pumpkins) sheet pumpkins 0 7 10 20 32 60 ;;
    fist) sheet fist 0 20 26 34 42 59 ;;
    hand) sheet hand 0 24 36 48 58 101 ;;
    ridges) sheet ridges 0 12 42 72 108 150 ;;
    gear) sheet gear 40 66 84 94 108 140 ;;
    tubes) sheet tubes 0 18 30 42 60 119 ;;
    fish) sheet fish 0 14 36 42 90 144 ;;
    core) sheet core 0 18 24 36 54 149 ;;
    imprint) sheet imprint 0 15 27 40 55 95 ;;
    esac
done
