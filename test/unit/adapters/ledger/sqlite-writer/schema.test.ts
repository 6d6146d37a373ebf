import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openWriterDatabase, SCHEMA_VERSION } from '../../../../../adapters/ledger/sqlite-writer/schema.ts';
import { TABLES } from '../../../../../adapters/ledger/tables/tables.ts';
import { makeOlder } from '../../../../support/older-ledger.ts';

const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };
const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);

/** Statements that made the file, in the order of their execution, as SQLite keeps them. */
const statementsOf = (db: DatabaseSync): string =>
  db
    .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid')
    .all()
    .map(({ sql }) => `${String(sql)};\n`)
    .join('');

/** A file as a program of an earlier version made it. */
function makeFile(file: string, version: number): void {
  const db = new DatabaseSync(file);
  db.exec('CREATE TABLE schema_version(id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT');
  for (const step of versions.slice(0, version)) for (const schema of TABLES.schemas) db.exec(schema[step] ?? '');
  db.prepare('INSERT INTO schema_version(id, version) VALUES (1, ?)').run(version);
  db.close();
}

describe('schema', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-schema-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** What an opened file holds. */
  function opened(name: string): string {
    const db = openWriterDatabase(join(folder, name), identity);
    try {
      return statementsOf(db);
    } finally {
      db.close();
    }
  }

  it('keeps the text of each released script: a change is a script under the next version', () => {
    expect(opened('new.sqlite')).to.equal(readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8'));
  });

  it('has a script for every version up to its own', () => {
    const scripted = new Set(TABLES.schemas.flatMap((schema) => Object.keys(schema).map(Number)));
    expect([...scripted].toSorted((one, other) => one - other)).to.deep.equal(versions);
  });

  for (const version of versions) {
    it(`has tests of older ledgers that make a file of version ${version} as its program made it`, () => {
      makeFile(join(folder, 'made.sqlite'), version);
      const made = new DatabaseSync(join(folder, 'made.sqlite'));
      const older = openWriterDatabase(join(folder, 'older.sqlite'), identity);
      makeOlder(older, version);
      expect(statementsOf(older).split(';\n').toSorted()).to.deep.equal(statementsOf(made).split(';\n').toSorted());
      older.close();
      made.close();
    });

    it(`makes of a file of version ${version} what a new file is`, () => {
      makeFile(join(folder, 'older.sqlite'), version);
      expect(opened('older.sqlite').split(';\n').toSorted()).to.deep.equal(
        opened('new.sqlite').split(';\n').toSorted(),
      );
    });
  }
});
