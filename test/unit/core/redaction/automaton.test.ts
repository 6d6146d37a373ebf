import { expect } from 'chai';
import { automatonOf } from '../../../../core/redaction/automaton.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes of memory that the automaton of these values takes. */
function memoryOf(values: readonly string[]): number {
  const { states, rows } = automatonOf(values.map((value, entry) => ({ bytes: utf8(value), entry })));
  return states.byteLength + rows.byteLength;
}

describe('memory of the values to redact', () => {
  const [STATE, ROW] = [32, 1024];

  it('is 32 bytes for each of their bytes, and 1 KiB more in all', () => {
    expect(memoryOf(['x'.repeat(10_000)])).to.equal(10_001 * STATE + ROW);
    expect(memoryOf(['abcdefgh', 'abc45678', '12345678'])).to.equal((1 + 8 + 5 + 8) * STATE + ROW);
  });

  it('grows by 1 KiB where more than three values part', () => {
    const values = ['a', 'b', 'c', 'd'].map((letter) => `begin-${letter}`);
    expect(memoryOf(values.slice(0, 3))).to.equal((1 + 6 + 3) * STATE + ROW);
    expect(memoryOf(values)).to.equal((1 + 6 + 4) * STATE + 2 * ROW);
  });
});
