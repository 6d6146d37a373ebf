import { expect } from 'chai';
import { errorCode } from '../../../../core/errors/error-code.ts';

describe('errorCode', () => {
  const rows: readonly (readonly [string, unknown, string | undefined])[] = [
    ['the code of an error', Object.assign(new Error('no'), { code: 'ENOENT' }), 'ENOENT'],
    ['nothing of an error without one', new Error('ENOENT'), undefined],
    ['nothing of a number', Object.assign(new Error('no'), { code: 2 }), undefined],
    ['nothing of what is no error', { code: 'ENOENT' }, undefined],
    ['nothing of undefined', undefined, undefined],
  ];
  for (const [what, error, code] of rows)
    it(`gives ${what}`, () => {
      expect(errorCode(error)).to.equal(code);
    });
});
