import { isTakenOff } from '../../../core/publication/status-transition.ts';
import { certificateRows, isStatusIndex, type CertificateRows } from '../tables/certificates.ts';
import { changeCounter, type NextChange } from '../tables/changes.ts';
import { evaluationPut, type NewEvaluation } from '../tables/evaluations.ts';
import { EVALUATION_FENCE, fenceRows, type FenceRows } from '../tables/leases.ts';
import { checkedEntries } from '../tables/log.ts';
import { orgRows, type OrgRows } from '../tables/orgs.ts';
import { publicationRows, type PublicationRows } from '../tables/publications.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

function faultOfCertificate({ entries, certificate, revokeIndex }: NewEvaluation): string | undefined {
  if (certificate === null) return undefined;
  const { issuedAt, statusIndex, entry } = certificate;
  if (!Number.isSafeInteger(issuedAt)) return 'a time is no whole number of milliseconds';
  if (!Object.hasOwn(entries, entry)) return 'an entry is missing';
  const isUsable = isStatusIndex(statusIndex) && statusIndex !== revokeIndex;
  return isUsable ? undefined : 'no place in the status lists';
}

/** Why an evaluation can't be written: a mistake of the caller. */
function faultOf(evaluation: NewEvaluation, size: number): string | undefined {
  const { epoch, treeSize, revokeIndex } = evaluation;
  if (![epoch, treeSize].every(Number.isSafeInteger)) return 'a number of an evaluation is not whole';
  if (treeSize > size) return 'the log has no tree of this size';
  if (revokeIndex !== null && !isStatusIndex(revokeIndex)) return 'no place in the status lists';
  return faultOfCertificate(evaluation);
}

/** Writes evaluations with their entries, certificates and revocations, inside the writer's transaction. */
export class EvaluationWriter {
  readonly #put: ReturnType<typeof evaluationPut>;
  readonly #certificates: CertificateRows;
  readonly #publications: PublicationRows;
  readonly #orgs: OrgRows;
  readonly #fences: FenceRows;
  readonly #nextChange: NextChange;

  constructor(db: Connection) {
    this.#put = evaluationPut(db);
    this.#certificates = certificateRows(db);
    this.#publications = publicationRows(db);
    this.#orgs = orgRows(db);
    this.#fences = fenceRows(db);
    this.#nextChange = changeCounter(db);
  }

  evaluate(evaluation: NewEvaluation, log: LogWriter): RowResult {
    const { orbId, epoch, treeSize, asOf, held, profile, certificate, revokeIndex } = evaluation;
    const entries = checkedEntries(evaluation.entries);
    if (entries === undefined) return refused(TOO_LONG);
    const fault = faultOf(evaluation, log.size());
    if (fault !== undefined) return refused(fault);
    const highest = this.#fences.highest(EVALUATION_FENCE);
    if (highest !== undefined && epoch < highest) return ['fenced', highest];
    if (!this.#fitsCertificates(evaluation)) return ['conflict', 'certificate'];
    if (epoch !== highest) this.#fences.put(EVALUATION_FENCE, epoch);
    this.#put({ orbId, epoch, treeSize, asOf, held, profile, change: this.#nextChange() });
    if (revokeIndex !== null) this.#certificates.revoke(revokeIndex, this.#nextChange());
    const first = log.appendAll(entries);
    if (certificate !== null) {
      const { issuedAt, jwt, statusIndex, entry } = certificate;
      this.#certificates.insert.run(first + entry, orbId, issuedAt, jwt, statusIndex, this.#nextChange());
      this.#certificates.dropReplaced(orbId, statusIndex, first + entry);
    }
    return entries.length === 0 ? null : first;
  }

  /** A version or its organisation may have been taken off, with the certificates, since the caller looked. */
  #fitsCertificates({ orbId, certificate, revokeIndex }: NewEvaluation): boolean {
    if (revokeIndex !== null && this.#certificates.isRevoked(revokeIndex)) return false;
    if (certificate === null) return true;
    return this.#mayHaveOne(orbId) && this.#certificates.isFree(certificate.statusIndex, orbId);
  }

  #mayHaveOne(orbId: string): boolean {
    const publication = this.#publications.find(orbId);
    if (publication === undefined) return true;
    return !isTakenOff(publication.status) && this.#orgs.find(publication.org)?.state !== 'suspended';
  }
}
