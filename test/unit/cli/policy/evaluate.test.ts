import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const POLICY = 'apiVersion: orbs.dev/v1alpha1\nkind: OrbPolicy\nmetadata:\n  name: limits\nspec:\n  rules: []\n';
const SENT = {
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: { name: 'limits' },
  spec: { rules: [] },
};
const ORB = 'acme.mailer@1.2.0';
const DENIED = {
  decision: 'deny',
  denials: [{ policy: 'acme/limits', rule: 'daily', severity: 'high', message: 'budget reached' }],
  obligations: [{ type: 'noStore' }],
  rules: [
    {
      policy: 'acme/limits',
      rule: 'daily',
      effect: 'deny',
      result: 'true',
      enforced: true,
      severity: 'high',
      message: 'budget reached',
      trace: {
        expr: 'a >= 5',
        value: true,
        args: [
          { expr: 'a', value: '7' },
          { expr: '5', value: '5' },
        ],
      },
    },
    {
      policy: 'acme/limits',
      rule: 'odd',
      effect: 'allow',
      result: 'error',
      enforced: false,
      severity: 'low',
      message: '',
    },
  ],
  shadow: { decision: 'would_deny', differs: false },
  current: { decision: 'allow', policy_set_digest: 'sha256:aa' },
  changes: [{ kind: 'new_deny', rule: 'acme/limits/daily' }],
  facts_used: { 'orbiset.runs_today': 'given', 'orb.tier': 'live' },
  missing_facts: ['orb.age_days'],
};

describe('orb policy evaluate', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['policy', 'evaluate', ...argv, '--server', server.url]);
  };
  const file = (text: string, name = 'p.yaml'): string => {
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

  it('sends draft, request and facts, and ends with 1 when the run would be denied', async () => {
    const flags = ['--orbiset', 'prod', '-n', 'acme', '--phase', 'PreFlight', '--include', 'draft', '--trace'];
    const inputs = ['--input', 'to=a@example.org', '--input', 'count:=5'];
    const facts = ['--fact', 'orbiset.runs_today:=7', '--fact', 'orb.tier=gold', '--fact', 'orb.labels:={"a.b":"c"}'];
    const { exit, out } = await orb(json(200, DENIED), '-f', file(POLICY), '--orb', ORB, ...flags, ...inputs, ...facts);
    expect(exit).to.equal(1);
    expect(server?.received[0]).to.include({ method: 'POST', url: '/policies/evaluate?namespace=acme' });
    expect(JSON.parse(server?.received[0]?.body ?? '')).to.deep.equal({
      orbiset: 'acme.prod',
      orb_id: ORB,
      inputs: { to: 'a@example.org', count: 5 },
      facts: { orbiset: { runs_today: 7 }, orb: { tier: 'gold', labels: { 'a.b': 'c' } } },
      phase: 'PreFlight',
      policies: [SENT],
      include: 'draft',
      trace: true,
    });
    for (const text of [
      'deny (with the policies in force: allow)\n',
      'denied by acme/limits/daily (high): budget reached\n',
      'obligation {"type":"noStore"}\n',
      'newly denied by acme/limits/daily\n',
      '    a >= 5 = true\n      a = 7\n      5 = 5\n',
      'facts orbiset.runs_today given, orb.tier live\n',
      'absent orb.age_days\n',
    ])
      expect(out).to.include(text);
    expect(out).to.match(/acme\/limits\/odd +allow +FAILED +not enforced\n/);
  });

  it('tries the policies in force without a file, and leaves what is not given to the API', async () => {
    const allowed = { ...DENIED, decision: 'allow', denials: [], rules: [], changes: [], obligations: [] };
    const { exit, out } = await orb(json(200, allowed), '--orb', ORB);
    expect(exit).to.equal(0);
    expect(out).to.include('allow (with the policies in force: allow)\nno rule matched\n');
    expect(JSON.parse(server?.received[0]?.body ?? '')).to.deep.equal({
      orbiset: 'default',
      orb_id: ORB,
      inputs: {},
      facts: {},
      policies: [],
      trace: false,
    });
  });

  it('prints the answer whole for machines, with the same exit code', async () => {
    const { exit, out } = await orb(json(200, DENIED), '--orb', ORB, '-o', 'json');
    expect([exit, JSON.parse(out)]).to.deep.equal([1, DENIED]);
  });

  it('shows the faults of a draft with its file', async () => {
    const [one, two] = [file(POLICY, 'one.yaml'), file(POLICY, 'two.yaml')];
    const errors = [{ pointer: '/policies/1/spec/rules', code: 'bad', detail: 'no' }];
    const refused = json(422, { code: 'policy-invalid', title: 'T', errors }, 'application/problem+json');
    const { exit, err } = await orb(refused, '-f', one, '-f', two, '--orb', ORB);
    expect(exit).to.equal(2);
    expect(err).to.equal(`${two}:6:10: error bad /spec/rules: no\norb: 422 policy-invalid: T\n`);
  });

  it('shows faults of several drafts with their pointers', async () => {
    const errors = [1, 10].map((index) => ({ pointer: `/policies/${index}/spec`, code: 'bad', detail: 'no' }));
    const refused = json(422, { code: 'policy-invalid', title: 'T', errors }, 'application/problem+json');
    const { err } = await orb(refused, '-f', file(POLICY), '--orb', ORB);
    expect(err).to.include('/policies/1/spec  bad: no\n').and.to.include('/policies/10/spec  bad: no\n');
  });

  for (const argv of [
    [],
    ['--orb', ORB, '--fact', 'tier=gold'],
    ['--orb', ORB, '--fact', 'orb.tier'],
    ['--orb', ORB, '--fact', 'orb.tier=a', '--fact', 'orb.tier=b'],
    ['--orb', ORB, '--input', 'to'],
  ])
    it(`does not take ${argv.join(' ') || 'nothing'}`, async () => {
      expect((await orb(json(200, DENIED), ...argv)).exit).to.equal(64);
      expect(server?.received).to.deep.equal([]);
    });
});
