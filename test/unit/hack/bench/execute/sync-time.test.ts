import { expect } from 'chai';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureSync, syncLine } from '../../../../../hack/bench/execute/sync-time.ts';

describe('measureSync', () => {
  it('writes as many pages as wanted, and then the same pages again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'orb-sync-'));
    try {
      const { growing, overwriting } = measureSync(folder, 3);
      expect(statSync(join(folder, 'sync-time')).size).to.equal(3 * 4096);
      for (const { p50, p99 } of [growing, overwriting]) expect(p99).to.be.at.least(p50).and.above(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is shown in one line', () => {
    const line = syncLine({ growing: { p50: 188.4, p99: 318 }, overwriting: { p50: 77, p99: 141.2 } });
    expect(line).to.match(/overwriting 77 µs \(p99 141\), growing a file 188 µs \(p99 318\)$/);
  });
});
