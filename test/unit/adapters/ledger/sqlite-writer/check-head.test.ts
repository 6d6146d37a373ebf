import { expect } from 'chai';
import type { DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { checkHead, logFault } from '../../../../../adapters/ledger/sqlite-writer/check-head.ts';
import { blobOf } from '../../../../../adapters/ledger/sqlite/columns.ts';
import { makeOlder } from '../../../../support/older-ledger.ts';
import { orgEntry } from '../../../../support/reputation-rows.ts';
import { openWriterFixture } from '../../../../support/ledger-writer.ts';
import { seeded } from '../../../../support/seeded.ts';

const someEntries = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `{"n":${number}}`);

/** Where a byte of a ledger is flipped, and the table and column that hold it. */
interface Column {
  readonly what: string;
  readonly table: string;
  readonly column: string;
  /** SQL of the row. */
  readonly row: string;
}

const COLUMNS: readonly Column[] = [
  { what: 'an entry of the newest tile', table: 'log_entries', column: 'entry', row: 'idx = 640' },
  { what: 'an entry of the full tile before it', table: 'log_entries', column: 'entry', row: 'idx = 300' },
  { what: 'the newest tile', table: 'log_tiles', column: 'hashes', row: 'level = 0 AND idx = 2' },
  { what: 'the full tile before it', table: 'log_tiles', column: 'hashes', row: 'level = 0 AND idx = 1' },
  { what: 'the tile above', table: 'log_tiles', column: 'hashes', row: 'level = 1 AND idx = 0' },
  { what: 'the edge of the head', table: 'log_head', column: 'edge', row: 'id = 1' },
];

/** Flips one bit of a blob that is stored. */
function flipBit(db: DatabaseSync, { table, column, row }: Column, random: () => number): void {
  const found = db.prepare(`SELECT ${column} AS bytes FROM ${table} WHERE ${row}`).get() ?? {};
  const bytes = Buffer.from(blobOf(found, 'bytes'));
  const at = Math.floor(random() * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${row}`).run(bytes);
}

const FLIPS = 20;

describe('checkHead', () => {
  for (const size of [0, 1, 255, 256, 257, 513]) {
    it(`accepts a log of ${size} entries with its checkpoint`, () => {
      const { db, writer, dispose } = openWriterFixture();
      writer.commit([['append', someEntries(size)], ['checkpoint']]);
      expect(() => checkHead(db)).not.to.throw();
      dispose();
    });
  }

  it('accepts the copy of an older ledger, which has no evidence', () => {
    const { db, writer, dispose } = openWriterFixture();
    writer.commit([['append', [orgEntry('verified')]], ['checkpoint']]);
    makeOlder(db, 3);
    expect(() => checkHead(db)).not.to.throw();
    dispose();
  });

  for (const column of COLUMNS) {
    it(`finds a flipped bit in ${column.what}, wherever it is`, () => {
      const { db, writer, dispose } = openWriterFixture();
      writer.commit([['append', someEntries(700)], ['checkpoint']]);
      const random = seeded(19);
      for (let flip = 0; flip < FLIPS; flip += 1) {
        db.exec('SAVEPOINT whole');
        flipBit(db, column, random);
        expect(logFault(db), `flip ${flip}`).to.match(/contradicts itself/);
        db.exec('ROLLBACK TO whole; RELEASE whole');
        expect(logFault(db)).to.equal(undefined);
      }
      dispose();
    });
  }

  it('finds a changed tile that is full, when no tile follows it', () => {
    const { db, writer, dispose } = openWriterFixture();
    writer.commit([['append', someEntries(512)], ['checkpoint']]);
    flipBit(db, { what: '', table: 'log_tiles', column: 'hashes', row: 'level = 0 AND idx = 1' }, seeded(1));
    expect(logFault(db)).to.include('its newest tiles differ from each other');
    dispose();
  });

  it('hashes every entry that the next checkpoint would sign', () => {
    const { db, writer, dispose } = openWriterFixture();
    writer.commit([['append', someEntries(10)], ['checkpoint']]);
    writer.commit([['append', someEntries(1500)]]);
    expect(logFault(db)).to.equal(undefined);
    db.exec(`UPDATE log_entries SET entry = CAST('{"n":0}' AS BLOB) WHERE idx = 20`);
    expect(logFault(db)).to.include('its newest entries differ from their hashes');
    dispose();
  });

  it('takes a few reads, whatever the size of the log', () => {
    const { db, writer, dispose } = openWriterFixture();
    for (let part = 0; part < 20; part += 1) writer.commit([['append', someEntries(4000)]]);
    writer.commit([['checkpoint']]);
    const usage = process.cpuUsage();
    expect(logFault(db)).to.equal(undefined);
    const { user, system } = process.cpuUsage(usage);
    expect((user + system) / 1000).to.be.lessThan(100);
    dispose();
  });

  const faults: readonly (readonly [string, string])[] = [
    ['a head that lost its last entry', 'UPDATE log_head SET size = size - 1'],
    ['an edge of another tree', 'UPDATE log_head SET edge = zeroblob(64)'],
    ['a last entry that was changed', `UPDATE log_entries SET entry = CAST('{"n":0}' AS BLOB) WHERE idx = 299`],
    ['a last entry that is missing', 'DELETE FROM log_entries WHERE idx = 299'],
    ['an entry beyond the head', `INSERT INTO log_entries(idx, entry) VALUES (300, x'7b7d')`],
    ['a tile that is missing', 'DELETE FROM log_tiles WHERE level = 0 AND idx = 1'],
    ['a tile that is cut short', 'UPDATE log_tiles SET hashes = substr(hashes, 1, 32) WHERE level = 0 AND idx = 1'],
    [
      'a checkpoint of another tree',
      `UPDATE log_checkpoints SET note = 'orbs.example/log' || char(10) || '300' || char(10) || 'AAAA' || char(10)`,
    ],
    ['evidence that lost an entry', 'DELETE FROM reputation_events WHERE log_index = 298'],
    ['evidence that the log does not have', `INSERT INTO reputation_events VALUES (300, 'org', NULL, 'acme', '', 0)`],
    ['a retraction of no entry', 'INSERT INTO reputation_retractions(log_index) VALUES (300)'],
    ['a certificate without its entry', `INSERT INTO certificates VALUES (300, 'acme.echo@1.0.0', 0, '', 0, 1)`],
    ['a checkpoint beyond the head', 'UPDATE log_checkpoints SET size = 301'],
  ];
  for (const [why, sql] of faults) {
    it(`refuses ${why}`, () => {
      const { db, writer, dispose } = openWriterFixture();
      writer.commit([['append', [...someEntries(298), orgEntry('verified'), '{"n":299}']], ['checkpoint']]);
      db.exec(sql);
      expect(() => checkHead(db))
        .to.throw(LedgerError, 'contradicts itself')
        .with.property('code', 'ledger-unavailable');
      dispose();
    });
  }
});
