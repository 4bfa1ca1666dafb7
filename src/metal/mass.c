// mass.c: mass properties from fixed masses per vertex, and what they do to motion.
//
// Symbols: I inertia about the centre of mass, L angular momentum, w angular velocity, R rotation.
//
// Sums are kept per block of vertices and only those of changed blocks are taken again. The total
// is added up in block order, so it depends on positions alone, not on their history.
#include "metal.h"

#include "../math/decompose.h"

// --- masses of the vertices -------------------------------------------------------------------

// shares: four per element of a body that was cut, NULL: a quarter each.
static void add_volumes(wr_metal_asset *asset, double density, const float *shares)
{
    for (int t = 0; t < asset->element_count; t++) {
        const int *v = &asset->elements[4 * (size_t)t];
        const wr_vec3 *u = asset->rest;
        wr_vec3 n = wr_cross(wr_sub(u[v[1]], u[v[0]]), wr_sub(u[v[2]], u[v[0]]));
        double volume = fabs((double)wr_dot(n, wr_sub(u[v[3]], u[v[0]]))) / 6.0;
        for (int k = 0; k < 4; k++) {
            double share = shares ? (double)shares[4 * (size_t)t + (size_t)k] : 0.25;
            asset->masses[v[k]] += (float)(share * density * volume);
        }
    }
}

static void add_areas(wr_metal_asset *asset, double density)
{
    for (int t = 0; t < asset->outer_count; t++) {
        const int *v = &asset->triangles[3 * (size_t)t];
        const wr_vec3 *u = asset->rest;
        wr_vec3 n = wr_cross(wr_sub(u[v[1]], u[v[0]]), wr_sub(u[v[2]], u[v[0]]));
        for (int k = 0; k < 3; k++) {
            double part = asset->outer_shares ? (double)asset->outer_shares[t] : 1.0;
            asset->masses[v[k]] += (float)(part * density * 0.5 * (double)wr_length(n) / 3.0);
        }
    }
}

void wri_metal_find_vertex_masses(wr_metal_asset *asset, const wr_metal_asset_desc *desc)
{
    if (desc->masses) {
        memcpy(asset->masses, desc->masses, (size_t)asset->N * sizeof(float));
    } else if (isinf(desc->wall)) {
        add_volumes(asset, desc->density, desc->fracture ? desc->fracture->shares : NULL);
    } else {
        add_areas(asset, desc->density * (double)desc->wall);
    }
    double sum[3] = {0};
    for (int i = 0; i < asset->N; i++) {
        double m = (double)asset->masses[i];
        asset->mass += m;
        sum[0] += m * (double)asset->rest[i].x;
        sum[1] += m * (double)asset->rest[i].y;
        sum[2] += m * (double)asset->rest[i].z;
    }
    for (int k = 0; k < 3 && asset->mass > 0.0; k++) {
        asset->center[k] = (float)(sum[k] / asset->mass);
    }
    const int *order = wr_skin_order(asset->skin);
    for (int slot = 0; slot < asset->N; slot++) {
        asset->lane_masses[slot / WRI_LANES][slot % WRI_LANES] = asset->masses[order[slot]];
    }
}

// --- mass properties --------------------------------------------------------------------------

static double add_lanes(wri_lanes v)
{
    return ((double)v[0] + (double)v[1]) + ((double)v[2] + (double)v[3]);
}

// Sums four vertices at a time, in float: a block is a few vertices near each other, and its masses
// add up to little.
static wri_moments sum_block(const wr_metal *body, int block)
{
    const wr_metal_asset *asset = body->asset;
    const int *order = wr_skin_order(asset->skin);
    const float *c = asset->center;
    wri_lanes s[9] = {{0}};
    int first = block * WRI_MASS_BLOCK,
        slots = WRI_LANES * ((asset->N + WRI_LANES - 1) / WRI_LANES);
    int end = first + WRI_MASS_BLOCK < slots ? first + WRI_MASS_BLOCK : slots;
    for (int slot = first; slot < end; slot += WRI_LANES) {
        const wr_vec3 *p[WRI_LANES] = {&body->x[order[slot]], &body->x[order[slot + 1]],
                                       &body->x[order[slot + 2]], &body->x[order[slot + 3]]};
        wri_lanes x = {p[0]->x, p[1]->x, p[2]->x, p[3]->x},
                  y = {p[0]->y, p[1]->y, p[2]->y, p[3]->y},
                  z = {p[0]->z, p[1]->z, p[2]->z, p[3]->z};
        wri_lanes m = asset->lane_masses[slot / WRI_LANES];
        x -= c[0];
        y -= c[1];
        z -= c[2];
        wri_lanes mx = m * x, my = m * y, mz = m * z;
        s[0] += mx;
        s[1] += my;
        s[2] += mz;
        s[3] += mx * x;
        s[4] += my * y;
        s[5] += mz * z;
        s[6] += mx * y;
        s[7] += mx * z;
        s[8] += my * z;
    }
    return (wri_moments){{add_lanes(s[0]), add_lanes(s[1]), add_lanes(s[2])},
                         {add_lanes(s[3]), add_lanes(s[4]), add_lanes(s[5]), add_lanes(s[6]),
                          add_lanes(s[7]), add_lanes(s[8])}};
}

static wri_moments sum_all(wr_metal *body)
{
    wri_moments sum = {{0}, {0}};
    for (int b = 0; b < body->asset->block_count; b++) {
        uint64_t bit = (uint64_t)1 << (b % 64);
        if (body->stale_blocks[b / 64] & bit) {
            body->blocks[b] = sum_block(body, b);
            body->stale_blocks[b / 64] &= ~bit;
        }
        for (int k = 0; k < 3; k++) {
            sum.m1[k] += body->blocks[b].m1[k];
        }
        for (int k = 0; k < 6; k++) {
            sum.m2[k] += body->blocks[b].m2[k];
        }
    }
    return sum;
}

// The properties of what has this mass and these moments.
wr_mass_properties wri_metal_properties(const wr_metal *body, const wri_moments *s, double M)
{
    wr_mass_properties p;
    double d[3], scale = body->mass_scale;
    for (int k = 0; k < 3; k++) {
        d[k] = s->m1[k] / M;
        p.center[k] = (double)body->asset->center[k] + d[k];
    }
    double xx = s->m2[0] - M * d[0] * d[0], yy = s->m2[1] - M * d[1] * d[1],
           zz = s->m2[2] - M * d[2] * d[2];
    double xy = s->m2[3] - M * d[0] * d[1], xz = s->m2[4] - M * d[0] * d[2],
           yz = s->m2[5] - M * d[1] * d[2];
    p.mass = scale * M;
    p.inertia[0][0] = scale * (yy + zz);
    p.inertia[1][1] = scale * (xx + zz);
    p.inertia[2][2] = scale * (xx + yy);
    p.inertia[0][1] = p.inertia[1][0] = -scale * xy;
    p.inertia[0][2] = p.inertia[2][0] = -scale * xz;
    p.inertia[1][2] = p.inertia[2][1] = -scale * yz;
    return p;
}

void wri_metal_find_mass(wr_metal *body)
{
    wri_moments s = sum_all(body);
    body->properties = wri_metal_properties(body, &s, body->asset->mass);
    body->properties.mass = body->mass;
    if (body->part_of) {
        body->masses_stale = true;
        wri_metal_find_part_masses(body);
    }
}

wri_moments wri_metal_sum_fragment(const wr_metal *body, int fragment, double *mass)
{
    const wr_metal_asset *asset = body->asset;
    wri_moments s = {{0}, {0}};
    *mass = 0.0;
    for (int v = asset->fragment_begin[fragment]; v < asset->fragment_begin[fragment + 1]; v++) {
        double m = (double)asset->masses[v], x = (double)body->x[v].x - (double)asset->center[0],
               y = (double)body->x[v].y - (double)asset->center[1],
               z = (double)body->x[v].z - (double)asset->center[2];
        const double second[6] = {x * x, y * y, z * z, x * y, x * z, y * z};
        *mass += m;
        s.m1[0] += m * x;
        s.m1[1] += m * y;
        s.m1[2] += m * z;
        for (int k = 0; k < 6; k++) {
            s.m2[k] += m * second[k];
        }
    }
    return s;
}

wr_mass_properties wr_metal_fragment_mass(const wr_metal *body, int fragment)
{
    WR_ASSERT(fragment >= 0 && fragment < body->asset->F);
    if (!body->part_of) {
        return body->properties;
    }
    double mass;
    wri_moments sum = wri_metal_sum_fragment(body, fragment, &mass);
    return wri_metal_properties(body, &sum, mass);
}

wr_mass_properties wr_metal_mass(const wr_metal *body)
{
    return wr_metal_part_mass(body, 0);
}

// --- motion -----------------------------------------------------------------------------------

static void rotation_matrix(wr_quat q, double r[3][3])
{
    double n = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    double x = q.x / n, y = q.y / n, z = q.z / n, w = q.w / n;
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

static void apply(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    }
}

static void apply_back(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = m[0][i] * v[0] + m[1][i] * v[1] + m[2][i] * v[2];
    }
}

// Solves I w = L for the angular velocity w. Directions in which a body has no inertia to speak of
// get no angular velocity.
static void solve(const double I[3][3], const double L[3], double w[3])
{
    double moments[3], q[3][3], along[3];
    wri_eigen3d(I, moments, q);
    apply_back((const double(*)[3])q, L, along);
    for (int k = 0; k < 3; k++) {
        along[k] = moments[k] > 1e-9 * moments[0] ? along[k] / moments[k] : 0.0;
    }
    apply((const double(*)[3])q, along, w);
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double wr_metal_keep_momentum(const wr_mass_properties *before, const wr_mass_properties *after,
                              wr_quat rotation, wr_vec3 *velocity, wr_vec3 *angular_velocity)
{
    double R[3][3], w[3], L[3], w_new[3];
    double world[3] = {angular_velocity->x, angular_velocity->y, angular_velocity->z};
    rotation_matrix(rotation, R);
    apply_back((const double(*)[3])R, world, w);
    apply(before->inertia, w, L); // L = I w
    solve(after->inertia, L, w_new);
    apply((const double(*)[3])R, w_new, world);
    double v[3] = {velocity->x, velocity->y, velocity->z}, s = before->mass / after->mass;
    double gain = 0.5 * (dot3(w_new, L) - dot3(w, L)) + 0.5 * before->mass * (s - 1.0) * dot3(v, v);
    *angular_velocity = wr_v3((float)world[0], (float)world[1], (float)world[2]);
    *velocity = wr_v3((float)(s * v[0]), (float)(s * v[1]), (float)(s * v[2]));
    return gain;
}

wr_pose wr_metal_principal_frame(const wr_mass_properties *mass, double moments[3])
{
    double q[3][3];
    wri_eigen3d(mass->inertia, moments, q);
    return (wr_pose){wr_v3((float)mass->center[0], (float)mass->center[1], (float)mass->center[2]),
                     wri_quat_from_rotation(q)};
}
