// triangle.c: the point of a triangle that is nearest to another point.
#include "triangle.h"

// C. Ericson. Real-Time Collision Detection. 2005, section 5.1.5.
void wri_nearest_in_triangle(wr_vec3 p, wr_vec3 a, wr_vec3 b, wr_vec3 c, float w[3])
{
    wr_vec3 ab = wr_sub(b, a), ac = wr_sub(c, a), ap = wr_sub(p, a), bp = wr_sub(p, b),
            cp = wr_sub(p, c);
    float d1 = wr_dot(ab, ap), d2 = wr_dot(ac, ap), d3 = wr_dot(ab, bp), d4 = wr_dot(ac, bp),
          d5 = wr_dot(ab, cp), d6 = wr_dot(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    float u = 0.0f, v = 0.0f; // weights of b and c
    if (d1 <= 0.0f && d2 <= 0.0f) {
        u = v = 0.0f;
    } else if (d3 >= 0.0f && d4 <= d3) {
        u = 1.0f;
    } else if (d6 >= 0.0f && d5 <= d6) {
        v = 1.0f;
    } else if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        u = d1 / (d1 - d3);
    } else if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        v = d2 / (d2 - d6);
    } else if (va <= 0.0f && d4 >= d3 && d5 >= d6) {
        v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        u = 1.0f - v;
    } else if (va + vb + vc > 0.0f) {
        u = vb / (va + vb + vc);
        v = vc / (va + vb + vc);
    }
    bool sound = u >= 0.0f && v >= 0.0f && u + v <= 1.0001f; // a collapsed triangle may not be
    w[1] = sound ? u : 0.0f;
    w[2] = sound ? v : 0.0f;
    w[0] = fmaxf(1.0f - w[1] - w[2], 0.0f);
}
