import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { semanticKey } from '../../../core/ingestion/incidents/semantic-key.ts';
import { targetKey } from '../../../core/ingestion/incidents/incident.ts';
import { SEVERITIES } from '../../../core/ingestion/mapping/signal.ts';
import { verifyDelivery } from '../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { SignalSource, SignalSources } from '../../ingestion/source.ts';
import { webhookPrimitives } from '../../ingestion/webhook-primitives.ts';
import type { KnownOrbs } from '../../ingestion/worker/known-orbs.ts';
import { DEAD_LETTER_TEXTS } from '../../ingestion/worker/dead-letter-texts.ts';
import { readEvents, type MatchedEvent, type RawDelivery } from '../../ingestion/worker/read-events.ts';
import { Slices } from '../../ingestion/worker/slices.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed } from '../../http/schemas.ts';
import { ownSource, sourcePathParameters } from './source-routes.ts';
import { PRIVATE } from './paging.ts';

export interface DryRunParts {
  readonly sources: SignalSources;
  readonly orbs: KnownOrbs;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
}

const isHeaders = (value: JsonValue | undefined): value is Readonly<Record<string, string>> =>
  isJsonObject(value) && Object.values(value).every((header) => typeof header === 'string');

const members: readonly Member[] = [
  { name: 'headers', accepts: isHeaders, expected: 'an object of texts', optional: true },
  { name: 'body', accepts: (value) => typeof value === 'string', expected: 'the body as a text' },
  { name: 'verify', accepts: (value) => typeof value === 'boolean', expected: 'true or false', optional: true },
];

const eventView = ({ event }: MatchedEvent): JsonObject => {
  const { kind, status, severity, title, fingerprint, labels } = event;
  return { kind, status, severity, title, fingerprint, labels };
};

function matchView({ target, rule, fault }: MatchedEvent): JsonObject {
  if (target === null) return { reason: fault?.reason ?? null, rule };
  return { [target.kind]: targetKey(target).slice(target.kind.length + 1), rule };
}

function incidentEffect({ event, fault }: MatchedEvent, { mode, effects }: SignalSource): JsonObject {
  const { severity, status } = event;
  if (fault !== undefined) return { incident: 'none', why: fault.reason };
  if (mode !== 'Active' || !effects.incident) return { incident: 'none', why: 'the source has no effects' };
  if (status !== 'firing') return { incident: status === 'info' ? 'none' : `would_be_${status}` };
  const isSevere = SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(effects.minSeverity);
  return isSevere
    ? { incident: 'would_open', severity }
    : { incident: 'none', why: `below minSeverity ${effects.minSeverity}` };
}

/** A signal alone never reaches a score. */
function reputationEffect(events: readonly MatchedEvent[], source: SignalSource, orbs: KnownOrbs): JsonObject {
  const { trust, effects, namespace } = source;
  const isOfPublisher = events.some(
    ({ target }) => target !== null && orbs.monitorOf(namespace, target) === 'publisher',
  );
  if (!effects.reputation || source.mode !== 'Active') return { reputation: 'none', why: 'the source has no effects' };
  if (trust !== 'signed') return { reputation: 'none', why: `trust is ${trust}` };
  return isOfPublisher
    ? { reputation: 'none', why: 'the publisher runs this monitor' }
    : { reputation: 'needs_corroboration' };
}

const warning = (code: string, detail: string): JsonObject => ({ code, detail });

function verifyWarnings(source: SignalSource, delivery: RawDelivery, now: number): readonly JsonObject[] {
  const { scheme, secrets, toleranceMs } = source;
  if (secrets.kind === 'unreadable')
    return [warning('secret-unreadable', `Secret ${secrets.secret}, key ${secrets.key}.`)];
  const verification = { scheme, secrets: secrets.values, toleranceSeconds: toleranceMs / 1000 };
  const verdict = verifyDelivery(verification, { ...delivery, pathToken: undefined }, now, webhookPrimitives);
  return verdict.kind === 'verified' ? [] : [warning('not-verified', `The ${verdict.reason} does not fit.`)];
}

interface Sample {
  readonly delivery: RawDelivery;
  readonly verify: boolean;
}

async function view(source: SignalSource, { delivery, verify }: Sample, parts: DryRunParts): Promise<JsonObject> {
  const { orbs, clock } = parts;
  const warnings = verify ? verifyWarnings(source, delivery, clock.now()) : [];
  const read = await readEvents(delivery, source, { orbs, pauses: new Slices(clock) });
  if (!read.ok) {
    const { reason, pointer } = read.deadLetter;
    const dead = { reason, pointer, detail: DEAD_LETTER_TEXTS[reason] };
    return { events: [], matched: [], effects: [], warnings, semantic_keys: [], dead_letter: dead };
  }
  const { events, truncated } = read;
  const cut = truncated === 0 ? [] : [warning('truncated', `${truncated} events are beyond limits.alertsPerPayload.`)];
  const fault = events.find((matched) => matched.fault !== undefined)?.fault;
  return {
    events: events.map(eventView),
    matched: events.map(matchView),
    effects: [...events.map((matched) => incidentEffect(matched, source)), reputationEffect(events, source, orbs)],
    warnings: [...warnings, ...cut],
    semantic_keys: events.map(({ event }) => semanticKey(`${source.namespace}/${source.name}`, event, sha256Hex)),
    dead_letter: fault === undefined ? null : { ...fault, detail: DEAD_LETTER_TEXTS[fault.reason] },
  };
}

async function dryRun(request: RouteRequest, parts: DryRunParts): Promise<Reply> {
  const found = ownSource(request, parts.sources);
  if (!found.ok) return found.reply;
  const read = readMembers(request, members);
  if (!read.ok) return read.reply;
  const { headers, body, verify } = read.value;
  const text = typeof body === 'string' ? body : '';
  const delivery = { body: encodeUtf8(text), headers: isHeaders(headers) ? Object.entries(headers) : [] };
  return json(await view(found.value, { delivery, verify: verify === true }, parts), PRIVATE);
}

const requestSchema = closed(
  {
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: { type: 'string', description: 'The body as a text.' },
    verify: { type: 'boolean', description: 'Also check the signature; default false.' },
  },
  ['headers', 'verify'],
);

const objects = (description: string) => ({ type: 'array', description, items: { type: 'object' } }) as const;

const answerSchema = closed({
  events: objects('The events of the payload.'),
  matched: objects('What each of them is about, and the rule that says so.'),
  effects: objects('What each of them would do, and what the log would say.'),
  warnings: objects('What is odd.'),
  semantic_keys: { type: 'array', items: { type: 'string' }, description: 'Equal keys are repeats.' },
  dead_letter: { type: ['object', 'null'], description: 'Why the delivery would be a dead letter.' },
});

/** `POST /signal-sources/{namespace}/{name}/dry-run`: parses, maps and matches a sample, without any effect. */
export const dryRunRoute = (parts: DryRunParts): Route => ({
  method: 'post',
  path: '/signal-sources/{namespace}/{name}/dry-run',
  scope: 'ingest:admin',
  accepts: 'application/json',
  handle: (request) => dryRun(request, parts),
  operation: {
    operationId: 'dryRunSignalSource',
    summary: 'What a source would make of a sample',
    tags: ['ingestion'],
    parameters: sourcePathParameters,
    requestBody: { required: true, content: { 'application/json': { schema: requestSchema } } },
    responses: { '200': { description: 'The result.', content: { 'application/json': { schema: answerSchema } } } },
    problems: ['source-not-found', 'invalid-json', 'invalid-parameter', 'unknown-member'],
  },
});
