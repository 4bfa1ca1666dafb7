// elementary.h: functions the C library does not compute to the same bits everywhere.
#pragma once

// e^x within 2 units in the last place; 0 below -708, infinite above 709.
double wri_exp(double x);
