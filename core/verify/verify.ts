import type { Primitives } from '../merkle/primitives.ts';
import { parseBundle } from '../receipt/bundle.ts';
import type { KeysDocument, PublishedKey } from '../receipt/keys-document.ts';
import { claimedType, parseJws } from '../receipt/jws.ts';
import type { SwapReceipt } from '../receipt/swap-record.ts';
import { scoreOfRecord } from '../trust/score.ts';
import { checkInclusion } from './inclusion.ts';
import { inclusionRow, passIf, placeOf, statusRow, windowRow, type Logged } from './key-rows.ts';
import { openKeys, type Root } from './keys.ts';
import { checkOpenings, type Openings } from './openings.ts';
import { verification, type CheckRow } from './rows.ts';
import { entriesOf, signedRecordOf, type ReceiptType, type SignedRecord } from './signed-record.ts';
import type { Verification } from './verdict.ts';
import { openingRows, openJws } from './open-jws.ts';

/** Cryptographic functions of a verifier, and its clock. */
export interface VerifierPrimitives extends Primitives {
  /** Ms since the epoch. */
  readonly now: () => number;
}

/** Makes the decision of a swap again, from the evidence of its receipt (failover.md §10). */
export type Replay = (record: SwapReceipt) => { readonly follows: boolean; readonly why: string };

/** Checks requested beyond the signature. */
export interface VerifyOptions {
  readonly openings?: Openings;
  /** Accepts a receipt without proof. A proof that is present must still be good. */
  readonly allowUnlogged?: boolean;
  /** Largest age of a receipt, ms. */
  readonly maxAgeMs?: number;
  /**
   * Makes the decision of a swap again on its evidence; the result must be the same. Injected, because this code also
   * runs in browsers.
   */
  readonly replay?: Replay;
}

/** A receipt with the keys document to verify it; the document is already opened. */
export interface VerifySubject {
  readonly jws: string;
  /** tlog-proof text; null without a proof. */
  readonly proof: string | null;
  readonly document: KeysDocument;
}

function scoreRow(signed: SignedRecord): CheckRow {
  if (signed.kind === 'swap') return 'none';
  const { trust_score, risk_level } = scoreOfRecord(signed.record);
  return passIf(trust_score === signed.record.trust_score && risk_level === signed.record.risk_level, 'score_mismatch');
}

async function openingsRow(signed: SignedRecord, openings: Openings, primitives: Primitives): Promise<CheckRow> {
  if (signed.kind === 'swap' || Object.keys(openings).length === 0) return 'none';
  return (await checkOpenings(openings, signed.record, primitives)) ?? 'pass';
}

async function inclusionOf(
  subject: VerifySubject,
  signed: SignedRecord,
  options: VerifyOptions,
  primitives: Primitives,
): Promise<Logged> {
  const { jws, proof, document } = subject;
  if (proof === null) return options.allowUnlogged === true ? 'none' : 'not_in_log';
  return checkInclusion(jws, (sha256) => entriesOf(signed, sha256), { proof, document }, primitives);
}

function ageRow(issuedAt: string, maxAgeMs: number | undefined, now: number): CheckRow {
  if (maxAgeMs === undefined) return 'none';
  return passIf(now - Date.parse(issuedAt) <= maxAgeMs, 'too_old');
}

/** Row 8 of a swap receipt, on request: its decision follows from its evidence. */
function decisionOf(signed: SignedRecord, { replay }: VerifyOptions) {
  if (signed.kind === 'run' || replay === undefined) return {};
  if (signed.record.evidence === null) {
    return { row: { decision: 'none' }, explanation: { kind: 'no-evidence' } } as const;
  }
  const { follows, why } = replay(signed.record);
  return {
    row: { decision: passIf(follows, 'decision_mismatch') },
    explanation: { kind: 'replayed', follows, why },
  } as const;
}

/** Rows 7 to 13, for a record whose signature and form are good. */
async function judge(
  subject: VerifySubject,
  { signed, key }: { readonly signed: SignedRecord; readonly key: PublishedKey },
  options: VerifyOptions,
  primitives: VerifierPrimitives,
) {
  const { issuer, issued_at: issuedAt } = signed.record;
  const logged = await inclusionOf(subject, signed, options, primitives);
  const { row, explanation } = decisionOf(signed, options);
  const rows = {
    issuer: passIf(issuer === subject.document.issuer, 'issuer'),
    score: scoreRow(signed),
    ...row,
    openings: await openingsRow(signed, options.openings ?? {}, primitives),
    inclusion: inclusionRow(logged),
    key_window: windowRow(issuedAt, key),
    key_status: statusRow(key, logged),
    age: ageRow(issuedAt, options.maxAgeMs, primitives.now()),
  } as const;
  const log = placeOf(logged, subject.document.log_origin);
  return { rows, found: { signed, ...log, ...(explanation === undefined ? {} : { explanation }) } };
}

/** Any type but that of a swap is handled as that of a run, and then refused. */
const typeOf = (jws: string): ReceiptType => (claimedType(jws) === 'orb-swap+jws' ? 'orb-swap+jws' : 'orb-receipt+jws');

/**
 * Verifies a receipt, of a run or of a swap, with an opened keys document: rows 3 to 13 of trust.md §3.2. It never
 * throws on any input, as long as the primitives don't.
 */
export async function verifyReceipt(
  subject: VerifySubject,
  options: VerifyOptions,
  primitives: VerifierPrimitives,
): Promise<Verification> {
  const { keys } = subject.document;
  const type = typeOf(subject.jws);
  const opened = await openJws(parseJws(subject.jws), { type, role: 'receipt' }, keys, primitives);
  const found = opened.key === undefined ? {} : { key: { kid: opened.key.kid, status: opened.key.status } };
  if (!opened.ok) return verification(openingRows(opened.code), found);
  const signed = signedRecordOf(type, opened.payload);
  if (signed === undefined) return verification({ jws: 'pass', record: 'schema' }, found);
  const judged = await judge(subject, { signed, key: opened.key }, options, primitives);
  return verification({ jws: 'pass', record: 'pass', ...judged.rows }, { ...found, ...judged.found });
}

/**
 * Verifies a bundle (`orb-bundle/1`) with only the pinned root: every row of trust.md §3.2. Never throws.
 * @param bytes as they were served
 */
export async function verifyBundle(
  bytes: Uint8Array,
  root: Root,
  options: VerifyOptions,
  primitives: VerifierPrimitives,
): Promise<Verification> {
  const bundle = parseBundle(bytes);
  if (bundle === undefined) return verification({ bundle: 'malformed' }, {});
  const keys = await openKeys(bundle.keys_jws, root, primitives);
  if (!keys.ok) return verification({ bundle: 'pass', keys: keys.code }, {});
  const subject = { jws: bundle.jws, proof: bundle.tlog_proof, document: keys.document };
  const judged = await verifyReceipt(subject, options, primitives);
  const checks = judged.checks.map((check) =>
    check.id === 'bundle' || check.id === 'keys' ? { id: check.id, ok: true } : check,
  );
  return { ...judged, checks };
}
