import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { acceptAll, aDelivery, deliveryIdOf, ROOMY } from '../../../support/ingest-rows.ts';
import { openDiskFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

describe('a repeated delivery', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => {
    fixture = await openDiskFixture();
  });
  afterEach(() => fixture.dispose());

  it('is found without the writer, which another process holds up', async () => {
    const { ledger, options } = fixture;
    await acceptAll(ledger, [1]);
    const blocker = new DatabaseSync(options.file);
    blocker.exec('BEGIN IMMEDIATE');
    try {
      const before = ledger.commits().groups;
      const repeat = aDelivery(2, { deliveryKey: aDelivery(1).deliveryKey });
      const found = { kind: 'duplicate', deliveryId: deliveryIdOf(1) };
      expect(await ledger.acceptDelivery(repeat, ROOMY)).to.deep.equal(found);
      expect(ledger.commits().groups).to.equal(before);
    } finally {
      blocker.close();
    }
  });
});
