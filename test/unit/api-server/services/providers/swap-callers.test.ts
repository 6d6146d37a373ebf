import { expect } from 'chai';
import { aCaller } from '../../../../support/api-app.ts';
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
const SCOPES = new Set(['providers:read', 'providers:swap'] as const);

describe('POST /providers/{orb_id}/swap, about who asks and how often', () => {
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

  describe('with an Idempotency-Key', () => {
    const key = { 'idempotency-key': 'one' };

    it('gives the stored answer, and swaps no second time', async () => {
      const { elapse } = await start();
      const first = await swap({ provider: 'backup' }, key);
      await swap({ provider: 'main' });
      elapse(3_600_000);
      const again = await swap({ provider: 'backup' }, key);
      expect(again.json).to.deep.equal(first.json);
      expect(again.headers.get('idempotency-replayed')).to.equal('true');
      expect([...(app?.catalog.all() ?? [])][0]?.compiled?.pin?.provider).to.equal('main');
    });

    it('refuses another body under it, and a malformed one', async () => {
      await start();
      await swap({ provider: 'backup' }, key);
      expect((await swap({ provider: 'main' }, key)).code).to.equal('idempotency-key-reused');
      expect((await swap({ provider: 'main' }, { 'idempotency-key': 'a b' })).code).to.equal('invalid-parameter');
    });

    it('keeps no refusal', async () => {
      await start({}, { failover: failedOver() });
      expect((await swap({ provider: 'main', expected_active: 'main' }, key)).code).to.equal('active-changed');
      await app?.setOrb();
      expect((await swap({ provider: 'main', expected_active: 'main' }, key)).status).to.equal(200);
    });

    it('answers the second of two at once that the first is running', async () => {
      const { promise: evaluation, resolve: release } = Promise.withResolvers<undefined>();
      await start({ parts: { lastEvaluation: () => evaluation } });
      const first = swap({ provider: 'backup' }, key);
      let second = await swap({ provider: 'backup', dry_run: true }, {}, `${PATH}?namespace=other`);
      expect(second.code).to.equal('orb-not-found');
      second = await swap({ provider: 'backup' }, key);
      expect(second.code).to.equal('idempotency-in-progress');
      release(undefined);
      expect((await first).status).to.equal(200);
    });
  });

  const two = aCaller({ tenants: ['acme', 'globex'], scopes: SCOPES });
  const callers: readonly (readonly [why: string, caller: typeof two, path: string, code: string])[] = [
    ['a key of several tenants that names none', two, PATH, '409 orb-ambiguous'],
    ['a key of several tenants that names one', two, `${PATH}?namespace=acme`, '200 '],
    ['the tenant that has no such Orb', two, `${PATH}?namespace=globex`, '404 orb-not-found'],
    ['a key of another tenant', aCaller({ tenants: ['globex'], scopes: SCOPES }), PATH, '404 orb-not-found'],
    ['an Orb that is not there', two, '/providers/acme.none@1.0.0/swap?namespace=acme', '404 orb-not-found'],
    ['what is no Orb id', two, '/providers/mailer/swap?namespace=acme', '404 orb-not-found'],
    ['a key of other Orbs', aCaller({ scopes: SCOPES, orbs: ['acme.other'] }), PATH, '403 forbidden'],
    ['a key that may only read', aCaller({ scopes: new Set(['providers:read'] as const) }), PATH, '403 forbidden'],
  ];
  for (const [why, caller, path, code] of callers)
    it(`answers ${why}: ${code}`, async () => {
      await start({ caller });
      const called = await swap({ provider: 'backup' }, {}, path);
      expect(`${called.status} ${typeof called.code === 'string' ? called.code : ''}`).to.equal(code);
    });
});
