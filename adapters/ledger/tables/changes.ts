import { integerOf, textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** A row that was written. */
interface LedgerChange {
  readonly change: number;
  readonly kind: 'publication' | 'org' | 'evaluation' | 'certificate';
  /** Id of the Orb, or name of the organisation. */
  readonly id: string;
}

/** One counter for publications, organisations, evaluations and certificates, so that readers can follow them. */
interface ChangePort {
  /** Rows that were written after `change` (0: all), in order of their last change, at most 1 000 a call. */
  readonly changesSince: (change: number) => Promise<readonly LedgerChange[]>;
}

const schema: TableSchema = {
  4: `CREATE TABLE changes(id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
  INSERT INTO changes(id, last) VALUES (1, 0);`,
};

/** Rows that a call of a reader of changes gives at most. */
export const MAX_CHANGES = 1000;

const SINCE = `SELECT change, 'publication' AS kind, orb_id AS id FROM publications WHERE change > :since
  UNION ALL SELECT change, 'org', org FROM orgs WHERE change > :since
  UNION ALL SELECT change, 'evaluation', orb_id FROM evaluations WHERE change > :since
  UNION ALL SELECT change, 'certificate', orb_id FROM certificates WHERE change > :since
  ORDER BY change LIMIT ${MAX_CHANGES}`;

const KINDS = { publication: true, org: true, evaluation: true, certificate: true } as const satisfies Record<
  LedgerChange['kind'],
  true
>;
const isKind = (text: string): text is LedgerChange['kind'] => Object.hasOwn(KINDS, text);

function changePort({ prepare, read }: TableParts<never>): ChangePort {
  const since = prepare(SINCE);
  return {
    changesSince: (change) =>
      read(() =>
        since.all({ since: change }).flatMap((row) => {
          const kind = textOf(row, 'kind');
          return isKind(kind) ? [{ change: integerOf(row, 'change'), kind, id: textOf(row, 'id') }] : [];
        }),
      ),
  };
}

export const changeTable = { schema, port: changePort, writers: nothing };

/** Gives each written row its number, in the writer's thread. */
export type NextChange = () => number;

export function changeCounter(db: Connection): NextChange {
  const next = db.prepare('UPDATE changes SET last = last + 1 WHERE id = 1 RETURNING last');
  return () => integerOf(next.get() ?? {}, 'last');
}
