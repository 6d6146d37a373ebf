import { expect } from 'chai';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { checkHead } from '../../../../../adapters/ledger/sqlite-writer/check-head.ts';
import { makeOlder } from '../../../../support/older-ledger.ts';
import { orgEntry } from '../../../../support/reputation-rows.ts';
import { openWriterFixture } from '../../../../support/ledger-writer.ts';

const someEntries = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `{"n":${number}}`);

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
