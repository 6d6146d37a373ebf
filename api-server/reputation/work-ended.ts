import { LedgerError } from '../../adapters/ledger/port.ts';
import { NotLeading } from '../../core/errors/not-leading.ts';

/** Whether work was cut off by the end of the process or of its lease: no failure, as the next holder does it. */
export const isWorkEnd = (error: unknown): boolean =>
  error instanceof NotLeading || (error instanceof LedgerError && error.code === 'ledger-closed');
