import { readPayload } from '../../core/ingestion/mapping/read-payload.ts';
import { member } from '../../core/json/members.ts';
import { json } from '../http/reply.ts';
import type { Reply } from '../http/route.ts';
import type { SignalSource } from './source.ts';

interface Accepted {
  readonly deliveryId: string;
  /** The delivery was durable before. */
  readonly duplicate: boolean;
}

/** Mixpanel takes a delivery as done only when the answer repeats its action. */
function mixpanelReply({ parser }: SignalSource, body: Uint8Array): Reply {
  const read = readPayload(body, parser);
  const action = read.ok ? member(read.payload, 'action') : undefined;
  return json({ action: typeof action === 'string' ? action : '', status: 'success' });
}

/** The answer to a delivery that is durable: 202, and 200 when it was durable before; or in the form of its vendor. */
export function acknowledgement(source: SignalSource, body: Uint8Array, { deliveryId, duplicate }: Accepted): Reply {
  if (source.type === 'mixpanel') return mixpanelReply(source, body);
  return { ...json({ delivery_id: deliveryId, duplicate }), status: duplicate ? 200 : 202 };
}
