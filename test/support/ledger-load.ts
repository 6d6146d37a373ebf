// Writes runs, swaps, publications and deliveries into a ledger as fast as possible until it is killed, and prints acknowledged writes on stdout:
// node ledger-load.ts FILE KEY.pem FIRST-NUMBER CONCURRENCY
import { createPrivateKey, createPublicKey, hash, randomBytes } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import {
  aDelivery,
  anOpening,
  aSignal,
  effectsOf,
  incidentIdOf,
  ROOMY,
  semanticKeyOf,
  workerLease,
} from './ingest-rows.ts';
import { aStart, aSwap } from './ledger-rows.ts';
import { anOrg, aPublicFinish, aVersion, incidentEntry } from './reputation-rows.ts';

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
    const delivery = aDelivery(number);
    await ledger.acceptDelivery(delivery, ROOMY);
    say('accepted', delivery.deliveryId);
  }
}

/** Maps what waits: each delivery to a signal of its own, one that all tell, and a change of one incident with its entry. */
async function mapForever(): Promise<never> {
  const lease = await workerLease(ledger);
  const semanticKey = semanticKeyOf('what every delivery tells');
  const logEntry = incidentEntry({ incident_id: incidentIdOf(1), orb_id: null, attributed: false });
  for (;;) {
    const waiting = await ledger.acceptedDeliveries({ limit: 20 });
    const revision = (await ledger.incident('acme', incidentIdOf(1)))?.revision ?? 0;
    const effects = waiting.map(({ receivedAt }, position) => {
      const own = receivedAt - aDelivery(0).receivedAt;
      const change = anOpening(1, { expectedRevision: revision + position, updates: [], logEntry });
      const signals = [aSignal(own), aSignal(-own, { signalId: `shared ${own}`, semanticKey })];
      return effectsOf(own, { signals, incidents: [change] });
    });
    const { kind } = await ledger.applyDeliveries(lease, effects);
    if (kind !== 'applied') throw new Error(`mapping came to ${kind}`);
    for (const { deliveryId } of effects) say('mapped', deliveryId);
    if (effects.length === 0) await delay(1);
  }
}
await Promise.all([mapForever(), ...Array.from({ length: Number(concurrency) }, runForever)]);
