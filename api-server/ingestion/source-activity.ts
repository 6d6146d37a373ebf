import type { SourceActivity } from '../../core/ingestion/source/receiving-status.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import { statusOf } from '../../core/reconcile/read-object.ts';
import type { SourceTraffic, Traffic } from './source-traffic.ts';

/** Deliveries of a source as the ledger counts them. */
export interface LedgerCounts {
  /** `namespace/name` */
  readonly source: string;
  readonly received: number;
  readonly dead: number;
  /** ms since the epoch */
  readonly lastAt: number;
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

/** What the status tells of earlier processes. */
function shownTraffic(object: KubeObject): Traffic {
  const { counts } = statusOf(object);
  const shown = isJsonObject(counts) ? counts : {};
  return { duplicates: numberOf(shown['duplicates']), rejected: numberOf(shown['rejected']) };
}

/**
 * What came from each source, as of the last look. Statuses show it: a look every five minutes bounds how often they are
 * written. Counts that no ledger keeps go on from those that the status shows, so they outlive a restart.
 */
export class SourceActivities {
  readonly #traffic: SourceTraffic;
  readonly #isLeftOut: (key: string) => boolean;
  readonly #seen = new Map<string, SourceActivity>();
  /** The part of the traffic of this process that was added already. */
  readonly #added = new Map<string, Traffic>();

  /**
   * @param isLeftOut whether a source is never told: the platform's own checks send an event in every round, and an idle
   *   platform must write nothing
   */
  constructor(traffic: SourceTraffic, isLeftOut: (key: string) => boolean = () => false) {
    this.#traffic = traffic;
    this.#isLeftOut = isLeftOut;
  }

  /** Undefined until the first look, and for a source that nothing came from. */
  of(key: string): SourceActivity | undefined {
    return this.#seen.get(key);
  }

  /** Takes another look. @returns keys of the sources that something came from since the last one */
  look(objects: readonly KubeObject[], counts: readonly LedgerCounts[]): readonly string[] {
    const rows = new Map(counts.map((row) => [row.source, row]));
    return objects.flatMap((object) => {
      const key = keyOf(object.metadata);
      if (this.#isLeftOut(key)) return [];
      const next = this.#next(key, object, rows.get(key));
      if (next === undefined || JSON.stringify(next) === JSON.stringify(this.#seen.get(key))) return [];
      this.#seen.set(key, next);
      return [key];
    });
  }

  #next(key: string, object: KubeObject, row: LedgerCounts | undefined): SourceActivity | undefined {
    const now = this.#traffic.of(key);
    const added = this.#added.get(key) ?? { duplicates: 0, rejected: 0 };
    const shown = this.#seen.get(key) ?? shownTraffic(object);
    this.#added.set(key, now);
    const duplicates = shown.duplicates + now.duplicates - added.duplicates;
    const rejected = shown.rejected + now.rejected - added.rejected;
    if (row === undefined && duplicates === 0 && rejected === 0) return undefined;
    const { received = 0, dead = 0, lastAt } = row ?? {};
    return { accepted: received, duplicates, rejected, deadLetters: dead, lastEventAt: lastAt };
  }

  /** The source was deleted. */
  forget(key: string): void {
    this.#seen.delete(key);
    this.#added.delete(key);
    this.#traffic.forget(key);
  }
}
