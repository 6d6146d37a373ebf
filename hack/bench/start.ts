// `npm run bench start [-- --rounds 7 --orbs 0 --against COMMIT --json FILE]`: from the start of standalone to its first
// answer, and the same once more over the same data folder. The other commit is measured in turns with this checkout.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../test/support/rank.ts';
import { endByBadUse, readBenchOptions } from './bench-options.ts';
import { checkOut } from './checkout.ts';
import { cpuMicros, residentMb, start } from './processes.ts';
import { manifest } from './bench-orbs.ts';
import { logFile, ROOT, STANDALONE, untilPlatformReady } from './subjects.ts';

/** One start. */
interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** A start with an empty data folder, and a restart with what it left. */
interface Pair {
  readonly fresh: Start;
  readonly restart: Start;
}

/** @param resources undefined: the manifests that come with the checkout */
async function startOnce(checkout: string, folder: string, resources: string | undefined): Promise<Start> {
  const ready = join(folder, 'ready.json');
  rmSync(ready, { force: true });
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ready-file', ready];
  const folders = ['--data', join(folder, 'data'), ...(resources === undefined ? [] : ['--resources', resources])];
  const began = performance.now();
  const args = [
    ...STANDALONE.node,
    join(checkout, STANDALONE.program),
    ...flags,
    ...folders,
    '--egress-allow',
    'http://127.0.0.1:9',
  ];
  const started = start(args, logFile(folder, 'log.txt'), true);
  try {
    started.child.stdout?.resume();
    const { url } = await untilPlatformReady(ready, started);
    const answer = await fetch(new URL('/readyz', url));
    if (!answer.ok) throw new Error(`GET /readyz: ${answer.status}`);
    const wallMs = performance.now() - began;
    return { wallMs, cpuMs: cpuMicros(started.pid) / 1000, rssMb: residentMb(started.pid) };
  } finally {
    await started.stop();
  }
}

async function startTwice(checkout: string, folder: string, resources: string | undefined): Promise<Pair> {
  mkdirSync(folder, { recursive: true });
  const fresh = await startOnce(checkout, folder, resources);
  return { fresh, restart: await startOnce(checkout, folder, resources) };
}

function writeOrbs(folder: string, count: number): string {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index += 1) {
    const text = manifest(9).replace('bench.send@', `bench.send-${index}@`);
    writeFileSync(join(folder, `orb-${index}.yaml`), text);
  }
  return folder;
}

const options = readBenchOptions({
  name: 'start',
  about: `Measures from the start of standalone to its first answer, and the same once more over the same data folder. The other
commit is measured in turns with this checkout.`,
  options: [
    { name: 'rounds', takes: 'N', value: '7', least: 1, text: 'rounds' },
    { name: 'orbs', takes: 'N', value: '0', least: 0, text: 'Orbs in files; 0 takes the manifests of the checkout' },
    { name: 'against', takes: 'COMMIT', text: 'measures the platform of that commit too, for example HEAD~1' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
});
const folder = mkdtempSync(join(tmpdir(), 'orb-bench-start-'));
const orbs = options.number('orbs');
const resources = orbs === 0 ? undefined : writeOrbs(join(folder, 'resources'), orbs);
const commitToCompare = options.given('against');
const against = commitToCompare === undefined ? [] : [join(folder, 'against')];
if (commitToCompare !== undefined) {
  const commit = await checkOut(commitToCompare, join(folder, 'against')).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    return endByBadUse('start', error);
  });
  console.log(`against: ${commit}`);
}
const checkouts = [ROOT, ...against];
const pairs = new Map<string, Pair[]>(checkouts.map((checkout) => [checkout, []]));
console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}, ${orbs} Orbs`);
try {
  // The first start of a checkout fills its compile cache.
  for (const checkout of checkouts)
    await startTwice(checkout, join(folder, 'warm', String(checkouts.indexOf(checkout))), resources);
  for (let round = 0; round < options.number('rounds'); round += 1) {
    for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed()) {
      const own = join(folder, `${round}-${checkouts.indexOf(checkout)}`);
      pairs.get(checkout)?.push(await startTwice(checkout, own, resources));
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const moment of ['fresh', 'restart'] as const) {
  const rows = checkouts.map((checkout) => (pairs.get(checkout) ?? []).map((pair) => pair[moment]));
  for (const [index, starts] of rows.entries()) {
    const of = (value: (one: Start) => number): string =>
      `${median(starts.map(value)).toFixed(0)} (${Math.min(...starts.map(value)).toFixed(0)}–${Math.max(...starts.map(value)).toFixed(0)})`;
    const name = `${moment}, ${index === 0 ? 'this checkout' : 'against'}`.padEnd(24);
    console.log(
      `${name} wall ms ${of((one) => one.wallMs)}, CPU ms ${of((one) => one.cpuMs)}, RSS MB ${of((one) => one.rssMb)}`,
    );
  }
  const [own = [], other] = rows;
  if (other === undefined) continue;
  const ratio = (value: (one: Start) => number): string =>
    median(own.flatMap((one, index) => (other[index] === undefined ? [] : [value(one) / value(other[index])]))).toFixed(
      3,
    );
  console.log(
    `${`${moment}, ratio`.padEnd(24)} wall ${ratio((one) => one.wallMs)}, CPU ${ratio((one) => one.cpuMs)}, RSS ${ratio((one) => one.rssMb)}`,
  );
}
const json = options.given('json');
if (json !== undefined)
  writeFileSync(json, JSON.stringify({ node: process.version, orbs, starts: Object.fromEntries(pairs) }));
