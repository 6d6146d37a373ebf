import { expect } from 'chai';
import { lintScrape } from '../../../../core/failover/lint-scrape.ts';
import type { WindowName } from '../../../../core/failover/metrics.ts';
import { aConfig } from '../../../support/failover.ts';

describe('lintScrape (failover.md §11)', () => {
  const rows: readonly [why: string, windows: readonly WindowName[], scrapeIntervalMs: number, found: string][] = [
    ['windows of the usual interval', ['2m', '5m', '10m'], 15_000, ''],
    ['a window of four scrapes', ['2m'], 30_000, ''],
    ['a window of fewer', ['2m', '5m'], 30_001, '2m would hold too few'],
    ['two windows of fewer', ['2m', '5m', '10m'], 90_000, '2m and 5m would hold too few'],
    ['a window that alone is long enough', ['10m'], 150_000, ''],
  ];
  for (const [why, windows, scrapeIntervalMs, found] of rows)
    it(`${found === '' ? 'takes' : 'refuses'} ${why}`, () => {
      const { latency } = aConfig();
      const findings = lintScrape({ latency: { ...latency, windows } }, scrapeIntervalMs);
      expect(findings.map(({ code, pointer, severity }) => [code, pointer, severity])).to.deep.equal(
        found === '' ? [] : [['manifest-swap-scrape', '/swap_config/latency/windows', 'error']],
      );
      expect(findings[0]?.detail ?? '').to.include(found);
    });

  it('says how long a window must be', () => {
    expect(lintScrape(aConfig(), 60_000)[0]?.detail).to.include('at least 240 s');
  });
});
