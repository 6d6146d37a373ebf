import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhookPrimitives } from '../../../../api-server/ingestion/webhook-primitives.ts';
import { GRAFANA } from '../../../../core/ingestion/vendors/schemes.ts';
import { verifyDelivery } from '../../../../core/ingestion/verification/verify-delivery.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { aCli, CLI_NOW, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const KEY = 'orb_key_of_the_caller';
const SECRET = 'grafana-secret-0001';
const TOKEN = 'B7sx0q6GvBCDEFa1234567';
const ACCEPTED = { delivery_id: 'dlv_1', duplicate: false };
const source = (type: string) => ({
  namespace: 'acme',
  name: 'hook',
  type,
  url_path: '/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa',
});
const PROBLEM = 'application/problem+json';
const NOT_FOUND = json(404, { code: 'dead-letter-not-found', title: 'T' }, PROBLEM);

/** Answers the source, the delivery, and then what is asked about it. */
const steps =
  (type: string, delivery: Answering = json(202, ACCEPTED), rest: Answering = NOT_FOUND): Answering =>
  (request, response, count) => {
    if (request.method === 'GET' && request.url.startsWith('/signal-sources/acme/hook'))
      return json(200, source(type))(request, response, count);
    return (request.method === 'POST' ? delivery : rest)(request, response, count);
  };

const LETTER = { reason: 'no_entity', pointer: '/spec/match', detail: 'No Orb.' };
const isAboutSignals = (url: string): boolean => url.startsWith('/signals?');
const neverMapped: Answering = (request, ...more) =>
  (isAboutSignals(request.url) ? json(200, { items: [] }) : NOT_FOUND)(request, ...more);
const dead: Answering = (request, ...more) =>
  json(200, isAboutSignals(request.url) ? { items: [] } : LETTER)(request, ...more);

describe('orb signals send', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const send = async (answer: Answering, argv: readonly string[] = [], secret = SECRET): Promise<CliResult> => {
    server = await aServer(answer);
    const env = { ORB_API_KEY: KEY, ORB_SIGNAL_SECRET: secret };
    return cli.run(['signals', 'send', 'acme/hook', ...argv, '--server', server.url], { env });
  };
  const posted = () => server?.received.find(({ method }) => method === 'POST');
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('posts a signed sample of now to the path of the source, without the key of the caller', async () => {
    const { exit, out } = await send(steps('grafana'));
    expect([exit, out]).to.deep.equal([0, 'dlv_1 is accepted\n']);
    const { url, headers, body } = posted() ?? { url: '', headers: {}, body: '' };
    expect([url, headers.authorization]).to.deep.equal(['/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa', undefined]);
    const verdict = verifyDelivery(
      { scheme: GRAFANA, secrets: [encodeUtf8(SECRET)], toleranceSeconds: 30 },
      {
        headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
        body: encodeUtf8(body),
        pathToken: undefined,
      },
      CLI_NOW,
      webhookPrimitives,
    );
    expect(verdict.kind).to.equal('verified');
    expect(body).to.include('"endsAt":"2026-11-20T12:00:00Z"');
  });

  it('takes the secret from a file, and shows it nowhere', async () => {
    const path = join(cli.folder, 'secret');
    writeFileSync(path, `${TOKEN}\n`);
    const refused = json(401, { code: 'unauthenticated', title: 'T' }, PROBLEM);
    const { exit, out, err } = await send(steps('pingdom', refused), ['--secret-file', path], 'another');
    expect([exit, out, posted()?.url]).to.deep.equal([2, '', `/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa/${TOKEN}`]);
    expect(err).to.equal('orb: 401 unauthenticated: T\n');
  });

  it('does not show a secret when the address can not be reached', async () => {
    const closed = await aServer(json(500, {}));
    await closed.close();
    const { exit, out, err } = await send(steps('pingdom'), ['--ingest-url', closed.url], TOKEN);
    expect(exit).to.equal(4);
    expect(out + err).not.to.include(TOKEN);
  });

  it('sends to the address of vendors that one names', async () => {
    const vendorSide = await aServer(json(202, ACCEPTED));
    try {
      const { exit } = await send(steps('datadog'), ['--ingest-url', `${vendorSide.url}/hooks`, '--orb', 'a.b@1.0.0']);
      expect([exit, posted()]).to.deep.equal([0, undefined]);
      const [received] = vendorSide.received;
      expect(received?.url).to.equal('/hooks/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa');
      expect(received?.headers).to.include({ 'x-orb-token': SECRET }).and.not.to.have.property('authorization');
      expect(received?.body).to.include('orb_id:a.b@1.0.0');
    } finally {
      await vendorSide.close();
    }
  });

  it('uses the scheme that one names, and the sample of another vendor', async () => {
    await send(steps('alertmanager'), ['--scheme', 'basic'], 'acme:pass');
    expect(posted()?.headers).to.include({ authorization: `Basic ${Buffer.from('acme:pass').toString('base64')}` });
    await server?.close();
    await send(steps('custom'), ['--sample', 'github']);
    expect(posted()?.headers['x-hub-signature-256']).to.match(/^sha256=[0-9a-f]{64}$/);
  });

  it('says that a delivery was known, and knows the reply of Mixpanel', async () => {
    expect((await send(steps('grafana', json(200, { ...ACCEPTED, duplicate: true })))).out).to.equal(
      'dlv_1 was accepted before\n',
    );
    await server?.close();
    const answer = json(200, { action: 'add_members', status: 'success' });
    expect((await send(steps('mixpanel', answer), [], 'acme:pass')).out).to.equal('accepted\n');
  });

  describe('with --wait', () => {
    const signal = { signal_id: 'sig_1', event: { data: { status: 'firing' } } };

    it('shows the signals as soon as they are there', async () => {
      let asked = 0;
      const rest: Answering = (request, response, count) => {
        if (!isAboutSignals(request.url)) return NOT_FOUND(request, response, count);
        asked += 1;
        return json(200, { items: asked < 3 ? [] : [signal], next_cursor: null })(request, response, count);
      };
      const { exit, out } = await send(steps('grafana', undefined, rest), ['--wait', '-o', 'json']);
      expect([exit, JSON.parse(out)]).to.deep.equal([0, { ...ACCEPTED, signals: [signal], dead_letter: null }]);
      expect(server?.received.at(-1)?.url).to.equal('/signals?delivery_id=dlv_1&namespace=acme');
    });

    it('ends with 1 for a dead letter', async () => {
      const { exit, out } = await send(steps('grafana', undefined, dead), ['--wait']);
      expect([exit, out]).to.deep.equal([1, 'dlv_1 is accepted\ndead letter no_entity at /spec/match: No Orb.\n']);
    });

    it('ends with 4 when it is not mapped in time', async () => {
      const { exit, out } = await send(steps('grafana', undefined, neverMapped), ['--wait']);
      expect([exit, out]).to.deep.equal([4, 'dlv_1 is accepted\nnot mapped yet, or nothing of it is new\n']);
    });

    it('says that it was accepted when the key may not look at it', async () => {
      const rest = json(403, { code: 'forbidden', title: 'T' }, PROBLEM);
      const { exit, err } = await send(steps('grafana', undefined, rest), ['--wait']);
      expect([exit, err]).to.deep.equal([2, 'dlv_1 is accepted\norb: 403 forbidden: T\n']);
    });
  });

  it('finds the source by its name alone', async () => {
    server = await aServer((request, response, count) => {
      if (request.method === 'POST') return json(202, ACCEPTED)(request, response, count);
      const isList = request.url.startsWith('/signal-sources?');
      const first = isList && !request.url.includes('cursor');
      const page = { items: first ? [] : [source('grafana')], next_cursor: first ? 'c1' : null };
      return json(200, isList ? page : source('grafana'))(request, response, count);
    });
    const env = { ORB_SIGNAL_SECRET: SECRET };
    const found = await cli.run(['signals', 'send', 'hook', '--server', server.url], { env });
    expect([found.exit, posted()?.url]).to.deep.equal([0, source('').url_path]);
    const none = await cli.run(['signals', 'send', 'other', '--server', server.url], { env });
    expect([none.exit, none.err]).to.deep.equal([
      2,
      'orb: there is no signal source other\n     orb signals sources lists those of your key\n',
    ]);
  });

  it('never sends to a path that is none of ingestion', async () => {
    const elsewhere = { ...source('pingdom'), url_path: '//evil.example/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa' };
    const { exit } = await send(json(200, elsewhere), [], TOKEN);
    expect([exit, posted()]).to.deep.equal([4, undefined]);
  });

  it('asks for a secret before anything is sent, and refuses one that can not be right', async () => {
    const missing = await send(steps('grafana'), [], '');
    expect([missing.exit, server?.received]).to.deep.equal([64, []]);
    expect(missing.err).to.include('ORB_SIGNAL_SECRET');
    await server?.close();
    const wrong = await send(steps('standardWebhooks'), [], 'hunter2-hunter2');
    expect([wrong.exit, posted()]).to.deep.equal([2, undefined]);
    expect(wrong.err).to.include('whsec_').and.not.to.include('hunter2');
  });
});
