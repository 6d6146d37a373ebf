import { expect } from 'chai';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { listAt } from '../../../../core/json/members.ts';
import { ACME } from '../../../support/a-runtime.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { PolicyRuns } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const namesOf = (json: JsonObject): readonly unknown[] =>
  listAt(json, 'rules').map((rule) => (isJsonObject(rule) ? rule['rule'] : undefined));

describe('the record of a decision', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  /** The record of a run that so many rules match. */
  async function recordWith(count: number): Promise<JsonObject> {
    const rules = Array.from({ length: count }, (_, index) =>
      aRule('allow', 'true', { name: `rule-${String(index).padStart(3, '0')}`, message: 'x'.repeat(200) }),
    );
    const { execute, orbiset } = runs.create([aPolicy({ rules })]);
    return (await runs.kept(await execute({ orbiset }))).json;
  }

  it('has every rule that matched, when they fit', async () => {
    const json = await recordWith(50);
    expect(namesOf(json)).to.have.length(50);
    expect(json).to.not.have.property('rules_left_out');
  });

  it('has the first rules that fit into 64 KiB, and how many more matched', async () => {
    const json = await recordWith(500);
    const names = namesOf(json);
    expect(Buffer.byteLength(JSON.stringify(json))).to.be.within(20_000, 65_536);
    expect(names).to.deep.equal(names.map((_, index) => `rule-${String(index).padStart(3, '0')}`));
    expect(json['rules_left_out']).to.equal(500 - names.length);
  });

  it('names the exception that was used, with empty text for what it does not limit', async () => {
    const exception = { rule: 'rule', until: '2027-01-15T00:00:00Z', reason: 'agreed' };
    for (const [limit, shown] of [
      [{ orb: 'acme.echo@*' }, { orb: 'acme.echo@*', caller: '' }],
      [{ caller: ACME.id }, { orb: '', caller: ACME.id }],
    ] as const) {
      const policy = aPolicy({ rules: [aRule('deny', 'true')], exceptions: [{ ...exception, ...limit }] });
      const { execute, orbiset } = runs.create([policy]);
      const { json } = await runs.kept(await execute({ orbiset }));
      expect(json['exceptions_used']).to.deep.equal([{ ...exception, ...shown, policy: 'acme/policy' }]);
    }
  });
});
