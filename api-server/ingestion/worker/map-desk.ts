import { LedgerError, type PackedEffects } from '../../../adapters/ledger/port.ts';
import { packEffects } from '../../../adapters/ledger/tables/delivery-effects.ts';
import { mapDelivery, type MapTools, type OpenedDelivery } from './map-delivery.ts';
import { WorkingSet, type IncidentReads } from './working-set.ts';

/** Deliveries that are mapped one after the other. */
export interface MapWork<Delivery = OpenedDelivery> {
  /** Begins with what the ledger holds: what earlier deliveries changed is forgotten, because it was written or refused. */
  readonly isFresh: boolean;
  /** ms since epoch */
  readonly now: number;
  readonly deliveries: readonly Delivery[];
}

/** What deliveries change. */
export interface MappedBatch {
  /** Of each delivery, in their order. */
  readonly effects: readonly PackedEffects[];
  /** A fault of ours in a delivery. Those behind it were not mapped; what it changed before is forgotten with a fresh start. */
  readonly fault: { readonly deliveryId: string; readonly detail: string } | undefined;
  /** States, incidents and Orbs in memory. */
  readonly known: number;
}

export interface MapDeskDeps {
  readonly ledger: IncidentReads;
  readonly orbs: MapTools['orbs'] & {
    /** Asks again from now on; absent: it keeps no answers. */
    readonly forget?: () => void;
    /** Answers that are kept. */
    readonly size?: number;
  };
  readonly random: MapTools['random'];
  readonly pauses: MapTools['pauses'];
}

const MAX_DETAIL = 1000;

const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, MAX_DETAIL);

/** Maps deliveries, on the thread that calls it. */
export class MapDesk {
  readonly #deps: MapDeskDeps;
  #work: WorkingSet;
  /** Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: MapDeskDeps) {
    this.#deps = deps;
    this.#work = new WorkingSet(deps.ledger);
  }

  /** A call waits for the one before. @throws LedgerError the ledger could not be read: begin afresh */
  map(work: MapWork): Promise<MappedBatch> {
    const mapped = this.#last.then(() => this.#map(work));
    this.#last = mapped.catch(() => undefined);
    return mapped;
  }

  async #map({ isFresh, now, deliveries }: MapWork): Promise<MappedBatch> {
    const { ledger, orbs, random, pauses } = this.#deps;
    if (isFresh) {
      this.#work = new WorkingSet(ledger);
      orbs.forget?.();
    }
    const tools: MapTools = { work: this.#work, orbs, random, pauses, now };
    const effects: PackedEffects[] = [];
    for (const one of deliveries) {
      try {
        effects.push(packEffects(await mapDelivery(one, tools)));
      } catch (error) {
        if (error instanceof LedgerError) throw error;
        return this.#mapped(effects, { deliveryId: one.delivery.deliveryId, detail: detailOf(error) });
      }
      const pause = pauses.rest();
      if (pause !== undefined) await pause;
    }
    return this.#mapped(effects, undefined);
  }

  #mapped(effects: readonly PackedEffects[], fault: MappedBatch['fault']): MappedBatch {
    return { effects, fault, known: this.#work.size + (this.#deps.orbs.size ?? 0) };
  }
}
