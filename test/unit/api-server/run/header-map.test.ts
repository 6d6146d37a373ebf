import { expect } from 'chai';
import { contentTypeOf, headerMap } from '../../../../api-server/run/header-map.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('headerMap', () => {
  it('joins headers that come twice, in their order', () => {
    expect(
      headerMap([
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
        ['a', ''],
      ]),
    ).to.deep.equal({ a: '1, 3, ', b: '2' });
    expect(headerMap([])).to.deep.equal({});
  });

  it('reads UTF-8, so that a secret in it is found, and leaves other bytes as they are', () => {
    expect(
      headerMap([
        ['a', latin1('ключ-é')],
        ['b', '\u00e9'],
        ['c', 'plain'],
      ]),
    ).to.deep.equal({
      a: 'ключ-é',
      b: '\u00e9',
      c: 'plain',
    });
  });

  it('has a header named __proto__ as a member like any other', () => {
    expect(Object.entries(headerMap([['__proto__', 'x']]))).to.deep.equal([['__proto__', 'x']]);
  });
});

describe('contentTypeOf', () => {
  it('is what headerMap has', () => {
    for (const headers of [
      [],
      [['accept', 'x']],
      [['content-type', 'text/html']],
      [
        ['a', 'b'],
        ['content-type', latin1('text/é')],
        ['content-length', '1'],
      ],
      [
        ['content-type', 'text/html'],
        ['content-type', 'text/plain'],
      ],
    ] as const)
      expect(contentTypeOf(headers)).to.equal(headerMap(headers)['content-type']);
    expect(
      contentTypeOf([
        ['content-type', 'a'],
        ['content-type', 'b'],
      ]),
    ).to.equal('a, b');
  });
});
