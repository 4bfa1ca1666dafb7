// polygon.c: polygons into triangles.
//
// Convex corners are told from reflex ones against Newell's normal, in which also slightly bent
// polygons have a clear inside. Where no ear is left, as in polygons that cross themselves, the
// rest becomes a fan, so that n - 2 triangles always come out.
#include "model.h"

enum { EAR_LIMIT = 512 }; // corners; beyond this the quadratic search is too slow, a fan must do

static wr_vec3 newell_normal(const wr_vec3 *p, int n)
{
    wr_vec3 normal = wr_v3(0.0f, 0.0f, 0.0f);
    for (int i = 2; i < n; i++) { // relative to corner 0: no cancellation far from the origin
        wr_vec3 a = wr_sub(p[i - 1], p[0]), b = wr_sub(p[i], p[0]);
        normal = wr_add(normal, wr_cross(a, b));
    }
    return normal;
}

// Positive when a, b, c turn the way the normal says.
static float turn(wr_vec3 a, wr_vec3 b, wr_vec3 c, wr_vec3 normal)
{
    return wr_dot(wr_cross(wr_sub(b, a), wr_sub(c, a)), normal);
}

static bool is_convex(const wr_vec3 *p, int n, wr_vec3 normal)
{
    for (int i = 0; i < n; i++) {
        if (turn(p[i], p[(i + 1) % n], p[(i + 2) % n], normal) < 0.0f) {
            return false;
        }
    }
    return true;
}

static bool is_same(wr_vec3 a, wr_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_ear(const wr_vec3 *p, const int *ring, int n, int i, wr_vec3 normal)
{
    int before = (i + n - 1) % n, after = (i + 1) % n;
    wr_vec3 a = p[ring[before]], b = p[ring[i]], c = p[ring[after]];
    if (turn(a, b, c, normal) <= 0.0f) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        if (k == before || k == i || k == after) {
            continue;
        }
        wr_vec3 q = p[ring[k]];
        if (is_same(q, a) || is_same(q, b) || is_same(q, c)) {
            continue; // the bridge to a hole passes the same points twice
        }
        if (turn(a, b, q, normal) >= 0.0f && turn(b, c, q, normal) >= 0.0f &&
            turn(c, a, q, normal) >= 0.0f) {
            return false;
        }
    }
    return true;
}

static int *put(int *triangles, int a, int b, int c)
{
    triangles[0] = a;
    triangles[1] = b;
    triangles[2] = c;
    return triangles + 3;
}

static void fan(const int *ring, int n, int *triangles)
{
    for (int i = 2; i < n; i++) {
        triangles = put(triangles, ring[0], ring[i - 1], ring[i]);
    }
}

// The first ear at or after start, -1 when there is none.
static int find_ear(const wr_vec3 *p, const int *ring, int n, int start, wr_vec3 normal)
{
    for (int tried = 0; tried < n; tried++) {
        int i = (start + tried) % n;
        if (is_ear(p, ring, n, i, normal)) {
            return i;
        }
    }
    return -1;
}

static void clip_ears(const wr_vec3 *p, int n, wr_vec3 normal, int *ring, int *triangles)
{
    for (int ear = 0; n > 3; n--) {
        ear = find_ear(p, ring, n, ear, normal);
        if (ear < 0) {
            break;
        }
        triangles = put(triangles, ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]);
        memmove(ring + ear, ring + ear + 1, (size_t)(n - 1 - ear) * sizeof *ring);
    }
    fan(ring, n, triangles);
}

void wri_polygon_split(const wr_vec3 *corners, int n, int *room, int *triangles)
{
    WR_ASSERT(n >= 3);
    for (int i = 0; i < n; i++) {
        room[i] = i;
    }
    wr_vec3 normal = newell_normal(corners, n);
    if (n > 3 && n <= EAR_LIMIT && !is_convex(corners, n, normal)) {
        clip_ears(corners, n, normal, room, triangles);
    } else {
        fan(room, n, triangles);
    }
}
