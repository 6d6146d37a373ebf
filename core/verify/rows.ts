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

/** Result of a row: the code of a failure, `pass`, or `none` when there is nothing to check. */
export type CheckRow = VerifyCode | 'pass' | 'none';

function outcome(id: CheckName, result: CheckRow | undefined): CheckOutcome {
  if (result === undefined || result === 'none') return { id, ok: null };
  return result === 'pass' ? { id, ok: true } : { id, ok: false, code: result };
}

/** Other facts about a document, for any verdict. */
export type VerifiedFacts = Pick<Verification, 'signed' | 'key' | 'log' | 'explanation'>;

/**
 * The verification from its rows (trust.md §3.2). The first failure in the order of the table decides. Every row is
 * listed, so that no reader sees only a single green tick.
 */
export function verification(
  results: Partial<Readonly<Record<CheckName, CheckRow>>>,
  found: VerifiedFacts,
): Verification {
  const rows = ROWS.filter((id) => id !== 'decision' || results.decision !== undefined);
  const checks = rows.map((id) => outcome(id, results[id]));
  const code = checks.find((check) => check.ok === false)?.code ?? 'ok';
  const verdict = verdictOf(code);
  const signatureValid = results.jws === 'pass' && results.record === 'pass';
  return { verdict, code, exit: exitCodeOf(verdict), checks, signatureValid, ...found };
}
