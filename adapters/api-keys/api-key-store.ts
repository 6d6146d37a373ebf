import { watch, type FSWatcher } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { apiKeyFiles, readApiKeyFile } from './files.ts';
import { KeyRing } from './key-ring.ts';

export interface ApiKeyStoreDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

interface KnownFile {
  /** Inode, size and time of change: a different stamp means a different content or mode. */
  readonly stamp: string;
  readonly record: ApiKeyRecord | undefined;
}

// A change is in effect after at most the interval and one scan: ≤ 2 s (security.md §6.2). The watch only makes it
// faster.
const RESCAN_MS = 1000;
const DEBOUNCE_MS = 50;

async function stampOf(path: string): Promise<string> {
  const { ino, size, ctimeNs } = await stat(path, { bigint: true });
  return `${ino}:${size}:${ctimeNs}`;
}

/**
 * The API keys of a folder, in memory, read again when files change. A broken or missing file holds no key. While the
 * folder can't be read, the last known keys stay, and their standing is `unknown`.
 */
export class ApiKeyStore {
  readonly #folder: string;
  readonly #deps: ApiKeyStoreDeps;
  #files: ReadonlyMap<string, KnownFile> = new Map();
  readonly #ring: KeyRing;
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
    this.#ring = new KeyRing({ clock: deps.clock, current: () => this.#readable });
    this.authenticate = this.#ring.authenticate;
    this.keys = this.#ring.keys;
  }

  readonly authenticate: KeyRing['authenticate'];
  readonly keys: KeyRing['keys'];

  /** Makes a missing folder (0700), reads it, and keeps watching until `close`. */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.refresh();
    this.#interval = setInterval(this.#soon, RESCAN_MS).unref();
    this.#watch();
  }

  /** Reads changed files. A call during a scan waits for a scan that starts after the call. Never rejects. */
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
      this.#files = files;
      this.#ring.replace([...files.values()].flatMap(({ record }) => record ?? []));
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
    if (read.ok) return { stamp, record: read.record };
    this.#deps.logger.warn('a file in the folder of API keys holds no key', { file, detail: read.detail });
    return { stamp, record: undefined };
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
      // The system has no watches left: the interval alone keeps the 2 s.
    }
  }
}
