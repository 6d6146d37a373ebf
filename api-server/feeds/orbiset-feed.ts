import type { LastOrbisets } from '../../adapters/catalog/last-orbisets.ts';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { compileOrbiset } from '../../core/orb/compile-orbiset.ts';
import type { CompiledOrbiset, VaultEntry } from '../../core/orb/orbiset.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import { generationOf, labelsOf } from '../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { OrbisetSpec } from '../../crds/orbiset.ts';
import { specToRun, type OrbisetSettings } from './orbiset-spec.ts';
import type { SecretValues } from '../vault/secret-values.ts';
import type { BoundSecret } from '../vault/secret-watch.ts';
import type { OrbisetReport } from '../vault/vault-reporter.ts';
import type { VaultWatches } from '../vault/vault-watches.ts';

export interface OrbisetFeedDeps {
  readonly catalog: Pick<MemoryCatalog, 'setOrbiset' | 'removeOrbiset'>;
  readonly last: LastOrbisets;
  readonly watches: Pick<VaultWatches, 'bind' | 'read'>;
  readonly logger: Logger;
  readonly addRedactor: (redactor: Redactor) => void;
  readonly removeRedactor: (redactor: Redactor) => void;
  /** Ends the runs in flight of an Orbiset that was suspended. @param orbiset `namespace.name` */
  readonly suspend: (orbiset: string) => void;
  /** The report on the vault has changed. */
  readonly onReport: (key: string) => void;
  /** Vault entries that do not come from a Secret; default: empty. */
  readonly extra?: (orbiset: Named) => ExtraEntries;
}

/** Vault entries from other sources than Secrets. */
export interface ExtraEntries {
  /** Changes whenever the entries change. */
  readonly version: string;
  readonly entries: readonly VaultEntry[];
}

const NO_ENTRIES: ExtraEntries = { version: '', entries: [] };

/** An Orbiset in the state in which it was last compiled. */
interface Known {
  readonly orbiset: CompiledOrbiset;
  /** Object, generation, labels and versions of Secrets: only these can change the result. */
  readonly signature: string;
  readonly held: readonly SecretValues[];
  /** Absent until every bound Secret was read or refused. */
  readonly report: OrbisetReport | undefined;
}

type Named = Pick<CompiledOrbiset, 'namespace' | 'name'>;

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
const dotted = ({ namespace, name }: Named): string => `${namespace}.${name}`;

const namedBy = (key: string): Named => {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

const bindingsOf = (spec: OrbisetSpec): readonly string[] => [
  ...new Set((spec.vault?.secrets ?? []).map(({ name }) => name)),
];

const versionOf = (secret: BoundSecret): string => (secret.kind === 'found' ? secret.version : secret.kind);

/** Keeps the Orbisets of the catalogue, with their vaults, equal to those of the cluster. Compiles once a change. */
export class OrbisetFeed {
  readonly #deps: OrbisetFeedDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: OrbisetFeedDeps) {
    this.#deps = deps;
  }

  /** The report on the vault of this Orbiset; undefined: not yet known. */
  report(key: string): OrbisetReport | undefined {
    return this.#known.get(key)?.report;
  }

  /** Every known report, by `namespace/name`. */
  *allReports(): Generator<readonly [key: string, report: OrbisetReport]> {
    for (const [key, { report }] of this.#known) if (report !== undefined) yield [key, report];
  }

  /**
   * Takes over the present state of one Orbiset and of its Secrets. Calls for one key must not overlap.
   * @param orbiset undefined: it was deleted
   * @throws LedgerError the ledger is away: the Orbiset is still in use, and a later call makes it durable
   */
  async apply(key: string, orbiset: KubeObject | undefined): Promise<void> {
    const { last, logger } = this.#deps;
    const named = namedBy(key);
    const read = orbiset && specToRun(orbiset, last.all.get(dotted(named)));
    if (orbiset === undefined || read === undefined) {
      if (orbiset !== undefined) logger.warn('an Orbiset is not valid, and never was', { orbiset: dotted(named) });
      return this.#remove(key, orbiset !== undefined);
    }
    this.#deps.watches.bind(key, named.namespace, bindingsOf(read.spec));
    this.#compile(key, orbiset, read);
    if (!read.isValid) logger.warn('the Orbiset keeps its last state', { orbiset: dotted(named) });
    else
      await last.keep(dotted(named), { document: { kind: 'Orbiset', ...named, spec: read.spec }, uid: uidOf(orbiset) });
  }

  #compile(key: string, object: KubeObject, { spec, hasUnreadablePolicies }: OrbisetSettings): void {
    const { watches, extra = (): ExtraEntries => NO_ENTRIES } = this.#deps;
    const { namespace, name } = namedBy(key);
    const { version, entries } = extra({ namespace, name });
    const secrets = new Map(bindingsOf(spec).map((secret) => [secret, watches.read(namespace, secret)]));
    const versions = [...secrets.values()].map(versionOf);
    const labels = labelsOf(object);
    const switches = [spec.suspended === true, spec.policies, hasUnreadablePolicies];
    const signature = JSON.stringify([uidOf(object), generationOf(object), switches, labels, versions, version]);
    const before = this.#known.get(key);
    if (before?.signature === signature) return;
    const held = [...secrets.values()].flatMap((secret) => (secret.kind === 'found' ? [secret.values.hold()] : []));
    const secret = (wanted: string): ReadonlyMap<string, Uint8Array> | 'forbidden' | undefined => {
      const found = secrets.get(wanted);
      return found?.kind === 'found' ? found.values.read() : found?.kind === 'forbidden' ? 'forbidden' : undefined;
    };
    const sources = { namespace, name, spec, hasUnreadablePolicies, labels, secret, extra: entries };
    const { orbiset, report } = compileOrbiset(sources);
    const isComplete = [...secrets.values()].every(({ kind }) => kind !== 'unread');
    const hosts = new Map([...orbiset.vault.values()].map((entry) => [entry.name, entry.allowedHosts]));
    const current = { uid: uidOf(object), generation: generationOf(object), report, hosts, orbs: orbiset.orbs };
    this.#publish(key, { orbiset, signature, held, report: isComplete ? current : before?.report }, before);
  }

  #publish(key: string, next: Known, before: Known | undefined): void {
    const { catalog, addRedactor, removeRedactor, suspend, onReport } = this.#deps;
    const { orbiset } = next;
    addRedactor(orbiset.redactor);
    catalog.setOrbiset(orbiset);
    this.#known.set(key, next);
    // Runs in flight have rendered their requests already, so values without a binding may be overwritten from here on.
    this.#release(before, removeRedactor);
    if (orbiset.suspended && before?.orbiset.suspended !== true) suspend(dotted(orbiset));
    if (next.report !== undefined) onReport(key);
  }

  #release(before: Known | undefined, removeRedactor: (redactor: Redactor) => void): void {
    if (before === undefined) return;
    removeRedactor(before.orbiset.redactor);
    for (const values of before.held) values.release();
  }

  /** @param isThere the object exists, but nothing of it can be used */
  async #remove(key: string, isThere: boolean): Promise<void> {
    const { catalog, last, removeRedactor, watches } = this.#deps;
    const named = namedBy(key);
    catalog.removeOrbiset(named.namespace, named.name);
    this.#release(this.#known.get(key), removeRedactor);
    this.#known.delete(key);
    watches.bind(key, named.namespace, []);
    if (!isThere) await last.forget(dotted(named));
  }
}
