// `npm run lint:packages`: every package is pinned, has a digest, no install script, a known licence, and each direct one
// of the programs has its reason (docs/design/packages.md). The list of npm (SBOM) has every one that programs load.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { judgePackages } from './packages/judge-packages.ts';
import { judgeSbom } from './packages/judge-sbom.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

const lock: unknown = JSON.parse(read('package-lock.json'));
const sbom: unknown = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_LIST_BYTES,
  }),
);
const faults = [
  ...judgePackages({ manifest: JSON.parse(read('package.json')), lock, reasons: read('docs/design/packages.md') }),
  ...judgeSbom(sbom, lock),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
