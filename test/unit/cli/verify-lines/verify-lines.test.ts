import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MAX_LINE_BYTES } from '../../../../cli/verify-lines/line-batches.ts';
import { aCli, filesOf, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { bundleCases, receiptJws, rootJwk } from '../../../support/verify-cases.ts';
import { keysFileText, runLines, validLines } from '../../../support/verify-lines.ts';
import { aBundle, keys as world } from '../../core/verify/a-world.ts';

const ISSUER = 'https://orbs.example';
const [bundle] = validLines;
const bundleOf = (id: string): string => bundleCases.find((one) => one.id === id)?.bundle ?? '';

const fourLines = (): Readable => Readable.from(Array.from({ length: 4 }, () => Buffer.from('x\n')));

describe('orb verify of a file of lines', () => {
  let cli: TestCli;
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, content);
    return path;
  };
  const verify = (...argv: readonly string[]): Promise<CliResult> => cli.run(['verify', ...argv, '--root', rootJwk]);
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('prints a verdict a line in the order of the file, then the counts; the worst line decides the exit', async () => {
    const lines = [bundle, bundleOf('B26'), 'nonsense', bundleOf('B11'), bundleOf('B27')].join('\n');
    const { exit, out, err } = await verify(file('some.jsonl', lines));
    expect(out.split('\n').map((line) => line.split(/[;]|: rcpt/)[0])).to.deep.equal([
      '1: valid',
      '2: tampered',
      '3: undecidable',
      '4: untrusted',
      '5: undecidable',
      '',
    ]);
    expect(out)
      .to.include('\n2: tampered; signature: the signature does not fit')
      .and.to.include('; not_in_log: no proof');
    expect([exit, err]).to.deep.equal([1, '5 lines: 1 tampered, 2 undecidable, 1 untrusted, 1 valid\n']);
  });

  it('prints one JSON object a line with --json', async () => {
    const { exit, out } = await verify(file('some.ndjson', `${bundle}\n${receiptJws}\n`), '--json');
    const [one, two, ...rest] = out
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(exit).to.equal(2);
    expect(one).to.deep.include({ line: 1, verdict: 'valid', code: 'ok', exit: 0, signature_valid: true });
    expect(one).to.have.nested.property('record.orb.id', 'acme.echo@1.2.0');
    expect(two).to.deep.equal({
      line: 2,
      verdict: 'undecidable',
      code: 'not_verified',
      exit: 2,
      signature_valid: false,
      checks: [],
      key: null,
      log: null,
      keys: null,
      record: null,
      error: 'a receipt alone needs --keys FILE: the keys document, from /.well-known/orb-keys.json',
    });
    expect(rest).to.deep.equal([]);
  });

  it('takes lines from standard input and from any file by --lines', async () => {
    const one = await cli.run(['verify', '-', '--lines', '--root', rootJwk], { stdin: `${bundle}\n${bundle}` });
    expect([one.exit, one.err]).to.deep.equal([0, '2 lines: 2 valid\n']);
    const keys = file('keys.json', keysFileText);
    const two = await verify(file('some.txt', `${receiptJws}\n`), '--lines', '--keys', keys, '--allow-unlogged');
    expect([two.exit, two.err]).to.deep.equal([0, '1 line: 1 valid\n']);
  });

  it('is what a file of one document names when it has several', async () => {
    const { exit, out } = await verify(file('some.json', `${bundle}\n${bundle}\n`));
    expect(exit).to.equal(2);
    expect(out).to.include('its first line alone is a bundle or a receipt: --lines verifies every line');
    expect((await verify(file('bad.json', 'x\ny\n'))).out).not.to.include('--lines');
  });

  it('goes on behind a line that is too long or no text', async () => {
    const long = Buffer.alloc(MAX_LINE_BYTES + 10, 'a');
    const ends = Buffer.from('\n');
    const bytes = Buffer.concat([long, ends, Buffer.of(0xff, 0x00), ends, ends, Buffer.from(bundle)]);
    const { exit, out } = await verify(file('some.jsonl', bytes));
    expect(exit).to.equal(2);
    expect(out).to.match(
      /^1: undecidable; malformed: [^\n]*longer than 4194304 bytes\n2: undecidable; malformed[^\n]*\n3: undecidable; malformed[^\n]*\n4: valid: /,
    );
  });

  it('prints nothing that a terminal would act on', async () => {
    const members = { alg: 'Ed25519', kid: '\u001b[2J', typ: 'orb-keys+jws' };
    const header = Buffer.from(JSON.stringify(members)).toString('base64url');
    const keysJws = `${header}.${Buffer.from('{}').toString('base64url')}.${Buffer.alloc(64).toString('base64url')}`;
    const text = JSON.stringify({ ...JSON.parse(bundle), keys_jws: keysJws });
    const { out } = await cli.run(['verify', '-', '--lines'], { stdin: text });
    expect(out).to.include('unknown_root').and.not.to.include('\u001b');
  });

  const refused: readonly (readonly [why: string, argv: readonly string[], exit: number, message: string])[] = [
    ['an empty file', ['empty.jsonl'], 2, 'it is empty, so nothing was verified'],
    ['a file that is not there', ['nowhere.jsonl'], 2, 'there is no such file'],
    ['a folder', ['folder.jsonl'], 2, 'it is a folder'],
    ['an input', ['empty.jsonl', '--input', 'x', '--input-salt', 'AAAA'], 64, '--input is about one run'],
    ['no threads', ['empty.jsonl', '--threads', '0'], 64, '--threads 0: a number from 1 to 16'],
    ['too many threads', ['empty.jsonl', '--threads', '17'], 64, '--threads 17: a number from 1 to 16'],
    ['an age that is none', ['empty.jsonl', '--max-age', 'x'], 64, '--max-age x'],
    ['keys that are not there', ['empty.jsonl', '--keys', '/nowhere'], 2, 'there is no such file'],
  ];
  for (const [why, [name = '', ...flags], code, message] of refused) {
    it(`ends with ${code} and no verdict for ${why}`, async () => {
      file('empty.jsonl', '');
      mkdirSync(join(cli.folder, 'folder.jsonl'));
      const { exit, out, err } = await verify(join(cli.folder, name), ...flags);
      expect([exit, out]).to.deep.equal([code, '']);
      expect(err).to.include(message);
    });
  }

  it('tells the verdicts before an error of reading; a tampered line still decides the exit', async () => {
    for (const [line, code] of [
      [bundle, 2],
      [bundleOf('B26'), 1],
    ] as const) {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(`${line}\n`);
        throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      }
      const { exit, out, err } = await cli.run(['verify', '-', '--lines', '--root', rootJwk], {
        files: filesOf({ chunks }),
      });
      expect([exit, out.split('\n').length]).to.deep.equal([code, 2]);
      expect(err).to.include('1 line: ').and.to.include("orb: standard input: it can't be read (EIO)");
    }
  });

  it('judges every line by the keys known before, and remembers the newest of them', async () => {
    const root = JSON.stringify(world.root.jwk);
    await cli.run(['trust', 'add', ISSUER, '--root', root]);
    const lines = [2, 9, 4].map((sequence) => JSON.stringify(aBundle({ document: (old) => ({ ...old, sequence }) })));
    const ran = await cli.run(['verify', file('some.jsonl', lines.join('\n'))]);
    expect([ran.exit, ran.err]).to.deep.equal([0, '3 lines: 3 valid\n']);
    const list: unknown = JSON.parse((await cli.run(['trust', 'list', '-o', 'json'])).out);
    expect(list).to.have.nested.property('roots[0].sequence', 9);
    const again = await cli.run(['verify', file('some.jsonl', lines.join('\n'))]);
    expect([again.exit, again.err]).to.deep.equal([2, '3 lines: 2 undecidable, 1 valid\n']);
    expect(again.out).to.include('this is keys document 2 of https://orbs.example, but 9 was seen');
  });

  it('reports its progress where the user sees it, and nowhere else', async () => {
    let now = 0;
    const clock = { now: () => 0, monotonic: () => (now += 3000), sleep: async () => undefined };
    for (const [showsProgress, lines] of [
      [true, 3],
      [false, 1],
    ] as const) {
      const some = { files: filesOf({ chunks: fourLines }), clock, showsProgress };
      const { err } = await cli.run(['verify', '-', '--lines', '--root', rootJwk], some);
      expect(err.trimEnd().split('\n').length, err).to.equal(lines);
    }
  });

  it('takes no more from the file than it can print', async () => {
    let read = 0;
    let printed = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (; read < 200; read += 1) yield Buffer.from('x\n');
    }
    let most = 0;
    const drained = async (): Promise<void> => {
      printed += 1;
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, read - printed);
    };
    const argv = ['verify', '-', '--lines', '--root', rootJwk, '--threads', '2'];
    const { exit } = await cli.run(argv, { files: filesOf({ chunks, drained }) });
    expect([exit, printed]).to.deep.equal([2, 200]);
    expect(most).to.be.at.most(7);
  });

  it('judges the lines of a long file on threads, in their order', async () => {
    const lines = Array.from({ length: 900 }, (_, index) => (index % 50 === 49 ? 'x' : receiptJws)).join('\n');
    const keys = file('keys.json', keysFileText);
    const { exit, out, err } = await verify(
      file('some.jsonl', lines),
      '--keys',
      keys,
      '--allow-unlogged',
      '--threads',
      '2',
    );
    expect([exit, err]).to.deep.equal([2, '900 lines: 18 undecidable, 882 valid\n']);
    const verdicts = out
      .trimEnd()
      .split('\n')
      .map((line) => /^(\d+): (\w+)/.exec(line)?.slice(1).join(' '));
    expect(verdicts).to.deep.equal(
      Array.from({ length: 900 }, (_, index) => `${index + 1} ${index % 50 === 49 ? 'undecidable' : 'valid'}`),
    );
  });

  it('says what every verdict means with threads as without', async () => {
    const lines = bundleCases.map((one) => one.bundle).join('\n');
    const here = await verify(file('some.jsonl', lines), '--threads', '1');
    const { startThread } = await import('../../../../cli/verify-lines/verify-threads.ts');
    expect(await runLines(lines, [], { afterLines: 0, start: startThread })).to.deep.equal(here);
  });
});
