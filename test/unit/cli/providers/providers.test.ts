import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const MAILER = 'acme.mailer@1.2.0';
const PROBLEM = 'application/problem+json';

const row = (name: string, change: object = {}): object => ({
  name,
  role: name === 'sendgrid' ? 'primary' : 'fallback',
  resolved: true,
  active: false,
  evidence: 'probe',
  window: '5m',
  n: 9,
  p50_ms: 214,
  p95_ms: null,
  error_ratio: null,
  probe_ok_ratio: 1,
  last_probe: { at: 'x', outcome: 'success', duration_ms: 209 },
  breaker: 'closed',
  hold_until: null,
  ...change,
});
const DECISION = {
  rule: 'failback',
  verdict: { kind: 'healthy', value_ms: 598, threshold_ms: 1180, window: '2m', n: 118 },
  why: 'primary is well, not yet for long enough',
  streaks: { degraded: 0, trial: 0, recovered: 4, needed: 12 },
  failback_ready: false,
  next_possible_failback: '2026-11-20T10:38:15.000Z',
  blocked_by: ['streak', 'hold_down'],
};
const STATUS = {
  orb_id: MAILER,
  active_provider: 'mailgun',
  state: 'failed_over',
  strategy: 'latency',
  primary: 'sendgrid',
  since: '2026-11-20T10:31:30.000Z',
  reason: 'latency',
  pin: null,
  ramp: null,
  frozen: null,
  metrics: { state: 'fresh', evaluated_at: '2026-11-20T10:36:15.000Z', age_s: 8 },
  providers: [
    row('sendgrid', { hold_until: '2026-11-20T10:36:42.000Z' }),
    row('mailgun', { active: true, error_ratio: 0.125 }),
  ],
  decision: DECISION,
  swaps: [
    {
      seq: 12,
      at: '2026-11-20T10:31:30.000Z',
      from: 'sendgrid',
      to: 'mailgun',
      reason: 'latency',
      actor: null,
      receipt_id: 'rcpt_1',
    },
  ],
  this_replica: { breakers: {}, cooling: {} },
};
const PIN = {
  provider: 'mailgun',
  mode: 'soft',
  expires_at: '2026-11-20T12:31:30.000Z',
  actor: 'key:k7Qp2xZa',
  reason: 'maintenance',
};
const SWAP = {
  swap_id: 'swp_1',
  orb_id: MAILER,
  status: 'completed',
  from: 'sendgrid',
  provider: 'mailgun',
  active_provider: 'mailgun',
  pin: PIN,
  replaced_pin: null,
  warnings: ['reverts 2026-11-21T10:31:30Z: no expires_in'],
  receipt: { receipt_id: 'rcpt_2', status: 'pending' },
  requested_at: 'x',
  completed_at: 'x',
};

describe('orb status, orb swap, orb pin remove', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run([...argv, '--server', server.url]);
  };
  const sent = (): unknown => JSON.parse(server?.received[0]?.body ?? '');
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  const show = async (change: object = {}, ...more: readonly string[]): Promise<string> =>
    (await orb(json(200, { ...STATUS, ...change }), 'status', MAILER, ...more)).out;

  describe('status', () => {
    it('says why a provider is active, when the primary may return, and what to do', async () => {
      const { exit, out } = await orb(json(200, STATUS), 'status', MAILER, '-n', 'acme');
      expect(exit).to.equal(0);
      expect(server?.received[0]?.url).to.equal('/providers/acme.mailer%401.2.0/status?namespace=acme');
      expect(out).to.equal(`orb      acme.mailer@1.2.0
state    failed_over
active   mailgun: used in place of the primary, since 2026-11-20T10:31:30.000Z (latency)
why      primary is well, not yet for long enough (598 ms in 2m, limit 1180 ms)
back     2026-11-20T10:38:15.000Z at the earliest: 4 of 12 good evaluations, the primary is held
metrics  8 s old at 2026-11-20T10:36:15.000Z
to do    nothing

   PROVIDER  ROLE      P50     P95  ERRORS  BREAKER  HELD UNTIL
   sendgrid  primary   214 ms  –    –       closed   2026-11-20T10:36:42.000Z
*  mailgun   fallback  214 ms  –    12.5%   closed   –

AT                        SWAP                REASON   BY  RECEIPT
2026-11-20T10:31:30.000Z  sendgrid → mailgun  latency  –   rcpt_1
`);
    });

    it('shows evidence and probes with -o wide, and everything for machines', async () => {
      expect(await show({}, '-o', 'wide')).to.match(
        /EVIDENCE +WINDOW +N +PROBES OK +LAST PROBE\n.*probe +5m +9 +100% +success/,
      );
      await server?.close();
      expect(JSON.parse(await show({}, '-o', 'json'))).to.deep.equal(STATUS);
    });

    const texts: readonly (readonly [why: string, change: object, text: RegExp])[] = [
      [
        'no metrics',
        { decision: { ...DECISION, why: null, verdict: null, streaks: null }, metrics: { state: 'unusable' } },
        /metrics +not usable: no swap for latency/,
      ],
      ['no verdict', { decision: { ...DECISION, why: null, verdict: null } }, /why +not known: there are no metrics/],
      [
        'no swap_config',
        { decision: null },
        /why +nothing is decided for this Orb: it has no swap_config\n.*to do +swap back when you want: orb swap acme\.mailer@1\.2\.0 sendgrid\n/s,
      ],
      [
        'a manual way back',
        { decision: { ...DECISION, next_possible_failback: null, blocked_by: ['manual_mode'] } },
        /back +not by itself: failback\.mode is manual\n.*to do +swap back .*--mode once/s,
      ],
      [
        'a pin',
        { state: 'pinned', pin: PIN },
        /pin +mailgun \(soft\) until 2026-11-20T12:31:30\.000Z, by key:k7Qp2xZa: maintenance\n.*to do +nothing; to end the pin now: orb pin remove acme\.mailer@1\.2\.0/s,
      ],
      [
        'a freeze',
        { state: 'frozen', frozen: { until: 'T', reason: 'flapping' } },
        /frozen +until T: flapping\n.*to do +find out why/s,
      ],
      [
        'a ramp',
        { state: 'ramping', ramp: { provider: 'sendgrid', percent: 10, trial: false, step_started_at: 'x' } },
        /why +primary is well, and has been for long enough .*\nramp +10% to sendgrid, on the way back/,
      ],
      [
        'the way back that was made',
        { active_provider: 'sendgrid' },
        /why +primary is well, and has been for long enough /,
      ],
      [
        'a trial',
        { state: 'ramping', ramp: { provider: 'sendgrid', percent: 10, trial: true, step_started_at: 'x' } },
        /ramp +10% to sendgrid, to find out how fast it is/,
      ],
      ['all down', { state: 'all_down' }, /to do +look at the providers: none of them works/],
      [
        'an unresolved provider',
        { providers: [row('postmark', { resolved: false })] },
        /to do +add \/providers\/postmark\/execution to the manifest\n/,
      ],
      [
        'the primary',
        { state: 'primary', active_provider: 'sendgrid', since: null, reason: null },
        /active +sendgrid: the preferred provider\nwhy/,
      ],
    ];
    for (const [why, change, text] of texts)
      it(`explains ${why}`, async () => {
        expect(await show(change)).to.match(text);
      });

    it('prints a problem and ends with 2', async () => {
      const { exit, err } = await orb(
        json(404, { code: 'orb-not-found', title: 'No such Orb' }, PROBLEM),
        'status',
        MAILER,
      );
      expect(exit).to.equal(2);
      expect(err).to.contain('404 orb-not-found: No such Orb');
    });

    it('asks nothing about what is no Orb id', async () => {
      const { exit } = await orb(json(200, STATUS), 'status', 'mailer');
      expect([exit, server?.received.length]).to.deep.equal([2, 0]);
    });
  });

  describe('swap', () => {
    it('sends what was said and nothing else', async () => {
      const { exit, out, err } = await orb(json(200, SWAP), 'swap', MAILER, 'mailgun');
      expect([exit, server?.received[0]?.method, server?.received[0]?.url]).to.deep.equal([
        0,
        'POST',
        '/providers/acme.mailer%401.2.0/swap',
      ]);
      expect(sent()).to.deep.equal({ provider: 'mailgun' });
      expect(out).to.match(
        /swap +sendgrid → mailgun\nstatus +done\nactive +mailgun\npin +mailgun \(soft\) until .*: maintenance\nreceipt +rcpt_2\n/,
      );
      expect(err).to.equal('warning: reverts 2026-11-21T10:31:30Z: no expires_in\n');
    });

    it('sends every flag', async () => {
      const flags = [
        '--reason',
        'x',
        '--expires-in',
        '2h',
        '--mode',
        'hard',
        '--expected-active',
        'sendgrid',
        '--wait',
        '5s',
      ];
      await orb(json(200, SWAP), 'swap', MAILER, 'mailgun', ...flags, '--force', '--dry-run');
      expect(sent()).to.deep.equal({
        provider: 'mailgun',
        reason: 'x',
        expires_in: '2h',
        mode: 'hard',
        expected_active: 'sendgrid',
        force: true,
        dry_run: true,
        wait_ms: 5000,
      });
    });

    it('does not wait with --wait 0, and refuses more than 10 s', async () => {
      await orb(json(202, { ...SWAP, status: 'accepted', receipt: null }), 'swap', MAILER, 'mailgun', '--wait', '0');
      expect(sent()).to.deep.equal({ provider: 'mailgun', wait_ms: 0 });
      expect((await cli.run(['swap', MAILER, 'mailgun', '--wait', '11s'])).exit).to.equal(64);
    });

    it('says that the answering instance does not see an accepted swap yet', async () => {
      const { exit, out } = await orb(json(202, { ...SWAP, status: 'accepted' }), 'swap', MAILER, 'mailgun');
      expect([exit, /status +written; the instance that answered does not see it yet/.test(out)]).to.deep.equal([
        0,
        true,
      ]);
    });

    const refusals: readonly (readonly [code: string, status: number, exit: number])[] = [
      ['provider-unhealthy', 409, 2],
      ['control-plane-unavailable', 503, 4],
    ];
    for (const [code, status, exit] of refusals)
      it(`ends with ${exit} for ${code}`, async () => {
        const ran = await orb(json(status, { code, title: 'T', next: 'N' }, PROBLEM), 'swap', MAILER, 'mailgun');
        expect(ran.exit).to.equal(exit);
        expect(ran.err).to.contain(code);
      });
  });

  describe('pin remove', () => {
    const answer = {
      orb_id: MAILER,
      pin: null,
      removed_pin: PIN,
      active_provider: 'mailgun',
      warnings: ['pin-owned-by:x: y'],
    };

    it('removes it, says which it was, and warns', async () => {
      const { exit, out, err } = await orb(json(200, answer), 'pin', 'remove', MAILER);
      expect([exit, server?.received[0]?.method, server?.received[0]?.url]).to.deep.equal([
        0,
        'DELETE',
        '/providers/acme.mailer%401.2.0/pin',
      ]);
      expect(out).to.match(/removed pin +mailgun \(soft\) until .*\nactive +mailgun\n/);
      expect(err).to.equal('warning: pin-owned-by:x: y\n');
    });

    it('says that there was none', async () => {
      const { out } = await orb(json(200, { ...answer, removed_pin: null, warnings: [] }), 'pin', 'remove', MAILER);
      expect(out).to.match(/removed pin +there was none/);
    });

    it('prints the answer whole for machines', async () => {
      const { out } = await orb(json(200, answer), 'pin', 'remove', MAILER, '-o', 'json');
      expect(JSON.parse(out)).to.deep.equal(answer);
    });
  });

  const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await cli.run(['__complete', ...words])).out.trim().split('\n').slice(0, -1);

  it('are completed with their modes and formats', async () => {
    expect(await complete('sw')).to.deep.equal(['swap']);
    expect(await complete('pin', '')).to.deep.equal(['remove']);
    expect(await complete('swap', MAILER, 'mailgun', '--mode', '')).to.deep.equal(['soft', 'hard', 'once']);
    expect(await complete('status', MAILER, '-o', '')).to.deep.equal(['wide', 'json', 'yaml']);
  });
});
