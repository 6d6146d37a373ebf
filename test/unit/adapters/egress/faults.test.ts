import { expect } from 'chai';
import { abortFailure, blocked, EgressFault, failureOf, isShortage } from '../../../../adapters/egress/faults.ts';

const coded = (code: string): Error => Object.assign(new Error('secret text'), { code });

const parser = (): Error => Object.assign(new Error('secret text'), { name: 'HTTPParserError' });

const ROWS: readonly (readonly [why: string, error: unknown, responding: boolean, expected: object])[] = [
  ['our own fault', blocked('egress-denied-peer'), true, { kind: 'blocked', code: 'egress-denied-peer' }],
  ['too many header bytes', coded('UND_ERR_HEADERS_OVERFLOW'), false, { kind: 'response', code: 'headers-too-large' }],
  [
    'a body shorter than its length',
    coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    true,
    { kind: 'transport', code: 'truncated' },
  ],
  [
    'a length that contradicts the head',
    coded('UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    false,
    { kind: 'transport', code: 'protocol' },
  ],
  ['a cut chunk', parser(), true, { kind: 'transport', code: 'truncated' }],
  ['what is no HTTP', parser(), false, { kind: 'transport', code: 'protocol' }],
  ['a reset before the answer', coded('ECONNRESET'), false, { kind: 'transport', code: 'reset' }],
  ['a reset within the answer', coded('ECONNRESET'), true, { kind: 'transport', code: 'truncated' }],
  ['a closed socket before the answer', coded('UND_ERR_SOCKET'), false, { kind: 'transport', code: 'reset' }],
  [
    'a late alert of TLS',
    coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    false,
    { kind: 'transport', code: 'tls' },
  ],
  ...['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAI_MEMORY'].map(
    (code) => [`our own ${code}`, coded(code), false, { kind: 'exhausted', code: 'platform-exhausted' }] as const,
  ),
  ['a closed agent', coded('UND_ERR_CLOSED'), false, { kind: 'cancelled', code: 'cancelled' }],
  ['what undici can not do', coded('UND_ERR_NOT_SUPPORTED'), false, { kind: 'transport', code: 'protocol' }],
  ['a broken handshake', coded('EPROTO'), true, { kind: 'transport', code: 'tls' }],
  ['an error of TLS in Node', coded('ERR_TLS_CERT_ALTNAME_INVALID'), true, { kind: 'transport', code: 'tls' }],
  ['a destroyed agent', coded('UND_ERR_DESTROYED'), false, { kind: 'cancelled', code: 'cancelled' }],
  ['a request that undici refuses', coded('UND_ERR_INVALID_ARG'), false, { kind: 'transport', code: 'protocol' }],
  ['an error without a code', new Error('x'), false, { kind: 'transport', code: 'reset' }],
  ['a name of Object.prototype', coded('constructor'), false, { kind: 'transport', code: 'reset' }],
  ['what is no error', null, false, { kind: 'transport', code: 'reset' }],
];

describe('failureOf', () => {
  for (const [why, error, responding, expected] of ROWS) {
    it(`names ${why}`, () => {
      expect(failureOf(error, responding)).to.deep.equal(expected);
    });
  }
});

describe('isShortage', () => {
  it('tells our own shortage from faults of others', () => {
    expect(['EMFILE', 'EAI_MEMORY'].map((code) => isShortage(coded(code)))).to.deep.equal([true, true]);
    expect([coded('ECONNRESET'), coded('UND_ERR_CLOSED'), new Error('x'), null].map(isShortage)).to.deep.equal(
      Array(4).fill(false),
    );
  });
});

describe('abortFailure', () => {
  it('tells a deadline from a cancel', () => {
    const late = AbortSignal.abort(new DOMException('x', 'TimeoutError'));
    expect(abortFailure(late)).to.deep.equal({ kind: 'timeout', code: 'deadline' });
    expect(abortFailure(AbortSignal.abort())).to.deep.equal({ kind: 'cancelled', code: 'cancelled' });
    expect(abortFailure(AbortSignal.abort('TimeoutError'))).to.deep.equal({ kind: 'cancelled', code: 'cancelled' });
  });
});

describe('EgressFault', () => {
  it('says nothing but its code', () => {
    expect(new EgressFault({ kind: 'transport', code: 'dns' }).message).to.equal('dns');
  });

  it('has no stack, and leaves those of other errors', () => {
    expect(new EgressFault({ kind: 'transport', code: 'dns' }).stack).to.not.include('\n');
    expect(new Error('other').stack).to.include('\n');
  });
});
