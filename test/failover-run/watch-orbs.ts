import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus, SwapRecord } from '../../core/failover/types.ts';
import { metadataOf, textOf } from '../chaos/rig/json.ts';
import { at, isRecord } from '../../hack/control-plane/json.ts';
import { openAdminWatch } from '../chaos/rig/admin-watch.ts';
import type { Journal } from './journal.ts';
import { NAMESPACE } from './orbs.ts';
import type { World } from './world.ts';

/** What the status of an Orb says, and since when it is known here. */
interface OrbState {
  readonly failover: FailoverStatus | null;
  /** Status of the condition; '' while it is not there. */
  readonly metricsAvailable: string;
}

/** A condition as it became. */
interface ConditionChange {
  readonly orb: string;
  readonly at: number;
  readonly status: string;
}

/** Follows the status of every Orb of the test. */
export interface OrbWatch {
  readonly of: (orb: string) => OrbState;
  /** By the order of their numbers. */
  readonly swapsOf: (orb: string) => readonly SwapRecord[];
  /** Changes of `MetricsAvailable`. */
  readonly availability: readonly ConditionChange[];
  /** When the Orb was first seen with a ramp in this leg or after that time; undefined: not yet. */
  readonly rampSince: (orb: string, from: number) => number | undefined;
  readonly close: () => void;
}

const SILENCE_MS = 1000;
const UNKNOWN: OrbState = { failover: null, metricsAvailable: '' };

function conditionOf(object: unknown, type: string): string {
  const conditions = at(object, 'status', 'conditions');
  const found: unknown = Array.isArray(conditions) ? conditions.find((one) => at(one, 'type') === type) : undefined;
  return textOf(at(found, 'status')) ?? '';
}

const rampText = ({ ramp }: FailoverStatus): string =>
  ramp === null ? '' : `${ramp.percent}% of the runs go to ${ramp.provider}${ramp.trial ? ' (trial)' : ''}`;

class Watch implements OrbWatch {
  readonly availability: ConditionChange[] = [];
  readonly #journal: Journal;
  readonly #states = new Map<string, OrbState>();
  readonly #swaps = new Map<string, Map<number, SwapRecord>>();
  readonly #ramps: { readonly orb: string; readonly at: number }[] = [];
  #closed = false;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  readonly of: OrbWatch['of'] = (orb) => this.#states.get(orb) ?? UNKNOWN;

  readonly swapsOf: OrbWatch['swapsOf'] = (orb) =>
    [...(this.#swaps.get(orb)?.values() ?? [])].toSorted((one, other) => one.seq - other.seq);

  readonly rampSince: OrbWatch['rampSince'] = (orb, from) =>
    this.#ramps.find((ramp) => ramp.orb === orb && ramp.at >= from)?.at;

  readonly close = (): void => {
    this.#closed = true;
  };

  /** A server ends each watch after a minute or two: the next one begins with what is there. */
  async follow({ plane }: World): Promise<void> {
    const target = { url: plane.server.url, ca: plane.ca, token: plane.users.admin.token };
    while (!this.#closed) {
      const watch = await openAdminWatch(target, `/apis/orbs.dev/v1alpha1/namespaces/${NAMESPACE}/orbs?watch=true`);
      for (;;) {
        const event = await watch.next(SILENCE_MS);
        if (event === 'end' || this.#closed) break;
        if (isRecord(event)) this.#see(event['object']);
      }
      watch.close();
    }
  }

  #see(object: unknown): void {
    const orb = textOf(metadataOf(object)['name']) ?? '';
    const before = this.of(orb);
    const failover = readFailoverStatus(at(object, 'status', 'failover'));
    const state = { failover, metricsAvailable: conditionOf(object, 'MetricsAvailable') };
    this.#states.set(orb, state);
    if (state.metricsAvailable !== before.metricsAvailable) this.#available(orb, state.metricsAvailable);
    if (failover === null) return;
    this.#swapped(orb, failover);
    const ramp = rampText(failover);
    if (ramp === (before.failover === null ? '' : rampText(before.failover))) return;
    if (ramp !== '') this.#ramps.push({ orb, at: Date.now() });
    this.#journal.record(ramp === '' ? 'the ramp is over' : ramp, orb);
  }

  #available(orb: string, status: string): void {
    this.availability.push({ orb, at: Date.now(), status });
    this.#journal.record(`MetricsAvailable=${status}`, orb);
  }

  #swapped(orb: string, { history }: FailoverStatus): void {
    const known = this.#swaps.get(orb) ?? new Map<number, SwapRecord>();
    this.#swaps.set(orb, known);
    for (const swap of history) {
      const isNew = !known.has(swap.seq);
      // Older entries lose their evidence.
      if (isNew) known.set(swap.seq, swap);
      const { seq, from, to, reason, rule, receiptId } = swap;
      if (isNew) this.#journal.record(`swap ${seq}: ${from} → ${to}, ${reason} by rule ${rule}, ${receiptId}`, orb);
    }
  }
}

/** Follows until it is closed. @param onLost the watch could not be kept */
export function watchOrbs(world: World, journal: Journal, onLost: (error: unknown) => void): OrbWatch {
  const watch = new Watch(journal);
  watch.follow(world).catch(onLost);
  return watch;
}
