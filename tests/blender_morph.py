# Makes in Blender what an artist makes there: a cylinder on two bones with a shape key and an action,
# exported as glTF. usage: blender -b --python blender_morph.py -- OUT.glb
import math
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
for i, v in enumerate(mesh.vertices):
    swell = max(0.0, 1.0 - abs(v.co.z - 0.3) / 0.25)
    bulge.data[i].co = (v.co.x * (1 + 0.5 * swell), v.co.y * (1 + 0.5 * swell), v.co.z)

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
for frame, degrees in ((1, 0), (25, 90)):
    bone.rotation_euler = (math.radians(degrees), 0, 0)
    bone.keyframe_insert("rotation_euler", frame=frame)
rig.animation_data.action.name = "bend"

bpy.ops.export_scene.gltf(filepath=sys.argv[sys.argv.index("--") + 1], export_format="GLB",
                          export_morph=True, export_skins=True, export_animations=True)
