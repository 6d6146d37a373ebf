import { isLaterOrigin } from '../../core/merkle/log-origin.ts';
import { parseTlogProof } from '../../core/merkle/tlog-proof.ts';
import { verification } from '../../core/verify/rows.ts';
import type { Verification } from '../../core/verify/verdict.ts';
import type { VerifySubject } from '../../core/verify/verify.ts';
import { usage } from '../io/failure.ts';
import type { Document } from './document.ts';
import type { Report } from './report.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Anything that can be judged with a keys document. */
export type KeyedDocument = Exclude<Document, { kind: 'malformed' }>;

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
  throw usage('a receipt alone needs --keys FILE: the keys document, from /.well-known/orb-keys.json');
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

/** Judges one bundle or receipt: every row of trust.md §3.2. @param keysJws from `keysJwsOf` */
export async function judgeDocument(
  document: KeyedDocument,
  keysJws: string,
  { keysOf, verify }: Judging,
): Promise<Report> {
  const keys = await keysOf(keysJws);
  const isBundle = document.kind === 'bundle';
  if (keys.kind === 'refused') {
    const rows = { ...(isBundle ? { bundle: 'pass' as const } : {}), keys: keys.code };
    return { verification: verification(rows, {}), keys: undefined, next: keys.next };
  }
  const subject = { jws: document.jws, proof: isBundle ? document.proof : null, document: keys.document };
  const judged = await verify(subject);
  const next = judged.code === 'checkpoint' ? abandonedLogLines(subject) : [];
  return { verification: withRows(judged, isBundle), keys, next };
}
