// usd_shapes.mjs: blend shapes of a .usda, as three.js' parser reads them and we add them up here,
// against the recording: node usd_shapes.mjs TAKE.usda FOLDER EVERY MOST BODY=NAME ...
//
// FOLDER has take.####.obj of every EVERY-th frame, with the bodies as objects with their names, in
// the world, as they were recorded. No corner of any triangle may be off by more than MOST metres.
import { readFileSync, readdirSync } from 'node:fs';
import { Quaternion, Vector3 } from 'three';
import { USDAParser } from 'three/addons/loaders/usd/USDAParser.js';

const [usdPath, folder, every, most, ...bodies] = process.argv.slice(2);
const parser = new USDAParser();
const values = {}; // by the path of an attribute; samples of it by "PATH.timeSamples"
const references = {};

// The parser's loader leaves `over` and `class` out, its text tree has them.
function collect(node, path) {
    for (const [key, value] of Object.entries(node)) {
        const prim = /^(?:def|over|class)\s+(?:\w+\s+)?"(\w+)"$/.exec(key);
        const attribute = /^(?:uniform\s+)?(\w+(?:\[\])?)\s+([\w:.]+)$/.exec(key);
        if (prim) {
            collect(value, `${path}/${prim[1]}`);
        } else if (key === 'prepend references') {
            references[path] = value.slice(1, -1);
        } else if (attribute && typeof value === 'string') {
            values[`${path}.${attribute[2]}`] = parser._parseAttributeValue(attribute[1], value);
        } else if (attribute) {
            values[`${path}.${attribute[2]}`] = Object.entries(value)
                .filter(([frame]) => /^\d+$/.test(frame))
                .map(([frame, text]) => [
                    Number(frame),
                    parser._parseAttributeValue(attribute[1], text.replace(/,$/, '')),
                ]);
        }
    }
}

collect(parser.parseText(readFileSync(usdPath, 'utf8')), '');
let failed = 0;

function check(good, what) {
    console.log(`${good ? 'pass' : 'FAIL'} ${what}`);
    failed += good ? 0 : 1;
}

// What a prim refers to, through one reference after another to a mesh with points.
function meshOf(body) {
    let path = `${references[body]}/mesh`;
    while (path && !values[`${path}.points`]) {
        path = references[path];
    }
    return path;
}

// A value at a frame, on a straight way between two samples.
function sampleAt(path, frame, between) {
    const samples = values[`${path}.timeSamples`];
    let k = 0;
    while (k + 2 < samples.length && samples[k + 1][0] <= frame) {
        k++;
    }
    const [from, a] = samples[k], [to, b] = samples[Math.min(k + 1, samples.length - 1)];
    return between(a, b, to > from ? Math.min(Math.max((frame - from) / (to - from), 0), 1) : 0);
}

const straight = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);
const arc = (a, b, t) => new Quaternion(...a).slerp(new Quaternion(...b), t);

function placesAt(body, mesh, frame) {
    const places = Float64Array.from(values[`${mesh}.points`]);
    const weights = sampleAt(`${body}/motion.blendShapeWeights`, frame, straight);
    weights.forEach((weight, i) => {
        const shape = `${body}/mesh/shape${i + 1}`;
        const offsets = values[`${shape}.offsets`], indices = values[`${shape}.pointIndices`];
        for (let k = 0; k < offsets.length; k++) {
            const point = indices ? indices[Math.floor(k / 3)] : Math.floor(k / 3);
            places[3 * point + (k % 3)] += weight * offsets[k];
        }
    });
    const unit = values[`${mesh}.xformOp:scale`][0];
    const turn = sampleAt(`${body}.xformOp:orient`, frame, arc);
    const place = new Vector3(...sampleAt(`${body}.xformOp:translate`, frame, straight));
    return (point) =>
        new Vector3(...places.subarray(3 * point, 3 * point + 3))
            .multiplyScalar(unit)
            .applyQuaternion(turn)
            .add(place);
}

// Corners of the triangles of the objects of an .obj.
function readObjects(path) {
    const vertices = [], objects = {};
    let corners;
    for (const line of readFileSync(path, 'utf8').split('\n')) {
        const words = line.split(' ');
        if (words[0] === 'v') {
            vertices.push(new Vector3(...words.slice(1, 4).map(Number)));
        } else if (words[0] === 'o') {
            corners = objects[line.slice(2)] = [];
        } else if (words[0] === 'f') {
            corners.push(...words.slice(1).map((word) => vertices[parseInt(word) - 1]));
        }
    }
    return objects;
}

const frames = readdirSync(folder).filter((name) => /^take\.\d+\.obj$/.test(name)).sort();
const worst = {};
for (const [i, name] of frames.entries()) {
    const objects = readObjects(`${folder}/${name}`);
    for (const [path, own] of bodies.map((body) => body.split('='))) {
        const mesh = meshOf(path), indices = values[`${mesh}.faceVertexIndices`];
        const placeOf = placesAt(path, mesh, i * Number(every));
        const places = new Map();
        let off = indices.length === objects[own]?.length ? 0 : Infinity;
        for (let k = 0; k < indices.length && off < Infinity; k++) {
            if (!places.has(indices[k])) {
                places.set(indices[k], placeOf(indices[k]));
            }
            off = Math.max(off, places.get(indices[k]).distanceTo(objects[own][k]));
        }
        worst[own] = Math.max(worst[own] ?? 0, off);
    }
}
for (const [name, off] of Object.entries(worst)) {
    check(off <= Number(most), `${usdPath}: ${name} is as recorded, within ${off.toExponential(1)} m`);
}
process.exitCode = failed || frames.length === 0 || bodies.length === 0 ? 1 : 0;
