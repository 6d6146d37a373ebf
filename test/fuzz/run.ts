// `npm run fuzz [-- --seed N] [NAME…]`: the properties of policies, uptime, ingestion and of what strangers send, in their
// full sizes, one after the other; `-- --list` names them. `-- --replay FILE` runs a case again that broke something.
// The unit and integration tests run the same properties in a short form.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endWithUs } from '../../hack/bench/clean-end.ts';
import { STRANGERS } from './strangers/cases.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const UNIT = 'test/unit/core/policy';

interface Property {
  /** What is shown. */
  readonly what: string;
  /** How many cases, unless `--cases` says another number. */
  readonly cases: number;
  readonly args: readonly string[];
  /** The variable that tells it the number; default: `ORB_PROPERTY_RUNS`. */
  readonly casesIn?: string;
}

const MOCHA = [
  'node_modules/.bin/mocha',
  '--no-config',
  '--require',
  './test/support/strict.ts',
  '--timeout',
  '3600000',
];
const ofMocha = (what: string, cases: number, ...args: readonly string[]): Property => ({
  what,
  cases,
  args: [...MOCHA, ...args],
});
const DECIDE = `${UNIT}/decision/decide.test.ts`;
const LANGUAGE = `${UNIT}/language/fuzz.test.ts`;
const INGESTION = 'test/unit/api-server/ingestion/fuzz.test.ts';
const ofFuzz = (what: string, name: string): Property => ofMocha(what, 1_000_000, INGESTION, '--grep', name);

/** A policy or a file takes over half a millisecond, so fewer of them. */
const SLOWER: ReadonlySet<string> = new Set(['manifests', 'jws', 'bundles', 'policies', 'files']);
const STRANGERS_MAIN = 'test/fuzz/strangers/main.ts';
const ofStrangers = (name: string): readonly [string, Property] => [
  name,
  {
    what: `${name} of strangers`,
    cases: SLOWER.has(name) ? 100_000 : 1_000_000,
    args: [STRANGERS_MAIN, name],
  },
];

const PROPERTIES: Readonly<Record<string, Property>> = {
  monotony: ofMocha('adding a policy or an error never loosens', 10_000, DECIDE, '--grep', 'stay denied|never looser'),
  kept: ofMocha('kept results against evaluating everything', 100_000, DECIDE, '--grep', 'the same with kept results'),
  differential: ofMocha('both libraries mean the same', 1_000_000, LANGUAGE, '--grep', 'in both libraries'),
  direct: ofMocha(
    'the fast form of conditions says what the evaluator says',
    100_000,
    `${UNIT}/language/direct.test.ts`,
  ),
  crash: ofMocha('no text breaks parser or lint', 1_000_000, LANGUAGE, '--grep', 'never throw'),
  facts: ofMocha('no values break facts', 1_000_000, `${UNIT}/facts/fuzz.test.ts`),
  status: ofMocha('uptime and days of the status page', 10_000, 'test/unit/core/status/uptime.test.ts'),
  order: ofMocha(
    'any order and repetition of deliveries gives the same state and incidents',
    10_000,
    'test/unit/core/ingestion/incidents/*.test.ts',
  ),
  deliveries: ofMocha('the same through the ledger', 10_000, 'test/unit/api-server/ingestion/worker/order.test.ts'),
  signatures: ofFuzz('no changed delivery is taken for that of its sender', 'as signatures'),
  json: ofFuzz('no JSON breaks or holds up ingestion', 'as json'),
  form: ofFuzz('no form breaks or holds up ingestion', 'as form'),
  mapping: ofFuzz('no mapping breaks or holds up ingestion', 'as mapping'),
  ...Object.fromEntries(Object.keys(STRANGERS).map(ofStrangers)),
  cost: { what: 'cost of accepted policies', cases: 10_000, args: ['test/fuzz/cost.ts'] },
  kubernetes: {
    what: 'CEL of Kubernetes means the same',
    cases: 10_000,
    args: ['hack/test-integration.ts', '--jobs', '1', 'crds/policy-expressions'],
    casesIn: 'ORB_CEL_EXPRESSIONS',
  },
};

const { values, positionals } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    seed: { type: 'string' },
    replay: { type: 'string' },
    cases: { type: 'string' },
  },
  allowPositionals: true,
});
const casesOf = ({ cases }: Property): string => values.cases ?? String(cases);
const lineOf = (property: Property): string => `${property.what}: ${casesOf(property)}`;

async function run(property: Property): Promise<number> {
  const { args, casesIn = 'ORB_PROPERTY_RUNS' } = property;
  const seed = values.seed === undefined ? {} : { ORB_SEED: values.seed };
  const env = { ...process.env, ...seed, [casesIn]: casesOf(property) };
  const child = endWithUs(spawn(process.execPath, [...args], { cwd: ROOT, stdio: 'inherit', env }));
  await once(child, 'close');
  return child.exitCode ?? 1;
}

const names = positionals.length === 0 ? Object.keys(PROPERTIES) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(PROPERTIES, name));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const isNumber = (text = '1'): boolean => /^\d{1,10}$/.test(text);
const refuse = (why: string): void => {
  process.stderr.write(`${why}\n`);
  process.exitCode = 64;
};

if (unknown.length > 0) {
  refuse(`There is no ${unknown.join(', ')}: ${Object.keys(PROPERTIES).join(', ')}`);
} else if (!isNumber(values.cases) || !isNumber(values.seed) || Number(values.cases) === 0) {
  refuse('--cases and --seed take a whole number, and --cases not 0');
} else if (values.replay !== undefined) {
  process.exitCode = await run({ what: 'a saved case', cases: 1, args: [STRANGERS_MAIN, '--replay', values.replay] });
} else if (values.list) {
  for (const [name, property] of Object.entries(PROPERTIES)) say(`${name.padEnd(14)}${lineOf(property)}`);
} else {
  const rows: string[] = [];
  for (const name of names) {
    const property = PROPERTIES[name];
    if (property === undefined) continue;
    const began = performance.now();
    const code = await run(property);
    if (code !== 0) process.exitCode = 1;
    const seconds = Math.round((performance.now() - began) / 1000);
    rows.push(`${code === 0 ? 'ok    ' : 'FAILED'} ${name.padEnd(14)}${lineOf(property)}, ${seconds} s`);
  }
  for (const row of rows) say(row);
}
