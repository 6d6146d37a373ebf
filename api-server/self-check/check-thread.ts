import type { KeyObject } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { loadNativeEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { ed25519Signing } from '../../adapters/keys/receipt-signer.ts';
import { signAndCheck, type Signed } from './sign-and-check.ts';
import { signatureChecker } from './signature-checker.ts';

/** Keys of the receipts: the published one, and the one that signs. Then batches: inputs to sign, and compact JWS. */
export type ToCheckThread =
  | readonly ['keys', published: KeyObject, signing: KeyObject | undefined]
  | readonly ['batch', inputs: readonly string[], jws: readonly string[]];

/** What came of a batch, in its order: of each input first. For the keys it is empty. */
export interface FromCheckThread {
  readonly signed: readonly Signed[];
  readonly fits: readonly boolean[];
}

// This module runs on import: it is the entry of the thread.
const port = parentPort;
if (port === null) throw new TypeError('the self-check runs in a worker thread');
const answer = (result: FromCheckThread): void => port.postMessage(result);

type Work = (inputs: readonly string[], jws: readonly string[]) => FromCheckThread;

function workWith(published: KeyObject, signing: KeyObject | undefined): Work {
  const native = loadNativeEd25519();
  const checker = signatureChecker(published, native);
  const sign = signing && ed25519Signing(signing, native);
  return (inputs, jws) => ({
    signed: sign === undefined ? [] : inputs.map((input) => signAndCheck(input, sign, checker)),
    fits: jws.map(checker.fits),
  });
}

let work: Work | undefined;

port.on('message', (message: ToCheckThread) => {
  if (message[0] === 'keys') {
    work = workWith(message[1], message[2]);
    answer({ signed: [], fits: [] });
    return;
  }
  const [, inputs, jws] = message;
  if (work === undefined) throw new TypeError('a batch came before the keys');
  answer(work(inputs, jws));
});
