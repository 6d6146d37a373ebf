import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerFileOf } from '../../../test/support/data-ledger.ts';
import { fillLedger, DAYS, CALLERS } from './many-runs.ts';
import type { Settings } from './command-line.ts';
import { enforcing, RECORDING, resourcesOf } from './tenants.ts';

/** A ledger with the receipts of both tenants. */
export interface FilledLedger {
  /** With `data` and `resources`. */
  readonly folder: string;
  readonly file: string;
  /** Undefined: an earlier run of the benchmark filled it. */
  readonly runsPerSecond: number | undefined;
  /** Of a run, with indexes, log and idempotency keys. */
  readonly bytesPerRun: number;
}

type Sizes = Pick<Settings, 'receipts' | 'exact'>;

/** Written when the ledger is complete. */
const sizesFile = (folder: string): string => join(folder, 'sizes.json');

/** Some runs of each caller are beyond its budget of the day. */
const budgetOf = ({ exact }: Sizes): number => Math.ceil((exact / DAYS / CALLERS) * 0.8);

function writeResources(folder: string, sizes: Sizes): void {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  for (const tenant of [RECORDING, enforcing(budgetOf(sizes))])
    writeFileSync(join(folder, 'resources', `${tenant.namespace}.yaml`), resourcesOf(tenant));
}

/** @throws Error the folder has a ledger of another size */
export async function filledLedger(folder: string, { receipts, exact }: Settings): Promise<FilledLedger> {
  const sizes = JSON.stringify({ receipts, exact });
  const file = ledgerFileOf(join(folder, 'data'));
  const bytesPerRun = (): number => statSync(file).size / (receipts + exact);
  if (existsSync(sizesFile(folder))) {
    const found = readFileSync(sizesFile(folder), 'utf8');
    if (found !== sizes) throw new Error(`the ledger in ${folder} has other receipts: ${found}`);
    return { folder, file, runsPerSecond: undefined, bytesPerRun: bytesPerRun() };
  }
  writeResources(folder, { receipts, exact });
  const began = performance.now();
  await fillLedger(folder, [
    { namespace: RECORDING.namespace, runs: receipts },
    { namespace: enforcing(1).namespace, runs: exact },
  ]);
  const runsPerSecond = (receipts + exact) / ((performance.now() - began) / 1000);
  writeFileSync(sizesFile(folder), sizes);
  return { folder, file, runsPerSecond, bytesPerRun: bytesPerRun() };
}
