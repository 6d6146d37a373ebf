import { expect } from 'chai';
import { withoutToken } from '../../../../../core/ingestion/mapping/form.ts';

describe('a form that is shown', () => {
  const ROWS: readonly [why: string, form: string, shown: string][] = [
    ['the field of the secret', 'Token=abc&Status=Down', 'Token=[hidden]&Status=Down'],
    ['each of two', 'a=1&token=x&TOKEN=y', 'a=1&token=[hidden]&TOKEN=[hidden]'],
    ['a name that is escaped', '%54oken=abc', '%54oken=[hidden]'],
    ['a value with an equals sign', 'token=a=b', 'token=[hidden]'],
  ];
  for (const [why, form, shown] of ROWS) it(`hides ${why}`, () => expect(withoutToken(form)).to.equal(shown));

  it('is otherwise as it came', () => {
    const form = 'Name=a+token&tokens=1&%zz=2&&=token&Token';
    expect(withoutToken(form)).to.equal(form);
  });
});
