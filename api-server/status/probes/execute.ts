import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import {
  CANARY,
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

const NONCE_BYTES = 12;

/** The canary of a new installation may come after the prober. */
const NOT_YET: readonly JsonValue[] = ['orbiset-not-found', 'orb-not-found', 'orb-not-ready'];

const objectIn = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Id of a receipt whose signature the API found good. */
function receiptIn({ receipt }: JsonObject): string | undefined {
  const { receipt_id: id, signature_valid: isValid } = objectIn(receipt);
  return isValid === true && typeof id === 'string' ? id : undefined;
}

/** What one run came to, with what it says of the service. */
export interface ExecuteResult {
  readonly found: Found;
  readonly run: RoundRun;
}

const failedRun = (found: Found): ExecuteResult => ({
  found,
  run: { kind: found.kind === 'left-out' ? 'left-out' : 'failed' },
});

/**
 * `execute`: runs the canary Orb with a nonce and expects it back in a signed run. A policy that denies the canary shows
 * that policies work: a valid receipt of the denial is good too. Left out until the canary is there for the first time.
 */
export async function execute(
  { api, platformNamespace, random, memory }: ProbeParts,
  signal: AbortSignal,
): Promise<ExecuteResult> {
  const text = Buffer.from(random(NONCE_BYTES)).toString('hex');
  const path = `/orbisets/${platformNamespace}.${CANARY.orbiset}/execute`;
  const body = JSON.stringify({ orb_id: CANARY.orbId, inputs: { text } });
  const answer = await api.call({ method: 'POST', path, body }, signal);
  const value = membersOf(answer);
  if (hasStatus(answer, 403) && value['code'] === 'policy-denied') {
    const receiptId = receiptIn(objectIn(value['run']));
    if (receiptId === undefined) return failedRun(failed('not-valid'));
    return { found: { kind: 'good', code: 'policy-denied' }, run: { kind: 'done', receiptId, isDenied: true } };
  }
  if (memory.lastReceipt === null && NOT_YET.includes(value['code'] ?? null)) return failedRun(LEFT_OUT);
  if (!hasStatus(answer, 200)) return failedRun(failureOf(answer));
  if (objectIn(value['outputs'])['text'] !== text) return failedRun(failed('wrong-answer'));
  const receiptId = receiptIn(value);
  if (receiptId === undefined) return failedRun(failed('not-valid'));
  return { found: GOOD, run: { kind: 'done', receiptId, isDenied: false } };
}
