import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { cpuTimeMs } from '../../../../hack/mutate/cpu-time.ts';

describe('cpuTimeMs', () => {
  it('is the processor time of a process, without the time in which it waits', function () {
    if (!existsSync('/proc/self/stat')) this.skip();
    const { user, system } = process.cpuUsage();
    const used = cpuTimeMs(process.pid) ?? NaN;
    // Both are read one after the other, and the system counts in steps of 10 ms.
    expect(Math.abs(used - (user + system) / 1000)).to.be.at.most(100);
  });

  it('is unknown of a process that does not exist', () => {
    expect(cpuTimeMs(0x7fffffff)).to.equal(undefined);
  });
});
