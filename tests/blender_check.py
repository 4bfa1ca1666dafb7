# blender_check.py: what Blender shows of our exports, against the recorded places.
#
#     blender -b --factory-startup --python-exit-code 1 --python blender_check.py -- FOLDER RATE ...
#
# FOLDER holds take.glb, take.pc2 with take.obj (the whole take, where there is one), and NAME.pc2 for
# single bodies; or shown.npy of blender_morph.py with rest.pc2, half.pc2 and whole.pc2.
# Ten frames of each; prints pass or FAIL lines and leaves with status 1 when something is off.
import glob
import os
import struct
import sys

import bpy
import numpy
from mathutils import kdtree

numpy.bool = bool  # Blender 3.4's glTF importer expects numpy before 1.24

TOLERANCE = 1e-5  # metres
FRAMES = 10


def read_pc2(path):
    with open(path, 'rb') as file:
        magic, version, points, start, rate, frames = struct.unpack('<12siiffi', file.read(32))
        assert magic == b'POINTCACHE2\0' and version == 1 and (start, rate) == (0, 1), path
        data = numpy.frombuffer(file.read(), '<f4')
    return data.reshape(frames, points, 3).astype(numpy.float64)


def clear(rate):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = rate


# World places of an object's vertices as shown at a frame, turned back from Blender's Z up to Y up.
def shown(name, frame):
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    thing = bpy.data.objects[name].evaluated_get(graph)
    mesh = thing.to_mesh()
    places = numpy.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get('co', places)
    thing.to_mesh_clear()
    matrix = numpy.array(thing.matrix_world)
    places = places.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return numpy.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)


def ten_frames(count):
    return sorted({round(i * (count - 1) / (FRAMES - 1)) for i in range(FRAMES)})


def report(what, worst, tolerance=TOLERANCE):
    good = worst <= tolerance
    print(f'{"pass" if good else "FAIL"} {what}: largest distance {worst:.2e} m', flush=True)
    return good


def check_cache(folder, rate):
    clear(rate)
    bpy.ops.wm.obj_import(filepath=os.path.join(folder, 'take.obj'))
    things = [thing for thing in bpy.data.objects if thing.type == 'MESH']
    cache = read_pc2(os.path.join(folder, 'take.pc2'))
    if len(things) != 1 or len(things[0].data.vertices) != cache.shape[1]:
        counts = [len(thing.data.vertices) for thing in things]
        print(f'FAIL take.obj: vertices {counts}, expected {cache.shape[1]} in one object')
        return False
    modifier = things[0].modifiers.new('cache', 'MESH_CACHE')
    modifier.cache_format = 'PC2'
    modifier.filepath = os.path.join(folder, 'take.pc2')
    modifier.frame_start = 0
    worst = 0
    for frame in ten_frames(len(cache)):
        places = shown(things[0].name, frame)
        worst = max(worst, numpy.linalg.norm(places - cache[frame], axis=1).max())
    scene = os.path.basename(folder)
    return report(f'{scene}/take.pc2 through Mesh Cache, {cache.shape[1]} vertices', worst)


# Vertices are paired where they are in the first frame; the pairs then stay together.
def pair(places, reference):
    tree = kdtree.KDTree(len(reference))
    for i, place in enumerate(reference):
        tree.insert(place, i)
    tree.balance()
    return numpy.array([tree.find(place)[1] for place in places])


def check_glb(folder, rate):
    clear(rate)
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder, 'take.glb'))
    good = True
    for path in sorted(glob.glob(os.path.join(folder, '*.pc2'))):
        name = os.path.splitext(os.path.basename(path))[0]
        if name == 'take':
            continue
        cache = read_pc2(path)
        pairs = pair(shown(name, 0), cache[0])
        worst = 0
        for frame in ten_frames(len(cache)):
            distances = numpy.linalg.norm(shown(name, frame) - cache[frame][pairs], axis=1)
            worst = max(worst, distances.max())
        good = report(f'{os.path.basename(folder)}/take.glb, {name}, {len(pairs)} vertices', worst) and good
    return good


# Bodies of morph in the poses of their targets, against what blender_morph.py saw of them there.
def check_morph(folder):
    shown_places = numpy.load(os.path.join(folder, 'shown.npy'))
    good = True
    for i, name in enumerate(('rest', 'half', 'whole')):
        places = read_pc2(os.path.join(folder, name + '.pc2'))[-1] - numpy.array([2 * i, 0, 0])
        if i == 0:
            pairs = pair(places, shown_places[0])
        worst = numpy.linalg.norm(places - shown_places[i][pairs], axis=1).max()
        good = report(f'shape keys of Blender as targets of morph, {name}, {len(pairs)} vertices', worst, 1e-4) and good
    return good


words = sys.argv[sys.argv.index('--') + 1:]
results = []
for folder, rate in zip(words[::2], words[1::2]):
    if os.path.exists(os.path.join(folder, 'shown.npy')):
        results.append(check_morph(folder))
        continue
    if os.path.exists(os.path.join(folder, 'take.pc2')):
        results.append(check_cache(folder, int(rate)))
    results.append(check_glb(folder, int(rate)))
sys.exit(0 if results and all(results) else 1)
