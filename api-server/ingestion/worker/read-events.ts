import type { AcceptedDelivery } from '../../../adapters/ledger/port.ts';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { matchEntity, type Entity, type Target } from '../../../core/ingestion/incidents/match-entity.ts';
import { expressionHeaders } from '../../../core/ingestion/mapping/kept-headers.ts';
import { mapSteps, type MapInput } from '../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../core/ingestion/mapping/read-payload.ts';
import type { DeadLetter, EventDraft } from '../../../core/ingestion/mapping/signal.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { MappingOrbs } from './mapping-orbs.ts';
import type { MappingSource } from './mapping-source.ts';
import type { Pauses } from './pauses.ts';

/** An event with what it is about. */
export interface MatchedEvent {
  readonly event: EventDraft;
  /** Null: it names nothing that the platform knows. */
  readonly target: Target | null;
  /** The rule that gave the target, for people. */
  readonly rule: string;
  /** Why it can't be used; undefined: it can. */
  readonly fault: DeadLetter | undefined;
}

export type ReadEvents =
  | { readonly ok: true; readonly events: readonly MatchedEvent[]; readonly truncated: number }
  | { readonly ok: false; readonly deadLetter: DeadLetter };

/** A verified body with the headers that were kept of its request. */
export interface RawDelivery {
  readonly body: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

type ReadingSource = Pick<MappingSource, 'namespace' | 'mapping' | 'match' | 'parser' | 'limits'>;

/** The headers of a stored delivery: JSON text of an object. @throws SyntaxError the ledger holds something else */
export function storedHeaders({ headers }: Pick<AcceptedDelivery, 'headers'>): RawDelivery['headers'] {
  const value: unknown = JSON.parse(headers);
  const pairs = isJsonObject(value) ? Object.entries(value) : [];
  return pairs.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []));
}

/** A `*` version takes the version that the namespace runs: only such rules need the list. */
const namesOf = ({ match }: ReadingSource): readonly string[] => [
  ...new Set(
    match.flatMap(({ target }) =>
      target.kind === 'orb' && target.orb.endsWith('@*') ? [target.orb.slice(0, -2)] : [],
    ),
  ),
];

/**
 * Only a firing needs a target: an end often names none, and closes what its fingerprint opened. Information without one
 * is kept as it is.
 */
const needsTarget = ({ status }: EventDraft): boolean => status === 'firing';

function matched(event: EventDraft, found: Entity, { namespace }: ReadingSource, orbs: MappingOrbs): MatchedEvent {
  if (found.kind === 'unmatched') {
    const fault = needsTarget(event) || found.reason === 'ambiguous_entity' ? found : undefined;
    return { event, target: null, rule: found.pointer, fault };
  }
  const rule = event.labels['orb_id'] === undefined ? 'name or rule of match' : 'label orb_id or rule of match';
  const isKnown = found.kind !== 'orb' || orbs.isKnown(namespace, found.orb);
  if (isKnown) return { event, target: found, rule, fault: undefined };
  const fault: DeadLetter = { reason: 'no_entity', pointer: '/spec/match' };
  return { event, target: null, rule, fault: needsTarget(event) ? fault : undefined };
}

interface ReadingTools {
  readonly orbs: MappingOrbs;
  readonly pauses: Pauses;
}

/** Matches events, and finds out what there is to know about what they name. */
async function matchAll(
  events: readonly EventDraft[],
  source: ReadingSource,
  { orbs, pauses }: ReadingTools,
): Promise<readonly MatchedEvent[]> {
  const { namespace, match } = source;
  const names = namesOf(source);
  await orbs.learn(namespace, [], names);
  const running = names.flatMap((name) => orbs.running(namespace, name));
  const found: (readonly [EventDraft, Entity])[] = [];
  for (const event of events) {
    found.push([event, matchEntity(event, match, running)]);
    const pause = pauses.rest();
    if (pause !== undefined) await pause;
  }
  const ids = found.flatMap(([, entity]) => (entity.kind === 'orb' ? [entity.orb] : []));
  await orbs.learn(namespace, ids);
  return found.map(([event, entity]) => matched(event, entity, source, orbs));
}

/** Parses, maps and matches a body, with pauses. Never throws for what a vendor sent. */
export async function readEvents(
  { body, headers }: RawDelivery,
  source: ReadingSource,
  tools: ReadingTools,
): Promise<ReadEvents> {
  const { pauses } = tools;
  const read = readPayload(body, source.parser);
  if (!read.ok) return read;
  await pauses.rest();
  const input: MapInput = {
    payload: read.payload,
    headers: expressionHeaders(headers),
    bodyDigest: sha256Hex(body),
    digest: sha256Hex,
    most: source.limits.itemsPerPayload,
  };
  const steps = mapSteps(source.mapping, input);
  let step = steps.next();
  while (step.done !== true) {
    const pause = pauses.rest();
    if (pause !== undefined) await pause;
    step = steps.next();
  }
  const mapped = step.value;
  if (!mapped.ok) return mapped;
  return { ok: true, events: await matchAll(mapped.events, source, tools), truncated: mapped.truncated };
}
