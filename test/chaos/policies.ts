// `npm run chaos policies [-- --kills 50 --seed N --keep]`: kill -9 of a platform whose policies deny runs before, at and
// after their call, aimed at the start of a run, at a denial, at the decisions of Request and Response and at the finish.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkKilled } from './check-killed.ts';
import { checkDecisions } from './policies/check-decisions.ts';
import { policyRounds, RUN_TIMEOUT_MS } from './policies/policy-rounds.ts';
import { seededRandom } from './seeded-random.ts';
import { emptyWitness } from './witness.ts';

// The sweeper closes a lost run 60 s after its deadline and runs every 15 s (trust.md §1.5).
const SWEPT_AFTER_MS = 77_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'orb-chaos-'));
const began = performance.now();
say(`seed ${values.seed}, ${values.kills} kills, data in ${folder}`);
try {
  const observed = emptyWitness();
  const random = seededRandom(Number(values.seed));
  const rounds = Number(values.kills);
  const seen = await policyRounds({ folder, rounds, random, seen: observed, say }, async (platform, lastKillAt) => {
    await delay(lastKillAt + RUN_TIMEOUT_MS + SWEPT_AFTER_MS - Date.now());
    const code = await platform.stop();
    if (code !== 0) observed.faults.push(`the last stop ended with ${code}`);
  });
  const data = join(folder, 'data');
  const ledger = await checkKilled(data, seen);
  const found = await checkDecisions(data, seen);
  const open = ledger.open === 0 ? [] : [`${ledger.open} runs were left open`];
  const faults = [...ledger.faults, ...found.faults, ...open];
  const rows: readonly (readonly [string, number])[] = [
    ['answers with a receipt', seen.answers.size],
    ['runs', ledger.runs],
    ['decisions', found.decisions],
    ...Object.entries(found.denied).map(([phase, count]) => [`  denied in ${phase}`, count] as const),
    ['calls of the provider', seen.called.size],
    ['receipts', ledger.receipts],
    ['  closed by the sweeper', ledger.swept],
    ...Object.entries(found.struck).map(([where, count]) => [`struck at ${where}`, count] as const),
    ['faults', faults.length],
  ];
  for (const [what, count] of rows) say(`${what.padEnd(44)} ${String(count).padStart(8)}`);
  for (const fault of faults.slice(0, 20)) say(`FAULT ${fault}`);
  say(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (!values.keep) rmSync(folder, { recursive: true });
}
