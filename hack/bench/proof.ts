import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { checkLog } from '../../test/support/check-log.ts';
import { openDataLedger } from '../../test/support/data-ledger.ts';

const SAMPLE = 100;
const TENANT = 'default';
/** The platform's own: a round of the status runs its canary there. */
const CANARY_TENANT = 'orb-system';

async function sampleIds(ledger: Ledger): Promise<readonly string[]> {
  const { items } = await ledger.receipts(TENANT, { limit: SAMPLE });
  return items.map(({ receiptId }) => receiptId);
}

async function proveReceipt(ledger: Ledger, id: string, publicKey: KeyObject): Promise<void> {
  const stored = await ledger.receipt(TENANT, id);
  const [head = '', payload = '', signature = ''] = (stored?.jws ?? '').split('.');
  const good = verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
  if (!good) throw new Error(`the acknowledged receipt ${id} is lost or does not verify`);
}

/**
 * Proves that real runs were measured: every answered run has its receipt, the tree hash is right, signatures are
 * valid.
 * @param data the `--data` folder of a platform that has stopped
 * @param expected what the ledger must hold: this number of receipts (when nothing was killed), and these ids
 * @returns the number of receipts
 * @throws Error the ledger differs from what was acknowledged
 */
export async function proveLedger(
  data: string,
  expected: { readonly answered?: number; readonly acknowledged?: readonly string[] },
): Promise<number> {
  const { keys, ledger } = await openDataLedger(data);
  try {
    const logKey = createPublicKey(keys.log.privateKey);
    const { runsOf } = await checkLog(ledger, { logKey, tenants: [TENANT, CANARY_TENANT] });
    const receipts = runsOf.get(TENANT) ?? 0;
    if (expected.answered !== undefined && receipts !== expected.answered) {
      throw new Error(`${expected.answered} runs were answered, ${receipts} receipts are there`);
    }
    for (const id of expected.acknowledged ?? (await sampleIds(ledger)))
      await proveReceipt(ledger, id, keys.receiptPublic);
    return receipts;
  } finally {
    await ledger.close();
  }
}
