import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { WalLength } from '../../../../../adapters/ledger/sqlite-writer/wal-length.ts';
import { finishRowOf, openWriterFixture, startRowOf, type WriterFixture } from '../../../../support/ledger-writer.ts';

const FRAME_BYTES = 8192 + 24;
/** The largest group of these tests, which may come just below the bound. */
const ROOM_PAGES = 100;
/** Pages of eight states of 400 kB, between two looks. */
const LARGE_ROOM_PAGES = 8 * 60;

const walPages = ({ file }: WriterFixture): number => statSync(`${file}-wal`).size / FRAME_BYTES;

/** Starts and finishes this many runs, in groups of one size. */
function load({ writer }: WriterFixture, from: number, runs: number, rows: number): number {
  const tidied = (group: Parameters<typeof writer.commit>[0]): void => {
    writer.commit(group);
    writer.tidy();
  };
  for (let first = from; first < from + runs; first += rows) {
    const group = Array.from({ length: rows }, (_, at) => first + at);
    tidied(group.map(startRowOf));
    tidied(group.map(finishRowOf));
  }
  return from + runs;
}

describe('WalLength', () => {
  let fixture: WriterFixture;
  beforeEach(() => {
    fixture = openWriterFixture();
    fixture.db.exec('PRAGMA synchronous = OFF'); // the length of the WAL is the same, and no sync is waited for
  });
  afterEach(() => fixture.dispose());

  for (const rows of [1, 8, 40]) {
    it(`has the WAL overwritten, not grown, in groups of ${rows}`, () => {
      const runs = rows * 160;
      let next = load(fixture, 0, runs, rows);
      const first = walPages(fixture);
      expect(first).to.be.lessThan(500 + ROOM_PAGES);
      for (let round = 0; round < 3; round += 1) next = load(fixture, next, runs, rows);
      expect(walPages(fixture)).to.be.lessThan(500 + ROOM_PAGES);
    });
  }

  it('counts the pages of large rows', () => {
    for (let number = 0; number < 60; number += 1) {
      fixture.writer.commit([['putState', 'kind', `key ${number}`, 'x'.repeat(400_000)]]);
      fixture.writer.tidy();
    }
    expect(walPages(fixture)).to.be.lessThan(500 + LARGE_ROOM_PAGES);
  });

  it('lets the WAL grow while another process reads an older state, and no longer', () => {
    const reader = new DatabaseSync(fixture.file, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM runs').get();
    let next = load(fixture, 0, 640, 8);
    const grown = walPages(fixture);
    expect(grown).to.be.greaterThan(1000);
    reader.exec('COMMIT');
    next = load(fixture, next, 640, 8);
    const after = walPages(fixture);
    load(fixture, next, 640, 8);
    expect(walPages(fixture)).to.equal(after);
    reader.close();
  });

  it('looks only after every eighth small group', () => {
    let looks = 0;
    const wal = new WalLength({
      prepare: (sql) => {
        const statement = fixture.db.prepare(sql);
        const get = statement.get.bind(statement);
        statement.get = () => {
          looks += 1;
          return get();
        };
        return statement;
      },
    });
    for (let commit = 0; commit < 40; commit += 1) wal.afterCommit(1);
    expect(looks).to.equal(5);
  });

  it('looks at the WAL without moving a page, and tries again only after it has grown', () => {
    const calls: string[] = [];
    const pages = { NOOP: 0, PASSIVE: 0 };
    const wal = new WalLength({
      prepare: (sql) => {
        const mode = sql.includes('NOOP') ? 'NOOP' : 'PASSIVE';
        const statement = fixture.db.prepare('SELECT 0 AS busy, ? AS log, 0 AS checkpointed');
        const get = statement.get.bind(statement);
        statement.get = () => {
          calls.push(mode);
          return get(pages[mode]);
        };
        return statement;
      },
    });
    for (const length of [499, 500, 501, 999, 1000]) {
      pages.NOOP = length;
      pages.PASSIVE = length;
      wal.afterCommit(32);
    }
    expect(calls.join(' ')).to.equal('NOOP NOOP PASSIVE NOOP NOOP NOOP PASSIVE');
  });
});
