import { expect } from 'chai';
import { retractionRoute } from '../../../../../api-server/services/log/retraction-route.ts';
import { readEntry } from '../../../../../core/log-entry/entry.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { aMarketplace, aPlatformAdmin, aPublisher, type Marketplace } from '../../../../support/a-marketplace.ts';
import { startApp, type Called } from '../../../../support/api-app.ts';
import { auditEntry } from '../../../../support/reputation-rows.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('POST /log/retractions', () => {
  let market: Marketplace;
  beforeEach(async () => (market = await aMarketplace()));
  afterEach(() => market.close());

  async function retract(body: unknown, caller: Caller = aPlatformAdmin()): Promise<Called> {
    const app = await startApp([retractionRoute(market.reputation)], { caller });
    const answer = await app.call('POST', '/log/retractions', { headers: JSON_TYPE, body: JSON.stringify(body) });
    await app.close();
    return answer;
  }

  it('appends an entry that names the other one, with the reason', async () => {
    const index = await market.ledger.appendEntries([auditEntry()]);
    const { status, value } = await retract({ index, reason: 'counted twice' });
    expect([status, value]).to.deep.equal([201, { index: index + 1 }]);
    const [text = ''] = await market.ledger.entries(index + 1, index + 2);
    expect(readEntry(text)).to.deep.include({ kind: 'retraction', index, reason: 'counted twice' });
    expect(await market.ledger.isRetracted(index)).to.equal(true);
  });

  it('retracts an entry once', async () => {
    const index = await market.ledger.appendEntries([auditEntry()]);
    await retract({ index, reason: 'first' });
    const { status, code } = await retract({ index, reason: 'second' });
    expect([status, code]).to.deep.equal([409, 'entry-not-retractable']);
    expect(await market.ledger.logSize()).to.equal(index + 2);
  });

  const refused: [why: string, body: unknown, status: number, code: string][] = [
    ['an entry beyond the end', { index: 1000, reason: 'x' }, 404, 'entry-not-found'],
    ['a publish entry', { index: 1, reason: 'x' }, 409, 'entry-not-retractable'],
    ['an org entry', { index: 0, reason: 'x' }, 409, 'entry-not-retractable'],
    ['an index as text', { index: '2', reason: 'x' }, 400, 'invalid-parameter'],
    ['an index below 0', { index: -1, reason: 'x' }, 400, 'invalid-parameter'],
    ['an index between two', { index: 1.5, reason: 'x' }, 400, 'invalid-parameter'],
    ['no reason', { index: 2 }, 400, 'invalid-parameter'],
    ['an empty reason', { index: 2, reason: '' }, 400, 'invalid-parameter'],
    ['a long reason', { index: 2, reason: 'x'.repeat(257) }, 400, 'invalid-parameter'],
    ['a reason with half a character', { index: 2, reason: '\ud800' }, 400, 'invalid-parameter'],
    ['an unknown member', { index: 2, reason: 'x', force: true }, 422, 'unknown-member'],
    ['a list', [2], 400, 'invalid-parameter'],
  ];
  for (const [why, body, status, code] of refused) {
    it(`${why}: ${status} ${code}, and nothing is written`, async () => {
      const size = await market.ledger.logSize();
      const answer = await retract(body);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      expect(await market.ledger.logSize()).to.equal(size);
    });
  }

  const callers: [why: string, caller: Caller][] = [
    ['a key without the scope', aPublisher(['orb-system'])],
    ['admin by the key of a tenant', aPublisher(['acme'], 'admin')],
  ];
  for (const [why, caller] of callers) {
    it(`${why}: 403, and nothing is written`, async () => {
      const size = await market.ledger.logSize();
      const { status, code } = await retract({ index: 2, reason: 'x' }, caller);
      expect([status, code]).to.deep.equal([403, 'forbidden']);
      expect(await market.ledger.logSize()).to.equal(size);
    });
  }
});
