import { ledgerError } from '../sqlite/sqlite-error.ts';

/** The target exists already and was not changed. */
export class TargetExists extends Error {}

/** The target is the copied ledger, one of its files, or not a regular file. It was not changed. */
export class TargetInUse extends Error {}

/**
 * The error of a failed copy. Errors of copying and the reason of an abort pass unchanged; any other becomes a
 * LedgerError.
 */
export function copyError(error: unknown, signal: AbortSignal): unknown {
  const isOurs = error instanceof TargetExists || error instanceof TargetInUse;
  return isOurs || (signal.aborted && error === signal.reason) ? error : ledgerError(error);
}
