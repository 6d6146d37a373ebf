import { expect } from 'chai';
import { isJsonObject } from '../../core/json/json-value.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { node } from '../support/e2e/node.ts';
import { ECHO, EXAMPLE, ensureExample, exampleKubectl } from './support/example.ts';
import { eventually } from './support/patience.ts';
import { platformKubectl } from './support/release.ts';

const STRANGERS = 'e2e-strangers';
const NAME = 'e2e-caller';

// As a program of a user would: the token of the file, the authority by NODE_EXTRA_CA_CERTS, the Service by its name.
const SCRIPT = `
const { readFileSync } = require('node:fs');
const [token, body] = process.argv.slice(1);
fetch('https://orb-api.orb-system.svc.cluster.local/orbisets/${EXAMPLE}.default/execute', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + readFileSync('/tokens/' + token, 'utf8'), 'content-type': 'application/json' },
  body,
}).then(async (answer) => console.log(JSON.stringify({ status: answer.status, body: await answer.json() })),
  (error) => console.log(JSON.stringify({ failed: String(error.cause ?? error) })));
`;

const projected = (audience: string | undefined, path: string): object => ({
  serviceAccountToken: { expirationSeconds: 600, path, ...(audience === undefined ? {} : { audience }) },
});

const callerPod = (env: readonly object[], name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    serviceAccountName: NAME,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'main',
        image: 'localhost/node:24',
        imagePullPolicy: 'IfNotPresent',
        args: ['--eval', 'setInterval(() => undefined, 60000)'],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        env,
        volumeMounts: [
          { name: 'tokens', mountPath: '/tokens', readOnly: true },
          { name: 'authority', mountPath: '/authority', readOnly: true },
        ],
      },
    ],
    volumes: [
      {
        name: 'tokens',
        projected: {
          sources: [
            projected('orb-api', 'orb-api'),
            projected('another', 'another'),
            projected(undefined, 'kubernetes'),
          ],
        },
      },
      { name: 'authority', configMap: { name: NAME } },
    ],
  },
});

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: NAME },
  rules: [{ apiGroups: ['orbs.dev'], resources: ['orbisets/execute'], resourceNames: ['default'], verbs: ['create'] }],
};
const binding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: NAME },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
  subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: EXAMPLE }],
};

interface Answer {
  readonly status: unknown;
  readonly code: unknown;
  readonly text: unknown;
  readonly failed: unknown;
}

const authority = (certificate: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME },
  data: { 'ca.crt': certificate },
});
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME } };
const TRUSTING = [{ name: 'NODE_EXTRA_CA_CERTS', value: '/authority/ca.crt' }];

const apply = async (...objects: readonly object[]): Promise<void> => {
  for (const object of objects)
    await kubectlOk(node, ['-n', EXAMPLE, 'apply', '--server-side', '-f', '-'], JSON.stringify(object));
};
const remove = (...what: readonly string[]): Promise<string> => exampleKubectl('delete', ...what, '--ignore-not-found');
const removeRole = (): Promise<string> => remove(`role/${NAME}`, `rolebinding/${NAME}`);
const removeCaller = (): Promise<string> =>
  remove(`pod/${NAME}`, 'pod/e2e-trustless', `configmap/${NAME}`, `serviceaccount/${NAME}`);

async function execute(token: string, pod: string, namespace = EXAMPLE): Promise<Answer> {
  const body = JSON.stringify({ orb_id: ECHO, inputs: { text: 'from a pod' } });
  const program = ['/nodejs/bin/node', '--eval', SCRIPT, token, body];
  const value: unknown = JSON.parse(await kubectlOk(node, ['-n', namespace, 'exec', pod, '--', ...program]));
  const answer = isJsonObject(value) ? value : {};
  const read = isJsonObject(answer['body']) ? answer['body'] : {};
  const outputs = isJsonObject(read['outputs']) ? read['outputs'] : {};
  return { status: answer['status'], code: read['code'], text: outputs['text'], failed: answer['failed'] };
}

/** Until it is answered so: rights are asked for once in a while. */
const until = (status: number): Promise<Answer | undefined> =>
  eventually(async () => {
    const answer = await execute('orb-api', NAME);
    return answer.status === status ? answer : undefined;
  });

describe('a caller in the cluster', () => {
  let strangers: TestNamespace;

  before(async () => {
    await ensureExample();
    await removeRole();
    await removeCaller();
    await kubectlOk(node, ['delete', 'namespace', STRANGERS, '--ignore-not-found', '--timeout=180s']);
    strangers = await testNamespace(node, STRANGERS);
    const encoded = await platformKubectl('get', 'secret/orb-api-tls', '-o', String.raw`jsonpath={.data.ca\.crt}`);
    const trusted = authority(Buffer.from(encoded, 'base64').toString('utf8'));
    await apply(account, trusted, callerPod(TRUSTING, NAME), callerPod([], 'e2e-trustless'));
    await strangers.apply(account, trusted, callerPod(TRUSTING, NAME));
    await exampleKubectl('wait', `pod/${NAME}`, 'pod/e2e-trustless', '--for=condition=Ready', '--timeout=180s');
    await strangers.kubectl('wait', `pod/${NAME}`, '--for=condition=Ready', '--timeout=180s');
  });
  after(async () => {
    await removeRole();
    await removeCaller();
    await strangers.remove();
  });

  it('without a Role is refused', async () => {
    expect(await execute('orb-api', NAME)).to.include({ status: 403, code: 'forbidden' });
  });

  it('of another namespace is not even told that there is an Orbiset', async () => {
    expect(await execute('orb-api', NAME, STRANGERS)).to.include({ status: 404, code: 'orbiset-not-found' });
  });

  it('with a Role for orbisets/execute executes an Orb over HTTPS by the name of the Service', async () => {
    await apply(role, binding);
    expect((await until(200))?.text).to.equal('from a pod');
  });

  for (const token of ['another', 'kubernetes'])
    it(`is not known by a token for the audience "${token}"`, async () => {
      expect(await execute(token, NAME)).to.include({ status: 401, code: 'unauthenticated' });
    });

  it('that trusts public authorities only does not talk to the API', async () => {
    const { failed, status } = await execute('orb-api', 'e2e-trustless');
    expect(status).to.equal(undefined);
    expect(failed).to.match(/certificate/);
  });

  it('is refused again when its Role is gone', async () => {
    await removeRole();
    expect((await until(403))?.code).to.equal('forbidden');
  });
});
