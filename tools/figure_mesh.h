// figure_mesh.h: the half of a figure's surface with x >= 0, in even triangles.
#pragma once

#include "figure_field.h"
#include "net.h"

// Labels are regions; the rim lies in the plane x = 0.
net figure_mesh(const field *f);
