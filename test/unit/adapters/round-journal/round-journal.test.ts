import { expect } from 'chai';
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRoundJournal } from '../../../../adapters/round-journal/round-journal.ts';
import type { Round } from '../../../../core/status/rounds.ts';

const ROUNDS: readonly Round[] = [
  { at: 1_800_000_000_000, until: 1_800_000_030_000, states: { runtime: 'major_outage', ingestion: 'unknown' } },
  { at: 1_800_000_030_000, until: 1_800_000_060_000, states: { reputation_ledger: 'operational' } },
];

describe('openRoundJournal', () => {
  let folder = '';
  const warned: string[] = [];
  const open = () => openRoundJournal(join(folder, 'journal'), { warn: (message) => void warned.push(message) });
  beforeEach(() => {
    warned.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'orb-journal-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('gives back what was written, also to another process', async () => {
    await open().write(ROUNDS);
    expect(await open().read()).to.deep.equal(ROUNDS);
  });

  it('leaves no file when nothing waits, and reads none as empty', async () => {
    const journal = open();
    await journal.write(ROUNDS);
    await journal.write([]);
    expect(existsSync(join(folder, 'journal/rounds'))).to.equal(false);
    expect(await journal.read()).to.deep.equal([]);
  });

  it('leaves out half a line and lines of something else', async () => {
    await open().write(ROUNDS);
    appendFileSync(join(folder, 'journal/rounds'), 'x\n1800000060000 300');
    expect(await open().read()).to.deep.equal(ROUNDS);
  });

  it('drops the oldest rounds when the journal would become too large', async () => {
    const small = openRoundJournal(join(folder, 'journal'), { warn: () => undefined }, 40);
    await small.write(ROUNDS);
    expect(statSync(join(folder, 'journal/rounds')).size).to.be.at.most(40);
    expect(await small.read()).to.deep.equal(ROUNDS.slice(1));
  });

  it('warns once and goes on when the disk refuses', async () => {
    writeFileSync(join(folder, 'journal'), 'a file in place of the folder');
    const journal = open();
    await journal.write(ROUNDS);
    await journal.write(ROUNDS);
    expect(warned).to.have.lengthOf(1);
  });
});
