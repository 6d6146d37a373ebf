// `npm run bench start [-- --rounds 7 --orbs 0 --against COMMIT --json FILE]`: from the start of standalone to its first
// answer, and the same once more over the same data folder. The other commit is measured in turns with this checkout.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../../test/support/rank.ts';
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

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    orbs: { type: 'string', default: '0' },
    against: { type: 'string' },
    json: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'orb-bench-start-'));
const orbs = Number(values.orbs);
const resources = orbs === 0 ? undefined : writeOrbs(join(folder, 'resources'), orbs);
const against = values.against === undefined ? [] : [join(folder, 'against')];
if (values.against !== undefined) {
  const commit = await checkOut(values.against, join(folder, 'against')).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(64);
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
  for (let round = 0; round < Number(values.rounds); round += 1) {
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
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ node: process.version, orbs, starts: Object.fromEntries(pairs) }));
