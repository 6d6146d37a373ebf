/** A request, and what design.md §3 says of its answer. */
export interface Row {
  readonly why: string;
  readonly orbiset?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code?: string;
  readonly pointer?: string;
  /** Outcome of the receipt; absent: there must be none. */
  readonly outcome?: string;
  /** Reason of the last attempt. */
  readonly reason?: string;
  readonly also?: Readonly<Record<string, unknown>>;
}

/** The one secret of the table. */
export const TOKEN = 'a-token-of-the-execute-table';
const BROKEN =
  'broken.json: spec.execution.url: Providers are called over https only; begin with https://. (manifest-url-not-https)';
/** A call of an Orb of the table. */
export const call = (name: string, inputs: unknown = { text: 'hi' }): unknown => ({
  orb_id: `t.${name}@1.0.0`,
  inputs,
});

export const rows: readonly Row[] = [
  { why: 'success', body: call('ok'), status: 200, outcome: 'success' },
  { why: 'a 202 without a body', body: call('accepted'), status: 200, outcome: 'success' },
  { why: 'malformed JSON', body: '{"orb_id":', status: 400, code: 'invalid-json' },
  {
    why: 'an integer beyond 2^53-1',
    body: '{"orb_id":"t.ok@1.0.0","inputs":{"text":9007199254740993}}',
    status: 400,
    code: 'invalid-json',
    pointer: '/inputs/text',
  },
  {
    why: 'a wrong media type',
    body: 'text',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    why: 'a body over the limit',
    body: { ...Object(call('ok')), pad: 'x'.repeat(1_100_000) },
    status: 413,
    code: 'body-too-large',
  },
  {
    why: 'a body over the limit of the Orbiset',
    orbiset: 'limited',
    body: call('ok', { text: 'x'.repeat(2000) }),
    status: 413,
    code: 'body-too-large',
  },
  { why: 'no key', body: call('ok'), headers: { authorization: '' }, status: 401, code: 'unauthenticated' },
  {
    why: 'a malformed key',
    body: call('ok'),
    headers: { authorization: 'Bearer orb_x' },
    status: 401,
    code: 'unauthenticated',
  },
  { why: 'a body that is no object', body: '[]', status: 422, code: 'invalid-inputs', pointer: '' },
  { why: 'no orb_id', body: { inputs: {} }, status: 422, code: 'invalid-inputs', pointer: '/orb_id' },
  { why: 'a malformed orb_id', body: { orb_id: 'ok' }, status: 422, code: 'invalid-inputs', pointer: '/orb_id' },
  {
    why: 'an unknown member',
    body: { ...Object(call('ok')), input: {} },
    status: 422,
    code: 'invalid-inputs',
    pointer: '/input',
  },
  {
    why: 'an input of the wrong type',
    body: call('ok', { text: 1 }),
    status: 422,
    code: 'invalid-inputs',
    pointer: '/inputs/text',
  },
  { why: 'a missing input', body: call('ok', {}), status: 422, code: 'invalid-inputs', pointer: '/inputs/text' },
  {
    why: 'an unknown input',
    body: call('ok', { text: 'a', txet: 'b' }),
    status: 422,
    code: 'invalid-inputs',
    pointer: '/inputs/txet',
  },
  {
    why: 'an input that may not stand in a header',
    body: call('header', { text: 'a\r\nb: c' }),
    status: 422,
    code: 'invalid-inputs',
    pointer: '/inputs/text',
  },
  { why: 'an unknown Orbiset', orbiset: 'nobody', body: call('ok'), status: 404, code: 'orbiset-not-found' },
  {
    why: 'an Orbiset of another tenant',
    orbiset: 'other.default',
    body: call('ok'),
    status: 404,
    code: 'orbiset-not-found',
  },
  { why: 'an unknown Orb', body: call('nobody'), status: 404, code: 'orb-not-found' },
  { why: 'a shared Orb that is not listed', body: call('shared'), status: 403, code: 'orb-not-allowed' },
  { why: 'a shared Orb that is listed', orbiset: 'limited', body: call('shared'), status: 200, outcome: 'success' },
  {
    why: 'an Orb that was never valid, with what to write',
    body: call('broken'),
    status: 409,
    code: 'orb-not-ready',
    also: { detail: BROKEN },
  },
  { why: 'a suspended Orbiset', orbiset: 'suspended', body: call('ok'), status: 503, code: 'orbiset-suspended' },
  { why: 'unreadable policies', orbiset: 'governed', body: call('ok'), status: 503, code: 'policy-unavailable' },
  { why: 'a missing vault entry', orbiset: 'empty', body: call('ok'), status: 409, code: 'secret-missing' },
  {
    why: 'a vault entry that is not header-safe',
    orbiset: 'unsafe',
    body: call('ok'),
    status: 409,
    code: 'secret-not-header-safe',
  },
  {
    why: 'a host that the entry does not allow',
    orbiset: 'elsewhere',
    body: call('ok'),
    status: 409,
    code: 'secret-host-not-allowed',
  },
  {
    why: 'a provider that answers 500',
    body: call('s500'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'server-error',
    also: { maybe_executed: true, provider_status: 500 },
  },
  {
    why: 'a provider that answers 503',
    body: call('s503'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: 'a provider that answers 408',
    body: call('s408'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: 'a redirect',
    body: call('redirect'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'redirected',
  },
  {
    why: 'a reset connection',
    body: call('reset'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'connection-reset',
    also: { maybe_executed: true },
  },
  {
    why: 'an answer that is not JSON',
    body: call('not-json'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'broken-json',
  },
  {
    why: 'an output that is not there',
    body: call('no-output'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'output-missing',
  },
  {
    why: 'an unreachable provider',
    body: call('unreachable'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'connection-refused',
    also: { maybe_executed: undefined },
  },
  {
    why: 'a name that does not resolve',
    body: call('no-name'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'host-not-found',
  },
  {
    why: 'a provider that answers 425',
    body: call('s425'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: 'a redirect to elsewhere that the dialer blocks',
    body: call('blocked'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    reason: 'redirect-refused',
  },
  {
    why: '429 without a secret',
    body: call('s429-open'),
    status: 502,
    code: 'provider-rate-limited',
    outcome: 'orb_error',
    reason: 'rate-limited',
    also: { maybe_executed: undefined },
  },
  {
    why: 'a provider that answers 404',
    body: call('s404'),
    status: 502,
    code: 'provider-rejected',
    outcome: 'orb_error',
    reason: 'request-rejected',
    also: { provider_status: 404 },
  },
  {
    why: '401 without a secret',
    body: call('s401-open'),
    status: 502,
    code: 'provider-rejected',
    outcome: 'orb_error',
    reason: 'credential-refused',
  },
  {
    why: 'a deadline',
    body: call('slow'),
    status: 504,
    code: 'provider-timeout',
    outcome: 'timeout',
    reason: 'answer-timeout',
    also: { maybe_executed: true },
  },
  {
    why: 'an idempotent call at its deadline',
    body: call('slow-idempotent'),
    status: 504,
    code: 'provider-timeout',
    outcome: 'timeout',
    also: { maybe_executed: undefined },
  },
  {
    why: 'a provider that refuses the credential',
    body: call('s401'),
    status: 502,
    code: 'provider-refused-credential',
    outcome: 'caller_error',
    reason: 'credential-refused',
    also: { provider_status: 401 },
  },
  {
    why: 'a used-up quota',
    body: call('s429'),
    status: 502,
    code: 'provider-rate-limited',
    outcome: 'caller_error',
    reason: 'rate-limited',
  },
  {
    why: 'an idempotency key that is malformed',
    body: call('ok'),
    headers: { 'idempotency-key': 'a b' },
    status: 400,
    code: 'invalid-parameter',
  },
];
