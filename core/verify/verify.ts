import type { Primitives } from '../merkle/primitives.ts';
import { parseBundle } from '../receipt/bundle.ts';
import type { KeysDocument, PublishedKey } from '../receipt/keys-document.ts';
import { isReceiptRecord } from '../receipt/record-schema.ts';
import type { ReceiptRecord } from '../receipt/record.ts';
import { scoreOfRecord } from '../trust/score.ts';
import { checkInclusion, type LoggedAt } from './inclusion.ts';
import { openKeys, type Root } from './keys.ts';
import { checkOpenings, type Openings } from './openings.ts';
import { verification, type RowResult } from './rows.ts';
import type { Verification } from './verdict.ts';
import { openJws } from './open-jws.ts';

/** What a verifier computes with, and its clock. */
export interface VerifierPrimitives extends Primitives {
  /** Ms since the epoch. */
  readonly now: () => number;
}

/** What is asked beyond the signature. */
export interface VerifyOptions {
  readonly openings?: Openings;
  /** A receipt without proof is good enough; a proof that is there must still be good. */
  readonly allowUnlogged?: boolean;
  /** Largest age of a receipt, ms. */
  readonly maxAgeMs?: number;
}

/** A receipt with the keys that it is judged by; the keys document is already opened. */
export interface Subject {
  readonly jws: string;
  /** tlog-proof text; null: none is there. */
  readonly proof: string | null;
  readonly document: KeysDocument;
}

const passIf = (good: boolean, code: RowResult): RowResult => (good ? 'pass' : code);

function scoreRow(record: ReceiptRecord): RowResult {
  const { trust_score, risk_level } = scoreOfRecord(record);
  return passIf(trust_score === record.trust_score && risk_level === record.risk_level, 'score_mismatch');
}

async function inclusionOf(
  subject: Subject,
  record: ReceiptRecord,
  options: VerifyOptions,
  primitives: Primitives,
): Promise<LoggedAt | 'not_in_log' | 'none'> {
  const { jws, proof, document } = subject;
  if (proof === null) return options.allowUnlogged === true ? 'none' : 'not_in_log';
  return checkInclusion({ record, jws }, proof, document, primitives);
}

function inclusionRow(logged: LoggedAt | 'not_in_log' | 'none'): RowResult {
  if (typeof logged === 'string') return logged;
  return logged.ok ? 'pass' : logged.code;
}

function windowRow(record: ReceiptRecord, key: PublishedKey): RowResult {
  const issued = Date.parse(record.issued_at);
  const begun = issued >= Date.parse(key.not_before);
  const ended = key.not_after !== null && issued > Date.parse(key.not_after);
  return passIf(begun && !ended, 'key_window');
}

/** A revoked key counts only below the log index of its revocation; without a proven index there is no telling. */
function statusRow(key: PublishedKey, logged: LoggedAt | 'not_in_log' | 'none'): RowResult {
  if (key.status !== 'revoked') return 'pass';
  const index = typeof logged === 'object' && logged.ok ? logged.index : undefined;
  return passIf(index !== undefined && key.revoked_log_index !== null && index < key.revoked_log_index, 'key_revoked');
}

function ageRow(record: ReceiptRecord, maxAgeMs: number | undefined, now: number): RowResult {
  if (maxAgeMs === undefined) return 'none';
  return passIf(now - Date.parse(record.issued_at) <= maxAgeMs, 'too_old');
}

/** Rows 7 to 13, for a record whose signature and form are good. */
async function judge(
  subject: Subject,
  signed: { readonly record: ReceiptRecord; readonly key: PublishedKey },
  options: VerifyOptions,
  primitives: VerifierPrimitives,
) {
  const { record, key } = signed;
  const openings = options.openings ?? {};
  const opened =
    Object.keys(openings).length === 0 ? 'none' : ((await checkOpenings(openings, record, primitives)) ?? 'pass');
  const logged = await inclusionOf(subject, record, options, primitives);
  const rows = {
    issuer: passIf(record.issuer === subject.document.issuer, 'issuer'),
    score: scoreRow(record),
    openings: opened,
    inclusion: inclusionRow(logged),
    key_window: windowRow(record, key),
    key_status: statusRow(key, logged),
    age: ageRow(record, options.maxAgeMs, primitives.now()),
  } as const;
  const log =
    typeof logged === 'object' && logged.ok
      ? { origin: subject.document.log_origin, index: logged.index, treeSize: logged.treeSize }
      : undefined;
  return { rows, log };
}

/**
 * Judges a receipt by an opened keys document: rows 3 to 13 of trust.md §3.2. Total: never throws on any input, as long
 * as the primitives don't.
 */
export async function verifyReceipt(
  subject: Subject,
  options: VerifyOptions,
  primitives: VerifierPrimitives,
): Promise<Verification> {
  const { sequence } = subject.document;
  const opened = await openJws(
    subject.jws,
    { type: 'orb-receipt+jws', role: 'receipt' },
    subject.document.keys,
    primitives,
  );
  const key = opened.key === undefined ? {} : { key: { kid: opened.key.kid, status: opened.key.status } };
  const found = { sequence, ...key };
  if (!opened.ok) {
    const inRecord = opened.code === 'payload' || opened.code === 'profile' || opened.code === 'not_canonical';
    return verification(inRecord ? { jws: 'pass', record: opened.code } : { jws: opened.code }, found);
  }
  if (!isReceiptRecord(opened.payload)) return verification({ jws: 'pass', record: 'schema' }, found);
  const record = opened.payload;
  const { rows, log } = await judge(subject, { record, key: opened.key }, options, primitives);
  return verification(
    { jws: 'pass', record: 'pass', ...rows },
    { ...found, record, ...(log === undefined ? {} : { log }) },
  );
}

/**
 * Verifies a bundle (`orb-bundle/1`) with nothing but the pinned root: every row of trust.md §3.2. Never throws.
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
