// field.c: the parameters of a sprite by number, for what changes some of them.
#include "controller.h"

#include <stddef.h>

typedef enum field_kind { FLOAT, WHOLE, YES_NO } field_kind; // enums are whole numbers

typedef struct field_entry {
    const char *name;
    field_kind kind;
    size_t offset;
} field_entry;

#define ENTRY(name, kind)                                                                          \
    {                                                                                              \
#name, kind, offsetof(wr_sprite_parameters, name)                                          \
    }

static const field_entry fields[WR_SPRITE_FIELD_COUNT] = {
    [WR_SPRITE_FIRMNESS] = ENTRY(firmness, FLOAT),
    [WR_SPRITE_HOLD] = ENTRY(hold, FLOAT),
    [WR_SPRITE_ROUNDS] = ENTRY(rounds, WHOLE),
    [WR_SPRITE_WOBBLE] = ENTRY(wobble, FLOAT),
    [WR_SPRITE_SETTLE] = ENTRY(settle, FLOAT),
    [WR_SPRITE_GIVE] = ENTRY(give, FLOAT),
    [WR_SPRITE_GIVE_FROM] = ENTRY(give_from, FLOAT),
    [WR_SPRITE_GIVE_WAY] = ENTRY(give_way, WHOLE),
    [WR_SPRITE_GIVE_EXAMPLE] = ENTRY(give_example, WHOLE),
    [WR_SPRITE_STRETCH] = ENTRY(stretch, FLOAT),
    [WR_SPRITE_STRETCH_EXAMPLE] = ENTRY(stretch_example, WHOLE),
    [WR_SPRITE_BOUNCE] = ENTRY(bounce, FLOAT),
    [WR_SPRITE_RELEASE] = ENTRY(release, FLOAT),
    [WR_SPRITE_AIM] = ENTRY(aim, WHOLE),
    [WR_SPRITE_ANGLE] = ENTRY(angle, FLOAT),
    [WR_SPRITE_SMOOTH] = ENTRY(smooth, YES_NO),
    [WR_SPRITE_AIM_STRENGTH] = ENTRY(aim_strength, FLOAT),
    [WR_SPRITE_DRAG] = ENTRY(drag, FLOAT),
    [WR_SPRITE_FRICTION] = ENTRY(friction, FLOAT),
    [WR_SPRITE_GRAVITY] = ENTRY(gravity, FLOAT),
};

const char *wri_sprite_field_name(wr_sprite_field field)
{
    return fields[field].name;
}

void wri_sprite_set_field(wr_sprite_parameters *parameters, wr_setting setting)
{
    void *at = (char *)parameters + fields[setting.field].offset;
    switch (fields[setting.field].kind) {
    case FLOAT:
        memcpy(at, &setting.value, sizeof(float));
        break;
    case WHOLE: {
        int whole = (int)setting.value;
        memcpy(at, &whole, sizeof whole);
        break;
    }
    case YES_NO: {
        bool yes = setting.value != 0.0f;
        memcpy(at, &yes, sizeof yes);
        break;
    }
    }
}
