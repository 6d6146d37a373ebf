import type { Row } from '../../hack/bench/execute/measurement.ts';
import type { Round } from '../../hack/bench/execute/round.ts';

/** A row of an undisturbed load. */
export const aRow = (own: Partial<Row> = {}): Row => ({
  name: 'c=32',
  requests: 4000,
  rps: 1000,
  p50: 30,
  p99: 60,
  max: 90,
  serverCpu: 500,
  threads: { main: 300, ledger: 100, mapping: 0, check: 0, pool: 50, V8: 40, other: 10 },
  mockCpu: 30,
  generatorCpu: 40,
  rssMb: 200,
  foreignCores: 0.1,
  ...own,
});

/** A round in which the pass-through made 10 000 requests/s at 32 callers. */
export const aRound = (own: Partial<Row> = {}): Round => ({
  'pass-through': [aRow({ name: 'warm-up', foreignCores: 2 }), aRow({ rps: 10_000, serverCpu: 100 })],
  platform: [aRow({ name: 'warm-up', foreignCores: 2, serverCpu: 5000 }), aRow(own)],
});
