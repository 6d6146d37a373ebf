import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadKeys } from '../../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/time/clock.ts';

/** The ledger of a data folder. */
export interface DataLedger {
  readonly file: string;
  readonly keys: PlatformKeys;
  readonly ledger: Ledger;
}

export const ledgerFileOf = (data: string): string => join(data, 'ledger', 'ledger.sqlite');

/**
 * Opens the ledger of a platform that has stopped, with its keys; the caller closes it.
 * @param data its `--data` folder
 */
export async function openDataLedger(data: string): Promise<DataLedger> {
  const keys = await loadKeys(join(data, 'keys'));
  const { issuer, logOrigin, log, dataKey } = keys;
  const file = ledgerFileOf(data);
  const identity = { issuer, logOrigin };
  const ledger = await openSqliteLedger({
    file,
    identity,
    logKey: log,
    dataKey,
    clock: systemClock,
    random: randomBytes,
  });
  return { file, keys, ledger };
}
