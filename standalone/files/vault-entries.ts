import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { readVaultFile, type StoredSecret } from '../../adapters/vault-file/vault-file.ts';
import type { ExtraEntries } from '../../api-server/feeds/orbiset-feed.ts';

export interface VaultEntriesOptions {
  /** Folder of the files that `orb secrets set` writes. */
  readonly folder: string;
  readonly logger: Pick<Logger, 'error'>;
  /** Called when the entries of an Orbiset have changed. @param key `namespace/name` */
  readonly onChange: (key: string) => void;
}

/** One vault file as last read. */
interface Vault {
  readonly version: number;
  readonly secrets: readonly StoredSecret[];
}

const SUFFIX = '.yaml';
const NONE: ExtraEntries = { version: '', entries: [] };

const isVaultFile = (name: string): boolean => name.endsWith(SUFFIX) && !name.startsWith('.');

/** Vault entries that `orb secrets set` stores in files. Each file is named after its Orbiset. */
export class VaultEntries {
  readonly #options: VaultEntriesOptions;
  /** Keyed by `namespace.name`. */
  #vaults: ReadonlyMap<string, Vault> = new Map();
  #stamp: string | undefined;
  #version = 0;
  #failure = '';

  constructor(options: VaultEntriesOptions) {
    this.#options = options;
  }

  readonly of = ({ namespace, name }: { readonly namespace: string; readonly name: string }): ExtraEntries => {
    const vault = this.#vaults.get(`${namespace}.${name}`);
    if (vault === undefined) return NONE;
    const entries = vault.secrets.map((secret) => ({
      name: secret.name,
      value: secret.value,
      allowedHosts: secret.hosts,
    }));
    return { version: String(vault.version), entries };
  };

  /** Reads the files that changed since the last call. An unreadable file keeps its earlier entries. Never rejects. */
  async scan(): Promise<void> {
    try {
      await this.#scan();
      this.#failure = '';
    } catch (error) {
      // Reported once, not at every read.
      const text = String(error);
      if (text !== this.#failure) this.#options.logger.error('the vault files could not be read', { error });
      this.#failure = text;
    }
  }

  async #scan(): Promise<void> {
    const { folder, onChange } = this.#options;
    const names = (await readdir(folder)).filter(isVaultFile).toSorted();
    const stamp = await this.#stampOf(names);
    if (stamp === this.#stamp) return;
    const before = this.#vaults;
    const next = new Map<string, Vault>();
    for (const name of names) next.set(name.slice(0, -SUFFIX.length), await this.#read(name, before));
    this.#vaults = next;
    this.#stamp = stamp;
    for (const key of new Set([...before.keys(), ...next.keys()]))
      if (before.get(key) !== next.get(key)) onChange(key.replace('.', '/'));
  }

  async #stampOf(names: readonly string[]): Promise<string> {
    const stats = await Promise.all(names.map((name) => stat(join(this.#options.folder, name)).catch(() => undefined)));
    return names
      .map((name, index) => `${name} ${stats[index]?.ino} ${stats[index]?.size} ${stats[index]?.ctimeMs}`)
      .join('\n');
  }

  async #read(name: string, vaults: ReadonlyMap<string, Vault>): Promise<Vault> {
    const { folder, logger } = this.#options;
    const before = vaults.get(name.slice(0, -SUFFIX.length)) ?? { version: 0, secrets: [] };
    try {
      const secrets = await readVaultFile(join(folder, name));
      if (isDeepStrictEqual(secrets, before.secrets)) return before;
      this.#version += 1;
      return { version: this.#version, secrets };
    } catch (error) {
      logger.error('a vault file can not be used; what it held before stays', { file: name, error });
      return before;
    }
  }
}
