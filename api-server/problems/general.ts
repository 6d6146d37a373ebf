import type { ProblemPart } from './problem-part.ts';

/** Codes of every route, and codes that more than one service answers. */
export const generalProblems = {
  // Faults of the HTTP request
  'malformed-request': { status: 400, title: 'Not a valid HTTP request', next: 'Send a well-formed HTTP/1.1 request.' },
  'malformed-path': {
    status: 400,
    title: 'Malformed percent-encoding in the path',
    next: 'Percent-encode path segments as UTF-8.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'A parameter, header or member of the request is not usable',
    next: 'Correct the parameter that errors[] names.',
  },
  'unknown-member': {
    status: 422,
    title: 'The body has a member that the route does not know',
    next: 'Remove or rename what errors[] points at.',
  },
  'invalid-json': {
    status: 400,
    title: 'The body is not JSON',
    next: 'Send one JSON object in UTF-8, without duplicate keys and without integers beyond 2^53-1.',
  },
  unauthenticated: {
    status: 401,
    title: 'No valid credentials',
    next: 'Send Authorization: Bearer <API key>. Keys are made with: orb keys create --tenant NAME',
  },
  forbidden: {
    status: 403,
    title: 'The key may not do this',
    next: 'Use a key with the scope, address range and Orbs that this needs.',
  },
  'authentication-unavailable': {
    status: 503,
    title: 'The token can’t be checked at present',
    next: 'Send the request again, or use an API key, which needs no Kubernetes API.',
    retryAfter: 1,
  },
  'route-not-found': { status: 404, title: 'No such route', next: 'GET /openapi.json lists every route.' },
  'method-not-allowed': {
    status: 405,
    title: 'The route has no such method',
    next: 'Use a method of the Allow header.',
  },
  'not-acceptable': {
    status: 406,
    title: 'None of the accepted media types can be served',
    next: 'Accept one of the media types that detail lists.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request did not arrive in time',
    next: 'Send the whole request at once.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is larger than the limit',
    next: 'Send less, or ask for a higher limit; detail names it.',
  },
  'expectation-failed': {
    status: 417,
    title: 'The server can’t meet the expectation',
    next: 'Send the request without Expect, or with Expect: 100-continue.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    next: 'Try again after Retry-After seconds.',
    retryAfter: 1,
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The route does not accept this media type or encoding',
    next: 'Send Content-Type: application/json in UTF-8 without Content-Encoding. Send no body to a route that has none.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request has too many or too large headers',
    next: 'Send fewer or shorter headers.',
  },
  'internal-error': { status: 500, title: 'Internal server error', next: 'Report it with the request id.' },
  'shutting-down': {
    status: 503,
    title: 'This instance is stopping',
    next: 'Send the request again; another instance answers.',
    retryAfter: 1,
  },
  'not-ready': {
    status: 503,
    title: 'This instance is not ready',
    next: 'Wait; detail names what is missing.',
    retryAfter: 1,
  },
  // Codes that more than one service answers
  'orb-not-found': {
    status: 404,
    title: 'No such Orb',
    next: 'Check name and version of orb_id. GET /orbs lists what the tenant can run, as orb list does.',
  },
  'orbiset-not-found': {
    status: 404,
    title: 'No such Orbiset',
    next: 'Use an Orbiset of your tenant; a key of several tenants writes {namespace}.{name}.',
  },
  'orb-not-allowed': {
    status: 403,
    title: 'The Orbiset may not execute this Orb',
    next: 'Add the Orb to spec.orbs of the Orbiset.',
  },
  'orb-differs-from-publication': {
    status: 409,
    title: 'The Orb is not the published one',
    next: 'Apply the published manifest, or publish a new version.',
  },
  'control-plane-unavailable': {
    status: 503,
    title: 'The Kubernetes API does not answer',
    next: 'Send the request again after Retry-After seconds; runs continue.',
    retryAfter: 2,
  },
  'orb-not-published': {
    status: 404,
    title: 'No such Orb is published',
    next: 'Check name and version of orb_id; a version is published with: orb publish MANIFEST',
  },
  'orb-not-ready': {
    status: 409,
    title: 'The Orb never had a valid manifest',
    next: 'Correct its manifest: orb validate FILE says where.',
  },
  'orb-ambiguous': {
    status: 409,
    title: 'The key acts for several tenants',
    next: 'Name the tenant with ?namespace=.',
  },
  'namespace-ambiguous': {
    status: 409,
    title: 'The key acts for several tenants',
    next: 'Name the tenant with ?namespace=.',
  },
  'namespace-not-found': { status: 404, title: 'No such namespace', next: 'Name a namespace that the key acts for.' },
  'ledger-unavailable': {
    status: 503,
    title: 'The ledger can’t be written or read',
    next: 'Try again. If maybe_executed is true, look up the run first.',
    retryAfter: 1,
  },
  'ledger-forked': {
    status: 503,
    title: 'The history of the ledger is in doubt',
    next: 'The operator of the installation decides which history is valid: orb ledger restore, or orb ledger adopt --new-origin (docs/backup-and-restore.md).',
  },
  overloaded: {
    status: 503,
    title: 'The server has more work than it can take',
    next: 'Try again after Retry-After seconds.',
    retryAfter: 1,
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'A request with this Idempotency-Key is running',
    next: 'Send the same request again later to get its answer.',
    retryAfter: 1,
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key belongs to another request body',
    next: 'Use a new key for a new request.',
  },
} as const satisfies ProblemPart;
