import { watch, type FSWatcher } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../core/api-key/caller.ts';
import { checkKey, isCurrent } from '../../core/api-key/check.ts';
import { parseApiKey } from '../../core/api-key/format.ts';
import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { sameBytes } from '../../core/json/hex.ts';
import { sha256 } from '../keys/primitives.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { apiKeyFiles, readApiKeyFile } from './files.ts';

/** Who presented a key. */
export type KeyAnswer =
  | { readonly kind: 'ok'; readonly caller: Caller }
  | { readonly kind: 'unauthenticated' }
  | { readonly kind: 'forbidden'; readonly why: 'cidr' };

export interface ApiKeyStoreDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

interface Entry {
  readonly record: ApiKeyRecord;
  readonly caller: Caller;
}

interface KnownFile {
  /** Inode, size and time of change: another stamp, another content or mode. */
  readonly stamp: string;
  readonly entry: Entry | undefined;
}

const BEARER = /^bearer +([\x21-\x7e]+)$/i;
const UNAUTHENTICATED: KeyAnswer = { kind: 'unauthenticated' };
// A change is in effect after at most the interval and one scan: ≤ 2 s (security.md §6.2). The watch is only faster.
const RESCAN_MS = 1000;
const DEBOUNCE_MS = 50;

async function stampOf(path: string): Promise<string> {
  const { ino, size, ctimeNs } = await stat(path, { bigint: true });
  return `${ino}:${size}:${ctimeNs}`;
}

/**
 * The API keys of a folder, in memory, read again when files change. A file that is broken or gone holds no key. While the
 * folder can't be read the last known keys stay, and say `unknown` when asked for their standing.
 */
export class ApiKeyStore {
  readonly #folder: string;
  readonly #deps: ApiKeyStoreDeps;
  #files: ReadonlyMap<string, KnownFile> = new Map();
  #byId: ReadonlyMap<string, Entry> = new Map();
  #readable = true;
  #scan: Promise<void> | undefined;
  #again = false;
  #watcher: FSWatcher | undefined;
  #interval: NodeJS.Timeout | undefined;
  #debounce: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(folder: string, deps: ApiKeyStoreDeps) {
    this.#folder = folder;
    this.#deps = deps;
  }

  /** Makes the folder (0700) if it is not there, reads it, and keeps watching until `close`. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.refresh();
    this.#interval = setInterval(this.#soon, RESCAN_MS).unref();
    this.#watch();
  }

  /**
   * Who sent this `Authorization` header from this address (security.md §6.2). An unknown key id and a wrong secret cost
   * the same.
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

  /** Keys as they are known, expired ones too: for the metric of their expiry. */
  readonly keys = (): readonly ApiKeyRecord[] => [...this.#byId.values()].map(({ record }) => record);

  /** Reads what changed; a call while a scan runs waits for one that starts after it. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#scan !== undefined) {
      this.#again = true;
      return this.#scan;
    }
    this.#scan = this.#scanUntilQuiet();
    return this.#scan;
  }

  /** Stops watching; the keys stay as they are. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#interval);
    clearTimeout(this.#debounce);
    this.#watcher?.close();
    await this.#scan;
  }

  async #scanUntilQuiet(): Promise<void> {
    do {
      this.#again = false;
      await this.#readFolder();
    } while (this.#again && !this.#closed);
    this.#scan = undefined;
  }

  async #readFolder(): Promise<void> {
    try {
      const files = new Map<string, KnownFile>();
      for (const file of await apiKeyFiles(this.#folder)) {
        const known = await this.#readFile(file);
        if (known !== undefined) files.set(file, known);
      }
      const entries = [...files.values()].flatMap(({ entry }) => entry ?? []);
      this.#files = files;
      this.#byId = new Map(entries.map((entry) => [entry.record.keyId, entry]));
      this.#readable = true;
    } catch (error) {
      if (this.#readable) this.#deps.logger.error('the folder of API keys cannot be read', { error });
      this.#readable = false;
    }
  }

  async #readFile(file: string): Promise<KnownFile | undefined> {
    const stamp = await stampOf(join(this.#folder, file)).catch(() => 'gone');
    const before = this.#files.get(file);
    if (before?.stamp === stamp) return before;
    const read = await readApiKeyFile(this.#folder, file);
    if (read === undefined) return undefined;
    if (read.ok) return { stamp, entry: { record: read.record, caller: this.#callerOf(read.record) } };
    this.#deps.logger.warn('a file in the folder of API keys holds no key', { file, detail: read.detail });
    return { stamp, entry: undefined };
  }

  #callerOf(record: ApiKeyRecord): Caller {
    const { keyId, tenants, scopes, orbs, expiresAt } = record;
    return { id: `key:${keyId}`, tenants, scopes, orbs, expiresAt, standing: () => this.#standing(record) };
  }

  #standing(record: ApiKeyRecord): ReturnType<Caller['standing']> {
    const stored = this.#byId.get(record.keyId)?.record;
    const stands = stored !== undefined && sameBytes(stored.sha256, record.sha256);
    if (!stands || !isCurrent(stored, this.#deps.clock.now())) return 'revoked-or-expired';
    return this.#readable ? 'valid' : 'unknown';
  }

  readonly #soon = (): void => {
    if (!this.#closed) void this.refresh();
  };

  #watch(): void {
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, () => {
        clearTimeout(this.#debounce);
        this.#debounce = setTimeout(this.#soon, DEBOUNCE_MS).unref();
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // No watches left on this machine: the interval alone keeps the promise.
    }
  }
}
