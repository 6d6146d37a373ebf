import { createPublicKey, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadKeys } from '../../../adapters/keys/load-keys.ts';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { checkLog } from '../../support/check-log.ts';

/** Counts rows that have the same Orb and number of a swap. */
const TWICE = 'SELECT count(*) n FROM (SELECT 1 FROM swap_receipts GROUP BY orb_uid, swap_seq HAVING count(*) > 1)';
const ALL = 'SELECT count(*) n FROM swap_receipts';

function countFaults(file: string, swaps: number): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const count = (sql: string): number => Number(db.prepare(sql).get()?.['n'] ?? Number.NaN);
    const [rows, twice] = [count(ALL), count(TWICE)];
    return [
      ...(rows === swaps ? [] : [`the ledger has ${rows} receipts of ${swaps} swaps`]),
      ...(twice === 0 ? [] : [`${twice} swaps have two receipts`]),
    ];
  } finally {
    db.close();
  }
}

/** Checks the ledger of a stopped API: as many receipts as swaps, in a complete log. @param data its `--data` folder */
export async function checkLedger(data: string, tenant: string, swaps: number): Promise<readonly string[]> {
  const file = join(data, 'ledger', 'ledger.sqlite');
  const { issuer, logOrigin, log, dataKey } = await loadKeys(join(data, 'keys'));
  const x = Buffer.from(log.publicKey).toString('base64url');
  const logKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const identity = { issuer, logOrigin };
  const clock = systemClock;
  const ledger = await openSqliteLedger({ file, identity, logKey: log, dataKey, clock, random: randomBytes });
  try {
    await checkLog(ledger, { logKey, tenants: [tenant] });
    return countFaults(file, swaps);
  } catch (error) {
    return [...countFaults(file, swaps), String(error)];
  } finally {
    await ledger.close();
  }
}
