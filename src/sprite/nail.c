// nail.c: particles that are fixed to places of the world.
//
// A nailed particle is where it was told to be, and infinitely heavy to everything else. One nail
// leaves its sprite a rotation about it, two or more leave none: the whole then turns with the
// nails. About a single nail the best rotation of the wished shape changes no angular
// momentum, as about the centre of mass of a free body: sum m (x - n) x R (e - e_n) = 0. The
// momentum that a nail takes is the world's. A nailed sprite has no reservoir of its own
// (momentum.c): it would be pushed off its nails, and get energy from them. What lands on one that
// is fixed collects as it does from the level, times how bouncy the fixed one is.
#include "world.h"

// --- what the caller says ---------------------------------------------------------------------

static int find_nail(const wri_sprite *s, int particle)
{
    for (int k = 0; k < s->state.nail_count; k++) {
        if (s->state.nails[k].particle == particle) {
            return k;
        }
    }
    return -1;
}

void wri_sprite_prepare_nails(wri_sprite *s)
{
    const wr_sprite_asset *asset = s->asset;
    for (int i = 0; i < asset->N; i++) {
        s->inverse_masses[i] = 1.0f / asset->masses[i];
        s->ring_nails[i] = 0;
    }
    for (int k = 0; k < s->state.nail_count; k++) {
        int i = s->state.nails[k].particle;
        s->inverse_masses[i] = 0.0f;
        for (int e = asset->ring_begin[i]; e < asset->ring_begin[i + 1]; e++) {
            s->ring_nails[asset->ring[e]]++; // rings are symmetric: those that it is in
        }
    }
}

bool wr_sprite_set_nail(wr_sprite_world *world, int sprite, int particle, wr_vec2 place,
                        wr_error *error)
{
    if (!WRI_REQUIRE(error, world) || !wri_sprite_exists(world, sprite, error)) {
        return false;
    }
    wri_sprite *s = wri_sprite_of(world, sprite);
    wri_sprite_state *state = &s->state;
    if (particle < 0 || particle >= s->asset->N) {
        return wri_fail(error, WR_E_ARGUMENT, "nail: particle %d of %d", particle, s->asset->N);
    }
    if (!wri_sprite_is_number(place.x) || !wri_sprite_is_number(place.y)) {
        return wri_fail(error, WR_E_ARGUMENT, "nail: place not finite");
    }
    int k = find_nail(s, particle);
    if (k < 0 && state->nail_count == WR_SPRITE_NAILS_MAX) {
        return wri_fail(error, WR_E_ARGUMENT, "nail: %d in one sprite, the most there can be",
                        WR_SPRITE_NAILS_MAX);
    }
    if (k < 0) {
        k = state->nail_count++;
        state->p[0] = state->p[1] = state->sunk = state->carried = state->control_rate = 0.0f;
        state->level_normal[0] = state->level_normal[1] = 0.0f;
        state->armed = 0;
    }
    state->nails[k] = (wri_nail){particle, {place.x, place.y}};
    wri_sprite_prepare_nails(s);
    return true;
}

void wr_sprite_remove_nail(wr_sprite_world *world, int sprite, int particle)
{
    wri_sprite *s = wri_sprite_of(world, sprite);
    int k = find_nail(s, particle);
    if (k >= 0) {
        wri_nail *nails = s->state.nails;
        int after = --s->state.nail_count - k;
        memmove(&nails[k], &nails[k + 1], (size_t)after * sizeof *nails);
        nails[s->state.nail_count] = (wri_nail){0}; // the state is hashed as it is
        wri_sprite_prepare_nails(s);
    }
}

float wri_sprite_mirror_nails(wri_sprite *s)
{
    double middle = 0.0;
    int n = s->state.nail_count;
    for (int k = 0; k < n; k++) {
        middle += (double)s->state.nails[k].place[0] / n;
    }
    for (int k = 0; k < n; k++) {
        float *x = &s->state.nails[k].place[0];
        *x = (float)(2.0 * middle - (double)*x);
    }
    return (float)(2.0 * (middle - s->state.origin[0]));
}

// --- in a step --------------------------------------------------------------------------------

void wri_sprite_drive_nails(wri_sprite *s, float dt, int substeps)
{
    for (int k = 0; k < s->state.nail_count; k++) {
        const wri_nail *nail = &s->state.nails[k];
        int i = nail->particle;
        double x = ((double)nail->place[0] - s->state.origin[0] - (double)s->x[i]) / substeps;
        double y = ((double)nail->place[1] - s->state.origin[1] - (double)s->y[i]) / substeps;
        s->nail_places[2 * k] = s->state.origin[0] + (double)s->x[i] + x;
        s->nail_places[2 * k + 1] = s->state.origin[1] + (double)s->y[i] + y;
        if (substeps == 1) { // and not beside it by what was rounded
            s->nail_places[2 * k] = (double)nail->place[0];
            s->nail_places[2 * k + 1] = (double)nail->place[1];
        }
        s->vx[i] = (float)(x / (double)dt);
        s->vy[i] = (float)(y / (double)dt);
        s->nail_velocities[k] = (wr_vec2){s->vx[i], s->vy[i]};
    }
}

void wri_sprite_set_nails(wri_sprite *s)
{
    for (int k = 0; k < s->state.nail_count; k++) {
        int i = s->state.nails[k].particle;
        s->x[i] = (float)(s->nail_places[2 * k] - s->state.origin[0]);
        s->y[i] = (float)(s->nail_places[2 * k + 1] - s->state.origin[1]);
    }
}

void wri_sprite_set_nail_velocities(wri_sprite *s)
{
    for (int k = 0; k < s->state.nail_count; k++) {
        s->vx[s->state.nails[k].particle] = s->nail_velocities[k].x;
        s->vy[s->state.nails[k].particle] = s->nail_velocities[k].y;
    }
}

wri_fulcrum wri_sprite_find_fulcrum(const wri_sprite *s)
{
    int n = s->state.nail_count;
    if (n == 0) {
        double v[2];
        wri_sprite_find_velocity(s, v);
        return (wri_fulcrum){.x = (float)s->center[0],
                             .y = (float)s->center[1],
                             .vx = (float)v[0],
                             .vy = (float)v[1]};
    }
    float x = 0.0f, y = 0.0f, vx = 0.0f, vy = 0.0f, ex = 0.0f, ey = 0.0f, per = 1.0f / (float)n;
    for (int k = 0; k < n; k++) {
        int i = s->state.nails[k].particle;
        x += s->x[i];
        y += s->y[i];
        vx += s->nail_velocities[k].x;
        vy += s->nail_velocities[k].y;
        ex += s->ex[i];
        ey += s->ey[i];
    }
    return (wri_fulcrum){per * x, per * y, per * vx, per * vy, per * ex, per * ey};
}

// A sprite that bends between nails, or on one, does not move as a whole: its nails do.
float wri_sprite_travel_on_nails(const wri_sprite *s, float x, float y, float nx, float ny,
                                 float dt)
{
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    float omega = s->state.angular_velocity;
    return dt * ((p.vx - omega * (y - p.y)) * nx + (p.vy + omega * (x - p.x)) * ny);
}

float wri_sprite_nail_angular_velocity(const wri_sprite *s, const wri_fulcrum *fulcrum)
{
    float turn = 0.0f, square = 0.0f;
    for (int k = 0; k < s->state.nail_count; k++) {
        int i = s->state.nails[k].particle;
        float x = s->x[i] - fulcrum->x, y = s->y[i] - fulcrum->y;
        turn += x * (s->nail_velocities[k].y - fulcrum->vy) -
                y * (s->nail_velocities[k].x - fulcrum->vx);
        square += x * x + y * y;
    }
    return square > 0.0f ? turn / square : 0.0f;
}

void wri_sprite_fit_nails(wri_sprite *s)
{
    const wr_sprite_asset *asset = s->asset;
    wri_fulcrum p = wri_sprite_find_fulcrum(s);
    double cosine = 0.0, sine = 0.0;
    bool single = s->state.nail_count == 1;
    int count = single ? asset->N : s->state.nail_count;
    for (int k = 0; k < count; k++) {
        int i = single ? k : s->state.nails[k].particle;
        double m = single ? (double)asset->masses[i] : (double)asset->mass;
        double x = m * (double)(s->x[i] - p.x), y = m * (double)(s->y[i] - p.y);
        double ex = (double)(s->ex[i] - p.ex), ey = (double)(s->ey[i] - p.ey);
        cosine += x * ex + y * ey;
        sine += y * ex - x * ey;
    }
    double length = sqrt(cosine * cosine + sine * sine);
    if (length > 1e-12 * (double)(asset->mass * asset->L * asset->L)) {
        s->cosine = (float)(cosine / length);
        s->sine = (float)(sine / length);
    }
    s->wish_center[0] = p.x - (s->cosine * p.ex - s->sine * p.ey);
    s->wish_center[1] = p.y - (s->sine * p.ex + s->cosine * p.ey);
}

wri_lanes wri_sprite_fit_nailed_ring(const wri_sprite *s, int ring, float least)
{
    const wr_sprite_asset *asset = s->asset;
    int begin = asset->ring_begin[ring], end = asset->ring_begin[ring + 1];
    float x = 0.0f, y = 0.0f, ex = 0.0f, ey = 0.0f, per = 1.0f / (float)s->ring_nails[ring];
    bool single = s->ring_nails[ring] == 1;
    for (int k = begin; k < end; k++) {
        int i = asset->ring[k];
        if (s->inverse_masses[i] == 0.0f) {
            x += per * s->x[i];
            y += per * s->y[i];
            ex += per * s->ex[i];
            ey += per * s->ey[i];
        }
    }
    float cosine = 0.0f, sine = 0.0f, mass = 0.0f;
    for (int k = begin; k < end; k++) {
        int i = asset->ring[k];
        if (single || s->inverse_masses[i] == 0.0f) {
            float m = asset->masses[i] * asset->ring_shares[i];
            float dx = m * (s->x[i] - x), dy = m * (s->y[i] - y);
            float fx = s->ex[i] - ex, fy = s->ey[i] - ey;
            cosine += dx * fx + dy * fy;
            sine += dy * fx - dx * fy;
            mass += m;
        }
    }
    float length = sqrtf(cosine * cosine + sine * sine);
    bool told = length > least * mass; // else it turns with the whole
    cosine = told ? cosine / length : s->cosine;
    sine = told ? sine / length : s->sine;
    return (wri_lanes){cosine, sine, x - (cosine * ex - sine * ey), y - (sine * ex + cosine * ey)};
}
