import { checkInThread } from '../../adapters/ledger/sqlite-check/check-in-thread.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { allLogKeys } from '../../core/verify/inclusion.ts';
import { LedgerChecks } from '../log-head/ledger-checks.ts';
import type { LogHead } from '../log-head/log-head.ts';
import type { Platform } from './platform.ts';

interface CheckedParts extends Pick<Platform, 'ledger' | 'metrics' | 'clock' | 'log'> {
  readonly head: LogHead;
  readonly document: KeysDocument;
  /** Path of the ledger's file. */
  readonly ledgerFile: string;
}

/** The daily checks of one ledger; what the last one found is known when it resolves. */
export async function createLedgerChecks(parts: CheckedParts): Promise<LedgerChecks> {
  const { ledger, metrics, clock, log, head, document, ledgerFile: file } = parts;
  const walked = { origin: ledger.identity.logOrigin, keys: allLogKeys(document) };
  const checks = new LedgerChecks({
    ledger,
    clock,
    logger: log.logger,
    registry: metrics.registry,
    damaged: head.damaged,
    check: (signal) => checkInThread({ file, log: walked }, signal),
  });
  await checks.open();
  checks.begin();
  return checks;
}
