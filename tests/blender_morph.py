# Makes in Blender what an artist makes there: a cylinder on two bones with two shape keys and an action,
# exported as glTF, and what Blender itself shows of them in the poses that they belong to.
#
#     blender -b --factory-startup --python-exit-code 1 --python blender_morph.py -- FOLDER
#
# Writes arm.glb, and shown.npy: places of the vertices, Y up, at rest, half bent with the key "hollow"
# and fully bent with the key "bulge".
import math
import os
import sys

import bmesh
import bpy
import numpy

numpy.bool = bool  # Blender 3.4 still asks for it

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=0.1, depth=1.0, location=(0, 0, 0.5))
arm = bpy.context.object
mesh = arm.data
bpy.ops.object.transform_apply(location=True)

b = bmesh.new()
b.from_mesh(mesh)
along = [e for e in b.edges if abs(e.verts[0].co.z - e.verts[1].co.z) > 0.5]
bmesh.ops.subdivide_edges(b, edges=along, cuts=15)
bmesh.ops.triangulate(b, faces=b.faces)
b.to_mesh(mesh)
b.free()

arm.shape_key_add(name="Basis")
bulge = arm.shape_key_add(name="bulge")
hollow = arm.shape_key_add(name="hollow")
for i, v in enumerate(mesh.vertices):
    swell = max(0.0, 1.0 - abs(v.co.z - 0.3) / 0.25)
    bulge.data[i].co = (v.co.x * (1 + 0.5 * swell), v.co.y * (1 + 0.5 * swell), v.co.z)
    sink = max(0.0, 1.0 - abs(v.co.z - 0.6) / 0.3)
    hollow.data[i].co = (v.co.x * (1 - 0.3 * sink), v.co.y + 0.03 * sink, v.co.z)

bpy.ops.object.armature_add()
rig = bpy.context.object
bpy.ops.object.mode_set(mode="EDIT")
lower = rig.data.edit_bones[0]
lower.name = "lower"
lower.head, lower.tail = (0, 0, 0), (0, 0, 0.5)
upper = rig.data.edit_bones.new("upper")
upper.head, upper.tail = (0, 0, 0.5), (0, 0, 1)
upper.parent = lower
bpy.ops.object.mode_set(mode="OBJECT")

for name, sign in (("lower", -1), ("upper", 1)):
    group = arm.vertex_groups.new(name=name)
    for v in mesh.vertices:
        group.add([v.index], min(max(0.5 + sign * (v.co.z - 0.5) / 0.2, 0.0), 1.0), "REPLACE")
arm.parent = rig
arm.modifiers.new("rig", "ARMATURE").object = rig

bone = rig.pose.bones["upper"]
bone.rotation_mode = "XYZ"
for frame, degrees in ((0, 0), (12, 50), (24, 90)):
    bone.rotation_euler = (math.radians(degrees), 0, math.radians(0.2 * degrees))
    bone.keyframe_insert("rotation_euler", frame=frame)
rig.animation_data.action.name = "bend"


# World places, turned from Blender's Z up to Y up.
def shown(frame, key):
    bpy.context.scene.frame_set(frame)
    for block in (bulge, hollow):
        block.value = 1.0 if block == key else 0.0
    thing = arm.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = numpy.array([thing.matrix_world @ v.co for v in thing.data.vertices])
    return numpy.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)


folder = sys.argv[sys.argv.index("--") + 1]
numpy.save(os.path.join(folder, "shown.npy"), [shown(0, None), shown(12, hollow), shown(24, bulge)])
shown(0, None)
bpy.ops.export_scene.gltf(filepath=os.path.join(folder, "arm.glb"), export_format="GLB", export_morph=True,
                          export_skins=True, export_animations=True)
