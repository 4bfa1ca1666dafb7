// usda_look.c: looks as UsdPreviewSurface materials, and which faces have them.
//
// A material is three shaders at most: the surface, and for an image a texture and the reader of
// the coordinates `st`. The plain colour multiplies the texture, as everywhere here.
#include "usda.h"

int wri_usda_single_look(const wr_mesh *mesh)
{
    int look = mesh->part_count > 0 ? mesh->parts[0].look : -1, covered = 0;
    for (int i = 0; i < mesh->part_count; i++) {
        covered += mesh->parts[i].triangle_count;
        look = mesh->parts[i].look == look ? look : -1;
    }
    return covered == mesh->triangle_count ? look : -1;
}

static void write_number(wri_usda *u, const char *name, float value)
{
    char text[32];
    wri_print_float(text, sizeof text, value);
    wri_usda_line(u, "float inputs:%s = %s", name, text);
}

static const char *tuple_text(char *text, size_t size, const float *numbers, int count)
{
    size_t used = 0;
    text[used++] = '(';
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            text[used++] = ',';
            text[used++] = ' ';
        }
        used += (size_t)wri_print_float(text + used, size - used, numbers[i]);
    }
    text[used++] = ')';
    text[used] = '\0';
    return text;
}

static void write_texture(wri_usda *u, const wr_look *look, const char *path)
{
    char scale[160];
    wri_usda_def(u, "Shader", "Coordinates", NULL);
    wri_usda_line(u, "uniform token info:id = \"UsdPrimvarReader_float2\"");
    wri_usda_line(u, "string inputs:varname = \"st\"");
    wri_usda_line(u, "float2 outputs:result");
    wri_usda_close(u);
    wri_usda_def(u, "Shader", "Texture", NULL);
    wri_usda_line(u, "uniform token info:id = \"UsdUVTexture\"");
    wri_usda_line(u, "asset inputs:file = @./%s@", u->textures[look->texture]);
    wri_usda_line(u, "float4 inputs:scale = %s",
                  tuple_text(scale, sizeof scale, &look->base_color.r, 4));
    wri_usda_line(u, "token inputs:sourceColorSpace = \"sRGB\"");
    wri_usda_line(u, "float2 inputs:st.connect = <%s/Coordinates.outputs:result>", path);
    wri_usda_line(u, "token inputs:wrapS = \"repeat\"");
    wri_usda_line(u, "token inputs:wrapT = \"repeat\"");
    wri_usda_line(u, "float outputs:a");
    wri_usda_line(u, "float3 outputs:rgb");
    wri_usda_close(u);
}

static void write_material(wri_usda *u, const wr_look *look, const char *name, const char *path)
{
    char color[160];
    wri_usda_def_named(u, "Material", name, look->name, NULL);
    wri_usda_line(u, "token outputs:surface.connect = <%s/Surface.outputs:surface>", path);
    wri_usda_def(u, "Shader", "Surface", NULL);
    wri_usda_line(u, "uniform token info:id = \"UsdPreviewSurface\"");
    // A look that takes no light shines by itself.
    const char *input = look->unlit ? "emissiveColor" : "diffuseColor";
    if (look->unlit) {
        wri_usda_line(u, "color3f inputs:diffuseColor = (0, 0, 0)");
    }
    if (look->texture >= 0) {
        wri_usda_line(u, "color3f inputs:%s.connect = <%s/Texture.outputs:rgb>", input, path);
    } else {
        wri_usda_line(u, "color3f inputs:%s = %s", input,
                      tuple_text(color, sizeof color, &look->base_color.r, 3));
    }
    if (look->transmission > 0.0f) { // this surface knows no other glass
        write_number(u, "opacity", 1.0f - 0.9f * look->transmission);
        write_number(u, "ior", 1.5f);
    } else if (look->texture >= 0 && look->alpha != WR_ALPHA_OPAQUE) { // its scale has the alpha
        wri_usda_line(u, "float inputs:opacity.connect = <%s/Texture.outputs:a>", path);
    } else if (look->base_color.a != 1.0f) {
        write_number(u, "opacity", look->base_color.a);
    }
    if (look->alpha == WR_ALPHA_MASK) {
        write_number(u, "opacityThreshold", look->cutoff);
    }
    write_number(u, "metallic", look->metallic);
    write_number(u, "roughness", look->roughness);
    wri_usda_line(u, "token outputs:surface");
    wri_usda_close(u);
    if (look->texture >= 0) {
        write_texture(u, look, path);
    }
    wri_usda_close(u);
}

static bool uses(const wr_mesh *mesh, int look)
{
    for (int i = 0; i < mesh->part_count; i++) {
        if (mesh->parts[i].look == look && mesh->parts[i].triangle_count > 0) {
            return true;
        }
    }
    return false;
}

bool wri_usda_name_looks(wri_usda *u, const wr_mesh *mesh, const char ***names)
{
    size_t count = (size_t)u->model->look_count;
    *names = wri_arena_alloc(&u->arena, count, sizeof **names);
    if (!*names) {
        return wri_fail_memory(u->error, count * sizeof **names);
    }
    wri_names given = wri_names_create(&u->arena);
    for (int i = 0; i < u->model->look_count; i++) {
        if (uses(mesh, i)) {
            const char *name = wri_name_identifier(&u->arena, u->model->looks[i].name, "look");
            (*names)[i] = name ? wri_names_add(&given, name) : NULL;
            if (!(*names)[i]) {
                return wri_fail_memory(u->error, 64);
            }
        }
    }
    return true;
}

bool wri_usda_looks(wri_usda *u, const wr_mesh *mesh, const char *path, const char ***names)
{
    if (!wri_usda_name_looks(u, mesh, names)) {
        return false;
    }
    bool any = false;
    for (int i = 0; i < u->model->look_count; i++) {
        if (!(*names)[i]) {
            continue;
        }
        char *at = wri_arena_printf(&u->arena, "%s/Looks/%s", path, (*names)[i]);
        if (!at) {
            return wri_fail_memory(u->error, strlen(path));
        }
        if (!any) {
            wri_usda_def(u, "Scope", "Looks", NULL);
            any = true;
        }
        write_material(u, &u->model->looks[i], (*names)[i], at);
    }
    if (any) {
        wri_usda_close(u);
    }
    return true;
}

// Parts of it: the faces, what is bound to them, or both.
static void write_subset(wri_usda *u, int look, const int *looks, int count, const char *binding,
                         const char *name)
{
    wri_usda_begin_prim(u, looks ? "def GeomSubset" : "over", name,
                        binding ? WRI_USDA_BINDING : NULL);
    if (looks) {
        wri_usda_line(u, "uniform token elementType = \"face\"");
        wri_usda_line(u, "uniform token familyName = \"materialBind\"");
        wri_usda_begin(u, "int[] indices = [");
        bool first = true;
        for (int i = 0; i < count; i++) {
            if (looks[i] == look) {
                wri_out_text(u->out, first ? "" : ",");
                wri_out_int(u->out, i);
                first = false;
            }
        }
        wri_out_text(u->out, "]\n");
    }
    if (binding) {
        wri_usda_line(u, "rel material:binding = <%s/Looks/%s>", binding, name);
    }
    wri_usda_close(u);
}

bool wri_usda_bind(wri_usda *u, const wr_mesh *mesh, const char *path, const char **names,
                   bool with_faces)
{
    int single = wri_usda_single_look(mesh);
    if (single >= 0) {
        if (path) {
            wri_usda_line(u, "rel material:binding = <%s/Looks/%s>", path, names[single]);
        }
        return true;
    }
    int *looks = with_faces ? wri_mesh_looks(mesh) : NULL;
    if (with_faces && !looks) {
        return wri_fail_memory(u->error, (size_t)mesh->triangle_count * sizeof *looks);
    }
    for (int i = 0; i < u->model->look_count; i++) {
        if (names[i]) {
            write_subset(u, i, looks, mesh->triangle_count, path, names[i]);
        }
    }
    if (looks) {
        wri_free(NULL, looks, (size_t)mesh->triangle_count, sizeof *looks);
    }
    return true;
}
