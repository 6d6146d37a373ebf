import type { Caller } from '../../core/api-key/caller.ts';
import { checkKey, isCurrent } from '../../core/api-key/check.ts';
import { parseApiKey } from '../../core/api-key/format.ts';
import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { sameBytes } from '../../core/json/hex.ts';
import { sha256 } from '../keys/primitives.ts';
import type { Clock } from '../time/clock.ts';

/** The result of authenticating a key. */
export type KeyAnswer =
  | { readonly kind: 'ok'; readonly caller: Caller }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly why: 'cidr' };

export interface KeyRingDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** False while the source of the keys can't be read: known keys stay, but may be out of date. */
  readonly current: () => boolean;
}

interface Entry {
  readonly record: ApiKeyRecord;
  readonly caller: Caller;
}

const BEARER = /^bearer +([\x21-\x7e]+)$/i;
const UNAUTHENTICATED: KeyAnswer = { kind: 'unauthenticated' };

/** The API keys that one process knows, wherever they are stored. */
export class KeyRing {
  readonly #deps: KeyRingDeps;
  #byId: ReadonlyMap<string, Entry> = new Map();

  constructor(deps: KeyRingDeps) {
    this.#deps = deps;
  }

  /** Replaces all keys. Of two keys with one id the last counts. */
  replace(records: readonly ApiKeyRecord[]): void {
    this.#byId = new Map(records.map((record) => [record.keyId, { record, caller: this.#callerOf(record) }]));
  }

  /**
   * Finds the key of an `Authorization` header from this address (security.md §6.2). An unknown key id and a wrong
   * secret cost the same.
   */
  readonly authenticate = (header: string | undefined, address: string): KeyAnswer => {
    const presented = parseApiKey(BEARER.exec(header ?? '')?.[1] ?? '');
    if (presented === undefined) return UNAUTHENTICATED;
    const hash = sha256(encodeUtf8(presented.text));
    const entry = this.#byId.get(presented.keyId);
    const judged = checkKey(entry?.record, { sha256: hash, address, now: this.#deps.clock.now() });
    if (judged === 'cidr') return { kind: 'forbidden', why: 'cidr' };
    return judged === 'ok' && entry !== undefined ? { kind: 'ok', caller: entry.caller } : UNAUTHENTICATED;
  };

  /** All known keys, also expired ones: for the metric of their expiry. */
  readonly keys = (): readonly ApiKeyRecord[] => [...this.#byId.values()].map(({ record }) => record);

  #callerOf(record: ApiKeyRecord): Caller {
    const { keyId, tenants, scopes, orbs, rate, expiresAt } = record;
    const standing = (): ReturnType<Caller['standing']> => this.#standing(record);
    return {
      id: `key:${keyId}`,
      tenants,
      scopes,
      orbs,
      ...(rate === undefined ? {} : { rate }),
      expiresAt,
      standing,
    };
  }

  #standing(record: ApiKeyRecord): ReturnType<Caller['standing']> {
    const stored = this.#byId.get(record.keyId)?.record;
    const stands = stored !== undefined && sameBytes(stored.sha256, record.sha256);
    if (!stands || !isCurrent(stored, this.#deps.clock.now())) return 'revoked-or-expired';
    return this.#deps.current() ? 'valid' : 'unknown';
  }
}
