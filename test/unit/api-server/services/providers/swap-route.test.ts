import { expect } from 'chai';
import type { NewPin } from '../../../../../api-server/providers/port.ts';
import type { EvaluationSummary } from '../../../../../core/failover/evaluation-summary.ts';
import type { FailoverStatus } from '../../../../../core/failover/types.ts';
import { TEST_NOW } from '../../../../support/api-app.ts';
import {
  failedOver,
  MAILER,
  startProviderApp,
  type TestAppOptions,
  type TestOrbOptions,
  type ProviderApp,
} from '../../../../support/provider-app.ts';

const PATH = `/providers/${MAILER}/swap`;
const JSON_TYPE = { 'content-type': 'application/json' };
const time = (ms: number): string => new Date(TEST_NOW + ms).toISOString();

const evaluationWith = (outcome: 'success' | 'error'): EvaluationSummary => ({
  rule: 'healthy',
  verdict: { kind: 'healthy', valueMs: 1, thresholdMs: 2, window: '2m', n: 1 },
  streaks: { degraded: 0, trial: 0, recovered: 0 },
  limitMs: null,
  baseMs: null,
  dataAgeMs: 1,
  evaluatedAt: TEST_NOW,
  providers: [],
  health: { backup: { breaker: 'closed', lastProbe: { at: TEST_NOW, outcome, durationMs: 1 } } },
});
const probed = (outcome: 'success' | 'error'): TestAppOptions => ({
  parts: { lastEvaluation: () => Promise.resolve(evaluationWith(outcome)) },
});
const broken: TestAppOptions = {
  parts: { replica: { breakers: () => ({ backup: 'open' }), cooling: () => ({}), providers: () => ({}) } },
};
const away: TestAppOptions = {
  parts: {
    pins: {
      set: () => Promise.resolve({ kind: 'away', maybe: false }),
      remove: () => Promise.resolve({ kind: 'away', maybe: true }),
    },
  },
};

const recorded = (seq: number, receiptId: string): FailoverStatus => {
  const [record] = failedOver().history;
  if (record === undefined) throw new TypeError('there is one');
  const made = { ...record, seq, receiptId, from: 'backup', to: 'main', reason: 'manual' } as const;
  return failedOver({ swapSeq: seq, history: [made] });
};

describe('POST /providers/{orb_id}/swap', () => {
  let app: ProviderApp | undefined;
  const start = async (options: TestAppOptions = {}, orb: TestOrbOptions = {}): Promise<ProviderApp> => {
    app = await startProviderApp(options);
    if (Object.keys(orb).length > 0) await app.setOrb(orb);
    return app;
  };
  const swap = (body: unknown, headers: Readonly<Record<string, string>> = {}, path = PATH) => {
    if (app === undefined) throw new TypeError('nothing was started');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return app.call('POST', path, { headers: { ...JSON_TYPE, ...headers }, body: text });
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('pins the provider for 24 h, says when it reverts, and uses it at once', async () => {
    await start();
    const { status, json } = await swap({ provider: 'backup' });
    expect(status).to.equal(200);
    const pin = { provider: 'backup', mode: 'soft', expires_at: time(86_400_000), actor: 'key:abcdefgh', reason: null };
    expect(json).to.deep.include({
      orb_id: MAILER,
      status: 'completed',
      from: 'main',
      provider: 'backup',
      active_provider: 'backup',
      pin,
      replaced_pin: null,
      warnings: ['reverts 2026-11-21T10:00:00Z: no expires_in'],
      receipt: null,
      requested_at: time(0),
      completed_at: time(0),
    });
    expect(json['swap_id']).to.match(/^swp_[0-9a-f-]{36}$/);
  });

  it('takes reason, end and mode from the body, the actor never', async () => {
    await start();
    const { json } = await swap({ provider: 'backup', reason: 'maintenance', expires_in: '2h', mode: 'hard' });
    expect(json['pin']).to.deep.equal({
      provider: 'backup',
      mode: 'hard',
      expires_at: time(7_200_000),
      actor: 'key:abcdefgh',
      reason: 'maintenance',
    });
    expect(json['warnings']).to.deep.equal([]);
    expect((await swap({ provider: 'backup', actor: 'key:somebody' })).code).to.equal('unknown-member');
  });

  it('swaps once, without a pin, an Orb that has no swap_config', async () => {
    const providers = { other: { execution: { type: 'http', method: 'POST', url: 'https://api.example.com/x' } } };
    await start({}, { manifest: { providers } });
    const { status, json } = await swap({ provider: 'other' });
    expect(status).to.equal(200);
    expect(json).to.deep.include({ status: 'completed', active_provider: 'other', pin: null, warnings: [] });
  });

  it('names the receipt of the swap once it is on record', async () => {
    const { follow } = await start({}, { failover: failedOver() });
    const receiptId = 'rcpt_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5c';
    follow(recorded(2, receiptId));
    const { json } = await swap({ provider: 'main', expires_in: '1h' });
    expect(json).to.deep.include({ from: 'backup', receipt: { receipt_id: receiptId, status: 'pending' } });
  });

  it('takes no older record for its own', async () => {
    await start({}, { failover: recorded(1, 'rcpt_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5c') });
    expect((await swap({ provider: 'main', expires_in: '1h' })).json).to.deep.include({
      from: 'backup',
      receipt: null,
    });
  });

  const refusals: readonly (readonly [
    why: string,
    body: unknown,
    code: string,
    also?: object,
    options?: TestAppOptions,
    orb?: TestOrbOptions,
  ])[] = [
    [
      'a provider that the manifest lacks',
      { provider: 'nobody' },
      '422 provider-unknown',
      { detail: 'The manifest has: main, backup, ghost.' },
    ],
    ['a name of no provider', { provider: 'constructor' }, '422 provider-unknown'],
    [
      'a provider without execution',
      { provider: 'ghost' },
      '422 provider-unresolved',
      { detail: '"ghost" has no execution, so it is never chosen; add /providers/ghost/execution.' },
    ],
    [
      'a malformed duration',
      { provider: 'backup', expires_in: '2 hours' },
      '400 invalid-parameter',
      { pointer: '/expires_in' },
    ],
    [
      'more than 168 hours',
      { provider: 'backup', expires_in: '169h' },
      '400 invalid-parameter',
      { pointer: '/expires_in' },
    ],
    [
      'an end of a once swap',
      { provider: 'backup', expires_in: '1h', mode: 'once' },
      '400 invalid-parameter',
      { pointer: '/expires_in' },
    ],
    ['an unknown mode', { provider: 'backup', mode: 'for-ever' }, '400 invalid-parameter', { pointer: '/mode' }],
    [
      'a reason of 257 characters',
      { provider: 'backup', reason: 'x'.repeat(257) },
      '400 invalid-parameter',
      { pointer: '/reason' },
    ],
    [
      'a wait of more than 10 s',
      { provider: 'backup', wait_ms: 10_001 },
      '400 invalid-parameter',
      { pointer: '/wait_ms' },
    ],
    ['force that is no boolean', { provider: 'backup', force: 'yes' }, '400 invalid-parameter', { pointer: '/force' }],
    ['an unknown member', { provider: 'backup', dryrun: true }, '422 unknown-member', { pointer: '/dryrun' }],
    ['no provider', {}, '400 invalid-parameter', { pointer: '/provider' }],
    ['a list', [], '400 invalid-parameter', { pointer: '' }],
    ['no JSON', '{', '400 invalid-json'],
    [
      'an open breaker',
      { provider: 'backup' },
      '409 provider-unhealthy',
      { detail: 'backup: its breaker is open in this replica.' },
      broken,
    ],
    [
      'a failed probe',
      { provider: 'backup' },
      '409 provider-unhealthy',
      { detail: 'backup: its last probe ended with error.' },
      probed('error'),
    ],
    [
      'another active provider',
      { provider: 'backup', expected_active: 'backup' },
      '409 active-changed',
      { active_provider: 'main' },
    ],
    [
      'a control plane that is away',
      { provider: 'backup' },
      '503 control-plane-unavailable',
      { detail: 'Nothing was changed.' },
      away,
    ],
  ];
  for (const [why, body, code, also = {}, options = {}, orb = {}] of refusals)
    it(`refuses ${why}: ${code}`, async () => {
      const { catalog } = await start(options, orb);
      const before = [...catalog.all()][0]?.compiled;
      const called = await swap(body);
      expect(`${called.status} ${String(called.code)}`).to.equal(code);
      const errors = called.json['errors'];
      const first: unknown = Array.isArray(errors) ? errors[0] : {};
      expect({ ...called.json, ...Object(first) }).to.deep.include(also);
      if (code.startsWith('503')) expect(called.headers.get('retry-after')).to.equal('2');
      expect([...catalog.all()][0]?.compiled).to.equal(before);
    });

  it('does with force what it refuses for health, and warns', async () => {
    await start(broken);
    const { status, json } = await swap({ provider: 'backup', force: true, expires_in: '1h' });
    expect(status).to.equal(200);
    expect(json['warnings']).to.deep.equal(['provider-unhealthy: its breaker is open in this replica']);
  });

  it('asks nothing of a good probe', async () => {
    await start(probed('success'));
    expect((await swap({ provider: 'backup', expected_active: 'main' })).status).to.equal(200);
  });

  it('changes nothing in a dry run, whatever key it has', async () => {
    const { catalog } = await start();
    const { json } = await swap({ provider: 'backup', dry_run: true }, { 'idempotency-key': 'k' });
    expect(json).to.deep.include({ status: 'dry_run', from: 'main', active_provider: 'main', completed_at: null });
    expect([...catalog.all()][0]?.compiled?.pin).to.equal(undefined);
    expect((await swap({ provider: 'backup' }, { 'idempotency-key': 'k' })).json['status']).to.equal('completed');
  });

  it('leaves an equal pin as it is, and replaces another one', async () => {
    const { elapse } = await start();
    const first = await swap({ provider: 'backup', expires_in: '2h' });
    elapse(60_000);
    const again = await swap({ provider: 'backup', expires_in: '2h' });
    expect(again.json).to.deep.include({ status: 'unchanged', swap_id: first.json['swap_id'], pin: first.json['pin'] });
    const longer = await swap({ provider: 'backup', expires_in: '4h' });
    expect(longer.json).to.deep.include({ status: 'completed', replaced_pin: first.json['pin'] });
  });

  it('answers 202 while this process does not see the pin', async () => {
    const seen: NewPin[] = [];
    await start({
      parts: {
        pins: {
          set: (_orb, pin) => {
            seen.push(pin);
            return Promise.resolve({ kind: 'set', replaced: undefined, owners: ['argocd-controller'] });
          },
          remove: () => Promise.resolve({ kind: 'gone' }),
        },
      },
    });
    const { status, json } = await swap({ provider: 'backup', expires_in: '1h', wait_ms: 100 });
    expect([status, seen.length]).to.deep.equal([202, 1]);
    expect(json).to.deep.include({ status: 'accepted', active_provider: 'main', completed_at: null, receipt: null });
    expect(json['warnings']).to.deep.equal(['pin-owned-by:argocd-controller: it returns with the next sync']);
  });
});
