import type { DeadLetter, DeadLetterWithBody, Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { withoutToken } from '../../../core/ingestion/mapping/form.ts';
import { decodeUtf8 } from '../../../core/json/bytes.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { IngestQueue } from '../../ingestion/queue.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { present, queryParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { closed, count } from '../../http/schemas.ts';
import { answerPage, isSourceName, pageParameters, PRIVATE, sourceParameter } from './paging.ts';
import { parsedObject } from './parsed-object.ts';
import { deadLetter as schema, ids, listOf } from './view-schemas.ts';

export interface DeadLetterParts {
  readonly ledger: Pick<Ledger, 'deadLetter' | 'deadLetters' | 'redrive'>;
  /** The worker of this process, if it is here. */
  readonly queue: IngestQueue;
  readonly logger: Pick<Logger, 'info'>;
}

const REASONS = [
  'bad_json',
  'schema',
  'mapping_error',
  'no_entity',
  'ambiguous_entity',
  'policy_denied',
  'limits',
  'downstream',
] as const;
const isReason = (text: string): text is (typeof REASONS)[number] => REASONS.some((reason) => reason === text);
const MAX_REDRIVEN = 10_000;

const view = (letter: DeadLetter): JsonObject => ({
  delivery_id: letter.deliveryId,
  source: letter.source,
  received_at: new Date(letter.receivedAt).toISOString(),
  reason: letter.reason,
  pointer: letter.pointer,
  detail: letter.detail,
  attempts: letter.attempts,
  bytes: letter.bytes,
  has_body: letter.hasBody,
});

const FORM = 'application/x-www-form-urlencoded';

/** The body as text; null when it is erased, or is no UTF-8. */
function bodyOf({ raw }: DeadLetterWithBody, headers: JsonObject): string | null {
  const text = raw === undefined ? undefined : decodeUtf8(raw);
  if (text === undefined) return null;
  const type = headers['content-type'];
  return typeof type === 'string' && type.toLowerCase().startsWith(FORM) ? withoutToken(text) : text;
}

function fullView(letter: DeadLetterWithBody): JsonObject {
  const headers = letter.headers === undefined ? {} : parsedObject(letter.headers);
  return { ...view(letter), headers, body: bodyOf(letter, headers) };
}

const parameters: readonly Parameter[] = [
  sourceParameter,
  queryParameter('reason', 'For this reason.', { type: 'string', enum: REASONS }),
];

const letterParameters: readonly Parameter[] = [
  { name: 'delivery_id', in: 'path', description: 'Id of the delivery.', schema: ids.delivery },
  namespaceParameter,
];

const listRoute = ({ ledger }: DeadLetterParts): Route => ({
  method: 'get',
  path: '/dead-letters',
  scope: 'ingest:admin',
  handle: (request) =>
    answerPage(request, {
      parameters,
      filters: (reader) =>
        present({
          source: reader.text('source', isSourceName, 'namespace/name'),
          reason: reader.text('reason', isReason, REASONS.join(', ')),
        }),
      read: ledger.deadLetters,
      view,
    }),
  operation: {
    operationId: 'listDeadLetters',
    summary: 'Deliveries that could not be used, newest first',
    tags: ['ingestion'],
    parameters: [...parameters, ...pageParameters],
    responses: { '200': { description: 'One page.', content: { 'application/json': { schema: listOf(schema) } } } },
    problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

/** A dead letter of the caller's tenant. */
interface Found {
  readonly tenant: string;
  readonly letter: DeadLetterWithBody;
}

async function find(request: RouteRequest, { ledger }: DeadLetterParts): Promise<Step<Found>> {
  const choice = tenantFor(request, 'dead-letter-not-found');
  if (!choice.ok) return choice;
  const letter = await ledger.deadLetter(choice.tenant, request.params['delivery_id'] ?? '');
  return letter === undefined
    ? refuse(problem(request, 'dead-letter-not-found'))
    : { ok: true, value: { tenant: choice.tenant, letter } };
}

const readRoute = (parts: DeadLetterParts): Route => ({
  method: 'get',
  path: '/dead-letters/{delivery_id}',
  scope: 'ingest:admin',
  handle: async (request) => {
    const found = await find(request, parts);
    return found.ok ? json(fullView(found.value.letter), PRIVATE) : found.reply;
  },
  operation: {
    operationId: 'getDeadLetter',
    summary: 'A delivery that could not be used, with what came',
    tags: ['ingestion'],
    parameters: letterParameters,
    responses: { '200': { description: 'The dead letter.', content: { 'application/json': { schema } } } },
    problems: ['dead-letter-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

const redriven = closed({ redriven: count('Deliveries that are mapped again.') });

interface Wish {
  readonly tenant: string;
  readonly which: Parameters<Ledger['redrive']>[1];
}

async function redrive(request: RouteRequest, { tenant, which }: Wish, parts: DeadLetterParts): Promise<Reply> {
  const { ledger, queue, logger } = parts;
  const revived = await ledger.redrive(tenant, which);
  logger.info('dead letters are mapped again', { tenant, redriven: revived, caller: request.caller?.id });
  queue.wake();
  return json({ redriven: revived }, PRIVATE);
}

const redriveRoute = (parts: DeadLetterParts): Route => ({
  method: 'post',
  path: '/dead-letters/{delivery_id}/redrive',
  scope: 'ingest:admin',
  handle: async (request) => {
    const found = await find(request, parts);
    if (!found.ok) return found.reply;
    const { tenant, letter } = found.value;
    if (!letter.hasBody) return problem(request, 'dead-letter-erased');
    return redrive(request, { tenant, which: { deliveryId: letter.deliveryId } }, parts);
  },
  operation: {
    operationId: 'redriveDeadLetter',
    summary: 'Maps a dead letter again, with the keys and the place in the order that it had',
    tags: ['ingestion'],
    parameters: letterParameters,
    responses: { '200': { description: 'It waits.', content: { 'application/json': { schema: redriven } } } },
    problems: ['dead-letter-not-found', 'dead-letter-erased', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

const members: readonly Member[] = [
  {
    name: 'source',
    accepts: (value) => typeof value === 'string' && isSourceName(value),
    expected: 'namespace/name of a source',
  },
  {
    name: 'reason',
    accepts: (value) => typeof value === 'string' && isReason(value),
    expected: `one of ${REASONS.join(', ')}`,
    optional: true,
  },
  {
    name: 'max',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_REDRIVEN,
    expected: `an integer from 1 to ${MAX_REDRIVEN}`,
  },
];

const wishSchema = closed(
  {
    source: { type: 'string', description: 'namespace/name' },
    reason: { type: 'string', enum: REASONS },
    max: { type: 'integer', minimum: 1, maximum: MAX_REDRIVEN },
  },
  ['reason'],
);

const redriveManyRoute = (parts: DeadLetterParts): Route => ({
  method: 'post',
  path: '/dead-letters/redrive',
  scope: 'ingest:admin',
  accepts: 'application/json',
  handle: async (request) => {
    const body = readMembers(request, members);
    if (!body.ok) return body.reply;
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const { source, reason, max } = body.value;
    const which = {
      source: typeof source === 'string' ? source : '',
      max: Number(max),
      ...(typeof reason === 'string' ? { reason } : {}),
    };
    return redrive(request, { tenant: choice.tenant, which }, parts);
  },
  operation: {
    operationId: 'redriveDeadLetters',
    summary: 'Maps the oldest dead letters of a source again',
    tags: ['ingestion'],
    parameters: [namespaceParameter],
    requestBody: { required: true, content: { 'application/json': { schema: wishSchema } } },
    responses: { '200': { description: 'They wait.', content: { 'application/json': { schema: redriven } } } },
    problems: [
      'invalid-json',
      'invalid-parameter',
      'unknown-member',
      'namespace-not-found',
      'namespace-ambiguous',
      'ledger-unavailable',
    ],
  },
});

/** The routes of deliveries that could not be used (docs/design/ingestion.md §6). */
export const deadLetterRoutes = (parts: DeadLetterParts): readonly Route[] => [
  listRoute(parts),
  readRoute(parts),
  redriveManyRoute(parts),
  redriveRoute(parts),
];
