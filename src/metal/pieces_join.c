// pieces_join.c: fewer convex pieces that are as close to the skin.
//
// Cuts across the axes of the body leave more pieces than are needed: neighbours on both sides of a
// cut that something else asked for often make one good piece. So pieces are joined again, always
// the two whose union has the smallest error (the order of hierarchical approximate convex
// decomposition: K. Mamou, F. Ghorbel. A simple and efficient approach for 3D mesh approximate
// convex decomposition. ICIP 2009), until no union is good enough. A union holds both hulls, so
// its error is no smaller than that of either with a third: two that were refused stay refused.
#include "pieces.h"

typedef struct pair {
    int a, b; // clusters that touch
    float error;
} pair;

// A cluster that was joined is a chain of those it came from.
typedef struct join_context {
    wri_piece_context *pieces;
    const wri_cluster *clusters;
    int *next;              // per cluster: that of its chain which follows, -1: the last
    uint8_t *seen, *joined; // per cluster; joined: it is in the chain of another
    float most;
} join_context;

// Lists the elements of a chain; returns how many.
static int list_elements(const join_context *ctx, int cluster, int *out)
{
    int count = 0;
    for (int c = cluster; c >= 0; c = ctx->next[c]) {
        int size = ctx->clusters[c].end - ctx->clusters[c].begin;
        memcpy(out + count, &ctx->pieces->order[ctx->clusters[c].begin],
               (size_t)size * sizeof(int));
        count += size;
    }
    return count;
}

// Finds the error of two clusters as one; returns whether it is small enough.
static bool find_union(const join_context *ctx, pair *p)
{
    int *elements = ctx->pieces->spare;
    int count = list_elements(ctx, p->a, elements);
    count += list_elements(ctx, p->b, elements + count);
    p->error = wri_piece_error(ctx->pieces, elements, count, ctx->most);
    return p->error <= ctx->most;
}

// Sets the marks of a cluster's vertices; returns whether one had this mark before.
static bool mark_vertices(const join_context *ctx, int cluster, uint8_t mark, bool set)
{
    const wri_piece_context *pieces = ctx->pieces;
    bool had = false;
    for (int i = ctx->clusters[cluster].begin; i < ctx->clusters[cluster].end; i++) {
        const int *v = &pieces->asset->elements[4 * (size_t)pieces->order[i]];
        for (int k = 0; k < 4; k++) {
            had |= pieces->marks[v[k]] == mark;
            pieces->marks[v[k]] = set ? mark : pieces->marks[v[k]];
        }
    }
    return had;
}

// Lists the pairs of clusters that touch and may be joined.
static bool list_pairs(const join_context *ctx, int count, wri_array *pairs)
{
    for (int a = 0; a < count; a++) {
        mark_vertices(ctx, a, 1, true);
        memset(ctx->seen, 0, (size_t)count);
        for (int b = a + 1; b < count; b++) {
            ctx->seen[b] = mark_vertices(ctx, b, 1, false);
        }
        mark_vertices(ctx, a, 0, true);
        for (int b = a + 1; b < count; b++) {
            pair p = {a, b, 0.0f};
            if (ctx->seen[b] && find_union(ctx, &p)) {
                pair *place = wri_array_add(pairs, 1);
                if (!place) {
                    return false;
                }
                *place = p;
            }
        }
    }
    return true;
}

// After b was joined to a: their partners are partners of both, where the union still allows it.
static void renew_pairs(const join_context *ctx, int a, int b, wri_array *pairs)
{
    pair *all = pairs->items;
    int left = 0;
    for (int i = 0; i < pairs->count; i++) {
        pair p = all[i];
        bool first = p.a == a || p.a == b, second = p.b == a || p.b == b;
        if (first || second) {
            int partner = first ? p.b : p.a;
            if ((first && second) || ctx->seen[partner]) {
                continue;
            }
            ctx->seen[partner] = 1;
            p = (pair){a < partner ? a : partner, a < partner ? partner : a, 0.0f};
            if (!find_union(ctx, &p)) {
                continue;
            }
        }
        all[left++] = p;
    }
    pairs->count = left;
}

static void join_best(const join_context *ctx, wri_cluster *clusters, int count, wri_array *pairs)
{
    const pair *all = pairs->items;
    pair best = all[0];
    for (int i = 1; i < pairs->count; i++) {
        best = all[i].error < best.error - ctx->pieces->same ? all[i] : best;
    }
    int tail = best.a;
    while (ctx->next[tail] >= 0) {
        tail = ctx->next[tail];
    }
    ctx->next[tail] = best.b;
    clusters[best.a].error = best.error;
    ctx->joined[best.b] = 1;
    memset(ctx->seen, 0, (size_t)count);
    renew_pairs(ctx, best.a, best.b, pairs);
}

// Puts the elements of each chain one behind the other. A chain begins with its lowest cluster, so
// what is overwritten is not needed any more.
static int gather(const join_context *ctx, wri_cluster *clusters, int count)
{
    wri_piece_context *pieces = ctx->pieces;
    int left = 0, begin = 0;
    for (int c = 0; c < count; c++) {
        if (!ctx->joined[c]) {
            int end = begin + list_elements(ctx, c, pieces->spare + begin);
            clusters[left++] = (wri_cluster){begin, end, clusters[c].fragment, clusters[c].error};
            begin = end;
        }
    }
    memcpy(pieces->order, pieces->spare, (size_t)begin * sizeof(int));
    return left;
}

int wri_join_pieces(wri_piece_context *pieces, wri_cluster *clusters, int count, float most,
                    wri_arena *temporary)
{
    join_context ctx = {.pieces = pieces, .clusters = clusters, .most = most};
    ctx.next = wri_arena_alloc(temporary, (size_t)count, sizeof(int));
    ctx.seen = wri_arena_alloc(temporary, (size_t)count, 1);
    ctx.joined = wri_arena_alloc(temporary, (size_t)count, 1);
    if (!ctx.next || !ctx.seen || !ctx.joined) {
        return -1;
    }
    for (int c = 0; c < count; c++) {
        ctx.next[c] = -1;
    }
    wri_array pairs = wri_array_create(&temporary->allocator, sizeof(pair));
    bool ok = list_pairs(&ctx, count, &pairs);
    while (ok && pairs.count > 0) {
        join_best(&ctx, clusters, count, &pairs);
    }
    wri_array_destroy(&pairs);
    return ok ? gather(&ctx, clusters, count) : -1;
}
