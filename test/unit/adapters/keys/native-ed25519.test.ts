import { createRequire } from 'node:module';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { loadNativeEd25519, type NativeEd25519, type VerifyEd25519 } from '../../../../adapters/keys/native-ed25519.ts';
import { publicKeyOf } from '../../../../adapters/keys/primitives.ts';

/** L, the order of the base point (RFC 8032 §5.1), and p, the prime of the field. */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const PRIME = 2n ** 255n - 19n;
/** PKCS #8 around the 32 bytes of a private key (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const BINARY = `sodium-native/prebuilds/${process.platform}-${process.arch}/sodium-native.node`;

const littleEndian = (value: bigint): Buffer =>
  Buffer.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').toReversed());
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);

const withSign = (y: bigint): readonly Buffer[] => [littleEndian(y), littleEndian(y + 2n ** 255n)];
/** y of the points of order 8. */
const ORDER_8 = numberOf(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex'));
/** Points of small order, also as they must not be written: with y ≥ p, and with a sign where x is 0. */
const ODD_POINTS = [0n, 1n, PRIME - 1n, PRIME, PRIME + 1n, ORDER_8, PRIME - ORDER_8].flatMap(withSign);

interface Case {
  readonly key: Buffer;
  readonly signature: Buffer;
  readonly message: Buffer;
}

/** The verdict of `node:crypto`, that never throws. */
function nodeVerdict({ key, signature, message }: Case): boolean {
  try {
    return verify(null, message, publicKeyOf(key), signature);
  } catch {
    return false;
  }
}

const made = fc
  .record({
    seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    message: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  })
  .map(({ seed, message }): Case => {
    const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
    const key = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
    return { key, signature: sign(null, message, privateKey), message };
  });

const bytesOf = (length: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((one) => Buffer.from(one));

/** Cut, or with zeros after it. */
const resized = (part: Buffer, length: number): Buffer => Buffer.concat([part], length);

function flipped(part: Buffer, bit: number): Buffer {
  const copy = Buffer.from(part);
  const at = Math.floor(bit / 8) % Math.max(1, copy.length);
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
  return copy;
}

describe('the Ed25519 of libsodium', () => {
  const native = loadNativeEd25519();
  let library: VerifyEd25519;

  before(function skipWithout() {
    if (!native.ok) return this.skip();
    library = native.verify;
    return undefined;
  });

  const verdict = ({ key, signature, message }: Case): boolean => library(key, signature, message);
  /** That both give, with one of its parts replaced. */
  const expectSame = (one: Case, wanted?: boolean): void => {
    const own = verdict(one);
    const hex = [one.key, one.signature, one.message].map((bytes) => bytes.toString('hex')).join(' ');
    expect(own, hex).to.equal(nodeVerdict(one));
    if (wanted !== undefined) expect(own, hex).to.equal(wanted);
  };

  it('accepts what node:crypto signs', () => {
    fc.assert(fc.property(made, (one) => expectSame(one, true)));
  });

  it('refuses what has one bit changed, in any part', () => {
    const part = fc.constantFrom('key', 'signature', 'message');
    fc.assert(
      fc.property(made, part, fc.nat(511), (one, name, bit) => {
        if (one[name].length > 0) expectSame({ ...one, [name]: flipped(one[name], bit) }, false);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses a signature whose second half is not reduced', () => {
    fc.assert(
      fc.property(made, fc.integer({ min: 1, max: 15 }), (one, times) => {
        const first = one.signature.subarray(0, 32);
        const larger = numberOf(one.signature.subarray(32)) + BigInt(times) * ORDER;
        if (larger < 2n ** 256n) expectSame({ ...one, signature: Buffer.concat([first, littleEndian(larger)]) }, false);
      }),
    );
  });

  it('judges points of small order, and points that are written wrongly, as node:crypto does', () => {
    const scalars = [0n, 1n, ORDER - 1n, ORDER].map(littleEndian);
    const message = Buffer.from('any');
    const signatures = ODD_POINTS.flatMap((point) => scalars.map((scalar) => Buffer.concat([point, scalar])));
    const cases = ODD_POINTS.flatMap((key) => signatures.map((signature) => ({ key, signature, message })));
    expect(cases.map(verdict)).to.deep.equal(cases.map(nodeVerdict));
  });

  it('judges such a key or such a first half beside a right other half as node:crypto does', () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...ODD_POINTS), (one, point) => {
        expectSame({ ...one, key: point }, false);
        expectSame({ ...one, signature: Buffer.concat([point, one.signature.subarray(32)]) }, false);
      }),
    );
  });

  it('judges bytes without any meaning as node:crypto does', () => {
    fc.assert(
      fc.property(bytesOf(32), bytesOf(64), bytesOf(40), (key, signature, message) =>
        expectSame({ key, signature, message }),
      ),
    );
  });

  it('refuses wrong lengths of key and signature', () => {
    const cases = fc.sample(made, 1).flatMap((one) =>
      [0, 1, 31, 33, 63, 65, 128].flatMap((length) => [
        { ...one, key: resized(one.key, length) },
        { ...one, signature: resized(one.signature, length) },
      ]),
    );
    expect(cases.map(nodeVerdict)).to.not.include(true);
    expect(cases.map(verdict)).to.not.include(true);
  });
});

const exporting = (value: unknown): NativeEd25519 => loadNativeEd25519(() => value);
/** The functions of the binary of this machine, some replaced. */
const binaryWith = (changed: object): object => {
  const loaded: unknown = createRequire(import.meta.url)(BINARY);
  return typeof loaded === 'object' ? { ...loaded, ...changed } : {};
};
const always = (verdict: unknown): object => ({ crypto_sign_verify_detached: () => verdict });
/** A function of the binary that writes 64 bytes of zeros where it is asked for a signature. */
const zeros = (signature: Uint8Array): number => {
  signature.fill(0);
  return 0;
};
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/**
 * Regions of memory that can only be read, and that no core dump holds: `dd` of proc_pid_smaps(5). Each key is one, because
 * pages that can't be read lie between two.
 */
function protectedRegions(): number {
  const regions = readFileSync('/proc/self/smaps', 'utf8').split(/\n(?=[\da-f]+-[\da-f]+ )/);
  return regions.filter((region) => /^\S+ r--p [^]*\nVmFlags:.* dd\b/.test(region)).length;
}
const reasonOf = (result: NativeEd25519): string => (result.ok ? '' : result.reason);

describe('loadNativeEd25519', () => {
  it('finds the package that is installed here', function onLinux() {
    if (process.platform !== 'linux' || process.arch !== 'x64') return this.skip();
    expect(reasonOf(loadNativeEd25519())).to.equal('');
    return undefined;
  });

  it('says why nothing was loaded, in a line', () => {
    const failing = loadNativeEd25519(() => {
      throw new Error('Cannot find module\nRequire stack:');
    });
    expect(reasonOf(failing)).to.equal('Cannot find module');
  });

  it('asks for the binary of this machine', () => {
    const asked: string[] = [];
    loadNativeEd25519((path) => asked.push(path));
    expect(asked).to.deep.equal([BINARY]);
  });

  for (const [what, value] of [
    ['nothing', undefined],
    ['null', null],
    ['no function', { crypto_sign_verify_detached: 1 }],
    ['a function to verify with, and none to sign', { crypto_sign_verify_detached: () => true }],
  ] as const)
    it(`does not use a module that exports ${what}`, () => {
      expect(reasonOf(exporting(value))).to.contain('lacks a function');
    });

  it('does not use a module that fails', () => {
    const failing = loadNativeEd25519(() => {
      throw new Error('no memory');
    });
    expect(reasonOf(failing)).to.equal('no memory');
  });

  describe('with the binary of this machine, changed', () => {
    before(function skipWithout() {
      if (!loadNativeEd25519().ok) this.skip();
    });

    const ROWS: readonly (readonly [what: string, changed: object, reason: string])[] = [
      ...[true, false, 1, undefined].map(
        (verdict) => [`always says ${String(verdict)}`, always(verdict), 'gives wrong answers'] as const,
      ),
      ['signs with zeros', { crypto_sign_detached: zeros }, 'gives wrong answers'],
      ['does not sign', { crypto_sign_detached: () => -1 }, 'libsodium did not sign'],
      ['makes another key', { crypto_sign_seed_keypair: () => 0 }, 'gives wrong answers'],
      ['makes no key', { crypto_sign_seed_keypair: () => -1 }, 'libsodium made no key'],
      ['gives no memory for a key', { sodium_malloc: () => undefined }, 'no memory for a key'],
      ['gives too little memory', { sodium_malloc: () => new ArrayBuffer(32) }, 'no memory for a key'],
      ['can not protect memory', { sodium_mprotect_readonly: () => -1 }, 'can not be protected'],
    ];
    for (const [what, changed, reason] of ROWS)
      it(`does not use one that ${what}`, () => {
        expect(reasonOf(exporting(binaryWith(changed)))).to.contain(reason);
      });

    it('keeps each key in pages that can only be read, and are in no core dump', function onLinux() {
      const native = loadNativeEd25519();
      if (process.platform !== 'linux' || !native.ok) return this.skip();
      const keys = Array.from({ length: 20 }, (_, index) => native.signWith(Buffer.alloc(32, index)));
      expect(protectedRegions()).to.be.at.least(keys.length);
      expect(new Set(keys.map((signs) => hexOf(signs(Buffer.from('used')))))).to.have.lengthOf(keys.length);
      return undefined;
    });

    it('uses it unchanged', () => {
      expect(reasonOf(exporting(binaryWith({})))).to.equal('');
    });
  });
});
