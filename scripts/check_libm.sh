#!/bin/sh
# Checks that what is simulated has the same bits with every C library: of <math.h> the object files
# of wrought-rt, and those of the library's rooms that a state passes through, call only what has one
# right answer, such as sqrt, fmin or ldexp. The others are in src/math/elementary.h. One line per
# violation. Bullet is not ours and not checked: the limits of hinges call its atan2.
# usage: scripts/check_libm.sh BUILD
rooms='base math factor geometry file record skin rigid metal sprite clay flesh morph scene world'
# Files in these rooms whose results never reach a state, and why.
apart='
file/keys.c          colours
file/model.c         colours
geometry/pose.c      clips of models, for recipes
geometry/primitive.c drawn meshes; balls, capsules and cylinders collide and weigh by formula
geometry/stage.c     cameras
'
inexact='acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 hypot j0
j1 jn lgamma lgamma_r log log10 log1p log2 pow sin sincos sinh tan tanh tgamma y0 y1 yn'

for library in libwrought-rt.a.p libwrought.a.p; do
    found=$(find "$1/$library" -name '*.o') && [ -n "$found" ] || {
        echo "$1/$library: no object files to check" >&2
        exit 2
    }
done
# Those of floats and long doubles end in f and l; gcc may call __exp_finite and the like. An object
# file is named after its source: src_rigid_step.c.o.
find "$1/libwrought-rt.a.p" "$1/libwrought.a.p" -name '*.o' -exec nm -u -A {} + |
    LC_ALL=C INEXACT="$inexact" ROOMS="$rooms" APART="$apart" awk '
BEGIN {
    n = split(ENVIRON["INEXACT"], name, /[ \n]+/)
    for (i = 1; i <= n; i++) {
        inexact[name[i]] = inexact[name[i] "f"] = inexact[name[i] "l"] = 1
    }
    n = split(ENVIRON["ROOMS"], name, " ")
    for (i = 1; i <= n; i++) {
        room[name[i]] = 1
    }
    n = split(ENVIRON["APART"], line, "\n")
    for (i = 1; i <= n; i++) {
        split(line[i], name, " ")
        apart[name[1]] = 1
    }
}
{
    called = $NF
    sub(/@.*/, "", called)
    gsub(/^__|_finite$/, "", called)
    if (!(called in inexact)) {
        next
    }
    file = $1
    run_time = file ~ /libwrought-rt[.]a[.]p/
    sub(/:$/, "", file)
    sub(/^.*[.]a[.]p\/src_/, "", file)
    sub(/[.]o$/, "", file)
    sub(/_/, "/", file)
    folder = file
    sub(/\/.*/, "", folder)
    if (run_time || (folder in room && !(file in apart))) {
        printf "src/%s: calls %s, which differs between C libraries\n", file, called
        failed = 1
    }
}
END { exit failed }' || exit 1
echo "what is simulated calls no function of <math.h> that differs between C libraries"
