import { expect } from 'chai';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA_VERSION } from '../../../../adapters/ledger/sqlite-writer/schema.ts';
import { openSqliteLedger } from '../../../../adapters/ledger/sqlite-ledger.ts';
import { backupLedger, type Backup } from '../../../../adapters/ledger/sqlite-copy/backup.ts';
import { checkLedgerVersion } from '../../../../adapters/ledger/sqlite-copy/check-copy.ts';
import { TargetExists, TargetInUse } from '../../../../adapters/ledger/sqlite-copy/copy-error.ts';
import { restoreLedger, type RestoreOptions } from '../../../../adapters/ledger/sqlite-copy/restore.ts';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import { digestOf } from '../../../../core/json/digest.ts';
import { checkLog } from '../../../support/check-log.ts';
import { aFinish, aStart } from '../../../support/ledger-rows.ts';
import { foldedTwice } from '../../../support/memory-fold.ts';
import { makeOlder } from '../../../support/older-ledger.ts';
import {
  aCompletion,
  aFinishPolicy,
  aGrant,
  aPolicyVersion,
  aReplay,
  aStartPolicy,
  aViolation,
  LEDGER_DAY,
  someFacts,
} from '../../../support/policy-rows.ts';
import { aPublicFinish, publishEntry, retractionEntry } from '../../../support/reputation-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { openDiskFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const nothing = (): void => undefined;
const never = new AbortController().signal;

describe('copies of an embedded ledger', () => {
  let fixture: SqliteFixture;
  let target: string;
  beforeEach(async () => {
    fixture = await openDiskFixture();
    target = join(fixture.folder, 'backup.sqlite');
  });
  afterEach(() => fixture.dispose());

  async function runs(from: number, count: number): Promise<void> {
    const ledger = await fixture.current();
    for (let number = from; number < from + count; number += 1)
      await ledger.recordRun(aStart(number), aPublicFinish(number));
  }

  const backup = (some: Partial<Parameters<typeof backupLedger>[0]> = {}, signal = never): Promise<Backup> =>
    backupLedger({ file: fixture.options.file, target, overwrite: false, onProgress: nothing, ...some }, signal);

  const restore = (some: Partial<RestoreOptions> = {}): ReturnType<typeof restoreLedger> =>
    restoreLedger({ source: target, file: fixture.options.file, onProgress: nothing, ...some }, never);

  /** Sizes and checks of a ledger that is opened where it is. */
  async function sizeOf(file: string): Promise<number> {
    const ledger = await openSqliteLedger({ ...fixture.options, file });
    try {
      const { logKey } = fixture;
      const { size } = await checkLog(ledger, { logKey, tenants: ['acme'] });
      const [found, expected] = await foldedTwice(ledger);
      expect(found, 'evidence').to.deep.equal(expected);
      return size;
    } finally {
      await ledger.close();
    }
  }

  it('copies one state while runs go on, as one file that only its owner may read', async () => {
    await runs(0, 40);
    const going = runs(40, 200);
    const made = await backup();
    await going;
    expect(made.treeSize).to.be.within(40, 240);
    expect(readdirSync(fixture.folder).filter((name) => name.startsWith('backup'))).to.deep.equal(['backup.sqlite']);
    expect([statSync(target).mode & 0o777, statSync(target).size]).to.deep.equal([0o600, made.bytes]);
    mkdirSync(join(fixture.folder, 'other'));
    copyFileSync(target, join(fixture.folder, 'other', 'ledger.sqlite'));
    expect(await sizeOf(join(fixture.folder, 'other', 'ledger.sqlite'))).to.equal(made.treeSize);
  });

  it('replaces no file unless it is told to', async () => {
    writeFileSync(target, 'mine');
    expect(await refusal(backup())).to.be.instanceOf(TargetExists);
    expect(readFileSync(target, 'utf8')).to.equal('mine');
    expect((await backup({ overwrite: true })).treeSize).to.equal(0);
  });

  it('leaves the target alone when the ledger is none, is damaged, or is of a newer program', async () => {
    const broken = join(fixture.folder, 'broken.sqlite');
    writeFileSync(broken, 'no database at all, '.repeat(100));
    expect(await refusal(backup({ file: broken }))).to.have.property('code', 'ledger-unavailable');
    expect(await refusal(backup({ file: `${broken}.missing` }))).to.have.property('code', 'ledger-unavailable');
    const empty = join(fixture.folder, 'empty.sqlite');
    new DatabaseSync(empty).exec('CREATE TABLE other(id INTEGER)');
    expect(String(await refusal(backup({ file: empty })))).to.include('is no ledger');
    await fixture.ledger.close();
    new DatabaseSync(fixture.options.file).exec('UPDATE schema_version SET version = 99');
    const newer = await refusal(backup());
    expect(newer).to.have.property('code', 'ledger-version');
    expect(String(newer)).to.match(
      new RegExp(String.raw`version 99\b.*up to ${SCHEMA_VERSION}\b.*restore a backup from before the upgrade`),
    );
    expect(existsSync(target)).to.equal(false);
    expect(() => checkLedgerVersion(fixture.options.file)).to.throw(/version 99/);
  });

  it('refuses a ledger whose log contradicts itself: such a copy is no backup', async () => {
    await runs(0, 3);
    await fixture.ledger.close();
    new DatabaseSync(fixture.options.file).exec("UPDATE log_entries SET entry = x'00' WHERE idx = 2");
    expect(String(await refusal(backup()))).to.include('contradicts itself');
    expect(existsSync(target)).to.equal(false);
  });

  it('restores into an empty place, and never over a ledger without a word', async () => {
    await runs(0, 5);
    await backup();
    await runs(5, 5);
    await fixture.ledger.close();
    expect(await refusal(restore())).to.be.instanceOf(TargetExists);
    expect(await sizeOf(fixture.options.file)).to.equal(10);
    const file = join(fixture.folder, 'new', 'ledger', 'ledger.sqlite');
    expect(await restore({ file })).to.include({ treeSize: 5, aside: undefined });
    expect(await sizeOf(file)).to.equal(5);
  });

  it('copies and restores what policies decided, and what is in force', async () => {
    const ledger = await fixture.current();
    const violations = [aViolation(1)];
    await ledger.recordRun(
      aStart(1, { policy: aStartPolicy(1, { facts: [someFacts()] }) }),
      aFinish(1, { policy: aFinishPolicy({ violations }) }),
    );
    await ledger.addGrant(aGrant());
    await ledger.putPolicyVersion(aPolicyVersion(), { inForce: true });
    await ledger.addReplay(aReplay(1), 1);
    await ledger.updateReplay('rpl_1', aCompletion());
    expect((await backup()).treeSize).to.equal(2);
    await fixture.ledger.close();
    await restore({ asideAs: 'before' });
    const restored = await fixture.current();
    expect(await restored.runFacts('acme', aStart(1).runId)).to.deep.equal([someFacts()]);
    expect((await restored.policyCounts(LEDGER_DAY)).length).to.equal(1);
    expect((await restored.addGrant(aGrant({ grantId: 'grt_2' }))).kind).to.equal('exists');
    expect(await restored.policiesInForce()).to.deep.equal([aPolicyVersion()]);
    expect((await restored.replayTotals('acme', 'prod-limits', aReplay(1).policyDigest)).length).to.equal(1);
    await restored.recordRun(aStart(2), aFinish(2, { policy: aFinishPolicy({ violations: [aViolation(2)] }) }));
    expect(await restored.logSize(), 'the violation of this day has its entry').to.equal(3);
  });

  it('refuses a copy whose violations are not those of its log', async () => {
    const finish = aFinish(1, { policy: aFinishPolicy({ violations: [aViolation(1)] }) });
    await (await fixture.current()).recordRun(aStart(1), finish);
    await fixture.ledger.close();
    for (const index of [0, 2]) {
      new DatabaseSync(fixture.options.file).exec(`UPDATE policy_violations SET log_index = ${index}`);
      expect(String(await refusal(backup()))).to.include('its violations are of another log');
    }
    expect(existsSync(target)).to.equal(false);
  });

  it('restores a backup of an older program, and reads its log for the evidence at the next start', async () => {
    await runs(0, 3);
    await (await fixture.current()).appendEntries([publishEntry(), retractionEntry(1)]);
    await backup();
    await fixture.ledger.close();
    const older = new DatabaseSync(target);
    makeOlder(older, 3);
    older.close();
    const file = join(fixture.folder, 'new', 'ledger.sqlite');
    expect(await restore({ file })).to.include({ treeSize: 5 });
    expect(await sizeOf(file)).to.equal(5);
  });

  it('refuses a copy whose evidence is not that of its log', async () => {
    await (await fixture.current()).appendEntries([publishEntry()]);
    await fixture.ledger.close();
    new DatabaseSync(fixture.options.file).exec('DELETE FROM reputation_events');
    expect(String(await refusal(backup()))).to.include('its evidence is of another tree');
    expect(existsSync(target)).to.equal(false);
  });

  it('puts a ledger aside with its last commits when it is told to', async () => {
    await runs(0, 5);
    await backup();
    await runs(5, 5);
    await fixture.ledger.close();
    const restored = await restore({ asideAs: 'before' });
    expect([restored.treeSize, await sizeOf(fixture.options.file)]).to.deep.equal([5, 5]);
    expect(await sizeOf(restored.aside ?? '')).to.equal(10);
  });

  it('moves nothing while a process has the ledger, nor for a backup that is none', async () => {
    await runs(0, 2);
    await backup();
    expect(await refusal(restore({ asideAs: 'x' }))).to.have.property('code', 'ledger-locked');
    await fixture.ledger.close();
    const bytes = readFileSync(target);
    bytes.fill(0xff, 20_000, 30_000);
    writeFileSync(target, bytes);
    expect(await refusal(restore({ asideAs: 'x' }))).to.have.property('code', 'ledger-unavailable');
    expect(await sizeOf(fixture.options.file)).to.equal(2);
    expect(readdirSync(fixture.folder).filter((name) => name.includes('restoring'))).to.deep.equal([]);
  });

  it('refuses a backup of a newer program', async () => {
    await backup();
    new DatabaseSync(target).exec('UPDATE schema_version SET version = 99');
    await fixture.ledger.close();
    expect(await refusal(restore({ asideAs: 'x' }))).to.have.property('code', 'ledger-version');
  });

  /** Enough for several steps of a copy. */
  const grow = async (): Promise<void> =>
    (await fixture.current()).putManifest('acme', digestOf(new Uint8Array(), sha256), 'x'.repeat(20_000_000));

  it('is private from its first byte, and leaves nothing behind when it is given up', async () => {
    await grow();
    const modes = new Set<number>();
    const giveUp = new AbortController();
    const onProgress = (): void => {
      for (const name of readdirSync(fixture.folder).filter((one) => one.startsWith('backup')))
        modes.add(statSync(join(fixture.folder, name)).mode & 0o777);
      giveUp.abort(new Error('given up'));
    };
    expect(String(await refusal(backup({ onProgress }, giveUp.signal)))).to.equal('Error: given up');
    expect([...modes]).to.deep.equal([0o600]);
    expect(readdirSync(fixture.folder).filter((name) => name.startsWith('backup'))).to.deep.equal([]);
  });

  it('never takes the place of the ledger that it is a copy of', async () => {
    await runs(0, 2);
    for (const part of ['', '-wal', '.lock']) {
      const itself = await refusal(backup({ target: `${fixture.options.file}${part}`, overwrite: true }));
      expect(itself).to.be.instanceOf(TargetInUse);
    }
    await runs(2, 1);
    await fixture.ledger.close();
    expect(await sizeOf(fixture.options.file)).to.equal(3);
  });

  /** The files of a ledger as a killed process leaves them: its last commits stand in the WAL alone. */
  async function killed(folder: string): Promise<string> {
    mkdirSync(join(fixture.folder, folder));
    const file = join(fixture.folder, folder, 'ledger.sqlite');
    for (const part of ['', '-wal']) copyFileSync(`${fixture.options.file}${part}`, `${file}${part}`);
    return file;
  }

  it('reads no WAL of another ledger into the restored one', async () => {
    await runs(0, 5);
    await backup();
    await runs(5, 40);
    const file = await killed('killed');
    rmSync(file);
    expect(await refusal(restore({ file }))).to.be.instanceOf(TargetExists);
    expect(await restore({ file, asideAs: 'before' })).to.include({ treeSize: 5, aside: `${file}.before` });
    expect(await sizeOf(file)).to.equal(5);
    expect(existsSync(`${file}.before-wal`)).to.equal(true);
  });

  it('moves a backup that nobody else has: there is never a second copy of it', async () => {
    await runs(0, 3);
    await backup();
    const { ino } = statSync(target);
    const folder = join(fixture.folder, 'empty');
    const file = join(folder, 'ledger.sqlite');
    mkdirSync(folder);
    writeFileSync(`${file}.restoring-wal`, 'of a killed one');
    expect((await restore({ file, consume: true })).treeSize).to.equal(3);
    expect([statSync(file).ino, existsSync(target)]).to.deep.equal([ino, false]);
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777])).to.deep.equal([
      ['ledger.sqlite', 0o600],
      ['ledger.sqlite.lock', 0o600],
    ]);
    expect(await sizeOf(file)).to.equal(3);
  });

  it('restores the files of a killed process with their last commits', async () => {
    await runs(0, 5);
    const source = await killed('killed');
    const file = join(fixture.folder, 'new', 'ledger.sqlite');
    expect(await restore({ source, file })).to.include({ treeSize: 5 });
    expect(await sizeOf(file)).to.equal(5);
  });

  it('puts nothing aside over what was put aside before', async () => {
    await runs(0, 5);
    await backup();
    await fixture.ledger.close();
    const aside = `${fixture.options.file}.before`;
    writeFileSync(aside, 'mine');
    expect(await refusal(restore({ asideAs: 'before' }))).to.be.instanceOf(TargetExists);
    expect([readFileSync(aside, 'utf8'), await sizeOf(fixture.options.file)]).to.deep.equal(['mine', 5]);
  });
});
