import { ed25519Verify, sha256 } from '../../../adapters/keys/primitives.ts';
import { parseJws } from '../../../core/receipt/jws.ts';
import { isKeysDocument, type KeysDocument } from '../../../core/receipt/keys-document.ts';
import { readPayload } from '../../../core/receipt/payload.ts';
import { verifyReceipt } from '../../../core/verify/verify.ts';
import {
  failed,
  failureOf,
  GOOD,
  hasStatus,
  LEFT_OUT,
  membersOf,
  type Found,
  type ProbeParts,
  type RoundRun,
} from './probe.ts';

/** The keys that the platform publishes. The checks trust them: they ask whether it works, not who it is. */
async function publishedKeys({ api }: ProbeParts, signal: AbortSignal): Promise<KeysDocument | Found> {
  const answer = await api.call({ method: 'GET', path: '/.well-known/orb-keys.json' }, signal);
  if (!hasStatus(answer, 200)) return failureOf(answer);
  const { jws } = membersOf(answer);
  const parts = typeof jws === 'string' ? parseJws(jws) : undefined;
  const payload = parts === undefined ? undefined : readPayload(parts.payload);
  return payload?.ok === true && isKeysDocument(payload.value) ? payload.value : failed('wrong-answer');
}

/** `receipt`: reads the receipt of this round's run, else of the last good one, and verifies it here again. */
export async function receipt(parts: ProbeParts, run: RoundRun, signal: AbortSignal): Promise<Found> {
  const { api, clock, memory } = parts;
  const id = run.kind === 'done' ? run.receiptId : memory.lastReceipt;
  if (id === null) return run.kind === 'left-out' ? LEFT_OUT : failed('needs-failed-check');
  const keys = await publishedKeys(parts, signal);
  if ('kind' in keys) return keys;
  const answer = await api.call({ method: 'GET', path: `/receipts/${id}` }, signal);
  if (!hasStatus(answer, 200)) return failureOf(answer);
  const { jws, signature_valid: isValid } = membersOf(answer);
  if (typeof jws !== 'string' || isValid !== true) return failed('not-valid');
  const primitives = { sha256, ed25519Verify, now: clock.now };
  const judged = await verifyReceipt({ jws, proof: null, document: keys }, { allowUnlogged: true }, primitives);
  return judged.verdict === 'valid' ? GOOD : failed('not-valid');
}
