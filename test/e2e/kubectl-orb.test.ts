import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { node } from '../support/e2e/node.ts';
import { ECHO, EXAMPLE, ensureExample, exampleKubectl } from './support/example.ts';
import { installPlugin, type Plugin } from './support/plugin.ts';
import { platformKubectl } from './support/release.ts';

const PAIR = 'e2e.pair@1.0.0';
const SCOPES = ['orbs:execute', 'receipts:read', 'providers:read', 'providers:swap'];
const HERE = ['-n', EXAMPLE];

const objectIn = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
};
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((one: unknown, name) => (isJsonObject(one) ? one[name] : undefined), value);

/** The Orb of the example with a second provider, which is the same one by another name. */
async function applyPair(): Promise<void> {
  const echo = objectIn(await exampleKubectl('get', 'orb/example.echo-1.0.0', '-o', 'json'));
  const { inputs, outputs, execution } = isJsonObject(echo['spec']) ? echo['spec'] : {};
  const spec = {
    orb_id: PAIR,
    provider: 'one',
    description: 'Has two providers.',
    inputs,
    outputs,
    execution,
    providers: { other: { execution } },
    swap_config: { fallbacks: ['other'], probe: { mode: 'none' } },
  };
  const orb = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'e2e.pair-1.0.0' }, spec };
  // A pin of an earlier time would stay.
  await exampleKubectl('delete', 'orb/e2e.pair-1.0.0', '--ignore-not-found');
  await kubectlOk(node, [...HERE, 'apply', '--server-side', '-f', '-'], JSON.stringify(orb));
  await exampleKubectl('wait', 'orb/e2e.pair-1.0.0', '--for=condition=Ready', '--timeout=180s');
}

describe('kubectl orb, through the port-forward', () => {
  let plugin: Plugin;
  let env: Readonly<Record<string, string>>;
  let bundle = '';
  let root = '';
  const orb = (...args: readonly string[]): Promise<string> => plugin.ok([...args, ...HERE], env);

  before(async () => {
    plugin = await installPlugin();
    bundle = join(plugin.folder, 'receipt.json');
    root = join(plugin.folder, 'root.jwk');
    await ensureExample();
    await applyPair();
    const encoded = await platformKubectl(
      'get',
      'secret/orb-platform-keys',
      '-o',
      String.raw`jsonpath={.data.root\.jwk}`,
    );
    writeFileSync(root, Buffer.from(encoded, 'base64'));
    env = { ORB_API_KEY: await plugin.key(EXAMPLE, ...SCOPES) };
  });
  after(async () => {
    await exampleKubectl('delete', 'orb/e2e.pair-1.0.0', '--ignore-not-found');
    await plugin.remove();
  });

  it('run executes an Orb and saves its receipt', async () => {
    expect(await orb('run', ECHO, 'text=by kubectl', '--bundle', bundle)).to.include('by kubectl');
    expect(objectIn(readFileSync(bundle, 'utf8'))).to.include.keys('jws', 'keys_jws', 'tlog_proof');
  });

  it('verify proves the receipt offline by the root key', async () => {
    expect(await plugin.ok(['verify', bundle, '--root', root])).to.match(/valid/i);
    const unpinned = await plugin.run(['verify', bundle]);
    expect([unpinned.code, /unknown_root/.test(unpinned.stdout + unpinned.stderr)]).to.deep.equal([2, true]);
  });

  it('receipts lists and prints it', async () => {
    const ids = (await orb('receipts', 'list', '-o', 'name')).trim().split('\n');
    expect(ids.length).to.be.above(0);
    const [newest = ''] = ids;
    expect(await orb('receipts', 'get', newest))
      .to.include(newest)
      .and.to.include(ECHO);
  });

  it('swap changes the provider, and status and the next run say so', async () => {
    expect(await orb('status', PAIR)).to.match(/\* *one/);
    await orb('swap', PAIR, 'other', '--reason', 'a test', '--expires-in', '1h');
    expect(await orb('status', PAIR)).to.match(/\* *other/);
    const result = objectIn(await orb('run', PAIR, 'text=again', '-o', 'json'));
    expect(at(result, 'outputs', 'text')).to.equal('again');
    const receipt = objectIn(await orb('receipts', 'get', String(at(result, 'receipt', 'receipt_id')), '-o', 'json'));
    expect(JSON.stringify(receipt)).to.include('"other"');
  });

  it('calls as a ServiceAccount, by a token made for it', async () => {
    await exampleKubectl('delete', 'serviceaccount/e2e-person', 'rolebinding/e2e-person', '--ignore-not-found');
    await exampleKubectl('create', 'serviceaccount', 'e2e-person');
    await exampleKubectl(
      'create',
      'rolebinding',
      'e2e-person',
      '--clusterrole=edit',
      `--serviceaccount=${EXAMPLE}:e2e-person`,
    );
    try {
      const as = ['--as-serviceaccount', `${EXAMPLE}/e2e-person`, ...HERE];
      expect(await plugin.ok(['run', ECHO, 'text=as somebody', ...as])).to.include('as somebody');
    } finally {
      await exampleKubectl('delete', 'serviceaccount/e2e-person', 'rolebinding/e2e-person');
    }
  });

  it('says what to do where the platform is not', async () => {
    const { code, stderr } = await plugin.run(['run', ECHO, 'text=x', '--platform-namespace', 'default'], env);
    expect(code).to.equal(2);
    expect(stderr).to.include('there is no Service of the platform').and.to.include('--platform-namespace');
  });
});
