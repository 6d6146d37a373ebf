import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const POLICY = `apiVersion: orbs.dev/v1alpha1
kind: OrbPolicy
metadata:
  name: limits
spec:
  rules: []
`;
const ID = 'rpl_1';
const PROBLEM = 'application/problem+json';
const COUNTS = {
  unchanged: 83,
  allow_to_deny: 17,
  deny_to_allow: 0,
  obligations_changed: 0,
  error: 2,
  indeterminate: 25,
};
const DONE = {
  replay_id: ID,
  status: 'completed',
  policy_digest: 'sha256:aa',
  evaluated: 125,
  elapsed_ms: 2140,
  counts: COUNTS,
  as_recorded: COUNTS,
  recomputed: { ...COUNTS, allow_to_deny: 9 },
  affected: { orbs: [['acme.mailer@1.2.0', 17]], callers: [], first: null, last: null },
  indeterminate: [{ reason: 'fact_not_recorded', fact: 'orb.age_days', count: 25 }],
  gate: null,
};
const FAILED_GATE = { passed: false, failing: [{ limit: 'maxNewDenies', allowed: 0, actual: 17 }] };
const CHANGE = {
  receipt_id: 'rcpt_1',
  at: '2026-11-14T10:00:00Z',
  orb_id: 'a.b@1.0.0',
  kind: 'allow_to_deny',
  from: 'allow',
  to: 'deny',
  rule: 'acme/limits/daily',
};
const begun = json(202, { replay_id: ID, status: 'running' });

/** An API with a replay that runs for some questions; the last answer stays. */
const replaying = (...answers: readonly Answering[]): Answering => {
  let count = 0;
  return (request, response, all) => {
    const isChanges = request.url.startsWith(`/replays/${ID}/changes?limit=10`);
    const next = request.method === 'POST' ? begun : (answers[Math.min(count, answers.length - 1)] ?? begun);
    if (request.method === 'GET' && !isChanges) count += 1;
    return (isChanges ? json(200, { items: [CHANGE], next_cursor: null }) : next)(request, response, all);
  };
};
const running = (evaluated: number): Answering => json(200, { replay_id: ID, status: 'running', evaluated });
const gone: Answering = (_request, response) => void response.destroy();
const done = (some: object = {}): Answering => json(200, { ...DONE, ...some });

describe('orb policy replay', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['policy', 'replay', ...argv, '--server', server.url]);
  };
  const file = (text = POLICY): string => {
    const path = join(cli.folder, 'p.yaml');
    writeFileSync(path, text);
    return path;
  };
  const bodyOf = (): unknown => JSON.parse(server?.received[0]?.body ?? 'null');
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('begins and says how to look at it', async () => {
    const { exit, out, err } = await orb(begun, '-f', file(), '--window', '24h', '--until', '12h', '-n', 'acme');
    expect([exit, out]).to.deep.equal([0, 'rpl_1 running\n']);
    expect(err).to.equal('orb policy replay --id rpl_1 -n acme --wait    looks at it again\n');
    expect(server?.received[0]).to.include({ method: 'POST', url: '/policies/replay' });
    expect(bodyOf()).to.deep.equal({
      policy: {
        apiVersion: 'orbs.dev/v1alpha1',
        kind: 'OrbPolicy',
        metadata: { name: 'limits', namespace: 'acme' },
        spec: { rules: [] },
      },
      window: { from: '2026-11-19T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' },
    });
  });

  it('names a stored version, the runs, and how they are read', async () => {
    const flags = [
      '--orb',
      'acme.*',
      '--orbiset',
      'acme.prod',
      '--sample',
      '12.5',
      '--seed',
      '7',
      '--digest',
      'sha256:aa',
    ];
    await orb(begun, 'acme/limits', ...flags, '--baseline', 'current', '--stateful', 'both');
    expect(bodyOf()).to.deep.equal({
      ref: 'acme/limits',
      digest: 'sha256:aa',
      window: { from: '2026-11-13T12:00:00.000Z', to: '2026-11-20T12:00:00.000Z' },
      baseline: 'current',
      stateful: 'both',
      filter: { orb_ids: ['acme.*'], orbisets: ['acme.prod'] },
      sample: { percent: 12.5, seed: 7 },
    });
  });

  it('replays a policy as it stands, and reads the replay of its tenant', async () => {
    const spec = { rules: [] };
    const object = { metadata: { name: 'limits', namespace: 'acme', uid: 'u' }, spec, status: {} };
    const answer: Answering = (request, response, count) =>
      (request.url === '/policies/acme/limits' ? json(200, object) : replaying(done()))(request, response, count);
    expect((await orb(answer, 'acme/limits', '--wait')).exit).to.equal(0);
    expect(JSON.parse(server?.received[1]?.body ?? '')).to.deep.include({
      policy: { metadata: { name: 'limits', namespace: 'acme' }, spec },
    });
    expect(server?.received.slice(2).map(({ url }) => url)).to.deep.equal([
      '/replays/rpl_1?namespace=acme',
      '/replays/rpl_1/changes?limit=10&namespace=acme',
    ]);
  });

  it('waits, says how far it is, and shows what would change', async () => {
    const polls = [1, 2, 3, 4, 5, 6, 7].map((number) => running(number * 10));
    const { exit, out, err } = await orb(replaying(...polls, done()), '-f', file(), '--wait');
    expect(exit, out + err).to.equal(0);
    expect(err).to.equal('rpl_1 runs\nrpl_1 runs: 60 runs so far\n');
    expect(out)
      .to.match(/would be denied +17 +17 +9\n/)
      .and.to.match(/undecidable +25 +25 +25\n/);
    expect(out).to.include('  orbs acme.mailer@1.2.0 17\n');
    expect(out).to.include('  undecidable: fact_not_recorded orb.age_days, 25 runs\n');
    expect(out).to.include('  rcpt_1  2026-11-14T10:00:00Z  allow → deny  a.b@1.0.0  acme/limits/daily\n');
    expect(out).to.match(/gate passed\n$/);
  });

  const verdicts: readonly [string, object, readonly string[], number, string][] = [
    ['no gate and no limit', {}, [], 0, 'gate passed\n'],
    ['a gate that passed', { gate: { passed: true, failing: [] } }, [], 0, 'gate passed\n'],
    ['a gate that failed', { gate: FAILED_GATE }, [], 1, 'gate FAILED\n  maxNewDenies: 17, and 0 is the limit\n'],
    ['a limit that holds', {}, ['new-denies>0'], 1, '  --fail-if new-denies>0: 17 of 100 decided runs\n'],
    ['a limit at its edge', {}, ['new-denies>17'], 0, 'gate passed\n'],
    ['an inclusive limit at its edge', {}, ['new-denies>=17'], 1, 'gate FAILED\n'],
    ['a share of the decided runs', {}, ['new-denies>16.9%'], 1, 'gate FAILED\n'],
    ['a share at its edge', {}, ['new-denies>17%'], 0, 'gate passed\n'],
    ['a share of all runs', {}, ['indeterminate>=20%'], 1, 'gate FAILED\n'],
    ['a share of all runs below it', {}, ['indeterminate>20%'], 0, 'gate passed\n'],
    ['the larger count of both ways', { counts: { ...COUNTS, allow_to_deny: 0 } }, ['new-denies>16'], 1, '17 of'],
    ['the second of two limits', {}, ['new-allows>0', 'errors>1'], 1, '--fail-if errors>1: 2 of 100'],
    [
      'nothing decided',
      { counts: { indeterminate: 9 } },
      ['new-denies>0'],
      2,
      'no run of the window could be decided\n',
    ],
    [
      'a replay that failed',
      { status: 'failed', error: 'worker_timeout' },
      [],
      2,
      'the replay is failed: worker_timeout\n',
    ],
    ['a replay that was aborted', { status: 'aborted' }, ['new-denies>0'], 2, 'the replay is aborted\n'],
  ];
  for (const [what, some, limits, exit, text] of verdicts)
    it(`ends with ${exit} for ${what}`, async () => {
      const flags = limits.flatMap((limit) => ['--fail-if', limit]);
      const result = await orb(replaying(done(some)), '-f', file(), '--wait', ...flags);
      expect(result.exit, result.out + result.err).to.equal(exit);
      expect(result.out).to.include(text);
    });

  it('waits for a limit without --wait, and prints the result for machines alone on stdout', async () => {
    const { exit, out, err } = await orb(
      replaying(running(1), done()),
      '-f',
      file(),
      '--fail-if',
      'new-denies>0',
      '-o',
      'json',
    );
    expect(exit).to.equal(1);
    expect(JSON.parse(out)).to.deep.equal(DONE);
    expect(err).to.include('gate FAILED\n');
  });

  it('shows a replay of before with its verdict', async () => {
    const { exit, out } = await orb(replaying(done({ gate: FAILED_GATE })), '--id', ID);
    expect([exit, server?.received[0]?.url]).to.deep.equal([1, '/replays/rpl_1']);
    expect(out).to.include('rpl_1 completed of sha256:aa\n125 runs in 2140 ms\n');
  });

  it('stops waiting, and the replay goes on', async () => {
    const { exit, err } = await orb(replaying(running(1)), '-f', file(), '--wait', '--timeout', '3s');
    expect(exit).to.equal(2);
    expect(err).to.include('rpl_1 still runs after 3 s').and.to.include('policy replay --id rpl_1 --wait');
    expect(server?.received.filter(({ method }) => method === 'GET')).to.have.length(4);
  });

  it('says how to look again when the API is gone', async () => {
    const { exit, err } = await orb(replaying(gone), '-f', file(), '--wait');
    expect(exit).to.equal(4);
    expect(err).to.include('policy replay --id rpl_1 --wait');
  });

  it('shows what is wrong with the draft, with its place', async () => {
    const errors = [{ pointer: '/policy/spec/rules', code: 'bad', detail: 'no' }];
    const path = file();
    const { exit, err } = await orb(json(422, { code: 'policy-invalid', title: 'T', errors }, PROBLEM), '-f', path);
    expect(exit).to.equal(2);
    expect(err).to.include(`${path}:6:10: error bad /spec/rules: no\n`);
  });

  it('ends with 4 when two replays of the tenant run already', async () => {
    expect((await orb(json(429, { code: 'rate-limited', title: 'T' }, PROBLEM), '-f', file())).exit).to.equal(4);
  });

  const wrong: readonly (readonly string[])[] = [
    [],
    ['limits', '--id', ID],
    ['--id', ID, '--digest', 'sha256:aa'],
    ['limits', '--window', 'week'],
    ['limits', '--fail-if', 'denies>0'],
    ['limits', '--fail-if', 'new-denies=0'],
    ['limits', '--sample', 'half'],
    ['limits', '--timeout', '0'],
  ];
  for (const argv of wrong)
    it(`does not take ${argv.join(' ') || 'nothing'}`, async () => {
      expect((await orb(begun, ...argv)).exit).to.equal(64);
      expect(server?.received).to.deep.equal([]);
    });

  it('does not take a file with two policies', async () => {
    expect((await orb(begun, '-f', file(`${POLICY}---\n${POLICY}`))).exit).to.equal(2);
    expect(server?.received).to.deep.equal([]);
  });
});
