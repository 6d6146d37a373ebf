import type { Reflector, WorkQueue } from './port.ts';

/**
 * Enqueues objects that were deleted while no process ran: they are gone, and still taken over in the ledger.
 * @param kept keys of what the ledger has taken over
 */
export async function enqueueRemoved(
  { synced, store }: Reflector,
  queue: WorkQueue,
  kept: () => Iterable<string>,
): Promise<void> {
  await synced;
  for (const key of kept()) if (store.get(key) === undefined) queue.add(key, { lane: 'low' });
}
