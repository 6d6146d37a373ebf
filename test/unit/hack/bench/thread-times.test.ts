import { expect } from 'chai';
import { sumThreads, threadTimes, timesPerRequest } from '../../../../hack/bench/thread-times.ts';

const stat = (name: string, ticks: number): string => `7 (${name}) S 1 1 1 0 -1 0 4 0 0 0 ${ticks} 0 0 0 20 0 7 0 1`;

describe('CPU by thread', () => {
  const names: readonly (readonly [string, string])[] = [
    ['MainThread', 'main'],
    ['ledger', 'ledger'],
    ['WorkerThread', 'ledger'],
    ['mapping', 'mapping'],
    ['self-check', 'check'],
    ['libuv-worker', 'pool'],
    ['V8Worker', 'V8'],
    ['DelayedTaskSche', 'V8'],
    ['SignalInspector', 'other'],
  ];
  for (const [name, thread] of names)
    it(`counts ${name} as ${thread}`, () => {
      const none = { main: 0, ledger: 0, mapping: 0, check: 0, pool: 0, V8: 0, other: 0 };
      expect(sumThreads([stat(name, 2), stat(name, 3)])).to.deep.equal({ ...none, [thread]: 50_000 });
    });

  it('is what each request used in between, and 0 for a thread that ended', () => {
    const before = sumThreads([stat('MainThread', 10), stat('ledger', 5), stat('libuv-worker', 9)]);
    const after = sumThreads([stat('MainThread', 30), stat('ledger', 6)]);
    expect(timesPerRequest(before, after, 100)).to.deep.equal({
      main: 2000,
      ledger: 100,
      mapping: 0,
      check: 0,
      pool: 0,
      V8: 0,
      other: 0,
    });
  });

  it('is read of a process: its main thread has worked', () => {
    expect(threadTimes(process.pid).main).to.be.greaterThan(0);
  });
});
