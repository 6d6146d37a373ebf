import { expect } from 'chai';
import { createTestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

describe('the body of a request for a run', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  const rows: readonly (readonly [why: string, body: object, faults: readonly (readonly [string, string])[]])[] = [
    ['no orb_id', { inputs: { text: 'hi' } }, [['/orb_id', 'missing-member']]],
    ['an orb_id without a version', { orb_id: 'acme.echo', inputs: {} }, [['/orb_id', 'orb-id-malformed']]],
    ['an orb_id that is no text', { orb_id: 7, inputs: {} }, [['/orb_id', 'orb-id-malformed']]],
  ];
  it('names twenty unknown members, and no more', async () => {
    const { execute } = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
    const names = Array.from({ length: 25 }, (_, index) => `more_${index}`);
    const body = { orb_id: 'acme.echo@1.0.0', inputs: {}, ...Object.fromEntries(names.map((name) => [name, 1])) };
    const { errors } = (await execute({ body: JSON.stringify(body) })).body;
    const pointers = Array.isArray(errors) ? errors.map((error: { readonly pointer: string }) => error.pointer) : [];
    expect(pointers).to.deep.equal(names.slice(0, 20).map((name) => `/${name}`));
  });

  it('is refused with the version that was probably meant', async () => {
    const { execute } = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
    const answer = await execute({ body: JSON.stringify({ orb_id: 'acme.echo', inputs: {} }) });
    expect(answer.body).to.have.nested.property('errors[0].suggestion', 'acme.echo@1.0.0');
  });

  for (const [why, body, faults] of rows)
    it(`is refused with ${why}, and the place is named`, async () => {
      const { execute, sent } = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
      const answer = await execute({ body: JSON.stringify(body) });
      expect(answer.status).to.equal(422);
      const found: unknown = answer.body['errors'];
      expect(found).to.be.an('array').with.length(faults.length);
      for (const [index, [pointer, code]] of faults.entries())
        expect(found).to.have.nested.property(`[${index}]`).that.includes({ pointer, code });
      expect(sent).to.deep.equal([]);
    });
});
