import { ledgerError } from '../sqlite/sqlite-error.ts';

/** The target is there already: it was not touched. */
export class TargetExists extends Error {}

/** The target is the ledger that is copied, one of its files, or no file at all: it was not touched. */
export class TargetInUse extends Error {}

/** What a copy fails with: errors of its own and the reason of an abort pass, anything else is the ledger's. */
export function copyError(error: unknown, signal: AbortSignal): unknown {
  const isOurs = error instanceof TargetExists || error instanceof TargetInUse;
  return isOurs || (signal.aborted && error === signal.reason) ? error : ledgerError(error);
}
