import { changeCounter, type NextChange } from '../tables/changes.ts';
import { checkedEntries } from '../tables/log.ts';
import { endOrgClaims } from '../tables/org-claims.ts';
import { orgRows, type OrgRows, type PutOrgRow } from '../tables/orgs.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

/** Writes organisations with their entries, inside the writer's transaction. */
export class OrgWriter {
  readonly #orgs: OrgRows;
  readonly #endClaims: ReturnType<typeof endOrgClaims>;
  readonly #nextChange: NextChange;

  constructor(db: Connection) {
    this.#orgs = orgRows(db);
    this.#endClaims = endOrgClaims(db);
    this.#nextChange = changeCounter(db);
  }

  put([, row, expected, texts, claims]: PutOrgRow, log: LogWriter): RowResult {
    const entries = checkedEntries(texts);
    if (entries === undefined) return refused(TOO_LONG);
    if (!Number.isSafeInteger(row.since)) return refused('a time is no whole number of milliseconds');
    const found = this.#orgs.find(row.org);
    if ((found?.json ?? null) !== expected) return ['conflict', found?.state ?? 'none'];
    this.#orgs.put({ ...row, change: this.#nextChange() });
    if (claims === 'ended') this.#endClaims(row.org);
    const first = log.appendAll(entries);
    return entries.length === 0 ? null : first;
  }
}
