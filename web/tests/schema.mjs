// schema.mjs SCHEMA FILE...: every shipped scene or recipe agrees with its schema, and wrong ones
// do not.
import Ajv from 'ajv/dist/2020.js';
import fs from 'node:fs';

// JSON with comments and trailing commas, as the scene reader allows them.
function parse(text) {
    const plain = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, string) => string ?? '');
    return JSON.parse(plain.replace(/("(?:[^"\\]|\\.)*")|,(\s*[\]}])/g, (_, string, end) => string ?? end));
}

const [schemaPath, ...files] = process.argv.slice(2);
const check = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
    .compile(JSON.parse(fs.readFileSync(schemaPath, 'utf8')));
let failed = 0;
function report(ok, what, why) {
    console.log(`${ok ? 'pass' : 'FAIL'} ${what}${ok || !why ? '' : `: ${why}`}`);
    failed += ok ? 0 : 1;
}
for (const path of files) {
    const ok = check(parse(fs.readFileSync(path, 'utf8')));
    report(ok, `${path} agrees with the schema`, JSON.stringify(check.errors));
}
const body = { shape: { box: [1, 1, 1] } };
const of = (material) => ({ wrought: 1, bodies: [{ ...body, material }] });
const wrongScenes = {
    'an unknown key': { wrought: 1, bodies: [], boddies: [] },
    'a missing version': { bodies: [] },
    'a number out of range': { wrought: 1, bodies: [{ ...body, restitution: 2 }] },
    'a wrong type': { wrought: 1, bodies: [{ ...body, at: [1, 2] }] },
    'an unknown material': of('mettal'),
    'an object of an unknown material': of({ mettal: 'default' }),
    'an object of no material': of({ bend: 1 }),
    'an object of two materials': of({ metal: 'default', sprite: 'default' }),
    'an unknown preset': of({ metal: 'thin steal' }),
    'an unknown parameter': of({ metal: 'thin steel', bendd: 1 }),
    'a parameter of another material': of({ sprite: 'default', bend: 1 }),
    'a parameter out of range': of({ metal: 'thin steel', bend: -1 }),
    'an unknown choice of a parameter': of({ metal: 'thin steel', collide: 'meshes' }),
    'an unknown shape': { wrought: 1, bodies: [{ shape: { cone: 1 } }] },
};
const recipe = { wrought: 1, model: 'a.glb' };
const wrongRecipes = {
    'an unknown key': { ...recipe, modle: 'b.glb' },
    'a missing version': { model: 'a.glb' },
    'a number out of range': { ...recipe, simulation: { vertices: 3 } },
    'an example without a name': { ...recipe, examples: [{ morph: 'dent' }] },
    'a move of one number': { ...recipe, examples: [{ name: 'a', move: { h0: [1] } }] },
    'an unknown material': { ...recipe, material: 'mettal' },
    'an unknown parameter': { ...recipe, material: { metal: 'thin steel', bendd: 1 } },
    'an unknown map': { ...recipe, paint: { colour: { vertex_color: 'red' } } },
};
const wrong = schemaPath.includes('recipe') ? wrongRecipes : wrongScenes;
for (const [what, file] of Object.entries(wrong)) {
    report(!check(file), `${what} does not`);
}
process.exit(failed ? 1 : 0);
