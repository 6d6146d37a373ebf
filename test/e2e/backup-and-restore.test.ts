import { expect } from 'chai';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { command } from '../../hack/control-plane/command.ts';
import { PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { blocksOf, type Block } from '../integration/docs/fenced-blocks.ts';
import { say } from '../support/e2e/node.ts';
import { ECHO, ensureExample, EXAMPLE } from './support/example.ts';
import { readyPods } from './support/kill.ts';
import { installPlugin, type Plugin } from './support/plugin.ts';
import { eventually } from './support/patience.ts';
import { CHARTS, ensureRestricted, platformKubectl, removeRelease } from './support/release.ts';

const ORB = resolve(import.meta.dirname, '../../cli/orb.js');
const API = 'app.kubernetes.io/component=api';
const HEAD = 'configmap/orb-log-head';
const KEYS = 'secret/orb-platform-keys';
const ROOT_KEY = 'root-orbs.example-1a2B3c4D.pem';
const ASIDE = /ledger\.sqlite\.before-\d{8}T\d{6}Z/;

const [backup, restore, tidy, fromBackup, fromPod, anew, adopt, damagedHead, ...others] = blocksOf(
  'backup-and-restore.md',
).filter(({ language }) => language === 'console');

const commandsOf = (block: Block | undefined): string => {
  if (block === undefined) throw new Error('the page has fewer commands than this test');
  return block.text.replaceAll(/^\$ /gm, '');
};

const dataOf = (object: string): Promise<string> => platformKubectl('get', object, '-o', 'jsonpath={.data}');

/** @param name with its dots escaped */
const entryOfKeys = async (name: string): Promise<Buffer> =>
  Buffer.from(await platformKubectl('get', KEYS, '-o', `jsonpath={.data.${name}}`), 'base64');

async function settled(): Promise<void> {
  await platformKubectl('rollout', 'status', 'deployment/orb-api', '--timeout=300s');
}

async function restart(): Promise<void> {
  await platformKubectl('rollout', 'restart', 'deployment/orb-api');
  await settled();
}

describe('backup-and-restore.md in a cluster, word for word', () => {
  let plugin: Plugin;
  let key = '';
  let oldest = '';

  /** Types the commands of a block in a folder that has the charts. @returns what they print */
  async function walk(block: Block | undefined, change = (text: string): string => text): Promise<string> {
    const text = change(commandsOf(block));
    const PATH = `${plugin.folder}:${process.env['PATH'] ?? ''}`;
    const options = { cwd: plugin.folder, env: { PATH, ORB_CONFIG_DIR: join(plugin.folder, 'config') } };
    const { code, stdout, stderr } = await command('bash', ['-euo', 'pipefail', '-c', text], options);
    expect(code, `${text}\n${stderr}${stdout}`).to.equal(0);
    return stdout + stderr;
  }

  /** Executes the example. @returns id of the receipt */
  async function run(): Promise<string> {
    const args = ['run', ECHO, 'text=kept', '-n', EXAMPLE, '-o', 'json'];
    const answer = await plugin.ok(args, { ORB_API_KEY: key });
    return /rcpt_[\w-]+/.exec(answer)?.[0] ?? answer;
  }

  /** What runs are refused with; none may be executed, and nobody may be in the way of the answer for long. */
  async function refusal(code: string): Promise<string> {
    let said = '';
    await eventually(async () => {
      const result = await plugin.run(['run', ECHO, 'text=lost', '-n', EXAMPLE], { ORB_API_KEY: key });
      said = result.stderr;
      expect(result.code, said).not.to.equal(0);
      return said.includes(code) ? said : undefined;
    });
    return said;
  }

  /** By the root of the platform's keys as they are now. */
  async function verify(receipt: string): Promise<void> {
    const bundle = join(plugin.folder, `${receipt}.json`);
    await plugin.ok(['receipts', 'get', receipt, '--bundle', bundle, '-n', EXAMPLE], { ORB_API_KEY: key });
    const root = await entryOfKeys(String.raw`root\.jwk`);
    await plugin.ok(['verify', bundle, '--root', root.toString()]);
  }

  before(async () => {
    plugin = await installPlugin();
    await symlink(ORB, join(plugin.folder, 'orb'));
    await symlink(CHARTS, join(plugin.folder, 'charts'));
    await writeFile(
      join(plugin.folder, 'values.yaml'),
      'image: { pullPolicy: IfNotPresent }\nexample: { enabled: true }\n',
    );
    await removeRelease();
    await ensureRestricted();
    await ensureExample();
    key = await plugin.key(EXAMPLE, 'orbs:execute', 'receipts:read');
    oldest = await run();
    await platformKubectl('wait', HEAD, '--for=create', '--timeout=180s');
  });
  after(async () => {
    await removeRelease();
    await plugin.remove();
  });

  it('has no command that is not typed here', () => {
    expect(others).to.deep.equal([]);
  });

  it('takes a backup from the running pod', async () => {
    await walk(backup);
    const copy = await readFile(join(plugin.folder, 'ledger-backup.sqlite'));
    expect(copy.subarray(0, 15).toString()).to.equal('SQLite format 3');
  });

  it('puts it back, which signs nothing where it is too old, and removes what it put aside', async () => {
    await run();
    const said = await walk(restore);
    const [aside = ''] = ASIDE.exec(said) ?? [];
    expect(aside, said).not.to.equal('');
    await settled();
    expect(await refusal('ledger-forked')).to.include('ledger-forked');
    await walk(tidy, (text) => text.replace(ASIDE, aside));
    const list = ['exec', 'deploy/orb-api', '--', 'node', '-e', 'console.log(fs.readdirSync("/data/ledger").join())'];
    expect(await platformKubectl(...list))
      .to.include('ledger.sqlite')
      .and.not.include('before');
  });

  it('goes on under a new name after an adoption, and what it has verifies', async () => {
    await writeFile(join(plugin.folder, ROOT_KEY), await entryOfKeys(String.raw`root\.pem`));
    expect(await walk(adopt)).to.include('/log-2');
    await settled();
    await verify(oldest);
    await verify(await run());
  });

  it('refuses an upgrade when the keys are lost, while the API runs on', async () => {
    await walk(backup);
    await platformKubectl('delete', KEYS);
    const began = performance.now();
    const fault = await ensureExample().then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    say(`      refused after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    expect(fault).to.include('orb-log-head').and.include('restore that Secret from its backup');
    expect(await platformKubectl('get', 'secrets', '-o', 'name')).not.to.include('orb-platform-keys');
    await run();
  });

  it('makes the keys again from the pod that had them', async () => {
    await walk(fromPod);
    const kept = await dataOf(KEYS);
    await platformKubectl('delete', KEYS);
    await walk(fromBackup);
    expect(kept).to.equal(await dataOf(KEYS));
    await ensureExample();
    await restart();
    await verify(await run());
  });

  it('goes on from a damaged head that was deleted', async () => {
    await platformKubectl('patch', HEAD, '--type=merge', '-p', '{"data":{"checkpoint":"no checkpoint"}}');
    const [old = ''] = await readyPods(PLATFORM_NAMESPACE, API);
    await platformKubectl('delete', 'pod', old, '--force', '--grace-period=0');
    // The Deployment may not have noticed yet: it would say that it is as it should be.
    const next = await eventually(async () => (await readyPods(PLATFORM_NAMESPACE, API)).find((pod) => pod !== old));
    expect(next, 'another pod is ready').to.be.a('string');
    expect(await refusal('ledger-forked')).to.include('ledger-forked');
    await walk(damagedHead);
    await settled();
    await verify(await run());
  });

  it('begins anew when the keys are permanently lost', async () => {
    await platformKubectl('delete', KEYS);
    await walk(anew);
    await verify(await run());
    const { stderr } = await plugin.run(['receipts', 'get', oldest, '-n', EXAMPLE], { ORB_API_KEY: key });
    expect(stderr).to.include('receipt-not-found');
  });
});
