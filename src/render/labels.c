// labels.c: every side of a disc has a cost, the cheapest one is taken.
#include "labels.h"

enum { GAP = 5, SAMPLES = 48 }; // pixels; points along a line

static bool is_near(const wri_label *l, float x, float y)
{
    return x > (float)(l->left - GAP) && x < (float)(l->left + l->width + GAP) &&
           y > (float)(l->top - GAP) && y < (float)(l->top + l->height + GAP);
}

static bool meets_disc(const wri_label *l, wr_vec2 at, float radius)
{
    float x = wr_clampf(at.x, (float)l->left, (float)(l->left + l->width));
    float y = wr_clampf(at.y, (float)l->top, (float)(l->top + l->height));
    return hypotf(at.x - x, at.y - y) < radius;
}

static bool meets_label(const wri_label *a, const wri_label *b)
{
    return a->left < b->left + b->width && b->left < a->left + a->width &&
           a->top < b->top + b->height && b->top < a->top + a->height;
}

// Number of pixels by which a box lies outside, along both axes.
static int outside(const wri_label_room *r, const wri_label *l)
{
    int low = r->left - l->left, high = l->left + l->width - r->right;
    int above = r->top - l->top, below = l->top + l->height - r->low;
    return (low > 0 ? low : 0) + (high > 0 ? high : 0) + (above > 0 ? above : 0) +
           (below > 0 ? below : 0);
}

static float find_cost(const wri_label_room *r, const wri_label *labels, int own,
                       const wri_label *l)
{
    float cost = 100.0f * (float)outside(r, l);
    for (int i = 0; i < r->count; i++) {
        cost += i != own && meets_disc(l, r->places[i], r->radii[i]) ? 300.0f : 0.0f;
        cost += i < own && meets_label(l, &labels[i]) ? 400.0f : 0.0f;
    }
    for (int i = 0; i < r->link_count; i++) {
        wr_vec2 a = r->places[r->links[i].a], b = r->places[r->links[i].b];
        for (int s = 0; s <= SAMPLES; s++) {
            float t = (float)s / SAMPLES;
            cost += is_near(l, a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)) ? 3.0f : 0.0f;
        }
    }
    return cost;
}

static void put(const wri_label_room *r, int disc, int side, wri_label *l)
{
    static const int along[4][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    float far = r->radii[disc] + GAP;
    float x = r->places[disc].x + (float)along[side][0] * (far + 0.5f * (float)l->width);
    float y = r->places[disc].y + (float)along[side][1] * (far + 0.5f * (float)l->height);
    l->left = (int)floorf(x - 0.5f * (float)l->width + 0.5f);
    l->top = (int)floorf(y - 0.5f * (float)l->height + 0.5f);
}

static int between(int low, int value, int high)
{
    value = value > high ? high : value;
    return value < low ? low : value;
}

void wri_labels_place(const wri_label_room *room, wri_label *labels)
{
    static const float preference[4] = {0.0f, 3.0f, 5.0f, 5.0f}; // below is best
    for (int i = 0; i < room->count; i++) {
        float least = INFINITY;
        wri_label best = labels[i];
        for (int side = 0; side < 4; side++) {
            put(room, i, side, &labels[i]);
            float cost = preference[side] + find_cost(room, labels, i, &labels[i]);
            if (cost < least) {
                least = cost;
                best = labels[i];
            }
        }
        best.left = between(room->left, best.left, room->right - best.width);
        best.top = between(room->top, best.top, room->low - best.height);
        labels[i] = best;
    }
}
