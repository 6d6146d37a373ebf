import { expect } from 'chai';
import { converse, startAttacked, type Attacked } from '../../support/attacks/attacked.ts';

const HOST = 'Host: 127.0.0.1\r\n';
const GET = 'GET /health HTTP/1.1\r\n';
const POST = `POST /orbisets/default/execute HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

const rows: readonly (readonly [why: string, sent: string, status: number, code: string])[] = [
  ['no Host', `${GET}\r\n`, 400, 'malformed-request'],
  ['two Hosts', `${GET}${HOST}${HOST}\r\n`, 400, 'malformed-request'],
  ['a Host with a path', `${GET}Host: a/b\r\n\r\n`, 400, 'malformed-request'],
  [
    'two Authorizations',
    `${GET}${HOST}Authorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n`,
    400,
    'malformed-request',
  ],
  ['an unknown expectation', `${GET}${HOST}Expect: tea\r\n\r\n`, 417, 'expectation-failed'],
  ['CONNECT', `CONNECT provider.example:443 HTTP/1.1\r\n${HOST}\r\n`, 405, 'method-not-allowed'],
  ['an absurd method', `BREW /pot HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed-request'],
  ['a method of 10 000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed-request'],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, 400, 'malformed-request'],
  ['a length twice in one header', `${POST}Content-Length: 2, 2\r\n\r\n{}`, 400, 'malformed-request'],
  ['a length with a sign', `${POST}Content-Length: +2\r\n\r\n{}`, 400, 'malformed-request'],
  [
    'length and chunks',
    `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'malformed-request',
  ],
  [
    'chunks that are not the last coding',
    `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    400,
    'malformed-request',
  ],
  ['a coding before the chunks', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400, 'malformed-request'],
  [
    'two Transfer-Encodings',
    `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'malformed-request',
  ],
  ['a chunk whose size is no number', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400, 'malformed-request'],
  ['a line that is folded', `${GET}${HOST}X: a\r\n b\r\n\r\n`, 400, 'malformed-request'],
  ['a zero byte in a header', `${GET}${HOST}X: a\0b\r\n\r\n`, 400, 'malformed-request'],
  ['a space before the colon', `${GET}${HOST}X : a\r\n\r\n`, 400, 'malformed-request'],
  ['an unknown version', `GET /health HTTP/3.7\r\n${HOST}\r\n`, 400, 'malformed-request'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed-request'],
  ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400, 'malformed-request'],
  ['201 headers', `${GET}${HOST}${'X: y\r\n'.repeat(200)}\r\n`, 431, 'headers-too-large'],
  ['17 KiB of headers', `${GET}${HOST}X: ${'y'.repeat(17_408)}\r\n\r\n`, 431, 'headers-too-large'],
];

describe('requests that are malformed (security.md S6)', function suite() {
  this.timeout(30_000);
  let attacked: Attacked;
  before(async () => {
    attacked = await startAttacked();
  });
  after(async () => {
    expect(await attacked.stop()).to.equal(0);
  });

  for (const [why, sent, status, code] of rows) {
    it(`are refused with a problem, and the connection is closed: ${why}`, async () => {
      const answer = await converse(attacked.port, [sent]);
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer).to.match(/^content-type: application\/problem\+json\r$/im);
      expect(answer).to.match(/^connection: close\r$/im);
      expect(answer).to.match(/^orb-request-id: req_/im);
      expect(answer).to.contain(`"code":"${code}"`);
      expect(answer).to.not.contain('[not closed]');
    });
  }

  it('are counted, and the next caller is answered', async () => {
    expect(await attacked.metric('orb_http_refusals_total{reason="malformed-request"}')).to.be.greaterThan(15);
    expect(await attacked.metric('orb_http_refusals_total{reason="headers-too-large"}')).to.equal(2);
    expect((await attacked.get('/health')).status).to.equal(200);
  });
});
