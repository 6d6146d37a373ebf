import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { signingKeyFrom } from '../../../../adapters/keys/key-folder.ts';
import { loadNativeEd25519, type NativeEd25519 } from '../../../../adapters/keys/native-ed25519.ts';
import { ed25519Signing } from '../../../../adapters/keys/receipt-signer.ts';

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** Around the blocks of SHA-512 too, and as long as receipts. */
const messages = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ minLength: 1000, maxLength: 5000 }));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const absent: NativeEd25519 = { ok: false, reason: 'Cannot find module' };

describe('ed25519Signing', () => {
  const native = loadNativeEd25519();

  for (const [library, used] of [
    ['libsodium', native],
    ['node:crypto', absent],
  ] as const)
    describe(`with ${library}`, () => {
      before(function skipWithout() {
        if (library === 'libsodium' && !native.ok) this.skip();
      });

      it('makes the signatures of node:crypto, of any message', () => {
        fc.assert(
          fc.property(seeds, messages, (seed, message) => {
            const { privateKey } = signingKeyFrom(seed);
            const made = ed25519Signing(privateKey, used)(message);
            expect(hexOf(made)).to.equal(hexOf(sign(null, message, privateKey)));
            expect(verify(null, message, createPublicKey(privateKey), made)).to.equal(true);
          }),
        );
      });

      it('signs part of a buffer, and gives each signature memory of its own', () => {
        const { privateKey } = signingKeyFrom(Buffer.alloc(32, 7));
        const signing = ed25519Signing(privateKey, used);
        const part = Buffer.from('xxreceiptxx').subarray(2, 9);
        const [first, second] = [signing(part), signing(Buffer.from('other'))];
        expect(hexOf(first)).to.equal(hexOf(sign(null, Buffer.from('receipt'), privateKey)));
        expect(hexOf(second)).to.not.equal(hexOf(first));
      });

      it('signs with many keys at the same time', () => {
        const keys = Array.from({ length: 40 }, (_, index) => signingKeyFrom(Buffer.alloc(32, index)).privateKey);
        const signings = keys.map((key) => ed25519Signing(key, used));
        const message = Buffer.from('one message');
        const made = signings.map((signing) => hexOf(signing(message)));
        expect(made).to.deep.equal(keys.map((key) => hexOf(sign(null, message, key))));
      });
    });

  it('gives libsodium the seed of the key, and clears its copy', () => {
    const seed = Buffer.from('ab'.repeat(32), 'hex');
    const given: Uint8Array[] = [];
    const recording: NativeEd25519 = {
      ok: true,
      verify: () => true,
      signWith: (bytes) => {
        expect(hexOf(bytes)).to.equal(hexOf(seed));
        given.push(bytes);
        return () => new Uint8Array(64);
      },
    };
    ed25519Signing(signingKeyFrom(seed).privateKey, recording);
    expect(given.map(hexOf)).to.deep.equal(['00'.repeat(32)]);
  });

  it('clears its copy where libsodium can not take it', () => {
    const given: Uint8Array[] = [];
    const failing: NativeEd25519 = {
      ok: true,
      verify: () => true,
      signWith: (bytes) => {
        given.push(bytes);
        throw new Error('libsodium made no key');
      },
    };
    const { privateKey } = signingKeyFrom(Buffer.alloc(32, 7));
    expect(() => ed25519Signing(privateKey, failing)).to.throw('made no key');
    expect(given.map(hexOf)).to.deep.equal(['00'.repeat(32)]);
  });

  it('refuses a key that is not of Ed25519', () => {
    for (const type of ['ed448', 'x25519'] as const) {
      const { privateKey } = type === 'ed448' ? generateKeyPairSync('ed448') : generateKeyPairSync('x25519');
      const taking: NativeEd25519 = { ok: true, verify: () => true, signWith: () => () => new Uint8Array(64) };
      expect(() => ed25519Signing(privateKey, taking), type).to.throw(TypeError, 'not an Ed25519 key');
    }
  });

  it('signs nothing that is not bytes', function skipWithout() {
    if (!native.ok) return this.skip();
    const signing = native.signWith(Buffer.alloc(32, 7));
    for (const wrong of ['text', undefined, 5, new DataView(new ArrayBuffer(8))])
      expect(() => void Reflect.apply(signing, undefined, [wrong]), typeof wrong).to.throw(TypeError, 'signs bytes');
    return undefined;
  });

  it('refuses a seed of another length', function skipWithout() {
    if (!native.ok) return this.skip();
    for (const length of [0, 31, 33, 64])
      expect(() => native.signWith(new Uint8Array(length))).to.throw(RangeError, '32 bytes');
    return undefined;
  });
});
