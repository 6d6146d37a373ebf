import { expect } from 'chai';
import type { PinRemoved } from '../../../../../api-server/providers/port.ts';
import { failoverPinOf } from '../../../../../core/failover/pin.ts';
import { aCaller } from '../../../../support/api-app.ts';
import {
  failedOver,
  MAILER,
  startProviderApp,
  type TestAppOptions,
  type ProviderApp,
} from '../../../../support/provider-app.ts';

const PIN = `/providers/${MAILER}/pin`;
const GIVEN = { provider: 'backup', expires_at: '2026-11-21T10:00:00Z', reason: 'of a file' };

const answering = (done: PinRemoved): TestAppOptions => ({
  parts: {
    pins: { set: () => Promise.resolve({ kind: 'gone' }), remove: () => Promise.resolve(done) },
  },
});

describe('DELETE /providers/{orb_id}/pin', () => {
  let app: ProviderApp;
  const start = async (options: TestAppOptions = {}): Promise<ProviderApp> => (app = await startProviderApp(options));
  const swap = (body: unknown) =>
    app.call('POST', `/providers/${MAILER}/swap`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  afterEach(() => app.close());

  it('answers 200 also when there was none', async () => {
    await start();
    const { status, json } = await app.call('DELETE', PIN);
    expect([status, json]).to.deep.equal([
      200,
      { orb_id: MAILER, pin: null, removed_pin: null, active_provider: 'main', warnings: [] },
    ]);
  });

  it('removes the pin and says which it was', async () => {
    await start();
    const made = await swap({ provider: 'backup', expires_in: '2h' });
    const { json } = await app.call('DELETE', PIN);
    expect(json).to.deep.include({ pin: null, removed_pin: made.json['pin'], active_provider: 'main' });
    expect((await app.call('GET', `/providers/${MAILER}/status`)).json).to.deep.include({
      state: 'primary',
      pin: null,
    });
  });

  it('answers with the code of a ledger that refuses the row, not with that of a control plane', async () => {
    await start();
    await app.setOrb({ pin: GIVEN });
    await app.fixture.ledger.close();
    const { status, json } = await app.call('DELETE', PIN);
    expect([status, json['code']]).to.deep.equal([503, 'ledger-unavailable']);
  });

  it('leaves the active provider where the pin had brought it', async () => {
    await start();
    await swap({ provider: 'backup', expires_in: '2h' });
    await app.setOrb({ failover: failedOver({ reason: 'manual' }) });
    expect((await app.call('DELETE', PIN)).json['active_provider']).to.equal('backup');
  });

  it('removes the pin that another writer applied', async () => {
    await start();
    await app.setOrb({ pin: GIVEN });
    const removed = await app.call('DELETE', PIN);
    expect(removed.json).to.deep.include({ pin: null, active_provider: 'main' });
    expect(removed.json['removed_pin']).to.deep.include({ provider: 'backup', reason: 'of a file' });
  });

  it('warns of those who will write the pin again', async () => {
    await start(
      answering({
        kind: 'removed',
        removed: failoverPinOf({ ...GIVEN, mode: 'hard' }),
        left: undefined,
        owners: ['argocd-controller'],
      }),
    );
    const { json } = await app.call('DELETE', PIN);
    expect(json['warnings']).to.deep.equal(['pin-owned-by:argocd-controller: it returns with the next sync']);
  });

  it('shows the pin that was set meanwhile, and says so', async () => {
    await start(answering({ kind: 'removed', removed: undefined, left: failoverPinOf(GIVEN), owners: [] }));
    const { json } = await app.call('DELETE', PIN);
    expect(json).to.deep.include({ removed_pin: null, active_provider: 'backup' });
    expect(json['warnings']).to.deep.equal(['pin-changed: another pin was set meanwhile, it stays']);
  });

  const rows: readonly (readonly [why: string, options: TestAppOptions, code: string])[] = [
    ['an Orb that went away', answering({ kind: 'gone' }), '404 orb-not-found'],
    ['a control plane that is away', answering({ kind: 'away', maybe: true }), '503 control-plane-unavailable'],
    ['a key that may only read', { caller: aCaller({ scopes: new Set(['providers:read']) }) }, '403 forbidden'],
    [
      'several tenants',
      { caller: aCaller({ tenants: ['a', 'b'], scopes: new Set(['providers:swap']) }) },
      '409 orb-ambiguous',
    ],
  ];
  for (const [why, options, code] of rows)
    it(`answers ${why}: ${code}`, async () => {
      await start(options);
      const called = await app.call('DELETE', PIN);
      expect(`${called.status} ${String(called.code)}`).to.equal(code);
    });
});
