import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../../core/errors/error-code.ts';
import { blocked, EgressFault, EXHAUSTED, isShortage } from './faults.ts';
import type { DialFailure } from './port.ts';

/** All addresses of a host, in the order to try them. Injected by tests and by the self-test. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The system's resolver. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' });

/**
 * `dns.lookup` has no timeout and blocks a thread of libuv's pool: a dead resolver must not fill the pool for other
 * hosts.
 */
const MAX_LOOKUPS_PER_HOST = 2;

/** At most two lookups of one host in flight; later calls share the newest. */
export function boundedResolve(resolve: Resolve): Resolve {
  const running = new Map<string, readonly Promise<readonly LookupAddress[]>[]>();
  const without = (host: string, done: Promise<readonly LookupAddress[]>): void => {
    const rest = (running.get(host) ?? []).filter((one) => one !== done);
    if (rest.length === 0) running.delete(host);
    else running.set(host, rest);
  };
  return async (host) => {
    const before = running.get(host) ?? [];
    const newest = before.at(-1);
    if (newest !== undefined && before.length >= MAX_LOOKUPS_PER_HOST) return newest;
    const started = resolve(host);
    running.set(host, [...before, started]);
    try {
      return await started;
    } finally {
      without(host, started);
    }
  };
}

const UNRESOLVED = { kind: 'transport', code: 'dns' } as const satisfies DialFailure;

/** Whether this process can open no further file. */
function lacksDescriptors(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return false;
  } catch (error) {
    return isShortage(error);
  }
}

/** getaddrinfo's code when no name server answered in time, or one said that it failed. */
function failedLookup(error: unknown): EgressFault {
  // getaddrinfo can't open its files and sockets then, and says that the name does not exist.
  if (isShortage(error) || lacksDescriptors()) return new EgressFault(EXHAUSTED);
  return new EgressFault(
    errorCode(error) === 'EAI_AGAIN' ? { ...UNRESOLVED, fault: { kind: 'no-lookup' } } : UNRESOLVED,
  );
}

async function resolved(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const found = await resolve(host).catch((error: unknown) => {
    throw failedLookup(error);
  });
  if (found.length === 0) throw new EgressFault(UNRESOLVED);
  return found;
}

/**
 * Layer 3 (security.md §3.1): every address must be allowed, or the dial is refused. The name is made absolute, so that
 * the search list of a pod can't turn it into a name of the cluster.
 */
export async function guardedAddresses(
  host: string,
  resolve: Resolve,
  allowed: (ip: string) => boolean,
): Promise<readonly LookupAddress[]> {
  const found = await resolved(`${host}.`, resolve);
  if (!found.every(({ address }) => allowed(address))) throw blocked('egress-denied-address');
  return found;
}

/**
 * Addresses of an allow rule or a stub: resolved as written, including `localhost` and other names of the hosts file.
 */
export const configuredAddresses = resolved;
