// validate.mjs: the Khronos glTF validator over files: node validate.mjs FILE.glb ...
//
// Prints one line per file. A file passes without errors and without warnings; hints and infos are
// only counted.
import { readFile } from 'node:fs/promises';
import validator from 'gltf-validator';

const SEVERITIES = ['error', 'warning', 'info', 'hint'];

async function validate(file) {
    const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
        uri: file,
        format: 'glb',
        maxIssues: 1000, // a body in many pieces has an info for each
        externalResourceFunction: () => Promise.reject(new Error('a .glb stands alone')),
    });
    const { numErrors, numWarnings, numInfos, numHints, messages, truncated } = report.issues;
    const passed = numErrors === 0 && numWarnings === 0 && !truncated;
    console.log(`${passed ? 'pass' : 'FAIL'} ${file}: ${numErrors} errors, ${numWarnings} ` +
        `warnings, ${numInfos} infos, ${numHints} hints`);
    for (const m of messages.filter((m) => m.severity < 2)) {
        const place = m.pointer ?? `byte ${m.offset}`;
        console.log(`     ${SEVERITIES[m.severity]} ${m.code} at ${place}: ${m.message}`);
    }
    return passed;
}

async function main(files) {
    if (files.length === 0) {
        console.log('FAIL no files to validate');
        return 1;
    }
    let failed = 0;
    for (const file of files) {
        try {
            failed += (await validate(file)) ? 0 : 1;
        } catch (error) {
            console.log(`FAIL ${file}: ${error.message ?? error}`);
            failed++;
        }
    }
    return failed ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
