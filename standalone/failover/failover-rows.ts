import { randomUUID } from 'node:crypto';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { readFailoverStatus, writeFailoverStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';

/** An Orb by its id: what a file is called does not matter. */
export interface HeldOrb {
  readonly namespace: string;
  readonly orbId: OrbId;
}

/** What is kept of one Orb. */
export interface FailoverRow {
  /** Made with the row: numbers of swaps are unique under it, also for an Orb that is new under an old id. */
  readonly uid: string;
  readonly status: FailoverStatus;
}

interface FailoverRowsDeps {
  readonly ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>;
  readonly catalog: MemoryCatalog;
}

const KIND = 'failover';

export const keyOf = ({ namespace, orbId }: HeldOrb): string => `${namespace}/${orbId}`;

function heldOf(key: string): HeldOrb | undefined {
  const slash = key.indexOf('/');
  const id = parseOrbId(key.slice(slash + 1));
  return id.ok ? { namespace: key.slice(0, slash), orbId: id.value.id } : undefined;
}

function parseRow(json: string): FailoverRow | undefined {
  const read = readJson(Buffer.from(json));
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const { uid, ...members } = read.value;
  const status = readFailoverStatus(members);
  return typeof uid === 'string' && status !== null ? { uid, status } : undefined;
}

/**
 * What `Orb.status.failover` is on a cluster, as rows of the ledger (failover.md §6): durable first, then laid over the Orb in
 * the catalogue, where the next run sees it.
 */
export class FailoverRows {
  readonly #deps: FailoverRowsDeps;
  readonly #rows = new Map<string, FailoverRow>();

  constructor(deps: FailoverRowsDeps) {
    this.#deps = deps;
  }

  /** Takes over what an earlier process wrote. To be called once, before the first Orb is loaded. */
  async open(): Promise<void> {
    const { ledger } = this.#deps;
    for (const { key, json } of await ledger.states(KIND)) {
      const [orb, row] = [heldOf(key), parseRow(json)];
      if (orb === undefined || row === undefined) await ledger.deleteState(KIND, key);
      else this.#take(orb, row);
    }
  }

  /**
   * Forgets the Orbs that no file has. Only after the first look of a start: a file that is away for a moment must not cost its
   * Orb what is known of it.
   */
  async prune(): Promise<void> {
    const { ledger, catalog } = this.#deps;
    for (const key of this.#rows.keys()) {
      const orb = heldOf(key);
      if (orb !== undefined && catalog.orb(orb.namespace, orb.orbId) !== undefined) continue;
      this.#rows.delete(key);
      if (orb !== undefined) catalog.lay(orb, 'failover', undefined);
      await ledger.deleteState(KIND, key);
    }
  }

  get(orb: HeldOrb): FailoverRow | undefined {
    return this.#rows.get(keyOf(orb));
  }

  /** @throws LedgerError nothing was changed */
  async put(orb: HeldOrb, status: FailoverStatus): Promise<FailoverRow> {
    const key = keyOf(orb);
    const row = { uid: this.#rows.get(key)?.uid ?? randomUUID(), status };
    await this.#deps.ledger.putState(KIND, key, JSON.stringify({ uid: row.uid, ...writeFailoverStatus(status) }));
    this.#take(orb, row);
    return row;
  }

  #take(orb: HeldOrb, row: FailoverRow): void {
    this.#rows.set(keyOf(orb), row);
    this.#deps.catalog.lay(orb, 'failover', (compiled) => ({ ...compiled, failover: row.status }));
  }
}
