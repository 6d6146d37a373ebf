// Writes runs, swaps and publications into a ledger as fast as possible until it is killed, and prints acknowledged writes on stdout:
// node ledger-load.ts FILE KEY.pem FIRST-NUMBER CONCURRENCY
import { createPrivateKey, createPublicKey, hash, randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { aStart, aSwap } from './ledger-rows.ts';
import { anOrg, aPublicFinish, aVersion } from './reputation-rows.ts';

const [file = '', keyFile = '', first = '0', concurrency = '1'] = process.argv.slice(2);
const privateKey = createPrivateKey(readFileSync(keyFile));
const x = createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '';
const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

/**
 * After a write to a pipe returns, the kernel has it: a kill right after loses no line. Waits while the pipe is full.
 */
function say(...words: readonly (string | number)[]): void {
  let rest = Buffer.from(`${words.join(' ')}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!isFull(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

const ledger = await openSqliteLedger({
  file,
  identity: { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' },
  logKey: { privateKey, publicKey: Buffer.from(x, 'base64url') },
  dataKey: new Uint8Array(32),
  clock: systemClock,
  random: randomBytes,
  onCheckpoint: ({ size, note }) => say('signed', size, Buffer.from(note).toString('base64')),
});
say('open', process.pid);

await ledger.putOrg(anOrg(), null, []);

let number = Number(first);
async function runForever(): Promise<never> {
  for (;;) {
    number += 1;
    const [start, finish, swap] = [aStart(number), aPublicFinish(number), aSwap(number, { orbUid: `uid-${number}` })];
    const manifestDigest = `sha256:${hash('sha256', String(number))}`;
    const version = aVersion(`1.0.${number}`, { manifestDigest, manifestJcs: String(number) });
    await ledger.startRun(start);
    say('started', start.runId);
    await ledger.finishRun(finish);
    say('finished', start.runId, hash('sha256', finish.receipt.jws));
    await ledger.recordSwap(swap);
    say('swapped', swap.receiptId, hash('sha256', swap.jws));
    await ledger.publish(version);
    say('published', version.orbId);
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, runForever));
