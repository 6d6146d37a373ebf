// What no run can do without, and nothing else: the pass-through, with a durable start row before its call, then a
// signature and a durable receipt before its answer. It checks neither key nor inputs, and verifies nothing.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { loadNativeEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { SEED_BYTES } from '../../adapters/keys/primitives.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';
import { ledgerRun, openLedger, signingInput } from './ledger-runs.ts';
import { passThrough } from './pass-through-app.ts';

const [target = '', folder = ''] = process.argv.slice(2);
const native = loadNativeEd25519();
if (!native.ok) throw new Error(`the bare run signs with libsodium: ${native.reason}`);
const sign = native.signWith(randomBytes(SEED_BYTES));
const message = signingInput();
const ledger = await openLedger(folder);
let runs = 0;
const app = passThrough(target, async (call) => {
  const [start, finish] = ledgerRun((runs += 1));
  const started = await ledger.startRun(start);
  const answer = await call();
  sign(message);
  const finished = await ledger.finishRun(finish);
  if (started.kind !== 'started' || finished.kind !== 'finished') throw new Error('the ledger wrote no run');
  return answer;
});
const port = await listenOnLoopback(createServer(app));
process.stdout.write(`${JSON.stringify({ port })}\n`);
