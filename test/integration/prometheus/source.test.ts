import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Measurement, OrbToMeasure } from '../../../adapters/failover-metrics/port.ts';
import { createPrometheusClient, type PrometheusClient } from '../../../adapters/prometheus/client.ts';
import type { PrometheusMode } from '../../../adapters/prometheus/expressions.ts';
import { queryEvaluation } from '../../../adapters/prometheus/evaluation-samples.ts';
import { createPrometheusSource } from '../../../adapters/prometheus/source.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { ensurePrometheus } from '../../../hack/prometheus/binaries.ts';
import { startPrometheus, type RunningPrometheus } from '../../../hack/prometheus/prometheus.ts';
import { none, ok, providerOf } from '../../support/prometheus-source.ts';
import { history, startTarget, type Counted, type ScrapedTarget } from '../../support/prometheus-target.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const RULES = 'charts/orb-platform/files/prometheus/rules.yaml';
const NEVER = new AbortController().signal;
const SCRAPE_MS = 1000;
const PATIENCE_MS = 30_000;
const WINDOWS = ['2m', '5m', '10m'] as const;

const orb = (orbId: string, providers: readonly string[], quantile = 0.95): OrbToMeasure => ({
  namespace: 'n',
  orbId,
  providers,
  quantile,
});

const openClient = ({ url }: RunningPrometheus): PrometheusClient =>
  createPrometheusClient({ connection: { url, headers: {} }, clock: systemClock });

const lookAt = (client: PrometheusClient, mode: PrometheusMode, orbs: readonly OrbToMeasure[]): Promise<Measurement> =>
  createPrometheusSource({ client, clock: systemClock, scrapeIntervalMs: SCRAPE_MS, mode }).measure(orbs, NEVER);

/** Rules as the chart has them, but every second. */
async function quickRules(folder: string): Promise<string> {
  const file = join(folder, 'rules.yaml');
  await writeFile(file, (await readFile(RULES, 'utf8')).replace('interval: 15s', 'interval: 1s'));
  return file;
}

/** Asks until the metrics of an Orb are as they are waited for. */
const until = (ask: () => Promise<Measurement>, wanted: (measured: Measurement) => boolean): Promise<Measurement> =>
  lastAnswer(ask, wanted, PATIENCE_MS, SCRAPE_MS / 4);

/** Both processes show the Orb `both`, one of them the Orb `one`. */
const page = (breaker: number, more: readonly Counted[]) => (scrape: number) => [
  { orbId: 'both', provider: 'a', quick: 8 * scrape, slow: 2 * scrape, errors: 5 * scrape, breaker },
  { orbId: 'both', provider: 'idle', quick: 0, slow: 0 },
  ...more.map((counted) => ({ ...counted, quick: counted.quick * scrape })),
];

const samplesOf = ({ snapshot }: Measurement, { orbId }: OrbToMeasure): number => {
  const found = snapshot({ namespace: 'n', orbId });
  return found.state === 'fresh' ? (found.providers['a']?.windows['2m'].n ?? 0) : 0;
};

describe('the Prometheus source with a Prometheus that scrapes', () => {
  const BOTH = orb('both', ['a', 'idle']);
  const ONE = orb('one', ['a'], 0.9);
  const ORBS = [BOTH, ONE, orb('unknown', ['a'])];
  let folder: string;
  let targets: readonly ScrapedTarget[];
  let prometheus: RunningPrometheus;
  let client: PrometheusClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-rules-'));
    const first = await startTarget(page(0, [{ orbId: 'one', provider: 'a', quick: 10, slow: 0 }]));
    targets = [first, await startTarget(page(2, []))];
    prometheus = await startPrometheus({
      targets: [first.address],
      scrapeInterval: '1s',
      rulesFile: await quickRules(folder),
    });
    await prometheus.reload(targets.map(({ address }) => address));
    client = openClient(prometheus);
  });
  after(async () => {
    await client.close();
    await prometheus.stop();
    for (const target of targets) await target.stop();
    await rm(folder, { recursive: true });
  });

  for (const mode of ['query', 'recorded'] as const)
    it(`has the metrics of both processes by ${mode}`, async () => {
      const measured = await until(
        () => lookAt(client, mode, ORBS),
        (seen) => samplesOf(seen, BOTH) > 90 && samplesOf(seen, ONE) > 0,
      );
      const snapshot = measured.snapshot(BOTH);
      const { windows, breaker, transportErrors2m, successes2m } = providerOf(snapshot, 'a');
      for (const window of WINDOWS) {
        const { p50, pq, n, attempts, bad } = windows[window];
        expect(p50.kind === 'ok' && p50.value).to.be.closeTo(193.75, 0.5); // 0.1 + 0.15 · 5/8
        expect(pq.kind === 'ok' && pq.value).to.be.closeTo(437.5, 0.5); // 0.25 + 0.25 · 1.5/2
        expect([attempts / n, bad / n].map((ratio) => Math.round(ratio * 100) / 100)).to.deep.equal([1.5, 0.5]);
      }
      expect(samplesOf(measured, BOTH) / samplesOf(measured, ONE)).to.be.within(1.3, 3);
      expect([breaker, transportErrors2m, Math.round(successes2m) > 0]).to.deep.equal(['open', 0, true]);
      expect(providerOf(snapshot, 'idle').windows['2m']).to.deep.equal({
        n: 0,
        p50: none('nan'),
        pq: none('nan'),
        attempts: 0,
        bad: 0,
      });
      expect(measured.snapshot(ORBS[2] ?? ONE)).to.deep.include({ state: 'unusable', why: 'empty' });
      expect(measured.oldestMs).to.be.within(0, 30_000);
    });

  it('tells both breakers of an Orb apart for the status endpoint', async () => {
    const samples = await queryEvaluation(client, { namespace: 'n', orbId: 'both' }, 2000, NEVER);
    expect(samples?.map(({ name, value }) => [name, value]).toSorted()).to.deep.equal([
      ['orb_provider_breaker_state', 0],
      ['orb_provider_breaker_state', 2],
    ]);
    expect(await queryEvaluation(client, { namespace: 'n', orbId: 'unknown' }, 2000, NEVER)).to.equal(undefined);
  });

  it('calls a query that Prometheus does not understand unusable', async () => {
    const wrong = { promql: 'rate(', deadlineMs: 5000, onSample: (): void => undefined };
    expect(await client.query(wrong, NEVER)).to.deep.equal({ kind: 'unusable', why: 'http', detail: 'HTTP 400' });
  });

  it('ages while a dead process still has rates', async () => {
    for (const target of targets) await target.stop();
    const measured = await until(
      () => lookAt(client, 'query', ORBS),
      ({ snapshot }) => {
        const found = snapshot(BOTH);
        return found.state === 'fresh' && found.ageMs > 4000 && found.providers['a']?.breaker === 'closed';
      },
    );
    expect(samplesOf(measured, BOTH)).to.be.greaterThan(0);
  });
});

describe('the Prometheus source with samples of the last 70 minutes', () => {
  const STEP_S = 15;
  const FRESH = orb('fresh', ['a']);
  const STOPPED = orb('stopped', ['a']);
  const GONE = orb('gone', ['a']);
  let folder: string;
  let prometheus: RunningPrometheus;
  let client: PrometheusClient;
  /** Seconds since epoch, of the newest samples. */
  let filledAt = 0;

  /** Ten attempts a step, of which one is slow in the last 3 minutes only: the baseline does not see it. */
  function counted(orbId: string, step: number, steps: number): Counted {
    const slow = Math.max(0, step - (steps - 180 / STEP_S)) * 5;
    return { orbId, provider: 'a', quick: step * 10 - slow, slow };
  }

  async function fill(): Promise<void> {
    const steps = (70 * 60) / STEP_S;
    const end = Math.floor(Date.now() / 1000);
    filledAt = end;
    const moments = Array.from({ length: steps + 1 }, (_, step): readonly [number, readonly Counted[]] => {
      const at = end - (steps - step) * STEP_S;
      const shown = [...(end - at >= 1200 ? ['gone'] : []), ...(end - at >= 100 ? ['stopped'] : []), 'fresh'];
      return [at, shown.map((orbId) => counted(orbId, step, steps))];
    });
    const file = join(folder, 'history.txt');
    await writeFile(file, history(moments));
    const { promtool } = await ensurePrometheus();
    const made = await command(promtool, ['tsdb', 'create-blocks-from', 'openmetrics', file, join(folder, 'data')]);
    expect(made.code, made.stderr).to.equal(0);
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-history-'));
    await fill();
    prometheus = await startPrometheus({ targets: [], scrapeInterval: '1s', dataFolder: join(folder, 'data') });
    client = openClient(prometheus);
  });
  after(async () => {
    await client.close();
    await prometheus.stop();
    await rm(folder, { recursive: true });
  });

  it('has the hour before as a baseline that a slowdown of now is not in', async () => {
    const { snapshot, origin } = await lookAt(client, 'query', [FRESH, STOPPED, GONE]);
    const { base, baseN, windows } = providerOf(snapshot(FRESH), 'a');
    expect(base).to.deep.equal(ok(242.5)); // 0.1 + 0.15 · 0.95
    expect(baseN).to.be.within(2380, 2420); // 240 steps of 10
    expect(windows['2m'].pq.kind === 'ok' && windows['2m'].pq.value).to.be.within(460, 490);
    // 40 steps of 10, less those that are past because the machine was slow.
    const past = (((origin?.evaluatedAt ?? 0) / 1000 - filledAt) / STEP_S) * 10;
    expect(windows['10m'].n + past).to.be.within(380, 420);
    expect(Math.abs((origin?.evaluatedAt ?? 0) - Date.now())).to.be.lessThan(10_000);
  });

  it('calls an Orb stale whose rates still answer after 100 s, and one that only has a baseline', async () => {
    const { snapshot, oldestMs } = await lookAt(client, 'query', [FRESH, STOPPED, GONE]);
    expect(snapshot(FRESH).state).to.equal('fresh');
    expect(snapshot(STOPPED)).to.deep.include({ state: 'unusable', why: 'stale' });
    expect(snapshot(GONE)).to.deep.include({ state: 'unusable', why: 'stale' });
    expect(oldestMs).to.equal(Infinity);
  });

  it('does not take series for metrics when no rule has run', async () => {
    const { snapshot } = await lookAt(client, 'recorded', [FRESH]);
    expect(snapshot(FRESH)).to.deep.include({ state: 'unusable', why: 'empty' });
  });
});
