// elementary.c: exponential, logarithm and angles from the four operations alone.
//
// Exponential: x = k ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts, so that k times the first is
// exact (W. Cody, W. Waite, 1980). e^r by its Taylor series: the 14th term is below 2^-54.
// Logarithm: x = 2^k m with m in [sqrt 1/2, sqrt 2); ln m = 2 artanh s, s = (m - 1) / (m + 1).
// Angles are for floats and computed in double by their series, cut where the next term is below
// 1e-9: sine and cosine on [-pi/4, pi/4], the arc tangent on [-tan pi/8, tan pi/8]. The fine ones
// cut at 1e-17; their arc tangent is one Newton step from the coarse one, which leaves its cubed
// error.
#include "elementary.h"

#include <math.h>

double wri_exp(double x)
{
    if (x != x) {
        return x;
    }
    if (x < -708.0) {
        return 0.0;
    }
    if (x > 709.0) {
        return INFINITY;
    }
    double k = floor(x * 1.44269504088896340736 + 0.5);
    double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double sum = 1.0;
    for (int n = 14; n >= 1; n--) {
        sum = 1.0 + sum * r / n;
    }
    return ldexp(sum, (int)k);
}

double wri_log(double x)
{
    if (!(x > 0.0) || isinf(x)) {
        return x == 0.0 ? -INFINITY : x > 0.0 ? x : NAN;
    }
    int k;
    double m = frexp(x, &k);
    if (m < 0.70710678118654752440) {
        m *= 2.0;
        k--;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 0.0;
    for (int n = 21; n >= 1; n -= 2) {
        sum = sum * z + 2.0 / n;
    }
    return k * 6.93147180369123816490e-01 + (k * 1.90821492927058770002e-10 + s * sum);
}

void wri_sin_cos(float angle, float *sine, float *cosine)
{
    double x = (double)angle;
    if (!(x > -1e9 && x < 1e9)) {
        *sine = angle - angle; // NaN of what is not finite
        *cosine = 1.0f + *sine;
        return;
    }
    double turns = x * 0.63661977236758134308; // quarter turns
    int n = (int)(turns + (turns < 0.0 ? -0.5 : 0.5));
    double r = (x - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, z = r * r;
    double s = r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z / 362880)));
    double c =
        1.0 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 - z / 3628800))));
    double to_s = n & 1 ? c : s, to_c = n & 1 ? s : c;
    *sine = (float)(n & 2 ? -to_s : to_s);
    *cosine = (float)((n + 1) & 2 ? -to_c : to_c);
}

float wri_atan2(float y, float x)
{
    double ax = fabs((double)x), ay = fabs((double)y);
    double most = ax > ay ? ax : ay, least = ax > ay ? ay : ax;
    if (!(most > 0.0)) {
        return x + y; // 0, or NaN
    }
    double t = isinf(least) ? 1.0 : least / most, base = 0.0;
    if (t > 0.41421356237309504880) {
        t = (t - 1.0) / (t + 1.0);
        base = 0.78539816339744830962;
    }
    double z = t * t, sum = 0.0;
    for (int n = 19; n >= 1; n -= 2) {
        sum = (n & 2 ? -1.0 : 1.0) / n + sum * z;
    }
    double angle = base + t * sum;
    angle = ay > ax ? 1.57079632679489661923 - angle : angle;
    angle = x < 0.0f ? 3.14159265358979323846 - angle : angle;
    return (float)(y < 0.0f ? -angle : angle);
}

void wri_sin_cos_fine(double angle, double *sine, double *cosine)
{
    if (!(angle >= -100.0 && angle <= 100.0)) {
        *sine = angle != angle ? angle : 0.0;
        *cosine = 1.0 + *sine;
        return;
    }
    double turns = angle * 0.63661977236758134308; // quarter turns
    int n = (int)(turns + (turns < 0.0 ? -0.5 : 0.5));
    double r = (angle - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11, z = r * r;
    double s = 1.0, c = 1.0;
    for (int k = 18; k >= 2; k -= 2) {
        s = 1.0 - s * z / (k * (k + 1));
        c = 1.0 - c * z / (k * (k - 1));
    }
    s *= r;
    double to_s = n & 1 ? c : s, to_c = n & 1 ? s : c;
    *sine = n & 2 ? -to_s : to_s;
    *cosine = (n + 1) & 2 ? -to_c : to_c;
}

double wri_atan2_fine(double y, double x)
{
    double length = sqrt(x * x + y * y), s, c;
    if (!(length > 0.0)) {
        return x + y;
    }
    double angle = (double)wri_atan2((float)(y / length), (float)(x / length));
    wri_sin_cos_fine(angle, &s, &c);
    return angle + (y * c - x * s) / length;
}
