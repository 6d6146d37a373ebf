// `npm run mutate -- PLACE… [OPTION…]`; `--help` names the options.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../test/support/seeded.ts';
import { AREAS, filesIn } from './mutate/areas.ts';
import { readEqual, reasonOf, refuseOutdated } from './mutate/equal.ts';
import { helpOf, optionsOf } from './mutate/options.ts';
import { placedIn, type Placed } from './mutate/placed.ts';
import { readFates, resultOf, summaryOf, writeResults, type Fate, type Result } from './mutate/result.ts';
import { Trials } from './mutate/trials.ts';

const CONTROL_EVERY = 100;
const PAUSE_MS = 5000;

process.chdir(resolve(import.meta.dirname, '..'));
const options = optionsOf(process.argv.slice(2));
if (options === undefined) {
  console.log(helpOf(Object.keys(AREAS)));
  process.exit(process.argv.includes('--help') ? 0 : 2);
}
const { seed, count, minutes, file: part, pauseWhile } = options;
const trials = new Trials(options.near);
const equal = readEqual();
const earlier = readFates(options.again);

function drawn(all: readonly Placed[]): readonly Placed[] {
  const random = seeded(seed);
  const ranked = all.map((mutant) => ({ mutant, rank: random() })).toSorted((one, other) => one.rank - other.rank);
  return ranked
    .map(({ mutant }) => mutant)
    .filter(({ file }) => file.includes(part))
    .slice(0, count);
}

const waitForMachine = async (): Promise<void> => {
  while (existsSync(pauseWhile)) await sleep(PAUSE_MS);
};

/** @returns undefined: it has to be tried */
const knownFate = (mutant: Placed): Fate | undefined =>
  reasonOf(equal, mutant) === undefined ? earlier(mutant.name) : 'equal';

async function triedFate(mutant: Placed): Promise<Fate> {
  await waitForMachine();
  const fate = await trials.fateOf(mutant);
  if (fate === 'survived' || fate === 'timed out') console.log(`${fate.padEnd(9)} ${mutant.name}`);
  return fate;
}

const results: Result[] = [];

/** Tries changes one by one. The result is written after each, so that a run can be broken off and taken up again. */
async function measure(place: string, sample: readonly Placed[]): Promise<Result> {
  const began = performance.now();
  const fates = new Map<string, Fate>();
  for (const mutant of sample) {
    const known = knownFate(mutant);
    if (known !== undefined) fates.set(mutant.name, known);
  }
  let tried = 0;
  for (const mutant of sample.filter(({ name }) => !fates.has(name))) {
    if (performance.now() - began > minutes * 60_000) break;
    fates.set(mutant.name, await triedFate(mutant));
    tried += 1;
    if (tried % CONTROL_EVERY === 0) await trials.control(mutant.file);
    writeResults(options?.json, [...results, resultOf(place, seed, fates)]);
  }
  return resultOf(place, seed, fates);
}

for (const place of options.places) {
  const all = (AREAS[place] ?? [place])
    .flatMap(filesIn)
    .filter((file) => !file.endsWith('/port.ts'))
    .flatMap(placedIn);
  refuseOutdated(equal, all);
  const result = await measure(place, drawn(all));
  results.push(result);
  console.log(summaryOf(result, all.length));
  writeResults(options.json, results);
}
trials.end();
