import { integerOf, oneOf, textOf, type Row } from '../sqlite/columns.ts';
import { MAX_CHANGES } from './changes.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

const PROOFS = ['operator', 'dns'] as const;
const STATES = ['verified', 'unverified', 'suspended'] as const;

/** An organisation that a tenant has proven, the first part of the ids of its Orbs. */
export interface OrgRow {
  readonly org: string;
  /** Tenant that owns it. */
  readonly namespace: string;
  /** How the tenant proves it. */
  readonly proof: (typeof PROOFS)[number];
  readonly state: (typeof STATES)[number];
  /** Start of the state, ms since epoch. */
  readonly since: number;
  /** JSON text that the caller alone understands; its bytes identify the row in `putOrg`. */
  readonly json: string;
  readonly change: number;
}

/** A row as it is written. */
export type NewOrg = Omit<OrgRow, 'change'>;

type PutOrgResult =
  /** `logIndex` of the first entry; null without entries. */
  | { readonly kind: 'done'; readonly logIndex: number | null }
  /** The row is not the one that was read: this call wrote nothing. */
  | { readonly kind: 'conflict' };

/** Organisations and their owners. */
interface OrgPort {
  readonly org: (org: string) => Promise<OrgRow | undefined>;
  /** Rows that were written after `change` (0: all), in order of their last change, at most 1 000 a call. */
  readonly orgs: (change: number) => Promise<readonly OrgRow[]>;
  /**
   * Writes a row with its log entries. Of concurrent calls with the same `expected`, must let one through. With the
   * entries of a suspension, the certificates in force of the organisation end in the same transaction: a `revocation`
   * entry of each follows `entries`. Of more than 5 000 versions the others lose theirs when they are evaluated.
   * @param expected `json` of the row that was read; null: there was none
   * @param claims `ended`: the organisation was proven, and every open claim of it ends; by default they stay
   */
  readonly putOrg: (
    row: NewOrg,
    expected: string | null,
    entries: readonly string[],
    claims?: OpenClaims,
  ) => Promise<PutOrgResult>;
}

type OpenClaims = 'kept' | 'ended';

export type PutOrgRow = readonly [
  op: 'putOrg',
  row: NewOrg,
  expected: string | null,
  entries: readonly string[],
  claims: OpenClaims,
];

const schema: TableSchema = {
  4: `CREATE TABLE orgs(
    org TEXT PRIMARY KEY, namespace TEXT NOT NULL, proof TEXT NOT NULL, state TEXT NOT NULL, since INTEGER NOT NULL,
    json TEXT NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;`,
};

const SELECT = 'SELECT org, namespace, proof, state, since, json, change FROM orgs';

const orgOf = (row: Row): OrgRow => ({
  org: textOf(row, 'org'),
  namespace: textOf(row, 'namespace'),
  proof: oneOf(PROOFS, row, 'proof'),
  state: oneOf(STATES, row, 'state'),
  since: integerOf(row, 'since'),
  json: textOf(row, 'json'),
  change: integerOf(row, 'change'),
});

/** Organisations in the writer's thread. */
export interface OrgRows {
  readonly find: (org: string) => OrgRow | undefined;
  /** Replaces a row of the same organisation. */
  readonly put: (row: OrgRow) => void;
}

export function orgRows(db: Connection): OrgRows {
  const one = db.prepare(`${SELECT} WHERE org = ?`);
  const put = db.prepare(
    `INSERT INTO orgs(org, namespace, proof, state, since, json, change) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (org) DO UPDATE SET namespace = excluded.namespace, proof = excluded.proof, state = excluded.state,
       since = excluded.since, json = excluded.json, change = excluded.change`,
  );
  return {
    find: (org) => {
      const row = one.get(org);
      return row && orgOf(row);
    },
    put: ({ org, namespace, proof, state, since, json, change }) => {
      put.run(org, namespace, proof, state, since, json, change);
    },
  };
}

function putResult(result: RowResult): PutOrgResult {
  if (result === null || typeof result === 'number') return { kind: 'done', logIndex: result };
  if (result[0] === 'conflict') return { kind: 'conflict' };
  throw unexpected(result);
}

function orgPort({ prepare, read, write, writeLogged }: TableParts<PutOrgRow>): OrgPort {
  const one = prepare(`${SELECT} WHERE org = ?`);
  const since = prepare(`${SELECT} WHERE change > ? ORDER BY change LIMIT ${MAX_CHANGES}`);
  return {
    org: (org) =>
      read(() => {
        const row = one.get(org);
        return row && orgOf(row);
      }),
    orgs: (change) => read(() => since.all(change).map(orgOf)),
    putOrg: async (row, expected, entries, claims = 'kept') => {
      const send = entries.length === 0 ? write : writeLogged;
      return putResult(await send(['putOrg', row, expected, [...entries], claims]));
    },
  };
}

/** Written with the log: `sqlite-writer/org-writer.ts`. */
export const orgTable = { schema, port: orgPort, writers: nothing };
