import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../adapters/time/clock.ts';
import { aCli, type CliResult, type TestCli } from '../../support/cli-io.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 'example.echo@1.0.0';
const TAKES_FORCE_MS = 15_000;
const TOKEN = 'B7sx0q6GvBCDEFa1234567';
const PASSWORD = 'am-token-0001';
const SECRET = `apiVersion: v1
kind: Secret
metadata: { name: hook }
stringData: { bearer: ${PASSWORD}, token: ${TOKEN} }
`;
const source = (name: string, type: string, key: string, match = ''): string => `apiVersion: orbs.dev/v1alpha1
kind: OrbSignalSource
metadata: { name: ${name} }
spec:
  type: ${type}
  mode: Active
  auth: { secretRefs: [{ name: hook, key: ${key} }] }
${match}`;
const PAGES = 'pages.yaml';

describe('orb signals, incidents, dead-letters, status and maintenance against npm start', function suite() {
  this.timeout(90_000);
  let cli: TestCli;
  let standalone: Standalone;
  let operatorKey = '';
  before(async () => {
    cli = aCli();
    standalone = await startStandalone({
      data: join(cli.folder, 'standalone'),
      resources: {
        'echo.yaml': readFileSync(join(import.meta.dirname, '../../../manifests/echo.yaml'), 'utf8'),
        'secret.yaml': SECRET,
        'alerts.yaml': source('alerts', 'alertmanager', 'bearer'),
        [PAGES]: source('pages', 'pingdom', 'token'),
      },
      flags: ['--status-interval=10s'],
    });
    const made = await cli.run([
      'keys',
      'create',
      '--tenant',
      'orb-system',
      '--scope',
      'admin',
      '--data',
      standalone.data,
    ]);
    operatorKey = made.out.trim();
  });
  after(async () => {
    await standalone.stop();
    rmSync(cli.folder, { recursive: true });
  });

  const orbWith = (env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<CliResult> =>
    cli.run([...argv, '--server', standalone.ready.url], {
      env: { ORB_API_KEY: standalone.ready.api_key, ...env },
      clock: systemClock,
    });
  const orb = (...argv: readonly string[]): Promise<CliResult> => orbWith({}, ...argv);
  /** A command line until what it prints holds this. */
  const until = (text: RegExp, ...argv: readonly string[]): Promise<CliResult> =>
    lastAnswer(
      () => orb(...argv),
      ({ out, err }) => text.test(`${out}${err}`),
      TAKES_FORCE_MS,
      200,
    );
  const secretFile = (): string => {
    const path = join(cli.folder, 'bearer');
    writeFileSync(path, `${PASSWORD}\n`);
    return path;
  };

  it('lists the sources with the path for their vendors', async () => {
    const { exit, out } = await orb('signals', 'sources');
    expect(exit).to.equal(0);
    expect(out).to.match(
      /^default\/alerts +alertmanager +Active +shared_secret +readable +0 +0 +\/ingest\/src_\w{26}$/m,
    );
    expect(out).to.match(/^default\/pages +pingdom +Active +low +readable/m);
  });

  it('tries a sample without an effect: about an Orb that is not here, it would be a dead letter', async () => {
    const unknown = await orb('signals', 'dry-run', 'alerts');
    expect([unknown.exit, unknown.out]).to.satisfy(
      ([code, out]: [number, string]) => code === 1 && /no_entity/.test(out),
    );
    const known = await orb('signals', 'dry-run', 'alerts', '--orb', ORB, '--verify', '--secret-file', secretFile());
    expect(known.exit, known.out + known.err).to.equal(0);
    expect(known.out)
      .to.match(/firing +critical +example\.echo@1\.0\.0 .*would_open/)
      .and.not.to.include('warning');
    expect((await orb('incidents', 'list', '-o', 'name')).out).to.equal('');
  });

  it('refuses a sample with another secret, and shows neither', async () => {
    const { exit, out, err } = await orbWith({ ORB_SIGNAL_SECRET: 'another-0001' }, 'signals', 'send', 'alerts');
    expect([exit, out]).to.deep.equal([2, '']);
    expect(err)
      .to.include('401 unauthenticated')
      .and.not.to.include('another-0001')
      .and.not.to.include('no key was sent')
      .and.not.to.include('the key of');
  });

  it('sends a sample: it becomes a signal and an incident, which people take care of', async () => {
    const sent = await orb('signals', 'send', 'alerts', '--orb', ORB, '--secret-file', secretFile(), '--wait');
    expect(sent.exit, sent.out + sent.err).to.equal(0);
    const [, signal = ''] = /^(sig_\S+) .*firing +critical +orb\/example\.echo@1\.0\.0/m.exec(sent.out) ?? [];
    expect((await orb('signals', 'list', '--source', 'default/alerts', '-o', 'name')).out).to.equal(`${signal}\n`);
    expect((await orb('signals', 'get', signal)).out).to.match(/fingerprint +c1f2a3b4d5e6f708\n/);

    const id = (await orb('incidents', 'list', '--status', 'open', '--orb', ORB, '-o', 'name')).out.trim();
    expect((await orb('incidents', 'ack', id)).out).to.equal(`${id} is acknowledged\n`);
    expect((await orb('incidents', 'note', id, 'The provider works on it')).exit).to.equal(0);
    expect((await orb('incidents', 'mute', id, '--until', '2h')).out).to.match(/ is acknowledged, muted until 20/);
    expect((await orb('incidents', 'resolve', id)).out).to.equal(`${id} is resolved\n`);
    const again = await orb('incidents', 'ack', id);
    expect([again.exit, again.err.split('\n')[0]]).to.deep.equal([
      2,
      'orb: 409 incident-state: The status of the incident does not allow it',
    ]);
    expect((await orb('incidents', 'withdraw', id, '--reason', 'it was a test')).out).to.equal(`${id} is withdrawn\n`);
    const { out } = await orb('incidents', 'get', id);
    expect(out).to.match(/signal +opened\n[^\n]+acknowledged\n[^\n]+The provider works on it\n/);
    expect(out).to.match(/withdrawn: it was a test\n$/);
  });

  it('shows what could not be used, and maps it again after the source was corrected', async () => {
    const sent = await orbWith({ ORB_SIGNAL_SECRET: TOKEN }, 'signals', 'send', 'pages', '--wait');
    expect([sent.exit, sent.out.split('\n')[1]?.split(':')[0]]).to.deep.equal([
      1,
      'dead letter no_entity at /spec/match',
    ]);
    expect(sent.out + sent.err).not.to.include(TOKEN);
    const id = (await orb('dead-letters', 'list', '--source', 'pages', '-n', 'default', '-o', 'name')).out.trim();
    const shown = await orb('dead-letters', 'get', id);
    expect(shown.out)
      .to.match(/pointer +\/spec\/match\n/)
      .and.to.include('"check_id":12345')
      .and.not.to.include(TOKEN);

    const match = `  match: [{ when: 'title.startsWith("mailer")', orb: '${ORB}' }]\n`;
    writeFileSync(join(standalone.resources, PAGES), source('pages', 'pingdom', 'token', match));
    await until(/example\.echo@1\.0\.0/, 'signals', 'dry-run', 'pages');
    expect((await orb('dead-letters', 'redrive', id)).out).to.equal('mapped again: 1\n');
    const mapped = await until(/sig_/, 'signals', 'list', '--delivery', id);
    expect(mapped.out).to.match(/firing +high +orb\/example\.echo@1\.0\.0 +mailer DOWN/);
    expect((await orb('dead-letters', 'list', '-o', 'name')).out).to.equal('');
    expect((await orb('incidents', 'list', '--status', 'unconfirmed')).out).to.match(/inc_\S+ .*mailer DOWN/);
    expect((await orb('dead-letters', 'redrive', '--source', 'default/pages')).out).to.equal('mapped again: 0\n');
  });

  it('prints what to paste', async () => {
    expect((await orb('signals', 'templates', 'datadog')).out).to.match(/^\{"orb_template":"datadog\/1",.*\}\n$/);
    expect((await orb('signals', 'templates', 'github')).out).to.include('signatureHeader: X-Hub-Signature-256\n');
    expect((await orb('signals', 'templates', 'nobody')).exit).to.equal(2);
  });

  it('shows what works of the platform', async () => {
    const { exit, out } = await until(/^Platform +operational$/m, 'status');
    expect(exit, out).to.equal(0);
    expect(out)
      .to.match(/^Measured .* % of 30 days/m)
      .and.to.match(/^ingestion +operational +100 %$/m);
  });

  it('plans maintenance, lists it and cancels it, for the platform alone', async () => {
    const [from, to] = [3, 4].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const plan = ['maintenance', 'plan', '--services', 'ingestion', '--title', 'New disks'];
    const times = ['--from', from ?? '', '--to', to ?? ''];
    expect((await orb(...plan, ...times)).exit).to.equal(2);
    const planned = await orbWith({ ORB_API_KEY: operatorKey }, ...plan, ...times);
    const [, id = ''] = /^(mnt_\S+) is announced/.exec(planned.out) ?? [];
    expect((await orb('maintenance', 'list')).out).to.include(`${id}  ${from}  ${to}  ingestion  New disks\n`);
    expect((await orb('status')).out).to.include('New disks');
    const past = ['--from', '2026-01-01T00:00:00Z', '--to', '2026-01-01T01:00:00Z'];
    expect((await orbWith({ ORB_API_KEY: operatorKey }, ...plan, ...past)).exit).to.equal(2);
    const ended = await orbWith({ ORB_API_KEY: operatorKey }, 'maintenance', 'cancel', id);
    expect(ended.out).to.match(new RegExp(`^${id} has ended at `));
  });

  it('wrote no secret of a vendor into the log', async () => {
    await standalone.stop();
    for (const secret of [TOKEN, PASSWORD]) expect(standalone.output()).not.to.include(secret);
  });
});
