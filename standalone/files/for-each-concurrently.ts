/** Number of writes that wait for the ledger together: it commits them in one group. */
const AT_ONCE = 64;

/**
 * Does the work for each item, for at most 64 items at a time. After a failure no further item is started. It rejects
 * with the first failure when all started work has ended. So no work continues after the caller continues.
 */
export async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
