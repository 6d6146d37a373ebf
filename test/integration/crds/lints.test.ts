import { expect } from 'chai';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { LINT_ROWS, lintOrb, type LintRow } from '../../support/crds/lint-rows.ts';
import { openJudge, type ServerJudge } from '../../support/crds/verdicts.ts';

/** Codes of our own rules; a schema's refusal is the server's text. */
const codeIn = ({ finds }: LintRow): string => {
  const code = finds.split(' ')[0] ?? '';
  return code.startsWith('schema-') ? '' : `(${code})`;
};

describe('kubectl apply of a bad configuration (failover.md §4 and §11)', function suite() {
  this.timeout(120_000);
  let judge: ServerJudge | undefined;
  const asked = (row: LintRow): ReturnType<ServerJudge['verdict']> => {
    if (judge === undefined) throw new Error('the control plane is not there');
    return judge.verdict('Orb', JSON.stringify(lintOrb('bad', row.spec)));
  };

  before(async () => {
    judge = openJudge(await sharedControlPlane(), 'tenant-a');
  });
  after(() => judge?.close());

  for (const row of LINT_ROWS) {
    const { refusal } = row;
    if (refusal === undefined)
      it(`lets pass, for the status to tell: ${row.why}`, async () => {
        expect(await asked(row)).to.deep.equal({ accepted: true, errors: [] });
      });
    else
      it(`is refused: ${row.why}`, async () => {
        const { accepted, errors } = await asked(row);
        expect(accepted).to.equal(false);
        expect(errors.join()).to.match(refusal);
        expect(errors.join()).to.include(codeIn(row));
      });
  }
});
