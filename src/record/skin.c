// skin.c: the skins of bodies in the description of a recording, in both directions.
#include "format.h"

const wr_record_skin *wr_record_skin_of(const wr_record_info *info, int number)
{
    int skin = info->body_skins && number >= 0 && number < info->body_count
                   ? info->body_skins[number]
                   : -1;
    WR_ASSERT(skin < info->skin_count);
    return skin < 0 ? NULL : &info->skins[skin];
}

static bool is_whole(const wr_record_skin *skin)
{
    return skin->bone_count >= 1 && skin->bones && skin->node_count >= 0 &&
           (skin->nodes || skin->vertex_count == 0) &&
           (skin->bone_count == 1 || skin->node_count == 0 || (skin->joints && skin->weights));
}

bool wri_skins_check(const wr_record_info *info, wr_error *error)
{
    for (int i = 0; i < info->skin_count; i++) {
        if (!is_whole(&info->skins[i])) {
            return wri_fail(error, WR_E_ARGUMENT, "skin %d: no bones, nodes, joints or weights", i);
        }
    }
    for (int i = 0; info->body_skins && i < info->body_count; i++) {
        int skin = info->body_skins[i], model = info->bodies[i].model;
        bool is_known = skin < info->skin_count && model >= 0 && model < info->model_count &&
                        info->models[model]->mesh_count == 1;
        if (skin >= 0 && (!is_known || info->skins[skin].vertex_count !=
                                           info->models[model]->meshes->vertex_count)) {
            return wri_fail(error, WR_E_ARGUMENT, "body %d: its skin is not one of its model", i);
        }
    }
    return true;
}

// --- bones ------------------------------------------------------------------------------------

static void check_parents(wri_codec *c, const wr_record_skin *skin)
{
    for (int i = 0; c->code == WR_OK && i < skin->bone_count; i++) {
        wri_codec_check_index(c, skin->bones[i].parent, -1, skin->bone_count, "a bone's parent");
    }
    for (int i = 0; c->code == WR_OK && i < skin->bone_count; i++) {
        int steps = 0;
        for (int b = i; b >= 0 && steps <= skin->bone_count; b = skin->bones[b].parent) {
            steps++;
        }
        if (steps > skin->bone_count) {
            wri_codec_fail(c, "bone %d hangs on itself", i);
        }
    }
}

static void code_bones(wri_codec *c, wr_record_skin *skin)
{
    wri_code_count(c, &skin->bone_count, 4 + 4 + 12, "bones");
    if (c->code == WR_OK && skin->bone_count < 1) {
        wri_codec_fail(c, "a skin without bones");
    }
    wr_record_bone *bones = c->out ? NULL : wri_codec_alloc(c, skin->bone_count, sizeof *bones);
    for (int i = 0; c->code == WR_OK && i < skin->bone_count; i++) {
        wr_record_bone bone = c->out ? skin->bones[i] : (wr_record_bone){0};
        wri_code_text(c, &bone.name);
        wri_code_int(c, &bone.parent);
        wri_code_floats(c, &bone.origin.x, 3, "a bone's origin");
        if (!c->out) {
            bones[i] = bone;
        }
    }
    if (!c->out) {
        skin->bones = bones;
    }
    check_parents(c, skin);
}

// --- nodes ------------------------------------------------------------------------------------

// A chained table of words; returns where it is.
static void *code_table(wri_codec *c, const void *rows, int count, int width, const char *what)
{
    if (!c->out && (size_t)count > wri_codec_left(c) / (4 * (size_t)width)) {
        wri_codec_fail(c, "%s: %d rows in a block of %zu bytes", what, count, wri_codec_left(c));
    }
    void *now = c->out ? (void *)(uintptr_t)rows : wri_codec_alloc(c, count, 4 * (size_t)width);
    wri_code_rows(c, &(wri_rows_block){.now = now,
                                       .count = now ? (size_t)count : 0,
                                       .width = (size_t)width,
                                       .is_chain = true});
    return now;
}

static void check_weights(wri_codec *c, const wr_record_skin *skin)
{
    for (int i = 0; c->code == WR_OK && i < skin->node_count; i++) {
        float sum = 0.0f;
        for (int k = WR_SKIN_INFLUENCES * i; k < WR_SKIN_INFLUENCES * (i + 1); k++) {
            wri_codec_check_index(c, skin->joints[k], 0, skin->bone_count, "the bone of a node");
            sum += skin->weights[k] >= 0.0f ? skin->weights[k] : NAN;
        }
        if (!(fabsf(sum - 1.0f) < 1e-3f)) {
            wri_codec_fail(c, "node %d: its weights do not add up to 1", i);
        }
    }
}

static void code_nodes(wri_codec *c, wr_record_skin *skin)
{
    wri_code_int(c, &skin->vertex_count);
    wri_code_int(c, &skin->node_count);
    wri_codec_check_index(c, skin->vertex_count, 0, INT32_MAX, "the vertices of a skin");
    wri_codec_check_index(c, skin->node_count, 0, skin->vertex_count + 1, "the nodes of a skin");
    skin->nodes = code_table(c, skin->nodes, skin->vertex_count, 1, "nodes");
    for (int i = 0; c->code == WR_OK && i < skin->vertex_count; i++) {
        wri_codec_check_index(c, skin->nodes[i], 0, skin->node_count, "the node of a vertex");
    }
    if (skin->bone_count > 1) {
        skin->joints =
            code_table(c, skin->joints, skin->node_count, WR_SKIN_INFLUENCES, "bones of nodes");
        skin->weights =
            code_table(c, skin->weights, skin->node_count, WR_SKIN_INFLUENCES, "weights of bones");
        check_weights(c, skin);
    }
}

// --- bodies -----------------------------------------------------------------------------------

static void code_body_skins(wri_codec *c, wr_record_info *info)
{
    if (!c->out && (size_t)info->body_count > wri_codec_left(c) / 4) {
        wri_codec_fail(c, "skins of %d bodies in a block of %zu bytes", info->body_count,
                       wri_codec_left(c));
    }
    int *skins = c->out ? NULL : wri_codec_alloc(c, info->body_count, sizeof *skins);
    for (int i = 0; c->code == WR_OK && i < info->body_count; i++) {
        int skin = c->out && info->body_skins ? info->body_skins[i] : -1;
        wri_code_int(c, &skin);
        wri_codec_check_index(c, skin, -1, info->skin_count, "a body's skin");
        if (!c->out) {
            skins[i] = skin;
        }
    }
    if (!c->out) {
        info->body_skins = skins;
    }
}

// Recordings without skins, and all earlier ones, end before.
void wri_code_skins(wri_codec *c, wr_record_info *info, bool more)
{
    if (c->out ? info->skin_count == 0 && !more : wri_codec_left(c) == 0) {
        return;
    }
    wri_code_count(c, &info->skin_count, 4 + 20 + 8, "skins");
    wr_record_skin *skins = c->out ? NULL : wri_codec_alloc(c, info->skin_count, sizeof *skins);
    for (int i = 0; c->code == WR_OK && i < info->skin_count; i++) {
        wr_record_skin skin = c->out ? info->skins[i] : (wr_record_skin){0};
        code_bones(c, &skin);
        code_nodes(c, &skin);
        if (!c->out) {
            skins[i] = skin;
        }
    }
    if (!c->out) {
        info->skins = skins;
    }
    code_body_skins(c, info);
}
