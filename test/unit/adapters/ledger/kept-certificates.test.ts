import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { textOf } from '../../../../adapters/ledger/sqlite/columns.ts';
import { aPromotion, ORB } from '../../../support/reputation-rows.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';

describe('certificates in the file of a ledger', () => {
  it('are the newest of each version and place, so that daily ones do not pile up', async () => {
    const fixture = await openSqliteFixture();
    const other = 'acme.echo@2.0.0';
    await fixture.ledger.evaluate(aPromotion(1, { orbId: other }));
    for (let day = 0; day < 3; day += 1) await fixture.ledger.evaluate(aPromotion(0));
    await fixture.ledger.close();
    const db = new DatabaseSync(fixture.options.file);
    const kept = db.prepare('SELECT orb_id FROM certificates ORDER BY log_index').all();
    db.close();
    expect(kept.map((row) => textOf(row, 'orb_id'))).to.deep.equal([other, ORB]);
    await fixture.dispose();
  });
});
