import type { KeyObject } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { signatureChecker, type SignatureChecker } from './signature-checker.ts';

/** The published key first, then batches of compact JWS. */
export type ToCheckThread = readonly ['key', KeyObject] | readonly ['batch', readonly string[]];

/** A verdict for each JWS of a batch, in its order. The first message, for the key, is empty. */
export type FromCheckThread = readonly boolean[];

// This module runs on import: it is the entry of the thread.
const port = parentPort;
if (port === null) throw new TypeError('the self-check runs in a worker thread');
const answer = (verdicts: FromCheckThread): void => port.postMessage(verdicts);
let checker: SignatureChecker | undefined;

port.on('message', ([kind, given]: ToCheckThread) => {
  if (kind === 'key') {
    checker = signatureChecker(given);
    answer([]);
    return;
  }
  const published = checker;
  answer(given.map((jws) => published !== undefined && published.fits(jws)));
});
