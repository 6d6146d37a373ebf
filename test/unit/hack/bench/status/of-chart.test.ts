import { expect } from 'chai';
import { canaryRows, intervalOfChart } from '../../../../../hack/bench/status/canary.ts';
import { nodeOptionsOfChart, probesOfChart } from '../../../../../hack/bench/status/prober-process.ts';
import { readText } from '../../../../support/docs/repository.ts';

const VALUES = 'charts/orb-platform/values.yaml';

describe('what npm run bench status takes from the chart', () => {
  it('the options of Node, with a heap that a process without a memory limit can have', () => {
    const options = nodeOptionsOfChart();
    expect(options).to.include.members(['--max-semi-space-size=1', '--no-opt', '--max-old-space-size=64']);
    expect(options.filter((option) => option.includes('percentage'))).to.deep.equal([]);
  });

  it('what a kubelet asks for, and how often', () => {
    expect(probesOfChart()).to.deep.equal([
      { path: '/livez', seconds: 10 },
      { path: '/readyz', seconds: 5 },
    ]);
  });

  it('the time between rounds', () => {
    expect(intervalOfChart(readText(VALUES))).to.equal(30);
    expect(() => intervalOfChart('api:\n  interval: 30s\nstatusProber:\n  deadline: 10s\n')).to.throw('no time');
  });

  it('and counts a day of rounds, with what retention erases and without', () => {
    const rows = canaryRows({ rounds: 10, bytes: { receipts: 20_000, signals: 12_000, deliveries: 8000 } }, VALUES);
    expect(rows.map(({ what, measured }) => `${what}: ${measured}`)).to.deep.equal([
      'canary: bytes of a round in the ledger: 4000 (4000–4000)',
      'canary: of them in receipts: 2000 (2000–2000)',
      'canary: of them in signals: 1200 (1200–1200)',
      'canary: of them in deliveries: 800 (800–800)',
      'canary: MB a day, 2880 rounds: 11.5 (11.5–11.5)',
      'canary: MB a day that retention does not erase: 5.8 (5.8–5.8)',
    ]);
  });
});
