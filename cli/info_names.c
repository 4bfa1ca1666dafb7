// info_names.c: what the parts of a model are called, for those who write recipes.
#include "cli.h"

#include "../src/author/key_table.h"
#include "../src/file/json.h"

#include <stdio.h>

enum { MOST_SAID = 12 }; // names of a kind in words; JSON has them all

typedef struct list {
    wri_array names;     // const char *
    wri_key_table known; // their hashes
    bool is_cut;         // out of memory
} list;

// Each once, and only those that have a name.
static void add(list *l, const char *name)
{
    if (!name || !name[0]) {
        return;
    }
    int number = wri_key_table_add(&l->known, wri_hash(name, strlen(name), 0));
    const char **room = number == l->names.count ? wri_array_add(&l->names, 1) : NULL;
    if (room) {
        *room = name;
    }
    l->is_cut = l->is_cut || number < 0 || (number == l->names.count && !room);
}

static void print(const list *l, const char *words, const char *key, wri_json_writer *writer)
{
    if (writer) {
        wri_json_begin_array(writer, key);
        for (int i = 0; i < l->names.count; i++) {
            wri_json_write_string(writer, NULL, WRI_ITEM(l->names, const char *, i));
        }
        wri_json_end_array(writer);
    } else if (l->names.count > 0) {
        printf("  %-20s ", words);
        for (int i = 0; i < l->names.count && i < MOST_SAID; i++) {
            char name[256];
            wri_escape_text(name, sizeof name, WRI_ITEM(l->names, const char *, i));
            printf("%s\"%s\"", i ? ", " : "", name);
        }
        if (l->names.count > MOST_SAID) {
            printf(" and %d more", l->names.count - MOST_SAID);
        }
        printf("\n");
    }
}

// Where the names of a kind are in a model.
typedef void find_fn(const wr_model *model, list *l);

static void find_nodes(const wr_model *model, list *l)
{
    for (int i = 0; i < model->node_count; i++) {
        add(l, model->nodes[i].name);
    }
}

static void find_meshes(const wr_model *model, list *l)
{
    for (int i = 0; i < model->mesh_count; i++) {
        add(l, model->meshes[i].name);
    }
}

static void find_looks(const wr_model *model, list *l)
{
    for (int i = 0; i < model->look_count; i++) {
        add(l, model->looks[i].name);
    }
}

static void find_joints(const wr_model *model, list *l)
{
    for (int i = 0; i < model->skin_count; i++) {
        for (int k = 0; k < model->skins[i].joint_count; k++) {
            add(l, model->nodes[model->skins[i].joints[k]].name);
        }
    }
}

static void find_morphs(const wr_model *model, list *l)
{
    for (int i = 0; i < model->mesh_count; i++) {
        for (int k = 0; k < model->meshes[i].morph_count; k++) {
            add(l, model->meshes[i].morphs[k].name);
        }
    }
}

bool cli_print_names(const wr_model *model, wri_json_writer *writer, wr_error *error)
{
    static const struct {
        const char *words, *key;
        find_fn *find;
    } kinds[] = {{"names of nodes", "node_names", find_nodes},
                 {"names of meshes", "mesh_names", find_meshes},
                 {"names of looks", "look_names", find_looks},
                 {"names of joints", "joint_names", find_joints},
                 {"names of morphs", "morph_names", find_morphs}};
    bool ok = true;
    for (int i = 0; ok && i < WRI_COUNT(kinds); i++) {
        list l = {wri_array_create(NULL, sizeof(const char *)), wri_key_table_create(NULL), false};
        kinds[i].find(model, &l);
        print(&l, kinds[i].words, kinds[i].key, writer);
        ok = !l.is_cut;
        wri_array_destroy(&l.names);
        wri_key_table_destroy(&l.known);
    }
    return ok || wri_fail_memory(error, sizeof(const char *));
}
