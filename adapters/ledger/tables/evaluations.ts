import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** The last evaluation of a version. */
export interface Evaluation {
  readonly orbId: string;
  /** Epoch of the lease `reputation`, ≥ 0. */
  readonly epoch: number;
  /** Entries that it read. */
  readonly treeSize: number;
  /** UTC day, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** JSON texts that the caller alone understands. */
  readonly held: string;
  readonly profile: string;
  readonly change: number;
}

/** An evaluation, with everything that is written in the same transaction. */
export interface NewEvaluation extends Omit<Evaluation, 'change'> {
  /** `tier_change`, `certificate`, `revocation`; appended in this order. */
  readonly entries: readonly string[];
  readonly certificate: {
    /** Ms since epoch. */
    readonly issuedAt: number;
    readonly jwt: string;
    /** Its own, or that of an earlier certificate of the same Orb which is not revoked. */
    readonly statusIndex: number;
    /** Which of the entries is its own, from 0. */
    readonly entry: number;
  } | null;
  /** Place in the status lists of the certificate that ends; null: none does. */
  readonly revokeIndex: number | null;
}

type EvaluateResult =
  /** `logIndex` of the first entry; null without entries. */
  | { readonly kind: 'done'; readonly logIndex: number | null }
  /** A later holder of the lease wrote before: this call wrote nothing. */
  | { readonly kind: 'fenced'; readonly highest: number }
  /**
   * The version was taken off, its organisation suspended or its certificate revoked meanwhile, or another version has
   * this place in the status lists: this call wrote nothing.
   */
  | { readonly kind: 'conflict' };

/** Evaluations of published versions (trust.md §5.2). */
interface EvaluationPort {
  /**
   * Writes evaluation, entries, certificate and revocation in one transaction. Must refuse an epoch below the highest
   * that wrote one.
   */
  readonly evaluate: (evaluation: NewEvaluation) => Promise<EvaluateResult>;
  readonly evaluation: (orbId: string) => Promise<Evaluation | undefined>;
  /** Rows that were written after `change` (0: all), in order of their last change, at most 100 a call. */
  readonly evaluations: (change: number) => Promise<readonly Evaluation[]>;
}

export type EvaluateRow = readonly [op: 'evaluate', evaluation: NewEvaluation];

const schema: TableSchema = {
  4: `CREATE TABLE evaluations(
    orb_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, tree_size INTEGER NOT NULL, as_of TEXT NOT NULL, held TEXT NOT NULL,
    profile TEXT NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;`,
};

// A profile has some 10 kB.
const MAX_EVALUATIONS = 100;

const SELECT = 'SELECT orb_id, epoch, tree_size, as_of, held, profile, change FROM evaluations';

const evaluationOf = (row: Row): Evaluation => ({
  orbId: textOf(row, 'orb_id'),
  epoch: integerOf(row, 'epoch'),
  treeSize: integerOf(row, 'tree_size'),
  asOf: textOf(row, 'as_of'),
  held: textOf(row, 'held'),
  profile: textOf(row, 'profile'),
  change: integerOf(row, 'change'),
});

/** Replaces the evaluation of the same Orb, in the writer's thread. */
export function evaluationPut(db: Connection): (row: Evaluation) => void {
  const put = db.prepare(
    `INSERT INTO evaluations(orb_id, epoch, tree_size, as_of, held, profile, change) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (orb_id) DO UPDATE SET epoch = excluded.epoch, tree_size = excluded.tree_size, as_of = excluded.as_of,
       held = excluded.held, profile = excluded.profile, change = excluded.change`,
  );
  return ({ orbId, epoch, treeSize, asOf, held, profile, change }) => {
    put.run(orbId, epoch, treeSize, asOf, held, profile, change);
  };
}

function evaluateResult(result: RowResult): EvaluateResult {
  if (result === null || typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result[0] === 'fenced') return { kind: 'fenced', highest: result[1] };
  if (result[0] === 'conflict') return { kind: 'conflict' };
  throw unexpected(result);
}

function evaluationPort({ prepare, read, write, writeLogged }: TableParts<EvaluateRow>): EvaluationPort {
  const since = prepare(`${SELECT} WHERE change > ? ORDER BY change LIMIT ${MAX_EVALUATIONS}`);
  const one = prepare(`${SELECT} WHERE orb_id = ?`);
  return {
    evaluate: async (evaluation) => {
      const send = evaluation.entries.length === 0 ? write : writeLogged;
      return evaluateResult(await send(['evaluate', evaluation]));
    },
    evaluation: (orbId) =>
      read(() => {
        const row = one.get(orbId);
        return row === undefined ? undefined : evaluationOf(row);
      }),
    evaluations: (change) => read(() => since.all(change).map(evaluationOf)),
  };
}

/** Written with the log: `sqlite-writer/evaluation-writer.ts`. */
export const evaluationTable = { schema, port: evaluationPort, writers: nothing };
