import { Gauge, type Registry } from 'prom-client';
import { CHECKED_PARTS, type FoundFaults } from '../../adapters/ledger/sqlite-check/findings.ts';

/** What is known of the last check of the whole ledger. */
export interface KnownCheck {
  readonly sinceMs: () => number;
  readonly faults: () => FoundFaults;
}

const MS = 1000;

/** The metrics of the daily check. */
export function observeLedgerChecks(registry: Registry, { sinceMs, faults }: KnownCheck): void {
  const unchecked: Gauge = new Gauge({
    name: 'orb_ledger_unchecked_seconds',
    help: 'Time since the whole ledger was last read and compared; it happens once a day.',
    registers: [registry],
    collect: () => unchecked.set(sinceMs() / MS),
  });
  const found: Gauge<'part'> = new Gauge({
    name: 'orb_ledger_faults',
    help: 'Faults that the last check of the whole ledger found in its file, its log and its receipts.',
    labelNames: ['part'],
    registers: [registry],
    collect: () => {
      for (const part of CHECKED_PARTS) found.set({ part }, faults()[part]?.count ?? 0);
    },
  });
}
