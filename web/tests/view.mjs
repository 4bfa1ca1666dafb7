// view.mjs: a take in three.js, in a browser without a window, looked at pixel by pixel:
//     node view.mjs TAKE.glb PICTURES [SCENE.json [PLAIN.glb]]
// leaves PICTURES-start.png and PICTURES-later.png. With the scene file of the take (which must be
// take.scene.json or alike), mechanics says where its bodies are and what colour is to be seen
// there; without it, the take has to be drawn and to move. PLAIN.glb is the take as it was before it
// was compressed: it must be the same to the eye.
//
// CHROMIUM names the browser. Nothing but this machine is reached: a server on the loopback address
// hands out the page, three.js and the take.
import { createServer } from 'node:http';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { idleNodes, placeAt, readGlb } from './glb.mjs';
import { HEIGHT, Picture, WIDTH, distance, parseColor, project } from './picture.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const LATER = 1.49; // s, between two frames: players have to interpolate
const PATIENCE = 60; // s
const LIGHT = [3, 5, 4]; // towards the sun
const SKY = [0xdf, 0xe8, 0xf0]; // the page's background

let failed = 0;

function check(ok, sentence, found) {
    console.log(`${ok ? 'pass' : 'FAIL'} ${sentence}${found ? ` (${found})` : ''}`);
    failed += ok ? 0 : 1;
}

// --- the browser ------------------------------------------------------------------------------

function fileOf(url, take) {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    if (path === '/take.glb') {
        return take;
    }
    if (path === '/') {
        return join(HERE, 'view.html');
    }
    return path.startsWith('/three/') ? join(HERE, '../node_modules', path) : null;
}

function serve(take) {
    const types = { js: 'text/javascript', html: 'text/html', glb: 'model/gltf-binary' };
    const server = createServer(async (request, response) => {
        try {
            const file = fileOf(request.url, take);
            const bytes = await readFile(file);
            response.writeHead(200, { 'Content-Type': types[file.split('.').pop()] });
            response.end(bytes);
        } catch {
            response.writeHead(404).end();
        }
    });
    return new Promise((resolve, reject) => {
        server.on('error', reject);
        server.listen(0, '127.0.0.1', () => resolve(server));
    });
}

async function openPage(browser, server, complaints) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
    page.setDefaultTimeout(30000);
    page.on('console', (message) => {
        // A software renderer is slow at handing pixels back, and says so.
        if (['error', 'warning'].includes(message.type()) && !/GPU stall/.test(message.text())) {
            complaints.push(message.text());
        }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => window.ready);
    return page;
}

// --- what must be seen ------------------------------------------------------------------------

const isSky = (color) => distance(color, SKY) < 6;
const isColor = (color) => (other) => distance(color, other) < 8;

function checkDrawn(picture, when) {
    const drawn = picture.count((color) => !isSky(color)).count / (WIDTH * HEIGHT);
    check(drawn > 0.1 && drawn < 0.98, `${when}: something is drawn, and not everywhere`,
        `${(100 * drawn).toFixed(0)} % of the picture`);
}

function checkMoved(start, later) {
    const changed = start.count((color, x, y) => distance(color, later.at({ x, y })) > 24).count;
    check(changed > 200, 'the picture changes', `${changed} pixels`);
}

// Free flight: neither contact nor drag.
function flight(body, time) {
    const gravity = [0, -9.81, 0];
    return body.at.map((x, k) => x + body.velocity[k] * time + gravity[k] / 2 * time ** 2);
}

function checkPlace(glb, name, time, place, tolerance) {
    const found = placeAt(glb, name, time), error = distance(found, place);
    check(error < tolerance, `at ${time} s the ${name} is where mechanics puts it`,
        `${(100 * error).toFixed(1)} cm off`);
    return found;
}

// The middle of a body's pixels and their number, against where the file says the body is.
function checkDisc(picture, view, body, place, time) {
    const expected = project(view, place);
    const seen = picture.count(isColor(parseColor(body.color)));
    const off = Math.hypot(seen.x - expected.x, seen.y - expected.y);
    check(off < 0.6, `at ${time} s the ${body.name} is drawn there`,
        seen.count ? `${off.toFixed(2)} pixels off` : 'nowhere to be seen');
    const area = Math.PI * (body.shape.sphere * expected.scale) ** 2;
    check(Math.abs(seen.count / area - 1) < 0.12, `at ${time} s the ${body.name} has its size`,
        `${seen.count} of ${area.toFixed(0)} pixels`);
}

function checkPixel(picture, view, point, color, sentence) {
    const found = picture.at(project(view, point));
    check(isColor(color)(found), sentence, `${found} for ${color}`);
}

function checkBall(glb, view, body, pictures) {
    for (const [time, picture] of pictures) {
        const place = checkPlace(glb, body.name, time, flight(body, time), 0.02);
        checkDisc(picture, view, body, place, time);
    }
}

// Turning about the camera's axis: both tips show the colour, the places beside them do not.
function checkStick(glb, view, body, pictures) {
    const color = parseColor(body.color), half = body.shape.box[0] / 2;
    for (const [time, picture] of pictures) {
        const place = checkPlace(glb, body.name, time, flight(body, time), 0.02);
        const angle = body.spin[2] * time * Math.PI / 180;
        const tip = (length, turn) => [place[0] + length * Math.cos(angle + turn),
            place[1] + length * Math.sin(angle + turn), place[2] + body.shape.box[2] / 2];
        const on = [0.9, -0.9].map((f) => picture.at(project(view, tip(f * half, 0))));
        const off = [1.1, -1.1].map((f) => picture.at(project(view, tip(f * half, 0))))
            .concat([picture.at(project(view, tip(0.9 * half, Math.PI / 2)))]);
        check(on.every(isColor(color)) && !off.some(isColor(color)),
            `at ${time} s the ${body.name} is turned as it spins`,
            `${(body.spin[2] * time).toFixed(1)} degrees`);
    }
}

function checkBlock(glb, view, body, pictures) {
    for (const [time, picture] of pictures) {
        const height = time === 0 ? body.at[1] : body.shape.box[1] / 2;
        const place = [body.at[0], height, body.at[2]];
        checkPlace(glb, body.name, time, place, 0.02);
        place[2] += body.shape.box[2] / 2;
        checkPixel(picture, view, place, parseColor(body.color),
            `at ${time} s the ${body.name} ${time ? 'lies on the ground' : 'hangs in the air'}`);
    }
}

function checkPile(glb, view, body, [time, picture]) {
    for (let i = 0; i < body.copies.count; i++) {
        const place = body.at.map((x, k) => x + i * body.copies.step[k]);
        checkPlace(glb, `${body.name}.${i + 1}`, time, place, 0.005);
        place[2] += body.shape.box[2] / 2;
        checkPixel(picture, view, place, parseColor(body.color),
            `box ${i + 1} of the ${body.name} stands`);
    }
}

// Lit from the right: the right side of the ball is brighter than the left one.
function checkShading(picture, view, body) {
    const brightness = (side) => {
        const point = body.at.map((x, k) => x + side * (k === 0 ? 0.7 : 0) * body.shape.sphere);
        return picture.at(project(view, point))[0];
    };
    check(brightness(1) > brightness(-1) + 20, `the sun lights the ${body.name} from its side`,
        `${brightness(1)} against ${brightness(-1)}`);
}

function checkTexture(textured, bare, view, body) {
    const middle = project(view, body.at), reach = 0.2 * middle.scale;
    const near = (x, y) => Math.hypot(x - middle.x, y - middle.y) < reach;
    const all = bare.count((_, x, y) => near(x, y)).count;
    const painted = bare.count(
        (color, x, y) => near(x, y) && distance(color, textured.at({ x, y })) > 24).count;
    check(painted > 0.9 * all, `the ${body.name} wears its texture`, `${painted} of ${all} pixels`);
}

async function checkBodies(glb, scene, draw, lit) {
    const view = scene.cameras[0];
    const body = Object.fromEntries(scene.bodies.map((b) => [b.name, b]));
    const pictures = [];
    for (const time of [0, LATER]) {
        pictures.push([time, await draw({ time, flat: true })]);
    }
    checkBall(glb, view, body.ball, pictures);
    checkStick(glb, view, body.stick, pictures);
    checkBlock(glb, view, body.block, pictures);
    checkPile(glb, view, body.pile, pictures[1]);
    checkPixel(pictures[0][1], view, [0, 0, 2], parseColor(body.ground.color),
        'the ground has its colour');
    const bare = await draw({ time: 0, flat: true, bare: true });
    checkTexture(pictures[0][1], bare, view, body.barrel);
    checkShading(lit, view, body.ball);
}

function checkStage({ cameras, suns }, said) {
    check(cameras.length === 1 && suns.length === 1 && suns[0] > 0, 'there are a camera and a sun');
    const { from, along, fov } = cameras[0], way = said.to.map((x, k) => x - said.from[k]);
    const length = Math.hypot(...way), off = distance(along, way.map((x) => x / length));
    check(distance(from, said.from) < 1e-4 && off < 1e-5 && Math.abs(fov - said.fov) < 1e-3,
        'the camera is that of the scene', `at ${from.map((x) => x.toFixed(2))}, ${fov} degrees`);
}

// --- the whole --------------------------------------------------------------------------------

async function view(page, { take, pictures, scene, plain }) {
    const about = await page.evaluate((options) => window.openTake(options),
        { width: WIDTH, height: HEIGHT, view: scene?.cameras[0], light: LIGHT });
    const draw = async (options) =>
        new Picture(await page.evaluate((options) => window.drawTake(options), options));
    const start = await draw({ time: 0 }), later = await draw({ time: LATER });
    await writeFile(`${pictures}-start.png`, start.png);
    await writeFile(`${pictures}-later.png`, later.png);
    check(about.clips === 1, 'there is one animation', `${about.duration.toFixed(2)} s`);
    const glb = readGlb(plain ?? take), idle = idleNodes(glb);
    check(idle.length === 0, 'what never moves has no keys', idle.join(', '));
    checkDrawn(start, 'at 0 s');
    checkDrawn(later, `at ${LATER} s`);
    checkMoved(start, later);
    if (scene) {
        check(Math.abs(about.duration - scene.length) < 1e-3, 'it is as long as the scene');
        checkStage(about, scene.cameras[0]);
        await checkBodies(glb, scene, draw, start);
    }
}

async function main([take, pictures, sceneFile, plain]) {
    const complaints = [];
    let server, browser;
    try {
        const scene = sceneFile && JSON.parse(await readFile(sceneFile, 'utf8'));
        server = await serve(take);
        browser = await chromium.launch({
            executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
            args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
        });
        const page = await openPage(browser, server, complaints);
        await view(page, { take, pictures, scene, plain });
    } catch (error) {
        check(false, 'the take is shown', error.message.split('\n')[0]);
    } finally {
        await browser?.close();
        server?.close();
    }
    check(complaints.length === 0, 'the browser has nothing to complain about',
        complaints.join('; '));
}

setTimeout(() => {
    console.log(`FAIL the take is shown within ${PATIENCE} s`);
    process.exit(1); // takes the browser along
}, 1000 * PATIENCE).unref();
await main(process.argv.slice(2));
process.exitCode = failed ? 1 : 0;
