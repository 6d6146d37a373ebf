import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ID = 'inc_1';
const INCIDENT = {
  incident_id: ID,
  namespace: 'acme',
  title: 'p95\u202e',
  status: 'open',
  severity: 'high',
  impact: 'major',
  confirmed: true,
  attributed: true,
  parent_id: null,
  flapping: true,
  opened_at: '2026-11-20T10:00:00.000Z',
  acknowledged_at: null,
  resolved_at: null,
  muted_until: null,
  orb_id: 'acme.mailer@1.2.0',
  provider: 'api.mail.example',
  service: null,
  sources: ['acme/grafana', 'acme/pages'],
  signals: 3,
  receipts: { window_runs: 412, error_bp: 1210, baseline_error_bp: 110 },
  log: { index: 5123 },
  updates: [{ at: '2026-11-20T10:00:00.000Z', by: 'signal', text: 'opened' }],
};

describe('orb incidents', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['incidents', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('list shows what is wrong with what', async () => {
    const items = [
      INCIDENT,
      { ...INCIDENT, orb_id: null },
      { ...INCIDENT, orb_id: null, provider: null, service: 'runtime' },
    ];
    const { exit, out } = await orb(json(200, { items, next_cursor: null }), 'list');
    expect(exit).to.equal(0);
    const rows = out.split('\n').map((line) => line.split(/ {2,}/).slice(2));
    expect(rows.slice(1, 4)).to.deep.equal([
      ['open', 'high', 'major', 'acme.mailer@1.2.0', 'p95\\u202e'],
      ['open', 'high', 'major', 'api.mail.example', 'p95\\u202e'],
      ['open', 'high', 'major', 'runtime', 'p95\\u202e'],
    ]);
  });

  it('list sends every filter', async () => {
    const filters = ['--status', 'open', '--orb', 'a.b@1.0.0', '--provider', 'api.mail.example', '--since', '24h'];
    const more = ['--limit', '5', '--cursor', 'c', '-n', 'acme', '-o', 'name'];
    const { out } = await orb(json(200, { items: [INCIDENT], next_cursor: null }), 'list', ...filters, ...more);
    expect(out).to.equal(`${ID}\n`);
    const { pathname, searchParams } = new URL(server?.received[0]?.url ?? '', server?.url);
    expect([pathname, Object.fromEntries(searchParams)]).to.deep.equal([
      '/incidents',
      {
        status: 'open',
        orb_id: 'a.b@1.0.0',
        provider: 'api.mail.example',
        since: '2026-11-19T12:00:00.000Z',
        limit: '5',
        cursor: 'c',
        namespace: 'acme',
      },
    ]);
  });

  it('get shows receipts, log and history', async () => {
    const { exit, out } = await orb(json(200, INCIDENT), 'get', ID, '-n', 'acme');
    expect([exit, server?.received[0]?.url]).to.deep.equal([0, '/incidents/inc_1?namespace=acme']);
    expect(out)
      .to.match(/status +open, flapping\n/)
      .and.to.match(/sources +acme\/grafana, acme\/pages\n/);
    expect(out).to.match(/receipts +412 runs, 12\.1 % failed, 1\.1 % in the 30 days before\n/);
    expect(out).to.match(/log +entry 5123 of the log\n/);
    expect(out).to.match(/\n\n2026-11-20T10:00:00\.000Z {2}signal {2}opened\n$/);
    expect(out).not.to.match(/^(?:service|resolved|part of)/m);
  });

  it('get says that an incident is not confirmed and not in the log', async () => {
    const low = { ...INCIDENT, confirmed: false, flapping: false, receipts: null, log: null, status: 'unconfirmed' };
    const { out } = await orb(json(200, low), 'get', ID);
    expect(out).to.match(/status +unconfirmed, not confirmed\n/);
    expect(out)
      .to.match(/log +not in the log: no score reads it\n/)
      .and.not.to.match(/^receipts/m);
  });

  const acts: readonly (readonly [argv: readonly string[], path: string, body: unknown])[] = [
    [['ack', ID], '/incidents/inc_1/ack', undefined],
    [['resolve', ID, '-n', 'acme'], '/incidents/inc_1/resolve?namespace=acme', undefined],
    [['mute', ID, '--until', '2h'], '/incidents/inc_1/mute', { until: '2026-11-20T14:00:00.000Z' }],
    [['mute', ID, '--until', '2026-11-21T00:00Z'], '/incidents/inc_1/mute', { until: '2026-11-21T00:00:00.000Z' }],
    [['withdraw', ID, '--reason', 'a bad probe'], '/incidents/inc_1/withdraw', { reason: 'a bad probe' }],
    [['note', ID, 'We call them'], '/incidents/inc_1/updates', { body: 'We call them' }],
  ];
  for (const [argv, path, body] of acts)
    it(`${argv.join(' ')} tells the API, and prints the status`, async () => {
      const { exit, out } = await orb(json(200, { ...INCIDENT, muted_until: 'then' }), ...argv);
      expect([exit, out]).to.deep.equal([0, `inc_1 is open${argv[0] === 'mute' ? ', muted until then' : ''}\n`]);
      const [received] = server?.received ?? [];
      expect([received?.method, received?.url]).to.deep.equal(['POST', path]);
      expect(received?.body).to.equal(body === undefined ? '' : JSON.stringify(body));
    });

  const wrong: readonly (readonly [why: string, argv: readonly string[], says: RegExp])[] = [
    ['mute without a time', ['mute', ID], /--until TIME is missing/],
    ['mute until nonsense', ['mute', ID, '--until', 'soon'], /--until soon/],
    ['withdraw without a reason', ['withdraw', ID], /--reason TEXT is missing/],
    ['a note without text', ['note', ID], /an argument is missing/],
  ];
  for (const [why, argv, says] of wrong)
    it(`refuses ${why} before anything is sent`, async () => {
      const { exit, err } = await orb(json(500, {}), ...argv);
      expect([exit, server?.received]).to.deep.equal([64, []]);
      expect(err).to.match(says);
    });

  it('ends with 2 when the status of the incident does not allow it', async () => {
    const problem = json(
      409,
      { code: 'incident-state', title: 'T', detail: 'It is resolved.' },
      'application/problem+json',
    );
    const { exit, err } = await orb(problem, 'ack', ID);
    expect([exit, err]).to.deep.equal([2, 'orb: 409 incident-state: T\n     It is resolved.\n']);
  });
});
