// slerp.c: K. Shoemake. Animating rotation with quaternion curves. SIGGRAPH 1985.
#include "slerp.h"

#include "elementary.h"

wr_quat wri_quat_slerp(wr_quat a, wr_quat b, double t)
{
    double dot = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    double side = dot < 0.0 ? -1.0 : 1.0, u = 1.0 - t, v = t;
    double cosine = fmin(side * dot, 1.0), sine = sqrt(1.0 - cosine * cosine);
    if (sine > 1e-4) { // otherwise the arc is straight
        double angle = wri_atan2_fine(sine, cosine), unused;
        wri_sin_cos_fine((1.0 - t) * angle, &u, &unused);
        wri_sin_cos_fine(t * angle, &v, &unused);
        u /= sine;
        v /= sine;
    }
    v *= side;
    wr_quat q = {(float)(u * a.x + v * b.x), (float)(u * a.y + v * b.y), (float)(u * a.z + v * b.z),
                 (float)(u * a.w + v * b.w)};
    return wr_quat_normalize(q);
}
