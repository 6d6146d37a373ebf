import type { UpgradeProgress } from '../../adapters/ledger/sqlite/protocol.ts';
import type { LogFields } from '../../adapters/telemetry/port.ts';

/** The line of the log that says how far an older ledger is brought up to date. */
export function upgradeLine(progress: UpgradeProgress): readonly [text: string, fields: LogFields] {
  const upgrade = 'an older ledger is brought up to date';
  switch (progress.work) {
    case 'runs':
      return [`${upgrade}: rows of runs that have a receipt are dropped, some seconds for each million`, {}];
    case 'log':
      return [`${upgrade}: its log is read again`, { entries: progress.done, of: progress.total }];
    case 'usage':
      return [`${upgrade}: the rows of its tenants are counted`, { rows: progress.done }];
    default:
      return progress satisfies never;
  }
}
