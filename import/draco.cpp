// draco.cpp: wrought-import --draco: primitives of glTF files that Draco has compressed, as arrays.
//
// A primitive may be damaged in any way; what Draco then does ends with this process.
#include "draco.h"
#include "../src/file/foreign.h"

#include <draco/compression/decode.h>

#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>
#include <vector>

namespace
{

using bytes = std::vector<uint8_t>;

int refuse(uint32_t primitive, const char *what)
{
    fprintf(stderr, "compressed primitive %u: %s\n", primitive, what);
    return WRI_IMPORT_REFUSED;
}

bool read_all(int in, bytes *out)
{
    uint8_t piece[65536];
    ssize_t got;
    while ((got = read(in, piece, sizeof piece)) > 0) {
        out->insert(out->end(), piece, piece + got);
    }
    return got == 0;
}

bool write_all(int out, const bytes &all)
{
    for (size_t at = 0; at < all.size();) {
        ssize_t done = write(out, all.data() + at, all.size() - at);
        if (done <= 0) {
            return false;
        }
        at += size_t(done);
    }
    return true;
}

// The parent wrote the request: it is as foreign.h says.
template <typename T> T take(const bytes &request, size_t *at)
{
    T value;
    memcpy(&value, request.data() + *at, sizeof value);
    *at += sizeof value;
    return value;
}

template <typename T> void put_corners(const draco::Mesh &mesh, bytes *out)
{
    for (draco::FaceIndex i(0); i < mesh.num_faces(); ++i) {
        for (int k = 0; k < 3; k++) {
            T corner = T(mesh.face(i)[k].value());
            const uint8_t *from = reinterpret_cast<const uint8_t *>(&corner);
            out->insert(out->end(), from, from + sizeof corner);
        }
    }
}

template <typename T>
bool put_values(const draco::PointAttribute &attribute, const draco::Mesh &mesh, int components,
                bytes *out)
{
    T values[4] = {};
    for (draco::PointIndex i(0); i < mesh.num_points(); ++i) {
        if (!attribute.ConvertValue<T>(attribute.mapped_index(i), int8_t(components), values)) {
            return false;
        }
        const uint8_t *from = reinterpret_cast<const uint8_t *>(values);
        out->insert(out->end(), from, from + sizeof(T) * size_t(components));
    }
    return true;
}

void pad(bytes *out)
{
    out->resize((out->size() + 3) / 4 * 4);
}

bool put_attribute(const draco::PointAttribute &attribute, const draco::Mesh &mesh,
                   const wri_draco_attribute &wanted, bytes *out)
{
    int n = int(wanted.components);
    bool ok = false;
    switch (wanted.component_type) {
    case 5120:
        ok = put_values<int8_t>(attribute, mesh, n, out);
        break;
    case 5121:
        ok = put_values<uint8_t>(attribute, mesh, n, out);
        break;
    case 5122:
        ok = put_values<int16_t>(attribute, mesh, n, out);
        break;
    case 5123:
        ok = put_values<uint16_t>(attribute, mesh, n, out);
        break;
    case 5125:
        ok = put_values<uint32_t>(attribute, mesh, n, out);
        break;
    default:
        ok = put_values<float>(attribute, mesh, n, out);
    }
    pad(out);
    return ok;
}

int decode_primitive(uint32_t number, const bytes &request, size_t *at, bytes *out)
{
    auto head = take<wri_draco_primitive>(request, at);
    std::vector<wri_draco_attribute> wanted;
    for (uint32_t i = 0; i < head.attribute_count; i++) {
        wanted.push_back(take<wri_draco_attribute>(request, at));
    }
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(request.data() + *at), head.size);
    *at += (size_t(head.size) + 3) / 4 * 4;
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) {
        return refuse(number, decoded.status().error_msg());
    }
    const draco::Mesh &mesh = *decoded.value();
    if (mesh.num_points() != head.vertex_count || 3 * mesh.num_faces() != head.corner_count) {
        fprintf(stderr,
                "compressed primitive %u has %u vertices and %u corners, but its accessors have %u "
                "and %u\n",
                number, mesh.num_points(), 3 * mesh.num_faces(), head.vertex_count,
                head.corner_count);
        return WRI_IMPORT_REFUSED;
    }
    if (head.corner_type == 5121) {
        put_corners<uint8_t>(mesh, out);
    } else if (head.corner_type == 5123) {
        put_corners<uint16_t>(mesh, out);
    } else {
        put_corners<uint32_t>(mesh, out);
    }
    pad(out);
    for (const wri_draco_attribute &w : wanted) {
        const draco::PointAttribute *attribute = mesh.GetAttributeByUniqueId(w.id);
        if (!attribute || !put_attribute(*attribute, mesh, w, out)) {
            fprintf(stderr, "compressed primitive %u has no attribute %u\n", number, w.id);
            return WRI_IMPORT_REFUSED;
        }
    }
    return WRI_IMPORT_DONE;
}

} // namespace

int import_draco(int in, int out)
{
    try {
        bytes request, answer;
        int status = read_all(in, &request) ? WRI_IMPORT_DONE : WRI_IMPORT_REFUSED;
        uint32_t number = 0;
        for (size_t at = 0; status == WRI_IMPORT_DONE && at < request.size(); number++) {
            status = decode_primitive(number, request, &at, &answer);
        }
        return status == WRI_IMPORT_DONE && !write_all(out, answer) ? int(WRI_IMPORT_REFUSED)
                                                                    : status;
    } catch (const std::bad_alloc &) {
        return WRI_IMPORT_NO_MEMORY;
    }
}
