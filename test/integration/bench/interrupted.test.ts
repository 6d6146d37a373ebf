import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { npmRun } from '../../support/npm-run.ts';
import { processFamily } from '../../support/process-family.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** On a disk, as the benchmark demands. */
const RESULTS = join(ROOT, 'hack/bench/results');
const PASS_THROUGH = ['--rounds', '1', '--no-portkey', '--warm', '60'];
const PLATFORM = ['--rounds', '0', '--profile', '--warm', '60'];
const UNTIL_MS = 60_000;

type Lines = () => Promise<readonly string[]>;

/** Waits until the load has begun. */
const untilLoaded = (lines: Lines): Promise<void> =>
  untilTrue('the load has begun', async () => (await lines()).some((line) => line.includes('generator.ts')), UNTIL_MS);
const left = (lines: Lines): Promise<readonly string[]> => lastAnswer(lines, ({ length }) => length === 0, UNTIL_MS);

describe('npm run bench execute that is interrupted', () => {
  let folder: string;

  beforeEach(() => {
    mkdirSync(RESULTS, { recursive: true });
    folder = mkdtempSync(join(RESULTS, 'interrupted-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const cases: readonly (readonly [string, NodeJS.Signals, 'group' | 'process', readonly string[]])[] = [
    ['Ctrl-C while the pass-through is measured', 'SIGINT', 'group', PASS_THROUGH],
    ['Ctrl-C while the platform is measured', 'SIGINT', 'group', PLATFORM],
    ['SIGTERM while the platform is measured', 'SIGTERM', 'process', PLATFORM],
  ];
  for (const [why, signal, to, args] of cases)
    it(`ends its processes, removes its folders and exits with 130: ${why}`, async () => {
      const bench = [join(ROOT, 'hack/run.js'), 'bench', 'execute', ...args, '--folder', folder];
      const child = spawn(process.execPath, bench, { stdio: 'ignore', detached: true });
      const [pid, exited] = [child.pid ?? 0, once(child, 'exit')];
      const { lines } = processFamily(pid);
      try {
        await untilLoaded(lines);
        expect(readdirSync(folder)).to.have.length(1);
        process.kill(to === 'group' ? -pid : pid, signal);
        expect(await exited).to.deep.equal([130, null]);
        expect(readdirSync(folder)).to.deep.equal([]);
        expect(await left(lines)).to.deep.equal([]);
      } finally {
        child.kill('SIGTERM');
      }
    });

  it('ends its processes and removes its folders when npm gets SIGTERM', async () => {
    const run = npmRun(['run', 'bench', 'execute', '--', ...PLATFORM, '--folder', folder]);
    try {
      await untilLoaded(run.members);
      run.signal('SIGTERM', 'npm');
      expect(await run.left()).to.deep.equal([]);
      expect(run.output()).to.include('Stopping (SIGTERM): what bench has started ends first.');
      expect(readdirSync(folder)).to.deep.equal([]);
    } finally {
      await run.kill();
    }
  });
});
