// published_cuts.c: where published rigs break.
//
// Besides the files of published.c a folder may contain, in the units of its mesh,
//   planes.txt     a line per plane: its normal n and a number d, for the places with n x = d
//   tetmesh.K.txt  the number of tetrahedra of piece K, and four vertices of each of them, from 0;
//                  those that planes cut are in the lists of all pieces that have some of them
//   cutTets.K.txt  which of them are cut: those that are in several lists, so it is not needed
// Planes cut our assets as those of a recipe do. Theirs need not part everything that they pass
// through: what lies in one of their pieces never parts.
#include "published.h"

#include "../base/os.h"
#include "cut.h"
#include "key_table.h"

static bool read_plane(wri_published *im, wri_words *words, wr_cut *cut)
{
    static const char *const what[4] = {"x of a plane's normal", "y of a plane's normal",
                                        "z of a plane's normal", "the distance of a plane"};
    double p[4];
    for (int k = 0; k < 4; k++) {
        if (k > 0 && !wri_words_on_line(words)) {
            return wri_words_fail(words, "the line ends here, expected %s", what[k]);
        }
        if (!wri_words_number(words, what[k], &p[k])) {
            return false;
        }
    }
    if (wri_words_on_line(words)) {
        return wri_words_fail(words, "more than four numbers, expected a normal and a distance");
    }
    double n2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], to = p[3] / n2;
    if (!(n2 > 1e-24 && n2 < 1e24)) {
        return wri_words_fail(words, "the normal of a plane is zero, expected a direction");
    }
    double length = sqrt(n2);
    wr_vec3 ends[2] = {
        wr_v3((float)(p[0] * to), (float)(p[1] * to), (float)(p[2] * to)),
        wr_v3((float)(p[0] / length), (float)(p[1] / length), (float)(p[2] / length))};
    *cut = (wr_cut){.strength = 1.0};
    if (!wri_convert_points(&im->conversion, ends, 2)) {
        return wri_words_fail(words, "a plane is too far away");
    }
    cut->at = ends[0];
    cut->normal = wr_normalize(ends[1]);
    return true;
}

static bool read_planes(wri_published *im)
{
    wr_asset *asset = im->asset;
    wri_words words;
    if (!wri_published_open(im, "planes.txt", &words)) {
        return false;
    }
    asset->cuts = wr_asset_alloc(asset, WRI_CUTS_MAX, sizeof *asset->cuts);
    if (!asset->cuts) {
        return wri_published_fail_memory(im);
    }
    for (wri_words ahead = words; wri_words_next(&ahead); ahead = words) {
        if (asset->cut_count == WRI_CUTS_MAX) {
            return wri_words_fail(&ahead, "has more planes than %d", WRI_CUTS_MAX);
        }
        if (!read_plane(im, &words, &asset->cuts[asset->cut_count])) {
            return false;
        }
        asset->cut_count++;
    }
    return true;
}

// --- pieces -----------------------------------------------------------------------------------

enum { PIECES_MAX = 64 };

typedef struct piece_lists {
    wri_key_table tetrahedra; // all that are in a list
    wri_array pieces;         // uint64_t, of each of them: a bit per piece
    int count;                // of pieces
    int sizes[PIECES_MAX];    // tetrahedra in the list of each
} piece_lists;

// Whatever the order of the corners.
static uint64_t key_of(const int v[4])
{
    int sorted[4] = {v[0], v[1], v[2], v[3]};
    for (int i = 1; i < 4; i++) {
        for (int k = i; k > 0 && sorted[k] < sorted[k - 1]; k--) {
            int swapped = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = swapped;
        }
    }
    return wri_hash(sorted, sizeof sorted, 0);
}

static bool add_tetrahedron(piece_lists *lists, const int v[4], int piece)
{
    int number = wri_key_table_add(&lists->tetrahedra, key_of(v));
    if (number < 0 || (number >= lists->pieces.count && !wri_array_add(&lists->pieces, 1))) {
        return false;
    }
    WRI_ITEM(lists->pieces, uint64_t, number) |= (uint64_t)1 << piece;
    return true;
}

static bool read_piece(wri_published *im, const char *name, piece_lists *lists)
{
    wri_words words;
    int count, last = im->asset->rig.vertex_count - 1, v[4];
    if (!wri_published_open(im, name, &words) ||
        !wri_words_count(&words, "the number of tetrahedra", 8, &count)) {
        return false;
    }
    if (lists->count == PIECES_MAX) {
        return wri_words_fail(&words, "a piece more than %d", PIECES_MAX);
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++) {
            if (!wri_words_whole(&words, "a vertex of a tetrahedron", 0, last, &v[k])) {
                return false;
            }
        }
        if (!add_tetrahedron(lists, v, lists->count)) {
            return wri_published_fail_memory(im);
        }
    }
    lists->sizes[lists->count++] = count;
    return true;
}

static bool read_pieces(wri_published *im, piece_lists *lists)
{
    for (;;) {
        const char *name = wri_arena_printf(&im->arena, "tetmesh.%d.txt", lists->count);
        const char *path = name ? wri_published_file(im, name) : NULL;
        if (!path || !wri_file_exists(path)) {
            return path || wri_published_fail_memory(im);
        }
        if (!read_piece(im, name, lists)) {
            return false;
        }
    }
}

// The piece that a fragment is of: the one that alone has tetrahedra of it; where all of them are
// cut, the smallest of those that have the most of them.
static int find_piece(const wr_asset *asset, int fragment, const piece_lists *lists)
{
    const wr_rig *rig = &asset->rig;
    const wr_fracture *f = &asset->fracture;
    int alone[PIECES_MAX] = {0}, all[PIECES_MAX] = {0}, best = 0;
    for (int e = 0; e < rig->element_count; e++) {
        const int *v = &rig->elements[4 * (size_t)e];
        const int old[4] = {f->origins[v[0]], f->origins[v[1]], f->origins[v[2]], f->origins[v[3]]};
        int number = wr_fragment_of(f, rig, e) == fragment
                         ? wri_key_table_find(&lists->tetrahedra, key_of(old))
                         : -1;
        uint64_t pieces = number >= 0 ? WRI_ITEM(lists->pieces, uint64_t, number) : 0;
        for (int p = 0; p < lists->count; p++) {
            all[p] += (int)(pieces >> p & 1);
            alone[p] += pieces == (uint64_t)1 << p;
        }
    }
    for (int p = 1; p < lists->count; p++) {
        bool same = alone[p] == alone[best];
        if (alone[p] > alone[best] || (same && all[p] > all[best]) ||
            (same && all[p] == all[best] && lists->sizes[p] < lists->sizes[best])) {
            best = p;
        }
    }
    return all[best] > 0 ? best : -1;
}

// Fragments of one piece never part.
static void join_pieces(wr_asset *asset, const piece_lists *lists)
{
    int of_fragment[WR_FRAGMENTS_MAX];
    for (int f = 0; f < asset->fracture.fragment_count; f++) {
        of_fragment[f] = find_piece(asset, f, lists);
    }
    for (int i = 0; i < asset->fracture.bond_count; i++) {
        wr_bond *bond = &asset->fracture.bonds[i];
        bool one = of_fragment[bond->a] >= 0 && of_fragment[bond->a] == of_fragment[bond->b];
        bond->area = one ? 0.0f : bond->area;
    }
}

bool wri_published_read_cuts(wri_published *im)
{
    const char *path = wri_published_file(im, "planes.txt");
    wr_error why = {0};
    if (!path || !wri_file_exists(path)) {
        return path != NULL;
    }
    piece_lists lists = {
        .tetrahedra = wri_key_table_create(im->options.allocator),
        .pieces = wri_array_create(im->options.allocator, sizeof(uint64_t)),
    };
    bool ok = read_planes(im) && read_pieces(im, &lists);
    const wri_cut_desc desc = {.lattice = im->lattice, .inside = -1};
    if (ok && !wri_asset_cut(im->asset, &desc, &why)) {
        ok = wri_fail(im->error, why.code, "%s: %s", path, why.message);
    }
    if (ok && lists.count > 0) {
        join_pieces(im->asset, &lists);
    }
    wri_key_table_destroy(&lists.tetrahedra);
    wri_array_destroy(&lists.pieces);
    return ok;
}
