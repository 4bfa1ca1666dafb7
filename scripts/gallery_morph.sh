#!/bin/sh
# The pictures of docs/gallery/morph.md: gallery_morph.sh BUILD [NAME...]
# Scenes of scenes/ as they are, of each six frames side by side, from a camera of its own where it has
# one for that. Needs ffmpeg.
set -eu

build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# sheet NAME SCENE CAMERA FRAME...: in at most 256 colours.
sheet() {
    name=$1 scene=$2 camera=$3 count=0
    shift 3
    "$build/wrought" sim "scenes/$scene.scene.json" -o "$folder/$scene" --quiet
    for frame; do
        count=$((count + 1))
        "$build/wrought" render "$folder/$scene" --camera "$camera" --frame "$frame" --size 400x190 --samples 9 --quiet -o "$folder/$count.png"
    done
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%d.png" -frames:v 1 -filter_complex \
        "tile=3x2:padding=4:color=white,split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=dither=none" \
        "docs/gallery/morph-$name.png"
}

[ $# -gt 0 ] || set -- elbow diver wall shoulder away crowd tumble
for picture; do
    case $picture in
    elbow) sheet elbow elbow front 0 45 110 165 190 220 ;;
    diver) sheet diver diver side 0 45 60 70 80 90 ;;
    wall) sheet wall diver wall 90 105 114 117 120 126 ;;
    shoulder) sheet shoulder shoulder front 12 72 132 192 252 312 ;;
    away) sheet away shoulder front 342 400 460 520 580 640 ;;
    tumble) sheet tumble tumble front 0 30 45 58 75 145 ;;
    crowd) sheet crowd crowd front 20 40 60 90 130 220 ;;
    esac
done
