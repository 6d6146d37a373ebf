import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LastOrbisets, type OrbisetDocument } from '../../adapters/catalog/last-orbisets.ts';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { readVaultFile, type StoredSecret } from '../../adapters/vault-file/vault-file.ts';
import type { Resource } from '../../core/manifest/documents.ts';
import { compileOrbiset } from '../../core/orb/compile-orbiset.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { Placed } from './resource-set.ts';

export interface OrbisetDeps {
  readonly catalog: MemoryCatalog;
  readonly ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>;
  readonly logger: Logger;
  /** Folder of the files that `orb secrets set` writes. */
  readonly vault: string;
  readonly addRedactor: (redactor: Redactor) => void;
  readonly removeRedactor: (redactor: Redactor) => void;
  /** Ends the runs in flight of an Orbiset that was suspended (security.md S30). */
  readonly suspend: (orbiset: string) => void;
}

// There is always an Orbiset `default` in the namespace `default` (design.md §7).
const DEFAULT: OrbisetDocument = { kind: 'Orbiset', namespace: 'default', name: 'default', spec: {} };
const SUFFIX = '.yaml';

type Vaults = ReadonlyMap<string, readonly StoredSecret[]>;

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}.${name}`;

const isVaultFile = (name: string): boolean => name.endsWith(SUFFIX) && !name.startsWith('.');

/** Keeps the Orbisets of a catalogue, and what the log redacts, equal to documents and vault files. */
export class OrbisetSync {
  readonly #deps: OrbisetDeps;
  #known = new Map<string, CompiledOrbiset>();
  #vaults: Vaults = new Map();
  #stamp: string | undefined;
  #reported = '';
  readonly #last: LastOrbisets;
  #isOpen = false;

  constructor(deps: OrbisetDeps) {
    this.#deps = deps;
    this.#last = new LastOrbisets(deps.ledger);
  }

  /** Whether a vault file came, went or changed since the last `update`; costs a few calls of `stat`. */
  async vaultChanged(): Promise<boolean> {
    return (await this.#stampOfVault()) !== this.#stamp;
  }

  /**
   * Compiles every Orbiset again: there are few, and a Secret may serve several.
   * @param unread files that could not be read since the start: the Orbisets that they last held go on as they were
   */
  async update(placed: readonly Placed[], unread: ReadonlySet<string>): Promise<void> {
    const stamp = await this.#stampOfVault();
    this.#vaults = await this.#readVaults();
    const documents = placed.map(({ document }) => document.resource);
    const orbisets = [...(await this.#remember(placed)), ...this.#lost(placed, unread)];
    const all = orbisets.some((orbiset) => keyOf(orbiset) === keyOf(DEFAULT)) ? orbisets : [...orbisets, DEFAULT];
    const findings: string[] = [];
    const next = new Map(all.map((orbiset) => [keyOf(orbiset), this.#compile(orbiset, documents, findings)] as const));
    this.#report(findings);
    this.#publish(next);
    await this.#forget(next);
    this.#stamp = stamp;
  }

  async #stampOfVault(): Promise<string> {
    const names = (await readdir(this.#deps.vault)).filter(isVaultFile).toSorted();
    const stats = await Promise.all(names.map((name) => stat(join(this.#deps.vault, name)).catch(() => undefined)));
    return names
      .map((name, index) => `${name} ${stats[index]?.ino} ${stats[index]?.size} ${stats[index]?.ctimeMs}`)
      .join('\n');
  }

  /** The Orbisets of the documents; what they say is kept for the next start, and forgotten with the document. */
  async #remember(placed: readonly Placed[]): Promise<readonly OrbisetDocument[]> {
    if (!this.#isOpen) await this.#last.open();
    this.#isOpen = true;
    const found: OrbisetDocument[] = [];
    for (const { file, document } of placed) {
      const { resource } = document;
      if (resource.kind !== 'Orbiset') continue;
      found.push(resource);
      await this.#last.keep(keyOf(resource), { document: resource, file: basename(file) });
    }
    return found;
  }

  async #forget(next: ReadonlyMap<string, CompiledOrbiset>): Promise<void> {
    for (const key of this.#last.all.keys()) if (!next.has(key)) await this.#last.forget(key);
  }

  /** Orbisets that stood in a file which can't be read since the start. */
  #lost(placed: readonly Placed[], unread: ReadonlySet<string>): readonly OrbisetDocument[] {
    const here = new Set(placed.map(({ document }) => `${document.resource.kind} ${keyOf(document.resource)}`));
    const files = new Set([...unread].map((path) => basename(path)));
    const lost = [...this.#last.all].filter(
      ([key, { file }]) => file !== undefined && files.has(file) && !here.has(`Orbiset ${key}`),
    );
    for (const [key] of lost)
      if (!this.#known.has(key)) this.#deps.logger.warn('the Orbiset goes on as it last was', { orbiset: key });
    return lost.map(([, { document }]) => document);
  }

  #compile(orbiset: OrbisetDocument, documents: readonly Resource[], said: string[]): CompiledOrbiset {
    const { namespace, name, spec } = orbiset;
    const secrets = documents.filter((resource) => resource.kind === 'Secret');
    const secret = (wanted: string): ReadonlyMap<string, Uint8Array> | undefined =>
      secrets.find((resource) => resource.namespace === namespace && resource.name === wanted)?.data;
    const extra = (this.#vaults.get(keyOf(orbiset)) ?? []).map(({ name: entry, value, hosts }) => ({
      name: entry,
      value,
      allowedHosts: hosts,
    }));
    const { orbiset: compiled, findings } = compileOrbiset({ namespace, name, spec, secret, extra });
    for (const { detail } of findings) said.push(`Orbiset ${keyOf(orbiset)}: ${detail}`);
    return compiled;
  }

  /** Said once, not at every look. */
  #report(findings: readonly string[]): void {
    const text = findings.join('\n');
    if (text !== this.#reported) for (const finding of findings) this.#deps.logger.warn(finding);
    this.#reported = text;
  }

  #publish(next: Map<string, CompiledOrbiset>): void {
    const { catalog, addRedactor, removeRedactor, suspend } = this.#deps;
    for (const orbiset of next.values()) {
      addRedactor(orbiset.redactor);
      catalog.setOrbiset(orbiset);
      if (orbiset.suspended && this.#known.get(keyOf(orbiset))?.suspended === false) suspend(keyOf(orbiset));
    }
    for (const [key, before] of this.#known) {
      removeRedactor(before.redactor);
      if (!next.has(key)) catalog.removeOrbiset(before.namespace, before.name);
    }
    this.#known = next;
  }

  /** A file that can't be read leaves what it held before. */
  async #readVaults(): Promise<Vaults> {
    const { vault, logger } = this.#deps;
    const vaults = new Map<string, readonly StoredSecret[]>();
    const names = (await readdir(vault)).filter(isVaultFile);
    for (const name of names.toSorted()) {
      const key = name.slice(0, -SUFFIX.length);
      try {
        vaults.set(key, await readVaultFile(join(vault, name)));
      } catch (error) {
        logger.error('a vault file can not be used; what it held before stays', { file: name, error });
        vaults.set(key, this.#vaults.get(key) ?? []);
      }
    }
    return vaults;
  }
}
