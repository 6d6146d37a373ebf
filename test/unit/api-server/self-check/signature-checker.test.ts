import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import type { NativeEd25519, VerifyEd25519 } from '../../../../adapters/keys/native-ed25519.ts';
import { nodeEncoding } from '../../../../adapters/keys/primitives.ts';
import { signatureChecker } from '../../../../api-server/self-check/signature-checker.ts';
import { signJws } from '../../../../core/receipt/jws.ts';
import { receiptKey } from '../../../support/a-runtime.ts';

const published = receiptKey.publicKey;
const jws = signJws('{"a":1}', 'orb-receipt+jws', receiptKey.signer, nodeEncoding);
const [head = '', payload = '', signature = ''] = jws.split('.');

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** The letter that differs in its lowest bit. */
const neighbour = (letter: string): string => LETTERS.charAt(LETTERS.indexOf(letter) ^ 1);
/** Its first letter 256 places further. */
const folded = (text: string): string => String.fromCharCode(text.charCodeAt(0) + 256) + text.slice(1);

const ROWS: readonly (readonly [what: string, text: string, fits: boolean])[] = [
  ['what was signed', jws, true],
  ['another payload', [head, `${payload}A`, signature].join('.'), false],
  ['no payload', [head, '', signature].join('.'), false],
  ['a cut signature', jws.slice(0, -4), false],
  ['a longer signature', `${jws}AAAA`, false],
  ['no signature', `${head}.${payload}.`, false],
  ['a signature that is no base64url', `${head}.${payload}.${'*'.repeat(86)}`, false],
  ['a signature with a letter that the decoder skips', `${head}.${payload}.*${signature}`, false],
  ['a signature with another last letter for the same bytes', jws.slice(0, -1) + neighbour(jws.slice(-1)), false],
  [
    'a letter beyond Latin with the low byte of the one that was signed',
    `${head}.${folded(payload)}.${signature}`,
    false,
  ],
  ['letters beyond Latin', `${head}.${payload}ł.${signature}`, false],
  ['no dot', 'receipt', false],
  ['nothing', '', false],
];

const WRONG = `${jws.slice(0, -86)}${'A'.repeat(86)}`;
/** A libsodium that verifies so. */
const verifying = (verify: VerifyEd25519): NativeEd25519 => ({
  ok: true,
  verify,
  signWith: () => receiptKey.signer.sign,
});

describe('signatureChecker', () => {
  const absent = { ok: false, reason: 'Cannot find module' } as const;

  for (const [library, native] of [
    ['libsodium', undefined],
    ['node:crypto', absent],
  ] as const)
    describe(`with ${library}`, () => {
      for (const [what, text, fits] of ROWS)
        it(`${fits ? 'accepts' : 'refuses'} ${what}`, () => {
          expect(signatureChecker(published, native).fits(text)).to.equal(fits);
        });

      it('refuses what another key signed', () => {
        const other = generateKeyPairSync('ed25519').publicKey;
        expect(signatureChecker(other, native).fits(jws)).to.equal(false);
      });
    });

  it('gives libsodium the bytes of the key that was published', () => {
    const keys: Uint8Array[] = [];
    const checker = signatureChecker(
      published,
      verifying((key) => keys.push(key) === 1),
    );
    expect(checker.fits(jws)).to.equal(true);
    expect(Buffer.from(keys[0] ?? []).toString('base64url')).to.equal(published.export({ format: 'jwk' }).x);
  });

  it('has node:crypto check the first and each sixteenth after it, that libsodium accepts wrongly', () => {
    const { fits } = signatureChecker(
      published,
      verifying(() => true),
    );
    const wrong = Array.from({ length: 49 }, () => fits(WRONG));
    const refused = wrong.flatMap((one, index) => (one ? [] : [index]));
    expect(refused).to.deep.equal([0, 16, 32, 48]);
  });

  it('has node:crypto check one that comes a minute after the last that both checked', () => {
    let now = 5000;
    const { fits } = signatureChecker(
      published,
      verifying(() => true),
      () => now,
    );
    const at = (ms: number): boolean => {
      now = 5000 + ms;
      return fits(WRONG);
    };
    expect([0, 1, 59_999, 60_000, 60_001, 119_999, 120_000].map(at)).to.deep.equal([
      false,
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it('accepts nothing that libsodium refuses, also where node:crypto would check it', () => {
    const { fits } = signatureChecker(
      published,
      verifying(() => false),
    );
    expect(Array.from({ length: 17 }, () => fits(jws))).to.not.include(true);
  });
});
