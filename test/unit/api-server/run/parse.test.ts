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
