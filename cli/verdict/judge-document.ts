import { isLaterOrigin } from '../../core/merkle/log-origin.ts';
import { parseTlogProof } from '../../core/merkle/tlog-proof.ts';
import { claimedType } from '../../core/receipt/jws.ts';
import { CERTIFICATE_ROWS, verification, type CheckRow } from '../../core/verify/rows.ts';
import type { CheckName, Verification } from '../../core/verify/verdict.ts';
import type { VerifySubject } from '../../core/verify/verify.ts';
import { usage } from '../io/failure.ts';
import type { Document } from './document.ts';
import type { Report } from './report.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Anything that can be judged with a keys document: bundles, receipts, certificates, and those of badges. */
export type KeyedDocument = Exclude<Document, { kind: 'malformed' | 'svg' }>;

/** Whether a document is judged as a certificate. A bundle says it in the header of what it holds. */
export const isCertificate = (document: KeyedDocument): boolean =>
  document.kind === 'certificate' || (document.kind === 'bundle' && claimedType(document.jws) === 'vc+jwt');

/**
 * A flag for the other kind of document would silently check nothing.
 * @param has whether a flag was given @throws Failure
 */
export function refuseFlags(document: KeyedDocument, has: (flag: string) => boolean): void {
  const [what, others] = isCertificate(document)
    ? ['a certificate', ['input', 'output', 'max-age', 'explain']]
    : ['a receipt', ['status-list']];
  const wrong = others.find(has);
  if (wrong !== undefined) throw usage(`--${wrong} says nothing about ${what}: leave it out`);
}

/** The steps of a verdict that need more than the document. */
export interface Judging {
  /** Opens a signed keys document with the trusted roots. */
  readonly keysOf: (jws: string) => Promise<TrustedKeys>;
  readonly verify: (subject: VerifySubject) => Promise<Verification>;
}

/** The report on a file that is no bundle and no receipt. @param next what the user can do about it */
export const malformedReport = (next: readonly string[]): Report => ({
  verification: verification({ bundle: 'malformed' }, {}),
  keys: undefined,
  next,
});

/** The keys document to verify with: the named one, else that of the bundle. @throws Failure neither exists */
export function keysJwsOf(document: KeyedDocument, named: string | undefined): string {
  if (named !== undefined) return named;
  if (document.kind === 'bundle') return document.keysJws;
  const what = document.kind === 'jws' ? 'a receipt' : 'a certificate or badge';
  throw usage(`${what} alone needs --keys FILE: the keys document, from /.well-known/orb-keys.json`);
}

/**
 * What to do about a proof from an earlier log of the same platform. The checkpoint of that log no longer counts:
 * offline it can't be known which of its entries the new log still has.
 */
function abandonedLogLines({ proof, document }: VerifySubject): readonly string[] {
  const [origin = ''] = (parseTlogProof(proof ?? '')?.checkpoint ?? '').split('\n');
  if (!isLaterOrigin(document.log_origin, origin)) return [];
  return [
    `its proof is of the log ${origin}, which was given up for ${document.log_origin}`,
    'orb receipts get ID --bundle FILE fetches its proof in the new log, if the receipt was not lost with the old log',
  ];
}

const withRows = (judged: Verification, isBundle: boolean): Verification => ({
  ...judged,
  checks: judged.checks.map((check) =>
    check.id === 'keys' || (check.id === 'bundle' && isBundle) ? { id: check.id, ok: true } : check,
  ),
});

/** The verdict when the keys document is refused: nothing after it was checked. */
function keysRefused(document: KeyedDocument, code: CheckRow): Verification {
  const rows: Partial<Record<CheckName, CheckRow>> = {
    ...(document.kind === 'bundle' ? { bundle: 'pass' } : {}),
    keys: code,
  };
  return verification(rows, {}, isCertificate(document) ? CERTIFICATE_ROWS : undefined);
}

/** Judges one bundle, receipt or certificate: every row of trust.md §3.2. @param keysJws from `keysJwsOf` */
export async function judgeDocument(
  document: KeyedDocument,
  keysJws: string,
  { keysOf, verify }: Judging,
): Promise<Report> {
  const keys = await keysOf(keysJws);
  const isBundle = document.kind === 'bundle';
  if (keys.kind === 'refused') {
    return { verification: keysRefused(document, keys.code), keys: undefined, next: keys.next };
  }
  const subject = { jws: document.jws, proof: isBundle ? document.proof : null, document: keys.document };
  const judged = await verify(subject);
  const next = judged.code === 'checkpoint' ? abandonedLogLines(subject) : [];
  return { verification: withRows(judged, isBundle), keys, next };
}
