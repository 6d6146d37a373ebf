// `npm run lint:packages`: every package is pinned, has a digest, no install script, a known licence, and each direct one
// of the programs has its reason (docs/design/packages.md).
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { judgePackages } from './packages/judge-packages.ts';

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8');

const faults = judgePackages({
  manifest: JSON.parse(read('package.json')),
  lock: JSON.parse(read('package-lock.json')),
  reasons: read('docs/design/packages.md'),
});
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
