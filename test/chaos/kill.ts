// `npm run chaos kill [-- --kills 50 --seed N --keep]`: repeated kill -9 of the platform's process group under load, on
// one data folder. Then the ledger must hold everything that was acknowledged, once and unchanged.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkKilled, type KilledLedger } from './check-killed.ts';
import { killRounds, RUN_TIMEOUT_MS } from './kill-rounds.ts';
import { seededRandom } from './seeded-random.ts';
import { emptyWitness, type Observations } from './witness.ts';

// The sweeper closes a lost run 60 s after its deadline and runs every 15 s (trust.md §1.5).
const SWEPT_AFTER_MS = 75_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});

function report(seen: Observations, ledger: KilledLedger): void {
  const rows = [
    ['receipts acknowledged', seen.acknowledged.size],
    ['  of them compared byte for byte', seen.served.size],
    ['runs accepted', ledger.runs],
    ['  left open', ledger.open],
    ['receipts in the ledger', ledger.receipts],
    ['  closed by the sweeper', ledger.swept],
    ['entries in the log', ledger.logSize],
    ['checkpoints served and recomputed', ledger.signed],
    ['faults', ledger.faults.length],
  ] as const;
  for (const [what, count] of rows) say(`${what.padEnd(36)} ${String(count).padStart(8)}`);
  for (const fault of ledger.faults.slice(0, 20)) say(`FAULT ${fault}`);
}

const folder = mkdtempSync(join(tmpdir(), 'orb-chaos-'));
const seen = emptyWitness();
const began = performance.now();
say(`seed ${values.seed}, ${values.kills} kills, data in ${folder}`);
try {
  const random = seededRandom(Number(values.seed));
  await killRounds({ folder, kills: Number(values.kills), random, seen, say }, async (start, lastKillAt) => {
    const platform = await start();
    await delay(lastKillAt + RUN_TIMEOUT_MS + SWEPT_AFTER_MS + 2000 - Date.now());
    const code = await platform.stop();
    if (code !== 0) seen.faults.push(`the last stop ended with ${code}`);
  });
  const ledger = await checkKilled(join(folder, 'data'), seen);
  const left = ledger.open === 0 ? [] : [`${ledger.open} runs were left open`];
  const faults = [...ledger.faults, ...left];
  report(seen, { ...ledger, faults });
  say(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (!values.keep) rmSync(folder, { recursive: true });
}
