// Run by `npm run fuzz -- templates …`. `--replay FILE` runs the one case that a run has saved.
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { STRANGERS } from './cases.ts';
import { fuzzStrangers } from './fuzz.ts';

const { values, positionals } = parseArgs({ options: { replay: { type: 'string' } }, allowPositionals: true });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function savedIn(file: string): { readonly name: string; readonly seed: number } {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const { name, seed }: { readonly name?: unknown; readonly seed?: unknown } = isJsonObject(value) ? value : {};
  if (typeof name !== 'string' || typeof seed !== 'number') throw new Error(`${file} is no saved case`);
  return { name, seed };
}

const { name = '', seed = Number(process.env['ORB_SEED'] ?? 1) } =
  values.replay === undefined ? { name: positionals[0] } : savedIn(values.replay);
const cases = values.replay === undefined ? Number(process.env['ORB_PROPERTY_RUNS'] ?? 1_000_000) : 1;
const strangers = STRANGERS[name];
if (strangers === undefined) throw new Error(`There is no ${name}: ${Object.keys(STRANGERS).join(', ')}`);
const { passed, slowestMs, isEnough, failure } = await fuzzStrangers({ name, ...strangers }, seed, cases);
if (failure !== undefined) {
  const file = join(tmpdir(), `orb-fuzz-${failure.name}-${failure.seed}.json`);
  writeFileSync(file, `${JSON.stringify(failure)}\n`);
  say(`${failure.name}, seed ${failure.seed}: ${failure.fault}\nagain: npm run fuzz -- --replay ${file}`);
  process.exitCode = 1;
} else if (!isEnough && values.replay === undefined) {
  say(`${name}, seed ${seed}: only ${passed} of ${cases} cases got through, which shows too little`);
  process.exitCode = 1;
} else
  say(`${name}, seeds from ${seed}: ${cases} cases, ${passed} got through, slowest ${slowestMs.toFixed(0)} ms of CPU`);
