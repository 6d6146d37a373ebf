import { expect } from 'chai';
import { createRetries, type Retries } from '../../../../operator/loader/retries.ts';

const REPORT = { file: 'a.yaml', code: 'c', severity: 'error', pointer: '', detail: 'd' } as const;

describe('createRetries', () => {
  let now = 0;
  let retries: Retries;
  beforeEach(() => {
    now = 0;
    retries = createRetries(() => now);
  });

  it('lets what never failed through', () => {
    expect(retries.due('a', 'v1')).to.equal(true);
  });

  it('waits 2 s, then twice as long each time, and at most 5 minutes', () => {
    const waits: number[] = [];
    for (let failures = 0; failures < 10; failures += 1) {
      retries.failed('a', 'v1', undefined);
      const start = now;
      while (!retries.due('a', 'v1')) now += 1000;
      waits.push((now - start) / 1000);
    }
    expect(waits).to.deep.equal([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it('does not wait for another version, nor after a success', () => {
    retries.failed('a', 'v1', undefined);
    expect(retries.due('a', 'v2')).to.equal(true);
    retries.succeeded('a');
    expect(retries.due('a', 'v1')).to.equal(true);
  });

  it('tells what is wrong until it is mended, and forgets what is not asked for any more', () => {
    retries.failed('a', 'v1', REPORT);
    expect(retries.reports(new Set(['a']))).to.deep.equal([REPORT]);
    expect(retries.reports(new Set())).to.deep.equal([]);
    expect(retries.due('a', 'v1')).to.equal(true);
  });
});
