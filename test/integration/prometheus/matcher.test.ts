import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseArguments } from '../../../adapters/process/arguments.ts';
import { createPrometheusClient, type PrometheusClient } from '../../../adapters/prometheus/client.ts';
import { recordingRules, type PrometheusMode } from '../../../adapters/prometheus/expressions.ts';
import { queryEvaluation } from '../../../adapters/prometheus/evaluation-samples.ts';
import { parsePrometheus, PROMETHEUS_FLAGS } from '../../../adapters/prometheus/settings.ts';
import { createPrometheusSource } from '../../../adapters/prometheus/source.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { ProviderMetrics } from '../../../core/failover/metrics.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { ensurePrometheus } from '../../../hack/prometheus/binaries.ts';
import { startPrometheus, type RunningPrometheus } from '../../../hack/prometheus/prometheus.ts';
import { providerOf } from '../../support/prometheus-source.ts';
import { startTarget, type ScrapedTarget } from '../../support/prometheus-target.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NEVER = new AbortController().signal;
const PATIENCE_MS = 60_000;
const ORB = { namespace: 'n', orbId: 'mail', providers: ['a'], quantile: 0.95 };
/** A new series counts nothing before its second sample. */
const SAMPLES = 30;

/** As the flag gives it. */
function flag(text: string): string {
  const argv = ['--prometheus-url', 'http://p:9090', `--prometheus-matcher=${text}`];
  return parsePrometheus(parseArguments(PROMETHEUS_FLAGS, argv))?.matcher ?? '';
}

const p95 = ({ windows }: ProviderMetrics): number => {
  const { pq } = windows['2m'];
  return pq.kind === 'ok' ? pq.value : Number.NaN;
};

describe('--prometheus-matcher, with somebody who shows series of our names to the same Prometheus', () => {
  let folder: string;
  let ours: ScrapedTarget;
  let forger: ScrapedTarget;
  let prometheus: RunningPrometheus;
  let client: PrometheusClient;
  let matcher: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-matcher-'));
    const of = { orbId: ORB.orbId, provider: 'a' };
    ours = await startTarget((scrape) => [{ ...of, quick: 10 * scrape, slow: 0, errors: 0, breaker: 0 }]);
    forger = await startTarget((scrape) => [{ ...of, quick: 0, slow: 500 * scrape, errors: 500 * scrape, breaker: 2 }]);
    matcher = flag(`job="orb-api", instance="${ours.address}"`);
    const rulesFile = join(folder, 'rules.yaml');
    const groups = [{ name: 'orb_provider', interval: '1s', rules: recordingRules(matcher) }];
    await writeFile(rulesFile, JSON.stringify({ groups }));
    prometheus = await startPrometheus({
      targets: [ours.address, forger.address],
      scrapeInterval: '1s',
      rulesFile,
    });
    client = createPrometheusClient({ connection: { url: prometheus.url, headers: {} }, clock: systemClock });
  });
  after(async () => {
    await client.close();
    await prometheus.stop();
    await Promise.all([ours.stop(), forger.stop()]);
    await rm(folder, { recursive: true });
  });

  /** What an evaluation reads of the provider, once there are enough samples. */
  async function seen(mode: PrometheusMode, selected: string): Promise<ProviderMetrics> {
    const source = createPrometheusSource({
      client,
      clock: systemClock,
      scrapeIntervalMs: 1000,
      mode,
      matcher: selected,
    });
    const snapshot = await lastAnswer(
      async () => (await source.measure([ORB], NEVER)).snapshot(ORB),
      (found) => found.state === 'fresh' && (found.providers['a']?.windows['2m'].n ?? 0) > SAMPLES,
      PATIENCE_MS,
      250,
    );
    return providerOf(snapshot, 'a');
  }
  it('is moved by them without one', async () => {
    const found = await seen('query', '');
    expect(p95(found)).to.be.greaterThan(450);
    expect(found.windows['2m'].bad).to.be.greaterThan(0);
  });

  for (const mode of ['query', 'recorded'] as const)
    it(`sees nothing of them by ${mode}`, async () => {
      const found = await seen(mode, matcher);
      expect(p95(found)).to.be.within(100, 250);
      expect([found.windows['2m'].bad, found.breaker]).to.deep.equal([0, 'closed']);
    });

  async function breakers(selected: string): Promise<readonly number[] | undefined> {
    const samples = await queryEvaluation(client, { ...ORB, matcher: selected }, 2000, NEVER);
    return samples?.map(({ value }) => value).toSorted();
  }

  it('shows none of them in the status of an Orb', async () => {
    expect(await breakers(matcher)).to.deep.equal([0]);
    expect(await breakers('')).to.deep.equal([0, 2]);
  });

  it('is part of rules that promtool takes', async () => {
    const { promtool } = await ensurePrometheus();
    const { code, stdout, stderr } = await command(promtool, ['check', 'rules', join(folder, 'rules.yaml')]);
    expect(code, `${stdout}${stderr}`).to.equal(0);
  });
});
