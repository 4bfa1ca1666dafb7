#!/bin/sh
# The pictures of docs/gallery/sprite.md that are simulated: gallery_sprite.sh BUILD [FILM]
# FILM: where the three launchers side by side go, as an .mp4 (default: nowhere). Needs ffmpeg.
set -eu

build=$(cd "$1" && pwd)
film=${2:-}
case $film in '' | /*) ;; *) film=$PWD/$film ;; esac
cd "$(dirname "$0")/.."
gallery=docs/gallery
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# simulate NAME...: scenes of scenes/.
simulate() {
    for name; do "$build/wrought" sim "scenes/$name.scene.json" -o "$folder/$name" --quiet; done
}

# picture NAME FRAME WIDTH: one more for the next sheet.
picture() {
    count=$((count + 1))
    "$build/wrought" render "$folder/$1" --frame "$2" --size "$3x$(($3 * 9 / 16))" --quiet \
        -o "$folder/$(printf %02d "$count").png"
}

# finish FILE FILTER: what was drawn since the last one, in at most 128 colours.
finish() {
    ffmpeg -loglevel error -y -framerate 1 -i "$folder/%02d.png" -filter_complex \
        "$2,split[a][b];[a]palettegen=max_colors=128:stats_mode=single[p];[b][p]paletteuse=dither=none" \
        -frames:v 1 "$1"
    rm -f "$folder"/[0-9][0-9].png
    count=0
}

count=0
launchers='launcher-matching launcher-examples launcher'
simulate ball three-balls $launchers hero ragdoll platformer puzzle

# The darker one of all pictures, place by place: a stroboscope.
for frame in 0 37 67 88 105 135 156 176 206 228 247 278 314; do
    picture ball $frame 960
done
last=$((count - 1))
finish $gallery/sprite-bouncing.png "format=gbrp,negate,lagfun=decay=1,negate,select=eq(n\,$last)"
"$build/wrought" render "$folder/ball" --view manifold --quiet -o $gallery/sprite-bouncing-poses.png

for frame in 24 46 51 53 56 60 64 70; do picture three-balls $frame 480; done
finish $gallery/sprite-three-balls.png 'crop=iw*0.88:ih,tile=4x2:padding=4:color=white'

for frame in 60 76 90 100 140; do
    for name in $launchers; do picture $name $frame 440; done
done
finish $gallery/sprite-launcher.png 'tile=3x5:padding=4:color=white'

# moments FILE TILE NAME FRAME...: frames of a scene, in rows.
moments() {
    file=$1 tile=$2 name=$3
    shift 3
    for frame; do picture "$name" "$frame" 560; done
    finish "$gallery/$file" "tile=$tile:padding=4:color=white"
}
moments sprite-hero.png 4x3 hero 60 185 225 295 355 405 480 550 640 700 760 820
"$build/wrought" render "$folder/hero" --view manifold --quiet -o $gallery/sprite-hero-poses.png
moments sprite-ragdoll-pit.png 3x3 ragdoll 150 214 250 284 300 400 430 560 700
moments sprite-platformer.png 3x2 platformer 135 345 560 695 1080 1300
moments sprite-puzzle.png 3x2 puzzle 90 320 440 580 655 880

if [ "$film" ]; then
    for name in $launchers; do
        "$build/wrought" render "$folder/$name" --size 640x360 --quiet -o "$folder/$name.mp4"
    done
    ffmpeg -loglevel error -y -i "$folder/launcher-matching.mp4" -i "$folder/launcher-examples.mp4" \
        -i "$folder/launcher.mp4" -filter_complex hstack=3 -pix_fmt yuv420p "$film"
fi
