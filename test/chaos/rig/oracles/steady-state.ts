import { isMutating, type KubeRequest } from '../kube-request.ts';
import type { Journal } from '../journal.ts';

/** The activity of a process while nothing happened. */
export interface Idle {
  readonly ms: number;
  readonly writes: number;
  /** All calls, except watches of single Secrets. */
  readonly calls: number;
  readonly callsPerSecond: number;
  readonly secretWatches: number;
  readonly faults: readonly string[];
}

const MAX_PER_SECOND = 1;

const isSecretWatch = ({ verb, resource }: KubeRequest): boolean => verb === 'watch' && resource === 'secrets';

/** For example `5 update leases, 6 watch orbs`. */
const kindsOf = (requests: readonly KubeRequest[]): string =>
  [...Map.groupBy(requests, ({ verb, resource }) => `${verb} ${resource}`)]
    .map(([kind, { length }]) => `${length} ${kind}`)
    .join(', ');

/**
 * Oracle c: without input the only writes are those of the lease. There is at most one call a second; watches of bound
 * Secrets are counted separately.
 * @param window of the journal's time, ms
 */
export function checkIdle({ requests }: Journal, window: { readonly from: number; readonly to: number }): Idle {
  const within = requests.filter(({ t }) => t >= window.from && t < window.to);
  const ms = window.to - window.from;
  const writes = within.filter((entry) => isMutating(entry) && entry.resource !== 'leases');
  const counted = within.filter((request) => !isSecretWatch(request));
  const secretWatches = within.length - counted.length;
  const calls = counted.length;
  const callsPerSecond = calls / (ms / 1000);
  const busy =
    callsPerSecond > MAX_PER_SECOND
      ? [`${callsPerSecond.toFixed(2)} calls/s, at most ${MAX_PER_SECOND}: ${kindsOf(counted)}`]
      : [];
  const wrote = writes.map(
    ({ verb, resource, namespace, name, status }) =>
      `${verb} ${resource} ${namespace ?? ''}/${name ?? ''} (${status}) while idle`,
  );
  return { ms, writes: writes.length, calls, callsPerSecond, secretWatches, faults: [...wrote, ...busy] };
}
