// props.h: machines and vehicles, made of cages and parts. Each takes the folder of the cages.
#pragma once

#include "parts.h"

wr_model *make_car(const char *cages);
wr_model *make_crane(const char *cages);
wr_model *make_bridge(const char *cages);
wr_model *make_big_ship(const char *cages);
wr_model *make_small_ship(const char *cages);
wr_model *make_cannonball(const char *cages);
