import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ID = 'dec_1';
const RULE = {
  policy: 'acme/limits',
  rule: 'daily',
  effect: 'deny',
  result: 'true',
  enforced: true,
  severity: 'high',
  message: 'budget reached',
};
const DECISION = {
  decision_id: ID,
  at: '2026-11-20T10:00:00.041Z',
  run_id: 'run_1',
  receipt_id: null,
  orbiset: 'acme.prod',
  orb_id: 'acme.mailer@1.2.0',
  caller: 'key:k7Qp2xZa',
  phase: 'Request',
  provider: 'primary',
  decision: 'deny',
  policy_set_digest: 'sha256:aa',
  rules: [RULE],
  denials: [{ policy: 'acme/limits', rule: 'daily', severity: 'high', message: 'budget reached' }],
  obligations: [{ type: 'requireApproval', by: 'payments:approve' }],
  exceptions_used: [
    { policy: 'acme/limits', orb: '*', caller: '', rule: 'tier', until: '2026-12-31T00:00:00Z', reason: 'INC-42' },
  ],
  shadow: { decision: 'would_deny', differs: false },
  approvals: ['payments:approve'],
};
const ALLOWED = {
  ...DECISION,
  decision_id: 'dec_2',
  decision: 'allow',
  denials: [],
  shadow: { decision: 'would_deny', differs: true },
};

describe('orb decisions', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['decisions', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('list', () => {
    it('shows who decided, and where the audited policies would decide otherwise', async () => {
      const page = json(200, { items: [DECISION, ALLOWED], next_cursor: 'c1' });
      const { exit, out, err } = await orb(page, 'list');
      expect([exit, err]).to.deep.equal([0, 'more: --cursor c1\n']);
      const rows = out.split('\n').map((line) => line.split(/ {2,}/).slice(4));
      expect(rows.slice(1, 3)).to.deep.equal([
        ['deny', 'acme/limits/daily'],
        ['allow', 'would_deny', 'acme/limits/daily'],
      ]);
    });

    it('sends every filter', async () => {
      const filters = ['--policy', 'limits', '--decision', 'deny', '--shadow', 'would_deny', '--shadow-differs'];
      const more = ['--orb', 'a.b@1.0.0', '--since', '24h', '--until', '2026-11-20T10:00:00Z', '--limit', '5'];
      const page = json(200, { items: [DECISION], next_cursor: null });
      const { out } = await orb(page, 'list', ...filters, ...more, '--cursor', 'c', '-n', 'acme', '-o', 'name');
      expect(out).to.equal('dec_1\n');
      const query = new URL(server?.received[0]?.url ?? '', server?.url).searchParams;
      expect(Object.fromEntries(query)).to.deep.equal({
        policy: 'acme/limits',
        decision: 'deny',
        shadow: 'would_deny',
        shadow_differs: 'true',
        orb_id: 'a.b@1.0.0',
        since: '2026-11-19T12:00:00.000Z',
        until: '2026-11-20T10:00:00.000Z',
        limit: '5',
        cursor: 'c',
        namespace: 'acme',
      });
    });

    it('asks for the namespace of a policy, and for a time', async () => {
      expect((await orb(json(200, {}), 'list', '--policy', 'limits')).exit).to.equal(64);
      await server?.close();
      expect((await orb(json(200, {}), 'list', '--since', 'yesterday')).exit).to.equal(64);
      expect(server?.received).to.deep.equal([]);
    });
  });

  it('get shows the record', async () => {
    const { exit, out } = await orb(json(200, DECISION), 'get', ID, '-n', 'acme');
    expect([exit, server?.received[0]?.url]).to.deep.equal([0, '/decisions/dec_1?namespace=acme']);
    expect(out)
      .to.match(/phase +Request, primary\n/)
      .and.to.match(/receipt +none yet: the run is open\n/);
    expect(out).to.match(/waits for +approval by payments:approve\n/);
    expect(out).to.include('denied by acme/limits/daily (high): budget reached\n');
    expect(out).to.include('exception from acme/limits/tier until 2026-12-31T00:00:00Z: INC-42\n');
  });

  it('explain shows the values that decided and what would change it', async () => {
    const explained = {
      decision: 'deny',
      policies: 'current',
      because: [{ policy: 'acme/limits', rule: 'daily', trace: { expr: 'a >= 5', value: true } }],
      smallest_flips: [
        { fact: 'orbiset.runs_today', from: 117, to: 116, decision: 'allow' },
        { fact: 'orb.tier', from: 'none', to: 'gold', also: [{ fact: 'orb.age_days', from: 3 }], decision: 'allow' },
      ],
      approvals: ['payments:approve'],
    };
    const { exit, out } = await orb(json(200, explained), 'explain', ID);
    expect([exit, server?.received[0]?.method, server?.received[0]?.url]).to.deep.equal([
      0,
      'POST',
      '/decisions/dec_1/explain',
    ]);
    expect(out).to.equal(
      'deny by the policies in force now: those of then are no longer known\n' +
        'acme/limits/daily\n  a >= 5 = true\n' +
        'with 116 in place of 117 for orbiset.runs_today: allow\n' +
        'with gold in place of none for orb.tier and nothing in place of 3 for orb.age_days: allow\n' +
        'only an approval is missing: payments:approve\n',
    );
  });

  it('approve says until when the run may be sent', async () => {
    const grants = [{ grant_id: 'grt_1', scope: 'payments:approve', expires_at: '2026-11-20T10:15:00Z' }];
    const { exit, out } = await orb(json(201, { decision_id: ID, grants }), 'approve', ID);
    expect([exit, out]).to.deep.equal([0, 'approved by payments:approve until 2026-11-20T10:15:00Z: grt_1\n']);
    expect(server?.received[0]).to.include({ method: 'POST', url: '/decisions/dec_1/approve' });
  });

  it('shows why a run may not be approved', async () => {
    const own = { code: 'forbidden', title: 'T', detail: 'Another identity must approve.' };
    const { exit, err } = await orb(json(403, own, 'application/problem+json'), 'approve', ID);
    expect(exit).to.equal(2);
    expect(err).to.equal('orb: 403 forbidden: T\n     Another identity must approve.\n');
  });
});
