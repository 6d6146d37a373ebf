import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXECUTE_BODY, manifest, orbiset, swapBody, swapping } from '../bench-orbs.ts';
import type { Measurement } from './measurement.ts';

const SECRETS = 20;

/** An Orbiset like the benchmark's, with further secrets, each in a Secret of its own. */
function fullVault(): string {
  const names = Array.from({ length: SECRETS - 1 }, (_, index) => `bench-${index + 1}`);
  const secrets = names.map((name) => `      - { name: ${name}, allowedHosts: ["127.0.0.1"] }\n`);
  const documents = names.map(
    (name, index) =>
      `---\napiVersion: v1\nkind: Secret\nmetadata: { name: ${name}, namespace: default }\n` +
      `stringData: { BENCH_TOKEN_${index + 1}: ${name}-token-of-the-benchmark }\n`,
  );
  const [set = ''] = orbiset.split('---\n');
  return `${set.replace('{ name: default,', '{ name: full-vault,')}${secrets.join('')}${documents.join('')}`;
}

/** Runs that differ in one thing from the ordinary run, at 32 callers. */
export const VARIANTS: readonly Omit<Measurement, 'callers' | 'seconds'>[] = [
  { name: 'vault of 20 secrets', request: { path: '/orbisets/full-vault/execute' } },
  { name: 'Idempotency-Key', request: { keyed: true } },
  { name: 'swap_config', request: { body: swapBody(EXECUTE_BODY) } },
  { name: 'answer of 64 KiB', request: { body: EXECUTE_BODY.replace('bench.send@', 'bench.large@') } },
];

/** Writes what the variants need beside the benchmark's Orb. @param folder of the platform */
export function writeVariants(folder: string, mock: number): void {
  const resources = join(folder, 'resources');
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, 'full-vault.yaml'), fullVault());
  writeFileSync(join(resources, 'swap.yaml'), swapping(mock));
  const large = manifest(mock).replace('bench.send@', 'bench.large@').replace('/v1/send', '/large');
  writeFileSync(join(resources, 'large.yaml'), large);
}
