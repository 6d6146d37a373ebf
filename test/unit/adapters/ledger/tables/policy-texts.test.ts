import { expect } from 'chai';
import { DatabaseSync } from 'node:sqlite';
import {
  policyTextReader,
  policyTextRows,
  policyTextTable,
  type PolicyTextRows,
} from '../../../../../adapters/ledger/tables/policy-texts.ts';
import { HOLE, SEAM } from '../../../../../core/json/shared-text.ts';

const DAY_MS = 86_400_000;
const SHARED = `{"orb":"a"${SEAM},"number":${HOLE}}`;

describe('texts that records share', () => {
  let db: DatabaseSync;
  let rows: PolicyTextRows;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec(policyTextTable.schema[6] ?? '');
    rows = policyTextRows(db);
  });
  afterEach(() => db.close());

  const stored = (): unknown => db.prepare('SELECT count(*) AS texts FROM policy_texts').get()?.['texts'];

  it('are stored once for each part, with ids that follow from them', () => {
    const ids = rows.idsOf(SHARED, 5);
    expect(ids).to.match(/^[0-9a-f]{12},[0-9a-f]{12}$/);
    expect(policyTextRows(db).idsOf(SHARED, 7)).to.equal(ids);
    expect(rows.idsOf(`{"orb":"b"${SEAM},"number":${HOLE}}`, 5)).to.match(new RegExp(`,${ids?.split(',')[1]}$`));
    expect(stored()).to.equal(3);
    expect(policyTextReader(db)(ids ?? '')).to.deep.equal(['{"orb":"a","number":', '}']);
    expect(policyTextReader(db)('000000000001')).to.equal(undefined);
  });

  it('are written again after a rollback', () => {
    db.exec('BEGIN');
    const ids = rows.idsOf(SHARED, 5);
    db.exec('ROLLBACK');
    rows.forget();
    expect([rows.idsOf(SHARED, 5), stored()]).to.deep.equal([ids, 2]);
  });

  it('stay a day longer than the time up to which decisions are erased, counted from a use', () => {
    rows.idsOf(SHARED, 0);
    rows.idsOf(SHARED, DAY_MS - 1); // within a day of the use that is stored
    expect(rows.eraseBefore(DAY_MS, 9)).to.equal(0);
    rows.idsOf(SHARED, DAY_MS);
    expect([rows.eraseBefore(2 * DAY_MS, 9), rows.eraseBefore(2 * DAY_MS + 1, 1), stored()]).to.deep.equal([0, 1, 1]);
  });

  it('are not shared when another text has the id', () => {
    const ids = rows.idsOf(SHARED, 0) ?? '';
    db.prepare('UPDATE policy_texts SET text = ? WHERE id = ?').run(
      'another',
      Number.parseInt(ids.split(',')[0] ?? '', 16),
    );
    rows.forget();
    expect(rows.idsOf(SHARED, 0)).to.equal(undefined);
  });
});
