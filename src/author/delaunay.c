// delaunay.c: Delaunay triangulation by Qhull (reentrant interface).
#include "delaunay.h"

#include "../base/os.h"

#include <libqhull_r/qhull_ra.h>

static bool read_triangles(qhT *qh, const double (*points)[2], int count, wri_array *triangles)
{
    facetT *facet;
    FORALLfacets
    {
        int t[3] = {0}, corner = 0;
        vertexT *vertex, **vertexp;
        if (facet->upperdelaunay) {
            continue;
        }
        FOREACHvertex_(facet->vertices)
        {
            int id = qh_pointid(qh, vertex->point);
            corner += id < 0 || id >= count ? 4 : 1; // the point at infinity
            t[corner <= 3 ? corner - 1 : 0] = id;
        }
        if (corner != 3) {
            continue;
        }
        const double *a = points[t[0]], *b = points[t[1]], *c = points[t[2]];
        double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        int *out = area != 0.0 ? wri_array_add(triangles, 1) : t;
        if (!out) {
            return false;
        }
        out[0] = t[0];
        out[1] = area > 0.0 ? t[1] : t[2];
        out[2] = area > 0.0 ? t[2] : t[1];
    }
    return true;
}

bool wri_delaunay(const double (*points)[2], int count, wri_array *triangles, wr_error *error)
{
    if (count < 3) {
        return wri_fail(error, WR_E_ARGUMENT, "%d points have no triangulation", count);
    }
    size_t n = 2 * (size_t)count;
    coordT *coordinates = wri_alloc(&triangles->allocator, n, sizeof *coordinates);
    if (!coordinates) {
        return wri_fail_memory(error, n * sizeof *coordinates);
    }
    memcpy(coordinates, points, n * sizeof *coordinates);
    FILE *silence = wri_open_sink(error); // Qhull explains failures on a stream
    if (!silence) {
        wri_free(&triangles->allocator, coordinates, n, sizeof *coordinates);
        return false;
    }
    qhT state;
    qhT *qh = &state;
    qh_zero(qh, silence);
    char options[] =
        "qhull d Qt Qbb Qc Qz Pp"; // triangles, also of points on a circle; no warnings
    int code = qh_new_qhull(qh, 2, count, coordinates, False, options, silence, silence);
    bool ok = code == 0 ||
              (code == qh_ERRmem ? wri_fail_memory(error, 0)
                                 : wri_fail(error, WR_E_ARGUMENT,
                                            "Qhull found no triangulation of %d points", count));
    ok = ok && (read_triangles(qh, points, count, triangles) || wri_fail_memory(error, n));
    qh_freeqhull(qh, !qh_ALL);
    int lost, lost_size;
    qh_memfreeshort(qh, &lost, &lost_size);
    fclose(silence);
    wri_free(&triangles->allocator, coordinates, n, sizeof *coordinates);
    return ok;
}
