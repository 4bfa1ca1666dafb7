// description.c: what a recording says before its first frame, in both directions.
#include "format.h"

// --- info ------------------------------------------------------------------------------

void wri_code_body(wri_codec *c, wr_record_body *body, int model_count)
{
    WR_ASSERT(model_count >= 0);
    wri_code_text(c, &body->name);
    wri_code_text(c, &body->material);
    wri_code_int(c, &body->model);
    wri_code_bool(c, &body->is_static);
    wri_code_bool(c, &body->casts_ground);
    wri_code_floats(c, &body->color.r, 4, "a body's colour");
    wri_codec_check_index(c, body->model, -1, model_count, "a body's model");
}

// Codes which models are render meshes of assets. Recordings of version 1 end before.
static void code_rigs(wri_codec *c, wr_record_info *info)
{
    if (!c->out && wri_codec_left(c) == 0) {
        return;
    }
    wri_code_int(c, &info->asset_count);
    wri_codec_check_index(c, info->asset_count, 0, INT32_MAX, "assets");
    if (info->asset_count == 0 || c->code != WR_OK) {
        return;
    }
    if (!c->out && (size_t)info->model_count > wri_codec_left(c) / 8) {
        wri_codec_fail(c, "rigs of %d models in a block of %zu bytes", info->model_count,
                       wri_codec_left(c));
    }
    wr_record_rig *rigs = c->out ? NULL : wri_codec_alloc(c, info->model_count, sizeof *rigs);
    for (int i = 0; c->code == WR_OK && i < info->model_count; i++) {
        wr_record_rig rig = c->out && info->rigs ? info->rigs[i] : (wr_record_rig){-1, 1.0f};
        wri_code_int(c, &rig.asset);
        wri_code_floats(c, &rig.scale, 1, "the scale of a model");
        wri_codec_check_index(c, rig.asset, -1, info->asset_count, "a model's asset");
        if (!(rig.scale > 0.0f)) {
            wri_codec_fail(c, "model %d: a scale that is not positive", i);
        }
        if (!c->out) {
            rigs[i] = rig;
        }
    }
    if (!c->out) {
        info->rigs = rigs;
    }
}

static void code_simplex(wri_codec *c, wr_simplex *simplex)
{
    wri_code_small(c, &simplex->corner_count, WR_SIMPLEX_CORNERS, "the corners of a simplex");
    if (simplex->corner_count < 1) {
        wri_codec_fail(c, "a simplex without corners");
    }
    WR_ASSERT(c->code != WR_OK || simplex->corner_count <= WR_SIMPLEX_CORNERS);
    for (int k = 0; c->code == WR_OK && k < simplex->corner_count; k++) {
        uint64_t corner = (uint64_t)simplex->corners[k];
        wri_code_varint(c, &corner);
        if (corner >= WRI_EXAMPLE_LIMIT) {
            wri_codec_fail(c, "a corner of a simplex that is no example");
            return;
        }
        simplex->corners[k] = (int)corner;
    }
}

// Recordings without pose manifolds, or anything behind them (more), and all earlier ones, end
// before.
static void code_manifolds(wri_codec *c, wr_record_info *info, bool more)
{
    if (c->out ? info->manifold_count == 0 && !more : wri_codec_left(c) == 0) {
        return;
    }
    wri_code_count(c, &info->manifold_count, 8, "manifolds");
    wr_record_manifold *all = c->out ? NULL : wri_codec_alloc(c, info->manifold_count, sizeof *all);
    for (int i = 0; c->code == WR_OK && i < info->manifold_count; i++) {
        wr_record_manifold m = c->out ? info->manifolds[i] : (wr_record_manifold){0};
        WR_ASSERT(m.simplex_count == 0 || m.simplices);
        wri_code_int(c, &m.body);
        wri_codec_check_index(c, m.body, 0, info->body_count, "the body of a manifold");
        wri_code_count(c, &m.simplex_count, 1, "simplices");
        wr_simplex *own = c->out ? NULL : wri_codec_alloc(c, m.simplex_count, sizeof *own);
        for (int k = 0; c->code == WR_OK && k < m.simplex_count; k++) {
            wr_simplex simplex = c->out ? m.simplices[k] : (wr_simplex){0};
            code_simplex(c, &simplex);
            if (!c->out) {
                own[k] = simplex;
            }
        }
        if (!c->out && c->code == WR_OK) {
            m.simplices = own;
            all[i] = m;
        }
    }
    if (!c->out) {
        info->manifolds = all;
    }
}

static bool any_fragments(const wr_record_info *info)
{
    bool any = false;
    for (int i = 0; i < info->model_count && info->rigs; i++) {
        any = any || info->rigs[i].fragment > 0;
    }
    return any;
}

// Which models and bodies are fragments. Recordings without any, or anything behind them (more),
// end before.
static void code_fragments(wri_codec *c, wr_record_info *info, bool more)
{
    if (c->out ? !any_fragments(info) && !more : wri_codec_left(c) == 0) {
        return;
    }
    wr_record_rig *rigs = (wr_record_rig *)(uintptr_t)info->rigs;
    wr_record_body *bodies = (wr_record_body *)(uintptr_t)info->bodies;
    for (int i = 0; c->code == WR_OK && i < info->model_count; i++) {
        int fragment = rigs ? rigs[i].fragment : 0;
        bool is_rigged = rigs && rigs[i].asset >= 0;
        wri_code_int(c, &fragment);
        wri_codec_check_index(c, fragment, 0, is_rigged ? WR_FRAGMENTS_MAX + 1 : 1,
                              "a model's fragment");
        if (!c->out && is_rigged) {
            rigs[i].fragment = fragment;
        }
    }
    for (int i = 0; c->code == WR_OK && i < info->body_count; i++) {
        int owner = bodies[i].fragment_of;
        wri_code_int(c, &owner);
        bool can = rigs && bodies[i].model >= 0 && rigs[bodies[i].model].fragment > 0;
        wri_codec_check_index(c, owner, 0, can ? info->body_count + 1 : 1, "a fragment's body");
        if (!c->out) {
            bodies[i].fragment_of = owner;
        }
    }
}

void wri_code_info(wri_codec *c, wr_record_info *info)
{
    wri_code_text(c, &info->title);
    wri_code_text(c, &info->program);
    wri_code_u64(c, &info->scene_hash);
    wri_code_int(c, &info->rate_numerator);
    wri_code_int(c, &info->rate_denominator);
    wri_code_int(c, &info->substeps);
    wri_code_int(c, &info->planned_frames);
    if (info->rate_numerator < 1 || info->rate_denominator < 1 || info->substeps < 1 ||
        info->planned_frames < 0 || info->planned_frames == INT32_MAX) {
        wri_codec_fail(c, "%d/%d frames per second, %d substeps, %d planned frames: out of range",
                       info->rate_numerator, info->rate_denominator, info->substeps,
                       info->planned_frames);
    }
    wri_code_stage(c, &info->stage);
    wri_code_int(c, &info->model_count);
    wri_codec_check_index(c, info->model_count, 0, INT32_MAX, "models");
    wri_code_count(c, &info->body_count, WRI_BODY_LEAST, "bodies");
    wr_record_body *bodies = c->out ? NULL : wri_codec_alloc(c, info->body_count, sizeof *bodies);
    for (int i = 0; c->code == WR_OK && i < info->body_count; i++) {
        wr_record_body body = c->out ? info->bodies[i] : (wr_record_body){0};
        wri_code_body(c, &body, info->model_count);
        if (!c->out) {
            bodies[i] = body;
        }
    }
    if (!c->out) {
        info->bodies = bodies;
    }
    code_rigs(c, info);
    WR_ASSERT(c->out || c->code != WR_OK || info->asset_count == 0 || info->rigs);
    bool keys = c->out && wri_any_keys(&info->stage);
    bool environment = keys || (c->out && info->stage.light.environment);
    bool looks = environment || (c->out && wri_any_look(info));
    bool fragments = looks || (c->out && any_fragments(info));
    bool skins = fragments || (c->out && info->skin_count > 0);
    bool follows = skins || (c->out && wri_any_follows(&info->stage));
    wri_code_flat(c, &info->stage, follows || info->manifold_count > 0);
    code_manifolds(c, info, follows);
    wri_code_follows(c, info, skins);
    wri_code_skins(c, info, fragments);
    code_fragments(c, info, looks);
    wri_code_body_looks(c, info, environment);
    wri_code_environment(c, &info->stage.light, keys);
    wri_code_camera_keys(c, &info->stage);
}

bool wri_model_has_chunk(const wr_record_info *info, int model)
{
    WR_ASSERT(model >= 0 && model < info->model_count);
    return info->asset_count == 0 || !info->rigs || info->rigs[model].asset < 0 ||
           (info->rigs[model].scale != 1.0f && info->rigs[model].fragment == 0);
}

const wr_asset *wr_record_asset(const wr_record_info *info, const wr_record_body *body,
                                float *scale)
{
    WR_ASSERT(!info->rigs || body->model < info->model_count);
    const wr_record_rig *rig =
        info->rigs && body->model >= 0 ? &info->rigs[body->model] : &(wr_record_rig){-1, 1.0f};
    WR_ASSERT(rig->asset < info->asset_count && rig->scale > 0.0f);
    if (scale) {
        *scale = rig->scale;
    }
    return rig->asset < 0 ? NULL : info->assets[rig->asset];
}

// --- models -----------------------------------------------------------------------------------

// Textures dominate what a recording starts with: each byte is stored as its difference to the same
// channel of the pixel to the left.
static void code_image(wri_codec *c, wr_image *image)
{
    wri_code_text(c, &image->name);
    wri_code_int(c, &image->width);
    wri_code_int(c, &image->height);
    wri_codec_check_index(c, image->width, 0, 1 << 16, "an image's width");
    wri_codec_check_index(c, image->height, 0, 1 << 16, "an image's height");
    size_t row = 4 * (size_t)image->width, size = row * (size_t)image->height;
    if (c->code != WR_OK || size == 0) {
        return;
    }
    WR_ASSERT(!c->out || image->pixels);
    const uint8_t *source = c->out ? image->pixels : wri_codec_take(c, size);
    uint8_t *target = c->out    ? wri_codec_put(c, size)
                      : !source ? NULL
                                : wri_arena_alloc(c->arena, size, 1);
    if (!target) {
        wri_codec_fail_memory(c);
        return;
    }
    const uint8_t *pixels = c->out ? source : target; // the undifferenced side
    for (size_t i = 0; i < size; i++) {
        uint8_t beside = i % row >= 4 ? pixels[i - 4] : 0;
        target[i] = (uint8_t)(c->out ? source[i] - beside : source[i] + beside);
    }
    if (!c->out) {
        image->pixels = pixels;
    }
}

// Recordings before version 3 know only the first one.
static void code_flags(wri_codec *c, wr_look *look)
{
    enum { DOUBLE_SIDED = 1, UNLIT = 2, ALPHA = 4, MOST = 11 };
    int flags = (look->double_sided ? DOUBLE_SIDED : 0) | (look->unlit ? UNLIT : 0) |
                ALPHA * (int)look->alpha;
    wri_code_small(c, &flags, MOST, "the kind of a look");
    if (!c->out) {
        look->double_sided = flags & DOUBLE_SIDED;
        look->unlit = flags & UNLIT;
        look->alpha = (wr_alpha)(flags / ALPHA);
    }
    WR_ASSERT(c->code != WR_OK || look->alpha <= WR_ALPHA_BLEND);
    if (look->alpha == WR_ALPHA_MASK) {
        wri_code_floats(c, &look->cutoff, 1, "a look's cutoff");
    }
}

static void code_look(wri_codec *c, wr_look *look, int image_count)
{
    wri_code_text(c, &look->name);
    wri_code_floats(c, &look->base_color.r, 4, "a look's colour");
    wri_code_int(c, &look->texture);
    wri_code_floats(c, &look->roughness, 1, "a look's roughness");
    wri_code_floats(c, &look->metallic, 1, "a look's metallic");
    code_flags(c, look);
    wri_codec_check_index(c, look->texture, -1, image_count, "a look's texture");
}

static void code_maps(wri_codec *c, wr_look *look, int image_count)
{
    bool has = look->maps != NULL;
    wri_code_bool(c, &has);
    if (!has || c->code != WR_OK) {
        return;
    }
    wr_look_maps *maps = c->out ? (wr_look_maps *)look->maps : wri_codec_alloc(c, 1, sizeof *maps);
    if (!maps) {
        return;
    }
    for (int i = 0; i < WR_LOOK_MAP_COUNT; i++) {
        wri_code_int(c, &maps->images[i]);
        wri_codec_check_index(c, maps->images[i], -1, image_count, "a look's map");
    }
    wri_code_floats(c, &maps->normal_scale, 1, "a look's normals");
    wri_code_floats(c, &maps->occlusion_strength, 1, "a look's occlusion");
    wri_code_floats(c, &maps->emission.r, 4, "a look's emission");
    look->maps = maps;
    for (int i = 0; i < WR_LOOK_MAP_COUNT && !c->out; i++) {
        maps->layouts[i] = (wr_map_layout){.scale = {1.0f, 1.0f}};
    }
}

static bool any_layout(const wr_look *look)
{
    bool any = false;
    for (int i = 0; look->maps && i < WR_LOOK_MAP_COUNT; i++) {
        any = any || !wr_map_layout_is_plain(&look->maps->layouts[i]);
    }
    return any;
}

static void code_layouts(wri_codec *c, wr_look *look)
{
    bool has = any_layout(look);
    wri_code_bool(c, &has);
    if (has && !look->maps) {
        wri_codec_fail(c, "a look without maps has layouts of maps");
    }
    wr_look_maps *maps = (wr_look_maps *)look->maps;
    for (int i = 0; has && c->code == WR_OK && i < WR_LOOK_MAP_COUNT; i++) {
        wr_map_layout *layout = &maps->layouts[i];
        wri_code_floats(c, layout->offset, 2, "a map's offset");
        wri_code_floats(c, &layout->turn, 1, "a map's turn");
        wri_code_floats(c, layout->scale, 2, "a map's scale");
    }
}

// What looks have besides, at the end of a model; nothing where none has any.
static void code_more_looks(wri_codec *c, wr_model *model)
{
    bool any = false, has_maps = false, has_layouts = false;
    for (int i = 0; c->out && i < model->look_count; i++) {
        has_maps = has_maps || model->looks[i].maps;
        has_layouts = has_layouts || any_layout(&model->looks[i]);
        any = any || has_maps || model->looks[i].transmission != 0.0f;
    }
    if (c->out ? !any : wri_codec_left(c) == 0) {
        return;
    }
    for (int i = 0; c->code == WR_OK && i < model->look_count; i++) {
        wri_code_floats(c, &model->looks[i].transmission, 1, "a look's transmission");
    }
    if (c->out ? !has_maps : wri_codec_left(c) == 0) {
        return;
    }
    for (int i = 0; c->code == WR_OK && i < model->look_count; i++) {
        code_maps(c, &model->looks[i], model->image_count);
    }
    if (c->out ? !has_layouts : wri_codec_left(c) == 0) {
        return;
    }
    for (int i = 0; c->code == WR_OK && i < model->look_count; i++) {
        code_layouts(c, &model->looks[i]);
    }
}

// `count` rows of `width` floats; returns where they are.
static void *code_rows(wri_codec *c, void *rows, int count, int width, const char *what)
{
    size_t words = (size_t)count * (size_t)width;
    WR_ASSERT(c->code != WR_OK || (count >= 0 && width > 0));
    if (!c->out && words > wri_codec_left(c) / 4) {
        wri_codec_fail(c, "%s: %d rows in a block of %zu bytes", what, count, wri_codec_left(c));
    }
    rows = c->out ? rows : wri_codec_alloc(c, count, 4 * (size_t)width);
    wri_code_rows(
        c, &(wri_rows_block){
               .now = rows, .count = (size_t)count, .width = (size_t)width, .is_chain = true});
    const float *values = rows;
    for (size_t i = 0; c->code == WR_OK && i < words; i++) {
        if (!isfinite(values[i])) {
            wri_codec_fail(c, "%s: not finite at %zu", what, i / (size_t)width);
        }
    }
    return rows;
}

static void code_triangles(wri_codec *c, wr_mesh *mesh)
{
    if (!c->out && !(mesh->triangles = wri_codec_alloc(c, mesh->triangle_count, 3 * sizeof(int)))) {
        return;
    }
    size_t count = 3 * (size_t)mesh->triangle_count;
    wri_code_rows(
        c, &(wri_rows_block){.now = mesh->triangles, .count = count, .width = 1, .is_chain = true});
    for (size_t i = 0; c->code == WR_OK && i < count; i++) {
        wri_codec_check_index(c, mesh->triangles[i], 0, mesh->vertex_count, "a triangle's vertex");
    }
}

static void code_parts(wri_codec *c, wr_mesh *mesh, int look_count)
{
    wri_code_count(c, &mesh->part_count, 12, "parts");
    if (!c->out && !(mesh->parts = wri_codec_alloc(c, mesh->part_count, sizeof *mesh->parts))) {
        return;
    }
    for (int i = 0; c->code == WR_OK && i < mesh->part_count; i++) {
        wr_mesh_part *part = &mesh->parts[i];
        wri_code_int(c, &part->first_triangle);
        wri_code_int(c, &part->triangle_count);
        wri_code_int(c, &part->look);
        wri_codec_check_index(c, part->look, -1, look_count, "a part's look");
        if (part->first_triangle < 0 || part->triangle_count < 0 ||
            part->first_triangle > mesh->triangle_count ||
            part->triangle_count > mesh->triangle_count - part->first_triangle) {
            wri_codec_fail(c, "part %d: triangles beyond the %d there are", i,
                           mesh->triangle_count);
        }
    }
}

static void code_mesh(wri_codec *c, wr_mesh *mesh, int look_count)
{
    wri_code_text(c, &mesh->name);
    wri_code_count(c, &mesh->vertex_count, 12, "vertices");
    wri_code_count(c, &mesh->triangle_count, 12, "triangles");
    bool has_normals = mesh->normals != NULL, has_uvs = mesh->uvs != NULL,
         has_colors = mesh->colors != NULL;
    wri_code_bool(c, &has_normals);
    wri_code_bool(c, &has_uvs);
    wri_code_bool(c, &has_colors);
    mesh->positions = code_rows(c, mesh->positions, mesh->vertex_count, 3, "positions");
    if (has_normals) {
        mesh->normals = code_rows(c, mesh->normals, mesh->vertex_count, 3, "normals");
    }
    if (has_uvs) {
        mesh->uvs = code_rows(c, mesh->uvs, mesh->vertex_count, 2, "texture coordinates");
    }
    if (has_colors) {
        mesh->colors = code_rows(c, mesh->colors, mesh->vertex_count, 4, "vertex colours");
    }
    code_triangles(c, mesh);
    code_parts(c, mesh, look_count);
}

// A recorded model is one mesh in one frame, so its node needs no bytes.
static void add_node(wri_codec *c, wr_model *model)
{
    WR_ASSERT(!c->out && model->mesh_count == 1);
    model->nodes = wri_codec_alloc(c, 1, sizeof *model->nodes);
    if (model->nodes) {
        model->node_count = 1;
        model->nodes[0] = (wr_node){.name = model->name,
                                    .parent = -1,
                                    .skin = -1,
                                    .pose = WR_POSE_IDENTITY,
                                    .scale = {1.0f, 1.0f, 1.0f}};
    }
}

void wri_code_model(wri_codec *c, wr_model *model)
{
    if (c->out && model->mesh_count != 1) {
        wri_codec_fail(c, "has %d meshes, expected a flattened model with one", model->mesh_count);
        return;
    }
    wri_code_text(c, &model->name);
    wri_code_count(c, &model->image_count, 12, "images");
    if (!c->out) {
        model->images = wri_codec_alloc(c, model->image_count, sizeof *model->images);
    }
    for (int i = 0; c->code == WR_OK && i < model->image_count; i++) {
        code_image(c, &model->images[i]);
    }
    wri_code_count(c, &model->look_count, 33, "looks");
    if (!c->out) {
        model->looks = wri_codec_alloc(c, model->look_count, sizeof *model->looks);
        model->meshes = wri_codec_alloc(c, 1, sizeof *model->meshes);
        model->mesh_count = 1;
        add_node(c, model);
    }
    for (int i = 0; c->code == WR_OK && i < model->look_count; i++) {
        code_look(c, &model->looks[i], model->image_count);
    }
    if (c->code == WR_OK) {
        wr_mesh mesh = model->meshes[0]; // a writer's model stays as it is
        code_mesh(c, &mesh, model->look_count);
        if (!c->out) {
            model->meshes[0] = mesh;
        }
        code_more_looks(c, model);
    }
}
