// draco_encode.cpp: Draco's encoder, for tests.
#include "draco_encode.h"

#include <draco/compression/encode.h>

#include <cstring>

using draco::GeometryAttribute;

static void add(draco::Mesh *mesh, GeometryAttribute::Type type, const void *values, int components,
                draco::DataType data, uint32_t id)
{
    size_t size = size_t(components) * size_t(draco::DataTypeLength(data));
    GeometryAttribute attribute;
    attribute.Init(type, nullptr, int8_t(components), data, false, int64_t(size), 0);
    int index = mesh->AddAttribute(attribute, true, mesh->num_points());
    for (uint32_t i = 0; i < mesh->num_points(); i++) {
        mesh->attribute(index)->SetAttributeValue(draco::AttributeValueIndex(i),
                                                  static_cast<const char *>(values) + i * size);
    }
    mesh->attribute(index)->set_unique_id(id);
}

size_t draco_encode(const draco_mesh *source, int bits, uint8_t *out, size_t room)
{
    draco::Mesh mesh;
    mesh.set_num_points(uint32_t(source->vertex_count));
    mesh.SetNumFaces(size_t(source->corner_count) / 3);
    for (uint32_t i = 0; i < mesh.num_faces(); i++) {
        const unsigned *c = source->corners + 3 * i;
        mesh.SetFace(draco::FaceIndex(i),
                     {{draco::PointIndex(c[0]), draco::PointIndex(c[1]), draco::PointIndex(c[2])}});
    }
    add(&mesh, GeometryAttribute::POSITION, source->positions, 3, draco::DT_FLOAT32,
        DRACO_POSITIONS);
    add(&mesh, GeometryAttribute::NORMAL, source->normals, 3, draco::DT_FLOAT32, DRACO_NORMALS);
    add(&mesh, GeometryAttribute::TEX_COORD, source->uvs, 2, draco::DT_FLOAT32, DRACO_UVS);
    add(&mesh, GeometryAttribute::GENERIC, source->joints, 4, draco::DT_UINT8, DRACO_JOINTS);
    draco::Encoder encoder;
    encoder.SetEncodingMethod(bits ? draco::MESH_EDGEBREAKER_ENCODING
                                   : draco::MESH_SEQUENTIAL_ENCODING);
    if (bits) {
        encoder.SetAttributeQuantization(GeometryAttribute::POSITION, bits);
        encoder.SetAttributeQuantization(GeometryAttribute::NORMAL, bits);
        encoder.SetAttributeQuantization(GeometryAttribute::TEX_COORD, bits);
    }
    draco::EncoderBuffer buffer;
    if (!encoder.EncodeMeshToBuffer(mesh, &buffer).ok() || buffer.size() > room) {
        return 0;
    }
    memcpy(out, buffer.data(), buffer.size());
    return buffer.size();
}
