// glb.mjs: where a .glb says its nodes are, read from the bytes and owing nothing to a library.
import { readFileSync } from 'node:fs';

const FLOAT = 5126;
const COMPONENTS = { SCALAR: 1, VEC3: 3, VEC4: 4 };

export function readGlb(path) {
    const bytes = readFileSync(path);
    const jsonSize = bytes.readUInt32LE(12);
    return {
        json: JSON.parse(bytes.toString('utf8', 20, 20 + jsonSize)),
        bytes: bytes.subarray(28 + jsonSize),
    };
}

function readAccessor(glb, index) {
    const accessor = glb.json.accessors[index];
    const view = glb.json.bufferViews[accessor.bufferView];
    const size = COMPONENTS[accessor.type];
    if (accessor.componentType !== FLOAT || view.byteStride) {
        throw new Error(`accessor ${index}: expected packed floats`);
    }
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    return Array.from({ length: accessor.count }, (_, i) =>
        Array.from({ length: size }, (_, k) => glb.bytes.readFloatLE(start + 4 * (size * i + k))));
}

// A node's translation at a time, straight between keys.
export function placeAt(glb, name, time) {
    const node = glb.json.nodes.findIndex((n) => n.name === name);
    if (node < 0) {
        throw new Error(`no node is called "${name}"`);
    }
    const { channels, samplers } = glb.json.animations[0];
    const channel = channels.find(
        (c) => c.target.node === node && c.target.path === 'translation');
    if (!channel) {
        return glb.json.nodes[node].translation ?? [0, 0, 0];
    }
    const sampler = samplers[channel.sampler];
    const times = readAccessor(glb, sampler.input).map(([t]) => t);
    const places = readAccessor(glb, sampler.output);
    const next = times.findIndex((t) => t >= time);
    if (next <= 0) {
        return next === 0 ? places[0] : places.at(-1);
    }
    const part = (time - times[next - 1]) / (times[next] - times[next - 1]);
    return places[next].map((x, k) => places[next - 1][k] + part * (x - places[next - 1][k]));
}

// Names of nodes that have keys although no key differs from the first.
export function idleNodes(glb) {
    const { channels, samplers } = glb.json.animations[0];
    const moving = new Set();
    for (const { sampler, target } of channels) {
        const keys = readAccessor(glb, samplers[sampler].output);
        if (keys.some((key) => key.some((x, k) => x !== keys[0][k]))) {
            moving.add(target.node);
        }
    }
    const idle = new Set(channels.map((c) => c.target.node).filter((node) => !moving.has(node)));
    return [...idle].map((node) => glb.json.nodes[node].name);
}
