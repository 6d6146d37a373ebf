import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { textAt } from '../../../../cli/io/output.ts';
import { startThread } from '../../../../cli/verify-lines/verify-threads.ts';
import { aCli, CLI_NOW, type TestCli } from '../../../support/cli-io.ts';
import { rootJwk } from '../../../support/verify-cases.ts';
import { keysFileText, runLines, validLines, vectorLines } from '../../../support/verify-lines.ts';
import { aBadge, aCertificateBundle, aJwt } from '../../core/verify/a-certificate.ts';
import { aBundle, aSwapBundle, keys as world } from '../../core/verify/a-world.ts';

const HERE = { afterLines: Infinity, start: startThread };
const ON_THREADS = { afterLines: 0, start: startThread };

const parse = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
};

/** Documents that fit together, and documents that don't: members of one bundle in another. */
const mixed = vectorLines
  .filter((line) => line.startsWith('{'))
  .flatMap((line, index, all) => {
    const [one, other] = [parse(line), parse(all[(index + 7) % all.length] ?? line)];
    return ['jws', 'tlog_proof', 'keys_jws'].map((name) => JSON.stringify({ ...one, [name]: other[name] ?? null }));
  });

const swaps = [aSwapBundle(), aBundle({ privateForm: true })].map((bundle) => JSON.stringify(bundle));
const oddLines = ['', ' ', '{}', '[]', 'null', 'a.b.c', '<svg/>', '  <svg xmlns="x">', '\ufeff{}', '\r', '{"a":1}\r'];
const certificates = [aJwt(), aBadge(), aBadge().replaceAll('gold', 'platinum'), JSON.stringify(aCertificateBundle())];
const all = [...vectorLines, ...mixed, ...swaps, ...certificates, ...oddLines].map((text) => Buffer.from(text));

/** A line with some bytes changed; never two lines. */
const damaged = fc
  .record({
    of: fc.constantFrom(...validLines, ...swaps).map((text) => Buffer.from(text)),
    at: fc.nat(),
    to: fc.nat(255).map((byte) => (byte === 0x0a ? 0x20 : byte)),
    how: fc.constantFrom('replace', 'insert', 'remove', 'cut', 'twice'),
  })
  .map(({ of, at, to, how }) => {
    const place = at % of.length;
    const [before, after] = [of.subarray(0, place), of.subarray(place)];
    switch (how) {
      case 'replace':
        return Buffer.concat([before, Buffer.of(to), after.subarray(1)]);
      case 'insert':
        return Buffer.concat([before, Buffer.of(to), after]);
      case 'remove':
        return Buffer.concat([before, after.subarray(1)]);
      case 'cut':
        return before;
      case 'twice':
        return Buffer.concat([of, of]);
      default:
        return how satisfies never;
    }
  });

/** Another last character, and another one in the middle of a signature at the end. */
const withOtherEnd = (text: string): string => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
const withOtherSignature = (text: string): string => text.replace(/.(?=.{20}\n?$)/, (was) => (was === 'A' ? 'B' : 'A'));

function expectSame(said: JsonObject, expected: JsonObject, number: number): void {
  const { line, ...rest } = said;
  expect(line).to.equal(number);
  if (!('refused' in expected)) {
    expect(rest).to.deep.equal(expected);
    return;
  }
  // A file without a verdict: the line can't be decided, for the same reason.
  expect(rest).to.include({ verdict: 'undecidable', code: 'not_verified', exit: 2 });
  expect(textAt(expected, 'refused')).to.include(textAt(rest, 'error'));
}

describe('the verdict on a line', () => {
  let cli: TestCli;
  let flags: readonly string[];
  const clock = { now: () => CLI_NOW, monotonic: () => 0, sleep: async () => undefined };
  before(() => {
    cli = aCli();
    writeFileSync(join(cli.folder, 'keys.json'), keysFileText);
    flags = ['--json'];
  });
  after(() => rmSync(cli.folder, { recursive: true }));
  const keysFlags = (): readonly string[] => ['--keys', join(cli.folder, 'keys.json')];

  /** What `orb verify` says about the line as a file of its own. */
  async function alone(line: Uint8Array, more: readonly string[]): Promise<JsonObject> {
    const argv = ['verify', '-', '--root', rootJwk, ...flags, ...more];
    const { out, err, exit } = await cli.run(argv, { stdin: line, clock });
    return out === '' ? { refused: err, exit } : parse(out);
  }

  async function checkSame(lines: readonly Uint8Array[], more: readonly string[], threading = HERE): Promise<void> {
    const file = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const { out, exit } = await runLines(file, [...flags, ...more], threading);
    const said = out.trimEnd().split('\n').map(parse);
    expect(said.length).to.equal(lines.length);
    const exits = new Set<unknown>();
    for (const [index, line] of lines.entries()) {
      expectSame(said[index] ?? {}, await alone(line, more), index + 1);
      exits.add(said[index]?.['exit']);
    }
    expect(exit).to.equal([1, 2, 3, 0].find((code) => exits.has(code)));
  }

  const forms: readonly (readonly [name: string, more: () => readonly string[]])[] = [
    ['without further flags', () => []],
    ['with a keys document', keysFlags],
    ['where the log does not count', () => [...keysFlags(), '--allow-unlogged']],
    ['with a maximum age', () => ['--max-age', '2h', '--allow-unlogged']],
    ['with swaps decided again', () => ['--explain']],
  ];
  for (const [name, more] of forms) {
    it(`is that of a file of its own, ${name}, for every vector and odd line`, () => checkSame(all, more()));
    it(`is the same on threads, ${name}`, () => checkSame(all, more(), ON_THREADS));
  }

  it('is that of a file of its own for damaged lines among valid lines', async () => {
    const valid = fc.constantFrom(...validLines, ...swaps).map((text) => Buffer.from(text));
    const lines = fc.array(fc.oneof(damaged, damaged, valid), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lines, fc.boolean(), (some, hasKeys) =>
        checkSame([Buffer.from(validLines[0]), ...some], hasKeys ? keysFlags() : []),
      ),
      { numRuns: 100 },
    );
  });

  it('is that of a file of its own on threads too', async () => {
    const lines = fc.array(damaged, { minLength: 40, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(lines, (some) => checkSame(some, keysFlags(), ON_THREADS)),
      { numRuns: 3 },
    );
  });

  it('never becomes valid by what was proven on the lines before', async () => {
    const good = parse(JSON.stringify(aBundle()));
    const [keys = '', jws = '', proof = ''] = ['keys_jws', 'jws', 'tlog_proof'].map((name) => textAt(good, name));
    const bad = [
      { ...good, keys_jws: withOtherEnd(keys) },
      { ...good, keys_jws: withOtherSignature(keys) },
      { ...good, keys_jws: `${keys} ` },
      { ...good, jws: withOtherSignature(jws) },
      { ...good, tlog_proof: withOtherSignature(proof) },
      { ...good, tlog_proof: proof.replace(/\n11\n/, '\n12\n') },
      aBundle({ rootSigner: world.stranger }),
      aBundle({ logSigner: world.stranger }),
      aBundle({ signer: world.stranger }),
      aBundle({ document: (document) => ({ ...document, issuer: 'https://other.example' }) }),
    ];
    const lines = [good, ...bad.flatMap((bundle) => [bundle, good])].map((bundle) => JSON.stringify(bundle)).join('\n');
    const root = ['--root', JSON.stringify(world.root.jwk)];
    const { out } = await cli.run(['verify', '-', '--lines', ...root], { stdin: lines });
    const verdicts = out
      .trimEnd()
      .split('\n')
      .map((line) => / (\w+)/.exec(line)?.[1] === 'valid');
    expect(verdicts).to.deep.equal(Array.from({ length: 2 * bad.length + 1 }, (_, index) => index % 2 === 0));
  });
});
