// glb_shapes.c: bodies that bend in a .glb: morph targets, and the tracks that weigh them.
#include "glb.h"

#include <math.h>

bool wri_glb_add_morphing(wri_glb_export *x, int node, wr_mesh *mesh, int first,
                          const wri_morphing *m)
{
    wri_export *e = x->e;
    const char *name = node < e->model->node_count
                           ? e->model->nodes[node].name
                           : WRI_ITEM(x->nodes, wr_node, node - e->model->node_count).name;
    wri_show_say(&e->desc->log, "%s: %d %s, no vertex off by more than %s mm", name, m->morph_count,
                 wri_plural(m->morph_count, "shape", "shapes"),
                 WRI_NUMBER(1e3 * (double)m->error, 2));
    mesh->positions = m->base;
    mesh->normals = m->normals;
    mesh->morphs = m->morphs;
    mesh->morph_count = m->morph_count;
    e->report.shapes += m->morph_count;
    e->report.error = fmaxf(e->report.error, m->error);
    float *times = wri_arena_alloc(&e->arena, (size_t)m->key_count, sizeof *times);
    wr_track *track = m->morph_count > 0 ? wri_array_add(&x->tracks, 1) : NULL;
    if (!times || (m->morph_count > 0 && !track)) {
        return wri_fail_memory(e->error, (size_t)m->key_count * sizeof *times);
    }
    for (int i = 0; i < m->key_count; i++) {
        times[i] = wri_glb_time(e, first + m->keys[i]);
    }
    if (track) {
        *track = (wr_track){node,  WR_CHANNEL_WEIGHTS, WR_INTERPOLATION_LINEAR, m->key_count,
                            times, m->weights};
    }
    return true;
}

static bool add_bend(wri_glb_export *x, const wri_bend *bend, const wri_morphing *found)
{
    wri_export *e = x->e;
    int node = (int)(bend->body - e->bodies);
    wr_mesh *mesh = &e->model->meshes[e->model->nodes[node].mesh];
    return (!bend->in_bind || wri_glb_add_figure(x, bend, node)) &&
           wri_glb_add_morphing(x, node, mesh, 0, found);
}

bool wri_glb_add_bends(void *context, wri_bend *bends, int count)
{
    wri_glb_export *x = context;
    wri_arena room = wri_arena_create(NULL);
    wri_morphing *found;
    bool ok = wri_export_find_morphings(x->e, bends, count, false, &room, &x->arenas, &found);
    for (int b = 0; ok && b < count; b++) {
        ok = add_bend(x, &bends[b], &found[b]);
    }
    wri_arena_destroy(&room);
    return ok;
}
