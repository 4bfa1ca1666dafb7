// wrought.h: the whole library.
#pragma once

#include "asset.h"
#include "author.h"
#include "base.h"
#include "example.h"
#include "file.h"
#include "geometry.h"
#include "material.h"
#include "math.h"
#include "posing.h"
#include "record.h"
#include "render.h"
#include "rigid.h"
#include "skin.h"
#include "stage.h"
#include "weights.h"
#include "world.h"
