import { readFileSync } from 'node:fs';

/** Descriptors for ledger, logs, providers and the Kubernetes API: a quarter, but not fewer than this. */
const LEAST_KEPT = 256;
const KEPT_PART = 4;

/** @returns undefined where the system has no such file: the number is unknown */
function openFilesLimit(): number | undefined {
  try {
    const [, soft = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Connections that the descriptors of this process allow beside everything else it opens.
 * @param wanted 0: as many as possible
 * @param limit `ulimit -n`
 */
export function connectionsWithin(wanted: number, limit: number | undefined = openFilesLimit()): number {
  if (limit === undefined) return wanted;
  const most = Math.max(1, limit - Math.max(LEAST_KEPT, Math.ceil(limit / KEPT_PART)));
  return wanted === 0 ? most : Math.min(wanted, most);
}
