import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { objectAt } from '../../support/members.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** On a disk, as the benchmark demands. */
const RESULTS = join(ROOT, 'hack/bench/results');
const RUNS = 1000;
const SMALL = [
  '--receipts',
  String(RUNS),
  '--r19',
  String(RUNS),
  '--replays',
  '1',
  '--rounds',
  '1',
  '--seconds',
  '0.5',
];

/** What the benchmark saved. Whether its goals are met depends on the machine. */
async function measured(folder: string): Promise<JsonObject> {
  const json = join(folder, 'measured.json');
  const args = ['bench', 'replay', ...SMALL, '--rate', '20', '--folder', folder, '--json', json];
  const child = spawn(process.execPath, [join(ROOT, 'hack/run.js'), ...args], { stdio: 'ignore' });
  await once(child, 'exit');
  const value: unknown = JSON.parse(readFileSync(json, 'utf8'));
  if (!isJsonObject(value)) throw new TypeError('the benchmark saved no object');
  return value;
}

describe('npm run bench replay', function benchReplay() {
  this.timeout(180_000);
  let folder: string;

  before(() => {
    mkdirSync(RESULTS, { recursive: true });
    folder = mkdtempSync(join(RESULTS, 'replay-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('decides every run of policies in force as it was decided, and believes no changed byte', async () => {
    const found = await measured(folder);
    const { evaluated, unchanged, denied, differences } = objectAt(found, 'exact');
    expect([evaluated, unchanged, differences]).to.deep.equal([RUNS, RUNS, []]);
    expect(denied).to.be.within(RUNS / 10, RUNS - RUNS / 10);
    expect(found['tampered']).to.deep.equal({ changed: 2, unchanged: RUNS - 2, mismatches: 2, counted: 2 });
  });
});
