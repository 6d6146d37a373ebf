import type { AcceptedDelivery } from '../../../adapters/ledger/port.ts';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { matchEntity, type Target } from '../../../core/ingestion/incidents/match-entity.ts';
import { expressionHeaders } from '../../../core/ingestion/mapping/kept-headers.ts';
import { mapSteps, type MapInput } from '../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../core/ingestion/mapping/read-payload.ts';
import type { DeadLetter, EventDraft } from '../../../core/ingestion/mapping/signal.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { SignalSource } from '../source.ts';
import type { KnownOrbs } from './known-orbs.ts';
import type { Slices } from './slices.ts';

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

type MappingSource = Pick<SignalSource, 'namespace' | 'mapping' | 'match' | 'parser' | 'limits'>;

/** The headers of a stored delivery: JSON text of an object. @throws SyntaxError the ledger holds something else */
export function storedHeaders({ headers }: Pick<AcceptedDelivery, 'headers'>): RawDelivery['headers'] {
  const value: unknown = JSON.parse(headers);
  const pairs = isJsonObject(value) ? Object.entries(value) : [];
  return pairs.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text] as const] : []));
}

/** A `*` version takes the version that the namespace runs: only such rules need the list. */
function runningFor({ namespace, match }: MappingSource, orbs: KnownOrbs): readonly string[] {
  const names = match.flatMap(({ target }) =>
    target.kind === 'orb' && target.orb.endsWith('@*') ? [target.orb.slice(0, -2)] : [],
  );
  return [...new Set(names)].flatMap((name) => orbs.running(namespace, name));
}

/**
 * Only a firing needs a target: an end often names none, and closes what its fingerprint opened. Information without one
 * is kept as it is.
 */
const needsTarget = ({ status }: EventDraft): boolean => status === 'firing';

interface Matching {
  readonly source: MappingSource;
  readonly orbs: KnownOrbs;
  readonly running: readonly string[];
}

function matched(event: EventDraft, { source, orbs, running }: Matching): MatchedEvent {
  const found = matchEntity(event, source.match, running);
  if (found.kind === 'unmatched') {
    const fault = needsTarget(event) || found.reason === 'ambiguous_entity' ? found : undefined;
    return { event, target: null, rule: found.pointer, fault };
  }
  const rule = event.labels['orb_id'] === undefined ? 'name or rule of match' : 'label orb_id or rule of match';
  const isKnown = found.kind !== 'orb' || orbs.find(source.namespace, found.orb) !== undefined;
  if (isKnown) return { event, target: found, rule, fault: undefined };
  const fault: DeadLetter = { reason: 'no_entity', pointer: '/spec/match' };
  return { event, target: null, rule, fault: needsTarget(event) ? fault : undefined };
}

/** Parses, maps and matches a body, in slices. Never throws for what a vendor sent. */
export async function readEvents(
  { body, headers }: RawDelivery,
  source: MappingSource,
  { orbs, slices }: { readonly orbs: KnownOrbs; readonly slices: Slices },
): Promise<ReadEvents> {
  const read = readPayload(body, source.parser);
  if (!read.ok) return read;
  await slices.rest();
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
    await slices.rest();
    step = steps.next();
  }
  const mapped = step.value;
  if (!mapped.ok) return mapped;
  const events: MatchedEvent[] = [];
  const matching = { source, orbs, running: runningFor(source, orbs) };
  for (const event of mapped.events) {
    events.push(matched(event, matching));
    await slices.rest();
  }
  return { ok: true, events, truncated: mapped.truncated };
}
