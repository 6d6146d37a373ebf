/** One row of the table: what the caller sees under a code. */
export interface Problem {
  readonly status: number;
  /** The same for every occurrence (RFC 9457 §3.1.3). */
  readonly title: string;
  /** What the caller does next. */
  readonly next: string;
  /** Seconds, as `Retry-After`. */
  readonly retryAfter?: number;
}

/** Every error code of the API (design.md §3). Codes are public and never reused for something else. */
export const problems = {
  // The request as HTTP
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
  'invalid-json': {
    status: 400,
    title: 'The body is not JSON',
    next: 'Send one JSON object in UTF-8, without duplicate keys and without integers beyond 2^53-1.',
  },
  unauthenticated: {
    status: 401,
    title: 'No valid API key',
    next: 'Send Authorization: Bearer <API key>. Keys are made with: orb keys create --tenant NAME',
  },
  forbidden: {
    status: 403,
    title: 'The key may not do this',
    next: 'Use a key with the scope, address range and Orbs that this needs.',
  },
  'authentication-unavailable': {
    status: 503,
    title: 'Nobody can say who sends this token',
    next: 'Send the request again; API keys need no Kubernetes API.',
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
    next: 'Send less, or ask the operator to raise the request limit.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body has a media type or encoding that the route does not take',
    next: 'Send Content-Type: application/json in UTF-8 without Content-Encoding; routes without a body take none.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The request has too many or too large headers',
    next: 'Send fewer or shorter headers.',
  },
  'internal-error': { status: 500, title: 'The server has a fault', next: 'Report it with the request id.' },
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
  // Runs (design.md §3)
  'invalid-inputs': {
    status: 422,
    title: 'The request does not fit the Orb',
    next: 'Correct what errors[] points at; the Orb’s manifest names its inputs.',
  },
  'orbiset-not-found': {
    status: 404,
    title: 'No such Orbiset',
    next: 'Use an Orbiset of your tenant; a key of several tenants writes {namespace}.{name}.',
  },
  'orb-not-found': { status: 404, title: 'No such Orb', next: 'Check name and version of orb_id.' },
  'orb-not-allowed': {
    status: 403,
    title: 'The Orbiset may not execute this Orb',
    next: 'Add the Orb to spec.orbs of the Orbiset.',
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
  'orb-differs-from-publication': {
    status: 409,
    title: 'The Orb is not the published one',
    next: 'Apply the published manifest, or publish a new version.',
  },
  'orbiset-suspended': {
    status: 503,
    title: 'The Orbiset is suspended',
    next: 'Wait until spec.suspended of the Orbiset is false again.',
  },
  'orb-suspended': {
    status: 503,
    title: 'The Orb is suspended',
    next: 'Use another version, or wait until its publisher or the platform restores it.',
  },
  'egress-stopped': {
    status: 503,
    title: 'All calls to providers are stopped',
    next: 'Wait until the operator of the installation starts them again.',
  },
  'secret-missing': {
    status: 409,
    title: 'The vault lacks an entry that the Orb needs',
    next: 'Add the entry to the vault of the Orbiset.',
  },
  'secret-not-header-safe': {
    status: 409,
    title: 'A vault entry can’t stand in a header',
    next: 'Store the value without line breaks and control characters.',
  },
  'secret-host-not-allowed': {
    status: 409,
    title: 'A vault entry may not be sent to this host',
    next: 'Add the host to allowedHosts of the entry, if it should have the secret.',
  },
  'policy-denied': { status: 403, title: 'A policy denied the run', next: 'Read the violations in the receipt.' },
  'provider-failed': {
    status: 502,
    title: 'The provider failed',
    next: 'Look at run.attempts; try again later, with another Idempotency-Key, unless maybe_executed is true.',
  },
  'provider-rejected': {
    status: 502,
    title: 'The provider rejected the request',
    next: 'Look at provider_status; the inputs or the manifest do not fit the provider.',
  },
  'provider-refused-credential': {
    status: 502,
    title: 'The provider refused the credential or its quota is used up',
    next: 'Check the secrets of the Orbiset’s vault with the provider.',
  },
  'provider-timeout': {
    status: 504,
    title: 'The provider did not answer in time',
    next: 'Try again later, with another Idempotency-Key, unless maybe_executed is true; the deadlines are in the manifest: execution.timeout_ms and others.',
  },
  'providers-unavailable': {
    status: 502,
    title: 'No provider takes calls at present',
    next: 'Try again after Retry-After seconds. An Idempotency-Key keeps this answer: send another one.',
    retryAfter: 1,
  },
  'ledger-unavailable': {
    status: 503,
    title: 'The ledger can’t be written or read',
    next: 'Try again; with maybe_executed true ask for the run first.',
    retryAfter: 1,
  },
  'ledger-forked': {
    status: 503,
    title: 'The history of the ledger is in doubt',
    next: 'The operator of the installation decides which history holds: orb ledger restore, or orb ledger adopt --new-origin (docs/backup-and-restore.md).',
  },
  overloaded: {
    status: 503,
    title: 'The server has more work than it can take',
    next: 'Try again after Retry-After seconds.',
    retryAfter: 1,
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    next: 'Try again after Retry-After seconds.',
    retryAfter: 1,
  },
  'signing-misconfigured': {
    status: 500,
    title: 'The receipt failed its own check',
    next: 'The operator of the installation must look at the signing keys; this instance starts no more runs.',
  },
  'run-closed': {
    status: 500,
    title: 'The run was closed before it ended',
    next: 'Its receipt says platform_error; look at the provider before you try again.',
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
  // Providers (failover.md §9)
  'provider-unknown': {
    status: 422,
    title: 'The manifest has no such provider',
    next: 'Name a provider of the manifest; GET /providers/{orb_id}/status lists them.',
  },
  'provider-unresolved': {
    status: 422,
    title: 'Nothing says how the provider is called',
    next: 'Add the execution that detail names to the manifest.',
  },
  'provider-unhealthy': {
    status: 409,
    title: 'The provider does not work at present',
    next: 'Choose another provider, or send "force": true.',
  },
  'active-changed': {
    status: 409,
    title: 'Another provider is active than expected',
    next: 'Look at active_provider and decide again.',
  },
  'control-plane-unavailable': {
    status: 503,
    title: 'The Kubernetes API does not answer',
    next: 'Send the request again after Retry-After seconds; runs go on.',
    retryAfter: 2,
  },
  // Receipts, log, manifests
  'receipt-not-found': {
    status: 404,
    title: 'No such receipt',
    next: 'Check the receipt id; receipts of other tenants are not shown.',
  },
  'proof-pending': {
    status: 404,
    title: 'The receipt is not in a signed tree yet',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
  'checkpoint-pending': {
    status: 404,
    title: 'The log has no signed checkpoint yet',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
  'manifest-not-found': {
    status: 404,
    title: 'No such manifest',
    next: 'Check the digest; manifests of other tenants are not shown.',
  },
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof problems;
