import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import { problems } from '../../../api-server/http/problems.ts';
import type { Problem } from '../../../api-server/problems/problem-part.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { checkAnswer } from '../../support/openapi-check.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { codeOf, startStandalone, type Standalone } from '../../support/standalone.ts';
import { elsewhere } from './code-tests.ts';
import { call, rows, TOKEN, type Row } from './execute-rows.ts';

const API = join(import.meta.dirname, '../../../api-server');

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
    s425: { url: at('/status/425'), secret },
    blocked: { url: at('/redirect'), secret, execution: { follow_redirects: 1, idempotent: true } },
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
    held: { url: at('/held'), secret },
    gone: { url: 'http://127.0.0.1:1/' },
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
    'orbiset-governed.yaml': orbisetDocuments('governed', { TOKEN: { value: TOKEN, hosts } }, { policies: { a: {} } }),
    'orbiset-suspended.yaml': orbisetDocuments('suspended', { TOKEN: { value: TOKEN, hosts } }, { suspended: true }),
  };
}

const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);

const pointers = (body: JsonObject): readonly unknown[] => {
  const errors = body['errors'];
  return Array.isArray(errors) ? errors.map((error: unknown) => member(error, 'pointer')) : [];
};

const isTable = (file: string): boolean => file.startsWith(`problems${sep}`) || basename(file) === 'problems.ts';

/** Codes of parts that do not exist yet: nothing answers with them. */
const reservedCodes: readonly string[] = Object.entries<Problem>(problems).flatMap(([code, { reserved }]) =>
  reserved === true ? [code] : [],
);

/** Everything that may answer with a problem, but the tables of problems. */
const answering = (): string =>
  readdirSync(API, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !isTable(file))
    .map((file) => readFileSync(join(API, file), 'utf8'))
    .join('\n');

describe('POST /orbisets/{id}/execute: the table of design.md §3', function () {
  this.timeout(120_000);
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
      expect(`${status} ${codeOf(body)}`.trim()).to.equal(`${row.status} ${row.code ?? ''}`.trim());
      if (row.pointer !== undefined)
        expect(member(body, 'errors', '0', 'pointer') ?? pointers(body)).to.include(row.pointer);
      for (const [name, value] of Object.entries(row.also ?? {})) expect(body[name]).to.deep.equal(value);
      const attempt = listAt(member(body, 'run'), 'attempts').at(-1);
      if (row.reason !== undefined) expect(member(attempt, 'reason')).to.equal(row.reason);
      await expectReceipt(row, body);
    });
  }

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

  /** One more run has asked the provider, which answers when it is told to. @param sent requests before it */
  const untilHeld = (sent: number): Promise<unknown> =>
    waitFor(async () => (provider.seen.length > sent ? true : undefined));

  it('refuses a second run in an Orbiset that allows one: 429 rate-limited', async () => {
    const sent = provider.seen.length;
    const first = send({ why: '', orbiset: 'limited', body: call('held'), status: 200 });
    await untilHeld(sent);
    const second = await send({ why: '', orbiset: 'limited', body: call('held'), status: 429 });
    provider.release();
    expect(`${second.status} ${codeOf(second.body)}`).to.equal('429 rate-limited');
    expect((await first).status).to.equal(200);
  });

  it('refuses an Orb that the key is not limited to: 403 forbidden', async () => {
    const newKey = { tenants: ['default'], scopes: ['orbs:execute'], orbs: ['t.accepted'], createdBy: 'test' } as const;
    const made = await createApiKey(join(standalone.data, 'api-keys'), newKey, {
      now: Date.now(),
      random: randomBytes,
    });
    const headers = { authorization: `Bearer ${made.text}` };
    const row = { why: '', body: call('ok'), headers, status: 403 };
    // A new key is in effect within 2 s.
    const known = async (): Promise<Awaited<ReturnType<typeof send>> | undefined> => {
      const answer = await send(row);
      return answer.status === 401 ? undefined : answer;
    };
    const answer = await waitFor(known, 2000);
    expect(`${answer?.status} ${codeOf(answer?.body)}`).to.equal('403 forbidden');
    expect((await send({ ...row, body: call('accepted') })).status).to.equal(200);
  });

  it('refuses a key that is in use, and another body under it: 409, 422', async () => {
    const headers = { 'idempotency-key': 'table' };
    const sent = provider.seen.length;
    const first = send({ why: '', body: call('held'), headers, status: 200 });
    await untilHeld(sent);
    const second = await send({ why: '', body: call('held'), headers, status: 409 });
    provider.release();
    expect(`${second.status} ${codeOf(second.body)}`).to.equal('409 idempotency-in-progress');
    expect((await first).status).to.equal(200);
    const other = await send({ why: '', body: call('ok'), headers, status: 422 });
    expect(`${other.status} ${codeOf(other.body)}`).to.equal('422 idempotency-key-reused');
  });

  it('ends a run whose caller has gone away like every other run, with a receipt: the request is sent and not taken back', async () => {
    const orbId = 't.held@1.0.0';
    const count = async (): Promise<number> => {
      const listed = await check('GET', '/receipts', await standalone.get('/receipts?limit=200'));
      const items = member(listed, 'items');
      if (!Array.isArray(items)) throw new TypeError('no list');
      return items.filter((one: unknown) => member(one, 'orb_id') === orbId).length;
    };
    const [before, sent] = [await count(), provider.seen.length];
    const leaves = new AbortController();
    const gone = fetch(`${standalone.ready.url}/orbisets/default/execute`, {
      method: 'POST',
      headers: { authorization: `Bearer ${standalone.ready.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(call('held')),
      signal: leaves.signal,
    });
    await untilHeld(sent);
    leaves.abort();
    await gone.then(
      () => expect.fail('it answered'),
      () => undefined,
    );
    provider.release();
    await waitFor(async () => ((await count()) > before ? true : undefined));
    expect([(await count()) - before, provider.seen.length - sent]).to.deep.equal([1, 1]);
  });

  it('calls a provider no more after five failures, and says when it will: 502 providers-unavailable', async () => {
    for (let failures = 0; failures < 5; failures += 1) {
      expect(codeOf((await send({ why: '', body: call('gone'), status: 502 })).body)).to.equal('provider-failed');
    }
    const response = await standalone.post('/orbisets/default/execute', call('gone'));
    expect(Number(response.headers.get('retry-after'))).to.be.within(1, 5);
    const body = await check('POST', '/orbisets/default/execute', response);
    expect([response.status, codeOf(body), member(body, 'run', 'attempts')]).to.deep.equal([
      502,
      'providers-unavailable',
      [],
    ]);
    if (!isJsonObject(body)) throw new TypeError('the answer is no object');
    expect(body['detail']).to.match(/^main: breaker open for \d+ s more \(last failure: connection refused by/);
    expect(body['retry_after_s']).to.equal(Number(response.headers.get('retry-after')));
    await expectReceipt({ why: '', body: '', status: 502, outcome: 'orb_error' }, body);
    const path = '/providers/t.gone@1.0.0/status';
    const status = await check('GET', path, await standalone.get(path));
    const [main] = listAt(member(status, 'this_replica'), 'providers');
    expect(main).to.include({ breaker: 'open', failures: 5 });
    expect(member(main, 'last_failure', 'reason')).to.equal('connection-refused');
  });

  it('leaves no problem code out: each is reached here, in a named test, or answered by nothing yet', () => {
    const tests = join(import.meta.dirname, '../..');
    const here = rows.flatMap(({ code }) => code ?? []);
    const named = Object.keys(elsewhere).filter((code) =>
      new RegExp(`\\b${code}\\b`).test(readFileSync(join(tests, elsewhere[code] ?? ''), 'utf8')),
    );
    expect(Object.keys(problems).filter((code) => ![...here, ...named, ...reservedCodes].includes(code))).to.deep.equal(
      [],
    );
    const sources = answering();
    expect(sources).to.contain("'rate-limited'");
    expect(reservedCodes.filter((code) => sources.includes(`'${code}'`))).to.deep.equal([]);
  });
});
