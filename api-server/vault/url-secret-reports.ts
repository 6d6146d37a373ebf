import type { Clock } from '../../adapters/time/clock.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { listedNames, type VaultReach } from './url-secret-index.ts';

export interface UrlSecretReportsDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Every Orbiset with a report, by `namespace/name`. */
  readonly reports: () => Iterable<readonly [key: string, report: Pick<VaultReach, 'orbs'>]>;
  /** The status of this Orbiset must be decided again. */
  readonly enqueue: (key: string) => void;
}

/**
 * All changes of this time are answered together, ms. So 10 000 Orbs that change at once enqueue an Orbiset a few times
 * only. An Orb that is deleted and created again meanwhile does not remove a condition for a moment.
 */
const GATHER_MS = 1000;

/** Enqueues the Orbisets whose Orbs now send other secrets in URLs. */
export class UrlSecretReports {
  readonly #deps: UrlSecretReportsDeps;
  readonly #stopping = new AbortController();
  readonly #namespaces = new Set<string>();
  /** As `Orbiset.spec.orbs` lists Orbs of other namespaces. */
  readonly #listed = new Set<string>();
  #isWaiting = false;

  constructor(deps: UrlSecretReportsDeps) {
    this.#deps = deps;
  }

  /** @param isShared Orbisets of other namespaces may run the Orb where they list it */
  changed(namespace: string, orbId: OrbId, isShared: boolean): void {
    this.#namespaces.add(namespace);
    if (isShared) for (const name of listedNames(orbId)) this.#listed.add(name);
    if (!this.#isWaiting) void this.#enqueueLater();
  }

  /** Enqueues nothing from now on. */
  stop(): void {
    this.#stopping.abort();
  }

  async #enqueueLater(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isWaiting = true;
    await this.#deps.clock.sleep(GATHER_MS, signal, { ref: false }).catch(() => undefined);
    this.#isWaiting = false;
    if (!signal.aborted) this.#enqueue();
  }

  #enqueue(): void {
    const { reports, enqueue } = this.#deps;
    for (const [key, { orbs }] of reports()) {
      const isOwn = this.#namespaces.has(key.slice(0, key.indexOf('/')));
      if (isOwn || orbs.some((name) => this.#listed.has(name))) enqueue(key);
    }
    this.#namespaces.clear();
    this.#listed.clear();
  }
}
