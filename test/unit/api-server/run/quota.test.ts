import { expect } from 'chai';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { createTestRuntime, hangs, type TestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const START = 1_795_168_800_000;

describe('the quota of a tenant', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
  });
  afterEach(() => fixture.dispose());

  const create = (ledgerQuotaBytes: number, rest: Partial<Parameters<typeof createTestRuntime>[0]> = {}): TestRuntime =>
    createTestRuntime({
      ledger: fixture.ledger,
      clock: createFakeClock(START),
      settings: { ledgerQuotaBytes },
      ...rest,
    });

  it('refuses new runs with 429, names itself, and nothing is sent or written', async () => {
    const first = await create(0).execute({});
    expect(first.status).to.equal(200);
    const { bytes, rows } = await fixture.ledger.tenantUsage('acme');
    const test = create(bytes);
    const refused = await test.execute({});
    expect([refused.status, refused.code, test.sent.length]).to.deep.equal([429, 'quota-exceeded', 0]);
    expect(refused.body['detail']).to.include(`${bytes} bytes`).and.to.include('--ledger-quota');
    expect(await fixture.ledger.tenantUsage('acme')).to.deep.equal({ bytes, rows });
    // One byte more is enough for one run, which may exceed the quota by its own rows.
    expect((await create(bytes + 1).execute({})).status).to.equal(200);
  });

  it('is each tenant’s own, and off without a setting', async () => {
    await create(0).execute({});
    const test = create(1);
    test.addOrb('globex.echo@1.0.0', {}, 'globex');
    test.addOrbiset('own', {}, 'globex');
    const caller = {
      id: 'key:globex',
      tenants: ['globex'],
      scopes: new Set(['orbs:execute' as const]),
      orbs: undefined,
      expiresAt: Number.MAX_SAFE_INTEGER,
      standing: () => 'valid' as const,
    };
    const other = await test.execute({ orbiset: 'own', orbId: 'globex.echo@1.0.0', caller });
    expect([other.status, (await test.execute({})).code]).to.deep.equal([200, 'quota-exceeded']);
  });

  it('tells nothing of itself to a request that is wrong, or that lacks the key it needs', async () => {
    const open = (ledgerQuotaBytes: number): TestRuntime => {
      const test = create(ledgerQuotaBytes);
      test.addOrbiset('default', {}, 'default');
      test.addOrb('acme.open@1.0.0', { manifest: { access: 'anonymous' } }, 'default');
      test.addOrb('acme.closed@1.0.0', {}, 'default');
      return test;
    };
    const ask = async (quota: number, orbId: string): Promise<unknown> => {
      const { status, code } = await open(quota).execute({ orbiset: 'default', caller: null, orbId });
      return code ?? status;
    };
    expect(await ask(0, 'acme.open@1.0.0')).to.equal(200);
    expect(await ask(1, 'acme.open@1.0.0')).to.equal('quota-exceeded');
    expect(await ask(1, 'acme.closed@1.0.0')).to.equal('unauthenticated');
    await create(0).execute({});
    expect((await create(1).execute({ orbId: 'acme.missing@1.0.0' })).code).to.equal('orb-not-found');
  });

  it('still answers a dry run, and the stored answer of a key', async () => {
    const stored = await create(0).execute({ key: 'once' });
    const test = create(1);
    const again = await test.execute({ key: 'once' });
    expect([again.status, again.body['run_id']]).to.deep.equal([200, stored.body['run_id']]);
    expect((await test.execute({ query: 'dry_run=true' })).status).to.equal(200);
    expect((await test.execute({ key: 'another' })).code).to.equal('quota-exceeded');
  });

  it('never refuses the receipt of a run that began', async () => {
    const test = create(300, { answer: hangs });
    const began = test.execute({});
    while (test.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    // Another run fills the quota meanwhile.
    expect((await create(0).execute({})).status).to.equal(200);
    expect((await test.execute({})).code).to.equal('quota-exceeded');
    test.runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    const ended = await began;
    expect([ended.status, ended.code]).to.deep.equal([503, 'orbiset-suspended']);
    const run = ended.body['run'];
    expect(JSON.stringify(run)).to.include('"receipt_id":"rcpt_');
  });
});
