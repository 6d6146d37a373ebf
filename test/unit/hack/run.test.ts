import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
const LAUNCHER = join(ROOT, 'hack/run.js');

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly error: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], { cwd: ROOT, encoding: 'utf8' });
  return { status, out: stdout, error: stderr.trim() };
}

describe('hack/run.js', () => {
  it('lists the names of a verb for a name that it does not know, and without one', () => {
    const names =
      'cluster, execute, failover, ingest, ledger, operator, policy, replay, reputation, start, status, tenants, verify';
    expect(run('bench', 'nothing')).to.deep.equal({
      status: 64,
      out: '',
      error: `There is no bench "nothing": ${names}`,
    });
    expect(run('bench')).to.deep.equal({ status: 64, out: '', error: `bench takes a name: ${names}` });
    expect(run('chaos', 'toString').error).to.equal(
      'There is no chaos "toString": ingestion, kill, operator, policies, publish, steps, swaps',
    );
  });

  it('lists the verbs for one that it does not know', () => {
    const { status, error } = run('constructor');
    expect(status).to.equal(64);
    expect(error).to.match(/^There is no verb "constructor": bench, chaos, conformance, e2e, /);
  });

  it('gives a program its arguments, and ends with its exit code', () => {
    const { status, out } = run('vectors');
    expect(status).to.equal(64);
    expect(out).to.include('usage: npm run vectors -- FOLDER');
    expect(run('vectors', 'test/vectors').status).to.equal(0);
  });

  it('shows the use of a program that has no help of its own, and says it beside a wrong option', () => {
    const use = /^`npm run chaos swaps \[-- --kills 100 --seed N\]`: /m;
    const { status, out } = run('chaos', 'swaps', '--help');
    expect(status).to.equal(0);
    expect(out).to.match(use);
    const wrong = run('chaos', 'swaps', '--kils', '3');
    expect(wrong.status).to.equal(64);
    expect(wrong.error)
      .to.match(/^Unknown option '--kils'/)
      .and.to.match(use);
    expect(wrong.error).not.to.include('node:internal');
  });

  it('knows every verb of the npm scripts, and every program is there', () => {
    const text = readFileSync(LAUNCHER, 'utf8');
    const verbs = [
      ...readFileSync(join(ROOT, 'package.json'), 'utf8').matchAll(/"(?:exec )?node hack\/run\.js (\S+)"/g),
    ];
    expect(verbs).to.have.length.greaterThan(9);
    for (const [, verb = ''] of verbs) expect(text).to.match(new RegExp(`^ {2}'?${verb}'?: `, 'm'));
    const programs = [...text.matchAll(/: '(\S+\.ts)'/g)].map(([, path = '']) => path);
    expect(programs.filter((path) => !existsSync(join(ROOT, path)))).to.deep.equal([]);
  });
});
