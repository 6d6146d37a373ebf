import { generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkpointText, keyId, signNote, vkey } from '../../../../core/merkle/checkpoint.ts';
import { openCheckpoint } from '../../../../core/merkle/open-checkpoint.ts';
import { flipped } from './a-tree.ts';
import { sha256 } from './rfc6962.ts';

interface Key {
  readonly publicKey: Uint8Array;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

const known = new Map<string, KeyObject>();

function aKey(): Key {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  known.set(Buffer.from(publicKey).toString('hex'), pair.publicKey);
  return { publicKey, sign: (bytes) => sign(null, bytes, pair.privateKey) };
}

const primitives = {
  sha256,
  ed25519Verify: (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean => {
    const key = known.get(Buffer.from(publicKey).toString('hex'));
    return key !== undefined && verify(null, message, key, signature);
  },
};

const ORIGIN = 'orbs.example/log';
const ROOT = sha256(Uint8Array.of(1));
const log = aKey();
const other = aKey();
const id = keyId(ORIGIN, log.publicKey, sha256);
const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A line as a note carries it. */
const line = (text: string, key: Key, name = ORIGIN): string =>
  `— ${name} ${b64(Buffer.concat([keyId(name, key.publicKey, sha256), key.sign(Buffer.from(text))]))}\n`;

const TEXT = checkpointText({ origin: ORIGIN, size: 7, root: ROOT });
const GOOD = signNote({ origin: ORIGIN, size: 7, root: ROOT }, id, log.sign);
const resigned = (text: string): string => `${text}\n${line(text, log)}`;

const opened = (note: string, keys: readonly Key[] = [log]) =>
  openCheckpoint(
    note,
    ORIGIN,
    keys.map((key) => key.publicKey),
    primitives,
  );

describe('signNote', () => {
  it('signs text, size and root so that they are read back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), fc.uint8Array({ minLength: 32, maxLength: 32 }), async (size, root) => {
        const checkpoint = await opened(signNote({ origin: ORIGIN, size, root }, id, log.sign));
        expect([checkpoint?.size, b64(checkpoint?.root ?? new Uint8Array(0))]).to.deep.equal([size, b64(root)]);
      }),
      { numRuns: 50 },
    );
  });

  it('names the key as a vkey does', () => {
    const [name, hex, ...rest] = vkey(ORIGIN, log.publicKey, sha256).split('+');
    expect([name, hex]).to.deep.equal([ORIGIN, Buffer.from(id).toString('hex')]);
    // The type byte, then the key; base64 has a plus of its own.
    expect(rest.join('+')).to.equal(b64(Buffer.concat([Uint8Array.of(1), log.publicKey])));
  });
});

describe('openCheckpoint', () => {
  const accepted: readonly (readonly [why: string, note: string, keys: readonly Key[]])[] = [
    ['a note of the log key', GOOD, [log]],
    ['a line of an unknown name', GOOD + line(TEXT, other, 'orbs.example/witness'), [log]],
    ['a line of an unknown key under the known name', GOOD + line(TEXT, other), [log]],
    ['two lines of known keys, in any order', `${TEXT}\n${line(TEXT, other)}${line(TEXT, log)}`, [log, other]],
    ['the key of a rotation beside the old one', GOOD, [other, log]],
    ['further text lines', resigned(`${TEXT}one\ntwo\n`), [log]],
    ['the same line twice', GOOD + line(TEXT, log), [log]],
    ['size zero', resigned(TEXT.replace('\n7\n', '\n0\n')), [log]],
  ];
  for (const [why, note, keys] of accepted) {
    it(`accepts ${why}`, async () => expect(await opened(note, keys)).to.not.equal(undefined));
  }

  const short = b64(Buffer.concat([id, log.sign(Buffer.from(TEXT)).subarray(0, 63)]));
  const refused: readonly (readonly [why: string, note: string, keys?: readonly Key[]])[] = [
    ['a note without known keys', GOOD, []],
    ['a note of another key', GOOD, [other]],
    ['a text that was changed after signing', GOOD.replace('\n7\n', '\n8\n')],
    ['another origin', resigned(TEXT.replace('/log', '/other'))],
    ['a size with a leading zero', resigned(TEXT.replace('\n7\n', '\n07\n'))],
    ['a size with a sign', resigned(TEXT.replace('\n7\n', '\n+7\n'))],
    ['a size that is no exact number', resigned(TEXT.replace('\n7\n', '\n9007199254740993\n'))],
    ['a size in letters', resigned(TEXT.replace('\n7\n', '\nseven\n'))],
    ['a root of 31 bytes', resigned(`${ORIGIN}\n7\n${b64(ROOT.subarray(1))}\n`)],
    ['a root in another spelling', resigned(TEXT.replace('=', ''))],
    ['a text without root', resigned(`${ORIGIN}\n7\n`)],
    ['an empty text line', resigned(`${TEXT}\nmore\n`)],
    ['a carriage return', resigned(TEXT.replace('\n7\n', '\n7\r\n'))],
    ['a tab in a further line', resigned(`${TEXT}a\tb\n`)],
    ['a delete character in a further line', resigned(`${TEXT}a\u007fb\n`)],
    ['no final line feed', GOOD.slice(0, -1)],
    ['no signature', `${TEXT}\n`],
    ['no separating line', TEXT + line(TEXT, log)],
    ['an empty line between signatures', `${GOOD}\n${line(TEXT, log)}`],
    ['a hyphen in place of the dash', GOOD.replace('—', '-')],
    ['a good and a failing line of one key', GOOD + line(`${TEXT}x\n`, log)],
    ['a failing line before a good one', `${TEXT}\n${line('x', log)}${line(TEXT, log)}`],
    ['a line of a known key with a short signature', `${GOOD}— ${ORIGIN} ${short}\n`],
    ['a line without base64', `${GOOD}— ${ORIGIN} ***\n`],
    ['a line without signature', `${GOOD}— ${ORIGIN} ${b64(id)}\n`],
    ['more lines than anyone needs', GOOD + line(TEXT, other, 'w').repeat(100)],
    ['nothing', ''],
  ];
  for (const [why, note, keys] of refused) {
    it(`refuses ${why}`, async () => expect(await opened(note, keys)).to.equal(undefined));
  }

  it('refuses a note with any one bit turned in its text or signature', async () => {
    const bytes = Buffer.from(GOOD);
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const note = Buffer.from(flipped(bytes, bit)).toString('utf8');
      // A turned bit in the key id or the name makes the only line one of an unknown key: refused as well.
      expect(await opened(note), `bit ${bit}`).to.equal(undefined);
    }
  });

  it('never throws on any text', async () => {
    const piece = fc.constantFrom(TEXT, '\n', '\n\n', line(TEXT, log), '— ', ORIGIN, ' ', '7', '\u0000', '\ud800', '=');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const note = pieces.join('');
        const checkpoint = await opened(note);
        expect(checkpoint === undefined || note.startsWith(TEXT)).to.equal(true);
      }),
    );
  });
});
