// usd.mjs: a .usda as three.js reads it: node usd.mjs TAKE.usda TAKE.glb BODY=RADIUS ...
//
// The bodies must be where the .glb has them at ten times, with a mesh of that radius. three.js
// does not follow references inside a file, so bodies that share a mesh have none here. Without a
// page there are no pictures: the take must have no textures.
import { readFileSync } from 'node:fs';
import { AnimationMixer, Vector3 } from 'three';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import { placeAt, readGlb } from './glb.mjs';

const TIMES = 10;
let failed = 0;

function check(good, what) {
    console.log(`${good ? 'pass' : 'FAIL'} ${what}`);
    failed += good ? 0 : 1;
}

const [usdPath, glbPath, ...bodies] = process.argv.slice(2);
const group = new USDLoader().parse(readFileSync(usdPath, 'utf8'));
const glb = readGlb(glbPath);
const clip = group.animations[0];
const mixer = new AnimationMixer(group);
mixer.clipAction(clip).play();

for (const [name, radius] of bodies.map((body) => body.split('='))) {
    const thing = group.getObjectByName(name);
    const mesh = thing?.getObjectByName('mesh');
    if (!mesh) {
        check(false, `${usdPath}: ${name} has no mesh`);
        continue;
    }
    let worst = 0;
    for (let i = 0; i < TIMES; i++) {
        const time = Math.min((clip.duration * i) / (TIMES - 1), clip.duration - 1e-6);
        mixer.setTime(time);
        worst = Math.max(worst, thing.position.distanceTo(new Vector3(...placeAt(glb, name, time))));
    }
    check(worst < 1e-4, `${usdPath}: ${name} is where take.glb has it, within ${worst.toExponential(1)} m`);
    mesh.geometry.computeBoundingSphere();
    const size = mesh.geometry.boundingSphere.radius;
    check(Math.abs(size - radius) < 0.01 * radius, `${usdPath}: ${name} has radius ${size.toFixed(3)}`);
}
process.exitCode = failed || bodies.length === 0 ? 1 : 0;
