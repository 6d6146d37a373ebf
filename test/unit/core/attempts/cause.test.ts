import { expect } from 'chai';
import { agoText, causeOf, limitText, sizeText, spanText, statusCause } from '../../../../core/attempts/cause.ts';
import { ATTEMPT_REASONS } from '../../../../core/attempts/reasons.ts';

describe('the cause of a failed attempt', () => {
  const texts: readonly (readonly [text: string, expected: string])[] = [
    [sizeText(0), '0 bytes'],
    [sizeText(999), '999 bytes'],
    [sizeText(1200), '1.2 kB'],
    [sizeText(4_194_304), '4.2 MB'],
    [limitText(4_194_304), '4 MiB'],
    [limitText(2048), '2 KiB'],
    [limitText(1000), '1000 bytes'],
    [agoText(259_201_000), '3 d'],
    [agoText(7_200_000), '2 h'],
    [agoText(61_000), '1 min'],
    [agoText(500), '0 s'],
    [spanText(800), '800 ms'],
    [spanText(2500), '2.5 s'],
    [spanText(30_000), '30 s'],
  ];
  for (const [text, expected] of texts) it(`writes ${expected}`, () => expect(text).to.equal(expected));

  it('is one printable line of at most 300 characters, whatever the text', () => {
    const { detail } = causeOf('output-missing', `a\u001b[31m\n\u202e${'x'.repeat(400)}`);
    expect(detail)
      .to.match(/^a\\u001b\[31m\\u000a\\u202ex+…$/)
      .and.to.have.length(300);
  });

  it('has the general text of its reason when nothing more is known', () => {
    expect(causeOf('tls-failed')).to.deep.equal({ reason: 'tls-failed', detail: ATTEMPT_REASONS['tls-failed'].says });
  });

  const statuses: readonly (readonly [status: number, reason: string])[] = [
    [199, 'redirected'],
    [304, 'redirected'],
    [400, 'request-rejected'],
    [401, 'credential-refused'],
    [402, 'credential-refused'],
    [403, 'credential-refused'],
    [408, 'server-error'],
    [425, 'server-error'],
    [429, 'rate-limited'],
    [500, 'server-error'],
    [999, 'server-error'],
  ];
  for (const [status, reason] of statuses)
    it(`of ${status} is ${reason}`, () =>
      expect(statusCause(status)).to.deep.equal({ reason, detail: `HTTP ${status}` }));

  it('names the pause that an answer asks for, and says when it may be longer', () => {
    expect(statusCause(503, 1500).detail).to.equal('HTTP 503, asks to wait 2 s');
    expect(statusCause(429, 3_600_000).detail).to.equal('HTTP 429, asks to wait 3600 s or more');
  });

  it('has for every reason a sentence and a next step', () => {
    for (const [reason, { says, next }] of Object.entries(ATTEMPT_REASONS)) {
      expect(reason).to.match(/^[a-z]+(-[a-z]+)*$/);
      expect(says, reason).to.match(/^[A-Z].*\.$/);
      expect(next, reason).to.match(/^[A-Z].*\.$/);
    }
  });
});
