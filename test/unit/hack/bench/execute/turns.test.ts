import { expect } from 'chai';
import type { Row } from '../../../../../hack/bench/execute/measurement.ts';
import { measureInTurns } from '../../../../../hack/bench/execute/turns.ts';

const THREADS = { main: 100, ledger: 10, mapping: 0, check: 5, pool: 0, V8: 1, other: 0 };
const aRow = (requests: number, rps: number, given: Partial<Row> = {}): Row => ({
  name: 'c=32',
  requests,
  rps,
  p50: 10,
  p99: 20,
  max: 30,
  serverCpu: 100,
  threads: THREADS,
  mockCpu: 40,
  generatorCpu: 30,
  rssMb: 300,
  foreignCores: 0,
  ...given,
});

describe('turns of a benchmark', () => {
  it('take the loads there and back, in parts of at most two seconds', async () => {
    const seen: string[] = [];
    const load = (name: string) => (seconds: number) => {
      seen.push(`${name} ${seconds.toFixed(2)}`);
      return Promise.resolve(aRow(1, 1, { name }));
    };
    const rows = await measureInTurns([load('a'), load('b')], 5);
    expect(seen).to.deep.equal(['a 1.67', 'b 1.67', 'b 1.67', 'a 1.67', 'a 1.67', 'b 1.67']);
    expect(rows.map(({ name, requests }) => [name, requests])).to.deep.equal([
      ['a', 3],
      ['b', 3],
    ]);
  });

  it('join to a row whose rate and CPU are of all requests', async () => {
    const turns = [
      aRow(1000, 1000, { serverCpu: 200, threads: { ...THREADS, main: 150 }, p50: 7, foreignCores: 0.1, max: 31 }),
      aRow(6000, 3000, { serverCpu: 100, p50: 9, p99: 19, rssMb: 310, foreignCores: 0.4, mockCpu: 47 }),
      aRow(1000, 500, { serverCpu: 260, p50: 8, p99: 40, foreignCores: 0, generatorCpu: 38 }),
    ];
    const [row] = await measureInTurns([() => Promise.resolve(turns.shift() ?? aRow(0, 1))], 6);
    expect(row).to.deep.equal({
      ...aRow(8000, 1600),
      p50: 8,
      max: 31,
      rssMb: 310,
      mockCpu: 45.25,
      generatorCpu: 31,
      serverCpu: 132.5,
      threads: { ...THREADS, main: 106.25 },
      foreignCores: 0.18,
    });
  });

  it('join what the platform tells of itself', async () => {
    const inside = { rowsPerGroup: 13, loopUse: 0.9, loopDelayP50: 1, loopDelayP99: 4 };
    const turns = [
      inside,
      { ...inside, rowsPerGroup: 14, loopDelayP99: 9 },
      { ...inside, rowsPerGroup: 20, loopUse: 1 },
    ];
    const load = (): Promise<Row> => Promise.resolve(aRow(10, 10, { inside: turns.pop() ?? inside }));
    const [row] = await measureInTurns([load], 6);
    expect(row?.inside).to.deep.equal({ rowsPerGroup: 14, loopUse: 0.9, loopDelayP50: 1, loopDelayP99: 4 });
  });
});
