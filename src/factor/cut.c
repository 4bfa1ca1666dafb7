// cut.c: separators by the greatest number of paths that share no node (K. Menger, 1927).
//
// Every node lets one path through, so the maximum flow from one end to the other is the size of
// the smallest separator. Paths are found by E. A. Dinic's method (1970): the distances of all
// places from the first end, then as many shortest paths as there are side by side, until there is
// none. A node is two places, its entry 2 v and its exit 2 v + 1. A path through it, v's, may be
// turned back: from the entry to the exit of the node before, and from the exit to the entry.
#include "cut.h"

enum { END = -1, FREE = -2 };

static inline bool has_path(const wri_cut *c, int v)
{
    return c->before[v] != FREE;
}

static inline void reach(wri_cut *c, int place, int level, int *count)
{
    if (c->level[place] < 0) {
        c->level[place] = level;
        c->queue[(*count)++] = place;
    }
}

static void reach_from_exit(wri_cut *c, int v, int level, int *count)
{
    for (int e = c->begin[v]; e < c->begin[v + 1]; e++) {
        if (c->side[c->column[e]] != WRI_FIRST) {
            reach(c, 2 * c->column[e], level, count);
        }
    }
    if (has_path(c, v)) {
        reach(c, 2 * v, level, count);
    }
}

// Distances of all places from the first end; true when the second one is reached.
static bool find_levels(wri_cut *c)
{
    int count = 0;
    bool found = false;
    for (int v = 0; v < c->count; v++) {
        c->level[2 * v] = c->level[2 * v + 1] = -1;
        c->edge[2 * v + 1] = c->begin[v];
        c->edge[2 * v] = 0;
    }
    for (int v = 0; v < c->count; v++) {
        if (c->side[v] == WRI_FIRST && !has_path(c, v)) {
            reach(c, 2 * v, 0, &count);
        }
    }
    for (int i = 0; i < count; i++) {
        int place = c->queue[i], v = place / 2, level = c->level[place] + 1;
        if (place % 2 == 1) {
            if (c->side[v] == WRI_SECOND && c->behind[v] == FREE) {
                found = true;
            } else {
                reach_from_exit(c, v, level, &count);
            }
        } else if (!has_path(c, v)) {
            reach(c, 2 * v + 1, level, &count);
        } else if (c->before[v] >= 0) {
            reach(c, 2 * c->before[v] + 1, level, &count);
        }
    }
    return found;
}

// The next place to try from here, -1: no more.
static int next_place(wri_cut *c, int place)
{
    int v = place / 2;
    if (place % 2 == 0) {
        bool first = c->edge[place]++ == 0;
        int to = !has_path(c, v) ? 2 * v + 1 : c->before[v] >= 0 ? 2 * c->before[v] + 1 : -1;
        return first ? to : -1;
    }
    if (c->edge[place] < c->begin[v + 1]) {
        return 2 * c->column[c->edge[place]++];
    }
    return c->edge[place]++ == c->begin[v + 1] && has_path(c, v) ? 2 * v : -1;
}

// Walks shortest ways until one ends; a place that leads nowhere, or is taken, is closed.
// Returns the number of places on it, 0: none.
static int find_way(wri_cut *c, int start)
{
    int depth = 0;
    c->stack[depth++] = start;
    while (depth > 0) {
        int place = c->stack[depth - 1], v = place / 2;
        if (place % 2 == 1 && c->side[v] == WRI_SECOND && c->behind[v] == FREE) {
            break;
        }
        int to;
        do {
            to = next_place(c, place);
        } while (to >= 0 && c->level[to] != c->level[place] + 1);
        if (to >= 0) {
            c->stack[depth++] = to;
        } else {
            c->level[place] = -1;
            depth--;
        }
    }
    for (int i = 0; i < depth; i++) {
        c->level[c->stack[i]] = -1;
    }
    return depth;
}

static void lead_path(wri_cut *c, int length)
{
    for (int i = 0; i < length; i++) {
        int place = c->stack[i], v = place / 2, from = i > 0 ? c->stack[i - 1] : -1;
        if (place % 2 == 0) {
            bool turned = from == 2 * v + 1; // nothing leads through it any more
            c->before[v] = turned ? FREE : from < 0 ? END : from / 2;
            c->behind[v] = turned ? FREE : c->behind[v];
            if (from >= 0 && !turned) {
                c->behind[from / 2] = v;
            }
        } else if (i == length - 1) {
            c->behind[v] = END;
        }
    }
}

// What is reached still belongs to the first part; a node whose entry alone is, to the separator.
static int find_sides(wri_cut *c)
{
    int size = 0;
    for (int v = 0; v < c->count; v++) {
        bool entry = c->level[2 * v] >= 0, exit = c->level[2 * v + 1] >= 0;
        bool first = c->side[v] == WRI_FIRST;
        // An end's node with a path is not reached from the end itself, but nothing stops it there.
        bool cut = has_path(c, v) && !exit && (entry || first);
        c->side[v] = cut ? WRI_SEPARATOR : exit || first ? WRI_FIRST : WRI_SECOND;
        size += cut;
    }
    return size;
}

int wri_cut_find(wri_cut *c)
{
    for (int v = 0; v < c->count; v++) {
        c->before[v] = c->behind[v] = FREE;
    }
    while (find_levels(c)) {
        for (int v = 0; v < c->count; v++) {
            if (c->side[v] == WRI_FIRST && c->level[2 * v] == 0) {
                lead_path(c, find_way(c, 2 * v));
            }
        }
    }
    return find_sides(c);
}
