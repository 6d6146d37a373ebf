import { expect } from 'chai';
import type { EvaluationSummary } from '../../../../../core/failover/evaluation-summary.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { aCaller, TEST_NOW } from '../../../../support/api-app.ts';
import {
  failedOver,
  MAILER,
  startProviderApp,
  type TestAppOptions,
  type TestOrbOptions,
  type ProviderApp,
} from '../../../../support/provider-app.ts';

const PATH = `/providers/${MAILER}/status`;
const at = (ms: number): string => new Date(TEST_NOW + ms).toISOString();
const member = (value: unknown, ...names: readonly (string | number)[]): unknown =>
  names.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
    value,
  );

/** What the operator saw 15 s ago: `backup` is active, `main` is well again. */
const EVALUATION: EvaluationSummary = {
  rule: 'failback',
  verdict: { kind: 'healthy', valueMs: 598.2, thresholdMs: 1180, window: '2m', n: 118.4 },
  streaks: { degraded: 0, trial: 0, recovered: 4 },
  limitMs: 1180,
  baseMs: 590,
  dataAgeMs: 8200,
  evaluatedAt: TEST_NOW - 15_000,
  providers: [
    {
      provider: 'backup',
      evidence: 'traffic',
      window: '2m',
      n: 118.4,
      p50Ms: 262,
      pqMs: 598.2,
      errorRatio: 0,
      probeOkRatio: null,
    },
    {
      provider: 'main',
      evidence: 'probe',
      window: '5m',
      n: 9,
      p50Ms: 214,
      pqMs: null,
      errorRatio: null,
      probeOkRatio: 1,
    },
  ],
  health: {
    backup: { breaker: 'closed', lastProbe: null },
    main: { breaker: 'half_open', lastProbe: { at: TEST_NOW - 20_000, outcome: 'success', durationMs: 209.4 } },
  },
};
const seeing = (change: Partial<EvaluationSummary> = {}): TestAppOptions => ({
  parts: { lastEvaluation: () => Promise.resolve({ ...EVALUATION, ...change }) },
});
const HOLD = { provider: 'main', until: TEST_NOW + 27_000, level: 1 };
const PROBE = { method: 'GET', url: 'https://api.example.com/health' };
const PROBED = {
  swap_config: { fallbacks: ['backup', 'ghost'], strategy: 'latency', probe: { mode: 'synthetic' } },
  execution: {
    type: 'http',
    method: 'POST',
    url: 'https://api.example.com/main',
    body_template: '{"text":"{{inputs.text}}"}',
    headers: { 'Content-Type': 'application/json' },
    probe: PROBE,
  },
  providers: {
    backup: { execution: { type: 'http', method: 'POST', url: 'https://api.example.com/b', probe: PROBE } },
  },
};

describe('GET /providers/{orb_id}/status', () => {
  let app: ProviderApp | undefined;
  const getStatus = async (options: TestAppOptions, orb: TestOrbOptions = {}): Promise<JsonObject> => {
    app = await startProviderApp(options);
    await app.setOrb(orb);
    const { status, json } = await app.call('GET', PATH);
    expect(status).to.equal(200);
    return json;
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('explains a failover: the metrics, what decided, and when the primary may come back', async () => {
    const status = await getStatus(seeing(), { manifest: PROBED, failover: failedOver({ holds: [HOLD] }) });
    const { providers, this_replica: replica, ...rest } = status;
    expect(rest).to.deep.equal({
      incidents: [],
      orb_id: MAILER,
      active_provider: 'backup',
      state: 'failed_over',
      strategy: 'latency',
      primary: 'main',
      since: at(-3_600_000),
      reason: 'latency',
      pin: null,
      ramp: null,
      frozen: null,
      metrics: { state: 'fresh', evaluated_at: at(-15_000), age_s: 8 },
      decision: {
        rule: 'failback',
        verdict: { kind: 'healthy', value_ms: 598, threshold_ms: 1180, window: '2m', n: 118 },
        why: 'primary is well, not yet for long enough',
        streaks: { degraded: 0, trial: 0, recovered: 4, needed: 12 },
        failback_ready: false,
        next_possible_failback: at(-15_000 + 8 * 15_000),
        blocked_by: ['streak', 'hold_down'],
      },
      swaps: [
        {
          seq: 1,
          at: at(-3_600_000),
          from: 'main',
          to: 'backup',
          reason: 'latency',
          actor: null,
          receipt_id: 'rcpt_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5b',
        },
      ],
    });
    expect(replica).to.deep.include({ name: 'replica-1', breakers: { main: 'closed', backup: 'closed' } });
    expect(providers).to.deep.equal([
      {
        name: 'main',
        role: 'primary',
        resolved: true,
        active: false,
        evidence: 'probe',
        window: '5m',
        n: 9,
        p50_ms: 214,
        p95_ms: null,
        error_ratio: null,
        probe_ok_ratio: 1,
        last_probe: { at: at(-20_000), outcome: 'success', duration_ms: 209 },
        breaker: 'half_open',
        breaker_replica: null,
        hold_until: at(27_000),
      },
      {
        name: 'backup',
        role: 'fallback',
        resolved: true,
        active: true,
        evidence: 'traffic',
        window: '2m',
        n: 118,
        p50_ms: 262,
        p95_ms: 598,
        error_ratio: 0,
        probe_ok_ratio: null,
        last_probe: null,
        breaker: 'closed',
        breaker_replica: null,
        hold_until: null,
      },
      {
        name: 'ghost',
        role: 'fallback',
        resolved: false,
        active: false,
        evidence: 'none',
        window: null,
        n: 0,
        p50_ms: null,
        p95_ms: null,
        error_ratio: null,
        probe_ok_ratio: null,
        last_probe: null,
        breaker: null,
        breaker_replica: null,
        hold_until: null,
      },
    ]);
  });

  it('answers without metrics, all of them null', async () => {
    const status = await getStatus({}, { failover: failedOver() });
    expect(status['metrics']).to.deep.equal({ state: 'unusable', evaluated_at: null, age_s: null });
    expect(status['decision']).to.deep.equal({
      rule: null,
      verdict: null,
      why: null,
      streaks: null,
      failback_ready: false,
      next_possible_failback: null,
      blocked_by: ['metrics'],
    });
    expect(member(status, 'providers', 0, 'breaker')).to.equal(null);
  });

  it('shows metrics whose data is too old as unusable', async () => {
    const status = await getStatus(seeing({ rule: 'metrics-unusable', dataAgeMs: null }));
    expect(status['metrics']).to.deep.equal({ state: 'unusable', evaluated_at: at(-15_000), age_s: null });
  });

  it('shows metrics that were last looked at long ago as unusable', async () => {
    const late = await getStatus(seeing({ evaluatedAt: TEST_NOW - 90_001 }));
    expect(late['metrics']).to.deep.equal({ state: 'unusable', evaluated_at: at(-90_001), age_s: null });
  });

  it('shows a 99th percentile under no other name', async () => {
    const manifest = { ...PROBED, swap_config: { ...PROBED.swap_config, latency: { quantile: 0.99 } } };
    const status = await getStatus(seeing(), { manifest, failover: failedOver() });
    expect(member(status, 'providers', 1, 'p95_ms')).to.equal(null);
    expect(member(status, 'decision', 'verdict', 'value_ms')).to.equal(598);
  });

  const pin = { provider: 'backup', expires_at: at(3_600_000), reason: 'x', actor: 'key:abc' };
  const ramp = { provider: 'main', percent: 10, stepStartedAt: TEST_NOW, trial: false };
  const frozen = { until: TEST_NOW + 1000, reason: 'flapping' };
  const alone = { manifest: {} };
  const states: readonly (readonly [state: string, why: string, options: TestAppOptions, orb: TestOrbOptions])[] = [
    ['single', 'one provider', {}, alone],
    ['primary', 'nothing happened', {}, {}],
    ['failed_over', 'another one is active', {}, { failover: failedOver() }],
    ['ramping', 'a share goes elsewhere', {}, { failover: failedOver({ ramp }) }],
    ['pinned', 'a pin holds', {}, { pin, failover: failedOver({ ramp }) }],
    ['failed_over', 'the pin has ended', {}, { pin: { ...pin, expires_at: at(0) }, failover: failedOver() }],
    ['failed_over', 'a once swap is no pin', {}, { pin: { ...pin, mode: 'once' } }],
    ['frozen', 'too many swaps', {}, { failover: failedOver({ frozen }) }],
    ['failed_over', 'the freeze is over', {}, { failover: failedOver({ frozen: { ...frozen, until: TEST_NOW } }) }],
    ['all_down', 'none works', seeing({ rule: 'all-down' }), { failover: failedOver({ frozen }) }],
  ];
  for (const [state, why, options, orb] of states)
    it(`is ${state} when ${why}`, async () => {
      expect((await getStatus(options, orb))['state']).to.equal(state);
    });

  it('shows pin, ramp and freeze', async () => {
    const status = await getStatus({}, { pin, failover: failedOver({ ramp, frozen }) });
    expect(status['pin']).to.deep.equal({ ...pin, mode: 'soft' });
    expect(status['ramp']).to.deep.equal({ provider: 'main', percent: 10, trial: false, step_started_at: at(0) });
    expect(status['frozen']).to.deep.equal({ until: at(1000), reason: 'flapping' });
  });

  it('says since when only once the swap is on record', async () => {
    expect(await getStatus({}, { pin, failover: failedOver({ activeProvider: 'main' }) })).to.deep.include({
      active_provider: 'backup',
      since: null,
      reason: null,
    });
  });

  it('decides nothing about an Orb without swap_config', async () => {
    expect(await getStatus(seeing(), alone)).to.deep.include({ strategy: null, decision: null, primary: 'main' });
  });

  it('shows the last ten swaps, the newest first', async () => {
    const [record] = failedOver().history;
    if (record === undefined) throw new TypeError('there is one');
    const history = Array.from({ length: 20 }, (_, index) => ({ ...record, seq: index + 1 }));
    const { swaps } = await getStatus({}, { failover: failedOver({ history }) });
    const seqs = Array.from({ length: 11 }, (_, index) => member(swaps, index, 'seq'));
    expect(seqs).to.deep.equal([20, 19, 18, 17, 16, 15, 14, 13, 12, 11, undefined]);
  });

  it('has a weak ETag that changes with what it says, and is asked for each time', async () => {
    app = await startProviderApp();
    const first = await app.call('GET', PATH);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).to.match(/^W\/"[0-9a-f]{32}"$/);
    expect(first.headers.get('cache-control')).to.equal('private, no-cache');
    const headers = { 'if-none-match': etag };
    expect((await app.call('GET', PATH, { headers })).status).to.equal(304);
    await app.setOrb({ failover: failedOver() });
    expect((await app.call('GET', PATH, { headers })).status).to.equal(200);
  });

  const rows: readonly (readonly [why: string, options: TestAppOptions, path: string, code: string])[] = [
    ['an unknown Orb', {}, '/providers/acme.none@1.0.0/status', '404 orb-not-found'],
    [
      'another tenant',
      { caller: aCaller({ tenants: ['b'], scopes: new Set(['providers:read']) }) },
      PATH,
      '404 orb-not-found',
    ],
    [
      'several tenants',
      { caller: aCaller({ tenants: '*', scopes: new Set(['providers:read']) }) },
      PATH,
      '409 orb-ambiguous',
    ],
    ['a key without the scope', { caller: aCaller() }, PATH, '403 forbidden'],
  ];
  for (const [why, options, path, code] of rows)
    it(`answers ${why}: ${code}`, async () => {
      app = await startProviderApp(options);
      const called = await app.call('GET', path);
      expect(`${called.status} ${String(called.code)}`).to.equal(code);
    });

  it('answers an Orb that was never valid: 409 orb-not-ready', async () => {
    app = await startProviderApp();
    const [entry] = app.catalog.all();
    if (entry === undefined) throw new TypeError('there is one');
    const fault = 'spec.swap_config.failback.ramp: Write percents. (manifest-swap-ramp)';
    app.catalog.setOrb({ ...entry, compiled: undefined, createdAt: 0, fault });
    const { code, json } = await app.call('GET', PATH);
    expect(code).to.equal('orb-not-ready');
    expect(json['detail']).to.equal(`Orb acme/mailer: ${fault}`);
  });
});
