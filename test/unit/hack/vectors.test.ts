import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { vectorsCommand, runFolder, type Totals } from '../../../hack/vectors/command.ts';

const COPY = resolve(import.meta.dirname, '../../vectors');
const SHARED = resolve(import.meta.dirname, '../../../../shared/vectors');

const jsonFiles = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted();

const payload = (expected: string) => ({ id: 'P1', name: 'one', payload_b64: 'eyJhIjoxfQ==', expected });

async function run(folder: string): Promise<{ readonly totals: Totals; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const totals = await runFolder(folder, (line) => lines.push(line));
  return { totals, lines };
}

async function command(args: readonly string[]): Promise<{ readonly exit: number; readonly lastLine: string }> {
  const lines: string[] = [];
  const exit = await vectorsCommand(args, (line) => lines.push(line));
  return { exit, lastLine: lines.at(-1) ?? '' };
}

describe('the copy of the test vectors', () => {
  it('is byte for byte the shared one', function () {
    // A clone alone has no shared folder: there is nothing to compare with.
    if (statSync(SHARED, { throwIfNoEntry: false }) === undefined) this.skip();
    expect(jsonFiles(COPY)).to.deep.equal(jsonFiles(SHARED));
    for (const name of jsonFiles(SHARED)) {
      expect(readFileSync(join(COPY, name)).equals(readFileSync(join(SHARED, name))), name).to.equal(true);
    }
  });

  it('passes, and nothing is skipped', async () => {
    const { totals, lines } = await run(COPY);
    expect(totals.failed, lines.join('\n')).to.equal(0);
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(jsonFiles(COPY));
    expect(totals.passed).to.be.greaterThan(500);
    expect(totals.skipped).to.equal(0);
  });
});

describe('runFolder', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-vectors-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: unknown): void => writeFileSync(join(folder, name), JSON.stringify(content));

  it('shows a case that differs with what was expected and what came', async () => {
    write('a.json', { about: ['x'], payload_cases: [payload('ok'), payload('profile')] });
    const { totals, lines } = await run(folder);
    expect(totals).to.deep.equal({ passed: 1, failed: 1, skipped: 0 });
    expect(lines).to.deep.equal([
      'a.json: 1 passed, 1 failed, 0 skipped',
      '  payload_cases P1 one',
      '    expected "profile"',
      '    got      "ok"',
    ]);
  });

  it('knows a subject by its arrays, whatever the file is called', async () => {
    write('uptime.json', { leaf_data: ['a'], trees: [{ size: 1, root: 'AA==' }] });
    const { lines } = await run(folder);
    expect(lines[1]).to.equal('  trees #0');
  });

  it('names arrays that it does not know in a file of a known subject', async () => {
    write('a.json', { payload_cases: [payload('ok')], moon_cases: [1, 2, 3] });
    const { totals, lines } = await run(folder);
    expect(totals).to.deep.equal({ passed: 1, failed: 0, skipped: 3 });
    expect(lines[0]).to.include('moon_cases (3)');
  });

  const ofUptime: readonly (readonly [why: string, file: object])[] = [
    ['cases', { cases: [{ from: 0, to: 1, services: [], expected: 1 }] }],
    ['overall cases', { overall_cases: [{ services: {}, expected: 'unknown' }] }],
  ];
  for (const [why, file] of ofUptime) {
    it(`runs a file of uptime alone: ${why}`, async () => {
      write('a.json', file);
      expect((await run(folder)).totals).to.deep.equal({ passed: 0, failed: 1, skipped: 0 });
    });
  }

  it('takes cases with checks for the trust score', async () => {
    write('a.json', { cases: [{ id: 'T', input: { checks: {}, violations: [] }, expected: {} }] });
    expect((await run(folder)).totals).to.deep.equal({ passed: 0, failed: 1, skipped: 0 });
  });

  const ofReputation: readonly (readonly [why: string, file: object, passed: number])[] = [
    ['cases with groups', { cases: [{ input: { groups: [] }, expected: {} }] }, 0],
    ['cases with tests', { cases: [{ input: { tests: null }, expected: {} }] }, 0],
    ['cases with meta', { cases: [{ input: { meta: {} }, expected: {} }] }, 0],
    ['a rate within 1e-6', { wilson: [{ s: 1, n: 1, expected: 0.206544 }] }, 1],
    ['a rate further away', { wilson: [{ s: 1, n: 1, expected: 0.206546 }] }, 0],
    [
      'steps',
      {
        tier_sequences: [
          { steps: [{ at_h: 0, computed: 'gold' }], expected: [{ tier: 'bronze', tier_status: 'stable' }] },
        ],
      },
      1,
    ],
    [
      'a log',
      { derive_cases: [{ orb_id: 'a.b@1.0.0', manifest_digest: '', as_of: '2026-01-01', entries: [{}], expected: 1 }] },
      0,
    ],
  ];
  for (const [why, file, passed] of ofReputation) {
    it(`runs a file of reputation alone: ${why}`, async () => {
      write('a.json', file);
      expect((await run(folder)).totals).to.deep.equal({ passed, failed: 1 - passed, skipped: 0 });
    });
  }

  const broken: readonly (readonly [why: string, text: string])[] = [
    ['no JSON', '{'],
    ['no object', '[]'],
    ['an array of cases that are no objects', '{"payload_cases":[1]}'],
    ['a case without what is expected', '{"payload_cases":[{"payload_b64":""}]}'],
    ['a case without its input', '{"payload_cases":[{"expected":"ok"}]}'],
  ];
  for (const [why, text] of broken) {
    it(`counts a file with ${why} as failed and goes on`, async () => {
      writeFileSync(join(folder, 'a.json'), text);
      write('b.json', { payload_cases: [payload('ok')] });
      expect((await run(folder)).totals).to.deep.equal({ passed: 1, failed: 1, skipped: 0 });
    });
  }

  it('reads *.json only', async () => {
    writeFileSync(join(folder, 'readme.md'), 'x');
    expect((await run(folder)).lines).to.deep.equal([]);
  });

  const wrong: readonly (readonly [why: string, args: (folder: string) => readonly string[]])[] = [
    ['no folder', () => []],
    ['two folders', (given) => [given, given]],
    ['a folder that is not there', (given) => [join(given, 'none')]],
    ['a file', () => [import.meta.filename]],
  ];
  for (const [why, args] of wrong) {
    it(`exits with 64 for ${why}, saying how it is used`, async () => {
      const { exit, lastLine } = await command(args(folder));
      expect(exit).to.equal(64);
      expect(lastLine).to.match(/^usage: npm run vectors -- FOLDER/);
    });
  }

  it('exits with 0 when every case passes', async () => {
    write('a.json', { payload_cases: [payload('ok')] });
    expect(await command([folder])).to.deep.equal({ exit: 0, lastLine: '1 passed, 0 failed, 0 skipped' });
  });

  it('exits with 1 when one case differs, the totals in the last line', async () => {
    write('a.json', { payload_cases: [payload('payload')], other_cases: [1] });
    expect(await command([folder])).to.deep.equal({ exit: 1, lastLine: '0 passed, 1 failed, 1 skipped' });
  });

  it('is what the script runs', () => {
    write('a.json', { payload_cases: [payload('payload')] });
    const script = resolve(import.meta.dirname, '../../../hack/vectors.ts');
    const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    expect([status, stdout.trimEnd().split('\n').at(-1)]).to.deep.equal([1, '0 passed, 1 failed, 0 skipped']);
  });
});
