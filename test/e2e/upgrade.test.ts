import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { isJsonObject } from '../../core/json/json-value.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { at } from '../../hack/control-plane/json.ts';
import { node, place, say } from '../support/e2e/node.ts';
import { checkLedger, checkLoad } from './support/ledger-check.ts';
import { descriptionAfter, startWriting, WRITTEN } from './support/live-writes.ts';
import { execute, GAP_MS, leastGap, startLoad, type LoadResult } from './support/load.ts';
import { eventually, PATIENCE_MS } from './support/patience.ts';
import { ensureRelease, helm, platformKubectl, rollBack, testRelease } from './support/release.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';
import { currentVersion, laterVersion, loadImageAs, packCharts, withNote, type Packages } from './support/versions.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../manifests/kubernetes/base');
const STEADY_MS = 4000;
const DEFINITIONS = 'orb-crds';
const SEPARATE = { crds: { enabled: false } };
const KINDS = 'orbs.orbs.dev,orbisets.orbs.dev';
const NOTE = 'kept by both';

const installDefinitions = (chart: string): Promise<string> =>
  helm(['upgrade', '--install', DEFINITIONS, chart, '-n', 'default', '--wait']);

/** They stay when their release goes, as its own: another release could not have them. */
async function removeDefinitions(): Promise<void> {
  await helm(['uninstall', DEFINITIONS, '-n', 'default', '--ignore-not-found']);
  await kubectlOk(node, ['delete', 'crd', '-l', 'app.kubernetes.io/part-of=orb-platform', '--timeout=240s']);
}

const report = (what: string, { runs, failed, gapMs }: LoadResult): void =>
  say(`      ${what}: ${runs.length} runs, ${failed.length} failed, gap ${(gapMs / 1000).toFixed(1)} s`);

async function stopApi(): Promise<void> {
  await platformKubectl('scale', 'deploy/orb-api', '--replicas=0');
  await platformKubectl('wait', 'pod', '-l', 'app.kubernetes.io/component=api', '--for=delete', '--timeout=240s');
}

describe('upgrade to the next version and back', function () {
  this.timeout(1_200_000);
  let stage: Stage;
  let folder: string;
  let first: Packages;
  let next: Packages;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-upgrade-'));
    const version = await currentVersion();
    first = await packCharts(folder, version);
    next = await packCharts(folder, laterVersion(version, 1), withNote);
    await loadImageAs(next.version);
    await removeDefinitions();
    await installDefinitions(first.definitions);
    stage = await setStage({ values: SEPARATE, chart: first.platform });
    // Objects as people have them, stored before anything changes.
    await kubectlOk(node, [
      'apply',
      '--server-side',
      '-n',
      stage.providers.tenant.name,
      '-f',
      join(EXAMPLES, 'echo.yaml'),
    ]);
    await kubectlOk(node, [
      'apply',
      '--server-side',
      '-n',
      stage.providers.tenant.name,
      '-f',
      join(EXAMPLES, 'mail.yaml'),
    ]);
  });
  after(async () => {
    await stage.close();
    await removeDefinitions();
    await rm(folder, { recursive: true });
  });

  const specs = async (): Promise<ReadonlyMap<string, unknown>> => {
    const list: unknown = JSON.parse(await stage.providers.tenant.kubectl('get', KINDS, '-o', 'json'));
    const items = at(list, 'items');
    const all = (Array.isArray(items) ? items : []).filter(isJsonObject);
    return new Map(
      all
        .filter((item) => at(item, 'metadata', 'name') !== WRITTEN)
        .map((item) => [`${String(at(item, 'kind'))} ${String(at(item, 'metadata', 'name'))}`, item['spec']]),
    );
  };

  const served = async (): Promise<unknown> => at((await stage.api.get('/health')).body, 'version');

  const checkOnce = async (version: string, work: () => Promise<unknown>): Promise<number> => {
    const { tenant, all } = stage.providers;
    const before = await specs();
    const [load, writes] = [startLoad(stage.api, SEND), startWriting(tenant)];
    await delay(STEADY_MS);
    await work();
    await delay(STEADY_MS);
    const { count, refused } = await writes.stop();
    const result = await load.stop();
    report(`to ${version}`, result);
    expect(refused, 'refused writes').to.deep.equal([]);
    expect(await served(), 'the version that answers').to.equal(version);
    await checkLoad(stage.api, result, all);
    expect(await specs(), 'stored objects').to.deep.equal(before);
    const written = await tenant.until(
      `orb/${WRITTEN}`,
      ({ metadata, status }) => at(status, 'observedGeneration') === metadata.generation,
      PATIENCE_MS,
    );
    expect(at(written.spec, 'description')).to.equal(descriptionAfter(count));
    expect(await testRelease()).to.contain('Succeeded');
    return result.gapMs;
  };

  const checkRelease = async (version: string, work: () => Promise<unknown>): Promise<void> => {
    let rounds = 0;
    const gap = await leastGap(async () => {
      if (rounds > 0) await rollBack();
      rounds += 1;
      return checkOnce(version, work);
    });
    expect(gap, 'ms without an answered run').to.be.lessThan(GAP_MS);
  };

  it('upgrades definitions and platform under load and live writes', () =>
    checkRelease(next.version, async () => {
      await installDefinitions(next.definitions);
      await ensureRelease({ ...stage.providers.values, ...SEPARATE }, next.platform);
    }));

  it('keeps what was stored with a new member when it goes back under load', async () => {
    const noted = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata: { name: 'noted' } };
    await stage.providers.tenant.apply({ ...noted, spec: { note: NOTE } });
    await checkRelease(first.version, rollBack);
    await stage.providers.tenant.kubectl('annotate', 'orbiset/noted', 'seen-by=the-old-version');
    expect(at((await stage.providers.tenant.get('orbiset/noted'))?.spec, 'note')).to.equal(NOTE);
  });

  it('has an API that refuses a ledger of a newer program, says why, and goes on when it is mended', async () => {
    const { receiptId } = await execute(stage.api, SEND, `before-${Date.now()}`);
    const volume = await platformKubectl('get', 'pvc/orb-ledger', '-o', 'jsonpath={.spec.volumeName}');
    const file = join(place.state, 'var-lib/volumes', volume, 'ledger/ledger.sqlite');
    const raise = (by: number): void => {
      const db = new DatabaseSync(file);
      db.prepare('UPDATE schema_version SET version = version + ?').run(by);
      db.close();
    };
    await stopApi();
    raise(1);
    await platformKubectl('scale', 'deploy/orb-api', '--replicas=1');
    const path = 'jsonpath={.items[*].status.containerStatuses[*].lastState.terminated.message}';
    const message = await eventually(async () => {
      const text = await platformKubectl('get', 'pods', '-l', 'app.kubernetes.io/component=api', '-o', path);
      return text === '' ? undefined : text;
    });
    say(`      the pod says: ${message?.trim()}`);
    expect(message).to.match(/schema version \d+, this program knows versions up to \d+: a newer program wrote it/);
    await stopApi();
    raise(-1);
    await platformKubectl('scale', 'deploy/orb-api', '--replicas=1');
    await platformKubectl('rollout', 'status', 'deploy/orb-api', '--timeout=300s');
    const after = await execute(stage.api, SEND, `after-${Date.now()}`);
    expect(after.fault).to.equal('');
    await checkLedger(stage.api, [receiptId, after.receiptId]);
  });
});
