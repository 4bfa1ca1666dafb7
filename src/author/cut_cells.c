// cut_cells.c: the functions of cuts, and the tree of their cells.
#include "cut.h"

int wri_cut_cell_count(const wr_cut *cut)
{
    int shares = wri_cut_share_count(cut);
    return cut->seed_count > 0 ? cut->seed_count : shares > 0 ? shares : 2;
}

int wri_cut_share_count(const wr_cut *cut)
{
    return cut->group_count > 0 ? cut->group_count : cut->part_count > 0 ? cut->part_count + 1 : 0;
}

static double distance2(wr_vec3 a, const double p[3])
{
    double d[3] = {p[0] - (double)a.x, p[1] - (double)a.y, p[2] - (double)a.z};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

double wri_cut_difference(const wr_cut *cut, int i, int j, const double p[3], const double *shares)
{
    if (cut->seed_count > 0) {
        return distance2(cut->seeds[j], p) - distance2(cut->seeds[i], p);
    }
    if (shares) {
        return shares[i] - shares[j];
    }
    double s = (p[0] - (double)cut->at.x) * (double)cut->normal.x +
               (p[1] - (double)cut->at.y) * (double)cut->normal.y +
               (p[2] - (double)cut->at.z) * (double)cut->normal.z;
    return i < j ? s : -s;
}

void wri_cut_shares(const wri_cells *cells, int cut, int vertex, double *shares)
{
    const wr_cut *source = &cells->asset->cuts[cut];
    const wr_rig *rig = &cells->asset->rig;
    int count = wri_cut_share_count(source);
    for (int g = 0; g < count; g++) {
        shares[g] = source->part_count > 0 ? cells->fields[cut].solid[vertex * count + g] : 0.0;
    }
    for (int b = 0; source->group_count > 0 && b < rig->handle_count; b++) {
        if (source->groups[b] >= 0) {
            size_t at = (size_t)vertex * (size_t)rig->handle_count + (size_t)b;
            shares[source->groups[b]] += (double)rig->weights[at];
        }
    }
}

void wri_cut_mesh_shares(const wri_cells *cells, int cut, int vertex, double *shares)
{
    const wr_cut *source = &cells->asset->cuts[cut];
    const wr_rig *rig = &cells->asset->rig;
    const wr_ride *ride = &rig->rides[vertex];
    int count = wri_cut_share_count(source);
    double corner[WR_FRAGMENTS_MAX + 1];
    for (int g = 0; g < count; g++) {
        shares[g] = source->part_count > 0 ? cells->fields[cut].mesh[vertex * count + g] : 0.0;
    }
    for (int k = 0; source->group_count > 0 && k < 4; k++) {
        wri_cut_shares(cells, cut, rig->elements[4 * (size_t)ride->element + (size_t)k], corner);
        for (int g = 0; g < count; g++) {
            shares[g] += (double)ride->weights[k] * corner[g];
        }
    }
}

// --- the tree ---------------------------------------------------------------------------------

enum { LABEL_BITS = 16 };

int wri_cell_add(wri_cells *cells, int parent, int label)
{
    return wri_key_table_add(&cells->nodes, (uint64_t)(parent + 1) << LABEL_BITS | (uint64_t)label);
}

void wri_cell_labels(const wri_cells *cells, int cell, int labels[WRI_CUTS_MAX])
{
    WR_ASSERT(cells->asset->cut_count <= WRI_CUTS_MAX);
    for (int k = cells->asset->cut_count - 1; k >= 0; k--) {
        uint64_t key = wri_key_table_key(&cells->nodes, cell);
        labels[k] = (int)(key & ((1 << LABEL_BITS) - 1));
        cell = (int)(key >> LABEL_BITS) - 1;
    }
}

int wri_cell_find_beside(const wri_cells *cells, int cell, int cut, int label)
{
    int labels[WRI_CUTS_MAX];
    int depth = cells->asset->cut_count;
    WR_ASSERT(cut < depth);
    wri_cell_labels(cells, cell, labels);
    labels[cut] = label;
    cell = -1;
    for (int k = 0; k < depth; k++) {
        cell = wri_key_table_find(&cells->nodes,
                                  (uint64_t)(cell + 1) << LABEL_BITS | (uint64_t)labels[k]);
        if (cell < 0) {
            return -1;
        }
    }
    return cell;
}
