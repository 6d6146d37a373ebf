// Runs in the build stage of the Dockerfile: writes to the current folder all that the image contains besides compiled
// code.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { prune } from './prune.ts';
import { completeSbom } from './sbom.ts';
import { shippedManifest } from './shipped-manifest.ts';

const [nodeProgram = '', epoch = ''] = process.argv.slice(2);
if (!/^\d+$/.test(epoch))
  throw new Error('pass --build-arg SOURCE_DATE_EPOCH=SECONDS: the time that the image carries');

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const write = (file: string, value: unknown): void => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

const lock = read('package-lock.json');
// Before the list of packages: npm compares the tree with this file, and development packages are not installed.
write('package.json', shippedManifest(read('package.json')));
const npmList: unknown = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
);
const version = execFileSync(nodeProgram, ['--version'], { encoding: 'utf8' }).trim().replace(/^v/, '');
const sha256 = createHash('sha256').update(readFileSync(nodeProgram)).digest('hex');
write('sbom.cdx.json', completeSbom(npmList, { lock, created: Number(epoch), node: { version, sha256 } }));
console.error(`${await prune('node_modules')} files of packages are left`);
