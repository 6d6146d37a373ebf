import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../support/cli-io.ts';
import { textAt } from '../../support/members.ts';
import { jsonIn } from '../../support/policy-runs.ts';
import { listAt, member, objectAt } from '../../../core/json/members.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 'example.echo@1.0.0';
const TAKES_FORCE_MS = 10_000;
const POLICY = `apiVersion: orbs.dev/v1alpha1
kind: OrbPolicy
metadata:
  name: no-mail
spec:
  inputFacts: { text: string }
  rules:
    - { name: no-mail, effect: deny, when: 'has(inputs.text) && inputs.text == "mail"', message: no mail }
`;

const run = (text: string): readonly string[] => ['run', ORB, `text=${text}`];

describe('orb policy and orb decisions against npm start', function suite() {
  this.timeout(60_000);
  let cli: TestCli;
  let standalone: Standalone;
  before(async () => {
    cli = aCli();
    standalone = await startStandalone({ data: join(cli.folder, 'standalone') });
  });
  after(async () => {
    await standalone.stop();
    rmSync(cli.folder, { recursive: true });
  });

  const orb = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run([...argv, '--server', standalone.ready.url], {
      env: { ORB_API_KEY: standalone.ready.api_key },
      clock: systemClock,
    });
  const file = (text: string): string => {
    const path = join(cli.folder, 'no-mail.yaml');
    writeFileSync(path, text);
    return path;
  };
  /** A command line until its text output holds this. */
  const until = (text: string | RegExp, ...argv: readonly string[]): Promise<CliResult> =>
    lastAnswer(
      () => orb(...argv),
      ({ out, err }) => (typeof text === 'string' ? `${out}${err}`.includes(text) : text.test(`${out}${err}`)),
      TAKES_FORCE_MS,
      200,
    );
  it('says where a draft is wrong, and stores nothing', async () => {
    const path = file(POLICY.replace('has(inputs.text) && inputs.text', 'has(inputs.text) && inputs.txt'));
    const { exit, err } = await orb('policy', 'apply', '-f', path);
    expect(exit).to.equal(2);
    expect(err).to.match(/no-mail\.yaml:8:\d+: error unknown-fact \/spec\/rules\/0\/when: /);
    expect((await orb('policy', 'list', '-o', 'name')).out).to.equal('');
  });

  it('tries a draft on one request', async () => {
    const draft = ['policy', 'evaluate', '-f', file(POLICY), '--orb', ORB];
    const denied = await orb(...draft, '--input', 'text=mail', '--trace');
    expect([denied.exit, denied.err]).to.deep.equal([1, '']);
    expect(denied.out).to.include('newly denied by default/no-mail/no-mail\n').and.to.include('inputs.text = mail\n');
    expect((await orb(...draft, '--input', 'text=hi')).exit).to.equal(0);
  });

  it('applies it, again, and as get prints it', async () => {
    expect((await orb('policy', 'apply', '-f', file(POLICY))).out).to.equal('created    default/no-mail: Audit\n');
    expect((await orb('policy', 'apply', '-f', file(POLICY))).out).to.match(/^unchanged {2}default\/no-mail: Audit\n$/);
    const { out } = await orb('policy', 'get', 'no-mail', '-o', 'yaml');
    expect((await orb('policy', 'apply', '-f', file(out))).out).to.match(/^unchanged /);
    expect((await until(/no-mail +Audit +Audit +True/, 'policy', 'list')).out).to.match(/no-mail +Audit +Audit +True/);
  });

  it('shows what an audited policy would have denied, and why', async () => {
    await until('in force', 'policy', 'get', 'no-mail');
    expect((await orb(...run('mail'))).exit).to.equal(0);
    const shadow = await until('dec_', 'decisions', 'list', '--shadow', 'would_deny', '--shadow-differs', '-o', 'name');
    const id = shadow.out.trim();
    expect((await orb('decisions', 'get', id)).out).to.match(/decision +dec_\S+ +allow\nshadow +would_deny\n/);
    const explained = await orb('decisions', 'explain', id);
    expect(explained.exit, explained.err).to.equal(0);
    expect(explained.out).to.include('default/no-mail/no-mail\n').and.to.include('inputs.text = mail\n');
  });

  it('replays it over the runs of before: the gate of the draft holds it back until it passes', async () => {
    const gated = POLICY.replace(
      'spec:',
      'spec:\n  promotion: { requireReplay: { window: 1h, minReceipts: 1, maxNewDenies: 0, maxIndeterminatePercent: 100 } }',
    );
    const failed = await orb('policy', 'replay', '-f', file(gated), '--window', '1h', '--fail-if', 'new-denies>0');
    expect(failed.exit, failed.out + failed.err).to.equal(1);
    expect(failed.out)
      .to.match(/would be denied +1 /)
      .and.to.include('allow → deny  example.echo@1.0.0');
    expect(failed.out).to.include(
      '  maxNewDenies: 1, and 0 is the limit\n  --fail-if new-denies>0: 1 of 1 decided runs\n',
    );
    await orb('policy', 'apply', '-f', file(gated));
    const refused = await orb('policy', 'promote', 'no-mail');
    expect([refused.exit, refused.out]).to.deep.equal([1, '']);
    expect(refused.err).to.include('409 replay-gate-not-met').and.to.include('maxNewDenies');

    const relaxed = gated.replace('maxNewDenies: 0', 'maxNewDenies: 1');
    await orb('policy', 'apply', '-f', file(relaxed));
    const passed = await orb('policy', 'replay', 'no-mail', '--window', '1h', '--wait');
    expect(passed.exit, passed.out + passed.err).to.equal(0);
    const [id = ''] = passed.out.split(' ');
    expect((await orb('policy', 'replay', '--id', id, '-o', 'name')).out).to.equal(`${id}\n`);
    expect((await orb('policy', 'promote', 'no-mail', '--replay', id)).exit).to.equal(0);
    expect((await orb('policy', 'apply', '-f', file(POLICY))).out).to.match(/^replaced /);
  });

  it('can not decide by runs of a window without facts', async () => {
    const replay = [
      'policy',
      'replay',
      '-f',
      file(POLICY),
      '--window',
      '1h',
      '--until',
      '2026-01-01T00:00:00Z',
      '--wait',
    ];
    const { exit, out } = await orb(...replay);
    expect(exit, out).to.equal(2);
    expect(out).to.include('gate undecidable\n');
  });

  it('promotes it: the run is denied, and the decision says so', async () => {
    expect((await orb('policy', 'promote', 'no-mail')).out).to.match(/^default\/no-mail: Enforce/);
    const { exit, err } = await until('policy-denied', ...run('mail'));
    expect(exit).to.equal(1);
    const [, id = ''] = /decision (dec_\S+)\n/.exec(err) ?? [];
    expect((await orb('decisions', 'list', '--decision', 'deny', '-o', 'name')).out).to.include(`${id}\n`);
    expect((await orb('decisions', 'get', id)).out).to.include('denied by default/no-mail/no-mail (medium): no mail\n');
    const refused = await orb('decisions', 'approve', id);
    expect([refused.exit, refused.out]).to.deep.equal([2, '']);
    expect((await orb('policy', 'coverage', '--days', '1')).out).to.match(/no-mail +no-mail +always +\d+ +0\n/);
  });

  it('goes back to an earlier version', async () => {
    const changed = POLICY.replace('== "mail"', '== "post"').replace('spec:', 'spec:\n  mode: Enforce');
    expect((await orb('policy', 'apply', '-f', file(changed))).out).to.match(/^replaced /);
    const versions = await until(/(?:sha256:.*\n){2}/, 'policy', 'versions', 'no-mail');
    expect(versions.out.match(/^sha256:/gm)).to.have.length(2);
    const listed = jsonIn((await orb('policy', 'versions', 'no-mail', '-o', 'json')).out);
    const digest = textAt(listAt(listed, 'items').at(-1) ?? null, 'digest');
    expect((await orb('policy', 'versions', 'no-mail', digest)).out).to.include('== "mail"');
    expect((await orb('policy', 'rollback', 'no-mail', '--to', digest)).out).to.match(/^default\/no-mail: Enforce/);
    const { out } = await orb('policy', 'get', 'no-mail', '-o', 'json');
    expect(member(listAt(objectAt(jsonIn(out), 'spec'), 'rules')[0], 'when')).to.include('== "mail"');
  });

  it('deletes it', async () => {
    expect((await orb('policy', 'delete', 'no-mail')).exit).to.equal(64);
    expect((await orb('policy', 'delete', 'no-mail', '--yes')).out).to.equal('default/no-mail deleted\n');
    expect((await orb('policy', 'get', 'no-mail')).exit).to.equal(2);
  });
});
