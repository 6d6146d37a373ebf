import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../../api-server/http/http-metrics.ts';
import { observeLedgerChecks } from '../../../api-server/log-head/check-metrics.ts';
import { exposedMetrics } from '../../support/exposed-metrics.ts';
import { readText } from '../../support/docs/repository.ts';

const PAGE = readText('docs/monitoring.md');
const LABELS = new Set(['orb_id', 'orb_namespace']);

describe('docs/monitoring.md', () => {
  it('names only metrics that there are', async () => {
    const exposed = await exposedMetrics();
    const named = [...new Set(PAGE.match(/\borb_[a-z_]*[a-z]\b/g) ?? [])];
    expect(named.length).to.be.greaterThan(20);
    expect(named.filter((name) => !exposed.has(name) && !LABELS.has(name))).to.deep.equal([]);
  });

  it('names every metric of the bounds of HTTP and of the checks of the ledger', async () => {
    const registry = new Registry();
    createHttpMetrics(registry).observe(() => ({ connections: 0, bodyBytes: 0, unreadBytes: 0, waitingRefusals: 0 }));
    observeLedgerChecks(registry, { sinceMs: () => 0, faults: () => ({}) });
    const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
    expect(names.length).to.be.greaterThan(5);
    expect(names.filter((name) => !PAGE.includes(name))).to.deep.equal([]);
  });
});
