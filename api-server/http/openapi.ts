import { createHash } from 'node:crypto';
import type { JsonValue } from '../../core/json/json-value.ts';
import type { JsonSchema, Operation } from './operation.ts';
import { problems, type ProblemCode } from './problems.ts';
import type { Route, Reply, RouteRequest } from './route.ts';
import { components, rateLimitHeader, rateLimitPolicyHeader, ref, shapes } from './schemas.ts';
import { conditional } from './reply.ts';

type Json = Readonly<Record<string, JsonValue>>;

/** Codes that come before any route is known: from Node's parser, or from the header bounds. */
const EVERY: readonly ProblemCode[] = [
  'malformed-request',
  'expectation-failed',
  'headers-too-large',
  'request-timeout',
  'internal-error',
];

function ofScope({ scope }: Route): readonly ProblemCode[] {
  if (scope === 'public') return [];
  return scope === 'source'
    ? ['not-ready']
    : ['unauthenticated', 'forbidden', 'authentication-unavailable', 'not-ready'];
}

/** Whether the rates of keys, addresses and the process hold for it. */
const isRated = ({ scope, rated }: Route): boolean => scope !== 'source' && rated !== false;

/** Codes that the server itself may answer in place of the handler. */
function sharedProblems(route: Route): readonly ProblemCode[] {
  return [
    ...EVERY,
    // A route that reads its body itself names what it answers to one.
    ...(route.accepts === 'bytes' ? [] : (['unsupported-media-type'] as const)),
    ...ofScope(route),
    ...(isRated(route) ? (['rate-limited'] as const) : []),
    ...(route.path.includes('{') ? (['malformed-path'] as const) : []),
    ...(route.accepts !== 'application/json' ? [] : (['body-too-large', 'overloaded'] as const)),
    ...(route.sheds ? (['overloaded', 'ledger-unavailable', 'shutting-down'] as const) : []),
  ];
}

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
const rateHeaders: Json = { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimitPolicy') };
const answerHeaders: Json = { 'Orb-Request-Id': header('OrbRequestId') };

function problemAnswer(codes: readonly ProblemCode[]): Json {
  const retries = codes.some((code) => 'retryAfter' in problems[code]);
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
    headers: {
      ...answerHeaders,
      ...(retries ? { 'Retry-After': header('RetryAfter') } : {}),
      ...(codes.includes('rate-limited') ? rateHeaders : {}),
    },
    content: {
      'application/problem+json': { schema: { ...ref('Problem'), properties: { code: { enum: codes } } } },
    },
  };
}

function responsesOf(route: Route): Json {
  const codes = [...new Set([...route.operation.problems, ...sharedProblems(route)])].toSorted();
  const byStatus = Object.groupBy(codes, (code) => String(problems[code].status));
  const responses: Record<string, JsonValue> = {};
  for (const [status, answer] of Object.entries(route.operation.responses)) {
    const rates = isRated(route) ? rateHeaders : {};
    responses[status] = { ...answer, headers: { ...answerHeaders, ...rates, ...answer.headers } };
  }
  for (const [status, some] of Object.entries(byStatus)) responses[status] = problemAnswer(some ?? []);
  return responses;
}

function securityOf(route: Route): readonly Json[] {
  if (route.scope === 'public') return [];
  if (route.scope === 'source') return [{ signalSource: [] }];
  const needed = { apiKey: route.scope === 'authenticated' ? [] : [route.scope] };
  return route.anonymous === 'maybe' ? [needed, {}] : [needed];
}

/** What a schema can't say about the JSON of a request. */
const JSON_BODY =
  'JSON in UTF-8 without a byte order mark: at most 128 levels, each name once in its object, integers within ±(2^53 − 1), no -0 and no half of a surrogate pair in inputs. At most `--max-request-bytes` bytes, 1 MiB unless set.';

const bodyOf = (body: NonNullable<Operation['requestBody']>): Json =>
  'application/json' in body.content ? { description: JSON_BODY, ...body } : { ...body };

const optional = (operation: Operation): Json => ({
  ...(operation.description === undefined ? {} : { description: operation.description }),
  ...(operation.requestBody === undefined ? {} : { requestBody: bodyOf(operation.requestBody) }),
});

function parametersOf(operation: Operation): readonly Json[] {
  return (operation.parameters ?? []).map((parameter) => ({
    ...parameter,
    required: parameter.in === 'path' || parameter.required === true,
  }));
}

const operationOf = (route: Route): Json => ({
  operationId: route.operation.operationId,
  summary: route.operation.summary,
  tags: route.operation.tags,
  ...optional(route.operation),
  parameters: parametersOf(route.operation),
  security: securityOf(route),
  responses: responsesOf(route),
});

const pathsOf = (routes: readonly Route[]): Json =>
  Object.fromEntries(
    Object.entries(Object.groupBy(routes, (route) => route.path)).map(([path, some]) => [
      path,
      Object.fromEntries((some ?? []).map((route) => [route.method, operationOf(route)])),
    ]),
  );

/** Content of the document beside its routes. */
interface DocumentParts {
  readonly version: string;
  /** Named schemas of the services. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** The OpenAPI 3.1 document of these routes. Its whole content comes from the routes and the two tables. */
export const openapiOf = (routes: readonly Route[], { version, schemas }: DocumentParts): Json => ({
  openapi: '3.1.0',
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  info: {
    title: 'Orb platform',
    version,
    description: 'Executes Orbs and shows the signed receipts of their runs.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  paths: pathsOf(routes),
  components: {
    schemas: { ...components, ...schemas },
    headers: {
      OrbRequestId: { description: 'Id of the request, also in logs.', schema: shapes.requestId },
      RateLimit: rateLimitHeader,
      RateLimitPolicy: rateLimitPolicyHeader,
      RetryAfter: { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } },
    },
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer', description: 'API key: orb_<keyid>_<secret>_<crc>.' },
      signalSource: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description:
          'Signature or secret of a vendor, in the header, form field or path segment that the scheme of its OrbSignalSource names.',
      },
    },
  },
});

/** `GET /openapi.json` over the other routes and itself. The document is built once. */
export function openapiRoute(others: readonly Route[], parts: DocumentParts): Route {
  let served: { readonly body: Buffer; readonly etag: string } | undefined;
  const document = (): { readonly body: Buffer; readonly etag: string } => {
    if (!served) {
      const body = Buffer.from(JSON.stringify(openapiOf([...others, route], parts)));
      served = { body, etag: `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"` };
    }
    return served;
  };
  const handle = (request: RouteRequest): Promise<Reply> => {
    const { body, etag } = document();
    const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
    return Promise.resolve(conditional(request.header('if-none-match'), etag, { status: 200, headers, body }));
  };
  const route: Route = {
    method: 'get',
    path: '/openapi.json',
    scope: 'public',
    handle,
    operation: {
      operationId: 'getOpenapi',
      summary: 'This document',
      tags: ['platform'],
      responses: {
        '200': {
          description: 'OpenAPI 3.1.',
          content: { 'application/json': { schema: { type: 'object', required: ['openapi', 'paths'] } } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: [],
    },
  };
  return route;
}
