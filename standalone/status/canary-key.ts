import { timingSafeEqual } from 'node:crypto';
import type { Authenticate } from '../../api-server/http/authorise.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { Scope } from '../../core/api-key/scopes.ts';

const KEY_BYTES = 32;

const SCOPES: readonly Scope[] = ['orbs:execute', 'receipts:read', 'reputation:read', 'ingest:read'];

/** A key of this process alone: it is written nowhere, and ends with the process. */
export interface CanaryKey {
  readonly text: string;
  /** Secret of the canary's signal source, new with every start (`whsec_…`). */
  readonly sourceSecret: string;
  /** Knows this key, and asks for every other one. */
  readonly beside: (others: Authenticate) => Authenticate;
}

export function createCanaryKey(namespace: string, random: (bytes: number) => Uint8Array): CanaryKey {
  const text = `canary.${Buffer.from(random(KEY_BYTES)).toString('base64url')}`;
  const wanted = Buffer.from(`Bearer ${text}`);
  const caller: Caller = {
    id: 'key:canary',
    tenants: [namespace],
    scopes: new Set(SCOPES),
    orbs: undefined,
    expiresAt: Number.MAX_SAFE_INTEGER,
    standing: () => 'valid',
  };
  const isOwn = (header: string | undefined): boolean => {
    const given = Buffer.from(header ?? '');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  };
  return {
    text,
    sourceSecret: `whsec_${Buffer.from(random(KEY_BYTES)).toString('base64')}`,
    beside: (others) => (header, address, subject) =>
      isOwn(header) ? { kind: 'ok', caller } : others(header, address, subject),
  };
}
