import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { SourceIndex } from '../../../../../api-server/ingestion/source-index.ts';
import type { SignalSource } from '../../../../../api-server/ingestion/source.ts';
import { URL_TOKEN } from '../../../../../core/ingestion/vendors/schemes.ts';
import type { CallOptions, Called } from '../../../../support/api-app.ts';
import { aSource, openReceiving, SOURCE_ID, type Receiving } from '../../../../support/receiving.ts';

const PATH = `/ingest/${SOURCE_ID}`;
const TOKEN = 'B7sx0q6GvBCDEFa1234567';
const JSON_TYPE = { 'content-type': 'application/json' };
const BEARER = { authorization: 'Bearer am-token-0001' };
const GOOD = { ...JSON_TYPE, ...BEARER };
const BODY = '{"alerts":[]}';

const said = ({ status, code }: Called): readonly unknown[] => [status, code];

describe('routes that vendors call', () => {
  let sources: SourceIndex;
  let receiving: Receiving;
  let woken: number;
  let closed: boolean;

  beforeEach(async () => {
    [sources, woken, closed] = [new SourceIndex(), 0, false];
    receiving = await openReceiving(sources, {
      limits: { perAddress: 20, inAll: 1000 },
      queue: { wake: () => (woken += 1) },
      isClosed: () => closed,
    });
    use(aSource('alertmanager', ['am-token-0001']));
  });
  afterEach(() => receiving.close());

  const use = (source: SignalSource): void => sources.put(source);
  const call = (method: string, path = PATH, options: CallOptions = {}): Promise<Called> =>
    receiving.app.call(method, path, { key: null, ...options });
  const post = (headers: Readonly<Record<string, string>> = GOOD, body: CallOptions['body'] = BODY): Promise<Called> =>
    call('POST', PATH, { headers, body });
  const zipped = (body: string): Promise<Called> => post({ ...GOOD, 'content-encoding': 'gzip' }, gzipSync(body));
  const waiting = async (): Promise<readonly string[]> =>
    (await receiving.fixture.ledger.acceptedDeliveries({ limit: 200 })).map(({ raw }) =>
      Buffer.from(raw ?? []).toString(),
    );

  describe('answer what was accepted', () => {
    it('202 with an id, once it is durable, and wakes the one that maps', async () => {
      const answer = await post();
      expect(answer.status).to.equal(202);
      expect(answer.value)
        .to.have.property('delivery_id')
        .match(/^dlv_[0-9a-f-]{36}$/);
      const [row] = await receiving.fixture.ledger.acceptedDeliveries({ limit: 10 });
      expect(row).to.include({ tenant: 'acme', source: 'acme/alertmanager', attempts: 0 });
      expect(row?.deliveryKey).to.match(/^sha256:[0-9a-f]{64}$/);
      expect(woken).to.equal(1);
      expect(await receiving.metric('orb_ingest_requests_total', { type: 'alertmanager', code: '202' })).to.equal(1);
      expect(await receiving.metric('orb_ingest_ack_duration_seconds', { type: 'alertmanager', le: '+Inf' })).to.equal(
        1,
      );
    });

    it('200 with the same id for a repeat, which is counted', async () => {
      const [first, second] = [await post(), await post()];
      expect([second.status, second.value]).to.deep.equal([200, { ...Object(first.value), duplicate: true }]);
      expect(await receiving.metric('orb_ingest_duplicates_total', { type: 'alertmanager', key: 'hash' })).to.equal(1);
      expect(receiving.intake.traffic.of('acme/alertmanager')).to.deep.equal({ duplicates: 1, rejected: 0 });
      expect(woken).to.equal(1);
    });

    it('202 for a body that can’t be mapped: what it means is found out later', async () => {
      expect((await post(GOOD, 'no JSON at all')).status).to.equal(202);
    });

    it('in the form that Mixpanel waits for', async () => {
      use(aSource('mixpanel', ['orb:secret']));
      const headers = { ...JSON_TYPE, authorization: `Basic ${Buffer.from('orb:secret').toString('base64')}` };
      const answer = await post(headers, '{"action":"add_members","parameters":{}}');
      expect([answer.status, answer.value]).to.deep.equal([200, { action: 'add_members', status: 'success' }]);
      expect((await post(headers, 'x')).value).to.deep.equal({ action: '', status: 'success' });
    });

    it('PUT as POST for Grafana alone', async () => {
      expect(said(await call('PUT', PATH, { headers: GOOD, body: BODY }))).to.deep.equal([405, 'method-not-allowed']);
      use(aSource('grafana', ['am-token-0001'], { scheme: { kind: 'bearer' } }));
      const answer = await call('PUT', PATH, { headers: GOOD, body: BODY });
      expect(answer.status).to.equal(202);
    });
  });

  describe('answer probes', () => {
    it('HEAD with 200, whether there is a source or not', async () => {
      for (const path of [PATH, `${PATH}/${TOKEN}`, '/ingest/none'])
        expect((await call('HEAD', path)).status).to.equal(200);
    });

    it('GET with 405, and the methods that the path has', async () => {
      const answer = await call('GET');
      expect([...said(answer), answer.headers.get('allow')]).to.deep.equal([405, 'method-not-allowed', 'HEAD, POST']);
      expect(said(await call('GET', '/ingest/none'))).to.deep.equal([405, 'method-not-allowed']);
    });

    it('GET with the data of UptimeRobot only where it is allowed, as the JSON that a body would be', async () => {
      const query = '?monitorID=7&alertType=1&monitorFriendlyName=a%20b';
      use(aSource('uptimerobot', [TOKEN]));
      expect((await call('GET', `${PATH}/${TOKEN}${query}`)).status).to.equal(405);
      use(aSource('uptimerobot', [TOKEN], { limits: { allowGet: true } }));
      expect(said(await call('GET', `${PATH}/${TOKEN}x${query}`))).to.deep.equal([401, 'unauthenticated']);
      expect((await call('GET', `${PATH}/${TOKEN}${query}`)).status).to.equal(202);
      expect(await waiting()).to.deep.equal(['{"monitorID":"7","alertType":"1","monitorFriendlyName":"a b"}']);
    });
  });

  describe('refuse', () => {
    const big = 'x'.repeat(262_145);
    const rows: readonly (readonly [why: string, answer: readonly [number, string], ask: () => Promise<Called>])[] = [
      [
        'a source that does not exist',
        [404, 'source-not-found'],
        () => call('POST', '/ingest/none', { headers: GOOD, body: BODY }),
      ],
      [
        'a token in the path of a source without one',
        [404, 'source-not-found'],
        () => call('POST', `${PATH}/${TOKEN}`, { headers: GOOD, body: BODY }),
      ],
      ['a wrong token', [401, 'unauthenticated'], () => post({ ...GOOD, authorization: 'Bearer x' })],
      ['a body over the limit by its length', [413, 'body-too-large'], () => post(GOOD, big)],
      [
        'a body over the limit without a source',
        [413, 'body-too-large'],
        () => call('POST', '/ingest/none', { headers: GOOD, body: big }),
      ],
      ['a body without media type', [415, 'unsupported-media-type'], () => post(BEARER, Uint8Array.of(1))],
      [
        'a form for a type that sends JSON',
        [415, 'unsupported-media-type'],
        () => post({ ...BEARER, 'content-type': 'application/x-www-form-urlencoded' }),
      ],
      [
        'another charset',
        [415, 'unsupported-media-type'],
        () => post({ ...BEARER, 'content-type': 'application/json; charset=latin1' }),
      ],
      [
        'gzip where it is not allowed',
        [415, 'unsupported-media-type'],
        () => post({ ...GOOD, 'content-encoding': 'gzip' }, gzipSync(BODY)),
      ],
      ['another coding', [415, 'unsupported-media-type'], () => post({ ...GOOD, 'content-encoding': 'br' })],
    ];
    for (const [why, answer, ask] of rows)
      it(`${why} with ${answer.join(' ')}`, async () => {
        expect(said(await ask())).to.deep.equal(answer);
        expect(await waiting()).to.deep.equal([]);
      });

    it('a source whose secret can’t be read with 503, and never with 401', async () => {
      use(aSource('alertmanager', 'unreadable'));
      const answer = await post();
      expect([...said(answer), answer.headers.get('retry-after')]).to.deep.equal([503, 'secret-unreadable', '30']);
    });

    it('a disabled source as if there were none, and one of Standard Webhooks with 410', async () => {
      use(aSource('alertmanager', ['am-token-0001'], { mode: 'Disabled' }));
      expect(said(await post())).to.deep.equal([404, 'source-not-found']);
      use(aSource('standardWebhooks', ['x'], { mode: 'Disabled' }));
      expect(said(await post())).to.deep.equal([410, 'source-disabled']);
    });

    it('a client outside allowCIDRs like a wrong signature', async () => {
      use(aSource('alertmanager', ['am-token-0001'], { allowCidrs: ['203.0.113.0/24'] }));
      expect(said(await post())).to.deep.equal([401, 'unauthenticated']);
      use(aSource('alertmanager', ['am-token-0001'], { allowCidrs: ['203.0.113.0/24', '127.0.0.0/8'] }));
      expect((await post()).status).to.equal(202);
    });

    it('everything while runs need the process or the volume', async () => {
      closed = true;
      const answer = await post();
      expect(said(answer)).to.deep.equal([503, 'overloaded']);
      expect(answer.headers.get('retry-after')).to.equal('1');
      expect(await receiving.metric('orb_ingest_requests_total', { code: '503' })).to.equal(1);
    });

    it('while the ledger is away with 503, and counts it', async () => {
      const away = await openReceiving(sources);
      await away.fixture.ledger.close();
      const answer = await away.app.call('POST', PATH, { key: null, headers: GOOD, body: BODY });
      expect(said(answer)).to.deep.equal([503, 'ledger-unavailable']);
      expect(await away.metric('orb_ingest_requests_total', { type: 'alertmanager', code: '503' })).to.equal(1);
      await away.close();
    });

    it('with the memory of a large body given back at once, whatever the answer is', async () => {
      const bodies: Uint8Array[] = [];
      for (const kind of ['accepted', 'full'] as const) {
        const kept = await openReceiving(sources, {
          acceptDelivery: ({ raw }) => {
            bodies.push(raw);
            return Promise.resolve({ kind });
          },
        });
        await kept.app.call('POST', PATH, { key: null, headers: GOOD, body: `{"text":"${'x'.repeat(200_000)}"}` });
        await kept.close();
      }
      expect(bodies.map(({ length }) => length)).to.deep.equal([0, 0]);
    });

    it('more than may wait with 503, by the bounds of the queue', async () => {
      const bounds: unknown[] = [];
      const full = await openReceiving(sources, {
        acceptDelivery: (_delivery, given) => {
          bounds.push(given);
          return Promise.resolve({ kind: 'full' });
        },
      });
      const answer = await full.app.call('POST', PATH, { key: null, headers: GOOD, body: BODY });
      expect([...said(answer), answer.headers.get('retry-after')]).to.deep.equal([503, 'overloaded', '1']);
      expect(bounds).to.deep.equal([{ perSource: 10_000, inAll: 50_000 }]);
      await full.close();
    });

    it('more than the rate of a source with 503, and 429 for vendors that come back after it', async () => {
      for (const [type, answer] of [
        ['alertmanager', [503, 'overloaded']],
        ['pagerduty', [429, 'rate-limited']],
        ['standardWebhooks', [429, 'rate-limited']],
      ] as const) {
        use(aSource(type, ['am-token-0001'], { scheme: { kind: 'bearer' }, limits: { rps: 1, burst: 1 } }));
        expect((await post(GOOD, `{"of":"${type}"}`)).status, type).to.equal(202);
        const refused = await post(GOOD, `{"more":"${type}"}`);
        expect([...said(refused), refused.headers.get('retry-after')], type).to.deep.equal([...answer, '1']);
      }
    });

    it('more than the rate of a client, before anything is read; a forger uses up no rate of a source', async () => {
      use(aSource('alertmanager', ['am-token-0001'], { limits: { rps: 1, burst: 1 } }));
      for (let sent = 0; sent < 19; sent += 1) await post({ ...GOOD, authorization: 'Bearer x' });
      expect((await post()).status).to.equal(202);
      expect(said(await post())).to.deep.equal([503, 'overloaded']);
      expect(receiving.intake.traffic.of('acme/alertmanager').rejected).to.equal(19);
    });
  });

  describe('decode gzip where the source allows it', () => {
    beforeEach(() => use(aSource('alertmanager', ['am-token-0001'], { limits: { gzip: true } })));

    it('and store what it holds', async () => {
      expect((await zipped(BODY)).status).to.equal(202);
      expect(await waiting()).to.deep.equal([BODY]);
    });

    it('up to 4 MiB, and refuse bytes that are no gzip', async () => {
      expect((await zipped('x'.repeat(4 * 1_048_576))).status).to.equal(202);
      expect(said(await zipped('x'.repeat(4 * 1_048_576 + 1)))).to.deep.equal([413, 'body-too-large']);
      expect(said(await post({ ...GOOD, 'content-encoding': 'gzip' }))).to.deep.equal([415, 'unsupported-media-type']);
    });
  });

  it('take StatusCake with a token in the path, and then look at no other', async () => {
    use(aSource('statuscake', [TOKEN], { scheme: URL_TOKEN }));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'Token=0&Status=Down&Name=mailer&TestID=6891';
    expect((await call('POST', `${PATH}/${TOKEN}`, { headers, body })).status).to.equal(202);
    expect(said(await call('POST', PATH, { headers, body }))).to.deep.equal([404, 'source-not-found']);
    const other = `${PATH}/${TOKEN.replace('B7', 'B8')}`;
    expect(said(await call('POST', other, { headers, body }))).to.deep.equal([401, 'unauthenticated']);
    expect(await waiting()).to.deep.equal([body]);
  });

  it('never show a token of a path', async () => {
    use(aSource('pingdom', [TOKEN], { scheme: URL_TOKEN }));
    const path = `${PATH}/${TOKEN}`;
    const headers = { ...JSON_TYPE, referer: `https://x${path}` };
    const answers = [
      await call('POST', path, { headers, body: BODY }),
      await call('POST', `${path}%zz`, { headers, body: BODY }),
      await call('POST', `${PATH}/${TOKEN}0`, { headers, body: BODY }),
      await call('PATCH', path, { headers }),
      await call('GET', path),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 400, 401, 405, 405]);
    await receiving.fixture.ledger.close();
    answers.push(await call('POST', path, { headers, body: '{}' }));
    const shown = JSON.stringify([
      answers.map(({ value }) => value),
      answers.map(({ headers: given }) => [...given]),
      receiving.app.logged,
      receiving.app.observed,
      await receiving.registry.metrics(),
    ]);
    expect(shown).to.include('/ingest/{source_id}/{token}').and.not.include(TOKEN);
  });
});
