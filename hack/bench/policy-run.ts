import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure, type Row as Measured } from './execute/measurement.ts';
import { MIX } from './policy-mix.ts';
import { logFile, startMock, startPlatform, type BenchServer } from './subjects.ts';
import { row, type Row } from './table.ts';

const CALLERS = 32;
const WARM_SECONDS = 8;

/** The mix as documents: each rule in a policy of its own. */
const policies = (): string =>
  MIX.map((when, index) =>
    JSON.stringify({
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'OrbPolicy',
      metadata: { name: `p${index}` },
      spec: { mode: 'Enforce', rules: [{ name: 'rule', effect: 'deny', when, message: 'Not this.' }] },
    }),
  ).join('\n---\n');

interface Turn {
  readonly without: Measured;
  readonly with: Measured;
}

const ratio = (turns: readonly Turn[], value: (row: Measured) => number): readonly number[] =>
  turns.map((turn) => value(turn.with) / value(turn.without));
const added = (turns: readonly Turn[], value: (row: Measured) => number): readonly number[] =>
  turns.map((turn) => value(turn.with) - value(turn.without));

type Load = (server: BenchServer, seconds: number) => Promise<Measured>;

/** Who is first changes from turn to turn: the machine may slow down while it works. */
async function measureTurns(
  [without, withPolicies]: readonly [BenchServer, BenchServer],
  load: Load,
  { turns, seconds }: Length,
): Promise<readonly Turn[]> {
  const measured: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const isFirst = turn % 2 === 0;
    const early = await load(isFirst ? without : withPolicies, seconds);
    const late = await load(isFirst ? withPolicies : without, seconds);
    measured.push(isFirst ? { without: early, with: late } : { without: late, with: early });
  }
  return measured;
}

const rowsOf = (turns: readonly Turn[]): readonly Row[] => [
  row(
    'runs/s, with 20 ÷ without',
    ratio(turns, ({ rps }) => rps),
    { digits: 3, atLeast: 0.85 },
  ),
  row(
    'CPU a run, 20 add, µs',
    added(turns, ({ serverCpu }) => serverCpu),
    { digits: 0, atMost: 60 },
  ),
  row(
    'of it the main thread, µs',
    added(turns, ({ threads }) => threads.main),
    { digits: 0 },
  ),
  row(
    'of it the ledger thread, µs',
    added(turns, ({ threads }) => threads.ledger),
    { digits: 0 },
  ),
];

interface Length {
  readonly turns: number;
  /** Of each half of a turn. */
  readonly seconds: number;
}

/** Runs of a tenant without policies and of one with 20, in turns, so that both meet the same machine. */
export async function measureRuns(length: Length): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-bench-policy-'));
  const log = logFile(folder, 'log');
  const mock = await startMock(log);
  const resources = join(folder, 'with/resources');
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, 'policies.yaml'), policies());
  const servers: BenchServer[] = [];
  const start = async (name: string): Promise<BenchServer> => {
    const server = await startPlatform(join(folder, name), mock.port, log);
    servers.push(server);
    return server;
  };
  const load: Load = (server, seconds) => measure(server, mock.started, { name: 'runs', callers: CALLERS, seconds });
  try {
    const both = [await start('without'), await start('with')] as const;
    for (const server of both) await load(server, WARM_SECONDS);
    return rowsOf(await measureTurns(both, load, length));
  } finally {
    for (const { started } of servers) await started.stop('SIGTERM');
    await mock.started.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}
