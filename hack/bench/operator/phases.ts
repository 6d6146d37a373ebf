import { setTimeout as delay } from 'node:timers/promises';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { observe, type Observer } from './observer.ts';
import { CALLS_AT_ONCE, inParallel, keyAt, NAMESPACES, orbAt } from './orbs.ts';

const MANAGER = { fieldManager: 'bench' };
const POLL_MS = 50;
/** The Secret with what every Orb sends. Without it, each Orb would be reported as one that lacks a secret. */
const VAULT = 'provider';
const stringData = { TOKEN: 'bench-token', MAIL_FROM: 'bench@example.com' };
const COLD_LIMIT_MS = 600_000;
const signal = new AbortController().signal;

/** Creates an Orbiset with its secrets for each namespace, and every Orb, before the platform starts. */
export async function createObjects(client: KubeClient, orbs: number): Promise<void> {
  for (const namespace of NAMESPACES) {
    const metadata = { name: 'default', namespace };
    const spec = {
      limits: { in_flight: 8 },
      vault: { secrets: [{ name: VAULT, allowedHosts: ['api.provider.example'] }] },
    };
    await client.apply(
      KINDS.secret,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: VAULT, namespace }, stringData },
      MANAGER,
      signal,
    );
    await client.apply(
      KINDS.orbiset,
      { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata, spec },
      MANAGER,
      signal,
    );
  }
  await inParallel(orbs, CALLS_AT_ONCE, (index) => client.apply(KINDS.orb, orbAt(index, 0), MANAGER, signal));
}

/** Starts the platform and waits until every Orb is Ready. @returns how long that took, and the result of `start` */
export async function coldStart<T>(
  client: KubeClient,
  orbs: number,
  start: () => Promise<T>,
): Promise<{ readonly seconds: number; readonly started: T }> {
  const observer = await observe(client);
  const since = systemClock.monotonic();
  const started = await start();
  while (observer.ready() < orbs) {
    if (systemClock.monotonic() - since > COLD_LIMIT_MS)
      throw new Error(`${observer.ready()} of ${orbs} Orbs are Ready after 10 min`);
    await delay(POLL_MS);
  }
  const seconds = (systemClock.monotonic() - since) / 1000;
  await observer.stop();
  return { seconds, started };
}

/** Time from a change to its status, ms. */
export interface ChangeTimes {
  /** Times of single changes, made one after another while the others wait. */
  readonly fresh: readonly number[];
  /** Times of the others, all changed at once. */
  readonly storm: readonly number[];
}

async function change(
  client: KubeClient,
  observer: Observer,
  { index, revision }: { readonly index: number; readonly revision: number },
): Promise<number> {
  const changed = await client.apply(KINDS.orb, orbAt(index, revision), MANAGER, signal);
  const since = systemClock.monotonic();
  return (await observer.readyAt(keyAt(index), changed.metadata.generation ?? 0)) - since;
}

/** Changes `others` Orbs at once, and meanwhile `fresh` of the remaining Orbs one after another. */
export async function storm(client: KubeClient, others: number, fresh: number): Promise<ChangeTimes> {
  const observer = await observe(client);
  const times: { readonly fresh: number[]; readonly storm: number[] } = { fresh: [], storm: [] };
  const waiting: Promise<void>[] = [];
  const changeAll = inParallel(others, CALLS_AT_ONCE, async (index) => {
    const changed = await client.apply(KINDS.orb, orbAt(index, 1), MANAGER, signal);
    const since = systemClock.monotonic();
    const seen = observer.readyAt(keyAt(index), changed.metadata.generation ?? 0);
    waiting.push(seen.then((at) => void times.storm.push(at - since)));
  });
  for (let index = others; index < others + fresh; index += 1)
    times.fresh.push(await change(client, observer, { index, revision: 1 }));
  await changeAll;
  await Promise.all(waiting);
  await observer.stop();
  return times;
}

/** Changes one Orb after another at a steady rate. @returns time from each change to its status, ms */
export async function churn(
  client: KubeClient,
  { perSecond, seconds, revision }: { readonly perSecond: number; readonly seconds: number; readonly revision: number },
): Promise<readonly number[]> {
  const observer = await observe(client);
  const times: number[] = [];
  const changes: Promise<void>[] = [];
  const began = systemClock.monotonic();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = began + (index * 1000) / perSecond - systemClock.monotonic();
    if (due > 0) await delay(due);
    changes.push(change(client, observer, { index, revision }).then((ms) => void times.push(ms)));
  }
  await Promise.all(changes);
  await observer.stop();
  return times;
}
