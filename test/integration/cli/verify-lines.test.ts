import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootJwk } from '../../support/verify-cases.ts';
import { keysFileText, validLines } from '../../support/verify-lines.ts';

const ORB = join(import.meta.dirname, '../../../cli/orb.js');
const [bundle, receipt] = validLines;
const MANY = 6000;

const isBad = (index: number): boolean => index % 1000 === 500;
const lineAt = (index: number): string => (isBad(index) ? `${bundle} x` : index % 2 === 0 ? bundle : receipt);

/** Prints the most memory that a process had, MiB. */
const PEAK = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS / 1024)))",
)}`;

describe('orb verify of a long file of lines, in a process of its own', () => {
  let folder = '';
  let many = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-lines-'));
    many = join(folder, 'many.jsonl');
    writeFileSync(many, Array.from({ length: MANY }, (_, index) => `${lineAt(index)}\n`).join(''));
    writeFileSync(join(folder, 'keys.json'), keysFileText);
  });
  after(() => rmSync(folder, { recursive: true }));
  const argv = (): readonly string[] => {
    const keys = join(folder, 'keys.json');
    return [ORB, 'verify', '--root', rootJwk, '--keys', keys, '--allow-unlogged'];
  };

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
        const verdict = isBad(index) ? 'undecidable' : 'valid';
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
    const first: readonly unknown[] = await once(child.stdout, 'data');
    expect(String(first[0])).to.match(/^1: valid: [^\n]*\n$/);
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
    if (child.signalCode === null) await once(child, 'exit');
    expect([child.exitCode, child.signalCode, said]).to.deep.equal([null, 'SIGINT', []]);
  });

  it('needs little memory for a line of a gibibyte, and goes on behind it', () => {
    const long = join(folder, 'long.jsonl');
    const file = openSync(long, 'w');
    writeSync(file, `\n${bundle}\n`, 2 ** 30);
    closeSync(file);
    const run = spawnSync(process.execPath, ['--import', PEAK, ...argv(), long], { encoding: 'utf8' });
    expect(run.stdout).to.match(/^1: undecidable; malformed[^\n]*longer than[^\n]*\n2: valid: [^\n]*\n$/);
    const [summary, mebibytes] = run.stderr.split('\n');
    expect([run.status, summary]).to.deep.equal([2, '2 lines: 1 undecidable, 1 valid']);
    expect(Number(mebibytes)).to.be.above(20).and.below(400);
  });
});
