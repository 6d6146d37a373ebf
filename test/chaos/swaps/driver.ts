import { setTimeout as delay } from 'node:timers/promises';
import { textOf } from '../rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { otherThan, PROVIDERS, swapSeqOf } from './fleet.ts';
import type { SwapPlatform } from './platform.ts';

/** The requests of the driver and their answers. */
export interface DriverResult {
  /** Receipt ids of swaps that the API reported as completed. */
  readonly acknowledged: Set<string>;
  /** Number of requested manual swaps. */
  asked: number;
  /** Number of those without an answer: the API was killed, or was just starting. */
  unanswered: number;
  /** Unexpected answers. */
  readonly faults: string[];
}

const PAUSE_MS = [100, 900] as const;
const ANSWER_MS = 8000;
/** 409: another swap was in progress, or the last probe failed; 503: the Kubernetes API was not reachable. */
const EXPECTED = new Set([200, 202, 409, 503]);

async function post(platform: SwapPlatform, orbId: string, body: unknown): Promise<Response> {
  return fetch(`${platform.api().url}/providers/${orbId}/swap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

async function swapByHand(platform: SwapPlatform, random: () => number, driven: DriverResult): Promise<void> {
  const { name, orbId } = platform.fleet.pick(random);
  const active = at(platform.orb(name), 'status', 'failover', 'activeProvider');
  const mode = random() < 0.8 ? { mode: 'once' } : { mode: 'soft', expires_in: '20s' };
  driven.asked += 1;
  try {
    const answer = await post(platform, orbId, { provider: otherThan(active), force: true, ...mode });
    const reported: unknown = await answer.json();
    const receiptId = textOf(at(reported, 'receipt', 'receipt_id'));
    if (at(reported, 'status') === 'completed' && receiptId !== undefined) driven.acknowledged.add(receiptId);
    if (!EXPECTED.has(answer.status))
      driven.faults.push(`a swap by hand: ${answer.status} ${JSON.stringify(reported)}`);
  } catch {
    driven.unanswered += 1;
  }
}

/** Makes its active provider slow or failing, or all providers healthy again. */
function changeHealth({ fleet, orb }: SwapPlatform, random: () => number): void {
  const chosen = fleet.pick(random);
  const active = at(orb(chosen.name), 'status', 'failover', 'activeProvider');
  const provider = PROVIDERS.find((known) => known === active) ?? 'main';
  const health = (['slow', 'failing', 'failing', 'well'] as const)[Math.floor(random() * 4)] ?? 'well';
  fleet.say(chosen, provider, health);
}

/** Causes swaps, by hand and by metrics, until the signal is aborted. */
export async function drive(platform: SwapPlatform, random: () => number, signal: AbortSignal): Promise<DriverResult> {
  const driven: DriverResult = { acknowledged: new Set(), asked: 0, unanswered: 0, faults: [] };
  while (!signal.aborted) {
    if (random() < 0.4) await swapByHand(platform, random, driven);
    else changeHealth(platform, random);
    await platform.fleet.renew(({ name }) => swapSeqOf(platform.orb(name)));
    const pause = PAUSE_MS[0] + random() * (PAUSE_MS[1] - PAUSE_MS[0]);
    await delay(pause, undefined, { signal }).catch(() => undefined);
  }
  return driven;
}
