import { expect } from 'chai';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import { newStatus } from '../../../../core/failover/status-codec.ts';
import { FailoverRows } from '../../../../standalone/failover/failover-rows.ts';
import { idOf } from '../../../support/standalone-loop.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = { namespace: 'acme', orbId: idOf('acme.lookup@1.0.0') };
const KEY = 'acme/acme.lookup@1.0.0';

describe('FailoverRows', () => {
  let fixture: SqliteFixture;
  const opened = async (): Promise<FailoverRows> => {
    const rows = new FailoverRows({ ledger: fixture.ledger, catalog: new MemoryCatalog() });
    await rows.open();
    return rows;
  };
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  it('reads back what it wrote, with the uid of the first time', async () => {
    const rows = await opened();
    const first = await rows.put(ORB, newStatus('main', 1000));
    const second = await rows.put(ORB, newStatus('backup', 2000, 'manual'));
    expect(second.uid).to.equal(first.uid);
    expect((await opened()).get(ORB)).to.deep.equal(second);
  });

  const broken: readonly (readonly [string, string, string])[] = [
    ['no JSON', KEY, '{'],
    ['no object', KEY, '[]'],
    ['no uid', KEY, '{"activeProvider":"main","since":"2026-11-20T12:00:00.000Z"}'],
    ['no active provider', KEY, '{"uid":"u","since":"2026-11-20T12:00:00.000Z"}'],
    ['a key without an Orb', 'acme', '{"uid":"u","activeProvider":"main","since":"2026-11-20T12:00:00.000Z"}'],
  ];
  for (const [why, key, json] of broken)
    it(`drops a row that holds ${why}: the Orb begins anew`, async () => {
      await fixture.ledger.putState('failover', key, json);
      expect((await opened()).get(ORB)).to.equal(undefined);
      expect(await fixture.ledger.states('failover')).to.deep.equal([]);
    });
});
