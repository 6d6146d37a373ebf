import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json } from '../../../support/cli-server.ts';

const MAILER = 'acme.mailer@1.2.0';
const PIN = {
  provider: 'mailgun',
  mode: 'soft',
  expires_at: '2026-11-20T12:31:30.000Z',
  actor: 'key:k7Qp2xZa',
  reason: 'maintenance',
};

const row = (name: string, change: object = {}): object => ({
  name,
  role: name === 'sendgrid' ? 'primary' : 'fallback',
  resolved: true,
  active: name === 'sendgrid',
  breaker: 'closed',
  breaker_replica: null,
  ...change,
});
const failing = (name: string, change: object = {}): object => ({
  name,
  breaker: 'closed',
  since: null,
  until: null,
  paused_until: null,
  failures: 3,
  last_failure: {
    at: '2026-11-20T10:36:10.000Z',
    outcome: 'error',
    http_status: null,
    reason: 'host-not-found',
    detail: `host not found: ${name}.example.com`,
    run_id: 'run_1',
  },
  ...change,
});
const OPEN = { breaker: 'open', since: '2026-11-20T10:36:10.000Z', until: '2026-11-20T10:36:14.500Z' };
const replica = (...providers: readonly object[]): object => ({
  this_replica: { name: 'orb-api-0', breakers: {}, cooling: {}, providers },
});

const STATUS = {
  orb_id: MAILER,
  active_provider: 'sendgrid',
  state: 'primary',
  primary: 'sendgrid',
  since: null,
  reason: null,
  pin: null,
  ramp: null,
  frozen: null,
  providers: [row('sendgrid'), row('mailgun')],
  decision: { why: 'no other rule applies', blocked_by: [] },
  metrics: { state: 'fresh', evaluated_at: '2026-11-20T10:36:15.000Z', age_s: 8 },
  swaps: [],
};

describe('orb status of providers that fail', () => {
  let cli: TestCli;
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  const show = async (change: object): Promise<string> => {
    const server = await aServer(json(200, { ...STATUS, ...change }));
    try {
      return (await cli.run(['status', MAILER, '--server', server.url])).out;
    } finally {
      await server.close();
    }
  };

  it('never says nothing to do while every provider fails, and says why each one does', async () => {
    for (const state of ['single', 'primary', 'failed_over']) {
      const change = replica(failing('sendgrid', OPEN), failing('mailgun'));
      const out = await show({ state, ...change, providers: [row('sendgrid', { breaker: 'open' }), row('mailgun')] });
      expect(out).to.match(/to do +every provider fails: read why below/);
      expect(out).to.match(/sendgrid .* open until 2026-11-20T10:36:14\.500Z/);
      expect(out).to.contain(`
seen by replica orb-api-0:
sendgrid  breaker       open since 2026-11-20T10:36:10.000Z, next attempt 2026-11-20T10:36:14.500Z
sendgrid  last failure  host not found: sendgrid.example.com (host-not-found, 2026-11-20T10:36:10.000Z, run_1)
mailgun   last failure  host not found: mailgun.example.com (host-not-found, 2026-11-20T10:36:10.000Z, run_1)
`);
    }
  });

  const elsewhere: readonly (readonly [why: string, change: object])[] = [
    ['breakers of other replicas', { breaker: 'open', breaker_replica: 'orb-api-1' }],
    ['the metrics of all replicas', { error_ratio: 1 }],
  ];
  for (const [why, change] of elsewhere)
    it(`knows from ${why} that every provider fails, though the answering replica was never called`, async () => {
      const unresolved = row('postmark', { resolved: false });
      const out = await show({
        ...replica(),
        providers: [row('sendgrid', change), row('mailgun', change), unresolved],
      });
      expect(out).to.match(/to do +every provider fails/);
      expect(await show({ ...replica(), providers: [row('sendgrid', change), row('mailgun')] })).to.match(
        /to do +nothing\n/,
      );
    });

  it('keeps the way to end a pin while every provider fails', async () => {
    const out = await show({ state: 'pinned', pin: PIN, ...replica(failing('sendgrid'), failing('mailgun')) });
    expect(out).to.match(/to do +every provider fails: .*; to end the pin now: orb pin remove/);
  });

  it('shows a last failure that is over without asking for anything', async () => {
    const out = await show({
      state: 'primary',
      ...replica(failing('sendgrid', { failures: 0 }), failing('mailgun')),
    });
    expect(out)
      .to.match(/to do +nothing\n/)
      .and.to.contain('last failure');
  });

  it('names another replica whose breaker is open, and a pause', async () => {
    const out = await show({
      providers: [row('sendgrid', { breaker: 'open', breaker_replica: 'orb-api-1' })],
      ...replica(failing('sendgrid', { failures: 0, last_failure: null, paused_until: 'T' })),
    });
    expect(out).to.match(/sendgrid +pause +asked for by the provider, until T\n/);
    expect(out).to.match(/sendgrid +breaker +open in replica orb-api-1\n/);
  });
});
