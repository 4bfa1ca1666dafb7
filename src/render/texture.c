// texture.c: images in levels of half size, filtered in linear light (L. Williams. Pyramidal
// parametrics. SIGGRAPH 1983), looked up with trilinear interpolation.
#include "texture.h"

void wri_srgb_fill(wri_srgb *srgb)
{
    for (int i = 0; i < 256; i++) {
        double c = i / 255.0;
        srgb->plain[i] = (float)c;
        srgb->decode[i] = (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    for (int i = 0; i < WRI_COUNT(srgb->encode); i++) {
        double x = fmin(i / (double)WRI_ENCODE_STEPS, 1.0);
        double c = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
        srgb->encode[i] = (float)(255.0 * c);
    }
}

static wr_vec3 texel(const wri_texture_level *level, const wri_srgb *srgb, int x, int y)
{
    const uint8_t *p = level->pixels + 4 * ((size_t)y * (size_t)level->width + (size_t)x);
    return wr_v3(srgb->decode[p[0]], srgb->decode[p[1]], srgb->decode[p[2]]);
}

static void halve(const wri_texture_level *from, const wri_srgb *srgb, uint8_t *out, int width,
                  int height)
{
    for (int y = 0; y < height; y++) {
        int y0 = 2 * y < from->height ? 2 * y : from->height - 1;
        int y1 = 2 * y + 1 < from->height ? 2 * y + 1 : y0;
        for (int x = 0; x < width; x++, out += 4) {
            int x0 = 2 * x < from->width ? 2 * x : from->width - 1;
            int x1 = 2 * x + 1 < from->width ? 2 * x + 1 : x0;
            wr_vec3 sum = wr_add(texel(from, srgb, x0, y0), texel(from, srgb, x1, y0));
            sum = wr_add(sum, wr_add(texel(from, srgb, x0, y1), texel(from, srgb, x1, y1)));
            out[0] = (uint8_t)(wri_srgb_encode(srgb, 0.25f * sum.x) + 0.5f);
            out[1] = (uint8_t)(wri_srgb_encode(srgb, 0.25f * sum.y) + 0.5f);
            out[2] = (uint8_t)(wri_srgb_encode(srgb, 0.25f * sum.z) + 0.5f);
            out[3] = 255;
        }
    }
}

// The same with alpha, which is also how much each pixel counts.
static void halve_ink(const wri_texture_level *from, const wri_srgb *srgb, uint8_t *out, int width,
                      int height)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++, out += 4) {
            float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            for (int k = 0; k < 4; k++) {
                int column = 2 * x + (k & 1), row = 2 * y + (k >> 1);
                column = column < from->width ? column : from->width - 1;
                row = row < from->height ? row : from->height - 1;
                const uint8_t *p =
                    from->pixels + 4 * ((size_t)row * (size_t)from->width + (size_t)column);
                for (int c = 0; c < 3; c++) {
                    sum[c] += srgb->plain[p[3]] * srgb->decode[p[c]];
                }
                sum[3] += srgb->plain[p[3]];
            }
            for (int c = 0; c < 3; c++) {
                float mean = sum[3] > 0.0f ? sum[c] / sum[3] : 0.0f;
                out[c] = (uint8_t)(wri_srgb_encode(srgb, mean) + 0.5f);
            }
            out[3] = (uint8_t)(255.0f * 0.25f * sum[3] + 0.5f);
        }
    }
}

static void halve_numbers(const wri_texture_level *from, const wri_srgb *srgb, uint8_t *out,
                          int width, int height)
{
    (void)srgb;
    for (int i = 0; i < 4 * width * height; i++) {
        int sum = 2; // rounds to the nearest
        for (int k = 0; k < 4; k++) {
            int x = 2 * (i / 4 % width) + (k & 1), y = 2 * (i / 4 / width) + (k >> 1);
            x = x < from->width ? x : from->width - 1;
            y = y < from->height ? y : from->height - 1;
            sum += from->pixels[4 * ((size_t)y * (size_t)from->width + (size_t)x) + (size_t)i % 4];
        }
        out[i] = (uint8_t)(sum / 4);
    }
}

bool wri_texture_create(wri_texture *texture, const wr_image *image, const wri_srgb *srgb,
                        wri_texture_kind kind, wri_arena *arena)
{
    texture->has_alpha = kind == WRI_TEXTURE_INK;
    WR_ASSERT(image->width >= 1 && image->height >= 1);
    WR_ASSERT(image->width <= 32768 && image->height <= 32768);
    texture->levels[0] = (wri_texture_level){image->width, image->height, image->pixels};
    texture->level_count = 1;
    const wri_texture_level *last = &texture->levels[0];
    while (last->width > 1 || last->height > 1) {
        int width = last->width > 1 ? last->width / 2 : 1;
        int height = last->height > 1 ? last->height / 2 : 1;
        uint8_t *pixels = wri_arena_alloc(arena, (size_t)width * (size_t)height, 4);
        if (!pixels) {
            return false;
        }
        (kind == WRI_TEXTURE_INK       ? halve_ink
         : kind == WRI_TEXTURE_NUMBERS ? halve_numbers
                                       : halve)(last, srgb, pixels, width, height);
        last = &texture->levels[texture->level_count++];
        texture->levels[texture->level_count - 1] = (wri_texture_level){width, height, pixels};
    }
    texture->mean = texel(last, srgb, 0, 0);
    return true;
}

static wr_vec3 bilinear(const wri_texture_level *level, const wri_srgb *srgb, float u, float v)
{
    float x = u * (float)level->width - 0.5f, y = v * (float)level->height - 0.5f;
    float fx = floorf(x), fy = floorf(y);
    int x0 = (int)fx, y0 = (int)fy;
    int x1 = x0 + 1 < level->width ? x0 + 1 : 0, y1 = y0 + 1 < level->height ? y0 + 1 : 0;
    x0 = x0 < 0 ? level->width - 1 : x0 < level->width ? x0 : level->width - 1;
    y0 = y0 < 0 ? level->height - 1 : y0 < level->height ? y0 : level->height - 1;
    wr_vec3 top = wr_lerp3(texel(level, srgb, x0, y0), texel(level, srgb, x1, y0), x - fx);
    wr_vec3 bottom = wr_lerp3(texel(level, srgb, x0, y1), texel(level, srgb, x1, y1), x - fx);
    return wr_lerp3(top, bottom, y - fy);
}

wr_vec3 wri_texture_at(const wri_texture *texture, const wri_srgb *srgb, float u, float v,
                       float level)
{
    u -= floorf(u);
    v -= floorf(v);
    if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f)) {
        return texture->mean; // a coordinate that is not finite
    }
    level = level > 0.0f ? fminf(level, (float)(texture->level_count - 1)) : 0.0f;
    int i = (int)level;
    float part = level - (float)i;
    wr_vec3 fine = bilinear(&texture->levels[i], srgb, u, v);
    if (!(part > 0.0f)) {
        return fine;
    }
    return wr_lerp3(fine, bilinear(&texture->levels[i + 1], srgb, u, v), part);
}

// A pixel beyond the border is the one at it, or that on the other side.
static int border(int i, int count, bool repeat)
{
    return i < 0 ? (repeat ? count - 1 : 0) : i < count ? i : repeat ? 0 : count - 1;
}

static wr_color bilinear_ink(const wri_texture *texture, int level, const float *table, float u,
                             float v)
{
    const wri_texture_level *l = &texture->levels[level];
    bool repeat = !texture->has_alpha;
    float x = u * (float)l->width - 0.5f, y = v * (float)l->height - 0.5f;
    float fx = floorf(x), fy = floorf(y), sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 4; k++) {
        int column = border((int)fx + (k & 1), l->width, repeat);
        int row = border((int)fy + (k >> 1), l->height, repeat);
        float share = (k & 1 ? x - fx : 1.0f - (x - fx)) * (k >> 1 ? y - fy : 1.0f - (y - fy));
        const uint8_t *p = l->pixels + 4 * ((size_t)row * (size_t)l->width + (size_t)column);
        float alpha = texture->has_alpha ? share * (float)p[3] / 255.0f : share;
        for (int c = 0; c < 3; c++) {
            sum[c] += alpha * table[p[c]];
        }
        sum[3] += alpha;
    }
    return (wr_color){sum[0], sum[1], sum[2], sum[3]};
}

wr_color wri_texture_ink(const wri_texture *texture, const float table[256], float u, float v,
                         float level)
{
    bool inside = texture->has_alpha && u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f;
    if (!inside) {
        u -= floorf(u);
        v -= floorf(v);
    }
    if (!(u >= 0.0f && u <= 1.0f && v >= 0.0f && v <= 1.0f)) {
        return (wr_color){0.0f, 0.0f, 0.0f, 0.0f}; // a coordinate that is not finite
    }
    level = level > 0.0f ? fminf(level, (float)(texture->level_count - 1)) : 0.0f;
    int i = (int)level;
    float part = level - (float)i;
    wr_color fine = bilinear_ink(texture, i, table, u, v);
    if (!(part > 0.0f)) {
        return fine;
    }
    wr_color coarse = bilinear_ink(texture, i + 1, table, u, v);
    return (wr_color){fine.r + part * (coarse.r - fine.r), fine.g + part * (coarse.g - fine.g),
                      fine.b + part * (coarse.b - fine.b), fine.a + part * (coarse.a - fine.a)};
}
