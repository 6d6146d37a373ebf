import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { checkAnswer } from '../../support/openapi-check.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';

interface Row {
  readonly why: string;
  readonly orbiset?: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code?: string;
  readonly pointer?: string;
  /** Outcome of the receipt; absent: there must be none. */
  readonly outcome?: string;
  readonly also?: Readonly<Record<string, unknown>>;
}

const TOKEN = 'a-token-of-the-execute-table';
const call = (name: string, inputs: unknown = { text: 'hi' }): unknown => ({ orb_id: `t.${name}@1.0.0`, inputs });

const rows: readonly Row[] = [
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
  { why: 'an Orb that was never valid', body: call('broken'), status: 409, code: 'orb-not-ready' },
  { why: 'a suspended Orbiset', orbiset: 'suspended', body: call('ok'), status: 503, code: 'orbiset-suspended' },
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
  { why: 'a redirect', body: call('redirect'), status: 502, code: 'provider-failed', outcome: 'orb_error' },
  {
    why: 'a reset connection',
    body: call('reset'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    also: { maybe_executed: true },
  },
  {
    why: 'an answer that is not JSON',
    body: call('not-json'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: 'an output that is not there',
    body: call('no-output'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: 'an unreachable provider',
    body: call('unreachable'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    also: { maybe_executed: undefined },
  },
  {
    why: 'a name that does not resolve',
    body: call('no-name'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
  },
  {
    why: '429 without a secret',
    body: call('s429-open'),
    status: 502,
    code: 'provider-failed',
    outcome: 'orb_error',
    also: { maybe_executed: undefined },
  },
  {
    why: 'a provider that answers 404',
    body: call('s404'),
    status: 502,
    code: 'provider-rejected',
    outcome: 'orb_error',
    also: { provider_status: 404 },
  },
  {
    why: '401 without a secret',
    body: call('s401-open'),
    status: 502,
    code: 'provider-rejected',
    outcome: 'orb_error',
  },
  {
    why: 'a deadline',
    body: call('slow'),
    status: 504,
    code: 'provider-timeout',
    outcome: 'timeout',
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
    also: { provider_status: 401 },
  },
  {
    why: 'a used-up quota',
    body: call('s429'),
    status: 502,
    code: 'provider-refused-credential',
    outcome: 'caller_error',
  },
  {
    why: 'an idempotency key that is malformed',
    body: call('ok'),
    headers: { 'idempotency-key': 'a b' },
    status: 400,
    code: 'invalid-parameter',
  },
];

/** Rows of design.md §3 that can't occur yet, with the reason. */
const later: readonly [string, string][] = [
  ['403 policy-denied', 'policies come later: the empty set allows'],
  ['409 orb-differs-from-publication', 'publications come later'],
  ['503 orb-suspended, egress-stopped', 'their switches are cluster objects and publications'],
  ['502 providers-unavailable', 'breakers come with failover'],
  ['429 rate-limited by rate', 'rate limits come later; in_flight is tested beside this table'],
  ['503 ledger-forked', 'the copy of the checkpoint outside the ledger comes later'],
];

function orbs(port: number): Record<string, string> {
  const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
  const secret = 'TOKEN';
  const all: Record<string, Parameters<typeof orbManifest>[1]> = {
    ok: { url: at('/ok'), secret },
    accepted: { url: at('/accepted'), secret, outputs: { message_id: { type: 'string' }, status: { type: 'string' } } },
    header: { url: at('/ok'), execution: { headers: { 'X-Text': '{{inputs.text}}' } } },
    s500: { url: at('/status/500'), secret },
    s503: { url: at('/status/503'), secret },
    s408: { url: at('/status/408'), secret },
    s404: { url: at('/status/404'), secret },
    s401: { url: at('/status/401'), secret },
    s429: { url: at('/status/429'), secret },
    's401-open': { url: at('/status/401') },
    's429-open': { url: at('/status/429') },
    redirect: { url: at('/redirect'), secret },
    reset: { url: at('/reset'), secret },
    'not-json': { url: at('/not-json'), secret },
    'no-output': { url: at('/empty'), secret, outputs: { id: { type: 'string', from: '/body/id' } } },
    unreachable: { url: 'http://127.0.0.1:1/' },
    'no-name': { url: 'https://no-such-name.invalid/' },
    slow: { url: at('/slow'), secret, execution: { timeout_ms: 300 } },
    'slow-idempotent': { url: at('/slow'), secret, execution: { timeout_ms: 300, idempotent: true } },
    broken: { url: 'ftp://nowhere.example/' },
  };
  return Object.fromEntries(
    Object.entries(all).map(([name, options]) => [`${name}.json`, orbManifest(`t.${name}@1.0.0`, options)]),
  );
}

function resources(port: number): Record<string, string> {
  const hosts = ['127.0.0.1'];
  const shared = {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orb',
    metadata: { name: 't.shared-1.0.0', namespace: 'orb-system' },
    spec: JSON.parse(orbManifest('t.shared@1.0.0', { url: `http://127.0.0.1:${port}/ok` })) as unknown,
  };
  const spec = { orbs: ['t.shared'], limits: { request_bytes: 1000, in_flight: 1 } };
  return {
    ...orbs(port),
    'shared.json': JSON.stringify(shared),
    'orbiset-default.yaml': orbisetDocuments('default', { TOKEN: { value: TOKEN, hosts } }),
    'orbiset-limited.yaml': orbisetDocuments('limited', { TOKEN: { value: TOKEN, hosts } }, spec),
    'orbiset-empty.yaml': orbisetDocuments('empty', {}),
    'orbiset-unsafe.yaml': orbisetDocuments('unsafe', { TOKEN: { value: 'line one\nline two', hosts } }),
    'orbiset-elsewhere.yaml': orbisetDocuments('elsewhere', { TOKEN: { value: TOKEN, hosts: ['api.example.com'] } }),
    'orbiset-suspended.yaml': orbisetDocuments('suspended', { TOKEN: { value: TOKEN, hosts } }, { suspended: true }),
  };
}

const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);

describe('POST /orbisets/{id}/execute: the table of design.md §3', function () {
  this.timeout(30_000);
  let provider: TestProvider;
  let standalone: Standalone;
  let openapi: JsonObject;

  before(async () => {
    provider = await startProvider();
    const flags = ['--egress-allow', `http://127.0.0.1:${provider.port}`, '--egress-allow', 'http://127.0.0.1:1'];
    standalone = await startStandalone({ resources: resources(provider.port), flags });
    const described: unknown = await (await standalone.get('/openapi.json')).json();
    if (!isJsonObject(described)) throw new TypeError('no OpenAPI document');
    openapi = described;
  });

  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  const check = async (method: string, path: string, response: Response): Promise<unknown> =>
    checkAnswer(openapi, method, path, {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    });

  const send = async (row: Row): Promise<{ status: number; body: JsonObject }> => {
    const path = `/orbisets/${row.orbiset ?? 'default'}/execute`;
    const response = await standalone.post(path, row.body, row.headers);
    const body = await check('POST', path, response);
    if (!isJsonObject(body)) throw new TypeError('the answer is no object');
    return { status: response.status, body };
  };

  for (const row of rows) {
    it(`${row.why}: ${row.status} ${row.code ?? 'completed'}`, async () => {
      const { status, body } = await send(row);
      expect(`${status} ${String(body['code'] ?? '')}`.trim()).to.equal(`${row.status} ${row.code ?? ''}`.trim());
      if (row.pointer !== undefined)
        expect(member(body, 'errors', '0', 'pointer') ?? pointers(body)).to.include(row.pointer);
      for (const [name, value] of Object.entries(row.also ?? {})) expect(body[name]).to.deep.equal(value);
      await expectReceipt(row, body);
    });
  }

  const pointers = (body: JsonObject): readonly unknown[] => {
    const errors = body['errors'];
    return Array.isArray(errors) ? errors.map((error: unknown) => member(error, 'pointer')) : [];
  };

  async function expectReceipt(row: Row, body: JsonObject): Promise<void> {
    const id = member(body, 'receipt', 'receipt_id') ?? member(body, 'run', 'receipt', 'receipt_id');
    if (row.outcome === undefined) {
      expect(id).to.equal(undefined);
      return;
    }
    const response = await standalone.get(`/receipts/${String(id)}`);
    const receipt = await check('GET', `/receipts/${String(id)}`, response);
    expect(member(receipt, 'record', 'execution', 'outcome')).to.equal(row.outcome);
    expect(member(receipt, 'signature_valid')).to.equal(true);
    expect(member(receipt, 'verification', 'verdict')).to.equal('valid');
  }

  it('refuses a second run in an Orbiset that allows one: 429 rate-limited', async () => {
    const first = send({ why: '', orbiset: 'limited', body: call('slow'), status: 504 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await send({ why: '', orbiset: 'limited', body: call('slow'), status: 429 });
    expect(`${second.status} ${String(second.body['code'])}`).to.equal('429 rate-limited');
    expect((await first).status).to.equal(504);
  });

  for (const [what, reason] of later) {
    it(`${what}: ${reason}`);
  }
});
