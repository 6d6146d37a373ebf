import { expect } from 'chai';
import { parseBusyMicros, parseTaskStat } from '../../../../hack/bench/proc-stat.ts';

const TASK = '19796 (a (b) c) S 19790 19790 11917 0 -1 4194624 4 0 0 0 25 6 3 2 20 0 7 0 1432992';

describe('/proc', () => {
  it('has user and system time of a task, after a name that holds brackets, in ticks of 10 ms', () => {
    expect(parseTaskStat(TASK)).to.deep.equal({ name: 'a (b) c', micros: 310_000, childMicros: 50_000 });
  });

  it('has the busy time of all cores: not idle, not waiting for a disk, not interrupts, but taken by the hypervisor', () => {
    const text = 'cpu  100 10 50 9000 700 30 40 5 3 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n';
    expect(parseBusyMicros(text)).to.equal(1_650_000);
  });
});
