import { expect } from 'chai';
import { readEqual, reasonOf, refuseOutdated } from '../../../../hack/mutate/equal.ts';

const mutant = { file: 'core/a.ts', line: 'return a < b;', change: 'a < b  →  ((a) <= (b))' };
const LIST = [{ ...mutant, reason: 'a is never b' }];

describe('the list of changes that no test can notice', () => {
  it('gives the reason of a change, and of no other', () => {
    expect(reasonOf(LIST, mutant)).to.equal('a is never b');
    for (const other of [{ file: 'core/b.ts' }, { line: 'return a;' }, { change: 'a < b  →  a' }])
      expect(reasonOf(LIST, { ...mutant, ...other })).to.equal(undefined);
  });

  it('is refused when its change is gone from a file that is mutated', () => {
    expect(() => refuseOutdated(LIST, [{ ...mutant, line: 'return b > a;' }])).to.throw('core/a.ts  a < b');
    refuseOutdated(LIST, [mutant]);
    refuseOutdated(LIST, [{ ...mutant, file: 'core/b.ts' }]);
  });

  it('names a reason for each change of the repository', () => {
    expect(readEqual().filter(({ reason }) => reason.trim() === '')).to.deep.equal([]);
  });
});
