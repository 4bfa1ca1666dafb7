// drawings.c: the things that sprites are about: platforms, projectiles, machines, a snake.
#include "drawings.h"

#define LENGTH(a) ((int)(sizeof(a) / sizeof *(a)))

void draw_eye(sketch *s, wr_vec2 at, float radius)
{
    shape white = ellipse(at, radius, 1.2f * radius);
    shape pupil = ellipse((wr_vec2){at.x + 0.28f * radius, at.y - 0.1f * radius}, 0.52f * radius,
                          0.66f * radius);
    shape spark = ellipse((wr_vec2){at.x + 0.12f * radius, at.y + 0.22f * radius}, 0.2f * radius,
                          0.2f * radius);
    fill(s, &white, NULL, CREAM);
    outline(s, &white);
    fill(s, &pupil, NULL, INK);
    fill(s, &spark, NULL, CREAM);
}

sketch draw_ball(void)
{
    sketch s = sketch_create(0.52f, 0.52f, 0.002f);
    const wr_vec2 middle = {0.26f, 0.26f};
    shape ball = ellipse(middle, 0.25f, 0.25f);
    cut_out(&s, &ball, CORAL);
    shape shine =
        limb((wr_vec2[]){{0.065f, 0.32f}, {0.09f, 0.375f}, {0.13f, 0.42f}}, 3, 0.016f, 0.016f);
    fill(&s, &shine, NULL, CREAM);
    draw_eye(&s, (wr_vec2){0.225f, 0.31f}, 0.086f);
    draw_eye(&s, (wr_vec2){0.395f, 0.31f}, 0.074f);
    const wr_vec2 smile[] = {{0.20f, 0.155f}, {0.255f, 0.115f}, {0.33f, 0.11f}, {0.385f, 0.145f}};
    draw_line(&s, smile, LENGTH(smile), &ball);
    return s;
}

sketch draw_brick(void)
{
    sketch s = sketch_create(0.82f, 0.42f, 0.0025f);
    shape wall = block((wr_vec2){0.41f, 0.21f}, 0.40f, 0.20f, 0.05f);
    cut_out(&s, &wall, CORAL);
    // One lighter stone keeps the two courses from looking like a grid.
    shape stone = block((wr_vec2){0.41f, 0.29f}, 0.135f, 0.10f, 0.0f);
    fill(&s, &stone, &wall, HONEY);
    shadow(&s, &stone, HONEY);
    draw_line(&s, (wr_vec2[]){{0.0f, 0.205f}, {0.82f, 0.205f}}, 2, &wall);
    const wr_vec2 joints[][2] = {{{0.275f, 0.205f}, {0.275f, 0.42f}},
                                 {{0.545f, 0.205f}, {0.545f, 0.42f}},
                                 {{0.41f, 0.0f}, {0.41f, 0.205f}}};
    for (int i = 0; i < LENGTH(joints); i++) {
        draw_line(&s, joints[i], 2, &wall);
    }
    outline(&s, &wall);
    return s;
}

sketch draw_beam(void)
{
    sketch s = sketch_create(2.22f, 0.46f, 0.0045f);
    shape web = block((wr_vec2){1.11f, 0.23f}, 1.02f, 0.17f, 0.0f);
    cut_out(&s, &web, TEAL);
    for (int i = 0; i < 4; i++) {
        float x = 0.36f + 0.5f * (float)i;
        draw_line(&s, (wr_vec2[]){{x, 0.1f}, {x, 0.36f}}, 2, &web);
    }
    const float heights[] = {0.08f, 0.38f};
    for (int i = 0; i < 2; i++) {
        shape flange = block((wr_vec2){1.11f, heights[i]}, 1.10f, 0.07f, 0.025f);
        cut_out(&s, &flange, TEAL);
        for (int k = 0; k < 5; k++) {
            shape rivet = ellipse((wr_vec2){0.11f + 0.5f * (float)k, heights[i]}, 0.024f, 0.024f);
            fill(&s, &rivet, NULL, CREAM);
        }
    }
    return s;
}

sketch draw_rope(void)
{
    sketch s = sketch_create(2.02f, 0.32f, 0.004f);
    const wr_vec2 way[] = {{0.18f, 0.16f}, {1.84f, 0.16f}};
    shape rope = limb(way, 2, 0.105f, 0.105f);
    cut_out(&s, &rope, HONEY);
    for (int i = 0; i < 10; i++) {
        float x = 0.335f + 0.15f * (float)i;
        const wr_vec2 strand[] = {
            {x - 0.07f, 0.05f}, {x - 0.035f, 0.12f}, {x + 0.035f, 0.20f}, {x + 0.07f, 0.27f}};
        draw_line(&s, strand, LENGTH(strand), &rope);
    }
    outline(&s, &rope);
    for (int i = 0; i < 2; i++) {
        float x = i ? 1.87f : 0.15f;
        shape knot = block((wr_vec2){x, 0.16f}, 0.13f, 0.15f, 0.09f);
        cut_out(&s, &knot, CORAL);
        shape band = block((wr_vec2){x, 0.16f}, 0.03f, 0.2f, 0.0f);
        fill(&s, &band, &knot, CREAM);
        outline(&s, &knot);
    }
    return s;
}

sketch draw_snake(void)
{
    sketch s = sketch_create(1.44f, 0.98f, 0.0032f);
    const wr_vec2 spine[] = {{0.06f, 0.10f}, {0.20f, 0.13f}, {0.31f, 0.30f},  {0.45f, 0.46f},
                             {0.60f, 0.38f}, {0.69f, 0.20f}, {0.85f, 0.145f}, {0.98f, 0.27f},
                             {0.99f, 0.50f}, {1.03f, 0.70f}};
    shape body = limb(spine, LENGTH(spine), 0.05f, 0.135f);
    const wr_vec2 skull[] = {{0.875f, 0.74f}, {0.94f, 0.62f}, {1.08f, 0.59f}, {1.25f, 0.61f},
                             {1.33f, 0.70f},  {1.28f, 0.82f}, {1.14f, 0.92f}, {0.97f, 0.90f}};
    shape head = blob(skull, LENGTH(skull));
    const wr_vec2 way[] = {{1.28f, 0.64f}, {1.34f, 0.62f}, {1.38f, 0.58f}};
    shape tongue = limb(way, 3, 0.046f, 0.046f);
    cut_out(&s, &tongue, CORAL);
    shape whole = body;
    shape_add(&whole, &head);
    fill(&s, &whole, &whole, TEAL);
    shadow(&s, &whole, TEAL);
    for (int i = 1; i < LENGTH(spine) - 1; i++) {
        float r = 0.028f + 0.0035f * (float)i;
        shape spot = ellipse(spine[i], r, r);
        fill(&s, &spot, NULL, HONEY);
    }
    outline(&s, &whole);
    draw_eye(&s, (wr_vec2){1.10f, 0.82f}, 0.09f);
    const wr_vec2 mouth[] = {{1.07f, 0.675f}, {1.17f, 0.655f}, {1.31f, 0.68f}};
    draw_line(&s, mouth, LENGTH(mouth), &whole);
    return s;
}

sketch draw_spring(void)
{
    sketch s = sketch_create(1.22f, 0.74f, 0.003f);
    for (int i = 0; i < 4; i++) {
        float y = 0.175f + 0.125f * (float)i;
        const wr_vec2 coil[] = {{0.33f, y - 0.02f}, {0.89f, y + 0.02f}};
        shape ring = limb(coil, 2, 0.078f, 0.078f);
        cut_out(&s, &ring, TEAL);
    }
    shape foot = block((wr_vec2){0.61f, 0.07f}, 0.46f, 0.06f, 0.03f);
    shape top = block((wr_vec2){0.61f, 0.66f}, 0.60f, 0.07f, 0.05f);
    cut_out(&s, &foot, HONEY);
    cut_out(&s, &top, CORAL);
    for (int i = 0; i < 3; i++) { // arrows, up
        float x = 0.31f + 0.30f * (float)i;
        const wr_vec2 arrow[] = {{x - 0.06f, 0.635f}, {x, 0.685f}, {x + 0.06f, 0.635f}};
        for (int k = 0; k < 2; k++) {
            shape half = limb(arrow + k, 2, 0.014f, 0.014f);
            fill(&s, &half, NULL, CREAM);
        }
    }
    return s;
}

sketch draw_box(void)
{
    sketch s = sketch_create(0.72f, 0.72f, 0.0025f);
    const wr_vec2 middle = {0.36f, 0.36f}, brace[] = {{0.10f, 0.10f}, {0.62f, 0.62f}};
    shape box = block(middle, 0.35f, 0.35f, 0.04f), panel = block(middle, 0.235f, 0.235f, 0.0f);
    cut_out(&s, &box, HONEY);
    fill(&s, &panel, NULL, shaded(HONEY));
    shape board = limb(brace, 2, 0.062f, 0.062f), face = limb(brace, 2, 0.034f, 0.034f);
    fill(&s, &board, &panel, INK);
    fill(&s, &face, &panel, HONEY);
    outline(&s, &panel);
    for (int i = 0; i < 4; i++) {
        shape nail =
            ellipse((wr_vec2){i % 2 ? 0.645f : 0.075f, i / 2 ? 0.645f : 0.075f}, 0.022f, 0.022f);
        fill(&s, &nail, NULL, CREAM);
    }
    return s;
}

// --- catapult ---------------------------------------------------------------------------------

static sketch catapult_canvas(void)
{
    return sketch_create(1.52f, 0.96f, 0.0032f);
}

sketch draw_catapult_frame(void)
{
    sketch s = catapult_canvas();
    const wr_vec2 posts[][2] = {{{0.62f, 0.22f}, {0.90f, 0.66f}}, {{1.18f, 0.22f}, {0.90f, 0.66f}}};
    shape legs = limb(posts[0], 2, 0.07f, 0.075f), other = limb(posts[1], 2, 0.07f, 0.075f);
    shape_add(&legs, &other);
    cut_out(&s, &legs, HONEY);
    shape ground = block((wr_vec2){0.80f, 0.20f}, 0.62f, 0.075f, 0.04f);
    cut_out(&s, &ground, HONEY);
    for (int i = 0; i < 2; i++) {
        const wr_vec2 at = {i ? 1.24f : 0.36f, 0.13f};
        shape wheel = ellipse(at, 0.12f, 0.12f), hub = ellipse(at, 0.04f, 0.04f);
        cut_out(&s, &wheel, CORAL);
        fill(&s, &hub, NULL, CREAM);
    }
    return s;
}

sketch draw_catapult_arm(void)
{
    sketch s = catapult_canvas();
    const wr_vec2 way[] = {{0.17f, 0.66f}, {1.30f, 0.66f}};
    shape arm = limb(way, 2, 0.05f, 0.065f);
    cut_out(&s, &arm, TEAL);
    // The spoon: a bowl open above.
    const wr_vec2 rim[] = {{0.02f, 0.82f}, {0.03f, 0.72f}, {0.09f, 0.63f}, {0.19f, 0.595f},
                           {0.30f, 0.63f}, {0.36f, 0.72f}, {0.37f, 0.82f}, {0.32f, 0.825f},
                           {0.27f, 0.75f}, {0.19f, 0.72f}, {0.12f, 0.75f}, {0.07f, 0.825f}};
    shape bowl = blob(rim, LENGTH(rim));
    cut_out(&s, &bowl, CORAL);
    shape weight = block((wr_vec2){1.36f, 0.62f}, 0.14f, 0.16f, 0.05f);
    cut_out(&s, &weight, CORAL);
    shape bolt = ellipse((wr_vec2){0.90f, 0.66f}, 0.06f, 0.06f);
    cut_out(&s, &bolt, CREAM);
    return s;
}

// --- cannon -----------------------------------------------------------------------------------

static sketch cannon_canvas(void)
{
    return sketch_create(1.50f, 1.30f, 0.0034f);
}

// Drawn level and turned up about the trunnion.
sketch draw_cannon_barrel(void)
{
    sketch s = cannon_canvas();
    const wr_vec2 trunnion = {0.62f, 0.52f};
    const float slope = 36.0f;
    const wr_vec2 tube[] = {{0.30f, 0.32f}, {0.42f, 0.29f}, {0.75f, 0.31f}, {1.36f, 0.36f},
                            {1.36f, 0.68f}, {0.75f, 0.73f}, {0.42f, 0.75f}, {0.30f, 0.72f}};
    shape knob = ellipse((wr_vec2){0.20f, 0.52f}, 0.085f, 0.085f);
    shape barrel = polygon(tube, LENGTH(tube), 0.03f);
    shape band = block((wr_vec2){0.90f, 0.52f}, 0.06f, 0.245f, 0.03f);
    shape back = block((wr_vec2){0.37f, 0.52f}, 0.06f, 0.285f, 0.03f);
    shape muzzle = block((wr_vec2){1.38f, 0.52f}, 0.085f, 0.255f, 0.05f);
    const rgb colors[] = {HONEY, TEAL, HONEY, HONEY, CORAL};
    const shape *parts[] = {&knob, &barrel, &band, &back, &muzzle};
    for (int i = 0; i < LENGTH(parts); i++) {
        shape part = shape_turned(parts[i], trunnion, slope);
        cut_out(&s, &part, colors[i]);
    }
    return s;
}

sketch draw_cannon_carriage(void)
{
    sketch s = cannon_canvas();
    const wr_vec2 trail[] = {{0.70f, 0.40f}, {0.42f, 0.24f}, {0.13f, 0.13f}};
    shape tail = limb(trail, LENGTH(trail), 0.11f, 0.105f);
    cut_out(&s, &tail, HONEY);
    const wr_vec2 axle = {0.70f, 0.31f};
    shape tyre = ellipse(axle, 0.30f, 0.30f), rim = ellipse(axle, 0.21f, 0.21f);
    cut_out(&s, &tyre, CORAL);
    fill(&s, &rim, NULL, CREAM);
    for (int i = 0; i < 3; i++) {
        float a = WR_PI * (float)i / 3.0f + 0.2f, c = 0.2f * cosf(a), d = 0.2f * sinf(a);
        draw_line(&s, (wr_vec2[]){{axle.x - c, axle.y - d}, {axle.x + c, axle.y + d}}, 2, NULL);
    }
    outline(&s, &rim);
    shape hub = ellipse(axle, 0.075f, 0.075f);
    cut_out(&s, &hub, HONEY);
    return s;
}
