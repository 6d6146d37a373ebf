import { newId } from '../../../core/receipt/ids.ts';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { AcceptedDelivery, DeliveryEffects } from '../../../adapters/ledger/port.ts';
import {
  applyToFingerprint,
  stateFor,
  type FingerprintState,
} from '../../../core/ingestion/incidents/fingerprint-state.ts';
import { isEverSevere } from '../../../core/ingestion/incidents/episodes.ts';
import { semanticKey } from '../../../core/ingestion/incidents/semantic-key.ts';
import { stateEventOf } from '../../../core/ingestion/incidents/signal-state.ts';
import { targetKey } from '../../../core/ingestion/incidents/incident.ts';
import type { Target } from '../../../core/ingestion/incidents/match-entity.ts';
import { SharedTexts, signalEnvelope, type SignalEntity } from '../../../core/ingestion/mapping/envelope.ts';
import type { DeadLetter } from '../../../core/ingestion/mapping/signal.ts';
import { DEAD_LETTER_TEXTS } from './dead-letter-texts.ts';
import { groupKeyOf, settleGroup } from './incident-steps.ts';
import type { MappingOrbs } from './mapping-orbs.ts';
import type { MappingSource } from './mapping-source.ts';
import type { Pauses } from './pauses.ts';
import { readEvents, storedHeaders, type MatchedEvent } from './read-events.ts';
import type { WorkingSet } from './working-set.ts';

/** What mapping reads of a delivery beside its body. */
export type DeliveryHead = Omit<AcceptedDelivery, 'seq' | 'attempts' | 'raw'>;

export interface MapTools {
  readonly work: WorkingSet;
  readonly orbs: MappingOrbs;
  readonly pauses: Pauses;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly random: (bytes: number) => Uint8Array;
}

interface Arrived {
  readonly delivery: DeliveryHead;
  readonly source: MappingSource;
}

/** A delivery whose body could be opened. */
export interface OpenedDelivery extends Arrived {
  readonly raw: Uint8Array;
}

/** A delivery whose body was read. */
interface Hashed extends Arrived {
  readonly body: { readonly sha256: string; readonly bytes: number };
}

/** Keys of groups within a delivery: each is needed to read its incident, and again to settle it. */
class GroupKeys {
  readonly #keys = new Map<string, string>();

  of(target: Target, fingerprint: string): string {
    const name = `${targetKey(target)}\n${fingerprint}`;
    const known = this.#keys.get(name) ?? groupKeyOf(target, fingerprint);
    this.#keys.set(name, known);
    return known;
  }
}

interface DeliveryTools extends MapTools {
  readonly groups: GroupKeys;
  readonly texts: SharedTexts;
}

const LIMITS: DeadLetter = { reason: 'limits', pointer: '/spec/match' };

/** What a signal is about, in the words of its envelope. */
function entityOf(target: Target | null, host: string | null): SignalEntity {
  return {
    orbId: target?.kind === 'orb' ? target.orb : null,
    provider: host,
    service: target?.kind === 'service' ? target.service : null,
  };
}

type NewSignal = DeliveryEffects['signals'][number];

function signalOf({ event, target }: MatchedEvent, arrived: Hashed, tools: DeliveryTools): NewSignal {
  const { delivery, source, body } = arrived;
  const { now, random, orbs, texts } = tools;
  const signalId = newId('sig_', now, random);
  const key = semanticKey(delivery.source, event, sha256Hex);
  const host = orbs.hostOf(source.namespace, target, now);
  const envelope = signalEnvelope(
    {
      signalId,
      event,
      entity: entityOf(target, host),
      source,
      semanticKey: key,
      receivedAt: delivery.receivedAt,
      raw: { deliveryId: delivery.deliveryId, ...body },
      eventId: delivery.deliveryKey.startsWith('sha256:') ? null : delivery.deliveryKey,
    },
    texts,
  );
  const { status, severity } = event;
  const orbId = target?.kind === 'orb' ? target.orb : null;
  const json = JSON.stringify(envelope);
  return { signalId, at: now, semanticKey: key, orbId, provider: host, status, severity, json };
}

/** Settles the groups of every target that an event speaks of. */
async function settleTargets(
  state: FingerprintState,
  { event, target }: MatchedEvent,
  { delivery, source }: Arrived,
  tools: DeliveryTools,
): Promise<void> {
  const { orbs, now, random, work, groups } = tools;
  const { minSeverity, forMs, quietMs } = source.effects;
  const effects = { minSeverity, forMs, quietPeriodMs: quietMs };
  const only = target === null ? undefined : targetKey(target);
  for (const [key, found] of Object.entries(state.targets)) {
    if (only !== undefined && key !== only) continue;
    const { namespace, trust } = source;
    const { fingerprint } = event;
    const { tenant } = delivery;
    const groupKey = groups.of(found.target, fingerprint);
    const merged = stateFor(state, found);
    if (!isEverSevere(merged, effects) && (await work.newest(tenant, groupKey)) === undefined) continue;
    const group = {
      tenant,
      groupKey,
      target: found.target,
      host: orbs.hostOf(namespace, found.target, now),
      fingerprint,
      title: found.title.text,
    };
    const monitor = orbs.monitorOf(namespace, found.target);
    const member = { source: delivery.source, trust, monitor, effects, state: merged };
    await settleGroup({ work, now, newId: () => newId('inc_', now, random) }, group, member);
  }
}

/** @returns why the event can't be used; undefined: it was */
async function applyEvent(
  matched: MatchedEvent,
  arrived: Arrived,
  tools: DeliveryTools,
): Promise<DeadLetter | undefined> {
  const { event, target } = matched;
  if (event.status === 'info') return undefined;
  const { work, now } = tools;
  const { source, receivedAt } = arrived.delivery;
  const before = work.state(source, event.fingerprint);
  const seen = stateEventOf(event, receivedAt);
  const state = applyToFingerprint(before, seen, { target, title: event.title });
  if (state === undefined) return LIMITS;
  work.putState(source, event.fingerprint, state, now);
  await settleTargets(state, matched, arrived, tools);
  return undefined;
}

const died = ({ reason, pointer }: DeadLetter): DeliveryEffects['outcome'] => ({
  state: 'dead',
  reason,
  pointer,
  detail: DEAD_LETTER_TEXTS[reason],
});

/** Events whose states and incidents are read at once: some hundred rows of 1 KB, rarely of 64 KB. */
const READ_AT_ONCE = 100;
/** Most groups that one read takes. */
const MOST_GROUPS = 1000;

/** Groups that an event may change: that of its target, or those of every target of its fingerprint. */
function groupsOf({ event, target }: MatchedEvent, source: string, { work, groups }: DeliveryTools): readonly string[] {
  if (event.status === 'info') return [];
  const { fingerprint } = event;
  if (target !== null) return [groups.of(target, fingerprint)];
  const { targets } = work.state(source, fingerprint);
  return Object.values(targets).map((one) => groups.of(one.target, fingerprint));
}

/** Orbs that the state of a fingerprint names, where an event names none. */
const knownOrbs = (events: readonly MatchedEvent[], source: string, work: WorkingSet): readonly string[] =>
  events.flatMap(({ event, target }) =>
    target === null
      ? Object.values(work.state(source, event.fingerprint).targets).flatMap((one) =>
          one.target.kind === 'orb' ? [one.target.orb] : [],
        )
      : [],
  );

/** Reads what the events of a delivery change, two reads for many events. */
async function loadFor(
  events: readonly MatchedEvent[],
  { delivery, source: { namespace } }: Arrived,
  tools: DeliveryTools,
): Promise<void> {
  const { work, pauses, orbs } = tools;
  const { source, tenant } = delivery;
  for (let from = 0; from < events.length; from += READ_AT_ONCE) {
    const some = events.slice(from, from + READ_AT_ONCE);
    await work.load(source, [...new Set(some.map(({ event }) => event.fingerprint))]);
    await orbs.learn(namespace, knownOrbs(some, source, work));
    const groups = new Set(some.flatMap((matched) => groupsOf(matched, source, tools)));
    await work.loadNewest(tenant, [...groups].slice(0, MOST_GROUPS));
    await pauses.rest();
  }
}

interface Applied {
  readonly signals: readonly NewSignal[];
  readonly faults: readonly DeadLetter[];
}

/** Makes signals of events, and applies them where the source has effects. */
async function applyAll(events: readonly MatchedEvent[], opened: Hashed, tools: DeliveryTools): Promise<Applied> {
  const { mode, effects } = opened.source;
  const hasEffects = mode !== 'Observe' && effects.incident;
  if (hasEffects) await loadFor(events, opened, tools);
  const signals: NewSignal[] = [];
  const faults: DeadLetter[] = [];
  for (const matched of events) {
    signals.push(signalOf(matched, opened, tools));
    const fault = hasEffects ? await applyEvent(matched, opened, tools) : undefined;
    if (fault !== undefined) faults.push(fault);
    const pause = tools.pauses.rest();
    if (pause !== undefined) await pause;
  }
  return { signals, faults };
}

/**
 * Everything that a delivery changes. Events that can be used take effect also when another one of the delivery makes it a
 * dead letter: mapping it again gives only repeats of them.
 * @throws LedgerError @throws Error the delivery failed for a reason outside of it
 */
export async function mapDelivery(arrived: OpenedDelivery, mapTools: MapTools): Promise<DeliveryEffects> {
  const tools: DeliveryTools = { ...mapTools, groups: new GroupKeys(), texts: new SharedTexts() };
  const { delivery, source, raw } = arrived;
  const { deliveryId } = delivery;
  const read = await readEvents({ body: raw, headers: storedHeaders(delivery) }, source, tools);
  if (!read.ok) return { deliveryId, signals: [], states: [], incidents: [], outcome: died(read.deadLetter) };
  const opened = { delivery, source, body: { sha256: sha256Hex(raw), bytes: raw.length } };
  const usable = read.events.filter(({ fault }) => fault === undefined);
  const { signals, faults } = await applyAll(usable, opened, tools);
  const [fault] = [...read.events.flatMap((event) => event.fault ?? []), ...faults];
  const outcome = fault === undefined ? ({ state: 'done' } as const) : died(fault);
  return { deliveryId, outcome, signals, ...tools.work.takeChanges() };
}
