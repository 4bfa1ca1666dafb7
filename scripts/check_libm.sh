#!/bin/sh
# Checks that wrought-rt computes the same bits with every C library: of <math.h> its object files
# call only what has one right answer, such as sqrt, fmin or ldexp. The others are in
# src/math/elementary.h. One line per violation.
# usage: scripts/check_libm.sh BUILD
objects=$1/libwrought-rt.a.p
inexact='acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp10 exp2 expm1 hypot j0
j1 jn lgamma lgamma_r log log10 log1p log2 pow sin sincos sinh tan tanh tgamma y0 y1 yn'

found=$(find "$objects" -name '*.o') && [ -n "$found" ] || {
    echo "$objects: no object files to check" >&2
    exit 2
}
# Those of floats and long doubles end in f and l; gcc may call __exp_finite and the like.
find "$objects" -name '*.o' -exec nm -u -A {} + | LC_ALL=C INEXACT="$inexact" awk '
BEGIN {
    n = split(ENVIRON["INEXACT"], name, /[ \n]+/)
    for (i = 1; i <= n; i++) {
        inexact[name[i]] = inexact[name[i] "f"] = inexact[name[i] "l"] = 1
    }
}
{
    called = $NF
    sub(/@.*/, "", called)
    gsub(/^__|_finite$/, "", called)
    if (called in inexact) {
        file = $1
        sub(/:$/, "", file)
        sub(/^.*libwrought-rt[.]a[.]p\//, "", file)
        sub(/[.]o$/, "", file)
        printf "%s: calls %s, which differs between C libraries\n", file, called
        failed = 1
    }
}
END { exit failed }' || exit 1
echo "wrought-rt calls no function of <math.h> that differs between C libraries"
