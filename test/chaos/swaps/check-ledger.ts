import { createPublicKey } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { checkLog } from '../../support/check-log.ts';
import { openDataLedger } from '../../support/data-ledger.ts';

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
  const { file, keys, ledger } = await openDataLedger(data);
  const x = Buffer.from(keys.log.publicKey).toString('base64url');
  const logKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  try {
    await checkLog(ledger, { logKey, tenants: [tenant] });
    return countFaults(file, swaps);
  } catch (error) {
    return [...countFaults(file, swaps), String(error)];
  } finally {
    await ledger.close();
  }
}
