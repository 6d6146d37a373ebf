import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { blocksOf } from '../integration/docs/fenced-blocks.ts';
import { at } from '../../hack/control-plane/json.ts';
import { secret } from '../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { command } from '../../hack/control-plane/command.ts';
import { node } from '../support/e2e/node.ts';
import { EXAMPLE, ensureExample, exampleKubectl } from './support/example.ts';
import { installPlugin, type Plugin } from './support/plugin.ts';
import { eventually, patiently } from './support/patience.ts';
import { platformKubectl, removeRelease } from './support/release.ts';

const PEOPLE = 'e2e-people';
const ORB = 'people.echo@1.0.0';
// In every namespace.
const OF_KUBERNETES = /^(?:configmap\/kube-root-ca\.crt|serviceaccount\/default)$/;

const objectIn = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
};

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const jwsIn = (file: string): unknown => objectIn(readFileSync(file, 'utf8'))['jws'];

async function kinds(namespaced: boolean): Promise<string> {
  const all = await kubectlOk(node, ['api-resources', '--verbs=list', `--namespaced=${namespaced}`, '-o', 'name']);
  return lines(all)
    .filter((kind) => !/^(?:events|componentstatuses)/.test(kind))
    .join(',');
}

/** Every object of every kind in a namespace, by name. */
async function everythingIn(namespace: string): Promise<readonly string[]> {
  const all = ['-n', namespace, 'get', await kinds(true), '-o', 'name', '--ignore-not-found'];
  return lines(await kubectlOk(node, all)).filter((name) => !OF_KUBERNETES.test(name));
}

/** Every object in the namespace of the platform, and the platform's of those without a namespace. */
async function everything(): Promise<readonly string[]> {
  const all = lines(await kubectlOk(node, ['get', await kinds(false), '-o', 'name', '--ignore-not-found']));
  return [...(await everythingIn(PLATFORM_NAMESPACE)), ...all.filter((name) => /\borb/.test(name))].toSorted();
}

// Kubernetes' own sign of a definition.
const SERVED = 'apiservice.apiregistration.k8s.io/v1alpha1.orbs.dev';
const KEPT = [
  'configmap/orb-log-head',
  'customresourcedefinition.apiextensions.k8s.io/orbisets.orbs.dev',
  'customresourcedefinition.apiextensions.k8s.io/orbpolicies.orbs.dev',
  'customresourcedefinition.apiextensions.k8s.io/orbpublications.orbs.dev',
  'customresourcedefinition.apiextensions.k8s.io/orbs.orbs.dev',
  'customresourcedefinition.apiextensions.k8s.io/orbsignalsources.orbs.dev',
  `namespace/${PLATFORM_NAMESPACE}`,
  'orb.orbs.dev/orbs.canary-1.0.0',
  'orbiset.orbs.dev/orb-canary',
  'orbsignalsource.orbs.dev/orb-canary',
  'persistentvolumeclaim/orb-ledger',
  'rolebinding.rbac.authorization.k8s.io/orb-vault-reader',
  'secret/orb-api-key-…',
  'secret/orb-api-tls',
  'secret/orb-canary',
  'secret/orb-canary-tls',
  'secret/orb-platform-keys',
];

/** What is there of the platform; names of API keys differ in their ends. */
const leftBehind = async (): Promise<readonly string[]> =>
  (await everything())
    .filter((name) => name !== SERVED)
    .map((name) => name.replace(/^(secret\/orb-api-key)-.*/, '$1-…'));

/** What people have written: names, with identity and content; what a controller reports of them is not theirs. */
async function writtenBy(people: TestNamespace): Promise<readonly unknown[]> {
  const list = objectIn(await people.kubectl('get', 'orbs,orbisets,secrets', '-o', 'json'));
  const items = at(list, 'items');
  return (Array.isArray(items) ? items : []).map((item: unknown) => ({
    name: `${String(at(item, 'kind'))}/${String(at(item, 'metadata', 'name'))}`,
    uid: at(item, 'metadata', 'uid'),
    spec: at(item, 'spec'),
    data: at(item, 'data'),
  }));
}

const uidOf = (what: string): Promise<string> => platformKubectl('get', what, '-o', 'jsonpath={.metadata.uid}');

/** The Orb and the Orbiset of the example, as a team has them. */
async function applyPeople(people: TestNamespace): Promise<void> {
  const [orb, orbiset] = [
    objectIn(await exampleKubectl('get', 'orb/example.echo-1.0.0', '-o', 'json')),
    objectIn(await exampleKubectl('get', 'orbiset/default', '-o', 'json')),
  ];
  const encoded = await exampleKubectl('get', 'secret/echo', '-o', 'jsonpath={.data.ECHO_TOKEN}');
  const spec = isJsonObject(orb['spec']) ? orb['spec'] : {};
  const made = { apiVersion: 'orbs.dev/v1alpha1' };
  await people.apply(
    secret('echo', { ECHO_TOKEN: Buffer.from(encoded, 'base64').toString('utf8') }),
    { ...made, kind: 'Orbiset', metadata: { name: 'default' }, spec: orbiset['spec'] },
    { ...made, kind: 'Orb', metadata: { name: 'echo' }, spec: { ...spec, orb_id: ORB } },
  );
  await people.kubectl('wait', 'orbiset/default', 'orb/echo', '--for=condition=Ready', '--timeout=180s');
}

describe('uninstalling', () => {
  let plugin: Plugin;
  let people: TestNamespace;
  let env: Readonly<Record<string, string>>;
  let bundle = '';
  let root = '';
  let receipt = '';
  let uids: readonly string[] = [];
  let written: readonly unknown[] = [];

  const orb = (...args: readonly string[]): Promise<string> => plugin.ok([...args, '-n', PEOPLE], env);
  const placeIn = async (id: string): Promise<JsonObject> =>
    objectIn(JSON.stringify(at(objectIn(await orb('receipts', 'get', id, '-o', 'json')), 'log')));
  const run = async (): Promise<string> => {
    const result = objectIn(await orb('run', ORB, 'text=kept', '-o', 'json', '--bundle', bundle));
    return String(at(result, 'receipt', 'receipt_id'));
  };

  before(async () => {
    plugin = await installPlugin();
    [bundle, root] = [join(plugin.folder, 'receipt.json'), join(plugin.folder, 'root.jwk')];
    await removeRelease();
    await kubectlOk(node, ['delete', 'namespace', PEOPLE, '--ignore-not-found', '--timeout=180s']);
    await ensureExample({ statusProber: { enabled: true } });
    people = await testNamespace(node, PEOPLE);
    await applyPeople(people);
    const key = await platformKubectl('get', 'secret/orb-platform-keys', '-o', String.raw`jsonpath={.data.root\.jwk}`);
    writeFileSync(root, Buffer.from(key, 'base64'));
    env = { ORB_API_KEY: await plugin.key(PEOPLE, 'orbs:execute', 'receipts:read') };
    receipt = await run();
    const head = await eventually(async () =>
      (await node.kubectl(['-n', PLATFORM_NAMESPACE, 'get', 'cm/orb-log-head'])).code === 0 ? 'kept' : undefined,
    );
    expect(head, 'the head of the log, outside the ledger').to.equal('kept');
    written = await writtenBy(people);
    expect(written.map((one) => at(one, 'name'))).to.have.members(['Orb/echo', 'Orbiset/default', 'Secret/echo']);
    uids = [await uidOf('secret/orb-platform-keys'), await uidOf('secret/orb-api-tls'), await uidOf('pvc/orb-ledger')];
  });
  after(async () => {
    await people.kubectl('delete', 'orbs,orbisets', '--all');
    await people.remove();
    await plugin.remove();
    await removeRelease();
  });

  it('leaves definitions, ledger, keys, certificates, API keys, the canary and the head of the log, and nothing else', async () => {
    const [block] = blocksOf('uninstall.md').filter(({ language }) => language === 'sh');
    const { code, stderr } = await command('bash', ['-euo', 'pipefail', '-c', block?.text ?? 'exit 1']);
    expect(code, stderr).to.equal(0);
    let left: readonly string[] = [];
    // Endpoints and pods follow their owners.
    await eventually(async () => {
      left = await leftBehind();
      return left.length > KEPT.length ? undefined : left;
    });
    expect(left).to.have.members(KEPT);
  });

  it('leaves the objects of people as they were', async () => {
    expect(await writtenBy(people)).to.have.deep.members([...written]);
    expect(await everythingIn(PEOPLE)).to.have.members([
      'orb.orbs.dev/echo',
      'orbiset.orbs.dev/default',
      'rolebinding.rbac.authorization.k8s.io/orb-vault-reader',
      'secret/echo',
    ]);
    const gone = await eventually(async () => {
      const { code, stderr } = await node.kubectl(['get', 'namespace', EXAMPLE]);
      return code === 1 && stderr.includes('NotFound') ? 'gone' : undefined;
    });
    expect(gone, 'the example goes with the release').to.equal('gone');
  });

  it('leaves receipts that verify, without any platform', async () => {
    expect(await plugin.ok(['verify', bundle, '--root', root])).to.match(/valid/);
  });

  describe('a new install on what is left', () => {
    before(() => ensureExample({ statusProber: { enabled: true } }));

    it('takes over keys, certificate and ledger', async () => {
      expect([
        await uidOf('secret/orb-platform-keys'),
        await uidOf('secret/orb-api-tls'),
        await uidOf('pvc/orb-ledger'),
      ]).to.deep.equal(uids);
    });

    it('serves the old receipt, byte for byte, to the old API key', async () => {
      const again = join(plugin.folder, 'again.json');
      await orb('receipts', 'get', receipt, '--bundle', again);
      expect(jwsIn(again)).to.equal(jwsIn(bundle));
      expect(await plugin.ok(['verify', again, '--root', root])).to.match(/valid/);
    });

    it('executes the Orbs of people and goes on with the same log', async () => {
      const old = await placeIn(receipt);
      const fresh = await eventually(() => run().catch(() => undefined));
      expect(fresh).to.match(/^rcpt_/);
      expect(await plugin.ok(['verify', bundle, '--root', root])).to.match(/valid/);
      const place = await placeIn(fresh ?? '');
      expect(place['origin']).to.equal(old['origin']);
      expect(Number(place['index'])).to.be.above(Number(old['index']));
    });

    it('says that its log goes on with the head that was left', async () => {
      const query = ['get', 'pods', '-l', 'app.kubernetes.io/component=api', '-o', 'jsonpath={.items[0].status.podIP}'];
      const text = await patiently(async () =>
        (await fetch(`http://${await platformKubectl(...query)}:9464/metrics`)).text(),
      );
      expect(text).to.match(/^orb_log_consistent(?:\{[^}]*\})? 1$/m);
    });
  });
});
