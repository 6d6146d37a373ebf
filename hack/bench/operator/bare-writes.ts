import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { isRecord } from '../../control-plane/json.ts';
import { CALLS_AT_ONCE, inParallel, NAMESPACES } from './orbs.ts';

/** The operator's own, so that the writes change what it wrote and add no owner. */
const MANAGER = { fieldManager: 'orb-operator', subresource: 'status' } as const;
const signal = new AbortController().signal;

/** The same status with another text in each condition: an equal one would cost the API server no write. */
const changed = (status: unknown): unknown =>
  isRecord(status) && Array.isArray(status['conditions'])
    ? { ...status, conditions: status['conditions'].map((condition: unknown) => reworded(condition)) }
    : status;

const reworded = (condition: unknown): unknown =>
  isRecord(condition) ? { ...condition, message: `${String(condition['message'])} Written again.` } : condition;

/** @throws Error the API server stored nothing */
async function writeAgain(client: KubeClient, { apiVersion, kind, metadata, status }: KubeObject): Promise<void> {
  const { name, namespace, resourceVersion } = metadata;
  const target = { name, ...(namespace === undefined ? {} : { namespace }) };
  const object = { apiVersion, kind, metadata: target, status: changed(status) };
  const written = await client.apply(KINDS.orb, object, MANAGER, signal);
  if (written.metadata.resourceVersion === resourceVersion) throw new Error(`${name}: the status was not written`);
}

/**
 * Writes the status of every Orb once more, by a loop that does nothing else and while nothing watches: what these writes
 * take from a cold start at least. The platform must have stopped. @returns seconds
 */
export async function bareWrites(client: KubeClient): Promise<number> {
  const pages = await Promise.all(NAMESPACES.map((namespace) => client.list(KINDS.orb, { namespace }, signal)));
  const orbs = pages.flatMap(({ items }) => items);
  const since = systemClock.monotonic();
  await inParallel(orbs.length, CALLS_AT_ONCE, async (index) => {
    const orb = orbs[index];
    if (orb !== undefined) await writeAgain(client, orb);
  });
  return (systemClock.monotonic() - since) / 1000;
}
