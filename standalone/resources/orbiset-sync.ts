import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { readVaultFile, type StoredSecret } from '../../adapters/vault-file/vault-file.ts';
import type { Resource } from '../../core/manifest/documents.ts';
import { compileOrbiset } from '../../core/orb/compile-orbiset.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { Placed } from './resource-set.ts';

type OrbisetDocument = Extract<Resource, { kind: 'Orbiset' }>;

export interface OrbisetDeps {
  readonly catalog: MemoryCatalog;
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

/** Keeps the Orbisets of a catalogue, and what the log redacts, equal to documents and vault files. */
export class OrbisetSync {
  readonly #deps: OrbisetDeps;
  #known = new Map<string, CompiledOrbiset>();
  #vaults: Vaults = new Map();
  #reported = '';

  constructor(deps: OrbisetDeps) {
    this.#deps = deps;
  }

  /** Compiles every Orbiset again: there are few, and a Secret may serve several. */
  async update(placed: readonly Placed[]): Promise<void> {
    this.#vaults = await this.#readVaults();
    const documents = placed.map(({ document }) => document.resource);
    const orbisets = documents.filter((resource) => resource.kind === 'Orbiset');
    const all = orbisets.some((orbiset) => keyOf(orbiset) === keyOf(DEFAULT)) ? orbisets : [...orbisets, DEFAULT];
    const findings: string[] = [];
    const next = new Map(all.map((orbiset) => [keyOf(orbiset), this.#compile(orbiset, documents, findings)] as const));
    this.#report(findings);
    this.#publish(next);
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
    const names = (await readdir(vault)).filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
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
