// order.c: an order of elimination by nested dissection.
//
// A set of nodes is sorted along some directions of space. Its first and its last nodes along one
// are ends, and the smallest separator between them (cut.c) goes last; the two parts are dissected
// in turn (A. Schild, C. Sommer. On balanced separators in road networks. SEA 2015: inertial flow).
// Small sets go by least degree, with the nodes around them in mind. In the end the order becomes
// a postorder of its elimination tree, which leaves the factor as it is.
#include "cut.h"
#include "plan.h"

enum {
    LEAF = 48,      // nodes that go by least degree
    LEAF_WORDS = 4, // of 64 nodes each: a leaf and those around it
    DIRECTIONS = 7,
    END_PERCENT = 38, // of a set are an end
};

typedef struct range {
    int begin, end;
} range;

typedef struct item {
    float key;
    int local;
} item;

typedef struct ordering {
    const wri_blocks *pattern;
    const wr_vec3 *places;
    int *list;   // nodes; sets are ranges of it, and become the order
    int *set;    // of each node: the begin of its range, -1: in its final place
    int *local;  // of each node: place in the set at hand
    int *next;   // list while it is sorted again
    range *sets; // to be dissected
    int set_count;
    item *items;
    uint8_t *best; // sides
    wri_cut cut;
    int *begin, *column; // the set's graph
} ordering;

// --- sets -------------------------------------------------------------------------------------

static void find_graph(ordering *o, range r)
{
    int entries = 0;
    for (int i = r.begin; i < r.end; i++) {
        o->local[o->list[i]] = i - r.begin;
    }
    for (int i = r.begin; i < r.end; i++) {
        int v = o->list[i];
        o->begin[i - r.begin] = entries;
        for (int e = o->pattern->begin[v]; e < o->pattern->begin[v + 1]; e++) {
            int w = o->pattern->column[e];
            if (w != v && o->set[w] == r.begin) {
                o->column[entries++] = o->local[w];
            }
        }
    }
    o->begin[r.end - r.begin] = entries;
}

static inline bool is_before(item a, item b)
{
    return a.key < b.key || (a.key == b.key && a.local < b.local);
}

static inline void exchange(item *a, item *b)
{
    item c = *a;
    *a = *b;
    *b = c;
}

// Moves the first `count` to the front (C. A. R. Hoare. Algorithm 65: Find. CACM 4, 1961).
static void select_first(item *items, int size, int count)
{
    int low = 0, high = size - 1;
    while (low < high) {
        item pivot = items[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (is_before(items[i], pivot)) {
                i++;
            }
            while (is_before(pivot, items[j])) {
                j--;
            }
            if (i <= j) {
                exchange(&items[i++], &items[j--]);
            }
        }
        if (count <= j) {
            high = j;
        } else if (count >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static float key_of(wr_vec3 x, int direction)
{
    static const float directions[DIRECTIONS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1},
                                                    {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
    const float *d = directions[direction];
    return d[0] * x.x + d[1] * x.y + d[2] * x.z;
}

static void place_ends(ordering *o, range r, int direction)
{
    int size = r.end - r.begin, end = size * END_PERCENT / 100;
    for (int i = 0; i < size; i++) {
        o->items[i] = (item){key_of(o->places[o->list[r.begin + i]], direction), i};
    }
    select_first(o->items, size, end);
    select_first(o->items + end, size - end, size - 2 * end);
    for (int i = 0; i < size; i++) {
        o->cut.side[o->items[i].local] = i < end          ? WRI_FIRST
                                         : i < size - end ? WRI_BETWEEN
                                                          : WRI_SECOND;
    }
}

// Small separators between parts of the same size are best.
static double rate(const ordering *o, int size, int separator)
{
    int first = 0;
    for (int i = 0; i < size; i++) {
        first += o->cut.side[i] == WRI_FIRST;
    }
    int second = size - separator - first;
    if (first == 0 || second == 0) {
        return INFINITY;
    }
    double uneven = fabs((double)(first - second)) / size;
    return (separator + 0.5) * (1.0 + uneven);
}

static bool find_separator(ordering *o, range r)
{
    int size = r.end - r.begin;
    double best = INFINITY;
    find_graph(o, r);
    o->cut.count = size;
    for (int d = 0; d < DIRECTIONS; d++) {
        place_ends(o, r, d);
        double rating = rate(o, size, wri_cut_find(&o->cut));
        if (rating < best) {
            best = rating;
            memcpy(o->best, o->cut.side, (size_t)size);
        }
    }
    return best < INFINITY;
}

static void push(ordering *o, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        o->set[o->list[i]] = begin;
    }
    if (end > begin) {
        o->sets[o->set_count++] = (range){begin, end};
    }
}

static void divide(ordering *o, range r)
{
    int size = r.end - r.begin, at = r.begin, begin[4] = {0};
    memcpy(o->next, o->list + r.begin, (size_t)size * sizeof *o->next);
    for (int side = WRI_FIRST; side <= WRI_SEPARATOR; side++) {
        begin[side] = at;
        for (int i = 0; i < size; i++) {
            if (o->best[i] == side) {
                o->list[at++] = o->next[i];
            }
        }
    }
    for (int i = begin[WRI_SEPARATOR]; i < r.end; i++) {
        o->set[o->list[i]] = -1;
    }
    push(o, begin[WRI_FIRST], begin[WRI_SECOND]);
    push(o, begin[WRI_SECOND], begin[WRI_SEPARATOR]);
}

// --- leaves -----------------------------------------------------------------------------------

typedef struct leaf {
    int count, all;             // nodes of the set, and with those around it
    int nodes[64 * LEAF_WORDS]; // both
    uint64_t near[64 * LEAF_WORDS][LEAF_WORDS];
    bool done[LEAF];
} leaf;

static int find_local(leaf *l, int node)
{
    for (int i = l->count; i < l->all; i++) {
        if (l->nodes[i] == node) {
            return i;
        }
    }
    if (l->all == 64 * LEAF_WORDS) {
        return -1; // too many around: these do not count
    }
    l->nodes[l->all] = node;
    return l->all++;
}

static void fill_leaf(ordering *o, range r, leaf *l)
{
    l->count = l->all = r.end - r.begin;
    for (int i = 0; i < l->count; i++) {
        l->nodes[i] = o->list[r.begin + i];
        o->local[l->nodes[i]] = i;
    }
    for (int i = 0; i < l->count; i++) {
        int v = l->nodes[i];
        for (int e = o->pattern->begin[v]; e < o->pattern->begin[v + 1]; e++) {
            int w = o->pattern->column[e];
            int j = o->set[w] == r.begin ? o->local[w] : find_local(l, w);
            if (j >= 0 && j != i) {
                l->near[i][j / 64] |= (uint64_t)1 << j % 64;
                l->near[j][i / 64] |= (uint64_t)1 << i % 64;
            }
        }
    }
}

static int degree_of(const leaf *l, int i)
{
    int degree = 0;
    for (int w = 0; w < LEAF_WORDS; w++) {
        degree += __builtin_popcountll(l->near[i][w]);
    }
    return degree;
}

static int find_least(const leaf *l)
{
    int least = -1, degree = INT32_MAX;
    for (int i = 0; i < l->count; i++) {
        int own = l->done[i] ? INT32_MAX : degree_of(l, i);
        if (own < degree) {
            degree = own;
            least = i;
        }
    }
    return least;
}

// All that were near an eliminated node are near one another then.
static void eliminate(leaf *l, int i)
{
    l->done[i] = true;
    for (int j = 0; j < l->count; j++) {
        if (l->near[i][j / 64] >> j % 64 & 1) {
            for (int w = 0; w < LEAF_WORDS; w++) {
                l->near[j][w] |= l->near[i][w];
            }
            l->near[j][j / 64] &= ~((uint64_t)1 << j % 64);
            l->near[j][i / 64] &= ~((uint64_t)1 << i % 64);
        }
    }
}

static void order_leaf(ordering *o, range r)
{
    leaf l = {0};
    fill_leaf(o, r, &l);
    for (int i = r.begin; i < r.end; i++) {
        int least = find_least(&l);
        o->list[i] = l.nodes[least];
        eliminate(&l, least);
    }
}

static void dissect(ordering *o)
{
    push(o, 0, o->pattern->count);
    while (o->set_count > 0) {
        range r = o->sets[--o->set_count];
        if (r.end - r.begin <= LEAF) {
            order_leaf(o, r);
        } else if (find_separator(o, r)) {
            divide(o, r);
        }
    }
}

// --- postorder --------------------------------------------------------------------------------

// Rows of the pattern in its new order, up to the diagonal.
static void permute(ordering *o, int *begin, int *column)
{
    int entries = 0;
    for (int k = 0; k < o->pattern->count; k++) {
        o->local[o->list[k]] = k;
    }
    for (int k = 0; k < o->pattern->count; k++) {
        int v = o->list[k];
        begin[k] = entries;
        for (int e = o->pattern->begin[v]; e < o->pattern->begin[v + 1]; e++) {
            if (o->local[o->pattern->column[e]] < k) {
                column[entries++] = o->local[o->pattern->column[e]];
            }
        }
    }
    begin[o->pattern->count] = entries;
}

static void sort_tree(const ordering *o, const int *parent, int *child, int *sibling, int *order)
{
    int n = o->pattern->count, count = 0, *stack = o->cut.stack;
    for (int k = 0; k < n; k++) {
        child[k] = -1;
    }
    for (int k = n - 1; k >= 0; k--) {
        if (parent[k] >= 0) {
            sibling[k] = child[parent[k]];
            child[parent[k]] = k;
        }
    }
    for (int root = 0; root < n; root++) {
        int depth = 0;
        if (parent[root] < 0) {
            stack[depth++] = root;
        }
        while (depth > 0) {
            int k = stack[depth - 1], next = child[k];
            if (next >= 0) {
                child[k] = sibling[next];
                stack[depth++] = next;
            } else {
                order[count++] = o->list[k];
                depth--;
            }
        }
    }
}

// --- all --------------------------------------------------------------------------------------

static bool reserve(ordering *o, wri_arena *arena)
{
    size_t n = (size_t)o->pattern->count, entries = (size_t)o->pattern->begin[n];
    wri_cut *c = &o->cut;
    int **single[] = {&o->list, &o->set, &o->local, &o->next, &c->before, &c->behind};
    int **twice[] = {&c->level, &c->edge, &c->queue, &c->stack};
    bool ok = true;
    for (int i = 0; i < WRI_COUNT(single); i++) {
        ok = (*single[i] = wri_arena_alloc(arena, n, sizeof(int))) && ok;
    }
    for (int i = 0; i < WRI_COUNT(twice); i++) {
        ok = (*twice[i] = wri_arena_alloc(arena, 2 * n, sizeof(int))) && ok;
    }
    o->sets = wri_arena_alloc(arena, n + 1, sizeof *o->sets);
    o->items = wri_arena_alloc(arena, n, sizeof *o->items);
    o->best = wri_arena_alloc(arena, n, 1);
    o->begin = wri_arena_alloc(arena, n + 1, sizeof *o->begin);
    o->column = wri_arena_alloc(arena, entries, sizeof *o->column);
    c->side = wri_arena_alloc(arena, n, 1);
    c->begin = o->begin;
    c->column = o->column;
    return ok && o->sets && o->items && o->best && o->begin && o->column && c->side;
}

bool wri_order_find(const wri_blocks *pattern, const wr_vec3 *places, int *order,
                    const wr_allocator *allocator, wr_error *error)
{
    if (!wri_blocks_check(pattern, error)) {
        return false;
    }
    wri_arena arena = wri_arena_create(allocator);
    ordering o = {.pattern = pattern, .places = places};
    bool ok = reserve(&o, &arena);
    if (ok) {
        for (int k = 0; k < pattern->count; k++) {
            o.list[k] = k;
        }
        dissect(&o);
        permute(&o, o.begin, o.column);
        wri_tree_find(pattern->count, o.begin, o.column, o.cut.before, o.cut.behind);
        sort_tree(&o, o.cut.before, o.cut.level, o.cut.edge, order);
    } else {
        wri_fail_memory(error, 0);
    }
    wri_arena_destroy(&arena);
    return ok;
}
