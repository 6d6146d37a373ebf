import { expect } from 'chai';
import fc from 'fast-check';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { verifyBundle } from '../../../../core/verify/verify.ts';
import { aBundle, bytesOf, primitives, root } from './a-world.ts';

const bundle = aBundle();
const bytes = bytesOf(bundle);
const codeOf = async (changed: Uint8Array): Promise<string> => (await verifyBundle(changed, root, {}, primitives)).code;
const text = JSON.stringify(bundle);

const STEP = 500;
const starts = Array.from({ length: Math.ceil(bytes.length / STEP) }, (_, index) => index * STEP);

describe('verifyBundle of changed bytes', () => {
  for (const start of starts) {
    it(`never verifies with another byte at any place from ${start} on, three others each`, async () => {
      const verified: number[] = [];
      for (let at = start; at < Math.min(start + STEP, bytes.length); at += 1) {
        for (const flip of [1 << (at % 8), 0x11, 0xc3]) {
          const changed = Uint8Array.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ flip;
          if ((await codeOf(changed)) === 'ok') verified.push(at);
        }
      }
      expect(verified).to.deep.equal([]);
    });
  }

  it('never verifies with any one byte changed', async () => {
    const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(change, async ({ at, to }) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = to;
        expect((await codeOf(changed)) === 'ok').to.equal(bytes[at] === to);
      }),
    );
  });

  it('never verifies with a piece removed, doubled or moved', async () => {
    const cut = fc.record({
      from: fc.nat(bytes.length - 1),
      length: fc.integer({ min: 1, max: 400 }),
      to: fc.nat(bytes.length),
    });
    await fc.assert(
      fc.asyncProperty(cut, async ({ from, length, to }) => {
        const all = Buffer.from(bytes);
        const piece = all.subarray(from, from + length);
        const rest = Buffer.concat([all.subarray(0, from), all.subarray(from + length)]);
        for (const changed of [
          rest,
          Buffer.concat([all.subarray(0, to), piece, all.subarray(to)]),
          Buffer.concat([rest.subarray(0, to), piece, rest.subarray(to)]),
        ]) {
          if (Buffer.compare(changed, all) !== 0) expect(await codeOf(changed)).not.to.equal('ok');
        }
      }),
      { numRuns: 100 },
    );
  });

  it('answers for any bytes at all', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '{',
        '}',
        '"',
        ':',
        ',',
        '\\',
        'null',
        '"jws"',
        '"keys_jws"',
        '"tlog_proof"',
        '"format"',
        '"orb-bundle/1"',
        '\n',
      ),
      fc.string({ maxLength: 5 }),
    );
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(piece, { maxLength: 30 }).map((pieces) => encodeUtf8(pieces.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (any) => {
        expect(await codeOf(any)).to.equal('malformed');
      }),
    );
  });

  const forms: readonly (readonly [why: string, changed: string, code: string])[] = [
    ['one line feed behind it', `${text}\n`, 'ok'],
    ['two line feeds', `${text}\n\n`, 'malformed'],
    ['a carriage return and line feed', `${text}\r\n`, 'malformed'],
    ['a space behind it', `${text} `, 'malformed'],
    ['a byte order mark', `\ufeff${text}`, 'malformed'],
    ['white space before it', ` ${text}`, 'malformed'],
    ['a second document', `${text}${text}`, 'malformed'],
    ['a member that stands twice, the good one last', `{"jws":"x",${text.slice(1)}`, 'malformed'],
    ['a member that stands twice, the good one first', `${text.slice(0, -1)},"tlog_proof":null}`, 'malformed'],
    ['a doubled member of an object', `{"jws":{"a":1},${text.slice(1)}`, 'malformed'],
    ['a member that hides behind an escape', `{"\\u006aws":"x",${text.slice(1)}`, 'malformed'],
    ['a comma behind the last member', `${text.slice(0, -1)},}`, 'malformed'],
    ['an array around it', `[${text}]`, 'malformed'],
    ['more than a mebibyte', `{"jws":"${'a'.repeat(1_100_000)}"}`, 'malformed'],
  ];
  for (const [why, changed, code] of forms) {
    it(`is ${code} with ${why}`, async () => expect(await codeOf(encodeUtf8(changed))).to.equal(code));
  }
});
