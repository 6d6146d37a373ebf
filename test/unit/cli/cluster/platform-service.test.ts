import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { findPlatformPod } from '../../../../cli/cluster/platform-service.ts';
import { Failure } from '../../../../cli/io/failure.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';

const LABELS = { 'app.kubernetes.io/part-of': 'orb-platform', 'app.kubernetes.io/component': 'api' };
const signal = new AbortController().signal;

describe('findPlatformPod', () => {
  let cluster: ACluster;
  beforeEach(() => (cluster = aCluster()));

  const service = (spec: object, labels: Record<string, string> = LABELS): void =>
    void cluster.kube.put(KINDS.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'api', namespace: 'orb-system', labels },
      spec,
    });
  const pod = (name: string, ready: string, metadata: object = {}): void =>
    void cluster.kube.put(KINDS.pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'orb-system', labels: { app: 'api' }, ...metadata },
      spec: { containers: [{ name: 'side' }, { name: 'api', ports: [{ name: 'web', containerPort: 8080 }] }] },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    });
  const find = async (): Promise<unknown> => {
    try {
      const { target, host, tls } = await findPlatformPod(await cluster.open({}), 'orb-system', signal);
      return [target.pod, target.port, host, tls];
    } catch (error) {
      return error instanceof Failure ? `${error.exit} ${error.message}\n${error.next.join('\n')}` : error;
    }
  };
  const selector = { app: 'api' };

  const ports: readonly [string, readonly object[], unknown][] = [
    ['a number', [{ port: 80, targetPort: 9000 }], ['a', 9000, 'api.orb-system.svc', false]],
    ['a name of a container', [{ port: 80, targetPort: 'web' }], ['a', 8080, 'api.orb-system.svc', false]],
    ['the port itself', [{ port: 8081 }], ['a', 8081, 'api.orb-system.svc', false]],
    [
      'the one named http, not the first',
      [
        { name: 'metrics', port: 1 },
        { name: 'http', port: 2 },
      ],
      ['a', 2, 'api.orb-system.svc', false],
    ],
    [
      'the one named https before it, with TLS',
      [
        { name: 'http', port: 2 },
        { name: 'https', port: 3 },
      ],
      ['a', 3, 'api.orb-system.svc', true],
    ],
    ['TLS by appProtocol', [{ port: 4, appProtocol: 'kubernetes.io/https' }], ['a', 4, 'api.orb-system.svc', true]],
  ];
  for (const [why, list, expected] of ports) {
    it(`takes ${why} for the port of the pod`, async () => {
      service({ selector, ports: list });
      pod('a', 'True');
      expect(await find()).to.deep.equal(expected);
    });
  }

  it('passes over pods that are not ready, are being deleted, or stand elsewhere', async () => {
    service({ selector, ports: [{ port: 80 }] });
    pod('a', 'False');
    pod('b', 'True', { deletionTimestamp: '2026-11-20T12:00:00Z' });
    pod('c', 'True', { labels: { app: 'other' } });
    pod('d', 'True', { namespace: 'elsewhere' });
    expect(await find()).to.match(/^4 none of the 2 pods behind the Service api in orb-system is ready\n.*-l app=api/);
    pod('e', 'True');
    expect(await find()).to.deep.equal(['e', 80, 'api.orb-system.svc', false]);
  });

  it('says where no Service is, and how else to name the API', async () => {
    service({ selector, ports: [{ port: 80 }] }, { app: 'other' });
    expect(await find()).to.match(/^2 there is no Service of the platform in the namespace orb-system[^]*--server URL/);
  });

  it('says that a Service selects nothing or names no port', async () => {
    service({ ports: [{ port: 80 }] });
    expect(await find()).to.match(/^2 the Service api in orb-system selects no pods/);
    service({ selector, ports: [{ port: 80, targetPort: 'nowhere' }] });
    pod('a', 'True');
    expect(await find()).to.match(/^2 the Service api in orb-system names no port of its pods/);
  });
});
