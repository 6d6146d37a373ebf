import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { at, objectAt } from '../../support/members.ts';
import { orbManifest } from '../../support/orbs.ts';
import { anOrbProcess, type OrbEnded } from '../../support/orb-process.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { codeOf, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { untilTrue } from '../../support/wait-for.ts';
import { specificationTests } from './specification-client.ts';

const ORB = 't.ping@1.0.0';
const TENANTS = ['one', 'two', 'three'];
const RUNS = 4;

const suite = JSON.stringify({
  format: 'orbtest/1',
  name: 'ping',
  orb: 't.ping',
  cases: [
    {
      id: 'returns-an-id',
      inputs: { text: 'hi' },
      responses: [{ provider: 'main', status: 200, body: { id: 'x' } }],
      expect: { status: 'completed', outputs: { id: { equals: 'x' } } },
    },
    {
      id: 'provider-down',
      inputs: { text: 'hi' },
      responses: [{ provider: 'main', status: 503 }],
      expect: { status: 'failed', outcome: 'orb_error' },
    },
    { id: 'live', mode: 'live', inputs: { text: 'hi' }, expect: { status: 'completed' } },
  ],
});

const tenantOrbiset = (namespace: string): string =>
  JSON.stringify({
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orbiset',
    metadata: { name: 'team', namespace },
    spec: { orbs: ['t.ping'] },
  });

describe('an Orb that is published', function published() {
  this.timeout(120_000);
  const { folder, run } = anOrbProcess();
  const data = temporaryFolder();
  let provider: TestProvider;
  let standalone: Standalone;

  const manifest = (description: string): string =>
    orbManifest(ORB, {
      url: `http://127.0.0.1:${provider.port}/ok`,
      manifest: { description, capabilities: ['http.call'] },
    });
  const start = (): Promise<Standalone> =>
    startStandalone({
      data,
      resources: {
        'ping.json': manifest('Answers.'),
        'tenants.yaml': TENANTS.map(tenantOrbiset).join('\n---\n'),
      },
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`, '--reputation-interval', '1s'],
    });
  const orb = (...argv: readonly string[]): Promise<OrbEnded> =>
    run([...argv, '--data', standalone.data], { env: { ORB_SERVER: standalone.ready.url } });
  const allow = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const publish = (description = 'Answers.', ...more: readonly string[]): Promise<OrbEnded> => {
    const files = join(folder, 'orb');
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, 'ping.json'), manifest(description));
    writeFileSync(join(files, 'ping.orbtest.json'), suite);
    return orb('publish', join(files, 'ping.json'), ...allow(), ...more);
  };
  const get = async (path: string): Promise<JsonValue> => jsonOf(await (await standalone.get(path)).json());
  const profile = (): Promise<JsonValue> => get(`/reputation/${ORB}`);
  const keys = new Map<string, string>();
  const keyOf = (tenant: string): Readonly<Record<string, string>> => ({
    authorization: `Bearer ${keys.get(tenant) ?? ''}`,
  });

  async function execute(tenant: string): Promise<JsonObject> {
    const body = { orb_id: ORB, inputs: { text: 'hi' } };
    const answer = await standalone.post('/orbisets/team/execute', body, keyOf(tenant));
    const value: unknown = await answer.json();
    expect([answer.status, codeOf(value)]).to.deep.equal([200, '']);
    return isJsonObject(value) ? value : {};
  }

  before(async () => {
    provider = await startProvider();
    standalone = await start();
    for (const tenant of TENANTS) {
      const made = await orb('keys', 'create', '--tenant', tenant, '--scope', 'orbs:execute');
      keys.set(tenant, made.out.trim().split('\n').at(-1)?.trim() ?? '');
    }
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(data, { recursive: true });
    rmSync(folder, { recursive: true });
  });

  it('is bronze at once, from tests with a receipt, and needs no key to be found', async () => {
    const { status, out, err } = await publish();
    expect([status, err]).to.satisfy(() => status === 0, err);
    expect(out)
      .to.match(/bronze, score 40/)
      .and.to.match(/3 of 3 required, receipted/);
    const listed = await fetch(`${standalone.ready.url}/marketplace/orbs/public`);
    expect(await listed.json()).to.deep.equal({
      items: [{ name: 't.ping', description: 'Answers.', certification_tier: 'bronze', reputation_score: 40 }],
      total: 1,
      limit: null,
      offset: 0,
      next: null,
    });
  });

  it('is only checked by a dry run', async () => {
    const { status, out } = await publish('Answers.', '--dry-run');
    expect([status, out.startsWith('It can be published.')]).to.deep.equal([0, true]);
    expect(at(await get('/marketplace/orbs'), 'total')).to.equal(1);
  });

  it('has the same score and tier in profile, list, certificate and badge', async () => {
    const scored = await profile();
    const listed = objectAt(await get('/marketplace/orbs'), 'items', '0');
    const certificate = await get(`/reputation/${ORB}/certificate`);
    const badge = await (await fetch(`${standalone.ready.url}/reputation/${ORB}/badge`)).text();
    const subject = objectAt(certificate, 'credential', 'credentialSubject');
    expect([at(scored, 'certification_tier'), at(listed, 'certification_tier'), at(subject, 'tier')]).to.deep.equal([
      'bronze',
      'bronze',
      'bronze',
    ]);
    expect([
      at(scored, 'reputation_score'),
      at(listed, 'reputation_score'),
      at(subject, 'reputation_score'),
    ]).to.deep.equal([40, 40, 40]);
    expect(badge).to.include('<title>orb certified: bronze 40, as of ');
  });

  it('is verified by a stranger, offline', async () => {
    const root = /trust add (\S+) --root '([^']+)'/.exec(standalone.output());
    await run(['trust', 'add', root?.[1] ?? '', '--root', root?.[2] ?? '']);
    const bundle = await standalone.get(`/reputation/${ORB}/certificate`, {
      accept: 'application/vnd.orb.bundle+json',
    });
    writeFileSync(join(folder, 'certificate.json'), await bundle.text());
    const list = await fetch(`${standalone.ready.url}/.well-known/orb-status-list/1`);
    writeFileSync(join(folder, 'list.jwt'), await list.text());
    const verified = await run(['verify', 'certificate.json', '--status-list', 'list.jwt']);
    expect([verified.status, verified.out.split('\n')[0]]).to.satisfy(
      () => verified.status === 0,
      `${verified.out}${verified.err}`,
    );
  });

  specificationTests({ standalone: () => standalone, orbId: ORB });

  it('runs in other namespaces, with its standing in the receipt, and its runs count', async () => {
    const answers: JsonObject[] = [];
    for (const tenant of TENANTS) for (let count = 0; count < RUNS; count += 1) answers.push(await execute(tenant));
    expect(answers.map((answer) => at(answer, 'receipt', 'trust_score'))).to.deep.equal(answers.map(() => 90));
    await untilTrue(
      'the runs are evaluated',
      async () => Number(at(await profile(), 'evidence', 'n_eff')) >= TENANTS.length * RUNS,
      30_000,
    );
    const scored = await profile();
    // The publisher's own run is the live case of the dry run; that of the first publication came before its entry.
    expect([at(scored, 'evidence', 'callers'), at(scored, 'evidence', 'excluded', 'self')]).to.deep.equal([3, 1]);
    expect(at(scored, 'certification_tier')).to.equal('bronze');
  });

  it('is never another one under the same version', async () => {
    writeFileSync(join(standalone.resources, 'ping.json'), manifest('Other words.'));
    const refused = async (): Promise<boolean> => {
      const answer = await standalone.post(
        '/orbisets/team/execute',
        { orb_id: ORB, inputs: { text: 'hi' } },
        keyOf('one'),
      );
      return codeOf(await answer.json()) === 'orb-differs-from-publication';
    };
    await untilTrue('other namespaces refuse the other bytes', refused, 30_000);
    const { status, err } = await publish('Other words.');
    expect([status, err.includes('version-immutable')]).to.deep.equal([2, true]);
    writeFileSync(join(standalone.resources, 'ping.json'), manifest('Answers.'));
    await untilTrue('the published bytes run again', async () => !(await refused()), 30_000);
  });

  it('keeps everything over a kill', async () => {
    const before = await profile();
    await standalone.stop('SIGKILL');
    standalone = await start();
    const after = await profile();
    for (const name of ['certification_tier', 'manifest_digest', 'tier_since'])
      expect(at(after, name), name).to.deep.equal(at(before, name));
    expect(at(await get('/marketplace/orbs'), 'total')).to.equal(1);
  });

  it('is yanked for good: off the lists, its certificate revoked', async () => {
    const yanked = await standalone.post(`/marketplace/orbs/${ORB}/status`, { status: 'yanked', reason: 'a test' });
    expect(yanked.status).to.equal(200);
    const revoked = async (): Promise<boolean> =>
      at(await get(`/reputation/${ORB}/certificate`), 'status') === 'revoked';
    await untilTrue('the certificate is revoked', revoked, 30_000);
    expect(at(await get('/marketplace/orbs/public'), 'total')).to.equal(0);
    const back = await standalone.post(`/marketplace/orbs/${ORB}/status`, { status: 'active', reason: 'a test' });
    expect([back.status, codeOf(await back.json())]).to.deep.equal([409, 'status-transition']);
    const again = await publish();
    expect([again.status, again.err.includes('version-tombstoned')]).to.deep.equal([2, true]);
    const list = await fetch(`${standalone.ready.url}/.well-known/orb-status-list/1`);
    writeFileSync(join(folder, 'list.jwt'), await list.text());
    const verified = await run(['verify', 'certificate.json', '--status-list', 'list.jwt']);
    expect([verified.status, verified.out.includes('revoked')], verified.out).to.deep.equal([3, true]);
  });
});
