import { randomUUID } from 'node:crypto';
import { kubectlOk } from '../../../../hack/control-plane/install.ts';
import { at } from '../../../../hack/control-plane/json.ts';
import { startApi, type ApiProcess } from '../../../support/api-process.ts';
import { apiKeySecret, orb, orbiset } from '../../../support/cluster-objects.ts';
import { ledgerFileOf } from '../../../support/data-ledger.ts';
import { lastAnswer } from '../../../support/wait-for.ts';
import type { ControlPlane } from '../../../../hack/control-plane/control-plane.ts';
import { createAdminApi } from '../../rig/admin-api.ts';
import type { CountingProxy } from '../../rig/counting-proxy.ts';
import { checkOutput } from '../../rig/oracles/process-health.ts';
import { startTextProvider } from '../../text-provider.ts';
import { OBJECT_AIMS, ROW_AIMS } from './aims.ts';
import { outcomeOf, policyClient } from './client.ts';
import type { ChangeSubject } from './subject.ts';

const ORB = 'chaos.send@1.0.0';
const ORBISET = 'support';
const SCOPES = ['orbs:execute', 'receipts:read', 'policies:read', 'policies:write', 'policies:simulate'] as const;
const ALL_LINES = 100_000;
const READY_MS = 20_000;

/** The API of a cluster, behind a proxy of the API server. There is no operator. */
export interface ClusterSubject extends ChangeSubject {
  readonly proxy: CountingProxy;
  /** Applies a policy as a user would. */
  readonly apply: (policy: object) => Promise<void>;
}

/** @param faults receives what its processes complain about */
export async function openClusterSubject(
  plane: ControlPlane,
  namespace: string,
  faults: string[],
): Promise<ClusterSubject> {
  const provider = await startTextProvider();
  const origin = `http://127.0.0.1:${provider.port}`;
  const admin = createAdminApi(plane.server.url, plane.ca, plane.users.admin.token);
  const caller = apiKeySecret([namespace], SCOPES);
  const approver = apiKeySecret([namespace], ['policies:approve']);
  const objects = [orb('send', ORB, { url: `${origin}/` }), orbiset(ORBISET, [])];
  const apply = async (...documents: readonly object[]): Promise<void> => {
    const items = documents.map((document) => ({ metadata: {}, ...document }));
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await kubectlOk(plane, ['apply', '--server-side', '-n', namespace, '-f', '-'], list);
  };
  await apply(...objects);
  for (const { document } of [caller, approver]) await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(document));
  let api: ApiProcess = await startApi(plane, ['--egress-allow', origin]);
  await api.process.stop();

  const kill = async (): Promise<void> => {
    api.process.kill('SIGKILL');
    await api.process.exited;
  };
  return {
    namespace,
    aims: [...OBJECT_AIMS, ...ROW_AIMS],
    data: api.data,
    called: provider.called,
    proxy: api.proxy,
    apply: (policy) => apply(policy),
    log: () => api.log(),
    start: async () => {
      faults.push(...checkOutput(api.process.tail(ALL_LINES)));
      api = await api.restart();
      const { key } = caller;
      const client = policyClient({
        url: api.url,
        key,
        approverKey: approver.key,
        namespace,
        orbiset: ORBISET,
        orbId: ORB,
      });
      // Keys and Orbs are read after the process is ready.
      const said = await lastAnswer(
        async () => outcomeOf(await client.run(`allowed-${randomUUID()}`)),
        (last) => last === '200',
        READY_MS,
        50,
      );
      if (said !== '200') throw new Error(`the API is not ready for a run: ${said}`);
      const { process } = api;
      return { client, ledgerFile: ledgerFileOf(api.data), kill, stop: () => process.stop() };
    },
    killAtWrite: (name, { verb, subresource, when }, dying) =>
      new Promise((resolve) => {
        const remove = api.proxy.addRule(({ request }) => {
          if (request.resource !== 'orbpolicies' || request.name !== name) return undefined;
          if (request.verb !== verb || request.subresource !== subresource) return undefined;
          remove();
          return { kind: 'kill', when, kill: () => dying().then(resolve) };
        });
      }),
    shown: async (name) => {
      const path = `/apis/orbs.dev/v1alpha1/namespaces/${namespace}/orbpolicies/${name}`;
      const { status, body } = await admin.call('GET', path);
      const digest = at(body, 'status', 'activeDigest');
      return status === 200 && typeof digest === 'string' ? digest : '';
    },
    close: async () => {
      admin.close();
      provider.close();
      for (const { name } of [caller, approver])
        await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', name, '--ignore-not-found']);
      await api.stop();
    },
  };
}
