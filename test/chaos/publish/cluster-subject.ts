import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { at, listAt } from '../../../hack/control-plane/json.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { apiKeySecret } from '../../support/cluster-objects.ts';
import { ledgerFileOf } from '../../support/data-ledger.ts';
import { SHORT_LEASE, startOperator } from '../../support/operator-process.ts';
import { startProvider } from '../../support/provider.ts';
import { applySpec, pathOf, type World } from '../operator/world.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import { CLUSTER_AIMS } from './aims.ts';
import { KubernetesAway } from './away.ts';
import type { ShownVersion } from './check-version.ts';
import type { Running, Subject } from './subject.ts';
import type { Track } from './track.ts';
import { ORG, type Version } from './version.ts';

/** The API of a cluster, with an operator that is not killed. */
export interface ClusterSubject extends Subject {
  /** Folder of the API's data. */
  readonly data: string;
  /** Ends everything, and removes the data. */
  readonly close: () => Promise<void>;
}

const ORBISET = 'support';
const ALL_LINES = 100_000;

const conditionOf = (object: unknown, type: string): unknown =>
  at(
    listAt(object, 'status', 'conditions').find((condition) => at(condition, 'type') === type),
    'status',
  );

const differs = (what: string, found: unknown, expected: unknown): readonly string[] =>
  found === expected ? [] : [`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];

/** What the one OrbPublication of a version lacks. A yank takes the certificate, not the tier that `Certified` shows. */
function statusLacks(
  object: unknown,
  { status }: Track,
  { jwt }: ShownVersion,
  publishIndex: number,
): readonly string[] {
  const certificate = status === 'yanked' ? undefined : sha256Hex(jwt);
  return [
    ...differs('Published of its object', conditionOf(object, 'Published'), 'True'),
    ...differs('Certified of its object', conditionOf(object, 'Certified'), 'True'),
    ...differs('Ready of its object', conditionOf(object, 'Ready'), 'True'),
    ...differs('the listing of its object', at(object, 'status', 'listing'), status),
    ...differs('the log index of its object', at(object, 'status', 'logIndex'), publishIndex),
    ...differs('the certificate of its object', at(object, 'status', 'certificate', 'sha256'), certificate),
  ];
}

/**
 * @param random in [0, 1), seeded
 * @param faults receives what its processes complain about
 */
export async function openClusterSubject(
  world: World,
  random: () => number,
  faults: string[],
): Promise<ClusterSubject> {
  const { plane, namespace } = world;
  const provider = await startProvider();
  const origin = `http://127.0.0.1:${provider.port}`;
  const owner = apiKeySecret(
    [namespace],
    ['orbs:execute', 'receipts:read', 'marketplace:publish', 'marketplace:read', 'reputation:read'],
  );
  await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
  await applySpec(world, 'orbisets', ORBISET, { vault: { secrets: [] } });
  const allow = ['--egress-allow', origin];
  const flags = [...allow, '--org', `${ORG}=${namespace}`, '--reputation-interval', '1s'];
  const operator = await startOperator(plane, { flags: [...SHORT_LEASE, ...allow] });
  let api: ApiProcess = await startApi(plane, flags);
  await api.process.stop();
  const away = new KubernetesAway(api.proxy, random);
  const applied = new Set<string>();

  const publications = (): Promise<readonly unknown[]> => world.api.list(pathOf(world, 'orbpublications'));
  const kill = async (): Promise<void> => {
    api.process.kill('SIGKILL');
    await api.process.exited;
    faults.push(...checkOutput(api.process.tail(ALL_LINES)));
  };
  const start = async (versions: readonly Version[]): Promise<Running> => {
    for (const { name, manifest } of versions.filter((version) => !applied.has(version.name))) {
      await applySpec(world, 'orbs', name, manifest);
      applied.add(name);
    }
    away.endSoon();
    api = await api.restart();
    const { url, data, process } = api;
    const ledgerFile = ledgerFileOf(data);
    return { url, key: owner.key, readyAt: performance.now(), ledgerFile, kill, stop: () => process.stop() };
  };
  return {
    aims: CLUSTER_AIMS,
    providerUrl: `${origin}/ok`,
    orbiset: ORBISET,
    data: api.data,
    start,
    killEarly: () => Promise.reject(new TypeError('the API of a cluster is killed when it is ready')),
    apply: async ({ name }, spec) => {
      const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPublication', metadata: { name }, spec };
      await kubectlOk(plane, ['-n', namespace, 'apply', '-f', '-'], JSON.stringify(object));
    },
    isReported: async ({ name }) => {
      const { body } = await world.api.call('GET', pathOf(world, 'orbpublications', name));
      return conditionOf(body, 'Published') === 'True';
    },
    disturb: away.begin,
    objectLacks: async (track, shown, publishIndex) => {
      const { orbId } = track.version;
      const own = (await publications()).filter((object) => at(object, 'spec', 'manifest', 'orb_id') === orbId);
      if (own.length !== 1) return [`it has ${own.length} OrbPublications`];
      return statusLacks(own[0], track, shown, publishIndex);
    },
    close: async () => {
      away.end();
      await operator.stop();
      await api.stop();
      await provider.close();
    },
  };
}
