import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';

const LABELS = { 'app.kubernetes.io/part-of': 'orb-platform', 'app.kubernetes.io/component': 'api' };

/** A Service of the platform whose one pod is a port of this machine. */
export interface ForwardedService {
  readonly namespace: string;
  readonly node: string;
  /** Of a fake kubelet. */
  readonly kubeletPort: number;
  /** Where the API listens, on loopback. */
  readonly apiPort: number;
}

/** Makes Service, Node and a pod that is ready. The node is no part of the namespace: the caller deletes it. */
export async function makeForwardedService(
  plane: ControlPlane,
  { namespace, node, kubeletPort, apiPort }: ForwardedService,
): Promise<void> {
  const container = { name: 'api', image: 'none', ports: [{ name: 'web', containerPort: apiPort }] };
  const items = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'orb-platform-api', namespace, labels: LABELS },
      spec: { selector: LABELS, ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
    },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: node } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'api-0', namespace, labels: LABELS },
      spec: { nodeName: node, containers: [container] },
    },
  ];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], list);
  const setStatus = (args: readonly string[], status: object): Promise<string> =>
    kubectlOk(plane, [
      'patch',
      ...args,
      '--subresource',
      'status',
      '--type',
      'merge',
      '-p',
      JSON.stringify({ status }),
    ]);
  await setStatus(['node', node], {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
  });
  await setStatus(['pod', 'api-0', '-n', namespace], {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
  });
}
