import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootJwk } from '../../support/verify-cases.ts';
import { keysFileText, validLines } from '../../support/verify-lines.ts';

const ORB = join(import.meta.dirname, '../../../cli/orb.js');
const [bundle, receipt] = validLines;
const MANY = 6000;

describe('orb verify of a long file of lines, in a process of its own', () => {
  let folder = '';
  let many = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lines-'));
    many = join(folder, 'many.jsonl');
    const line = (index: number): string => (index % 1000 === 500 ? `${bundle} x` : index % 2 === 0 ? bundle : receipt);
    writeFileSync(many, Array.from({ length: MANY }, (_, index) => `${line(index)}\n`).join(''));
    writeFileSync(join(folder, 'keys.json'), keysFileText);
  });
  after(() => rmSync(folder, { recursive: true }));
  const argv = (): readonly string[] => [
    ...[ORB, 'verify', '--root', rootJwk, '--keys', join(folder, 'keys.json'), '--allow-unlogged'],
  ];

  for (const threads of ['1', '2', '4']) {
    it(`prints a verdict for each line in order, with --threads ${threads}`, () => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [...argv(), many, '--threads', threads, '--json'],
        {
          encoding: 'utf8',
          maxBuffer: 2 ** 27,
        },
      );
      expect([status, stderr]).to.deep.equal([2, `${MANY} lines: 6 undecidable, ${MANY - 6} valid\n`]);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).to.equal(MANY);
      for (const [index, line] of lines.entries()) {
        const verdict = index % 1000 === 500 ? 'undecidable' : 'valid';
        expect(JSON.parse(line)).to.include({ line: index + 1, verdict });
      }
    });
  }

  it('ends quietly when its reader goes away', () => {
    const command = `"$@" | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command, 'bash', process.execPath, ...argv(), many], {
      encoding: 'utf8',
    });
    expect(stdout).to.match(/^1: valid: rcpt_\S+ [^\n]*\n0\n$/);
    expect(stderr).to.equal('');
  });

  it('answers lines as they come, and ends at once by Ctrl-C', async () => {
    const child = spawn(process.execPath, [...argv(), '-', '--lines'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const said: string[] = [];
    child.stderr.on('data', (text: Buffer) => said.push(text.toString()));
    child.stdin.write(`${bundle}\n${receipt}`);
    const [first]: unknown[] = await once(child.stdout, 'data');
    expect(String(first)).to.match(/^1: valid: [^\n]*\n$/);
    child.kill('SIGINT');
    expect(await once(child, 'close')).to.deep.equal([null, 'SIGINT']);
    expect(said).to.deep.equal([]);
  });

  it('ends by Ctrl-C while its threads work', async () => {
    const child = spawn(process.execPath, [...argv(), '-', '--lines', '--threads', '2'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (text: Buffer) => said.push(text.toString()));
    child.stdin.on('error', () => undefined); // it ends before it has read everything
    child.stdin.write(readFileSync(many));
    let seen = '';
    for await (const text of child.stdout) {
      seen = `${seen}${String(text)}`.slice(-100_000);
      if (/^1000: /m.test(seen)) break;
    }
    child.kill('SIGINT');
    const [code, signal] = child.signalCode === null ? await once(child, 'exit') : [child.exitCode, child.signalCode];
    expect([code, signal, said]).to.deep.equal([null, 'SIGINT', []]);
  });

  it('needs no more memory for a longer file', () => {
    const peak = (file: string): number => {
      const code = `process.on('exit', () => process.stderr.write('\\n' + process.resourceUsage().maxRSS))`;
      const hook = `data:text/javascript,${encodeURIComponent(code)}`;
      const run = spawnSync(process.execPath, ['--import', hook, ...argv(), file, '--threads', '2'], {
        encoding: 'utf8',
        maxBuffer: 2 ** 27,
      });
      return Number(run.stderr.split('\n').at(-1)) / 1024;
    };
    const longer = join(folder, 'longer.jsonl');
    writeFileSync(longer, Buffer.alloc(300 * 1024 * 1024, `${'x'.repeat(99_999)}\n`));
    const mebibytes = peak(longer);
    expect(mebibytes).to.be.above(20).and.below(250);
  });
});
