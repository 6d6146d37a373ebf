import { createHmac } from 'node:crypto';
import {
  CANARY,
  failed,
  failureOf,
  hasStatus,
  GOOD,
  LEFT_OUT,
  membersOf,
  type Found,
  type ProbeParts,
} from './probe.ts';

const ID_BYTES = 12;
const SECRET_PREFIX = 'whsec_';

/** What the delivery came to, with what it says of the service. */
export interface ReceiveResult {
  readonly found: Found;
  /** Undefined: nothing was received. */
  readonly deliveryId: string | undefined;
}

const without = (found: Found): ReceiveResult => ({ found, deliveryId: undefined });

/** Signature of Standard Webhooks over id, time and body. */
const signatureOf = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(SECRET_PREFIX, ''), 'base64'))
    .update(content)
    .digest('base64')}`;

/**
 * `receive`: sends a signed event to the canary's own signal source, as a vendor would. Left out until the source is there
 * for the first time: in a new installation it may come after the prober.
 */
export async function receive(parts: ProbeParts, signal: AbortSignal): Promise<ReceiveResult> {
  const { api, sourceSecret, platformNamespace, clock, random, memory } = parts;
  const secret = await sourceSecret?.();
  if (secret === undefined) return without(LEFT_OUT);
  const source = await api.call(
    { method: 'GET', path: `/signal-sources/${platformNamespace}/${CANARY.source}` },
    signal,
  );
  const { code, url_path: path } = membersOf(source);
  if (!memory.hasSeenSource && code === 'source-not-found') return without(LEFT_OUT);
  if (!hasStatus(source, 200)) return without(failureOf(source));
  memory.hasSeenSource = true;
  if (typeof path !== 'string') return without(failed('wrong-answer'));
  const id = `msg_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
  const now = clock.now();
  const timestamp = String(Math.floor(now / 1000));
  const data = { status: 'info', severity: 'info', title: 'A check of the platform', key: id };
  const body = JSON.stringify({ type: 'orb.canary', timestamp: new Date(now).toISOString(), data });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatureOf(secret, `${id}.${timestamp}.${body}`),
  };
  const answer = await api.call({ method: 'POST', path, headers, body }, signal);
  if (!hasStatus(answer, 202)) return without(failureOf(answer));
  const { delivery_id: deliveryId } = membersOf(answer);
  return typeof deliveryId === 'string' ? { found: GOOD, deliveryId } : without(failed('wrong-answer'));
}
