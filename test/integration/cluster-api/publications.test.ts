import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { apiKeySecret, orbiset } from '../../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { kstatus } from '../../support/kstatus.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { anOrbProcess } from '../../support/orb-process.ts';
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
import { at } from '../../support/members.ts';
import { jsonOf } from '../../support/suites.ts';
import { untilTrue, waitFor } from '../../support/wait-for.ts';

const PUBLICATION = 'orbpublication/echo';
const API = 'orbs.dev/v1alpha1';

const isPublished = (object: KubeObject): boolean => conditionOf(object, 'Published')?.status === 'True';
const isReady = (object: KubeObject): boolean => conditionOf(object, 'Ready')?.status === 'True';
const reasonOf = (object: KubeObject, type: string): string | undefined => conditionOf(object, type)?.reason;
const readyFor =
  (reason: string): ((object: KubeObject) => boolean) =>
  (object) =>
    reasonOf(object, 'Ready') === reason;
const listingIs =
  (listing: string): ((object: KubeObject) => boolean) =>
  (object) =>
    statusOf(object)['listing'] === listing;
const fileJson = (path: string): JsonValue => jsonOf(JSON.parse(readFileSync(path, 'utf8')));
const objectOf = (value: JsonValue): JsonObject => (isJsonObject(value) ? value : {});

const manifestOf = (orbId: string): JsonObject => objectOf(jsonOf(JSON.parse(walkManifest(orbId))));

const publication = (name: string, spec: JsonObject): object => ({
  apiVersion: API,
  kind: 'OrbPublication',
  metadata: { name },
  spec,
});

const TENANTS = Array.from({ length: CALLERS }, (_, index) => `h15-caller-${index}`);

/** Namespaces whose Orbisets list the Orb of another one. */
const callerObjects = TENANTS.flatMap((namespace) => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: API, kind: 'Orbiset', metadata: { name: 'team', namespace }, spec: { orbs: ['h15.echo'] } },
]);

describe('publications of a cluster (trust.md §8)', function suite() {
  this.timeout(120_000);
  const { folder, run } = anOrbProcess();
  const owner = apiKeySecret(
    ['h15-crew'],
    ['orbs:execute', 'receipts:read', 'marketplace:publish', 'marketplace:read', 'reputation:read'],
  );
  const crowd = apiKeySecret(TENANTS, ['orbs:execute']);
  const platform = apiKeySecret(['orb-system'], ['marketplace:publish', 'admin']);
  let plane: ControlPlane;
  let provider: TestProvider;
  let api: ApiProcess;
  let operator: OperatorProcess;
  let team: TestNamespace;
  let other: TestNamespace;

  const post = async (key: string, path: string, body: JsonValue): Promise<ApiReply> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { code = '', ...others } = objectOf(jsonOf(await response.json()));
    return { status: response.status, code: typeof code === 'string' ? code : '', body: others };
  };
  const setStatus = (key: string, orbId: string, status: string): Promise<ApiReply> =>
    post(key, `/marketplace/orbs/${orbId}/status`, { status, reason: 'by a test' });
  const untilTier = (status: string): Promise<KubeObject> =>
    team.until(PUBLICATION, (found) => statusOf(found)['tierStatus'] === status);
  /** Number of log entries, from the checkpoint. */
  const logSize = async (): Promise<string | undefined> =>
    (await (await fetch(`${api.url}/log/checkpoint`)).text()).split('\n')[1];

  /** What `orb test` says about a version: manifest, report and suites. */
  async function tested(orbId: string): Promise<JsonObject> {
    const manifest = manifestOf(orbId);
    const [file, suiteFile] = [join(folder, 'echo.json'), join(folder, 'echo.orbtest.json')];
    writeFileSync(file, JSON.stringify(manifest));
    writeFileSync(suiteFile, JSON.stringify(walkSuite('h15.echo')));
    const flags = ['--orbiset', 'h15-crew.support', '--live'];
    const argv = ['test', file, suiteFile, ...flags, '--report', 'report.json'];
    const { status, out, err } = await run(argv, { env: { ORB_SERVER: api.url, ORB_API_KEY: owner.key } });
    expect(status, out + err).to.equal(0);
    return {
      manifest,
      test_results: fileJson(join(folder, 'report.json')),
      test_suites: [fileJson(suiteFile)],
    };
  }

  const applyOrb = (name: string, orbId: string): Promise<void> =>
    team.apply({ apiVersion: API, kind: 'Orb', metadata: { name }, spec: manifestOf(orbId) });

  async function untilRuns(orbId: string): Promise<void> {
    const ran = await waitFor(async () => {
      const reply = await api.execute(owner.key, 'support', orbId);
      return reply.status === 200 ? reply : undefined;
    }, 10_000);
    expect(ran?.status).to.equal(200);
  }

  before(async () => {
    plane = await sharedControlPlane();
    const walk = await startWalkProvider(folder);
    ({ provider } = walk);
    team = await testNamespace(plane, 'h15-crew');
    other = await testNamespace(plane, 'h15-other');
    const items = [owner, platform, crowd].map(({ document }) => document);
    await kubectlOk(
      plane,
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...items, ...callerObjects] }),
    );
    api = await startApi(plane, [...walk.flags, '--org', 'h15=h15-crew', '--reputation-interval', '1s']);
    operator = await startOperator(plane, { flags: SHORT_LEASE });
    await team.apply(orbiset('support', []));
    await applyOrb('echo', 'h15.echo@1.0.0');
    await untilRuns('h15.echo@1.0.0');
  });
  after(async () => {
    const secrets = [owner, platform, crowd].map(({ name }) => name);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', ...secrets, '--ignore-not-found']);
    await kubectlOk(plane, ['delete', 'namespace', ...TENANTS, '--wait=false', '--ignore-not-found']);
    await team.remove();
    await other.remove();
    await operator.stop();
    await api.stop();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = (path: string): Promise<Response> =>
    fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${owner.key}` } });
  const profileNow = async (): Promise<JsonObject> =>
    objectOf(jsonOf((await api.get(owner.key, '/reputation/h15.echo@1.0.0')).body));

  it('are published, certified and Ready once they are applied with a report of orb test', async () => {
    const spec = await tested('h15.echo@1.0.0');
    await team.apply(publication('echo', spec));
    await team.kubectl('wait', PUBLICATION, '--for=condition=Ready', '--timeout=30s');
    const object = await team.until(PUBLICATION, (found) => isPublished(found) && isReady(found));
    expect([kstatus(object), reasonOf(object, 'Certified'), reasonOf(object, 'OrbMatches')]).to.deep.equal([
      'Current',
      'Certified',
      'OrbApplied',
    ]);
    const status = statusOf(object);
    expect(status).to.include({ certificationTier: 'bronze', listing: 'active', tierStatus: 'stable' });
    expect(status['validationReport']).to.include({ valid: true, orb_id: 'h15.echo@1.0.0' });
    expect(objectOf(status['certificate'] ?? null)['sha256']).to.match(/^[0-9a-f]{64}$/);
    const profile = await api.get(owner.key, '/reputation/h15.echo@1.0.0');
    expect(profile.body).to.include({
      certification_tier: status['certificationTier'],
      reputation_score: status['reputationScore'],
    });
  });

  it('show the same score everywhere, also after 100 runs by 10 tenants', async () => {
    expect(await shownEverywhere(get, 'h15.echo@1.0.0')).to.deep.equal(everywhere(BEFORE_RUNS));
    await runAsEach(async (caller) => {
      const reply = await api.execute(crowd.key, `${TENANTS[caller]}.team`, 'h15.echo@1.0.0');
      expect([reply.status, reply.code]).to.deep.equal([200, '']);
    });
    // The score of the last runs may be that of fewer runs.
    const seesAll = async (): Promise<boolean> => at(await profileNow(), 'evidence', 'n_eff') === 100;
    await untilTrue('all runs are evaluated', seesAll, 30_000);
    const profile = await profileNow();
    const object = await team.until(PUBLICATION, (found) => {
      const { reputationScore, confidence } = statusOf(found);
      return reputationScore === AFTER_RUNS.score && confidence === profile['confidence'];
    });
    expect([statusOf(object)['certificationTier'], isReady(object)]).to.deep.equal([AFTER_RUNS.tier, true]);
    // The public list may show a score a second later than the profile.
    const shows = async (): Promise<boolean> =>
      isDeepStrictEqual(await shownEverywhere(get, 'h15.echo@1.0.0'), everywhere(AFTER_RUNS));
    await untilTrue('all places show the score', shows, 10_000);
    expect(at(profile, 'evidence', 'callers')).to.equal(CALLERS);
    await team.kubectl('wait', PUBLICATION, '--for=condition=Ready', '--timeout=30s');
  });

  it('that are applied again, or found by another process, write nothing', async () => {
    const before = await team.until(PUBLICATION, isReady);
    const size = await logSize();
    await team.apply(publication('echo', objectOf(jsonOf(before.spec))));
    api = await api.restart();
    // A word on this one shows that the new process has begun.
    await team.apply(publication('untested', { manifest: manifestOf('h15.untested@1.0.0'), test_results: {} }));
    await team.until('orbpublication/untested', (object) => conditionOf(object, 'Published') !== undefined);
    const after = await team.until(PUBLICATION, isReady);
    expect(after.metadata).to.deep.equal(before.metadata);
    expect(after.status).to.deep.equal(before.status);
    expect(await logSize()).to.equal(size);
  });

  it('keep their orb_id, and the oldest of two with one id holds it', async () => {
    const spec = objectOf(jsonOf((await team.until(PUBLICATION, isReady)).spec));
    const renamed = { ...spec, manifest: { ...objectOf(spec['manifest'] ?? null), orb_id: 'h15.echo@1.0.1' } };
    const refused = await team.apply(publication('echo', renamed)).catch(String);
    expect(String(refused)).to.include("orb_id can't change");
    await team.apply(publication('twin', spec));
    const twin = await team.until('orbpublication/twin', readyFor('OrbIdConflict'));
    expect([kstatus(twin), conditionOf(twin, 'Published')]).to.deep.equal(['Failed', undefined]);
    await team.kubectl('delete', 'orbpublication/twin');
  });

  it('of another namespace are refused without being stalled, as the organisation may change', async () => {
    const spec = objectOf(jsonOf((await team.until(PUBLICATION, isReady)).spec));
    await other.apply(publication('foreign', spec));
    const foreign = await other.until('orbpublication/foreign', readyFor('NamespaceNotOwned'));
    expect([kstatus(foreign), conditionOf(foreign, 'Stalled')]).to.deep.equal(['InProgress', undefined]);
  });

  it('stall with the code of the first error', async () => {
    const spec = await tested('h15.echo@1.0.0');
    const manifest = manifestOf('h15.broken@1.0.0');
    await team.apply(publication('broken', { ...spec, manifest }));
    const broken = await team.until('orbpublication/broken', (object) => conditionOf(object, 'Stalled') !== undefined);
    expect(reasonOf(broken, 'Ready')).to.match(/^(?:Test|Suite)[A-Za-z]+$/);
    expect([kstatus(broken), reasonOf(broken, 'Published')]).to.deep.equal(['Failed', reasonOf(broken, 'Ready')]);
  });

  it('are made of versions that were published over HTTP, once, and say that the Orb is not there', async () => {
    const name = 'h15.echo-1.1.0';
    await applyOrb('later', 'h15.echo@1.1.0');
    await untilRuns('h15.echo@1.1.0');
    const spec = await tested('h15.echo@1.1.0');
    expect((await post(owner.key, '/marketplace/orbs/publish', spec)).status).to.equal(201);
    const view = await team.until(`orbpublication/${name}`, isReady);
    expect(objectOf(jsonOf(view.spec))['test_results']).to.deep.equal(spec['test_results']);
    await team.kubectl('delete', 'orb/later');
    const bare = await team.until(
      `orbpublication/${name}`,
      (object) => reasonOf(object, 'OrbMatches') === 'OrbNotApplied',
    );
    expect(JSON.stringify(statusOf(bare)['validationReport'])).to.include('orb-not-applied');
    await team.kubectl('delete', `orbpublication/${name}`);
    expect((await post(owner.key, '/marketplace/orbs/publish', spec)).status).to.equal(200);
    expect(await team.get(`orbpublication/${name}`)).to.equal(undefined);
  });

  it('show that the platform suspended them, whose runs are refused, and the end of that', async () => {
    expect((await setStatus(platform.key, 'h15.echo@1.0.0', 'suspended')).status).to.equal(200);
    const suspended = await team.until(PUBLICATION, listingIs('suspended'));
    expect([isReady(suspended), statusOf(suspended)['certificate']]).to.deep.equal([true, undefined]);
    const refused = await api.execute(owner.key, 'support', 'h15.echo@1.0.0');
    expect([refused.status, refused.code]).to.deep.equal([503, 'orb-suspended']);
    expect((await setStatus(platform.key, 'h15.echo@1.0.0', 'active')).status).to.equal(200);
    await team.until(PUBLICATION, listingIs('active'));
    await untilRuns('h15.echo@1.0.0');
  });

  it('are refused too while the platform suspends their organisation', async () => {
    const reason = 'an incident';
    const setOrg = (status: string) => post(platform.key, '/marketplace/orgs/h15/status', { status, reason });
    expect((await setOrg('suspended')).status).to.equal(200);
    const refused = await api.execute(owner.key, 'support', 'h15.echo@1.0.0');
    expect([refused.status, refused.code]).to.deep.equal([503, 'orb-suspended']);
    await untilTier('suspended');
    expect((await setOrg('restored')).status).to.equal(200);
    await untilTier('stable');
    await untilRuns('h15.echo@1.0.0');
  });

  it('show that they were yanked over HTTP', async () => {
    expect((await setStatus(owner.key, 'h15.echo@1.0.0', 'yanked')).status).to.equal(200);
    const yanked = await team.until(PUBLICATION, listingIs('yanked'));
    expect([isReady(yanked), statusOf(yanked)['certificate']]).to.deep.equal([true, undefined]);
    const certificate = await api.get(owner.key, '/reputation/h15.echo@1.0.0/certificate');
    expect(certificate.body).to.include({ status: 'revoked' });
    const listed = JSON.stringify((await api.get(owner.key, '/marketplace/orbs')).body);
    expect(listed).to.include('"orb_id":"h15.echo@1.1.0"').and.not.to.include('"orb_id":"h15.echo@1.0.0"');
  });
});
