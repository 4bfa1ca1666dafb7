// tgf.c: TGF, graphs of handles.
//
// Lines "id x y z ...", a line "#", lines "from to [is_bone [is_pseudo [is_cage ...]]]", and
// perhaps another "#" with faces, which are passed over. Ids are whole numbers in any order. An
// edge without flags is a bone. What else stands in a line is not looked at.
#include "convert.h"
#include "model.h"
#include "words.h"
#include "../base/os.h"

typedef struct node {
    int id;
    wr_vec3 position;
} node;

typedef struct reader {
    wri_words words;
    wri_array nodes, edges; // node, wr_handle_edge
    int *table;             // node + 1 by hash of its id, 0 is free
    size_t table_size;
    wr_error *error;
} reader;

// --- ids --------------------------------------------------------------------------------------

static size_t id_slot(const reader *r, int id)
{
    size_t slot = wri_hash(&id, sizeof id, 0) & (r->table_size - 1);
    while (r->table[slot] && WRI_ITEM(r->nodes, node, r->table[slot] - 1).id != id) {
        slot = (slot + 1) & (r->table_size - 1);
    }
    return slot;
}

static bool grow_table(reader *r)
{
    if (2 * (size_t)r->nodes.count < r->table_size) {
        return true;
    }
    const wr_allocator *allocator = &r->nodes.allocator;
    size_t size = r->table_size ? 2 * r->table_size : 64;
    int *table = wri_alloc(allocator, size, sizeof *table);
    if (!table) {
        return wri_fail_memory(r->error, size * sizeof *table);
    }
    wri_free(allocator, r->table, r->table_size, sizeof *table);
    r->table = table;
    r->table_size = size;
    for (int i = 0; i < r->nodes.count; i++) {
        r->table[id_slot(r, WRI_ITEM(r->nodes, node, i).id)] = i + 1;
    }
    return true;
}

// --- lines ------------------------------------------------------------------------------------

// The next number of the line at hand.
static bool read_number(reader *r, const char *what, float *out)
{
    return wri_words_on_line(&r->words)
               ? wri_words_float(&r->words, what, out)
               : wri_words_fail(&r->words, "the line ends here, expected %s", what);
}

static bool read_id(reader *r, const char *what, int *out)
{
    return wri_words_whole(&r->words, what, INT32_MIN, INT32_MAX, out);
}

static bool read_node(reader *r)
{
    node n = {0};
    if (!read_id(r, "the id of a node", &n.id) || !grow_table(r)) {
        return false;
    }
    size_t slot = id_slot(r, n.id);
    if (r->table[slot]) {
        return wri_words_fail(&r->words, "a second node with the id %d", n.id);
    }
    if (!read_number(r, "x of a node", &n.position.x) ||
        !read_number(r, "y of a node", &n.position.y) ||
        !read_number(r, "z of a node", &n.position.z)) {
        return false;
    }
    node *added = wri_array_add(&r->nodes, 1);
    if (!added) {
        return wri_fail_memory(r->error, sizeof *added);
    }
    *added = n;
    r->table[slot] = r->nodes.count;
    wri_words_skip_line(&r->words);
    return true;
}

static bool read_end(reader *r, int *out)
{
    int id = 0;
    if (!read_id(r, "the id of a node", &id)) {
        return false;
    }
    *out = r->table ? r->table[id_slot(r, id)] - 1 : -1;
    return *out >= 0 || wri_words_fail(&r->words, "there is no node with the id %d", id);
}

static bool read_flag(reader *r, bool *out)
{
    int flag = 0;
    if (!wri_words_whole(&r->words, "a flag of an edge", 0, 1, &flag)) {
        return false;
    }
    *out = flag == 1;
    return true;
}

static bool read_edge(reader *r)
{
    wr_handle_edge edge = {.is_bone = true};
    if (!read_end(r, &edge.from)) {
        return false;
    }
    if (!wri_words_on_line(&r->words)) {
        return wri_words_fail(&r->words, "the line ends here, expected the second node of an edge");
    }
    if (!read_end(r, &edge.to)) {
        return false;
    }
    if (edge.from == edge.to) {
        return wri_words_fail(&r->words, "an edge joins a node with itself");
    }
    bool *flags[] = {&edge.is_bone, &edge.is_pseudo, &edge.is_cage};
    for (int i = 0; i < WRI_COUNT(flags) && wri_words_on_line(&r->words); i++) {
        if (!read_flag(r, flags[i])) {
            return false;
        }
    }
    wr_handle_edge *added = wri_array_add(&r->edges, 1);
    if (!added) {
        return wri_fail_memory(r->error, sizeof *added);
    }
    *added = edge;
    wri_words_skip_line(&r->words);
    return true;
}

// --- the whole --------------------------------------------------------------------------------

static bool read_lines(reader *r)
{
    int section = 0; // nodes, edges, what else
    wri_words ahead = r->words;
    for (; section < 2 && wri_words_next(&ahead); ahead = r->words) {
        if (*ahead.word == '#') {
            section++;
            r->words = ahead;
            wri_words_skip_line(&r->words);
        } else if (!(section == 0 ? read_node(r) : read_edge(r))) {
            return false;
        }
    }
    r->words.line = ahead.line;
    return r->nodes.count > 0 || wri_words_fail(&r->words, "holds no nodes");
}

static wr_handle_graph *finish(const reader *r, const wr_allocator *allocator)
{
    wr_handle_graph *graph =
        wr_handle_graph_create(r->nodes.count, r->edges.count, allocator, r->error);
    for (int i = 0; graph && i < r->nodes.count; i++) {
        graph->ids[i] = WRI_ITEM(r->nodes, node, i).id;
        graph->positions[i] = WRI_ITEM(r->nodes, node, i).position;
    }
    for (int i = 0; graph && i < r->edges.count; i++) {
        graph->edges[i] = WRI_ITEM(r->edges, wr_handle_edge, i);
    }
    return graph;
}

wr_handle_graph *wri_tgf_read(const char *path, const char *bytes, size_t size,
                              const wr_allocator *allocator, wr_error *error)
{
    reader r = {
        .words = wri_words_open(path, bytes, size, 0, error),
        .nodes = wri_array_create(allocator, sizeof(node)),
        .edges = wri_array_create(allocator, sizeof(wr_handle_edge)),
        .error = error,
    };
    wr_handle_graph *graph = read_lines(&r) ? finish(&r, allocator) : NULL;
    wri_free(&r.nodes.allocator, r.table, r.table_size, sizeof *r.table);
    wri_array_destroy(&r.nodes);
    wri_array_destroy(&r.edges);
    return graph;
}

wr_handle_graph *wr_handle_graph_read(const char *path, const wr_read_options *options,
                                      wr_error *error)
{
    if (!WRI_REQUIRE(error, path)) {
        return NULL;
    }
    const wr_allocator *allocator = options ? options->allocator : NULL;
    wri_conversion conversion;
    size_t size = 0;
    if (!wri_conversion_create(options, &conversion, error)) {
        return NULL;
    }
    char *bytes = wri_file_read(path, WRI_MODEL_LIMIT, allocator, &size, error);
    wr_handle_graph *graph = bytes ? wri_tgf_read(path, bytes, size, allocator, error) : NULL;
    wri_free(allocator, bytes, size + 1, 1);
    if (graph && !wri_convert_points(&conversion, graph->positions, graph->node_count)) {
        wri_fail(error, WR_E_FORMAT, "%s: a node is not finite in metres", path);
        wr_handle_graph_destroy(graph);
        return NULL;
    }
    return graph;
}
