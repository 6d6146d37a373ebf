import { expect } from 'chai';
import { createTestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

describe('what a run needs', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  const create = () => createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });

  it('is an Orb that was valid once: 409 with its fault before', async () => {
    const { catalog, execute, sent } = create();
    const [entry] = catalog.all();
    if (entry === undefined) throw new TypeError('there is one');
    catalog.setOrb({ ...entry, compiled: undefined, createdAt: 0, fault: 'spec.url: Write a URL.' });
    const { status, code, body } = await execute({});
    expect([status, code, sent.length]).to.deep.equal([409, 'orb-not-ready', 0]);
    expect(body['detail']).to.include('spec.url: Write a URL.');
  });

  it('is an Orbiset that is still there when the body was read', async () => {
    const { catalog, execute, sent } = create();
    const found = catalog.orbiset.bind(catalog);
    let asked = 0;
    Object.defineProperty(catalog, 'orbiset', {
      value: (namespace: string, name: string) => {
        asked += 1;
        return asked === 1 ? found(namespace, name) : undefined;
      },
    });
    const { status, code } = await execute({});
    expect([status, code, sent.length]).to.deep.equal([404, 'orbiset-not-found', 0]);
    expect(asked).to.equal(2);
  });
});
