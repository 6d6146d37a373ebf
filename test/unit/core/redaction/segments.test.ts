import { expect } from 'chai';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { segmentsOf } from '../../../../core/redaction/segments.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const segments = (text: string): readonly string[] =>
  segmentsOf(bytes(text)).map((one) => new TextDecoder().decode(one));

describe('a secret in the form of a path', () => {
  const redactor = createRedactor([{ name: 'HOOK', value: bytes('T0123456/B01234567/abc/xyz-0123456789\n') }]);

  it('is redacted as a whole, also with its slashes encoded', () => {
    for (const text of ['T0123456/B01234567/abc/xyz-0123456789', 'T0123456%2FB01234567%2Fabc%2Fxyz-0123456789'])
      expect(redactor.text(`sent ${text}.`).value).to.equal('sent [redacted:HOOK].');
  });

  it('has each segment redacted by itself, except short ones', () => {
    expect(redactor.text('no hook xyz-0123456789 of B01234567').value).to.equal(
      'no hook [redacted:HOOK] of [redacted:HOOK]',
    );
    expect(redactor.text('abc').value).to.equal('abc');
    expect(redactor.unscrubbable).to.deep.equal([]);
  });

  it('is told from other values with slashes', () => {
    expect(segments('abcdefgh/12345678')).to.deep.equal(['abcdefgh', '12345678']);
    for (const text of [
      'abcdefgh',
      'abcdefgh+/12345678==',
      'https://a.example/12345678',
      '/abcdefgh/',
      'abcdefgh//1234567',
    ])
      expect(segments(text)).to.deep.equal([]);
  });
});
