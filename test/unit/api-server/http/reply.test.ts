import { expect } from 'chai';
import { conditional, json } from '../../../../api-server/http/reply.ts';

describe('conditional', () => {
  const rows: [string, string | undefined, string, number][] = [
    ['no validator', undefined, '"a"', 200],
    ['the same', '"a"', '"a"', 304],
    ['another', '"b"', '"a"', 200],
    ['weak against strong', 'W/"a"', '"a"', 304],
    ['strong against weak', '"a"', 'W/"a"', 304],
    ['one of several', '"b", W/"a"', '"a"', 304],
    ['any', '*', '"a"', 304],
    ['without quotes', 'a', '"a"', 200],
  ];
  for (const [why, header, etag, expected] of rows) {
    it(`${why}: ${expected}`, () => {
      const reply = conditional(header, etag, json({ x: 1 }, { vary: 'Accept' }));
      expect([reply.status, reply.headers['etag'], reply.headers['vary']]).to.deep.equal([expected, etag, 'Accept']);
      expect(reply.body.length === 0).to.equal(expected === 304);
    });
  }

  it('makes a body only when it is sent', () => {
    let made = 0;
    const body = (): string => `body ${(made += 1)}`;
    const given = { status: 200, headers: { 'content-type': 'text/plain' }, body };
    expect(conditional('"a"', '"a"', given)).to.deep.equal({ status: 304, headers: { etag: '"a"' }, body: '' });
    expect(made).to.equal(0);
    expect(conditional('"b"', '"a"', given).body).to.equal('body 1');
  });
});
