import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { checkFile } from '../../adapters/ledger/sqlite-check/check-file.ts';
import { countsOf } from '../chaos/check-killed.ts';
import { openDataLedger } from '../support/data-ledger.ts';

/** The ledger of a soaked platform, compared with what its callers were told. */
export interface SoakedLedger {
  readonly acknowledged: number;
  readonly lost: number;
  readonly runs: number;
  readonly open: number;
  readonly logSize: number;
  readonly faults: readonly string[];
}

const NO_REST = (): Promise<void> => Promise.resolve();

/**
 * @param data folder of a platform that has stopped
 * @param acks file with the id of a receipt in each line
 */
export async function checkSoaked(data: string, acks: string): Promise<SoakedLedger> {
  const { file, keys, ledger } = await openDataLedger(data);
  await ledger.close();
  const { runs, open, faults } = countsOf(file);
  const walked = await checkFile(file, { origin: keys.logOrigin, keys: [keys.log.publicKey] }, NO_REST);
  const db = new DatabaseSync(file, { readOnly: true });
  let [acknowledged, lost] = [0, 0];
  try {
    const find = db.prepare('SELECT 1 FROM receipts WHERE receipt_id = ?');
    for await (const id of createInterface({ input: createReadStream(acks) })) {
      acknowledged += 1;
      if (find.get(id) === undefined) lost += 1;
    }
  } finally {
    db.close();
  }
  const damaged = Object.entries(walked.faults).map(([part, fault]) => `${part}: ${JSON.stringify(fault)}`);
  return { acknowledged, lost, runs, open, logSize: walked.size, faults: [...faults, ...damaged] };
}
