import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { forwardedServer } from '../../../../cli/api/forwarded-server.ts';
import type { Server } from '../../../../cli/api/http.ts';
import { ioOf } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

const NAMESPACE = 'orb-system';
const LABELS = { 'app.kubernetes.io/part-of': 'orb-platform', 'app.kubernetes.io/component': 'api' };
const PEM = 'an authority';

describe('forwardedServer', () => {
  let cluster: ACluster;
  beforeEach(() => (cluster = aCluster()));

  const platform = (port: string, annotations: Readonly<Record<string, string>>): void => {
    const metadata = { name: 'orb-api', namespace: NAMESPACE, labels: LABELS };
    const spec = { selector: LABELS, ports: [{ name: port, port: 443, targetPort: 8443 }] };
    cluster.kube.put(KINDS.service, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, annotations },
      spec,
    });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    cluster.kube.put(KINDS.pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'a' },
      spec: {},
      status,
    });
  };
  const secret = (data: Readonly<Record<string, string>>): void =>
    void cluster.kube.put(KINDS.secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'orb-api-tls', namespace: NAMESPACE },
      data,
    });
  const open = async (): Promise<Server> =>
    forwardedServer(await cluster.open({}), NAMESPACE, 'a-key', ioOf({ openCluster: cluster.open }));
  const named = { 'orbs.dev/tls-secret': 'orb-api-tls' };
  const withCa = { 'ca.crt': Buffer.from(PEM).toString('base64') };

  it('takes the authority from the Secret that the Service names', async () => {
    platform('https', named);
    secret(withCa);
    expect((await open()).authority).to.equal(PEM);
  });

  const without: readonly (readonly [string, () => void])[] = [
    ['the Service names none', () => platform('https', {})],
    [
      'TLS ends elsewhere',
      () => {
        platform('http', named);
        secret(withCa);
      },
    ],
    ['the Secret is not there', () => platform('https', named)],
    [
      'the certificate is of a public authority',
      () => {
        platform('https', named);
        secret({ 'tls.crt': '' });
      },
    ],
  ];
  for (const [why, prepare] of without) {
    it(`trusts the usual authorities where ${why}`, async () => {
      prepare();
      expect(await open()).not.to.have.property('authority');
    });
  }

  it('does without it for somebody who may not read the Secret', async () => {
    platform('https', named);
    secret(withCa);
    cluster.kube.before = ({ kind }) => {
      if (kind === 'Secret') throw kubeError(403, 'Forbidden');
    };
    expect(await open()).not.to.have.property('authority');
  });
});
