// bullet_faces.cpp: faces of convex hulls.
#include "bullet_world.h"

#include <LinearMath/btConvexHullComputer.h>

// Lists the corners of each face by walking along its edges.
static int walk_faces(const btConvexHullComputer &hull, int *first_corner, int *corners)
{
    int end = 0;
    for (int f = 0; f < hull.faces.size(); f++) {
        first_corner[f] = end;
        const btConvexHullComputer::Edge *first = &hull.edges[hull.faces[f]], *edge = first;
        do {
            corners[end++] = hull.original_vertex_index[edge->getSourceVertex()];
            edge = edge->getNextEdgeOfFace();
        } while (edge != first);
    }
    first_corner[hull.faces.size()] = end;
    return hull.faces.size();
}

int wri_bullet_find_faces(const double (*points)[3], int count, int *first_corner, int *corners)
{
    WR_ASSERT(points && count > 0);
    try {
        wri::use_heap();
        btConvexHullComputer hull;
        hull.compute(&points[0][0], (int)sizeof points[0], count, 0, 0);
        return walk_faces(hull, first_corner, corners);
    } catch (const std::exception &) {
        return -1;
    }
}
