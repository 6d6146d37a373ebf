import { hash } from 'node:crypto';
import { partsAround, SEAM } from '../../../core/json/shared-text.ts';
import { textOf } from '../sqlite/columns.ts';
import type { PartsOf } from '../sqlite/packed-record.ts';
import { nothing, type Connection, type TableSchema } from './table.ts';

const DAY_MS = 86_400_000;

const schema: TableSchema = {
  // `id` follows from the text. A text is used by decisions made up to a day after `used_at`.
  6: `CREATE TABLE policy_texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL, used_at INTEGER NOT NULL) STRICT;
  CREATE INDEX policy_texts_used ON policy_texts(used_at);`,
};

/** Hexadecimal digits of an id: 48 bits are exact as a number. */
const ID_DIGITS = 12;

/** Remembered texts of a process: beyond it all are looked up again. */
const MOST_REMEMBERED = 4096;

/** Texts that the records of many runs share, in the writer's thread. */
export interface PolicyTextRows {
  /**
   * Stores each part of a shared text, once.
   * @param at time of the decision that uses it, ms since epoch
   * @returns ids of its parts, as records hold them; undefined: another text has the id of one, so it can't be shared
   */
  readonly idsOf: (shared: string, at: number) => string | undefined;
  /** To call after a rollback: remembered rows may no longer exist in the database. */
  readonly forget: () => void;
  /** Erases texts that only decisions made before a time can use. @returns their number */
  readonly eraseBefore: (at: number, limit: number) => number;
}

/** `usedAt` is that of the row, or earlier. */
interface Remembered {
  readonly ids: string;
  readonly usedAt: number;
}

export function policyTextRows(db: Connection): PolicyTextRows {
  const put = db.prepare(
    `INSERT INTO policy_texts(id, text, used_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
  );
  const select = db.prepare('SELECT text FROM policy_texts WHERE id = ?');
  const erase = db.prepare(
    'DELETE FROM policy_texts WHERE id IN (SELECT id FROM policy_texts WHERE used_at < ? ORDER BY used_at LIMIT ?)',
  );
  const remembered = new Map<string, Remembered>();
  const store = (text: string, at: number): string | undefined => {
    const id = hash('sha256', text, 'hex').slice(0, ID_DIGITS);
    const number = Number.parseInt(id, 16);
    put.run(number, text, at);
    return textOf(select.get(number) ?? {}, 'text') === text ? id : undefined;
  };
  return {
    idsOf: (shared, at) => {
      const known = remembered.get(shared);
      if (known !== undefined && at < known.usedAt + DAY_MS) return known.ids;
      const stored = shared.split(SEAM).map((text) => store(text, at));
      if (stored.includes(undefined)) return undefined;
      if (remembered.size >= MOST_REMEMBERED) remembered.clear();
      const ids = stored.join(',');
      remembered.set(shared, { ids, usedAt: at });
      return ids;
    },
    forget: () => remembered.clear(),
    eraseBefore: (at, limit) => Number(erase.run(at - DAY_MS, limit).changes),
  };
}

/** Reads shared texts. What was read is remembered: a text never changes. */
export function policyTextReader(db: Connection): PartsOf {
  const select = db.prepare('SELECT text FROM policy_texts WHERE id = ?');
  const remembered = new Map<string, readonly string[]>();
  const textWith = (id: string): string | undefined => {
    const row = select.get(Number.parseInt(id, 16));
    return row && textOf(row, 'text');
  };
  return (ids) => {
    const known = remembered.get(ids);
    if (known !== undefined) return known;
    const texts = ids.split(',').map(textWith);
    if (texts.includes(undefined)) return undefined;
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const parts = partsAround(texts.join(''));
    remembered.set(ids, parts);
    return parts;
  };
}

/** Written with decisions: `policy-decisions.ts`. */
export const policyTextTable = { schema, port: nothing, writers: nothing };
