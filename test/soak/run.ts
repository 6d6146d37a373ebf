// `npm run soak [-- --minutes 60 --seed N]`: standalone at half of the load that it was measured to carry, with attacks and
// bad input beside it. Then its memory and its descriptors must not have risen, and every acknowledged receipt must be there.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endOnSignal, endWithUs } from '../../hack/bench/clean-end.ts';
import { logFile, startMock } from '../../hack/bench/subjects.ts';
import { load } from '../../hack/bench/processes.ts';
import { seededRandom } from '../chaos/seeded-random.ts';
import { orbManifest } from '../support/orbs.ts';
import { temporaryFolder } from '../support/standalone.ts';
import { startAttackedWith, type Attacked } from '../support/attacks/attacked.ts';
import { ATTACKS } from './attacks.ts';
import { checkSoaked } from './check-soaked.ts';
import { sampleOf, type ProcessSample } from './process-sample.ts';
import { refusedText, verdictOf, type Loaded } from './verdict.ts';

const USAGE = `npm run soak [-- --minutes 60] [--seed N] [--bound 16] [--keep]
Runs standalone at half of its measured load, with attacks beside it, and prints how memory and descriptors moved.
  --minutes N  at least 8; the first quarter is not judged; default 60
  --seed N     repeats the order of the attacks of an earlier run
  --bound N    MB an hour: resident memory that surely rises faster fails; default 16
  --keep       keeps the data folder
`;
const USAGE_EXIT = 64;
const RESULTS = join(import.meta.dirname, '../chaos/results');
const CALLERS = 16;
const MEASURED_S = 10;
const SLICE_S = 30;
const CYCLE_MS = 10_000;
const MINUTE_MS = 60_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function usage(problem: string): never {
  process.stderr.write(`${problem}\n${USAGE}`);
  process.exit(USAGE_EXIT);
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    bound: { type: 'string', default: '16' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const [minutes, seed, bound] = [Number(values.minutes), Number(values.seed), Number(values.bound)] as const;
if (!(minutes >= 8) || !Number.isSafeInteger(seed) || !(bound >= 0))
  usage('--minutes is 8 or more, --seed a whole number');

interface Soak {
  readonly platform: Attacked;
  readonly acks: string;
  /** Of `performance.now()`. */
  readonly began: number;
  readonly until: number;
}

/** Half of the measured load, slice by slice. */
async function call({ platform, acks, until }: Soak, rate: number, loaded: Loaded): Promise<void> {
  while (performance.now() < until) {
    const part = `${acks}.part`;
    writeFileSync(part, '');
    const seconds = Math.min(SLICE_S, Math.ceil((until - performance.now()) / 1000));
    const measured = await load({ ...loadOf(platform), concurrency: CALLERS, rate, seconds, acks: part });
    appendFileSync(acks, readFileSync(part));
    loaded.requests += measured.requests;
    loaded.refused += measured.errors;
    loaded.firstRefusal ||= measured.firstError;
  }
}

const loadOf = ({ port, ready }: Attacked) => ({
  port,
  path: '/orbisets/default/execute',
  headers: { authorization: `Bearer ${ready.api_key}` },
  body: JSON.stringify({ orb_id: 'soak.send@1.0.0', inputs: { text: 'soaked' } }),
});

/** An attack every ten seconds; between two, when none of its connections is open, a sample. */
async function attack({ platform, began, until }: Soak, random: () => number): Promise<readonly ProcessSample[]> {
  const samples: ProcessSample[] = [];
  const names = Object.keys(ATTACKS);
  for (let cycle = 1; performance.now() < until; cycle += 1) {
    const name = names[Math.floor(random() * names.length)] ?? '';
    await ATTACKS[name]?.(platform);
    await delay(Math.max(0, began + cycle * CYCLE_MS - performance.now()));
    const sample = sampleOf(platform.child.pid ?? 0, (performance.now() - began) / 1000);
    samples.push(sample);
    const { at, resident, anonymous, descriptors } = sample;
    say(
      `${at.toFixed(0).padStart(5)} s  ${resident.toFixed(1)} MB resident, ${anonymous.toFixed(1)} anonymous, ${descriptors} descriptors after ${name}`,
    );
  }
  return samples;
}

endOnSignal();
const folder = temporaryFolder();
const acks = join(folder, 'acks.txt');
writeFileSync(acks, '');
const provider = await startMock(logFile(folder, 'provider.log'));
const origin = `http://127.0.0.1:${provider.port}`;
const outputs = { status: { type: 'string' } };
const platform = await startAttackedWith({
  data: folder,
  resources: { 'send.json': orbManifest('soak.send@1.0.0', { url: `${origin}/`, outputs }) },
  flags: ['--egress-allow', origin],
  onSpawn: (child) => void endWithUs(child, true),
});
try {
  const most = await load({ ...loadOf(platform), concurrency: CALLERS, seconds: MEASURED_S, acks });
  if (most.errors > 0) throw new Error(`the load alone is refused: ${most.firstError}`);
  const rate = Math.floor(most.requests / most.seconds / 2);
  say(
    `seed ${seed}, ${minutes} minutes, ${rate} runs a second of ${Math.round(most.requests / most.seconds)} measured`,
  );
  const began = performance.now();
  const soak: Soak = { platform, acks, began, until: began + minutes * MINUTE_MS };
  const loaded: Loaded = { requests: most.requests, refused: 0, firstRefusal: '' };
  const [samples] = await Promise.all([attack(soak, seededRandom(seed)), call(soak, rate, loaded)]);
  const code = await platform.stop();
  const ledger = await checkSoaked(platform.data, acks);
  const verdict = verdictOf(samples, { minutes, bound, loaded, ledger, code });
  for (const [what, figure] of verdict.rows) say(`${what.padEnd(52)} ${figure}`);
  if (loaded.refused > 0) say(refusedText(loaded));
  for (const fault of verdict.faults) say(`FAULT ${fault}`);
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `soak-${seed}.json`);
  writeFileSync(file, JSON.stringify({ seed, minutes, rate, loaded, ledger, ...verdict, samples }, undefined, 1));
  say(`samples are in ${file}`);
  process.exitCode = verdict.faults.length === 0 ? 0 : 1;
} finally {
  await platform.stop('SIGKILL');
  await provider.started.stop();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
