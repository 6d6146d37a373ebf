import {
  exitCodeOf,
  verdictOf,
  type CheckName,
  type CheckOutcome,
  type Verification,
  type VerifyCode,
} from './verdict.ts';

const ROWS: readonly CheckName[] = [
  'bundle',
  'keys',
  'jws',
  'record',
  'issuer',
  'score',
  'decision',
  'openings',
  'inclusion',
  'key_window',
  'key_status',
  'age',
];

/** Rows of a certificate (trust.md §3.2). */
export const CERTIFICATE_ROWS: readonly CheckName[] = [
  'bundle',
  'keys',
  'jws',
  'record',
  'issuer',
  'inclusion',
  'key_window',
  'key_status',
  'badge',
  'validity',
  'status_list',
];

/** Rows that are listed only where they were made. */
const ON_REQUEST: ReadonlySet<CheckName> = new Set(['decision', 'badge']);

/** Result of a row: the code of a failure, `pass`, or `none` when there is nothing to check. */
export type CheckRow = VerifyCode | 'pass' | 'none';

function outcome(id: CheckName, result: CheckRow | undefined): CheckOutcome {
  if (result === undefined || result === 'none') return { id, ok: null };
  return result === 'pass' ? { id, ok: true } : { id, ok: false, code: result };
}

/** Other facts about a document, for any verdict. */
export type VerifiedFacts = Pick<Verification, 'signed' | 'certificate' | 'key' | 'log' | 'explanation'>;

const codeOf = (checks: readonly CheckOutcome[]): VerifyCode =>
  checks.find((check) => check.ok === false)?.code ?? 'ok';

/** What the certificate of a badge is worth alone. */
function withoutBadge(checks: readonly CheckOutcome[], hasBadge: boolean): Pick<Verification, 'withoutBadge'> {
  if (!hasBadge) return {};
  const code = codeOf(checks.filter(({ id }) => id !== 'badge'));
  return { withoutBadge: { verdict: verdictOf(code), code } };
}

/**
 * The verification from its rows (trust.md §3.2). The first failure in the order of the table decides. Every row is
 * listed, so that no reader sees only a single green tick.
 * @param table the rows of this kind of document
 */
export function verification(
  results: Partial<Readonly<Record<CheckName, CheckRow>>>,
  found: VerifiedFacts,
  table: readonly CheckName[] = ROWS,
): Verification {
  const rows = table.filter((id) => !ON_REQUEST.has(id) || results[id] !== undefined);
  const checks = rows.map((id) => outcome(id, results[id]));
  const code = codeOf(checks);
  const verdict = verdictOf(code);
  const signatureValid = results.jws === 'pass' && results.record === 'pass';
  const alone = withoutBadge(checks, results.badge !== undefined && found.certificate !== undefined);
  return { verdict, code, exit: exitCodeOf(verdict), checks, signatureValid, ...found, ...alone };
}
