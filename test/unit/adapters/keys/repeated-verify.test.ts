import { expect } from 'chai';
import fc from 'fast-check';
import { repeatedVerify } from '../../../../adapters/keys/repeated-verify.ts';
import { ed25519Verify } from '../../../../adapters/keys/primitives.ts';
import { keyOfSeed } from '../../../../hack/vectors/primitives.ts';

const signer = keyOfSeed('1'.repeat(64));
const other = keyOfSeed('2'.repeat(64));
const message = Buffer.from('orbs.example/log\n11\nroot\n');
const signature = Buffer.from(signer.sign(message));

describe('repeatedVerify', () => {
  it('answers as a verifier without memory, in any order and however often it is asked', () => {
    const change = fc.record({
      part: fc.constantFrom('none', 'key', 'signature', 'message'),
      at: fc.nat(200),
      bit: fc.nat(7),
      isLong: fc.boolean(),
    });
    const verify = repeatedVerify();
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
        for (const { part, at, bit, isLong } of changes) {
          const text = isLong ? Buffer.concat([message, Buffer.alloc(600)]) : message;
          const parts = {
            key: Buffer.from(signer.publicKey),
            signature: Buffer.from(signer.sign(text)),
            message: Buffer.from(text),
          };
          if (part !== 'none') {
            const bytes = parts[part];
            bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit);
          }
          const expected = ed25519Verify(parts.key, parts.signature, parts.message);
          expect(verify(parts.key, parts.signature, parts.message)).to.equal(expected);
          expect(expected).to.equal(part === 'none');
        }
      }),
    );
  });

  it('never takes bytes from one part for those of another', () => {
    const verify = repeatedVerify();
    expect(verify(signer.publicKey, signature, message)).to.equal(true);
    const moved = Buffer.concat([signature.subarray(63), message]);
    expect(verify(signer.publicKey, signature.subarray(0, 63), moved)).to.equal(false);
    expect(verify(other.publicKey, signature, message)).to.equal(false);
    expect(verify(signer.publicKey, signature, message)).to.equal(true);
  });

  it('still answers right when it has seen more than it keeps', () => {
    const verify = repeatedVerify();
    const texts = Array.from({ length: 1100 }, (_, index) => Buffer.from(`text ${index}`));
    const [first = message] = texts;
    for (const text of texts) expect(verify(signer.publicKey, signer.sign(text), text)).to.equal(true);
    expect(verify(signer.publicKey, signer.sign(first), first)).to.equal(true);
    expect(verify(signer.publicKey, signer.sign(first), Buffer.from('text 1'))).to.equal(false);
  });

  it('answers false for bytes that are no key', () => {
    expect(repeatedVerify()(Buffer.alloc(32, 0xff), signature, message)).to.equal(false);
    expect(repeatedVerify()(new Uint8Array(0), signature, message)).to.equal(false);
  });
});
