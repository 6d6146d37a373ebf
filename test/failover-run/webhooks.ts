import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { textAt } from '../../hack/control-plane/json.ts';
import { secret } from '../support/cluster-objects.ts';
import type { World } from './world.ts';

const SOURCE = 'monitoring';
const EVERY_MS = 1000;
const READY_MS = 60_000;
const CALL_MS = 5000;
const KEYS = ['current', 'old'].map((name) => ({ name, key: Buffer.from(`${name}-secret-of-the-webhooks-of-a-run`) }));

const source = {
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbSignalSource',
  metadata: { name: SOURCE },
  spec: {
    type: 'standardWebhooks',
    mode: 'Active',
    auth: { secretRefs: KEYS.map(({ name }) => ({ name: 'hook', key: name })) },
  },
};

/** One request of the vendor. */
interface Event {
  readonly id: string;
  readonly body: string;
  readonly key: Buffer;
}

const eventOf = (id: string, data: object, key: Buffer): Event => ({
  id,
  body: JSON.stringify({ type: 'alert', timestamp: new Date().toISOString(), data }),
  key,
});

/** Alerts that fire and end, one of them sent again, one with the old secret, and one that no mapping fits. */
function eventsOf(round: number): readonly Event[] {
  const [current, old] = KEYS.map(({ key }) => key);
  if (current === undefined || old === undefined) return [];
  const about = { title: 'Mail is late', key: 'mail-late', severity: 'high' };
  const firing = eventOf(`msg_fires_${round}`, { ...about, status: 'firing' }, current);
  const resolved = eventOf(`msg_ends_${round}`, { ...about, status: 'resolved' }, old);
  return [firing, firing, resolved, eventOf(`msg_odd_${round}`, {}, current)];
}

async function send(url: string, { id, body, key }: Event): Promise<void> {
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(CALL_MS) });
  await answer.arrayBuffer();
}

/** A vendor that sends until it is stopped. */
export interface Webhooks {
  readonly stop: () => Promise<void>;
}

/** Makes a signal source, and sends to it every second. Requests without an answer are left out. */
export async function startWebhooks({ team, api }: World): Promise<Webhooks> {
  const values = KEYS.map(({ name, key }) => [name, `whsec_${key.toString('base64')}`] as const);
  await team.apply(secret('hook', Object.fromEntries(values)), source);
  const { status } = await team.until(
    `orbsignalsource/${SOURCE}`,
    (object) => JSON.stringify(object['status'] ?? {}).includes('"urlPath"'),
    READY_MS,
  );
  const url = new URL(textAt(status, 'urlPath'), api.url).href;
  const stopping = new AbortController();
  const sending = async (): Promise<void> => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      for (const event of eventsOf(round)) await send(url, event).catch(() => undefined);
      await delay(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = sending();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
