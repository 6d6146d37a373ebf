import { expect } from 'chai';
import type { IdempotencyClaim, Ledger } from '../../../../../adapters/ledger/port.ts';
import { entryOf } from '../../../../../adapters/ledger/tables/idempotency.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const aClaim = (change: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  path: '/orbisets/acme.support/execute',
  key: 'key-1',
  bodySha256: 'ab'.repeat(32),
  expiresAt: LEDGER_NOW + 1000,
  ...change,
});

describe('claims of keys', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  afterEach(() => fixture.dispose());

  const keep = (claim: IdempotencyClaim, answer: string): Promise<unknown> =>
    ledger.keepAnswer('acme', claim, { requestId: `req_${answer}`, answer });

  it('are all erased when more expired than one transaction erases', async () => {
    const keys = Array.from({ length: 1001 }, (_, number) => `key-${number}`);
    await Promise.all(keys.map((key) => keep(aClaim({ key }), 'x')));
    await keep(aClaim({ key: 'later', expiresAt: LEDGER_NOW + 5000 }), 'y');
    expect(await ledger.eraseExpired(LEDGER_NOW + 2000)).to.equal(1001);
    expect(await ledger.eraseExpired(LEDGER_NOW + 2000)).to.equal(0);
    expect((await ledger.idempotent('acme', aClaim({ key: 'later' })))?.answer).to.equal('y');
  });

  it('hold their key to the last millisecond, and then give it away', async () => {
    await keep(aClaim(), 'first');
    await fixture.clock.advance(999);
    expect(await keep(aClaim({ expiresAt: LEDGER_NOW + 9000 }), 'second')).to.include({ answer: 'first' });
    expect((await ledger.idempotent('acme', aClaim()))?.answer).to.equal('first');
    await fixture.clock.advance(1);
    expect(await ledger.idempotent('acme', aClaim())).to.equal(undefined);
    expect(await keep(aClaim({ expiresAt: LEDGER_NOW + 9000 }), 'second')).to.equal(undefined);
    expect((await ledger.idempotent('acme', aClaim()))?.answer).to.equal('second');
  });

  for (const expiresAt of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])
    it(`are refused with ${expiresAt} as their end, which no row can hold`, async () => {
      const kept = await keep(aClaim({ expiresAt }), 'x').catch((error: unknown) => error);
      expect(kept).to.be.an.instanceOf(TypeError);
      expect(String(kept)).to.include('a time is no whole number of milliseconds');
      expect(await ledger.idempotent('acme', aClaim())).to.equal(undefined);
    });
});

describe('what the writer answers about a claim', () => {
  const claim = { tenant: 'acme', ...aClaim() };

  it('is an entry only when it says that the key is taken', () => {
    for (const result of [null, 0, 1, ['refused', 'a reason']] as const)
      expect(() => entryOf(result, claim, new Uint8Array(32)), String(result)).to.throw(TypeError, 'refused a row');
  });

  it('is an entry without an answer while the first request runs, and of the same body or another', () => {
    const of = (bodySha256: string): unknown =>
      entryOf(['taken', bodySha256, 'run_1', null], claim, new Uint8Array(32));
    expect(of(claim.bodySha256)).to.deep.equal({ isSameBody: true, runId: 'run_1', answer: undefined });
    expect(of('cd'.repeat(32))).to.deep.equal({ isSameBody: false, runId: 'run_1', answer: undefined });
  });

  it('is a failure of the ledger when the answer was sealed with another key', () => {
    expect(() => entryOf(['taken', claim.bodySha256, 'run_1', new Uint8Array(60)], claim, new Uint8Array(32)))
      .to.throw()
      .with.property('name', 'LedgerError');
  });
});
