#!/bin/sh
# Sees to it that the Debian packages of a purpose are there: packages.sh build|check|sanitize|fuzz|web
# As root, or with DEPS=yes (through sudo), missing ones are installed; otherwise they are named.
set -eu

build="gcc g++ meson ninja-build pkg-config libbullet-dev libembree-dev libzstd-dev libpng-dev
libjpeg62-turbo-dev libqhull-dev libassimp-dev libdraco-dev libsuitesparse-dev
libmeshoptimizer-dev zlib1g-dev libcmocka-dev ffmpeg"
clang="clang libclang-rt-dev libomp-dev"
case "$1" in
build) wanted=$build ;;
check) wanted="$build clang-format" ;;
sanitize) wanted="$build $clang" ;;
fuzz) wanted="$build $clang" ;;
web) wanted="nodejs npm chromium" ;;
*) echo "usage: packages.sh build|check|sanitize|fuzz|web" >&2; exit 2 ;;
esac

command -v dpkg-query >/dev/null || exit 0 # not Debian: the build says what it misses

missing=
for package in $wanted; do
    case "$package" in # may come from elsewhere than Debian
    nodejs) command -v node >/dev/null && continue ;;
    npm) command -v npm >/dev/null && continue ;;
    esac
    state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "missing packages:$missing" >&2
if [ "$(id -u)" = 0 ]; then
    sudo=
elif [ "${DEPS:-}" = yes ]; then
    sudo=sudo
else
    echo "install them with: sudo apt-get install$missing" >&2
    echo "or let make do it: make ${MAKE_GOAL:-} DEPS=yes" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >&2
# shellcheck disable=SC2086
$sudo apt-get install -q -y --no-install-recommends $missing >&2
