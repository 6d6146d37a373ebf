import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ID = 'sig_1';
const SIGNAL = {
  signal_id: ID,
  source: 'acme/grafana',
  delivery_id: 'dlv_1',
  at: '2026-11-20T10:00:01.120Z',
  last_seen: '2026-11-20T10:05:00.000Z',
  repeat_count: 2,
  event: {
    subject: 'orb/acme.mailer@1.2.0',
    data: {
      kind: 'alert',
      status: 'firing',
      severity: 'high',
      title: 'p95\u001b[31m',
      description: '',
      fingerprint: 'f1',
      entity: { orb_id: 'acme.mailer@1.2.0', provider: 'api.mail.example', endpoint: null },
      startsAt: '2026-11-20T10:00:00.000Z',
      endsAt: null,
      labels: { team: 'mail', env: 'prod' },
      vendor: { type: 'grafana' },
    },
  },
};
const SOURCE = {
  namespace: 'acme',
  name: 'grafana',
  type: 'grafana',
  mode: 'Active',
  url_path: '/ingest/src_k3n0q7w2v5t9x1c4b6m8z0d2fa',
  trust: 'signed',
  fingerprint_rule: 'x',
  secrets_readable: true,
  last_event_at: null,
  counts: { accepted: 7, waiting: 0, dead_letters: 1 },
};
const RESULT = {
  events: [
    { kind: 'alert', status: 'firing', severity: 'high', title: 'p95', fingerprint: 'f1' },
    { kind: 'alert', status: 'firing', severity: 'low', title: 'p50', fingerprint: 'f2' },
  ],
  matched: [
    { orb: 'acme.mailer@1.2.0', rule: 'label orb_id' },
    { provider: 'api.mail.example', rule: 'match[0]' },
  ],
  effects: [
    { incident: 'would_open', severity: 'high' },
    { incident: 'none', why: 'below minSeverity warning' },
    { reputation: 'needs_corroboration' },
  ],
  warnings: [{ code: 'not-verified', detail: 'The signature does not fit.' }],
  semantic_keys: [],
  dead_letter: null,
};
const DEAD = {
  ...RESULT,
  events: [],
  matched: [],
  effects: [],
  warnings: [],
  dead_letter: { reason: 'bad_json', pointer: '', detail: 'The body is no JSON.' },
};

/** Answers the source, and then this. */
const afterSource =
  (then: Answering): Answering =>
  (request, response, count) =>
    (count === 1 ? json(200, SOURCE) : then)(request, response, count);

describe('orb signals', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['signals', ...argv, '--server', server.url]);
  };
  const sent = (at: number): unknown => JSON.parse(server?.received[at]?.body ?? 'null');
  const file = (name: string, text: string): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, text);
    return path;
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('list shows what was told about what, without terminal characters', async () => {
    const { exit, out, err } = await orb(json(200, { items: [SIGNAL], next_cursor: 'c1' }), 'list');
    expect([exit, err]).to.deep.equal([0, 'more: --cursor c1\n']);
    expect(out.split('\n')[1]?.split(/ {2,}/)).to.deep.equal([
      ID,
      SIGNAL.at,
      'firing',
      'high',
      'orb/acme.mailer@1.2.0',
      'p95\\u001b[31m',
      'acme/grafana',
    ]);
  });

  it('list sends every filter', async () => {
    const filters = ['--source', 'grafana', '--orb', 'a.b@1.0.0', '--delivery', 'dlv_1', '--status', 'firing'];
    const more = ['--since', '24h', '--limit', '5', '--cursor', 'c', '-n', 'acme', '-o', 'name'];
    const { out } = await orb(json(200, { items: [SIGNAL], next_cursor: null }), 'list', ...filters, ...more);
    expect(out).to.equal(`${ID}\n`);
    const { pathname, searchParams } = new URL(server?.received[0]?.url ?? '', server?.url);
    expect([pathname, Object.fromEntries(searchParams)]).to.deep.equal([
      '/signals',
      {
        source: 'acme/grafana',
        orb_id: 'a.b@1.0.0',
        delivery_id: 'dlv_1',
        status: 'firing',
        since: '2026-11-19T12:00:00.000Z',
        limit: '5',
        cursor: 'c',
        namespace: 'acme',
      },
    ]);
  });

  it('list asks for the namespace of a source before anything is sent', async () => {
    const { exit, err } = await orb(json(200, {}), 'list', '--source', 'grafana');
    expect([exit, server?.received]).to.deep.equal([64, []]);
    expect(err).to.include('--source NAMESPACE/NAME');
  });

  it('get shows a signal, and leaves out what is not known', async () => {
    const { exit, out } = await orb(json(200, SIGNAL), 'get', ID, '-n', 'acme');
    expect([exit, server?.received[0]?.url]).to.deep.equal([0, '/signals/sig_1?namespace=acme']);
    expect(out)
      .to.match(/status +alert firing, high\n/)
      .and.to.match(/provider +api\.mail\.example\n/);
    expect(out).to.match(/repeats +2, last seen 2026-11-20T10:05:00\.000Z\n/);
    expect(out).to.match(/labels +team=mail\n +env=prod\n/);
    expect(out).not.to.match(/^(?:ends|description)/m);
  });

  it('sources shows where vendors send to, and whether the secret is there', async () => {
    const items = [SOURCE, { ...SOURCE, name: 'pages', secrets_readable: false }];
    const { out } = await orb(json(200, { items, next_cursor: null }), 'sources');
    expect(out).to.match(/^acme\/grafana +grafana +Active +signed +readable +7 +1 +\/ingest\/src_k3n0/m);
    expect(out).to.match(/^acme\/pages .*missing/m);
    expect(server?.received[0]?.url).to.equal('/signal-sources');
  });

  describe('templates', () => {
    it('lists vendors without a call', async () => {
      const { exit, out } = await orb(json(500, {}), 'templates');
      expect([exit, server?.received]).to.deep.equal([0, []]);
      expect(out).to.match(/^datadog +datadog +header +yes +yes$/m);
      expect(out).to.match(/^sendgrid +custom +ecdsa +yes$/m);
      const names = (await cli.run(['signals', 'templates', '-o', 'name'])).out;
      expect(names).to.match(/^alertmanager\n[\s\S]*\nsendgrid\n$/);
    });

    it('prints exactly what to paste', async () => {
      const payload = { vendor: 'datadog', payload: '{"id":"$ID"}', auth: null, mapping: null };
      expect((await orb(json(200, payload), 'templates', 'datadog')).out).to.equal('{"id":"$ID"}\n');
      expect(server?.received[0]?.url).to.equal('/signal-templates/datadog');
      await server?.close();
      const block = { vendor: 'github', payload: null, auth: { scheme: 'hmac' }, mapping: { kind: 'change' } };
      expect((await orb(json(200, block), 'templates', 'github')).out).to.equal(
        'spec:\n  type: custom\n  auth:\n    scheme: hmac\n  mapping:\n    kind: change\n',
      );
      await server?.close();
      const own = { vendor: 'pingdom', payload: null, auth: null, mapping: null };
      expect((await orb(json(200, own), 'templates', 'pingdom')).out).to.include('nothing to paste');
    });
  });

  describe('dry-run', () => {
    it('shows events, what they are about, and what they would do', async () => {
      const body = file('body.json', '{"a":1}');
      const headers = file('headers.txt', 'Content-Type: application/json\nX-Id:  7 \n');
      const argv = ['dry-run', 'acme/grafana', '-f', body, '--headers', headers, '--verify'];
      const { exit, out } = await orb(afterSource(json(200, RESULT)), ...argv);
      expect([exit, server?.received.map(({ method, url }) => `${method} ${url}`)]).to.deep.equal([
        0,
        ['GET /signal-sources/acme/grafana', 'POST /signal-sources/acme/grafana/dry-run'],
      ]);
      expect(sent(1)).to.deep.equal({
        body: '{"a":1}',
        headers: { 'content-type': 'application/json', 'x-id': '7' },
        verify: true,
      });
      expect(out).to.equal(
        'KIND   STATUS  SEVERITY  ABOUT              BY            INCIDENT                          TITLE\n' +
          'alert  firing  high      acme.mailer@1.2.0  label orb_id  would_open                        p95\n' +
          'alert  firing  low       api.mail.example   match[0]      none (below minSeverity warning)  p50\n' +
          'reputation: needs_corroboration\n' +
          'warning not-verified: The signature does not fit.\n',
      );
    });

    it('ends with 1 for a dead letter, and tries the sample of the type of the source', async () => {
      const { exit, out } = await orb(afterSource(json(200, DEAD)), 'dry-run', 'grafana', '-n', 'acme');
      expect([exit, out]).to.deep.equal([1, 'dead letter bad_json at (all): The body is no JSON.\n']);
      expect(sent(1)).to.have.property('body').that.includes('"startsAt":"2026-11-20T11:48:00Z"');
    });

    it('signs the sample when there is a secret', async () => {
      const secret = file('secret', 'grafana-secret-0001');
      const argv = ['dry-run', 'acme/grafana', '--secret-file', secret, '--verify', '--orb', 'a.b@1.0.0'];
      await orb(afterSource(json(200, RESULT)), ...argv);
      expect(sent(1))
        .to.have.nested.property('headers.X-Grafana-Alerting-Signature')
        .that.matches(/^[0-9a-f]{64}$/);
      expect(JSON.stringify(sent(1))).not.to.include('grafana-secret-0001');
    });

    const wrong: readonly (readonly [why: string, argv: readonly string[], exit: number, says: RegExp])[] = [
      ['a file and a sample', ['-f', 'x', '--sample', 'github'], 64, /--file or --sample, not both/],
      ['headers without a file', ['--headers', 'x'], 64, /--headers belongs to --file/],
      ['verification of a sample without a secret', ['--verify'], 64, /needs the secret/],
      ['a vendor without a sample', ['--sample', 'sendgrid'], 64, /there is no sample of sendgrid/],
      ['another Orb for a sample that names none', ['--sample', 'pagerduty', '--orb', 'a.b@1.0.0'], 2, /names no Orb/],
    ];
    for (const [why, argv, exit, says] of wrong)
      it(`refuses ${why}`, async () => {
        const result = await orb(afterSource(json(500, {})), 'dry-run', 'acme/grafana', ...argv);
        expect(result.exit).to.equal(exit);
        expect(result.err).to.match(says);
        expect(server?.received.length).to.equal(1);
      });

    it('says which line is no header', async () => {
      const [body, headers] = [file('b', '{}'), file('h', 'A: b\n\nno header\n')];
      const argv = ['dry-run', 'acme/grafana', '-f', body, '--headers', headers];
      const result = await orb(afterSource(json(500, {})), ...argv);
      expect([result.exit, result.err]).to.deep.equal([2, 'orb: --headers: line 2 is not Name: value\n']);
    });
  });
});
