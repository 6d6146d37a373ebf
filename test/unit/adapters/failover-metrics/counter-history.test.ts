import { expect } from 'chai';
import { CounterHistory } from '../../../../adapters/failover-metrics/counter-history.ts';
import type { ProviderCounts } from '../../../../adapters/telemetry/provider-series.ts';
import { SourceSeries } from '../../../../adapters/telemetry/source-series.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const traffic = new SourceSeries('', 'traffic').counts();
const counted = (transportErrors: number): ProviderCounts => ({ traffic, probe: undefined, transportErrors });

describe('CounterHistory', () => {
  it('is at most 5 s wrong within 10 minutes and 65 s before, however often it is asked to note something', () => {
    const history = new CounterHistory(5 * SECOND);
    const end = 120 * MINUTE;
    for (let at = 0; at <= end; at += SECOND) history.add(at, counted(at));
    for (let back = 0; back <= 65 * MINUTE; back += 7 * SECOND) {
      const found = history.between(0, end - back)?.end.transportErrors ?? Number.NaN;
      const error = end - back - found;
      expect(error, `${back} ms ago`).to.be.within(0, back <= 10 * MINUTE ? 5 * SECOND : 65 * SECOND);
    }
  });

  it('knows an idle counter from its last change on', () => {
    const history = new CounterHistory(5 * SECOND);
    for (let at = 0; at <= 90 * MINUTE; at += 5 * SECOND) history.add(at, counted(Math.min(at, 12 * MINUTE)));
    for (const at of [26, 60, 90]) {
      expect(history.between(0, at * MINUTE)?.end.transportErrors).to.equal(12 * MINUTE);
    }
  });

  it('starts a window at the first sample when the provider is younger', () => {
    const history = new CounterHistory(5 * SECOND);
    history.add(MINUTE, counted(3));
    history.add(2 * MINUTE, counted(5));
    const { start, end } = history.between(0, 3 * MINUTE) ?? {};
    expect([start?.transportErrors, end?.transportErrors]).to.deep.equal([3, 5]);
  });

  it('knows nothing of a window before the first sample', () => {
    const history = new CounterHistory(5 * SECOND);
    expect(history.between(0, MINUTE)).to.equal(undefined);
    history.add(2 * MINUTE, counted(0));
    expect(history.between(0, MINUTE)).to.equal(undefined);
  });
});
