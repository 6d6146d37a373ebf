import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Ledger, RunFinish, RunStart } from '../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/time/clock.ts';

/** A fresh ledger with keys of its own. @param folder that has none yet */
export async function openLedger(folder: string): Promise<Ledger> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const x = publicKey.export({ format: 'jwk' }).x ?? '';
  return openSqliteLedger({
    file: join(folder, 'ledger.sqlite'),
    identity: { issuer: 'https://bench.example', logOrigin: 'bench.example/log' },
    logKey: { privateKey, publicKey: Buffer.from(x, 'base64url') },
    dataKey: randomBytes(32),
    clock: systemClock,
    random: randomBytes,
  });
}

// Sizes of performance.md §1: payload 1697 bytes, signature 64, seed 600, private entry about 190. They are cheap to
// make, as who measures shares the machine with the ledger that is measured.
const payload = randomBytes(1692).toString('base64url');
const signature = randomBytes(64).toString('base64url');
const header = Buffer.from(JSON.stringify({ alg: 'Ed25519', kid: 'k'.repeat(43), typ: 'orb-receipt+jws' })).toString(
  'base64url',
);
const seed = JSON.stringify({ seed: 's'.repeat(590) });

/** What a receipt of ordinary size is signed over. */
export const signingInput = (): Uint8Array => Buffer.from(`${header}.${payload}`);

/** The rows of a run, as the ledger takes them. @param number makes its ids */
export function ledgerRun(number: number): readonly [RunStart, RunFinish] {
  const now = Date.now();
  const time = now.toString(16).padStart(12, '0');
  const count = number.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}`;
  const jws = `${header}.${count}${payload}.${signature}`;
  const receiptId = `rcpt_${id}`;
  const digest = count.padStart(64, '0');
  const entry = `{"finished_at":"2026-11-20T10:00:00.250Z","jws_sha256":"${digest}","kind":"receipt_private","receipt_id":"${receiptId}","v":1}`;
  const run = { runId: `run_${id}`, tenant: 'acme' };
  return [
    { ...run, startedAt: now, deadlineAt: now + 30_000, owner: 'bench', seed },
    { ...run, receipt: { receiptId, orbId: 'acme.echo@1.0.0', outcome: 'success', issuedAt: now, jws, entry } },
  ];
}
