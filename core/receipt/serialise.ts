import { isProfileText } from './profile.ts';
import type { AttemptRecord, CheckRecord, CommitmentRecord, ReceiptRecord } from './record.ts';

/** Serialises free text. It must fit the profile, otherwise the receipt would not verify. */
function open(value: string): string {
  if (!isProfileText(value)) throw new TypeError('a text of the record is not well formed NFC');
  return JSON.stringify(value);
}

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError('a number of the record is no safe integer');
  return String(value);
}

const attempt = (item: AttemptRecord): string =>
  `{"duration_ms":${whole(item.duration_ms)},"http_status":${item.http_status ?? 'null'},"outcome":"${item.outcome}","provider":${open(item.provider)}}`;

const check = (item: CheckRecord): string => `{"id":"${item.id}","result":"${item.result}","weight":${item.weight}}`;

const commitment = (item: CommitmentRecord | null): string =>
  item === null
    ? 'null'
    : `{"commitment":"${item.commitment}","media_type":${open(item.media_type)},"size_bytes":${whole(item.size_bytes)}}`;

const execution = (item: ReceiptRecord['execution']): string =>
  `{"attempts":[${item.attempts.map(attempt).join(',')}],"closed_by":"${item.closed_by}","duration_ms":${whole(item.duration_ms)},` +
  `"finished_at":"${item.finished_at}","outcome":"${item.outcome}","run_id":"${item.run_id}","slo_ms":${whole(item.slo_ms)},"started_at":"${item.started_at}"}`;

const policy = (item: ReceiptRecord['policy']): string =>
  `{"decision":"${item.decision}","facts_digest":"${item.facts_digest}","facts_schema":${open(item.facts_schema)},"set_digest":"${item.set_digest}",` +
  `"violations":[${item.violations.map(({ rule, severity }) => `{"rule":${open(rule)},"severity":"${severity}"}`).join(',')}]}`;

/**
 * Canonical text (RFC 8785) of a record, written for its closed shape: a tenth of the cost of sorting members
 * (performance.md §1). Ids, digests, times and literals are ASCII without characters to escape.
 * @throws TypeError a string that does not fit the profile, or a number that is not a safe integer
 */
export function serialiseRecord(record: ReceiptRecord): string {
  const { caller, orb, parent_receipt_id: parent } = record;
  return (
    `{"caller":{"self":${caller.self},"tag":"${caller.tag}"},"checks":[${record.checks.map(check).join(',')}],` +
    `"execution":${execution(record.execution)},"input":${commitment(record.input)},"issued_at":"${record.issued_at}","issuer":${open(record.issuer)},` +
    `"orb":{"id":${open(orb.id)},"irreversible":${orb.irreversible},"manifest_digest":"${orb.manifest_digest}"},` +
    `"output":${commitment(record.output)},"parent_receipt_id":${parent === null ? 'null' : `"${parent}"`},` +
    `"policy":${policy(record.policy)},"receipt_id":"${record.receipt_id}","risk_level":"${record.risk_level}",` +
    `"schema":${open(record.schema)},"scoring":"${record.scoring}","trust_score":${whole(record.trust_score)}}`
  );
}
