import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { at, textAt } from '../../support/members.ts';
import { anOrbProcess, type OrbEnded } from '../../support/orb-process.ts';
import type { TestProvider } from '../../support/provider.ts';
import {
  AFTER_RUNS,
  BEFORE_RUNS,
  CALLERS,
  everywhere,
  runAsEach,
  shownEverywhere,
  startWalkProvider,
  walkManifest,
  walkSuite,
} from '../../support/published-walk.ts';
import { codeOf, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { untilTrue, waitFor } from '../../support/wait-for.ts';
import { specificationTests } from './specification-client.ts';

const ORB = 't.ping@1.0.0';
const TENANTS = Array.from({ length: CALLERS }, (_, index) => `caller-${index}`);

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
  let providerFlags: readonly string[];
  let standalone: Standalone;
  /** Of all callers. */
  let callersKey: string;

  const start = (): Promise<Standalone> =>
    startStandalone({
      data,
      resources: {
        'ping.json': walkManifest(ORB),
        'tenants.yaml': TENANTS.map(tenantOrbiset).join('\n---\n'),
      },
      flags: [...providerFlags, '--reputation-interval', '1s'],
    });
  const orb = (...argv: readonly string[]): Promise<OrbEnded> =>
    run([...argv, '--data', standalone.data], { env: { ORB_SERVER: standalone.ready.url } });
  const publish = (description?: string, ...more: readonly string[]): Promise<OrbEnded> => {
    const files = join(folder, 'orb');
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, 'ping.json'), walkManifest(ORB, description));
    writeFileSync(join(files, 'ping.orbtest.json'), JSON.stringify(walkSuite('t.ping')));
    return orb('publish', join(files, 'ping.json'), ...more);
  };
  const get = async (path: string): Promise<JsonValue> => jsonOf(await (await standalone.get(path)).json());
  const profile = (): Promise<JsonValue> => get(`/reputation/${ORB}`);
  /** Runs once for the publisher. @returns index of the run's entry in the log */
  async function indexOfRun(): Promise<number> {
    const answer = await standalone.post('/orbisets/default/execute', { orb_id: ORB, inputs: { text: 'hi' } });
    const receiptId = textAt(jsonOf(await answer.json()), 'receipt', 'receipt_id');
    const index = await waitFor(async () => at(await get(`/receipts/${receiptId}`), 'log', 'index'));
    return Number(index);
  }
  const asTenant = (tenant: string): Promise<Response> =>
    standalone.post(
      `/orbisets/${tenant}.team/execute`,
      { orb_id: ORB, inputs: { text: 'hi' } },
      { authorization: `Bearer ${callersKey}` },
    );

  const differs = async (): Promise<boolean> =>
    codeOf(await (await asTenant(TENANTS[0] ?? '')).json()) === 'orb-differs-from-publication';

  before(async () => {
    ({ provider, flags: providerFlags } = await startWalkProvider(folder));
    standalone = await start();
    const tenants = TENANTS.flatMap((tenant) => ['--tenant', tenant]);
    const made = await orb('keys', 'create', ...tenants, '--scope', 'orbs:execute');
    callersKey = made.out.trim().split('\n').at(-1)?.trim() ?? '';
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
    const { status, out } = await publish(undefined, '--dry-run');
    expect([status, out.startsWith('It can be published.')]).to.deep.equal([0, true]);
    expect(at(await get('/marketplace/orbs'), 'total')).to.equal(1);
  });

  it('has the same score and tier in profile, lists, certificate and badge', async () => {
    expect(await shownEverywhere(standalone.get, ORB)).to.deep.equal(everywhere(BEFORE_RUNS));
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
    const trust: unknown[] = [];
    await runAsEach(async (caller) => {
      const answer = await asTenant(TENANTS[caller] ?? '');
      const value = jsonOf(await answer.json());
      expect([answer.status, codeOf(value)]).to.deep.equal([200, '']);
      trust.push(at(value, 'receipt', 'trust_score'));
    });
    // All but `isolation`: the provider is an exception of the test.
    expect(new Set(trust)).to.deep.equal(new Set([90]));
    const counted = async (): Promise<boolean> => at(await profile(), 'evidence', 'n_eff') === trust.length;
    await untilTrue('the runs are evaluated', counted, 30_000);
    const scored = await profile();
    // The publisher's own run is the live case of the dry run; that of the first publication came before its entry.
    expect([at(scored, 'evidence', 'callers'), at(scored, 'evidence', 'excluded', 'self')]).to.deep.equal([CALLERS, 1]);
    // The public list may show a score a second later than the profile.
    await untilTrue(
      'all places show the score',
      async () => isDeepStrictEqual(await shownEverywhere(standalone.get, ORB), everywhere(AFTER_RUNS)),
      10_000,
    );
  });

  it('writes nothing when the same is published again', async () => {
    const report = join(folder, 'report.json');
    const tested = await orb('test', join(folder, 'orb/ping.json'), '--orbiset', 'default', '--report', report);
    expect(tested.status, tested.err).to.equal(0);
    const again = {
      manifest: jsonOf(JSON.parse(walkManifest(ORB))),
      test_results: jsonOf(JSON.parse(readFileSync(report, 'utf8'))),
      test_suites: [walkSuite('t.ping')],
    };
    const statusOfPublish = async (): Promise<number> => {
      const answer = await standalone.post('/marketplace/orbs/publish', again);
      await answer.body?.cancel();
      return answer.status;
    };
    // The report is new: it has an entry.
    expect(await statusOfPublish()).to.equal(200);
    const before = await indexOfRun();
    expect([await statusOfPublish(), await statusOfPublish()]).to.deep.equal([200, 200]);
    expect(await indexOfRun()).to.equal(before + 1);
  });

  it('is never another one under the same version', async () => {
    writeFileSync(join(standalone.resources, 'ping.json'), walkManifest(ORB, 'Other words.'));
    await untilTrue('other namespaces refuse the other bytes', differs, 30_000);
    const { status, err } = await publish('Other words.');
    expect([status, err.includes('version-immutable')]).to.deep.equal([2, true]);
    writeFileSync(join(standalone.resources, 'ping.json'), walkManifest(ORB));
    await untilTrue('the published bytes run again', async () => !(await differs()), 30_000);
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
