import { certificateRows, isStatusIndex, type CertificateRows } from '../tables/certificates.ts';
import { changeCounter, type NextChange } from '../tables/changes.ts';
import { checkedEntries, entryBytes } from '../tables/log.ts';
import { manifestPut } from '../tables/manifests.ts';
import { orgRows, type OrgRow, type OrgRows } from '../tables/orgs.ts';
import {
  publicationRows,
  type NewPublication,
  type PublicationRows,
  type StatusChange,
} from '../tables/publications.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { testReportRows, type NewTestReport, type TestReportRows } from '../tables/test-reports.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

const NOT_PUBLISHED = 'the version was never published';

/** Why a publication can't be written: a mistake of the caller. */
function faultOf({ entries, publishEntry, reportEntry, publishedAt, claim }: NewPublication): string | undefined {
  if (![publishEntry, reportEntry].every((entry) => Object.hasOwn(entries, entry))) return 'an entry is missing';
  if (publishEntry === reportEntry) return 'two rows name one entry';
  const isWhole = [publishedAt, claim?.since ?? 0].every(Number.isSafeInteger);
  return isWhole ? undefined : 'a time is no whole number of milliseconds';
}

/** A claim that is not proven yet owns nothing: the first verified one wins. */
const isForeign = (org: OrgRow | undefined, namespace: string): boolean =>
  org !== undefined && org.state !== 'pending' && org.namespace !== namespace;

/** A claim leaves a row as it is that says the same already, or that the platform suspended. */
const isOpen = (org: OrgRow | undefined): boolean =>
  org === undefined || org.state === 'pending' || org.state === 'unverified';

/**
 * Writes published versions with their manifests, reports, claims and entries, inside the writer's transaction. All that
 * could refuse a row is checked before the first write.
 */
export class PublicationWriter {
  readonly #publications: PublicationRows;
  readonly #reports: TestReportRows;
  readonly #orgs: OrgRows;
  readonly #certificates: CertificateRows;
  readonly #putManifest: ReturnType<typeof manifestPut>;
  readonly #nextChange: NextChange;

  constructor(db: Connection) {
    this.#publications = publicationRows(db);
    this.#reports = testReportRows(db);
    this.#orgs = orgRows(db);
    this.#certificates = certificateRows(db);
    this.#putManifest = manifestPut(db);
    this.#nextChange = changeCounter(db);
  }

  publish(publication: NewPublication, log: LogWriter): RowResult {
    const entries = checkedEntries(publication.entries);
    if (entries === undefined) return refused(TOO_LONG);
    const fault = faultOf(publication);
    if (fault !== undefined) return refused(fault);
    const existing = this.#publications.find(publication.orbId);
    if (existing !== undefined) return ['exists', existing.manifestDigest];
    const owner = this.#orgs.find(publication.org);
    if (isForeign(owner, publication.namespace)) return ['conflict', 'owned'];
    const { org, namespace, claim } = publication;
    if (claim !== null && isOpen(owner)) this.#orgs.put({ org, namespace, ...claim, change: this.#nextChange() });
    return this.#insert(publication, log.appendAll(entries));
  }

  addTestReport({ orbId, report, entry }: NewTestReport, log: LogWriter): RowResult {
    const bytes = entryBytes(entry);
    if (bytes === undefined) return refused(TOO_LONG);
    if (this.#publications.find(orbId) === undefined) return refused(NOT_PUBLISHED);
    const known = this.#reports.indexOf(orbId, report.sha256);
    if (known !== undefined) return known;
    const logIndex = log.appendAll([[entry, bytes]]);
    this.#reports.insert(orbId, { ...report, logIndex });
    return logIndex;
  }

  setStatus(change: StatusChange, log: LogWriter): RowResult {
    const { orbId, from, to, reason, revoke } = change;
    const entries = checkedEntries(change.entries);
    if (entries === undefined) return refused(TOO_LONG);
    if (entries.length === 0) return refused('a change of status has an entry');
    if (revoke !== null && !isStatusIndex(revoke)) return refused('no place in the status lists');
    const publication = this.#publications.find(orbId);
    if (publication === undefined) return refused(NOT_PUBLISHED);
    if (publication.status !== from) return ['conflict', publication.status];
    this.#publications.setStatus.run(to, reason, this.#nextChange(), orbId);
    if (revoke !== null) this.#certificates.revoke(revoke, this.#nextChange());
    return log.appendAll(entries);
  }

  /** @param first index of the first of its entries */
  #insert(publication: NewPublication, first: number): number {
    const { orbId, namespace, org, manifestDigest, publishedAt, report } = publication;
    this.#putManifest(namespace, manifestDigest, publication.manifestJcs);
    const logIndex = first + publication.publishEntry;
    const row = { orbId, namespace, org, manifestDigest, publishedAt, logIndex };
    const state = { status: 'active', reason: null, projected: false, change: this.#nextChange() } as const;
    this.#publications.insert({ ...row, ...state });
    this.#reports.insert(orbId, { ...report, logIndex: first + publication.reportEntry });
    return logIndex;
  }
}
