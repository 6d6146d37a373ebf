import type { Operation, Parameter } from '../../http/operation.ts';
import type { ProblemCode } from '../../http/problems.ts';
import { ref } from '../../http/schemas.ts';

const TAGS = ['ingestion'];

const sourceId: Parameter = {
  name: 'source_id',
  in: 'path',
  description: 'Id of the source: the last segment of status.urlPath of its OrbSignalSource.',
  schema: { type: 'string' },
};

const token: Parameter = {
  name: 'token',
  in: 'path',
  description: 'Secret of a source with the scheme urlToken. Logs, metrics and answers never hold it.',
  schema: { type: 'string' },
};

/** Which path a route has. */
export type Place = 'plain' | 'token';

const parametersOf = (place: Place): readonly Parameter[] => (place === 'token' ? [sourceId, token] : [sourceId]);

const named = (verb: string, place: Place): string => (place === 'token' ? `${verb}ByToken` : verb);

const OVERLOAD: readonly ProblemCode[] = ['rate-limited', 'overloaded', 'ledger-unavailable', 'secret-unreadable'];
const SENDER: readonly ProblemCode[] = ['unauthenticated', 'source-not-found', 'source-disabled', 'method-not-allowed'];
const BODY: readonly ProblemCode[] = ['request-timeout', 'body-too-large', 'unsupported-media-type'];

const DELIVERY = { 'application/json': { schema: ref('AcceptedDelivery') } };

const accepted: Operation['responses'] = {
  '200': {
    description: 'It was accepted before; or the source is of type mixpanel.',
    content: { 'application/json': { schema: { oneOf: [ref('AcceptedDelivery'), ref('AcceptedByMixpanel')] } } },
  },
  '202': { description: 'It is durable, and is mapped after this answer.', content: DELIVERY },
};

const BYTES = {
  schema: { type: 'string', description: 'What the vendor sends; its scheme covers these bytes.' },
} as const;

/** A delivery with a body. */
export const deliveryOperation = (method: 'post' | 'put', place: Place): Operation => ({
  operationId: named(method === 'put' ? 'putDelivery' : 'sendDelivery', place),
  summary: method === 'put' ? 'Take a delivery of Grafana that is sent by PUT' : 'Take a delivery of a vendor',
  description:
    'The sender is verified by the scheme of the source. What the body means is found out after the answer, so a body that can’t be mapped gets 202 and becomes a dead letter. 429 is answered only to vendors that send again after it; the others get 503.',
  tags: TAGS,
  parameters: parametersOf(place),
  requestBody: {
    required: true,
    content: { 'application/json': BYTES, 'application/x-www-form-urlencoded': BYTES },
  },
  responses: accepted,
  problems: [...SENDER, ...BODY, ...OVERLOAD],
});

/** A delivery in the query. */
export const queryOperation = (place: Place): Operation => ({
  operationId: named('sendDeliveryInQuery', place),
  summary: 'Take a delivery of UptimeRobot that stands in the query',
  description: 'Only for sources of type uptimerobot with limits.allowGet; 405 for others, as pages of vendors try it.',
  tags: TAGS,
  parameters: parametersOf(place),
  responses: accepted,
  problems: [...SENDER, 'body-too-large', ...OVERLOAD],
});

export const probeOperation = (place: Place): Operation => ({
  operationId: named('probeSource', place),
  summary: 'Answer 200, whether there is such a source or not',
  tags: TAGS,
  parameters: parametersOf(place),
  responses: { '200': { description: 'The path can be reached.' } },
  problems: [],
});
