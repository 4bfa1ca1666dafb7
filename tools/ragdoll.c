// ragdoll.c: the hero, a stuntman of cloth in a quilted jacket, seen from his right, in seven
// layers. What lies behind is drawn in the shade.
#include "drawings.h"

#define LENGTH(a) ((int)(sizeof(a) / sizeof *(a)))

static sketch doll_canvas(void)
{
    return sketch_create(1.02f, 1.72f, 0.0035f);
}

static rgb tone(rgb color, bool far)
{
    return far ? shaded(color) : color;
}

// From the shoulder down; side: -1 hangs out to the left, 1 to the right.
static sketch draw_arm(float x, float side, bool far)
{
    sketch s = doll_canvas();
    const wr_vec2 way[] = {{x, 0.99f}, {x + 0.05f * side, 0.82f}, {x + 0.08f * side, 0.66f}};
    shape hand = ellipse((wr_vec2){x + 0.09f * side, 0.545f}, 0.098f, 0.10f);
    shape sleeve = limb(way, LENGTH(way), 0.10f, 0.095f);
    cut_out(&s, &hand, tone(CREAM, far));
    cut_out(&s, &sleeve, tone(CORAL, far));
    draw_line(&s, (wr_vec2[]){{x - 0.3f, 0.66f}, {x + 0.3f, 0.66f}}, 2, &sleeve);
    outline(&s, &sleeve);
    return s;
}

static sketch draw_leg(float x, bool far)
{
    sketch s = doll_canvas();
    const wr_vec2 way[] = {{x, 0.66f}, {x, 0.42f}, {x, 0.17f}};
    const wr_vec2 sole[] = {{x - 0.12f, 0.025f}, {x + 0.03f, 0.012f}, {x + 0.19f, 0.025f},
                            {x + 0.24f, 0.09f},  {x + 0.18f, 0.165f}, {x + 0.11f, 0.20f},
                            {x + 0.07f, 0.25f},  {x - 0.09f, 0.255f}, {x - 0.135f, 0.14f}};
    shape leg = limb(way, LENGTH(way), 0.125f, 0.10f), boot = blob(sole, LENGTH(sole));
    cut_out(&s, &leg, tone(TEAL, far));
    cut_out(&s, &boot, tone(HONEY, far));
    return s;
}

sketch draw_doll_arm_far(void)
{
    return draw_arm(0.665f, 1.0f, true);
}

sketch draw_doll_arm_near(void)
{
    return draw_arm(0.36f, -1.0f, false);
}

sketch draw_doll_leg_far(void)
{
    return draw_leg(0.585f, true);
}

sketch draw_doll_leg_near(void)
{
    return draw_leg(0.43f, false);
}

// Shirt and hips; the jacket covers most of it.
sketch draw_doll_body(void)
{
    sketch s = doll_canvas();
    const wr_vec2 trunk[] = {{0.36f, 0.69f}, {0.42f, 0.635f}, {0.52f, 0.62f}, {0.62f, 0.635f},
                             {0.67f, 0.69f}, {0.67f, 0.84f},  {0.66f, 1.00f}, {0.62f, 1.10f},
                             {0.58f, 1.19f}, {0.46f, 1.19f},  {0.42f, 1.10f}, {0.37f, 1.00f},
                             {0.35f, 0.84f}};
    shape body = blob(trunk, LENGTH(trunk));
    cut_out(&s, &body, CREAM);
    shape hips = block((wr_vec2){0.5f, 0.65f}, 0.3f, 0.1f, 0.0f);
    fill(&s, &hips, &body, TEAL);
    draw_line(&s, (wr_vec2[]){{0.3f, 0.75f}, {0.72f, 0.75f}}, 2, &body);
    outline(&s, &body);
    return s;
}

// Quilted in three rings, with a zip.
sketch draw_doll_jacket(void)
{
    sketch s = doll_canvas();
    const wr_vec2 coat[] = {{0.34f, 0.635f}, {0.51f, 0.61f},   {0.68f, 0.635f}, {0.75f, 0.70f},
                            {0.725f, 0.78f}, {0.755f, 0.865f}, {0.73f, 0.95f},  {0.73f, 1.03f},
                            {0.665f, 1.12f}, {0.51f, 1.15f},   {0.36f, 1.12f},  {0.29f, 1.03f},
                            {0.29f, 0.95f},  {0.265f, 0.865f}, {0.295f, 0.78f}, {0.27f, 0.70f}};
    shape jacket = blob(coat, LENGTH(coat));
    cut_out(&s, &jacket, CORAL);
    const wr_vec2 zip[] = {{0.60f, 0.5f}, {0.615f, 0.80f}, {0.60f, 1.2f}};
    shape band = limb(zip, LENGTH(zip), 0.03f, 0.03f);
    fill(&s, &band, &jacket, HONEY);
    const float seams[] = {0.775f, 0.945f};
    for (int i = 0; i < LENGTH(seams); i++) {
        const wr_vec2 seam[] = {{0.24f, seams[i] + 0.015f},
                                {0.40f, seams[i] - 0.015f},
                                {0.62f, seams[i] - 0.015f},
                                {0.78f, seams[i] + 0.015f}};
        draw_line(&s, seam, LENGTH(seam), &jacket);
    }
    outline(&s, &jacket);
    return s;
}

// A stunt helmet over a round face.
sketch draw_doll_head(void)
{
    sketch s = doll_canvas();
    shape head = ellipse((wr_vec2){0.53f, 1.385f}, 0.285f, 0.285f);
    cut_out(&s, &head, CREAM);
    shape cheek = ellipse((wr_vec2){0.535f, 1.255f}, 0.045f, 0.035f);
    fill(&s, &cheek, NULL, CORAL);
    const wr_vec2 shell[] = {{0.215f, 1.34f}, {0.215f, 1.47f}, {0.28f, 1.61f},  {0.43f, 1.70f},
                             {0.60f, 1.70f},  {0.75f, 1.63f},  {0.845f, 1.51f}, {0.81f, 1.475f},
                             {0.68f, 1.50f},  {0.53f, 1.49f},  {0.44f, 1.43f},  {0.41f, 1.32f},
                             {0.37f, 1.19f},  {0.27f, 1.19f}};
    shape helmet = blob(shell, LENGTH(shell));
    fill(&s, &helmet, &helmet, TEAL);
    const wr_vec2 way[] = {
        {0.17f, 1.44f}, {0.32f, 1.565f}, {0.52f, 1.615f}, {0.72f, 1.59f}, {0.88f, 1.52f}};
    shape stripe = limb(way, LENGTH(way), 0.036f, 0.036f);
    fill(&s, &stripe, &helmet, CREAM);
    outline(&s, &helmet);
    draw_eye(&s, (wr_vec2){0.575f, 1.375f}, 0.078f);
    draw_eye(&s, (wr_vec2){0.725f, 1.375f}, 0.066f);
    const wr_vec2 smile[] = {{0.595f, 1.22f}, {0.645f, 1.19f}, {0.70f, 1.20f}, {0.735f, 1.235f}};
    draw_line(&s, smile, LENGTH(smile), &head);
    return s;
}
